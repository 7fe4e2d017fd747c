/* Frames written one by one where a rule is at stake; and a small model of a program that is typed
 * into, which knows when it did what, for everything together. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "monitor/measure/interactions.h"
#include "monitor/measure/watchdog.h"

#define START_NS UINT64_C(1000000000)
#define KEY 0x0100
#define KEY_UP 0x0101
#define CHARACTER 0x0102
#define LEFT_DOWN 0x0201
#define LEFT_UP 0x0202
#define RIGHT_DOWN 0x0204
#define RIGHT_UP 0x0205
#define WHEEL 0x020a
#define POINTER_DOWN 0x0246
#define POINTER_UP 0x0247
#define X_UP 0x020c
#define X_DOUBLE_CLICK 0x020d
#define PAINT 0x000f
#define TIMER 0x0113
#define MARKER 0x82f2
#define MAX_TOLD 4096

static struct um_interactions interactions;
static struct um_beats beats;      /* as the watchdog would know them */
static struct um_wire_frame *told; /* MAX_TOLD, once there is one */
static size_t told_count;
static uint64_t lost;
static uint32_t seq;
static double now_ms;
static const char *script_name = ""; /* of the row that is played */

static uint64_t at(double ms)
{
    return START_NS + (uint64_t)(ms * 1e6 + 0.5);
}

static void publish(void *context, const struct um_wire_frame *frame)
{
    (void)context;
    cr_assert_eq(frame->type, UM_WIRE_INTERACTION);
    cr_assert_lt(told_count, MAX_TOLD);
    if (!told)
        cr_assert_not_null(told = calloc(MAX_TOLD, sizeof *told));
    cr_assert_eq(frame->as.interaction.id, told_count + 1);
    told[told_count++] = *frame;
}

static void open_interactions(const struct um_beats *the_beats)
{
    struct um_interactions_output output = {.publish = publish};
    um_interactions_init(&interactions, the_beats, &output);
}

static void setup(void)
{
    memset(&beats, 0, sizeof beats);
    open_interactions(&beats);
    told_count = 0;
    lost = 0;
    now_ms = 0;
}

TestSuite(interactions, .init = setup);

static void hand_in(const struct um_wire_frame *frame, double ms)
{
    now_ms = ms > now_ms ? ms : now_ms;
    um_interactions_frame(&interactions, frame, at(now_ms));
}

static struct um_wire_frame taken_frame(double ms, uint32_t message, uint8_t flags, uint32_t age_ms)
{
    struct um_wire_frame frame = {.type = UM_WIRE_TAKEN, .flags = flags};
    frame.as.taken.time_ns = at(ms);
    frame.as.taken.message = message;
    frame.as.taken.age_ms = age_ms;
    return frame;
}

static void taken(double ms, uint32_t message, uint8_t flags)
{
    struct um_wire_frame frame = taken_frame(ms, message, flags, UM_WIRE_AGE_UNKNOWN);
    hand_in(&frame, ms);
}

/* What the user did, as the thread takes it. */
static void input(double ms, uint32_t message, uint32_t age_ms)
{
    bool release = message == LEFT_UP || message == RIGHT_UP || message == X_UP;
    uint8_t flags = UM_WIRE_TAKEN_INPUT | (release ? UM_WIRE_TAKEN_RELEASE : UM_WIRE_TAKEN_STARTS);
    struct um_wire_frame frame = taken_frame(ms, message, flags, age_ms);
    hand_in(&frame, ms);
}

/* A key that happened at `own_ms`, as the thread takes it. */
static void key_with_time(double ms, uint32_t own_ms, uint32_t key)
{
    struct um_wire_frame frame =
        taken_frame(ms, KEY, UM_WIRE_TAKEN_INPUT | UM_WIRE_TAKEN_STARTS, (uint32_t)(ms - own_ms));
    frame.as.taken.own_ms = own_ms;
    frame.as.taken.key = key;
    hand_in(&frame, ms);
}

static void marker(double ms)
{
    taken(ms, MARKER, UM_WIRE_TAKEN_OURS);
}

static void paint(double ms)
{
    taken(ms, PAINT, UM_WIRE_TAKEN_PAINT);
}

static void sent(double ms)
{
    struct um_wire_frame frame = {.type = UM_WIRE_SENT, .as.sent = {at(ms), ++seq}};
    beats.out = (struct um_beat){at(ms), seq};
    hand_in(&frame, ms);
}

static void answer_beat(void)
{
    beats.answered = beats.out;
    beats.out = (struct um_beat){0};
}

static void seen(double ms)
{
    struct um_wire_frame frame = {
        .type = UM_WIRE_SEEN, .flags = UM_WIRE_SEEN_RAW, .as.seen = {at(ms), seq}};
    taken(ms, 0xff, UM_WIRE_TAKEN_OURS);
    answer_beat();
    hand_in(&frame, ms);
}

/* A beat that is answered at once. */
static void beat(double ms)
{
    sent(ms);
    seen(ms + 0.2);
}

static void drained(double ms)
{
    struct um_wire_frame frame = {.type = UM_WIRE_DRAINED, .as.drained = {at(ms), lost}};
    hand_in(&frame, ms);
    um_interactions_settle(&interactions, at(now_ms));
}

/* The own times of these arrivals are never those of the messages. */
static void arrive_as(double ms, enum um_interaction kind, bool release, uint32_t key)
{
    struct um_arrival arrival = {
        .time_ns = at(ms), .own_ms = 7, .key = key, .kind = (uint8_t)kind, .release = release};
    um_interactions_arrived(&interactions, &arrival);
}

/* A key that happened at `own_ms` and was heard of at `ms`. */
static void arrive_with_time(double ms, uint32_t own_ms, uint32_t key)
{
    struct um_arrival arrival = {
        .time_ns = at(ms), .own_ms = own_ms, .key = key, .kind = UM_INTERACTION_KEY};
    um_interactions_arrived(&interactions, &arrival);
}

static void arrive(double ms)
{
    arrive_as(ms, UM_INTERACTION_KEY, false, 0);
}

static void episode(uint8_t flags, enum um_state state, uint32_t id, double start_ms, double end_ms)
{
    struct um_wire_frame frame = {.type = UM_WIRE_EPISODE, .flags = flags};
    frame.as.episode.id = id;
    frame.as.episode.state = (uint8_t)state;
    frame.as.episode.start_ns = at(start_ms);
    frame.as.episode.end_ns = at(end_ms);
    um_interactions_episode(&interactions, &frame);
}

static const struct um_wire_interaction *nth(size_t i)
{
    cr_assert_lt(i, told_count, "only %zu were told", told_count);
    return &told[i].as.interaction;
}

