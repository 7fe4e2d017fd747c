/* What the Windows files of this room share about processes. */
#ifndef UM_MONITOR_TARGET_WIN32_H
#define UM_MONITOR_TARGET_WIN32_H

#include <stdint.h>
#include <windows.h>

#include "base/plain/status.h"
#include "monitor/target/target.h"

/* Takes over a process's handle, also if it fails. Owner: um_target->close.
 * Errors: UM_ERR_MEMORY. */
enum um_status um_target_own(HANDLE handle, uint32_t pid, struct um_target_process **process);

/* Makes the command line that a program parses into these arguments. Owner: free(*line).
 * Errors: UM_ERR_MEMORY; UM_ERR_TOO_LARGE it is longer than CreateProcess takes. */
enum um_status um_target_command_line(char *const *argv, int argc, wchar_t **line);

/* The parts of um_target_backend that have files of their own. */
extern const struct um_frame_source_backend um_frame_source_win32;
extern const struct um_control_backend um_control_win32;

#endif
