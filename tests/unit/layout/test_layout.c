/* From the DLL's records of layout steps to the feed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/plain/clock.h"
#include "monitor/layout/layout.h"
#include "monitor/layout/layout_components.h"

#define MS UINT64_C(1000000)
#define SIZE 5u
#define PAINT 15u
#define SYSTEM_MODULE 0x7fff0000u
#define CONTROL 20u /* a window */

static struct um_layout *layout;
static struct um_wire_frame published[256]; /* without meters and places */
static size_t count;
static struct um_wire_layout_place places[256];
static size_t places_count;
static unsigned located;
static int32_t left;       /* of each window but the main one */
static uint64_t is_hidden; /* a window */
static struct um_wire_layout_meters meters[64];
static size_t meters_count;
static unsigned keys;
static uint64_t lost;
static uint64_t now_ms;
static uint64_t is_gone;
static uint64_t is_docked; /* a window that lies in 11 by now */
static const char *letter; /* with which the names of classes begin */

static void publish(void *context, const struct um_wire_frame *frame)
{
    (void)context;
    if (frame->type == UM_WIRE_LAYOUT_METERS) {
        cr_assert_lt(meters_count, sizeof meters / sizeof meters[0]);
        meters[meters_count++] = frame->as.layout_meters;
        return;
    }
    if (frame->type == UM_WIRE_LAYOUT_PLACE) {
        cr_assert_lt(places_count, sizeof places / sizeof places[0]);
        places[places_count++] = frame->as.layout_place;
        return;
    }
    cr_assert_lt(count, sizeof published / sizeof published[0]);
    published[count++] = *frame;
}

/* 1 is the main window; 10 to 99 lie in 1, 100 to 999 in a tenth of theirs; others are gone. */
static bool describe(void *context, uint64_t window, struct um_layout_window *out)
{
    (void)context;
    if ((window != 1 && (window < 10 || window > 999)) || window == is_gone)
        return false;
    *out = (struct um_layout_window){.parent = window == 1           ? 0
                                               : window == is_docked ? 11
                                               : window < 100        ? 1
                                                                     : window / 10,
                                     .has_children = window == 1,
                                     .is_control = window == CONTROL};
    snprintf(out->window_class, sizeof out->window_class, "%s%u", letter, (unsigned)window);
    snprintf(out->text, sizeof out->text, "T%u", (unsigned)window);
    return true;
}

static bool locate(void *context, uint64_t window, uint64_t root, struct um_wire_layout_place *out)
{
    (void)context;
    located++;
    cr_expect_eq(root, 1);
    *out = (struct um_wire_layout_place){
        .left = window == 1 ? 0 : left, .top = -3, .width = 100, .height = 50};
    return window != is_hidden;
}

static bool is_system(void *context, uint64_t module)
{
    (void)context;
    return module == SYSTEM_MODULE;
}

static uint64_t key(void *context, uint64_t address)
{
    (void)context;
    keys++;
    return address + 1;
}

static struct um_layout_pair stepped_last;
static uint64_t stepped_ns;

static void stepped(void *context, const struct um_layout_pair *pair, uint64_t end_ns)
{
    (void)context;
    stepped_last = *pair;
    stepped_ns = end_ns;
}

static void setup(void)
{
    const struct um_layout_config config = {NULL,      publish, describe, key,
                                            is_system, NULL,    locate,   stepped};
    stepped_ns = 0;
    count = places_count = 0;
    located = 0;
    left = 7;
    is_hidden = 0;
    meters_count = 0;
    keys = 0;
    lost = 0;
    is_gone = 0;
    is_docked = 0;
    now_ms = 1000;
    letter = "C";
    cr_assert_eq(um_layout_open(&config, &layout), UM_OK);
    um_layout_attached(layout);
}

static void teardown(void)
{
    um_layout_close(layout);
}

TestSuite(layout, .init = setup, .fini = teardown);

static void take(struct um_wire_layout_step record)
{
    struct um_wire_frame frame = {.type = UM_WIRE_LAYOUT_STEPS,
                                  .as.layout_steps = {.lost = lost, .count = 1, .list = {record}}};
    frame.as.layout_steps.list[0].time_ns = now_ms * MS;
    um_layout_take(layout, &frame);
}

