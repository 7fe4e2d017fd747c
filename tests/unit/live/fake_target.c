#include "tests/unit/live/fake_target.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ipc/bootstrap.h"
#include "base/plain/clock.h"
#include "base/plain/message.h"
#include "base/plain/text.h"
#include "base/thread.h"
#include "base/hotkeys.h"
#include "base/platform.h"
#include "base/suspended_threads.h"
#include "monitor/target/frame_source.h"
#include "monitor/target/control.h"
#include "tests/conformance/transport_memory.h"

#define BEAT_TAKEN 0xff /* WM_INPUT */
#define COMMANDS 64
#define SIGHTINGS 64
#define ARRIVALS 8

struct um_target_process {
    bool running;
    uint32_t code;
};

struct um_control {
    bool keeps_arrivals;
};

/* The monitor's end of one attachment. */
struct um_frame_source {
    struct um_listener *listener;
    struct fake_stream in;
    struct um_thread dll;
    char pipe[UM_TRANSPORT_NAME_BYTES];
    uint8_t nonce[UM_WIRE_NONCE_BYTES];
    uint32_t tid;
    uint64_t asked_ns;
    bool given_up; /* under `mutex` */
};

/* One life of the DLL, on its own thread. */
struct dll {
    struct fake_stream in;
    bool was_frozen;
    uint32_t out;      /* the beat that is not answered yet; 0: none */
    bool dropped;      /* the system has dropped it */
    uint8_t beat_kind; /* of the beats; AUTO: the monitor has not asked yet */
    uint8_t once;      /* of the next one alone; AUTO: as the others */
    uint8_t bytes[1024];
    size_t len;
};

static struct um_thread_mutex mutex; /* guards what follows */
static struct um_thread_cond changed;
static struct {
    struct um_target_process process;
    struct um_target_process overlay;
    struct um_control control;
    uint64_t hwnd;
    uint32_t tid;
    bool has_started;          /* a program that goes on after its end */
    const char *toolkit;       /* NULL: none */
    const char *why_no_stacks; /* NULL: there are some */
    const char *module;        /* NULL: none */
    bool frozen;
    bool leaves;
    bool never_stays;
    bool babbles;
    bool no_control;
    bool shielded;
    bool drops_zero;
    unsigned presses;
    uint32_t seq;
    unsigned attachments;
    unsigned launches;
    enum um_status launch_status;
    enum um_status (*part)(intptr_t handle);
    enum um_status refusal;
    const char *refusal_text;
    struct um_wire_frame commands[COMMANDS];
    size_t command_count;
    struct um_wire_sent seen[SIGHTINGS]; /* beats that the control saw */
    size_t seen_count;
    struct um_arrival arrivals[ARRIVALS];
    size_t arrival_count;
    uint64_t last_input_ns;
} fake;

static void lock(void)
{
    um_thread_lock(&mutex);
}

static void unlock(void)
{
    um_thread_broadcast(&changed);
    um_thread_unlock(&mutex);
}

#define SET(member, value) (lock(), (void)(fake.member = (value)), unlock())

struct um_target_process *fake_target_process(void)
{
    return &fake.process;
}

struct um_target_info fake_target_info(void)
{
    struct um_target_info info = {
        .pid = FAKE_PID, .bits = 64, .name = "fake.exe", .title = "A fake", .window_class = "Fake"};
    lock();
    info.hwnd = fake.hwnd;
    info.tid = fake.tid;
    um_text_set(info.toolkit, sizeof info.toolkit, fake.toolkit);
    unlock();
    return info;
}

void fake_target_freeze(bool frozen)
{
    SET(frozen, frozen);
}

void fake_target_module(const char *name)
{
    SET(module, name);
}

void fake_target_exit(void)
{
    lock();
    fake.process.running = false;
    fake.hwnd = 0;
    unlock();
}

void fake_target_start_another(void)
{
    SET(has_started, true);
}

void fake_target_show(uint64_t hwnd, uint32_t tid)
{
    lock();
    fake.hwnd = hwnd;
    fake.tid = tid;
    unlock();
}

void fake_target_toolkit(const char *toolkit)
{
    SET(toolkit, toolkit);
}

void fake_target_leave(bool always)
{
    lock();
    fake.leaves = true;
    fake.never_stays = always;
    unlock();
}

void fake_target_babble(void)
{
    SET(babbles, true);
}

