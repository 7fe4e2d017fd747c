/* The sampler: samples the stack of the target's UI thread while that thread is away, or always.
 * The thread is away while a beat has waited for `after_ns` or longer.
 *
 * It runs on a thread of its own, so that measuring never waits for it. It takes a sample every
 * `every_ns`, or less often, so that the suspensions keep within the share of budget.h. It walks
 * each sample after the thread runs again, and queues it for um_sampler_next. While the UI thread
 * is away it also finds out for whom it waits (blocker.h), and samples that thread too. With
 * `all_threads` it samples all the others (threads.h), one after each sample of the UI thread. A
 * reader starts at um_sampler_waits. Portable, with the backends of stopper.h and waits.h.
 */
#ifndef UM_MONITOR_SAMPLER_H
#define UM_MONITOR_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "ipc/wire.h"
#include "monitor/sample/blocker.h"
#include "monitor/sample/suspensions.h"
#include "monitor/sample/unwind.h"

struct um_sampler;

#define UM_SAMPLER_DEPTH 256 /* of a stack, in frames */
#define UM_SAMPLER_QUEUE 128 /* when it is full, the oldest sample is dropped */
#define UM_SAMPLER_MODULES 4096
#define UM_SAMPLER_NO_MODULE (-1)

/* A frame of a stack; everywhere in monitor/sample, a frame is that. */
struct um_sampler_frame {
    uint64_t offset; /* in its module, of the instruction that ran or of the last byte of the call;
                      * without a module the address */
    uint32_t displacement; /* from the begin of its function, by the module's tables; 0: unknown */
    int32_t module;        /* its number, or UM_SAMPLER_NO_MODULE */
};

struct um_sampler_sample {
    uint64_t time_ns;   /* when it was taken */
    uint64_t wall_ns;   /* since the thread's previous sample in the same absence, without pauses:
                         * the time by which a sample was over 100 ms late. 0: it is the first */
    uint64_t user_ns;   /* of that, how long the thread ran in user mode */
    uint64_t kernel_ns; /* how long it ran in kernel mode */
    bool has_times;     /* both are known */
    uint32_t absence;   /* counts the times that the UI thread was away; constant with `always` */
    uint32_t thread;
    bool is_other;                               /* it is not the UI thread */
    char thread_name[UM_WIRE_THREAD_NAME_BYTES]; /* in the first sample of another thread, or "" */
    struct um_blocker blocker; /* for whom the UI thread waited; kind NONE: not known */
    enum um_unwind_stop stop;  /* START: the stack was walked to its end */
    uint64_t guessed;          /* bit n: frame n is UM_UNWIND_GUESSED; later ones have no bit */
    size_t count;
    struct um_sampler_frame frames[UM_SAMPLER_DEPTH]; /* innermost first */
};

struct um_sampler_module {
    uint32_t timestamp; /* of its header; 0: not known */
    uint32_t image_bytes;
    uint64_t base;                        /* where it lay when it was first seen */
    char path[UM_WIRE_MODULE_PATH_BYTES]; /* only the name, if the path is not known */
};

struct um_sampler_options {
    uint64_t after_ns; /* how long a beat has waited when sampling begins */
    uint64_t every_ns; /* between the begins of two samples of the UI thread, on average: by chance
                        * from 3/4 to 5/4 of it; up to an hour */
    double cost_percent; /* of the time, at most, from 1 on; see budget.h */
    bool always;         /* sample also while the thread is not away */
    bool all_threads;    /* sample the other threads too */
    /* Of the hook DLL, which resumes threads that are suspended for too long; NULL: nobody does.
     * Only used by um_sampler_open. */
    const uint8_t *nonce;
    uint64_t (*now_ns)(void); /* the clock and its sleep; NULL: the system's */
    void (*sleep_ns)(uint64_t length_ns);
};

/* Starts the sampler of a thread, which adds to `suspensions`.
 * Owner: um_sampler_close. `suspensions` stays the caller's, and must not be used until then.
 * Errors: as um_stopper->open. */
enum um_status um_sampler_open(uint32_t pid, uint32_t tid, const struct um_sampler_options *options,
                               struct um_suspensions *suspensions, struct um_sampler **sampler);

/* Ends it. When it returns the thread is not suspended. Accepts NULL.
 * Thread: blocks for a sample at most. */
void um_sampler_close(struct um_sampler *sampler);

/* Whether the target is a 32-bit program. */
bool um_sampler_is_x86(const struct um_sampler *sampler);

/* Sets how long the outstanding beat has waited; 0: none is outstanding. With `always`, the first
 * call begins sampling. Thread: the watch thread, as all that follows; never waits for a sample. */
void um_sampler_waits(struct um_sampler *sampler, uint64_t waited_ns);

/* Suspends no thread until the next um_sampler_waits. When it returns, none is suspended.
 * Thread: blocks for a sample at most. */
void um_sampler_rest(struct um_sampler *sampler);

/* The next change that is to be sent to the hook DLL: a thread besides the UI thread may be
 * suspended from now on (`comes`), or no more. The next call means that it was sent. False: there
 * is none. */
bool um_sampler_thread(struct um_sampler *sampler, uint32_t *tid, bool *comes);

/* Whether there will be no more samples because the system refuses to suspend the thread, and why,
 * as um_stopper->take. True once. */
bool um_sampler_refused(struct um_sampler *sampler, enum um_status *why);

/* Takes the oldest sample that nobody has taken; false if there is none. */
bool um_sampler_next(struct um_sampler *sampler, struct um_sampler_sample *sample);

/* A module by the number that a frame has. It keeps its number.
 * Owner: the sampler's, until um_sampler_close. */
const struct um_sampler_module *um_sampler_module(struct um_sampler *sampler, int32_t number);

/* Whether the target has had more modules at a time than there is room for (images.h). */
bool um_sampler_has_too_many(struct um_sampler *sampler);

/* The address of generated code that the DLL is to be asked about, once; false if there is none.
 * Samples with that code wait for the answer, a CODE, which um_sampler_answer takes. */
bool um_sampler_question(struct um_sampler *sampler, uint64_t *address);
void um_sampler_answer(struct um_sampler *sampler, const struct um_wire_frame *code);

/* What sampling has cost the target, in the terms of um_suspensions_sum. */
bool um_sampler_cost(struct um_sampler *sampler, struct um_wire_sampling *out);

#endif
