/* Where the monitor's threads meet: the watching thread, the console's, the hub's, and those of the
 * target and of a consumer. The target is fake_target.h's, the clock is the real one: tests wait
 * for what must come, and FAKE_HANG_MS is a bound for tests that hang, no time that is measured. */
#include <stdatomic.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/plain/clock.h"
#include "base/plain/text.h"
#include "base/thread.h"
#include "monitor/live/watch.h"
#include "monitor/live/watch_children.h"
#include "tests/unit/live/fake_target.h"
#include "tests/unit/wait_until.h"

#define POLL_NS UM_CLOCK_NS_PER_MS
#define CONSOLES 3
#define NOTES_MAX 16 /* that wait at once: watch.c's own number */

static struct um_options options;
static struct um_watch *watch;
static char feed[UM_TRANSPORT_NAME_BYTES];
static struct fake_stream consumer;

static void setup(void)
{
    options = (struct um_options){.command = UM_OPTIONS_WATCH,
                                  .headless = true,
                                  .verbose = true, /* the console gets the feed's name then */
                                  .threshold_ms = 100,
                                  .slow_ms = 50,
                                  .sample_every_ms = 10,
                                  .heartbeat_ms = FAKE_PERIOD_MS};
    fake_target_start();
}

static void teardown(void)
{
    um_watch_close(watch);
    if (consumer.conn)
        consumer.transport->close(consumer.conn);
}

TestSuite(watch, .init = setup, .fini = teardown, .timeout = 120, .threads = true);

/* The next line for the console, as the console asks for it: again and again. */
static void next_line(char *text)
{
    WAIT_UNTIL(um_watch_next_line(watch, text, UM_WATCH_LINE_BYTES), "no line came");
}

/* Takes lines until one has `part` in it. */
static void expect_line(const char *part)
{
    char text[UM_WATCH_LINE_BYTES] = "";
    while (!strstr(text, part))
        next_line(text);
}

static void open_watch(void)
{
    static const char label[] = "feed: ";
    char text[UM_WATCH_LINE_BYTES];
    cr_assert_eq(um_watch_open(&options, fake_target_process(), NULL, NULL, NULL, NULL, 0, &watch),
                 UM_OK);
    next_line(text);
    cr_assert_eq(strncmp(text, label, strlen(label)), 0, "%s", text);
    um_text_set(feed, sizeof feed, text + strlen(label));
}

/* From its return on the consumer gets all that is published: a connection may wait for the hub,
 * which greets once it has taken it. */
static void join_feed(void)
{
    struct um_conn *conn;
    cr_assert_eq(um_transport_system()->connect(feed, FAKE_HANG_MS, &conn), UM_OK);
    fake_stream_begin(&consumer, um_transport_system(), conn);
    cr_assert_eq(fake_stream_read(&consumer, FAKE_HANG_MS), UM_OK);
}

/* The feed's next frame of this type; what comes before it is skipped. */
static struct um_wire_frame next_frame(enum um_wire_type type)
{
    struct um_wire_frame frame = {0};
    uint64_t until_ns = um_clock_now_ns() + WAIT_UNTIL_HANG_NS;
    for (;;) {
        cr_assert_lt(um_clock_now_ns(), until_ns, "no frame of type %d came", type);
        enum um_status status = um_frame_reader_next(&consumer.frames, &frame);
        if (status == UM_ERR_PARTIAL)
            status = fake_stream_read(&consumer, FAKE_HANG_MS);
        else if (status == UM_OK && frame.type == type)
            return frame;
        cr_assert_eq(status, UM_OK, "%s", um_status_text(status));
    }
}

/* The next episode's begin or end; `id` 0 is any that the freeze's own message began. */
static struct um_wire_episode next_episode(uint8_t flag, uint32_t id)
{
    struct um_wire_frame frame;
    do
        frame = next_frame(UM_WIRE_EPISODE);
    while (!(frame.flags & flag) ||
           (id ? frame.as.episode.id != id : frame.as.episode.message != FAKE_FREEZES_AT));
    return frame.as.episode;
}

static void wait_measuring(void)
{
    WAIT_UNTIL(um_watch_view(watch).measuring, "it does not measure");
}

/* With a consumer of the feed. */
static void begin_watching(void)
{
    open_watch();
    join_feed();
    wait_measuring();
}

