/* What the monitor and uimon-overlay agree on beside the feed: how the strip looks if nobody says
 * otherwise, and what uimon-overlay returns. */
#ifndef UM_IPC_OVERLAY_H
#define UM_IPC_OVERLAY_H

#define UM_OVERLAY_HEIGHT 120  /* of the strip, in pixels at 100 % */
#define UM_OVERLAY_OPACITY 0.7 /* of its backdrop: 0 to 1 */

/* Why uimon-overlay ended. The monitor says it to the user, since nobody sees what the overlay
 * writes. */
enum um_overlay_exit {
    UM_OVERLAY_EXIT_ENDED = 0,  /* the feed said so, or the system */
    UM_OVERLAY_EXIT_FAILED = 1, /* no cause: who ends a process from outside mostly gives it this */
    UM_OVERLAY_EXIT_USAGE = 2,
    UM_OVERLAY_EXIT_NO_FONT = 3,
    UM_OVERLAY_EXIT_NO_WINDOW = 4,
    UM_OVERLAY_EXIT_NO_FEED = 5, /* or it broke off */
    UM_OVERLAY_EXIT_NO_PICTURE = 6
};

#endif
