#include "monitor/playback/recorded.h"

#include <stdlib.h>
#include <string.h>

#include "ipc/clock.h"
#include "monitor/base/list.h"
#include "monitor/base/ns.h"

#define SPAN_NS (UM_RECORDED_MAX_SLICES * UM_SLICE_NS)
/* One beat is out at a time, so all of them together touch hardly more slices than there are. A
 * file in which they touch more was made to keep its reader busy. */
#define MAX_TOUCHED (4 * (uint64_t)UM_RECORDED_MAX_SLICES)
#define LOOK_BACK 16 /* entries of the list; no more episodes than that last at the same time */

/* What is needed while a recording is read, and not afterwards. */
struct reading {
    struct um_recorded *to;
    size_t episode_cap;
    size_t interaction_cap;
    size_t note_cap;
    size_t message_cap;
    uint64_t touched; /* slices, by beats */
    bool has_session;
    bool has_totals;
    bool has_end;
    uint64_t lasting_until_ns; /* the latest STATUS that was frozen or starved */
    /* EPISODE: the latest begin of each state; type 0: none lasts. */
    struct um_wire_frame lasting[UM_STATE_COUNT];
};

static uint64_t sum_ns(uint64_t a, uint64_t b)
{
    return b > UINT64_MAX - a ? UINT64_MAX : a + b;
}

/* Slices --------------------------------------------------------------------------------------- */

/* The number of the slice that a time lies in. A slice does not include its start, but its end, as
 * in slices.h. */
static uint32_t slice_at(const struct um_recorded *recorded, uint64_t time_ns)
{
    uint64_t start_ns = recorded->session.start_ns;
    return time_ns > start_ns ? (uint32_t)um_slice_at(start_ns, time_ns - 1) : 0;
}

/* Makes the list's table of parts reach to a part. */
static enum um_status need_table(struct um_recorded *to, uint32_t part)
{
    if (part < to->slice_part_count)
        return UM_OK;
    uint32_t **grown = realloc(to->slice_parts_us, (part + UINT64_C(1)) * sizeof *grown);
    if (!grown)
        return UM_ERR_MEMORY;
    to->slice_parts_us = grown;
    while (to->slice_part_count <= part)
        grown[to->slice_part_count++] = NULL;
    return UM_OK;
}

/* Makes the list of slices reach to a number, with its part in memory. */
static enum um_status need_slice(struct um_recorded *to, uint32_t number)
{
    uint32_t part = number / UM_RECORDED_PART_SLICES;

    if (number >= UM_RECORDED_MAX_SLICES)
        return UM_ERR_TOO_LARGE;
    if (need_table(to, part) != UM_OK)
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

/* Notes a lag in a slice, which keeps its worst. */
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

/* A beat counts in every slice in which it was out: with its latency in the last one, and with its
 * age at the slice's end in those before. */
static enum um_status take_beat(struct reading *reading, const struct um_wire_beat *beat)
{
    struct um_recorded *to = reading->to;
    uint64_t seen_ns = sum_ns(beat->sent_ns, beat->latency_ns);
    uint32_t last = slice_at(to, seen_ns);
    uint32_t first = beat->latency_ns > 0 ? slice_at(to, beat->sent_ns + 1) : last;
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
static enum um_status take_status(struct reading *reading, const struct um_wire_frame *frame)
{
    const struct um_wire_status *status = &frame->as.status;

