/* Calls of managed methods, as the profiler's stubs report them, against programs whose calls are
 * known: a slow model keeps every call by itself. */
#include "clr/calls.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/plain/clock.h"
#include "base/thread.h"

#define STACK_TOP UINT64_C(0x7ff000000000)
#define PATHS 4096

static struct um_calls *calls; /* 15 MB, which a leak check would read in each test of all */
static uint64_t cpu_ns;

static uint64_t read_cpu(void)
{
    return cpu_ns;
}

static _Atomic unsigned yields;
static uint64_t yield_ns = 10000;

static void yield(void)
{
    yields++;
    um_clock_sleep_ns(yield_ns);
}

static void begin(void)
{
    free(calls);
    calls = calloc(1, sizeof *calls);
    cr_assert(calls);
    um_calls_init(calls, UM_METHODS_DEPTH_TIMES, 0, 0, yield);
    yields = 0;
    cpu_ns = 0;
}

static void end(void)
{
    free(calls);
}

TestSuite(calls, .init = begin, .fini = end);

static void enter(struct um_calls_thread *thread, uint32_t method, uint64_t sp, uint64_t now)
{
    um_calls_enter(calls, thread, method, sp, now, read_cpu);
}

static void leave(struct um_calls_thread *thread, uint64_t sp, uint64_t now)
{
    um_calls_leave(calls, thread, sp, now, read_cpu);
}

/* The node with these methods from outside in; NULL if there is none. */
static const struct um_calls_node *node_of(const struct um_calls_thread *thread,
                                           const uint32_t *path, size_t count)
{
    const struct um_calls_node *node = &thread->root;
    for (size_t i = 0; i < count; i++) {
        uint32_t at = node->first;
        while (at && calls->nodes[at].method != path[i])
            at = calls->nodes[at].next;
        if (!at)
            return NULL;
        node = &calls->nodes[at];
    }
    return node;
}

Test(calls, times_lie_one_within_another)
{
    struct um_calls_thread *thread = um_calls_begin_thread(calls, 7);
    const uint32_t outer[] = {1}, inner[] = {1, 2};
    enter(thread, 1, STACK_TOP, 100);
    enter(thread, 2, STACK_TOP - 64, 110);
    leave(thread, STACK_TOP - 64, 140);
    enter(thread, 2, STACK_TOP - 64, 150);
    leave(thread, STACK_TOP - 64, 155);
    leave(thread, STACK_TOP, 200);
    const struct um_calls_node *a = node_of(thread, outer, 1), *b = node_of(thread, inner, 2);
    cr_assert(a && b);
    cr_expect(a->count == 1 && a->ended == 1);
    cr_expect_eq(a->wall, 100);
    cr_expect_eq(a->self, 65);
    cr_expect(b->count == 2 && b->ended == 2);
    cr_expect_eq(b->wall, 35);
    cr_expect_eq(b->self, 35);
    cr_expect_eq(b->parent, (uint32_t)(a - calls->nodes));
    cr_expect_eq(a->parent, 0);
    cr_expect_eq(calls->threads[a->thread].id, 7);
}

/* A model of a thread that runs a random program. Each path of methods has what it should count. */
struct open_call {
    uint32_t method;      /* 0: not traced */
    uint64_t sp, body_sp; /* the caller's stack pointer, and its own while it calls */
    uint64_t begin, within;
    size_t path;
};

struct path {
    size_t parent;
    uint32_t method;
    uint64_t count, ended, wall, self;
};

static struct path paths[PATHS];
static size_t path_count;

static size_t path_within(size_t parent, uint32_t method)
{
    for (size_t i = 1; i < path_count; i++)
        if (paths[i].parent == parent && paths[i].method == method)
            return i;
    cr_assert_lt(path_count, PATHS);
    paths[path_count] = (struct path){.parent = parent, .method = method};
    return path_count++;
}

static const struct um_calls_node *node_of_path(const struct um_calls_thread *thread, size_t path)
{
    uint32_t list[64];
    size_t count = 0;
    for (; path; path = paths[path].parent)
        list[count++] = paths[path].method;
    for (size_t i = 0; i < count / 2; i++) {
        uint32_t other = list[i];
        list[i] = list[count - 1 - i];
        list[count - 1 - i] = other;
    }
    return node_of(thread, list, count);
}

