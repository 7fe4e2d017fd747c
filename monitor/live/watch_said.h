/* What a watch says to the person at the console: a queue of lines, and what was said already.
 * Zeroed but for `options` it is empty. The watching thread adds lines, and any thread takes them.
 */
#ifndef UM_MONITOR_WATCH_SAID_H
#define UM_MONITOR_WATCH_SAID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/line_queue.h"
#include "ipc/wire.h"
#include "monitor/live/watch.h"

/* What is said once in a watch. */
enum um_watch_said_topic {
    UM_WATCH_SAID_SHIELDED,   /* why beats do not arrive */
    UM_WATCH_SAID_NO_PING,    /* the window declares no pings */
    UM_WATCH_SAID_NO_ANSWER,  /* ... or does not answer them */
    UM_WATCH_SAID_POINTER,    /* why no beats are sent to a hidden pointer */
    UM_WATCH_SAID_ZEROS,      /* beats are movements by zero from now on */
    UM_WATCH_SAID_PAIRS,      /* beats are pairs from now on */
    UM_WATCH_SAID_SPARED,     /* beats come more seldom because of what they cause */
    UM_WATCH_SAID_UNTRACED,   /* the system refuses the hooks for tracing */
    UM_WATCH_SAID_METHODLESS, /* no calls of methods come */
    UM_WATCH_SAID_STACKS,     /* why there are no stacks */
    UM_WATCH_SAID_TOPICS
};

struct um_watch_said {
    const struct um_options *options;
    char keys[128]; /* what the hotkeys do with the overlay; empty: nothing */
    bool greeted;
    bool once[UM_WATCH_SAID_TOPICS]; /* these were said */
    char toolkit[32];                /* of the last line about it; empty: there was none */
    uint8_t probe;   /* of the last line about the probe; UM_PROBE_AUTO: there was none */
    uint16_t reason; /* of the same line */
    struct um_line_queue lines;
};

/* Queues what only --verbose shows. Thread: any. */
void um_watch_said_detail(struct um_watch_said *said, const char *text);

/* Queues the line unless one of this topic was said before. */
void um_watch_said_once(struct um_watch_said *said, enum um_watch_said_topic topic,
                        const char *text);

/* Says what is watched, how the overlay is moved and hidden, and that Ctrl+C does not end it if it
 * ignores that (target.h). Call it each time that the DLL is there. */
void um_watch_said_greeting(struct um_watch_said *said, const struct um_target_info *target,
                            bool ignores_ctrl_c);

/* Says what beats do not measure in windows of this toolkit, if it is not the one of before. */
void um_watch_said_toolkit(struct um_watch_said *said, const char *toolkit);

/* Says by which probe the DLL measures, and why, if that has changed. */
void um_watch_said_probe(struct um_watch_said *said, const struct um_wire_probe *probe);

#endif
