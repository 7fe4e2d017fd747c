#include "tests/unit/overlay/picture.h"

#include <criterion/criterion.h>
#include <glob.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TILE 8
#define CHANNELS 4
#define GOLDEN UM_SOURCE_DIR "/tests/golden/"
#define TILE_OFF 4.0   /* a tile may be off by so much, of 255 */
#define APART_OFF 16.0 /* that of two pictures is, at least */
#define PICTURES 100

static SDL_Surface *new_picture(int width, int height)
{
    return SDL_CreateRGBSurfaceWithFormat(0, width, height, 32, SDL_PIXELFORMAT_ARGB8888);
}

static const Uint8 *row_of(const SDL_Surface *picture, int y)
{
    return (const Uint8 *)picture->pixels + (ptrdiff_t)y * picture->pitch;
}

SDL_Surface *picture_load(const char *path)
{
    png_image png = {.version = PNG_IMAGE_VERSION};
    SDL_Surface *picture = NULL;

    if (png_image_begin_read_from_file(&png, path)) {
        png.format = PNG_FORMAT_BGRA;
        picture = new_picture((int)png.width, (int)png.height);
        if (picture && !png_image_finish_read(&png, NULL, picture->pixels, picture->pitch, NULL)) {
            SDL_FreeSurface(picture);
            picture = NULL;
        }
    }
    png_image_free(&png);
    return picture;
}

bool picture_save(const SDL_Surface *picture, const char *path)
{
    png_image png = {.version = PNG_IMAGE_VERSION,
                     .width = (png_uint_32)picture->w,
                     .height = (png_uint_32)picture->h,
                     .format = PNG_FORMAT_BGRA};

    return png_image_write_to_file(&png, path, 0, picture->pixels, picture->pitch, NULL) != 0;
}

static double tile_off(const SDL_Surface *a, const SDL_Surface *b, int left, int top)
{
    int right = left + TILE < a->w ? left + TILE : a->w;
    int bottom = top + TILE < a->h ? top + TILE : a->h;
    long sum = 0;

    for (int y = top; y < bottom; y++)
        for (int x = left * CHANNELS; x < right * CHANNELS; x++)
            sum += abs(row_of(a, y)[x] - row_of(b, y)[x]);
    return (double)sum / ((right - left) * (bottom - top) * CHANNELS);
}

double picture_off(const SDL_Surface *a, const SDL_Surface *b)
{
    double most = 0;

    for (int top = 0; top < a->h; top += TILE) {
        for (int left = 0; left < a->w; left += TILE) {
            double off = tile_off(a, b, left, top);
            most = off > most ? off : most;
        }
    }
    return most;
}

/* Each channel's difference, without transparency. Owner: SDL_FreeSurface. */
static SDL_Surface *difference_of(const SDL_Surface *a, const SDL_Surface *b)
{
    SDL_Surface *difference = new_picture(a->w, a->h);

    for (int y = 0; difference && y < a->h; y++) {
        Uint8 *row = (Uint8 *)difference->pixels + (ptrdiff_t)y * difference->pitch;
        for (int x = 0; x < a->w * CHANNELS; x++)
            row[x] =
                x % CHANNELS == CHANNELS - 1 ? 255 : (Uint8)abs(row_of(a, y)[x] - row_of(b, y)[x]);
    }
    return difference;
}

static void keep(const SDL_Surface *picture, const char *name, const char *what)
{
    char path[1024];

    snprintf(path, sizeof path, "%s/build/log/%s-%s.png", UM_SOURCE_DIR, name, what);
    cr_expect(picture_save(picture, path), "%s cannot be written", path);
}

void picture_check_golden(SDL_Surface *picture, const char *name)
{
    const char *mode = getenv("UIMON_GOLDEN");
    char path[1024];

    snprintf(path, sizeof path, GOLDEN "%s.png", name);
    if (mode && strcmp(mode, "write") == 0)
        cr_assert(picture_save(picture, path));
    SDL_Surface *golden = picture_load(path);
    cr_assert(golden != NULL, "%s cannot be read", path);
    cr_assert_eq(golden->w, picture->w);
    cr_assert_eq(golden->h, picture->h);
    double off = picture_off(picture, golden);
    if (off > TILE_OFF) {
        SDL_Surface *difference = difference_of(picture, golden);
        keep(golden, name, "expected");
        keep(picture, name, "actual");
        keep(difference, name, "difference");
        SDL_FreeSurface(difference);
    }
    cr_expect_leq(off, TILE_OFF, "%s differs: see build/log", name);
    SDL_FreeSurface(golden);
    SDL_FreeSurface(picture);
}

void picture_check_apart(const char *pattern)
{
    SDL_Surface *pictures[PICTURES];
    char path[1024];
    glob_t found;

    snprintf(path, sizeof path, GOLDEN "%s", pattern);
    cr_assert_eq(glob(path, 0, NULL, &found), 0);
    cr_assert_leq(found.gl_pathc, PICTURES);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        pictures[i] = picture_load(found.gl_pathv[i]);
        cr_assert(pictures[i] != NULL, "%s cannot be read", found.gl_pathv[i]);
        for (size_t j = 0; j < i; j++)
            if (pictures[i]->w == pictures[j]->w && pictures[i]->h == pictures[j]->h)
                cr_expect_gt(picture_off(pictures[i], pictures[j]), APART_OFF, "%s and %s",
                             found.gl_pathv[i], found.gl_pathv[j]);
    }
    for (size_t i = 0; i < found.gl_pathc; i++)
        SDL_FreeSurface(pictures[i]);
    globfree(&found);
}
