/* How the monitor and the hook DLL find each other: the names that both must agree on.
 *
 * The monitor makes a nonce of 128 random bits and the hook pipe, which is named for it. It sets a
 * WH_GETMESSAGE hook of the DLL on the target's UI thread, and posts two registered messages to
 * that thread's window: UM_BOOTSTRAP_NONCE_MESSAGE with the nonce in wParam (bytes 0 to 7) and
 * lParam (bytes 8 to 15), then UM_BOOTSTRAP_PID_MESSAGE with the monitor's process id in wParam.
 * The DLL connects to the pipe, checks that this process serves it for the same user, and says
 * HELLO with the nonce.
 */
#ifndef UM_IPC_BOOTSTRAP_H
#define UM_IPC_BOOTSTRAP_H

#include <stdint.h>

#define UM_BOOTSTRAP_NONCE_MESSAGE "uimon-attach-nonce-1"
#define UM_BOOTSTRAP_PID_MESSAGE "uimon-attach-pid-1"
#define UM_BOOTSTRAP_HOOK_PROC "um_hook_bootstrap"
#define UM_BOOTSTRAP_PIPE_PURPOSE "hook"
#define UM_BOOTSTRAP_PATH_BYTES 64

/* The system's path of the hook pipe that goes with a nonce: um_transport_name's name with Windows'
 * prefix. Units: `path` has UM_BOOTSTRAP_PATH_BYTES. Freestanding, for the DLL. */
static inline void um_bootstrap_pipe_path(const uint8_t nonce[16], char *path)
{
    static const char prefix[] = "\\\\.\\pipe\\uimon-" UM_BOOTSTRAP_PIPE_PURPOSE "-";
    static const char digits[] = "0123456789abcdef";
    char *out = path;

    for (const char *in = prefix; *in; in++)
        *out++ = *in;
    for (int i = 0; i < 16; i++) {
        *out++ = digits[nonce[i] >> 4];
        *out++ = digits[nonce[i] & 15];
    }
    *out = 0;
}

#endif
