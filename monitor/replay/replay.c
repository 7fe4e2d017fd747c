#include "monitor/replay/replay.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain/clock.h"
#include "base/plain/slice.h"
#include "base/plain/text.h"
#include "base/ns.h"
#include "monitor/feed/frame_ring.h"
#include "monitor/feed/late_join_layout.h"
#include "monitor/feed/late_join_markers.h"
#include "monitor/recording/recording.h"
#include "monitor/profile/hottest.h"
#include "monitor/profile/profile.h"
#include "monitor/replay/past_layout.h"
#include "monitor/stats/stats.h"

/* In a recording a frame may come so much later than its own time. So the STATUS of a slice is made
 * only if the recording has none up to so long after the slice's end. */
#define MARGIN_NS (30 * UM_CLOCK_NS_PER_MS)
/* The machine slept if there was no frame for so long: TOTALS come once a second. */
#define SLEPT_NS (3 * UM_CLOCK_NS_PER_S)
#define LONGEST_NS (UINT64_C(30) * 24 * 3600 * UM_CLOCK_NS_PER_S)
#define PAST_BYTES ((size_t)512 * 1024)

struct um_replay {
    struct um_recording *recording;
    struct um_feed_output output;
    struct um_replay_info info;
    struct um_player_freeze *freezes;
    struct um_stats *stats;
    struct um_profile *profile;          /* samples up to here, and the names of all functions */
    uint64_t samples_before;             /* samples it took before it was cleared */
    struct um_hottest_choice frozen;     /* the last freeze that has ended; NONE: there was none */
    struct um_wire_frame session;        /* type 0: none was read yet */
    struct um_wire_frame beat_kind;      /* likewise */
    struct um_wire_frame status;         /* the last one, recorded or made */
    struct um_wire_frame made;           /* STATUS for the present slice; type 0: not made yet */
    struct um_wire_frame end;            /* type 0: not reached */
    struct um_wire_frame ahead;          /* read, but not due yet; type 0: nothing is left */
    uint64_t ahead_ns;                   /* when it is due */
    struct um_late_join_layout layout;   /* the components up to here */
    struct um_past_layout costs;         /* what their layout has cost up to here */
    struct um_late_join_markers markers; /* the kinds of markers up to here */
    struct um_wire_frame open[UM_WIRE_STATES]; /* EPISODE: the latest begin of each state */
    uint64_t time_ns;                          /* of the last frame that was taken */
    uint64_t boundary_ns;                      /* end of the slice that has no STATUS yet */
    bool silent;                               /* seeking: nothing is published */
    bool skipping;                             /* seeking, and no STATUS is made either */
    bool begun;                                /* SESSION has been published */
    char caption[256];
    struct um_frame_ring past; /* STATUS and EPISODE frames of the last minutes */
    uint8_t past_bytes[PAST_BYTES];
};

/* When a frame is published: not before the frame in front of it, whatever its own time, and within
 * LONGEST_NS of the session's start. */
static uint64_t due_ns(const struct um_wire_frame *frame, uint64_t start_ns, uint64_t before_ns)
{
    uint64_t time_ns = um_wire_time_of(frame);
    uint64_t last_ns = um_ns_sum(start_ns, LONGEST_NS);

    if (time_ns > last_ns)
        time_ns = last_ns;
    return um_ns_max(um_ns_max(time_ns, before_ns), start_ns);
}

/* The end of the slice that a time lies in, on the session's grid; on a boundary the time
 * itself. */
static uint64_t slice_end(const struct um_replay *replay, uint64_t time_ns)
{
    uint64_t start_ns = replay->info.start_ns;
    return um_slice_start(start_ns, um_slice_at(start_ns, time_ns + UM_SLICE_NS - 1));
}

/* Keeps a frame; the oldest ones make room for it. */
static void keep_past(struct um_frame_ring *past, const struct um_wire_frame *frame)
{
    uint8_t bytes[UM_WIRE_MAX_BYTES];
    size_t len;

    if (um_wire_encode(frame, bytes, sizeof bytes, &len) != UM_OK)
        return;
    while (!um_frame_ring_put(past, bytes, len))
        um_frame_ring_drop(past);
}

/* Nothing is published before SESSION but an END. A recording that was made up may have frames in
 * front of it. */
