/* Programs of X11, watched by their windows' pings. Without Wine: `./run test x11`. */
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <X11/Xatom.h>
#include <X11/Xlib.h>
#include <X11/Xutil.h>

#include <criterion/criterion.h>

#include "tests/e2e/harness.h"

TestSuite(x11, .fini = conclude);

#define ACCURACY_MS 2.0
#define BEAT_MS 10.0

static double length_ms(const struct um_demo_log_event *truth)
{
    return (double)(truth->end_ns - truth->begin_ns) / 1e6;
}

/* The process of that name in `uimon list`; 0: it has no window yet. */
static uint32_t listed(const char *name)
{
    const char *out, *err;
    uint32_t pid = 0;
    cr_assert_eq(run(&out, &err, "uimon", "list", NULL), 0, "%s", err);
    const char *line = strstr(out, name);
    while (line && line > out && line[-1] != '\n')
        line--;
    if (line)
        sscanf(line, "%u", &pid);
    return pid;
}

/* A program without the demo's log, once it has its window. */
static void start_program(struct target *target, const char *program)
{
    start(&target->program, program, NULL);
    WAIT_UNTIL((target->pid = listed(program)) != 0, "%s is not in the list", program);
    target->log[0] = '\0';
}

/* Begin and length lie within what the summary says of its own doubt. */
static void check_exact(const cJSON *summary, const struct target *target,
                        const struct um_demo_log_event *truth, double ends[], size_t *end_count)
{
    const cJSON *freeze = find_freeze(summary, truth);
    double sure_ms = length_ms(truth) - number(summary, "freezes.threshold_ms") - 2 * BEAT_MS;
    if (!freeze) { /* near the threshold, which counts what is certain, either is right */
        double held_ms = (double)stalled_ns(target->log, truth->begin_ns, truth->end_ns) / 1e6;
        cr_expect(sure_ms <= 0 || is_within(sure_ms, 0, held_ms), "a freeze of %.1f ms is missing",
                  length_ms(truth));
        return;
    }
    cr_expect_eq(freezes_of(summary, truth), 1);
    double doubt = number(freeze, "start_uncertainty_ms");
    cr_expect(has_freeze_of(summary, target, truth, ACCURACY_MS + doubt / 2),
              "%.1f ms was reported as %.1f +- %.1f", length_ms(truth),
              number(freeze, "duration_ms"), doubt / 2);
    struct um_demo_log_event back = find_back(target->log, truth);
    double end_ns = freeze_start_ns(summary, freeze) + number(freeze, "duration_ms") * 1e6;
    double held_ms = (double)stalled_ns(target->log, truth->end_ns, back.begin_ns + 2000000) / 1e6;
    ends[*end_count] = fabs(end_ns - (double)back.begin_ns) / 1e6;
    cr_expect(is_within(ends[*end_count], ACCURACY_MS, held_ms), "an end is %.2f ms off",
              ends[*end_count]);
    (*end_count)++;
}

Test(x11, freezes_are_those_of_the_log, .measured = true)
{
    struct target target;
    struct monitor monitor;
    struct um_demo_log_event *truth;
    double ends[16];
    size_t end_count = 0;

    start_target(&target, NULL, "--play", "20,50,130,spin:130,150,spin:250,400,1000", "--delay",
                 "3000", "--pause", "300", NULL);
    start_monitor(&monitor, &target, NULL);
    wait_line(target.log, "played ");
    sleep_ms(300);
    cJSON *summary = stop_monitor(&monitor);
    size_t count = log_events(target.log, UM_DEMO_LOG_FREEZE, &truth);
    cr_assert_eq(count, 8, "the demo froze %zu times", count);
    for (size_t i = 0; i < count; i++)
        check_exact(summary, &target, &truth[i], ends, &end_count);
    cr_expect_eq(unexplained_freezes(summary, &target), 0);
    cr_assert_geq(end_count, 5);
    /* The answer comes as late as one at rest, through the server and past its other clients. */
    double way_ms = number(summary, "latency_ms.p50");
    cr_expect_lt(median(ends, end_count), 0.3 + way_ms, "the ends are %.2f ms off; p50 is %.2f",
                 median(ends, end_count), way_ms);
    cr_expect_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(summary, "probe")), "ping");
    cr_expect_gt(number(summary, "beats.rested"), number(summary, "beats.sent"),
                 "a program at rest was pinged as often as another one");
    free(truth);
    cJSON_Delete(summary);
}

