// calls LOG WORK...: does the named works one after another, and logs how often each of its methods was called,
// by counters of its own, and how long a work took. `uimon --trace methods` is held against that.
using System;
using System.Diagnostics;
using System.IO;
using System.Runtime.CompilerServices;
using System.Reflection;
using System.Reflection.Emit;
using System.Threading;

public static class Calls
{
    static StreamWriter log;
    static string path;
    static volatile bool over;
    static Thread ticking;
    static long ticks;
    static long leaves, throwing, catches, handled, generic, nested, short_ones, shared, returns;

    static int Fibonacci(int n)
    {
        return n < 2 ? n : Fibonacci(n - 1) + Fibonacci(n - 2);
    }

    static int Iterations(double re, double im)
    {
        double x = 0, y = 0;
        int i = 0;
        while (i < 1000 && x * x + y * y < 4) {
            double next = x * x - y * y + re;
            y = 2 * x * y + im;
            x = next;
            i++;
        }
        return i;
    }

    static long Row(int row, int width, int height)
    {
        long sum = 0;
        for (int column = 0; column < width; column++)
            sum += Iterations(column * 3.0 / width - 2, row * 2.0 / height - 1);
        return sum;
    }

    static long Mandelbrot(int threads)
    {
        const int width = 320, height = 200;
        long sum = 0;
        int next = -1;
        var list = new Thread[threads];
        for (int i = 0; i < threads; i++) {
            list[i] = new Thread(() => {
                for (int row; (row = Interlocked.Increment(ref next)) < height;)
                    Interlocked.Add(ref sum, Row(row, width, height));
            });
            list[i].Start();
        }
        foreach (var thread in list)
            thread.Join();
        return sum;
    }

    static int Leaf(int n)
    {
        leaves++;
        return n + 1;
    }

    static void Throw(int depth)
    {
        throwing++;
        if (depth == 0)
            throw new InvalidOperationException("as asked");
        Throw(depth - 1);
    }

    static void Handle()
    {
        handled++;
    }

    static void Pass(int depth)
    {
        try {
            Throw(depth);
        } finally {
            Handle();
        }
    }

    static int Caught(int a, int b, int c, int d, int e, int f, int g, int h)
    {
        catches++;
        return a + b + c + d + e + f + g + h;
    }

    // What is called when or after an exception is caught is no call of those that it has ended, whatever is pushed for it.
    static void Exceptions(int times)
    {
        for (int i = 0; i < times; i++) {
            try {
                Pass(i % 7);
            } catch (InvalidOperationException) {
                Leaf(i);
            }
            Caught(1, 2, 3, 4, 5, 6, 7, 8);
        }
    }

    static double Double(double value)
    {
        returns++;
        return value / 2;
    }

    static float Float(float value)
    {
        returns++;
        return value / 2;
    }

    static long Long(long value)
    {
        returns++;
        return value * 3;
    }

    static decimal Decimal(decimal value)
    {
        returns++;
        return value + 1;
    }

    static int Within()
    {
        returns++;
        return 1;
    }

    // Its frame grows while it runs.
    static int OnStack(int bytes)
    {
        returns++;
        Span<byte> list = stackalloc byte[bytes];
        list[bytes - 1] = (byte)bytes;
        return list[bytes - 1] + Within();
    }

    // What a method returns stays what it was, in whatever register that is.
    static void Returns(int times)
    {
        for (int i = 1; i <= times; i++) {
            double doubles = Double(i) + Double(i + 1) * Double(3);
            float floats = Float(i) - Float(i + 2);
            if (doubles != i / 2.0 + (i + 1) / 2.0 * 1.5 || floats != -1 || Long(i * 10000000000) != i * 30000000000 ||
                Decimal(i) != i + 1 || OnStack(i % 100 + 1) != i % 100 + 2)
                throw new ArithmeticException("a method has returned something else");
        }
    }

    static T Generic<T>(T value)
    {
        generic++;
        return value;
    }

    static void Generics(int times)
    {
        for (int i = 0; i < times; i++) {
            Generic(i);
            Generic("text");
            Generic(new object());
        }
    }

    class Outer
    {
        internal class Inner
        {
            internal void Method(int depth)
            {
                nested++;
                if (depth > 0)
                    Method(depth - 1);
            }
        }
    }

    static void Short()
    {
        Interlocked.Increment(ref short_ones);
    }

    // More threads than there is room for, one after another.
    static void ManyThreads(int count)
    {
        for (int i = 0; i < count; i++) {
            var thread = new Thread(Short);
            thread.Start();
            thread.Join();
        }
    }

