/* Where the program was in a freeze: stacks of the demo's UI thread, what taking them costs it, and
 * that nobody who dies leaves it suspended. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/e2e/harness.h"

TestSuite(sampling, .fini = conclude);

#define FREEZE_MS 1000
/* Samples of a freeze in which the thread may be in Wine's own code, that of Linux, where there
 * is no stack of Windows: some two in a thousand, counted over seven freezes of a second. */
#define WINES_OWN 3
#define SAMPLES 50
#define COST_SHARE 0.03 /* of the time that the target may lose by samples */
#define COST_MS 1.0     /* the last suspension, which the share does not have */
#define SUSPENDED_MS 1.0
#define BARE_TIMES 2 /* more than what the system's calls take themselves: reading a whole stack */
#define THAWED_MS 1000.0 /* after its monitor's death the thread runs again */

static double ms(uint64_t ns)
{
    return (double)ns / 1e6;
}

static double length_ms(const struct um_demo_log_event *freeze)
{
    return ms(freeze->end_ns - freeze->begin_ns);
}

static double stall_ms(const struct target *target, const struct um_demo_log_event *freeze)
{
    return ms(stalled_ns(target->log, freeze->begin_ns, freeze->end_ns));
}

/* Waits for the n-th freeze (from 1) in the log. */
static struct um_demo_log_event wait_freeze(const struct target *target, size_t n)
{
    for (unsigned waited = 0;; waited += 10) {
        struct um_demo_log_event *events;
        struct um_demo_log_event found = {.pid = 0};
        size_t count = log_events(target->log, UM_DEMO_LOG_FREEZE, &events);
        if (count >= n)
            found = events[n - 1];
        free(events);
        if (count >= n)
            return found;
        cr_assert_lt(waited, LIMIT_MS, "only %zu freezes of %zu came", count, n);
        sleep_ms(10);
    }
}

/* The freeze's stack has this function of the demo's, and there are enough samples of it: SAMPLES,
 * or as many as may be where each of them takes `sample_ms`. A suspension that the machine stalls
 * uses up budget for 1 / COST_SHARE of its time. */
static void expect_stack(const cJSON *freeze, const struct target *target,
                         const struct um_demo_log_event *truth, const char *function,
                         double sample_ms)
{
    double least = fmin(SAMPLES, floor(FREEZE_MS * COST_SHARE / sample_ms));
    const cJSON *stack = cJSON_GetObjectItem(freeze, "stack");
    double excuse = stall_ms(target, truth) / COST_SHARE / 10;

    cr_assert_geq(cJSON_GetArraySize(stack), 1, "a %s has no stack", truth->name);
    bool is_known = false;
    for (int i = 0; i < cJSON_GetArraySize(stack); i++)
        is_known |= strcmp(cJSON_GetStringValue(cJSON_GetArrayItem(stack, i)), function) == 0;
    cr_expect(is_known, "a %s is not in %s", truth->name, function);
    cr_expect(cJSON_GetObjectItem(freeze, "stack_stopped") == NULL);
    cr_expect(is_within(least - number(freeze, "samples"), 0, excuse),
              "%.0f samples of a %s, of %.0f", number(freeze, "samples"), truth->name, least);
    cr_expect(is_within(length_ms(truth), FREEZE_MS * (1 + COST_SHARE) + COST_MS,
                        stall_ms(target, truth)),
              "a %s of %d ms took %.1f ms", truth->name, FREEZE_MS, length_ms(truth));
}

/* How much of a freeze's time the thread ran; and all of it is the demo's. */
static void expect_work(const cJSON *freeze, double least, double most)
{
    double ran = (number(freeze, "cpu_user_ms") + number(freeze, "cpu_kernel_ms")) /
                 number(freeze, "sampled_ms");
    cr_expect(ran >= least && ran <= most, "it ran for %.2f of the time", ran);
    double unread = number(freeze, "samples_unread");
    cr_expect_eq(number(freeze, "samples_yours") + unread, number(freeze, "samples"));
    cr_expect_leq(unread, WINES_OWN, "%.0f samples could not be read", unread);
}

