/* Follows the feeds of all monitors that run, and of those that start later: `uimon listen`.
 * Not on the hot path.
 */
#ifndef UM_MONITOR_FOLLOW_ALL_H
#define UM_MONITOR_FOLLOW_ALL_H

#include "monitor/listen/follow.h"

#define UM_FOLLOW_ALL_FEEDS 64 /* at once; others wait until one of them ends */

/* As um_follow_run, but for all targets, and until `limit_s` after the first feed was found, `over`
 * or the user's wish to stop. In each call `session` and `entry` are those of the feed that it is
 * about; `pause` is about none of them. A feed that breaks off or cannot be read gets a line on
 * stderr and changes nothing for the others. With --wait=S it fails if there is none for so long.
 * Thread: main; blocks. */
int um_follow_all_run(struct um_follow *follow);

#endif
