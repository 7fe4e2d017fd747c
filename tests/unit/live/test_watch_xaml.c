/* The second source of layout costs, with a session of ETW that exists in memory alone. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/plain/clock.h"
#include "monitor/layout/layout_components.h"
#include "monitor/live/watch_xaml.h"
#include "monitor/target/target.h"
#include "tests/unit/live/fake_etw.h"

#define S UM_CLOCK_NS_PER_S
#define ROOT 1u
#define PANE 2u

static struct um_layout *layout;
static struct um_watch_xaml xaml;
static struct um_target_info target;
static char said[1024];
static char detail[1024];
static const char *module; /* that the program has loaded */
static bool pane_gone;
static unsigned looks, asked;

/* The system ------------------------------------------------------------------------------------*/

static bool has_module(uint32_t pid, const char *const names[])
{
    bool found = false;
    cr_assert_eq(pid, target.pid);
    looks++;
    for (size_t i = 0; names[i]; i++)
        found |= module && strcmp(module, names[i]) == 0;
    return found;
}

static bool window_area(uint64_t hwnd, uint64_t root, struct um_target_area *area)
{
    cr_assert_eq(root, ROOT);
    asked++;
    *area = (struct um_target_area){.right = 1600, .bottom = 1200, .units = 0.5f, .shown = true};
    if (hwnd == PANE)
        *area = (struct um_target_area){200, 200, 400, 400, .units = 0.5f, .shown = true};
    return !(hwnd == PANE && pane_gone);
}

static const struct um_target_backend backend = {.has_module = has_module,
                                                 .window_area = window_area};

/* The watch ------------------------------------------------------------------------------------ */

static void publish(void *context, const struct um_wire_frame *frame)
{
    (void)context;
    (void)frame;
}

static bool describe(void *context, uint64_t window, struct um_layout_window *out)
{
    (void)context;
    *out = (struct um_layout_window){.parent = window == ROOT ? 0 : ROOT, .has_children = true};
    return window == ROOT || window == PANE;
}

static uint64_t key(void *context, uint64_t address)
{
    (void)context;
    return address;
}

static void say(void *context, const char *line)
{
    (void)context;
    cr_assert_str_empty(said, "%s, and %s", said, line);
    snprintf(said, sizeof said, "%s", line);
}

static void say_detail(void *context, const char *line)
{
    (void)context;
    snprintf(detail, sizeof detail, "%s", line);
}

static void setup(void)
{
    const struct um_layout_config config = {.publish = publish, .describe = describe, .key = key};
    um_target = &backend;
    um_layout_etw = &fake_etw_backend;
    xaml.host = (struct um_watch_xaml_host){NULL, say, say_detail};
    target = (struct um_target_info){.pid = 7, .tid = 8, .hwnd = ROOT};
    module = "Microsoft.UI.Xaml.dll";
    cr_assert_eq(um_layout_open(&config, &layout), UM_OK);
    um_layout_components_of(um_layout_components(layout), PANE);
}

static void teardown(void)
{
    um_watch_xaml_end(&xaml);
    um_layout_close(layout);
}

TestSuite(watch_xaml, .init = setup, .fini = teardown);

static void turn(uint64_t now_ns)
{
    um_watch_xaml_turn(&xaml, layout, &target, false, now_ns);
}

/* 2 in the pane and 1 around it. */
#define EVENTS                                                                                     \
    "1000000 8 ArrangeElement/Start ElementId=1 Left=0 Top=0 Width=800 Height=600\n"               \
    "2000000 8 ArrangeElement/Start ElementId=2 Left=110 Top=110 Width=20 Height=20\n"             \
    "5000000 8 ArrangeElement/Stop ElementId=2\n"                                                  \
    "5500000 8 ArrangeElement/Stop ElementId=1\n"

static uint64_t arrange_ns(uint64_t window)
{
    struct um_layout_components *components = um_layout_components(layout);
    uint32_t id =
        window ? um_layout_components_of(components, window) : UM_LAYOUT_COMPONENTS_CHROME;
    return um_layout_components_get(components, id)->step_ns[UM_LAYOUT_STEP_ARRANGE];
}

