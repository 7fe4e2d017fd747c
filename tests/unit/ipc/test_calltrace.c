/* The tree of traced calls: events at made-up places of a stack, and what is counted of them. */
#include <string.h>

#include <criterion/criterion.h>

#include "ipc/calltrace.h"

#define STACK UINT64_C(0x100000)
#define LOOP (STACK - 0x1000) /* where hook procedures run when the loop retrieves */
#define A 0x401u
#define B 0x402u
#define WINDOW 77

static struct um_calltrace trace;
static uint64_t ticks;

static void setup(void)
{
    memset(&trace, 0, sizeof trace);
    um_calltrace_init(&trace);
    ticks = 1000;
}

TestSuite(calltrace, .init = setup);

/* The time goes on by that much, and something happens at this place. */
static const struct um_calltrace_at *at(uint64_t later, uint64_t place)
{
    static struct um_calltrace_at now;
    ticks += later;
    now = (struct um_calltrace_at){
        .ticks = ticks, .cycles = 3 * ticks, .place = place, .stack = STACK};
    return &now;
}

static struct um_calltrace_what what(uint32_t message, enum um_trace_kind kind)
{
    return (struct um_calltrace_what){.handler = 0x7000, .message = message, .kind = (uint8_t)kind};
}

static void enter(uint32_t message, uint64_t later, uint64_t place)
{
    struct um_calltrace_what sent = what(message, UM_TRACE_SENT);
    um_calltrace_entered(&trace, &sent, WINDOW, 0, at(later, place));
}

static uint32_t leave(uint32_t message, uint64_t later, uint64_t place)
{
    return um_calltrace_left(&trace, message, WINDOW, at(later, place));
}

static uint32_t retrieve(uint32_t message, uint64_t later, uint64_t place)
{
    struct um_calltrace_what retrieved = what(message, UM_TRACE_RETRIEVED);
    return um_calltrace_retrieved(&trace, &retrieved, at(later, place));
}

static struct um_calltrace_values values_of(uint32_t node)
{
    struct um_calltrace_values values;
    uint32_t version;
    cr_assert(um_calltrace_read(&trace, node, &values, &version));
    return values;
}

/* The node of a message within another node. */
static uint32_t find(uint32_t parent, uint32_t message)
{
    for (uint32_t i = UM_CALLTRACE_OTHER + 1; i < um_calltrace_count(&trace); i++)
        if (trace.nodes[i].parent == parent && trace.nodes[i].what.message == message)
            return i;
    cr_assert(0, "there is no node of 0x%x in %u", message, parent);
    return 0;
}

static void expect(uint32_t node, uint64_t count, uint64_t ended, uint64_t wall, uint64_t self)
{
    struct um_calltrace_values values = values_of(node);
    cr_expect_eq(values.count, count, "%u: count %d", node, (int)values.count);
    cr_expect_eq(values.ended, ended, "%u: ended %d", node, (int)values.ended);
    cr_expect_eq(values.wall, wall, "%u: wall %d", node, (int)values.wall);
    cr_expect_eq(values.self, self, "%u: self %d", node, (int)values.self);
}

Test(calltrace, sent_messages_nest)
{
    enter(A, 0, LOOP - 1000);
    enter(B, 10, LOOP - 2000);
    leave(B, 5, LOOP - 2010);
    enter(B, 1, LOOP - 2000);
    leave(B, 7, LOOP - 2010);
    leave(A, 100, LOOP - 1010);
    uint32_t a = find(UM_CALLTRACE_ROOT, A);
    expect(a, 1, 1, 123, 111);
    expect(find(a, B), 2, 2, 12, 12);
    cr_expect_eq(values_of(a).cpu, 3 * 123);
    cr_expect_eq(values_of(find(a, B)).cpu, 3 * 12);
    cr_expect_eq(um_calltrace_count(&trace), 4);
}

/* The same message is another call if class or handler is another one. */
Test(calltrace, calls_are_told_apart_by_all_that_is_known)
{
    struct um_calltrace_what sent = what(A, UM_TRACE_SENT);
    for (int i = 0; i < 3; i++) {
        sent.handler += i == 1;
        sent.window_class = (uint16_t)(i == 2);
        um_calltrace_entered(&trace, &sent, WINDOW, 0, at(1, LOOP - 1000));
        leave(A, 1, LOOP - 1000);
    }
    retrieve(A, 1, LOOP);
    cr_expect_eq(um_calltrace_count(&trace), 2 + 4);
}

