/* A feed, made up second by second, for tests of what keeps the last of it. Each tenth of a second
 * has a BEAT of 0.3 ms and a STATUS, each second a TOTALS. The stacks of freezes are told of with
 * modules, nodes and names that came in the first second. Header-only.
 */
#ifndef UM_TESTS_FLOWN_H
#define UM_TESTS_FLOWN_H

#include <string.h>

#include "base/plain/clock.h"
#include "ipc/names.h"
#include "ipc/wire.h"
#include "monitor/profile/samples.h"

#define FLOWN_START_NS (UINT64_C(5000) * UM_CLOCK_NS_PER_S)
#define FLOWN_UTC_MS INT64_C(1795000000000)
#define FLOWN_MS UM_CLOCK_NS_PER_MS
#define FLOWN_NODE UM_WIRE_FIRST_NODE /* of the only function, "parse" */

struct flown {
    void (*put)(const struct um_wire_frame *frame);
    uint64_t now_ns;
    uint32_t freeze; /* the last one's id */
    bool lasts;
    uint64_t frozen_ns; /* of all that are over */
    uint64_t since_ns;  /* when the one that lasts began */
    struct um_wire_totals totals;
    struct um_wire_status status;
};

static inline uint64_t flown_key(void)
{
    return um_samples_key(0, 0x1010);
}

static inline void flown_profile(struct flown *flown)
{
    struct um_wire_frame frame = {.type = UM_WIRE_MODULE, .as.module = {.number = 0}};
    strcpy(frame.as.module.path, "C:\\work\\app.exe");
    flown->put(&frame);
    memset(&frame, 0, sizeof frame);
    frame.type = UM_WIRE_NODES;
    frame.as.nodes =
        (struct um_wire_nodes){.first = UM_WIRE_FIRST_NODE, .count = 1, .list = {{0, flown_key()}}};
    flown->put(&frame);
    memset(&frame, 0, sizeof frame);
    frame.type = UM_WIRE_NAME;
    frame.as.name = (struct um_wire_name){.key = flown_key(), .displacement = 0x10, .line = 7};
    frame.as.name.kind = UM_NAMES_DEBUG;
    strcpy(frame.as.name.name, "parse");
    flown->put(&frame);
}

static inline void flown_begin(struct flown *flown, void (*put)(const struct um_wire_frame *frame))
{
    struct um_wire_frame frame = {.type = UM_WIRE_SESSION};
    struct um_wire_session *as = &frame.as.session;
    memset(flown, 0, sizeof *flown);
    flown->put = put;
    flown->now_ns = FLOWN_START_NS;
    flown->status.state = UM_STATE_RESPONSIVE;
    as->start_ns = FLOWN_START_NS;
    as->utc_ms = FLOWN_UTC_MS;
    as->pid = 42;
    as->period_us = 10000;
    as->threshold_us = 100000;
    as->slow_us = 50000;
    as->bits = 64;
    as->probe = UM_PROBE_RAW;
    strcpy(as->name, "app.exe");
    put(&frame);
    frame = (struct um_wire_frame){.type = UM_WIRE_PACE, .as.pace = {.rest_us = 100000}};
    put(&frame);
    flown_profile(flown);
}

static inline void flown_totals(struct flown *flown)
{
    struct um_wire_frame frame = {.type = UM_WIRE_TOTALS};
    struct um_wire_totals *totals = &flown->totals;
    uint64_t frozen_ns = flown->frozen_ns + (flown->lasts ? flown->now_ns - flown->since_ns : 0);
    totals->time_ns = flown->now_ns;
    totals->duration_ns = flown->now_ns - FLOWN_START_NS;
    totals->state_ns[UM_STATE_FROZEN] = frozen_ns;
    totals->state_ns[UM_STATE_RESPONSIVE] = totals->duration_ns - frozen_ns;
    frame.as.totals = *totals;
    flown->put(&frame);
}

static inline void flown_status(struct flown *flown)
{
    struct um_wire_frame frame = {.type = UM_WIRE_STATUS};
    flown->status.time_ns = flown->now_ns;
    flown->status.slice_start_ns = flown->now_ns - 100 * FLOWN_MS;
    flown->status.state = flown->lasts ? UM_STATE_FROZEN : UM_STATE_RESPONSIVE;
    frame.as.status = flown->status;
    if (flown->status.freezes > 0)
        frame.flags = UM_WIRE_STATUS_HAS_LAST_FREEZE;
    flown->put(&frame);
}

