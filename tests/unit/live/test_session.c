/* The session's own decisions; what is an episode is the watchdog's, tested there. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "base/plain/clock.h"
#include "base/plain/text.h"
#include "monitor/feed/frame_queue.h"
#include "monitor/writers/csv_writer.h"
#include "ipc/frame_reader.h"
#include "monitor/feed/hub.h"
#include "monitor/live/session.h"
#include "tests/conformance/transport_memory.h"

#define MS UM_CLOCK_NS_PER_MS
#define START_NS (1000 * UM_CLOCK_NS_PER_S)
#define WAIT_MS 60000 /* only a hang gets there */
#define MAX_COMMANDS 64
#define MAX_PUBLISHED 2048

static struct um_options options;
static struct um_session *session;
static struct um_hub *hub;
static struct um_csv_writer *csv;
static struct um_wire_frame commands[MAX_COMMANDS];
static size_t command_count;
static struct um_wire_frame *published; /* MAX_PUBLISHED; BEAT and STATUS left out */
static size_t published_count;
static uint64_t now_ns;
static uint32_t seq;
static bool has_control;

static void on_command(void *context, const struct um_wire_frame *command)
{
    (void)context;
    cr_assert_lt(command_count, MAX_COMMANDS);
    commands[command_count++] = *command;
}

static bool window_class(void *context, uint64_t hwnd, char *buf, size_t cap_bytes)
{
    (void)context;
    um_text_set(buf, cap_bytes, "Edit");
    return hwnd == 5;
}

static unsigned names_asked;

static bool message_name(void *context, uint32_t message, char *buf, size_t cap_bytes)
{
    (void)context;
    cr_expect(message >= 0xc000 && message <= 0xffff, "asked for 0x%x", message);
    names_asked++;
    um_text_set(buf, cap_bytes, "Dispatcher\x1b[2JQueue");
    return message == 0xc02c;
}

static void on_publish(void *context, struct um_feed_item *item)
{
    const struct um_wire_frame *frame = item->frame;
    (void)context;
    if (frame->type == UM_WIRE_BEAT || frame->type == UM_WIRE_STATUS)
        return;
    cr_assert_lt(published_count, MAX_PUBLISHED);
    if (!published)
        cr_assert_not_null(published = calloc(MAX_PUBLISHED, sizeof *published));
    published[published_count++] = *frame;
}

/* One percent of a processor, after a search for the target that has cost more than the session. */
static void own_cost(void *context, uint64_t *monitor_ns, uint64_t *overlay_ns)
{
    (void)context;
    *monitor_ns = 9000 * MS + (now_ns - START_NS) / 100;
    *overlay_ns = 34 * MS;
}

static bool has_stacks; /* the session is opened with a sampler */

static size_t freezes_told;

/* The stack of a freeze, as if its names were there at once. */
static void freeze_ended(void *context, const struct um_wire_frame *episode)
{
    struct um_wire_frame stack = {.type = UM_WIRE_STACK,
                                  .as.stack = {.samples = 24, .alike = 20, .frames = {"parse"}}};
    (void)context;
    freezes_told++;
    stack.as.stack.freeze = episode->as.episode.id;
    um_session_add(session, &stack);
}

static bool sampling_cost(void *context, struct um_wire_sampling *sampling)
{
    (void)context;
    *sampling = (struct um_wire_sampling){.samples = 24, .p50_ns = 300000};
    return true;
}

static void open_session(void)
{
    struct um_target_info target = {.pid = 7, .tid = 8, .hwnd = 9, .bits = 64, .name = "ide.exe"};
    struct um_session_config config = {.options = &options,
                                       .control = has_control,
                                       .command = on_command,
                                       .window_class = window_class,
                                       .message_name = message_name,
                                       .own_cost = own_cost,
                                       .outputs = {{.take = on_publish}},
                                       .output_count = 1};
    if (has_stacks) {
        config.freeze = freeze_ended;
        config.sampling = sampling_cost;
    }
    if (hub)
        config.outputs[config.output_count++] = um_hub_output(hub);
    if (csv)
        config.outputs[config.output_count++] = um_csv_writer_output(csv);
    options.threshold_ms = 100;
    options.slow_ms = 50;
    options.heartbeat_ms = 10;
    options.threadpool_starved_ms = 100;
    options.probe = UM_PROBE_AUTO;
    now_ns = START_NS;
    if (session) /* a test that begins anew, with other options */
        um_session_close(session);
    cr_assert_eq(um_session_open(&config, now_ns, &session), UM_OK);
    um_session_target(session, &target);
    um_session_attached(session, now_ns, now_ns);
}

static void close_session(void)
{
    um_session_close(session);
}

/* The DLL leaves, and comes again. */
static void attach_again(void)
{
    um_session_detached(session, now_ns);
    um_session_attached(session, now_ns, now_ns);
}

static struct um_summary stop_and_sum_up(void)
{
    struct um_summary summary;
    um_session_stop(session, now_ns, UM_END_STOPPED);
    cr_assert(um_session_summary(session, &summary));
    return summary;
}

static struct um_wire_status status_now(uint8_t *flags)
{
    struct um_wire_status status = {0};
    cr_assert(um_session_status(session, &status, flags));
    return status;
}

static void frame(enum um_wire_type type, uint64_t time_ns, uint32_t number, uint8_t flags)
{
    struct um_wire_frame made = {.type = (uint8_t)type, .flags = flags};
    if (type == UM_WIRE_SENT) {
        made.as.sent.time_ns = time_ns;
        made.as.sent.seq = number;
    } else if (type == UM_WIRE_SEEN) {
        made.as.seen.time_ns = time_ns;
        made.as.seen.seq = number;
    } else if (type == UM_WIRE_TAKEN) {
        made.as.taken.time_ns = time_ns;
        made.as.taken.hwnd = 5;
        made.as.taken.message = number;
        made.as.taken.age_ms = UM_WIRE_AGE_UNKNOWN;
    } else {
        made.as.drained.time_ns = time_ns;
    }
    um_session_frame(session, &made, now_ns);
}

static void probe_frame(enum um_probe probe, enum um_probe_status status,
                        enum um_probe_reason reason)
{
    struct um_wire_frame made = {.type = UM_WIRE_PROBE};
    made.as.probe.time_ns = now_ns;
    made.as.probe.probe = (uint8_t)probe;
    made.as.probe.status = (uint8_t)status;
    made.as.probe.reason = (uint16_t)reason;
    um_session_frame(session, &made, now_ns);
}

/* One beat each 10 ms, answered after 0.3 ms. */
static void beat_for(uint64_t ms)
{
    for (uint64_t i = 0; i < ms / 10; i++) {
        frame(UM_WIRE_SENT, now_ns, ++seq, 0);
        now_ns += 300 * UM_CLOCK_NS_PER_US;
        frame(UM_WIRE_TAKEN, now_ns, 0xff, UM_WIRE_TAKEN_OURS);
        frame(UM_WIRE_SEEN, now_ns, seq, UM_WIRE_SEEN_RAW);
        now_ns += 9700 * UM_CLOCK_NS_PER_US;
        frame(UM_WIRE_DRAINED, now_ns, 0, 0);
        um_session_tick(session, now_ns);
    }
}

/* Nothing but signs of life. */
static void live_for(uint64_t ms)
{
    for (uint64_t i = 0; i < ms / 50; i++) {
        now_ns += 50 * MS;
        frame(UM_WIRE_DRAINED, now_ns, 0, 0);
        um_session_tick(session, now_ns);
    }
}

static const struct um_wire_frame *last_command(enum um_wire_type type)
{
    for (size_t i = command_count; i > 0; i--)
        if (commands[i - 1].type == type)
            return &commands[i - 1];
    return NULL;
}

static size_t count_published(enum um_wire_type type)
{
    size_t count = 0;
    for (size_t i = 0; i < published_count; i++)
        count += published[i].type == type;
    return count;
}

static const struct um_wire_frame *last_published(enum um_wire_type type)
{
    for (size_t i = published_count; i > 0; i--)
        if (published[i - 1].type == type)
            return &published[i - 1];
    return NULL;
}

TestSuite(session, .init = open_session, .fini = close_session);

