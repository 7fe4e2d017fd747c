#include <criterion/criterion.h>
#include <stdlib.h>

#include "base/plain/text.h"
#include "overlay/model.h"
#include "tests/feed_script.h"

#define START_NS (1000000 * FEED_MS)

struct scene {
    struct um_model model;
    struct um_model_view view;
    struct feed_script script;
    uint64_t shift_ns; /* local clock minus the feed's */
};

static struct scene scene;

static uint64_t local_now(void)
{
    return scene.script.now_ns + scene.shift_ns;
}

static void feed_model(void *context, const struct um_wire_frame *frame)
{
    (void)context;
    um_model_frame(&scene.model, frame, local_now());
}

static void begin(void)
{
    memset(&scene, 0, sizeof scene);
    um_model_init(&scene.model);
    scene.script.emit = feed_model;
    feed_begin(&scene.script, START_NS, 77, "devenv.exe", "a caption");
}

static const struct um_model_view *view_at(uint64_t local_ns)
{
    um_model_view(&scene.model, local_ns, &scene.view);
    return &scene.view;
}

static const struct um_model_view *view_now(void)
{
    return view_at(local_now());
}

/* The length of the longest freeze in a column of the last view; 0: none is known. */
static uint64_t freeze_at(uint32_t column)
{
    for (uint32_t i = 0; i < scene.view.freezes; i++)
        if (scene.view.freeze[i].newest <= column && column <= scene.view.freeze[i].oldest)
            return scene.view.freeze[i].length_ns;
    return 0;
}

static uint64_t freeze_now(uint32_t column)
{
    view_now();
    return freeze_at(column);
}

static void feed_end(uint8_t flags, uint8_t state, uint64_t start_ns)
{
    feed_emit_episode(&scene.script, flags, state, start_ns);
}

/* A second of answered beats, and the first 300 ms of a freeze. */
static void begin_freeze(void)
{
    feed_lag(&scene.script, 1000, 0);
    feed_freeze(&scene.script, 300, UM_STATE_FROZEN, false);
}

TestSuite(model, .init = begin);

Test(model, knows_where_beats_tell_of_the_windows_thread_alone)
{
    struct um_wire_frame frame = {.type = UM_WIRE_SESSION, .as.session = scene.model.session};

    cr_expect_not(view_now()->window_only);
    um_text_set(frame.as.session.toolkit, sizeof frame.as.session.toolkit, "Java");
    feed_model(NULL, &frame);
    cr_expect(view_now()->window_only);
    frame.as.session.toolkit[0] = '\0'; /* another window has taken its place */
    feed_model(NULL, &frame);
    cr_expect_not(view_now()->window_only);
}

Test(model, waits_without_numbers_before_the_first_status)
{
    const struct um_model_view *view = view_now();

    cr_expect_eq((int)view->link, UM_MODEL_WAITING);
    cr_expect_not(view->has_lag);
    cr_expect_not(view->has_latency);
    cr_expect_not(view->column[0].measured);
    cr_expect_eq(view->column[0].state, UM_MODEL_UNKNOWN);
    cr_expect_str_eq(view->caption, "a caption");
}

/* Beats may be further apart than slices are long. */
Test(model, remembers_that_there_was_a_lag)
{
    feed_unmeasured(&scene.script, 100, UM_STATE_RESPONSIVE, false);
    cr_expect(!view_now()->has_lag && !scene.view.had_lag);
    feed_lag(&scene.script, 100, 0);
    cr_expect(view_now()->has_lag && scene.view.had_lag);
    feed_unmeasured(&scene.script, 1000, UM_STATE_RESPONSIVE, false);
    cr_expect(!view_now()->has_lag && scene.view.had_lag);
}

Test(model, gives_each_slice_its_worst_lag)
{
    feed_step(&scene.script, true, 3 * FEED_MS);
    for (int i = 0; i < 9; i++)
        feed_step(&scene.script, true, FEED_MS);
    for (int i = 0; i < 10; i++)
        feed_step(&scene.script, true, 2 * FEED_MS);

    cr_expect_eq(view_now()->column[0].worst_ns, 2 * FEED_MS);
    cr_expect_eq(view_now()->column[1].worst_ns, 3 * FEED_MS);
    cr_expect_eq(view_now()->column[2].state, UM_MODEL_UNKNOWN);
}

Test(model, leaves_a_slice_that_no_status_told_of_unknown)
{
    feed_lag(&scene.script, 200, 0);
    scene.script.now_ns += 2 * UM_SLICE_NS;
    scene.script.slice_ns += 2 * UM_SLICE_NS;
    feed_lag(&scene.script, 100, 0);

    cr_expect(view_now()->column[0].measured);
    cr_expect_not(view_now()->column[1].measured);
    cr_expect_eq(view_now()->column[2].state, UM_MODEL_UNKNOWN);
    cr_expect(view_now()->column[3].measured);
}

static void feed_mark(uint64_t time_ns)
{
    struct um_wire_frame frame = {.type = UM_WIRE_NOTE, .as.note.time_ns = time_ns};
    feed_model(NULL, &frame);
}

