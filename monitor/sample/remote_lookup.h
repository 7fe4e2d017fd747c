/* Finds generated code for the unwinder: functions of a runtime that lie in no module.
 *
 * Only the target itself can look them up. So the walk of a sample leaves a question here and
 * waits; the watch thread sends it to the hook DLL and brings the answer. No thread may be
 * suspended while um_remote_lookup_is_asking: it may hold a lock that the answer needs, and then
 * both would wait for ever.
 *
 * A runtime can free or move its code, so answers are kept only for one absence of the UI thread.
 * After UM_REMOTE_LOOKUP_FAILURES questions without an answer in time, none is asked in that
 * absence: walks then end with UM_UNWIND_PENDING. An answer that comes late is taken by the next
 * walk that needs it. A reader starts at um_remote_lookup_wait.
 * Threads: the sampler's and the watch thread.
 */
#ifndef UM_MONITOR_REMOTE_LOOKUP_H
#define UM_MONITOR_REMOTE_LOOKUP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "ipc/wire.h"
#include "monitor/sample/stopper.h"
#include "monitor/sample/unwind.h"

#define UM_REMOTE_LOOKUP_FUNCTIONS 512 /* when there are more, all are forgotten */
#define UM_REMOTE_LOOKUP_LIMIT_MS 100  /* for one answer; the DLL looks for questions each 20 ms */
#define UM_REMOTE_LOOKUP_FAILURES 10
#define UM_REMOTE_LOOKUP_UNWIND_BYTES 64 /* of a function's unwind data that are kept */

struct um_remote_lookup;

/* Owner: um_remote_lookup_close; `stopper` must outlive it, and reads the target's memory on the
 * sampler's thread. `now_ns` is the sampler's clock (sampler.h). Errors: UM_ERR_MEMORY. */
enum um_status um_remote_lookup_open(struct um_stopper *stopper, uint64_t (*now_ns)(void),
                                     struct um_remote_lookup **elsewhere);

/* Accepts NULL. Thread: no other uses it any more. */
void um_remote_lookup_close(struct um_remote_lookup *elsewhere);

/* For um_modules_init and um_unwind_run. Thread: the sampler's. */
struct um_unwind_code um_remote_lookup_code(struct um_remote_lookup *elsewhere);

/* Forgets all answers and failures. Thread: the sampler's. */
void um_remote_lookup_forget(struct um_remote_lookup *elsewhere);

/* After a walk has stopped with UM_UNWIND_PENDING: waits for the answer. False: none came in time.
 * Thread: the sampler's; blocks for UM_REMOTE_LOOKUP_LIMIT_MS at most. */
bool um_remote_lookup_wait(struct um_remote_lookup *elsewhere);

/* Whether the target has an unanswered question, so that no thread may be suspended. */
bool um_remote_lookup_is_asking(struct um_remote_lookup *elsewhere);

/* Ends all waiting, now and later. */
void um_remote_lookup_cancel(struct um_remote_lookup *elsewhere);

/* The question that is to be sent, once; false if there is none. Thread: the watch thread; never
 * waits, as um_remote_lookup_answer. */
bool um_remote_lookup_question(struct um_remote_lookup *elsewhere, uint64_t *address);

/* Takes a CODE. One that was not asked for is ignored. */
void um_remote_lookup_answer(struct um_remote_lookup *elsewhere,
                             const struct um_wire_frame *answer);

#endif
