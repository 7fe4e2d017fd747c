// Counters of each kind, with a listener in the process itself, as a program has that shows its own:
// counters LOG SECONDS. It logs its process id, and each counter that the listener was told.
//
// The listener is what makes this work under Wine: there the runtime cannot tell an event source that
// another process listens (Wine 8 has no EnumerateTraceGuidsEx in advapi32.dll), but sends it what the
// source says anyway.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Diagnostics.Tracing;
using System.Globalization;
using System.IO;
using System.Threading;

[EventSource(Name = "Example-App-Diagnostics")]
class Source : EventSource
{
    public static readonly Source Log = new Source();
    EventCounter delay;
    IncrementingEventCounter hangs;
    DiagnosticCounter[] polled;
    double items;

    protected override void OnEventCommand(EventCommandEventArgs command)
    {
        if (command.Command != EventCommand.Enable || delay != null)
            return;
        polled = new DiagnosticCounter[] {
            new PollingCounter("frame-rate", this, () => 59.75) { DisplayName = "Frame rate", DisplayUnits = "fps" },
            new IncrementingPollingCounter("items", this, () => items += 7) { DisplayName = "Items \u00fc \U0001F600" },
        };
        hangs = new IncrementingEventCounter("ui-hang-count", this) { DisplayName = "UI hangs" };
        delay = new EventCounter("threadpool-queue-delay-ms", this) { DisplayName = "Queue delay", DisplayUnits = "ms" };
    }

    public void Tick()
    {
        if (delay == null)
            return;
        foreach (float ms in new float[] { 1, 2, 3, 10.5f })
            delay.WriteMetric(ms);
        hangs.Increment(1);
    }

    [Event(6, Level = EventLevel.Warning)]
    public void UiHangDetected(double lagMilliseconds)
    {
        WriteEvent(6, lagMilliseconds);
    }
}

class Listener : EventListener
{
    public void Start()
    {
        var how = new Dictionary<string, string> { ["EventCounterIntervalSec"] = "1" };
        foreach (var source in EventSource.GetSources())
            if (source.Name == "Example-App-Diagnostics" || source.Name == "System.Runtime")
                EnableEvents(source, EventLevel.Informational, EventKeywords.None, how);
    }

    protected override void OnEventWritten(EventWrittenEventArgs e)
    {
        if (e.EventName != "EventCounters")
            return;
        var said = (IDictionary<string, object>)e.Payload[0];
        string line = e.EventSource.Name;
        foreach (string key in new[] { "Name", "DisplayName", "CounterType", "Mean", "Increment", "Count", "Min", "Max", "StandardDeviation", "IntervalSec", "Series", "DisplayUnits" })
            line += "\t" + (said.ContainsKey(key) ? Convert.ToString(said[key], CultureInfo.InvariantCulture) : "-");
        Log.Write(line);
    }
}

static class Log
{
    public static StreamWriter File;

    public static void Write(string line)
    {
        lock (File)
            File.Write(line + "\n");
    }
}

static class Program
{
    static void Main(string[] args)
    {
        Log.File = new StreamWriter(args[0]) { AutoFlush = true };
        Source.Log.Tick();
        Log.Write("pid " + Process.GetCurrentProcess().Id);
        new Listener().Start();
        Log.Write("started");
        for (int i = 0; i < int.Parse(args[1]) * 10; i++) {
            Source.Log.Tick();
            if (i % 10 == 0)
                Source.Log.UiHangDetected(500 + i);
            Thread.Sleep(100);
        }
    }
}
