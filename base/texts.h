/* A set of texts, each kept once, with a number from 0 on in the order in which they were added.
 *
 * A zeroed set is empty. Not on the hot path. Thread: one at a time.
 */
#ifndef UM_BASE_TEXTS_H
#define UM_BASE_TEXTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/intern.h"

#define UM_TEXTS_NONE UINT32_MAX

/* Private to texts.c. */
struct um_texts {
    struct um_intern index;
    char *bytes;
    size_t len_bytes, room_bytes;
    size_t *starts; /* of each text in `bytes` */
    size_t count, room;
};

/* The number of a text of so many bytes, which is added if it is new. A NUL within it ends it.
 * UM_TEXTS_NONE without memory. */
uint32_t um_texts_add(struct um_texts *texts, const char *text, size_t len_bytes);

/* The number of a text; UM_TEXTS_NONE if it is not in the set. */
uint32_t um_texts_find(const struct um_texts *texts, const char *text);

/* The text with a number; "" if there is none. Owner: the set; it moves with the next addition. */
const char *um_texts_get(const struct um_texts *texts, uint32_t number);

void um_texts_deinit(struct um_texts *texts);

#endif
