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

static void make_name(const struct um_wire_counter *told, bool adds, char *name)
{
    snprintf(name, UM_PROMETHEUS_COUNTERS_NAME_BYTES, "uimon_target_");
    append(name, told->provider);
    append(name, ".");
    append(name, told->name);
    append(name, adds ? ".total" : "");
    if (name[strlen(name) - 1] == '_')
        name[strlen(name) - 1] = '\0';
}

/* A label's value: quotes and backslashes are escaped. */
static void make_label(const char *text, char *label, size_t cap)
{
    size_t len = 0;
    for (const char *at = text; *at && len + 2 < cap; at++) {
        if (*at == '"' || *at == '\\')
            label[len++] = '\\';
        label[len++] = *at;
    }
    label[len] = '\0';
}

/* The metric of that name, which is made if there is none; NULL if there is no room for it. */
static struct um_prometheus_counter *find(struct um_prometheus_counters *counters, const char *name,
                                          bool adds)
{
    size_t at = 0;
    while (at < counters->count && strcmp(counters->list[at].name, name) != 0)
        at++;
    if (at == UM_WIRE_COUNTERS)
        return NULL;
    if (at == counters->count) {
        counters->count++;
        memcpy(counters->list[at].name, name, UM_PROMETHEUS_COUNTERS_NAME_BYTES);
        counters->list[at].adds = adds;
    }
    return &counters->list[at];
}

static void take_counter(struct um_prometheus_counters *counters,
                         const struct um_wire_counter *told)
{
    char name[UM_PROMETHEUS_COUNTERS_NAME_BYTES];
    bool changed;
    size_t place = um_own_counters_take(&counters->own, told, &changed);
    if (!changed || counters->own.list[place].kind >= UM_WIRE_COUNTER_KINDS)
        return; /* nothing new, or of a later version: nobody knows what its values mean */
    const struct um_own_counter *own = &counters->own.list[place];
    bool adds = own->kind == UM_WIRE_COUNTER_INCREMENT;
    make_name(told, adds, name);
    struct um_prometheus_counter *counter = find(counters, name, adds);
    counters->metrics[place] = counter;
    if (!counter)
        return;
    memcpy(counter->help, own->display, sizeof counter->help);
    make_label(own->unit, counter->unit, sizeof counter->unit);
}

static void take_value(struct um_prometheus_counters *counters,
                       const struct um_wire_counter_value *told)
{
    size_t place = um_own_counters_place(&counters->own, told->number);
    struct um_prometheus_counter *counter =
        place != UM_OWN_COUNTERS_NONE ? counters->metrics[place] : NULL;
    if (!counter)
        return;
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

/* A backslash in a help text begins an escape. */
static void put_help(const struct um_prometheus_counter *counter, FILE *out)
{
    fprintf(out, "# HELP %s ", counter->name);
    for (const char *at = counter->help; *at; at++)
        fprintf(out, *at == '\\' ? "\\\\" : "%c", *at);
    fprintf(out, "\n# TYPE %s %s\n", counter->name, counter->adds ? "counter" : "gauge");
}

void um_prometheus_counters_write(const struct um_prometheus_counters *counters, const char *labels,
                                  FILE *out)
{
    for (size_t i = 0; i < counters->count; i++) {
        const struct um_prometheus_counter *counter = &counters->list[i];
        if (!counter->known)
            continue;
        put_help(counter, out);
        fprintf(out, "%s{%s", counter->name, labels);
        if (counter->unit[0] != '\0')
            fprintf(out, ",unit=\"%s\"", counter->unit);
        fputs("} ", out);
        put_value(counter->value, out);
    }
}
