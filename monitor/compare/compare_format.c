#include "monitor/compare/compare_format.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "monitor/compare/smallest.h"

#define MOST_DECIMALS 6 /* of ms: to the nanosecond */
#define ROUNDING 1e-6   /* of a difference of two times, as a share of it */
#define SET(out, ...) snprintf(out.text, sizeof out.text, __VA_ARGS__)

const char *um_compare_format_method(const struct um_comparison *comparison)
{
    if (comparison->design.paired)
        return "Both sides were measured in turn, in random order within each pair. Each verdict "
               "is one test on\nthe medians of the runs, by swapping the sides within pairs. "
               "Where nothing has changed, at most one\nverdict in twenty is wrong. The change in "
               "pairs is the one that, taken out of the runs after, leaves\nno difference, and the "
               "interval has those that the test does not reject. Before and after are of all\n"
               "values of a side together, so what lies between them may be another change.\n";
    return "Each verdict is one Mann-Whitney test on the medians of the runs, at 5 %: where "
           "nothing "
           "has\nchanged, about one verdict in twenty is wrong. Intervals: bootstrap of whole "
           "runs.\nThe sides are two sittings. What changed on the machine between them is not in "
           "these figures;\nuimon bench --before --after measures both sides in turn.\n";
}

struct um_compare_format um_compare_format_sitting(const struct um_comparison *comparison)
{
    struct um_compare_format out = {""};
    const struct um_results_sitting *sitting = &comparison->before->sitting;
    char most[80] = "";
    char discarded[80] = "";
    if (!comparison->design.paired)
        return out;
    if (sitting->within > 0)
        snprintf(most, sizeof most, ", of at most %lu; a verdict after these takes p <= %.2g",
                 (unsigned long)sitting->most, sitting->level);
    if (sitting->discarded > 0)
        snprintf(discarded, sizeof discarded, "; %lu more did not finish",
                 (unsigned long)sitting->discarded);
    SET(out, "%lu pair%s in random order%s%s", (unsigned long)comparison->before->runs,
        comparison->before->runs == 1 ? "" : "s", most, discarded);
    return out;
}

struct um_compare_format um_compare_format_ms_to(double ms, double step_ms)
{
    struct um_compare_format out;
    int decimals = ms < 99.995 ? 2 : 1;
    while (decimals < MOST_DECIMALS && pow(10, -decimals) > fabs(step_ms) * (1 + ROUNDING))
        decimals++;
    if (!(ms <= INFINITY))
        SET(out, "-");
    else
        SET(out, "%.*f", decimals, ms);
    return out;
}

struct um_compare_format um_compare_format_ms(double ms)
{
    return um_compare_format_ms_to(ms, INFINITY);
}

/* A number with its sign. One that rounds to 0 is +0, never -0. */
static struct um_compare_format signed_text(double value, int decimals, const char *unit)
{
    struct um_compare_format out;
    double least = decimals == 1 ? 0.05 : 0.005;
    if (fabs(value) < least)
        value = 0;
    SET(out, "%+.*f %s", decimals, value, unit);
    return out;
}

/* A share in per cent if the change has one, else an amount. */
static struct um_compare_format change_text(const struct um_compare_change *change, double share,
                                            double amount)
{
    return change->has_share ? signed_text(share * 100.0, 1, "%") : signed_text(amount, 2, "ms");
}

struct um_compare_format um_compare_format_change(const struct um_compare_change *change)
{
    return change_text(change, change->share, change->difference);
}

struct um_compare_format um_compare_format_interval(const struct um_compare_change *change)
{
    struct um_compare_format out = {""};
    if (!change->has_interval)
        return out;
    SET(out, "%.40s to %.40s", change_text(change, change->share_low, change->low).text,
        change_text(change, change->share_high, change->high).text);
    return out;
}

struct um_compare_format um_compare_format_p90_change(const struct um_comparison *comparison,
                                                      const struct um_comparison_row *row,
                                                      struct um_compare_format *interval)
{
    const struct um_compare_result *result = &row->result;
    *interval = (struct um_compare_format){""};
    if (comparison->design.paired && row->before->len == result->before_runs &&
        row->after->len == result->after_runs)
        return *interval;
    *interval = um_compare_format_interval(&result->p90);
    return um_compare_format_change(&result->p90);
}

struct um_compare_format um_compare_format_p(double p)
{
    struct um_compare_format out;
    if (p < 0.0001)
        SET(out, "p < 0.0001");
    else
        SET(out, "p = %.2g", p);
    return out;
}

