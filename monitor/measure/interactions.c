#include "monitor/measure/interactions.h"

#include <string.h>

#include "base/plain/message.h"
#include "base/ns.h"
#include "base/plain/clock.h"
#include "monitor/measure/stretch.h"

#define CLOCK_NS (20 * UM_CLOCK_NS_PER_MS)   /* a message's own time is off by this at most */
#define LATE_NS (10 * UM_CLOCK_NS_PER_MS)    /* the monitor gets input this late, at most */
#define MEASURED_NS (3 * UM_CLOCK_NS_PER_MS) /* an arrival this late counts as one at the dequeue */
#define UNKNOWN_NS (2000 * UM_CLOCK_NS_PER_MS) /* arrival to dequeue, if no message time is known */
#define PAINT_NS (1000 * UM_CLOCK_NS_PER_MS)   /* from `handled` to its WM_PAINT, at most */
#define DEFERRED_NS (250 * UM_CLOCK_NS_PER_MS) /* the same once the thread was seen idle */
#define RELEASE_NS (1000 * UM_CLOCK_NS_PER_MS) /* a press waits this long for its release */
#define SYNC_NS (250 * UM_CLOCK_NS_PER_MS)     /* without beats: later input was dequeued by then */
#define SOON_NS (250 * UM_CLOCK_NS_PER_MS)     /* a thread that answers beats so soon takes input */
#define ELSEWHERE_NS (2000 * UM_CLOCK_NS_PER_MS) /* such a thread takes input within this time */
#define STILL_ON UINT64_MAX
#define TIMES_KEPT 64 /* so many pairs of own times count; then their counts are halved */
#define IDLES 2       /* the thread was seen idle when so many beats found it resting */

/* What an open interaction waits for. AT_WORK and PAINTING end at the next retrieval. */
enum state { AT_WORK, HANDLED, PAINTING, DONE };

enum stream { KEYS, PRESSES, RELEASES, WHEELS };

#define CONTACT 255 /* in place of a button: a finger or pen */

static enum stream stream_of(enum um_interaction kind, bool release)
{
    if (kind == UM_INTERACTION_KEY)
        return KEYS;
    if (kind == UM_INTERACTION_WHEEL)
        return WHEELS;
    return release ? RELEASES : PRESSES;
}

/* False for a message that starts no interaction. */
static bool classify(uint32_t message, enum um_interaction *kind)
{
    if (um_message_is_key_press(message))
        *kind = UM_INTERACTION_KEY;
    else if (um_message_is_wheel(message))
        *kind = UM_INTERACTION_WHEEL;
    else if (um_message_button(message) || um_message_is_contact(message))
        *kind = UM_INTERACTION_CLICK;
    else
        return false;
    return true;
}

static struct um_interactions_open *end_of(struct um_interactions *interactions)
{
    return interactions->open + interactions->open_count;
}

/* Keeps the first ones; the keys of the others are forgotten. */
static void keep_open(struct um_interactions *interactions, size_t count)
{
    for (size_t i = count; i < interactions->open_count; i++)
        interactions->open[i].key = 0;
    interactions->open_count = count;
}

/* What the target does: dequeued, handled, painted --------------------------------------------- */

/* A character message that is taken from now on does not derive from this key. */
static void end_typing(struct um_interactions_open *open, uint64_t time_ns)
{
    if (open->typing)
        open->typed_ns = time_ns;
    open->typing = false;
}

/* One beat is not enough: the thread may have lost the processor just before it looked into its
 * queue. */
static bool is_idle(const struct um_interactions_open *open)
{
    return open->idles == IDLES;
}

/* Called at each retrieval: if a beat was sent to a resting thread before, it found it resting. */
static void prove_idle(struct um_interactions *interactions, uint64_t time_ns)
{
    if (interactions->proof_ns && time_ns > interactions->proof_ns) {
        for (struct um_interactions_open *open = interactions->open; open < end_of(interactions);
             open++) {
            if (open->state != HANDLED)
                continue;
            if (!is_idle(open))
                open->idles++;
            if (is_idle(open))
                end_typing(open, time_ns);
        }
    }
    interactions->proof_ns = 0;
}