Test(watch_xaml, elements_count_for_the_windows_that_they_lie_in)
{
    turn(S);
    cr_assert_eq(fake_etw.begun, 1);
    cr_assert_eq(fake_etw.pid, 7);
    cr_assert_eq(fake_etw.thread, 8);
    fake_etw_send_text(EVENTS);
    turn(S + 1);
    um_watch_xaml_end(&xaml);
    cr_assert_eq(arrange_ns(PANE), 3000000);
    cr_assert_eq(arrange_ns(ROOT), 4500000);
    cr_assert_eq(um_layout_sum(layout).frames, 1);
    cr_assert_eq(fake_etw.closed, 1);
}

Test(watch_xaml, what_the_session_brought_at_its_end_counts)
{
    turn(S);
    fake_etw_send_text(
        "1000 8 MeasureElement/Start ElementId=1\n2000 8 MeasureElement/Stop ElementId=1\n");
    um_watch_xaml_end(&xaml);
    cr_assert_eq(um_layout_sum(layout).frames, 1);
}

Test(watch_xaml, off_there_is_nothing)
{
    um_watch_xaml_turn(&xaml, NULL, &target, false, S);
    um_watch_xaml_turn(&xaml, NULL, &target, false, 2 * S);
    cr_assert_eq(looks + fake_etw.begun + asked, 0);
    cr_assert(!xaml.etw && !xaml.slots && !xaml.events);
}

Test(watch_xaml, another_program_has_no_session_and_is_looked_at_ever_more_seldom)
{
    module = NULL;
    for (uint64_t s = 0; s < 3600; s++)
        turn(s * S);
    cr_assert_eq(fake_etw.begun, 0);
    /* At 0, 1, 3, 7, 15, 31 and 63 s, and each 60 s after that. */
    cr_assert_eq(looks, 7 + (3599 - 63) / 60);
    cr_assert(!xaml.slots && !xaml.events);
}

Test(watch_xaml, xaml_that_is_loaded_after_an_hour_is_seen_within_a_minute)
{
    module = NULL;
    for (uint64_t s = 0; s < 3600; s++)
        turn(s * S);
    module = "Microsoft.UI.Xaml.dll";
    for (uint64_t s = 3600; s < 3660; s++)
        turn(s * S);
    cr_assert_eq(fake_etw.begun, 1);
}

Test(watch_xaml, a_program_that_nobody_uses_is_looked_at_once)
{
    module = NULL;
    for (uint64_t s = 0; s < 100; s++)
        um_watch_xaml_turn(&xaml, layout, &target, true, s * S);
    cr_assert_eq(looks, 1);
    module = "Microsoft.UI.Xaml.dll";
    turn(100 * S);
    cr_assert_eq(fake_etw.begun, 1);
}

Test(watch_xaml, a_program_that_loads_xaml_later_has_one_then)
{
    module = NULL;
    turn(0);
    module = "Windows.UI.Xaml.dll";
    turn(S - 1);
    cr_assert_eq(fake_etw.begun, 0);
    turn(S);
    cr_assert_eq(fake_etw.begun, 1);
}

Test(watch_xaml, it_is_begun_and_ended_once_each_time)
{
    for (unsigned i = 0; i < 10; i++)
        turn(S + i);
    um_watch_xaml_turn(&xaml, NULL, &target, false, 2 * S);
    um_watch_xaml_turn(&xaml, NULL, &target, false, 2 * S);
    um_watch_xaml_end(&xaml);
    cr_assert_eq(fake_etw.begun, 1);
    cr_assert_eq(fake_etw.closed, 1);
    turn(2 * S);
    cr_assert_eq(fake_etw.begun, 2);
    cr_assert_eq(fake_etw.closed, 1);
}

Test(watch_xaml, another_thread_has_another_session)
{
    turn(S);
    target.tid = 9;
    turn(S + 1);
    cr_assert_eq(fake_etw.begun, 2);
    cr_assert_eq(fake_etw.closed, 1);
    cr_assert_eq(fake_etw.thread, 9);
}

Test(watch_xaml, a_refused_session_is_said_once_and_the_rest_goes_on)
{
    fake_etw.result = UM_ERR_DENIED;
    for (uint64_t s = 0; s < 100; s++)
        turn(s * S);
    um_watch_xaml_turn(&xaml, NULL, &target, false, 100 * S);
    turn(101 * S);
    cr_assert_str_eq(said, "--layout sees no elements of XAML: only administrators and members of "
                           "Performance Log Users may begin a session of ETW");
    cr_assert_eq(fake_etw.begun, 1);
    cr_assert_eq(fake_etw.closed, 0);
    cr_assert(!xaml.slots && !xaml.events);
}

