#include "monitor/live/marker_frames.h"

#include <stdlib.h>
#include <string.h>

#include "base/double_bits.h"
#include "base/intern.h"
#include "base/list.h"
#include "base/ns.h"
#include "base/plain/clock.h"
#include "base/plain/text.h"

/* Of a source. */
struct counted {
    uint64_t lost, cut;
    uint64_t said_lost, said_cut; /* by the last MARKERS_LOST */
    uint64_t said_ns;             /* when that was; 0: there was none */
};

struct um_marker_frames {
    void (*publish)(void *context, const struct um_wire_frame *frame);
    void *context;
    struct um_intern index;            /* of `kinds` */
    struct um_wire_marker_kind *kinds; /* the number is the index and 1 */
    size_t kind_count, kind_room;
    struct counted counted[UM_MARKER_SOURCE_COUNT];
};

enum um_status um_marker_frames_open(void (*publish)(void *context,
                                                     const struct um_wire_frame *frame),
                                     void *context, struct um_marker_frames **frames)
{
    struct um_marker_frames *made = calloc(1, sizeof *made);
    if (!made)
        return UM_ERR_MEMORY;
    made->publish = publish;
    made->context = context;
    *frames = made;
    return UM_OK;
}

void um_marker_frames_close(struct um_marker_frames *frames)
{
    if (!frames)
        return;
    um_intern_deinit(&frames->index);
    free(frames->kinds);
    free(frames);
}

/* Copies a text, and notes in `cut` if it is longer than the field. */
static void copy(char *field, size_t cap_bytes, const char *text, bool *cut)
{
    um_text_set(field, cap_bytes, text);
    if (text && !memchr(text, '\0', cap_bytes))
        *cut = true;
}

/* How much a field matters if there are too many: 0 the most. */
static size_t rank_of(enum um_wire_field_kind kind)
{
    switch (kind) {
    case UM_MARKER_FIELD_TERMINATING_FLOW:
    case UM_MARKER_FIELD_TERMINATING_FLOW_TEXT:
        return 0;
    case UM_MARKER_FIELD_FLOW:
    case UM_MARKER_FIELD_FLOW_TEXT:
        return 1;
    default:
        return 2;
    }
}

/* Puts the fields that are kept into `kept`, in their order, and returns how many. */
static size_t keep(const struct um_marker_frames_marker *marker,
                   struct um_marker_frames_field kept[UM_WIRE_MARKER_FIELDS])
{
    size_t room[3] = {0}, left = UM_WIRE_MARKER_FIELDS, count = 0;
    for (size_t i = 0; i < marker->field_count; i++)
        room[rank_of(marker->fields[i].kind)]++;
    for (size_t rank = 0; rank < 3; rank++) {
        if (room[rank] > left)
            room[rank] = left;
        left -= room[rank];
    }
    for (size_t i = 0; i < marker->field_count; i++) {
        size_t rank = rank_of(marker->fields[i].kind);
        if (room[rank] == 0)
            continue;
        room[rank]--;
        kept[count++] = marker->fields[i];
    }
    return count;
}

/* Kinds ---------------------------------------------------------------------------------------- */

static void describe(const struct um_marker_frames_marker *marker, struct um_wire_marker_kind *kind,
                     bool *cut)
{
    size_t count = marker->field_count;
    memset(kind, 0, sizeof *kind);
    kind->source = (uint8_t)marker->source;
    kind->count = (uint8_t)count;
    copy(kind->name, sizeof kind->name, marker->name, cut);
    copy(kind->category, sizeof kind->category, marker->category, cut);
    for (size_t i = 0; i < count; i++) {
        kind->list[i].kind = (uint8_t)marker->fields[i].kind;
        kind->list[i].at_end = marker->fields[i].at_end;
        copy(kind->list[i].name, sizeof kind->list[i].name, marker->fields[i].name, cut);
    }
}

static uint64_t hash_of(const struct um_wire_marker_kind *kind)
{
    uint64_t hash = um_intern_mix(kind->source, kind->count);
    hash = um_intern_mix_text(um_intern_mix_text(hash, kind->name), kind->category);
    for (size_t i = 0; i < kind->count; i++) {
        hash = um_intern_mix(hash, kind->list[i].kind | (uint64_t)kind->list[i].at_end << 8);
        hash = um_intern_mix_text(hash, kind->list[i].name);
    }
    return hash;
}

struct wanted {
    const struct um_marker_frames *frames;
    const struct um_wire_marker_kind *kind;
};

static bool is_same(const void *context, uint32_t index)
{
    const struct wanted *wanted = context;
    const struct um_wire_marker_kind *a = wanted->kind, *b = &wanted->frames->kinds[index];
    if (a->source != b->source || a->count != b->count || strcmp(a->name, b->name) != 0 ||
        strcmp(a->category, b->category) != 0)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (a->list[i].kind != b->list[i].kind || a->list[i].at_end != b->list[i].at_end ||
            strcmp(a->list[i].name, b->list[i].name) != 0)
            return false;
    return true;
}

