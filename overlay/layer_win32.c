#include "overlay/layer.h"

#include <assert.h>
#include <stdlib.h>
#include <windows.h>

#include "base/plain/clock.h"
#include "base/plain/timer_win32.h"
#include "overlay/anchor_win32.h"
#include "overlay/layered_win32.h"

#define MOVING_POLL_NS (16 * UM_CLOCK_NS_PER_MS)
#define REST_POLL_NS (66 * UM_CLOCK_NS_PER_MS)
#define CALM_POLL_NS (250 * UM_CLOCK_NS_PER_MS)
#define MOVING_FOR_NS (400 * UM_CLOCK_NS_PER_MS)
#define RAISE_NS UM_CLOCK_NS_PER_S /* at most so often: some targets are above all others */
#define LIMIT_MS 60000             /* a single wait is not longer */
#define CLASS_NAME L"" UM_OVERLAY_CLASS

struct um_layer {
    struct um_anchor anchor;
    struct um_layered layered;
    HANDLE wake;
    HANDLE timer;             /* NULL: the system has none */
    struct um_canvas picture; /* what the screen is to show */
    uint64_t poll_ns;
    uint64_t raised_ns; /* when it was put above the target again */
    HWND said_hider;    /* the monitor knows it */
    bool calm;          /* nobody uses the machine */
};

enum um_status um_layer_open(const struct um_layer_options *options, struct um_layer **layer)
{
    struct um_layer *made = calloc(1, sizeof *made);

    if (!made)
        return UM_ERR_MEMORY;
    um_anchor_init(options, &made->anchor);
    made->wake = CreateEventW(NULL, FALSE, FALSE, NULL);
    made->timer = um_timer_open();
    if (um_layered_open(CLASS_NAME, L"uimon overlay", &made->layered) != UM_OK || !made->wake) {
        um_layer_close(made);
        return UM_ERR_IO;
    }
    made->anchor.own = made->layered.window;
    *layer = made;
    return UM_OK;
}

void um_layer_close(struct um_layer *layer)
{
    if (!layer)
        return;
    um_layered_close(&layer->layered);
    um_canvas_free(&layer->picture);
    if (layer->timer)
        CloseHandle(layer->timer);
    if (layer->wake)
        CloseHandle(layer->wake);
    um_anchor_deinit(&layer->anchor);
    free(layer);
}

void um_layer_follow(struct um_layer *layer, uint64_t target)
{
    um_anchor_follow(&layer->anchor, (HWND)(uintptr_t)target);
    layer->poll_ns = 0;
}

void um_layer_hide(struct um_layer *layer, bool hide)
{
    layer->anchor.hidden = hide;
    layer->poll_ns = 0;
}

void um_layer_extend(struct um_layer *layer, int height)
{
    if (layer->anchor.more_height == height)
        return;
    layer->anchor.more_height = height;
    layer->anchor.refresh_ns = 0;
    layer->poll_ns = 0;
}

void um_layer_move(struct um_layer *layer, bool moved)
{
    layer->anchor.moved = moved;
    layer->anchor.refresh_ns = 0;
    layer->poll_ns = 0;
}

void um_layer_calm(struct um_layer *layer, bool calm)
{
    if (layer->calm && !calm)
        layer->poll_ns = 0;
    layer->calm = calm;
}

/* Lets the monitor know which window hides the overlay. */
static void say_hider(struct um_layer *layer)
{
    HWND own = layer->layered.window, hider = layer->anchor.hider;
    if (hider == layer->said_hider)
        return;
    if (hider)
        SetPropW(own, L"" UM_OVERLAY_HIDER, hider);
    else
        RemovePropW(own, L"" UM_OVERLAY_HIDER);
    layer->said_hider = hider;
}

void um_layer_poll(struct um_layer *layer, uint64_t now_ns, struct um_layer_place *place)
{
    const struct um_anchor *anchor = &layer->anchor;

    layer->anchor.picture = layer->layered.shown ? &layer->layered.screen : NULL;
    um_anchor_update(&layer->anchor, now_ns);
    say_hider(layer);
    if (anchor->visible)
        um_layered_move(&layer->layered, &anchor->rect, HWND_TOPMOST);
    else
        um_layered_hide(&layer->layered);
    if (anchor->visible && anchor->is_below && now_ns - layer->raised_ns >= RAISE_NS) {
        um_layered_raise(&layer->layered);
        layer->raised_ns = now_ns;
    }
    bool moving = now_ns - anchor->changed_ns < MOVING_FOR_NS;
    layer->poll_ns = now_ns + (moving ? MOVING_POLL_NS : layer->calm ? CALM_POLL_NS : REST_POLL_NS);
    place->visible = anchor->visible;
    place->x = anchor->rect.left;
    place->y = anchor->rect.top;
    place->width = anchor->rect.right - anchor->rect.left;
    place->height = anchor->rect.bottom - anchor->rect.top;
    place->scale = anchor->place.scale;
    place->look = anchor->place.look;
    place->position = anchor->place.position;
    place->corners = anchor->place.corners;
    place->radius = anchor->place.radius;
}

