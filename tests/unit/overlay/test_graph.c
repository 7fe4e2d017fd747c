/* The overlay's pictures: scripted feeds are drawn and compared with tests/golden/graph_*.png. */
#include <SDL.h>
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain/text.h"
#include "overlay/graph.h"
#include "overlay/model.h"
#include "overlay/paint.h"
#include "tests/feed_script.h"
#include "tests/hostile.h"
#include "tests/unit/overlay/picture.h"

#define START_NS (1000000 * FEED_MS)

struct scene {
    struct um_model model;
    struct um_model_view view;
    struct feed_script script;
    struct um_overlay_rows rows;
    struct um_model_counter counters[UM_OVERLAY_ROWS_COUNTERS];
    bool shows_profile;
    int profile_rows;
    enum um_overlay_position position;
};

static void feed_model(void *context, const struct um_wire_frame *frame)
{
    struct scene *scene = context;
    um_model_frame(&scene->model, frame, scene->script.now_ns);
}

static struct scene *new_scene(const char *caption)
{
    struct scene *scene = calloc(1, sizeof *scene);

    cr_assert(scene != NULL);
    um_model_init(&scene->model);
    scene->script.emit = feed_model;
    scene->script.context = scene;
    scene->script.beat_after_ns = 6 * FEED_MS;
    feed_begin(&scene->script, START_NS, 1, "devenv.exe", caption);
    return scene;
}

/* Picks the rows of this list. */
static void show_rows(struct scene *scene, const char *list)
{
    const char *wrong;
    size_t len_bytes;

    if (*list)
        cr_assert(um_overlay_rows_parse(list, &scene->rows, &wrong, &len_bytes));
}

static SDL_Surface *draw_look(struct scene *scene, enum um_overlay_look look, int width, int height,
                              double scale)
{
    struct um_graph_options options = {.font_dir = UM_SOURCE_DIR "/assets/fonts",
                                       .scale = scale,
                                       .opacity = 0.85,
                                       .rows = scene->rows,
                                       .profile_rows = scene->profile_rows};
    SDL_Surface *picture =
        SDL_CreateRGBSurfaceWithFormat(0, width, height, 32, SDL_PIXELFORMAT_ARGB8888);
    struct um_graph *graph;

    cr_assert(picture != NULL);
    struct um_canvas canvas = {picture->pixels, width, height, picture->pitch / 4};
    cr_assert_eq(um_graph_open(&options, &graph), UM_OK);
    um_graph_set_look(graph, look, scene->position);
    um_graph_show_profile(graph, scene->shows_profile);
    um_model_view(&scene->model, scene->script.now_ns, &scene->view);
    memcpy(scene->view.counters, scene->counters, sizeof scene->counters);
    cr_assert_eq(um_graph_draw(graph, &scene->view, &canvas), UM_OK);
    um_graph_close(graph);
    free(scene);
    return picture;
}

static SDL_Surface *draw(struct scene *scene, int width, int height, double scale)
{
    return draw_look(scene, UM_OVERLAY_STRIP, width, height, scale);
}

static void check_golden(SDL_Surface *picture, const char *name)
{
    char whole[64];
    snprintf(whole, sizeof whole, "graph_%s", name);
    picture_check_golden(picture, whole);
}

Test(graph, golden_pictures_of_one_size_fail_against_each_other)
{
    picture_check_apart("graph_*.png");
}

Test(graph, freeze_that_ended)
{
    struct scene *scene = new_scene("ReSharper 2026.3, in-process");

    feed_lag(&scene->script, 18000, 12);
    feed_freeze(&scene->script, 300, UM_STATE_FROZEN, true);
    feed_lag(&scene->script, 3700, 12);
    check_golden(draw(scene, 960, 120, 1), "freeze");
}

Test(graph, freeze_in_progress)
{
    struct scene *scene = new_scene("ReSharper 2026.3, in-process");

    feed_lag(&scene->script, 15000, 20);
    feed_freeze(&scene->script, 160, UM_STATE_FROZEN, true);
    feed_lag(&scene->script, 4000, 20);
    feed_freeze(&scene->script, 1240, UM_STATE_FROZEN, false);
    check_golden(draw(scene, 960, 120, 1), "frozen");
}

