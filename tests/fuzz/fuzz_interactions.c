/* Bytes become arrivals, frames of the DLL, episodes, settlements and detachments in any order and
 * with any times. Whatever comes: times that were observed are in order, ids rise by one, no more
 * is told than was dequeued, and nothing is left at the end. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/measure/interactions.h"
#include "tests/fuzz/require.h"

#define STEP_BYTES 10

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct check {
    struct um_beats beats; /* as a watchdog may know them, which is not always what frames say */
    uint32_t told;
    uint32_t started;
};

static void publish(void *context, const struct um_wire_frame *frame)
{
    struct check *check = context;
    const struct um_wire_interaction *said = &frame->as.interaction;
    require(frame->type == UM_WIRE_INTERACTION);
    require(said->id == ++check->told);
    require(said->kind < UM_INTERACTION_COUNT);
    require(said->arrival_ns <= said->dequeued_ns);
    require(said->handled_ns == 0 || said->handled_ns >= said->dequeued_ns);
    require(said->painted_ns == 0 || (said->handled_ns && said->painted_ns >= said->handled_ns));
    require(!(frame->flags & UM_WIRE_INTERACTION_RELEASE) || said->kind == UM_INTERACTION_CLICK);
}

static const uint32_t messages[] = {0x0100, 0x0101, 0x0102, 0x0201, 0x0202, 0x0204, 0x0205, 0x020a,
                                    0x000f, 0x0113, 0x00a1, 0x00a2, 0x0200, 0x0104, 0x82f2, 0x0400};

static void take(struct um_interactions *interactions, struct check *check, const uint8_t *bytes,
                 uint64_t time_ns, uint64_t now_ns)
{
    struct um_wire_frame frame = {.type = UM_WIRE_TAKEN, .flags = bytes[6] & 31};
    frame.as.taken = (struct um_wire_taken){.time_ns = time_ns,
                                            .message = messages[bytes[5] % 16],
                                            .age_ms = bytes[7] == 255 ? UM_WIRE_AGE_UNKNOWN
                                                                      : (uint32_t)bytes[7] * 4,
                                            .key = bytes[8] & 3,
                                            .own_ms = bytes[7] & 15};
    check->started += frame.flags & (UM_WIRE_TAKEN_STARTS | UM_WIRE_TAKEN_RELEASE) ? 1 : 0;
    um_interactions_frame(interactions, &frame, now_ns);
}

static void step(struct um_interactions *interactions, struct check *check, const uint8_t *bytes,
                 uint64_t *now_ns)
{
    uint16_t forward, back;
    struct um_wire_frame frame;
    memset(&frame, 0, sizeof frame);
    memcpy(&forward, bytes + 1, sizeof forward);
    memcpy(&back, bytes + 3, sizeof back);
    *now_ns += (uint64_t)forward * (bytes[0] & 0x80 ? 100000 : 1000);
    uint64_t time_ns = bytes[9] == 255
                           ? (uint64_t)back << (bytes[8] % 64)
                           : *now_ns - (uint64_t)back * (bytes[0] & 0x40 ? 100000 : 1000);
    struct um_arrival arrival = {.time_ns = time_ns,
                                 .own_ms = bytes[7] & 15,
                                 .key = bytes[8] & 3,
                                 .kind = bytes[5] % 4,
                                 .release = bytes[6] & 1};
    switch (bytes[0] % 10) {
    case 0:
    case 1:
        um_interactions_arrived(interactions, &arrival);
        return;
    case 2:
    case 3:
        take(interactions, check, bytes, time_ns, *now_ns);
        return;
    case 4:
        frame.type = UM_WIRE_DRAINED;
        frame.as.drained = (struct um_wire_drained){time_ns, bytes[8] > 240 ? bytes[7] : 0};
        break;
    case 5:
        frame.type = UM_WIRE_SENT;
        frame.as.sent = (struct um_wire_sent){.time_ns = time_ns, .seq = bytes[8] & 3};
        check->beats.out = (struct um_beat){bytes[7] & 1 ? time_ns : 0, bytes[8] & 3};
        break;
    case 6:
        frame.type = UM_WIRE_SEEN;
        frame.flags = bytes[6] & 7;
        frame.as.seen = (struct um_wire_seen){time_ns, bytes[8] & 3};
        check->beats.answered = check->beats.out;
        check->beats.out.sent_ns = bytes[7] & 1 ? check->beats.out.sent_ns : 0;
        break;
    case 7:
        frame.type = UM_WIRE_EPISODE;
        frame.flags = bytes[6] & 31;
        frame.as.episode.id = bytes[8];
        frame.as.episode.state = bytes[5] % UM_STATE_COUNT;
        frame.as.episode.start_ns = time_ns;
        frame.as.episode.end_ns = bytes[7] & 1 ? time_ns : *now_ns;
        um_interactions_episode(interactions, &frame);
        return;
    case 8:
        um_interactions_settle(interactions, *now_ns);
        return;
    default:
        frame.type = UM_WIRE_HELLO;
        if (bytes[8] > 200)
            um_interactions_detached(interactions);
        break;
    }
    um_interactions_frame(interactions, &frame, *now_ns);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct um_interactions interactions;
    struct check check = {0};
    struct um_interactions_output output = {&check, publish};
    uint64_t now_ns = UINT64_C(10000000000);
    um_interactions_init(&interactions, &check.beats, &output);
    for (size_t at = 0; at + STEP_BYTES <= size; at += STEP_BYTES)
        step(&interactions, &check, data + at, &now_ns);
    um_interactions_stop(&interactions);
    require(check.told <= check.started);
    uint32_t told = check.told;
    um_interactions_stop(&interactions);
    require(check.told == told);
    return 0;
}
