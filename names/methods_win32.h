/* Which IL offset of which method the instruction at an address was compiled from, by .NET's
 * library for debuggers. Answers about a method are kept until the process's data is read anew,
 * because the library takes long. Only for the backend of runtime.h.
 */
#ifndef UM_NAMES_METHODS_WIN32_H
#define UM_NAMES_METHODS_WIN32_H

#include <stdbool.h>
#include <stdint.h>

#include "names/runtime.h"
#include "names/xclrdata_win32.h"

/* Reads the process's memory; false: not all of it. */
typedef bool um_methods_read(uint64_t address, void *bytes, size_t len_bytes);

/* Fills in `place`. False: no method has the address, or the library does not know it. Thread:
 * blocks; the library may take long. */
bool um_methods_find(struct um_xclrdata_process *process, um_methods_read *read, uint64_t address,
                     struct um_runtime_place *place);

/* Forgets all methods. */
void um_methods_forget(void);

#endif
