/* The header that programs include, where it does nothing. */
#include <stddef.h>

#include <criterion/criterion.h>

#include "markers/uimon.h"

Test(uimon_header, lies_in_memory_as_other_languages_expect)
{
    cr_expect_eq(sizeof(struct uimon_field), 40);
    cr_expect_eq(offsetof(struct uimon_field, name), 16);
    cr_expect_eq(offsetof(struct uimon_field, kind), 32);
    cr_expect_eq(offsetof(struct uimon_table, marker), 8);
}

/* On systems other than Windows the calls do nothing. */
Test(uimon_header, may_be_included_everywhere)
{
    struct uimon_field field = uimon_text("name", "text");
    cr_expect_eq(uimon_is_watched(), 0);
    uimon_marker("Load", "I/O", &field, 1);
    cr_expect_eq(uimon_begin("Load", "I/O", &field, 1), 0);
    uimon_end(0, NULL, 0);
}
