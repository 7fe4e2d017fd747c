#include <criterion/criterion.h>
#include <locale.h>
#include <string.h>
#include <wctype.h>

#include "base/utf8.h"

Test(utf8, reads_characters_of_every_length)
{
    const char *text = "a\xc3\xbc\xe2\x82\xac\xf0\x9f\x98\x80";
    const char *at = text;

    cr_assert_eq(um_utf8_next(&at), 'a');
    cr_assert_eq(um_utf8_next(&at), 0xfc);
    cr_assert_eq(um_utf8_next(&at), 0x20ac);
    cr_assert_eq(um_utf8_next(&at), 0x1f600);
    cr_assert_eq(um_utf8_next(&at), 0);
    cr_assert_eq(um_utf8_next(&at), 0);
    cr_assert_eq(at - text, 10);
}

Test(utf8, a_broken_byte_is_one_replacement)
{
    static const char *const broken[] = {
        "\x80",         "\xc0\x80",         "\xc3", "\xe2\x82", "\xed\xa0\x80",
        "\xe0\x80\x80", "\xf4\x90\x80\x80", "\xf5", "\xff"};

    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        const char *at = broken[i];
        cr_assert_eq(um_utf8_next(&at), UM_UTF8_REPLACEMENT, "%zu", i);
        cr_assert_eq(at - broken[i], 1, "%zu", i);
        cr_assert_not(um_utf8_valid(broken[i], strlen(broken[i])), "%zu", i);
    }
}

Test(utf8, a_character_that_the_length_cuts_is_not_valid)
{
    cr_assert(um_utf8_valid("\xe2\x82\xac", 3));
    cr_assert_not(um_utf8_valid("\xe2\x82\xac", 2));
    cr_assert_not(um_utf8_valid("a\0b", 3));
    cr_assert(um_utf8_valid("", 0));
}

/* The C library's table is the witness. The characters left out have no simple folding, or one that
 * differs from their lower case. */
Test(utf8, folds_as_the_c_library_does)
{
    locale_t unicode = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);

    cr_assert_neq(unicode, (locale_t)0);
    for (uint32_t c = 1; c < 0x180; c++) {
        uint32_t lower = c == 0x130 ? c : towlower_l((wint_t)c, unicode);
        cr_assert_eq(um_utf8_fold(c), lower, "U+%04X", c);
    }
    for (uint32_t c = 0x386; c < 0x3cf; c++) {
        uint32_t lower = c == 0x3c2 ? 0x3c3 : towlower_l((wint_t)c, unicode);
        cr_assert_eq(um_utf8_fold(c), lower, "U+%04X", c);
    }
    for (uint32_t c = 0x400; c < 0x590; c++)
        if (c < 0x4c0 || c > 0x4cf)
            cr_assert_eq(um_utf8_fold(c), towlower_l((wint_t)c, unicode), "U+%04X", c);
    for (uint32_t c = 0x1e00; c < 0x1f00; c++)
        if (c != 0x1e9e)
            cr_assert_eq(um_utf8_fold(c), towlower_l((wint_t)c, unicode), "U+%04X", c);
    freelocale(unicode);
}

Test(utf8, finds_a_part_in_any_case)
{
    cr_assert(um_utf8_contains("Untitled - Notepad", "NOTEPAD"));
    cr_assert(um_utf8_contains("\xc3\x9c"
                               "bersicht",
                               "\xc3\xbc"
                               "bers"));
    cr_assert(um_utf8_contains("aab", "ab"));
    cr_assert(um_utf8_contains("x", ""));
    cr_assert_not(um_utf8_contains("Note", "Notepad"));
    cr_assert_not(um_utf8_contains("", "a"));
}

Test(utf8, compares_whole_texts)
{
    cr_assert(um_utf8_equal("DevEnv", "devenv"));
    cr_assert_not(um_utf8_equal("devenv", "devenv2"));
    cr_assert_not(um_utf8_equal("devenv2", "devenv"));
    cr_assert(um_utf8_equal("", ""));
}

static void assert_fits(const char *text, size_t columns, const char *expected)
{
    char buf[64];

    cr_assert_eq(um_utf8_fit(text, columns, buf, sizeof buf), UM_OK);
    cr_assert_str_eq(buf, expected);
    cr_assert_leq(um_utf8_columns(buf), columns);
}

Test(utf8, counts_columns)
{
    cr_assert_eq(um_utf8_columns("abc"), 3);
    cr_assert_eq(um_utf8_columns("\xe6\x97\xa5\xe6\x9c\xac"), 4);
    cr_assert_eq(um_utf8_columns("e\xcc\x81"), 1);
    cr_assert_eq(um_utf8_columns("\xf0\x9f\x98\x80"), 2);
    cr_assert_eq(um_utf8_columns("a\nb"), 3);
}

