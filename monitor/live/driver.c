#include "monitor/live/driver.h"

#include "base/ns.h"

void um_driver_attached(struct um_driver *driver, struct um_frame_source *source,
                        const struct um_wire_hello *hello, uint64_t now_ns)
{
    driver->source = source;
    um_session_attached(driver->session, um_ns_min(hello->time_ns, now_ns), now_ns);
}

void um_driver_take_control(struct um_driver *driver)
{
    struct um_arrival arrival;
    uint32_t seq;
    uint64_t time_ns;
    if (!driver->control)
        return;
    while (driver->controls->pop(driver->control, &seq, &time_ns))
        um_session_control(driver->session, seq, time_ns);
    while (driver->controls->pop_arrival(driver->control, &arrival))
        um_session_arrival(driver->session, &arrival);
    um_session_arrivals_lost(driver->session, driver->controls->lost(driver->control));
    um_session_input(driver->session, driver->controls->last_input_ns(driver->control));
}

/* False if the stream cannot be trusted any more. */
static bool take_frames(struct um_driver *driver, uint64_t now_ns)
{
    struct um_wire_frame frame;
    enum um_status status;

    if (!driver->source)
        return true;
    while ((status = driver->frames->next(driver->source, &frame)) == UM_OK) {
        if (driver->take)
            driver->take(driver->context, &frame, now_ns);
        um_session_frame(driver->session, &frame, now_ns);
    }
    return status == UM_ERR_PARTIAL;
}

bool um_driver_turn(struct um_driver *driver, uint64_t now_ns)
{
    if (!take_frames(driver, now_ns))
        return false;
    um_driver_take_control(driver);
    um_session_tick(driver->session, now_ns);
    return true;
}

void um_driver_detached(struct um_driver *driver, uint64_t now_ns)
{
    driver->source = NULL;
    um_session_detached(driver->session, now_ns);
}
