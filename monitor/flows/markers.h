/* Markers: what happened on the threads of some processes, each at an instant or in an interval.
 *
 * A marker has a name, a category and named fields. A field of the kind *flow* mentions the flow
 * that the marker is part of, and one of the kind *terminating flow* ends that flow (flows.h).
 * Where markers come from is said by whoever adds them: recorded_markers.h for recordings of uimon.
 *
 * Use: add threads, markers and their fields in any order of time, then um_markers_finish. Memory
 * may run out at any of these; um_markers_finish says so. Times are relative to the file's zero.
 * Not on the hot path. Thread: one at a time.
 */
#ifndef UM_MONITOR_MARKERS_H
#define UM_MONITOR_MARKERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "base/texts.h"

#define UM_MARKERS_NONE UINT32_MAX
#define UM_MARKERS_MOST (UINT32_MAX - 1)                /* markers, and fields */
#define UM_MARKERS_MOST_NS INT64_C(4000000000000000000) /* a time, to both sides of zero */
#define UM_MARKERS_SAID_BYTES 512

enum um_marker_field_kind {
    UM_MARKER_TEXT,   /* `value` is one of `texts` */
    UM_MARKER_NUMBER, /* a double's bits (base/double_bits.h) */
    UM_MARKER_FLOW,   /* one of `flow_ids` */
    UM_MARKER_TERMINATING_FLOW,
};

struct um_marker_field {
    uint64_t value;
    int64_t at_ns;  /* of a flow: when it is mentioned */
    uint32_t name;  /* one of `texts` */
    uint32_t order; /* of a flow: among what is mentioned at that time (flows.h) */
    uint8_t kind;   /* enum um_marker_field_kind */
};

struct um_marker {
    int64_t start_ns;
    int64_t end_ns;       /* of an instant: its start */
    uint32_t thread;      /* one of `threads` */
    uint32_t name;        /* one of `texts` */
    uint32_t category;    /* one of `texts` */
    uint32_t first_field; /* in `fields` */
    uint16_t field_count;
    bool interval;
    bool open; /* of an interval: its end was not seen, and `end_ns` is until when it may last */
    bool
        stack_based; /* it lies within what else its thread does, as calls lie within one another */
};

struct um_marker_thread {
    char id[32];         /* as it was added: most often a number */
    char process_id[32]; /* the same of its process; "": not known */
    char label[64];      /* what the thread is called in the name of a marker; no other has it */
    uint32_t name;       /* one of `texts` */
    uint32_t process;    /* the process's name, one of `texts` */
    uint64_t pid;        /* of a recording: the process's id as a number; 0: not known */
    uint32_t first;      /* the first marker; theirs follow each other, by start */
    uint32_t count;
};

/* Zeroed, it is empty. Readers may read all of it. */
struct um_markers {
    struct um_marker *list;
    size_t count, room;
    struct um_marker_field *fields;
    size_t field_count, field_room;
    struct um_marker_thread *threads;
    size_t thread_count, thread_room;
    struct um_texts texts;
    struct um_texts flow_ids; /* as they are written: 16 digits if they are numbers */
    size_t left_out;          /* markers for which there was no room where they were read */
    size_t fields_left_out;   /* those of markers that have UINT16_MAX already */
    bool has_keys;            /* some say which key was pressed: a file with them is private */
    char said[UM_MARKERS_SAID_BYTES]; /* a reader's own words of the file, for a terminal */
    bool failed;                      /* there was no memory, or there are too many */
};

/* Adds a thread. `id`: what it shall be called. um_markers_finish puts its process's id before that
 * if there are several processes, as PID.TID, and gives it a number if another one is called so,
 * too. Returns its place, UM_MARKERS_NONE without memory. */
uint32_t um_markers_thread(struct um_markers *markers, const char *id, const char *name,
                           const char *process, uint64_t pid);

/* The same for files in which process ids are texts. "0" is no process. */
uint32_t um_markers_thread_of(struct um_markers *markers, const char *id, const char *name,
                              const char *process, const char *process_id);

/* Adds an instant, or an interval. Times beyond UM_MARKERS_MOST_NS, 126 years, are taken as that,
 * so that they can be subtracted. Its fields are those that are added until the next one. */
void um_markers_instant(struct um_markers *markers, uint32_t thread, const char *name,
                        const char *category, int64_t at_ns);
struct um_marker *um_markers_interval(struct um_markers *markers, uint32_t thread, const char *name,
                                      const char *category, int64_t start_ns, int64_t end_ns);

/* Adds a field to the last marker. There are at most UINT16_MAX; further ones are
 * counted as left out. */
void um_markers_text(struct um_markers *markers, const char *name, const char *text);
void um_markers_number(struct um_markers *markers, const char *name, double number);

/* The same for a flow whose id is a number or a text. `kind`: UM_MARKER_FLOW or
 * UM_MARKER_TERMINATING_FLOW. It is mentioned when the marker starts, with `at_end` when it ends,
 * or at a time of its own. Of what is mentioned at one time a higher `order` comes later, and those
 * of the same order are as um_markers_finish leaves the markers; it is 0 where none is given. */
void um_markers_flow(struct um_markers *markers, const char *name, enum um_marker_field_kind kind,
                     uint64_t id);
void um_markers_flow_text(struct um_markers *markers, const char *name,
                          enum um_marker_field_kind kind, const char *id, bool at_end);
void um_markers_flow_at(struct um_markers *markers, const char *name,
                        enum um_marker_field_kind kind, const char *id, int64_t at_ns,
                        uint32_t order);

/* The number of a text in `texts`, or of an id in `flow_ids`, which is added if it is new. For
 * readers that add the same ones again and again. UM_TEXTS_NONE without memory. */
uint32_t um_markers_add_text(struct um_markers *markers, const char *text);
uint32_t um_markers_add_id(struct um_markers *markers, const char *id);

/* The same as um_markers_interval, and as those that add fields, with texts that were added. */
struct um_marker *um_markers_add(struct um_markers *markers, uint32_t thread, uint32_t name,
                                 uint32_t category, int64_t start_ns, int64_t end_ns);
void um_markers_field(struct um_markers *markers, uint32_t name, enum um_marker_field_kind kind,
                      uint64_t value, int64_t at_ns);

/* Adds to what is said of the file; "" adds nothing. */
void um_markers_say(struct um_markers *markers, const char *text);

/* Sorts the markers: thread by thread, by start, and those that start together as they were added.
 * Nothing may be added after that. Errors: UM_ERR_MEMORY, also of an earlier call. */
enum um_status um_markers_finish(struct um_markers *markers);

/* A marker's name, "THREAD:N". Its thread's N-th marker by start, from 1. Returns `text`. */
#define UM_MARKERS_NAME_BYTES 80
const char *um_markers_name(const struct um_markers *markers, uint32_t marker, char *text);

/* The marker with such a name; UM_MARKERS_NONE if there is none. */
uint32_t um_markers_find(const struct um_markers *markers, const char *name);

static inline const char *um_markers_get_text(const struct um_markers *markers, uint64_t number)
{
    return um_texts_get(&markers->texts, (uint32_t)number);
}

static inline bool um_markers_is_flow(const struct um_marker_field *field)
{
    return field->kind == UM_MARKER_FLOW || field->kind == UM_MARKER_TERMINATING_FLOW;
}

void um_markers_deinit(struct um_markers *markers);

#endif
