/* The tree against counts by brute force, over seeded random stacks. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "monitor/profile/calltree.h"

#define SAMPLES 2000
#define DEEPEST 12

struct stack {
    struct um_calltree_frame frames[DEEPEST]; /* innermost first */
    size_t count;
    bool cut;
    struct um_calltree_cost cost;
};

static struct stack stacks[SAMPLES];

static void draw(uint64_t seed)
{
    struct um_random random = {seed};
    for (size_t i = 0; i < SAMPLES; i++) {
        struct stack *stack = &stacks[i];
        memset(stack, 0, sizeof *stack);
        stack->count = um_random_below(&random, DEEPEST + 1);
        for (size_t j = 0; j < stack->count; j++)
            stack->frames[j] = (struct um_calltree_frame){
                .key = 1 + um_random_below(&random, 3),
                .folded = um_random_below(&random, 8) == 0,
                .guessed = um_random_below(&random, 3) == 0,
            };
        stack->cut = stack->count == 0 || um_random_below(&random, 10) == 0;
        stack->cost =
            (struct um_calltree_cost){1, um_random_below(&random, 50), um_random_below(&random, 20),
                                      um_random_below(&random, 20)};
    }
}

static void add(struct um_calltree *tree, const struct stack *stack)
{
    struct um_calltree_sample sample = {.frames = stack->frames,
                                        .frame_count = stack->count,
                                        .cut = stack->cut,
                                        .cost = stack->cost};
    cr_assert_eq(um_calltree_add(tree, &sample, NULL), UM_OK);
}

/* Whether the outer end of a stack is this path, innermost first. */
static bool begins_with(const struct stack *stack, const struct um_calltree_frame *path, size_t len)
{
    if (len > stack->count)
        return false;
    for (size_t i = 0; i < len; i++) {
        const struct um_calltree_frame *frame = &stack->frames[stack->count - len + i];
        if (frame->key != path[i].key || frame->folded != path[i].folded)
            return false;
    }
    return true;
}

static void assert_cost(const struct um_calltree_cost *found, const struct um_calltree_cost *truth)
{
    cr_assert_eq(found->samples, truth->samples);
    cr_assert_eq(found->wall_ns, truth->wall_ns);
    cr_assert_eq(found->user_ns, truth->user_ns);
    cr_assert_eq(found->kernel_ns, truth->kernel_ns);
}

/* Counts one node anew from all stacks. */
static void assert_node(const struct um_calltree *tree, uint32_t index)
{
    struct um_calltree_frame path[UM_CALLTREE_DEPTH];
    struct um_calltree_cost all = {0}, top = {0};
    uint64_t guessed = 0;
    bool cut;
    size_t len = um_calltree_stack(tree, index, path, &cut);
    for (size_t i = 0; i < SAMPLES; i++) {
        const struct stack *stack = &stacks[i];
        if ((index != UM_CALLTREE_ROOT && stack->cut != cut) || !begins_with(stack, path, len))
            continue;
        um_calltree_sum(&all, &stack->cost);
        guessed += len > 0 && stack->frames[stack->count - len].guessed;
        if (stack->count == len && index != UM_CALLTREE_ROOT)
            um_calltree_sum(&top, &stack->cost);
    }
    assert_cost(&tree->nodes[index].all, &all);
    assert_cost(&tree->nodes[index].top, &top);
    cr_assert_eq(tree->nodes[index].guessed, guessed);
    cr_assert_eq(len > 0 && path[0].guessed, guessed > 0 && guessed * 2 >= all.samples);
}

Test(calltree, counts_as_brute_force_does)
{
    struct um_calltree tree;
    draw(1);
    cr_assert_eq(um_calltree_init(&tree, 0), UM_OK);
    for (size_t i = 0; i < SAMPLES; i++)
        add(&tree, &stacks[i]);
    cr_assert_gt(tree.count, 1000);
    for (uint32_t i = 0; i < tree.count; i++)
        assert_node(&tree, i);
    um_calltree_deinit(&tree);
}

Test(calltree, a_sample_for_which_there_is_no_room_is_lost_and_changes_no_node)
{
    struct um_calltree tree;
    struct um_calltree_frame frames[] = {{.key = 3}, {.key = 2}, {.key = 1}};
    struct um_calltree_sample sample = {.frames = frames, .frame_count = 3, .cost = {1, 10, 5, 2}};
    cr_assert_eq(um_calltree_init(&tree, 5), UM_OK);
    cr_assert_eq(um_calltree_add(&tree, &sample, NULL), UM_OK);
    frames[0].key = 4;
    cr_assert_eq(um_calltree_add(&tree, &sample, NULL), UM_ERR_TOO_LARGE);
    cr_assert_eq(tree.count, 5);
    cr_assert_eq(tree.nodes[UM_CALLTREE_ROOT].all.samples, 1);
    cr_assert_eq(tree.lost.samples, 1);
    cr_assert_eq(tree.lost.wall_ns, 10);
    frames[0].key = 3;
    cr_assert_eq(um_calltree_add(&tree, &sample, NULL), UM_OK);
    um_calltree_deinit(&tree);
}

Test(calltree, of_a_stack_that_is_too_deep_the_inner_end_is_kept_as_cut_off)
{
    static struct um_calltree_frame frames[UM_CALLTREE_DEPTH + 1], found[UM_CALLTREE_DEPTH];
    struct um_calltree tree;
    struct um_calltree_sample sample = {
        .frames = frames, .frame_count = UM_CALLTREE_DEPTH + 1, .cost = {.samples = 1}};
    uint32_t node;
    bool cut;
    for (size_t i = 0; i <= UM_CALLTREE_DEPTH; i++)
        frames[i].key = i;
    cr_assert_eq(um_calltree_init(&tree, 0), UM_OK);
    cr_assert_eq(um_calltree_add(&tree, &sample, &node), UM_OK);
    cr_assert_eq(um_calltree_stack(&tree, node, found, &cut), UM_CALLTREE_DEPTH);
    cr_assert(cut);
    cr_assert_eq(found[0].key, 0);
    cr_assert_eq(found[UM_CALLTREE_DEPTH - 1].key, UM_CALLTREE_DEPTH - 1);
    um_calltree_deinit(&tree);
}

/* 10,000 stacks of 60 frames, of which no two are the same. */
Test(calltree, ten_thousand_deep_stacks_take_10_mb)
{
    struct um_random random = {3};
    struct um_calltree tree;
    struct um_calltree_frame frames[60];
    cr_assert_eq(um_calltree_init(&tree, 0), UM_OK);
    for (uint32_t i = 0; i < 10000; i++) {
        struct um_calltree_sample sample = {.frames = frames, .frame_count = 60, .cost = {1}};
        for (size_t j = 0; j < 60; j++)
            frames[j] = (struct um_calltree_frame){.key = j};
        for (size_t j = 0; j < 5; j++)
            frames[j].key = um_random_below(&random, 20);
        frames[0].key = 1000 + i;
        um_calltree_add(&tree, &sample, NULL);
    }
    cr_assert_eq(tree.nodes[UM_CALLTREE_ROOT].all.samples + tree.lost.samples, 10000);
    cr_assert_leq((size_t)tree.cap * sizeof *tree.nodes + tree.table.slot_count * 8, 10 << 20);
    um_calltree_deinit(&tree);
}
