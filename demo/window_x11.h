/* The demo's window on X11, by SDL: it freezes on request and logs exactly when. Its thread is the
 * program's first one. What Windows alone has is left out: sent messages, dialogs with loops of
 * their own, the thread pool. So are floods: SDL takes all input in before each event. A reader
 * starts at um_demo_window_run.
 */
#ifndef UM_DEMO_WINDOW_X11_H
#define UM_DEMO_WINDOW_X11_H

#include <stdbool.h>

#include "base/plain/status.h"
#include "demo/journal.h"
#include "demo/options.h"

struct um_demo_window;

/* The first item of a list that this window cannot do, by its word; NULL: it can do all. */
const char *um_demo_window_cannot(const struct um_demo_play *play);

/* Opens the window and logs its start. Owner: um_demo_window_close; options and journal must
 * outlive it. Errors: UM_ERR_MEMORY; UM_ERR_IO no screen. */
enum um_status um_demo_window_open(const struct um_demo_options *options,
                                   struct um_demo_journal *journal, struct um_demo_window **window);

/* Handles events until the window is closed. Thread: the one that opened it; blocks. */
void um_demo_window_run(struct um_demo_window *window);

/* Does what an item asks for, and waits until it is done. False: the window is closing.
 * Thread: another one; blocks. */
bool um_demo_window_play(struct um_demo_window *window, const struct um_demo_play_item *item);

/* The list is over; and closes the window if `and_close`. Thread: any. */
void um_demo_window_played(struct um_demo_window *window, bool and_close);

void um_demo_window_close(struct um_demo_window *window);

#endif
