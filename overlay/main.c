/* uimon-overlay: shows a feed as an overlay on top of the watched window.
 *
 * Two threads: one reads the feed into the model, under a mutex; the other, which has the window,
 * polls where the target is and draws when the model or the place has changed.
 */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain/clock.h"
#include "ipc/frame_reader.h"
#include "ipc/overlay.h"
#include "base/thread.h"
#include "ipc/transport.h"
#include "overlay/costs.h"
#include "overlay/graph.h"
#include "overlay/meters.h"
#include "overlay/model.h"
#include "overlay/shown_counters.h"
#include "overlay/paint.h"
#include "overlay/parts.h"
#include "overlay/layer.h"

#define CONNECT_MS 5000
#define PICTURE_NS (UM_CLOCK_NS_PER_S / 60)
#define URGENT_NS (4 * UM_CLOCK_NS_PER_MS)  /* the pause after a change of state */
#define RETRY_NS (500 * UM_CLOCK_NS_PER_MS) /* after a picture that could not be shown */
#define METERS_REST                                                                                \
    3 /* times as long as their turn took: so they take a quarter of a core at most */
#define READ_BYTES 4096

struct options {
    const char *feed;      /* a name; NULL: not given */
    long long feed_handle; /* the number of an inherited connection; 0: not given */
    struct um_layer_options layer;
    struct um_graph_options graph;
    struct um_meters_options meters;
};

struct app {
    struct um_layer *layer;
    struct um_graph *graph;
    struct um_conn *conn;
    struct um_thread reader;

    /* Guarded by the mutex: */
    struct um_thread_mutex mutex;
    struct um_model model;
    struct um_shown_counters counters;
    struct um_costs costs;
    struct um_wire_view view_wanted; /* the last VIEW */
    bool over;
    enum um_status over_status; /* UM_OK: the feed said END */

    /* Only the drawing thread uses these: */
    bool follows;       /* `target` is known */
    bool hides;         /* the overlay is hidden because the user wants it */
    uint8_t shows;      /* enum um_wire_panel, as layer and graph show it now */
    bool moves;         /* it is at the other edge, because the user wants it */
    int profile_height; /* by which the layer grows while it shows the profile; px at 100 % */
    uint64_t target;    /* the window that the overlay follows */
    struct um_layer_place place;
    bool redraw;
    bool unseen; /* the system did not show the picture that was drawn last */
    uint64_t drawn_ns;
    struct um_model_view view;
    struct um_meters_options meters_options;
    struct um_meters *meters; /* NULL: layout costs are not to be seen */
    bool had_legend;
    bool no_meters; /* they failed once */
};

static const char usage[] =
    "usage: uimon-overlay --feed NAME | --feed-handle N [--look auto|strip|compact|bar]\n"
    "                     [--position top|bottom|top-left|top-right|bottom-left|bottom-right]\n"
    "                     [--height PX] [--opacity 0..1] [--scale 0.5..8] [--font DIR]\n"
    "                     [--show ROW,...] [--panel-rows N] [--layout-meter sparkline|bars]\n"
    "                     [--layout-keys KEYS] [--pin-keys KEYS]\n";

/* Options -------------------------------------------------------------------------------------- */

static bool parse_number(const char *text, double min, double max, double *number)
{
    char *end;
    double value = strtod(text, &end);

    if (end == text || *end != '\0' || !(value >= min && value <= max))
        return false;
    *number = value;
    return true;
}

static bool parse_handle(const char *text, long long *handle)
{
    char *end;
    *handle = strtoll(text, &end, 10);
    return *end == '\0' && *handle > 0 && *handle < LLONG_MAX;
}

