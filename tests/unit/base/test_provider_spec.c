#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/provider_spec.h"

/* Reads the only provider of a text; false: there is none, or more than one. */
static bool read_one(const char *text, struct um_provider_spec *spec)
{
    return um_provider_spec_next(&text, spec) && !text;
}

Test(provider_spec, reads_a_name_keywords_and_a_level)
{
    static const struct {
        const char *text, *name;
        uint64_t keywords;
        uint32_t level;
    } rows[] = {
        {"System.Runtime", "System.Runtime", UINT64_MAX, 5},
        {"My-Company+App_1", "My-Company+App_1", UINT64_MAX, 5},
        {"P:0", "P", UINT64_MAX, 5},
        {"P:ff", "P", 0xff, 5},
        {"P:0xFF:4", "P", 0xff, 4},
        {"P:ffffffffffffffff:0", "P", UINT64_MAX, 0},
        {"P:0XaB:1", "P", 0xab, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct um_provider_spec spec;
        cr_assert(read_one(rows[i].text, &spec), "%s", rows[i].text);
        cr_expect_str_eq(spec.name, rows[i].name);
        cr_expect_eq(spec.keywords, rows[i].keywords, "%s: %" PRIx64, rows[i].text, spec.keywords);
        cr_expect_eq(spec.level, rows[i].level, "%s", rows[i].text);
    }
}

Test(provider_spec, reads_one_after_the_other)
{
    const char *text = "A,B:1:2,C";
    struct um_provider_spec spec;
    cr_assert(um_provider_spec_next(&text, &spec));
    cr_expect_str_eq(spec.name, "A");
    cr_assert(um_provider_spec_next(&text, &spec));
    cr_expect_str_eq(spec.name, "B");
    cr_expect(spec.keywords == 1 && spec.level == 2);
    cr_assert(um_provider_spec_next(&text, &spec));
    cr_expect_str_eq(spec.name, "C");
    cr_expect(spec.keywords == UINT64_MAX && spec.level == 5, "nothing is left of the one before");
    cr_expect(text == NULL);
}

Test(provider_spec, refuses_what_is_none)
{
    static const char *const texts[] = {"",       ",",      "A,",
                                        ",A",     "A,,B",   ":0",
                                        "A:",     "A:g",    "A:0x",
                                        "A:0:",   "A:0:6",  "A:0:-1",
                                        "A:0:44", "A:0:4:", "a b",
                                        " A",     "A ",     "\xc3\xa4",
                                        "A\nB",   "A\x7f",  "A:11112222333344445"};
    char longest[256];
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        cr_expect(!um_provider_spec_valid(texts[i]), "'%s'", texts[i]);
    memset(longest, 'n', sizeof longest);
    longest[UM_PROVIDER_SPEC_NAME_BYTES - 1] = '\0';
    cr_expect(um_provider_spec_valid(longest));
    longest[UM_PROVIDER_SPEC_NAME_BYTES - 1] = 'n';
    longest[UM_PROVIDER_SPEC_NAME_BYTES] = '\0';
    cr_expect(!um_provider_spec_valid(longest));
}
