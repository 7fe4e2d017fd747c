/* What uimon says of programs in every state, against their own logs: freezes in sent messages,
 * quiet and busy hours without any, starvation, suspension, loops that hide input, raw input of
 * others. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/e2e/harness.h"

#define REST_MS 100.0

/* Where target_odd stands if nobody says otherwise, and a point on it. */
#define ODD_X 380
#define ODD_Y 300
#define ODD_XY "380", "300"
#define FAR_XY "1900", "1060"

#define UNTIL_TOLD "50000" /* as a freeze of target_odd */
#define UNEATEN "700"      /* a freeze after which target_odd does not take all raw input */
#define JANKS 50

static double ms(uint64_t ns)
{
    return (double)ns / 1e6;
}

static double length_ms(const struct um_demo_log_event *truth)
{
    return ms(truth->end_ns - truth->begin_ns);
}

static const char *state_of(const cJSON *freeze)
{
    return cJSON_GetStringValue(cJSON_GetObjectItem(freeze, "state"));
}

/* Lets a target that gets no beats freeze for the first time, and returns what its log says. */
static struct um_demo_log_event freeze_untold(const struct target *target, const char *length)
{
    struct um_demo_log_event *freeze;

    trigger(target, length);
    wait_lines(target->log, "freeze ", 1);
    cr_assert_eq(log_events(target->log, UM_DEMO_LOG_FREEZE, &freeze), 1);
    struct um_demo_log_event first = freeze[0];
    free(freeze);
    return first;
}

/* The target froze within an episode of the feed in which nothing was measured: the summary has
 * that time as such, and not the freeze. */
static void check_unseen(const cJSON *summary, const struct um_demo_log_event *truth,
                         uint64_t begun_ns, uint64_t end_ns)
{
    double unseen_ms = number(summary, "state_ms.idle") + number(summary, "state_ms.blind") +
                       number(summary, "state_ms.suspended");

    cr_expect(begun_ns < truth->begin_ns && end_ns > truth->end_ns, "the episode is another one");
    cr_expect_geq(unseen_ms, ms(end_ns - begun_ns) - COARSE_MS, "%.1f ms of %.1f", unseen_ms,
                  ms(end_ns - begun_ns));
    cr_expect_eq(freezes_of(summary, truth), 0, "a freeze is said that nobody saw");
}

/* Triggers a list in a target that is being watched, and waits until the log has `count` freezes,
 * and the feed the end of the last of them, which this returns. */
static struct um_demo_log_event freeze_told(const struct target *target, const struct program *feed,
                                            const char *list, size_t count)
{
    trigger(target, list);
    struct um_demo_log_event *freezes = wait_freezes(target, count);
    struct um_demo_log_event last = freezes[count - 1];
    free(freezes);
    wait_told(feed, &last);
    return last;
}

static bool is_responsive_since(const struct program *feed, uint64_t since_ns)
{
    return line_number_from(feed->out, "state responsive ", "since", since_ns, "since") > 0;
}

/* Waits until the feed has told the end of the log's n-th freeze, and that the target is responsive
 * since then. */
static void wait_responsive_after(const struct target *target, const struct program *feed, size_t n)
{
    struct um_demo_log_event *freezes = wait_freezes(target, n);
    wait_told(feed, &freezes[n - 1]);
    WAIT_UNTIL(is_responsive_since(feed, freezes[n - 1].end_ns), "it is not responsive again");
    free(freezes);
}

/* Lets a watched target freeze once, and checks what is said of that. */
static void check_one_freeze(const struct target *target, struct monitor *monitor)
{
    struct program feed;

    tail_feed(&feed, monitor);
    wait_line(feed.out, "state responsive");
    freeze_told(target, &feed, LASTING_FREEZE, 1);
    cJSON *summary = stop_monitor(monitor);
    check_freezes(summary, target);
    cr_expect_gt(number(summary, "beats.seen"), 0);
    cJSON_Delete(summary);
}

static void type_into(const struct target *target, const char *text)
{
    char hwnd[32];
    snprintf(hwnd, sizeof hwnd, "0x%llx", (unsigned long long)target->hwnd);
    probe("type", hwnd, text, NULL);
}

/* Sent messages ---------------------------------------------------------------------------------
 */

/* With the beats of a thread at rest, a freeze in a sent message begins some time between two of
 * them, and that is said. */
Test(states, sent_freezes_of_a_resting_thread_have_an_uncertain_begin)
{
    static const char *const lists[] = {"sent:1300", "sent:1500", "sent:1700"};
    struct target target;
    struct monitor monitor;
    struct program feed;

    start_target(&target, NULL, "--still", NULL);
    start_monitor(&monitor, &target, NULL);
    tail_feed(&feed, &monitor);
    wait_line(feed.out, "state responsive");
    for (size_t i = 0; i < 3; i++)
        freeze_told(&target, &feed, lists[i], i + 1);
    cJSON *summary = stop_monitor(&monitor);
    cr_expect_eq(number(summary, "rest_heartbeat_ms"), REST_MS);
    struct um_demo_log_event *truth = wait_freezes(&target, 3);
    for (size_t i = 0; i < 3; i++) {
        const cJSON *freeze = check_freeze(summary, &target, &truth[i], "frozen");
        cr_expect_gt(number(freeze, "start_uncertainty_ms"), 0);
        cr_expect(!cJSON_HasObjectItem(freeze, "message"), "a sent message was not retrieved");
    }
    check_no_other_freeze(summary, &target);
    cJSON_Delete(summary);
    free(truth);
}

