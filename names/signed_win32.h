/* Whether a file is signed by Microsoft, and what its original name is. Not on the hot path. */
#ifndef UM_NAMES_SIGNED_WIN32_H
#define UM_NAMES_SIGNED_WIN32_H

#include <stdbool.h>
#include <windows.h>

/* Whether the open file has a valid signature whose chain of certificates ends in a root of
 * Microsoft's. Nothing is fetched from a network, so only revocations that the system knows already
 * count. Under Wine this is true of every file, because Wine has no roots of Microsoft's and calls
 * no signature valid.
 * Thread: blocks for some ms. */
bool um_signed_by_microsoft(const wchar_t *path, HANDLE file);

/* Whether the file's version resource gives this name as its OriginalFilename, in any case. */
bool um_signed_is_called(const wchar_t *path, const wchar_t *name);

#endif
