#include "monitor/compare/compare_text.h"

#include <stdbool.h>
#include <string.h>

#include "monitor/compare/compare_format.h"
#include "monitor/compare/floor.h"

/* Writes a name at the beginning of a line. It is put in quotes if the line would begin with
 * "uimon:", as uimon's own messages do. What follows the name may begin with the colon. */
static void put_name(FILE *out, const char *name)
{
    bool is_like_ours = strcmp(name, "uimon") == 0 || strncmp(name, "uimon:", 6) == 0;
    const char *quote = is_like_ours ? "\"" : "";
    fprintf(out, "%s%s%s", quote, name, quote);
}

static void write_head(FILE *out, const struct um_comparison *comparison)
{
    const struct um_results_conditions *at = &comparison->after->conditions;
    struct um_compare_format warning;
    put_name(out, at->scenario[0] ? at->scenario : "benchmark");
    fprintf(out, "%s%s\n", at->target[0] ? " on " : "", at->target);
    fprintf(out, "  before  %s\n", um_compare_format_side(comparison->before).text);
    fprintf(out, "  after   %s\n", um_compare_format_side(comparison->after).text);
    if (comparison->design.paired)
        fprintf(out, "  sitting %s\n", um_compare_format_sitting(comparison).text);
    for (size_t i = 0; um_compare_format_warning(comparison, i, &warning); i++)
        fprintf(out, "  Warning: %s.\n", warning.text);
}

/* Writes a line of the table, without blanks at its end. */
static void write_line(FILE *out, const char *const cells[7])
{
    char line[256];
    int len = snprintf(line, sizeof line, "  %-13s%-4s%9s %9s %10s   %-20s  %s", cells[0], cells[1],
                       cells[2], cells[3], cells[4], cells[5], cells[6]);
    len = len < (int)sizeof line ? len : (int)sizeof line - 1;
    while (len > 0 && line[len - 1] == ' ')
        line[--len] = '\0';
    fprintf(out, "%s\n", line);
}

static void write_median(FILE *out, const struct um_comparison_row *row)
{
    const struct um_compare_change *change = &row->result.median;
    struct um_compare_format before = um_compare_format_ms(change->before);
    struct um_compare_format after = um_compare_format_ms(change->after);
    struct um_compare_format moved = um_compare_format_change(change);
    struct um_compare_format interval = um_compare_format_interval(change);
    const char *const cells[7] = {um_comparison_quantity_name(row->quantity),
                                  "p50",
                                  before.text,
                                  after.text,
                                  moved.text,
                                  interval.text,
                                  um_compare_verdict_name(row->result.verdict)};
    write_line(out, cells);
}

static void write_p90(FILE *out, const struct um_comparison *comparison,
                      const struct um_comparison_row *row)
{
    struct um_compare_format interval;
    struct um_compare_format before = um_compare_format_ms(row->result.p90.before);
    struct um_compare_format after = um_compare_format_ms(row->result.p90.after);
    struct um_compare_format moved = um_compare_format_p90_change(comparison, row, &interval);
    const char *const cells[7] = {"",         "p90",         before.text, after.text,
                                  moved.text, interval.text, ""};
    write_line(out, cells);
}

static void write_one_sided(FILE *out, const struct um_comparison_row *row)
{
    double old = um_compare_statistic_of(row->before, UM_COMPARE_P50);
    double new = um_compare_statistic_of(row->after, UM_COMPARE_P50);
    struct um_compare_format before = um_compare_format_ms(old);
    struct um_compare_format after = um_compare_format_ms(new);
    const char *const cells[7] = {
        um_comparison_quantity_name(row->quantity),          "p50", before.text, after.text, "", "",
        row->before->len > 0 ? "only before" : "only after",
    };
    write_line(out, cells);
}

static void write_row(FILE *out, const struct um_comparison *comparison,
                      const struct um_comparison_row *row)
{
    struct um_compare_format rare = um_compare_format_rare(row);
    if (um_compare_format_empty(row))
        return;
    if (rare.text[0]) {
        fprintf(out, "  %s: %s; not compared\n", um_comparison_quantity_name(row->quantity),
                rare.text);
        return;
    }
    if (!row->compared) {
        write_one_sided(out, row);
        return;
    }
    write_median(out, row);
    write_p90(out, comparison, row);
}

/* Writes a sentence as a line, if there is one. */
static void write_sentence(FILE *out, struct um_compare_format sentence)
{
    if (sentence.text[0])
        fprintf(out, "  %s\n", sentence.text);
}

static void write_measure(FILE *out, const struct um_comparison *comparison,
                          struct um_comparison_measure *measure)
{
    const char *const head[7] = {"ms",
                                 "",
                                 "before",
                                 "after",
                                 comparison->design.paired ? "in pairs" : "change",
                                 "95 % interval",
                                 "verdict"};
    const struct um_comparison_row *headline = um_comparison_headline(measure);
    fputs("\n", out);
    put_name(out, measure->name);
    fprintf(out, ": %s\n", um_compare_format_verdict(comparison, measure).text);
    if (headline) {
        write_sentence(out, um_compare_format_holds(measure));
        write_sentence(out, um_compare_format_effect(&headline->result));
        write_sentence(out, um_compare_format_needed(comparison, measure));
        write_sentence(out, um_compare_format_smallest(comparison, measure));
    }
    if (measure->row_count > 0)
        write_line(out, head);
    for (size_t i = 0; i < measure->row_count; i++)
        write_row(out, comparison, &measure->rows[i]);
    write_sentence(out, um_compare_format_times(measure));
    write_sentence(out, um_compare_format_felt(measure));
}

static void write_floor(FILE *out, const char *side, const struct um_results *results)
{
    char line[200];
    if (!results->has_floor)
        return;
    um_floor_describe(&results->floor, line, sizeof line);
    if (line[0])
        fprintf(out, "uimon's own part in %s, as calibrated: %s.\n", side, line);
}

void um_compare_text_write(FILE *out, const struct um_compare_text *text)
{
    const struct um_comparison *comparison = text->comparison;
    write_head(out, comparison);
    for (size_t i = 0; i < comparison->measure_count; i++)
        write_measure(out, comparison, &comparison->measures[i]);
    if (text->finding_count > 0)
        fprintf(out, "\n");
    for (size_t i = 0; i < text->finding_count; i++)
        fprintf(out, "%s\n", text->findings[i].line);
    fprintf(out, "\n%s", um_compare_format_method(comparison));
    write_floor(out, "BEFORE", comparison->before);
    write_floor(out, "AFTER", comparison->after);
}
