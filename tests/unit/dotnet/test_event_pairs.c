#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "monitor/dotnet/event_pairs.h"

static struct um_event_pairs *pairs;
static struct um_event_pair given[UM_EVENT_PAIRS_OPEN + 8];
static size_t given_count;
static uint64_t lost; /* so far */

static const struct um_event_kind request_start = {
    .provider = "P", .name = "RequestStart", .opcode = UM_EVENT_KIND_START, .suffixed = true};
static const struct um_event_kind request_stop = {
    .provider = "P", .name = "RequestStop", .opcode = UM_EVENT_KIND_STOP, .suffixed = true};
static const struct um_event_kind query_start = {
    .provider = "P", .name = "QueryStart", .opcode = UM_EVENT_KIND_START, .suffixed = true};
static const struct um_event_kind query_stop = {
    .provider = "P", .name = "QueryStop", .opcode = UM_EVENT_KIND_STOP, .suffixed = true};
static const struct um_event_kind others_stop = {
    .provider = "Q", .name = "RequestStop", .opcode = UM_EVENT_KIND_STOP, .suffixed = true};
static const struct um_event_kind begin = {
    .provider = "P", .name = "BeginWork", .opcode = UM_EVENT_KIND_START};
static const struct um_event_kind end = {
    .provider = "P", .name = "EndWork", .opcode = UM_EVENT_KIND_STOP};
static const struct um_event_kind note = {.provider = "P", .name = "Note"};

static void give(void *context, const struct um_event_pair *pair)
{
    (void)context;
    given[given_count++] = *pair;
}

static void setup(void)
{
    given_count = 0;
    lost = 0;
    cr_assert_eq(um_event_pairs_open(give, NULL, &pairs), UM_OK);
}

static void teardown(void)
{
    for (size_t i = 0; i < given_count; i++)
        um_event_pairs_release(&given[i]);
    um_event_pairs_close(pairs);
}

TestSuite(event_pairs, .init = setup, .fini = teardown);

static void take(const struct um_event_kind *kind, uint64_t time_ns, uint64_t thread,
                 uint8_t activity)
{
    struct um_event *event = calloc(1, sizeof *event);
    cr_assert(event != NULL);
    event->kind = kind;
    event->time_ns = time_ns;
    event->thread = thread;
    event->lost = lost;
    event->activity[3] = activity;
    um_event_pairs_take(pairs, event);
}

/* A pair as "NAME begin-end", with '?' for an end that was not seen. */
static void expect(size_t at, const char *text)
{
    char line[128];
    cr_assert_lt(at, given_count, "%s", text);
    const struct um_event_pair *pair = &given[at];
    int used = snprintf(line, sizeof line, "%.*s %u", (int)um_event_pairs_task(pair->first->kind),
                        pair->first->kind->name, (unsigned)pair->first->time_ns);
    if (pair->stop)
        snprintf(line + used, sizeof line - (size_t)used, "-%u", (unsigned)pair->stop->time_ns);
    else if (pair->open)
        snprintf(line + used, sizeof line - (size_t)used, "-%u?", (unsigned)pair->end_ns);
    cr_expect_str_eq(line, text);
}

Test(event_pairs, start_and_stop_of_an_activity_are_an_interval_on_whichever_threads)
{
    take(&request_start, 1, 100, 5);
    take(&query_start, 2, 100, 6);
    take(&note, 3, 101, 6);
    take(&query_stop, 4, 101, 6);
    take(&request_stop, 5, 102, 5);
    cr_assert_eq(given_count, 3);
    expect(0, "Note 3");
    expect(1, "Query 2-4");
    expect(2, "Request 1-5");
}

Test(event_pairs, activities_side_by_side_are_not_mixed_up)
{
    take(&request_start, 1, 100, 5);
    take(&request_start, 2, 100, 6);
    take(&request_stop, 3, 100, 5);
    take(&request_stop, 4, 100, 6);
    expect(0, "Request 1-3");
    expect(1, "Request 2-4");
}

Test(event_pairs, without_activities_the_last_start_of_the_thread_counts)
{
    take(&request_start, 1, 100, 0);
    take(&request_start, 2, 101, 0);
    take(&request_start, 3, 100, 0);
    take(&query_stop, 4, 100, 0);
    take(&request_stop, 5, 100, 0);
    take(&request_stop, 6, 100, 0);
    take(&request_stop, 7, 101, 0);
    cr_assert_eq(given_count, 4);
    expect(0, "Query 4");
    expect(1, "Request 3-5");
    expect(2, "Request 1-6");
    expect(3, "Request 2-7");
}

/* What is lost may be the Stop of the one, and the Start of the other. */
Test(event_pairs, without_activities_nothing_is_a_pair_across_a_loss)
{
    take(&request_start, 1, 100, 0);
    take(&query_start, 2, 100, 6);
    lost = 2;
    take(&request_stop, 3, 100, 0);
    take(&query_stop, 4, 100, 6);
    take(&request_start, 5, 100, 0);
    take(&request_stop, 6, 100, 0);
    um_event_pairs_end(pairs, 9);
    cr_assert_eq(given_count, 4);
    expect(0, "Request 3");
    expect(1, "Query 2-4");
    expect(2, "Request 5-6");
    expect(3, "Request 1-9?");
}

Test(event_pairs, stop_of_another_provider_or_activity_is_an_instant)
{
    take(&request_start, 1, 100, 5);
    take(&others_stop, 2, 100, 5);
    take(&request_stop, 3, 100, 6);
    take(&request_stop, 4, 100, 0);
    take(&query_stop, 5, 100, 5);
    cr_assert_eq(given_count, 4);
    expect(0, "Request 2");
    expect(3, "Query 5");
    cr_expect(!given[0].open && !given[0].stop);
}

Test(event_pairs, names_without_start_and_stop_are_paired_by_activity)
{
    take(&begin, 1, 100, 5);
    take(&end, 2, 101, 5);
    expect(0, "BeginWork 1-2");
    take(&begin, 3, 100, 6);
    take(&request_stop, 4, 101, 6);
    expect(1, "BeginWork 3-4");
    take(&request_start, 5, 100, 7);
    take(&end, 6, 101, 7);
    expect(2, "Request 5-6");
    take(&begin, 7, 100, 0);
    take(&end, 8, 100, 0);
    expect(3, "EndWork 8");
}

Test(event_pairs, start_without_a_stop_is_open_at_the_end)
{
    take(&request_start, 1, 100, 5);
    take(&query_start, 2, 100, 6);
    take(&note, 8, 100, 0);
    um_event_pairs_end(pairs, 9);
    cr_assert_eq(given_count, 3);
    expect(1, "Request 1-9?");
    expect(2, "Query 2-9?");
    um_event_pairs_end(pairs, 10);
    cr_expect_eq(given_count, 3, "once");
}

Test(event_pairs, where_too_many_are_open_the_first_is_given)
{
    for (unsigned i = 0; i <= UM_EVENT_PAIRS_OPEN; i++)
        take(&request_start, 1 + i, 100, 5);
    cr_assert_eq(given_count, 1);
    expect(0, "Request 1-1025?");
    take(&request_stop, 2000, 100, 5);
    expect(1, "Request 1025-2000");
}
