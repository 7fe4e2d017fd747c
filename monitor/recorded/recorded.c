#include "monitor/recorded/recorded.h"

#include <stdlib.h>
#include <string.h>

#include "base/plain/clock.h"
#include "base/list.h"
#include "base/ns.h"

#define SPAN_NS (UM_RECORDED_MAX_SLICES * UM_SLICE_NS)
/* One beat is out at a time, so all of them together touch hardly more slices than there are. A
 * file in which they touch more was made to keep its reader busy. */
#define MAX_TOUCHED (4 * (uint64_t)UM_RECORDED_MAX_SLICES)
#define LOOK_BACK 16 /* entries of the list; no more episodes than that last at the same time */

/* What counts only where a recording breaks off, and not if it goes on: how it was before. */
struct before_end {
    bool is_known;
    struct um_wire_totals totals;
    struct um_stats_mark stats;
    struct um_profile_mark profile;
    uint8_t lasting_types[UM_WIRE_STATES];
    uint32_t unlisted;
    uint32_t episode_count;
    uint32_t last_count; /* of these, the last ones */
    struct um_recorded_episode last[LOOK_BACK + UM_WIRE_STATES];
};

/* What is needed only while a recording is read. */
struct um_recorded_reading {
    struct um_recorded *to;
    size_t episode_cap;
    size_t interaction_cap;
    size_t note_cap;
    size_t message_cap;
    uint64_t touched; /* slices, by beats */
    bool has_session;
    bool has_totals;
    bool has_end;
    /* Since the last TOTALS, by STATUS: until when, and for how long in which state. */
    uint64_t since_ns;
    uint64_t since_state_ns[UM_WIRE_STATES];
    uint64_t lasting_until_ns; /* the latest STATUS that was frozen or starved */
    /* EPISODE: the latest begin of each state; type 0: none lasts. */
    struct um_wire_frame lasting[UM_WIRE_STATES];
    struct before_end before_end;
};

static uint32_t slice_until(const struct um_recorded *recorded, uint64_t time_ns)
{
    return (uint32_t)um_slice_until(recorded->session.start_ns, time_ns);
}

/* Makes the list of slices reach to a number, with its part in memory. */
static enum um_status need_slice(struct um_recorded *to, uint32_t number)
{
    uint32_t part = number / UM_RECORDED_PART_SLICES;

    if (number >= UM_RECORDED_MAX_SLICES)
        return UM_ERR_TOO_LARGE;
    if (!um_list_reserve(&to->slice_parts_us, &to->slice_part_count, part + UINT64_C(1), SIZE_MAX,
                         sizeof *to->slice_parts_us))
        return UM_ERR_MEMORY;
    if (!to->slice_parts_us[part]) {
        size_t bytes = UM_RECORDED_PART_SLICES * sizeof **to->slice_parts_us;
        to->slice_parts_us[part] = malloc(bytes);
        if (!to->slice_parts_us[part])
            return UM_ERR_MEMORY;
        memset(to->slice_parts_us[part], 0xff, bytes); /* UM_RECORDED_NOT_MEASURED */
    }
    if (to->slice_count <= number)
        to->slice_count = number + 1;
    return UM_OK;
}

/* Puts a lag into its slice, which keeps the worst one. */
static enum um_status put_lag(struct um_recorded *to, uint32_t number, uint64_t lag_ns)
{
    uint64_t lag_us = um_ns_min(lag_ns / UM_CLOCK_NS_PER_US, UM_RECORDED_NOT_MEASURED - 1);
    enum um_status status = need_slice(to, number);
    if (status != UM_OK)
        return status;
    uint32_t *part_us = to->slice_parts_us[number / UM_RECORDED_PART_SLICES];
    uint32_t *slice = &part_us[number % UM_RECORDED_PART_SLICES];
    if (*slice == UM_RECORDED_NOT_MEASURED || *slice < lag_us)
        *slice = (uint32_t)lag_us;
    return UM_OK;
}

/* A beat counts in every slice in which it was unanswered: with its latency in the last one, and
 * with its age at the slice's end in those before. */
