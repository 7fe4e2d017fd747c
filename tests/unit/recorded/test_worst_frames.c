/* The worst layout frames of components over the time of a recording, against lists of them. */
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/plain/clock.h"
#include "monitor/recorded/worst_frames.h"

#define US UM_CLOCK_NS_PER_US
#define MS UM_CLOCK_NS_PER_MS
#define S UM_CLOCK_NS_PER_S
#define START_NS (5000 * S)

static struct um_worst_frames frames;

static void deinit_frames(void)
{
    um_worst_frames_deinit(&frames);
}

TestSuite(worst_frames, .fini = deinit_frames);

static void take(uint64_t since_ns, uint32_t id, uint64_t worst_ns)
{
    const struct um_wire_layout_meters meters = {
        .time_ns = START_NS + since_ns, .count = 1, .list = {{.id = id, .worst_ns = worst_ns}}};
    cr_assert_eq(um_worst_frames_take(&frames, START_NS, &meters), UM_OK);
}

Test(worst_frames, a_short_recording_has_a_stretch_each_tenth_of_a_second)
{
    take(100 * MS, 3, 7 * MS);
    take(101 * MS, 3, 2 * MS);
    take(150 * MS, 3, 5 * MS + 1);
    take(450 * MS, 3, 0);
    cr_assert_eq(frames.length_ns, 100 * MS);
    cr_assert_eq(frames.count, 5);
    const uint32_t expected[] = {7000, 5001, 0, 0, 0};
    cr_expect_arr_eq(um_worst_frames_of(&frames, 3), expected, sizeof expected);
}

Test(worst_frames, of_a_component_that_is_in_no_meters_nothing_is_known)
{
    cr_expect_null(um_worst_frames_of(&frames, 1));
    take(MS, 2, MS);
    cr_expect_null(um_worst_frames_of(&frames, 3));
    cr_expect_null(um_worst_frames_of(&frames, UINT32_MAX));
    cr_expect_eq(um_worst_frames_of(&frames, 1)[0], 0);
}

Test(worst_frames, a_frame_of_years_is_as_long_as_can_be_said)
{
    take(MS, 1, UINT64_MAX);
    cr_expect_eq(um_worst_frames_of(&frames, 1)[0], UINT32_MAX);
}

/* Two components over a day, and in each stretch the worst that was told in it. */
Test(worst_frames, a_day_has_120_stretches_at_most_with_the_worst_of_each)
{
    enum { TOLD = 24 * 36000 };
    uint32_t(*told_us)[TOLD] = calloc(2, sizeof *told_us);
    uint32_t seed = 1;
    cr_assert(told_us);
    for (uint32_t i = 0; i < TOLD; i++) {
        uint32_t id = i % 3 == 0 ? 1 : 1000;
        seed = seed * 1664525 + 1013904223;
        uint32_t us = seed >> 8 & 0xfff;
        us = us == 7 ? seed >> 8 : us; /* a few are much worse */
        told_us[id == 1000][i] = us;
        take((i + UINT64_C(1)) * 100 * MS, id, us * US);
    }
    cr_assert(frames.count <= UM_WORST_FRAMES_STRETCHES &&
                  frames.count > UM_WORST_FRAMES_STRETCHES / 2 - 1,
              "%u", (unsigned)frames.count);
    uint32_t each = (uint32_t)(frames.length_ns / (100 * MS));
    cr_assert(each * (uint64_t)frames.count >= TOLD && each * (frames.count - UINT64_C(1)) < TOLD);
    for (uint32_t stretch = 0; stretch < frames.count; stretch++) {
        uint32_t worst_us[2] = {0, 0};
        for (uint32_t i = stretch * each; i < (stretch + 1) * each && i < TOLD; i++)
            for (size_t of = 0; of < 2; of++)
                worst_us[of] = told_us[of][i] > worst_us[of] ? told_us[of][i] : worst_us[of];
        cr_expect_eq(um_worst_frames_of(&frames, 1)[stretch], worst_us[0], "stretch %u", stretch);
        cr_expect_eq(um_worst_frames_of(&frames, 1000)[stretch], worst_us[1], "stretch %u",
                     stretch);
    }
    free(told_us);
}

/* What a hostile file can say at most: 30 days. */
Test(worst_frames, a_leap_of_a_month_keeps_what_was_before)
{
    take(50 * MS, 1, 9 * MS);
    take(30 * 24 * 3600 * S, 1, 3 * MS);
    cr_assert_leq(frames.count, UM_WORST_FRAMES_STRETCHES);
    cr_expect_eq(um_worst_frames_of(&frames, 1)[0], 9000);
    cr_expect_eq(um_worst_frames_of(&frames, 1)[frames.count - 1], 3000);
}
