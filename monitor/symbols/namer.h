/* A thread that asks for names, so that nobody who measures waits for symbols.
 *
 * Addresses go in, and each gets one answer: a name, or why there is none. Those of generated code
 * come first, because that takes little time, while the symbols of a module can take long; else
 * answers come in the order of the questions. A reader starts at um_namer_ask. Not on the hot path.
 * Thread: one asks and takes.
 */
#ifndef UM_MONITOR_NAMER_H
#define UM_MONITOR_NAMER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/names.h"
#include "ipc/status.h"
#include "ipc/transport.h"

#define UM_NAMER_QUEUE 256 /* questions that wait, and answers that nobody has taken */

/* An address and, in the answer, its name. */
struct um_namer_address {
    uint64_t key;    /* the asker's */
    uint32_t module; /* by um_namer_module */
    uint32_t rva;
    uint32_t round; /* as that of an ADDRESS of ipc/names.h */
};

struct um_namer;

/* Starts the thread. The process of names_process.h is started with the first question.
 * Units: `search_path` as there. Owner: um_namer_close. Errors: as um_names_process_open. */
enum um_status um_namer_open(const char *search_path, const struct um_transport *transport,
                             struct um_namer **namer);

/* Adds a module, which was not added before, and gives its number. Never blocks.
 * Errors: UM_ERR_TOO_LARGE there are UM_NAMES_PROCESS_MODULES already; UM_ERR_MEMORY. */
enum um_status um_namer_module(struct um_namer *namer, const struct um_names_module *module,
                               uint32_t *number);

/* The process that the modules lie in; 0: there is none. Never blocks. */
void um_namer_target(struct um_namer *namer, uint32_t pid);

/* Asks for a name. False if there is no room: ask again later. Never blocks. */
bool um_namer_ask(struct um_namer *namer, const struct um_namer_address *address);

/* Takes an answer; false if there is none yet. `name->number` means nothing. Never blocks. */
bool um_namer_next(struct um_namer *namer, struct um_namer_address *address,
                   struct um_names_name *name);

/* Why there is no process, in a few words for a parenthesis; "" if there was no reason yet. */
void um_namer_why(struct um_namer *namer, char *why, size_t cap_bytes);

/* Ends the thread and the process. Accepts NULL. Thread: blocks for half a second at most. */
void um_namer_close(struct um_namer *namer);

#endif
