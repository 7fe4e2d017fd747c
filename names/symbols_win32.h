/* Symbols by the system's dbghelp, for files on disk: no process is opened. It reads program
 * databases (PDB), Wine's reads DWARF, and where there is neither, exports. Nothing is read of a
 * module before the first address in it is asked for.
 *
 * Source: "DbgHelp Functions", Microsoft Learn.
 */
#ifndef UM_NAMES_SYMBOLS_WIN32_H
#define UM_NAMES_SYMBOLS_WIN32_H

#include "ipc/status.h"
#include "names/serve.h"

/* Loads dbghelp, from the system's folder alone. There is one of these in a process, until that
 * ends. Thread: all calls on the same. Errors: UM_ERR_UNSUPPORTED there is no such library, or it
 * is too old. */
enum um_status um_symbols_open(struct um_serve_symbols *symbols);

#endif
