/* Ways to answer pings, well and badly, or not at all: what is told of each is what the program has
 * written down itself. `./run test x11`. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "tests/e2e/client_x11.h"
#include "tests/e2e/harness.h"

#define FREEZE_MS 1500
#define WATCHED_MS 2500
#define UNTIL_STOP_MS 300 /* from the start of a freeze until the monitor stands still */
#define STOPPED_MS 200
#define THEN 10 /* pings: after so many something happens */
#define QUEUED 64

/* How a program answers. All 0: as the protocol says. */
struct way {
    const char *name;
    long mask;
    int late_ms;                    /* by a timer */
    unsigned stops, freezes, hangs; /* from or at this ping on */
    unsigned loses;                 /* this one, and one of THEN after it */
    unsigned withdraws;             /* it no longer declares the protocol, and says if asked */
    bool to_itself;                 /* to its own window, and not to the root window */
    bool own_field;                 /* the event names its own window */
    bool no_time;                   /* the time in it is 0 */
    bool twice;
    bool busy;         /* the freeze comes before the answer */
    bool sleeps_often; /* in its freeze, as one does who waits for files */
    bool rests;        /* it wakes only for events */
};

static struct way way; /* of the program */
static char log_path[PATH_BYTES];

static void write_down(struct um_demo_log_event event)
{
    char line[UM_DEMO_LOG_MAX_BYTES];
    size_t len;
    FILE *file = open_file(log_path, "ab");
    if (file && um_demo_log_format(&event, line, sizeof line, &len) == UM_OK)
        fwrite(line, 1, len, file);
    if (file)
        fclose(file);
}

static void freeze(void)
{
    struct um_demo_log_event event = {.kind = UM_DEMO_LOG_FREEZE,
                                      .tid = (uint32_t)getpid(),
                                      .requested_ms = FREEZE_MS,
                                      .name = "sleep",
                                      .begin_ns = machine_now_ns()};
    uint64_t until_ns = event.begin_ns + FREEZE_MS * UINT64_C(1000000);
    write_down((struct um_demo_log_event){.kind = UM_DEMO_LOG_PLAYED});
    while (machine_now_ns() < until_ns)
        sleep_ms(way.sleeps_often ? 1 : FREEZE_MS);
    event.end_ns = machine_now_ns();
    write_down(event);
    write_down((struct um_demo_log_event){.kind = UM_DEMO_LOG_BACK,
                                          .tid = event.tid,
                                          .begin_ns = machine_now_ns(),
                                          .posted_ns = event.end_ns});
}

/* What waited in a freeze is answered at once after it. If the machine holds the program up between
 * two of these answers, it writes that down: nobody can tell that from answers of a timer. */
#define APART_NS UINT64_C(25000000)
static struct {
    int left; /* pings that are still to be answered */
    uint64_t answered_ns;
} backlog;

static void begin_backlog(const struct client *client)
{
    backlog.left = XPending(client->display);
    backlog.answered_ns = machine_now_ns();
}

static void note_answer(void)
{
    uint64_t now_ns = machine_now_ns();
    if (backlog.left-- > 0 && now_ns - backlog.answered_ns > APART_NS)
        write_down((struct um_demo_log_event){
            .kind = UM_DEMO_LOG_STALL, .begin_ns = backlog.answered_ns, .end_ns = now_ns});
    backlog.answered_ns = now_ns;
}

static void give(const struct client *client, const XEvent *ping)
{
    XEvent answer = *ping;
    Window root = DefaultRootWindow(client->display);
    long mask = way.mask ? way.mask : SubstructureNotifyMask | SubstructureRedirectMask;
    answer.xclient.window = way.own_field ? client->window : root;
    if (way.no_time)
        answer.xclient.data.l[1] = 0;
    for (int i = 0; i < 1 + way.twice; i++)
        XSendEvent(client->display, way.to_itself ? client->window : root, False, mask, &answer);
    XFlush(client->display);
    note_answer();
}

/* The answers that a timer will give. */
static struct {
    XEvent ping;
    uint64_t due_ns;
} queue[QUEUED];
static size_t first, queued;

