#include "monitor/profile/export.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ipc/clock.h"
#include "monitor/base/pack.h"
#include "monitor/base/utf8.h"

/* The numbers of the fields that are written; each is unique only within its message. */
enum field {
    TRACE_PACKET = 1,
    PACKET_CLOCK_SNAPSHOT = 6,
    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE = 10,
    PACKET_TRACK_EVENT = 11,
    PACKET_INTERNED = 12,
    PACKET_FLAGS = 13,
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
    PROCESS_PID = 1,
    PROCESS_NAME = 6,
    THREAD_PID = 1,
    THREAD_TID = 2,
    THREAD_NAME = 5,
    EVENT_ANNOTATION = 4,
    EVENT_TYPE = 9,
    EVENT_TRACK = 11,
    EVENT_NAME = 23,
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
    SAMPLE_STACK = 4
};

#define WIRE_LENGTH 2      /* a field with a length: a text or a message */
#define LENGTH_BYTES 4     /* of a message, whose length is put in when it is known */
#define SEQUENCE 1         /* the one sequence of packets */
#define FLAG_CLEARED 1     /* the interned data begins with this packet */
#define FLAG_NEEDS_STATE 2 /* the packet refers to interned data */
#define CLOCK_REALTIME 1   /* ns since 1970 UTC */
#define CLOCK_BOOTTIME 6   /* the trace's own */
#define TYPE_BEGIN 1       /* of a slice */
#define TYPE_END 2
#define UUID_PROCESS 1 /* tracks: the process, and each thread by its id */
#define UUID_THREAD UINT64_C(0x100000000)
#define NS_PER_MS UM_CLOCK_NS_PER_MS

struct perfetto {
    const struct um_export *export;
    const struct um_export_about *about;
    const struct um_export_stacks *stacks;
    uint32_t *modules; /* of each frame: the first frame with the same module */
    FILE *out;
    struct um_pack packet; /* that is being made; failed, too, when a message was too long */
};

