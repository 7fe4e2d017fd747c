/* In place of monitor/sample/stopper.h's backend: a thread whose samples the test chooses. */
#ifndef UM_TESTS_FAKE_STOPPER_H
#define UM_TESTS_FAKE_STOPPER_H

#include "monitor/sample/stopper.h"

/* Zeroed, all opens, samples are empty, and there is no module. Set it before um_sampler_open. */
struct fake_stopper {
    enum um_status refusal; /* of um_stopper_open */
    uint64_t suspended_ns;  /* each suspension */
    uint64_t user_ns;       /* by each sample the thread has run so much longer */
    uint64_t kernel_ns;
    uint32_t ends_after; /* so many samples the thread ends; 0: it does not */
    const struct um_unwind_registers *registers; /* NULL: zeroes */
    struct um_unwind_stack stack;
    size_t module_count;
    const struct um_stopper_module *modules;
    const uint8_t *const *images; /* the bytes of each module */
};
extern struct fake_stopper fake_stopper;

/* How many samples were taken since the last um_stopper_open. Thread: any. */
uint32_t fake_stopper_taken(void);

#endif