static void wait_over(void)
{
    WAIT_UNTIL(um_watch_over(watch), "it does not end");
}

static void wait_attachments(unsigned count)
{
    WAIT_UNTIL(fake_target_attachments() >= count, "it does not attach");
}

/* Its end: status, the line of error, and the summary. */
static struct um_summary finish(enum um_status status, const char *error_part, bool measured)
{
    struct um_summary summary = {0};
    bool has = !measured;
    char error[UM_OPTIONS_ERROR_BYTES] = "?";
    cr_assert_eq(um_watch_finish(watch, &summary, &has, error, sizeof error), status);
    cr_assert_eq(has, measured);
    if (error_part)
        cr_assert(strstr(error, error_part), "%s", error);
    else
        cr_assert_str_empty(error);
    return summary;
}

static void expect_end(enum um_end_reason reason)
{
    cr_assert_eq(next_frame(UM_WIRE_END).as.end.reason, reason);
}

Test(watch, attaches_measures_and_greets)
{
    open_watch();
    expect_line("watching fake.exe (pid 7, thread 8, window 0x9, class Fake): A fake");
    expect_line("probe: raw");
    wait_measuring();
    cr_expect_eq(um_watch_view(watch).target.hwnd, FAKE_WINDOW);
    struct um_watch_quiet quiet = um_watch_view(watch).quiet;
    cr_expect(quiet.asked_ns > 0 && quiet.asked_ns <= quiet.seen_ns, "asked before the DLL came");
    cr_expect(quiet.seen_ns <= quiet.since_ns && quiet.since_ns <= um_clock_now_ns());
    cr_expect(fake_target_got(UM_WIRE_PERIOD, FAKE_PERIOD_MS * 1000));
    cr_expect(fake_target_got(UM_WIRE_USE_PROBE, UM_PROBE_AUTO));
    cr_expect_not(um_watch_over(watch));
    um_watch_stop(watch);
    struct um_summary summary = finish(UM_OK, NULL, true);
    cr_expect(um_watch_over(watch));
    cr_expect(um_watch_view(watch).has_status);
    cr_expect_gt(um_watch_view(watch).elapsed_s, 0);
    cr_expect_gt(summary.totals.beats_seen, 0);
    cr_expect(fake_target_got(UM_WIRE_STOP, 0), "the DLL was not asked to leave");
}

Test(watch, counts_and_probes_the_pool_for_prometheus)
{
    options.prometheus = "a.prom";
    open_watch();
    cr_expect(fake_target_got(UM_WIRE_COUNT_MESSAGES, 1));
    cr_expect(fake_target_got(UM_WIRE_PROBE_POOL, 1));
}

Test(watch, counts_for_a_recording)
{
    options.record = "a.uirec";
    open_watch();
    cr_expect(fake_target_got(UM_WIRE_COUNT_MESSAGES, 1));
}

Test(watch, a_freeze_is_shown_while_it_lasts)
{
    begin_watching();
    fake_target_freeze(true);
    struct um_wire_episode begin = next_episode(UM_WIRE_EPISODE_BEGIN, 0);
    cr_expect_eq(begin.state, UM_STATE_FROZEN);
    cr_expect_str_eq(begin.window_class, "Button");
    fake_target_freeze(false);
    struct um_wire_episode end = next_episode(UM_WIRE_EPISODE_END, begin.id);
    cr_expect_geq(um_wire_episode_length_ns(&end), 100 * UM_CLOCK_NS_PER_MS);
    um_watch_stop(watch);
    expect_end(UM_END_STOPPED);
    cr_expect_geq(finish(UM_OK, NULL, true).freezes->count, 1);
}

Test(watch, a_consumer_that_comes_late_is_told_of_the_freeze)
{
    begin_watching();
    fake_target_freeze(true);
    uint32_t id = next_episode(UM_WIRE_EPISODE_BEGIN, 0).id;
    consumer.transport->close(consumer.conn); /* this one leaves, without a word */
    join_feed();
    cr_expect_str_eq(next_frame(UM_WIRE_SESSION).as.session.name, "fake.exe");
    cr_expect_eq(next_episode(UM_WIRE_EPISODE_BEGIN, 0).id, id);
    fake_target_freeze(false);
    next_episode(UM_WIRE_EPISODE_END, id);
}

