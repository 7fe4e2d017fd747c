#include "overlay/model.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/plain/text.h"
#include "base/message_names.h"
#include "base/ns.h"
#include "metrics/metrics.h"
#include "overlay/text.h"

#define DEFAULT_THRESHOLD_NS UINT64_C(100000000)
#define DEFAULT_SLOW_NS UINT64_C(50000000)
#define BACKWARD_NS UINT64_C(1000000000) /* if time goes back by more, the feed has started anew */
#define ACTIVITY_FRESH_NS UINT64_C(1000000000) /* ACTIVITY comes every 100 ms while it is counted */
#define ACTIVITY_SPAN_NS UINT64_C(400000000)   /* a rate needs so much time between its two ends */
#define RATE_MOST 1e6
#define POOL_FRESH_NS UINT64_C(1000000000) /* POOL comes every 250 ms while the pool is measured */
#define TOTALS_FRESH_NS UINT64_C(5000000000) /* TOTALS comes once a second */

static size_t slot_index(int64_t slice)
{
    int64_t index = slice % UM_MODEL_COLUMNS;
    return (size_t)(index < 0 ? index + UM_MODEL_COLUMNS : index);
}

static void clear_history(struct um_model *model)
{
    model->episodes = 0;
    model->marks = 0;
    model->freeze_profile.known = false;
    model->session_profile.known = false;
    model->pool.time_ns = 0;
    model->pool_flags = 0;
    model->activities = 0;
    model->totals[0].time_ns = 0;
    model->headline_end_ns = 0;
    model->had_lag = false;
    for (size_t i = 0; i < UM_MODEL_COLUMNS; i++)
        model->slot[i] = (struct um_model_slot){.slice = INT64_MIN};
}

void um_model_init(struct um_model *model)
{
    memset(model, 0, sizeof *model);
    model->session.threshold_us = (uint32_t)(DEFAULT_THRESHOLD_NS / 1000);
    model->session.slow_us = (uint32_t)(DEFAULT_SLOW_NS / 1000);
    model->dirty = true;
    clear_history(model);
}

/* Episodes ------------------------------------------------------------------------------------- */

static void remove_episode(struct um_model *model, uint32_t at)
{
    model->episodes--;
    memmove(&model->episode[at], &model->episode[at + 1],
            (model->episodes - at) * sizeof model->episode[0]);
}

static void add_episode(struct um_model *model, const struct um_model_episode *episode)
{
    if (model->episodes == UM_MODEL_EPISODES)
        remove_episode(model, 0);
    model->episode[model->episodes++] = *episode;
}

/* An EPISODE frame replaces the episodes that were guessed from STATUS. */
static void drop_guesses(struct um_model *model, uint64_t start_ns, uint64_t end_ns)
{
    for (uint32_t i = model->episodes; i-- > 0;) {
        const struct um_model_episode *e = &model->episode[i];
        if (e->guessed && e->start_ns <= end_ns && e->end_ns >= start_ns)
            remove_episode(model, i);
    }
}

static void drop_id(struct um_model *model, uint32_t id)
{
    for (uint32_t i = model->episodes; i-- > 0;) {
        if (model->episode[i].guessed || model->episode[i].id != id)
            continue;
        remove_episode(model, i);
        return;
    }
}

/* Only one beat is outstanding at a time. So if a freeze seems to last when another one comes, the
 * EPISODE frame of its end was lost. It ended at the last STATUS that showed it. */
static void end_lost_freezes(struct um_model *model)
{
    for (uint32_t i = 0; i < model->episodes; i++) {
        struct um_model_episode *e = &model->episode[i];
        if (um_wire_state_is_freeze(e->state) && !e->guessed)
            e->open = false;
    }
}

static void take_episode(struct um_model *model, const struct um_wire_episode *wire, uint8_t flags)
{
    struct um_model_episode episode = {.start_ns = wire->start_ns,
                                       .end_ns = wire->end_ns,
                                       .length_ns = um_wire_episode_length_ns(wire),
                                       .id = wire->id,
                                       .state = wire->state,
                                       .open = (flags & UM_WIRE_EPISODE_END) == 0};

    episode.end_ns = um_ns_max(episode.end_ns, episode.start_ns);
    drop_id(model, wire->id);
    drop_guesses(model, episode.start_ns, episode.end_ns);
    if (um_wire_state_is_freeze(episode.state))
        end_lost_freezes(model);
    if ((flags & UM_WIRE_EPISODE_VOID) == 0)
        add_episode(model, &episode);
    model->dirty = true;
}

