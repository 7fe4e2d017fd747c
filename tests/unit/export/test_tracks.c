/* Tracks: what lies on one lies within one another, and no two start together. */
#include <stdlib.h>

#include <criterion/criterion.h>

#include "monitor/export/chosen_markers.h"
#include "monitor/export/tracks.h"
#include "tests/unit/export/fake_markers.h"

static struct um_markers markers;
static struct um_tracks tracks;
static uint32_t ended[256];
static size_t ended_count;

static void teardown(void)
{
    um_tracks_deinit(&tracks);
    um_markers_deinit(&markers);
}

TestSuite(tracks, .fini = teardown);

static void note_end(void *context, uint32_t track, uint32_t marker)
{
    (void)context;
    ended[ended_count++] = track * 100 + marker;
}

static void add(int64_t start_ns, int64_t end_ns)
{
    if (markers.thread_count == 0)
        um_markers_thread(&markers, "1", "", "", 0);
    um_markers_interval(&markers, 0, "", "", start_ns, end_ns);
}

static void begin(void)
{
    cr_assert_eq(um_markers_finish(&markers), UM_OK);
    cr_assert_eq(um_tracks_init(&tracks, &markers, note_end, NULL), UM_OK);
    um_tracks_thread(&tracks);
}

static uint32_t place(uint32_t marker)
{
    bool is_new;
    return um_tracks_place(&tracks, marker, &is_new);
}

Test(tracks, what_lies_within_is_on_the_same)
{
    add(0, 10);
    add(1, 5);
    add(5, 10);
    add(10, 12);
    begin();
    for (uint32_t i = 0; i < 4; i++)
        cr_expect_eq(place(i), 0);
    um_tracks_end(&tracks);
    cr_assert_eq(ended_count, 4);
    cr_expect(ended[0] == 1 && ended[1] == 2 && ended[2] == 0 && ended[3] == 3);
}

Test(tracks, what_overlaps_is_on_the_next)
{
    add(0, 10);
    add(5, 15);
    add(12, 20);
    begin();
    cr_expect_eq(place(0), 0);
    cr_expect_eq(place(1), 1);
    cr_expect_eq(place(2), 0);
}

Test(tracks, what_has_no_end_has_all_later_ones_in_it)
{
    add(0, 10);
    add(5, 6);
    add(20, 30);
    markers.list[1].open = true;
    begin();
    cr_expect_eq(place(0), 0);
    cr_expect_eq(place(1), 1);
    cr_expect_eq(place(2), 0);
    um_tracks_end(&tracks);
    cr_assert_eq(ended_count, 3);
    cr_expect(ended[0] == 0 && ended[1] == 2 && ended[2] == 101);
}

/* The third would fit on the first track, but stays behind the second. */
Test(tracks, what_starts_together_is_in_its_order)
{
    add(0, 10);
    add(5, 15);
    add(5, 6);
    add(6, 7);
    begin();
    cr_expect_eq(place(0), 0);
    cr_expect_eq(place(1), 1);
    cr_expect_eq(place(2), 2);
    cr_expect_eq(place(3), 0);
}

Test(tracks, too_many_at_once_have_none)
{
    for (uint32_t i = 0; i <= UM_TRACKS_MOST; i++)
        add(i, 1000 + i);
    begin();
    for (uint32_t i = 0; i < UM_TRACKS_MOST; i++)
        cr_expect_eq(place(i), i);
    cr_expect_eq(place(UM_TRACKS_MOST), UM_TRACKS_NONE);
}

/* The freeze lasts until 45 ms; the key that it held up is painted at 65. */
Test(tracks, markers_of_a_freeze_are_those_of_its_flows)
{
    struct um_flows flows;
    fake_markers(&markers, &flows);
    bool *chosen = um_chosen_markers(&markers, &flows, 0, 45 * FAKE_MS);
    static const struct {
        const char *name;
        bool is_chosen;
    } expected[] = {{"4711.7:1", true},  {"4711.7:2", true},  {"4711.7:3", true},
                    {"4711.7:4", false}, {"4711.7:5", false}, {"4711.7:6", true},
                    {"4711.7:7", false}, {"4711.9:1", true},  {"4711.9:2", false},
                    {"input:1", true},   {"99.12:1", false}};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
        cr_expect_eq(chosen[um_markers_find(&markers, expected[i].name)], expected[i].is_chosen,
                     "%s", expected[i].name);
    free(chosen);
    um_flows_deinit(&flows);
}