/* At rest, beats come seldom, but not while somebody uses the machine. */
Test(session, asks_for_the_full_rate_while_input_arrives)
{
    options.rest_heartbeat_ms = 100;
    um_session_attached(session, now_ns, now_ns);
    cr_assert(last_command(UM_WIRE_REST_PERIOD));
    cr_expect_eq(last_command(UM_WIRE_REST_PERIOD)->as.command.value, 100000);
    now_ns += 1000 * MS;
    command_count = 0;
    live_for(1000);
    cr_expect(!last_command(UM_WIRE_FULL_RATE));
    um_session_input(session, now_ns);
    um_session_tick(session, now_ns);
    um_session_tick(session, now_ns + MS);
    cr_expect(command_count == 1 && last_command(UM_WIRE_FULL_RATE));
    command_count = 0;
    for (int i = 0; i < 20; i++) {
        now_ns += 50 * MS;
        um_session_input(session, now_ns);
        um_session_tick(session, now_ns);
    }
    cr_expect_eq(command_count, 4, "told %zu times in a second", command_count);
}

/* A freeze that lies between two beats leaves no trace. */
Test(session, beats_at_rest_are_never_further_apart_than_the_threshold)
{
    static const struct {
        double threshold_ms;
        uint32_t rest_us;
    } rows[] = {{30, 30000}, {100, 100000}, {250, 100000}, {25, 20000}, {5, 10000}};
    options.rest_heartbeat_ms = 100;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        options.threshold_ms = rows[i].threshold_ms;
        um_session_attached(session, now_ns, now_ns);
        cr_expect_eq(last_command(UM_WIRE_REST_PERIOD)->as.command.value, rows[i].rest_us,
                     "with a threshold of %g ms", rows[i].threshold_ms);
    }
}

/* All messages are reported one by one only where they are to be markers. */
Test(session, asks_for_the_messages_that_the_options_need)
{
    options.trace = UM_OPTIONS_TRACE_MESSAGES;
    um_session_want(session, UM_SESSION_TRACE_EVENTS, true);
    cr_expect_eq(last_command(UM_WIRE_TRACE_EVENTS_ON)->as.command.value, UM_TRACE_EVENTS_LONG);
    um_session_want(session, UM_SESSION_TRACE_EVENTS, false);
    cr_expect_eq(last_command(UM_WIRE_TRACE_EVENTS_ON)->as.command.value, UM_TRACE_EVENTS_NONE);
    um_session_want(session, UM_SESSION_TRACE_EVENTS, true);
    options.trace = UM_OPTIONS_TRACE_EVENTS;
    um_session_attached(session, now_ns, now_ns);
    cr_expect_eq(last_command(UM_WIRE_TRACE_EVENTS_ON)->as.command.value, UM_TRACE_EVENTS_ALL);
}

Test(session, without_a_rest_the_full_rate_is_not_asked_for)
{
    options.rest_heartbeat_ms = 1; /* less than the heartbeat */
    um_session_attached(session, now_ns, now_ns);
    cr_expect_eq(last_command(UM_WIRE_REST_PERIOD)->as.command.value, 10000);
    command_count = 0;
    um_session_input(session, now_ns);
    um_session_tick(session, now_ns);
    cr_expect(!last_command(UM_WIRE_FULL_RATE));
}

Test(session, the_pace_follows_the_first_session_and_no_other)
{
    size_t paces = 0;
    options.rest_heartbeat_ms = 100;
    beat_for(100);
    probe_frame(UM_PROBE_RAW, UM_PROBE_ACTIVE, UM_PROBE_REASON_DEFAULT);
    beat_for(100);
    for (size_t i = 0; i < published_count; i++) {
        if (published[i].type != UM_WIRE_PACE)
            continue;
        cr_expect(i > 0 && published[i - 1].type == UM_WIRE_SESSION);
        cr_expect_eq(published[i].as.pace.rest_us, 100000);
        paces++;
    }
    cr_expect_eq(paces, 1);
}

/* The DLL and the feed are told what the target gets while another program is in front. */
Test(session, says_how_to_measure_in_the_background)
{
    static const struct {
        enum um_background background;
        uint32_t pace_us;
    } rows[] = {{UM_BACKGROUND_REST, 100000},
                {UM_BACKGROUND_FULL, 0},
                {UM_BACKGROUND_PAUSE, UM_WIRE_PACE_NEVER}};
    options.rest_heartbeat_ms = 100;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        options.background = rows[i].background;
        open_session();
        cr_expect_eq(last_command(UM_WIRE_BACKGROUND)->as.command.value, rows[i].background);
        beat_for(100);
        cr_expect_eq(last_published(UM_WIRE_PACE)->as.pace.background_us, rows[i].pace_us,
                     "row %zu", i);
    }
}

Test(session, asks_for_period_and_probe_when_attached)
{
    cr_assert(last_command(UM_WIRE_PERIOD) && last_command(UM_WIRE_USE_PROBE));
    cr_expect_eq(last_command(UM_WIRE_PERIOD)->as.command.value, 10000);
    cr_expect_eq(last_command(UM_WIRE_USE_PROBE)->as.command.value, UM_PROBE_AUTO);
}

Test(session, has_no_summary_before_the_first_beat)
{
    struct um_summary summary;
    frame(UM_WIRE_DRAINED, now_ns, 0, 0);
    um_session_stop(session, now_ns, UM_END_STOPPED);
    cr_expect(!um_session_summary(session, &summary));
}

/* A reader of the feed wants SESSION first. Times of 0 are no times at all. */
Test(session, publishes_nothing_before_its_session)
{
    for (uint32_t i = 0; i < 50; i++) {
        frame(UM_WIRE_SENT, 0, i, 0);
        frame(UM_WIRE_TAKEN, 0, 5, 0);
        frame(UM_WIRE_SEEN, 0, i, UM_WIRE_SEEN_RAW);
        now_ns += 400 * MS;
        um_session_tick(session, now_ns);
    }
    um_session_detached(session, now_ns);
    um_session_stop(session, now_ns, UM_END_STOPPED);
    for (size_t i = 0; i < published_count; i++) {
        if (published[i].type == UM_WIRE_SESSION)
            break;
        cr_expect_eq(published[i].type, UM_WIRE_END, "type %u", published[i].type);
    }
}

/* Nothing is known of a target before its first answer, or before it has let a beat wait. */
Test(session, has_no_status_before_something_is_known)
{
    struct um_wire_status status;
    uint8_t flags;
    frame(UM_WIRE_SENT, now_ns, ++seq, 0);
    for (int i = 0; i < 4; i++) {
        now_ns += 10 * MS;
        frame(UM_WIRE_DRAINED, now_ns, 0, 0);
        um_session_tick(session, now_ns);
        cr_expect(!um_session_status(session, &status, &flags));
    }
    live_for(50);
    cr_expect_eq(status_now(&flags).state, UM_STATE_SLOW);
    open_session();
    beat_for(10);
    cr_expect_eq(status_now(&flags).state, UM_STATE_RESPONSIVE);
}

Test(session, sums_up_what_was_measured)
{
    uint64_t sum_ns = 0;
    beat_for(1000);
    struct um_summary summary = stop_and_sum_up();
    cr_expect(summary.totals.beats_seen == 100 && summary.totals.beats_lost == 0);
    cr_expect_eq(summary.totals.duration_ns, 1000 * MS);
    cr_expect_eq(summary.start_ns, START_NS);
    cr_expect(summary.pid == 7 && strcmp(summary.name, "ide.exe") == 0);
    for (int i = 0; i < UM_STATE_COUNT; i++)
        sum_ns += summary.totals.state_ns[i];
    cr_expect_eq(sum_ns, summary.totals.duration_ns);
}

/* The first beat was never answered. */
Test(session, sums_up_as_unknown_what_was_not_answered)
{
    frame(UM_WIRE_SENT, now_ns, ++seq, 0);
    for (int i = 0; i < 3; i++) {
        now_ns += 10 * MS;
        frame(UM_WIRE_DRAINED, now_ns, 0, 0);
        um_session_tick(session, now_ns);
    }
    struct um_summary summary = stop_and_sum_up();
    cr_expect_eq(count_published(UM_WIRE_STATUS), 0);
    cr_expect_eq(summary.totals.duration_ns, 30 * MS);
    cr_expect_eq(summary.totals.state_ns[UM_STATE_UNKNOWN], 30 * MS);
    cr_expect_eq(summary.totals.state_ns[UM_STATE_RESPONSIVE], 0);
    const struct um_wire_totals *totals = &last_published(UM_WIRE_TOTALS)->as.totals;
    cr_expect_eq(totals->state_ns[UM_STATE_UNKNOWN], 30 * MS);
    cr_expect_eq(totals->state_ns[UM_STATE_RESPONSIVE], 0);
}