Test(watch, a_freeze_ends_with_the_session)
{
    begin_watching();
    fake_target_freeze(true);
    uint32_t id = next_episode(UM_WIRE_EPISODE_BEGIN, 0).id;
    um_watch_stop(watch);
    next_episode(UM_WIRE_EPISODE_END | UM_WIRE_EPISODE_OPEN, id);
    expect_end(UM_END_STOPPED);
    finish(UM_OK, NULL, true);
    cr_expect(fake_target_got(UM_WIRE_STOP, 0), "a frozen target's DLL is not asked to leave");
}

Test(watch, ends_with_the_target)
{
    begin_watching();
    fake_target_exit();
    wait_over();
    expect_end(UM_END_TARGET_GONE);
    finish(UM_OK, NULL, true);
}

Test(watch, ends_with_the_target_while_that_is_frozen)
{
    begin_watching();
    fake_target_freeze(true);
    next_episode(UM_WIRE_EPISODE_BEGIN, 0);
    fake_target_exit();
    expect_end(UM_END_TARGET_GONE);
    finish(UM_OK, NULL, true);
}

Test(watch, ends_after_the_duration)
{
    options.duration_s = 0.01;
    open_watch();
    wait_over();
    cr_expect_geq(finish(UM_OK, NULL, true).totals.duration_ns, 10 * UM_CLOCK_NS_PER_MS);
}

/* However short the run was. */
Test(watch, says_at_its_end_that_the_program_is_not_managed)
{
    options.command = UM_OPTIONS_LAUNCH;
    options.trace = UM_OPTIONS_TRACE_METHODS;
    begin_watching();
    fake_target_exit();
    wait_over();
    finish(UM_OK, NULL, true);
    expect_line("--trace methods has traced nothing: fake.exe is not managed, it has loaded no "
                ".NET runtime; launch the program with the managed code itself, or leave --trace "
                "methods out");
}

/* The line about the child says what to do; one about the launched program would be a second. */
Test(watch, says_at_its_end_how_a_child_of_a_program_that_is_not_managed_is_traced)
{
    static struct um_watch_children children;
    char line[UM_WATCH_LINE_BYTES * 3];
    options.command = UM_OPTIONS_LAUNCH;
    options.trace = UM_OPTIONS_TRACE_METHODS;
    children.launched = fake_target_process();
    children.tracing = &options;
    children.advised.count = 1;
    cr_assert_eq(
        um_watch_open(&options, fake_target_process(), NULL, NULL, &children, NULL, 0, &watch),
        UM_OK);
    wait_measuring();
    fake_target_exit();
    wait_over();
    finish(UM_OK, NULL, true);
    while (um_watch_next_line(watch, line, sizeof line))
        cr_expect(!strstr(line, "has traced nothing"), "%s", line);
}

Test(watch, says_at_its_end_that_a_managed_program_has_not_loaded_the_profiler)
{
    options.trace = UM_OPTIONS_TRACE_CALLS;
    fake_target_module("coreclr.dll");
    begin_watching();
    fake_target_exit();
    wait_over();
    finish(UM_OK, NULL, true);
    expect_line("--trace calls has traced nothing: the .NET runtime of fake.exe has not loaded "
                "uimon's profiler, or not in time; start the program with --launch, or as 'uimon "
                "trace-env' says");
}

Test(watch, waits_for_a_frozen_target)
{
    fake_target_freeze(true);
    open_watch();
    expect_line("the program is frozen; watching begins when it comes back");
    cr_expect_not(um_watch_view(watch).measuring);
    fake_target_freeze(false);
    wait_measuring();
    cr_expect_eq(fake_target_attachments(), 1);
}

Test(watch, can_be_stopped_while_it_waits_for_a_frozen_target)
{
    fake_target_freeze(true);
    open_watch();
    expect_line("the program is frozen");
    um_watch_stop(watch);
    finish(UM_OK, NULL, false);
    cr_expect_eq(fake_target_attachments(), 0);
}

Test(watch, can_be_stopped_while_it_waits_for_a_window)
{
    fake_target_show(0, 0);
    open_watch();
    um_watch_stop(watch);
    finish(UM_OK, NULL, false);
}

