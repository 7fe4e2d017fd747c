// What compilers make sequence points of: for names/ppdb.h. It is compiled, and never run.
using System;
using System.Collections.Generic;
using System.Threading.Tasks;

class Base
{
    readonly int first = 1;
    public int Property { get; set; } = 2;

    public virtual int Expression(int value) => value + first;
}

class Lines<T> : Base where T : IComparable<T>
{
    public override int Expression(int value)
    {
        int sum = 0;
        for (int i = 0; i < value; i++)
            sum += i;
        return sum
            + base.Expression(
                value);
    }

    public T Greatest(IEnumerable<T> all)
    {
        T greatest = default;
        foreach (T one in all)
            if (one.CompareTo(greatest) > 0)
                greatest = one;
        return greatest;
    }

    public IEnumerable<int> Iterator()
    {
        yield return 1;
        try {
            yield return 2;
        } finally {
            Console.WriteLine("over");
        }
    }

    public async Task<int> Wait(int ms)
    {
        await Task.Delay(ms);
        lock (this) {
            ms *= 2;
        }
        using (var stream = new System.IO.MemoryStream())
            await stream.WriteAsync(new byte[] { 1 }, 0, 1);
        return ms;
    }
}

static class Program
{
    static int Hidden(int value)
    {
        value++;
#line hidden
        value *= 2;
#line default
        value--;
#line 4000 "form.template"
        value += 3; /* of another file */
#line 3 "form.template"
        value += 4;
#line default
        return value;
    }

#line 16000000 "far.template"
    static int Far() { return 1; }
#line default

    static int Filter(int value)
    {
        try {
            return 10 / value;
        } catch (DivideByZeroException e) when (e.Message.Length > value) {
            return 0;
        } finally {
            Console.Write(value);
        }
    }

    static string Switch(object what)
    {
        switch (what) {
        case string text when text.Length > 3: return text;
        case int number: return number.ToString();
        default: throw new ArgumentException(nameof(what));
        }
    }

    static void Main()
    {
        Func<int, int> add = value => value + 1;
        int Local(int value)
        {
            return add(value) + Hidden(value);
        }
        Console.WriteLine(Local(1) + Far() + Filter(2) + Switch("äöü"));
        new Lines<int>().Wait(1).Wait();
    }
}
