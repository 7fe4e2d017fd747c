#include "monitor/flows/recorded_markers.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/double_bits.h"
#include "base/key_names.h"
#include "base/list.h"
#include "base/message_names.h"
#include "base/ns.h"
#include "monitor/flows/recorded_waits.h"
#include "monitor/stats/wait_text.h"

#define BEAT "beat" /* this is the name of a field, too */
#define INPUT UM_RECORDED_MARKERS_INPUT
#define FREEZE UM_RECORDED_MARKERS_FREEZE
#define WAIT "wait"
#define QUEUED "queued_ms"          /* of a message; message_markers.h */
#define TICK_MS 15.625              /* of the system's clock of messages */
#define MOST_QUEUED_MS 4294967295.0 /* that clock begins anew then */
#define FURTHEST_NS (INT64_MAX / 2) /* from the begin */

enum kind { KIND_BEAT = 1, KIND_INPUT, KIND_FREEZE, KIND_MESSAGE, KIND_WAIT };

struct beat {
    uint64_t sent_ns;
    uint64_t latency_ns;
    uint32_t seq;
    uint32_t session; /* its place */
    uint32_t freeze;  /* that it measured; 0: none */
    bool at_least;    /* it was never taken */
    bool left_out;
};

struct input {
    struct um_wire_interaction times;
    uint32_t session; /* its place */
    bool left_out;
};

struct freeze {
    struct um_wire_episode episode;
    uint32_t session; /* its place */
    bool has_message;
    bool open; /* its end was not seen */
};

/* What a MARKER_KIND says. Its texts are in `texts`. */
struct kind_field {
    uint32_t name;
    uint8_t kind; /* enum um_wire_field_kind, or UM_WIRE_UNKNOWN */
    bool at_end;
};

struct marker_kind {
    uint32_t name, category;
    uint32_t first, count; /* in `kind_fields` */
    uint8_t source;
};

/* A marker that has frames of its own. */
struct made {
    uint64_t start_ns, length_ns;
    uint64_t first; /* in `values` */
    uint32_t count;
    uint32_t kind; /* in `kinds` */
    uint32_t thread;
    uint32_t session; /* its place */
    uint8_t flags;
    bool left_out;
};

/* A thread of a session that has such markers. */
struct own_thread {
    uint32_t session, id;
    uint32_t place; /* in the markers' threads */
};

/* A note, or what of MARKERS_LOST is new. */
struct told {
    uint64_t time_ns;
    uint64_t lost, cut;
    uint32_t session; /* its place */
    uint32_t text;    /* of a note; of what was lost, who lost it. In `texts` */
    bool is_note;
};

/* A target whose window is made anew begins the next one. The threads are set while markers are
 * made. */
struct session {
    struct um_wire_session about;
    uint64_t number;                        /* from 0 */
    uint32_t heartbeat, ui, monitor, input; /* threads */
    uint32_t posted; /* the same for where messages were posted; UM_MARKERS_NONE: none was yet */
};

/* What is read of a recording. */
struct um_recorded_markers {
    struct um_markers *to; /* set while markers are made */
    size_t most;           /* the same: markers */
    int64_t zero_ns;       /* of the first session */
    bool failed;           /* there was no memory */
    size_t left_out;       /* markers that cannot be made, as they come */
    bool has_chosen;       /* some may be marked as left out */
    struct session *sessions;
    size_t session_count, session_room;
    struct beat *beats;
    size_t beat_count, beat_room;
    size_t first_beat; /* those before it and before the first freeze are matched for good */
    struct input *inputs;
    size_t input_count, input_room;
    struct freeze *freezes;
    size_t freeze_count, freeze_room;
    size_t first_freeze;
    struct told *told;
    size_t told_count, told_room;
    struct um_texts texts;
    struct marker_kind *kinds;
    size_t kind_count, kind_room;
    struct kind_field *kind_fields;
    size_t kind_field_count, kind_field_room;
    uint32_t kind_of[UM_WIRE_MARKER_KINDS + 1]; /* by number: the place and 1; 0: there is none */
    struct made *made;
    size_t made_count, made_room;
    uint64_t *values; /* numbers, or places in `texts` */
    size_t value_count, value_room;
    bool more; /* the last marker's values go on in the next frame */
    struct um_wire_markers_lost lost[UM_MARKER_SOURCE_COUNT]; /* the last of each source */
    struct own_thread *own_threads;
    size_t own_thread_count, own_thread_room;
    struct um_intern own_thread_index;
    struct um_recorded_waits waits;
    struct um_wire_episode lasting[UM_WIRE_STATES]; /* begins without an end; id 0: none */
    uint64_t lasting_until_ns;                      /* the latest STATUS that was a freeze */
};

static uint64_t id_of(const struct session *session, enum kind kind, uint32_t number)
{
    uint64_t hash = um_intern_mix(kind, session->about.start_ns);
    hash = um_intern_mix(hash, session->about.pid | (uint64_t)session->about.tid << 32);
    hash = um_intern_mix(hash, session->number);
    return (hash & UINT64_C(0xffffffff00000000)) | number;
}

/* Times of damaged recordings are cut, so that what lies between two of them is a time, too. */
static int64_t at(const struct um_recorded_markers *reading, uint64_t time_ns)
{
    int64_t ns = (int64_t)(time_ns - (uint64_t)reading->zero_ns);
    return ns > FURTHEST_NS ? FURTHEST_NS : ns < -FURTHEST_NS ? -FURTHEST_NS : ns;
}

