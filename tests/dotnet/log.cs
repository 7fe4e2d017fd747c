// What the two programs have in common: a log in the form of demo/log.h, and the posted messages by
// which they freeze.
using System;
using System.Diagnostics;
using System.IO;
using System.Runtime.InteropServices;
using System.Threading;

static class Log
{
    const uint FreezeMessage = 0x8001; // WM_APP + 1
    const int SettleMs = 3000;
    const int PauseMs = 500;

    public static Action<int> Freeze = Thread.Sleep; // for so many ms

    static StreamWriter file;
    static uint thread;
    static long retrieved;
    static bool away; // since the freeze no message was retrieved

    [DllImport("kernel32.dll")] static extern uint GetCurrentThreadId();
    [DllImport("kernel32.dll")] static extern uint GetTickCount();
    [DllImport("user32.dll")] static extern int GetMessageTime();
    [DllImport("user32.dll")]
    static extern bool PostMessageW(IntPtr window, uint message, IntPtr wparam, IntPtr lparam);

    // The clock of uimon and of the demo.
    public static long Now()
    {
        return (long)(Stopwatch.GetTimestamp() * (1e9 / Stopwatch.Frequency));
    }

    public static void Open(string path)
    {
        file = new StreamWriter(path) { AutoFlush = true };
        thread = GetCurrentThreadId();
    }

    public static void Write(string line)
    {
        lock (file)
            file.Write(line + "\n");
    }

    // The main window exists.
    public static void Start(IntPtr window)
    {
        Write($"start {Now()} {Process.GetCurrentProcess().Id} {thread} 0x{(long)window:x}");
    }

    // Each message as it is retrieved, before it is dispatched.
    public static void Retrieved()
    {
        retrieved = Now();
        if (!away)
            return;
        away = false;
        long age = Math.Max(0, unchecked((int)(GetTickCount() - (uint)GetMessageTime())));
        Write($"back {retrieved} {thread} {retrieved - age * 1000000}");
    }

    // Freezes if the message asks for it.
    public static bool Handle(IntPtr window, uint message, IntPtr wparam, bool spins = false)
    {
        if (message != FreezeMessage)
            return false;
        long begin = Now();
        while (spins && Now() - begin < (int)wparam * 1000000L) {}
        if (!spins)
            Freeze((int)wparam);
        Write($"freeze {begin} {Now()} {(spins ? "spin" : "sleep")} {(int)wparam} {retrieved} 0x{message:x} " +
              $"0x{(long)window:x} {thread} 0");
        away = true;
        return true;
    }

    // Asks for a freeze.
    public static void Post(IntPtr window, int ms, bool spins)
    {
        PostMessageW(window, FreezeMessage, (IntPtr)ms, (IntPtr)(spins ? 1 : 0));
    }

    // Posts the freezes of a list, and calls `over` when the last one is over.
    public static void Play(IntPtr window, string list, Action over)
    {
        new Thread(() => {
            Thread.Sleep(SettleMs);
            foreach (string ms in list.Split(',', StringSplitOptions.RemoveEmptyEntries)) {
                PostMessageW(window, FreezeMessage, (IntPtr)int.Parse(ms), IntPtr.Zero);
                Thread.Sleep(int.Parse(ms) + PauseMs);
            }
            over();
        }) { IsBackground = true }.Start();
    }
}