struct program {
    bool pushes; /* arguments, and its exceptions are told; some of its methods are not traced */
    struct um_calls_thread *thread;
    struct open_call stack[33];
    size_t depth;
    uint64_t now;
    uint64_t dropped_since; /* when the outermost call began that an exception has ended; 0: none
                             * has, or it was noticed */
};

static struct open_call *innermost_traced(struct program *program, size_t depth)
{
    while (depth > 0 && program->stack[depth].method == 0)
        depth--;
    return &program->stack[depth];
}

static void notice(struct program *program)
{
    if (program->dropped_since)
        innermost_traced(program, program->depth)->within += program->now - program->dropped_since;
    program->dropped_since = 0;
}

static void begin_call(struct program *program)
{
    const struct open_call *top = &program->stack[program->depth];
    struct open_call *call = &program->stack[program->depth + 1];
    uint64_t pushed = program->pushes ? 8 * (uint64_t)(rand() % 8) : 0;
    *call = (struct open_call){.method = (uint32_t)(rand() % 5),
                               .sp = top->body_sp - pushed,
                               .begin = program->now,
                               .path = top->path};
    if (!program->pushes)
        call->method += call->method == 0;
    call->body_sp = call->sp - 16 * (1 + (uint64_t)(rand() % 20));
    if (call->method != 0) {
        notice(program);
        call->path = path_within(top->path, call->method);
        paths[call->path].count++;
        enter(program->thread, call->method, call->sp, program->now);
    }
    program->depth++;
}

static void end_call(struct program *program)
{
    struct open_call *call = &program->stack[program->depth];
    uint64_t wall = program->now - call->begin;
    if (call->method != 0) {
        notice(program);
        paths[call->path].ended++;
        paths[call->path].wall += wall;
        paths[call->path].self += wall - call->within;
        innermost_traced(program, program->depth - 1)->within += wall;
        leave(program->thread, call->sp, program->now);
    }
    program->depth--;
}

/* An exception is caught somewhere. On x64 it is handled below the calls that are over. */
static void end_some(struct program *program)
{
    size_t catcher = program->depth - 1 - (size_t)rand() % program->depth;
    for (size_t i = program->depth; i > catcher; i--)
        if (program->stack[i].method != 0)
            program->dropped_since = program->stack[i].begin;
    program->depth = catcher;
    if (program->pushes) {
        struct open_call *call = &program->stack[catcher];
        uint64_t above = catcher ? (uint64_t)rand() % (call->sp - call->body_sp) : 0;
        um_calls_catch(program->thread, call->body_sp + above, program->now);
        notice(program);
        call->body_sp -= 16 * (uint64_t)(rand() % 100);
    }
}

static void run_program(struct um_calls_thread *thread, unsigned seed, bool pushes)
{
    struct program program = {.pushes = pushes, .thread = thread, .now = 1000};
    program.stack[0].body_sp = STACK_TOP;
    srand(seed);
    for (int step = 0; step < 5000; step++) {
        program.now += (uint64_t)(rand() % 50);
        int what = rand() % 100;
        if (what < 48 && program.depth < 6)
            begin_call(&program);
        else if (what < 90 && program.depth > 0)
            end_call(&program);
        else if (program.depth > 0)
            end_some(&program);
    }
}

static void judge_programs(bool pushes)
{
    for (unsigned seed = 1; seed <= 50; seed++) {
        begin();
        path_count = 1;
        struct um_calls_thread *thread = um_calls_begin_thread(calls, 7);
        run_program(thread, seed, pushes);
        for (size_t i = 1; i < path_count; i++) {
            const struct um_calls_node *node = node_of_path(thread, i);
            cr_assert(node != NULL);
            cr_assert_eq(node->count, paths[i].count, "seed %u: %lu and %lu calls", seed,
                         (unsigned long)node->count, (unsigned long)paths[i].count);
            cr_assert_eq(node->ended, paths[i].ended);
            cr_assert_eq(node->wall, paths[i].wall);
            cr_assert_eq(node->self, paths[i].self);
        }
        cr_assert_eq(calls->node_count, path_count, "there are nodes that no call made");
        cr_assert_eq(thread->deeper, 0);
    }
}

