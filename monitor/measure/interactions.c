#include "monitor/measure/interactions.h"

#include <string.h>

#include "ipc/message.h"
#include "monitor/base/ns.h"
#include "monitor/measure/stretch.h"

#define CLOCK_NS (20 * UM_NS_MS)     /* message times move in steps of 10 to 16 ms, at both ends */
#define LATE_NS (10 * UM_NS_MS)      /* the monitor may hear of input so much after the target, */
#define MEASURED_NS (3 * UM_NS_MS)   /* and that still says when it arrived if only so much */
#define UNKNOWN_NS (2000 * UM_NS_MS) /* how far an arrival may lie back if nothing says when */
#define PAINT_NS (1000 * UM_NS_MS)   /* a WM_PAINT may come so late, */
#define DEFERRED_NS (250 * UM_NS_MS) /* and this late once the thread was seen idle */
#define RELEASE_NS (1000 * UM_NS_MS) /* a press waits so long for its release */
#define SYNC_NS (250 * UM_NS_MS)     /* without beats: what was typed together is there by then */
#define JUDGED_NS (1000 * UM_NS_MS)  /* a beat that is out so much longer than a freeze is gone */
#define SOON_NS (250 * UM_NS_MS)     /* a thread that answers beats in this time gets its input, */
#define ELSEWHERE_NS (2000 * UM_NS_MS) /* so that what it did not get went elsewhere */
#define STILL_ON UINT64_MAX

#define IDLES 2 /* beats that found the thread idle, one after the other */

/* What an open interaction waits for. AT_WORK and PAINTING end at the next retrieval. */
enum state { AT_WORK, HANDLED, PAINTING, DONE };

enum stream { KEYS, PRESSES, RELEASES, WHEELS };

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
    else if (um_message_button(message))
        *kind = UM_INTERACTION_CLICK;
    else
        return false;
    return true;
}

static struct um_interactions_open *end_of(struct um_interactions *in)
{
    return in->open + in->open_count;
}

/* What the target does: dequeued, handled, painted
 * ---------------------------------------------- */

/* No character that comes now derives from this key. */
static void end_typing(struct um_interactions_open *open, uint64_t time_ns)
{
    if (open->typing)
        open->typed_ns = time_ns;
    open->typing = false;
}

/* One beat proves little: the thread may have been kept from the processor just before it looked
 * into its queue. */
static bool is_idle(const struct um_interactions_open *open)
{
    return open->idles == IDLES;
}

/* The thread had nothing to do when the beat was sent, if it has taken nothing up to then. */
static void prove_idle(struct um_interactions *in, uint64_t time_ns)
{
    if (in->proof_ns && time_ns > in->proof_ns) {
        for (struct um_interactions_open *open = in->open; open < end_of(in); open++) {
            if (open->state != HANDLED)
                continue;
            if (!is_idle(open))
                open->idles++;
            if (is_idle(open))
                end_typing(open, time_ns);
        }
    }
    in->proof_ns = 0;
}

/* Something was taken from the queue. `rests`: handling it takes no time. */
static void retrieved(struct um_interactions *in, uint64_t time_ns, bool rests)
{
    prove_idle(in, time_ns);
    for (struct um_interactions_open *open = in->open; in->waiting && open < end_of(in); open++) {
        if (open->state == AT_WORK) {
            open->state = HANDLED;
            open->handled_ns = time_ns;
        } else if (open->state == PAINTING) {
            open->state = DONE;
            open->painted_ns = time_ns;
        }
    }
    in->waiting = 0;
    in->last_ns = time_ns;
    in->rest_ns = rests ? time_ns : 0;
}

/* When its arrival must have been, by the message's own time. `rested_ns` is what rest_ns was. */
static void expect_arrival(struct um_interactions_open *open, uint32_t age_ms, uint64_t rested_ns)
{
    bool known = age_ms != UM_WIRE_AGE_UNKNOWN;
    bool waited = rested_ns && rested_ns + UM_STRETCH_READY_NS < open->dequeued_ns;
    uint64_t own_ns = um_ns_elapsed(age_ms * UM_NS_MS, open->dequeued_ns);

    if (known)
        open->from_ns = um_ns_elapsed(CLOCK_NS, own_ns);
    else
        open->from_ns = um_ns_elapsed(UNKNOWN_NS, open->dequeued_ns);
    open->to_ns = open->dequeued_ns + LATE_NS;
    if (known)
        open->to_ns = um_ns_min(open->to_ns, own_ns + CLOCK_NS);
    open->nearest_ns = known && !waited ? own_ns : open->dequeued_ns;
}

