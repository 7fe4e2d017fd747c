/* The file of the hook DLL that is injected. Usually it is a copy in %LOCALAPPDATA%\uimon, so that
 * another version of uimon can be installed while a target still has this DLL loaded. The copy's
 * name has the version and a hash, so that two builds have two names. Not on the hot path.
 *
 * A process that runs as administrator must not load what an ordinary program can change. If uimon
 * runs as administrator, the file is the DLL beside uimon.exe, provided that only administrators
 * can change it (as in Program Files). Otherwise it is a copy in %ProgramData%\uimon, which only
 * they can change. The DLL beside uimon.exe is trusted as much as uimon.exe: whoever can change the
 * one can change the other. uimon-attach32.exe is started from the same place.
 */
#ifndef UM_MONITOR_DLL_COPY_WIN32_H
#define UM_MONITOR_DLL_COPY_WIN32_H

#include <stdbool.h>
#include <windows.h>

#include "base/plain/status.h"

#define UM_DLL_COPY_CHARS (MAX_PATH * 2)

/* Finds or makes the file to inject for the DLL with the whole path `dll`, and opens it. A copy is
 * compared with the DLL through the handle. While the handle is open, nobody can write to the file,
 * replace it or move it, so what is loaded from `path` is what was compared. A link in its place,
 * or a file with a second name, is refused. `elevated`: uimon runs as administrator.
 * Units: `path` has UM_DLL_COPY_CHARS. Owner: CloseHandle(*copy).
 * Errors: UM_ERR_NOT_FOUND there is no such DLL; UM_ERR_DENIED (elevated) others than
 * administrators can change %ProgramData%\uimon; UM_ERR_IO the copy cannot be made;
 * UM_ERR_MEMORY. */
enum um_status um_dll_copy_open(const wchar_t *dll, bool elevated, wchar_t *path, HANDLE *copy);

#endif
