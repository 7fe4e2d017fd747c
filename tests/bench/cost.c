/* What uimon costs while it runs: CPU of monitor and overlay, measuring and paused, CPU that the
 * target gains with either probe, and memory. The target is the demo at rest, 1900 pixels wide, so
 * that the strip is as large as the budgets have it. */
#include "tests/bench/measures.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/plain/clock.h"
#include "tests/bench/driver.h"
#include "tests/waits_posix.h"

#define SECONDS 10
#define SETTLE_MS 2000
#define THREADS 4
#define DLL_THREADS 2    /* heartbeat and worker */
#define IDLE_PAUSE_S 16  /* after settling and measuring */
#define WAITS_PAUSED 620 /* a second, nearly always for Wine's server */
#define PANES 3
#define LAID_OUT "panes:100x20" /* of the play: the panes are laid out for 6 s or longer */
#define FEED "uimon-feed-0123456789abcdef0123456789abcdef"

/* Figures of one stretch. Units: percent of a core. */
struct load {
    double target;
    double monitor;
    double overlay;
    double server; /* Wine's; there is none on Windows */
    struct {
        double target; /* how often a second their threads went to wait */
        double worker; /* of the target's, the DLL's worker */
        double monitor;
        double overlay;
    } waits;
};

struct pids {
    pid_t target;
    pid_t worker; /* a thread of it; 0: none, as below */
    pid_t monitor;
    pid_t overlay;
    pid_t server;
};

static double cpu_s(pid_t pid)
{
    return pid ? driver_cpu_s(pid) : 0;
}

static double waits(pid_t pid)
{
    return pid ? (double)waits_of(pid) : 0;
}

static double worker_waits(const struct pids *pids)
{
    return pids->worker ? (double)waits_of_thread(pids->target, pids->worker) : 0;
}

/* The last thread of a process. */
static pid_t last_thread(pid_t pid)
{
    pid_t last = 0;
    for (pid_t tid = 0; (tid = waits_next_thread(pid, tid)) != 0;)
        last = tid;
    return last;
}

static struct load measure_load(const struct pids *pids)
{
    uint64_t begin_ns = um_clock_now_ns();
    struct load load = {.target = cpu_s(pids->target),
                        .monitor = cpu_s(pids->monitor),
                        .overlay = cpu_s(pids->overlay),
                        .server = cpu_s(pids->server),
                        .waits = {waits(pids->target), worker_waits(pids), waits(pids->monitor),
                                  waits(pids->overlay)}};

    driver_sleep_ms(SECONDS * 1000);
    double percent = 1e11 / (double)(um_clock_now_ns() - begin_ns);
    load.waits.target = (waits(pids->target) - load.waits.target) * percent / 100;
    load.waits.worker = (worker_waits(pids) - load.waits.worker) * percent / 100;
    load.waits.monitor = (waits(pids->monitor) - load.waits.monitor) * percent / 100;
    load.waits.overlay = (waits(pids->overlay) - load.waits.overlay) * percent / 100;
    load.target = (cpu_s(pids->target) - load.target) * percent;
    load.monitor = (cpu_s(pids->monitor) - load.monitor) * percent;
    load.overlay = (cpu_s(pids->overlay) - load.overlay) * percent;
    load.server = (cpu_s(pids->server) - load.server) * percent;
    return load;
}

#define TARGET_WIDTH 1900
#define TARGET_HEIGHT 800
#define TEXT_OF_(value) #value
#define TEXT_OF(value) TEXT_OF_(value)
#define FRAME_BUFFER_MIB (TARGET_WIDTH * TARGET_HEIGHT * 4 / 1048576.0)

struct memory {
    double target_alone; /* MiB that nobody else shares */
    double target;
    double monitor;
    double overlay;
    double overlay_plain;  /* of an overlay before its meters are switched on */
    double overlay_layout; /* while they are drawn */
    double overlay_off;    /* when they are switched off again */
    double plain;          /* a Windows program that does nothing, for comparison */
    double thread;         /* a thread that does nothing: 1 MiB under Wine */
};

struct costs {
    struct load alone;
    struct load full; /* raw probe, beats at the full rate */
    struct load raw;  /* raw probe, beats as a target at rest gets them */
    struct load paused;
    struct load mouse;
    struct load drawing; /* a program in uimon's place that only wakes, and the overlay */
    double hook_ns;      /* a hook call at rest */
    struct memory memory;
};

static pid_t wait_overlay(void)
{
    uint64_t until_ns = um_clock_now_ns() + DRIVER_LIMIT_MS * UM_CLOCK_NS_PER_MS;
    pid_t pid;

    while ((pid = driver_find("uimon-overlay")) == 0) {
        if (um_clock_now_ns() > until_ns)
            driver_fail("no overlay came");
        driver_sleep_ms(50);
    }
    return pid;
}