static void mixed(struct feed_script *script)
{
    feed_lag(script, 4000, 8);
    feed_freeze(script, 420, UM_STATE_FROZEN, true);
    feed_lag(script, 3080, 90);
    feed_freeze(script, 130, UM_STATE_FROZEN, true);
    feed_lag(script, 2370, 30);
    feed_freeze(script, 640, UM_STATE_STARVED, true);
    feed_lag(script, 2560, 60);
    feed_freeze(script, 2350, UM_STATE_FROZEN, true);
    feed_lag(script, 3050, 70);
    feed_freeze(script, 180, UM_STATE_FROZEN, true);
    feed_lag(script, 1420, 40);
}

Test(graph, stretches_without_measurement)
{
    struct scene *scene = new_scene("");

    feed_lag(&scene->script, 3000, 10);
    feed_unmeasured(&scene->script, 4000, UM_STATE_SUSPENDED, true);
    feed_lag(&scene->script, 2000, 10);
    feed_unmeasured(&scene->script, 3000, UM_STATE_BLIND, true);
    feed_lag(&scene->script, 1000, 10);
    feed_unmeasured(&scene->script, 5000, UM_STATE_IDLE, false);
    check_golden(draw(scene, 960, 120, 1), "unmeasured");
}

Test(graph, starved_in_progress)
{
    struct scene *scene = new_scene("");

    feed_lag(&scene->script, 9000, 20);
    scene->script.status.lost = 12;
    feed_freeze(&scene->script, 730, UM_STATE_STARVED, false);
    check_golden(draw(scene, 960, 120, 1), "starved");
}

Test(graph, narrow)
{
    struct scene *scene = new_scene("a caption that does not fit into the strip at all");

    mixed(&scene->script);
    feed_freeze(&scene->script, 310, UM_STATE_FROZEN, true);
    check_golden(draw(scene, 400, 120, 1), "narrow");
}

Test(graph, too_narrow_for_texts)
{
    struct scene *scene = new_scene("a caption that does not fit into the strip at all");

    mixed(&scene->script);
    check_golden(draw(scene, 220, 120, 1), "tiny");
}

Test(graph, low)
{
    struct scene *scene = new_scene("");

    mixed(&scene->script);
    check_golden(draw(scene, 720, 48, 1), "low");
}

/* Freezes close together, with a label each where there is room. The first one is starved: of its
 * columns only some leave the scale. */
static struct scene *close_freezes_scene(void)
{
    struct scene *scene = new_scene("");
    struct feed_script *script = &scene->script;

    feed_lag(script, 4000, 10);
    feed_starved(script, 2600, 300);
    feed_lag(script, 30, 10);
    feed_freeze(script, 560, UM_STATE_FROZEN, true);
    feed_lag(script, 350, 10);
    feed_freeze(script, 410, UM_STATE_FROZEN, true);
    feed_lag(script, 100, 10);
    feed_freeze(script, 250, UM_STATE_FROZEN, true);
    feed_lag(script, 1000, 10);
    feed_starved(script, 430, 120);
    feed_lag(script, 1500, 10);
    feed_freeze(script, 150, UM_STATE_FROZEN, true);
    feed_lag(script, 1500, 10);
    feed_freeze(script, 340, UM_STATE_FROZEN, false);
    return scene;
}

/* In some programs the painting is not seen. */
static struct scene *typing_scene_of(bool painted)
{
    struct scene *scene = new_scene("typing");
    struct um_wire_status *status = &scene->script.status;

    status->typing_p50_ns = 14 * FEED_MS;
    status->typing_p99_ns = 138 * FEED_MS;
    status->click_ns = 1240 * FEED_MS;
    status->felt = 2;
    scene->script.more_flags =
        UM_WIRE_STATUS_HAS_TYPING | UM_WIRE_STATUS_HAS_CLICK | UM_WIRE_STATUS_HAS_FELT;
    if (painted)
        scene->script.more_flags |= UM_WIRE_STATUS_TYPING_PAINTED | UM_WIRE_STATUS_CLICK_PAINTED;
    mixed(&scene->script);
    return scene;
}

static struct scene *typing_scene(void)
{
    return typing_scene_of(true);
}

static struct scene *typing_handled_scene(void)
{
    return typing_scene_of(false);
}

/* Keys were delivered after the freezes, so it is not known which ones were felt. */
static struct scene *typing_late_scene(void)
{
    struct scene *scene = typing_scene();
    scene->script.more_flags &= (uint8_t)~UM_WIRE_STATUS_HAS_FELT;
    feed_lag(&scene->script, 100, 0);
    return scene;
}

