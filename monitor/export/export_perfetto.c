#include "monitor/export/export.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain/clock.h"
#include "base/double_bits.h"
#include "base/intern.h"
#include "base/pack.h"
#include "base/utf8.h"
#include "ipc/wire.h"
#include "monitor/export/causes.h"
#include "monitor/export/flow_ends.h"
#include "monitor/export/tracks.h"

/* The numbers of the fields that are written; each is unique only within its message. */
enum field {
    TRACE_PACKET = 1,
    PACKET_CLOCK_SNAPSHOT = 6,
    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE = 10,
    PACKET_TRACK_EVENT = 11,
    PACKET_INTERNED = 12,
    PACKET_FLAGS = 13,
    PACKET_DEFAULTS = 59,
    PACKET_TRACK = 60,
    PACKET_SAMPLE = 66,
    SNAPSHOT_CLOCK = 1,
    SNAPSHOT_PRIMARY = 2,
    CLOCK_ID = 1,
    CLOCK_NS = 2,
    TRACK_UUID = 1,
    TRACK_NAME = 2,
    TRACK_PROCESS = 3,
    TRACK_THREAD = 4,
    TRACK_PARENT = 5,
    TRACK_COUNTER = 8,
    COUNTER_UNIT = 6,
    PROCESS_PID = 1,
    PROCESS_NAME = 6,
    THREAD_PID = 1,
    THREAD_TID = 2,
    THREAD_NAME = 5,
    EVENT_ANNOTATION = 4,
    EVENT_TYPE = 9,
    EVENT_TRACK = 11,
    EVENT_CATEGORY = 22,
    EVENT_NAME = 23,
    EVENT_COUNTER = 44,
    EVENT_FLOW = 47,
    EVENT_TERMINATING_FLOW = 48,
    EVENT_STACK = 56,
    ANNOTATION_DOUBLE = 5,
    ANNOTATION_STRING = 6,
    ANNOTATION_NAME = 10,
    INTERNED_FUNCTION = 5,
    INTERNED_FRAME = 6,
    INTERNED_STACK = 7,
    INTERNED_PATH = 17,
    INTERNED_MAPPING = 19,
    STRING_ID = 1,
    STRING_TEXT = 2,
    FRAME_ID = 1,
    FRAME_FUNCTION = 2,
    FRAME_MAPPING = 3,
    STACK_ID = 1,
    STACK_FRAME = 2,
    MAPPING_ID = 1,
    MAPPING_PATH = 7,
    SAMPLE_PID = 2,
    SAMPLE_TID = 3,
    SAMPLE_STACK = 4,
    SAMPLE_COUNT = 6,
    DEFAULTS_SAMPLE = 12,
    SAMPLED_BY = 1,
    SAMPLED_BY_NAME = 10
};

#define WIRE_FIXED64 1     /* a field of eight bytes */
#define WIRE_LENGTH 2      /* a field with a length: a text or a message */
#define LENGTH_BYTES 4     /* room for a message's length, which is filled in later */
#define SEQUENCE 1         /* the one sequence of packets */
#define FLAG_CLEARED 1     /* the interned data begins with this packet */
#define FLAG_NEEDS_STATE 2 /* the packet refers to interned data */
#define CLOCK_REALTIME 1   /* ns since 1970 UTC */
#define CLOCK_BOOTTIME 6   /* the clock of the trace */
#define TYPE_BEGIN 1       /* begin of a slice */
#define TYPE_END 2
#define TYPE_INSTANT 3
#define TYPE_COUNTER 4
#define UUID_THREAD UINT64_C(0x100000000) /* tracks: threads and processes by their ids */
#define UUID_PROCESS UINT64_C(0x200000000)
#define UUID_OTHER UINT64_C(0x300000000) /* ...and further ones, by a number that counts up */
#define NAME_BYTES 1024
#define WEIGHT "time (ns)" /* what a sample counts; Perfetto calls a flame graph by it */
#define NS_PER_MS UM_CLOCK_NS_PER_MS

struct perfetto {
    const struct um_export *export;
    const struct um_export_about *about;
    FILE *out;
    const struct um_markers *markers;
    struct um_causes causes;
    struct um_tracks tracks;
    struct um_flow_ends flow_ends;
    const struct um_marker_thread *thread; /* whose markers are being written... */
    uint64_t uuids[UM_TRACKS_MOST];        /* ...and its tracks */
    uint64_t next_uuid;
    struct um_pack packet; /* the one that is being made; `failed`, too, if a message is too long */
};

static void put_number(struct perfetto *to, enum field field, uint64_t number)
{
    um_pack_number(&to->packet, (uint64_t)field << 3);
    um_pack_number(&to->packet, number);
}

