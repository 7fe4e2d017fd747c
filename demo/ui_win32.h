/* What every UI thread of the demo and of the test targets does: it notes when a message was
 * retrieved, blocks on request, and logs both exactly.
 *
 * A program's loop calls um_demo_ui_note right after it has retrieved a message, and then
 * um_demo_ui_dispatch; its window procedure gives every message to um_demo_ui_handle first.
 */
#ifndef UM_DEMO_UI_WIN32_H
#define UM_DEMO_UI_WIN32_H

#include <stdbool.h>
#include <stdint.h>
#include <windows.h>

#include "demo/act.h"
#include "demo/journal.h"

/* Messages to a UI thread. A posted one carries um_demo_ui_stamp in lParam. */
#define UM_DEMO_UI_BLOCK (WM_APP + 1)  /* wParam: ms, asleep */
#define UM_DEMO_UI_SENT (WM_APP + 2)   /* for SendMessage from another thread; wParam: ms */
#define UM_DEMO_UI_JANK (WM_APP + 3)   /* wParam: ms */
#define UM_DEMO_UI_FLOOD (WM_APP + 4)  /* wParam: ms of the whole flood */
#define UM_DEMO_UI_MODAL (WM_APP + 5)  /* wParam: ms until it closes itself, 0 never */
#define UM_DEMO_UI_PLAYED (WM_APP + 6) /* from the player: the list is over */
#define UM_DEMO_UI_NONE (WM_APP + 7)   /* never sent or posted */
#define UM_DEMO_UI_SPIN (WM_APP + 8)   /* wParam: ms, computing */
#define UM_DEMO_UI_POOL (WM_APP + 9)   /* wParam: um_demo_play_pack */
#define UM_DEMO_UI_CALM (WM_APP + 10)  /* lParam: for um_demo_pool_over */
#define UM_DEMO_UI_PAINT (WM_APP + 11) /* wParam: um_demo_play_pack */
#define UM_DEMO_UI_STILL (WM_APP + 12) /* an animation is over */
#define UM_DEMO_UI_NEST (WM_APP + 13)  /* wParam: um_demo_play_pack */
#define UM_DEMO_UI_PANES (WM_APP + 14) /* wParam: um_demo_play_pack */

/* The time now, as a message's parameter can carry it in a 32-bit program too: in steps of 1 us. */
LPARAM um_demo_ui_stamp(void);

/* One for each UI thread; a zeroed struct with the first fields set is ready. */
struct um_demo_ui {
    struct um_demo_journal *journal;      /* NULL: none */
    void (*after)(struct um_demo_ui *ui); /* called when something is over; NULL: none */
    void *owner;                          /* for `after` */
    volatile LONG done;                   /* blocks, janks, floods and dialogs that are over */
    volatile LONG playing;                /* a player is at work */
    uint64_t retrieved_ns;
    uint32_t retrieved_message;
    bool logs_paints;          /* each WM_PAINT that was dispatched is logged */
    bool away;                 /* nothing was retrieved since a freeze or flood */
    HWND typing;               /* the window whose interactions are logged; NULL: none */
    struct um_demo_acts *acts; /* its interactions */
    uint64_t flood_begin_ns;   /* 0: no flood */
    uint64_t flood_count;
    uint32_t flood_ms;
    char last_name[16]; /* the last freeze, for showing it */
    uint64_t last_ns;
    uint32_t freezes;
};

/* Remembers that `msg` was retrieved now. Thread: the UI thread, right after GetMessage. */
void um_demo_ui_note(struct um_demo_ui *ui, const MSG *msg);

/* Translates and dispatches a message, and logs it if it was the user's input. `dialog` (may be
 * NULL) is asked first whether it is one of its navigation keys. */
void um_demo_ui_dispatch(struct um_demo_ui *ui, HWND dialog, const MSG *msg);

/* Runs the usual loop until WM_QUIT. Thread: the UI thread; blocks. */
void um_demo_ui_run(struct um_demo_ui *ui, HWND dialog);

/* Handles UM_DEMO_UI_* except _MODAL and _PAINT; false for every other message. */
bool um_demo_ui_handle(struct um_demo_ui *ui, HWND hwnd, UINT message, WPARAM wparam,
                       LPARAM lparam);

/* Blocks the UI thread in the handling of `message` for `hwnd`, and logs it as `name`. The length
 * is only a request; the log has the true one. Units: `posted_ns` is 0 if that is not known. */
void um_demo_ui_block(struct um_demo_ui *ui, HWND hwnd, UINT message, const char *name, uint32_t ms,
                      uint64_t posted_ns);

/* The typing area was painted: the interactions that this ends are logged. */
void um_demo_ui_painted(struct um_demo_ui *ui, uint64_t begin_ns, uint64_t end_ns);

/* Whether `key`, a virtual key, does nothing by itself: Shift, Ctrl, Alt, Win and the locks. */
bool um_demo_ui_is_modifier(WPARAM key);

/* Something other than a block is over. */
void um_demo_ui_finish(struct um_demo_ui *ui);

/* Logs a line that has one time (now), a window and perhaps a name. Thread: the UI thread. */
void um_demo_ui_log_window(struct um_demo_ui *ui, enum um_demo_log_kind kind, HWND hwnd,
                           const char *name);

#endif
