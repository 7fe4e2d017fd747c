// A WinForms program with panels within one another, whose layout and painting cost known times:
// panels LOG TIMES resizes the outer one so often, and ends. It logs "layout NAME NS" and
// "paint NAME NS": how long OnLayout and OnPaint kept the processor busy.
using System;
using System.Drawing;
using System.Threading;
using System.Windows.Forms;

class Pane : Panel
{
    readonly int layoutMs, paintMs;

    public Pane(string name, int layoutMs, int paintMs)
    {
        Text = name;
        this.layoutMs = layoutMs;
        this.paintMs = paintMs;
    }

    void Spin(string what, int ms)
    {
        long begin = Log.Now();
        while (Log.Now() - begin < ms * 1000000L) {}
        Log.Write($"{what} {Text} {Log.Now() - begin}");
    }

    protected override void OnLayout(LayoutEventArgs e)
    {
        base.OnLayout(e);
        if (IsHandleCreated)
            Spin("layout", layoutMs);
    }

    protected override void OnPaint(PaintEventArgs e)
    {
        base.OnPaint(e);
        Spin("paint", paintMs);
    }
}

class Panels : Form
{
    const int SettleMs = 5000;
    const int EveryMs = 150;
    readonly Pane outer = new Pane("outer", 2, 1), middle = new Pane("middle", 6, 3),
        inner = new Pane("inner", 20, 10);
    int left;

    Panels(int times)
    {
        Text = "uimon and panels";
        left = times;
        ClientSize = new Size(500, 400);
        outer.Bounds = new Rectangle(10, 10, 400, 300);
        foreach (Pane pane in new[] { middle, inner })
            pane.Dock = DockStyle.Fill;
        inner.Controls.Add(new Label { Text = "label" });
        middle.Controls.Add(inner);
        outer.Controls.Add(middle);
        Controls.Add(outer);
        Shown += (sender, e) => {
            Log.Start(Handle);
            new Thread(Resize) { IsBackground = true }.Start();
        };
    }

    // From another thread, so that each resize is a message of its own.
    void Resize()
    {
        Thread.Sleep(SettleMs);
        Invoke((Action)(() => Log.Write("begin")));
        for (; left > 0; left--) {
            BeginInvoke((Action)(() => outer.Width = 400 + left % 2 * 20));
            Thread.Sleep(EveryMs);
        }
        Thread.Sleep(500);
        BeginInvoke((Action)Close);
    }

    [STAThread]
    static void Main(string[] args)
    {
        Log.Open(args[0]);
        Application.Run(new Panels(int.Parse(args[1])));
    }
}