/* Source: protobuf.dev, "Encoding": the lowest byte first. */
static void put_fixed64(struct perfetto *to, enum field field, uint64_t bits)
{
    um_pack_number(&to->packet, (uint64_t)field << 3 | WIRE_FIXED64);
    for (int i = 0; i < 8; i++)
        um_pack_byte(&to->packet, (uint8_t)(bits >> 8 * i));
}

/* Source: protobuf.dev, "Encoding": a text is UTF-8. */
static void put_text(struct perfetto *to, enum field field, const char *text)
{
    char mended[4 * UM_FUNCTIONS_TEXT];
    if (!um_utf8_valid(text, strlen(text))) {
        (void)um_utf8_fit(text, SIZE_MAX, mended, sizeof mended);
        text = mended;
    }
    um_pack_number(&to->packet, (uint64_t)field << 3 | WIRE_LENGTH);
    um_pack_number(&to->packet, strlen(text));
    for (; *text; text++)
        um_pack_byte(&to->packet, (uint8_t)*text);
}

/* Begins a message within another. Returns a place that `end` needs. */
static size_t begin(struct perfetto *to, enum field field)
{
    um_pack_number(&to->packet, (uint64_t)field << 3 | WIRE_LENGTH);
    for (int i = 0; i < LENGTH_BYTES; i++)
        um_pack_byte(&to->packet, 0);
    return to->packet.len;
}

/* Ends a message and fills in its length, which may have more bytes than it needs. */
static void end(struct perfetto *to, size_t begun)
{
    size_t len = to->packet.len - begun;
    for (int i = 0; i < LENGTH_BYTES && !to->packet.failed; i++)
        to->packet.bytes[begun - LENGTH_BYTES + (size_t)i] =
            (uint8_t)(len >> 7 * i & 127) | (i < LENGTH_BYTES - 1 ? 128 : 0);
    to->packet.failed |= len >> 7 * LENGTH_BYTES != 0;
}

static size_t begin_packet(struct perfetto *to)
{
    to->packet.len = 0;
    size_t begun = begin(to, TRACE_PACKET);
    put_number(to, PACKET_SEQUENCE, SEQUENCE);
    return begun;
}

static void end_packet(struct perfetto *to, size_t begun)
{
    end(to, begun);
    if (!to->packet.failed)
        fwrite(to->packet.bytes, 1, to->packet.len, to->out);
}

static void put_clock(struct perfetto *to, uint64_t id, uint64_t ns)
{
    size_t clock = begin(to, SNAPSHOT_CLOCK);
    put_number(to, CLOCK_ID, id);
    put_number(to, CLOCK_NS, ns);
    end(to, clock);
}

/* Writes the session's start on the machine's clock and on the calendar. */
static void put_clocks(struct perfetto *to)
{
    int64_t utc_ms = to->about->utc_ms > 0 ? to->about->utc_ms : 0;
    size_t packet = begin_packet(to);
    size_t snapshot = begin(to, PACKET_CLOCK_SNAPSHOT);
    put_clock(to, CLOCK_BOOTTIME, to->about->start_ns);
    put_clock(to, CLOCK_REALTIME, (uint64_t)utc_ms * NS_PER_MS);
    put_number(to, SNAPSHOT_PRIMARY, CLOCK_BOOTTIME);
    end(to, snapshot);
    end_packet(to, packet);
}

static void put_process(struct perfetto *to, uint32_t pid, const char *name)
{
    size_t packet = begin_packet(to);
    size_t track = begin(to, PACKET_TRACK);
    put_number(to, TRACK_UUID, UUID_PROCESS + pid);
    size_t process = begin(to, TRACK_PROCESS);
    put_number(to, PROCESS_PID, pid);
    put_text(to, PROCESS_NAME, name);
    end(to, process);
    end(to, track);
    end_packet(to, packet);
}

static void put_thread(struct perfetto *to, uint32_t pid, uint32_t tid, const char *name)
{
    size_t packet = begin_packet(to);
    size_t track = begin(to, PACKET_TRACK);
    put_number(to, TRACK_UUID, UUID_THREAD + tid);
    put_number(to, TRACK_PARENT, UUID_PROCESS + pid);
    size_t thread = begin(to, TRACK_THREAD);
    put_number(to, THREAD_PID, pid);
    put_number(to, THREAD_TID, tid);
    put_text(to, THREAD_NAME, name);
    end(to, thread);
    end(to, track);
    end_packet(to, packet);
}

