/* Names of sessions of ETW, and which of them are ended. */
#include <stdio.h>
#include <string.h>

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

#define OWN 10u

static char asked[256], ended[256];

static enum um_layout_session_process process(void *context, uint32_t pid)
{
    size_t len = strlen(asked);
    cr_assert_eq(context, asked);
    snprintf(asked + len, sizeof asked - len, "%u ", (unsigned)pid);
    if (pid == 12)
        return UM_LAYOUT_SESSION_LIVES;
    return pid == 13 ? UM_LAYOUT_SESSION_UNKNOWN : UM_LAYOUT_SESSION_DEAD;
}

static void end(void *context, const char *name)
{
    size_t len = strlen(ended);
    cr_assert_eq(context, asked);
    snprintf(ended + len, sizeof ended - len, "%s ", name);
}

static const struct um_layout_session_host host = {asked, process, end};

Test(layout_session, those_of_monitors_that_do_not_run_any_more_are_ended_and_no_others)
{
    static const char *const names[] = {
        "NT Kernel Logger", "uimon.layout.11",  "uimon.layout.12", "uimon.layout.13",
        "uimon.layout.10",  "uimon.layout.011", "uimon.layout.",   "",
        "uimon.layout.14"};
    um_layout_session_end_left(&host, OWN, names, sizeof names / sizeof names[0]);
    cr_assert_str_eq(ended, "uimon.layout.11 uimon.layout.14 ");
    cr_assert_str_eq(asked, "11 12 13 14 "); /* nobody else's processes */
}

Test(layout_session, of_no_sessions_none_is_ended)
{
    um_layout_session_end_left(&host, OWN, NULL, 0);
    cr_assert_str_empty(asked);
    cr_assert_str_empty(ended);
}
