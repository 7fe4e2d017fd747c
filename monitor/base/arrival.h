/* A key, button or wheel step as the monitor saw it arrive: what the control (monitor/target) hands
 * to the measuring of interactions (monitor/measure). */
#ifndef UM_MONITOR_ARRIVAL_H
#define UM_MONITOR_ARRIVAL_H

#include <stdbool.h>
#include <stdint.h>

struct um_arrival {
    uint64_t time_ns; /* when the monitor took it */
    uint32_t own_ms;  /* its own time, on the system's clock of messages */
    uint32_t key;     /* virtual key; 0: none, or not kept */
    uint8_t kind;     /* enum um_interaction */
    bool release;     /* a button's; keys are told when they are pressed only */
};

#endif
