#include "tests/unit/simulation/model.h"

#include <stddef.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/ns.h"
#include "base/plain/clock.h"
#include "base/plain/pace.h"
#include "base/plain/ring.h"
#include "base/plain/text.h"
#include "hooks/poll.h"
#include "hooks/record.h"
#include "monitor/live/driver.h"

#define MS UM_CLOCK_NS_PER_MS
#define US UM_CLOCK_NS_PER_US
#define NEVER UINT64_MAX
#define TICKS_PER_S UM_CLOCK_NS_PER_S /* so that a tick is a nanosecond */
#define WM_INPUT 0x00ff
#define WM_KEYDOWN 0x0100
#define WM_CHAR 0x0102
#define WM_PAINT 0x000f
#define WM_FIRST 0x0401 /* of the posted messages, one for each work of a script */
#define WINDOW 0x77
#define MESSAGE_CLOCK_US 15625 /* the clock of message times goes in such steps */
#define BEAT_NS (15 * US)      /* what the sink does with a beat */
#define KEY_NS (100 * US)
#define PAINT_NS (300 * US)
#define WAIT_NS (20 * US) /* how long a handler runs before it waits */
#define BEAT_SLOTS 512
#define UI_SLOTS_MOST 4096
#define PIPE_FRAMES 4096
#define COMMANDS 64
#define ITEMS 1024

#define BIT(kind) (1u << (kind))

/* What stops each of the model's threads. */
enum {
    STOPS_MACHINE = BIT(SCRIPT_ASLEEP),
    STOPS_TARGET = STOPS_MACHINE | BIT(SCRIPT_SUSPENDED) | BIT(SCRIPT_KILLED),
    STOPS_WORKER = STOPS_TARGET | BIT(SCRIPT_WORKER_HELD_UP),
    STOPS_HEARTBEAT = STOPS_TARGET | BIT(SCRIPT_HEARTBEAT_HELD_UP),
    STOPS_MONITOR = STOPS_MACHINE | BIT(SCRIPT_MONITOR_HELD_UP)
};

/* What waits in the thread's queue, in the order in which the system hands it out. */
enum item_kind { ITEM_SENT, ITEM_POSTED, ITEM_CHARACTER, ITEM_BEAT, ITEM_KEY, ITEM_PAINT };

struct item {
    enum item_kind kind;
    uint64_t at_ns;
    uint64_t length_ns;
    size_t which; /* the work, the beat, or the key of the trace */
    uint32_t count;
    uint32_t message;
    bool waits;
};

struct piped {
    struct um_wire_frame frame;
    uint64_t at_ns;
};

struct sighting {
    uint64_t time_ns;
    uint32_t seq;
};

struct um_frame_source {
    struct model *model;
};

struct um_control {
    struct model *model;
};

struct model {
    const struct script *script;
    struct model_trace *trace;
    uint64_t now_ns;
    uint64_t draws;

    /* the UI thread */
    struct item items[ITEMS];
    size_t item_count;
    uint64_t free_ns;       /* when it has done its present work */
    uint64_t ran_ns;        /* on the processor, in all work but the last */
    struct model_span runs; /* the last work, if that needs the processor */
    size_t handling;        /* a key of the trace + 1 that is handled by the next retrieval */
    size_t painting_from;   /* keys from here on are not painted yet */
    bool painting;          /* a WM_PAINT was retrieved last */
    bool paint_is_due;
    uint32_t work, work_answered;

    /* the DLL */
    struct um_ring ui_ring, beat_ring;
    struct um_ring_slot ui_slots[UI_SLOTS_MOST], beat_slots[BEAT_SLOTS];
    uint64_t heartbeat_ns; /* when it runs next */
    uint64_t due_ns;
    struct um_pace pace;
    uint32_t outstanding; /* the number of a beat; 0: none */
    uint32_t seen_work;
    enum um_probe_status said_status;
    uint64_t worker_ns;
    bool worker_rests;
    bool found;
    uint64_t drained_ns;
    uint64_t lost;
    bool is_paused;
    uint64_t period_ns, rest_ns, spare_ns, full_until_ns;
    struct um_wire_frame commands[COMMANDS];
    size_t command_count;
    bool probes;

    /* the pipe and the control */
    struct piped *pipe;
    size_t pipe_from, pipe_to;
    struct sighting sightings[MODEL_BEATS];
    size_t sighting_from, sighting_to;
    size_t key_from;

    /* the monitor */
    uint64_t monitor_ns;
    struct um_options options;
    struct um_driver driver;
    struct um_frame_source source;
    struct um_control control;
};