Test(calltrace, retrieved_message_ends_at_its_marker)
{
    uint32_t serial = retrieve(A, 0, LOOP);
    cr_assert_neq(serial, 0);
    um_calltrace_posted(&trace, serial);
    enter(B, 3, LOOP - 900);
    leave(B, 4, LOOP - 910);
    um_calltrace_marker(&trace, serial, at(5, LOOP));
    uint32_t a = find(UM_CALLTRACE_ROOT, A);
    expect(a, 1, 1, 12, 8);
    expect(find(a, B), 1, 1, 4, 4);
    cr_expect_eq(values_of(a).loose, 0);
    retrieve(B, 1000, LOOP); /* the thread has waited */
    expect(a, 1, 1, 12, 8);
}

/* With its marker behind others in the queue, the next retrieval is the end, and the thread cannot
 * have waited. Without a marker it can. */
Test(calltrace, retrieved_message_ends_at_the_next_retrieval)
{
    uint32_t serial = retrieve(A, 0, LOOP);
    um_calltrace_posted(&trace, serial);
    retrieve(B, 6, LOOP);
    um_calltrace_marker(&trace, serial, at(1, LOOP)); /* and this ends B */
    expect(find(UM_CALLTRACE_ROOT, A), 1, 1, 6, 6);
    expect(find(UM_CALLTRACE_ROOT, B), 1, 1, 1, 1);
    cr_expect_eq(values_of(find(UM_CALLTRACE_ROOT, A)).loose, 0);
    retrieve(A, 0, LOOP);
    um_calltrace_retrieved(&trace, NULL, at(50, LOOP)); /* a beat */
    expect(find(UM_CALLTRACE_ROOT, A), 2, 2, 56, 56);
    cr_expect_eq(values_of(find(UM_CALLTRACE_ROOT, A)).loose, 1);
}

/* A loop may retrieve by functions of which one lies a little deeper. */
Test(calltrace, functions_of_one_loop_are_of_one_level)
{
    retrieve(A, 0, LOOP);
    retrieve(B, 5, LOOP - UM_CALLTRACE_LEVEL);
    retrieve(A, 5, LOOP);
    cr_expect_eq(um_calltrace_count(&trace), 2 + 2);
    expect(find(UM_CALLTRACE_ROOT, A), 2, 1, 5, 5);
    expect(find(UM_CALLTRACE_ROOT, B), 1, 1, 5, 5);
}

/* A handler opens a dialog: its loop takes the marker and other messages. When the handler goes on,
 * a marker is wanted again. */
Test(calltrace, loop_of_a_dialog_is_within_the_handler)
{
    uint32_t serial = retrieve(A, 0, LOOP);
    um_calltrace_posted(&trace, serial);
    um_calltrace_marker(&trace, serial, at(10, LOOP - 3000));
    uint32_t within = retrieve(B, 10, LOOP - 3000);
    um_calltrace_posted(&trace, within);
    um_calltrace_marker(&trace, within, at(20, LOOP - 3000));
    enter(B, 10, LOOP - 2000); /* WM_DESTROY or so, after the loop */
    cr_expect_eq(leave(B, 5, LOOP - 2000), serial, "a marker is wanted");
    um_calltrace_posted(&trace, serial);
    um_calltrace_marker(&trace, serial, at(5, LOOP));
    uint32_t a = find(UM_CALLTRACE_ROOT, A);
    expect(a, 1, 1, 60, 35);
    cr_expect_eq(values_of(a).loose, 0);
    cr_expect_eq(trace.depth, 0);
}

/* No hook tells of a handler that an exception or longjmp has left: the next event further out on
 * the stack does. */