/* Writes a track that is neither a thread nor a process, and returns it. */
static uint64_t put_track(struct perfetto *to, uint64_t parent, const char *name)
{
    uint64_t uuid = to->next_uuid++;
    size_t packet = begin_packet(to);
    size_t track = begin(to, PACKET_TRACK);
    put_number(to, TRACK_UUID, uuid);
    put_number(to, TRACK_PARENT, parent);
    put_text(to, TRACK_NAME, name);
    end(to, track);
    end_packet(to, packet);
    return uuid;
}

static void put_string(struct perfetto *to, enum field field, uint32_t id, const char *text)
{
    size_t string = begin(to, field);
    put_number(to, STRING_ID, id);
    put_text(to, STRING_TEXT, text);
    end(to, string);
}

/* Ids are the frame's number + 1, because 0 means none. A function without a name is called by its
 * module and its begin in it. */
static void put_frame(struct perfetto *to, uint32_t i)
{
    char text[sizeof UM_WIRE_GUESS + UM_FUNCTIONS_TEXT];
    uint32_t known = i % to->export->count;
    const struct um_functions_name *name = um_functions_get(to->export->view.functions, known);
    struct um_functions_label label = um_export_label(to->export, known);
    bool is_named = known < to->export->hidden && um_functions_is_named(name);
    uint32_t module = to->export->modules[known] + 1;
    snprintf(text, sizeof text, "%s%s", i == known ? "" : UM_WIRE_GUESS,
             is_named ? name->name : label.text);
    put_string(to, INTERNED_FUNCTION, i + 1, text);
    if (module == i + 1) {
        put_string(to, INTERNED_PATH, module, um_export_module(to->export, i));
        size_t mapping = begin(to, INTERNED_MAPPING);
        put_number(to, MAPPING_ID, module);
        put_number(to, MAPPING_PATH, module);
        end(to, mapping);
    }
    size_t frame = begin(to, INTERNED_FRAME);
    put_number(to, FRAME_ID, i + 1);
    put_number(to, FRAME_FUNCTION, i + 1);
    put_number(to, FRAME_MAPPING, module);
    end(to, frame);
}

/* Says what samples count: Perfetto's own are of an event of the kernel's, such as its clock. */
static void put_defaults(struct perfetto *to)
{
    size_t defaults = begin(to, PACKET_DEFAULTS);
    size_t sample = begin(to, DEFAULTS_SAMPLE);
    size_t sampled_by = begin(to, SAMPLED_BY);
    put_text(to, SAMPLED_BY_NAME, WEIGHT);
    end(to, sampled_by);
    end(to, sample);
    end(to, defaults);
}

/* Writes a node's frames, outermost first. */
static void put_stack(struct perfetto *to, uint32_t node)
{
    uint32_t frames[UM_EXPORT_DEPTH];
    size_t count = um_export_stack(to->export, node, frames);
    size_t stack = begin(to, INTERNED_STACK);
    put_number(to, STACK_ID, node + 1);
    while (count-- > 0)
        put_number(to, STACK_FRAME, frames[count] + 1);
    end(to, stack);
}

static void put_interned(struct perfetto *to)
{
    const struct um_calltree *tree = &to->export->tree;
    size_t packet = begin_packet(to);
    put_number(to, PACKET_FLAGS, FLAG_CLEARED);
    put_defaults(to);
    size_t interned = begin(to, PACKET_INTERNED);
    for (uint32_t i = 0; i < um_export_numbers(to->export); i++)
        put_frame(to, i);
    end(to, interned);
    end_packet(to, packet);
    for (uint32_t i = UM_CALLTREE_CUT; i < tree->count; i++) {
        if (tree->nodes[i].top.samples == 0 && !to->causes.is_one[i])
            continue;
        packet = begin_packet(to);
        put_number(to, PACKET_FLAGS, FLAG_NEEDS_STATE);
        interned = begin(to, PACKET_INTERNED);
        put_stack(to, i);
        end(to, interned);
        end_packet(to, packet);
    }
}

static void put_sample(struct perfetto *to, size_t i)
{
    const struct um_samples_entry *entry = &to->export->view.samples->entries[i];
    size_t packet = begin_packet(to);
    put_number(to, PACKET_FLAGS, FLAG_NEEDS_STATE);
    put_number(to, PACKET_TIMESTAMP, to->about->start_ns + entry->at_ns);
    size_t sample = begin(to, PACKET_SAMPLE);
    put_number(to, SAMPLE_PID, to->about->pid);
    put_number(to, SAMPLE_TID, entry->thread);
    if (to->export->nodes[i] != UM_CALLTREE_ROOT)
        put_number(to, SAMPLE_STACK, to->export->nodes[i] + 1);
    put_number(to, SAMPLE_COUNT, entry->cost.wall_ns);
    end(to, sample);
    end_packet(to, packet);
}

