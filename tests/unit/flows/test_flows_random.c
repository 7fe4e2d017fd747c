/* Flows of random markers, against a search that is slow and obvious: it looks through everything
 * for each question. */
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/random.h"
#include "monitor/flows/flows.h"
#include "monitor/flows/flows_near.h"

#define SETS 10000
#define MARKERS 24
#define FIELDS 3
#define MENTIONS (MARKERS * FIELDS)

static unsigned seed;
static struct um_random generator;

static uint32_t below(uint32_t most)
{
    return um_random_below(&generator, most);
}

struct mention {
    uint32_t marker, id, flow;
    int64_t at_ns;
    int place;       /* among those at that time: 0 begins a flow, 1 goes on with it, 2 ends it */
    uint32_t thread; /* of its marker, and when that starts */
    int64_t start_ns;
};

/* The mentions as they were added, each with the place of its marker among those added. */
static struct mention added[MENTIONS];
static size_t added_count;
static bool has_orders; /* each is given its place, as readers do whose files say it */

static void add_mention(struct um_markers *markers, uint32_t marker, int64_t at_ns)
{
    static const char *const ids[] = {"a", "b", "c", "d", "e"};
    struct mention *mention = &added[added_count++];
    *mention = (struct mention){.marker = marker,
                                .id = below(5),
                                .at_ns = at_ns,
                                .place = (int)below(3),
                                .thread = markers->list[marker].thread,
                                .start_ns = markers->list[marker].start_ns};
    uint32_t order = (uint32_t)((size_t)mention->place * MENTIONS + added_count);
    um_markers_flow_at(markers, "",
                       mention->place == 2 ? UM_MARKER_TERMINATING_FLOW : UM_MARKER_FLOW,
                       ids[mention->id], at_ns, has_orders ? order : 0);
}

/* Few times, ids and threads, so that ties, ids used again and cycles are frequent. A marker's name
 * is its place among those added. */
static void make_markers(struct um_markers *markers)
{
    uint32_t threads = 1 + below(3), count = below(MARKERS + 1);
    added_count = 0;
    has_orders = below(2) != 0;
    for (uint32_t i = 0; i < threads; i++)
        um_markers_thread(markers, "", "", "", 0);
    for (uint32_t i = 0; i < count; i++) {
        int64_t start = below(20), end = start + below(8);
        bool is_interval = below(2) != 0;
        char name[16];
        snprintf(name, sizeof name, "%u", i);
        if (is_interval)
            um_markers_interval(markers, below(threads), name, "", start, end)->open =
                below(5) == 0;
        else
            um_markers_instant(markers, below(threads), name, "", start);
        markers->list[i].stack_based = below(4) != 0;
        for (uint32_t k = below(FIELDS + 1); k > 0; k--)
            add_mention(markers, i, below(4) ? start : is_interval ? end : below(28));
    }
    cr_assert_eq(um_markers_finish(markers), UM_OK);
}

/* The obvious search -------------------------------------------------------------------------- */

/* The place of a marker among those added. */
static uint32_t place_of(const struct um_markers *markers, uint32_t marker)
{
    return (uint32_t)atoi(um_markers_get_text(markers, markers->list[marker].name));
}

/* Whether the markers are by thread, by start, and then as they were added. */
static void expect_order(const struct um_markers *markers)
{
    for (uint32_t i = 1; i < markers->count; i++) {
        const struct um_marker *a = &markers->list[i - 1], *b = &markers->list[i];
        bool is_sorted = a->thread != b->thread ? a->thread < b->thread
                         : a->start_ns != b->start_ns
                             ? a->start_ns < b->start_ns
                             : place_of(markers, i - 1) < place_of(markers, i);
        cr_assert(is_sorted, "seed %u: marker %u", seed, i);
    }
}

static bool is_before(const struct mention *a, const struct mention *b)
{
    if (a->at_ns != b->at_ns)
        return a->at_ns < b->at_ns;
    if (has_orders)
        return a->place < b->place;
    if (a->marker == b->marker)
        return a->place != 2 && b->place == 2;
    return a->thread != b->thread ? a->thread < b->thread : a->start_ns < b->start_ns;
}

/* Copies what was added, in its order, and of equal ones as they were added. */
static size_t list_mentions(const struct um_markers *markers, struct mention *list)
{
    uint32_t now[MARKERS];
    for (uint32_t i = 0; i < markers->count; i++)
        now[place_of(markers, i)] = i;
    for (size_t i = 0; i < added_count; i++) {
        size_t k = i;
        for (; k > 0 && is_before(&added[i], &list[k - 1]); k--)
            list[k] = list[k - 1];
        list[k] = added[i];
    }
    for (size_t i = 0; i < added_count; i++)
        list[i].marker = now[list[i].marker];
    return added_count;
}