/* Something was taken from the queue. `rests`: it needs no handling, so the thread rests then. */
static void on_retrieval(struct um_interactions *interactions, uint64_t time_ns, bool rests)
{
    prove_idle(interactions, time_ns);
    for (struct um_interactions_open *open = interactions->open;
         interactions->waiting && open < end_of(interactions); open++) {
        if (open->state == AT_WORK) {
            open->state = HANDLED;
            open->handled_ns = time_ns;
        } else if (open->state == PAINTING) {
            open->state = DONE;
            open->painted_ns = time_ns;
        }
    }
    interactions->waiting = 0;
    interactions->last_ns = time_ns;
    interactions->rest_ns = rests ? time_ns : 0;
}

/* When the arrival must have been, by the message's own time. `rested_ns` is since when the thread
 * rested before the dequeue; 0: it did not. */
static void expect_arrival(struct um_interactions_open *open, uint32_t age_ms, uint64_t rested_ns)
{
    bool known = age_ms != UM_WIRE_AGE_UNKNOWN;
    bool waited = rested_ns && rested_ns + UM_STRETCH_READY_NS < open->dequeued_ns;
    uint64_t own_ns = um_ns_elapsed(age_ms * UM_CLOCK_NS_PER_MS, open->dequeued_ns);

    if (known)
        open->from_ns = um_ns_elapsed(CLOCK_NS, own_ns);
    else
        open->from_ns = um_ns_elapsed(UNKNOWN_NS, open->dequeued_ns);
    open->to_ns = open->dequeued_ns + LATE_NS;
    if (known)
        open->to_ns = um_ns_min(open->to_ns, own_ns + CLOCK_NS);
    open->nearest_ns = known && !waited ? own_ns : open->dequeued_ns;
}

/* The program has left a touch or pen to the system, which has made a button message of it. Only
 * that message counts, and from now on no touch of this window is taken for a click. */
static void on_promoted(struct um_interactions *interactions, uint64_t hwnd)
{
    size_t kept = 0;
    interactions->promoting_hwnd = hwnd;
    for (size_t i = 0; i < interactions->open_count; i++)
        if (interactions->open[i].button != CONTACT || interactions->open[i].hwnd != hwnd)
            interactions->open[kept++] = interactions->open[i];
    keep_open(interactions, kept);
}

static void open_interaction(struct um_interactions *interactions,
                             const struct um_wire_frame *frame, uint64_t time_ns,
                             uint64_t rested_ns)
{
    const struct um_wire_taken *taken = &frame->as.taken;
    enum um_interaction kind;

    if (!classify(taken->message, &kind))
        return;
    bool contact = um_message_is_contact(taken->message);
    if (taken->promoted)
        on_promoted(interactions, taken->hwnd);
    if (contact && taken->hwnd == interactions->promoting_hwnd)
        return;
    for (struct um_interactions_open *open = interactions->open; open < end_of(interactions);
         open++)
        if (open->state == HANDLED && is_idle(open))
            open->state = DONE; /* a later paint belongs to the new interaction */
    if (interactions->open_count == UM_INTERACTIONS_OPEN) {
        interactions->lost++;
        return;
    }
    struct um_interactions_open *open = &interactions->open[interactions->open_count++];
    bool release = kind == UM_INTERACTION_CLICK && frame->flags & UM_WIRE_TAKEN_RELEASE;
    *open = (struct um_interactions_open){
        .dequeued_ns = time_ns,
        .key = taken->key,
        .own_ms = taken->own_ms,
        .own_known = taken->age_ms != UM_WIRE_AGE_UNKNOWN,
        .kind = (uint8_t)kind,
        .stream = (uint8_t)stream_of(kind, release),
        .button = contact ? CONTACT : (uint8_t)um_message_button(taken->message),
        .hwnd = taken->hwnd,
        .matched = contact,
        .state = AT_WORK,
        .release = release,
        .typing = kind == UM_INTERACTION_KEY};
    expect_arrival(open, taken->age_ms, rested_ns);
    interactions->waiting++;
}

/* A character message was taken: the work for its key continues. */
static void continue_typing(struct um_interactions *interactions, uint64_t time_ns)
{
    for (struct um_interactions_open *open = interactions->open; open < end_of(interactions);
         open++) {
        if (!open->typing || open->state != HANDLED || time_ns > open->handled_ns + PAINT_NS)
            continue;
        open->state = AT_WORK;
        open->handled_ns = 0;
        open->idles = 0;
        interactions->waiting++;
    }
}

static uint64_t paint_limit_ns(const struct um_interactions_open *open)
{
    return open->handled_ns + (is_idle(open) ? DEFERRED_NS : PAINT_NS);
}