static void put_number(struct perfetto *to, enum field field, uint64_t number)
{
    um_pack_number(&to->packet, (uint64_t)field << 3);
    um_pack_number(&to->packet, number);
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

/* Begins a message within another; `end` needs what it returns. */
static size_t begin(struct perfetto *to, enum field field)
{
    um_pack_number(&to->packet, (uint64_t)field << 3 | WIRE_LENGTH);
    for (int i = 0; i < LENGTH_BYTES; i++)
        um_pack_byte(&to->packet, 0);
    return to->packet.len;
}

/* The length may be written with more bytes than it needs. */
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

/* The session's start on the machine's clock, and on the calendar. */
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

static void put_process(struct perfetto *to)
{
    size_t packet = begin_packet(to);
    size_t track = begin(to, PACKET_TRACK);
    put_number(to, TRACK_UUID, UUID_PROCESS);
    size_t process = begin(to, TRACK_PROCESS);
    put_number(to, PROCESS_PID, to->about->pid);
    put_text(to, PROCESS_NAME, to->about->program);
    end(to, process);
    end(to, track);
    end_packet(to, packet);
}

static void put_thread(struct perfetto *to, uint32_t id)
{
    size_t packet = begin_packet(to);
    size_t track = begin(to, PACKET_TRACK);
    put_number(to, TRACK_UUID, UUID_THREAD + id);
    put_number(to, TRACK_PARENT, UUID_PROCESS);
    size_t thread = begin(to, TRACK_THREAD);
    put_number(to, THREAD_PID, to->about->pid);
    put_number(to, THREAD_TID, id);
    put_text(to, THREAD_NAME, um_export_thread_label(to->export, id).text);
    end(to, thread);
    end(to, track);
    end_packet(to, packet);
}

static void put_string(struct perfetto *to, enum field field, uint32_t id, const char *text)
{
    size_t string = begin(to, field);
    put_number(to, STRING_ID, id);
    put_text(to, STRING_TEXT, text);
    end(to, string);
}

/* Ids are numbers of frames + 1, because 0 is none. A function without a name is called by its
 * module and where it begins. */
static void put_frame(struct perfetto *to, uint32_t i)
{
    const struct um_functions_name *name = um_functions_get(to->export->view.functions, i);
    bool is_named = i < to->export->hidden && name->name[0] != '+';
    uint32_t module = to->modules[i] + 1;
    put_string(to, INTERNED_FUNCTION, i + 1,
               is_named ? name->name : um_export_label(to->export, i).text);
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

/* A node's frames, outermost first. */
static void put_stack(struct perfetto *to, uint32_t node)
{
    struct um_calltree_frame frames[UM_CALLTREE_DEPTH];
    bool cut;
    size_t count = um_calltree_frames(&to->stacks->tree, node, frames, &cut);
    size_t stack = begin(to, INTERNED_STACK);
    put_number(to, STACK_ID, node + 1);
    if (cut)
        put_number(to, STACK_FRAME, to->export->cut + 1);
    while (count-- > 0)
        put_number(to, STACK_FRAME, frames[count].key + 1);
    end(to, stack);
}

static void put_interned(struct perfetto *to)
{
    const struct um_calltree *tree = &to->stacks->tree;
    size_t packet = begin_packet(to);
    put_number(to, PACKET_FLAGS, FLAG_CLEARED);
    size_t interned = begin(to, PACKET_INTERNED);
    for (uint32_t i = 0; i < to->export->count; i++)
        put_frame(to, i);
    end(to, interned);
    end_packet(to, packet);
    for (uint32_t i = UM_CALLTREE_CUT; i < tree->count; i++) {
        if (tree->nodes[i].top.samples == 0)
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
    if (to->stacks->nodes[i] != UM_CALLTREE_ROOT)
        put_number(to, SAMPLE_STACK, to->stacks->nodes[i] + 1);
    end(to, sample);
    end_packet(to, packet);
}

static void put_annotation(struct perfetto *to, const char *name, const char *value)
{
    if (value[0] == '\0')
        return;
    size_t annotation = begin(to, EVENT_ANNOTATION);
    put_text(to, ANNOTATION_NAME, name);
    put_text(to, ANNOTATION_STRING, value);
    end(to, annotation);
}

/* Begin or end of a freeze; what was before the session's start began with it. */
static void put_event(struct perfetto *to, const struct um_export_freeze *freeze, uint32_t thread,
                      bool ends)
{
    int64_t at_ns = freeze->start_ns + (ends ? (int64_t)freeze->duration_ns : 0);
    size_t packet = begin_packet(to);
    put_number(to, PACKET_TIMESTAMP, to->about->start_ns + (uint64_t)(at_ns > 0 ? at_ns : 0));
    size_t event = begin(to, PACKET_TRACK_EVENT);
    put_number(to, EVENT_TYPE, ends ? TYPE_END : TYPE_BEGIN);
    put_number(to, EVENT_TRACK, UUID_THREAD + thread);
    if (!ends) {
        put_text(to, EVENT_NAME, "Freeze");
        put_annotation(to, "state", freeze->state);
        put_annotation(to, "suspect", freeze->suspect);
    }
    end(to, event);
    end_packet(to, packet);
}

static void put_all(struct perfetto *to)
{
    uint32_t shows = um_export_freeze_thread(to->export, to->about->thread);
    put_clocks(to);
    put_process(to);
    for (size_t i = 0; i < to->export->thread_count; i++)
        put_thread(to, to->export->threads[i].id);
    put_interned(to);
    for (size_t i = 0; i < to->export->view.samples->count; i++)
        if (to->stacks->nodes[i] != UM_CALLTREE_NONE)
            put_sample(to, i);
    for (size_t i = 0; i < to->about->freeze_count; i++) {
        if (!um_export_has_freeze(to->export, &to->about->freezes[i]))
            continue;
        put_event(to, &to->about->freezes[i], shows, false);
        put_event(to, &to->about->freezes[i], shows, true);
    }
}

enum um_status um_export_perfetto(const struct um_view *view, const struct um_export_about *about,
                                  FILE *out)
{
    struct um_export export;
    struct um_export_stacks stacks = {0};
    struct perfetto to = {.export = &export, .about = about, .stacks = &stacks, .out = out};
    enum um_status status = um_export_begin(&export, view);
    if (status == UM_OK)
        status = um_export_modules(&export, &to.modules);
    if (status == UM_OK)
        status = um_export_stacks_init(&export, &stacks);
    if (status == UM_OK) {
        put_all(&to);
        status = fflush(out) != 0 || ferror(out) ? UM_ERR_IO
                 : to.packet.failed              ? UM_ERR_MEMORY
                                                 : UM_OK;
    }
    um_export_stacks_deinit(&stacks);
    um_export_end(&export);
    free(to.modules);
    um_pack_deinit(&to.packet);
    return status;
}
