// A WinForms program that counts itself, as a program does whose makers want to know: frame rate,
// queue delay of the thread pool, lag of its UI thread, hangs. sample LOG SECONDS spins, blocks, floods
// the thread pool, and does the same work without any of that, one after the other; then it waits for
// the rest of the seconds and ends. It logs its freezes, each counter that its own listener was told
// ("counter", with tabs between), and its own sums at the end ("own").
//
// Its listener is also what makes this work under Wine: see counters.cs.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Diagnostics.Tracing;
using System.Globalization;
using System.Threading;
using System.Threading.Tasks;
using System.Windows.Forms;

[EventSource(Name = "Example-App-Diagnostics")]
class Source : EventSource
{
    public static readonly Source Instance = new Source();
    public int Frames, Hangs;
    public double DelaySum;
    public int Delays;
    public double DelayPeak;
    PollingCounter frameRate, lag;
    EventCounter delay;
    IncrementingEventCounter hangs;
    int framesBefore;
    long before = Log.Now();

    protected override void OnEventCommand(EventCommandEventArgs command)
    {
        if (command.Command != EventCommand.Enable || delay != null)
            return;
        frameRate = new PollingCounter("frame-rate", this, SampleFrames) { DisplayName = "Frame rate", DisplayUnits = "fps" };
        lag = new PollingCounter("ui-thread-lag-ms", this, () => Heartbeat.LagMs) { DisplayName = "UI-thread lag", DisplayUnits = "ms" };
        hangs = new IncrementingEventCounter("ui-hang-count", this) { DisplayName = "UI hangs" };
        delay = new EventCounter("threadpool-queue-delay-ms", this) { DisplayName = "Thread-pool queue delay", DisplayUnits = "ms" };
    }

    // Painted since the last sample, by the time since then: right for any interval.
    double SampleFrames()
    {
        long now = Log.Now();
        int painted = Frames - framesBefore;
        double rate = painted / ((now - before) / 1e9);
        framesBefore += painted;
        before = now;
        return rate;
    }

    [NonEvent]
    public void WriteDelay(double ms)
    {
        delay?.WriteMetric((float)ms);
        DelaySum += ms;
        DelayPeak = Math.Max(DelayPeak, ms);
        Delays++;
    }

    [NonEvent]
    public void CountHang()
    {
        hangs?.Increment(1);
        Hangs++;
    }

    [Event(6, Level = EventLevel.Warning)]
    public void UiHangDetected(double lagMilliseconds)
    {
        WriteEvent(6, lagMilliseconds);
    }
}

class Listener : EventListener
{
    protected override void OnEventSourceCreated(EventSource source)
    {
        if (source.Name == "Example-App-Diagnostics" || source.Name == "System.Runtime")
            EnableEvents(source, EventLevel.Informational, EventKeywords.None,
                new Dictionary<string, string> { ["EventCounterIntervalSec"] = "1" });
    }

    protected override void OnEventWritten(EventWrittenEventArgs e)
    {
        if (e.EventName != "EventCounters")
            return;
        var said = (IDictionary<string, object>)e.Payload[0];
        string line = "counter\t" + Log.Now() + "\t" + e.EventSource.Name;
        foreach (string key in new[] { "Name", "CounterType", "Mean", "Increment", "Count", "Min", "Max" })
            line += "\t" + (said.ContainsKey(key) ? Convert.ToString(said[key], CultureInfo.InvariantCulture) : "-");
        Log.Write(line);
    }
}

// A heartbeat on the UI thread, and a watchdog that the UI thread cannot block.
static class Heartbeat
{
    const double HangMs = 500;
    static long last;

    public static double LagMs => (Log.Now() - Interlocked.Read(ref last)) / 1e6;

    public static void Start()
    {
        Beat();
        new System.Windows.Forms.Timer { Interval = 100, Enabled = true }.Tick += (sender, e) => Beat();
        new Thread(Watch) { IsBackground = true }.Start();
    }

    static void Beat()
    {
        Interlocked.Exchange(ref last, Log.Now());
    }

    static void Watch()
    {
        for (bool hangs = false; ; Thread.Sleep(20)) {
            double ms = LagMs;
            if (ms > HangMs && !hangs) {
                Source.Instance.CountHang();
                Source.Instance.UiHangDetected(ms);
            }
            hangs = ms > HangMs;
        }
    }
}

class Window : Form, IMessageFilter
{
    Window(int seconds)
    {
        Text = "uimon and its counters";
        DoubleBuffered = true;
        Paint += (sender, e) => {
            Source.Instance.Frames++;
            e.Graphics.FillRectangle(System.Drawing.Brushes.OrangeRed, Source.Instance.Frames % 200, 20, 20, 20);
        };
        Application.AddMessageFilter(this);
        Shown += (sender, e) => {
            Log.Start(Handle);
            Heartbeat.Start();
            new System.Windows.Forms.Timer { Interval = 50, Enabled = true }.Tick += (s, t) => Invalidate();
            IntPtr window = Handle;
            new Thread(() => Play(window, seconds)) { IsBackground = true }.Start();
            new Thread(Probe) { IsBackground = true }.Start();
        };
    }

    // How long a work item waits, each 250 ms, from a thread that is not of the pool.
    static void Probe()
    {
        for (; ; Thread.Sleep(250)) {
            long queued = Log.Now();
            var ran = new ManualResetEventSlim();
            ThreadPool.UnsafeQueueUserWorkItem(_ => {
                Source.Instance.WriteDelay((Log.Now() - queued) / 1e6);
                ran.Set();
            }, null);
            ran.Wait();
        }
    }

    void Play(IntPtr window, int seconds)
    {
        long end = Log.Now() + seconds * 1000000000L;
        Thread.Sleep(4000);
        Log.Write("phase " + Log.Now() + " spin");
        Log.Post(window, 800, true);
        Thread.Sleep(2500);
        Log.Write("phase " + Log.Now() + " block");
        Log.Post(window, 1200, false);
        Thread.Sleep(2500);
        Log.Write("phase " + Log.Now() + " flood");
        for (int i = 0; i < 16 * Environment.ProcessorCount; i++)
            ThreadPool.UnsafeQueueUserWorkItem(_ => Thread.Sleep(500), null);
        Thread.Sleep(6000);
        Log.Write("phase " + Log.Now() + " fixed"); // the same, in a way that holds up nobody
        for (int i = 0; i < 16 * Environment.ProcessorCount; i++)
            _ = Task.Delay(500);
        Thread.Sleep(Math.Max(0, (int)((end - Log.Now()) / 1000000)));
        var own = Source.Instance;
        Log.Write(FormattableString.Invariant($"own {own.Frames} {own.Hangs} {own.Delays} {own.DelaySum} {own.DelayPeak}"));
        Environment.Exit(0);
    }

    public bool PreFilterMessage(ref Message message)
    {
        Log.Retrieved();
        return false;
    }

    protected override void WndProc(ref Message message)
    {
        if (!Log.Handle(message.HWnd, (uint)message.Msg, message.WParam, message.LParam != IntPtr.Zero))
            base.WndProc(ref message);
    }

    [STAThread]
    static void Main(string[] args)
    {
        Log.Open(args[0]);
        using (new Listener()) {
            Source.Instance.ToString();
            Application.Run(new Window(int.Parse(args[1])));
        }
    }
}
