#include "monitor/measure/delivery.h"

#include "base/ns.h"
#include "base/plain/clock.h"
#include "base/plain/message.h"

#define PROMPT_MS 20                      /* a thread that waits takes a marker within this */
#define REST_NS (10 * UM_CLOCK_NS_PER_MS) /* between a marker taken and the next one posted */
#define WAITS 2

static bool comes_after_input(uint32_t message)
{
    return message == UM_MESSAGE_PAINT || message == UM_MESSAGE_TIMER ||
           message == UM_MESSAGE_SYSTEM_TIMER;
}

static void take_marker(struct um_delivery *delivery, const struct um_wire_taken *taken)
{
    uint64_t posted_ns = um_ns_elapsed(taken->age_ms * UM_CLOCK_NS_PER_MS, taken->time_ns);
    bool waited = delivery->marker_ns && taken->age_ms <= PROMPT_MS &&
                  um_ns_elapsed(delivery->marker_ns, posted_ns) >= REST_NS;
    delivery->waits = waited ? delivery->waits + 1 : 0;
    delivery->marker_ns = taken->time_ns;
    delivery->asked = true;
    delivery->missed |= delivery->waits >= WAITS;
}

bool um_delivery_taken(struct um_delivery *delivery, const struct um_wire_frame *frame)
{
    const struct um_wire_taken *taken = &frame->as.taken;
    bool ours = frame->flags & UM_WIRE_TAKEN_OURS;
    if (ours && taken->age_ms != UM_WIRE_AGE_UNKNOWN) {
        take_marker(delivery, taken);
    } else if (!ours) {
        delivery->missed |= delivery->asked && comes_after_input(taken->message);
        delivery->marker_ns = 0;
    }
    return delivery->missed;
}