void fake_target_refuse(enum um_status status, const char *error)
{
    lock();
    fake.refusal = status;
    fake.refusal_text = error;
    unlock();
}

void fake_target_no_stacks(const char *why)
{
    SET(why_no_stacks, why);
}

void fake_target_shield(bool shielded)
{
    SET(shielded, shielded);
}

void fake_target_drop_zero(void)
{
    SET(drops_zero, true);
}

void fake_target_without_control(void)
{
    SET(no_control, true);
}

uint64_t fake_target_press(void)
{
    lock();
    uint64_t now_ns = um_clock_now_ns();
    fake.presses++;
    fake.last_input_ns = now_ns;
    if (fake.control.keeps_arrivals && fake.arrival_count < ARRIVALS)
        fake.arrivals[fake.arrival_count++] =
            (struct um_arrival){.time_ns = now_ns, .kind = UM_INTERACTION_KEY};
    unlock();
    return now_ns;
}

unsigned fake_target_attachments(void)
{
    lock();
    unsigned attachments = fake.attachments;
    unlock();
    return attachments;
}

/* Thread: holds the mutex. */
static bool take_command(enum um_wire_type type, uint32_t value)
{
    for (size_t i = 0; i < fake.command_count; i++) {
        const struct um_wire_frame *command = &fake.commands[i];
        if (command->type != type || (type != UM_WIRE_STOP && command->as.command.value != value))
            continue;
        memmove(&fake.commands[i], &fake.commands[i + 1],
                (--fake.command_count - i) * sizeof fake.commands[0]);
        return true;
    }
    return false;
}

bool fake_target_got(enum um_wire_type command, uint32_t value)
{
    uint64_t until_ns = um_clock_now_ns() + FAKE_HANG_MS * UM_CLOCK_NS_PER_MS;
    bool got;
    um_thread_lock(&mutex);
    while (!(got = take_command(command, value)) && um_clock_now_ns() < until_ns)
        um_thread_wait(&changed, &mutex, FAKE_HANG_MS * UM_CLOCK_NS_PER_MS);
    um_thread_unlock(&mutex);
    return got;
}

unsigned fake_overlay_launches(void)
{
    lock();
    unsigned launches = fake.launches;
    unlock();
    return launches;
}

void fake_part_is(enum um_status (*part)(intptr_t handle))
{
    lock();
    fake.part = part;
    unlock();
}

void fake_overlay_launch_status(enum um_status status)
{
    SET(launch_status, status);
}

void fake_overlay_exit(uint32_t code)
{
    lock();
    fake.overlay.running = false;
    fake.overlay.code = code;
    unlock();
}

void fake_stream_begin(struct fake_stream *stream, const struct um_transport *transport,
                       struct um_conn *conn)
{
    stream->transport = transport;
    stream->conn = conn;
    um_frame_reader_init(&stream->frames, stream->bytes, sizeof stream->bytes);
}

enum um_status fake_stream_read(struct fake_stream *stream, uint32_t timeout_ms)
{
    size_t room;
    size_t got;
    uint8_t *bytes = um_frame_reader_room(&stream->frames, &room);
    enum um_status status = stream->transport->read(stream->conn, bytes, room, timeout_ms, &got);
    if (status == UM_OK)
        um_frame_reader_add(&stream->frames, got);
    return status;
}

static void put(struct dll *dll, const struct um_wire_frame *frame)
{
    size_t len;
    enum um_status status =
        um_wire_encode(frame, dll->bytes + dll->len, sizeof dll->bytes - dll->len, &len);
    assert(status == UM_OK);
    (void)status;
    dll->len += len;
}

static void put_taken(struct dll *dll, uint32_t message, uint8_t flags)
{
    struct um_wire_frame frame = {.type = UM_WIRE_TAKEN, .flags = flags};
    frame.as.taken = (struct um_wire_taken){.time_ns = um_clock_now_ns(),
                                            .hwnd = FAKE_BUTTON,
                                            .message = message,
                                            .age_ms = UM_WIRE_AGE_UNKNOWN};
    put(dll, &frame);
}

static void put_time(struct dll *dll, enum um_wire_type type)
{
    struct um_wire_frame frame = {.type = (uint8_t)type};
    if (type == UM_WIRE_DRAINED)
        frame.as.drained = (struct um_wire_drained){.time_ns = um_clock_now_ns()};
    else
        frame.as.bye.time_ns = um_clock_now_ns();
    put(dll, &frame);
}

