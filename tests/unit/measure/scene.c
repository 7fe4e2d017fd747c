#include "tests/unit/measure/scene.h"

#include <stdlib.h>

#include <criterion/criterion.h>

#define CLOCK_START_NS UINT64_C(1000000000)
#define DRAIN_MS 5.0
#define TICK_MS 50.0
#define CONTROL_MS 0.2
#define CONTROL_EVENT 200

struct event {
    double at_ms;
    size_t order;
    struct um_wire_frame frame;
};

uint64_t scene_ns(double ms)
{
    return CLOCK_START_NS + (uint64_t)(ms * 1e6 + 0.5);
}

double scene_ms(uint64_t time_ns)
{
    return ((double)time_ns - (double)CLOCK_START_NS) / 1e6;
}

double scene_span(uint64_t span_ns)
{
    return (double)span_ns / 1e6;
}

static void check_pairs(const struct scene *scene, const struct um_wire_frame *frame)
{
    const struct um_wire_episode *now = &frame->as.episode;
    bool begun = false;
    uint32_t last_id = 0;
    for (size_t i = 0; i < scene->said_count; i++) {
        const struct um_wire_frame *said = &scene->said[i].frame;
        if (said->type != UM_WIRE_EPISODE)
            continue;
        if (said->as.episode.id == now->id) {
            cr_assert(!(said->flags & UM_WIRE_EPISODE_END), "%u ends twice", now->id);
            begun = true;
        }
        last_id = said->as.episode.id > last_id ? said->as.episode.id : last_id;
    }
    if (frame->flags & UM_WIRE_EPISODE_BEGIN)
        cr_assert(now->id > last_id && !begun);
    else
        cr_assert(begun, "%u ends without a begin", now->id);
    cr_assert_leq(now->start_ns, now->end_ns);
}

static void publish(void *context, const struct um_wire_frame *frame)
{
    struct scene *scene = context;
    if (frame->type == UM_WIRE_EPISODE)
        check_pairs(scene, frame);
    cr_assert_lt(scene->said_count, SCENE_FRAMES);
    scene->said[scene->said_count++] = (struct scene_said){*frame, scene->now_ns};
}

static void command(void *context, const struct um_wire_frame *frame)
{
    struct scene *scene = context;
    cr_assert_eq(frame->type, UM_WIRE_ABANDON);
    cr_assert_lt(scene->abandoned_count, 64);
    scene->abandoned[scene->abandoned_count++] = frame->as.command.value;
}

struct scene *scene_new(double threshold_ms, double slow_ms, bool control)
{
    struct scene *scene = calloc(1, sizeof *scene);
    cr_assert_not_null(scene);
    struct um_watchdog_options options = {.threshold_ns = (uint64_t)(threshold_ms * 1e6),
                                          .slow_ns = (uint64_t)(slow_ms * 1e6),
                                          .period_ns = (uint64_t)(SCENE_PERIOD_MS * 1e6),
                                          .control = control};
    struct um_watchdog_output output = {scene, publish, command};
    um_watchdog_init(&scene->watchdog, &options, &output);
    return scene;
}

static void check_sum(const struct scene *scene)
{
    struct um_watchdog_view view;
    um_watchdog_view(&scene->watchdog, scene->now_ns, &view);
    uint64_t sum_ns = 0;
    for (size_t i = 0; i < UM_STATE_COUNT; i++)
        sum_ns += view.state_ns[i];
    cr_assert_eq(sum_ns, view.duration_ns);
    uint64_t out = view.beats_sent - view.beats_seen - view.beats_lost;
    cr_assert_leq(out, 1, "%d beats outstanding", (int)out);
}

void scene_free(struct scene *scene)
{
    um_watchdog_stop(&scene->watchdog, scene->now_ns);
    check_sum(scene);
    long open = 0;
    for (size_t i = 0; i < scene->said_count; i++) {
        const struct um_wire_frame *frame = &scene->said[i].frame;
        if (frame->type == UM_WIRE_EPISODE) {
            open += (frame->flags & UM_WIRE_EPISODE_BEGIN) != 0;
            open -= (frame->flags & UM_WIRE_EPISODE_END) != 0;
        }
    }
    cr_assert_eq(open, 0, "%ld episodes without an end", open);
    free(scene);
}

