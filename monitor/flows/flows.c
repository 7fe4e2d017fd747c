#include "monitor/flows/flows.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "monitor/flows/runs.h"

/* A field that mentions a flow. */
struct mention {
    int64_t at_ns;
    uint32_t order; /* among those at that time */
    uint32_t marker;
    union {
        uint32_t field; /* at first, ... */
        uint32_t flow;  /* ...and when the mention was taken */
    } as;
};

static bool is_mentioned_before(const void *b, const void *a, const void *context)
{
    const struct mention *second = b, *first = a;
    (void)context;
    return second->at_ns != first->at_ns ? second->at_ns < first->at_ns
                                         : second->order < first->order;
}

static size_t count_mentions(const struct um_markers *markers)
{
    size_t count = 0;
    for (size_t i = 0; i < markers->field_count; i++)
        count += um_markers_is_flow(&markers->fields[i]);
    return count;
}

/* Of an id the last flow that began. */
struct latest {
    uint32_t flow;     /* and 1; 0: there is none yet */
    uint32_t ended_by; /* the marker that ended it, and 1; 0: it is active */
};

/* What is needed while the mentions are taken. */
struct taking {
    struct um_flows *flows;
    struct mention *list;
    size_t count;
    bool may_repeat;       /* a marker has several, so it may be in a flow twice */
    struct latest *latest; /* for each id */
};

/* Lists the mentions of one kind of a marker. Returns the end of the list. */
static struct mention *list_kind(struct taking *taking, uint32_t number,
                                 enum um_marker_field_kind kind, struct mention *end)
{
    const struct um_markers *markers = taking->flows->markers;
    const struct um_marker *marker = &markers->list[number];
    for (uint32_t k = 0; k < marker->field_count; k++) {
        const struct um_marker_field *field = &markers->fields[marker->first_field + k];
        if (field->kind != kind)
            continue;
        taking->may_repeat |= end > taking->list && end[-1].marker == number;
        *end++ = (struct mention){field->at_ns, field->order, number, {marker->first_field + k}};
    }
    return end;
}

/* False without memory. */
static bool list_mentions(struct taking *taking)
{
    struct mention *end = taking->list = calloc(taking->count + 1, sizeof *taking->list);
    if (!end)
        return false;
    for (uint32_t i = 0; i < taking->flows->markers->count; i++) {
        end = list_kind(taking, i, UM_MARKER_FLOW, end);
        end = list_kind(taking, i, UM_MARKER_TERMINATING_FLOW, end);
    }
    return um_runs_sort(taking->list, taking->count, sizeof *taking->list, is_mentioned_before,
                        NULL);
}

/* Flows ---------------------------------------------------------------------------------------- */

static bool add_flow(struct taking *taking, const struct mention *mention, uint32_t id)
{
    struct um_flows *flows = taking->flows;
    size_t count = flows->count + 1;
    if (!um_list_reserve(&flows->list, &flows->room, count, UM_FLOWS_NONE, sizeof *flows->list))
        return false;
    flows->list[flows->count++] = (struct um_flow){.start_ns = mention->at_ns, .id = id};
    taking->latest[id] = (struct latest){.flow = (uint32_t)count};
    return true;
}

/* Makes a marker a member of the flow. If the last mention of the flow was the same marker's, it is
 * a member already, and this mention no longer counts for list_members. */
static void join(struct taking *taking, struct mention *mention, uint32_t number)
{
    struct um_flow *flow = &taking->flows->list[number];
    flow->last_ns = mention->at_ns;
    taking->flows->of_field[mention->as.field] = number;
    mention->as.flow = number;
    if (flow->joined == mention->marker + 1) {
        mention->marker = UM_MARKERS_NONE;
        return;
    }
    flow->joined = mention->marker + 1;
    flow->count++;
}

/* Whether a mention joins the last flow of its id. A marker may end a flow in several fields. */
static bool is_of_latest(const struct taking *taking, const struct mention *mention, uint32_t id)
{
    const struct latest *latest = &taking->latest[id];
    if (latest->flow == 0 || latest->ended_by == 0)
        return latest->flow != 0;
    return latest->ended_by == mention->marker + 1 &&
           taking->flows->list[latest->flow - 1].last_ns == mention->at_ns;
}

