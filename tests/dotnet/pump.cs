// A window, and what it does now and then: see tests/x86/pump.cs, which has the same without a toolkit.
using System;
using System.Windows.Forms;

static class Pump
{
    class Window : Form
    {
        internal Window(string title, int firstMs, int nextMs, Func<bool> step)
        {
            Text = title;
            var timer = new Timer { Interval = firstMs };
            timer.Tick += (sender, e) => {
                timer.Interval = nextMs;
                if (!step())
                    Close();
            };
            timer.Start();
        }
    }

    internal static void Run(string title, int firstMs, int nextMs, Func<bool> step)
    {
        Application.Run(new Window(title, firstMs, nextMs, step));
    }
}
