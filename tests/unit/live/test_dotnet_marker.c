/* Markers of events of .NET: names, fields and flows. */
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/double_bits.h"
#include "monitor/live/dotnet_marker.h"

#define INT32 9
#define STRING 18
#define NOW 1000
#define ACTIVITY "04030201-0605-0807-090a-0b0c0d0e0f10"
#define RELATED "00000000-0000-0000-0000-000000000007"

static struct um_marker_frames *frames;
static struct um_wire_marker_kind kind;
static struct um_wire_marker_value values[2 * UM_WIRE_MARKER_VALUES];
static struct um_wire_marker marker; /* without its values */
static uint8_t flags;
static size_t value_count;
static struct um_wire_markers_lost lost;

static void publish(void *context, const struct um_wire_frame *frame)
{
    (void)context;
    if (frame->type == UM_WIRE_MARKER_KIND)
        kind = frame->as.marker_kind;
    if (frame->type == UM_WIRE_MARKERS_LOST)
        lost = frame->as.markers_lost;
    if (frame->type != UM_WIRE_MARKER)
        return;
    if (value_count == 0)
        flags = frame->flags & (uint8_t)~UM_WIRE_MARKER_MORE;
    marker = frame->as.marker;
    for (size_t i = 0; i < marker.count; i++)
        values[value_count++] = marker.list[i];
}

static struct um_event_kind note, start, stop;
static struct um_event_pair pair;

static void define(struct um_event_kind *made, const char *name, uint8_t opcode)
{
    *made = (struct um_event_kind){.id = 12, .provider = "P", .opcode = opcode, .whole = true};
    made->suffixed = opcode != UM_EVENT_KIND_INFO;
    strcpy(made->name, name);
}

static void add_field(struct um_event_kind *made, uint8_t type, const char *name)
{
    made->fields[made->count].type = type;
    strcpy(made->fields[made->count++].name, name);
}

static void setup(void)
{
    cr_assert_eq(um_marker_frames_open(publish, NULL, &frames), UM_OK);
    define(&note, "Note", UM_EVENT_KIND_INFO);
    define(&start, "RequestStart", UM_EVENT_KIND_START);
    define(&stop, "RequestStop", UM_EVENT_KIND_STOP);
    pair = (struct um_event_pair){0};
    value_count = 0;
}

static void teardown(void)
{
    um_event_pairs_release(&pair);
    um_marker_frames_close(frames);
}

TestSuite(dotnet_marker, .init = setup, .fini = teardown);

static struct um_event *make(const struct um_event_kind *of, uint64_t time_ns, const char *payload,
                             size_t len)
{
    struct um_event *made = calloc(1, sizeof *made + len);
    cr_assert(made != NULL);
    *made = (struct um_event){
        .kind = of, .time_ns = time_ns, .thread = 77, .payload_bytes = len, .len_bytes = len};
    memcpy(made->payload, payload, len);
    const struct um_cursor whole = {.at = made->payload, .end = made->payload + len};
    made->fits = um_event_kind_fits(of, whole);
    return made;
}

static void give_activity(struct um_event *event)
{
    for (uint8_t i = 0; i < 16; i++)
        event->activity[i] = i + 1;
}

static void take(void)
{
    um_dotnet_marker_take(frames, &pair, NOW);
    cr_assert_eq(value_count, kind.count);
}

static void expect_flow(size_t at, const char *name, enum um_wire_field_kind of, bool at_end,
                        const char *id)
{
    cr_assert_lt(at, kind.count);
    cr_expect_str_eq(kind.list[at].name, name);
    cr_expect_eq(kind.list[at].kind, of);
    cr_expect_eq(kind.list[at].at_end, at_end);
    cr_expect_str_eq(values[at].text, id);
}

Test(dotnet_marker, event_is_an_instant_with_its_payload_and_its_activities)
{
    add_field(&note, INT32, "number");
    add_field(&note, STRING, "text");
    pair.first = make(&note, 100, "\x05\0\0\0a\0\0", 8);
    give_activity(pair.first);
    pair.first->related[15] = 7;
    take();
    cr_expect_str_eq(kind.name, "Note");
    cr_expect_str_eq(kind.category, "P");
    cr_expect_eq(kind.source, UM_MARKER_SOURCE_DOTNET);
    cr_expect_eq(flags, UM_WIRE_MARKER_STACK_BASED);
    cr_expect(marker.start_ns == 100 && marker.length_ns == 0 && marker.thread == 77);
    cr_assert_eq(kind.count, 4);
    cr_expect_str_eq(kind.list[0].name, "number");
    cr_expect_eq(kind.list[0].kind, UM_MARKER_FIELD_NUMBER);
    cr_expect_eq(values[0].value, um_double_bits_of(5));
    cr_expect_eq(kind.list[1].kind, UM_MARKER_FIELD_TEXT);
    cr_expect_str_eq(values[1].text, "a");
    expect_flow(2, "activity", UM_MARKER_FIELD_FLOW_TEXT, false, ACTIVITY);
    expect_flow(3, "related activity", UM_MARKER_FIELD_FLOW_TEXT, false, RELATED);
}

