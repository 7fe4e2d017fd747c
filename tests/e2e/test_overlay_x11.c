/* The native overlay over a window of the test's own, fed by the test: what is seen, where it is,
 * and that nobody feels it. No Windows program runs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <X11/Xatom.h>
#include <X11/Xlib.h>
#include <X11/Xutil.h>
#include <X11/extensions/shape.h>

#include <criterion/criterion.h>

#include "base/plain/clock.h"
#include "monitor/feed/hub.h"
#include "tests/e2e/chord_x11.h"
#include "tests/e2e/harness.h"
#include "tests/feed_script.h"

TestSuite(overlay_x11_picture, .threads = true);

#define MOVES 7

#define BACK 0x0a /* red of the backdrop */
#define WHITE 0xff
#define STRIP_PX 120
#define LOW_STRIP_PX 72
#define PROFILE_PX 132 /* by which the strip grows */

static Display *x;
static Window target;
static struct um_hub *hub;
static struct um_feed_output output;
static struct feed_script script;
static struct program overlay;

/* The feed ------------------------------------------------------------------------------------- */

static void emit(void *context, const struct um_wire_frame *frame)
{
    (void)context;
    um_feed_publish(&output, 1, frame);
}

/* Sends what a monitor would have sent by now. */
static void pump(void)
{
    while (script.now_ns + FEED_STEP_NS < um_clock_now_ns())
        feed_lag(&script, 10, 30);
}

#define PUMP_UNTIL(condition, ...)                                                                 \
    do {                                                                                           \
        pump();                                                                                    \
        WAIT_UNTIL((pump(), (condition)), __VA_ARGS__);                                            \
    } while (0)

static void send_view(bool hidden, uint8_t panel)
{
    struct um_wire_frame frame = {.type = UM_WIRE_VIEW};
    frame.as.view.hidden = hidden;
    frame.as.view.panel = panel;
    emit(NULL, &frame);
}

/* Windows -------------------------------------------------------------------------------------- */

/* A window that has gone in the meantime is none. */
static int ignore(Display *display, XErrorEvent *error)
{
    (void)display, (void)error;
    return 0;
}

/* One that the window manager has shown there. */
static Window make_window(const char *title, struct box box, unsigned long pixel)
{
    XSizeHints hints = {.flags = PPosition | USPosition};
    XWindowAttributes is;
    Window made = XCreateSimpleWindow(x, DefaultRootWindow(x), box.x, box.y, (unsigned)box.width,
                                      (unsigned)box.height, 0, 0, pixel);
    XStoreName(x, made, title);
    XSetWMNormalHints(x, made, &hints);
    XSelectInput(x, made, ButtonPressMask | KeyPressMask | StructureNotifyMask);
    XMapRaised(x, made);
    WAIT_UNTIL(XGetWindowAttributes(x, made, &is) && is.map_state == IsViewable,
               "the window is not shown");
    return made;
}

static struct box box_of(Window window)
{
    XWindowAttributes is = {0};
    struct box box = {0};
    Window child;
    if (XGetWindowAttributes(x, window, &is) &&
        XTranslateCoordinates(x, window, DefaultRootWindow(x), 0, 0, &box.x, &box.y, &child)) {
        box.width = is.width;
        box.height = is.height;
    }
    return box;
}

/* The overlay's window; None if it is not shown. */
static Window find_overlay(struct box *box)
{
    Window root, parent, *children = NULL, found = None;
    unsigned count = 0;

    XQueryTree(x, DefaultRootWindow(x), &root, &parent, &children, &count);
    for (unsigned i = 0; i < count && !found; i++) {
        XClassHint hint = {0};
        XWindowAttributes is;
        if (XGetClassHint(x, children[i], &hint) && strcmp(hint.res_class, "uimon-overlay") == 0 &&
            XGetWindowAttributes(x, children[i], &is) && is.map_state == IsViewable)
            found = children[i];
        XFree(hint.res_name);
        XFree(hint.res_class);
    }
    XFree(children);
    if (found)
        *box = box_of(found);
    return found;
}

static bool is_over_target(int height)
{
    struct box on = box_of(target), box;
    return find_overlay(&box) && box.x == on.x && box.width == on.width && box.height == height &&
           box.y + box.height == on.y + on.height;
}

/* Starting ------------------------------------------------------------------------------------- */

static void open_display(void)
{
    struct box strip;
    x = XOpenDisplay(NULL);
    cr_assert(x != NULL, "no X display");
    XSetErrorHandler(ignore);
    WAIT_UNTIL(!find_overlay(&strip), "an earlier test's overlay stays");
}

