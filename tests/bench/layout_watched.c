/* What --layout costs a program, and how right its numbers are: panes that say what they cost, a
 * program at rest, and one that repaints a window full of windows. Each side is measured in turn
 * with the others. */
#include "tests/bench/measures.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ipc/wire.h"
#include "monitor/recording/recording.h"
#include "tests/bench/driver.h"
#include "tests/waits_posix.h"

#define TURNS 3
#define SETTLE_MS 1500

/* Panes: demo/panes_win32.h -------------------------------------------------------------------- */

#define PANES 3
#define RESIZES 71                 /* one each 60 ms; meters come each 100 ms, so there are less */
#define RESIZES_LIST "panes:71x20" /* of the play */
#define OFF_SHARE 0.05
#define OFF_MS 0.2
#define OFF_TAKEN 0.2 /* of what was taken out */

static const struct pane {
    const char *name;
    unsigned ms;
} panes[PANES] = {{"outer", 1}, {"middle", 5}, {"inner", 20}};

/* What the panes have said of each resize: how long they were busy, a pane with those within it,
 * and how long the call took that resized it. Units: ms. */
struct said {
    double busy[PANES][RESIZES];
    double around[PANES][RESIZES];
};

/* What uimon has said of their layout frames. The frames' numbers rise, and the last one is that of
 * the last resize. Units: ms. */
struct heard {
    uint32_t ids[PANES]; /* of the components; 0: not known yet */
    size_t count[PANES];
    uint32_t frames[PANES][RESIZES];
    double layout[PANES][RESIZES];
};

/* Of all resizes. Units: ms. */
struct pane_times {
    struct series busy;
    struct series system; /* not watched: what the call takes more, for the system's own part */
    struct series more;   /* what uimon says, more than it was busy */
    struct series taken;  /* what the call takes more than uimon says */
};

/* A pane's lines, of the panes' in a log. */
static void read_pane(const struct um_demo_log_event *events, size_t count, int which,
                      struct said *said)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(events[i].name, panes[which].name) != 0)
            continue;
        if (found == RESIZES)
            driver_fail("there are more than %d lines of %s", RESIZES, panes[which].name);
        said->busy[which][found] = (double)(events[i].end_ns - events[i].begin_ns) / 1e6;
        said->around[which][found++] =
            (double)(events[i].handled_ns - events[i].retrieved_ns) / 1e6;
    }
    if (found < RESIZES)
        driver_fail("there are %zu lines of %s, and not %d", found, panes[which].name, RESIZES);
}

static void read_said(const char *log, struct said *said)
{
    struct um_demo_log_event *events;
    size_t count = driver_events(log, UM_DEMO_LOG_PANE, PANES * RESIZES, &events);
    for (int i = PANES - 1; i >= 0; i--) {
        read_pane(events, count, i, said);
        for (size_t k = 0; k < RESIZES && i + 1 < PANES; k++)
            said->busy[i][k] += said->busy[i + 1][k];
    }
    free(events);
}

static void hear_meter(struct heard *heard, const struct um_wire_layout_meter *meter)
{
    uint64_t layout_ns = meter->measure_ns + meter->arrange_ns;
    for (int i = 0; i < PANES; i++) {
        size_t count = heard->count[i];
        if (meter->id != heard->ids[i] || layout_ns == 0 || count == RESIZES ||
            (count > 0 && heard->frames[i][count - 1] == meter->frame))
            continue;
        heard->frames[i][count] = meter->frame;
        heard->layout[i][count] = (double)layout_ns / 1e6;
        heard->count[i]++;
    }
}

static void hear(struct heard *heard, const struct um_wire_frame *frame)
{
    const struct um_wire_layout_component *component = &frame->as.layout_component;
    const struct um_wire_layout_meters *meters = &frame->as.layout_meters;
    for (int i = 0; i < PANES && frame->type == UM_WIRE_LAYOUT_COMPONENT; i++)
        if (strcmp(component->text, panes[i].name) == 0)
            heard->ids[i] = component->id;
    for (size_t i = 0; frame->type == UM_WIRE_LAYOUT_METERS && i < meters->count; i++)
        hear_meter(heard, &meters->list[i]);
}