static void weigh(const struct pids *pids, struct memory *memory)
{
    memory->target = driver_private_mib(pids->target);
    memory->monitor = driver_private_mib(pids->monitor);
    memory->overlay = driver_private_mib(pids->overlay);
}

static void run_raw(uint32_t pid, struct pids pids, struct costs *costs)
{
    char pause[16];
    struct monitor monitor;

    snprintf(pause, sizeof pause, "%d", IDLE_PAUSE_S);
    pid_t before = last_thread(pids.target);
    driver_watch(&monitor, pid, "--probe", "raw", "--height", "160", "--idle-pause", pause, NULL);
    uint64_t begin_ns = um_clock_now_ns();
    pids.monitor = monitor.program.pid;
    pids.worker = waits_next_thread(pids.target, before); /* the first that the DLL starts */
    pids.overlay = wait_overlay();
    driver_sleep_ms(SETTLE_MS);
    costs->raw = measure_load(&pids);
    weigh(&pids, &costs->memory);
    uint64_t idle_ns = begin_ns + (IDLE_PAUSE_S + 2) * UM_CLOCK_NS_PER_S;
    if (um_clock_now_ns() < idle_ns)
        um_clock_sleep_ns(idle_ns - um_clock_now_ns());
    costs->paused = measure_load(&pids);
    cJSON *summary = driver_finish(&monitor, true);
    double idle_ms = driver_number(summary, "state_ms.idle");
    if (idle_ms < SECONDS * 1000)
        driver_fail("the heartbeat was paused for %.0f ms only", idle_ms);
    costs->hook_ns = driver_number(summary, "cost.hook_call_ns");
    cJSON_Delete(summary);
}

static void run_full(uint32_t pid, struct pids pids, struct costs *costs)
{
    struct monitor monitor;
    pid_t before = last_thread(pids.target);

    driver_watch(&monitor, pid, "--probe", "raw", "--height", "160", "--idle-pause", "0",
                 "--rest-heartbeat", "1", NULL);
    pids.monitor = monitor.program.pid;
    pids.worker = waits_next_thread(pids.target, before);
    pids.overlay = wait_overlay();
    driver_sleep_ms(SETTLE_MS);
    costs->full = measure_load(&pids);
    cJSON_Delete(driver_finish(&monitor, true));
}

/* Presses the keys that go to the next mode of --layout. */
static void next_mode(void)
{
    driver_output("probe_win32", "chord", "17,18,16,118", NULL); /* Ctrl+Alt+Shift+F7 */
}

/* Waits until the overlay has made the window with the meters, or has closed it. */
static void wait_sheet(bool there)
{
    uint64_t until_ns = um_clock_now_ns() + DRIVER_LIMIT_MS * UM_CLOCK_NS_PER_MS;
    while ((*driver_output("probe_win32", "find", "uimon layout costs", NULL) != 0) != there)
        if (um_clock_now_ns() > until_ns)
            driver_fail(there ? "no sheet came" : "the sheet stays");
}

/* The same overlay without meters, with those of the demo's panes, which are laid out all the time,
 * and without them again. */
static void weigh_layout(const struct target *demo, struct memory *memory)
{
    struct monitor monitor;

    driver_trigger(demo, "panes:2x20");
    driver_watch(&monitor, demo->pid, "--height", "160", "--layout=off", NULL);
    pid_t overlay = wait_overlay();
    driver_sleep_ms(SETTLE_MS);
    memory->overlay_plain = driver_private_mib(overlay);
    next_mode();
    wait_sheet(true);
    driver_sleep_ms(SETTLE_MS);
    driver_trigger(demo, LAID_OUT);
    driver_sleep_ms(2 * SETTLE_MS);
    memory->overlay_layout = driver_private_mib(overlay);
    for (int i = 0; i < 3; i++) /* heatmap, inspect, off */
        next_mode();
    wait_sheet(false);
    driver_sleep_ms(SETTLE_MS);
    memory->overlay_off = driver_private_mib(overlay);
    cJSON *summary = driver_finish(&monitor, true);
    /* One that had a layout frame has a meter. */
    if (driver_laid_out(summary, "UimonDemoPane") < PANES)
        driver_fail("the panes had no layout frames, so they had no meters");
    cJSON_Delete(summary);
}

/* An overlay that draws as much, at a scripted feed of 100 frames a second, whose writer has
 * nothing else to do. It wakes about as often as the monitor. */
