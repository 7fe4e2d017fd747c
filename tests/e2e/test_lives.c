/* Beginnings and ends: whoever goes away in whatever manner, the other side goes on, and nothing of
 * ours stays behind in the target. */
#include <math.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/e2e/harness.h"

#define ARGS(...) ((const char *const[]){__VA_ARGS__, NULL})

static double beats_in_a_second(void)
{
    return (double)line_number(probe("beats", "1", NULL), "tagged");
}

/* It can be attached to, and what it does then is measured. */
static void expect_attachable(struct target *target)
{
    struct monitor monitor;
    struct program feed;
    struct um_demo_log_event *events;
    size_t before = log_events(target->log, UM_DEMO_LOG_FREEZE, &events);

    free(events);
    start_monitor(&monitor, target, NULL);
    tail_feed(&feed, &monitor);
    struct um_demo_log_event truth = freeze_once(target, &feed, LASTING_FREEZE, before + 1);
    cJSON *summary = stop_monitor(&monitor);
    check_freeze(summary, target, &truth, "frozen");
    cJSON_Delete(summary);
}

/* Nothing of ours acts in the target any more, and it lives on. */
static void expect_left_alone(struct target *target, double threads)
{
    const char *pid = decimal(target->pid);
    WAIT_UNTIL(probe_number("threads", pid, NULL) == threads, "%.0f threads, once %.0f",
               probe_number("threads", pid, NULL), threads);
    WAIT_UNTIL(probe_number("sinks", pid, NULL) == 0, "the sink's window is still there");
    WAIT_UNTIL(beats_in_a_second() == 0, "beats are still sent");
    cr_expect(is_running(&target->program));
}

/* Whose the target's raw mouse registration is, as it says itself once a second; waits for it. */
static void wait_raw_owner(const struct target *target, const char *owner)
{
    char name[UM_DEMO_LOG_NAME_BYTES] = "";
    for (unsigned waited = 0; strcmp(name, owner) != 0; waited++) {
        struct um_demo_log_event *raw;
        size_t count = log_events(target->log, UM_DEMO_LOG_RAW, &raw);
        snprintf(name, sizeof name, "%s", count ? raw[count - 1].name : "unknown");
        free(raw);
        cr_assert_lt(waited, LIMIT_MS / 10, "the raw registration is %s, not %s", name, owner);
        sleep_ms(10);
    }
}

/* The monitor goes ----------------------------------------------------------------------------- */

/* A target that says each hook that is set in it, and once a second whose its raw registration is;
 * it makes none of its own. */
static void start_witness(struct target *target)
{
    start_target(target, "target_odd_win32", "--mode", "witness", NULL);
    wait_line(target->program.out, "hook witness");
}

static size_t lines_of(const char *path, const char *line)
{
    char *text = read_text(path);
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, line)); at++)
        count++;
    free(text);
    return count;
}

/* The witness has seen each hook that was set in it go again. The thread that does so has ended. */
static void expect_hooks_taken_back(const struct target *target)
{
    size_t set = lines_of(target->program.out, "hook set");
    cr_expect_gt(set, 0);
    cr_expect_eq(lines_of(target->program.out, "hook taken back"), set);
}

Test(lives, killed_monitor_leaves_nothing_behind)
{
    struct target target;
    struct monitor monitor;

    start_witness(&target);
    double threads = probe_number("threads", decimal(target.pid), NULL);
    start_monitor(&monitor, &target, NULL);
    WAIT_UNTIL(beats_in_a_second() > 0, "no beats to begin with");
    cr_expect_eq(probe_number("sinks", decimal(target.pid), NULL), 1);
    wait_raw_owner(&target, "other");
    kill_hard(&monitor.program);
    expect_left_alone(&target, threads);
    expect_hooks_taken_back(&target);
    wait_raw_owner(&target, "none");
    trigger(&target, "100");
    free(wait_freezes(&target, 1));
    wait_end(&monitor.program, LIMIT_MS);
    expect_attachable(&target);
}

