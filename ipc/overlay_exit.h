/* The exit codes of uimon-overlay. From them the monitor says why the overlay ended, because nobody
 * sees what the overlay writes. */
#ifndef UM_IPC_OVERLAY_EXIT_H
#define UM_IPC_OVERLAY_EXIT_H

enum um_overlay_exit {
    UM_OVERLAY_EXIT_ENDED = 0, /* the feed ended, or the system asked it to end */
    UM_OVERLAY_EXIT_FAILED =
        1, /* cause unknown; a process that is killed mostly has this code too */
    UM_OVERLAY_EXIT_USAGE = 2,
    UM_OVERLAY_EXIT_NO_FONT = 3,
    UM_OVERLAY_EXIT_NO_WINDOW = 4,
    UM_OVERLAY_EXIT_NO_FEED = 5, /* there was none, or it broke off */
    UM_OVERLAY_EXIT_NO_PICTURE = 6
};

#endif
