#include <criterion/criterion.h>
#include <string.h>

#include "monitor/stats/stats.h"

#define MS UINT64_C(1000000)
#define START (UINT64_C(7000) * MS)
#define OBSERVED UM_WIRE_STATUS_HAS_FELT /* the user's input */

static struct um_stats *stats;
static struct um_wire_status status; /* the last one that was asked for */

static void setup(void)
{
    struct um_stats_config config = {START, 10 * MS, 100 * MS};
    cr_assert_eq(um_stats_open(&config, &stats), UM_OK);
}

static void teardown(void)
{
    um_stats_close(stats);
}

TestSuite(stats, .init = setup, .fini = teardown);

static void beat(uint64_t sent_ms, uint64_t latency_ms)
{
    struct um_wire_frame frame = {.type = UM_WIRE_BEAT};
    frame.as.beat = (struct um_wire_beat){START + sent_ms * MS, latency_ms * MS, 1};
    um_stats_frame(stats, &frame);
}

static struct um_wire_frame episode(unsigned flags, enum um_state state, uint64_t start_ms,
                                    uint64_t length_ms)
{
    struct um_wire_frame frame = {.type = UM_WIRE_EPISODE, .flags = (uint8_t)flags};
    frame.as.episode.start_ns = START + start_ms * MS;
    frame.as.episode.end_ns = START + (start_ms + length_ms) * MS;
    frame.as.episode.state = (uint8_t)state;
    frame.as.episode.id = 1;
    return frame;
}

static void take_episode(unsigned flags, enum um_state state, uint64_t start_ms, uint64_t length_ms)
{
    struct um_wire_frame frame = episode(flags, state, start_ms, length_ms);
    um_stats_frame(stats, &frame);
}

static uint8_t status_at(uint64_t now_ms, uint64_t outstanding_sent_ms)
{
    memset(&status, 0xff, sizeof status);
    return um_stats_fill_status(stats, START + now_ms * MS,
                                outstanding_sent_ms ? (now_ms - outstanding_sent_ms) * MS : 0,
                                &status);
}

Test(stats, shows_nothing_that_was_not_measured)
{
    cr_expect_eq(status_at(100, 0), 0);
    cr_expect_eq(status.p50_ns, 0);
    cr_expect_eq(status.lag_ns, 0);
    cr_expect_eq(status.slice_worst_ns, 0);
    cr_expect_eq(status.outstanding_ns, 0);
    cr_expect_eq(status.freezes, 0);
    cr_expect_eq(um_histogram_count(um_stats_histogram(stats)), 0);
    cr_expect_eq(um_stats_freezes(stats)->len, 0);
}

Test(stats, shows_the_last_latency_between_beats)
{
    beat(10, 2);
    beat(20, 1);
    cr_expect_eq(status_at(50, 0), UM_WIRE_STATUS_HAS_LATENCY | UM_WIRE_STATUS_HAS_LAG);
    cr_expect_eq(status.time_ns, START + 50 * MS);
    cr_expect_eq(status.lag_ns, 1 * MS);
    cr_expect_eq(status.slice_start_ns, START);
    cr_expect_eq(status.slice_worst_ns, 2 * MS);
    cr_expect_eq(status.p50_ns, 1 * MS);
    cr_expect_eq(status.p99_ns, 2 * MS);
}

Test(stats, shows_the_age_of_a_beat_that_waits)
{
    beat(10, 1);
    cr_expect_eq(status_at(300, 50), UM_WIRE_STATUS_HAS_LATENCY | UM_WIRE_STATUS_HAS_LAG);
    cr_expect_eq(status.outstanding_ns, START + 50 * MS);
    cr_expect_eq(status.lag_ns, 250 * MS);
    cr_expect_eq(status.slice_start_ns, START + 200 * MS);
    cr_expect_eq(status.slice_worst_ns, 250 * MS);
    cr_expect_eq(status.p99_ns, 250 * MS);
}

Test(stats, leaves_alone_what_the_session_fills)
{
    status_at(100, 0);
    cr_expect_eq(status.state, 0xff);
    cr_expect_eq(status.state_since_ns, UINT64_MAX);
    cr_expect_eq(status.lost, UINT64_MAX);
}

Test(stats, keeps_latencies_of_the_session_beyond_5_s)
{
    beat(10, 1);
    cr_expect_eq(status_at(6000, 0), 0);
    cr_expect_eq(um_histogram_count(um_stats_histogram(stats)), 1);
}

Test(stats, corrects_the_session_histogram_by_the_period)
{
    beat(10, 45);
    cr_expect_eq(um_histogram_count(um_stats_histogram(stats)), 4);
}

