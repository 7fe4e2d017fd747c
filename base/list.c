#include "base/list.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define ROOM_AT_FIRST 16

bool um_list_reserve(void *array_at, size_t *room, size_t count, size_t most, size_t size)
{
    void *array;

    if (count <= *room)
        return true;
    if (count > most || count > SIZE_MAX / size)
        return false;
    size_t wanted = *room == 0 ? ROOM_AT_FIRST : *room < SIZE_MAX / size / 2 ? 2 * *room : count;
    wanted = wanted > count ? wanted : count;
    wanted = wanted < most ? wanted : most;
    /* A pointer to any type is copied, because to write it through a void ** would be a different
     * type's. */
    memcpy(&array, array_at, sizeof array);
    char *grown = realloc(array, wanted * size);
    if (!grown)
        return false;
    memset(grown + *room * size, 0, (wanted - *room) * size);
    memcpy(array_at, &grown, sizeof grown);
    *room = wanted;
    /* cppcheck-suppress memleak ; it stands at array_at */
    return true;
}
