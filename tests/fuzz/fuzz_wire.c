/* Any bytes as a stream, read as a reader reads it: what is decoded must be bounded and must
 * survive being encoded and decoded again. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ipc/wire.h"
#include "tests/fuzz/require.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Whether an enumeration's value is known, or is said to be unknown. */
static int is_value(unsigned value, unsigned count)
{
    return value < count || value == UM_WIRE_UNKNOWN;
}

static int is_terminated(const char *field, size_t cap_bytes)
{
    return memchr(field, 0, cap_bytes) != NULL;
}

static void check_bounds(const struct um_wire_frame *frame)
{
    switch (frame->type) {
    case UM_WIRE_SESSION:
        require(is_terminated(frame->as.session.name, sizeof frame->as.session.name));
        require(is_terminated(frame->as.session.title, sizeof frame->as.session.title));
        require(is_terminated(frame->as.session.caption, sizeof frame->as.session.caption));
        require(is_terminated(frame->as.session.toolkit, sizeof frame->as.session.toolkit));
        break;
    case UM_WIRE_EPISODE:
        require(
            is_terminated(frame->as.episode.window_class, sizeof frame->as.episode.window_class));
        require(
            is_terminated(frame->as.episode.message_name, sizeof frame->as.episode.message_name));
        require(is_value(frame->as.episode.state, UM_STATE_COUNT));
        break;
    case UM_WIRE_STATUS:
        require(is_value(frame->as.status.state, UM_STATE_COUNT));
        break;
    case UM_WIRE_INTERACTION:
        require(is_value(frame->as.interaction.kind, UM_INTERACTION_COUNT));
        break;
    case UM_WIRE_RECORDING:
        require(is_terminated(frame->as.recording.version, sizeof frame->as.recording.version));
        require(is_terminated(frame->as.recording.options, sizeof frame->as.recording.options));
        break;
    case UM_WIRE_NOTE:
        require(is_terminated(frame->as.note.text, sizeof frame->as.note.text));
        break;
    case UM_WIRE_PROFILE:
        for (size_t i = 0; i < UM_WIRE_PROFILE_ROWS; i++) {
            const struct um_wire_profile_row *row = &frame->as.profile.rows[i];
            require(is_terminated(row->name, sizeof row->name));
            require(is_terminated(row->module, sizeof row->module));
        }
        break;
    case UM_WIRE_STACK:
        for (size_t i = 0; i < UM_WIRE_STACK_FRAMES; i++)
            require(is_terminated(frame->as.stack.frames[i], UM_WIRE_STACK_FRAME_BYTES));
        require(is_terminated(frame->as.stack.stopped, sizeof frame->as.stack.stopped));
        require(is_terminated(frame->as.stack.call, sizeof frame->as.stack.call));
        require(is_terminated(frame->as.stack.whose, sizeof frame->as.stack.whose));
        require(is_terminated(frame->as.stack.headline, sizeof frame->as.stack.headline));
        break;
    case UM_WIRE_MODULE:
        require(is_terminated(frame->as.module.path, sizeof frame->as.module.path));
        require(frame->as.module.number < UM_WIRE_MODULES);
        break;
    case UM_WIRE_NODES:
        require(frame->as.nodes.count >= 1 && frame->as.nodes.count <= UM_WIRE_NODES_MOST);
        for (uint32_t i = 0; i < frame->as.nodes.count; i++)
            require(frame->as.nodes.list[i].parent < frame->as.nodes.first + i);
        break;
    case UM_WIRE_SAMPLE:
        require(is_value(frame->as.sample.stopped, UM_WIRE_STOPPED));
        require(frame->as.sample.other <= 1);
        require(is_terminated(frame->as.sample.thread_name, UM_WIRE_THREAD_NAME_BYTES));
        break;
    case UM_WIRE_WAIT:
        require(is_value(frame->as.wait.kind, UM_WIRE_WAIT_KINDS));
        require(is_terminated(frame->as.wait.object, sizeof frame->as.wait.object));
        require(is_terminated(frame->as.wait.process_name, sizeof frame->as.wait.process_name));
        require(is_terminated(frame->as.wait.function, sizeof frame->as.wait.function));
        break;
    case UM_WIRE_COSTLIEST:
        require(is_value(frame->as.costliest.kind, UM_TRACE_COUNT));
        require(is_terminated(frame->as.costliest.window_class,
                              sizeof frame->as.costliest.window_class));
        require(is_terminated(frame->as.costliest.message_name,
                              sizeof frame->as.costliest.message_name));
        break;
    case UM_WIRE_NAME:
        require(is_terminated(frame->as.name.name, sizeof frame->as.name.name));
        require(is_terminated(frame->as.name.file, sizeof frame->as.name.file));
        require(is_terminated(frame->as.name.extent, sizeof frame->as.name.extent));
        require(is_terminated(frame->as.name.checksum, sizeof frame->as.name.checksum));
        break;
    case UM_WIRE_RETRIEVED:
        require(is_terminated(frame->as.retrieved.window_class,
                              sizeof frame->as.retrieved.window_class));
        require(is_terminated(frame->as.retrieved.message_name,
                              sizeof frame->as.retrieved.message_name));
        break;
    case UM_WIRE_TRACE_CALL:
        require(is_terminated(frame->as.trace_call.window_class, UM_WIRE_TRACE_CLASS_BYTES));
        require(frame->as.trace_call.node < UM_WIRE_TRACE_NODES);
        require(frame->as.trace_call.parent < frame->as.trace_call.node);
        break;
    case UM_WIRE_TRACED_CALL:
        require(is_terminated(frame->as.traced_call.window_class, UM_WIRE_TRACE_CLASS_BYTES));
        require(is_terminated(frame->as.traced_call.message_name,
                              sizeof frame->as.traced_call.message_name));
        require(frame->as.traced_call.node < UM_WIRE_TRACE_NODES);
        require(frame->as.traced_call.parent < frame->as.traced_call.node);
        break;
    case UM_WIRE_TRACE_TIMES:
        require(frame->as.trace_list.count <= UM_WIRE_TRACE_MOST);
        for (size_t i = 0; i < frame->as.trace_list.count; i++)
            require(frame->as.trace_list.list[i].node < UM_WIRE_TRACE_NODES);
        break;
    case UM_WIRE_TRACE_EVENTS:
        require(frame->as.trace_events.count <= UM_WIRE_TRACE_EVENTS_MOST);
        for (size_t i = 0; i < frame->as.trace_events.count; i++)
            require(frame->as.trace_events.list[i].node < UM_WIRE_TRACE_NODES &&
                    frame->as.trace_events.list[i].loose <= 1 &&
                    frame->as.trace_events.list[i].by_other_thread <= 1);
        break;
    case UM_WIRE_TRACED_TIMES:
        require(frame->as.traced_list.count >= 1 &&
                frame->as.traced_list.count <= UM_WIRE_TRACE_MOST);
        break;
    case UM_WIRE_METHOD:
        require(is_terminated(frame->as.method.module, UM_WIRE_METHOD_MODULE_BYTES));
        require(is_terminated(frame->as.method.name, UM_WIRE_METHOD_NAME_BYTES));
        require(frame->as.method.method >= 1 && frame->as.method.method < UM_WIRE_METHOD_NUMBERS);
        break;
    case UM_WIRE_METHOD_CALLS:
        require(frame->as.method_calls.count >= 1 &&
                frame->as.method_calls.count <= UM_WIRE_METHOD_CALLS_MOST);
        for (size_t i = 0; i < frame->as.method_calls.count; i++)
            require(frame->as.method_calls.list[i].node < UM_WIRE_METHOD_NODES &&
                    frame->as.method_calls.list[i].parent < frame->as.method_calls.list[i].node);
        break;
    case UM_WIRE_METHOD_OTHER:
        require(is_terminated(frame->as.method_other.name, UM_WIRE_METHOD_NAME_BYTES));
        break;
    case UM_WIRE_METHOD_UNSEEN:
        require(is_terminated(frame->as.method_unseen.name, sizeof frame->as.method_unseen.name));
        require(is_terminated(frame->as.method_unseen.meant, sizeof frame->as.method_unseen.meant));
        require(frame->as.method_unseen.entry < UM_WIRE_METHOD_ENTRIES);
        break;
    case UM_WIRE_METHODS:
        require(is_value(frame->as.methods.depth, UM_METHODS_DEPTH_COUNT));
        require(frame->as.methods.on <= 1 && frame->as.methods.has_cpu <= 1);
        break;
    case UM_WIRE_LAYOUT_STEPS:
        require(frame->as.layout_steps.count <= UM_WIRE_LAYOUT_MOST);
        for (size_t i = 0; i < frame->as.layout_steps.count; i++) {
            require(is_value(frame->as.layout_steps.list[i].step, UM_LAYOUT_STEP_COUNT));
            require(is_value(frame->as.layout_steps.list[i].kind, UM_LAYOUT_KIND_COUNT));
        }
        break;
    case UM_WIRE_LAYOUT_COMPONENT:
        require(is_terminated(frame->as.layout_component.window_class, UM_WIRE_LAYOUT_TEXT_BYTES));
        require(is_terminated(frame->as.layout_component.text, UM_WIRE_LAYOUT_TEXT_BYTES));
        require(frame->as.layout_component.id < UM_WIRE_LAYOUT_COMPONENTS);
        break;
    case UM_WIRE_LAYOUT_PLACE:
        require(frame->as.layout_place.id < UM_WIRE_LAYOUT_COMPONENTS);
        require(frame->as.layout_place.draws_parts <= 1);
        break;
    case UM_WIRE_LAYOUT_TIMES:
        require(frame->as.layout_times.count <= UM_WIRE_LAYOUT_COSTS);
        for (size_t i = 0; i < frame->as.layout_times.count; i++)
            require(frame->as.layout_times.list[i].id < UM_WIRE_LAYOUT_COMPONENTS);
        break;
    case UM_WIRE_LAYOUT_METERS:
        require(frame->as.layout_meters.count <= UM_WIRE_LAYOUT_METERS_MOST);
        for (size_t i = 0; i < frame->as.layout_meters.count; i++)
            require(frame->as.layout_meters.list[i].id < UM_WIRE_LAYOUT_COMPONENTS);
        break;
    case UM_WIRE_MARKER_KIND:
        require(frame->as.marker_kind.count <= UM_WIRE_MARKER_FIELDS);
        require(frame->as.marker_kind.number >= 1 &&
                frame->as.marker_kind.number <= UM_WIRE_MARKER_KINDS);
        for (size_t i = 0; i < frame->as.marker_kind.count; i++) {
            require(is_value(frame->as.marker_kind.list[i].kind, UM_MARKER_FIELD_COUNT));
            require(is_terminated(frame->as.marker_kind.list[i].name, UM_WIRE_MARKER_NAME_BYTES));
        }
        require(is_terminated(frame->as.marker_kind.name, UM_WIRE_MARKER_NAME_BYTES));
        require(is_terminated(frame->as.marker_kind.category, UM_WIRE_MARKER_NAME_BYTES));
        break;
    case UM_WIRE_MARKER:
        require(frame->as.marker.count <= UM_WIRE_MARKER_VALUES);
        require(frame->as.marker.kind >= 1 && frame->as.marker.kind <= UM_WIRE_MARKER_KINDS);
        for (size_t i = 0; i < frame->as.marker.count; i++)
            require(is_terminated(frame->as.marker.list[i].text, UM_WIRE_MARKER_TEXT_BYTES));
        break;
    case UM_WIRE_MARK:
        require(frame->as.mark.count <= UM_WIRE_MARK_FIELDS);
        require(is_value(frame->as.mark.what, UM_MARK_COUNT));
        for (size_t i = 0; i < frame->as.mark.count; i++) {
            require(is_terminated(frame->as.mark.list[i].name, UM_WIRE_MARKER_NAME_BYTES));
            require(is_terminated(frame->as.mark.list[i].text, UM_WIRE_MARKER_TEXT_BYTES));
        }
        require(is_terminated(frame->as.mark.name, UM_WIRE_MARKER_NAME_BYTES));
        require(is_terminated(frame->as.mark.category, UM_WIRE_MARKER_NAME_BYTES));
        break;
    case UM_WIRE_COUNTER:
        require(is_terminated(frame->as.counter.provider, UM_WIRE_COUNTER_TEXT_BYTES));
        require(is_terminated(frame->as.counter.name, UM_WIRE_COUNTER_TEXT_BYTES));
        require(is_terminated(frame->as.counter.display, UM_WIRE_COUNTER_TEXT_BYTES));
        require(is_terminated(frame->as.counter.unit, UM_WIRE_COUNTER_TEXT_BYTES));
        require(frame->as.counter.number < UM_WIRE_COUNTERS);
        break;
    case UM_WIRE_COUNTER_VALUE:
        require(frame->as.counter_value.number < UM_WIRE_COUNTERS);
        break;
    default:
        break;
    }
}

