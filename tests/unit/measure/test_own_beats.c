/* What beats that are mouse messages make the target do, told apart from what it does itself. */
#include <criterion/criterion.h>

#include <math.h>

#include "tests/unit/measure/scene.h"

#define WM_CLICK 0x0202
#define NEAR_MS 0.001

static struct scene *scene;

static void assert_near(double actual, double expected, const char *what)
{
    cr_assert_leq(fabs(actual - expected), NEAR_MS, "%s: %f instead of %f", what, actual, expected);
}

static void begin(void)
{
    scene = scene_new(100, 50, true);
}

static void end(void)
{
    scene_free(scene);
}

TestSuite(own_beats, .init = begin, .fini = end);

/* The thread rests, and gets beats as mouse messages. */
static void rest_with_mouse_probe(void)
{
    scene_mouse_probe(scene, 0);
    for (uint32_t beat = 0; beat < 50; beat++) {
        double ms = 10.0 * beat + 1;
        scene_control(scene, ms + 0.2, beat + 1);
        scene_sent(scene, ms, beat + 1);
        scene_seen_as_move(scene, ms + 0.3, beat + 1, 0);
        scene_own_move(scene, ms + 0.4);
        scene_drained(scene, ms + 5);
    }
}

static void send_beat(double ms, uint32_t seq)
{
    scene_control(scene, ms + 0.2, seq);
    scene_sent(scene, ms, seq);
}

static size_t freezes(void)
{
    return scene_ends(scene, UM_STATE_FROZEN) + scene_ends(scene, UM_STATE_STARVED);
}

static double own_ms(double at_ms)
{
    struct um_watchdog_view view;
    um_watchdog_view(&scene->watchdog, scene_ns(at_ms), &view);
    return scene_span(view.own_beats_ns);
}

static double last_latency_ms(void)
{
    for (size_t i = scene->said_count; i-- > 0;)
        if (scene->said[i].frame.type == UM_WIRE_BEAT)
            return scene_span(scene->said[i].frame.as.beat.latency_ns);
    return -1;
}

Test(own_beats, a_slow_hit_test_of_a_beat_is_no_freeze_of_the_target)
{
    rest_with_mouse_probe();
    double before_ms = own_ms(500);
    send_beat(510, 90);
    scene_drains(scene, 515, 630);
    cr_assert_eq(scene_present(scene, 630), UM_STATE_FROZEN, "it may be one while it lasts");
    scene_seen_as_move(scene, 632, 90, 0);
    scene_own_move(scene, 635); /* the cursor was set meanwhile */
    cr_assert_eq(freezes(), 0);
    const struct scene_said *own = scene_end(scene, UM_STATE_OWN_BEAT, 0);
    assert_near(scene_ms(own->frame.as.episode.start_ns), 510, "start");
    assert_near(scene_length(own), 122, "length");
    cr_assert_eq(own->frame.as.episode.id,
                 scene_begin(scene, UM_STATE_FROZEN, 0)->frame.as.episode.id,
                 "what looked frozen is this");
    assert_near(own_ms(640) - before_ms, 125, "in all");
    assert_near(last_latency_ms(), 0, "the beat did not wait for the target");
    scene_drains(scene, 640, 700);
    assert_near(scene_state_ms(scene, 700, UM_STATE_OWN_BEAT), 122, "the state");
    assert_near(scene_state_ms(scene, 700, UM_STATE_FROZEN), 0, "frozen");
}

/* The thread came back at 2000, and took the question about the beat first. */
Test(own_beats, a_freeze_before_a_slow_hit_test_is_the_targets)
{
    rest_with_mouse_probe();
    scene_taken(scene, 505, WM_CLICK);
    send_beat(510, 90);
    scene_drains(scene, 515, 1995);
    scene_asked(scene, 535, 2000, 90);
    scene_drains(scene, 2005, 2115);
    scene_seen_as_move(scene, 2120, 90, 0);
    scene_own_move(scene, 2120.1);
    cr_assert_eq(freezes(), 1);
    const struct scene_said *freeze = scene_end(scene, UM_STATE_FROZEN, 0);
    assert_near(scene_ms(freeze->frame.as.episode.start_ns), 505, "start");
    assert_near(scene_length(freeze), 1495, "length");
    cr_assert_eq(freeze->frame.as.episode.message, WM_CLICK);
    assert_near(scene_length(scene_end(scene, UM_STATE_OWN_BEAT, 0)), 120, "the hit test");
    assert_near(last_latency_ms(), 1490, "the beat waited for the target");
}

