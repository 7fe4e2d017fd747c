/* The overlay over a target: what is seen, where it is, and that nobody feels it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/e2e/overlay_seen.h"
#include "tests/e2e/piped.h"

#define PLACE "200,100,900,640"

/* Frames of windows are this wide at most; the strip lies within them. */
#define FRAME_PX 8

static bool overlay_exists(void)
{
    return *probe("find", TITLE, NULL) != 0;
}

static bool find_overlay(uint32_t but, struct strip *strip)
{
    return find_titled(TITLE, but, strip);
}

static void wait_overlay(uint32_t but, struct strip *strip)
{
    uint64_t until = unix_now_ms() + LIMIT_MS;
    while (!find_overlay(but, strip))
        cr_assert_lt(unix_now_ms(), until, "no overlay comes");
}

static void wait_no_overlay(void)
{
    uint64_t until = unix_now_ms() + LIMIT_MS;
    while (overlay_exists())
        cr_assert_lt(unix_now_ms(), until, "the overlay stays");
}

static void start_demo(struct target *target)
{
    wait_no_overlay(); /* an earlier test's */
    start_target(target, NULL, "--still", "--pos", PLACE, NULL);
}

/* One that moves its bar, far from where the strip is, and takes keys into its typing area. */
static void start_lively_demo(struct target *target)
{
    wait_no_overlay();
    start_target(target, NULL, "--pos", PLACE, NULL);
}

static bool in_front(const struct target *target)
{
    unsigned pid = 0;
    sscanf(probe("foreground", NULL), "%*s %*s %u", &pid);
    return pid == target->pid;
}

/* Pixels --------------------------------------------------------------------------------------- */

/* The known background: what was typed into the demo. A high strip covers it; no line of the graph
 * lies there, and each row has one colour of it. The caret blinks further to the right. */
enum { TEXT_X = 250, TEXT_WIDTH = 90, TEXT_Y = 440, TEXT_ROWS = 14 };
#define TYPED "mmmmmmmmmmmmmmmm"
#define HIGH "340"
#define TEXT_PIXELS (TEXT_ROWS * TEXT_WIDTH)

/* Whether the text is there, and has not changed for a while. */
static bool is_text_there(uint32_t *pixels)
{
    static uint32_t before[TEXT_PIXELS];
    bool dark = false, bright = false;
    memcpy(before, pixels, sizeof before);
    sleep_ms(200);
    x_pixels(TEXT_X, TEXT_Y, TEXT_WIDTH, TEXT_ROWS, pixels);
    for (int i = 0; i < TEXT_PIXELS; i++) {
        dark = dark || green(pixels[i]) < 128;
        bright = bright || green(pixels[i]) >= 128;
    }
    return dark && bright && memcmp(before, pixels, sizeof before) == 0;
}

/* How much of the brightness beneath is left above: the slope of the line through both, within
 * each row. Units: 0 an opaque cover, 1 nothing is there. */
static double share_that_shines_through(const uint32_t *beneath, const uint32_t *above)
{
    double xy = 0;
    double xx = 0;
    for (int row = 0; row < TEXT_ROWS; row++, beneath += TEXT_WIDTH, above += TEXT_WIDTH) {
        double mean_x = 0, mean_y = 0;
        for (int i = 0; i < TEXT_WIDTH; i++) {
            mean_x += (double)green(beneath[i]) / TEXT_WIDTH;
            mean_y += (double)green(above[i]) / TEXT_WIDTH;
        }
        for (int i = 0; i < TEXT_WIDTH; i++) {
            xy += (green(beneath[i]) - mean_x) * (green(above[i]) - mean_y);
            xx += (green(beneath[i]) - mean_x) * (green(beneath[i]) - mean_x);
        }
    }
    cr_assert_gt(xx, 10000, "the background is too even to see anything through: %.0f", xx);
    return xy / xx;
}

static bool differ_everywhere(const uint32_t *a, const uint32_t *b)
{
    for (int i = 0; i < TEXT_PIXELS; i++)
        if (a[i] == b[i])
            return false;
    return true;
}

static void expect_blend(const struct target *target, const char *opacity, const uint32_t *beneath)
{
    static uint32_t above[TEXT_PIXELS];
    struct monitor monitor;
    struct strip strip;
    double wanted = 1 - atof(opacity);

    start_monitor_overlay(&monitor, target, "--height", HIGH, "--opacity", opacity, NULL);
    wait_overlay(0, &strip);
    WAIT_UNTIL(count_pixels(&strip.box, is_green_column) > 200, "no graph is seen");
    /* It may be beneath the target for a moment, after which it is raised. */
    WAIT_UNTIL(
        (x_pixels(TEXT_X, TEXT_Y, TEXT_WIDTH, TEXT_ROWS, above), differ_everywhere(above, beneath)),
        "nothing lies over some pixel");
    double through = share_that_shines_through(beneath, above);
    cr_expect_lt(fabs(through - wanted), 0.1, "%.2f and not %.2f of what is beneath shines through",
                 through, wanted);
    cJSON_Delete(stop_monitor(&monitor));
    wait_no_overlay();
}

Test(overlay_picture, blends_over_what_is_beneath)
{
    static uint32_t beneath[TEXT_PIXELS], afterwards[TEXT_PIXELS];
    struct um_demo_log_event *inputs;
    struct target target;

    start_lively_demo(&target);
    wait_front(&target);
    x_type(TYPED);
    WAIT_UNTIL(log_events(target.log, UM_DEMO_LOG_INPUT, &inputs) == 3 * strlen(TYPED),
               "keys are missing");
    WAIT_UNTIL(is_text_there(beneath), "what was typed is not seen");
    expect_blend(&target, "0.3", beneath);
    expect_blend(&target, "0.7", beneath);
    WAIT_UNTIL((x_pixels(TEXT_X, TEXT_Y, TEXT_WIDTH, TEXT_ROWS, afterwards),
                memcmp(beneath, afterwards, sizeof beneath) == 0),
               "the overlay leaves traces");
}

