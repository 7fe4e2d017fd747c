/* What stays in a program when uimon goes, and how long: of a monitor that is killed, of its hooks,
 * of a suspension that it did not end, and of many attachments. */
#include "tests/bench/measures.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain/clock.h"
#include "tests/bench/driver.h"
#include "tests/waits_posix.h"

#define GONE_MS 1000.0
#define LIMIT_MS 10000 /* after so long it counts as not gone */
#define TIMES 2

/* A monitor that is killed --------------------------------------------------------------------- */

static unsigned count_threads(pid_t pid)
{
    unsigned count = 0;
    for (pid_t tid = 0; (tid = waits_next_thread(pid, tid)) != 0;)
        count++;
    return count;
}

static uint64_t kill_now(struct program *program)
{
    uint64_t now_ns = driver_now_ns();
    kill(program->pid, SIGKILL);
    return now_ns;
}

/* How long after `killed_ns` the target has as many threads as before. Units: ms. */
static double threads_gone_ms(const struct target *target, unsigned threads, uint64_t killed_ns)
{
    double ms = 0;
    while (count_threads(target->program.pid) > threads && ms < LIMIT_MS) {
        driver_sleep_ms(2);
        ms = (double)(driver_now_ns() - killed_ns) / 1e6;
    }
    return ms;
}

struct gone {
    struct series threads, frozen_threads, beats; /* Units: ms */
    unsigned sinks;
};

static void kill_quiet(const struct target *target, struct gone *gone)
{
    struct monitor monitor;
    struct program beats;
    unsigned threads = count_threads(target->program.pid);

    driver_watch(&monitor, target->pid, "--headless", NULL);
    driver_start(&beats, false, "probe_win32", "beats", "4", NULL);
    driver_wait_line(beats.out, "listening");
    driver_sleep_ms(1000);
    uint64_t killed_ns = kill_now(&monitor.program);
    series_add(&gone->threads, threads_gone_ms(target, threads, killed_ns));
    driver_sleep_ms((unsigned)GONE_MS);
    gone->sinks += driver_probe_number("sinks", target->pid_text, NULL) > 0;
    driver_wait_end(&beats, DRIVER_LIMIT_MS);
    char *said = driver_read(beats.out);
    uint64_t last_ns = driver_number_after(said, " last ");
    if (driver_number_after(said, "\ntagged ") == 0 || last_ns == 0)
        driver_fail("no beats to begin with");
    free(said);
    series_add(&gone->beats, fmax(0, ((double)last_ns - (double)killed_ns) / 1e6));
    driver_wait_end(&monitor.program, DRIVER_LIMIT_MS);
}

/* The worker takes everything back while the UI thread hangs. */
static void kill_frozen(const struct target *target, size_t freezes, struct gone *gone)
{
    struct monitor monitor;
    struct um_demo_log_event *events;
    unsigned threads = count_threads(target->program.pid);

    driver_watch(&monitor, target->pid, "--headless", NULL);
    driver_trigger(target, "2500");
    driver_sleep_ms(300);
    uint64_t killed_ns = kill_now(&monitor.program);
    series_add(&gone->frozen_threads, threads_gone_ms(target, threads, killed_ns));
    driver_wait_end(&monitor.program, DRIVER_LIMIT_MS);
    driver_events(target->log, UM_DEMO_LOG_FREEZE, freezes, &events);
    free(events);
    driver_sleep_ms((unsigned)GONE_MS);
}

static void report_gone(const char *id, const char *what, const struct series *series)
{
    struct row row = row_of_series(id, what, "ms", series);
    row_budget(&row, ROW_AT_MOST, GONE_MS, GONE_MS, "worst 1 s");
    driver_row(&row);
}

static void measure_killed(void)
{
    static struct gone gone;
    struct target target;

    driver_start_logged(&target, "target_odd_win32", "--mode", "raw-late:3600000", NULL);
    driver_sleep_ms(500); /* until it has all its threads */
    for (size_t i = 1; i <= TIMES; i++) {
        kill_quiet(&target, &gone);
        kill_frozen(&target, i, &gone);
    }
    driver_kill(&target.program);
    report_gone("gone_threads", "uimon is killed: its threads are gone after", &gone.threads);
    report_gone("gone_frozen", "  the same in a freeze", &gone.frozen_threads);
    report_gone("gone_beats", "  the last beat comes after", &gone.beats);
    struct row row =
        row_of_number("gone_sinks", "  its window is still there after 1 s", "", gone.sinks, TIMES);
    row_budget(&row, ROW_AT_MOST, 0, NAN, "none");
    driver_row(&row);
}

