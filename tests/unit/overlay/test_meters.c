/* Layout costs on a sheet: what is drawn, when, and where. The sheet and the places of windows are
 * the test's. Pictures are compared with tests/golden/meters_*.png. */
#include <SDL.h>
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain/text.h"
#include "overlay/meter.h"
#include "overlay/meters.h"
#include "overlay/parts.h"
#include "overlay/sheet.h"
#include "tests/unit/overlay/picture.h"

#define MS UINT64_C(1000000)
#define PRESENTED 64

struct um_sheet {
    struct um_canvas canvas;
    struct um_canvas_rect at;   /* where the picture belongs */
    struct um_canvas_rect seen; /* of that, on the screen; empty before the first picture */
    bool shown;
};

static struct um_sheet *sheet;
static unsigned sheets; /* that are open */
static struct um_canvas_rect presented[PRESENTED];
static size_t presents, looks;
static bool locked;                                             /* the screen is */
static struct um_canvas_rect places[UM_WIRE_LAYOUT_COMPONENTS]; /* by window - 0x100 */
static struct um_canvas_rect followed;                          /* which the sheet follows */
static struct um_canvas_rect real;       /* the window at this moment; empty: as in the scene */
static struct um_canvas_rect resized_to; /* ... from the time on that it is asked for so often */
static unsigned resized_at, bounds_asked;
static struct um_choice_windows over; /* without the main window */
static uint32_t hovered;              /* the component under the cursor */
static uint32_t headed;               /* a component with column heads of 20 px */
static uint32_t buried;               /* a component over which a sibling lies */
static struct um_canvas_rect sibling; /* where; with no size: over all of it */
static bool behind;                   /* the target lies over the sheet */
static bool minimised;                /* ... or is not on the screen */
static unsigned raises;
static struct um_canvas_rect cursor; /* on the desktop, in a replay */

static struct um_costs costs;
static struct um_meters *meters;
static struct um_meters_scene scene;
static uint64_t now_ns;

/* The sheet and the places -------------------------------------------------------------------- */

enum um_status um_sheet_open(uint64_t above, struct um_sheet **out)
{
    cr_expect_eq(above, 0x99);
    sheet = *out = calloc(1, sizeof *sheet);
    sheets++;
    return UM_OK;
}

void um_sheet_close(struct um_sheet *closed)
{
    if (!closed)
        return;
    free(closed->canvas.pixels);
    free(closed);
    sheets--;
}

enum um_status um_sheet_place(struct um_sheet *placed, struct um_canvas_rect bounds,
                              struct um_canvas *canvas)
{
    if (placed->canvas.width != bounds.width || placed->canvas.height != bounds.height) {
        free(placed->canvas.pixels);
        placed->canvas = (struct um_canvas){
            calloc((size_t)bounds.width * (size_t)bounds.height, sizeof(uint32_t)), bounds.width,
            bounds.height, bounds.width};
    }
    placed->at = followed = bounds;
    *canvas = placed->canvas;
    return UM_OK;
}

void um_sheet_follow(struct um_sheet *of, struct um_canvas_rect bounds)
{
    bool whole = of->seen.width == of->at.width && of->seen.height == of->at.height;
    bool same = of->at.width == bounds.width && of->at.height == bounds.height;
    followed = bounds;
    if (same)
        of->at = bounds;
    of->seen = same && whole ? bounds : um_canvas_cut(&of->seen, &followed);
}

enum um_status um_sheet_present(struct um_sheet *of, const struct um_canvas_rect *changed)
{
    if (locked)
        return UM_ERR_IO;
    cr_assert_lt(presents, PRESENTED);
    presented[presents++] = *changed;
    of->seen = um_canvas_cut(&of->at, &followed);
    of->shown = true;
    return UM_OK;
}

void um_sheet_hide(struct um_sheet *of)
{
    of->shown = false;
}

void um_sheet_raise(struct um_sheet *of)
{
    (void)of;
    raises++;
}

bool um_parts_bounds(uint64_t target, struct um_canvas_rect *bounds)
{
    bounds_asked++;
    if (resized_at == bounds_asked)
        real = resized_to;
    cr_expect_eq(target, 0x103);
    if (real.width > 0)
        *bounds = real;
    return real.width > 0;
}

bool um_parts_look(uint64_t target, const struct um_canvas_rect *bounds,
                   struct um_choice_item *items, size_t count, struct um_choice_windows *windows)
{
    looks++;
    *windows = over;
    if (!minimised)
        windows->list[windows->count++] =
            (struct um_canvas_rect){0, 0, bounds->width, bounds->height};
    cr_expect_eq(target, 0x103);
    for (size_t i = 0; i < count; i++) {
        if (items[i].window == 0)
            continue;
        items[i].rect = places[items[i].window - 0x100];
        items[i].seen = items[i].rect.width > 0 && !minimised;
        items[i].depth = (unsigned)over.count;
    }
    return behind;
}

int um_parts_heads(const struct um_choice_item *item)
{
    return item->id == headed ? 20 : 0;
}

void um_parts_siblings(const struct um_canvas_rect *bounds, const struct um_choice_item *item,
                       struct um_siblings *siblings)
{
    (void)bounds;
    *siblings = (struct um_siblings){0};
    if (item->id == buried)
        um_siblings_add(siblings, &item->rect, sibling.width > 0 ? &sibling : &item->rect);
}

uint32_t um_parts_hover(const struct um_canvas_rect *bounds, const struct um_choice_item *items,
                        size_t count, const struct um_choice_windows *windows)
{
    (void)bounds;
    (void)items;
    (void)count;
    (void)windows;
    return hovered;
}

bool um_parts_cursor(int *x, int *y)
{
    *x = cursor.x;
    *y = cursor.y;
    return true;
}

/* The feed ------------------------------------------------------------------------------------- */