static void on_paint(struct um_interactions *interactions, uint64_t time_ns)
{
    for (struct um_interactions_open *open = interactions->open; open < end_of(interactions);
         open++) {
        if (open->state != HANDLED)
            continue;
        bool counts = time_ns <= paint_limit_ns(open);
        open->state = counts ? PAINTING : DONE;
        interactions->waiting += counts;
    }
}

static void on_taken(struct um_interactions *interactions, const struct um_wire_frame *frame,
                     uint64_t time_ns)
{
    uint32_t message = frame->as.taken.message;
    bool moves = um_message_is_mouse_move(message); /* the target handles it too */
    uint64_t rested_ns = interactions->rest_ns;

    time_ns = um_ns_max(time_ns, interactions->last_ns);
    on_retrieval(interactions, time_ns, frame->flags & UM_WIRE_TAKEN_OURS && !moves);
    for (size_t i = 0; i < interactions->open_count &&
                       (um_message_is_key(message) || message == UM_MESSAGE_PAINT);
         i++)
        end_typing(&interactions->open[i], time_ns);
    if (frame->flags & (UM_WIRE_TAKEN_STARTS | UM_WIRE_TAKEN_RELEASE))
        open_interaction(interactions, frame, time_ns, rested_ns);
    else if (um_message_is_character(message))
        continue_typing(interactions, time_ns);
    else if (frame->flags & UM_WIRE_TAKEN_PAINT)
        on_paint(interactions, time_ns);
}

static void on_sent(struct um_interactions *interactions, uint64_t time_ns)
{
    bool rested = interactions->rest_ns && time_ns > interactions->rest_ns + UM_STRETCH_READY_NS;
    interactions->proof_ns = rested ? time_ns : 0;
}

static uint64_t arrival_at(const struct um_interactions_stream *stream, size_t i)
{
    return stream->arrivals[(stream->head + i) % UM_INTERACTIONS_ARRIVALS].time_ns;
}

/* Clears their keys too, so that they do not stay in memory. */
static void drop_arrivals(struct um_interactions_stream *stream, size_t count)
{
    for (size_t i = 0; i < count; i++)
        stream->arrivals[(stream->head + i) % UM_INTERACTIONS_ARRIVALS].key = 0;
    stream->head = (stream->head + count) % UM_INTERACTIONS_ARRIVALS;
    stream->len -= count;
}

static bool in_time(const struct um_interactions_stream *stream, size_t i,
                    const struct um_interactions_open *open)
{
    uint64_t time_ns = arrival_at(stream, i);
    return time_ns >= open->from_ns && time_ns <= open->to_ns;
}

/* The first of this stream from `open` on that was not matched with an arrival; NULL: none. */
static struct um_interactions_open *next_unmatched(struct um_interactions *interactions,
                                                   struct um_interactions_open *open,
                                                   uint8_t stream)
{
    while (open < end_of(interactions) && (open->matched || open->stream != stream))
        open++;
    return open < end_of(interactions) ? open : NULL;
}

/* Whether the oldest arrival may be that of an interaction that was dequeued. */
static bool is_wanted(struct um_interactions *interactions, enum stream number)
{
    const struct um_interactions_stream *stream = &interactions->streams[number];
    for (struct um_interactions_open *open =
             next_unmatched(interactions, interactions->open, (uint8_t)number);
         open; open = next_unmatched(interactions, open + 1, (uint8_t)number))
        if (in_time(stream, 0, open))
            return true;
    return false;
}

/* Drops arrivals that are so old that a thread that takes its input would have dequeued them: they
 * went to other programs. One that an interaction waits for is kept: after a time in which the
 * monitor did not run, it takes the frames of that whole time before it matches any. */
static void forget_arrivals(struct um_interactions *interactions)
{
    uint64_t before_ns = um_ns_elapsed(ELSEWHERE_NS, interactions->seen_ns);
    for (size_t i = 0; i < UM_INTERACTIONS_STREAMS && interactions->ready_ns <= before_ns; i++) {
        struct um_interactions_stream *stream = &interactions->streams[i];
        while (stream->len && arrival_at(stream, 0) < before_ns &&
               !is_wanted(interactions, (enum stream)i))
            drop_arrivals(stream, 1);
    }
}

