// A WinForms program whose freezes are known methods: works LOG LIST freezes for each of the
// milliseconds in a list. The last digit says in which method; see Works.Run.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Windows.Forms;

namespace Uimon.Works
{
    class Box<T>
    {
        readonly List<T> items = new List<T>();

        [MethodImpl(MethodImplOptions.NoInlining)]
        public int Fill(T item, long until)
        {
            while (Log.Now() < until) {
                items.Add(item);
                if (items.Count > 1000)
                    items.Clear();
            }
            return items.Count;
        }
    }

    static class Works
    {
        [DllImport("kernel32.dll")] static extern void Sleep(uint ms);

        static int result;

        [MethodImpl(MethodImplOptions.NoInlining)]
        static void FillBox(long until)
        {
            result += new Box<string>().Fill("item", until);
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        static void Query(long until)
        {
            result += Enumerable.Range(0, int.MaxValue).TakeWhile(_ => Log.Now() < until)
                .Where(number => number % 3 == 0).Select(number => number & 7)
                .Aggregate(0, (sum, number) => unchecked(sum + number));
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        static void Throw(int value)
        {
            throw new InvalidOperationException(value.ToString());
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        static void CatchAll(long until)
        {
            while (Log.Now() < until) {
                try {
                    Throw(result);
                } catch (InvalidOperationException) {
                    result++;
                } finally {
                    result++;
                }
            }
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        static void CallOut(long until)
        {
            Sleep((uint)((until - Log.Now()) / 1000000));
            result++;
        }

        public static void Run(int ms)
        {
            long until = Log.Now() + ms * 1000000L;
            switch (ms % 10) {
            case 1: FillBox(until); break;
            case 2: Query(until); break;
            case 3: CatchAll(until); break;
            default: CallOut(until); break;
            }
        }
    }

    class Window : Form, IMessageFilter
    {
        Window(string list)
        {
            Text = "uimon and methods";
            Application.AddMessageFilter(this);
            Shown += (sender, e) => Log.Start(Handle);
            Shown += (sender, e) => Log.Play(Handle, list, () => BeginInvoke((Action)Close));
        }

        public bool PreFilterMessage(ref Message message)
        {
            Log.Retrieved();
            return false;
        }

        protected override void WndProc(ref Message message)
        {
            if (!Log.Handle(message.HWnd, (uint)message.Msg, message.WParam))
                base.WndProc(ref message);
        }

        [STAThread]
        static void Main(string[] args)
        {
            Log.Open(args[0]);
            Log.Freeze = Works.Run;
            Application.Run(new Window(args[1]));
        }
    }
}
