/* The symbol table of a Windows program or DLL, read from its file: mingw-w64's compilers leave one
 * in whatever is not stripped, static functions included, and also where there is no debug
 * information. Trusts nothing in the file; what breaks the format is left out. Not on the hot path.
 *
 * Source: "PE Format", Microsoft Learn: the COFF symbol table, and the .pdata section.
 */
#ifndef UM_NAMES_COFF_H
#define UM_NAMES_COFF_H

#include <stddef.h>
#include <stdint.h>

#include "ipc/status.h"
#include "names/symbol_table.h"

/* Reads functions, and labels of assembler that other files may use. The unwind data of a 64-bit
 * program says where a function ends; where there is none (a function that leaves the stack as it
 * is, a 32-bit program), a name holds until the next one, unwind data or the end of the section.
 * Names of C are as in the source, those of C++ are mangled; a clone that the compiler made
 * ("run.constprop.0") has the name of its function.
 * Units: `file` is the whole file. Owner: um_symbol_table_free, also after an error; needs nothing
 * of the file any more. Errors: UM_ERR_MEMORY. */
enum um_status um_coff_read(const uint8_t *file, size_t len_bytes,
                            struct um_symbol_table *functions);

#endif