static void dequeue(struct um_interactions *in, const struct um_wire_frame *frame, uint64_t time_ns,
                    uint64_t rested_ns)
{
    const struct um_wire_taken *taken = &frame->as.taken;
    enum um_interaction kind;

    if (!classify(taken->message, &kind))
        return;
    for (struct um_interactions_open *open = in->open; open < end_of(in); open++)
        if (open->state == HANDLED && is_idle(open))
            open->state = DONE; /* a paint that comes now is this one's */
    if (in->open_count == UM_INTERACTIONS_OPEN) {
        in->lost++;
        return;
    }
    struct um_interactions_open *open = &in->open[in->open_count++];
    bool release = kind == UM_INTERACTION_CLICK && frame->flags & UM_WIRE_TAKEN_RELEASE;
    *open = (struct um_interactions_open){.dequeued_ns = time_ns,
                                          .key = taken->key,
                                          .kind = (uint8_t)kind,
                                          .stream = (uint8_t)stream_of(kind, release),
                                          .button = (uint8_t)um_message_button(taken->message),
                                          .state = AT_WORK,
                                          .release = release,
                                          .typing = kind == UM_INTERACTION_KEY};
    expect_arrival(open, taken->age_ms, rested_ns);
    in->waiting++;
}

/* The key that was taken last goes on with the character that it makes. */
static void derive(struct um_interactions *in, uint64_t time_ns)
{
    for (struct um_interactions_open *open = in->open; open < end_of(in); open++) {
        if (!open->typing || open->state != HANDLED || time_ns > open->handled_ns + PAINT_NS)
            continue;
        open->state = AT_WORK;
        open->handled_ns = 0;
        open->idles = 0;
        in->waiting++;
    }
}

static uint64_t paint_limit_ns(const struct um_interactions_open *open)
{
    return open->handled_ns + (is_idle(open) ? DEFERRED_NS : PAINT_NS);
}

static void paint(struct um_interactions *in, uint64_t time_ns)
{
    for (struct um_interactions_open *open = in->open; open < end_of(in); open++) {
        if (open->state != HANDLED)
            continue;
        bool counts = time_ns <= paint_limit_ns(open);
        open->state = counts ? PAINTING : DONE;
        in->waiting += counts;
    }
}

static void on_taken(struct um_interactions *in, const struct um_wire_frame *frame,
                     uint64_t time_ns)
{
    uint32_t message = frame->as.taken.message;
    bool moves = um_message_is_mouse_move(message); /* the target handles it too */
    uint64_t rested_ns = in->rest_ns;

    time_ns = um_ns_max(time_ns, in->last_ns);
    retrieved(in, time_ns, frame->flags & UM_WIRE_TAKEN_OURS && !moves);
    for (size_t i = 0;
         i < in->open_count && (um_message_is_key(message) || message == UM_MESSAGE_PAINT); i++)
        end_typing(&in->open[i], time_ns);
    if (frame->flags & (UM_WIRE_TAKEN_STARTS | UM_WIRE_TAKEN_RELEASE))
        dequeue(in, frame, time_ns, rested_ns);
    else if (um_message_is_character(message))
        derive(in, time_ns);
    else if (frame->flags & UM_WIRE_TAKEN_PAINT)
        paint(in, time_ns);
}

static void on_sent(struct um_interactions *in, uint64_t time_ns)
{
    bool rested = in->rest_ns && time_ns > in->rest_ns + UM_STRETCH_READY_NS;
    in->proof_ns = rested ? time_ns : 0;
}

static uint64_t arrival_at(const struct um_interactions_stream *stream, size_t i)
{
    return stream->arrivals[(stream->head + i) % UM_INTERACTIONS_ARRIVALS].time_ns;
}

static void drop_arrivals(struct um_interactions_stream *stream, size_t count)
{
    stream->head = (stream->head + count) % UM_INTERACTIONS_ARRIVALS;
    stream->len -= count;
}

