#include "monitor/writers/flight_buffer.h"

#include <stdlib.h>
#include <string.h>

#include "base/plain/clock.h"
#include "base/ns.h"
#include "monitor/feed/frame_ring.h"
#include "monitor/feed/late_join.h"

#define MODULES_BYTES (4 * 1024 * 1024) /* 4,096 modules take less, even if all paths are long */
#define COUNTERS_BYTES (256 * 1024)     /* UM_WIRE_COUNTERS counters take less */
#define NAMES_BYTES (8 * 1024 * 1024)   /* names of two full trees, if each takes 128 bytes */
#define NODES_BYTES (1024 * 1024) /* a full tree takes less, even with one node in each frame */
#define KINDS_BYTES                                                                                \
    (4 * 1024 * 1024) /* UM_WIRE_MARKER_KINDS kinds take less, unless all are long */
#define MARKERS_BYTES (8 * 1024 * 1024) /* half a minute of 5,000 markers a second, if short */
#define TREES 2                         /* one full tree usually covers more time than is kept */
#define STARTS 1024                     /* TOTALS come once a second */

/* A TOTALS in the ring, at which a recording may begin. */
struct start {
    uint64_t time_ns;
    bool inside; /* of a freeze, so no recording begins here */
};

struct tree {
    bool used;
    uint32_t number;
    struct um_frame_ring nodes; /* NODES */
};

struct um_flight_buffer {
    uint64_t keep_ns;
    bool begun;

    struct um_late_join known;   /* what holds before the first of `frames` */
    struct um_wire_frame totals; /* the last TOTALS before the first of `frames` */
    struct um_frame_ring frames; /* all types that have no ring below */
    struct start starts[STARTS]; /* the TOTALS in `frames`, the oldest first */
    size_t start_count;
    uint32_t open[UM_STATE_COUNT];    /* by state: the id of the freeze that lasts now; 0: none */
    uint64_t open_ns[UM_STATE_COUNT]; /* its start */

    struct um_frame_ring modules;          /* MODULE */
    struct um_frame_ring counters;         /* COUNTER */
    struct um_frame_ring kinds;            /* MARKER_KIND */
    struct um_frame_ring markers;          /* MARKER; when it is full, the oldest is removed */
    uint64_t lost[UM_MARKER_SOURCE_COUNT]; /* of MARKERS_LOST, before the first of `frames` */
    uint64_t cut[UM_MARKER_SOURCE_COUNT];
    struct um_frame_ring names; /* NAME; when it is full, the oldest is removed */
    size_t names_of_tree;       /* bytes of the names since the last tree began */
    size_t names_of_trees;      /* bytes of the names since the tree before it began */
    const char *full;           /* as um_flight_buffer_full */
    struct tree trees[TREES];
    size_t tree; /* index of the tree that was used last */
    uint8_t *bytes;
    size_t cap_bytes;
};

/* Gives a ring `len` bytes of the memory. */
static void give(struct um_frame_ring *ring, uint8_t **at, size_t len)
{
    um_frame_ring_init(ring, *at, len);
    *at += len;
}

enum um_status um_flight_buffer_open(uint32_t keep_s, uint32_t freeze_s,
                                     struct um_flight_buffer **kept_out)
{
    struct um_flight_buffer *kept = calloc(1, sizeof *kept);
    size_t ring_bytes = ((size_t)keep_s + freeze_s) * UM_FLIGHT_BUFFER_BYTES_PER_S;