static void on_seen(struct um_interactions *interactions, const struct um_wire_frame *frame,
                    uint64_t time_ns)
{
    uint64_t sent_ns =
        um_beats_answered_ns(interactions->beats, frame->as.seen.seq); /* 0: not known */
    time_ns = um_ns_max(time_ns, interactions->last_ns);
    on_retrieval(interactions, time_ns, frame->flags & UM_WIRE_SEEN_RAW);
    interactions->seen_ns = time_ns;
    if (!interactions->ready_ns || !sent_ns || um_ns_elapsed(sent_ns, time_ns) > SOON_NS)
        interactions->ready_ns = time_ns;
    interactions->synced_ns = sent_ns ? sent_ns : time_ns;
    forget_arrivals(interactions);
}

/* Records were lost: any retrieval since `known_ns` may be missing. Times since then may be too
 * late, and are reset. */
static void forget_since(struct um_interactions *interactions, uint64_t known_ns)
{
    for (struct um_interactions_open *open = interactions->open; open < end_of(interactions);
         open++) {
        bool unsure = open->typing || open->typed_ns > known_ns;
        if (open->handled_ns > known_ns || unsure)
            open->handled_ns = 0;
        if (open->painted_ns > known_ns || !open->handled_ns)
            open->painted_ns = 0;
        open->state = DONE;
    }
    interactions->waiting = 0;
    interactions->proof_ns = 0;
    interactions->rest_ns = 0;
}

static void on_drained(struct um_interactions *interactions, uint64_t time_ns, uint64_t lost)
{
    if (lost > interactions->lost_before) {
        interactions->lost_before = lost;
        forget_since(interactions, interactions->drained_ns);
    }
    interactions->drained_ns = um_ns_max(interactions->drained_ns, time_ns);
}

/* Freezes -------------------------------------------------------------------------------------- */

void um_interactions_episode(struct um_interactions *interactions,
                             const struct um_wire_frame *frame)
{
    const struct um_wire_episode *episode = &frame->as.episode;
    bool valid = um_wire_state_is_freeze(episode->state) && !(frame->flags & UM_WIRE_EPISODE_VOID);
    bool over = frame->flags & UM_WIRE_EPISODE_END;
    struct um_interactions_freeze *place = NULL;

    for (size_t i = 0; i < UM_INTERACTIONS_FREEZES && !place; i++)
        if (episode->id && interactions->freeze[i].id == episode->id)
            place = &interactions->freeze[i];
    if (!place && valid)
        place = &interactions->freeze[interactions->freezes++ % UM_INTERACTIONS_FREEZES];
    if (place)
        *place = (struct um_interactions_freeze){.start_ns = episode->start_ns,
                                                 .end_ns = over ? episode->end_ns : STILL_ON,
                                                 .id = valid ? episode->id : 0};
}

/* The time in which the target had the interaction to deal with, as far as it was observed. */
static uint64_t busy_from_ns(const struct um_interactions_open *open)
{
    return open->arrival_ns ? open->arrival_ns : open->dequeued_ns;
}

static uint64_t busy_until_ns(const struct um_interactions_open *open)
{
    return open->handled_ns ? open->handled_ns : open->dequeued_ns;
}

static uint32_t freeze_of(const struct um_interactions *interactions,
                          const struct um_interactions_open *open)
{
    uint64_t longest_ns = 0;
    uint32_t id = 0;
    for (size_t i = 0; i < UM_INTERACTIONS_FREEZES; i++) {
        const struct um_interactions_freeze *freeze = &interactions->freeze[i];
        uint64_t overlap_ns = um_ns_elapsed(um_ns_max(freeze->start_ns, busy_from_ns(open)),
                                            um_ns_min(freeze->end_ns, busy_until_ns(open)));
        if (freeze->id && overlap_ns > longest_ns) {
            longest_ns = overlap_ns;
            id = freeze->id;
        }
    }
    return id;
}

/* Whether it is known in which freeze the interaction was, or that it was in none. */
static bool is_judged(const struct um_interactions *interactions,
                      const struct um_interactions_open *open)
{
    uint64_t sent_ns = interactions->beats->out.sent_ns;
    bool beat_waits = sent_ns && sent_ns <= busy_until_ns(open);
    if (open->closed)
        return true;
    if (interactions->drained_ns < busy_until_ns(open) || beat_waits)
        return false;
    for (size_t i = 0; i < UM_INTERACTIONS_FREEZES; i++) {
        const struct um_interactions_freeze *freeze = &interactions->freeze[i];
        if (freeze->id && freeze->end_ns == STILL_ON && freeze->start_ns <= busy_until_ns(open))
            return false;
    }
    return true;
}

