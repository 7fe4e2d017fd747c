/* Where the program was in a freeze: stacks of the demo's UI thread, what taking them costs it, and
 * that nobody who dies leaves it suspended. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/e2e/folded.h"
#include "tests/e2e/sampled.h"

/* The works of target_works_win32, each of which lasts until the test tells it to end. */
#define SHARE_WORK "spin:50000"
#define RECURSE "spin:50001"
#define WAIT_FOR_LOCK "spin:50002"
#define SLEEP_LONG "spin:50003"
#define CALL_LATE "spin:50004"
#define SEND_MESSAGE "spin:50005"

#define SAMPLES 3 /* a single one may be in Wine's own code, where there is no stack of Windows */
#define SAMPLES_OF_WAIT 20 /* in the first ones it may not be known yet for whom the thread waits */
#define AFTER_WORK_MS 1000 /* what samples of a freeze after its work weigh, at most */

/* Samples of a thread from a time on: how many with whole stacks there are of what it does since
 * another time, and what those weigh, and all others. Units: ms. */
struct sampled {
    size_t count;
    size_t cut; /* whose stacks are not whole */
    double weight_ms, others_ms;
};

static struct sampled add_up_samples(const struct program *feed, uint32_t thread, uint64_t from_ns,
                                     uint64_t since_ns)
{
    char head[40];
    char *text = read_text(feed->out);
    struct sampled all = {0, 0, 0, 0};
    double *first = NULL; /* the first sample of an absence weighs as much as the next one */
    snprintf(head, sizeof head, "sample thread %u at ", thread);
    for (const char *at = text; (at = strstr(at, head)) && strchr(at, '\n');) {
        at += strlen(head);
        uint64_t time_ns = strtoull(at, NULL, 10);
        double wall_ms = (double)line_number(at, "wall") / 1e3;
        bool is_whole = line_number(at, "whole") == 1;
        bool counts = is_whole && time_ns > since_ns;
        double *sum = counts ? &all.weight_ms : &all.others_ms;
        if (time_ns <= from_ns)
            continue;
        if (first)
            *first += wall_ms;
        first = wall_ms == 0 ? sum : NULL;
        *sum += wall_ms;
        all.count += counts;
        all.cut += !is_whole;
    }
    free(text);
    return all;
}

/* How many samples of a thread were taken after a time, with whole stacks. */
static size_t count_samples(const struct program *feed, uint32_t thread, uint64_t since_ns)
{
    return add_up_samples(feed, thread, since_ns, since_ns).count;
}

static void wait_samples(const struct program *feed, uint32_t thread, uint64_t since_ns,
                         size_t least)
{
    WAIT_UNTIL(count_samples(feed, thread, since_ns) >= least, "no %zu samples of thread %u came",
               least, thread);
}

/* Whether the feed has said after a time that the target is frozen. */
static bool has_frozen(const struct program *feed, uint64_t since_ns)
{
    return line_number_from(feed->out, "state frozen ", "now", since_ns, "now") > 0;
}

/* Ends the work that was begun after a time, once it is known as a freeze. */
static void end_work(const struct target *target, const struct program *feed, uint64_t since_ns)
{
    WAIT_UNTIL(has_frozen(feed, since_ns), "no freeze after %llu is told: %s",
               (unsigned long long)since_ns, read_text(feed->out));
    tell(target);
}

/* The n-th freeze (from 1) of the log. */
static struct um_demo_log_event wait_freeze(const struct target *target, size_t n)
{
    struct um_demo_log_event *freezes = wait_freezes(target, n);
    struct um_demo_log_event found = freezes[n - 1];
    free(freezes);
    return found;
}

/* The n-th freeze, as soon as it is told, and the feed has a stack with the function. */
static struct um_demo_log_event wait_named(const struct target *target, const struct program *feed,
                                           const char *function, size_t n)
{
    char text[64];
    struct um_demo_log_event freeze = wait_freeze(target, n);
    snprintf(text, sizeof text, " %s", function);
    wait_told(feed, &freeze);
    wait_line(feed->out, text);
    return freeze;
}

static bool is_most(struct sampled work)
{
    return work.weight_ms >= work.others_ms + AFTER_WORK_MS && work.count > work.cut;
}

/* Waits until the target says in a line with this head that it is at its work; since when. */
static uint64_t wait_begun(const struct target *target, const char *head, uint64_t since_ns)
{
    const char *said = target->program.out;
    uint64_t begun_ns = 0;
    WAIT_UNTIL((begun_ns = line_number_from(said, head, "at", since_ns, "at")) > 0,
               "the target does not come to its work: %s", read_text(said));
    return begun_ns;
}

