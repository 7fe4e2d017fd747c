/* The order of runs, what a failed run discards, and when a sitting ends; against a host that
 * writes down what it is asked for. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "monitor/bench/bench_sitting.h"

#define MOST 600

static struct {
    char sides[MOST + 1]; /* of each run that is counted: 'b' or 'a'; of others 'B' or 'A' */
    size_t runs;
    uint32_t kept[2];
    uint32_t fails_at, fails_until; /* runs by number, counted from 1, rehearsals too */
    uint32_t enough_at;             /* pairs; 0: never */
    bool stopped;
    uint32_t discarded;
    size_t rehearsed_at; /* runs */
    uint32_t told;       /* how often it was told that one more is kept */
    char names[4][64];
} seen;

static struct um_bench_sitting sitting;

static enum um_status run(void *context, enum um_bench_sitting_side side, bool counted,
                          const char *name)
{
    (void)context;
    cr_assert_lt(seen.runs, MOST);
    if (seen.runs < 4)
        snprintf(seen.names[seen.runs], sizeof seen.names[0], "%s", name);
    seen.sides[seen.runs++] = counted ? "ba"[side] : "BA"[side];
    if (seen.runs >= seen.fails_at && seen.runs <= seen.fails_until)
        return UM_ERR_TIMEOUT;
    seen.kept[side] += counted;
    return UM_OK;
}

static void drop(void *context, enum um_bench_sitting_side side)
{
    (void)context;
    cr_assert_gt(seen.kept[side], 0);
    seen.kept[side]--;
}

static enum um_status rehearsed(void *context)
{
    (void)context;
    seen.rehearsed_at = seen.runs;
    return UM_OK;
}

static bool is_stopped(void *context)
{
    (void)context;
    return seen.stopped;
}

static void discarded(void *context, const char *name)
{
    (void)context, (void)name;
    seen.discarded++;
}

static enum um_status look(void *context, uint32_t pairs, bool *enough)
{
    (void)context;
    cr_assert_eq(seen.kept[0], pairs);
    cr_assert_eq(seen.kept[1], pairs);
    *enough = pairs == seen.enough_at;
    return UM_OK;
}

static void kept(void *context)
{
    (void)context;
    seen.told++;
}

/* What was made before it was broken off. */
static const struct um_bench_sitting *before;

static enum um_status sit(uint32_t sides, uint32_t rehearsals, uint32_t runs, uint64_t seed)
{
    const struct um_bench_sitting_plan plan = {sides, rehearsals, runs, seed, before};
    const struct um_bench_sitting_host host = {NULL,       run,       drop, rehearsed,
                                               is_stopped, discarded, kept, look};
    return um_bench_sitting_run(&plan, &host, &sitting);
}

static void begin(void)
{
    memset(&seen, 0, sizeof seen);
}

Test(bench_sitting, one_side_is_run_as_often_as_asked, .init = begin)
{
    cr_expect_eq(sit(1, 2, 3, 1), UM_OK);
    cr_expect_str_eq(seen.sides, "BBbbb");
    cr_expect_eq(seen.rehearsed_at, 2);
    cr_expect_str_eq(seen.names[0], "rehearsal 1 of 2");
    cr_expect_str_eq(seen.names[2], "run 1 of 3");
    begin();
    seen.fails_at = seen.fails_until = 4;
    cr_expect_eq(sit(1, 2, 3, 1), UM_ERR_TIMEOUT);
    cr_expect_str_eq(seen.sides, "BBbb");
}

Test(bench_sitting, each_pair_has_both_sides_in_an_order_that_is_drawn, .init = begin)
{
    uint32_t after_first = 0;
    cr_expect_eq(sit(2, 1, UM_PAIRED_MOST, 7), UM_OK);
    cr_expect_eq(sitting.pairs, UM_PAIRED_MOST);
    cr_expect_eq(strncmp(seen.sides, "BA", 2), 0);
    cr_expect_str_eq(seen.names[0], "rehearsal 1 of 1, before");
    for (uint32_t i = 0; i < sitting.pairs; i++) {
        const char *pair = seen.sides + 2 + 2 * (size_t)i;
        cr_assert_eq(strncmp(pair, sitting.after_first[i] ? "ab" : "ba", 2), 0, "pair %u", i);
        after_first += sitting.after_first[i];
    }
    /* A half of 250, and four standard deviations. */
    cr_expect(after_first > 93 && after_first < 157, "%u", after_first);
    char first[MOST + 1];
    memcpy(first, seen.sides, sizeof first);
    begin();
    cr_expect_eq(sit(2, 1, UM_PAIRED_MOST, 8), UM_OK);
    cr_expect_str_neq(seen.sides, first);
}

