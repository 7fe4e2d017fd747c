#include "monitor/stats/method_sums.h"

#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/list.h"
#include "base/ns.h"
#include "base/plain/clock.h"

#define ROOT UM_METHOD_SUMS_ROOT
#define NONE UM_CALL_ROWS_NONE
#define MOST_NODES (2 * (size_t)UM_WIRE_METHOD_NODES + 1) /* a thread has at least one call */

/* What is needed only while adding up. */
struct making {
    struct um_method_sums *sums;
    struct um_intern by_name;  /* rows */
    struct um_intern by_place; /* nodes */
    uint32_t row_of[UM_WIRE_METHOD_NUMBERS];
    uint32_t place_of[UM_WIRE_METHOD_NODES]; /* the node of each node of the frames */
    uint32_t *open;                          /* of each row, how many nodes of it are open */
    uint32_t *last;                          /* of each row, the last thread that it was seen on */
    uint32_t *place;                         /* of each row, once the rows are sorted */
    bool failed;
};

/* Adds a node of the frames. */
static void add_call(const struct um_method_sums *sums, struct um_method_sums_costs *sum,
                     const struct um_wire_method_call *call)
{
    sum->calls = um_ns_sum(sum->calls, call->count);
    if (!sums->has_times)
        return;
    sum->ended = um_ns_sum(sum->ended, call->ended);
    sum->wall_ns = um_ns_sum(sum->wall_ns, call->wall_ns);
    sum->self_ns = um_ns_sum(sum->self_ns, call->self_ns);
    if (sums->has_cpu && call->parent == 0)
        sum->cpu_ns = um_ns_sum(sum->cpu_ns, call->cpu_ns);
}

/* Rows ----------------------------------------------------------------------------------------- */

struct wanted_row {
    const struct um_method_sums_row *rows;
    const struct um_method_sums_row *is;
};

static bool is_row(const void *context, uint32_t index)
{
    const struct wanted_row *wanted = context;
    const struct um_method_sums_row *row = &wanted->rows[index];
    return row->is_rest == wanted->is->is_rest && strcmp(row->name, wanted->is->name) == 0 &&
           strcmp(row->module, wanted->is->module) == 0;
}

/* The row of a method, new if it is the first of its name. */
static uint32_t place_row(struct making *making, uint32_t method)
{
    struct um_method_sums *sums = making->sums;
    const struct um_method_sums_row row = {.name = um_methods_name(sums->methods, method),
                                           .module = um_methods_module(sums->methods, method),
                                           .is_rest = method == 0};
    const struct wanted_row wanted = {sums->rows, &row};
    if (making->row_of[method] != NONE)
        return making->row_of[method];
    uint64_t hash = um_intern_mix_text(um_intern_mix_text(row.is_rest, row.name), row.module);
    uint32_t number = um_intern_find(&making->by_name, hash, is_row, &wanted);
    if (number == UM_INTERN_NONE) {
        making->failed |= !um_list_reserve(&sums->rows, &sums->row_room, sums->row_count + 1,
                                           UM_WIRE_METHOD_NUMBERS, sizeof *sums->rows) ||
                          !um_intern_reserve(&making->by_name, 1);
        if (making->failed)
            return NONE;
        number = (uint32_t)sums->row_count++;
        sums->rows[number] = row;
        sums->rows[number].number = number;
        um_intern_add(&making->by_name, hash, number);
    }
    return making->row_of[method] = number;
}

/* Nodes ---------------------------------------------------------------------------------------- */

struct wanted_node {
    const struct um_method_sums_node *nodes;
    uint32_t parent, row, thread;
};

static bool is_node(const void *context, uint32_t index)
{
    const struct wanted_node *wanted = context;
    const struct um_method_sums_node *node = &wanted->nodes[index];
    return node->parent == wanted->parent && node->row == wanted->row &&
           node->thread == wanted->thread && index != ROOT;
}

static uint32_t append_node(struct making *making, uint32_t parent, uint32_t row, uint32_t thread)
{
    struct um_method_sums *sums = making->sums;
    making->failed |= !um_list_reserve(&sums->nodes, &sums->node_room, sums->node_count + 1,
                                       MOST_NODES, sizeof *sums->nodes);
    if (making->failed)
        return NONE;
    uint32_t number = (uint32_t)sums->node_count++;
    sums->nodes[number] = (struct um_method_sums_node){
        .parent = parent, .first = NONE, .next = NONE, .row = row, .thread = thread};
    if (number != ROOT) {
        sums->nodes[number].next = sums->nodes[parent].first;
        sums->nodes[parent].first = number;
    }
    return number;
}

