/* Programs of X11, watched by their windows' pings. Without Wine: `./run test x11`. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <X11/Xatom.h>
#include <X11/Xlib.h>

#include <criterion/criterion.h>

#include "tests/e2e/client_x11.h"
#include "tests/e2e/harness.h"

#define FREEZES 3
#define THRESHOLD_MS 100 /* what is left of a freeze beside blind time may be less */
#define STOPPED_MS 1500
#define SUSPENDED_MS 5000 /* so long that the monitor runs for most of it on a busy machine, too */
#define ABSENT_MS 1000
#define STOPS 5
#define STOP_MS 160

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

/* How many freezes of the log have begun since then and are over. */
static size_t freezes_since(const struct target *target, uint64_t since_ns)
{
    struct um_demo_log_event *freezes;
    size_t count = log_events(target->log, UM_DEMO_LOG_FREEZE, &freezes), found = 0;
    for (size_t i = 0; i < count; i++)
        found += freezes[i].begin_ns > since_ns;
    free(freezes);
    return found;
}

/* A freeze is missing only where a busy X server kept the time from being measured, and the summary
 * says so. */
Test(x11, freezes_are_those_of_the_log)
{
    struct target target;
    struct monitor monitor;
    struct program listener;
    struct um_demo_log_event *truth;
    char jsonl[PATH_BYTES];
    double missing_ms = 0, held_up = 0;

    snprintf(jsonl, sizeof jsonl, "%s", test_file("told.jsonl"));
    start_target(&target, NULL, "--play", "spin:400,600,spin:600", "--pause", "700", "--repeat",
                 "0", NULL);
    start_monitor(&monitor, &target, NULL);
    wait_beat(&target);
    uint64_t since_ns = machine_now_ns();
    start(&listener, "uimon", "listen", decimal(target.pid), "--json", jsonl, NULL);
    wait_lines(jsonl, "UiHangEnded", FREEZES);
    WAIT_UNTIL(freezes_since(&target, since_ns) > FREEZES, "the demo does not freeze");
    cJSON *summary = stop_monitor(&monitor);
    size_t count = log_events(target.log, UM_DEMO_LOG_FREEZE, &truth), found = 0;
    uint64_t until_ns =
        (uint64_t)((number(summary, "clock_start_ns") + number(summary, "duration_ms") * 1e6));
    for (size_t i = 0; i < count; i++) {
        if (truth[i].begin_ns <= since_ns || truth[i].end_ns >= until_ns)
            continue;
        held_up += held_up_ms(summary, &truth[i]);
        bool is_there = find_freeze(summary, &truth[i]) != NULL;
        if (is_there)
            check_freeze(summary, &target, &truth[i], "frozen");
        else
            missing_ms += (double)(truth[i].end_ns - truth[i].begin_ns) / 1e6 - THRESHOLD_MS;
        found += is_there;
    }
    cr_expect_geq(found, FREEZES - 1, "%zu are there", found);
    cr_expect_leq(missing_ms, held_up, "freezes are missing; only %.0f ms are blind", held_up);
    check_no_other_freeze(summary, &target);
    cr_expect_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(summary, "probe")), "ping");
    free(truth);
    cJSON_Delete(summary);
}

/* The target's process is stopped by somebody else: that is no freeze. */
Test(x11, a_stopped_program_is_suspended)
{
    struct target target;
    struct monitor monitor;

    start_target(&target, NULL, "--still", NULL);
    start_monitor(&monitor, &target, NULL);
    wait_beat(&target);
    cr_assert_eq(kill((pid_t)target.pid, SIGSTOP), 0);
    sleep_ms(SUSPENDED_MS);
    cr_assert_eq(kill((pid_t)target.pid, SIGCONT), 0);
    wait_beat(&target);
    cJSON *summary = stop_monitor(&monitor);
    check_no_other_freeze(summary, &target);
    cr_expect_geq(number(summary, "state_ms.suspended"), SUSPENDED_MS / 2);
    cJSON_Delete(summary);
}

