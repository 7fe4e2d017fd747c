#include "demo/log.h"

#include <criterion/criterion.h>
#include <string.h>

static struct um_demo_log_event found;
static char line[UM_DEMO_LOG_MAX_BYTES];
static size_t len;

static struct um_demo_log_event freeze(void)
{
    return (struct um_demo_log_event){.kind = UM_DEMO_LOG_FREEZE,
                                      .begin_ns = 2364622346200,
                                      .end_ns = 2364643117500,
                                      .name = "sleep",
                                      .requested_ms = 20,
                                      .retrieved_ns = 2364622336700,
                                      .message = 0x8001,
                                      .hwnd = 0x30048,
                                      .tid = 36,
                                      .posted_ns = 2364622300100};
}

Test(demo_log, writes_a_freeze_as_documented)
{
    struct um_demo_log_event event = freeze();
    cr_assert_eq(um_demo_log_format(&event, line, sizeof line, &len), UM_OK);
    cr_assert_str_eq(line, "freeze 2364622346200 2364643117500 sleep 20 2364622336700 0x8001 "
                           "0x30048 36 2364622300100\n");
    cr_assert_eq(len, strlen(line));
}

Test(demo_log, reads_back_every_kind)
{
    for (int kind = 0; kind < UM_DEMO_LOG_KIND_COUNT; kind++) {
        struct um_demo_log_event event = freeze();
        char again[UM_DEMO_LOG_MAX_BYTES];
        event.kind = (enum um_demo_log_kind)kind;
        cr_assert_eq(um_demo_log_format(&event, line, sizeof line, &len), UM_OK);
        cr_assert_eq(um_demo_log_parse(line, &found), UM_OK, "%s", line);
        cr_assert_eq((int)found.kind, kind);
        cr_assert_eq(um_demo_log_format(&found, again, sizeof again, &len), UM_OK);
        cr_assert_str_eq(again, line);
    }
}

Test(demo_log, reads_the_fields_of_a_freeze)
{
    cr_assert_eq(um_demo_log_parse("freeze 10 30 sent 20 0 0x0 0x30048 36 0\r\n", &found), UM_OK);
    cr_assert_eq(found.begin_ns, 10);
    cr_assert_eq(found.end_ns, 30);
    cr_assert_str_eq(found.name, "sent");
    cr_assert_eq(found.requested_ms, 20);
    cr_assert_eq(found.message, 0);
    cr_assert_eq(found.hwnd, 0x30048);
    cr_assert_eq(found.tid, 36);
}

Test(demo_log, reads_the_fields_of_a_pane)
{
    cr_assert_eq(um_demo_log_parse("pane 10 30 middle 5 7 35 36", &found), UM_OK);
    cr_assert_eq(found.kind, UM_DEMO_LOG_PANE);
    cr_assert_eq(found.begin_ns, 10);
    cr_assert_eq(found.end_ns, 30);
    cr_assert_str_eq(found.name, "middle");
    cr_assert_eq(found.requested_ms, 5);
    cr_assert_eq(found.retrieved_ns, 7);
    cr_assert_eq(found.handled_ns, 35);
    cr_assert_eq(found.tid, 36);
}

Test(demo_log, makes_one_word_of_a_name)
{
    struct um_demo_log_event event = {.kind = UM_DEMO_LOG_INPUT, .name = "WM_CHAR"};
    strcpy(event.class_name, "Rich Edit");
    um_demo_log_format(&event, line, sizeof line, &len);
    cr_assert_str_eq(line, "input 0 WM_CHAR Rich_Edit 0\n");
    event.class_name[0] = '\0';
    um_demo_log_format(&event, line, sizeof line, &len);
    cr_assert_str_eq(line, "input 0 WM_CHAR - 0\n");
    cr_assert_eq(um_demo_log_parse(line, &found), UM_OK);
    cr_assert_str_empty(found.class_name);
}

Test(demo_log, longest_line_fits_the_maximum)
{
    struct um_demo_log_event event = freeze();
    event.begin_ns = event.end_ns = event.retrieved_ns = event.hwnd = UINT64_MAX;
    event.tid = event.message = event.requested_ms = UINT32_MAX;
    memset(event.name, 'n', sizeof event.name - 1);
    memset(event.class_name, 'c', sizeof event.class_name - 1);
    for (int kind = 0; kind < UM_DEMO_LOG_KIND_COUNT; kind++) {
        event.kind = (enum um_demo_log_kind)kind;
        cr_assert_eq(um_demo_log_format(&event, line, sizeof line, &len), UM_OK);
    }
}

Test(demo_log, refuses_a_buffer_that_is_too_small)
{
    struct um_demo_log_event event = freeze();
    size_t need;
    um_demo_log_format(&event, line, sizeof line, &need);
    for (size_t cap = 1; cap <= need; cap++)
        cr_assert_eq(um_demo_log_format(&event, line, cap, &len), UM_ERR_TOO_LARGE);
    cr_assert_eq(um_demo_log_format(&event, line, need + 1, &len), UM_OK);
}

Test(demo_log, ignores_words_after_the_ones_it_knows)
{
    cr_assert_eq(um_demo_log_parse("stall 5 9 more", &found), UM_OK);
    cr_assert_eq(found.end_ns, 9);
}

Test(demo_log, refuses_malformed_lines)
{
    static const char *const bad[] = {
        "",
        "\n",
        "stall 5",
        "stall 5 x9",
        "stall 5 -9",
        "stall 5 99999999999999999999999",
        "window 1 2 30048 main",
        "window 1 2 0x main",
        "window 1 99999999999 0x3 main",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        cr_assert_eq(um_demo_log_parse(bad[i], &found), UM_ERR_FORMAT, "'%s'", bad[i]);
}

Test(demo_log, tells_an_unknown_kind)
{
    cr_assert_eq(um_demo_log_parse("stalled 5 9", &found), UM_ERR_UNSUPPORTED);
    cr_assert_eq(um_demo_log_parse("sta", &found), UM_ERR_UNSUPPORTED);
}
