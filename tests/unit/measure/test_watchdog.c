#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>

#include "base/ns.h"
#include "base/plain/pace.h"
#include "monitor/options/options.h"
#include "monitor/stats/stats.h"
#include "tests/unit/measure/scene.h"

#define WM_CLICK 0x0202
#define WM_KEY 0x0100
#define WM_WORK 0x0400
#define MISSED_MS 0.001
#define SIGN_MS 5.4 /* between two signs of life while a beat is out, and a delivery */

static void assert_near(double actual, double expected, double slack, const char *what)
{
    cr_assert_leq(fabs(actual - expected), slack, "%s: %f instead of %f", what, actual, expected);
}

static struct scene *scene;

static void begin_anew(bool control)
{
    if (scene)
        scene_free(scene);
    scene = scene_new(100, 50, control);
}

static void begin_with_control(void)
{
    begin_anew(true);
}

static void be_quiet_with_control(void)
{
    begin_with_control();
    scene_quiet(scene, 0, 500, 1);
}

/* A beat is sent, and the DLL is alive until then. */
static void send_and_drain(double sent_ms, uint32_t seq, double until_ms)
{
    scene_sent(scene, sent_ms, seq);
    scene_drains(scene, sent_ms + 5, until_ms);
}

static void setup(void)
{
    begin_anew(false);
}

static void teardown(void)
{
    scene_free(scene);
}

TestSuite(watchdog, .init = setup, .fini = teardown);

static struct um_watchdog_view view_at(double ms)
{
    struct um_watchdog_view view;
    um_watchdog_view(&scene->watchdog, scene_ns(ms), &view);
    return view;
}

/* The first episode of this state that ended. */
static const struct um_wire_episode *ended(enum um_state state)
{
    return &scene_end(scene, state, 0)->frame.as.episode;
}

static size_t freezes(void)
{
    return scene_ends(scene, UM_STATE_FROZEN) + scene_ends(scene, UM_STATE_STARVED);
}

Test(watchdog, is_silent_before_the_first_beat)
{
    scene_taken(scene, 5, WM_CLICK);
    scene_drains(scene, 0, 500);
    scene_ticks(scene, 500, 1500);
    struct um_watchdog_view view = view_at(1500);
    cr_assert_eq(view.started_ns, 0);
    cr_assert_eq(view.duration_ns, 0);
    cr_assert_eq(scene->said_count, 0);
}

Test(watchdog, reports_each_beat_of_a_quiet_thread_and_nothing_else)
{
    begin_with_control();
    scene_run(scene, 5000);
    cr_assert_eq(scene_count(scene, UM_WIRE_BEAT), scene->said_count);
    cr_assert_geq(scene->said_count, 499);
    assert_near(scene_span(scene->said[7].frame.as.beat.latency_ns), SCENE_DELIVERY_MS, MISSED_MS,
                "latency");
    scene_stop(scene, 5000);
    assert_near(scene_state_ms(scene, 5000, UM_STATE_RESPONSIVE), 5000, MISSED_MS, "responsive");
}

/* Of the time up to `at_ms`, so much was unknown, and so much responsive. */
static void expect_known(double at_ms, double unknown_ms, double responsive_ms)
{
    assert_near(scene_state_ms(scene, at_ms, UM_STATE_UNKNOWN), unknown_ms, MISSED_MS, "unknown");
    assert_near(scene_state_ms(scene, at_ms, UM_STATE_RESPONSIVE), responsive_ms, MISSED_MS,
                "responsive");
}

Test(watchdog, knows_nothing_before_the_first_answer)
{
    cr_expect_eq(scene_present(scene, 0), UM_STATE_UNKNOWN);
    send_and_drain(0, 1, 25);
    cr_expect_eq(scene_present(scene, 28), UM_STATE_UNKNOWN);
    cr_expect_eq(view_at(28).state_since_ns, scene_ns(0));
    expect_known(28, 28, 0);
    scene_stop(scene, 30);
    cr_expect_eq(scene_present(scene, 30), UM_STATE_UNKNOWN);
    expect_known(30, 30, 0);
    cr_expect_eq(scene->said_count, 0);
}

Test(watchdog, the_first_answer_says_what_came_before_it)
{
    send_and_drain(0, 1, 25);
    scene_seen(scene, 30, 1);
    cr_expect_eq(scene_present(scene, 30), UM_STATE_RESPONSIVE);
    cr_expect_eq(view_at(30).state_since_ns, scene_ns(0));
    expect_known(40, 0, 40);

    begin_anew(false);
    send_and_drain(0, 1, 299);
    cr_expect_eq(scene_present(scene, 299), UM_STATE_FROZEN);
    scene_seen(scene, 300, 1);
    assert_near(scene_state_ms(scene, 310, UM_STATE_FROZEN), 300, MISSED_MS, "frozen");
    expect_known(310, 0, 10);
}

Test(watchdog, a_first_beat_that_is_lost_tells_nothing)
{
    send_and_drain(0, 1, 10);
    send_and_drain(10, 2, 20);
    expect_known(20, 20, 0);
    scene_seen(scene, 22, 2);
    expect_known(25, 10, 15);
    cr_expect_eq(view_at(25).state_since_ns, scene_ns(10));
}

/* As above, for longer than the times are kept that may still change. */
Test(watchdog, knows_nothing_for_as_long_as_beats_are_lost)
{
    for (uint32_t i = 0; i < 800; i++)
        send_and_drain(10 * i, i, 10 * i + 10);
    expect_known(8000, 8000, 0);
    scene_quiet(scene, 8000, 9000, 1000);
    expect_known(9000, 8000, 1000);
}

/* It certainly froze while the first beat waited. What came after that is not known. */
Test(watchdog, a_freeze_before_the_first_answer_is_known)
{
    send_and_drain(0, 1, 300);
    send_and_drain(300, 2, 320);
    assert_near(scene_state_ms(scene, 320, UM_STATE_FROZEN), 300, MISSED_MS, "frozen");
    cr_expect_eq(scene_present(scene, 320), UM_STATE_UNKNOWN);
    expect_known(320, 20, 0);
}

static void pause_beats(void)
{
    scene_probe(scene, 500, UM_PROBE_PAUSED);
}

static void leave_target(void)
{
    scene_probe(scene, 500, UM_PROBE_OFF_TARGET);
}

static void detach(void)
{
    um_watchdog_detached(&scene->watchdog, scene_ns(500));
}

/* After a time without beats, the target may be anything until it answers one. */
Test(watchdog, knows_nothing_after_a_time_without_beats)
{
    static const struct {
        void (*go)(void);
        double from_ms;
        enum um_state state;
        bool is_trial;
    } rows[] = {{pause_beats, 500, UM_STATE_IDLE, true},
                {leave_target, 500, UM_STATE_BLIND, true},
                {detach, 495, UM_STATE_BLIND, false}};
    for (size_t i = 0; i < 2 * sizeof rows / sizeof rows[0]; i++) {
        bool answered = i % 2;
        begin_anew(false);
        scene_quiet(scene, 0, 500, 1);
        rows[i / 2].go();
        scene_drains(scene, 505, 900);
        expect_known(900, 0, rows[i / 2].from_ms);
        cr_expect_eq(scene_present(scene, 900), rows[i / 2].state);
        scene_sent(scene, 910, 90);
        if (rows[i / 2].is_trial)
            scene_probe(scene, 910, UM_PROBE_ACTIVE);
        scene_drains(scene, 915, 930);
        cr_expect_eq(scene_present(scene, 930), UM_STATE_UNKNOWN, "row %zu", i);
        if (answered)
            scene_seen(scene, 935, 90);
        scene_stop(scene, 940);
        assert_near(scene_state_ms(scene, 940, rows[i / 2].state), 910 - rows[i / 2].from_ms,
                    MISSED_MS, "not measured");
        expect_known(940, answered ? 0 : 30, rows[i / 2].from_ms + (answered ? 30 : 0));
    }
}

Test(watchdog, knows_nothing_after_a_sleep_of_the_machine)
{
    scene_quiet(scene, 0, 500, 1); /* its last word is of 495 */
    scene_drains(scene, 5000, 5010);
    cr_expect_eq(scene_present(scene, 5010), UM_STATE_UNKNOWN);
    send_and_drain(5010, 90, 5020);
    assert_near(scene_state_ms(scene, 5020, UM_STATE_BLIND), 4505, MISSED_MS, "blind");
    expect_known(5020, 20, 495);
    scene_seen(scene, 5021, 90);
    expect_known(5030, 10, 515);
}

/* A beat that was out when the pause began tells nothing of what comes after the pause. */
Test(watchdog, knows_nothing_after_a_pause_in_which_a_beat_was_answered)
{
    scene_quiet(scene, 0, 500, 1);
    scene_sent(scene, 500, 80);
    scene_probe(scene, 501, UM_PROBE_PAUSED);
    scene_seen(scene, 502, 80);
    scene_drains(scene, 505, 900);
    scene_sent(scene, 910, 90);
    scene_probe(scene, 910, UM_PROBE_ACTIVE);
    scene_drains(scene, 915, 930);
    expect_known(930, 20, 501);
}

static void check_retrieved(double at_ms, double length_ms, double threshold_ms)
{
    scene_free(scene);
    scene = scene_new(threshold_ms, threshold_ms / 2, true);
    scene_post(scene, at_ms, length_ms, WM_CLICK);
    scene_run(scene, at_ms + length_ms + 200);
    bool counts = length_ms >= threshold_ms;
    cr_assert_eq(scene_ends(scene, UM_STATE_FROZEN), counts, "%f for %f", at_ms, length_ms);
    cr_assert_eq(freezes(), counts);
    cr_assert_eq(scene_voids(scene), 0);
    if (counts) {
        const struct um_wire_frame *frame = &scene_end(scene, UM_STATE_FROZEN, 0)->frame;
        const struct um_wire_episode *episode = &frame->as.episode;
        /* A beat on its way is not there yet when the thread comes back. */
        double slack = SCENE_DELIVERY_MS + MISSED_MS;
        assert_near(scene_ms(episode->start_ns), at_ms, MISSED_MS, "start");
        assert_near(scene_length(scene_end(scene, UM_STATE_FROZEN, 0)), length_ms, slack, "length");
        cr_assert_eq(episode->uncertainty_ns, 0);
        cr_assert(frame->flags & UM_WIRE_EPISODE_HAS_MESSAGE);
        cr_assert_eq(episode->message, WM_CLICK);
        cr_assert_eq(episode->hwnd, 0x1000 + WM_CLICK);
    }
}