/* Waits until there are so many samples of the target's work, and these weigh more than all others
 * since it was asked for: what a freeze is named by is where most of its time went, as far as that
 * was sampled. (Why stacks are not whole is said if that is most of them.) */
static void wait_work(const struct target *target, const struct program *feed, const char *head,
                      uint64_t since_ns, size_t samples)
{
    uint64_t begun_ns = wait_begun(target, head, since_ns);
    struct sampled work;
    WAIT_UNTIL((work = add_up_samples(feed, target->tid, since_ns, begun_ns)).count >= samples &&
                   is_most(work),
               "%zu samples of the work weigh %.1f ms, and others %.1f ms", work.count,
               work.weight_ms, work.others_ms);
}

/* Lets the target work until there are so many samples of that, and waits until it is known in
 * which function most of them are. */
static struct um_demo_log_event work_sampled(const struct target *target,
                                             const struct program *feed, const char *work,
                                             size_t samples, const char *function, size_t n)
{
    uint64_t since_ns = machine_now_ns();
    trigger(target, work);
    wait_work(target, feed, "works ", since_ns, samples);
    end_work(target, feed, since_ns);
    return wait_named(target, feed, function, n);
}

static bool is_in_stack(const cJSON *freeze, const char *function)
{
    const cJSON *frame;
    cJSON_ArrayForEach(frame, cJSON_GetObjectItem(freeze, "stack"))
    {
        if (strcmp(frame->valuestring, function) == 0)
            return true;
    }
    return false;
}

static double ran_ms(const cJSON *freeze)
{
    return number(freeze, "cpu_user_ms") + number(freeze, "cpu_kernel_ms");
}

/* The freeze's stack has this function, and the account of its samples is whole. */
static void expect_stack(const cJSON *freeze, const char *function)
{
    cr_expect(is_in_stack(freeze, function), "no %s", function);
    cr_expect(cJSON_GetObjectItem(freeze, "stack_stopped") == NULL);
    cr_expect_geq(number(freeze, "samples"), SAMPLES);
    cr_expect_geq(number(freeze, "samples_yours"), SAMPLES);
    cr_expect_eq(number(freeze, "samples_yours") + number(freeze, "samples_unread"),
                 number(freeze, "samples"));
}

Test(sampling, freezes_have_the_stack_of_their_cause)
{
    struct target target;
    struct monitor monitor;
    struct program feed;

    start_target(&target, "target_works_win32", NULL);
    start_monitor(&monitor, &target, "--mine", "target_works_win32,nowhere", NULL);
    tail_feed(&feed, &monitor);
    struct um_demo_log_event slept =
        work_sampled(&target, &feed, SLEEP_LONG, SAMPLES, "sleep_long", 1);
    struct um_demo_log_event spun = work_sampled(&target, &feed, RECURSE, SAMPLES, "work_some", 2);
    cJSON *summary = stop_monitor(&monitor);
    const cJSON *sleeping = check_freeze(summary, &target, &slept, "frozen");
    const cJSON *spinning = check_freeze(summary, &target, &spun, "frozen");
    expect_stack(sleeping, "sleep_long");
    expect_stack(spinning, "recurse");
    cr_expect_gt(ran_ms(spinning), ran_ms(sleeping), "%.1f and %.1f ms", ran_ms(spinning),
                 ran_ms(sleeping));
    cr_expect_geq(number(summary, "sampling.samples"),
                  number(sleeping, "samples") + number(spinning, "samples"));
    char *text = read_text(monitor.program.out);
    cr_expect(strstr(text, " ← sleep_long") || strstr(text, " in sleep_long"), "%s", text);
    cr_expect(strstr(text, "  Sampling   "), "%s", text);
    cr_expect(strstr(text, "   waiting ") && strstr(text, "; yours "), "%s", text);
    free(text);
    cr_expect(has_line(monitor.program.err, "--mine: no freeze's stacks have nowhere"), "%s",
              read_text(monitor.program.err));
    cJSON_Delete(summary);
}

/* Functions whose parts are known ------------------------------------------------------------- */

