/* "Did you mean ...?": finds the word of a list that a mistyped word was meant to be. Not on the
 * hot path. */
#ifndef UM_BASE_NEAREST_H
#define UM_BASE_NEAREST_H

#include <stddef.h>

/* The entry of the NULL-terminated `list` that `word` was probably meant to be, or NULL if no entry
 * is near enough. The beginning of an entry counts as near. Dashes in front of either are ignored,
 * and so is case (utf8.h), unless several are as near.
 * Source: optimal string alignment distance (an insertion, a deletion, a replacement or a swap of
 * two neighbours is one edit). */
const char *um_nearest_find(const char *word, const char *const *list);

/* "plgn; did you mean plugin?", as it is shown (utf8.h); "plgn" if `meant` is empty or NULL. What
 * does not fit is cut off. */
void um_nearest_text(const char *word, const char *meant, char *text, size_t cap_bytes);

#endif