Test(watchdog, measures_a_retrieved_freeze_wherever_the_heartbeat_is)
{
    static const double lengths[] = {20, 29.9, 30, 31, 45, 99, 100.5, 101, 150, 300, 777.7, 2000};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        for (double phase = 0.5; phase < 10.5; phase += 0.4) {
            check_retrieved(500 + phase, lengths[i], 30);
            check_retrieved(500 + phase, lengths[i], 100);
        }
    }
}

Test(watchdog, measures_a_retrieved_freeze_amid_other_messages)
{
    srand(11);
    for (int round = 0; round < 60; round++) {
        begin_with_control();
        double freeze_ms = 400 + rand() % 1000 / 50.0;
        for (double ms = 1; ms < 900; ms += 0.2 + rand() % 1000 / 80.0)
            scene_post(scene, ms, 0.05 + rand() % 100 / 500.0, WM_KEY);
        scene_post(scene, freeze_ms, 250, WM_CLICK);
        scene_run(scene, 1000);
        const struct um_wire_episode *episode = ended(UM_STATE_FROZEN);
        assert_near(scene_ms(episode->start_ns), freeze_ms, 0.5, "start");
        assert_near(scene_span(episode->peak_ns), 250, 0.5, "peak");
        cr_assert_eq(episode->message, WM_CLICK);
    }
}

static void check_sent_message(double at_ms, double length_ms)
{
    begin_with_control();
    scene_send(scene, at_ms, length_ms);
    scene_run(scene, at_ms + length_ms + 200);
    const struct um_wire_frame *frame = &scene_end(scene, UM_STATE_FROZEN, 0)->frame;
    double start_ms = scene_ms(frame->as.episode.start_ns);
    double half_ms = scene_span(frame->as.episode.uncertainty_ns) / 2;
    assert_near(start_ms, at_ms, half_ms + MISSED_MS, "true start");
    cr_assert_leq(half_ms * 2, SCENE_PERIOD_MS);
    cr_assert_not(frame->flags & UM_WIRE_EPISODE_HAS_MESSAGE);
    cr_assert_eq(freezes(), 1);
}

Test(watchdog, bounds_the_start_of_a_freeze_by_a_sent_message)
{
    for (double phase = 0; phase < 10; phase += 0.1) {
        check_sent_message(500 + phase, 120);
        check_sent_message(500 + phase, 300);
    }
}

Test(watchdog, starts_after_a_few_quick_messages)
{
    begin_with_control();
    scene_post(scene, 500.1, 0.1, WM_KEY);
    scene_post(scene, 500.2, 0.1, WM_KEY + 1);
    scene_post(scene, 500.3, 300, WM_CLICK);
    scene_run(scene, 1000);
    const struct um_wire_episode *episode = ended(UM_STATE_FROZEN);
    cr_assert_eq(episode->message, WM_CLICK);
    assert_near(scene_ms(episode->start_ns), 500.3, 0.2, "start");
}

Test(watchdog, calls_a_flood_of_messages_starved)
{
    begin_with_control();
    for (int i = 0; i < 1500; i++)
        scene_post(scene, 501 + 0.2 * i, 0.21, WM_WORK);
    scene_run(scene, 1000);
    cr_assert_eq(scene_ends(scene, UM_STATE_FROZEN), 0);
    const struct scene_said *end = scene_end(scene, UM_STATE_STARVED, 0);
    assert_near(scene_length(end), 315, SCENE_PERIOD_MS, "length");
    cr_assert_leq(end->frame.as.episode.peak_ns, 1000000);
    cr_assert_eq(end->frame.as.episode.message, WM_WORK);
}

Test(watchdog, calls_a_row_of_janks_starved_and_blames_the_longest)
{
    begin_with_control();
    scene_post(scene, 503, 40, WM_WORK);
    scene_post(scene, 504, 60, WM_CLICK);
    scene_post(scene, 505, 40, WM_WORK);
    scene_run(scene, 1000);
    const struct um_wire_episode *episode = ended(UM_STATE_STARVED);
    assert_near(scene_ms(episode->start_ns), 503, MISSED_MS, "start");
    assert_near(scene_ms(episode->end_ns), 643, SCENE_DELIVERY_MS, "end");
    assert_near(scene_span(episode->peak_ns), 60, MISSED_MS, "peak");
    cr_assert_eq(episode->message, WM_CLICK);
    cr_assert_eq(scene_count(scene, UM_WIRE_GAP), 3);
}

Test(watchdog, ends_as_frozen_what_it_began_as_starved)
{
    begin_with_control();
    scene_post(scene, 503, 60, WM_WORK);
    scene_post(scene, 504, 60, WM_WORK);
    scene_post(scene, 505, 250, WM_CLICK);
    scene_run(scene, 1200);
    cr_assert_eq(scene_begins(scene, UM_STATE_STARVED), 1);
    cr_assert_eq(scene_ends(scene, UM_STATE_STARVED), 0);
    cr_assert_eq(ended(UM_STATE_FROZEN)->message, WM_CLICK);
}

Test(watchdog, says_slow_in_one_frame)
{
    begin_with_control();
    scene_post(scene, 503, 70, WM_WORK);
    scene_run(scene, 1000);
    const struct scene_said *end = scene_end(scene, UM_STATE_SLOW, 0);
    cr_assert_eq(end->frame.flags,
                 UM_WIRE_EPISODE_BEGIN | UM_WIRE_EPISODE_END | UM_WIRE_EPISODE_HAS_MESSAGE);
    assert_near(scene_length(end), 70, SCENE_DELIVERY_MS, "length");
    assert_near(scene_state_ms(scene, 1000, UM_STATE_SLOW), 70, SCENE_DELIVERY_MS, "state");
}

Test(watchdog, begins_while_the_freeze_lasts)
{
    for (double phase = 0; phase < 10; phase += 0.5) {
        begin_with_control();
        scene_post(scene, 503 + phase, 2000, WM_CLICK);
        scene_run(scene, 1000);
        const struct scene_said *begin = scene_begin(scene, UM_STATE_FROZEN, 0);
        double shown_ms = scene_ms(begin->now_ns) - (503 + phase);
        cr_assert(shown_ms >= 100 && shown_ms <= 105.1, "%f", shown_ms);
        cr_assert_eq(scene_present(scene, 1000), UM_STATE_FROZEN);
        assert_near(scene_state_ms(scene, 1000, UM_STATE_FROZEN), 497 - phase, 5.1, "so far");
        cr_assert_eq(freezes(), 0);
    }
}

Test(watchdog, does_not_begin_for_an_answer_that_is_still_on_its_way)
{
    scene_taken(scene, 0, WM_CLICK);
    scene_sent(scene, 5, 1);
    scene_drained(scene, 95);
    scene_tick(scene, 145); /* the monitor's clock is far on, the DLL's word is not */
    scene_tick(scene, 190);
    cr_assert_eq(scene_begins(scene, UM_STATE_FROZEN), 0);
    scene_seen(scene, 96, 1);
    scene_drained(scene, 190);
    cr_assert_eq(scene_begins(scene, UM_STATE_FROZEN), 0);
    cr_assert_eq(scene_ends(scene, UM_STATE_SLOW), 1);
}

Test(watchdog, cuts_a_suspension_out_of_a_freeze)
{
    begin_with_control();
    scene_post(scene, 503, 300, WM_CLICK);
    scene->sleep_at_ms = 650;
    scene->sleep_ms = 1000;
    scene_run(scene, 1500);
    const struct um_wire_episode *freeze = ended(UM_STATE_FROZEN);
    assert_near(scene_span(freeze->peak_ns), 300, SIGN_MS, "peak");
    assert_near(scene_span(um_wire_episode_length_ns(freeze)), 300, SIGN_MS, "length");
    const struct scene_said *suspended = scene_end(scene, UM_STATE_SUSPENDED, 0);
    assert_near(scene_length(suspended), 1000, 2 * SIGN_MS, "suspended");
    double begun_ms = scene_ms(scene_begin(scene, UM_STATE_SUSPENDED, 0)->now_ns);
    cr_assert(begun_ms > 820 && begun_ms < 880, "%f", begun_ms);
    double cut_ms = scene_length(suspended);
    assert_near(scene_state_ms(scene, 2500, UM_STATE_FROZEN), 1300 - cut_ms, 0.5, "frozen");
    for (size_t i = 0; i < scene->said_count; i++)
        if (scene->said[i].frame.type == UM_WIRE_BEAT)
            cr_assert_leq(scene->said[i].frame.as.beat.latency_ns, 301000000);
}

Test(watchdog, makes_no_freeze_of_a_suspension)
{
    for (double at_ms = 500; at_ms < 510; at_ms += 0.3) {
        begin_with_control();
        scene->sleep_at_ms = at_ms;
        scene->sleep_ms = 700;
        scene_run(scene, 1000);
        cr_assert_eq(freezes(), 0);
        cr_assert_eq(scene_ends(scene, UM_STATE_SUSPENDED), 1);
        assert_near(scene_state_ms(scene, 1700, UM_STATE_SUSPENDED), 700, 10.1, "suspended");
    }
}

Test(watchdog, takes_back_a_suspension_that_was_only_a_slow_pipe)
{
    scene_quiet(scene, 0, 500, 1);
    scene_ticks(scene, 500, 800);
    cr_assert_eq(scene_begins(scene, UM_STATE_SUSPENDED), 1);
    cr_assert_eq(scene_present(scene, 800), UM_STATE_SUSPENDED);
    for (double ms = 510; ms < 800; ms += 50)
        scene_drained(scene, ms);
    cr_assert_eq(scene_voids(scene), 1);
    cr_assert_eq(scene_ends(scene, UM_STATE_SUSPENDED), 0);
}

Test(watchdog, is_not_misled_by_a_late_monitor)
{
    begin_with_control();
    scene_post(scene, 503, 150, WM_CLICK);
    scene->monitor_at_ms = 400;
    scene->monitor_ms = 900;
    scene_run(scene, 2000);
    cr_assert_eq(scene_ends(scene, UM_STATE_SUSPENDED), 0);
    cr_assert_eq(scene_ends(scene, UM_STATE_BLIND), 0);
    cr_assert_eq(freezes(), 1);
    assert_near(scene_length(scene_end(scene, UM_STATE_FROZEN, 0)), 150, SCENE_DELIVERY_MS,
                "length");
}

Test(watchdog, blames_nobody_for_a_sleep_of_the_machine)
{
    begin_with_control();
    scene_post(scene, 503, 300, WM_CLICK);
    scene->sleep_at_ms = 650;
    scene->sleep_ms = 60000;
    scene->monitor_sleeps = true;
    scene_run(scene, 1500);
    cr_assert_eq(scene_ends(scene, UM_STATE_SUSPENDED), 0);
    assert_near(scene_length(scene_end(scene, UM_STATE_BLIND, 0)), 60000, 2 * SIGN_MS, "blind");
    assert_near(scene_span(ended(UM_STATE_FROZEN)->peak_ns), 300, SIGN_MS, "peak");
}

