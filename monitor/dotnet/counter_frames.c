#include "monitor/dotnet/counter_frames.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain/clock.h"
#include "base/double_bits.h"
#include "base/ns.h"
#include "base/utf8.h"

#define INTERVAL_MAX_S 1e9

/* A counter; its number is its index. */
struct known {
    struct um_wire_counter published; /* the last COUNTER */
    uint32_t series_ms;               /* the interval of the values that are taken */
    uint64_t now_ns; /* when the last one of them came, or when waiting for the first one began */
};

struct um_counter_frames {
    uint32_t series_ms;
    size_t count;
    bool full;
    struct known known[UM_WIRE_COUNTERS];
};

enum um_status um_counter_frames_open(uint32_t series_ms, struct um_counter_frames **frames)
{
    struct um_counter_frames *made = calloc(1, sizeof *made);
    if (!made)
        return UM_ERR_MEMORY;
    made->series_ms = series_ms;
    *frames = made;
    return UM_OK;
}

static void clean(const char *text, char *field)
{
    (void)um_utf8_fit(text, UM_WIRE_COUNTER_TEXT_BYTES, field, UM_WIRE_COUNTER_TEXT_BYTES);
}

static void describe(const struct um_nettrace_counter *counter, struct um_wire_counter *wire)
{
    *wire = (struct um_wire_counter){.kind = counter->is_increment ? UM_WIRE_COUNTER_INCREMENT
                                                                   : UM_WIRE_COUNTER_MEAN};
    clean(counter->provider, wire->provider);
    clean(counter->name, wire->name);
    clean(counter->display, wire->display);
    clean(counter->unit, wire->unit);
}

/* Finds or adds a counter; NULL: there is no room. */
static struct known *find(struct um_counter_frames *frames, const struct um_wire_counter *wire,
                          uint64_t now_ns)
{
    for (size_t i = 0; i < frames->count; i++)
        if (strcmp(frames->known[i].published.name, wire->name) == 0 &&
            strcmp(frames->known[i].published.provider, wire->provider) == 0)
            return &frames->known[i];
    if (frames->count == UM_WIRE_COUNTERS) {
        frames->full = true;
        return NULL;
    }
    struct known *known = &frames->known[frames->count++];
    *known = (struct known){.series_ms = frames->series_ms, .now_ns = now_ns};
    return known;
}

/* The runtime rounds: if 0.7 s were asked for, it may report 699 ms. */
static bool is_series(uint32_t a_ms, uint32_t b_ms)
{
    return a_ms == b_ms || a_ms + 1 == b_ms || b_ms + 1 == a_ms;
}

/* Whether a value is of the interval that is taken. If no value of that interval has come for more
 * than twice its length, the interval of this value is taken from now on. */
static bool is_wanted(struct known *known, uint32_t series_ms, uint64_t now_ns)
{
    uint64_t patience_ns = 5 * (known->series_ms * UM_CLOCK_NS_PER_MS) / 2;
    if (series_ms && !is_series(series_ms, known->series_ms) &&
        um_ns_elapsed(known->now_ns, now_ns) < patience_ns)
        return false;
    if (series_ms)
        known->series_ms = series_ms;
    known->now_ns = now_ns;
    return true;
}

static bool is_same(const struct um_wire_counter *a, const struct um_wire_counter *b)
{
    return a->kind == b->kind && strcmp(a->display, b->display) == 0 &&
           strcmp(a->unit, b->unit) == 0 && strcmp(a->name, b->name) == 0;
}

static void make_value(const struct um_nettrace_counter *counter, uint32_t number, uint64_t now_ns,
                       struct um_wire_frame *frame)
{
    struct um_wire_counter_value *value = &frame->as.counter_value;
    double interval_s = fmin(fmax(counter->interval_s, 0), INTERVAL_MAX_S);
    frame->type = UM_WIRE_COUNTER_VALUE;
    *value = (struct um_wire_counter_value){
        .time_ns = um_ns_min(counter->time_ns, now_ns),
        .interval_ns = (uint64_t)(interval_s * (double)UM_CLOCK_NS_PER_S),
        .value = um_double_bits_of(counter->value),
        .number = number,
    };
    if (counter->is_increment)
        return;
    value->count = counter->count;
    value->min = um_double_bits_of(counter->min);
    value->max = um_double_bits_of(counter->max);
}

size_t um_counter_frames_take(struct um_counter_frames *frames,
                              const struct um_nettrace_counter *counter, uint64_t now_ns,
                              struct um_wire_frame made[2])
{
    struct um_wire_counter wire;
    size_t count = 0;

    describe(counter, &wire);
    if (wire.name[0] == '\0')
        return 0;
    struct known *known = find(frames, &wire, now_ns);
    if (!known || !is_wanted(known, counter->series_ms, now_ns) || !counter->measured)
        return 0;
    wire.number = (uint32_t)(known - frames->known);
    if (!is_same(&known->published, &wire)) {
        made[count] = (struct um_wire_frame){.type = UM_WIRE_COUNTER};
        made[count++].as.counter = wire;
    }
    known->published = wire;
    made[count] = (struct um_wire_frame){0};
    make_value(counter, wire.number, now_ns, &made[count++]);
    return count;
}

bool um_counter_frames_full(const struct um_counter_frames *frames)
{
    return frames->full;
}

void um_counter_frames_close(struct um_counter_frames *frames)
{
    free(frames);
}