/* " by 10.2 % (95 % interval ...)". "" in the rare case that the medians of all values differ in
 * the other direction than the test, which looks only at the order of the runs. */
static struct um_compare_format amount_text(const struct um_compare_result *result)
{
    struct um_compare_format out = {""};
    const struct um_compare_change *median = &result->median;
    double moved = median->difference;
    bool agrees = result->verdict == UM_COMPARE_SLOWER ? moved > 0 : moved < 0;
    struct um_compare_format change = um_compare_format_change(median);
    if (agrees)
        SET(out, " by %.60s (95 %% interval %.90s)", change.text + 1,
            um_compare_format_interval(median).text);
    return out;
}

static struct um_compare_format absent_text(const struct um_comparison_measure *measure)
{
    struct um_compare_format out = {"nothing was measured on both sides"};
    if (!measure->in_before || !measure->in_after)
        SET(out, "only in %s, so there is nothing to compare",
            measure->in_before ? "BEFORE" : "AFTER");
    return out;
}

struct um_compare_format um_compare_format_missing(const struct um_results_measure *measure,
                                                   const char *side)
{
    struct um_compare_format out = {""};
    const struct um_results_inputs *inputs = &measure->inputs;
    char given_up[40] = "";
    if (inputs->missing == 0)
        return out;
    if (inputs->given_up > 0)
        snprintf(given_up, sizeof given_up, " (%" PRIu64 " given up)", inputs->given_up);
    SET(out, "%" PRIu64 " of %" PRIu64 " inputs are missing in %s%s", inputs->missing,
        inputs->injected, side, given_up);
    return out;
}

static double percent_of(size_t part, size_t whole)
{
    return whole > 0 ? 100.0 * (double)part / (double)whole : 0.0;
}

struct um_compare_format um_compare_format_known(const struct um_comparison_measure *measure,
                                                 const struct um_comparison_row *row)
{
    struct um_compare_format out = {""};
    if (row->fewer_before || row->fewer_after)
        SET(out, "%s is known of %.1f %% of the inputs seen in BEFORE and %.1f %% in AFTER",
            um_comparison_quantity_name(row->quantity),
            percent_of(row->before->len, measure->before->interactions),
            percent_of(row->after->len, measure->after->interactions));
    return out;
}

struct um_compare_format um_compare_format_rare(const struct um_comparison_row *row)
{
    struct um_compare_format out = {""};
    if (row->rare_before || row->rare_after)
        SET(out, "seen in %lu of %lu runs before, %lu of %lu after",
            (unsigned long)row->before->len, (unsigned long)row->before->runs,
            (unsigned long)row->after->len, (unsigned long)row->after->runs);
    return out;
}

/* Which missing inputs or quantities may explain the difference; "" if there are none. */
static struct um_compare_format lacking_text(const struct um_comparison_measure *measure,
                                             const struct um_comparison_row *row)
{
    if (measure->misses_after)
        return um_compare_format_missing(measure->after, "AFTER");
    if (measure->misses_before)
        return um_compare_format_missing(measure->before, "BEFORE");
    return um_compare_format_known(measure, row);
}

/* "no verdict from 3 and 4 runs; it takes at least 4 and 4" */
static struct um_compare_format too_few_text(const struct um_compare_design *design,
                                             const struct um_compare_result *result)
{
    struct um_compare_format out;
    unsigned long before = result->before_runs, after = result->after_runs;
    unsigned long least = (unsigned long)um_compare_least_runs(design);
    if (design->paired)
        SET(out, "no verdict from %lu pair%s; it takes at least %lu", before,
            before == 1 ? "" : "s", least);
    else
        SET(out, "no verdict from %lu and %lu runs; it takes at least %lu and %lu", before, after,
            least, least);
    return out;
}

static struct um_compare_format no_difference_text(const struct um_compare_design *design,
                                                   const struct um_compare_result *result)
{
    struct um_compare_format out;
    unsigned long before = result->before_runs, after = result->after_runs;
    struct um_compare_format p = um_compare_format_p(result->test.p);
    if (design->paired)
        SET(out, "no difference that %lu pairs can show (%.40s)", before, p.text);
    else
        SET(out, "no difference that %lu and %lu runs can show (%.40s)", before, after, p.text);
    return out;
}