static void expect_time(uint64_t time_ns, double ms, const char *what)
{
    if (ms < 0)
        cr_expect_eq(time_ns, 0, "%s %s was not observed, and is %g", script_name, what,
                     (double)(time_ns - START_NS) / 1e6);
    else
        cr_expect_eq(time_ns, at(ms), "%s %s is %g and not %g", script_name, what,
                     ((double)time_ns - (double)START_NS) / 1e6, ms);
}

/* Negative: not observed. */
static void expect_times(size_t i, double arrival_ms, double dequeued_ms, double handled_ms,
                         double painted_ms)
{
    const struct um_wire_interaction *interaction = nth(i);
    expect_time(interaction->arrival_ns, arrival_ms, "arrival");
    expect_time(interaction->dequeued_ns, dequeued_ms, "dequeued");
    expect_time(interaction->handled_ns, handled_ms, "handled");
    expect_time(interaction->painted_ns, painted_ms, "painted");
}

/* A key that makes a character: taken at `ms`, 1 ms for the key and 2 for the character. */
static void type(double ms)
{
    input(ms, KEY, 0);
    marker(ms + 1);
    taken(ms + 1, CHARACTER, 0);
    marker(ms + 3);
}

/* The thread paints what was typed, and rests. */
static void paint_and_rest(double ms)
{
    paint(ms);
    marker(ms + 1);
    beat(ms + 2);
    drained(ms + 18);
}

static void drained_after_a_loss(double ms)
{
    lost = 1;
    drained(ms);
}

/* A beat of the mouse probe: the target gets it as a movement. */
static void mouse_beat(double ms)
{
    struct um_wire_frame frame = {.type = UM_WIRE_SEEN, .flags = UM_WIRE_SEEN_MOUSE};
    sent(ms);
    frame.as.seen = (struct um_wire_seen){at(ms + 0.2), seq};
    answer_beat();
    hand_in(&frame, ms + 0.2);
    taken(ms + 0.2, 0x0200, UM_WIRE_TAKEN_OURS);
}

/* The words of a script: a function, or a message that the thread takes. */
static const struct {
    const char *word;
    void (*happens)(double ms);
    uint32_t message;
    uint8_t flags;
} words[] = {
    {"arrive", arrive, 0, 0},
    {"beat", beat, 0, 0},
    {"character", NULL, CHARACTER, 0},
    {"dead_character", NULL, 0x0103, 0},
    {"key", NULL, KEY, UM_WIRE_TAKEN_INPUT | UM_WIRE_TAKEN_STARTS},
    {"key_up", NULL, KEY_UP, 0},
    {"left_down", NULL, LEFT_DOWN, UM_WIRE_TAKEN_INPUT | UM_WIRE_TAKEN_STARTS},
    {"drained", drained, 0, 0},
    {"drained_after_a_loss", drained_after_a_loss, 0, 0},
    {"marker", marker, 0, 0},
    {"mouse_beat", mouse_beat, 0, 0},
    {"mouse_move_of_ours", NULL, 0x0200, UM_WIRE_TAKEN_OURS},
    {"other_paint", NULL, PAINT, 0},
    {"paint", paint, 0, 0},
    {"paint_and_rest", paint_and_rest, 0, 0},
    {"repeat", NULL, KEY, 0},
    {"right_down", NULL, RIGHT_DOWN, UM_WIRE_TAKEN_INPUT | UM_WIRE_TAKEN_STARTS},
    {"timer", NULL, TIMER, 0},
    {"type", type, 0, 0},
    {"x_double_click", NULL, X_DOUBLE_CLICK, UM_WIRE_TAKEN_INPUT | UM_WIRE_TAKEN_STARTS},
    {"x_up", NULL, X_UP, UM_WIRE_TAKEN_INPUT | UM_WIRE_TAKEN_RELEASE},
};

static void happen(const char *word, double ms)
{
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(words[i].word, word) != 0)
            continue;
        if (words[i].happens) {
            words[i].happens(ms);
            return;
        }
        bool is_input = words[i].flags & UM_WIRE_TAKEN_INPUT;
        struct um_wire_frame frame =
            taken_frame(ms, words[i].message, words[i].flags, is_input ? 0 : UM_WIRE_AGE_UNKNOWN);
        hand_in(&frame, ms);
        return;
    }
    cr_assert_fail("%s: no such word: %s", script_name, word);
}

/* What happens, each with its ms, and the times of each interaction that comes of it. */
struct script {
    const char *name;
    const char *steps;
    double expected[4][4]; /* arrival, dequeued, handled, painted; negative: not observed */
};

static void play(const struct script *scripts, size_t count)
{
    for (const struct script *script = scripts; script < scripts + count; script++) {
        size_t expected = 0;
        char word[32];
        double ms;
        int len = 0;
        setup();
        script_name = script->name;
        for (const char *at = script->steps; sscanf(at, "%31s %lf%n", word, &ms, &len) == 2;
             at += len)
            happen(word, ms);
        for (; expected < 4 && script->expected[expected][1] > 0; expected++) {
            const double *times = script->expected[expected];
            expect_times(expected, times[0], times[1], times[2], times[3]);
        }
        cr_expect_eq(told_count, expected, "%s", script->name);
    }
}

Test(interactions, measures_a_key_until_its_character_is_handled_and_painted)
{
    arrive(9.5);
    type(10);
    paint(13.1);
    marker(15);
    beat(16);
    drained(25);
    cr_assert_eq(told_count, 1);
    expect_times(0, 9.5, 10, 13, 15);
    cr_expect_eq(nth(0)->kind, UM_INTERACTION_KEY);
    cr_expect_eq(nth(0)->freeze, 0);
    cr_expect_eq(told[0].flags, 0);
}

/* Whether this number is anywhere in the memory. */
static bool remembers(uint32_t secret)
{
    const unsigned char *bytes = (const unsigned char *)&interactions;
    for (size_t i = 0; i + sizeof secret <= sizeof interactions; i++)
        if (memcmp(bytes + i, &secret, sizeof secret) == 0)
            return true;
    return false;
}

Test(interactions, keys_are_forgotten_when_they_were_told)
{
    const uint32_t secret = 0x5ec2e7;
    struct um_wire_frame key = taken_frame(10, KEY, UM_WIRE_TAKEN_INPUT | UM_WIRE_TAKEN_STARTS, 0);

    key.as.taken.key = secret;
    arrive_as(9.5, UM_INTERACTION_KEY, false, secret);
    cr_assert(remembers(secret));
    hand_in(&key, 10);
    marker(11);
    paint(11.5);
    marker(12);
    beat(16);
    drained(25);
    cr_assert_eq(told_count, 1);
    cr_expect_eq(nth(0)->key, secret);
    cr_expect(!remembers(secret));

    arrive_as(100, UM_INTERACTION_KEY, false, secret); /* for another program */
    um_interactions_stop(&interactions);
    cr_expect(!remembers(secret));
}