Test(model, shows_marks_in_the_slices_of_their_times)
{
    feed_mark(START_NS + 150 * FEED_MS); /* before the first status */
    feed_lag(&scene.script, 1000, 0);
    feed_mark(START_NS + 850 * FEED_MS);
    cr_expect(um_model_changed(&scene.model, local_now()));
    for (int i = 0; i < 20; i++)
        cr_expect_eq(view_now()->column[i].marked, i == 1 || i == 8, "column %d", i);
    feed_mark(0);
    feed_mark(UINT64_MAX);
    for (int i = 0; i < UM_MODEL_COLUMNS; i++)
        cr_expect_eq(view_now()->column[i].marked, i == 1 || i == 8, "column %d", i);
    for (int i = 0; i < UM_MODEL_MARKS; i++)
        feed_mark(START_NS + 950 * FEED_MS);
    for (int i = 0; i < 20; i++)
        cr_expect_eq(view_now()->column[i].marked, i == 0, "column %d", i);
}

Test(model, colours_all_slices_of_a_freeze_from_its_start)
{
    feed_lag(&scene.script, 150, 0);
    feed_freeze(&scene.script, 300, UM_STATE_FROZEN, true);
    feed_lag(&scene.script, 150, 0);

    cr_expect_eq(view_now()->column[5].state, UM_STATE_RESPONSIVE);
    for (int i = 1; i <= 4; i++)
        cr_expect_eq(view_now()->column[i].state, UM_STATE_FROZEN, "column %d", i);
    cr_expect_eq(view_now()->column[0].state, UM_STATE_RESPONSIVE);
}

Test(model, grows_while_a_freeze_lasts_and_no_frame_comes)
{
    begin_freeze();

    cr_expect_eq(view_at(local_now() + 150 * FEED_MS)->lag_ns, 450 * FEED_MS);
    cr_expect_eq(scene.view.column[0].worst_ns, 450 * FEED_MS);
    cr_expect_eq(scene.view.column[1].worst_ns, 400 * FEED_MS);
    cr_expect_eq(scene.view.column[0].state, UM_STATE_FROZEN);
}

Test(model, shows_a_freeze_in_the_slice_that_just_begins)
{
    begin_freeze();

    cr_assert_eq((int)view_now()->newest_slice, 13, "the slice has not begun");
    cr_expect(scene.view.column[0].measured);
    cr_expect_eq(scene.view.column[0].state, UM_STATE_FROZEN);
}

Test(model, counts_a_freeze_that_lasts_from_its_start_and_not_from_its_beat)
{
    scene.script.beat_after_ns = 6 * FEED_MS;
    begin_freeze();

    cr_expect_eq(view_at(local_now() + 150 * FEED_MS)->lag_ns, 450 * FEED_MS);
    cr_expect_eq(freeze_at(0), 450 * FEED_MS);
    cr_expect_eq(freeze_at(4), 450 * FEED_MS);
    cr_expect_eq(scene.view.column[0].worst_ns, 444 * FEED_MS);
}

Test(model, gives_the_columns_of_a_freeze_that_ended_its_length)
{
    scene.script.beat_after_ns = 6 * FEED_MS;
    feed_lag(&scene.script, 150, 0);
    feed_freeze(&scene.script, 300, UM_STATE_STARVED, true);
    feed_lag(&scene.script, 150, 0);

    cr_expect_eq(freeze_now(5), 0);
    for (int i = 1; i <= 4; i++)
        cr_expect_eq(freeze_now(i), 300 * FEED_MS, "column %d", i);
    cr_expect_eq(freeze_now(0), 0);
    cr_expect_eq(view_now()->column[1].worst_ns, 294 * FEED_MS);
    cr_expect_lt(view_now()->lag_ns, FEED_MS);
}

Test(model, lists_each_freeze_once_with_its_own_length)
{
    feed_lag(&scene.script, 200, 0);
    feed_starved(&scene.script, 1270, 250); /* several columns leave the scale, apart */
    feed_lag(&scene.script, 20, 0);         /* both are in the same slice */
    feed_freeze(&scene.script, 560, UM_STATE_FROZEN, true);
    feed_lag(&scene.script, 50, 0);
    feed_freeze(&scene.script, 400, UM_STATE_FROZEN, true);
    feed_lag(&scene.script, 100, 0);

    cr_assert_eq(view_now()->freezes, 3);
    cr_expect_eq(scene.view.freeze[0].length_ns, 1270 * FEED_MS);
    cr_expect_eq(scene.view.freeze[1].length_ns, 560 * FEED_MS);
    cr_expect_eq(scene.view.freeze[2].length_ns, 400 * FEED_MS);
    /* 2600 ms are 26 columns: the freezes begin at 200, 1490 and 2100 ms. */
    cr_expect_eq(scene.view.freeze[0].oldest, 23);
    cr_expect_eq(scene.view.freeze[0].newest, 11);
    cr_expect_eq(scene.view.freeze[1].oldest, 11);
    cr_expect_eq(scene.view.freeze[1].newest, 5);
    cr_expect_eq(scene.view.freeze[2].oldest, 4, "a freeze that begins with a slice");
    cr_expect_eq(scene.view.freeze[2].newest, 1, "a freeze that ends with a slice");
}

