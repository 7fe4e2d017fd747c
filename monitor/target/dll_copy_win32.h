/* The copy of a hook DLL that is injected, so that a later version can be installed while a target
 * still has this one. It lies in %LOCALAPPDATA%\uimon, and its name has the version and a hash, so
 * that two builds have two names. Not on the hot path.
 */
#ifndef UM_MONITOR_DLL_COPY_WIN32_H
#define UM_MONITOR_DLL_COPY_WIN32_H

#include <windows.h>

#include "ipc/status.h"

#define UM_DLL_COPY_CHARS (MAX_PATH * 2)

/* Finds the copy of the DLL `stem` ("uimon-hook64") beside uimon.exe, or makes it, and opens it.
 * What it holds was compared through that handle with the DLL itself. While the handle is open,
 * nobody can write to the file, replace it or move it, so what is loaded from `path` is what was
 * compared. A link in its place, or a file that has another name too, is not believed.
 * Units: `path` has UM_DLL_COPY_CHARS. Owner: CloseHandle(*copy).
 * Errors: UM_ERR_NOT_FOUND there is no such DLL; UM_ERR_IO the copy cannot be made;
 * UM_ERR_MEMORY. */
enum um_status um_dll_copy_open(const char *stem, wchar_t *path, HANDLE *copy);

#endif