/* The worker takes everything back while the UI thread hangs; only the sink's window waits. */
Test(lives, killed_monitor_in_a_freeze_leaves_nothing_behind)
{
    struct target target;
    struct monitor monitor;

    start_witness(&target);
    double threads = probe_number("threads", decimal(target.pid), NULL);
    start_monitor(&monitor, &target, NULL);
    wait_raw_owner(&target, "other");
    hold(&target, "5000");
    kill_hard(&monitor.program);
    WAIT_UNTIL(probe_number("threads", decimal(target.pid), NULL) == threads,
               "%.0f threads, once %.0f", probe_number("threads", decimal(target.pid), NULL),
               threads);
    let_go(&target);
    free(wait_freezes(&target, 1));
    expect_left_alone(&target, threads);
    expect_hooks_taken_back(&target);
    wait_raw_owner(&target, "none");
    wait_end(&monitor.program, LIMIT_MS);
    expect_attachable(&target);
}

/* Without the pool's items: Wine keeps a thread of the program's pool once it has run one. */
Test(lives, ctrl_c_gives_the_summary)
{
    struct target target;
    struct monitor monitor;
    struct program feed;

    start_witness(&target);
    double threads = probe_number("threads", decimal(target.pid), NULL);
    start_monitor(&monitor, &target, "--threadpool", "off", NULL);
    tail_feed(&feed, &monitor);
    wait_line(feed.out, "state responsive");
    cJSON *summary = stop_monitor(&monitor); /* exit code 0, or it fails */
    cr_expect_gt(number(summary, "beats.seen"), 0);
    char *out = read_text(monitor.program.out);
    cr_expect(strstr(out, "target_odd_win32.exe"), "the summary says: %s", out);
    expect_left_alone(&target, threads);
    expect_hooks_taken_back(&target);
    cJSON_Delete(summary);
    free(out);
}

/* The target goes ------------------------------------------------------------------------------ */

/* The session ends, and not before a time on the machine's counter. */
static void expect_end_after(struct monitor *monitor, uint64_t gone_ns)
{
    cJSON *summary = finish_monitor(monitor);
    double end_ns = number(summary, "clock_start_ns") + number(summary, "duration_ms") * 1e6;
    cr_expect_gt(number(summary, "beats.seen"), 0);
    cr_expect_geq(end_ns, (double)gone_ns, "it ended before its target");
    cJSON_Delete(summary);
}

static void kill_and_expect_end(struct target *target, struct monitor *monitor)
{
    uint64_t before_ns = machine_now_ns();
    kill_hard(&target->program);
    expect_end_after(monitor, before_ns);
}

Test(lives, killed_target_ends_the_session)
{
    struct target target;
    struct monitor monitor;
    struct program feed;

    start_target(&target, NULL, NULL);
    start_monitor(&monitor, &target, NULL);
    tail_feed(&feed, &monitor);
    wait_line(feed.out, "state responsive");
    kill_and_expect_end(&target, &monitor);
}

Test(lives, target_killed_in_a_freeze_ends_the_session)
{
    struct target target;
    struct monitor monitor;
    struct program feed;

    start_target(&target, NULL, NULL);
    start_monitor(&monitor, &target, NULL);
    tail_feed(&feed, &monitor);
    wait_line(feed.out, "state responsive");
    trigger(&target, "60000");
    wait_line(feed.out, "state frozen");
    kill_and_expect_end(&target, &monitor);
}

/* Other threads send to the UI thread all the time, and the DLL's worker writes to the pipe. */
Test(lives, target_killed_in_a_flood_of_sends_ends_the_session)
{
    struct target target;
    struct monitor monitor;
    struct program feed;
    struct um_demo_log_event *freezes;

    start_target(&target, NULL, "--play", "sent:5,jank:10x2,flood:50,sent:20", "--delay", "0",
                 "--pause", "0", "--repeat", "0", NULL);
    start_monitor(&monitor, &target, "--heartbeat", "2", NULL);
    tail_feed(&feed, &monitor);
    wait_line(feed.out, "state responsive");
    size_t count = log_events(target.log, UM_DEMO_LOG_FREEZE, &freezes);
    free(freezes);
    free(wait_freezes(&target, count + 20));
    kill_and_expect_end(&target, &monitor);
}