/* Numbers the flows: a mention goes on with the one before it of the same id, unless that ended in
 * another marker or at another time. */
static uint32_t number_flows(struct mention *list, size_t count)
{
    uint32_t flows = 0;
    for (size_t i = 0; i < count; i++) {
        size_t before = i;
        while (before > 0 && list[before - 1].id != list[i].id)
            before--;
        bool goes_on = before > 0 &&
                       (list[before - 1].place != 2 || (list[before - 1].marker == list[i].marker &&
                                                        list[before - 1].at_ns == list[i].at_ns));
        list[i].flow = goes_on ? list[before - 1].flow : flows++;
    }
    return flows;
}

static bool is_in(const struct mention *list, size_t count, uint32_t marker, uint32_t flow)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].marker == marker && list[i].flow == flow)
            return true;
    return false;
}

static bool is_on_stack(const struct um_markers *markers, uint32_t marker)
{
    return markers->list[marker].stack_based && markers->list[marker].field_count > 0;
}

/* What never ended contains nothing, and lies within what ran already when it began. */
static bool contains(const struct um_markers *markers, uint32_t outer, uint32_t inner)
{
    const struct um_marker *a = &markers->list[outer], *b = &markers->list[inner];
    if (outer == inner || a->thread != b->thread || !a->interval || a->open)
        return false;
    if (b->open)
        return a->start_ns < b->start_ns && a->end_ns >= b->start_ns;
    if (a->start_ns > b->start_ns || a->end_ns < b->end_ns)
        return false;
    /* What are the same interval, or begin together with one that has no length, are in the order
     * in which they were added. */
    return a->start_ns != b->start_ns || a->end_ns != b->end_ns ||
           place_of(markers, outer) < place_of(markers, inner);
}

/* The one of those around a marker that lies within all the others. */
static uint32_t context_of(const struct um_markers *markers, uint32_t marker)
{
    uint32_t closest = UM_MARKERS_NONE;
    for (uint32_t i = 0; i < markers->count; i++)
        if (is_on_stack(markers, marker) && is_on_stack(markers, i) &&
            contains(markers, i, marker) &&
            (closest == UM_MARKERS_NONE || contains(markers, closest, i) ||
             markers->list[i].start_ns > markers->list[closest].start_ns))
            closest = i;
    return closest;
}

/* Comparing ----------------------------------------------------------------------------------- */

/* The end is that of the last marker, or of a mention. Any of those at that time may be open. */
static bool is_open(const struct um_flows *flows, const struct um_markers *markers,
                    const struct mention *list, size_t count, uint32_t number)
{
    const struct um_flow *flow = &flows->list[number];
    const struct um_marker *last = &markers->list[flows->members[flow->first + flow->count - 1]];
    bool found = last->open;
    for (size_t i = 0; i < count && last->end_ns < flow->end_ns; i++) {
        const struct um_marker *marker = &markers->list[list[i].marker];
        found |= list[i].flow == number && list[i].at_ns == flow->end_ns && marker->open &&
                 marker->end_ns == flow->end_ns;
    }
    return found;
}

static void expect_members(const struct um_flows *flows, const struct um_markers *markers,
                           const struct mention *list, size_t count, uint32_t number)
{
    const struct um_flow *flow = &flows->list[number];
    uint32_t at = 0;
    int64_t mentioned_ns = 0;
    for (size_t i = 0; i < count; i++) {
        if (list[i].flow == number)
            mentioned_ns = list[i].at_ns;
        if (list[i].flow != number || is_in(list, i, list[i].marker, number))
            continue;
        cr_assert(at < flow->count && flows->members[flow->first + at] == list[i].marker,
                  "seed %u: flow %u", seed, number);
        at++;
    }
    cr_assert_eq(at, flow->count);
    int64_t end_ns = markers->list[flows->members[flow->first + at - 1]].end_ns;
    cr_assert_eq(flow->end_ns, mentioned_ns > end_ns ? mentioned_ns : end_ns);
    cr_assert_eq(um_flows_is_open(flows, number), is_open(flows, markers, list, count, number),
                 "seed %u: flow %u", seed, number);
}

static uint32_t contexts[MARKERS];
static unsigned kins_of[MENTIONS][MENTIONS]; /* of a flow and another one, a bit each */

