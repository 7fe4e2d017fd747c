#include "overlay/compact_sdl.h"

#include <stdio.h>

#include "ipc/overlay.h"
#include "overlay/plot_sdl.h"
#include "overlay/readings_sdl.h"

#define WORDS_BYTES 64
#define MIN_PLOT 20 /* px at 100 % */

/* Draws the lag at the right, or the word in its place. Returns where it begins. */
static int draw_lag(const struct um_drawing *d, int x, int right, int y)
{
    enum um_glyphs_face face = d->view->lag_is_past ? UM_GLYPHS_STRONG
                               : d->view->has_lag   ? UM_GLYPHS_WORD
                                                    : UM_GLYPHS_PLAIN;
    char number[2 * UM_TEXT_BYTES];
    uint32_t rgb;
    const char *words = um_drawing_lag_words(d, "last", number, &rgb);

    if (!d->view->has_lag && d->view->link != UM_MODEL_LIVE)
        return right; /* the state's word is shown already and says the same */
    int begin = right - width_of(d, face, words);
    begin = begin > x ? begin : x;
    y += ascent_of(d, UM_GLYPHS_WORD) - ascent_of(d, face);
    text(d, face, begin, y, right - begin, rgb, words);
    return begin - px(d, 8);
}

static void draw_state(const struct um_drawing *d, int x, int right, int y)
{
    char words[WORDS_BYTES];
    uint32_t rgb = um_drawing_state_words(d, words, sizeof words);

    y += ascent_of(d, UM_GLYPHS_WORD) - ascent_of(d, UM_GLYPHS_STRONG);
    if (right > x)
        text(d, UM_GLYPHS_STRONG, x, y, right - x, rgb, words);
}

/* Draws the 99th percentile at the left; at the right typing, if measured, or the last freeze. */
static void draw_numbers(const struct um_drawing *d, int x, int right, int y)
{
    const struct um_model_view *view = d->view;
    char number[UM_TEXT_BYTES];
    uint32_t rgb = um_drawing_p99(d, number);

    if (view->link == UM_MODEL_WAITING)
        return;
    int end = x + text(d, UM_GLYPHS_PLAIN, x, y, 0, UM_DRAWING_DIM, "p99") + px(d, 4);
    end += text(d, UM_GLYPHS_PLAIN, end, y, 0, rgb, number) + px(d, 8);
    if (right - end < px(d, 76))
        return;
    if (view->has_typing) {
        um_text_lag(view->status.typing_p50_ns, number);
        rgb = um_drawing_number_rgb(d, view->status.typing_p50_ns);
        const char *name = view->typing_painted ? "typing" : "keys, handled";
        if (width_of(d, UM_GLYPHS_PLAIN, name) + px(d, 4) + width_of(d, UM_GLYPHS_PLAIN, number) <=
            right - end)
            um_drawing_pair(d, right, y, name, number, rgb, UM_DRAWING_DIM);
    } else if (view->has_last_freeze) {
        um_text_lag(view->status.last_freeze_ns, number);
        um_drawing_pair(d, right, y, "last", number, UM_DRAWING_TEXT, UM_DRAWING_DIM);
    }
}

/* How many rows of --show fit above the graph at its least height. */
static int rows_that_fit(const struct um_drawing *d, int top)
{
    int fit = (d->canvas.height - top - px(d, MIN_PLOT)) / px(d, UM_OVERLAY_ROW_HEIGHT);
    fit = fit > 1 ? fit : 1;
    return d->rows->count < fit ? d->rows->count : fit;
}

enum um_status um_compact_draw(struct um_drawing *d)
{
    int x = px(d, 10), right = d->canvas.width - px(d, 10);
    int first = px(d, 3), second = first + height_of(d, UM_GLYPHS_WORD);
    bool rows = d->rows && d->rows->count > 0;
    int row = px(d, UM_OVERLAY_ROW_HEIGHT);
    int third =
        second + (rows ? rows_that_fit(d, second) * row : height_of(d, UM_GLYPHS_PLAIN)) + px(d, 2);
    int fourth = third + height_of(d, UM_GLYPHS_PLAIN);
    bool captioned = d->view->caption[0] != '\0' && d->canvas.height - fourth >= px(d, 14);
    int head = (captioned ? fourth : third) + px(d, 3);
    bool numbers = d->canvas.height - third >= px(d, 8);

    if (!numbers)
        head = d->canvas.height;
    fill(d, 0, 0, d->canvas.width, d->canvas.height, d->back);
    um_drawing_ground(d, (struct um_canvas_rect){0, 0, d->canvas.width, head});
    draw_state(d, x, draw_lag(d, x, right, first), first);
    if (numbers && rows)
        um_readings_draw_list(
            d, (struct um_canvas_rect){0, second, d->canvas.width, third - second}, 0, row);
    else if (numbers)
        draw_numbers(d, x, right, second);
    if (captioned)
        text(d, UM_GLYPHS_PLAIN, x, third, right - x, UM_DRAWING_TEXT, d->view->caption);
    return um_plot_draw_part(
        d, (struct um_canvas_rect){0, head, d->canvas.width, d->canvas.height - head});
}
