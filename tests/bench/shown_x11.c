/* How long after its begin a freeze is on the screen: the X server's own pixels, looked at about
 * 500 times a second, against the target's clock.
 *
 * At rest the strip has an upright line in the colour of "responsive" at the edge of its text,
 * which turns red when the state does. Where it is, is found by looking for it, so that this knows
 * nothing of the strip's layout. The two clocks (the X client's and the Windows programs') are
 * compared in the same run by asking the target for its time. */
#include "tests/bench/measures.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include <X11/Xlib.h>
#include <X11/Xutil.h>

#include "base/plain/clock.h"
#include "tests/bench/driver.h"

#define FREEZES 16
#define FREEZE_MS 400
#define THRESHOLD_MS 100
#define HEARTBEAT_MS 10
#define FRAME_MS (1000.0 / 60)
#define RESPONSIVE_RGB 0x3ddc84
#define LINE_PX 60
#define LOOK_NS (2 * UM_CLOCK_NS_PER_MS)
#define CLOCK_ASKS 20

struct spot {
    int x;
    int y;
};

static Display *display;

static XImage *look(int x, int y, unsigned width, unsigned height)
{
    XImage *image =
        XGetImage(display, DefaultRootWindow(display), x, y, width, height, AllPlanes, ZPixmap);
    if (!image)
        driver_fail("the X server shows nothing at %d,%d", x, y);
    return image;
}

/* A spot in the middle of an upright line of that colour. */
static bool find_line(struct spot *spot)
{
    int screen = DefaultScreen(display);
    int width = DisplayWidth(display, screen);
    int height = DisplayHeight(display, screen);
    XImage *image = look(0, 0, (unsigned)width, (unsigned)height);
    bool found = false;

    for (int x = 0; x < width && !found; x++) {
        int run = 0;
        for (int y = 0; y < height && !found; y++) {
            run = (XGetPixel(image, x, y) & 0xffffff) == RESPONSIVE_RGB ? run + 1 : 0;
            if (run == LINE_PX) {
                *spot = (struct spot){x, y - LINE_PX / 2};
                found = true;
            }
        }
    }
    XDestroyImage(image);
    return found;
}

static struct spot wait_for_line(void)
{
    struct spot spot;
    uint64_t until_ns = um_clock_now_ns() + DRIVER_LIMIT_MS * UM_CLOCK_NS_PER_MS;

    while (!find_line(&spot)) {
        if (um_clock_now_ns() > until_ns)
            driver_fail("no strip came on the screen");
        driver_sleep_ms(100);
    }
    return spot;
}

static bool is_red(struct spot spot)
{
    XImage *image = look(spot.x, spot.y, 1, 1);
    unsigned long pixel = XGetPixel(image, 0, 0);
    XDestroyImage(image);
    return (pixel >> 16 & 0xff) > 200 && (pixel >> 8 & 0xff) < 120;
}

/* How far the target's clock is ahead of ours; the answer that took least time is the best one. */
static double clock_offset_ns(struct program *target, double *trip_ns)
{
    double offset_ns = 0;

    *trip_ns = INFINITY;
    for (int i = 0; i < CLOCK_ASKS; i++) {
        uint64_t theirs_ns;
        uint64_t asked_ns = um_clock_now_ns();
        driver_say(target, "clock");
        if (sscanf(driver_hear(target), "%" SCNu64, &theirs_ns) != 1)
            driver_fail("the target did not tell its time");
        double trip = (double)(um_clock_now_ns() - asked_ns);
        if (trip >= *trip_ns)
            continue;
        *trip_ns = trip;
        offset_ns = (double)theirs_ns - (double)asked_ns - trip / 2;
    }
    return offset_ns;
}

/* One freeze; adds how long after its begin it was seen. */
static void watch_freeze(struct program *target, struct spot spot, double offset_ns,
                         struct series *shown_ms)
{
    uint64_t retrieved_ns;
    uint64_t seen_ns = 0;
    uint64_t until_ns = um_clock_now_ns() + 2 * FREEZE_MS * UM_CLOCK_NS_PER_MS;

    if (is_red(spot))
        driver_fail("the strip says frozen before there is a freeze");
    driver_say(target, "freeze %d 0", FREEZE_MS);
    while (!seen_ns && um_clock_now_ns() < until_ns)
        if (is_red(spot))
            seen_ns = um_clock_now_ns();
        else
            um_clock_sleep_ns(LOOK_NS);
    if (sscanf(driver_hear(target), "%" SCNu64, &retrieved_ns) != 1)
        driver_fail("the target did not say when it froze");
    if (!seen_ns)
        driver_fail("a freeze of %d ms was not shown", FREEZE_MS);
    series_add(shown_ms, ((double)seen_ns + offset_ns - (double)retrieved_ns) / 1e6);
}

void measure_shown(void)
{
    static struct series shown_ms;
    struct program target;
    struct monitor monitor;
    uint32_t pid = 0;
    double offset_ns = 0;
    double trip_ns = 0;

    display = XOpenDisplay(NULL);
    if (!display)
        driver_fail("no X display");
    pid = driver_start_target(&target);
    driver_watch(&monitor, pid, "--idle-pause", "0", NULL);
    struct spot spot = wait_for_line();
    driver_sleep_ms(1000);
    for (unsigned i = 0; i < FREEZES; i++) {
        offset_ns = clock_offset_ns(&target, &trip_ns); /* the clocks drift apart */
        watch_freeze(&target, spot, offset_ns, &shown_ms);
        driver_sleep_ms(300 + i * 17 % 10); /* another phase of the heartbeat each time */
    }
    cJSON_Delete(driver_finish(&monitor, true));

    struct row row =
        row_of_series("freeze_shown", "freeze shown on screen after it began", "ms", &shown_ms);
    row_budget(&row, ROW_AT_MOST, THRESHOLD_MS + HEARTBEAT_MS + FRAME_MS, NAN,
               "<= 127 ms (100 + 10 + 1/60 s)");
    row_note(&row, "clocks differ by %.3f ms, known to %.3f ms", offset_ns / 1e6, trip_ns / 2e6);
    driver_row(&row);
}
