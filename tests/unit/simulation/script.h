/* The script of a simulated session: what the target's UI thread is given to do, and what goes
 * wrong meanwhile. The model (model.h) runs it in virtual time, and the oracle (oracle.h) says what
 * uimon must make of it. Times are whole microseconds from the session's begin.
 */
#ifndef UM_TESTS_SIMULATION_SCRIPT_H
#define UM_TESTS_SIMULATION_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SCRIPT_WORKS 48
#define SCRIPT_FAULTS 6

enum script_kind {
    SCRIPT_POST, /* posted messages, one after the other: a click's handler, or a flood */
    SCRIPT_SEND, /* sent messages, or handlers of idle time: nothing is retrieved */
    SCRIPT_KEY,  /* the user's key: its message, its character, and then a WM_PAINT */
    SCRIPT_KINDS
};

struct script_work {
    enum script_kind kind;
    uint32_t at_us;
    uint32_t length_us; /* of each handler; of the character's handler with a key */
    uint32_t count;     /* of messages that come at the same time */
    bool waits;         /* the handler waits for something, and does not use the processor */
};

enum script_fault_kind {
    SCRIPT_BEAT_LOST,         /* the system drops the next beat ... */
    SCRIPT_BEAT_LATE,         /* ... or delivers it so much later */
    SCRIPT_MONITOR_HELD_UP,   /* the monitor does not run ... */
    SCRIPT_WORKER_HELD_UP,    /* ... or the DLL's thread that sends records */
    SCRIPT_HEARTBEAT_HELD_UP, /* ... or the one that sends beats */
    SCRIPT_SUSPENDED,         /* ... or all threads of the target, as in a debugger */
    SCRIPT_ASLEEP,            /* ... or the machine */
    SCRIPT_KILLED,            /* the target ends */
    SCRIPT_FAULT_KINDS
};

struct script_fault {
    enum script_fault_kind kind;
    uint32_t at_us;
    uint32_t length_us;
};

struct script {
    uint32_t until_us;
    uint32_t threshold_ms;
    uint32_t slow_ms;
    uint32_t rest_ms;       /* from beat to beat at rest */
    uint32_t ring_slots;    /* of the records of the UI thread; a power of two */
    uint32_t idle_pause_ms; /* 0: never */
    uint32_t cut;           /* a recording of the feed ends after so many frames */
    uint32_t seed;          /* of the small delays: of deliveries, and of threads that wake up */
    bool has_cycles;        /* the DLL can read how long the UI thread has run */
    bool later_dll;         /* its words are of a later version: probes, kinds of beats, reasons */
    bool pings;             /* no DLL: pings alone say what the thread does, as on X11 */
    size_t work_count;
    struct script_work works[SCRIPT_WORKS];
    size_t fault_count;
    struct script_fault faults[SCRIPT_FAULTS];
};

/* A session of this length in which nothing happens. */
struct script script_of(double until_ms);

/* Adds to a script, which must have room. */
void script_post(struct script *script, double at_ms, double length_ms);
void script_flood(struct script *script, double at_ms, double length_ms, uint32_t count);
void script_send(struct script *script, double at_ms, double length_ms);
void script_key(struct script *script, double at_ms, double length_ms);
void script_fault(struct script *script, enum script_fault_kind kind, double at_ms,
                  double length_ms);

/* The same script for the same number. */
struct script script_random(uint64_t number);

/* Makes a script smaller as long as it `fails`. */
struct script script_shrink(struct script script, bool (*fails)(const struct script *script));

/* Prints it as a test. */
void script_print(const struct script *script);

/* A pseudo-random number below `most` (SplitMix64). */
uint32_t script_draw(uint64_t *state, uint32_t most);

#endif