Test(watch, begins_with_the_first_window)
{
    fake_target_show(0, 0);
    open_watch();
    fake_target_show(FAKE_WINDOW, FAKE_TID);
    wait_measuring();
}

Test(watch, says_so_if_the_target_ends_without_a_window)
{
    fake_target_show(0, 0);
    open_watch();
    fake_target_exit();
    wait_over();
    finish(UM_ERR_NOT_FOUND, "ended with exit code 0 before it showed a window", false);
}

static void note_end(void *context, struct um_feed_item *item)
{
    bool *ended = context;
    *ended |= item->frame->type == UM_WIRE_END;
}

/* The next watch's session goes on with the outputs. */
Test(watch, ends_without_a_word_to_the_outputs_for_what_the_target_has_started)
{
    static struct um_watch_children children;
    bool ended = false;
    const struct um_feed_output output = {&ended, note_end, NULL};
    children.launched = fake_target_process();
    fake_target_show(0, 0);
    fake_target_start_another();
    cr_assert_eq(
        um_watch_open(&options, fake_target_process(), NULL, NULL, &children, &output, 1, &watch),
        UM_OK);
    fake_target_exit();
    expect_line("fake.exe (pid 7) ended with exit code 0 without a window; the first window of "
                "fake.exe (pid 7), which it has started, is waited for");
    fake_target_show(FAKE_WINDOW, FAKE_TID);
    expect_line("is watched instead");
    wait_over();
    finish(UM_OK, NULL, false);
    cr_expect_eq(children.next, fake_target_process());
    cr_expect_eq(children.next_info.hwnd, FAKE_WINDOW);
    cr_expect_not(ended);
    cr_expect_eq(fake_target_attachments(), 0);
}

Test(watch, says_so_if_the_target_ends_while_it_waits_for_it)
{
    fake_target_freeze(true);
    open_watch();
    expect_line("the program is frozen");
    fake_target_exit();
    wait_over();
    finish(UM_ERR_NOT_FOUND, "ended before it could be watched", false);
}

Test(watch, fails_where_it_cannot_attach)
{
    fake_target_refuse(UM_ERR_DENIED, "uimon: no hook");
    open_watch();
    wait_over();
    finish(UM_ERR_DENIED, "uimon: no hook", false);
}

Test(watch, attaches_again_when_the_dll_has_left)
{
    open_watch();
    wait_measuring();
    fake_target_leave(false);
    wait_attachments(2);
    wait_measuring();
    um_watch_stop(watch);
    cr_expect_gt(finish(UM_OK, NULL, true).totals.beats_seen, 0);
}

Test(watch, does_not_measure_between_two_attachments)
{
    open_watch();
    wait_measuring();
    fake_target_freeze(true);
    fake_target_leave(false);
    expect_line("the program is frozen; watching begins when it comes back");
    cr_expect_not(um_watch_view(watch).measuring);
    cr_expect_eq(um_watch_view(watch).quiet.since_ns, 0);
}

Test(watch, goes_over_to_pairs_where_zero_beats_are_dropped)
{
    fake_target_drop_zero();
    open_watch();
    join_feed();
    expect_line("the beats are pairs from now on");
    while (next_frame(UM_WIRE_BEAT_KIND).as.beat_kind.kind != UM_BEAT_KIND_PAIR)
        continue;
    wait_measuring();
}

Test(watch, names_a_higher_integrity_level_as_the_reason_for_being_blind)
{
    begin_watching();
    struct um_wire_beat_kind now = next_frame(UM_WIRE_BEAT_KIND).as.beat_kind;
    cr_expect_eq(now.kind, UM_BEAT_KIND_STILL);
    fake_target_shield(true);
    expect_line("has a higher integrity level");
    while (!now.shielded || now.held != UM_PROBE_HELD_NOT)
        now = next_frame(UM_WIRE_BEAT_KIND).as.beat_kind;
    cr_expect_eq(now.kind, UM_BEAT_KIND_STILL);
    fake_target_shield(false);
    while (now.shielded)
        now = next_frame(UM_WIRE_BEAT_KIND).as.beat_kind;
}

Test(watch, says_why_this_system_gives_no_stacks_and_goes_on)
{
    fake_target_no_stacks("it is another machine");
    open_watch();
    expect_line("freezes come without stacks: it is another machine");
    wait_measuring();
    um_watch_stop(watch);
    finish(UM_OK, NULL, true);
}

