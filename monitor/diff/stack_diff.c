#include "monitor/diff/stack_diff.h"

#include <stdlib.h>
#include <string.h>

#include "base/plain/clock.h"
#include "base/list.h"
#include "base/utf8.h"
#include "monitor/report/report_profile.h"
#include "base/intern.h"

#define NO_ROW UINT32_MAX
#define TREE_NODES (2 * UM_CALLTREE_NODES)

/* What is needed only while comparing. */
struct making {
    struct um_stack_diff *diff;
    size_t row_cap;
    struct um_intern by_label;
    uint32_t *row_of[2]; /* of each function of a side */
    struct um_calltree tree;
    double *self_ms[2]; /* of each node */
    bool failed;
};

/* A time in this session as ms for each minute of it. */
static double rate(const struct um_stack_diff_session *session, uint64_t ns)
{
    double duration_ns = (double)session->recorded.summary.totals.duration_ns;
    return duration_ns > 0
               ? (double)ns / duration_ns * 60 * (double)UM_CLOCK_NS_PER_S / UM_CLOCK_NS_PER_MS
               : 0;
}

double um_stack_diff_self(const struct um_stack_diff_row *row)
{
    return row->costs[1].self_ms - row->costs[0].self_ms;
}

double um_stack_diff_all(const struct um_stack_diff_row *row)
{
    return row->costs[1].all_ms - row->costs[0].all_ms;
}

bool um_stack_diff_is_guess(const struct um_stack_diff_row *row)
{
    const struct um_stack_diff_cost *a = &row->costs[0], *b = &row->costs[1];
    uint64_t guessed = a->guessed + b->guessed;
    return guessed > 0 && guessed >= a->samples + b->samples - guessed;
}

struct wanted {
    const struct um_stack_diff *diff;
    const char *label;
};

static bool is_row(const void *context, uint32_t index)
{
    const struct wanted *wanted = context;
    return strcmp(wanted->diff->rows[index].label.text, wanted->label) == 0;
}

/* Takes the place of the function in a session, if none is known from the other one, or only the
 * nearest line: there, the PDB may not have been found, or the method was optimised. */
static void take_place(struct um_stack_diff_row *row, const struct um_functions_name *name)
{
    bool is_better = row->file[0] == '\0' || (row->is_nearest && !name->is_nearest);
    if (!is_better || name->file[0] == '\0')
        return;
    row->file = name->file;
    row->line = name->line;
    row->is_nearest = name->is_nearest;
}

/* The row of a function, new if neither side had it yet. */
static uint32_t place_row(struct making *making, int side, uint32_t function)
{
    struct um_stack_diff *diff = making->diff;
    const struct um_functions *functions = &diff->sides[side].profiled.functions;
    const struct um_functions_name *name = um_functions_get(functions, function);
    struct um_functions_label label = um_functions_lasting_label(functions, function);
    struct wanted wanted = {diff, label.text};
    uint64_t hash = um_intern_mix_text(0, label.text);
    uint32_t found = um_intern_find(&making->by_label, hash, is_row, &wanted);
    if (found != UM_INTERN_NONE) {
        take_place(&diff->rows[found], name);
        return found;
    }
    making->failed |= !um_list_reserve(&diff->rows, &making->row_cap, diff->count + 1, SIZE_MAX,
                                       sizeof *diff->rows) ||
                      !um_intern_reserve(&making->by_label, 1);
    if (making->failed)
        return NO_ROW;
    diff->rows[diff->count] =
        (struct um_stack_diff_row){.label = label, .file = "", .number = (uint32_t)diff->count};
    take_place(&diff->rows[diff->count], name);
    um_intern_add(&making->by_label, hash, (uint32_t)diff->count);
    return (uint32_t)diff->count++;
}

/* Samples outside of freezes are left out: what a freeze costs is compared. */
static bool take_sample(const struct um_view *view, size_t index, struct um_calltree_frame *frames,
                        struct um_calltree_sample *sample)
{
    return um_view_sample(view, index, frames, sample) &&
           view->samples->entries[index].freeze != UM_SAMPLES_NO_FREEZE;
}