/* Shows something about a freeze for a while, after its length. What comes later about the same
 * freeze does not prolong that while. */
static void show_headline(struct um_model *model, uint32_t freeze, const char *words)
{
    char length[UM_TEXT_BYTES] = "";
    for (uint32_t i = 0; i < model->episodes; i++)
        if (model->episode[i].id == freeze && !model->episode[i].guessed)
            um_text_lag(model->episode[i].length_ns, length);
    bool again = model->headline_end_ns != 0 && model->headline_freeze == freeze;
    snprintf(model->headline, sizeof model->headline, "%s%s%s", length, length[0] ? ": " : "",
             words);
    model->headline_freeze = freeze;
    if (!again)
        model->headline_end_ns = model->status.time_ns + UM_MODEL_HEADLINE_NS;
    model->dirty = true;
}

/* Where the program was: "1.24 s: parse ← WM_COMMAND". When the names come late, a second frame
 * replaces the first. */
static void take_stack(struct um_model *model, const struct um_wire_stack *stack)
{
    if (stack->headline[0] == '\0')
        return;
    model->headline_by_stack = true;
    show_headline(model, stack->freeze, stack->headline);
}

/* Which message took most of a freeze: "1.24 s: 817 ms in WM_SIZE @ Editor". A stack says more. */
static void take_costliest(struct um_model *model, const struct um_wire_costliest *costliest)
{
    char words[sizeof model->headline], length[UM_TEXT_BYTES], message[UM_MESSAGE_NAMES_BYTES];
    if (model->headline_by_stack && model->headline_freeze == costliest->freeze)
        return;
    um_text_lag(costliest->length_ns, length);
    um_message_names_get(costliest->message, costliest->message_name, message, sizeof message);
    snprintf(words, sizeof words, "%s in %s%s%s", length, message,
             costliest->window_class[0] ? " @ " : "", costliest->window_class);
    model->headline_by_stack = false;
    show_headline(model, costliest->freeze, words);
}

/* Whether an episode that has begun lasts: as long as STATUS shows its state, or a stronger state
 * that hides it. So an episode whose end was lost ends with its state. */
static bool still_lasts(const struct um_model *model, const struct um_model_episode *episode)
{
    return episode->open && model->status.state <= episode->state;
}

static void extend_episodes(struct um_model *model)
{
    for (uint32_t i = 0; i < model->episodes; i++) {
        struct um_model_episode *e = &model->episode[i];
        if (still_lasts(model, e) && e->end_ns < model->status.time_ns) {
            e->length_ns += model->status.time_ns - e->end_ns;
            e->end_ns = model->status.time_ns;
        } else if (e->guessed && !still_lasts(model, e)) {
            e->open = false;
        }
    }
}

static bool episode_explains(const struct um_model *model, const struct um_wire_status *status)
{
    for (uint32_t i = model->episodes; i-- > 0;) {
        const struct um_model_episode *e = &model->episode[i];
        if (e->state == status->state && e->open && e->start_ns <= status->time_ns)
            return true;
    }
    return false;
}

static void guess_episode(struct um_model *model)
{
    const struct um_wire_status *status = &model->status;
    struct um_model_episode guess = {.start_ns = status->state_since_ns,
                                     .end_ns = status->time_ns,
                                     .state = status->state,
                                     .open = true,
                                     .guessed = true};

    if (status->state >= UM_STATE_SLOW || episode_explains(model, status))
        return;
    guess.start_ns = um_ns_min(guess.start_ns, guess.end_ns);
    add_episode(model, &guess);
}

/* Frames --------------------------------------------------------------------------------------- */

static bool is_replay(const struct um_model *model)
{
    return model->has_session && model->session.hwnd == 0;
}

static uint64_t silent_at(const struct um_model *model)
{
    if (is_replay(model))
        return UM_MODEL_NEVER;
    /* While the beats pause, a feed may be silent for longer. */
    return model->arrived_ns + (model->status.state == UM_STATE_IDLE ? UM_MODEL_IDLE_PATIENCE_NS
                                                                     : UM_MODEL_PATIENCE_NS);
}