Test(sampling, freezes_have_the_stack_of_their_cause, .measured = true)
{
    struct target target;
    struct monitor monitor;

    start_target(&target, NULL, NULL);
    start_monitor(&monitor, &target, "--mine", "uimon-demo", NULL);
    trigger(&target, "1000");
    struct um_demo_log_event slept = wait_freeze(&target, 1);
    sleep_ms(500);
    trigger(&target, "spin:1000");
    struct um_demo_log_event spun = wait_freeze(&target, 2);
    sleep_ms(200);
    cJSON *summary = stop_monitor(&monitor);
    cr_assert(find_freeze(summary, &slept) && find_freeze(summary, &spun));
    /* On a slow machine the system's own calls take longer than SUSPENDED_MS. */
    trigger(&target, "spin:2000");
    double bare_ms = probe_number("stands", decimal(target.pid), decimal(target.tid), NULL);
    double most_ms = fmax(bare_ms * BARE_TIMES, SUSPENDED_MS);
    expect_stack(find_freeze(summary, &slept), &target, &slept, "um_demo_ui_block",
                 bare_ms * BARE_TIMES);
    expect_stack(find_freeze(summary, &spun), &target, &spun, "um_demo_ui_block",
                 bare_ms * BARE_TIMES);
    expect_work(find_freeze(summary, &slept), 0, 0.05);
    double stalled = stall_ms(&target, &spun) / FREEZE_MS;
    expect_work(find_freeze(summary, &spun), 0.8 - stalled, 1.1);
    cr_expect_geq(number(summary, "sampling.samples"),
                  number(find_freeze(summary, &slept), "samples") +
                      number(find_freeze(summary, &spun), "samples"));
    cr_expect_leq(number(summary, "sampling.suspended_ms.p50"), most_ms,
                  "%.3f ms, of which the bare calls take %.3f",
                  number(summary, "sampling.suspended_ms.p50"), bare_ms);
    char *text = read_text(monitor.program.out);
    cr_expect(strstr(text, " ← um_demo_ui_block"), "%s", text);
    cr_expect(strstr(text, "  Sampling   "), "%s", text);
    cr_expect(strstr(text, "   waiting ") && strstr(text, "; yours "), "%s", text);
    free(text);
    cJSON_Delete(summary);
}

/* Functions whose parts are known ------------------------------------------------------------- */

/* The samples in "NAME;...;FUNCTION ... N" lines: all, and those with a function on the stack. */
static double folded(const char *text, const char *function, double *all)
{
    double with = 0;
    *all = 0;
    for (const char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
        const char *number = end;
        while (number > line && number[-1] != ' ')
            number--;
        double samples = strtod(number, NULL);
        const char *found = strstr(line, function);
        *all += samples;
        with += found && found < end ? samples : 0;
    }
    return with;
}

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

/* The truth of target_works_win32: "share FUNCTION PART LINE". */
static void read_share(const char *text, const char *function, double *share, unsigned *line)
{
    char head[64];
    snprintf(head, sizeof head, "share %s ", function);
    const char *found = strstr(text, head);
    cr_assert(found && sscanf(found + strlen(head), "%lf %u", share, line) == 2, "%s", text);
}

/* Four standard deviations of a share that so many samples know: 1 in 16,000 is further off.
 * Returns how long the function was: on a busy machine there are few samples, and a small part
 * has none. Units: us. */
