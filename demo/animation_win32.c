#include "demo/animation_win32.h"

#include <stdlib.h>

#include "demo/play.h"
#include "demo/ui_win32.h"
#include "base/plain/clock.h"

struct animation {
    HWND window;
    HWND painted;
    uint64_t rate; /* a second */
    uint64_t length_ns;
};

static volatile LONG animating;

/* Its times are those since the begin, so that a late one does not move the others. */
static DWORD WINAPI run(void *arg)
{
    struct animation *animation = arg;
    uint64_t begin_ns = um_clock_now_ns();
    uint64_t next_ns = 0;

    for (uint64_t i = 1; next_ns < animation->length_ns; i++) {
        uint64_t passed_ns = um_clock_now_ns() - begin_ns;
        if (passed_ns < next_ns)
            um_clock_sleep_ns(next_ns - passed_ns);
        InvalidateRect(animation->painted, NULL, FALSE);
        next_ns = i * UM_CLOCK_NS_PER_S / animation->rate;
    }
    HWND window = animation->window;
    free(animation);
    InterlockedExchange(&animating, 0);
    PostMessageW(window, UM_DEMO_UI_STILL, 0, 0);
    return 0;
}

bool um_demo_animation_start(HWND window, HWND painted, uint32_t packed)
{
    if (InterlockedExchange(&animating, 1))
        return false;
    struct animation *animation = malloc(sizeof *animation);
    HANDLE thread = NULL;
    if (animation) {
        *animation = (struct animation){.window = window,
                                        .painted = painted,
                                        .rate = um_demo_play_count(packed),
                                        .length_ns = um_demo_play_ms(packed) * UM_CLOCK_NS_PER_MS};
        thread = CreateThread(NULL, 0, run, animation, 0, NULL);
    }
    if (thread) {
        CloseHandle(thread);
        return true;
    }
    free(animation);
    InterlockedExchange(&animating, 0);
    return false;
}
