/* Plays a list (demo/play.h) on a window from a thread of its own. */
#ifndef UM_DEMO_PLAYER_WIN32_H
#define UM_DEMO_PLAYER_WIN32_H

#include <stdbool.h>
#include <stdint.h>
#include <windows.h>

#include "demo/play.h"
#include "demo/ui_win32.h"

struct um_demo_player {
    struct um_demo_ui *ui; /* must outlive the window */
    HWND hwnd;             /* answers UM_DEMO_UI_* */
    struct um_demo_play play;
    uint32_t delay_ms;
    uint32_t pause_ms;
    uint32_t repeat; /* 0: for ever */
    bool close;      /* ask the window to close when the list is over */
    LONG begun;      /* private: `done` of the UI when the first item is over, if that is posted */
};

/* Starts playing, unless a list is being played on this UI thread already. It ends with the list or
 * with the window. Without any delay or pause, a first item that is posted is in the queue when
 * this returns: the window has that work from its beginning. Owner: `player` is copied.
 * Thread: the UI thread. Errors: UM_ERR_BUSY; UM_ERR_MEMORY. */
enum um_status um_demo_player_start(const struct um_demo_player *player);

/* Posts or sends what one item asks for, and returns how many um_demo_ui_finish calls will follow.
 * Thread: not the UI thread; blocks while a sent message is handled. */
LONG um_demo_player_trigger(HWND hwnd, const struct um_demo_play_item *item);

/* Sends UM_DEMO_UI_SENT from a thread of its own. */
void um_demo_player_send(HWND hwnd, uint32_t ms);

/* Asks the window to close after some seconds. */
void um_demo_player_close_after(HWND hwnd, uint32_t seconds);

#endif