/* Suspensions ---------------------------------------------------------------------------------- */

/* Done by another program, so that it is there for certain. Units: ms after the monitor's death. */
static double stands_ms(void)
{
    struct target target;
    struct monitor monitor;
    struct um_demo_log_event *freeze;

    driver_start_logged(&target, "uimon-demo", NULL);
    driver_watch(&monitor, target.pid, "--headless", NULL);
    driver_trigger(&target, "1500");
    driver_sleep_ms(600);
    driver_output("probe_win32", "thread", "stop", target.tid_text, NULL);
    uint64_t killed_ns = kill_now(&monitor.program);
    driver_events(target.log, UM_DEMO_LOG_FREEZE, 1, &freeze);
    double ms = ((double)freeze->end_ns - (double)killed_ns) / 1e6;
    free(freeze);
    driver_wait_end(&monitor.program, DRIVER_LIMIT_MS);
    driver_kill(&target.program);
    return ms;
}

#define WORK_MS 3002

/* The same of the thread with the lock for which the UI thread waits; the monitor itself stands
 * meanwhile, so that it does not find that one suspended. Units: ms longer than its work. */
static double holder_stands_ms(void)
{
    struct target target;
    struct monitor monitor;
    struct um_demo_log_event *freeze;
    char uimon[16], holder[16];

    driver_start_logged(&target, "target_works_win32", NULL);
    driver_watch(&monitor, target.pid, "--headless", NULL);
    if (sscanf(driver_output("probe_win32", "find", "uimon session end", NULL), "%*s %15s",
               uimon) != 1)
        driver_fail("uimon has no window");
    driver_trigger(&target, "spin:3002");
    if (sscanf(strstr(driver_wait_line(target.program.out, "lock "), "lock "), "lock %15s",
               holder) != 1)
        driver_fail("the target names no thread with the lock");
    driver_sleep_ms(700);
    driver_output("probe_win32", "suspend", uimon, NULL);
    driver_output("probe_win32", "thread", "stop", holder, NULL);
    kill_now(&monitor.program);
    driver_events(target.log, UM_DEMO_LOG_FREEZE, 1, &freeze);
    double ms = (double)(freeze->end_ns - freeze->begin_ns) / 1e6 - WORK_MS;
    free(freeze);
    driver_wait_end(&monitor.program, DRIVER_LIMIT_MS);
    driver_kill(&target.program);
    return ms;
}

static void measure_suspended(void)
{
    static struct series stands, holder;
    for (int i = 0; i < TIMES; i++)
        series_add(&stands, stands_ms());
    series_add(&holder, holder_stands_ms());
    report_gone("gone_suspension", "a suspension that a killed uimon left ends after", &stands);
    report_gone("gone_suspension_holder", "  of a thread with a lock: its work takes more",
                &holder);
}

/* Hooks ---------------------------------------------------------------------------------------- */

/* How long 2,000 messages take that the target sends, which it says in its n-th line. */
static double messages_ms(const struct target *target, size_t line)
{
    struct um_demo_log_event *events;
    driver_output("probe_win32", "post", target->hwnd, "UimonTestSends", "1", NULL);
    driver_events(target->log, UM_DEMO_LOG_NEST, line, &events);
    double ms = (double)(events[line - 1].end_ns - events[line - 1].begin_ns) / 1e6;
    free(events);
    return ms;
}

static void report_hooks(const char *id, const char *what, double before, double with, double after)
{
    struct row row = row_of_number(id, what, "", after / with, 1);
    row_budget(&row, ROW_AT_MOST, 0.5, NAN, "< 1/2");
    row_note(&row, "2,000 messages took %.1f ms, %.1f ms with the hooks, then %.1f ms", before,
             with, after);
    driver_row(&row);
}