/* The index of a name in a list that ends in NULL; -1: it is not there. */
static int find_name(const char *const *names, const char *name)
{
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

static bool parse_option(const char *name, const char *value, struct options *options)
{
    static const char *const looks[] = UM_OVERLAY_LOOK_NAMES;
    static const char *const positions[] = UM_OVERLAY_POSITION_NAMES;
    static const char *const meters[] = UM_OVERLAY_METER_NAMES;
    int look = find_name(looks, value), position = find_name(positions, value);
    int meter = find_name(meters, value);
    const char *wrong;
    size_t len_bytes;
    double number;

    if (strcmp(name, "--feed") == 0)
        options->feed = value;
    else if (strcmp(name, "--feed-handle") == 0)
        return parse_handle(value, &options->feed_handle);
    else if (strcmp(name, "--font") == 0)
        options->graph.font_dir = value;
    else if (strcmp(name, "--layout-keys") == 0)
        options->meters.layout_keys = value;
    else if (strcmp(name, "--pin-keys") == 0)
        options->meters.pin_keys = value;
    else if (strcmp(name, "--layout-meter") == 0 && meter >= 0)
        options->meters.bars = meter == UM_OVERLAY_METER_BARS;
    else if (strcmp(name, "--look") == 0 && look >= 0)
        options->layer.look = (enum um_overlay_look)look;
    else if (strcmp(name, "--position") == 0 && position >= 0)
        options->layer.position = (enum um_overlay_position)position;
    else if (strcmp(name, "--height") == 0 && parse_number(value, 16, 2000, &number))
        options->layer.height = (int)lround(number);
    else if (strcmp(name, "--panel-rows") == 0 &&
             parse_number(value, 1, UM_WIRE_PROFILE_ROWS * UM_WIRE_PROFILE_PARTS, &number))
        options->graph.profile_rows = (int)lround(number);
    else if (strcmp(name, "--show") == 0)
        return um_overlay_rows_parse(value, &options->graph.rows, &wrong, &len_bytes);
    else if (strcmp(name, "--scale") == 0)
        return parse_number(value, 0.5, 8, &options->layer.scale);
    else if (strcmp(name, "--opacity") == 0)
        return parse_number(value, 0, 1, &options->graph.opacity);
    else
        return false;
    return true;
}

static bool parse_options(int argc, char **argv, struct options *options)
{
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 == argc || !parse_option(argv[i], argv[i + 1], options)) {
            fprintf(stderr, "uimon-overlay: %s%s%s is not an option or value it knows\n", argv[i],
                    i + 1 < argc ? " " : "", i + 1 < argc ? argv[i + 1] : "");
            return false;
        }
    }
    bool given = options->feed || options->feed_handle;
    if (!given)
        fprintf(stderr, "uimon-overlay: there is nothing to show without --feed NAME\n");
    return given;
}

/* Reading -------------------------------------------------------------------------------------- */

/* Gives the model the frames that have come as a whole. `*urgent`: the user has changed what
 * is to be shown. Thread: the reader; holds the mutex. Errors: the feed is damaged. */
static enum um_status take_frames(struct app *app, struct um_frame_reader *reader, bool *urgent)
{
    struct um_wire_frame frame;
    enum um_status status;

    while ((status = um_frame_reader_next(reader, &frame)) == UM_OK) {
        um_model_frame(&app->model, &frame, um_clock_now_ns());
        um_costs_take(&app->costs, &frame);
        um_shown_counters_frame(&app->counters, &frame, um_clock_now_ns());
        if (frame.type == UM_WIRE_END)
            app->over = true;
        if (frame.type == UM_WIRE_VIEW) {
            app->view_wanted = frame.as.view;
            *urgent = true;
        }
    }
    return status == UM_ERR_PARTIAL ? UM_OK : status;
}

static void read_feed(void *context)
{
    struct app *app = context;
    uint8_t bytes[READ_BYTES];
    struct um_frame_reader reader;
    enum um_status status = UM_OK;
    bool over = false;
    uint32_t changes = 0;

    um_frame_reader_init(&reader, bytes, sizeof bytes);
    while (status == UM_OK && !over) {
        size_t room_bytes, len_bytes = 0;
        uint8_t *room = um_frame_reader_room(&reader, &room_bytes);
        status = um_transport_system()->read(app->conn, room, room_bytes, UM_TRANSPORT_FOREVER,
                                             &len_bytes);
        um_frame_reader_add(&reader, len_bytes);
        bool urgent = false;
        um_thread_lock(&app->mutex);
        if (status == UM_OK)
            status = take_frames(app, &reader, &urgent);
        if (status != UM_OK && !app->over) {
            app->over = true;
            app->over_status = status;
        }
        over = app->over;
        bool changed = over || urgent || um_model_changed(&app->model, um_clock_now_ns()) ||
                       app->costs.changes != changes;
        changes = app->costs.changes;
        um_thread_unlock(&app->mutex);
        if (changed)
            um_layer_wake(app->layer);
    }
}

