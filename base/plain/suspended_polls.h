/* Tells a thread that stays suspended from one that is suspended for a moment only, as a runtime
 * does to collect garbage: it is suspended at each of UM_SUSPENDED_POLLS polls. If whoever
 * suspended it is gone, the hook DLL or the monitor then resumes it.
 */
#ifndef UM_BASE_SUSPENDED_POLLS_H
#define UM_BASE_SUSPENDED_POLLS_H

#define UM_SUSPENDED_POLLS 6
#define UM_SUSPENDED_POLL_MS 50 /* from one poll to the next */

#endif
