// A WPF program: wpf LOG LIST freezes for each of the milliseconds in a list ("50,300,"), and ends.
using System;
using System.Windows;
using System.Windows.Controls;
using System.Windows.Interop;
using System.Windows.Media;

class Program : Application
{
    static IntPtr Hook(IntPtr window, int message, IntPtr wparam, IntPtr lparam, ref bool handled)
    {
        handled = Log.Handle(window, (uint)message, wparam);
        return IntPtr.Zero;
    }

    [STAThread]
    static void Main(string[] args)
    {
        Log.Open(args[0]);
        // Named, because Wine has none of the fonts that WPF takes by itself.
        var window = new Window {
            Title = "uimon and WPF", Width = 600, Height = 400,
            FontFamily = new FontFamily("Liberation Sans"),
            Content = new TextBox { FontFamily = new FontFamily("Liberation Sans") },
        };
        ComponentDispatcher.ThreadFilterMessage += (ref MSG message, ref bool handled) => Log.Retrieved();
        window.SourceInitialized += (sender, e) => {
            var source = (HwndSource)PresentationSource.FromVisual(window);
            source.AddHook(Hook);
            Log.Start(source.Handle);
            // Closing a window is a freeze of its own, of which the log knows nothing.
            Log.Play(source.Handle, args[1], () => Environment.Exit(0));
        };
        new Program().Run(window);
    }
}
