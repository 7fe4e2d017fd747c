/* How the monitor and the hook DLL find each other: the names that both must agree on.
 *
 * The monitor makes a nonce of 128 random bits and the hook pipe, which is named for it. It sets a
 * WH_GETMESSAGE hook of the DLL on the target's UI thread, and posts three registered messages to
 * that thread's window: UM_BOOTSTRAP_LOW_MESSAGE with bytes 0 to 3 of the nonce in wParam and bytes
 * 4 to 7 in lParam, UM_BOOTSTRAP_HIGH_MESSAGE with bytes 8 to 15 alike, then
 * UM_BOOTSTRAP_PID_MESSAGE with the monitor's process id in wParam. (A 32-bit program gets 32 bits
 * of each parameter.) While a session lasts these messages have no effect.
 * The DLL connects to the pipe, checks that this process serves it for the same user, and says
 * HELLO with the nonce.
 */
#ifndef UM_IPC_BOOTSTRAP_H
#define UM_IPC_BOOTSTRAP_H

#include <stdint.h>

#define UM_BOOTSTRAP_LOW_MESSAGE "uimon-attach-low-2"
#define UM_BOOTSTRAP_HIGH_MESSAGE "uimon-attach-high-2"
#define UM_BOOTSTRAP_PID_MESSAGE "uimon-attach-pid-2"
#define UM_BOOTSTRAP_HOOK_PROC "um_hook_bootstrap"
#define UM_BOOTSTRAP_PIPE_PURPOSE "hook"
#define UM_BOOTSTRAP_PATH_BYTES 64

/* Only a 32-bit process can set a hook in a 32-bit program, so uimon-attach32.exe does that. Its
 * arguments are the thread's id, or 0 to only load the DLL, and the DLL's path. It writes one
 * um_bootstrap_answer to its standard output, and waits for the end of its standard input. When the
 * monitor closes that pipe or ends, it removes the hook and ends too. */
enum um_bootstrap_step {
    UM_BOOTSTRAP_HOOKED = 0,
    UM_BOOTSTRAP_LOADING = 1, /* the DLL cannot be loaded */
    UM_BOOTSTRAP_HOOKING = 2  /* the system allows no hook */
};

struct um_bootstrap_answer {
    uint32_t step;  /* enum um_bootstrap_step: how far it came */
    uint32_t error; /* the system's error code; 0 if hooked */
};

/* Makes a name that ends with the nonce's digits. Units: `path` has UM_BOOTSTRAP_PATH_BYTES. */
static inline void um_bootstrap_name(const char *prefix, const uint8_t nonce[16], char *path)
{
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

/* The path of the hook pipe for a nonce: um_transport_name's name with Windows' prefix.
 * Units: `path` has UM_BOOTSTRAP_PATH_BYTES. Freestanding, for the DLL. */
static inline void um_bootstrap_pipe_path(const uint8_t nonce[16], char *path)
{
    static const char prefix[] = "\\\\.\\pipe\\uimon-" UM_BOOTSTRAP_PIPE_PURPOSE "-";
    um_bootstrap_name(prefix, nonce, path);
}

/* The name of the shared memory of ipc/suspend_claim.h for a nonce. Units: as above. */
static inline void um_bootstrap_claim_name(const uint8_t nonce[16], char *name)
{
    um_bootstrap_name("Local\\uimon-claim-", nonce, name);
}

#endif
