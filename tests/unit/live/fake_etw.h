/* A session of ETW that exists in memory alone: a backend of monitor/layout/layout_etw.h.
 * Header-only; one session at a time. */
#ifndef UM_TESTS_FAKE_ETW_H
#define UM_TESTS_FAKE_ETW_H

#include <stdint.h>
#include <string.h>

#include <criterion/criterion.h>

#include "monitor/layout/layout_etw.h"
#include "monitor/layout/layout_recorded.h"

static struct {
    enum um_status result; /* of the next ones that are begun */
    unsigned begun, closed;
    uint32_t pid, thread; /* of the last one */
    struct um_ring *ring;
    bool has_ended;
    const char *unknown;
} fake_etw;

static inline enum um_status fake_etw_open(uint32_t pid, uint32_t tid, struct um_ring *ring,
                                           struct um_layout_etw **etw)
{
    fake_etw.begun++;
    fake_etw.pid = pid;
    fake_etw.thread = tid;
    fake_etw.ring = ring;
    if (fake_etw.result == UM_OK)
        *etw = (struct um_layout_etw *)&fake_etw;
    return fake_etw.result;
}

static inline bool fake_etw_has_ended(const struct um_layout_etw *etw)
{
    cr_assert_not_null(etw);
    return fake_etw.has_ended;
}

static inline const char *fake_etw_unknown(const struct um_layout_etw *etw)
{
    cr_assert_not_null(etw);
    return fake_etw.unknown;
}

static inline void fake_etw_close(struct um_layout_etw *etw)
{
    fake_etw.closed += etw ? 1 : 0;
}

static const struct um_layout_etw_backend fake_etw_backend = {fake_etw_open, fake_etw_has_ended,
                                                              fake_etw_unknown, fake_etw_close};

/* What the session's thread does with up to so many of the recorded events. False: there are no
 * more. */
static inline bool fake_etw_send(struct um_layout_recorded *recorded, size_t most)
{
    struct um_layout_event event;
    enum um_status status = UM_OK;
    for (size_t i = 0; i < most; i++) {
        status = um_layout_recorded_next(recorded, &event);
        if (status != UM_OK)
            break;
        um_layout_event_push(fake_etw.ring, fake_etw.thread, &event);
    }
    cr_assert(status == UM_OK || status == UM_ERR_CLOSED, "line %u", (unsigned)recorded->line);
    return status == UM_OK;
}

static inline void fake_etw_send_text(const char *text)
{
    struct um_layout_recorded recorded = {.text = text, .len_bytes = strlen(text)};
    fake_etw_send(&recorded, SIZE_MAX);
}

#endif