static void component(uint32_t id, uint32_t parent, struct um_canvas_rect place,
                      const char *window_class, const char *text)
{
    struct um_wire_frame frame = {
        .type = UM_WIRE_LAYOUT_COMPONENT,
        .as.layout_component = {
            .id = id, .parent = parent, .window = 0x100 + id, .authored = 12, .rendered = 70}};
    um_text_set(frame.as.layout_component.window_class, UM_WIRE_LAYOUT_TEXT_BYTES, window_class);
    um_text_set(frame.as.layout_component.text, UM_WIRE_LAYOUT_TEXT_BYTES, text);
    um_costs_take(&costs, &frame);
    places[id] = place;
}

static void draws_parts(uint32_t id, bool draws)
{
    const struct um_wire_frame frame = {.type = UM_WIRE_LAYOUT_PLACE,
                                        .as.layout_place = {.id = id, .draws_parts = draws}};
    um_costs_take(&costs, &frame);
}

static void meter(uint32_t id, double worst_ms)
{
    uint64_t worst_ns = (uint64_t)(worst_ms * 1e6);
    struct um_wire_frame frame = {.type = UM_WIRE_LAYOUT_METERS,
                                  .as.layout_meters = {.time_ns = now_ns,
                                                       .count = 1,
                                                       .list = {{.id = id,
                                                                 .frame = 12847,
                                                                 .measure_ns = worst_ns / 3,
                                                                 .arrange_ns = worst_ns / 2,
                                                                 .paint_ns = worst_ns,
                                                                 .mean_ns = worst_ns,
                                                                 .worst_ns = worst_ns}}}};
    um_costs_take(&costs, &frame);
}

static void why(uint32_t id, uint32_t message, const char *handler)
{
    struct um_wire_frame frame = {
        .type = UM_WIRE_LAYOUT_TIMES,
        .as.layout_times = {.count = 1, .list = {{.id = id, .message = message, .key = 7 + id}}}};
    um_costs_take(&costs, &frame);
    frame = (struct um_wire_frame){.type = UM_WIRE_NAME, .as.name.key = 7 + id};
    um_text_set(frame.as.name.name, sizeof frame.as.name.name, handler);
    um_costs_take(&costs, &frame);
}

static void open_meters(bool bars, bool legend)
{
    const struct um_meters_options options = {.font_dir = UM_SOURCE_DIR "/assets/fonts",
                                              .bars = bars,
                                              .layout_keys = "Ctrl+Alt+Shift+F7",
                                              .pin_keys = "Ctrl+Alt+Shift+F6"};
    cr_assert_eq(um_meters_open(&options, 0x99, legend, &meters), UM_OK);
}

static void setup(void)
{
    now_ns = 5000000 * MS;
    scene = (struct um_meters_scene){.mode = UM_WIRE_LAYOUT_MODE_COMPONENTS,
                                     .target = 0x103,
                                     .bounds = {100, 50, 640, 400},
                                     .scale = 1};
}

static void teardown(void)
{
    um_meters_close(meters);
    um_costs_close(&costs);
    cr_expect_eq(sheets, 0);
}

TestSuite(meters, .init = setup, .fini = teardown);

static void turn(uint64_t later_ms)
{
    now_ns += later_ms * MS;
    scene.feed_ns = now_ns;
    cr_assert_eq(um_meters_take(meters, &costs), UM_OK);
    cr_assert_eq(um_meters_turn(meters, &scene, now_ns), UM_OK);
}

/* A window with three panes; the last lies within the second. Six seconds of layout. */
static void window_with_panes(double scale)
{
    int s = (int)scale;
    scene.scale = scale;
    scene.bounds.width *= s;
    scene.bounds.height *= s;
    component(3, 0, (struct um_canvas_rect){0, 0, 640 * s, 400 * s}, "IDE_Main", "Solution – IDE");
    component(4, 3, (struct um_canvas_rect){0, 40 * s, 180 * s, 360 * s}, "SysTreeView32",
              "Solution Explorer");
    component(5, 3, (struct um_canvas_rect){184 * s, 40 * s, 456 * s, 360 * s}, "IDE_Editor", "");
    component(6, 5, (struct um_canvas_rect){200 * s, 280 * s, 300 * s, 110 * s}, "IDE_Output",
              "Output");
    why(5, 71, "ide::text::Editor::on_window_pos_changed");
    for (int i = 0; i < 60; i++) {
        now_ns += 100 * MS;
        meter(3, i % 20 < 14 ? 3 + (i * 7 % 30) : 0.5);
        meter(4, i % 9 == 0 ? 6 : 0.4);
        meter(5, i % 20 < 14 ? 2 + (i * 7 % 26) : 0.3);
        meter(6, i < 30 ? 12 : 9);
    }
}

/* The sheet over something grey, as it looks on the screen. */
static SDL_Surface *picture(void)
{
    SDL_Surface *out = SDL_CreateRGBSurfaceWithFormat(0, sheet->canvas.width, sheet->canvas.height,
                                                      32, SDL_PIXELFORMAT_ARGB8888);
    cr_assert_not_null(out);
    for (int y = 0; y < out->h; y++)
        for (int x = 0; x < out->w; x++) {
            uint32_t pixel = um_canvas_row(&sheet->canvas, y)[x], rest = 255 - (pixel >> 24);
            uint32_t grey = 0xd0 * rest / 255;
            ((uint32_t *)((uint8_t *)out->pixels + (ptrdiff_t)y * out->pitch))[x] =
                0xff000000 | ((pixel & 0xffffff) + grey * 0x10101);
        }
    return out;
}

static bool is_empty_at(const struct um_canvas_rect *rect)
{
    for (int y = rect->y; y < rect->y + rect->height; y++)
        for (int x = rect->x; x < rect->x + rect->width; x++)
            if (um_canvas_row(&sheet->canvas, y)[x] != 0)
                return false;
    return true;
}