/* The newest six seconds of the graph, without its upper part and its floor. */
static struct box newest_of(const struct strip *strip)
{
    return (struct box){strip->box.x + strip->box.width - 590, strip->box.y + 40, 240, 60};
}

Test(overlay, draws_a_freeze_while_it_lasts)
{
    struct target target;
    struct monitor monitor;
    struct strip strip;

    start_demo(&target);
    start_monitor_overlay(&monitor, &target, NULL);
    wait_overlay(0, &strip);
    WAIT_UNTIL(count_pixels(&strip.box, is_green_column) > 200, "no graph is seen");
    struct box plot = newest_of(&strip);
    WAIT_UNTIL(count_pixels(&plot, is_red_column) < 600, "red before there was a freeze");
    hold(&target, "5000");
    WAIT_UNTIL(count_pixels(&plot, is_red_column) > 1000, "the freeze is not drawn");
    cr_expect(!has_line(target.log, "freeze "), "it was drawn after its end");
    cJSON_Delete(stop_monitor(&monitor));
}

/* Nobody feels it ------------------------------------------------------------------------------ */

Test(overlay_picture, lets_clicks_and_keys_through)
{
    struct target target;
    struct monitor monitor;
    struct strip strip;
    struct um_demo_log_event *inputs;
    char x[16], y[16];
    unsigned pid = 0;

    start_lively_demo(&target);
    wait_front(&target);
    start_monitor_overlay(&monitor, &target, NULL);
    wait_overlay(0, &strip);
    cr_expect(in_front(&target), "the overlay took the focus: %s", probe("foreground", NULL));
    /* layered, transparent, not to be activated, a tool window, topmost */
    cr_expect_eq((strip.exstyle & 0x80800a8), 0x80800a8, "the style is 0x%llx", strip.exstyle);

    int at_x = strip.box.x + strip.box.width / 3, at_y = strip.box.y + strip.box.height / 2;
    snprintf(x, sizeof x, "%d", at_x);
    snprintf(y, sizeof y, "%d", at_y);
    sscanf(probe("at", x, y, NULL), "%*s %*s %u", &pid);
    cr_expect_eq(pid, target.pid, "there is %u and not %u", pid, target.pid);
    x_click(at_x, at_y);
    wait_line(target.log, " WM_LBUTTONDOWN UimonDemo");
    wait_line(target.log, " WM_LBUTTONUP UimonDemo");
    x_type("abc");
    cr_expect(in_front(&target), "the click changed the focus: %s", probe("foreground", NULL));
    wait_line(target.log, " WM_CHAR Edit");
    WAIT_UNTIL(log_events(target.log, UM_DEMO_LOG_INPUT, &inputs) >= 11, "keys are missing");
    cJSON_Delete(stop_monitor(&monitor));
}

static bool is_alarm(uint32_t pixel)
{
    return red(pixel) > 140 && green(pixel) > 50 && green(pixel) < 110 && blue(pixel) < 80;
}

/* Of the strip's texts and of a column of rows beside them. Units: px. */
enum { PANEL_PX = 318, ROWS_PX = 236 };

#define ALARM_MS 3000 /* so long the row of a pool stays an alarm when it has recovered */

/* Whether the rows left of the panel have no alarm while the overlay is told what is. It shows none
 * while it has no data either, as when the monitor is held up; then nothing in the panel is green.
 */
static bool is_alarm_over(const struct strip *strip)
{
    const struct box box = {strip->box.x + strip->box.width - PANEL_PX - ROWS_PX, strip->box.y,
                            PANEL_PX + ROWS_PX, strip->box.height};
    static uint32_t pixels[(PANEL_PX + ROWS_PX) * 200];
    size_t alarms = 0, greens = 0;
    cr_assert_leq(box.height, 200);
    x_pixels(box.x, box.y, box.width, box.height, pixels);
    for (int i = 0; i < box.width * box.height; i++) {
        bool in_rows = i % box.width < ROWS_PX;
        alarms += in_rows && is_alarm(pixels[i]);
        greens += !in_rows && is_green_column(pixels[i]);
    }
    return alarms == 0 && greens > 20;
}

/* Nobody listens but the overlay. */
Test(overlay_picture, shows_a_starved_pool)
{
    struct target target;
    struct monitor monitor;
    struct strip strip;
    struct um_demo_log_event *flood;

    start_demo(&target);
    start_monitor_overlay(&monitor, &target, "--show", "threadpool", NULL);
    wait_overlay(0, &strip);
    WAIT_UNTIL(count_pixels(&strip.box, is_green_column) > 200, "no graph is seen");
    struct box rows = {strip.box.x + strip.box.width - PANEL_PX - ROWS_PX, strip.box.y, ROWS_PX,
                       strip.box.height};
    WAIT_UNTIL(is_alarm_over(&strip), "an alarm before there was a flood");
    trigger(&target, "pool:600x1500");
    WAIT_UNTIL(count_pixels(&rows, is_alarm) > 1500, "the starvation is not seen");
    WAIT_UNTIL(is_alarm_over(&strip), "the alarm stays");
    uint64_t gone_ns = machine_now_ns();
    cr_assert_eq(log_events(target.log, UM_DEMO_LOG_POOL, &flood), 1,
                 "the alarm goes in the flood");
    double stayed_ms = ((double)gone_ns - (double)flood->end_ns) / 1e6;
    cr_expect_geq(stayed_ms, ALARM_MS, "the alarm goes after %.0f ms", stayed_ms);
    free(flood);
    cJSON_Delete(stop_monitor(&monitor));
}

#define PROFILE_PX 132 /* by which the strip grows */

static size_t keys_pressed(const struct target *target)
{
    struct um_demo_log_event *inputs;
    size_t pressed = 0;
    size_t count = log_events(target->log, UM_DEMO_LOG_INPUT, &inputs);
    for (size_t i = 0; i < count; i++)
        pressed += strcmp(inputs[i].name, "WM_KEYDOWN") == 0;
    free(inputs);
    return pressed;
}

