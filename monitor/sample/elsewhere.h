/* Generated code for the unwinder: functions that lie in no module, as a runtime makes them.
 *
 * Only the target itself can look them up. So the walk of a sample leaves a question here and
 * waits; the watch thread carries it to the hook DLL and brings the answer. Nobody asks while a
 * thread of the target is suspended: it may hold a lock that the answer takes, and then both would
 * wait for ever. So no thread may be suspended while um_elsewhere_is_asking says so.
 *
 * A runtime can free or move its code, so answers are kept for one absence of the thread alone.
 * After UM_ELSEWHERE_FAILURES questions that were not answered in time, none is asked in that
 * absence: walks then end with UM_UNWIND_PENDING. A reader starts at um_elsewhere_wait. Threads:
 * the sampler's and the watch thread.
 */
#ifndef UM_MONITOR_ELSEWHERE_H
#define UM_MONITOR_ELSEWHERE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/status.h"
#include "ipc/wire.h"
#include "monitor/sample/unwind.h"

#define UM_ELSEWHERE_FUNCTIONS 512 /* of more, all are forgotten */
#define UM_ELSEWHERE_LIMIT_MS 100  /* for one answer; the DLL looks for questions each 20 ms */
#define UM_ELSEWHERE_FAILURES 3
#define UM_ELSEWHERE_UNWIND_BYTES 64 /* of a function's unwind data that are kept */

/* What is known of the target's memory; as the functions of stopper.h. Thread: the sampler's. */
struct um_elsewhere_source {
    void *context;
    bool (*read)(void *context, uint64_t address, void *bytes, size_t len);
    /* Whether generated code may lie there, and the range of addresses for which that holds. */
    bool (*is_code)(void *context, uint64_t address, uint64_t *begin, uint64_t *end);
};

struct um_elsewhere;

/* Owner: um_elsewhere_close; `source` is copied, its context must outlive it.
 * Errors: UM_ERR_MEMORY. */
enum um_status um_elsewhere_open(const struct um_elsewhere_source *source,
                                 struct um_elsewhere **elsewhere);

/* Accepts NULL. Thread: no other uses it any more. */
void um_elsewhere_close(struct um_elsewhere *elsewhere);

/* For um_modules_init and um_unwind_run. Thread: the sampler's. */
struct um_unwind_code um_elsewhere_code(struct um_elsewhere *elsewhere);

/* Forgets all answers, and asks again where it had given up. Thread: the sampler's. */
void um_elsewhere_forget(struct um_elsewhere *elsewhere);

/* After a walk has stopped with UM_UNWIND_PENDING: waits for the answer. False: there is none, and
 * the walk stays as it is. Thread: the sampler's; blocks for UM_ELSEWHERE_LIMIT_MS at most. */
bool um_elsewhere_wait(struct um_elsewhere *elsewhere);

/* Whether the target has a question that it has not answered: no thread may be suspended. */
bool um_elsewhere_is_asking(struct um_elsewhere *elsewhere);

/* Ends all waiting, now and later. */
void um_elsewhere_cancel(struct um_elsewhere *elsewhere);

/* The question that is to be sent, once; false if there is none. Thread: the watch thread; never
 * waits, as um_elsewhere_answer. */
bool um_elsewhere_question(struct um_elsewhere *elsewhere, uint64_t *address);

/* Takes a CODE. One that nobody has asked for is left alone. */
void um_elsewhere_answer(struct um_elsewhere *elsewhere, const struct um_wire_frame *frame);

#endif
