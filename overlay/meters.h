/* The layout costs on the target's window: chooses the components that get a meter, finds where
 * they lie, and draws what has changed on the sheet. In a replay there is no such window, and the
 * sheet is a sketch of it.
 *
 * It exists only while a mode is on. Start at um_meters_turn. A picture is drawn anew when a place,
 * the mode or the pin has changed; else only the meters that differ are. There are at least 33 ms
 * between two pictures, more where they take long (um_meters_rest), 200 ms while nothing but time
 * passes, and none at rest. The files below it:
 *
 *   costs.h           what is known of each component: frames of the feed
 *   choice.h          which components get a meter in which mode
 *   parts.h           where they lie, and what lies over them
 *   parts_recorded.h  where they lie in a replay
 *   meter.h           how large a meter is, and what stands for how much
 *   meters_sdl.h      draws it all; sheet.h is the window
 *
 * Portable. Thread: the drawing one.
 */
#ifndef UM_OVERLAY_METERS_H
#define UM_OVERLAY_METERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "ipc/wire.h"
#include "overlay/canvas.h"
#include "overlay/costs.h"

#define UM_METERS_NEVER UINT64_MAX

struct um_meters;

struct um_meters_options {
    const char *font_dir; /* as in graph.h */
    bool bars;            /* two bars in place of the sparkline */
    /* For the legend: the keys that change the mode, and those that pin. */
    const char *layout_keys;
    const char *pin_keys;
};

/* What is to be drawn, and where. */
struct um_meters_scene {
    enum um_wire_layout_mode mode; /* not OFF */
    uint32_t pins;                 /* of the last VIEW */
    uint64_t target;               /* the main window; 0: it is a replay */
    struct um_canvas_rect graph;   /* the overlay's own; empty: it is not seen; px of the desktop */
    struct um_canvas_rect bounds; /* of the target, or the room for the sketch; px of the desktop */
    double scale;
    uint64_t feed_ns; /* the present time of the feed, which may stand still in a replay */
};

/* `above` is the number of the window below which the sheet lies. With `legend` it shows that until
 * the keys are pressed again, or for 5 s.
 * Owner: um_meters_close. Errors: UM_ERR_NOT_FOUND no font; UM_ERR_IO no window; UM_ERR_MEMORY. */
enum um_status um_meters_open(const struct um_meters_options *options, uint64_t above, bool legend,
                              struct um_meters **meters);

/* Accepts NULL. */
void um_meters_close(struct um_meters *meters);

/* Takes what is known now. Errors: UM_ERR_MEMORY. */
enum um_status um_meters_take(struct um_meters *meters, const struct um_costs *costs);

/* Draws if something has changed. Errors: UM_ERR_MEMORY; UM_ERR_IO no fonts in this size. */
enum um_status um_meters_turn(struct um_meters *meters, const struct um_meters_scene *scene,
                              uint64_t now_ns);

/* Moves what is drawn with the target's window, and cuts off what now lies outside of that. */
void um_meters_follow(struct um_meters *meters);

/* Draws nothing, and looks at nothing, before that time. */
void um_meters_rest(struct um_meters *meters, uint64_t until_ns);

/* Nothing is to be seen for now. */
void um_meters_hide(struct um_meters *meters);

/* When to call um_meters_turn again, if nothing is taken. Besides, call it whenever the layer is
 * polled: then it looks where everything is, so that at rest nothing wakes the process for that.
 * Units: local clock; UM_METERS_NEVER. */
uint64_t um_meters_deadline(const struct um_meters *meters);

#endif