Test(lives, target_that_exits_ends_the_session)
{
    struct target target;
    struct monitor monitor;
    struct program feed;
    struct um_demo_log_event *ends;
    char hwnd[32];

    start_target(&target, NULL, NULL);
    start_monitor(&monitor, &target, NULL);
    tail_feed(&feed, &monitor);
    wait_line(feed.out, "state responsive"); /* it takes no beat between the message and its end */
    snprintf(hwnd, sizeof hwnd, "0x%llx", (unsigned long long)target.hwnd);
    probe("close", hwnd, NULL);
    cr_expect_eq(wait_end(&target.program, LIMIT_MS), 0, "the target ended in another way");
    cr_assert_eq(log_events(target.log, UM_DEMO_LOG_END, &ends), 1);
    expect_end_after(&monitor, ends->begin_ns);
    cr_expect_eq(wait_end(&feed, LIMIT_MS), 0);
    char *said = read_text(feed.out);
    const char *last = strstr(said, "\nend ");
    const uint64_t target_gone = 1;
    cr_assert(last != NULL, "the feed had no end: %s", said);
    cr_expect_eq(line_number(last + 1, "reason"), target_gone);
    free(said);
    free(ends);
}

/* Full pipe ------------------------------------------------------------------------------------ */

/* uimon stands still for longer than the hook pipe has room for beats. The DLL then leaves the
 * target, which works on alone, and uimon begins anew when it goes on. */
Test(lives, target_does_not_wait_for_a_full_pipe)
{
    struct target target;
    struct monitor monitor;
    struct program feed;
    unsigned uimon;

    start_target(&target, NULL, NULL);
    double threads = probe_number("threads", decimal(target.pid), NULL);
    start_monitor(&monitor, &target, "--heartbeat", "2", "--rest-heartbeat", "2", NULL);
    WAIT_UNTIL(sscanf(probe("find", "uimon session end", NULL), "%*s %u", &uimon) == 1,
               "it has no such window");
    probe("suspend", decimal(uimon), NULL);
    WAIT_UNTIL(probe_number("sinks", decimal(target.pid), NULL) == 0, "the DLL stays");
    uint64_t left_ns = machine_now_ns();
    trigger(&target, "150");
    struct um_demo_log_event *alone = wait_freezes(&target, 1);
    WAIT_UNTIL(probe_number("threads", decimal(target.pid), NULL) <= threads,
               "a thread of the DLL stays");
    double alone_ms = (double)(machine_now_ns() - left_ns) / 1e6;
    probe("resume", decimal(uimon), NULL);
    WAIT_UNTIL(probe_number("sinks", decimal(target.pid), NULL) > 0, "uimon does not attach again");
    tail_feed(&feed, &monitor);
    wait_line(feed.out, "state responsive");
    struct um_demo_log_event measured = freeze_once(&target, &feed, LASTING_FREEZE, 2);
    cJSON *summary = stop_monitor(&monitor);
    cr_expect_eq(freezes_of(summary, alone), 0, "a freeze that nobody measured");
    check_freeze(summary, &target, &measured, "frozen");
    cr_expect_gt(number(summary, "state_ms.blind"), alone_ms, "%.0f ms of %.0f",
                 number(summary, "state_ms.blind"), alone_ms);
    free(alone);
    cJSON_Delete(summary);
}

/* One monitor a target ------------------------------------------------------------------------- */

Test(lives_guards, second_monitor_names_the_first)
{
    struct target target;
    struct monitor monitor;
    const char *err;

    start_target(&target, NULL, NULL);
    start_monitor(&monitor, &target, NULL);
    int code = run(NULL, &err, "uimon", "--attach", decimal(target.pid), "--headless", NULL);
    cr_expect_eq(code, 1, "exit code %d: %s", code, err);
    const char *named = strstr(err, "the uimon with pid ");
    cr_assert(named != NULL, "it says: %s", err);
    unsigned long owner = strtoul(named + strlen("the uimon with pid "), NULL, 10);
    cr_expect(owner != 0 && owner != target.pid);
    cr_expect(is_running(&monitor.program));
    probe("kill", decimal(owner), NULL);

    /* It was the first one's pid if this has ended it. The exit code says nothing: of a process
     * that another one terminates, Wine gives Unix the code or 0. One that ends by itself has a
     * summary. */
    wait_end(&monitor.program, LIMIT_MS);
    char *json = read_text(monitor.json);
    cr_expect_eq(json[0], 0, "it was not killed, it ended: %s", json);
    free(json);
    expect_attachable(&target);
}

