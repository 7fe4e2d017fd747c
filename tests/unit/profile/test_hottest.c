/* The hottest functions, of samples that frames tell of. */
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/plain/clock.h"
#include "ipc/names.h"
#include "monitor/profile/hottest.h"

#define MS UM_CLOCK_NS_PER_MS
#define MODULES 2

enum { MAIN = 1, PARSE, LEX, WAIT, NAMELESS, FUNCTIONS };

static const struct {
    uint32_t module; /* 0: the program, 1: a DLL of the system */
    const char *name;
} functions[FUNCTIONS] = {[MAIN] = {0, "main"},
                          [PARSE] = {0, "parse"},
                          [LEX] = {0, "lex"},
                          [WAIT] = {1, "NtWait"},
                          [NAMELESS] = {0, ""}};

static struct um_profile *profile;
static struct um_wire_profile parts[UM_WIRE_PROFILE_PARTS];
#define made parts[0]
static struct um_hottest_shown shown;
static uint32_t next_node = UM_WIRE_FIRST_NODE;
static uint64_t now_ns;
static uint32_t user_us, kernel_us; /* of each sample */
static uint8_t other;               /* whether samples are those of another thread */

static uint64_t key_of(int function)
{
    return um_samples_key((int32_t)functions[function].module, (uint64_t)function * 0x100);
}

static void take(const struct um_wire_frame *frame)
{
    um_profile_take(profile, frame);
}

static void setup(void)
{
    static const char *const paths[MODULES] = {"C:\\work\\app.exe",
                                               "C:\\Windows\\System32\\ntdll.dll"};
    cr_assert_eq(um_profile_open(0, &profile), UM_OK);
    for (uint32_t i = 0; i < MODULES; i++) {
        struct um_wire_frame frame = {.type = UM_WIRE_MODULE, .as.module.number = i};
        strcpy(frame.as.module.path, paths[i]);
        take(&frame);
    }
    for (int i = MAIN; i < FUNCTIONS; i++) {
        struct um_wire_frame frame = {.type = UM_WIRE_NAME,
                                      .as.name = {.key = key_of(i), .kind = UM_NAMES_DEBUG}};
        if (functions[i].name[0] == '\0')
            frame.as.name.kind = UM_NAMES_NOWHERE;
        strcpy(frame.as.name.name, functions[i].name);
        take(&frame);
    }
}

static void teardown(void)
{
    um_profile_close(profile);
}

TestSuite(hottest, .init = setup, .fini = teardown);

/* Adds samples of a stack, from its outermost function on; they are 10 ms apart. */
static void add(size_t samples, const int *stack, size_t count)
{
    struct um_wire_frame nodes = {.type = UM_WIRE_NODES, .as.nodes.first = next_node};
    struct um_wire_frame sample = {.type = UM_WIRE_SAMPLE, .as.sample.node = next_node};
    sample.as.sample.other = other;
    sample.as.sample.wall_us = 10000;
    sample.as.sample.user_us = user_us;
    sample.as.sample.kernel_us = kernel_us;
    for (size_t i = 0; i < count; i++)
        nodes.as.nodes.list[i] =
            (struct um_wire_node){i == 0 ? 0 : next_node + (uint32_t)i - 1, key_of(stack[i])};
    nodes.as.nodes.count = (uint32_t)count;
    if (count > 0)
        take(&nodes);
    sample.as.sample.node = count > 0 ? next_node + (uint32_t)count - 1 : 1;
    next_node += (uint32_t)count;
    for (size_t i = 0; i < samples; i++) {
        now_ns += 10 * MS;
        sample.as.sample.time_ns = now_ns;
        take(&sample);
    }
}

#define ADD(samples, ...)                                                                          \
    add(samples, (const int[]){__VA_ARGS__}, sizeof((const int[]){__VA_ARGS__}) / sizeof(int))

static void end_freeze(uint32_t id, uint64_t start_ns)
{
    struct um_wire_frame frame = {
        .type = UM_WIRE_EPISODE,
        .flags = UM_WIRE_EPISODE_END,
        .as.episode = {.start_ns = start_ns, .end_ns = now_ns, .id = id, .state = UM_STATE_FROZEN}};
    take(&frame);
}

static void make(struct um_hottest_choice choice)
{
    cr_assert_eq(um_hottest_make(profile, &choice, &shown, parts), UM_OK);
    cr_expect_eq(made.scope, choice.scope);
}

static void make_session(uint32_t samples)
{
    make((struct um_hottest_choice){.scope = UM_WIRE_SCOPE_SESSION});
    cr_expect_eq(made.samples, samples);
}

