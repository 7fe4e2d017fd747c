/* Beginnings and ends: whoever goes away in whatever manner, the other side goes on, and nothing of
 * ours stays behind in the target. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/e2e/harness.h"
#include "tests/e2e/held.h"

TestSuite(lives, .fini = conclude);
TestSuite(lives_guards, .fini = conclude); /* these measure nothing that a busy machine changes */

#define ACCURACY_MS 2.0
#define GONE_WITHIN_MS 1000

static double ms(uint64_t ns)
{
    return (double)ns / 1e6;
}

static double beats_in_a_second(void)
{
    return (double)line_number(probe("beats", "1", NULL), "tagged");
}

/* Waits for the n-th freeze (from 1) in the log. */
static struct um_demo_log_event wait_freeze(const struct target *target, size_t n)
{
    for (unsigned waited = 0;; waited++) {
        struct um_demo_log_event *events;
        struct um_demo_log_event found = {.pid = 0};
        size_t count = log_events(target->log, UM_DEMO_LOG_FREEZE, &events);
        if (count >= n)
            found = events[n - 1];
        free(events);
        if (count >= n)
            return found;
        cr_assert_lt(waited, LIMIT_MS / 10, "only %zu freezes of %zu came", count, n);
        sleep_ms(10);
    }
}

/* It can be attached to, and what it does then is measured. */
static void expect_attachable(struct target *target)
{
    struct monitor monitor;
    struct um_demo_log_event *events;
    size_t before = log_events(target->log, UM_DEMO_LOG_FREEZE, &events);

    free(events);
    start_monitor(&monitor, target, NULL);
    trigger(target, "wait:200,200");
    struct um_demo_log_event truth = wait_freeze(target, before + 1);
    sleep_ms(200);
    cJSON *summary = stop_monitor(&monitor);
    cr_expect(has_freeze_of(summary, target, &truth, ACCURACY_MS),
              "a freeze after attaching again is missing");
    cJSON_Delete(summary);
}

