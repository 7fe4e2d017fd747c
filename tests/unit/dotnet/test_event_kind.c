/* Definitions and payloads that are put together byte by byte, as NetTraceFormat_v5.md of
 * microsoft/perfview describes them. */
#include <stdbool.h>
#include <string.h>

#include <criterion/criterion.h>

#include "monitor/dotnet/event_kind.h"

enum {
    BOOLEAN = 3,
    CHAR = 4,
    BYTE = 6,
    INT32 = 9,
    INT64 = 11,
    UINT64,
    SINGLE,
    DOUBLE,
    DECIMAL,
    DATETIME
};
enum { OBJECT = 1, GUID = 17, STRING = 18, ARRAY = 19 };

static uint8_t bytes[4096];
static size_t len;
static struct um_event_kind kind;
static struct um_event_kind_value values[UM_EVENT_KIND_FIELDS];

static void setup(void)
{
    len = 0;
}

TestSuite(event_kind, .init = setup);

static void put(uint64_t number, size_t count)
{
    for (size_t i = 0; i < count; i++)
        bytes[len++] = (uint8_t)(number >> 8 * i);
}

static void put_text(const char *text)
{
    for (; *text; text++)
        put((uint8_t)*text, 2);
    put(0, 2);
}

/* What comes before the fields of event 7 of the provider "P". */
static void put_head(const char *name)
{
    put(21, 4);
    put_text("P");
    put(7, 4);
    put_text(name);
    put(0, 8);
    put(0, 4);
    put(4, 4);
}

static void put_field(uint32_t type, const char *name)
{
    put(type, 4);
    put_text(name);
}

static void read_kind(void)
{
    struct um_cursor cursor = {.at = bytes, .end = bytes + len};
    cr_assert_eq(um_event_kind_read(&cursor, &kind), UM_OK);
    len = 0;
}

static bool fits(size_t bytes_more)
{
    struct um_cursor cursor = {.at = bytes, .end = bytes + len + bytes_more};
    return um_event_kind_fits(&kind, cursor);
}

/* How many values a payload has, and how many bytes are left behind them. */
static size_t read_values(bool cut, size_t *left)
{
    struct um_cursor cursor = {.at = bytes, .end = bytes + len};
    size_t count = um_event_kind_values(&kind, &cursor, cut, values);
    *left = um_cursor_left(&cursor);
    return count;
}

Test(event_kind, definition_has_names_and_fields)
{
    put_head("Note");
    put(2, 4);
    put_field(INT32, "number");
    put_field(STRING, "text");
    read_kind();
    cr_expect_eq(kind.definition, 21);
    cr_expect_eq(kind.id, 7);
    cr_expect_str_eq(kind.provider, "P");
    cr_expect_str_eq(kind.name, "Note");
    cr_expect_eq(kind.opcode, UM_EVENT_KIND_INFO);
    cr_expect(kind.whole && !kind.suffixed);
    cr_assert_eq(kind.count, 2);
    cr_expect_str_eq(kind.fields[0].name, "number");
    cr_expect_str_eq(kind.fields[1].name, "text");
}

Test(event_kind, definition_that_ends_within_its_head_is_refused)
{
    put_head("Note");
    for (size_t part = 0; part < len; part++) {
        struct um_cursor cursor = {.at = bytes, .end = bytes + part};
        cr_expect_eq(um_event_kind_read(&cursor, &kind), UM_ERR_FORMAT, "%zu", part);
    }
    struct um_cursor cursor = {.at = bytes, .end = bytes + len};
    cr_expect_eq(um_event_kind_read(&cursor, &kind), UM_OK);
    cr_expect(kind.whole && kind.count == 0, "it has no fields");
}

