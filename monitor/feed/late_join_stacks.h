/* Keeps what the SAMPLEs of a feed point to: all MODULEs, and of the present tree the NODES and
 * NAMEs. A consumer that comes late needs them before its first SAMPLE. The feed has each of them
 * once, and begins tree and names anew when a tree is full.
 *
 * Memory is bounded and grows with what comes: 4 MiB of MODULEs, 1 MiB of NODES, 4 MiB of NAMEs.
 * The first two are enough for all that there can be. A NAME that finds no room is not told to
 * those who come late, and its function has its address for a name there.
 *
 * Pure; on the monitor's hot path. A reader starts at um_late_join_stacks_take.
 */
#ifndef UM_MONITOR_LATE_JOIN_STACKS_H
#define UM_MONITOR_LATE_JOIN_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/wire.h"

/* Encoded frames of one type. */
struct um_late_join_frames {
    uint8_t *bytes;
    size_t len, room;
};

/* A zeroed struct holds none. */
struct um_late_join_stacks {
    struct um_late_join_frames modules;
    struct um_late_join_frames nodes; /* of the present tree */
    struct um_late_join_frames names; /* since that began */
    uint32_t tree;                    /* its number, of NODES */
    uint32_t trees;                   /* how many have begun */
    bool is_short;                    /* there was no memory for some of its nodes: it has none */
};

/* What a consumer still has to get: bytes from `next` to `end`. Zeroed: nothing. */
struct um_late_join_stacks_place {
    struct {
        size_t next, end;
    } modules, nodes, names;
    uint32_t trees; /* nodes and names are of this one */
};

/* Releases the memory. */
void um_late_join_stacks_deinit(struct um_late_join_stacks *known);

/* Whether frames of this type are kept. */
static inline bool um_late_join_stacks_wants(uint8_t type)
{
    return type == UM_WIRE_MODULE || type == UM_WIRE_NODES || type == UM_WIRE_NAME;
}

/* Takes such a frame and its bytes, in the order of the feed. Without memory it is not told to
 * those who come late, and neither is the rest of a tree that lacks some nodes. */
void um_late_join_stacks_take(struct um_late_join_stacks *known, const struct um_wire_frame *frame,
                              const uint8_t *bytes, size_t len_bytes);

/* All that is there now, for a consumer that gets what comes after this anyway. */
struct um_late_join_stacks_place um_late_join_stacks_all(const struct um_late_join_stacks *known);

/* Whether there is something left of a place. */
bool um_late_join_stacks_left(const struct um_late_join_stacks_place *place);

/* Copies frames, as many as fit, and moves the place past them. Returns their length. If another
 * tree has begun meanwhile, what is left of the one before is left out: no SAMPLE points there any
 * more. */
size_t um_late_join_stacks_encode(const struct um_late_join_stacks *known,
                                  struct um_late_join_stacks_place *place, uint8_t *bytes,
                                  size_t cap_bytes);

#endif