Test(stats, takes_period_threshold_and_grid_from_the_session)
{
    struct um_wire_frame frame = {.type = UM_WIRE_SESSION};
    frame.as.session.start_ns = START + 7 * MS;
    frame.as.session.period_us = 20000;
    frame.as.session.threshold_us = 50000;
    um_stats_frame(stats, &frame);
    beat(10, 45);
    cr_expect_eq(um_histogram_count(um_stats_histogram(stats)), 2);
    cr_expect_eq(um_stats_freezes(stats)->threshold_ns, 50 * MS);
    status_at(60, 0);
    cr_expect_eq(status.slice_start_ns, START + 7 * MS);
    cr_expect_eq(status.slice_worst_ns, 45 * MS);

    frame.as.session.start_ns = START;
    um_stats_frame(stats, &frame);
    status_at(60, 0);
    cr_expect_eq(status.slice_start_ns, START + 7 * MS, "the grid moved under the beats");
}

Test(stats, counts_a_freeze_when_it_ends)
{
    take_episode(UM_WIRE_EPISODE_BEGIN, UM_STATE_FROZEN, 100, 150);
    cr_expect_eq(status_at(400, 0) & UM_WIRE_STATUS_HAS_LAST_FREEZE, 0);
    take_episode(UM_WIRE_EPISODE_END, UM_STATE_FROZEN, 100, 300);
    cr_expect(status_at(400, 0) & UM_WIRE_STATUS_HAS_LAST_FREEZE);
    cr_expect_eq(status.freezes, 1);
    cr_expect_eq(status.last_freeze_ns, 300 * MS);
    cr_expect_eq(status.last_freeze_end_ns, START + 400 * MS);
    cr_expect_eq(status.freeze_total_ns, 300 * MS);
}

Test(stats, sorts_freezes_by_length)
{
    static const uint64_t lengths_ms[] = {20, 99, 100, 249, 250, 999, 1000, 2500};
    for (size_t i = 0; i < 8; i++)
        take_episode(UM_WIRE_EPISODE_END, UM_STATE_FROZEN, 100, lengths_ms[i]);
    const struct um_stats_freezes *freezes = um_stats_freezes(stats);
    cr_expect_eq(freezes->count, 8);
    cr_expect_eq(freezes->over_100, 6);
    cr_expect_eq(freezes->over_250, 4);
    cr_expect_eq(freezes->over_1000, 2);
    cr_expect_eq(freezes->total_ns, 5217 * MS);
    cr_expect_eq(freezes->longest_ns, 2500 * MS);
}

Test(stats, counts_only_frozen_and_starved)
{
    for (unsigned state = 0; state < UM_STATE_COUNT; state++)
        take_episode(UM_WIRE_EPISODE_END, (enum um_state)state, 100, 300);
    take_episode(UM_WIRE_EPISODE_BEGIN | UM_WIRE_EPISODE_END, UM_STATE_SLOW, 100, 60);
    const struct um_stats_freezes *freezes = um_stats_freezes(stats);
    cr_assert_eq(freezes->len, 2);
    cr_expect_eq(freezes->list[0].state, UM_STATE_FROZEN);
    cr_expect_eq(freezes->list[1].state, UM_STATE_STARVED);
}

Test(stats, what_beats_have_caused_is_no_freeze)
{
    take_episode(UM_WIRE_EPISODE_BEGIN, UM_STATE_FROZEN, 100, 110);
    take_episode(UM_WIRE_EPISODE_END, UM_STATE_OWN_BEAT, 100, 121);
    take_episode(UM_WIRE_EPISODE_END, UM_STATE_OWN_BEAT, 300, 60); /* shorter than a freeze */
    cr_expect_eq(um_stats_freezes(stats)->count, 0);
    cr_expect_eq(um_stats_beats(stats)->own_freezes, 1);
    cr_expect_eq(um_stats_beats(stats)->own_longest_ns, 121 * MS);
}

Test(stats, keeps_how_far_apart_beats_were_at_most_because_of_what_they_caused)
{
    struct um_wire_frame pace = {.type = UM_WIRE_PACE, .as.pace = {.spared_us = 500000}};
    um_stats_frame(stats, &pace);
    pace.as.pace.spared_us = 0;
    um_stats_frame(stats, &pace);
    cr_expect_eq(um_stats_beats(stats)->spared_us, 500000);
}

Test(stats, forgets_an_episode_that_turned_out_to_be_none)
{
    take_episode(UM_WIRE_EPISODE_BEGIN, UM_STATE_FROZEN, 100, 150);
    take_episode(UM_WIRE_EPISODE_END | UM_WIRE_EPISODE_VOID, UM_STATE_FROZEN, 100, 150);
    cr_expect_eq(um_stats_freezes(stats)->count, 0);
}

