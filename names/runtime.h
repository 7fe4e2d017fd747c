/* Names of managed methods, from the runtime's own library for debuggers (its DAC).
 *
 * A runtime compiles methods as they are needed, so no file has their addresses. Each version of
 * the runtime comes with a library that reads its data in another process, mscordaccore.dll beside
 * coreclr.dll, and mscordacwks.dll beside the .NET Framework's clr.dll. It is loaded here. It reads
 * the target's memory through this, a bounded number of times for each name, because it can run
 * away on an address that is no method.
 *
 * Backend: runtime_win32.c. One process at a time. Not on the hot path. A reader starts at
 * um_runtime_find.
 */
#ifndef UM_NAMES_RUNTIME_H
#define UM_NAMES_RUNTIME_H

#include <stdbool.h>
#include <stdint.h>

#include "ipc/names.h"

#define UM_RUNTIME_READS 4000 /* of the target's memory for one name; then there is none */

/* The process from now on; 0: none. */
void um_runtime_process(uint32_t pid);

/* Whether the module at `base` in the process is one of managed code, and is the one with this time
 * stamp: parts of such modules are compiled before they run, and only the runtime knows their
 * methods. */
bool um_runtime_is_managed(uint64_t base, uint32_t timestamp);

/* The method that has the byte at an address. Fills in all but the number. `name` is zeroed. With
 * another `round` than before, what was read of the process is read anew.
 * Thread: blocks; the library may take long over it. */
void um_runtime_find(uint64_t address, uint32_t round, struct um_names_name *name);

#endif