/* A program of another name whose toolkit does its work apart from the window's thread. */
static struct scene *window_only_scene(void)
{
    struct scene *scene = new_scene("Java: beats tell of the window's thread alone");
    struct um_wire_frame frame = {.type = UM_WIRE_SESSION, .as.session = scene->model.session};

    um_text_set(frame.as.session.name, sizeof frame.as.session.name, "idea64.exe");
    um_text_set(frame.as.session.toolkit, sizeof frame.as.session.toolkit, "Java");
    feed_model(scene, &frame);
    mixed(&scene->script);
    return scene;
}

Test(graph, says_why_there_is_no_lag)
{
    struct scene *scene = new_scene("a caption over a freeze that leaves the scale");

    feed_lag(&scene->script, 300, 0);
    feed_freeze(&scene->script, 1010, UM_STATE_FROZEN, true);
    feed_lag(&scene->script, 3000, 0);
    feed_unmeasured(&scene->script, 3000, UM_STATE_SUSPENDED, false);
    check_golden(draw(scene, 800, 150, 1.25), "suspended");
}

/* Says what the beats are, and what keeps them away. */
static void feed_beat_kind(struct scene *scene, enum um_beat_kind beat_kind, uint8_t shielded)
{
    struct um_wire_frame frame = {.type = UM_WIRE_BEAT_KIND};

    frame.as.beat_kind.kind = (uint8_t)beat_kind;
    frame.as.beat_kind.shielded = shielded;
    um_model_frame(&scene->model, &frame, 0);
}

Test(graph, says_what_the_beats_are)
{
    struct scene *scene = new_scene("");

    feed_lag(&scene->script, 5000, 6);
    feed_beat_kind(scene, UM_BEAT_KIND_PAIR, 0);
    check_golden(draw(scene, 960, 120, 1), "pairs");
}

Test(graph, says_why_it_is_blind)
{
    struct scene *scene = new_scene("");

    feed_lag(&scene->script, 5000, 6);
    feed_unmeasured(&scene->script, 4000, UM_STATE_BLIND, false);
    feed_beat_kind(scene, UM_BEAT_KIND_ZERO, 1);
    check_golden(draw(scene, 960, 120, 1), "shielded");
}

static struct scene *stack_scene(void)
{
    struct scene *scene = new_scene("build 7");
    struct um_wire_frame frame = {.type = UM_WIRE_STACK};

    feed_lag(&scene->script, 3000, 6);
    feed_freeze(&scene->script, 1240, UM_STATE_FROZEN, true);
    frame.as.stack.freeze = scene->model.episode[scene->model.episodes - 1].id;
    um_text_set(frame.as.stack.headline, sizeof frame.as.stack.headline,
                "parse_solution ← load_project ← on_open ← WM_COMMAND");
    feed_lag(&scene->script, 500, 6);
    um_model_frame(&scene->model, &frame, 0);
    return scene;
}

static void feed_mark(struct scene *scene)
{
    struct um_wire_frame frame = {.type = UM_WIRE_NOTE,
                                  .as.note = {.time_ns = scene->script.now_ns, .text = "mark"}};
    um_model_frame(&scene->model, &frame, 0);
}

Test(graph, shows_marks)
{
    struct scene *scene = new_scene("");

    feed_lag(&scene->script, 5000, 6);
    feed_mark(scene);
    feed_freeze(&scene->script, 300, UM_STATE_FROZEN, true);
    feed_lag(&scene->script, 3000, 20);
    feed_mark(scene);
    feed_lag(&scene->script, 2000, 20);
    check_golden(draw(scene, 960, 120, 1), "marks");
}

/* Everything was measured, and the pool is starved. */
static struct scene *busy_scene(void)
{
    struct scene *scene = new_scene("");

    feed_lag(&scene->script, 9000, 12);
    feed_totals(&scene->script, 15, 0);
    feed_freeze(&scene->script, 300, UM_STATE_FROZEN, true);
    feed_lag(&scene->script, 700, 60);
    scene->script.status.typing_p50_ns = 14 * FEED_MS;
    scene->script.status.typing_p99_ns = 138 * FEED_MS;
    scene->script.status.click_ns = 22 * FEED_MS;
    scene->script.more_flags = UM_WIRE_STATUS_HAS_TYPING | UM_WIRE_STATUS_TYPING_PAINTED |
                               UM_WIRE_STATUS_HAS_CLICK | UM_WIRE_STATUS_CLICK_PAINTED;
    feed_pool(&scene->script, 1240, 1240, true);
    feed_activity(&scene->script, 214, 60);
    feed_totals(&scene->script, 16, 3);
    feed_lag(&scene->script, 100, 60);
    return scene;
}