static void add_costs(struct um_stack_diff_session *session, struct um_stack_diff_cost *costs,
                      const struct um_calltree_sample *sample, const uint32_t *rows)
{
    double ms = rate(session, sample->cost.wall_ns);
    for (size_t i = 0; i < sample->frame_count; i++) {
        bool is_again = false, is_guess = sample->frames[i].guessed;
        for (size_t j = 0; j < i && !is_again; j++)
            is_again = rows[j] == rows[i];
        for (size_t j = i + 1; j < sample->frame_count && is_guess; j++)
            is_guess = rows[j] != rows[i] || sample->frames[j].guessed;
        if (is_again)
            continue;
        costs[rows[i]].all_ms += ms;
        costs[rows[i]].samples += sample->cost.samples;
        costs[rows[i]].guessed += is_guess ? sample->cost.samples : 0;
    }
    if (sample->frame_count == 0)
        return;
    costs[rows[0]].self_ms += ms;
    costs[rows[0]].self_samples += sample->cost.samples;
}

/* Adds a sample to the tree of both sides and to the functions of its own. */
static void add_sample(struct making *making, int side, struct um_calltree_sample *sample,
                       struct um_calltree_frame *frames, struct um_stack_diff_cost *costs)
{
    struct um_stack_diff_session *session = &making->diff->sides[side];
    uint32_t rows[UM_CALLTREE_DEPTH], node = UM_CALLTREE_CUT;
    for (size_t i = 0; i < sample->frame_count; i++) {
        rows[i] = making->row_of[side][frames[i].key];
        frames[i].key = rows[i];
    }
    add_costs(session, costs, sample, rows);
    making->failed |= um_calltree_add(&making->tree, sample, &node) == UM_ERR_MEMORY;
    making->self_ms[side][node] += rate(session, sample->cost.wall_ns);
}

/* Finds the rows of all functions of a side. */
static void place_rows(struct making *making, int side)
{
    uint32_t count = um_view_number(&making->diff->sides[side].profiled.view);
    making->row_of[side] = calloc(count, sizeof *making->row_of[side]);
    making->failed |= !making->row_of[side];
    for (uint32_t i = 0; i < count && !making->failed; i++)
        making->row_of[side][i] = place_row(making, side, i);
}

static void add_side(struct making *making, int side)
{
    struct um_calltree_frame frames[UM_CALLTREE_DEPTH];
    struct um_calltree_sample sample;
    struct um_stack_diff *diff = making->diff;
    struct um_stack_diff_session *session = &diff->sides[side];
    struct um_report_profile_sum sum;
    struct um_stack_diff_cost *costs = calloc(diff->count + 1, sizeof *costs);
    making->failed |= !costs;
    for (size_t i = 0; !making->failed && i < session->profiled.view.samples->count; i++)
        if (take_sample(&session->profiled.view, i, frames, &sample)) {
            add_sample(making, side, &sample, frames, costs);
            session->samples += sample.cost.samples;
        }
    for (size_t i = 0; !making->failed && i < diff->count; i++)
        diff->rows[i].costs[side] = costs[i];
    free(costs);
    um_report_profile_add_up(&session->recorded, &session->profiled, UM_VIEW_ALL, &sum);
    session->frozen_ms = rate(session, sum.frozen_ns);
    session->unsampled_ms = rate(session, sum.unsampled_ns);
}

static void make_nodes(struct making *making, const uint32_t *sorted)
{
    struct um_stack_diff *diff = making->diff;
    diff->nodes = calloc(making->tree.count, sizeof *diff->nodes);
    making->failed |= !diff->nodes;
    for (uint32_t i = 0; i < making->tree.count && !making->failed; i++) {
        const struct um_calltree_node *node = &making->tree.nodes[i];
        diff->nodes[i] = (struct um_stack_diff_node){
            .parent = i == UM_CALLTREE_ROOT ? UM_CALLTREE_ROOT : node->parent,
            .row = i < UM_CALLTREE_FIRST ? NO_ROW : sorted[node->key],
            .folded = node->folded,
            .guessed = um_calltree_is_guess(node),
            .self_ms = {making->self_ms[0][i], making->self_ms[1][i]}};
    }
    diff->node_count = making->tree.count;
}