static enum um_status take_beat(struct um_recorded_reading *reading,
                                const struct um_wire_beat *beat)
{
    struct um_recorded *to = reading->to;
    uint64_t seen_ns = um_ns_sum(beat->sent_ns, beat->latency_ns);
    uint32_t last = slice_until(to, seen_ns);
    uint32_t first = beat->latency_ns > 0 ? slice_until(to, beat->sent_ns + 1) : last;
    enum um_status status = UM_OK;

    reading->touched += last - first;
    if (reading->touched > MAX_TOUCHED)
        return UM_ERR_TOO_LARGE;
    for (uint32_t number = first; number <= last && status == UM_OK; number++) {
        uint64_t end_ns = um_slice_start(to->session.start_ns, number + INT64_C(1));
        status = put_lag(to, number, um_ns_elapsed(beat->sent_ns, um_ns_min(seen_ns, end_ns)));
    }
    return status;
}

/* Where the recording breaks off during a freeze, the lag is in STATUS and not in a beat. */
static enum um_status take_status(struct um_recorded_reading *reading,
                                  const struct um_wire_frame *frame)
{
    const struct um_wire_status *status = &frame->as.status;

    if (um_wire_state_is_freeze(status->state))
        reading->lasting_until_ns = status->time_ns;
    if (reading->has_totals && status->time_ns > reading->since_ns) {
        uint64_t since_ns = status->time_ns - reading->since_ns;
        if (since_ns <= UM_CLOCK_NS_PER_S) /* else nothing was measured in between */
            reading->since_state_ns[um_wire_state_place(status->state)] += since_ns;
        reading->since_ns = status->time_ns;
    }
    if (!(frame->flags & UM_WIRE_STATUS_HAS_LAG) ||
        status->slice_start_ns < reading->to->session.start_ns)
        return UM_OK;
    return put_lag(reading->to, slice_until(reading->to, status->slice_start_ns + 1),
                   status->slice_worst_ns);
}

/* Makes room for one more than `count` in a list; counts an entry for which there is none. */
static bool has_room(struct um_recorded *to, void *list, size_t *cap, uint32_t count, size_t most,
                     size_t size)
{
    bool has = um_list_reserve(list, cap, count + UINT64_C(1), most, size);
    to->unlisted += !has;
    return has;
}

static void keep_episode(struct um_recorded_reading *reading,
                         const struct um_recorded_episode *episode)
{
    struct um_recorded *to = reading->to;
    if (has_room(to, &to->episodes, &reading->episode_cap, to->episode_count,
                 UM_RECORDED_MAX_EPISODES, sizeof *episode))
        to->episodes[to->episode_count++] = *episode;
}

/* The open episode with this id, or NULL. */
static struct um_recorded_episode *find_begun(struct um_recorded *to, uint32_t id)
{
    for (uint32_t i = 0; i < LOOK_BACK && i < to->episode_count; i++) {
        struct um_recorded_episode *episode = &to->episodes[to->episode_count - 1 - i];
        if (episode->open && episode->id == id)
            return episode;
    }
    return NULL;
}

static void drop_episode(struct um_recorded *to, struct um_recorded_episode *episode)
{
    size_t after = (size_t)(to->episodes + to->episode_count - (episode + 1));
    memmove(episode, episode + 1, after * sizeof *episode);
    to->episode_count--;
}

/* Keeps the begins of episodes that last, for a recording that breaks off before their ends. How
 * much of a freeze the process slept is only in its end, so that is added up here as well. */
static void keep_lasting(struct um_recorded_reading *reading, const struct um_wire_frame *frame)
{
    const struct um_wire_episode *given = &frame->as.episode;
    bool slept = frame->flags & UM_WIRE_EPISODE_END && !(frame->flags & UM_WIRE_EPISODE_VOID) &&
                 given->state == UM_STATE_SUSPENDED;

    for (size_t i = 0; i < UM_WIRE_STATES; i++) {
        struct um_wire_episode *episode = &reading->lasting[i].as.episode;
        if (episode->id == given->id)
            reading->lasting[i].type = 0;
        else if (slept)
            episode->slept_ns +=
                um_ns_elapsed(um_ns_max(given->start_ns, episode->start_ns), given->end_ns);
    }
    if (!(frame->flags & UM_WIRE_EPISODE_END))
        reading->lasting[um_wire_state_place(given->state)] = *frame;
}

static void take_episode(struct um_recorded_reading *reading, const struct um_wire_frame *frame)
{
    const struct um_wire_episode *given = &frame->as.episode;
    bool ends = (frame->flags & UM_WIRE_EPISODE_END) != 0;
    struct um_recorded_episode episode = {
        .start_ns = given->start_ns,
        .end_ns = given->end_ns,
        .id = given->id,
        .state = given->state,
        .open = !ends || (frame->flags & UM_WIRE_EPISODE_OPEN) != 0,
    };
    struct um_recorded_episode *begun = find_begun(reading->to, given->id);

    keep_lasting(reading, frame);
    if (begun && frame->flags & UM_WIRE_EPISODE_VOID)
        drop_episode(reading->to, begun);
    else if (begun)
        *begun = episode;
    else if (!(frame->flags & UM_WIRE_EPISODE_VOID))
        keep_episode(reading, &episode);
}