static void feed_frozen_profile(struct scene *scene, enum um_wire_scope scope)
{
    struct um_wire_frame frame = {
        .type = UM_WIRE_PROFILE,
        .as.profile = {.span_ns = 1240 * FEED_MS,
                       .samples = 190,
                       .unread = 4,
                       .scope = (uint8_t)scope,
                       .rows = {{118, 184, 0, "parse_solution", "plugin.dll"},
                                {44, 44, 0, "Regex::match", "plugin.dll"},
                                {19, 190, 0,
                                 "Scintilla::EditView::LayoutLine(Sci::Surface *, "
                                 "Sci::LineLayout *, int width)",
                                 "SciLexer.dll"},
                                {4, 188, 0, "load_project", "plugin.dll"},
                                {1, 1, 0, "devenv+0x1a40", "devenv.exe"}}}};
    feed_model(scene, &frame);
}

/* A freeze was sampled; the session has another one, and forgot the first samples. */
static struct scene *profile_scene_of(enum um_wire_scope scope)
{
    struct scene *scene = new_scene("");
    struct um_wire_frame frame = {
        .type = UM_WIRE_PROFILE,
        .as.profile = {.span_ns = 300000 * FEED_MS,
                       .samples = 3512,
                       .scope = UM_WIRE_SCOPE_SESSION,
                       .forgotten = 4100,
                       .rows = {{1811, 2911, 0, "parse_solution", "plugin.dll"},
                                {1230, 1230, 0, "Regex::match", "plugin.dll"},
                                {205, 3512, 0, "main", "devenv.exe"},
                                {150, 151, 0, "on_paint", "devenv.exe"},
                                {111, 3310, 0, "load_project", "plugin.dll"},
                                {5, 5, 0, "flush", "devenv.exe"}}}};

    scene->shows_profile = true;
    scene->profile_rows = UM_OVERLAY_PROFILE_ROWS;
    feed_lag(&scene->script, 15000, 20);
    feed_freeze(&scene->script, 1240, UM_STATE_FROZEN, scope != UM_WIRE_SCOPE_NOW);
    if (scope != UM_WIRE_SCOPE_NOW)
        feed_lag(&scene->script, 2000, 20);
    feed_model(scene, &frame);
    feed_frozen_profile(scene, scope);
    return scene;
}

static struct scene *profile_scene(void)
{
    return profile_scene_of(UM_WIRE_SCOPE_FREEZE);
}

/* A dozen functions by their CPU time in kernel mode, in two parts; and of a freeze seven. */
static struct scene *dozen_scene(void)
{
    struct scene *scene = new_scene("");
    scene->shows_profile = true;
    scene->profile_rows = UM_WIRE_PROFILE_PARTS * UM_WIRE_PROFILE_ROWS;
    feed_lag(&scene->script, 15000, 20);
    feed_freeze(&scene->script, 1240, UM_STATE_FROZEN, true);
    feed_lag(&scene->script, 2000, 20);
    for (uint32_t list = 0; list < 2; list++)
        for (uint32_t part = 0; part < UM_WIRE_PROFILE_PARTS; part++) {
            uint32_t rows = list == 0 ? 7 : UM_WIRE_PROFILE_PARTS * UM_WIRE_PROFILE_ROWS;
            struct um_wire_frame frame = {
                .type = UM_WIRE_PROFILE,
                .as.profile = {.span_ns = 1240 * FEED_MS,
                               .samples = 190,
                               .scope = list == 0 ? UM_WIRE_SCOPE_FREEZE : UM_WIRE_SCOPE_SESSION,
                               .by = list == 0 ? UM_WIRE_BY_KERNEL : UM_WIRE_BY_FUNCTIONS,
                               .part = part}};
            for (uint32_t i = 0; i < UM_WIRE_PROFILE_ROWS; i++) {
                uint32_t number = part * UM_WIRE_PROFILE_ROWS + i;
                struct um_wire_profile_row *row = &frame.as.profile.rows[i];
                if (number >= rows)
                    break;
                row->self = number % 4 * 10;
                row->all = 190 - number * 15;
                row->value = list == 0 ? 9000 - number * 1490 : 210 - number * 17;
                snprintf(row->name, sizeof row->name, "function_%u", number);
                snprintf(row->module, sizeof row->module, "plugin.dll");
            }
            feed_model(scene, &frame);
        }
    return scene;
}