static bool take_mentions(struct taking *taking)
{
    const struct um_markers *markers = taking->flows->markers;
    for (size_t i = 0; i < taking->count; i++) {
        struct mention *mention = &taking->list[i];
        const struct um_marker_field *field = &markers->fields[mention->as.field];
        uint32_t id = (uint32_t)field->value, marker = mention->marker;
        if (!is_of_latest(taking, mention, id) && !add_flow(taking, mention, id))
            return false;
        join(taking, mention, taking->latest[id].flow - 1);
        if (field->kind == UM_MARKER_TERMINATING_FLOW)
            taking->latest[id].ended_by = marker + 1;
    }
    return true;
}

/* Writes the markers of each flow one after the other. */
static void list_members(const struct taking *taking)
{
    struct um_flows *flows = taking->flows;
    uint32_t first = 0;
    for (size_t i = 0; i < flows->count; i++) {
        flows->list[i].first = first;
        first += flows->list[i].count;
        flows->list[i].count = 0;
    }
    for (size_t i = 0; i < taking->count; i++) {
        const struct mention *mention = &taking->list[i];
        struct um_flow *flow = &flows->list[mention->as.flow];
        if (mention->marker != UM_MARKERS_NONE)
            flows->members[flow->first + flow->count++] = mention->marker;
    }
}

/* A marker that mentions a flow at several times is a member once, from the first of them on. False
 * without memory. */
static bool keep_members_once(struct um_flows *flows)
{
    uint32_t *seen = calloc(flows->markers->count + 1, sizeof *seen); /* the last flow, and 1 */
    for (uint32_t i = 0; seen && i < flows->count; i++) {
        struct um_flow *flow = &flows->list[i];
        uint32_t *members = flows->members + flow->first, kept = 0;
        for (uint32_t k = 0; k < flow->count; k++)
            if (seen[members[k]] != i + 1) {
                seen[members[k]] = i + 1;
                members[kept++] = members[k];
            }
        flow->count = kept;
    }
    bool has_memory = seen != NULL;
    free(seen);
    return has_memory;
}

static void find_ends(struct um_flows *flows)
{
    for (size_t i = 0; i < flows->count; i++) {
        struct um_flow *flow = &flows->list[i];
        uint32_t last = flows->members[flow->first + flow->count - 1];
        int64_t end_ns = flows->markers->list[last].end_ns;
        /* A marker from before that one may have mentioned the flow later. */
        flow->end_ns = end_ns > flow->last_ns ? end_ns : flow->last_ns;
    }
}

static bool sort_by_id(struct um_flows *flows)
{
    size_t ids = flows->markers->flow_ids.count;
    flows->by_id = calloc(flows->count + 1, sizeof *flows->by_id);
    flows->by_id_first = calloc(ids + 2, sizeof *flows->by_id_first);
    if (!flows->by_id || !flows->by_id_first)
        return false;
    /* Each id's place counts up while its flows are filled in, so it begins one place further. */
    uint32_t *place = flows->by_id_first + 1;
    for (size_t i = 0; i < flows->count; i++)
        place[flows->list[i].id + 1]++;
    for (size_t i = 1; i <= ids; i++)
        place[i] += place[i - 1];
    for (size_t i = 0; i < flows->count; i++)
        flows->by_id[place[flows->list[i].id]++] = (uint32_t)i;
    return true;
}

static bool find_flows(struct um_flows *flows)
{
    const struct um_markers *markers = flows->markers;
    struct taking taking = {.flows = flows, .count = count_mentions(markers)};
    size_t fields_bytes = (markers->field_count + 1) * sizeof *flows->of_field;
    taking.latest = calloc(markers->flow_ids.count + 1, sizeof *taking.latest);
    flows->members = calloc(taking.count + 1, sizeof *flows->members);
    flows->of_field = malloc(fields_bytes);
    bool found = list_mentions(&taking) && taking.latest && flows->members && flows->of_field;
    if (found) {
        memset(flows->of_field, 0xff, fields_bytes); /* UM_FLOWS_NONE */
        found = take_mentions(&taking);
    }
    if (found)
        list_members(&taking);
    free(taking.list);
    free(taking.latest);
    if (!found || (taking.may_repeat && !keep_members_once(flows)))
        return false;
    find_ends(flows);
    return sort_by_id(flows);
}

/* Contexts ------------------------------------------------------------------------------------- */

static bool is_on_stack(const struct um_flows *flows, uint32_t number)
{
    const struct um_marker *marker = &flows->markers->list[number];
    if (!marker->stack_based)
        return false;
    for (uint32_t k = 0; k < marker->field_count; k++)
        if (um_markers_is_flow(&flows->markers->fields[marker->first_field + k]))
            return true;
    return false;
}

