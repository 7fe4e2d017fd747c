/* Where a thread was in its freezes, for formats in which a marker can have a stack: the innermost
 * call that at least half of the samples of a freeze are in. Not on the hot path. Thread: one at a
 * time.
 */
#ifndef UM_MONITOR_CAUSES_H
#define UM_MONITOR_CAUSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "monitor/export/export.h"

struct um_cause {
    uint64_t at_ns; /* of the freeze's first sample, since the session's start */
    uint32_t node;  /* of the export's tree */
};

/* Of each thread of the export, those of its freezes. Zeroed, there are none. */
struct um_causes {
    const struct um_export *export;
    struct um_cause *list;
    size_t count;
    size_t *first; /* of each thread its first one; one more than there are threads */
    bool *is_one;  /* of each node, whether it is a cause */
};

/* `export` was begun with its tree, and must outlive it.
 * Owner: um_causes_deinit, also after a failure. Errors: UM_ERR_MEMORY. */
enum um_status um_causes_init(struct um_causes *causes, const struct um_export *export);

/* That of a marker; NULL: it is no freeze, or no sample was taken in it. */
const struct um_cause *um_causes_of(const struct um_causes *causes,
                                    const struct um_export_about *about, uint32_t marker);

/* Accepts a zeroed one. */
void um_causes_deinit(struct um_causes *causes);

#endif
