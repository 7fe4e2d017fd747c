/* A 32-bit target that knows which of its functions call each other, and how its time is shared
 * out. Writes the demo's log. CMakeLists.txt builds it three times: with GCC's unwind data, without
 * them but with frame pointers, and with neither.
 *
 *   target_calls [options of the demo]
 *
 * A posted UM_DEMO_UI_SPIN makes it work; the last two digits of its length in ms say how (see
 * `works` below). All work is called by `work_outermost`. After shared work it says on standard
 * output which part of the time each function had: "share FUNCTION 0.61".
 */
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>

#include "demo/journal.h"
#include "base/plain/clock.h"
#include "tests/target/target.h"

#define ALONE __attribute__((noipa))
#define DEPTH 60
#define ROUNDS 20000 /* between two looks at the clock, which is a system call under Wine */
#define SLICE_NS UINT64_C(400000) /* of a tenth of the shared work */
#define WM_WORK (WM_APP + 90)

static volatile uint64_t result;
static uint64_t end_ns;
static HWND own_window;

static ALONE uint64_t work_most(uint64_t until_ns)
{
    uint64_t now_ns;
    while ((now_ns = um_clock_now_ns()) < until_ns)
        for (int i = 0; i < ROUNDS; i++)
            result += (uint64_t)i;
    return now_ns;
}

static ALONE uint64_t work_some(uint64_t until_ns)
{
    uint64_t now_ns;
    while ((now_ns = um_clock_now_ns()) < until_ns)
        for (int i = 0; i < ROUNDS; i++)
            result ^= (uint64_t)i;
    return now_ns;
}

static ALONE uint64_t work_little(uint64_t until_ns)
{
    uint64_t now_ns;
    while ((now_ns = um_clock_now_ns()) < until_ns)
        for (int i = 0; i < ROUNDS; i++)
            result -= (uint64_t)i;
    return now_ns;
}

static ALONE void share_work(void)
{
    uint64_t begin_ns = um_clock_now_ns();
    uint64_t parts_ns[3] = {0};
    uint64_t now_ns = begin_ns;
    while (now_ns < end_ns) {
        uint64_t after_ns = work_most(now_ns + 6 * SLICE_NS);
        parts_ns[0] += after_ns - now_ns;
        now_ns = work_some(after_ns + 3 * SLICE_NS);
        parts_ns[1] += now_ns - after_ns;
        after_ns = work_little(now_ns + SLICE_NS);
        parts_ns[2] += after_ns - now_ns;
        now_ns = after_ns;
    }
    double all_ns = (double)(now_ns - begin_ns);
    printf("share work_most %.4f\n", (double)parts_ns[0] / all_ns);
    printf("share work_some %.4f\n", (double)parts_ns[1] / all_ns);
    printf("share work_little %.4f\n", (double)parts_ns[2] / all_ns);
    fflush(stdout);
}

static ALONE void recurse(int depth)
{
    if (depth > 1)
        recurse(depth - 1);
    else
        work_some(end_ns);
    result += (uint64_t)depth; /* so that there is something left to do after the call */
}

static ALONE void recurse_deeply(void)
{
    recurse(DEPTH);
    result++;
}

static ALONE void sleep_long(void)
{
    uint64_t now_ns = um_clock_now_ns();
    Sleep(now_ns < end_ns ? (DWORD)((end_ns - now_ns) / UM_CLOCK_NS_PER_MS) : 0);
    result++;
}

static ALONE int __cdecl compare(const void *a, const void *b)
{
    work_some(end_ns);
    return *(const int *)a - *(const int *)b;
}

/* The C library calls the program back. */
static ALONE void sort_slowly(void)
{
    int numbers[] = {3, 1, 2};
    qsort(numbers, 3, sizeof numbers[0], compare);
    result += (uint64_t)numbers[0];
}

static ALONE void answer_message(void)
{
    work_some(end_ns);
    result++;
}

/* The system calls the program back. */
static ALONE void send_message(void)
{
    SendMessageW(own_window, WM_WORK, 0, 0);
    result++;
}

/* Its frame's size is known only when it runs. */
static ALONE void work_in_room(void)
{
    size_t len = (size_t)(result & 1023) + 64;
    volatile char *bytes = __builtin_alloca(len);
    bytes[0] = 1;
    work_some(end_ns);
    result += (uint64_t)bytes[0];
}

static const struct work {
    const char *name;
    void (*run)(void);
} works[] = {{"share_work", share_work},     {"recurse_deeply", recurse_deeply},
             {"sleep_long", sleep_long},     {"sort_slowly", sort_slowly},
             {"send_message", send_message}, {"work_in_room", work_in_room}};

static ALONE void work_outermost(HWND hwnd, uint32_t ms)
{
    const struct work *chosen = &works[ms % 100 < ARRAYSIZE(works) ? ms % 100 : 0];
    struct um_demo_log_event event = {.kind = UM_DEMO_LOG_FREEZE,
                                      .requested_ms = ms,
                                      .retrieved_ns = target_ui.retrieved_ns,
                                      .message = UM_DEMO_UI_SPIN,
                                      .hwnd = (uint64_t)(uintptr_t)hwnd,
                                      .tid = GetCurrentThreadId()};
    snprintf(event.name, sizeof event.name, "%s", chosen->name);
    event.begin_ns = um_clock_now_ns();
    end_ns = event.begin_ns + ms * UM_CLOCK_NS_PER_MS;
    chosen->run();
    event.end_ns = um_clock_now_ns();
    target_ui.away = true;
    um_demo_journal_write(target_ui.journal, &event);
}

static LRESULT CALLBACK window_proc(HWND hwnd, UINT message, WPARAM wparam, LPARAM lparam)
{
    if (message == WM_WORK)
        answer_message();
    else if (message == UM_DEMO_UI_SPIN)
        work_outermost(hwnd, (uint32_t)wparam);
    else
        return target_proc(hwnd, message, wparam, lparam);
    return 0;
}

int main(int argc, char **argv)
{
    static const struct target_window window = {L"UimonCalls", L"calls", 640, 400, window_proc};
    own_window = target_open(argc, argv, &window);
    return target_run();
}
