/* Stacks of a 32-bit program that knows its own calls (tests/x86), as far as `./run test x86` has
 * put it beside uimon. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/e2e/folded.h"
#include "tests/e2e/harness.h"

#define WORKS 6
#define SHARE_OFF 0.05  /* how far a function's share of the samples may be off */
#define WHOLE_PART 0.95 /* of the walks reach the program's outermost function */
#define FEW 20          /* samples say nothing of a share */
#define DEPTH 60        /* calls of `recurse` within one another */

static const char *const works[WORKS] = {"spin:3000", "spin:1001", "spin:1002",
                                         "spin:1003", "spin:1004", "spin:1005"};
static const char *const functions[WORKS] = {"share_work", "recurse",        "sleep_long",
                                             "compare",    "answer_message", "work_in_room"};

struct watched {
    struct target target;
    struct monitor monitor;
    struct um_demo_log_event truth[WORKS];
    char recording[PATH_BYTES];
    cJSON *summary;
    char *said; /* by the target */
};

/* False: this run has no such program. */
static bool is_there(const char *program)
{
    char name[64];
    snprintf(name, sizeof name, "%s.exe", program);
    FILE *file = fopen(dist_file(name), "rb");
    if (file)
        fclose(file);
    return file != NULL;
}

static void watch(struct watched *watched, const char *program)
{
    struct um_demo_log_event *events;
    snprintf(watched->recording, PATH_BYTES, "%s", windows_path(test_file("calls.uirec")));
    start_target(&watched->target, program, NULL);
    start_monitor(&watched->monitor, &watched->target, "--record", watched->recording, "--mine",
                  program, NULL);
    for (size_t i = 0; i < WORKS; i++) {
        trigger(&watched->target, works[i]);
        free(wait_freezes(&watched->target, i + 1));
        sleep_ms(300);
    }
    cr_assert_eq(log_events(watched->target.log, UM_DEMO_LOG_FREEZE, &events), WORKS);
    memcpy(watched->truth, events, sizeof watched->truth);
    free(events);
    watched->summary = stop_monitor(&watched->monitor);
    watched->said = read_text(watched->target.program.out);
}

static void release(struct watched *watched)
{
    free(watched->said);
    cJSON_Delete(watched->summary);
}

/* The freeze's samples as folded stacks. Owner: as run. */
static const char *export_freeze(const struct watched *watched, const cJSON *freeze)
{
    const char *out, *err;
    char place_text[16];
    unsigned place = 1;          /* in the list of freezes */
    while (freeze->prev->next) { /* of the first one, cJSON's `prev` is the last */
        freeze = freeze->prev;
        place++;
    }
    snprintf(place_text, sizeof place_text, "%u", place);
    cr_assert_eq(run(&out, &err, "uimon", "export", watched->recording, "--format", "folded",
                     "--freeze", place_text, NULL),
                 0, "%s", err);
    return out;
}

/* The same without the marks of guesses; `guesses`: how many there were. Owner: static. */
static const char *without_marks(const char *text, size_t *guesses)
{
    static char plain[1 << 20];
    size_t len = 0;
    *guesses = 0;
    for (; *text; text++) {
        cr_assert_lt(len, sizeof plain - 1);
        bool is_mark = strncmp(text, ";? ", 3) == 0;
        plain[len++] = *text;
        text += is_mark ? 2 : 0;
        *guesses += is_mark;
    }
    plain[len] = '\0';
    return plain;
}