/* The node of a row within another node, new if there is none. */
static uint32_t place_node(struct making *making, uint32_t parent, uint32_t row, uint32_t thread)
{
    const struct wanted_node wanted = {making->sums->nodes, parent, row, thread};
    uint64_t hash = um_intern_mix(um_intern_mix(um_intern_mix(0, parent), row), thread);
    uint32_t found = um_intern_find(&making->by_place, hash, is_node, &wanted);
    if (found != UM_INTERN_NONE)
        return found;
    making->failed |= !um_intern_reserve(&making->by_place, 1);
    if (making->failed)
        return NONE;
    uint32_t number = append_node(making, parent, row, thread);
    if (number != NONE)
        um_intern_add(&making->by_place, hash, number);
    return number;
}

static void place_call(struct making *making, const struct um_wire_method_call *call)
{
    struct um_method_sums *sums = making->sums;
    bool is_within = call->parent != 0 && um_methods_node(sums->methods, call->parent);
    uint32_t parent =
        is_within ? making->place_of[call->parent] : place_node(making, ROOT, NONE, call->thread);
    uint32_t row = making->failed ? NONE : place_row(making, call->method);
    uint32_t node =
        making->failed ? NONE : place_node(making, parent, row, sums->nodes[parent].thread);
    if (making->failed)
        return;
    making->place_of[call->node] = node;
    add_call(sums, &sums->nodes[node].costs, call);
    sums->calls = um_ns_sum(sums->calls, call->count);
}

/* Sums ----------------------------------------------------------------------------------------- */

/* Adds to a sum of costs, but for the wall time. */
static void add_costs(struct um_method_sums_costs *sum, const struct um_method_sums_costs *more)
{
    sum->calls = um_ns_sum(sum->calls, more->calls);
    sum->ended = um_ns_sum(sum->ended, more->ended);
    sum->self_ns = um_ns_sum(sum->self_ns, more->self_ns);
    sum->cpu_ns = um_ns_sum(sum->cpu_ns, more->cpu_ns);
}

static void enter(struct making *making, uint32_t number, uint32_t thread)
{
    struct um_method_sums *sums = making->sums;
    struct um_method_sums_node *node = &sums->nodes[number];
    if (node->row == NONE)
        return;
    struct um_method_sums_row *row = &sums->rows[node->row];
    add_costs(&row->costs, &node->costs);
    if (making->open[node->row]++ == 0)
        row->costs.wall_ns = um_ns_sum(row->costs.wall_ns, node->costs.wall_ns);
    row->threads += making->last[node->row] != thread;
    making->last[node->row] = thread;
    add_costs(&sums->nodes[thread].costs, &node->costs);
    if (node->parent == thread)
        sums->nodes[thread].costs.wall_ns =
            um_ns_sum(sums->nodes[thread].costs.wall_ns, node->costs.wall_ns);
}

/* Goes through the tree of a thread, and adds its nodes to their rows and to the thread. */
static void add_thread(struct making *making, uint32_t thread)
{
    const struct um_method_sums *sums = making->sums;
    uint32_t at = thread;
    for (;;) {
        enter(making, at, thread);
        uint32_t next = sums->nodes[at].first;
        while (next == NONE) { /* up, until there is one beside */
            if (at == thread)
                return;
            making->open[sums->nodes[at].row]--;
            next = sums->nodes[at].next;
            at = sums->nodes[at].parent;
        }
        at = next;
    }
}

/* How long a thread ran in its outermost calls of a method. The CPU time says so for calls that
 * took long enough to have one, and the wall time for shorter ones. Of what has not ended, the
 * calls within say it. */
static uint64_t busy_ns(const struct um_method_sums *sums, const struct um_method_sums_node *node)
{
    const struct um_method_sums_costs *costs = &node->costs;
    bool by_cpu =
        sums->has_cpu && costs->ended > 0 && costs->wall_ns / costs->ended >= UM_CLOCK_NS_PER_MS;
    return um_ns_max(costs->cpu_ns, by_cpu ? 0 : node->weight);
}

/* A node comes after its parent, so sums go from the end to the begin. */
static void weigh_nodes(struct um_method_sums *sums)
{
    for (size_t i = sums->node_count; i-- > 1;) {
        struct um_method_sums_node *node = &sums->nodes[i];
        struct um_method_sums_node *parent = &sums->nodes[node->parent];
        if (node->row == NONE)
            continue;
        node->weight =
            um_ns_max(node->weight, sums->has_times ? node->costs.wall_ns : node->costs.calls);
        parent->weight =
            um_ns_sum(parent->weight, parent->row == NONE ? busy_ns(sums, node) : node->weight);
    }
}

