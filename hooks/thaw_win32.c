/* Undoes a suspension of the UI thread that a monitor left behind when it died.
 *
 * The suspensions of a thread are counted, and they outlive the program that made them. Others
 * suspend threads for moments too: a runtime for its garbage collection, another profiler. Theirs
 * must not be undone. A moment is over within milliseconds, so this looks several times, and
 * resumes the thread only if it was suspended at every look. A debugger suspends all threads of a
 * process, so this one does not run meanwhile. */
#include "hooks/hook_win32.h"

#define LOOKS 6
#define LOOK_MS 50

/* Whether the thread is suspended, at this moment. */
static int is_suspended(HANDLE thread)
{
    DWORD count = SuspendThread(thread); /* how often it was before this */
    if (count == (DWORD)-1)
        return 0;
    ResumeThread(thread);
    return count > 0;
}

void um_thaw_ui_thread(void)
{
    /* The handle that the DLL keeps can only be waited for. */
    HANDLE thread = OpenThread(THREAD_SUSPEND_RESUME, FALSE, um_hook.ui_tid);
    int looks = 0;

    if (!thread)
        return;
    while (looks < LOOKS && is_suspended(thread)) {
        looks++;
        Sleep(LOOK_MS);
    }
    if (looks == LOOKS)
        ResumeThread(thread);
    CloseHandle(thread);
}