/* Thread: holds the mutex, as the control may see the beat from here on. */
static void send_beat(struct dll *dll)
{
    struct um_wire_frame frame = {.type = UM_WIRE_SENT};
    uint8_t kind = dll->once ? dll->once : dll->beat_kind;
    if (kind == UM_BEAT_KIND_AUTO)
        kind = UM_BEAT_KIND_STILL;
    frame.as.sent =
        (struct um_wire_sent){.time_ns = um_clock_now_ns(), .seq = ++fake.seq, .beat_kind = kind};
    dll->once = UM_BEAT_KIND_AUTO;
    dll->out = fake.seq;
    dll->dropped = fake.shielded || (fake.drops_zero && kind != UM_BEAT_KIND_PAIR);
    put(dll, &frame);
    if (dll->dropped)
        return;
    if (fake.seen_count == SIGHTINGS) /* the monitor has not looked for long: the oldest goes */
        memmove(fake.seen, fake.seen + 1, --fake.seen_count * sizeof fake.seen[0]);
    fake.seen[fake.seen_count++] = frame.as.sent;
}

static void answer_beat(struct dll *dll)
{
    struct um_wire_frame frame = {.type = UM_WIRE_SEEN, .flags = UM_WIRE_SEEN_RAW};
    put_taken(dll, BEAT_TAKEN, UM_WIRE_TAKEN_OURS);
    frame.as.seen = (struct um_wire_seen){.time_ns = um_clock_now_ns(), .seq = dll->out};
    dll->out = 0;
    put(dll, &frame);
}

/* Puts down what has happened since the last turn. False if the DLL goes. */
static bool observe(struct dll *dll)
{
    dll->len = 0;
    um_thread_lock(&mutex);
    bool stays = fake.process.running && !fake.leaves && !fake.babbles;
    if (dll->out && !dll->dropped && !(fake.frozen && dll->was_frozen))
        answer_beat(dll);
    if (fake.frozen && !dll->was_frozen)
        put_taken(dll, FAKE_FREEZES_AT, 0);
    dll->was_frozen = fake.frozen;
    for (; fake.presses && !fake.frozen; fake.presses--)
        put_taken(dll, UM_MESSAGE_KEY_DOWN, UM_WIRE_TAKEN_INPUT | UM_WIRE_TAKEN_STARTS);
    if (!dll->out)
        send_beat(dll);
    put_time(dll, UM_WIRE_DRAINED);
    if (fake.leaves)
        put_time(dll, UM_WIRE_BYE);
    if (fake.babbles)
        memset(dll->bytes, 0xff, dll->len);
    fake.leaves = fake.never_stays;
    fake.babbles = false;
    um_thread_unlock(&mutex);
    return stays;
}

/* Takes the monitor's commands for a period. False if it wants the DLL to leave. */
static bool obey(struct dll *dll)
{
    struct um_wire_frame command;
    enum um_status status = fake_stream_read(&dll->in, FAKE_PERIOD_MS);
    if (status != UM_OK && status != UM_ERR_TIMEOUT)
        return false;
    bool stays = true;
    lock();
    while (um_frame_reader_next(&dll->in.frames, &command) == UM_OK) {
        if (fake.command_count < COMMANDS)
            fake.commands[fake.command_count++] = command;
        stays = stays && command.type != UM_WIRE_STOP;
        if (command.type == UM_WIRE_ABANDON && command.as.command.value == dll->out)
            dll->out = 0;
        if (command.type == UM_WIRE_USE_BEAT_KIND && command.flags & UM_WIRE_USE_BEAT_KIND_ONCE)
            dll->once = (uint8_t)command.as.command.value;
        else if (command.type == UM_WIRE_USE_BEAT_KIND)
            dll->beat_kind = (uint8_t)command.as.command.value;
    }
    unlock();
    return stays;
}

static bool write_out(const struct dll *dll)
{
    return dll->in.transport->write(dll->in.conn, dll->bytes, dll->len, FAKE_HANG_MS) == UM_OK;
}