/* Owner: as run. */
static const char *export_freeze(const char *recording, const char *format, const cJSON *freeze)
{
    const char *out, *err;
    char number_text[16];
    unsigned place = 1;          /* in the list of freezes */
    while (freeze->prev->next) { /* of the first one, cJSON's `prev` is the last */
        freeze = freeze->prev;
        place++;
    }
    snprintf(number_text, sizeof number_text, "%u", place);
    cr_assert_eq(run(&out, &err, "uimon", "export", recording, "--format", format, "--freeze",
                     number_text, NULL),
                 0, "%s", err);
    return out;
}

/* In which line the loop of a function begins, by target_works_win32: "share FUNCTION PART
 * LINE". */
static unsigned line_of(const char *text, const char *function)
{
    char head[64];
    unsigned line;
    snprintf(head, sizeof head, "share %s ", function);
    const char *found = strstr(text, head);
    cr_assert(found && sscanf(found + strlen(head), "%*f %u", &line) == 1, "%s", text);
    return line;
}

static void expect_line(const char *json, const char *function, unsigned line)
{
    char name[96];
    cJSON *root = cJSON_Parse(json);
    const cJSON *frame;
    bool is_there = false;
    snprintf(name, sizeof name, "target_works_win32!%s", function);
    cr_assert(root);
    cJSON_ArrayForEach(frame, cJSON_GetObjectItem(cJSON_GetObjectItem(root, "shared"), "frames"))
    {
        if (strcmp(cJSON_GetObjectItem(frame, "name")->valuestring, name) != 0)
            continue;
        double found = cJSON_GetObjectItem(frame, "line")->valuedouble;
        const char *file = cJSON_GetObjectItem(frame, "file")->valuestring;
        is_there = true;
        cr_expect(found >= line && found <= line + 2, "%s: %.0f and not %u", name, found, line);
        cr_expect(strstr(file, "target_works_win32.c"), "%s", file);
    }
    cr_expect(is_there, "%s", name);
    cJSON_Delete(root);
}

/* How often a function is in the deepest stack that has it. */
static size_t depth_of(const char *text, const char *function)
{
    size_t deepest = 0;
    for (const char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
        size_t count = 0;
        for (const char *at = strstr(line, function); at && at < end; at = strstr(at + 1, function))
            count++;
        deepest = count > deepest ? count : deepest;
    }
    return deepest;
}

static const char *call_of(const cJSON *freeze)
{
    const char *call = cJSON_GetStringValue(cJSON_GetObjectItem(freeze, "call"));
    return call ? call : "";
}

/* For whom the thread waited is who the target says it was: target_works_win32's "lock THREAD". */
static void expect_wait(const cJSON *freeze, const char *said, const char *what,
                        const char *function)
{
    const cJSON *wait = cJSON_GetObjectItem(freeze, "waiting_for");
    const char *in = cJSON_GetStringValue(cJSON_GetObjectItem(wait, "function"));
    char head[32];
    unsigned long thread;
    snprintf(head, sizeof head, "%s ", what);
    const char *line = strstr(said, head);
    cr_assert(line && sscanf(line + strlen(head), "%lu", &thread) == 1, "%s", said);
    cr_assert(wait, "nobody is known to have the %s", what);
    cr_expect_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(wait, "what")), what);
    cr_expect_eq(number(wait, "thread"), (double)thread);
    cr_expect(in && strcmp(in, function) == 0, "the %s is held in %s", what, in ? in : "-");
}

/* The thread that held up the UI thread has a marker in the flow of that freeze. */
static void expect_holder(const char *recording, const cJSON *freeze)
{
    const char *out, *err;
    char marker[32];
    const cJSON *wait = cJSON_GetObjectItem(freeze, "waiting_for");
    snprintf(marker, sizeof marker, "%.0f:1", number(wait, "thread"));
    cr_assert_eq(
        run(&out, &err, "uimon", "flows", recording, "--search", "held up the ui thread", NULL), 0,
        "%s", err);
    cr_expect(strstr(out, marker), "no %s in %s", marker, out);
    cr_assert_eq(run(&out, &err, "uimon", "flows", recording, "--from", marker, "--previous", NULL),
                 0, "%s", err);
    cr_expect(strstr(out, "Frozen"), "%s", out);
}

/* The functions of shared work, one after the other, each until there are samples of it. */
static struct um_demo_log_event share_sampled(const struct target *target,
                                              const struct program *feed,
                                              const char *const functions[3])
{
    char head[40];
    uint64_t begun_ns = machine_now_ns();
    trigger(target, SHARE_WORK);
    for (size_t i = 0; i < 3; i++) {
        snprintf(head, sizeof head, "now %s ", functions[i]);
        uint64_t since_ns = line_number(wait_line(target->program.out, head), functions[i]);
        wait_samples(feed, target->tid, since_ns, SAMPLES);
        end_work(target, feed, begun_ns);
    }
    return wait_freeze(target, 1);
}

