#include "demo/play.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/plain/clock.h"

static void expect_item(const struct um_demo_play_item *item, enum um_demo_play_kind kind,
                        uint32_t count, uint32_t ms)
{
    cr_assert_eq(item->kind, kind);
    cr_assert_eq(item->count, count);
    cr_assert_eq(item->ms, ms);
}

Test(demo_play, reads_every_kind_of_item)
{
    struct um_demo_play play;
    cr_assert_eq(um_demo_play_parse("300,sleep:20,spin:35,sent:80,jank:20x30,flood:1000,modal:500,"
                                    "wait:1,pool:600x1500,paint:60x4000,nest:5x20,panes:20x30",
                                    &play),
                 UM_OK);
    cr_assert_eq(play.len, 12);
    expect_item(&play.items[0], UM_DEMO_PLAY_SLEEP, 1, 300);
    expect_item(&play.items[1], UM_DEMO_PLAY_SLEEP, 1, 20);
    expect_item(&play.items[2], UM_DEMO_PLAY_SPIN, 1, 35);
    expect_item(&play.items[3], UM_DEMO_PLAY_SENT, 1, 80);
    expect_item(&play.items[4], UM_DEMO_PLAY_JANK, 20, 30);
    expect_item(&play.items[5], UM_DEMO_PLAY_FLOOD, 1, 1000);
    expect_item(&play.items[6], UM_DEMO_PLAY_MODAL, 1, 500);
    expect_item(&play.items[7], UM_DEMO_PLAY_WAIT, 1, 1);
    expect_item(&play.items[8], UM_DEMO_PLAY_POOL, 600, 1500);
    expect_item(&play.items[9], UM_DEMO_PLAY_PAINT, 60, 4000);
    expect_item(&play.items[10], UM_DEMO_PLAY_NEST, 5, 20);
    expect_item(&play.items[11], UM_DEMO_PLAY_PANES, 20, 30);
}

Test(demo_play, refuses_what_is_no_list)
{
    static const char *const bad[] = {"",           ",",
                                      "300,",       ",300",
                                      "300 ,20",    "-5",
                                      "0",          "60001",
                                      "spn:300",    "spin300",
                                      "spin:",      "jank:30",
                                      "jank:0x30",  "jank:1001x30",
                                      "20x30",      "pool:30",
                                      "pool:0x30",  "paint:500",
                                      "paint:0x30", "300;400",
                                      "3e2",        "99999999999999999999"};
    struct um_demo_play play = {.len = 7};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        cr_assert_eq(um_demo_play_parse(bad[i], &play), UM_ERR_ARG, "'%s'", bad[i]);
    cr_assert_eq(play.len, 7, "the result is untouched on failure");
}

Test(demo_play, refuses_more_items_than_it_keeps)
{
    char list[3 * UM_DEMO_PLAY_MAX_ITEMS + 3] = "20";
    struct um_demo_play play;
    for (int i = 1; i < UM_DEMO_PLAY_MAX_ITEMS; i++)
        strcat(list, ",20");
    cr_assert_eq(um_demo_play_parse(list, &play), UM_OK);
    cr_assert_eq(play.len, UM_DEMO_PLAY_MAX_ITEMS);
    strcat(list, ",20");
    cr_assert_eq(um_demo_play_parse(list, &play), UM_ERR_TOO_LARGE);
}

Test(demo_play, pauses_meet_each_phase_of_a_beat)
{
    const uint64_t beat_ns = 10 * UM_CLOCK_NS_PER_MS;
    const uint64_t pause_ns = 400 * UM_CLOCK_NS_PER_MS;
    bool met[10] = {false};
    for (uint32_t i = 0; i < 100; i++) {
        uint64_t ns = um_demo_play_pause_ns(400, i);
        cr_assert(ns >= pause_ns && ns < pause_ns + beat_ns);
        met[(ns - pause_ns) / UM_CLOCK_NS_PER_MS] = true;
    }
    for (int ms = 0; ms < 10; ms++)
        cr_assert(met[ms], "no pause ends with %d ms", ms);
}
