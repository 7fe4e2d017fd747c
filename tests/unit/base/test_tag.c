#include <criterion/criterion.h>

#include "base/plain/tag.h"

Test(tag, every_sequence_number_comes_back_and_is_no_pen_or_touch)
{
    for (uint32_t seq = 0; seq <= UM_TAG_SEQ_MASK; seq++) {
        uint32_t tag = um_tag_make(seq);
        if (!um_tag_is_beat(tag) || um_tag_seq(tag) != seq || (tag & 0x80) ||
            (tag & 0xffffff00u) == 0xff515700u)
            cr_assert_fail("sequence number %u makes the tag 0x%08x", seq, tag);
    }
}

Test(tag, sequence_numbers_wrap_after_19_bits)
{
    cr_expect_eq(um_tag_make(UM_TAG_SEQ_MASK + 1), um_tag_make(0));
    cr_expect_eq(um_tag_make(UINT32_MAX), um_tag_make(UM_TAG_SEQ_MASK));
}

Test(tag, what_others_put_into_extra_info_is_no_beat)
{
    cr_expect(!um_tag_is_beat(0));
    cr_expect(!um_tag_is_beat(0xff515702u)); /* a pen, as Windows marks it */
    cr_expect(!um_tag_is_beat(0xff515780u)); /* a finger */
    cr_expect(!um_tag_is_beat(um_tag_make(7) | 0x80u));
}