/* A strip at the top has it below the graph. */
static struct scene *lasting_profile_scene(void)
{
    struct scene *scene = profile_scene_of(UM_WIRE_SCOPE_NOW);

    scene->position = UM_OVERLAY_TOP;
    return scene;
}

/* Nothing is known of the samples yet. */
static struct scene *no_profile_yet_scene(void)
{
    struct scene *scene = new_scene("");
    scene->shows_profile = true;
    scene->profile_rows = UM_OVERLAY_PROFILE_ROWS;
    feed_lag(&scene->script, 5000, 20);
    return scene;
}

static struct scene *scene_without_rows(enum um_wire_scope scope, uint32_t samples)
{
    struct scene *scene = no_profile_yet_scene();
    struct um_wire_frame frame = {
        .type = UM_WIRE_PROFILE,
        .as.profile = {.scope = (uint8_t)scope, .samples = samples, .unread = samples}};
    feed_model(scene, &frame);
    return scene;
}

static struct scene *not_sampled_scene(void)
{
    return scene_without_rows(UM_WIRE_SCOPE_NONE, 0);
}

static struct scene *no_sample_yet_scene(void)
{
    return scene_without_rows(UM_WIRE_SCOPE_SESSION, 0);
}

/* As with --only of a module that was in no sample. */
static struct scene *none_shown_scene(void)
{
    return scene_without_rows(UM_WIRE_SCOPE_SESSION, 120);
}

/* Each size is drawn into memory of exactly that size, so that a sanitizer sees a write beside. */
static void draw_every_size(enum um_overlay_look look, struct scene *scene, const char *rows)
{
    static const int widths[] = {1, 7, 200, 239, 241, 639, 641, 1920, 7680};
    static const int heights[] = {1, 5, 24, 47, 63, 95, 160, 400};
    struct um_graph_options options = {.font_dir = UM_SOURCE_DIR "/assets/fonts",
                                       .scale = 1,
                                       .opacity = 0.85,
                                       .profile_rows = scene->profile_rows};
    struct um_graph *graph;

    show_rows(scene, rows);
    options.rows = scene->rows;
    um_model_view(&scene->model, scene->script.now_ns, &scene->view);
    cr_assert_eq(um_graph_open(&options, &graph), UM_OK);
    um_graph_set_look(graph, look, look == UM_OVERLAY_BAR ? UM_OVERLAY_TOP : UM_OVERLAY_BOTTOM);
    um_graph_show_profile(graph, scene->shows_profile);
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        for (size_t j = 0; j < sizeof heights / sizeof heights[0]; j++) {
            struct um_canvas canvas = {NULL, widths[i], heights[j], widths[i]};
            cr_assert_eq(um_graph_set_scale(graph, i % 2 == 0 ? 1 : 2.25), UM_OK);
            canvas.pixels = calloc((size_t)widths[i] * (size_t)heights[j], sizeof(uint32_t));
            cr_assert(canvas.pixels != NULL);
            cr_expect_eq(um_graph_draw(graph, &scene->view, &canvas), UM_OK);
            free(canvas.pixels);
        }
    }
    um_graph_close(graph);
    free(scene);
}

Test(graph, draws_every_size_of_each_look_without_leaving_the_canvas)
{
    for (int look = UM_OVERLAY_STRIP; look <= UM_OVERLAY_BAR; look++) {
        draw_every_size((enum um_overlay_look)look, typing_scene(), "");
        draw_every_size((enum um_overlay_look)look, busy_scene(), "all");
        draw_every_size((enum um_overlay_look)look, profile_scene(), "");
    }
}

/* What other programs call themselves is drawn character by character where it belongs: it moves
 * nothing else, whatever is in it. The graph is below the texts. */
