#include "monitor/diff/layout_diff.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/ns.h"
#include "base/plain/clock.h"
#include "base/plain/text.h"

#define DIALOG "#32770" /* the class of all dialogs */
#define UNPLACED (UINT32_MAX - 1)

/* What is needed only while comparing. */
struct making {
    struct um_layout_diff *diff;
    const struct um_laid_out *sides[2];
    uint32_t row_of[2][UM_WIRE_LAYOUT_COMPONENTS]; /* of each component; UNPLACED: none so far */
    bool failed;
};

/* A component that was told of; NULL: there is none of this id. */
static const struct um_laid_out_component *get(const struct um_laid_out *side, uint32_t id)
{
    const struct um_laid_out_component *component = um_laid_out_get(side, id);
    bool is_known = component && (component->window_class[0] != '\0' ||
                                  component->text[0] != '\0' || component->cost.id != 0);
    return is_known ? component : NULL;
}

/* The row around a component. */
static uint32_t row_around(const struct making *making, int side,
                           const struct um_laid_out_component *component)
{
    return get(making->sides[side], component->parent) ? making->row_of[side][component->parent]
                                                       : UM_LAYOUT_DIFF_NONE;
}

/* The row of a component among those from `first` on, new if neither side had it yet. */
static struct um_layout_diff_row *place_row(struct making *making, size_t first, uint32_t parent,
                                            const struct um_laid_out_component *component)
{
    struct um_layout_diff *diff = making->diff;
    for (size_t i = first; i < diff->row_count; i++)
        if (strcmp(diff->rows[i].text, component->text) == 0 &&
            strcmp(diff->rows[i].window_class, component->window_class) == 0)
            return &diff->rows[i];
    making->failed |= !um_list_reserve(&diff->rows, &diff->row_room, diff->row_count + 1, SIZE_MAX,
                                       sizeof diff->rows[0]);
    if (making->failed)
        return NULL;
    struct um_layout_diff_row *row = &diff->rows[diff->row_count++];
    row->parent = parent;
    um_text_set(row->text, sizeof row->text, component->text);
    um_text_set(row->window_class, sizeof row->window_class, component->window_class);
    return row;
}

static void add_cost(struct um_layout_diff_cost *cost, const struct um_wire_layout_cost *more)
{
    cost->components++;
    cost->frames += more->frames;
    cost->layout_ns = um_ns_sum(cost->layout_ns, more->layout_ns);
    cost->own_layout_ns = um_ns_sum(cost->own_layout_ns, more->own_layout_ns);
    cost->paint_ns = um_ns_sum(cost->paint_ns, more->paint_ns);
    cost->worst_frame_ns = um_ns_max(cost->worst_frame_ns, more->worst_frame_ns);
}

/* Whether a row is on this side alone, and of this class. */
static bool is_left_over(const struct um_layout_diff_row *row, int side, const char *window_class)
{
    return row->costs[side].components > 0 && row->costs[1 - side].components == 0 &&
           strcmp(row->window_class, window_class) == 0;
}

/* The only row from `first` on that is left over on this side of a class; UM_LAYOUT_DIFF_NONE:
 * there is none, or several. */
static uint32_t find_left_over(const struct um_layout_diff *diff, size_t first, int side,
                               const char *window_class)
{
    uint32_t found = UM_LAYOUT_DIFF_NONE;
    for (size_t i = first; i < diff->row_count; i++) {
        if (!is_left_over(&diff->rows[i], side, window_class))
            continue;
        if (found != UM_LAYOUT_DIFF_NONE)
            return UM_LAYOUT_DIFF_NONE;
        found = (uint32_t)i;
    }
    return found;
}

/* Makes one row of those that are left over on one side each, where only the text has changed. The
 * other row stays, without costs. */
