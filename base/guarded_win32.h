/* The folder uimon in %ProgramData%, and folders in it, which only administrators can change and
 * users can read. If uimon runs as administrator, it keeps there what it has to trust later: in the
 * user's own folders every ordinary program of the user can replace it. Not on the hot path.
 */
#ifndef UM_BASE_GUARDED_WIN32_H
#define UM_BASE_GUARDED_WIN32_H

#include <stdbool.h>
#include <windows.h>

#include "base/plain/status.h"

#define UM_GUARDED_CHARS (MAX_PATH + 80)

/* Whether this process must use these folders: it runs as administrator. Never under Wine,
 * where every process seems to do so, and files have no access lists. */
bool um_guarded_is_needed(void);

/* Finds the folder in %ProgramData%, or with `name` the one of that name in it; with `make` it is
 * made if it is missing. It is no link, and only administrators can change it.
 * Units: `path` has UM_GUARDED_CHARS. Owner: CloseHandle(*folder); while it is open nobody can
 * rename the folder. Errors: UM_ERR_NOT_FOUND there is none; UM_ERR_DENIED others can change it;
 * UM_ERR_IO. */
enum um_status um_guarded_open(const wchar_t *name, bool make, wchar_t *path, HANDLE *folder);

/* Opens the folder of a file, which need not exist, and finds the file's path without links in it.
 * While the folder is open, nobody can put another one in its place. With `guarded` it must be one
 * that only administrators can change.
 * Units: `real` has `cap` characters. Owner: CloseHandle(*folder). Errors: UM_ERR_NOT_FOUND;
 * UM_ERR_DENIED it is a link, or others can change it; UM_ERR_TOO_LARGE. */
enum um_status um_guarded_hold_folder(const wchar_t *file, bool guarded, wchar_t *real, size_t cap,
                                      HANDLE *folder);

#endif