/* Drawing -------------------------------------------------------------------------------------- */

/* Shows or hides the profile, for which the overlay gets higher. */
static void show_panel(struct app *app, uint8_t panel)
{
    bool profile = panel == UM_WIRE_PANEL_PROFILE;

    um_graph_show_profile(app->graph, profile);
    um_layer_extend(app->layer, profile ? app->profile_height : 0);
    app->shows = panel;
    app->redraw = true;
}

static void follow_target(struct app *app)
{
    um_thread_lock(&app->mutex);
    bool known = app->model.has_session;
    uint64_t target = app->model.session.hwnd;
    bool hidden = app->view_wanted.hidden != 0;
    bool moved = app->view_wanted.moved != 0;
    uint8_t panel = app->view_wanted.panel;
    /* Nobody uses the machine. In a replay that was so when it was recorded. */
    bool calm = target != 0 && app->model.status.state == UM_STATE_IDLE;
    um_thread_unlock(&app->mutex);
    um_layer_calm(app->layer, calm);
    if (hidden != app->hides)
        um_layer_hide(app->layer, hidden);
    app->hides = hidden;
    if (moved != app->moves)
        um_layer_move(app->layer, moved);
    app->moves = moved;
    if (panel != app->shows)
        show_panel(app, panel);
    if (!known || (app->follows && target == app->target))
        return;
    app->follows = true;
    app->target = target;
    um_layer_follow(app->layer, target);
}

/* Whether the meters, which ask for it more often, would see the target elsewhere than the
 * graph. */
static bool has_moved(const struct app *app)
{
    struct um_canvas_rect was, now;
    return app->meters && um_layer_target(app->layer, &was) && um_parts_bounds(app->target, &now) &&
           memcmp(&was, &now, sizeof now) != 0;
}

static void poll_place(struct app *app, uint64_t now_ns)
{
    struct um_layer_place place;

    if (now_ns < um_layer_deadline(app->layer) && !has_moved(app))
        return;
    um_layer_poll(app->layer, now_ns, &place);
    const char *note = um_layer_note(app->layer);
    if (note)
        fprintf(stderr, "uimon-overlay: %s\n", note);
    if (place.visible != app->place.visible || place.width != app->place.width ||
        place.height != app->place.height || place.scale != app->place.scale ||
        place.look != app->place.look || place.position != app->place.position ||
        place.corners != app->place.corners || place.radius != app->place.radius)
        app->redraw = true;
    app->place = place;
}

static enum um_status draw(struct app *app, uint64_t now_ns)
{
    struct um_canvas canvas;
    enum um_status status = um_graph_set_scale(app->graph, app->place.scale);

    um_graph_set_look(app->graph, app->place.look, app->place.position);
    if (status == UM_OK)
        status = um_layer_canvas(app->layer, &canvas);
    if (status != UM_OK)
        return status;
    um_thread_lock(&app->mutex);
    um_model_view(&app->model, now_ns, &app->view);
    um_shown_counters_view(&app->counters, now_ns, &app->view);
    um_thread_unlock(&app->mutex);
    status = um_graph_draw(app->graph, &app->view, &canvas);
    if (status != UM_OK)
        return status;
    um_paint_round(&canvas, app->place.radius, app->place.corners);
    app->drawn_ns = now_ns;
    /* A picture that cannot be shown now, because the screen is locked, is shown later. */
    app->unseen = um_layer_present(app->layer) != UM_OK;
    app->redraw = app->unseen;
    return UM_OK;
}

/* The least time from one picture to the next. Thread: holds the mutex. */
static uint64_t pause_ns(const struct app *app)
{
    if (app->unseen)
        return RETRY_NS;
    return app->model.status.state == app->view.state ? PICTURE_NS : URGENT_NS;
}

/* What fails once is not tried again until the user switches it on anew. */
static void try_meters(struct app *app, enum um_status status)
{
    if (status == UM_OK)
        return;
    app->no_meters = true;
    if (status == UM_ERR_UNSUPPORTED) /* a replay on X11, as docs/x11.md says */
        return;
    fprintf(stderr, "uimon-overlay: layout costs cannot be drawn: %s\n", um_status_text(status));
}