static void read_recording(const char *path, struct heard *heard)
{
    static struct um_wire_frame frame;
    struct um_recording *recording;
    char error[UM_RECORDING_ERROR_BYTES];
    if (um_recording_open(path, &recording, error, sizeof error) != UM_OK)
        driver_fail("%s", error);
    while (um_recording_next(recording, &frame) == UM_OK)
        hear(heard, &frame);
    um_recording_close(recording);
}

/* Starts the panes and has them resized. With `heard` uimon looks on. */
static void run_panes(struct said *said, struct heard *heard)
{
    struct target target;
    struct monitor monitor;
    char recording[DRIVER_PATH_BYTES];

    snprintf(recording, sizeof recording, "%s", driver_file("panes.uirec"));
    driver_start_logged(&target, "target_odd_win32", "--mode", "panes", NULL);
    if (heard)
        driver_watch(&monitor, target.pid, "--headless", "--layout", "--record",
                     driver_windows_path(recording), NULL);
    driver_sleep_ms(SETTLE_MS);
    driver_trigger(&target, RESIZES_LIST);
    driver_wait_line(target.log, "panes ");
    driver_sleep_ms(300);
    if (heard) {
        cJSON_Delete(driver_finish(&monitor, true));
        read_recording(recording, heard);
    }
    read_said(target.log, said);
    driver_kill(&target.program);
}

static void add_plain(const struct said *said, struct pane_times *times)
{
    for (int i = 0; i < PANES; i++)
        for (size_t k = 0; k < RESIZES; k++)
            series_add(&times[i].system, said->around[i][k] - said->busy[i][k]);
}

/* Each resize is a layout frame, and after the last one there is none. */
static void add_watched(const struct said *said, const struct heard *heard,
                        struct pane_times *times)
{
    for (int i = 0; i < PANES; i++) {
        if (heard->count[i] < RESIZES / 4)
            driver_fail("uimon has told of %zu layouts of %s", heard->count[i], panes[i].name);
        uint32_t last = heard->frames[i][heard->count[i] - 1];
        for (size_t k = 0; k < heard->count[i]; k++) {
            uint32_t from_last = last - heard->frames[i][k];
            if (from_last >= RESIZES)
                continue;
            size_t at = RESIZES - 1 - from_last;
            series_add(&times[i].busy, said->busy[i][at]);
            series_add(&times[i].more, heard->layout[i][k] - said->busy[i][at]);
            series_add(&times[i].taken, said->around[i][at] - heard->layout[i][k]);
        }
    }
}

/* The layout of a pane takes at least as long as the panes are busy, and the system's own part in
 * it at most as long as it does where nobody looks on. */
static void report_pane(int which, const struct pane_times *times)
{
    char id[40], what[80], budget[40];
    double busy_ms = series_median(&times->busy), system_ms = series_median(&times->system);
    double more_ms = series_median(&times->more), taken_ms = series_median(&times->taken);
    double off_ms = fmax(0, fmax(-more_ms, more_ms - system_ms));
    double most_ms = fmax(OFF_SHARE * busy_ms, OFF_MS + OFF_TAKEN * taken_ms);
    snprintf(id, sizeof id, "layout_%s", panes[which].name);
    snprintf(what, sizeof what, "layout of the %s pane (%u ms): off its own log", panes[which].name,
             panes[which].ms);
    snprintf(budget, sizeof budget, "<= %.2f ms", most_ms);
    struct row row = row_of_number(id, what, "ms", off_ms, (unsigned)times->more.len);
    row_budget(&row, ROW_AT_MOST, most_ms, NAN, budget);
    row_note(
        &row,
        "%.2f ms; busy for %.2f ms, and the system for %.2f ms at most; %.2f ms were taken out",
        busy_ms + more_ms, busy_ms, system_ms, taken_ms);
    driver_row(&row);
}