static void say(enum um_layout_kind kind, uint64_t window)
{
    take((struct um_wire_layout_step){.kind = (uint8_t)kind, .window = window});
}

static void begin(uint64_t window)
{
    take((struct um_wire_layout_step){.window = window,
                                      .handler = 0x7000 + window,
                                      .message = SIZE,
                                      .step = UM_LAYOUT_STEP_ARRANGE});
}

static void end(uint64_t window)
{
    take((struct um_wire_layout_step){.kind = UM_LAYOUT_KIND_END,
                                      .window = window,
                                      .message = SIZE,
                                      .step = UM_LAYOUT_STEP_ARRANGE});
}

static void step(uint64_t window, uint64_t length_ms)
{
    begin(window);
    now_ms += length_ms;
    end(window);
}

static void cycle(void)
{
    say(UM_LAYOUT_KIND_CYCLE, 0);
}

static void tick(void)
{
    um_layout_tick(layout, now_ms * MS);
}

static const struct um_wire_layout_times *times_at(size_t i)
{
    cr_assert(i < count && published[i].type == UM_WIRE_LAYOUT_TIMES, "frame %zu of %zu", i, count);
    return &published[i].as.layout_times;
}

Test(layout, components_are_named_before_their_times)
{
    begin(1);
    now_ms += 1;
    step(101, 2); /* in 10, which is in 1 */
    end(1);
    cycle();
    tick();
    cr_assert_eq(count, 3);
    const struct um_wire_layout_component *main = &published[0].as.layout_component;
    const struct um_wire_layout_component *pane = &published[1].as.layout_component;
    cr_expect(published[0].type == UM_WIRE_LAYOUT_COMPONENT && main->parent == 0);
    cr_expect_str_eq(main->window_class, "C1");
    cr_expect(published[1].type == UM_WIRE_LAYOUT_COMPONENT && pane->parent == main->id);
    cr_expect_str_eq(pane->text, "T10");
    const struct um_wire_layout_times *times = times_at(2);
    cr_expect(times->frames == 1 && times->lost == 0 && times->count == 2);
    cr_expect(times->time_ns == now_ms * MS);
    const struct um_wire_layout_cost *cost = &times->list[0];
    cr_expect(cost->id == main->id && cost->frames == 1 && cost->layout_ns == 3 * MS);
    cr_expect(cost->own_layout_ns == MS && cost->measure_ns == 0 && cost->arrange_ns == 3 * MS);
    cr_expect(cost->paint_ns == 0 && cost->worst_frame_ns == 3 * MS);
    cr_expect(cost->message == SIZE && cost->key == 0x7002);
    cr_expect_eq(times->list[1].key, 0x7066);
}

/* Of a painting that was retrieved the end is not known exactly. */
Test(layout, a_sent_step_is_told_with_its_times)
{
    step(101, 20);
    cr_expect_eq(stepped_last.window, 101);
    cr_expect_eq(stepped_last.message, SIZE);
    cr_expect_eq(stepped_last.begin_ns, (now_ms - 20) * MS);
    cr_expect_eq(stepped_ns, now_ms * MS);
    stepped_ns = 0;
    take((struct um_wire_layout_step){.kind = UM_LAYOUT_KIND_RETRIEVED, .window = 1});
    take((struct um_wire_layout_step){.kind = UM_LAYOUT_KIND_END, .window = 1});
    cr_expect_eq(stepped_ns, 0);
}

Test(layout, what_has_changed_is_published_twice_a_second)
{
    step(1, 2);
    cycle();
    tick();
    size_t first = count;
    step(1, 2);
    cycle();
    tick();
    now_ms += 490;
    tick();
    cr_expect_eq(count, first);
    now_ms += 10;
    tick();
    cr_assert_eq(count, first + 1);
    cr_expect_eq(times_at(first)->list[0].layout_ns, 4 * MS);
    cr_expect_eq(keys, 1, "of the same handler");
    now_ms += 1000;
    tick();
    cr_expect_eq(count, first + 1, "nothing has changed");
}

Test(layout, a_frame_ends_with_the_next_cycle)
{
    cycle();
    step(1, 2);
    step(1, 3);
    tick();
    cr_expect(count == 1 && published[0].type == UM_WIRE_LAYOUT_COMPONENT, "it lasts");
    cycle();
    cycle();
    step(1, 1);
    cycle();
    now_ms += 500;
    tick();
    const struct um_wire_layout_times *times = times_at(count - 1);
    cr_expect(times->frames == 2 && times->list[0].frames == 2);
    cr_expect_eq(times->list[0].worst_frame_ns, 5 * MS);
}

