// A plug-in of handlers.cs: an assembly of its own, whose slow line is known. Each freezes for so many
// milliseconds. `slow line N` stands on the line where handler N spends its time.
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading.Tasks;

namespace Uimon.Plugin
{
    public class Box<T>
    {
        readonly List<T> items = new List<T>();

        [MethodImpl(MethodImplOptions.NoInlining)]
        public void Fill(T item, long until)
        {
            while (Clock.Now() < until)
                Work.Spin(items.Count); // slow line 2
        }
    }

    static class Clock
    {
        public static long Now()
        {
            return Environment.TickCount64;
        }
    }

    static class Work
    {
        public static int Result;

        [MethodImpl(MethodImplOptions.NoInlining)]
        public static void Spin(int seed)
        {
            for (int i = 0; i < 2000000; i++)
                seed = seed * 31 + i;
            Result += seed;
        }
    }

    public static class Handlers
    {
        // In a loop with little else.
        [MethodImpl(MethodImplOptions.NoInlining)]
        static void Loop(long until)
        {
            int rounds = 0;
            while (Clock.Now() < until) {
                rounds++;
                Work.Spin(rounds); // slow line 1
                rounds--;
            }
        }

        // In a lambda, which a compiler puts into a class of its own.
        [MethodImpl(MethodImplOptions.NoInlining)]
        static void Lambda(long until)
        {
            Action<int> act = seed => {
                while (Clock.Now() < until)
                    Work.Spin(seed); // slow line 3
            };
            act(7);
        }

        // In an async method, whose first points are hidden.
        static async Task Async(long until)
        {
            await Task.CompletedTask;
            while (Clock.Now() < until)
                Work.Spin(8); // slow line 4
        }

        public static void Run(int ms)
        {
            long until = Clock.Now() + ms;
            switch (ms % 10) {
            case 1: Loop(until); break;
            case 2: new Box<string>().Fill("text", until); break;
            case 3: Lambda(until); break;
            default: Async(until).Wait(); break;
            }
        }
    }
}