static int by_change(const void *left, const void *right)
{
    const struct um_stack_diff_row *a = left;
    const struct um_stack_diff_row *b = right;
    double changes[2] = {um_stack_diff_self(a), um_stack_diff_self(b)};
    if (changes[0] > changes[1] || changes[0] < changes[1])
        return changes[0] < changes[1] ? 1 : -1;
    changes[0] = um_stack_diff_all(a);
    changes[1] = um_stack_diff_all(b);
    if (changes[0] > changes[1] || changes[0] < changes[1])
        return changes[0] < changes[1] ? 1 : -1;
    return strcmp(a->label.text, b->label.text);
}

/* Sorts the rows, and gives the nodes their new places. */
static void settle(struct making *making)
{
    struct um_stack_diff *diff = making->diff;
    uint32_t *sorted = calloc(diff->count + 1, sizeof *sorted);
    making->failed |= !sorted;
    if (making->failed) {
        free(sorted);
        return;
    }
    qsort(diff->rows, diff->count, sizeof *diff->rows, by_change);
    for (uint32_t i = 0; i < diff->count; i++)
        sorted[diff->rows[i].number] = i;
    make_nodes(making, sorted);
    free(sorted);
}

bool um_stack_diff_has_stacks(const struct um_recorded *recorded)
{
    return um_profile_samples(recorded->profile)->count > 0;
}

bool um_stack_diff_has_layout(const struct um_recorded *recorded)
{
    const struct um_laid_out *laid_out = recorded->summary.laid_out;
    return laid_out && um_laid_out_sum(laid_out)->any;
}

enum um_status um_stack_diff_make(struct um_stack_diff *diff, const struct um_options *options)
{
    struct making making = {.diff = diff};
    const struct um_recorded *a = &diff->sides[0].recorded, *b = &diff->sides[1].recorded;
    diff->has_stacks = um_stack_diff_has_stacks(a) && um_stack_diff_has_stacks(b);
    making.failed =
        um_layout_diff_make(&diff->layout, a->summary.laid_out, b->summary.laid_out) != UM_OK ||
        um_methods_diff_make(&diff->methods, a->summary.methods, b->summary.methods) != UM_OK ||
        um_counted_diff_make(&diff->counted, a, b) != UM_OK;
    for (int i = 0; i < 2; i++) {
        making.self_ms[i] = calloc(TREE_NODES, sizeof *making.self_ms[i]);
        making.failed |=
            !making.self_ms[i] ||
            um_profiled_init(&diff->sides[i].profiled, &diff->sides[i].recorded, options) != UM_OK;
    }
    making.failed |= um_calltree_init(&making.tree, TREE_NODES) != UM_OK;
    for (int i = 0; i < 2 && !making.failed; i++)
        place_rows(&making, i);
    for (int i = 0; i < 2 && !making.failed; i++)
        add_side(&making, i);
    if (!making.failed)
        settle(&making);
    um_calltree_deinit(&making.tree);
    um_intern_deinit(&making.by_label);
    for (int i = 0; i < 2; i++) {
        free(making.self_ms[i]);
        free(making.row_of[i]);
    }
    return making.failed ? UM_ERR_MEMORY : UM_OK;
}

void um_stack_diff_deinit(struct um_stack_diff *diff)
{
    um_methods_diff_deinit(&diff->methods);
    for (int i = 0; i < 2; i++) {
        um_profiled_deinit(&diff->sides[i].profiled);
        um_recorded_deinit(&diff->sides[i].recorded);
    }
    um_layout_diff_deinit(&diff->layout);
    um_counted_diff_deinit(&diff->counted);
    free(diff->rows);
    free(diff->nodes);
    memset(diff, 0, sizeof *diff);
}