    if (!kept)
        return UM_ERR_MEMORY;
    kept->keep_ns = keep_s * UM_CLOCK_NS_PER_S;
    kept->cap_bytes = ring_bytes + MODULES_BYTES + COUNTERS_BYTES + KINDS_BYTES + MARKERS_BYTES +
                      NAMES_BYTES + TREES * NODES_BYTES;
    kept->bytes = calloc(1, kept->cap_bytes);
    if (!kept->bytes) {
        free(kept);
        return UM_ERR_MEMORY;
    }
    uint8_t *at = kept->bytes;
    give(&kept->frames, &at, ring_bytes);
    give(&kept->modules, &at, MODULES_BYTES);
    give(&kept->counters, &at, COUNTERS_BYTES);
    give(&kept->kinds, &at, KINDS_BYTES);
    give(&kept->markers, &at, MARKERS_BYTES);
    give(&kept->names, &at, NAMES_BYTES);
    for (size_t i = 0; i < TREES; i++)
        give(&kept->trees[i].nodes, &at, NODES_BYTES);
    *kept_out = kept;
    return UM_OK;
}

/* Overwrites the frames before freeing them: they may hold key codes. */
void um_flight_buffer_close(struct um_flight_buffer *kept)
{
    if (!kept)
        return;
    while (um_frame_ring_drop(&kept->frames) || um_frame_ring_drop(&kept->markers))
        continue;
    free(kept->bytes);
    free(kept);
}

const char *um_flight_buffer_full(const struct um_flight_buffer *kept)
{
    return kept->full;
}

/* Dropping ------------------------------------------------------------------------------------- */

/* Removes the oldest of `frames`, and takes it into `known` or `totals`. False: there was none. */
static bool drop_frame(struct um_flight_buffer *kept)
{
    uint8_t bytes[UM_WIRE_MAX_BYTES];
    struct um_wire_frame frame;
    size_t used;
    size_t len = um_frame_ring_peek(&kept->frames, 0, bytes);

    if (len == 0 || um_wire_decode(bytes, len, &frame, &used) != UM_OK)
        return um_frame_ring_drop(&kept->frames);
    um_late_join_take(&kept->known, &frame);
    if (frame.type == UM_WIRE_MARKERS_LOST &&
        frame.as.markers_lost.source < UM_MARKER_SOURCE_COUNT) {
        kept->lost[frame.as.markers_lost.source] = frame.as.markers_lost.lost;
        kept->cut[frame.as.markers_lost.source] = frame.as.markers_lost.cut;
    }
    if (frame.type == UM_WIRE_TOTALS) {
        kept->totals = frame;
        kept->start_count -= kept->start_count > 0;
        memmove(kept->starts, kept->starts + 1, kept->start_count * sizeof kept->starts[0]);
    }
    return um_frame_ring_drop(&kept->frames);
}

/* Drops the frames before the latest start that is old enough and not inside a freeze. */
static void drop_old(struct um_flight_buffer *kept, uint64_t now_ns)
{
    size_t drop = 0;
    for (size_t i = 0; i < UM_STATE_COUNT; i++)
        if (kept->open[i] != 0)
            now_ns = um_ns_min(now_ns, kept->open_ns[i]);
    for (size_t i = 0; i < kept->start_count; i++) {
        if (um_ns_elapsed(kept->starts[i].time_ns, now_ns) < kept->keep_ns)
            break;
        drop = kept->starts[i].inside ? drop : i + 1;
    }
    size_t left = kept->start_count - drop;
    while (kept->start_count > left && drop_frame(kept))
        continue;
}

/* Taking --------------------------------------------------------------------------------------- */

/* The start of a freeze becomes known after it: the TOTALS since then are inside it. */
static void take_episode(struct um_flight_buffer *kept, const struct um_wire_frame *frame)
{
    const struct um_wire_episode *episode = &frame->as.episode;
    bool ends = (frame->flags & UM_WIRE_EPISODE_END) != 0;

    for (size_t i = 0; i < UM_STATE_COUNT; i++)
        if (kept->open[i] == episode->id)
            kept->open[i] = 0;
    if (!um_wire_state_is_freeze(episode->state))
        return;
    if (!ends) {
        kept->open[episode->state] = episode->id;
        kept->open_ns[episode->state] = episode->start_ns;
    }
    for (size_t i = 0; i < kept->start_count; i++)
        if (kept->starts[i].time_ns > episode->start_ns &&
            (!ends || kept->starts[i].time_ns < episode->end_ns))
            kept->starts[i].inside = true;
}