/* Writing -------------------------------------------------------------------------------------- */

static void add_threads(struct um_markers *to, struct session *session)
{
    const char *process = session->about.name;
    char label[16];
    snprintf(label, sizeof label, "%" PRIu32, session->about.tid);
    session->ui = um_markers_thread(to, label, "UI thread", process, session->about.pid);
    session->heartbeat =
        um_markers_thread(to, "heartbeat", "uimon heartbeat", process, session->about.pid);
    session->input = um_markers_thread(to, "input", "input", "uimon", 0);
    session->monitor = um_markers_thread(to, "monitor", "monitor", "uimon", 0);
    session->posted = UM_MARKERS_NONE;
}

static void add_beat(const struct um_recorded_markers *reading, const struct beat *beat)
{
    struct um_markers *to = reading->to;
    const struct session *session = &reading->sessions[beat->session];
    uint64_t id = id_of(session, KIND_BEAT, beat->seq);
    uint64_t end_ns = um_ns_sum(beat->sent_ns, beat->latency_ns);
    um_markers_instant(to, session->heartbeat, "Beat sent", BEAT, at(reading, beat->sent_ns));
    um_markers_flow(to, BEAT, UM_MARKER_FLOW, id);
    if (!beat->at_least) {
        um_markers_instant(to, session->ui, "Beat taken", BEAT, at(reading, end_ns));
        um_markers_number(to, "latency_ms", (double)beat->latency_ns / 1e6);
        um_markers_flow(to, BEAT, UM_MARKER_FLOW, id);
        if (beat->freeze != 0)
            um_markers_flow(to, FREEZE, UM_MARKER_FLOW, id_of(session, KIND_FREEZE, beat->freeze));
    }
    um_markers_instant(to, session->monitor, beat->at_least ? "Beat given up" : "Beat answered",
                       BEAT, at(reading, end_ns));
    um_markers_flow(to, BEAT, UM_MARKER_TERMINATING_FLOW, id);
}

static const char *name_of(const struct um_wire_interaction *input, const char *what, char *text,
                           size_t cap)
{
    const char *kind = input->kind == UM_INTERACTION_KEY     ? "Key"
                       : input->kind == UM_INTERACTION_CLICK ? "Click"
                       : input->kind == UM_INTERACTION_WHEEL ? "Wheel"
                                                             : "Input";
    snprintf(text, cap, "%s %s", kind, what);
    return text;
}

/* Says which key it was, if the recording has that. */
static void add_key(struct um_markers *to, const struct um_wire_interaction *input)
{
    char name[UM_KEY_NAMES_BYTES];
    if (input->kind != UM_INTERACTION_KEY || input->key == 0)
        return;
    um_markers_text(to, UM_RECORDED_MARKERS_KEY, um_key_names_get(input->key, name));
    to->has_keys = true;
}

static void add_input(const struct um_recorded_markers *reading, const struct input *from)
{
    struct um_markers *to = reading->to;
    const struct session *session = &reading->sessions[from->session];
    const struct um_wire_interaction *input = &from->times;
    uint64_t id = id_of(session, KIND_INPUT, input->id);
    char name[32];
    if (input->arrival_ns != 0) {
        um_markers_instant(to, session->input, name_of(input, "arrived", name, sizeof name), INPUT,
                           at(reading, input->arrival_ns));
        add_key(to, input);
        um_markers_flow(to, INPUT, UM_MARKER_FLOW, id);
    }
    um_markers_instant(to, session->ui, name_of(input, "taken", name, sizeof name), INPUT,
                       at(reading, input->dequeued_ns));
    if (input->arrival_ns == 0)
        add_key(to, input);
    um_markers_flow(to, INPUT, UM_MARKER_FLOW, id);
    if (input->freeze != 0)
        um_markers_flow(to, FREEZE, UM_MARKER_FLOW, id_of(session, KIND_FREEZE, input->freeze));
    if (input->handled_ns != 0) {
        um_markers_interval(to, session->ui, name_of(input, "handled", name, sizeof name), INPUT,
                            at(reading, input->dequeued_ns), at(reading, input->handled_ns))
            ->stack_based = true;
        um_markers_flow(to, INPUT, UM_MARKER_FLOW, id);
    }
    if (input->painted_ns != 0) {
        um_markers_instant(to, session->ui, name_of(input, "painted", name, sizeof name), INPUT,
                           at(reading, input->painted_ns));
        um_markers_flow(to, INPUT, UM_MARKER_TERMINATING_FLOW, id);
    }
}

/* Markers that have frames --------------------------------------------------------------------- */

static bool is_same_thread(const void *context, uint32_t index)
{
    const struct um_recorded_markers *reading = context;
    const struct own_thread *wanted = &reading->own_threads[reading->own_thread_count];
    return reading->own_threads[index].session == wanted->session &&
           reading->own_threads[index].id == wanted->id;
}

