/* The process that finds the names of addresses, uimon-names.exe, and a cache of its answers.
 *
 * The process is started when the first name is asked for. It can end, be killed or take long over
 * a module; then names are missing, and callers wait no longer than their limit. It is started
 * again when it ends, four times a minute at the most. A module over which it ended twice is not
 * asked about again. Not on the hot path. A reader starts at um_names_process_ask.
 */
#ifndef UM_MONITOR_NAMES_PROCESS_H
#define UM_MONITOR_NAMES_PROCESS_H

#include <stddef.h>
#include <stdint.h>

#include "ipc/names.h"
#include "base/plain/status.h"
#include "ipc/transport.h"
#include "monitor/naming/names_cache.h"

#define UM_NAMES_PROCESS_MODULES 4096
#define UM_NAMES_PROCESS_STARTS 4
/* A process that has not answered for so long is killed. Downloading a module's symbols may take
 * most of that. */
#define UM_NAMES_PROCESS_STUCK_NS (UINT64_C(60) * 1000 * 1000 * 1000)

/* The same for generated code, for which nothing is downloaded. Reading a runtime's data may never
 * end. */
#define UM_NAMES_PROCESS_RUNAWAY_NS (UINT64_C(10) * 1000 * 1000 * 1000)

struct um_names_process;

/* A byte of a module. */
struct um_names_process_address {
    uint32_t module; /* the number of um_names_process_module */
    uint32_t rva;
    uint32_t round; /* as in an ADDRESS */
};

/* Starts no process yet.
 * Units: `search_path` as in _NT_SYMBOL_PATH; "": symbols are looked for beside the modules.
 * Owner: um_names_process_close. Errors: UM_ERR_TOO_LARGE the path has UM_NAMES_SEARCH_BYTES or
 * more; UM_ERR_MEMORY. */
enum um_status um_names_process_open(const char *search_path, const struct um_transport *transport,
                                     struct um_names_process **process);

/* Sets the process of the modules, for names that are found in its memory; 0: there is none. */
void um_names_process_target(struct um_names_process *process, uint32_t pid);

/* Says that it has 32 bits: uimon-names32.exe is started from now on, because the library of its
 * runtime is for 32 bits, too. */
void um_names_process_x86(struct um_names_process *process);

/* Gives the number of a module: the same for the same module. See struct um_names_module for what
 * is compared with the file.
 * Errors: UM_ERR_TOO_LARGE there are UM_NAMES_PROCESS_MODULES already; UM_ERR_MEMORY. */
enum um_status um_names_process_module(struct um_names_process *process,
                                       const struct um_names_module *module, uint32_t *number);

/* Asks for the names of those addresses that are not known yet, in their order, and waits for the
 * answers. It is quickest if the addresses of a module follow each other. um_names_process_find has
 * the answers that came, even after an error. Late ones are taken by the next call.
 * Units: no more than UM_NAMES_CACHE_COUNT addresses. Thread: one; blocks up to `limit_ms`.
 * Errors: UM_ERR_TIMEOUT; UM_ERR_UNSUPPORTED there is no process: see um_names_process_why;
 * UM_ERR_TOO_LARGE too many addresses; UM_ERR_MEMORY. */
enum um_status um_names_process_ask(struct um_names_process *process,
                                    const struct um_names_process_address *addresses, size_t count,
                                    uint32_t limit_ms);

/* The answer for an address, a name or why there is none; NULL: there is none in the cache.
 * Owner: valid until the next ask. */
const struct um_names_cached *um_names_process_find(const struct um_names_process *process,
                                                    uint32_t module, uint32_t rva);

/* Why there is no process, in a few words for a parenthesis; "" if there was no reason yet.
 * Owner: the process's. */
const char *um_names_process_why(const struct um_names_process *process);

/* How often a process was started. */
uint32_t um_names_process_starts(const struct um_names_process *process);

/* Ends the process and forgets the names. Accepts NULL. */
void um_names_process_close(struct um_names_process *process);

#endif
