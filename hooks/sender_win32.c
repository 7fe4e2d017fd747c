/* The worker thread: connects to the monitor, sends what the rings hold, and carries out commands.
 * When the monitor says STOP or is gone, it takes everything out of the target again. It never
 * waits for the UI thread, so that this works in the middle of a freeze too. */
#include "hooks/hook_win32.h"
#include "hooks/poll.h"
#include "hooks/record.h"
#include "ipc/bootstrap.h"
#include "ipc/clock.h"
#include "ipc/frame_reader.h"
#include "ipc/pipe_win32.h"
#include "ipc/tag.h"
#include "ipc/throttle_win32.h"
#include "ipc/timer_win32.h"

#define COMMAND_NS (20 * UM_CLOCK_NS_PER_MS)
/* A question about code is often followed by another one, and the monitor waits for the answer. */
#define ASKED_NS (50 * UM_CLOCK_NS_PER_MS)
#define CHECK_NS (250 * UM_CLOCK_NS_PER_MS)     /* of the raw registration; COST too */
#define SUSPICIOUS_NS (20 * UM_CLOCK_NS_PER_MS) /* a beat so old is a reason to check as well */
#define COUNTED_NS (100 * UM_CLOCK_NS_PER_MS)
#define TRACE_NS (500 * UM_CLOCK_NS_PER_MS) /* so often is told what was traced */
#define WRITE_TIMEOUT_MS 500
#define UI_BATCH 512

struct sender {
    struct um_pipe pipe;      /* the hook pipe */
    int failed;               /* a write has: nothing more is written */
    int wants_pool;           /* the thread pool is to be measured, unless beats are paused */
    uint64_t next_counted_ns; /* 0: COUNTED is not asked for */
    uint64_t last_mark_ns;
    int found;                  /* the last look has found records */
    int claimed;                /* and a thread that the monitor has suspended */
    uint64_t asked_ns;          /* when the last question about code came */
    uint64_t helpers_before_ns; /* helpers_cpu_ns, of earlier attachments */
    struct um_frame_reader commands;
    uint8_t command_bytes[UM_WIRE_MAX_BYTES]; /* of that reader */
    size_t out_len;
    uint8_t out[32 * 1024]; /* frames that were not written yet */
    struct um_ring_record ui[UI_BATCH];
    struct um_ring_record beats[UM_HOOK_BEAT_SLOTS];
};

static struct sender sender; /* too large for a stack; there is one worker at a time */

static uint64_t to_ns(uint64_t ticks)
{
    return um_clock_ticks_to_ns(ticks, um_hook.ticks_per_s);
}

/* Whether more questions about code are likely. */
static int was_asked(uint64_t now_ns)
{
    return sender.asked_ns != 0 && now_ns < sender.asked_ns + ASKED_NS;
}

/* Writes what was put. A write that failed may have sent a part of a frame, so nothing may follow
 * it. Returns 0 then. */
static int flush(void)
{
    size_t len = sender.out_len;
    sender.out_len = 0;
    if (!sender.failed && len > 0)
        sender.failed = um_pipe_write(&sender.pipe, sender.out, len, WRITE_TIMEOUT_MS) != UM_OK;
    return !sender.failed;
}

