/* A minidump of a program, by the system's dbghelp: its threads and stacks, its modules, and the
 * memory that the stacks point to.
 *
 * Where the system can, it is taken from a snapshot of the program (snapshot_win32.h), which goes
 * on meanwhile. Without one all of its threads are stopped until dbghelp has written, and stay so
 * if this process is ended meanwhile: who started it has to resume them
 * (monitor/target/standing.h). So the file is written on a local disk first then.
 *
 * Source: "MiniDumpWriteDump function", Microsoft Learn.
 */
#ifndef UM_NAMES_MINIDUMP_WIN32_H
#define UM_NAMES_MINIDUMP_WIN32_H

#include <stdint.h>

#include "ipc/status.h"

/* Writes it to a file that did not exist, from a snapshot. Errors: UM_ERR_UNSUPPORTED there is no
 * dbghelp, or no snapshot that it takes; UM_ERR_IO the file cannot be written. */
enum um_status um_minidump_write(uint32_t pid, const wchar_t *path);

/* The same, with the program stopped. Errors: UM_ERR_DENIED the system does not let this process
 * read the program; UM_ERR_UNSUPPORTED there is no dbghelp; UM_ERR_NOT_FOUND there is no such
 * program; UM_ERR_IO the file cannot be written. */
enum um_status um_minidump_write_stopped(uint32_t pid, const wchar_t *path);

#endif