struct um_compare_format um_compare_format_verdict(const struct um_comparison *comparison,
                                                   const struct um_comparison_measure *measure)
{
    struct um_compare_format out;
    const struct um_compare_design *design = &comparison->design;
    const struct um_comparison_row *row = um_comparison_headline(measure);
    if (!row)
        return absent_text(measure);
    const struct um_compare_result *result = &row->result;
    if (result->verdict == UM_COMPARE_TOO_FEW)
        return too_few_text(design, result);
    if (result->verdict == UM_COMPARE_NO_DIFFERENCE)
        return no_difference_text(design, result);
    if (result->verdict == UM_COMPARE_MISSING)
        SET(out, "no verdict: %.200s", lacking_text(measure, row).text);
    else if (result->verdict == UM_COMPARE_SAME)
        SET(out, "the same within %g %% (95 %% interval %.90s)", design->within * 100,
            um_compare_format_interval(&result->median).text);
    else
        SET(out, "%s%.160s%s, %.40s", um_compare_verdict_name(result->verdict),
            amount_text(result).text,
            lacking_text(measure, row).text[0] ? ", of the inputs that were seen" : "",
            um_compare_format_p(result->test.p).text);
    return out;
}

struct um_compare_format um_compare_format_holds(const struct um_comparison_measure *measure)
{
    struct um_compare_format out = {""};
    const struct um_comparison_row *row = um_comparison_headline(measure);
    if (row && row->holds)
        SET(out,
            "The missing inputs could not make it faster or slower, whatever they were: %.200s.",
            lacking_text(measure, row).text);
    return out;
}

/* "5 freezes before, 3 felt" */
static struct um_compare_format freezes_text(const struct um_results_freezes *freezes,
                                             const char *when)
{
    struct um_compare_format out;
    const char *plural = freezes->count == 1 ? "" : "s";
    if (freezes->count == 0)
        SET(out, "no freeze %s", when);
    else if (freezes->unknown == freezes->count)
        SET(out, "%" PRIu64 " freeze%s %s, not known how many felt", freezes->count, plural, when);
    else if (freezes->unknown > 0)
        SET(out, "%" PRIu64 " freeze%s %s, %" PRIu64 " felt, not known of %" PRIu64, freezes->count,
            plural, when, freezes->felt, freezes->unknown);
    else
        SET(out, "%" PRIu64 " freeze%s %s, %" PRIu64 " felt", freezes->count, plural, when,
            freezes->felt);
    return out;
}

struct um_compare_format um_compare_format_felt(const struct um_comparison_measure *measure)
{
    struct um_compare_format out = {""};
    const struct um_results_freezes *old = &measure->before->freezes;
    const struct um_results_freezes *new = &measure->after->freezes;
    if (old->count + new->count > 0)
        SET(out, "%.100s; %.100s", freezes_text(old, "before").text,
            freezes_text(new, "after").text);
    return out;
}

struct um_compare_format um_compare_format_needed(const struct um_comparison *comparison,
                                                  struct um_comparison_measure *measure)
{
    struct um_compare_format out = {""};
    const struct um_comparison_row *row = um_comparison_headline(measure);
    const char *what = comparison->design.paired ? "pairs" : "runs a side";
    int percent = (int)(UM_COMPARE_SHOWN_CHANGE * 100.0 + 0.5);
    if (!row || row->result.runs_needed == 0)
        return out;
    const struct um_compare_result *result = &row->result;
    uint32_t fewer =
        result->before_runs < result->after_runs ? result->before_runs : result->after_runs;
    if (result->runs_needed > result->most_runs)
        SET(out, "These runs differ so much that a change of %d %% would take more than %lu %s.",
            percent, (unsigned long)result->most_runs, what);
    else if (result->runs_needed > fewer)
        SET(out, "To show a change of %d %% in 95 of 100 comparisons, take about %lu %s.", percent,
            (unsigned long)result->runs_needed, what);
    else if (!um_compare_format_smallest(comparison, measure).text[0])
        SET(out, "A change of %d %% would have shown in 95 of 100 such comparisons.", percent);
    return out;
}

struct um_compare_format um_compare_format_smallest(const struct um_comparison *comparison,
                                                    struct um_comparison_measure *measure)
{
    struct um_compare_format out = {""};
    const struct um_comparison_row *row = um_comparison_headline(measure);
    struct um_compare_runs runs = {0};
    if (!row || row->result.verdict == UM_COMPARE_TOO_FEW ||
        row->result.verdict == UM_COMPARE_MISSING)
        return out;
    if (!measure->smallest_tried &&
        um_compare_take_runs(&comparison->design, row->before, row->after, UM_COMPARE_P50, &runs) ==
            UM_OK)
        (void)um_smallest_percent(&comparison->design, &runs, &measure->smallest_percent);
    um_compare_free_runs(&runs);
    measure->smallest_tried = true;
    uint32_t percent = measure->smallest_percent;
    if (percent > UM_SMALLEST_MOST_PERCENT)
        SET(out, "These runs would have found only a change of more than %d %%.",
            UM_SMALLEST_MOST_PERCENT);
    else if (percent > 0)
        SET(out,
            "These runs would have found a change of %" PRIu32 " %% or more in 80 of 100 tries.",
            percent);
    return out;
}

