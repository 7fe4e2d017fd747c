#include "monitor/profile/samples.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"

#define OFFSET_BITS 48
#define LOOK_BACK 2048 /* samples between two of the same thread, at most */

enum um_status um_samples_init(struct um_samples *samples, size_t most)
{
    memset(samples, 0, sizeof *samples);
    samples->most = most ? most : UM_SAMPLES_MOST;
    return um_calltree_init(&samples->stacks, 0);
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

/* The latest sample of a thread; NULL: it is not among the last ones. */
static struct um_samples_entry *latest_of(const struct um_samples *samples, uint32_t thread)
{
    size_t first = samples->count > LOOK_BACK ? samples->count - LOOK_BACK : 0;
    for (size_t i = samples->count; i > first; i--)
        if (samples->entries[i - 1].thread == thread)
            return &samples->entries[i - 1];
    return NULL;
}

/* Weighs a sample that is about to be added, and the first one of its absence if that came just
 * before. */
static void weigh(const struct um_samples *samples, struct um_samples_entry *entry)
{
    struct um_samples_entry *before = entry->gap_ns > 0 ? latest_of(samples, entry->thread) : NULL;
    entry->cost.wall_ns = entry->gap_ns > 0 ? entry->gap_ns : UM_SAMPLES_FIRST_NS;
    if (before && before->gap_ns == 0)
        before->cost.wall_ns = entry->gap_ns;
}

enum um_status um_samples_add(struct um_samples *samples, const struct um_samples_entry *entry,
                              const uint64_t *keys, size_t count, bool cut)
{
    struct um_calltree_frame frames[UM_CALLTREE_DEPTH];
    struct um_calltree_sample sample = {
        .frames = frames, .frame_count = count, .cut = cut, .cost = entry->cost};
    uint32_t node;
    sample.cost.wall_ns = 0;
    if (count > UM_CALLTREE_DEPTH) {
        sample.frame_count = UM_CALLTREE_DEPTH;
        sample.cut = true;
    }
    for (size_t i = 0; i < sample.frame_count; i++)
        frames[i] = (struct um_calltree_frame){.key = keys[i]};
    enum um_status status = make_room(samples);
    if (status != UM_OK) {
        um_calltree_sum(&samples->stacks.lost, &sample.cost);
        return status;
    }
    status = um_calltree_add(&samples->stacks, &sample, &node);
    if (status != UM_OK)
        return status;
    struct um_samples_entry *added = &samples->entries[samples->count];
    *added = *entry;
    added->node = node;
    weigh(samples, added);
    samples->count++;
    return UM_OK;
}

double um_samples_effective(double sum, double squares)
{
    return squares > 0 ? sum * sum / squares : 0;
}

uint64_t um_samples_share(uint64_t count, uint64_t part, uint64_t whole)
{
    if (whole == 0)
        return 0;
    return part >= whole ? count : (uint64_t)((double)count * (double)part / (double)whole + 0.5);
}

uint64_t um_samples_key(int32_t module, uint64_t offset)
{
    uint64_t upper = module < 0 ? 0 : (uint64_t)(uint32_t)module + 1;
    return upper << OFFSET_BITS | um_samples_offset(offset);
}

int32_t um_samples_module(uint64_t key)
{
    return (int32_t)(key >> OFFSET_BITS) - 1;
}

uint64_t um_samples_offset(uint64_t key)
{
    return key & ((UINT64_C(1) << OFFSET_BITS) - 1);
}