Test(watch, attaches_again_when_the_dll_talks_nonsense)
{
    open_watch();
    wait_measuring();
    fake_target_babble();
    wait_attachments(2);
    wait_measuring();
}

Test(watch, gives_up_on_a_dll_that_never_stays)
{
    fake_target_leave(true);
    open_watch();
    wait_over();
    finish(UM_ERR_DENIED, "the hook DLL does not stay in fake.exe", true);
    cr_expect_geq(fake_target_attachments(), 5); /* more where the machine stood still in one */
}

Test(watch, follows_the_window_to_another_thread)
{
    open_watch();
    wait_measuring();
    fake_target_show(FAKE_WINDOW + 100, FAKE_TID + 100);
    wait_attachments(2);
    wait_measuring();
    cr_expect_eq(um_watch_view(watch).target.hwnd, FAKE_WINDOW + 100);
    cr_expect_eq(um_watch_view(watch).target.tid, FAKE_TID + 100);
}

Test(watch, stays_with_another_window_of_the_thread)
{
    begin_watching();
    fake_target_show(FAKE_WINDOW + 100, FAKE_TID);
    while (next_frame(UM_WIRE_SESSION).as.session.hwnd != FAKE_WINDOW + 100)
        continue;
    cr_expect_eq(fake_target_attachments(), 1);
}

Test(watch, says_that_beats_tell_of_the_windows_thread_alone)
{
    fake_target_toolkit("Java");
    open_watch();
    expect_line("a Java program: beats show whether its window's thread takes input, but its own "
                "code runs elsewhere; --interactions measures further");
    wait_measuring();
    um_watch_stop(watch);
    struct um_summary summary = finish(UM_OK, NULL, true);
    cr_expect_str_eq(summary.toolkit, "Java");
}

/* As when a start-up window of the system's gives way to one of the toolkit's. */
Test(watch, says_of_a_later_window_that_beats_tell_of_its_thread_alone)
{
    options.interactions = true;
    begin_watching();
    fake_target_toolkit("Chromium");
    fake_target_show(FAKE_WINDOW + 100, FAKE_TID);
    char text[UM_WATCH_LINE_BYTES] = "";
    while (!strstr(text, "a Chromium program"))
        next_line(text);
    cr_expect_null(strstr(text, "--interactions"), "it advises what was asked for already");
    struct um_wire_session session = {0};
    while (session.hwnd != FAKE_WINDOW + 100)
        session = next_frame(UM_WIRE_SESSION).as.session;
    cr_expect_str_eq(session.toolkit, "Chromium");
}

static void open_overlay_and_recording(void)
{
    options.headless = false;
    options.record = "monday.uirec";
    begin_watching();
}

Test(watch, a_hotkey_hides_the_overlay_and_shows_it_again)
{
    open_overlay_and_recording();
    cr_assert(fake_hotkeys_press(0));
    cr_expect_eq(next_frame(UM_WIRE_VIEW).as.view.hidden, 1);
    cr_assert(fake_hotkeys_press(0));
    cr_expect_eq(next_frame(UM_WIRE_VIEW).as.view.hidden, 0);
}

Test(watch, a_hotkey_moves_the_overlay_and_back)
{
    open_overlay_and_recording();
    cr_assert(fake_hotkeys_press(UM_OPTIONS_HOTKEY_POSITION));
    cr_expect_eq(next_frame(UM_WIRE_VIEW).as.view.moved, 1);
    cr_assert(fake_hotkeys_press(UM_OPTIONS_HOTKEY_POSITION));
    cr_expect_eq(next_frame(UM_WIRE_VIEW).as.view.moved, 0);
}

Test(watch, the_greeting_says_how_the_overlay_is_moved_and_hidden)
{
    options.hotkeys = "hide=Ctrl+F9";
    open_overlay_and_recording();
    expect_line("watching fake.exe");
    expect_line("Ctrl+Alt+Shift+F5 moves the overlay to the other edge, Ctrl+F9 hides the overlay");
}

Test(watch, the_greeting_does_not_name_hotkeys_that_are_taken)
{
    char text[UM_WATCH_LINE_BYTES] = "";

    fake_hotkeys_taken = true;
    open_overlay_and_recording();
    while (!strstr(text, "probe: raw")) {
        next_line(text);
        cr_expect_not(strstr(text, "moves the overlay"), "%s", text);
    }
}