/* Arrivals ------------------------------------------------------------------------------------- */

/* What an arrival and a dequeue must have in common, beside a possible time. */
enum fit { FIT_KEY = 1, FIT_TIME = 2 };

static bool fits(const struct um_interactions_stream *stream, size_t i,
                 const struct um_interactions_open *open, unsigned fit)
{
    size_t place = (stream->head + i) % UM_INTERACTIONS_ARRIVALS;
    uint32_t key = stream->arrivals[place].key;
    bool same_key = !key || !open->key || key == open->key;
    bool same_time = open->own_known && stream->arrivals[place].own_ms == open->own_ms;
    return in_time(stream, i, open) && (same_key || !(fit & FIT_KEY)) &&
           (same_time || !(fit & FIT_TIME));
}

/* The place of the first arrival that fits, or the stream's length. */
static size_t first_fitting(const struct um_interactions_stream *stream,
                            const struct um_interactions_open *open, unsigned fit)
{
    size_t at = 0;
    while (at < stream->len && !fits(stream, at, open, fit))
        at++;
    return at;
}

/* The first arrival with the best fit there is, which is stored in `fit`. */
static size_t best_fitting(const struct um_interactions_stream *stream,
                           const struct um_interactions_open *open, unsigned *fit)
{
    size_t at;
    *fit = FIT_TIME | FIT_KEY;
    while ((at = first_fitting(stream, open, *fit)) == stream->len && *fit)
        --*fit;
    return at;
}

/* Whether an arrival with this fit is the dequeue's. Once most pairs had the same own time, an
 * arrival with another time belongs to another key. */
static bool judge_fit(struct um_interactions *interactions, unsigned fit)
{
    bool times_agree = interactions->same_times > interactions->other_times;
    if (interactions->same_times + interactions->other_times == TIMES_KEPT) {
        interactions->same_times /= 2;
        interactions->other_times /= 2;
    }
    if (fit & FIT_TIME)
        interactions->same_times++;
    else
        interactions->other_times++;
    return fit & FIT_TIME || !times_agree;
}

/* How far the arrival is from the likely time. */
static uint64_t distance_ns(const struct um_interactions_stream *stream, size_t i,
                            const struct um_interactions_open *open)
{
    uint64_t time_ns = arrival_at(stream, i);
    return um_ns_max(time_ns, open->nearest_ns) - um_ns_min(time_ns, open->nearest_ns);
}

/* How many more arrivals than dequeues there are; negative: fewer. Arrivals after the latest
 * answered beat was sent may not have been taken yet. These, and those after the last dequeue,
 * count only if there are too few without them. */
static int count_spare(struct um_interactions *interactions, struct um_interactions_open *first)
{
    const struct um_interactions_stream *stream = &interactions->streams[first->stream];
    bool synced = first->dequeued_ns < interactions->seen_ns;
    uint64_t last_ns = 0;
    int dequeues = 0;
    int in_time = 0;
    int in_all = 0;
    for (struct um_interactions_open *open = first;
         open && (!synced || open->dequeued_ns < interactions->seen_ns);
         open = next_unmatched(interactions, open + 1, first->stream)) {
        last_ns = open->dequeued_ns;
        dequeues++;
    }
    uint64_t taken_ns = um_ns_min(interactions->synced_ns, last_ns);
    for (size_t i = 0; i < stream->len; i++) {
        in_time += arrival_at(stream, i) < taken_ns;
        in_all += arrival_at(stream, i) <= last_ns + LATE_NS;
    }
    if (in_time >= dequeues)
        return in_time - dequeues;
    return in_all >= dequeues ? 0 : in_all - dequeues;
}

/* Finds the arrival of one dequeue, if there is one. `next` is the dequeue after it, or NULL. */
static void match(struct um_interactions *interactions, struct um_interactions_open *open,
                  const struct um_interactions_open *next, int *spare)
{
    struct um_interactions_stream *stream = &interactions->streams[open->stream];
    unsigned fit;
    size_t at = best_fitting(stream, open, &fit);

    open->matched = true;
    if (at == stream->len || (open->own_known && !judge_fit(interactions, fit))) {
        ++*spare;
        return;
    }
    *spare -= (int)at;
    while (*spare > 0 && at + 1 < stream->len && fits(stream, at + 1, open, fit) &&
           distance_ns(stream, at + 1, open) < distance_ns(stream, at, open)) {
        --*spare;
        at++;
    }
    if (*spare < 0 && next && fits(stream, at, next, fit) &&
        distance_ns(stream, at, next) < distance_ns(stream, at, open)) {
        drop_arrivals(stream, at);
        ++*spare;
        return;
    }
    if (arrival_at(stream, at) <= open->dequeued_ns + MEASURED_NS)
        open->arrival_ns = um_ns_min(arrival_at(stream, at), open->dequeued_ns);
    drop_arrivals(stream, at + 1);
}