static void expect_row(int row, const char *name, uint32_t self, uint32_t all)
{
    cr_expect_str_eq(made.rows[row].name, name);
    cr_expect_eq(made.rows[row].self, self, "%s: %u", name, made.rows[row].self);
    cr_expect_eq(made.rows[row].all, all, "%s: %u", name, made.rows[row].all);
}

Test(hottest, the_systems_functions_count_for_their_callers)
{
    ADD(7, MAIN, PARSE, WAIT);
    ADD(5, MAIN, PARSE, LEX);
    ADD(1, WAIT, MAIN);
    make_session(13);
    cr_expect_eq(made.unread, 0);
    cr_expect_eq(made.forgotten, 0);
    cr_expect_eq(made.span_ns, 120 * MS);
    expect_row(0, "parse", 7, 12);
    expect_row(1, "lex", 5, 5);
    expect_row(2, "main", 1, 13);
    expect_row(3, "", 0, 0);
    cr_expect_str_eq(made.rows[0].module, "app.exe");
}

Test(hottest, a_recursion_counts_once)
{
    ADD(3, MAIN, LEX, LEX, LEX, LEX);
    make_session(3);
    expect_row(0, "lex", 3, 3);
    expect_row(1, "", 0, 0); /* main has none of its own */
}

Test(hottest, shows_the_system_where_there_is_nothing_else)
{
    ADD(4, WAIT);
    add(2, NULL, 0); /* nothing was read */
    make_session(6);
    cr_expect_eq(made.unread, 2);
    expect_row(0, "NtWait", 4, 4);
    cr_expect_str_eq(made.rows[0].module, "ntdll.dll");
}

Test(hottest, tells_a_function_without_a_name_by_its_place)
{
    ADD(2, MAIN, NAMELESS);
    make_session(2);
    expect_row(0, "app+0x500", 2, 2);
    cr_expect_str_eq(made.rows[0].module, "app.exe");
}

Test(hottest, of_one_freeze_or_since_a_time)
{
    ADD(2, MAIN, LEX);
    uint64_t start_ns = now_ns + 1;
    ADD(3, MAIN, PARSE);
    end_freeze(4, start_ns);
    ADD(5, MAIN);
    make((struct um_hottest_choice){
        .scope = UM_WIRE_SCOPE_FREEZE, .freeze = 4, .span_ns = 300 * MS});
    cr_expect_eq(made.samples, 3);
    cr_expect_eq(made.span_ns, 300 * MS);
    expect_row(0, "parse", 3, 3);
    make((struct um_hottest_choice){.scope = UM_WIRE_SCOPE_NOW, .since_ns = now_ns - 35 * MS});
    cr_expect_eq(made.samples, 4);
    expect_row(0, "main", 4, 4);
    make((struct um_hottest_choice){.scope = UM_WIRE_SCOPE_FREEZE, .freeze = 9});
    cr_expect_eq(made.samples, 0);
    expect_row(0, "", 0, 0);
}

/* With --sample-threads all half of the samples and more are of threads that only wait. */
Test(hottest, other_threads_do_not_count)
{
    uint64_t start_ns = now_ns + 1;
    ADD(3, MAIN, PARSE);
    other = 1;
    ADD(7, MAIN, LEX);
    other = 0;
    end_freeze(4, start_ns);
    make((struct um_hottest_choice){.scope = UM_WIRE_SCOPE_FREEZE, .freeze = 4});
    cr_expect_eq(made.samples, 3);
    expect_row(0, "parse", 3, 3);
    expect_row(1, "", 0, 0);
    make((struct um_hottest_choice){.scope = UM_WIRE_SCOPE_NOW, .since_ns = start_ns});
    cr_expect_eq(made.samples, 3);
    make_session(3);
    cr_expect_eq(made.forgotten, 0);
}

Test(hottest, says_how_many_samples_were_forgotten)
{
    ADD(6, MAIN, LEX);
    cr_assert_eq(um_profile_clear(profile), UM_OK);
    ADD(2, MAIN, PARSE);
    make_session(2);
    cr_expect_eq(made.forgotten, 6);
}

