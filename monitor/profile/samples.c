#include "monitor/profile/samples.h"

#include <stdlib.h>
#include <string.h>

#include "monitor/base/list.h"

#define OFFSET_BITS 48

enum um_status um_samples_init(struct um_samples *samples, size_t most, uint32_t most_nodes)
{
    memset(samples, 0, sizeof *samples);
    samples->most = most ? most : UM_SAMPLES_MOST;
    return um_calltree_init(&samples->stacks, most_nodes);
}

void um_samples_deinit(struct um_samples *samples)
{
    um_calltree_deinit(&samples->stacks);
    free(samples->entries);
    memset(samples, 0, sizeof *samples);
}

static enum um_status make_room(struct um_samples *samples)
{
    if (samples->count == samples->most)
        return UM_ERR_TOO_LARGE;
    bool has_room = um_list_reserve(&samples->entries, &samples->cap, samples->count + 1,
                                    samples->most, sizeof *samples->entries);
    return has_room ? UM_OK : UM_ERR_MEMORY;
}

enum um_status um_samples_add(struct um_samples *samples, const struct um_samples_entry *entry,
                              const uint64_t *keys, size_t count, bool cut)
{
    struct um_calltree_frame frames[UM_CALLTREE_DEPTH];
    struct um_calltree_sample sample = {
        .frames = frames, .frame_count = count, .cut = cut, .freeze = entry->freeze};
    uint32_t node;
    if (count > UM_CALLTREE_DEPTH) {
        sample.frame_count = UM_CALLTREE_DEPTH;
        sample.cut = true;
    }
    for (size_t i = 0; i < sample.frame_count; i++)
        frames[i] = (struct um_calltree_frame){.key = keys[i]};
    sample.cost = entry->cost;
    enum um_status status = make_room(samples);
    if (status != UM_OK) {
        um_calltree_sum(&samples->stacks.lost, &entry->cost);
        return status;
    }
    status = um_calltree_add(&samples->stacks, &sample, &node);
    if (status != UM_OK)
        return status;
    samples->entries[samples->count] = *entry;
    samples->entries[samples->count++].node = node;
    return UM_OK;
}

uint64_t um_samples_key(int32_t module, uint64_t offset)
{
    uint64_t upper = module < 0 ? 0 : (uint64_t)(uint32_t)module + 1;
    return upper << OFFSET_BITS | (offset & ((UINT64_C(1) << OFFSET_BITS) - 1));
}

int32_t um_samples_module(uint64_t key)
{
    return (int32_t)(key >> OFFSET_BITS) - 1;
}

uint64_t um_samples_offset(uint64_t key)
{
    return key & ((UINT64_C(1) << OFFSET_BITS) - 1);
}