/* Nothing to report ---------------------------------------------------------------------------- */

Test(states, modal_dialog_is_no_freeze)
{
    struct target target;
    struct monitor monitor;

    start_target(&target, NULL, NULL);
    start_monitor(&monitor, &target, NULL);
    wait_measured(&monitor);
    trigger(&target, "modal:1500"); /* check_no_other_freeze looks for a second */
    wait_line(target.log, "modal ");
    cJSON *summary = stop_monitor(&monitor);
    check_no_other_freeze(summary, &target);
    cJSON_Delete(summary);
}

/* Freezes where the mouse is not --------------------------------------------------------------- */

Test(states, freezes_are_seen_with_the_cursor_far_away)
{
    struct target target;
    struct monitor monitor;

    start_target(&target, "target_odd_win32", "--mode", "quiet", NULL);
    probe("cursor", FAR_XY, NULL);
    start_monitor(&monitor, &target, NULL);
    check_one_freeze(&target, &monitor);
}

static void expect_front(const struct target *front)
{
    char pid[16];
    snprintf(pid, sizeof pid, " %u ", front->pid);
    cr_assert(strstr(probe("foreground", NULL), pid), "the other window is not in front");
}

/* Another window is clicked on, so that it is in front of the target and stays there. */
static void start_behind(struct target *target, struct target *front)
{
    start_target(target, "target_odd_win32", "--mode", "quiet", NULL);
    start_target(front, "target_odd_win32", "--mode", "quiet", "--pos", "40,40,800,600", NULL);
    wait_front(front);
    x_click(ODD_X, ODD_Y);
    expect_front(front);
}

/* With all beats, and at the resting rate, which they have there if nothing else is said. */
Test(states, freezes_are_seen_behind_another_window)
{
    static const char *const backgrounds[] = {"full", "rest"};
    struct target target;
    struct target front;
    struct monitor monitor;
    struct program feed;

    start_behind(&target, &front);
    for (size_t i = 0; i < 2; i++) {
        start_monitor(&monitor, &target, "--background", backgrounds[i], NULL);
        tail_feed(&feed, &monitor);
        wait_line(feed.out, "state responsive");
        struct um_demo_log_event truth = freeze_told(&target, &feed, LASTING_FREEZE, i + 1);
        expect_front(&front);
        cJSON *summary = stop_monitor(&monitor);
        check_freeze(summary, &target, &truth, "frozen");
        check_no_other_freeze(summary, &target);
        cJSON_Delete(summary);
        wait_end(&feed, LIMIT_MS);
    }
}

/* While it lasts ------------------------------------------------------------------------------- */

/* Waits until a freeze lasts that is frozen, and returns its id. On a machine that is held up as it
 * begins, it may have begun as starved. */
static uint64_t wait_frozen(const char *feed)
{
    uint64_t id = 0;
    wait_line(feed, "state frozen");
    char *text = read_text(feed);
    for (const char *at = text; (at = strstr(at, "episode begin ")) && strchr(at, '\n'); at++)
        if (strncmp(at, "episode begin frozen", 20) == 0 ||
            strncmp(at, "episode begin starved", 21) == 0)
            id = line_number(at, "id");
    free(text);
    cr_assert_neq(id, 0, "no freeze has begun");
    return id;
}

Test(states, feed_says_frozen_while_it_lasts)
{
    struct target target;
    struct monitor monitor;
    struct program feed;

    start_target(&target, "target_odd_win32", "--mode", "quiet", NULL);
    start_monitor(&monitor, &target, NULL);
    tail_feed(&feed, &monitor);
    wait_line(feed.out, "state responsive");
    begin_freeze(&target, UNTIL_TOLD);
    uint64_t id = wait_frozen(feed.out);
    tell(&target);
    cr_expect_eq(line_number(wait_line(feed.out, "episode end frozen"), "id"), id,
                 "the end is another one's");
    free(wait_freezes(&target, 1));
    cJSON *summary = stop_monitor(&monitor);
    check_freezes(summary, &target);
    cJSON_Delete(summary);
}

/* Mouse storm ---------------------------------------------------------------------------------- */

/* A freeze that lasts as long as a mouse of 1 kHz moves in it for 2 s. Returns how many raw reports
 * waited at its end; `beats` of them were beats. */