/* The times of the startup that were measured, and which of them the verdict is on. */
static struct um_compare_format startup_times(const struct um_comparison_measure *measure)
{
    static const char *const ends[UM_COMPARISON_QUANTITIES] = {
        [UM_COMPARISON_WINDOW] = "window",
        [UM_COMPARISON_PAINT] = "painting (paint)",
        [UM_COMPARISON_READY] = "wait for input (ready)",
        [UM_COMPARISON_IDLE] = "rest (idle)",
    };
    struct um_compare_format out = {""};
    const struct um_comparison_row *headline = um_comparison_headline(measure);
    size_t len = 0;
    for (size_t i = 0; i < measure->row_count; i++) {
        const char *end = ends[measure->rows[i].quantity];
        if (end)
            len += (size_t)snprintf(out.text + len, sizeof out.text - len, "%s%s",
                                    len > 0 ? ", " : "from the process start to its first ", end);
    }
    if (headline)
        snprintf(out.text + len, sizeof out.text - len, ";\n  the verdict is on %s",
                 um_comparison_quantity_name(headline->quantity));
    return out;
}

struct um_compare_format um_compare_format_times(const struct um_comparison_measure *measure)
{
    struct um_compare_format out = {""};
    if (strcmp(measure->name, UM_RESULTS_STARTUP) == 0)
        return startup_times(measure);
    if (!um_comparison_find(measure, UM_COMPARISON_TOTAL))
        return out;
    SET(out, "total: from arrival %s",
        measure->painted               ? "to the end of painting"
        : measure->painted_on_one_side ? "to handled; painting was observed on one side only"
                                       : "to handled; painting was not observed");
    return out;
}

struct um_compare_format um_compare_format_effect(const struct um_compare_result *result)
{
    struct um_compare_format out = {""};
    double share = result->test.superiority * 100.0;
    bool slower = share >= 50.0;
    if (result->verdict == UM_COMPARE_TOO_FEW || result->verdict == UM_COMPARE_MISSING)
        return out;
    SET(out, "Of all %lu x %lu ways to take a run of each side, the one after is %s in %.0f %%.",
        (unsigned long)result->before_runs, (unsigned long)result->after_runs,
        slower ? "slower" : "faster", slower ? share : 100.0 - share);
    return out;
}

struct um_compare_format um_compare_format_side(const struct um_results *side)
{
    struct um_compare_format out;
    const struct um_results_conditions *at = &side->conditions;
    SET(out, "%s%s%lu run%s in %lu file%s%s%s%s%s%s%s", um_utf8_show(at->defines, 60).text,
        at->defines[0] ? ": " : "", (unsigned long)side->runs, side->runs == 1 ? "" : "s",
        (unsigned long)side->files, side->files == 1 ? "" : "s", at->started[0] ? ", " : "",
        um_utf8_show(at->started, 24).text, at->uimon[0] ? ", uimon " : "",
        um_utf8_show(at->uimon, 16).text, at->machine[0] ? " on " : "",
        um_utf8_show(at->machine, 40).text);
    return out;
}

/* Writes the names of the bits of um_results_difference that are set. */
static void list_differences(uint32_t mask, char *buf, size_t cap)
{
    static const char *const names[] = {"scenarios", "options", "machines", "uimon versions",
                                        "targets"};
    size_t len = 0;
    buf[0] = '\0';
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (mask & (1u << i))
            len += (size_t)snprintf(buf + len, cap - len, "%s%s", len > 0 ? ", " : "", names[i]);
}

/* Makes all warnings in order, and keeps the one with the wanted index. */
struct warnings {
    size_t index; /* how many warnings still come before the wanted one */
    struct um_compare_format *out;
};

/* Counts one warning, if it has a text. True if it is the wanted one. */
static bool take_warning(struct warnings *warnings, struct um_compare_format made)
{
    if (made.text[0] == '\0' || warnings->index-- > 0)
        return false;
    *warnings->out = made;
    return true;
}