Test(graph, hostile_texts_touch_nothing_but_their_place)
{
    enum { WIDTH = 900, HEIGHT = 160, GRAPH_ROWS = 60 };

    for (size_t i = 0; i < HOSTILE_TEXTS; i++) {
        SDL_Surface *pictures[2];
        for (int hostile = 0; hostile < 2; hostile++) {
            struct scene *scene = new_scene("");
            struct um_wire_session *session = &scene->model.session;
            const char *text = hostile ? hostile_texts[i] : "plain";
            um_text_set(session->name, sizeof session->name, text);
            um_text_set(session->caption, sizeof session->caption, text);
            feed_lag(&scene->script, 3000, 40);
            pictures[hostile] = draw(scene, WIDTH, HEIGHT, 1);
        }
        for (int row = HEIGHT - GRAPH_ROWS; row < HEIGHT; row++) {
            size_t at = (size_t)row * (size_t)pictures[0]->pitch;
            cr_assert_eq(memcmp((uint8_t *)pictures[0]->pixels + at,
                                (uint8_t *)pictures[1]->pixels + at, WIDTH * 4),
                         0, "text %zu, row %d", i, row);
        }
        SDL_FreeSurface(pictures[0]);
        SDL_FreeSurface(pictures[1]);
    }
}

static struct scene *frozen_scene(void)
{
    struct scene *scene = new_scene("");

    feed_lag(&scene->script, 1500, 20);
    feed_freeze(&scene->script, 160, UM_STATE_FROZEN, true);
    feed_lag(&scene->script, 1400, 20);
    feed_freeze(&scene->script, 1240, UM_STATE_FROZEN, false);
    return scene;
}

static struct scene *quiet_scene(void)
{
    struct scene *scene = new_scene("");

    feed_lag(&scene->script, 22000, 6);
    return scene;
}

static struct scene *idle_scene(void)
{
    struct scene *scene = new_scene("");

    feed_lag(&scene->script, 3000, 10);
    feed_unmeasured(&scene->script, 12000, UM_STATE_IDLE, false);
    return scene;
}

Test(graph, refuses_options_out_of_range)
{
    struct um_graph_options options = {
        .font_dir = UM_SOURCE_DIR "/assets/fonts", .scale = 100, .opacity = 0.85};
    struct um_graph *graph;

    cr_expect_eq(um_graph_open(&options, &graph), UM_ERR_ARG);
    options.scale = 1;
    options.opacity = 1.5;
    cr_expect_eq(um_graph_open(&options, &graph), UM_ERR_ARG);
}

Test(graph, says_that_the_font_is_missing)
{
    struct um_graph_options options = {.font_dir = "/nonexistent", .scale = 1, .opacity = 0.85};
    struct um_graph *graph;

    cr_expect_eq(um_graph_open(&options, &graph), UM_ERR_NOT_FOUND);
}

Test(graph, rows_that_were_not_measured)
{
    struct scene *scene = new_scene("");

    show_rows(scene, "lag,latency,typing,click,threadpool,cost");
    feed_lag(&scene->script, 2000, 12);
    feed_unmeasured(&scene->script, 2000, UM_STATE_BLIND, false);
    check_golden(draw(scene, 960, 120, 1), "rows_unmeasured");
}

/* Names of counters may be long; their numbers are not cut. */
static struct scene *counters_scene(void)
{
    struct scene *scene = new_scene("");

    show_rows(scene, "lag,P/cpu,P/alloc,P/long,P/none");
    scene->counters[0] = (struct um_model_counter){"CPU Usage", "12.3 %"};
    scene->counters[1] = (struct um_model_counter){"Allocation Rate", "120 M B/s"};
    scene->counters[2] = (struct um_model_counter){"ThreadPool Completed Work…", "12345 items/s"};
    scene->counters[3] = (struct um_model_counter){"none", ""};
    feed_lag(&scene->script, 9000, 12);
    return scene;
}

Test(graph, rows_of_counters)
{
    check_golden(draw(counters_scene(), 960, 120, 1), "rows_counters");
    check_golden(draw(counters_scene(), 1600, 240, 2), "rows_counters_200");
    check_golden(draw_look(counters_scene(), UM_OVERLAY_BAR, 1400, UM_OVERLAY_BAR_HEIGHT, 1),
                 "bar_counters");
}