static void join_left_over(struct making *making, size_t first)
{
    struct um_layout_diff *diff = making->diff;
    for (size_t i = first; i < diff->row_count; i++) {
        const char *window_class = diff->rows[i].window_class;
        if (strcmp(window_class, DIALOG) == 0 || find_left_over(diff, first, 0, window_class) != i)
            continue;
        uint32_t other = find_left_over(diff, first, 1, window_class);
        if (other == UM_LAYOUT_DIFF_NONE)
            continue;
        diff->rows[i].costs[1] = diff->rows[other].costs[1];
        diff->rows[other].costs[1] = (struct um_layout_diff_cost){0};
        for (uint32_t id = 0; id < UM_WIRE_LAYOUT_COMPONENTS; id++)
            if (making->row_of[1][id] == other)
                making->row_of[1][id] = (uint32_t)i;
    }
}

/* Makes the rows of the components within a row, or of those with none around them. */
static void place_within(struct making *making, uint32_t parent)
{
    size_t first = making->diff->row_count;
    for (int side = 0; side < 2; side++)
        for (uint32_t id = 1; id < UM_WIRE_LAYOUT_COMPONENTS; id++) {
            const struct um_laid_out_component *component = get(making->sides[side], id);
            if (!component || making->row_of[side][id] != UNPLACED ||
                row_around(making, side, component) != parent)
                continue;
            struct um_layout_diff_row *row = place_row(making, first, parent, component);
            if (!row)
                return;
            making->row_of[side][id] = (uint32_t)(row - making->diff->rows);
            add_cost(&row->costs[side], &component->cost);
        }
    join_left_over(making, first);
}

/* What a row is sorted by. */
static uint64_t most_layout_ns(const struct um_layout_diff_row *row)
{
    return um_ns_max(row->costs[0].layout_ns, row->costs[1].layout_ns);
}

/* Puts the rows that have layout frames in their order, by insertion: there are few of them. */
static void put_in_order(struct making *making)
{
    struct um_layout_diff *diff = making->diff;
    diff->order = calloc(diff->row_count + 1, sizeof diff->order[0]);
    making->failed |= !diff->order;
    for (uint32_t i = 0; i < diff->row_count && !making->failed; i++) {
        const struct um_layout_diff_row *row = &diff->rows[i];
        if (row->costs[0].frames == 0 && row->costs[1].frames == 0)
            continue;
        size_t at = diff->count++;
        for (; at > 0 && most_layout_ns(&diff->rows[diff->order[at - 1]]) < most_layout_ns(row);
             at--)
            diff->order[at] = diff->order[at - 1];
        diff->order[at] = i;
    }
}

enum um_status um_layout_diff_make(struct um_layout_diff *diff, const struct um_laid_out *before,
                                   const struct um_laid_out *after)
{
    if (!before || !after || !um_laid_out_sum(before)->any || !um_laid_out_sum(after)->any)
        return UM_OK;
    struct making *making = calloc(1, sizeof *making);
    if (!making)
        return UM_ERR_MEMORY;
    making->diff = diff;
    making->sides[0] = before;
    making->sides[1] = after;
    for (int side = 0; side < 2; side++)
        for (uint32_t id = 0; id < UM_WIRE_LAYOUT_COMPONENTS; id++)
            making->row_of[side][id] = UNPLACED;
    place_within(making, UM_LAYOUT_DIFF_NONE);
    for (uint32_t row = 0; row < diff->row_count && !making->failed; row++)
        place_within(making, row);
    put_in_order(making);
    bool failed = making->failed;
    free(making);
    return failed ? UM_ERR_MEMORY : UM_OK;
}

void um_layout_diff_deinit(struct um_layout_diff *diff)
{
    free(diff->rows);
    free(diff->order);
    memset(diff, 0, sizeof *diff);
}

double um_layout_diff_ms(const struct um_layout_diff_cost *cost)
{
    return cost->frames > 0
               ? (double)cost->layout_ns / (double)UM_CLOCK_NS_PER_MS / (double)cost->frames
               : 0;
}

double um_layout_diff_ratio(const struct um_layout_diff_row *row)
{
    double before = um_layout_diff_ms(&row->costs[0]);
    return before > 0 ? um_layout_diff_ms(&row->costs[1]) / before : 0;
}