/* Pictures ------------------------------------------------------------------------------------- */

Test(meters, golden_pictures_of_one_size_fail_against_each_other)
{
    picture_check_apart("meters_*.png");
}

Test(meters, components)
{
    open_meters(false, false);
    window_with_panes(1);
    turn(0);
    picture_check_golden(picture(), "meters_components");
}

Test(meters, components_at_200_percent)
{
    open_meters(false, false);
    window_with_panes(2);
    turn(0);
    picture_check_golden(picture(), "meters_components_200");
}

static void draw_heatmap(double scale, const char *name)
{
    open_meters(true, false);
    scene.mode = UM_WIRE_LAYOUT_MODE_HEATMAP;
    window_with_panes(scale);
    component(1, 0, (struct um_canvas_rect){0}, "<chrome>", "");
    meter(1, 9);
    turn(0);
    picture_check_golden(picture(), name);
}

Test(meters, heatmap_with_bars)
{
    draw_heatmap(1, "meters_heatmap");
}

Test(meters, heatmap_with_bars_at_200_percent)
{
    draw_heatmap(2, "meters_heatmap_200");
}

static void draw_inspect(double scale, const char *name)
{
    open_meters(false, false);
    scene.mode = UM_WIRE_LAYOUT_MODE_INSPECT;
    window_with_panes(scale);
    hovered = 5;
    turn(0);
    scene.pins++; /* the editor */
    turn(40);
    hovered = 4;
    turn(200);
    picture_check_golden(picture(), name);
}

Test(meters, inspect_and_pin)
{
    draw_inspect(1, "meters_inspect");
}

Test(meters, inspect_and_pin_at_200_percent)
{
    draw_inspect(2, "meters_inspect_200");
}

static void draw_pin(double scale, const char *name)
{
    open_meters(false, false);
    window_with_panes(scale);
    turn(0);
    hovered = 6;
    scene.pins++;
    turn(40);
    picture_check_golden(picture(), name);
}

Test(meters, pin)
{
    draw_pin(1, "meters_pin");
}

Test(meters, pin_at_200_percent)
{
    draw_pin(2, "meters_pin_200");
}

Test(meters, legend)
{
    open_meters(false, true);
    window_with_panes(1);
    turn(0);
    picture_check_golden(picture(), "meters_legend");
}

Test(meters, legend_of_bars_at_200_percent)
{
    open_meters(true, true);
    window_with_panes(2);
    turn(0);
    picture_check_golden(picture(), "meters_legend_bars_200");
}

Test(meters, parts_that_are_not_seen)
{
    open_meters(false, false);
    scene.bounds = (struct um_canvas_rect){0, 0, 320, 120};
    component(3, 0, (struct um_canvas_rect){0, 0, 320, 120}, "Chrome_WidgetWin_1", "Page");
    draws_parts(3, true);
    meter(3, 4);
    turn(0);
    picture_check_golden(picture(), "meters_unseen");
}

/* The words are wider than the meter. */
Test(meters, all_is_drawn_anew_when_parts_are_seen_after_all)
{
    open_meters(false, false);
    component(3, 0, (struct um_canvas_rect){0, 0, 640, 400}, "Main", "");
    draws_parts(3, true);
    meter(3, 4);
    turn(0);
    size_t before = presents;
    draws_parts(3, false);
    turn(100);
    cr_assert_eq(presents, before + 1);
    cr_expect(presented[before].width == 640 && presented[before].height == 400);
}

/* When and where ------------------------------------------------------------------------------- */

Test(meters, only_what_has_changed_goes_to_the_screen)
{
    open_meters(false, false);
    window_with_panes(1);
    turn(0);
    cr_assert_eq(presents, 1);
    cr_expect(presented[0].width == 640 && presented[0].height == 400);
    now_ns += 100 * MS;
    meter(4, 6);
    turn(0);
    for (size_t i = 1; i < presents; i++)
        cr_expect(presented[i].width == 62 && presented[i].height == 14, "%d x %d",
                  presented[i].width, presented[i].height);
    cr_expect_gt(presents, 1);
}

Test(meters, there_are_33_ms_between_two_pictures)
{
    open_meters(false, false);
    window_with_panes(1);
    turn(0);
    meter(6, 31);
    turn(32);
    cr_expect_eq(presents, 1);
    cr_expect_eq(um_meters_deadline(meters), now_ns + MS);
    turn(1);
    cr_expect_gt(presents, 1);
}

Test(meters, it_decays_and_then_rests)
{
    open_meters(false, false);
    component(3, 0, (struct um_canvas_rect){0, 0, 640, 400}, "Main", "");
    meter(3, 5);
    turn(0);
    size_t before = presents;
    for (int i = 0; i < 70; i++) /* seven seconds */
        turn(100);
    cr_expect(presents > before + 10 && presents < before + 40, "%zu", presents - before);
    before = presents;
    for (int i = 0; i < 50; i++)
        turn(100);
    cr_expect_eq(presents, before, "nothing is drawn at rest");
    cr_expect_eq(um_meters_deadline(meters), UM_METERS_NEVER, "nothing wakes it at rest");
}

Test(meters, a_small_difference_is_not_drawn)
{
    open_meters(true, false);
    component(3, 0, (struct um_canvas_rect){0, 0, 640, 400}, "Main", "");
    meter(3, 5);
    turn(0);
    for (int i = 0; i < 70; i++)
        turn(100);
    size_t before = presents;
    struct um_wire_frame frame = {.type = UM_WIRE_LAYOUT_METERS,
                                  .as.layout_meters = {.time_ns = now_ns,
                                                       .count = 1,
                                                       .list = {{.id = 3, .mean_ns = 5090000}}}};
    um_costs_take(&costs, &frame);
    turn(100);
    cr_expect_eq(presents, before);
    frame.as.layout_meters.list[0].mean_ns = 5200000;
    um_costs_take(&costs, &frame);
    turn(100);
    cr_expect_eq(presents, before + 1);
}