Test(model, knows_how_long_a_starved_freeze_lasts_between_two_beats)
{
    feed_lag(&scene.script, 200, 0);
    feed_freeze(&scene.script, 300, UM_STATE_STARVED, false);
    scene.script.status.outstanding_ns = 0; /* its beat is answered, and no other one is out */
    feed_step(&scene.script, true, 0);
    feed_emit_status(&scene.script);

    cr_assert_eq(view_now()->freezes, 1);
    cr_expect_eq(scene.view.freeze[0].length_ns, 310 * FEED_MS);
    cr_expect_eq(scene.view.lag_ns, 310 * FEED_MS);
}

Test(model, shows_a_freeze_that_is_over_by_its_length_until_the_next_beat_is_answered)
{
    scene.script.beat_after_ns = 6 * FEED_MS;
    feed_lag(&scene.script, 250, 0);
    feed_freeze(&scene.script, 300, UM_STATE_FROZEN, true);
    cr_expect(view_now()->lag_is_past);
    cr_expect_eq(scene.view.lag_ns, 300 * FEED_MS, "its beat has waited for 294 ms");

    scene.script.now_ns += 1000 * FEED_MS; /* no beat was sent meanwhile */
    scene.script.measured = true;
    feed_emit_status(&scene.script);
    cr_expect(view_now()->lag_is_past);
    cr_expect_eq(scene.view.lag_ns, 300 * FEED_MS);

    scene.script.status.lag_ns = FEED_MS;
    feed_emit_status(&scene.script);
    cr_expect_not(view_now()->lag_is_past);
    cr_expect_eq(scene.view.lag_ns, FEED_MS);
}

Test(model, knows_no_length_of_a_freeze_whose_beginning_it_missed)
{
    scene.script.status.state = UM_STATE_FROZEN; /* connected in the middle of it */
    scene.script.beat_after_ns = 6 * FEED_MS;
    feed_freeze(&scene.script, 300, UM_STATE_FROZEN, false);

    cr_expect_eq(view_now()->lag_ns, 294 * FEED_MS);
    cr_expect_eq(freeze_now(1), 0);
    cr_expect_eq(view_now()->column[1].state, UM_STATE_FROZEN);
}

Test(model, claims_no_length_of_a_freeze_while_the_target_is_suspended)
{
    feed_lag(&scene.script, 500, 0);
    feed_freeze(&scene.script, 500, UM_STATE_FROZEN, false);
    scene.script.status.outstanding_ns = 0;
    feed_unmeasured(&scene.script, 500, UM_STATE_SUSPENDED, false);

    cr_expect_eq(freeze_now(7), 0);
    cr_expect_not(view_now()->has_lag);
}

Test(model, stops_growing_when_the_feed_is_silent)
{
    begin_freeze();
    view_at(local_now() + UM_MODEL_PATIENCE_NS);

    cr_expect_eq((int)scene.view.link, UM_MODEL_SILENT);
    cr_expect_not(scene.view.has_lag);
    cr_expect_eq(freeze_at(0), 300 * FEED_MS);
    cr_expect_eq(scene.view.column[0].worst_ns, 300 * FEED_MS);
}

Test(model, does_not_grow_outside_a_freeze)
{
    feed_lag(&scene.script, 1000, 0);
    scene.script.status.outstanding_ns = scene.script.now_ns;
    feed_lag(&scene.script, 100, 0);

    cr_expect_lt(view_at(local_now() + 90 * FEED_MS)->lag_ns, FEED_MS);
}

Test(model, shows_a_recording_of_another_time_like_a_live_feed)
{
    scene.shift_ns = 3600 * 1000 * FEED_MS;
    begin_freeze();

    cr_expect_eq(view_at(local_now() + 50 * FEED_MS)->lag_ns, 350 * FEED_MS);
}

Test(model, repaints_a_freeze_that_turned_out_to_be_blind)
{
    feed_lag(&scene.script, 500, 0);
    uint64_t start_ns = scene.script.now_ns;
    feed_freeze(&scene.script, 400, UM_STATE_FROZEN, false);
    cr_expect_eq(view_now()->column[1].state, UM_STATE_FROZEN);
    feed_end(UM_WIRE_EPISODE_END, UM_STATE_BLIND, start_ns);

    cr_expect_eq(view_now()->column[1].state, UM_STATE_BLIND);
}

Test(model, takes_back_an_episode_that_was_none)
{
    feed_lag(&scene.script, 500, 0);
    uint64_t start_ns = scene.script.now_ns;
    feed_freeze(&scene.script, 400, UM_STATE_FROZEN, false);
    feed_end(UM_WIRE_EPISODE_END | UM_WIRE_EPISODE_VOID, UM_STATE_FROZEN, start_ns);
    feed_set_state(&scene.script, UM_STATE_RESPONSIVE, scene.script.now_ns);

    for (int i = 0; i < 6; i++)
        cr_expect_neq(view_now()->column[i].state, UM_STATE_FROZEN, "column %d", i);
}

