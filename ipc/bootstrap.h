/* How the monitor and the hook DLL find each other: names that both sides must agree on.
 *
 * The monitor makes a nonce of 128 random bits and a pipe named for it, sets a WH_GETMESSAGE hook
 * of the DLL on the target's UI thread, and posts two registered messages to that thread's window:
 * UM_ATTACH_NONCE_MESSAGE with the nonce in wParam (bytes 0 to 7) and lParam (bytes 8 to 15), then
 * UM_ATTACH_PID_MESSAGE with the monitor's process id in wParam. The DLL connects to the pipe,
 * checks that this process serves it for the same user, and says HELLO with the nonce.
 */
#ifndef UM_IPC_ATTACH_H
#define UM_IPC_ATTACH_H

#include <stdint.h>

#define UM_ATTACH_NONCE_MESSAGE "uimon-attach-nonce-1"
#define UM_ATTACH_PID_MESSAGE "uimon-attach-pid-1"
#define UM_ATTACH_HOOK_PROC "um_hook_bootstrap"
#define UM_ATTACH_PIPE_PURPOSE "hook"
#define UM_ATTACH_PATH_BYTES 64

/* How long the DLL may be silent at most while it is alive, and how often it sends then. */
#define UM_ATTACH_LIFE_MS 50

/* The system's path of the pipe that goes with a nonce: um_transport_name's name with Windows'
 * prefix. Units: `path` has UM_ATTACH_PATH_BYTES. Freestanding, for the DLL. */
static inline void um_attach_pipe_path(const uint8_t nonce[16], char *path)
{
    static const char prefix[] = "\\\\.\\pipe\\uimon-" UM_ATTACH_PIPE_PURPOSE "-";
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
