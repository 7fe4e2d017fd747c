/* The events of a trace in Chrome's JSON, as chrome_markers.h takes them: which flow each is in,
 * and what it belongs to, are keys already. Not on the hot path. Thread: waits for the disk.
 */
#ifndef UM_MONITOR_CHROME_EVENTS_H
#define UM_MONITOR_CHROME_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/plain/status.h"
#include "base/texts.h"

#define UM_CHROME_EVENTS_PHASES 128        /* ASCII */
#define UM_CHROME_EVENTS_BIND_ID "bind_id" /* a flow that an event itself is in */
#define UM_CHROME_EVENTS_MOST_OWN (UINT32_MAX / 4)

struct um_chrome_event {
    int64_t start_ns;
    int64_t end_ns;
    uint32_t thread;
    uint32_t name, category; /* in `texts` */
    /* In `texts`. Of a flow event, and with `is_bound`: what the flow is called. */
    uint32_t flow;
    /* In `keys`. Of b, n and e: the category, the id and what else makes them belong together; and
     * the same with the name. */
    uint32_t key, named_key;
    uint32_t own_flow; /* of a flow event with UM_CHROME_MARKERS_FLOW: its number; 0: it has none */
    uint32_t first_arg;
    uint32_t end; /* of a begin: the event that ends it, and 1; 0: none does */
    uint16_t arg_count;
    /* One of "BEXibnestf": older phases (S, F, T, p, I and R) are b, e, n and i. */
    char phase;
    bool is_interval;
    bool is_open;         /* its end was not seen, and `end_ns` is until when it may last */
    bool binds_enclosing; /* of an f */
    bool is_bound;        /* it has bind_id... */
    bool flows_in, flows_out;
};

struct um_chrome_arg {
    uint32_t key, text; /* in `texts`; `text` is UM_TEXTS_NONE for a number */
    double number;
};

struct um_chrome_thread {
    uint32_t pid;       /* one of `processes` */
    uint32_t tid, name; /* in `texts` */
};

struct um_chrome_events {
    struct um_texts texts, keys;
    struct um_chrome_event *list; /* in the order of the file */
    size_t count, room;
    struct um_chrome_arg *args;
    size_t arg_count, arg_room;
    struct um_chrome_thread *threads;
    size_t thread_count, thread_room;
    struct um_texts processes; /* process ids... */
    uint32_t *process_names;   /* ...and what they are called, in `texts` */
    size_t process_room;
    size_t args_left_out;
    size_t left_out[UM_CHROME_EVENTS_PHASES]; /* events of phases that are not read; 0: of none */
    size_t without_time;                      /* those without a time, ... */
    size_t without_id;                        /* ... and flow events without an id */
    int64_t last_ns;
    bool is_trace; /* perhaps without events that are read */
    bool failed;   /* there was no memory */

    /* Private to chrome_events.c. */
    struct um_texts thread_keys; /* their numbers are those of the threads */
    struct um_texts flow_keys;   /* what makes a flow... */
    struct um_texts flow_ids;    /* ...and the ids that are taken */
    uint32_t *flow_names;        /* what each is called, in `texts` */
    size_t flow_room;
};

/* Reads a file, which stands at its begin. `events` is zeroed. `error` gets what is wrong with it,
 * to put behind its name, also with UM_ERR_PARTIAL: then what stands before that was read. Owner:
 * um_chrome_events_deinit, also after a failure. Errors: those of um_json_stream_read. */
enum um_status um_chrome_events_read(FILE *file, struct um_chrome_events *events, char *error,
                                     size_t cap_bytes);

/* Whether an event is a flow event: s, t or f. */
bool um_chrome_events_is_flow(const struct um_chrome_event *event);

void um_chrome_events_deinit(struct um_chrome_events *events);

#endif