Test(layout, a_frame_of_which_records_were_lost_has_no_numbers)
{
    step(1, 2);
    cycle();
    step(1, 70);
    begin(1);
    lost = 5;
    now_ms += 80;
    end(1); /* of another step, perhaps */
    step(1, 90);
    cycle();
    step(1, 3);
    cycle();
    tick();
    const struct um_wire_layout_times *times = times_at(count - 1);
    cr_expect(times->frames == 2 && times->lost == 1);
    cr_expect(times->list[0].frames == 2 && times->list[0].layout_ns == 5 * MS);
    struct um_layout_sum sum = um_layout_sum(layout);
    cr_expect(sum.begins == 1 && sum.ends == 1 && sum.frames == 2 && sum.lost == 1);
    cr_expect(times->without_end == 1 && times->without_begin == 1);
}

Test(layout, lost_frames_alone_are_told)
{
    lost = 1;
    cycle();
    tick();
    cr_assert_eq(count, 1);
    cr_expect(times_at(0)->lost == 1 && times_at(0)->count == 0);
}

Test(layout, a_step_with_a_dialog_in_it_has_no_time)
{
    begin(1);
    now_ms += 5000;
    cycle();
    step(10, 2);
    cycle();
    end(1);
    step(1, 1);
    cycle();
    tick();
    const struct um_wire_layout_times *times = times_at(count - 1);
    cr_expect_eq(times->list[0].layout_ns, 3 * MS);
    cr_expect_eq(um_layout_sum(layout).begins, 0);
}

Test(layout, a_new_attachment_goes_on_with_the_sums)
{
    step(1, 2);
    cycle();
    lost = 9;
    begin(1);
    um_layout_attached(layout);
    lost = 3; /* since it attached */
    cycle();
    lost = 3;
    step(1, 4);
    um_layout_finish(layout, now_ms * MS);
    const struct um_wire_layout_times *times = times_at(count - 1);
    cr_expect(times->frames == 2 && times->count == 1);
    cr_expect_eq(times->list[0].layout_ns, 6 * MS);
}

/* While the DLL was away, or records were lost, a handle may have become another window's. */
Test(layout, windows_are_asked_about_again_after_what_was_not_seen)
{
    step(1, 2);
    letter = "D";
    step(1, 2);
    um_layout_attached(layout);
    step(1, 3);
    cycle();
    letter = "E";
    lost = 1;
    cycle();
    tick();
    size_t first = count;
    step(1, 4);
    um_layout_finish(layout, now_ms * MS);
    cr_assert(count == first + 3 && first == 2, "%zu, %zu", count, first);
    cr_expect_str_eq(published[0].as.layout_component.window_class, "D1");
    cr_expect_eq(published[0].as.layout_component.window, 1);
    cr_expect_str_eq(published[2].as.layout_component.window_class, "D1");
    cr_expect_eq(published[2].as.layout_component.window, 0, "it is gone");
    cr_expect_str_eq(published[3].as.layout_component.window_class, "E1");
    cr_expect_eq(published[3].as.layout_component.window, 1);
}

Test(layout, a_child_that_was_created_makes_a_component)
{
    step(10, 1);
    say(UM_LAYOUT_KIND_CREATED, 105);
    step(10, 2);
    um_layout_finish(layout, now_ms * MS);
    cr_assert_eq(count, 3);
    cr_expect_str_eq(published[1].as.layout_component.window_class, "C10");
    cr_expect_eq(times_at(2)->list[0].layout_ns, 3 * MS);
    cr_expect_eq(times_at(2)->list[1].layout_ns, 2 * MS);
}

/* A step counts for what its window was when it began. */
Test(layout, a_window_may_go_within_its_step)
{
    begin(1);
    now_ms += 2;
    say(UM_LAYOUT_KIND_DESTROYED, 1);
    end(1);
    um_layout_finish(layout, now_ms * MS);
    cr_expect_str_eq(published[0].as.layout_component.window_class, "C1");
    cr_expect_eq(published[0].as.layout_component.window, 0);
    cr_expect_eq(times_at(1)->list[0].layout_ns, 2 * MS);
}

