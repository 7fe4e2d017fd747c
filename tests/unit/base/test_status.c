#include "base/plain/status.h"

#include <string.h>

#include <criterion/criterion.h>

static const enum um_status all[] = {
#define ROW(name, value, text) UM_##name,
    UM_STATUS_LIST(ROW)
#undef ROW
};

#define COUNT (sizeof all / sizeof all[0])

Test(status, ok_is_zero_and_failures_are_negative)
{
    cr_assert_eq(UM_OK, 0);
    for (size_t i = 0; i < COUNT; i++)
        cr_assert(all[i] == UM_OK || all[i] < 0);
}

Test(status, every_code_has_a_text_of_its_own)
{
    for (size_t i = 0; i < COUNT; i++) {
        const char *text = um_status_text(all[i]);
        cr_assert(text[0]);
        cr_assert_str_neq(text, "unknown status");
        for (size_t k = 0; k < i; k++)
            cr_assert_str_neq(text, um_status_text(all[k]));
    }
}

Test(status, text_of_a_number_outside_the_list)
{
    cr_assert_str_eq(um_status_text((enum um_status)1), "unknown status");
    cr_assert_str_eq(um_status_text((enum um_status) - 1000), "unknown status");
}
