// A WinForms program: forms LOG SECONDS counts its idle rounds a second while nothing happens;
// forms LOG LIST freezes for each of the milliseconds in a list ("50,300,"), and ends.
using System;
using System.Threading;
using System.Windows.Forms;

class Window : Form, IMessageFilter
{
    const int SettleMs = 3000;
    int idle;

    Window(string what)
    {
        Text = "uimon and WinForms";
        Controls.Add(new TextBox { Multiline = true, Dock = DockStyle.Fill });
        Application.AddMessageFilter(this);
        Application.Idle += (sender, e) => idle++;
        Shown += (sender, e) => Log.Start(Handle);
        if (what.Contains(','))
            Shown += (sender, e) => Log.Play(Handle, what, End);
        else
            Shown += (sender, e) => Count(int.Parse(what));
    }

    void End()
    {
        BeginInvoke((Action)Close);
    }

    // From another thread: a timer of the window's own would wake it.
    void Count(int seconds)
    {
        new Thread(() => {
            Thread.Sleep(SettleMs);
            int begin = idle;
            Thread.Sleep(seconds * 1000);
            Log.Write($"idle {(idle - begin) / seconds}");
            End();
        }) { IsBackground = true }.Start();
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

    [STAThread]
    static void Main(string[] args)
    {
        Log.Open(args[0]);
        Application.Run(new Window(args[1]));
    }
}
