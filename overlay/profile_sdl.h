/* Draws the profile: the functions in which most samples were, as overlay/graph.h says. Only for
 * graph_sdl.c.
 */
#ifndef UM_OVERLAY_PROFILE_SDL_H
#define UM_OVERLAY_PROFILE_SDL_H

#include "overlay/drawing_sdl.h"

/* Draws it over the whole canvas. */
void um_profile_draw(const struct um_drawing *d);

#endif
