#include "monitor/compare/comparison.h"

#include <stdlib.h>
#include <string.h>

#include "ipc/wire.h"

static const struct um_results_measure absent; /* stands in for a measure that a side lacks */

static const struct {
    const char *name;
    enum um_results_series series; /* of TOTAL: used only if `painted`, see make_row */
} quantities[UM_COMPARISON_QUANTITIES] = {
    [UM_COMPARISON_TOTAL] = {"total", UM_RESULTS_PAINTED},
    [UM_COMPARISON_DELAY] = {"delay", UM_RESULTS_DELAY},
    [UM_COMPARISON_PROCESSING] = {"processing", UM_RESULTS_PROCESSING},
    [UM_COMPARISON_PRESENTATION] = {"presentation", UM_RESULTS_PRESENTATION},
    [UM_COMPARISON_DURATION] = {"duration", UM_RESULTS_DURATION},
    [UM_COMPARISON_BEATS] = {"beats", UM_RESULTS_BEATS},
    [UM_COMPARISON_FREEZES] = {"freezes", UM_RESULTS_FREEZES},
    [UM_COMPARISON_WINDOW] = {"window", UM_RESULTS_WINDOW},
    [UM_COMPARISON_PAINT] = {"paint", UM_RESULTS_PAINT},
    [UM_COMPARISON_READY] = {"ready", UM_RESULTS_READY},
    [UM_COMPARISON_IDLE] = {"idle", UM_RESULTS_IDLE},
    [UM_COMPARISON_LAYOUT_FRAME] = {"frame", UM_RESULTS_LAYOUT_FRAME},
};

const char *um_comparison_quantity_name(enum um_comparison_quantity quantity)
{
    return quantities[quantity].name;
}

static bool mostly_painted(const struct um_results_measure *measure)
{
    size_t painted = measure->groups[UM_RESULTS_PAINTED].len;
    size_t handled = measure->groups[UM_RESULTS_HANDLED].len;
    return um_wire_waited_part(painted, handled) == UM_WIRE_PART_TOTAL;
}

static bool misses_inputs(const struct um_results_measure *side)
{
    return (double)side->inputs.missing * 100 >
           (double)side->inputs.injected * UM_COMPARISON_MOST_MISSING_PERCENT;
}

static bool is_of_interactions(enum um_comparison_quantity quantity)
{
    return quantity == UM_COMPARISON_TOTAL || quantity == UM_COMPARISON_DELAY ||
           quantity == UM_COMPARISON_PROCESSING || quantity == UM_COMPARISON_PRESENTATION;
}

/* Whether known / total is smaller than other_known / other_total, by more than the share that may
 * be missing. */
static bool known_of_fewer(size_t known, size_t total, size_t other_known, size_t other_total)
{
    double more = (double)other_known * (double)total - (double)known * (double)other_total;
    return more * 100 > (double)total * (double)other_total * UM_COMPARISON_MOST_MISSING_PERCENT;
}

static void find_fewer(const struct um_comparison_measure *measure, struct um_comparison_row *row)
{
    size_t old = row->before->len;
    size_t new = row->after->len;
    size_t old_total = measure->before->interactions;
    size_t new_total = measure->after->interactions;
    if (!is_of_interactions(row->quantity))
        return;
    row->fewer_before = known_of_fewer(old, old_total, new, new_total);
    row->fewer_after = known_of_fewer(new, new_total, old, old_total);
}

/* Whether a run has one value of it, or none if it was not observed. */
static bool is_once_a_run(enum um_comparison_quantity quantity)
{
    return quantity == UM_COMPARISON_WINDOW || quantity == UM_COMPARISON_PAINT ||
           quantity == UM_COMPARISON_READY || quantity == UM_COMPARISON_IDLE ||
           quantity == UM_COMPARISON_LAYOUT_FRAME;
}

/* Such a time may be observed in a few runs only, and those may differ from the others. */
static void find_rare(struct um_comparison_row *row)
{
    if (!is_once_a_run(row->quantity) || row->before->runs == 0 || row->after->runs == 0)
        return;
    row->rare_before = 2 * row->before->len < row->before->runs;
    row->rare_after = 2 * row->after->len < row->after->runs;
}

