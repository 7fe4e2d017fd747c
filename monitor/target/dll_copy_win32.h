/* The file of a hook DLL that is injected. Mostly it is a copy in %LOCALAPPDATA%\uimon, so that a
 * later version can be installed while a target still has this one; the copy's name has the version
 * and a hash, so that two builds have two names. Not on the hot path.
 *
 * A process that runs as administrator, and a target that does, must not load what an ordinary
 * program can change meanwhile. For them it is the DLL beside uimon.exe itself, if only
 * administrators can change that (as in Program Files), else a copy in %ProgramData%\uimon, which
 * is made so that only they can. What the copy is made of is trusted as uimon.exe is, which lies
 * beside it: whoever can change the one can change the other. uimon-attach32.exe is started from
 * there too.
 */
#ifndef UM_MONITOR_DLL_COPY_WIN32_H
#define UM_MONITOR_DLL_COPY_WIN32_H

#include <stdbool.h>
#include <windows.h>

#include "ipc/status.h"

#define UM_DLL_COPY_CHARS (MAX_PATH * 2)

/* Finds the file to inject for a DLL, which is named by its whole path, or makes it, and opens
 * it. What a copy holds was compared through that handle with the DLL itself. While the handle
 * is open, nobody can write to the file, replace it or move it, so what is loaded from `path` is
 * what was compared. A link in its place, or a file that has another name too, is not believed.
 * `elevated`: as an administrator needs it.
 * Units: `path` has UM_DLL_COPY_CHARS. Owner: CloseHandle(*copy).
 * Errors: UM_ERR_NOT_FOUND there is no such DLL; UM_ERR_DENIED (elevated) others than
 * administrators can change %ProgramData%\uimon; UM_ERR_IO the copy cannot be made;
 * UM_ERR_MEMORY. */
enum um_status um_dll_copy_open(const wchar_t *dll, bool elevated, wchar_t *path, HANDLE *copy);

#endif