/* The modifiers reach the target, the last key does not. */
Test(overlay_picture, hides_marks_and_shows_the_profile_at_hotkeys_that_the_target_does_not_get)
{
    struct target target;
    struct monitor monitor;
    struct strip strip;
    char recording[PATH_BYTES], page[PATH_BYTES];
    const char *err;

    start_lively_demo(&target);
    wait_front(&target);
    snprintf(recording, sizeof recording, "%s", test_file("marked.uirec"));
    snprintf(page, sizeof page, "%s", test_file("marked.html"));
    start_monitor_overlay(&monitor, &target, "--record", windows_path(recording), NULL);
    wait_overlay(0, &strip);
    probe("chord", CTRL_ALT_SHIFT "120", NULL);
    WAIT_UNTIL(!find_overlay(0, &strip), "the overlay does not hide");
    cr_expect(overlay_exists(), "it ended");
    probe("chord", CTRL_ALT_SHIFT "121", NULL);
    wait_line(monitor.program.err, "mark 1");
    probe("chord", CTRL_ALT_SHIFT "120", NULL);
    wait_overlay(0, &strip);
    int height = strip.box.height;
    probe("chord", CTRL_ALT_SHIFT "122", NULL);
    WAIT_UNTIL(find_overlay(0, &strip) && strip.box.height > height, "no profile is shown");
    cr_expect_eq(strip.box.height, height + PROFILE_PX, "it is %d px high", strip.box.height);
    probe("chord", CTRL_ALT_SHIFT "122", NULL);
    WAIT_UNTIL(find_overlay(0, &strip) && strip.box.height == height, "the profile stays");
    WAIT_UNTIL(keys_pressed(&target) >= 5 * 3, "modifiers do not come");
    cr_expect_eq(keys_pressed(&target), 5 * 3, "%zu keys", keys_pressed(&target));
    probe("chord", CTRL_ALT_SHIFT "114", NULL); /* F3, which is nobody's */
    WAIT_UNTIL(keys_pressed(&target) >= 5 * 3 + 4, "F3 does not come");
    cr_expect_eq(keys_pressed(&target), 5 * 3 + 4, "%zu keys", keys_pressed(&target));
    cJSON_Delete(stop_monitor(&monitor));
    int code = run(NULL, &err, "uimon", "report", windows_path(recording), "--html",
                   windows_path(page), NULL);
    char *html = read_text(page);
    cr_expect(code == 0 && strstr(html, "\"mark 1\""), "%s", err);
    free(html);
}

/* Starts panes, and a monitor that draws what their layout costs on a sheet over them. The three
 * panes lie within one another, and cost 1, 5 and 20 ms (demo/panes_win32.h). `recording`: a path
 * for Windows, or NULL. */
static void start_with_sheet(struct target *target, struct monitor *monitor, struct strip *strip,
                             struct strip *sheet, const char *recording)
{
    wait_no_overlay();
    start_target(target, "target_odd_win32", "--mode", "panes", NULL);
    wait_front(target);
    start_monitor_overlay(monitor, target, "--layout", recording ? "--record" : NULL, recording,
                          NULL);
    wait_overlay(0, strip);
    /* The first ones may come before the hooks are there. */
    WAIT_UNTIL((trigger(target, "panes:20x20"), find_titled(SHEET_TITLE, 0, sheet)),
               "nothing is drawn on the window");
}

Test(overlay_picture, draws_layout_costs_on_the_parts_and_takes_them_away)
{
    struct target target;
    struct monitor monitor;
    struct strip strip, sheet;
    char x[16], y[16];
    unsigned pid = 0;

    start_with_sheet(&target, &monitor, &strip, &sheet, NULL);
    cr_expect_eq((sheet.exstyle & 0x80800a8), 0x80800a8, "the style is 0x%llx", sheet.exstyle);
    struct box parts = sheet.box;
    parts.height = strip.box.y - sheet.box.y;
    WAIT_UNTIL(count_pixels(&parts, is_red_column) > 10, "the pane of 20 ms has no red meter");
    WAIT_UNTIL(count_pixels(&parts, is_outline) > 1000, "the panes have no outlines");
    wait_line(target.log, "panes ");
    snprintf(x, sizeof x, "%d", parts.x + parts.width / 2);
    snprintf(y, sizeof y, "%d", parts.y + parts.height / 2);
    sscanf(probe("at", x, y, NULL), "%*s %*s %u", &pid);
    cr_expect_eq(pid, target.pid, "there is %u and not %u", pid, target.pid);
    probe("chord", CTRL_ALT_SHIFT "118", NULL); /* heatmap */
    probe("chord", CTRL_ALT_SHIFT "118", NULL); /* inspect */
    probe("chord", CTRL_ALT_SHIFT "118", NULL); /* off */
    WAIT_UNTIL(*probe("find", SHEET_TITLE, NULL) == 0, "the sheet stays");
    WAIT_UNTIL(count_pixels(&parts, is_outline) == 0, "the outlines stay");
    cr_expect(find_overlay(0, &strip), "the graph has gone, too");
    probe("chord", CTRL_ALT_SHIFT "118", NULL); /* on again, without the legend */
    WAIT_UNTIL((trigger(&target, "panes:5x20"), count_pixels(&parts, is_outline) > 1000),
               "the panes have no outlines any more");
    cJSON *summary = stop_monitor(&monitor);
    cr_expect_geq(cJSON_GetArraySize(cJSON_GetObjectItem(summary, "layout")), 3);
    cJSON_Delete(summary);
    WAIT_UNTIL(*probe("find", SHEET_TITLE, NULL) == 0, "the sheet outlives its monitor");
}

/* One of two uimons gets the keys. */
Test(overlay_picture, says_which_hotkey_is_taken)
{
    struct target targets[2];
    struct monitor monitors[2];

    for (int i = 0; i < 2; i++) {
        start_target(&targets[i], NULL, "--still", NULL);
        start_monitor_overlay(&monitors[i], &targets[i], NULL);
    }
    wait_line(monitors[1].program.err, "another program has Ctrl+Alt+Shift+F9");
    cr_expect(!has_line(monitors[0].program.err, "another program has"));
    wait_measured(&monitors[0]);
    wait_measured(&monitors[1]);
    cJSON_Delete(stop_monitor(&monitors[1]));
    cJSON_Delete(stop_monitor(&monitors[0]));
}