static unsigned freeze_in_storm(const struct target *target, unsigned *beats)
{
    struct program storm;
    struct um_demo_log_event *raw;

    begin_freeze(target, UNTIL_TOLD);
    start(&storm, "probe_win32", "mouse-storm", "2", "1000", NULL);
    cr_expect_eq(wait_end(&storm, LIMIT_MS), 0);
    cr_expect_eq(strtoul(read_text(storm.out), NULL, 10), 2000);
    size_t before = log_events(target->log, UM_DEMO_LOG_RAW, &raw);
    free(raw);
    tell(target);
    free(wait_freezes(target, 1));
    wait_lines(target->log, "raw ", before + 1);
    size_t count = log_events(target->log, UM_DEMO_LOG_RAW, &raw);
    unsigned reports = (unsigned)raw[count - 1].count;
    *beats = (unsigned)raw[count - 1].tagged;
    free(raw);
    return reports;
}

/* The target takes what raw input came in a freeze before uimon can, the beat as well. So the beat
 * is given up when the target has retrieved messages for a second, and measuring goes on. The
 * registration is taken back after half a second. */
Test(states, a_long_freeze_collects_few_raw_reports)
{
    struct target target;
    struct monitor monitor;
    struct program feed;
    unsigned beats;

    start_target(&target, "target_odd_win32", "--mode", "raw-eats", NULL);
    probe("cursor", FAR_XY, NULL);
    start_monitor(&monitor, &target, NULL);
    tail_feed(&feed, &monitor);
    wait_line(feed.out, "state responsive");
    unsigned reports = freeze_in_storm(&target, &beats);
    wait_responsive_after(&target, &feed, 1);
    struct um_demo_log_event truth = freeze_told(&target, &feed, UNEATEN, 2);
    cJSON *summary = stop_monitor(&monitor);
    check_freeze(summary, &target, &truth, "frozen");
    cr_expect_leq(reports, 1500, "%u raw reports waited", reports);
    cr_expect_eq(beats, 1, "%u beats waited", beats);
    cJSON_Delete(summary);
}

/* The beat is gone when the freeze ends, as where Windows drops it with the registration, and the
 * target retrieves nothing that would show it. The end is that of the target's log. */
Test(states, a_freeze_whose_beat_is_dropped_ends_at_rest)
{
    struct target target;
    struct monitor monitor;
    struct program feed;

    start_target(&target, "target_odd_win32", "--mode", "raw-rests", NULL);
    probe("cursor", FAR_XY, NULL);
    start_monitor(&monitor, &target, NULL);
    tail_feed(&feed, &monitor);
    wait_line(feed.out, "state responsive");
    trigger(&target, "2000");
    struct um_demo_log_event *truth = wait_freezes(&target, 1);
    wait_responsive_after(&target, &feed, 1);
    cJSON *summary = stop_monitor(&monitor);
    check_freeze(summary, &target, truth, "frozen");
    free(truth);
    cJSON_Delete(summary);
}

/* States other than frozen --------------------------------------------------------------------- */

/* All messages of these together take longer than the threshold, also where the machine stands for
 * a part of that. Each takes less, also if the machine holds it up. */
#define STARVE_THRESHOLD "--threshold", "2000"

Test(states, posted_flood_starves)
{
    struct target target;
    struct monitor monitor;
    struct program feed;
    struct um_demo_log_event *truth;

    start_target(&target, NULL, NULL);
    start_monitor(&monitor, &target, STARVE_THRESHOLD, NULL);
    tail_feed(&feed, &monitor);
    wait_line(feed.out, "state responsive");
    trigger(&target, "flood:6000"); /* longer than a beat that is gone would be waited for */
    wait_line(target.log, "flood ");
    cr_assert_eq(log_events(target.log, UM_DEMO_LOG_FLOOD, &truth), 1);
    wait_told(&feed, truth);
    cr_expect_eq(lines_with(feed.out, "episode begin starved"), 1);
    cJSON *summary = stop_monitor(&monitor);
    check_freeze(summary, &target, truth, "starved");
    check_no_other_freeze(summary, &target);
    cr_expect(is_about(number(summary, "state_ms.starved") - length_ms(truth), summary, truth),
              "starved for %.1f ms", number(summary, "state_ms.starved"));
    cJSON_Delete(summary);
    free(truth);
}

Test(states, row_of_janks_starves)
{
    struct target target;
    struct monitor monitor;
    struct program feed;

    start_target(&target, NULL, NULL);
    start_monitor(&monitor, &target, STARVE_THRESHOLD, NULL);
    tail_feed(&feed, &monitor);
    wait_line(feed.out, "state responsive");
    freeze_told(&target, &feed, "jank:50x60", JANKS);
    cJSON *summary = stop_monitor(&monitor);
    struct um_demo_log_event *janks = wait_freezes(&target, JANKS);
    struct um_demo_log_event row = janks[0];
    row.end_ns = janks[JANKS - 1].end_ns;
    snprintf(row.name, sizeof row.name, "row");
    check_freeze(summary, &target, &row, "starved");
    check_no_other_freeze(summary, &target);
    cJSON_Delete(summary);
    free(janks);
}

/* How long the machine held the target up before a time, as the demo's own watcher says. */
static double stalled_before_ms(const struct target *target, uint64_t time_ns)
{
    struct um_demo_log_event *stalls;
    size_t count = log_events(target->log, UM_DEMO_LOG_STALL, &stalls);
    double sum_ms = 0;
    for (size_t i = 0; i < count; i++)
        sum_ms += stalls[i].begin_ns < time_ns ? length_ms(&stalls[i]) : 0;
    free(stalls);
    return sum_ms;
}