Test(calls, random_programs_with_exceptions_are_counted_as_a_model_does)
{
    judge_programs(false);
}

Test(calls, random_programs_that_push_arguments_are_counted_as_a_model_does)
{
    judge_programs(true);
}

/* A call that ends its caller has the same caller's stack pointer: frames do not pile up. */
Test(calls, tail_calls_need_one_frame)
{
    struct um_calls_thread *thread = um_calls_begin_thread(calls, 7);
    const uint32_t even[] = {3, 1}, odd[] = {3, 2};
    enter(thread, 3, STACK_TOP, 0);
    for (uint64_t i = 0; i < 1000000; i++) {
        enter(thread, 1 + (uint32_t)(i % 2), STACK_TOP - 64, 10 * i + 1);
        leave(thread, STACK_TOP - 64, 10 * i + 8);
        cr_assert(thread->top == &thread->frames[1]);
    }
    leave(thread, STACK_TOP, 10000000);
    const struct um_calls_node *a = node_of(thread, even, 2), *b = node_of(thread, odd, 2);
    cr_expect(a->count == 500000 && a->ended == 500000 && a->wall == 3500000);
    cr_expect(b->count == 500000 && b->ended == 500000 && b->wall == 3500000);
    cr_expect_eq(calls->node_count, 4);
    cr_expect_eq(thread->root.hot->self, 3000000);
    cr_expect_eq(thread->deeper, 0);
}

Test(calls, a_recursion_that_is_too_deep_is_counted_and_comes_back)
{
    struct um_calls_thread *thread = um_calls_begin_thread(calls, 7);
    const uint32_t path[] = {1};
    const uint64_t depth = 3 * UM_CALLS_FRAMES;
    for (uint64_t i = 0; i < depth; i++)
        enter(thread, 1, STACK_TOP - 32 * i, i);
    for (uint64_t i = depth; i-- > 0;)
        leave(thread, STACK_TOP - 32 * i, 2 * depth - i);
    const struct um_calls_node *outermost = node_of(thread, path, 1);
    cr_expect_eq(thread->deeper, depth - (UM_CALLS_FRAMES - 1));
    cr_expect(outermost->count == 1 && outermost->ended == 1);
    cr_expect_eq(outermost->wall, 2 * depth);
    enter(thread, 2, STACK_TOP, 3 * depth);
    leave(thread, STACK_TOP, 3 * depth + 5);
    const uint32_t other[] = {2};
    cr_expect_eq(node_of(thread, other, 1)->wall, 5);
}

Test(calls, a_full_tree_counts_what_has_no_node)
{
    struct um_calls_thread *thread = um_calls_begin_thread(calls, 7);
    atomic_store(&calls->node_count, UM_WIRE_METHOD_NODES - 1);
    enter(thread, 1, STACK_TOP, 1);
    enter(thread, 2, STACK_TOP - 32, 2);
    leave(thread, STACK_TOP - 32, 3);
    leave(thread, STACK_TOP, 9);
    cr_expect_eq(thread->deeper, 1);
    cr_expect_eq(calls->nodes[UM_WIRE_METHOD_NODES - 1].wall, 8);
    cr_expect_eq(calls->nodes[UM_WIRE_METHOD_NODES - 1].self, 7);
    /* What such a call calls is no call of its caller. */
    enter(thread, 1, STACK_TOP, 10);
    enter(thread, 2, STACK_TOP - 32, 11);
    enter(thread, 1, STACK_TOP - 64, 12);
    leave(thread, STACK_TOP - 64, 13);
    leave(thread, STACK_TOP - 32, 14);
    leave(thread, STACK_TOP, 15);
    cr_expect_eq(thread->deeper, 3);
    cr_expect_eq(calls->nodes[UM_WIRE_METHOD_NODES - 1].count, 2);
}