Test(stats, keeps_what_an_end_says)
{
    struct um_wire_frame frame =
        episode(UM_WIRE_EPISODE_END | UM_WIRE_EPISODE_OPEN | UM_WIRE_EPISODE_HAS_MESSAGE,
                UM_STATE_STARVED, 1200, 300);
    frame.as.episode.uncertainty_ns = 5 * MS;
    frame.as.episode.peak_ns = 80 * MS;
    frame.as.episode.message = 0x0202;
    strcpy(frame.as.episode.window_class, "Button");
    um_stats_frame(stats, &frame);
    cr_assert_eq(um_stats_freezes(stats)->len, 1);
    const struct um_stats_freeze *freeze = &um_stats_freezes(stats)->list[0];
    cr_expect_eq(freeze->start_ns, START + 1200 * MS);
    cr_expect_eq(freeze->duration_ns, 300 * MS);
    cr_expect_eq(freeze->uncertainty_ns, 5 * MS);
    cr_expect_eq(freeze->peak_ns, 80 * MS);
    cr_expect_eq(freeze->message, 0x0202);
    cr_expect(freeze->has_message);
    cr_expect(freeze->open);
    cr_expect_str_eq(freeze->window_class, "Button");
}

Test(stats, has_no_suspect_where_none_is_named)
{
    struct um_wire_frame frame = episode(UM_WIRE_EPISODE_END, UM_STATE_FROZEN, 1200, 300);
    frame.as.episode.message = 0x0202;
    strcpy(frame.as.episode.window_class, "Button");
    um_stats_frame(stats, &frame);
    const struct um_stats_freeze *freeze = &um_stats_freezes(stats)->list[0];
    cr_expect_not(freeze->has_message);
    cr_expect_eq(freeze->message, 0);
    cr_expect_str_empty(freeze->window_class);
}

Test(stats, counts_freezes_that_do_not_fit_into_the_list)
{
    for (int i = 0; i < UM_STATS_MAX_FREEZES + 7; i++)
        take_episode(UM_WIRE_EPISODE_END, UM_STATE_FROZEN, 100, 100);
    const struct um_stats_freezes *freezes = um_stats_freezes(stats);
    cr_expect_eq(freezes->len, UM_STATS_MAX_FREEZES);
    cr_expect_eq(freezes->dropped, 7);
    cr_expect_eq(freezes->count, UM_STATS_MAX_FREEZES + 7);
}

Test(stats, lists_the_times_that_were_not_measured)
{
    take_episode(UM_WIRE_EPISODE_END, UM_STATE_BLIND, 100, 50);
    take_episode(UM_WIRE_EPISODE_END, UM_STATE_FROZEN, 200, 300);
    take_episode(UM_WIRE_EPISODE_BEGIN, UM_STATE_SUSPENDED, 600, 0);
    take_episode(UM_WIRE_EPISODE_END | UM_WIRE_EPISODE_VOID, UM_STATE_SUSPENDED, 600, 80);
    take_episode(UM_WIRE_EPISODE_END, UM_STATE_SUSPENDED, 700, 90);
    take_episode(UM_WIRE_EPISODE_END | UM_WIRE_EPISODE_OPEN, UM_STATE_IDLE, 800, 100);
    static const struct {
        uint64_t start_ms, end_ms;
        enum um_state state;
    } rows[] = {
        {100, 150, UM_STATE_BLIND}, {700, 790, UM_STATE_SUSPENDED}, {800, 900, UM_STATE_IDLE}};
    const struct um_stats_unmeasured_list *times = um_stats_unmeasured(stats);
    cr_assert_eq(times->len, 3);
    for (size_t i = 0; i < times->len; i++) {
        cr_expect_eq(times->list[i].start_ns, START + rows[i].start_ms * MS);
        cr_expect_eq(times->list[i].end_ns, START + rows[i].end_ms * MS);
        cr_expect_eq(times->list[i].state, rows[i].state);
    }
    for (size_t i = 0; i < UM_STATS_MAX_UNMEASURED; i++)
        take_episode(UM_WIRE_EPISODE_END, UM_STATE_BLIND, 1000, 10);
    cr_expect_eq(um_stats_unmeasured(stats)->len, UM_STATS_MAX_UNMEASURED);
    cr_expect_eq(um_stats_unmeasured(stats)->dropped, 3);
}

Test(stats, makes_nothing_of_an_end_before_its_start)
{
    struct um_wire_frame frame = episode(UM_WIRE_EPISODE_END, UM_STATE_FROZEN, 100, 0);
    frame.as.episode.end_ns = START;
    um_stats_frame(stats, &frame);
    cr_expect_eq(um_stats_freezes(stats)->total_ns, 0);
}

