/* `uimon --dotnet`: the counters that a .NET program has of itself. The program is one that only
 * pretends to have a runtime, whose stream was captured from a real one (tests/win/
 * target_dotnet_win32.c); what that one's own listener was told is the truth. `./run test dotnet`
 * tries a real one. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/e2e/harness.h"

#define STREAM UM_SOURCE_DIR "/tests/golden/counters.nettrace"
#define TRUTH UM_SOURCE_DIR "/tests/golden/counters_nettrace.tsv"
#define NAMES 23        /* counters in the truth, */
#define ROUNDS 4        /* so many times each, */
#define ROUNDS_CAUGHT 3 /* of which the stream has the last ones */
#define END_MS 10000    /* within which uimon ends, whatever the runtime does */

/* What the truth says of a counter over the rounds that the stream has. */
struct truth {
    char name[256]; /* provider, slash, name */
    bool is_increment;
    double sum;    /* of increments, or of means by the values they are of */
    double values; /* that the means are of */
    double max;
    size_t lines;
};

static void start_fake(struct target *target, const char *manner)
{
    char stream[PATH_BYTES];
    snprintf(stream, sizeof stream, "%s", windows_path(STREAM));
    start_target(target, "target_dotnet_win32", stream, manner, NULL);
}

static char *next_column(char **line)
{
    char *column = *line;
    *line += strcspn(*line, "\t\n");
    if (**line)
        *(*line)++ = '\0';
    return column;
}

static void take_line(struct truth *truth, char *line)
{
    char *columns[13];
    for (size_t i = 0; i < 13; i++)
        columns[i] = next_column(&line);
    snprintf(truth->name, sizeof truth->name, "%s/%s", columns[0], columns[1]);
    if (truth->lines++ < ROUNDS - ROUNDS_CAUGHT)
        return;
    truth->is_increment = strcmp(columns[3], "Sum") == 0;
    double count = truth->is_increment ? 1 : atof(columns[6]);
    truth->sum += count * atof(columns[truth->is_increment ? 5 : 4]);
    truth->values += count;
    truth->max = fmax(truth->max, truth->is_increment ? 0 : atof(columns[8]));
}

static void read_truth(struct truth *truth)
{
    char line[512];
    FILE *file = open_file(TRUTH, "r");
    for (size_t i = 0; fgets(line, sizeof line, file); i++)
        take_line(&truth[i % NAMES], line);
    fclose(file);
    for (size_t i = 0; i < NAMES; i++)
        cr_assert_eq(truth[i].lines, ROUNDS);
}

/* The same of what a listener wrote. */
static void add_values(struct truth *heard, const struct truth *truth, const cJSON *values)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(values, truth->name);
    if (!item)
        return;
    heard->lines++;
    cr_assert_eq(cJSON_IsNumber(item), truth->is_increment, "%s", truth->name);
    if (truth->is_increment) {
        heard->sum += item->valuedouble;
        return;
    }
    double count = number(item, "count");
    heard->sum += number(item, "mean") * count;
    heard->values += count;
    heard->max = fmax(heard->max, number(item, "max"));
}

static bool is_near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

/* Adds up what a listener wrote. Returns how many counters it has introduced. */
static size_t hear(const char *jsonl, const struct truth *truth, struct truth heard[NAMES])
{
    size_t introduced = 0;
    char *text = read_text(jsonl);
    memset(heard, 0, NAMES * sizeof heard[0]);
    char *line = text;
    for (char *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        *end = '\0';
        cJSON *json = cJSON_Parse(line);
        cr_assert(json != NULL, "%s", line);
        const char *kind = cJSON_GetStringValue(cJSON_GetObjectItem(json, "kind"));
        introduced += kind && strcmp(kind, "counter") == 0;
        for (size_t i = 0; i < NAMES; i++)
            add_values(&heard[i], &truth[i], cJSON_GetObjectItem(json, "values"));
        cJSON_Delete(json);
    }
    free(text);
    return introduced;
}