Test(interactions, is_handled_when_the_next_message_is_taken)
{
    static const struct script scripts[] = {
        {"a key without a character",
         "arrive 9.5 key 10 marker 11 paint_and_rest 11.5",
         {{9.5, 10, 11, 12.5}}},
        {"where no marker comes",
         "key 10 timer 17 paint 18 timer 19 beat 20 drained 40",
         {{-1, 10, 17, 19}}},
        {"several characters are handled with their key",
         "key 10 character 11 dead_character 12 marker 14 paint_and_rest 14.5",
         {{-1, 10, 14, 15.5}}},
        {"a character after an idle thread is not the key's",
         "key 10 marker 11 beat 14 beat 24 character 30 marker 40 drained 300",
         {{-1, 10, 11, -1}}},
        {"a character behind another message is not the key's",
         "key 10 marker 11 repeat 12 character 13 marker 14 paint_and_rest 14.5",
         {{-1, 10, 11, 15.5}}},
        {"nor is one behind the key's release",
         "key 10 marker 11 key_up 12 character 13 marker 14 paint_and_rest 14.5",
         {{-1, 10, 11, 15.5}}},
        {"nor is one behind a paint",
         "key 10 marker 11 other_paint 12 character 13 marker 14 paint_and_rest 14.5",
         {{-1, 10, 11, 15.5}}},
        {"one paint is that of all keys before it",
         "arrive 9 arrive 9.2 type 10 type 13 paint_and_rest 16",
         {{9, 10, 13, 17}, {9.2, 13, 16, 17}}},
    };
    play(scripts, sizeof scripts / sizeof scripts[0]);
}

Test(interactions, a_paint_may_come_late_while_the_thread_is_at_work)
{
    type(10);
    for (double ms = 14; ms < 900; ms += 10)
        taken(ms, TIMER, 0);
    paint(905);
    marker(910);
    beat(911);
    drained(925);
    expect_times(0, -1, 10, 13, 910);
}

Test(interactions, a_paint_after_a_second_is_not_observed)
{
    type(10);
    for (double ms = 14; ms < 1100; ms += 10)
        taken(ms, TIMER, 0);
    drained(1005);
    cr_expect_eq(told_count, 0, "there may be a paint yet");
    paint(1100);
    marker(1110);
    beat(1111);
    drained(1125);
    expect_times(0, -1, 10, 13, -1);
}

static void type_and_rest(double paint_ms)
{
    setup();
    type(10);
    for (double ms = 20; ms < paint_ms; ms += 10)
        beat(ms);
    paint(paint_ms);
    marker(paint_ms + 1);
    beat(paint_ms + 5);
    drained(paint_ms + 20);
}

static void tap_message(double ms, uint32_t message, uint64_t hwnd, bool promoted)
{
    bool release = message == POINTER_UP || message == LEFT_UP;
    uint8_t flags = UM_WIRE_TAKEN_INPUT | (release ? UM_WIRE_TAKEN_RELEASE : UM_WIRE_TAKEN_STARTS);
    struct um_wire_frame frame =
        taken_frame(ms, message, flags, promoted ? 0 : UM_WIRE_AGE_UNKNOWN);
    frame.as.taken.hwnd = hwnd;
    frame.as.taken.promoted = promoted;
    hand_in(&frame, ms);
    marker(ms + 2);
}

/* A finger that comes down and goes up, in a window that handles it or leaves it to the system. */
static void tap(double ms, uint64_t hwnd, bool promotes)
{
    tap_message(ms, POINTER_DOWN, hwnd, false);
    tap_message(ms + 100, POINTER_UP, hwnd, false);
    if (promotes) {
        tap_message(ms + 103, LEFT_DOWN, hwnd, true);
        tap_message(ms + 106, LEFT_UP, hwnd, true);
    }
}

Test(interactions, a_tap_is_a_click_without_an_arrival)
{
    struct um_arrival other = {.time_ns = at(98), .kind = UM_INTERACTION_CLICK};
    um_interactions_arrived(&interactions, &other); /* of a mouse, in another program */
    tap(100, 7, false);
    um_interactions_stop(&interactions);
    cr_assert_eq(told_count, 1);
    cr_expect_eq(told[0].as.interaction.kind, UM_INTERACTION_CLICK);
    cr_expect_eq(told[0].as.interaction.arrival_ns, 0);
    cr_expect_eq(told[0].as.interaction.handled_ns - told[0].as.interaction.dequeued_ns, 2000000);
}

Test(interactions, a_tap_that_becomes_a_click_counts_once)
{
    tap(100, 7, true);
    tap(2000, 7, true);
    um_interactions_stop(&interactions);
    cr_assert_eq(told_count, 2);
    for (size_t i = 0; i < 2; i++) {
        double from_ms = i ? 2103 : 203;
        cr_expect(told[i].as.interaction.dequeued_ns == at(from_ms) ||
                  told[i].as.interaction.dequeued_ns == at(from_ms + 3));
    }
}

Test(interactions, a_tap_on_another_window_of_the_thread_still_counts)
{
    tap(100, 7, true);
    tap(2000, 8, false);
    um_interactions_stop(&interactions);
    cr_assert_eq(told_count, 2);
    cr_expect(told[1].as.interaction.dequeued_ns == at(2000) ||
              told[1].as.interaction.dequeued_ns == at(2100));
}

Test(interactions, a_deferred_paint_counts_for_a_quarter_of_a_second)
{
    type_and_rest(259);
    expect_times(0, -1, 10, 13, 260);
    type_and_rest(265);
    expect_times(0, -1, 10, 13, -1);
}

Test(interactions, the_thread_is_idle_only_if_that_is_proved)
{
    static const struct script scripts[] = {
        {"two beats prove it until the next interaction",
         "type 10 beat 20 beat 30 type 100 paint_and_rest 103",
         {{-1, 10, 13, -1}, {-1, 100, 103, 104}}},
        /* It may have been kept from the processor before it looked for a paint. */
        {"one beat does not",
         "type 10 beat 20 paint 20.4 marker 25 type 100 paint 104 marker 105 type 200 "
         "beat 210 type 211 paint_and_rest 214",
         {{-1, 10, 13, 25}, {-1, 100, 103, 105}, {-1, 200, 203, 215}, {-1, 211, 214, 215}}},
        /* The timer's handling may have gone on when the beat was sent. */
        {"the thread may be at work",
         "type 10 timer 13.5 beat 20 type 20.5 paint_and_rest 24",
         {{-1, 10, 13, 25}, {-1, 20.5, 23.5, 25}}},
        {"beats that follow at once do not",
         "type 10 beat 14 beat 15 beat 16 type 17 paint_and_rest 20.5",
         {{-1, 10, 13, 21.5}, {-1, 17, 20, 21.5}}},
        /* The target handles them. */
        {"mouse moves of ours do not",
         "type 10 mouse_move_of_ours 13.5 mouse_beat 20 mouse_beat 30 mouse_beat 40 type 41 "
         "paint_and_rest 44.5",
         {{-1, 10, 13, 45.5}, {-1, 41, 44, 45.5}}},
    };
    play(scripts, sizeof scripts / sizeof scripts[0]);
}

