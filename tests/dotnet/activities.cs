// A WinForms program with events of its own: activities.dll LOG SECONDS. When there is a file LOG.go, two
// requests run side by side once a second. The first waits until the second has handed something to it; each
// makes a query, and waits in the midst of it, so that it goes on on another thread. The program logs each
// event that its own listener was told ("event", with tabs between): time, thread, name, both ids of
// activities, and its payload. At the end it writes more events at once than are kept, and logs how many.
//
// The listener also has TplEventSource give ids to activities; elsewhere uimon asks for that.
using System;
using System.Diagnostics.Tracing;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using System.Windows.Forms;

[EventSource(Name = "Example-App-Activities")]
class Source : EventSource
{
    public static readonly Source Instance = new Source();

    public static class Keywords
    {
        public const EventKeywords Rare = (EventKeywords)2;
    }

    [Event(1)]
    public void RequestStart(int number, string url)
    {
        WriteEvent(1, number, url);
    }

    [Event(2)]
    public void RequestStop(int number, double ms)
    {
        WriteEvent(2, number, ms);
    }

    [Event(3)]
    public void QueryStart(string table)
    {
        WriteEvent(3, table);
    }

    [Event(4)]
    public void QueryStop(long rows, bool complete)
    {
        WriteEvent(4, rows, complete);
    }

    [Event(5, Level = EventLevel.Verbose, Keywords = Keywords.Rare)]
    public void Numbers(sbyte i8, byte u8, short i16, ushort u16, uint u32, long i64, ulong u64, float single)
    {
        WriteEvent(5, i8, u8, i16, u16, u32, i64, u64, single);
    }

    [Event(9, Level = EventLevel.Verbose)]
    public void Others(char letter, Guid id, DateTime when, DayOfWeek day, double limit)
    {
        WriteEvent(9, letter, id, when, day, limit);
    }

    [Event(6)]
    public void Note(string text)
    {
        WriteEvent(6, text);
    }

    [Event(7)]
    public void Packet(int port, byte[] bytes)
    {
        WriteEvent(7, port, bytes);
    }

    [Event(8)]
    public void Handed(Guid relatedActivityId, int number)
    {
        WriteEventWithRelatedActivityId(8, relatedActivityId, number);
    }

    [Event(10)]
    public void Flood(int number)
    {
        WriteEvent(10, number);
    }
}

class Listener : EventListener
{
    [ThreadStatic] public static Guid Activity; // of this thread's last event that has one

    protected override void OnEventSourceCreated(EventSource source)
    {
        if (source.Name == "Example-App-Activities")
            EnableEvents(source, EventLevel.Verbose, EventKeywords.All);
        if (source.Name == "System.Threading.Tasks.TplEventSource")
            EnableEvents(source, EventLevel.Informational, (EventKeywords)0x80);
    }

    protected override void OnEventWritten(EventWrittenEventArgs e)
    {
        if (e.EventSource.Name != "Example-App-Activities" || e.EventId == 0 || e.EventName == "Flood")
            return;
        if (e.ActivityId != Guid.Empty)
            Activity = e.ActivityId;
        string line = $"event\t{Log.Now()}\t{e.OSThreadId}\t{e.EventName}\t{e.ActivityId}\t{e.RelatedActivityId}";
        Log.Write(line + AppEvents.Payload(e));
    }
}

class Window : Form, IMessageFilter
{
    const int FloodEvents = 20000;
    static Guid first; // the activity of the first of two requests
    static TaskCompletionSource<bool> handed;
    int requests, rest;

    Window(string log, int seconds)
    {
        Text = "uimon and its activities";
        Application.AddMessageFilter(this);
        Shown += (sender, e) => {
            Log.Start(Handle);
            AppEvents.Enable(Source.Instance);
            var timer = new System.Windows.Forms.Timer { Interval = 1000, Enabled = true };
            timer.Tick += (s, t) => {
                if (requests / 2 < seconds && File.Exists(log + ".go")) {
                    Request(++requests);
                    Request(++requests);
                } else if (requests > 0 && ++rest == 2) {
                    Flood();
                } else if (rest == 5) {
                    Environment.Exit(0);
                }
            };
        };
    }

    static void Flood()
    {
        for (int i = 0; i < FloodEvents; i++)
            Source.Instance.Flood(i);
        Log.Write($"flood {FloodEvents}");
    }

    static async void Request(int number)
    {
        Source.Instance.RequestStart(number, $"/orders?n={number}&\u00fc=\U0001F600");
        if (number % 2 == 1) {
            first = Listener.Activity;
            handed = new TaskCompletionSource<bool>();
            await handed.Task.ConfigureAwait(false);
        } else {
            await Task.Run(() => Source.Instance.Handed(first, number)).ConfigureAwait(false);
            handed.SetResult(true);
        }
        await Query(number).ConfigureAwait(false);
        Source.Instance.Numbers(-8, 200, -1600, 60000, 4000000000, long.MinValue, ulong.MaxValue, 1.5f);
        Source.Instance.Others('\u00e9', Guid.NewGuid(), DateTime.UtcNow, DayOfWeek.Thursday, double.PositiveInfinity);
        Source.Instance.RequestStop(number, number * 1.25);
    }

    static async Task Query(int number)
    {
        Source.Instance.QueryStart("orders");
        await Task.Delay(20 * (1 + number % 2)).ConfigureAwait(false);
        Source.Instance.Note(null);
        Source.Instance.Packet(number, new byte[3]);
        Source.Instance.Write("Sold", new { Item = "pen", Price = 1.25m, Box = new { Width = 2.5f, Lid = true }, Left = -1 });
        Source.Instance.QueryStop(1L << 40, number % 2 == 0);
    }

    public bool PreFilterMessage(ref Message message)
    {
        Log.Retrieved();
        return false;
    }

    [STAThread]
    static void Main(string[] args)
    {
        Log.Open(args[0]);
        using (new Listener()) {
            Source.Instance.ToString();
            Application.Run(new Window(args[0], int.Parse(args[1])));
        }
    }
}
