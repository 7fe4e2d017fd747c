/* Text for the graph, with SDL2_ttf. Only for graph_sdl.c and the files that it calls.
 *
 * Each glyph is rendered once per size and kept. Whole lines are not kept, because the texts change
 * ten times a second, but consist of the same few dozen glyphs. Positions are whole pixels. All
 * digits of the font have one width, so a number does not move while it counts. What the fonts lack
 * is taken from the system's (spare_fonts.h), which are opened when the first such character comes.
 */
#ifndef UM_OVERLAY_GLYPHS_SDL_H
#define UM_OVERLAY_GLYPHS_SDL_H

#include <SDL.h>
#include <stdint.h>

#include "base/plain/status.h"

enum um_glyphs_face {
    UM_GLYPHS_BIG = 0,    /* the current lag */
    UM_GLYPHS_STRONG = 1, /* state, caption */
    UM_GLYPHS_PLAIN = 2,  /* everything else */
    UM_GLYPHS_SMALL = 3,  /* axis and column labels */
    UM_GLYPHS_WORD = 4,   /* the word instead of the lag if there is none */
    UM_GLYPHS_FACES = 5
};

struct um_glyphs;

/* Loads the fonts at a scale, from the folder "fonts" beside the program if `font_dir` is NULL;
 * `font_dir` must outlive them.
 * Owner: close with um_glyphs_close. Errors: UM_ERR_NOT_FOUND a font cannot be read;
 * UM_ERR_MEMORY. */
enum um_status um_glyphs_open(const char *font_dir, double scale, struct um_glyphs **glyphs);

/* Changes the scale, and forgets the glyphs. Errors: UM_ERR_IO the fonts cannot be had in that
 * size. */
enum um_status um_glyphs_set_scale(struct um_glyphs *glyphs, double scale);

/* Height of a line, and where its baseline lies. Units: px. */
int um_glyphs_height(const struct um_glyphs *glyphs, enum um_glyphs_face face);
int um_glyphs_ascent(const struct um_glyphs *glyphs, enum um_glyphs_face face);

/* How wide a text is. Units: px; `text` is UTF-8. */
int um_glyphs_width(struct um_glyphs *glyphs, enum um_glyphs_face face, const char *text);

/* Draws a text with its line's upper left corner at (x, y), blended over what is there, and returns
 * its width. A text wider than `limit_px` is cut and ends in an ellipsis.
 * Units: `rgb` 0xRRGGBB; `limit_px` 0: no limit. */
int um_glyphs_draw(struct um_glyphs *glyphs, enum um_glyphs_face face, SDL_Surface *surface, int x,
                   int y, int limit_px, uint32_t rgb, const char *text);

/* Releases the fonts. Accepts NULL. */
void um_glyphs_close(struct um_glyphs *glyphs);

#endif
