/* What layout has cost up to a replay's position, as it is told after a jump. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/replay/past_layout.h"

#define STEP_NS UINT64_C(100000000)
#define FIRST_NS (1000 * STEP_NS)

static struct um_past_layout past;
static unsigned told[UM_WIRE_LAYOUT_COMPONENTS]; /* how often, by id */
static struct um_wire_layout_meter last[UM_WIRE_LAYOUT_COMPONENTS];
static uint64_t earliest_ns;

static void teardown(void)
{
    um_past_layout_deinit(&past);
}

TestSuite(past_layout, .fini = teardown);

/* Frames of one time have all components from `first` on. */
static void take_meters(uint64_t time_ns, uint32_t first, uint32_t end)
{
    while (first < end) {
        struct um_wire_frame frame = {.type = UM_WIRE_LAYOUT_METERS,
                                      .as.layout_meters.time_ns = time_ns};
        struct um_wire_layout_meters *meters = &frame.as.layout_meters;
        for (; first < end && meters->count < UM_WIRE_LAYOUT_METERS_MOST; first++)
            meters->list[meters->count++] =
                (struct um_wire_layout_meter){.id = first, .frame = 7, .worst_ns = time_ns + first};
        um_past_layout_take(&past, &frame);
    }
}

static void hear(void *context, const struct um_wire_frame *frame)
{
    (void)context;
    if (frame->type != UM_WIRE_LAYOUT_METERS)
        return;
    const struct um_wire_layout_meters *meters = &frame->as.layout_meters;
    if (meters->time_ns < earliest_ns)
        earliest_ns = meters->time_ns;
    for (size_t i = 0; i < meters->count; i++) {
        told[meters->list[i].id]++;
        last[meters->list[i].id] = meters->list[i];
    }
}

static void tell(uint64_t now_ns)
{
    memset(told, 0, sizeof told);
    earliest_ns = UINT64_MAX;
    um_past_layout_tell(&past, now_ns, hear, NULL);
}

Test(past_layout, tells_the_last_seconds_and_what_was_last_before)
{
    take_meters(FIRST_NS, 5, 6);
    for (uint64_t step = 100; step < 200; step++)
        take_meters(FIRST_NS + step * STEP_NS, 6, 7);
    tell(FIRST_NS + 199 * STEP_NS);
    cr_expect_eq(told[5], 1);
    cr_expect_eq(last[5].worst_ns, FIRST_NS + 5);
    cr_expect(told[6] >= 60 && told[6] <= 62, "%u", told[6]);
    cr_expect_eq(last[6].worst_ns, FIRST_NS + 199 * STEP_NS + 6);
    cr_expect_eq(earliest_ns, FIRST_NS);
}

/* More than there is room for: the first that is kept is cut somewhere within one time. */
Test(past_layout, tells_each_component_also_where_there_is_no_room_for_all)
{
    for (unsigned stops = 1; stops < 100; stops++) {
        for (uint64_t step = 0; step < 100; step++)
            take_meters(FIRST_NS + step * STEP_NS, step < stops ? 1 : 21, 141);
        tell(FIRST_NS + 99 * STEP_NS);
        for (uint32_t id = 1; id < 141; id++) {
            uint64_t step = id < 21 ? stops - 1 : 99;
            cr_assert_gt(told[id], 0, "%u, which stops at %u", id, stops);
            cr_assert_eq(last[id].worst_ns, FIRST_NS + step * STEP_NS + id);
        }
        um_past_layout_deinit(&past);
    }
}