/* What a session does: a status at each boundary, with a freeze from 230 to 530 ms. */
Test(stats, draws_a_freeze_as_a_ramp_of_final_slices)
{
    static const uint64_t worst_ms[] = {2, 1, 70, 170, 270, 300, 1};
    uint64_t now_ns = START;
    for (uint64_t sent_ms = 5; sent_ms < 230; sent_ms += 10)
        beat(sent_ms, sent_ms == 45 ? 2 : 1);
    for (size_t i = 0; i < 7; i++) {
        now_ns = um_stats_slice_end(stats, now_ns + 1);
        if (i == 5)
            beat(230, 300);
        if (i == 6)
            beat(610, 1);
        uint64_t waited_ns = i >= 2 && i < 5 ? now_ns - (START + 230 * MS) : 0;
        um_stats_fill_status(stats, now_ns, waited_ns, &status);
        cr_expect_eq(status.slice_start_ns, START + i * 100 * MS);
        cr_expect_eq(status.slice_worst_ns, worst_ms[i] * MS, "slice %zu", i);
    }
}

/* Times in ms after START; 0: not observed. */
static void interact(enum um_interaction kind, uint64_t arrival_ms, uint64_t dequeued_ms,
                     uint64_t handled_ms, uint64_t painted_ms)
{
    static uint32_t id;
    struct um_wire_frame frame = {.type = UM_WIRE_INTERACTION};
    frame.as.interaction =
        (struct um_wire_interaction){.arrival_ns = arrival_ms ? START + arrival_ms * MS : 0,
                                     .dequeued_ns = START + dequeued_ms * MS,
                                     .handled_ns = handled_ms ? START + handled_ms * MS : 0,
                                     .painted_ns = painted_ms ? START + painted_ms * MS : 0,
                                     .id = ++id,
                                     .freeze = handled_ms > dequeued_ms + 99,
                                     .kind = (uint8_t)kind};
    um_stats_frame(stats, &frame);
}

static void expect_part(enum um_interaction kind, enum um_wire_part part, uint64_t count,
                        uint64_t max_ms)
{
    const struct um_histogram *parts = um_stats_interactions(stats)->kinds[kind].parts;
    cr_assert_not_null(parts);
    cr_expect_eq(um_histogram_count(&parts[part]), count, "part %d of kind %d", part, kind);
    cr_expect_eq(um_histogram_max(&parts[part]), max_ms * MS, "part %d of kind %d", part, kind);
}

Test(stats, takes_the_parts_of_an_interaction_that_were_observed)
{
    const struct um_stats_interactions *all = um_stats_interactions(stats);
    interact(UM_INTERACTION_KEY, 100, 101, 103, 107);
    interact(UM_INTERACTION_KEY, 0, 200, 205, 206);
    interact(UM_INTERACTION_KEY, 300, 302, 0, 0);
    interact(UM_INTERACTION_WHEEL, 400, 410, 530, 0);
    cr_expect_eq(all->kinds[UM_INTERACTION_KEY].count, 3);
    cr_expect_eq(all->kinds[UM_INTERACTION_KEY].painted, 1);
    cr_expect_eq(all->kinds[UM_INTERACTION_KEY].in_freezes, 0);
    expect_part(UM_INTERACTION_KEY, UM_WIRE_PART_INPUT_DELAY, 2, 2);
    expect_part(UM_INTERACTION_KEY, UM_WIRE_PART_PROCESSING, 2, 5);
    expect_part(UM_INTERACTION_KEY, UM_WIRE_PART_PRESENTATION, 2, 4);
    expect_part(UM_INTERACTION_KEY, UM_WIRE_PART_TOTAL, 1, 7);
    expect_part(UM_INTERACTION_KEY, UM_WIRE_PART_TO_HANDLED, 1, 3);
    cr_expect_eq(all->kinds[UM_INTERACTION_WHEEL].in_freezes, 1);
    expect_part(UM_INTERACTION_WHEEL, UM_WIRE_PART_TO_HANDLED, 1, 130);
    expect_part(UM_INTERACTION_WHEEL, UM_WIRE_PART_TOTAL, 0, 0);
    cr_expect_null(all->kinds[UM_INTERACTION_CLICK].parts, "no memory for what does not occur");
}

Test(stats, keeps_the_worst_interactions)
{
    const struct um_stats_interactions *all = um_stats_interactions(stats);
    for (uint64_t i = 0; i < 200; i++) {
        uint64_t at_ms = 1000 * (i + 1);
        uint64_t length_ms = 1 + i * 37 % 200; /* each from 1 to 200 once */
        interact(UM_INTERACTION_KEY, at_ms, at_ms, at_ms, at_ms + length_ms);
    }
    interact(UM_INTERACTION_CLICK, 0, 300000, 300190, 0); /* as far as it was observed */
    cr_assert_eq(all->worst_len, UM_STATS_WORST);
    for (uint64_t i = 0; i < UM_STATS_WORST; i++) {
        uint64_t length_ms = i <= 10 ? 200 - i : 201 - i;
        cr_expect_eq(um_wire_interaction_length_ns(&all->worst[i].times), length_ms * MS, "%lu",
                     (long)i);
    }
    cr_expect_eq(all->worst[10].times.kind, UM_INTERACTION_KEY);
    cr_expect_eq(all->worst[11].times.kind, UM_INTERACTION_CLICK, "of equals the earlier is first");
}