static void pass(struct scene *scene, double ms, const struct um_wire_frame *frame)
{
    uint64_t time_ns = scene_ns(ms);
    scene->now_ns = time_ns > scene->now_ns ? time_ns : scene->now_ns;
    um_watchdog_frame(&scene->watchdog, frame, scene->now_ns);
}

void scene_sent(struct scene *scene, double ms, uint32_t seq)
{
    struct um_wire_frame frame = {.type = UM_WIRE_SENT, .as.sent = {scene_ns(ms), seq}};
    pass(scene, ms, &frame);
}

void scene_sent_rested(struct scene *scene, double ms, uint32_t seq, double rested_ms,
                       uint32_t skipped)
{
    struct um_wire_frame frame = {.type = UM_WIRE_SENT,
                                  .as.sent = {.time_ns = scene_ns(ms),
                                              .seq = seq,
                                              .rested_ns = rested_ms > 0 ? scene_ns(rested_ms) : 0,
                                              .skipped = skipped}};
    pass(scene, ms, &frame);
}

void scene_sent_left_out(struct scene *scene, double ms, uint32_t seq)
{
    struct um_wire_frame frame = {.type = UM_WIRE_SENT,
                                  .as.sent = {.time_ns = scene_ns(ms), .seq = seq, .left_out = 1}};
    pass(scene, ms, &frame);
}

void scene_seen(struct scene *scene, double ms, uint32_t seq)
{
    struct um_wire_frame frame = {
        .type = UM_WIRE_SEEN, .flags = UM_WIRE_SEEN_RAW, .as.seen = {scene_ns(ms), seq}};
    pass(scene, ms, &frame);
}

void scene_seen_as_move(struct scene *scene, double ms, uint32_t seq, uint8_t flags)
{
    struct um_wire_frame frame = {.type = UM_WIRE_SEEN,
                                  .flags = (uint8_t)(UM_WIRE_SEEN_MOUSE | flags),
                                  .as.seen = {scene_ns(ms), seq}};
    pass(scene, ms, &frame);
}

static struct um_wire_frame taken(double ms, uint32_t message, uint8_t flags, uint32_t age_ms)
{
    return (struct um_wire_frame){.type = UM_WIRE_TAKEN,
                                  .flags = flags,
                                  .as.taken = {scene_ns(ms), 0x1000 + message, message, age_ms}};
}

void scene_taken(struct scene *scene, double ms, uint32_t message)
{
    struct um_wire_frame frame = taken(ms, message, 0, UM_WIRE_AGE_UNKNOWN);
    pass(scene, ms, &frame);
}

void scene_beat(struct scene *scene, double ms)
{
    struct um_wire_frame frame = taken(ms, 0xff, UM_WIRE_TAKEN_OURS, UM_WIRE_AGE_UNKNOWN);
    pass(scene, ms, &frame);
}

void scene_own_move(struct scene *scene, double ms)
{
    struct um_wire_frame frame = taken(ms, 0x0200, UM_WIRE_TAKEN_OURS, UM_WIRE_AGE_UNKNOWN);
    pass(scene, ms, &frame);
}

void scene_marker(struct scene *scene, double ms)
{
    struct um_wire_frame frame = taken(ms, 0x82f2, UM_WIRE_TAKEN_OURS, UM_WIRE_AGE_UNKNOWN);
    pass(scene, ms, &frame);
}

void scene_missed(struct scene *scene, double ms, uint32_t seq)
{
    struct um_wire_frame frame = taken(ms, 0x0113, UM_WIRE_TAKEN_OURS, 0);
    frame.as.taken.own_ms = seq;
    pass(scene, ms, &frame);
}

void scene_asked(struct scene *scene, double asked_ms, double taken_ms, uint32_t seq)
{
    struct um_wire_frame frame = {
        .type = UM_WIRE_ASKED,
        .as.asked = {.time_ns = scene_ns(taken_ms), .asked_ns = scene_ns(asked_ms), .seq = seq}};
    pass(scene, taken_ms, &frame);
}