/* Any program can make a claim in any name. uimon recommends to end nobody but a uimon. */
Test(lives_guards, a_claim_in_anothers_name_is_not_believed)
{
    struct target target;
    struct program claimer;
    const char *err;

    start_target(&target, NULL, NULL);
    start(&claimer, "probe_win32", "claim", decimal(target.pid), decimal(target.pid), NULL);
    wait_line(claimer.out, "claimed");
    int code = run(NULL, &err, "uimon", "--attach", decimal(target.pid), "--headless", NULL);
    cr_expect_eq(code, 1, "exit code %d: %s", code, err);
    cr_expect(strstr(err, "in the name of uimon-demo.exe") && strstr(err, "is no uimon"), "%s",
              err);
    cr_expect(!strstr(err, "end that"), "%s", err);
    kill_hard(&claimer);
}

/* Beginnings ----------------------------------------------------------------------------------- */

/* The log of a program that uimon or somebody else starts. */
static void name_log(struct target *target)
{
    snprintf(target->log, PATH_BYTES, "%s", test_file("launched.log"));
    target->window_class = NULL;
}

/* Starts a monitor that has no target yet, or not one that the test has started. */
static void start_headless(struct monitor *monitor, const char *const *more)
{
    const char *args[MAX_ARGS + 1] = {"--headless", "--verbose", "--json"};
    size_t count = 3;

    snprintf(monitor->json, PATH_BYTES, "%s", test_file("headless.json"));
    args[count++] = windows_path(monitor->json);
    while (*more)
        args[count++] = *more++;
    args[count] = NULL;
    start_list(&monitor->program, "uimon", args);
}

/* Fills in the rest once the program has said who it is. */
static void read_log(struct target *target)
{
    struct um_demo_log_event event;
    cr_assert_eq(um_demo_log_parse(wait_line(target->log, "start "), &event), UM_OK);
    target->pid = event.pid;
    target->tid = event.tid;
    target->hwnd = event.hwnd;
    wait_line(target->log, "ready ");
}

/* The thread of a program, as uimon names it when it watches it. Owner: static. */
static const char *thread_text(uint32_t tid)
{
    static char text[32];
    snprintf(text, sizeof text, "thread %lu,", (unsigned long)tid);
    return text;
}

/* A splash screen is watched, and goes then; the main window comes, on another thread. A freeze of
 * that is measured. Ends the target, and returns the summary. */
static cJSON *leave_splash(struct target *target, struct monitor *monitor)
{
    struct program feed;
    struct um_demo_log_event splash;

    name_feed(monitor);
    cr_assert_eq(um_demo_log_parse(wait_line(target->log, " splash"), &splash), UM_OK);
    wait_line(monitor->program.err, thread_text(splash.tid));
    probe("close", hwnd_text(splash.hwnd), NULL);
    read_log(target);
    cr_assert_neq(target->tid, splash.tid);
    wait_line(monitor->program.err, thread_text(target->tid));
    tail_feed(&feed, monitor);
    wait_line(feed.out, "state responsive");
    struct um_demo_log_event truth = freeze_once(target, &feed, LASTING_FREEZE, 1);
    probe("close", hwnd_text(target->hwnd), NULL);
    cJSON *summary = finish_monitor(monitor);
    check_freeze(summary, target, &truth, "frozen");
    check_no_other_freeze(summary, target);
    return summary;
}

#define SPLASH_MS "3600000" /* until somebody closes it */

Test(lives, launched_splash_screen_gives_way_to_the_main_window)
{
    struct target target;
    struct monitor monitor;
    char program[PATH_BYTES];

    name_log(&target);
    snprintf(program, sizeof program, "%s", windows_path(dist_file("uimon-demo.exe")));
    start_headless(&monitor, ARGS("--launch", program, "--log", windows_path(target.log),
                                  "--splash", SPLASH_MS, "--title", "after the splash"));
    cJSON *summary = leave_splash(&target, &monitor);
    const cJSON *described = cJSON_GetObjectItem(summary, "target");
    cr_expect_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(described, "title")),
                     "after the splash");
    cJSON_Delete(summary);
}