/* Of each table, a character of the first range, of a later one, between two, and of the last. */
Test(utf8, knows_all_ranges_of_wide_and_invisible_characters)
{
    static const struct {
        uint32_t character;
        size_t columns;
    } all[] = {{0x1100, 2},  {0x1160, 1},  {0xac00, 2},  {0x3fffd, 2}, {0x3fffe, 1}, {0x0300, 0},
               {0x0370, 1},  {0x2060, 0},  {0x20ff, 0},  {0xfe0f, 0},  {0xfe10, 1},  {0xe0100, 0},
               {0xe01ef, 0}, {0xe01f0, 1}, {0xe0001, 1}, {0xfe30, 2},  {0x1f600, 2}};

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        char text[8] = "";
        um_utf8_encode(all[i].character, text);
        cr_expect_eq(um_utf8_columns(text), all[i].columns, "%x", (unsigned)all[i].character);
    }
}

Test(utf8, fits_what_ends_with_invisible_characters)
{
    assert_fits("ab\xcc\x81\xcc\x81", 2, "ab\xcc\x81\xcc\x81");
    assert_fits("abc\xcc\x81", 2, "a\xe2\x80\xa6");
    assert_fits("\xcc\x81\xcc\x81", 0, "\xcc\x81\xcc\x81");
}

Test(utf8, cuts_at_a_characters_end)
{
    assert_fits("abcdef", 6, "abcdef");
    assert_fits("abcdef", 4, "abc\xe2\x80\xa6");
    assert_fits("\xe6\x97\xa5\xe6\x9c\xac", 4, "\xe6\x97\xa5\xe6\x9c\xac");
    assert_fits("\xe6\x97\xa5\xe6\x9c\xac", 3, "\xe6\x97\xa5\xe2\x80\xa6");
    assert_fits("\xe6\x97\xa5\xe6\x9c\xac", 2, "\xe2\x80\xa6");
    assert_fits("abc", 1, "\xe2\x80\xa6");
    assert_fits("abc", 0, "");
}

Test(utf8, shows_no_control_characters)
{
    assert_fits("a\x1b[2J\x7f\xc2\x9b\xff", 20,
                "a\xef\xbf\xbd[2J\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
}

Test(utf8, never_writes_behind_the_buffer)
{
    char buf[8];

    for (size_t cap = 1; cap < 6; cap++) {
        memset(buf, 'z', sizeof buf);
        cr_assert_eq(um_utf8_fit("\xe6\x97\xa5\xe6\x9c\xac", 9, buf, cap), UM_ERR_TOO_LARGE);
        cr_assert_eq(buf[cap], 'z');
        cr_assert_eq(strlen(buf), cap > 3 ? 3U : 0U);
    }
    cr_assert_eq(um_utf8_fit("abcdef", 4, buf, 6), UM_ERR_TOO_LARGE);
    cr_assert_str_eq(buf, "abc");
}

Test(utf8, shows_paths_whole)
{
    const char *path =
        "Z:\\a folder\\of a long\\path that has\\more than sixty\\columns\\file.uimon";
    cr_assert_str_eq(um_utf8_show_path(path).text, path);
    cr_assert_str_eq(um_utf8_show_path("").text, "");
    cr_assert_str_eq(um_utf8_show_path("a\nb\xff").text, "a\xef\xbf\xbd"
                                                         "b\xef\xbf\xbd");
}

Test(utf8, cuts_the_beginning_of_a_path_that_is_too_long)
{
    char path[40000];
    for (size_t len = 1; len < sizeof path; len += len < 230 ? 1 : 1997) {
        memset(path, 'x', len);
        memcpy(path + len, "\\file", 6);
        struct um_utf8_shown shown = um_utf8_show_path(path);
        size_t shown_len = strlen(shown.text);
        bool whole = len + 5 <= 200;
        cr_assert_eq(shown_len, whole ? len + 5 : 199 + strlen("\xe2\x80\xa6"));
        cr_assert_eq(strncmp(shown.text, "\xe2\x80\xa6", 3) == 0, !whole);
        cr_assert_str_eq(shown.text + shown_len - 5, "\\file");
    }
}

Test(utf8, cuts_a_path_between_characters)
{
    /* Of one, two, three and four bytes: what is left must fit in bytes too. */
    static const char *const characters[] = {"a", "\xc3\xa9", "\xe6\x97\xa5", "\xf0\x9f\x98\x80"};
    char path[1200];
    for (size_t i = 0; i < sizeof characters / sizeof characters[0]; i++) {
        size_t bytes = strlen(characters[i]);
        for (size_t count = 1; count < 280; count += 3) {
            for (size_t j = 0; j < count; j++)
                memcpy(path + j * bytes, characters[i], bytes);
            memcpy(path + count * bytes, "/f", 3);
            struct um_utf8_shown shown = um_utf8_show_path(path);
            size_t len = strlen(shown.text);
            bool is_cut = strncmp(shown.text, "\xe2\x80\xa6", 3) == 0;
            cr_assert(um_utf8_valid(shown.text, len));
            cr_assert_leq(um_utf8_columns(shown.text), 200);
            cr_assert(is_cut || strcmp(shown.text, path) == 0);
            cr_assert(!is_cut || count * bytes > 190, "%zu bytes would fit", count * bytes);
            cr_assert_str_eq(shown.text + len - 2, "/f");
        }
    }
}