static void add_start(struct um_flight_buffer *kept, uint64_t time_ns)
{
    while (kept->start_count == STARTS && drop_frame(kept))
        continue;
    bool inside = kept->open[UM_STATE_FROZEN] != 0 || kept->open[UM_STATE_STARVED] != 0;
    kept->starts[kept->start_count++] = (struct start){time_ns, inside};
}

static void take_nodes(struct um_flight_buffer *kept, uint32_t number, const uint8_t *bytes,
                       size_t len)
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
    (void)um_frame_ring_put(&tree->nodes, bytes, len); /* if full, stacks lack their outer end */
}

/* The feed has all names of a tree after the tree's begin. So names from before the last two trees
 * may be removed without loss. */
static void take_name(struct um_flight_buffer *kept, const uint8_t *bytes, size_t len)
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

/* Removes the oldest marker with all frames that its values are in. False: there was none. */
static bool drop_marker(struct um_flight_buffer *kept)
{
    uint8_t bytes[UM_WIRE_MAX_BYTES];
    struct um_wire_frame frame;
    size_t used, len;
    bool dropped = false, more = true;

    while (more && (len = um_frame_ring_peek(&kept->markers, 0, bytes)) > 0) {
        bool read = um_wire_decode(bytes, len, &frame, &used) == UM_OK;
        more = read && (frame.flags & UM_WIRE_MARKER_MORE);
        if (read && um_wire_time_of(&frame) >= kept->totals.as.totals.time_ns)
            kept->full = "markers"; /* a recording that is made now lacks it */
        dropped = um_frame_ring_drop(&kept->markers);
    }
    return dropped;
}

static void take_marker(struct um_flight_buffer *kept, const uint8_t *bytes, size_t len)
{
    while (!um_frame_ring_put(&kept->markers, bytes, len) && drop_marker(kept))
        continue;
}

static void begin(struct um_flight_buffer *kept, const struct um_wire_frame *frame)
{
    kept->begun = true;
    um_late_join_take(&kept->known, frame);
    kept->totals.type = UM_WIRE_TOTALS;
    kept->totals.as.totals.time_ns = frame->as.session.start_ns;
}

static void put_frame(struct um_flight_buffer *kept, const struct um_wire_frame *frame,
                      const uint8_t *bytes, size_t len)
{
    if (frame->type == UM_WIRE_TOTALS)
        drop_old(kept, frame->as.totals.time_ns);
    while (!um_frame_ring_put(&kept->frames, bytes, len) && drop_frame(kept))
        continue;
    if (frame->type == UM_WIRE_TOTALS)
        add_start(kept, frame->as.totals.time_ns);
    else if (frame->type == UM_WIRE_EPISODE)
        take_episode(kept, frame);
}

/* The ring of frames to which others refer, which holds all of them, and what these are; NULL: the
 * type is another one. */
static struct um_frame_ring *referred_of(struct um_flight_buffer *kept, uint8_t type,
                                         const char **what)
{
    switch (type) {
    case UM_WIRE_MODULE:
        *what = "modules";
        return &kept->modules;
    case UM_WIRE_COUNTER:
        *what = "counters of the target";
        return &kept->counters;
    case UM_WIRE_MARKER_KIND:
        *what = "kinds of markers";
        return &kept->kinds;
    default:
        return NULL;
    }
}