/* How many of the inputs that a run should have lack this quantity. They count up to the majority
 * of the run: more would not change its median. */
static size_t lacking_in(const struct um_compare_group *group,
                         const struct um_results_expected *expected)
{
    size_t known = 0;
    for (size_t i = 0; i < group->len; i++)
        known += group->values[i].run == expected->run;
    uint64_t lacking = expected->inputs > known ? expected->inputs - known : 0;
    return lacking <= known ? (size_t)lacking : known + 1;
}

#define SLOWEST (2 * UM_RESULTS_MOST_MS) /* slower than any input that was seen */
#define FASTEST 0.0

/* The same side as if each input that lacks the quantity had taken `each` ms. Owner: free
 * filled->values. False without memory. */
static bool fill(const struct um_results_measure *side, const struct um_compare_group *group,
                 double each, struct um_compare_group *filled)
{
    *filled = *group;
    filled->values =
        calloc(2 * group->len + side->expected_len + 1, sizeof *filled->values); /* see above */
    if (!filled->values)
        return false;
    if (group->len > 0)
        memcpy(filled->values, group->values, group->len * sizeof *group->values);
    for (size_t i = 0; i < side->expected_len; i++) {
        const struct um_results_expected *expected = &side->expected[i];
        for (size_t lacking = lacking_in(group, expected); lacking > 0; lacking--)
            filled->values[filled->len++] = (struct um_compare_value){each, expected->run};
    }
    um_compare_sort(filled);
    return true;
}

/* Whether the test says the row's verdict of these groups too. */
static enum um_status is_verdict_of(const struct um_compare_design *design,
                                    const struct um_comparison_row *row,
                                    const struct um_compare_group *before,
                                    const struct um_compare_group *after, bool *is)
{
    struct um_compare_runs runs = {0};
    struct um_mann_whitney test;
    enum um_compare_verdict verdict = UM_COMPARE_MISSING;
    enum um_status status = um_compare_take_runs(design, before, after, UM_COMPARE_P50, &runs);
    if (status == UM_OK)
        status = um_compare_decide(design, &runs, &test, &verdict);
    um_compare_free_runs(&runs);
    *is = status == UM_OK && verdict == row->result.verdict;
    return status;
}

/* Whether FASTER or SLOWER stays however slow the inputs were that the faster side lacks. */
static enum um_status withstands(const struct um_compare_design *design,
                                 const struct um_comparison_measure *measure,
                                 const struct um_comparison_row *row, bool *out)
{
    bool slower = row->result.verdict == UM_COMPARE_SLOWER;
    struct um_compare_group filled;
    if (!fill(slower ? measure->before : measure->after, slower ? row->before : row->after, SLOWEST,
              &filled))
        return UM_ERR_MEMORY;
    enum um_status status = is_verdict_of(design, row, slower ? &filled : row->before,
                                          slower ? row->after : &filled, out);
    free(filled.values);
    return status;
}

/* The same if the inputs that BEFORE lacks took `old` ms each, and those of AFTER `new`. */
static enum um_status withstands_both(const struct um_compare_design *design,
                                      const struct um_comparison_measure *measure,
                                      const struct um_comparison_row *row, double old, double new,
                                      bool *out)
{
    struct um_compare_group before = {0}, after = {0};
    enum um_status status = UM_ERR_MEMORY;
    if (fill(measure->before, row->before, old, &before) &&
        fill(measure->after, row->after, new, &after))
        status = is_verdict_of(design, row, &before, &after, out);
    free(before.values);
    free(after.values);
    return status;
}

/* Whether NO_DIFFERENCE or SAME cannot become FASTER or SLOWER, whatever the missing inputs were.
 * The test is one of ranks, so both extremes bound all that lies between them. */
static enum um_status withstands_anything(const struct um_compare_design *design,
                                          const struct um_comparison_measure *measure,
                                          const struct um_comparison_row *row, bool *out)
{
    enum um_status status = withstands_both(design, measure, row, SLOWEST, FASTEST, out);
    if (status == UM_OK && *out)
        status = withstands_both(design, measure, row, FASTEST, SLOWEST, out);
    return status;
}