Test(layout, meters_are_published_ten_times_a_second)
{
    step(1, 2);
    cycle();
    tick();
    cr_assert_eq(meters_count, 1);
    cr_expect(meters[0].count == 1 && meters[0].time_ns == now_ms * MS);
    cr_expect_eq(meters[0].list[0].frame, 1);
    cr_expect(meters[0].list[0].mean_ns == 2 * MS && meters[0].list[0].worst_ns == 2 * MS);
    step(1, 12);
    cycle();
    step(1, 7);
    cycle();
    now_ms += 80; /* 99 since then */
    tick();
    cr_expect_eq(meters_count, 1);
    now_ms++;
    tick();
    cr_assert_eq(meters_count, 2);
    const struct um_wire_layout_meter *meter = &meters[1].list[0];
    cr_expect(meter->frame == 3 && meter->worst_ns == 12 * MS);
    cr_expect(meter->measure_ns == 0 && meter->arrange_ns == 7 * MS && meter->paint_ns == 0);
    cr_expect_float_eq((double)meter->mean_ns / 1e6, (2 * 0.8 + 12 * 0.2) * 0.8 + 7 * 0.2, 1e-6);
    now_ms += 1000;
    tick();
    cr_expect_eq(meters_count, 2, "it had no frame");
}

Test(layout, a_window_that_goes_is_told_of)
{
    step(10, 1);
    say(UM_LAYOUT_KIND_CREATED, 105);
    step(10, 1);
    cycle();
    tick();
    size_t first = count;
    say(UM_LAYOUT_KIND_DESTROYED, 10);
    say(UM_LAYOUT_KIND_DESTROYED, 11); /* which had no step */
    now_ms += 500;
    tick();
    cr_assert_eq(count, first + 2);
    cr_expect_eq(published[first].type, UM_WIRE_LAYOUT_COMPONENT);
    cr_expect_str_eq(published[first].as.layout_component.window_class, "C1");
    cr_expect_eq(published[first].as.layout_component.rendered, 2, "itself and 105");
    cr_expect_eq(published[first + 1].type, UM_WIRE_LAYOUT_COMPONENT);
    cr_expect_str_eq(published[first + 1].as.layout_component.window_class, "C10");
    cr_expect_eq(published[first + 1].as.layout_component.window, 0);
}

/* Windows are told of before they cost anything, but they have no times. */
Test(layout, what_is_there_at_switch_on_is_filled_in)
{
    cr_assert(um_layout_wants_windows(layout));
    um_layout_listed(layout);
    cr_expect(!um_layout_wants_windows(layout));
    um_layout_found(layout, 1);
    um_layout_found(layout, 10);
    um_layout_found(layout, 105);
    um_layout_found(layout, 5000); /* it is gone */
    um_layout_found_all(layout);
    tick();
    cr_assert_eq(count, 2);
    const struct um_wire_layout_component *main = &published[0].as.layout_component;
    const struct um_wire_layout_component *pane = &published[1].as.layout_component;
    cr_expect(main->window == 1 && main->authored == 3 && main->rendered == 3);
    cr_expect(pane->window == 10 && pane->authored == 2 && pane->rendered == 2);
    cr_expect(published[1].type == UM_WIRE_LAYOUT_COMPONENT && pane->parent == main->id);
    now_ms += 1000;
    tick();
    cr_expect_eq(count, 2, "nothing has changed");
    step(105, 1);
    um_layout_finish(layout, now_ms * MS);
    cr_assert_eq(count, 3);
    cr_expect_eq(times_at(2)->count, 2);
}

Test(layout, windows_that_went_unseen_are_forgotten_with_the_next_list)
{
    say(UM_LAYOUT_KIND_CREATED, 105);
    tick();
    cr_assert_eq(count, 2);
    is_gone = 105;
    lost = 1;
    cycle();
    um_layout_listed(layout);
    now_ms += 500;
    tick(); /* windows were not seen after the list was made */
    cr_expect(um_layout_wants_windows(layout));
    um_layout_found_all(layout);
    now_ms += 500;
    tick();
    cr_assert_eq(count, 3, "but for the lost frame nothing has changed");
    um_layout_listed(layout);
    um_layout_found(layout, 1);
    um_layout_found(layout, 10);
    um_layout_found_all(layout);
    now_ms += 500;
    tick();
    cr_assert_eq(count, 5);
    cr_expect_eq(published[3].as.layout_component.rendered, 2);
    cr_expect_eq(published[4].as.layout_component.window, 0, "it has no child any more");
}

