/* The last seconds of a feed, kept in memory so that a recording can begin with them.
 *
 * A recording that begins in the middle of a session must make sense by itself. So it begins with
 * what a consumer that comes late must be told (known.h) as of its first frame, with all that was
 * told of modules and counters, because each of those is told once, and with the last two trees of
 * stacks and their names: names are told anew with each tree. Its SESSION begins where the
 * recording does, and what TOTALS and STATUS have counted since the session's begin is counted from
 * there. It begins at a TOTALS that does not lie in a freeze.
 *
 * Memory is bounded and given once: UM_KEPT_BYTES_PER_S for each second, of which 30 s of an
 * ordinary session use some 150 KB; 8 MiB for names, 4 MiB for modules, 1 MiB for each of two trees
 * of stacks. The system gives memory to what is used of it. Where more comes than fits, the oldest
 * second or the oldest name gives way: that function is then told by its address.
 *
 * Pure. Not on the hot path: it is used on a thread of its own. A reader starts at um_kept_take.
 */
#ifndef UM_MONITOR_KEPT_H
#define UM_MONITOR_KEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/status.h"
#include "ipc/wire.h"

#define UM_KEPT_BYTES_PER_S (16 * 1024)
#define UM_KEPT_MOST_S 600

struct um_kept;

/* Where a recording of what is kept begins. */
struct um_kept_cut {
    uint64_t start_ns;
    int64_t utc_ms;               /* the same instant on the calendar */
    struct um_wire_totals totals; /* what was counted before */
    struct um_wire_status status; /* likewise; zeroed: nothing */
};

/* Keeps `keep_s` seconds, 1 to UM_KEPT_MOST_S. Owner: um_kept_close. Errors: UM_ERR_MEMORY. */
enum um_status um_kept_open(uint32_t keep_s, struct um_kept **kept);

/* Wipes and releases it. Accepts NULL. */
void um_kept_close(struct um_kept *kept);

/* Whether frames of a type belong into a recording that begins in the middle. VIEW and LOST are of
 * the feed alone; SAMPLING and the traced messages sum up a whole session and cannot be told of a
 * part of it. */
bool um_kept_wants(uint8_t type);

/* Takes a frame, in the order of the feed, and how it is encoded. What comes before the first
 * SESSION is left out. */
void um_kept_take(struct um_kept *kept, const struct um_wire_frame *frame, const uint8_t *bytes,
                  size_t len_bytes);

/* What there was too much of for a recording to have all that its stacks need, such as "modules";
 * NULL: nothing. Owner: static text. */
const char *um_kept_full(const struct um_kept *kept);

/* Whether a SESSION has come, so that there is something to tell. */
bool um_kept_begun(const struct um_kept *kept);

/* Where a recording would begin that is told now. */
void um_kept_cut(const struct um_kept *kept, struct um_kept_cut *cut);

/* Tells such a recording's frames but for its RECORDING, as um_kept_since has them.
 * Owner: a frame lives for the call. */
void um_kept_tell(const struct um_kept *kept, const struct um_kept_cut *cut,
                  void (*put)(void *context, const struct um_wire_frame *frame), void *context);

/* Makes of a session's frame that of a recording that begins at the cut. */
void um_kept_since(const struct um_kept_cut *cut, struct um_wire_frame *frame);

#endif