Test(calltrace, handlers_left_by_an_exception_have_no_end)
{
    retrieve(A, 0, LOOP);
    enter(A, 1, LOOP - 1000);
    enter(B, 1, LOOP - 2000);
    enter(B, 1, LOOP - 1500); /* so the second one is over, and the first is not */
    leave(B, 4, LOOP - 1510);
    leave(A, 1, LOOP - 1010);
    uint32_t outer = find(find(UM_CALLTRACE_ROOT, A), A);
    expect(find(outer, B), 2, 1, 4, 4);
    expect(outer, 1, 1, 7, 3);
    enter(A, 1, LOOP - 1000);
    enter(B, 1, LOOP - 2000);
    retrieve(B, 10, LOOP); /* both were left by a jump to the loop */
    expect(outer, 2, 1, 7, 3);
    expect(find(outer, B), 3, 1, 4, 4);
    cr_expect_eq(trace.depth, 1);
}

/* The end of an outer call is that of all within it. */
Test(calltrace, end_of_a_call_leaves_those_within)
{
    enter(A, 0, LOOP - 1000);
    enter(B, 1, LOOP - 2000);
    retrieve(A, 1, LOOP - 3000);
    leave(A, 10, LOOP - 1010);
    uint32_t a = find(UM_CALLTRACE_ROOT, A);
    expect(a, 1, 1, 12, 2);
    expect(find(a, B), 1, 0, 0, 0);
    expect(find(find(a, B), A), 1, 1, 10, 10);
    cr_expect_eq(values_of(find(find(a, B), A)).loose, 1);
    cr_expect_eq(trace.depth, 0);
}

Test(calltrace, end_without_begin_is_ignored)
{
    leave(A, 1, LOOP - 1000);
    enter(A, 1, LOOP - 1000);
    leave(B, 1, LOOP - 1000);
    um_calltrace_left(&trace, A, WINDOW + 1, at(1, LOOP - 1000));
    um_calltrace_marker(&trace, 99, at(1, LOOP - 2000));
    leave(A, 1, LOOP - 1000);
    expect(find(UM_CALLTRACE_ROOT, A), 1, 1, 4, 4);
}

/* Tracing was off meanwhile: what was open has no end. */
Test(calltrace, forgotten_calls_have_no_end)
{
    enter(A, 0, LOOP - 1000);
    um_calltrace_forget(&trace);
    leave(A, 1, LOOP - 1000);
    enter(A, 1, LOOP - 1000);
    leave(A, 2, LOOP - 1000);
    expect(find(UM_CALLTRACE_ROOT, A), 2, 1, 2, 2);
}

/* A message from another thread comes while this one retrieves; one of its own from the loop may
 * be what the retrieved one is translated to. */
Test(calltrace, messages_of_other_threads_are_not_within_what_was_retrieved)
{
    struct um_calltrace_what sent = what(B, UM_TRACE_SENT);
    retrieve(A, 0, LOOP);
    um_calltrace_entered(&trace, &sent, WINDOW, 1, at(5, LOOP - 40));
    leave(B, 1, LOOP - 50);
    uint32_t a = find(UM_CALLTRACE_ROOT, A);
    expect(a, 1, 1, 5, 5);
    expect(find(UM_CALLTRACE_ROOT, B), 1, 1, 1, 1);
    retrieve(A, 0, LOOP);
    enter(B, 5, LOOP - 40);
    leave(B, 1, LOOP - 50);
    expect(find(a, B), 1, 1, 1, 1);
}

Test(calltrace, other_fibers_are_left_alone)
{
    struct um_calltrace_what sent = what(B, UM_TRACE_SENT);
    enter(A, 0, LOOP - 1000);
    struct um_calltrace_at fiber = {.ticks = ticks + 1, .place = 2 * STACK, .stack = 3 * STACK};
    um_calltrace_entered(&trace, &sent, WINDOW, 0, &fiber);
    leave(A, 10, LOOP - 1000);
    expect(find(UM_CALLTRACE_ROOT, A), 1, 1, 10, 10);
    expect(find(find(UM_CALLTRACE_ROOT, A), B), 1, 0, 0, 0);
}