/* The target's process is stopped by somebody else: that is no freeze. */
Test(x11, a_stopped_program_is_suspended, .measured = true)
{
    struct target target;
    struct monitor monitor;

    start_target(&target, NULL, "--still", NULL);
    start_monitor(&monitor, &target, NULL);
    sleep_ms(500);
    uint64_t begin_ns = machine_now_ns();
    cr_assert_eq(kill((pid_t)target.pid, SIGSTOP), 0);
    sleep_ms(400);
    cr_assert_eq(kill((pid_t)target.pid, SIGCONT), 0);
    uint64_t end_ns = machine_now_ns();
    sleep_ms(500);
    cJSON *summary = stop_monitor(&monitor);
    double stopped_ms = (double)(end_ns - begin_ns) / 1e6;
    double held_ms = (double)stalled_ns(target.log, begin_ns, end_ns + 50000000) / 1e6;
    cr_expect_eq(freeze_count(summary), 0);
    cr_expect(is_within(number(summary, "state_ms.suspended") - stopped_ms, 25, held_ms),
              "%.1f ms for %.1f", number(summary, "state_ms.suspended"), stopped_ms);
    cJSON_Delete(summary);
}

/* xterm does not declare the ping, and ends at the first one. */
Test(x11, a_window_that_answers_no_pings_gets_none)
{
    struct target target;
    struct monitor monitor;

    start_program(&target, "xterm");
    start(&monitor.program, "uimon", "--attach", "class:xterm", "--headless", "--json",
          test_file("xterm.json"), NULL);
    snprintf(monitor.json, sizeof monitor.json, "%s", test_file("xterm.json"));
    wait_line(monitor.program.err, "does not declare that it answers pings");
    sleep_ms(1000);
    cJSON *summary = stop_monitor(&monitor);
    cr_expect(is_running(&target.program), "xterm is gone");
    cr_expect_eq(number(summary, "beats.sent"), 0);
    cr_expect_eq(number(summary, "state_ms.blind"), number(summary, "duration_ms"));
    cr_expect_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(summary, "blind_reason")), "no ping");
    cJSON_Delete(summary);
}

/* A program of another toolkit, which nobody here has written. */
Test(x11, an_editor_of_gtk_is_watched_by_its_name, .measured = true)
{
    struct target target;
    struct monitor monitor;

    start_program(&target, "mousepad");
    start(&monitor.program, "uimon", "--attach", "mousepad", "--headless", "--verbose", "--json",
          test_file("mousepad.json"), NULL);
    snprintf(monitor.json, sizeof monitor.json, "%s", test_file("mousepad.json"));
    wait_line(monitor.program.err, "probe: ping");
    x_move(400, 400);
    sleep_ms(2000);
    cJSON *summary = stop_monitor(&monitor);
    cr_expect_gt(number(summary, "beats.seen"), 20);
    cr_expect_leq(number(summary, "beats.sent") - number(summary, "beats.seen"), 1);
    cr_expect_gt(number(summary, "state_ms.responsive"), 1000);
    cJSON_Delete(summary);
}

Test(x11, target_that_is_killed_ends_the_session)
{
    struct target target;
    struct monitor monitor;

    start_target(&target, NULL, "--still", NULL);
    start_monitor(&monitor, &target, NULL);
    sleep_ms(300);
    kill_hard(&target.program);
    wait_end(&target.program, LIMIT_MS);
    cJSON *summary = finish_monitor(&monitor);
    cr_expect_gt(number(summary, "beats.seen"), 5);
    cJSON_Delete(summary);
}

/* Nothing is left behind: the target goes on, and is watched anew. */
Test(x11, monitor_that_is_killed_leaves_nothing)
{
    struct target target;
    struct monitor monitor, second;

    start_target(&target, NULL, "--still", NULL);
    start_monitor(&monitor, &target, NULL);
    kill_hard(&monitor.program);
    wait_end(&monitor.program, LIMIT_MS);
    start_monitor(&second, &target, NULL);
    sleep_ms(500);
    cJSON *summary = stop_monitor(&second);
    cr_expect_gt(number(summary, "beats.seen"), 5);
    cr_expect(is_running(&target.program));
    cJSON_Delete(summary);
}

/* A screen of this test's own, which then ends: what was measured is told. */
Test(x11, server_that_is_gone_ends_the_session)
{
    struct program server;
    struct target target;
    struct monitor monitor;
    char display[32];

    start(&server, "Xvfb", "-displayfd", "1", "-nolisten", "tcp", NULL);
    WAIT_UNTIL(strchr(read_text(server.out), '\n'), "no server started");
    snprintf(display, sizeof display, ":%d", atoi(read_text(server.out)));
    set_variable("DISPLAY", display);
    start_target(&target, NULL, "--still", NULL);
    start_monitor(&monitor, &target, NULL);
    sleep_ms(500);
    kill_hard(&server);
    wait_end(&server, LIMIT_MS);
    cJSON *summary = finish_monitor(&monitor);
    cr_expect_gt(number(summary, "beats.seen"), 5);
    cJSON_Delete(summary);
}

