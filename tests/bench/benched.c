/* What `uimon bench` and `uimon bisect` find where it is known: a start-up that becomes idle, a key
 * that costs 30 ms more, and which of two settings costs. */
#include "tests/bench/measures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/driver.h"

#define RUN_LIMIT_MS 240000
#define RUNS 3
#define RUNS_TEXT "3"
#define IDLE_MS 400 /* after it is ready */
#define LEAST_MS 28
#define MOST_MS 33
#define WORDPAD "PROGRAM=C:\\Program Files\\Windows NT\\Accessories\\wordpad.exe"

static const char *scenario(const char *text)
{
    const char *path = driver_file("test.uimon");
    FILE *file = fopen(path, "wb");
    if (!file)
        driver_fail("no scenario can be written");
    fputs(text, file);
    fclose(file);
    return driver_windows_path(path);
}

/* Runs uimon with arguments up to a NULL to its end; what it wrote as result.json.
 * Owner: cJSON_Delete. */
static cJSON *run(const char *const *args)
{
    struct program program;
    driver_start_list(&program, false, "uimon", args);
    int code = driver_wait_end(&program, RUN_LIMIT_MS);
    char *text = driver_read(driver_file("result.json"));
    cJSON *root = cJSON_Parse(text);
    free(text);
    if (!root) /* a bisection that finds nothing has a code of its own */
        driver_fail("uimon %s ended with %d: %.120s", args[0], code, driver_read(program.err));
    return root;
}

#define RUN(...) run((const char *const[]){__VA_ARGS__, NULL})
#define RESULT "--json", driver_windows_path(driver_file("result.json"))

/* WordPad works for 0.1 s and longer between its first window and its first wait for input. Returns
 * in how many runs it was seen idle. */
static unsigned count_idle(const char *wait, struct series *after)
{
    char text[200];
    const cJSON *one;
    unsigned count = 0;

    snprintf(text, sizeof text, "launch ${PROGRAM}\n%s\ntype abc\nclose discard\n", wait);
    cJSON *root = RUN("bench", scenario(text), RESULT, "--runs", RUNS_TEXT, "--define", WORDPAD);
    cJSON_ArrayForEach(one, cJSON_GetObjectItem(root, "runs"))
    {
        const cJSON *startup = cJSON_GetObjectItem(one, "startup");
        if (!cJSON_HasObjectItem(startup, "first_idle_ms"))
            continue;
        series_add(after, driver_number(startup, "first_idle_ms") -
                              driver_number(startup, "first_ready_ms"));
        count++;
    }
    cJSON_Delete(root);
    return count;
}

static void measure_idle(void)
{
    static struct series after, none;
    struct row row = row_of_number("startup_idle", "starts in sight that are seen idle, of 3", "",
                                   count_idle("wait-idle 500", &after), RUNS);
    row_budget(&row, ROW_AT_LEAST, RUNS, NAN, "all");
    driver_row(&row);
    row = row_of_series("startup_idle_after", "  how long after they are ready", "ms", &after);
    row_budget(&row, ROW_AT_MOST, IDLE_MS, IDLE_MS, "worst 400 ms");
    row.failed = false; /* of none there is nothing to say */
    driver_row(&row);
    row = row_of_number("startup_typed", "  seen idle, of 3 that are typed into too early", "",
                        count_idle("wait-idle 200", &none), RUNS);
    row_budget(&row, ROW_AT_MOST, 0, NAN, "none");
    driver_row(&row);
}

/* A median's change in a comparison. Units: ms. */
static double change_of(const cJSON *root, const char *quantity)
{
    const cJSON *measure, *one;
    cJSON_ArrayForEach(measure, cJSON_GetObjectItem(root, "measures"))
    {
        cJSON_ArrayForEach(one, cJSON_GetObjectItem(measure, "quantities"))
        {
            if (strcmp(cJSON_GetObjectItem(one, "name")->valuestring, quantity) == 0)
                return driver_number(one, "median_change.difference_ms");
        }
    }
    driver_fail("the comparison has no %s", quantity);
}

static void measure_difference(void)
{
    char sitting[DRIVER_PATH_BYTES];
    cJSON_Delete(RUN("bench",
                     scenario("set COST 20\nlaunch uimon-demo.exe --still --key-cost ${COST}\n"
                              "wait-idle 300\nclick class:Edit\n"
                              "measure typing {\n  type \"interleaved\" rate 15/s\n}\nclose\n"),
                     RESULT, "--before", "COST=20", "--after", "COST=50", "--runs", "5",
                     "--rehearsals", "0"));
    snprintf(sitting, sizeof sitting, "%s", driver_file("sitting.json"));
    if (rename(driver_file("result.json"), sitting) != 0)
        driver_fail("the results cannot be renamed");
    cJSON *root = RUN("compare", driver_windows_path(sitting), RESULT);
    struct row row = row_of_number("bench_difference", "a key that costs 30 ms more: bench finds",
                                   "ms", change_of(root, "processing"), 5);
    row_between(&row, LEAST_MS, MOST_MS, "28 to 33 ms");
    driver_row(&row);
    cJSON_Delete(root);
}

static void measure_bisect(void)
{
    cJSON *root = RUN("bisect",
                      scenario("set HEAVY 10\nset LIGHT 0\n"
                               "launch uimon-demo.exe --still --key-cost ${HEAVY}\n"
                               "wait-idle 300\nmark \"${LIGHT}\"\nclick class:Edit\n"
                               "measure typing {\n  type \"plug-in\" rate 15/s\n}\nclose\n"),
                      "--suspect", "LIGHT=1", "--suspect", "HEAVY=100", "--runs", "12",
                      "--rehearsals", "0", RESULT);
    const char *left =
        cJSON_GetStringValue(cJSON_GetArrayItem(cJSON_GetObjectItem(root, "left"), 0));
    const char *outcome = cJSON_GetStringValue(cJSON_GetObjectItem(root, "outcome"));
    bool found = left && outcome && strcmp(left, "HEAVY=100") == 0 && strcmp(outcome, "found") == 0;
    struct row row =
        row_of_number("bisect_found", "of two settings the one that costs is found", "", found, 1);
    row_budget(&row, ROW_AT_LEAST, 1, NAN, "yes (1)");
    row_note(&row, "%s, %s", outcome ? outcome : "no outcome", left ? left : "none is left");
    driver_row(&row);
    cJSON_Delete(root);
}

void measure_benched(void)
{
    measure_idle();
    measure_difference();
    measure_bisect();
}