Test(stats, shows_the_typing_latency_of_the_last_thirty_keys)
{
    for (uint64_t i = 1; i <= 60; i++)
        interact(UM_INTERACTION_KEY, 100 * i, 100 * i, 100 * i + 1, 100 * i + (i <= 30 ? 90 : i));
    cr_expect_eq(status_at(7000, 0),
                 OBSERVED | UM_WIRE_STATUS_HAS_TYPING | UM_WIRE_STATUS_TYPING_PAINTED);
    cr_expect_eq(status.typing_p50_ns, 45 * MS);
    cr_expect_eq(status.typing_p99_ns, 60 * MS);
}

Test(stats, shows_typing_until_handled_where_fewer_than_half_were_painted)
{
    for (uint64_t i = 1; i <= 10; i++)
        interact(UM_INTERACTION_KEY, 100 * i, 100 * i, 100 * i + i, i <= 5 ? 100 * i + 50 : 0);
    cr_expect_eq(status_at(7000, 0),
                 OBSERVED | UM_WIRE_STATUS_HAS_TYPING | UM_WIRE_STATUS_TYPING_PAINTED,
                 "half of them");
    cr_expect_eq(status.typing_p50_ns, 50 * MS);
    interact(UM_INTERACTION_KEY, 1100, 1100, 1111, 0);
    cr_expect_eq(status_at(7000, 0), OBSERVED | UM_WIRE_STATUS_HAS_TYPING);
    cr_expect_eq(status.typing_p50_ns, 6 * MS);
    cr_expect_eq(status.typing_p99_ns, 11 * MS);
}

Test(stats, keys_without_an_arrival_do_not_decide_what_typing_is_measured_until)
{
    for (uint64_t i = 1; i <= 4; i++)
        interact(UM_INTERACTION_KEY, 100 * i, 100 * i, 100 * i + 7, i <= 2 ? 100 * i + 57 : 0);
    for (uint64_t i = 5; i <= 8; i++)
        interact(UM_INTERACTION_KEY, 0, 100 * i, 100 * i + 7, 0);
    cr_expect_eq(status_at(7000, 0),
                 OBSERVED | UM_WIRE_STATUS_HAS_TYPING | UM_WIRE_STATUS_TYPING_PAINTED);
    cr_expect_eq(status.typing_p50_ns, 57 * MS);
}

Test(stats, shows_the_last_click_as_far_as_it_was_observed)
{
    interact(UM_INTERACTION_CLICK, 100, 101, 103, 107);
    cr_expect_eq(status_at(7000, 0),
                 OBSERVED | UM_WIRE_STATUS_HAS_CLICK | UM_WIRE_STATUS_CLICK_PAINTED);
    cr_expect_eq(status.click_ns, 7 * MS);
    interact(UM_INTERACTION_CLICK, 200, 201, 203, 0);
    cr_expect_eq(status_at(7000, 0), OBSERVED | UM_WIRE_STATUS_HAS_CLICK);
    cr_expect_eq(status.click_ns, 3 * MS);
    interact(UM_INTERACTION_CLICK, 0, 301, 303, 307);
    cr_expect_eq(status_at(7000, 0), OBSERVED, "since when is not known");
    cr_expect_eq(status.click_ns, 0);
}

/* The message that took most of a freeze ------------------------------------------------------- */

static void take_costliest(uint32_t freeze, uint64_t length_ms, uint32_t message, uint8_t kind)
{
    struct um_wire_frame frame = {.type = UM_WIRE_COSTLIEST,
                                  .as.costliest = {.length_ns = length_ms * MS,
                                                   .freeze = freeze,
                                                   .message = message,
                                                   .kind = kind,
                                                   .window_class = "Frame"}};
    um_stats_frame(stats, &frame);
}

Test(stats, the_costliest_message_stands_beside_the_suspect)
{
    struct um_wire_frame frozen =
        episode(UM_WIRE_EPISODE_END | UM_WIRE_EPISODE_HAS_MESSAGE, UM_STATE_FROZEN, 100, 900);
    frozen.as.episode.message = 0x0113;
    um_stats_frame(stats, &frozen);
    const struct um_stats_freeze *freeze = um_stats_freezes(stats)->list;
    cr_expect(!um_stats_costliest_says_more(freeze));
    take_costliest(2, 800, 0x0047, UM_TRACE_SENT); /* of another freeze */
    cr_expect(!um_stats_costliest_says_more(freeze));
    take_costliest(1, 880, 0x0113, UM_TRACE_RETRIEVED);
    cr_expect(!um_stats_costliest_says_more(freeze), "it is the suspect");
    take_costliest(1, 817, 0x0047, UM_TRACE_SENT);
    cr_expect(um_stats_costliest_says_more(freeze));
    cr_expect_eq(freeze->costliest.length_ns, 817 * MS);
    cr_expect_eq(freeze->costliest.message, 0x0047);
    cr_expect_str_eq(freeze->costliest.window_class, "Frame");
    cr_expect_str_eq(um_stats_costliest_how(&freeze->costliest), "sent");
    take_costliest(1, 5000, 0x0113, UM_WIRE_UNKNOWN);
    cr_expect_eq(freeze->costliest.length_ns, 900 * MS, "never more than the freeze");
    cr_expect_null(um_stats_costliest_how(&freeze->costliest));
}