/* ... also one that was stopped before. It is neither deaf nor silent. */
Test(x11, a_program_that_was_stopped_before_is_suspended)
{
    struct target target;
    struct monitor monitor;

    start_target(&target, NULL, "--still", NULL);
    cr_assert_eq(kill((pid_t)target.pid, SIGSTOP), 0);
    snprintf(monitor.json, sizeof monitor.json, "%s", test_file("stopped.json"));
    start(&monitor.program, "uimon", "--attach", decimal(target.pid), "--headless", "--verbose",
          "--json", monitor.json, NULL);
    wait_line(monitor.program.err, "measuring has begun");
    sleep_ms(STOPPED_MS);
    cr_expect_null(strstr(read_text(monitor.program.err), "answer"));
    cr_assert_eq(kill((pid_t)target.pid, SIGCONT), 0);
    wait_beat(&target);
    cr_expect_null(strstr(read_text(monitor.program.err), "does not"));
    cJSON *summary = stop_monitor(&monitor);
    check_no_other_freeze(summary, &target);
    cr_expect_geq(number(summary, "state_ms.suspended"), STOPPED_MS / 2);
    cJSON_Delete(summary);
}

/* Stops that are shorter than three signs of life are told as freezes, longer ones as suspended.
 * Nobody sees one that lies between two beats, so a beat goes out when the program is found
 * stopped. On a busy machine uimon may look up to 100 ms late, and is blind if it is later. */
Test(x11, a_program_that_stands_still_for_a_moment_at_rest_is_told)
{
    struct target target;
    struct monitor monitor;

    start_target(&target, NULL, "--still", NULL);
    start_monitor(&monitor, &target, "--threshold", "30", NULL);
    for (int i = 0; i < STOPS; i++) {
        wait_beat(&target);
        cr_assert_eq(kill((pid_t)target.pid, SIGSTOP), 0);
        sleep_ms(STOP_MS);
        cr_assert_eq(kill((pid_t)target.pid, SIGCONT), 0);
    }
    wait_beat(&target);
    cJSON *summary = stop_monitor(&monitor);
    double told_ms = number(summary, "state_ms.frozen") + number(summary, "state_ms.starved");
    double unseen_ms = number(summary, "state_ms.blind") + number(summary, "state_ms.suspended");
    cr_expect_geq(told_ms + unseen_ms, STOPS * 30);
    cr_expect_eq(number(summary, "rest_heartbeat_ms"), 30);
    cJSON_Delete(summary);
}

/* xterm does not declare the ping, and ends at the first one. */
Test(x11, a_window_that_answers_no_pings_gets_none)
{
    struct target target;
    struct monitor monitor;

    start_program(&target, "xterm");
    const char *out, *err;
    cr_assert_eq(run(&out, &err, "uimon", "list", NULL), 0);
    cr_expect(strstr(out, "nothing (no ping)"), "%s", out);
    start(&monitor.program, "uimon", "--attach", "class:xterm", "--headless", "--verbose", "--json",
          test_file("xterm.json"), NULL);
    snprintf(monitor.json, sizeof monitor.json, "%s", test_file("xterm.json"));
    wait_line(monitor.program.err, "does not declare that it answers pings");
    sleep_ms(1000); /* in which a ping would go out */
    cJSON *summary = stop_monitor(&monitor);
    cr_expect(is_running(&target.program), "xterm is gone");
    cr_expect_eq(number(summary, "beats.sent"), 0);
    cr_expect_eq(number(summary, "state_ms.blind"), number(summary, "duration_ms"));
    cr_expect_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(summary, "blind_reason")), "no ping");
    cJSON_Delete(summary);
}

/* A program of a toolkit, which nobody here has written. */
static void check_editor(const char *name)
{
    struct target target;
    struct monitor monitor;

    start_program(&target, name);
    snprintf(monitor.json, sizeof monitor.json, "%s", test_file("editor.json"));
    start(&monitor.program, "uimon", "--attach", name, "--headless", "--verbose", "--json",
          monitor.json, NULL);
    wait_line(monitor.program.err, "probe: ping");
    wait_beat(&target);
    cJSON *summary = stop_monitor(&monitor);
    cr_expect_gt(number(summary, "beats.seen"), 0);
    /* Each but the last is answered or told as lost: a monitor that is held up gives pings up. */
    cr_expect_leq(number(summary, "beats.sent") - number(summary, "beats.seen") -
                      number(summary, "beats.lost"),
                  1);
    cr_expect_gt(number(summary, "state_ms.responsive"), 0);
    cJSON_Delete(summary);
}

