/* What the monitor and uimon-overlay agree on beside the feed: how the strip looks by default, and
 * the exit codes of uimon-overlay. */
#ifndef UM_IPC_OVERLAY_H
#define UM_IPC_OVERLAY_H

#define UM_OVERLAY_HEIGHT 120  /* of the strip, in pixels at 100 % */
#define UM_OVERLAY_OPACITY 0.7 /* of its backdrop: 0 to 1 */

/* Why uimon-overlay ended. The monitor tells the user, because nobody sees what the overlay
 * writes. */
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