static bool warn_of_conditions(struct warnings *warnings, const struct um_comparison *comparison)
{
    uint32_t between =
        um_results_differences(&comparison->before->conditions, &comparison->after->conditions);
    /* The sides of one sitting are meant to differ in this. */
    uint32_t meant = comparison->design.paired ? UM_RESULTS_OTHER_TARGET : 0;
    const struct {
        uint32_t mask;
        const char *where;
    } all[] = {
        {between & ~meant, "BEFORE and AFTER have"},
        {comparison->before->mixed, "the files of BEFORE have"},
        {comparison->after->mixed, "the files of AFTER have"},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        struct um_compare_format made = {""};
        char list[100];
        list_differences(all[i].mask, list, sizeof list);
        if (list[0] != '\0')
            SET(made, "%s different %s: that may be the difference", all[i].where, list);
        if (take_warning(warnings, made))
            return true;
    }
    return false;
}

static bool warn_of_break(struct warnings *warnings, const struct um_results *results, bool paired,
                          const char *side)
{
    struct um_compare_format made = {""};
    if (results->planned > results->runs)
        SET(made, "%s %s partial: %lu of %lu %s, and then the benchmark was broken off",
            paired ? "the results" : side, paired ? "are" : "is", (unsigned long)results->runs,
            (unsigned long)results->planned, paired ? "pairs" : "runs");
    return take_warning(warnings, made);
}

static bool warn_of_loss(struct warnings *warnings, const struct um_results *results,
                         const char *side)
{
    struct um_compare_format made = {""};
    if (results->dropped > 0)
        SET(made,
            "%" PRIu64 " record%s lost while %s was measured: some of its numbers are missing",
            results->dropped, results->dropped == 1 ? " was" : "s were", side);
    return take_warning(warnings, made);
}

static bool warn_of_inputs(struct warnings *warnings, const struct um_results_measure *measure,
                           const char *side)
{
    struct um_compare_format made = {""};
    struct um_compare_format missing = um_compare_format_missing(measure, side);
    uint64_t extra = measure->inputs.extra;
    if (missing.text[0])
        SET(made, "%s: %.200s, and may be the slow ones", measure->name, missing.text);
    if (take_warning(warnings, made))
        return true;
    made.text[0] = '\0';
    if (extra > 0)
        SET(made, "%s: %" PRIu64 " input%s in %s that uimon did not send", measure->name, extra,
            extra == 1 ? " came" : "s came", side);
    return take_warning(warnings, made);
}

static bool warn_of_totals(struct warnings *warnings, const struct um_comparison_measure *measure)
{
    const struct um_comparison_row *row = um_comparison_find(measure, UM_COMPARISON_TOTAL);
    struct um_compare_format made = {""}, known = {""};
    if (row && row->compared)
        known = um_compare_format_known(measure, row);
    if (known.text[0])
        SET(made, "%s: %.220s", measure->name, known.text);
    return take_warning(warnings, made);
}

static bool warn_of_tail(struct warnings *warnings, const struct um_comparison_measure *measure)
{
    struct um_compare_format made = {""};
    const struct um_comparison_row *row = um_comparison_headline(measure);
    if (measure->tail_slower && row)
        SET(made,
            "%s: the slowest tenth of %s became slower (p90 %.60s, %.40s), which the verdict "
            "on the median does not say",
            measure->name, um_comparison_quantity_name(row->quantity),
            um_compare_format_change(&row->result.p90).text,
            um_compare_format_p(measure->tail_p).text);
    return take_warning(warnings, made);
}

bool um_compare_format_warning(const struct um_comparison *comparison, size_t index,
                               struct um_compare_format *out)
{
    struct warnings warnings = {index, out};
    bool paired = comparison->design.paired;
    if (warn_of_conditions(&warnings, comparison) ||
        warn_of_break(&warnings, comparison->before, paired, "BEFORE") ||
        (!paired && warn_of_break(&warnings, comparison->after, false, "AFTER")) ||
        warn_of_loss(&warnings, comparison->before, "BEFORE") ||
        warn_of_loss(&warnings, comparison->after, "AFTER"))
        return true;
    for (size_t i = 0; i < comparison->measure_count; i++) {
        const struct um_comparison_measure *measure = &comparison->measures[i];
        if (warn_of_inputs(&warnings, measure->before, "BEFORE") ||
            warn_of_inputs(&warnings, measure->after, "AFTER") ||
            warn_of_totals(&warnings, measure) || warn_of_tail(&warnings, measure))
            return true;
    }
    return false;
}

bool um_compare_format_empty(const struct um_comparison_row *row)
{
    double before = row->before->len ? row->before->values[row->before->len - 1].value : 0;
    double after = row->after->len ? row->after->values[row->after->len - 1].value : 0;
    return row->quantity == UM_COMPARISON_FREEZES && !(before > 0) && !(after > 0);
}