/* The way to the program is shut for a while: nothing is known of the program. */
Test(x11, server_that_stalls_is_no_freeze, .measured = true)
{
    struct program server;
    struct target target;
    struct monitor monitor;
    char display[32];

    start(&server, "Xvfb", "-displayfd", "1", "-nolisten", "tcp", NULL);
    WAIT_UNTIL(strchr(read_text(server.out), '\n'), "no server started");
    snprintf(display, sizeof display, ":%d", atoi(read_text(server.out)));
    set_variable("DISPLAY", display);
    start_target(&target, NULL, "--still", NULL);
    start_monitor(&monitor, &target, NULL);
    sleep_ms(1000);
    cr_assert_eq(kill((pid_t)server.process, SIGSTOP), 0);
    sleep_ms(600);
    cr_assert_eq(kill((pid_t)server.process, SIGCONT), 0);
    sleep_ms(1000);
    cJSON *summary = stop_monitor(&monitor);
    cr_expect_eq(freeze_count(summary), 0);
    cr_expect_geq(number(summary, "state_ms.blind"), 400);
    cr_expect_geq(number(summary, "state_ms.responsive"), 1000);
    cJSON_Delete(summary);
    kill_hard(&server);
}

Test(x11, says_what_does_not_work)
{
    const char *out, *err;

    cr_expect_eq(run(&out, &err, "uimon", "--attach", "no-such-program", "--headless", NULL), 3);
    cr_expect(strstr(err, "no program called 'no-such-program' is running"), "%s", err);
    cr_expect_eq(run(&out, &err, "uimon", "doctor", NULL), 1);
    cr_expect(strstr(err, "needs Windows so far"), "%s", err);
    cr_expect_eq(unsetenv("DISPLAY"), 0);
    cr_expect_eq(run(&out, &err, "uimon", "list", NULL), 1);
    cr_expect(strstr(err, "DISPLAY is not set"), "%s", err);
    set_variable("DISPLAY", ":4711");
    cr_expect_eq(run(&out, &err, "uimon", "list", NULL), 1);
    cr_expect(strstr(err, "no X server answers"), "%s", err);
}

/* The demo freezes by itself; its recording has what the summary has. */
Test(x11, demo_is_recorded_and_reported)
{
    const char *out, *err;
    char recording[PATH_BYTES];

    snprintf(recording, sizeof recording, "%s", test_file("demo.uirec"));
    cr_assert_eq(run(&out, &err, "uimon", "demo", "--duration", "4", "--headless", "--record",
                     recording, "--json", test_file("demo.json"), NULL),
                 0, "%s", err);
    cJSON *summary = read_json(test_file("demo.json"));
    cr_expect_geq(freeze_count(summary), 1);
    cr_assert_eq(
        run(&out, &err, "uimon", "report", recording, "--json", test_file("again.json"), NULL), 0,
        "%s", err);
    cJSON *again = read_json(test_file("again.json"));
    cr_expect_eq(freeze_count(again), freeze_count(summary));
    cr_expect_float_eq(number(again, "freezes.total_ms"), number(summary, "freezes.total_ms"),
                       0.01);
    cJSON_Delete(again);
    cJSON_Delete(summary);
}

/* A program of this test's own, which does with its window what it is told. */
struct own {
    Display *display;
    Window window;
    Atom protocols, ping;
};

static void show_own(struct own *own, const char *title, size_t title_len)
{
    own->window = XCreateSimpleWindow(own->display, DefaultRootWindow(own->display), 0, 0, 400, 300,
                                      0, 0, 0xffffff);
    XSetWMProtocols(own->display, own->window, &own->ping, 1);
    XChangeProperty(own->display, own->window, XA_WM_NAME, XA_STRING, 8, PropModeReplace,
                    (const unsigned char *)title, (int)title_len);
    XMapWindow(own->display, own->window);
    XFlush(own->display);
}

/* Answers pings for so long. */
static void answer(const struct own *own, unsigned ms)
{
    uint64_t until_ms = unix_now_ms() + ms;
    while (unix_now_ms() < until_ms) {
        XEvent event;
        if (!XPending(own->display)) {
            sleep_ms(1);
            continue;
        }
        XNextEvent(own->display, &event);
        if (event.type != ClientMessage || event.xclient.message_type != own->protocols ||
            (Atom)event.xclient.data.l[0] != own->ping)
            continue;
        event.xclient.window = DefaultRootWindow(own->display);
        XSendEvent(own->display, event.xclient.window, False,
                   SubstructureNotifyMask | SubstructureRedirectMask, &event);
        XFlush(own->display);
    }
}

