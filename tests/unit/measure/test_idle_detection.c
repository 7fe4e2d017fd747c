/* Frames as they come from the DLL, and beats as the watchdog would know them. Times are in ms. */
#include <string.h>

#include <criterion/criterion.h>

#include "monitor/measure/idle_detection.h"

#define MS UINT64_C(1000000)
#define START (UINT64_C(1000) * MS)
#define COMMAND 0x0111
#define TIMER 0x0113
#define MARKER 0x82f2
#define SLOW_MS 50

static struct um_idle_detection quiet;
static struct um_beats beats;
static uint32_t seq;

static uint64_t at(double ms)
{
    return START + (uint64_t)(ms * 1e6 + 0.5);
}

static void taken(double ms, uint32_t message, uint8_t flags)
{
    struct um_wire_frame frame = {.type = UM_WIRE_TAKEN, .flags = flags};
    frame.as.taken.time_ns = at(ms);
    frame.as.taken.message = message;
    um_idle_detection_frame(&quiet, &frame);
}

static void drained(double ms)
{
    struct um_wire_frame frame = {.type = UM_WIRE_DRAINED, .as.drained = {at(ms), 0}};
    um_idle_detection_frame(&quiet, &frame);
}

static void sent(double ms)
{
    struct um_wire_frame frame = {.type = UM_WIRE_SENT, .as.sent = {at(ms), ++seq}};
    beats.out = (struct um_beat){at(ms), seq};
    um_idle_detection_frame(&quiet, &frame);
}

/* `raw`: taken as a message, which the DLL reports before; else by WH_MOUSE alone. */
static void seen(double ms, bool raw)
{
    struct um_wire_frame frame = {.type = UM_WIRE_SEEN, .as.seen = {at(ms), seq}};
    if (raw)
        taken(ms, 0xff, UM_WIRE_TAKEN_OURS);
    beats.answered = beats.out;
    beats.out = (struct um_beat){0};
    um_idle_detection_frame(&quiet, &frame);
}

static void beat(double ms)
{
    sent(ms);
    seen(ms + 0.3, true);
}

static void look(enum um_state state, double waited_ms, double ms)
{
    struct um_watchdog_view view = {.state = (uint8_t)state,
                                    .waited_ns = (uint64_t)(waited_ms * 1e6)};
    um_idle_detection_tick(&quiet, &view, at(ms));
}

static void expect_since(double ms, const char *why)
{
    uint64_t since_ns = um_idle_detection_since_ns(&quiet);
    cr_expect_eq(since_ns, at(ms), "since %g ms: %s",
                 ((double)since_ns - (double)START) / (double)MS, why);
}

static void setup(void)
{
    memset(&beats, 0, sizeof beats);
    um_idle_detection_init(&quiet, SLOW_MS * MS, &beats);
    um_idle_detection_attached(&quiet, at(0));
}

TestSuite(idle_detection, .init = setup);

Test(idle_detection, is_not_known_before_a_beat_is_answered_in_this_attachment)
{
    sent(10);
    cr_expect_eq(um_idle_detection_since_ns(&quiet), 0);
    seen(10.3, true);
    expect_since(0, "attached");
    um_idle_detection_detached(&quiet);
    cr_expect_eq(um_idle_detection_since_ns(&quiet), 0);
    um_idle_detection_attached(&quiet, at(50));
    cr_expect_eq(um_idle_detection_since_ns(&quiet), 0);
    beat(60);
    expect_since(50, "attached again");
}

Test(idle_detection, ignores_what_a_target_at_rest_takes)
{
    static const uint32_t messages[] = {0x000f, 0x0113, 0x0118, 0x0200, 0x00a0};
    for (size_t i = 0; i < sizeof messages / sizeof messages[0]; i++)
        taken(10 + (double)i, messages[i], 0);
    taken(20, MARKER, UM_WIRE_TAKEN_OURS);
    beat(30);
    expect_since(0, "nothing was work");
}