/* What was entered before has no end here: it may have been left meanwhile. */
Test(calls, recording_anew_forgets_what_was_open)
{
    struct um_calls_thread *thread = um_calls_begin_thread(calls, 7);
    const uint32_t open[] = {1}, after[] = {3};
    enter(thread, 1, STACK_TOP, 10);
    um_calls_record(calls, 0, 100);
    cr_expect_eq(calls->traced_ticks, 100);
    cr_expect(calls->rounds == 1 && calls->missed_ticks == 0, "it may not go on");
    enter(thread, 2, STACK_TOP - 32, 20);
    leave(thread, STACK_TOP - 32, 30);
    um_calls_record(calls, 1, 500);
    enter(thread, 3, STACK_TOP - 32, 40);
    leave(thread, STACK_TOP - 32, 50);
    leave(thread, STACK_TOP, 60);
    um_calls_record(calls, 1, 600);
    um_calls_record(calls, 0, 700);
    um_calls_record(calls, 0, 800);
    cr_expect_eq(calls->traced_ticks, 300);
    cr_expect(calls->rounds == 2 && calls->missed_ticks == 400);
    um_calls_record(calls, 1, 1000);
    cr_expect(calls->rounds == 3 && calls->missed_ticks == 400 + 300);
    cr_expect(node_of(thread, open, 1)->count == 1 && node_of(thread, open, 1)->ended == 0);
    cr_expect_eq(node_of(thread, after, 1)->wall, 10);
    cr_expect_eq(calls->node_count, 3);
}

Test(calls, cpu_time_is_that_of_outermost_calls_that_are_long_enough)
{
    struct um_calls_thread *thread = um_calls_begin_thread(calls, 7);
    const uint64_t long_ = 10 * UM_CALLS_CPU_LONG;
    const uint32_t path[] = {1}, inner[] = {1, 2};
    cpu_ns = 5000;
    enter(thread, 1, STACK_TOP, long_);
    enter(thread, 2, STACK_TOP - 32, long_);
    cpu_ns = 9000;
    leave(thread, STACK_TOP - 32, 2 * long_);
    leave(thread, STACK_TOP, 2 * long_);
    enter(thread, 1, STACK_TOP, 3 * long_);
    cpu_ns = 9500;
    leave(thread, STACK_TOP, 3 * long_ + 100);
    cr_expect_eq(node_of(thread, path, 1)->cpu_ns, 4000);
    cr_expect_eq(node_of(thread, inner, 2)->cpu_ns, 0);
}

Test(calls, counters_of_two_processors_that_differ_do_no_harm)
{
    struct um_calls_thread *thread = um_calls_begin_thread(calls, 7);
    const uint32_t path[] = {1};
    enter(thread, 1, STACK_TOP, 1000);
    leave(thread, STACK_TOP, 900);
    cr_expect(node_of(thread, path, 1)->ended == 1 && node_of(thread, path, 1)->wall == 0);
}

/* A thread without room gets none; one that comes after another has ended goes on with its tree. */
Test(calls, threads_take_the_trees_of_those_that_have_ended)
{
    struct um_calls_thread *list[UM_CALLS_THREADS];
    const uint32_t path[] = {1};
    for (uint32_t i = 0; i < UM_CALLS_THREADS; i++) {
        list[i] = um_calls_begin_thread(calls, 100 + i);
        cr_assert(list[i] != NULL && list[i]->id == 100 + i);
    }
    cr_expect(um_calls_begin_thread(calls, 99) == NULL);
    enter(list[5], 1, STACK_TOP, 10); /* and never leaves it: the thread was ended */
    um_calls_end_thread(calls, list[5]);
    struct um_calls_thread *next = um_calls_begin_thread(calls, 99);
    cr_assert(next == list[5]);
    cr_expect_eq(next->id, 0);
    enter(next, 1, STACK_TOP, 20);
    leave(next, STACK_TOP, 25);
    cr_expect_eq(node_of(next, path, 1)->count, 2);
    cr_expect_eq(node_of(next, path, 1)->wall, 5);
    cr_expect_eq(calls->threads_seen, UM_CALLS_THREADS + 1);
}

Test(calls, counts_alone_need_no_tree)
{
    memset(calls, 0, sizeof *calls);
    um_calls_init(calls, UM_METHODS_DEPTH_COUNTS, 0, 0, yield);
    struct um_calls_thread *thread = um_calls_begin_thread(calls, 7);
    for (int i = 0; i < 1000; i++)
        enter(thread, 3, STACK_TOP - 64 * (uint64_t)i, 1);
    leave(thread, STACK_TOP, 5);
    um_calls_record(calls, 0, 9);
    enter(thread, 3, STACK_TOP, 1);
    cr_expect_eq(thread->counts[3], 1000);
    cr_expect_eq(calls->node_count, 1);
}