static double expect_share(const char *text, const char *function, double truth, double count,
                           double stalled)
{
    char part[96];
    double all;
    snprintf(part, sizeof part, ";target_works_win32!%s", function);
    double long_us = folded(text, part, &all);
    double share = long_us / all;
    cr_expect(is_within(fabs(share - truth), 4 * sqrt(truth * (1 - truth) / count), stalled),
              "%s has %.3f by %.0f samples, and had %.3f of the time", function, share, count,
              truth);
    return long_us;
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

static const char *call_of(const cJSON *freeze)
{
    const char *call = cJSON_GetStringValue(cJSON_GetObjectItem(freeze, "call"));
    return call ? call : "";
}

/* For whom the thread waited is who said so itself: target_works_win32's "lock THREAD". */
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

Test(sampling, shares_names_and_lines_are_those_of_the_program, .measured = true)
{
    static const char *const functions[] = {"work_most", "work_some", "work_little"};
    static const char *const works[] = {"spin:3000", "spin:501", "spin:502",
                                        "spin:503",  "spin:504", "spin:505"};
    struct um_demo_log_event truth[6];
    struct target target;
    struct monitor monitor;
    char recording[PATH_BYTES];

    snprintf(recording, sizeof recording, "%s", windows_path(test_file("works.uimon")));
    start_target(&target, "target_works_win32", NULL);
    start_monitor(&monitor, &target, "--record", recording, NULL);
    for (size_t i = 0; i < 6; i++) {
        trigger(&target, works[i]);
        truth[i] = wait_freeze(&target, i + 1);
        sleep_ms(300);
    }
    cJSON *summary = stop_monitor(&monitor);
    const cJSON *freezes[6];
    for (size_t i = 0; i < 6; i++) {
        freezes[i] = find_freeze(summary, &truth[i]);
        cr_assert(freezes[i], "no freeze of %s", truth[i].name);
    }
    char *said = read_text(target.program.out);
    const char *text = export_freeze(recording, "folded", freezes[0]);
    double stalled = stall_ms(&target, &truth[0]) / length_ms(&truth[0]);
    double longs_us[3];
    unsigned lines[3];
    for (size_t i = 0; i < 3; i++) {
        double share;
        read_share(said, functions[i], &share, &lines[i]);
        longs_us[i] =
            expect_share(text, functions[i], share, number(freezes[0], "samples"), stalled);
    }
    cr_expect_gt(longs_us[0], 0);
    text = export_freeze(recording, "speedscope", freezes[0]);
    for (size_t i = 0; i < 3; i++)
        if (longs_us[i] > 0)
            expect_line(text, functions[i], lines[i]);
    text = export_freeze(recording, "folded", freezes[1]);
    size_t depth = depth_of(text, ";target_works_win32!recurse;");
    /* The innermost of 201 calls jumps to what it calls last. */
    cr_expect_eq(depth, 200, "it is %zu deep: %.2000s", depth, text);
    cr_expect(is_in_stack(freezes[2], "wait_for_lock"));
    cr_expect(strstr(call_of(freezes[2]), "Wait"), "it waits in '%s'", call_of(freezes[2]));
    cr_expect(is_in_stack(freezes[3], "sleep_long"));
    cr_expect(strstr(call_of(freezes[3]), "Delay") || strstr(call_of(freezes[3]), "Sleep"),
              "it sleeps in '%s'", call_of(freezes[3]));
    cr_expect(is_in_stack(freezes[4], "work_late"));
    cr_expect(is_in_stack(freezes[5], "send_message"));
    expect_wait(freezes[2], said, "lock", "hold_lock");
    expect_wait(freezes[5], said, "window", "answer_slowly");
    expect_holder(recording, freezes[2]);
    expect_holder(recording, freezes[5]);
    cr_expect_eq(cJSON_GetObjectItem(freezes[0], "waiting_for"), NULL);
    cr_expect_eq(cJSON_GetObjectItem(freezes[3], "waiting_for"), NULL);
    free(said);
    cJSON_Delete(summary);
}

/* The freeze's stacks reach the thread's start, through what the system called back. Few as they
 * are on a busy machine, one of them may be in Wine's own code. */
static void expect_through_callback(const cJSON *freeze, const char *recording, const char *called,
                                    const char *caller)
{
    double all;
    const char *text = export_freeze(recording, "folded", freeze);
    double cut = folded(text, "[stack not read]", &all);
    double most = 1 + 0.05 * all;
    cr_expect(cut < all && cut <= most, "%s: %.0f of %.0f are not whole: %.2000s", called, cut, all,
              text);
    double through = folded(text, caller, &all);
    cr_expect_leq(all - through, most, "%.0f of %.0f are in %s: %.2000s", through, all, caller,
                  text);
    cr_expect_leq(number(freeze, "samples") - number(freeze, "samples_yours"), most);
    cr_expect(is_in_stack(freeze, called), "%s", called);
    cr_expect(cJSON_GetObjectItem(freeze, "stack_stopped") == NULL);
}

Test(sampling, stacks_go_through_what_the_system_calls_back)
{
    static const char *const works[] = {"spin:512", "spin:513", "spin:514"};
    static const char *const called[] = {"fill_dialog", "answer_move", "hear_of_window"};
    static const char *const callers[] = {"open_dialog", "move_window", "hook_window"};
    struct um_demo_log_event truth[3];
    struct target target;
    struct monitor monitor;
    char recording[PATH_BYTES], headline[80];

    snprintf(recording, sizeof recording, "%s", windows_path(test_file("called.uimon")));
    start_target(&target, "target_works_win32", NULL);
    start_monitor(&monitor, &target, "--record", recording, "--mine", "target_works_win32", NULL);
    for (size_t i = 0; i < 3; i++) {
        trigger(&target, works[i]);
        truth[i] = wait_freeze(&target, i + 1);
        sleep_ms(300);
    }
    cJSON *summary = stop_monitor(&monitor);
    char *text = read_text(monitor.program.out);
    for (size_t i = 0; i < 3; i++) {
        const cJSON *freeze = find_freeze(summary, &truth[i]);
        cr_assert(freeze, "no freeze of %s", truth[i].name);
        expect_through_callback(freeze, recording, called[i], callers[i]);
        snprintf(headline, sizeof headline, " in work_some ← work_once ← %s", called[i]);
        cr_expect(strstr(text, headline), "no %s: %s", headline, text);
    }
    free(text);
    cJSON_Delete(summary);
}

/* Samples of a thread in folded stacks, by its name there, or with NULL of all; and how many of
 * them have a function on the stack. */
static double folded_of(const char *text, const char *thread, const char *function, double *all)
{
    double with = 0;
    *all = 0;
    for (const char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
        const char *number = end;
        while (number > line && number[-1] != ' ')
            number--;
        if (thread && strncmp(line, thread, strlen(thread)) != 0)
            continue;
        const char *found = strstr(line, function);
        *all += strtod(number, NULL);
        with += found && found < end ? strtod(number, NULL) : 0;
    }
    return with;
}

/* The UI thread is sampled while it rests, too, and other threads beside it. */
Test(sampling, always_and_all_threads, .measured = true)
{
    struct target target;
    struct monitor monitor;
    const char *out, *err;
    char recording[PATH_BYTES], thread[32];
    double all;

    snprintf(recording, sizeof recording, "%s", windows_path(test_file("always.uimon")));
    start_target(&target, "target_works_win32", NULL);
    start_monitor(&monitor, &target, "--sample", "always", "--sample-threads", "all", "--record",
                  recording, NULL);
    sleep_ms(1000);
    trigger(&target, "spin:1002");
    struct um_demo_log_event waited = wait_freeze(&target, 1);
    cJSON *summary = stop_monitor(&monitor);
    const cJSON *freeze = find_freeze(summary, &waited);
    cr_assert(freeze);
    double suspended = number(summary, "sampling.suspended_ms.total");
    cr_expect_leq(suspended,
                  COST_SHARE * number(summary, "duration_ms") + COST_MS +
                      number(summary, "sampling.suspended_ms.max"),
                  "%.1f ms of %.1f ms", suspended, number(summary, "duration_ms"));
    cr_assert_eq(run(&out, &err, "uimon", "export", recording, "--format", "folded", NULL), 0, "%s",
                 err);
    snprintf(thread, sizeof thread, "thread %lu;", (unsigned long)target.tid);
    (void)folded_of(out, thread, "wait_for_lock", &all);
    cr_expect_gt(all, number(freeze, "samples"), "%.0f samples, %.0f in the freeze", all,
                 number(freeze, "samples"));
    char *said = read_text(target.program.out);
    expect_wait(freeze, said, "lock", "hold_lock");
    const cJSON *holder = cJSON_GetObjectItem(cJSON_GetObjectItem(freeze, "waiting_for"), "thread");
    snprintf(thread, sizeof thread, "holder (thread %.0f);", holder ? holder->valuedouble : 0);
    cr_expect_geq(folded_of(out, thread, "hold_lock", &all), 1, "%s", thread);
    /* The UI thread runs uimon's code, too, but no other one does. */
    snprintf(thread, sizeof thread, "thread %lu;", (unsigned long)target.tid);
    double own = folded_of(out, thread, "uimon-hook", &all);
    cr_expect_eq(folded_of(out, NULL, "uimon-hook", &all), own, "a thread of uimon's own");
    free(said);
    cJSON_Delete(summary);
}

/* How many of the frames in a line of "NAME;...;FUNCTION ... N" are addresses in this range. */
static size_t count_within(const char *line, const char *end, uint64_t first, uint64_t behind)
{
    size_t count = 0;
    for (const char *at = line; (at = strstr(at, ";0x")) && at < end; at++) {
        uint64_t address = strtoull(at + 1, NULL, 16);
        count += address >= first && address < behind;
    }
    return count;
}

/* All samples of a freeze go through the twelve functions that the program generated, to one of its
 * own below them and to the thread's start above. */
static void expect_generated(const char *text, uint64_t first, uint64_t behind)
{
    double all = 0, whole = 0;
    for (const char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
        const char *number = end;
        while (number > line && number[-1] != ' ')
            number--;
        const char *below = strstr(line, ";target_works_win32!work_below");
        const char *outer = strstr(line, "target_works_win32!main");
        double samples = strtod(number, NULL);
        all += samples;
        if (below && below < end && outer && outer < end &&
            count_within(line, end, first, behind) == 12)
            whole += samples;
    }
    cr_expect_geq(all, 5, "%.0f samples", all);
    cr_expect_geq(whole, 0.9 * all, "%.0f of %.0f samples are whole: %.1500s", whole, all, text);
}

/* Code that a program generates is in no module: only the program itself can tell how to unwind it,
 * by a table and by a function that the system calls. */
Test(sampling, generated_code_is_walked_through)
{
    static const char *const works[] = {"spin:1007", "spin:1008"};
    struct um_demo_log_event truth[2];
    struct target target;
    struct monitor monitor;
    char recording[PATH_BYTES];

    snprintf(recording, sizeof recording, "%s", windows_path(test_file("generated.uimon")));
    start_target(&target, "target_works_win32", NULL);
    start_monitor(&monitor, &target, "--record", recording, NULL);
    for (size_t i = 0; i < 2; i++) {
        trigger(&target, works[i]);
        truth[i] = wait_freeze(&target, i + 1);
        sleep_ms(300);
    }
    cJSON *summary = stop_monitor(&monitor);
    char *said = read_text(target.program.out);
    const char *at = said;
    for (size_t i = 0; i < 2; i++) {
        unsigned long long first, behind;
        const cJSON *freeze = find_freeze(summary, &truth[i]);
        cr_assert(freeze, "no freeze of %s", truth[i].name);
        at = strstr(at, "generated ");
        cr_assert(at && sscanf(at++, "generated %llx %llx", &first, &behind) == 2, "%s", said);
        expect_generated(export_freeze(recording, "folded", freeze), first, behind);
    }
    free(said);
    cJSON_Delete(summary);
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
    trigger(&target, "spin:1015");
    struct um_demo_log_event truth = wait_freeze(&target, 1);
    sleep_ms(300);
    cJSON *summary = stop_monitor(&monitor);
    const cJSON *freeze = find_freeze(summary, &truth);
    cr_assert(freeze, "no freeze of %s", truth.name);
    cr_expect_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(freeze, "state")), "frozen");
    cr_expect_eq(number(summary, "state_ms.suspended"), 0);
    double left = probe_number("threads", decimal(target.pid), NULL);
    for (unsigned waited = 0; left > threads && waited < LIMIT_MS; waited += 50) {
        sleep_ms(50);
        left = probe_number("threads", decimal(target.pid), NULL);
    }
    cr_expect_leq(left, threads, "%.0f threads, %.0f before", left, threads);
    cJSON_Delete(summary);
}

