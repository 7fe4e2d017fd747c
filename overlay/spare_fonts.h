/* Fonts of the system for characters that the overlay's own fonts lack: Chinese, Japanese, Korean
 * and emoji. Only for glyphs_sdl.c. */
#ifndef UM_OVERLAY_SPARE_FONTS_H
#define UM_OVERLAY_SPARE_FONTS_H

#include <stdbool.h>
#include <stddef.h>

#define UM_SPARE_FONTS 8 /* at most */

/* The path of a font, from 0 on in the order in which they are tried, as UTF-8; the file may be
 * missing. False: there are no more. */
bool um_spare_fonts_path(size_t number, char *path, size_t cap_bytes);

#endif
