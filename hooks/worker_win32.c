/* The worker thread: connects to the monitor, sends what the rings hold, and carries out commands.
 * When the monitor says STOP or is gone, it takes everything out of the target again. It never
 * waits for the UI thread, so that this works in the middle of a freeze too. */
#include "hooks/hook_win32.h"
#include "hooks/poll.h"
#include "hooks/record.h"
#include "ipc/bootstrap.h"
#include "base/plain/clock.h"
#include "ipc/frame_reader.h"
#include "ipc/pipe_win32.h"
#include "base/plain/tag.h"
#include "base/plain/throttle_win32.h"
#include "base/plain/timer_win32.h"

/* A question about code is often followed by another one, so the worker polls faster for so
 * long. */
#define ASKED_NS (50 * UM_CLOCK_NS_PER_MS)
#define CHECK_NS (250 * UM_CLOCK_NS_PER_MS)     /* of the raw registration; COST too */
#define SUSPICIOUS_NS (20 * UM_CLOCK_NS_PER_MS) /* a beat so old is another reason to check it */
#define COUNTED_NS (100 * UM_CLOCK_NS_PER_MS)
#define TRACE_NS (500 * UM_CLOCK_NS_PER_MS) /* how often what was traced is sent */
#define WRITE_TIMEOUT_MS 500
#define UI_BATCH 512

struct worker {
    struct um_pipe pipe;      /* the hook pipe */
    int failed;               /* a write has failed: nothing more is written */
    uint32_t wants_pool;      /* the thread pool is to be measured, unless beats are paused */
    uint64_t next_counted_ns; /* 0: COUNTED is not asked for */
    uint64_t drained_ns;
    int found;                  /* the last look has found records */
    int found_marks;            /* ... and markers of the program's own */
    int claimed;                /* the last look has found a thread that the monitor claims */
    uint64_t asked_ns;          /* when the last question about code came */
    uint64_t helpers_before_ns; /* helpers_cpu_ns, of earlier attachments */
    struct um_frame_reader commands;
    uint8_t command_bytes[UM_WIRE_MAX_BYTES]; /* of that reader */
    size_t out_len;
    uint8_t out[32 * 1024]; /* frames that were not written yet */
    struct um_ring_record ui[UI_BATCH];
    struct um_ring_record beats[UM_HOOK_BEAT_SLOTS];
};

static struct worker worker; /* too large for a stack; there is one worker at a time */

/* Whether more questions about code are likely. */
static int was_asked(uint64_t now_ns)
{
    return worker.asked_ns != 0 && now_ns < worker.asked_ns + ASKED_NS;
}

/* Writes what was put. A write that failed may have sent a part of a frame, so nothing may follow
 * it. Returns 0 then. */
static int flush(void)
{
    size_t len = worker.out_len;
    worker.out_len = 0;
    if (!worker.failed && len > 0)
        worker.failed = um_pipe_write(&worker.pipe, worker.out, len, WRITE_TIMEOUT_MS) != UM_OK;
    return !worker.failed;
}

/* Adds a frame to what is to be written; 0 if there was no room and the pipe has failed. */
static int put(const struct um_wire_frame *frame)
{
    size_t len;
    if (sizeof worker.out - worker.out_len < UM_WIRE_MAX_BYTES && !flush())
        return 0;
    if (um_wire_encode(frame, worker.out + worker.out_len, sizeof worker.out - worker.out_len,
                       &len) != UM_OK)
        return 1;
    worker.out_len += len;
    return 1;
}

static int put_record(const struct um_ring_record *record)
{
    struct um_wire_frame frame;
    um_record_unpack(record, um_hook.ticks_per_s, &frame);
    return put(&frame);
}

static uint64_t lost_records(void)
{
    return um_hook.ui_ring.lost + um_hook.beat_ring.lost;
}

static int put_drained(uint64_t time_ns)
{
    struct um_wire_frame drained = {.type = UM_WIRE_DRAINED};
    drained.as.drained.time_ns = time_ns;
    drained.as.drained.lost = lost_records();
    worker.drained_ns = time_ns;
    return put(&drained);
}

