#include <criterion/criterion.h>
#include <stdio.h>

#include "base/line_queue.h"

Test(line_queue, gives_lines_in_their_order_and_drops_the_oldest_when_full)
{
    static struct um_line_queue queue;
    char line[UM_LINE_QUEUE_BYTES];

    cr_expect_not(um_line_queue_take(&queue, line, sizeof line));
    for (int i = 0; i < UM_LINE_QUEUE_LINES + 2; i++) {
        snprintf(line, sizeof line, "line %d", i);
        um_line_queue_put(&queue, line);
    }
    cr_assert(um_line_queue_take(&queue, line, sizeof line));
    cr_expect_str_eq(line, "line 2");
    for (int i = 3; i < UM_LINE_QUEUE_LINES + 2; i++)
        cr_assert(um_line_queue_take(&queue, line, sizeof line));
    cr_expect_str_eq(line, "line 17");
    cr_expect_not(um_line_queue_take(&queue, line, 0));
}