/* Lets the target wait for a thread that says which it is, until there are samples of both. */
static struct um_demo_log_event wait_sampled(const struct target *target,
                                             const struct program *feed, const char *work,
                                             const char *what, const char *function, size_t n)
{
    char head[32];
    uint64_t begun_ns = machine_now_ns();
    snprintf(head, sizeof head, "%s ", what);
    trigger(target, work);
    uint32_t thread = (uint32_t)line_number(wait_line(target->program.out, head), what);
    wait_samples(feed, thread, wait_begun(target, head, begun_ns), SAMPLES);
    wait_work(target, feed, head, begun_ns, SAMPLES_OF_WAIT);
    end_work(target, feed, begun_ns);
    return wait_named(target, feed, function, n);
}

/* Each function that worked is on the stack, with its lines. */
static void expect_shares(const cJSON *freeze, const char *recording, const char *said,
                          const char *const functions[3])
{
    char part[96];
    const char *text = export_freeze(recording, "folded", freeze);
    for (size_t i = 0; i < 3; i++) {
        snprintf(part, sizeof part, ";target_works_win32!%s", functions[i]);
        cr_expect_gt(folded_us(text, part, ""), 0, "no %s in %.2000s", functions[i], text);
    }
    text = export_freeze(recording, "speedscope", freeze);
    for (size_t i = 0; i < 3; i++)
        expect_line(text, functions[i], line_of(said, functions[i]));
}

Test(sampling, names_lines_and_waits_are_those_of_the_program)
{
    static const char *const functions[] = {"work_most", "work_some", "work_little"};
    enum { SHARES, DEEP, LOCK, ASLEEP, LATE, WINDOW, ALL };
    struct um_demo_log_event truth[ALL];
    const cJSON *freezes[ALL];
    struct target target;
    struct monitor monitor;
    struct program feed;
    char recording[PATH_BYTES];

    snprintf(recording, sizeof recording, "%s", windows_path(test_file("works.uimon")));
    start_target(&target, "target_works_win32", NULL);
    start_monitor(&monitor, &target, "--record", recording, NULL);
    tail_feed(&feed, &monitor);
    truth[SHARES] = share_sampled(&target, &feed, functions);
    wait_text(test_file("works.uimon"), functions[2]);
    truth[DEEP] = work_sampled(&target, &feed, RECURSE, SAMPLES, "work_some", 2);
    truth[LOCK] = wait_sampled(&target, &feed, WAIT_FOR_LOCK, "lock", "wait_for_lock", 3);
    truth[ASLEEP] = work_sampled(&target, &feed, SLEEP_LONG, SAMPLES, "sleep_long", 4);
    truth[LATE] = work_sampled(&target, &feed, CALL_LATE, SAMPLES, "work_late", 5);
    truth[WINDOW] = wait_sampled(&target, &feed, SEND_MESSAGE, "window", "send_message", 6);
    cJSON *summary = stop_monitor(&monitor);
    for (size_t i = 0; i < ALL; i++)
        freezes[i] = check_freeze(summary, &target, &truth[i], "frozen");
    char *said = read_text(target.program.out);
    expect_shares(freezes[SHARES], recording, said, functions);
    const char *text = export_freeze(recording, "folded", freezes[DEEP]);
    size_t depth = depth_of(text, ";target_works_win32!recurse;");
    /* The innermost of 201 calls jumps to what it calls last. */
    cr_expect_eq(depth, 200, "it is %zu deep: %.2000s", depth, text);
    cr_expect(is_in_stack(freezes[LOCK], "wait_for_lock"));
    cr_expect(strstr(call_of(freezes[LOCK]), "Wait"), "it waits in '%s'", call_of(freezes[LOCK]));
    cr_expect(is_in_stack(freezes[ASLEEP], "sleep_long"));
    cr_expect(strstr(call_of(freezes[ASLEEP]), "Delay") ||
                  strstr(call_of(freezes[ASLEEP]), "Sleep"),
              "it sleeps in '%s'", call_of(freezes[ASLEEP]));
    cr_expect(is_in_stack(freezes[LATE], "work_late"));
    cr_expect(is_in_stack(freezes[WINDOW], "send_message"));
    expect_wait(freezes[LOCK], said, "lock", "hold_lock");
    expect_wait(freezes[WINDOW], said, "window", "answer_slowly");
    expect_holder(recording, freezes[LOCK]);
    expect_holder(recording, freezes[WINDOW]);
    cr_expect_eq(cJSON_GetObjectItem(freezes[SHARES], "waiting_for"), NULL);
    cr_expect_eq(cJSON_GetObjectItem(freezes[ASLEEP], "waiting_for"), NULL);
    free(said);
    cJSON_Delete(summary);
}

