#include "monitor/live/own_markers.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/double_bits.h"
#include "base/intern.h"
#include "base/ns.h"
#include "base/plain/text.h"

#define FIELDS 8                              /* that a call takes (markers/uimon.h) */
#define GIVEN_BACK (UM_OWN_MARKERS_BYTES / 4) /* bytes, at least, that are allowed anew at a time */
#define BUCKETS 1024                          /* a power of two */

/* A call of the program. */
struct call {
    uint64_t number; /* of its BEGIN */
    uint64_t time_ns;
    uint32_t thread;
    bool cut;
    size_t field_count;
    struct um_wire_mark_field fields[FIELDS];
    char name[UM_WIRE_MARKER_NAME_BYTES];
    char category[UM_WIRE_MARKER_NAME_BYTES];
};

/* The lists that an interval is in while it lasts, each in the order of the begins: all of them,
 * those whose numbers have the same bucket, and those whose threads have. */
enum list { ALL, BY_NUMBER, BY_THREAD, LIST_COUNT };

/* An interval that lasts. */
struct open {
    struct call call;
    uint64_t lost_ns; /* calls were lost then, for the first time since its begin; 0: none were */
    struct {
        struct open *older, *newer;
    } in[LIST_COUNT];
};

struct ends {
    struct open *oldest, *newest;
};

struct um_own_markers {
    struct um_marker_frames *frames;
    void (*command)(void *context, const struct um_wire_frame *command);
    void *context;
    bool asked;
    uint32_t taken_bytes; /* that were not allowed anew yet */
    uint64_t lost;        /* by the last MARKS_LOST of this attachment */
    bool more;            /* further fields of `call` follow */
    struct call call;
    struct ends all, by_number[BUCKETS], by_thread[BUCKETS];
    size_t open_count;
};

enum um_status um_own_markers_open(struct um_marker_frames *frames,
                                   void (*command)(void *context,
                                                   const struct um_wire_frame *command),
                                   void *context, struct um_own_markers **markers)
{
    struct um_own_markers *made = calloc(1, sizeof *made);
    if (!made)
        return UM_ERR_MEMORY;
    made->frames = frames;
    made->command = command;
    made->context = context;
    *markers = made;
    return UM_OK;
}

/* Intervals that last -------------------------------------------------------------------------- */

static size_t bucket_of(uint64_t value)
{
    return (size_t)um_intern_mix(0, value) & (BUCKETS - 1);
}

static void append(struct ends *ends, enum list list, struct open *open)
{
    open->in[list].older = ends->newest;
    if (ends->newest)
        ends->newest->in[list].newer = open;
    else
        ends->oldest = open;
    ends->newest = open;
}

static void take_out(struct ends *ends, enum list list, const struct open *open)
{
    struct open *older = open->in[list].older, *newer = open->in[list].newer;
    if (older)
        older->in[list].newer = newer;
    else
        ends->oldest = newer;
    if (newer)
        newer->in[list].older = older;
    else
        ends->newest = older;
}

/* False without memory. */
static bool add_open(struct um_own_markers *markers, const struct call *call)
{
    struct open *open = calloc(1, sizeof *open);
    if (!open)
        return false;
    open->call = *call;
    append(&markers->all, ALL, open);
    append(&markers->by_number[bucket_of(call->number)], BY_NUMBER, open);
    append(&markers->by_thread[bucket_of(call->thread)], BY_THREAD, open);
    markers->open_count++;
    return true;
}

static void remove_open(struct um_own_markers *markers, struct open *open)
{
    take_out(&markers->all, ALL, open);
    take_out(&markers->by_number[bucket_of(open->call.number)], BY_NUMBER, open);
    take_out(&markers->by_thread[bucket_of(open->call.thread)], BY_THREAD, open);
    markers->open_count--;
    free(open);
}

void um_own_markers_close(struct um_own_markers *markers)
{
    if (!markers)
        return;
    for (struct open *open = markers->all.oldest, *newer; open; open = newer) {
        newer = open->in[ALL].newer;
        remove_open(markers, open);
    }
    free(markers);
}

/* What the DLL may send ------------------------------------------------------------------------ */

static void allow(struct um_own_markers *markers, uint32_t bytes)
{
    const struct um_wire_frame frame = {.type = UM_WIRE_MARKS, .as.command.value = bytes};
    markers->command(markers->context, &frame);
}

void um_own_markers_attached(struct um_own_markers *markers)
{
    markers->asked = markers->more = false;
    markers->taken_bytes = 0;
    markers->lost = 0;
}

void um_own_markers_ask(struct um_own_markers *markers)
{
    if (!markers->asked)
        allow(markers, UM_OWN_MARKERS_BYTES);
    markers->asked = true;
}

static void give_back(struct um_own_markers *markers, uint32_t bytes)
{
    markers->taken_bytes += bytes < UM_OWN_MARKERS_BYTES ? bytes : UM_OWN_MARKERS_BYTES;
    if (markers->taken_bytes < GIVEN_BACK)
        return;
    allow(markers, markers->taken_bytes);
    markers->taken_bytes = 0;
}

/* Markers -------------------------------------------------------------------------------------- */

/* Adds a call's fields. Flows of an `end` count from there. */
static void add_fields(const struct call *call, bool end, struct um_marker_frames_field *fields,
                       size_t *count)
{
    for (size_t i = 0; i < call->field_count; i++) {
        const struct um_wire_mark_field *field = &call->fields[i];
        enum um_wire_field_kind kind = (enum um_wire_field_kind)field->kind;
        bool is_flow = kind == UM_MARKER_FIELD_FLOW || kind == UM_MARKER_FIELD_TERMINATING_FLOW;
        fields[(*count)++] =
            (struct um_marker_frames_field){.kind = kind,
                                            .at_end = end && is_flow,
                                            .name = field->name,
                                            .value = field->value,
                                            .number = um_double_bits_value(field->value),
                                            .text = field->text};
    }
}

