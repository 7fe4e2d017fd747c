/* Pictures as PNG, and how far they are from the golden ones. Pixels are ARGB8888.
 *
 * Tiles of 8 x 8 pixels may differ from the golden ones a little, because FreeType rasterises glyph
 * edges differently from version to version. A missing outline is more than that. A picture that
 * fails is in build/log, as it should be, as it is, and what is different. To draw the golden
 * pictures anew, run the tests with UIMON_GOLDEN=write and look at every one that changed.
 */
#ifndef UM_TESTS_PICTURE_H
#define UM_TESTS_PICTURE_H

#include <SDL.h>
#include <stdbool.h>

/* A picture from a file; NULL if it cannot be read. Owner: SDL_FreeSurface. */
SDL_Surface *picture_load(const char *path);
bool picture_save(const SDL_Surface *picture, const char *path);

/* How far the worst tile of 8 x 8 pixels is off: the mean of its channels' differences, of 255. The
 * pictures are of one size. */
double picture_off(const SDL_Surface *a, const SDL_Surface *b);

/* Compares a picture with tests/golden/NAME.png, and frees it. */
void picture_check_golden(SDL_Surface *picture, const char *name);

/* Any two of these golden pictures that have one size must differ. Otherwise one of them could be
 * drawn in place of the other, and nobody would see it. */
void picture_check_apart(const char *pattern);

#endif