Test(bench_sitting, ends_when_it_is_enough, .init = begin)
{
    seen.enough_at = 10;
    cr_expect_eq(sit(2, 0, 60, 1), UM_OK);
    cr_expect_eq(sitting.pairs, 10);
    cr_expect_eq(seen.runs, 20);
}

/* Whether the first or the second run of a pair fails: none of it counts. */
Test(bench_sitting, a_failed_run_discards_its_pair)
{
    for (uint32_t at = 5; at <= 6; at++) {
        begin();
        seen.fails_at = seen.fails_until = at;
        cr_expect_eq(sit(2, 0, 8, 1), UM_OK);
        cr_expect_eq(sitting.pairs, 8);
        cr_expect_eq(sitting.discarded, 1);
        cr_expect_eq(seen.discarded, 1);
        cr_expect_eq(seen.kept[0], 8);
        cr_expect_eq(seen.kept[1], 8);
        cr_expect_eq(seen.runs, at == 5 ? 17 : 18);
    }
}

Test(bench_sitting, three_failures_in_a_row_end_it, .init = begin)
{
    seen.fails_at = 5;
    seen.fails_until = MOST;
    cr_expect_eq(sit(2, 0, 8, 1), UM_ERR_TIMEOUT);
    cr_expect_eq(sitting.pairs, 2);
    cr_expect_eq(seen.runs, 7);
    cr_expect_eq(sitting.discarded, 2);
}

Test(bench_sitting, a_user_who_stops_is_obeyed, .init = begin)
{
    seen.fails_at = seen.fails_until = 4;
    seen.stopped = true;
    cr_expect_eq(sit(2, 0, 8, 1), UM_ERR_TIMEOUT);
    cr_expect_eq(sitting.pairs, 1);
    cr_expect_eq(seen.kept[0], 1);
    cr_expect_eq(seen.kept[1], 1);
}

Test(bench_sitting, a_failed_rehearsal_ends_it, .init = begin)
{
    seen.fails_at = seen.fails_until = 2;
    cr_expect_eq(sit(2, 3, 8, 1), UM_ERR_TIMEOUT);
    cr_expect_str_eq(seen.sides, "BA");
    cr_expect_eq(sit(2, 0, UM_PAIRED_MOST + 1, 1), UM_ERR_ARG);
}

Test(bench_sitting, tells_of_each_run_that_is_kept, .init = begin)
{
    cr_expect_eq(sit(1, 2, 3, 1), UM_OK);
    cr_expect_eq(seen.told, 3);
    begin();
    seen.fails_at = seen.fails_until = 4;
    cr_expect_eq(sit(2, 0, 5, 1), UM_OK);
    cr_expect_eq(seen.told, 5);
}

Test(bench_sitting, one_side_goes_on_where_it_was_broken_off, .init = begin)
{
    const struct um_bench_sitting two = {.pairs = 2};
    before = &two;
    cr_expect_eq(sit(1, 1, 5, 1), UM_OK);
    cr_expect_str_eq(seen.sides, "Bbbb");
    cr_expect_str_eq(seen.names[1], "run 3 of 5");
    cr_expect_eq(sitting.pairs, 5);
}

/* Broken off after any number of pairs, some of them discarded, the order is the same. */
Test(bench_sitting, the_order_of_pairs_goes_on_as_it_was_drawn, .init = begin)
{
    seen.fails_at = seen.fails_until = 7;
    cr_expect_eq(sit(2, 0, 30, 5), UM_OK);
    struct um_bench_sitting whole = sitting;
    cr_assert_eq(whole.discarded, 1);
    for (uint32_t pairs = 4; pairs <= 30; pairs++) {
        struct um_bench_sitting part = whole;
        part.pairs = pairs;
        memset(part.after_first + pairs, 0, sizeof part.after_first - pairs);
        before = &part;
        begin();
        seen.kept[0] = seen.kept[1] = pairs;
        cr_expect_eq(sit(2, 0, 30, 5), UM_OK);
        cr_expect_eq(seen.runs, 2 * (size_t)(30 - pairs));
        cr_expect_eq(memcmp(sitting.after_first, whole.after_first, sizeof whole.after_first), 0,
                     "after %u", pairs);
    }
}

Test(bench_sitting, what_was_enough_before_is_enough, .init = begin)
{
    const struct um_bench_sitting ten = {.pairs = 10};
    before = &ten;
    seen.enough_at = 10;
    seen.kept[0] = seen.kept[1] = 10;
    cr_expect_eq(sit(2, 1, 60, 1), UM_OK);
    cr_expect_str_eq(seen.sides, "BA");
}