/* Opens the layout costs, or closes them, as the last VIEW says. */
static void keep_meters(struct app *app, uint8_t mode)
{
    bool on = mode != UM_WIRE_LAYOUT_MODE_OFF && mode < UM_WIRE_LAYOUT_MODE_COUNT;
    bool wanted = on && app->follows && !app->no_meters;

    app->no_meters = on && app->no_meters; /* switched on again, it tries again */
    if (wanted && !app->meters) {
        try_meters(app, um_meters_open(&app->meters_options, um_layer_window(app->layer),
                                       !app->had_legend, &app->meters));
        app->had_legend = true;
    } else if (!wanted) {
        um_meters_close(app->meters);
        app->meters = NULL;
    }
}

/* What time it is for the meters: live that of the machine, also while the feed is silent, and in a
 * replay that of the feed. False: a replay sends the past again. Thread: holds the mutex. */
static bool time_of_meters(const struct app *app, uint64_t now_ns, uint64_t *feed_ns)
{
    *feed_ns = now_ns;
    return app->target != 0 || um_model_time(&app->model, now_ns, feed_ns);
}

/* Where the graph is; empty: it is not to be seen. */
static struct um_canvas_rect graph_of(const struct um_layer_place *place)
{
    const struct um_canvas_rect rect = {place->x, place->y, place->width, place->height};
    return place->visible ? rect : (struct um_canvas_rect){0};
}

/* Draws the layout costs. `*deadline_ns`: as for step. */
static void turn_meters(struct app *app, uint64_t now_ns, uint64_t *deadline_ns)
{
    struct um_meters_scene scene = {
        .target = app->target, .graph = graph_of(&app->place), .scale = app->place.scale};
    enum um_status status = UM_OK;

    um_thread_lock(&app->mutex);
    struct um_wire_view view = app->view_wanted;
    um_thread_unlock(&app->mutex);
    keep_meters(app, view.layout);
    if (!app->meters)
        return;
    scene.mode = (enum um_wire_layout_mode)view.layout;
    scene.pins = view.pins;
    if (!um_layer_target(app->layer, &scene.bounds) || scene.bounds.width <= 0 ||
        scene.bounds.height <= 0) {
        um_meters_hide(app->meters);
        return;
    }
    um_thread_lock(&app->mutex);
    bool settled = time_of_meters(app, now_ns, &scene.feed_ns);
    if (settled)
        status = um_meters_take(app->meters, &app->costs);
    um_thread_unlock(&app->mutex);
    if (!settled)
        return;
    if (status == UM_OK)
        status = um_meters_turn(app->meters, &scene, now_ns);
    /* Hundreds of meters, all of which move, would take most of a core otherwise. */
    uint64_t end_ns = um_clock_now_ns();
    um_meters_rest(app->meters, end_ns + METERS_REST * (end_ns - now_ns));
    try_meters(app, status);
    if (um_meters_deadline(app->meters) < *deadline_ns)
        *deadline_ns = um_meters_deadline(app->meters);
}

/* Draws the graph if something has changed. `*deadline_ns`: as for step. */
static enum um_status turn_graph(struct app *app, uint64_t now_ns, uint64_t *deadline_ns)
{
    uint64_t model_ns, next_ns;

    um_thread_lock(&app->mutex);
    bool changed = um_model_changed(&app->model, now_ns) || app->redraw;
    model_ns = um_model_deadline(&app->model);
    next_ns = app->drawn_ns + pause_ns(app);
    um_thread_unlock(&app->mutex);
    if (!app->place.visible)
        return UM_OK;
    if (changed && now_ns >= next_ns)
        return draw(app, now_ns);
    if (changed)
        model_ns = next_ns;
    if (model_ns < *deadline_ns)
        *deadline_ns = model_ns;
    return UM_OK;
}

/* Draws if something has changed. `*deadline_ns`: when to call it again at the latest. */
static enum um_status step(struct app *app, uint64_t *deadline_ns)
{
    uint64_t now_ns = um_clock_now_ns();

