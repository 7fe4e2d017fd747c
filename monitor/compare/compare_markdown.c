#include "monitor/compare/compare_text.h"

#include <string.h>

#include "base/utf8.h"
#include "monitor/compare/compare_format.h"

/* Writes a text as one line, with the characters of Markdown and HTML escaped. An HTML comment
 * after @ and # keeps them from naming a person or an issue; a backslash would not. */
static void put_text(FILE *out, const char *text)
{
    uint32_t c;

    while ((c = um_utf8_next_shown(&text)) != 0)
        if (c == '<')
            fputs("&lt;", out);
        else if (c == '&')
            fputs("&amp;", out);
        else if (c == '@' || c == '#')
            fprintf(out, "%c<!-- -->", (int)c);
        else if (c < 0x80 && strchr("|\\`*_[]()~$!", (int)c))
            fprintf(out, "\\%c", (int)c);
        else
            um_utf8_put(out, c);
}

/* Writes a verdict, in bold if there is a difference. */
static void put_verdict(FILE *out, enum um_compare_verdict verdict)
{
    bool differs = verdict == UM_COMPARE_FASTER || verdict == UM_COMPARE_SLOWER;
    const char *mark = differs ? "**" : "";
    fprintf(out, "%s%s%s", mark, um_compare_verdict_name(verdict), mark);
}

static void put_change(FILE *out, const struct um_compare_change *change)
{
    fprintf(out, "%s", um_compare_format_change(change).text);
    if (change->has_interval)
        fprintf(out, " (%s)", um_compare_format_interval(change).text);
}

static void put_p90_change(FILE *out, const struct um_comparison *comparison,
                           const struct um_comparison_row *row)
{
    struct um_compare_format interval;
    struct um_compare_format change = um_compare_format_p90_change(comparison, row, &interval);
    fprintf(out, "%s%s%s%s", change.text, interval.text[0] ? " (" : "", interval.text,
            interval.text[0] ? ")" : "");
}

static void write_headline(FILE *out, const struct um_comparison *comparison,
                           const struct um_comparison_measure *measure)
{
    const struct um_comparison_row *row = um_comparison_headline(measure);
    fputs("| ", out);
    put_text(out, measure->name);
    if (!row) {
        fprintf(out, " | | | | | %s |\n", um_compare_format_verdict(comparison, measure).text);
        return;
    }
    const struct um_compare_result *result = &row->result;
    fprintf(out, ", %s | %s ms | %s ms | ", um_comparison_quantity_name(row->quantity),
            um_compare_format_ms(result->median.before).text,
            um_compare_format_ms(result->median.after).text);
    put_change(out, &result->median);
    fputs(" | ", out);
    put_p90_change(out, comparison, row);
    fputs(" | ", out);
    put_verdict(out, result->verdict);
    fputs(" |\n", out);
}

static void write_detail(FILE *out, const struct um_comparison *comparison,
                         const struct um_comparison_measure *measure,
                         const struct um_comparison_row *row)
{
    const struct um_compare_result *result = &row->result;
    struct um_compare_format rare = um_compare_format_rare(row);
    if ((!row->compared && !rare.text[0]) || um_compare_format_empty(row))
        return;
    fputs("| ", out);
    put_text(out, measure->name);
    if (rare.text[0]) {
        fprintf(out, " | %s | | | | | | | %s; not compared |\n",
                um_comparison_quantity_name(row->quantity), rare.text);
        return;
    }
    fprintf(out, " | %s | %s → %s | ", um_comparison_quantity_name(row->quantity),
            um_compare_format_ms(result->median.before).text,
            um_compare_format_ms(result->median.after).text);
    put_change(out, &result->median);
    fprintf(out, " | %s → %s | ", um_compare_format_ms(result->p90.before).text,
            um_compare_format_ms(result->p90.after).text);
    put_p90_change(out, comparison, row);
    fprintf(out, " | %.2g | %+.2f | ", result->test.p, result->test.delta);
    put_verdict(out, result->verdict);
    fputs(" |\n", out);
}

/* Writes one more sentence, if there is one. */
static void add_sentence(FILE *out, struct um_compare_format sentence)
{
    if (sentence.text[0])
        fprintf(out, " %s", sentence.text);
}

/* Writes the sentences about a measure. */
static void write_notes(FILE *out, const struct um_comparison *comparison,
                        struct um_comparison_measure *measure)
{
    struct um_compare_format times = um_compare_format_times(measure);
    struct um_compare_format felt = um_compare_format_felt(measure);
    fputs("- ", out);
    put_text(out, measure->name);
    fprintf(out, ": %s.", um_compare_format_verdict(comparison, measure).text);
    add_sentence(out, um_compare_format_holds(measure));
    add_sentence(out, um_compare_format_needed(comparison, measure));
    add_sentence(out, um_compare_format_smallest(comparison, measure));
    if (felt.text[0])
        fprintf(out, " In all runs: %s.", felt.text);
    fprintf(out, "%s%s%s\n", times.text[0] ? " (" : "", times.text, times.text[0] ? ")" : "");
}

/* What heads a change after its statistic, if it is the one between the runs of pairs. */
static const char *in_pairs(const struct um_comparison *comparison)
{
    return comparison->design.paired ? " in pairs" : "";
}

static void write_details(FILE *out, const struct um_comparison *comparison)
{
    const char *pairs = in_pairs(comparison);
    fprintf(
        out,
        "\n<details><summary>Details</summary>\n\n"
        "| measure | quantity | median, ms | change of the median%s (95 %% interval) | p90, ms | "
        "change of p90%s (95 %% interval) | p | Cliff's delta | verdict |\n"
        "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |\n",
        pairs, pairs);
    for (size_t i = 0; i < comparison->measure_count; i++) {
        const struct um_comparison_measure *measure = &comparison->measures[i];
        for (size_t j = 0; j < measure->row_count; j++)
            write_detail(out, comparison, measure, &measure->rows[j]);
    }
    fputs("\n", out);
    for (size_t i = 0; i < comparison->measure_count; i++)
        write_notes(out, comparison, &comparison->measures[i]);
    fputs("\nBefore: ", out);
    put_text(out, um_compare_format_side(comparison->before).text);
    fputs(".\nAfter: ", out);
    put_text(out, um_compare_format_side(comparison->after).text);
    if (comparison->design.paired)
        fprintf(out, ".\nSitting: %s", um_compare_format_sitting(comparison).text);
    fprintf(out, ".\n\n%s", um_compare_format_method(comparison));
    fputs("\n</details>\n", out);
}

static void put_warning(FILE *out, const char *warning)
{
    fputs("- **Warning:** ", out);
    put_text(out, warning);
    fputs(".\n", out);
}

void um_compare_markdown_write(FILE *out, const struct um_compare_text *text)
{
    const struct um_comparison *comparison = text->comparison;
    struct um_compare_format warning;
    const char *pairs = in_pairs(comparison);
    fprintf(out,
            "| measure | median before | median after | change of the median%s (95 %% interval) | "
            "change of p90%s (95 %% interval) | verdict |\n"
            "| --- | ---: | ---: | ---: | ---: | --- |\n",
            pairs, pairs);
    for (size_t i = 0; i < comparison->measure_count; i++)
        write_headline(out, comparison, &comparison->measures[i]);
    fputs("\n", out);
    for (size_t i = 0; um_compare_format_warning(comparison, i, &warning); i++)
        put_warning(out, warning.text);
    for (size_t i = 0; i < text->finding_count; i++) {
        fputs("- ", out);
        put_text(out, text->findings[i].line);
        fputs("\n", out);
    }
    write_details(out, comparison);
}