/* Rest ----------------------------------------------------------------------------------------- */

static void pace(uint32_t rest_ms)
{
    struct um_wire_frame frame = {.type = UM_WIRE_PACE, .as.pace = {rest_ms * 1000}};
    um_stats_frame(stats, &frame);
}

static void rest(uint64_t until_ms, uint32_t skipped)
{
    struct um_wire_frame frame = {.type = UM_WIRE_REST,
                                  .as.rest = {START + until_ms * MS, skipped}};
    um_stats_frame(stats, &frame);
}

/* A second of work at 20 ms a beat, and a second of rest at 2 ms with a tenth of the beats. */
Test(stats, time_at_rest_weighs_as_much_as_time_at_work)
{
    pace(100);
    for (uint64_t ms = 0; ms < 1000; ms += 10)
        beat(ms, 9);
    beat(1000, 2);
    for (uint64_t ms = 1100; ms <= 2000; ms += 100) {
        rest(ms, 9);
        beat(ms, 2);
    }
    const struct um_histogram *all = um_stats_histogram(stats);
    cr_expect_eq(um_histogram_count(all), 201);
    cr_expect_leq(um_histogram_value_at_percentile(all, 50), 21 * MS / 10);
    cr_expect_geq(um_histogram_value_at_percentile(all, 51), 9 * MS);
    uint8_t flags = status_at(2100, 0);
    cr_assert(flags & UM_WIRE_STATUS_HAS_LATENCY);
    cr_expect_eq(status.p50_ns, 2 * MS);
}

/* While the program is suspended it does not rest. */
Test(stats, the_longest_time_without_a_beat_at_rest_is_kept)
{
    cr_expect_eq(um_stats_told_at_rest_ns(um_stats_beats(stats), 100 * MS, 10 * MS), 0);
    beat(0, 1);
    rest(101, 9);
    beat(101, 1);
    rest(200, 9);
    beat(200, 1);
    take_episode(UM_WIRE_EPISODE_END, UM_STATE_SUSPENDED, 250, 700);
    rest(1000, 9);
    beat(1000, 1);
    cr_expect_eq(um_stats_beats(stats)->rest_gap_ns, 101 * MS);
    cr_expect_eq(um_stats_told_at_rest_ns(um_stats_beats(stats), 100 * MS, 10 * MS), 197 * MS);
    cr_expect_eq(um_stats_told_at_rest_ns(um_stats_beats(stats), 1 * MS, 10 * MS), 103 * MS,
                 "a ready thread may take so long");
}

Test(stats, rest_before_a_beat_was_measured_counts_for_nothing)
{
    rest(1000, UINT32_MAX);
    cr_expect_eq(um_histogram_count(um_stats_histogram(stats)), 0);
}

/* What a damaged recording can claim takes no time. */
Test(stats, a_rest_of_any_length_is_counted_at_once, .timeout = 60)
{
    beat(0, 2);
    for (uint64_t i = 1; i < 100; i++)
        rest(1000 * i, UINT32_MAX);
    cr_expect_eq(um_histogram_count(um_stats_histogram(stats)), 1 + UINT64_C(99) * UINT32_MAX);
}

Test(stats, a_slice_without_a_beat_has_the_lag_of_the_beat_that_stands_for_it)
{
    pace(100);
    beat(90, 2);
    cr_expect(status_at(200, 0) & UM_WIRE_STATUS_HAS_LAG);
    cr_expect_eq(status.slice_worst_ns, 2 * MS);
    cr_expect(!(status_at(300, 0) & UM_WIRE_STATUS_HAS_LAG), "it is too long ago");
}

Test(stats, without_a_pace_a_slice_without_a_beat_is_empty)
{
    beat(90, 2);
    cr_expect(!(status_at(200, 0) & UM_WIRE_STATUS_HAS_LAG));
}

static void freeze_with_stack(uint32_t id, uint64_t length_ms)
{
    struct um_wire_frame freeze =
        episode(UM_WIRE_EPISODE_END, UM_STATE_FROZEN, id * UINT64_C(10000), length_ms);
    struct um_wire_frame stack = {.type = UM_WIRE_STACK};
    freeze.as.episode.id = id;
    um_stats_frame(stats, &freeze);
    stack.as.stack.freeze = id;
    stack.as.stack.samples = (uint32_t)length_ms;
    um_stats_frame(stats, &stack);
}