/* Puts up to a batch of both rings' records in the order of their times; `*ui_count` and `*count`
 * get how many of the UI ring and of both. The UI ring is emptied first: since the SENT of a beat
 * is recorded before its SEEN, it is then surely in the same batch. A loss is reported before the
 * records that follow it. */
static int send_batch(uint32_t *ui_count, uint32_t *count)
{
    uint64_t lost = lost_records();
    uint32_t uis = 0;
    uint32_t beats = 0;

    while (uis < UI_BATCH && um_ring_pop(&um_hook.ui_ring, &worker.ui[uis]))
        uis++;
    while (beats < UM_HOOK_BEAT_SLOTS && um_ring_pop(&um_hook.beat_ring, &worker.beats[beats]))
        beats++;
    if (lost_records() != lost && !put_drained(worker.drained_ns))
        return 0;
    for (uint32_t u = 0, b = 0; u < uis || b < beats;) {
        int beat_next = u == uis || (b < beats && um_record_ticks(&worker.beats[b]) <=
                                                      um_record_ticks(&worker.ui[u]));
        if (!put_record(beat_next ? &worker.beats[b++] : &worker.ui[u++]))
            return 0;
    }
    *ui_count = uis;
    *count = uis + beats;
    return 1;
}

/* Sends what the rings hold and then a DRAINED. Sends nothing if nothing has happened and the last
 * DRAINED is recent, unless the monitor waits for an answer: a DRAINED wakes it for its next
 * question. */
static int send_records(void)
{
    uint64_t now_ns = um_hook_ns(um_hook_ticks());
    uint32_t total = 0;
    uint32_t ui_count;
    uint32_t count;
    int in_flight = atomic_load(&um_hook.outstanding) != 0;

    do {
        if (!send_batch(&ui_count, &count))
            return 0;
        total += count;
    } while (ui_count == UI_BATCH);
    worker.found = total > 0;
    if (total == 0 && !in_flight && !was_asked(now_ns) &&
        !um_poll_drained_is_due(now_ns, worker.drained_ns))
        return 1;
    return put_drained(now_ns) && flush();
}

/* Puts a POOL_DELAY, if one is due. It is sent with the next DRAINED, behind an earlier DRAINED
 * from which the monitor knows whether the process was suspended. */
static int put_pool_delay(void)
{
    struct um_wire_frame frame;
    return !um_pool_next(&frame) || put(&frame);
}

/* Puts the answer to a question about code, if there is one. It goes with the next DRAINED, which
 * wakes the monitor for its next question. */
static int put_code(void)
{
    struct um_wire_frame frame;
    if (!um_code_next(&frame))
        return 1;
    worker.asked_ns = um_hook_ns(um_hook_ticks());
    return put(&frame);
}

/* Puts how many messages and paint cycles there were, if that is asked for and due. It goes with
 * the next DRAINED, too. */
static int put_counted(void)
{
    struct um_wire_frame frame = {.type = UM_WIRE_COUNTED};
    uint64_t now_ns = um_hook_ns(um_hook_ticks());

    if (!worker.next_counted_ns || now_ns < worker.next_counted_ns)
        return 1;
    frame.as.counted.time_ns = now_ns;
    frame.as.counted.messages = atomic_load_explicit(&um_hook.work, memory_order_relaxed);
    frame.as.counted.paints = atomic_load_explicit(&um_hook.paints, memory_order_relaxed);
    worker.next_counted_ns += COUNTED_NS; /* from when it was due: a late poll skips none */
    if (worker.next_counted_ns <= now_ns)
        worker.next_counted_ns = now_ns + COUNTED_NS;
    return put(&frame);
}

/* Puts the program's own markers since the last call. They go with the next DRAINED. */
static int put_marks(void)
{
    return um_marks_turn(um_hook_ns(um_hook_ticks()), &worker.found_marks, put);
}

/* Puts the rest of them, and how much is missing. */
static int put_last_marks(void)
{
    return um_marks_put_last(um_hook_ns(um_hook_ticks()), put);
}

/* CPU time of the threads that do work which could hold up the worker. */
static uint64_t helpers_cpu_ns(void)
{
    return um_pool_cpu_ns() + um_code_cpu_ns();
}

