/* Names of sessions of ETW. */
#include <criterion/criterion.h>

#include "monitor/layout/layout_session.h"

Test(layout_session, a_name_says_whose_it_is)
{
    char name[UM_LAYOUT_SESSION_BYTES];
    uint32_t pid = 0;
    um_layout_session_name(4294967295u, name);
    cr_assert_str_eq(name, "uimon.layout.4294967295");
    cr_assert(um_layout_session_pid(name, &pid));
    cr_assert_eq(pid, 4294967295u);
}

Test(layout_session, other_names_are_no_sessions_of_ours)
{
    static const char *const others[] = {"",
                                         "uimon.layout.",
                                         "uimon.layout.x",
                                         "uimon.layout.1x",
                                         "uimon.layout.01",
                                         "uimon.layout.0",
                                         "uimon.layout.4294967296",
                                         "uimon.layout.-1",
                                         "uimon.layout. 1",
                                         "xuimon.layout.12",
                                         "UIMON.LAYOUT.1",
                                         "uimon.layout.12.3",
                                         "uimon.layout.99999999999999999999999999999999"};
    uint32_t pid = 7;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        cr_assert_not(um_layout_session_pid(others[i], &pid), "%s", others[i]);
    cr_assert_eq(pid, 7);
}