/* Whether the dequeues and the arrivals around this one are all known. */
static bool is_complete(const struct um_interactions *interactions,
                        const struct um_interactions_open *open, uint64_t now_ns)
{
    bool synced = interactions->seen_ns > open->dequeued_ns ||
                  interactions->drained_ns > open->dequeued_ns + SYNC_NS;
    return open->closed || (synced && now_ns >= open->dequeued_ns + LATE_NS);
}

static void match_stream(struct um_interactions *interactions, uint8_t number, uint64_t now_ns)
{
    struct um_interactions_stream *stream = &interactions->streams[number];
    struct um_interactions_open *open = next_unmatched(interactions, interactions->open, number);
    if (!open || !is_complete(interactions, open, now_ns))
        return;
    while (stream->len && arrival_at(stream, 0) < open->from_ns)
        drop_arrivals(stream, 1);
    int spare = count_spare(interactions, open);
    while (open && is_complete(interactions, open, now_ns)) {
        struct um_interactions_open *next = next_unmatched(interactions, open + 1, number);
        match(interactions, open, next, &spare);
        open = next;
    }
}

/* Publishing ----------------------------------------------------------------------------------- */

static bool is_ready(const struct um_interactions *interactions,
                     const struct um_interactions_open *open)
{
    return open->state == DONE && open->matched && is_judged(interactions, open);
}

static void publish(struct um_interactions *interactions, const struct um_interactions_open *open)
{
    struct um_wire_frame frame = {.type = UM_WIRE_INTERACTION};
    frame.flags = open->release ? UM_WIRE_INTERACTION_RELEASE : 0;
    frame.as.interaction = (struct um_wire_interaction){.arrival_ns = open->arrival_ns,
                                                        .dequeued_ns = open->dequeued_ns,
                                                        .handled_ns = open->handled_ns,
                                                        .painted_ns = open->painted_ns,
                                                        .id = ++interactions->last_id,
                                                        .freeze = freeze_of(interactions, open),
                                                        .key = open->key,
                                                        .kind = open->kind};
    interactions->output.publish(interactions->output.context, &frame);
}

static bool has_total(const struct um_interactions_open *open)
{
    return open->arrival_ns && open->painted_ns;
}

static bool is_worse(const struct um_interactions_open *release,
                     const struct um_interactions_open *press)
{
    if (has_total(release) && has_total(press))
        return release->painted_ns - release->arrival_ns > press->painted_ns - press->arrival_ns;
    return busy_until_ns(release) - busy_from_ns(release) >
           busy_until_ns(press) - busy_from_ns(press);
}

static bool is_click(const struct um_interactions_open *open, uint8_t button)
{
    return open->kind == UM_INTERACTION_CLICK && open->button == button && !open->published;
}

static struct um_interactions_open *release_of(struct um_interactions *interactions,
                                               struct um_interactions_open *press)
{
    for (struct um_interactions_open *open = press + 1; open < end_of(interactions); open++)
        if (is_click(open, press->button))
            return open->release ? open : NULL;
    return NULL;
}

static bool is_release_overdue(struct um_interactions *interactions,
                               const struct um_interactions_open *press)
{
    if (press->closed || interactions->drained_ns >= busy_until_ns(press) + RELEASE_NS)
        return true;
    for (const struct um_interactions_open *open = press + 1; open < end_of(interactions); open++)
        if (open->kind == UM_INTERACTION_CLICK && !open->release && open->state == DONE)
            return true;
    return false;
}

/* Publishes a click that is ready. A press is ready before its release, so the press of a release
 * that comes here was published before. */
static void publish_click(struct um_interactions *interactions, struct um_interactions_open *click)
{
    struct um_interactions_open *release = click->release ? NULL : release_of(interactions, click);
    if (release ? !is_ready(interactions, release)
                : !click->release && !is_release_overdue(interactions, click))
        return;
    publish(interactions, release && is_worse(release, click) ? release : click);
    click->published = true;
    if (release)
        release->published = true;
}

