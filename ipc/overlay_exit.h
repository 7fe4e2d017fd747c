/* What uimon-overlay returns, so that the monitor can say why it ended: nobody sees what it
 * writes. */
#ifndef UM_IPC_OVERLAY_EXIT_H
#define UM_IPC_OVERLAY_EXIT_H

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