/* Following ------------------------------------------------------------------------------------ */

/* A line of `probe track`. */
struct sight {
    uint64_t ns;
    char state[16];
    struct box box;
};

/* The last line about a window; false if there is none. */
static bool last_sight(const char *path, const char *hwnd, struct sight *sight)
{
    char *text = read_text(path);
    bool found = false;
    for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
        char name[32];
        struct sight now;
        unsigned long long ns;
        *end = 0;
        if (sscanf(line, "%llu %31s %15s %d %d %d %d", &ns, name, now.state, &now.box.x, &now.box.y,
                   &now.box.width, &now.box.height) != 7 ||
            strcmp(name, hwnd) != 0)
            continue;
        now.ns = ns;
        *sight = now;
        found = true;
    }
    free(text);
    return found;
}

struct tracker {
    struct program program;
    int width, height; /* of the display */
    char target_hwnd[32];
    char strip_hwnd[32];
    struct sight before;
};

static bool is_near(int inner, int outer)
{
    return inner >= outer && inner <= outer + FRAME_PX;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

/* Whether the strip is where it should be for this sight of the target: at the bottom of the part
 * that is on the display. */
static bool fits(const struct tracker *tracker, const struct sight *target,
                 const struct sight *strip)
{
    const struct box *window = &target->box, *at = &strip->box;
    if (strcmp(target->state, "shown") != 0)
        return strcmp(strip->state, "shown") != 0;
    return strcmp(strip->state, "shown") == 0 && is_near(at->x, larger(window->x, 0)) &&
           is_near(-at->x - at->width, larger(-window->x - window->width, -tracker->width)) &&
           is_near(-at->y - at->height, larger(-window->y - window->height, -tracker->height));
}

static void start_tracker(struct tracker *tracker, const struct target *target,
                          const struct strip *strip)
{
    cr_assert_eq(sscanf(probe("display", NULL), "%d %d", &tracker->width, &tracker->height), 2);
    snprintf(tracker->target_hwnd, sizeof tracker->target_hwnd, "%s", hwnd_text(target->hwnd));
    snprintf(tracker->strip_hwnd, sizeof tracker->strip_hwnd, "%s", strip->hwnd);
    start(&tracker->program, "probe_win32", "track", "600", tracker->target_hwnd,
          tracker->strip_hwnd, NULL);
    wait_line(tracker->program.out, tracker->strip_hwnd);
    last_sight(tracker->program.out, tracker->target_hwnd, &tracker->before);
}

/* Waits until the target has become `state` (and differs from what it was before), and the strip
 * has come after it. Wine's window manager may size a window again by itself: on a busy machine one
 * that is restored has the size of a maximised one for half a second. That is followed, too. */
static void expect_followed(struct tracker *tracker, const char *state, const char *what)
{
    struct sight target, strip;
    uint64_t before_ns = tracker->before.ns;
    do {
        WAIT_UNTIL(last_sight(tracker->program.out, tracker->target_hwnd, &target) &&
                       target.ns != before_ns && strcmp(target.state, state) == 0 &&
                       last_sight(tracker->program.out, tracker->strip_hwnd, &strip) &&
                       fits(tracker, &target, &strip),
                   "%s is not followed: the target is %s, the strip %s at %d %d %d %d", what,
                   target.state, strip.state, strip.box.x, strip.box.y, strip.box.width,
                   strip.box.height);
        sleep_ms(500); /* at rest again, where it looks less often */
        last_sight(tracker->program.out, tracker->strip_hwnd, &strip);
        last_sight(tracker->program.out, tracker->target_hwnd, &tracker->before);
    } while (tracker->before.ns != target.ns);
    cr_expect(fits(tracker, &tracker->before, &strip), "%s: it does not stay", what);
}

Test(overlay, follows_its_target)
{
    struct target target;
    struct monitor monitor;
    struct strip strip;
    struct tracker tracker;

    start_demo(&target);
    start_monitor_overlay(&monitor, &target, NULL);
    wait_overlay(0, &strip);
    start_tracker(&tracker, &target, &strip);
    const char *hwnd = tracker.target_hwnd;
    probe("move", hwnd, "420", "260", "900", "640", NULL);
    expect_followed(&tracker, "shown", "a move");
    probe("move", hwnd, "420", "260", "1100", "560", NULL);
    expect_followed(&tracker, "shown", "a larger size");
    probe("move", hwnd, "300", "200", "700", "600", NULL);
    expect_followed(&tracker, "shown", "a smaller size");
    probe("move", hwnd, "1200", "260", "900", "640", NULL);
    expect_followed(&tracker, "shown", "a move partly off the display");
    probe("move", hwnd, "300", "200", "700", "600", NULL);
    expect_followed(&tracker, "shown", "a move back");
    probe("minimize", hwnd, NULL);
    expect_followed(&tracker, "minimized", "minimising");
    probe("restore", hwnd, NULL);
    expect_followed(&tracker, "shown", "restoring");
    probe("maximize", hwnd, NULL);
    expect_followed(&tracker, "shown", "maximising");
    probe("restore", hwnd, NULL);
    expect_followed(&tracker, "shown", "restoring from maximised");
    probe("close", hwnd, NULL);
    expect_followed(&tracker, "gone", "closing");
    cJSON_Delete(finish_monitor(&monitor));
    wait_no_overlay();
}

static bool is_shown(const struct strip *strip)
{
    struct strip now;
    return find_overlay(0, &now) && now.pid == strip->pid;
}

/* Where a program's first window is. */
static bool is_at(const struct target *target, int x, int y)
{
    int now_x, now_y;
    const char *line =
        strstr(probe("windows", decimal(target->pid), NULL), hwnd_text(target->hwnd));
    return line && sscanf(line, "%*s %*s %*s %*s %*s %d %d", &now_x, &now_y) == 2 && now_x == x &&
           now_y == y;
}

Test(overlay_picture, hides_under_another_program)
{
    struct target target, other;
    struct monitor monitor;
    struct strip strip;
    char hwnd[32];

    start_demo(&target);
    start_monitor_overlay(&monitor, &target, NULL);
    wait_overlay(0, &strip);
    start_target(&other, NULL, "--still", "--title", "in the way", "--pos", "400,500,500,400",
                 NULL);
    wait_front(&other); /* an active target counts as above all others */
    WAIT_UNTIL(!is_shown(&strip), "it stays over another program's window");
    snprintf(hwnd, sizeof hwnd, "%s", hwnd_text(other.hwnd));
    probe("alpha", hwnd, "0", NULL);
    WAIT_UNTIL(is_shown(&strip), "it hides under a window that is wholly transparent");
    probe("alpha", hwnd, "255", NULL);
    WAIT_UNTIL(!is_shown(&strip), "it stays over a window that is opaque again");
    probe("region", hwnd, "empty", NULL);
    WAIT_UNTIL(is_shown(&strip), "it hides under a window of which there is no part");
    probe("region", hwnd, "all", NULL);
    WAIT_UNTIL(!is_shown(&strip), "it stays over a window that is whole again");
    probe("move", hwnd, "1200", "500", "500", "400", NULL);
    WAIT_UNTIL(is_shown(&strip), "it does not come back when the other has left");
    probe("move", hwnd, "400", "150", "500", "300", NULL); /* over the target, not the strip */
    WAIT_UNTIL(is_at(&other, 400, 150), "the other does not move");
    sleep_ms(500);
    cr_expect(is_shown(&strip), "it hides from a window that does not touch it");
    probe("move", hwnd, "400", "500", "500", "400", NULL);
    WAIT_UNTIL(!is_shown(&strip), "it stays over a window that has come back");
    x_click(650, 112); /* the target's title bar: the target comes to the front */
    WAIT_UNTIL(is_shown(&strip), "it does not come to the front with its target");
    cJSON_Delete(stop_monitor(&monitor));
}

static const enum cover seen_covers[] = {COVER_PLAIN, COVER_SOLID, COVER_OTHER_KEY};
static const enum cover unseen_covers[] = {COVER_CLEAR, COVER_ALPHA_0,      COVER_FRAME,
                                           COVER_NEVER, COVER_ALPHA_1,      COVER_KEY,
                                           COVER_SMALL, COVER_FRAME_REGION, COVER_ROUND};

/* Each that cannot be seen follows one that can. The first of UpdateLayeredWindow, which is clear,
 * becomes solid while the strip lies over it. */
Test(overlay_picture, hides_under_windows_that_can_be_seen_alone)
{
    struct target target;
    struct monitor monitor;
    struct strip strip;
    struct coverer coverer;
    const struct box screen = {0, 0, 1280, 1000};

    start_demo(&target);
    start_monitor_overlay(&monitor, &target, NULL);
    wait_overlay(0, &strip);
    start_coverer(&coverer, &screen);
    for (size_t i = 0; i < sizeof unseen_covers / sizeof unseen_covers[0]; i++) {
        enum cover seen = seen_covers[i % (sizeof seen_covers / sizeof seen_covers[0])];
        show_cover(&coverer, seen);
        WAIT_UNTIL(!is_shown(&strip), "it stays over window %d", (int)seen);
        show_cover(&coverer, unseen_covers[i]);
        WAIT_UNTIL(is_shown(&strip), "it hides under window %d", (int)unseen_covers[i]);
    }
    cJSON_Delete(stop_monitor(&monitor));
}

/* Moves the target, and waits until the strip is shown at the new place. */
static void expect_shown_after_move(struct tracker *tracker, const char *x, const char *y)
{
    struct sight target = {0}, strip = {0};
    probe("move", tracker->target_hwnd, x, y, "900", "640", NULL);
    WAIT_UNTIL(last_sight(tracker->program.out, tracker->target_hwnd, &target) &&
                   target.box.x == atoi(x) && target.box.y == atoi(y) &&
                   last_sight(tracker->program.out, tracker->strip_hwnd, &strip) &&
                   strcmp(strip.state, "shown") == 0 && fits(tracker, &target, &strip),
               "the target is at %d %d, and the strip %s at %d %d", target.box.x, target.box.y,
               strip.state, strip.box.x, strip.box.y);
}

/* What is active is below the target: the desktop always is, and other windows are below one that
 * is always on top. */
Test(overlay_picture, stays_while_what_is_below_its_target_is_active)
{
    struct target target, desktop, other;
    struct monitor monitor;
    struct strip strip;
    struct tracker tracker;

    start_demo(&target);
    start_monitor_overlay(&monitor, &target, NULL);
    wait_overlay(0, &strip);
    start_tracker(&tracker, &target, &strip);
    start_target(&desktop, "target_odd_win32", "--mode", "quiet", "--class", "Progman", "--title",
                 "desktop", "--pos", "0,0,1280,1000", NULL);
    wait_front(&desktop);
    probe("order", hwnd_text(desktop.hwnd), "bottom", NULL);
    expect_shown_after_move(&tracker, "210", "110");
    start_target(&other, NULL, "--still", "--title", "beneath", "--pos", "0,0,1280,1000", NULL);
    wait_front(&other);
    WAIT_UNTIL(!is_shown(&strip), "it stays over the window of another program");
    probe("order", tracker.target_hwnd, "topmost", NULL);
    expect_shown_after_move(&tracker, "220", "120");
    cr_expect(in_front(&other));
    cJSON_Delete(stop_monitor(&monitor));
}

Test(overlay_picture, is_above_its_target_again_when_that_was_raised)
{
    struct target target;
    struct monitor monitor;
    struct strip strip;
    char hwnd[32];

    start_demo(&target);
    start_monitor_overlay(&monitor, &target, NULL);
    wait_overlay(0, &strip);
    snprintf(hwnd, sizeof hwnd, "%s", hwnd_text(target.hwnd));
    probe("order", hwnd, "topmost", NULL);
    WAIT_UNTIL(probe_number("above", strip.hwnd, hwnd, NULL) == 1,
               "it is below its target, which is always on top now");
    probe("order", hwnd, "top", NULL);
    WAIT_UNTIL(probe_number("above", strip.hwnd, hwnd, NULL) == 1,
               "it is below its target, which was raised");
    cr_expect(is_shown(&strip));
    cJSON_Delete(stop_monitor(&monitor));
}

/* The same of the sheet with the layout costs, over which the strip lies. */
Test(overlay_picture, layout_costs_are_above_their_target_again_when_that_was_raised)
{
    struct target target;
    struct monitor monitor;
    struct strip strip, sheet;
    char hwnd[32];

    start_with_sheet(&target, &monitor, &strip, &sheet, NULL);
    snprintf(hwnd, sizeof hwnd, "%s", hwnd_text(target.hwnd));
    probe("order", hwnd, "topmost", NULL);
    WAIT_UNTIL(probe_number("above", sheet.hwnd, hwnd, NULL) == 1 &&
                   probe_number("above", strip.hwnd, sheet.hwnd, NULL) == 1,
               "it is below its target, which is always on top now");
    cJSON_Delete(stop_monitor(&monitor));
}

/* Whether components are shown that were measured. The legend has but a little outline; it has red,
 * too. */
static bool has_outlines(const struct strip *sheet)
{
    return count_pixels(&sheet->box, is_outline) > 1000;
}

/* It has two bars in place of six seconds, which may be over at the recording's end. */
static void start_replay_of_layout(struct piped *replay, const char *recording)
{
    const char *const args[] = {"replay", recording, "--config=", "--layout-meter", "bars", NULL};
    start_piped(replay, "seek 999999\n", dist_file("uimon.exe"), args);
}

Test(overlay_picture, a_replay_shows_layout_costs_on_a_sketch_of_the_window)
{
    struct target target;
    struct monitor monitor;
    struct strip strip, sheet;
    struct piped replay;
    char recording[PATH_BYTES];

    snprintf(recording, sizeof recording, "%s", windows_path(test_file("panes.uirec")));
    start_with_sheet(&target, &monitor, &strip, &sheet, recording);
    WAIT_UNTIL((trigger(&target, "panes:5x20"), has_outlines(&sheet)), "the panes cost nothing");
    cJSON_Delete(stop_monitor(&monitor));
    WAIT_UNTIL(*probe("find", SHEET_TITLE, NULL) == 0, "the sheet outlives its monitor");
    start_replay_of_layout(&replay, recording);
    WAIT_UNTIL(find_titled(SHEET_TITLE, 0, &sheet), "there is no sketch");
    cr_expect_eq((sheet.exstyle & 0x80800a8), 0x80800a8, "the style is 0x%llx", sheet.exstyle);
    WAIT_UNTIL(has_outlines(&sheet), "the panes have no outlines");
    write_piped(&replay, "seek 0\n");
    WAIT_UNTIL(!has_outlines(&sheet), "it shows what comes later");
    write_piped(&replay, "seek 999999\n");
    WAIT_UNTIL(has_outlines(&sheet), "it does not show what led to there");
    probe("chord", CTRL_ALT_SHIFT "118", NULL); /* heatmap, without the legend */
    WAIT_UNTIL(count_pixels(&sheet.box, is_red_column) > 10, "the pane of 20 ms has no red bar");
    probe("chord", CTRL_ALT_SHIFT "118", NULL); /* inspect */
    probe("chord", CTRL_ALT_SHIFT "118", NULL); /* off */
    WAIT_UNTIL(*probe("find", SHEET_TITLE, NULL) == 0, "the sketch stays");
    cr_expect(find_overlay(0, &strip), "the graph has gone, too");
    write_piped(&replay, "q");
    cr_expect_eq(wait_end(&replay.program, LIMIT_MS), 0);
    close_piped(&replay);
}

/* The window that the target owns, as `probe windows` tells it; false: there is none yet. */
static bool find_dialog(const struct target *target, char hwnd[32])
{
    char owner[32];
    unsigned long long wanted = strtoull(hwnd_text(target->hwnd), NULL, 16);
    const char *line = probe("windows", decimal(target->pid), NULL);
    while (line && *line) {
        int visible = 0;
        if (sscanf(line, "%31s %*s %*s %d %31s", hwnd, &visible, owner) == 3 && visible &&
            strtoull(owner, NULL, 16) == wanted)
            return true;
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
    return false;
}

Test(overlay_picture, hides_under_a_dialog_and_not_under_what_touches_a_corner)
{
    struct target target, other;
    struct monitor monitor;
    struct strip strip;
    struct tracker tracker;
    char dialog[32], widget[32];

    start_demo(&target);
    start_monitor_overlay(&monitor, &target, "--look", "strip", NULL);
    wait_overlay(0, &strip);
    start_tracker(&tracker, &target, &strip);
    trigger(&target, "modal:60000");
    WAIT_UNTIL(find_dialog(&target, dialog), "no dialog comes");
    probe("move", dialog, "400", "560", "400", "200", NULL);
    WAIT_UNTIL(!is_shown(&strip), "it lies over its target's dialog");
    probe("move", dialog, "400", "200", "400", "200", NULL);
    WAIT_UNTIL(is_shown(&strip), "it hides from a dialog that is elsewhere");
    cr_assert(find_dialog(&target, dialog), "the dialog ended too soon");
    probe("close", dialog, NULL);

    start_target(&other, NULL, "--still", "--title", "widget", "--pos", "1000,200,400,300", NULL);
    snprintf(widget, sizeof widget, "%s", hwnd_text(other.hwnd));
    probe("order", widget, "topmost", NULL);
    probe("move", widget, "1080", "700", "200", "200", NULL);
    WAIT_UNTIL(is_at(&other, 1080, 700), "the widget does not move");
    expect_shown_after_move(&tracker, "205", "105");
    probe("move", widget, "500", "700", "500", "200", NULL);
    WAIT_UNTIL(!is_shown(&strip), "it lies over another program's window");
    cJSON_Delete(stop_monitor(&monitor));
}

/* Lives ---------------------------------------------------------------------------------------- */

Test(overlay, stays_while_the_target_hangs)
{
    struct target target;
    struct monitor monitor;
    struct program feed;
    struct strip strip;
    struct tracker tracker;
    struct sight seen;

    start_demo(&target);
    start_monitor_overlay(&monitor, &target, NULL);
    wait_overlay(0, &strip);
    tail_feed(&feed, &monitor);
    start_tracker(&tracker, &target, &strip);
    last_sight(tracker.program.out, tracker.strip_hwnd, &tracker.before);
    hold(&target, "5000");
    WAIT_UNTIL(probe_number("hung", hwnd_text(target.hwnd), NULL) == 1,
               "the system does not find it hung");
    struct box plot = newest_of(&strip);
    WAIT_UNTIL(count_pixels(&plot, is_red_column) > 5000, "the freeze is not drawn");
    cr_expect(!has_line(target.log, "freeze "), "it was drawn after its end");
    last_sight(tracker.program.out, tracker.strip_hwnd, &seen);
    cr_expect_eq(seen.ns, tracker.before.ns, "it became %s while the target hung", seen.state);
    let_go(&target);
    struct um_demo_log_event *truth = wait_freezes(&target, 1);
    wait_told(&feed, truth);
    cJSON *summary = stop_monitor(&monitor);
    check_freeze(summary, &target, truth, "frozen");
    cJSON_Delete(summary);
    free(truth);
}

Test(overlay_picture, comes_back_but_not_for_ever)
{
    struct target target;
    struct monitor monitor;
    struct strip strip = {.pid = 0};

    start_demo(&target);
    start_monitor_overlay(&monitor, &target, NULL);
    for (int life = 0; life < 4; life++) {
        wait_overlay(strip.pid, &strip);
        probe("kill", decimal(strip.pid), NULL);
    }
    wait_line(monitor.program.err, "the overlay ended four times within a minute");
    sleep_ms(1500); /* six times what the monitor waits between two looks */
    cr_expect(!overlay_exists(), "it came a fifth time");
    cr_expect(is_running(&monitor.program), "measuring did not go on");
    cJSON *summary = stop_monitor(&monitor);
    cr_expect_gt(number(summary, "latency_ms.count"), 0);
    cJSON_Delete(summary);
}

/* SDL loads whatever this variable names in place of itself, and ends the program if it cannot.
 * Wine tells all processes to have one integrity level, so what is looked at is the group. */
Test(overlay_picture, has_no_more_rights_than_it_needs)
{
    struct target target;
    struct monitor monitor;
    struct strip strip;

    set_variable("SDL_DYNAMIC_API", "Z:\\nowhere\\other.dll");
    start_demo(&target);
    start_monitor_overlay(&monitor, &target, NULL);
    wait_overlay(0, &strip);
    const char *rights = probe("rights", decimal(strip.pid), NULL);
    cr_expect(strstr(rights, "administrators deny") || strstr(rights, "administrators none"),
              "it is an administrator: %s", rights);
    WAIT_UNTIL(count_pixels(&strip.box, is_green_column) > 200, "it shows nothing of the feed");
    cJSON_Delete(stop_monitor(&monitor));
}

Test(overlay_picture, ends_with_its_monitor)
{
    struct target target;
    struct monitor monitor;
    struct strip strip;

    start_demo(&target);
    start_monitor_overlay(&monitor, &target, NULL);
    wait_overlay(0, &strip);
    cJSON *summary = stop_monitor(&monitor);
    cr_expect(has_number(summary, "cost.overlay_cpu_ms"), "its cost is not told");
    cJSON_Delete(summary);
    wait_no_overlay();
    start_monitor_overlay(&monitor, &target, NULL);
    wait_overlay(0, &strip);
    kill_hard(&monitor.program);
    wait_no_overlay();
}

/* Looks ---------------------------------------------------------------------------------------- */

static struct strip look_with(const struct target *target, const char *option, const char *value,
                              size_t *bright)
{
    struct monitor monitor;
    struct strip strip;
    bool is_look = strcmp(option, "--look") == 0;

    start_monitor_overlay(&monitor, target, option, value, is_look ? NULL : "--look", "strip",
                          NULL);
    wait_overlay(0, &strip);
    WAIT_UNTIL(count_pixels(&strip.box, is_green_column) > 200, "no graph is seen");
    struct box corner = {strip.box.x + 2, strip.box.y + 2, 200, 18};
    *bright = count_pixels(&corner, is_bright);
    cJSON_Delete(stop_monitor(&monitor));
    wait_no_overlay();
    return strip;
}

Test(overlay_picture, looks_as_asked_for)
{
    struct target target;
    size_t bright, bright_with;

    start_demo(&target);
    struct strip strip = look_with(&target, "--position", "bottom", &bright);
    cr_expect(strip.box.height == 120 && is_near(-strip.box.y - 120, -740), "at %d, height %d",
              strip.box.y, strip.box.height);
    cr_expect(is_near(strip.box.x, 200) && is_near(-strip.box.x - strip.box.width, -1100));
    strip = look_with(&target, "--caption", "before the change", &bright_with);
    cr_expect_gt(bright_with, bright + 200, "no caption: %zu bright pixels and %zu", bright_with,
                 bright);
    strip = look_with(&target, "--height", "80", &bright);
    cr_expect_eq(strip.box.height, 80, "the height is %d", strip.box.height);
    strip = look_with(&target, "--scale", "2", &bright);
    cr_expect_eq(strip.box.height, 240, "the height at 200 %% is %d", strip.box.height);
    strip = look_with(&target, "--position", "top", &bright);
    cr_expect(strip.box.height == 120 && strip.box.y >= 100 && strip.box.y <= 140, "at %d",
              strip.box.y);
    strip = look_with(&target, "--look", "bar", &bright);
    cr_expect(strip.box.height == 22 && is_near(-strip.box.y - 22, -740) &&
                  is_near(strip.box.x, 200) && is_near(-strip.box.x - strip.box.width, -1100),
              "the bar is %d high at %d", strip.box.height, strip.box.y);
    strip = look_with(&target, "--look", "compact", &bright);
    cr_expect(strip.box.width == 224 && strip.box.height == 84);
    cr_expect(is_near(-strip.box.x - 224 - 12, -1100) && is_near(-strip.box.y - 84 - 12, -740),
              "the panel is at %d, %d", strip.box.x, strip.box.y);
}

/* In the way ----------------------------------------------------------------------------------- */

/* Sizes at 100 %. */
#define STRIP_PX 120
#define PANEL_WIDTH_PX 224
#define PANEL_PX 84

static bool is_strip(struct strip *strip)
{
    return find_overlay(0, strip) && strip->box.height == STRIP_PX &&
           strip->box.width > 2 * PANEL_WIDTH_PX;
}

static bool is_panel(struct strip *strip)
{
    return find_overlay(0, strip) && strip->box.height == PANEL_PX &&
           strip->box.width == PANEL_WIDTH_PX;
}

static bool overlap(const struct box *a, const struct box *b)
{
    return a->x < b->x + b->width && b->x < a->x + a->width && a->y < b->y + b->height &&
           b->y < a->y + a->height;
}

struct push_button {
    char hwnd[32];
    struct box box;
};

/* Where a window within another one is, by its text, as the system tells it. */
static struct push_button find_button(const char *window, const char *text)
{
    struct push_button found = {.hwnd = ""};
    const char *line = probe("children", window, NULL);

    while (line && *line) {
        struct push_button now;
        char now_text[64];
        if (sscanf(line, "%31s %*s %d %d %d %d %63[^\r\n]", now.hwnd, &now.box.x, &now.box.y,
                   &now.box.width, &now.box.height, now_text) == 6 &&
            strcmp(now_text, text) == 0)
            found = now;
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
    cr_assert(found.hwnd[0], "no button %s", text);
    return found;
}

Test(overlay_picture, is_a_panel_beside_the_buttons_of_a_dialog)
{
    struct target target;
    struct monitor monitor;
    struct strip overlay;

    wait_no_overlay();
    start_target(&target, "target_odd_win32", "--mode", "dialog", "--pos", PLACE, NULL);
    start_monitor_overlay(&monitor, &target, NULL);
    WAIT_UNTIL(is_panel(&overlay), "no panel comes");
    struct push_button open = find_button(hwnd_text(target.hwnd), "Open");
    struct push_button cancel = find_button(hwnd_text(target.hwnd), "Cancel");
    cr_expect(open.box.y > 740 - STRIP_PX && cancel.box.y > 740 - STRIP_PX,
              "a strip would not lie over the buttons at %d and %d", open.box.y, cancel.box.y);
    cr_expect(!overlap(&overlay.box, &open.box) && !overlap(&overlay.box, &cancel.box),
              "the panel at %d %d lies over a button", overlay.box.x, overlay.box.y);
    cr_expect(overlay.box.x >= 200 && overlay.box.x < 300 && overlay.box.y > 740 - STRIP_PX,
              "the panel is at %d %d and not at the lower left", overlay.box.x, overlay.box.y);
    probe("close", open.hwnd, NULL);
    probe("close", cancel.hwnd, NULL);
    WAIT_UNTIL(is_strip(&overlay), "the panel stays after the buttons have gone");
    cJSON_Delete(stop_monitor(&monitor));
}

/* Moves the dialog of the demo so that the upper edge of the strip goes through its buttons. */
static void move_onto_edge(const char *dialog, const struct strip *strip)
{
    struct push_button button = find_button(dialog, "Close");
    struct strip now;
    char y[16];

    cr_assert(find_titled("A modal dialog", 0, &now));
    snprintf(y, sizeof y, "%d", now.box.y + strip->box.y - button.box.y - button.box.height / 2);
    probe("move", dialog, "500", y, decimal((uint32_t)now.box.width),
          decimal((uint32_t)now.box.height), NULL);
}

Test(overlay_picture, is_a_panel_beside_the_buttons_of_its_targets_dialog)
{
    struct target target;
    struct monitor monitor;
    struct strip overlay;
    char dialog[32];

    start_demo(&target);
    start_monitor_overlay(&monitor, &target, NULL);
    WAIT_UNTIL(is_strip(&overlay), "no strip comes");
    trigger(&target, "modal:60000");
    WAIT_UNTIL(find_dialog(&target, dialog), "no dialog comes");
    move_onto_edge(dialog, &overlay);
    WAIT_UNTIL(is_panel(&overlay), "the strip lies over the buttons of a dialog");
    struct push_button button = find_button(dialog, "Close");
    cr_expect(!overlap(&overlay.box, &button.box), "the panel lies over a button");
    probe("close", dialog, NULL);
    WAIT_UNTIL(is_strip(&overlay), "the panel stays after the dialog has gone");
    cJSON_Delete(stop_monitor(&monitor));
}

Test(overlay_picture, is_a_panel_on_a_low_window_and_moves_to_the_top_at_a_hotkey)
{
    struct target target;
    struct monitor monitor;
    struct strip overlay;

    start_demo(&target);
    wait_front(&target);
    start_monitor_overlay(&monitor, &target, NULL);
    WAIT_UNTIL(is_strip(&overlay), "no strip comes");
    probe("move", hwnd_text(target.hwnd), "200", "100", "900", "400", NULL);
    WAIT_UNTIL(is_panel(&overlay), "a strip takes more than a quarter of the window");
    cr_expect(is_near(-overlay.box.x - PANEL_WIDTH_PX - 12, -1100) &&
                  is_near(-overlay.box.y - PANEL_PX - 12, -500),
              "the panel is at %d, %d", overlay.box.x, overlay.box.y);
    probe("chord", CTRL_ALT_SHIFT "116", NULL); /* F5 */
    WAIT_UNTIL(is_panel(&overlay) && overlay.box.y < 100 + STRIP_PX, "it stays at the bottom");
    probe("chord", CTRL_ALT_SHIFT "116", NULL);
    WAIT_UNTIL(is_panel(&overlay) && is_near(-overlay.box.y - PANEL_PX - 12, -500),
               "it stays at the top");
    probe("move", hwnd_text(target.hwnd), "200", "100", "900", "640", NULL);
    WAIT_UNTIL(is_strip(&overlay), "the panel stays on a window that is high again");
    cJSON_Delete(stop_monitor(&monitor));
}