struct model_span model_fault(const struct script_fault *fault)
{
    uint64_t from_ns = MODEL_START_NS + fault->at_us * US;
    return (struct model_span){from_ns, from_ns + fault->length_us * US};
}

/* Time ----------------------------------------------------------------------------------------- */

/* The first moment from `time_ns` on at which none of these faults stops a thread. */
static uint64_t may_run(const struct model *model, unsigned stops, uint64_t time_ns)
{
    for (size_t i = 0; time_ns != NEVER && i < model->script->fault_count; i++) {
        const struct script_fault *fault = &model->script->faults[i];
        struct model_span span = model_fault(fault);
        if (!(stops & BIT(fault->kind)) || time_ns < span.from_ns)
            continue;
        if (fault->kind == SCRIPT_KILLED)
            return NEVER;
        if (time_ns < span.to_ns) {
            time_ns = span.to_ns;
            i = SIZE_MAX; /* another one may stop it then */
        }
    }
    return time_ns;
}

/* The next moment after `time_ns` at which one of these faults stops a thread. */
static uint64_t next_stop(const struct model *model, unsigned stops, uint64_t time_ns)
{
    uint64_t next_ns = NEVER;
    for (size_t i = 0; i < model->script->fault_count; i++) {
        struct model_span span = model_fault(&model->script->faults[i]);
        if ((stops & BIT(model->script->faults[i].kind)) && span.from_ns > time_ns)
            next_ns = um_ns_min(next_ns, span.from_ns);
    }
    return next_ns;
}

/* When a thread that begins now has run for so long. */
static uint64_t run_for(const struct model *model, unsigned stops, uint64_t from_ns,
                        uint64_t length_ns)
{
    for (;;) {
        uint64_t stop_ns = next_stop(model, stops, from_ns);
        if (length_ns <= stop_ns - from_ns)
            return from_ns + length_ns;
        length_ns -= stop_ns - from_ns;
        from_ns = may_run(model, stops, stop_ns);
        if (from_ns == NEVER)
            return NEVER;
    }
}

/* A small delay that differs each time. */
static uint64_t draw_us(struct model *model, uint32_t least, uint32_t most)
{
    return (least + script_draw(&model->draws, most - least)) * US;
}

/* The queue ------------------------------------------------------------------------------------ */

static void put(struct model *model, struct item item)
{
    cr_assert_lt(model->item_count, ITEMS);
    model->items[model->item_count++] = item;
}

static void take_out(struct model *model, size_t i)
{
    model->item_count--;
    memmove(&model->items[i], &model->items[i + 1],
            (model->item_count - i) * sizeof model->items[0]);
}

static int rank_of(enum item_kind kind)
{
    static const int ranks[] = {[ITEM_SENT] = 0, [ITEM_POSTED] = 1, [ITEM_CHARACTER] = 1,
                                [ITEM_BEAT] = 2, [ITEM_KEY] = 2,    [ITEM_PAINT] = 3};
    return ranks[kind];
}

/* When the thread takes the next item. */
static uint64_t ui_ns(const struct model *model)
{
    uint64_t at_ns = NEVER;
    for (size_t i = 0; i < model->item_count; i++)
        at_ns = um_ns_min(at_ns, model->items[i].at_ns);
    if (at_ns == NEVER || model->free_ns == NEVER)
        return NEVER;
    return may_run(model, STOPS_TARGET, um_ns_max(at_ns, model->free_ns));
}

/* The item that the system hands out now. */
static size_t next_item(const struct model *model)
{
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < model->item_count; i++) {
        const struct item *item = &model->items[i];
        const struct item *other = best == SIZE_MAX ? NULL : &model->items[best];
        if (item->at_ns > model->now_ns)
            continue;
        if (!other || rank_of(item->kind) < rank_of(other->kind) ||
            (rank_of(item->kind) == rank_of(other->kind) && item->at_ns < other->at_ns))
            best = i;
    }
    return best;
}

/* The UI thread -------------------------------------------------------------------------------- */

static uint32_t message_ms(uint64_t time_ns)
{
    return (uint32_t)(time_ns / (MESSAGE_CLOCK_US * US) * MESSAGE_CLOCK_US / 1000);
}

