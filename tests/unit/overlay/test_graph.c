/* The overlay's pictures: scripted feeds are drawn and compared with tests/golden/graph_*.bmp.
 *
 * A picture may differ from its golden one by 2 of 255 per channel on average: FreeType rasterises
 * glyph edges a little differently from version to version, and texts cover a tenth of a picture,
 * while a column, line or text that is missing or out of place changes far more. To draw the golden
 * pictures anew, run the tests with UIMON_GOLDEN=write and look at every one that changed.
 */
#include <SDL.h>
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "overlay/graph.h"
#include "overlay/model.h"
#include "overlay/paint.h"
#include "tests/feed_script.h"
#include "tests/hostile.h"

#define START_NS (1000000 * FEED_MS)
#define TOLERANCE 2.0

struct scene {
    struct um_model model;
    struct um_model_view view;
    struct feed_script script;
    struct um_overlay_rows rows;
    bool shows_profile;
    enum um_overlay_position position;
};

static void feed_model(void *context, const struct um_wire_frame *frame)
{
    struct scene *scene = context;
    um_model_feed(&scene->model, frame, scene->script.now_ns);
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

static SDL_Surface *draw_look(struct scene *scene, enum um_overlay_look look, int width, int height,
                              double scale)
{
    struct um_graph_options options = {.font_dir = UM_SOURCE_DIR "/assets/fonts",
                                       .look = look,
                                       .position = scene->position,
                                       .scale = scale,
                                       .opacity = 0.85,
                                       .rows = scene->rows};
    SDL_Surface *picture =
        SDL_CreateRGBSurfaceWithFormat(0, width, height, 32, SDL_PIXELFORMAT_ARGB8888);
    struct um_graph *graph;

    cr_assert(picture != NULL);
    struct um_canvas canvas = {picture->pixels, width, height, picture->pitch / 4};
    cr_assert(eq(int, um_graph_open(&options, &graph), UM_OK));
    um_graph_show_profile(graph, scene->shows_profile);
    um_model_view(&scene->model, scene->script.now_ns, &scene->view);
    cr_assert(eq(int, um_graph_draw(graph, &scene->view, &canvas), UM_OK));
    um_graph_close(graph);
    free(scene);
    return picture;
}

static SDL_Surface *draw(struct scene *scene, int width, int height, double scale)
{
    return draw_look(scene, UM_OVERLAY_STRIP, width, height, scale);
}

/* The compact panel as it is shown, with round corners. */
static SDL_Surface *draw_compact(struct scene *scene, double scale)
{
    int width = (int)(UM_OVERLAY_COMPACT_WIDTH * scale);
    int height = (int)(UM_OVERLAY_COMPACT_HEIGHT * scale);
    SDL_Surface *picture = draw_look(scene, UM_OVERLAY_COMPACT, width, height, scale);
    struct um_canvas canvas = {picture->pixels, width, height, picture->pitch / 4};

    um_paint_round(&canvas, (int)(8 * scale), UM_PAINT_ALL_CORNERS);
    return picture;
}

static SDL_Surface *draw_bar(struct scene *scene, int width, double scale)
{
    return draw_look(scene, UM_OVERLAY_BAR, width, (int)(UM_OVERLAY_BAR_HEIGHT * scale), scale);
}

static double mean_difference(const SDL_Surface *a, const SDL_Surface *b)
{
    double sum = 0;

    for (int y = 0; y < a->h; y++) {
        const Uint8 *row_a = (const Uint8 *)a->pixels + y * a->pitch;
        const Uint8 *row_b = (const Uint8 *)b->pixels + y * b->pitch;
        for (int x = 0; x < a->w * 4; x++)
            sum += abs(row_a[x] - row_b[x]);
    }
    return sum / (a->w * a->h * 4.0);
}

static void check_golden(SDL_Surface *picture, const char *name)
{
    const char *mode = getenv("UIMON_GOLDEN");
    SDL_Surface *loaded, *golden;
    char path[1024];

    snprintf(path, sizeof path, "%s/tests/golden/graph_%s.bmp", UM_SOURCE_DIR, name);
    if (mode && strcmp(mode, "write") == 0)
        cr_assert(eq(int, SDL_SaveBMP(picture, path), 0));
    loaded = SDL_LoadBMP(path);
    cr_assert(loaded != NULL, "%s cannot be read", path);
    golden = SDL_ConvertSurfaceFormat(loaded, SDL_PIXELFORMAT_ARGB8888, 0);
    cr_assert(golden != NULL);
    cr_assert(eq(int, golden->w, picture->w));
    cr_assert(eq(int, golden->h, picture->h));
    cr_expect(le(dbl, mean_difference(picture, golden), TOLERANCE), "%s differs", name);
    SDL_FreeSurface(golden);
    SDL_FreeSurface(loaded);
    SDL_FreeSurface(picture);
}

Test(graph, quiet)
{
    struct scene *scene = new_scene("");

    feed_lag(&scene->script, 22000, 6);
    check_golden(draw(scene, 960, 120, 1), "quiet");
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

Test(graph, mixed)
{
    struct scene *scene = new_scene("solution wide analysis on");

    mixed(&scene->script);
    check_golden(draw(scene, 960, 120, 1), "mixed");
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

Test(graph, scale_200)
{
    struct scene *scene = new_scene("solution wide analysis on");

    mixed(&scene->script);
    check_golden(draw(scene, 1280, 240, 2), "scale_200");
}

/* In some programs the painting is not seen. */
static struct scene *typing_scene(bool painted)
{
    struct scene *scene = new_scene("typing");
    struct um_wire_status *status = &scene->script.status;

    status->typing_p50_ns = 14 * FEED_MS;
    status->typing_p99_ns = 138 * FEED_MS;
    status->click_ns = 1240 * FEED_MS;
    scene->script.more_flags = UM_WIRE_STATUS_HAS_TYPING | UM_WIRE_STATUS_HAS_CLICK;
    if (painted)
        scene->script.more_flags |= UM_WIRE_STATUS_TYPING_PAINTED | UM_WIRE_STATUS_CLICK_PAINTED;
    mixed(&scene->script);
    return scene;
}

Test(graph, typing_and_click)
{
    check_golden(draw(typing_scene(true), 960, 120, 1), "typing");
}

Test(graph, typing_that_was_not_seen_to_be_painted)
{
    check_golden(draw(typing_scene(false), 960, 120, 1), "typing_handled");
}

/* A program of another name whose toolkit does its work apart from the window's thread. */
static struct scene *window_only_scene(void)
{
    struct scene *scene = new_scene("Java: beats tell of the window's thread alone");
    struct um_wire_frame frame = {.type = UM_WIRE_SESSION, .as.session = scene->model.session};

    um_wire_set_text(frame.as.session.name, sizeof frame.as.session.name, "idea64.exe");
    um_wire_set_text(frame.as.session.toolkit, sizeof frame.as.session.toolkit, "Java");
    feed_model(scene, &frame);
    mixed(&scene->script);
    return scene;
}

Test(graph, windows_thread_is_not_called_responsive)
{
    check_golden(draw(window_only_scene(), 960, 120, 1), "window_thread");
}

Test(graph, windows_thread_in_a_narrow_strip)
{
    check_golden(draw(window_only_scene(), 400, 120, 1), "window_thread_narrow");
}

Test(graph, typing_in_a_narrow_strip)
{
    check_golden(draw(typing_scene(false), 400, 120, 1), "typing_narrow");
}

Test(graph, typing_at_scale_200)
{
    check_golden(draw(typing_scene(true), 1280, 240, 2), "typing_200");
}

Test(graph, typing_in_a_low_strip)
{
    check_golden(draw(typing_scene(true), 720, 88, 1), "typing_low");
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
static void feed_rung(struct scene *scene, enum um_rung rung, uint8_t shielded)
{
    struct um_wire_frame frame = {.type = UM_WIRE_RUNG};

    frame.as.rung.rung = (uint8_t)rung;
    frame.as.rung.shielded = shielded;
    um_model_feed(&scene->model, &frame, 0);
}

Test(graph, says_what_the_beats_are)
{
    struct scene *scene = new_scene("");

    feed_lag(&scene->script, 5000, 6);
    feed_rung(scene, UM_RUNG_PAIR, 0);
    check_golden(draw(scene, 960, 120, 1), "pairs");
}

Test(graph, says_why_it_is_blind)
{
    struct scene *scene = new_scene("");

    feed_lag(&scene->script, 5000, 6);
    feed_unmeasured(&scene->script, 4000, UM_STATE_BLIND, false);
    feed_rung(scene, UM_RUNG_ZERO, 1);
    check_golden(draw(scene, 960, 120, 1), "shielded");
}

static struct scene *stack_scene(void)
{
    struct scene *scene = new_scene("build 7");
    struct um_wire_frame frame = {.type = UM_WIRE_STACK};

    feed_lag(&scene->script, 3000, 6);
    feed_freeze(&scene->script, 1240, UM_STATE_FROZEN, true);
    frame.as.stack.freeze = scene->model.episode[scene->model.episodes - 1].id;
    um_wire_set_text(frame.as.stack.headline, sizeof frame.as.stack.headline,
                     "parse_solution ← load_project ← on_open ← WM_COMMAND");
    feed_lag(&scene->script, 500, 6);
    um_model_feed(&scene->model, &frame, 0);
    return scene;
}

Test(graph, says_where_a_freeze_was)
{
    check_golden(draw(stack_scene(), 960, 120, 1), "stack");
    check_golden(draw(stack_scene(), 1280, 240, 2), "stack_200");
    check_golden(draw_compact(stack_scene(), 1), "compact_stack");
    check_golden(draw_bar(stack_scene(), 960, 1), "bar_stack");
}

static struct scene *proving_scene(void)
{
    struct scene *scene = new_scene("build 7");
    struct um_wire_frame frame = {.type = UM_WIRE_PROVING, .as.proving.key_delay_us = 312};

    feed_lag(&scene->script, 5000, 6);
    um_model_feed(&scene->model, &frame, 0);
    return scene;
}

Test(graph, says_that_keys_are_delayed)
{
    check_golden(draw(proving_scene(), 960, 120, 1), "proving");
    check_golden(draw(proving_scene(), 180, 120, 1), "proving_narrow");
    check_golden(draw_compact(proving_scene(), 1), "compact_proving");
    check_golden(draw_bar(proving_scene(), 640, 1), "bar_proving");
}

static void feed_mark(struct scene *scene)
{
    struct um_wire_frame frame = {.type = UM_WIRE_NOTE,
                                  .as.note = {.time_ns = scene->script.now_ns, .text = "mark"}};
    um_model_feed(&scene->model, &frame, 0);
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

Test(graph, before_the_first_status)
{
    check_golden(draw(new_scene("warming up"), 700, 120, 1), "waiting");
}

static struct scene *new_scene_with_rows(const char *list)
{
    struct scene *scene = new_scene("");
    const char *wrong;
    size_t len_bytes;

    cr_assert(um_overlay_rows_parse(list, &scene->rows, &wrong, &len_bytes));
    return scene;
}

/* Everything was measured, and the pool is starved. */
static struct scene *busy_scene(const char *list)
{
    struct scene *scene = new_scene_with_rows(list);

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
                       .rows = {{118, 184, "parse_solution", "plugin.dll"},
                                {44, 44, "Regex::match", "plugin.dll"},
                                {19, 190,
                                 "Scintilla::EditView::LayoutLine(Sci::Surface *, "
                                 "Sci::LineLayout *, int width)",
                                 "SciLexer.dll"},
                                {4, 188, "load_project", "plugin.dll"},
                                {1, 1, "devenv+0x1a40", "devenv.exe"}}}};
    feed_model(scene, &frame);
}

/* A freeze was sampled; the session has another one, and forgot the first samples. */
static struct scene *profile_scene(enum um_wire_scope scope)
{
    struct scene *scene = new_scene("");
    struct um_wire_frame frame = {
        .type = UM_WIRE_PROFILE,
        .as.profile = {.span_ns = 300000 * FEED_MS,
                       .samples = 3512,
                       .scope = UM_WIRE_SCOPE_SESSION,
                       .forgotten = 4100,
                       .rows = {{1811, 2911, "parse_solution", "plugin.dll"},
                                {1230, 1230, "Regex::match", "plugin.dll"},
                                {205, 3512, "main", "devenv.exe"},
                                {150, 151, "on_paint", "devenv.exe"},
                                {111, 3310, "load_project", "plugin.dll"},
                                {5, 5, "flush", "devenv.exe"}}}};

    scene->shows_profile = true;
    feed_lag(&scene->script, 15000, 20);
    feed_freeze(&scene->script, 1240, UM_STATE_FROZEN, scope != UM_WIRE_SCOPE_NOW);
    if (scope != UM_WIRE_SCOPE_NOW)
        feed_lag(&scene->script, 2000, 20);
    feed_model(scene, &frame);
    feed_frozen_profile(scene, scope);
    return scene;
}

/* Each size is drawn into memory of exactly that size, so that a sanitizer sees a write beside. */
static void draw_every_size(enum um_overlay_look look, struct scene *scene)
{
    static const int widths[] = {1, 7, 200, 239, 241, 639, 641, 1920, 7680};
    static const int heights[] = {1, 5, 24, 47, 63, 95, 160, 400};
    struct um_graph_options options = {
        .font_dir = UM_SOURCE_DIR "/assets/fonts", .look = look, .scale = 1, .opacity = 0.85};
    struct um_graph *graph;

    options.rows = scene->rows;
    options.position = look == UM_OVERLAY_BAR ? UM_OVERLAY_TOP : UM_OVERLAY_BOTTOM;
    um_model_view(&scene->model, scene->script.now_ns, &scene->view);
    cr_assert(eq(int, um_graph_open(&options, &graph), UM_OK));
    um_graph_show_profile(graph, scene->shows_profile);
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        for (size_t j = 0; j < sizeof heights / sizeof heights[0]; j++) {
            struct um_canvas canvas = {NULL, widths[i], heights[j], widths[i]};
            cr_assert(eq(int, um_graph_set_scale(graph, i % 2 == 0 ? 1 : 2.25), UM_OK));
            canvas.pixels = calloc((size_t)widths[i] * (size_t)heights[j], sizeof(uint32_t));
            cr_assert(canvas.pixels != NULL);
            cr_expect(eq(int, um_graph_draw(graph, &scene->view, &canvas), UM_OK));
            free(canvas.pixels);
        }
    }
    um_graph_close(graph);
    free(scene);
}

Test(graph, draws_every_size_of_each_look_without_leaving_the_canvas)
{
    for (int look = UM_OVERLAY_STRIP; look <= UM_OVERLAY_BAR; look++) {
        draw_every_size((enum um_overlay_look)look, typing_scene(true));
        draw_every_size((enum um_overlay_look)look, busy_scene("all"));
        draw_every_size((enum um_overlay_look)look, profile_scene(UM_WIRE_SCOPE_FREEZE));
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
            um_wire_set_text(session->name, sizeof session->name, text);
            um_wire_set_text(session->caption, sizeof session->caption, text);
            feed_lag(&scene->script, 3000, 40);
            pictures[hostile] = draw(scene, WIDTH, HEIGHT, 1);
        }
        for (int row = HEIGHT - GRAPH_ROWS; row < HEIGHT; row++) {
            size_t at = (size_t)row * (size_t)pictures[0]->pitch;
            cr_assert(memcmp((uint8_t *)pictures[0]->pixels + at,
                             (uint8_t *)pictures[1]->pixels + at, WIDTH * 4) == 0,
                      "text %zu, row %d", i, row);
        }
        SDL_FreeSurface(pictures[0]);
        SDL_FreeSurface(pictures[1]);
    }
}

/* The smaller looks ---------------------------------------------------------------------------- */

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

Test(graph, compact_quiet)
{
    check_golden(draw_compact(quiet_scene(), 1), "compact_quiet");
}

Test(graph, compact_frozen)
{
    check_golden(draw_compact(frozen_scene(), 1), "compact_frozen");
}

Test(graph, compact_typing_and_caption)
{
    check_golden(draw_compact(typing_scene(true), 1), "compact_typing");
}

Test(graph, compact_without_measurement)
{
    check_golden(draw_compact(idle_scene(), 1), "compact_idle");
}

Test(graph, compact_of_a_windows_thread)
{
    check_golden(draw_compact(window_only_scene(), 1), "compact_window_thread");
}

Test(graph, compact_before_the_first_status)
{
    check_golden(draw_compact(new_scene(""), 1), "compact_waiting");
}

Test(graph, compact_at_scale_200)
{
    check_golden(draw_compact(frozen_scene(), 2), "compact_200");
}

Test(graph, bar_quiet)
{
    check_golden(draw_bar(quiet_scene(), 960, 1), "bar_quiet");
}

Test(graph, bar_frozen)
{
    check_golden(draw_bar(frozen_scene(), 960, 1), "bar_frozen");
}

Test(graph, bar_with_all_there_is)
{
    check_golden(draw_bar(typing_scene(true), 1600, 1), "bar_wide");
}

Test(graph, bar_in_a_narrow_window)
{
    check_golden(draw_bar(typing_scene(true), 400, 1), "bar_narrow");
}

Test(graph, bar_without_measurement)
{
    check_golden(draw_bar(idle_scene(), 640, 1), "bar_idle");
}

Test(graph, bar_at_scale_200)
{
    check_golden(draw_bar(typing_scene(true), 1280, 2), "bar_200");
}

Test(graph, refuses_options_out_of_range)
{
    struct um_graph_options options = {
        .font_dir = UM_SOURCE_DIR "/assets/fonts", .scale = 100, .opacity = 0.85};
    struct um_graph *graph;

    cr_expect(eq(int, um_graph_open(&options, &graph), UM_ERR_ARG));
    options.scale = 1;
    options.opacity = 1.5;
    cr_expect(eq(int, um_graph_open(&options, &graph), UM_ERR_ARG));
}

Test(graph, says_that_the_font_is_missing)
{
    struct um_graph_options options = {.font_dir = "/nonexistent", .scale = 1, .opacity = 0.85};
    struct um_graph *graph;

    cr_expect(eq(int, um_graph_open(&options, &graph), UM_ERR_NOT_FOUND));
}

/* The rows that are picked --------------------------------------------------------------------- */

Test(graph, rows_of_which_one_is_an_alarm)
{
    struct scene *scene = busy_scene("lag,latency,hangs,typing,threadpool");
    check_golden(draw(scene, 960, 120, 1), "rows");
}

Test(graph, rows_at_200_percent)
{
    struct scene *scene = busy_scene("lag,latency,hangs,typing,threadpool");
    check_golden(draw(scene, 1920, 240, 2), "rows_200");
}

Test(graph, rows_in_two_columns)
{
    struct scene *scene = busy_scene("all");
    check_golden(draw(scene, 1200, 120, 1), "rows_all");
}

Test(graph, rows_in_a_narrow_strip)
{
    struct scene *scene = busy_scene("threadpool,lag,hangs");
    check_golden(draw(scene, 560, 84, 1), "rows_narrow");
}

Test(graph, rows_that_were_not_measured)
{
    struct scene *scene = new_scene_with_rows("lag,latency,typing,click,threadpool,cost");

    feed_lag(&scene->script, 2000, 12);
    feed_unmeasured(&scene->script, 2000, UM_STATE_BLIND, false);
    check_golden(draw(scene, 960, 120, 1), "rows_unmeasured");
}

/* The row of a hang stays an alarm for 3 s, with its peak, while the lag is what it is now. */
Test(graph, rows_after_a_hang)
{
    struct scene *scene = new_scene_with_rows("lag,hangs,threadpool");

    feed_lag(&scene->script, 9000, 12);
    feed_pool(&scene->script, 0, 0, false);
    feed_freeze(&scene->script, 1240, UM_STATE_FROZEN, true);
    feed_lag(&scene->script, 500, 12);
    feed_pool(&scene->script, 0, 640, false);
    check_golden(draw(scene, 960, 120, 1), "rows_after");
}

Test(graph, compact_with_rows)
{
    struct scene *scene = busy_scene("lag,latency,threadpool");
    int height = UM_OVERLAY_COMPACT_HEIGHT + 2 * UM_OVERLAY_ROW_HEIGHT;
    check_golden(draw_look(scene, UM_OVERLAY_COMPACT, UM_OVERLAY_COMPACT_WIDTH, height, 1),
                 "compact_rows");
}

Test(graph, compact_with_rows_at_200_percent)
{
    struct scene *scene = busy_scene("lag,latency,threadpool");
    int height = 2 * (UM_OVERLAY_COMPACT_HEIGHT + 2 * UM_OVERLAY_ROW_HEIGHT);
    check_golden(draw_look(scene, UM_OVERLAY_COMPACT, 2 * UM_OVERLAY_COMPACT_WIDTH, height, 2),
                 "compact_rows_200");
}

Test(graph, bar_with_rows)
{
    struct scene *scene = busy_scene("threadpool,lag,hangs");
    check_golden(draw_bar(scene, 1000, 1), "bar_rows");
}

/* The profile ---------------------------------------------------------------------------------- */

#define HEIGHT (UM_OVERLAY_STRIP_HEIGHT + UM_OVERLAY_PROFILE_HEIGHT)

Test(graph, profile_of_the_last_freeze_and_the_session)
{
    check_golden(draw(profile_scene(UM_WIRE_SCOPE_FREEZE), 960, HEIGHT, 1), "profile");
}

Test(graph, profile_at_200_percent)
{
    check_golden(draw(profile_scene(UM_WIRE_SCOPE_FREEZE), 1920, 2 * HEIGHT, 2), "profile_200");
}

/* A strip at the top has it below the graph. */
Test(graph, profile_of_a_freeze_that_lasts)
{
    struct scene *scene = profile_scene(UM_WIRE_SCOPE_NOW);

    scene->position = UM_OVERLAY_TOP;
    check_golden(draw(scene, 800, HEIGHT, 1), "profile_now");
}

Test(graph, profile_in_a_narrow_strip)
{
    check_golden(draw(profile_scene(UM_WIRE_SCOPE_FREEZE), 420, HEIGHT, 1), "profile_narrow");
}

Test(graph, compact_with_a_profile)
{
    int height = UM_OVERLAY_COMPACT_HEIGHT + UM_OVERLAY_PROFILE_HEIGHT;
    check_golden(draw_look(profile_scene(UM_WIRE_SCOPE_FREEZE), UM_OVERLAY_COMPACT,
                           UM_OVERLAY_COMPACT_WIDTH, height, 1),
                 "compact_profile");
}

static struct scene *scene_without_samples(enum um_wire_scope scope)
{
    struct scene *scene = new_scene("");
    struct um_wire_frame frame = {.type = UM_WIRE_PROFILE, .as.profile.scope = (uint8_t)scope};

    scene->shows_profile = true;
    feed_lag(&scene->script, 5000, 20);
    feed_model(scene, &frame);
    return scene;
}

Test(graph, profile_of_a_program_that_is_not_sampled)
{
    check_golden(draw(scene_without_samples(UM_WIRE_SCOPE_NONE), 800, HEIGHT, 1), "profile_none");
}

Test(graph, profile_without_a_sample_so_far)
{
    check_golden(draw(scene_without_samples(UM_WIRE_SCOPE_SESSION), 800, HEIGHT, 1),
                 "profile_empty");
}