Test(calltrace, calls_that_lie_too_deep_are_counted)
{
    for (uint64_t i = 0; i < UM_CALLTRACE_DEPTH + 5; i++)
        enter(A, 1, STACK - 300 * i);
    for (uint64_t i = UM_CALLTRACE_DEPTH + 5; i > 0; i--)
        leave(A, 1, STACK - 300 * (i - 1));
    cr_expect_eq(atomic_load(&trace.deeper), 5);
    cr_expect_eq(um_calltrace_count(&trace), 2 + UM_CALLTRACE_DEPTH);
    expect(find(UM_CALLTRACE_ROOT, A), 1, 1, 2 * (UM_CALLTRACE_DEPTH + 5) - 1, 2);
    cr_expect_eq(trace.depth, 0);
}

/* The deepest were left by a jump; what comes then is told apart again. */
Test(calltrace, jump_out_of_the_depths_is_survived)
{
    for (uint64_t i = 0; i < UM_CALLTRACE_DEPTH + 5; i++)
        enter(A, 1, STACK - 300 * i);
    enter(B, 1, STACK - 10);
    leave(B, 3, STACK - 10);
    leave(A, 1, STACK);
    expect(find(find(UM_CALLTRACE_ROOT, A), B), 1, 1, 3, 3);
    cr_expect_eq(trace.depth, 0);
}

/* Memory does not grow: what does not fit is in one node, and all calls are counted. */
Test(calltrace, full_tree_counts_the_others_in_one_node)
{
    uint32_t calls = UM_CALLTRACE_NODES + 1000;
    uint64_t sum = 0;
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < calls; i++) {
            enter(i, 1, LOOP - 1000);
            enter(i, 1, LOOP - 2000);
            leave(i, 1, LOOP - 2000);
            leave(i, 1, LOOP - 1000);
        }
    }
    cr_expect_eq(um_calltrace_count(&trace), UM_CALLTRACE_NODES);
    for (uint32_t i = UM_CALLTRACE_OTHER; i < UM_CALLTRACE_NODES; i++)
        sum += values_of(i).count;
    cr_expect_eq(sum, 4 * calls);
    struct um_calltrace_values others = values_of(UM_CALLTRACE_OTHER);
    cr_expect_eq(others.count, others.ended);
    cr_expect_eq(others.self, others.wall, "no time is counted twice");
    um_calltrace_init(&trace);
    enter(A, 1, LOOP);
    leave(A, 1, LOOP);
    cr_expect_eq(um_calltrace_count(&trace), 3);
    expect(2, 1, 1, 1, 1);
}

Test(calltrace, classes_have_names_once)
{
    uint16_t *name;
    uint16_t first = um_calltrace_class(&trace, 0xc001, &name);
    cr_assert(first && name);
    cr_expect_eq(um_calltrace_class(&trace, 0xc001, &name), first);
    cr_expect_null(name);
    uint16_t second = um_calltrace_class(&trace, 0xc101, &name); /* of the same slot */
    cr_expect(second && second != first && name);
    cr_expect_eq(um_calltrace_class(&trace, 0, &name), 0);
    cr_expect_null(name);
    for (uint16_t atom = 0xc200; atom < 0xc400; atom++)
        um_calltrace_class(&trace, atom, &name);
    cr_expect_eq(um_calltrace_class(&trace, 0xc500, &name), 0, "there is no room");
    cr_expect_null(name);
    cr_expect_eq(um_calltrace_class(&trace, 0xc101, &name), second);
}

Test(calltrace, half_written_values_are_not_read)
{
    struct um_calltrace_values values;
    uint32_t version;
    uint32_t before;
    enter(A, 0, LOOP - 1000);
    cr_assert(um_calltrace_read(&trace, 2, &values, &before));
    trace.nodes[2].sequence++;
    cr_expect(!um_calltrace_read(&trace, 2, &values, &version));
    trace.nodes[2].sequence++;
    cr_expect(um_calltrace_read(&trace, 2, &values, &version));
    cr_expect_neq(version, before);
}

/* One by one ----------------------------------------------------------------------------------- */

static struct um_ring ring;
static struct um_ring_slot slots[8];

static void keep_events(void)
{
    um_ring_init(&ring, slots, sizeof slots / sizeof slots[0]);
    trace.events = &ring;
}

static struct um_calltrace_event next_event(void)
{
    struct um_ring_record record;
    cr_assert(um_ring_pop(&ring, &record), "there is none");
    return um_calltrace_event(&record);
}