/* The process is suspended for at least the time between two calls of the test. It may be let go on
 * later, so no more is known of the end than that it comes before it is told. */
Test(states, suspended_process_is_suspended)
{
    struct target target;
    struct monitor monitor;
    struct program feed;
    uint64_t start_ns = 0;

    start_target(&target, NULL, NULL);
    start_monitor(&monitor, &target, NULL);
    tail_feed(&feed, &monitor);
    wait_line(feed.out, "state responsive");
    uint64_t before_ns = machine_now_ns();
    probe("suspend", decimal(target.pid), NULL);
    uint64_t suspended_ns = machine_now_ns();
    wait_line(feed.out, "episode begin suspended");
    sleep_ms(3000); /* most of it is blind if uimon does not run for most of it */
    uint64_t resumed_ns = machine_now_ns();
    probe("resume", decimal(target.pid), NULL);
    WAIT_UNTIL((start_ns = line_number_from(feed.out, "episode end suspended ", "end", resumed_ns,
                                            "start")) > 0,
               "the end is not told: %s", read_text(feed.out));
    double most_ms = ms(machine_now_ns() - before_ns);
    WAIT_UNTIL(is_responsive_since(&feed, resumed_ns), "it is not responsive again");
    cJSON *summary = stop_monitor(&monitor);
    double least_ms = ms(resumed_ns - suspended_ns);
    double said_ms = number(summary, "state_ms.suspended");
    cr_expect_leq(start_ns, suspended_ns, "it begins %.1f ms late", ms(start_ns - suspended_ns));
    most_ms += stalled_before_ms(&target, before_ns) + COARSE_MS;
    cr_expect(said_ms >= least_ms && said_ms <= most_ms, "%.1f ms, between %.1f and %.1f", said_ms,
              least_ms, most_ms);
    for (size_t i = 0; i < freeze_count(summary); i++)
        cr_expect_lt(number(freeze_at(summary, i), "duration_ms"), 1000, "frozen");
    cr_expect_lt(number(summary, "latency_ms.max"), least_ms, "its sleep is no latency");
    cJSON_Delete(summary);
}

/* Loops that leave messages out ---------------------------------------------------------------- */

/* Types until a file has a line: what is typed shows that the target retrieves messages. */
static void type_until(const struct target *target, const char *path, const char *line)
{
    uint64_t until = unix_now_ms() + LIMIT_MS;
    while (!has_line(path, line)) {
        cr_assert_lt(unix_now_ms(), until, "no '%s' came", line);
        type_into(target, "hello world");
    }
}

Test(states, loop_without_raw_input_is_blind)
{
    struct target target;
    struct monitor monitor;
    struct program feed;

    start_target(&target, "target_odd_win32", "--mode", "filter-raw", NULL);
    probe("cursor", FAR_XY, NULL);
    start_monitor(&monitor, &target, "--probe", "raw", NULL);
    tail_feed(&feed, &monitor);
    type_until(&target, feed.out, "state blind");
    type_into(&target, "hello world hello world");
    cJSON *summary = stop_monitor(&monitor);
    cr_expect(!has_line(feed.out, "state responsive"));
    check_no_other_freeze(summary, &target);
    cr_expect_gt(number(summary, "state_ms.blind"), number(summary, "state_ms.frozen"));
    cJSON_Delete(summary);
}

Test(states, auto_leaves_a_blind_probe)
{
    struct target target;
    struct monitor monitor;
    struct program feed;

    start_target(&target, "target_odd_win32", "--mode", "filter-raw", NULL);
    probe("cursor", FAR_XY, NULL);
    start_monitor(&monitor, &target, NULL);
    tail_feed(&feed, &monitor);
    type_until(&target, monitor.program.err,
               "probe: mouse, the other one saw nothing for a second");
    probe("cursor", ODD_XY, NULL);
    /* It has left the mouse probe again if the cursor took a second to get there. */
    type_until(&target, feed.out, "state responsive");
    freeze_told(&target, &feed, LASTING_FREEZE, 1);
    cJSON *summary = stop_monitor(&monitor);
    cr_expect_gt(number(summary, "beats.seen"), 0, "no beats came");
    check_freezes(summary, &target);
    cJSON_Delete(summary);
}

Test(states, loop_without_any_input_is_frozen)
{
    struct target target;
    struct monitor monitor;
    struct program feed;

    start_target(&target, "target_odd_win32", "--mode", "filter-input", NULL);
    start_monitor(&monitor, &target, NULL);
    tail_feed(&feed, &monitor);
    type_into(&target, "hello world hello world hello world");
    (void)wait_frozen(feed.out);
    probe("cursor", ODD_XY, NULL);
    x_click(ODD_X + 20, ODD_Y);
    type_into(&target, "hello world hello world hello world");
    cJSON *summary = stop_monitor(&monitor);
    cr_expect(!has_line(feed.out, "state responsive"));
    cr_assert_eq(freeze_count(summary), 1, "%zu freezes", freeze_count(summary));
    cr_expect_str_eq(state_of(freeze_at(summary, 0)), "frozen");
    cJSON_Delete(summary);
}