Test(meters, a_window_that_goes_takes_its_meter_with_it)
{
    open_meters(false, false);
    window_with_panes(1);
    turn(0);
    struct um_canvas_rect corner = {500 - 4 - 32, 284, 32, 14};
    cr_expect_not(is_empty_at(&corner));
    struct um_wire_frame frame = {.type = UM_WIRE_LAYOUT_COMPONENT,
                                  .as.layout_component = {.id = 6, .window_class = "IDE_Output"}};
    um_costs_take(&costs, &frame);
    turn(100);
    cr_expect(is_empty_at(&corner));
}

Test(meters, a_meter_that_another_window_covers_is_not_drawn)
{
    open_meters(false, false);
    window_with_panes(1);
    over.count = 1;
    over.list[0] = (struct um_canvas_rect){100, 30, 60, 40}; /* over the corner of the tree */
    turn(0);
    struct um_canvas_rect tree = {180 - 4 - 32, 44, 32, 14};
    struct um_canvas_rect editor = {640 - 4 - 32, 44, 32, 14};
    struct um_canvas_rect rest = {160, 44, 16, 14}; /* of the meter, beside the window */
    cr_expect(is_empty_at(&over.list[0]), "nothing lies over the other window");
    cr_expect(is_empty_at(&rest));
    cr_expect_not(is_empty_at(&editor));
    over.count = 0;
    turn(250);
    cr_expect_not(is_empty_at(&tree));
}

/* Whether a meter with a name is there, by the sparkline's upper right corner. */
static bool has_meter_at(int right, int y)
{
    const struct um_canvas_rect box = {right - 58, y + 1, 2, 2}, name = {right - 70, y + 5, 2, 2};
    return !is_empty_at(&box) && !is_empty_at(&name);
}

/* A window with a list view at its right, where nothing may lie over the column heads. */
static void window_with_list(double list_ms)
{
    struct um_wire_frame list = {.type = UM_WIRE_LAYOUT_COMPONENT,
                                 .as.layout_component = {.id = 4,
                                                         .parent = 3,
                                                         .window = 0x104,
                                                         .window_class = "My.SysListView32.1",
                                                         .authored = 1,
                                                         .rendered = 2}};
    open_meters(false, false);
    headed = 4;
    component(3, 0, (struct um_canvas_rect){0, 0, 640, 400}, "Main", "Main");
    places[4] = (struct um_canvas_rect){200, 0, 440, 400};
    um_costs_take(&costs, &list);
    meter(3, 20);
    meter(4, list_ms);
    turn(0);
    struct um_canvas_rect heads = {204, 4, 430, 16};
    cr_expect(is_empty_at(&heads), "a meter lies over the heads of columns");
    cr_expect(has_meter_at(636, 24));
}

Test(meters, a_meter_lies_below_column_heads)
{
    window_with_list(18);
    cr_expect(has_meter_at(200 - 4, 4), "the window's is not beside the list");
}

Test(meters, a_meter_lies_below_the_column_heads_of_a_part_that_has_none)
{
    window_with_list(1);
    cr_expect_not(has_meter_at(200 - 4, 4));
}

Test(meters, no_meter_lies_where_the_graph_is)
{
    open_meters(false, false);
    scene.graph = (struct um_canvas_rect){100, 50, 640, 120}; /* at the upper edge */
    component(3, 0, (struct um_canvas_rect){0, 0, 640, 400}, "Main", "Main");
    meter(3, 20);
    turn(0);
    struct um_canvas_rect graph = {0, 0, 640, 120}; /* where the window's frame would be, too */
    cr_expect(is_empty_at(&graph));
    cr_expect(has_meter_at(636, 124));
    scene.graph.y = 50 + 280;
    turn(40);
    cr_expect(has_meter_at(636, 4));
}

/* The third pixel of a part's frame at the left, below all read-outs: the frame is that wide if the
 * part costs most. */
static uint32_t frame_of(uint32_t id)
{
    const struct um_canvas_rect *at = &places[id];
    return um_canvas_row(&sheet->canvas, at->y + at->height - 10)[at->x + 2];
}

Test(meters, the_part_that_costs_most_has_a_thick_frame)
{
    open_meters(false, false);
    window_with_panes(1);
    turn(0);
    cr_expect_eq(frame_of(6), 0xff3ddc84);
    cr_expect_eq(frame_of(4), 0);
    meter(4, 30);
    turn(100);
    cr_expect_eq(frame_of(6), 0);
    cr_expect_eq(frame_of(4), 0xff3ddc84);
    scene.mode = UM_WIRE_LAYOUT_MODE_INSPECT; /* there is nothing to compare */
    hovered = 4;
    turn(100);
    hovered = 6;
    scene.pins++;
    turn(100);
    hovered = 4;
    turn(100);
    cr_expect_eq(frame_of(4), 0);
}

/* The read-out of component 6 stays. */
static void pin_output(void)
{
    open_meters(false, false);
    window_with_panes(1);
    hovered = 6;
    turn(0);
    scene.pins++;
    turn(40);
}

Test(meters, a_pin_goes_with_its_window)
{
    pin_output();
    struct um_canvas_rect readout = {300, 310, 80, 60};
    cr_expect_not(is_empty_at(&readout));
    struct um_wire_frame frame = {.type = UM_WIRE_LAYOUT_COMPONENT,
                                  .as.layout_component = {.id = 6, .window_class = "IDE_Output"}};
    um_costs_take(&costs, &frame);
    turn(100);
    cr_expect(is_empty_at(&readout));
}

#define NAME_WIDTH 188 /* of the row with the handler's name in the read-out of component 6 */
#define NAME_HEIGHT 18

