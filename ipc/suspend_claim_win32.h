/* Maps the memory that the monitor and the hook DLL share for claims (suspend_claim.h). Needs
 * kernel32 alone and no C library, because the DLL has none. Not for hook procedures.
 */
#ifndef UM_IPC_SUSPEND_CLAIM_WIN32_H
#define UM_IPC_SUSPEND_CLAIM_WIN32_H

#include <stdint.h>
#include <windows.h>

#include "ipc/suspend_claim.h"
#include "base/plain/status.h"

/* Zeroed: there is none. */
struct um_suspend_claim_map {
    HANDLE section;
    struct um_suspend_claim *claim;
};

/* The DLL: makes the memory. Other programs of the user could open it if they knew the nonce.
 * Owner: um_suspend_claim_unmap. Errors: UM_ERR_EXISTS somebody else has made it; UM_ERR_IO. */
enum um_status um_suspend_claim_map_new(const uint8_t nonce[16], struct um_suspend_claim_map *map);

/* The monitor: opens the memory that the DLL has made. Owner: um_suspend_claim_unmap. Errors:
 * UM_ERR_NOT_FOUND the DLL has none; UM_ERR_IO. */
enum um_status um_suspend_claim_map_open(const uint8_t nonce[16], struct um_suspend_claim_map *map);

/* Accepts a zeroed one. */
void um_suspend_claim_unmap(struct um_suspend_claim_map *map);

#endif