Test(model, takes_the_state_from_status_until_an_episode_tells_more)
{
    uint64_t start_ns = scene.script.now_ns;

    scene.script.status.state = UM_STATE_SUSPENDED; /* connected in the middle of it */
    scene.script.status.state_since_ns = start_ns;
    for (int i = 0; i < 30; i++)
        feed_step(&scene.script, false, 0);
    cr_expect_eq(view_now()->column[2].state, UM_STATE_SUSPENDED);
    scene.script.episode++;
    feed_end(UM_WIRE_EPISODE_END, UM_STATE_IDLE, start_ns);

    cr_expect_eq(view_now()->column[2].state, UM_STATE_IDLE);
}

Test(model, ends_an_episode_whose_end_was_lost)
{
    feed_lag(&scene.script, 500, 0);
    feed_freeze(&scene.script, 400, UM_STATE_FROZEN, false);
    scene.script.status.outstanding_ns = 0;
    feed_set_state(&scene.script, UM_STATE_RESPONSIVE, scene.script.now_ns);
    feed_lag(&scene.script, 1000, 0);

    cr_expect_eq(view_now()->column[0].state, UM_STATE_RESPONSIVE);
    cr_expect_eq(view_now()->column[8].state, UM_STATE_RESPONSIVE);
    cr_expect_eq(view_now()->column[11].state, UM_STATE_FROZEN);
}

Test(model, does_not_stretch_a_freeze_whose_end_was_lost_to_the_next_one)
{
    feed_lag(&scene.script, 500, 0);
    feed_freeze(&scene.script, 400, UM_STATE_FROZEN, false);
    feed_set_state(&scene.script, UM_STATE_RESPONSIVE, scene.script.now_ns);
    begin_freeze();

    cr_expect_eq(view_now()->lag_ns, 300 * FEED_MS);
    cr_expect_eq(freeze_now(0), 300 * FEED_MS);
    cr_expect_eq(view_now()->column[5].state, UM_STATE_RESPONSIVE);
}

Test(model, keeps_what_was_measured_at_the_edge_of_an_idle_stretch)
{
    feed_lag(&scene.script, 180, 0);
    feed_unmeasured(&scene.script, 220, UM_STATE_IDLE, false);

    cr_expect(view_now()->column[2].measured);
    cr_expect_eq(view_now()->column[2].state, UM_STATE_RESPONSIVE);
    cr_expect_eq(view_now()->column[1].state, UM_STATE_IDLE);
}

Test(model, shows_the_stronger_of_two_states)
{
    feed_lag(&scene.script, 500, 0);
    feed_freeze(&scene.script, 500, UM_STATE_FROZEN, false);
    feed_unmeasured(&scene.script, 500, UM_STATE_SUSPENDED, false);

    cr_expect_eq(view_now()->column[2].state, UM_STATE_SUSPENDED);
    cr_expect_eq(view_now()->column[7].state, UM_STATE_FROZEN);
}

Test(model, is_changed_by_a_status_and_not_by_a_beat)
{
    struct um_wire_frame beat = {.type = UM_WIRE_BEAT};

    feed_lag(&scene.script, 100, 0);
    cr_expect(um_model_changed(&scene.model, local_now()));
    view_now();
    um_model_frame(&scene.model, &beat, local_now());
    cr_expect_not(um_model_changed(&scene.model, local_now()));
}

Test(model, wants_one_view_a_second_while_idle)
{
    int views = 0;

    feed_unmeasured(&scene.script, 100, UM_STATE_IDLE, false);
    view_now();
    for (int i = 0; i < 45; i++) {
        for (int step = 0; step < 10; step++)
            feed_step(&scene.script, false, 0);
        if (!um_model_changed(&scene.model, local_now()))
            continue;
        view_now();
        views++;
    }
    cr_expect_eq(views, 4);
}

Test(model, has_a_deadline_while_it_grows_and_before_it_is_silent)
{
    cr_expect_eq(um_model_deadline(&scene.model), UM_MODEL_NEVER);
    feed_lag(&scene.script, 100, 0);
    view_now();
    cr_expect_eq(um_model_deadline(&scene.model), local_now() + UM_MODEL_PATIENCE_NS);
    feed_freeze(&scene.script, 200, UM_STATE_FROZEN, false);
    view_now();
    cr_expect_eq(um_model_deadline(&scene.model), local_now() + UM_SLICE_NS);
    view_at(local_now() + UM_MODEL_PATIENCE_NS);
    cr_expect_eq(um_model_deadline(&scene.model), UM_MODEL_NEVER);
}

Test(model, starts_anew_when_a_replay_jumps_back)
{
    feed_lag(&scene.script, 5000, 0);
    scene.script.now_ns = scene.script.slice_ns = START_NS;
    feed_lag(&scene.script, 100, 0);

    cr_expect(view_now()->column[0].measured);
    cr_expect_not(view_now()->column[1].measured);
}

Test(model, forgets_the_columns_of_another_session)
{
    feed_lag(&scene.script, 1000, 0);
    feed_begin(&scene.script, scene.script.now_ns, 78, "other.exe", "");

    cr_expect_not(view_now()->column[0].measured);
    cr_expect_str_eq(scene.view.name, "other.exe");
}