Test(lives, attached_splash_screen_gives_way_to_the_main_window)
{
    struct target target;
    struct monitor monitor;

    name_log(&target);
    start_headless(&monitor, ARGS("--attach", "uimon-demo", "--wait"));
    start(&target.program, "uimon-demo", "--log", windows_path(target.log), "--splash", SPLASH_MS,
          NULL);
    cJSON_Delete(leave_splash(&target, &monitor));
}

Test(lives_guards, launched_console_program_outlives_ctrl_c)
{
    struct target target;
    struct monitor monitor;
    struct program feed;
    char uimon[PATH_BYTES], program[PATH_BYTES];

    name_log(&target);
    snprintf(uimon, sizeof uimon, "%s", windows_path(dist_file("uimon.exe")));
    snprintf(program, sizeof program, "%s", windows_path(test_program("target_odd_win32")));
    start(&monitor.program, "probe_win32", "console", uimon, "--headless", "--verbose", "--launch",
          program, "--mode", "quiet", "--log", windows_path(target.log), "--seconds", "60", NULL);
    wait_line(monitor.program.err, "watching ");
    wait_line(monitor.program.err,
              "it and the programs that it starts ignore Ctrl+C; Ctrl+Break ends it");
    read_log(&target);
    name_feed(&monitor);
    tail_feed(&feed, &monitor); /* so that there is something to sum up */
    probe("interrupt", decimal((uint64_t)probe_number("pid", "uimon.exe", NULL)), NULL);
    cr_expect_eq(wait_end(&monitor.program, LIMIT_MS), 0, "uimon ended otherwise");
    char *out = read_text(monitor.program.out);
    cr_expect(strstr(out, "target_odd_win32.exe"), "the summary says: %s; %s", out,
              read_text(monitor.program.err));
    cr_expect(!has_line(target.log, "end "), "uimon was not interrupted");
    trigger(&target, "150"); /* a program that has ended makes no freeze */
    wait_line(target.log, "freeze ");
    probe("close", hwnd_text(target.hwnd), NULL);
    wait_line(target.log, "end ");
    free(out);
}

/* The newest state that a feed has told is this one. */
static bool is_in_state(const struct program *feed, const char *state)
{
    char *text = read_text(feed->out);
    const char *last = NULL;
    for (const char *at = text; (at = strstr(at, "\nstate ")); at++)
        last = at + strlen("\nstate ");
    bool is = last && strncmp(last, state, strlen(state)) == 0;
    free(text);
    return is;
}

Test(lives, thread_that_ended_is_not_frozen)
{
    struct target target;
    struct monitor monitor;
    struct program feed;
    struct um_demo_log_event late;

    start_target(&target, "target_odd_win32", "--mode", "late-window:2000", NULL);
    start_monitor(&monitor, &target, NULL);
    tail_feed(&feed, &monitor);
    WAIT_UNTIL(is_in_state(&feed, "responsive"), "the first window does not answer");
    probe("close", hwnd_text(target.hwnd), NULL);
    wait_line(feed.out, "state blind");
    cr_assert_eq(um_demo_log_parse(wait_line(target.log, "window "), &late), UM_OK);
    wait_line(monitor.program.err, thread_text(late.tid));
    WAIT_UNTIL(line_number_from(feed.out, "state responsive ", "since", late.begin_ns, "since"),
               "the second window does not answer");
    cJSON *summary = stop_monitor(&monitor);
    check_no_other_freeze(summary, &target);
    cr_expect_gt(number(summary, "state_ms.blind"), 1000, "blind for %.1f ms",
                 number(summary, "state_ms.blind"));
    cr_expect_gt(number(summary, "state_ms.responsive"), 0);
    cJSON_Delete(summary);
}

/* A login form, say. */
Test(lives_guards, window_that_hides_gives_way_to_one_that_is_shown)
{
    struct target target;
    struct monitor monitor;
    struct program feed;
    struct um_demo_log_event shown;

    start_target(&target, "target_odd_win32", "--mode", "hide", NULL);
    start_monitor(&monitor, &target, NULL);
    tail_feed(&feed, &monitor);
    WAIT_UNTIL(is_in_state(&feed, "responsive"), "the first window does not answer");
    probe("close", hwnd_text(target.hwnd), NULL);
    cr_assert_eq(um_demo_log_parse(wait_line(target.log, "window "), &shown), UM_OK);
    wait_line(monitor.program.err, thread_text(shown.tid));
    WAIT_UNTIL(line_number_from(feed.out, "state responsive ", "since", shown.begin_ns, "since"),
               "the second window does not answer");
    cJSON *summary = stop_monitor(&monitor);
    cr_expect_gt(number(summary, "beats.seen"), 0);
    cJSON_Delete(summary);
}