static void publish_ready(struct um_interactions *interactions)
{
    size_t kept = 0;
    for (struct um_interactions_open *open = interactions->open; open < end_of(interactions);
         open++) {
        if (open->published || !is_ready(interactions, open))
            continue;
        if (open->kind == UM_INTERACTION_CLICK) {
            publish_click(interactions, open);
        } else {
            publish(interactions, open);
            open->published = true;
        }
    }
    for (size_t i = 0; i < interactions->open_count; i++)
        if (!interactions->open[i].published)
            interactions->open[kept++] = interactions->open[i];
    keep_open(interactions, kept);
}

/* Gives up waiting for paints that are too late by the last DRAINED. */
static void give_up_paints(struct um_interactions *interactions)
{
    for (struct um_interactions_open *open = interactions->open; open < end_of(interactions);
         open++)
        if (open->state == HANDLED && interactions->drained_ns > paint_limit_ns(open))
            open->state = DONE;
}

void um_interactions_init(struct um_interactions *interactions, const struct um_beats *beats,
                          const struct um_interactions_output *output)
{
    memset(interactions, 0, sizeof *interactions);
    interactions->output = *output;
    interactions->beats = beats;
    interactions->last_ns = 1; /* 0 would say that nothing was observed */
}

void um_interactions_arrived(struct um_interactions *interactions, const struct um_arrival *arrival)
{
    if (arrival->kind >= UM_INTERACTION_COUNT || !arrival->time_ns)
        return;
    enum stream number = stream_of((enum um_interaction)arrival->kind, arrival->release);
    struct um_interactions_stream *stream = &interactions->streams[number];
    if (stream->len == UM_INTERACTIONS_ARRIVALS) {
        interactions->lost += is_wanted(interactions, number);
        drop_arrivals(stream, 1);
    }
    size_t place = (stream->head + stream->len++) % UM_INTERACTIONS_ARRIVALS;
    stream->arrivals[place].time_ns = arrival->time_ns;
    stream->arrivals[place].own_ms = arrival->own_ms;
    stream->arrivals[place].key = arrival->key;
}

void um_interactions_frame(struct um_interactions *interactions, const struct um_wire_frame *frame,
                           uint64_t now_ns)
{
    now_ns = um_ns_min(now_ns, UINT64_MAX / 2); /* leaves room for sums */
    switch (frame->type) {
    case UM_WIRE_HELLO:
        interactions->lost_before = 0;
        break;
    case UM_WIRE_DRAINED:
        on_drained(interactions, um_ns_min(frame->as.drained.time_ns, now_ns),
                   frame->as.drained.lost);
        break;
    case UM_WIRE_SENT:
        on_sent(interactions, um_ns_min(frame->as.sent.time_ns, now_ns));
        break;
    case UM_WIRE_SEEN:
        on_seen(interactions, frame, um_ns_min(frame->as.seen.time_ns, now_ns));
        break;
    case UM_WIRE_TAKEN:
        on_taken(interactions, frame, um_ns_min(frame->as.taken.time_ns, now_ns));
        break;
    default:
        break;
    }
}

void um_interactions_settle(struct um_interactions *interactions, uint64_t now_ns)
{
    if (!interactions->open_count)
        return;
    give_up_paints(interactions);
    for (uint8_t i = 0; i < UM_INTERACTIONS_STREAMS; i++)
        match_stream(interactions, i, now_ns);
    publish_ready(interactions);
}

void um_interactions_detached(struct um_interactions *interactions)
{
    for (struct um_interactions_open *open = interactions->open; open < end_of(interactions);
         open++) {
        open->typing = false;
        open->closed = true;
        open->state = DONE;
    }
    interactions->waiting = 0;
    interactions->proof_ns = 0;
    interactions->rest_ns = 0;
    interactions->lost_before = 0;
    interactions->ready_ns = 0;
}

void um_interactions_stop(struct um_interactions *interactions)
{
    um_interactions_detached(interactions);
    um_interactions_settle(interactions, UINT64_MAX);
    for (size_t i = 0; i < UM_INTERACTIONS_STREAMS; i++)
        drop_arrivals(&interactions->streams[i], interactions->streams[i].len);
}

uint64_t um_interactions_lost(const struct um_interactions *interactions)
{
    return interactions->lost;
}