static void give_due(const struct client *client)
{
    for (; queued > 0 && machine_now_ns() >= queue[first].due_ns; queued--) {
        give(client, &queue[first].ping);
        first = (first + 1) % QUEUED;
    }
}

static void take(const struct client *client, const XEvent *ping, unsigned number)
{
    if (way.withdraws && number > way.withdraws)
        write_down((struct um_demo_log_event){.kind = UM_DEMO_LOG_PLAYED});
    if (way.withdraws && number == way.withdraws) {
        XDeleteProperty(client->display, client->window, client->protocols);
        XFlush(client->display);
        return;
    }
    bool is_lost = way.loses && number >= way.loses && (number - way.loses) % THEN == 0;
    if (is_lost || (way.stops && number >= way.stops))
        return;
    if (way.late_ms == 0) {
        give(client, ping);
    } else if (queued < QUEUED) {
        size_t last = (first + queued++) % QUEUED;
        queue[last].ping = *ping;
        queue[last].due_ns = machine_now_ns() + (uint64_t)way.late_ms * 1000000;
    }
}

static void behave(struct client *client)
{
    client_show(client, way.name, strlen(way.name));
    for (unsigned number = 0;;) {
        XEvent ping;
        if (client_take_ping(client, way.rests ? -1 : 20, &ping)) {
            bool freezes = ++number == way.freezes;
            if (!freezes || !way.busy)
                take(client, &ping, number);
            if (freezes) {
                freeze();
                begin_backlog(client);
            }
            if (freezes && way.busy)
                take(client, &ping, number);
            while (way.hangs && number == way.hangs)
                pause();
        }
        give_due(client);
    }
}

static void start_way(struct target *target, struct way is)
{
    const char *out, *err;
    char pid[16];
    way = is;
    snprintf(log_path, sizeof log_path, "%s", test_file("client.log"));
    remove(log_path);
    *target = (struct target){.pid = client_start(behave)};
    target->tid = target->pid;
    snprintf(target->log, sizeof target->log, "%s", log_path);
    write_down((struct um_demo_log_event){.kind = UM_DEMO_LOG_START, .pid = target->pid});
    snprintf(pid, sizeof pid, "%u ", target->pid);
    WAIT_UNTIL(run(&out, &err, "uimon", "list", NULL) == 0 && strstr(out, pid), "no window");
}

/* What uimon says of a program that answers no pings, or none in time. */
struct verdict {
    const char *line, *reason;
};
static const struct verdict no_answer = {"does not answer pings", "no answer to pings"};
static const struct verdict no_answer_yet = {
    "blind while it was not known whether the program answers pings", "no answer yet"};

/* Watches such a program for a while. */
static cJSON *watch_way(struct way is, const struct verdict *verdict)
{
    struct target target;
    struct monitor monitor;

    start_way(&target, is);
    snprintf(monitor.json, sizeof monitor.json, "%s", test_file("blind.json"));
    start(&monitor.program, "uimon", "--attach", decimal(target.pid), "--headless", "--verbose",
          "--json", monitor.json, NULL);
    wait_line(monitor.program.err, verdict->line);
    sleep_ms(WATCHED_MS);
    cJSON *summary = stop_monitor(&monitor);
    check_no_other_freeze(summary, &target);
    cr_expect_geq(number(summary, "state_ms.blind"), WATCHED_MS / 2, "%s", is.name);
    cr_expect_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(summary, "blind_reason")),
                     verdict->reason, "%s", is.name);
    kill((pid_t)target.pid, SIGKILL);
    return summary;
}

static bool has_begun(const struct target *target)
{
    struct um_demo_log_event *begun;
    size_t count = log_events(target->log, UM_DEMO_LOG_PLAYED, &begun);
    free(begun);
    return count > 0;
}

static void stop_for_a_while(const struct program *program)
{
    cr_assert_eq(kill((pid_t)program->process, SIGSTOP), 0);
    sleep_ms(STOPPED_MS);
    cr_assert_eq(kill((pid_t)program->process, SIGCONT), 0);
}

