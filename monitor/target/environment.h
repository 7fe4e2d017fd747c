/* Environments as CreateProcess takes them: strings "NAME=VALUE" one after the other, with an empty
 * one at the end, sorted by their names without regard to case. Pure; not on the hot path.
 */
#ifndef UM_MONITOR_ENVIRONMENT_H
#define UM_MONITOR_ENVIRONMENT_H

#include <stdbool.h>
#include <wchar.h>

/* A copy of an environment in which a variable has this value; with `joins` behind the one that it
 * has already and a semicolon. `name` is of ASCII. Owner: free. NULL without memory. */
wchar_t *um_environment_with(const wchar_t *all, const wchar_t *name, const wchar_t *value,
                             bool joins);

#endif