static void draw_handler(const char *handler, uint32_t pixels[NAME_HEIGHT][NAME_WIDTH])
{
    why(6, 71, handler);
    turn(250);
    for (int y = 0; y < NAME_HEIGHT; y++)
        memcpy(pixels[y], um_canvas_row(&sheet->canvas, 376 + y) + 240, sizeof pixels[y]);
}

static bool are_drawn_alike(const char *one, const char *other)
{
    static uint32_t pixels[2][NAME_HEIGHT][NAME_WIDTH];
    draw_handler(one, pixels[0]);
    draw_handler(other, pixels[1]);
    return memcmp(pixels[0], pixels[1], sizeof pixels[0]) == 0;
}

/* What is too long loses its scopes, and only then its end. */
Test(meters, a_long_name_keeps_its_end)
{
    pin_output();
    cr_expect(are_drawn_alike("ide::text_that_is_edited::Painter::on_size",
                              "ide::page_that_is_printed::Painter::on_size"));
    cr_expect(are_drawn_alike("Ide.TextThatIsEdited.TextView.OnSize",
                              "Ide.PageThatIsPrinted.TextView.OnSize"));
    cr_expect(are_drawn_alike("Ide.TextThatIsEdited.TextView..ctor",
                              "Ide.PageThatIsPrinted.TextView..ctor"));
    cr_expect(are_drawn_alike("parse_all_of_the_lines_of_the_document",
                              "parse_all_of_the_lines_of_the_document.part.0"));
    cr_expect_not(are_drawn_alike("Ide.TextThatIsEdited.TextView.OnSize",
                                  "Ide.TextThatIsEdited.TextView.OnMove"));
    cr_expect_not(are_drawn_alike("Ide.TextThatIsEdited.TextView..ctor",
                                  "Ide.TextThatIsEdited.PageView..ctor"));
}

/* The lower left corner of the window, where the legend is. */
static const struct um_canvas_rect lower_left = {20, 350, 40, 20};

static void one_part_with_a_legend(void)
{
    open_meters(false, true);
    component(3, 0, (struct um_canvas_rect){0, 0, 640, 400}, "Main", "");
    meter(3, 5);
    turn(0);
}

Test(meters, the_legend_goes_after_five_seconds)
{
    one_part_with_a_legend();
    cr_expect_not(is_empty_at(&lower_left));
    turn(4900);
    cr_expect_not(is_empty_at(&lower_left));
    turn(200);
    cr_expect(is_empty_at(&lower_left));
}

/* A busy program may tell late of its parts. */
Test(meters, the_five_seconds_of_the_legend_begin_when_it_is_drawn)
{
    open_meters(false, true);
    turn(0);
    turn(6000);
    component(3, 0, (struct um_canvas_rect){0, 0, 640, 400}, "Main", "");
    meter(3, 5);
    turn(40);
    cr_expect_not(is_empty_at(&lower_left));
    turn(4900);
    cr_expect_not(is_empty_at(&lower_left));
    turn(200);
    cr_expect(is_empty_at(&lower_left));
}

Test(meters, a_press_of_the_keys_ends_the_legend)
{
    one_part_with_a_legend();
    cr_expect_not(is_empty_at(&lower_left));
    scene.mode = UM_WIRE_LAYOUT_MODE_HEATMAP;
    turn(40);
    cr_expect(is_empty_at(&lower_left));
}

/* Where the legend is, within the frame of the one part; its size is 0 if there is none. */
static struct um_canvas_rect find_legend(int width, int height)
{
    int left = width, top = height, right = 0, bottom = 0;
    for (int y = 60; y < height - 1; y++) /* below the meter */
        for (int x = 1; x < width - 1; x++)
            if (um_canvas_row(&sheet->canvas, y)[x] != 0) {
                left = x < left ? x : left;
                right = x + 1 > right ? x + 1 : right;
                top = y < top ? y : top;
                bottom = y + 1 > bottom ? y + 1 : bottom;
            }
    return right == 0 ? (struct um_canvas_rect){0}
                      : (struct um_canvas_rect){left, top, right - left, bottom - top};
}

static struct um_canvas_rect draw_legend(int width, int height, struct um_canvas_rect graph)
{
    scene.bounds = (struct um_canvas_rect){100, 50, width, height};
    scene.graph = graph;
    open_meters(false, true);
    component(3, 0, (struct um_canvas_rect){0, 0, width, height}, "Main", "");
    meter(3, 5);
    turn(0);
    return find_legend(width, height);
}

static void expect_rect(struct um_canvas_rect rect, int x, int bottom)
{
    cr_expect(rect.x == x && rect.y + rect.height == bottom, "%d, %d, %d x %d", rect.x, rect.y,
              rect.width, rect.height);
    cr_expect(rect.height == 3 * 14 + 2 * 5 && rect.width < 400, "%d x %d", rect.width,
              rect.height);
}

Test(meters, the_legend_is_small_and_above_a_graph_at_the_lower_edge)
{
    expect_rect(draw_legend(800, 600, (struct um_canvas_rect){100, 530, 800, 120}), 8, 480 - 8);
}

Test(meters, the_legend_is_at_the_lower_edge_if_the_graph_is_not)
{
    struct um_canvas_rect graph = {100, 50, 800, 29}; /* as a bar */
    expect_rect(draw_legend(800, 600, graph), 8, 600 - 8);
}

Test(meters, a_small_window_has_no_legend)
{
    const struct um_canvas_rect narrow = {100, 530, 599, 120}, low = {100, 349, 800, 120};
    cr_expect_eq(draw_legend(599, 600, narrow).width, 0);
    um_meters_close(meters);
    cr_expect_eq(draw_legend(800, 419, low).width, 0, "299 px are left above the graph");
}

