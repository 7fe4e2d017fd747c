/* The meter of a component: its geometry, and what stands for how much. All formulas and steps of
 * it are here. Pure.
 *
 * A meter is a small box at the upper right corner of its component, with the component's name to
 * the left where there is room. As a sparkline it has a column for the worst layout frame of each
 * tenth of the last six seconds; one that a narrow component makes narrower has fewer columns.
 * With two bars it has the layout time of a frame above, and the windows below: grey those that
 * the program created itself, coloured the rest. Colours go from green to red; the two last steps
 * are hatched, too.
 */
#ifndef UM_OVERLAY_METER_H
#define UM_OVERLAY_METER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "overlay/canvas.h"

/* px at 100 % */
#define UM_METER_SPARKLINE 62 /* width; a column is one wide at 100 % */
#define UM_METER_BARS 32      /* width, with two bars */
#define UM_METER_HEIGHT 14
#define UM_METER_INSET 4 /* from the component's corner */
#define UM_METER_GAP 4   /* between two meters */
#define UM_METER_NAME 140
#define UM_METER_NAME_LEAST 24 /* less of a name says nothing */
#define UM_METER_FIT 40        /* a component that is narrower or lower than that has no meter */
#define UM_METER_PADDING 1
#define UM_METER_BAR 5 /* height of a bar */

#define UM_METER_FULL_MS 33.0     /* a frame of 30 Hz fills the meter */
#define UM_METER_FULL_COUNT 10000 /* windows that fill the lower bar */

enum um_meter_level {
    UM_METER_GREEN = 0,
    UM_METER_YELLOW = 1,
    UM_METER_ORANGE = 2,
    UM_METER_RED = 3,
    UM_METER_LEVELS = 4
};

/* The level of a layout time, of at most 2, 8 and 16 ms, or more. */
enum um_meter_level um_meter_level_of_ms(double ms);

/* The level of rendered windows for each authored one: at most 3, 8 and 20, or more. */
enum um_meter_level um_meter_level_of_ratio(double ratio);

/* Units: 0xRRGGBB. */
uint32_t um_meter_rgb(enum um_meter_level level);

/* How many windows there are for each that the program itself created; 0: they were not
 * counted. */
double um_meter_ratio(uint32_t authored, uint32_t rendered);

/* How much of the meter is filled: from 0 to 1. Times are linear, numbers of windows
 * logarithmic. */
double um_meter_fill_of_ms(double ms);
double um_meter_fill_of_count(uint32_t count);

/* The width of a meter where there is room for all of it. Units: px at 100 %. */
int um_meter_width(bool bars);

/* The meter's box in a component's rectangle; false if there is no room for it. It is as narrow as
 * the component makes it. Units: px; `scale` is 1 at 100 %. */
bool um_meter_place(const struct um_canvas_rect *component, double scale, bool bars,
                    struct um_canvas_rect *box);

/* How much room there is for a component's name to the left of its meter's box, of so much that is
 * wanted; 0: too little. Units: px. */
int um_meter_name_width(const struct um_canvas_rect *component, double scale,
                        const struct um_canvas_rect *box, int wanted);

/* What a meter keeps clear of. Owner: the caller. */
struct um_meter_others {
    const struct um_canvas_rect *taken; /* it lies over none of these */
    size_t taken_count;
    /* The parts within its component, those around others first. It lies over as few of these as
     * can be, because it would be taken for the meter of one of them. */
    const struct um_canvas_rect *inner;
    size_t inner_count;
};

/* Moves a box, which begins in the upper right corner, down and then to the left until it lies over
 * nothing that it keeps clear of. False: there is no such place in the component. */
bool um_meter_avoid(const struct um_canvas_rect *component, double scale,
                    const struct um_meter_others *others, struct um_canvas_rect *box);

#endif
