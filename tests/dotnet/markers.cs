// A WinForms program with markers of its own, through uimon-markers64.dll: markers LOG SECONDS. Each
// 20 ms its window's thread posts a task, which a thread of the pool runs; a task is a flow. While it
// is watched it logs each marker that it made: "mark NAME TASK THREAD", and "flow TASK" where one ended.
using System;
using System.Globalization;
using System.Runtime.InteropServices;
using System.Threading;
using System.Windows.Forms;

static class Uimon
{
    public enum Kind : uint { Text, Number, Flow, FlowEnd }

    [StructLayout(LayoutKind.Sequential)]
    public struct Field
    {
        public ulong Id;
        public double Number;
        [MarshalAs(UnmanagedType.LPUTF8Str)] public string Name;
        [MarshalAs(UnmanagedType.LPUTF8Str)] public string Text;
        public Kind Kind;
        public uint Unused;
    }

    const string Dll = "uimon-markers64.dll";

    [DllImport(Dll, CallingConvention = CallingConvention.Cdecl, EntryPoint = "uimon_is_watched")]
    public static extern int IsWatched();

    [DllImport(Dll, CallingConvention = CallingConvention.Cdecl, EntryPoint = "uimon_marker")]
    public static extern void Marker([MarshalAs(UnmanagedType.LPUTF8Str)] string name,
        [MarshalAs(UnmanagedType.LPUTF8Str)] string category, [In] Field[] fields, uint count);

    [DllImport(Dll, CallingConvention = CallingConvention.Cdecl, EntryPoint = "uimon_begin")]
    public static extern ulong Begin([MarshalAs(UnmanagedType.LPUTF8Str)] string name,
        [MarshalAs(UnmanagedType.LPUTF8Str)] string category, [In] Field[] fields, uint count);

    [DllImport(Dll, CallingConvention = CallingConvention.Cdecl, EntryPoint = "uimon_end")]
    public static extern void End(ulong interval, [In] Field[] fields, uint count);

    public static Field Flow(string name, ulong id)
    {
        return new Field { Name = name, Id = id, Kind = Kind.Flow };
    }

    public static Field FlowEnd(string name, ulong id)
    {
        return new Field { Name = name, Id = id, Kind = Kind.FlowEnd };
    }
}

static class Program
{
    const ulong First = 0x7a5c000000000000;
    static ulong tasks = First;

    [DllImport("kernel32.dll")] static extern uint GetCurrentThreadId();

    static void Say(string name, ulong task)
    {
        Log.Write($"mark {name} {task - First} {GetCurrentThreadId()}");
    }

    static void Run(ulong task)
    {
        ulong run = Uimon.Begin("Run", "\u00fcber .NET", new[] { Uimon.Flow("task", task) }, 1);
        Thread.Sleep(2);
        Uimon.End(run, new[] { Uimon.FlowEnd("done", task) }, 1);
        if (run == 0)
            return;
        Say("Run", task);
        Log.Write($"flow {task - First}");
    }

    static void Post()
    {
        ulong task = ++tasks;
        bool watched = Uimon.IsWatched() != 0;
        Uimon.Marker("Post", "\u00fcber .NET", new[] { Uimon.Flow("task", task) }, 1);
        if (watched)
            Say("Post", task);
        ThreadPool.QueueUserWorkItem(_ => Run(task));
    }

    [STAThread]
    static void Main(string[] args)
    {
        CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
        Log.Open(args[0]);
        var form = new Form { Text = "markers" };
        var timer = new System.Windows.Forms.Timer { Interval = 20 };
        var end = new System.Windows.Forms.Timer { Interval = int.Parse(args[1]) * 1000 };
        timer.Tick += (sender, e) => Post();
        end.Tick += (sender, e) => form.Close();
        form.Shown += (sender, e) => { Log.Start(form.Handle); timer.Start(); end.Start(); };
        Application.Run(form);
    }
}