static void take_session(struct um_model *model, const struct um_wire_session *session, bool anew,
                         uint64_t now_ns)
{
    if (anew) {
        um_model_init(model);
        model->hold_ns = now_ns + UM_MODEL_ANEW_NS;
    } else if (model->has_session && session->start_ns != model->session.start_ns)
        clear_history(model);
    model->session = *session;
    model->has_session = true;
    model->dirty = true;
}

static void store_slice(struct um_model *model, const struct um_wire_status *status, uint8_t flags)
{
    /* The feed's slices may begin at other times: this takes the nearest slice of the model's. */
    int64_t slice = um_slice_at(model->base_ns, status->slice_start_ns + UM_SLICE_NS / 2);
    struct um_model_slot *slot = &model->slot[slot_index(slice)];

    slot->slice = slice;
    slot->measured = (flags & UM_WIRE_STATUS_HAS_LAG) != 0;
    slot->worst_ns = slot->measured ? status->slice_worst_ns : 0;
    model->last = slice;
}

/* Whether the target was and is idle. Then only the time of that changes, which is drawn rarely,
 * because the overlay must cost next to nothing when nobody works. */
static bool stays_idle(const struct um_model *model, const struct um_wire_status *status,
                       uint64_t now_ns)
{
    uint64_t for_ns = status->time_ns - status->state_since_ns;
    uint64_t pause_ns = for_ns < UM_MODEL_LONG_IDLE_NS ? UM_MODEL_IDLE_NS : UM_MODEL_LONG_IDLE_NS;

    return model->link == UM_MODEL_LIVE && !is_replay(model) &&
           model->status.state == UM_STATE_IDLE && status->state == UM_STATE_IDLE &&
           model->viewed_ns < silent_at(model) && now_ns - model->viewed_ns < pause_ns;
}

static void take_status(struct um_model *model, const struct um_wire_status *status, uint8_t flags,
                        uint64_t now_ns)
{
    bool quiet = stays_idle(model, status, now_ns);
    bool backward =
        model->link != UM_MODEL_WAITING && status->time_ns + BACKWARD_NS < model->status.time_ns;

    if (model->link == UM_MODEL_WAITING || backward) {
        if (backward)
            clear_history(model);
        model->base_ns = status->slice_start_ns;
    }
    model->link = UM_MODEL_LIVE;
    model->status = *status;
    model->status_flags = flags;
    model->had_lag |= (flags & UM_WIRE_STATUS_HAS_LAG) != 0;
    if (um_wire_status_lag_is_past(status, flags))
        model->past_lag_ns = status->lag_ns;
    model->arrived_ns = now_ns;
    store_slice(model, status, flags);
    extend_episodes(model);
    guess_episode(model);
    if (!quiet)
        model->dirty = true;
}

/* The begin or end of a starvation is drawn at once; a changed number with the next STATUS. */
static void take_pool(struct um_model *model, const struct um_wire_frame *frame)
{
    const struct um_wire_pool *pool = &frame->as.pool;

    if (((frame->flags ^ model->pool_flags) & UM_WIRE_POOL_STARVED) != 0 ||
        pool->starvation != model->pool.starvation)
        model->dirty = true;
    model->pool = *pool;
    model->pool_flags = frame->flags;
}

/* A changed rate is drawn with the next STATUS. */
static void take_activity(struct um_model *model, const struct um_wire_frame *frame)
{
    const struct um_wire_activity *activity = &frame->as.activity;
    struct um_wire_activity *list = model->activity;

    if (model->activities > 0 && list[model->activities - 1].since_ns != activity->since_ns)
        model->activities = 0;
    if (model->activities == UM_MODEL_ACTIVITIES) {
        model->activities--;
        memmove(list, list + 1, model->activities * sizeof *list);
    }
    list[model->activities++] = *activity;
    model->paints = (frame->flags & UM_WIRE_ACTIVITY_PAINTS) != 0;
}

static bool same_rows(const struct um_wire_profile_row *a, const struct um_wire_profile_row *b)
{
    bool same = true;
    for (int i = 0; same && i < UM_WIRE_PROFILE_ROWS; i++)
        same = a[i].self == b[i].self && a[i].all == b[i].all && a[i].value == b[i].value &&
               strcmp(a[i].name, b[i].name) == 0 && strcmp(a[i].module, b[i].module) == 0;
    return same;
}

