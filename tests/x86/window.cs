// A program for a 32-bit .NET without any toolkit, whose thread freezes in methods of known names while
// it has a window (pump.cs). It writes "ready", and the begin and end of each freeze.
//   window LOG MS
using System;
using System.Diagnostics;
using System.IO;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Uimon.Works32
{
    static class Program
    {
        [DllImport("kernel32")]
        static extern void Sleep(uint ms);

        static StreamWriter log;
        static int length, turns;
        static double sink;

        [MethodImpl(MethodImplOptions.NoInlining)]
        static void Compute()
        {
            var watch = Stopwatch.StartNew();
            while (watch.ElapsedMilliseconds < length)   // line of Compute
                for (int i = 0; i < 20000; i++)          // line of Compute
                    sink += Math.Sqrt(i);                // line of Compute
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        static void Deeper(int depth)
        {
            if (depth > 0)
                Deeper(depth - 1); // line of Deeper
            else
                Compute(); // line of Deeper
            sink++;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        static void Rest()
        {
            Sleep((uint)length); // line of Rest
            sink++;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        static void Work()
        {
            string name = turns % 3 == 0 ? "Compute" : turns % 3 == 1 ? "Deeper" : "Rest";
            log.WriteLine("begin " + name);
            if (turns % 3 == 0)
                Compute(); // line of Work
            else if (turns % 3 == 1)
                Deeper(20); // line of Work
            else
                Rest(); // line of Work
            log.WriteLine("end " + name);
            log.Flush();
            turns++;
        }

        static void Main(string[] arguments)
        {
            log = new StreamWriter(arguments[0]);
            length = int.Parse(arguments[1]);
            log.WriteLine("ready");
            log.Flush();
            Pump.Run("UimonWorks32", 1500, 1500, () => { // line of Main
                if (turns == 6)
                    return false;
                Work();
                return true;
            });
            log.Dispose();
        }
    }
}