/* Writes a field, of a flow the id as it is called elsewhere. */
static void put_annotation(struct perfetto *to, const struct um_marker_field *field)
{
    size_t annotation = begin(to, EVENT_ANNOTATION);
    put_text(to, ANNOTATION_NAME, um_markers_get_text(to->markers, field->name));
    if (field->kind == UM_MARKER_NUMBER)
        put_fixed64(to, ANNOTATION_DOUBLE, field->value);
    else
        put_text(to, ANNOTATION_STRING,
                 um_markers_is_flow(field)
                     ? um_texts_get(&to->markers->flow_ids, (uint32_t)field->value)
                     : um_markers_get_text(to->markers, field->value));
    end(to, annotation);
}

/* The id of a flow as a number: a hash if it is none. */
static uint64_t id_of(const char *text)
{
    char *end;
    unsigned long long id = strtoull(text, &end, 16);
    return strspn(text, "0123456789abcdef") == 16 && *end == '\0' ? id
                                                                  : um_intern_mix_text(0, text);
}

/* Writes what a marker mentions, each id once: the last field with it counts. */
static void put_flows(struct perfetto *to, uint32_t number)
{
    const struct um_marker *marker = &to->markers->list[number];
    const struct um_marker_field *fields = to->markers->fields + marker->first_field;
    for (uint32_t i = 0; i < marker->field_count; i++) {
        bool is_last = um_markers_is_flow(&fields[i]);
        for (uint32_t k = i + 1; k < marker->field_count && is_last; k++)
            is_last = !um_markers_is_flow(&fields[k]) || fields[k].value != fields[i].value;
        if (!is_last)
            continue;
        uint32_t flow = um_flows_of_field(to->about->flows, marker->first_field + i);
        bool ends = um_flow_ends_get(&to->flow_ends, flow, number) == UM_FLOW_ENDS_LAST;
        put_fixed64(to, ends ? EVENT_TERMINATING_FLOW : EVENT_FLOW,
                    id_of(um_texts_get(&to->markers->flow_ids, (uint32_t)fields[i].value)));
    }
}

/* Begins an event. What happened before the machine's clock began is written at its begin. */
static size_t begin_event(struct perfetto *to, int64_t time_ns, uint64_t type, uint64_t track,
                          size_t *event)
{
    int64_t at_ns = (int64_t)(to->about->start_ns + (uint64_t)time_ns);
    size_t packet = begin_packet(to);
    put_number(to, PACKET_TIMESTAMP, at_ns > 0 ? (uint64_t)at_ns : 0);
    *event = begin(to, PACKET_TRACK_EVENT);
    put_number(to, EVENT_TYPE, type);
    put_number(to, EVENT_TRACK, track);
    return packet;
}

/* Writes an instant, or the begin of an interval. */
static void put_begin(struct perfetto *to, uint32_t number, uint64_t type, uint64_t track)
{
    const struct um_marker *marker = &to->markers->list[number];
    const struct um_cause *cause = um_causes_of(&to->causes, to->about, number);
    size_t event, packet = begin_event(to, marker->start_ns, type, track, &event);
    put_text(to, EVENT_NAME, um_markers_get_text(to->markers, marker->name));
    put_text(to, EVENT_CATEGORY, um_markers_get_text(to->markers, marker->category));
    for (uint32_t i = 0; i < marker->field_count; i++)
        put_annotation(to, &to->markers->fields[marker->first_field + i]);
    put_flows(to, number);
    if (cause)
        put_number(to, EVENT_STACK, cause->node + 1);
    end(to, event);
    if (cause)
        put_number(to, PACKET_FLAGS, FLAG_NEEDS_STATE);
    end_packet(to, packet);
}

static void put_end(void *context, uint32_t track, uint32_t number)
{
    struct perfetto *to = context;
    const struct um_marker *marker = &to->markers->list[number];
    if (marker->open)
        return;
    size_t event, packet = begin_event(to, marker->end_ns, TYPE_END, to->uuids[track], &event);
    end(to, event);
    end_packet(to, packet);
}

/* Gives a track its id, and says what it is called. Of a thread whose id is not known it belongs to
 * the process, or to a track of the process's name, if that id is not known either. */
