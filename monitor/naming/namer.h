/* A thread that asks for names of addresses, so that measuring does not wait for symbols.
 *
 * Each address gets one answer: a name, or why there is none. Generated code comes first, because
 * that is quick, while the symbols of a module can take long. Otherwise answers come in the order
 * of the questions. A reader starts at um_namer_ask. Not on the hot path. Thread: one thread asks
 * and takes the answers.
 */
#ifndef UM_MONITOR_NAMER_H
#define UM_MONITOR_NAMER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/names.h"
#include "base/plain/status.h"
#include "ipc/transport.h"

#define UM_NAMER_QUEUE 256 /* of questions, and of answers */

/* An address and, in the answer, its name. */
struct um_namer_address {
    uint64_t key;    /* the caller's */
    uint32_t module; /* the number of um_namer_module */
    uint32_t rva;
    uint32_t round; /* as in an ADDRESS of ipc/names.h */
};

struct um_namer;

/* Starts the thread. The process of names_process.h is started with the first question. `pid` is
 * the process of the modules; 0: there is none.
 * Units: `search_path` as there. Owner: um_namer_close. Errors: as um_names_process_open. */
enum um_status um_namer_open(uint32_t pid, const char *search_path,
                             const struct um_transport *transport, struct um_namer **namer);

/* Says that the process of the modules has 32 bits. Call it before the first question. */
void um_namer_x86(struct um_namer *namer);

/* Adds a module, which was not added before, and gives its number. Never blocks.
 * Errors: UM_ERR_TOO_LARGE there are UM_NAMES_PROCESS_MODULES already; UM_ERR_MEMORY. */
enum um_status um_namer_module(struct um_namer *namer, const struct um_names_module *module,
                               uint32_t *number);

/* Asks for a name. False if there is no room: ask again later. Never blocks. */
bool um_namer_ask(struct um_namer *namer, const struct um_namer_address *address);

/* Takes an answer; false if there is none yet. `name->number` is not used. Never blocks. */
bool um_namer_next(struct um_namer *namer, struct um_namer_address *address,
                   struct um_names_name *name);

/* Why there is no process, in a few words for a parenthesis; "" if there was no reason yet. */
void um_namer_why(struct um_namer *namer, char *why, size_t cap_bytes);

/* Ends the thread and the process. Accepts NULL. Thread: blocks for half a second at most. */
void um_namer_close(struct um_namer *namer);

#endif
