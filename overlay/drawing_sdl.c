#include "overlay/drawing_sdl.h"

#include <stdio.h>

#include "ipc/clock.h"
#include "overlay/text.h"

#define GREEN 0x3ddc84
#define NEUTRAL 0xb9c7d8

bool um_drawing_is_hatched(uint8_t state)
{
    return state == UM_STATE_SUSPENDED || state == UM_STATE_BLIND || state == UM_STATE_IDLE;
}

uint32_t um_drawing_state_rgb(enum um_state state)
{
    static const uint32_t rgb[UM_STATE_COUNT] = {
        [UM_STATE_SUSPENDED] = 0x5ab0f6,  [UM_STATE_BLIND] = 0xc39bff,
        [UM_STATE_IDLE] = UM_DRAWING_DIM, [UM_STATE_FROZEN] = UM_DRAWING_RED,
        [UM_STATE_STARVED] = 0xff7a3c,    [UM_STATE_SLOW] = UM_DRAWING_AMBER,
        [UM_STATE_RESPONSIVE] = GREEN,
    };
    return (unsigned)state < UM_STATE_COUNT ? rgb[state] : UM_DRAWING_DIM;
}

uint32_t um_drawing_lag_rgb(const struct um_drawing *d, uint64_t lag_ns)
{
    if (lag_ns >= d->view->threshold_ns)
        return UM_DRAWING_RED;
    if (lag_ns >= d->view->slow_ns)
        return UM_DRAWING_AMBER;
    return d->view->window_only ? NEUTRAL : GREEN;
}

const char *um_drawing_status_word(const struct um_drawing *d)
{
    switch (d->view->link) {
    case UM_MODEL_WAITING:
        return "waiting for data";
    case UM_MODEL_SILENT:
        return "no data";
    case UM_MODEL_ENDED:
        return "ended";
    case UM_MODEL_LIVE:
        break;
    }
    return um_wire_state_words(d->view->state, d->view->window_only);
}

uint32_t um_drawing_status_rgb(const struct um_drawing *d)
{
    if (d->view->link != UM_MODEL_LIVE)
        return UM_DRAWING_DIM;
    if (d->view->window_only && d->view->state == UM_STATE_RESPONSIVE)
        return NEUTRAL;
    return um_drawing_state_rgb(d->view->state);
}

void um_drawing_state_words(const struct um_drawing *d, char *words, size_t cap_bytes)
{
    const struct um_model_view *view = d->view;
    char span[UM_TEXT_BYTES] = "";

    if (view->link == UM_MODEL_LIVE && um_drawing_is_hatched((uint8_t)view->state) &&
        view->state_for_ns >= UM_CLOCK_NS_PER_S)
        um_text_span(view->state_for_ns, span);
    snprintf(words, cap_bytes, "%s%s%s", um_drawing_status_word(d), span[0] != '\0' ? " " : "",
             span);
}

bool um_drawing_freezes(const struct um_drawing *d)
{
    return d->view->link == UM_MODEL_LIVE && um_wire_state_is_freeze((uint8_t)d->view->state);
}

const char *um_drawing_lag_words(const struct um_drawing *d)
{
    switch (d->view->link) {
    case UM_MODEL_WAITING:
        return "no data yet";
    case UM_MODEL_SILENT:
        return "no signal";
    case UM_MODEL_ENDED:
        return "stopped";
    case UM_MODEL_LIVE:
        break;
    }
    switch (d->view->state) {
    case UM_STATE_SUSPENDED:
        return "not running";
    case UM_STATE_BLIND:
        return "cannot see";
    case UM_STATE_IDLE:
        return "paused";
    default:
        return "no beat yet";
    }
}

uint32_t um_drawing_caption_rgb(const struct um_drawing *d)
{
    return d->view->proving ? UM_DRAWING_AMBER : UM_DRAWING_TEXT;
}

uint32_t um_drawing_p99_rgb(const struct um_drawing *d)
{
    if (!d->view->has_latency)
        return UM_DRAWING_DIM;
    return d->view->p99_ns >= d->view->slow_ns ? um_drawing_lag_rgb(d, d->view->p99_ns)
                                               : UM_DRAWING_TEXT;
}