/* A freeze of 300 ms after `message`. */
static void freeze_after(uint32_t message)
{
    frame(UM_WIRE_TAKEN, now_ns, message, 0);
    frame(UM_WIRE_SENT, now_ns + 5 * MS, ++seq, 0);
    live_for(300);
    frame(UM_WIRE_SEEN, now_ns, seq, UM_WIRE_SEEN_RAW);
    frame(UM_WIRE_DRAINED, now_ns, 0, 0);
    um_session_tick(session, now_ns);
    beat_for(100);
}

Test(session, names_the_suspects_window_also_when_it_is_gone_at_the_end)
{
    beat_for(100);
    freeze_after(0x202);
    struct um_summary summary = stop_and_sum_up();
    cr_assert_eq(summary.freezes->count, 1);
    cr_expect_eq(summary.freezes->list[0].message, 0x202);
    cr_expect_str_eq(summary.freezes->list[0].window_class, "Edit");
}

Test(session, a_stack_follows_its_freeze)
{
    size_t told = 0;
    has_stacks = true;
    open_session();
    cr_assert(last_command(UM_WIRE_MAY_SUSPEND));
    beat_for(100);
    freeze_after(0x202);
    live_for(1000);
    for (size_t i = 1; i < published_count; i++) {
        if (published[i].type != UM_WIRE_STACK)
            continue;
        const struct um_wire_frame *end = &published[i - 1];
        cr_assert(end->type == UM_WIRE_EPISODE && end->flags & UM_WIRE_EPISODE_END);
        cr_expect_eq(published[i].as.stack.freeze, end->as.episode.id);
        told++;
    }
    cr_expect_eq(told, 1);
    cr_expect_eq(count_published(UM_WIRE_SAMPLING), 1, "it is told only when it has changed");
    struct um_summary summary = stop_and_sum_up();
    cr_assert(summary.freezes->len == 1 && summary.stacks->len == 1);
    cr_expect_eq(summary.stacks->sampling.samples, 24);
}

Test(session, nothing_is_suspended_without_a_sampler)
{
    beat_for(100);
    freeze_after(0x202);
    cr_expect(!last_command(UM_WIRE_MAY_SUSPEND));
    cr_expect(count_published(UM_WIRE_STACK) == 0 && count_published(UM_WIRE_SAMPLING) == 0);
}

static void pool_delay(uint64_t time_ns, uint64_t delay_ms, uint8_t flags)
{
    struct um_wire_frame made = {.type = UM_WIRE_POOL_DELAY,
                                 .flags = flags,
                                 .as.pool_delay = {.time_ns = time_ns, .delay_ns = delay_ms * MS}};
    um_session_frame(session, &made, now_ns);
}

static void check_asked(enum um_session_wish wish, enum um_wire_type type)
{
    cr_expect(!last_command(type), "off unless somebody wants it");
    um_session_want(session, wish, false);
    cr_expect(!last_command(type));
    um_session_want(session, wish, true);
    cr_assert(last_command(type));
    cr_expect_eq(last_command(type)->as.command.value, 1);
    command_count = 0;
    um_session_want(session, wish, true);
    cr_expect(!last_command(type), "it is told once");
    attach_again();
    cr_assert(last_command(type), "the next connection is told, too");
    um_session_want(session, wish, false);
    cr_expect_eq(last_command(type)->as.command.value, 0);
    command_count = 0;
    attach_again();
    cr_expect(!last_command(type));
}

Test(session, asks_for_the_thread_pool_and_counts_only_while_they_are_wanted)
{
    check_asked(UM_SESSION_POOL, UM_WIRE_PROBE_POOL);
    check_asked(UM_SESSION_COUNTS, UM_WIRE_COUNT_MESSAGES);
}

Test(session, asks_for_messages_and_layout_while_they_are_wanted)
{
    check_asked(UM_SESSION_TRACES, UM_WIRE_TRACE);
    check_asked(UM_SESSION_LAYOUT, UM_WIRE_LAYOUT);
}

Test(session, asks_for_calls_of_methods_while_they_are_wanted)
{
    check_asked(UM_SESSION_METHODS, UM_WIRE_METHODS_ON);
}

Test(session, tells_of_the_thread_pool_what_is_known_by_now)
{
    beat_for(100);
    pool_delay(now_ns, 1, 0);
    cr_expect_eq(count_published(UM_WIRE_POOL), 0, "nobody has asked for it");
    um_session_want(session, UM_SESSION_POOL, true);
    pool_delay(now_ns, 101, UM_WIRE_POOL_DELAY_WAITS);
    cr_assert(last_published(UM_WIRE_POOL));
    cr_expect_eq(last_published(UM_WIRE_POOL)->flags, (UM_WIRE_POOL_WAITS | UM_WIRE_POOL_STARVED));
    pool_delay(now_ns + 5 * MS, 19, 0);
    cr_expect_eq(last_published(UM_WIRE_POOL)->flags, 0);
    cr_expect_eq(last_published(UM_WIRE_POOL)->as.pool.end_ns, now_ns, "never in the future");
    um_session_want(session, UM_SESSION_POOL, false);
    pool_delay(now_ns, 1, 0);
    cr_expect_eq(count_published(UM_WIRE_POOL), 2, "what comes too late is left out");
    cr_expect_gt(um_session_deadline(session, now_ns), now_ns);
}

/* Its frame may come with the first beat, whose send begins the session. */
Test(session, a_pool_item_that_ran_before_the_session_is_left_out)
{
    um_session_want(session, UM_SESSION_POOL, true);
    uint64_t before_ns = now_ns;
    beat_for(100);
    pool_delay(before_ns - 1, 1, 0);
    cr_expect_eq(count_published(UM_WIRE_POOL), 0);
    pool_delay(now_ns, 1, 0);
    cr_expect_eq(count_published(UM_WIRE_POOL), 1);
}

/* An item that was queued when a debugger stopped the process, say. */
Test(session, the_thread_pool_is_not_starved_by_a_suspension)
{
    um_session_want(session, UM_SESSION_POOL, true);
    beat_for(100);
    for (int i = 0; i < 40; i++) {
        now_ns += 50 * MS;
        um_session_tick(session, now_ns);
    }
    frame(UM_WIRE_DRAINED, now_ns, 0, 0);
    pool_delay(now_ns, 2010, 0);
    cr_assert(last_published(UM_WIRE_POOL));
    cr_expect_eq(last_published(UM_WIRE_POOL)->flags, 0);
    cr_expect_geq(last_published(UM_WIRE_POOL)->as.pool.delay_ns, 10 * MS);
    cr_expect_lt(last_published(UM_WIRE_POOL)->as.pool.delay_ns, 100 * MS);
}

static void counted(uint64_t time_ns, uint32_t messages, uint32_t paints)
{
    struct um_wire_frame made = {.type = UM_WIRE_COUNTED,
                                 .as.counted = {time_ns, messages, paints}};
    um_session_frame(session, &made, now_ns);
}

Test(session, counts_are_told_as_those_of_the_session)
{
    beat_for(100);
    counted(now_ns, 1, 0);
    cr_expect_eq(count_published(UM_WIRE_ACTIVITY), 0, "nobody has asked for it");
    um_session_want(session, UM_SESSION_COUNTS, true);
    counted(now_ns - 50 * MS, 7000, 300);
    counted(now_ns + 5 * MS, 7100, 306);
    cr_assert(last_published(UM_WIRE_ACTIVITY));
    cr_expect_eq(last_published(UM_WIRE_ACTIVITY)->as.activity.time_ns, now_ns,
                 "not in the future");
    cr_expect_eq(last_published(UM_WIRE_ACTIVITY)->as.activity.messages, 100);
    cr_expect_eq(last_published(UM_WIRE_ACTIVITY)->as.activity.paints, 6);
    um_session_want(session, UM_SESSION_COUNTS, false);
    now_ns += 100 * MS;
    counted(now_ns, 7200, 312);
    cr_expect_eq(count_published(UM_WIRE_ACTIVITY), 2, "what comes too late is left out");
    um_session_want(session, UM_SESSION_COUNTS, true);
    counted(now_ns, 9000, 400);
    cr_expect_eq(last_published(UM_WIRE_ACTIVITY)->as.activity.since_ns, now_ns);
    cr_expect_eq(last_published(UM_WIRE_ACTIVITY)->as.activity.messages, 100);
}

