/* What tracing managed methods costs: the works of tests/dotnet/calls.cs, in turn alone, traced
 * with and without times, and with a filter that leaves out all methods. uimon does not run
 * meanwhile: the profiler counts, and nobody reads it. Needs .NET, which `./run test dotnet`
 * fetches. */
#include "tests/bench/measures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/bench/driver.h"

#define DOTNET UM_SOURCE_DIR "/build/deps/dotnet/package/dotnet.exe"
#define PROGRAM UM_SOURCE_DIR "/build/dotnet/calls.dll" /* ./run bench compiles it */
#define ROUNDS 7
#define RUNS 12 /* of each work, one after another */
#define WARM 4  /* the first ones are left out */
#define ENVIRONMENT 16

enum side { ALONE, TIMES, COUNTS, FILTERED, SIDES };

static const struct {
    const char *id, *options[4];
} sides[SIDES] = {
    {"alone", {NULL}},
    {"times", {"--trace", "methods"}},
    {"counts", {"--trace", "calls"}},
    {"filtered", {"--trace", "methods", "--only", "Nothing"}},
};

static const struct work {
    const char *name, *what, *seed;
    double budgets[SIDES];
} works[] = {
    {"fibonacci", "Fibonacci of 30", "110", {0, 13, 3.2, 1.02}},
    {"mandelbrot", "Mandelbrot, one thread", "1.77", {0, 1.5, 1.2, 1.02}},
    {"mandelbrot8", "Mandelbrot, eight threads", "1.77", {0, 1.5, 1.2, 1.02}},
};

#define WORKS (sizeof works / sizeof works[0])

/* Of each round: the shortest of a work's runs, because what else the machine does only adds to it.
 * Units: ms. */
static double took_ms[WORKS][SIDES][ROUNDS];

/* What `uimon trace-env` says is to be set: lines of `set "NAME=VALUE"`. The names that were set;
 * NULL after them. Owner: `text`, which is changed. */
static void set_environment(char *text, const char *names[ENVIRONMENT + 1])
{
    static const char head[] = "set \"";
    size_t count = 0;
    char *rest = NULL;
    for (char *line = strtok_r(text, "\r\n", &rest); line; line = strtok_r(NULL, "\r\n", &rest)) {
        char *value = strchr(line, '='), *end = strrchr(line, '"');
        if (strncmp(line, head, strlen(head)) != 0 || !value || end < value || count == ENVIRONMENT)
            continue;
        *value = *end = '\0';
        names[count++] = line + strlen(head);
        if (setenv(names[count - 1], value + 1, 1) != 0)
            driver_fail("out of memory");
    }
    if (count == 0)
        driver_fail("uimon trace-env says nothing");
    names[count] = NULL;
}

/* The least that a work took in the runs of a log. */
static double least_ms(const char *log, const char *work)
{
    double least = INFINITY;
    char head[64];
    unsigned run = 0;
    snprintf(head, sizeof head, "work %s ", work);
    for (const char *line = log; (line = strstr(line, head)); line++)
        if (run++ >= WARM)
            least = fmin(least, strtod(line + strlen(head), NULL) / 1000);
    if (run != RUNS)
        driver_fail("%s ran %u times", work, run);
    return least;
}

static void run_program(enum side side, unsigned round)
{
    const char *args[DRIVER_MAX_ARGS + 1], *names[ENVIRONMENT + 1] = {NULL};
    char path[DRIVER_PATH_BYTES], *said = NULL;
    struct program program;
    size_t count = 0;
    snprintf(path, sizeof path, "%s", driver_file("calls.log"));
    remove(path);
    if (side != ALONE) {
        const char *const *options = sides[side].options;
        said = strdup(driver_output("uimon", "trace-env", driver_windows_path(DOTNET), options[0],
                                    options[1], options[2], options[3], NULL));
        if (said)
            set_environment(said, names);
    }
    args[count++] = driver_windows_path(PROGRAM);
    args[count++] = driver_windows_path(path);
    args[count++] = "console";
    for (size_t i = 0; i < RUNS * WORKS; i++)
        args[count++] = works[i % WORKS].name;
    args[count] = NULL;
    driver_start_list(&program, false, DOTNET, args);
    if (driver_wait_end(&program, 3 * DRIVER_LIMIT_MS) != 0)
        driver_fail("the program has failed: %.120s", driver_read(program.err));
    for (size_t i = 0; names[i]; i++)
        unsetenv(names[i]);
    free(said);
    char *log = driver_read(path);
    for (size_t i = 0; i < WORKS; i++)
        took_ms[i][side][round] = least_ms(log, works[i].name);
    free(log);
}

static void report(size_t work, enum side side)
{
    struct series alone = {0}, traced = {0}, times = {0};
    char id[40], what[80], budget[40];
    const double limit = works[work].budgets[side];
    for (unsigned i = 0; i < ROUNDS; i++) { /* both sides of a round ran one after the other */
        series_add(&alone, took_ms[work][ALONE][i]);
        series_add(&traced, took_ms[work][side][i]);
        series_add(&times, took_ms[work][side][i] / took_ms[work][ALONE][i]);
    }
    snprintf(id, sizeof id, "managed_%s_%s", works[work].name, sides[side].id);
    snprintf(what, sizeof what, "%s%s: %s", side == TIMES ? "tracing methods of " : "  ",
             side == TIMES ? works[work].what : "the same",
             side == TIMES    ? "counts and times"
             : side == COUNTS ? "counts alone"
                              : "a filter leaves them out");
    snprintf(budget, sizeof budget, "<= %g", limit);
    struct row row = row_of_series(id, what, "times", &times);
    row_budget(&row, ROW_AT_MOST, limit, (double)NAN, budget);
    row_note(&row, "%.2f ms, alone %.2f ms, medians of %d rounds; the seed's tracing: %s",
             series_median(&traced), series_median(&alone), ROUNDS, works[work].seed);
    driver_row(&row);
}

void measure_profile_managed(void)
{
    if (access(DOTNET, F_OK) != 0 || access(PROGRAM, F_OK) != 0) {
        struct row row = row_of_number("managed", "tracing methods: works measured", "", 0, 1);
        row_note(&row, ".NET is missing: `./run test dotnet` fetches it");
        driver_row(&row);
        return;
    }
    for (unsigned round = 0; round < ROUNDS; round++)
        for (enum side side = ALONE; side < SIDES; side++)
            run_program(side, round);
    for (size_t work = 0; work < WORKS; work++)
        for (enum side side = TIMES; side < SIDES; side++)
            report(work, side);
}
