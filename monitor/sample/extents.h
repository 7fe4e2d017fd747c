/* Where the modules of a process lie: they are found by an address in them.
 *
 * What is known of a module is an entry of the caller's, which begins with its extent. The entries
 * lie in one array, sorted by their bases, and none overlaps with another one. A reader starts at
 * um_extents_find. Pure. Thread: one at a time.
 */
#ifndef UM_MONITOR_EXTENTS_H
#define UM_MONITOR_EXTENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"

/* The first member of an entry. */
struct um_extent {
    uint64_t base;
    uint32_t bytes;
    int32_t index; /* counts the entries in the order in which they were added */
};

/* Private to extents.c, but for reading. Nothing to release. */
struct um_extents {
    void *entries;
    size_t entry_bytes;
    size_t cap;
    size_t count;
};

/* Begins without entries. Owner: the caller, of `entries`: room for `cap` of them, of `entry_bytes`
 * each. */
void um_extents_init(struct um_extents *extents, void *entries, size_t entry_bytes, size_t cap);

bool um_extents_is_full(const struct um_extents *extents);

/* The entry by its place in the array. */
void *um_extents_at(const struct um_extents *extents, size_t place);

/* The entry that has the byte at an address; NULL: none has. */
void *um_extents_find(const struct um_extents *extents, uint64_t address);

/* Adds a copy of an entry, and sets the index in it and in the copy.
 * Errors: UM_ERR_TOO_LARGE there is no room; UM_ERR_EXISTS it overlaps with another one. */
enum um_status um_extents_add(struct um_extents *extents, void *entry);

#endif