static void start_feed(uint64_t window)
{
    char name[UM_TRANSPORT_NAME_BYTES];

    cr_assert_eq(um_hub_open(um_transport_system(), &hub, name), UM_OK);
    output = um_hub_output(hub);
    script.emit = emit;
    feed_begin(&script, um_clock_now_ns() - 5000 * FEED_MS, window, "scripted", "");
    pump();
    set_variable("UM_TEST_FEED", name);
}

/* The overlay with two words of options, or none. */
static void start_overlay(const char *option, const char *value)
{
    const char *argv[] = {
        UM_PROGRAMS "/uimon-overlay", "--feed", getenv("UM_TEST_FEED"), option, value, NULL};
    pid_t parent = getpid();

    snprintf(overlay.err, sizeof overlay.err, "%s", test_file("overlay.err"));
    overlay.process = fork();
    if (overlay.process == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* nothing outlives its test */
        int file = open(overlay.err, O_CREAT | O_TRUNC | O_WRONLY, 0600);
        if (getppid() != parent || file < 0 || dup2(file, STDERR_FILENO) < 0)
            _exit(127);
        execv(argv[0], (char *const *)(uintptr_t)argv);
        _exit(127);
    }
}

static const struct box place = {200, 150, 900, 500};

static void start_with(const char *option, const char *value)
{
    open_display();
    target = make_window("target", place, 0xffffff);
    start_feed(target);
    start_overlay(option, value);
}

static void start_scene(void)
{
    start_with(NULL, NULL);
    PUMP_UNTIL(is_over_target(STRIP_PX), "no overlay comes");
}

/* Pixels --------------------------------------------------------------------------------------- */

static size_t count_red_near(const struct box *box, int red)
{
    size_t total = (size_t)box->width * (size_t)box->height, count = 0;
    uint32_t *pixels = calloc(total, sizeof *pixels);
    cr_assert(pixels != NULL);
    x_pixels(box->x, box->y, box->width, box->height, pixels);
    for (size_t i = 0; i < total; i++)
        count += abs((int)(pixels[i] >> 16 & 0xff) - red) <= 6;
    free(pixels);
    return count;
}

static bool is_green_column(uint32_t pixel)
{
    int red = pixel >> 16 & 0xff, green = pixel >> 8 & 0xff;
    return green > 150 && red < 130 && green > red + 80;
}

/* A part of the graph in which only its backdrop is, also when columns come to be there: between
 * the lines of 50 and of 100 ms. In a low strip those are too close. There it is a part that is
 * older than the feed, between the floor and the line above that; it has no words there. */
static struct box empty_of(const struct box *strip)
{
    int above = strip->height < STRIP_PX ? 12 : 54;
    return (struct box){strip->x + 20, strip->y + strip->height - above, 60, 7};
}

static bool shines_through(double opacity)
{
    struct box strip, empty;
    if (!find_overlay(&strip))
        return false;
    empty = empty_of(&strip);
    size_t all = (size_t)empty.width * (size_t)empty.height;
    return count_red_near(&empty, (int)(BACK * opacity + WHITE * (1 - opacity))) > all * 9 / 10;
}

Test(overlay_x11_picture, blends_over_the_window)
{
    struct box strip;
    start_scene();
    find_overlay(&strip);
    PUMP_UNTIL(count_pixels(&strip, is_green_column) > 200, "no graph is seen");
    PUMP_UNTIL(shines_through(0.7), "not a third of what is beneath shines through");
}

Test(overlay_x11_picture, takes_the_opacity_that_is_asked_for)
{
    start_with("--opacity", "0.3");
    PUMP_UNTIL(shines_through(0.3), "most of what is beneath does not shine through");
}

/* Nobody feels it ------------------------------------------------------------------------------ */

Test(overlay_x11_picture, lets_clicks_and_keys_through)
{
    struct box strip, on;
    XEvent event;
    Window focus;
    int revert;

    start_scene();
    PUMP_UNTIL((XGetInputFocus(x, &focus, &revert), focus == target), "the overlay has the focus");
    Window window = find_overlay(&strip);
    on = box_of(target);
    x_click(strip.x + 300, strip.y + 60);
    PUMP_UNTIL(XCheckTypedWindowEvent(x, target, ButtonPress, &event), "the click does not come");
    cr_expect_eq(event.xbutton.x, strip.x + 300 - on.x);
    cr_expect_eq(event.xbutton.y, strip.y + 60 - on.y);
    x_type("a");
    PUMP_UNTIL(XCheckTypedWindowEvent(x, target, KeyPress, &event), "the key does not come");
    XWindowAttributes is;
    XGetWindowAttributes(x, window, &is);
    cr_expect(is.override_redirect && is.depth == 32);
}

