#include "overlay/drawing_sdl.h"

#include <stdio.h>

#include "base/plain/clock.h"

#define GREEN 0x3ddc84
#define NEUTRAL 0xb9c7d8

enum um_status um_drawing_part(const struct um_drawing *all, struct um_canvas_rect rect,
                               struct um_drawing *part)
{
    *part = *all;
    part->canvas.pixels = um_canvas_row(&all->canvas, rect.y) + rect.x;
    part->canvas.width = rect.width;
    part->canvas.height = rect.height;
    part->surface =
        SDL_CreateRGBSurfaceWithFormatFrom(part->canvas.pixels, rect.width, rect.height, 32,
                                           all->canvas.stride * 4, SDL_PIXELFORMAT_ARGB8888);
    return part->surface ? UM_OK : UM_ERR_MEMORY;
}

void um_drawing_ground(const struct um_drawing *d, struct um_canvas_rect rect)
{
    um_paint_tint(&d->canvas, rect, UM_DRAWING_BACK, 130);
    if (um_drawing_freezes(d))
        um_paint_tint(&d->canvas, rect, um_drawing_status_rgb(d), 76);
}

bool um_drawing_is_hatched(uint8_t state)
{
    return state == UM_STATE_SUSPENDED || state == UM_STATE_BLIND || state == UM_STATE_IDLE;
}

uint32_t um_drawing_state_rgb(enum um_state state)
{
    static const uint32_t rgb[UM_STATE_COUNT] = {
        [UM_STATE_SUSPENDED] = 0x5ab0f6,     [UM_STATE_BLIND] = 0xc39bff,
        [UM_STATE_IDLE] = UM_DRAWING_DIM,    [UM_STATE_FROZEN] = UM_DRAWING_RED,
        [UM_STATE_STARVED] = 0xff7a3c,       [UM_STATE_SLOW] = UM_DRAWING_AMBER,
        [UM_STATE_RESPONSIVE] = GREEN,       [UM_STATE_OWN_BEAT] = 0x5fd0c0,
        [UM_STATE_UNKNOWN] = UM_DRAWING_DIM,
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

uint32_t um_drawing_state_words(const struct um_drawing *d, char *words, size_t cap_bytes)
{
    const struct um_model_view *view = d->view;
    char span[UM_TEXT_BYTES] = "";

    if (view->link == UM_MODEL_LIVE && um_drawing_is_hatched((uint8_t)view->state) &&
        view->state_for_ns >= UM_CLOCK_NS_PER_S)
        um_text_span(view->state_for_ns, span);
    snprintf(words, cap_bytes, "%s%s%s", um_drawing_status_word(d), span[0] != '\0' ? " " : "",
             span);
    return um_drawing_freezes(d) ? UM_DRAWING_WHITE : um_drawing_status_rgb(d);
}

bool um_drawing_freezes(const struct um_drawing *d)
{
    return d->view->link == UM_MODEL_LIVE && um_wire_state_is_freeze((uint8_t)d->view->state);
}

static const char *words_without_lag(const struct um_drawing *d)
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
    case UM_STATE_OWN_BEAT:
    case UM_STATE_FROZEN:
    case UM_STATE_STARVED:
    case UM_STATE_SLOW:
    case UM_STATE_RESPONSIVE:
        return d->view->had_lag ? "no beat now" : "no beat yet";
    default:
        return "not known";
    }
}

const char *um_drawing_lag_words(const struct um_drawing *d, const char *past,
                                 char number[2 * UM_TEXT_BYTES], uint32_t *rgb)
{
    char length[UM_TEXT_BYTES];

    *rgb = UM_DRAWING_DIM;
    if (!d->view->has_lag)
        return words_without_lag(d);
    um_text_lag(d->view->lag_ns, length);
    snprintf(number, 2 * UM_TEXT_BYTES, "%s%s%s", d->view->lag_is_past ? past : "",
             d->view->lag_is_past ? " " : "", length);
    *rgb = um_drawing_freezes(d) ? UM_DRAWING_WHITE : um_drawing_lag_rgb(d, d->view->lag_ns);
    return number;
}

uint32_t um_drawing_number_rgb(const struct um_drawing *d, uint64_t lag_ns)
{
    return lag_ns >= d->view->slow_ns ? um_drawing_lag_rgb(d, lag_ns) : UM_DRAWING_TEXT;
}

uint32_t um_drawing_p99(const struct um_drawing *d, char number[UM_TEXT_BYTES])
{
    snprintf(number, UM_TEXT_BYTES, "–");
    if (!d->view->has_latency)
        return UM_DRAWING_DIM;
    um_text_lag(d->view->status.p99_ns, number);
    return um_drawing_number_rgb(d, d->view->status.p99_ns);
}

int um_drawing_pair(const struct um_drawing *d, int right, int y, const char *name,
                    const char *number, uint32_t rgb, uint32_t dim)
{
    int x = right - width_of(d, UM_GLYPHS_PLAIN, number);

    text(d, UM_GLYPHS_PLAIN, x, y, 0, rgb, number);
    if (name[0] == '\0')
        return x;
    x -= width_of(d, UM_GLYPHS_PLAIN, name) + px(d, 4);
    text(d, UM_GLYPHS_PLAIN, x, y, 0, dim, name);
    return x;
}