/* The DLL of another window counts from the begin again. */
Test(session, counts_of_another_attachment_are_another_stretch)
{
    beat_for(100);
    um_session_want(session, UM_SESSION_COUNTS, true);
    counted(now_ns - 50 * MS, 7000, 300);
    counted(now_ns, 7100, 306);
    attach_again();
    now_ns += 100 * MS;
    counted(now_ns, 40, 2);
    cr_expect_eq(last_published(UM_WIRE_ACTIVITY)->as.activity.since_ns, now_ns);
    cr_expect_eq(last_published(UM_WIRE_ACTIVITY)->as.activity.messages, 100);
    cr_expect_eq(last_published(UM_WIRE_ACTIVITY)->as.activity.paints, 6);
}

/* The names are another program's text, and the system is asked for one only once in a row. */
Test(session, names_registered_messages_without_control_characters)
{
    static const struct {
        uint32_t message;
        const char *name;
        unsigned asked;
    } cases[] = {{0x202, "", 0},
                 {0xc02c, "Dispatcher\xef\xbf\xbd[2JQueue", 1},
                 {0xc02c, "Dispatcher\xef\xbf\xbd[2JQueue", 1},
                 {0xc02d, "", 2},
                 {0x10000, "", 2}};

    beat_for(100);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        freeze_after(cases[i].message);
        cr_expect_eq(names_asked, cases[i].asked, "0x%x: %u", cases[i].message, names_asked);
        cr_expect_str_eq(last_published(UM_WIRE_EPISODE)->as.episode.message_name, cases[i].name);
    }
    struct um_summary summary = stop_and_sum_up();
    cr_assert_eq(summary.freezes->len, 5);
    for (size_t i = 0; i < 5; i++)
        cr_expect_str_eq(summary.freezes->list[i].message_name, cases[i].name);
}

Test(session, pauses_when_nobody_is_there_and_goes_on_at_the_first_input)
{
    options.idle_pause_s = 2;
    beat_for(1900);
    cr_expect(!last_command(UM_WIRE_PAUSE), "two seconds are not over");
    beat_for(200);
    cr_assert(last_command(UM_WIRE_PAUSE) != NULL);
    cr_expect_eq(last_command(UM_WIRE_PAUSE)->as.command.value, 1);
    live_for(1000);
    um_session_input(session, now_ns);
    um_session_tick(session, now_ns);
    cr_expect_eq(last_command(UM_WIRE_PAUSE)->as.command.value, 0);
}

/* Which uimon may hear of late. */
Test(session, an_input_that_was_heard_of_late_ends_a_pause)
{
    options.idle_pause_s = 2;
    beat_for(2100);
    uint64_t input_ns = now_ns;
    live_for(3000);
    cr_assert_eq(last_command(UM_WIRE_PAUSE)->as.command.value, 1);
    um_session_input(session, input_ns);
    um_session_tick(session, now_ns);
    cr_expect_eq(last_command(UM_WIRE_PAUSE)->as.command.value, 0);
    beat_for(1900);
    cr_expect_eq(last_command(UM_WIRE_PAUSE)->as.command.value, 0, "for as long as any other");
    beat_for(200);
    cr_expect_eq(last_command(UM_WIRE_PAUSE)->as.command.value, 1);
}

Test(session, does_not_pause_in_the_middle_of_a_freeze)
{
    options.idle_pause_s = 2;
    beat_for(1000);
    frame(UM_WIRE_SENT, now_ns, ++seq, 0);
    live_for(3000);
    cr_expect(!last_command(UM_WIRE_PAUSE));
}

Test(session, never_pauses_if_told_so)
{
    options.idle_pause_s = 0;
    beat_for(10000);
    cr_expect(!last_command(UM_WIRE_PAUSE));
}

/* The user's input overtakes a beat: the target's loop leaves raw input out. */
static void overtake_beat(void)
{
    struct um_wire_frame key = {.type = UM_WIRE_TAKEN, .flags = UM_WIRE_TAKEN_INPUT};
    probe_frame(UM_PROBE_RAW, UM_PROBE_ACTIVE, UM_PROBE_REASON_DEFAULT);
    frame(UM_WIRE_SENT, now_ns, ++seq, 0);
    now_ns += 50 * MS;
    key.as.taken.time_ns = now_ns;
    key.as.taken.message = 0x100;
    um_session_frame(session, &key, now_ns);
    um_session_tick(session, now_ns);
}

static size_t count_commands(enum um_wire_type type)
{
    size_t count = 0;
    for (size_t i = 0; i < command_count; i++)
        count += commands[i].type == type;
    return count;
}

static void expect_tried(size_t count, enum um_probe probe)
{
    cr_expect_eq(count_commands(UM_WIRE_USE_PROBE), count + 1, "tried %zu times and not %zu",
                 count_commands(UM_WIRE_USE_PROBE) - 1, count);
    cr_expect_eq(last_command(UM_WIRE_USE_PROBE)->as.command.value, probe);
    cr_expect(count == 0 || last_command(UM_WIRE_USE_PROBE)->flags == UM_WIRE_USE_PROBE_BLIND);
}

Test(session, auto_tries_the_mouse_after_a_blind_second_and_raw_after_two_more)
{
    beat_for(100);
    overtake_beat();
    live_for(900);
    expect_tried(0, UM_PROBE_AUTO);
    live_for(300);
    expect_tried(1, UM_PROBE_MOUSE);
    probe_frame(UM_PROBE_MOUSE, UM_PROBE_OFF_TARGET, UM_PROBE_REASON_BLIND);
    live_for(1700);
    expect_tried(1, UM_PROBE_MOUSE);
    live_for(300);
    expect_tried(2, UM_PROBE_AUTO);
}

Test(session, auto_tries_ever_more_rarely_until_a_beat_is_seen)
{
    beat_for(100);
    overtake_beat();
    for (int i = 0; i < 300; i++) {
        bool raw = last_command(UM_WIRE_USE_PROBE)->as.command.value == UM_PROBE_AUTO;
        probe_frame(raw ? UM_PROBE_RAW : UM_PROBE_MOUSE,
                    raw ? UM_PROBE_ACTIVE : UM_PROBE_OFF_TARGET, UM_PROBE_REASON_BLIND);
        live_for(1000);
    }
    size_t tried = count_commands(UM_WIRE_USE_PROBE) - 1; /* after 1, 3, 7, 15, 31, 61, 91... s */
    cr_expect(tried >= 12 && tried <= 14, "%zu times", tried);
    beat_for(100);
    overtake_beat();
    live_for(1200);
    expect_tried(tried + 1, UM_PROBE_MOUSE);
}

Test(session, auto_stays_when_the_system_refuses_beats)
{
    beat_for(100);
    probe_frame(UM_PROBE_RAW, UM_PROBE_REFUSED, UM_PROBE_REASON_DEFAULT);
    live_for(60000);
    expect_tried(0, UM_PROBE_AUTO);
}

/* The system and the DLL in a session with a control: which beats reach anybody. */
static struct {
    unsigned arrive;             /* a bit for each kind */
    enum um_beat_kind beat_kind; /* as the monitor asked */
    enum um_beat_kind once;
    enum um_probe probe; /* the last one that the monitor asked for */
    size_t obeyed;
    uint32_t out; /* 0: none */
    size_t sent[UM_BEAT_KIND_COUNT];
} dll;

enum {
    NONE = 0,
    PAIRS = 1 << UM_BEAT_KIND_PAIR,
    ZEROS_TOO = PAIRS | 1 << UM_BEAT_KIND_ZERO,
    ALL = ZEROS_TOO | 1 << UM_BEAT_KIND_STILL
};

static void open_session_with_control(void)
{
    has_control = true;
    open_session();
    probe_frame(UM_PROBE_RAW, UM_PROBE_ACTIVE, UM_PROBE_REASON_DEFAULT);
}