Test(states, looking_without_taking_is_no_retrieval)
{
    struct target target;
    struct monitor monitor;

    start_target(&target, "target_odd_win32", "--mode", "peek-noremove", NULL);
    start_monitor(&monitor, &target, NULL);
    check_one_freeze(&target, &monitor);
}

/* Raw input of the target's own ---------------------------------------------------------------- */

/* Waits for so many further lines of the target's about its raw input; it writes one a second. */
static void wait_raw_lines(const struct target *target, size_t more)
{
    struct um_demo_log_event *raw;
    size_t wanted = log_events(target->log, UM_DEMO_LOG_RAW, &raw) + more;
    free(raw);
    for (unsigned waited = 0; log_events(target->log, UM_DEMO_LOG_RAW, &raw) < wanted; waited++) {
        free(raw);
        cr_assert_lt(waited, LIMIT_MS / 10, "the target says no more of its raw input");
        sleep_ms(10);
    }
    free(raw);
}

/* What is the target's stays the target's, while it is watched and afterwards. */
static void check_own_raw(const char *mode)
{
    struct target target;
    struct monitor monitor;
    struct program feed;
    const char *note = "probe: mouse, the program has a raw mouse registration of its own";

    start_target(&target, "target_odd_win32", "--mode", mode, NULL);
    probe("cursor", ODD_XY, NULL);
    start_monitor(&monitor, &target, NULL);
    wait_line(monitor.program.err, note);
    wait_raw_lines(&target, 1);
    cr_expect_str_eq(raw_owner(&target), "own", "raw input is %s's", raw_owner(&target));
    tail_feed(&feed, &monitor);
    wait_line(feed.out, "state responsive");
    freeze_told(&target, &feed, LASTING_FREEZE, 1);
    cJSON *summary = stop_monitor(&monitor);
    cr_expect_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(summary, "probe")), "mouse");
    cr_expect_gt(number(summary, "beats.seen"), 0, "no beats came");
    check_freezes(summary, &target);
    wait_raw_lines(&target, 2);
    cr_expect_str_eq(raw_owner(&target), "own", "afterwards raw input is %s's", raw_owner(&target));
    cJSON_Delete(summary);
}

Test(states, early_raw_registration_is_kept)
{
    check_own_raw("raw-early");
}

Test(states, late_raw_registration_is_kept)
{
    check_own_raw("raw-late:3000");
}

/* Between the target's registration and the next look at it beats go to the target. They are not
 * waited for as if it were frozen. */
Test(states, late_raw_registration_makes_no_freeze)
{
    struct target target;
    struct monitor monitor;
    struct program feed;

    start_target(&target, "target_odd_win32", "--mode", "raw-late:2000", NULL);
    probe("cursor", FAR_XY, NULL);
    start_monitor(&monitor, &target, NULL);
    tail_feed(&feed, &monitor);
    wait_line(monitor.program.err, "raw mouse registration of its own");
    wait_line(feed.out, "episode begin blind");
    cJSON *summary = stop_monitor(&monitor);
    check_no_other_freeze(summary, &target);
    cr_expect_gt(number(summary, "state_ms.blind"), 0, "beats that went astray were not blind");
    cJSON_Delete(summary);
}

/* A target that used raw input for a while gets the raw probe back, and is measured by it. */
Test(states, raw_probe_comes_back_when_the_target_gives_its_own_up)
{
    struct target target;
    struct monitor monitor;
    struct program feed;

    start_target(&target, "target_odd_win32", "--mode", "raw-ends", NULL);
    probe("cursor", ODD_XY, NULL);
    start_monitor(&monitor, &target, NULL);
    tail_feed(&feed, &monitor);
    wait_line(monitor.program.err, "probe: mouse, the program has a raw mouse registration");
    probe("post", hwnd_text(target.hwnd), "UimonTestRawEnds", "1", NULL);
    wait_line(monitor.program.err, "probe: raw, nothing stands against it");
    freeze_told(&target, &feed, LASTING_FREEZE, 1);
    cJSON *summary = stop_monitor(&monitor);
    cr_expect_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(summary, "probe")), "raw");
    cr_expect_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(summary, "beat")), "still");
    check_freezes(summary, &target);
    cJSON_Delete(summary);
}

/* The sink empties the raw input buffer, in which the target's own raw keys are as well. */
Test(states, raw_keys_of_the_target_are_not_taken)
{
    const char *keys = "the quick brown fox jumps";
    struct target target;
    struct monitor monitor;
    struct program storm;
    struct um_demo_log_event *raw;

    start_target(&target, "target_odd_win32", "--mode", "raw-keys:2500", NULL);
    wait_front(&target);
    x_click(380, 300);
    start_monitor(&monitor, &target, NULL);
    start(&storm, "probe_win32", "mouse-storm", "6", "500", NULL);
    wait_line(target.log, "raw "); /* registered just now; nobody has looked at it yet */
    x_type(keys);
    wait_end(&storm, LIMIT_MS);
    wait_raw_lines(&target, 1);
    size_t count = log_events(target.log, UM_DEMO_LOG_RAW, &raw);
    cr_assert_gt(count, 0);
    cr_expect_eq(raw[count - 1].count, 2 * strlen(keys),
                 "%lu raw keys of %zu, pressed and released", (unsigned long)raw[count - 1].count,
                 strlen(keys));
    free(raw);
    cJSON_Delete(stop_monitor(&monitor));
}

