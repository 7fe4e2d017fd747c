/* Lengths of freezes against the demo's own log, 20 ms to 2 s, begun at different phases of the
 * heartbeat: caused by a retrieved message, and by a sent one. Beside it, on the same freezes, what
 * the ancestor's rule makes of the same beats. */
#include "tests/bench/measures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demo/log.h"
#include "base/plain/clock.h"
#include "tests/bench/ancestor.h"
#include "tests/bench/driver.h"

/* Twenty freezes, ten of each kind; the demo shifts each by another part of a heartbeat. */
#define LIST                                                                                       \
    "20,sent:20,35,sent:35,50,sent:50,80,sent:80,120,sent:120,150,sent:150,250,sent:250,500,"      \
    "sent:500,1000,sent:1000,2000,sent:2000"
#define REPEAT "6"
#define THRESHOLD_MS "15"
#define HEARTBEAT_MS 10
#define MAX_BEATS 40000
#define PLAY_LIMIT_MS 180000

struct evidence {
    cJSON *summary;
    double start_ns; /* when measuring began, on the common clock */
    double *seen_ms; /* since then: beats dequeued */
    size_t seen;
};

/* What one kind of freezes comes to. */
struct errors {
    struct series ours_ms;
    struct series ancestor_ms;
    struct series uncertainty_ms;
    unsigned within_half; /* the true start lies where it should (ipc/wire.h, EPISODE) */
    unsigned within;      /* no further off than the whole uncertainty */
    unsigned missed;
};

static void read_beats(const char *path, struct evidence *evidence)
{
    char *all = driver_read(path);

    evidence->seen_ms = calloc(MAX_BEATS, sizeof(double));
    for (char *line = all, *end; (end = strchr(line, '\n')); line = end + 1) {
        double sent_s, latency_ms;
        const char *kind = strstr(line, ",beat,");
        if (kind && kind < end && evidence->seen < MAX_BEATS &&
            sscanf(kind, ",beat,%lf,%lf", &sent_s, &latency_ms) == 2)
            evidence->seen_ms[evidence->seen++] = sent_s * 1e3 + latency_ms;
    }
    free(all);
}

/* The longest heartbeat of the run as it really was: the timer that sends them wakes late at times.
 * What is longer than two of them was a freeze. */
static double longest_heartbeat_ms(const struct evidence *evidence)
{
    double longest_ms = HEARTBEAT_MS;
    for (size_t i = 1; i < evidence->seen; i++) {
        double spacing_ms = evidence->seen_ms[i] - evidence->seen_ms[i - 1];
        if (spacing_ms < 2 * HEARTBEAT_MS)
            longest_ms = fmax(longest_ms, spacing_ms);
    }
    return longest_ms;
}

/* The reported freeze that overlaps most with this stretch (ms since the start); NULL: none. */
static const cJSON *find_freeze(const struct evidence *evidence, double begin_ms, double end_ms)
{
    const cJSON *list = cJSON_GetObjectItem(evidence->summary, "freeze_list");
    const cJSON *freeze;
    const cJSON *found = NULL;
    double best_ms = 0;

    cJSON_ArrayForEach(freeze, list)
    {
        double from_ms = driver_number(freeze, "start_ms");
        double to_ms = from_ms + driver_number(freeze, "duration_ms");
        double overlap_ms = fmin(to_ms, end_ms) - fmax(from_ms, begin_ms);
        if (overlap_ms > best_ms) {
            best_ms = overlap_ms;
            found = freeze;
        }
    }
    return found;
}

