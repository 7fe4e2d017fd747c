// collect LOG MS THREADS: a WinForms window that freezes once for so many ms. In the freeze its UI thread and so many
// others allocate, and collections of memory follow one another. It goes when there is a file LOG.go.
using System;
using System.IO;
using System.Threading;
using System.Windows.Forms;

static class Collect
{
    const int FirstMs = 4000;
    const int PollMs = 200;

    class Node
    {
        public Node Next;
        public byte[] Data = new byte[64];
    }

    static Node last;
    static volatile bool over;

    static void Allocate()
    {
        Node list = null;
        for (int i = 0; i < 20000; i++)
            list = new Node { Next = list };
        last = list;
    }

    // Returns when it began and ended, in ms of Unix, and how many collections there were.
    static string Freeze(int ms, int threads)
    {
        int count = GC.CollectionCount(0);
        var begin = DateTimeOffset.UtcNow;
        for (int i = 0; i < threads; i++)
            new Thread(() => {
                while (!over)
                    Allocate();
            }) { IsBackground = true }.Start();
        while ((DateTimeOffset.UtcNow - begin).TotalMilliseconds < ms) {
            Allocate();
            GC.Collect();
        }
        over = true;
        return $"{begin.ToUnixTimeMilliseconds()} {DateTimeOffset.UtcNow.ToUnixTimeMilliseconds()} " +
               $"{GC.CollectionCount(0) - count}\n";
    }

    [STAThread]
    static void Main(string[] args)
    {
        var window = new Form { Text = "collect" };
        var timer = new System.Windows.Forms.Timer { Interval = FirstMs };
        timer.Tick += (sender, e) => {
            if (timer.Interval == FirstMs) {
                timer.Interval = PollMs;
                File.WriteAllText(args[0], Freeze(int.Parse(args[1]), int.Parse(args[2])));
            } else if (File.Exists(args[0] + ".go")) {
                window.Close();
            }
        };
        timer.Start();
        Application.Run(window);
    }
}
