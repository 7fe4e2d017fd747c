/* Messages that the DLL traces one by one become markers of the feed. */
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/double_bits.h"
#include "monitor/live/message_markers.h"

#define UI 77

static struct um_message_markers messages;
static struct um_wire_frame published[32];
static size_t count;

static void publish(void *context, const struct um_wire_frame *frame)
{
    (void)context;
    cr_assert_lt(count, sizeof published / sizeof published[0]);
    published[count++] = *frame;
}

static bool message_name(void *context, uint32_t message, char *buf, size_t cap_bytes)
{
    (void)context;
    return message == 0xc123 && snprintf(buf, cap_bytes, "Ping") > 0;
}

static unsigned asked;

static void more(void *context)
{
    (void)context;
    asked++;
}

static void setup(void)
{
    memset(&messages, 0, sizeof messages);
    asked = 0;
    messages.more = more;
    messages.wanted = true;
    count = 0;
    cr_assert_eq(um_marker_frames_open(publish, NULL, &messages.frames), UM_OK);
    messages.message_name = message_name;
    um_message_markers_attached(&messages, UI);
}

static void teardown(void)
{
    um_message_markers_deinit(&messages);
    um_marker_frames_close(messages.frames);
}

TestSuite(message_markers, .init = setup, .fini = teardown);

static void take_call(uint32_t node, uint32_t message, enum um_trace_kind kind,
                      const char *window_class)
{
    struct um_wire_frame frame = {
        .type = UM_WIRE_TRACE_CALL,
        .as.trace_call = {.node = node, .message = message, .kind = (uint8_t)kind}};
    strcpy(frame.as.trace_call.window_class, window_class);
    um_message_markers_take(&messages, &frame);
}

static void take_event(struct um_wire_trace_event event, uint64_t lost)
{
    struct um_wire_frame frame = {.type = UM_WIRE_TRACE_EVENTS,
                                  .as.trace_events = {.lost = lost, .count = 1, .list = {event}}};
    um_message_markers_take(&messages, &frame);
}

static const struct um_wire_marker_kind *last_kind(void)
{
    for (size_t i = count; i > 0; i--)
        if (published[i - 1].type == UM_WIRE_MARKER_KIND)
            return &published[i - 1].as.marker_kind;
    cr_assert(0, "there is none");
    return NULL;
}

static const struct um_wire_marker *last_marker(void)
{
    cr_assert(count > 0 && published[count - 1].type == UM_WIRE_MARKER);
    return &published[count - 1].as.marker;
}

/* "window_class=Edit how=sent message=1" */
static const char *fields(void)
{
    static char text[512];
    const struct um_wire_marker_kind *kind = last_kind();
    const struct um_wire_marker *marker = last_marker();
    size_t len = 0;
    text[0] = '\0';
    for (size_t i = 0; i < marker->count; i++) {
        len += (size_t)snprintf(text + len, sizeof text - len, "%s%s=", i ? " " : "",
                                kind->list[i].name);
        if (kind->list[i].kind == UM_MARKER_FIELD_TEXT)
            len += (size_t)snprintf(text + len, sizeof text - len, "%s", marker->list[i].text);
        else if (kind->list[i].kind == UM_MARKER_FIELD_NUMBER)
            len += (size_t)snprintf(text + len, sizeof text - len, "%g",
                                    um_double_bits_value(marker->list[i].value));
        else
            len += (size_t)snprintf(text + len, sizeof text - len, "%llu",
                                    (unsigned long long)marker->list[i].value);
    }
    return text;
}

