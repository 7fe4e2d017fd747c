/* A minidump of a program, by the system's dbghelp: its threads and stacks, its modules, and the
 * memory that the stacks point to.
 *
 * Where the system can, dbghelp reads a snapshot (clone) of the program, and the program
 * goes on running. Otherwise dbghelp suspends all of the program's threads while it writes. They
 * stay suspended if dbghelp hangs, or this process is killed meanwhile. The monitor then resumes
 * them (base/suspended_threads.h), or this process itself (resume_guard_win32.h). To keep that time
 * short, the file is then written to a local disk first.
 *
 * Source: "MiniDumpWriteDump function", Microsoft Learn.
 */
#ifndef UM_NAMES_MINIDUMP_WIN32_H
#define UM_NAMES_MINIDUMP_WIN32_H

#include <stdbool.h>
#include <stdint.h>

#include "base/plain/status.h"

/* Writes a minidump to a file that did not exist: from a snapshot, or with `stops` from the stopped
 * program. Errors: UM_ERR_UNSUPPORTED there is no dbghelp, or no snapshot that it accepts;
 * UM_ERR_DENIED (`stops`) the system does not let this process read the program; UM_ERR_NOT_FOUND
 * (`stops`) there is no such program; UM_ERR_MEMORY; UM_ERR_IO the file cannot be written. */
enum um_status um_minidump_write(uint32_t pid, const wchar_t *path, bool stops);

#endif