    if (um_wire_state_is_freeze(status->state))
        reading->lasting_until_ns = status->time_ns;
    if (!(frame->flags & UM_WIRE_STATUS_HAS_LAG) ||
        status->slice_start_ns < reading->to->session.start_ns)
        return UM_OK;
    return put_lag(reading->to, slice_at(reading->to, status->slice_start_ns + 1),
                   status->slice_worst_ns);
}

/* Lists ---------------------------------------------------------------------------------------- */

static void keep_episode(struct reading *reading, const struct um_recorded_episode *episode)
{
    struct um_recorded *to = reading->to;
    if (um_list_reserve(&to->episodes, &reading->episode_cap, to->episode_count + 1,
                        UM_RECORDED_MAX_EPISODES, sizeof *episode))
        to->episodes[to->episode_count++] = *episode;
    else
        to->unlisted++;
}

/* The one in the list that an end belongs to, or NULL. */
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

/* Keeps the begins of episodes that last, for a recording that breaks off before their ends. Only
 * the end of a freeze says how much of it the process slept, so that is added up here as well. */
static void keep_lasting(struct reading *reading, const struct um_wire_frame *frame)
{
    const struct um_wire_episode *said = &frame->as.episode;
    bool slept = frame->flags & UM_WIRE_EPISODE_END && !(frame->flags & UM_WIRE_EPISODE_VOID) &&
                 said->state == UM_STATE_SUSPENDED;

    for (size_t i = 0; i < UM_STATE_COUNT; i++) {
        struct um_wire_episode *episode = &reading->lasting[i].as.episode;
        if (episode->id == said->id)
            reading->lasting[i].type = 0;
        else if (slept)
            episode->slept_ns +=
                um_ns_elapsed(um_ns_max(said->start_ns, episode->start_ns), said->end_ns);
    }
    if (!(frame->flags & UM_WIRE_EPISODE_END))
        reading->lasting[said->state] = *frame;
}

static void take_episode(struct reading *reading, const struct um_wire_frame *frame)
{
    const struct um_wire_episode *said = &frame->as.episode;
    bool ends = (frame->flags & UM_WIRE_EPISODE_END) != 0;
    struct um_recorded_episode episode = {
        .start_ns = said->start_ns,
        .end_ns = said->end_ns,
        .slept_ns = said->slept_ns,
        .peak_ns = said->peak_ns,
        .id = said->id,
        .message = said->message,
        .state = said->state,
        .has_message = (frame->flags & UM_WIRE_EPISODE_HAS_MESSAGE) != 0,
        .open = !ends || (frame->flags & UM_WIRE_EPISODE_OPEN) != 0,
    };
    struct um_recorded_episode *begun = find_begun(reading->to, said->id);

    keep_lasting(reading, frame);
    if (begun && frame->flags & UM_WIRE_EPISODE_VOID)
        drop_episode(reading->to, begun);
    else if (begun)
        *begun = episode;
    else if (!(frame->flags & UM_WIRE_EPISODE_VOID))
        keep_episode(reading, &episode);
}

static void take_interaction(struct reading *reading, const struct um_wire_frame *frame)
{
    struct um_recorded *to = reading->to;
    to->has_keys |= frame->as.interaction.key != 0;
    if (!um_list_reserve(&to->interactions, &reading->interaction_cap, to->interaction_count + 1,
                         UM_RECORDED_MAX_INTERACTIONS, sizeof *to->interactions)) {
        to->unlisted++;
        return;
    }
    to->interactions[to->interaction_count++] = (struct um_recorded_interaction){
        .times = frame->as.interaction,
        .release = (frame->flags & UM_WIRE_INTERACTION_RELEASE) != 0,
    };
}

static void take_note(struct reading *reading, const struct um_wire_note *note)
{
    struct um_recorded *to = reading->to;
    if (um_list_reserve(&to->notes, &reading->note_cap, to->note_count + 1, UM_RECORDED_MAX_NOTES,
                        sizeof *note))
        to->notes[to->note_count++] = *note;
    else
        to->unlisted++;
}

static void take_message(struct reading *reading, const struct um_wire_frame *frame)
{
    struct um_recorded *to = reading->to;
    if (!um_list_reserve(&to->messages, &reading->message_cap, to->message_count + 1,
                         UM_RECORDED_MAX_MESSAGES, sizeof *to->messages)) {
        to->unlisted++;
        return;
    }
    to->messages[to->message_count++] = (struct um_recorded_message){
        .told = frame->as.retrieved, .last = (frame->flags & UM_WIRE_RETRIEVED_LAST) != 0};
}

/* Frames --------------------------------------------------------------------------------------- */

/* The latest time that a frame names; 0 for none. */
static uint64_t latest_ns(const struct um_wire_frame *frame)
{
    const struct um_wire_interaction *interaction = &frame->as.interaction;
    switch (frame->type) {
    case UM_WIRE_BEAT:
        return sum_ns(frame->as.beat.sent_ns, frame->as.beat.latency_ns);
    case UM_WIRE_GAP:
        return sum_ns(frame->as.gap.start_ns, frame->as.gap.length_ns);
    case UM_WIRE_EPISODE:
        return um_ns_max(frame->as.episode.start_ns, frame->as.episode.end_ns);
    case UM_WIRE_STATUS:
        return um_ns_max(frame->as.status.time_ns, frame->as.status.slice_start_ns);
    case UM_WIRE_INTERACTION:
        return um_ns_max(um_ns_max(interaction->arrival_ns, interaction->dequeued_ns),
                         um_ns_max(interaction->handled_ns, interaction->painted_ns));
    case UM_WIRE_TOTALS:
        return frame->as.totals.time_ns;
    case UM_WIRE_NOTE:
        return frame->as.note.time_ns;
    case UM_WIRE_REST:
        return frame->as.rest.time_ns;
    case UM_WIRE_RUNG:
        return frame->as.rung.time_ns;
    case UM_WIRE_SAMPLE:
        return frame->as.sample.time_ns;
    case UM_WIRE_POOL:
        return frame->as.pool.time_ns;
    case UM_WIRE_RETRIEVED:
        return sum_ns(frame->as.retrieved.time_ns, frame->as.retrieved.length_ns);
    case UM_WIRE_ACTIVITY:
        return frame->as.activity.time_ns;
    case UM_WIRE_TRACING:
        return frame->as.tracing.time_ns;
    case UM_WIRE_END:
        return frame->as.end.time_ns;
    default:
        return 0;
    }
}

/* Later SESSIONs do not move the start, from which the slices are counted. */
static void take_session(struct reading *reading, const struct um_wire_session *session)
{
    uint64_t start_ns = reading->has_session ? reading->to->session.start_ns : session->start_ns;
    reading->to->session = *session;
    reading->to->session.start_ns = start_ns;
    reading->has_session = true;
}

static void take_end(struct reading *reading, const struct um_wire_end *end)
{
    reading->to->end_ns = end->time_ns;
    reading->to->end_reason = end->reason;
    reading->has_end = true;
}

static enum um_status keep_frame(struct reading *reading, const struct um_wire_frame *frame)
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
    case UM_WIRE_TOTALS:
        reading->to->totals = frame->as.totals;
        reading->has_totals = true;
        return UM_OK;
    case UM_WIRE_END:
        take_end(reading, &frame->as.end);
        return UM_OK;
    default:
        return UM_OK;
    }
}

