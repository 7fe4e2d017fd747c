/* Files of another process's modules. Their paths come from that process, or from somebody else, so
 * only files on this machine's disks are opened by them, and nobody who is behind such a path may
 * act in this process's name. Not for the hook DLL. Not on the hot path.
 */
#ifndef UM_IPC_LOCAL_FILE_WIN32_H
#define UM_IPC_LOCAL_FILE_WIN32_H

#include <stdbool.h>
#include <stddef.h>
#include <windows.h>

#define UM_LOCAL_FILE_CHARS 1024

/* The path of the file that the kernel has mapped at an address of a process. What the process's
 * loader has noted (GetModuleFileNameEx) lies in its own memory, and it can write there what it
 * likes. The handle needs PROCESS_QUERY_INFORMATION. False: there is none, or it is too long. */
bool um_local_file_mapped(HANDLE process, const void *address, wchar_t *path, size_t cap);

/* Opens a file for reading. `real`, if it is not NULL, is where it is without links on the way, and
 * has UM_LOCAL_FILE_CHARS. Owner: CloseHandle. INVALID_HANDLE_VALUE, with the last error, if it is
 * on no disk of this machine or cannot be opened. Thread: blocks on the disk. */
HANDLE um_local_file_open(const wchar_t *path, DWORD share, wchar_t *real);

#endif