/* Publishes an instant, or an interval with its end. `end`: NULL if it was not seen. */
static void publish(struct um_own_markers *markers, const struct call *call, const struct call *end,
                    bool interval, uint64_t end_ns, bool stack_based)
{
    struct um_marker_frames_field fields[2 * FIELDS];
    size_t count = 0;
    add_fields(call, false, fields, &count);
    if (end)
        add_fields(end, true, fields, &count);
    const struct um_marker_frames_marker marker = {
        .source = UM_MARKER_SOURCE_PROGRAM,
        .name = call->name,
        .category = call->category,
        .start_ns = call->time_ns,
        .length_ns = interval ? um_ns_elapsed(call->time_ns, end_ns) : 0,
        .thread = call->thread,
        .interval = interval,
        .stack_based = stack_based,
        .open = interval && !end,
        .cut = call->cut || (end && end->cut),
        .fields = fields,
        .field_count = count};
    um_marker_frames_take(markers->frames, &marker);
}

/* Publishes an interval whose end was not seen, and forgets it. If calls were lost while it lasted,
 * its end may be among them, so it is not known to have lasted longer. */
static void publish_open(struct um_own_markers *markers, struct open *open, uint64_t now_ns)
{
    publish(markers, &open->call, NULL, true, open->lost_ns ? open->lost_ns : now_ns, false);
    remove_open(markers, open);
}

static void begin(struct um_own_markers *markers)
{
    struct open *oldest = markers->all.oldest;
    if (markers->open_count == UM_OWN_MARKERS_OPEN) {
        if (oldest->lost_ns) {
            publish_open(markers, oldest, oldest->lost_ns);
        } else {
            um_marker_frames_lost(markers->frames, UM_MARKER_SOURCE_PROGRAM, 1, 0);
            remove_open(markers, oldest);
        }
    }
    if (!add_open(markers, &markers->call))
        um_marker_frames_lost(markers->frames, UM_MARKER_SOURCE_PROGRAM, 1, 0);
}

static struct open *find_open(const struct um_own_markers *markers, uint64_t number)
{
    struct open *open = markers->by_number[bucket_of(number)].newest;
    while (open && open->call.number != number)
        open = open->in[BY_NUMBER].older;
    return open;
}

/* Whether an interval of the same thread that began later still lasts. */
static bool has_inner(const struct um_own_markers *markers, const struct open *open)
{
    const struct open *newest = markers->by_thread[bucket_of(open->call.thread)].newest;
    while (newest->call.thread != open->call.thread)
        newest = newest->in[BY_THREAD].older;
    return newest != open;
}

static void end(struct um_own_markers *markers)
{
    const struct call *call = &markers->call;
    struct open *open = find_open(markers, call->number);
    if (!open)
        return;
    bool stack_based = open->call.thread == call->thread && !has_inner(markers, open);
    publish(markers, &open->call, call, true, call->time_ns, stack_based);
    remove_open(markers, open);
}

/* Notes in the intervals that last that calls were lost. Those before one that has it have it. */
static void note_loss(struct um_own_markers *markers, uint64_t now_ns)
{
    struct open *open = markers->all.newest;
    for (; open && open->lost_ns == 0; open = open->in[ALL].older)
        open->lost_ns = now_ns;
}

/* Frames --------------------------------------------------------------------------------------- */

static void take_mark(struct um_own_markers *markers, const struct um_wire_frame *frame)
{
    const struct um_wire_mark *mark = &frame->as.mark;
    struct call *call = &markers->call;
    if (!markers->more || call->time_ns != mark->time_ns || call->thread != mark->thread) {
        *call = (struct call){.number = mark->number,
                              .time_ns = mark->time_ns,
                              .thread = mark->thread,
                              .cut = (frame->flags & UM_WIRE_MARK_CUT) != 0};
        um_text_set(call->name, sizeof call->name, mark->name);
        um_text_set(call->category, sizeof call->category, mark->category);
    }
    for (size_t i = 0; i < mark->count && call->field_count < FIELDS; i++)
        call->fields[call->field_count++] = mark->list[i];
    markers->more = (frame->flags & UM_WIRE_MARK_MORE) != 0;
    if (markers->more)
        return;
    switch (mark->what) {
    case UM_MARK_INSTANT:
        publish(markers, call, NULL, false, 0, true);
        break;
    case UM_MARK_BEGIN:
        begin(markers);
        break;
    case UM_MARK_END:
        end(markers);
        break;
    default:
        break;
    }
}

void um_own_markers_take(struct um_own_markers *markers, const struct um_wire_frame *frame,
                         uint64_t now_ns)
{
    if (frame->type == UM_WIRE_MARK) {
        give_back(markers, frame->as.mark.bytes);
        take_mark(markers, frame);
    } else if (frame->type == UM_WIRE_MARKS_LOST) {
        uint64_t more = um_ns_elapsed(markers->lost, frame->as.marks_lost.lost);
        if (more > 0)
            note_loss(markers, now_ns);
        um_marker_frames_lost(markers->frames, UM_MARKER_SOURCE_PROGRAM, more, 0);
        markers->lost = frame->as.marks_lost.lost;
    }
}

void um_own_markers_detached(struct um_own_markers *markers, uint64_t now_ns)
{
    for (struct open *open = markers->all.oldest, *newer; open; open = newer) {
        newer = open->in[ALL].newer;
        publish_open(markers, open, now_ns);
    }
}
