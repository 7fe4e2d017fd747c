// What programs with an EventSource have in common.
using System;
using System.Collections.Generic;
using System.Diagnostics.Tracing;
using System.Globalization;
using System.Linq;
using System.Reflection;

static class AppEvents
{
    // What SendCommand does when the runtime tells the source of a session. This is needed under Wine alone
    // (see counters.cs): an event with an [Event] is only sent if its source was told of a session.
    public static void Enable(EventSource source)
    {
        var send = typeof(EventSource).GetMethods(BindingFlags.Instance | BindingFlags.NonPublic)
                       .First(method => method.Name == "SendCommand");
        object eventPipe = Enum.ToObject(send.GetParameters()[1].ParameterType, 2);
        send.Invoke(source, new object[] { null, eventPipe, 0, 0, EventCommand.Update, true, EventLevel.Verbose,
            EventKeywords.All, null });
    }

    // The payload as it is logged: each field after a tab.
    public static string Payload(EventWrittenEventArgs e)
    {
        return string.Concat(e.Payload.Select((value, i) => Field(e.PayloadNames[i], value)));
    }

    // A field, and of an object each of its fields.
    static string Field(string name, object value)
    {
        switch (value) {
        case IDictionary<string, object> fields:
            return string.Concat(fields.Select(field => Field(name + "." + field.Key, field.Value)));
        case DateTime date: value = date.ToUniversalTime().ToString("o"); break;
        case Enum number: value = number.ToString("d"); break;
        case bool truth: value = truth ? "true" : "false"; break;
        case Array values: value = values.Length + " of " + values.GetType().GetElementType().Name; break;
        }
        return $"\t{name}={Convert.ToString(value, CultureInfo.InvariantCulture)}";
    }
}