/* Withdraws a verdict that missing inputs could change. Missing inputs may be slow ones. So SLOWER
 * stays if AFTER lacks some, and FASTER stays if BEFORE lacks some. */
static enum um_status withhold_verdict(const struct um_compare_design *design,
                                       const struct um_comparison_measure *measure,
                                       struct um_comparison_row *row)
{
    bool stays = false;
    enum um_status status = UM_OK;
    bool lacks_before = measure->misses_before || row->fewer_before;
    bool lacks_after = measure->misses_after || row->fewer_after;
    struct um_compare_result *result = &row->result;
    bool faster = result->verdict == UM_COMPARE_FASTER;
    bool slower = result->verdict == UM_COMPARE_SLOWER;
    bool none = result->verdict == UM_COMPARE_NO_DIFFERENCE || result->verdict == UM_COMPARE_SAME;
    if (!((faster || none) && lacks_after) && !((slower || none) && lacks_before))
        return UM_OK;
    if (is_of_interactions(row->quantity))
        status = none ? withstands_anything(design, measure, row, &stays)
                      : withstands(design, measure, row, &stays);
    row->holds = none && stays;
    if (stays)
        return status;
    result->verdict = UM_COMPARE_MISSING;
    result->runs_needed = 0; /* more such runs would not help */
    return status;
}

static enum um_status make_row(const struct um_compare_design *design,
                               enum um_comparison_quantity quantity,
                               struct um_comparison_measure *measure)
{
    enum um_results_series series = quantities[quantity].series;
    if (quantity == UM_COMPARISON_TOTAL && !measure->painted)
        series = UM_RESULTS_HANDLED;
    struct um_comparison_row row = {
        .quantity = quantity,
        .before = &measure->before->groups[series],
        .after = &measure->after->groups[series],
    };
    enum um_status status = UM_OK;
    if (row.before->len == 0 && row.after->len == 0)
        return UM_OK;
    find_rare(&row);
    row.compared = row.before->len > 0 && row.after->len > 0 && !row.rare_before && !row.rare_after;
    find_fewer(measure, &row);
    if (row.compared)
        status = um_compare_groups(design, row.before, row.after, &row.result);
    if (row.compared && status == UM_OK)
        status = withhold_verdict(design, measure, &row);
    if (status == UM_OK)
        measure->rows[measure->row_count++] = row;
    return status;
}

static enum um_status make_measure(struct um_comparison *comparison,
                                   const struct um_results_measure *before,
                                   const struct um_results_measure *after)
{
    struct um_comparison_measure *made = &comparison->measures[comparison->measure_count++];
    *made = (struct um_comparison_measure){
        .name = before ? before->name : after->name,
        .in_before = before != NULL,
        .in_after = after != NULL,
    };
    before = before ? before : &absent;
    after = after ? after : &absent;
    made->before = before;
    made->after = after;
    made->misses_before = misses_inputs(before);
    made->misses_after = misses_inputs(after);
    bool painted_before = mostly_painted(before);
    bool painted_after = mostly_painted(after);
    bool both = made->in_before && made->in_after;
    made->painted = both ? painted_before && painted_after : painted_before || painted_after;
    made->painted_on_one_side = both && painted_before != painted_after;
    enum um_status status = UM_OK;
    for (size_t i = 0; i < UM_COMPARISON_QUANTITIES && status == UM_OK; i++)
        status = make_row(&comparison->design, (enum um_comparison_quantity)i, made);
    for (size_t i = 0; i < made->row_count; i++)
        comparison->compared += made->rows[i].compared;
    return status;
}

static struct um_compare_design make_design(const struct um_results *before,
                                            const struct um_results *after)
{
    const struct um_results_sitting *sitting = &before->sitting;
    struct um_compare_design design = um_compare_two_sittings;
    design.paired = sitting->paired && after->sitting.paired;
    if (design.paired && sitting->level > 0) {
        design.level = sitting->level;
        design.within = sitting->within;
    }
    return design;
}

