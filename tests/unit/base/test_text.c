/* Texts that do not fit into their field. */
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/plain/text.h"

static uint32_t hash_of(const char *text)
{
    return um_text_hash(UM_TEXT_HASH, text, strlen(text));
}

/* Source of the numbers: the test vectors of FNV-1a, 32 bits. */
Test(text, hash_is_fnv_1a)
{
    cr_expect_eq(hash_of(""), 0x811c9dc5);
    cr_expect_eq(hash_of("a"), 0xe40c292c);
    cr_expect_eq(hash_of("foobar"), 0xbf9cf968);
    cr_expect_eq(um_text_hash(hash_of("foo"), "bar", 3), 0xbf9cf968, "it goes on");
}

Test(text, a_cut_is_marked)
{
    char field[16] = "0123456789abcde";
    um_text_mark_cut(field, sizeof field, 0xbf9cf968);
    cr_expect_str_eq(field, "0123456\xe2\x80\xa6#46f4");
    um_text_mark_cut(strcpy(field, "0123"), sizeof field, 0);
    cr_expect_str_eq(field, "0123\xe2\x80\xa6#0000");
}

/* Whatever its characters are, and wherever they lie. */
Test(text, no_character_is_split)
{
    static const char *const characters[] = {"x", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80"};
    for (size_t i = 0; i < sizeof characters / sizeof characters[0]; i++)
        for (size_t before = 0; before < 4; before++) {
            char field[32] = "...", copy[32];
            field[before] = '\0';
            while (strlen(field) + 1 < sizeof field)
                strncat(field, characters[i], sizeof field - 1 - strlen(field));
            um_text_mark_cut(field, sizeof field, 1);
            um_text_copy(copy, sizeof copy, (const uint8_t *)field, strlen(field));
            cr_expect_str_eq(copy, field, "all of it is UTF-8");
            cr_expect_geq(strlen(field), sizeof field - 4);
            cr_expect_str_eq(field + strlen(field) - 8, "\xe2\x80\xa6#0001");
        }
}

/* As those of names of 200 characters that differ in the last one. */
Test(text, what_differs_behind_the_cut_stays_different)
{
    char name[201], fields[2][128];
    memset(name, 'n', 200);
    for (int i = 0; i < 2; i++) {
        snprintf(name + 199, 2, "%d", i);
        um_text_set(fields[i], sizeof fields[i], name);
    }
    cr_expect_str_eq(fields[0], fields[1]);
    for (int i = 0; i < 2; i++) {
        snprintf(name + 199, 2, "%d", i);
        um_text_mark_cut(fields[i], sizeof fields[i], hash_of(name));
        cr_expect_eq(strlen(fields[i]), 127);
    }
    cr_expect_str_neq(fields[0], fields[1]);
}