/* The messages that bring the DLL wait while the UI thread takes none. */
static bool wait_for_thaw(const struct um_frame_source *source)
{
    um_thread_lock(&mutex);
    while (fake.frozen && fake.process.running && !source->given_up)
        um_thread_wait(&changed, &mutex, UM_THREAD_FOREVER_NS);
    bool comes = fake.process.running && !source->given_up;
    fake.attachments += comes;
    um_thread_unlock(&mutex);
    return comes;
}

static void put_hello(struct dll *dll, const struct um_frame_source *source)
{
    struct um_wire_frame hello = {.type = UM_WIRE_HELLO};
    struct um_wire_frame probe = {.type = UM_WIRE_PROBE};
    hello.as.hello = (struct um_wire_hello){
        .pid = FAKE_PID, .tid = source->tid, .hwnd = 1, .time_ns = um_clock_now_ns()};
    memcpy(hello.as.hello.nonce, source->nonce, sizeof source->nonce);
    probe.as.probe = (struct um_wire_probe){.time_ns = um_clock_now_ns(),
                                            .probe = UM_PROBE_RAW,
                                            .status = UM_PROBE_ACTIVE,
                                            .reason = UM_PROBE_REASON_DEFAULT};
    um_wire_put_preamble(dll->bytes);
    dll->len = UM_WIRE_PREAMBLE_BYTES;
    put(dll, &hello);
    put(dll, &probe);
}

static void run_dll(void *context)
{
    const struct um_frame_source *source = context;
    const struct um_transport *memory = um_transport_memory();
    struct um_conn *conn;
    struct dll dll = {.out = 0};

    if (!wait_for_thaw(source) || memory->connect(source->pipe, 0, &conn) != UM_OK)
        return; /* the monitor has given up */
    fake_stream_begin(&dll.in, memory, conn);
    put_hello(&dll, source);
    bool stays = write_out(&dll);
    while (stays && !dll.in.frames.greeted)
        stays = obey(&dll);
    while (stays) {
        stays = observe(&dll);
        stays = write_out(&dll) && stays && obey(&dll);
    }
    memory->close(conn);
}

/* From here on the backends: frame_source.h, then control.h, target.h and hotkeys.h. */

static enum um_status frames_read(struct um_frame_source *source, uint32_t timeout_ms)
{
    return fake_stream_read(&source->in, timeout_ms);
}

static enum um_status frames_next(struct um_frame_source *source, struct um_wire_frame *frame)
{
    return um_frame_reader_next(&source->in.frames, frame);
}

static bool read_hello(struct um_frame_source *source, struct um_wire_frame *hello)
{
    enum um_status status;
    while ((status = frames_next(source, hello)) == UM_ERR_PARTIAL)
        if (fake_stream_read(&source->in, FAKE_HANG_MS) != UM_OK)
            return false;
    return status == UM_OK && hello->type == UM_WIRE_HELLO &&
           memcmp(hello->as.hello.nonce, source->nonce, sizeof source->nonce) == 0;
}

static bool is_frozen(void)
{
    lock();
    bool frozen = fake.frozen;
    unlock();
    return frozen;
}

static enum um_status wait_for_hello(struct um_frame_source *source,
                                     const struct um_target_process *process,
                                     const struct um_frame_source_host *host,
                                     struct um_wire_frame *hello)
{
    bool said_frozen = false;
    for (;;) {
        enum um_status status =
            source->in.transport->accept(source->listener, FAKE_PERIOD_MS, &source->in.conn);
        if (status == UM_OK)
            return read_hello(source, hello) ? UM_OK : UM_ERR_CLOSED;
        if (host->give_up(host->context) || !um_target->running(process))
            return UM_ERR_CLOSED;
        if (!said_frozen && is_frozen()) {
            host->say(host->context, "the program is frozen; watching begins when it comes back");
            said_frozen = true;
        }
    }
}

