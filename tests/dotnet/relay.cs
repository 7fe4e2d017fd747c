// relay ARGUMENT...: starts the .exe that runs it once more, with these arguments, and ends.
using System;
using System.Diagnostics;

static class Relay
{
    static void Main(string[] args)
    {
        var start = new ProcessStartInfo { FileName = Process.GetCurrentProcess().MainModule.FileName };
        foreach (string argument in args)
            start.ArgumentList.Add(argument);
        Process.Start(start);
    }
}
