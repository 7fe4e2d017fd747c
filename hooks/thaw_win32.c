/* Resumes a thread that the monitor left suspended, because the monitor died, or because it is
 * stopped itself, as in a debugger.
 *
 * While the monitor lives it claims the thread that it suspends (ipc/claim.h), and only a claimed
 * thread is looked at (thaw.h). After its death, all threads are that it had said it may suspend.
 *
 * The system counts the suspensions of a thread, and they outlive the program that made them.
 * Others suspend threads for moments too: a runtime for its garbage collection, another profiler.
 * Their suspensions must not be undone. They last milliseconds, so this looks several times, and
 * resumes a thread only if it was suspended at every look. A debugger suspends all threads of a
 * process, so this one does not run meanwhile. A program may keep a thread suspended for long, too:
 * the monitor does not suspend such a thread, and reports that. */
#include "hooks/hook_win32.h"
#include "hooks/thaw.h"
#include "base/plain/looks.h"

void um_thaw_remember(uint32_t tid, int may_suspend)
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

int um_thaw_claimed(uint64_t now_ns)
{
    static struct um_thaw thaw;
    struct um_claim *claim = um_hook.claims.claim;
    uint64_t word = claim ? um_claim_look(claim) : 0;
    if (!um_thaw_is_due(&thaw, word, now_ns))
        return word != 0 && !thaw.over;
    uint32_t tid = um_claim_thread(word);
    if (um_thaw_saw(&thaw, is_suspended(tid), now_ns) && um_claim_end(claim, word))
        resume(tid);
    return !thaw.over;
}

/* Ends the claim, so that a monitor that was only suspended itself does not resume the thread once
 * more when it goes on. */
static void end_claim(uint32_t tid)
{
    struct um_claim *claim = um_hook.claims.claim;
    uint64_t word = claim ? um_claim_look(claim) : 0;
    if (word != 0 && um_claim_thread(word) == tid)
        um_claim_end(claim, word);
}

void um_thaw_threads(void)
{
    /* The UI thread counts, too. If the list is full, it takes the place of another one. */
    if (um_hook.suspended_count == UM_HOOK_SUSPENDED)
        um_hook.suspended_count--;
    um_thaw_remember(um_hook.ui_tid, 1);
    for (int looks = 0; looks < UM_LOOKS && um_hook.suspended_count > 0; looks++) {
        if (looks > 0)
            Sleep(UM_LOOKS_EACH_MS);
        keep_suspended();
    }
    for (uint32_t i = 0; i < um_hook.suspended_count; i++) {
        end_claim(um_hook.suspended_tids[i]);
        resume(um_hook.suspended_tids[i]);
    }
    um_hook.suspended_count = 0;
}