/* The DLL's hook notes a retrieval. The first one after a message shows that it was handled. */
static void note_retrieval(struct model *model, struct um_wire_taken taken, uint8_t flags)
{
    struct model_trace *trace = model->trace;
    struct um_ring_record record = um_record_taken(model->now_ns, flags, &taken);
    if (!model->script->pings) {
        um_ring_push(&model->ui_ring, &record);
        model->work += !(flags & UM_WIRE_TAKEN_OURS);
    }
    if (model->painting)
        for (; model->painting_from < trace->key_count; model->painting_from++) {
            struct model_key *key = &trace->keys[model->painting_from];
            if (!key->handled_ns)
                break;
            key->painted_ns = model->now_ns;
        }
    model->painting = false;
    if (model->handling)
        trace->keys[model->handling - 1].handled_ns = model->now_ns;
    model->handling = 0;
}

static void work_for(struct model *model, uint64_t length_ns, uint64_t hwnd, uint32_t message,
                     bool ours, bool waits)
{
    struct model_trace *trace = model->trace;
    cr_assert_lt(trace->busy_count, MODEL_BUSY);
    model->free_ns = run_for(model, STOPS_TARGET, model->now_ns, length_ns);
    trace->busy[trace->busy_count++] =
        (struct model_busy){model->now_ns, model->free_ns, hwnd, message, ours};
    model->ran_ns += model->runs.to_ns - model->runs.from_ns;
    model->runs.from_ns = model->now_ns;
    model->runs.to_ns = waits ? um_ns_min(model->now_ns + WAIT_NS, model->free_ns) : model->free_ns;
}

static void take_beat(struct model *model, const struct item *item)
{
    struct model_beat *beat = &model->trace->beats[item->which];
    uint32_t seq = (uint32_t)item->which + 1;
    struct um_wire_taken taken = {
        .hwnd = WINDOW + 1, .message = WM_INPUT, .age_ms = UM_WIRE_AGE_UNKNOWN};

    note_retrieval(model, taken, UM_WIRE_TAKEN_OURS);
    work_for(model, BEAT_NS, 0, 0, true, false);
    beat->given_up = model->outstanding != seq;
    if (beat->given_up)
        return;
    beat->taken_ns = model->now_ns;
    struct um_ring_record record =
        um_record_seen(model->now_ns, model->script->pings ? 0 : UM_WIRE_SEEN_RAW, seq);
    model->work_answered = model->work;
    model->outstanding = 0;
    um_ring_push(&model->ui_ring, &record);
}

static void take_key(struct model *model, const struct item *item)
{
    struct model_key *key = &model->trace->keys[item->which];
    struct um_wire_taken taken = {.hwnd = WINDOW, .message = WM_KEYDOWN};
    taken.own_ms = message_ms(key->arrival_ns);
    taken.age_ms = message_ms(model->now_ns) - taken.own_ms;
    key->dequeued_ns = model->now_ns;
    note_retrieval(model, taken, UM_WIRE_TAKEN_INPUT | UM_WIRE_TAKEN_STARTS);
    work_for(model, KEY_NS, WINDOW, WM_KEYDOWN, false, false);
    put(model, (struct item){.kind = ITEM_CHARACTER,
                             .at_ns = model->now_ns,
                             .length_ns = key->length_ns,
                             .which = item->which,
                             .waits = key->waits});
}

static void take_other(struct model *model, const struct item *item, uint32_t message,
                       uint8_t flags)
{
    struct um_wire_taken taken = {
        .hwnd = WINDOW, .message = message, .age_ms = UM_WIRE_AGE_UNKNOWN};
    note_retrieval(model, taken, flags);
    work_for(model, item->length_ns, WINDOW, message, false, item->waits);
}

static void run_ui(struct model *model)
{
    size_t i = next_item(model);
    struct item item = model->items[i];
    if (item.count > 1)
        model->items[i].count--;
    else
        take_out(model, i);
    switch (item.kind) {
    case ITEM_SENT:
        work_for(model, item.length_ns, 0, 0, false, item.waits);
        break;
    case ITEM_POSTED:
        take_other(model, &item, item.message, 0);
        break;
    case ITEM_CHARACTER:
        take_other(model, &item, WM_CHAR, 0);
        model->handling = item.which + 1;
        if (!model->paint_is_due)
            put(model,
                (struct item){.kind = ITEM_PAINT, .at_ns = model->free_ns, .length_ns = PAINT_NS});
        model->paint_is_due = true;
        break;
    case ITEM_BEAT:
        take_beat(model, &item);
        break;
    case ITEM_KEY:
        take_key(model, &item);
        break;
    case ITEM_PAINT:
        take_other(model, &item, WM_PAINT, UM_WIRE_TAKEN_PAINT);
        model->painting = true;
        model->paint_is_due = false;
        break;
    }
}