static void publish(struct um_replay *replay, const struct um_wire_frame *frame)
{
    bool early = !replay->begun && frame->type != UM_WIRE_SESSION && frame->type != UM_WIRE_END;

    if (frame->type == UM_WIRE_STATUS || frame->type == UM_WIRE_EPISODE)
        keep_past(&replay->past, frame);
    if (!replay->silent && !early)
        um_feed_publish(&replay->output, 1, frame);
}

static void publish_session(struct um_replay *replay, uint8_t flags)
{
    struct um_wire_frame *frame = &replay->session;

    if (frame->type == 0)
        return;
    frame->flags = flags;
    frame->as.session.hwnd = 0;
    um_text_set(frame->as.session.caption, sizeof frame->as.session.caption, replay->caption);
    publish(replay, frame);
    if (!replay->silent)
        replay->begun = true;
}

/* Goes on to the slice that ends at a boundary. */
static void set_boundary(struct um_replay *replay, uint64_t boundary_ns)
{
    replay->boundary_ns = boundary_ns;
    replay->made.type = 0;
}

/* Makes the STATUS of the present slice from what is known at its end. Called before the statistics
 * take the first frame after that. */
static void make_status(struct um_replay *replay)
{
    struct um_wire_frame *made = &replay->made;
    const struct um_wire_status *last = &replay->status.as.status;
    bool freeze = um_wire_state_is_freeze(last->state);
    uint64_t waited_ns = freeze ? um_wire_status_waited_ns(last, replay->boundary_ns) : 0;

    if (made->type != 0)
        return;
    made->type = UM_WIRE_STATUS;
    made->as.status = *last;
    made->flags =
        um_stats_fill_status(replay->stats, replay->boundary_ns, waited_ns, &made->as.status);
}

/* Publishes a STATUS for a slice that has none in the recording. */
static void publish_made(struct um_replay *replay)
{
    make_status(replay);
    replay->status = replay->made;
    publish(replay, &replay->status);
    set_boundary(replay, replay->boundary_ns + UM_SLICE_NS);
}

/* Reads the next frame, which stays in `ahead` until it is due. */
static void read_ahead(struct um_replay *replay)
{
    do {
        if (um_recording_next(replay->recording, &replay->ahead) != UM_OK) {
            replay->ahead.type = 0;
            return;
        }
    } while (replay->ahead.type == UM_WIRE_RECORDING);
    replay->ahead_ns = due_ns(&replay->ahead, replay->info.start_ns, replay->time_ns);
}

static void take_episode(struct um_replay *replay, const struct um_wire_frame *frame)
{
    bool ends = (frame->flags & UM_WIRE_EPISODE_END) != 0;

    for (size_t i = 0; i < UM_WIRE_STATES; i++)
        if (replay->open[i].type != 0 && replay->open[i].as.episode.id == frame->as.episode.id)
            replay->open[i].type = 0;
    if (!ends)
        replay->open[um_wire_state_place(frame->as.episode.state)] = *frame;
    else if (um_wire_state_is_freeze(frame->as.episode.state) &&
             !(frame->flags & UM_WIRE_EPISODE_VOID))
        replay->frozen =
            (struct um_hottest_choice){.scope = UM_WIRE_SCOPE_FREEZE,
                                       .freeze = frame->as.episode.id,
                                       .span_ns = um_wire_episode_length_ns(&frame->as.episode)};
    publish(replay, frame);
}

static void take_status(struct um_replay *replay, const struct um_wire_frame *frame)
{
    replay->status = *frame;
    publish(replay, frame);
    if (frame->as.status.time_ns == replay->boundary_ns)
        set_boundary(replay, replay->boundary_ns + UM_SLICE_NS);
}

/* When there is no room for more samples, the earlier ones are forgotten, as in a live session. */
static void take_sample(struct um_replay *replay, const struct um_wire_frame *frame)
{
    if (um_profile_samples(replay->profile)->count == UM_SAMPLES_MOST)
        (void)um_profile_clear(replay->profile);
    um_profile_take(replay->profile, frame);
}

