// A WinForms program that freezes in its plug-in: handlers LOG LIST does so for each of the
// milliseconds in a list. The last digit says in which handler; see Handlers.Run of plugin.cs. With 9
// the program itself is slow.
using System;
using System.Runtime.CompilerServices;
using System.Windows.Forms;

class Window : Form, IMessageFilter
{
    Window(string list)
    {
        Text = "uimon and a plug-in";
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

    static int result;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Spin(int ms)
    {
        long until = Environment.TickCount64 + ms;
        while (Environment.TickCount64 < until)
            for (int i = 0; i < 2000000; i++)
                result = result * 31 + i;
    }

    static void Freeze(int ms)
    {
        if (ms % 10 == 9)
            Spin(ms);
        else
            Uimon.Plugin.Handlers.Run(ms);
    }

    [STAThread]
    static void Main(string[] args)
    {
        Log.Open(args[0]);
        Log.Freeze = Freeze;
        Application.Run(new Window(args[1]));
    }
}