/* Where it is ---------------------------------------------------------------------------------- */

Test(overlay_x11_picture, follows_the_window)
{
    start_scene();
    for (int i = 0; i < MOVES; i++) {
        int before = box_of(target).x;
        XMoveWindow(x, target, 250 + 17 * i, 150 + 11 * i);
        PUMP_UNTIL(box_of(target).x != before && is_over_target(STRIP_PX),
                   "the overlay stays behind");
    }
    XResizeWindow(x, target, 700, 600);
    PUMP_UNTIL(box_of(target).width == 700 && is_over_target(STRIP_PX), "it keeps its size");
}

static bool is_panel_on(int height)
{
    struct box on = box_of(target), box;
    return on.height == height && find_overlay(&box) && box.width == 224 && box.height == 84 &&
           box.x + box.width + 12 == on.x + on.width && box.y + box.height + 12 == on.y + on.height;
}

Test(overlay_x11_picture, is_a_panel_on_a_low_window_and_a_strip_again)
{
    start_scene();
    XResizeWindow(x, target, 700, 400);
    PUMP_UNTIL(is_panel_on(400), "a strip takes more than a quarter of the window");
    XResizeWindow(x, target, 700, 500);
    PUMP_UNTIL(box_of(target).height == 500 && is_over_target(STRIP_PX), "the panel stays");
}

static void go_to_workspace(long number)
{
    XEvent event = {.xclient = {.type = ClientMessage,
                                .window = DefaultRootWindow(x),
                                .message_type = XInternAtom(x, "_NET_CURRENT_DESKTOP", False),
                                .format = 32,
                                .data.l = {number}}};
    XSendEvent(x, DefaultRootWindow(x), False, SubstructureNotifyMask | SubstructureRedirectMask,
               &event);
    XSync(x, False);
}

/* For as long as openbox moves a window that it iconifies down the screen, and longer. */
static bool stays_hidden(void)
{
    struct box strip;
    for (int i = 0; i < 25; i++) {
        sleep_ms(20);
        pump();
        if (find_overlay(&strip))
            return false;
    }
    return true;
}

Test(overlay_x11_picture, hides_with_the_window)
{
    struct box strip;

    start_scene();
    XIconifyWindow(x, target, DefaultScreen(x));
    PUMP_UNTIL(!find_overlay(&strip), "it stays over an iconified window");
    cr_expect(stays_hidden(), "it comes back over an iconified window");
    XMapWindow(x, target);
    PUMP_UNTIL(is_over_target(STRIP_PX), "it does not come back");
    go_to_workspace(1);
    PUMP_UNTIL(!find_overlay(&strip), "it stays on the other workspace");
    go_to_workspace(0);
    PUMP_UNTIL(is_over_target(STRIP_PX), "it does not come back to its workspace");
}

/* The middle of the strip, which the other window covers. */
static bool is_blue_there(void)
{
    return x_pixel(place.x + 200, place.y + place.height - 40) == 0x0000ff;
}

static void activate(Window window)
{
    XEvent event = {.xclient = {.type = ClientMessage,
                                .window = window,
                                .message_type = XInternAtom(x, "_NET_ACTIVE_WINDOW", False),
                                .format = 32,
                                .data.l = {2}}};
    XSendEvent(x, DefaultRootWindow(x), False, SubstructureNotifyMask | SubstructureRedirectMask,
               &event);
    XSync(x, False);
}

Test(overlay_x11_picture, lies_below_what_covers_the_window)
{
    start_scene();
    make_window("other", (struct box){300, 500, 300, 250}, 0x0000ff);
    PUMP_UNTIL(is_blue_there(), "the other window is not seen");
    for (int i = 0; i < 20; i++) {
        sleep_ms(20);
        pump();
        cr_assert(is_blue_there(), "the overlay comes to lie over it");
    }
    activate(target);
    PUMP_UNTIL(!is_blue_there() && shines_through(0.7), "the overlay does not come back");
}

Test(overlay_x11_picture, goes_with_the_window_and_ends_with_the_feed)
{
    struct um_wire_frame end = {.type = UM_WIRE_END};
    struct box strip;

    start_scene();
    XDestroyWindow(x, target);
    XSync(x, False);
    PUMP_UNTIL(!find_overlay(&strip), "it stays");
    cr_expect(is_running(&overlay));
    emit(NULL, &end);
    um_hub_close(hub);
    cr_expect_eq(wait_end(&overlay, LIMIT_MS), 0);
}