/* The function is in the freeze's stack, and a guess there. */
static void expect_guess(const cJSON *freeze, const char *function)
{
    const cJSON *stack = cJSON_GetObjectItem(freeze, "stack"), *name;
    const cJSON *marks = cJSON_GetObjectItem(freeze, "stack_guessed");
    bool is_guess = false;
    int place = 0;
    cJSON_ArrayForEach(name, stack)
    {
        is_guess |= strcmp(name->valuestring, function) == 0 &&
                    cJSON_IsTrue(cJSON_GetArrayItem(marks, place));
        place++;
    }
    cr_expect(is_guess, "%s", cJSON_PrintUnformatted(freeze));
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

static void expect_shares(const struct watched *watched, const cJSON *freeze, const char *text)
{
    static const char *const shared[] = {"work_most", "work_some", "work_little"};
    double samples = number(freeze, "samples"), all = (double)folded_us(text, "", "");
    for (size_t i = 0; i < 3; i++) {
        char head[64], frame[64];
        double share;
        snprintf(head, sizeof head, "share %s ", shared[i]);
        snprintf(frame, sizeof frame, "!%s", shared[i]);
        const char *line = strstr(watched->said, head);
        cr_assert(line && sscanf(line + strlen(head), "%lf", &share) == 1, "%s", watched->said);
        double found = (double)folded_us(text, frame, "") / all;
        /* Four standard deviations, where so few samples know it no better. */
        double off = fmax(SHARE_OFF, 4 * sqrt(share * (1 - share) / samples));
        cr_expect(samples < FEW || fabs(found - share) <= off,
                  "%s has %.3f of %.0f samples, and had %.3f", shared[i], found, samples, share);
    }
}

/* The function of a frame is none but what the program, the system and uimon have; and nearly all
 * walks reach the program's outermost function, and the thread's start. */
static void expect_whole(const char *program, const char *text, const char *function)
{
    double all = (double)folded_us(text, "", "");
    char outermost[80], own[80];
    snprintf(outermost, sizeof outermost, ";%s!work_outermost;", program);
    snprintf(own, sizeof own, ";%s!%s", program, function);
    double with = (double)folded_us(text, outermost, "");
    cr_expect_geq(with, floor(all * WHOLE_PART), "%s: %.0f of %.0f: %.3000s", function, with, all,
                  text);
    with = (double)folded_us(text, own, "");
    cr_expect_geq(with, floor(all * WHOLE_PART), "%s: %.0f of %.0f are in it: %.3000s", function,
                  with, all, text);
    double cut = (double)folded_us(text, "[stack not read]", "");
    cr_expect_leq(cut, ceil(all * (1 - WHOLE_PART)), "%s: %.0f of %.0f are cut: %.3000s", function,
                  cut, all, text);
    cr_expect_eq(folded_us(text, ";0x", ""), 0, "%s: code of no module: %.3000s", function, text);
}

/* `guessed`: a function whose call of the third work, by a pointer, only a guess can find; NULL:
 * there is none. */
static void check(const char *program, const char *guessed)
{
    struct watched watched;
    if (!is_there(program))
        cr_skip_test("./run test x86 has the program");
    size_t sampled = 0, guesses;
    watch(&watched, program);
    for (size_t i = 0; i < WORKS; i++) {
        const cJSON *freeze = find_freeze(watched.summary, &watched.truth[i]);
        cr_assert(freeze, "no freeze of %s", watched.truth[i].name);
        const char *text = without_marks(export_freeze(&watched, freeze), &guesses);
        sampled += text[0] != '\0';
        expect_whole(program, text, functions[i]);
        if (i == 0)
            expect_shares(&watched, freeze, text);
        if (i == 1 && text[0] != '\0')
            cr_expect_eq(depth_of(text, "!recurse;"), DEPTH, "%.3000s", text);
        if (i == 2 && guessed && text[0] != '\0') {
            cr_expect_gt(guesses, 0);
            expect_guess(freeze, guessed);
        }
    }
    cr_expect_geq(sampled, WORKS / 2, "a busy machine leaves some freezes without samples");
    release(&watched);
}

/* By hand, because only `./run test x86` has the programs. */
Test(stacks32, with_unwind_data, .measured = true)
{
    check("target_calls_tables", NULL);
}

Test(stacks32, with_frame_pointers, .measured = true)
{
    check("target_calls_pointers", NULL);
}

Test(stacks32, with_neither, .measured = true)
{
    check("target_calls_bare", "work_outermost");
}
