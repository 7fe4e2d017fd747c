/* One drawing of the overlay: the struct that graph_sdl.c fills in and passes to the files that
 * draw (plot_sdl.c, block_sdl.c, readings_sdl.c, profile_sdl.c, compact_sdl.c, bar_sdl.c), with the
 * colours and words that they share. Only for these files. The small helpers have short names,
 * because nearly each line of a drawing uses one.
 */
#ifndef UM_OVERLAY_DRAWING_SDL_H
#define UM_OVERLAY_DRAWING_SDL_H

#include <SDL.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "metrics/overlay_rows.h"
#include "overlay/canvas.h"
#include "overlay/glyphs_sdl.h"
#include "overlay/model.h"
#include "overlay/paint.h"
#include "overlay/text.h"

#define UM_DRAWING_BACK 0x0a0d13
#define UM_DRAWING_TEXT 0xe9eef5
#define UM_DRAWING_DIM 0xa6b2c3
#define UM_DRAWING_AMBER 0xffb224
#define UM_DRAWING_RED 0xff4a4d
#define UM_DRAWING_WHITE 0xffffff
#define UM_DRAWING_ALARM 0xff5a2b /* behind a row: between red and the orange of "starved" */

/* How many texts the strip's block has, by the strip's width. PLOT_ALONE: the look is compact or
 * bar, which draws its texts itself. */
enum um_drawing_detail {
    UM_DRAWING_NO_BLOCK = 0,
    UM_DRAWING_COMPACT = 1,
    UM_DRAWING_FULL = 2,
    UM_DRAWING_PLOT_ALONE = 3
};

/* What is drawn, on what, and where its areas lie. Units: px. */
struct um_drawing {
    const struct um_model_view *view;
    struct um_glyphs *glyphs;
    double scale;
    struct um_canvas canvas;
    SDL_Surface *surface;               /* of the canvas */
    uint32_t back;                      /* background pixel */
    const struct um_overlay_rows *rows; /* of --show */
    int profile_rows;                   /* of the profile, at most */

    /* Set by um_block_lay_out: */
    enum um_drawing_detail detail;
    struct um_canvas_rect block; /* the texts at the right of the strip */

    /* Set by um_readings_lay_out: */
    struct um_canvas_rect readings; /* the rows of --show, between plot and block */
    int reading_columns;

    /* Set by um_plot_lay_out: */
    struct um_canvas_rect plot; /* the columns of lag */
    uint64_t full_ns;           /* the lag at the top of the plot */
    bool axis;                  /* there is room for numbers at the lines */
    int head;                   /* height above the plot, for numbers of tall columns */
    int step;                   /* from column to column */
    int column_width;           /* without the gap beside it */
    int shown;                  /* columns that fit */

    struct um_canvas_rect title; /* of the text above the plot; set when that is drawn */
};

/* Converts px at 100 % into px of this drawing; at least 1. */
static inline int px(const struct um_drawing *d, double units)
{
    int whole = (int)lround(units * d->scale);
    return whole > 0 ? whole : 1;
}

/* Writes a text as um_glyphs_draw does, and returns its width. */
static inline int text(const struct um_drawing *d, enum um_glyphs_face face, int x, int y,
                       int limit, uint32_t rgb, const char *words)
{
    return um_glyphs_draw(d->glyphs, face, d->surface, x, y, limit, rgb, words);
}

/* Blends a colour over a rectangle (um_paint_tint), or replaces its pixels (um_paint_fill). */
static inline void tint(const struct um_drawing *d, int x, int y, int width, int height,
                        uint32_t rgb, unsigned weight)
{
    um_paint_tint(&d->canvas, (struct um_canvas_rect){x, y, width, height}, rgb, weight);
}

static inline void fill(const struct um_drawing *d, int x, int y, int width, int height,
                        uint32_t pixel)
{
    um_paint_fill(&d->canvas, (struct um_canvas_rect){x, y, width, height}, pixel);
}

static inline int width_of(const struct um_drawing *d, enum um_glyphs_face face, const char *words)
{
    return um_glyphs_width(d->glyphs, face, words);
}

static inline int height_of(const struct um_drawing *d, enum um_glyphs_face face)
{
    return um_glyphs_height(d->glyphs, face);
}

static inline int ascent_of(const struct um_drawing *d, enum um_glyphs_face face)
{
    return um_glyphs_ascent(d->glyphs, face);
}

/* Begins a drawing of a part of another one's canvas. Owner: SDL_FreeSurface(part->surface).
 * Errors: UM_ERR_MEMORY. */
enum um_status um_drawing_part(const struct um_drawing *all, struct um_canvas_rect rect,
                               struct um_drawing *part);

/* Draws the ground of texts, which is less transparent than that of columns, so that they are
 * legible. While a freeze lasts it is tinted. */
void um_drawing_ground(const struct um_drawing *d, struct um_canvas_rect rect);

/* Whether nothing is measured in this state, so that a pattern is drawn instead of columns. */
bool um_drawing_is_hatched(uint8_t state);

/* A state's colour. Units: 0xRRGGBB. */
uint32_t um_drawing_state_rgb(enum um_state state);

/* A lag's colour by the thresholds: red, amber or green. If beats measure only the thread of the
 * target's window (view->window_only), it is a neutral colour instead of green.
 * Units: 0xRRGGBB. */
uint32_t um_drawing_lag_rgb(const struct um_drawing *d, uint64_t lag_ns);

/* The present state in a word, or what is wrong with the feed; and its colour.
 * Owner: static text. Units: 0xRRGGBB. */
const char *um_drawing_status_word(const struct um_drawing *d);
uint32_t um_drawing_status_rgb(const struct um_drawing *d);

/* That word, and in states that have no lag for how long: "blind 12 s". Returns the colour that
 * they have as a heading, which is white in a freeze. */
uint32_t um_drawing_state_words(const struct um_drawing *d, char *words, size_t cap_bytes);

/* Whether a freeze lasts now. */
bool um_drawing_freezes(const struct um_drawing *d);

/* The lag, or the words in its place if there is none, and their colour. The length of a freeze
 * that is over has the word `past` before it. Owner: `number`, or static text. Units: 0xRRGGBB. */
const char *um_drawing_lag_words(const struct um_drawing *d, const char *past,
                                 char number[2 * UM_TEXT_BYTES], uint32_t *rgb);

/* The colour of a lag among other texts: theirs, unless it is slow. Units: 0xRRGGBB. */
uint32_t um_drawing_number_rgb(const struct um_drawing *d, uint64_t lag_ns);

/* The 99th percentile, or a dash if there is none. Returns its colour. Units: 0xRRGGBB. */
uint32_t um_drawing_p99(const struct um_drawing *d, char number[UM_TEXT_BYTES]);

/* Draws a dim name and its number, which ends at `right`. Returns where the name begins. */
int um_drawing_pair(const struct um_drawing *d, int right, int y, const char *name,
                    const char *number, uint32_t rgb, uint32_t dim);

#endif
