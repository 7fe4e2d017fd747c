/* A program that gets much input and does not freeze: keys from the X server with a mouse of 1 kHz
 * elsewhere, and then with the X server's mouse over the window. Not all at once: under Wine
 * GetMessage does not return before its driver has taken all X events of a storm over a window. */
#include "tests/bench/measures.h"

#include <math.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <X11/Xlib.h>
#include <X11/extensions/XTest.h>

#include "base/plain/clock.h"
#include "tests/bench/driver.h"
#include "tests/bench/freezes.h"

#define WATCHED_S "9"
#define WATCHED_MS 9000
#define STORM_S "4"
#define STORM_MS 4000
#define LEAST_MOVES 2000
#define LATENCIES 708 /* in these 9 s */
#define LEAST_KEYS 59
#define TURN_MS 10

/* Every tenth turn has a key. */
static void turn(Display *display, unsigned number, bool moves)
{
    KeyCode key = XKeysymToKeycode(display, XStringToKeysym("e"));
    if (moves)
        XTestFakeMotionEvent(display, -1, 200 + (int)(number % 500), 200 + (int)(number % 250),
                             CurrentTime);
    if (number % 10 == 0) {
        XTestFakeKeyEvent(display, key, True, CurrentTime);
        XTestFakeKeyEvent(display, key, False, CurrentTime);
    }
    XSync(display, False);
    driver_sleep_ms(TURN_MS);
}

static void turns(Display *display, uint64_t until_ns, bool moves)
{
    for (unsigned i = 0; um_clock_now_ns() < until_ns; i++)
        turn(display, i, moves);
}

static void report(const cJSON *summary, const struct target *target, size_t keys)
{
    struct row row = row_of_number("typing_freezes", "mouse and typing: freezes in 9 s", "",
                                   freezes_others(summary, target), (unsigned)keys);
    row_budget(&row, ROW_AT_MOST, 0, NAN, "none");
    driver_row(&row);
    row = row_of_number("typing_latencies", "  latencies that were measured", "",
                        driver_number(summary, "latency_ms.count"), (unsigned)keys);
    row_budget(&row, ROW_AT_LEAST, LATENCIES, NAN, ">= 708");
    driver_row(&row);
}

void measure_typing(void)
{
    struct target target;
    struct monitor monitor;
    struct program storm;
    struct um_demo_log_event *inputs;
    Display *display = XOpenDisplay(NULL);

    if (!display)
        driver_fail("no X display");
    driver_start_logged(&target, "uimon-demo", "--pos", "60,60,900,560", NULL);
    driver_wait_front(&target);
    driver_output("probe_win32", "cursor", "1900", "1060", NULL);
    driver_watch(&monitor, target.pid, "--headless", "--duration", WATCHED_S, NULL);
    uint64_t now_ns = um_clock_now_ns();
    driver_start(&storm, false, "probe_win32", "mouse-storm", STORM_S, "1000", NULL);
    turns(display, now_ns + STORM_MS * UM_CLOCK_NS_PER_MS, false);
    driver_wait_end(&storm, DRIVER_LIMIT_MS);
    turns(display, now_ns + WATCHED_MS * UM_CLOCK_NS_PER_MS, true);
    cJSON *summary = driver_finish(&monitor, false);
    char *moves = driver_read(storm.out);
    if (atoi(moves) <= LEAST_MOVES)
        driver_fail("the storm had only %d moves", atoi(moves));
    free(moves);
    size_t keys = driver_events(target.log, UM_DEMO_LOG_INPUT, LEAST_KEYS, &inputs);
    free(inputs);
    report(summary, &target, keys);
    cJSON_Delete(summary);
    driver_kill(&target.program);
    XCloseDisplay(display);
}
