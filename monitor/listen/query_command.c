#include "monitor/options/commands.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain/clock.h"
#include "base/output.h"
#include "base/platform.h"
#include "base/utf8.h"
#include "monitor/listen/counters.h"
#include "monitor/listen/follow.h"

#define LEAST_S 5 /* some counters come once a second: each gets so long */
#define INTERVALS 3
#define SHOWN_COLUMNS 60

enum part {
    PART_VALUE,
    PART_MIN,
    PART_MAX,
    PART_P50,
    PART_P99,
    PART_COUNT,
    PARTS, /* the parts of a counter with a spread; the others are of a component's layout */
    PART_MEASURE = PARTS,
    PART_ARRANGE,
    PART_PAINT,
    PARTS_OF_ALL
};

static double part_of(const struct um_counters_value *value, enum part part)
{
    const double parts[PARTS] = {
        [PART_VALUE] = value->value, [PART_MIN] = value->min, [PART_MAX] = value->max,
        [PART_P50] = value->p50,     [PART_P99] = value->p99, [PART_COUNT] = (double)value->count};
    return parts[part];
}

static const char *const part_names[PARTS_OF_ALL] = {"mean",  "min",     "max",     "p50",  "p99",
                                                     "count", "measure", "arrange", "paint"};

struct query {
    struct um_follow follow;
    enum um_metrics_id asked;
    const char *target; /* NULL: `asked`; else the name of one of the program's own, or that, a dot
                         * and a part */
    enum part part;
    double answer; /* valid once `follow.over` is set */
};

/* Whether the target's counter is asked for; finds out which part of it. */
static bool is_asked(struct query *query, const struct um_counters_target *target)
{
    size_t len = strlen(target->name);
    bool begins = strncmp(query->target, target->name, len) == 0;
    query->part = PART_VALUE;
    if (begins && query->target[len] == '\0')
        return true;
    if (!begins || query->target[len] != '.' || target->kind == UM_COUNTERS_INCREMENT)
        return false;
    for (int i = 0; i < (target->is_layout ? PARTS_OF_ALL : PARTS); i++) {
        query->part = (enum part)i;
        if (strcmp(part_names[i], query->target + len + 1) == 0)
            return i != PART_P50 && i != PART_P99;
    }
    return false;
}

/* The part of a component's layout that is asked for; 0: it was not measured, or there is none. */
static double part_of_layout(const struct um_counters_target *target, enum part part)
{
    const double parts[PARTS_OF_ALL] = {[PART_VALUE] = target->value.value,
                                        [PART_MAX] = target->value.max,
                                        [PART_MEASURE] = target->last_frame.measure,
                                        [PART_ARRANGE] = target->last_frame.arrange,
                                        [PART_PAINT] = target->last_frame.paint};
    return parts[part];
}

/* Whether the part that is asked for was measured. */
static bool has_part(const struct um_counters_target *target, enum part part)
{
    return target->is_layout ? part_of_layout(target, part) > 0
                             : part == PART_VALUE || target->value.count > 0;
}

static void answer_target(struct query *query, const struct um_counters_interval *interval)
{
    for (size_t i = 0; i < interval->target_count; i++) {
        const struct um_counters_target *target = &interval->targets[i];
        if (query->follow.over || !target->value.measured || !is_asked(query, target))
            continue;
        if (!has_part(target, query->part))
            continue;
        query->answer = target->is_layout ? part_of_layout(target, query->part)
                                          : part_of(&target->value, query->part);
        query->follow.over = true;
    }
}

static void answer_interval(void *context, const struct um_counters_interval *interval)
{
    struct query *query = context;
    if (query->target) {
        answer_target(query, interval);
        return;
    }
    const struct um_counters_value *value = &interval->values[query->asked];
    if (!value->measured || query->follow.over)
        return;
    query->answer = part_of(value, query->part);
    query->follow.over = true;
}

static void ignore_call(void *context)
{
    (void)context;
}

static void ignore_event(void *context, const struct um_counters_event *event)
{
    (void)context, (void)event;
}

/* Reads "input-latency-ms.p99". */
static int read_name(struct query *query, const char *name)
{
    size_t len = strcspn(name, ".");
    if (strchr(name, '/')) {
        query->target = name;
        return UM_EXIT_DONE;
    }
    query->asked = um_metrics_find(name, len);
    if (query->asked == UM_METRICS_COUNT)
        return um_follow_unknown_counter(name);
    if (!name[len])
        return UM_EXIT_DONE;
    for (int i = 0; i < PARTS; i++) {
        query->part = (enum part)i;
        if (strcmp(part_names[i], name + len + 1) == 0 &&
            um_metrics_list[query->asked].kind == UM_METRICS_SPREAD)
            return UM_EXIT_DONE;
    }
    char line[UM_OPTIONS_ERROR_BYTES];
    snprintf(line, sizeof line, "uimon: '%s': %s has no such part; %s",
             um_utf8_show(name, SHOWN_COLUMNS).text, um_metrics_list[query->asked].name,
             um_metrics_list[query->asked].kind == UM_METRICS_SPREAD
                 ? "it has mean, min, max, p50, p99 and count"
                 : "give its name alone");
    return um_output_fail(line, UM_EXIT_USAGE);
}

/* Prints that there is no answer: none came in time, or the feed has ended. */
static int fail_unmeasured(const struct query *query, const char *name)
{
    struct um_utf8_shown shown = um_utf8_show(name, SHOWN_COLUMNS);
    char line[UM_OPTIONS_ERROR_BYTES];
    if (um_clock_now_ns() < query->follow.deadline_ns)
        snprintf(line, sizeof line,
                 "uimon: query %s: the uimon that is asked has ended before it was measured",
                 shown.text);
    else
        snprintf(line, sizeof line,
                 "uimon: query %s: it was not measured in %.0f s; 'uimon listen' shows which "
                 "counters are",
                 shown.text, query->follow.limit_s);
    return um_output_fail(line, UM_EXIT_FAILED);
}

int um_query_command_run(struct um_options *options)
{
    struct query *query = calloc(1, sizeof *query);
    if (!query)
        return um_output_fail("uimon: out of memory", UM_EXIT_FAILED);
    query->follow = (struct um_follow){
        .options = options,
        .limit_s = LEAST_S + INTERVALS * options->interval_s,
        .begin = ignore_call,
        .pause = ignore_call,
        .end = ignore_call,
        .taker = {.context = query, .interval = answer_interval, .event = ignore_event}};
    int code = read_name(query, options->files[1]);
    if (code == UM_EXIT_DONE)
        code = um_follow_run(&query->follow);
    if (code == UM_EXIT_DONE && query->follow.over)
        printf(query->target ? "%.15g\n" : "%.3f\n", query->answer);
    else if (code == UM_EXIT_DONE && !um_platform_interrupted())
        code = fail_unmeasured(query, options->files[1]);
    free(query);
    return code;
}
