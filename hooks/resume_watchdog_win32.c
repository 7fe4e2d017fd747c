/* Resumes a thread that the monitor left suspended, because the monitor died, or because it is
 * stopped itself, as in a debugger.
 *
 * While the monitor lives it claims the thread that it suspends (ipc/suspend_claim.h), and only a
 * claimed thread is polled (resume_watchdog.h). After its death, all threads are that it had
 * said it may suspend.
 *
 * The system counts the suspensions of a thread, and they outlive the program that made them.
 * Others suspend threads for moments too: a runtime for its garbage collection, another profiler.
 * Their suspensions must not be undone. They last milliseconds, so this polls several times, and
 * resumes a thread only if it was suspended at every poll. A debugger suspends all threads of a
 * process, so this one does not run meanwhile. A program may keep a thread suspended for long, too:
 * the monitor does not suspend such a thread, and reports that. */
#include "hooks/hook_win32.h"
#include "hooks/resume_watchdog.h"
#include "base/plain/suspended_polls.h"

void um_resume_watchdog_remember(uint32_t tid, int may_suspend)
{
    uint32_t at = 0;
    while (at < um_hook.suspended_count && um_hook.suspended_tids[at] != tid)
        at++;
    if (may_suspend && at == um_hook.suspended_count && at < UM_HOOK_SUSPENDED)
        um_hook.suspended_tids[um_hook.suspended_count++] = tid;
    else if (!may_suspend && at < um_hook.suspended_count)
        um_hook.suspended_tids[at] = um_hook.suspended_tids[--um_hook.suspended_count];
}

/* Opens a thread of this process, but not the calling one: after a thread has ended, another one
 * may get its id. */
static HANDLE open_thread(uint32_t tid)
{
    HANDLE thread = tid == GetCurrentThreadId()
                        ? NULL
                        : OpenThread(THREAD_SUSPEND_RESUME | THREAD_QUERY_INFORMATION, FALSE, tid);
    if (thread && GetProcessIdOfThread(thread) != um_hook.pid) {
        CloseHandle(thread);
        thread = NULL;
    }
    return thread;
}

/* Whether the thread is suspended, at this moment. */
static int is_suspended(uint32_t tid)
{
    HANDLE thread = open_thread(tid);
    DWORD count; /* of suspensions before this one */
    if (!thread)
        return 0;
    count = SuspendThread(thread);
    if (count != (DWORD)-1)
        ResumeThread(thread);
    CloseHandle(thread);
    return count != (DWORD)-1 && count > 0;
}

/* Forgets the remembered threads that run. */
static void keep_suspended(void)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < um_hook.suspended_count; i++)
        if (is_suspended(um_hook.suspended_tids[i]))
            um_hook.suspended_tids[kept++] = um_hook.suspended_tids[i];
    um_hook.suspended_count = kept;
}

static void resume(uint32_t tid)
{
    HANDLE thread = open_thread(tid);
    if (thread) {
        ResumeThread(thread);
        CloseHandle(thread);
    }
}

int um_resume_watchdog_claimed(uint64_t now_ns)
{
    static struct um_resume_watchdog watchdog;
    struct um_suspend_claim *claim = um_hook.claims.claim;
    uint64_t word = claim ? um_suspend_claim_look(claim) : 0;
    if (!um_resume_watchdog_is_due(&watchdog, word, now_ns))
        return word != 0 && !watchdog.over;
    uint32_t tid = um_suspend_claim_thread(word);
    if (um_resume_watchdog_saw(&watchdog, is_suspended(tid), now_ns) &&
        um_suspend_claim_end(claim, word))
        resume(tid);
    return !watchdog.over;
}

/* Ends the claim, so that a monitor that was only suspended itself does not resume the thread once
 * more when it goes on. */
static void end_claim(uint32_t tid)
{
    struct um_suspend_claim *claim = um_hook.claims.claim;
    uint64_t word = claim ? um_suspend_claim_look(claim) : 0;
    if (word != 0 && um_suspend_claim_thread(word) == tid)
        um_suspend_claim_end(claim, word);
}

void um_resume_watchdog_threads(void)
{
    /* The UI thread counts, too. If the list is full, it takes the place of another one. */
    if (um_hook.suspended_count == UM_HOOK_SUSPENDED)
        um_hook.suspended_count--;
    um_resume_watchdog_remember(um_hook.ui_tid, 1);
    for (int polls = 0; polls < UM_SUSPENDED_POLLS && um_hook.suspended_count > 0; polls++) {
        if (polls > 0)
            Sleep(UM_SUSPENDED_POLL_MS);
        keep_suspended();
    }
    for (uint32_t i = 0; i < um_hook.suspended_count; i++) {
        end_claim(um_hook.suspended_tids[i]);
        resume(um_hook.suspended_tids[i]);
    }
    um_hook.suspended_count = 0;
}