static void run_drawing(struct pids pids, struct costs *costs)
{
    char seconds[16];
    struct program feeder;
    struct program overlay;

    snprintf(seconds, sizeof seconds, "%d", SECONDS + 2 * SETTLE_MS / 1000);
    driver_start(&feeder, true, "feed_server_win32", FEED, "UimonDemo", "quiet", seconds, NULL);
    driver_hear(&feeder);
    driver_start(&overlay, false, "uimon-overlay", "--feed", FEED, "--height", "160", NULL);
    driver_hear(&feeder);
    pids.monitor = feeder.pid;
    pids.overlay = overlay.pid;
    driver_sleep_ms(SETTLE_MS);
    costs->drawing = measure_load(&pids);
    driver_wait_end(&feeder, DRIVER_LIMIT_MS);
    driver_wait_end(&overlay, DRIVER_LIMIT_MS);
}

static void run_mouse(uint32_t pid, struct pids pids, struct costs *costs)
{
    struct monitor monitor;

    driver_output("probe_win32", "cursor", "600", "300", NULL);
    driver_watch(&monitor, pid, "--headless", "--probe", "mouse", "--idle-pause", "0", NULL);
    pids.monitor = monitor.program.pid;
    driver_sleep_ms(SETTLE_MS);
    costs->mouse = measure_load(&pids);
    cJSON_Delete(driver_finish(&monitor, true));
}

/* What the system itself takes for a program and for a thread, which is not uimon's own. */
static void weigh_nothing(struct memory *memory)
{
    struct program plain;

    driver_start(&plain, true, "target_win32", NULL);
    driver_hear(&plain);
    driver_sleep_ms(SETTLE_MS);
    memory->plain = driver_private_mib(plain.pid);
    driver_say(&plain, "threads %d", THREADS);
    driver_hear(&plain);
    memory->thread = (driver_private_mib(plain.pid) - memory->plain) / THREADS;
    driver_say(&plain, "quit");
    driver_wait_end(&plain, DRIVER_LIMIT_MS);
}

static void run_all(struct costs *costs)
{
    struct target demo;

    driver_start_logged(&demo, "uimon-demo", "--still", "--pos",
                        "0,0," TEXT_OF(TARGET_WIDTH) "," TEXT_OF(TARGET_HEIGHT), NULL);
    weigh_nothing(&costs->memory);
    struct pids pids = {.target = demo.program.pid, .server = driver_find("wineserver")};
    costs->alone = measure_load(&pids);
    costs->memory.target_alone = driver_private_mib(pids.target);
    run_raw(demo.pid, pids, costs); /* first, because memory is weighed there */
    run_drawing(pids, costs);
    run_full(demo.pid, pids, costs);
    run_mouse(demo.pid, pids, costs);
    weigh_layout(&demo, &costs->memory); /* last, because the panes stay in the demo */
}

static struct row percent(const char *id, const char *what, double value)
{
    return row_of_number(id, what, "%", value, 1);
}

static void report_cpu(const struct costs *costs)
{
    const struct load *raw = &costs->raw;
    const struct load *paused = &costs->paused;
    struct row row = percent("cpu_measuring", "CPU of monitor + overlay, measuring",
                             raw->monitor + raw->overlay);

    row_note(&row, "monitor %.1f %%, overlay %.1f %%; Wine's server gains %.1f %%", raw->monitor,
             raw->overlay, raw->server - costs->alone.server);
    driver_row(&row);
    const struct load *drawing = &costs->drawing;
    row = row_of_number("cpu_share",
                        "the same / a program that only draws as much and wakes as often", "",
                        (raw->monitor + raw->overlay) / (drawing->monitor + drawing->overlay), 1);
    row_budget(&row, ROW_AT_MOST, 2, NAN, "<= 2");
    row_note(&row,
             "that one %.1f %%, its overlay %.1f %%; waits a second: %.0f and %.0f, uimon's %.0f "
             "and %.0f",
             drawing->monitor, drawing->overlay, drawing->waits.monitor, drawing->waits.overlay,
             raw->waits.monitor, raw->waits.overlay);
    driver_row(&row);
    row = percent("cpu_paused", "CPU of monitor + overlay, heartbeat paused",
                  paused->monitor + paused->overlay);
    row_budget(&row, ROW_AT_MOST, 1, NAN, "<= 1 %");
    row_note(&row, "monitor %.1f %%, overlay %.1f %%; Wine's server gains %.1f %%", paused->monitor,
             paused->overlay, paused->server - costs->alone.server);
    driver_row(&row);
    row = percent("cpu_target_raw", "CPU that the target gains, raw probe",
                  raw->target - costs->alone.target);
    row_note(&row, "not watched %.1f %%, watched %.1f %%, heartbeat paused %.1f %%",
             costs->alone.target, raw->target, paused->target);
    driver_row(&row);
    double gained_full = costs->full.target - costs->alone.target;
    row = row_of_number("cpu_target_share", "CPU that the target gains: at rest / at the full rate",
                        "", (raw->target - costs->alone.target) / gained_full, 1);
    row_budget(&row, ROW_AT_MOST, 1.0 / 3, NAN, "<= 1/3");
    row_note(&row, "at the full rate %.1f %%; monitor %.1f %%, overlay %.1f %%", gained_full,
             costs->full.monitor, costs->full.overlay);
    driver_row(&row);
    row = percent("cpu_target_mouse", "CPU that the target gains, mouse probe",
                  costs->mouse.target - costs->alone.target);
    driver_row(&row);
    row = row_of_number("hook_at_rest", "a hook call at rest, the raw probe", "ns", costs->hook_ns,
                        1);
    row_note(&row, "nearly all of them beats, whose raw input the system has to hand out");
    driver_row(&row);
}

