/* Arrays on the heap that grow as elements are added. Not on the hot path.
 */
#ifndef UM_BASE_LIST_H
#define UM_BASE_LIST_H

#include <stdbool.h>
#include <stddef.h>

/* Makes room for `count` elements of `size` bytes; at least twice the room that there was, so that
 * adding one by one stays cheap, but never for more than `most`. New room is zeroed.
 * `array_at`: the address of the pointer to the array, which is NULL at first. `room`: for how many
 * elements it has room, 0 at first. Owner: free the array.
 * False, and nothing is changed, if `count` is more than `most`, or without memory. */
bool um_list_reserve(void *array_at, size_t *room, size_t count, size_t most, size_t size);

#endif
