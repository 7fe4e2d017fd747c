/* What it takes to draw the overlay's picture: 1920x160, its graph full, freezes and numbers in it.
 * Showing it is the window system's part and not in here. */
#include "tests/bench/measures.h"

#include <math.h>
#include <stdlib.h>

#include "base/plain/clock.h"
#include "ipc/overlay.h"
#include "overlay/graph.h"
#include "overlay/model.h"
#include "tests/bench/driver.h"
#include "tests/feed_script.h"

#define WIDTH 1920
#define HEIGHT 160
#define PICTURES 500

struct scene {
    struct um_model model;
    struct um_model_view view;
    struct feed_script script;
};

static void feed_model(void *context, const struct um_wire_frame *frame)
{
    struct scene *scene = context;
    um_model_frame(&scene->model, frame, scene->script.now_ns);
}

/* Four minutes of somebody's afternoon: more slices than fit, freezes short and long among them. */
static void play(struct scene *scene)
{
    um_model_init(&scene->model);
    scene->script.emit = feed_model;
    scene->script.context = scene;
    feed_begin(&scene->script, 1000000 * FEED_MS, 1, "devenv.exe", "before the change");
    for (int i = 0; i < 24; i++) {
        feed_lag(&scene->script, 8000, i % 3 == 0 ? 90 : 30);
        feed_freeze(&scene->script, 120 + 90 * (uint32_t)i, UM_STATE_FROZEN, true);
        feed_freeze(&scene->script, 350, UM_STATE_STARVED, true);
        feed_unmeasured(&scene->script, 300, UM_STATE_IDLE, true);
    }
}

void measure_picture(void)
{
    const struct um_graph_options options = {.font_dir = UM_SOURCE_DIR "/assets/fonts",
                                             .scale = 1.0,
                                             .opacity = UM_OVERLAY_OPACITY,
                                             .profile_rows = UM_OVERLAY_PROFILE_ROWS};
    static struct series series;
    struct scene *scene = calloc(1, sizeof *scene);
    uint32_t *pixels = calloc(WIDTH * HEIGHT, sizeof *pixels);
    struct um_canvas canvas = {pixels, WIDTH, HEIGHT, WIDTH};
    struct um_graph *graph;

    if (!scene || !pixels || um_graph_open(&options, &graph) != UM_OK)
        driver_fail("the graph cannot be opened");
    play(scene);
    for (int i = -10; i < PICTURES; i++) { /* the first ones render the glyphs */
        feed_lag(&scene->script, 100, 60);
        uint64_t begin_ns = um_clock_now_ns();
        um_model_view(&scene->model, scene->script.now_ns, &scene->view);
        if (um_graph_draw(graph, &scene->view, &canvas) != UM_OK)
            driver_fail("the graph cannot be drawn");
        if (i >= 0)
            series_add(&series, (double)(um_clock_now_ns() - begin_ns) / 1e6);
    }
    struct row row =
        row_of_series("overlay_frame", "overlay frame 1920x160, not shown", "ms", &series);
    row_budget(&row, ROW_AT_MOST, 1, NAN, "<= 1 ms");
    driver_row(&row);
    um_graph_close(graph);
    free(pixels);
    free(scene);
}
