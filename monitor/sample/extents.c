#include "monitor/sample/extents.h"

#include <string.h>

void um_extents_init(struct um_extents *extents, void *entries, size_t entry_bytes, size_t cap)
{
    *extents = (struct um_extents){
        .entries = entries, .entry_bytes = entry_bytes, .cap = cap < INT32_MAX ? cap : INT32_MAX};
}

bool um_extents_is_full(const struct um_extents *extents)
{
    return extents->count == extents->cap;
}

void *um_extents_at(const struct um_extents *extents, size_t place)
{
    return (uint8_t *)extents->entries + place * extents->entry_bytes;
}

/* How many entries begin at or below an address. */
static size_t count_up_to(const struct um_extents *extents, uint64_t address)
{
    size_t low = 0;
    size_t high = extents->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct um_extent *extent = um_extents_at(extents, middle);
        if (extent->base <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool has_byte(const struct um_extent *extent, uint64_t address)
{
    return address >= extent->base && address - extent->base < extent->bytes;
}

void *um_extents_find(const struct um_extents *extents, uint64_t address)
{
    size_t count = count_up_to(extents, address);
    void *entry = count > 0 ? um_extents_at(extents, count - 1) : NULL;
    return entry && has_byte(entry, address) ? entry : NULL;
}

enum um_status um_extents_add(struct um_extents *extents, void *entry)
{
    struct um_extent *added = entry;
    size_t at = count_up_to(extents, added->base);
    void *place = um_extents_at(extents, at);
    if (um_extents_is_full(extents))
        return UM_ERR_TOO_LARGE;
    const struct um_extent *next = at < extents->count ? place : NULL;
    if (um_extents_find(extents, added->base) || (next && has_byte(added, next->base)))
        return UM_ERR_EXISTS;
    memmove(um_extents_at(extents, at + 1), place, (extents->count - at) * extents->entry_bytes);
    added->index = (int32_t)extents->count++;
    memcpy(place, entry, extents->entry_bytes);
    return UM_OK;
}
