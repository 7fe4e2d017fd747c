#include "monitor/feed/kept.h"

#include <stdlib.h>
#include <string.h>

#include "ipc/clock.h"
#include "monitor/base/ns.h"
#include "monitor/feed/frame_ring.h"
#include "monitor/feed/known.h"

#define MODULES_BYTES (4 * 1024 * 1024) /* 4,096 modules take less, even if all paths are long */
#define COUNTERS_BYTES (256 * 1024)     /* likewise UM_WIRE_COUNTERS of them */
#define NAMES_BYTES (8 * 1024 * 1024)   /* of two full trees, if each takes 128 bytes */
#define NODES_BYTES (1024 * 1024)       /* a full tree takes less, even if each node came alone */
#define TREES 2                         /* a full tree lasts longer than what is kept, as a rule */
#define MARKS 1024                      /* TOTALS come once a second */

/* A TOTALS in the ring. */
struct mark {
    uint64_t time_ns;
    bool inside; /* a freeze lasted then */
};

struct tree {
    bool used;
    uint32_t number;
    struct um_frame_ring nodes; /* NODES */
};

struct um_kept {
    uint64_t keep_ns;
    bool begun;

    /* As of the first frame in the ring: */
    struct um_known known;
    struct um_wire_frame totals; /* the last */
    struct um_frame_ring frames; /* all others */
    struct mark marks[MARKS];    /* the TOTALS among them, the oldest first */
    size_t mark_count;

    /* As of the last frame: */
    uint32_t open[UM_STATE_COUNT]; /* ids of the freezes that last; 0: none */

    struct um_frame_ring modules;  /* MODULE */
    struct um_frame_ring counters; /* COUNTER */
    struct um_frame_ring names;    /* NAME; the oldest give way */
    size_t names_of_tree;          /* bytes of those that came since the last tree began, */
    size_t names_of_trees;         /* ... and since the one before it did */
    const char *full;              /* what did not fit; NULL: all did */
    struct tree trees[TREES];
    size_t tree; /* the one that was used last */
    uint8_t *bytes;
    size_t cap_bytes;
};

/* Gives a ring its part of the memory. */
static void give(struct um_frame_ring *ring, uint8_t **at, size_t len)
{
    um_frame_ring_init(ring, *at, len);
    *at += len;
}

enum um_status um_kept_open(uint32_t keep_s, struct um_kept **kept_out)
{
    struct um_kept *kept = calloc(1, sizeof *kept);
    size_t ring_bytes = (size_t)keep_s * UM_KEPT_BYTES_PER_S;

    if (!kept)
        return UM_ERR_MEMORY;
    kept->keep_ns = keep_s * UM_CLOCK_NS_PER_S;
    kept->cap_bytes =
        ring_bytes + MODULES_BYTES + COUNTERS_BYTES + NAMES_BYTES + TREES * NODES_BYTES;
    kept->bytes = calloc(1, kept->cap_bytes);
    if (!kept->bytes) {
        free(kept);
        return UM_ERR_MEMORY;
    }
    uint8_t *at = kept->bytes;
    give(&kept->frames, &at, ring_bytes);
    give(&kept->modules, &at, MODULES_BYTES);
    give(&kept->counters, &at, COUNTERS_BYTES);
    give(&kept->names, &at, NAMES_BYTES);
    for (size_t i = 0; i < TREES; i++)
        give(&kept->trees[i].nodes, &at, NODES_BYTES);
    *kept_out = kept;
    return UM_OK;
}

/* With --keep-keys there are keys in the frames. */
void um_kept_close(struct um_kept *kept)
{
    if (!kept)
        return;
    while (um_frame_ring_drop(&kept->frames))
        continue;
    free(kept->bytes);
    free(kept);
}

bool um_kept_wants(uint8_t type)
{
    return type >= UM_WIRE_SESSION && type != UM_WIRE_RECORDING && type != UM_WIRE_VIEW &&
           type != UM_WIRE_LOST && type != UM_WIRE_SAMPLING &&
           (type < UM_WIRE_TRACED_CALL || type > UM_WIRE_TRACING);
}

