#include "monitor/bench/bench_report.h"

#include <inttypes.h>
#include <string.h>

#include "monitor/compare/compare.h"

#define DESCRIPTION_BYTES 256

/* Writes a quantity in ms as a line of the table, if it was observed. */
static void write_row(FILE *out, const char *name, const struct um_compare_group *group)
{
    if (group->len == 0)
        return;
    fprintf(out, "    %-26s %7lu %9.2f %9.2f %9.2f\n", name, (unsigned long)group->len,
            um_compare_statistic_of(group, UM_COMPARE_P50),
            um_compare_statistic_of(group, UM_COMPARE_P90),
            um_compare_statistic_of(group, UM_COMPARE_MAX));
}

/* Writes how many inputs are missing or extra, if any are. */
static void write_inputs(FILE *out, const struct um_results_inputs *inputs)
{
    if (inputs->missing > 0) {
        fprintf(out, "    %" PRIu64 " of %" PRIu64 " inputs seen",
                inputs->injected - inputs->missing, inputs->injected);
        if (inputs->given_up > 0)
            fprintf(out, ", %" PRIu64 " given up", inputs->given_up);
        fprintf(out, "; the missing ones may be the slow ones\n");
    }
    if (inputs->extra > 0)
        fprintf(out, "    %" PRIu64 " input%s that uimon did not send\n", inputs->extra,
                inputs->extra == 1 ? " came" : "s came");
    if (inputs->off > 0)
        fprintf(out,
                "    %" PRIu64 " UTF-16 units were typed; of the characters (WM_CHAR) that the\n"
                "    program took, %" PRIu64 " were missing or too many: the text in it may be\n"
                "    another one, or it translates keys by itself\n",
                inputs->typed, inputs->off);
}

/* Says why hardly any run knows when the program became idle. */
static void write_idle(FILE *out, const struct um_compare_group groups[UM_RESULTS_SERIES])
{
    const struct um_compare_group *idle = &groups[UM_RESULTS_IDLE];
    if (groups[UM_RESULTS_WINDOW].len > 0 && 2 * idle->len < idle->runs)
        fprintf(out,
                "    idle was seen in %lu of %lu runs: it takes half a second of quiet before the "
                "first\n"
                "    input, which did not begin before uimon was in the program\n",
                (unsigned long)idle->len, (unsigned long)idle->runs);
}

/* Says in how many runs no layout frame was seen, which have no value. */
static void write_layout(FILE *out, const struct um_results_measure *measure)
{
    const struct um_compare_group *frames = &measure->groups[UM_RESULTS_LAYOUT_FRAME];
    write_row(out, "layout of a layout frame", frames);
    if (strcmp(measure->name, UM_RESULTS_LAYOUT) == 0 && frames->len < frames->runs)
        fprintf(out, "    no layout frame was seen in %lu of %lu runs\n",
                (unsigned long)(frames->runs - frames->len), (unsigned long)frames->runs);
}

static void write_measure(FILE *out, const struct um_results_measure *measure)
{
    const struct um_compare_group *groups = measure->groups;
    bool painted = groups[UM_RESULTS_PAINTED].len > 0;

    fprintf(out, "\n  %-28s %7s %9s %9s %9s\n", measure->name, "count", "p50", "p90", "max ms");
    write_inputs(out, &measure->inputs);
    write_row(out, "arrival to painted", &groups[UM_RESULTS_PAINTED]);
    if (!painted)
        write_row(out, "arrival to handled", &groups[UM_RESULTS_HANDLED]);
    write_row(out, "  input delay", &groups[UM_RESULTS_DELAY]);
    write_row(out, "  processing", &groups[UM_RESULTS_PROCESSING]);
    write_row(out, "  presentation", &groups[UM_RESULTS_PRESENTATION]);
    write_row(out, "beats, until taken", &groups[UM_RESULTS_BEATS]);
    write_row(out, "freezes, sum of a run", &groups[UM_RESULTS_FREEZES]);
    write_row(out, "duration", &groups[UM_RESULTS_DURATION]);
    write_row(out, "process start to window", &groups[UM_RESULTS_WINDOW]);
    write_row(out, "process start to painted", &groups[UM_RESULTS_PAINT]);
    write_row(out, "process start to ready", &groups[UM_RESULTS_READY]);
    write_row(out, "process start to idle", &groups[UM_RESULTS_IDLE]);
    write_idle(out, groups);
    write_layout(out, measure);
    if (measure->interactions > 0 && !painted)
        fprintf(out, "    painting was not observed\n");
}

enum um_status um_bench_report_write(FILE *out, const struct um_results *results)
{
    const struct um_results_conditions *conditions = &results->conditions;
    char floor[DESCRIPTION_BYTES];

    fprintf(out, "%s: %lu run%s of %s\n", conditions->scenario, (unsigned long)results->runs,
            results->runs == 1 ? "" : "s", conditions->target);
    for (size_t i = 0; i < results->measure_count; i++)
        write_measure(out, &results->measures[i]);
    if (results->measure_count == 0)
        fprintf(
            out,
            "\n  Nothing was measured: put the steps to be measured into measure NAME { ... }.\n");
    if (results->dropped > 0)
        fprintf(out, "\n  %" PRIu64 " record%s lost, so some numbers are missing.\n",
                results->dropped, results->dropped == 1 ? " was" : "s were");
    if (results->has_floor) {
        um_floor_describe(&results->floor, floor, sizeof floor);
        fprintf(out, "\n  What uimon itself adds: %s\n", floor);
    }
    return ferror(out) ? UM_ERR_IO : UM_OK;
}
