/* Resumes the threads of a program whose minidump this process writes, should that hang. The
 * monitor does the same (monitor/live/flight_parts.h); the guard is for a monitor that has ended
 * meanwhile. Not on the hot path.
 */
#ifndef UM_NAMES_RESUME_GUARD_WIN32_H
#define UM_NAMES_RESUME_GUARD_WIN32_H

#include <stdint.h>

#include "base/plain/status.h"

/* Starts a thread that resumes the threads of process `pid` if they are still suspended after
 * UM_NAMES_SUSPENDED_MOST_S and one second more, and then ends this process. Those that are
 * suspended already stay so. To be called before the program is stopped, once.
 * Errors: UM_ERR_MEMORY; UM_ERR_IO there is no thread to be had. */
enum um_status um_resume_guard_start(uint32_t pid);

/* The program goes on by itself. Does nothing if there is no guard. */
void um_resume_guard_end(void);

#endif