Test(meters, nothing_to_show_hides_the_sheet)
{
    open_meters(false, false);
    window_with_panes(1);
    turn(0);
    cr_expect(sheet->shown);
    memset(places, 0, sizeof places); /* as on another desktop */
    turn(300);
    cr_expect_not(sheet->shown);
}

Test(meters, no_panel_stays_of_a_window_that_is_minimised)
{
    open_meters(false, true);
    window_with_panes(1);
    hovered = 5;
    turn(0);
    scene.pins++;
    turn(40);
    cr_expect(sheet->shown);
    minimised = true;
    turn(300);
    cr_expect_not(sheet->shown);
    minimised = false;
    turn(300);
    cr_expect(sheet->shown);
}

Test(meters, no_panel_lies_over_another_program)
{
    open_meters(false, true);
    window_with_panes(1);
    over.count = 1;
    over.list[0] = (struct um_canvas_rect){0, 0, 640, 400}; /* a maximised browser */
    hovered = 5;
    turn(0);
    cr_expect(is_empty_at(&over.list[0]));
    scene.pins++;
    turn(40);
    cr_expect(is_empty_at(&over.list[0]));
}

Test(meters, a_press_right_after_a_picture_is_not_lost)
{
    open_meters(false, false);
    window_with_panes(1);
    turn(0);
    hovered = 5;
    scene.pins++;
    turn(10);
    hovered = 0;
    turn(10);
    hovered = 5;
    turn(20);
    struct um_canvas_rect edge = {184, 200, 4, 20}; /* of the editor, in white */
    cr_expect_eq(um_canvas_row(&sheet->canvas, edge.y)[edge.x + 1], 0xffffffff);
}

Test(meters, a_part_that_a_sibling_covers_is_not_drawn)
{
    open_meters(false, false);
    window_with_panes(1);
    buried = 4;
    turn(0);
    struct um_canvas_rect edge = {0, 100, 180, 100};
    struct um_canvas_rect within = {1, 100, 179, 100}; /* without the main window's outline */
    cr_expect(is_empty_at(&within));
    cr_expect_not(is_empty_at(&edge));
    buried = 0; /* no place of a component changes with that */
    turn(300);
    cr_expect_not(is_empty_at(&within));
    buried = 4;
    turn(300);
    cr_expect(is_empty_at(&within));
}

/* A sibling lies over its upper right corner, and another time
 * over its upper part. */
Test(meters, a_part_is_framed_where_no_sibling_covers_it)
{
    open_meters(false, false);
    window_with_panes(1);
    buried = 4;
    turn(0);
    const struct um_canvas_rect pane = places[4];
    sibling = (struct um_canvas_rect){pane.x + 60, pane.y, pane.width, 100};
    turn(300);
    struct um_canvas_rect within = {sibling.x + 1, pane.y + 1, pane.width - 62, 98};
    struct um_canvas_rect beside = {sibling.x - 1, pane.y + 2, 1, 90};
    struct um_canvas_rect below = {sibling.x + 2, pane.y + 100, 60, 1};
    cr_expect(is_empty_at(&within), "it is drawn on the sibling");
    cr_expect_not(is_empty_at(&beside), "no frame at the sibling's side");
    cr_expect_not(is_empty_at(&below), "no frame below the sibling");
    sibling = (struct um_canvas_rect){pane.x - 10, pane.y - 10, pane.width + 20, 60};
    turn(300);
    struct um_canvas_rect above = {pane.x + 2, pane.y + 2, pane.width - 4, 46};
    struct um_canvas_rect edge = {pane.x + 2, pane.y + 50, pane.width - 4, 1};
    cr_expect(is_empty_at(&above));
    cr_expect_not(is_empty_at(&edge));
}

/* Of so many, not all are looked at each time. */
Test(meters, of_many_parts_each_is_noticed_that_a_sibling_covers)
{
    open_meters(false, false);
    component(3, 0, (struct um_canvas_rect){0, 0, 640, 400}, "IDE_Main", "");
    for (uint32_t id = 4; id < 44; id++) { /* ten columns and four rows */
        int x = 5 + 60 * (int)((id - 4) % 10), y = 5 + 80 * (int)((id - 4) / 10);
        component(id, 3, (struct um_canvas_rect){x, y, 50, 50}, "IDE_Pane", "");
        meter(id, 20);
    }
    turn(0);
    const struct um_canvas_rect last = places[43];
    cr_expect_not(is_empty_at(&last));
    buried = 43;
    for (int i = 0; i < 3; i++)
        turn(300);
    cr_expect(is_empty_at(&last));
}

Test(meters, a_panel_leaves_its_meter_free_where_the_window_ends)
{
    struct um_canvas_rect meter_at = {600 - 4 - 62, 340 + 4, 62, 14};
    open_meters(false, false);
    window_with_panes(1);
    component(7, 3, (struct um_canvas_rect){500, 340, 100, 60}, "IDE_Status", "");
    meter(7, 20);
    hovered = 7;
    scene.mode = UM_WIRE_LAYOUT_MODE_INSPECT;
    turn(0);
    /* The last column of a frame of 20 ms, in red, is seen. */
    const uint32_t *row = um_canvas_row(&sheet->canvas, meter_at.y + meter_at.height - 3);
    cr_expect_eq(row[meter_at.x + meter_at.width - 2], 0xff000000 | um_meter_rgb(UM_METER_RED));
}

Test(meters, a_target_that_comes_to_lie_over_it_is_noticed)
{
    open_meters(false, false);
    window_with_panes(1);
    turn(0);
    cr_expect_eq(raises, 0);
    behind = true;
    turn(300);
    cr_expect_eq(raises, 1);
    turn(300);
    turn(300);
    cr_expect_eq(raises, 1, "of two that are always on top, one gives way");
    turn(600);
    cr_expect_eq(raises, 2);
}