const char *um_kept_full(const struct um_kept *kept)
{
    return kept->full;
}

bool um_kept_begun(const struct um_kept *kept)
{
    return kept->begun;
}

/* Dropping ------------------------------------------------------------------------------------- */

/* Takes the oldest frame out of the ring; what holds after it is kept. False: there was none. */
static bool drop_frame(struct um_kept *kept)
{
    uint8_t bytes[UM_WIRE_MAX_BYTES];
    struct um_wire_frame frame;
    size_t used;
    size_t len = um_frame_ring_peek(&kept->frames, 0, bytes);

    if (len == 0 || um_wire_decode(bytes, len, &frame, &used) != UM_OK)
        return um_frame_ring_drop(&kept->frames);
    um_known_take(&kept->known, &frame);
    if (frame.type == UM_WIRE_TOTALS) {
        kept->totals = frame;
        kept->mark_count -= kept->mark_count > 0;
        memmove(kept->marks, kept->marks + 1, kept->mark_count * sizeof kept->marks[0]);
    }
    return um_frame_ring_drop(&kept->frames);
}

/* Drops what lies before the latest mark that is old enough and in no freeze. */
static void drop_old(struct um_kept *kept, uint64_t now_ns)
{
    size_t drop = 0;
    for (size_t i = 0; i < kept->mark_count; i++) {
        if (um_ns_elapsed(kept->marks[i].time_ns, now_ns) < kept->keep_ns)
            break;
        drop = kept->marks[i].inside ? drop : i + 1;
    }
    size_t left = kept->mark_count - drop;
    while (kept->mark_count > left && drop_frame(kept))
        continue;
}

/* Taking --------------------------------------------------------------------------------------- */

/* Marks the TOTALS that lie in a freeze, whose start is known only later. */
static void take_episode(struct um_kept *kept, const struct um_wire_frame *frame)
{
    const struct um_wire_episode *episode = &frame->as.episode;
    bool ends = (frame->flags & UM_WIRE_EPISODE_END) != 0;

    for (size_t i = 0; i < UM_STATE_COUNT; i++)
        if (kept->open[i] == episode->id)
            kept->open[i] = 0;
    if (!um_wire_state_is_freeze(episode->state))
        return;
    if (!ends)
        kept->open[episode->state] = episode->id;
    for (size_t i = 0; i < kept->mark_count; i++)
        if (kept->marks[i].time_ns > episode->start_ns &&
            (!ends || kept->marks[i].time_ns < episode->end_ns))
            kept->marks[i].inside = true;
}

static void add_mark(struct um_kept *kept, uint64_t time_ns)
{
    while (kept->mark_count == MARKS && drop_frame(kept))
        continue;
    bool inside = kept->open[UM_STATE_FROZEN] != 0 || kept->open[UM_STATE_STARVED] != 0;
    kept->marks[kept->mark_count++] = (struct mark){time_ns, inside};
}

static void take_nodes(struct um_kept *kept, uint32_t number, const uint8_t *bytes, size_t len)
{
    struct tree *tree = &kept->trees[kept->tree];
    if (tree->used && tree->number != number) {
        kept->tree = (kept->tree + 1) % TREES;
        tree = &kept->trees[kept->tree];
        um_frame_ring_init(&tree->nodes, tree->nodes.bytes, tree->nodes.cap_bytes);
        kept->names_of_trees = kept->names_of_tree;
        kept->names_of_tree = 0;
    }
    tree->used = true;
    tree->number = number;
    (void)um_frame_ring_put(&tree->nodes, bytes, len); /* where it is full, stacks are cut off */
}

/* What a tree's stacks need was told since it began, so the names of earlier ones may go. */
static void take_name(struct um_kept *kept, const uint8_t *bytes, size_t len)
{
    while (!um_frame_ring_put(&kept->names, bytes, len) && um_frame_ring_drop(&kept->names))
        continue;
    kept->names_of_tree += len;
    kept->names_of_trees += len;
    if (kept->names_of_trees > kept->names.len_bytes) {
        kept->names_of_trees = kept->names.len_bytes;
        kept->full = "names of functions";
    }
    if (kept->names_of_tree > kept->names_of_trees)
        kept->names_of_tree = kept->names_of_trees;
}