Test(event_kind, opcode_is_that_of_the_name_unless_one_is_told)
{
    static const struct {
        const char *name;
        uint8_t told, opcode;
        bool suffixed;
    } cases[] = {
        {"RequestStart", 0, UM_EVENT_KIND_START, true},
        {"RequestStop", 0, UM_EVENT_KIND_STOP, true},
        {"Stopped", 0, UM_EVENT_KIND_INFO, false},
        {"Restart", 0, UM_EVENT_KIND_INFO, false},
        {"BeginRequest", 1, UM_EVENT_KIND_START, false},
        {"EndRequest", 2, UM_EVENT_KIND_STOP, false},
        {"RequestStart", 2, UM_EVENT_KIND_STOP, false},
        {"RequestStart", 9, UM_EVENT_KIND_INFO, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        len = 0;
        put_head(cases[i].name);
        put(0, 4);
        if (cases[i].told) {
            put(1, 4); /* the length of an opcode */
            put(1, 1);
            put(cases[i].told, 1);
        }
        read_kind();
        cr_expect_eq(kind.opcode, cases[i].opcode, "%zu", i);
        cr_expect_eq(kind.suffixed, cases[i].suffixed, "%zu", i);
    }
}

Test(event_kind, values_are_those_of_their_types)
{
    put_head("All");
    put(10, 4);
    put_field(BOOLEAN, "a");
    put_field(CHAR, "b");
    put_field(INT32, "c");
    put_field(INT64, "d");
    put_field(UINT64, "e");
    put_field(SINGLE, "f");
    put_field(DOUBLE, "g");
    put_field(DECIMAL, "h");
    put_field(DATETIME, "i");
    put_field(GUID, "j");
    read_kind();
    put(1, 4);
    put(0x20ac, 2);
    put((uint64_t)-5, 4);
    put((uint64_t)1 << 53, 8);
    put(UINT64_MAX, 8);
    put(0x3fc00000, 4);         /* 1.5 */
    put(0x7ff0000000000000, 8); /* infinity */
    put(0x80030000, 4);         /* negative, three digits behind the point */
    put(0, 4);
    put(12345, 8);
    put(132537600000000000 + 1234567, 8); /* 2020-12-30 and some */
    put(0x33221100, 4);
    put(0x5544, 2);
    put(0x7766, 2);
    put(0xffeeddccbbaa9988, 8);
    put(99, 1);
    size_t left;
    cr_assert_eq(read_values(false, &left), 10);
    cr_expect_eq(left, 1);
    cr_expect(!values[0].is_number);
    cr_expect_str_eq(values[0].text, "true");
    cr_expect_str_eq(values[1].text, "\xe2\x82\xac");
    cr_expect(values[2].is_number && values[2].number == -5);
    cr_expect(values[3].is_number && values[3].number == 9007199254740992.0);
    cr_expect(!values[4].is_number, "a double has not all of its digits");
    cr_expect_str_eq(values[4].text, "18446744073709551615");
    cr_expect(values[5].is_number && values[5].number == 1.5);
    cr_expect(!values[6].is_number);
    cr_expect_str_eq(values[6].text, "Infinity");
    cr_expect(values[7].is_number && values[7].number == -12.345);
    cr_expect_str_eq(values[8].text, "2020-12-30T00:00:00.1234567Z");
    cr_expect_str_eq(values[9].text, "33221100-5544-7766-8899-aabbccddeeff");
}

Test(event_kind, objects_are_taken_apart)
{
    put_head("Box");
    put(2, 4);
    put(OBJECT, 4);
    put(2, 4);
    put_field(BOOLEAN, "lid");
    put_field(INT32, "width");
    put_text("box");
    put_field(INT32, "left");
    read_kind();
    cr_assert(kind.whole);
    cr_assert_eq(kind.count, 3);
    cr_expect_str_eq(kind.fields[0].name, "box.lid");
    cr_expect_str_eq(kind.fields[1].name, "box.width");
    cr_expect_str_eq(kind.fields[2].name, "left");
    put(1, 4);
    put(20, 4);
    put(3, 4);
    size_t left;
    cr_assert_eq(read_values(false, &left), 3);
    cr_expect_eq(values[1].number, 20);
    cr_expect_eq(values[2].number, 3);
    cr_expect_eq(left, 0);
}

/* That is how EventSource.Write describes what it writes; tests/dotnet/activities.cs does. */
Test(event_kind, truth_values_of_an_object_without_a_name_are_bytes)
{
    put_head("Sold");
    put(1, 4);
    put(OBJECT, 4);
    put(2, 4);
    put_field(BOOLEAN, "lid");
    put_field(INT32, "left");
    put_text("");
    read_kind();
    cr_assert_eq(kind.count, 2);
    cr_expect_str_eq(kind.fields[0].name, "lid");
    put(1, 1);
    put(3, 4);
    size_t left;
    cr_assert_eq(read_values(false, &left), 2);
    cr_expect_str_eq(values[0].text, "true");
    cr_expect_eq(values[1].number, 3);
    cr_expect_eq(left, 0);
}

/* A field of the later form, with its length in front. */
static void put_sized(uint32_t type, const char *name, uint32_t elements)
{
    put(4 + 2 * (strlen(name) + 1) + 4 + (elements ? 4 : 0), 4);
    put_text(name);
    put(type, 4);
    if (elements)
        put(elements, 4);
}

Test(event_kind, fields_behind_the_definition_are_read_up_to_an_array)
{
    put_head("Packet");
    put(0, 4);
    size_t begin = len;
    put(0, 4); /* its length follows */
    put(2, 1);
    put(3, 4);
    put_sized(INT32, "port", 0);
    put_sized(ARRAY, "bytes", 6);
    put_sized(INT32, "after", 0);
    bytes[begin] = (uint8_t)(len - begin - 5);
    read_kind();
    cr_assert_eq(kind.count, 1);
    cr_expect(!kind.whole);
    cr_expect_str_eq(kind.fields[0].name, "port");
    put(80, 4);
    put(3, 2);
    put(0x010203, 3);
    put(5, 4);
    size_t left;
    cr_assert_eq(read_values(false, &left), 1);
    cr_expect_eq(values[0].number, 80);
    cr_expect_eq(left, 9);
}

/* Puts a list of fields that follows a definition of event "Sold", and reads that. */
static void read_described(void (*put_fields)(void))
{
    put_head("Sold");
    put(0, 4);
    size_t begin = len;
    put(0, 4); /* its length follows */
    put(2, 1);
    put_fields();
    bytes[begin] = (uint8_t)(len - begin - 5);
    read_kind();
}

/* A field of the later form that is an object: its length and its fields follow. */
static size_t put_sized_object(const char *name, uint32_t count)
{
    size_t begin = len;
    put(0, 4);
    put_text(name);
    put(OBJECT, 4);
    put(count, 4);
    return begin;
}

static void end_sized_object(size_t begin)
{
    bytes[begin] = (uint8_t)(len - begin);
}

static void put_object_with_an_array(void)
{
    put(1, 4);
    size_t begin = put_sized_object("", 4);
    put_sized(STRING, "item", 0);
    put_sized(BOOLEAN, "lid", 0);
    put_sized(ARRAY, "counts", INT32);
    put_sized(INT32, "left", 0);
    end_sized_object(begin);
}

/* EventSource.Write of an object, by a runtime that describes arrays. */
Test(event_kind, fields_of_an_object_are_read_up_to_an_array)
{
    read_described(put_object_with_an_array);
    cr_assert_eq(kind.count, 2);
    cr_expect(!kind.whole);
    cr_expect_str_eq(kind.fields[0].name, "item");
    cr_expect_str_eq(kind.fields[1].name, "lid");
    put('a', 2);
    put(0, 2);
    put(1, 1);
    put(0, 2); /* an array without elements */
    put(9, 4);
    size_t left;
    cr_assert_eq(read_values(false, &left), 2);
    cr_expect_str_eq(values[0].text, "a");
    cr_expect_str_eq(values[1].text, "true", "a truth value of an object has one byte");
    cr_expect_eq(left, 6);
    cr_expect(fits(0));
}

static void put_object_within_an_object(void)
{
    put(1, 4);
    size_t outer = put_sized_object("", 3);
    put_sized(INT32, "number", 0);
    size_t inner = put_sized_object("box", 2);
    put_sized(INT32, "width", 0);
    put_sized(ARRAY, "sides", INT32);
    end_sized_object(inner);
    put_sized(INT32, "left", 0);
    end_sized_object(outer);
}

Test(event_kind, fields_before_an_array_have_the_name_of_their_object)
{
    read_described(put_object_within_an_object);
    cr_assert_eq(kind.count, 2);
    cr_expect(!kind.whole);
    cr_expect_str_eq(kind.fields[0].name, "number");
    cr_expect_str_eq(kind.fields[1].name, "box.width");
}

/* In the first form an object's name comes behind its fields, where it cannot be found. */
Test(event_kind, fields_of_an_object_without_a_known_name_are_left_out)
{
    put_head("Box");
    put(1, 4);
    put(OBJECT, 4);
    put(2, 4);
    put_field(INT32, "number");
    put(OBJECT, 4);
    put(2, 4);
    put_field(INT32, "width");
    put_field(77, "new");
    put_text("box");
    put_text("");
    read_kind();
    cr_assert_eq(kind.count, 1);
    cr_expect(!kind.whole);
    cr_expect_str_eq(kind.fields[0].name, "number");
}

Test(event_kind, payload_fits_with_all_of_its_fields_and_nothing_behind_them)
{
    static const uint8_t sizes[] = {
        [BOOLEAN] = 4, [CHAR] = 2,   [5] = 1,        [BYTE] = 1,     [7] = 2,
        [8] = 2,       [INT32] = 4,  [10] = 4,       [INT64] = 8,    [UINT64] = 8,
        [SINGLE] = 4,  [DOUBLE] = 8, [DECIMAL] = 16, [DATETIME] = 8, [GUID] = 16};
    for (uint32_t type = BOOLEAN; type <= GUID; type++) {
        len = 0;
        put_head("One");
        put(1, 4);
        put_field(type, "x");
        read_kind();
        memset(bytes, 1, sizeof bytes);
        for (size_t count = 0; count <= 20; count++)
            cr_expect_eq(fits(count), count == sizes[type], "%zu bytes of type %u", count, type);
        size_t left;
        len = sizes[type];
        cr_expect(read_values(false, &left) == 1 && left == 0, "%u is read as it is checked", type);
    }
}

Test(event_kind, payload_with_a_text_fits_up_to_its_nul)
{
    put_head("Note");
    put(2, 4);
    put_field(STRING, "text");
    put_field(INT32, "number");
    read_kind();
    put(0xd800, 2); /* half of a character */
    put('a', 2);
    put(0, 2);
    put(0, 4);
    for (size_t part = 0; part < 10; part++) {
        struct um_cursor cursor = {.at = bytes, .end = bytes + part};
        cr_expect(!um_event_kind_fits(&kind, cursor), "%zu", part);
    }
    cr_expect(fits(0));
    cr_expect(!fits(1));
}

Test(event_kind, payload_of_a_definition_that_goes_on_has_something_behind_its_fields)
{
    put_head("New");
    put(2, 4);
    put_field(INT32, "a");
    put_field(77, "b");
    read_kind();
    cr_assert_eq(kind.count, 1);
    cr_expect(!fits(3) && !fits(4) && fits(5) && fits(100));
}

/* tests/dotnet/payloads.cs has such an event: a method with an array. */
Test(event_kind, payload_without_described_fields_fits_if_it_is_empty)
{
    put_head("Packet");
    put(0, 4);
    read_kind();
    cr_expect(fits(0) && !fits(1));
}

Test(event_kind, fields_up_to_one_of_an_unknown_type_are_kept)
{
    put_head("New");
    put(3, 4);
    put_field(INT32, "a");
    put_field(77, "b");
    put_field(INT32, "c");
    read_kind();
    cr_expect_eq(kind.count, 1);
    cr_expect(!kind.whole);
}

Test(event_kind, more_fields_than_there_is_room_for_are_left_out)
{
    put_head("Wide");
    put(40, 4);
    for (int i = 0; i < 40; i++)
        put_field(INT32, "x");
    read_kind();
    cr_expect_eq(kind.count, UM_EVENT_KIND_FIELDS);
    cr_expect(!kind.whole);
    len = 0;
    put_head("Wide");
    put(1, 4);
    put(OBJECT, 4);
    put(40, 4);
    for (int i = 0; i < 40; i++)
        put_field(BOOLEAN, "x");
    put_text("");
    read_kind();
    cr_expect_eq(kind.count, UM_EVENT_KIND_FIELDS, "of an object, too");
    cr_expect(!kind.whole);
    cr_expect(fits(40), "its truth values have one byte");
}

Test(event_kind, payload_that_ends_early_has_the_values_before)
{
    put_head("Note");
    put(2, 4);
    put_field(INT32, "number");
    put_field(STRING, "text");
    read_kind();
    put(5, 4);
    put('a', 2);
    size_t left;
    cr_expect_eq(read_values(false, &left), 1);
    cr_expect_eq(left, 2);
    cr_assert_eq(read_values(true, &left), 2, "the text goes on elsewhere");
    cr_expect_str_eq(values[1].text, "a");
    cr_expect(values[1].cut);
}

Test(event_kind, long_texts_are_cut_between_characters)
{
    put_head("Note");
    put(1, 4);
    put_field(STRING, "text");
    read_kind();
    for (int i = 0; i < 100; i++)
        put(0xe9, 2);
    put(0, 2);
    size_t left;
    cr_assert_eq(read_values(false, &left), 1);
    cr_expect(values[0].cut);
    cr_expect_eq(strlen(values[0].text), 126);
    cr_expect_str_eq(values[0].text + 116, "\xc3\xa9\xe2\x80\xa6#9cf8");
    cr_expect_eq(left, 0);
}