static void take_interaction(struct um_recorded_reading *reading, const struct um_wire_frame *frame)
{
    struct um_recorded *to = reading->to;
    to->has_keys |= frame->as.interaction.key != 0;
    if (has_room(to, &to->interactions, &reading->interaction_cap, to->interaction_count,
                 UM_RECORDED_MAX_INTERACTIONS, sizeof *to->interactions))
        to->interactions[to->interaction_count++] = (struct um_recorded_interaction){
            .times = frame->as.interaction,
            .release = (frame->flags & UM_WIRE_INTERACTION_RELEASE) != 0,
        };
}

static void take_note(struct um_recorded_reading *reading, const struct um_wire_note *note)
{
    struct um_recorded *to = reading->to;
    if (has_room(to, &to->notes, &reading->note_cap, to->note_count, UM_RECORDED_MAX_NOTES,
                 sizeof *note))
        to->notes[to->note_count++] = *note;
}

static void take_message(struct um_recorded_reading *reading, const struct um_wire_frame *frame)
{
    struct um_recorded *to = reading->to;
    if (has_room(to, &to->messages, &reading->message_cap, to->message_count,
                 UM_RECORDED_MAX_MESSAGES, sizeof *to->messages))
        to->messages[to->message_count++] = (struct um_recorded_message){
            .retrieved = frame->as.retrieved, .last = (frame->flags & UM_WIRE_RETRIEVED_LAST) != 0};
}

/* Later SESSIONs do not move the start, from which the slices are counted. */
static void take_session(struct um_recorded_reading *reading, const struct um_wire_session *session)
{
    uint64_t start_ns = reading->has_session ? reading->to->session.start_ns : session->start_ns;
    reading->to->session = *session;
    reading->to->session.start_ns = start_ns;
    reading->has_session = true;
}

static void take_end(struct um_recorded_reading *reading, const struct um_wire_end *end)
{
    reading->to->end_ns = end->time_ns;
    reading->to->end_reason = end->reason;
    reading->has_end = true;
}

static enum um_status keep_frame(struct um_recorded_reading *reading,
                                 const struct um_wire_frame *frame)
{
    switch (frame->type) {
    case UM_WIRE_SESSION:
        take_session(reading, &frame->as.session);
        return UM_OK;
    case UM_WIRE_BEAT:
        return take_beat(reading, &frame->as.beat);
    case UM_WIRE_STATUS:
        return take_status(reading, frame);
    case UM_WIRE_EPISODE:
        take_episode(reading, frame);
        return UM_OK;
    case UM_WIRE_INTERACTION:
        take_interaction(reading, frame);
        return UM_OK;
    case UM_WIRE_NOTE:
        take_note(reading, &frame->as.note);
        return UM_OK;
    case UM_WIRE_RETRIEVED:
        take_message(reading, frame);
        return UM_OK;
    case UM_WIRE_LAYOUT_METERS:
        return um_worst_frames_take(&reading->to->worst_frames, reading->to->session.start_ns,
                                    &frame->as.layout_meters);
    case UM_WIRE_TOTALS:
        reading->to->totals = frame->as.totals;
        reading->has_totals = true;
        reading->since_ns = frame->as.totals.time_ns;
        memset(reading->since_state_ns, 0, sizeof reading->since_state_ns);
        return UM_OK;
    case UM_WIRE_END:
        take_end(reading, &frame->as.end);
        return UM_OK;
    default:
        return UM_OK;
    }
}

/* Whether a frame's times can be true: a start in the lower half of the range, since clocks count
 * from the machine's start, and everything else within SPAN_NS of it. So times in the struct can be
 * added up without an overflow. */
static bool is_possible(const struct um_recorded *to, const struct um_wire_frame *frame,
                        uint64_t time_ns)
{
    if (frame->type == UM_WIRE_SESSION)
        return frame->as.session.start_ns <= INT64_MAX;
    return um_ns_elapsed(to->session.start_ns, time_ns) <= SPAN_NS;
}