static void obey(void)
{
    for (; dll.obeyed < command_count; dll.obeyed++) {
        const struct um_wire_frame *command = &commands[dll.obeyed];
        if (command->type == UM_WIRE_ABANDON && command->as.command.value == dll.out)
            dll.out = 0;
        if (command->type == UM_WIRE_USE_BEAT_KIND && command->flags & UM_WIRE_USE_BEAT_KIND_ONCE)
            dll.once = (enum um_beat_kind)command->as.command.value;
        else if (command->type == UM_WIRE_USE_BEAT_KIND)
            dll.beat_kind = (enum um_beat_kind)command->as.command.value;
        if (command->type == UM_WIRE_USE_PROBE)
            dll.probe = (enum um_probe)command->as.command.value;
    }
    command_count = dll.obeyed = 0;
}

static void send_one(void)
{
    struct um_wire_frame sent = {.type = UM_WIRE_SENT};
    enum um_beat_kind beat_kind = dll.once        ? dll.once
                                  : dll.beat_kind ? dll.beat_kind
                                                  : UM_BEAT_KIND_STILL;

    dll.once = UM_BEAT_KIND_AUTO;
    dll.out = ++seq;
    dll.sent[beat_kind]++;
    sent.as.sent =
        (struct um_wire_sent){.time_ns = now_ns, .seq = seq, .beat_kind = (uint8_t)beat_kind};
    um_session_frame(session, &sent, now_ns);
    if (!(dll.arrive & 1u << beat_kind))
        return;
    um_session_control(session, seq, now_ns);
    if (beat_kind == UM_BEAT_KIND_PAIR)
        um_session_control(session, seq, now_ns);
    frame(UM_WIRE_SEEN, now_ns, seq, UM_WIRE_SEEN_RAW);
    dll.out = 0;
}

/* Lets the DLL send beats, of which these kinds arrive. */
static void run_dll(unsigned arrive, uint64_t ms)
{
    dll.arrive = arrive;
    for (uint64_t i = 0; i < ms / 10; i++) {
        obey();
        if (!dll.out)
            send_one();
        now_ns += 10 * MS;
        frame(UM_WIRE_DRAINED, now_ns, 0, 0);
        um_session_tick(session, now_ns);
    }
}

static enum um_state state_now(void)
{
    uint8_t flags;
    return (enum um_state)status_now(&flags).state;
}

Test(session, climbs_to_zero_beats_where_still_ones_do_not_arrive,
     .init = open_session_with_control)
{
    run_dll(ZEROS_TOO, 1500);
    cr_expect_eq(state_now(), UM_STATE_BLIND);
    cr_expect_eq(dll.sent[UM_BEAT_KIND_ZERO], 0, "one came after %zu beats",
                 dll.sent[UM_BEAT_KIND_STILL]);
    run_dll(ZEROS_TOO, 4000);
    cr_expect_eq(state_now(), UM_STATE_RESPONSIVE);
    cr_expect_eq(dll.beat_kind, UM_BEAT_KIND_ZERO);
    cr_expect_eq(dll.sent[UM_BEAT_KIND_PAIR], 0);
    cr_expect_eq(dll.probe, UM_PROBE_AUTO, "another probe was tried");
    struct um_summary summary = stop_and_sum_up();
    cr_expect_str_eq(summary.beat, "zero");
}

/* SendInput returns 0 for an event without a movement. */
Test(session, climbs_to_zero_beats_where_still_ones_are_refused, .init = open_session_with_control)
{
    size_t asked = count_commands(UM_WIRE_USE_BEAT_KIND);
    probe_frame(UM_PROBE_RAW, UM_PROBE_REFUSED, UM_PROBE_REASON_DEFAULT);
    cr_expect_eq(last_command(UM_WIRE_USE_BEAT_KIND)->as.command.value, UM_BEAT_KIND_ZERO);
    probe_frame(UM_PROBE_RAW, UM_PROBE_REFUSED, UM_PROBE_REASON_DEFAULT);
    cr_expect_eq(count_commands(UM_WIRE_USE_BEAT_KIND), asked + 1, "and no further");
}

Test(session, keeps_still_beats_that_were_seen_when_one_is_refused,
     .init = open_session_with_control)
{
    run_dll(ALL, 500);
    size_t asked = count_commands(UM_WIRE_USE_BEAT_KIND);
    probe_frame(UM_PROBE_RAW, UM_PROBE_REFUSED, UM_PROBE_REASON_DEFAULT);
    cr_expect_eq(count_commands(UM_WIRE_USE_BEAT_KIND), asked);
}

Test(session, climbs_to_pairs_where_zero_beats_do_not_arrive, .init = open_session_with_control)
{
    run_dll(PAIRS, 2500);
    cr_expect_eq(state_now(), UM_STATE_BLIND);
    cr_expect_eq(dll.sent[UM_BEAT_KIND_PAIR], 0, "a pair came after %zu beats",
                 dll.sent[UM_BEAT_KIND_ZERO]);
    run_dll(PAIRS, 5500);
    cr_expect_eq(state_now(), UM_STATE_RESPONSIVE);
    cr_expect_eq(dll.beat_kind, UM_BEAT_KIND_PAIR);
    cr_expect_eq(last_published(UM_WIRE_BEAT_KIND)->as.beat_kind.kind, UM_BEAT_KIND_PAIR);
    cr_expect_eq(dll.probe, UM_PROBE_AUTO, "another probe was tried");
    struct um_summary summary = stop_and_sum_up();
    cr_expect_str_eq(summary.beat, "pair");
}

Test(session, stays_with_still_beats_that_arrive, .init = open_session_with_control)
{
    run_dll(ALL, 20000);
    cr_expect_eq(dll.sent[UM_BEAT_KIND_PAIR] + dll.sent[UM_BEAT_KIND_ZERO], 0);
    cr_expect_eq(last_published(UM_WIRE_BEAT_KIND)->as.beat_kind.kind, UM_BEAT_KIND_STILL);
}

Test(session, tries_the_mouse_when_pairs_do_not_arrive_either, .init = open_session_with_control)
{
    for (int i = 0; i < 100 && dll.probe == UM_PROBE_AUTO; i++)
        run_dll(NONE, 100);
    cr_expect_eq(dll.probe, UM_PROBE_MOUSE);
    cr_expect(dll.sent[UM_BEAT_KIND_ZERO] == 1 && dll.sent[UM_BEAT_KIND_PAIR] == 1);
    cr_expect_eq(dll.beat_kind, UM_BEAT_KIND_STILL);
    cr_expect_eq(state_now(), UM_STATE_BLIND);
}

Test(session, neither_climbs_nor_tries_the_mouse_below_a_higher_integrity_level,
     .init = open_session_with_control)
{
    run_dll(ALL, 500);
    um_session_shielded(session, true);
    cr_expect(!um_session_beat_kind(session)->shielded);
    run_dll(PAIRS, 30000);
    cr_expect(state_now() == UM_STATE_BLIND && um_session_beat_kind(session)->shielded);
    cr_expect(last_published(UM_WIRE_BEAT_KIND)->as.beat_kind.shielded);
    cr_expect(dll.sent[UM_BEAT_KIND_PAIR] == 0 && dll.probe == UM_PROBE_AUTO);
    um_session_shielded(session, false);
    run_dll(ALL, 500);
    cr_expect(state_now() == UM_STATE_RESPONSIVE && !um_session_beat_kind(session)->shielded);
    cr_expect(!last_published(UM_WIRE_BEAT_KIND)->as.beat_kind.shielded);
    struct um_summary summary = stop_and_sum_up();
    cr_expect(summary.beats.were_shielded);
    cr_expect_str_eq(summary.beat, "still");
}

static void held_frame(enum um_probe probe, enum um_probe_held held)
{
    struct um_wire_frame made = {.type = UM_WIRE_PROBE};
    made.as.probe = (struct um_wire_probe){.time_ns = now_ns,
                                           .probe = (uint8_t)probe,
                                           .status = held ? UM_PROBE_OFF_TARGET : UM_PROBE_ACTIVE,
                                           .reason = UM_PROBE_REASON_DEFAULT,
                                           .held = (uint8_t)held};
    um_session_frame(session, &made, now_ns);
}