Test(calls, methods_have_texts_and_the_last_number_stands_for_the_rest)
{
    uint32_t first = um_calls_add(calls, 0x1001, "plugin.dll", "A.B.C");
    uint32_t second = um_calls_add(calls, 0x1002, "plugin.dll", "A.B.D");
    uint32_t third = um_calls_add(calls, 0x1003, "plugin.dl", "");
    cr_expect(first == 1 && second == 2 && third == 3);
    cr_expect_str_eq(calls->text + calls->methods[first].name, "A.B.C");
    cr_expect_eq(calls->methods[first].module, calls->methods[second].module);
    cr_expect_str_eq(calls->text + calls->methods[second].module, "plugin.dll");
    cr_expect_str_eq(calls->text + calls->methods[third].module, "plugin.dl");
    cr_expect_eq(calls->methods[third].name, 0);
    cr_expect_eq(calls->dynamic_count, 1);
    for (uint32_t i = 4; i < UM_CALLS_REST; i++)
        cr_assert_eq(um_calls_add(calls, 0x10000 + 16 * i, "m", "x"), i);
    cr_expect_eq(um_calls_add(calls, 7, "m", "x"), UM_CALLS_REST);
    cr_expect_eq(calls->left_out, 1);
    for (uint32_t i = 4; i < UM_CALLS_REST; i++)
        cr_assert_eq(um_calls_add(calls, 0x10000 + 16 * i, "m", "x"), i);
}

/* It is compiled again. The runtime may give its number to another function later. */
Test(calls, a_function_keeps_its_number_as_long_as_it_has_its_name)
{
    uint32_t first = um_calls_add(calls, 0x1001, "m", "x");
    cr_expect_eq(um_calls_add(calls, 0x1001, "m", "x"), first);
    uint32_t other = um_calls_add(calls, 0x1001, "m", "xy");
    cr_expect_neq(other, first);
    cr_expect_eq(um_calls_add(calls, 0x1001, "m", "xy"), other);
    cr_expect_eq(calls->method_count, 3);
}

/* A thread that had the lock was ended. */
Test(calls, nobody_waits_for_ever)
{
    struct um_calls_thread *thread = um_calls_begin_thread(calls, 7);
    atomic_store(&calls->lock, 1);
    enter(thread, 1, STACK_TOP, 1);
    cr_expect_gt(yields, 0);
    yields = 0;
    cr_expect(um_calls_begin_thread(calls, 8) == NULL);
    cr_expect_eq(um_calls_add(calls, 0x1001, "m", "x"), UM_CALLS_REST);
    cr_expect_eq(yields, 0, "the second one waits, too");
    leave(thread, STACK_TOP, 5);
    cr_expect_eq(thread->deeper, 1);
    atomic_store(&calls->lock, 0);
    cr_expect(um_calls_begin_thread(calls, 8) != NULL);
}

Test(calls, recording_ends_if_nobody_comes)
{
    um_calls_look_for_reader(calls, 50, UM_CALLS_ALONE);
    cr_expect_neq(calls->round, 0);
    um_calls_look_for_reader(calls, 60, UM_CALLS_ALONE + 1);
    cr_expect_eq(calls->round, 0);
    cr_expect_eq(calls->traced_ticks, 60);
    um_calls_record(calls, 1, 100);
    um_calls_look_for_reader(calls, 200, UM_CALLS_ALONE + 2);
    cr_expect_neq(calls->round, 0, "it was begun anew");
}

Test(calls, entries_are_unseen_until_a_method_is_found)
{
    char many[8];
    um_calls_add_entry(calls, "Nothing.There,", 13);
    um_calls_add_entry(calls, "Plugin", 6);
    cr_expect_eq(calls->unseen, 3);
    cr_expect_str_eq(calls->text + calls->entries[0], "Nothing.There");
    um_calls_found(calls, 2 | 8);
    um_calls_found(calls, 2);
    cr_expect_eq(calls->unseen, 1);
    for (int i = 0; i < UM_WIRE_METHOD_ENTRIES + 9; i++)
        um_calls_add_entry(calls, many, (size_t)snprintf(many, sizeof many, "m%d", i));
    cr_expect_eq(calls->unseen, UINT32_MAX - 2);
    cr_expect_str_eq(calls->text + calls->entries[31], "m29");
}