Test(watchdog, is_blind_once_input_overtakes_a_beat)
{
    be_quiet_with_control();
    scene_taken(scene, 502, WM_CLICK); /* opens a loop that leaves WM_INPUT out */
    scene_control(scene, 510.2, 90);
    send_and_drain(510, 90, 700);
    cr_assert_eq(scene_begins(scene, UM_STATE_FROZEN), 1);
    scene_input(scene, 701, WM_KEY, 0);
    cr_assert_eq(scene->abandoned_count, 1);
    cr_assert_eq(scene->abandoned[0], 90);
    cr_assert_eq(scene_present(scene, 702), UM_STATE_BLIND);
    scene_control(scene, 710.2, 91);
    send_and_drain(710, 91, 1000);
    cr_assert_eq(scene->abandoned_count, 2, "each new beat is given up after 250 ms");
    scene_control(scene, 1010.2, 92);
    scene_sent(scene, 1010, 92);
    scene_drains(scene, 1010, 1100);
    size_t beats = scene_count(scene, UM_WIRE_BEAT);
    scene_seen(scene, 1105, 92);
    cr_assert_eq(scene_count(scene, UM_WIRE_BEAT), beats, "its wait was no latency");
    const struct scene_said *end = scene_end(scene, UM_STATE_BLIND, 0);
    cr_assert_eq(end->frame.as.episode.id,
                 scene_begin(scene, UM_STATE_FROZEN, 0)->frame.as.episode.id);
    assert_near(scene_ms(end->frame.as.episode.start_ns), 502, MISSED_MS, "start");
    assert_near(scene_ms(end->frame.as.episode.end_ns), 1105, MISSED_MS, "end");
    cr_assert_eq(freezes(), 0);
}

Test(watchdog, takes_no_evidence_from_input_that_arrived_before_the_beat)
{
    scene_quiet(scene, 0, 500, 1);
    scene_taken(scene, 502, WM_CLICK);
    send_and_drain(510, 90, 800);
    scene_input(scene, 801, WM_KEY, 295); /* arrived 4 ms before the beat */
    scene_input(scene, 802, WM_KEY, 262); /* 30 ms after, within the steps of message times */
    scene_input(scene, 803, WM_KEY, UM_WIRE_AGE_UNKNOWN);
    scene_seen(scene, 804, 90);
    cr_assert_eq(scene->abandoned_count, 0);
    cr_assert_eq(scene_ends(scene, UM_STATE_BLIND), 0);
    cr_assert_eq(scene_ends(scene, UM_STATE_FROZEN), 1);
}

Test(watchdog, calls_a_loop_frozen_that_leaves_all_input_out)
{
    be_quiet_with_control();
    scene_taken(scene, 502, WM_CLICK);
    scene_control(scene, 510.2, 90);
    scene_sent(scene, 510, 90);
    for (double ms = 515; ms < 1500; ms += 5) {
        scene_taken(scene, ms, WM_WORK);
        scene_drained(scene, ms + 1);
    }
    scene_seen(scene, 1501, 90);
    cr_assert_eq(freezes(), 1);
    cr_assert_eq(scene_ends(scene, UM_STATE_BLIND), 0);
}

Test(watchdog, is_blind_if_the_control_does_not_see_the_beat_either)
{
    be_quiet_with_control();
    send_and_drain(500, 90, 655);
    cr_assert_eq(scene_present(scene, 655), UM_STATE_BLIND);
    cr_assert_eq(scene_begins(scene, UM_STATE_FROZEN), 0);
    scene_drains(scene, 660, 1600);
    cr_assert_eq(scene->abandoned_count, 1);
    scene_quiet(scene, 1610, 1700, 91);
    const struct um_wire_episode *blind = ended(UM_STATE_BLIND);
    assert_near(scene_ms(blind->start_ns), 500, MISSED_MS, "start");
    assert_near(scene_ms(blind->end_ns), 1610, MISSED_MS, "end");
    cr_assert_eq(freezes(), 0);
}

Test(watchdog, gives_up_the_later_ones_of_many_unseen_beats_sooner)
{
    be_quiet_with_control();
    send_and_drain(500, 90, 1510);
    cr_assert_eq(scene->abandoned_count, 1);
    send_and_drain(1515, 91, 1740);
    cr_assert_eq(scene->abandoned_count, 1);
    scene_drains(scene, 1745, 1820);
    cr_assert_eq(scene->abandoned_count, 2);
    cr_assert_eq(scene_begins(scene, UM_STATE_BLIND), 1);
    cr_assert_eq(freezes(), 0);
}

/* A pair: the control sees both movements, the second one even after the beat was answered. */
Test(watchdog, a_beat_that_the_control_sees_twice_is_one_beat)
{
    be_quiet_with_control();
    scene_sent(scene, 500, 90);
    scene_control(scene, 500.2, 90);
    scene_control(scene, 500.3, 90);
    scene_seen(scene, 501, 90);
    scene_control(scene, 501.2, 90);
    scene_drains(scene, 505, 510);
    scene_quiet(scene, 510, 700, 91);
    cr_assert_eq(scene->watchdog.lost, 0);
    cr_assert_eq(scene_begins(scene, UM_STATE_BLIND), 0);
    cr_assert_eq(freezes(), 0);
}

Test(watchdog, believes_the_target_over_the_control)
{
    be_quiet_with_control();
    scene_taken(scene, 498, WM_CLICK);
    send_and_drain(500, 90, 700);
    cr_assert_eq(scene_begins(scene, UM_STATE_BLIND), 1);
    scene_seen(scene, 702, 90);
    cr_assert_eq(scene_ends(scene, UM_STATE_BLIND), 0);
    cr_assert_eq(scene_voids(scene), 1);
    assert_near(scene_length(scene_end(scene, UM_STATE_FROZEN, 0)), 204, MISSED_MS, "length");
}

Test(watchdog, is_frozen_when_the_control_sees_the_beat_late)
{
    be_quiet_with_control();
    scene_taken(scene, 498, WM_CLICK);
    send_and_drain(500, 90, 700);
    cr_assert_eq(scene_present(scene, 700), UM_STATE_BLIND);
    scene_control(scene, 705, 90);
    scene_drains(scene, 705, 720);
    cr_assert_eq(scene_present(scene, 720), UM_STATE_FROZEN);
}

Test(watchdog, is_blind_while_the_cursor_is_off_the_target)
{
    be_quiet_with_control();
    scene_sent(scene, 500, 90);
    scene_probe(scene, 505, UM_PROBE_OFF_TARGET);
    scene_drains(scene, 510, 2000);
    cr_assert_eq(scene_present(scene, 2000), UM_STATE_BLIND);
    scene_probe(scene, 2003, UM_PROBE_ACTIVE);
    scene_quiet(scene, 2005, 2500, 91);
    cr_assert_eq(freezes(), 0);
    assert_near(scene_length(scene_end(scene, UM_STATE_BLIND, 0)), 1503, MISSED_MS, "blind");
}

static void use_probe(double ms, enum um_probe probe, enum um_probe_status status,
                      enum um_probe_reason reason)
{
    struct um_wire_frame frame = {.type = UM_WIRE_PROBE};
    frame.as.probe = (struct um_wire_probe){.time_ns = scene_ns(ms),
                                            .probe = (uint8_t)probe,
                                            .status = (uint8_t)status,
                                            .reason = (uint16_t)reason};
    scene->now_ns = scene_ns(ms);
    um_watchdog_frame(&scene->watchdog, &frame, scene->now_ns);
}

static void check_switch(double at_ms, enum um_probe probe, enum um_probe_status status,
                         enum um_probe_reason reason)
{
    begin_anew(false);
    use_probe(0, UM_PROBE_RAW, UM_PROBE_ACTIVE, UM_PROBE_REASON_DEFAULT);
    scene_quiet(scene, 0, 500, 1);
    send_and_drain(500, 90, at_ms - 3);
    use_probe(at_ms, probe, status, reason);
    scene_quiet(scene, at_ms + 8, at_ms + 300, 91);
    scene_stop(scene, at_ms + 300);
    cr_assert_eq(freezes() + scene_ends(scene, UM_STATE_SLOW), 0, "at %f", at_ms);
    cr_assert_eq(scene_ends(scene, UM_STATE_BLIND), 1);
    const struct um_wire_episode *blind = ended(UM_STATE_BLIND);
    double end_ms = status == UM_PROBE_ACTIVE ? at_ms : at_ms + 8 + SCENE_DELIVERY_MS;
    assert_near(scene_ms(blind->start_ns), 500, MISSED_MS, "start");
    cr_assert_leq(scene_ms(blind->end_ns), end_ms + MISSED_MS, "end");
    cr_assert_geq(scene_ms(blind->end_ns), at_ms - MISSED_MS, "end");
    cr_assert_eq(view_at(at_ms + 300).beats_lost, 1);
}

Test(watchdog, drops_a_beat_that_was_out_when_the_probe_changed)
{
    for (double ms = 510; ms < 800; ms += 30) {
        check_switch(ms, UM_PROBE_MOUSE, UM_PROBE_ACTIVE, UM_PROBE_REASON_TARGET_RAW);
        check_switch(ms, UM_PROBE_RAW, UM_PROBE_ACTIVE, UM_PROBE_REASON_ASKED);
        check_switch(ms, UM_PROBE_RAW, UM_PROBE_ACTIVE, UM_PROBE_REASON_DEFAULT);
        check_switch(ms, UM_PROBE_RAW, UM_PROBE_REFUSED, UM_PROBE_REASON_TARGET_RAW);
    }
}

Test(watchdog, begins_anew_when_a_freeze_outlasts_a_change_of_probe)
{
    use_probe(0, UM_PROBE_RAW, UM_PROBE_ACTIVE, UM_PROBE_REASON_DEFAULT);
    scene_quiet(scene, 0, 500, 1);
    send_and_drain(500, 90, 700);
    use_probe(702, UM_PROBE_MOUSE, UM_PROBE_ACTIVE, UM_PROBE_REASON_ASKED);
    send_and_drain(710, 91, 1000);
    scene_seen(scene, 1001, 91);
    assert_near(scene_length(scene_end(scene, UM_STATE_BLIND, 0)), 202, MISSED_MS, "blind");
    assert_near(scene_ms(ended(UM_STATE_FROZEN)->start_ns), 706, 4.1, "start");
}