Test(meters, a_window_of_another_size_is_looked_at_at_once)
{
    open_meters(false, false);
    window_with_panes(1);
    turn(0);
    turn(3000); /* it rests now */
    turn(300);
    unsigned before = looks;
    scene.bounds.width += 20;
    turn(34);
    cr_expect_eq(looks, before + 1);
    scene.bounds.height += 20;
    turn(34);
    cr_expect_eq(looks, before + 2);
}

static void expect_seen(int x, int y, int width, int height)
{
    const struct um_canvas_rect *seen = &sheet->seen;
    cr_expect(seen->x == x && seen->y == y && seen->width == width && seen->height == height,
              "%d, %d, %d x %d", seen->x, seen->y, seen->width, seen->height);
}

/* Drawing hundreds of meters takes long, so it rests after that. */
Test(meters, what_is_drawn_is_cut_off_at_once_where_a_window_ends_that_gets_smaller)
{
    open_meters(false, false);
    window_with_panes(1);
    turn(0);
    expect_seen(100, 50, 640, 400);
    um_meters_rest(meters, now_ns + 1000 * MS);
    scene.bounds = (struct um_canvas_rect){100, 50, 300, 200};
    turn(1);
    cr_expect_eq(presents, 1);
    expect_seen(100, 50, 300, 200);
    scene.bounds = (struct um_canvas_rect){150, 80, 640, 100}; /* by the upper left corner */
    turn(1);
    expect_seen(150, 80, 250, 100);
    turn(1000);
    cr_expect_eq(presents, 2);
    expect_seen(150, 80, 640, 100);
}

Test(meters, what_is_drawn_is_cut_off_before_the_next_turn)
{
    open_meters(false, false);
    um_meters_follow(meters); /* there is nothing yet */
    window_with_panes(1);
    turn(0);
    real = (struct um_canvas_rect){100, 50, 300, 200};
    um_meters_follow(meters);
    expect_seen(100, 50, 300, 200);
}

Test(meters, the_sheet_moves_with_the_window_while_it_rests)
{
    open_meters(false, false);
    window_with_panes(1);
    turn(0);
    um_meters_rest(meters, now_ns + 1000 * MS);
    scene.mode = UM_WIRE_LAYOUT_MODE_HEATMAP; /* all is to be drawn anew, later */
    scene.bounds.x = 700;
    turn(1);
    expect_seen(700, 50, 640, 400);
}

/* The scene has the place of the overlay's last look, up to a quarter of a second ago. */
Test(meters, the_window_is_where_it_is_and_not_where_it_was)
{
    open_meters(false, false);
    window_with_panes(1);
    real = (struct um_canvas_rect){110, 60, 500, 300};
    turn(0);
    cr_assert_eq(presents, 1);
    cr_expect(presented[0].width == 500 && presented[0].height == 300);
    expect_seen(110, 60, 500, 300);
}

Test(meters, a_window_that_gets_smaller_while_it_is_drawn_cuts_the_picture_off)
{
    open_meters(false, false);
    window_with_panes(1);
    real = scene.bounds;
    resized_to = (struct um_canvas_rect){100, 50, 320, 240};
    resized_at = 2; /* before the picture is shown */
    turn(0);
    cr_expect_eq(presents, 1);
    expect_seen(100, 50, 320, 240);
}

/* LAYOUT_TIMES and NAME come after the meters. */
Test(meters, what_took_most_of_a_pinned_part_is_drawn_when_it_is_known)
{
    open_meters(true, false);
    window_with_panes(1);
    turn(0);
    hovered = 4;
    scene.pins++;
    turn(40);
    hovered = 0;
    turn(7000);
    presents = 0;
    turn(40);
    cr_expect_eq(presents, 0, "nothing has changed");
    why(4, 71, "tree::on_size");
    turn(40);
    cr_expect_gt(presents, 0);
}

/* A picture of a whole screen is 33 MB. */
Test(meters, numbers_that_change_are_drawn_alone)
{
    pin_output();
    size_t before = presents;
    now_ns += 100 * MS;
    meter(6, 17);
    turn(0);
    cr_expect_gt(presents, before);
    for (size_t i = before; i < presents; i++)
        /* The numbers, and beside them their meter with its name. */
        cr_expect(presented[i].width <= 268 + 4 + 62 + 42 && presented[i].height < 200, "%d x %d",
                  presented[i].width, presented[i].height);
    SDL_Surface *parts = picture();
    scene.bounds.width++; /* draws everything */
    scene.bounds.width--;
    um_meters_hide(meters);
    turn(40);
    SDL_Surface *whole = picture();
    cr_expect_eq(memcmp(parts->pixels, whole->pixels, (size_t)parts->pitch * (size_t)parts->h), 0,
                 "it is not the picture that it would be");
    SDL_FreeSurface(parts);
    SDL_FreeSurface(whole);
}

Test(meters, what_could_not_be_shown_is_shown_later)
{
    open_meters(false, false);
    window_with_panes(1);
    locked = true;
    turn(0);
    cr_expect_eq(presents, 0);
    locked = false;
    turn(499);
    cr_expect_eq(presents, 0, "it is tried twice a second");
    turn(1);
    cr_expect_eq(presents, 1);
    cr_expect_eq(presented[0].width, 640);
}

/* Replays -------------------------------------------------------------------------------------- */

static void placed(uint32_t id, struct um_canvas_rect place)
{
    const struct um_wire_frame frame = {.type = UM_WIRE_LAYOUT_PLACE,
                                        .as.layout_place = {.id = id,
                                                            .left = place.x,
                                                            .top = place.y,
                                                            .width = (uint32_t)place.width,
                                                            .height = (uint32_t)place.height}};
    um_costs_take(&costs, &frame);
}

static void session(uint8_t flags)
{
    const struct um_wire_frame frame = {.type = UM_WIRE_SESSION, .flags = flags};
    um_costs_take(&costs, &frame);
}