/* Nothing of ours acts in the target any more, and it lives on. */
static void expect_left_alone(struct target *target, double threads)
{
    const char *pid = decimal(target->pid);
    cr_expect_eq(beats_in_a_second(), 0, "beats are still sent");
    cr_expect_eq(probe_number("threads", pid, NULL), threads, "%.0f threads, once %.0f",
                 probe_number("threads", pid, NULL), threads);
    cr_expect_eq(probe_number("sinks", pid, NULL), 0, "the sink's window is still there");
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

/* A target that says once a second whose its raw registration is, and makes none of its own. */
static void start_raw_witness(struct target *target)
{
    start_target(target, "target_odd_win32", "--mode", "raw-late:3600000", NULL);
}

Test(lives, killed_monitor_leaves_nothing_behind, .measured = true)
{
    struct target target;
    struct monitor monitor;

    start_raw_witness(&target);
    double threads = probe_number("threads", decimal(target.pid), NULL);
    start_monitor(&monitor, &target, NULL);
    cr_expect_gt(beats_in_a_second(), 5, "no beats to begin with");
    cr_expect_eq(probe_number("sinks", decimal(target.pid), NULL), 1);
    wait_raw_owner(&target, "other");
    kill_hard(&monitor.program);
    sleep_ms(GONE_WITHIN_MS);
    expect_left_alone(&target, threads);
    wait_raw_owner(&target, "none");
    trigger(&target, "100");
    wait_freeze(&target, 1);
    wait_end(&monitor.program, LIMIT_MS);
    expect_attachable(&target);
}

/* The worker takes everything back while the UI thread hangs; only the sink's window waits. */
Test(lives, killed_monitor_in_a_freeze_leaves_nothing_behind, .measured = true)
{
    struct target target;
    struct monitor monitor;

    start_raw_witness(&target);
    double threads = probe_number("threads", decimal(target.pid), NULL);
    start_monitor(&monitor, &target, NULL);
    wait_raw_owner(&target, "other");
    trigger(&target, "5000");
    sleep_ms(300);
    kill_hard(&monitor.program);
    sleep_ms(GONE_WITHIN_MS);
    cr_expect_eq(probe_number("threads", decimal(target.pid), NULL), threads);
    uint64_t gone_ns = machine_now_ns();
    struct um_demo_log_event freeze = wait_freeze(&target, 1);
    cr_assert_lt(gone_ns, freeze.end_ns, "the freeze was over too early");
    expect_left_alone(&target, threads);
    wait_raw_owner(&target, "none");
    wait_end(&monitor.program, LIMIT_MS);
    expect_attachable(&target);
}

/* What every attachment leaves, each round of them finds: in the target's heaps to the byte, and in
 * its private memory in steps of 64 KiB. What is allocated once is in some rounds only: under Wine
 * the heartbeat thread's look at the pointer opens a connection to the X server, and some of what
 * the X library allocates for that stays, once 45 KiB and at times 720 KiB. */
Test(lives, many_attachments_leave_nothing_behind, .measured = true)
{
    enum { ROUNDS = 5, ATTACHMENTS = 3 };
    struct target target;
    double heap[ROUNDS + 1], memory[ROUNDS + 1];
    double least_heap = HUGE_VAL, least_memory = HUGE_VAL;
    const double few = 2;
    const double limit_bytes = ATTACHMENTS * 2e3;

    start_target(&target, "target_odd_win32", "--mode", "quiet", NULL);
    expect_attachable(&target); /* what the first one loads stays: the DLL is pinned */
    sleep_ms(GONE_WITHIN_MS);
    double handles = probe_number("handles", decimal(target.pid), NULL);
    double threads = probe_number("threads", decimal(target.pid), NULL);
    heap[0] = probe_number("heap", hwnd_text(target.hwnd), NULL);
    memory[0] = probe_number("memory", decimal(target.pid), NULL);
    for (int i = 0; i < ROUNDS * ATTACHMENTS; i++) {
        const char *err;
        int code = run(NULL, &err, "uimon", "--attach", decimal(target.pid), "--headless",
                       "--quiet", "--duration", "0.1", NULL);
        cr_assert_eq(code, 0, "attachment %d ended with %d: %s", i, code, err);
        if (i % ATTACHMENTS != ATTACHMENTS - 1)
            continue;
        sleep_ms(GONE_WITHIN_MS);
        int round = 1 + i / ATTACHMENTS;
        heap[round] = probe_number("heap", hwnd_text(target.hwnd), NULL);
        memory[round] = probe_number("memory", decimal(target.pid), NULL);
        least_heap = fmin(least_heap, heap[round] - heap[round - 1]);
        least_memory = fmin(least_memory, memory[round] - memory[round - 1]);
        cr_log_info("round %d: %.0f bytes more in its heaps, %.0f in all", round,
                    heap[round] - heap[round - 1], memory[round] - memory[round - 1]);
    }
    expect_left_alone(&target, threads);
    double more_handles = probe_number("handles", decimal(target.pid), NULL) - handles;
    cr_expect_leq(more_handles, few, "%.0f handles more", more_handles);
    cr_expect_leq(least_heap, 0, "%.0f bytes more in its heaps in each round", least_heap);
    cr_expect_leq(least_memory, limit_bytes, "%.0f bytes more in each round", least_memory);
    expect_attachable(&target);
}

Test(lives, ctrl_c_gives_the_summary)
{
    struct target target;
    struct monitor monitor;

    start_target(&target, NULL, NULL);
    double threads = probe_number("threads", decimal(target.pid), NULL);
    start_monitor(&monitor, &target, NULL);
    cJSON *summary = stop_monitor(&monitor); /* exit code 0, or it fails */
    cr_expect_gt(number(summary, "beats.seen"), 0);
    char *out = read_text(monitor.program.out);
    cr_expect(strstr(out, "uimon-demo.exe"), "the summary says: %s", out);
    expect_left_alone(&target, threads);
    cJSON_Delete(summary);
    free(out);
}

Test(lives, duration_ends_by_itself, .measured = true)
{
    struct target target;
    struct monitor monitor;

    start_target(&target, NULL, NULL);
    start_monitor(&monitor, &target, "--duration", "1.5", NULL);
    cJSON *summary = finish_monitor(&monitor);
    double duration_ms = number(summary, "duration_ms");
    double stall_ms = ms(stalled_ns(target.log, 0, UINT64_MAX));
    cr_expect(duration_ms >= 1500 && is_within(duration_ms, 1600, stall_ms), "%.1f ms",
              duration_ms);
    cr_expect(is_running(&target.program));
    cJSON_Delete(summary);
}

/* The target goes ------------------------------------------------------------------------------ */

/* The session ends within a second of a time on the machine's counter. */
static void expect_end_soon_after(struct monitor *monitor, uint64_t gone_ns)
{
    cJSON *summary = finish_monitor(monitor);
    double end_ns = number(summary, "clock_start_ns") + number(summary, "duration_ms") * 1e6;
    double after_ms = (end_ns - (double)gone_ns) / 1e6;
    cr_expect_gt(number(summary, "beats.seen"), 0);
    cr_expect_leq(after_ms, GONE_WITHIN_MS, "it ended %.1f ms after its target", after_ms);
    cJSON_Delete(summary);
}

Test(lives, killed_target_ends_the_session, .measured = true)
{
    struct target target;
    struct monitor monitor;

    start_target(&target, NULL, NULL);
    start_monitor(&monitor, &target, NULL);
    sleep_ms(300);
    uint64_t before_ns = machine_now_ns();
    kill_hard(&target.program);
    expect_end_soon_after(&monitor, before_ns);
}

Test(lives, target_killed_in_a_freeze_ends_the_session, .measured = true)
{
    struct target target;
    struct monitor monitor;

    start_target(&target, NULL, NULL);
    start_monitor(&monitor, &target, NULL);
    trigger(&target, "wait:300,30000");
    sleep_ms(500);
    uint64_t before_ns = machine_now_ns();
    kill_hard(&target.program);
    expect_end_soon_after(&monitor, before_ns);
}

/* Other threads send to the UI thread all the time, and the DLL's worker writes to the pipe. */
Test(lives, target_killed_in_a_flood_of_sends_ends_the_session, .measured = true)
{
    struct target target;
    struct monitor monitor;

    start_target(&target, NULL, "--play", "sent:5,jank:10x2,flood:50,sent:20", "--delay", "0",
                 "--pause", "0", "--repeat", "0", NULL);
    start_monitor(&monitor, &target, "--heartbeat", "2", NULL);
    wait_freeze(&target, 20);
    uint64_t before_ns = machine_now_ns();
    kill_hard(&target.program);
    expect_end_soon_after(&monitor, before_ns);
}

Test(lives, target_that_exits_ends_the_session, .measured = true)
{
    struct target target;
    struct monitor monitor;
    struct program feed;
    struct um_demo_log_event *ends;
    char hwnd[32];

    start_target(&target, NULL, NULL);
    start_monitor(&monitor, &target, NULL);
    start(&feed, "probe_win32", "tail-feed", monitor.feed, NULL);
    wait_line(feed.out, "state ");
    snprintf(hwnd, sizeof hwnd, "0x%llx", (unsigned long long)target.hwnd);
    probe("close", hwnd, NULL);
    cr_expect_eq(wait_end(&target.program, LIMIT_MS), 0, "the target ended in another way");
    cr_assert_eq(log_events(target.log, UM_DEMO_LOG_END, &ends), 1);
    expect_end_soon_after(&monitor, ends->begin_ns);
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
Test(lives, target_does_not_wait_for_a_full_pipe, .measured = true)
{
    struct target target;
    struct monitor monitor;
    struct um_demo_log_event *freezes;
    unsigned uimon;
    uint64_t until = unix_now_ms() + LIMIT_MS;

    start_target(&target, NULL, NULL);
    double threads = probe_number("threads", decimal(target.pid), NULL);
    start_monitor(&monitor, &target, "--heartbeat", "2", "--rest-heartbeat", "2", NULL);
    cr_assert_eq(sscanf(probe("find", "uimon session end", NULL), "%*s %u", &uimon), 1);
    probe("suspend", decimal(uimon), NULL);
    while (probe_number("sinks", decimal(target.pid), NULL) > 0)
        cr_assert_lt(unix_now_ms(), until, "the DLL stays");
    uint64_t left_ns = machine_now_ns();
    trigger(&target, "150");
    wait_freeze(&target, 1);
    cr_expect_leq(probe_number("threads", decimal(target.pid), NULL), threads,
                  "a thread of the DLL stays");
    double alone_ms = (double)(machine_now_ns() - left_ns) / 1e6;
    probe("resume", decimal(uimon), NULL);
    while (probe_number("sinks", decimal(target.pid), NULL) == 0)
        cr_assert_lt(unix_now_ms(), until, "uimon does not attach again");
    held_wait_quiet(monitor.program.process);
    trigger(&target, "300");
    wait_freeze(&target, 2);
    sleep_ms(500);
    cJSON *summary = stop_monitor(&monitor);
    cr_assert_eq(log_events(target.log, UM_DEMO_LOG_FREEZE, &freezes), 2);
    cr_expect_eq(freezes_of(summary, &freezes[0]), 0, "a freeze that nobody measured");
    cr_expect(has_freeze_of(summary, &target, &freezes[1], ACCURACY_MS));
    cr_expect_gt(number(summary, "state_ms.blind"), alone_ms, "%.0f ms of %.0f",
                 number(summary, "state_ms.blind"), alone_ms);
    free(freezes);
    cJSON_Delete(summary);
}

/* One monitor a target ------------------------------------------------------------------------- */

Test(lives_guards, second_monitor_names_the_first, .measured = true)
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

/* A summary in which the freezes of the target's list are, each as long as the log says. */
static void expect_log_in(const cJSON *summary, const struct target *target)
{
    struct um_demo_log_event *truth;
    size_t count = log_events(target->log, UM_DEMO_LOG_FREEZE, &truth);
    cr_assert_gt(count, 0);
    for (size_t i = 0; i < count; i++)
        cr_expect(has_freeze_of(summary, target, &truth[i], ACCURACY_MS),
                  "a freeze of %.1f ms is missing", ms(truth[i].end_ns - truth[i].begin_ns));
    free(truth);
}

/* Launches the demo with arguments up to a NULL, which plays and exits; returns the summary. */
static cJSON *launch_demo(struct target *target, const char *const *more)
{
    struct program monitor;
    char json[PATH_BYTES];
    char program[PATH_BYTES];
    const char *args[MAX_ARGS + 1] = {"--headless", "--verbose", "--json"};
    size_t count = 3;

    name_log(target);
    snprintf(json, sizeof json, "%s", test_file("launched.json"));
    snprintf(program, sizeof program, "%s", windows_path(dist_file("uimon-demo.exe")));
    args[count++] = windows_path(json);
    args[count++] = "--launch";
    args[count++] = program;
    args[count++] = "--log";
    args[count++] = windows_path(target->log);
    while (*more)
        args[count++] = *more++;
    args[count] = NULL;
    start_list(&monitor, "uimon", args);
    int code = wait_end(&monitor, LIMIT_MS);
    char *err = read_text(monitor.err);
    cr_assert_eq(code, 0, "uimon ended with %d: %s", code, err);
    free(err);
    read_log(target);
    return read_json(json);
}

Test(lives, launched_program_gets_its_arguments, .measured = true)
{
    struct target target;
    const char *title = "a \"quoted\" title\\";
    const char *const args[] = {"--title", title,  "--play", "150",
                                "--delay", "2000", "--exit", NULL};

    cJSON *summary = launch_demo(&target, args);
    expect_log_in(summary, &target);
    const cJSON *described = cJSON_GetObjectItem(summary, "target");
    cr_expect_eq(number(described, "pid"), target.pid);
    const char *said = cJSON_GetStringValue(cJSON_GetObjectItem(described, "title"));
    cr_expect_str_eq(said, title, "the title is %s", said);
    cJSON_Delete(summary);
}

Test(lives, launched_splash_screen_gives_way_to_the_main_window, .measured = true)
{
    struct target target;
    const char *const args[] = {"--splash", "1500",    "--title", "after the splash", "--play",
                                "150,300",  "--delay", "2000",    "--exit",           NULL};

    cJSON *summary = launch_demo(&target, args);
    struct um_demo_log_event gone;
    cr_assert_eq(um_demo_log_parse(wait_line(target.log, "gone "), &gone), UM_OK);
    cr_assert_str_eq(gone.name, "splash");
    cr_expect_lt(number(summary, "clock_start_ns"), (double)gone.begin_ns,
                 "the splash screen itself was not watched");
    expect_log_in(summary, &target);
    cJSON_Delete(summary);
}

Test(lives_guards, launched_console_program_outlives_ctrl_c)
{
    struct target target;
    struct program monitor;
    char uimon[PATH_BYTES], program[PATH_BYTES];

    name_log(&target);
    snprintf(uimon, sizeof uimon, "%s", windows_path(dist_file("uimon.exe")));
    snprintf(program, sizeof program, "%s", windows_path(test_program("target_odd_win32")));
    start(&monitor, "probe_win32", "console", uimon, "--headless", "--verbose", "--launch", program,
          "--mode", "quiet", "--log", windows_path(target.log), "--seconds", "60", NULL);
    wait_line(monitor.err, "watching ");
    read_log(&target);
    probe("interrupt", decimal((uint64_t)probe_number("pid", "uimon.exe", NULL)), NULL);
    cr_expect_eq(wait_end(&monitor, LIMIT_MS), 0, "uimon ended otherwise");
    char *out = read_text(monitor.out);
    cr_expect(strstr(out, "target_odd_win32.exe"), "the summary says: %s", out);
    cr_expect(!has_line(target.log, "end "), "uimon was not interrupted");
    trigger(&target, "150"); /* a program that has ended makes no freeze */
    wait_freeze(&target, 1);
    probe("close", hwnd_text(target.hwnd), NULL);
    wait_line(target.log, "end ");
    free(out);
}

Test(lives, attached_splash_screen_gives_way_to_the_main_window, .measured = true)
{
    struct target target;
    struct monitor monitor;
    struct um_demo_log_event splash;

    name_log(&target);
    snprintf(monitor.json, PATH_BYTES, "%s", test_file("splash.json"));
    start(&monitor.program, "uimon", "--attach", "uimon-demo", "--wait", "--headless", "--verbose",
          "--json", windows_path(monitor.json), NULL);
    start(&target.program, "uimon-demo", "--log", windows_path(target.log), "--splash", "2000",
          NULL);
    cr_assert_eq(um_demo_log_parse(wait_line(target.log, "splash"), &splash), UM_OK);
    const char *first = wait_line(monitor.program.err, "watching ");
    char thread[32];
    snprintf(thread, sizeof thread, "thread %u,", splash.tid);
    cr_assert(strstr(first, thread), "the splash was over too early: %s", first);
    read_log(&target);
    snprintf(thread, sizeof thread, "thread %u,", target.tid);
    wait_line(monitor.program.err, thread);
    trigger(&target, "wait:500,300");
    wait_freeze(&target, 1);
    sleep_ms(200);
    cJSON *summary = stop_monitor(&monitor);
    expect_log_in(summary, &target);
    cJSON_Delete(summary);
}

Test(lives, thread_that_ended_is_not_frozen, .measured = true)
{
    struct target target;
    struct monitor monitor;
    struct um_demo_log_event late;
    char hwnd[32];
    char thread[32];

    start_target(&target, "target_odd_win32", "--mode", "late-window:2000", NULL);
    start_monitor(&monitor, &target, NULL);
    sleep_ms(500);
    snprintf(hwnd, sizeof hwnd, "0x%llx", (unsigned long long)target.hwnd);
    probe("close", hwnd, NULL);
    cr_assert_eq(um_demo_log_parse(wait_line(target.log, "window "), &late), UM_OK);
    snprintf(thread, sizeof thread, "thread %u,", late.tid);
    wait_line(monitor.program.err, thread);
    sleep_ms(500);
    cJSON *summary = stop_monitor(&monitor);
    cr_expect_eq(unexplained_freezes(summary, &target), 0, "%.0f freezes",
                 number(summary, "freezes.count"));
    cr_expect_gt(number(summary, "state_ms.blind"), 1500, "blind for %.1f ms",
                 number(summary, "state_ms.blind"));
    cr_expect_gt(number(summary, "state_ms.responsive"), 700, "responsive for %.1f ms",
                 number(summary, "state_ms.responsive"));
    cJSON_Delete(summary);
}

/* A login form, say. */
Test(lives_guards, window_that_hides_gives_way_to_one_that_is_shown)
{
    struct target target;
    struct monitor monitor;
    struct um_demo_log_event shown;
    char hwnd[32];
    char thread[32];

    start_target(&target, "target_odd_win32", "--mode", "hide", NULL);
    start_monitor(&monitor, &target, NULL);
    snprintf(hwnd, sizeof hwnd, "0x%llx", (unsigned long long)target.hwnd);
    probe("close", hwnd, NULL);
    cr_assert_eq(um_demo_log_parse(wait_line(target.log, "window "), &shown), UM_OK);
    snprintf(thread, sizeof thread, "thread %u,", shown.tid);
    wait_line(monitor.program.err, thread);
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
    struct program waiting;
    const char *said;

    start_target(&target, NULL, NULL);
    start_monitor(&monitor, &target, NULL); /* makes the copy */
    cJSON_Delete(stop_monitor(&monitor));
    kill_hard(&target.program);
    said =
        probe("plant", NULL); /* also those of the DLL for 32-bit programs, where there are any */
    cr_assert(line_number(said, "planted") >= 1 && line_number(said, "refused") == 0, "%s", said);
    start_target(&target, NULL, NULL);
    start_monitor(&monitor, &target, NULL);
    trigger(&target, "200");
    sleep_ms(600);
    cJSON *summary = stop_monitor(&monitor);
    cr_expect_eq(freeze_count(summary), 1, "%zu freezes", freeze_count(summary));
    cJSON_Delete(summary);
    kill_hard(&target.program);

    start_target(&frozen, NULL, NULL);
    trigger(&frozen, "3000");
    sleep_ms(100);
    start(&waiting, "uimon", "--attach", decimal(frozen.pid), "--headless", NULL);
    wait_line(waiting.err, "the program is frozen");
    said = probe("plant", NULL);
    cr_expect_eq(line_number(said, "refused"), 1, "%s", said);
    interrupt(&waiting);
    wait_end(&waiting, LIMIT_MS);
}

Test(lives, attaching_in_a_freeze_waits_for_its_end, .measured = true)
{
    struct target target;
    struct monitor monitor;

    start_target(&target, NULL, NULL);
    trigger(&target, "8000");
    sleep_ms(100);
    start_monitor(&monitor, &target, NULL);
    cr_expect(
        has_line(monitor.program.err, "the program is frozen; watching begins when it comes"));
    struct um_demo_log_event missed = wait_freeze(&target, 1);
    trigger(&target, "wait:200,300");
    struct um_demo_log_event truth = wait_freeze(&target, 2);
    sleep_ms(200);
    cJSON *summary = stop_monitor(&monitor);
    cr_expect(has_freeze_of(summary, &target, &truth, ACCURACY_MS),
              "a freeze after attaching is missing");
    cr_expect(!has_freeze_of(summary, &target, &missed, ACCURACY_MS),
              "nobody was there to measure that");
    cr_expect_lt(number(summary, "latency_ms.max"), 4000);
    cJSON_Delete(summary);
}

Test(lives, recreated_window_is_followed, .measured = true)
{
    struct target target;
    struct monitor monitor;
    struct program feed;
    struct um_demo_log_event recreated;

    start_target(&target, "target_odd_win32", "--mode", "recreate", NULL);
    start_monitor(&monitor, &target, NULL);
    start(&feed, "probe_win32", "tail-feed", monitor.feed, NULL);
    wait_line(feed.out, "state responsive");
    for (int i = 0; i < 3; i++) {
        char hwnd[32];
        struct um_demo_log_event *windows;
        sleep_ms(1000);
        size_t count = log_events(target.log, UM_DEMO_LOG_WINDOW, &windows);
        cr_assert_gt(count, 0);
        recreated = windows[count - 1];
        free(windows);
        snprintf(hwnd, sizeof hwnd, "hwnd 0x%llx ", (unsigned long long)recreated.hwnd);
        wait_line(feed.out, hwnd);
    }
    cJSON *summary = stop_monitor(&monitor);
    double known = number(summary, "latency_ms.count");
    cr_expect_gt(known, 0.5 * number(summary, "duration_ms") / 10, "%.0f latencies", known);
    /* Between two windows none has the focus for a moment, and Wine delivers no input then. A beat
     * that falls into that is lost, and given up after a second (ABANDON_NS of the watchdog). */
    double lost = number(summary, "beats.lost"), abandon_ms = 1000;
    cr_expect_leq(lost, 1);
    cr_expect_lt(number(summary, "state_ms.blind") - lost * abandon_ms,
                 0.1 * number(summary, "duration_ms"), "blind for %.1f ms",
                 number(summary, "state_ms.blind"));
    cJSON_Delete(summary);
}

Test(lives, wait_finds_a_target_that_starts_later, .measured = true)
{
    struct target target;
    struct monitor monitor;

    snprintf(monitor.json, PATH_BYTES, "%s", test_file("waited.json"));
    start(&monitor.program, "uimon", "--attach", "title:started later", "--wait", "--headless",
          "--verbose", "--json", windows_path(monitor.json), NULL);
    sleep_ms(1000);
    cr_assert(is_running(&monitor.program), "it did not wait");
    start_target(&target, NULL, "--title", "was started later than that", NULL);
    wait_line(monitor.program.err, "probe: ");
    trigger(&target, "wait:200,200");
    wait_freeze(&target, 1);
    sleep_ms(200);
    cJSON *summary = stop_monitor(&monitor);
    expect_log_in(summary, &target);
    cJSON_Delete(summary);
}

/* Programs that nobody here wrote -------------------------------------------------------------- */

static void check_foreign(const char *program, const char *name)
{
    struct target target;
    struct monitor monitor;

    start(&target.program, program, NULL);
    snprintf(monitor.json, PATH_BYTES, "%s", test_file("foreign.json"));
    start(&monitor.program, "uimon", "--attach", name, "--wait=60", "--headless", "--verbose",
          "--json", windows_path(monitor.json), NULL);
    wait_line(monitor.program.err, "probe: ");
    probe("type", "Hello", NULL);
    sleep_ms(2000);
    cJSON *summary = stop_monitor(&monitor);
    cr_expect_gt(number(summary, "latency_ms.count"), 100, "%.0f latencies",
                 number(summary, "latency_ms.count"));
    cr_expect_eq(number(summary, "freezes.over_1000"), 0);
    const char *list;
    run(&list, NULL, "uimon", "list", NULL);
    cr_expect(strstr(list, name), "it did not survive: %s", list);
    uint32_t pid = (uint32_t)number(cJSON_GetObjectItem(summary, "target"), "pid");
    cr_expect_gt(probe_number("threads", decimal(pid), NULL), 0);
    cr_expect_eq(beats_in_a_second(), 0);
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
        bool is_kernel32 = strcasecmp(name, "kernel32.dll") == 0;
        bool is_user32 = strcasecmp(name, "user32.dll") == 0;
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
    char recording[PATH_BYTES], hwnd[32];
    const char *out, *err;

    snprintf(recording, sizeof recording, "%s", test_file("session.uirec"));
    start_target(&target, NULL, "--still", NULL);
    start_monitor(&monitor, &target, "--record", windows_path(recording), NULL);
    trigger(&target, "300");
    wait_line(target.log, "freeze ");
    cr_assert_eq(sscanf(probe("find", "uimon session end", NULL), "%31s", hwnd), 1);
    cr_expect_eq(probe_number("end-session", hwnd, "0", NULL), 1, "it objects");
    sleep_ms(500);
    cr_assert(is_running(&monitor.program), "it ended although the session did not");
    cr_expect_eq(probe_number("end-session", hwnd, "1", NULL), 1);
    cr_assert_eq(wait_end(&monitor.program, 5000), 0);
    cJSON *summary = finish_monitor(&monitor);
    cr_expect_geq(freeze_count(summary), 1);
    char *text = read_text(monitor.program.out);
    cr_expect(strstr(text, "freeze"), "there is no summary: %s", text);
    int code = run(&out, &err, "uimon", "report", windows_path(recording), NULL);
    cr_expect(code == 0 && err[0] == 0, "the recording is not whole: %s", err);
    cJSON_Delete(summary);
    free(text);
}