/* The place of a thread of the target; UM_MARKERS_NONE without memory. */
static uint32_t thread_of(struct um_recorded_markers *reading, uint32_t in_session, uint32_t thread)
{
    const struct session *session = &reading->sessions[in_session];
    char label[16], name[32];
    if (thread == session->about.tid)
        return session->ui;
    if (!um_list_reserve(&reading->own_threads, &reading->own_thread_room,
                         reading->own_thread_count + 1, UM_MARKERS_MOST,
                         sizeof *reading->own_threads) ||
        !um_intern_reserve(&reading->own_thread_index, 1))
        return UM_MARKERS_NONE;
    struct own_thread *wanted = &reading->own_threads[reading->own_thread_count];
    uint64_t hash = um_intern_mix(in_session, thread);
    *wanted = (struct own_thread){.session = in_session, .id = thread};
    uint32_t found = um_intern_find(&reading->own_thread_index, hash, is_same_thread, reading);
    if (found != UM_INTERN_NONE)
        return reading->own_threads[found].place;
    snprintf(label, sizeof label, "%" PRIu32, thread);
    snprintf(name, sizeof name, "Thread %" PRIu32, thread);
    wanted->place = um_markers_thread(reading->to, label, thread != 0 ? name : "Threads",
                                      session->about.name, session->about.pid);
    um_intern_add(&reading->own_thread_index, hash, (uint32_t)reading->own_thread_count++);
    return wanted->place;
}

/* Messages have numbers, of which a session makes ids; the ids of others are their own. */
static uint64_t own_id(const struct um_recorded_markers *reading, const struct made *made,
                       uint64_t value)
{
    if (reading->kinds[made->kind].source != UM_MARKER_SOURCE_MESSAGE)
        return value;
    return id_of(&reading->sessions[made->session], KIND_MESSAGE, (uint32_t)value);
}

static void add_made_field(const struct um_recorded_markers *reading, const struct made *made,
                           const struct kind_field *field, uint64_t value)
{
    struct um_markers *to = reading->to;
    const char *name = um_texts_get(&reading->texts, field->name);
    bool terminates = field->kind == UM_MARKER_FIELD_TERMINATING_FLOW ||
                      field->kind == UM_MARKER_FIELD_TERMINATING_FLOW_TEXT;
    char id[17];
    snprintf(id, sizeof id, "%016" PRIx64, own_id(reading, made, value));
    switch (field->kind) {
    case UM_MARKER_FIELD_TEXT:
        um_markers_text(to, name, um_texts_get(&reading->texts, (uint32_t)value));
        break;
    case UM_MARKER_FIELD_NUMBER:
        if (um_double_bits_are_finite(value))
            um_markers_number(to, name, um_double_bits_value(value));
        break;
    case UM_MARKER_FIELD_FLOW:
    case UM_MARKER_FIELD_TERMINATING_FLOW:
        um_markers_flow_text(to, name, terminates ? UM_MARKER_TERMINATING_FLOW : UM_MARKER_FLOW, id,
                             field->at_end);
        break;
    case UM_MARKER_FIELD_FLOW_TEXT:
    case UM_MARKER_FIELD_TERMINATING_FLOW_TEXT:
        um_markers_flow_text(to, name, terminates ? UM_MARKER_TERMINATING_FLOW : UM_MARKER_FLOW,
                             um_texts_get(&reading->texts, (uint32_t)value), field->at_end);
        break;
    default: /* of a later version */
        break;
    }
}

/* How long a message had been in the queue when it was retrieved; below 0: it does not say. */
static double queued_ms(const struct um_recorded_markers *reading, const struct made *made)
{
    const struct marker_kind *kind = &reading->kinds[made->kind];
    if (kind->source != UM_MARKER_SOURCE_MESSAGE)
        return -1;
    for (uint32_t i = 0; i < made->count; i++) {
        const struct kind_field *field = &reading->kind_fields[kind->first + i];
        double ms = um_double_bits_value(reading->values[made->first + i]);
        if (field->kind == UM_MARKER_FIELD_NUMBER && ms >= 0 && ms <= MOST_QUEUED_MS &&
            strcmp(um_texts_get(&reading->texts, field->name), QUEUED) == 0)
            return ms;
    }
    return -1;
}

/* Adds the instant at which a message was posted, by its own time: before it was retrieved, which
 * counts where the clock of messages has not gone on in between. */
static void add_posted(struct um_recorded_markers *reading, const struct made *made)
{
    struct um_markers *to = reading->to;
    struct session *session = &reading->sessions[made->session];
    const struct marker_kind *kind = &reading->kinds[made->kind];
    double ms = queued_ms(reading, made);
    if (ms < 0)
        return;
    if (session->posted == UM_MARKERS_NONE)
        session->posted = um_markers_thread(to, "posted", "posted messages", session->about.name,
                                            session->about.pid);
    um_markers_instant(to, session->posted, "Posted", um_texts_get(&reading->texts, kind->category),
                       at(reading, made->start_ns) - (int64_t)(ms * 1e6) - 1);
    um_markers_text(to, "message", um_texts_get(&reading->texts, kind->name));
    um_markers_number(to, "uncertainty_ms", TICK_MS);
    for (uint32_t i = 0; i < made->count; i++) {
        const struct kind_field *field = &reading->kind_fields[kind->first + i];
        if (field->kind == UM_MARKER_FIELD_TERMINATING_FLOW)
            um_markers_flow(to, um_texts_get(&reading->texts, field->name), UM_MARKER_FLOW,
                            own_id(reading, made, reading->values[made->first + i]));
    }
}

