#include "base/hotkeys.h"

#include <stdlib.h>
#include <windows.h>

struct um_hotkeys {
    struct um_hotkey keys[UM_HOTKEYS_MAX];
    size_t count;
    bool *taken; /* the opener's; NULL once the thread is ready */
    void (*pressed)(void *context, size_t which);
    void *context;
    HANDLE thread;
    HANDLE ready;
    DWORD tid;
};

static UINT modifiers_of(const struct um_hotkey *key)
{
    return (key->modifiers & UM_HOTKEY_CTRL ? MOD_CONTROL : 0u) |
           (key->modifiers & UM_HOTKEY_ALT ? MOD_ALT : 0u) |
           (key->modifiers & UM_HOTKEY_SHIFT ? MOD_SHIFT : 0u) |
           (key->modifiers & UM_HOTKEY_WIN ? MOD_WIN : 0u) | MOD_NOREPEAT;
}

/* The system posts WM_HOTKEY to the thread that has registered the key. */
static DWORD WINAPI run(void *context)
{
    struct um_hotkeys *hotkeys = context;
    MSG message;

    /* Makes the message queue, into which close_hotkeys posts WM_QUIT. */
    PeekMessageW(&message, NULL, WM_USER, WM_USER, PM_NOREMOVE);
    for (size_t i = 0; i < hotkeys->count; i++) {
        const struct um_hotkey *key = &hotkeys->keys[i];
        hotkeys->taken[i] =
            key->virtual_key && !RegisterHotKey(NULL, (int)i, modifiers_of(key), key->virtual_key);
    }
    hotkeys->taken = NULL;
    SetEvent(hotkeys->ready);
    while (GetMessageW(&message, NULL, 0, 0) > 0)
        if (message.message == WM_HOTKEY && message.wParam < hotkeys->count)
            hotkeys->pressed(hotkeys->context, message.wParam);
    return 0; /* the keys are given back with the thread */
}

static void close_hotkeys(struct um_hotkeys *hotkeys)
{
    if (!hotkeys)
        return;
    if (hotkeys->thread) {
        PostThreadMessageW(hotkeys->tid, WM_QUIT, 0, 0);
        WaitForSingleObject(hotkeys->thread, INFINITE);
        CloseHandle(hotkeys->thread);
    }
    if (hotkeys->ready)
        CloseHandle(hotkeys->ready);
    free(hotkeys);
}

static enum um_status open_hotkeys(const struct um_hotkey *keys, size_t count,
                                   void (*pressed)(void *context, size_t which), void *context,
                                   bool *taken, struct um_hotkeys **hotkeys_out)
{
    struct um_hotkeys *hotkeys = calloc(1, sizeof *hotkeys);

    if (!hotkeys)
        return UM_ERR_MEMORY;
    for (size_t i = 0; i < count && i < UM_HOTKEYS_MAX; i++)
        hotkeys->keys[hotkeys->count++] = keys[i];
    hotkeys->taken = taken;
    hotkeys->pressed = pressed;
    hotkeys->context = context;
    hotkeys->ready = CreateEventW(NULL, TRUE, FALSE, NULL);
    hotkeys->thread = hotkeys->ready ? CreateThread(NULL, 0, run, hotkeys, 0, &hotkeys->tid) : NULL;
    if (!hotkeys->thread) {
        close_hotkeys(hotkeys);
        return UM_ERR_MEMORY;
    }
    WaitForSingleObject(hotkeys->ready, INFINITE);
    *hotkeys_out = hotkeys;
    return UM_OK;
}

static const struct um_hotkeys_backend win32 = {
    .open = open_hotkeys,
    .close = close_hotkeys,
};

const struct um_hotkeys_backend *um_hotkeys = &win32;
