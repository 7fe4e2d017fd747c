/* How a part of uimon is started on Windows; see part.h. */
#ifndef UM_MONITOR_PART_WIN32_H
#define UM_MONITOR_PART_WIN32_H

#include <stdbool.h>
#include <windows.h>

/* Starts a program with a small environment. It inherits these handles and no other, and has
 * `standard` (NULL: none) as its standard input and output; both must be among the handles.
 * With `lesser`, it has the rights of an ordinary program of this user.
 * Units: `program` is a whole path. `line` is written to.
 * Owner: CloseHandle(info->hProcess) and of hThread. Returns 0, or the system's error code. */
DWORD um_part_create(const wchar_t *program, wchar_t *line, HANDLE *inherited, DWORD count,
                     const HANDLE standard[2], bool lesser, PROCESS_INFORMATION *info);

#endif