Test(stats, keeps_the_stacks_of_the_longest_freezes)
{
    const struct um_stats_stacks *stacks = um_stats_stacks(stats);
    cr_expect(!um_stats_stack_of(stacks, 1));
    for (uint32_t id = 1; id <= 3 * UM_STATS_STACKS; id++)
        freeze_with_stack(id, 100 + id * 7919 % 1000);
    cr_assert_eq(stacks->len, UM_STATS_STACKS);
    uint64_t shortest_kept = UINT64_MAX;
    uint64_t longest_left_out = 0;
    for (uint32_t id = 1; id <= 3 * UM_STATS_STACKS; id++) {
        uint64_t length = 100 + id * 7919 % 1000;
        const struct um_wire_stack *stack = um_stats_stack_of(stacks, id);
        cr_assert(!stack || stack->samples == length);
        if (stack && length < shortest_kept)
            shortest_kept = length;
        if (!stack && length > longest_left_out)
            longest_left_out = length;
    }
    cr_expect_geq(shortest_kept, longest_left_out);
}

Test(stats, keeps_for_whom_a_freeze_waited)
{
    const struct um_stats_stacks *stacks = um_stats_stacks(stats);
    struct um_wire_frame wait = {.type = UM_WIRE_WAIT,
                                 .as.wait = {.freeze = 2, .thread = 7, .kind = UM_WIRE_WAIT_LOCK}};
    freeze_with_stack(1, 200);
    um_stats_frame(stats, &wait);
    freeze_with_stack(2, 300);
    cr_expect_null(um_stats_wait_of(stacks, 2), "it comes after the STACK");
    um_stats_frame(stats, &wait);
    cr_assert_not_null(um_stats_wait_of(stacks, 2));
    cr_expect_eq(um_stats_wait_of(stacks, 2)->thread, 7);
    cr_expect_null(um_stats_wait_of(stacks, 1));
    cr_expect_null(um_stats_wait_of(NULL, 2));
}

Test(stats, a_stack_without_its_freeze_is_left_out)
{
    struct um_wire_frame stack = {.type = UM_WIRE_STACK, .as.stack = {.freeze = 5, .samples = 1}};
    um_stats_frame(stats, &stack);
    cr_expect_eq(um_stats_stacks(stats)->len, 0);
    freeze_with_stack(5, 200);
    stack.as.stack.samples = 201;
    um_stats_frame(stats, &stack);
    cr_expect_eq(um_stats_stacks(stats)->len, 1, "it takes the place of the first");
    cr_expect_eq(um_stats_stack_of(um_stats_stacks(stats), 5)->samples, 201);
}

/* Felt freezes --------------------------------------------------------------------------------- */

#define FREEZE_OVER(start_ms, length_ms)                                                           \
    take_episode(UM_WIRE_EPISODE_END, UM_STATE_FROZEN, start_ms, length_ms)

static const struct um_stats_freeze *freeze_at(size_t index)
{
    const struct um_stats_freezes *freezes = um_stats_freezes(stats);
    cr_assert_lt(index, freezes->len);
    return &freezes->list[index];
}

/* An input waited in a freeze if it had arrived by its end and was taken after it. */
Test(stats, counts_the_inputs_that_a_freeze_held_up)
{
    FREEZE_OVER(1000, 500);
    interact(UM_INTERACTION_KEY, 1100, 1500, 1501, 1510);
    interact(UM_INTERACTION_KEY, 1499, 1502, 1503, 1510);
    interact(UM_INTERACTION_CLICK, 900, 1503, 1504, 1510);  /* it has waited since before */
    interact(UM_INTERACTION_WHEEL, 1501, 1505, 1506, 1510); /* after its end */
    interact(UM_INTERACTION_WHEEL, 980, 990, 1501, 1510);   /* it made the freeze */
    interact(UM_INTERACTION_WHEEL, 0, 1506, 1507, 1510);    /* when it arrived is not known */
    cr_expect_eq(freeze_at(0)->held_up[UM_INTERACTION_KEY], 2);
    cr_expect_eq(freeze_at(0)->held_up[UM_INTERACTION_CLICK], 1);
    cr_expect_eq(freeze_at(0)->held_up[UM_INTERACTION_WHEEL], 0);
    cr_expect_eq(um_stats_freezes(stats)->felt, 1);
    cr_expect(status_at(2000, 0) & UM_WIRE_STATUS_HAS_FELT);
    cr_expect_eq(status.felt, 1);
}

/* A beat that was sent after the input may end the freeze a little later than the input was taken.
 * What has waited in it for 100 ms was held up all the same. */
Test(stats, an_input_that_waited_for_long_was_held_up_though_it_was_taken_before_the_end)
{
    FREEZE_OVER(1000, 500);
    interact(UM_INTERACTION_KEY, 1010, 1495, 1499, 1510);
    interact(UM_INTERACTION_KEY, 1400, 1495, 1499, 1510); /* only 95 ms */
    cr_expect_eq(freeze_at(0)->held_up[UM_INTERACTION_KEY], 1);
}