Test(watch, a_hotkey_marks_the_moment)
{
    open_overlay_and_recording();
    uint64_t before_ns = um_clock_now_ns();
    cr_assert(fake_hotkeys_press(1));
    uint64_t after_ns = um_clock_now_ns();
    cr_assert(fake_hotkeys_press(1));
    struct um_wire_note note = next_frame(UM_WIRE_NOTE).as.note;
    cr_expect_str_eq(note.text, "mark 1");
    cr_expect(note.time_ns >= before_ns && note.time_ns <= after_ns);
    cr_expect_str_eq(next_frame(UM_WIRE_NOTE).as.note.text, "mark 2");
    expect_line("mark 2");
}

Test(watch, a_hotkey_switches_tracing_on_and_off)
{
    options.hotkeys = "trace=Ctrl+F8";
    begin_watching();
    cr_assert(fake_hotkeys_press(3));
    cr_expect(fake_target_got(UM_WIRE_TRACE, 1));
    cr_assert(fake_hotkeys_press(3));
    cr_expect(fake_target_got(UM_WIRE_TRACE, 0));
    expect_line("tracing messages: each sent message is slower from now on");
    expect_line("tracing messages has ended");
}

/* Another attachment is asked again. */
Test(watch, tracing_goes_on_when_the_dll_comes_again)
{
    options.trace = UM_OPTIONS_TRACE_MESSAGES;
    open_watch();
    cr_expect(fake_target_got(UM_WIRE_TRACE, 1));
    fake_target_leave(false);
    cr_expect(fake_target_got(UM_WIRE_TRACE, 1));
}

Test(watch, there_are_no_hotkeys_for_what_there_is_not)
{
    begin_watching(); /* headless, and nothing is recorded */
    for (size_t i = 0; i < 4; i++)
        cr_expect_not(fake_hotkeys_press(i), "hotkey %zu", i);
}

Test(watch, says_whose_hotkeys_are_taken_and_goes_on)
{
    fake_hotkeys_taken = true;
    options.hotkeys = "hide=Ctrl+F9";
    open_overlay_and_recording();
    expect_line("another program has Ctrl+F9, so these keys cannot hide the overlay: choose others "
                "with --hotkeys hide=KEYS");
    expect_line("another program has Ctrl+Alt+Shift+F10, so these keys cannot set marks: choose "
                "others with --hotkeys mark=KEYS");
}

Test(watch, says_which_hotkeys_stand_for_two_things)
{
    options.hotkeys = "panel=shift+alt+ctrl+f9"; /* as hiding, by default */
    open_overlay_and_recording();
    expect_line("shift+alt+ctrl+f9 stands for two things: these keys hide the overlay, and cannot "
                "change its panel: choose others with --hotkeys panel=KEYS");
}

Test(watch, notes_reach_the_feed_in_order)
{
    begin_watching();
    cr_assert(um_watch_add_note(watch, "first"));
    cr_assert(um_watch_add_note(watch, "second"));
    cr_expect_str_eq(next_frame(UM_WIRE_NOTE).as.note.text, "first");
    cr_expect_str_eq(next_frame(UM_WIRE_NOTE).as.note.text, "second");
}

Test(watch, notes_are_refused_when_too_many_wait)
{
    fake_target_freeze(true);
    open_watch();
    for (int i = 0; i < NOTES_MAX; i++)
        cr_assert(um_watch_add_note(watch, "waits"));
    cr_expect_not(um_watch_add_note(watch, "one too many"));
}

/* Nothing was laid out yet. */
Test(watch, parts_of_the_window_are_told_of_before_they_cost_anything)
{
    options.layout = UM_WIRE_LAYOUT_MODE_COMPONENTS;
    begin_watching();
    const struct um_wire_layout_component window =
        next_frame(UM_WIRE_LAYOUT_COMPONENT).as.layout_component;
    cr_expect_eq(window.window, FAKE_WINDOW);
    cr_expect_str_eq(window.window_class, "Fake");
    cr_expect(window.authored == 2 && window.rendered == 2);
    const struct um_wire_layout_place place = next_frame(UM_WIRE_LAYOUT_PLACE).as.layout_place;
    cr_expect(place.id == window.id && place.left == 0 && place.top == 0);
    cr_expect(place.width == 400 && place.height == 300 && place.draws_parts == 0);
}

