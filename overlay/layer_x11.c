#include "overlay/layer.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/plain/clock.h"
#include "overlay/anchor_x11.h"
#include "overlay/layered_x11.h"
#include "overlay/screen_x11.h"

/* The server says what happens to windows, so a look at rest is for what it does not say. */
#define SOON_POLL_NS (16 * UM_CLOCK_NS_PER_MS) /* the pause between two looks */
#define REST_POLL_NS (100 * UM_CLOCK_NS_PER_MS)
#define CALM_POLL_NS (250 * UM_CLOCK_NS_PER_MS)
#define LIMIT_NS (60 * UM_CLOCK_NS_PER_S) /* a single wait is not longer */

struct um_layer {
    struct um_screen screen;
    struct um_anchor anchor;
    struct um_layered layered;
    int wake;                 /* an eventfd */
    struct um_canvas picture; /* what the screen is to show */
    uint64_t polled_ns;
    uint64_t poll_ns;
    bool calm; /* nobody uses the machine */
    bool said_opaque, said_wayland;
};

enum um_status um_layer_open(const struct um_layer_options *options, struct um_layer **layer)
{
    struct um_layer *made = calloc(1, sizeof *made);

    if (!made)
        return UM_ERR_MEMORY;
    made->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    enum um_status status = made->wake < 0 ? UM_ERR_IO : um_screen_open(&made->screen);
    if (status == UM_OK) {
        um_anchor_init(&made->screen, options, &made->anchor);
        status = um_layered_open(&made->screen, UM_OVERLAY_CLASS, "uimon overlay", &made->layered);
    }
    if (status != UM_OK) {
        um_layer_close(made);
        return status;
    }
    *layer = made;
    return UM_OK;
}

void um_layer_close(struct um_layer *layer)
{
    if (!layer)
        return;
    um_layered_close(&layer->layered);
    um_screen_close(&layer->screen);
    um_canvas_free(&layer->picture);
    if (layer->wake >= 0)
        close(layer->wake);
    free(layer);
}

