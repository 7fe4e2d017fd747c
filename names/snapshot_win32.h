/* A snapshot of a program: a clone of its memory, which the system makes at once, and what its
 * threads' registers were then. The program is hardly held up by that.
 *
 * Windows has them since 8.1; they are looked up when they are needed, because Wine has none.
 * Source: "Process Snapshotting", Microsoft Learn.
 */
#ifndef UM_NAMES_SNAPSHOT_WIN32_H
#define UM_NAMES_SNAPSHOT_WIN32_H

#include <stdint.h>
#include <windows.h>

#include "ipc/status.h"

/* For MiniDumpWriteDump in the place of a process. Owner: um_snapshot_free. Errors:
 * UM_ERR_UNSUPPORTED the system has none; UM_ERR_DENIED; UM_ERR_IO. */
enum um_status um_snapshot_take(uint32_t pid, HANDLE *snapshot);

/* Frees it, with the clone. */
void um_snapshot_free(HANDLE snapshot);

#endif