Test(watch_xaml, a_system_without_etw_is_a_detail)
{
    fake_etw.result = UM_ERR_UNSUPPORTED;
    turn(S);
    cr_assert_str_empty(said);
    cr_assert_str_eq(detail, "--layout sees no elements of XAML: this system cannot do it");
}

Test(watch_xaml, elements_of_a_window_that_has_gone_count_for_what_lies_there_now)
{
    turn(S);
    fake_etw_send_text(EVENTS);
    turn(S + 1);
    pane_gone = true;
    fake_etw_send_text(
        "21000000 8 ArrangeElement/Start ElementId=2 Left=110 Top=110 Width=20 Height=20\n"
        "23000000 8 ArrangeElement/Stop ElementId=2\n");
    turn(2 * S);
    um_watch_xaml_end(&xaml);
    cr_assert_eq(arrange_ns(PANE), 3000000);
    cr_assert_eq(arrange_ns(ROOT), 6500000);
}

Test(watch_xaml, an_idle_program_is_not_asked_where_its_windows_are)
{
    turn(S);
    for (uint64_t s = 2; s < 100; s++)
        turn(s * S);
    cr_assert_eq(asked, 0);
    fake_etw_send_text(EVENTS);
    turn(100 * S);
    cr_assert_eq(asked, 2);
}

Test(watch_xaml, events_wait_while_a_frame_of_the_dll_lasts)
{
    struct um_wire_frame frame = {.type = UM_WIRE_LAYOUT_STEPS,
                                  .as.layout_steps = {.count = 1, .list = {{.window = ROOT}}}};
    turn(S);
    um_layout_take(layout, &frame);
    fake_etw_send_text(EVENTS);
    turn(S + 1);
    cr_assert_eq(asked, 0);
    frame.as.layout_steps.list[0].kind = UM_LAYOUT_KIND_CYCLE;
    um_layout_take(layout, &frame);
    turn(S + 2);
    um_watch_xaml_end(&xaml);
    cr_assert_eq(um_layout_sum(layout).frames, 2);
    cr_assert_eq(arrange_ns(PANE), 3000000);
}

/* An outermost element and so many within it, each of which takes 100 ns. */
static void send_pass(uint64_t begin_ns, unsigned elements)
{
    struct um_layout_event event;
    for (unsigned i = 0; i < 2 * elements + 2; i++) {
        bool is_outer = i == 0 || i == 2 * elements + 1;
        bool begins = is_outer ? i == 0 : i % 2 == 1;
        um_layout_event_init(&event, begin_ns + 100 * i, 8);
        event.kind = begins ? UM_LAYOUT_EVENT_ARRANGE_BEGIN : UM_LAYOUT_EVENT_ARRANGE_END;
        event.element = is_outer ? 1 : 10 + (i - 1) / 2;
        event.left = event.top = is_outer ? 0 : 110;
        event.width = is_outer ? 800 : 20;
        event.height = is_outer ? 600 : 20;
        um_layout_event_push(fake_etw.ring, fake_etw.thread, &event);
    }
}

Test(watch_xaml, a_frame_of_the_dll_that_lasts_long_loses_no_events)
{
    struct um_wire_frame frame = {.type = UM_WIRE_LAYOUT_STEPS,
                                  .as.layout_steps = {.count = 1, .list = {{.window = ROOT}}}};
    turn(S);
    um_layout_take(layout, &frame);
    for (unsigned i = 0; i < 10; i++) { /* 20,002 events each time */
        send_pass(S + 2100000 * i, 10000);
        turn(S + 1 + i);
        cr_assert_eq(atomic_load(&fake_etw.ring->head), fake_etw.ring->tail, "pass %u", i);
    }
    cr_assert_eq(fake_etw.ring->lost, 0);
    frame.as.layout_steps.list[0].kind = UM_LAYOUT_KIND_CYCLE;
    um_watch_xaml_end(&xaml);
    um_layout_take(layout, &frame);
    cr_assert_eq(um_layout_sum(layout).frames, 1);
    cr_assert_eq(um_layout_sum(layout).lost, 0);
    cr_assert_eq(arrange_ns(PANE), 10 * 10000 * 100);
    cr_assert_eq(arrange_ns(ROOT), 10 * (10000 + 10001) * 100); /* the pane lies in it */
}