/* The copies of the DLL lie where every program of the user can write. What stands there in their
 * place is not loaded, and nobody can change them while they are to be loaded. */
Test(lives_guards, a_planted_dll_is_not_loaded)
{
    struct target target, frozen;
    struct monitor monitor;
    struct program waiting, feed;
    const char *said;

    start_target(&target, NULL, NULL);
    start_monitor(&monitor, &target, NULL); /* makes the copy */
    tail_feed(&feed, &monitor);
    cJSON_Delete(stop_monitor(&monitor));
    kill_hard(&target.program);
    wait_end(&target.program, LIMIT_MS); /* until then the system has its DLL open */
    said =
        probe("plant", NULL); /* also those of the DLL for 32-bit programs, where there are any */
    cr_assert(line_number(said, "planted") >= 1 && line_number(said, "refused") == 0, "%s", said);
    start_target(&target, NULL, NULL);
    start_monitor(&monitor, &target, NULL);
    tail_feed(&feed, &monitor);
    struct um_demo_log_event truth = freeze_once(&target, &feed, LASTING_FREEZE, 1);
    cJSON *summary = stop_monitor(&monitor);
    check_freeze(summary, &target, &truth, "frozen");
    cJSON_Delete(summary);
    kill_hard(&target.program);

    start_target(&frozen, NULL, NULL);
    hold(&frozen, "5000");
    start(&waiting, "uimon", "--attach", decimal(frozen.pid), "--headless", NULL);
    wait_line(waiting.err, "the program is frozen");
    said = probe("plant", NULL);
    cr_expect_eq(line_number(said, "refused"), 1, "%s", said);
    interrupt(&waiting);
    wait_end(&waiting, LIMIT_MS);
}

Test(lives, attaching_in_a_freeze_waits_for_its_end)
{
    struct target target;
    struct monitor monitor;
    struct program feed;

    start_target(&target, NULL, NULL);
    hold(&target, "5000");
    start_headless(&monitor, ARGS("--attach", decimal(target.pid)));
    wait_line(monitor.program.err, "the program is frozen; watching begins when it comes");
    let_go(&target);
    struct um_demo_log_event *missed = wait_freezes(&target, 1);
    wait_line(monitor.program.err, "probe: ");
    name_feed(&monitor);
    tail_feed(&feed, &monitor);
    struct um_demo_log_event truth = freeze_once(&target, &feed, LASTING_FREEZE, 2);
    cJSON *summary = stop_monitor(&monitor);
    check_freeze(summary, &target, &truth, "frozen");
    cr_expect_eq(freezes_of(summary, missed), 0, "nobody was there to measure that");
    check_no_other_freeze(summary, &target);
    cJSON_Delete(summary);
    free(missed);
}

/* --duration counts from the first beat, and a freeze does not hold up its end. */
Test(lives, duration_is_over_in_the_midst_of_a_freeze)
{
    struct target target;
    struct monitor monitor;
    struct program feed;
    struct um_demo_log_event *over;

    start_target(&target, NULL, NULL);
    start_monitor(&monitor, &target, "--duration", "10", NULL);
    tail_feed(&feed, &monitor);
    trigger(&target, "60000");
    wait_line(feed.out, "state frozen");
    cJSON *summary = finish_monitor(&monitor);
    cr_expect_geq(number(summary, "duration_ms"), 10000);
    cr_expect_eq(log_events(target.log, UM_DEMO_LOG_FREEZE, &over), 0, "the freeze is over");
    cr_assert_gt(freeze_count(summary), 0, "it is not in the summary");
    const cJSON *last = freeze_at(summary, freeze_count(summary) - 1);
    cr_expect(cJSON_IsTrue(cJSON_GetObjectItem(last, "open")), "it does not last");
    cJSON_Delete(summary);
    free(over);
}