static void expect_event(uint32_t node, uint64_t begin, uint64_t end)
{
    struct um_calltrace_event event = next_event();
    cr_expect_eq(event.node, node);
    cr_expect_eq(event.begin, begin);
    cr_expect_eq(event.end, end);
}

Test(calltrace, each_call_that_ends_is_kept_after_those_within_it)
{
    struct um_ring_record record;
    keep_events();
    enter(A, 0, LOOP - 1000);
    enter(B, 3, LOOP - 2000);
    leave(B, 4, LOOP - 2000);
    leave(A, 5, LOOP - 1000);
    expect_event(find(2, B), 1003, 1007);
    expect_event(2, 1000, 1012);
    cr_expect(!um_ring_pop(&ring, &record));
    enter(A, 0, LOOP - 1000);
    enter(B, 1, LOOP - 2000); /* an exception leaves it */
    leave(A, 5, LOOP - 1000);
    expect_event(2, 1012, 1018);
    cr_expect(!um_ring_pop(&ring, &record), "nobody knows when the other one ended");
    trace.events = NULL;
    enter(A, 0, LOOP - 1000);
    leave(A, 5, LOOP - 1000);
    cr_expect(!um_ring_pop(&ring, &record), "it is not wanted");
    expect(2, 3, 3, 12 + 6 + 5, 5 + 3 + 6 + 5);
}

Test(calltrace, a_kept_call_says_how_it_came_and_how_sure_its_end_is)
{
    struct um_calltrace_what retrieved = what(A, UM_TRACE_RETRIEVED);
    struct um_calltrace_what sent = what(B, UM_TRACE_SENT);
    struct um_calltrace_at posted = *at(1, LOOP);
    keep_events();
    posted.age_ms = 7;
    um_calltrace_retrieved(&trace, &retrieved, &posted); /* without a marker */
    um_calltrace_entered(&trace, &sent, WINDOW, 1, at(2, LOOP - 1000));
    leave(B, 3, LOOP - 1000);
    um_calltrace_retrieved(&trace, NULL, at(4, LOOP));
    struct um_calltrace_event within = next_event();
    struct um_calltrace_event around = next_event();
    cr_expect(within.by_other_thread && !within.is_loose);
    cr_expect_eq(within.age_ms, UM_WIRE_AGE_UNKNOWN);
    cr_expect(!around.by_other_thread && around.is_loose);
    cr_expect_eq(around.age_ms, 7);
}

/* Only those that may explain a freeze are wanted. */
Test(calltrace, short_calls_are_not_kept_if_that_is_asked)
{
    struct um_ring_record record;
    keep_events();
    trace.events_from = 4;
    enter(A, 0, LOOP - 1000);
    enter(B, 1, LOOP - 2000);
    leave(B, 3, LOOP - 2000);
    leave(A, 1, LOOP - 1000);
    expect_event(2, 1000, 1005);
    cr_expect(!um_ring_pop(&ring, &record));
    cr_expect_eq(um_calltrace_count(&trace), 4, "it is counted");
    trace.events_from = 0;
}

Test(calltrace, of_too_many_calls_the_oldest_are_lost)
{
    struct um_ring_record record;
    keep_events();
    for (int i = 0; i < 20; i++) {
        enter(A, 1, LOOP - 1000);
        leave(A, 1, LOOP - 1000);
    }
    uint64_t kept = 0;
    for (; um_ring_pop(&ring, &record); kept++)
        cr_expect_eq(um_calltrace_event(&record).end, 1000 + 2 * (20 - 8 + kept + 1));
    cr_expect_eq(kept, 8);
    cr_expect_eq(ring.lost, 12);
}

/* What beats cause ----------------------------------------------------------------------------- */

#define HIT_TEST 0x84u
#define SET_CURSOR 0x20u

/* What the system sends for a mouse message before it is retrieved. */
static void send_for_move(void)
{
    enter(HIT_TEST, 1, LOOP - 1000);
    enter(B, 2, LOOP - 2000);
    leave(B, 3, LOOP - 2010);
    leave(HIT_TEST, 4, LOOP - 1010);
    enter(SET_CURSOR, 1, LOOP - 1000);
    leave(SET_CURSOR, 5, LOOP - 1010);
}