void um_layer_follow(struct um_layer *layer, uint64_t target)
{
    um_anchor_follow(&layer->anchor, (xcb_window_t)target);
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

static struct um_canvas_rect place_of(const struct um_layer *layer)
{
    const struct um_anchor_rect *rect = &layer->anchor.place.rect;
    return (struct um_canvas_rect){rect->left, rect->top, rect->right - rect->left,
                                   rect->bottom - rect->top};
}

/* Puts the window where it belongs among the others. */
static void stack(struct um_layer *layer)
{
    if (!um_anchor_is_stacked(&layer->anchor, layer->layered.window))
        um_layered_stack(&layer->layered, layer->anchor.frame);
}

void um_layer_poll(struct um_layer *layer, uint64_t now_ns, struct um_layer_place *place)
{
    const struct um_anchor *anchor = &layer->anchor;

    um_anchor_update(&layer->anchor, now_ns);
    struct um_canvas_rect at = place_of(layer);
    if (anchor->visible) {
        um_layered_move(&layer->layered, &at);
        stack(layer);
    } else
        um_layered_hide(&layer->layered);
    layer->polled_ns = now_ns;
    layer->poll_ns = now_ns + (layer->calm ? CALM_POLL_NS : REST_POLL_NS);
    place->visible = anchor->visible;
    place->x = at.x;
    place->y = at.y;
    place->width = at.width;
    place->height = at.height;
    place->scale = anchor->place.scale;
    place->look = anchor->place.look;
    place->position = anchor->place.position;
    place->corners = anchor->place.corners;
    place->radius = anchor->place.radius;
}

const char *um_layer_note(struct um_layer *layer)
{
    if (layer->screen.is_wayland && !layer->said_wayland) {
        layer->said_wayland = true;
        return "under Wayland only windows of XWayland have an overlay, and hotkeys work while one "
               "of these has the keyboard";
    }
    if (layer->anchor.visible && layer->anchor.opaque && !layer->said_opaque) {
        layer->said_opaque = true;
        return "no compositor runs: nothing shines through the overlay, and a strip is lower";
    }
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
    struct um_canvas_rect at = place_of(layer);
    enum um_status status = UM_OK;

    assert(layer->anchor.has_bounds);
    if (layer->picture.width != at.width || layer->picture.height != at.height)
        status = make_picture(layer, at.width, at.height);
    if (status == UM_OK)
        *canvas = layer->picture;
    return status;
}

enum um_status um_layer_present(struct um_layer *layer)
{
    struct um_layered *layered = &layer->layered;
    struct um_canvas_rect changed = {0}, at = place_of(layer);
    bool differs = um_canvas_update(&layered->screen, &layer->picture, &changed);

    if ((differs || layered->whole) && um_layered_update(layered, &at, &changed) != UM_OK)
        return UM_ERR_IO;
    if (layer->anchor.visible && !layered->shown && um_anchor_may_show(&layer->anchor)) {
        um_layered_stack(layered, layer->anchor.frame);
        um_layered_show(layered);
    }
    return UM_OK;
}

uint64_t um_layer_window(const struct um_layer *layer)
{
    return layer->layered.window;
}

bool um_layer_target(const struct um_layer *layer, struct um_canvas_rect *bounds)
{
    const struct um_anchor_rect *on = &layer->anchor.bounds;
    *bounds =
        (struct um_canvas_rect){on->left, on->top, on->right - on->left, on->bottom - on->top};
    return layer->anchor.has_bounds && !layer->anchor.alone && !layer->anchor.hidden;
}

/* Waiting -------------------------------------------------------------------------------------- */

/* Takes what the server has sent. Something that concerns the target makes the next poll come
 * soon. */
static void take_events(struct um_layer *layer, xcb_generic_event_t *(*next)(xcb_connection_t *))
{
    xcb_generic_event_t *event;
    uint64_t soon_ns = layer->polled_ns + SOON_POLL_NS;

    while ((event = next(layer->screen.connection))) {
        if (um_anchor_concerns(&layer->anchor, event, layer->layered.window) &&
            soon_ns < layer->poll_ns)
            layer->poll_ns = soon_ns;
        free(event);
    }
}

static void sleep_until(const struct um_layer *layer, uint64_t deadline_ns)
{
    struct pollfd files[] = {
        {.fd = xcb_get_file_descriptor(layer->screen.connection), .events = POLLIN},
        {.fd = layer->wake, .events = POLLIN}};
    uint64_t now_ns = um_clock_now_ns();
    uint64_t left_ns = deadline_ns > now_ns ? deadline_ns - now_ns : 0;

    if (left_ns > LIMIT_NS)
        left_ns = LIMIT_NS;
    const struct timespec left = {.tv_sec = (time_t)(left_ns / UM_CLOCK_NS_PER_S),
                                  .tv_nsec = (long)(left_ns % UM_CLOCK_NS_PER_S)};
    ppoll(files, 2, &left, NULL);
}

enum um_status um_layer_wait(struct um_layer *layer, uint64_t deadline_ns)
{
    uint64_t poll_ns = layer->poll_ns;
    uint64_t woken;

    /* While answers were waited for, events were put aside: the file has nothing of them. */
    take_events(layer, xcb_poll_for_queued_event);
    if (layer->poll_ns < poll_ns && layer->poll_ns < deadline_ns)
        deadline_ns = layer->poll_ns;
    xcb_flush(layer->screen.connection);
    sleep_until(layer, deadline_ns);
    take_events(layer, xcb_poll_for_event);
    if (read(layer->wake, &woken, sizeof woken) < 0 && errno != EAGAIN && errno != EINTR)
        return UM_ERR_CLOSED;
    return xcb_connection_has_error(layer->screen.connection) ? UM_ERR_CLOSED : UM_OK;
}

void um_layer_wake(struct um_layer *layer)
{
    const uint64_t one = 1;
    ssize_t written = write(layer->wake, &one, sizeof one);
    (void)written; /* a full one wakes as well */
}