void scene_input(struct scene *scene, double ms, uint32_t message, uint32_t age_ms)
{
    struct um_wire_frame frame = taken(ms, message, UM_WIRE_TAKEN_INPUT, age_ms);
    pass(scene, ms, &frame);
}

void scene_probe(struct scene *scene, double ms, enum um_probe_status status)
{
    struct um_wire_frame frame = {
        .type = UM_WIRE_PROBE,
        .as.probe = {.time_ns = scene_ns(ms), .probe = UM_PROBE_RAW, .status = (uint8_t)status}};
    pass(scene, ms, &frame);
}

void scene_mouse_probe(struct scene *scene, double ms)
{
    struct um_wire_frame frame = {.type = UM_WIRE_PROBE,
                                  .as.probe = {.time_ns = scene_ns(ms),
                                               .probe = UM_PROBE_MOUSE,
                                               .status = UM_PROBE_ACTIVE,
                                               .reason = UM_PROBE_REASON_ASKED}};
    pass(scene, ms, &frame);
}

void scene_drained(struct scene *scene, double ms)
{
    struct um_wire_frame frame = {.type = UM_WIRE_DRAINED,
                                  .as.drained = {scene_ns(ms), scene->lost}};
    pass(scene, ms, &frame);
}

void scene_tick(struct scene *scene, double ms)
{
    uint64_t time_ns = scene_ns(ms);
    scene->now_ns = time_ns > scene->now_ns ? time_ns : scene->now_ns;
    um_watchdog_tick(&scene->watchdog, scene->now_ns);
    check_sum(scene);
}

void scene_control(struct scene *scene, double ms, uint32_t seq)
{
    um_watchdog_control(&scene->watchdog, seq, scene_ns(ms));
}

void scene_stop(struct scene *scene, double ms)
{
    scene->now_ns = scene_ns(ms);
    um_watchdog_stop(&scene->watchdog, scene->now_ns);
    check_sum(scene);
}

void scene_drains(struct scene *scene, double from_ms, double to_ms)
{
    double tick_ms = from_ms;
    for (double ms = from_ms; ms <= to_ms; ms += DRAIN_MS) {
        scene_drained(scene, ms);
        if (ms >= tick_ms) {
            scene_tick(scene, ms);
            tick_ms += TICK_MS;
        }
    }
}

void scene_ticks(struct scene *scene, double from_ms, double to_ms)
{
    for (double ms = from_ms; ms <= to_ms; ms += TICK_MS)
        scene_tick(scene, ms);
}

void scene_quiet(struct scene *scene, double from_ms, double to_ms, uint32_t first_seq)
{
    for (double ms = from_ms; ms < to_ms; ms += SCENE_PERIOD_MS) {
        scene_control(scene, ms + CONTROL_MS, first_seq);
        scene_sent(scene, ms, first_seq);
        scene_beat(scene, ms + SCENE_DELIVERY_MS);
        scene_seen(scene, ms + SCENE_DELIVERY_MS, first_seq++);
        scene_drained(scene, ms + DRAIN_MS);
        scene_tick(scene, ms + DRAIN_MS);
    }
}

/* From here on the model of a UI thread. */

void scene_post(struct scene *scene, double at_ms, double length_ms, uint32_t message)
{
    cr_assert_lt(scene->work_count, SCENE_WORK);
    scene->work[scene->work_count++] = (struct scene_work){at_ms, length_ms, message, false};
}

void scene_send(struct scene *scene, double at_ms, double length_ms)
{
    scene_post(scene, at_ms, length_ms, 0);
}

struct events {
    size_t count;
    size_t room;
    struct event *event;
};

static void add(struct events *events, double at_ms, struct um_wire_frame frame)
{
    if (events->count == events->room) {
        events->room = events->room ? 2 * events->room : 256;
        events->event = realloc(events->event, events->room * sizeof *events->event);
        cr_assert_not_null(events->event);
    }
    events->event[events->count] = (struct event){at_ms, events->count, frame};
    events->count++;
}