Test(states, raw_buffer_is_left_alone)
{
    check_own_raw("rawbuffer");
}

/* With the cursor elsewhere nothing can be seen, and looking for another probe changes nothing. */
Test(states, own_raw_registration_and_cursor_elsewhere_are_blind)
{
    struct target target;
    struct monitor monitor;
    struct program feed;

    start_target(&target, "target_odd_win32", "--mode", "raw-early", NULL);
    probe("cursor", FAR_XY, NULL);
    start_monitor(&monitor, &target, NULL);
    start(&feed, "probe_win32", "tail-feed", monitor.feed, NULL);
    wait_line(feed.out, "state blind");
    wait_raw_lines(&target, 3);
    cJSON *summary = stop_monitor(&monitor);
    cr_expect(!has_line(feed.out, "state responsive"));
    cr_expect_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(summary, "blind_reason")),
                     "elsewhere");
    cr_expect_str_eq(raw_owner(&target), "own");
    cJSON_Delete(summary);
}

/* Pairs ---------------------------------------------------------------------------------------- */

static bool is_cursor_at(int x, int y)
{
    int at_x;
    int at_y;
    cr_assert_eq(sscanf(probe("cursor", NULL), "%d %d", &at_x, &at_y), 2);
    return at_x == x && at_y == y;
}

/* Pairs leave the cursor at most one pixel from where it was, and in the end there. Away from all
 * windows: over one, Wine's echoes of a pair may come between the next pair's two movements. */
static void check_cursor(const struct target *target, const char *x)
{
    const char *y = "1060";
    const size_t least = 20;
    struct monitor monitor;
    char csv[PATH_BYTES];
    int at_x;
    int at_y;

    snprintf(csv, sizeof csv, "%s", test_file("beats.csv"));
    probe("cursor", x, y, NULL);
    start_monitor(&monitor, target, "--beat", "pair", "--rest-heartbeat", "1", "--csv",
                  windows_path(csv), NULL);
    while (lines_with(csv, ",beat,") < least) {
        cr_assert_eq(sscanf(probe("cursor", NULL), "%d %d", &at_x, &at_y), 2);
        cr_expect(abs(at_x - atoi(x)) <= 1 && at_y == atoi(y), "%d,%d", at_x, at_y);
    }
    cJSON *summary = stop_monitor(&monitor);
    /* The target may be in the midst of its last pair when uimon has ended. */
    WAIT_UNTIL(is_cursor_at(atoi(x), atoi(y)), "it ends at %s", probe("cursor", NULL));
    cr_expect_eq(number(summary, "beats.lost"), 0, "%.0f lost", number(summary, "beats.lost"));
    cJSON_Delete(summary);
}

/* Also at the edges of the screen. */
Test(states, pairs_leave_the_cursor_where_it_was)
{
    struct target target;

    start_target(&target, NULL, "--still", NULL);
    check_cursor(&target, "960");
    check_cursor(&target, "0");
    check_cursor(&target, "1919");
}

/* Mouse probe ---------------------------------------------------------------------------------- */

Test(states, mouse_probe_measures_freezes)
{
    struct target target;
    struct monitor monitor;

    start_target(&target, "target_odd_win32", "--mode", "quiet", NULL);
    probe("cursor", ODD_XY, NULL);
    start_monitor(&monitor, &target, "--probe", "mouse", NULL);
    check_one_freeze(&target, &monitor);
}

/* A number of the first line that the feed has written after a time about a begin or end of blind;
 * 0: there is none. */
static uint64_t wait_blind(const struct program *feed, const char *which, const char *word,
                           uint64_t since_ns)
{
    char head[32];
    uint64_t found;
    snprintf(head, sizeof head, "episode %s blind ", which);
    WAIT_UNTIL((found = line_number_from(feed->out, head, "now", since_ns, word)) > 0,
               "no %s of blind", which);
    return found;
}

Test(states, mouse_probe_is_blind_off_target)
{
    struct target target;
    struct monitor monitor;
    struct program feed;

    start_target(&target, "target_odd_win32", "--mode", "quiet", NULL);
    probe("cursor", ODD_XY, NULL);
    start_monitor(&monitor, &target, "--probe", "mouse", NULL);
    start(&feed, "probe_win32", "tail-feed", monitor.feed, NULL);
    wait_line(feed.out, "state responsive");
    uint64_t moved_ns = machine_now_ns();
    probe("cursor", FAR_XY, NULL);
    uint64_t left_ns = wait_blind(&feed, "begin", "start", moved_ns);
    struct um_demo_log_event truth = freeze_untold(&target, "300");
    moved_ns = machine_now_ns();
    probe("cursor", ODD_XY, NULL);
    uint64_t back_ns = wait_blind(&feed, "end", "end", moved_ns);
    cJSON *summary = stop_monitor(&monitor);
    check_unseen(summary, &truth, left_ns, back_ns);
    cJSON_Delete(summary);
}