Test(calls, other_names_are_noted_once_and_as_far_as_there_is_room)
{
    char name[UM_CALLS_NAME_BYTES];
    um_calls_add_other(calls, "");
    um_calls_add_other(calls, "plugin.dll");
    um_calls_add_other(calls, "My.Parser");
    um_calls_add_other(calls, "plugin.dll");
    cr_expect_eq(calls->other_count, 2);
    cr_expect_str_eq(calls->text + calls->others[1], "My.Parser");
    for (int i = 0; i < 4 * UM_CALLS_OTHERS; i++) {
        snprintf(name, sizeof name, "N%d", i / 2);
        um_calls_add_other(calls, name);
    }
    cr_expect_eq(calls->other_count, UM_CALLS_OTHERS);
    cr_expect_str_eq(calls->text + calls->others[UM_CALLS_OTHERS - 1], "N2045");
    atomic_store(&calls->lock, 1);
    um_calls_add_other(calls, "More");
    cr_expect_eq(yields, 0, "nobody waits for the lock in vain");
    memset(calls, 0, sizeof *calls);
    um_calls_init(calls, UM_METHODS_DEPTH_TIMES, 0, 0, yield);
    for (int i = 0; i < UM_CALLS_OTHERS; i++) {
        snprintf(name, sizeof name, "%0500d", i);
        um_calls_add_other(calls, name);
    }
    cr_expect_eq(calls->other_count, UM_CALLS_OTHER_BYTES / 501 + 1);
    cr_expect_eq(um_calls_add(calls, 1, "m", "x"), 1, "methods have room");
    cr_expect_neq(calls->methods[1].name, 0);
}

/* Else it would be in a row with all that have no name. */
Test(calls, a_method_without_room_for_its_name_is_one_of_the_rest)
{
    static char name[UM_CALLS_NAME_BYTES];
    uint64_t function = 0;
    memset(name, 'n', sizeof name - 1);
    while (calls->text_used + 2 * sizeof name < UM_CALLS_TEXT_BYTES)
        cr_assert_neq(calls->methods[um_calls_add(calls, ++function, "m", name)].name, 0);
    (void)um_calls_add(calls, ++function, "m", name);
    uint32_t count = calls->method_count, left_out = calls->left_out;
    cr_expect_eq(um_calls_add(calls, ++function, "m", name), UM_CALLS_REST);
    calls->text_used = UM_CALLS_TEXT_BYTES - 4;
    cr_expect_eq(um_calls_add(calls, ++function, "other", "x"), UM_CALLS_REST,
                 "nor for a module's");
    cr_expect_eq(calls->left_out, left_out + 2);
    cr_expect_eq(um_calls_add(calls, ++function, "m", ""), count, "it was made at run time");
    cr_expect_lt(calls->text_used, UM_CALLS_TEXT_BYTES);
}

static void run_thread(void *context)
{
    struct um_calls_thread **thread = context;
    *thread = um_calls_begin_thread(calls, 7);
    for (uint32_t i = 0; i < 2000; i++) {
        enter(*thread, 1 + i % 97, STACK_TOP, i);
        leave(*thread, STACK_TOP, i + 1);
    }
}

TestSuite(calls_threads, .init = begin, .fini = end, .threads = true);

Test(calls_threads, threads_do_not_disturb_each_other)
{
    struct um_thread list[8];
    struct um_calls_thread *records[8] = {NULL};
    yield_ns = UM_CLOCK_NS_PER_MS; /* so that nobody gives up a lock whose owner is not scheduled */
    for (size_t i = 0; i < 8; i++)
        cr_assert_eq(um_thread_start(run_thread, &records[i], &list[i]), UM_OK);
    for (size_t i = 0; i < 8; i++) {
        uint64_t count = 0, wall = 0;
        um_thread_join(&list[i]);
        for (uint32_t at = records[i]->root.first; at; at = calls->nodes[at].next) {
            count += calls->nodes[at].count;
            wall += calls->nodes[at].wall;
        }
        cr_expect(count == 2000 && wall == 2000);
    }
    cr_expect_eq(calls->node_count, 1 + 8 * 97);
}