static int send_cost(void)
{
    struct um_wire_frame frame = {.type = UM_WIRE_COST};
    frame.as.cost.time_ns = um_hook_ns(um_hook_ticks());
    frame.as.cost.heartbeat_cpu_ns = um_heartbeat_cpu_ns();
    frame.as.cost.sender_cpu_ns =
        um_hook_thread_cpu_ns(GetCurrentThread()) + helpers_cpu_ns() - worker.helpers_before_ns;
    frame.as.cost.hook_calls = um_hook.hook_calls;
    frame.as.cost.timed_calls = um_hook.timed_calls;
    frame.as.cost.timed_ns = um_hook_ns(um_hook.timed_ticks);
    return put(&frame);
}

/* Puts what was traced, if anything was. */
static int put_trace(void)
{
    return !um_trace_has_news() || (um_trace_put_events(put) && um_trace_put(put));
}

static int put_trace_while_on(void)
{
    return !um_trace_is_on() || put_trace();
}

/* Puts the calls that have ended since the last poll, before their ring is full. */
static int put_trace_events(void)
{
    return !um_trace_is_on() || !um_trace_keeps_all() || um_trace_put_events(put);
}

static int say_hello(void)
{
    struct um_wire_frame hello = {.type = UM_WIRE_HELLO};
    um_wire_put_preamble(worker.out);
    worker.out_len = UM_WIRE_PREAMBLE_BYTES;
    for (int i = 0; i < UM_WIRE_NONCE_BYTES; i++)
        hello.as.hello.nonce[i] = um_hook.nonce[i];
    hello.as.hello.pid = um_hook.pid;
    hello.as.hello.tid = um_hook.ui_tid;
    hello.as.hello.hwnd = (uint64_t)(uintptr_t)um_hook.sink;
    hello.as.hello.time_ns = um_hook_ns(um_hook.start_ticks);
    return put(&hello) && flush();
}

/* AUTO counts as STILL. */
static void use_beat_kind(uint32_t value, uint8_t flags)
{
    int beat_kind = value == UM_BEAT_KIND_AUTO ? UM_BEAT_KIND_STILL : (int)value;
    atomic_store(&um_hook.beat_kind_once,
                 flags & UM_WIRE_USE_BEAT_KIND_ONCE ? beat_kind : UM_BEAT_KIND_AUTO);
    if (!(flags & UM_WIRE_USE_BEAT_KIND_ONCE))
        atomic_store(&um_hook.beat_kind, beat_kind);
}

static void forget_beat(uint32_t seq)
{
    uint32_t tag = atomic_load(&um_hook.outstanding);
    if (tag && um_tag_seq(tag) == seq)
        atomic_compare_exchange_strong(&um_hook.outstanding, &tag, 0);
}

/* While beats are paused the user is away, and the thread pool is left alone, too. */
static int probe_pool(uint32_t wanted)
{
    worker.wants_pool = wanted != 0;
    if (wanted && !atomic_load(&um_hook.paused))
        um_pool_start();
    else
        um_pool_stop();
    return 1;
}

static int count_messages(uint32_t wanted)
{
    worker.next_counted_ns = wanted ? um_hook_ns(um_hook_ticks()) : 0;
    return 1;
}

static int trace(uint32_t wanted)
{
    if (wanted)
        um_trace_start();
    else
        um_trace_stop();
    return put_trace();
}

static int want_events(uint32_t wanted)
{
    um_trace_want_events((enum um_trace_events)wanted);
    return 1;
}

static int put_layout(void)
{
    return um_layout_put(put);
}

static int lay_out(uint32_t wanted)
{
    if (wanted)
        um_layout_start();
    else
        um_layout_stop();
    return put_layout();
}

static int put_methods(void)
{
    return um_methods_put(put);
}

static int count_methods(uint32_t wanted)
{
    if (wanted)
        um_methods_start();
    else
        um_methods_stop();
    return put_methods();
}

static int allow_marks(uint32_t bytes)
{
    um_marks_allow(bytes);
    return 1;
}

static void look_up(uint64_t address)
{
    um_code_ask(address);
    worker.asked_ns = um_hook_ns(um_hook_ticks());
}