static double uncertainty_of(const cJSON *freeze)
{
    const cJSON *item = cJSON_GetObjectItem(freeze, "start_uncertainty_ms");
    return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

/* A freeze that was missed is an error of its whole length. */
static void judge(const struct evidence *evidence, const struct um_demo_log_event *truth,
                  struct errors *errors)
{
    uint64_t begin_ns = truth->retrieved_ns ? truth->retrieved_ns : truth->begin_ns;
    double begin_ms = ((double)begin_ns - evidence->start_ns) / 1e6;
    double end_ms = ((double)truth->end_ns - evidence->start_ns) / 1e6;
    const cJSON *freeze = find_freeze(evidence, begin_ms, end_ms);
    double ours_ms = freeze ? driver_number(freeze, "duration_ms") : 0;
    double theirs_ms = ancestor_length_ms(evidence->seen_ms, evidence->seen, begin_ms, end_ms);
    double length_ms = end_ms - begin_ms;

    if (begin_ms < 0)
        return; /* before measuring began */
    series_add(&errors->ours_ms, fabs(ours_ms - length_ms));
    series_add(&errors->ancestor_ms, fabs(theirs_ms - length_ms));
    if (!freeze) {
        errors->missed++;
        return;
    }
    double uncertainty_ms = uncertainty_of(freeze);
    series_add(&errors->uncertainty_ms, uncertainty_ms);
    double off_ms = fabs(driver_number(freeze, "start_ms") - begin_ms);
    errors->within_half += off_ms <= uncertainty_ms / 2;
    errors->within += off_ms <= uncertainty_ms;
}

static void run(struct evidence *evidence, char *log)
{
    char csv[DRIVER_PATH_BYTES];
    struct program demo;
    struct monitor monitor;

    snprintf(log, DRIVER_PATH_BYTES, "%s", driver_file("demo.log"));
    snprintf(csv, sizeof csv, "%s", driver_file("beats.csv"));
    driver_start(&demo, false, "uimon-demo", "--log", driver_windows_path(log), "--play", LIST,
                 "--repeat", REPEAT, "--delay", "3000", "--pause", "150", "--exit", NULL);
    struct um_demo_log_event event = driver_wait_ready(log);
    driver_watch(&monitor, event.pid, "--headless", "--threshold", THRESHOLD_MS, "--rest-heartbeat",
                 "1", "--idle-pause", "0", "--csv", driver_windows_path(csv), NULL);
    driver_wait_end(&demo, PLAY_LIMIT_MS);
    evidence->summary = driver_finish(&monitor, false);
    evidence->start_ns = driver_number(evidence->summary, "clock_start_ns");
    read_beats(csv, evidence);
}

struct stalls {
    unsigned count;
    double longest_ms;
};

/* Reads the log: freezes into the two kinds, and how often the machine itself stood still. */
static void judge_all(const struct evidence *evidence, const char *log, struct errors *retrieved,
                      struct errors *sent, struct stalls *stalls)
{
    char *all = driver_read(log);

    for (char *line = all, *end; (end = strchr(line, '\n')); line = end + 1) {
        struct um_demo_log_event event;
        *end = 0;
        if (um_demo_log_parse(line, &event) != UM_OK)
            continue;
        if (event.kind == UM_DEMO_LOG_FREEZE)
            judge(evidence, &event, strcmp(event.name, "sent") == 0 ? sent : retrieved);
        stalls->count += event.kind == UM_DEMO_LOG_STALL;
        if (event.kind == UM_DEMO_LOG_GAP)
            stalls->longest_ms = fmax(stalls->longest_ms, (double)event.length_ns / 1e6);
    }
    free(all);
}

static void report_retrieved(const struct errors *errors, const struct stalls *stalls)
{
    struct row row = row_of_series("freeze_retrieved", "freeze length, retrieved message: error",
                                   "ms", &errors->ours_ms);
    row_budget(&row, ROW_AT_MOST, 0.5, 2, "<= 0.5 ms, worst 2 ms");
    row_note(&row, "%u missed; the machine stood still %u times over 15 ms, %.1f ms at most",
             errors->missed, stalls->count, stalls->longest_ms);
    driver_row(&row);
    row = row_of_series("freeze_retrieved_ancestor", "  the same freezes by the ancestor's rule",
                        "ms", &errors->ancestor_ms);
    row_note(&row, "ratio of the medians, ancestor / uimon: %.0f",
             series_median(&errors->ancestor_ms) / series_median(&errors->ours_ms));
    driver_row(&row);
}

static void report_sent(const struct errors *errors, double heartbeat_ms)
{
    char budget[40];
    unsigned n = (unsigned)errors->ours_ms.len;
    struct row row =
        row_of_series("freeze_sent", "freeze length, sent message: error", "ms", &errors->ours_ms);
    row_note(&row, "%u missed; by the ancestor's rule median %.1f, worst %.1f ms", errors->missed,
             series_median(&errors->ancestor_ms), series_max(&errors->ancestor_ms));
    driver_row(&row);
    row = row_of_series("freeze_sent_uncertainty", "  the uncertainty that is reported", "ms",
                        &errors->uncertainty_ms);
    snprintf(budget, sizeof budget, "<= a heartbeat, here <= %.1f ms", heartbeat_ms);
    row_budget(&row, ROW_AT_MOST, heartbeat_ms, heartbeat_ms, budget);
    driver_row(&row);
    row = row_of_number("freeze_sent_within", "  freezes that began within +-half of it", "%",
                        100.0 * errors->within_half / n, n);
    row_budget(&row, ROW_AT_LEAST, 100, NAN, "100 %");
    row_note(&row,
             "%.1f %% within the whole of it; what is left: a message taken just before is blamed",
             100.0 * errors->within / n);
    driver_row(&row);
}

void measure_accuracy(void)
{
    static struct errors retrieved, sent;
    char log[DRIVER_PATH_BYTES];
    struct evidence evidence = {0};
    struct stalls stalls = {0};

    run(&evidence, log);
    judge_all(&evidence, log, &retrieved, &sent, &stalls);
    report_retrieved(&retrieved, &stalls);
    report_sent(&sent, longest_heartbeat_ms(&evidence));
    free(evidence.seen_ms);
    cJSON_Delete(evidence.summary);
}
