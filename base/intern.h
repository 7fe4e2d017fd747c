/* Finds the index of a thing that was added before: a hash table of indexes into the caller's
 * array. Not on the hot path. Thread: one at a time.
 */
#ifndef UM_BASE_INTERN_H
#define UM_BASE_INTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UM_INTERN_NONE UINT32_MAX

/* A zeroed table is empty. Private to intern.c. */
struct um_intern {
    uint32_t *slots; /* an index + 1; 0 is free */
    uint32_t *hashes;
    size_t slot_count; /* a power of two */
    size_t used;
};

/* Whether the thing with this index is the wanted one. */
typedef bool um_intern_equal(const void *context, uint32_t index);

/* The index, or UM_INTERN_NONE. */
uint32_t um_intern_find(const struct um_intern *table, uint64_t hash, um_intern_equal *equal,
                        const void *context);

/* Makes room for `more` indexes. False if there is no memory. */
bool um_intern_reserve(struct um_intern *table, size_t more);

/* Adds a new index. um_intern_reserve must have made room for it. */
void um_intern_add(struct um_intern *table, uint64_t hash, uint32_t index);

void um_intern_deinit(struct um_intern *table);

/* Mixes a number into a hash. Source: the finaliser of SplitMix64, see random.h. */
uint64_t um_intern_mix(uint64_t hash, uint64_t value);

/* Mixes a text, or some bytes, into a hash. Source: FNV-1a, draft-eastlake-fnv. */
uint64_t um_intern_mix_text(uint64_t hash, const char *text);
uint64_t um_intern_mix_bytes(uint64_t hash, const char *bytes, size_t count);

#endif
