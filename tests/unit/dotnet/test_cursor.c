/* Numbers and texts out of bytes of a .NET runtime. */
#include <criterion/criterion.h>
#include <string.h>

#include "monitor/dotnet/cursor.h"

static struct um_cursor over(const void *bytes, size_t len)
{
    const uint8_t *at = bytes;
    return (struct um_cursor){.at = at, .end = at + len};
}

/* What was in the room before is no part of it. */
Test(cursor, a_text_ends_where_its_characters_end)
{
    static const uint8_t bytes[] = {'a', 0, 0xe4, 0, 0x3d, 0xd8, 0x00, 0xde, 0, 0, 'z'};
    char text[16];
    memset(text, '#', sizeof text);
    struct um_cursor cursor = over(bytes, sizeof bytes);
    cr_expect_not(um_cursor_get_text(&cursor, text, sizeof text));
    cr_expect_str_eq(text, "a\u00e4\U0001f600");
    cr_expect_eq(um_cursor_left(&cursor), 1);
}

Test(cursor, half_of_a_pair_is_a_question_mark)
{
    static const uint8_t bytes[] = {0x3d, 0xd8, 'a', 0, 0x00, 0xde, 0, 0xdc, 0x3d, 0xd8};
    struct um_cursor cursor = over(bytes, sizeof bytes);
    cr_expect_eq(um_cursor_get_character(&cursor), '?');
    cr_expect_eq(um_cursor_get_character(&cursor), 'a');
    cr_expect_eq(um_cursor_get_character(&cursor), '?');
    cr_expect_eq(um_cursor_get_character(&cursor), '?');
    cr_expect_eq(um_cursor_get_character(&cursor), '?', "its other half is missing");
    cr_expect_not(cursor.failed);
    cr_expect_eq(um_cursor_get_character(&cursor), 0);
    cr_expect(cursor.failed);
}

Test(cursor, varints_have_seven_bits_a_byte)
{
    static const uint8_t bytes[] = {0x7f, 0x80, 0x01, 0xff, 0xff, 0xff, 0xff,
                                    0x0f, 0x80, 0x80, 0x80, 0x80, 0x80};
    struct um_cursor cursor = over(bytes, sizeof bytes);
    cr_expect_eq(um_cursor_get_varint(&cursor, 32), 127);
    cr_expect_eq(um_cursor_get_varint(&cursor, 32), 128);
    cr_expect_eq(um_cursor_get_varint(&cursor, 32), UINT32_MAX);
    cr_expect_not(cursor.failed);
    cr_expect_eq(um_cursor_get_varint(&cursor, 32), 0, "it is too long");
    cr_expect(cursor.failed);
}