Test(model, survives_times_that_make_no_sense)
{
    static const uint64_t times[] = {0, 1, START_NS, UINT64_MAX / 2, UINT64_MAX};
    struct um_wire_frame frame = {.type = UM_WIRE_STATUS, .flags = UM_WIRE_STATUS_HAS_LAG};

    for (size_t i = 0; i < 5 * 5 * 5; i++) {
        struct um_wire_status *status = &frame.as.status;
        status->time_ns = times[i % 5];
        status->slice_start_ns = times[i / 5 % 5];
        status->outstanding_ns = status->state_since_ns = times[i / 25];
        status->state = (uint8_t)(i % UM_STATE_COUNT);
        um_model_frame(&scene.model, &frame, local_now());
        feed_end(i % 2 == 0 ? UM_WIRE_EPISODE_BEGIN : UM_WIRE_EPISODE_END,
                 (uint8_t)(i % UM_STATE_COUNT), times[i / 25]);
        cr_expect_eq(view_at(local_now() + 100 * FEED_MS)->columns, UM_MODEL_COLUMNS);
    }
}

/* Interactions --------------------------------------------------------------------------------- */

Test(model, shows_typing_and_click_only_where_they_were_measured)
{
    scene.script.status.typing_p50_ns = 14 * FEED_MS;
    scene.script.status.typing_p99_ns = 38 * FEED_MS;
    scene.script.status.click_ns = 22 * FEED_MS;
    feed_lag(&scene.script, 100, 0);
    cr_expect_not(view_now()->has_typing);
    cr_expect_not(scene.view.has_click);

    scene.script.more_flags = UM_WIRE_STATUS_HAS_TYPING | UM_WIRE_STATUS_TYPING_PAINTED;
    feed_lag(&scene.script, 100, 0);
    cr_expect(view_now()->has_typing);
    cr_expect(scene.view.typing_painted);
    cr_expect_eq(scene.view.status.typing_p50_ns, 14 * FEED_MS);
    cr_expect_eq(scene.view.status.typing_p99_ns, 38 * FEED_MS);
    cr_expect_not(scene.view.has_click);

    scene.script.more_flags = UM_WIRE_STATUS_HAS_CLICK;
    feed_lag(&scene.script, 100, 0);
    cr_expect_not(view_now()->has_typing);
    cr_expect(scene.view.has_click);
    cr_expect_not(scene.view.click_painted);
    cr_expect_eq(scene.view.status.click_ns, 22 * FEED_MS);
    cr_expect(scene.view.felt_unobserved);

    scene.script.more_flags |= UM_WIRE_STATUS_HAS_FELT;
    feed_lag(&scene.script, 100, 0);
    cr_expect_not(view_now()->felt_unobserved);
}

Test(model, knows_the_beats)
{
    struct um_wire_frame frame = {.type = UM_WIRE_BEAT_KIND};

    cr_expect_eq(view_now()->beat_kind, UM_BEAT_KIND_AUTO);
    frame.as.beat_kind = (struct um_wire_beat_kind){
        .kind = UM_BEAT_KIND_PAIR, .shielded = 1, .held = UM_PROBE_HELD_BUTTON};
    um_model_frame(&scene.model, &frame, local_now());
    cr_expect(um_model_changed(&scene.model, local_now()));
    cr_expect_eq(view_now()->beat_kind, UM_BEAT_KIND_PAIR);
    cr_expect(scene.view.shielded);
    cr_expect_eq(scene.view.held, UM_PROBE_HELD_BUTTON);
}

static void feed_stack(uint32_t freeze, const char *headline)
{
    struct um_wire_frame frame = {.type = UM_WIRE_STACK, .as.stack.freeze = freeze};
    um_text_set(frame.as.stack.headline, sizeof frame.as.stack.headline, headline);
    um_model_frame(&scene.model, &frame, local_now());
}

Test(model, says_for_five_seconds_where_a_freeze_was)
{
    feed_lag(&scene.script, 1000, 6);
    feed_freeze(&scene.script, 1240, UM_STATE_FROZEN, true);
    uint32_t id = scene.model.episode[scene.model.episodes - 1].id;
    view_now();
    feed_stack(id, "parse ← WM_COMMAND");
    cr_expect(um_model_changed(&scene.model, local_now()));
    cr_expect_str_eq(view_now()->caption, "1.24 s: parse ← WM_COMMAND");
    feed_lag(&scene.script, 4900, 6);
    cr_expect_str_eq(view_now()->caption, "1.24 s: parse ← WM_COMMAND");
    feed_stack(id, "parse_solution ← WM_COMMAND"); /* by a name that came late */
    cr_expect_str_eq(view_now()->caption, "1.24 s: parse_solution ← WM_COMMAND");
    feed_lag(&scene.script, 200, 6);
    cr_expect_str_eq(view_now()->caption, "a caption");
    feed_stack(id, "parse_projects ← WM_COMMAND");
    cr_expect_str_eq(view_now()->caption, "a caption");
    feed_stack(id + 1, "a freeze that it has not heard of");
    cr_expect_str_eq(view_now()->caption, "a freeze that it has not heard of");
    feed_stack(id, "");
    cr_expect_str_eq(view_now()->caption, "a freeze that it has not heard of");
}