/* Stacks of the freeze reach the thread's start, through what the system called back: one of them,
 * and at least this part of the time, one sample not counted. */
static void expect_through_callback(const cJSON *freeze, const char *recording, const char *called,
                                    const char *caller, double least)
{
    const char *const names[] = {"target_works_win32!main", caller, called};
    const char *text = export_freeze(recording, "folded", freeze), *rest = text;
    double all = (double)folded_us(text, "", ""), whole = 0;
    struct folded_line line;
    while (folded_next(&rest, &line))
        whole += folded_has(&line, names, 3) ? (double)line.us : 0;
    cr_expect_gt(whole, 0, "none goes through %s: %.2000s", caller, text);
    cr_expect_geq(whole, least * all - all / number(freeze, "samples"),
                  "%.0f of %.0f µs go through %s: %.2000s", whole, all, caller, text);
    cr_expect_gt(number(freeze, "samples_yours"), 0);
    cr_expect(is_in_stack(freeze, called), "%s", called);
    cr_expect(cJSON_GetObjectItem(freeze, "stack_stopped") == NULL);
}

static void check_callbacks(size_t samples, double least)
{
    static const char *const works[] = {"spin:50012", "spin:50013", "spin:50014"};
    static const char *const called[] = {"fill_dialog", "answer_move", "hear_of_window"};
    static const char *const callers[] = {"open_dialog", "move_window", "hook_window"};
    struct um_demo_log_event truth[3];
    struct target target;
    struct monitor monitor;
    struct program feed;
    char recording[PATH_BYTES], headline[80];

    snprintf(recording, sizeof recording, "%s", windows_path(test_file("called.uimon")));
    start_target(&target, "target_works_win32", NULL);
    start_monitor(&monitor, &target, "--record", recording, "--mine", "target_works_win32", NULL);
    tail_feed(&feed, &monitor);
    for (size_t i = 0; i < 3; i++) {
        truth[i] = work_sampled(&target, &feed, works[i], samples, "work_some", i + 1);
        wait_text(test_file("called.uimon"), called[i]);
    }
    cJSON *summary = stop_monitor(&monitor);
    char *text = read_text(monitor.program.out);
    for (size_t i = 0; i < 3; i++) {
        const cJSON *freeze = find_freeze(summary, &truth[i]);
        cr_assert(freeze, "no freeze of %s", truth[i].name);
        expect_through_callback(freeze, recording, called[i], callers[i], least);
        snprintf(headline, sizeof headline, " in work_some ← work_once ← %s", called[i]);
        cr_expect(strstr(text, headline), "no %s: %s", headline, text);
    }
    free(text);
    cJSON_Delete(summary);
}

Test(sampling, stacks_go_through_what_the_system_calls_back)
{
    check_callbacks(5, 0);
}

Test(sampling, nearly_all_stacks_go_through_what_the_system_calls_back, .measured = true)
{
    check_callbacks(100, 0.95);
}

