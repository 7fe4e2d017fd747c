// long LOG: a thousand million calls, of a few hundred methods (many.cs, which ./run makes), by 800 threads, four
// at a time, with recursion and exceptions. It counts them itself, and logs that as calls.cs does; and when a
// fifth of them is done, "part CALLS MS". Then it waits until LOG.N is there, with the number of the part.
using System;
using System.Diagnostics;
using System.IO;
using System.Threading;
using System.Windows.Forms;

static class Long
{
    const int Generations = 200, Threads = 4, Part = 40;
    const int Rounds = 5000, Depth = 30, Recursions = 1700, Exceptions = 20, ThrowDepth = 5;

    // What a thread counts of its own.
    class Own
    {
        internal long[] Calls = new long[Many.Count];
        internal long Recurse, Throw, Run;
    }

    static readonly Own all = new Own();

    static void Recurse(Own own, int depth)
    {
        own.Recurse++;
        if (depth > 1)
            Recurse(own, depth - 1);
    }

    static void Throw(Own own, int depth)
    {
        own.Throw++;
        if (depth == 0)
            throw new InvalidOperationException("as asked");
        Throw(own, depth - 1);
    }

    static void Run(Own own)
    {
        own.Run++;
        for (int row = 0; row < Many.Rows.Length; row++)
            Many.Rows[row](own.Calls, Rounds);
        for (int i = 0; i < Recursions; i++)
            Recurse(own, Depth);
        for (int i = 0; i < Exceptions; i++) {
            try {
                Throw(own, ThrowDepth);
            } catch (InvalidOperationException) {
            }
        }
    }

    static void Add(Own own)
    {
        for (int i = 0; i < Many.Count; i++)
            all.Calls[i] += own.Calls[i];
        all.Recurse += own.Recurse;
        all.Throw += own.Throw;
        all.Run += own.Run;
    }

    static long Sum()
    {
        long sum = all.Recurse + all.Throw + all.Run;
        foreach (long calls in all.Calls)
            sum += calls;
        return sum;
    }

    static void Generation()
    {
        var owns = new Own[Threads];
        var list = new Thread[Threads];
        for (int i = 0; i < Threads; i++) {
            var own = owns[i] = new Own();
            list[i] = new Thread(() => Run(own));
            list[i].Start();
        }
        for (int i = 0; i < Threads; i++) {
            list[i].Join();
            Add(owns[i]);
        }
    }

    static void Work(string path, Form window)
    {
        using (var log = new StreamWriter(path) { AutoFlush = true }) {
            var watch = new Stopwatch();
            for (int part = 1; part <= Generations / Part; part++) {
                watch.Start();
                for (int i = 0; i < Part; i++)
                    Generation();
                watch.Stop();
                GC.Collect(); // threads that have ended have handles until then
                GC.WaitForPendingFinalizers();
                log.WriteLine("part {0} {1}", Sum(), watch.ElapsedMilliseconds);
                while (!File.Exists(path + "." + part))
                    Thread.Sleep(100);
            }
            for (int i = 0; i < Many.Count; i++)
                log.WriteLine("calls {0} {1}", Many.Name(i), all.Calls[i]);
            log.WriteLine("calls Long.Recurse {0}", all.Recurse);
            log.WriteLine("calls Long.Throw {0}", all.Throw);
            log.WriteLine("calls Long.Run {0}", all.Run);
            Thread.Sleep(1000); // uimon hears of the last calls
        }
        window.BeginInvoke((Action)window.Close);
    }

    static void Main(string[] args)
    {
        var window = new Form { Text = "long" };
        window.Shown += (sender, e) => {
            new Thread(() => {
                Thread.Sleep(2000);
                Work(args[0], window);
            }) { IsBackground = true }.Start();
        };
        Application.Run(window);
    }
}
