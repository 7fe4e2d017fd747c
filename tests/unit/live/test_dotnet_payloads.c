/* Markers of the events of tests/dotnet/payloads.cs: a stream of .NET Core 3.1, captured under Wine
 * with tests/win/nettrace_win32.c. The truth is what that program writes: its values, and how many
 * bytes .NET needs for them. tests/dotnet/payloads.py compares with the program's own listener. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/double_bits.h"
#include "monitor/dotnet/event_order.h"
#include "monitor/dotnet/event_pairs.h"
#include "monitor/dotnet/nettrace.h"
#include "monitor/live/dotnet_marker.h"
#include "tests/growing_text.h"

#define STREAM UM_SOURCE_DIR "/tests/golden/payloads.nettrace"
#define KINDS 32

static struct um_event_order *order;
static struct um_event_pairs *pairs;
static struct um_marker_frames *frames;
static struct um_wire_marker_kind kinds[KINDS]; /* by their numbers */
static size_t values;                           /* of the marker that is being written */
static uint64_t cut;
static struct growing_text lines; /* one for each marker */

static void put_value(const struct um_wire_marker_field *field,
                      const struct um_wire_marker_value *value)
{
    if (field->kind == UM_MARKER_FIELD_NUMBER)
        growing_text_put(&lines, "; %s=%.0f", field->name, um_double_bits_value(value->value));
    else if (field->kind == UM_MARKER_FIELD_TEXT)
        growing_text_put(&lines, "; %s=%s", field->name, value->text);
}

static void publish(void *context, const struct um_wire_frame *frame)
{
    const struct um_wire_marker *marker = &frame->as.marker;
    (void)context;
    if (frame->type == UM_WIRE_MARKERS_LOST)
        cut = frame->as.markers_lost.cut;
    if (frame->type == UM_WIRE_MARKER_KIND) {
        cr_assert_lt(frame->as.marker_kind.number, KINDS);
        kinds[frame->as.marker_kind.number] = frame->as.marker_kind;
    }
    if (frame->type != UM_WIRE_MARKER)
        return;
    const struct um_wire_marker_kind *kind = &kinds[marker->kind];
    if (values == 0)
        growing_text_put(&lines, "%s%s%s", kind->name,
                         frame->flags & UM_WIRE_MARKER_INTERVAL ? " interval" : "",
                         frame->flags & UM_WIRE_MARKER_OPEN ? " open" : "");
    for (size_t i = 0; i < marker->count; i++)
        put_value(&kind->list[values++], &marker->list[i]);
    if (frame->flags & UM_WIRE_MARKER_MORE)
        return;
    growing_text_put(&lines, "\n");
    values = 0;
}

static void take_counter(void *context, const struct um_nettrace_counter *counter)
{
    (void)context, (void)counter;
}

static void take_event(void *context, const struct um_nettrace_event *event)
{
    (void)context;
    if (strcmp(event->kind->provider, "Example-App-Payloads") == 0)
        um_event_order_take(order, event);
}

static void take_ordered(void *context, struct um_event *event)
{
    (void)context;
    um_event_pairs_take(pairs, event);
}

static void take_pair(void *context, const struct um_event_pair *pair)
{
    struct um_event_pair own = *pair;
    (void)context;
    um_dotnet_marker_take(frames, pair, UINT64_MAX);
    um_event_pairs_release(&own);
}

static void decode(void)
{
    static uint8_t stream[65536];
    const struct um_nettrace_taker taker = {.counter = take_counter, .event = take_event};
    struct um_nettrace *nettrace;
    FILE *file = fopen(STREAM, "rb");
    cr_assert(file != NULL);
    size_t len = fread(stream, 1, sizeof stream, file);
    fclose(file);
    cr_assert_eq(um_nettrace_open(&taker, &nettrace), UM_OK);
    cr_assert_eq(um_nettrace_bytes(nettrace, stream, len), UM_OK);
    um_event_order_settled(order, UINT64_MAX);
    um_event_pairs_end(pairs, UINT64_MAX);
    um_marker_frames_turn(frames, UINT64_MAX, true);
    um_nettrace_close(nettrace);
}

static void setup(void)
{
    cr_assert_eq(um_event_order_open(take_ordered, NULL, &order), UM_OK);
    cr_assert_eq(um_event_pairs_open(take_pair, NULL, &pairs), UM_OK);
    cr_assert_eq(um_marker_frames_open(publish, NULL, &frames), UM_OK);
}

static void teardown(void)
{
    um_event_pairs_close(pairs);
    um_event_order_close(order);
    um_marker_frames_close(frames);
    free(lines.text);
}

TestSuite(dotnet_payloads, .init = setup, .fini = teardown);

#define ZHE "\xd0\xb6"
#define NINE_ZHE ZHE ZHE ZHE ZHE ZHE ZHE ZHE ZHE ZHE

/* Packet: a text, 4 bytes, 4 of the array's length, and the array. Parcel: a text and two times 4
 * bytes, though 4 and 1 are described. List: a text, 2 bytes of the array's length, and 3 numbers.
 * Of a text of 2100 characters, with a number before it, the first 4096 bytes are kept. It ends in
 * a hash of the 2046 characters in them (FNV-1a, its halves combined), as Python computes it. */
Test(dotnet_payloads, show_what_the_runtime_describes_and_nothing_else)
{
    decode();
    cr_expect_str_eq(
        lines.text,
        "Plain; number=-7; text=Z\xc3\xbcrich \xf0\x9f\x98\x80\n"
        "Packet; not decoded=22 bytes: the runtime does not say which fields there are\n"
        "Packet; not decoded=20 bytes: the runtime does not say which fields there are\n"
        "Parcel; not decoded=18 bytes that do not fit its 3 fields\n"
        "Short; not decoded=4 bytes that do not fit its 2 fields\n"
        "Nothing\n"
        "Task interval; not decoded=8 bytes that do not fit its 2 fields; number (stop)=2; "
        "result=done\n"
        "Plain; number=8; text=" NINE_ZHE NINE_ZHE NINE_ZHE NINE_ZHE NINE_ZHE NINE_ZHE ZHE ZHE ZHE
            ZHE ZHE "\xe2\x80\xa6#9fff; not shown=110 bytes\n"
        "Parcel; not decoded=4210 bytes that do not fit its 3 fields\n"
        "List; not decoded=22 bytes: the runtime does not say which fields there are\n"
        "Wide; A1=1; A2=2; A3=3; A4=4; A5=5; A6=6; A7=7; A8=8; A9=9; not shown=23 fields, 8 bytes\n"
        "Plain; number=10; text=the end\n"
        "Work interval open; number=1\n",
        "%s", lines.text);
    cr_expect_eq(cut, 9, "%" PRIu64, cut);
}