Test(own_beats, a_slow_message_before_a_quick_hit_test_is_the_targets)
{
    rest_with_mouse_probe();
    scene_taken(scene, 505, WM_CLICK);
    send_beat(510, 90);
    scene_drains(scene, 515, 620);
    scene_asked(scene, 535, 625, 90);
    scene_seen_as_move(scene, 625.2, 90, 0);
    cr_assert_eq(scene_ends(scene, UM_STATE_OWN_BEAT), 0);
    assert_near(scene_length(scene_end(scene, UM_STATE_FROZEN, 0)), 120, "length");
}

/* A message takes 30 ms: too short for a question to have been asked for certain. */
Test(own_beats, what_may_be_a_message_of_the_targets_is_not_ours)
{
    rest_with_mouse_probe();
    double before_ms = own_ms(500);
    scene_taken(scene, 508, WM_CLICK);
    send_beat(510, 90);
    scene_drains(scene, 515, 535);
    scene_seen_as_move(scene, 538, 90, 0);
    assert_near(own_ms(540), before_ms, "in all");
    assert_near(last_latency_ms(), 28, "latency");
}

/* The DLL's worker did not run, so that nobody knows whether the thread would have answered. */
Test(own_beats, without_a_question_a_long_wait_is_the_targets)
{
    rest_with_mouse_probe();
    send_beat(510, 90);
    scene_ticks(scene, 520, 630);
    scene_seen_as_move(scene, 632, 90, 0);
    scene_drained(scene, 633);
    cr_assert_eq(freezes(), 1);
    cr_assert_eq(scene_ends(scene, UM_STATE_OWN_BEAT), 0);
}

Test(own_beats, the_users_own_move_is_not_ours)
{
    rest_with_mouse_probe();
    double before_ms = own_ms(500);
    send_beat(510, 90);
    scene_drains(scene, 515, 630);
    scene_seen_as_move(scene, 632, 90, UM_WIRE_SEEN_MERGED);
    cr_assert_eq(freezes(), 1);
    assert_near(own_ms(640), before_ms, "in all");
}

/* The thread takes a beat as raw input. */
static void answer_raw(double ms, uint32_t seq)
{
    scene_beat(scene, ms);
    scene_seen(scene, ms, seq);
}

/* The thread rests, and has taken a beat as raw input at 510.3. */
static void rest_with_raw_beats(void)
{
    scene_quiet(scene, 1, 500, 1);
    send_beat(510, 90);
    answer_raw(510.3, 90);
}

/* Raw input comes before the move that the system makes of the same beat. */
Test(own_beats, the_move_of_a_beat_of_raw_input_is_ours)
{
    rest_with_raw_beats();
    send_beat(520, 91);
    scene_drains(scene, 525, 640);
    scene_own_move(scene, 642);
    answer_raw(642.3, 91);
    cr_assert_eq(freezes(), 0);
    const struct scene_said *own = scene_end(scene, UM_STATE_OWN_BEAT, 0);
    assert_near(scene_ms(own->frame.as.episode.start_ns), 510.3, "start");
    assert_near(scene_length(own), 131.7, "length");
    assert_near(last_latency_ms(), 0.3, "latency without it");
}

Test(own_beats, a_freeze_after_the_move_of_a_beat_has_its_own_length)
{
    rest_with_raw_beats();
    send_beat(520, 91);
    scene_drains(scene, 525, 640);
    scene_own_move(scene, 642);
    scene_taken(scene, 642.1, WM_CLICK);
    scene_drains(scene, 645, 995);
    answer_raw(1000, 91);
    cr_assert_eq(freezes(), 1);
    const struct um_wire_episode *freeze = &scene_end(scene, UM_STATE_FROZEN, 0)->frame.as.episode;
    cr_assert_eq(freeze->message, WM_CLICK);
    assert_near(scene_span(um_wire_episode_length_ns(freeze)), 357.9, "length");
}

/* A message of the target's own lies between the two, and may have taken the time. */
Test(own_beats, what_a_message_before_the_move_took_is_the_targets)
{
    rest_with_raw_beats();
    scene_taken(scene, 510.4, WM_CLICK);
    send_beat(520, 91);
    scene_drains(scene, 525, 640);
    scene_own_move(scene, 642);
    answer_raw(642.3, 91);
    cr_assert_eq(freezes(), 1);
    cr_assert_eq(scene_ends(scene, UM_STATE_OWN_BEAT), 0);
}