static bool is_whole(const struct truth *heard, const struct truth *truth)
{
    return heard->lines > 0 && is_near(heard->sum, truth->sum) &&
           (truth->is_increment || heard->values == truth->values);
}

static size_t whole_counters(const char *jsonl, const struct truth *truth)
{
    struct truth heard[NAMES];
    size_t whole = 0;
    hear(jsonl, truth, heard);
    for (size_t i = 0; i < NAMES; i++)
        whole += is_whole(&heard[i], &truth[i]);
    return whole;
}

static void compare(const char *jsonl, const struct truth *truth)
{
    struct truth heard[NAMES];
    cr_expect_eq(hear(jsonl, truth, heard), NAMES);
    for (size_t i = 0; i < NAMES; i++) {
        cr_expect(is_whole(&heard[i], &truth[i]), "%s: %.17g of %g values, not %.17g of %g",
                  truth[i].name, heard[i].sum, heard[i].values, truth[i].sum, truth[i].values);
        cr_expect(is_near(heard[i].max, truth[i].max), "%s: max %g", truth[i].name, heard[i].max);
    }
}

/* The counter of the summary with the name of a truth, which has its provider before it. */
static const cJSON *summed_up(const cJSON *summary, const char *name)
{
    const cJSON *counter;
    cJSON_ArrayForEach(counter, cJSON_GetObjectItem(summary, "counters"))
    {
        char full[256];
        snprintf(full, sizeof full, "%s/%s",
                 cJSON_GetStringValue(cJSON_GetObjectItem(counter, "provider")),
                 cJSON_GetStringValue(cJSON_GetObjectItem(counter, "name")));
        if (strcmp(full, name) == 0)
            return counter;
    }
    return NULL;
}

static void compare_summary(const cJSON *summary, const struct truth *truth)
{
    for (size_t i = 0; i < NAMES; i++) {
        const cJSON *counter = summed_up(summary, truth[i].name);
        cr_assert(counter, "nothing of %s", truth[i].name);
        if (truth[i].is_increment) {
            cr_expect(is_near(number(counter, "sum"), truth[i].sum), "%s", truth[i].name);
            continue;
        }
        cr_expect(truth[i].values == 0 ||
                      is_near(number(counter, "mean"), truth[i].sum / truth[i].values),
                  "%s: %g", truth[i].name, number(counter, "mean"));
        cr_expect(is_near(number(counter, "max"), truth[i].max), "%s", truth[i].name);
    }
}

Test(dotnet, counters_of_the_program_are_those_that_it_was_told_itself)
{
    static struct truth truth[NAMES];
    struct target target;
    struct monitor monitor;
    struct program listener;
    char jsonl[PATH_BYTES], recording[PATH_BYTES], go[PATH_BYTES];

    read_truth(truth);
    snprintf(recording, sizeof recording, "%s", test_file("counters.uirec"));
    snprintf(go, sizeof go, "%s", test_file("go"));
    set_variable("UM_TEST_GO", windows_path(go));
    start_fake(&target, "answers");
    snprintf(jsonl, sizeof jsonl, "%s", test_file("counters.jsonl"));
    start(&listener, "uimon", "listen", decimal(target.pid), "--wait", "--interval", "0.1",
          "--json", windows_path(jsonl), NULL);
    start_monitor(&monitor, &target, "--provider", "Example-App-Diagnostics:5:3", "--record",
                  windows_path(recording), NULL);
    wait_line(target.program.out, "session Example-App-Diagnostics 5 3 EventCounterIntervalSec=1");
    cr_expect(has_line(target.program.out, "session System.Runtime 0 4 EventCounterIntervalSec=1"));
    wait_line(jsonl, "\"kind\":\"counters\""); /* the listener is there */
    FILE *file = open_file(go, "wb");
    cr_assert(file && fclose(file) == 0);
    wait_line(target.program.out, "sent");
    /* A listener writes whole intervals: the one that the session's end cuts short has no line. */
    WAIT_UNTIL(whole_counters(jsonl, truth) == NAMES, "%zu of %d counters are whole",
               whole_counters(jsonl, truth), NAMES);
    cJSON *summary = stop_monitor(&monitor);
    wait_line(target.program.out, "stop 1122334455667788");
    wait_line(target.program.out, "over");
    interrupt(&listener);
    cr_expect_eq(wait_end(&listener, LIMIT_MS), 0);
    compare(jsonl, truth);
    compare_summary(summary, truth);
    cJSON_Delete(summary);
    cr_expect_eq(run(NULL, NULL, "uimon", "report", windows_path(recording), NULL), 0);
}