/* Beats are mouse messages, and the target works for 20 ms before it gets each. */
static void beat_at_work(int count)
{
    for (int i = 0; i < count; i++) {
        struct um_wire_frame sent = {.type = UM_WIRE_SENT};
        sent.as.sent = (struct um_wire_sent){.time_ns = now_ns, .seq = ++seq};
        um_session_frame(session, &sent, now_ns);
        now_ns += 20 * MS;
        frame(UM_WIRE_SEEN, now_ns, seq, UM_WIRE_SEEN_MOUSE);
        frame(UM_WIRE_DRAINED, now_ns, 0, 0);
        um_session_tick(session, now_ns);
    }
}

/* 20 ms are 3 % of 667 ms. */
Test(session, beats_that_make_the_target_work_come_more_seldom)
{
    probe_frame(UM_PROBE_MOUSE, UM_PROBE_ACTIVE, UM_PROBE_REASON_ASKED);
    cr_expect_eq(um_session_spared_us(session), 0);
    beat_at_work(30);
    cr_expect_eq(last_command(UM_WIRE_SPARE)->as.command.value, 666666);
    cr_expect_eq(um_session_spared_us(session), 666666);
    cr_expect_eq(last_published(UM_WIRE_PACE)->as.pace.rest_us, 666666);
    cr_expect_eq(last_published(UM_WIRE_PACE)->as.pace.spared_us, 666666);
    attach_again();
    cr_expect_eq(last_command(UM_WIRE_SPARE)->as.command.value, 666666,
                 "also after attaching anew");
    struct um_summary summary = stop_and_sum_up();
    cr_expect_eq(summary.totals.own_beats_ns, 600 * MS);
    cr_expect_eq(summary.beats.spared_us, 666666);
}

/* While something holds beats back, the time is blind with that reason, and no other probe is
 * tried. */
Test(session, names_what_holds_beats_back)
{
    beat_for(100);
    held_frame(UM_PROBE_MOUSE, UM_PROBE_HELD_BUTTON);
    live_for(30000);
    cr_expect_eq(state_now(), UM_STATE_BLIND);
    cr_expect_eq(last_published(UM_WIRE_BEAT_KIND)->as.beat_kind.held, UM_PROBE_HELD_BUTTON);
    expect_tried(0, UM_PROBE_AUTO);
    held_frame(UM_PROBE_MOUSE, UM_PROBE_HELD_NOT);
    beat_for(100);
    live_for(100);
    cr_expect_eq(state_now(), UM_STATE_RESPONSIVE);
    cr_expect_eq(last_published(UM_WIRE_BEAT_KIND)->as.beat_kind.held, UM_PROBE_HELD_NOT);
    struct um_summary summary = stop_and_sum_up();
    cr_expect(summary.beats.were_held[UM_PROBE_HELD_BUTTON] && !summary.beats.were_shielded);
}

/* A time that was blind, and is over before anybody could be told, has its reason, once. */
Test(session, tells_the_reason_of_a_blind_time_that_is_over)
{
    beat_for(100);
    now_ns += 5000 * MS; /* neither the DLL nor the monitor ran */
    beat_for(100);
    live_for(100);
    cr_expect_eq(state_now(), UM_STATE_RESPONSIVE);
    size_t told = count_published(UM_WIRE_BEAT_KIND);
    live_for(1000);
    cr_expect_eq(count_published(UM_WIRE_BEAT_KIND), told);
    cr_expect_eq(last_published(UM_WIRE_BEAT_KIND)->as.beat_kind.held, UM_PROBE_HELD_NOT);
    struct um_summary summary = stop_and_sum_up();
    cr_expect(summary.beats.were_held[UM_PROBE_HELD_LATE]);
}

Test(session, does_not_climb_when_told_what_to_send, .init = open_session_with_control)
{
    options.beat_kind = UM_BEAT_KIND_ZERO;
    open_session_with_control();
    run_dll(PAIRS, 10000);
    cr_expect_eq(dll.sent[UM_BEAT_KIND_PAIR], 0);
}

Test(session, keeps_the_beat_kind_in_the_next_attachment, .init = open_session_with_control)
{
    run_dll(PAIRS, 8000);
    attach_again();
    cr_expect_eq(last_command(UM_WIRE_USE_BEAT_KIND)->as.command.value, UM_BEAT_KIND_PAIR);
}

Test(session, counts_the_rows_that_a_blocked_csv_loses, .threads = true)
{
    struct um_wire_frame beat = {.type = UM_WIRE_BEAT};
    struct um_csv_writer *writer;
    uint8_t flags;
    char path[32];
    int ends[2];

    cr_assert_eq(pipe(ends), 0);
    signal(SIGPIPE, SIG_IGN);
    snprintf(path, sizeof path, "/proc/self/fd/%d", ends[1]);
    cr_assert_eq(um_csv_writer_open(path, false, &writer), UM_OK);
    close(ends[1]);
    csv = writer;
    struct um_feed_output rows = um_csv_writer_output(csv);
    open_session();
    for (size_t i = 0; i < UM_FRAME_QUEUE_BYTES / 16; i++)
        um_feed_publish(&rows, 1, &beat);
    beat_for(200);
    struct um_wire_status status = status_now(&flags);
    cr_expect(status.lost > 0 && status.lost <= rows.lost(rows.context));
    close(ends[0]);
    um_csv_writer_close(writer, 20 * UM_CLOCK_NS_PER_S);
}

Test(session, publishes_a_status_for_each_tenth_of_a_second)
{
    struct um_wire_status status;
    uint8_t flags;
    cr_expect(!um_session_status(session, &status, &flags));
    beat_for(500);
    cr_assert(um_session_status(session, &status, &flags));
    cr_expect_eq(status.time_ns, START_NS + 500 * MS);
    cr_expect_eq(status.state, UM_STATE_RESPONSIVE);
    cr_expect(flags & UM_WIRE_STATUS_HAS_LATENCY && status.p50_ns == 300 * UM_CLOCK_NS_PER_US);
}

/* How many frames of a type come until the connection ends. The preamble was read. */
static size_t count_frames(struct um_conn *conn, uint8_t type)
{
    static uint8_t bytes[8192];
    struct um_frame_reader reader;
    struct um_wire_frame frame;
    size_t count = 0, room, got;

    um_frame_reader_init(&reader, bytes, sizeof bytes);
    reader.greeted = true;
    for (;;) {
        while (um_frame_reader_next(&reader, &frame) == UM_OK)
            count += frame.type == type;
        cr_assert_eq(reader.status, UM_OK);
        uint8_t *to = um_frame_reader_room(&reader, &room);
        if (um_transport_memory()->read(conn, to, room, WAIT_MS, &got) != UM_OK)
            return count;
        um_frame_reader_add(&reader, got);
    }
}

Test(session, publishes_one_status_for_a_stall_of_hours, .threads = true)
{
    struct um_wire_status status;
    struct um_conn *conn;
    char name[UM_TRANSPORT_NAME_BYTES];
    uint8_t preamble[UM_WIRE_PREAMBLE_BYTES];
    uint8_t flags;
    size_t got;

    cr_assert_eq(um_hub_open(um_transport_memory(), &hub, name), UM_OK);
    cr_assert_eq(um_transport_memory()->connect(name, WAIT_MS, &conn), UM_OK);
    cr_assert_eq(um_transport_memory()->read(conn, preamble, sizeof preamble, WAIT_MS, &got),
                 UM_OK);
    open_session();
    beat_for(500);
    now_ns += UINT64_C(8) * 3600 * UM_CLOCK_NS_PER_S + 30 * MS;
    um_session_tick(session, now_ns);
    cr_assert(um_session_status(session, &status, &flags));
    cr_expect(status.time_ns <= now_ns && now_ns - status.time_ns < 100 * MS);
    beat_for(200);
    cr_assert(um_session_status(session, &status, &flags));
    cr_expect_lt(now_ns - status.time_ns, 100 * MS, "it goes on at the boundaries");
    um_hub_close(hub);
    cr_expect_eq(count_frames(conn, UM_WIRE_LOST), 0, "frames found the queue full");
    um_transport_memory()->close(conn);
}

/* A beat of the kind is sent and answered. */
static void beat_of(enum um_beat_kind beat_kind)
{
    struct um_wire_frame sent = {.type = UM_WIRE_SENT};
    sent.as.sent =
        (struct um_wire_sent){.time_ns = now_ns, .seq = ++seq, .beat_kind = (uint8_t)beat_kind};
    um_session_frame(session, &sent, now_ns);
    frame(UM_WIRE_SEEN, now_ns, seq, UM_WIRE_SEEN_RAW);
    now_ns += 10 * MS;
}