static void begin(struct um_kept *kept, const struct um_wire_frame *frame)
{
    kept->begun = true;
    um_known_take(&kept->known, frame);
    kept->totals.type = UM_WIRE_TOTALS;
    kept->totals.as.totals.time_ns = frame->as.session.start_ns;
}

static void put_frame(struct um_kept *kept, const struct um_wire_frame *frame, const uint8_t *bytes,
                      size_t len)
{
    if (frame->type == UM_WIRE_TOTALS)
        drop_old(kept, frame->as.totals.time_ns);
    while (!um_frame_ring_put(&kept->frames, bytes, len) && drop_frame(kept))
        continue;
    if (frame->type == UM_WIRE_TOTALS)
        add_mark(kept, frame->as.totals.time_ns);
    else if (frame->type == UM_WIRE_EPISODE)
        take_episode(kept, frame);
}

void um_kept_take(struct um_kept *kept, const struct um_wire_frame *frame, const uint8_t *bytes,
                  size_t len_bytes)
{
    if (!um_kept_wants(frame->type))
        return;
    if (frame->type == UM_WIRE_MODULE && !um_frame_ring_put(&kept->modules, bytes, len_bytes))
        kept->full = "modules";
    else if (frame->type == UM_WIRE_COUNTER &&
             !um_frame_ring_put(&kept->counters, bytes, len_bytes))
        kept->full = "counters of the target";
    else if (frame->type == UM_WIRE_MODULE || frame->type == UM_WIRE_COUNTER)
        return;
    else if (frame->type == UM_WIRE_NAME)
        take_name(kept, bytes, len_bytes);
    else if (frame->type == UM_WIRE_NODES)
        take_nodes(kept, frame->as.nodes.tree, bytes, len_bytes);
    else if (kept->begun)
        put_frame(kept, frame, bytes, len_bytes);
    else if (frame->type == UM_WIRE_SESSION)
        begin(kept, frame);
}

/* Telling -------------------------------------------------------------------------------------- */

void um_kept_cut(const struct um_kept *kept, struct um_kept_cut *cut)
{
    const struct um_wire_session *session = &kept->known.session.as.session;
    memset(cut, 0, sizeof *cut);
    cut->totals = kept->totals.as.totals;
    cut->start_ns = cut->totals.time_ns;
    cut->utc_ms = session->utc_ms +
                  (int64_t)(um_ns_elapsed(session->start_ns, cut->start_ns) / UM_CLOCK_NS_PER_MS);
    if (kept->known.status.type)
        cut->status = kept->known.status.as.status;
}

static void take_away(uint64_t *number, uint64_t before)
{
    *number = um_ns_elapsed(before, *number);
}

static void take_away32(uint32_t *number, uint32_t before)
{
    *number = *number > before ? *number - before : 0;
}

/* What a state was assigned to before the cut may have been assigned to another one after it. So
 * that the states add up to the length, the longest of them gives or takes the difference. */
static void even_states(struct um_wire_totals *totals)
{
    uint64_t sum_ns = 0;
    size_t longest = 0;
    for (size_t i = 0; i < UM_STATE_COUNT; i++) {
        sum_ns += totals->state_ns[i];
        longest = totals->state_ns[i] > totals->state_ns[longest] ? i : longest;
    }
    uint64_t *state_ns = &totals->state_ns[longest];
    if (sum_ns > totals->duration_ns)
        *state_ns = um_ns_elapsed(sum_ns - totals->duration_ns, *state_ns);
    else
        *state_ns += totals->duration_ns - sum_ns;
}

