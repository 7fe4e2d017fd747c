/* The control on X11: how long the user has used no device, by the server's own account (the
 * MIT-SCREEN-SAVER extension), which says nothing of which keys they were. Of beats it is told by
 * the frame source (target_x11.h).
 */
#include "monitor/target/control.h"

#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <xcb/screensaver.h>

#include "base/ns.h"
#include "base/plain/clock.h"
#include "base/plain/ring.h"
#include "base/thread.h"
#include "monitor/target/display_x11.h"
#include "monitor/target/target_x11.h"

#define BEATS 64
#define LOOK_MS 100
#define LATE_NS (LOOK_MS / 2 * UM_CLOCK_NS_PER_MS)

struct um_control {
    struct um_display display;
    int wake; /* an eventfd; what is written to it ends the thread */
    struct um_thread thread;
    _Atomic uint64_t last_input_ns;
    _Atomic int stop;
};

/* What um_control_x11_saw has handed over, from the frame source's thread to that of pop. */
static struct um_ring_slot slots[BEATS];
static struct um_ring beats;

void um_control_x11_saw(uint32_t seq, uint64_t time_ns)
{
    const struct um_ring_record record = {{time_ns, seq, 0, 0}};
    if (beats.slots)
        um_ring_push(&beats, &record);
}

/* A server that does not keep that account has a user who is always there. */
static void look(struct um_control *control)
{
    xcb_screensaver_query_info_reply_t *info = xcb_screensaver_query_info_reply(
        control->display.xcb,
        xcb_screensaver_query_info(control->display.xcb, control->display.root), NULL);
    uint64_t now_ns = um_clock_now_ns();
    uint64_t calm_ns = info ? info->ms_since_user_input * UM_CLOCK_NS_PER_MS : 0;
    free(info);
    uint64_t last_ns = um_ns_elapsed(calm_ns, now_ns);
    /* An answer that comes later than the one before makes the same input look younger. */
    if (last_ns > atomic_load(&control->last_input_ns) + LATE_NS)
        atomic_store(&control->last_input_ns, last_ns);
}

static void run(void *context)
{
    struct um_control *control = context;
    struct pollfd wake = {.fd = control->wake, .events = POLLIN};
    while (!atomic_load(&control->stop) && um_display_lives(&control->display)) {
        look(control);
        um_display_drain(&control->display);
        poll(&wake, 1, LOOK_MS);
    }
}

static void release(struct um_control *control)
{
    um_display_close(&control->display);
    if (control->wake >= 0)
        close(control->wake);
    free(control);
}

static enum um_status open_control(enum um_watch_input watch, uint32_t target_pid,
                                   struct um_control **control)
{
    struct um_control *made = calloc(1, sizeof *made);
    (void)watch, (void)target_pid;
    if (!made)
        return UM_ERR_MEMORY;
    made->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    enum um_status status = um_display_open(&made->display) == UM_OK ? UM_OK : UM_ERR_IO;
    if (status == UM_OK && made->wake < 0)
        status = UM_ERR_MEMORY;
    um_ring_init(&beats, slots, BEATS);
    if (status == UM_OK)
        status = um_thread_start(run, made, &made->thread);
    if (status != UM_OK) {
        release(made);
        return status;
    }
    *control = made;
    return UM_OK;
}

static bool pop(struct um_control *control, uint32_t *seq, uint64_t *time_ns)
{
    struct um_ring_record record;
    (void)control;
    if (!um_ring_pop(&beats, &record))
        return false;
    *time_ns = record.word[0];
    *seq = (uint32_t)record.word[1];
    return true;
}

static bool pop_arrival(struct um_control *control, struct um_arrival *arrival)
{
    (void)control, (void)arrival;
    return false;
}

static uint64_t lost(const struct um_control *control)
{
    (void)control;
    return 0;
}

static uint64_t last_input_ns(const struct um_control *control)
{
    return atomic_load(&control->last_input_ns);
}

static void close_control(struct um_control *control)
{
    uint64_t one = 1;
    if (!control)
        return;
    atomic_store(&control->stop, 1);
    (void)!write(control->wake, &one, sizeof one);
    um_display_give_up(&control->display); /* the server may hang */
    um_thread_join(&control->thread);
    release(control);
}

const struct um_control_backend um_control_x11 = {
    .open = open_control,
    .pop = pop,
    .tells_arrivals = false,
    .pop_arrival = pop_arrival,
    .lost = lost,
    .last_input_ns = last_input_ns,
    .close = close_control,
};