Test(interactions, nothing_is_told_before_a_paint_is_ruled_out)
{
    type(10);
    beat(20);
    beat(30);
    drained(262);
    cr_expect_eq(told_count, 0);
    drained(264);
    cr_expect_eq(told_count, 1);
    expect_times(0, -1, 10, 13, -1);
}

/* Matching ------------------------------------------------------------------------------------- */

Test(interactions, an_arrival_that_is_heard_of_later_than_its_dequeue_is_one_at_the_dequeue)
{
    type(10);
    paint(13);
    marker(14);
    arrive(10.3);
    beat(16);
    drained(19);
    cr_expect_eq(told_count, 0, "others may arrive");
    drained(21);
    expect_times(0, 10, 10, 13, 14);
}

Test(interactions, each_arrival_is_that_of_one_key)
{
    static const struct script scripts[] = {
        /* The second arrival is too late for its key, and farther still from the third. */
        {"heard of after the dequeue",
         "type 10 arrive 13 type 110 arrive 113.1 type 124 paint_and_rest 128",
         {{10, 10, 13, 129}, {-1, 110, 113, 129}, {-1, 124, 127, 129}}},
        {"one is missing",
         "arrive 9.5 type 10 type 110 arrive 209.5 type 210 paint_and_rest 215",
         {{9.5, 10, 13, 216}, {-1, 110, 113, 216}, {209.5, 210, 213, 216}}},
        {"it counts once",
         "arrive 9.5 type 10 type 14 paint_and_rest 18",
         {{9.5, 10, 13, 19}, {-1, 14, 17, 19}}},
        {"a click without a release goes out with the next press",
         "left_down 100 marker 105 paint 106 marker 107 right_down 200 marker 205 "
         "paint_and_rest 206",
         {{-1, 100, 105, 107}}},
        {"a double click of an X button is paired with its release",
         "x_double_click 100 marker 105 x_up 150 marker 151 paint_and_rest 152 drained 1200",
         {{-1, 100, 105, 153}}},
    };
    play(scripts, sizeof scripts / sizeof scripts[0]);
}

Test(interactions, input_of_other_programs_is_passed_over)
{
    for (double ms = 100; ms < 1000; ms += 50)
        arrive(ms);
    arrive(1000);
    type(1000.3);
    paint_and_rest(1004);
    expect_times(0, 1000, 1000.3, 1003.3, 1005);
}

Test(interactions, what_went_elsewhere_is_forgotten)
{
    for (int i = 0; i < 5 * UM_INTERACTIONS_ARRIVALS; i++) {
        arrive(10.0 * i);
        beat(10.0 * i + 5);
    }
    cr_expect_eq(um_interactions_lost(&interactions), 0);
}

Test(interactions, a_missing_arrival_in_a_burst_leaves_the_others_where_they_are)
{
    static const double delay_ms = 0.25;
    for (int i = 0; i < 10; i++) {
        if (i != 4)
            arrive(100 + 5 * i);
        input(100 + 5 * i + delay_ms, KEY, 0);
        marker(100 + 5 * i + 0.5);
    }
    paint_and_rest(146);
    for (size_t i = 0; i < 10; i++)
        expect_time(nth(i)->arrival_ns, i == 4 ? -1 : 100 + 5 * (double)i, "arrival");
}

Test(interactions, the_messages_own_time_is_when_it_arrived)
{
    arrive(100);
    input(700, KEY, 600);
    marker(701);
    arrive(750);
    input(900, KEY, 20); /* another one: 750 is too far from 880 */
    marker(901);
    paint_and_rest(902);
    expect_time(nth(0)->arrival_ns, 100, "the first");
    expect_time(nth(1)->arrival_ns, -1, "the second");
}

/* Its own time is told in steps, and may seem to be that of what was typed elsewhere just
 * before. */
Test(interactions, a_key_that_a_thread_had_waited_for_arrived_just_before_it_was_dequeued)
{
    beat(170);
    for (double ms = 185; ms <= 200; ms += 5)
        arrive(ms);
    input(200.3, KEY, 16);
    marker(201);
    paint_and_rest(202);
    expect_times(0, 200, 200.3, 201, 203);
}

/* Own times ------------------------------------------------------------------------------------ */

/* Two keys whose own times are those of their arrivals. */
static void show_that_times_agree(void)
{
    arrive_with_time(10.1, 10, 0);
    key_with_time(10.3, 10, 0);
    marker(11);
    arrive_with_time(20.1, 20, 0);
    key_with_time(20.3, 20, 0);
    marker(21);
    beat(25);
    drained(35);
}

static void expect_arrivals(const double *arrivals_ms, size_t count)
{
    paint_and_rest(1900);
    cr_assert_eq(told_count, count);
    for (size_t i = 0; i < count; i++)
        expect_time(nth(i)->arrival_ns, arrivals_ms[i], "arrival");
}

/* The monitor was held up until after the next key was pressed. */
Test(interactions, an_arrival_that_is_heard_of_late_is_not_the_next_keys)
{
    show_that_times_agree();
    key_with_time(100.3, 100, 0);
    marker(101);
    arrive_with_time(117, 100, 0);
    key_with_time(120.3, 120, 0);
    marker(121);
    beat(123);
    drained(135); /* the next key's arrival is heard of later still */
    arrive_with_time(140, 120, 0);
    arrive_with_time(220.1, 220, 0);
    key_with_time(220.3, 220, 0);
    marker(221);
    expect_arrivals((double[]){10.1, 20.1, -1, -1, 220.1}, 5);
}

/* Such a system keeps keys back until the frozen thread looks for them. Their own times say when
 * they were pressed, and the monitor hears of them after the freeze. Whether it held them up is not
 * known then; it is of keys that were heard of when they were pressed. */