static bool same_profile(const struct um_wire_profile *a, const struct um_wire_profile *b)
{
    return a->scope == b->scope && a->span_ns == b->span_ns && a->samples == b->samples &&
           a->unread == b->unread && a->forgotten == b->forgotten && a->by == b->by &&
           same_rows(a->rows, b->rows);
}

/* Takes a part behind the first one. */
static void take_rows(struct um_model *model, struct um_model_profile *kept,
                      const struct um_wire_profile *profile)
{
    struct um_wire_profile_row *rows = kept->more + (profile->part - 1) * UM_WIRE_PROFILE_ROWS;
    if (same_rows(rows, profile->rows))
        return;
    memcpy(rows, profile->rows, sizeof profile->rows);
    model->dirty = true;
}

/* A PROFILE comes once a second. Only one that differs from the last one is drawn. */
static void take_profile(struct um_model *model, const struct um_wire_profile *profile)
{
    bool of_freeze = profile->scope == UM_WIRE_SCOPE_FREEZE || profile->scope == UM_WIRE_SCOPE_NOW;
    struct um_model_profile *kept = of_freeze ? &model->freeze_profile : &model->session_profile;

    if (profile->scope == UM_WIRE_UNKNOWN)
        return;
    if (profile->part > 0) {
        take_rows(model, kept, profile);
        return;
    }
    if (kept->known && same_profile(&kept->of, profile))
        return;
    kept->known = true;
    kept->of = *profile;
    model->dirty = true;
}

void um_model_frame(struct um_model *model, const struct um_wire_frame *frame, uint64_t now_ns)
{
    switch (frame->type) {
    case UM_WIRE_SESSION:
        take_session(model, &frame->as.session, (frame->flags & UM_WIRE_SESSION_ANEW) != 0, now_ns);
        break;
    case UM_WIRE_BEAT_KIND:
        model->beat_kind = frame->as.beat_kind;
        model->dirty = true;
        break;
    case UM_WIRE_EPISODE:
        take_episode(model, &frame->as.episode, frame->flags);
        break;
    case UM_WIRE_STACK:
        take_stack(model, &frame->as.stack);
        break;
    case UM_WIRE_COSTLIEST:
        take_costliest(model, &frame->as.costliest);
        break;
    case UM_WIRE_STATUS:
        take_status(model, &frame->as.status, frame->flags, now_ns);
        break;
    case UM_WIRE_POOL:
        take_pool(model, frame);
        break;
    case UM_WIRE_ACTIVITY:
        take_activity(model, frame);
        break;
    case UM_WIRE_PROFILE:
        take_profile(model, &frame->as.profile);
        break;
    case UM_WIRE_TOTALS:
        model->totals[1] = model->totals[0];
        model->totals[0] = frame->as.totals;
        break;
    case UM_WIRE_LOST:
        model->missed += frame->as.lost.frames;
        model->dirty = true;
        break;
    case UM_WIRE_NOTE:
        model->mark_ns[model->marks++ % UM_MODEL_MARKS] = frame->as.note.time_ns;
        model->dirty = true;
        break;
    case UM_WIRE_END:
        model->link = UM_MODEL_ENDED;
        model->dirty = true;
        break;
    default:
        break;
    }
}

/* Time ----------------------------------------------------------------------------------------- */

/* Whether the lag grows with the clock: a freeze lasts. Its beat is certainly outstanding still,
 * because its end would have come as a STATUS. */
static bool grows(const struct um_model *model)
{
    return um_wire_state_is_freeze(model->status.state) && model->status.outstanding_ns != 0;
}

uint64_t um_model_deadline(const struct um_model *model)
{
    uint64_t silent_ns = silent_at(model);

    if (model->hold_ns != 0)
        return model->hold_ns;
    if (is_replay(model) || model->link != UM_MODEL_LIVE || model->viewed_ns >= silent_ns)
        return UM_MODEL_NEVER;
    if (grows(model) && model->viewed_ns + UM_SLICE_NS < silent_ns)
        return model->viewed_ns + UM_SLICE_NS;
    return model->alarm_until_ns != 0 && model->alarm_until_ns < silent_ns ? model->alarm_until_ns
                                                                           : silent_ns;
}