static int has_strings(const struct um_wire_frame *frame)
{
    return frame->type == UM_WIRE_SESSION || frame->type == UM_WIRE_EPISODE ||
           frame->type == UM_WIRE_RECORDING || frame->type == UM_WIRE_NOTE ||
           frame->type == UM_WIRE_STACK || frame->type == UM_WIRE_MODULE ||
           frame->type == UM_WIRE_NAME || frame->type == UM_WIRE_PROFILE ||
           frame->type == UM_WIRE_RETRIEVED || frame->type == UM_WIRE_TRACE_CALL ||
           frame->type == UM_WIRE_TRACED_CALL || frame->type == UM_WIRE_COUNTER ||
           frame->type == UM_WIRE_SAMPLE || frame->type == UM_WIRE_WAIT ||
           frame->type == UM_WIRE_LAYOUT_COMPONENT || frame->type == UM_WIRE_MARKER_KIND ||
           frame->type == UM_WIRE_MARKER || frame->type == UM_WIRE_MARK ||
           frame->type == UM_WIRE_METHOD || frame->type == UM_WIRE_METHOD_OTHER ||
           frame->type == UM_WIRE_METHOD_UNSEEN || frame->type == UM_WIRE_COSTLIEST;
}

/* Whether an encoded frame is the one that it came from. That may have been longer, or shorter by
 * fields that were added since, which are 0 then. A value that is not known has become
 * UM_WIRE_UNKNOWN; a probe's reason has two bytes. */