/* Whether the program was, or uimon says that it was itself, or the server. */
static bool was_held_up(const struct target *target, const struct monitor *monitor)
{
    struct um_demo_log_event *stalls;
    size_t count = log_events(target->log, UM_DEMO_LOG_STALL, &stalls);
    free(stalls);
    return count > 0 || lines_with(monitor->program.err, "blind while uimon itself did not run") ||
           lines_with(monitor->program.err, "blind while beats did not come to the program");
}

/* Watches a program that freezes once, and checks what is told of that: that it does not answer may
 * be said only if it wakes meanwhile. In its freeze, the monitor itself may stand still for a
 * while. Owner: cJSON_Delete. */
static cJSON *watch_freeze(struct way is, bool stands_still)
{
    struct target target;
    struct monitor monitor;

    is.freezes = is.freezes ? is.freezes : THEN;
    start_way(&target, is);
    start_monitor(&monitor, &target, NULL);
    if (stands_still) {
        WAIT_UNTIL(has_begun(&target), "no freeze");
        sleep_ms(UNTIL_STOP_MS);
        stop_for_a_while(&monitor.program);
    }
    struct um_demo_log_event *truth = wait_freezes(&target, 1);
    wait_beat(&target);
    cJSON *summary = stop_monitor(&monitor);
    if (find_freeze(summary, truth) || !was_held_up(&target, &monitor))
        check_freeze(summary, &target, truth, "frozen");
    else
        cr_expect_geq(number(summary, "state_ms.blind"), FREEZE_MS / 2, "%s", is.name);
    check_no_other_freeze(summary, &target);
    cr_expect(is.sleeps_often || lines_with(monitor.program.err, "does not answer pings") == 0,
              "%s", is.name);
    free(truth);
    kill((pid_t)target.pid, SIGKILL);
    return summary;
}

/* A freeze is found whatever the answers look like. */
Test(pings_x11, each_way_to_answer_is_an_answer)
{
    static const struct way ways[] = {
        {.name = "as Qt 5", .mask = StructureNotifyMask},
        {.name = "as nobody should", .to_itself = true, .own_field = true},
        {.name = "to itself", .to_itself = true, .mask = StructureNotifyMask},
        {.name = "its own window in the event", .own_field = true},
        {.name = "time 0", .no_time = true},
        {.name = "twice", .twice = true},
        {.name = "files", .sleeps_often = true},
        {.name = "time 0, files", .no_time = true, .sleeps_often = true, .rests = true},
    };
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        cJSON *summary = watch_freeze(ways[i], false);
        cr_expect_gt(number(summary, "state_ms.responsive"), 0, "%s", ways[i].name);
        cJSON_Delete(summary);
    }
}

/* The beat that was out is given up then. Until there is another one, nothing is known: after
 * answers without a time, that is a while. */
Test(pings_x11, a_monitor_that_stood_still_in_a_freeze_is_blind)
{
    static const struct way ways[] = {
        {.name = "as Qt 5", .mask = StructureNotifyMask},
        {.name = "time 0", .no_time = true},
        {.name = "files", .sleeps_often = true},
        {.name = "time 0, files", .no_time = true, .sleeps_often = true, .rests = true},
    };
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        cJSON *summary = watch_freeze(ways[i], true);
        cr_expect_geq(number(summary, "state_ms.blind"), STOPPED_MS / 2, "%s", ways[i].name);
        cJSON_Delete(summary);
    }
}

Test(pings_x11, a_program_that_never_answers_is_blind)
{
    static const struct way ways[] = {
        {.name = "ignores", .stops = 1},
        {.name = "ignores at rest", .stops = 1, .rests = true},
        {.name = "to itself alone", .to_itself = true, .mask = PointerMotionMask},
    };
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        cJSON *summary = watch_way(ways[i], &no_answer);
        cr_expect_eq(freeze_count(summary), 0, "%s", ways[i].name);
        cr_expect_eq(number(summary, "beats.seen"), 0, "%s", ways[i].name);
        cJSON_Delete(summary);
    }
}