/* Adds a frame to what is to be written; 0 if there was no room and the pipe has failed. */
static int put(const struct um_wire_frame *frame)
{
    size_t len;
    if (sizeof sender.out - sender.out_len < UM_WIRE_MAX_BYTES && !flush())
        return 0;
    if (um_wire_encode(frame, sender.out + sender.out_len, sizeof sender.out - sender.out_len,
                       &len) != UM_OK)
        return 1;
    sender.out_len += len;
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

static int put_mark(uint64_t time_ns)
{
    struct um_wire_frame mark = {.type = UM_WIRE_MARK};
    mark.as.mark.time_ns = time_ns;
    mark.as.mark.lost = lost_records();
    sender.last_mark_ns = time_ns;
    return put(&mark);
}

/* Puts up to a batch of both rings' records in the order of their times; `*ui_count` and `*count`
 * get how many of the UI ring and of both. The UI ring is emptied first: the SENT of a beat is
 * recorded before its SEEN, so that it is then surely in the same batch. A loss is told before the
 * records that follow it. */
static int send_batch(uint32_t *ui_count, uint32_t *count)
{
    uint64_t lost = lost_records();
    uint32_t uis = 0;
    uint32_t beats = 0;

    while (uis < UI_BATCH && um_ring_pop(&um_hook.ui_ring, &sender.ui[uis]))
        uis++;
    while (beats < UM_HOOK_BEAT_SLOTS && um_ring_pop(&um_hook.beat_ring, &sender.beats[beats]))
        beats++;
    if (lost_records() != lost && !put_mark(sender.last_mark_ns))
        return 0;
    for (uint32_t u = 0, b = 0; u < uis || b < beats;) {
        int beat_next = u == uis || (b < beats && um_record_ticks(&sender.beats[b]) <=
                                                      um_record_ticks(&sender.ui[u]));
        if (!put_record(beat_next ? &sender.beats[b++] : &sender.ui[u++]))
            return 0;
    }
    *ui_count = uis;
    *count = uis + beats;
    return 1;
}

/* Sends what the rings hold and then a MARK. Sends nothing if nothing has happened and the last
 * MARK is recent, unless the monitor waits for an answer: a MARK wakes it for its next question. */
static int send_records(void)
{
    uint64_t now_ns = to_ns(um_hook_ticks());
    uint32_t total = 0;
    uint32_t ui_count;
    uint32_t count;
    int in_flight = atomic_load(&um_hook.outstanding) != 0;

    do {
        if (!send_batch(&ui_count, &count))
            return 0;
        total += count;
    } while (ui_count == UI_BATCH);
    sender.found = total > 0;
    if (total == 0 && !in_flight && !was_asked(now_ns) &&
        !um_poll_mark_is_due(now_ns, sender.last_mark_ns))
        return 1;
    return put_mark(now_ns) && flush();
}

/* Puts how long a work item waited in the thread pool, if there is something to tell. It goes with
 * the next MARK, behind one by which the monitor knows whether the process was suspended. */
static int put_pool_delay(void)
{
    struct um_wire_frame frame;
    return !um_pool_next(&frame) || put(&frame);
}

/* Puts the answer to a question about code, if there is one. It goes with the next MARK, which
 * wakes the monitor for its next question. */
static int put_code(void)
{
    struct um_wire_frame frame;
    if (!um_code_next(&frame))
        return 1;
    sender.asked_ns = to_ns(um_hook_ticks());
    return put(&frame);
}

/* Puts how many messages and paint cycles there were, if that is asked for and due. It goes with
 * the next MARK, too. */
static int put_counted(void)
{
    struct um_wire_frame frame = {.type = UM_WIRE_COUNTED};
    uint64_t now_ns = to_ns(um_hook_ticks());

    if (!sender.next_counted_ns || now_ns < sender.next_counted_ns)
        return 1;
    frame.as.counted.time_ns = now_ns;
    frame.as.counted.messages = atomic_load_explicit(&um_hook.work, memory_order_relaxed);
    frame.as.counted.paints = atomic_load_explicit(&um_hook.paints, memory_order_relaxed);
    sender.next_counted_ns += COUNTED_NS; /* so that none is left out by a poll that is late */
    if (sender.next_counted_ns <= now_ns)
        sender.next_counted_ns = now_ns + COUNTED_NS;
    return put(&frame);
}

/* CPU time of the threads that do for the worker what could hold it up. */
static uint64_t helpers_cpu_ns(void)
{
    return um_pool_cpu_ns() + um_code_cpu_ns();
}

static int send_cost(void)
{
    struct um_wire_frame frame = {.type = UM_WIRE_COST};
    frame.as.cost.time_ns = to_ns(um_hook_ticks());
    frame.as.cost.heartbeat_cpu_ns = um_heartbeat_cpu_ns();
    frame.as.cost.sender_cpu_ns =
        um_hook_thread_cpu_ns(GetCurrentThread()) + helpers_cpu_ns() - sender.helpers_before_ns;
    frame.as.cost.hook_calls = um_hook.hook_calls;
    frame.as.cost.timed_calls = um_hook.timed_calls;
    frame.as.cost.timed_ns = to_ns(um_hook.timed_ticks);
    return put(&frame);
}

/* Puts what was traced, if anything was. */
static int put_trace(void)
{
    return !um_trace_has_news() || um_trace_tell(put);
}

static int say_hello(void)
{
    struct um_wire_frame hello = {.type = UM_WIRE_HELLO};
    um_wire_put_preamble(sender.out);
    sender.out_len = UM_WIRE_PREAMBLE_BYTES;
    for (int i = 0; i < UM_WIRE_NONCE_BYTES; i++)
        hello.as.hello.nonce[i] = um_hook.nonce[i];
    hello.as.hello.pid = um_hook.pid;
    hello.as.hello.tid = um_hook.ui_tid;
    hello.as.hello.hwnd = (uint64_t)(uintptr_t)um_hook.sink;
    hello.as.hello.time_ns = to_ns(um_hook.start_ticks);
    hello.as.hello.key_delay_us = um_hook.key_delay_us;
    return put(&hello) && flush();
}

/* AUTO is ZERO, the lowest rung. */
static void use_rung(uint32_t value, uint8_t flags)
{
    int rung = value == UM_RUNG_PAIR ? UM_RUNG_PAIR : UM_RUNG_ZERO;
    atomic_store(&um_hook.rung_once, flags & UM_WIRE_USE_RUNG_ONCE ? rung : UM_RUNG_AUTO);
    if (!(flags & UM_WIRE_USE_RUNG_ONCE))
        atomic_store(&um_hook.rung, rung);
}

static void forget_beat(uint32_t seq)
{
    uint32_t tag = atomic_load(&um_hook.outstanding);
    if (tag && um_tag_seq(tag) == seq)
        atomic_compare_exchange_strong(&um_hook.outstanding, &tag, 0);
}

/* While the beats are paused nobody is there, and the pool is left alone, too. */
static void probe_pool(int wanted)
{
    sender.wants_pool = wanted;
    if (wanted && !atomic_load(&um_hook.paused))
        um_pool_start();
    else
        um_pool_stop();
}

static void look_up(uint64_t address)
{
    um_code_ask(address);
    sender.asked_ns = to_ns(um_hook_ticks());
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
    case UM_WIRE_USE_RUNG:
        use_rung(value, frame->flags);
        break;
    case UM_WIRE_PAUSE:
        atomic_store(&um_hook.paused, value != 0);
        if (um_hook.wake_event)
            SetEvent(um_hook.wake_event); /* at once, not after a period */
        probe_pool(sender.wants_pool);
        break;
    case UM_WIRE_WATCH_INPUT:
        atomic_store(&um_hook.watch_input, (int)value);
        break;
    case UM_WIRE_MAY_SUSPEND:
        if (frame->as.command.thread != 0)
            um_thaw_remember(frame->as.command.thread, value != 0);
        else
            atomic_store(&um_hook.may_suspend, value != 0);
        break;
    case UM_WIRE_PROBE_POOL:
        probe_pool(value != 0);
        break;
    case UM_WIRE_COUNT_MESSAGES:
        sender.next_counted_ns = value ? to_ns(um_hook_ticks()) : 0;
        break;
    case UM_WIRE_TRACE:
        um_trace_switch(value != 0);
        return put_trace();
    case UM_WIRE_ABANDON:
        forget_beat(value);
        break;
    case UM_WIRE_LOOK_UP:
        look_up(frame->as.look_up.address);
        break;
    default:
        break;
    }
    return 1;
}