Test(x11, an_editor_of_gtk_is_watched_by_its_name)
{
    check_editor("mousepad");
}

/* Qt 5 answers with another event mask than GTK. */
Test(x11, an_editor_of_qt_is_watched_by_its_name)
{
    check_editor("featherpad");
}

Test(x11, target_that_is_killed_ends_the_session)
{
    struct target target;
    struct monitor monitor;

    start_target(&target, NULL, "--still", NULL);
    start_monitor(&monitor, &target, NULL);
    wait_beat(&target);
    kill_hard(&target.program);
    wait_end(&target.program, LIMIT_MS);
    cJSON *summary = finish_monitor(&monitor);
    cr_expect_gt(number(summary, "beats.seen"), 0);
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
    wait_beat(&target);
    cJSON *summary = stop_monitor(&second);
    cr_expect_gt(number(summary, "beats.seen"), 0);
    cr_expect(is_running(&target.program));
    cJSON_Delete(summary);
}

/* A screen of this test's own. */
static void start_server(struct program *server)
{
    char display[32];
    start(server, "Xvfb", "-displayfd", "1", "-noreset", "-nolisten", "tcp", NULL);
    snprintf(display, sizeof display, ":%d", atoi(wait_line(server->out, "")));
    set_variable("DISPLAY", display);
}

/* The screen ends: what was measured is told. */
Test(x11, server_that_is_gone_ends_the_session)
{
    struct program server;
    struct target target;
    struct monitor monitor;

    start_server(&server);
    start_target(&target, NULL, "--still", NULL);
    start_monitor(&monitor, &target, NULL);
    wait_beat(&target);
    kill_hard(&server);
    wait_end(&server, LIMIT_MS);
    cJSON *summary = finish_monitor(&monitor);
    cr_expect_gt(number(summary, "beats.seen"), 0);
    cJSON_Delete(summary);
}

