#include "monitor/writers/prometheus_counters.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/double_bits.h"

void um_prometheus_counters_deinit(struct um_prometheus_counters *counters)
{
    um_own_counters_deinit(&counters->own);
}

/* Appends text to a name; '_' stands for characters that a name may not have. */
static void append(char *name, const char *text)
{
    size_t len = strlen(name);
    for (; *text && len + 1 < UM_PROMETHEUS_COUNTERS_NAME_BYTES; text++) {
        bool upper = *text >= 'A' && *text <= 'Z';
        bool stays = upper || (*text >= 'a' && *text <= 'z') || (*text >= '0' && *text <= '9');
        if (stays)
            name[len++] = upper ? (char)(*text - 'A' + 'a') : *text;
        else if (len > 0 && name[len - 1] != '_')
            name[len++] = '_';
    }
    name[len] = '\0';
}

static bool ends_with(const char *text, const char *end)
{
    size_t len = strlen(text), end_len = strlen(end);
    return len >= end_len && strcmp(text + len - end_len, end) == 0;
}

static void make_name(const struct um_own_counter *own, bool adds, char *name)
{
    snprintf(name, UM_PROMETHEUS_COUNTERS_NAME_BYTES, "uimon_target_");
    append(name, own->provider);
    append(name, ".");
    append(name, own->name);
    append(name, adds ? ".total" : "");
    if (name[strlen(name) - 1] == '_')
        name[strlen(name) - 1] = '\0';
    if (!adds && ends_with(name, "_total"))
        append(name, ".gauge");
}

static void take_counter(struct um_prometheus_counters *counters,
                         const struct um_wire_counter *told)
{
    bool changed;
    size_t place = um_own_counters_take(&counters->own, told, &changed);
    if (!changed)
        return;
    const struct um_own_counter *own = &counters->own.list[place];
    struct um_prometheus_counter *counter = &counters->list[place];
    bool adds = own->kind == UM_WIRE_COUNTER_INCREMENT;
    if (own->kind >= UM_WIRE_COUNTER_KINDS || adds != counter->adds)
        *counter = (struct um_prometheus_counter){.adds = adds};
    if (own->kind < UM_WIRE_COUNTER_KINDS) /* of others nobody knows what their values mean */
        make_name(own, adds, counter->name);
}

static void take_value(struct um_prometheus_counters *counters,
                       const struct um_wire_counter_value *told)
{
    size_t place = um_own_counters_place(&counters->own, told->number);
    if (place == UM_OWN_COUNTERS_NONE)
        return;
    struct um_prometheus_counter *counter = &counters->list[place];
    double value = um_double_bits_value(told->value);
    if (counter->adds && value < 0)
        return; /* a counter never falls */
    if (counter->adds)
        value += counter->value;
    if (!(fabs(value) <= DBL_MAX))
        return;
    counter->value = value;
    counter->known = true;
}

void um_prometheus_counters_take(struct um_prometheus_counters *counters,
                                 const struct um_wire_frame *frame)
{
    if (frame->type == UM_WIRE_COUNTER)
        take_counter(counters, &frame->as.counter);
    else if (frame->type == UM_WIRE_COUNTER_VALUE)
        take_value(counters, &frame->as.counter_value);
}

/* With a point in every locale. */
static void put_value(double value, FILE *out)
{
    char text[40];
    snprintf(text, sizeof text, "%.15g", value);
    for (char *at = text; *at; at++)
        if (*at == ',')
            *at = '.';
    fprintf(out, "%s\n", text);
}

/* Writes a text with a backslash before each of these characters. */
static void put_escaped(const char *text, const char *which, FILE *out)
{
    for (; *text; text++)
        fprintf(out, strchr(which, *text) ? "\\%c" : "%c", *text);
}

static void put_label(const char *name, const char *value, FILE *out)
{
    fprintf(out, ",%s=\"", name);
    put_escaped(value, "\"\\", out);
    fputc('"', out);
}

static void put_family(const struct um_prometheus_counter *counter, const char *help, FILE *out)
{
    fprintf(out, "# HELP %s ", counter->name);
    put_escaped(help, "\\", out);
    fprintf(out, "\n# TYPE %s %s\n", counter->name, counter->adds ? "counter" : "gauge");
}

static void put_sample(const struct um_prometheus_counters *counters, size_t place, bool shared,
                       const char *labels, FILE *out)
{
    const struct um_own_counter *own = &counters->own.list[place];
    fprintf(out, "%s{%s", counters->list[place].name, labels);
    if (shared)
        put_label("provider", own->provider, out);
    if (shared)
        put_label("counter", own->name, out);
    if (own->unit[0] != '\0')
        put_label("unit", own->unit, out);
    fputs("} ", out);
    put_value(counters->list[place].value, out);
}

/* The next counter from a place on whose metric has this name; the count of all if there is none.
 */
static size_t next_of(const struct um_prometheus_counters *counters, size_t place, const char *name)
{
    while (place < counters->own.count && strcmp(counters->list[place].name, name) != 0)
        place++;
    return place;
}

/* Writes the metric of a counter, with all that have its name. */
static void put_metric(const struct um_prometheus_counters *counters, size_t first,
                       const char *labels, FILE *out)
{
    size_t count = counters->own.count;
    const char *name = counters->list[first].name;
    bool shared = next_of(counters, first + 1, name) < count;
    bool begun = false;
    for (size_t i = first; i < count; i = next_of(counters, i + 1, name)) {
        if (!counters->list[i].known)
            continue;
        if (!begun)
            put_family(&counters->list[i],
                       shared ? "Several counters of the program." : counters->own.list[i].display,
                       out);
        begun = true;
        put_sample(counters, i, shared, labels, out);
    }
}

void um_prometheus_counters_write(const struct um_prometheus_counters *counters, const char *labels,
                                  FILE *out)
{
    for (size_t i = 0; i < counters->own.count; i++) {
        const char *name = counters->list[i].name;
        if (name[0] != '\0' && next_of(counters, 0, name) == i)
            put_metric(counters, i, labels, out);
    }
}