Test(session, publishes_what_the_beats_are)
{
    beat_of(UM_BEAT_KIND_AUTO); /* of the mouse probe */
    cr_expect_eq(count_published(UM_WIRE_BEAT_KIND), 0);
    beat_of(UM_BEAT_KIND_PAIR);
    beat_of(UM_BEAT_KIND_PAIR);
    cr_expect_eq(count_published(UM_WIRE_BEAT_KIND), 1);
    cr_expect_eq(last_published(UM_WIRE_BEAT_KIND)->as.beat_kind.kind, UM_BEAT_KIND_PAIR);
    cr_expect_eq(published[0].type, UM_WIRE_SESSION);
}

Test(session, publishes_totals_each_second_and_at_the_end)
{
    beat_for(4500);
    cr_expect_eq(count_published(UM_WIRE_TOTALS), 5, "%zu", count_published(UM_WIRE_TOTALS));
    um_session_stop(session, now_ns, UM_END_STOPPED);
    cr_assert_geq(published_count, 2);
    cr_expect_eq(published[0].type, UM_WIRE_SESSION);
    cr_expect_eq(published[published_count - 1].type, UM_WIRE_END);
    cr_assert_eq(published[published_count - 2].type, UM_WIRE_TOTALS);
    const struct um_wire_totals *totals = &published[published_count - 2].as.totals;
    cr_expect(totals->time_ns == now_ns && totals->duration_ns == 4500 * MS);
    cr_expect(totals->beats_sent == 450 && totals->beats_seen == 450 && totals->beats_lost == 0);
    cr_expect_eq(totals->state_ns[UM_STATE_RESPONSIVE], 4500 * MS);
    cr_expect_eq(totals->overlay_cpu_ns, 34 * MS);
}

Test(session, own_cost_begins_with_the_measuring)
{
    now_ns += 3000 * MS;
    beat_for(4500);
    um_session_stop(session, now_ns, UM_END_STOPPED);
    const struct um_wire_totals *totals = &published[published_count - 2].as.totals;
    cr_expect_eq(totals->monitor_cpu_ns, 45 * MS, "%llu ns",
                 (unsigned long long)totals->monitor_cpu_ns);
}

Test(session, sums_up_to_the_same_as_its_feed)
{
    struct um_summary summary, again;
    struct um_stats_config config = {START_NS, 10 * MS, 100 * MS};
    struct um_stats *stats;
    struct um_wire_frame cost = {.type = UM_WIRE_COST};
    char *live, *recorded;

    cost.as.cost = (struct um_wire_cost){now_ns, 5 * MS, 7 * MS, 100, 10, 1000};
    beat_for(1000);
    um_session_frame(session, &cost, now_ns);
    frame(UM_WIRE_SENT, now_ns, ++seq, 0);
    live_for(500);
    frame(UM_WIRE_SEEN, now_ns, seq, UM_WIRE_SEEN_RAW);
    um_session_stop(session, now_ns, UM_END_STOPPED);
    cr_assert(um_session_summary(session, &summary));
    cr_expect_eq(summary.freezes->count, 1);
    cr_expect_eq(summary.hook_call_ns, 100);
    cr_expect_eq(summary.cpu_ns[UM_SUMMARY_HEARTBEAT], 5 * MS);
    cr_expect_eq(summary.cpu_ns[UM_SUMMARY_SENDER], 7 * MS);
    cr_assert_eq(um_stats_open(&config, &stats), UM_OK);
    um_summary_fill(&again, &last_published(UM_WIRE_SESSION)->as.session,
                    &last_published(UM_WIRE_TOTALS)->as.totals, stats);
    again.latency = summary.latency; /* the rest of the frames was not kept here */
    again.beats.rest_us = summary.beats.rest_us;
    again.beats.background_us = summary.beats.background_us;
    again.freezes = summary.freezes;
    cr_assert_eq(um_summary_json(&summary, &live), UM_OK);
    cr_assert_eq(um_summary_json(&again, &recorded), UM_OK);
    cr_expect_str_eq(live, recorded, "%s\n%s", live, recorded);
    free(live);
    free(recorded);
    um_stats_close(stats);
}

Test(session, asks_for_the_users_input_only_if_it_is_wanted)
{
    cr_expect(!last_command(UM_WIRE_WATCH_INPUT));
    options.interactions = true;
    um_session_attached(session, now_ns, now_ns);
    cr_assert(last_command(UM_WIRE_WATCH_INPUT) != NULL);
    cr_expect_eq(last_command(UM_WIRE_WATCH_INPUT)->as.command.value, UM_WATCH_INPUT_ON);
    options.keep_keys = true;
    um_session_attached(session, now_ns, now_ns);
    cr_expect_eq(last_command(UM_WIRE_WATCH_INPUT)->as.command.value, UM_WATCH_INPUT_KEYS);
}

/* A key that arrived 5 ms ago, and 3 ms of work. */
static void press_key(void)
{
    struct um_wire_frame key = {.type = UM_WIRE_TAKEN,
                                .flags = UM_WIRE_TAKEN_INPUT | UM_WIRE_TAKEN_STARTS};
    struct um_arrival arrival = {.time_ns = now_ns, .kind = UM_INTERACTION_KEY};
    now_ns += 5 * MS;
    key.as.taken.time_ns = now_ns;
    key.as.taken.message = 0x100;
    key.as.taken.age_ms = 5;
    key.as.taken.key = 'Q'; /* nobody has asked for it */
    um_session_frame(session, &key, now_ns);
    um_session_arrival(session, &arrival);
    now_ns += 3 * MS;
    frame(UM_WIRE_TAKEN, now_ns, 0x82f2, UM_WIRE_TAKEN_OURS);
}

Test(session, publishes_and_sums_up_interactions)
{
    struct um_summary summary;
    uint8_t flags;

    options.interactions = true;
    beat_for(100);
    uint64_t arrival_ns = now_ns;
    press_key();
    beat_for(500);
    cr_assert_eq(count_published(UM_WIRE_INTERACTION), 1);
    const struct um_wire_interaction *said = &last_published(UM_WIRE_INTERACTION)->as.interaction;
    cr_expect_eq(said->key, 0);
    cr_expect(said->arrival_ns == arrival_ns && said->dequeued_ns == arrival_ns + 5 * MS);
    cr_expect(said->handled_ns == arrival_ns + 8 * MS && said->painted_ns == 0);
    struct um_wire_status status = status_now(&flags);
    cr_expect(flags & UM_WIRE_STATUS_HAS_TYPING && status.typing_p50_ns == 8 * MS);
    press_key();
    um_session_stop(session, now_ns, UM_END_STOPPED);
    cr_expect_eq(count_published(UM_WIRE_INTERACTION), 2, "the stop tells what is open");
    cr_assert(um_session_summary(session, &summary));
    cr_expect_eq(summary.interactions->kinds[UM_INTERACTION_KEY].count, 2);
}

Test(session, keeps_no_interactions_unasked)
{
    beat_for(100);
    press_key();
    beat_for(500);
    um_session_stop(session, now_ns, UM_END_STOPPED);
    cr_expect_eq(count_published(UM_WIRE_INTERACTION), 0);
}

Test(session, counts_arrivals_that_were_lost)
{
    uint8_t flags;
    options.interactions = true;
    um_session_arrivals_lost(session, 3);
    beat_for(500);
    struct um_wire_status status = status_now(&flags);
    cr_expect_eq(status.lost, 3);
}

Test(session, publishes_a_note_once_there_is_a_feed)
{
    cr_expect(!um_session_note(session, "early", now_ns));
    beat_for(100);
    cr_expect(um_session_note(session, "now", now_ns));
    cr_assert_eq(count_published(UM_WIRE_NOTE), 1);
    cr_expect_str_eq(last_published(UM_WIRE_NOTE)->as.note.text, "now");
    cr_expect_eq(last_published(UM_WIRE_NOTE)->as.note.time_ns, now_ns);
    um_session_stop(session, now_ns, UM_END_STOPPED);
    cr_expect(!um_session_note(session, "late", now_ns));
}

