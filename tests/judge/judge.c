#include "tests/judge/judge.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "tests/judge/truth.h"

#define NEAR_NS UINT64_C(20000000) /* a stall this near to a freeze is part of it */

struct report {
    double begin_ns; /* on the log's clock */
    double end_ns;
    double uncertainty_ms;
    bool open; /* it lasted when the session ended */
};

struct court {
    struct um_demo_log_event *events;
    size_t count;
    uint32_t tid; /* of the thread that was watched */
    struct report *reports;
    size_t report_count;
    double begin_ns; /* of the session */
    double end_ns;
    double threshold_ms;
    double heartbeat_ms;
    double rest_ms; /* between two beats of a resting program */
    double accuracy_ms;
    FILE *out;
    struct judge_verdict verdict;
};

static bool read_log(struct court *court, const char *text)
{
    struct um_demo_log_event event;
    size_t lines = 1;

    for (const char *at = text; *at; at++)
        lines += *at == '\n';
    court->events = calloc(lines, sizeof *court->events);
    for (const char *end; court->events && (end = strchr(text, '\n')); text = end + 1) {
        char line[UM_DEMO_LOG_MAX_BYTES];
        if ((size_t)(end - text) >= sizeof line)
            continue;
        memcpy(line, text, (size_t)(end - text));
        line[end - text] = 0;
        if (um_demo_log_parse(line, &event) != UM_OK)
            continue;
        if (event.kind == UM_DEMO_LOG_START)
            court->tid = event.tid;
        court->events[court->count++] = event;
    }
    return court->tid != 0;
}

static bool get(const cJSON *object, const char *name, double *number)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    if (!cJSON_IsNumber(item))
        return false;
    *number = item->valuedouble;
    return true;
}

static bool read_reports(struct court *court, const cJSON *list)
{
    const cJSON *item;
    double begin_ms, length_ms;

    court->reports = calloc((size_t)cJSON_GetArraySize(list) + 1, sizeof *court->reports);
    if (!court->reports || !cJSON_IsArray(list))
        return false;
    cJSON_ArrayForEach(item, list)
    {
        struct report *report = &court->reports[court->report_count++];
        if (!get(item, "start_ms", &begin_ms) || !get(item, "duration_ms", &length_ms) ||
            !get(item, "start_uncertainty_ms", &report->uncertainty_ms))
            return false;
        report->open = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(item, "open"));
        report->begin_ns = court->begin_ns + begin_ms * 1e6;
        report->end_ns = report->begin_ns + length_ms * 1e6;
    }
    return true;
}

static bool read_summary(struct court *court, const cJSON *summary)
{
    const cJSON *freezes = cJSON_GetObjectItemCaseSensitive(summary, "freezes");
    double duration_ms, unlisted;

    if (!get(summary, "clock_start_ns", &court->begin_ns) ||
        !get(summary, "duration_ms", &duration_ms) ||
        !get(summary, "heartbeat_ms", &court->heartbeat_ms) ||
        !get(summary, "rest_heartbeat_ms", &court->rest_ms) ||
        !get(freezes, "threshold_ms", &court->threshold_ms) ||
        !get(freezes, "unlisted", &unlisted) || unlisted > 0)
        return false;
    court->end_ns = court->begin_ns + duration_ms * 1e6;
    return read_reports(court, cJSON_GetObjectItemCaseSensitive(summary, "freeze_list"));
}

static double length_ms(const struct um_demo_log_event *truth)
{
    return (double)(truth->end_ns - truth->begin_ns) / 1e6;
}

static bool is_of(const struct report *report, const struct um_demo_log_event *truth)
{
    return report->begin_ns < (double)truth->end_ns && report->end_ns > (double)truth->begin_ns;
}

static bool is_truth(const struct court *court, const struct um_demo_log_event *event)
{
    return event->tid == court->tid &&
           (event->kind == UM_DEMO_LOG_FREEZE || event->kind == UM_DEMO_LOG_FLOOD);
}

static double held_ms(const struct court *court, double begin_ns, double end_ns)
{
    uint64_t from_ns = begin_ns > (double)NEAR_NS ? (uint64_t)begin_ns - NEAR_NS : 0;
    return (double)truth_stalled_ns(court->events, court->count, from_ns,
                                    (uint64_t)end_ns + NEAR_NS) /
           1e6;
}

static void find(struct court *court, bool right, const char *text)
{
    court->verdict.compared++;
    court->verdict.wrong += !right;
    fprintf(court->out, "%s  %s\n", right ? "ok " : "BAD", text);
}

static const char *name_of(const struct um_demo_log_event *truth)
{
    return truth->kind == UM_DEMO_LOG_FLOOD ? "flood" : truth->name;
}

/* A freeze that one report is of, and no other: begin and length. */
static void compare(struct court *court, const struct um_demo_log_event *truth,
                    const struct um_demo_log_event *back, const struct report *report)
{
    char text[256];
    double slack_ms = court->accuracy_ms + report->uncertainty_ms / 2 +
                      held_ms(court, (double)truth->begin_ns, (double)truth->end_ns);
    double begin_off_ms = truth_begin_off_ms(truth, back, report->begin_ns);
    double length_off_ms =
        truth_length_off_ms(truth, back, (report->end_ns - report->begin_ns) / 1e6);
    /* What was not retrieved begins, as far as can be seen, with what was retrieved before it. At
     * most one beat lies between: that would have been the last thing retrieved, and the begin
     * uncertain. */
    double early_ms = truth->retrieved_ns ? 0 : court->heartbeat_ms;

    snprintf(text, sizeof text,
             "%s of %.1f ms: begin %+.2f ms, length %+.2f ms, within %.2f ms and an uncertainty of "
             "%.2f ms",
             name_of(truth), length_ms(truth), begin_off_ms, length_off_ms,
             slack_ms - report->uncertainty_ms / 2, report->uncertainty_ms);
    find(court,
         begin_off_ms >= -slack_ms - early_ms && begin_off_ms <= slack_ms &&
             (report->open || length_off_ms >= -slack_ms) && length_off_ms <= slack_ms + early_ms,
         text);
}

