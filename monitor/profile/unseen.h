/* What a user's list of modules names and no stack has: most likely a mistyped name. A rightly
 * written module of which nothing was sampled is in no stack either. Lists are those of
 * base/module_list.h. Not on the hot path. Thread: one at a time. */
#ifndef UM_MONITOR_UNSEEN_H
#define UM_MONITOR_UNSEEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/module_list.h"
#include "monitor/profile/view.h"

#define UM_UNSEEN_ENTRIES UM_MODULE_LIST_BITS /* of a list; further ones count as seen */

/* Which entries no function is of: bit i stands for entry i, from 0. */
uint32_t um_unseen_find(const struct um_functions *functions, const char *modules);

/* "plgn", or "plgn; did you mean plugin?" if a function's module has a name like it, as far as it
 * fits. Returns whether there is such a module. */
bool um_unseen_text(const struct um_functions *functions, const char *modules, unsigned entry,
                    char *text, size_t cap_bytes);

/* "plgn, other": the entries whose bits are set, as far as they fit. */
void um_unseen_join(const char *modules, uint32_t entries, char *text, size_t cap_bytes);

/* Writes a line, "no stack has plgn; did you mean plugin?", for each of the first entries that are
 * in no stack of the view. */
void um_unseen_write(const struct um_view *view, const char *modules, const char *indent,
                     FILE *out);

#endif