/* The way to the program is shut for a while: nothing is known of the program. */
Test(x11, server_that_stalls_is_no_freeze)
{
    struct program server;
    struct target target;
    struct monitor monitor;

    start_server(&server);
    start_target(&target, NULL, "--still", NULL);
    start_monitor(&monitor, &target, NULL);
    wait_beat(&target);
    cr_assert_eq(kill((pid_t)server.process, SIGSTOP), 0);
    sleep_ms(STOPPED_MS);
    cr_assert_eq(kill((pid_t)server.process, SIGCONT), 0);
    wait_beat(&target);
    cJSON *summary = stop_monitor(&monitor);
    check_no_other_freeze(summary, &target);
    cr_expect_geq(number(summary, "state_ms.blind"), STOPPED_MS / 2);
    cr_expect_gt(number(summary, "state_ms.responsive"), 0);
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
    cr_expect_eq(run(&out, &err, "uimon", "demo", "--headless", "--trace", "messages", NULL), 1);
    cr_expect(strstr(err, "--trace needs Windows so far"), "%s", err);
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
    struct program demo, listener;
    const char *out, *err;
    char recording[PATH_BYTES], json[PATH_BYTES], events[PATH_BYTES];

    snprintf(recording, sizeof recording, "%s", test_file("demo.uirec"));
    snprintf(json, sizeof json, "%s", test_file("demo.json"));
    snprintf(events, sizeof events, "%s", test_file("events.jsonl"));
    start(&demo, "uimon", "demo", "--duration", "60", "--headless", "--record", recording, "--json",
          json, NULL);
    start(&listener, "uimon", "listen", "uimon-demo", "--wait", "--counters", "none", "--json",
          events, NULL);
    wait_line(events, "UiHangEnded");
    interrupt(&demo);
    cr_assert_eq(wait_end(&demo, LIMIT_MS), 0, "%s", read_text(demo.err));
    cJSON *summary = read_json(json);
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

/* Answers pings until there is a file. */
static void answer(struct client *client, const char *until)
{
    XEvent ping;
    while (access(until, F_OK) != 0)
        if (client_take_ping(client, 10, &ping))
            client_answer(client, &ping);
}

static const char *anew; /* a file: the window is made anew */

static void make_anew(struct client *client)
{
    client_show(client, "first", 5);
    answer(client, anew);
    XDestroyWindow(client->display, client->window);
    XFlush(client->display);
    sleep_ms(ABSENT_MS); /* nothing is there to answer, and nothing is asked */
    client_show(client, "second", 6);
    answer(client, "/nowhere");
}

Test(x11, window_that_is_made_anew_is_watched_on)
{
    struct target target = {0};
    struct monitor monitor;
    const char *out, *err;
    char path[PATH_BYTES];

    snprintf(path, sizeof path, "%s", test_file("anew"));
    anew = path;
    target.pid = client_start(make_anew);
    WAIT_UNTIL(run(&out, &err, "uimon", "list", NULL) == 0 && strstr(out, "first"), "no window");
    start_monitor(&monitor, &target, NULL);
    wait_beat(&target);
    FILE *file = open_file(path, "wb");
    cr_assert(file && fclose(file) == 0);
    WAIT_UNTIL(run(&out, &err, "uimon", "list", NULL) == 0 && strstr(out, "second"),
               "no second window");
    wait_beat(&target);
    cJSON *summary = stop_monitor(&monitor);
    cr_expect_geq(number(summary, "state_ms.blind"), ABSENT_MS / 2);
    const cJSON *title = cJSON_GetObjectItem(cJSON_GetObjectItem(summary, "target"), "title");
    cr_expect_str_eq(cJSON_GetStringValue(title), "second");
    cJSON_Delete(summary);
    kill((pid_t)target.pid, SIGKILL);
}

/* What a program says of its window may be anything. */
static void say_anything(struct client *client)
{
    enum { MANY = 100000 };
    static char title[MANY];
    static long atoms[MANY];
    for (size_t i = 0; i < MANY; i++)
        title[i] = (char)(i * 7 + 1);
    for (size_t i = 0; i < MANY; i++)
        atoms[i] = (long)i;
    client_show(client, title, sizeof title);
    XChangeProperty(client->display, client->window,
                    XInternAtom(client->display, "WM_CLASS", False), XA_STRING, 8, PropModeReplace,
                    (const unsigned char *)"\x1b[31m", 5);
    XChangeProperty(client->display, client->window, client->protocols, XA_ATOM, 32,
                    PropModeReplace, (const unsigned char *)atoms, MANY);
    XChangeProperty(client->display, client->window, client->protocols, XA_ATOM, 32, PropModeAppend,
                    (const unsigned char *)&client->ping, 1);
    XFlush(client->display);
    answer(client, "/nowhere");
}

Test(x11, properties_may_be_anything)
{
    struct target target = {.pid = client_start(say_anything)};
    struct monitor monitor;
    const char *out, *err;
    char pid[16];

    snprintf(pid, sizeof pid, "%u", target.pid);
    WAIT_UNTIL(run(&out, &err, "uimon", "list", NULL) == 0 && strstr(out, pid), "no window");
    cr_expect_null(strchr(out, '\x1b'), "the terminal is commanded");
    start_monitor(&monitor, &target, NULL);
    wait_beat(&target);
    cJSON *summary = stop_monitor(&monitor);
    cr_expect_gt(number(summary, "beats.seen"), 0);
    cJSON_Delete(summary);
    kill((pid_t)target.pid, SIGKILL);
}

Test(x11, manager_that_restarts_is_no_freeze)
{
    struct target target;
    struct monitor monitor;
    const char *out, *err;

    start_target(&target, NULL, "--still", NULL);
    start_monitor(&monitor, &target, NULL);
    wait_beat(&target);
    cr_expect_eq(run(&out, &err, "openbox", "--restart", NULL), 0, "%s", err);
    for (int i = 0; i < 2; i++)
        wait_beat(&target);
    cJSON *summary = stop_monitor(&monitor);
    check_no_other_freeze(summary, &target);
    cr_expect_gt(number(summary, "state_ms.responsive"), 0);
    cJSON_Delete(summary);
}

static const char *machine;       /* as a program calls it */
static const char *later_machine; /* ... once there is the file `anew` */

static void name_machine(const struct client *client, const char *name)
{
    long pid = (long)getpid();
    XChangeProperty(client->display, client->window,
                    XInternAtom(client->display, "_NET_WM_PID", False), XA_CARDINAL, 32,
                    PropModeReplace, (const unsigned char *)&pid, 1);
    XChangeProperty(client->display, client->window, XA_WM_CLIENT_MACHINE, XA_STRING, 8,
                    PropModeReplace, (const unsigned char *)name, (int)strlen(name));
    XFlush(client->display);
}

static void be_somewhere(struct client *client)
{
    client_show(client, "somewhere", 9);
    name_machine(client, machine);
    answer(client, later_machine ? anew : "/nowhere");
    name_machine(client, later_machine);
    answer(client, "/nowhere");
}

/* The line of `uimon list` about it. */
static const char *list_line(uint32_t pid)
{
    const char *out, *err, *line;
    char head[16];
    snprintf(head, sizeof head, "%u ", pid);
    WAIT_UNTIL(run(&out, &err, "uimon", "list", NULL) == 0 && strstr(out, "somewhere") &&
                   (line = strstr(out, head)),
               "%u is not in the list: %s", pid, out);
    return line;
}

/* The server knows that the process is one of this machine, so a name decides nothing. */
Test(x11, a_machine_may_have_any_name)
{
    char own[256] = "", full[300];
    gethostname(own, sizeof own - 1);
    snprintf(full, sizeof full, "%s.example.org", own);
    const char *const names[] = {full, "localhost", "", "elsewhere"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        machine = names[i];
        uint32_t pid = client_start(be_somewhere);
        const char *line = list_line(pid);
        cr_expect(!memchr(line, ',', strcspn(line, "\n")), "'%s': %s", names[i], line);
        kill((pid_t)pid, SIGKILL);
    }
}

Test(x11, a_machine_may_change_its_name)
{
    struct target target = {0};
    struct monitor monitor;
    char path[PATH_BYTES];

    snprintf(path, sizeof path, "%s", test_file("anew"));
    anew = path;
    machine = "one";
    later_machine = "other";
    target.pid = client_start(be_somewhere);
    (void)list_line(target.pid);
    start_monitor(&monitor, &target, NULL);
    wait_beat(&target);
    FILE *file = open_file(path, "wb");
    cr_assert(file && fclose(file) == 0);
    sleep_ms(ABSENT_MS);
    wait_beat(&target);
    cJSON *summary = stop_monitor(&monitor);
    cr_expect_leq(number(summary, "state_ms.blind"), ABSENT_MS / 2);
    cJSON_Delete(summary);
    kill((pid_t)target.pid, SIGKILL);
}

Test(x11, a_program_of_another_machine_is_told_as_such)
{
    const char *out, *err;
    char display[16], own[64];

    snprintf(own, sizeof own, "%s", getenv("DISPLAY"));
    client_start_forwarder(display);
    set_variable("DISPLAY", display);
    machine = "elsewhere";
    uint32_t pid = client_start(be_somewhere);
    set_variable("DISPLAY", own);
    cr_expect(strstr(list_line(pid), "it runs on another machine, elsewhere"));
    cr_expect_eq(run(&out, &err, "uimon", "--attach", decimal(pid), "--headless", NULL), 4);
    cr_expect(strstr(err, "it runs on another machine, elsewhere"), "%s", err);
    kill((pid_t)pid, SIGKILL);
}

/* Many programs are started by a script, which ends or waits for them. */
Test(x11, watches_what_a_launched_script_has_started)
{
    struct target target = {.window_class = NULL};
    struct monitor monitor;
    struct um_demo_log_event event;
    char script[3 * PATH_BYTES], named[200];

    snprintf(target.log, PATH_BYTES, "%s", test_file("child.log"));
    snprintf(monitor.json, PATH_BYTES, "%s", test_file("child.json"));
    snprintf(script, sizeof script, "'%s' --log '%s' & exit 3", dist_file("uimon-demo"),
             target.log);
    start(&monitor.program, "uimon", "--headless", "--verbose", "--json", monitor.json, "--launch",
          "sh", "-c", script, NULL);
    cr_assert_eq(um_demo_log_parse(wait_line(target.log, "start "), &event), UM_OK);
    snprintf(named, sizeof named,
             "ended with exit code 3 before it could be watched; uimon-demo (pid %lu), which it "
             "has started, is watched instead",
             (unsigned long)event.pid);
    wait_line(monitor.program.err, named);
    cJSON *summary = stop_monitor(&monitor);
    cr_expect_eq(number(summary, "target.pid"), event.pid);
    kill((pid_t)event.pid, SIGKILL);
    cJSON_Delete(summary);
}