Test(overlay_x11_picture, hides_and_shows_the_functions_when_the_feed_says_so)
{
    struct box strip;

    start_scene();
    send_view(true, 0);
    PUMP_UNTIL(!find_overlay(&strip), "it does not hide");
    send_view(false, UM_WIRE_PANEL_PROFILE);
    PUMP_UNTIL(is_over_target(STRIP_PX + PROFILE_PX), "no profile is shown");
}

Test(overlay_x11_picture, is_moved_to_the_upper_edge_and_back_when_the_feed_says_so)
{
    struct um_wire_frame frame = {.type = UM_WIRE_VIEW, .as.view.moved = 1};
    struct box strip;

    start_scene();
    emit(NULL, &frame);
    PUMP_UNTIL(find_overlay(&strip) && strip.y == box_of(target).y && strip.height == STRIP_PX,
               "it stays at the lower edge");
    send_view(false, 0);
    PUMP_UNTIL(is_over_target(STRIP_PX), "it stays at the upper edge");
}

Test(overlay_x11_picture, stands_alone_at_the_lower_edge)
{
    struct box strip;

    open_display();
    start_feed(0);
    start_overlay(NULL, NULL);
    PUMP_UNTIL(find_overlay(&strip), "no overlay comes");
    cr_expect_eq(strip.width, 1200);
    cr_expect_eq(strip.x, (DisplayWidth(x, DefaultScreen(x)) - 1200) / 2);
    cr_expect_eq(strip.y + strip.height, DisplayHeight(x, DefaultScreen(x)));
}

static size_t lines_of(const char *path)
{
    char *text = read_text(path);
    size_t lines = 0;
    for (const char *at = text; *at; at++)
        lines += *at == '\n';
    free(text);
    return lines;
}

/* uimon plays a recording for as long as it has an input. */
static void start_replay(struct program *replay)
{
    int input[2];
    pid_t parent = getpid();

    cr_assert_eq(pipe(input), 0);
    snprintf(replay->err, sizeof replay->err, "%s", test_file("replay.err"));
    replay->process = fork();
    if (replay->process == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM); /* it ends the overlay */
        int file = open(replay->err, O_CREAT | O_TRUNC | O_WRONLY, 0600);
        if (getppid() != parent || file < 0 || dup2(file, STDERR_FILENO) < 0 ||
            dup2(input[0], STDIN_FILENO) < 0 || close(input[1]) != 0)
            _exit(127);
        execl(UM_PROGRAMS "/uimon", "uimon", "replay",
              UM_SOURCE_DIR "/tests/golden/recording_v1.bin", (char *)NULL);
        _exit(127);
    }
    close(input[0]);
}

Test(overlay_x11_picture, is_started_for_a_replay_and_obeys_its_hotkeys)
{
    struct program replay;
    struct box strip;

    open_display();
    start_replay(&replay);
    WAIT_UNTIL(find_overlay(&strip), "no overlay comes");
    cr_expect_eq(strip.height, STRIP_PX);
    chord_press(x, XK_F11);
    WAIT_UNTIL(find_overlay(&strip) && strip.height == STRIP_PX + PROFILE_PX,
               "no profile is shown");
    chord_press(x, XK_F5);
    WAIT_UNTIL(find_overlay(&strip) && strip.y == 0, "it does not move to the upper edge");
    chord_press(x, XK_F9);
    WAIT_UNTIL(!find_overlay(&strip), "it does not hide");
    chord_press(x, XK_F9);
    WAIT_UNTIL(find_overlay(&strip), "it does not come back");
    interrupt(&replay);
    cr_expect_eq(wait_end(&replay, LIMIT_MS), 0);
    WAIT_UNTIL(!find_overlay(&strip), "it outlives the replay");
    cr_expect_eq(lines_of(replay.err), 0);
}

/* Another screen ------------------------------------------------------------------------------- */

static void wait_display(const char *path, char *name, size_t cap_bytes)
{
    WAIT_UNTIL(has_line(path, ""), "Xvfb does not start");
    snprintf(name, cap_bytes, ":%d", atoi(wait_line(path, "")));
}