/* Runs it in a process of its own, which ends with the test. */
static uint32_t start_own(void (*act)(struct own *own))
{
    pid_t pid = fork();
    if (pid == 0) {
        struct own own = {.display = XOpenDisplay(NULL)};
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (!own.display)
            _exit(1);
        own.protocols = XInternAtom(own.display, "WM_PROTOCOLS", False);
        own.ping = XInternAtom(own.display, "_NET_WM_PING", False);
        act(&own);
        _exit(0);
    }
    cr_assert_gt(pid, 0);
    return (uint32_t)pid;
}

static void make_anew(struct own *own)
{
    show_own(own, "first", 5);
    answer(own, 3000);
    XDestroyWindow(own->display, own->window);
    XFlush(own->display);
    sleep_ms(500); /* nothing is there to answer, and nothing is asked */
    show_own(own, "second", 6);
    answer(own, LIMIT_MS);
}

Test(x11, window_that_is_made_anew_is_watched_on, .measured = true)
{
    struct target target = {.pid = start_own(make_anew)};
    struct monitor monitor;
    const char *out, *err;

    WAIT_UNTIL(run(&out, &err, "uimon", "list", NULL) == 0 && strstr(out, "first"), "no window");
    start_monitor(&monitor, &target, NULL);
    WAIT_UNTIL(run(&out, &err, "uimon", "list", NULL) == 0 && strstr(out, "second"),
               "no second window");
    sleep_ms(1000);
    cJSON *summary = stop_monitor(&monitor);
    double blind_ms = number(summary, "state_ms.blind");
    cr_expect(blind_ms > 300, "%.0f ms are blind", blind_ms);
    cr_expect(number(summary, "state_ms.responsive") > 800);
    const cJSON *title = cJSON_GetObjectItem(cJSON_GetObjectItem(summary, "target"), "title");
    cr_expect_str_eq(cJSON_GetStringValue(title), "second");
    cJSON_Delete(summary);
    kill((pid_t)target.pid, SIGKILL);
}

/* What a program says of its window may be anything. */
static void say_anything(struct own *own)
{
    enum { MANY = 100000 };
    static char title[MANY];
    static long atoms[MANY];
    for (size_t i = 0; i < MANY; i++)
        title[i] = (char)(i * 7 + 1);
    for (size_t i = 0; i < MANY; i++)
        atoms[i] = (long)i;
    show_own(own, title, sizeof title);
    XChangeProperty(own->display, own->window, XInternAtom(own->display, "WM_CLASS", False),
                    XA_STRING, 8, PropModeReplace, (const unsigned char *)"\x1b[31m", 5);
    XChangeProperty(own->display, own->window, own->protocols, XA_ATOM, 32, PropModeReplace,
                    (const unsigned char *)atoms, MANY);
    XChangeProperty(own->display, own->window, own->protocols, XA_ATOM, 32, PropModeAppend,
                    (const unsigned char *)&own->ping, 1);
    XFlush(own->display);
    answer(own, LIMIT_MS);
}

Test(x11, properties_may_be_anything)
{
    struct target target = {.pid = start_own(say_anything)};
    struct monitor monitor;
    const char *out, *err;
    char pid[16];

    snprintf(pid, sizeof pid, "%u", target.pid);
    WAIT_UNTIL(run(&out, &err, "uimon", "list", NULL) == 0 && strstr(out, pid), "no window");
    cr_expect_null(strchr(out, '\x1b'), "the terminal is commanded");
    start_monitor(&monitor, &target, NULL);
    sleep_ms(500);
    cJSON *summary = stop_monitor(&monitor);
    cr_expect_eq(freeze_count(summary), 0);
    cJSON_Delete(summary);
    kill((pid_t)target.pid, SIGKILL);
}

Test(x11, manager_that_restarts_is_no_freeze, .measured = true)
{
    struct target target;
    struct monitor monitor;
    const char *out, *err;

    start_target(&target, NULL, "--still", NULL);
    start_monitor(&monitor, &target, NULL);
    sleep_ms(500);
    cr_expect_eq(run(&out, &err, "openbox", "--restart", NULL), 0, "%s", err);
    sleep_ms(1500);
    cJSON *summary = stop_monitor(&monitor);
    cr_expect_eq(unexplained_freezes(summary, &target), 0);
    cr_expect_gt(number(summary, "state_ms.responsive"), 1500);
    cJSON_Delete(summary);
}
