/* Keys as a scenario writes them: ctrl+shift+space, F10, alt+f, ctrl++. The case of names does not
 * matter. */
#ifndef UM_MONITOR_SCENARIO_KEYS_H
#define UM_MONITOR_SCENARIO_KEYS_H

#include <stddef.h>

#include "base/plain/status.h"
#include "monitor/bench/scenario.h"

#define UM_SCENARIO_KEYS_BYTES 48 /* of a key's name with its modifiers */

/* Reads a key. Errors: UM_ERR_FORMAT there is no such key; `error` says so, without file and
 * line. */
enum um_status um_scenario_keys_parse(const char *text, struct um_scenario_key *key, char *error,
                                      size_t error_cap);

/* Writes a key as a scenario writes it. Always NUL-terminated. */
void um_scenario_keys_name(const struct um_scenario_key *key, char *buf, size_t cap_bytes);

#endif