static bool is_fit_for_tail(const struct um_comparison_row *row)
{
    return row && row->compared && row->result.verdict != UM_COMPARE_SLOWER &&
           row->result.verdict != UM_COMPARE_TOO_FEW;
}

/* Looks for slower tails. Each measure is another chance to be wrong, so the level is divided by
 * their number (Bonferroni). */
static enum um_status find_tails(struct um_comparison *comparison)
{
    struct um_compare_design design = comparison->design;
    size_t fit = 0;
    enum um_status status = UM_OK;
    for (size_t i = 0; i < comparison->measure_count; i++)
        fit += is_fit_for_tail(um_comparison_headline(&comparison->measures[i]));
    design.level /= fit > 0 ? (double)fit : 1;
    for (size_t i = 0; i < comparison->measure_count && status == UM_OK; i++) {
        struct um_comparison_measure *measure = &comparison->measures[i];
        const struct um_comparison_row *row = um_comparison_headline(measure);
        if (is_fit_for_tail(row))
            status = um_compare_tail(&design, row->before, row->after, &measure->tail_slower,
                                     &measure->tail_p);
    }
    return status;
}

enum um_status um_comparison_make(const struct um_results *before, const struct um_results *after,
                                  struct um_comparison *out)
{
    struct um_comparison made = {
        .before = before, .after = after, .design = make_design(before, after)};
    enum um_status status = UM_OK;
    made.measures = calloc(before->measure_count + after->measure_count + 1, sizeof *made.measures);
    if (!made.measures)
        return UM_ERR_MEMORY;
    for (size_t i = 0; i < before->measure_count && status == UM_OK; i++)
        status = make_measure(&made, &before->measures[i],
                              um_results_find(after, before->measures[i].name));
    for (size_t i = 0; i < after->measure_count && status == UM_OK; i++)
        if (!um_results_find(before, after->measures[i].name))
            status = make_measure(&made, NULL, &after->measures[i]);
    if (status == UM_OK)
        status = find_tails(&made);
    if (status == UM_OK)
        *out = made;
    else
        um_comparison_deinit(&made);
    return status;
}

const struct um_comparison_row *um_comparison_find(const struct um_comparison_measure *measure,
                                                   enum um_comparison_quantity quantity)
{
    for (size_t i = 0; i < measure->row_count; i++)
        if (measure->rows[i].quantity == quantity)
            return &measure->rows[i];
    return NULL;
}

const struct um_comparison_row *um_comparison_headline(const struct um_comparison_measure *measure)
{
    static const enum um_comparison_quantity order[] = {
        UM_COMPARISON_TOTAL,    UM_COMPARISON_IDLE,   UM_COMPARISON_READY,
        UM_COMPARISON_PAINT,    UM_COMPARISON_WINDOW, UM_COMPARISON_LAYOUT_FRAME,
        UM_COMPARISON_DURATION, UM_COMPARISON_BEATS,
    };
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        const struct um_comparison_row *row = um_comparison_find(measure, order[i]);
        if (row && row->compared)
            return row;
    }
    return NULL;
}

bool um_comparison_is_decided(const struct um_comparison_measure *measure)
{
    const struct um_comparison_row *row = measure ? um_comparison_headline(measure) : NULL;
    return !row || row->result.verdict == UM_COMPARE_SLOWER ||
           row->result.verdict == UM_COMPARE_FASTER || row->result.verdict == UM_COMPARE_SAME;
}

bool um_comparison_is_settled(const struct um_comparison *comparison)
{
    for (size_t i = 0; i < comparison->measure_count; i++) {
        const struct um_comparison_measure *measure = &comparison->measures[i];
        bool by_the_way =
            comparison->measure_count > 1 && strcmp(measure->name, UM_RESULTS_STARTUP) == 0;
        if (!by_the_way && !um_comparison_is_decided(measure))
            return false;
    }
    return true;
}

void um_comparison_deinit(struct um_comparison *comparison)
{
    free(comparison->measures);
    *comparison = (struct um_comparison){0};
}
