#include "tests/target/told.h"

#include <wchar.h>

volatile LONG told;

static HANDLE open_event(DWORD pid)
{
    wchar_t name[40];
    swprintf(name, ARRAYSIZE(name), L"uimon-test-go-%lu", (unsigned long)pid);
    return CreateEventW(NULL, FALSE, FALSE, name);
}

/* On a thread of its own, so that work need not ask the system all the time. */
static DWORD WINAPI hear(void *event)
{
    while (WaitForSingleObject(event, INFINITE) == WAIT_OBJECT_0)
        InterlockedExchange(&told, 1);
    return 0;
}

void told_begin(void)
{
    static HANDLE event;
    InterlockedExchange(&told, 0);
    if (event)
        return;
    event = open_event(GetCurrentProcessId());
    CloseHandle(CreateThread(NULL, 0, hear, event, 0, NULL));
}

bool told_tell(DWORD pid)
{
    HANDLE event = open_event(pid);
    bool done = event && SetEvent(event);
    if (event)
        CloseHandle(event);
    return done;
}
