#include "base/intern.h"

#include <stdlib.h>
#include <string.h>

#define SLOTS_AT_FIRST 64

uint64_t um_intern_mix(uint64_t hash, uint64_t value)
{
    uint64_t mixed = (hash ^ value) + UINT64_C(0x9e3779b97f4a7c15);
    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ (mixed >> 31);
}

uint64_t um_intern_mix_bytes(uint64_t hash, const char *bytes, size_t count)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < count; i++)
        sum = (sum ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
    return um_intern_mix(hash, sum);
}

uint64_t um_intern_mix_text(uint64_t hash, const char *text)
{
    return um_intern_mix_bytes(hash, text, strlen(text));
}

uint32_t um_intern_find(const struct um_intern *table, uint64_t hash, um_intern_equal *equal,
                        const void *context)
{
    if (table->slot_count == 0)
        return UM_INTERN_NONE;
    size_t mask = table->slot_count - 1;
    for (size_t at = (size_t)hash & mask; table->slots[at] != 0; at = (at + 1) & mask)
        if (table->hashes[at] == (uint32_t)hash && equal(context, table->slots[at] - 1))
            return table->slots[at] - 1;
    return UM_INTERN_NONE;
}

static void put(struct um_intern *table, uint32_t hash, uint32_t slot)
{
    size_t mask = table->slot_count - 1;
    size_t at = (size_t)hash & mask;
    while (table->slots[at] != 0)
        at = (at + 1) & mask;
    table->slots[at] = slot;
    table->hashes[at] = hash;
}

bool um_intern_reserve(struct um_intern *table, size_t more)
{
    struct um_intern grown = {.slot_count = SLOTS_AT_FIRST, .used = table->used};
    while (grown.slot_count < (table->used + more) * 2)
        grown.slot_count *= 2;
    if (grown.slot_count <= table->slot_count)
        return true;
    grown.slots = calloc(grown.slot_count, sizeof *grown.slots);
    grown.hashes = calloc(grown.slot_count, sizeof *grown.hashes);
    if (!grown.slots || !grown.hashes) {
        um_intern_deinit(&grown);
        return false;
    }
    for (size_t i = 0; i < table->slot_count; i++)
        if (table->slots[i] != 0)
            put(&grown, table->hashes[i], table->slots[i]);
    um_intern_deinit(table);
    *table = grown;
    return true;
}

void um_intern_add(struct um_intern *table, uint64_t hash, uint32_t index)
{
    put(table, (uint32_t)hash, index + 1);
    table->used++;
}

void um_intern_deinit(struct um_intern *table)
{
    free(table->slots);
    free(table->hashes);
    *table = (struct um_intern){0};
}