/* Frames before the first SESSION, which says when measuring began, and after END are left out. */
static enum um_status take_frame(struct um_recorded_reading *reading,
                                 const struct um_wire_frame *frame)
{
    struct um_recorded *to = reading->to;
    uint64_t time_ns = um_wire_time_of(frame);

    if (frame->type == UM_WIRE_RECORDING && to->recording.version[0] == '\0')
        to->recording = frame->as.recording;
    if (reading->has_end || (!reading->has_session && frame->type != UM_WIRE_SESSION))
        return UM_OK;
    if (!is_possible(to, frame, time_ns))
        return UM_ERR_TOO_LARGE;
    if (to->take)
        to->take(to->take_context, to, frame);
    to->end_ns = um_ns_max(to->end_ns, time_ns);
    enum um_status status = keep_frame(reading, frame);
    if (status == UM_OK) {
        um_stats_frame(to->stats, frame);
        um_profile_take(to->profile, frame);
        um_curves_take(&to->curves, frame);
    }
    return status;
}

/* Counts a freeze that lasts where the recording breaks off as an open one. */
static void end_lasting(struct um_recorded_reading *reading, struct um_wire_frame frame)
{
    struct um_wire_episode *episode = &frame.as.episode;

    if (frame.type != UM_WIRE_EPISODE || !um_wire_state_is_freeze(episode->state))
        return;
    episode->end_ns = um_ns_max(episode->end_ns, reading->lasting_until_ns);
    frame.flags &= (uint8_t)~UM_WIRE_EPISODE_BEGIN;
    frame.flags |= UM_WIRE_EPISODE_END | UM_WIRE_EPISODE_OPEN;
    take_episode(reading, &frame);
    um_stats_frame(reading->to->stats, &frame);
    um_profile_take(reading->to->profile, &frame);
}

/* TOTALS come once a second. Where a recording breaks off, the time after the last one counts by
 * what STATUS said ten times a second. */
static void add_since(struct um_recorded_reading *reading)
{
    struct um_wire_totals *totals = &reading->to->totals;
    for (size_t i = 0; i < UM_STATE_COUNT; i++) { /* not those of a later version */
        totals->state_ns[i] += reading->since_state_ns[i];
        totals->duration_ns += reading->since_state_ns[i];
    }
    totals->time_ns = um_ns_max(totals->time_ns, reading->since_ns);
}

/* When the freeze that lasts longest has begun. */
static uint64_t lasting_since_ns(const struct um_recorded_reading *reading)
{
    uint64_t since_ns = UINT64_MAX;
    for (size_t i = 0; i < UM_WIRE_STATES; i++)
        if (reading->lasting[i].type == UM_WIRE_EPISODE)
            since_ns = um_ns_min(since_ns, reading->lasting[i].as.episode.start_ns);
    return since_ns;
}

/* Notes how everything is that settle changes. */
static enum um_status remember(struct um_recorded_reading *reading)
{
    struct before_end *before = &reading->before_end;
    const struct um_recorded *to = reading->to;
    size_t most = sizeof before->last / sizeof before->last[0];

    before->totals = to->totals;
    before->stats = um_stats_mark(to->stats);
    for (size_t i = 0; i < UM_WIRE_STATES; i++)
        before->lasting_types[i] = reading->lasting[i].type;
    before->unlisted = to->unlisted;
    before->episode_count = to->episode_count;
    before->last_count = to->episode_count < most ? to->episode_count : (uint32_t)most;
    if (before->last_count > 0)
        memcpy(before->last, to->episodes + to->episode_count - before->last_count,
               before->last_count * sizeof before->last[0]);
    before->is_known =
        um_profile_mark(to->profile, lasting_since_ns(reading), &before->profile) == UM_OK;
    return before->is_known ? UM_OK : UM_ERR_MEMORY;
}

static void go_back(struct um_recorded_reading *reading)
{
    struct before_end *before = &reading->before_end;
    struct um_recorded *to = reading->to;

    if (!before->is_known)
        return;
    to->totals = before->totals;
    um_stats_go_back(to->stats, &before->stats);
    um_profile_go_back(to->profile, &before->profile);
    um_profile_mark_deinit(&before->profile);
    for (size_t i = 0; i < UM_WIRE_STATES; i++)
        reading->lasting[i].type = before->lasting_types[i];
    to->unlisted = before->unlisted;
    to->episode_count = before->episode_count;
    if (before->last_count > 0)
        memcpy(to->episodes + to->episode_count - before->last_count, before->last,
               before->last_count * sizeof before->last[0]);
    before->is_known = false;
}

