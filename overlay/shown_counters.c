#include "overlay/shown_counters.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/double_bits.h"
#include "base/ns.h"
#include "base/plain/clock.h"
#include "base/utf8.h"

#define LABEL_COLUMNS 26
#define UNIT_COLUMNS 10
#define FRESH_LEAST_NS (5 * UM_CLOCK_NS_PER_S) /* where the interval is not known, and at least */

void um_shown_counters_deinit(struct um_shown_counters *counters)
{
    um_own_counters_deinit(&counters->own);
}

static void forget(struct um_shown_counters *counters)
{
    um_own_counters_deinit(&counters->own);
    memset(counters->values, 0, sizeof counters->values);
}

static void take_value(struct um_shown_counters *counters, const struct um_wire_counter_value *told,
                       uint64_t now_ns)
{
    size_t place = um_own_counters_place(&counters->own, told->number);
    double value = um_double_bits_value(told->value);
    if (place == UM_OWN_COUNTERS_NONE)
        return;
    bool adds = counters->own.list[place].kind == UM_WIRE_COUNTER_INCREMENT;
    if (adds)
        value /= (double)told->interval_ns / (double)UM_CLOCK_NS_PER_S;
    uint64_t fresh_ns =
        um_ns_max(FRESH_LEAST_NS, um_ns_min(told->interval_ns, 60 * UM_CLOCK_NS_PER_S) / 2 * 5);
    counters->values[place] = (struct um_shown_counters_value){
        .known = fabs(value) <= DBL_MAX, .value = value, .until_ns = um_ns_sum(now_ns, fresh_ns)};
}

void um_shown_counters_frame(struct um_shown_counters *counters, const struct um_wire_frame *frame,
                             uint64_t now_ns)
{
    bool changed;
    if (counters->rows->counter_count == 0)
        return;
    if (frame->type == UM_WIRE_SESSION && frame->flags & UM_WIRE_SESSION_ANEW) {
        forget(counters);
    } else if (frame->type == UM_WIRE_COUNTER) {
        size_t place = um_own_counters_take(&counters->own, &frame->as.counter, &changed);
        if (changed)
            counters->values[place].known = false;
    } else if (frame->type == UM_WIRE_COUNTER_VALUE) {
        take_value(counters, &frame->as.counter_value, now_ns);
    }
}

/* "12.3", "4.61 M". */
static void format_amount(double value, char *text, size_t cap_bytes)
{
    static const char *const names[] = {"", " k", " M", " G", " T"};
    size_t at = 0;
    while (fabs(value) >= (at == 0 ? 99999.5 : 999.5) && at + 1 < sizeof names / sizeof names[0]) {
        value /= 1000;
        at++;
    }
    double size = fabs(value);
    bool is_whole = size < 1e5 && value == floor(value);
    (void)snprintf(text, cap_bytes,
                   is_whole && at == 0 ? "%.0f%s"
                   : size < 9.995      ? "%.2f%s"
                   : size < 99.95      ? "%.1f%s"
                   : size < 1e6        ? "%.0f%s"
                                       : "%.3g%s",
                   value, names[at]);
}

static void show(const struct um_own_counter *own, const struct um_shown_counters_value *value,
                 struct um_model_counter *shown)
{
    char amount[32], unit[64];
    bool adds = own->kind == UM_WIRE_COUNTER_INCREMENT;
    (void)um_utf8_fit(um_own_counters_label(own), LABEL_COLUMNS, shown->label, sizeof shown->label);
    if (!value)
        return;
    (void)um_utf8_fit(own->unit, UNIT_COLUMNS, unit, sizeof unit);
    format_amount(value->value, amount, sizeof amount);
    (void)snprintf(shown->number, sizeof shown->number, "%s%s%s%s", amount,
                   unit[0] != '\0' ? " " : "", unit, adds ? "/s" : "");
}

/* Whether a name of the list is that of a counter: "PROVIDER/NAME". */
static bool is_named(const struct um_own_counter *own, const char *name)
{
    size_t len = strlen(own->provider);
    return strncmp(name, own->provider, len) == 0 && name[len] == '/' &&
           strcmp(name + len + 1, own->name) == 0;
}

void um_shown_counters_view(const struct um_shown_counters *counters, uint64_t now_ns,
                            struct um_model_view *view)
{
    memset(view->counters, 0, sizeof view->counters);
    for (int i = 0; i < counters->rows->counter_count; i++) {
        const char *name = counters->rows->counters[i];
        size_t place = 0;
        while (place < counters->own.count && !is_named(&counters->own.list[place], name))
            place++;
        const struct um_shown_counters_value *value = &counters->values[place % UM_WIRE_COUNTERS];
        if (place < counters->own.count)
            show(&counters->own.list[place],
                 value->known && now_ns < value->until_ns ? value : NULL, &view->counters[i]);
        else
            (void)um_utf8_fit(strchr(name, '/') + 1, LABEL_COLUMNS, view->counters[i].label,
                              sizeof view->counters[i].label);
    }
}