static enum um_status frames_open(const struct um_target_info *target,
                                  const struct um_target_process *process,
                                  const struct um_frame_source_host *host,
                                  struct um_frame_source **source_out, struct um_wire_frame *hello,
                                  char *error, size_t error_cap)
{
    uint8_t preamble[UM_WIRE_PREAMBLE_BYTES];
    lock();
    enum um_status status = fake.refusal;
    if (status != UM_OK)
        um_text_set(error, error_cap, fake.refusal_text);
    unlock();
    if (status != UM_OK)
        return status;

    struct um_frame_source *source = calloc(1, sizeof *source);
    if (!source)
        return UM_ERR_MEMORY;
    fake_stream_begin(&source->in, um_transport_memory(), NULL);
    source->tid = target->tid;
    status = um_transport_random_name(UM_BOOTSTRAP_PIPE_PURPOSE, source->pipe, source->nonce);
    if (status == UM_OK)
        status = source->in.transport->listen(source->pipe, 0, &source->listener);
    source->asked_ns = um_clock_now_ns();
    if (status == UM_OK)
        status = um_thread_start(run_dll, source, &source->dll);
    if (status == UM_OK)
        status = wait_for_hello(source, process, host, hello);
    um_wire_put_preamble(preamble);
    if (status == UM_OK)
        status =
            source->in.transport->write(source->in.conn, preamble, sizeof preamble, FAKE_HANG_MS);
    if (status == UM_OK)
        *source_out = source;
    else
        um_target->frames->close(source);
    return status;
}

static uint64_t frames_asked_ns(const struct um_frame_source *source)
{
    return source->asked_ns;
}

static enum um_status frames_command(struct um_frame_source *source,
                                     const struct um_wire_frame *command)
{
    uint8_t buf[UM_WIRE_MAX_BYTES];
    size_t len;
    enum um_status status = um_wire_encode(command, buf, sizeof buf, &len);
    if (status != UM_OK)
        return status;
    return source->in.transport->write(source->in.conn, buf, len, FAKE_HANG_MS);
}

static void frames_close(struct um_frame_source *source)
{
    if (!source)
        return;
    lock();
    source->given_up = true;
    unlock();
    source->in.transport->close_listener(source->listener);
    source->in.transport->close(source->in.conn);
    um_thread_join(&source->dll);
    free(source);
}

static enum um_status control_open(enum um_watch_input watch, uint32_t target_pid,
                                   struct um_control **control)
{
    (void)target_pid;
    lock();
    bool refused = fake.no_control;
    fake.control.keeps_arrivals = watch != UM_WATCH_INPUT_OFF;
    unlock();
    if (refused)
        return UM_ERR_UNSUPPORTED;
    *control = &fake.control;
    return UM_OK;
}

static bool control_pop(struct um_control *control, uint32_t *seq, uint64_t *time_ns)
{
    (void)control;
    lock();
    bool has = fake.seen_count > 0;
    if (has) {
        *seq = fake.seen[0].seq;
        *time_ns = fake.seen[0].time_ns;
        memmove(fake.seen, fake.seen + 1, --fake.seen_count * sizeof fake.seen[0]);
    }
    unlock();
    return has;
}

static bool control_pop_arrival(struct um_control *control, struct um_arrival *arrival)
{
    (void)control;
    lock();
    bool has = fake.arrival_count > 0;
    if (has) {
        *arrival = fake.arrivals[0];
        memmove(fake.arrivals, fake.arrivals + 1, --fake.arrival_count * sizeof fake.arrivals[0]);
    }
    unlock();
    return has;
}

static uint64_t control_lost(const struct um_control *control)
{
    (void)control;
    return 0;
}

static uint64_t control_last_input_ns(const struct um_control *control)
{
    (void)control;
    lock();
    uint64_t last_ns = fake.last_input_ns;
    unlock();
    return last_ns;
}

static void control_close(struct um_control *control)
{
    (void)control;
}

static enum um_status target_look(uint32_t pid, uint32_t thread_id, struct um_target_info *info)
{
    (void)pid, (void)thread_id;
    *info = fake_target_info();
    return info->hwnd ? UM_OK : UM_ERR_NOT_FOUND;
}

static enum um_status target_find(const struct um_target_spec *spec, struct um_target_info **list,
                                  size_t *count)
{
    struct um_target_info *made = malloc(sizeof *made);
    if (!made)
        return UM_ERR_MEMORY;
    *made = fake_target_info();
    *count = um_target_spec_fits(spec, made);
    *list = made;
    return UM_OK;
}

static enum um_status target_open(uint32_t pid, struct um_target_process **process)
{
    (void)pid;
    *process = &fake.process;
    return UM_OK;
}

static bool target_window_alive(uint64_t hwnd, uint32_t tid)
{
    struct um_target_info info = fake_target_info();
    return hwnd && info.hwnd == hwnd && info.tid == tid;
}

static bool target_window_shown(uint64_t hwnd)
{
    return fake_target_info().hwnd == hwnd;
}

