#include "demo/pool_win32.h"

#include <stdlib.h>

#include "demo/log.h"
#include "demo/play.h"
#include "demo/ui_win32.h"
#include "base/plain/clock.h"

struct flood {
    HWND hwnd;
    uint32_t count;
    uint32_t ms;
    HANDLE go_on;       /* the items wait for it */
    volatile LONG left; /* items that are not over, and one for the line in the log */
    struct um_demo_log_event event;
};

static volatile LONG flooding;

static void release(struct flood *flood)
{
    if (InterlockedDecrement(&flood->left) > 0)
        return;
    CloseHandle(flood->go_on);
    free(flood);
    InterlockedExchange(&flooding, 0);
}

static VOID CALLBACK block(PTP_CALLBACK_INSTANCE instance, void *context)
{
    struct flood *flood = context;
    (void)instance;
    WaitForSingleObject(flood->go_on, INFINITE);
    release(flood);
}

static void submit_all(struct flood *flood)
{
    for (uint32_t i = 0; i < flood->count; i++) {
        InterlockedIncrement(&flood->left);
        if (TrySubmitThreadpoolCallback(block, flood, NULL))
            flood->event.count++;
        else
            InterlockedDecrement(&flood->left);
    }
}

/* Waits until all items are over, so that another flood may begin once this one is in the log. */
static void wait_over(struct flood *flood)
{
    while (InterlockedCompareExchange(&flood->left, 0, 0) > 1)
        um_clock_sleep_ns(UM_CLOCK_NS_PER_MS);
}

static DWORD WINAPI run(void *arg)
{
    struct flood *flood = arg;

    flood->event.begin_ns = um_clock_now_ns();
    submit_all(flood);
    flood->event.handled_ns = um_clock_now_ns();
    /* Until here the pool may start a thread for each item, so that no item of others waits.
     * Starting hundreds of threads takes more than a second on a slow machine. */
    um_clock_sleep_ns(flood->ms * UM_CLOCK_NS_PER_MS);
    flood->event.end_ns = um_clock_now_ns();
    SetEvent(flood->go_on);
    wait_over(flood);
    if (!PostMessageW(flood->hwnd, UM_DEMO_UI_CALM, 0, (LPARAM)flood))
        release(flood);
    return 0;
}

void um_demo_pool_over(LPARAM calm, struct um_demo_log_event *event)
{
    struct flood *flood = (struct flood *)calm;
    *event = flood->event;
    release(flood);
}

bool um_demo_pool_flood(HWND hwnd, uint32_t packed)
{
    if (InterlockedExchange(&flooding, 1))
        return false;
    struct flood *flood = calloc(1, sizeof *flood);
    HANDLE go_on = CreateEventW(NULL, TRUE, FALSE, NULL);
    if (flood && go_on) {
        *flood = (struct flood){
            .hwnd = hwnd,
            .count = um_demo_play_count(packed),
            .ms = um_demo_play_ms(packed),
            .go_on = go_on,
            .left = 1,
            .event = {.kind = UM_DEMO_LOG_POOL, .requested_ms = um_demo_play_ms(packed)}};
        HANDLE thread = CreateThread(NULL, 0, run, flood, 0, NULL);
        if (thread) {
            CloseHandle(thread);
            return true;
        }
    }
    if (go_on)
        CloseHandle(go_on);
    free(flood);
    InterlockedExchange(&flooding, 0);
    return false;
}
