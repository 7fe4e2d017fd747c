/* What sampling all the time costs a busy program, and how many of its functions it finds: the two
 * workloads of target_profiled_win32, in turn alone, watched, and watched and sampled. And how near
 * the shares of functions are to what they had: the shared work of target_works_win32. */
#include "tests/bench/measures.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demo/log.h"
#include "base/plain/clock.h"
#include "tests/bench/driver.h"

#define ROUNDS 10
#define FIBONACCI_RUNS 8 /* in a row: its times differ more */
#define MANDELBROT_RUNS 2
#define FIBONACCI 1 /* the lengths that ask for them */
#define MANDELBROT 2
#define SETTLE_MS 2000
#define SHARED_MS "spin:40000"
#define SHARED_TIMES 2 /* so often that there are a thousand samples under Wine, too */
#define SHARED_SAMPLES 1000
#define SHARES 3 /* functions with a share */

/* What is done to the program meanwhile. */
enum how { ALONE, WATCHED, SAMPLED, HOWS };

struct took {
    double wall_ns, cpu_ns;
    uint64_t result;
};

struct times {
    struct series wall[HOWS], cpu[HOWS];
    uint64_t result;
};

static size_t count_lines(const char *text, const char *head)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, head)); at++)
        count += at == text || at[-1] == '\n';
    return count;
}

/* Waits until the program has said so many whole lines with this head. Owner: free. */
static char *wait_lines(const struct program *target, const char *head, size_t count)
{
    uint64_t until_ns = um_clock_now_ns() + DRIVER_LIMIT_MS * UM_CLOCK_NS_PER_MS;
    for (;;) {
        char *said = driver_read(target->out);
        char *end = strrchr(said, '\n');
        end = end ? end + 1 : said;
        *end = '\0';
        if (count_lines(said, head) >= count)
            return said;
        free(said);
        if (um_clock_now_ns() > until_ns)
            driver_fail("the workload does not end");
        driver_sleep_ms(20);
    }
}

/* The n-th line of the program's (from 0) that says what a workload took. */
static struct took took(const struct program *target, size_t n)
{
    struct took found = {0};
    uint64_t wall_ns = 0, cpu_ns = 0;
    char *said = wait_lines(target, "took ", n + 1);
    const char *line = said;
    for (size_t i = 0; i <= n; i++)
        line = strstr(line, "took ") + 5;
    if (sscanf(line, "%" SCNu64 " %" SCNu64 " %" SCNu64, &wall_ns, &cpu_ns, &found.result) != 3)
        driver_fail("what the workload took is damaged");
    free(said);
    found.wall_ns = (double)wall_ns;
    found.cpu_ns = (double)cpu_ns;
    return found;
}

static struct took run_work(const struct program *target, const char *hwnd, unsigned which,
                            size_t *done)
{
    char list[32];
    snprintf(list, sizeof list, "spin:%u", which);
    driver_output("probe_win32", "trigger", hwnd, list, NULL);
    return took(target, (*done)++);
}

/* The shortest of some runs in a row: what else the machine does only adds to it. */
static void run_some(const struct program *target, const char *hwnd, unsigned which, size_t *done,
                     struct times *times, enum how how, int runs)
{
    double least_ns = INFINITY;
    for (int i = 0; i < runs; i++) {
        struct took one = run_work(target, hwnd, which, done);
        if (times->result != 0 && times->result != one.result)
            driver_fail("the workload has another result");
        times->result = one.result;
        least_ns = fmin(least_ns, one.wall_ns);
        series_add(&times->cpu[how], one.cpu_ns);
    }
    series_add(&times->wall[how], least_ns);
}

/* A processor that has rested is slow at first, so what comes first is not counted. */
static void run_both(const struct program *target, const char *hwnd, size_t *done,
                     struct times *fibonacci, struct times *mandelbrot, enum how how)
{
    driver_sleep_ms(SETTLE_MS);
    run_work(target, hwnd, MANDELBROT, done);
    run_some(target, hwnd, FIBONACCI, done, fibonacci, how, FIBONACCI_RUNS);
    run_some(target, hwnd, MANDELBROT, done, mandelbrot, how, MANDELBROT_RUNS);
}