/* Reads what the monitor has sent and carries it out; 0 ends the attachment. */
static int read_commands(void)
{
    static struct um_wire_frame frame;
    size_t room;
    size_t len;
    uint8_t *bytes = um_frame_reader_room(&sender.commands, &room);
    enum um_status status = um_pipe_read(&sender.pipe, bytes, room, 0, &len);

    if (status == UM_ERR_TIMEOUT)
        return 1;
    if (status != UM_OK)
        return 0;
    um_frame_reader_add(&sender.commands, len);
    while ((status = um_frame_reader_next(&sender.commands, &frame)) == UM_OK)
        if (!obey(&frame))
            return 0;
    return status == UM_ERR_PARTIAL;
}

/* The monitor is gone, and may have said something before that was not read: that it is done with a
 * thread, or with all of them, or that one more may be suspended. */
static void read_last_words(void)
{
    static struct um_wire_frame frame;
    enum um_status status = UM_OK;
    size_t len;

    while (status == UM_OK) {
        while (um_frame_reader_next(&sender.commands, &frame) == UM_OK)
            if (frame.type == UM_WIRE_STOP || frame.type == UM_WIRE_MAY_SUSPEND)
                obey(&frame);
        size_t room;
        uint8_t *bytes = um_frame_reader_room(&sender.commands, &room);
        status = um_pipe_read(&sender.pipe, bytes, room, 0, &len);
        if (status == UM_OK)
            um_frame_reader_add(&sender.commands, len);
    }
}