static void report_waits(const struct costs *costs)
{
    const struct load *rest = &costs->raw;
    const struct load *full = &costs->full;
    double alone = costs->alone.waits.target;
    double gained = rest->waits.target - alone;
    double gained_full = full->waits.target - alone;
    struct row row =
        row_of_number("waits", "waits of the resting target, monitor and overlay, per s", "",
                      gained + rest->waits.monitor + rest->waits.overlay, 1);

    row_note(&row, "%.0f + %.0f + %.0f; heartbeat paused %.0f + %.0f + %.0f", gained,
             rest->waits.monitor, rest->waits.overlay, costs->paused.waits.target - alone,
             costs->paused.waits.monitor, costs->paused.waits.overlay);
    driver_row(&row);
    row = row_of_number("waits_full", "the same with beats at the full rate", "",
                        gained_full + full->waits.monitor + full->waits.overlay, 1);
    row_note(&row, "%.0f + %.0f + %.0f", gained_full, full->waits.monitor, full->waits.overlay);
    driver_row(&row);
    row = row_of_number("waits_worker", "of these, of the DLL's worker, the target at rest", "",
                        rest->waits.worker, 1);
    row_note(&row, "at the full rate %.0f, heartbeat paused %.0f", full->waits.worker,
             costs->paused.waits.worker);
    driver_row(&row);
    row = row_of_number("waits_paused", "waits of monitor and overlay, beats paused, per s", "",
                        costs->paused.waits.monitor + costs->paused.waits.overlay, 1);
    row_budget(&row, ROW_AT_MOST, WAITS_PAUSED, NAN, "<= 620");
    driver_row(&row);
}

static void report_memory(const struct memory *memory)
{
    double gained = memory->target - memory->target_alone;
    struct row row = row_of_number("memory_dll", "memory: DLL in the target", "MiB",
                                   gained - DLL_THREADS * memory->thread, 1);
    row_budget(&row, ROW_AT_MOST, 1, NAN, "<= 1 MiB");
    row_note(&row,
             "private memory that the target gains (%.2f MiB) less the system's own %.2f MiB for "
             "each of two threads",
             gained, memory->thread);
    driver_row(&row);
    row = row_of_number("memory_monitor", "memory: monitor", "MiB", memory->monitor - memory->plain,
                        1);
    row_budget(&row, ROW_AT_MOST, 16, NAN, "<= 16 MiB");
    row_note(&row, "private memory over that of a Windows program that does nothing (%.1f MiB)",
             memory->plain);
    driver_row(&row);
    row = row_of_number("memory_overlay", "memory: overlay", "MiB", memory->overlay - memory->plain,
                        1);
    row_budget(&row, ROW_AT_MOST, 48, NAN, "<= 48 MiB");
    row_note(&row, "as above");
    driver_row(&row);
    row = row_of_number("memory_layout", "memory: what --layout adds to the overlay", "MiB",
                        memory->overlay_layout - memory->overlay_plain, 1);
    row_budget(&row, ROW_AT_MOST, FRAME_BUFFER_MIB, NAN, "<= one picture of the target's size");
    row_note(&row, "one picture is %.1f MiB; %.1f MiB without meters, %.1f with them",
             FRAME_BUFFER_MIB, memory->overlay_plain, memory->overlay_layout);
    driver_row(&row);
    row = row_of_number("memory_layout_off", "memory: what stays of that when it is off", "MiB",
                        memory->overlay_off - memory->overlay_plain, 1);
    row_note(&row, "%.1f MiB when the keys have switched it off", memory->overlay_off);
    driver_row(&row);
}

void measure_cost(void)
{
    static struct costs costs;

    run_all(&costs);
    report_cpu(&costs);
    report_waits(&costs);
    report_memory(&costs.memory);
}
