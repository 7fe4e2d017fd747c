/* Files of another process's modules. Their paths are not trusted, because they come from that
 * process or another one. So only files on this machine's disks are opened, and a server behind
 * such a path cannot impersonate this process. Not for the hook DLL. Not on the hot path.
 */
#ifndef UM_BASE_LOCAL_FILE_WIN32_H
#define UM_BASE_LOCAL_FILE_WIN32_H

#include <stdbool.h>
#include <stddef.h>
#include <windows.h>

#define UM_LOCAL_FILE_CHARS 1024

/* The path of the file that the kernel has mapped at an address of a process. (GetModuleFileNameEx
 * would read the process's own memory, where the process can write anything.) The handle needs
 * PROCESS_QUERY_INFORMATION. False: there is none, or it is too long. */
bool um_local_file_mapped(HANDLE process, const void *address, wchar_t *path, size_t cap);

/* Opens a file for reading. `real`, if it is not NULL, gets its path without links, and has
 * UM_LOCAL_FILE_CHARS. Owner: CloseHandle. INVALID_HANDLE_VALUE, with the last error, if it is
 * on no disk of this machine or cannot be opened. Thread: blocks on the disk. */
HANDLE um_local_file_open(const wchar_t *path, DWORD share, wchar_t *real);

#endif
