/* Names of addresses that were asked for, so that none is asked for twice. It holds a bounded
 * number of names and of bytes of text; where there is no more room, the oldest names leave. Not on
 * the hot path.
 */
#ifndef UM_MONITOR_NAMES_CACHE_H
#define UM_MONITOR_NAMES_CACHE_H

#include <stdint.h>

#include "ipc/names.h"
#include "ipc/status.h"

#define UM_NAMES_CACHE_COUNT 4096
#define UM_NAMES_CACHE_TEXT_BYTES (1024 * 1024)

struct um_names_cache;

/* What is known of an address: as struct um_names_name, whose texts are as long as they are. */
struct um_names_cached {
    uint32_t displacement;
    uint32_t line;
    uint8_t kind;
    uint8_t why;
    const char *name; /* the cache's */
    const char *file; /* the cache's; "": not known */
};

/* Owner: um_names_cache_close. Errors: UM_ERR_MEMORY. */
enum um_status um_names_cache_open(struct um_names_cache **cache);

/* Keeps a name, in place of what was known of that address. Units: `module` is any number that
 * stands for the module. Errors: UM_ERR_MEMORY: it is not kept. */
enum um_status um_names_cache_put(struct um_names_cache *cache, uint32_t module, uint32_t rva,
                                  const struct um_names_name *name);

/* Finds a name. NULL: it is not there, or no longer. Owner: valid until the next put. */
const struct um_names_cached *um_names_cache_find(const struct um_names_cache *cache,
                                                  uint32_t module, uint32_t rva);

/* Accepts NULL. */
void um_names_cache_close(struct um_names_cache *cache);

#endif