void um_flight_buffer_take(struct um_flight_buffer *kept, const struct um_wire_frame *frame,
                           const uint8_t *bytes, size_t len_bytes)
{
    const char *what = NULL;
    if (um_wire_reach(frame->type) != UM_WIRE_REACH_FLIGHT)
        return;
    struct um_frame_ring *referred = referred_of(kept, frame->type, &what);
    if (what) {
        if (!um_frame_ring_put(referred, bytes, len_bytes))
            kept->full = what;
        return;
    }
    if (frame->type == UM_WIRE_MARKER)
        take_marker(kept, bytes, len_bytes);
    else if (frame->type == UM_WIRE_NAME)
        take_name(kept, bytes, len_bytes);
    else if (frame->type == UM_WIRE_NODES)
        take_nodes(kept, frame->as.nodes.tree, bytes, len_bytes);
    else if (kept->begun)
        put_frame(kept, frame, bytes, len_bytes);
    else if (frame->type == UM_WIRE_SESSION)
        begin(kept, frame);
}

/* Making a recording --------------------------------------------------------------------------- */

void um_flight_buffer_cut(const struct um_flight_buffer *kept, struct um_flight_buffer_cut *cut)
{
    const struct um_wire_frame *session = um_late_join_last(&kept->known, UM_WIRE_SESSION);
    const struct um_wire_frame *status = um_late_join_last(&kept->known, UM_WIRE_STATUS);
    memset(cut, 0, sizeof *cut);
    cut->totals = kept->totals.as.totals;
    cut->start_ns = cut->totals.time_ns;
    if (session)
        cut->utc_ms = session->as.session.utc_ms +
                      (int64_t)(um_ns_elapsed(session->as.session.start_ns, cut->start_ns) /
                                UM_CLOCK_NS_PER_MS);
    if (status)
        cut->status = status->as.status;
    memcpy(cut->markers_lost, kept->lost, sizeof cut->markers_lost);
    memcpy(cut->markers_cut, kept->cut, sizeof cut->markers_cut);
}

static void subtract(uint64_t *number, uint64_t before)
{
    *number = um_ns_elapsed(before, *number);
}

static void subtract32(uint32_t *number, uint32_t before)
{
    *number = *number > before ? *number - before : 0;
}

/* The times in the states must add up to the duration. After the cut the session may still move a
 * time before the cut to another state; so the longest state gets the difference. */
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
    subtract(&totals->duration_ns, before->duration_ns);
    subtract(&totals->beats_sent, before->beats_sent);
    subtract(&totals->beats_seen, before->beats_seen);
    subtract(&totals->beats_lost, before->beats_lost);
    subtract(&totals->beats_rested, before->beats_rested);
    subtract(&totals->dropped, before->dropped);
    subtract(&totals->heartbeat_cpu_ns, before->heartbeat_cpu_ns);
    subtract(&totals->sender_cpu_ns, before->sender_cpu_ns);
    subtract(&totals->timed_calls, before->timed_calls);
    subtract(&totals->timed_ns, before->timed_ns);
    subtract(&totals->monitor_cpu_ns, before->monitor_cpu_ns);
    subtract(&totals->overlay_cpu_ns, before->overlay_cpu_ns);
    for (size_t i = 0; i < UM_STATE_COUNT; i++)
        subtract(&totals->state_ns[i], before->state_ns[i]);
    even_states(totals);
}

static void count_status(const struct um_wire_status *before, struct um_wire_frame *frame)
{
    struct um_wire_status *status = &frame->as.status;
    subtract(&status->freeze_total_ns, before->freeze_total_ns);
    subtract(&status->lost, before->lost);
    subtract32(&status->over_100, before->over_100);
    subtract32(&status->over_250, before->over_250);
    subtract32(&status->over_1000, before->over_1000);
    subtract32(&status->freezes, before->freezes);
    subtract32(&status->felt, before->felt);
    if (status->felt > status->freezes) /* one from before the cut was found to be felt after it */
        status->felt = status->freezes;
    if (status->freezes > 0)
        return;
    status->last_freeze_ns = status->last_freeze_end_ns = 0;
    frame->flags &= (uint8_t)~UM_WIRE_STATUS_HAS_LAST_FREEZE;
}