/* A part of the DLL that the worker begins, runs and stops. What it lacks is NULL. */
struct part {
    void (*begin)(void); /* a new attachment, in which the monitor has not asked for it */
    void (*stop)(void);  /* takes it out of the target; waits for nothing there */
    int (*tell)(void);   /* puts what is new; 0: the pipe has failed */
    uint64_t period_ns;  /* how often; 0: at each poll */
    int (*end)(void);    /* puts the rest, after all parts were stopped; 0 as `tell` */
    enum um_wire_type command;
    int (*obey)(uint32_t value); /* carries it out; 0 as `tell` */
};

/* In the order in which they are stopped: what disturbs the target most goes first. */
static const struct part parts[] = {
    {.stop = um_heartbeat_stop},
    {.stop = um_pool_stop,
     .tell = put_pool_delay,
     .command = UM_WIRE_PROBE_POOL,
     .obey = probe_pool},
    {.stop = um_code_stop},
    {.stop = um_probe_release},
    {.begin = um_sent_begin},
    {.begin = um_trace_begin,
     .stop = um_trace_stop,
     .tell = put_trace_while_on,
     .period_ns = TRACE_NS,
     .end = put_trace,
     .command = UM_WIRE_TRACE,
     .obey = trace},
    {.tell = put_trace_events, .command = UM_WIRE_TRACE_EVENTS_ON, .obey = want_events},
    {.begin = um_layout_begin,
     .stop = um_layout_stop,
     .tell = put_layout,
     .end = put_layout,
     .command = UM_WIRE_LAYOUT,
     .obey = lay_out},
    {.begin = um_marks_begin,
     .stop = um_marks_stop,
     .tell = put_marks,
     .end = put_last_marks,
     .command = UM_WIRE_MARKS,
     .obey = allow_marks},
    {.begin = um_methods_begin,
     .stop = um_methods_stop,
     .tell = put_methods,
     .period_ns = TRACE_NS,
     .end = put_methods,
     .command = UM_WIRE_METHODS_ON,
     .obey = count_methods},
    {.tell = put_counted, .command = UM_WIRE_COUNT_MESSAGES, .obey = count_messages},
    {.tell = send_cost, .period_ns = CHECK_NS},
};

/* When each of them tells what is new; 0: at the next poll. */
static uint64_t next_ns[ARRAYSIZE(parts)];

/* Lets each part tell what is new, if its time has come. 0: the pipe has failed. */
static int tell_parts(uint64_t now_ns)
{
    for (unsigned i = 0; i < ARRAYSIZE(parts); i++) {
        const struct part *part = &parts[i];
        if (!part->tell || now_ns < next_ns[i])
            continue;
        next_ns[i] = part->period_ns ? now_ns + part->period_ns : 0;
        if (!part->tell())
            return 0;
    }
    return 1;
}

/* A command that is of no part is left out. 0: the pipe has failed. */
static int obey_part(uint8_t command, uint32_t value)
{
    for (unsigned i = 0; i < ARRAYSIZE(parts); i++)
        if (parts[i].obey && parts[i].command == command)
            return parts[i].obey(value);
    return 1;
}