Test(message_markers, says_what_came_and_how)
{
    take_call(2, 0x100, UM_TRACE_RETRIEVED, "Edit");
    take_call(3, 0xc123, UM_TRACE_SENT, "");
    take_event(
        (struct um_wire_trace_event){
            .node = 2, .begin_ns = 1000, .length_ns = 50, .age_ms = 31, .loose = 1},
        0);
    cr_expect_str_eq(last_kind()->name, "WM_KEYDOWN");
    cr_expect_str_eq(last_kind()->category, "message");
    cr_expect_eq(last_kind()->source, UM_MARKER_SOURCE_MESSAGE);
    cr_expect_str_eq(fields(),
                     "window_class=Edit how=retrieved end=at the latest queued_ms=31 message=1");
    const struct um_wire_marker *marker = last_marker();
    cr_expect(marker->start_ns == 1000 && marker->length_ns == 50 && marker->thread == UI);
    cr_expect_eq(published[count - 1].flags, UM_WIRE_MARKER_INTERVAL | UM_WIRE_MARKER_STACK_BASED);
    take_event((struct um_wire_trace_event){.node = 3, .age_ms = UM_WIRE_AGE_UNKNOWN}, 0);
    cr_expect_str_eq(last_kind()->name, "Ping");
    cr_expect_str_eq(fields(), "how=sent message=2");
    take_event((struct um_wire_trace_event){.node = 3,
                                            .age_ms = UM_WIRE_AGE_UNKNOWN,
                                            .by_other_thread = 1},
               0);
    cr_expect_str_eq(fields(), "how=sent by another thread message=3");
    take_event((struct um_wire_trace_event){.node = 1, .age_ms = UM_WIRE_AGE_UNKNOWN}, 0);
    cr_expect_str_eq(last_kind()->name, "(others)");
    cr_expect_str_eq(fields(), "message=4");
}

Test(message_markers, how_a_later_dll_saw_it_is_not_known)
{
    take_call(2, 0x100, UM_WIRE_UNKNOWN, "Edit");
    take_event((struct um_wire_trace_event){.node = 2, .age_ms = UM_WIRE_AGE_UNKNOWN}, 0);
    cr_expect_str_eq(fields(), "window_class=Edit message=1");
}

Test(message_markers, asks_for_more_when_half_has_come)
{
    struct um_wire_frame frame = {.type = UM_WIRE_TRACE_EVENTS};
    for (unsigned i = 1; i <= UM_WIRE_TRACE_EVENTS_AHEAD; i++) {
        um_message_markers_take(&messages, &frame);
        cr_expect_eq(asked, i / (UM_WIRE_TRACE_EVENTS_AHEAD / 2));
    }
}

Test(message_markers, a_node_that_is_told_of_again_stays_what_it_was)
{
    take_call(2, 0x100, UM_TRACE_RETRIEVED, "Edit");
    take_call(2, 0x101, UM_TRACE_SENT, "Other");
    take_event((struct um_wire_trace_event){.node = 2, .age_ms = UM_WIRE_AGE_UNKNOWN}, 0);
    cr_expect_str_eq(last_kind()->name, "WM_KEYDOWN");
    cr_expect_str_eq(fields(), "window_class=Edit how=retrieved message=1");
}

Test(message_markers, counts_what_was_lost)
{
    take_event((struct um_wire_trace_event){.node = 9}, 5); /* nobody has told of node 9 */
    um_marker_frames_turn(messages.frames, 0, true);
    cr_assert_eq(count, 1);
    cr_expect_eq(published[0].type, UM_WIRE_MARKERS_LOST);
    cr_expect_eq(published[0].as.markers_lost.lost, 6);
    cr_expect_eq(published[0].as.markers_lost.source, UM_MARKER_SOURCE_MESSAGE);
}

Test(message_markers, another_attachment_is_another_tree)
{
    take_call(2, 0x100, UM_TRACE_SENT, "Edit");
    take_event((struct um_wire_trace_event){.node = 2, .age_ms = UM_WIRE_AGE_UNKNOWN}, 7);
    um_message_markers_attached(&messages, UI + 1);
    take_call(2, 0x101, UM_TRACE_SENT, "Edit");
    take_event((struct um_wire_trace_event){.node = 2, .age_ms = UM_WIRE_AGE_UNKNOWN}, 1);
    cr_expect_str_eq(last_kind()->name, "WM_KEYUP");
    cr_expect_str_eq(fields(), "window_class=Edit how=sent message=2");
    cr_expect_eq(last_marker()->thread, UI + 1);
    um_marker_frames_turn(messages.frames, 0, true);
    cr_expect_eq(published[count - 1].as.markers_lost.lost, 8);
}

/* The long ones are reported for the freezes, where no markers are wanted. More are asked for. */
Test(message_markers, are_none_unless_they_are_wanted)
{
    messages.wanted = false;
    take_call(2, 0x0113, UM_TRACE_RETRIEVED, "Edit");
    for (unsigned i = 0; i < UM_WIRE_TRACE_EVENTS_AHEAD / 2; i++)
        take_event((struct um_wire_trace_event){.node = 2, .length_ns = 5}, 3);
    um_marker_frames_turn(messages.frames, 1, true);
    cr_expect_eq(count, 0);
    cr_expect_eq(asked, 1);
}