Test(pings_x11, of_a_program_that_hangs_from_the_first_ping_on_nothing_is_known)
{
    cJSON *summary =
        watch_way((struct way){.name = "hangs", .stops = 1, .hangs = 1}, &no_answer_yet);
    cr_expect_eq(number(summary, "beats.seen"), 0);
    cJSON_Delete(summary);
}

Test(pings_x11, a_program_that_is_busy_at_the_first_ping_was_frozen)
{
    cJSON_Delete(
        watch_freeze((struct way){.name = "busy at first", .busy = true, .freezes = 1}, false));
}

Test(pings_x11, a_program_that_stops_answering_is_blind)
{
    static const struct way ways[] = {
        {.name = "stops", .stops = THEN},
        {.name = "stops at rest", .stops = THEN, .rests = true},
        {.name = "stops, time 0", .stops = THEN, .no_time = true, .rests = true},
    };
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        cJSON *summary = watch_way(ways[i], &no_answer);
        cr_expect_gt(number(summary, "beats.seen"), 0, "%s", ways[i].name);
        cJSON_Delete(summary);
    }
}

/* A timer answers, so the thread is free meanwhile. */
Test(pings_x11, answers_that_a_timer_gives_late_are_no_freezes)
{
    cJSON *summary = watch_way((struct way){.name = "late", .late_ms = 300}, &no_answer);
    cr_expect_lt(number(summary, "state_ms.frozen"), WATCHED_MS / 4);
    cJSON_Delete(summary);
}

/* A machine that holds uimon's thread up while a ping is out hides that this one was lost. */
Test(pings_x11, pings_that_are_lost_are_asked_again)
{
    static const struct way ways[] = {
        {.name = "loses some", .loses = THEN},
        {.name = "loses some at rest", .loses = THEN, .rests = true},
        {.name = "loses some, time 0", .loses = THEN, .no_time = true, .rests = true},
        {.name = "loses the first", .loses = 1},
    };
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        struct target target;
        struct monitor monitor;

        start_way(&target, ways[i]);
        start_monitor(&monitor, &target, NULL);
        wait_line(monitor.program.err, "does not answer pings");
        for (int beats = 0; beats < 2; beats++)
            wait_beat(&target);
        cJSON *summary = stop_monitor(&monitor);
        check_no_other_freeze(summary, &target);
        cr_expect_gt(number(summary, "state_ms.blind"), 0, "%s", ways[i].name);
        cr_expect_gt(number(summary, "state_ms.responsive"), 0, "%s", ways[i].name);
        cJSON_Delete(summary);
        kill((pid_t)target.pid, SIGKILL);
    }
}

/* xterm ends at a ping that it has not declared. */
Test(pings_x11, a_window_that_withdraws_the_protocol_is_asked_no_more)
{
    struct target target;
    struct monitor monitor;
    struct um_demo_log_event *asked;

    start_way(&target, (struct way){.name = "withdraws", .withdraws = THEN});
    start_monitor(&monitor, &target, NULL);
    wait_line(monitor.program.err, "does not declare that it answers pings");
    sleep_ms(WATCHED_MS);
    cJSON *summary = stop_monitor(&monitor);
    check_no_other_freeze(summary, &target);
    cr_expect_eq(log_events(target.log, UM_DEMO_LOG_PLAYED, &asked), 0, "it was asked again");
    free(asked);
    cJSON_Delete(summary);
    kill((pid_t)target.pid, SIGKILL);
}

/* A thread that waits for what does not come wakes for no ping. */
Test(pings_x11, a_program_that_hangs_is_frozen)
{
    struct target target;
    struct monitor monitor;

    start_way(&target, (struct way){.name = "hangs", .hangs = THEN});
    start_monitor(&monitor, &target, NULL);
    sleep_ms(WATCHED_MS);
    cJSON *summary = stop_monitor(&monitor);
    cr_expect_geq(number(summary, "state_ms.frozen"), WATCHED_MS / 2);
    cJSON_Delete(summary);
    kill((pid_t)target.pid, SIGKILL);
}
