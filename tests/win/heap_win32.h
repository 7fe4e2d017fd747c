/* How much of its heaps a test's target uses, to the byte: the system's own figures of a process
 * grow in steps of 64 KiB. Header-only. */
#ifndef UM_TESTS_WIN_HEAP_WIN32_H
#define UM_TESTS_WIN_HEAP_WIN32_H

#include <windows.h>

/* Sent to a window of target_odd_win32: the result is heap_bytes of its process. */
#define HEAP_MESSAGE (WM_APP + 40)

static inline size_t heap_bytes(void)
{
    HANDLE heaps[64];
    DWORD count = GetProcessHeaps(ARRAYSIZE(heaps), heaps);
    size_t bytes = 0;
    for (DWORD i = 0; i < count && i < ARRAYSIZE(heaps); i++) {
        PROCESS_HEAP_ENTRY entry = {.lpData = NULL};
        HeapLock(heaps[i]);
        while (HeapWalk(heaps[i], &entry))
            bytes += entry.wFlags & PROCESS_HEAP_ENTRY_BUSY ? entry.cbData : 0;
        HeapUnlock(heaps[i]);
    }
    return bytes;
}

#endif