Test(idle_detection, work_ends_when_anything_is_taken)
{
    taken(10, COMMAND, 0);
    taken(16, MARKER, UM_WIRE_TAKEN_OURS);
    beat(20);
    expect_since(16, "a marker");
    taken(30, COMMAND, 0);
    taken(37, TIMER, 0);
    beat(40);
    expect_since(37, "a timer");
}

Test(idle_detection, work_ends_when_a_beat_was_sent_that_is_taken_at_once)
{
    taken(10, COMMAND, 0);
    sent(18);
    seen(19, true);
    expect_since(18, "after 1 ms");
    taken(30, COMMAND, 0);
    sent(38);
    seen(39.1, true);
    expect_since(39.1, "over 1 ms is a wait");
}

Test(idle_detection, a_beat_that_was_seen_by_the_mouse_hook_alone_ends_work_too)
{
    taken(10, COMMAND, 0);
    sent(18);
    seen(18.5, false);
    expect_since(18, "taken at once");
}

Test(idle_detection, a_beat_that_was_sent_before_the_work_says_nothing_of_its_end)
{
    sent(9.9);
    taken(10, COMMAND, 0);
    seen(10.5, true);
    expect_since(10.5, "taken");
}

Test(idle_detection, work_goes_on_as_long_as_a_beat_waits)
{
    beat(5);
    taken(10, COMMAND, 0);
    drained(15);
    expect_since(10, "no beat waits");
    sent(18);
    drained(19);
    expect_since(10, "the beat may be on its way");
    drained(25);
    expect_since(25, "the beat waits");
}

Test(idle_detection, a_beat_that_the_watchdog_gave_up_does_not_wait)
{
    beat(5);
    taken(10, COMMAND, 0);
    sent(18);
    beats.out = (struct um_beat){0};
    drained(25);
    expect_since(10, "no beat is outstanding");
}

Test(idle_detection, a_slow_beat_is_work_that_was_not_seen)
{
    struct um_wire_frame slow = {.type = UM_WIRE_BEAT};
    beat(5);
    slow.as.beat = (struct um_wire_beat){at(10), SLOW_MS * MS - 1, 1};
    um_idle_detection_frame(&quiet, &slow);
    expect_since(0, "not slow");
    slow.as.beat.latency_ns = SLOW_MS * MS;
    um_idle_detection_frame(&quiet, &slow);
    expect_since(60, "slow");
    look(UM_STATE_RESPONSIVE, SLOW_MS - 1, 200);
    expect_since(60, "not slow yet");
    look(UM_STATE_SLOW, SLOW_MS, 210);
    expect_since(210, "slow already");
}

Test(idle_detection, what_is_suspended_or_blind_is_not_quiet)
{
    beat(5);
    look(UM_STATE_RESPONSIVE, 0, 100);
    look(UM_STATE_IDLE, 0, 110);
    expect_since(0, "it is seen");
    look(UM_STATE_SUSPENDED, 0, 120);
    expect_since(120, "suspended");
    look(UM_STATE_BLIND, 0, 130);
    expect_since(130, "blind");
}

Test(idle_detection, knows_since_when_it_has_seen_all)
{
    cr_expect_eq(um_idle_detection_seen_ns(&quiet), 0, "nothing was answered");
    beat(5);
    look(UM_STATE_SLOW, SLOW_MS, 80);
    taken(100, COMMAND, 0);
    beat(110);
    cr_expect_eq(um_idle_detection_seen_ns(&quiet), at(0), "work is seen");
    look(UM_STATE_SUSPENDED, 0, 120);
    cr_expect_eq(um_idle_detection_seen_ns(&quiet), at(120), "suspended");
    look(UM_STATE_BLIND, 0, 130);
    look(UM_STATE_RESPONSIVE, 0, 140);
    cr_expect_eq(um_idle_detection_seen_ns(&quiet), at(130), "blind");
    um_idle_detection_detached(&quiet);
    cr_expect_eq(um_idle_detection_seen_ns(&quiet), 0, "detached");
    um_idle_detection_attached(&quiet, at(150));
    beat(160);
    cr_expect_eq(um_idle_detection_seen_ns(&quiet), at(150), "attached again");
}