/* The same window, recorded, in a room that leaves two thirds of its size to the sketch. Its sketch
 * lies at (352, 298). */
static void recorded_window(double scale)
{
    session(0);
    window_with_panes(scale);
    scene.target = 0;
    scene.bounds = (struct um_canvas_rect){0, 0, 1000 * (int)scale, 706 * (int)scale};
    for (uint32_t id = 3; id <= 6; id++)
        placed(id, places[id]);
}

Test(meters, sketch_of_a_replay)
{
    open_meters(false, false);
    recorded_window(1);
    turn(0);
    picture_check_golden(picture(), "meters_sketch");
    cr_expect_eq(looks, 0, "there is no window to look at");
}

Test(meters, sketch_of_a_replay_at_200_percent)
{
    open_meters(false, false);
    recorded_window(2);
    turn(0);
    picture_check_golden(picture(), "meters_sketch_200");
}

Test(meters, inspect_and_pin_on_a_sketch)
{
    open_meters(false, false);
    recorded_window(1);
    scene.mode = UM_WIRE_LAYOUT_MODE_INSPECT;
    turn(0);
    cursor = (struct um_canvas_rect){352 + 300, 298 + 300, 0, 0}; /* the output, in the editor */
    scene.pins++;
    turn(40);
    cursor = (struct um_canvas_rect){352 + 20, 298 + 200, 0, 0}; /* the tree */
    turn(200);
    picture_check_golden(picture(), "meters_sketch_inspect");
}

Test(meters, a_sketch_ages_with_the_feed_and_not_with_the_clock)
{
    open_meters(false, false);
    recorded_window(1);
    turn(0);
    uint64_t feed_ns = now_ns;
    SDL_Surface *before = picture();
    presents = 0;
    for (int i = 0; i < 30; i++) { /* it is paused */
        now_ns += 100 * MS;
        scene.feed_ns = feed_ns;
        cr_assert_eq(um_meters_turn(meters, &scene, now_ns), UM_OK);
    }
    cr_expect_eq(presents, 0);
    cr_expect_eq(um_meters_deadline(meters), UM_METERS_NEVER, "nothing wakes it meanwhile");
    now_ns += 300 * MS;
    scene.feed_ns = feed_ns + 2000 * MS; /* it plays fast */
    cr_assert_eq(um_meters_turn(meters, &scene, now_ns), UM_OK);
    cr_expect_gt(presents, 0);
    SDL_Surface *after = picture();
    cr_expect_neq(memcmp(before->pixels, after->pixels, (size_t)after->pitch * (size_t)after->h),
                  0);
    SDL_FreeSurface(before);
    SDL_FreeSurface(after);
}

/* What a replay sends after a jump: the components, and what led up to there. */
Test(meters, a_sketch_shows_nothing_of_what_comes_later_than_where_a_replay_jumps_to)
{
    open_meters(false, false);
    recorded_window(1);
    turn(0);
    uint64_t later_ns = now_ns;
    session(UM_WIRE_SESSION_ANEW);
    turn(100);
    cr_expect_not(sheet->shown, "no window is known there");
    component(3, 0, (struct um_canvas_rect){0}, "IDE_Main", "IDE");
    placed(3, (struct um_canvas_rect){0, 0, 200, 100});
    now_ns = later_ns - 60000 * MS;
    meter(3, 20);
    now_ns = later_ns + 200 * MS;
    cr_assert_eq(um_meters_take(meters, &costs), UM_OK);
    scene.feed_ns = later_ns - 60000 * MS;
    cr_assert_eq(um_meters_turn(meters, &scene, now_ns), UM_OK);
    cr_expect(sheet->shown && sheet->canvas.width == 200 && sheet->canvas.height == 100);
}

Test(meters, a_sketch_goes_while_its_window_is_minimised)
{
    open_meters(false, false);
    recorded_window(1);
    turn(0);
    cr_expect(sheet->shown);
    placed(3, (struct um_canvas_rect){0});
    turn(100);
    cr_expect_not(sheet->shown);
    cr_expect_eq(um_meters_deadline(meters), UM_METERS_NEVER);
    placed(3, places[3]);
    turn(100);
    cr_expect(sheet->shown);
}

/* What cannot be seen cannot be pointed at. */
Test(meters, names_on_a_sketch_stay_as_they_are_while_numbers_change)
{
    static uint32_t was[400][640];
    open_meters(false, false);
    recorded_window(1);
    turn(0);
    cursor = (struct um_canvas_rect){352 + 250, 298 + 350, 0, 0};
    scene.pins++; /* the output */
    turn(40);
    struct um_canvas_rect name = {0, 40, 100, 20}; /* of the first pane */
    for (int y = name.y; y < name.y + name.height; y++)
        memcpy(was[y], um_canvas_row(&sheet->canvas, y), sizeof was[y]);
    for (int i = 0; i < 10; i++) {
        now_ns += 100 * MS;
        scene.feed_ns += 100 * MS;
        meter(6, 5 + i);
        turn(0);
    }
    for (int y = name.y; y < name.y + name.height; y++)
        cr_assert_arr_eq(was[y], um_canvas_row(&sheet->canvas, y), (size_t)name.width * 4);
}

Test(meters, a_sketch_stays_while_nothing_is_under_the_cursor)
{
    open_meters(false, false);
    recorded_window(1);
    scene.mode = UM_WIRE_LAYOUT_MODE_INSPECT;
    cursor = (struct um_canvas_rect){0};
    turn(0);
    cr_expect(sheet->shown);
    cr_expect_eq(um_canvas_row(&sheet->canvas, 300)[200] & 0xffffff, 0x505050, "the output");
    cursor = (struct um_canvas_rect){352 + 300, 298 + 300, 0, 0};
    turn(200);
    cr_expect_eq(um_canvas_row(&sheet->canvas, 280)[460] & 0xffffff, 0x3ddc84);
}