/* How long the thread has run, as the system counts it. */
static uint64_t cycles(const struct model *model)
{
    uint64_t ran_ns = model->ran_ns + 1000;
    uint64_t until_ns = um_ns_min(model->runs.to_ns, model->now_ns);
    if (!model->script->has_cycles)
        return 0;
    ran_ns += um_ns_elapsed(model->runs.from_ns, until_ns);
    if (model->now_ns < model->runs.to_ns) /* it runs: the count is of the last clock interrupt */
        ran_ns -=
            um_ns_min(model->now_ns % (MESSAGE_CLOCK_US * US), until_ns - model->runs.from_ns);
    return ran_ns;
}

/* The DLL -------------------------------------------------------------------------------------- */

static void wake_worker(struct model *model)
{
    if (model->worker_rests)
        model->worker_ns =
            um_ns_min(model->worker_ns,
                      may_run(model, STOPS_WORKER, model->now_ns + draw_us(model, 10, 150)));
    model->worker_rests = false;
}

static void push_probe(struct model *model, enum um_probe_status status)
{
    struct model_trace *trace = model->trace;
    enum um_probe probe = model->script->pings ? UM_PROBE_PING : UM_PROBE_RAW;
    struct um_ring_record record =
        um_record_probe(model->now_ns, probe, status, UM_PROBE_REASON_ASKED, UM_PROBE_HELD_NOT, 0);
    um_ring_push(&model->beat_ring, &record);
    if (status == UM_PROBE_PAUSED) {
        cr_assert_lt(trace->pause_count, MODEL_PAUSES);
        trace->pauses[trace->pause_count++] = (struct model_span){model->now_ns, NEVER};
    } else if (model->said_status == UM_PROBE_PAUSED && trace->pause_count > 0) {
        trace->pauses[trace->pause_count - 1].to_ns = model->now_ns;
    }
    model->said_status = status;
}

static struct um_pace_look look_at_thread(const struct model *model)
{
    return (struct um_pace_look){.now = model->now_ns,
                                 .period = model->period_ns,
                                 .rest = um_ns_max(model->rest_ns, model->spare_ns),
                                 .full_until = model->full_until_ns,
                                 .cycles = cycles(model),
                                 .ticks_per_s = TICKS_PER_S,
                                 .waits = model->outstanding != 0,
                                 .worked = model->work != model->work_answered,
                                 .sparing = model->spare_ns != 0};
}

/* The script's fault of this kind for the beat that is sent now; NULL: there is none. */
static const struct script_fault *beat_fault(const struct model *model, enum script_fault_kind kind)
{
    const struct model_trace *trace = model->trace;
    uint64_t before_ns = trace->beat_count > 1 ? trace->beats[trace->beat_count - 2].sent_ns : 0;
    for (size_t i = 0; i < model->script->fault_count; i++) {
        uint64_t at_ns = model_fault(&model->script->faults[i]).from_ns;
        if (model->script->faults[i].kind == kind && at_ns > before_ns && at_ns <= model->now_ns)
            return &model->script->faults[i];
    }
    return NULL;
}

static void send_beat(struct model *model)
{
    struct model_trace *trace = model->trace;
    cr_assert_lt(trace->beat_count, MODEL_BEATS);
    uint32_t seq = (uint32_t)++trace->beat_count;
    struct model_beat *beat = &trace->beats[seq - 1];
    struct um_wire_sent sent = {.seq = seq,
                                .skipped = model->pace.skipped,
                                .beat_kind = UM_BEAT_KIND_STILL,
                                .left_out = (uint8_t)model->pace.left_out};
    struct um_ring_record record = um_record_sent(model->now_ns, model->pace.rested, &sent);

    *beat = (struct model_beat){.sent_ns = model->now_ns,
                                .rested_ns = model->pace.rested,
                                .rested = sent.skipped != 0,
                                .left_out = sent.left_out != 0};
    model->outstanding = seq;
    um_ring_push(&model->beat_ring, &record);
    um_pace_sent(&model->pace, model->now_ns);
    wake_worker(model);
    const struct script_fault *late = beat_fault(model, SCRIPT_BEAT_LATE);
    uint64_t late_ns = late ? late->length_us * US : 0;
    if (beat_fault(model, SCRIPT_BEAT_LOST))
        return;
    beat->delivered_ns = may_run(
        model, STOPS_MACHINE, model->now_ns + late_ns + draw_us(model, 50, MODEL_DELIVERY_NS / US));
    put(model, (struct item){.kind = ITEM_BEAT, .at_ns = beat->delivered_ns, .which = seq - 1});
    model->sightings[model->sighting_to++] =
        (struct sighting){beat->delivered_ns + MODEL_CONTROL_NS, seq};
}

