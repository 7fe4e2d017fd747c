/* A key, button or wheel step as the monitor saw it arrive: what the control (monitor/target) hands
 * to the measuring of interactions (monitor/measure). */
#ifndef UM_BASE_ARRIVAL_H
#define UM_BASE_ARRIVAL_H

#include <stdbool.h>
#include <stdint.h>

struct um_arrival {
    uint64_t time_ns; /* when the monitor took it */
    uint32_t own_ms;  /* its own time, on the system's clock of messages */
    uint32_t key;     /* virtual key; 0: none, or not kept */
    uint8_t kind;     /* enum um_interaction */
    bool release;     /* of a button; keys arrive only when they are pressed */
};

#endif
