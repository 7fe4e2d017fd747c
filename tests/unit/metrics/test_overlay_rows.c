#include <criterion/criterion.h>
#include <string.h>

#include "metrics/overlay_rows.h"
#include "monitor/options/options_table.h"

static struct um_overlay_rows parsed(const char *list)
{
    struct um_overlay_rows rows = {.count = -1};
    const char *wrong = NULL;
    size_t len_bytes = 0;

    cr_assert(um_overlay_rows_parse(list, &rows, &wrong, &len_bytes), "%s", list ? list : "NULL");
    return rows;
}

Test(overlay_rows, are_read_in_their_order)
{
    struct um_overlay_rows rows = parsed("threadpool,lag,beats-lost");

    cr_assert_eq(rows.count, 3);
    cr_expect_eq(rows.row[0], UM_OVERLAY_ROWS_THREADPOOL);
    cr_expect_eq(rows.row[1], UM_OVERLAY_ROWS_LAG);
    cr_expect_eq(rows.row[2], UM_OVERLAY_ROWS_BEATS_LOST);
    cr_expect(um_overlay_rows_has(&rows, UM_OVERLAY_ROWS_LAG));
    cr_expect(!um_overlay_rows_has(&rows, UM_OVERLAY_ROWS_COST));
}

Test(overlay_rows, may_be_all_or_none)
{
    cr_expect_eq(parsed("all").count, UM_OVERLAY_ROWS_COUNT);
    cr_expect_eq(parsed("none").count, 0);
    cr_expect_eq(parsed(NULL).count, 0);
}

Test(overlay_rows, come_once_however_often_they_are_named)
{
    struct um_overlay_rows rows = parsed("click,lag,click,ui-thread-lag-ms,all");

    cr_assert_eq(rows.count, UM_OVERLAY_ROWS_COUNT);
    cr_expect_eq(rows.row[0], UM_OVERLAY_ROWS_CLICK);
    cr_expect_eq(rows.row[1], UM_OVERLAY_ROWS_LAG);
}

Test(overlay_rows, say_which_name_is_wrong)
{
    static const struct {
        const char *list, *wrong;
    } cases[] = {{"lag,lga,typing", "lga"},
                 {"", ""},
                 {"lag,", ""},
                 {",lag", ""},
                 {"LAG", "LAG"},
                 {"lag click", "lag click"},
                 {"none,lag", "none"},
                 {"lag,al", "al"},
                 {"/b", "/b"},
                 {"a/,lag", "a/"},
                 {"a/b,a/c,a/d,a/e,a/f,a/g,a/h,a/i,a/j", "a/j"}};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct um_overlay_rows rows = {.count = 7};
        const char *wrong = NULL;
        size_t len_bytes = 0;
        cr_assert(!um_overlay_rows_parse(cases[i].list, &rows, &wrong, &len_bytes), "%s",
                  cases[i].list);
        cr_expect(len_bytes == strlen(cases[i].wrong) &&
                      strncmp(wrong, cases[i].wrong, len_bytes) == 0,
                  "%s", cases[i].list);
        cr_expect_eq(rows.count, 7);
    }
}

Test(overlay_rows, a_name_with_a_slash_is_a_counter_of_the_target)
{
    struct um_overlay_rows rows =
        parsed("System.Runtime/cpu-usage,lag,A/b,System.Runtime/cpu-usage");
    cr_assert_eq(rows.count, 3);
    cr_expect_eq(rows.row[0], UM_OVERLAY_ROWS_COUNT);
    cr_expect_eq(rows.row[1], UM_OVERLAY_ROWS_LAG);
    cr_expect_eq(rows.row[2], UM_OVERLAY_ROWS_COUNT + 1);
    cr_assert_eq(rows.counter_count, 2);
    cr_expect_str_eq(rows.counters[0], "System.Runtime/cpu-usage");
    cr_expect_str_eq(rows.counters[1], "A/b");
    cr_expect_eq(parsed("all,A/b").count, UM_OVERLAY_ROWS_COUNT + 1);
    cr_expect_eq(parsed("a/b,a/c,a/d,a/e,a/f,a/g,a/h,a/i").counter_count, UM_OVERLAY_ROWS_COUNTERS);
}

/* Whoever knows a metric of `uimon listen` can ask the overlay for it by the same name. */
Test(overlay_rows, have_the_names_of_metrics)
{
    static const char *const names[] = {
        "ui-thread-lag-ms",  "input-latency-ms", "ui-hang-count",    "typing-painted-ms",
        "typing-handled-ms", "click-painted-ms", "click-handled-ms", "threadpool-queue-delay-ms",
        "frame-rate",        "message-rate",     "beats-lost",       "own-cpu-ms"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        cr_expect_neq(um_metrics_find(names[i], strlen(names[i])), UM_METRICS_COUNT, "%s",
                      names[i]);
        cr_expect_eq(parsed(names[i]).count, 1, "%s", names[i]);
    }
}

Test(overlay_rows, are_all_in_the_help)
{
    for (int row = 0; row < UM_OVERLAY_ROWS_COUNT; row++)
        cr_expect(strstr(um_options_table[UM_OPT_SHOW].help, um_overlay_rows_list[row].name), "%s",
                  um_overlay_rows_list[row].name);
}