static int compare_rows(const void *left, const void *right)
{
    const struct um_method_sums_row *a = left;
    const struct um_method_sums_row *b = right;
    if (a->costs.self_ns != b->costs.self_ns)
        return a->costs.self_ns > b->costs.self_ns ? -1 : 1;
    if (a->costs.calls != b->costs.calls)
        return a->costs.calls > b->costs.calls ? -1 : 1;
    int by_name = strcmp(a->name, b->name);
    return by_name ? by_name : strcmp(a->module, b->module);
}

static uint32_t first_within(const void *tree, uint32_t node)
{
    const struct um_method_sums *sums = tree;
    return sums->nodes[node].first;
}

static uint32_t next_beside(const void *tree, uint32_t node)
{
    const struct um_method_sums *sums = tree;
    return sums->nodes[node].next;
}

static bool is_before(const void *tree, uint32_t a, uint32_t b)
{
    const struct um_method_sums *sums = tree;
    const struct um_method_sums_node *left = &sums->nodes[a], *right = &sums->nodes[b];
    if (left->weight != right->weight)
        return left->weight > right->weight;
    return left->costs.calls != right->costs.calls ? left->costs.calls > right->costs.calls : a < b;
}

static uint64_t weigh(const void *tree, uint32_t node)
{
    const struct um_method_sums *sums = tree;
    return sums->nodes[node].weight;
}

struct um_call_rows um_method_sums_rows(const struct um_method_sums *sums)
{
    return (struct um_call_rows){.tree = sums,
                                 .first = first_within,
                                 .next = next_beside,
                                 .is_before = is_before,
                                 .weigh = weigh};
}

/* Making --------------------------------------------------------------------------------------- */

static void place_calls(struct making *making)
{
    const struct um_methods *methods = making->sums->methods;
    uint32_t end = um_methods_node_end(methods);
    for (size_t i = 0; i < UM_WIRE_METHOD_NUMBERS; i++)
        making->row_of[i] = NONE;
    append_node(making, ROOT, NONE, 0);
    for (uint32_t i = 0; i < end && !making->failed; i++) {
        const struct um_wire_method_call *call = um_methods_node(methods, i);
        if (call)
            place_call(making, call);
    }
}

static void sort_rows(struct making *making)
{
    struct um_method_sums *sums = making->sums;
    if (sums->row_count > 0)
        qsort(sums->rows, sums->row_count, sizeof *sums->rows, compare_rows);
    for (uint32_t i = 0; i < sums->row_count; i++)
        making->place[sums->rows[i].number] = i;
    for (size_t i = 0; i < sums->node_count; i++)
        if (sums->nodes[i].row != NONE)
            sums->nodes[i].row = making->place[sums->nodes[i].row];
}

static void add_up(struct making *making)
{
    struct um_method_sums *sums = making->sums;
    making->open = calloc(sums->row_count + 1, sizeof *making->open);
    making->last = calloc(sums->row_count + 1, sizeof *making->last);
    making->place = calloc(sums->row_count + 1, sizeof *making->place);
    making->failed |= !making->open || !making->last || !making->place;
    if (making->failed)
        return;
    for (uint32_t at = sums->nodes[ROOT].first; at != NONE; at = sums->nodes[at].next)
        add_thread(making, at);
    weigh_nodes(sums);
    sort_rows(making);
}

/* Whether each call since the program's start is in the row of its method. */
static bool is_exact(const struct um_method_sums *sums)
{
    const struct um_methods_head *head = um_methods_head(sums->methods);
    for (size_t i = 0; i < sums->row_count; i++)
        if (sums->rows[i].is_rest)
            return false;
    return sums->row_count > 0 && head->told && head->latest.rounds == 1 && !head->latest.on &&
           head->latest.rest == 0 && head->left_out == 0;
}

enum um_status um_method_sums_make(struct um_method_sums *sums, const struct um_methods *methods)
{
    const struct um_wire_methods *latest = &um_methods_head(methods)->latest;
    struct making *making = calloc(1, sizeof *making);
    *sums = (struct um_method_sums){.methods = methods};
    if (!making)
        return UM_ERR_MEMORY;
    sums->has_times = latest->depth == UM_METHODS_DEPTH_TIMES;
    sums->has_cpu = sums->has_times && latest->has_cpu;
    making->sums = sums;
    place_calls(making);
    if (!making->failed)
        add_up(making);
    sums->is_exact = is_exact(sums);
    bool failed = making->failed;
    um_intern_deinit(&making->by_name);
    um_intern_deinit(&making->by_place);
    free(making->open);
    free(making->last);
    free(making->place);
    free(making);
    return failed ? UM_ERR_MEMORY : UM_OK;
}

void um_method_sums_deinit(struct um_method_sums *sums)
{
    free(sums->rows);
    free(sums->nodes);
    *sums = (struct um_method_sums){.methods = NULL};
}