/* As wait_for_next in hooks/heartbeat_win32.c. */
static void wait_for_next(struct model *model, uint64_t apart_ns)
{
    model->due_ns += apart_ns;
    if (model->due_ns <= model->now_ns || model->due_ns > model->now_ns + apart_ns)
        model->due_ns = model->now_ns + apart_ns;
    model->heartbeat_ns = may_run(model, STOPS_HEARTBEAT, model->due_ns + draw_us(model, 0, 300));
}

static void run_heartbeat(struct model *model)
{
    struct um_pace_look look = look_at_thread(model);
    enum um_probe_status status = model->said_status;
    if (!model->outstanding) {
        status = model->is_paused ? UM_PROBE_PAUSED : UM_PROBE_ACTIVE;
        if (status == UM_PROBE_ACTIVE &&
            (status != model->said_status || um_pace_is_due(&model->pace, &look)))
            send_beat(model);
    }
    if (status != model->said_status)
        push_probe(model, status);
    if (model->work != model->seen_work)
        wake_worker(model);
    model->seen_work = model->work;
    if (model->said_status == UM_PROBE_PAUSED && model->is_paused) {
        model->heartbeat_ns = NEVER; /* until it is woken */
        return;
    }
    look = look_at_thread(model);
    wait_for_next(model, um_pace_next(&model->pace, &look));
}

static void write_frame(struct model *model, const struct um_wire_frame *frame)
{
    struct model_trace *trace = model->trace;
    cr_assert_lt(model->pipe_to, PIPE_FRAMES);
    cr_assert_lt(trace->sign_count, MODEL_SIGNS);
    struct piped *piped = &model->pipe[model->pipe_to++];
    *piped = (struct piped){*frame, model->now_ns};
    if (model->script->later_dll && frame->type == UM_WIRE_SENT)
        piped->frame.as.sent.beat_kind = UM_WIRE_UNKNOWN;
    if (model->script->later_dll && frame->type == UM_WIRE_PROBE)
        piped->frame.as.probe.probe = piped->frame.as.probe.reason = piped->frame.as.probe.held =
            UM_WIRE_UNKNOWN;
    trace->signs[trace->sign_count++] = um_wire_time_of(frame);
}

static void write_drained(struct model *model, uint64_t time_ns)
{
    struct um_wire_frame frame = {
        .type = UM_WIRE_DRAINED,
        .as.drained = {time_ns, model->ui_ring.lost + model->beat_ring.lost}};
    write_frame(model, &frame);
    model->drained_ns = time_ns;
}

/* The records that are missing lie between the last one that was sent and the first one now. */
static void note_loss(struct model *model, uint64_t until_ns)
{
    struct model_trace *trace = model->trace;
    cr_assert_lt(trace->loss_count, MODEL_LOSSES);
    trace->losses[trace->loss_count++] = (struct model_span){model->drained_ns, until_ns};
}

/* As send_batch in hooks/worker_win32.c. */
static bool send_batch(struct model *model)
{
    static struct um_ring_record ui[UI_SLOTS_MOST], beats[BEAT_SLOTS];
    uint64_t lost = model->ui_ring.lost + model->beat_ring.lost;
    struct um_wire_frame frame = {0};
    size_t uis = 0, beat_count = 0;

    while (uis < UI_SLOTS_MOST && um_ring_pop(&model->ui_ring, &ui[uis]))
        uis++;
    while (beat_count < BEAT_SLOTS && um_ring_pop(&model->beat_ring, &beats[beat_count]))
        beat_count++;
    if (model->ui_ring.lost + model->beat_ring.lost != lost) {
        note_loss(model, uis > 0 ? um_record_ticks(&ui[0]) : model->now_ns);
        write_drained(model, model->drained_ns);
    }
    for (size_t u = 0, b = 0; u < uis || b < beat_count;) {
        bool beat_next =
            u == uis || (b < beat_count && um_record_ticks(&beats[b]) <= um_record_ticks(&ui[u]));
        um_record_unpack(beat_next ? &beats[b++] : &ui[u++], TICKS_PER_S, &frame);
        write_frame(model, &frame);
    }
    return uis + beat_count > 0;
}

