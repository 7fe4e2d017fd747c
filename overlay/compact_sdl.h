/* The compact look: a small panel for a corner of the target. State and lag, a line of numbers, the
 * caption if there is one, and the columns of the last seconds. Only for graph_sdl.c.
 */
#ifndef UM_OVERLAY_COMPACT_SDL_H
#define UM_OVERLAY_COMPACT_SDL_H

#include "ipc/status.h"
#include "overlay/drawing_sdl.h"

/* Draws the whole canvas. Errors: UM_ERR_MEMORY. */
enum um_status um_compact_draw(const struct um_drawing *d);

#endif