/* A screen of the test's own, with neither window manager nor compositor. */
static void start_screen(void)
{
    static struct program server;
    char name[16];
    pid_t parent = getpid();

    snprintf(server.out, sizeof server.out, "%s", test_file("display"));
    server.process = fork();
    if (server.process == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        int file = open(server.out, O_CREAT | O_TRUNC | O_WRONLY, 0600);
        int nothing = open("/dev/null", O_WRONLY); /* it tells of each address that is taken */
        if (getppid() != parent || file < 0 || dup2(file, STDOUT_FILENO) < 0 ||
            dup2(nothing, STDERR_FILENO) < 0)
            _exit(127);
        execlp("Xvfb", "Xvfb", "-displayfd", "1", "-noreset", "-screen", "0", "1920x1080x24",
               "-nolisten", "tcp", (char *)NULL);
        _exit(127);
    }
    wait_display(server.out, name, sizeof name);
    set_variable("DISPLAY", name);
}

Test(overlay_x11_picture, is_opaque_and_lower_without_a_compositor_and_says_so_once)
{
    static const char double_dpi[] = "Xft.dpi:\t192\n";

    start_screen();
    start_with("--look", "strip");
    PUMP_UNTIL(is_over_target(LOW_STRIP_PX), "no overlay comes");
    PUMP_UNTIL(shines_through(1), "it is not opaque");
    XChangeProperty(x, DefaultRootWindow(x), XA_RESOURCE_MANAGER, XA_STRING, 8, PropModeReplace,
                    (const unsigned char *)double_dpi, sizeof double_dpi - 1);
    XSync(x, False);
    PUMP_UNTIL(is_over_target(2 * LOW_STRIP_PX), "it is not twice as high at 200 %%");
    cr_expect(has_line(overlay.err, "no compositor runs"));
    cr_expect_eq(lines_of(overlay.err), 1);
}

static void set_desktop(Window window, const char *property, long number)
{
    XChangeProperty(x, window, XInternAtom(x, property, False), XA_CARDINAL, 32, PropModeReplace,
                    (const unsigned char *)&number, 1);
    XSync(x, False);
}

/* As i3 has it when another display has the focus. */
Test(overlay_x11_picture, comes_to_a_window_that_is_seen_on_a_workspace_other_than_the_current_one)
{
    start_screen();
    open_display();
    target = make_window("target", place, 0xffffff);
    set_desktop(target, "_NET_WM_DESKTOP", 0);
    set_desktop(DefaultRootWindow(x), "_NET_CURRENT_DESKTOP", 1);
    start_feed(target);
    start_overlay(NULL, NULL);
    PUMP_UNTIL(is_over_target(LOW_STRIP_PX), "no overlay comes");
    XMoveWindow(x, target, place.x + 50, place.y);
    PUMP_UNTIL(box_of(target).x != place.x && is_over_target(LOW_STRIP_PX), "it stays behind");
}

/* A mapped window of which these parts take clicks, on the current workspace and on another one. */
static void change_workspace(XRectangle *parts, int count)
{
    struct box strip;

    start_screen();
    start_with(NULL, NULL);
    set_desktop(target, "_NET_WM_DESKTOP", 0);
    set_desktop(DefaultRootWindow(x), "_NET_CURRENT_DESKTOP", 0);
    XShapeCombineRectangles(x, target, ShapeInput, 0, 0, parts, count, ShapeSet, Unsorted);
    PUMP_UNTIL(is_over_target(LOW_STRIP_PX), "a window that clicks go through has no overlay");
    set_desktop(DefaultRootWindow(x), "_NET_CURRENT_DESKTOP", 1);
    PUMP_UNTIL(!find_overlay(&strip), "it stays on the other workspace");
    set_desktop(DefaultRootWindow(x), "_NET_CURRENT_DESKTOP", 0);
    PUMP_UNTIL(is_over_target(LOW_STRIP_PX), "it does not come back to its workspace");
}

/* As KWin keeps a window of another workspace, for previews. */
Test(overlay_x11_picture, hides_with_a_window_of_another_workspace_that_takes_no_clicks)
{
    change_workspace(NULL, 0);
}

/* As Enlightenment does. */
Test(overlay_x11_picture, hides_with_one_of_another_workspace_that_takes_clicks_only_outside_it)
{
    XRectangle outside = {-1, -1, 1, 1};
    change_workspace(&outside, 1);
}

Test(overlay_x11_picture, says_that_there_is_no_x_server)
{
    start_feed(1);
    set_variable("DISPLAY", "");
    start_overlay(NULL, NULL);
    cr_expect_eq(wait_end(&overlay, LIMIT_MS), 4);
    cr_expect(has_line(overlay.err, "no window: there is no X server"));
    cr_expect_eq(lines_of(overlay.err), 1);
}