/* The UI thread is sampled while it rests, too, and other threads beside it. */
Test(sampling, always_and_all_threads)
{
    struct target target;
    struct monitor monitor;
    struct program feed;
    const char *out, *err;
    char recording[PATH_BYTES], thread[32];

    snprintf(recording, sizeof recording, "%s", windows_path(test_file("always.uimon")));
    start_target(&target, "target_works_win32", NULL);
    /* A thread of the program's pool runs uimon's code, too, while the pool is measured. */
    start_monitor(&monitor, &target, "--sample", "always", "--sample-threads", "all",
                  "--threadpool", "off", "--record", recording, NULL);
    tail_feed(&feed, &monitor);
    wait_samples(&feed, target.tid, 0, 1);
    struct um_demo_log_event waited =
        wait_sampled(&target, &feed, WAIT_FOR_LOCK, "lock", "wait_for_lock", 1);
    cJSON *summary = stop_monitor(&monitor);
    const cJSON *freeze = check_freeze(summary, &target, &waited, "frozen");
    snprintf(thread, sizeof thread, "thread %lu;", (unsigned long)target.tid);
    long in_freeze = folded_us(export_freeze(recording, "folded", freeze), thread, "");
    cr_assert_eq(run(&out, &err, "uimon", "export", recording, "--format", "folded", NULL), 0, "%s",
                 err);
    cr_expect_gt(folded_us(out, thread, ""), in_freeze, "it is sampled in the freeze alone");
    /* The UI thread runs uimon's code, too, but no other one does. */
    cr_expect_eq(folded_us(out, "uimon-hook", ""), folded_us(out, thread, "uimon-hook"),
                 "a thread of uimon's own");
    char *said = read_text(target.program.out);
    expect_wait(freeze, said, "lock", "hold_lock");
    const cJSON *holder = cJSON_GetObjectItem(cJSON_GetObjectItem(freeze, "waiting_for"), "thread");
    snprintf(thread, sizeof thread, "holder (thread %.0f);", holder ? holder->valuedouble : 0);
    cr_expect_gt(folded_us(out, thread, "hold_lock"), 0, "%s", thread);
    free(said);
    cJSON_Delete(summary);
}

/* How many of the frames of a stack are code without a name. */
static size_t count_nameless(const char *stack)
{
    size_t count = 0;
    for (const char *at = stack; (at = strstr(at, ";code without a name")); at++)
        count++;
    return count;
}

/* Samples of the freeze go through the twelve functions that the program generated, to one of its
 * own below them and to the thread's start above: one of them, and at least this part of the
 * time. */
static void expect_generated(const char *text, double least)
{
    static const char *const names[] = {"target_works_win32!main",
                                        ";target_works_win32!work_below"};
    const char *rest = text;
    struct folded_line line;
    double all = (double)folded_us(text, "", ""), whole = 0;
    while (folded_next(&rest, &line))
        if (folded_has(&line, names, 2) && count_nameless(line.stack) == 12)
            whole += (double)line.us;
    cr_expect_gt(whole, 0, "no stack is whole: %.1500s", text);
    cr_expect_geq(whole, least * all, "%.0f of %.0f µs are whole: %.1500s", whole, all, text);
}

static void check_generated(size_t samples, double least)
{
    static const char *const works[] = {"spin:50007", "spin:50008"};
    struct um_demo_log_event truth[2];
    struct target target;
    struct monitor monitor;
    struct program feed;
    char recording[PATH_BYTES];

    snprintf(recording, sizeof recording, "%s", windows_path(test_file("generated.uimon")));
    start_target(&target, "target_works_win32", NULL);
    start_monitor(&monitor, &target, "--record", recording, NULL);
    tail_feed(&feed, &monitor);
    for (size_t i = 0; i < 2; i++)
        truth[i] = work_sampled(&target, &feed, works[i], samples, "work_some", i + 1);
    cJSON *summary = stop_monitor(&monitor);
    for (size_t i = 0; i < 2; i++) {
        const cJSON *freeze = find_freeze(summary, &truth[i]);
        cr_assert(freeze, "no freeze of %s", truth[i].name);
        expect_generated(export_freeze(recording, "folded", freeze), least);
    }
    cJSON_Delete(summary);
}

/* Code that a program generates is in no module: only the program itself can tell how to unwind it,
 * by a table and by a function that the system calls. */
Test(sampling, generated_code_is_walked_through)
{
    check_generated(5, 0);
}

Test(sampling, generated_code_is_walked_through_in_nearly_all_samples, .measured = true)
{
    check_generated(100, 0.9);
}

/* The look-up of such code takes a lock of the runtime's, which the frozen thread holds. uimon's
 * signs of life go on meanwhile: the freeze is no suspension. */
Test(sampling, a_look_up_that_waits_holds_up_no_sign_of_life)
{
    struct target target;
    struct monitor monitor;

    start_target(&target, "target_works_win32", NULL);
    double threads = probe_number("threads", decimal(target.pid), NULL);
    start_monitor(&monitor, &target, NULL);
    /* Nothing is asked of the feed here: a listener costs a thread. */
    WAIT_UNTIL(line_number(probe("beats", "0.3", NULL), "tagged") > 0, "no beat is sent");
    size_t before = lines_with(monitor.program.err, " samples in ");
    trigger(&target, "spin:2015");
    wait_line(target.program.out, "look-up waits");
    struct um_demo_log_event truth = wait_freeze(&target, 1);
    wait_lines(monitor.program.err, " samples in ", before + 1); /* the freeze is told */
    cJSON *summary = stop_monitor(&monitor);
    check_freeze(summary, &target, &truth, "frozen");
    cr_expect_lt(number(summary, "state_ms.suspended"),
                 (double)(truth.end_ns - truth.begin_ns) / 2e6);
    WAIT_UNTIL(probe_number("threads", decimal(target.pid), NULL) <= threads,
               "more than %.0f threads, as many as before", threads);
    cJSON_Delete(summary);
}