Test(hottest, has_the_first_of_more_functions_than_rows)
{
    struct um_wire_frame frame = {.type = UM_WIRE_NAME, .as.name.kind = UM_NAMES_DEBUG};
    for (uint32_t i = 0; i < 300; i++) { /* f0 in one sample, f1 in two, and so on */
        struct um_wire_frame nodes = {.type = UM_WIRE_NODES,
                                      .as.nodes = {.first = next_node, .count = 1}};
        struct um_wire_frame sample = {.type = UM_WIRE_SAMPLE, .as.sample.node = next_node++};
        frame.as.name.key = nodes.as.nodes.list[0].key = um_samples_key(0, 0x10000 + i);
        snprintf(frame.as.name.name, sizeof frame.as.name.name, "f%u", i);
        take(&frame);
        take(&nodes);
        for (uint32_t j = 0; j <= i; j++)
            take(&sample);
    }
    make((struct um_hottest_choice){.scope = UM_WIRE_SCOPE_SESSION});
    expect_row(0, "f299", 300, 300);
    expect_row(UM_WIRE_PROFILE_ROWS - 1, "f294", 295, 295);
    cr_expect_eq(parts[1].part, 1);
    cr_expect_eq(parts[1].samples, made.samples);
    cr_expect_str_eq(parts[1].rows[0].name, "f293");
    cr_expect_str_eq(parts[1].rows[UM_WIRE_PROFILE_ROWS - 1].name, "f288");
}

static void expect_value(int row, const char *name, uint32_t value)
{
    cr_expect_str_eq(made.rows[row].name, name);
    cr_expect_eq(made.rows[row].value, value, "%s: %u", name, made.rows[row].value);
}

/* By hand: main calls parse, which calls lex. */
Test(hottest, are_sorted_by_what_was_asked_for)
{
    user_us = 9000;
    ADD(1, MAIN, LEX);
    user_us = 0;
    kernel_us = 3000;
    ADD(4, MAIN, PARSE);
    kernel_us = 0;
    ADD(5, MAIN);
    make_session(10);
    cr_expect_eq(made.by, UM_WIRE_BY_SELF);
    expect_value(0, "main", 5000);
    expect_value(1, "parse", 4000);
    shown.by = UM_WIRE_BY_TIME;
    make_session(10);
    expect_value(0, "main", 10000);
    expect_value(2, "lex", 1000);
    shown.by = UM_WIRE_BY_USER;
    make_session(10);
    expect_value(0, "main", 10000); /* of two that are alike, that with more in itself */
    expect_value(1, "lex", 10000);
    cr_expect_str_eq(made.rows[2].name, "", "parse had none");
    shown.by = UM_WIRE_BY_KERNEL;
    make_session(10);
    expect_value(1, "parse", 10000);
    shown.by = UM_WIRE_BY_CPU;
    make_session(10);
    expect_value(0, "main", 10000);
    expect_value(1, "parse", 5714); /* 12 of 21 ms */
    expect_value(2, "lex", 4286);
    shown.by = UM_WIRE_BY_SAMPLES;
    make_session(10);
    expect_value(1, "parse", 4000);
    cr_expect_eq(parts[1].by, UM_WIRE_BY_SAMPLES);
}

Test(hottest, are_counted_by_freezes_and_by_functions)
{
    for (uint32_t freeze = 1; freeze <= 3; freeze++) {
        uint64_t start_ns = now_ns + 1;
        ADD(freeze == 2 ? 4 : 1, MAIN, PARSE);
        ADD(1, MAIN, PARSE, WAIT, LEX, LEX);
        if (freeze == 3)
            ADD(1, MAIN, NAMELESS);
        end_freeze(freeze, start_ns);
    }
    ADD(9, MAIN, NAMELESS); /* in no freeze */
    shown.by = UM_WIRE_BY_FREEZES;
    make((struct um_hottest_choice){.scope = UM_WIRE_SCOPE_SESSION});
    expect_value(0, "parse", 3); /* of three that are alike, that with most time in itself */
    expect_value(1, "lex", 3);
    expect_value(2, "main", 3);
    expect_value(3, "app+0x500", 1);
    shown.by = UM_WIRE_BY_FUNCTIONS;
    make((struct um_hottest_choice){.scope = UM_WIRE_SCOPE_SESSION});
    expect_value(0, "main", 4); /* the system's is not shown, and not counted */
    expect_value(1, "parse", 2);
    expect_value(2, "app+0x500", 1);
    expect_value(3, "lex", 1);
}

Test(hottest, lists_say_what_is_shown)
{
    ADD(3, MAIN, PARSE, WAIT);
    ADD(2, MAIN, LEX);
    shown.hide = "";
    make_session(5);
    expect_row(0, "NtWait", 3, 3);
    shown.hide = "app";
    make_session(5);
    expect_row(0, "NtWait", 3, 3);
    cr_expect_str_eq(made.rows[1].name, "");
    cr_expect_eq(made.unread, 2, "these are in nothing that is shown");
    shown = (struct um_hottest_shown){.only = "app.exe"};
    make_session(5);
    expect_row(0, "parse", 3, 3);
    expect_row(1, "lex", 2, 2);
    shown.only = "other";
    make_session(5);
    cr_expect_str_eq(made.rows[0].name, "");
    cr_expect_eq(made.unread, 5);
}