/* Those that begin together: the longest first, because it contains the others, and before that
 * those whose end was not seen, because none of the others contains them. */
static bool is_outside(const void *b, const void *a, const void *context)
{
    const struct um_marker *list = context;
    const struct um_marker *second = &list[*(const uint32_t *)b],
                           *first = &list[*(const uint32_t *)a];
    if (second->thread != first->thread || second->start_ns != first->start_ns)
        return false;
    return first->open || second->open ? second->open && !first->open
                                       : second->end_ns > first->end_ns;
}

/* `stack` has the intervals around what comes next, the innermost one last. An interval that ends
 * before a later one does cannot contain what begins after that, or the later one does, too. One
 * whose end was not seen lies within what ran when it began, and contains nothing. */
static void find_contexts_of(struct um_flows *flows, const uint32_t *order, size_t count,
                             uint32_t *stack)
{
    const struct um_marker *list = flows->markers->list;
    size_t depth = 0;
    for (size_t i = 0; i < count; i++) {
        const struct um_marker *marker = &list[order[i]];
        while (depth > 0 && (list[stack[depth - 1]].thread != marker->thread ||
                             list[stack[depth - 1]].end_ns < marker->start_ns))
            depth--;
        size_t around = depth;
        while (around > 0 && !marker->open && list[stack[around - 1]].end_ns < marker->end_ns)
            around--;
        if (around > 0)
            flows->context[order[i]] = stack[around - 1];
        if (marker->interval && !marker->open) {
            depth = around;
            stack[depth++] = order[i];
        }
    }
}

static bool list_within(struct um_flows *flows)
{
    size_t count = flows->markers->count;
    flows->within = calloc(count + 1, sizeof *flows->within);
    flows->within_first = calloc(count + 2, sizeof *flows->within_first);
    if (!flows->within || !flows->within_first)
        return false;
    uint32_t *place = flows->within_first + 1; /* as in sort_by_id */
    for (size_t i = 0; i < count; i++)
        if (flows->context[i] != UM_MARKERS_NONE)
            place[flows->context[i] + 1]++;
    for (size_t i = 1; i <= count; i++)
        place[i] += place[i - 1];
    for (size_t i = 0; i < count; i++)
        if (flows->context[i] != UM_MARKERS_NONE)
            flows->within[place[flows->context[i]]++] = (uint32_t)i;
    return true;
}

static bool find_contexts(struct um_flows *flows)
{
    size_t count = flows->markers->count, on_stack = 0;
    uint32_t *order = calloc(count + 1, sizeof *order);
    uint32_t *stack = calloc(count + 1, sizeof *stack);
    flows->context = malloc((count + 1) * sizeof *flows->context);
    bool found = order && stack && flows->context;
    if (found) {
        memset(flows->context, 0xff, (count + 1) * sizeof *flows->context);
        for (uint32_t i = 0; i < count; i++)
            if (is_on_stack(flows, i))
                order[on_stack++] = i;
        found = um_runs_sort(order, on_stack, sizeof *order, is_outside, flows->markers->list);
    }
    if (found)
        find_contexts_of(flows, order, on_stack, stack);
    free(order);
    free(stack);
    return found && list_within(flows);
}

enum um_status um_flows_init(struct um_flows *flows, const struct um_markers *markers)
{
    *flows = (struct um_flows){.markers = markers};
    return find_flows(flows) && find_contexts(flows) ? UM_OK : UM_ERR_MEMORY;
}

void um_flows_deinit(struct um_flows *flows)
{
    free(flows->list);
    free(flows->members);
    free(flows->of_field);
    free(flows->by_id);
    free(flows->by_id_first);
    free(flows->context);
    free(flows->within);
    free(flows->within_first);
    *flows = (struct um_flows){0};
}

/* Questions ------------------------------------------------------------------------------------ */

uint32_t um_flows_of_field(const struct um_flows *flows, size_t field)
{
    return flows->of_field[field];
}

/* Whether an open marker mentions the flow at its end, and that is the flow's. */
static bool ends_with_open(const struct um_flows *flows, uint32_t number, uint32_t marker)
{
    const struct um_marker *of = &flows->markers->list[marker];
    for (uint32_t k = 0; k < of->field_count && of->open; k++)
        if (flows->of_field[of->first_field + k] == number &&
            flows->markers->fields[of->first_field + k].at_ns == of->end_ns)
            return of->end_ns == flows->list[number].end_ns;
    return false;
}

