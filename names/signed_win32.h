/* Whether a file is signed by Microsoft, and which one it is. Not on the hot path. */
#ifndef UM_NAMES_SIGNED_WIN32_H
#define UM_NAMES_SIGNED_WIN32_H

#include <stdbool.h>
#include <windows.h>

/* Whether the open file has a signature that is valid, and whose chain of certificates ends in a
 * root of Microsoft's. Nothing is fetched from a network for that, so a certificate that was called
 * back is found only if the system knows it already. Under Wine it is true of every file, because
 * Wine has no roots of Microsoft's and calls no signature valid.
 * Thread: blocks for some ms. */
bool um_signed_by_microsoft(const wchar_t *path, HANDLE file);

/* Whether its makers called the file so, by its version resource (OriginalFilename), in any
 * case. */
bool um_signed_is_called(const wchar_t *path, const wchar_t *name);

#endif