static const char *target_why_no_stacks(void)
{
    lock();
    const char *why = fake.why_no_stacks ? fake.why_no_stacks : "";
    unlock();
    return why;
}

static bool target_is_shielded(uint32_t pid)
{
    (void)pid;
    lock();
    bool shielded = fake.shielded;
    unlock();
    return shielded;
}

static bool target_window_class(uint64_t hwnd, char *buf, size_t cap_bytes)
{
    um_text_set(buf, cap_bytes, "Button");
    return hwnd == FAKE_BUTTON;
}

static bool target_window_about(uint64_t hwnd, struct um_target_about *about)
{
    static const struct {
        const char *window_class;
        uint64_t parent;
    } windows[] = {[FAKE_WINDOW] = {"Fake", 0},
                   [FAKE_BUTTON] = {"Button", FAKE_WINDOW},
                   [FAKE_HELPER] = {"Helper", FAKE_MESSAGE},
                   [FAKE_MESSAGE] = {"Message", 0}};
    if (hwnd < FAKE_WINDOW || hwnd > FAKE_MESSAGE)
        return false;
    *about = (struct um_target_about){.parent = windows[hwnd].parent,
                                      .has_children = windows[hwnd].parent == 0,
                                      .is_message_only = hwnd == FAKE_HELPER,
                                      .class_module = FAKE_MODULE};
    um_text_set(about->window_class, sizeof about->window_class, windows[hwnd].window_class);
    um_text_set(about->base_class, sizeof about->base_class, about->window_class);
    return true;
}

/* The main window's client area, and the button in it. */
static bool target_window_area(uint64_t hwnd, uint64_t root, struct um_target_area *area)
{
    bool is_button = hwnd == FAKE_BUTTON;
    *area = (struct um_target_area){.right = 400, .bottom = 300, .units = 1, .shown = true};
    if (is_button)
        *area = (struct um_target_area){-10, 20, 80, 45, .units = 1, .shown = true};
    return root == FAKE_WINDOW && (is_button || hwnd == FAKE_WINDOW);
}

static enum um_status target_thread_windows(uint32_t tid, size_t most, uint64_t **list,
                                            size_t *count)
{
    uint64_t *windows = calloc(2, sizeof *windows);
    (void)tid, (void)most;
    assert(windows && tid == FAKE_TID && most >= 2);
    windows[0] = FAKE_WINDOW;
    windows[1] = FAKE_BUTTON;
    *list = windows;
    *count = 2;
    return UM_OK;
}

static bool target_is_system_module(uint32_t pid, uint64_t address)
{
    (void)pid, (void)address;
    assert(pid == FAKE_PID && address == FAKE_MODULE);
    return false;
}

static bool target_message_name(uint32_t message, char *buf, size_t cap_bytes)
{
    (void)message, (void)buf, (void)cap_bytes;
    return false;
}

static uint32_t target_pid(const struct um_target_process *process)
{
    (void)process;
    return FAKE_PID;
}

static enum um_status target_started(const struct um_target_process *launched, uint32_t **pids,
                                     size_t *count)
{
    (void)launched;
    lock();
    *count = fake.has_started ? 1 : 0;
    unlock();
    *pids = malloc(sizeof **pids);
    if (!*pids)
        return UM_ERR_MEMORY;
    **pids = FAKE_PID;
    return UM_OK;
}

static enum um_status target_start_helper(char *const *argv, int argc, intptr_t handle,
                                          struct um_target_process **process)
{
    (void)argv, (void)argc;
    lock();
    enum um_status status = fake.launch_status;
    enum um_status (*part)(intptr_t) = fake.part;
    unlock();
    if (part)
        status = part(handle);
    lock();
    fake.launches++;
    fake.overlay.running = status == UM_OK;
    unlock();
    *process = status == UM_OK ? &fake.overlay : NULL;
    return status;
}

static enum um_status target_start_aside(char *const *argv, int argc, bool hurries,
                                         struct um_target_process **process)
{
    (void)argv, (void)argc, (void)hurries, (void)process;
    return UM_ERR_NOT_FOUND;
}

static bool target_ignores_ctrl_c(const struct um_target_process *process)
{
    (void)process;
    return false;
}

static enum um_status target_suspended_threads(uint32_t pid, struct um_suspended_source *source)
{
    (void)pid, (void)source;
    return UM_ERR_MEMORY;
}