/* Methods that a runtime has compiled, by a library that stands for .NET's own: it knows twelve of
 * them, reads without end over one, and ends its process over one. */
Test(sampling, managed_methods_are_named_by_their_runtime)
{
    static const char *const works[] = {"spin:1009", "spin:1010"};
    static const char *const said[] = {
        "samples in work_some", "told by their addresses (uimon-names.exe ended over this module)"};
    struct um_demo_log_event truth[2];
    struct target target;
    struct monitor monitor;
    char recording[PATH_BYTES];
    char methods[1024] = "";

    snprintf(recording, sizeof recording, "%s", windows_path(test_file("managed.uimon")));
    start_target(&target, "target_works_win32", NULL);
    start_monitor(&monitor, &target, "--record", recording, NULL);
    for (size_t i = 0; i < 2; i++) {
        trigger(&target, works[i]);
        truth[i] = wait_freeze(&target, i + 1);
        wait_line(monitor.program.err, said[i]);
    }
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
                           "<managed>+0x"),
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

    start_target(&target, NULL, NULL);
    start_monitor(&monitor, &target, "--sample", "off", NULL);
    trigger(&target, "500");
    struct um_demo_log_event truth = wait_freeze(&target, 1);
    sleep_ms(200);
    cJSON *summary = stop_monitor(&monitor);
    const cJSON *freeze = find_freeze(summary, &truth);
    cr_assert(freeze);
    cr_expect(cJSON_GetObjectItem(freeze, "stack") == NULL);
    cr_expect(cJSON_GetObjectItem(summary, "sampling") == NULL);
    cJSON_Delete(summary);
}

