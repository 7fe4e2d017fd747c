/* Boxes and texts of the demo's window on X11, by SDL's software surface. Units: pixels; colours
 * are 0xRRGGBB.
 */
#ifndef UM_DEMO_DRAW_X11_H
#define UM_DEMO_DRAW_X11_H

#include <stdbool.h>
#include <stdint.h>

#include <SDL.h>

#define UM_DEMO_DRAW_BACK 0xf3f5f8
#define UM_DEMO_DRAW_CARD 0xffffff
#define UM_DEMO_DRAW_LINE 0xdce1e8
#define UM_DEMO_DRAW_TEXT 0x1c2128
#define UM_DEMO_DRAW_HINT 0x65707d
#define UM_DEMO_DRAW_BLUE 0x2563eb
#define UM_DEMO_DRAW_AMBER 0xc25f0a
#define UM_DEMO_DRAW_ROSE 0xbe185d
#define UM_DEMO_DRAW_SLATE 0x475569

enum um_demo_draw_font {
    UM_DEMO_DRAW_TITLE,
    UM_DEMO_DRAW_BOLD,
    UM_DEMO_DRAW_BODY,
    UM_DEMO_DRAW_FONTS
};
enum um_demo_draw_align { UM_DEMO_DRAW_LEFT, UM_DEMO_DRAW_MIDDLE, UM_DEMO_DRAW_RIGHT };

/* Opens the fonts beside the program or those of the system, for a scale (1: 96 dpi). False: there
 * are none, and texts are left out. Owner: um_demo_draw_end. */
bool um_demo_draw_begin(float scale);
void um_demo_draw_end(void);

void um_demo_draw_box(SDL_Surface *on, const SDL_Rect *box, uint32_t rgb);

/* The same with a line around it. */
void um_demo_draw_card(SDL_Surface *on, const SDL_Rect *box, uint32_t rgb, uint32_t line_rgb);

/* One line of UTF-8, in the middle of the box's height; what does not fit is cut off. */
void um_demo_draw_text(SDL_Surface *on, const SDL_Rect *box, enum um_demo_draw_font font,
                       enum um_demo_draw_align align, uint32_t rgb, const char *text);

/* The last lines of a long text that fit, wrapped at the box's width. */
void um_demo_draw_lines(SDL_Surface *on, const SDL_Rect *box, uint32_t rgb, const char *text);

#endif