static inline void flown_sample(struct flown *flown)
{
    struct um_wire_frame frame = {.type = UM_WIRE_SAMPLE,
                                  .as.sample = {.time_ns = flown->now_ns,
                                                .thread = 11,
                                                .node = FLOWN_NODE,
                                                .wall_us = 100000,
                                                .absence = flown->freeze}};
    flown->put(&frame);
}

/* Time goes by: of a multiple of 100 ms. In a freeze there is a sample in place of each beat. */
static inline void flown_for(struct flown *flown, uint64_t ms)
{
    for (uint64_t i = 0; i < ms / 100; i++) {
        struct um_wire_frame frame = {.type = UM_WIRE_BEAT};
        frame.as.beat.sent_ns = flown->now_ns;
        frame.as.beat.latency_ns = 3 * FLOWN_MS / 10;
        flown->now_ns += 100 * FLOWN_MS;
        if (flown->lasts) {
            flown_sample(flown);
        } else {
            flown->put(&frame);
            flown->totals.beats_sent++;
            flown->totals.beats_seen++;
        }
        flown_status(flown);
        if ((flown->now_ns - FLOWN_START_NS) % UM_CLOCK_NS_PER_S == 0)
            flown_totals(flown);
    }
}

static inline void flown_episode(struct flown *flown, uint8_t flags)
{
    struct um_wire_frame frame = {.type = UM_WIRE_EPISODE, .flags = flags};
    frame.as.episode.id = flown->freeze;
    frame.as.episode.state = UM_STATE_FROZEN;
    frame.as.episode.start_ns = flown->since_ns;
    frame.as.episode.end_ns = flown->now_ns;
    frame.as.episode.peak_ns = flown->now_ns - flown->since_ns;
    flown->put(&frame);
}

/* A freeze begins now, and is told of 100 ms later, as in a session. */
static inline void flown_freeze(struct flown *flown)
{
    flown->since_ns = flown->now_ns;
    flown->freeze++;
    flown->lasts = true;
    flown->now_ns += 100 * FLOWN_MS;
    flown_episode(flown, UM_WIRE_EPISODE_BEGIN);
    flown_status(flown);
    if ((flown->now_ns - FLOWN_START_NS) % UM_CLOCK_NS_PER_S == 0)
        flown_totals(flown);
}

/* It ends now. */
static inline void flown_thaw(struct flown *flown)
{
    uint64_t length_ns = flown->now_ns - flown->since_ns;
    flown->lasts = false;
    flown->frozen_ns += length_ns;
    flown->status.freezes++;
    flown->status.freeze_total_ns += length_ns;
    flown->status.over_100++;
    flown->status.last_freeze_ns = length_ns;
    flown_episode(flown, UM_WIRE_EPISODE_END);
    flown_status(flown);
}

/* The stack of the last freeze. */
static inline void flown_stack(struct flown *flown)
{
    struct um_wire_frame frame = {.type = UM_WIRE_STACK};
    frame.as.stack = (struct um_wire_stack){
        .freeze = flown->freeze, .samples = 9, .alike = 9, .frames = {"parse"}};
    flown->put(&frame);
}

/* Messages before the freeze that lasts. */
static inline void flown_messages(struct flown *flown, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct um_wire_frame frame = {.type = UM_WIRE_RETRIEVED};
        bool last = i + 1 == count;
        frame.flags = last ? UM_WIRE_RETRIEVED_LAST : 0;
        frame.as.retrieved.time_ns = flown->since_ns - (count - 1 - i) * FLOWN_MS;
        frame.as.retrieved.length_ns = last ? flown->now_ns - flown->since_ns : FLOWN_MS / 2;
        frame.as.retrieved.message = last ? 0x202 : 0x113;
        frame.as.retrieved.hwnd = 0x20042;
        frame.as.retrieved.freeze = flown->freeze;
        strcpy(frame.as.retrieved.window_class, "Button");
        flown->put(&frame);
    }
}

#endif
