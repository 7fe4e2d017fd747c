/* What the Windows files of this room share about processes. */
#ifndef UM_MONITOR_TARGET_WIN32_H
#define UM_MONITOR_TARGET_WIN32_H

#include <stdint.h>
#include <windows.h>

#include "ipc/status.h"
#include "monitor/target/target.h"

/* Takes over a process's handle, also if it fails. Owner: um_target_close.
 * Errors: UM_ERR_MEMORY. */
enum um_status um_target_own(HANDLE handle, uint32_t pid, struct um_target_process **process);

/* The command line that a program reads back as these arguments. Owner: free(*line).
 * Errors: UM_ERR_MEMORY; UM_ERR_TOO_LARGE it is longer than CreateProcess takes. */
enum um_status um_target_command_line(char *const *argv, int argc, wchar_t **line);

#endif