const char *um_layer_note(struct um_layer *layer)
{
    (void)layer;
    return NULL;
}

uint64_t um_layer_deadline(const struct um_layer *layer)
{
    return layer->poll_ns;
}

/* Showing it ----------------------------------------------------------------------------------- */

static enum um_status make_picture(struct um_layer *layer, int width, int height)
{
    um_canvas_free(&layer->picture);
    enum um_status status = um_layered_resize(&layer->layered, width, height);
    if (status != UM_OK)
        return status;
    status = um_canvas_make(width, height, &layer->picture);
    if (status != UM_OK)
        um_layered_free(&layer->layered);
    return status;
}

enum um_status um_layer_canvas(struct um_layer *layer, struct um_canvas *canvas)
{
    int width = layer->anchor.rect.right - layer->anchor.rect.left;
    int height = layer->anchor.rect.bottom - layer->anchor.rect.top;
    enum um_status status = UM_OK;

    assert(layer->anchor.has_bounds);
    if (layer->picture.width != width || layer->picture.height != height)
        status = make_picture(layer, width, height);
    if (status == UM_OK)
        *canvas = layer->picture;
    return status;
}

enum um_status um_layer_present(struct um_layer *layer)
{
    struct um_layered *layered = &layer->layered;
    struct um_canvas_rect changed = {0};
    bool differs = um_canvas_update(&layered->screen, &layer->picture, &changed);

    if ((differs || layered->whole) &&
        um_layered_update(layered, &layer->anchor.rect, &changed) != UM_OK)
        return UM_ERR_IO;
    if (layer->anchor.visible)
        um_layered_show(layered, HWND_TOPMOST);
    return UM_OK;
}

uint64_t um_layer_window(const struct um_layer *layer)
{
    return (uint64_t)(uintptr_t)layer->layered.window;
}

bool um_layer_target(const struct um_layer *layer, struct um_canvas_rect *bounds)
{
    const struct um_anchor *anchor = &layer->anchor;
    const RECT *on = &anchor->bounds;
    struct um_anchor_rect rect = {on->left, on->top, on->right, on->bottom};

    if (anchor->alone)
        rect = um_anchor_beside(&rect, &anchor->place.rect, anchor->place.position);
    *bounds = (struct um_canvas_rect){rect.left, rect.top, rect.right - rect.left,
                                      rect.bottom - rect.top};
    return anchor->has_bounds && !anchor->hidden;
}

/* Waiting -------------------------------------------------------------------------------------- */

/* A wait's own time limit is rounded to the system's ticks of 15.6 ms, which would halve the number
 * of pictures a second. So a timer ends the wait. The limit is for a system without such a
 * timer. */
static void wait_until(struct um_layer *layer, uint64_t deadline_ns)
{
    HANDLE handles[] = {layer->wake, layer->timer};
    uint64_t now_ns = um_clock_now_ns();
    uint64_t left_ns = deadline_ns > now_ns ? deadline_ns - now_ns : 0;
    bool timed = left_ns > 0 && layer->timer && um_timer_set(layer->timer, left_ns);
    uint64_t limit_ms = (left_ns + UM_CLOCK_NS_PER_MS - 1) / UM_CLOCK_NS_PER_MS;

    if (timed || limit_ms > LIMIT_MS)
        limit_ms = LIMIT_MS;
    MsgWaitForMultipleObjectsEx(timed ? 2 : 1, handles, (DWORD)limit_ms, QS_ALLINPUT,
                                MWMO_INPUTAVAILABLE);
}

enum um_status um_layer_wait(struct um_layer *layer, uint64_t deadline_ns)
{
    MSG message;

    wait_until(layer, deadline_ns);
    while (PeekMessageW(&message, NULL, 0, 0, PM_REMOVE)) {
        if (message.message == WM_QUIT)
            return UM_ERR_CLOSED;
        DispatchMessageW(&message);
    }
    return UM_OK;
}

void um_layer_wake(struct um_layer *layer)
{
    SetEvent(layer->wake);
}