/* What arrived long ago, and was not dequeued by a thread that takes its input, went elsewhere. */
static void forget_arrivals(struct um_interactions *in)
{
    uint64_t before_ns = um_ns_elapsed(ELSEWHERE_NS, in->seen_ns);
    for (size_t i = 0; i < UM_INTERACTIONS_STREAMS && in->ready_ns <= before_ns; i++) {
        struct um_interactions_stream *stream = &in->streams[i];
        while (stream->len && arrival_at(stream, 0) < before_ns)
            drop_arrivals(stream, 1);
    }
}

static void on_seen(struct um_interactions *in, const struct um_wire_frame *frame, uint64_t time_ns)
{
    uint64_t sent_ns = um_beats_answered_ns(in->beats, frame->as.seen.seq); /* 0: not known */
    time_ns = um_ns_max(time_ns, in->last_ns);
    retrieved(in, time_ns, frame->flags & UM_WIRE_SEEN_RAW);
    in->seen_ns = time_ns;
    if (!in->ready_ns || !sent_ns || um_ns_elapsed(sent_ns, time_ns) > SOON_NS)
        in->ready_ns = time_ns;
    in->synced_ns = sent_ns ? sent_ns : time_ns;
    forget_arrivals(in);
}

/* Any retrieval since `known_ns` may be missing, so that those that are known may not be the ones
 * that count. */
static void lose_sight(struct um_interactions *in, uint64_t known_ns)
{
    for (struct um_interactions_open *open = in->open; open < end_of(in); open++) {
        bool unsure = open->typing || open->typed_ns > known_ns;
        if (open->handled_ns > known_ns || unsure)
            open->handled_ns = 0;
        if (open->painted_ns > known_ns || !open->handled_ns)
            open->painted_ns = 0;
        open->state = DONE;
    }
    in->waiting = 0;
    in->proof_ns = 0;
    in->rest_ns = 0;
}

static void on_mark(struct um_interactions *in, uint64_t time_ns, uint64_t lost)
{
    if (lost > in->lost_mark) {
        in->lost_mark = lost;
        lose_sight(in, in->mark_ns);
    }
    in->mark_ns = um_ns_max(in->mark_ns, time_ns);
}

/* Freezes
 * --------------------------------------------------------------------------------------- */

void um_interactions_episode(struct um_interactions *in, const struct um_wire_frame *frame)
{
    const struct um_wire_episode *episode = &frame->as.episode;
    bool valid = um_wire_state_is_freeze(episode->state) && !(frame->flags & UM_WIRE_EPISODE_VOID);
    bool over = frame->flags & UM_WIRE_EPISODE_END;
    struct um_interactions_freeze *place = NULL;

    for (size_t i = 0; i < UM_INTERACTIONS_FREEZES && !place; i++)
        if (episode->id && in->freeze[i].id == episode->id)
            place = &in->freeze[i];
    if (!place && valid)
        place = &in->freeze[in->freezes++ % UM_INTERACTIONS_FREEZES];
    if (place)
        *place = (struct um_interactions_freeze){.start_ns = episode->start_ns,
                                                 .end_ns = over ? episode->end_ns : STILL_ON,
                                                 .id = valid ? episode->id : 0};
}

/* Since when, and until when at least, the target had still to deal with it. */
static uint64_t since_ns(const struct um_interactions_open *open)
{
    return open->arrival_ns ? open->arrival_ns : open->dequeued_ns;
}

static uint64_t until_ns(const struct um_interactions_open *open)
{
    return open->handled_ns ? open->handled_ns : open->dequeued_ns;
}

static uint32_t freeze_of(const struct um_interactions *in, const struct um_interactions_open *open)
{
    uint64_t longest_ns = 0;
    uint32_t id = 0;
    for (size_t i = 0; i < UM_INTERACTIONS_FREEZES; i++) {
        const struct um_interactions_freeze *freeze = &in->freeze[i];
        uint64_t overlap_ns = um_ns_elapsed(um_ns_max(freeze->start_ns, since_ns(open)),
                                            um_ns_min(freeze->end_ns, until_ns(open)));
        if (freeze->id && overlap_ns > longest_ns) {
            longest_ns = overlap_ns;
            id = freeze->id;
        }
    }
    return id;
}