/* What a monitor does that dies between the suspension and the resumption, with the suspension done
 * by another program, so that it is there for certain. */
Test(sampling, a_suspension_outlives_its_monitor_by_a_second_at_most, .measured = true)
{
    struct target target;
    struct monitor monitor;

    start_target(&target, NULL, NULL);
    start_monitor(&monitor, &target, NULL);
    trigger(&target, "1500");
    sleep_ms(300);
    cr_assert_leq(probe_number("thread", "stop", decimal(target.tid), NULL), 1);
    uint64_t killed_ns = machine_now_ns();
    kill_hard(&monitor.program);
    struct um_demo_log_event freeze = wait_freeze(&target, 1);
    double most_ms = ms(killed_ns - freeze.begin_ns) + THAWED_MS;
    most_ms = most_ms > 1500 + COST_MS ? most_ms : 1500 + COST_MS;
    cr_expect(is_within(length_ms(&freeze), most_ms, stall_ms(&target, &freeze)), "%.1f ms",
              length_ms(&freeze));
    cr_expect_eq(probe_number("thread", "go", decimal(target.tid), NULL), 0, "still suspended");
    wait_end(&monitor.program, LIMIT_MS);
}

/* The same of another thread: the one that holds the lock for which the UI thread waits. The
 * monitor itself stands while that thread is suspended for it, so that it does not find it so. */