    static void Shared()
    {
        Interlocked.Increment(ref shared);
    }

    // As many at once.
    static void ThreadsAtOnce(int count, int times)
    {
        var list = new Thread[count];
        var go = new ManualResetEvent(false);
        for (int i = 0; i < count; i++) {
            list[i] = new Thread(() => {
                go.WaitOne();
                for (int n = 0; n < times; n++)
                    Shared();
            });
            list[i].Start();
        }
        go.Set();
        foreach (var thread in list)
            thread.Join();
    }

    static void Tick()
    {
        ticks++;
    }

    // It runs until the program ends, and calls all the time.
    static void Ticks()
    {
        while (!over) {
            Thread.Sleep(20);
            Tick();
        }
    }

    // Two names of 600 characters that differ in the last one.
    static void Longest()
    {
        var type = AssemblyBuilder.DefineDynamicAssembly(new AssemblyName("longest"), AssemblyBuilderAccess.Run)
                       .DefineDynamicModule("longest").DefineType("Longest", TypeAttributes.Public);
        string[] names = { new string('n', 600) + "a", new string('n', 600) + "b" };
        foreach (string name in names) {
            var il = Define(type, name, 1).GetILGenerator();
            il.Emit(OpCodes.Ldarg_0);
            il.Emit(OpCodes.Ret);
        }
        Type made = type.CreateType();
        for (int i = 0; i < 2; i++) {
            var call = (Func<int, int>)Delegate.CreateDelegate(typeof(Func<int, int>), made.GetMethod(names[i]));
            for (int n = 0; n < 30 + 10 * i; n++)
                call(n);
        }
        log.WriteLine("longest 30 40");
    }

    static void Burn(int ms)
    {
        var watch = Stopwatch.StartNew();
        while (watch.ElapsedMilliseconds < ms)
            ;
        log.WriteLine("time Calls.Burn {0} us", watch.Elapsed.Ticks / 10);
    }

    static void Sleep(int ms)
    {
        var watch = Stopwatch.StartNew();
        Thread.Sleep(ms);
        log.WriteLine("time Calls.Sleep {0} us", watch.Elapsed.Ticks / 10);
    }

    static void BurnAndSleep()
    {
        Burn(300);
        Sleep(300);
    }

    // A method without a body yet; its first argument is a number.
    static MethodBuilder Define(TypeBuilder type, string name, int arguments)
    {
        var types = new Type[arguments];
        Array.Fill(types, typeof(int));
        return type.DefineMethod(name, MethodAttributes.Public | MethodAttributes.Static, typeof(int), types);
    }

    // Its body: at 0 it returns, else it calls the other one with a number that is less by one, and is over before.
    static void Alternate(MethodBuilder method, MethodBuilder other, int arguments)
    {
        var il = method.GetILGenerator();
        var more = il.DefineLabel();
        il.Emit(OpCodes.Ldarg_0);
        il.Emit(OpCodes.Brtrue, more);
        il.Emit(OpCodes.Ldc_I4_7);
        il.Emit(OpCodes.Ret);
        il.MarkLabel(more);
        il.Emit(OpCodes.Ldarg_0);
        il.Emit(OpCodes.Ldc_I4_1);
        il.Emit(OpCodes.Sub);
        for (int i = 1; i < arguments; i++)
            il.Emit(OpCodes.Ldc_I4, i);
        il.Emit(OpCodes.Tailcall);
        il.Emit(OpCodes.Call, other);
        il.Emit(OpCodes.Ret);
    }

    // Its body: it computes for a while, and calls the other one, if there is one, when it is over itself.
    static void Spend(MethodBuilder method, MethodBuilder other)
    {
        var il = method.GetILGenerator();
        il.Emit(OpCodes.Ldstr, method.Name);
        il.Emit(OpCodes.Ldarg_0);
        il.Emit(OpCodes.Call, typeof(Calls).GetMethod("Spin"));
        if (other == null) {
            il.Emit(OpCodes.Ldc_I4_7);
        } else {
            il.Emit(OpCodes.Ldc_I4, 200);
            il.Emit(OpCodes.Tailcall);
            il.Emit(OpCodes.Call, other);
        }
        il.Emit(OpCodes.Ret);
    }