/* Whether it is known in which freeze it was, if in any. */
static bool is_judged(const struct um_interactions *in, const struct um_interactions_open *open)
{
    uint64_t sent_ns = in->beats->out.sent_ns;
    bool beat_waits = sent_ns && sent_ns <= until_ns(open) &&
                      in->mark_ns < sent_ns + in->options.threshold_ns + JUDGED_NS;
    if (open->closed)
        return true;
    if (in->mark_ns < until_ns(open) || beat_waits)
        return false;
    for (size_t i = 0; i < UM_INTERACTIONS_FREEZES; i++) {
        const struct um_interactions_freeze *freeze = &in->freeze[i];
        if (freeze->id && freeze->end_ns == STILL_ON && freeze->start_ns <= until_ns(open))
            return false;
    }
    return true;
}

/* Arrivals
 * -------------------------------------------------------------------------------------- */

static bool in_time(const struct um_interactions_stream *stream, size_t i,
                    const struct um_interactions_open *open)
{
    uint64_t time_ns = arrival_at(stream, i);
    return time_ns >= open->from_ns && time_ns <= open->to_ns;
}

static bool fits(const struct um_interactions_stream *stream, size_t i,
                 const struct um_interactions_open *open, bool same_key)
{
    uint32_t key = stream->arrivals[(stream->head + i) % UM_INTERACTIONS_ARRIVALS].key;
    bool same = !key || !open->key || key == open->key;
    return in_time(stream, i, open) && (same || !same_key);
}

/* The first that fits, or the stream's length. */
static size_t first_fitting(const struct um_interactions_stream *stream,
                            const struct um_interactions_open *open, bool same_key)
{
    size_t at = 0;
    while (at < stream->len && !fits(stream, at, open, same_key))
        at++;
    return at;
}

/* How far the arrival is from when it should have been. */
static uint64_t distance_ns(const struct um_interactions_stream *stream, size_t i,
                            const struct um_interactions_open *open)
{
    uint64_t time_ns = arrival_at(stream, i);
    return um_ns_max(time_ns, open->nearest_ns) - um_ns_min(time_ns, open->nearest_ns);
}

/* The first from `open` on that has no arrival yet, or NULL. */
static struct um_interactions_open *
next_unmatched(struct um_interactions *in, struct um_interactions_open *open, uint8_t stream)
{
    while (open < end_of(in) && (open->matched || open->stream != stream))
        open++;
    return open < end_of(in) ? open : NULL;
}

/* How many more arrivals than dequeues there are. Of what arrived after the latest beat that was
 * answered the thread may not have taken all: it counts, like what arrived after the last dequeue,
 * only if there is too little without it. */
static int count_spare(struct um_interactions *in, struct um_interactions_open *first)
{
    const struct um_interactions_stream *stream = &in->streams[first->stream];
    bool synced = first->dequeued_ns < in->seen_ns;
    uint64_t last_ns = 0;
    int dequeues = 0;
    int in_time = 0;
    int in_all = 0;
    for (struct um_interactions_open *open = first;
         open && (!synced || open->dequeued_ns < in->seen_ns);
         open = next_unmatched(in, open + 1, first->stream)) {
        last_ns = open->dequeued_ns;
        dequeues++;
    }
    uint64_t taken_ns = synced ? um_ns_min(in->synced_ns, last_ns) : last_ns;
    for (size_t i = 0; i < stream->len; i++) {
        in_time += arrival_at(stream, i) < taken_ns;
        in_all += arrival_at(stream, i) <= last_ns + LATE_NS;
    }
    if (in_time >= dequeues)
        return in_time - dequeues;
    return in_all >= dequeues ? 0 : in_all - dequeues;
}

/* Whether something that was dequeued may want the oldest arrival. */
static bool is_wanted(struct um_interactions *in, enum stream number)
{
    const struct um_interactions_stream *stream = &in->streams[number];
    for (struct um_interactions_open *open = next_unmatched(in, in->open, (uint8_t)number); open;
         open = next_unmatched(in, open + 1, (uint8_t)number))
        if (in_time(stream, 0, open))
            return true;
    return false;
}