bool um_flows_is_open(const struct um_flows *flows, uint32_t number)
{
    const struct um_flow *flow = &flows->list[number];
    const uint32_t *members = flows->members + flow->first;
    const struct um_marker *last = &flows->markers->list[members[flow->count - 1]];
    bool is_open = last->open;
    /* Where a marker from before the last one ends the flow, all of them may be that one. */
    for (uint32_t i = 0; i < flow->count && !is_open && last->end_ns < flow->last_ns; i++)
        is_open = ends_with_open(flows, number, members[i]);
    return is_open;
}

uint32_t um_flows_context(const struct um_flows *flows, uint32_t marker)
{
    return flows->context[marker];
}

const uint32_t *um_flows_within(const struct um_flows *flows, uint32_t marker, size_t *count)
{
    *count = flows->within_first[marker + 1] - flows->within_first[marker];
    return flows->within + flows->within_first[marker];
}

const uint32_t *um_flows_of_id(const struct um_flows *flows, uint32_t id, size_t *count)
{
    *count = flows->by_id_first[id + 1] - flows->by_id_first[id];
    return flows->by_id + flows->by_id_first[id];
}

uint32_t um_flows_at(const struct um_flows *flows, uint32_t id, int64_t from_ns, int64_t until_ns)
{
    size_t count;
    const uint32_t *list = um_flows_of_id(flows, id, &count);
    size_t low = 0, high = count; /* how many begin by `until_ns` */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (flows->list[list[middle]].start_ns <= until_ns)
            low = middle + 1;
        else
            high = middle;
    }
    /* One that began earlier may last longer, if its last marker is an interval. */
    while (low > 0 && flows->list[list[low - 1]].end_ns < from_ns)
        low--;
    return low > 0 ? list[low - 1] : UM_FLOWS_NONE;
}

struct length {
    int64_t ns;
    uint32_t flow;
};

static int by_length(const void *a, const void *b)
{
    const struct length *x = a, *y = b;
    if (x->ns != y->ns)
        return x->ns < y->ns ? 1 : -1;
    return (x->flow > y->flow) - (x->flow < y->flow);
}

enum um_status um_flows_longest(const struct um_flows *flows, uint32_t **list)
{
    struct length *lengths = calloc(flows->count + 1, sizeof *lengths);
    uint32_t *sorted = calloc(flows->count + 1, sizeof *sorted);
    if (!lengths || !sorted) {
        free(lengths);
        free(sorted);
        return UM_ERR_MEMORY;
    }
    for (uint32_t i = 0; i < flows->count; i++)
        lengths[i] = (struct length){flows->list[i].end_ns - flows->list[i].start_ns, i};
    qsort(lengths, flows->count, sizeof *lengths, by_length);
    for (size_t i = 0; i < flows->count; i++)
        sorted[i] = lengths[i].flow;
    free(lengths);
    *list = sorted;
    return UM_OK;
}

/* A growing list of flows, with some of them more than once. */
struct kin {
    const struct um_flows *flows;
    uint32_t itself; /* is not listed */
    uint8_t *seen;   /* a set of enum seen for each marker; NULL: that is not kept */
    uint32_t *list;
    size_t count, room;
    size_t steps; /* so many markers and fields may be looked at still */
    bool is_cut;  /* there were more */
    bool failed;
};

enum seen { FLOWS_SEEN = 1, WITHIN_SEEN = 2 };

/* Whether this is the first time that a part of a marker is looked at. */
static bool is_first_look(struct kin *kin, uint32_t marker, enum seen part)
{
    if (!kin->seen)
        return true;
    bool is_first = (kin->seen[marker] & part) == 0;
    kin->seen[marker] |= (uint8_t)part;
    return is_first;
}

/* Whether one more may be looked at. */
static bool take_step(struct kin *kin)
{
    kin->is_cut |= kin->steps == 0;
    kin->steps -= kin->steps > 0;
    return !kin->is_cut;
}