static void measure_panes(void)
{
    static struct pane_times times[PANES];
    static struct said said;
    for (int i = 0; i < TURNS; i++) {
        struct heard heard = {{0}, {0}, {{0}}, {{0}}};
        run_panes(&said, NULL);
        add_plain(&said, times);
        run_panes(&said, &heard);
        add_watched(&said, &heard, times);
    }
    for (int i = 0; i < PANES; i++)
        report_pane(i, &times[i]);
}

/* A program at rest ---------------------------------------------------------------------------- */

#define WAITS_MS 8000
#define IDLE_PAUSE_S 12 /* after settling and counting */

/* How often a second the threads go to wait. */
struct waits {
    struct series all, target, monitor;
    struct series thread; /* the target's first one, which has its window */
};

static void count_waits(pid_t target, pid_t monitor, struct waits *waits)
{
    uint64_t of_target = waits_of(target), of_monitor = waits_of(monitor);
    uint64_t of_thread = waits_of_thread(target, target);
    uint64_t begin_ns = driver_now_ns();
    driver_sleep_ms(WAITS_MS);
    double seconds = (double)(driver_now_ns() - begin_ns) / 1e9;
    of_target = waits_of(target) - of_target;
    of_monitor = waits_of(monitor) - of_monitor;
    of_thread = waits_of_thread(target, target) - of_thread;
    series_add(&waits->thread, (double)of_thread / seconds);
    series_add(&waits->target, (double)of_target / seconds);
    series_add(&waits->monitor, (double)of_monitor / seconds);
    series_add(&waits->all, (double)(of_target + of_monitor) / seconds);
}

/* With and without --layout: while beats come as at rest, and while they pause. */
struct rest {
    struct waits beating, paused;
};

static void run_rest(uint32_t pid, pid_t target, bool layout, struct rest *rest)
{
    char pause[16];
    struct monitor monitor;
    snprintf(pause, sizeof pause, "%d", IDLE_PAUSE_S);
    driver_watch(&monitor, pid, "--headless", "--probe", "raw", "--idle-pause", pause,
                 layout ? "--layout" : "--layout=off", NULL);
    uint64_t paused_ns = driver_now_ns() + (IDLE_PAUSE_S + 2) * UINT64_C(1000000000);
    driver_sleep_ms(SETTLE_MS);
    count_waits(target, monitor.program.pid, &rest->beating);
    uint64_t now_ns = driver_now_ns();
    if (now_ns < paused_ns)
        driver_sleep_ms((unsigned)((paused_ns - now_ns) / 1000000));
    count_waits(target, monitor.program.pid, &rest->paused);
    cJSON_Delete(driver_finish(&monitor, true));
}

static struct row row_of_waits(const char *id, const char *what, const struct waits *without,
                               const struct waits *with)
{
    struct row row = row_of_number(id, what, "",
                                   series_median(&with->all) - series_median(&without->all), TURNS);
    row_note(&row,
             "%.0f more than %.0f of the target (%.1f more than %.1f of its window's thread), %.0f "
             "more than %.0f of uimon",
             series_median(&with->target) - series_median(&without->target),
             series_median(&without->target),
             series_median(&with->thread) - series_median(&without->thread),
             series_median(&without->thread),
             series_median(&with->monitor) - series_median(&without->monitor),
             series_median(&without->monitor));
    return row;
}

/* The window's thread handles some sent messages with each beat, and under Wine each of them that
 * hooks see is calls of Wine's server, which are waits; so there is a budget only while the beats
 * pause. What chance makes of the same without --layout counts as none. */
static void report_rest(const struct rest *without, const struct rest *with)
{
    char budget[40];
    struct row row =
        row_of_waits("layout_waits", "--layout, a program at rest: waits more a second",
                     &without->beating, &with->beating);
    driver_row(&row);
    row = row_of_waits("layout_waits_paused", "  the same while the beats pause", &without->paused,
                       &with->paused);
    double chance = series_max(&without->paused.all) - series_min(&without->paused.all);
    snprintf(budget, sizeof budget, "none (chance: %.0f)", chance);
    row_budget(&row, ROW_AT_MOST, chance, NAN, budget);
    driver_row(&row);
}

