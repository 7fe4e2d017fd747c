// payloads LOG: a program whose events have payloads that uimon cannot show as a whole. It waits for
// LOG.go, writes each event once, and logs what its own listener is told.
using System;
using System.Diagnostics.Tracing;
using System.IO;
using System.Windows.Forms;

enum Weight : byte { Light = 1, Heavy = 200 }

[EventSource(Name = "Example-App-Payloads")]
class Source : EventSource
{
    public static readonly Source Instance = new Source();

    [Event(1)]
    public void Plain(int number, string text)
    {
        WriteEvent(1, number, text);
    }

    [Event(2)]
    public void Packet(string name, int port, byte[] bytes)
    {
        WriteEvent(2, name, port, bytes);
    }

    // The runtime describes the weight as one byte, and writes four.
    [Event(3)]
    public void Parcel(int number, Weight weight, string text)
    {
        WriteEvent(3, number, weight, text);
    }

    // A value less than the event has parameters, which is a mistake of the program's.
    [Event(4)]
    public void Short(int number, string text)
    {
        WriteEvent(4, number);
    }

    [Event(5)]
    public void WorkStart(int number)
    {
        WriteEvent(5, number);
    }

    [Event(6)]
    public void TaskStart(int number, Weight weight)
    {
        WriteEvent(6, number, weight);
    }

    [Event(7)]
    public void TaskStop(int number, string result)
    {
        WriteEvent(7, number, result);
    }

    [Event(8)]
    public void Nothing()
    {
        WriteEvent(8);
    }
}

class Listener : EventListener
{
    protected override void OnEventSourceCreated(EventSource source)
    {
        if (source.Name == "Example-App-Payloads")
            EnableEvents(source, EventLevel.Verbose, EventKeywords.All);
    }

    protected override void OnEventWritten(EventWrittenEventArgs e)
    {
        if (e.EventSource.Name != "Example-App-Payloads" || e.EventId == 0)
            return;
        Log.Write($"event\t{e.EventName}{AppEvents.Payload(e)}");
    }
}

class Window : Form
{
    Window(string log)
    {
        int rest = 0;
        Text = "uimon and its payloads";
        Shown += (sender, e) => {
            Log.Start(Handle);
            AppEvents.Enable(Source.Instance);
            var timer = new System.Windows.Forms.Timer { Interval = 1000, Enabled = true };
            timer.Tick += (s, t) => {
                if (rest == 0 && !File.Exists(log + ".go"))
                    return;
                if (rest == 0)
                    WriteAll();
                if (++rest == 5)
                    Environment.Exit(0);
            };
        };
    }

    static void WriteAll()
    {
        Source.Instance.Plain(-7, "Z\u00fcrich \U0001F600");
        Source.Instance.Packet("door", 443, new byte[] { 1, 2, 3, 255 });
        Source.Instance.Packet("empty", 80, new byte[0]);
        Source.Instance.Parcel(5, Weight.Heavy, "pens");
        Source.Instance.Short(6, "lost");
        Source.Instance.Nothing();
        Source.Instance.WorkStart(1);
        Source.Instance.TaskStart(2, Weight.Light);
        Source.Instance.TaskStop(2, "done");
        Source.Instance.Plain(8, new string('\u0436', 2100));
        Source.Instance.Parcel(9, Weight.Heavy, new string('p', 2100));
        Source.Instance.Write("List", new { Item = "pen", Numbers = new[] { 1, 2, 3 } });
        Source.Instance.Write("Wide", new {
            A1 = 1, A2 = 2, A3 = 3, A4 = 4, A5 = 5, A6 = 6, A7 = 7, A8 = 8, A9 = 9, A10 = 10, A11 = 11, A12 = 12,
            A13 = 13, A14 = 14, A15 = 15, A16 = 16, A17 = 17, A18 = 18, A19 = 19, A20 = 20, A21 = 21, A22 = 22,
            A23 = 23, A24 = 24, A25 = 25, A26 = 26, A27 = 27, A28 = 28, A29 = 29, A30 = 30, A31 = 31, A32 = 32,
            A33 = 33, A34 = 34 });
        Source.Instance.Plain(10, "the end");
    }

    [STAThread]
    static void Main(string[] args)
    {
        Log.Open(args[0]);
        using (new Listener()) {
            Source.Instance.ToString();
            Application.Run(new Window(args[0]));
        }
    }
}
