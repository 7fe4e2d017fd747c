#include "monitor/measure/idle_detection.h"

#include <string.h>

#include "base/plain/message.h"
#include "base/ns.h"
#include "base/plain/clock.h"

/* A thread at rest takes a beat in this time. It is half of UM_STRETCH_READY_NS: when in doubt, the
 * watchdog counts a thread as ready, so as not to show a false freeze. Here it counts as busy, so
 * as not to call a target quiet that still works. */
#define AT_ONCE_NS UM_CLOCK_NS_PER_MS

void um_idle_detection_init(struct um_idle_detection *quiet, uint64_t slow_ns,
                            const struct um_beats *beats)
{
    memset(quiet, 0, sizeof *quiet);
    quiet->slow_ns = slow_ns;
    quiet->beats = beats;
}

static void busy_until(struct um_idle_detection *quiet, uint64_t time_ns)
{
    quiet->busy_ns = um_ns_max(quiet->busy_ns, time_ns);
}

void um_idle_detection_attached(struct um_idle_detection *quiet, uint64_t seen_ns)
{
    quiet->answered = false;
    quiet->work_ns = 0;
    quiet->seen_ns = seen_ns;
    busy_until(quiet, seen_ns);
}

void um_idle_detection_detached(struct um_idle_detection *quiet)
{
    quiet->answered = false;
}

/* The thread has taken something, so the message before it is done. `sent_ns` is when the
 * outstanding or taken beat was sent; 0 for none. */
static void end_work(struct um_idle_detection *quiet, uint64_t time_ns, uint64_t sent_ns)
{
    bool rested = sent_ns >= quiet->work_ns && time_ns <= sent_ns + AT_ONCE_NS;
    if (quiet->work_ns)
        busy_until(quiet, rested ? sent_ns : time_ns);
    quiet->work_ns = 0;
}

/* Everything up to `drained_ns` is known. */
static void on_drained(struct um_idle_detection *quiet, uint64_t drained_ns)
{
    uint64_t sent_ns = quiet->beats->out.sent_ns;
    uint64_t since_ns = um_ns_max(quiet->work_ns, sent_ns);
    if (quiet->work_ns && sent_ns && drained_ns > since_ns + AT_ONCE_NS)
        busy_until(quiet, drained_ns);
}

static void on_seen(struct um_idle_detection *quiet, const struct um_wire_seen *seen)
{
    end_work(quiet, seen->time_ns, um_beats_answered_ns(quiet->beats, seen->seq));
    quiet->answered = true;
}

static bool is_work(const struct um_wire_frame *frame)
{
    switch (frame->as.taken.message) {
    case UM_MESSAGE_PAINT:
    case UM_MESSAGE_TIMER:
    case UM_MESSAGE_SYSTEM_TIMER:
        return false;
    default:
        return !um_message_is_mouse_move(frame->as.taken.message) &&
               !(frame->flags & UM_WIRE_TAKEN_OURS);
    }
}

static void on_taken(struct um_idle_detection *quiet, const struct um_wire_frame *frame)
{
    uint64_t time_ns = frame->as.taken.time_ns;
    end_work(quiet, time_ns, quiet->beats->out.sent_ns);
    if (!is_work(frame))
        return;
    busy_until(quiet, time_ns);
    quiet->work_ns = time_ns;
}

static bool is_slow(const struct um_idle_detection *quiet, uint64_t latency_ns)
{
    return latency_ns >= quiet->slow_ns;
}

void um_idle_detection_frame(struct um_idle_detection *quiet, const struct um_wire_frame *frame)
{
    switch (frame->type) {
    case UM_WIRE_DRAINED:
        on_drained(quiet, frame->as.drained.time_ns);
        break;
    case UM_WIRE_SEEN:
        on_seen(quiet, &frame->as.seen);
        break;
    case UM_WIRE_TAKEN:
        on_taken(quiet, frame);
        break;
    case UM_WIRE_BEAT:
        if (is_slow(quiet, frame->as.beat.latency_ns))
            busy_until(quiet, frame->as.beat.sent_ns + frame->as.beat.latency_ns);
        break;
    default:
        break;
    }
}

void um_idle_detection_tick(struct um_idle_detection *quiet, const struct um_watchdog_view *view,
                            uint64_t now_ns)
{
    bool unseen = view->state == UM_STATE_SUSPENDED || view->state == UM_STATE_BLIND;
    bool slow = view->waited_ns && is_slow(quiet, view->waited_ns);
    if (unseen)
        quiet->seen_ns = um_ns_max(quiet->seen_ns, now_ns);
    if (unseen || slow)
        busy_until(quiet, now_ns);
}

uint64_t um_idle_detection_since_ns(const struct um_idle_detection *quiet)
{
    return quiet->answered ? quiet->busy_ns : 0;
}

uint64_t um_idle_detection_seen_ns(const struct um_idle_detection *quiet)
{
    return quiet->answered ? quiet->seen_ns : 0;
}
