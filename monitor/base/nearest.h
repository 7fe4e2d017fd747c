/* "Did you mean": the word of a list that a mistyped one comes nearest to. Not on the hot path. */
#ifndef UM_MONITOR_NEAREST_H
#define UM_MONITOR_NEAREST_H

/* The entry of the NULL-terminated `list` that `word` was probably meant to be, or NULL if none is
 * near enough for the question to help. A beginning of an entry is near it; dashes in front of
 * either do not count.
 * Source: optimal string alignment distance (an insertion, deletion, replacement or swap of two
 * neighbours is one edit). */
const char *um_nearest_find(const char *word, const char *const *list);

#endif
