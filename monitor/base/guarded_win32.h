/* The folder uimon in %ProgramData%, and folders in it, which only administrators can change and
 * users can read. A uimon that runs as administrator keeps there what it must be able to believe:
 * in the user's own folders every ordinary program of the user can put something else in its place.
 * Not on the hot path.
 */
#ifndef UM_MONITOR_GUARDED_WIN32_H
#define UM_MONITOR_GUARDED_WIN32_H

#include <stdbool.h>
#include <windows.h>

#include "ipc/status.h"

#define UM_GUARDED_CHARS (MAX_PATH + 80)

/* Whether this process must use these folders: it runs as administrator. Never under Wine, which
 * tells every process so and whose files have no lists that could keep anybody out. */
bool um_guarded_is_needed(void);

/* Finds the folder in %ProgramData%, or with `name` the one of that name in it, and with `make`
 * makes it if it is missing. What is answered was seen to be no link and to be changed by
 * administrators alone, and they alone can change that.
 * Units: `path` has UM_GUARDED_CHARS. Owner: CloseHandle(*folder); while it is open nobody can
 * rename the folder. Errors: UM_ERR_NOT_FOUND there is none; UM_ERR_DENIED others can change it;
 * UM_ERR_IO. */
enum um_status um_guarded_open(const wchar_t *name, bool make, wchar_t *path, HANDLE *folder);

#endif