/* SetParent leaves no record. */
Test(layout, a_component_that_is_docked_elsewhere_moves_there)
{
    say(UM_LAYOUT_KIND_CREATED, 110);
    say(UM_LAYOUT_KIND_CREATED, 100);
    um_layout_listed(layout);
    um_layout_found_all(layout);
    step(100, 1);
    cycle();
    tick();
    cr_expect(!um_layout_wants_windows(layout));
    is_docked = 10;
    now_ms += 500;
    tick();
    cr_expect(!um_layout_wants_windows(layout), "nothing was laid out meanwhile");
    step(100, 1);
    cycle();
    now_ms += 500;
    tick();
    cr_assert(um_layout_wants_windows(layout));
    um_layout_listed(layout);
    static const uint64_t all[] = {1, 10, 11, 100, 110};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        um_layout_found(layout, all[i]);
    um_layout_found_all(layout);
    step(100, 1);
    cycle();
    now_ms += 500;
    tick();
    cr_expect(!um_layout_wants_windows(layout));
    struct um_layout_components *components = um_layout_components(layout);
    uint32_t docked = um_layout_components_of(components, 10);
    cr_expect_eq(um_layout_components_get(components, docked)->parent,
                 um_layout_components_of(components, 11));
}

Test(layout, counts_that_change_are_told_ten_times_a_second)
{
    say(UM_LAYOUT_KIND_CREATED, 10);
    tick();
    cr_assert_eq(count, 1);
    for (uint64_t window = 100; window < 110; window++)
        say(UM_LAYOUT_KIND_CREATED, window);
    now_ms += 99;
    tick();
    cr_expect_eq(count, 1);
    now_ms++;
    tick();
    cr_assert_eq(count, 3);
    cr_expect_eq(published[1].as.layout_component.rendered, 12);
    cr_expect_eq(published[2].as.layout_component.rendered, 11);
}

/* The record of a window's creation says for which module it was made, and by whose procedure. */
Test(layout, who_has_created_a_window_comes_with_its_record)
{
    take((struct um_wire_layout_step){
        .kind = UM_LAYOUT_KIND_CREATED, .window = 10, .handler = SYSTEM_MODULE});
    take((struct um_wire_layout_step){
        .kind = UM_LAYOUT_KIND_CREATED, .window = 105, .handler = 0x1000, .message = CONTROL});
    take((struct um_wire_layout_step){
        .kind = UM_LAYOUT_KIND_CREATED, .window = 106, .handler = 0x1000, .message = 11});
    tick();
    cr_assert_geq(count, 2);
    cr_expect_eq(published[0].as.layout_component.authored, 4, "1, %u, 11 and 106", CONTROL);
    cr_expect_eq(published[0].as.layout_component.rendered, 6);
    cr_expect_eq(published[1].as.layout_component.authored, 1);
    cr_expect_eq(published[1].as.layout_component.rendered, 3);
}

Test(layout, windows_that_are_gone_are_chrome)
{
    step(5000, 2);
    um_layout_finish(layout, now_ms * MS);
    cr_expect_str_eq(published[0].as.layout_component.window_class, "<chrome>");
    cr_expect_eq(times_at(1)->list[0].id, published[0].as.layout_component.id);
}

Test(layout, many_components_take_several_frames)
{
    for (uint64_t window = 10; window < 60; window++)
        step(window * 10, 1);
    um_layout_finish(layout, now_ms * MS);
    size_t rows = 0, frames = 0;
    for (size_t i = 0; i < count; i++) {
        uint8_t bytes[UM_WIRE_MAX_BYTES];
        size_t len;
        cr_assert_eq(um_wire_encode(&published[i], bytes, sizeof bytes, &len), UM_OK);
        if (published[i].type == UM_WIRE_LAYOUT_TIMES) {
            rows += published[i].as.layout_times.count;
            frames++;
        }
    }
    cr_expect(rows == 51 && frames == 4);
}