Test(watchdog, drops_a_beat_that_was_out_when_the_cursor_left)
{
    for (double ms = 505; ms < 600; ms += 8) {
        begin_anew(false);
        scene_quiet(scene, 0, 500, 1);
        scene_sent(scene, 500, 90);
        scene_drains(scene, 503, ms - 1);
        scene_probe(scene, ms, UM_PROBE_OFF_TARGET);
        scene_drains(scene, ms + 1, 900);
        scene_stop(scene, 900);
        cr_assert_eq(freezes() + scene_ends(scene, UM_STATE_SLOW), 0, "at %f", ms);
        cr_assert_eq(scene_ends(scene, UM_STATE_BLIND), 1);
        assert_near(scene_length(scene_end(scene, UM_STATE_BLIND, 0)), 400, MISSED_MS, "blind");
        cr_assert_eq(view_at(900).beats_lost, 1);
    }
}

Test(watchdog, keeps_a_freeze_that_had_begun_when_the_cursor_left)
{
    scene_quiet(scene, 0, 500, 1);
    scene_taken(scene, 495, WM_CLICK);
    send_and_drain(500, 90, 700);
    scene_probe(scene, 704, UM_PROBE_OFF_TARGET);
    scene_drains(scene, 705, 900);
    scene_stop(scene, 900);
    assert_near(scene_length(scene_end(scene, UM_STATE_FROZEN, 0)), 209, MISSED_MS, "freeze");
    assert_near(scene_length(scene_end(scene, UM_STATE_BLIND, 0)), 196, MISSED_MS, "blind");
    cr_assert_eq(scene_voids(scene), 0);
    cr_assert_eq(view_at(900).beats_lost, 1);
}

/* Pings have no answer, and the target's thread may be well. */
static void fall_silent(double ms, enum um_probe_held held)
{
    struct um_wire_frame frame = {.type = UM_WIRE_PROBE,
                                  .as.probe = {.time_ns = scene_ns(ms),
                                               .probe = UM_PROBE_PING,
                                               .status = UM_PROBE_OFF_TARGET,
                                               .reason = UM_PROBE_REASON_DEFAULT,
                                               .held = (uint8_t)held}};
    scene->now_ns = um_ns_max(scene->now_ns, scene_ns(ms));
    um_watchdog_frame(&scene->watchdog, &frame, scene->now_ns);
}

static void freeze_and_fall_silent(void)
{
    use_probe(0, UM_PROBE_PING, UM_PROBE_ACTIVE, UM_PROBE_REASON_DEFAULT);
    scene_quiet(scene, 0, 500, 1);
    send_and_drain(500, 90, 1495);
    cr_assert_eq(scene_present(scene, 1495), UM_STATE_FROZEN);
    fall_silent(1500, UM_PROBE_HELD_NO_ANSWER);
    scene_drains(scene, 1505, 2995);
}

Test(watchdog, a_freeze_turns_out_to_be_blind_when_nothing_shows_that_the_thread_is_away)
{
    freeze_and_fall_silent();
    cr_assert_eq(scene_present(scene, 2995), UM_STATE_BLIND);
    scene_stop(scene, 3000);
    cr_assert_eq(freezes(), 0);
    assert_near(scene_length(scene_end(scene, UM_STATE_BLIND, 0)), 2500, MISSED_MS, "blind");
    cr_assert_eq(view_at(3000).blind_was_by, UINT32_C(1) << UM_PROBE_HELD_NO_ANSWER);
}

Test(watchdog, a_silent_thread_that_answers_its_beat_was_away)
{
    freeze_and_fall_silent();
    scene_seen(scene, 3000, 90);
    use_probe(3000, UM_PROBE_PING, UM_PROBE_ACTIVE, UM_PROBE_REASON_DEFAULT);
    scene_quiet(scene, 3010, 3500, 91);
    scene_stop(scene, 3500);
    cr_assert_eq(freezes(), 1);
    cr_assert_eq(scene_ends(scene, UM_STATE_BLIND), 0);
    struct um_watchdog_view view = view_at(3500);
    assert_near((double)view.state_ns[UM_STATE_FROZEN] / 1e6, 2505, 10, "frozen");
    cr_assert_eq(view.state_ns[UM_STATE_BLIND], 0);
    cr_assert_eq(view.blind_was_by, 0);
    cr_assert_eq(view.beats_sent, view.beats_seen);
}

Test(watchdog, a_silent_thread_that_answers_something_else_was_not_measured)
{
    freeze_and_fall_silent();
    use_probe(3000, UM_PROBE_PING, UM_PROBE_ACTIVE, UM_PROBE_REASON_DEFAULT);
    scene_quiet(scene, 3010, 3500, 91);
    scene_stop(scene, 3500);
    cr_assert_eq(freezes(), 0);
    assert_near(scene_length(scene_end(scene, UM_STATE_BLIND, 0)), 2500, MISSED_MS, "blind");
    assert_near((double)view_at(3500).state_ns[UM_STATE_BLIND] / 1e6, 2500, MISSED_MS, "blind");
}

/* The source tells a trial late, with the times at which it was. */
Test(watchdog, a_thread_that_was_away_when_the_session_began_is_frozen_from_the_first_beat)
{
    scene_drains(scene, 95, 95);
    scene->now_ns = scene_ns(100);
    fall_silent(0, UM_PROBE_HELD_NO_ANSWER_YET);
    scene_sent(scene, 0, 90);
    scene_drains(scene, 105, 795);
    cr_assert_eq(scene_present(scene, 795), UM_STATE_BLIND);
    scene_seen(scene, 800, 90);
    scene_stop(scene, 805);
    cr_assert_eq(freezes(), 1);
    assert_near(scene_length(scene_end(scene, UM_STATE_FROZEN, 0)), 800, MISSED_MS, "length");
    cr_assert_eq(view_at(805).state_ns[UM_STATE_BLIND], 0);
}

/* The last frame published that is a BEAT. */
static const struct um_wire_frame *last_beat(void)
{
    const struct um_wire_frame *last = NULL;
    for (size_t i = 0; i < scene->said_count; i++) {
        const struct um_wire_frame *frame = &scene->said[i].frame;
        last = frame->type == UM_WIRE_BEAT ? frame : last;
    }
    return last;
}

enum parting { STOPPED, DETACHED, REPLACED, OFF_TARGET };

static void check_at_least(enum parting parting, uint64_t lost)
{
    begin_anew(false);
    scene_quiet(scene, 0, 500, 1);
    send_and_drain(500, 90, 1500);
    if (parting == STOPPED)
        scene_stop(scene, 1502);
    else if (parting == DETACHED)
        um_watchdog_detached(&scene->watchdog, scene_ns(1502));
    else if (parting == REPLACED)
        scene_sent(scene, 1502, 91);
    else
        scene_probe(scene, 1502, UM_PROBE_OFF_TARGET);
    const struct um_wire_frame *beat = last_beat();
    cr_assert_eq(beat->flags, UM_WIRE_BEAT_AT_LEAST, "parting %d", (int)parting);
    cr_assert_eq(beat->as.beat.seq, 90);
    assert_near(scene_ms(beat->as.beat.sent_ns), 500, MISSED_MS, "sent");
    assert_near(scene_span(beat->as.beat.latency_ns), 1000, MISSED_MS, "until the last DRAINED");
    cr_assert_eq(scene_count(scene, UM_WIRE_BEAT), 51);
    cr_assert_eq(view_at(1502).beats_seen, 50);
    cr_assert_eq(view_at(1502).beats_lost, lost);
}

Test(watchdog, says_how_long_a_beat_waited_that_was_never_answered)
{
    check_at_least(STOPPED, 0);
    check_at_least(DETACHED, 1);
    check_at_least(REPLACED, 1);
    check_at_least(OFF_TARGET, 1);
}

Test(watchdog, says_no_latency_of_an_unanswered_beat_that_froze_nobody)
{
    scene_quiet(scene, 0, 500, 1);
    send_and_drain(500, 90, 590);
    scene_stop(scene, 590);
    cr_assert_eq(scene_ends(scene, UM_STATE_SLOW), 1);
    cr_assert_eq(scene_count(scene, UM_WIRE_BEAT), 50);
}

Test(watchdog, is_blind_in_a_silence_that_the_session_ends_in)
{
    static const double silences[] = {200, 24000, 28800000};
    for (size_t i = 0; i < sizeof silences / sizeof silences[0]; i++) {
        begin_anew(false);
        scene_quiet(scene, 0, 500, 1); /* its last word is of 495 */
        double stop_ms = 495 + silences[i];
        scene_stop(scene, stop_ms);
        const struct scene_said *end = scene_end(scene, UM_STATE_BLIND, 0);
        cr_assert_eq(end->frame.flags, UM_WIRE_EPISODE_END | UM_WIRE_EPISODE_OPEN);
        assert_near(scene_state_ms(scene, stop_ms, UM_STATE_BLIND), silences[i], 0.01, "blind");
        cr_expect_eq(view_at(stop_ms).blind_was_by, UINT32_C(1) << UM_PROBE_HELD_LATE);
        assert_near(scene_state_ms(scene, stop_ms, UM_STATE_RESPONSIVE), 495, 0.01, "responsive");
        cr_assert_eq(scene_present(scene, stop_ms), UM_STATE_BLIND);
    }
}

Test(watchdog, ends_a_freeze_where_the_silence_begins_that_the_session_ends_in)
{
    scene_quiet(scene, 0, 500, 1);
    scene_taken(scene, 498, WM_CLICK);
    send_and_drain(500, 90, 800);
    scene_stop(scene, 24800);
    assert_near(scene_length(scene_end(scene, UM_STATE_FROZEN, 0)), 302, MISSED_MS, "freeze");
    assert_near(scene_state_ms(scene, 24800, UM_STATE_BLIND), 24000, 0.01, "blind");
}

Test(watchdog, remembers_what_the_control_saw_amid_beats_of_other_monitors)
{
    be_quiet_with_control();
    scene_control(scene, 500.2, 90);
    for (uint32_t other = 0; other < 63; other++)
        scene_control(scene, 500.3, 7000 + other);
    send_and_drain(500, 90, 800);
    cr_assert_eq(scene_begins(scene, UM_STATE_BLIND), 0);
    cr_assert_eq(scene_begins(scene, UM_STATE_FROZEN), 1);
}