/* The work that the thread does next if it is free at `free_ms`: sent before posted, then in
 * order. */
static struct scene_work *next_work(struct scene *scene, double free_ms)
{
    struct scene_work *best = NULL;
    for (size_t i = 0; i < scene->work_count; i++) {
        struct scene_work *work = &scene->work[i];
        if (work->done)
            continue;
        double at_ms = work->at_ms > free_ms ? work->at_ms : free_ms;
        double best_ms = best && best->at_ms > free_ms ? best->at_ms : free_ms;
        if (!best || at_ms < best_ms || (at_ms == best_ms && !work->message && best->message))
            best = work;
    }
    return best;
}

static double send_beat(struct events *events, double at_ms, uint32_t seq)
{
    struct um_wire_frame sent = {.type = UM_WIRE_SENT, .as.sent = {scene_ns(at_ms), seq}};
    struct um_wire_frame control = {.type = CONTROL_EVENT, .as.command = {seq}};
    add(events, at_ms, sent);
    add(events, at_ms + CONTROL_MS, control);
    return at_ms + SCENE_DELIVERY_MS;
}

static void run_thread(struct scene *scene, struct events *events, double until_ms)
{
    uint32_t seq = 1;
    double free_ms = 0;
    double tick_ms = scene->phase_ms;
    double beat_ms = send_beat(events, tick_ms, seq);
    for (;;) {
        struct scene_work *work = next_work(scene, free_ms);
        double work_ms = work && work->at_ms > free_ms ? work->at_ms : free_ms;
        double start_ms = beat_ms > free_ms ? beat_ms : free_ms;
        bool take_beat = !work || start_ms < work_ms;
        start_ms = take_beat ? start_ms : work_ms;
        if (start_ms >= until_ms)
            return;
        free_ms = start_ms;
        if (!take_beat) {
            work->done = true;
            free_ms += work->length_ms;
            if (work->message)
                add(events, start_ms, taken(start_ms, work->message, 0, UM_WIRE_AGE_UNKNOWN));
            continue;
        }
        struct um_wire_frame seen = {
            .type = UM_WIRE_SEEN, .flags = UM_WIRE_SEEN_RAW, .as.seen = {scene_ns(start_ms), seq}};
        add(events, start_ms, taken(start_ms, 0xff, UM_WIRE_TAKEN_OURS, UM_WIRE_AGE_UNKNOWN));
        add(events, start_ms, seen);
        while (tick_ms <= start_ms)
            tick_ms += SCENE_PERIOD_MS;
        beat_ms = send_beat(events, tick_ms, ++seq);
    }
}

static int by_time(const void *a, const void *b)
{
    const struct event *left = a;
    const struct event *right = b;
    if (left->at_ms != right->at_ms)
        return left->at_ms < right->at_ms ? -1 : 1;
    return left->order < right->order ? -1 : left->order > right->order;
}

static double slept(const struct scene *scene, double ms)
{
    return scene->sleep_ms > 0 && ms >= scene->sleep_at_ms ? ms + scene->sleep_ms : ms;
}

static void shift(struct um_wire_frame *frame, double ms)
{
    if (frame->type == UM_WIRE_SENT)
        frame->as.sent.time_ns = scene_ns(ms);
    else if (frame->type == UM_WIRE_SEEN)
        frame->as.seen.time_ns = scene_ns(ms);
    else if (frame->type == UM_WIRE_TAKEN)
        frame->as.taken.time_ns = scene_ns(ms);
}

