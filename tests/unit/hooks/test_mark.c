/* Records of the program's own markers: what is packed comes out as frames. */
#include <math.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/double_bits.h"
#include "hooks/mark.h"

#define TICKS_PER_S UINT64_C(10000000) /* a tick is 100 ns */

static struct um_mark_record record;
static struct um_mark_reader reader;
static struct um_wire_frame frame;
static uint32_t words;

/* Packs a call, and reads its first frame. */
static void pack(enum um_wire_mark_what what, const char *name, const char *category,
                 const struct uimon_field *fields, uint32_t count)
{
    memset(&record, 0x5a, sizeof record); /* it lies on a stack */
    words = um_mark_pack(&record, what, 4711, 50, what == UM_MARK_END ? 77 : 0, name, category,
                         fields, count);
    cr_assert_leq(words, UM_MARK_WORDS_MOST);
    record.words[1] = 99; /* by the ring */
    memset(record.words + words, 0xa5, sizeof record - 8 * words);
    memset(&frame, 0x5a, sizeof frame);
    reader = um_mark_read(&record, UM_MARK_WORDS_MOST);
    cr_assert(um_mark_next(&reader, 1, TICKS_PER_S, &frame));
    uint8_t bytes[UM_WIRE_MAX_BYTES];
    size_t len;
    cr_assert_eq(um_wire_encode(&frame, bytes, sizeof bytes, &len), UM_OK);
    cr_expect_eq(frame.as.mark.bytes, len, "it says what it takes");
}

Test(mark, a_call_with_fields_of_each_kind)
{
    const struct uimon_field fields[] = {uimon_text("file", "a.txt"), uimon_number("size", 2.5),
                                         uimon_flow("task", UINT64_MAX),
                                         uimon_flow_end("done", 0x1122334455667788)};
    pack(UM_MARK_INSTANT, "Load", "I/O", fields, 4);
    const struct um_wire_mark *mark = &frame.as.mark;
    cr_expect_eq(frame.type, UM_WIRE_MARK);
    cr_expect_eq(frame.flags, 0);
    cr_expect(mark->what == UM_MARK_INSTANT && mark->thread == 4711 && mark->time_ns == 5000);
    cr_expect(mark->number == 99 && mark->count == 4);
    cr_expect_str_eq(mark->name, "Load");
    cr_expect_str_eq(mark->category, "I/O");
    cr_expect_str_eq(mark->list[0].name, "file");
    cr_expect_str_eq(mark->list[0].text, "a.txt");
    cr_expect_eq(mark->list[0].kind, UM_MARKER_FIELD_TEXT);
    cr_expect_eq(mark->list[1].kind, UM_MARKER_FIELD_NUMBER);
    cr_expect_eq(mark->list[1].value, um_double_bits_of(2.5));
    cr_expect_eq(mark->list[2].kind, UM_MARKER_FIELD_FLOW);
    cr_expect_eq(mark->list[2].value, UINT64_MAX);
    cr_expect_eq(mark->list[3].kind, UM_MARKER_FIELD_TERMINATING_FLOW);
    cr_expect_eq(mark->list[3].value, 0x1122334455667788);
    cr_expect_str_eq(mark->list[3].name, "done");
    cr_expect_str_eq(mark->list[3].text, "");
    cr_expect_not(um_mark_next(&reader, 0, TICKS_PER_S, &frame));
}

Test(mark, an_end_has_the_number_of_its_begin)
{
    pack(UM_MARK_BEGIN, "Load", NULL, NULL, 3);
    cr_expect(frame.as.mark.what == UM_MARK_BEGIN && frame.as.mark.number == 99);
    cr_expect(frame.as.mark.count == 0 && frame.as.mark.category[0] == '\0');
    pack(UM_MARK_END, NULL, NULL, NULL, 0);
    cr_expect(frame.as.mark.what == UM_MARK_END && frame.as.mark.number == 77);
    cr_expect_eq(words, UM_MARK_HEAD_WORDS);
}