/* The program shows no window before its runtime has been asked. What it starts has a runtime, too,
 * which connects to the same pipe and is asked for nothing. */
Test(dotnet, a_launched_program_is_asked_before_it_has_a_window)
{
    static struct truth truth[NAMES];
    struct monitor monitor;
    struct program feed;
    char json[PATH_BYTES], program[PATH_BYTES], stream[PATH_BYTES], heard[PATH_BYTES];

    read_truth(truth);
    snprintf(heard, sizeof heard, "%s", test_file("said.txt"));
    set_variable("UM_TEST_SAID", windows_path(heard));
    snprintf(json, sizeof json, "%s", windows_path(test_file("launched.json")));
    snprintf(program, sizeof program, "%s", windows_path(test_program("target_dotnet_win32")));
    snprintf(stream, sizeof stream, "%s", windows_path(STREAM));
    set_variable("DOTNET_DiagnosticPorts", "somebody-elses,suspend");
    start(&monitor.program, "uimon", "--headless", "--verbose", "--json", json, "--provider",
          "Example-App-Diagnostics", "--launch", program, stream, "connects", NULL);
    wait_line(heard, "sent");
    wait_line(monitor.program.err, "probe: ");
    name_feed(&monitor);
    tail_feed(&feed, &monitor);
    interrupt(&monitor.program);
    cr_expect_eq(wait_end(&monitor.program, LIMIT_MS), 0);
    wait_line(heard, "asked before the window");
    wait_line(heard, "session System.Runtime 0 4 EventCounterIntervalSec=1");
    wait_line(heard, "session System.Diagnostics.Metrics 2 4 SessionId=SHARED");
    cr_expect(!has_line(heard, "heir was asked") && !has_line(heard, "no port"));
    cJSON *summary = read_json(test_file("launched.json"));
    compare_summary(summary, truth);
    cJSON_Delete(summary);
}

Test(dotnet, says_so_when_the_session_breaks_off)
{
    struct target target;
    struct monitor monitor;

    start_fake(&target, "breaks");
    start_monitor(&monitor, &target, "--dotnet", NULL);
    wait_line(monitor.program.err,
              "uimon: no more counters of .NET: its runtime has ended the session");
    cJSON_Delete(stop_monitor(&monitor));
}

/* What does not answer holds up nothing: neither the measuring nor its end. */
Test(dotnet, runtime_that_does_not_answer_is_not_waited_for)
{
    struct target target;
    struct monitor monitor;

    start_fake(&target, "silent");
    start_monitor(&monitor, &target, "--dotnet", NULL);
    wait_line(target.program.out, "session System.Runtime");
    /* Waits until a beat is answered. */
    cr_assert_eq(
        run(NULL, NULL, "uimon", "query", decimal(target.pid), "input-latency-ms.max", NULL), 0);
    uint64_t begin_ns = machine_now_ns();
    cJSON *summary = stop_monitor(&monitor);
    cr_expect_lt((machine_now_ns() - begin_ns) / 1000000, END_MS);
    cr_expect_gt(number(summary, "beats.seen"), 0);
    cJSON_Delete(summary);
}
