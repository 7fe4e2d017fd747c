/* Names of our sessions of ETW, which outlive a monitor that is ended. Pure. */
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

#endif