/* Carries out one command; 0 ends the attachment. */
static int obey(const struct um_wire_frame *frame)
{
    uint32_t value = frame->as.command.value;
    switch (frame->type) {
    case UM_WIRE_STOP:
        atomic_store(&um_hook.may_suspend, 0);
        return 0;
    case UM_WIRE_PERIOD:
        atomic_store(&um_hook.period_us, value < 1000 ? 1000 : value);
        break;
    case UM_WIRE_REST_PERIOD:
        atomic_store(&um_hook.rest_us, value);
        break;
    case UM_WIRE_SPARE:
        atomic_store(&um_hook.spare_us, value);
        break;
    case UM_WIRE_BACKGROUND:
        atomic_store(&um_hook.background, (int)value);
        break;
    case UM_WIRE_FULL_RATE:
        atomic_store(&um_hook.full_until,
                     um_hook_ticks() + (uint64_t)value * um_hook.ticks_per_s / 1000);
        break;
    case UM_WIRE_USE_PROBE:
        um_probe_choose((enum um_probe)value, frame->flags & UM_WIRE_USE_PROBE_BLIND
                                                  ? UM_PROBE_REASON_BLIND
                                                  : UM_PROBE_REASON_ASKED);
        break;
    case UM_WIRE_USE_BEAT_KIND:
        use_beat_kind(value, frame->flags);
        break;
    case UM_WIRE_PAUSE:
        atomic_store(&um_hook.paused, value != 0);
        if (um_hook.wake_event)
            SetEvent(um_hook.wake_event); /* at once, not after a period */
        probe_pool(worker.wants_pool);
        break;
    case UM_WIRE_WATCH_INPUT:
        atomic_store(&um_hook.watch_input, (int)value);
        break;
    case UM_WIRE_MAY_SUSPEND:
        if (frame->as.command.thread != 0)
            um_resume_watchdog_remember(frame->as.command.thread, value != 0);
        else
            atomic_store(&um_hook.may_suspend, value != 0);
        break;
    case UM_WIRE_ABANDON:
        forget_beat(value);
        break;
    case UM_WIRE_LOOK_UP:
        look_up(frame->as.look_up.address);
        break;
    default:
        return obey_part(frame->type, value);
    }
    return 1;
}

static enum um_status begin_to_receive(void)
{
    size_t room;
    uint8_t *bytes = um_frame_reader_room(&worker.commands, &room);
    return um_pipe_read_begin(&worker.pipe, bytes, room);
}

/* Takes what the monitor has sent since begin_to_receive. UM_ERR_TIMEOUT: nothing. */
static enum um_status receive(void)
{
    size_t len;
    enum um_status status = um_pipe_read_end(&worker.pipe, &len);
    if (status == UM_OK)
        um_frame_reader_add(&worker.commands, len);
    return status;
}

/* Carries out the commands that have come, and begins to receive the next; 0 ends the
 * attachment. */
static int read_commands(void)
{
    static struct um_wire_frame frame;
    enum um_status status = receive();

    if (status != UM_OK)
        return status == UM_ERR_TIMEOUT;
    while ((status = um_frame_reader_next(&worker.commands, &frame)) == UM_OK)
        if (!obey(&frame))
            return 0;
    return status == UM_ERR_PARTIAL && begin_to_receive() == UM_OK;
}

/* Takes what has arrived by now. Under Wine that a read has ended is known after a call that
 * waits. */
static enum um_status receive_now(void)
{
    if (!worker.pipe.is_begun && begin_to_receive() != UM_OK)
        return UM_ERR_CLOSED;
    WaitForSingleObject(worker.pipe.read_event, 0);
    return receive();
}

/* Reads the last commands of a monitor that is gone: they may say that it no longer suspends a
 * thread, or any, or that it may suspend one more. */
static void read_last_words(void)
{
    static struct um_wire_frame frame;

    do
        while (um_frame_reader_next(&worker.commands, &frame) == UM_OK)
            if (frame.type == UM_WIRE_STOP || frame.type == UM_WIRE_MAY_SUSPEND)
                obey(&frame);
    while (receive_now() == UM_OK);
}

static int connect_to_monitor(void)
{
    char name[UM_BOOTSTRAP_PATH_BYTES];
    wchar_t path[UM_BOOTSTRAP_PATH_BYTES];
    um_bootstrap_pipe_path(um_hook.nonce, name);
    for (int i = 0; i < UM_BOOTSTRAP_PATH_BYTES; i++)
        path[i] = (wchar_t)name[i];
    if (um_pipe_open(path, &worker.pipe) != UM_OK)
        return 0;
    if (um_peer_is_monitor(worker.pipe.handle, um_hook.monitor_pid))
        return 1;
    um_pipe_close(&worker.pipe); /* not the monitor: it gets no data */
    return 0;
}

static int install_hooks(void)
{
    um_hook.message_hook =
        SetWindowsHookExW(WH_GETMESSAGE, um_observe_message, um_hook.module, um_hook.ui_tid);
    um_hook.mouse_hook =
        SetWindowsHookExW(WH_MOUSE, um_observe_mouse, um_hook.module, um_hook.ui_tid);
    return um_hook.message_hook && um_hook.mouse_hook;
}

