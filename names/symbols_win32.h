/* Symbols of files on disk, read by the system's dbghelp; no process is opened. dbghelp reads
 * program databases (PDB), and Wine's reads DWARF. Without either, the file's own tables give
 * names. Symbols of a module are loaded when its first address is looked up.
 *
 * Source: "DbgHelp Functions", Microsoft Learn.
 */
#ifndef UM_NAMES_SYMBOLS_WIN32_H
#define UM_NAMES_SYMBOLS_WIN32_H

#include "base/plain/status.h"
#include "names/serve.h"

/* Loads dbghelp, from the system's folder alone. Once in a process, for its whole life. Thread: all
 * calls on the same. Errors: UM_ERR_UNSUPPORTED there is no dbghelp, or it is too old. */
enum um_status um_symbols_open(struct um_serve_symbols *symbols);

#endif
