/* Names of our sessions of ETW, which outlive a monitor that is ended, and which of them are left
 * over. A reader starts at um_layout_session_end_left. Blocks only in its callbacks.
 */
#ifndef UM_MONITOR_LAYOUT_SESSION_H
#define UM_MONITOR_LAYOUT_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UM_LAYOUT_SESSION_BYTES 32

/* "uimon.layout.PID", for the monitor with that pid. */
void um_layout_session_name(uint32_t pid, char name[UM_LAYOUT_SESSION_BYTES]);

/* The monitor whose session has this name; false if it is no session of ours. */
bool um_layout_session_pid(const char *name, uint32_t *pid);

enum um_layout_session_process {
    UM_LAYOUT_SESSION_UNKNOWN = 0, /* there is one, but it may not be asked about */
    UM_LAYOUT_SESSION_LIVES,
    UM_LAYOUT_SESSION_DEAD, /* or no process has this pid */
};

struct um_layout_session_host {
    void *context;
    enum um_layout_session_process (*process)(void *context, uint32_t pid);
    void (*end)(void *context, const char *name); /* the session's */
};

/* Of all sessions that there are, ends those of monitors that do not run any more. It leaves alone
 * those of a process that lives or may not be asked about, that of `own_pid`, and other names. A
 * dead monitor's pid that another process has now keeps its session: that is rare, and does no harm
 * but for the memory. */
void um_layout_session_end_left(const struct um_layout_session_host *host, uint32_t own_pid,
                                const char *const names[], size_t count);

#endif
