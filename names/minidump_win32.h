/* A minidump of a program, by the system's dbghelp: its threads and stacks, its modules, and the
 * memory that the stacks point to.
 *
 * Where the system can, it is taken from a snapshot of the program (snapshot_win32.h), which goes
 * on meanwhile. Otherwise all of its threads are stopped until dbghelp has written, and stay so if
 * this process is ended meanwhile: whoever ends it has to resume them (monitor/target/standing.h).
 * So in that case the file is written on a local disk first.
 *
 * Source: "MiniDumpWriteDump function", Microsoft Learn.
 */
#ifndef UM_NAMES_MINIDUMP_WIN32_H
#define UM_NAMES_MINIDUMP_WIN32_H

#include <stdint.h>

#include "ipc/status.h"

/* Writes it to a file that did not exist. Errors: UM_ERR_DENIED the system does not let this
 * process read the program; UM_ERR_UNSUPPORTED there is no dbghelp; UM_ERR_NOT_FOUND there is no
 * such program; UM_ERR_IO the file cannot be written. */
enum um_status um_minidump_write(uint32_t pid, const wchar_t *path);

#endif
