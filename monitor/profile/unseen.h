/* What a user's list of modules names and no stack has: most likely a mistyped name. */
#ifndef UM_MONITOR_UNSEEN_H
#define UM_MONITOR_UNSEEN_H

#include <stdio.h>

#include "monitor/profile/view.h"

/* Writes a line, "no stack has plugn; did you mean plugin?", for each of the first entries of the
 * list that are in no stack of the view. `modules` is a list of base/module_list.h. A rightly
 * written module of which nothing was sampled is in no stack either. Thread: one at a time. */
void um_unseen_write(const struct um_view *view, const char *modules, const char *indent,
                     FILE *out);

#endif
