/* The job of a launched program: the system's list of what that has started, at any depth.
 *
 * A job has whatever its processes start, also after those have ended, so nothing is guessed from
 * the ids of parents, which the system gives again. Not on the hot path. */
#ifndef UM_MONITOR_JOB_WIN32_H
#define UM_MONITOR_JOB_WIN32_H

#include <stddef.h>
#include <stdint.h>
#include <windows.h>

#include "base/plain/status.h"

/* Puts a process that is still suspended into a new job. NULL: the system refuses that; then what
 * the process starts is not known. Owner: CloseHandle, which ends no process. */
HANDLE um_job_open(HANDLE process);

/* Lists the ids of the processes in the job that still run, but for `except`. Owner: free(*pids).
 * Errors: UM_ERR_MEMORY; UM_ERR_IO. */
enum um_status um_job_list(HANDLE job, uint32_t except, uint32_t **pids, size_t *count);

#endif