Test(session, is_quiet_since_the_last_message_that_means_work)
{
    static const uint32_t quiet[] = {0x000f, 0x0113, 0x0118, 0x0200, 0x00a0};
    cr_expect_eq(um_session_quiet_since_ns(session), 0, "nothing was measured");
    beat_for(100);
    uint64_t work_ns = now_ns;
    frame(UM_WIRE_TAKEN, now_ns, 0x401, 0);
    for (size_t i = 0; i < sizeof quiet / sizeof quiet[0]; i++) {
        beat_for(50);
        frame(UM_WIRE_TAKEN, now_ns, quiet[i], 0);
    }
    frame(UM_WIRE_TAKEN, now_ns, 0x82f2, UM_WIRE_TAKEN_OURS);
    beat_for(50);
    cr_expect_eq(um_session_quiet_since_ns(session), work_ns);
    um_session_detached(session, now_ns);
    cr_expect_eq(um_session_quiet_since_ns(session), 0, "nobody knows");
}

Test(session, is_seen_from_when_the_dll_says)
{
    um_session_detached(session, now_ns);
    now_ns += 1000 * MS;
    uint64_t seen_ns = now_ns - 30 * MS;
    um_session_attached(session, seen_ns, now_ns);
    cr_expect_eq(um_session_seen_ns(session), 0, "nothing was measured");
    frame(UM_WIRE_TAKEN, now_ns - 20 * MS, 0x401, 0);
    frame(UM_WIRE_TAKEN, now_ns - 18 * MS, 0x0113, 0);
    uint64_t end_ns = now_ns - 18 * MS;
    beat_for(50);
    cr_expect_eq(um_session_seen_ns(session), seen_ns);
    cr_expect_eq(um_session_quiet_since_ns(session), end_ns, "that work was told later");
}

Test(session, is_not_quiet_before_the_message_at_work_is_over)
{
    beat_for(100);
    frame(UM_WIRE_SENT, now_ns, ++seq, 0);
    frame(UM_WIRE_TAKEN, now_ns + MS, 0x111, 0); /* overtakes the beat */
    for (int i = 0; i < 4; i++) {
        now_ns += 10 * MS;
        frame(UM_WIRE_DRAINED, now_ns, 0, 0);
        um_session_tick(session, now_ns);
        cr_expect_eq(um_session_quiet_since_ns(session), now_ns);
    }
    now_ns += 5 * MS;
    frame(UM_WIRE_TAKEN, now_ns, 0xff, UM_WIRE_TAKEN_OURS);
    frame(UM_WIRE_SEEN, now_ns, seq, UM_WIRE_SEEN_RAW);
    uint64_t end_ns = now_ns;
    beat_for(100);
    cr_expect_eq(um_session_quiet_since_ns(session), end_ns, "that beat had waited for the work");
}

Test(session, is_not_quiet_while_a_beat_is_slow)
{
    beat_for(100);
    frame(UM_WIRE_SENT, now_ns, ++seq, 0);
    live_for(100);
    cr_expect_eq(um_session_quiet_since_ns(session), now_ns, "it is out");
    now_ns += 10 * MS;
    frame(UM_WIRE_SEEN, now_ns, seq, UM_WIRE_SEEN_RAW);
    uint64_t seen_ns = now_ns;
    beat_for(200);
    cr_expect_eq(um_session_quiet_since_ns(session), seen_ns);
}

/* The messages that were told, by their numbers. */
static size_t told_messages(uint32_t *messages, size_t cap)
{
    size_t count = 0;
    for (size_t i = 0; i < published_count && count < cap; i++)
        if (published[i].type == UM_WIRE_RETRIEVED)
            messages[count++] = published[i].as.retrieved.message;
    return count;
}

/* A freeze after message 0x202, of which nothing but signs of life comes. */
static void freeze_for(uint64_t ms)
{
    frame(UM_WIRE_TAKEN, now_ns, 0x113, 0);
    now_ns += 2 * MS;
    frame(UM_WIRE_TAKEN, now_ns, 0xc02c, 0);
    frame(UM_WIRE_SENT, now_ns, ++seq, 0);
    live_for(ms);
}

Test(session, tells_the_messages_before_a_freeze_once_it_is_long)
{
    uint32_t messages[8] = {0};
    options.dump_dir = "x";
    options.dump_over_ms = 500;
    open_session();
    beat_for(200);
    freeze_for(450);
    cr_expect_eq(count_published(UM_WIRE_EPISODE), 1);
    cr_expect_eq(told_messages(messages, 8), 0, "it is not long yet");
    live_for(550);
    cr_expect_eq(told_messages(messages, 8), 2, "once, and uimon's own are left out");
    cr_expect(messages[0] == 0x113 && messages[1] == 0xc02c);
    const struct um_wire_frame *last = last_published(UM_WIRE_RETRIEVED);
    const struct um_wire_retrieved *message = &last->as.retrieved;
    cr_expect_eq(last->flags, UM_WIRE_RETRIEVED_LAST);
    cr_expect(message->length_ns >= 500 * MS && message->length_ns <= 550 * MS);
    cr_expect_str_eq(message->window_class, "Edit");
    cr_expect_str_eq(message->message_name, "Dispatcher\xef\xbf\xbd[2JQueue");
    cr_expect_eq(message->freeze, last_published(UM_WIRE_EPISODE)->as.episode.id);
    frame(UM_WIRE_SEEN, now_ns, seq, UM_WIRE_SEEN_RAW);
    beat_for(100);
    freeze_for(1000);
    cr_expect_eq(told_messages(messages, 8), 2 + 4, "the next freeze has its own history");
}

Test(session, tells_no_messages_unasked)
{
    uint32_t messages[1];
    beat_for(200);
    freeze_for(1000);
    cr_expect_eq(told_messages(messages, 1), 0);
}

/* Another window may be one of another thread, which has retrieved none of them. */
Test(session, forgets_the_messages_of_an_attachment_that_is_over)
{
    uint32_t messages[8] = {0};
    options.dump_dir = "x";
    options.dump_over_ms = 500;
    open_session();
    frame(UM_WIRE_TAKEN, now_ns, 0x111, 0);
    beat_for(200);
    attach_again();
    beat_for(200);
    freeze_for(1000);
    cr_expect_eq(told_messages(messages, 8), 2);
    cr_expect_eq(messages[0], 0x113);
}

/* A sampler that samples always can be ahead of the first beat. What refers to a frame that came
 * before the session had begun would have no name otherwise. */
Test(session, what_others_refer_to_waits_for_the_session)
{
    struct um_wire_frame nodes = {.type = UM_WIRE_NODES,
                                  .as.nodes = {.first = 2, .count = 1, .list = {{.key = 7}}}};
    struct um_wire_frame sample = {.type = UM_WIRE_SAMPLE, .as.sample = {.node = 2}};
    open_session();
    um_session_add(session, &nodes);
    um_session_add(session, &sample);
    cr_assert_eq(published_count, 0);
    beat_for(50);
    cr_assert_geq(published_count, 3);
    cr_expect_eq(published[0].type, UM_WIRE_SESSION);
    cr_expect_eq(published[1].type, UM_WIRE_PACE);
    cr_assert_eq(published[2].type, UM_WIRE_NODES);
    cr_expect(published[2].as.nodes.first == 2 && published[2].as.nodes.list[0].key == 7);
    for (size_t i = 3; i < published_count; i++)
        cr_expect(published[i].type != UM_WIRE_NODES && published[i].type != UM_WIRE_SAMPLE);
    um_session_add(session, &sample);
    cr_expect_eq(published[published_count - 1].type, UM_WIRE_SAMPLE);
}

/* The monitor was held up, so three slices are published at once. In each the beat has waited at
 * least so long as it had when that was last seen. */
Test(session, lag_does_not_shrink_while_a_beat_waits)
{
    uint8_t flags;
    open_session();
    beat_for(300);
    frame(UM_WIRE_TAKEN, now_ns, 0x111, 0);
    frame(UM_WIRE_SENT, now_ns + 5 * MS, ++seq, 0);
    live_for(250);
    uint64_t before_ns = status_now(&flags).lag_ns;
    cr_expect_gt(before_ns, 150 * MS);
    frame(UM_WIRE_DRAINED, now_ns + 10 * MS, 0, 0);
    now_ns += 310 * MS;
    um_session_tick(session, now_ns);
    cr_expect_geq(status_now(&flags).lag_ns, before_ns);
    cr_expect_geq(status_now(&flags).lag_ns, 245 * MS, "it was seen waiting for so long");
}