static void measure_rest(void)
{
    static struct rest without, with;
    struct target demo;
    driver_start_logged(&demo, "uimon-demo", "--still", NULL);
    for (int i = 0; i < TURNS; i++) {
        run_rest(demo.pid, demo.program.pid, i % 2 != 0, i % 2 != 0 ? &with : &without);
        run_rest(demo.pid, demo.program.pid, i % 2 == 0, i % 2 == 0 ? &with : &without);
    }
    driver_kill(&demo.program);
    report_rest(&without, &with);
}

/* A program that repaints ---------------------------------------------------------------------- */

#define CELLS 4800
#define REPAINTS 1

static void repaint(struct program *target, struct series *rate)
{
    uint64_t took_ns;
    driver_say(target, "repaint %d", REPAINTS);
    if (sscanf(driver_hear(target), "%" SCNu64, &took_ns) != 1)
        driver_fail("the target did not say how long repainting took");
    series_add(rate, REPAINTS * 1e9 / (double)took_ns);
}

/* How often a second the target repaints, and its private memory with the DLL in it, in MiB. */
struct repainting {
    struct series rate;
    struct series memory;
};

static cJSON *run_repaint(struct program *target, uint32_t pid, const char *layout,
                          struct repainting *repainting)
{
    struct monitor monitor;
    driver_watch(&monitor, pid, "--headless", "--idle-pause", "0", layout, NULL);
    driver_sleep_ms(SETTLE_MS);
    repaint(target, &repainting->rate);
    driver_sleep_ms(SETTLE_MS);
    series_add(&repainting->memory, driver_private_mib(target->pid));
    return driver_finish(&monitor, true);
}

/* The DLL keeps its memory in the target when it is switched off, so only the first run without it
 * tells. */
static void report_repaint_memory(const struct repainting *without, const struct repainting *with)
{
    double first_mib = without->memory.values[0];
    struct row row = row_of_number("layout_memory", "--layout: memory more in the target", "MiB",
                                   series_max(&with->memory) - first_mib, TURNS);
    row_note(&row, "private memory of a target of 4,800 windows: %.2f MiB without it, %.2f with",
             first_mib, series_max(&with->memory));
    driver_row(&row);
}

static void measure_repaint(void)
{
    static struct series alone;
    static struct repainting without, with;
    struct program target;
    double lost = 0;
    uint32_t pid = driver_start_target(&target);
    driver_say(&target, "cells %d", CELLS);
    if (atoi(driver_hear(&target)) != CELLS)
        driver_fail("there are not %d windows", CELLS);
    driver_sleep_ms(5 * SETTLE_MS);
    for (int i = 0; i < TURNS; i++) {
        repaint(&target, &alone);
        cJSON_Delete(run_repaint(&target, pid, "--layout=off", &without));
        cJSON *summary = run_repaint(&target, pid, "--layout", &with);
        lost += driver_number(summary, "layout_frames.lost");
        cJSON_Delete(summary);
    }
    driver_say(&target, "quit");
    driver_wait_end(&target, DRIVER_LIMIT_MS);
    struct row row =
        row_of_number("layout_repaint", "frames a second of 4,800 windows, kept with --layout", "",
                      series_median(&with.rate) / series_median(&without.rate), TURNS);
    row_note(
        &row,
        "not watched %.2f (%.2f to %.2f), watched %.2f (%.2f to %.2f), with --layout %.2f (%.2f "
        "to %.2f) a second; %.0f lost",
        series_median(&alone), series_min(&alone), series_max(&alone), series_median(&without.rate),
        series_min(&without.rate), series_max(&without.rate), series_median(&with.rate),
        series_min(&with.rate), series_max(&with.rate), lost);
    driver_row(&row);
    report_repaint_memory(&without, &with);
}

void measure_layout_watched(void)
{
    measure_panes();
    measure_repaint();
    measure_rest();
}
