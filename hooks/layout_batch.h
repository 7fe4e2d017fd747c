/* Which records of the layout go into one LAYOUT_STEPS: those between which none was lost, because
 * the frame has one number of lost records for all of them. Freestanding and portable. */
#ifndef UM_HOOKS_LAYOUT_BATCH_H
#define UM_HOOKS_LAYOUT_BATCH_H

#include <stdint.h>

#include "ipc/wire.h"

/* Whether the batch is to be put before the next record is added to it. `lost`: how many records
 * were lost before that record, since the DLL attached. */
static inline int um_layout_batch_is_whole(const struct um_wire_layout_steps *batch, uint64_t lost)
{
    return batch->count == UM_WIRE_LAYOUT_MOST || (batch->count > 0 && batch->lost != lost);
}

#endif
