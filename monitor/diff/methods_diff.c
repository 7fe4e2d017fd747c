#include "monitor/diff/methods_diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/list.h"

#define MOST_ROWS (2 * (size_t)UM_WIRE_METHOD_NUMBERS)

struct wanted {
    const struct um_methods_diff_row *rows;
    const struct um_method_sums_row *is;
};

static bool is_row(const void *context, uint32_t index)
{
    const struct wanted *wanted = context;
    const struct um_methods_diff_row *row = &wanted->rows[index];
    return strcmp(row->name, wanted->is->name) == 0 && strcmp(row->module, wanted->is->module) == 0;
}

/* The row of a method, new if neither side had it yet; NULL without memory. */
static struct um_methods_diff_row *place_row(struct um_methods_diff *diff,
                                             struct um_intern *by_name,
                                             const struct um_method_sums_row *method)
{
    const struct wanted wanted = {diff->rows, method};
    uint64_t hash = um_intern_mix_text(um_intern_mix_text(0, method->name), method->module);
    uint32_t found = um_intern_find(by_name, hash, is_row, &wanted);
    if (found != UM_INTERN_NONE)
        return &diff->rows[found];
    if (!um_list_reserve(&diff->rows, &diff->room, diff->count + 1, MOST_ROWS,
                         sizeof *diff->rows) ||
        !um_intern_reserve(by_name, 1))
        return NULL;
    um_intern_add(by_name, hash, (uint32_t)diff->count);
    struct um_methods_diff_row *row = &diff->rows[diff->count++];
    row->name = method->name;
    row->module = method->module;
    return row;
}

/* What stands for several methods is not the same in both, so it is left out. */
static bool add_side(struct um_methods_diff *diff, struct um_intern *by_name, int side)
{
    for (size_t i = 0; i < diff->sides[side].row_count; i++) {
        const struct um_method_sums_row *method = &diff->sides[side].rows[i];
        if (method->is_rest)
            continue;
        struct um_methods_diff_row *row = place_row(diff, by_name, method);
        if (!row)
            return false;
        row->known[side] = true;
        row->costs[side] = method->costs;
    }
    return true;
}

double um_methods_diff_call_ns(const struct um_method_sums_costs *costs)
{
    return costs->ended > 0 ? (double)costs->self_ns / (double)costs->ended : 0;
}

double um_methods_diff_weight(const struct um_methods_diff_row *row)
{
    uint64_t fewer =
        row->costs[0].ended < row->costs[1].ended ? row->costs[0].ended : row->costs[1].ended;
    return (double)fewer *
           fabs(um_methods_diff_call_ns(&row->costs[1]) - um_methods_diff_call_ns(&row->costs[0]));
}

static uint64_t calls_change(const struct um_methods_diff_row *row)
{
    uint64_t before = row->costs[0].calls, after = row->costs[1].calls;
    return before > after ? before - after : after - before;
}

static int by_change(const void *left, const void *right)
{
    const struct um_methods_diff_row *a = left;
    const struct um_methods_diff_row *b = right;
    if (calls_change(a) != calls_change(b))
        return calls_change(a) > calls_change(b) ? -1 : 1;
    double weights[2] = {um_methods_diff_weight(a), um_methods_diff_weight(b)};
    if (weights[0] > weights[1] || weights[0] < weights[1])
        return weights[0] > weights[1] ? -1 : 1;
    int by_name = strcmp(a->name, b->name);
    return by_name ? by_name : strcmp(a->module, b->module);
}

static bool differs(const struct um_methods_diff *diff, const struct um_methods_diff_row *row)
{
    return !row->known[0] || !row->known[1] || calls_change(row) > 0 ||
           (diff->has_times && um_methods_diff_weight(row) > 0);
}

static void keep_changes(struct um_methods_diff *diff)
{
    size_t kept = 0;
    for (size_t i = 0; i < diff->count; i++)
        if (differs(diff, &diff->rows[i]))
            diff->rows[kept++] = diff->rows[i];
    diff->same = diff->count - kept;
    diff->count = kept;
    if (kept > 0)
        qsort(diff->rows, kept, sizeof *diff->rows, by_change);
}

bool um_methods_diff_has(const struct um_methods *methods)
{
    return methods && um_methods_head(methods)->any;
}

enum um_status um_methods_diff_make(struct um_methods_diff *diff, const struct um_methods *before,
                                    const struct um_methods *after)
{
    struct um_intern by_name = {.slots = NULL};
    if (!um_methods_diff_has(before) || !um_methods_diff_has(after))
        return UM_OK;
    bool made = um_method_sums_make(&diff->sides[0], before) == UM_OK &&
                um_method_sums_make(&diff->sides[1], after) == UM_OK &&
                add_side(diff, &by_name, 0) && add_side(diff, &by_name, 1);
    um_intern_deinit(&by_name);
    if (!made)
        return UM_ERR_MEMORY;
    diff->any = true;
    diff->has_times = diff->sides[0].has_times && diff->sides[1].has_times;
    keep_changes(diff);
    return UM_OK;
}

void um_methods_diff_deinit(struct um_methods_diff *diff)
{
    um_method_sums_deinit(&diff->sides[0]);
    um_method_sums_deinit(&diff->sides[1]);
    free(diff->rows);
    memset(diff, 0, sizeof *diff);
}
