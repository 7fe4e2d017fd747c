#include <criterion/criterion.h>
#include <string.h>

#include "monitor/bench/bench_menu.h"
#include "monitor/bench/scenario_keys.h"

static struct um_scenario_key list[64];
static struct um_bench_menu_keys keys;
static char why[256];
static char text[512];

static const struct um_bench_menu_item bar[] = {{"&File", false, true},
                                                {"&Edit", false, true},
                                                {"Extras", false, true},
                                                {"Help!", false, false}};
static const struct um_bench_menu_item file[] = {{"&New\tCtrl+N", false, false},
                                                 {"&Open...\tCtrl+O", false, false},
                                                 {"", true, false},
                                                 {"&Save", false, false},
                                                 {"Save &as...", false, false},
                                                 {"&Same", false, false},
                                                 {"Black && white", false, false},
                                                 {"", true, false},
                                                 {"Recent", false, true}};

/* The keys as a scenario would write them, with blanks between. */
static const char *written(void)
{
    char name[UM_SCENARIO_KEYS_BYTES];
    text[0] = 0;
    for (size_t i = 0; i < keys.count; i++) {
        um_scenario_keys_name(&keys.list[i], name, sizeof name);
        strcat(strcat(text, i ? " " : ""), name);
    }
    return text;
}

static void reset(void)
{
    keys = (struct um_bench_menu_keys){list, 0, 64};
    why[0] = 0;
}

static int on_bar(const char *label)
{
    reset();
    return um_bench_menu_step(bar, 4, label, true, &keys, why, sizeof why);
}

static int in_file(const char *label)
{
    reset();
    return um_bench_menu_step(file, 9, label, false, &keys, why, sizeof why);
}

Test(bench_menu, a_label_with_a_letter_of_its_own_is_chosen_by_it)
{
    cr_assert_eq(on_bar("File"), 0);
    cr_assert_str_eq(written(), "alt+f");
    cr_assert_eq(in_file("Open..."), 1);
    cr_assert_str_eq(written(), "o");
    cr_assert_eq(in_file("save as..."), 4, "the case does not matter");
    cr_assert_str_eq(written(), "a");
}

Test(bench_menu, a_label_without_one_is_walked_to)
{
    cr_assert_eq(on_bar("Extras"), 2);
    cr_assert_str_eq(written(), "f10 right right down");
    cr_assert_eq(on_bar("Help!"), 3);
    cr_assert_str_eq(written(), "f10 right right right enter", "an item without a menu is chosen");
    cr_assert_eq(in_file("Black & white"), 6);
    cr_assert_str_eq(written(), "down down down down down enter", "separators are skipped");
    cr_assert_eq(in_file("Recent"), 8);
    cr_assert_str_eq(written(), "down down down down down down enter");
}

Test(bench_menu, a_letter_that_two_have_only_selects_in_turn)
{
    cr_assert_eq(in_file("Save"), 3);
    cr_assert_str_eq(written(), "down down enter");
    cr_assert_eq(in_file("Same"), 5);
    cr_assert_str_eq(written(), "down down down down enter");
}

Test(bench_menu, says_what_is_not_there)
{
    cr_assert_eq(on_bar("Fiel"), -1);
    cr_assert_str_eq(why, "the menu has no item 'Fiel'; did you mean 'File'?");
    cr_assert_eq(in_file(""), -1, "a separator is no item");
}

Test(bench_menu, spelled_labels_need_no_menu)
{
    const char *const all[] = {"&File", "Save &as...", "&&x&y"};
    const char *const some[] = {"&File", "Open"};
    const char *const none[] = {"a&&b"};
    reset();
    cr_assert(um_bench_menu_spelled(all, 3, &keys));
    cr_assert_str_eq(written(), "alt+f a y");
    reset();
    cr_assert_not(um_bench_menu_spelled(some, 2, &keys));
    reset();
    cr_assert_not(um_bench_menu_spelled(none, 1, &keys));
}

Test(bench_menu, stops_where_there_is_no_room)
{
    reset();
    keys.cap = 3;
    cr_assert_eq(um_bench_menu_step(file, 9, "Recent", false, &keys, why, sizeof why), -1);
    cr_assert_str_eq(why, "the menu needs more keys than uimon can send");
    cr_assert_leq(keys.count, 3);
}