Test(calltrace, what_is_sent_for_the_move_of_a_beat_is_taken_back)
{
    keep_events();
    send_for_move();
    uint32_t hit_test = find(UM_CALLTRACE_ROOT, HIT_TEST);
    expect(hit_test, 1, 1, 9, 6);
    um_calltrace_own_move(&trace, at(1, LOOP));
    expect(hit_test, 0, 0, 0, 0);
    expect(find(hit_test, B), 0, 0, 0, 0);
    expect(find(UM_CALLTRACE_ROOT, SET_CURSOR), 0, 0, 0, 0);
    enter(A, 1, LOOP - 1000); /* by the handler of the move */
    leave(A, 7, LOOP - 1010);
    expect(find(UM_CALLTRACE_ROOT, A), 1, 1, 7, 7);
    um_calltrace_retrieved(&trace, NULL, at(1, LOOP));
    expect(find(UM_CALLTRACE_ROOT, A), 0, 0, 0, 0);
    struct um_ring_record record;
    cr_expect(!um_ring_pop(&ring, &record), "and none is kept");
    enter(A, 1, LOOP - 1000); /* in idle time, after another retrieval */
    leave(A, 7, LOOP - 1010);
    expect(find(UM_CALLTRACE_ROOT, A), 1, 1, 7, 7);
}

Test(calltrace, what_is_sent_for_the_users_move_stays)
{
    keep_events();
    send_for_move();
    retrieve(A, 1, LOOP);
    expect(find(UM_CALLTRACE_ROOT, HIT_TEST), 1, 1, 9, 6);
    expect(find(UM_CALLTRACE_ROOT, SET_CURSOR), 1, 1, 5, 5);
    struct um_ring_record record;
    for (int i = 0; i < 3; i++)
        cr_expect(um_ring_pop(&ring, &record), "call %d is kept", i);
    cr_expect(!um_ring_pop(&ring, &record));
}

/* Another thread's message says that the thread was within no handler of ours. */
Test(calltrace, another_threads_message_is_not_taken_back)
{
    struct um_calltrace_what sent = what(A, UM_TRACE_SENT);
    um_calltrace_own_move(&trace, at(1, LOOP));
    enter(B, 1, LOOP - 1000);
    leave(B, 2, LOOP - 1010);
    um_calltrace_entered(&trace, &sent, WINDOW, 1, at(1, LOOP - 1000));
    leave(A, 3, LOOP - 1010);
    um_calltrace_retrieved(&trace, NULL, at(1, LOOP));
    expect(find(UM_CALLTRACE_ROOT, A), 1, 1, 3, 3);
    expect(find(UM_CALLTRACE_ROOT, B), 0, 0, 0, 0);
}

Test(calltrace, more_than_can_be_held_stays)
{
    keep_events();
    for (uint32_t round = 0; round < 2; round++) {
        enter(HIT_TEST, 1, LOOP - 1000);
        for (uint32_t i = 0; i < UM_CALLTRACE_HELD + 4; i++) {
            enter(round ? B : 0x500 + i, 1, LOOP - 2000);
            leave(round ? B : 0x500 + i, 1, LOOP - 2010);
        }
        for (uint32_t i = 0; round && i < UM_CALLTRACE_HELD_EVENTS; i++) {
            enter(B, 1, LOOP - 2000);
            leave(B, 1, LOOP - 2010);
        }
        leave(HIT_TEST, 1, LOOP - 1010);
        um_calltrace_own_move(&trace, at(1, LOOP));
        um_calltrace_retrieved(&trace, NULL, at(1, LOOP));
        expect(find(UM_CALLTRACE_ROOT, HIT_TEST), round + 1, round + 1,
               values_of(find(UM_CALLTRACE_ROOT, HIT_TEST)).wall,
               values_of(find(UM_CALLTRACE_ROOT, HIT_TEST)).self);
    }
    cr_expect_eq(values_of(find(find(UM_CALLTRACE_ROOT, HIT_TEST), B)).count,
                 UM_CALLTRACE_HELD + 4 + UM_CALLTRACE_HELD_EVENTS);
}