Test(stats, an_input_may_wait_in_several_freezes)
{
    FREEZE_OVER(1000, 200);
    FREEZE_OVER(1250, 200);
    FREEZE_OVER(3000, 200);
    interact(UM_INTERACTION_KEY, 1100, 1460, 1461, 0);
    cr_expect_eq(freeze_at(0)->held_up[UM_INTERACTION_KEY], 1);
    cr_expect_eq(freeze_at(1)->held_up[UM_INTERACTION_KEY], 1);
    cr_expect_eq(freeze_at(2)->held_up[UM_INTERACTION_KEY], 0);
    cr_expect_eq(um_stats_freezes(stats)->felt, 2);
}

static void expect_felt(uint32_t felt, uint32_t unsure)
{
    cr_expect_eq(um_stats_freezes(stats)->felt, felt);
    cr_expect_eq(um_stats_freezes(stats)->unsure, unsure);
    cr_expect_eq((status_at(9000, 0) & UM_WIRE_STATUS_HAS_FELT) != 0, unsure == 0);
}

/* Where keys are delivered after the freeze, their arrivals are not observed. */
Test(stats, a_freeze_that_may_have_held_up_an_input_is_not_known_to_be_felt)
{
    FREEZE_OVER(1000, 500);
    FREEZE_OVER(3000, 500);
    FREEZE_OVER(6000, 500);
    interact(UM_INTERACTION_KEY, 500, 501, 502, 0);
    expect_felt(0, 0);
    interact(UM_INTERACTION_KEY, 0, 3501, 3502, 0);
    interact(UM_INTERACTION_KEY, 0, 3502, 3503, 0);
    expect_felt(0, 1);
    cr_expect(um_stats_knows_felt(um_stats_freezes(stats), freeze_at(0)));
    cr_expect_not(um_stats_knows_felt(um_stats_freezes(stats), freeze_at(1)));
    interact(UM_INTERACTION_KEY, 6100, 6500, 6501, 0);
    expect_felt(1, 1);
    cr_expect(um_stats_knows_felt(um_stats_freezes(stats), freeze_at(2)));
}

/* One input that certainly waited is enough. */
Test(stats, an_observed_input_makes_an_unsure_freeze_a_felt_one)
{
    FREEZE_OVER(1000, 500);
    interact(UM_INTERACTION_CLICK, 0, 1500, 1501, 0);
    expect_felt(0, 1);
    interact(UM_INTERACTION_KEY, 1200, 1502, 1503, 0);
    interact(UM_INTERACTION_KEY, 0, 1503, 1504, 0);
    expect_felt(1, 0);
    cr_expect_eq(freeze_at(0)->held_up[UM_INTERACTION_KEY], 1);
}

Test(stats, inputs_that_cannot_have_waited_leave_a_freeze_known)
{
    FREEZE_OVER(1000, 500);
    interact(UM_INTERACTION_KEY, 0, 1005, 1500, 0); /* its handling is the freeze */
    interact(UM_INTERACTION_KEY, 0, 2501, 2502, 0); /* a second after it */
    interact(UM_INTERACTION_KEY, 1521, 1522, 1523, 0);
    expect_felt(0, 0);
}

/* What a thread finds at once after a freeze may have been there before, for all that is known. */
Test(stats, an_arrival_just_after_a_freeze_may_be_a_late_one)
{
    FREEZE_OVER(1000, 500);
    interact(UM_INTERACTION_KEY, 1519, 1520, 1521, 0);
    expect_felt(0, 1);
}

Test(stats, of_a_freeze_that_lasts_nothing_is_counted)
{
    take_episode(UM_WIRE_EPISODE_END | UM_WIRE_EPISODE_OPEN, UM_STATE_FROZEN, 1000, 500);
    interact(UM_INTERACTION_KEY, 1100, 1500, 1501, 0);
    interact(UM_INTERACTION_KEY, 0, 1501, 1502, 0);
    expect_felt(0, 0);
    cr_expect_not(um_stats_knows_felt(um_stats_freezes(stats), freeze_at(0)));
}

/* Without that it is not known whether somebody felt a freeze. */
Test(stats, totals_say_whether_input_is_observed)
{
    struct um_wire_frame frame = {.type = UM_WIRE_TOTALS};
    FREEZE_OVER(1000, 200);
    um_stats_frame(stats, &frame);
    cr_expect_eq(status_at(2000, 0) & UM_WIRE_STATUS_HAS_FELT, 0);
    cr_expect_not(um_stats_freezes(stats)->observes);
    frame.as.totals.observes = 1;
    um_stats_frame(stats, &frame);
    cr_expect(status_at(2000, 0) & UM_WIRE_STATUS_HAS_FELT);
    cr_expect_eq(status.felt, 0);
}