static void count_totals(const struct um_wire_totals *before, struct um_wire_totals *totals)
{
    take_away(&totals->duration_ns, before->duration_ns);
    take_away(&totals->beats_sent, before->beats_sent);
    take_away(&totals->beats_seen, before->beats_seen);
    take_away(&totals->beats_lost, before->beats_lost);
    take_away(&totals->beats_rested, before->beats_rested);
    take_away(&totals->dropped, before->dropped);
    take_away(&totals->heartbeat_cpu_ns, before->heartbeat_cpu_ns);
    take_away(&totals->sender_cpu_ns, before->sender_cpu_ns);
    take_away(&totals->timed_calls, before->timed_calls);
    take_away(&totals->timed_ns, before->timed_ns);
    take_away(&totals->monitor_cpu_ns, before->monitor_cpu_ns);
    take_away(&totals->overlay_cpu_ns, before->overlay_cpu_ns);
    for (size_t i = 0; i < UM_STATE_COUNT; i++)
        take_away(&totals->state_ns[i], before->state_ns[i]);
    even_states(totals);
}

static void count_status(const struct um_wire_status *before, struct um_wire_frame *frame)
{
    struct um_wire_status *status = &frame->as.status;
    take_away(&status->freeze_total_ns, before->freeze_total_ns);
    take_away(&status->lost, before->lost);
    take_away32(&status->over_100, before->over_100);
    take_away32(&status->over_250, before->over_250);
    take_away32(&status->over_1000, before->over_1000);
    take_away32(&status->freezes, before->freezes);
    if (status->freezes > 0)
        return;
    status->last_freeze_ns = status->last_freeze_end_ns = 0;
    frame->flags &= (uint8_t)~UM_WIRE_STATUS_HAS_LAST_FREEZE;
}

void um_kept_since(const struct um_kept_cut *cut, struct um_wire_frame *frame)
{
    if (frame->type == UM_WIRE_SESSION) {
        frame->as.session.start_ns = cut->start_ns;
        frame->as.session.utc_ms = cut->utc_ms;
    } else if (frame->type == UM_WIRE_TOTALS) {
        count_totals(&cut->totals, &frame->as.totals);
    } else if (frame->type == UM_WIRE_STATUS) {
        count_status(&cut->status, frame);
    }
}

struct telling {
    const struct um_kept_cut *cut;
    void (*put)(void *context, const struct um_wire_frame *frame);
    void *context;
};

/* Type 0: there is no such frame. */
static void tell(const struct telling *telling, const struct um_wire_frame *frame)
{
    struct um_wire_frame told = *frame;
    if (!told.type)
        return;
    um_kept_since(telling->cut, &told);
    telling->put(telling->context, &told);
}

/* Tells the last `len_bytes` of a ring, in which a frame begins. */
static void tell_last(const struct telling *telling, const struct um_frame_ring *ring,
                      size_t len_bytes)
{
    uint8_t bytes[UM_WIRE_MAX_BYTES];
    struct um_wire_frame frame;
    size_t used;
    size_t at = ring->len_bytes - len_bytes;
    size_t len;

    for (; (len = um_frame_ring_peek(ring, at, bytes)) > 0; at += len)
        if (um_wire_decode(bytes, len, &frame, &used) == UM_OK)
            tell(telling, &frame);
}

static void tell_ring(const struct telling *telling, const struct um_frame_ring *ring)
{
    tell_last(telling, ring, ring->len_bytes);
}

void um_kept_tell(const struct um_kept *kept, const struct um_kept_cut *cut,
                  void (*put)(void *context, const struct um_wire_frame *frame), void *context)
{
    struct telling telling = {cut, put, context};
    const struct um_known *known = &kept->known;

    tell(&telling, &known->session);
    tell(&telling, &known->pace);
    tell(&telling, &known->rung);
    tell(&telling, &known->proving);
    for (size_t i = 0; i < UM_STATE_COUNT; i++)
        tell(&telling, &known->open[i]);
    tell(&telling, &kept->totals);
    tell(&telling, &known->status);
    tell_ring(&telling, &kept->modules);
    tell_ring(&telling, &kept->counters);
    tell_last(&telling, &kept->names, kept->names_of_trees);
    for (size_t i = 1; i <= TREES; i++)
        tell_ring(&telling, &kept->trees[(kept->tree + i) % TREES].nodes);
    tell_ring(&telling, &kept->frames);
}