/* Takes the frame that was read ahead, publishes it, and reads the next one. */
static void take_ahead(struct um_replay *replay)
{
    const struct um_wire_frame *frame = &replay->ahead;

    if (replay->ahead_ns > replay->boundary_ns && !replay->skipping)
        make_status(replay);
    um_stats_frame(replay->stats, frame);
    take_sample(replay, frame);
    um_late_join_layout_take(&replay->layout, frame);
    um_past_layout_take(&replay->costs, frame);
    um_late_join_markers_take(&replay->markers, frame);
    replay->time_ns = replay->ahead_ns;
    switch (frame->type) {
    case UM_WIRE_SESSION:
        replay->session = *frame;
        publish_session(replay, 0);
        break;
    case UM_WIRE_BEAT_KIND:
        replay->beat_kind = *frame;
        publish(replay, frame);
        break;
    case UM_WIRE_EPISODE:
        take_episode(replay, frame);
        break;
    case UM_WIRE_STATUS:
        take_status(replay, frame);
        break;
    case UM_WIRE_END:
        replay->end = *frame;
        break;
    default:
        publish(replay, frame);
    }
    read_ahead(replay);
}

/* Whether the frame that was read ahead is a STATUS for a later slice: the one for the present
 * slice must be made first. */
static bool waits_for_boundary(const struct um_replay *replay)
{
    return replay->ahead.type == UM_WIRE_STATUS &&
           replay->ahead.as.status.time_ns > replay->boundary_ns;
}

/* When the STATUS of the present slice is made; UM_PLAYER_NEVER: the next frame comes first, or the
 * recording is over. */
static uint64_t make_ns(const struct um_replay *replay)
{
    const struct um_wire_frame *ahead = &replay->ahead;
    uint64_t end_ns = replay->info.start_ns + replay->info.length_ns;

    if (waits_for_boundary(replay))
        return replay->boundary_ns;
    if (ahead->type != 0 && replay->ahead_ns < replay->boundary_ns + MARGIN_NS)
        return UM_PLAYER_NEVER;
    return replay->boundary_ns <= end_ns ? replay->boundary_ns : UM_PLAYER_NEVER;
}

/* Leaves out the slices during which the machine slept. */
static void skip_sleep(struct um_replay *replay)
{
    if (replay->ahead.type != 0 && replay->ahead_ns - replay->time_ns > SLEPT_NS &&
        replay->boundary_ns + SLEPT_NS < replay->ahead_ns)
        set_boundary(replay, slice_end(replay, replay->ahead_ns - UM_SLICE_NS));
}

/* Publishes everything that is due up to a time. Recorded frames are taken up to MARGIN_NS later,
 * so that a STATUS is found before one is made in its place. */
static void play_until(struct um_replay *replay, uint64_t until_ns)
{
    for (;;) {
        skip_sleep(replay);
        if (make_ns(replay) <= until_ns)
            publish_made(replay);
        else if (replay->ahead.type != 0 && !waits_for_boundary(replay) &&
                 replay->ahead_ns <= um_ns_sum(until_ns, MARGIN_NS))
            take_ahead(replay);
        else
            return;
    }
}

static enum um_status new_stats(struct um_replay *replay)
{
    struct um_stats_config config = {.start_ns = replay->info.start_ns,
                                     .period_ns = 10 * UM_CLOCK_NS_PER_MS,
                                     .threshold_ns = 100 * UM_CLOCK_NS_PER_MS};
    struct um_stats *stats;
    enum um_status status = um_stats_open(&config, &stats);

    if (status != UM_OK)
        return status;
    um_stats_close(replay->stats);
    replay->stats = stats;
    return UM_OK;
}

/* Goes back to before the first frame, or stays where it is if memory or the disk fail. */
static void start_over(struct um_replay *replay)
{
    if (new_stats(replay) != UM_OK || um_recording_rewind(replay->recording) != UM_OK)
        return;
    (void)um_profile_clear(replay->profile); /* without memory it has no samples */
    replay->samples_before = um_profile_sample_count(replay->profile);
    memset(&replay->frozen, 0, sizeof replay->frozen);
    memset(&replay->status, 0, sizeof replay->status);
    replay->status.as.status.state = UM_STATE_UNKNOWN;
    replay->status.as.status.state_since_ns = replay->info.start_ns;
    memset(replay->open, 0, sizeof replay->open);
    um_late_join_layout_deinit(&replay->layout);
    um_past_layout_deinit(&replay->costs);
    um_late_join_markers_deinit(&replay->markers);
    replay->beat_kind.type = 0;
    replay->end.type = 0;
    um_frame_ring_init(&replay->past, replay->past_bytes, PAST_BYTES);
    replay->time_ns = replay->info.start_ns;
    set_boundary(replay, replay->info.start_ns + UM_SLICE_NS);
    read_ahead(replay);
}