Test(watch, measures_without_a_control)
{
    fake_target_without_control();
    cr_assert_eq(um_watch_open(&options, fake_target_process(), NULL, NULL, NULL, NULL, 0, &watch),
                 UM_OK);
    expect_line("no raw input for the monitor: beats that the system loses read as frozen");
    wait_measuring();
}

Test(watch, a_key_is_measured_from_its_arrival)
{
    options.interactions = true;
    begin_watching();
    cr_assert(fake_target_got(UM_WIRE_WATCH_INPUT, UM_WATCH_INPUT_ON));
    uint64_t arrival_ns = fake_target_press();
    struct um_wire_interaction key = next_frame(UM_WIRE_INTERACTION).as.interaction;
    cr_expect_eq(key.kind, UM_INTERACTION_KEY);
    cr_expect_eq(key.arrival_ns, arrival_ns);
    cr_expect_geq(key.dequeued_ns, arrival_ns);
    cr_expect_geq(key.handled_ns, key.dequeued_ns);
}

Test(watch, pauses_while_nobody_is_there)
{
    options.idle_pause_s = 0.05;
    open_watch();
    cr_assert(fake_target_got(UM_WIRE_PAUSE, 1));
    fake_target_press();
    cr_assert(fake_target_got(UM_WIRE_PAUSE, 0));
}

Test(watch, says_so_when_the_overlay_stays_away)
{
    options.headless = false;
    fake_overlay_launch_status(UM_ERR_NOT_FOUND);
    open_watch();
    expect_line("the overlay ended four times within a minute and stays away "
                "(uimon-overlay.exe cannot be started); measuring goes on");
    cr_expect_eq(fake_overlay_launches(), 4);
    cr_expect(um_watch_view(watch).measuring);
}

static _Atomic int consoles_end;

/* What a console asks for, and a benchmark, as often as it can. */
static void ask(void *context)
{
    char text[UM_WATCH_LINE_BYTES];
    (void)context;
    while (!atomic_load(&consoles_end)) {
        (void)um_watch_view(watch);
        um_watch_over(watch);
        um_watch_next_line(watch, text, sizeof text);
        um_watch_add_note(watch, "asked");
        um_clock_sleep_ns(POLL_NS);
    }
}

Test(watch, may_be_asked_from_any_thread)
{
    struct um_thread consoles[CONSOLES] = {{0}};
    open_watch();
    join_feed();
    for (int i = 0; i < CONSOLES; i++)
        cr_assert_eq(um_thread_start(ask, NULL, &consoles[i]), UM_OK);
    wait_measuring();
    fake_target_freeze(true);
    uint32_t id = next_episode(UM_WIRE_EPISODE_BEGIN, 0).id;
    fake_target_freeze(false);
    next_episode(UM_WIRE_EPISODE_END, id);
    fake_target_leave(false);
    wait_attachments(2);
    next_frame(UM_WIRE_NOTE);
    fake_target_exit();
    expect_end(UM_END_TARGET_GONE);
    finish(UM_OK, NULL, true);
    atomic_store(&consoles_end, 1);
    for (int i = 0; i < CONSOLES; i++)
        um_thread_join(&consoles[i]);
}

Test(watch, tells_of_the_profile_while_the_overlay_shows_it)
{
    options.headless = false;
    options.hotkeys = "hide=none,panel=none";
    options.panel = UM_WIRE_PANEL_PROFILE;
    options.sample = UM_OPTIONS_SAMPLE_OFF;
    open_watch();
    join_feed();
    struct um_wire_frame view = next_frame(UM_WIRE_VIEW);
    cr_expect_eq(view.as.view.panel, UM_WIRE_PANEL_PROFILE);
    cr_expect_eq(view.as.view.hidden, 0);
    cr_expect_eq(next_frame(UM_WIRE_PROFILE).as.profile.scope, UM_WIRE_SCOPE_NONE);
    cr_expect_eq(next_frame(UM_WIRE_PROFILE).as.profile.samples, 0, "it comes again and again");
    um_watch_stop(watch);
    finish(UM_OK, NULL, true);
}