/* The row of a hang stays an alarm for 3 s, with its peak, while the lag is what it is now. */
Test(graph, rows_after_a_hang)
{
    struct scene *scene = new_scene("");

    show_rows(scene, "lag,hangs,threadpool");
    feed_lag(&scene->script, 9000, 12);
    feed_pool(&scene->script, 0, 0, false);
    feed_freeze(&scene->script, 1240, UM_STATE_FROZEN, true);
    feed_lag(&scene->script, 500, 12);
    feed_pool(&scene->script, 0, 640, false);
    check_golden(draw(scene, 960, 120, 1), "rows_after");
}

/* The freeze is over, and no beat has been answered since. */
static struct scene *just_over_scene(void)
{
    struct scene *scene = new_scene("");

    feed_lag(&scene->script, 9050, 12);
    feed_freeze(&scene->script, 670, UM_STATE_FROZEN, true);
    return scene;
}

static struct scene *waiting_scene(void)
{
    return new_scene("warming up");
}

static struct scene *nameless_scene(void)
{
    return new_scene("");
}

static struct scene *mixed_scene(void)
{
    struct scene *scene = new_scene("solution wide analysis on");

    mixed(&scene->script);
    return scene;
}

#define WITH_PROFILE (UM_OVERLAY_STRIP_HEIGHT + UM_OVERLAY_PROFILE_HEIGHT(UM_OVERLAY_PROFILE_ROWS))
#define WITH_DOZEN (UM_OVERLAY_STRIP_HEIGHT + UM_OVERLAY_PROFILE_HEIGHT(12))
#define COMPACT_ROWS (UM_OVERLAY_COMPACT_HEIGHT + 2 * UM_OVERLAY_ROW_HEIGHT)
#define COMPACT_PROFILE                                                                            \
    (UM_OVERLAY_COMPACT_HEIGHT + UM_OVERLAY_PROFILE_HEIGHT(UM_OVERLAY_PROFILE_ROWS))

/* A scene, and how it is drawn. Sizes are those at a scale of 1. */
struct picture {
    const char *golden;
    struct scene *(*scene)(void);
    const char *rows;
    int width;
    int height;
    double scale;
};

static void draw_pictures(enum um_overlay_look look, const struct picture *pictures, size_t count)
{
    for (const struct picture *it = pictures; it < pictures + count; it++) {
        struct scene *scene = it->scene();
        int width = (int)(it->width * it->scale);
        int height = (int)(it->height * it->scale);

        show_rows(scene, it->rows);
        SDL_Surface *picture = draw_look(scene, look, width, height, it->scale);
        /* The compact panel is shown with round corners. */
        struct um_canvas canvas = {picture->pixels, width, height, picture->pitch / 4};
        if (look == UM_OVERLAY_COMPACT && it->height == UM_OVERLAY_COMPACT_HEIGHT)
            um_paint_round(&canvas, (int)(8 * it->scale), UM_PAINT_ALL_CORNERS);
        check_golden(picture, it->golden);
    }
}

Test(graph, strips)
{
    static const char five[] = "lag,latency,hangs,typing,threadpool";
    static const struct picture strips[] = {
        {"quiet", quiet_scene, "", 960, 120, 1},
        {"mixed", mixed_scene, "", 960, 120, 1},
        {"scale_200", mixed_scene, "", 640, 120, 2},
        {"close_freezes", close_freezes_scene, "", 960, 120, 1},
        {"close_freezes_200", close_freezes_scene, "", 640, 120, 2},
        {"just_over", just_over_scene, "", 960, 120, 1},
        {"just_over_200", just_over_scene, "", 640, 120, 2},
        {"just_over_narrow", just_over_scene, "", 400, 120, 1},
        {"just_over_tiny", just_over_scene, "", 220, 120, 1},
        {"just_over_rows", just_over_scene, "lag,hangs", 960, 120, 1},
        {"waiting", waiting_scene, "", 700, 120, 1},
        {"typing", typing_scene, "", 960, 120, 1},
        {"typing_handled", typing_handled_scene, "", 960, 120, 1},
        {"typing_narrow", typing_handled_scene, "", 400, 120, 1},
        {"typing_200", typing_scene, "", 640, 120, 2},
        {"typing_low", typing_scene, "", 720, 88, 1},
        {"typing_late", typing_late_scene, "", 960, 120, 1},
        {"window_thread", window_only_scene, "", 960, 120, 1},
        {"window_thread_narrow", window_only_scene, "", 400, 120, 1},
        {"stack", stack_scene, "", 960, 120, 1},
        {"stack_200", stack_scene, "", 640, 120, 2},
        {"rows", busy_scene, five, 960, 120, 1},
        {"rows_200", busy_scene, five, 960, 120, 2},
        {"rows_all", busy_scene, "all", 1200, 120, 1},
        {"rows_narrow", busy_scene, "threadpool,lag,hangs", 560, 84, 1},
        {"profile", profile_scene, "", 960, WITH_PROFILE, 1},
        {"profile_200", profile_scene, "", 960, WITH_PROFILE, 2},
        {"profile_dozen", dozen_scene, "", 960, WITH_DOZEN, 1},
        {"profile_dozen_200", dozen_scene, "", 960, WITH_DOZEN, 2},
        {"profile_now", lasting_profile_scene, "", 800, WITH_PROFILE, 1},
        {"profile_narrow", profile_scene, "", 420, WITH_PROFILE, 1},
        {"profile_none", not_sampled_scene, "", 800, WITH_PROFILE, 1},
        {"profile_none_narrow", not_sampled_scene, "", 300, WITH_PROFILE, 1},
        {"profile_empty", no_sample_yet_scene, "", 800, WITH_PROFILE, 1},
        {"profile_waiting", no_profile_yet_scene, "", 800, WITH_PROFILE, 1},
        {"profile_unlisted", none_shown_scene, "", 800, WITH_PROFILE, 1},
    };
    draw_pictures(UM_OVERLAY_STRIP, strips, sizeof strips / sizeof strips[0]);
}