static int is_same(const uint8_t *encoded, size_t encoded_bytes, const uint8_t *source,
                   size_t source_bytes)
{
    size_t common = source_bytes < encoded_bytes ? source_bytes : encoded_bytes;
    for (size_t i = common; i < encoded_bytes; i++)
        if (encoded[i] != 0)
            return 0;
    for (size_t i = 2; i < common; i++)
        if (encoded[i] != source[i] && encoded[i] != UM_WIRE_UNKNOWN &&
            (encoded[i] != 0 || encoded[i - 1] != UM_WIRE_UNKNOWN))
            return 0;
    return 1;
}

/* Nothing known gets lost: a decoded frame encodes to the bytes it came from (but for what a later
 * version added and what strings were cleaned of), and decodes and encodes to the same again. A
 * field that the source lacks, because an earlier version wrote it, encodes to 0. */
static void check_round_trip(const struct um_wire_frame *frame, const uint8_t *source,
                             size_t source_bytes)
{
    uint8_t first[UM_WIRE_MAX_BYTES];
    uint8_t second[UM_WIRE_MAX_BYTES];
    struct um_wire_frame again;
    size_t first_bytes = 0;
    size_t second_bytes = 0;
    size_t consumed = 0;
    enum um_status status = um_wire_encode(frame, first, sizeof first, &first_bytes);
    if (status == UM_ERR_ARG) {
        /* Only a type that is not known, which a decoder skips whatever its flags are. */
        const uint8_t empty[UM_WIRE_HEADER_BYTES] = {0, 0, frame->type, 0xff};
        require(frame->flags == 0);
        require(um_wire_decode(empty, sizeof empty, &again, &consumed) == UM_OK);
        return;
    }
    require(status == UM_OK);
    require(has_strings(frame) || is_same(first, first_bytes, source, source_bytes));
    require(um_wire_decode(first, first_bytes, &again, &consumed) == UM_OK);
    require(consumed == first_bytes);
    require(um_wire_encode(&again, second, sizeof second, &second_bytes) == UM_OK);
    require(second_bytes == first_bytes && memcmp(first, second, first_bytes) == 0);
}

