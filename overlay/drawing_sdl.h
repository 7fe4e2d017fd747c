/* One drawing of the overlay: what graph_sdl.c, plot_sdl.c, panel_sdl.c, compact_sdl.c and
 * bar_sdl.c share. For these alone. The small helpers have short names, because nearly each line of
 * a drawing uses one.
 */
#ifndef UM_OVERLAY_DRAWING_SDL_H
#define UM_OVERLAY_DRAWING_SDL_H

#include <SDL.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/overlay_rows.h"
#include "overlay/canvas.h"
#include "overlay/glyphs_sdl.h"
#include "overlay/model.h"

#define UM_DRAWING_BACK 0x0a0d13
#define UM_DRAWING_TEXT 0xe9eef5
#define UM_DRAWING_DIM 0xa6b2c3
#define UM_DRAWING_AMBER 0xffb224
#define UM_DRAWING_RED 0xff4a4d
#define UM_DRAWING_WHITE 0xffffff
#define UM_DRAWING_ALARM 0xff5a2b /* behind a row: between red and the orange of starved */

/* How much the panel tells: it depends on the strip's width. PLOT_ALONE: the plot is a part of
 * another look, which has the texts. */
enum um_drawing_detail {
    UM_DRAWING_NO_PANEL = 0,
    UM_DRAWING_COMPACT = 1,
    UM_DRAWING_FULL = 2,
    UM_DRAWING_PLOT_ALONE = 3
};

/* What is drawn, on what, and where its parts lie. Units: px. */
struct um_drawing {
    const struct um_model_view *view;
    struct um_glyphs *glyphs;
    double scale;
    struct um_canvas canvas;
    SDL_Surface *surface; /* of the canvas */
    uint32_t back;        /* background pixel */

    const struct um_overlay_rows *rows; /* of --show */

    /* Set by um_panel_lay_out. */
    enum um_drawing_detail detail;
    struct um_canvas_rect panel; /* the texts */

    /* Set by um_readings_lay_out. */
    struct um_canvas_rect readings; /* between plot and panel */
    int reading_columns;

    /* Set by um_plot_lay_out. */
    struct um_canvas_rect plot; /* the columns */
    uint64_t full_ns;           /* the lag at the top of the plot */
    bool axis;                  /* there is room for numbers at the lines */
    int head;                   /* height above the plot, for numbers of tall columns */
    int step;                   /* from column to column */
    int bar;                    /* a column's own width */
    int shown;                  /* columns that fit */

    struct um_canvas_rect title; /* what the text above the plot covers; set as it is drawn */
};

/* So many px at 100 % as px of this drawing; at least 1. */
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

/* Whether nothing is measured in this state, so that a pattern stands in place of columns. */
bool um_drawing_is_hatched(uint8_t state);

/* A state's colour. Units: 0xRRGGBB. */
uint32_t um_drawing_state_rgb(enum um_state state);

/* A lag's colour by the thresholds: red, amber or green. A neutral colour stands for green where
 * beats tell of the window's thread alone. Units: 0xRRGGBB. */
uint32_t um_drawing_lag_rgb(const struct um_drawing *d, uint64_t lag_ns);

/* The present state in a word, or what is wrong with the feed; and its colour.
 * Owner: static text. Units: 0xRRGGBB. */
const char *um_drawing_status_word(const struct um_drawing *d);
uint32_t um_drawing_status_rgb(const struct um_drawing *d);

/* That word, and how long it has been so where the lag does not say it already: "blind 12 s". */
void um_drawing_state_words(const struct um_drawing *d, char *words, size_t cap_bytes);

/* Whether a freeze lasts now. */
bool um_drawing_freezes(const struct um_drawing *d);

/* The words in place of the lag when there is none. Owner: static text. */
const char *um_drawing_lag_words(const struct um_drawing *d);

/* The colour of the caption, which is another one in a session for proving. Units: 0xRRGGBB. */
uint32_t um_drawing_caption_rgb(const struct um_drawing *d);

/* The colour of the 99th percentile. Units: 0xRRGGBB. */
uint32_t um_drawing_p99_rgb(const struct um_drawing *d);

#endif
