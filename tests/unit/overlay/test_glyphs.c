/* Text in the overlay's fonts, and in others what they lack. */
#include <criterion/criterion.h>
#include <string.h>

#include "overlay/glyphs_sdl.h"

#define FONTS UM_SOURCE_DIR "/assets/fonts"
#define WIDTH 64
#define HEIGHT 32
#define WHITE 0xffffff

/* By `fc-query`: a letter that DejaVu Sans has and DejaVu Sans Bold has not, and one that neither
 * has nor any other font. */
#define NOT_IN_BOLD "\xf0\x9d\x96\xa0" /* U+1D5A0 */
#define NOWHERE "\xf4\x8f\xbf\xbd"     /* U+10FFFD */

static struct um_glyphs *glyphs;

static void setup(void)
{
    cr_assert_eq(um_glyphs_open(FONTS, 1, &glyphs), UM_OK);
}

static void teardown(void)
{
    um_glyphs_close(glyphs);
}

TestSuite(glyphs, .init = setup, .fini = teardown);

/* Draws a text on black. */
static void draw(enum um_glyphs_face face, const char *text, uint32_t pixels[WIDTH * HEIGHT])
{
    SDL_Surface *surface =
        SDL_CreateRGBSurfaceWithFormat(0, WIDTH, HEIGHT, 32, SDL_PIXELFORMAT_ARGB8888);
    cr_assert(surface);
    um_glyphs_draw(glyphs, face, surface, 2, 2, 0, WHITE, text);
    for (size_t y = 0; y < HEIGHT; y++)
        memcpy(pixels + y * WIDTH, (char *)surface->pixels + y * (size_t)surface->pitch,
               WIDTH * sizeof *pixels);
    SDL_FreeSurface(surface);
}

static size_t count_ink(const uint32_t pixels[WIDTH * HEIGHT])
{
    size_t count = 0;
    for (size_t i = 0; i < (size_t)WIDTH * HEIGHT; i++)
        count += (pixels[i] & 0xff) > 60;
    return count;
}

/* The lowest row with ink: letters without a tail stand on the line. */
static size_t lowest(const uint32_t pixels[WIDTH * HEIGHT])
{
    size_t row = HEIGHT;
    while (row > 0 && count_ink(pixels) > 0) {
        for (size_t x = 0; x < WIDTH; x++)
            if ((pixels[(row - 1) * WIDTH + x] & 0xff) > 100)
                return row;
        row--;
    }
    return row;
}

Test(glyphs, what_a_font_lacks_is_taken_from_another_one)
{
    static uint32_t spare[WIDTH * HEIGHT], box[WIDTH * HEIGHT], own[WIDTH * HEIGHT];
    double scales[] = {1, 2, 1};
    for (size_t i = 0; i < 3; i++) {
        cr_assert_eq(um_glyphs_set_scale(glyphs, scales[i] * 0.9), UM_OK);
        draw(UM_GLYPHS_STRONG, NOT_IN_BOLD, spare);
        draw(UM_GLYPHS_STRONG, NOWHERE, box);
        draw(UM_GLYPHS_STRONG, "A", own);
        cr_expect_gt(count_ink(spare), 0);
        cr_expect_neq(memcmp(spare, box, sizeof box), 0, "it is a box");
        cr_expect_eq(lowest(spare), lowest(own), "it does not stand on the line");
    }
}

Test(glyphs, what_only_says_how_others_are_meant_is_not_seen)
{
    int width = um_glyphs_width(glyphs, UM_GLYPHS_PLAIN, "ab");
    cr_expect_eq(um_glyphs_width(glyphs, UM_GLYPHS_PLAIN,
                                 "a\xef\xb8\x8f\xe2\x80\x8d"
                                 "b"),
                 width);
}