Test(interactions, keys_that_are_delivered_after_a_freeze_have_no_arrival)
{
    show_that_times_agree();
    arrive_with_time(900.2, 600, 0);
    key_with_time(900.3, 600, 0);
    marker(901);
    arrive_with_time(901.1, 700, 0);
    key_with_time(901.2, 700, 0);
    marker(902);
    beat(903);
    drained(915);
    arrive_with_time(1100.1, 1100, 0); /* the next freeze is of a system that does not */
    key_with_time(1400, 1100, 0);
    marker(1401);
    expect_arrivals((double[]){10.1, 20.1, -1, -1, 1100.1}, 5);
    for (size_t i = 2; i < 4; i++) {
        cr_expect(um_wire_interaction_may_be_held_up(nth(i), at(500), at(900)));
        cr_expect_not(um_wire_interaction_is_held_up(nth(i), at(500), at(900)));
    }
    cr_expect(um_wire_interaction_is_held_up(nth(4), at(1000), at(1400)));
    cr_expect_not(um_wire_interaction_may_be_held_up(nth(4), at(1000), at(1400)));
}

/* The thread was busy, so that an arrival that was heard of late is before the dequeue all the
 * same. */
Test(interactions, an_arrival_goes_to_the_key_of_its_own_time)
{
    show_that_times_agree();
    arrive_with_time(517, 515, 0); /* that of another program's key */
    arrive_with_time(522, 520, 0);
    key_with_time(900, 520, 0);
    marker(901);
    key_with_time(902, 535, 0); /* its own was not heard of */
    marker(903);
    key_with_time(904, 538, 0);
    arrive_with_time(539, 538, 0);
    marker(905);
    expect_arrivals((double[]){10.1, 20.1, 522, -1, 539}, 5);
}

Test(interactions, the_key_tells_arrivals_of_one_time_apart)
{
    show_that_times_agree();
    arrive_with_time(100.1, 100, 65);
    arrive_with_time(100.2, 100, 66);
    key_with_time(100.4, 100, 66);
    marker(101);
    expect_arrivals((double[]){10.1, 20.1, 100.2}, 3);
}

/* A system that stamps raw input by another clock than messages. A time that is the same by chance
 * is not taken for evidence. */
Test(interactions, own_times_that_do_not_agree_are_passed_over)
{
    double expected_ms[20];
    for (uint32_t i = 0; i < 20; i++) {
        uint32_t own_ms = 100 + 50 * i;
        expected_ms[i] = own_ms + 0.1;
        arrive_with_time(expected_ms[i], i % 5 == 0 ? own_ms : own_ms + 1000, 0);
        key_with_time(own_ms + 0.3, own_ms, 0);
        marker(own_ms + 1);
        beat(own_ms + 2);
        drained(own_ms + 20);
    }
    expected_ms[1] = -1; /* one pair agreed, none had differed */
    expect_arrivals(expected_ms, 20);
}

Test(interactions, kinds_do_not_mix)
{
    arrive_as(9, UM_INTERACTION_WHEEL, false, 0);
    arrive_as(9.1, UM_INTERACTION_CLICK, true, 0);
    arrive_as(9.2, UM_INTERACTION_CLICK, false, 0);
    arrive(9.3);
    input(10, KEY, 0);
    marker(10.1);
    input(11, WHEEL, 0);
    marker(11.1);
    input(12, LEFT_DOWN, 0);
    marker(12.1);
    paint_and_rest(13);
    um_interactions_stop(&interactions);
    cr_assert_eq(told_count, 3);
    for (size_t i = 0; i < 3; i++) {
        static const double arrival_ms[] = {
            [UM_INTERACTION_KEY] = 9.3, [UM_INTERACTION_WHEEL] = 9, [UM_INTERACTION_CLICK] = 9.2};
        expect_time(nth(i)->arrival_ns, arrival_ms[nth(i)->kind], "arrival");
    }
}

static void key(double ms, uint32_t code)
{
    struct um_wire_frame frame =
        taken_frame(ms, KEY, UM_WIRE_TAKEN_INPUT | UM_WIRE_TAKEN_STARTS, 0);
    frame.as.taken.key = code;
    hand_in(&frame, ms);
}

Test(interactions, the_arrival_of_the_same_key_goes_first)
{
    arrive_as(9, UM_INTERACTION_KEY, false, 'A');
    arrive_as(9.5, UM_INTERACTION_KEY, false, 'B');
    arrive_as(9.9, UM_INTERACTION_KEY, false, 'C');
    key(10, 'B');
    marker(11);
    paint_and_rest(12);
    expect_times(0, 9.5, 10, 11, 13);
    cr_expect_eq(nth(0)->key, 'B');
}

/* Raw input tells what is on the key of the number pad, the message what NumLock makes of it; and
 * an input method hides the key altogether. */
Test(interactions, a_key_with_another_name_has_its_arrival_too)
{
    arrive_as(9, UM_INTERACTION_KEY, false, 0x24 /* VK_HOME */);
    arrive_as(15, UM_INTERACTION_KEY, false, 'A');
    arrive_as(21, UM_INTERACTION_KEY, false, 'B');
    key(10, 0x67 /* VK_NUMPAD7 */);
    marker(11);
    key(16, 'A');
    marker(17);
    key(22, 0xe5 /* VK_PROCESSKEY */);
    marker(23);
    paint_and_rest(24);
    expect_times(0, 9, 10, 11, 25);
    expect_times(1, 15, 16, 17, 25);
    expect_times(2, 21, 22, 23, 25);
}

Test(interactions, a_key_without_an_arrival_takes_none_from_the_next_one)
{
    arrive_as(15, UM_INTERACTION_KEY, false, 'A');
    key(10, 0x67);
    marker(11);
    key(16, 'A');
    marker(17);
    paint_and_rest(18);
    expect_time(nth(0)->arrival_ns, -1, "the first");
    expect_time(nth(1)->arrival_ns, 15, "the second");
}

/* Clicks --------------------------------------------------------------------------------------- */

static void click(double down_ms, double down_length_ms, double up_ms, double up_length_ms)
{
    arrive_as(down_ms - 1, UM_INTERACTION_CLICK, false, 0);
    arrive_as(up_ms - 1, UM_INTERACTION_CLICK, true, 0);
    input(down_ms, LEFT_DOWN, 0);
    marker(down_ms + down_length_ms);
    paint(down_ms + down_length_ms + 1);
    marker(down_ms + down_length_ms + 2);
    input(up_ms, LEFT_UP, 0);
    marker(up_ms + up_length_ms);
    paint(up_ms + up_length_ms + 1);
    marker(up_ms + up_length_ms + 2);
    beat(up_ms + up_length_ms + 3);
    drained(up_ms + up_length_ms + 20);
}

Test(interactions, a_click_is_the_worse_of_press_and_release)
{
    click(100, 5, 150, 20);
    cr_assert_eq(told_count, 1);
    expect_times(0, 149, 150, 170, 172);
    cr_expect_eq(told[0].flags, UM_WIRE_INTERACTION_RELEASE);
    click(300, 30, 350, 2);
    cr_assert_eq(told_count, 2);
    expect_times(1, 299, 300, 330, 332);
    cr_expect_eq(told[1].flags, 0);
}