static bool add_made(struct um_recorded_markers *reading, const struct made *made)
{
    struct um_markers *to = reading->to;
    const struct marker_kind *kind = &reading->kinds[made->kind];
    const char *name = um_texts_get(&reading->texts, kind->name);
    const char *category = um_texts_get(&reading->texts, kind->category);
    int64_t start_ns = at(reading, made->start_ns);
    int64_t end_ns = at(reading, um_ns_sum(made->start_ns, made->length_ns));
    uint32_t thread = thread_of(reading, made->session, made->thread);
    if (thread == UM_MARKERS_NONE)
        return false;
    add_posted(reading, made);
    if (made->flags & UM_WIRE_MARKER_INTERVAL)
        um_markers_interval(to, thread, name, category, start_ns, end_ns)->open =
            (made->flags & UM_WIRE_MARKER_OPEN) != 0;
    else
        um_markers_instant(to, thread, name, category, start_ns);
    if (to->failed)
        return false;
    to->list[to->count - 1].stack_based = (made->flags & UM_WIRE_MARKER_STACK_BASED) != 0;
    for (uint32_t i = 0; i < made->count; i++)
        add_made_field(reading, made, &reading->kind_fields[kind->first + i],
                       reading->values[made->first + i]);
    return true;
}

/* When the thread for which the UI thread waited in a freeze was sampled. */
struct holder {
    const struct um_recorded_wait *wait;
    const char *text;
    uint64_t first_ns, last_ns;
};

static bool find_holder(const struct um_recorded_markers *reading, const struct freeze *freeze,
                        struct holder *holder)
{
    const struct um_wire_episode *episode = &freeze->episode;
    return reading->to->count < reading->most &&
           um_recorded_waits_sampled(&reading->waits, holder->wait, episode->start_ns,
                                     episode->end_ns, &holder->first_ns, &holder->last_ns);
}

/* Adds what the other thread was seen doing. It is in the freeze's flow, and the wait's ends with
 * it. False without memory. */
static bool add_holder(struct um_recorded_markers *reading, const struct freeze *freeze,
                       const struct holder *holder)
{
    struct um_markers *to = reading->to;
    const struct session *session = &reading->sessions[freeze->session];
    uint32_t thread = thread_of(reading, freeze->session, holder->wait->says.thread);
    char id[17];
    if (thread == UM_MARKERS_NONE)
        return false;
    snprintf(id, sizeof id, "%016" PRIx64, id_of(session, KIND_WAIT, freeze->episode.id));
    um_markers_interval(to, thread, "Held up the UI thread", FREEZE, at(reading, holder->first_ns),
                        at(reading, holder->last_ns));
    um_markers_text(to, "waited", holder->text);
    um_markers_flow(to, FREEZE, UM_MARKER_FLOW, id_of(session, KIND_FREEZE, freeze->episode.id));
    um_markers_flow_text(to, WAIT, UM_MARKER_TERMINATING_FLOW, id, true);
    return true;
}

static bool add_freeze(struct um_recorded_markers *reading, const struct freeze *freeze)
{
    struct um_markers *to = reading->to;
    const struct session *session = &reading->sessions[freeze->session];
    const struct um_wire_episode *episode = &freeze->episode;
    struct holder holder = {
        .wait = um_recorded_waits_find(&reading->waits, freeze->session, episode->id)};
    char message[UM_MESSAGE_NAMES_BYTES];
    char text[UM_WAIT_TEXT_BYTES];
    um_markers_interval(to, session->ui, episode->state == UM_STATE_STARVED ? "Starved" : "Frozen",
                        FREEZE, at(reading, episode->start_ns), at(reading, episode->end_ns))
        ->open = freeze->open;
    um_markers_flow(to, FREEZE, UM_MARKER_FLOW, id_of(session, KIND_FREEZE, episode->id));
    if (episode->start_ns < session->about.start_ns) /* some tools do not show negative times */
        um_markers_number(to, "before_recording_ms",
                          (double)(session->about.start_ns - episode->start_ns) / 1e6);
    if (freeze->has_message) {
        um_message_names_get(episode->message, episode->message_name, message, sizeof message);
        um_markers_text(to, "message", message);
        if (episode->window_class[0] != '\0')
            um_markers_text(to, "window_class", episode->window_class);
    }
    if (!holder.wait)
        return true;
    um_wait_text(&holder.wait->says, text, sizeof text);
    um_markers_text(to, "waited", text);
    holder.text = text;
    if (!find_holder(reading, freeze, &holder))
        return true;
    um_markers_flow(to, WAIT, UM_MARKER_FLOW, id_of(session, KIND_WAIT, episode->id));
    return add_holder(reading, freeze, &holder);
}

#define MAKE_ROOM(reading, list, count, room)                                                      \
    um_list_reserve(&(reading)->list, &(reading)->room, (reading)->count + 1, UM_MARKERS_MOST,     \
                    sizeof *(reading)->list)

static uint32_t last_session(const struct um_recorded_markers *reading)
{
    return (uint32_t)(reading->session_count - 1);
}

/* Keeps the freezes that last where the last session breaks off. False without memory. */
static bool end_lasting(struct um_recorded_markers *reading)
{
    for (size_t i = 0; i < UM_WIRE_STATES; i++) {
        struct um_wire_episode episode = reading->lasting[i];
        if (episode.id == 0 || !um_wire_state_is_freeze(episode.state))
            continue;
        if (!MAKE_ROOM(reading, freezes, freeze_count, freeze_room))
            return false;
        episode.end_ns = um_ns_max(episode.end_ns, reading->lasting_until_ns);
        reading->freezes[reading->freeze_count++] =
            (struct freeze){.episode = episode, .session = last_session(reading), .open = true};
    }
    return true;
}

/* Finds for each freeze from the first one on the beat that waited through most of it. Both lists
 * are by time, one beat is out at a time, and freezes do not overlap. */