Test(layout, ignores_what_it_does_not_know)
{
    struct um_wire_frame other = {.type = UM_WIRE_TRACE_TIMES};
    um_layout_take(layout, &other);
    take((struct um_wire_layout_step){.kind = UM_WIRE_UNKNOWN, .window = 1});
    take((struct um_wire_layout_step){.step = UM_WIRE_UNKNOWN, .window = 1});
    um_layout_finish(layout, now_ms * MS);
    cr_expect_eq(count, 0);
}

/* What they cost is a row of ./run bench layout. */
Test(layout, a_hundred_thousand_steps_in_a_frame_are_all_paired)
{
    struct um_wire_frame frame = {.type = UM_WIRE_LAYOUT_STEPS, .as.layout_steps = {.count = 24}};
    struct um_wire_layout_step *list = frame.as.layout_steps.list;
    uint64_t time_ns = MS;
    for (uint64_t taken = 0; taken < 100000; taken += 12) {
        for (size_t i = 0; i < 12; i++) {
            list[i] = (struct um_wire_layout_step){.time_ns = time_ns++,
                                                   .window = 100 + (taken + i) % 900,
                                                   .message = SIZE,
                                                   .step = UM_LAYOUT_STEP_ARRANGE};
            list[23 - i] = list[i];
            list[23 - i].kind = UM_LAYOUT_KIND_END;
        }
        for (size_t i = 12; i < 24; i++)
            list[i].time_ns = time_ns++;
        um_layout_take(layout, &frame);
    }
    cycle();
    cr_expect_eq(um_layout_sum(layout).begins, 0);
    cr_expect_eq(um_layout_sum(layout).frames, 1);
}

/* The second source. */
static void count_step(uint64_t window, enum um_layout_step kind, uint64_t own_ms)
{
    const struct um_layout_pair pair = {
        .tag = um_layout_components_of(um_layout_components(layout), window),
        .step = (uint8_t)kind,
        .own_ns = own_ms * MS,
        .timed = true};
    um_layout_count(layout, &pair, 1, false);
}

static const struct um_layout_component *component_of(uint64_t window)
{
    struct um_layout_components *components = um_layout_components(layout);
    return um_layout_components_get(components, um_layout_components_of(components, window));
}

Test(layout, a_frame_of_the_second_source_is_a_frame)
{
    begin(101);
    now_ms += 1;
    end(101);
    cycle();
    count_step(10, UM_LAYOUT_STEP_MEASURE, 3);
    cr_assert_eq(um_layout_sum(layout).frames, 2);
    cr_assert_eq(component_of(10)->step_ns[UM_LAYOUT_STEP_MEASURE], 3 * MS);
    cr_assert_eq(component_of(1)->step_ns[UM_LAYOUT_STEP_MEASURE], 3 * MS);
    cr_assert_eq(component_of(1)->frames, 2);
}

Test(layout, a_lost_frame_of_the_second_source_is_lost)
{
    um_layout_count(layout, NULL, 0, true);
    cr_assert_eq(um_layout_sum(layout).frames, 0);
    cr_assert_eq(um_layout_sum(layout).lost, 1);
}

Test(layout, while_a_frame_lasts_that_of_the_second_source_is_part_of_it)
{
    component_of(101); /* so that 10 is a component */
    cr_assert_not(um_layout_in_frame(layout));
    begin(1);
    cr_assert(um_layout_in_frame(layout));
    count_step(10, UM_LAYOUT_STEP_MEASURE, 3);
    now_ms += 1;
    end(1);
    cycle();
    cr_assert_not(um_layout_in_frame(layout));
    cr_assert_eq(um_layout_sum(layout).frames, 1);
    cr_assert_eq(component_of(10)->frames, 1);
    cr_assert_eq(component_of(1)->frames, 1);
}

/* XAML lays out within the WM_SIZE of its window. */
Test(layout, what_the_second_source_measures_is_not_counted_twice)
{
    begin(101);
    now_ms += 4;
    end(101);
    cycle();
    count_step(10, UM_LAYOUT_STEP_ARRANGE, 3);
    begin(101);
    now_ms += 4;
    end(101);
    begin(1);
    now_ms += 5;
    end(1);
    cycle();
    cr_assert_eq(component_of(10)->step_ns[UM_LAYOUT_STEP_ARRANGE], 7 * MS);
    cr_assert_eq(component_of(1)->step_ns[UM_LAYOUT_STEP_ARRANGE], 12 * MS);
}