static bool is_kin(const struct um_markers *markers, const struct mention *list, size_t count,
                   uint32_t of, enum um_flows_kin kin, uint32_t other)
{
    for (uint32_t a = 0; a < markers->count; a++)
        for (uint32_t b = 0; b < markers->count; b++) {
            bool touches = kin == UM_FLOWS_CONNECTED  ? a == b
                           : kin == UM_FLOWS_INCOMING ? contexts[a] == b
                                                      : contexts[b] == a;
            if (touches && is_in(list, count, a, of) && is_in(list, count, b, other))
                return true;
        }
    return false;
}

static void expect_kin(const struct um_flows *flows, const struct um_markers *markers,
                       const struct mention *mentions, size_t count, uint32_t of)
{
    memset(kins_of[of], 0, sizeof kins_of[of]);
    for (int kin = UM_FLOWS_INCOMING; kin <= UM_FLOWS_OUTGOING; kin++) {
        uint32_t *list;
        size_t found, at = 0;
        cr_assert_eq(um_flows_kin(flows, of, (enum um_flows_kin)kin, &list, &found), UM_OK);
        for (uint32_t other = 0; other < flows->count; other++)
            if (other != of &&
                is_kin(markers, mentions, count, of, (enum um_flows_kin)kin, other)) {
                cr_assert(at < found && list[at] == other, "seed %u: kin %d of %u: %u", seed, kin,
                          of, other);
                kins_of[of][other] |= 1U << kin;
                at++;
            }
        cr_assert_eq(at, found, "seed %u: kin %d of %u", seed, kin, of);
        free(list);
    }
}

/* How far each flow is from one, by `kins_of`; UINT32_MAX: it is not around it. */
static void find_steps(size_t count, uint32_t of, uint32_t steps[MENTIONS])
{
    for (size_t i = 0; i < count; i++)
        steps[i] = i == of ? 0 : UINT32_MAX;
    for (uint32_t step = 0; step < count; step++)
        for (size_t i = 0; i < count; i++)
            for (size_t k = 0; k < count && steps[i] == step; k++)
                if (kins_of[i][k] && steps[k] > step + 1)
                    steps[k] = step + 1;
}

/* Incoming ones come first, then itself, then the others, the nearest first. */
static void expect_near(const struct um_flows *flows, uint32_t of, uint32_t most)
{
    uint32_t steps[MENTIONS], last = 0;
    struct um_flows_near *list;
    size_t found, expected = 0;
    bool is_behind = false;
    find_steps(flows->count, of, steps);
    for (size_t i = 0; i < flows->count; i++)
        expected += steps[i] <= most;
    cr_assert_eq(um_flows_near_find(flows, of, most, &list, &found), UM_OK);
    cr_assert_eq(found, expected, "seed %u: %u steps around %u", seed, most, of);
    for (size_t i = 0; i < found; i++) {
        const struct um_flows_near *near = &list[i];
        cr_assert_eq(near->steps, steps[near->flow], "seed %u: %u of %u", seed, near->flow, of);
        cr_assert_eq(near->kins, near->steps == 1 ? kins_of[of][near->flow] : 0);
        is_behind |= near->steps == 0;
        bool is_incoming = (near->kins & 1U << UM_FLOWS_INCOMING) != 0;
        cr_assert(is_behind != is_incoming, "seed %u", seed);
        cr_assert(!is_behind || near->steps >= last, "seed %u", seed);
        last = is_behind ? near->steps : 0;
        steps[near->flow] = UINT32_MAX; /* each once */
    }
    free(list);
}

static void compare(const struct um_markers *markers)
{
    struct mention list[MENTIONS];
    struct um_flows flows;
    size_t count = list_mentions(markers, list);
    expect_order(markers);
    uint32_t numbered = number_flows(list, count);
    cr_assert_eq(um_flows_init(&flows, markers), UM_OK);
    cr_assert_eq(flows.count, numbered, "seed %u", seed);
    for (uint32_t i = 0; i < markers->count; i++) {
        contexts[i] = context_of(markers, i);
        cr_assert_eq(um_flows_context(&flows, i), contexts[i], "seed %u: marker %u", seed, i);
    }
    for (uint32_t i = 0; i < numbered; i++) {
        expect_members(&flows, markers, list, count, i);
        expect_kin(&flows, markers, list, count, i);
    }
    for (uint32_t i = 0; i < numbered; i++)
        expect_near(&flows, i, seed % 5);
    um_flows_deinit(&flows);
}

Test(flows_random, are_what_a_slow_search_finds)
{
    for (uint32_t i = 0; i < SETS; i++) {
        struct um_markers markers = {0};
        seed = i;
        generator = (struct um_random){.state = i};
        make_markers(&markers);
        compare(&markers);
        um_markers_deinit(&markers);
    }
}