/* Gives one dequeue its arrival, if there is one. `next` may be NULL. */
static void match(struct um_interactions_stream *stream, struct um_interactions_open *open,
                  const struct um_interactions_open *next, int *spare)
{
    size_t at = first_fitting(stream, open, true);
    bool same_key = at < stream->len;
    open->matched = true;
    if (!same_key)
        at = first_fitting(stream, open, false);
    if (at == stream->len) {
        ++*spare;
        return;
    }
    *spare -= (int)at;
    while (*spare > 0 && at + 1 < stream->len && fits(stream, at + 1, open, same_key) &&
           distance_ns(stream, at + 1, open) < distance_ns(stream, at, open)) {
        --*spare;
        at++;
    }
    if (*spare < 0 && next && fits(stream, at, next, same_key) &&
        distance_ns(stream, at, next) < distance_ns(stream, at, open)) {
        drop_arrivals(stream, at);
        ++*spare;
        return;
    }
    if (arrival_at(stream, at) <= open->dequeued_ns + MEASURED_NS)
        open->arrival_ns = um_ns_min(arrival_at(stream, at), open->dequeued_ns);
    drop_arrivals(stream, at + 1);
}

/* Whether all that was dequeued together with it is known, and all that arrived. */
static bool is_complete(const struct um_interactions *in, const struct um_interactions_open *open,
                        uint64_t now_ns)
{
    bool synced = in->seen_ns > open->dequeued_ns || in->mark_ns > open->dequeued_ns + SYNC_NS;
    return open->closed || (synced && now_ns >= open->dequeued_ns + LATE_NS);
}

static void match_stream(struct um_interactions *in, uint8_t number, uint64_t now_ns)
{
    struct um_interactions_stream *stream = &in->streams[number];
    struct um_interactions_open *open = next_unmatched(in, in->open, number);
    if (!open || !is_complete(in, open, now_ns))
        return;
    while (stream->len && arrival_at(stream, 0) < open->from_ns)
        drop_arrivals(stream, 1);
    int spare = count_spare(in, open);
    while (open && is_complete(in, open, now_ns)) {
        struct um_interactions_open *next = next_unmatched(in, open + 1, number);
        match(stream, open, next, &spare);
        open = next;
    }
}

/* Telling
 * --------------------------------------------------------------------------------------- */

static bool is_ready(const struct um_interactions *in, const struct um_interactions_open *open)
{
    return open->state == DONE && open->matched && is_judged(in, open);
}

static void tell(struct um_interactions *in, const struct um_interactions_open *open)
{
    struct um_wire_frame frame = {.type = UM_WIRE_INTERACTION};
    frame.flags = open->release ? UM_WIRE_INTERACTION_RELEASE : 0;
    frame.as.interaction = (struct um_wire_interaction){.arrival_ns = open->arrival_ns,
                                                        .dequeued_ns = open->dequeued_ns,
                                                        .handled_ns = open->handled_ns,
                                                        .painted_ns = open->painted_ns,
                                                        .id = ++in->last_id,
                                                        .freeze = freeze_of(in, open),
                                                        .key = open->key,
                                                        .kind = open->kind};
    in->sink.feed(in->sink.context, &frame);
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
    return until_ns(release) - since_ns(release) > until_ns(press) - since_ns(press);
}

static bool is_click(const struct um_interactions_open *open, uint8_t button)
{
    return open->kind == UM_INTERACTION_CLICK && open->button == button && !open->told;
}

/* The release of this press, or NULL while there is none. */
static struct um_interactions_open *release_of(struct um_interactions *in,
                                               struct um_interactions_open *press)
{
    for (struct um_interactions_open *open = press + 1; open < end_of(in); open++)
        if (is_click(open, press->button))
            return open->release ? open : NULL;
    return NULL;
}

/* Whether nobody waits for the release of this press any more. */
static bool is_alone(struct um_interactions *in, const struct um_interactions_open *press)
{
    if (press->closed || in->mark_ns >= until_ns(press) + RELEASE_NS)
        return true;
    for (const struct um_interactions_open *open = press + 1; open < end_of(in); open++)
        if (open->kind == UM_INTERACTION_CLICK && !open->release && open->state == DONE)
            return true;
    return false;
}

