#include "monitor/feed/late_join_stacks.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/plain/bytes.h"

#define MODULES_MOST ((size_t)4 * 1024 * 1024) /* as flight_buffer.c has it */
#define NODES_MOST ((size_t)1024 * 1024)       /* the same */
#define NAMES_MOST ((size_t)4 * 1024 * 1024)

void um_late_join_stacks_deinit(struct um_late_join_stacks *known)
{
    free(known->modules.bytes);
    free(known->nodes.bytes);
    free(known->names.bytes);
    memset(known, 0, sizeof *known);
}

static bool add(struct um_late_join_frames *frames, size_t most, const uint8_t *bytes, size_t len)
{
    if (!um_list_reserve(&frames->bytes, &frames->room, frames->len + len, most, 1))
        return false;
    memcpy(frames->bytes + frames->len, bytes, len);
    frames->len += len;
    return true;
}

static void begin_tree(struct um_late_join_stacks *known, uint32_t number)
{
    known->nodes.len = known->names.len = 0;
    known->tree = number;
    known->trees++;
    known->is_short = false;
}

void um_late_join_stacks_take(struct um_late_join_stacks *known, const struct um_wire_frame *frame,
                              const uint8_t *bytes, size_t len_bytes)
{
    switch (frame->type) {
    case UM_WIRE_MODULE:
        (void)add(&known->modules, MODULES_MOST, bytes, len_bytes);
        break;
    case UM_WIRE_NODES:
        if (known->trees == 0 || frame->as.nodes.tree != known->tree)
            begin_tree(known, frame->as.nodes.tree);
        if (known->is_short || add(&known->nodes, NODES_MOST, bytes, len_bytes))
            break;
        begin_tree(known, known->tree);
        known->is_short = true;
        break;
    case UM_WIRE_NAME:
        (void)add(&known->names, NAMES_MOST, bytes, len_bytes);
        break;
    default:
        break;
    }
}

struct um_late_join_stacks_place um_late_join_stacks_all(const struct um_late_join_stacks *known)
{
    return (struct um_late_join_stacks_place){.modules.end = known->modules.len,
                                              .nodes.end = known->nodes.len,
                                              .names.end = known->names.len,
                                              .trees = known->trees};
}

bool um_late_join_stacks_left(const struct um_late_join_stacks_place *place)
{
    return place->modules.next < place->modules.end || place->nodes.next < place->nodes.end ||
           place->names.next < place->names.end;
}

/* Copies whole frames from *next on, and returns their length. */
static size_t copy(const struct um_late_join_frames *frames, size_t *next, size_t end,
                   uint8_t *bytes, size_t cap_bytes)
{
    size_t used = 0;
    while (*next < end) {
        const uint8_t *from = frames->bytes + *next;
        size_t len = UM_WIRE_HEADER_BYTES + um_bytes_get16(from);
        if (len > cap_bytes - used)
            break;
        memcpy(bytes + used, from, len);
        used += len;
        *next += len;
    }
    return used;
}

size_t um_late_join_stacks_encode(const struct um_late_join_stacks *known,
                                  struct um_late_join_stacks_place *place, uint8_t *bytes,
                                  size_t cap_bytes)
{
    size_t used = 0;
    if (place->trees != known->trees) {
        place->nodes.next = place->nodes.end;
        place->names.next = place->names.end;
    }
    used += copy(&known->modules, &place->modules.next, place->modules.end, bytes, cap_bytes);
    if (place->modules.next == place->modules.end)
        used += copy(&known->nodes, &place->nodes.next, place->nodes.end, bytes + used,
                     cap_bytes - used);
    if (place->modules.next == place->modules.end && place->nodes.next == place->nodes.end)
        used += copy(&known->names, &place->names.next, place->names.end, bytes + used,
                     cap_bytes - used);
    return used;
}
