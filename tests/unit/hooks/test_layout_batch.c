#include "hooks/layout_batch.h"

#include <criterion/criterion.h>

Test(layout_batch, is_whole_when_it_is_full)
{
    struct um_wire_layout_steps batch = {.count = UM_WIRE_LAYOUT_MOST - 1, .lost = 7};
    cr_expect_not(um_layout_batch_is_whole(&batch, 7));
    batch.count++;
    cr_expect(um_layout_batch_is_whole(&batch, 7));
}

Test(layout_batch, ends_where_records_were_lost)
{
    struct um_wire_layout_steps batch = {.count = 10, .lost = 0};
    cr_expect_not(um_layout_batch_is_whole(&batch, 0));
    cr_expect(um_layout_batch_is_whole(&batch, 3));
    batch.count = 0; /* the loss came before all of it */
    cr_expect_not(um_layout_batch_is_whole(&batch, 3));
}