static enum um_status list_freezes(struct um_replay *replay)
{
    const struct um_stats_freezes *freezes = um_stats_freezes(replay->stats);

    replay->freezes = calloc(freezes->len + 1, sizeof *replay->freezes);
    if (!replay->freezes)
        return UM_ERR_MEMORY;
    for (size_t i = 0; i < freezes->len; i++) {
        uint64_t begin_ns = um_ns_max(freezes->list[i].start_ns, replay->info.start_ns);
        uint64_t start_ns = um_ns_min(begin_ns - replay->info.start_ns, replay->info.length_ns);
        uint64_t end_ns = um_ns_sum(start_ns, freezes->list[i].duration_ns);
        replay->freezes[i].start_ns = start_ns;
        replay->freezes[i].end_ns = um_ns_min(end_ns, replay->info.length_ns);
    }
    replay->info.freezes = replay->freezes;
    replay->info.freeze_count = freezes->len;
    return UM_OK;
}

/* Reads the whole recording once, to find out where it begins and ends, which freezes it has, and
 * the names of functions, which stand behind the samples that need them. */
static enum um_status survey(struct um_replay *replay)
{
    struct um_replay_info *info = &replay->info;
    bool has_session = false, has_end = false;
    uint64_t time_ns = 0;
    enum um_status status;

    while ((status = um_recording_next(replay->recording, &replay->ahead)) == UM_OK) {
        const struct um_wire_session *session = &replay->ahead.as.session;
        if (replay->ahead.type == UM_WIRE_SESSION && !has_session) {
            has_session = true;
            info->start_ns = time_ns = session->start_ns;
            um_text_set(info->name, sizeof info->name, session->name);
            um_text_set(info->caption, sizeof info->caption, session->caption);
        }
        if (replay->ahead.type == UM_WIRE_EPISODE)
            um_stats_frame(replay->stats, &replay->ahead);
        um_profile_take(replay->profile, &replay->ahead);
        info->has_layout |= replay->ahead.type == UM_WIRE_LAYOUT_COMPONENT;
        has_end = has_end || replay->ahead.type == UM_WIRE_END;
        if (has_session)
            time_ns = due_ns(&replay->ahead, info->start_ns, time_ns);
    }
    info->length_ns = time_ns - info->start_ns;
    info->end = has_end && status == UM_ERR_CLOSED ? UM_OK : status;
    if (!has_session)
        return status == UM_ERR_CLOSED ? UM_ERR_PARTIAL : status;
    if (info->start_ns > UINT64_MAX / 2) /* no clock has counted so far */
        return UM_ERR_FORMAT;
    return list_freezes(replay);
}

enum um_status um_replay_open(const char *path, const struct um_feed_output *output,
                              struct um_replay **out, char *error, size_t cap_bytes)
{
    struct um_replay *replay = calloc(1, sizeof *replay);

    snprintf(error, cap_bytes, "uimon: %s: %s", path, um_status_text(UM_ERR_MEMORY));
    if (!replay)
        return UM_ERR_MEMORY;
    replay->output = *output;
    enum um_status status = new_stats(replay);
    if (status == UM_OK)
        status = um_profile_open(0, &replay->profile);
    if (status == UM_OK)
        status = um_recording_open(path, &replay->recording, error, cap_bytes);
    if (status == UM_OK) {
        status = survey(replay);
        if (status != UM_OK)
            snprintf(error, cap_bytes, "uimon: %s: there is nothing in it to replay: %s", path,
                     um_status_text(status));
    }
    if (status != UM_OK) {
        um_replay_close(replay);
        return status;
    }
    start_over(replay);
    *out = replay;
    return UM_OK;
}

void um_replay_close(struct um_replay *replay)
{
    if (!replay)
        return;
    um_recording_close(replay->recording);
    um_stats_close(replay->stats);
    um_profile_close(replay->profile);
    um_late_join_layout_deinit(&replay->layout);
    um_past_layout_deinit(&replay->costs);
    um_late_join_markers_deinit(&replay->markers);
    free(replay->freezes);
    free(replay);
}

