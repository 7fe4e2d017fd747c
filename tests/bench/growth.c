/* What stays behind of samples: handles and memory of the program and of uimon, before and after
 * ten thousand samples, and loads of a DLL meanwhile; and the same of a 32-bit program, without a
 * DLL. */
#include "tests/bench/measures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/bench/driver.h"

#define SAMPLES 10000
#define SETTLE_MS 2000
#define FIRST_MS 20000 /* what grows only at first, such as the tree of stacks, has grown then */
#define PAUSE_MS 14000
#define TURNS 13
#define MOST_TURNS 60 /* a busy machine takes longer */

static const struct bits {
    const char *program, *names, *work, *what, *id;
} bits64 = {.program = "target_works_win32",
            .names = "uimon-names.exe",
            .work = "spin:1006", /* a second, in which a DLL is loaded a hundred times */
            .what = "10,000 samples, 1,300 loads of a DLL",
            .id = "growth"},
  bits32 = {.program = "target_calls_tables",
            .names = "uimon-names32.exe",
            .work = "spin:1001", /* a second within 60 calls */
            .what = "10,000 samples of a 32-bit program",
            .id = "growth32"};

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

static struct weight weigh_by_name(const char *name)
{
    char pid[32], comm[16];
    snprintf(pid, sizeof pid, "%s", driver_output("probe_win32", "pid", name, NULL));
    snprintf(comm, sizeof comm, "%s", name); /* the kernel keeps as much of it */
    return weigh(pid, driver_find(comm));
}

static struct weights weigh_all(const struct bits *bits, const struct target *target)
{
    struct weights all;
    all.target = weigh(target->pid_text, target->program.pid);
    all.monitor = weigh_by_name("uimon.exe");
    all.names = weigh_by_name(bits->names);
    return all;
}

static void report(const struct bits *bits, const char *id, const char *who,
                   const struct weight *before, const struct weight *after, unsigned samples,
                   bool may_grow)
{
    char name[40], what[80];
    snprintf(name, sizeof name, "%s_%s_handles", bits->id, id);
    snprintf(what, sizeof what, "%s: handles of %s", bits->what, who);
    struct row row = row_of_number(name, what, "more", after->handles - before->handles, samples);
    if (!may_grow)
        row_budget(&row, ROW_AT_MOST, 2, (double)NAN, "<= 2");
    row_note(&row, "%.0f before, %.0f after", before->handles, after->handles);
    driver_row(&row);
    snprintf(name, sizeof name, "%s_%s_memory", bits->id, id);
    snprintf(what, sizeof what, "  the same: memory of %s", who);
    row = row_of_number(name, what, "MiB more", after->mib - before->mib, samples);
    if (!may_grow)
        row_budget(&row, ROW_AT_MOST, 0.5, (double)NAN, "<= 0.5 MiB");
    row_note(&row, "%.2f MiB before, %.2f MiB after", before->mib, after->mib);
    driver_row(&row);
}

/* As many samples as the recording has so far. */
static double count_samples(const char *recording)
{
    char json[DRIVER_PATH_BYTES];
    snprintf(json, sizeof json, "%s", driver_file("growth.json"));
    driver_output("uimon", "report", recording, "--quiet", "--json", driver_windows_path(json),
                  NULL);
    char *text = driver_read(json);
    cJSON *summary = cJSON_Parse(text);
    double samples = driver_number(summary, "sampling.samples");
    cJSON_Delete(summary);
    free(text);
    return samples;
}

static void measure(const struct bits *bits)
{
    struct target target;
    struct monitor monitor;
    char recording[DRIVER_PATH_BYTES];

    snprintf(recording, sizeof recording, "%s", driver_windows_path(driver_file("growth.uirec")));
    driver_start_logged(&target, bits->program, NULL);
    driver_watch(&monitor, target.pid, "--headless", "--sample", "always", "--sample-every", "1",
                 "--record", recording, NULL);
    driver_sleep_ms(SETTLE_MS);
    driver_trigger(&target, bits->work);
    driver_sleep_ms(FIRST_MS);
    struct weights before = weigh_all(bits, &target);
    double first = count_samples(recording), samples = 0;
    for (int i = 0; i < MOST_TURNS && samples < SAMPLES; i++) {
        driver_trigger(&target, bits->work);
        driver_sleep_ms(PAUSE_MS);
        if (i >= TURNS - 1)
            samples = count_samples(recording) - first;
    }
    struct weights after = weigh_all(bits, &target);
    cJSON_Delete(driver_finish(&monitor, true));
    if (samples < SAMPLES)
        driver_fail("there are %.0f samples, and not ten thousand", samples);
    report(bits, "target", "the program", &before.target, &after.target, (unsigned)samples, false);
    report(bits, "monitor", "uimon", &before.monitor, &after.monitor, (unsigned)samples, false);
    /* It reads a module's symbols when a function of the module is met for the first time. */
    report(bits, "names", "uimon-names", &before.names, &after.names, (unsigned)samples, true);
}

void measure_growth(void)
{
    measure(&bits64);
}

void measure_growth32(void)
{
    if (getenv("UM_TEST_BIN32")) {
        measure(&bits32);
        return;
    }
    struct row row = row_of_number("growth32", "samples of 32-bit programs: measured", "", 0, 1);
    row_note(&row, "Wine's 32-bit half is missing: `./run test x86` installs it");
    driver_row(&row);
}