/* Whether a frame's times can be true: a start in the lower half of the range, as clocks count from
 * the machine's start, and everything else within SPAN_NS of it. So whoever uses the struct can add
 * to its times without an overflow. */
static bool is_possible(const struct um_recorded *to, const struct um_wire_frame *frame,
                        uint64_t time_ns)
{
    if (frame->type == UM_WIRE_SESSION)
        return frame->as.session.start_ns <= INT64_MAX;
    return um_ns_elapsed(to->session.start_ns, time_ns) <= SPAN_NS;
}

/* Frames before the first SESSION, which says when measuring began, and after END are left out. */
static enum um_status take_frame(struct reading *reading, const struct um_wire_frame *frame)
{
    struct um_recorded *to = reading->to;
    uint64_t time_ns = latest_ns(frame);

    if (frame->type == UM_WIRE_RECORDING && to->recording.version[0] == '\0')
        to->recording = frame->as.recording;
    if (reading->has_end || (!reading->has_session && frame->type != UM_WIRE_SESSION))
        return UM_OK;
    if (!is_possible(to, frame, time_ns))
        return UM_ERR_TOO_LARGE;
    to->end_ns = um_ns_max(to->end_ns, time_ns);
    enum um_status status = keep_frame(reading, frame);
    if (status == UM_OK) {
        um_stats_frame(to->stats, frame);
        um_profile_take(to->profile, frame);
    }
    return status;
}

/* Summing up ----------------------------------------------------------------------------------- */

/* Counts a freeze that lasts where the recording breaks off, as an open one. */
static void end_lasting(struct reading *reading, struct um_wire_frame frame)
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

/* Notes how the reading ended. UM_OK: there is enough to sum up. */
static enum um_status settle(struct reading *reading, const struct um_recording *recording)
{
    struct um_recorded *to = reading->to;
    bool enough = reading->has_session && reading->has_totals;

    if (to->status == UM_ERR_CLOSED && reading->has_end)
        to->status = UM_OK;
    to->whole = to->status == UM_OK;
    to->offset = um_recording_offset(recording);
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

enum um_status um_recorded_read(struct um_recording *recording, struct um_recorded *recorded)
{
    struct um_stats_config config = {.start_ns = 0};
    struct reading reading = {.to = recorded};
    struct um_wire_frame frame;

    recorded->status = um_stats_open(&config, &recorded->stats);
    if (recorded->status == UM_OK)
        recorded->status = um_profile_open(UM_RECORDED_MAX_SAMPLES, &recorded->profile);
    if (recorded->status == UM_OK)
        recorded->status = um_recording_rewind(recording);
    while (recorded->status == UM_OK) {
        recorded->status = um_recording_next(recording, &frame);
        if (recorded->status == UM_OK)
            recorded->status = take_frame(&reading, &frame);
    }
    enum um_status status = settle(&reading, recording);
    if (status != UM_OK)
        return status;
    for (size_t i = 0; i < UM_STATE_COUNT && !recorded->whole; i++)
        end_lasting(&reading, reading.lasting[i]);
    um_summary_fill(&recorded->summary, &recorded->session, &recorded->totals, recorded->stats);
    return UM_OK;
}

uint32_t um_recorded_slice_us(const struct um_recorded *recorded, uint32_t number)
{
    const uint32_t *part_us = recorded->slice_parts_us[number / UM_RECORDED_PART_SLICES];
    return part_us ? part_us[number % UM_RECORDED_PART_SLICES] : UM_RECORDED_NOT_MEASURED;
}

void um_recorded_deinit(struct um_recorded *recorded)
{
    for (uint32_t i = 0; i < recorded->slice_part_count; i++)
        free(recorded->slice_parts_us[i]);
    um_stats_close(recorded->stats);
    um_profile_close(recorded->profile);
    free(recorded->slice_parts_us);
    free(recorded->episodes);
    free(recorded->interactions);
    free(recorded->notes);
    free(recorded->messages);
    memset(recorded, 0, sizeof *recorded);
}