/* With --duration a program has 10 s for its first beat, or that time if it is longer. */
Test(lives, a_frozen_program_that_takes_no_beat_is_not_waited_for)
{
    struct target target;
    const char *out, *err;
    struct um_demo_log_event *over;

    start_target(&target, NULL, NULL);
    begin_freeze(&target, "60000");
    uint64_t begin_ms = unix_now_ms();
    int code = run(&out, &err, "uimon", "--attach", decimal(target.pid), "--headless", "--duration",
                   "1", NULL);
    cr_expect_geq(unix_now_ms() - begin_ms, 10000);
    cr_expect_eq(log_events(target.log, UM_DEMO_LOG_FREEZE, &over), 0, "the freeze is over");
    cr_expect_eq(code, 1, "%d: %s", code, err);
    cr_expect(strstr(err, "nothing was measured: uimon-demo.exe took no beat within 10 s") != NULL,
              "%s", err);
    cr_expect_str_eq(out, "");
    free(over);
}

/* How many of the windows that the log has were watched. */
static size_t count_watched(const struct target *target, const struct program *feed)
{
    struct um_demo_log_event *windows;
    size_t count = log_events(target->log, UM_DEMO_LOG_WINDOW, &windows), watched = 0;
    for (size_t i = 0; i < count; i++) {
        char hwnd[32];
        snprintf(hwnd, sizeof hwnd, "hwnd %s ", hwnd_text(windows[i].hwnd));
        watched += file_has(feed->out, hwnd);
    }
    free(windows);
    return watched;
}

Test(lives, recreated_window_is_followed)
{
    struct target target;
    struct monitor monitor;
    struct program feed;

    start_target(&target, "target_odd_win32", "--mode", "recreate", NULL);
    start_monitor(&monitor, &target, NULL);
    tail_feed(&feed, &monitor);
    wait_line(feed.out, "state responsive");
    /* One that is there for a moment alone may be missed on a busy machine. */
    WAIT_UNTIL(count_watched(&target, &feed) >= 3, "only %zu windows are watched",
               count_watched(&target, &feed));
    WAIT_UNTIL(is_in_state(&feed, "responsive"), "it does not answer any more");
    cJSON *summary = stop_monitor(&monitor);
    cr_expect_gt(number(summary, "latency_ms.count"), 0);
    check_no_other_freeze(summary, &target);
    cJSON_Delete(summary);
}

/* Programs that nobody here wrote -------------------------------------------------------------- */

static void check_foreign(const char *program, const char *name)
{
    struct target target;
    struct monitor monitor;
    struct program feed;

    start(&target.program, program, NULL);
    start_headless(&monitor, ARGS("--attach", name, "--wait=60"));
    wait_line(monitor.program.err, "probe: ");
    name_feed(&monitor);
    tail_feed(&feed, &monitor);
    probe("type", "Hello", NULL);
    WAIT_UNTIL(is_in_state(&feed, "responsive"), "it does not answer");
    cJSON *summary = stop_monitor(&monitor);
    cr_expect_gt(number(summary, "latency_ms.count"), 0);
    const char *list;
    run(&list, NULL, "uimon", "list", NULL);
    cr_expect(strstr(list, name), "it did not survive: %s", list);
    uint32_t pid = (uint32_t)number(cJSON_GetObjectItem(summary, "target"), "pid");
    cr_expect_gt(probe_number("threads", decimal(pid), NULL), 0);
    WAIT_UNTIL(beats_in_a_second() == 0, "beats are still sent");
    probe("kill", decimal(pid), NULL);
    cJSON_Delete(summary);
}

Test(lives, notepad_is_measured)
{
    check_foreign("notepad", "notepad.exe");
}

Test(lives, wordpad_is_measured)
{
    check_foreign("C:\\Program Files\\Windows NT\\Accessories\\wordpad.exe", "wordpad.exe");
}

/* The hook DLL --------------------------------------------------------------------------------- */

struct image {
    unsigned char bytes[1 << 20];
    size_t len;
    size_t sections;
    unsigned section_count;
};

static uint32_t u32_at(const struct image *image, size_t at)
{
    cr_assert_leq(at + 4, image->len, "the image ends at %zu", image->len);
    return (uint32_t)image->bytes[at] | (uint32_t)image->bytes[at + 1] << 8 |
           (uint32_t)image->bytes[at + 2] << 16 | (uint32_t)image->bytes[at + 3] << 24;
}

