#include <string.h>

#include <criterion/criterion.h>

#include "monitor/stats/wait_text.h"

static const char *text_of(const struct um_wire_wait *wait)
{
    static char text[UM_WAIT_TEXT_BYTES];
    um_wait_text(wait, text, sizeof text);
    return text;
}

Test(wait_text, says_for_whom)
{
    struct um_wire_wait wait = {.kind = UM_WIRE_WAIT_LOCK, .thread = 380, .process = 7};
    cr_expect_str_eq(text_of(&wait), "for a lock held by thread 380");
    strcpy(wait.function, "hold_lock");
    cr_expect_str_eq(text_of(&wait), "for a lock held by thread 380, in hold_lock");
    wait = (struct um_wire_wait){.kind = UM_WIRE_WAIT_WINDOW,
                                 .thread = 4,
                                 .process = 7,
                                 .object = "Edit",
                                 .process_name = "o.exe"};
    cr_expect_str_eq(text_of(&wait), "for window Edit of thread 4 (o.exe)");
    wait =
        (struct um_wire_wait){.kind = UM_WIRE_WAIT_PROCESS, .process = 7, .process_name = "o.exe"};
    cr_expect_str_eq(text_of(&wait), "for the end of process 7 (o.exe)");
    wait.kind = 250;
    wait.thread = 4;
    cr_expect_str_eq(text_of(&wait), "for thread 4 (o.exe)");
    wait.thread = 0;
    cr_expect_str_eq(text_of(&wait), "for process 7 (o.exe)");
    cr_expect_str_eq(um_wait_text_kind(wait.kind), "unknown");
    cr_expect_str_eq(um_wait_text_kind(UM_WIRE_WAIT_CALL), "call");
}

Test(wait_text, full_fields_fit)
{
    struct um_wire_wait wait = {
        .kind = UM_WIRE_WAIT_WINDOW, .thread = UINT32_MAX, .process = UINT32_MAX};
    memset(wait.object, 'o', sizeof wait.object - 1);
    memset(wait.process_name, 'p', sizeof wait.process_name - 1);
    memset(wait.function, 'f', sizeof wait.function - 1);
    size_t len = strlen(text_of(&wait));
    cr_expect_lt(len, UM_WAIT_TEXT_BYTES - 1);
    cr_expect_eq(text_of(&wait)[len - 1], 'f');
}