Test(watch_xaml, a_few_events_wait_for_a_tenth_of_a_second_at_most)
{
    struct um_wire_frame frame = {.type = UM_WIRE_LAYOUT_STEPS,
                                  .as.layout_steps = {.count = 1, .list = {{.window = ROOT}}}};
    turn(S);
    um_layout_take(layout, &frame);
    turn(S + S / 2); /* nothing waits yet */
    fake_etw_send_text(EVENTS);
    turn(2 * S);
    turn(2 * S + S / 10 - 1);
    cr_assert_neq(atomic_load(&fake_etw.ring->head), fake_etw.ring->tail);
    turn(2 * S + S / 10);
    cr_assert_eq(atomic_load(&fake_etw.ring->head), fake_etw.ring->tail);
    fake_etw_send_text(EVENTS);
    turn(2 * S + S / 10 + 1);
    cr_assert_neq(atomic_load(&fake_etw.ring->head), fake_etw.ring->tail);
}

Test(watch_xaml, at_the_end_it_says_what_came)
{
    turn(S);
    fake_etw_send_text(EVENTS "6000000 8 MeasureElement/Start ElementId=3\n"
                              "6000000 8 MeasureElement/Stop ElementId=4\n");
    um_watch_xaml_end(&xaml);
    cr_assert_str_eq(detail, "XAML: 6 begins and ends of measuring and arranging; 1 begins without "
                             "an end, 1 ends without a begin");
}

/* Of a window, of the DLL. */
static void lay_out(uint64_t window, uint64_t took_ns)
{
    const struct um_wire_frame frame = {
        .type = UM_WIRE_LAYOUT_STEPS,
        .as.layout_steps = {.count = 3,
                            .list = {{.window = window, .step = UM_LAYOUT_STEP_ARRANGE},
                                     {.window = window,
                                      .step = UM_LAYOUT_STEP_ARRANGE,
                                      .kind = UM_LAYOUT_KIND_END,
                                      .time_ns = took_ns},
                                     {.kind = UM_LAYOUT_KIND_CYCLE}}}};
    um_layout_take(layout, &frame);
}

Test(watch_xaml, a_session_that_somebody_ends_is_said_once_and_windows_count_again)
{
    turn(S);
    fake_etw_send_text(EVENTS);
    turn(S + 1);
    fake_etw_send_text("21000000 8 MeasureElement/Start ElementId=2\n"
                       "22000000 8 MeasureElement/Stop ElementId=2\n");
    turn(S + 2);
    lay_out(PANE, 1000); /* which the elements are a part of */
    cr_assert_eq(arrange_ns(PANE), 3000000);
    fake_etw.has_ended = true;
    for (uint64_t s = 2; s < 100; s++)
        turn(s * S);
    cr_assert_str_eq(said, "--layout sees no more elements of XAML: somebody has ended its session "
                           "of ETW");
    cr_assert_eq(fake_etw.begun, 1);
    cr_assert_eq(fake_etw.closed, 1);
    cr_assert(!xaml.slots && !xaml.events);
    lay_out(PANE, 1000);
    cr_assert_eq(arrange_ns(PANE), 3001000);
    cr_assert_eq(um_layout_sum(layout).frames, 4);
}

#define SILENT                                                                                     \
    "uimon has seen no element of XAML in 10 s, though windows of the program were laid out; "

Test(watch_xaml, a_source_that_brings_nothing_is_said_once_in_detail)
{
    turn(S);
    lay_out(ROOT, 1000);
    detail[0] = '\0';
    turn(11 * S - 1);
    cr_assert_str_empty(detail);
    turn(11 * S);
    cr_assert_str_eq(detail, SILENT "no event came that it does not know");
    detail[0] = '\0';
    turn(100 * S);
    cr_assert_str_empty(detail);
    cr_assert_str_empty(said);
}

Test(watch_xaml, an_event_with_another_name_is_named)
{
    turn(S);
    lay_out(ROOT, 1000);
    fake_etw.unknown = "MeasureThing/Start";
    turn(11 * S);
    cr_assert_str_eq(detail, SILENT "an event that it does not know: MeasureThing/Start");
}

Test(watch_xaml, nothing_is_said_of_a_program_that_rests_or_that_has_elements)
{
    lay_out(ROOT, 1000); /* before the session */
    turn(S);
    detail[0] = '\0';
    turn(100 * S);
    fake_etw_send_text(EVENTS);
    lay_out(ROOT, 1000);
    turn(200 * S);
    cr_assert_str_empty(detail);
}
