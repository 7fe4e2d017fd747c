/* What is said of a freeze in the text of the summary and in the page of a report: where the thread
 * was, and which inputs waited. Pure; not on the hot path. */
#ifndef UM_MONITOR_FREEZE_TEXT_H
#define UM_MONITOR_FREEZE_TEXT_H

#include "ipc/wire.h"
#include "monitor/stats/stats.h"

struct um_freeze_text {
    char chars[1024]; /* UTF-8 */
};

/* "57 of 57 in um_timer_wait ← um_demo_ui_block": the innermost function first. */
struct um_freeze_text um_freeze_text_stack(const struct um_wire_stack *stack);

/* "4 keys, 1 click": what waited in a freeze; "" if nothing did. */
struct um_freeze_text um_freeze_text_inputs(const struct um_stats_freeze *freeze);

/* "felt: 2 of 43, not observed of 24": how many freezes the user felt. In these, an input waited.
 * What waits in a freeze that lasts is not known before its end, and what came at a time that was
 * not observed may have waited. */
struct um_freeze_text um_freeze_text_felt(const struct um_stats_freezes *freezes);

#endif