/* Methods that a runtime has compiled, by a library that stands for .NET's own: it knows twelve of
 * them, reads without end over one, and ends its process over one. */
Test(sampling, managed_methods_are_named_by_their_runtime)
{
    static const char *const works[] = {"spin:1009", "spin:1010"};
    static const char *const said[] = {"samples in work_some",
                                       "have no names (uimon-names.exe ended over this module)"};
    struct um_demo_log_event truth[2];
    struct target target;
    struct monitor monitor;
    char recording[PATH_BYTES];
    char methods[1024] = "";

    snprintf(recording, sizeof recording, "%s", windows_path(test_file("managed.uimon")));
    start_target(&target, "target_works_win32", NULL);
    start_monitor(&monitor, &target, "--record", recording, NULL);
    wait_measured(&monitor);
    for (size_t i = 0; i < 2; i++)
        truth[i] =
            wait_freeze(&target, sampled_freezes(&target, works[i], monitor.program.err, said[i]));
    cJSON *summary = stop_monitor(&monitor);
    const cJSON *freeze = find_freeze(summary, &truth[0]);
    cr_assert(freeze);
    for (unsigned i = 4; i < 12; i++)
        snprintf(methods + strlen(methods), sizeof methods - strlen(methods),
                 ";<managed>!Stub.Type.Method%u(Int32)", i);
    snprintf(methods + strlen(methods), sizeof methods - strlen(methods),
             ";target_works_win32!work_below");
    const char *text = export_freeze(recording, "folded", freeze);
    const char *at = strstr(text, methods);
    cr_assert(at, "no %s in %.3000s", methods, text);
    cr_expect(strstr(text, ";target_works_win32!call_methods;<managed>!Stub.Type.Method0(Int32);"
                           "<managed>!Stub.Type.Method1(Int32);<managed>!Stub.Type.Method2(Int32);"
                           "<managed>!code without a name"),
              "%.3000s", text);
    /* Where names fail, stacks do not. */
    freeze = find_freeze(summary, &truth[1]);
    cr_assert(freeze);
    text = export_freeze(recording, "folded", freeze);
    at = strstr(text, ";target_works_win32!call_methods;");
    cr_assert(at && strstr(at, ";target_works_win32!work_below"), "%.3000s", text);
    cr_expect(!strstr(text, "Method3("), "%.3000s", text);
    cJSON_Delete(summary);
}

Test(sampling, it_can_be_switched_off)
{
    struct target target;
    struct monitor monitor;
    struct program feed;

    start_target(&target, "target_works_win32", NULL);
    start_monitor(&monitor, &target, "--sample", "off", NULL);
    tail_feed(&feed, &monitor);
    uint64_t since_ns = machine_now_ns();
    begin_freeze(&target, SLEEP_LONG);
    end_work(&target, &feed, since_ns);
    struct um_demo_log_event truth = wait_freeze(&target, 1);
    wait_told(&feed, &truth);
    cJSON *summary = stop_monitor(&monitor);
    const cJSON *freeze = find_freeze(summary, &truth);
    cr_assert(freeze);
    cr_expect(cJSON_GetObjectItem(freeze, "stack") == NULL);
    cr_expect(cJSON_GetObjectItem(summary, "sampling") == NULL);
    cJSON_Delete(summary);
}

/* A thread that was left suspended when its monitor died runs again, so that its work can end. */
static void expect_end(const struct target *target, size_t n)
{
    tell(target);
    wait_lines(target->log, "freeze ", n);
    WAIT_UNTIL(probe_number("stops", decimal(target->tid), NULL) == 0, "still suspended");
}

/* Begins work of which there are so many samples when this returns. The target hears from then on
 * when it is told to end. */
static void begin_sampled(const struct target *target, const struct program *feed, const char *work,
                          size_t samples)
{
    uint64_t since_ns = machine_now_ns();
    trigger(target, work);
    wait_samples(feed, target->tid, wait_begun(target, "works ", since_ns), samples);
}