Test(watchdog, is_blind_until_the_other_probe_is_answered)
{
    begin_with_control();
    struct um_wire_frame frame = {.type = UM_WIRE_PROBE};
    scene_quiet(scene, 0, 500, 1);
    scene_probe(scene, 500, UM_PROBE_OFF_TARGET);
    scene_drains(scene, 505, 1500);
    frame.as.probe = (struct um_wire_probe){.time_ns = scene_ns(1502),
                                            .probe = UM_PROBE_RAW,
                                            .status = UM_PROBE_ACTIVE,
                                            .reason = UM_PROBE_REASON_BLIND};
    um_watchdog_frame(&scene->watchdog, &frame, scene_ns(1502));
    scene->now_ns = scene_ns(1502);
    scene_control(scene, 1510.2, 90);
    send_and_drain(1510, 90, 2000);
    cr_assert_eq(scene_present(scene, 2000), UM_STATE_BLIND);
    scene_quiet(scene, 2010, 2500, 91);
    cr_assert_eq(scene_present(scene, 2500), UM_STATE_RESPONSIVE);
    cr_assert_eq(scene_begins(scene, UM_STATE_FROZEN), 0);
    cr_assert_eq(scene_ends(scene, UM_STATE_BLIND), 1);
}

Test(watchdog, forgets_a_beat_that_the_system_refused)
{
    be_quiet_with_control();
    for (double ms = 500; ms < 1500; ms += 10) { /* it keeps trying */
        scene_sent(scene, ms, (uint32_t)ms);
        if (ms == 500)
            scene_probe(scene, ms + 0.1, UM_PROBE_REFUSED);
        scene_drained(scene, ms + 5);
        scene_tick(scene, ms + 5);
    }
    scene_sent(scene, 1500, 1500);
    scene_probe(scene, 1500.1, UM_PROBE_ACTIVE);
    scene_seen(scene, 1500.4, 1500);
    struct um_watchdog_view view = view_at(scene_ms(scene->now_ns));
    cr_assert_eq(view.beats_sent, 51);
    cr_assert_eq(view.beats_seen, 51);
    cr_assert_eq(view.beats_lost, 0);
    assert_near(scene_length(scene_end(scene, UM_STATE_BLIND, 0)), 1000, MISSED_MS, "blind");
}

Test(watchdog, is_idle_while_the_beats_pause)
{
    be_quiet_with_control();
    scene_probe(scene, 500, UM_PROBE_PAUSED);
    for (double ms = 500; ms < 9000; ms += 50) {
        scene_drained(scene, ms);
        scene_tick(scene, ms);
    }
    cr_assert_eq(scene_present(scene, 9000), UM_STATE_IDLE);
    assert_near(scene_state_ms(scene, 9000, UM_STATE_IDLE), 8500, MISSED_MS, "so far");
    scene_probe(scene, 9000, UM_PROBE_ACTIVE);
    scene_quiet(scene, 9002, 9500, 91);
    assert_near(scene_length(scene_end(scene, UM_STATE_IDLE, 0)), 8500, MISSED_MS, "idle");
    cr_assert_eq(freezes(), 0);
}

Test(watchdog, starts_with_a_probe_that_cannot)
{
    begin_with_control();
    scene_drains(scene, 0, 100);
    scene_probe(scene, 100, UM_PROBE_OFF_TARGET);
    scene_drains(scene, 105, 600);
    scene_stop(scene, 600);
    assert_near(scene_state_ms(scene, 600, UM_STATE_BLIND), 500, MISSED_MS, "blind");
    const struct scene_said *end = scene_end(scene, UM_STATE_BLIND, 0);
    cr_assert_eq(end->frame.flags, UM_WIRE_EPISODE_END | UM_WIRE_EPISODE_OPEN);
}

/* What the DLL does then is not known; that it measures as before is not. */
Test(watchdog, is_blind_while_a_probe_is_in_a_state_of_a_later_version)
{
    be_quiet_with_control();
    scene_probe(scene, 520, UM_WIRE_UNKNOWN);
    scene_drains(scene, 525, 1000);
    cr_expect_eq(scene_present(scene, 1000), UM_STATE_BLIND);
    scene_probe(scene, 1000, UM_PROBE_ACTIVE);
    scene_quiet(scene, 1005, 1500, 60);
    const struct um_wire_episode *blind = ended(UM_STATE_BLIND);
    assert_near(scene_ms(blind->start_ns), 520, MISSED_MS, "its begin");
    assert_near(scene_ms(blind->end_ns), 1000, MISSED_MS, "its end");
}

Test(watchdog, is_blind_from_detach_to_the_next_beat)
{
    be_quiet_with_control();
    um_watchdog_detached(&scene->watchdog, scene_ns(520));
    scene_ticks(scene, 550, 3000);
    cr_assert_eq(scene_present(scene, 3000), UM_STATE_BLIND);
    scene_drains(scene, 3000, 3100);
    scene_quiet(scene, 3105, 3500, 5);
    cr_assert_eq(scene_ends(scene, UM_STATE_SUSPENDED), 0);
    const struct um_wire_episode *blind = ended(UM_STATE_BLIND);
    assert_near(scene_ms(blind->start_ns), 495, MISSED_MS, "known until the last sign of life");
    assert_near(scene_ms(blind->end_ns), 3105, MISSED_MS, "end");
}

Test(watchdog, ends_a_freeze_at_the_last_thing_known_when_detached)
{
    scene_quiet(scene, 0, 500, 1);
    scene_taken(scene, 502, WM_CLICK);
    send_and_drain(510, 90, 800);
    um_watchdog_detached(&scene->watchdog, scene_ns(803));
    assert_near(scene_length(scene_end(scene, UM_STATE_FROZEN, 0)), 298, MISSED_MS, "length");
}

Test(watchdog, makes_no_freeze_of_a_lost_answer)
{
    scene_quiet(scene, 0, 500, 1);
    scene_sent(scene, 500, 90);
    scene->lost = 3; /* the SEEN was one of them, and so was the next SENT */
    scene_drained(scene, 505);
    scene_sent(scene, 520, 92);
    scene_seen(scene, 520.4, 92);
    scene_quiet(scene, 530, 700, 93);
    struct um_watchdog_view view = view_at(700);
    cr_assert_eq(view.beats_lost, 1);
    cr_assert_eq(view.records_lost, 3);
    cr_assert_eq(scene_count(scene, UM_WIRE_EPISODE), 0);
}

Test(watchdog, is_blind_where_lost_records_leave_a_hole)
{
    scene_quiet(scene, 0, 500, 1);
    scene_taken(scene, 502, WM_CLICK);
    send_and_drain(510, 90, 700);
    cr_assert_eq(scene_begins(scene, UM_STATE_FROZEN), 1);
    scene->lost = 5;
    scene_drains(scene, 705, 710);
    scene_quiet(scene, 720, 900, 93);
    cr_assert_eq(freezes(), 0);
    assert_near(scene_length(scene_end(scene, UM_STATE_BLIND, 0)), 210, MISSED_MS, "blind");
}

Test(watchdog, keeps_a_freeze_whose_answer_came_in_spite_of_losses)
{
    scene_quiet(scene, 0, 500, 1);
    scene_sent(scene, 510, 90);
    scene->lost = 500;
    scene_drains(scene, 515, 700);
    scene_seen(scene, 701, 90);
    const struct scene_said *end = scene_end(scene, UM_STATE_STARVED, 0);
    assert_near(scene_length(end), 191, MISSED_MS, "length");
    cr_assert_eq(end->frame.as.episode.peak_ns, 0);
    cr_assert_not(end->frame.flags & UM_WIRE_EPISODE_HAS_MESSAGE);
}

Test(watchdog, leaves_open_what_lasts_when_the_session_ends)
{
    begin_with_control();
    scene_post(scene, 503, 2000, WM_CLICK);
    scene_run(scene, 1000);
    scene_stop(scene, 1002);
    const struct scene_said *end = scene_end(scene, UM_STATE_FROZEN, 0);
    cr_assert(end->frame.flags & UM_WIRE_EPISODE_OPEN);
    assert_near(scene_length(end), 499, MISSED_MS, "length");
    assert_near(scene_state_ms(scene, 1002, UM_STATE_FROZEN), 499, MISSED_MS, "state");
    struct um_watchdog_view view;
    um_watchdog_view(&scene->watchdog, 0, &view);
    cr_assert_eq(view.beats_lost, 0);
    cr_assert_eq(view.beats_sent, view.beats_seen + 1);
}

Test(watchdog, does_not_mind_that_sequence_numbers_wrap)
{
    begin_with_control();
    scene_quiet(scene, 0, 200, (1U << 19) - 5);
    scene_quiet(scene, 200, 400, 0);
    struct um_watchdog_view view = view_at(scene_ms(scene->now_ns));
    cr_assert_eq(view.beats_seen, 40);
    cr_assert_eq(view.beats_lost, 0);
}

/* A loop that looks at its queue many times before it takes a message answers no beat meanwhile,
 * and a posted message overtakes the beat: the freeze is that message's all the same. */
Test(watchdog, starts_at_the_message_behind_a_few_ms_of_looking)
{
    scene_quiet(scene, 0, 500, 1);
    scene_sent(scene, 510, 90);
    scene_taken(scene, 513, WM_CLICK);
    scene_drains(scene, 515, 660);
    scene_seen(scene, 663, 90);
    const struct um_wire_episode *episode = ended(UM_STATE_FROZEN);
    assert_near(scene_ms(episode->start_ns), 513, MISSED_MS, "start");
    assert_near(scene_span(um_wire_episode_length_ns(episode)), 150, MISSED_MS, "length");
    cr_assert_eq(episode->uncertainty_ns, 0);
    cr_assert_eq(episode->message, WM_CLICK);
}

Test(watchdog, takes_a_retrieval_that_comes_after_the_drained)
{
    scene_quiet(scene, 0, 500, 1);
    scene_sent(scene, 510, 90);
    scene_drained(scene, 515);
    scene_taken(scene, 509.9, WM_CLICK); /* its thread was preempted before the push */
    scene_drains(scene, 520, 700);
    scene_seen(scene, 701, 90);
    const struct um_wire_episode *episode = ended(UM_STATE_FROZEN);
    assert_near(scene_ms(episode->start_ns), 509.9, MISSED_MS, "start");
    cr_assert_eq(episode->message, WM_CLICK);
}

Test(watchdog, takes_an_answer_that_comes_before_its_beat)
{
    scene_quiet(scene, 0, 500, 1);
    scene_seen(scene, 500.4, 90);
    send_and_drain(500, 90, 900);
    cr_assert_eq(scene_count(scene, UM_WIRE_BEAT), 51);
    cr_assert_eq(scene_count(scene, UM_WIRE_EPISODE), 0);
}