bool um_model_changed(const struct um_model *model, uint64_t now_ns)
{
    if (model->hold_ns != 0)
        return now_ns >= model->hold_ns;
    return model->dirty || now_ns >= um_model_deadline(model);
}

/* View ----------------------------------------------------------------------------------------- */

/* The present time of the feed. In a replay or a silent feed it is that of the last STATUS. */
static uint64_t feed_now(const struct um_model *model, enum um_model_link link, uint64_t now_ns)
{
    if (link != UM_MODEL_LIVE || is_replay(model) || now_ns < model->arrived_ns)
        return model->status.time_ns;
    return model->status.time_ns + (now_ns - model->arrived_ns);
}

static void view_slots(const struct um_model *model, struct um_model_view *view)
{
    for (uint32_t i = 0; i < UM_MODEL_COLUMNS; i++) {
        int64_t slice = view->newest_slice - (int64_t)i;
        const struct um_model_slot *slot = &model->slot[slot_index(slice)];
        struct um_model_column *column = &view->column[i];
        bool known = slot->slice == slice && slot->measured;
        column->measured = known;
        column->worst_ns = known ? slot->worst_ns : 0;
        column->marked = false;
        column->state = known ? UM_STATE_RESPONSIVE : UM_MODEL_UNKNOWN;
    }
    view->columns = UM_MODEL_COLUMNS;
}

/* Fills each slice since the last STATUS with the age that the outstanding beat has at its end. */
static void view_growth(const struct um_model *model, uint64_t time_ns, struct um_model_view *view)
{
    for (int64_t slice = model->last; slice <= view->newest_slice; slice++) {
        uint64_t until_ns = um_ns_min(um_slice_start(model->base_ns, slice + 1), time_ns);
        struct um_model_column *column = &view->column[view->newest_slice - slice];
        uint64_t waited_ns = um_wire_status_waited_ns(&model->status, until_ns);
        if (waited_ns == 0)
            continue;
        if (!column->measured || column->worst_ns < waited_ns)
            column->worst_ns = waited_ns;
        if (!column->measured) /* a slice that just begins belongs to no episode yet */
            column->state = model->status.state;
        column->measured = true;
    }
}

/* How long a freeze was, or has been so far. 0: unknown, because its start is a guess, another
 * state hides it now, or its end was lost. A starved target answers beats while it lasts. */
static uint64_t freeze_length(const struct um_model *model, const struct um_model_episode *episode,
                              uint64_t time_ns)
{
    if (!um_wire_state_is_freeze(episode->state) || episode->guessed)
        return 0;
    if (!episode->open)
        return episode->length_ns;
    if (!still_lasts(model, episode) || !um_wire_state_is_freeze(model->status.state))
        return 0;
    return um_ns_elapsed(episode->start_ns, grows(model) ? time_ns : episode->end_ns);
}

static void paint(struct um_model_column *column, enum um_state state, uint64_t overlap_ns)
{
    /* A freeze colours every slice that it touches. Any other state colours a measured slice only
     * if it covers at least half of it. */
    if (um_wire_state_is_freeze((uint8_t)state) || !column->measured ||
        overlap_ns >= UM_SLICE_NS / 2)
        column->state = (uint8_t)state;
}

static void paint_episode(const struct um_model *model, const struct um_model_episode *episode,
                          uint64_t time_ns, struct um_model_view *view)
{
    uint64_t end_ns =
        still_lasts(model, episode) ? um_ns_max(time_ns, episode->end_ns) : episode->end_ns;
    int64_t from = um_slice_at(model->base_ns, episode->start_ns);
    int64_t to = um_slice_at(model->base_ns, end_ns);

    if (to > view->newest_slice)
        to = view->newest_slice;
    if (from <= view->newest_slice - UM_MODEL_COLUMNS)
        from = view->newest_slice - UM_MODEL_COLUMNS + 1;
    for (int64_t slice = from; slice <= to; slice++) {
        struct um_model_column *column = &view->column[view->newest_slice - slice];
        uint64_t left = um_slice_start(model->base_ns, slice);
        uint64_t right = left + UM_SLICE_NS;
        left = um_ns_max(left, episode->start_ns);
        right = um_ns_min(right, end_ns);
        if (right > left)
            paint(column, (enum um_state)episode->state, right - left);
    }
}