/* The system counts CPU time in ticks of 10 ms and more, which even out in a sum. */
static double sum(const struct series *series)
{
    double all = 0;
    for (size_t i = 0; i < series->len; i++)
        all += series->values[i];
    return all;
}

static double wall_ratio(const struct times *times, enum how how, enum how to)
{
    return series_median(&times->wall[how]) / series_median(&times->wall[to]);
}

static double cpu_ratio(const struct times *times, enum how how, enum how to)
{
    return sum(&times->cpu[how]) / sum(&times->cpu[to]);
}

/* The sampling's own cost has a budget. All of uimon's, which shares the two cores of a small
 * machine with the program, is what the seed tells of its profiler. */
static void report(const char *id, const char *what, const struct times *times, const char *seed,
                   double share)
{
    struct row row = row_of_number(id, what, "times", wall_ratio(times, SAMPLED, WATCHED),
                                   (unsigned)times->wall[SAMPLED].len);
    row_budget(&row, ROW_AT_MOST, 1.03, (double)NAN, "<= 1.03");
    row_note(&row,
             "CPU time %.3f; all of uimon %.3f, CPU time %.3f (the seed's: %s); without sampling "
             "%.3f; suspended for %.2f %% of the time; same results",
             cpu_ratio(times, SAMPLED, WATCHED), wall_ratio(times, SAMPLED, ALONE),
             cpu_ratio(times, SAMPLED, ALONE), seed, wall_ratio(times, WATCHED, ALONE), share);
    driver_row(&row);
}

/* How many of the functions that took part are in the stacks. */
static void report_functions(const struct program *target, const char *recording)
{
    char *said = driver_read(target->out);
    char path[DRIVER_PATH_BYTES];
    snprintf(path, sizeof path, "%s", driver_file("profiled.folded"));
    driver_output("uimon", "export", recording, "--format", "folded", "--output",
                  driver_windows_path(path), NULL);
    char *folded = driver_read(path);
    unsigned executed = 0, found = 0;
    char missing[160] = "";
    char *last = said; /* each time it says so anew */
    for (char *line = said; (line = strstr(line, "took ")); line++)
        last = line;
    for (char *line = strstr(last, "executed "); line; line = strstr(line, "executed ")) {
        char name[64], frame[96];
        line += strlen("executed ");
        if (sscanf(line, "%63s", name) != 1)
            break;
        snprintf(frame, sizeof frame, "!%s", name);
        const char *at = strstr(folded, frame);
        while (at && at[strlen(frame)] != ';' && at[strlen(frame)] != ' ')
            at = strstr(at + 1, frame);
        executed++;
        found += at != NULL;
        size_t used = strlen(missing);
        if (!at)
            snprintf(missing + used, sizeof missing - used, " %s", name);
    }
    struct row row = row_of_number("profile_functions", "Mandelbrot: functions that are found",
                                   "of them", found, executed);
    row_note(&row, "%u took part; the seed's: 23 of 32; not seen:%s", executed, missing);
    driver_row(&row);
    free(folded);
    free(said);
}

/* Of the time in lines of "FRAME;...;FRAME MICROSECONDS", the part with this text. */
static double share_of(const char *folded, const char *text)
{
    double with = 0, all = 0;
    for (const char *line = folded, *end; (end = strchr(line, '\n')); line = end + 1) {
        const char *number = end;
        while (number > line && number[-1] != ' ')
            number--;
        const char *found = strstr(line, text);
        double us = strtod(number, NULL);
        all += us;
        with += found && found < end ? us : 0;
    }
    return with / all;
}

/* The greatest difference between a function's share of the samples' time and what the program says
 * that it had of the time, in freezes of a thousand samples. */