static void match_beats(struct um_recorded_markers *reading)
{
    size_t first = reading->first_beat; /* beats before it ended before the freeze began */
    for (size_t i = reading->first_freeze; i < reading->freeze_count; i++) {
        const struct um_wire_episode *freeze = &reading->freezes[i].episode;
        uint64_t most_ns = 0;
        struct beat *found = NULL;
        size_t k = first;
        for (; k < reading->beat_count && reading->beats[k].sent_ns < freeze->end_ns; k++) {
            struct beat *beat = &reading->beats[k];
            uint64_t until_ns = um_ns_sum(beat->sent_ns, beat->latency_ns);
            if (until_ns <= freeze->start_ns) {
                first = k + 1;
                continue;
            }
            uint64_t covered_ns = um_ns_elapsed(um_ns_max(beat->sent_ns, freeze->start_ns),
                                                um_ns_min(until_ns, freeze->end_ns));
            if (covered_ns > most_ns) {
                most_ns = covered_ns;
                found = beat;
            }
        }
        if (k > first)
            first = k - 1; /* the next freeze begins in the last of these, or later */
        if (found && found->freeze == 0)
            found->freeze = freeze->id;
    }
}

/* Forgets what match_beats has found. */
static void unmatch_beats(struct um_recorded_markers *reading)
{
    for (size_t k = reading->first_beat; k < reading->beat_count; k++)
        reading->beats[k].freeze = 0;
}

/* Matches the last session for good. False without memory. */
static bool end_session(struct um_recorded_markers *reading)
{
    if (!end_lasting(reading))
        return false;
    for (size_t i = 0; i < UM_WIRE_STATES; i++)
        reading->lasting[i].id = 0;
    reading->lasting_until_ns = 0;
    match_beats(reading);
    reading->first_beat = reading->beat_count;
    reading->first_freeze = reading->freeze_count;
    return true;
}

/* Choosing, where there is not room for all ---------------------------------------------------- */

#define HEAVIEST_BEAT (UINT64_MAX / 4) /* ns */

struct pick {
    uint64_t weight_ns;
    size_t markers;
    bool *left_out;
};

/* Of equals, the earlier one comes first. */
static bool is_heavier(const struct pick *a, const struct pick *b)
{
    return a->weight_ns != b->weight_ns ? a->weight_ns > b->weight_ns : a->left_out < b->left_out;
}

/* Puts the pick at a place of a heap where it belongs: above those that it outweighs. */
static void sink(struct pick *picks, size_t count, size_t at)
{
    struct pick pick = picks[at];
    for (size_t below = 2 * at + 1; below < count; below = 2 * at + 1) {
        below += below + 1 < count && is_heavier(&picks[below + 1], &picks[below]);
        if (!is_heavier(&picks[below], &pick))
            break;
        picks[at] = picks[below];
        at = below;
    }
    picks[at] = pick;
}

/* Leaves out those that have more markers than that, and makes a heap of the others, whose heaviest
 * is the first. Returns how many these are. */
static size_t make_heap(struct um_recorded_markers *reading, struct pick *picks, size_t count,
                        size_t most)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        *picks[i].left_out = picks[i].markers > most;
        if (picks[i].markers > most)
            reading->to->left_out += picks[i].markers;
        else
            picks[kept++] = picks[i];
    }
    for (size_t i = kept / 2; i > 0; i--)
        sink(picks, kept, i - 1);
    return kept;
}

/* Keeps the heaviest of a list for which there is room, each as a whole. `used`: markers. The list
 * may be long beside the room, so it is not sorted as a whole. */
static void choose(struct um_recorded_markers *reading, struct pick *picks, size_t count,
                   size_t *used)
{
    count = make_heap(reading, picks, count, reading->most - *used);
    while (count > 0) {
        size_t left = reading->most - *used;
        if (picks[0].markers > left) {
            count = make_heap(reading, picks, count, left);
            continue;
        }
        *used += picks[0].markers;
        picks[0] = picks[--count];
        sink(picks, count, 0);
    }
}

static struct pick pick_input(struct input *input)
{
    const struct um_wire_interaction *times = &input->times;
    uint64_t begin_ns = times->arrival_ns ? times->arrival_ns : times->dequeued_ns;
    uint64_t end_ns =
        um_ns_max(um_ns_max(times->dequeued_ns, times->handled_ns), times->painted_ns);
    return (struct pick){um_ns_elapsed(begin_ns, end_ns),
                         1 + (size_t)(times->arrival_ns != 0) + (size_t)(times->handled_ns != 0) +
                             (size_t)(times->painted_ns != 0),
                         &input->left_out};
}

static struct pick pick_beat(struct beat *beat)
{
    return (struct pick){beat->freeze ? UINT64_MAX : um_ns_min(beat->latency_ns, HEAVIEST_BEAT),
                         beat->at_least ? 2 : 3, &beat->left_out};
}

/* The program's own outweigh what was traced, and both any beat that measured no freeze. */
static struct pick pick_made(const struct um_recorded_markers *reading, struct made *made)
{
    bool own = reading->kinds[made->kind].source == UM_MARKER_SOURCE_PROGRAM;
    return (struct pick){HEAVIEST_BEAT * (own ? 2 : 1) +
                             um_ns_min(made->length_ns, HEAVIEST_BEAT - 1) + 1,
                         queued_ms(reading, made) >= 0 ? 2 : 1, &made->left_out};
}

