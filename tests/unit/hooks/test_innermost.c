/* Which window's procedure runs innermost. The stack grows down from 10,000. */
#include <string.h>

#include <criterion/criterion.h>

#include "hooks/innermost.h"

static struct um_innermost stack;

static void setup(void)
{
    memset(&stack, 0, sizeof stack);
}

TestSuite(innermost, .init = setup);

Test(innermost, none_is_known_at_first)
{
    cr_expect_eq(um_innermost_get(&stack, 9000), 0);
    um_innermost_left(&stack, 1);
    um_innermost_gone(&stack, 1);
    cr_expect_eq(um_innermost_get(&stack, 9000), 0);
}

Test(innermost, messages_within_messages_end_from_the_inside)
{
    um_innermost_retrieved(&stack, 9900, 1);
    cr_expect_eq(um_innermost_get(&stack, 9500), 1);
    um_innermost_entered(&stack, 9000, 2);
    um_innermost_entered(&stack, 8000, 3);
    cr_expect_eq(um_innermost_get(&stack, 7000), 3);
    um_innermost_left(&stack, 3);
    cr_expect_eq(um_innermost_get(&stack, 7000), 2);
    um_innermost_left(&stack, 2);
    cr_expect_eq(um_innermost_get(&stack, 7000), 1);
}

Test(innermost, a_message_ends_with_the_next_retrieval)
{
    um_innermost_retrieved(&stack, 9900, 1);
    um_innermost_retrieved(&stack, 9700, 2); /* by another function */
    cr_expect_eq(um_innermost_get(&stack, 9000), 2);
    um_innermost_retrieved(&stack, 9900, 3);
    cr_expect_eq(um_innermost_get(&stack, 9000), 3);
    cr_expect_eq(stack.depth, 1);
    um_innermost_retrieved(&stack, 9900, 0); /* of the thread */
    cr_expect_eq(um_innermost_get(&stack, 9000), 0);
}

Test(innermost, what_a_longjmp_has_left_is_over)
{
    um_innermost_entered(&stack, 9000, 1);
    um_innermost_entered(&stack, 8000, 2);
    um_innermost_entered(&stack, 7000, 3);
    cr_expect_eq(um_innermost_get(&stack, 8500), 1);
    um_innermost_entered(&stack, 8000, 4);
    um_innermost_entered(&stack, 7000, 5);
    um_innermost_left(&stack, 4); /* 5 was left by another one */
    cr_expect_eq(um_innermost_get(&stack, 7500), 1);
}

Test(innermost, an_end_without_a_begin_is_nothing)
{
    um_innermost_retrieved(&stack, 9900, 1);
    um_innermost_entered(&stack, 9000, 2);
    um_innermost_left(&stack, 7);
    um_innermost_left(&stack, 1);
    cr_expect_eq(um_innermost_get(&stack, 8000), 2);
}

/* A button's message, in whose handling a dialog with a button of its own has a loop. */
Test(innermost, after_a_dialog_its_owner_is_innermost_again)
{
    um_innermost_retrieved(&stack, 9900, 1);
    um_innermost_entered(&stack, 9000, 2);
    um_innermost_retrieved(&stack, 7000, 3);
    um_innermost_entered(&stack, 6000, 4);
    um_innermost_left(&stack, 4);
    um_innermost_retrieved(&stack, 7000, 5);
    cr_expect_eq(um_innermost_get(&stack, 6000), 5);
    um_innermost_gone(&stack, 5);
    cr_expect_eq(um_innermost_get(&stack, 6000), 2);
    um_innermost_left(&stack, 2);
    cr_expect_eq(um_innermost_get(&stack, 6000), 1);
}

Test(innermost, a_loop_within_a_retrieved_message_is_left_again)
{
    um_innermost_retrieved(&stack, 9900, 1);
    um_innermost_retrieved(&stack, 7000, 2);
    um_innermost_gone(&stack, 2);
    cr_expect_eq(um_innermost_get(&stack, 6000), 1);
    um_innermost_retrieved(&stack, 7000, 3);
    um_innermost_retrieved(&stack, 9900, 4);
    cr_expect_eq(stack.depth, 1);
    cr_expect_eq(um_innermost_get(&stack, 6000), 4);
}

Test(innermost, of_too_many_the_outermost_are_forgotten)
{
    for (uint32_t i = 1; i <= 3 * UM_INNERMOST_MOST; i++)
        um_innermost_entered(&stack, 9000 - i, i);
    for (uint32_t i = 3 * UM_INNERMOST_MOST; i > 2 * UM_INNERMOST_MOST; i--) {
        cr_expect_eq(um_innermost_get(&stack, 5000), i);
        um_innermost_left(&stack, i);
    }
    um_innermost_left(&stack, 2 * UM_INNERMOST_MOST);
    cr_expect_eq(um_innermost_get(&stack, 9000 - 1), 0);
    um_innermost_entered(&stack, 9000 - 2, 7);
    cr_expect_eq(um_innermost_get(&stack, 8000), 7);
}
