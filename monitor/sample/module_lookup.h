/* Finds the module of an address in a 64-bit process. The modules are listed when an address is in
 * no known one, at most once a second. Not on the hot path. One thread at a time.
 */
#ifndef UM_MONITOR_MODULE_LOOKUP_H
#define UM_MONITOR_MODULE_LOOKUP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "monitor/sample/sampler.h"

struct um_module_lookup;

/* Opens the process by one of its threads. Owner: um_module_lookup_close. Errors: as
 * um_stopper->open. */
enum um_status um_module_lookup_open(uint32_t pid, uint32_t tid, struct um_module_lookup **places);

/* Accepts NULL. */
void um_module_lookup_close(struct um_module_lookup *places);

/* Finds the module of an address, and the offset in it; false: it is in no known one.
 * Thread: blocks for some ms if it lists the modules. */
bool um_module_lookup_find(struct um_module_lookup *places, uint64_t address, uint64_t now_ns,
                           struct um_sampler_module *module, uint64_t *offset);

#endif