/* Each value has a text, also an unknown one, and no part is longer than the whole. */
static void check_words(const struct um_wire_frame *frame)
{
    require(um_wire_late(frame->type) == UM_WIRE_LATE_NOT || um_wire_is_known(frame->type));
    if (frame->type == UM_WIRE_STATUS) {
        enum um_state state = (enum um_state)frame->as.status.state;
        require(um_wire_state_name(state)[0] && um_wire_state_words(state, false)[0] &&
                um_wire_state_words(state, true)[0]);
    }
    if (frame->type == UM_WIRE_PROBE) {
        (void)um_wire_probe_word(frame->as.probe.probe);
        const struct um_wire_held_words *words = um_wire_held_words(frame->as.probe.held);
        require(!words || words->summary[0]);
    }
    if (frame->type == UM_WIRE_INTERACTION) {
        const struct um_wire_interaction *interaction = &frame->as.interaction;
        enum um_interaction kind = (enum um_interaction)interaction->kind;
        uint64_t length_ns = um_wire_interaction_length_ns(interaction), part_ns;
        require(um_wire_interaction_name(kind)[0] && um_wire_interactions_name(kind)[0]);
        for (int part = 0; part < UM_WIRE_PART_COUNT; part++)
            if (um_wire_interaction_part_ns(interaction, (enum um_wire_part)part, &part_ns))
                require(part_ns <= um_wire_time_of(frame));
        require(length_ns <= um_wire_time_of(frame));
        require(!um_wire_interaction_is_held_up(interaction, 0, 0));
        (void)um_wire_interaction_is_held_up(interaction, 0, UINT64_MAX);
        require(!um_wire_interaction_is_held_up(interaction, 0, length_ns) ||
                !um_wire_interaction_may_be_held_up(interaction, 0, length_ns));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t preamble[UM_WIRE_PREAMBLE_BYTES];
    um_wire_put_preamble(preamble);
    require(um_wire_check_preamble(preamble, sizeof preamble) == UM_OK);
    if (um_wire_check_preamble(data, size) != UM_OK)
        return 0;
    size_t at = UM_WIRE_PREAMBLE_BYTES;
    for (;;) {
        struct um_wire_frame frame;
        size_t consumed = 0;
        if (um_wire_decode(data + at, size - at, &frame, &consumed) != UM_OK)
            return 0;
        require(consumed >= UM_WIRE_HEADER_BYTES && consumed <= size - at);
        check_bounds(&frame);
        check_words(&frame);
        check_round_trip(&frame, data + at, consumed);
        at += consumed;
    }
}
