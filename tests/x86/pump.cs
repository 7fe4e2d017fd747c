// A window by the system's own calls, for a 32-bit .NET, which has no toolkit here. It calls `step` after some time, and
// then again and again until that returns false. Its class has its title's name.
using System;
using System.Runtime.InteropServices;

static class Pump
{
    delegate IntPtr WindowProc(IntPtr window, uint message, IntPtr wide, IntPtr parameter);

    [StructLayout(LayoutKind.Sequential, CharSet = CharSet.Unicode)]
    struct WindowClass
    {
        public uint Style;
        public WindowProc Proc;
        public int Extra, WindowExtra;
        public IntPtr Instance, Icon, Cursor, Background;
        public string Menu, Name;
    }

    [StructLayout(LayoutKind.Sequential)]
    struct Message
    {
        public IntPtr Window;
        public uint Number;
        public IntPtr Wide, Parameter;
        public uint Time;
        public int X, Y;
    }

    [DllImport("user32", CharSet = CharSet.Unicode)]
    static extern ushort RegisterClassW(ref WindowClass windowClass);
    [DllImport("user32", CharSet = CharSet.Unicode)]
    static extern IntPtr CreateWindowExW(uint more, string windowClass, string title, uint style, int x, int y,
                                         int width, int height, IntPtr parent, IntPtr menu, IntPtr instance, IntPtr parameter);
    [DllImport("user32")]
    static extern int GetMessageW(out Message message, IntPtr window, uint first, uint last);
    [DllImport("user32")]
    static extern IntPtr DispatchMessageW(ref Message message);
    [DllImport("user32")]
    static extern IntPtr DefWindowProcW(IntPtr window, uint message, IntPtr wide, IntPtr parameter);
    [DllImport("user32")]
    static extern UIntPtr SetTimer(IntPtr window, UIntPtr id, uint ms, IntPtr proc);
    [DllImport("user32")]
    static extern void PostQuitMessage(int code);

    static WindowProc kept;
    static Func<bool> step;
    static int nextMs;

    static IntPtr Answer(IntPtr window, uint message, IntPtr wide, IntPtr parameter)
    {
        if (message != 0x113) // WM_TIMER
            return DefWindowProcW(window, message, wide, parameter);
        SetTimer(window, (UIntPtr)1, (uint)nextMs, IntPtr.Zero);
        if (!step())
            PostQuitMessage(0);
        return IntPtr.Zero;
    }

    internal static void Run(string title, int firstMs, int laterMs, Func<bool> does)
    {
        step = does;
        nextMs = laterMs;
        kept = Answer;
        var windowClass = new WindowClass { Proc = kept, Name = title };
        RegisterClassW(ref windowClass);
        IntPtr window = CreateWindowExW(0, title, title, 0x10cf0000, 100, 100, 400, 300, IntPtr.Zero, IntPtr.Zero,
                                        IntPtr.Zero, IntPtr.Zero);
        SetTimer(window, (UIntPtr)1, (uint)firstMs, IntPtr.Zero);
        while (GetMessageW(out Message message, IntPtr.Zero, 0, 0) > 0)
            DispatchMessageW(ref message);
    }
}