static void obey(struct model *model, const struct um_wire_frame *command)
{
    uint32_t value = command->as.command.value;
    switch (command->type) {
    case UM_WIRE_PERIOD:
        model->period_ns = value * US;
        break;
    case UM_WIRE_REST_PERIOD:
        model->rest_ns = value * US;
        break;
    case UM_WIRE_SPARE:
        model->spare_ns = value * US;
        break;
    case UM_WIRE_FULL_RATE:
        model->full_until_ns = model->now_ns + value * MS;
        break;
    case UM_WIRE_PAUSE:
        model->is_paused = value != 0;
        if (model->probes)
            model->heartbeat_ns =
                um_ns_min(model->heartbeat_ns,
                          may_run(model, STOPS_HEARTBEAT, model->now_ns + draw_us(model, 10, 100)));
        break;
    case UM_WIRE_ABANDON:
        if (model->outstanding == value)
            model->outstanding = 0;
        break;
    case UM_WIRE_USE_PROBE:
        push_probe(model, UM_PROBE_ACTIVE);
        model->probes = true;
        model->due_ns = model->now_ns;
        model->heartbeat_ns =
            may_run(model, STOPS_HEARTBEAT, model->now_ns + draw_us(model, 100, 400));
        break;
    default:
        break;
    }
}

/* As one round of the worker in hooks/worker_win32.c. */
static void run_worker(struct model *model)
{
    for (size_t i = 0; i < model->command_count; i++)
        obey(model, &model->commands[i]);
    model->command_count = 0;
    model->found = send_batch(model);
    if (model->found || model->outstanding ||
        um_poll_drained_is_due(model->now_ns, model->drained_ns))
        write_drained(model, model->now_ns);
    struct um_poll_look look = {.now = model->now_ns,
                                .drained = model->drained_ns,
                                .paused = model->is_paused,
                                .beat_out = model->outstanding != 0,
                                .found = model->found,
                                .guarded = !model->is_paused};
    model->worker_rests = um_poll_rests(&look);
    model->worker_ns =
        may_run(model, STOPS_WORKER, model->now_ns + um_poll_wait(&look) + draw_us(model, 0, 200));
}

/* What the monitor sees of all this ------------------------------------------------------------ */

static enum um_status source_next(struct um_frame_source *source, struct um_wire_frame *frame)
{
    struct model *model = source->model;
    if (model->pipe_from == model->pipe_to) {
        model->pipe_from = model->pipe_to = 0;
        return UM_ERR_PARTIAL;
    }
    *frame = model->pipe[model->pipe_from++].frame;
    if (frame->type == UM_WIRE_DRAINED)
        model->trace->drained_ns = frame->as.drained.time_ns;
    return UM_OK;
}

static bool control_pop(struct um_control *control, uint32_t *seq, uint64_t *time_ns)
{
    struct model *model = control->model;
    struct sighting *next = NULL; /* the earliest; a late beat is behind others */
    for (size_t i = model->sighting_from; i < model->sighting_to; i++)
        if (model->sightings[i].seq && (!next || model->sightings[i].time_ns < next->time_ns))
            next = &model->sightings[i];
    if (!next || next->time_ns > model->now_ns + MODEL_AHEAD_NS)
        return false;
    *seq = next->seq;
    *time_ns = next->time_ns;
    next->seq = 0;
    while (model->sighting_from < model->sighting_to && !model->sightings[model->sighting_from].seq)
        model->sighting_from++;
    return true;
}

static bool control_pop_arrival(struct um_control *control, struct um_arrival *arrival)
{
    struct model *model = control->model;
    const struct model_key *key = &model->trace->keys[model->key_from];
    if (model->key_from == model->trace->key_count ||
        key->arrival_ns > model->now_ns + MODEL_AHEAD_NS)
        return false;
    model->key_from++;
    *arrival = (struct um_arrival){.time_ns = key->arrival_ns,
                                   .own_ms = message_ms(key->arrival_ns),
                                   .kind = UM_INTERACTION_KEY};
    return true;
}

static uint64_t control_lost(const struct um_control *control)
{
    (void)control;
    return 0;
}

static uint64_t control_last_input_ns(const struct um_control *control)
{
    const struct model *model = control->model;
    uint64_t last_ns = 0;
    for (size_t i = 0; i < model->trace->key_count; i++)
        if (model->trace->keys[i].arrival_ns <= model->now_ns)
            last_ns = um_ns_max(last_ns, model->trace->keys[i].arrival_ns);
    return last_ns;
}