/* Adds the flows of a marker. */
static void add_kin(struct kin *kin, uint32_t number)
{
    const struct um_marker *marker = &kin->flows->markers->list[number];
    if (!is_first_look(kin, number, FLOWS_SEEN))
        return;
    for (uint32_t k = 0; k < marker->field_count && take_step(kin); k++) {
        uint32_t flow = kin->flows->of_field[marker->first_field + k];
        if (flow == UM_FLOWS_NONE || flow == kin->itself)
            continue;
        if (!um_list_reserve(&kin->list, &kin->room, kin->count + 1, UM_FLOWS_NONE,
                             sizeof *kin->list)) {
            kin->failed = true;
            return;
        }
        kin->list[kin->count++] = flow;
    }
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Sorts a list and keeps each number once. Returns how many there are. The flows of one marker are
 * most often sorted. */
static size_t keep_each_once(uint32_t *list, size_t count)
{
    size_t kept = 0, sorted = 1;
    while (sorted < count && list[sorted - 1] <= list[sorted])
        sorted++;
    if (sorted < count)
        qsort(list, count, sizeof *list, by_number);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || list[kept - 1] != list[i])
            list[kept++] = list[i];
    return kept;
}

/* Many members may have the same context, and that may have many flows: it is looked at once. */
static void add_incoming(struct kin *kin, const uint32_t *members, uint32_t count)
{
    uint32_t *contexts = calloc(count + (size_t)1, sizeof *contexts);
    size_t found = 0;
    kin->failed |= !contexts;
    for (uint32_t i = 0; contexts && i < count; i++)
        if (kin->flows->context[members[i]] != UM_MARKERS_NONE)
            contexts[found++] = kin->flows->context[members[i]];
    if (contexts)
        found = keep_each_once(contexts, found);
    for (size_t i = 0; i < found && take_step(kin); i++)
        add_kin(kin, contexts[i]);
    free(contexts);
}

static void add_outgoing(struct kin *kin, uint32_t marker)
{
    size_t count;
    const uint32_t *within = um_flows_within(kin->flows, marker, &count);
    if (!is_first_look(kin, marker, WITHIN_SEEN))
        return;
    for (size_t i = 0; i < count && take_step(kin); i++)
        add_kin(kin, within[i]);
}

/* Gives the list to the caller. */
static enum um_status finish(struct kin *kin, uint32_t **list, size_t *count)
{
    if (kin->failed) {
        free(kin->list);
        return UM_ERR_MEMORY;
    }
    *list = kin->list;
    *count = keep_each_once(kin->list, kin->count);
    return UM_OK;
}

enum um_status um_flows_of_marker(const struct um_flows *flows, uint32_t marker, uint32_t **list,
                                  size_t *count)
{
    struct kin kin = {.flows = flows, .itself = UM_FLOWS_NONE, .steps = SIZE_MAX};
    add_kin(&kin, marker);
    return finish(&kin, list, count);
}

static void add_all(struct kin *kin, enum um_flows_kin which)
{
    const struct um_flow *of = &kin->flows->list[kin->itself];
    const uint32_t *members = kin->flows->members + of->first;
    if (which == UM_FLOWS_INCOMING)
        add_incoming(kin, members, of->count);
    for (uint32_t i = 0; i < of->count && which == UM_FLOWS_CONNECTED; i++)
        add_kin(kin, members[i]);
    for (uint32_t i = 0; i < of->count && which == UM_FLOWS_OUTGOING; i++)
        add_outgoing(kin, members[i]);
}

static enum um_status list_kin(const struct um_flows *flows, uint32_t flow, enum um_flows_kin which,
                               uint8_t *seen, uint32_t **list, size_t *count)
{
    struct kin kin = {.flows = flows, .itself = flow, .seen = seen, .steps = SIZE_MAX};
    add_all(&kin, which);
    return finish(&kin, list, count);
}

enum um_status um_flows_kin(const struct um_flows *flows, uint32_t flow, enum um_flows_kin which,
                            uint32_t **list, size_t *count)
{
    return list_kin(flows, flow, which, NULL, list, count);
}

enum um_status um_flows_new_kin(const struct um_flows *flows, uint32_t flow,
                                enum um_flows_kin which, uint8_t *seen, uint32_t **list,
                                size_t *count)
{
    return list_kin(flows, flow, which, seen, list, count);
}

enum um_status um_flows_some_kin(const struct um_flows *flows, uint32_t flow,
                                 enum um_flows_kin which, size_t *steps, uint32_t **list,
                                 size_t *count, bool *is_whole)
{
    struct kin kin = {.flows = flows, .itself = flow, .steps = *steps};
    add_all(&kin, which);
    *steps = kin.steps;
    *is_whole = !kin.is_cut;
    return finish(&kin, list, count);
}
