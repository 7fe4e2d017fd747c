/* The look "compact": a small box for a corner of the target. It has state and lag, a line of
 * numbers, the caption if there is one, and the columns of the last seconds. Only for graph_sdl.c.
 */
#ifndef UM_OVERLAY_COMPACT_SDL_H
#define UM_OVERLAY_COMPACT_SDL_H

#include "base/plain/status.h"
#include "overlay/drawing_sdl.h"

/* Draws the whole canvas. Errors: UM_ERR_MEMORY. */
enum um_status um_compact_draw(struct um_drawing *d);

#endif