static void report_shares(void)
{
    struct program target;
    struct monitor monitor;
    char log[DRIVER_PATH_BYTES], recording[DRIVER_PATH_BYTES], folded[DRIVER_PATH_BYTES], hwnd[32];
    double worst = 0, truth[SHARES] = {0};
    char names[SHARES][64];
    unsigned lines = 0;

    snprintf(log, sizeof log, "%s", driver_file("works.log"));
    snprintf(recording, sizeof recording, "%s", driver_windows_path(driver_file("w.uirec")));
    snprintf(folded, sizeof folded, "%s", driver_file("works.folded"));
    driver_start(&target, false, "target_works_win32", "--log", driver_windows_path(log), NULL);
    struct um_demo_log_event event = driver_wait_ready(log);
    snprintf(hwnd, sizeof hwnd, "0x%" PRIx64, event.hwnd);
    driver_watch(&monitor, event.pid, "--headless", "--record", recording, NULL);
    driver_sleep_ms(SETTLE_MS);
    for (int i = 0; i < SHARED_TIMES; i++) {
        driver_output("probe_win32", "trigger", hwnd, SHARED_MS, NULL);
        free(wait_lines(&target, "share ", SHARES * (size_t)(i + 1)));
    }
    driver_sleep_ms(SETTLE_MS);
    cJSON *summary = driver_finish(&monitor, true);
    double all = driver_number(summary, "sampling.samples");
    cJSON_Delete(summary);
    driver_output("uimon", "export", recording, "--format", "folded", "--output",
                  driver_windows_path(folded), NULL);
    char *stacks = driver_read(folded), *said = driver_read(target.out);
    for (const char *line = said; (line = strstr(line, "share ")); line++, lines++) {
        double share;
        if (sscanf(line, "share %63s %lf", names[lines % SHARES], &share) != 2)
            driver_fail("the target's shares are damaged");
        truth[lines % SHARES] += share / SHARED_TIMES;
    }
    if (lines != SHARES * SHARED_TIMES)
        driver_fail("there are %u shares", lines);
    for (size_t i = 0; i < SHARES; i++) {
        char frame[96];
        snprintf(frame, sizeof frame, "!%s", names[i]);
        worst = fmax(worst, fabs(share_of(stacks, frame) - truth[i]) * 100);
    }
    if (all < SHARED_SAMPLES)
        driver_fail("there are %.0f samples, and not a thousand", all);
    struct row row = row_of_number("profile_shares", "shares of functions: the greatest error",
                                   "points", worst, (unsigned)all);
    row_budget(&row, ROW_AT_MOST, 5, (double)NAN, "<= 5");
    row_note(&row, "%.0f samples of two freezes of 40 s; the program's own shares are the truth",
             all);
    driver_row(&row);
    free(stacks);
    free(said);
}

void measure_profile(void)
{
    struct program target;
    struct monitor monitor;
    struct times fibonacci = {.result = 0}, mandelbrot = {.result = 0};
    char log[DRIVER_PATH_BYTES], recording[DRIVER_PATH_BYTES], hwnd[32];
    double suspended_ms = 0, duration_ms = 0;
    size_t done = 0;

    snprintf(log, sizeof log, "%s", driver_file("profiled.log"));
    snprintf(recording, sizeof recording, "%s", driver_windows_path(driver_file("p.uirec")));
    driver_start(&target, false, "target_profiled_win32", "--log", driver_windows_path(log), NULL);
    struct um_demo_log_event event = driver_wait_ready(log);
    snprintf(hwnd, sizeof hwnd, "0x%" PRIx64, event.hwnd);
    for (int i = 0; i < ROUNDS; i++) {
        run_both(&target, hwnd, &done, &fibonacci, &mandelbrot, ALONE);
        for (enum how how = WATCHED; how < HOWS; how++) {
            driver_watch(&monitor, event.pid, "--headless", "--record", recording, "--sample",
                         how == SAMPLED ? "always" : "off", NULL);
            run_both(&target, hwnd, &done, &fibonacci, &mandelbrot, how);
            cJSON *summary = driver_finish(&monitor, true);
            if (how == SAMPLED) {
                suspended_ms += driver_number(summary, "sampling.suspended_ms.total");
                duration_ms += driver_number(summary, "duration_ms");
            }
            cJSON_Delete(summary);
        }
    }
    double share = suspended_ms * 100 / duration_ms;
    report("profile_fibonacci", "sampling always: Fibonacci of 30, 100 times", &fibonacci, "1.13",
           share);
    report("profile_mandelbrot", "sampling always: Mandelbrot in a window", &mandelbrot, "1.09",
           share);
    report_functions(&target, recording);
    report_shares();
}