static void keep_all(struct um_recorded_markers *reading)
{
    for (size_t i = 0; i < reading->input_count; i++)
        reading->inputs[i].left_out = false;
    for (size_t i = 0; i < reading->beat_count; i++)
        reading->beats[i].left_out = false;
    for (size_t i = 0; i < reading->made_count; i++)
        reading->made[i].left_out = false;
    reading->has_chosen = false;
}

/* Freezes first, then the input that took longest, beats that measured a freeze, the program's own
 * markers, what was traced, and the beats that took longest. `freezes`: how many of these there is
 * room for. False without memory. */
static bool choose_all(struct um_recorded_markers *reading, size_t *freezes)
{
    struct um_markers *to = reading->to;
    size_t inputs = reading->input_count, others = reading->beat_count + reading->made_count;
    size_t used = to->count;
    *freezes = reading->freeze_count;
    if (*freezes > reading->most - used) {
        to->left_out += *freezes - (reading->most - used);
        *freezes = reading->most - used;
    }
    used += *freezes;
    size_t holders = reading->waits.wait_count; /* threads that the UI thread waited for */
    used += holders < reading->most - used ? holders : reading->most - used;
    if (reading->has_chosen)
        keep_all(reading);
    if (inputs * 4 + reading->beat_count * 3 + reading->made_count * 2 <= reading->most - used)
        return true;
    struct pick *picks = calloc(inputs + others, sizeof *picks);
    if (!picks)
        return false;
    for (size_t i = 0; i < inputs; i++)
        picks[i] = pick_input(&reading->inputs[i]);
    for (size_t i = 0; i < reading->beat_count; i++)
        picks[inputs + i] = pick_beat(&reading->beats[i]);
    for (size_t i = 0; i < reading->made_count; i++)
        picks[inputs + reading->beat_count + i] = pick_made(reading, &reading->made[i]);
    choose(reading, picks, inputs, &used);
    choose(reading, picks + inputs, others, &used);
    free(picks);
    reading->has_chosen = true;
    return true;
}

static void add_told(const struct um_recorded_markers *reading, const struct told *told)
{
    struct um_markers *to = reading->to;
    const char *text = um_texts_get(&reading->texts, told->text);
    const char *name = told->is_note ? "Note" : told->lost != 0 ? "Markers lost" : "Markers cut";
    if (to->count >= reading->most) {
        to->left_out++;
        return;
    }
    um_markers_instant(to, reading->sessions[told->session].monitor, name, "note",
                       at(reading, told->time_ns));
    um_markers_text(to, told->is_note ? "text" : "source", text);
    if (told->is_note)
        return;
    um_markers_number(to, "lost", (double)told->lost);
    um_markers_number(to, "cut", (double)told->cut);
}

/* False without memory. */
static bool write_all(struct um_recorded_markers *reading)
{
    size_t freezes;
    for (size_t i = 0; i < reading->session_count; i++)
        add_threads(reading->to, &reading->sessions[i]);
    for (size_t i = 0; i < reading->told_count; i++)
        add_told(reading, &reading->told[i]);
    if (!choose_all(reading, &freezes))
        return false;
    for (size_t i = 0; i < freezes; i++)
        if (!add_freeze(reading, &reading->freezes[i]))
            return false;
    for (size_t i = 0; i < reading->beat_count; i++)
        if (!reading->beats[i].left_out)
            add_beat(reading, &reading->beats[i]);
    for (size_t i = 0; i < reading->input_count; i++)
        if (!reading->inputs[i].left_out)
            add_input(reading, &reading->inputs[i]);
    for (size_t i = 0; i < reading->made_count; i++)
        if (!reading->made[i].left_out && !add_made(reading, &reading->made[i]))
            return false;
    return true;
}

/* Reading -------------------------------------------------------------------------------------- */

static bool take_session(struct um_recorded_markers *reading, const struct um_wire_session *about)
{
    if (reading->session_count > 0) {
        struct session *last = &reading->sessions[last_session(reading)];
        if (about->pid == last->about.pid && about->tid == last->about.tid) {
            last->about = *about;
            return true;
        }
        if (!end_session(reading))
            return false;
    } else {
        reading->zero_ns = (int64_t)about->start_ns;
    }
    if (!MAKE_ROOM(reading, sessions, session_count, session_room))
        return false;
    struct session *session = &reading->sessions[reading->session_count];
    *session = (struct session){.about = *about, .number = reading->session_count++};
    return true;
}

static bool take_beat(struct um_recorded_markers *reading, const struct um_wire_frame *frame)
{
    const struct um_wire_beat *beat = &frame->as.beat;
    if (!MAKE_ROOM(reading, beats, beat_count, beat_room))
        return false;
    reading->beats[reading->beat_count++] =
        (struct beat){.sent_ns = beat->sent_ns,
                      .latency_ns = beat->latency_ns,
                      .seq = beat->seq,
                      .session = last_session(reading),
                      .at_least = (frame->flags & UM_WIRE_BEAT_AT_LEAST) != 0};
    return true;
}

static bool take_episode(struct um_recorded_markers *reading, const struct um_wire_frame *frame)
{
    const struct um_wire_episode *episode = &frame->as.episode;
    for (size_t i = 0; i < UM_WIRE_STATES; i++)
        if (reading->lasting[i].id == episode->id)
            reading->lasting[i].id = 0;
    if (!(frame->flags & UM_WIRE_EPISODE_END))
        reading->lasting[um_wire_state_place(episode->state)] = *episode;
    if (!(frame->flags & UM_WIRE_EPISODE_END) || frame->flags & UM_WIRE_EPISODE_VOID ||
        !um_wire_state_is_freeze(episode->state))
        return true;
    if (!MAKE_ROOM(reading, freezes, freeze_count, freeze_room))
        return false;
    reading->freezes[reading->freeze_count++] =
        (struct freeze){.episode = *episode,
                        .session = last_session(reading),
                        .has_message = (frame->flags & UM_WIRE_EPISODE_HAS_MESSAGE) != 0,
                        .open = (frame->flags & UM_WIRE_EPISODE_OPEN) != 0};
    return true;
}