/* Measures with the mouse probe. Once the target is responsive, another program's low-level hook
 * does this to each beat for so many seconds. */
static void start_hooked(struct target *target, struct monitor *monitor, struct program *feed,
                         struct program *hook, const char *does, const char *seconds)
{
    start_target(target, NULL, "--still", NULL);
    probe("cursor", ODD_XY, NULL);
    start_monitor(monitor, target, "--probe", "mouse", NULL);
    tail_feed(feed, monitor);
    wait_line(feed->out, "state responsive");
    start(hook, "probe_win32", "low-hook", does, seconds, NULL);
    wait_line(feed->out, "state blind");
}

/* For 4 s another program's low-level hook does this to each beat of the mouse probe, above a
 * target that is responsive: that time is blind, and no freeze. */
static void check_low_hook(const char *does)
{
    const double hooked_s = 4;
    struct target target;
    struct monitor monitor;
    struct program feed, hook;

    start_hooked(&target, &monitor, &feed, &hook, does, decimal((uint64_t)hooked_s));
    cr_expect_eq(wait_end(&hook, LIMIT_MS), 0);
    cr_expect_gt(line_number(read_text(hook.out), "calls"), 0, "no beat came to the hook");
    wait_line(feed.out, "episode end blind");
    freeze_told(&target, &feed, LASTING_FREEZE, 1);
    cJSON *summary = stop_monitor(&monitor);
    check_freezes(summary, &target);
    cr_expect_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(summary, "blind_reason")),
                     "undelivered");
    cr_expect_gt(number(summary, "state_ms.blind"), hooked_s * 1000 / 2);
    cJSON_Delete(summary);
}

Test(states, beats_that_another_programs_hook_swallows_are_no_freeze)
{
    check_low_hook("swallow");
}

Test(states, beats_that_another_programs_hook_holds_up_are_no_freeze)
{
    check_low_hook("1200");
}

/* Each beat is lost, but the DLL's question about it waits as long as the target is away. A beat
 * before the freeze may be out for its first 250 ms. */
Test(states, a_freeze_whose_beats_are_swallowed_is_told)
{
    struct target target;
    struct monitor monitor;
    struct program feed, hook;

    start_hooked(&target, &monitor, &feed, &hook, "swallow", "600");
    struct um_demo_log_event truth = freeze_told(&target, &feed, LASTING_FREEZE, 1);
    cJSON *summary = stop_monitor(&monitor);
    const cJSON *freeze = find_freeze(summary, &truth);
    double length_ms = (double)(truth.end_ns - truth.begin_ns) / 1e6;
    cr_assert(freeze, "a freeze of %.0f ms is missing", length_ms);
    cr_expect_leq(number(freeze, "duration_ms"), length_ms + COARSE_MS);
    cr_expect_geq(number(freeze, "duration_ms"), length_ms / 3); /* as LASTING_FREEZE says */
    cr_expect_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(freeze, "state")), "frozen");
    check_no_other_freeze(summary, &target);
    cJSON_Delete(summary);
}

/* What the target has of the stroke: each of its moves is to one of the places to which the user
 * went. A beat that was sent just before the press may still be on its way then. */
static void check_stroke(const char *path, const int (*at)[2], size_t count)
{
    const int on_its_way_ms = 50;
    char *all = read_text(path);
    unsigned moves = 0;
    int x;
    int y;
    int after;

    for (char *line = all, *end; (end = strchr(line, '\n')); line = end + 1) {
        size_t i = 0;
        *end = 0;
        if (sscanf(line, "move %d %d after %d", &x, &y, &after) != 3 || after < on_its_way_ms)
            continue;
        while (i < count && (at[i][0] != x || at[i][1] != y))
            i++;
        cr_expect_lt(i, count, "a move to %d,%d that nobody made", x, y);
        moves++;
    }
    cr_expect_geq(moves, count - 1, "%u moves", moves);
    free(all);
}

/* What the user draws is not shaken, and the time of the stroke is blind. The stroke begins before
 * uimon does: Wine grabs the X pointer while it moves it for a beat, and a button that is pressed
 * in that moment is lost, which Windows has no counterpart of. */
