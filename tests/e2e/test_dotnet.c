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

TestSuite(dotnet, .fini = conclude);

#define STREAM UM_SOURCE_DIR "/tests/golden/counters.nettrace"
#define TRUTH UM_SOURCE_DIR "/tests/golden/counters_nettrace.tsv"
#define NAMES 23        /* counters in the truth, */
#define ROUNDS 4        /* so many times each, */
#define ROUNDS_CAUGHT 3 /* of which the stream has the last ones */
#define STREAM_MS 2500  /* within which it has been sent */
#define END_MS 5000     /* within which uimon ends, whatever the runtime does */

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

static void compare(const char *jsonl, const struct truth *truth)
{
    static struct truth heard[NAMES];
    size_t introduced = 0;
    char *text = read_text(jsonl);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        cJSON *json = cJSON_Parse(line);
        cr_assert(json != NULL, "%s", line);
        const char *kind = cJSON_GetStringValue(cJSON_GetObjectItem(json, "kind"));
        introduced += kind && strcmp(kind, "counter") == 0;
        for (size_t i = 0; i < NAMES; i++)
            add_values(&heard[i], &truth[i], cJSON_GetObjectItem(json, "values"));
        cJSON_Delete(json);
    }
    free(text);
    cr_expect_eq(introduced, NAMES);
    for (size_t i = 0; i < NAMES; i++) {
        cr_expect(heard[i].lines > 0, "nothing of %s", truth[i].name);
        cr_expect(is_near(heard[i].sum, truth[i].sum), "%s: %.17g, not %.17g", truth[i].name,
                  heard[i].sum, truth[i].sum);
        cr_expect(truth[i].is_increment || heard[i].values == truth[i].values, "%s: of %g values",
                  truth[i].name, heard[i].values);
        cr_expect(is_near(heard[i].max, truth[i].max), "%s: max %g", truth[i].name, heard[i].max);
    }
}

Test(dotnet, counters_of_the_program_are_those_that_it_was_told_itself)
{
    static struct truth truth[NAMES];
    struct target target;
    struct monitor monitor;
    struct program listener;
    char jsonl[PATH_BYTES], recording[PATH_BYTES];

    read_truth(truth);
    snprintf(recording, sizeof recording, "%s", test_file("counters.uirec"));
    start_fake(&target, "answers");
    snprintf(jsonl, sizeof jsonl, "%s", test_file("counters.jsonl"));
    start(&listener, "uimon", "listen", decimal(target.pid), "--wait", "--interval", "0.1",
          "--jsonl", windows_path(jsonl), NULL);
    start_monitor(&monitor, &target, "--provider", "Example-App-Diagnostics:5:3", "--record",
                  windows_path(recording), NULL);
    wait_line(target.program.out, "session Example-App-Diagnostics 5 3 EventCounterIntervalSec=1");
    cr_expect(has_line(target.program.out, "session System.Runtime 0 4 EventCounterIntervalSec=1"));
    sleep_ms(STREAM_MS);
    cJSON_Delete(stop_monitor(&monitor));
    wait_line(target.program.out, "stop 1122334455667788");
    wait_line(target.program.out, "over");
    interrupt(&listener);
    cr_expect_eq(wait_end(&listener, END_MS), 0);
    compare(jsonl, truth);
    cr_expect_eq(run(NULL, NULL, "uimon", "report", windows_path(recording), NULL), 0);
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
    uint64_t begin_ns = machine_now_ns();
    cJSON *summary = stop_monitor(&monitor);
    cr_expect((machine_now_ns() - begin_ns) / 1000000 < END_MS);
    cr_expect(number(summary, "beats.seen") > 0);
    cJSON_Delete(summary);
}
