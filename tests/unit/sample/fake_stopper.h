/* Backends of monitor/sample/stopper.h and waits.h: a thread whose samples the test
 * chooses, and others. */
#ifndef UM_TESTS_FAKE_STOPPER_H
#define UM_TESTS_FAKE_STOPPER_H

#include "monitor/sample/stopper.h"
#include "monitor/sample/waits.h"
#include "tests/stacks/stack_file.h"

#define FAKE_STOPPER_THREADS 8
#define FAKE_STOPPER_LONG_NS (101 * UM_CLOCK_NS_PER_MS)

/* One more thread. Its samples are those of the first one. */
struct fake_stopper_thread {
    uint32_t tid;
    uint64_t start;
    const char *name; /* NULL: it has none */
    bool was_suspended;
    bool is_gone;
};

/* Zeroed, all opens, samples are empty, and there is no module. Set it between
 * fake_stopper_start and um_sampler_open. */
struct fake_stopper {
    enum um_status refusal;     /* of um_stopper->open */
    bool is_x86;                /* the process has 32 bits */
    uint64_t suspended_ns;      /* each suspension, */
    _Atomic uint32_t long_ones; /* but the next ones FAKE_STOPPER_LONG_NS, so many */
    uint64_t lost_ns;           /* by each, if the thread runs */
    bool runs;                  /* all the time; its own times are those of the clock */
    uint64_t user_ns;           /* by each sample the thread has run so much longer */
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
    _Atomic size_t module_count; /* of um_stopper->modules; may change at any time */
    uint32_t empty_lists;        /* the first lists of um_stopper->modules in which there is none */
    size_t mapped_count;         /* of um_stopper->is_module */
    const struct um_stopper_module *modules;
    const uint8_t *const *images; /* the bytes of each module */
    uint64_t (*now_ns)(void);     /* NULL: the system's */
    size_t thread_count;          /* of um_stopper->threads, and that can be opened */
    struct fake_stopper_thread threads[FAKE_STOPPER_THREADS];
};
extern struct fake_stopper fake_stopper;

/* From now on these are the backends, and the struct is zeroed. */
void fake_stopper_start(void);

/* Its modules are those of the recording, which must live on, and a suspension takes 1 us. */
void fake_stopper_load(const struct stack_file *file);
const struct um_stopper_module *fake_stopper_module(size_t place);

/* The UI thread's samples are this one of the recording. */
void fake_stopper_play(const struct stack_file_sample *sample);

/* A clock that goes on while somebody sleeps by it, and never else. Thread: any. */
uint64_t fake_stopper_clock_ns(void);
void fake_stopper_sleep_ns(uint64_t length_ns);

/* From now on um_waits->chain answers with this, and all code is the system's; kind NONE, as it is
 * at first: nothing, and it is not. Thread: any. */
void fake_stopper_chain(const struct um_blocker *chain);

/* How many samples were taken since the last um_stopper->open. Thread: any. */
uint32_t fake_stopper_taken(void);

/* How many of those were of one of its threads besides the first, by its place. Thread: any. */
uint32_t fake_stopper_taken_of(size_t thread);

/* How many threads are open. */
uint32_t fake_stopper_open_threads(void);

#endif