static bool take_input(struct um_recorded_markers *reading, const struct um_wire_interaction *input)
{
    if (!MAKE_ROOM(reading, inputs, input_count, input_room))
        return false;
    reading->inputs[reading->input_count++] =
        (struct input){.times = *input, .session = last_session(reading)};
    return true;
}

/* The number of a text; a problem with memory is noted. */
static uint32_t add_text(struct um_recorded_markers *reading, const char *text)
{
    uint32_t number = um_texts_add(&reading->texts, text, strlen(text));
    reading->failed |= number == UM_TEXTS_NONE;
    return number;
}

static bool take_note(struct um_recorded_markers *reading, const struct um_wire_note *note)
{
    if (!MAKE_ROOM(reading, told, told_count, told_room))
        return false;
    reading->told[reading->told_count++] = (struct told){.time_ns = note->time_ns,
                                                         .session = last_session(reading),
                                                         .text = add_text(reading, note->text),
                                                         .is_note = true};
    return true;
}

static bool take_kind(struct um_recorded_markers *reading, const struct um_wire_marker_kind *wire)
{
    if (!MAKE_ROOM(reading, kinds, kind_count, kind_room) ||
        !um_list_reserve(&reading->kind_fields, &reading->kind_field_room,
                         reading->kind_field_count + wire->count, UM_MARKERS_MOST,
                         sizeof *reading->kind_fields))
        return false;
    struct marker_kind *kind = &reading->kinds[reading->kind_count++];
    *kind = (struct marker_kind){.name = add_text(reading, wire->name),
                                 .category = add_text(reading, wire->category),
                                 .first = (uint32_t)reading->kind_field_count,
                                 .count = wire->count,
                                 .source = wire->source};
    for (size_t i = 0; i < wire->count; i++)
        reading->kind_fields[reading->kind_field_count++] =
            (struct kind_field){.name = add_text(reading, wire->list[i].name),
                                .kind = wire->list[i].kind,
                                .at_end = wire->list[i].at_end};
    reading->kind_of[wire->number] = (uint32_t)reading->kind_count;
    return true;
}

/* The marker whose values go on in a frame; NULL: the frame begins one. */
static struct made *continued(const struct um_recorded_markers *reading,
                              const struct um_wire_marker *wire, uint32_t kind)
{
    if (!reading->more || reading->made_count == 0)
        return NULL;
    struct made *last = &reading->made[reading->made_count - 1];
    bool same =
        last->kind == kind && last->start_ns == wire->start_ns && last->thread == wire->thread;
    return same ? last : NULL;
}

/* Whether a frame has as many values as the first one of a marker. If it has fewer, it continues a
 * marker whose first frame was lost. */
static bool is_first(const struct um_wire_marker *wire, const struct marker_kind *kind)
{
    return wire->count >= kind->count || wire->count == UM_WIRE_MARKER_VALUES;
}

/* A new marker. NULL without memory. */
static struct made *make(struct um_recorded_markers *reading, const struct um_wire_marker *wire,
                         uint8_t flags, uint32_t kind)
{
    if (!MAKE_ROOM(reading, made, made_count, made_room))
        return NULL;
    reading->made[reading->made_count] = (struct made){.start_ns = wire->start_ns,
                                                       .length_ns = wire->length_ns,
                                                       .first = reading->value_count,
                                                       .kind = kind,
                                                       .thread = wire->thread,
                                                       .session = last_session(reading),
                                                       .flags = flags};
    return &reading->made[reading->made_count++];
}

static bool is_text(uint8_t kind)
{
    return kind == UM_MARKER_FIELD_TEXT || kind == UM_MARKER_FIELD_FLOW_TEXT ||
           kind == UM_MARKER_FIELD_TERMINATING_FLOW_TEXT;
}

/* Markers of a kind that nobody has told of are left out, and those whose begin was lost. */
static bool take_marker(struct um_recorded_markers *reading, const struct um_wire_frame *frame)
{
    const struct um_wire_marker *wire = &frame->as.marker;
    uint32_t place = reading->kind_of[wire->kind];
    if (place == 0) {
        reading->left_out++;
        return true;
    }
    const struct marker_kind *kind = &reading->kinds[place - 1];
    struct made *made = continued(reading, wire, place - 1);
    if (!made && !is_first(wire, kind)) {
        reading->more = false;
        reading->left_out++;
        return true;
    }
    made = made ? made : make(reading, wire, frame->flags, place - 1);
    if (!made ||
        !um_list_reserve(&reading->values, &reading->value_room, reading->value_count + wire->count,
                         UM_MARKERS_MOST, sizeof *reading->values))
        return false;
    for (size_t i = 0; i < wire->count && made->count < kind->count; i++) {
        uint8_t type = reading->kind_fields[kind->first + made->count++].kind;
        reading->values[reading->value_count++] =
            is_text(type) ? add_text(reading, wire->list[i].text) : wire->list[i].value;
    }
    reading->more = (frame->flags & UM_WIRE_MARKER_MORE) != 0;
    return true;
}