/* The column that a time lies in, or the newest or oldest one if it is not in the picture. */
static uint32_t column_at(const struct um_model *model, const struct um_model_view *view,
                          uint64_t time_ns)
{
    int64_t ago = view->newest_slice - um_slice_at(model->base_ns, time_ns);
    return ago <= 0 ? 0 : ago >= UM_MODEL_COLUMNS ? UM_MODEL_COLUMNS - 1 : (uint32_t)ago;
}

/* Adds a freeze to the view's list, which has the longest first. One that lasts is in the newest
 * column; one that has ended with a slice does not touch the next one. */
static void view_freeze(const struct um_model *model, const struct um_model_episode *episode,
                        uint64_t time_ns, struct um_model_view *view)
{
    uint64_t length_ns = freeze_length(model, episode, time_ns);
    uint64_t last_ns = um_ns_max(episode->end_ns, episode->start_ns + 1) - 1;
    uint32_t at = view->freezes;

    if (still_lasts(model, episode))
        last_ns = um_ns_max(time_ns, episode->end_ns);
    if (length_ns == 0 ||
        um_slice_at(model->base_ns, last_ns) <= view->newest_slice - UM_MODEL_COLUMNS)
        return;
    for (; at > 0 && view->freeze[at - 1].length_ns < length_ns; at--)
        view->freeze[at] = view->freeze[at - 1];
    view->freeze[at] =
        (struct um_model_freeze){.length_ns = length_ns,
                                 .newest = column_at(model, view, last_ns),
                                 .oldest = column_at(model, view, episode->start_ns)};
    view->freezes++;
}

static void view_marks(const struct um_model *model, struct um_model_view *view)
{
    for (uint32_t i = 0; i < model->marks && i < UM_MODEL_MARKS; i++) {
        int64_t slice = um_slice_at(model->base_ns, model->mark_ns[i]);
        if (slice <= view->newest_slice && slice > view->newest_slice - UM_MODEL_COLUMNS)
            view->column[view->newest_slice - slice].marked = true;
    }
}

static void view_columns(const struct um_model *model, uint64_t time_ns, struct um_model_view *view)
{
    /* The strongest comes last, over the others. */
    static const uint8_t order[] = {UM_STATE_STARVED, UM_STATE_FROZEN, UM_STATE_OWN_BEAT,
                                    UM_STATE_IDLE,    UM_STATE_BLIND,  UM_STATE_SUSPENDED};
    bool growing = view->link == UM_MODEL_LIVE && grows(model);
    int64_t now = um_slice_at(model->base_ns, time_ns);

    view->newest_slice = growing && now > model->last ? now : model->last;
    if (view->newest_slice - model->last >= UM_MODEL_COLUMNS) /* the times make no sense */
        view->newest_slice = model->last;
    view_slots(model, view);
    if (growing)
        view_growth(model, time_ns, view);
    for (size_t place = 0; place < sizeof order; place++) {
        for (uint32_t i = 0; i < model->episodes; i++)
            if (model->episode[i].state == order[place])
                paint_episode(model, &model->episode[i], time_ns, view);
    }
    for (uint32_t i = model->episodes; i-- > 0;)
        view_freeze(model, &model->episode[i], time_ns, view);
    view_marks(model, view);
}

/* The lag while a freeze lasts: since the freeze began, or else since the beat was sent. 0: neither
 * is known. */
static uint64_t growing_lag(const struct um_model *model, uint64_t time_ns)
{
    for (uint32_t i = model->episodes; i-- > 0;) {
        const struct um_model_episode *e = &model->episode[i];
        if (e->open && freeze_length(model, e, time_ns) != 0)
            return freeze_length(model, e, time_ns);
    }
    return um_wire_status_waited_ns(&model->status, time_ns);
}

/* Fills in an alarm that ended at `end_ns`. Returns for how long it is still shown. */
static uint64_t view_past_alarm(uint64_t end_ns, uint64_t peak_ns, uint64_t time_ns,
                                struct um_model_alarm *alarm)
{
    uint64_t ago_ns = um_ns_elapsed(end_ns, time_ns);

    if (ago_ns >= UM_MODEL_ALARM_NS || um_ns_elapsed(time_ns, end_ns) >= UM_MODEL_ALARM_NS)
        return 0;
    *alarm = (struct um_model_alarm){.on = true, .peak_ns = peak_ns};
    return UM_MODEL_ALARM_NS - ago_ns;
}