static void check_drawing(const char *option, const char *value)
{
    const int at[4][2] = {{100, 100}, {140, 120}, {141, 121}, {180, 140}};
    struct target target;
    struct monitor monitor;
    struct program feed;

    start_target(&target, "target_odd_win32", "--mode", "draws", "--pos", "200,200,640,400", NULL);
    wait_front(&target);
    x_move(300, 300);
    x_click(300, 300);
    int left_x;
    int left_y;
    cr_assert_eq(
        sscanf(wait_line(target.program.out, "release "), "release %d %d", &left_x, &left_y), 2);
    const int origin[2] = {300 - left_x, 300 - left_y}; /* of the client area, on the screen */
    x_move(origin[0] + at[0][0], origin[1] + at[0][1]);
    x_button(true);
    start_monitor(&monitor, &target, option, value, NULL);
    start(&feed, "probe_win32", "tail-feed", monitor.feed, NULL);
    wait_line(feed.out, "held 1");
    uint64_t held_ns = machine_now_ns();
    for (size_t i = 1; i < 4; i++) {
        char moved[32];
        sleep_ms(400);
        x_move(origin[0] + at[i][0], origin[1] + at[i][1]);
        snprintf(moved, sizeof moved, "move %d %d ", at[i][0], at[i][1]);
        wait_line(target.program.out, moved);
    }
    sleep_ms(400);
    uint64_t released_ns = machine_now_ns();
    x_button(false);
    wait_line(feed.out, "episode end blind");
    check_stroke(target.program.out, at, 4);
    cJSON *summary = stop_monitor(&monitor);
    cr_expect_geq(number(summary, "state_ms.blind"), ms(released_ns - held_ns),
                  "blind for %.1f ms of %.1f", number(summary, "state_ms.blind"),
                  ms(released_ns - held_ns));
    cr_expect_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(summary, "blind_reason")), "button");
    check_no_other_freeze(summary, &target);
    cJSON_Delete(summary);
}

Test(states, mouse_probe_does_not_shake_what_is_drawn)
{
    check_drawing("--probe", "mouse");
}

Test(states, pairs_do_not_shake_what_is_drawn)
{
    check_drawing("--beat", "pair");
}

/* Background ----------------------------------------------------------------------------------- */

Test(states, a_target_behind_another_program_is_idle_on_request)
{
    struct target target;
    struct target front;
    struct monitor monitor;
    struct program feed;

    start_target(&target, "target_odd_win32", "--mode", "quiet", NULL);
    wait_front(&target);
    start_monitor(&monitor, &target, "--background", "pause", NULL);
    start(&feed, "probe_win32", "tail-feed", monitor.feed, NULL);
    wait_line(feed.out, "state responsive");
    start_target(&front, NULL, "--still", "--pos", "900,100,400,300", NULL);
    uint64_t begun_ns = line_number(wait_line(feed.out, "episode begin idle"), "start");
    struct um_demo_log_event truth = freeze_untold(&target, "300");
    x_click(ODD_X, ODD_Y);
    uint64_t end_ns = line_number(wait_line(feed.out, "episode end idle"), "end");
    cJSON *summary = stop_monitor(&monitor);
    check_unseen(summary, &truth, begun_ns, end_ns);
    cJSON_Delete(summary);
}

/* No beat is out then, and still the mouse's reports must not fill the queue of a frozen thread. */
Test(states, a_freeze_while_beats_pause_collects_no_raw_reports)
{
    struct target target;
    struct target front;
    struct monitor monitor;
    struct program feed;
    unsigned beats;

    start_target(&target, "target_odd_win32", "--mode", "raw-eats:200", NULL);
    wait_front(&target);
    start_monitor(&monitor, &target, "--background", "pause", NULL);
    tail_feed(&feed, &monitor);
    wait_line(feed.out, "state responsive");
    start_target(&front, NULL, "--still", "--pos", "900,100,400,300", NULL);
    wait_line(feed.out, "episode begin idle");
    probe("cursor", FAR_XY, NULL);
    WAIT_UNTIL(strcmp(raw_owner(&target), "none") == 0, "the registration is not taken back");
    unsigned reports = freeze_in_storm(&target, &beats);
    x_click(ODD_X, ODD_Y);
    wait_line(feed.out, "episode end idle");
    wait_beat(&target); /* the first one after a pause may be lost, as its window is activated */
    struct um_demo_log_event truth = freeze_told(&target, &feed, UNEATEN, 2);
    cJSON *summary = stop_monitor(&monitor);
    check_freeze(summary, &target, &truth, "frozen");
    cr_expect_eq(reports, 0, "%u raw reports waited", reports);
    cJSON_Delete(summary);
}

/* Threads -------------------------------------------------------------------------------------- */

Test(states, another_ui_thread_is_watched_on_request)
{
    struct target target;
    struct target second;
    struct monitor monitor;
    struct program feed;
    struct um_demo_log_event event;

    start_target(&target, "target_odd_win32", "--mode", "two-threads", NULL);
    cr_assert_eq(um_demo_log_parse(wait_line(target.log, "second"), &event), UM_OK);
    second = target;
    second.hwnd = event.hwnd;
    second.tid = event.tid;
    start_monitor(&monitor, &target, "--thread", decimal(second.tid), NULL);
    tail_feed(&feed, &monitor);
    wait_line(feed.out, "state responsive");
    freeze_untold(&target, "1500"); /* check_no_other_freeze looks for a second */
    struct um_demo_log_event truth = freeze_told(&second, &feed, LASTING_FREEZE, 2);
    cJSON *summary = stop_monitor(&monitor);
    cr_assert_eq(truth.tid, second.tid);
    check_freeze(summary, &second, &truth, "frozen");
    check_no_other_freeze(summary, &second); /* the other thread's freeze is none of this one's */
    cJSON_Delete(summary);
}
