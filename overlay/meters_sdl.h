/* Draws the layout costs of components: outlines, meters, the read-out and the legend. The helpers
 * of drawing_sdl.h are used without its view. Thread: the drawing one.
 */
#ifndef UM_OVERLAY_METERS_SDL_H
#define UM_OVERLAY_METERS_SDL_H

#include <stdbool.h>
#include <stdint.h>

#include "overlay/canvas.h"
#include "overlay/costs.h"
#include "overlay/drawing_sdl.h"
#include "overlay/siblings.h"

/* Draws a frame around what siblings leave of a component, inside its rectangle: thick if it costs
 * most of all. Like all that is drawn here, it replaces the pixels that are there. */
void um_meters_outline(const struct um_drawing *d, const struct um_canvas_rect *component,
                       const struct um_siblings *siblings, bool pinned, bool costliest);

/* Draws what the components of a replay lie on in place of their window: a dark ground, nearly
 * opaque, over the whole picture. */
void um_meters_sketch(const struct um_drawing *d);

/* Draws a dim frame there around a component that is not shown, so that it can be pointed at. */
void um_meters_faint(const struct um_drawing *d, const struct um_canvas_rect *component);

/* How wide the box of a component's name would be: its text, or its class if it has none. */
int um_meters_name_width(const struct um_drawing *d, const struct um_cost *cost);

/* Draws the name into its box, beside the meter: dark on light if the component costs most. */
void um_meters_name(const struct um_drawing *d, const struct um_canvas_rect *box,
                    const struct um_cost *cost, bool costliest);

/* Draws a meter into its box, whose pixels it replaces. With `bars` it is one of two bars, with
 * `costliest` it has a light edge. */
void um_meters_box(const struct um_drawing *d, const struct um_canvas_rect *box,
                   const struct um_cost *cost, uint64_t now_ns, bool bars, bool costliest);

/* Makes the box of a meter one for um_meters_unseen, in the same corner. */
void um_meters_unseen_box(const struct um_drawing *d, struct um_canvas_rect *box);

/* Draws, in place of a meter, that the parts of this window are not seen. */
void um_meters_unseen(const struct um_drawing *d, const struct um_canvas_rect *box);

/* Draws all numbers of a component beside its box, and returns where. `unseen`: as above. */
struct um_canvas_rect um_meters_readout(const struct um_drawing *d,
                                        const struct um_canvas_rect *box,
                                        const struct um_cost *cost, bool unseen);

/* Draws what meters mean and which keys there are, in the main window and beside the graph, whose
 * size may be 0, and tells where. False: the window is too small for it. */
bool um_meters_legend(const struct um_drawing *d, const char *layout_keys, const char *pin_keys,
                      bool bars, const struct um_canvas_rect *main,
                      const struct um_canvas_rect *graph, struct um_canvas_rect *panel);

#endif