Test(interactions, a_click_waits_a_second_for_its_release)
{
    input(100, LEFT_DOWN, 0);
    marker(105);
    paint(106);
    marker(107);
    beat(108);
    drained(1104);
    cr_expect_eq(told_count, 0);
    drained(1106);
    cr_assert_eq(told_count, 1);
    input(2000, LEFT_UP, 0); /* of a press that was told, and slow itself */
    marker(2500);
    paint_and_rest(2501);
    cr_assert_eq(told_count, 2);
    expect_times(1, -1, 2000, 2500, 2502);
    cr_expect_eq(told[1].flags, UM_WIRE_INTERACTION_RELEASE);
}

Test(interactions, buttons_are_paired_with_themselves)
{
    input(100, LEFT_DOWN, 0);
    input(110, RIGHT_DOWN, 0);
    input(120, RIGHT_UP, 0);
    marker(150);
    input(160, LEFT_UP, 0);
    marker(161);
    paint_and_rest(162);
    cr_assert_eq(told_count, 2);
    cr_expect_eq(told[0].flags, 0, "the left press");
    cr_expect_eq(told[1].flags, UM_WIRE_INTERACTION_RELEASE, "the right release took 30 ms");
    expect_time(nth(1)->dequeued_ns, 120, "right");
}

/* Freezes -------------------------------------------------------------------------------------- */

Test(interactions, names_the_freeze_it_waited_in)
{
    arrive(100);
    sent(50);
    episode(UM_WIRE_EPISODE_BEGIN, UM_STATE_FROZEN, 7, 45, 145);
    now_ms = 400;
    episode(UM_WIRE_EPISODE_END, UM_STATE_FROZEN, 7, 45, 400);
    seen(400);
    input(401, KEY, 301);
    marker(402);
    paint_and_rest(403);
    cr_expect_eq(nth(0)->freeze, 7);
}

Test(interactions, names_the_freeze_it_was_handled_in_and_waits_for_the_verdict)
{
    arrive(99);
    input(100, KEY, 0);
    sent(105);
    marker(300);
    paint(301);
    marker(302);
    drained(380);
    cr_expect_eq(told_count, 0, "the beat is out");
    episode(UM_WIRE_EPISODE_BEGIN, UM_STATE_FROZEN, 3, 100, 381);
    episode(UM_WIRE_EPISODE_END, UM_STATE_FROZEN, 3, 100, 381);
    seen(381);
    beat(390);
    drained(400);
    cr_assert_eq(told_count, 1);
    cr_expect_eq(nth(0)->freeze, 3);
}

Test(interactions, the_freeze_of_the_longest_overlap_wins)
{
    arrive(100);
    episode(UM_WIRE_EPISODE_BEGIN | UM_WIRE_EPISODE_END, UM_STATE_FROZEN, 1, 0, 150);
    episode(UM_WIRE_EPISODE_BEGIN | UM_WIRE_EPISODE_END, UM_STATE_STARVED, 2, 160, 300);
    episode(UM_WIRE_EPISODE_BEGIN | UM_WIRE_EPISODE_END, UM_STATE_SUSPENDED, 3, 100, 300);
    episode(UM_WIRE_EPISODE_BEGIN | UM_WIRE_EPISODE_END, UM_STATE_FROZEN, 4, 305, 900);
    input(300, KEY, 200);
    marker(301);
    paint_and_rest(302);
    cr_expect_eq(nth(0)->freeze, 2);
}

Test(interactions, a_freeze_that_turns_out_to_be_none_is_not_named)
{
    arrive(100);
    episode(UM_WIRE_EPISODE_BEGIN, UM_STATE_FROZEN, 1, 0, 150);
    episode(UM_WIRE_EPISODE_BEGIN, UM_STATE_FROZEN, 2, 0, 150);
    input(300, KEY, 200);
    marker(301);
    paint_and_rest(302);
    cr_expect_eq(told_count, 0, "they last");
    episode(UM_WIRE_EPISODE_END | UM_WIRE_EPISODE_VOID, UM_STATE_FROZEN, 1, 0, 310);
    episode(UM_WIRE_EPISODE_END, UM_STATE_BLIND, 2, 0, 310);
    drained(321);
    cr_assert_eq(told_count, 1);
    cr_expect_eq(nth(0)->freeze, 0);
}

/* Losses and ends ------------------------------------------------------------------------------ */

Test(interactions, what_may_have_been_lost_is_not_made_up)
{
    static const struct script scripts[] = {
        {"another character and a paint",
         "type 10 drained 14 timer 15 type 20 paint 25 marker 26 drained_after_a_loss 30 beat 31 "
         "paint_and_rest 52",
         {{-1, 10, -1, -1}, {-1, 20, -1, -1}}},
        {"what was observed since the last DRAINED",
         "type 10 key_up 13.5 drained 14 paint 15 marker 16 drained_after_a_loss 17 beat 18 "
         "drained 30",
         {{-1, 10, 13, -1}}},
        {"what was known before stays",
         "type 10 paint 14 marker 15 drained 16 drained_after_a_loss 17 beat 18 drained 30",
         {{-1, 10, 13, 15}}},
    };
    play(scripts, sizeof scripts / sizeof scripts[0]);
}

Test(interactions, a_detachment_ends_what_is_open)
{
    arrive(9);
    type(10);
    input(14, KEY, 0);
    um_interactions_detached(&interactions);
    um_interactions_settle(&interactions, at(15));
    cr_assert_eq(told_count, 2);
    expect_times(0, 9, 10, 13, -1);
    expect_times(1, -1, 14, -1, -1);
}

Test(interactions, a_stop_tells_everything)
{
    type(10);
    input(20, LEFT_DOWN, 0);
    marker(21);
    input(22, WHEEL, 0);
    um_interactions_stop(&interactions);
    cr_assert_eq(told_count, 3);
    um_interactions_stop(&interactions);
    cr_expect_eq(told_count, 3);
}

Test(interactions, counts_what_does_not_fit)
{
    for (int i = 0; i < UM_INTERACTIONS_OPEN + 10; i++)
        input(10 + i, KEY, 0);
    cr_expect_eq(um_interactions_lost(&interactions), 10);
    um_interactions_stop(&interactions);
    cr_expect_eq(told_count, UM_INTERACTIONS_OPEN);
}

/* Typed into other programs while the target is frozen or is not attached to yet. */
Test(interactions, arrivals_that_nobody_waits_for_are_not_lost)
{
    for (int i = 0; i < UM_INTERACTIONS_ARRIVALS + 976; i++)
        arrive(10 + i);
    cr_expect_eq(um_interactions_lost(&interactions), 0);
}