Test(dotnet_marker, pair_is_an_interval_that_ends_its_activity_at_its_end)
{
    add_field(&start, INT32, "number");
    add_field(&stop, INT32, "number");
    add_field(&stop, STRING, "result");
    pair.first = make(&start, 100, "\x05\0\0\0", 4);
    pair.stop = make(&stop, 300, "\x06\0\0\0b\0\0", 8);
    give_activity(pair.first);
    give_activity(pair.stop);
    pair.stop->thread = 78;
    take();
    cr_expect_str_eq(kind.name, "Request");
    cr_expect_eq(flags, UM_WIRE_MARKER_INTERVAL);
    cr_expect(marker.start_ns == 100 && marker.length_ns == 200 && marker.thread == 77);
    cr_assert_eq(kind.count, 5);
    cr_expect_str_eq(kind.list[0].name, "number");
    cr_expect_str_eq(kind.list[1].name, "number (stop)");
    cr_expect_eq(values[1].value, um_double_bits_of(6));
    cr_expect_str_eq(kind.list[2].name, "result");
    expect_flow(3, "activity", UM_MARKER_FIELD_FLOW_TEXT, false, ACTIVITY);
    expect_flow(4, "activity", UM_MARKER_FIELD_TERMINATING_FLOW_TEXT, true, ACTIVITY);
}

Test(dotnet_marker, start_without_a_stop_is_open_and_ends_nothing)
{
    pair.first = make(&start, 100, "", 0);
    pair.open = true;
    pair.end_ns = 2 * NOW;
    give_activity(pair.first);
    take();
    cr_expect_str_eq(kind.name, "Request");
    cr_expect_eq(flags, UM_WIRE_MARKER_INTERVAL | UM_WIRE_MARKER_OPEN);
    cr_expect_eq(marker.length_ns, NOW - 100, "it is not over in the future");
    cr_assert_eq(kind.count, 1);
    expect_flow(0, "activity", UM_MARKER_FIELD_FLOW_TEXT, false, ACTIVITY);
}

Test(dotnet_marker, stop_without_a_start_is_an_instant_that_ends_its_activity)
{
    pair.first = make(&stop, 2 * NOW, "", 0);
    give_activity(pair.first);
    take();
    cr_expect_str_eq(kind.name, "RequestStop");
    cr_expect_eq(flags, UM_WIRE_MARKER_STACK_BASED);
    cr_expect(marker.start_ns == NOW && marker.length_ns == 0);
    cr_assert_eq(kind.count, 1);
    expect_flow(0, "activity", UM_MARKER_FIELD_TERMINATING_FLOW_TEXT, false, ACTIVITY);
}

Test(dotnet_marker, what_is_not_shown_is_told_and_counted)
{
    static const char payload[12 * 4 + 3];
    for (int i = 0; i < 12; i++)
        add_field(&note, INT32, "x");
    note.whole = false;
    pair.first = make(&note, 100, payload, sizeof payload);
    take();
    cr_assert_eq(kind.count, UM_DOTNET_MARKER_VALUES + 1);
    cr_expect_str_eq(kind.list[UM_DOTNET_MARKER_VALUES].name, "not shown");
    cr_expect_str_eq(values[UM_DOTNET_MARKER_VALUES].text, "3 fields, 3 bytes");
    um_marker_frames_turn(frames, NOW, true);
    cr_expect_eq(lost.cut, 1);
    cr_expect_eq(lost.lost, 0);
}

static void expect_text(size_t at, const char *name, const char *text)
{
    cr_assert_lt(at, kind.count);
    cr_expect_str_eq(kind.list[at].name, name);
    cr_expect_eq(kind.list[at].kind, UM_MARKER_FIELD_TEXT);
    cr_expect_str_eq(values[at].text, text);
}

