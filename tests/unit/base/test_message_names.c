#include <criterion/criterion.h>
#include <string.h>

#include "base/message_names.h"
#include "base/message_names_list.h"

static void assert_named(uint32_t id, const char *expected)
{
    char buf[UM_MESSAGE_NAMES_BYTES];

    um_message_names_get(id, "", buf, sizeof buf);
    cr_assert_str_eq(buf, expected);
}

Test(message_names, names_documented_messages)
{
    assert_named(0x0000, "WM_NULL");
    assert_named(0x000f, "WM_PAINT");
    assert_named(0x00ff, "WM_INPUT");
    assert_named(0x0113, "WM_TIMER");
    assert_named(0x0202, "WM_LBUTTONUP");
    assert_named(0x0318, "WM_PRINTCLIENT");
    assert_named(0x03e8, "WM_DDE_EXECUTE");
}

Test(message_names, names_the_ranges)
{
    assert_named(0x0400, "WM_USER");
    assert_named(0x0405, "WM_USER+5");
    assert_named(0x7fff, "WM_USER+31743");
    assert_named(0x8000, "WM_APP");
    assert_named(0x8001, "WM_APP+1");
    assert_named(0xbfff, "WM_APP+16383");
    assert_named(0xc000, "0xC000 (registered)");
    assert_named(0xc123, "0xC123 (registered)");
    assert_named(0xffff, "0xFFFF (registered)");
    assert_named(0x10000, "0x10000 (reserved)");
    assert_named(0xffffffff, "0xFFFFFFFF (reserved)");
    assert_named(0x03ff, "0x03FF (undocumented)");
    assert_named(0x0004, "0x0004 (undocumented)");
}

Test(message_names, a_registered_name_is_for_registered_messages_alone)
{
    char buf[UM_MESSAGE_NAMES_BYTES];
    static const struct {
        uint32_t id;
        const char *expected;
    } cases[] = {{0xbfff, "WM_APP+16383"},
                 {0xc000, "DispatcherProcessQueue"},
                 {0xffff, "DispatcherProcessQueue"},
                 {0x10000, "0x10000 (reserved)"},
                 {0x0202, "WM_LBUTTONUP"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        um_message_names_get(cases[i].id, "DispatcherProcessQueue", buf, sizeof buf);
        cr_expect_str_eq(buf, cases[i].expected);
    }
}

Test(message_names, the_table_ascends_and_every_row_is_found)
{
    static const struct {
        uint32_t id;
        const char *name;
    } table[] = {
#define ENTRY(name, id) {id, #name},
        UM_MESSAGE_NAMES_LIST(ENTRY, ENTRY)
#undef ENTRY
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        cr_assert(i == 0 || table[i].id > table[i - 1].id, "%s", table[i].name);
        cr_assert_lt(strlen(table[i].name), UM_MESSAGE_NAMES_BYTES);
        assert_named(table[i].id, table[i].name);
    }
}

Test(message_names, a_short_buffer_is_kept_to)
{
    char buf[8] = "zzzzzzz";

    um_message_names_get(0x0202, "", buf, 6);
    cr_assert_str_eq(buf, "WM_LB");
    cr_assert_eq(buf[6], 'z');
}