    // C# has no words for a call that ends its caller: `tail.` of CIL. More arguments than the caller has go another
    // way in the runtime. Without room for so many callers on the stack, the program would end if these were none.
    static void Tails()
    {
        var type = AssemblyBuilder.DefineDynamicAssembly(new AssemblyName("tails"), AssemblyBuilderAccess.Run)
                       .DefineDynamicModule("tails").DefineType("Tails", TypeAttributes.Public);
        MethodBuilder even = Define(type, "Even", 1), odd = Define(type, "Odd", 1), narrow = Define(type, "Narrow", 1),
                      wide = Define(type, "Wide", 9), first = Define(type, "First", 1), second = Define(type, "Second", 1);
        Alternate(even, odd, 1);
        Alternate(odd, even, 1);
        Alternate(narrow, wide, 9);
        Alternate(wide, narrow, 1);
        Spend(first, second);
        Spend(second, null);
        Type made = type.CreateType();
        Func<int, int> Made(string name) =>
            (Func<int, int>)Delegate.CreateDelegate(typeof(Func<int, int>), made.GetMethod(name));
        if (Made("Even")(1000000) + Made("Narrow")(100000) != 14)
            throw new ArithmeticException("a method has returned something else");
        var watch = Stopwatch.StartNew();
        Made("First")(100);
        log.WriteLine("tails {0} us", watch.Elapsed.Ticks / 10);
        Count("Tails.Even", 500001);
        Count("Tails.Odd", 500000);
        Count("Tails.Narrow", 50001);
        Count("Tails.Wide", 50000);
    }

    public static void Spin(string caller, int ms)
    {
        var watch = Stopwatch.StartNew();
        while (watch.ElapsedMilliseconds < ms)
            ;
        log.WriteLine("time Tails.{0} {1} us", caller, watch.Elapsed.Ticks / 10);
    }

    static void Count(string name, long calls)
    {
        log.WriteLine("calls {0} {1}", name, calls);
    }

    static void Work(string name)
    {
        var watch = Stopwatch.StartNew();
        switch (name) {
        case "fibonacci":
            Fibonacci(30);
            Count("Calls.Fibonacci", 2692537);
            break;
        case "mandelbrot":
            Mandelbrot(1);
            break;
        case "mandelbrot8":
            Mandelbrot(8);
            break;
        case "exceptions":
            Exceptions(2000);
            Count("Calls.Leaf", leaves);
            Count("Calls.Caught", catches);
            Count("Calls.Handle", handled);
            Count("Calls.Pass", handled);
            Count("Calls.Exceptions", 1);
            Count("Calls.Throw", throwing);
            break;
        case "returns":
            Returns(2000);
            Count("Calls.Double", 6000);
            Count("Calls.Float", 4000);
            Count("Calls.Long", 2000);
            Count("Calls.Decimal", 2000);
            Count("Calls.OnStack", (returns - 14000) / 2);
            Count("Calls.Within", (returns - 14000) / 2);
            break;
        case "tails":
            Tails();
            break;
        case "generics":
            Generics(1000);
            Count("Calls.Generic", generic);
            break;
        case "nested":
            new Outer.Inner().Method(99);
            Count("Calls+Outer+Inner.Method", nested);
            break;
        case "deep":
            new Outer.Inner().Method(5999);
            break;
        case "threads":
            ManyThreads(200);
            Count("Calls.Short", short_ones);
            break;
        case "crowd":
            ThreadsAtOnce(100, 1000);
            Count("Calls.Shared", shared);
            break;
        case "times":
            BurnAndSleep();
            break;
        case "longest":
            Longest();
            break;
        case "ticks":
            ticking = new Thread(Ticks);
            ticking.Start();
            break;
        case "wait":
            Thread.Sleep(3000);
            break;
        case "until":
            break;
        default:
            throw new ArgumentException(name);
        }
        log.WriteLine("work {0} {1} us", name, watch.Elapsed.Ticks / 10);
        log.Flush();
    }

    // The works come when the window has been there for a while, and the window goes some time after them.
    static void InWindow(string[] works)
    {
        int next = 0;
        Pump.Run("calls", 2000, 100, () => {
            if (next < works.Length && works[next] == "until" && !File.Exists(path + ".go"))
                return true;
            if (next < works.Length)
                Work(works[next]);
            return next++ < works.Length + 15;
        });
    }

    static void Main(string[] args)
    {
        path = args[0];
        log = new StreamWriter(path);
        var works = new string[args.Length - 1];
        Array.Copy(args, 1, works, 0, works.Length);
        if (works[0] == "console")
            for (int i = 1; i < works.Length; i++)
                Work(works[i]);
        else
            InWindow(works);
        over = true;
        if (ticking != null) {
            ticking.Join();
            Count("Calls.Tick", ticks);
            Count("Calls.Ticks", 1);
        }
        log.WriteLine("ended all");
        log.Close();
    }
}