Test(watchdog, says_no_gap_of_an_idle_thread)
{
    begin_with_control();
    scene_post(scene, 503, 0.1, WM_KEY);
    scene_post(scene, 703, 12, WM_CLICK);
    scene_run(scene, 1000);
    cr_assert_eq(scene_count(scene, UM_WIRE_GAP), 1);
    for (size_t i = 0; i < scene->said_count; i++) {
        const struct um_wire_frame *frame = &scene->said[i].frame;
        if (frame->type == UM_WIRE_GAP) {
            assert_near(scene_ms(frame->as.gap.start_ns), 703, MISSED_MS, "start");
            assert_near(scene_span(frame->as.gap.length_ns), 12, SCENE_DELIVERY_MS, "length");
            cr_assert_eq(frame->as.gap.message, WM_CLICK);
        }
    }
}

Test(watchdog, shows_the_age_of_an_unanswered_beat_as_lag)
{
    struct um_watchdog_view view;
    scene_quiet(scene, 0, 500, 1);
    um_watchdog_view(&scene->watchdog, scene->now_ns, &view);
    cr_assert_eq(view.waited_ns, 0);
    send_and_drain(500, 90, 580);
    um_watchdog_view(&scene->watchdog, scene_ns(584), &view);
    assert_near(scene_span(view.waited_ns), 80, MISSED_MS, "age at the last DRAINED");
    cr_assert_eq(view.state, UM_STATE_SLOW);
}

Test(watchdog, asks_for_a_tick_within_50_ms_and_when_silence_counts)
{
    scene_quiet(scene, 0, 500, 1);
    for (double ms = 496; ms < 1000; ms += 7) {
        uint64_t due_ns = um_watchdog_deadline(&scene->watchdog, scene_ns(ms));
        cr_assert(due_ns > scene_ns(ms) && due_ns <= scene_ns(ms + 50));
    }
    uint64_t due_ns = um_watchdog_deadline(&scene->watchdog, scene_ns(640));
    assert_near(scene_ms(due_ns), 495 + 175, MISSED_MS, "silence");
}

/* Markers -------------------------------------------------------------------------------------- */

Test(watchdog, a_marker_does_not_answer_a_beat)
{
    scene_quiet(scene, 0, 100, 1);
    size_t beats = scene_count(scene, UM_WIRE_BEAT);
    scene_sent(scene, 105, 50);
    scene_marker(scene, 106);
    scene_drains(scene, 107, 120);
    cr_assert_eq(scene_count(scene, UM_WIRE_BEAT), beats);
    struct um_watchdog_view view = view_at(120);
    assert_near(scene_span(view.waited_ns), 12, MISSED_MS, "age at the last DRAINED");
    scene_seen(scene, 121, 50);
    cr_assert_eq(scene_count(scene, UM_WIRE_BEAT), beats + 1);
}

/* The marker is taken when the message has been dealt with, so the message is not to blame for what
 * comes after it: a sent message or an idle-time handler. */
Test(watchdog, a_marker_before_a_freeze_clears_the_message_before_it)
{
    scene_quiet(scene, 0, 100, 1);
    scene_taken(scene, 101, WM_KEY);
    scene_marker(scene, 102);
    scene_sent(scene, 105, 50);
    scene_drains(scene, 106, 405);
    scene_beat(scene, 406);
    scene_seen(scene, 406, 50);
    const struct um_wire_frame *frame = &scene_end(scene, UM_STATE_FROZEN, 0)->frame;
    cr_expect(!(frame->flags & UM_WIRE_EPISODE_HAS_MESSAGE));
    double start_ms = scene_ms(frame->as.episode.start_ns);
    double half_ms = scene_span(frame->as.episode.uncertainty_ns) / 2;
    cr_expect(start_ms - half_ms <= 102.001 && start_ms + half_ms >= 105, "%g +- %g", start_ms,
              half_ms);
}

Test(watchdog, a_marker_after_the_suspect_ends_its_gap)
{
    scene_quiet(scene, 0, 100, 1);
    scene_taken(scene, 101, WM_KEY);
    scene_sent(scene, 105, 50);
    scene_drains(scene, 106, 300);
    scene_marker(scene, 301); /* posted messages come before input */
    scene_beat(scene, 301.2);
    scene_seen(scene, 301.2, 50);
    const struct um_wire_frame *frame = &scene_end(scene, UM_STATE_FROZEN, 0)->frame;
    cr_expect(frame->flags & UM_WIRE_EPISODE_HAS_MESSAGE);
    cr_expect_eq(frame->as.episode.message, WM_KEY);
    assert_near(scene_ms(frame->as.episode.start_ns), 101, MISSED_MS, "start");
    assert_near(scene_span(frame->as.episode.peak_ns), 200, MISSED_MS, "peak");
}

Test(watchdog, a_marker_is_never_the_suspect)
{
    scene_quiet(scene, 0, 100, 1);
    scene_sent(scene, 105, 50);
    scene_marker(scene, 105.5);
    scene_drains(scene, 106, 400);
    scene_beat(scene, 401);
    scene_seen(scene, 401, 50);
    const struct um_wire_frame *frame = &scene_end(scene, UM_STATE_FROZEN, 0)->frame;
    cr_expect(!(frame->flags & UM_WIRE_EPISODE_HAS_MESSAGE));
}

/* Typing with markers behind each message, through a flood: the markers cut no gap short that
 * counts. */
Test(watchdog, markers_between_messages_leave_a_flood_starved)
{
    scene_quiet(scene, 0, 100, 1);
    scene_sent(scene, 105, 50);
    for (double ms = 106; ms < 400; ms += 20) {
        scene_taken(scene, ms, WM_WORK);
        scene_marker(scene, ms + 19);
        scene_drained(scene, ms + 19.5);
    }
    scene_beat(scene, 410);
    scene_seen(scene, 410, 50);
    cr_assert_eq(scene_ends(scene, UM_STATE_STARVED), 1);
    cr_assert_eq(scene_ends(scene, UM_STATE_FROZEN), 0);
}

/* Beats of the mouse probe that never come ----------------------------------------------------- */

static void be_quiet_with_mouse_probe(void)
{
    begin_with_control();
    scene_mouse_probe(scene, 0);
    scene_quiet(scene, 1, 500, 1);
}

/* A beat that the control sees, and the target does not. */
static void send_lost(double ms, uint32_t seq)
{
    scene_control(scene, ms + 0.2, seq);
    scene_sent(scene, ms, seq);
}

Test(watchdog, a_beat_that_never_came_to_the_thread_is_no_freeze)
{
    be_quiet_with_mouse_probe();
    size_t beats = scene_count(scene, UM_WIRE_BEAT);
    send_lost(510, 90);
    scene_missed(scene, 542, 90);
    cr_assert_eq(scene->abandoned_count, 1);
    cr_assert_eq(scene->abandoned[0], 90);
    cr_assert_eq(scene_present(scene, 543), UM_STATE_BLIND);
    send_lost(550, 91);
    scene_missed(scene, 582, 91);
    scene_drains(scene, 585, 790);
    cr_assert_eq(scene->abandoned_count, 1);
    scene_drains(scene, 790, 820);
    cr_assert_eq(scene->abandoned_count, 2, "the next ones are given up after 250 ms");
    cr_assert_eq(scene_present(scene, 820), UM_STATE_BLIND);
    cr_assert_eq(scene_count(scene, UM_WIRE_BEAT), beats);
    send_lost(910, 92);
    scene_seen(scene, 910.5, 92);
    scene_quiet(scene, 920, 1000, 93);
    const struct um_wire_episode *blind = ended(UM_STATE_BLIND);
    assert_near(scene_ms(blind->start_ns), 510, MISSED_MS, "start");
    assert_near(scene_ms(blind->end_ns), 910, MISSED_MS, "end");
    cr_assert_eq(scene_begins(scene, UM_STATE_FROZEN) + scene_begins(scene, UM_STATE_STARVED), 0);
}

/* Another program's hook holds each beat up. */
Test(watchdog, a_beat_that_was_held_up_on_its_way_is_no_latency)
{
    be_quiet_with_mouse_probe();
    size_t beats = scene_count(scene, UM_WIRE_BEAT);
    for (uint32_t i = 0; i < 5; i++) {
        double ms = 510 + 170 * i;
        send_lost(ms, 90 + i);
        scene_missed(scene, ms + 30, 90 + i);
        scene_drains(scene, ms + 35, ms + 145);
        scene_seen(scene, ms + 150, 90 + i);
    }
    cr_assert_eq(scene_present(scene, 1360), UM_STATE_BLIND);
    cr_assert_eq(scene_count(scene, UM_WIRE_BEAT), beats);
    cr_assert_eq(freezes(), 0);
    scene_quiet(scene, 1370, 1400, 200);
    assert_near(scene_ms(ended(UM_STATE_BLIND)->start_ns), 510, MISSED_MS, "start");
    assert_near(scene_ms(ended(UM_STATE_BLIND)->end_ns), 1370, MISSED_MS, "end");
}

/* The freeze begins while beats are missed, and the next one finds the thread away. */
Test(watchdog, a_freeze_is_seen_also_where_a_beat_was_missed)
{
    be_quiet_with_mouse_probe();
    send_lost(510, 90);
    scene_missed(scene, 542, 90);
    scene_taken(scene, 545, WM_CLICK);
    send_lost(550, 91);
    scene_drains(scene, 555, 900);
    cr_assert_eq(scene_present(scene, 900), UM_STATE_FROZEN);
    scene_beat(scene, 950);
    scene_seen(scene, 950, 91);
    cr_assert_eq(freezes(), 1);
    assert_near(scene_length(scene_end(scene, UM_STATE_FROZEN, 0)), 405, MISSED_MS, "length");
    assert_near(scene_ms(ended(UM_STATE_BLIND)->end_ns), 550, MISSED_MS, "the blind time's end");
}

/* It came to the thread's queue after the threshold, when a freeze had begun. */
Test(watchdog, a_freeze_turns_out_to_be_blind_when_its_beat_was_missed)
{
    be_quiet_with_mouse_probe();
    send_lost(510, 90);
    scene_drains(scene, 515, 640);
    cr_assert_eq(scene_present(scene, 640), UM_STATE_FROZEN);
    scene_missed(scene, 645, 90);
    cr_assert_eq(scene_present(scene, 646), UM_STATE_BLIND);
    scene_quiet(scene, 650, 700, 91);
    cr_assert_eq(freezes(), 0);
    assert_near(scene_ms(ended(UM_STATE_BLIND)->start_ns), 510, MISSED_MS, "start");
}