static const struct um_frame_source_backend source_backend = {.next = source_next};
static const struct um_control_backend control_backend = {.pop = control_pop,
                                                          .tells_arrivals = true,
                                                          .pop_arrival = control_pop_arrival,
                                                          .lost = control_lost,
                                                          .last_input_ns = control_last_input_ns};

static void take_command(void *context, const struct um_wire_frame *command)
{
    struct model *model = context;
    cr_assert_lt(model->command_count, COMMANDS);
    model->commands[model->command_count++] = *command;
    model->worker_ns = um_ns_min(
        model->worker_ns, may_run(model, STOPS_WORKER, model->now_ns + draw_us(model, 10, 150)));
}

static bool window_class(void *context, uint64_t hwnd, char *buf, size_t cap_bytes)
{
    (void)context;
    um_text_set(buf, cap_bytes, hwnd == WINDOW ? "Edit" : "");
    return hwnd == WINDOW;
}

static bool message_name(void *context, uint32_t message, char *buf, size_t cap_bytes)
{
    (void)context;
    (void)message;
    (void)buf;
    (void)cap_bytes;
    return false;
}

static void take_said(void *context, struct um_feed_item *item)
{
    struct model *model = context;
    struct model_trace *trace = model->trace;
    cr_assert_lt(trace->said_count, MODEL_SAID);
    trace->said[trace->said_count++] = (struct model_said){*item->frame, model->now_ns};
    if (item->frame->type == UM_WIRE_TOTALS) {
        trace->totals = item->frame->as.totals;
        trace->has_totals = true;
    }
}

/* The whole of it ------------------------------------------------------------------------------ */

static void open_session(struct model *model)
{
    const struct script *script = model->script;
    struct um_target_info target = {.pid = 7, .tid = 8, .hwnd = WINDOW, .bits = 64};
    struct um_wire_hello hello = {.pid = 7, .tid = 8, .time_ns = MODEL_START_NS};
    struct um_session_config config = {.options = &model->options,
                                       .outputs = {{.context = model, .take = take_said}},
                                       .output_count = 1,
                                       .control = !script->pings,
                                       .arrivals = !script->pings,
                                       .context = model,
                                       .command = take_command,
                                       .window_class = window_class,
                                       .message_name = message_name};
    model->options = (struct um_options){.threshold_ms = script->threshold_ms,
                                         .slow_ms = script->slow_ms,
                                         .heartbeat_ms = 10,
                                         .rest_heartbeat_ms = script->rest_ms,
                                         .interactions = !script->pings,
                                         .idle_pause_s = script->idle_pause_ms / 1e3,
                                         .threadpool_starved_ms = 100,
                                         .beat_kind = UM_BEAT_KIND_STILL,
                                         .probe = UM_PROBE_RAW};
    model->source.model = model;
    model->control.model = model;
    model->driver = (struct um_driver){.frames = &source_backend,
                                       .controls = &control_backend,
                                       .control = script->pings ? NULL : &model->control};
    cr_assert_eq(um_session_open(&config, MODEL_START_NS, &model->driver.session), UM_OK);
    um_session_target(model->driver.session, &target);
    um_driver_attached(&model->driver, &model->source, &hello, MODEL_START_NS);
}

/* Keys are kept in the order in which they arrive. A sleeping machine gets none before it is awake
 * and has delivered what was on its way. */
static void add_key(struct model *model, const struct script_work *work)
{
    struct model_trace *trace = model->trace;
    uint64_t at_ns = MODEL_START_NS + work->at_us * US;
    uint64_t awake_ns = may_run(model, STOPS_MACHINE, at_ns);
    struct model_key key = {.arrival_ns = awake_ns > at_ns ? awake_ns + 2 * MS : at_ns,
                            .length_ns = work->length_us * US,
                            .waits = work->waits};
    size_t place = trace->key_count++;
    cr_assert_lt(place, MODEL_KEYS);
    for (; place > 0 && trace->keys[place - 1].arrival_ns > key.arrival_ns; place--)
        trace->keys[place] = trace->keys[place - 1];
    trace->keys[place] = key;
}

static void read_script(struct model *model)
{
    struct model_trace *trace = model->trace;
    for (size_t i = 0; i < model->script->work_count; i++) {
        const struct script_work *work = &model->script->works[i];
        uint64_t at_ns = MODEL_START_NS + work->at_us * US;
        struct item item = {.kind = work->kind == SCRIPT_SEND ? ITEM_SENT : ITEM_POSTED,
                            .at_ns = at_ns,
                            .length_ns = work->length_us * US,
                            .count = work->count,
                            .message = WM_FIRST + (uint32_t)i,
                            .waits = work->waits};
        if (work->kind != SCRIPT_KEY)
            put(model, item);
    }
    for (size_t i = 0; i < model->script->work_count; i++)
        if (model->script->works[i].kind == SCRIPT_KEY)
            add_key(model, &model->script->works[i]);
    for (size_t i = 0; i < trace->key_count; i++)
        put(model, (struct item){.kind = ITEM_KEY, .at_ns = trace->keys[i].arrival_ns, .which = i});
}