/* The monitor dies while messages are handled within one another. */
static void kill_hooks(const char *id, const char *what, const char *option, const char *value)
{
    struct target target;
    struct monitor monitor;

    driver_start_logged(&target, "target_odd_win32", "--mode", "sends", NULL);
    double before = messages_ms(&target, 1);
    driver_watch(&monitor, target.pid, "--headless", option, value, NULL);
    driver_sleep_ms(500); /* the layout's hooks come after a beat */
    double with = messages_ms(&target, 2);
    driver_output("probe_win32", "post", target.hwnd, "UimonTestSends", "5", NULL);
    driver_sleep_ms(300);
    kill_now(&monitor.program);
    driver_output("probe_win32", "go", target.pid_text, NULL); /* the long one is over */
    double after = messages_ms(&target, 4);
    driver_wait_end(&monitor.program, DRIVER_LIMIT_MS);
    driver_kill(&target.program);
    report_hooks(id, what, before, with, after);
}

/* The keys go from the last mode to off. */
static void switch_hooks_off(void)
{
    struct target target;
    struct monitor monitor;

    driver_start_logged(&target, "target_odd_win32", "--mode", "sends", NULL);
    driver_wait_front(&target);
    double before = messages_ms(&target, 1);
    driver_watch(&monitor, target.pid, "--layout", "inspect", NULL);
    driver_sleep_ms(500);
    double with = messages_ms(&target, 2);
    driver_output("probe_win32", "chord", "17,18,16,118", NULL);
    driver_sleep_ms(500);
    double after = messages_ms(&target, 3);
    cJSON_Delete(driver_finish(&monitor, true));
    driver_kill(&target.program);
    report_hooks("gone_hooks_off", "  when --layout is switched off", before, with, after);
}

static void measure_hooks(void)
{
    kill_hooks("gone_hooks_trace", "messages after uimon's death / traced", "--trace", "messages");
    kill_hooks("gone_hooks_layout", "  the same with --layout", "--layout", NULL);
    switch_hooks_off();
}

/* Attachments ---------------------------------------------------------------------------------- */

#define ROUNDS 5
#define ATTACHMENTS 3
#define MEMORY_BYTES (ATTACHMENTS * 2e3)
#define HANDLES 2

static void attach(const struct target *target)
{
    struct monitor monitor;
    driver_watch(&monitor, target->pid, "--headless", "--duration", "0.1", NULL);
    cJSON_Delete(driver_finish(&monitor, false));
}

static void report_left(const char *id, const char *what, const char *unit, double value,
                        double most, const char *budget)
{
    struct row row = row_of_number(id, what, unit, value, ROUNDS * ATTACHMENTS);
    row_budget(&row, ROW_AT_MOST, most, NAN, budget);
    driver_row(&row);
}

/* What every attachment leaves, each round of them finds; what is allocated once is in some rounds
 * only: under Wine the heartbeat thread's look at the pointer opens a connection to the X server,
 * and some of what the X library allocates for that stays. */
static void measure_attachments(void)
{
    static struct series heap, memory;
    struct target target;

    driver_start_logged(&target, "target_odd_win32", "--mode", "quiet", NULL);
    attach(&target); /* what the first one loads stays: the DLL is pinned */
    driver_sleep_ms((unsigned)GONE_MS);
    double handles = driver_probe_number("handles", target.pid_text, NULL);
    double heap_before = driver_probe_number("heap", target.hwnd, NULL);
    double memory_before = driver_probe_number("memory", target.pid_text, NULL);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < ATTACHMENTS; i++)
            attach(&target);
        driver_sleep_ms((unsigned)GONE_MS);
        double heap_after = driver_probe_number("heap", target.hwnd, NULL);
        double memory_after = driver_probe_number("memory", target.pid_text, NULL);
        series_add(&heap, heap_after - heap_before);
        series_add(&memory, memory_after - memory_before);
        heap_before = heap_after;
        memory_before = memory_after;
    }
    handles = driver_probe_number("handles", target.pid_text, NULL) - handles;
    driver_kill(&target.program);
    report_left("attach_handles", "15 attachments: handles more", "", handles, HANDLES, "<= 2");
    report_left("attach_heap", "  heaps, more after each three of them", "B", series_min(&heap), 0,
                "none");
    report_left("attach_memory", "  private memory, the same", "B", series_min(&memory),
                MEMORY_BYTES, "<= 6000 B");
}

void measure_gone(void)
{
    measure_killed();
    measure_suspended();
    measure_hooks();
    measure_attachments();
}
