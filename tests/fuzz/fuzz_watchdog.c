/* Bytes become frames, control sightings, ticks and detachments in any order and with any times.
 * Whatever comes, states add up, episodes begin and end once each, and none ends before it
 * starts. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/measure/watchdog.h"
#include "tests/fuzz/require.h"

#define EPISODES_MAX 65536
#define STEP_BYTES 12

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct check {
    uint32_t last_id;
    uint8_t ended[EPISODES_MAX];
};

static void check_episode(struct check *check, const struct um_wire_frame *frame)
{
    const struct um_wire_episode *episode = &frame->as.episode;
    require(episode->start_ns <= episode->end_ns);
    require(episode->state < UM_STATE_COUNT && episode->state != UM_STATE_RESPONSIVE);
    require(frame->flags & (UM_WIRE_EPISODE_BEGIN | UM_WIRE_EPISODE_END));
    if (frame->flags & UM_WIRE_EPISODE_BEGIN) {
        require(episode->id == check->last_id + 1);
        check->last_id = episode->id;
    }
    require(episode->id > 0 && episode->id <= check->last_id && episode->id < EPISODES_MAX);
    if (frame->flags & UM_WIRE_EPISODE_END) {
        require(!check->ended[episode->id]);
        check->ended[episode->id] = 1;
    }
}

static void publish(void *context, const struct um_wire_frame *frame)
{
    if (frame->type == UM_WIRE_EPISODE)
        check_episode(context, frame);
    if (frame->type == UM_WIRE_BEAT)
        require(frame->as.beat.sent_ns + frame->as.beat.latency_ns >= frame->as.beat.sent_ns);
}

static void command(void *context, const struct um_wire_frame *frame)
{
    (void)context;
    require(frame->type == UM_WIRE_ABANDON);
}

static void check_sums(const struct um_watchdog *watchdog, uint64_t now_ns)
{
    struct um_watchdog_view view;
    uint64_t sum_ns = 0;
    um_watchdog_view(watchdog, now_ns, &view);
    for (size_t i = 0; i < UM_STATE_COUNT; i++)
        sum_ns += view.state_ns[i];
    require(sum_ns == view.duration_ns);
    require(view.beats_sent - view.beats_seen - view.beats_lost <= 1);
    require(view.state < UM_STATE_COUNT);
}

/* Mostly times near now, sometimes any. */
static uint64_t near(uint64_t now_ns, uint16_t far, uint8_t kind)
{
    uint64_t step_ns = (uint64_t)far * 10000;
    if (kind & 0x80)
        return (kind & 0x40) ? UINT64_MAX - step_ns : step_ns;
    return now_ns > step_ns ? now_ns - step_ns : 0;
}

static void step(struct um_watchdog *watchdog, const uint8_t *bytes, uint64_t *now_ns)
{
    uint16_t forward, back;
    struct um_wire_frame frame;
    memset(&frame, 0, sizeof frame);
    memcpy(&forward, bytes + 1, sizeof forward);
    memcpy(&back, bytes + 3, sizeof back);
    *now_ns += (uint64_t)forward * (bytes[0] & 0x20 ? 100000 : 1000);
    if ((bytes[0] & 0x1f) == 0x1f)
        *now_ns += UINT64_C(1) << (bytes[5] % 64);
    uint64_t time_ns = near(*now_ns, back, bytes[6]);
    frame.type = bytes[0] % 11;
    frame.flags = bytes[7];
    switch (frame.type) {
    case 0:
        um_watchdog_control(watchdog, bytes[8] % 4, time_ns);
        return;
    case 9:
        um_watchdog_tick(watchdog, *now_ns);
        require(um_watchdog_deadline(watchdog, *now_ns) > 0);
        check_sums(watchdog, *now_ns);
        return;
    case UM_WIRE_COST:
        if (bytes[8] > 200)
            um_watchdog_detached(watchdog, *now_ns);
        else if (bytes[8] > 190)
            um_watchdog_set_period(watchdog, back, (uint64_t)back * (bytes[7] & 15));
        return;
    case UM_WIRE_DRAINED:
        frame.as.drained = (struct um_wire_drained){time_ns, bytes[8] > 250 ? bytes[9] : 0};
        break;
    case UM_WIRE_SENT:
    case UM_WIRE_SEEN:
        frame.as.sent = (struct um_wire_sent){.time_ns = time_ns,
                                              .seq = bytes[8] % 4,
                                              .rested_ns = time_ns - bytes[7] * 65536,
                                              .skipped = bytes[6] & 15};
        break;
    case 10:
        frame.type = UM_WIRE_ASKED;
        frame.as.asked =
            (struct um_wire_asked){time_ns, time_ns - bytes[9] * 1000000, bytes[8] % 4};
        break;
    case UM_WIRE_TAKEN:
        frame.as.taken = (struct um_wire_taken){
            .time_ns = time_ns, .hwnd = bytes[8], .message = bytes[9], .age_ms = bytes[10]};
        break;
    case UM_WIRE_PROBE:
        frame.as.probe = (struct um_wire_probe){.time_ns = time_ns,
                                                .probe = bytes[9] % 3,
                                                .status = bytes[8] % 4,
                                                .reason = bytes[10] % 5,
                                                .held = bytes[11] % UM_PROBE_HELD_COUNT};
        break;
    default:
        frame.as.bye.time_ns = time_ns;
        break;
    }
    um_watchdog_frame(watchdog, &frame, *now_ns);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct check check;
    struct um_watchdog watchdog;
    if (size < 2)
        return 0;
    memset(&check, 0, sizeof check);
    struct um_watchdog_options options = {.threshold_ns = UINT64_C(1000000) * (1 + data[0] % 128),
                                          .slow_ns = UINT64_C(1000000) * (data[1] % 64),
                                          .period_ns = UINT64_C(10000000),
                                          .control = data[0] & 0x80};
    struct um_watchdog_output output = {&check, publish, command};
    um_watchdog_init(&watchdog, &options, &output);
    uint64_t now_ns = UINT64_C(1000000000);
    for (size_t at = 2; at + STEP_BYTES <= size && check.last_id < EPISODES_MAX - 16;
         at += STEP_BYTES)
        step(&watchdog, data + at, &now_ns);
    check_sums(&watchdog, now_ns);
    um_watchdog_stop(&watchdog, now_ns);
    check_sums(&watchdog, now_ns);
    for (uint32_t id = 1; id <= check.last_id; id++)
        require(check.ended[id]);
    return 0;
}
