/* Starts uimon's helper programs on Windows, and asks what hides their windows: see start_helper in
 * target.h. */
#ifndef UM_MONITOR_HELPER_WIN32_H
#define UM_MONITOR_HELPER_WIN32_H

#include <stdbool.h>
#include <stdint.h>
#include <windows.h>

#include "monitor/target/target.h"

/* Starts a program with a small environment. It inherits these handles and no other, and has
 * `standard` (NULL: none) as its standard input and output; both must be among the handles.
 * With `lesser`, it has the rights of an ordinary program of this user.
 * Units: `program` is a whole path. `line` is written to.
 * Owner: CloseHandle(info->hProcess) and of hThread. Returns 0, or the system's error code. */
DWORD um_helper_create(const wchar_t *program, wchar_t *line, HANDLE *inherited, DWORD count,
                       const HANDLE standard[2], bool lesser, PROCESS_INFORMATION *info);

/* start_helper, start_aside, hider and describe_window of um_target_backend. */
enum um_status um_helper_start(char *const *argv, int argc, intptr_t handle,
                               struct um_target_process **process);
enum um_status um_helper_start_aside(char *const *argv, int argc, bool hurries,
                                     struct um_target_process **process);
uint64_t um_helper_hider(const struct um_target_process *helper);
void um_helper_describe_window(uint64_t hwnd, char *text, size_t cap_bytes);

#endif