static void feed_costliest(uint32_t freeze, uint64_t length_ms, const char *window_class)
{
    struct um_wire_frame frame = {.type = UM_WIRE_COSTLIEST,
                                  .as.costliest = {.freeze = freeze,
                                                   .length_ns = length_ms * UINT64_C(1000000),
                                                   .message = 0x0047}};
    um_text_set(frame.as.costliest.window_class, sizeof frame.as.costliest.window_class,
                window_class);
    um_model_frame(&scene.model, &frame, local_now());
}

/* A stack says more than the message that took most of the freeze. */
Test(model, says_which_message_took_most_of_a_freeze)
{
    feed_lag(&scene.script, 1000, 6);
    feed_freeze(&scene.script, 1240, UM_STATE_FROZEN, true);
    uint32_t id = scene.model.episode[scene.model.episodes - 1].id;
    feed_costliest(id, 1100, "");
    cr_expect_str_eq(view_now()->caption, "1.24 s: 1.10 s in WM_WINDOWPOSCHANGED");
    feed_costliest(id, 817, "Frame");
    cr_expect_str_eq(view_now()->caption, "1.24 s: 817 ms in WM_WINDOWPOSCHANGED @ Frame");
    feed_stack(id, "parse ← WM_COMMAND");
    cr_expect_str_eq(view_now()->caption, "1.24 s: parse ← WM_COMMAND");
    feed_costliest(id, 817, "Frame");
    cr_expect_str_eq(view_now()->caption, "1.24 s: parse ← WM_COMMAND");
    feed_lag(&scene.script, 5000, 6);
    cr_expect_str_eq(view_now()->caption, "a caption");
}

/* Replays -------------------------------------------------------------------------------------- */

static void feed_replay_session(uint8_t flags)
{
    struct um_wire_frame frame = {.type = UM_WIRE_SESSION, .flags = flags};

    frame.as.session = scene.model.session;
    frame.as.session.hwnd = 0;
    um_model_frame(&scene.model, &frame, local_now());
}

Test(model, neither_grows_nor_falls_silent_in_a_replay)
{
    feed_replay_session(0);
    begin_freeze();
    uint64_t lag_ns = view_now()->lag_ns;
    int64_t newest = scene.view.newest_slice;

    cr_expect_eq(um_model_deadline(&scene.model), UM_MODEL_NEVER);
    cr_expect_eq(view_at(local_now() + 60000 * FEED_MS)->lag_ns, lag_ns);
    cr_expect_eq(scene.view.newest_slice, newest);
    cr_expect_eq((int)scene.view.link, UM_MODEL_LIVE);
    cr_expect_eq(scene.view.state_for_ns, 300 * FEED_MS);
}

Test(model, forgets_everything_when_a_replay_jumps)
{
    feed_replay_session(0);
    feed_lag(&scene.script, 2000, 0);
    feed_freeze(&scene.script, 300, UM_STATE_FROZEN, true);
    feed_lag(&scene.script, 100, 0);
    feed_replay_session(UM_WIRE_SESSION_ANEW);

    cr_expect_eq((int)view_now()->link, UM_MODEL_WAITING);
    cr_expect_str_eq(scene.view.caption, "a caption");
    for (uint32_t i = 0; i < scene.view.columns; i++)
        cr_assert_eq(scene.view.column[i].state, UM_MODEL_UNKNOWN);
}

Test(model, takes_any_time_after_a_jump)
{
    feed_replay_session(0);
    feed_lag(&scene.script, 5000, 0);
    uint64_t end_ns = scene.script.now_ns;
    feed_replay_session(UM_WIRE_SESSION_ANEW);
    /* Half a second back: less than what lets a live feed begin anew by itself. */
    scene.script.now_ns = scene.script.slice_ns = end_ns - 500 * FEED_MS;
    feed_lag(&scene.script, 200, 0);

    cr_expect_eq((int)view_now()->link, UM_MODEL_LIVE);
    cr_expect(scene.view.column[0].measured);
    cr_expect(scene.view.column[1].measured);
    cr_expect_not(scene.view.column[2].measured);
}

Test(model, keeps_its_picture_until_the_past_has_been_told_again)
{
    feed_replay_session(0);
    feed_lag(&scene.script, 1000, 0);
    view_now();
    uint64_t jump_ns = local_now();
    feed_replay_session(UM_WIRE_SESSION_ANEW);
    feed_lag(&scene.script, 100, 0);

    cr_expect_not(um_model_changed(&scene.model, jump_ns + UM_MODEL_ANEW_NS - 1));
    cr_expect_eq(um_model_deadline(&scene.model), jump_ns + UM_MODEL_ANEW_NS);
    cr_expect(um_model_changed(&scene.model, jump_ns + UM_MODEL_ANEW_NS));
    view_at(jump_ns + UM_MODEL_ANEW_NS);
    cr_expect_not(um_model_changed(&scene.model, jump_ns + UM_MODEL_ANEW_NS + 1));
}