/* The fake overlay is ready as soon as it runs. */
static bool target_ready(const struct um_target_process *process)
{
    return um_target->running(process);
}

static bool target_running(const struct um_target_process *process)
{
    lock();
    bool running = process->running;
    unlock();
    return running;
}

static enum um_status target_exit_code(const struct um_target_process *process, uint32_t *code)
{
    lock();
    bool running = process->running;
    *code = process->code;
    unlock();
    return running ? UM_ERR_BUSY : UM_OK;
}

static enum um_status target_cpu_ns(const struct um_target_process *process, uint64_t *ns)
{
    (void)process;
    *ns = UM_CLOCK_NS_PER_MS;
    return UM_OK;
}

static void target_kill(struct um_target_process *process)
{
    lock();
    process->running = false;
    unlock();
}

static void target_close(struct um_target_process *process)
{
    (void)process;
}

/* Hotkeys -------------------------------------------------------------------------------------- */

static struct {
    struct um_hotkey keys[UM_HOTKEYS_MAX];
    void (*pressed)(void *context, size_t which);
    void *context;
} hotkeys;

bool fake_hotkeys_taken;

bool fake_hotkeys_press(size_t which)
{
    if (!hotkeys.pressed || !hotkeys.keys[which].virtual_key)
        return false;
    hotkeys.pressed(hotkeys.context, which);
    return true;
}

static enum um_status hotkeys_open(const struct um_hotkey *keys, size_t count,
                                   void (*pressed)(void *context, size_t which), void *context,
                                   bool *taken, struct um_hotkeys **made)
{
    for (size_t i = 0; i < count; i++) {
        hotkeys.keys[i] = keys[i];
        /* As the system: a second one of the same keys is refused. */
        taken[i] =
            keys[i].virtual_key && (fake_hotkeys_taken || um_hotkey_same(keys, taken, i) != i);
    }
    hotkeys.pressed = pressed;
    hotkeys.context = context;
    *made = NULL;
    return UM_OK;
}

static void hotkeys_close(struct um_hotkeys *made)
{
    (void)made;
    hotkeys.pressed = NULL;
}

static const struct um_frame_source_backend frames = {
    .open = frames_open,
    .asked_ns = frames_asked_ns,
    .read = frames_read,
    .next = frames_next,
    .command = frames_command,
    .close = frames_close,
};

static const struct um_control_backend control = {
    .open = control_open,
    .pop = control_pop,
    .pop_arrival = control_pop_arrival,
    .lost = control_lost,
    .last_input_ns = control_last_input_ns,
    .close = control_close,
};

static bool target_has_module(uint32_t pid, const char *const names[])
{
    (void)pid;
    lock();
    const char *module = fake.module;
    unlock();
    while (module && *names && strcmp(*names, module) != 0)
        names++;
    return module && *names;
}

static const struct um_target_backend backend = {
    .frames = &frames,
    .control = &control,
    .find = target_find,
    .look = target_look,
    .why_no_stacks = target_why_no_stacks,
    .window_alive = target_window_alive,
    .window_shown = target_window_shown,
    .window_class = target_window_class,
    .window_about = target_window_about,
    .window_area = target_window_area,
    .thread_windows = target_thread_windows,
    .is_system_module = target_is_system_module,
    .has_module = target_has_module,
    .message_name = target_message_name,
    .is_shielded = target_is_shielded,
    .started = target_started,
    .start_helper = target_start_helper,
    .start_aside = target_start_aside,
    .suspended_threads = target_suspended_threads,
    .open = target_open,
    .pid = target_pid,
    .ignores_ctrl_c = target_ignores_ctrl_c,
    .running = target_running,
    .ready = target_ready,
    .exit_code = target_exit_code,
    .cpu_ns = target_cpu_ns,
    .kill = target_kill,
    .close = target_close,
};

static const struct um_hotkeys_backend fake_hotkeys = {
    .open = hotkeys_open,
    .close = hotkeys_close,
};

void fake_target_start(void)
{
    um_target = &backend;
    um_hotkeys = &fake_hotkeys;
    lock();
    memset(&fake, 0, sizeof fake);
    fake.process.running = true;
    fake.hwnd = FAKE_WINDOW;
    fake.tid = FAKE_TID;
    unlock();
}
