/* In place of the backends of monitor/sample/stopper.h and waits.h: a thread whose samples the test
 * chooses, and others. */
#ifndef UM_TESTS_FAKE_STOPPER_H
#define UM_TESTS_FAKE_STOPPER_H

#include "monitor/sample/stopper.h"
#include "monitor/sample/waits.h"

#define FAKE_STOPPER_THREADS 8

/* One more thread. Its samples are those of the first one. */
struct fake_stopper_thread {
    uint32_t tid;
    uint64_t start;
    const char *name; /* NULL: it has none */
    bool stood;
    bool is_gone;
};

/* Zeroed, all opens, samples are empty, and there is no module. Set it before um_sampler_open. */
struct fake_stopper {
    enum um_status refusal; /* of um_stopper_open */
    uint64_t suspended_ns;  /* each suspension */
    uint64_t lost_ns;       /* by each, if the thread runs */
    bool runs;              /* all the time; its own times are those of the clock */
    uint64_t user_ns;       /* by each sample the thread has run so much longer */
    uint64_t kernel_ns;
    uint32_t ends_after; /* so many samples the thread ends; 0: it does not */
    /* So many of the next samples are refused with this; may change at any time. */
    _Atomic uint32_t refusals;
    enum um_status refuses_with;
    /* After so many samples there are no registers, so that a sampler does not get ahead of a test
     * that the machine holds up; 0: there are always. May change at any time. */
    _Atomic uint32_t most;
    const struct um_unwind_registers *registers; /* NULL: zeroes */
    struct um_unwind_stack stack;
    _Atomic size_t module_count; /* of um_stopper_modules; may change at any time */
    size_t mapped_count;         /* of um_stopper_is_module */
    const struct um_stopper_module *modules;
    const uint8_t *const *images; /* the bytes of each module */
    size_t thread_count;          /* of um_stopper_threads, and that can be opened */
    struct fake_stopper_thread threads[FAKE_STOPPER_THREADS];
};
extern struct fake_stopper fake_stopper;

/* From now on um_waits_chain answers with this, and all code is the system's; kind NONE, as it is
 * at first: nothing, and it is not. Thread: any. */
void fake_stopper_chain(const struct um_blocker *chain);

/* How many samples were taken since the last um_stopper_open. Thread: any. */
uint32_t fake_stopper_taken(void);

/* How many of those were of one of its threads besides the first, by its place. Thread: any. */
uint32_t fake_stopper_taken_of(size_t thread);

/* How many threads are open. */
uint32_t fake_stopper_open_threads(void);

#endif