Test(graph, compact_panels)
{
    enum { WIDTH = UM_OVERLAY_COMPACT_WIDTH, HEIGHT = UM_OVERLAY_COMPACT_HEIGHT };
    static const char three[] = "lag,latency,threadpool";
    static const struct picture panels[] = {
        {"compact_quiet", quiet_scene, "", WIDTH, HEIGHT, 1},
        {"compact_frozen", frozen_scene, "", WIDTH, HEIGHT, 1},
        {"compact_typing", typing_scene, "", WIDTH, HEIGHT, 1},
        {"compact_handled", typing_handled_scene, "", WIDTH, HEIGHT, 1},
        {"compact_idle", idle_scene, "", WIDTH, HEIGHT, 1},
        {"compact_stack", stack_scene, "", WIDTH, HEIGHT, 1},
        {"compact_window_thread", window_only_scene, "", WIDTH, HEIGHT, 1},
        {"compact_waiting", nameless_scene, "", WIDTH, HEIGHT, 1},
        {"compact_200", frozen_scene, "", WIDTH, HEIGHT, 2},
        {"compact_just_over", just_over_scene, "", WIDTH, HEIGHT, 1},
        {"compact_rows", busy_scene, three, WIDTH, COMPACT_ROWS, 1},
        {"compact_rows_200", busy_scene, three, WIDTH, COMPACT_ROWS, 2},
        {"compact_profile", profile_scene, "", WIDTH, COMPACT_PROFILE, 1},
        {"compact_profile_empty", no_sample_yet_scene, "", WIDTH, COMPACT_PROFILE, 1},
    };
    draw_pictures(UM_OVERLAY_COMPACT, panels, sizeof panels / sizeof panels[0]);
}

Test(graph, bars)
{
    enum { HEIGHT = UM_OVERLAY_BAR_HEIGHT };
    static const struct picture bars[] = {
        {"bar_quiet", quiet_scene, "", 960, HEIGHT, 1},
        {"bar_frozen", frozen_scene, "", 960, HEIGHT, 1},
        {"bar_just_over", just_over_scene, "", 960, HEIGHT, 1},
        {"bar_wide", typing_scene, "", 1600, HEIGHT, 1},
        {"bar_handled", typing_handled_scene, "", 1600, HEIGHT, 1},
        {"bar_late", typing_late_scene, "", 1600, HEIGHT, 1},
        {"bar_narrow", typing_scene, "", 400, HEIGHT, 1},
        {"bar_idle", idle_scene, "", 640, HEIGHT, 1},
        {"bar_200", typing_scene, "", 640, HEIGHT, 2},
        {"bar_stack", stack_scene, "", 960, HEIGHT, 1},
        {"bar_rows", busy_scene, "threadpool,lag,hangs", 1000, HEIGHT, 1},
    };
    draw_pictures(UM_OVERLAY_BAR, bars, sizeof bars / sizeof bars[0]);
}