Test(sampling, nor_does_that_of_the_thread_that_is_waited_for, .measured = true)
{
    struct target target;
    struct monitor monitor;
    unsigned long holder;
    unsigned uimon;

    start_target(&target, "target_works_win32", NULL);
    start_monitor(&monitor, &target, NULL);
    cr_assert_eq(sscanf(probe("find", "uimon session end", NULL), "%*s %u", &uimon), 1);
    trigger(&target, "spin:3002");
    sleep_ms(1000);
    char *said = read_text(target.program.out);
    const char *line = strstr(said, "lock ");
    cr_assert(line && sscanf(line, "lock %lu", &holder) == 1, "%s", said);
    free(said);
    probe("suspend", decimal(uimon), NULL);
    cr_assert_leq(probe_number("thread", "stop", decimal((uint32_t)holder), NULL), 1);
    kill_hard(&monitor.program);
    struct um_demo_log_event freeze = wait_freeze(&target, 1);
    cr_expect_lt(length_ms(&freeze), 3002 + THAWED_MS + stall_ms(&target, &freeze), "%.1f ms",
                 length_ms(&freeze));
    wait_end(&monitor.program, LIMIT_MS);
}

/* The suspension of another program is left alone when the monitor ends in good order. */
Test(sampling, a_suspension_of_others_is_left_alone)
{
    struct target target;
    struct monitor monitor;

    start_target(&target, NULL, NULL);
    start_monitor(&monitor, &target, NULL);
    cr_assert_eq(probe_number("thread", "stop", decimal(target.tid), NULL), 0);
    cJSON_Delete(stop_monitor(&monitor));
    sleep_ms((unsigned)THAWED_MS);
    cr_expect_eq(probe_number("thread", "go", decimal(target.tid), NULL), 1);
}

Test(sampling, killed_monitors_leave_no_suspension, .measured = true)
{
    struct target target;
    struct monitor monitor;

    start_target(&target, NULL, NULL);
    for (unsigned i = 1; i <= 5; i++) {
        start_monitor(&monitor, &target, "--slow", "20", "--sample-every", "1", NULL);
        trigger(&target, "700");
        sleep_ms(200 + 37 * i);
        kill_hard(&monitor.program);
        struct um_demo_log_event freeze = wait_freeze(&target, i);
        cr_expect(is_within(length_ms(&freeze), 700 + THAWED_MS, stall_ms(&target, &freeze)),
                  "%.1f ms", length_ms(&freeze));
        wait_end(&monitor.program, LIMIT_MS);
        cr_assert_eq(probe_number("thread", "go", decimal(target.tid), NULL), 0, "still suspended");
    }
}

Test(sampling, target_killed_while_it_is_sampled)
{
    struct target target;
    struct monitor monitor;

    start_target(&target, NULL, NULL);
    start_monitor(&monitor, &target, NULL);
    trigger(&target, "wait:300,30000");
    sleep_ms(1000);
    kill_hard(&target.program);
    cJSON *summary = finish_monitor(&monitor);
    cr_assert_geq(freeze_count(summary), 1);
    cr_expect_geq(number(freeze_at(summary, 0), "samples"), 1);
    cJSON_Delete(summary);
}