/* Where in the file an address of the loaded image lies. */
static size_t file_offset(const struct image *image, uint32_t address)
{
    for (unsigned i = 0; i < image->section_count; i++) {
        size_t header = image->sections + (size_t)i * 40;
        uint32_t start = u32_at(image, header + 12);
        if (address >= start && address < start + u32_at(image, header + 16))
            return address - start + u32_at(image, header + 20);
    }
    cr_assert_fail("0x%x is in no section", address);
    return 0;
}

static const char *name_at(const struct image *image, size_t at)
{
    cr_assert(at < image->len && memchr(image->bytes + at, 0, image->len - at));
    return (const char *)image->bytes + at;
}

/* Source: https://learn.microsoft.com/windows/win32/debug/pe-format */
static void load_image(const char *path, struct image *image)
{
    FILE *file = fopen(path, "rb");
    cr_assert(file != NULL, "no %s", path);
    image->len = fread(image->bytes, 1, sizeof image->bytes, file);
    fclose(file);
    size_t pe = u32_at(image, 0x3c);
    cr_assert_eq(u32_at(image, pe), 0x4550, "no PE image");
    image->section_count = u32_at(image, pe + 6) & 0xffff;
    image->sections = pe + 24 + (u32_at(image, pe + 20) & 0xffff);
}

/* Whether a name is this one in lower case. */
static bool is_called(const char *name, const char *lower)
{
    size_t at = 0;
    while (name[at] && tolower((unsigned char)name[at]) == lower[at])
        at++;
    return name[at] == lower[at];
}

Test(lives_guards, hook_dll_imports_kernel32_and_user32_alone)
{
    static struct image image;
    unsigned kernel32 = 0;
    unsigned user32 = 0;
    const size_t import_directory = 24 + 112 + 8;
    const size_t delay_directory = 24 + 112 + 13 * 8;

    load_image(dist_file("uimon-hook64.dll"), &image);
    size_t pe = u32_at(&image, 0x3c);
    cr_expect_eq(u32_at(&image, pe + delay_directory), 0, "it has delayed imports");
    size_t entry = file_offset(&image, u32_at(&image, pe + import_directory));
    for (; u32_at(&image, entry + 12); entry += 20) {
        const char *name = name_at(&image, file_offset(&image, u32_at(&image, entry + 12)));
        bool is_kernel32 = is_called(name, "kernel32.dll");
        bool is_user32 = is_called(name, "user32.dll");
        kernel32 += is_kernel32;
        user32 += is_user32;
        cr_expect(is_kernel32 || is_user32, "it imports %s", name);
    }
    cr_expect(kernel32 == 1 && user32 == 1);
}

/* The end of the session ----------------------------------------------------------------------- */

/* Nothing can sign out here, so the messages that the system would send are sent. */
Test(lives_guards, writes_everything_when_the_session_ends)
{
    struct target target;
    struct monitor monitor;
    struct program feed;
    char recording[PATH_BYTES], hwnd[32];
    const char *out, *err;

    snprintf(recording, sizeof recording, "%s", test_file("session.uirec"));
    start_target(&target, NULL, "--still", NULL);
    start_monitor(&monitor, &target, "--record", windows_path(recording), NULL);
    tail_feed(&feed, &monitor);
    struct um_demo_log_event truth = freeze_once(&target, &feed, LASTING_FREEZE, 1);
    cr_assert_eq(sscanf(probe("find", "uimon session end", NULL), "%31s", hwnd), 1);
    cr_expect_eq(probe_number("end-session", hwnd, "0", NULL), 1, "it objects");
    sleep_ms(500);
    cr_assert(is_running(&monitor.program), "it ended although the session did not");
    cr_expect_eq(probe_number("end-session", hwnd, "1", NULL), 1);
    cr_assert_eq(wait_end(&monitor.program, LIMIT_MS), 0);
    cJSON *summary = finish_monitor(&monitor);
    check_freeze(summary, &target, &truth, "frozen");
    char *text = read_text(monitor.program.out);
    cr_expect(strstr(text, "freeze"), "there is no summary: %s", text);
    int code = run(&out, &err, "uimon", "report", windows_path(recording), NULL);
    cr_expect(code == 0 && err[0] == 0, "the recording is not whole: %s", err);
    cJSON_Delete(summary);
    free(text);
}