Test(interactions, counts_arrivals_that_may_have_been_wanted)
{
    for (int i = 0; i < UM_INTERACTIONS_ARRIVALS; i++)
        arrive(10 + i / 128.0);
    arrive_as(15, UM_INTERACTION_WHEEL, false, 0);
    input(19, KEY, 0); /* the 1024 lie within 20 ms of it */
    for (int i = 0; i < 10; i++)
        arrive(19.5);
    cr_expect_eq(um_interactions_lost(&interactions), 10);
}

/* The model ------------------------------------------------------------------------------------ */

#define MODEL_KEYS 4096
#define MODEL_FRAMES 65536
#define PUMP_MS 0.02 /* from one message to the next */

struct model_key {
    double arrival_ms;
    bool here;       /* the target has the focus */
    bool unheard;    /* the monitor does not hear of it */
    double truth[3]; /* dequeued, handled, painted: when the program began or ended its work */
    bool frozen;     /* it arrived in, or was handled in, the freeze */
};

/* A thread that is typed into: what it takes, and how long it works at it. */
struct model {
    struct model_key keys[MODEL_KEYS];
    size_t key_count;
    double key_work_ms;
    double char_work_ms;
    double paint_work_ms;
    double freeze_at_ms;
    double freeze_ms;
    double tick_ms;               /* how coarse the system's message times are */
    bool same_times;              /* raw input carries the time of the message */
    struct um_wire_frame *frames; /* MODEL_FRAMES, once there is one */
    size_t frame_count;
    struct um_watchdog watchdog;
};

static struct model model;

static void model_record(const struct um_wire_frame *frame)
{
    cr_assert_lt(model.frame_count, MODEL_FRAMES);
    if (!model.frames)
        cr_assert_not_null(model.frames = calloc(MODEL_FRAMES, sizeof *model.frames));
    model.frames[model.frame_count++] = *frame;
}

static void model_taken(double ms, uint32_t message, uint8_t flags, uint32_t age_ms)
{
    struct um_wire_frame frame = taken_frame(ms, message, flags, age_ms);
    model_record(&frame);
}

static double ticks(double ms)
{
    return model.tick_ms * (double)(int64_t)((ms + 3.3) / model.tick_ms);
}

/* One key from its dequeue until the thread looks for the next message. */
static double model_type(struct model_key *key, double ms)
{
    uint32_t age_ms = (uint32_t)(ticks(ms) - ticks(key->arrival_ms));
    key->truth[0] = ms;
    model_taken(ms, KEY, UM_WIRE_TAKEN_INPUT | UM_WIRE_TAKEN_STARTS, age_ms);
    model.frames[model.frame_count - 1].as.taken.own_ms = (uint32_t)ticks(key->arrival_ms);
    ms += model.key_work_ms + PUMP_MS;
    model_taken(ms, MARKER, UM_WIRE_TAKEN_OURS, UM_WIRE_AGE_UNKNOWN);
    ms += PUMP_MS;
    model_taken(ms, CHARACTER, 0, UM_WIRE_AGE_UNKNOWN);
    ms += model.char_work_ms;
    key->truth[1] = ms;
    ms += PUMP_MS;
    model_taken(ms, MARKER, UM_WIRE_TAKEN_OURS, UM_WIRE_AGE_UNKNOWN);
    return ms + PUMP_MS;
}

static double model_paint(size_t *painted, size_t typed, double ms)
{
    model_taken(ms, PAINT, UM_WIRE_TAKEN_PAINT, UM_WIRE_AGE_UNKNOWN);
    ms += model.paint_work_ms;
    for (; *painted < typed; ++*painted)
        model.keys[*painted].truth[2] = ms;
    ms += PUMP_MS;
    model_taken(ms, MARKER, UM_WIRE_TAKEN_OURS, UM_WIRE_AGE_UNKNOWN);
    return ms + PUMP_MS;
}

static double model_beat(double sent_ms, double ms)
{
    struct um_wire_frame sent_frame = {.type = UM_WIRE_SENT, .as.sent = {at(sent_ms), ++seq}};
    struct um_wire_frame seen_frame = {
        .type = UM_WIRE_SEEN, .flags = UM_WIRE_SEEN_RAW, .as.seen = {at(ms), seq}};
    model_record(&sent_frame);
    model_taken(ms, 0xff, UM_WIRE_TAKEN_OURS, UM_WIRE_AGE_UNKNOWN);
    model_record(&seen_frame);
    return ms + PUMP_MS;
}

/* Input in the order of its arrival, beats among it; paint when nothing else waits. */
static void model_run(double until_ms)
{
    double ms = 0;
    double beat_ms = 5;
    size_t next = 0;
    size_t painted = 0;
    size_t typed = 0;
    bool frozen = model.freeze_ms == 0;
    while (ms < until_ms) {
        while (next < model.key_count && !model.keys[next].here)
            next++;
        double key_ms = next < model.key_count ? model.keys[next].arrival_ms : until_ms;
        double input_ms = (key_ms < beat_ms ? key_ms : beat_ms) + 0.2;
        if (!frozen && model.freeze_at_ms <= ms) {
            frozen = true;
            model_taken(ms, TIMER, 0, UM_WIRE_AGE_UNKNOWN);
            ms += model.freeze_ms;
        } else if (input_ms > ms && painted < typed) {
            ms = model_paint(&painted, typed, ms);
        } else if (key_ms < beat_ms) {
            ms = model_type(&model.keys[next], ms > input_ms ? ms : input_ms);
            typed = ++next;
        } else {
            ms = model_beat(beat_ms, ms > input_ms ? ms : input_ms);
            beat_ms = (beat_ms + 10 > ms ? beat_ms + 10 : ms + 0.5);
        }
    }
}

static int by_time(const void *a, const void *b)
{
    const struct um_wire_frame *one = a;
    const struct um_wire_frame *other = b;
    uint64_t one_ns = one->as.taken.time_ns; /* the first field of all of them */
    uint64_t other_ns = other->as.taken.time_ns;
    return one_ns != other_ns ? (one_ns > other_ns ? 1 : -1) : 0;
}

static void model_publish(void *context, const struct um_wire_frame *frame)
{
    (void)context;
    if (frame->type == UM_WIRE_EPISODE)
        um_interactions_episode(&interactions, frame);
}

static void model_command(void *context, const struct um_wire_frame *frame)
{
    (void)context;
    (void)frame;
}

static void model_arrive(double ms)
{
    if (model.same_times)
        arrive_with_time(ms, (uint32_t)ticks(ms), 0);
    else
        arrive(ms);
}