/* Stops a thread while it is suspended so many times at most. Returns how many times it was: uimon
 * and its DLL suspend threads for moments. */
static double stop_thread(uint32_t tid, double most)
{
    double before;
    WAIT_UNTIL((before = probe_number("thread", "stop", decimal(tid), NULL)) <= most ||
                   (probe("thread", "go", decimal(tid), NULL), false),
               "the thread is suspended %.0f times", before);
    return before;
}

/* Kills a monitor as if it died between suspending a thread and resuming it: the thread is
 * suspended exactly once for it. The monitor itself is stopped before, so that it does not resume
 * the thread, nor take another sample. */
static void die_suspending(struct monitor *monitor, uint32_t tid)
{
    unsigned uimon;
    cr_assert_eq(sscanf(probe("find", "uimon session end", NULL), "%*s %u", &uimon), 1);
    probe("suspend", decimal(uimon), NULL);
    /* If it was stopped in the midst of a sample, that suspension will do. */
    if (stop_thread(tid, 1) > 0)
        probe("thread", "go", decimal(tid), NULL);
    kill_hard(&monitor->program);
}

Test(sampling, a_suspension_does_not_outlive_its_monitor)
{
    struct target target;
    struct monitor monitor;
    struct program feed;

    start_target(&target, "target_works_win32", NULL);
    start_monitor(&monitor, &target, NULL);
    tail_feed(&feed, &monitor);
    begin_sampled(&target, &feed, SLEEP_LONG, 1);
    die_suspending(&monitor, target.tid);
    expect_end(&target, 1);
    wait_end(&monitor.program, LIMIT_MS);
}

/* The same of another thread: the one that holds the lock for which the UI thread waits. */
Test(sampling, nor_does_that_of_the_thread_that_is_waited_for)
{
    struct target target;
    struct monitor monitor;
    struct program feed;

    start_target(&target, "target_works_win32", NULL);
    start_monitor(&monitor, &target, NULL);
    tail_feed(&feed, &monitor);
    trigger(&target, WAIT_FOR_LOCK);
    uint32_t holder = (uint32_t)line_number(wait_line(target.program.out, "lock "), "lock");
    wait_samples(&feed, holder, 0, 1);
    die_suspending(&monitor, holder);
    expect_end(&target, 1);
    wait_end(&monitor.program, LIMIT_MS);
}

/* The suspension of another program is left alone when the monitor ends in good order. */
Test(sampling, a_suspension_of_others_is_left_alone)
{
    struct target target;
    struct monitor monitor;

    start_target(&target, NULL, NULL);
    start_monitor(&monitor, &target, NULL);
    wait_measured(&monitor);
    stop_thread(target.tid, 0);
    cJSON_Delete(stop_monitor(&monitor));
    sleep_ms(1000); /* what is resumed wrongly is so by then */
    cr_expect_eq(probe_number("thread", "go", decimal(target.tid), NULL), 1);
}

Test(sampling, killed_monitors_leave_no_suspension)
{
    struct target target;
    struct monitor monitor;
    struct program feed;

    start_target(&target, "target_works_win32", NULL);
    for (size_t i = 1; i <= 2; i++) {
        start_monitor(&monitor, &target, "--slow", "20", "--sample-every", "1", NULL);
        tail_feed(&feed, &monitor);
        begin_sampled(&target, &feed, SLEEP_LONG, i);
        kill_hard(&monitor.program);
        expect_end(&target, i);
        wait_end(&monitor.program, LIMIT_MS);
        wait_end(&feed, LIMIT_MS);
    }
}

Test(sampling, target_killed_while_it_is_sampled)
{
    struct target target;
    struct monitor monitor;
    struct program feed;

    start_target(&target, "target_works_win32", NULL);
    start_monitor(&monitor, &target, NULL);
    tail_feed(&feed, &monitor);
    uint64_t since_ns = machine_now_ns();
    trigger(&target, SLEEP_LONG);
    WAIT_UNTIL(has_frozen(&feed, since_ns), "it is not frozen");
    wait_samples(&feed, target.tid, machine_now_ns(), SAMPLES);
    kill_hard(&target.program);
    cJSON *summary = finish_monitor(&monitor);
    cr_assert_geq(freeze_count(summary), 1);
    cr_expect_geq(number(freeze_at(summary, freeze_count(summary) - 1), "samples"), 1);
    cJSON_Delete(summary);
}