/* Whether the beat in flight has waited so long that it should be made sure of: if the target has
 * just taken the raw registration, or the beat never came to it, that must not look like a freeze.
 * True once each SUSPICIOUS_NS. */
static int is_suspicious(uint64_t now_ns)
{
    static uint32_t tag;
    static uint64_t next_look_ns;
    uint32_t out = atomic_load(&um_hook.outstanding);

    if (out == 0 || out != tag) {
        tag = out;
        next_look_ns = now_ns + SUSPICIOUS_NS;
        return 0;
    }
    if (now_ns < next_look_ns)
        return 0;
    next_look_ns = now_ns + SUSPICIOUS_NS;
    return 1;
}

/* Whether a beat is out, or the registration has still to be made again for the next one. */
static int awaits_beat(void)
{
    int lifted = atomic_load(&um_hook.lifted) != 0 && !atomic_load(&um_hook.held);
    return atomic_load(&um_hook.outstanding) != 0 || lifted;
}

/* Waits for the timer, or for a command, or the end of the UI thread, or if the worker rests, until
 * it is woken. Returns 0 if the UI thread has ended. */
static int wait_ns(HANDLE timer, uint64_t ns, int rests)
{
    HANDLE handles[4] = {um_hook.ui_thread, timer, worker.pipe.read_event, um_hook.worker_event};
    DWORD count = rests ? 4 : 3;

    if (um_timer_set(timer, ns))
        return WaitForMultipleObjects(count, handles, FALSE, INFINITE) != WAIT_OBJECT_0;
    return WaitForSingleObject(um_hook.ui_thread, (DWORD)(ns / UM_CLOCK_NS_PER_MS)) == WAIT_TIMEOUT;
}

/* Waits until the next look at rings and commands (hooks/poll.h). The heartbeat thread first notes
 * that a beat is out, and then looks whether the worker rests. So a beat that this has not seen
 * wakes it. If the event could not be created, the worker does not rest. Returns 0 if the UI thread
 * has ended. */
static int wait_for_next(HANDLE timer)
{
    uint64_t now_ns = um_hook_ns(um_hook_ticks());
    struct um_poll_look look = {
        .now = now_ns,
        .drained = worker.drained_ns,
        .asked = was_asked(now_ns),
        .claimed = worker.claimed,
        .paused = atomic_load(&um_hook.paused),
        .beat_out = awaits_beat(),
        .found = worker.found || worker.found_marks || !um_hook.worker_event,
        .guarded = atomic_load(&um_hook.guarded) && !um_trace_is_on() && !um_layout_is_on()};
    if (um_poll_rests(&look)) {
        atomic_store(&um_hook.worker_rests, 1);
        look.beat_out = awaits_beat();
    }
    int lives = wait_ns(timer, um_poll_wait(&look), um_poll_rests(&look));
    atomic_store(&um_hook.worker_rests, 0);
    return lives;
}

void um_worker_wake(void)
{
    if (atomic_exchange(&um_hook.worker_rests, 0) && um_hook.worker_event)
        SetEvent(um_hook.worker_event);
}

/* Serves the monitor until it ends the attachment, the pipe fails or the UI thread has ended. */
static void run_attached(void)
{
    HANDLE timer = um_timer_open();
    uint64_t next_check_ns = 0;

    if (!timer)
        return;
    for (int lives = begin_to_receive() == UM_OK; lives; lives = wait_for_next(timer)) {
        uint64_t now_ns = um_hook_ns(um_hook_ticks());
        if (worker.commands.greeted && is_suspicious(now_ns)) {
            um_probe_check();
            um_probe_ask();
        }
        um_probe_lift();
        if (!put_code() || !send_records() || !tell_parts(now_ns))
            break;
        if (!read_commands())
            break;
        worker.claimed = um_resume_watchdog_claimed(now_ns);
        if (now_ns >= next_check_ns) {
            next_check_ns = now_ns + CHECK_NS;
            if (worker.commands.greeted)
                um_probe_check();
        }
    }
    CloseHandle(timer);
}