Test(mark, eight_of_the_longest_fields_are_two_frames)
{
    struct uimon_field fields[8];
    char names[8][64], texts[8][128];
    for (size_t i = 0; i < 8; i++) {
        memset(names[i], (int)('a' + i), 63);
        memset(texts[i], (int)('A' + i), 127);
        names[i][63] = texts[i][127] = '\0';
        fields[i] = uimon_text(names[i], texts[i]);
    }
    pack(UM_MARK_INSTANT, names[0], names[1], fields, 8);
    cr_expect_eq(words, UM_MARK_WORDS_MOST);
    cr_expect_eq(frame.flags, UM_WIRE_MARK_MORE);
    cr_expect_str_eq(frame.as.mark.name, names[0]);
    cr_expect_str_eq(frame.as.mark.category, names[1]);
    for (int half = 0; half < 2; half++) {
        cr_assert_eq(frame.as.mark.count, 4);
        for (size_t i = 0; i < 4; i++) {
            cr_expect_str_eq(frame.as.mark.list[i].name, names[4 * (size_t)half + i]);
            cr_expect_str_eq(frame.as.mark.list[i].text, texts[4 * (size_t)half + i]);
        }
        if (half == 0)
            cr_assert(um_mark_next(&reader, 0, TICKS_PER_S, &frame));
    }
    cr_expect_eq(frame.flags, 0);
    cr_expect_str_empty(frame.as.mark.name);
    cr_expect_eq(frame.as.mark.time_ns, 5000);
    cr_expect_not(um_mark_next(&reader, 0, TICKS_PER_S, &frame));
}

static void expect_cut(const char *name, size_t kept)
{
    pack(UM_MARK_INSTANT, name, NULL, NULL, 0);
    cr_expect_eq(frame.flags, UM_WIRE_MARK_CUT, "%s", name);
    cr_expect_eq(strlen(frame.as.mark.name), kept, "%zu", strlen(frame.as.mark.name));
    cr_expect_arr_eq(frame.as.mark.name, name, kept);
}

Test(mark, what_is_too_long_is_cut_where_a_character_ends)
{
    char name[80];
    memset(name, 'x', sizeof name);
    name[64] = '\0';
    expect_cut(name, 63);
    strcpy(name + 61, "\xe2\x82\xac"); /* its last byte does not fit */
    expect_cut(name, 61);
    strcpy(name + 60, "\xe2\x82\xac.");
    expect_cut(name, 63);
    memset(name, 0x80, 79); /* no character at all */
    name[79] = '\0';
    expect_cut(name, 60);
    name[63] = '\0';
    pack(UM_MARK_INSTANT, name, NULL, NULL, 0);
    cr_expect_eq(frame.flags, 0, "it fits");
}

Test(mark, more_than_eight_fields_are_cut)
{
    struct uimon_field fields[9];
    for (size_t i = 0; i < 9; i++)
        fields[i] = uimon_flow(NULL, i);
    pack(UM_MARK_INSTANT, "Load", NULL, fields, UINT32_MAX);
    cr_expect_eq(frame.flags, UM_WIRE_MARK_MORE | UM_WIRE_MARK_CUT);
    cr_assert(um_mark_next(&reader, 0, TICKS_PER_S, &frame));
    cr_expect_eq(frame.as.mark.list[3].value, 7);
    cr_expect_not(um_mark_next(&reader, 0, TICKS_PER_S, &frame));
}

Test(mark, a_field_of_a_later_kind_is_its_text)
{
    struct uimon_field field = uimon_text("name", "text");
    field.kind = 7;
    pack(UM_MARK_INSTANT, "Load", NULL, &field, 1);
    cr_expect_eq(frame.as.mark.list[0].kind, UM_MARKER_FIELD_TEXT);
    cr_expect_str_eq(frame.as.mark.list[0].text, "text");
}

/* A record whose words were mixed up is still read within its bounds. */
Test(mark, any_words_are_frames)
{
    uint64_t state = 1;
    for (int round = 0; round < 2000; round++) {
        for (size_t i = 0; i < UM_MARK_WORDS_MOST; i++)
            record.words[i] = state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
        reader = um_mark_read(&record, UM_MARK_WORDS_MOST);
        record.words[0] &= ~UINT64_C(0xf); /* an instant */
        for (int first = 1; um_mark_next(&reader, first, TICKS_PER_S, &frame); first = 0) {
            uint8_t bytes[UM_WIRE_MAX_BYTES];
            size_t len;
            cr_assert_eq(um_wire_encode(&frame, bytes, sizeof bytes, &len), UM_OK);
        }
    }
}