/* The numbers count from the begin, so only what is new is told. */
static bool take_lost(struct um_recorded_markers *reading, const struct um_wire_markers_lost *lost)
{
    static const char *const sources[] = {[UM_MARKER_SOURCE_PROGRAM] = "program",
                                          [UM_MARKER_SOURCE_MESSAGE] = "messages",
                                          [UM_MARKER_SOURCE_DOTNET] = ".NET"};
    if (lost->source >= UM_MARKER_SOURCE_COUNT)
        return true;
    struct um_wire_markers_lost *before = &reading->lost[lost->source];
    uint64_t new_lost = um_ns_elapsed(before->lost, lost->lost);
    uint64_t new_cut = um_ns_elapsed(before->cut, lost->cut);
    *before = *lost;
    if (new_lost == 0 && new_cut == 0)
        return true;
    if (!MAKE_ROOM(reading, told, told_count, told_room))
        return false;
    reading->told[reading->told_count++] =
        (struct told){.time_ns = lost->time_ns,
                      .lost = new_lost,
                      .cut = new_cut,
                      .session = last_session(reading),
                      .text = add_text(reading, sources[lost->source])};
    return true;
}

/* False without memory. */
static bool take(struct um_recorded_markers *reading, const struct um_wire_frame *frame)
{
    if (frame->type == UM_WIRE_SESSION)
        return take_session(reading, &frame->as.session);
    if (reading->session_count == 0)
        return true;
    switch (frame->type) {
    case UM_WIRE_BEAT:
        return take_beat(reading, frame);
    case UM_WIRE_EPISODE:
        return take_episode(reading, frame);
    case UM_WIRE_INTERACTION:
        return take_input(reading, &frame->as.interaction);
    case UM_WIRE_STATUS:
        if (um_wire_state_is_freeze(frame->as.status.state))
            reading->lasting_until_ns = frame->as.status.time_ns;
        return true;
    case UM_WIRE_SAMPLE:
        return um_recorded_waits_sample(&reading->waits, last_session(reading), &frame->as.sample);
    case UM_WIRE_WAIT:
        return um_recorded_waits_wait(&reading->waits, last_session(reading), &frame->as.wait);
    case UM_WIRE_MARKER_KIND:
        return take_kind(reading, &frame->as.marker_kind);
    case UM_WIRE_MARKER:
        return take_marker(reading, frame);
    case UM_WIRE_MARKERS_LOST:
        return take_lost(reading, &frame->as.markers_lost);
    case UM_WIRE_NOTE:
        return take_note(reading, &frame->as.note);
    default:
        return true;
    }
}

enum um_status um_recorded_markers_open(struct um_recorded_markers **out)
{
    *out = calloc(1, sizeof **out);
    return *out ? UM_OK : UM_ERR_MEMORY;
}

void um_recorded_markers_close(struct um_recorded_markers *reading)
{
    if (!reading)
        return;
    free(reading->sessions);
    free(reading->beats);
    free(reading->inputs);
    free(reading->freezes);
    free(reading->told);
    free(reading->kinds);
    free(reading->kind_fields);
    free(reading->made);
    free(reading->values);
    free(reading->own_threads);
    um_intern_deinit(&reading->own_thread_index);
    um_recorded_waits_deinit(&reading->waits);
    um_texts_deinit(&reading->texts);
    free(reading);
}

void um_recorded_markers_take(struct um_recorded_markers *reading,
                              const struct um_wire_frame *frame)
{
    reading->failed = reading->failed || !take(reading, frame);
}

/* What is only so because the recording ends here is taken back afterwards. */
enum um_status um_recorded_markers_make(struct um_recorded_markers *reading, size_t most,
                                        struct um_markers *markers)
{
    size_t freezes = reading->freeze_count;
    if (reading->failed)
        return UM_ERR_MEMORY;
    if (reading->session_count == 0)
        return UM_ERR_PARTIAL;
    reading->to = markers;
    reading->most = most;
    markers->left_out += reading->left_out;
    bool has_memory = end_lasting(reading);
    match_beats(reading);
    has_memory = has_memory && write_all(reading);
    unmatch_beats(reading);
    reading->freeze_count = freezes;
    reading->own_thread_count = 0;
    um_intern_deinit(&reading->own_thread_index);
    return has_memory && !markers->failed ? UM_OK : UM_ERR_MEMORY;
}

enum um_status um_recorded_markers_read(struct um_recording *recording, size_t most,
                                        struct um_markers *markers, char *problem, size_t cap_bytes)
{
    struct um_recorded_markers *reading;
    struct um_wire_frame frame;
    enum um_status status = UM_ERR_CLOSED, made = um_recorded_markers_open(&reading);
    bool has_end = false;

    problem[0] = '\0';
    if (made == UM_OK) {
        while (!reading->failed && (status = um_recording_next(recording, &frame)) == UM_OK) {
            has_end |= frame.type == UM_WIRE_END;
            um_recorded_markers_take(reading, &frame);
        }
        made = um_recorded_markers_make(reading, most, markers);
        um_recorded_markers_close(reading);
    }
    if (made == UM_ERR_MEMORY)
        um_recording_problem(recording, UM_ERR_MEMORY, problem, cap_bytes);
    else if (status != UM_ERR_CLOSED || !has_end || made == UM_ERR_PARTIAL)
        um_recording_problem(recording, made == UM_OK || status != UM_ERR_CLOSED ? status : UM_OK,
                             problem, cap_bytes);
    return made;
}