/* The number of a kind, which is published if it is new; 0: there is no room for it. */
static uint32_t number_of(struct um_marker_frames *frames, struct um_wire_marker_kind *kind)
{
    const struct wanted wanted = {frames, kind};
    uint64_t hash = hash_of(kind);
    uint32_t index = um_intern_find(&frames->index, hash, is_same, &wanted);
    if (index != UM_INTERN_NONE)
        return index + 1;
    if (!um_intern_reserve(&frames->index, 1) ||
        !um_list_reserve(&frames->kinds, &frames->kind_room, frames->kind_count + 1,
                         UM_WIRE_MARKER_KINDS, sizeof frames->kinds[0]))
        return 0;
    index = (uint32_t)frames->kind_count++;
    um_intern_add(&frames->index, hash, index);
    kind->number = index + 1;
    frames->kinds[index] = *kind;
    struct um_wire_frame frame = {.type = UM_WIRE_MARKER_KIND};
    frame.as.marker_kind = *kind;
    frames->publish(frames->context, &frame);
    return kind->number;
}

/* Markers -------------------------------------------------------------------------------------- */

static void put_value(const struct um_marker_frames_field *field,
                      struct um_wire_marker_value *value, bool *cut)
{
    value->value = 0;
    value->text[0] = '\0';
    switch (field->kind) {
    case UM_MARKER_FIELD_NUMBER:
        value->value = um_double_bits_of(field->number);
        if (!um_double_bits_are_finite(value->value)) {
            value->value = 0;
            *cut = true;
        }
        break;
    case UM_MARKER_FIELD_FLOW:
    case UM_MARKER_FIELD_TERMINATING_FLOW:
        value->value = field->value;
        break;
    default:
        copy(value->text, sizeof value->text, field->text, cut);
        break;
    }
}

static uint8_t flags_of(const struct um_marker_frames_marker *marker)
{
    return (uint8_t)((marker->interval ? UM_WIRE_MARKER_INTERVAL : 0) |
                     (marker->stack_based ? UM_WIRE_MARKER_STACK_BASED : 0) |
                     (marker->open ? UM_WIRE_MARKER_OPEN : 0));
}

/* Publishes a marker's values, as many in a frame as fit. */
static void publish_values(struct um_marker_frames *frames,
                           const struct um_marker_frames_marker *marker, uint32_t number, bool *cut)
{
    struct um_wire_frame frame = {.type = UM_WIRE_MARKER};
    struct um_wire_marker *wire = &frame.as.marker;
    size_t next = 0;
    wire->start_ns = marker->start_ns;
    wire->length_ns = marker->interval ? marker->length_ns : 0;
    wire->kind = number;
    wire->thread = marker->thread;
    do {
        wire->count = 0;
        while (next < marker->field_count && wire->count < UM_WIRE_MARKER_VALUES)
            put_value(&marker->fields[next++], &wire->list[wire->count++], cut);
        frame.flags =
            (uint8_t)(flags_of(marker) | (next < marker->field_count ? UM_WIRE_MARKER_MORE : 0));
        frames->publish(frames->context, &frame);
    } while (next < marker->field_count);
}

void um_marker_frames_take(struct um_marker_frames *frames,
                           const struct um_marker_frames_marker *marker)
{
    struct um_marker_frames_field fields[UM_WIRE_MARKER_FIELDS];
    struct um_marker_frames_marker kept = *marker;
    struct um_wire_marker_kind kind;
    kept.fields = fields;
    kept.field_count = keep(marker, fields);
    bool cut = marker->cut || kept.field_count < marker->field_count;
    describe(&kept, &kind, &cut);
    uint32_t number = number_of(frames, &kind);
    if (number == 0) {
        um_marker_frames_lost(frames, marker->source, 1, 0);
        return;
    }
    publish_values(frames, &kept, number, &cut);
    if (cut)
        um_marker_frames_lost(frames, marker->source, 0, 1);
}

/* What is missing ------------------------------------------------------------------------------ */

void um_marker_frames_lost(struct um_marker_frames *frames, enum um_wire_marker_source source,
                           uint64_t lost, uint64_t cut)
{
    frames->counted[source].lost += lost;
    frames->counted[source].cut += cut;
}

static void say(struct um_marker_frames *frames, size_t source, uint64_t now_ns)
{
    struct counted *counted = &frames->counted[source];
    const struct um_wire_frame frame = {.type = UM_WIRE_MARKERS_LOST,
                                        .as.markers_lost = {.time_ns = now_ns,
                                                            .lost = counted->lost,
                                                            .cut = counted->cut,
                                                            .source = (uint8_t)source}};
    counted->said_lost = counted->lost;
    counted->said_cut = counted->cut;
    counted->said_ns = now_ns;
    frames->publish(frames->context, &frame);
}

void um_marker_frames_turn(struct um_marker_frames *frames, uint64_t now_ns, bool last)
{
    for (size_t i = 0; i < UM_MARKER_SOURCE_COUNT; i++) {
        const struct counted *counted = &frames->counted[i];
        bool grown = counted->lost != counted->said_lost || counted->cut != counted->said_cut;
        bool due = last || counted->said_ns == 0 ||
                   um_ns_elapsed(counted->said_ns, now_ns) >= UM_CLOCK_NS_PER_S;
        if (grown && due)
            say(frames, i, now_ns);
    }
}
