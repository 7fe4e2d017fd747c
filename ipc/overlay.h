/* What the monitor and uimon-overlay agree on besides the feed: the overlay's looks, positions and
 * sizes, the class and a property of its window, and the exit codes of uimon-overlay. */
#ifndef UM_IPC_OVERLAY_H
#define UM_IPC_OVERLAY_H

#include <stdbool.h>

#define UM_OVERLAY_OPACITY 0.7 /* of its backdrop: 0 to 1 */

/* The classes of its window, and of the one on which it draws layout costs. */
#define UM_OVERLAY_CLASS "uimon-overlay"
#define UM_OVERLAY_SHEET_CLASS "uimon-overlay-sheet"

/* A property of its window (SetPropW): the window that hides it. It has none while nothing does. */
#define UM_OVERLAY_HIDER "uimon-hider"

enum um_overlay_look {
    UM_OVERLAY_AUTO = 0,    /* STRIP, or COMPACT where a strip is in the way (overlay/anchor.h) */
    UM_OVERLAY_STRIP = 1,   /* graph and texts, as wide as the target's window */
    UM_OVERLAY_COMPACT = 2, /* a small panel in a corner */
    UM_OVERLAY_BAR = 3      /* a single line, as wide as the window */
};

/* Where the overlay is in the target's window. For strip and bar a corner stands for top or bottom;
 * for the compact panel TOP and BOTTOM stand for the right corner. */
enum um_overlay_position {
    UM_OVERLAY_BOTTOM = 0,
    UM_OVERLAY_TOP = 1,
    UM_OVERLAY_BOTTOM_RIGHT = 2,
    UM_OVERLAY_BOTTOM_LEFT = 3,
    UM_OVERLAY_TOP_RIGHT = 4,
    UM_OVERLAY_TOP_LEFT = 5
};

static inline bool um_overlay_is_top(enum um_overlay_position position)
{
    return position == UM_OVERLAY_TOP || position == UM_OVERLAY_TOP_LEFT ||
           position == UM_OVERLAY_TOP_RIGHT;
}

/* The names of both, in their order, as options have them; NULL at the end. */
#define UM_OVERLAY_LOOK_NAMES                                                                      \
    {                                                                                              \
        "auto", "strip", "compact", "bar", NULL                                                    \
    }
#define UM_OVERLAY_POSITION_NAMES                                                                  \
    {                                                                                              \
        "bottom", "top", "bottom-right", "bottom-left", "top-right", "top-left", NULL              \
    }

/* How the layout costs of a component are drawn. */
enum um_overlay_meter {
    UM_OVERLAY_METER_SPARKLINE = 0, /* the last six seconds */
    UM_OVERLAY_METER_BARS = 1       /* layout time, and numbers of windows */
};
#define UM_OVERLAY_METER_NAMES                                                                     \
    {                                                                                              \
        "sparkline", "bars", NULL                                                                  \
    }

/* How high each look is, and how wide the compact panel. Units: px at 100 %. */
#define UM_OVERLAY_STRIP_HEIGHT 120
#define UM_OVERLAY_OPAQUE_HEIGHT 72 /* of a strip through which nothing shines */
#define UM_OVERLAY_COMPACT_HEIGHT 84
#define UM_OVERLAY_COMPACT_WIDTH 224
#define UM_OVERLAY_BAR_HEIGHT 22
#define UM_OVERLAY_ROW_HEIGHT 17 /* of the rows of --show and of the profile, by which it grows */

/* How much higher each look is while it shows so many rows of the profile. Units: px at 100 %. */
#define UM_OVERLAY_PROFILE_HEIGHT(rows) (30 + (rows)*UM_OVERLAY_ROW_HEIGHT)
#define UM_OVERLAY_PROFILE_ROWS 6 /* by default */

/* Why uimon-overlay ended. The monitor prints it, because the overlay has no console. */
enum um_overlay_exit {
    UM_OVERLAY_EXIT_ENDED = 0,  /* the feed ended, or the system asked it to end */
    UM_OVERLAY_EXIT_FAILED = 1, /* cause unknown; mostly the code of a killed process too */
    UM_OVERLAY_EXIT_USAGE = 2,
    UM_OVERLAY_EXIT_NO_FONT = 3,
    UM_OVERLAY_EXIT_NO_WINDOW = 4,
    UM_OVERLAY_EXIT_NO_FEED = 5, /* there was none, or it broke off */
    UM_OVERLAY_EXIT_NO_PICTURE = 6
};

#endif