/* Puts the rest of what the parts have recorded, and that this is all. */
static void say_bye(void)
{
    struct um_wire_frame bye = {.type = UM_WIRE_BYE};
    for (unsigned i = 0; i < ARRAYSIZE(parts); i++)
        if (parts[i].end && !parts[i].end())
            return;
    bye.as.bye.time_ns = um_hook_ns(um_hook_ticks());
    if (put(&bye))
        flush();
}

/* Takes back everything that was put into the target. */
static void leave(void)
{
    atomic_store(&um_hook.phase, UM_HOOK_LEAVING);
    for (unsigned i = 0; i < ARRAYSIZE(parts); i++)
        if (parts[i].stop)
            parts[i].stop();
    if (um_hook.mouse_hook)
        UnhookWindowsHookEx(um_hook.mouse_hook);
    if (um_hook.message_hook)
        UnhookWindowsHookEx(um_hook.message_hook);
    um_hook.mouse_hook = um_hook.message_hook = NULL;
    um_observe_close_sink(um_hook.sink);
    um_hook.sink = NULL;
    if (worker.pipe.handle)
        say_bye();
    um_pipe_close(&worker.pipe);
    um_hook_close(&um_hook.worker_event);
    um_suspend_claim_unmap(&um_hook.claims);
    um_hook_close(&um_hook.ui_thread);
}

DWORD WINAPI um_worker_run(void *unused)
{
    HMODULE self = NULL;
    (void)unused;

    GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS,
                       (const wchar_t *)(uintptr_t)um_worker_run, &self);
    SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_HIGHEST);
    um_throttle_off(GetCurrentThread());
    um_hook.worker_event = CreateEventW(NULL, FALSE, FALSE, NULL);
    atomic_store(&um_hook.worker_rests, 0);
    atomic_store(&um_hook.guarded, 0);
    worker.out_len = 0;
    worker.failed = 0;
    um_frame_reader_init(&worker.commands, worker.command_bytes, sizeof worker.command_bytes);
    worker.drained_ns = 0;
    worker.asked_ns = 0;
    worker.helpers_before_ns = helpers_cpu_ns();
    worker.wants_pool = 0;
    worker.next_counted_ns = 0;
    atomic_store(&um_hook.paused, 0);
    atomic_store(&um_hook.lifted, 0);
    atomic_store(&um_hook.look_posted, 0);
    atomic_store(&um_hook.held, 0);
    atomic_store(&um_hook.probe, UM_PROBE_AUTO); /* no probe is in use until the monitor asks */
    atomic_store(&um_hook.beat_kind, UM_BEAT_KIND_STILL);
    atomic_store(&um_hook.beat_kind_once, UM_BEAT_KIND_AUTO);
    atomic_store(&um_hook.period_us, 10000);
    atomic_store(&um_hook.rest_us, 0); /* the full rate, until the monitor asks for another */
    atomic_store(&um_hook.spare_us, 0);
    atomic_store(&um_hook.echoes, 0);
    atomic_store(&um_hook.background, UM_BACKGROUND_FULL);
    atomic_store(&um_hook.full_until, 0);
    atomic_store(&um_hook.may_suspend, 0);
    um_hook.suspended_count = 0;
    um_hook.heartbeat_cpu_ns = 0;
    for (unsigned i = 0; i < ARRAYSIZE(parts); i++) {
        next_ns[i] = 0;
        if (parts[i].begin)
            parts[i].begin();
    }
    if (connect_to_monitor()) {
        atomic_store(&um_hook.phase, UM_HOOK_ACTIVE);
        um_suspend_claim_map_new(um_hook.nonce, &um_hook.claims); /* before HELLO; it may fail */
        /* At HELLO the monitor removes its bootstrap hook, so the DLL's own are set before. */
        int hooked = install_hooks();
        if (say_hello() && hooked)
            run_attached();
        read_last_words();
        if (atomic_load(&um_hook.may_suspend)) /* the monitor has not said STOP */
            um_resume_watchdog_threads();
    }
    leave();
    atomic_store(&um_hook.phase, UM_HOOK_INERT);
    FreeLibraryAndExitThread(self, 0);
}