const struct um_replay_info *um_replay_info(const struct um_replay *replay)
{
    return &replay->info;
}

static uint64_t time_of(const struct um_replay *replay, uint64_t position_ns)
{
    if (position_ns > replay->info.length_ns)
        position_ns = replay->info.length_ns;
    return replay->info.start_ns + position_ns;
}

void um_replay_set_caption(struct um_replay *replay, const char *caption)
{
    if (strcmp(caption, replay->caption) == 0)
        return;
    um_text_set(replay->caption, sizeof replay->caption, caption);
    if (replay->begun)
        publish_session(replay, 0);
}

void um_replay_play(struct um_replay *replay, uint64_t position_ns)
{
    play_until(replay, time_of(replay, position_ns));
}

/* Publishes what led up to the present position from a time on: first the episodes that began
 * before it and still last, then the STATUS and EPISODE frames of that time. */
static void publish_past(struct um_replay *replay, uint64_t from_ns)
{
    uint8_t bytes[UM_WIRE_MAX_BYTES];
    struct um_wire_frame frame;
    size_t len, used;

    for (size_t i = 0; i < UM_WIRE_STATES; i++)
        if (replay->open[i].type != 0 && replay->open[i].as.episode.end_ns < from_ns)
            um_feed_publish(&replay->output, 1, &replay->open[i]);
    for (size_t at = 0; (len = um_frame_ring_peek(&replay->past, at, bytes)) > 0; at += len)
        if (um_wire_decode(bytes, len, &frame, &used) == UM_OK &&
            um_wire_time_of(&frame) >= from_ns)
            um_feed_publish(&replay->output, 1, &frame);
}

/* Publishes what a procedure is called that took most of a component's time. */
static void publish_name(struct um_replay *replay, uint64_t key)
{
    const struct um_profile_name *name = um_profile_name(replay->profile, key);
    struct um_wire_frame frame = {.type = UM_WIRE_NAME};
    struct um_wire_name *told = &frame.as.name;

    if (!name)
        return;
    told->key = key;
    told->displacement = name->displacement;
    told->line = name->line;
    told->kind = name->kind;
    told->why = name->why;
    um_text_set(told->name, sizeof told->name, name->name);
    um_text_set(told->file, sizeof told->file, name->file);
    um_text_set(told->line_mark, sizeof told->line_mark, name->is_nearest ? "~" : "");
    if (name->first_line > 0)
        snprintf(told->extent, sizeof told->extent, "%" PRIu32 "-%" PRIu32, name->first_line,
                 name->last_line);
    if (name->module >= 0)
        snprintf(told->module, sizeof told->module, "%" PRId32, name->module);
    publish(replay, &frame);
}

static void publish_cost(void *context, const struct um_wire_frame *frame)
{
    struct um_replay *replay = context;
    const struct um_wire_layout_times *times = &frame->as.layout_times;

    publish(replay, frame);
    for (size_t i = 0; frame->type == UM_WIRE_LAYOUT_TIMES && i < times->count; i++) {
        size_t first = 0; /* with the same procedure */
        while (times->list[first].key != times->list[i].key)
            first++;
        if (first == i)
            publish_name(replay, times->list[i].key);
    }
}

/* Publishes the components, with their places, up to the present position. Consumers have not heard
 * of those that a seek has passed over. */
static void publish_layout(struct um_replay *replay)
{
    struct um_wire_frame frames[UM_LATE_JOIN_LAYOUT_FRAMES];
    for (size_t index = 0; index < replay->layout.count; index++) {
        size_t count = um_late_join_layout_frames(&replay->layout, index, frames);
        for (size_t i = 0; i < count; i++)
            publish(replay, &frames[i]);
    }
}

/* The same of the kinds of markers. */
static void publish_markers(struct um_replay *replay)
{
    struct um_wire_frame frame = {.type = UM_WIRE_MARKER_KIND};
    for (size_t i = 0; i < replay->markers.count; i++) {
        frame.as.marker_kind = replay->markers.list[i];
        if (frame.as.marker_kind.number != 0)
            publish(replay, &frame);
    }
}

/* Takes the frames before a time without making any STATUS: a day has nearly a million slices, and
 * these are not shown. */