static void count_markers(const struct um_flight_buffer_cut *cut, struct um_wire_markers_lost *lost)
{
    if (lost->source >= UM_MARKER_SOURCE_COUNT)
        return;
    subtract(&lost->lost, cut->markers_lost[lost->source]);
    subtract(&lost->cut, cut->markers_cut[lost->source]);
}

void um_flight_buffer_since(const struct um_flight_buffer_cut *cut, struct um_wire_frame *frame)
{
    if (frame->type == UM_WIRE_SESSION) {
        frame->as.session.start_ns = cut->start_ns;
        frame->as.session.utc_ms = cut->utc_ms;
    } else if (frame->type == UM_WIRE_TOTALS) {
        count_totals(&cut->totals, &frame->as.totals);
    } else if (frame->type == UM_WIRE_STATUS) {
        count_status(&cut->status, frame);
    } else if (frame->type == UM_WIRE_MARKERS_LOST) {
        count_markers(cut, &frame->as.markers_lost);
    }
}

struct sink {
    const struct um_flight_buffer_cut *cut;
    void (*put)(void *context, const struct um_wire_frame *frame);
    void *context;
};

/* Puts a frame, changed by um_flight_buffer_since. Type 0: there is no frame. */
static void emit(const struct sink *sink, const struct um_wire_frame *frame)
{
    struct um_wire_frame own = *frame;
    if (!own.type)
        return;
    um_flight_buffer_since(sink->cut, &own);
    sink->put(sink->context, &own);
}

/* Puts the frames in the last `len_bytes` of a ring, which begin with a whole frame. */
static void emit_last(const struct sink *sink, const struct um_frame_ring *ring, size_t len_bytes)
{
    uint8_t bytes[UM_WIRE_MAX_BYTES];
    struct um_wire_frame frame;
    size_t used;
    size_t at = ring->len_bytes - len_bytes;
    size_t len;

    for (; (len = um_frame_ring_peek(ring, at, bytes)) > 0; at += len)
        if (um_wire_decode(bytes, len, &frame, &used) == UM_OK)
            emit(sink, &frame);
}

static void emit_ring(const struct sink *sink, const struct um_frame_ring *ring)
{
    emit_last(sink, ring, ring->len_bytes);
}

/* Puts the markers that were not over at the cut. They stand behind all other frames, because their
 * ring is another one: their own times say when they were. */
static void emit_since(const struct sink *sink, const struct um_frame_ring *ring, uint64_t start_ns)
{
    uint8_t bytes[UM_WIRE_MAX_BYTES];
    struct um_wire_frame frame;
    size_t used, at = 0, len;

    for (; (len = um_frame_ring_peek(ring, at, bytes)) > 0; at += len)
        if (um_wire_decode(bytes, len, &frame, &used) == UM_OK &&
            um_wire_time_of(&frame) >= start_ns)
            emit(sink, &frame);
}

void um_flight_buffer_emit(const struct um_flight_buffer *kept,
                           const struct um_flight_buffer_cut *cut,
                           void (*put)(void *context, const struct um_wire_frame *frame),
                           void *context)
{
    struct sink sink = {cut, put, context};
    const struct um_wire_frame *known[UM_LATE_JOIN_FRAMES];
    size_t count = um_late_join_list(&kept->known, known);

    for (size_t i = 0; i < count; i++)
        emit(&sink, known[i]);
    emit(&sink, &kept->totals);
    emit_ring(&sink, &kept->modules);
    emit_ring(&sink, &kept->counters);
    emit_last(&sink, &kept->names, kept->names_of_trees);
    for (size_t i = 1; i <= TREES; i++)
        emit_ring(&sink, &kept->trees[(kept->tree + i) % TREES].nodes);
    emit_ring(&sink, &kept->kinds);
    emit_ring(&sink, &kept->frames);
    emit_since(&sink, &kept->markers, cut->start_ns);
}
