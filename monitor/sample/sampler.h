/* The sampler: samples the stack of the target's UI thread while that thread is away, or always.
 *
 * It runs on a thread of its own, so that measuring never waits for it. The watch thread tells it
 * how long the outstanding beat has waited; from `after_ns` on, it takes a sample every `every_ns`,
 * or less often, so that the suspensions keep within the share of budget.h. It walks each sample
 * after the thread runs again, and leaves it for um_sampler_next. While the UI thread is away it
 * also finds out for whom it waits (blocker.h), and samples that thread too. With `all_threads` it
 * samples all the others (threads.h), one after each sample of the UI thread. A reader starts at
 * um_sampler_waits. Portable, with the backends of stopper.h and waits.h.
 */
#ifndef UM_MONITOR_SAMPLER_H
#define UM_MONITOR_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/status.h"
#include "ipc/wire.h"
#include "monitor/sample/blocker.h"
#include "monitor/sample/suspensions.h"
#include "monitor/sample/unwind.h"

struct um_sampler;

#define UM_SAMPLER_FRAMES 256
#define UM_SAMPLER_QUEUE 128 /* of more samples that nobody takes, the oldest are lost */
#define UM_SAMPLER_MODULES 4096
#define UM_SAMPLER_NO_MODULE (-1)

struct um_sampler_frame {
    uint64_t offset; /* of the instruction that ran, or of the last byte of the call, in its module;
                      * without a module its address */
    uint32_t displacement; /* from the begin of its function, by the module's tables; 0: unknown */
    int32_t module;        /* its number, or UM_SAMPLER_NO_MODULE */
};

struct um_sampler_sample {
    uint64_t time_ns;   /* when it was taken */
    uint64_t wall_ns;   /* since the same thread's sample before it in the same absence; 0: it is
                         * the first */
    uint64_t user_ns;   /* of that, how long the thread ran, in user mode */
    uint64_t kernel_ns; /* and in kernel mode, as the system counts it */
    bool has_times;     /* both are known */
    uint32_t absence;   /* a number for each time that the UI thread was away; with `always` the
                         * same one all the time */
    uint32_t thread;
    bool is_other;                               /* it is not the UI thread */
    char thread_name[UM_WIRE_THREAD_NAME_BYTES]; /* in the first sample of another thread, or "" */
    struct um_blocker blocker; /* for whom the UI thread waited; kind NONE: not known */
    enum um_unwind_stop stop;  /* START: the stack was walked to its end */
    size_t count;
    struct um_sampler_frame frames[UM_SAMPLER_FRAMES]; /* innermost first */
};

struct um_sampler_module {
    uint32_t timestamp; /* of its header; 0: not known */
    uint32_t image_bytes;
    uint64_t base;                        /* where it lay when it was first seen */
    char path[UM_WIRE_MODULE_PATH_BYTES]; /* its name alone, if the system does not tell more */
};

struct um_sampler_options {
    uint64_t after_ns; /* the thread has been away for so long when sampling begins */
    uint64_t every_ns; /* between the begins of two samples of the UI thread, on average: by chance
                        * from 3/4 to 5/4 of it; up to an hour */
    bool always;       /* it also samples while the thread is not away */
    bool all_threads;  /* and whenever it does, the other threads too */
    const uint8_t
        *nonce; /* of the hook DLL, which looks after threads that stand for too long; NULL:
                           * nobody does. Used by um_sampler_open alone */
};

/* Starts the sampler of a thread. `suspensions` goes on counting.
 * Owner: um_sampler_close. `suspensions` stays the caller's; hands off it until then.
 * Errors: as um_stopper_open. */
enum um_status um_sampler_open(uint32_t pid, uint32_t tid, const struct um_sampler_options *options,
                               struct um_suspensions *suspensions, struct um_sampler **sampler);

/* Ends it. When it returns the thread is not suspended. Accepts NULL.
 * Thread: blocks for a sample at most. */
void um_sampler_close(struct um_sampler *sampler);

/* How long the outstanding beat has waited; 0: none is outstanding. To be called whenever that has
 * changed; with `always` the first call begins it. Thread: the watch thread, as all that follows;
 * never waits for a sample. */
void um_sampler_waits(struct um_sampler *sampler, uint64_t waited_ns);

/* The same as waiting for 0 ns; but when it returns, no thread is suspended, and with `always` none
 * will be until the next um_sampler_waits.
 * Thread: blocks for a sample at most. */
void um_sampler_rest(struct um_sampler *sampler);

/* The next thread besides the UI thread that may be suspended from now on, or is not any more. With
 * the call after it, the hook DLL counts as told. False: there is none. */
bool um_sampler_thread(struct um_sampler *sampler, uint32_t *tid, bool *comes);

/* Whether there will be no more samples because the system refuses to suspend the thread, and why,
 * as um_stopper_take. True once. */
bool um_sampler_refused(struct um_sampler *sampler, enum um_status *why);

/* Takes the oldest sample that nobody has taken; false if there is none. */
bool um_sampler_next(struct um_sampler *sampler, struct um_sampler_sample *sample);

/* A module by the number that a frame has. It keeps its number.
 * Owner: the sampler's, until um_sampler_close. */
const struct um_sampler_module *um_sampler_module(struct um_sampler *sampler, int32_t number);

/* Whether the target has had more modules at a time than there is room for (images.h). */
bool um_sampler_has_too_many(struct um_sampler *sampler);

/* What the DLL is to be asked, once, of code that is in no module; false if there is nothing. The
 * samples of the stacks that have it wait for the CODE, which um_sampler_answer takes. */
bool um_sampler_question(struct um_sampler *sampler, uint64_t *address);
void um_sampler_answer(struct um_sampler *sampler, const struct um_wire_frame *frame);

/* What sampling has cost the target, in the terms of um_suspensions_sum. */
bool um_sampler_cost(struct um_sampler *sampler, struct um_wire_sampling *out);

#endif