/* A report of several freezes in a row, or of a flood: somewhere among them. */
static void compare_row(struct court *court, const struct um_demo_log_event *first,
                        const struct um_demo_log_event *last, const struct report *report)
{
    char text[256];
    double slack_ms = court->accuracy_ms + report->uncertainty_ms / 2 +
                      held_ms(court, (double)first->begin_ns, (double)last->end_ns);
    double early_ms = ((double)first->begin_ns - report->begin_ns) / 1e6;
    double late_ms = (report->end_ns - (double)last->end_ns) / 1e6;

    snprintf(text, sizeof text,
             "row of %s: %.2f ms before it, %.2f ms after it, within %.2f ms and a beat",
             name_of(first), fmax(early_ms, 0), fmax(late_ms, 0), slack_ms);
    find(court,
         early_ms <= slack_ms + court->heartbeat_ms && late_ms <= slack_ms + court->heartbeat_ms,
         text);
}

/* What the log has that overlaps a report. */
static void judge_report(struct court *court, const struct report *report)
{
    const struct um_demo_log_event *first = NULL, *last = NULL, *longest = NULL;
    double reported_ms = (report->end_ns - report->begin_ns) / 1e6;
    size_t count = 0;
    char text[256];

    for (size_t i = 0; i < court->count; i++) {
        const struct um_demo_log_event *event = &court->events[i];
        if (!is_truth(court, event) || !is_of(report, event))
            continue;
        count++;
        if (!first || event->begin_ns < first->begin_ns)
            first = event;
        if (!last || event->end_ns > last->end_ns)
            last = event;
        if (!longest || length_ms(event) > length_ms(longest))
            longest = event;
    }
    const struct um_demo_log_event *back =
        longest ? truth_back(court->events, court->count, longest) : NULL;
    if (count == 1 && longest->kind == UM_DEMO_LOG_FREEZE && back) {
        compare(court, longest, back, report);
    } else if (count > 0) {
        compare_row(court, first, last, report);
    } else {
        double held = held_ms(court, report->begin_ns, report->end_ns);
        snprintf(text, sizeof text, "%.1f ms at %.1f ms is not in the log, which has %.1f ms held",
                 reported_ms, (report->begin_ns - court->begin_ns) / 1e6, held);
        find(court, reported_ms - held < court->threshold_ms, text);
    }
}

/* Whether a freeze or flood must have been reported: it lies in the session, and a beat waits in it
 * for longer than the threshold. Of what was retrieved the begin is known; into the rest a beat
 * comes only when it is due, which is late while the program rests. */
static bool is_due(const struct court *court, const struct um_demo_log_event *truth)
{
    double unseen_ms = truth->retrieved_ns ? 0 : fmax(court->rest_ms, court->heartbeat_ms);
    return is_truth(court, truth) && (double)truth->begin_ns > court->begin_ns + NEAR_NS &&
           (double)truth->end_ns < court->end_ns - NEAR_NS &&
           length_ms(truth) - unseen_ms >= court->threshold_ms + court->accuracy_ms;
}

static void judge_truth(struct court *court, const struct um_demo_log_event *truth)
{
    char text[256];
    size_t count = 0;

    for (size_t i = 0; i < court->report_count; i++)
        count += is_of(&court->reports[i], truth);
    if (count == 1 && truth->kind == UM_DEMO_LOG_FREEZE)
        return; /* the report was compared with it */
    snprintf(text, sizeof text, "%s of %.1f ms at %.1f ms was reported %zu times", name_of(truth),
             length_ms(truth), ((double)truth->begin_ns - court->begin_ns) / 1e6, count);
    find(court, count == 1, text);
}

static int fail(FILE *out, const char *why)
{
    fprintf(out, "judge: %s\n", why);
    return -1;
}

static int sit(struct court *court, const cJSON *summary, const char *log)
{
    size_t due = 0;

    if (!read_log(court, log))
        return fail(court->out, "the log has no line `start`: is it the demo's?");
    if (!read_summary(court, summary))
        return fail(court->out, "the summary is none, or does not list all freezes");
    for (size_t i = 0; i < court->report_count; i++)
        judge_report(court, &court->reports[i]);
    for (size_t i = 0; i < court->count; i++) {
        if (!is_due(court, &court->events[i]))
            continue;
        due++;
        judge_truth(court, &court->events[i]);
    }
    return due > 0 ? 0 : fail(court->out, "the log has no freeze in the time of the summary");
}

int judge(const char *summary, const char *log, double accuracy_ms, FILE *out,
          struct judge_verdict *verdict)
{
    struct court court = {.accuracy_ms = accuracy_ms, .out = out};
    cJSON *json = cJSON_Parse(summary);
    int result = sit(&court, json, log);

    cJSON_Delete(json);
    free(court.events);
    free(court.reports);
    *verdict = court.verdict;
    return result;
}