/* Fills in the alarm of a hang. Returns for how long one that is over is still shown. */
static uint64_t view_hang(uint64_t time_ns, struct um_model_view *view)
{
    if (um_wire_state_is_freeze((uint8_t)view->state)) {
        view->hang = (struct um_model_alarm){.on = true, .lasts = true, .peak_ns = view->lag_ns};
        return 0;
    }
    if (!view->has_last_freeze)
        return 0;
    return view_past_alarm(time_ns - view->last_freeze_ago_ns, view->status.last_freeze_ns, time_ns,
                           &view->hang);
}

/* The same for a starvation. Also fills in the thread pool's delay, if it is measured. */
static uint64_t view_pool(const struct um_model *model, uint64_t time_ns,
                          struct um_model_view *view)
{
    const struct um_wire_pool *pool = &model->pool;
    bool fresh = pool->time_ns != 0 && um_ns_elapsed(pool->time_ns, time_ns) < POOL_FRESH_NS;

    view->has_pool = fresh;
    view->pool_ns = fresh ? pool->delay_ns : 0;
    if (fresh && (model->pool_flags & UM_WIRE_POOL_STARVED) != 0) {
        view->starvation =
            (struct um_model_alarm){.on = true, .lasts = true, .peak_ns = pool->peak_ns};
        return 0;
    }
    if (pool->time_ns == 0 || pool->starvation == 0 ||
        (model->pool_flags & UM_WIRE_POOL_STARVED) != 0)
        return 0;
    return view_past_alarm(pool->end_ns, pool->peak_ns, time_ns, &view->starvation);
}

static void view_activity(const struct um_model *model, uint64_t time_ns,
                          struct um_model_view *view)
{
    if (model->activities < 2)
        return;
    const struct um_wire_activity *first = &model->activity[0];
    const struct um_wire_activity *last = &model->activity[model->activities - 1];
    uint64_t span_ns = um_ns_elapsed(first->time_ns, last->time_ns);
    if (span_ns < ACTIVITY_SPAN_NS || um_ns_elapsed(last->time_ns, time_ns) >= ACTIVITY_FRESH_NS)
        return;
    view->message_rate = um_metrics_rate(first->messages, last->messages, span_ns);
    view->frame_rate = um_metrics_rate(first->paints, last->paints, span_ns);
    view->has_message_rate = view->message_rate < RATE_MOST;
    view->has_frame_rate = model->paints && view->frame_rate < RATE_MOST;
}

/* Fills in the alarms, and keeps when the first of those that are over must vanish, because perhaps
 * no frame comes then. */
static void view_alarms(struct um_model *model, uint64_t now_ns, uint64_t time_ns,
                        struct um_model_view *view)
{
    model->alarm_until_ns = 0;
    if (view->link != UM_MODEL_LIVE)
        return;
    uint64_t hang_ns = view_hang(time_ns, view);
    uint64_t pool_ns = view_pool(model, time_ns, view);
    uint64_t left_ns = hang_ns == 0 || (pool_ns != 0 && pool_ns < hang_ns) ? pool_ns : hang_ns;
    if (left_ns != 0 && !is_replay(model))
        model->alarm_until_ns = now_ns + left_ns;
}

static void view_totals(const struct um_model *model, uint64_t time_ns, struct um_model_view *view)
{
    const struct um_wire_totals *last = &model->totals[0], *before = &model->totals[1];

    if (last->time_ns == 0)
        return;
    view->has_beats_lost = true;
    view->beats_lost = last->beats_lost;
    uint64_t span_ns = um_ns_elapsed(before->time_ns, last->time_ns);
    uint64_t cpu_ns = um_metrics_own_cpu_ns(last), cpu_before_ns = um_metrics_own_cpu_ns(before);
    if (before->time_ns == 0 || span_ns == 0 || cpu_before_ns == 0 || cpu_ns < cpu_before_ns ||
        um_ns_elapsed(last->time_ns, time_ns) >= TOTALS_FRESH_NS)
        return;
    double permille = um_metrics_rate(cpu_before_ns, cpu_ns, span_ns) / 1e6;
    view->has_cost = permille < 1e6;
    view->cost_permille = view->has_cost ? (uint32_t)(permille + 0.5) : 0;
}

