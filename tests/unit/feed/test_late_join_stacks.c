/* What a late consumer gets of modules, trees and names, where a tree begins anew meanwhile. */
#include <string.h>

#include <criterion/criterion.h>

#include "monitor/feed/late_join_stacks.h"

static struct um_late_join_stacks known;

static void release(void)
{
    um_late_join_stacks_deinit(&known);
}

TestSuite(late_join_stacks, .fini = release);

static void take(const struct um_wire_frame *frame)
{
    uint8_t bytes[UM_WIRE_MAX_BYTES];
    size_t len;
    cr_assert_eq(um_wire_encode(frame, bytes, sizeof bytes, &len), UM_OK);
    um_late_join_stacks_take(&known, frame, bytes, len);
}

static void take_module(uint32_t number)
{
    take(&(struct um_wire_frame){.type = UM_WIRE_MODULE, .as.module.number = number});
}

static void take_node(uint32_t tree)
{
    take(&(struct um_wire_frame){
        .type = UM_WIRE_NODES,
        .as.nodes = {.first = UM_WIRE_FIRST_NODE, .count = 1, .tree = tree}});
}

/* The types of the frames that a place leads to, one at a time. */
static const char *types(struct um_late_join_stacks_place place)
{
    static char text[64];
    uint8_t bytes[UM_WIRE_MAX_BYTES];
    size_t len, used;
    text[0] = '\0';
    while ((len = um_late_join_stacks_encode(&known, &place, bytes, 60)) > 0)
        for (size_t at = 0; at < len; at += used) {
            struct um_wire_frame frame;
            cr_assert_eq(um_wire_decode(bytes + at, len - at, &frame, &used), UM_OK);
            strcat(text, frame.type == UM_WIRE_MODULE  ? "m"
                         : frame.type == UM_WIRE_NODES ? "n"
                                                       : "a");
        }
    cr_expect_not(um_late_join_stacks_left(&place));
    return text;
}

Test(late_join_stacks, has_all_modules_and_the_present_tree)
{
    cr_expect_str_eq(types(um_late_join_stacks_all(&known)), "");
    take_module(0);
    take_node(7);
    take(&(struct um_wire_frame){.type = UM_WIRE_NAME});
    take_module(1);
    cr_expect_str_eq(types(um_late_join_stacks_all(&known)), "mmna");
    take_node(8);
    cr_expect_str_eq(types(um_late_join_stacks_all(&known)), "mmn");
}

/* The new tree is in the feed, and comes to the consumer from there. */
Test(late_join_stacks, a_tree_that_begins_meanwhile_comes_by_itself)
{
    take_module(0);
    take_node(7);
    struct um_late_join_stacks_place place = um_late_join_stacks_all(&known);
    cr_expect(um_late_join_stacks_left(&place));
    take_node(8);
    take_module(1);
    cr_expect_str_eq(types(place), "m");
}