/* The thread took the question about the beat late, so it was away whether the beat came or not. */
Test(watchdog, a_freeze_whose_beat_was_missed_is_as_long_as_the_question_waited)
{
    be_quiet_with_mouse_probe();
    send_lost(510, 90);
    scene_drains(scene, 515, 900);
    cr_assert_eq(scene_present(scene, 900), UM_STATE_FROZEN);
    scene_asked(scene, 540, 910, 90);
    scene_missed(scene, 925, 90);
    cr_assert_eq(scene->abandoned_count, 1);
    cr_assert_eq(scene->abandoned[0], 90);
    scene_quiet(scene, 930, 1000, 91);
    cr_assert_eq(freezes(), 1);
    const struct um_wire_episode *freeze = ended(UM_STATE_FROZEN);
    assert_near(scene_ms(freeze->start_ns), 540, MISSED_MS, "start");
    assert_near(scene_ms(freeze->end_ns), 910, MISSED_MS, "end");
    assert_near(scene_span(freeze->peak_ns), 370, MISSED_MS, "peak");
    cr_assert_geq(scene_span(freeze->uncertainty_ns) / 2, 30, "it may have begun at the beat");
    assert_near(scene_state_ms(scene, 1000, UM_STATE_BLIND), 0, MISSED_MS, "blind");
}

Test(watchdog, a_question_that_is_soon_taken_shows_no_freeze)
{
    be_quiet_with_mouse_probe();
    send_lost(510, 90);
    scene_drains(scene, 515, 640);
    scene_asked(scene, 550, 649, 90); /* a freeze takes 100 ms */
    scene_missed(scene, 660, 90);
    cr_assert_eq(scene_present(scene, 661), UM_STATE_BLIND);
    scene_quiet(scene, 670, 700, 91);
    cr_assert_eq(freezes(), 0);
}

/* The first question came just before the freeze, and the second one in it. */
Test(watchdog, of_several_questions_the_one_that_waited_longest_counts)
{
    be_quiet_with_mouse_probe();
    send_lost(510, 90);
    scene_asked(scene, 535, 540, 90);
    scene_taken(scene, 540.1, WM_CLICK);
    scene_drains(scene, 545, 2040);
    cr_assert_eq(scene_present(scene, 2040), UM_STATE_FROZEN);
    scene_asked(scene, 555, 2041, 90);
    scene_asked(scene, 2045, 2046, 90);
    scene_missed(scene, 2052, 90);
    cr_assert_eq(scene->abandoned_count, 1);
    scene_quiet(scene, 2060, 2100, 91);
    cr_assert_eq(freezes(), 1);
    const struct um_wire_episode *freeze = ended(UM_STATE_FROZEN);
    assert_near(scene_ms(freeze->start_ns), 555, MISSED_MS, "start");
    assert_near(scene_ms(freeze->end_ns), 2041, MISSED_MS, "end");
    cr_assert_eq(freeze->message, WM_CLICK);
}

/* An answer says more than a question, and a question about another beat says nothing. */
Test(watchdog, a_question_counts_only_if_its_beat_is_missed)
{
    be_quiet_with_mouse_probe();
    scene_control(scene, 510.2, 90);
    scene_sent(scene, 510, 90);
    scene_drains(scene, 515, 900);
    scene_asked(scene, 540, 910, 90);
    scene_seen(scene, 911, 90);
    send_lost(920, 91);
    scene_drains(scene, 925, 1295);
    scene_asked(scene, 940, 1300, 90);
    scene_drains(scene, 1305, 1330);
    scene_missed(scene, 1335, 91);
    scene_quiet(scene, 1340, 1400, 92);
    cr_assert_eq(freezes(), 1);
    assert_near(scene_ms(ended(UM_STATE_FROZEN)->end_ns), 911, MISSED_MS, "end");
    assert_near(scene_ms(ended(UM_STATE_BLIND)->start_ns), 920, MISSED_MS, "blind");
}

/* Windows has dropped it with the raw registration, or the target has taken it itself. */
Test(watchdog, a_freeze_ends_when_its_beat_is_found_to_be_gone)
{
    scene_quiet(scene, 1, 500, 1);
    scene_sent(scene, 510, 90);
    scene_drains(scene, 515, 2200);
    scene_missed(scene, 2210, 90);
    cr_assert_eq(scene_present(scene, 2300), UM_STATE_FROZEN, "a single message may be wrong");
    scene_missed(scene, 2460, 90);
    scene_drained(scene, 2465);
    scene_sent(scene, 2470, 91);
    scene_seen(scene, 2471, 91);
    cr_assert_eq(scene_present(scene, 2472), UM_STATE_RESPONSIVE);
    cr_assert_eq(freezes(), 1);
    const struct um_wire_episode *freeze = ended(UM_STATE_FROZEN);
    assert_near(scene_ms(freeze->end_ns), 2210, MISSED_MS, "end");
}

Test(watchdog, a_thread_that_freezes_again_ends_its_freeze_later)
{
    scene_quiet(scene, 1, 500, 1);
    scene_sent(scene, 510, 90);
    scene_drains(scene, 515, 2200);
    scene_missed(scene, 2210, 90);
    scene_drains(scene, 2215, 4000);
    scene_missed(scene, 4010, 90);
    scene_missed(scene, 4260, 90);
    scene_drained(scene, 4265);
    scene_sent(scene, 4270, 91);
    scene_seen(scene, 4271, 91);
    cr_assert_eq(freezes(), 1);
    const struct um_wire_episode *freeze = ended(UM_STATE_FROZEN);
    assert_near(scene_ms(freeze->end_ns), 4010, MISSED_MS, "end");
}

Test(watchdog, a_freeze_is_not_cut_where_only_one_message_missed_its_beat)
{
    scene_quiet(scene, 1, 500, 1);
    scene_sent(scene, 510, 90);
    scene_drains(scene, 515, 1000);
    scene_missed(scene, 1010, 90);
    scene_drains(scene, 1015, 4000);
    um_watchdog_detached(&scene->watchdog, scene_ns(4001));
    cr_assert_eq(freezes(), 1);
    const struct um_wire_episode *freeze = ended(UM_STATE_FROZEN);
    cr_expect_gt(scene_ms(freeze->end_ns), 3900);
}

Test(watchdog, a_freeze_whose_beat_is_seen_after_all_ends_then)
{
    scene_quiet(scene, 1, 500, 1);
    scene_sent(scene, 510, 90);
    scene_drains(scene, 515, 1000);
    scene_missed(scene, 1010, 90);
    scene_drains(scene, 1015, 1400);
    scene_seen(scene, 1405, 90);
    const struct um_wire_episode *freeze = ended(UM_STATE_FROZEN);
    assert_near(scene_ms(freeze->end_ns), 1405, MISSED_MS, "end");
}

Test(watchdog, what_was_found_of_another_beat_says_nothing_of_this_one)
{
    be_quiet_with_mouse_probe();
    send_lost(510, 90);
    scene_missed(scene, 515, 89);
    scene_taken(scene, 520, 0x0113); /* the program's own timer: it may take timers alone */
    scene_drains(scene, 525, 700);
    cr_assert_eq(scene->abandoned_count, 0);
    scene_seen(scene, 701, 90);
    scene_missed(scene, 702, 90); /* too late: it was answered */
    cr_assert_eq(freezes(), 1);
    cr_assert_eq(scene_ends(scene, UM_STATE_BLIND), 0);
}

/* Reasons to be blind -------------------------------------------------------------------------- */

/* A beat that the control does not see. */
static void is_undelivered(void)
{
    be_quiet_with_control();
    send_and_drain(510, 90, 700);
}

static void is_missed(void)
{
    be_quiet_with_mouse_probe();
    send_lost(510, 90);
    scene_missed(scene, 542, 90);
    scene_drains(scene, 545, 600);
}

static void is_filtered(void)
{
    scene_quiet(scene, 0, 500, 1);
    send_and_drain(510, 90, 700);
    scene_input(scene, 701, WM_KEY, 0);
}

static void is_elsewhere(void)
{
    scene_quiet(scene, 0, 500, 1);
    scene_probe(scene, 510, UM_PROBE_OFF_TARGET);
    scene_drains(scene, 515, 600);
}

static void is_silent(void)
{
    scene_quiet(scene, 0, 500, 1);
    fall_silent(510, UM_PROBE_HELD_NO_ANSWER);
    scene_drains(scene, 515, 600);
}

static void is_unsure(void)
{
    scene_quiet(scene, 0, 500, 1);
    fall_silent(510, UM_PROBE_HELD_NO_ANSWER_YET);
    scene_drains(scene, 515, 600);
}

static void is_refused(void)
{
    scene_quiet(scene, 0, 500, 1);
    scene_probe(scene, 510, UM_PROBE_REFUSED);
    scene_drains(scene, 515, 600);
}

static void is_detached(void)
{
    scene_quiet(scene, 0, 500, 1);
    um_watchdog_detached(&scene->watchdog, scene_ns(510));
}

static void is_late(void)
{
    scene_quiet(scene, 0, 500, 1);
    scene_drained(scene, 3000); /* the first frame or tick since then */
    scene_beat(scene, 3001);
}

static void is_lossy(void)
{
    scene_quiet(scene, 0, 500, 1);
    send_and_drain(510, 90, 560);
    scene->lost += 5;
    scene_drained(scene, 565);
    scene_sent(scene, 600, 91);
    scene_seen(scene, 600.3, 91);
}

/* Whether a blind time lasts or is over, there is one reason for it. */
Test(watchdog, whatever_makes_it_blind_has_a_reason)
{
    static const struct {
        void (*becomes)(void);
        enum um_probe_held by;
    } rows[] = {
        {is_undelivered, UM_PROBE_HELD_UNDELIVERED},
        {is_missed, UM_PROBE_HELD_UNDELIVERED},
        {is_filtered, UM_PROBE_HELD_FILTERED},
        {is_elsewhere, UM_PROBE_HELD_ELSEWHERE},
        {is_silent, UM_PROBE_HELD_NO_ANSWER},
        {is_unsure, UM_PROBE_HELD_NO_ANSWER_YET},
        {is_refused, UM_PROBE_HELD_REFUSED},
        {is_detached, UM_PROBE_HELD_DETACHED},
        {is_late, UM_PROBE_HELD_LATE},
        {is_lossy, UM_PROBE_HELD_LOSSY},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        begin_anew(false);
        rows[i].becomes();
        struct um_watchdog_view view = view_at(scene_ms(scene->now_ns));
        bool lasts = view.state == UM_STATE_BLIND;
        cr_expect_eq(view.blind_by, lasts ? rows[i].by : UM_PROBE_HELD_NOT, "row %zu", i);
        cr_expect_eq(view.blind_was_by, lasts ? 0 : UINT32_C(1) << rows[i].by, "row %zu", i);
        um_watchdog_stop(&scene->watchdog, scene->now_ns);
        view = view_at(scene_ms(scene->now_ns));
        cr_expect_gt(view.state_ns[UM_STATE_BLIND], 0, "row %zu", i);
        cr_expect_eq(view.blind_was_by, UINT32_C(1) << rows[i].by, "row %zu", i);
    }
}