Test(model, has_the_time_of_a_replay_once_the_past_has_been_told_again)
{
    uint64_t feed_ns = 0, later_ns = 0;
    feed_replay_session(0);
    feed_lag(&scene.script, 1000, 0);
    uint64_t end_ns = scene.script.now_ns, jump_ns = local_now();
    cr_expect(um_model_time(&scene.model, jump_ns, &feed_ns));
    cr_expect(um_model_time(&scene.model, jump_ns + 60000 * FEED_MS, &later_ns));
    cr_expect_eq(later_ns, feed_ns, "it stands still while nothing comes");
    feed_replay_session(UM_WIRE_SESSION_ANEW);
    scene.script.now_ns = scene.script.slice_ns = end_ns - 500 * FEED_MS;
    feed_lag(&scene.script, 100, 0);
    cr_expect_not(um_model_time(&scene.model, jump_ns + UM_MODEL_ANEW_NS - 1, &later_ns));
    cr_expect(um_model_time(&scene.model, jump_ns + UM_MODEL_ANEW_NS, &later_ns));
    cr_expect_eq(later_ns, feed_ns - 400 * FEED_MS);
}

/* Rows: the thread pool, what uimon costs, and alarms ------------------------------------------ */

static void tell_activity(uint64_t since_ns, uint64_t messages, uint64_t paints, bool knows_paints)
{
    struct um_wire_frame frame = {.type = UM_WIRE_ACTIVITY,
                                  .flags = knows_paints ? UM_WIRE_ACTIVITY_PAINTS : 0};

    frame.as.activity = (struct um_wire_activity){.time_ns = scene.script.now_ns,
                                                  .since_ns = since_ns,
                                                  .messages = messages,
                                                  .paints = paints};
    feed_model(NULL, &frame);
}

/* Ten a second, 500 messages and 60 paint cycles a second. */
static void tell_second_of_activity(uint64_t since_ns, uint64_t from_tenth, bool knows_paints)
{
    for (uint64_t i = from_tenth; i < from_tenth + 12; i++) {
        scene.script.now_ns += 100 * FEED_MS;
        tell_activity(since_ns, 50 * i, 6 * i, knows_paints);
    }
}

Test(model, rates_are_those_of_the_last_second)
{
    feed_lag(&scene.script, 1000, 1);
    tell_activity(START_NS, 7, 3, true);
    cr_expect_not(view_now()->has_message_rate);
    tell_second_of_activity(START_NS, 1000, true);
    cr_expect(view_now()->has_message_rate && view_now()->has_frame_rate);
    cr_expect_float_eq(view_now()->message_rate, 500, 1e-6);
    cr_expect_float_eq(view_now()->frame_rate, 60, 1e-6);
    feed_lag(&scene.script, 1100, 1);
    cr_expect_not(view_now()->has_message_rate, "nothing was told for a second");
}

Test(model, a_program_that_was_not_seen_to_paint_has_no_frame_rate)
{
    feed_lag(&scene.script, 1000, 1);
    tell_second_of_activity(START_NS, 0, false);
    cr_expect(view_now()->has_message_rate);
    cr_expect_not(view_now()->has_frame_rate);
}

Test(model, stretches_that_were_counted_apart_enter_no_rate_together)
{
    feed_lag(&scene.script, 1000, 1);
    tell_second_of_activity(START_NS, 0, true);
    tell_activity(START_NS + 1, 1000000, 1000000, true);
    cr_expect_not(view_now()->has_message_rate);
    for (int i = 0; i < 5; i++) {
        scene.script.now_ns += 100 * FEED_MS;
        tell_activity(START_NS + 1, UINT64_MAX, 0, true);
    }
    cr_expect_not(view_now()->has_message_rate, "no thread takes so many");
}

Test(model, a_delay_of_the_pool_is_measured_while_it_is_told)
{
    feed_lag(&scene.script, 300, 0);
    cr_expect_not(view_now()->has_pool);
    feed_pool(&scene.script, 4, 0, false);
    cr_expect(view_now()->has_pool);
    cr_expect_eq(view_now()->pool_ns, 4 * FEED_MS + FEED_MS * 3 / 10);
    cr_expect_not(view_now()->starvation.on);
    feed_lag(&scene.script, 1200, 0); /* nobody measures it any more */
    cr_expect_not(view_now()->has_pool);
}

Test(model, a_starvation_stays_for_three_seconds_with_its_peak)
{
    feed_lag(&scene.script, 3000, 0);
    view_now();
    feed_pool(&scene.script, 700, 700, true);
    cr_expect(um_model_changed(&scene.model, local_now()), "it is not drawn at once");
    cr_expect(view_now()->starvation.on && view_now()->starvation.lasts);
    cr_expect_eq(view_now()->starvation.peak_ns, 700 * FEED_MS);
    feed_lag(&scene.script, 200, 0);
    feed_pool(&scene.script, 0, 900, false);
    cr_expect(um_model_changed(&scene.model, local_now()));
    cr_expect(view_now()->starvation.on);
    cr_expect_not(view_now()->starvation.lasts);
    cr_expect_eq(view_now()->starvation.peak_ns, 900 * FEED_MS);
    feed_lag(&scene.script, 2900, 0);
    cr_expect(view_now()->starvation.on);
    feed_lag(&scene.script, 200, 0);
    cr_expect_not(view_now()->starvation.on);
}