    follow_target(app);
    poll_place(app, now_ns);
    if (app->meters)
        um_meters_follow(app->meters);
    *deadline_ns = um_layer_deadline(app->layer);
    /* First the graph: its place has changed with the window, too, and the meters take longer. */
    enum um_status status = turn_graph(app, now_ns, deadline_ns);
    turn_meters(app, um_clock_now_ns(), deadline_ns);
    uint64_t soon_ns = um_clock_now_ns() + PICTURE_NS;
    if (has_moved(app) && soon_ns < *deadline_ns) /* meanwhile: the graph follows soon */
        *deadline_ns = soon_ns;
    return status;
}

static bool is_over(struct app *app)
{
    um_thread_lock(&app->mutex);
    bool over = app->over;
    um_thread_unlock(&app->mutex);
    return over;
}

static int run(struct app *app)
{
    enum um_status status = UM_OK;

    while (status == UM_OK && !is_over(app)) {
        uint64_t deadline_ns;
        status = step(app, &deadline_ns);
        if (status == UM_OK && um_layer_wait(app->layer, deadline_ns) == UM_ERR_CLOSED)
            return UM_OVERLAY_EXIT_ENDED;
    }
    if (status != UM_OK) {
        fprintf(stderr, "uimon-overlay: cannot draw: %s\n", um_status_text(status));
        return UM_OVERLAY_EXIT_NO_PICTURE;
    }
    if (app->over_status == UM_OK)
        return UM_OVERLAY_EXIT_ENDED;
    fprintf(stderr, "uimon-overlay: the feed broke off: %s\n", um_status_text(app->over_status));
    return UM_OVERLAY_EXIT_NO_FEED;
}

static int show(struct app *app, const struct options *options)
{
    enum um_status status = um_graph_open(&options->graph, &app->graph);

    if (status != UM_OK) {
        fprintf(stderr,
                "uimon-overlay: no font (DejaVuSans.ttf in a folder named fonts beside the "
                "program, or give --font DIR): %s\n",
                um_status_text(status));
        return UM_OVERLAY_EXIT_NO_FONT;
    }
    status = um_layer_open(&options->layer, &app->layer);
    if (status != UM_OK) {
        fprintf(stderr, "uimon-overlay: no window: %s\n",
                status == UM_ERR_UNSUPPORTED
                    ? "there is no X server with transparent windows at $DISPLAY; under Wayland "
                      "XWayland is one"
                    : um_status_text(status));
        return UM_OVERLAY_EXIT_NO_WINDOW;
    }
    app->profile_height = UM_OVERLAY_PROFILE_HEIGHT(options->graph.profile_rows);
    app->meters_options = options->meters;
    app->meters_options.font_dir = options->graph.font_dir;
    if (options->feed)
        status = um_transport_system()->connect(options->feed, CONNECT_MS, &app->conn);
    else
        status = um_transport_system()->adopt((intptr_t)options->feed_handle, &app->conn);
    if (status != UM_OK) {
        fprintf(stderr,
                "uimon-overlay: cannot connect to the feed %s (is its uimon still "
                "running?): %s\n",
                options->feed ? options->feed : "that it inherited", um_status_text(status));
        return UM_OVERLAY_EXIT_NO_FEED;
    }
    status = um_thread_start(read_feed, app, &app->reader);
    if (status != UM_OK) {
        fprintf(stderr, "uimon-overlay: no thread: %s\n", um_status_text(status));
        return UM_OVERLAY_EXIT_FAILED;
    }
    return run(app);
}

int main(int argc, char **argv)
{
    static struct app app;
    struct options options = {.graph = {.scale = 1,
                                        .opacity = UM_OVERLAY_OPACITY,
                                        .profile_rows = UM_OVERLAY_PROFILE_ROWS},
                              .meters = {.layout_keys = "none", .pin_keys = "none"}};

    if (!parse_options(argc, argv, &options)) {
        fputs(usage, stderr);
        return UM_OVERLAY_EXIT_USAGE;
    }
    options.layer.rows = options.graph.rows.count;
    um_model_init(&app.model);
    app.counters.rows = &options.graph.rows;
    int code = show(&app, &options);
    if (app.conn)
        um_transport_system()->shut(app.conn);
    um_thread_join(&app.reader);
    um_transport_system()->close(app.conn);
    um_meters_close(app.meters);
    um_costs_close(&app.costs);
    um_shown_counters_deinit(&app.counters);
    um_layer_close(app.layer);
    um_graph_close(app.graph);
    return code;
}