/* Rest ----------------------------------------------------------------------------------------- */

#define REST_MS 100.0

/* A thread that has answered a beat at 1000.3 and rests. */
static void begin_at_rest(void)
{
    begin_anew(false);
    um_watchdog_set_period(&scene->watchdog, scene_ns(10) - scene_ns(0),
                           scene_ns(REST_MS) - scene_ns(0));
    scene_quiet(scene, 0, 1001, 1);
}

/* The next beat is sent at 1100, where nine were left out at rest, or behind other programs, and
 * taken `latency_ms` later. */
static void wake(bool behind, double rested_ms, double latency_ms)
{
    if (behind)
        scene_sent_left_out(scene, 1100, 9999);
    else
        scene_sent_rested(scene, 1100, 9999, rested_ms, 9);
    scene_drains(scene, 1100, 1100 + latency_ms);
    scene_beat(scene, 1100 + latency_ms);
    scene_seen(scene, 1100 + latency_ms, 9999);
    scene_stop(scene, 1100 + latency_ms + 1);
}

static const struct um_wire_rest *only_rest(void)
{
    const struct um_wire_rest *found = NULL;
    for (size_t i = 0; i < scene->said_count; i++) {
        if (scene->said[i].frame.type != UM_WIRE_REST)
            continue;
        cr_assert(!found, "a rest was told twice");
        found = &scene->said[i].frame.as.rest;
    }
    cr_assert(found, "no rest was told");
    return found;
}

Test(watchdog, tells_how_many_beats_were_left_out_at_rest)
{
    begin_at_rest();
    struct um_watchdog_view view;
    wake(false, 0, 0.4);
    const struct um_wire_rest *rest = only_rest();
    cr_expect_eq(rest->skipped, 9);
    cr_expect_eq(rest->time_ns, scene_ns(1100));
    um_watchdog_view(&scene->watchdog, scene->now_ns, &view);
    cr_expect_eq(view.beats_rested, 9);
    cr_expect_eq(scene_count(scene, UM_WIRE_EPISODE), 0);
}

Test(watchdog, a_pause_is_no_rest)
{
    begin_at_rest();
    scene_probe(scene, 1010, UM_PROBE_PAUSED);
    scene_probe(scene, 1090, UM_PROBE_ACTIVE);
    wake(false, 0, 0.4);
    cr_expect_eq(scene_count(scene, UM_WIRE_REST), 0);
}

/* The start lies anywhere between what was last known of the thread and the beat. */
Test(watchdog, a_freeze_is_as_uncertain_as_beats_were_far_apart)
{
    static const struct {
        const char *name;
        double taken_ms; /* 0: no message was */
        bool behind;
        double rested_ms;
        double latency_ms;
        double start_ms;
        double uncertainty_ms;
        double slack_ms;
    } rows[] = {
        {"at rest", 0, false, 0, 130, 1050, 100, 11},
        /* The likely start. But its cycles stand still in a handler that waits, too. */
        {"it used no cycles before 1090", 0, false, 1090, 130, 1095, 189.65, 0.5},
        {"a message after a rest", 1095, false, 0, 130, 1095, 0, MISSED_MS},
        /* The thread may have been done with the message, which stays the suspect. */
        {"behind others", 1020, true, 0, 180, 1060, 80, 3},
        /* It may have been done with it before the beat, which came late. */
        {"a message and a late beat", 1020, false, 0, 180, 1060, 80, 3},
        {"a message just before the beat", 1095, true, 0, 130, 1095, 0, MISSED_MS},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        begin_at_rest();
        if (rows[i].taken_ms > 0)
            scene_taken(scene, rows[i].taken_ms, WM_CLICK);
        wake(rows[i].behind, rows[i].rested_ms, rows[i].latency_ms);
        const struct um_wire_episode *freeze = ended(UM_STATE_FROZEN);
        assert_near(scene_ms(freeze->start_ns), rows[i].start_ms, rows[i].slack_ms / 2,
                    rows[i].name);
        assert_near(scene_span(freeze->uncertainty_ns), rows[i].uncertainty_ms, rows[i].slack_ms,
                    rows[i].name);
        bool is_late = rows[i].taken_ms == 1020 && !rows[i].behind;
        cr_expect_eq(freeze->message, rows[i].taken_ms > 0 && !is_late ? WM_CLICK : 0, "%s",
                     rows[i].name);
        cr_expect_eq(scene_count(scene, UM_WIRE_REST), !rows[i].behind,
                     "%s: nothing is known of beats left out behind others", rows[i].name);
    }
}

Test(watchdog, what_may_have_been_short_is_no_freeze)
{
    static const struct {
        double taken_ms;
        bool behind;
        double latency_ms;
        size_t freezes;
    } rows[] = {
        {0, false, 60, 0},    /* it may have lasted for 60 or for 160 ms */
        {1020, true, 98, 1},  /* it reached the threshold for certain, but for a period */
        {1020, true, 90, 0},  /* ... and it may not have reached it */
        {1020, false, 98, 1}, /* the same of a beat that came late */
        {1020, false, 90, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        begin_at_rest();
        if (rows[i].taken_ms > 0)
            scene_taken(scene, rows[i].taken_ms, WM_CLICK);
        wake(rows[i].behind, 0, rows[i].latency_ms);
        cr_expect_eq(freezes(), rows[i].freezes, "row %zu", i);
        cr_expect_eq(scene_begins(scene, UM_STATE_FROZEN), rows[i].freezes, "row %zu", i);
    }
    begin_at_rest();
    wake(false, 0, 8);
    cr_expect_eq(scene_count(scene, UM_WIRE_EPISODE), 0, "nor is it slow");
}

/* A thread at rest as the DLL beats it, look by look, and what the statistics make of it. */
struct resting {
    struct um_pace pace;
    double threshold_ms;
    double rest_ms;
    double freeze_ms; /* when it begins, without a message, from the scene's begin */
    double length_ms;
};

/* One beat, sent at this time; returns when it is taken. */
static double beat_resting(struct resting *resting, double ms, uint32_t seq)
{
    double end_ms = resting->freeze_ms + resting->length_ms;
    double taken_ms = ms + SCENE_DELIVERY_MS;
    if (taken_ms >= resting->freeze_ms && taken_ms < end_ms)
        taken_ms = end_ms;
    scene_sent_rested(scene, ms, seq, 0, resting->pace.skipped);
    um_pace_sent(&resting->pace, scene_ns(ms));
    scene_drains(scene, ms, taken_ms);
    scene_seen(scene, taken_ms, seq);
    scene_drained(scene, taken_ms);
    return taken_ms;
}

/* The freeze begins so long after a beat to a thread that rests. Returns whether it is told. */
static bool is_told_at_rest(struct resting *resting, double after_ms)
{
    double free_ms = 0;
    if (scene)
        scene_free(scene);
    scene = scene_new(resting->threshold_ms, resting->threshold_ms / 2, false);
    um_watchdog_set_period(&scene->watchdog, scene_ns(SCENE_PERIOD_MS) - scene_ns(0),
                           scene_ns(resting->rest_ms) - scene_ns(0));
    resting->pace = (struct um_pace){0};
    resting->freeze_ms = 2 * resting->rest_ms + after_ms;
    double until_ms = resting->freeze_ms + resting->length_ms + 2 * resting->rest_ms;
    uint32_t seq = 1;
    for (double ms = 0; ms < until_ms; ms += SCENE_PERIOD_MS) {
        const struct um_pace_look look = {.now = scene_ns(ms),
                                          .period = scene_ns(SCENE_PERIOD_MS) - scene_ns(0),
                                          .rest = scene_ns(resting->rest_ms) - scene_ns(0)};
        if (ms >= free_ms && um_pace_is_due(&resting->pace, &look))
            free_ms = beat_resting(resting, ms, seq++);
    }
    scene_stop(scene, until_ms);
    return freezes() > 0;
}

/* How many of the freezes of a length are told, of all that may begin at rest. */
static void count_told(struct resting *resting, size_t *told, size_t *all)
{
    *told = *all = 0;
    for (double after_ms = 1; after_ms < resting->rest_ms; after_ms += 0.5, ++*all)
        *told += is_told_at_rest(resting, after_ms);
}

static struct resting at_rest(double threshold_ms, double length_ms)
{
    const struct um_options options = {.threshold_ms = threshold_ms,
                                       .heartbeat_ms = SCENE_PERIOD_MS,
                                       .rest_heartbeat_ms = REST_MS};
    return (struct resting){.threshold_ms = threshold_ms,
                            .rest_ms = um_options_rest_ms(&options),
                            .length_ms = length_ms};
}

/* From which length on the statistics say that freezes at rest are told. */
static double promised_ms(const struct resting *resting)
{
    const struct um_stats_config config = {.period_ns = scene_ns(SCENE_PERIOD_MS) - scene_ns(0),
                                           .threshold_ns =
                                               scene_ns(resting->threshold_ms) - scene_ns(0)};
    struct um_stats *stats;
    cr_assert_eq(um_stats_open(&config, &stats), UM_OK);
    for (size_t i = 0; i < scene->said_count; i++)
        um_stats_frame(stats, &scene->said[i].frame);
    double ms = scene_span(
        um_stats_told_at_rest_ns(um_stats_beats(stats), config.threshold_ns, config.period_ns));
    um_stats_close(stats);
    return ms;
}

/* These were taken for responsive, with a threshold of 30 ms: they lay between two beats. */
Test(watchdog, a_freeze_at_rest_of_several_thresholds_is_told)
{
    static const double lengths_ms[] = {97, 124};
    for (size_t i = 0; i < 2; i++) {
        struct resting resting = at_rest(30, lengths_ms[i]);
        size_t told, all;
        count_told(&resting, &told, &all);
        cr_expect_eq(told, all, "of %g ms: %zu of %zu", lengths_ms[i], told, all);
    }
}

Test(watchdog, freezes_at_rest_are_told_from_the_length_that_is_promised)
{
    static const double thresholds_ms[] = {30, 100, 250};
    for (size_t i = 0; i < 3; i++) {
        struct resting resting = at_rest(thresholds_ms[i], thresholds_ms[i]);
        size_t told, all;
        cr_expect_leq(resting.rest_ms, thresholds_ms[i]);
        (void)is_told_at_rest(&resting, 1);
        double from_ms = promised_ms(&resting);
        resting.length_ms = from_ms;
        count_told(&resting, &told, &all);
        cr_expect_eq(told, all, "of %g ms: %zu of %zu", from_ms, told, all);
        resting.length_ms = from_ms - 3;
        count_told(&resting, &told, &all);
        cr_expect_lt(told, all, "of %g ms all are told", resting.length_ms);
    }
}