/* When the monitor wakes: at a deadline of the session's, or because frames have come. */
static uint64_t monitor_ns(struct model *model)
{
    uint64_t at_ns = model->monitor_ns;
    if (model->pipe_from < model->pipe_to)
        at_ns = um_ns_min(at_ns, model->pipe[model->pipe_from].at_ns + 40 * US);
    if (model->trace->gone_ns)
        at_ns = um_ns_min(at_ns, model->trace->gone_ns + 60 * US);
    return may_run(model, STOPS_MONITOR, um_ns_max(at_ns, model->now_ns));
}

static void run_monitor(struct model *model)
{
    cr_assert(um_driver_turn(&model->driver, model->now_ns));
    uint64_t deadline_ns = um_session_deadline(model->driver.session, model->now_ns);
    model->monitor_ns = model->now_ns + (deadline_ns - model->now_ns + MS - 1) / MS * MS;
}

static void end_session(struct model *model)
{
    struct um_session *session = model->driver.session;
    run_monitor(model); /* as watch.c does, which looks at --duration and at Ctrl+C after a turn */
    um_driver_take_control(&model->driver);
    if (model->trace->gone_ns && model->trace->gone_ns <= model->now_ns) {
        um_driver_detached(&model->driver, model->now_ns);
        um_session_halt(session, model->now_ns);
        um_session_stop(session, model->now_ns, UM_END_TARGET_GONE);
    } else {
        um_session_halt(session, model->now_ns);
        um_driver_detached(&model->driver, model->now_ns);
        um_session_stop(session, model->now_ns, UM_END_STOPPED);
    }
    model->trace->end_ns = model->now_ns;
    um_session_close(session);
}

/* Runs whoever is next. False: the session is over. */
static bool step(struct model *model, uint64_t until_ns)
{
    uint64_t ui = ui_ns(model);
    uint64_t monitor = monitor_ns(model);
    uint64_t next_ns =
        um_ns_min(um_ns_min(ui, model->heartbeat_ns), um_ns_min(model->worker_ns, monitor));
    bool is_gone = model->trace->gone_ns && model->pipe_from == model->pipe_to &&
                   monitor >= model->trace->gone_ns && monitor == next_ns;
    if (next_ns >= until_ns || is_gone) {
        model->now_ns = um_ns_min(next_ns, until_ns);
        return false;
    }
    model->now_ns = next_ns;
    if (next_ns == model->heartbeat_ns)
        run_heartbeat(model);
    else if (next_ns == ui)
        run_ui(model);
    else if (next_ns == model->worker_ns)
        run_worker(model);
    else
        run_monitor(model);
    return true;
}

const struct model_trace *model_run(const struct script *script)
{
    static struct model_trace trace;
    static struct piped pipe[PIPE_FRAMES];
    static struct model at_work;
    struct model *model = &at_work;
    uint64_t until_ns = MODEL_START_NS + script->until_us * US;

    memset(&trace, 0, offsetof(struct model_trace, beats));
    memset(model, 0, sizeof *model);
    model->pipe = pipe;
    model->script = script;
    model->trace = &trace;
    model->now_ns = MODEL_START_NS;
    model->draws = script->seed;
    model->drained_ns = MODEL_START_NS;
    model->heartbeat_ns = NEVER;
    model->worker_ns = MODEL_START_NS + 100 * US;
    model->monitor_ns = MODEL_START_NS;
    um_ring_init(&model->ui_ring, model->ui_slots, script->ring_slots);
    um_ring_init(&model->beat_ring, model->beat_slots, BEAT_SLOTS);
    for (size_t i = 0; i < script->fault_count; i++)
        if (script->faults[i].kind == SCRIPT_KILLED &&
            (!trace.gone_ns || model_fault(&script->faults[i]).from_ns < trace.gone_ns))
            trace.gone_ns = model_fault(&script->faults[i]).from_ns;
    until_ns = may_run(model, STOPS_MONITOR, until_ns);
    read_script(model);
    open_session(model);
    while (step(model, until_ns))
        ;
    end_session(model);
    return &trace;
}