static void skip_until(struct um_replay *replay, uint64_t time_ns)
{
    replay->skipping = true;
    while (replay->ahead.type != 0 && replay->ahead_ns < time_ns)
        take_ahead(replay);
    replay->skipping = false;
    set_boundary(replay, um_ns_max(replay->boundary_ns, slice_end(replay, time_ns)));
}

void um_replay_seek(struct um_replay *replay, uint64_t position_ns)
{
    uint64_t until_ns = time_of(replay, position_ns);
    uint64_t start_ns = replay->info.start_ns;
    uint64_t from_ns =
        until_ns - start_ns > UM_REPLAY_PAST_NS ? until_ns - UM_REPLAY_PAST_NS : start_ns;

    replay->silent = true;
    if (until_ns < replay->time_ns || until_ns < replay->boundary_ns)
        start_over(replay);
    if (replay->boundary_ns < from_ns)
        skip_until(replay, from_ns);
    play_until(replay, until_ns);
    replay->silent = false;
    publish_session(replay, UM_WIRE_SESSION_ANEW);
    if (!replay->begun)
        return;
    if (replay->beat_kind.type != 0)
        publish(replay, &replay->beat_kind);
    publish_layout(replay);
    um_past_layout_tell(&replay->costs, until_ns, publish_cost, replay);
    publish_markers(replay);
    publish_past(replay, from_ns);
}

uint64_t um_replay_next(const struct um_replay *replay)
{
    uint64_t start_ns = replay->info.start_ns;
    uint64_t time_ns = make_ns(replay);

    if (replay->ahead.type != 0 && !waits_for_boundary(replay) &&
        replay->ahead_ns < um_ns_sum(time_ns, MARGIN_NS))
        time_ns = replay->ahead_ns > MARGIN_NS ? replay->ahead_ns - MARGIN_NS : 0;
    if (time_ns == UM_PLAYER_NEVER)
        return time_ns;
    return time_ns > start_ns ? time_ns - start_ns : 0;
}

bool um_replay_status(const struct um_replay *replay, struct um_wire_status *status, uint8_t *flags)
{
    if (replay->status.type == 0)
        return false;
    *status = replay->status.as.status;
    *flags = replay->status.flags;
    return true;
}

/* The samples since the begin of the freeze that lasts; NONE: no freeze lasts. */
static struct um_hottest_choice lasting(const struct um_replay *replay)
{
    for (int state = 0; state < UM_STATE_COUNT; state++) {
        const struct um_wire_frame *begin = &replay->open[state];
        if (begin->type != 0 && um_wire_state_is_freeze((uint8_t)state))
            return (struct um_hottest_choice){
                .scope = UM_WIRE_SCOPE_NOW,
                .since_ns = begin->as.episode.start_ns,
                .span_ns = um_ns_elapsed(begin->as.episode.start_ns, replay->time_ns)};
    }
    return (struct um_hottest_choice){.scope = UM_WIRE_SCOPE_NONE};
}

size_t um_replay_hottest(struct um_replay *replay, const struct um_hottest_shown *shown,
                         struct um_wire_frame frames[UM_HOTTEST_FRAMES])
{
    struct um_wire_profile made[UM_WIRE_PROFILE_PARTS];
    struct um_hottest_choice choices[2] = {
        lasting(replay), {.scope = UM_WIRE_SCOPE_SESSION, .before = replay->samples_before}};
    size_t count = 0;

    if (choices[0].scope == UM_WIRE_SCOPE_NONE)
        choices[0] = replay->frozen;
    for (size_t i = 0; i < 2; i++)
        if (choices[i].scope != UM_WIRE_SCOPE_NONE &&
            um_hottest_make(replay->profile, &choices[i], shown, made) == UM_OK)
            count += um_hottest_put(made, frames + count);
    return count;
}

bool um_replay_window_only(const struct um_replay *replay)
{
    return replay->session.type != 0 && replay->session.as.session.toolkit[0] != '\0';
}

void um_replay_end(struct um_replay *replay)
{
    struct um_wire_frame end = {.type = UM_WIRE_END};

    end.as.end.time_ns = replay->time_ns;
    end.as.end.reason = UM_END_STOPPED;
    publish(replay, replay->end.type != 0 ? &replay->end : &end);
}