Test(layout, without_the_second_source_the_windows_count_again)
{
    step(101, 4);
    cycle();
    count_step(10, UM_LAYOUT_STEP_ARRANGE, 3);
    um_layout_attached(layout);
    step(101, 4);
    cycle();
    cr_assert_eq(component_of(10)->step_ns[UM_LAYOUT_STEP_ARRANGE], 11 * MS);
}

/* Where components are ------------------------------------------------------------------------- */

static void arrange_and_tick(uint64_t window)
{
    step(window, 1);
    cycle();
    now_ms += 500;
    tick();
}

Test(layout, a_place_follows_its_component_and_comes_again_when_it_changes)
{
    step(101, 2); /* in 10, which is in 1 */
    cycle();
    tick();
    cr_assert_eq(places_count, 2);
    cr_expect(places[0].id == published[0].as.layout_component.id && places[0].left == 0);
    cr_expect(places[1].id == published[1].as.layout_component.id && places[1].left == 7);
    cr_expect(places[1].top == -3 && places[1].width == 100 && places[1].height == 50);
    arrange_and_tick(10);
    cr_expect_eq(places_count, 2, "nothing has moved");
    left = 8;
    arrange_and_tick(1); /* and took along what is in it */
    cr_assert_eq(places_count, 3);
    cr_expect(places[2].id == places[1].id && places[2].left == 8);
    is_hidden = 10;
    arrange_and_tick(10);
    cr_assert_eq(places_count, 4);
    cr_expect(places[3].id == places[1].id && places[3].left == 0 && places[3].width == 0);
    cr_expect_eq(places[3].draws_parts, 0);
}

Test(layout, nobody_asks_where_components_are_that_nothing_arranged)
{
    step(101, 2);
    cycle();
    tick();
    cr_assert_eq(located, 2);
    take(
        (struct um_wire_layout_step){.window = 10, .message = PAINT, .step = UM_LAYOUT_STEP_PAINT});
    cycle();
    for (int i = 0; i < 20; i++, now_ms += 100)
        tick();
    cr_expect_eq(located, 2);
    for (int i = 0; i < 20; i++, now_ms += 100) {
        step(10, 0);
        tick();
    }
    cr_expect_eq(located, 2 + 2 * 4, "twice a second");
}

Test(layout, places_are_asked_for_some_at_a_time)
{
    for (uint64_t pane = 10; pane < 100; pane++)
        step(10 * pane, 0);
    cycle();
    tick();
    cr_expect_eq(located, 50);
    tick();
    cr_expect_eq(located, 91);
    cr_expect_eq(places_count, 91);
    now_ms += 200;
    left = 9;
    step(10, 0);
    um_layout_finish(layout, now_ms * MS);
    cr_expect_eq(places_count, 91 + 90, "the end waits for nothing");
}

Test(layout, a_root_with_nothing_in_it_draws_its_parts)
{
    step(1, 2);
    cycle();
    tick();
    cr_assert_eq(places_count, 1);
    cr_expect_eq(places[0].draws_parts, 1);
    arrange_and_tick(11);
    cr_assert_eq(places_count, 2);
    cr_expect(places[1].id == places[0].id && places[1].draws_parts == 0);
    is_hidden = 1; /* it is still itself */
    arrange_and_tick(1);
    cr_expect(places_count == 3 && places[2].draws_parts == 0 && places[2].width == 0);
}

/* As XAML's do. */
Test(layout, parts_of_which_the_second_source_tells_are_seen)
{
    step(1, 2);
    cycle();
    tick();
    cr_assert(places_count == 1 && places[0].draws_parts);
    count_step(1, UM_LAYOUT_STEP_ARRANGE, 3);
    now_ms += 100;
    tick();
    cr_assert_eq(places_count, 2);
    cr_expect(places[1].draws_parts == 0 && places[1].width == 100);
    /* They were, also when that source has ended. */
    um_layout_count_ended(layout);
    step(1, 2);
    cycle();
    um_layout_finish(layout, now_ms * MS);
    for (size_t i = 1; i < places_count; i++)
        cr_expect_eq(places[i].draws_parts, 0);
}