/* Hands events in as the monitor gets them: what it sees itself at once, the DLL's in batches. */
void scene_run(struct scene *scene, double until_ms)
{
    struct events events = {0};
    run_thread(scene, &events, until_ms);
    qsort(events.event, events.count, sizeof *events.event, by_time);
    size_t next = 0;
    double tick_ms = 0;
    for (double own_ms = DRAIN_MS; own_ms < until_ms + DRAIN_MS; own_ms += DRAIN_MS) {
        double now_ms = slept(scene, own_ms);
        for (; tick_ms < now_ms && !scene->monitor_sleeps; tick_ms += TICK_MS)
            scene_tick(scene, tick_ms);
        bool late =
            own_ms >= scene->monitor_at_ms && own_ms < scene->monitor_at_ms + scene->monitor_ms;
        if (late) {
            tick_ms = now_ms;
            continue; /* all of it comes in the first batch after */
        }
        for (; next < events.count && events.event[next].at_ms < own_ms; next++) {
            struct event *event = &events.event[next];
            double at_ms = slept(scene, event->at_ms);
            shift(&event->frame, at_ms);
            if (event->frame.type == CONTROL_EVENT)
                scene_control(scene, at_ms, event->frame.as.command.value);
            else
                pass(scene, now_ms, &event->frame);
        }
        scene_drained(scene, now_ms);
        if (scene->monitor_sleeps && tick_ms <= now_ms) {
            scene_tick(scene, now_ms);
            tick_ms = now_ms + TICK_MS;
        }
    }
    free(events.event);
}

size_t scene_count(const struct scene *scene, enum um_wire_type type)
{
    size_t count = 0;
    for (size_t i = 0; i < scene->said_count; i++)
        count += scene->said[i].frame.type == type;
    return count;
}

static const struct scene_said *find(const struct scene *scene, uint8_t mask, uint8_t flags,
                                     enum um_state state, size_t nth, size_t *count)
{
    *count = 0;
    for (size_t i = 0; i < scene->said_count; i++) {
        const struct um_wire_frame *frame = &scene->said[i].frame;
        if (frame->type == UM_WIRE_EPISODE && (frame->flags & mask) == flags &&
            frame->as.episode.state == state && (*count)++ == nth)
            return &scene->said[i];
    }
    return NULL;
}

size_t scene_begins(const struct scene *scene, enum um_state state)
{
    size_t count;
    find(scene, UM_WIRE_EPISODE_BEGIN, UM_WIRE_EPISODE_BEGIN, state, SIZE_MAX, &count);
    return count;
}

size_t scene_ends(const struct scene *scene, enum um_state state)
{
    size_t count;
    find(scene, UM_WIRE_EPISODE_END | UM_WIRE_EPISODE_VOID, UM_WIRE_EPISODE_END, state, SIZE_MAX,
         &count);
    return count;
}

size_t scene_voids(const struct scene *scene)
{
    size_t count = 0;
    for (size_t i = 0; i < scene->said_count; i++) {
        const struct um_wire_frame *frame = &scene->said[i].frame;
        count += frame->type == UM_WIRE_EPISODE && (frame->flags & UM_WIRE_EPISODE_VOID);
    }
    return count;
}

const struct scene_said *scene_end(const struct scene *scene, enum um_state state, size_t nth)
{
    size_t count;
    const struct scene_said *said = find(scene, UM_WIRE_EPISODE_END | UM_WIRE_EPISODE_VOID,
                                         UM_WIRE_EPISODE_END, state, nth, &count);
    cr_assert_not_null(said, "no end %zu of %d", nth, (int)state);
    return said;
}

const struct scene_said *scene_begin(const struct scene *scene, enum um_state state, size_t nth)
{
    size_t count;
    const struct scene_said *said =
        find(scene, UM_WIRE_EPISODE_BEGIN, UM_WIRE_EPISODE_BEGIN, state, nth, &count);
    cr_assert_not_null(said, "no begin %zu of %d", nth, (int)state);
    return said;
}

double scene_length(const struct scene_said *said)
{
    return scene_span(said->frame.as.episode.end_ns - said->frame.as.episode.start_ns);
}

double scene_state_ms(const struct scene *scene, double at_ms, enum um_state state)
{
    struct um_watchdog_view view;
    um_watchdog_view(&scene->watchdog, scene_ns(at_ms), &view);
    return scene_span(view.state_ns[state]);
}

enum um_state scene_present(const struct scene *scene, double at_ms)
{
    struct um_watchdog_view view;
    um_watchdog_view(&scene->watchdog, scene_ns(at_ms), &view);
    return (enum um_state)view.state;
}
