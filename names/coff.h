/* The symbol table of a Windows program or DLL, read from its file. mingw-w64's compilers write one
 * into each file that is not stripped. It has static functions too, and needs no debug information.
 * Trusts nothing in the file, and skips what breaks the format. Not on the hot path.
 *
 * Source: "PE Format", Microsoft Learn: the COFF symbol table, and the .pdata section.
 */
#ifndef UM_NAMES_COFF_H
#define UM_NAMES_COFF_H

#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "names/symbol_table.h"

/* Reads functions and the global labels of assembler code. The unwind data of a 64-bit program says
 * where a function ends. Leaf functions and 32-bit programs have none: there a name holds until the
 * next name, the next unwind data or the end of the section.
 * Names of C are as in the source, those of C++ are mangled. A clone that the compiler made
 * ("run.constprop.0") gets the name of its function.
 * Units: `file` is the whole file, and may be freed afterwards. Owner: um_symbol_table_free, also
 * after an error. Errors: UM_ERR_MEMORY. */
enum um_status um_coff_read(const uint8_t *file, size_t len_bytes,
                            struct um_symbol_table *functions);

#endif
