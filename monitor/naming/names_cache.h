/* A cache of names of addresses, so that none is asked for twice. The number of names and the bytes
 * of their texts are bounded; when there is no more room, the oldest names are dropped. Not on the
 * hot path.
 */
#ifndef UM_MONITOR_NAMES_CACHE_H
#define UM_MONITOR_NAMES_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "ipc/names.h"
#include "base/plain/status.h"

#define UM_NAMES_CACHE_COUNT 4096
#define UM_NAMES_CACHE_TEXT_BYTES (1024 * 1024)

struct um_names_cache;

/* As struct um_names_name, but with pointers to its texts. */
struct um_names_cached {
    uint32_t displacement;
    uint32_t line;
    bool is_nearest; /* the line */
    uint32_t first_line, last_line;
    uint8_t kind;
    uint8_t why;
    uint8_t pdb;
    const char *name;     /* the cache's */
    const char *file;     /* the cache's; "": not known */
    const char *assembly; /* the same */
    const char *checksum; /* the same */
    uint32_t assembly_timestamp, assembly_bytes;
};

/* Owner: um_names_cache_close. Errors: UM_ERR_MEMORY. */
enum um_status um_names_cache_open(struct um_names_cache **cache);

/* Keeps a name, in place of the address's old one. `module` is any number of the module.
 * Errors: UM_ERR_MEMORY it is not kept. */
enum um_status um_names_cache_put(struct um_names_cache *cache, uint32_t module, uint32_t rva,
                                  const struct um_names_name *name);

/* Finds a name; NULL: it is not there. Owner: valid until the next put. */
const struct um_names_cached *um_names_cache_find(const struct um_names_cache *cache,
                                                  uint32_t module, uint32_t rva);

/* Accepts NULL. */
void um_names_cache_close(struct um_names_cache *cache);

#endif