/* Replays it as the monitor would meet it: frames first, then what arrived, then a DRAINED. */
static void model_replay(double until_ms)
{
    struct um_watchdog_options options = {
        .threshold_ns = 100000000, .slow_ns = 50000000, .period_ns = 10000000};
    struct um_watchdog_output output = {NULL, model_publish, model_command};
    size_t frame = 0;
    size_t key = 0;
    um_watchdog_init(&model.watchdog, &options, &output);
    open_interactions(um_watchdog_beats(&model.watchdog));
    qsort(model.frames, model.frame_count, sizeof model.frames[0], by_time);
    for (double ms = 5; ms < until_ms; ms += 5) {
        struct um_wire_frame drained_frame = {.type = UM_WIRE_DRAINED, .as.drained = {at(ms), 0}};
        for (; frame < model.frame_count && model.frames[frame].as.taken.time_ns <= at(ms);
             frame++) {
            um_watchdog_frame(&model.watchdog, &model.frames[frame], at(ms));
            um_interactions_frame(&interactions, &model.frames[frame], at(ms));
        }
        um_watchdog_frame(&model.watchdog, &drained_frame, at(ms));
        um_interactions_frame(&interactions, &drained_frame, at(ms));
        for (; key < model.key_count && model.keys[key].arrival_ms <= ms; key++)
            if (!model.keys[key].unheard)
                model_arrive(model.keys[key].arrival_ms);
        um_watchdog_tick(&model.watchdog, at(ms));
        um_interactions_settle(&interactions, at(ms));
    }
    um_watchdog_stop(&model.watchdog, at(until_ms));
    um_interactions_stop(&interactions);
}

static void expect_near(uint64_t time_ns, double ms, size_t i, const char *what)
{
    double actual_ms = ((double)time_ns - (double)START_NS) / 1e6;
    cr_assert(actual_ms > ms - 0.001 && actual_ms < ms + 0.1, "%s of key %zu: %g and not %g", what,
              i, actual_ms, ms);
}

static const struct um_wire_interaction *told_at(double dequeued_ms)
{
    const struct um_wire_interaction *found = NULL;
    for (size_t i = 0; i < told_count; i++) {
        if (told[i].as.interaction.dequeued_ns == at(dequeued_ms)) {
            cr_assert_null(found, "told twice");
            found = &told[i].as.interaction;
        }
    }
    cr_assert_not_null(found);
    return found;
}

/* Every key is told once, and as it was. */
static void model_check(double until_ms)
{
    size_t here = 0;
    model_run(until_ms);
    model_replay(until_ms);
    for (size_t i = 0; i < model.key_count; i++) {
        const struct model_key *key = &model.keys[i];
        if (!key->here)
            continue;
        const struct um_wire_interaction *said = told_at(key->truth[0]);
        here++;
        if (key->unheard)
            cr_expect_eq(said->arrival_ns, 0, "the arrival of key %zu is made up", i);
        else
            expect_near(said->arrival_ns, key->arrival_ms, i, "arrival");
        expect_near(said->handled_ns, key->truth[1], i, "handled");
        expect_near(said->painted_ns, key->truth[2], i, "painted");
        cr_expect_eq(said->freeze != 0, key->frozen, "key %zu in a freeze: %u", i, said->freeze);
    }
    cr_expect_eq(told_count, here, "%zu were told of %zu", told_count, here);
    cr_expect_eq(um_interactions_lost(&interactions), 0);
}

/* `from_ms` to the last key, `step_ms` apart. */
static void model_keys(size_t count, double from_ms, double step_ms, bool here)
{
    for (size_t i = 0; i < count; i++)
        model.keys[model.key_count++] =
            (struct model_key){.arrival_ms = from_ms + step_ms * (double)i, .here = here};
}

/* What the system's own times of input are like. */
struct clock {
    double tick_ms;
    bool same_times;
};

static const struct clock clocks[] = {{1, false}, {10, false}, {15.625, false}, {16, false},
                                      {1, true},  {10, true},  {15.625, true},  {16, true}};
#define CLOCKS (sizeof clocks / sizeof clocks[0])

static void model_init(const struct clock *clock)
{
    struct um_wire_frame *frames = model.frames; /* the sanitizers are slow to free them */
    setup();
    memset(&model, 0, sizeof model);
    model.frames = frames;
    model.key_work_ms = 0.3;
    model.char_work_ms = 1.5;
    model.paint_work_ms = 0.7;
    model.tick_ms = clock->tick_ms;
    model.same_times = clock->same_times;
}

Test(interactions, model_two_thousand_keys_are_told_once_each)
{
    for (size_t i = 0; i < CLOCKS; i++) {
        model_init(&clocks[i]);
        model_keys(2000, 100, 1000.0 / 12, true);
        model_check(168000);
    }
}

Test(interactions, model_two_thousand_keys_in_a_burst_are_told_once_each)
{
    for (size_t i = 0; i < CLOCKS; i++) {
        model_init(&clocks[i]);
        model_keys(2000, 100, 5, true);
        model_check(11500);
    }
}

Test(interactions, model_a_slow_editor_falls_behind)
{
    model_init(&clocks[2]);
    model.char_work_ms = 8; /* with 5 ms between the keys */
    model_keys(50, 100, 5, true);
    model_run(1500);
    model_replay(1500);
    cr_assert_eq(told_count, 50);
    for (size_t i = 0; i < 50; i++)
        expect_near(told_at(model.keys[i].truth[0])->arrival_ns, model.keys[i].arrival_ms, i,
                    "arrival");
}

Test(interactions, model_the_focus_comes_in_the_middle_of_a_burst)
{
    for (size_t i = 0; i < CLOCKS; i++) {
        for (double phase = 0; phase < 10; phase += 0.7) {
            model_init(&clocks[i]);
            model_keys(20, 100 + phase, 5, false);
            model_keys(20, 200 + phase, 5, true);
            model_keys(20, 300 + phase, 5, false);
            model_check(1500);
        }
    }
}

Test(interactions, model_keys_typed_in_a_freeze_belong_to_it)
{
    for (size_t i = 0; i < CLOCKS; i++) {
        model_init(&clocks[i]);
        model.freeze_at_ms = 500;
        model.freeze_ms = 2000;
        model_keys(4, 100, 80, true);
        model_keys(20, 510, 90, true);
        model_keys(10, 2700, 80, true);
        for (size_t k = 4; k < 24; k++)
            model.keys[k].frozen = true;
        model_check(5000);
    }
}

Test(interactions, model_an_arrival_is_missing)
{
    for (size_t i = 0; i < CLOCKS; i++) {
        model_init(&clocks[i]);
        model_keys(30, 100, 80, true);
        model.keys[7].unheard = true;
        model.keys[8].unheard = true;
        model_check(3500);
    }
}
