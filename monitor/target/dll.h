/* Brings the hook DLL into the target: a copy of the DLL, and the bootstrap hook on the target's
 * thread, by which the system loads it there.
 *
 * A 64-bit target gets uimon-hook64.dll, and this process sets the hook. A 32-bit one gets
 * uimon-hook32.dll, and uimon-attach32.exe sets it (ipc/bootstrap.h). One backend a system
 * (dll_win32.c). Not on the hot path.
 */
#ifndef UM_MONITOR_DLL_H
#define UM_MONITOR_DLL_H

#include <stddef.h>

#include "base/plain/status.h"
#include "monitor/target/target.h"

struct um_dll;

/* Sets the hook. The DLL arrives when the thread next retrieves a message.
 * Owner: um_dll_release. Thread: waits for the other program, some seconds at most.
 * Errors: UM_ERR_NOT_FOUND a file of uimon's is missing; UM_ERR_DENIED the system refuses the DLL
 * or the hook; UM_ERR_CLOSED the target's thread ended; UM_ERR_IO; UM_ERR_MEMORY. `error` has the
 * line to print. */
enum um_status um_dll_inject(const struct um_target_info *target, struct um_dll **dll, char *error,
                             size_t error_cap);

/* Whether 32-bit programs can be watched here: loads the DLL for them, and sets no hook.
 * Thread: as um_dll_inject. Errors: as um_dll_inject. */
enum um_status um_dll_try32(char *error, size_t error_cap);

/* Takes the hook off. A DLL that has arrived stays. Accepts NULL. */
void um_dll_release(struct um_dll *dll);

#endif