/* Fills in the lag. From the end of a freeze until the next beat is answered the only lag that is
 * known is what the freeze's own beat waited, so the freeze's length is shown instead. */
static void view_lag(const struct um_model *model, uint64_t time_ns, struct um_model_view *view)
{
    const struct um_wire_status *status = &model->status;
    bool freezes = um_wire_state_is_freeze(status->state);
    uint64_t growing_ns = freezes ? growing_lag(model, time_ns) : 0;

    view->has_lag = growing_ns != 0 || (model->status_flags & UM_WIRE_STATUS_HAS_LAG) != 0;
    view->had_lag = view->has_lag || model->had_lag;
    view->lag_is_past = view->has_lag && !freezes && status->outstanding_ns == 0 &&
                        status->lag_ns != 0 && status->lag_ns == model->past_lag_ns;
    view->lag_ns = growing_ns != 0     ? growing_ns
                   : view->lag_is_past ? status->last_freeze_ns
                                       : status->lag_ns;
}

static void view_numbers(const struct um_model *model, uint64_t time_ns, struct um_model_view *view)
{
    const struct um_wire_status *status = &model->status;
    bool live = view->link == UM_MODEL_LIVE;
    uint8_t flags = model->status_flags;

    view->status = *status;
    view->state = (enum um_state)status->state;
    view->state_for_ns = um_ns_elapsed(status->state_since_ns, time_ns);
    view->lag_ns = status->lag_ns;
    if (live)
        view_lag(model, time_ns, view);
    view->has_latency = live && (flags & UM_WIRE_STATUS_HAS_LATENCY) != 0;
    view->has_typing = (flags & UM_WIRE_STATUS_HAS_TYPING) != 0;
    view->typing_painted = (flags & UM_WIRE_STATUS_TYPING_PAINTED) != 0;
    view->has_click = (flags & UM_WIRE_STATUS_HAS_CLICK) != 0;
    view->click_painted = (flags & UM_WIRE_STATUS_CLICK_PAINTED) != 0;
    view->has_felt = (flags & UM_WIRE_STATUS_HAS_FELT) != 0;
    view->felt_unobserved = !view->has_felt && (view->has_typing || view->has_click);
    view->has_last_freeze = (flags & UM_WIRE_STATUS_HAS_LAST_FREEZE) != 0;
    view->last_freeze_ago_ns = um_ns_elapsed(status->last_freeze_end_ns, time_ns);
    view->lost = status->lost + model->missed;
}

static enum um_model_link link_at(const struct um_model *model, uint64_t now_ns)
{
    return model->link == UM_MODEL_LIVE && now_ns >= silent_at(model) ? UM_MODEL_SILENT
                                                                      : model->link;
}

bool um_model_time(const struct um_model *model, uint64_t now_ns, uint64_t *feed_ns)
{
    *feed_ns = feed_now(model, link_at(model, now_ns), now_ns);
    return now_ns >= model->hold_ns;
}

void um_model_view(struct um_model *model, uint64_t now_ns, struct um_model_view *view)
{
    memset(view, 0, offsetof(struct um_model_view, column));
    view->link = link_at(model, now_ns);
    uint64_t time_ns = feed_now(model, view->link, now_ns);
    view->freeze_profile = model->freeze_profile;
    view->session_profile = model->session_profile;
    view->threshold_ns = (uint64_t)model->session.threshold_us * 1000;
    view->slow_ns = (uint64_t)model->session.slow_us * 1000;
    view->probe = model->session.probe;
    view->window_only = model->session.toolkit[0] != '\0';
    view->beat_kind = model->beat_kind.kind;
    view->shielded = model->beat_kind.shielded != 0;
    view->held = model->beat_kind.held;
    um_text_set(view->name, sizeof view->name, model->session.name);
    um_text_set(view->caption, sizeof view->caption,
                time_ns < model->headline_end_ns ? model->headline : model->session.caption);
    if (view->link == UM_MODEL_WAITING)
        view_slots(model, view);
    else {
        view_numbers(model, time_ns, view);
        view_alarms(model, now_ns, time_ns, view);
        view_totals(model, time_ns, view);
        view_activity(model, time_ns, view);
        view_columns(model, time_ns, view);
    }
    model->viewed_ns = now_ns;
    if (now_ns >= model->hold_ns)
        model->hold_ns = 0;
    model->dirty = model->hold_ns != 0;
}