/* Notes how the reading ended. UM_OK: there is enough to sum up. */
static enum um_status settle(struct um_recorded_reading *reading,
                             const struct um_recording *recording)
{
    struct um_recorded *to = reading->to;
    bool enough = reading->has_session && reading->has_totals;

    if (to->status == UM_ERR_CLOSED && reading->has_end)
        to->status = UM_OK;
    if ((to->status == UM_ERR_CLOSED || to->status == UM_ERR_PARTIAL) && remember(reading) != UM_OK)
        to->status = UM_ERR_MEMORY;
    to->whole = to->status == UM_OK;
    if (!reading->has_end && reading->has_totals)
        add_since(reading);
    to->offset = um_recording_offset(recording);
    to->problem[0] = '\0';
    if (!to->whole || !enough)
        um_recording_problem(recording, to->status, to->problem, sizeof to->problem);
    switch (to->status) {
    case UM_ERR_MEMORY:
        return UM_ERR_MEMORY;
    case UM_ERR_FORMAT:
    case UM_ERR_IO:
        return enough ? UM_OK : to->status;
    default:
        return enough ? UM_OK : UM_ERR_PARTIAL;
    }
}

/* Reads to where the recording ends, and sums up. */
static enum um_status read_rest(struct um_recording *recording, struct um_recorded *recorded)
{
    struct um_recorded_reading *reading = recorded->reading;
    struct um_wire_frame frame;

    while (recorded->status == UM_OK) {
        recorded->status = um_recording_next(recording, &frame);
        if (recorded->status == UM_OK)
            recorded->status = take_frame(reading, &frame);
    }
    enum um_status status = settle(reading, recording);
    if (status != UM_OK)
        return status;
    for (size_t i = 0; i < UM_WIRE_STATES && !recorded->whole; i++)
        end_lasting(reading, reading->lasting[i]);
    um_summary_fill(&recorded->summary, &recorded->session, &recorded->totals, recorded->stats);
    recorded->summary.breaks_off = !recorded->whole;
    return UM_OK;
}

/* Makes what a reading needs before its first frame. */
static enum um_status begin(struct um_recording *recording, struct um_recorded *recorded)
{
    struct um_stats_config config = {.start_ns = 0};
    enum um_status status = um_stats_open(&config, &recorded->stats);
    if (status == UM_OK)
        status = um_profile_open(UM_RECORDED_MAX_SAMPLES, &recorded->profile);
    recorded->reading = calloc(1, sizeof *recorded->reading);
    if (!recorded->reading)
        return UM_ERR_MEMORY;
    recorded->reading->to = recorded;
    return status == UM_OK ? um_recording_rewind(recording) : status;
}

enum um_status um_recorded_read(struct um_recording *recording, struct um_recorded *recorded)
{
    recorded->status = begin(recording, recorded);
    if (recorded->status == UM_OK)
        return read_rest(recording, recorded);
    um_recording_problem(recording, recorded->status, recorded->problem, sizeof recorded->problem);
    return recorded->status;
}

enum um_status um_recorded_read_on(struct um_recording *recording, struct um_recorded *recorded)
{
    go_back(recorded->reading);
    recorded->status = UM_OK;
    return read_rest(recording, recorded);
}

enum um_status um_recorded_read_file(const char *path, struct um_recorded *recorded)
{
    struct um_recording *recording;
    enum um_status status =
        um_recording_open(path, &recording, recorded->problem, sizeof recorded->problem);
    if (status != UM_OK)
        return status;
    status = um_recorded_read(recording, recorded);
    um_recording_close(recording);
    return status;
}

uint32_t um_recorded_slice_us(const struct um_recorded *recorded, uint32_t number)
{
    const uint32_t *part_us = recorded->slice_parts_us[number / UM_RECORDED_PART_SLICES];
    return part_us ? part_us[number % UM_RECORDED_PART_SLICES] : UM_RECORDED_NOT_MEASURED;
}

void um_recorded_deinit(struct um_recorded *recorded)
{
    if (recorded->reading)
        um_profile_mark_deinit(&recorded->reading->before_end.profile);
    free(recorded->reading);
    for (size_t i = 0; i < recorded->slice_part_count; i++)
        free(recorded->slice_parts_us[i]);
    um_stats_close(recorded->stats);
    um_profile_close(recorded->profile);
    um_curves_deinit(&recorded->curves);
    um_worst_frames_deinit(&recorded->worst_frames);
    free(recorded->slice_parts_us);
    free(recorded->episodes);
    free(recorded->interactions);
    free(recorded->notes);
    free(recorded->messages);
    memset(recorded, 0, sizeof *recorded);
}