Test(model, a_hang_stays_for_three_seconds_with_its_length)
{
    feed_lag(&scene.script, 1000, 0);
    feed_freeze(&scene.script, 400, UM_STATE_FROZEN, false);
    cr_expect(view_now()->hang.on && view_now()->hang.lasts);
    cr_expect_eq(view_now()->hang.peak_ns, view_now()->lag_ns);
    scene.script.status.outstanding_ns = 0;
    feed_count(&scene.script, 400 * FEED_MS);
    feed_end(UM_WIRE_EPISODE_END, UM_STATE_FROZEN, START_NS + 1000 * FEED_MS);
    feed_set_state(&scene.script, UM_STATE_RESPONSIVE, scene.script.now_ns);
    cr_expect(view_now()->hang.on);
    cr_expect_not(view_now()->hang.lasts);
    cr_expect_eq(view_now()->hang.peak_ns, 400 * FEED_MS);
    feed_lag(&scene.script, 2900, 0);
    cr_expect(view_now()->hang.on);
    feed_lag(&scene.script, 200, 0);
    cr_expect_not(view_now()->hang.on);
}

/* While the program is idle a STATUS is drawn every second or less often: an alarm does not wait
 * for that. */
Test(model, an_alarm_goes_in_time_without_a_frame)
{
    feed_lag(&scene.script, 1000, 0);
    feed_pool(&scene.script, 700, 700, true);
    feed_lag(&scene.script, 100, 0);
    feed_pool(&scene.script, 0, 700, false);
    uint64_t recovered_ns = local_now();
    feed_unmeasured(&scene.script, 1000, UM_STATE_IDLE, false);
    cr_assert(view_now()->starvation.on);
    cr_expect_eq(um_model_deadline(&scene.model), recovered_ns + UM_MODEL_ALARM_NS);
    cr_expect(view_at(recovered_ns + UM_MODEL_ALARM_NS - 1)->starvation.on);
    cr_expect(um_model_changed(&scene.model, recovered_ns + UM_MODEL_ALARM_NS));
    cr_expect_not(view_at(recovered_ns + UM_MODEL_ALARM_NS)->starvation.on);
    cr_expect_gt(um_model_deadline(&scene.model), recovered_ns + UM_MODEL_ALARM_NS);
}

Test(model, numbers_of_the_pool_do_not_draw_while_idle)
{
    feed_lag(&scene.script, 1000, 0);
    feed_unmeasured(&scene.script, 100, UM_STATE_IDLE, false);
    view_now();
    feed_pool(&scene.script, 2, 0, false);
    feed_totals(&scene.script, 7, 0);
    cr_expect_not(um_model_changed(&scene.model, local_now()));
}

Test(model, cost_is_the_growth_of_cpu_time_from_totals_to_totals)
{
    feed_lag(&scene.script, 1000, 0);
    feed_totals(&scene.script, 1, 2);
    cr_expect(view_now()->has_beats_lost);
    cr_expect_eq(view_now()->beats_lost, 2);
    cr_expect_not(view_now()->has_cost);
    feed_lag(&scene.script, 1000, 0);
    feed_totals(&scene.script, 3, 2); /* two seconds' worth of it in one second */
    cr_expect(view_now()->has_cost);
    cr_expect_eq(view_now()->cost_permille, 14);
    feed_lag(&scene.script, 6000, 0);
    cr_expect_not(view_now()->has_cost, "it is not of the last seconds any more");
}

Test(model, draws_a_profile_that_says_something_else)
{
    struct um_wire_frame frame = {.type = UM_WIRE_PROFILE,
                                  .as.profile = {.scope = UM_WIRE_SCOPE_FREEZE,
                                                 .samples = 9,
                                                 .rows = {{9, 9, 0, "parse", "a.dll"}}}};

    feed_lag(&scene.script, 300, 0);
    view_now();
    feed_model(NULL, &frame);
    cr_expect(um_model_changed(&scene.model, local_now()));
    cr_expect(view_now()->freeze_profile.known);
    cr_expect_not(view_now()->session_profile.known);
    cr_expect_str_eq(view_now()->freeze_profile.of.rows[0].name, "parse");
    frame.as.profile.time_ns = 5;
    feed_model(NULL, &frame);
    cr_expect_not(um_model_changed(&scene.model, local_now()));
    frame.as.profile.rows[0].self = 8;
    feed_model(NULL, &frame);
    cr_expect(um_model_changed(&scene.model, local_now()));
    frame.as.profile.scope = UM_WIRE_SCOPE_SESSION;
    feed_model(NULL, &frame);
    cr_expect_eq(view_now()->session_profile.of.samples, 9);
    cr_expect_eq(view_now()->freeze_profile.of.rows[0].self, 8);
    /* A later part has only rows, and does not take the first one's place. */
    frame.as.profile.scope = UM_WIRE_SCOPE_FREEZE;
    frame.as.profile.part = 1;
    strcpy(frame.as.profile.rows[0].name, "seventh");
    (void)um_model_changed(&scene.model, local_now());
    feed_model(NULL, &frame);
    cr_expect(um_model_changed(&scene.model, local_now()));
    cr_expect_str_eq(view_now()->freeze_profile.of.rows[0].name, "parse");
    cr_expect_str_eq(view_now()->freeze_profile.more[0].name, "seventh");
    feed_model(NULL, &frame);
    cr_expect_not(um_model_changed(&scene.model, local_now()));
}
