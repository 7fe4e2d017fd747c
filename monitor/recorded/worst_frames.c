#include "monitor/recorded/worst_frames.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/ns.h"
#include "base/plain/clock.h"

#define STRETCHES UM_WORST_FRAMES_STRETCHES
#define FIRST_LENGTH_NS (100 * UM_CLOCK_NS_PER_MS) /* one LAYOUT_METERS */

/* Makes one stretch of two, everywhere. */
static void halve(struct um_worst_frames *frames)
{
    size_t components = frames->room / STRETCHES;
    for (size_t i = 0; i < components; i++) {
        uint32_t *us = frames->us + i * STRETCHES;
        for (size_t to = 0; to < STRETCHES / 2; to++)
            us[to] = us[2 * to] > us[2 * to + 1] ? us[2 * to] : us[2 * to + 1];
        memset(us + STRETCHES / 2, 0, STRETCHES / 2 * sizeof us[0]);
    }
    frames->length_ns *= 2;
    frames->count = (frames->count + 1) / 2;
}

/* The stretch that a time lies in, with its end. */
static size_t stretch_of(struct um_worst_frames *frames, uint64_t since_ns)
{
    if (frames->length_ns == 0)
        frames->length_ns = FIRST_LENGTH_NS;
    uint64_t before_ns = since_ns > 0 ? since_ns - 1 : 0;
    while (before_ns / frames->length_ns >= STRETCHES)
        halve(frames);
    uint32_t stretch = (uint32_t)(before_ns / frames->length_ns);
    if (frames->count <= stretch)
        frames->count = stretch + 1;
    return stretch;
}

enum um_status um_worst_frames_take(struct um_worst_frames *frames, uint64_t start_ns,
                                    const struct um_wire_layout_meters *meters)
{
    size_t stretch = stretch_of(frames, um_ns_elapsed(start_ns, meters->time_ns));
    for (size_t i = 0; i < meters->count; i++) {
        const struct um_wire_layout_meter *meter = &meters->list[i];
        if (!um_list_reserve(&frames->us, &frames->room, (meter->id + (size_t)1) * STRETCHES,
                             (size_t)UM_WIRE_LAYOUT_COMPONENTS * STRETCHES, sizeof frames->us[0]))
            return UM_ERR_MEMORY;
        uint64_t us = um_ns_sum(meter->worst_ns, UM_CLOCK_NS_PER_US - 1) / UM_CLOCK_NS_PER_US;
        uint32_t *worst = &frames->us[meter->id * (size_t)STRETCHES + stretch];
        if (*worst < us)
            *worst = us < UINT32_MAX ? (uint32_t)us : UINT32_MAX;
    }
    return UM_OK;
}

const uint32_t *um_worst_frames_of(const struct um_worst_frames *frames, uint32_t id)
{
    size_t at = id * (size_t)STRETCHES;
    return at + STRETCHES <= frames->room ? frames->us + at : NULL;
}

void um_worst_frames_deinit(struct um_worst_frames *frames)
{
    free(frames->us);
    memset(frames, 0, sizeof *frames);
}
