/* What stays behind of samples: handles and memory of the program and of uimon, before and after
 * ten thousand samples, and loads of a DLL meanwhile. */
#include "tests/bench/measures.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "demo/log.h"
#include "tests/bench/driver.h"

#define SAMPLES 10000
#define SETTLE_MS 2000
#define FIRST_MS 20000 /* what grows only at first, such as the tree of stacks, has grown then */
#define PAUSE_MS 14000
#define TURNS 13
#define RELOAD "spin:1006" /* a second, in which a DLL is loaded a hundred times */

struct weight {
    double handles, mib;
};

struct weights {
    struct weight target, monitor, names;
};

static struct weight weigh(const char *pid, pid_t unix_pid)
{
    return (struct weight){strtod(driver_output("probe_win32", "handles", pid, NULL), NULL),
                           driver_private_mib(unix_pid)};
}

static struct weights weigh_all(const char *target, pid_t target_pid)
{
    struct weights all;
    char pid[32];
    all.target = weigh(target, target_pid);
    snprintf(pid, sizeof pid, "%s", driver_output("probe_win32", "pid", "uimon.exe", NULL));
    all.monitor = weigh(pid, driver_find("uimon.exe"));
    snprintf(pid, sizeof pid, "%s", driver_output("probe_win32", "pid", "uimon-names.exe", NULL));
    all.names = weigh(pid, driver_find("uimon-names"));
    return all;
}

static void report(const char *id, const char *who, const struct weight *before,
                   const struct weight *after, unsigned samples, bool may_grow)
{
    char name[40], what[80];
    snprintf(name, sizeof name, "growth_%s_handles", id);
    snprintf(what, sizeof what, "10,000 samples, 1,300 loads of a DLL: handles of %s", who);
    struct row row = row_of_number(name, what, "more", after->handles - before->handles, samples);
    if (!may_grow)
        row_budget(&row, ROW_AT_MOST, 2, (double)NAN, "<= 2");
    row_note(&row, "%.0f before, %.0f after", before->handles, after->handles);
    driver_row(&row);
    snprintf(name, sizeof name, "growth_%s_memory", id);
    snprintf(what, sizeof what, "  the same: memory of %s", who);
    row = row_of_number(name, what, "MiB more", after->mib - before->mib, samples);
    if (!may_grow)
        row_budget(&row, ROW_AT_MOST, 0.5, (double)NAN, "<= 0.5 MiB");
    row_note(&row, "%.2f MiB before, %.2f MiB after", before->mib, after->mib);
    driver_row(&row);
}

void measure_growth(void)
{
    struct program target;
    struct monitor monitor;
    char log[DRIVER_PATH_BYTES], hwnd[32], pid[32];

    snprintf(log, sizeof log, "%s", driver_file("works.log"));
    driver_start(&target, false, "target_works_win32", "--log", driver_windows_path(log), NULL);
    struct um_demo_log_event event = driver_wait_ready(log);
    snprintf(hwnd, sizeof hwnd, "0x%" PRIx64, event.hwnd);
    snprintf(pid, sizeof pid, "%u", (unsigned)event.pid);
    driver_watch(&monitor, event.pid, "--headless", "--sample", "always", "--sample-every", "1",
                 NULL);
    driver_sleep_ms(SETTLE_MS);
    driver_output("probe_win32", "trigger", hwnd, RELOAD, NULL);
    driver_sleep_ms(FIRST_MS);
    struct weights before = weigh_all(pid, target.pid);
    for (int i = 0; i < TURNS; i++) {
        driver_output("probe_win32", "trigger", hwnd, RELOAD, NULL);
        driver_sleep_ms(PAUSE_MS);
    }
    struct weights after = weigh_all(pid, target.pid);
    cJSON *summary = driver_finish(&monitor, true);
    double samples = driver_number(summary, "sampling.samples");
    cJSON_Delete(summary);
    /* Those of the first part do not count. */
    samples *= (double)(TURNS * PAUSE_MS) / (SETTLE_MS + FIRST_MS + TURNS * PAUSE_MS);
    if (samples < SAMPLES)
        driver_fail("there are %.0f samples, and not ten thousand", samples);
    report("target", "the program", &before.target, &after.target, (unsigned)samples, false);
    report("monitor", "uimon", &before.monitor, &after.monitor, (unsigned)samples, false);
    /* It reads a module's symbols when a function of the module is met for the first time. */
    report("names", "uimon-names", &before.names, &after.names, (unsigned)samples, true);
}