static void begin_track(void *context, uint32_t track)
{
    struct perfetto *to = context;
    char name[NAME_BYTES];
    uint32_t pid = (uint32_t)to->thread->pid, tid = um_export_tid(to->thread);
    const char *thread = um_markers_get_text(to->markers, to->thread->name);
    const char *process = um_markers_get_text(to->markers, to->thread->process);
    if (track > 0) {
        snprintf(name, sizeof name, "%.1000s (%" PRIu32 ")", thread, track + 1);
        /* cppcheck-suppress arrayIndexOutOfBoundsCond ; UM_TRACKS_NONE is no track */
        to->uuids[track] = put_track(to, to->uuids[0], name);
    } else if (pid == 0) {
        to->uuids[0] = put_track(to, put_track(to, 0, process), thread);
    } else {
        if (pid != to->about->pid)
            put_process(to, pid, process);
        to->uuids[0] = tid != 0 ? UUID_THREAD + tid : put_track(to, UUID_PROCESS + pid, thread);
        if (tid != 0 && (pid != to->about->pid || !um_export_thread(to->export, tid)))
            put_thread(to, pid, tid, thread);
    }
}

static bool has_length(const void *context, const struct um_marker *marker)
{
    (void)context;
    return marker->interval;
}

/* Where there are too many intervals at once, they are instants. */
static void put_marker(void *context, uint32_t number, uint32_t track)
{
    struct perfetto *to = context;
    if (track != UM_TRACKS_NONE)
        put_begin(to, number, TYPE_BEGIN, to->uuids[track]);
    else
        put_begin(to, number, TYPE_INSTANT, to->uuids[0]);
}

static void put_markers(struct perfetto *to, const struct um_marker_thread *thread)
{
    const struct um_tracks_format format = {to, has_length, begin_track, put_marker};
    to->thread = thread;
    um_tracks_write(&to->tracks, thread, to->about->chosen, &format);
}

/* Writes a counter, as a track of the process. */
static void put_counter(struct perfetto *to, const struct um_recorded_counter *counter)
{
    uint64_t uuid = to->next_uuid++;
    size_t packet = begin_packet(to);
    size_t track = begin(to, PACKET_TRACK);
    put_number(to, TRACK_UUID, uuid);
    put_number(to, TRACK_PARENT, UUID_PROCESS + to->about->pid);
    put_text(to, TRACK_NAME, counter->name);
    size_t about = begin(to, TRACK_COUNTER);
    put_text(to, COUNTER_UNIT, counter->unit);
    end(to, about);
    end(to, track);
    end_packet(to, packet);
    for (size_t i = 0; i < counter->count; i++) {
        size_t event;
        packet = begin_event(to, (int64_t)counter->values[i].at_ns, TYPE_COUNTER, uuid, &event);
        put_fixed64(to, EVENT_COUNTER, um_double_bits_of(counter->values[i].value));
        end(to, event);
        end_packet(to, packet);
    }
}

static void put_all(struct perfetto *to)
{
    const struct um_recorded_counters *counters = to->about->counters;
    put_clocks(to);
    put_process(to, to->about->pid, to->about->program);
    for (size_t i = 0; i < to->export->thread_count; i++) {
        uint32_t tid = to->export->threads[i].id;
        put_thread(to, to->about->pid, tid, um_view_thread_label(&to->export->view, tid).text);
    }
    put_interned(to);
    for (size_t i = 0; i < to->export->view.samples->count; i++)
        if (to->export->nodes[i] != UM_CALLTREE_NONE)
            put_sample(to, i);
    for (size_t i = 0; i < to->markers->thread_count; i++)
        put_markers(to, &to->markers->threads[i]);
    for (size_t i = 0; counters && i < counters->count; i++)
        if (counters->rows[i].count > 0)
            put_counter(to, &counters->rows[i]);
}

enum um_status um_export_perfetto(const struct um_view *view, const struct um_export_about *about,
                                  FILE *out)
{
    static const struct um_markers none;
    struct um_export export;
    struct perfetto to = {.export = &export,
                          .about = about,
                          .out = out,
                          .markers = about->markers ? about->markers : &none,
                          .next_uuid = UUID_OTHER};
    enum um_status status = um_export_begin_tree(&export, view);
    if (status == UM_OK)
        status = um_causes_init(&to.causes, &export);
    if (status == UM_OK)
        status = um_tracks_init(&to.tracks, to.markers, put_end, &to);
    if (status == UM_OK)
        status = um_flow_ends_init(&to.flow_ends, about);
    if (status == UM_OK) {
        put_all(&to);
        status = fflush(out) != 0 || ferror(out) ? UM_ERR_IO
                 : to.packet.failed              ? UM_ERR_MEMORY
                                                 : UM_OK;
    }
    um_flow_ends_deinit(&to.flow_ends);
    um_tracks_deinit(&to.tracks);
    um_causes_deinit(&to.causes);
    um_export_end(&export);
    um_pack_deinit(&to.packet);
    return status;
}