/* A press is ready before its release is, so that a release that gets here has none that waits. */
static void tell_click(struct um_interactions *in, struct um_interactions_open *click)
{
    struct um_interactions_open *release = click->release ? NULL : release_of(in, click);
    if (release ? !is_ready(in, release) : !click->release && !is_alone(in, click))
        return;
    tell(in, release && is_worse(release, click) ? release : click);
    click->told = true;
    if (release)
        release->told = true;
}

static void tell_ready(struct um_interactions *in)
{
    size_t kept = 0;
    for (struct um_interactions_open *open = in->open; open < end_of(in); open++) {
        if (open->told || !is_ready(in, open))
            continue;
        if (open->kind == UM_INTERACTION_CLICK) {
            tell_click(in, open);
        } else {
            tell(in, open);
            open->told = true;
        }
    }
    for (size_t i = 0; i < in->open_count; i++)
        if (!in->open[i].told)
            in->open[kept++] = in->open[i];
    in->open_count = kept;
}

/* What has not been painted by the last MARK, and would be by now if it ever were. */
static void give_up_paint(struct um_interactions *in)
{
    for (struct um_interactions_open *open = in->open; open < end_of(in); open++)
        if (open->state == HANDLED && in->mark_ns > paint_limit_ns(open))
            open->state = DONE;
}

void um_interactions_init(struct um_interactions *in, const struct um_interactions_options *options,
                          const struct um_beats *beats, const struct um_interactions_sink *sink)
{
    memset(in, 0, sizeof *in);
    in->options = *options;
    in->sink = *sink;
    in->beats = beats;
    in->last_ns = 1; /* a time of 0 would say that nothing was observed */
}

void um_interactions_arrived(struct um_interactions *in, const struct um_arrival *arrival)
{
    if (arrival->kind >= UM_INTERACTION_COUNT || !arrival->time_ns)
        return;
    enum stream number = stream_of((enum um_interaction)arrival->kind, arrival->release);
    struct um_interactions_stream *stream = &in->streams[number];
    if (stream->len == UM_INTERACTIONS_ARRIVALS) {
        in->lost += is_wanted(in, number);
        drop_arrivals(stream, 1);
    }
    size_t place = (stream->head + stream->len++) % UM_INTERACTIONS_ARRIVALS;
    stream->arrivals[place].time_ns = arrival->time_ns;
    stream->arrivals[place].key = arrival->key;
}

void um_interactions_frame(struct um_interactions *in, const struct um_wire_frame *frame,
                           uint64_t now_ns)
{
    now_ns = um_ns_min(now_ns, UINT64_MAX / 2); /* leaves room for sums */
    switch (frame->type) {
    case UM_WIRE_HELLO:
        in->lost_mark = 0;
        break;
    case UM_WIRE_MARK:
        on_mark(in, um_ns_min(frame->as.mark.time_ns, now_ns), frame->as.mark.lost);
        break;
    case UM_WIRE_SENT:
        on_sent(in, um_ns_min(frame->as.sent.time_ns, now_ns));
        break;
    case UM_WIRE_SEEN:
        on_seen(in, frame, um_ns_min(frame->as.seen.time_ns, now_ns));
        break;
    case UM_WIRE_TAKEN:
        on_taken(in, frame, um_ns_min(frame->as.taken.time_ns, now_ns));
        break;
    default:
        break;
    }
}

void um_interactions_settle(struct um_interactions *in, uint64_t now_ns)
{
    if (!in->open_count)
        return;
    give_up_paint(in);
    for (uint8_t i = 0; i < UM_INTERACTIONS_STREAMS; i++)
        match_stream(in, i, now_ns);
    tell_ready(in);
}

void um_interactions_detached(struct um_interactions *in)
{
    for (struct um_interactions_open *open = in->open; open < end_of(in); open++) {
        open->typing = false;
        open->closed = true;
        open->state = DONE;
    }
    in->waiting = 0;
    in->proof_ns = 0;
    in->rest_ns = 0;
    in->lost_mark = 0;
    in->ready_ns = 0;
}

void um_interactions_stop(struct um_interactions *in)
{
    um_interactions_detached(in);
    um_interactions_settle(in, UINT64_MAX);
}

uint64_t um_interactions_lost(const struct um_interactions *in)
{
    return in->lost;
}