/* Each time its definition's two numbers and a text need nine bytes or more. */
Test(dotnet_marker, payload_that_does_not_fit_its_fields_is_not_decoded)
{
    static const struct {
        const char *payload;
        size_t len;
        const char *text;
    } cases[] = {
        {"\5\0\0\0\6\0\0\0\0\0\0", 11, "11 bytes that do not fit its 3 fields"},
        {"\5\0\0\0\6\0\0\0", 8, "8 bytes that do not fit its 3 fields"},
        {"\5", 1, "1 byte that does not fit its 3 fields"},
        {"", 0, "0 bytes that do not fit its 3 fields"},
    };
    add_field(&note, INT32, "a");
    add_field(&note, INT32, "b");
    add_field(&note, STRING, "c");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        value_count = 0;
        um_event_pairs_release(&pair);
        pair.first = make(&note, 100, cases[i].payload, cases[i].len);
        take();
        cr_expect_eq(kind.count, 1);
        expect_text(0, "not decoded", cases[i].text);
    }
    um_marker_frames_turn(frames, NOW, true);
    cr_expect_eq(lost.cut, 4);
}

Test(dotnet_marker, payload_that_ends_where_its_definition_goes_on_is_not_decoded)
{
    add_field(&note, INT32, "a");
    note.whole = false;
    pair.first = make(&note, 100, "\5\0\0\0", 4);
    take();
    cr_expect_eq(kind.count, 1);
    expect_text(0, "not decoded", "4 bytes, too few for its fields");
}

Test(dotnet_marker, what_comes_before_an_array_is_shown)
{
    add_field(&note, INT32, "port");
    note.whole = false;
    pair.first = make(&note, 100, "\5\0\0\0\3\0abc", 9);
    take();
    cr_assert_eq(kind.count, 2);
    cr_expect_str_eq(kind.list[0].name, "port");
    cr_expect_eq(values[0].value, um_double_bits_of(5));
    expect_text(1, "not shown", "5 bytes");
}

/* Of the one that does not fit nothing is shown, and of the other one as much as there is room. */
Test(dotnet_marker, start_and_stop_are_decoded_each_by_itself)
{
    static const char payload[10 * 4];
    for (int i = 0; i < 10; i++)
        add_field(&start, INT32, "x");
    add_field(&stop, INT32, "result");
    pair.first = make(&start, 100, payload, sizeof payload);
    pair.stop = make(&stop, 300, "\5\0", 2);
    take();
    cr_assert_eq(kind.count, UM_DOTNET_MARKER_VALUES + 1);
    cr_expect_str_eq(kind.list[7].name, "x");
    expect_text(8, "not decoded (stop)", "2 bytes that do not fit its 1 field");
    expect_text(9, "not shown", "2 fields");
    um_event_pairs_release(&pair);
    value_count = 0;
    pair.first = make(&start, 100, payload, sizeof payload - 1);
    pair.stop = make(&stop, 300, "\5\0\0\0", 4);
    take();
    cr_assert_eq(kind.count, 2);
    expect_text(0, "not decoded", "39 bytes that do not fit its 10 fields");
    cr_expect_str_eq(kind.list[1].name, "result");
    cr_expect_eq(values[1].value, um_double_bits_of(5));
}

/* What of it is here ends within the text, which goes on elsewhere. */
Test(dotnet_marker, long_payload_is_shown_as_far_as_it_was_kept)
{
    add_field(&note, STRING, "text");
    add_field(&note, INT32, "number");
    pair.first = make(&note, 100, "a\0b\0", 4);
    pair.first->payload_bytes = 5000;
    pair.first->fits = true;
    take();
    cr_assert_eq(kind.count, 2);
    expect_text(0, "text", "ab");
    expect_text(1, "not shown", "4996 bytes");
    um_event_pairs_release(&pair);
    value_count = 0;
    pair.first = make(&note, 100, "a\0b\0", 4);
    pair.first->payload_bytes = 5000;
    pair.first->fits = false;
    take();
    cr_assert_eq(kind.count, 1);
    expect_text(0, "not decoded", "5000 bytes that do not fit its 2 fields");
}

Test(dotnet_marker, what_is_cut_twice_is_one_that_was_cut)
{
    memset(note.name, 'n', 100);
    pair.first = make(&note, 100, "\1", 1);
    take();
    um_marker_frames_turn(frames, NOW, true);
    cr_expect_eq(lost.cut, 1);
}

Test(dotnet_marker, names_that_miss_are_made_up)
{
    define(&note, "", UM_EVENT_KIND_INFO);
    pair.first = make(&note, 100, "\1", 1);
    take();
    cr_expect_str_eq(kind.name, "event 12");
    cr_expect_str_eq(values[0].text, "1 byte: the runtime does not say which fields there are");
    um_event_pairs_release(&pair);
    define(&start, "Start", UM_EVENT_KIND_START);
    pair.first = make(&start, 100, "", 0);
    pair.open = true;
    value_count = 0;
    take();
    cr_expect_str_eq(kind.name, "Start");
}
