/* Windows has no account of how long a thread waited for a processor, so nothing is excused here
 * but what the demo's own log has of it. */
#include "tests/e2e/held.h"

#include <stdio.h>
#include <windows.h>

#include "tests/e2e/harness.h"

#define QUIET_LOOK_MS 50
#define QUIET_LOOKS_MAX 40
#define QUIET_RAN_100NS 100000

void held_watch(intptr_t process, enum held_threads threads, const char *path)
{
    (void)process, (void)threads, (void)path;
}

const char *held_file(const char *log)
{
    return log;
}

const char *const *held_options(void)
{
    static const char *const finer[] = {"--stall", "2", NULL};
    return finer;
}

static ULONGLONG ran_100ns(HANDLE process)
{
    FILETIME made, ended, kernel, user;
    if (!GetProcessTimes(process, &made, &ended, &kernel, &user))
        return 0;
    return ((ULONGLONG)kernel.dwHighDateTime << 32 | kernel.dwLowDateTime) +
           ((ULONGLONG)user.dwHighDateTime << 32 | user.dwLowDateTime);
}

void held_wait_quiet(intptr_t process)
{
    ULONGLONG before = ran_100ns((HANDLE)process);

    for (unsigned i = 0; i < QUIET_LOOKS_MAX; i++) {
        sleep_ms(QUIET_LOOK_MS);
        ULONGLONG now = ran_100ns((HANDLE)process);
        if (now - before < QUIET_RAN_100NS)
            return;
        before = now;
    }
}

uint64_t held_waits(const char *word)
{
    (void)word;
    return 0;
}

void held_begin(void)
{
}

void held_account(char *text, size_t cap_bytes)
{
    snprintf(text, cap_bytes, "the system keeps no account");
}