static int connect_to_monitor(void)
{
    char name[UM_BOOTSTRAP_PATH_BYTES];
    wchar_t path[UM_BOOTSTRAP_PATH_BYTES];
    um_bootstrap_pipe_path(um_hook.nonce, name);
    for (int i = 0; i < UM_BOOTSTRAP_PATH_BYTES; i++)
        path[i] = (wchar_t)name[i];
    if (um_pipe_open(path, &sender.pipe) != UM_OK)
        return 0;
    if (um_peer_is_monitor(sender.pipe.handle, um_hook.monitor_pid))
        return 1;
    um_pipe_close(&sender.pipe); /* another process gets not a single byte */
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

/* Whether the beat in flight has waited so long that the raw registration should be checked: the
 * target may have just taken it, and that must not pass for a freeze. Says so each
 * SUSPICIOUS_NS. */
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

/* Waits until the next look at rings and commands (hooks/poll.h). The heartbeat thread first notes
 * that a beat is out, and then looks whether the worker rests. So a beat of which this does not
 * know wakes it. Without the event, which the system did not give, it does not rest. */
static void wait_for_next(HANDLE timer)
{
    uint64_t now_ns = to_ns(um_hook_ticks());
    struct um_poll_look look = {.now = now_ns,
                                .mark = sender.last_mark_ns,
                                .asked = was_asked(now_ns),
                                .claimed = sender.claimed,
                                .paused = atomic_load(&um_hook.paused),
                                .beat_out = awaits_beat(),
                                .found = sender.found || !um_hook.sender_event};
    if (um_poll_rests(&look)) {
        atomic_store(&um_hook.sender_rests, 1);
        look.beat_out = awaits_beat();
    }
    um_timer_wait(timer, um_poll_wait(&look), um_poll_rests(&look) ? um_hook.sender_event : NULL);
    atomic_store(&um_hook.sender_rests, 0);
}

void um_sender_wake(void)
{
    if (atomic_exchange(&um_hook.sender_rests, 0) && um_hook.sender_event)
        SetEvent(um_hook.sender_event);
}

/* Serves the monitor until it ends the attachment, the pipe fails or the UI thread has ended. */
static void run_attached(void)
{
    HANDLE timer = um_timer_open();
    uint64_t next_command_ns = 0;
    uint64_t next_check_ns = 0;
    uint64_t next_trace_ns = 0;

    while (timer && WaitForSingleObject(um_hook.ui_thread, 0) == WAIT_TIMEOUT) {
        uint64_t now_ns = to_ns(um_hook_ticks());
        if (sender.commands.greeted && is_suspicious(now_ns))
            um_probe_check();
        um_probe_lift();
        if (!put_code() || !send_records() || !put_pool_delay() || !put_counted())
            break;
        if (now_ns >= next_command_ns || was_asked(now_ns)) {
            next_command_ns = now_ns + COMMAND_NS;
            if (!read_commands())
                break;
        }
        sender.claimed = um_thaw_claimed(now_ns);
        if (now_ns >= next_check_ns) {
            next_check_ns = now_ns + CHECK_NS;
            if (sender.commands.greeted)
                um_probe_check();
            if (!send_cost())
                break;
        }
        if (now_ns >= next_trace_ns) {
            next_trace_ns = now_ns + TRACE_NS;
            if (um_trace_is_on() && !put_trace())
                break;
        }
        wait_for_next(timer);
    }
    if (timer)
        CloseHandle(timer);
}

/* Takes back everything that was put into the target. What disturbs it most goes first. */
static void leave(void)
{
    struct um_wire_frame bye = {.type = UM_WIRE_BYE};

    atomic_store(&um_hook.phase, UM_HOOK_LEAVING);
    um_heartbeat_stop();
    um_pool_stop();
    um_code_stop();
    um_probe_release();
    um_trace_stop();
    if (um_hook.mouse_hook)
        UnhookWindowsHookEx(um_hook.mouse_hook);
    if (um_hook.message_hook)
        UnhookWindowsHookEx(um_hook.message_hook);
    um_hook.mouse_hook = um_hook.message_hook = NULL;
    um_observe_close_sink(um_hook.sink);
    um_hook.sink = NULL;
    bye.as.bye.time_ns = to_ns(um_hook_ticks());
    if (sender.pipe.handle && put_trace() && put(&bye))
        flush();
    um_pipe_close(&sender.pipe);
    if (um_hook.sender_event)
        CloseHandle(um_hook.sender_event);
    um_hook.sender_event = NULL;
    um_claim_unmap(&um_hook.claims);
    if (um_hook.ui_thread)
        CloseHandle(um_hook.ui_thread);
    um_hook.ui_thread = NULL;
}

DWORD WINAPI um_sender_run(void *unused)
{
    HMODULE self = NULL;
    (void)unused;

    GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS,
                       (const wchar_t *)(uintptr_t)um_sender_run, &self);
    SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_HIGHEST);
    um_throttle_off(GetCurrentThread());
    um_hook.sender_event = CreateEventW(NULL, FALSE, FALSE, NULL);
    atomic_store(&um_hook.sender_rests, 0);
    sender.out_len = 0;
    sender.failed = 0;
    um_frame_reader_init(&sender.commands, sender.command_bytes, sizeof sender.command_bytes);
    sender.last_mark_ns = 0;
    sender.asked_ns = 0;
    sender.helpers_before_ns = helpers_cpu_ns();
    sender.wants_pool = 0;
    sender.next_counted_ns = 0;
    atomic_store(&um_hook.paused, 0);
    atomic_store(&um_hook.lifted, 0);
    atomic_store(&um_hook.held, 0);
    atomic_store(&um_hook.probe, UM_PROBE_AUTO); /* none is in use until the monitor asks */
    atomic_store(&um_hook.rung, UM_RUNG_ZERO);
    atomic_store(&um_hook.rung_once, UM_RUNG_AUTO);
    atomic_store(&um_hook.period_us, 10000);
    atomic_store(&um_hook.rest_us, 0); /* until the monitor asks: the full rate */
    atomic_store(&um_hook.background, UM_BACKGROUND_FULL);
    atomic_store(&um_hook.full_until, 0);
    atomic_store(&um_hook.may_suspend, 0);
    um_hook.suspended_count = 0;
    um_hook.heartbeat_cpu_ns = 0;
    um_trace_begin();
    if (connect_to_monitor()) {
        atomic_store(&um_hook.phase, UM_HOOK_ACTIVE);
        um_claim_map_new(um_hook.nonce, &um_hook.claims); /* before HELLO; there may be none */
        /* At HELLO the monitor takes off its bootstrap hook, so the DLL's own come first. */
        int hooked = install_hooks();
        if (say_hello() && hooked)
            run_attached();
        read_last_words();
        if (atomic_load(&um_hook.may_suspend)) /* the monitor has not said STOP */
            um_thaw_threads();
    }
    leave();
    atomic_store(&um_hook.phase, UM_HOOK_INERT);
    FreeLibraryAndExitThread(self, 0);
}
