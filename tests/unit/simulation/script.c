#include "tests/unit/simulation/script.h"

#include <stdio.h>

#include <criterion/criterion.h>

uint32_t script_draw(uint64_t *state, uint32_t most)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return most > 0 ? (uint32_t)(z % most) : 0;
}

static uint32_t us_of(double ms)
{
    return (uint32_t)(ms * 1e3 + 0.5);
}

struct script script_of(double until_ms)
{
    return (struct script){.until_us = us_of(until_ms),
                           .threshold_ms = 100,
                           .slow_ms = 50,
                           .rest_ms = 100,
                           .ring_slots = 4096};
}

static void add(struct script *script, struct script_work work)
{
    cr_assert_lt(script->work_count, SCRIPT_WORKS);
    script->works[script->work_count++] = work;
}

void script_post(struct script *script, double at_ms, double length_ms)
{
    script_flood(script, at_ms, length_ms, 1);
}

void script_flood(struct script *script, double at_ms, double length_ms, uint32_t count)
{
    add(script, (struct script_work){SCRIPT_POST, us_of(at_ms), us_of(length_ms), count, false});
}

void script_send(struct script *script, double at_ms, double length_ms)
{
    add(script, (struct script_work){SCRIPT_SEND, us_of(at_ms), us_of(length_ms), 1, false});
}

void script_key(struct script *script, double at_ms, double length_ms)
{
    add(script, (struct script_work){SCRIPT_KEY, us_of(at_ms), us_of(length_ms), 1, false});
}

void script_fault(struct script *script, enum script_fault_kind kind, double at_ms,
                  double length_ms)
{
    cr_assert_lt(script->fault_count, SCRIPT_FAULTS);
    script->faults[script->fault_count++] =
        (struct script_fault){kind, us_of(at_ms), us_of(length_ms)};
}

/* A beat that comes later than this is given up before. */
#define LATEST_US 900000

/* Random scripts ------------------------------------------------------------------------------- */

/* Most handlers are short, and many are near a threshold. */
static uint32_t draw_length_us(uint64_t *state, const struct script *script)
{
    switch (script_draw(state, 6)) {
    case 0:
        return script_draw(state, 2000);
    case 1:
        return script_draw(state, 30000);
    case 2:
        return script->slow_ms * 1000 - 5000 + script_draw(state, 10000);
    case 3:
        return script->threshold_ms * 1000 - 3000 + script_draw(state, 6000);
    case 4:
        return script->threshold_ms * 1000 + script_draw(state, 100000);
    default:
        return script_draw(state, script_draw(state, 8) == 0 ? 1500000 : 400000);
    }
}

static void draw_work(uint64_t *state, struct script *script)
{
    uint32_t kind = script_draw(state, 8);
    struct script_work work = {.kind = kind < 4   ? SCRIPT_POST
                                       : kind < 6 ? SCRIPT_SEND
                                                  : SCRIPT_KEY,
                               .at_us = 200000 + script_draw(state, script->until_us - 400000),
                               .length_us = draw_length_us(state, script),
                               .count = 1,
                               .waits = script_draw(state, 3) == 0};
    if (work.kind == SCRIPT_POST && script_draw(state, 4) == 0) {
        work.count = 2 + script_draw(state, 20);
        work.length_us = script_draw(state, 30000);
    }
    bool follows = script->work_count > 0 && script_draw(state, 3) == 0;
    if (follows) { /* soon after another one, so that they meet in the queue */
        const struct script_work *other =
            &script->works[script_draw(state, (uint32_t)script->work_count)];
        work.at_us = other->at_us + script_draw(state, 30000);
    }
    add(script, work);
}

static void draw_fault(uint64_t *state, struct script *script)
{
    struct script_fault fault = {.kind = script_draw(state, SCRIPT_FAULT_KINDS),
                                 .at_us = 300000 + script_draw(state, script->until_us - 500000)};
    bool is_short = script_draw(state, 2) == 0;
    fault.length_us = script_draw(state, is_short ? 300000 : 3000000);
    if (fault.kind == SCRIPT_KILLED && script_draw(state, 3) != 0)
        fault.kind = SCRIPT_BEAT_LOST; /* most sessions go on */
    for (size_t i = 0; i < script->fault_count; i++)
        if (script->faults[i].kind == SCRIPT_BEAT_LATE)
            return; /* that one alone: what follows from a late beat is not known with others */
    if (fault.kind == SCRIPT_BEAT_LATE) {
        fault.length_us %= LATEST_US;
        script->fault_count = 0;
    }
    if (fault.kind == SCRIPT_BEAT_LOST && script->pings)
        return; /* the server delivers what it was given */
    script->faults[script->fault_count++] = fault;
}

struct script script_random(uint64_t number)
{
    uint64_t state = number;
    struct script script = script_of(2000 + script_draw(&state, 4000));
    script.seed = script_draw(&state, UINT32_MAX);
    script.has_cycles = script_draw(&state, 2) == 0;
    if (script_draw(&state, 4) == 0)
        script.rest_ms = 10;
    if (script_draw(&state, 4) == 0)
        script.ring_slots = 16;
    if (script_draw(&state, 5) == 0)
        script.idle_pause_ms = 500 + script_draw(&state, 1500);
    if (script_draw(&state, 5) == 0)
        script.threshold_ms = 250;
    script.pings = script_draw(&state, 8) == 0;
    script.has_cycles &= !script.pings;
    script.cut = script_draw(&state, 400);
    uint32_t works = script_draw(&state, 14);
    uint32_t faults = script_draw(&state, 2) == 0 ? 0 : script_draw(&state, 4);
    for (uint32_t i = 0; i < works; i++)
        draw_work(&state, &script);
    for (uint32_t i = 0; i < faults; i++)
        draw_fault(&state, &script);
    return script;
}

/* Shrinking ------------------------------------------------------------------------------------ */

typedef bool script_check(const struct script *script);

static bool try(struct script *best, const struct script *candidate, script_check *fails)
{
    if (!fails(candidate))
        return false;
    *best = *candidate;
    return true;
}

static bool drop_one(struct script *best, script_check *fails)
{
    for (size_t i = 0; i < best->work_count; i++) {
        struct script less = *best;
        less.work_count--;
        for (size_t k = i; k < less.work_count; k++)
            less.works[k] = best->works[k + 1];
        if (try(best, &less, fails))
            return true;
    }
    for (size_t i = 0; i < best->fault_count; i++) {
        struct script less = *best;
        less.fault_count--;
        for (size_t k = i; k < less.fault_count; k++)
            less.faults[k] = best->faults[k + 1];
        if (try(best, &less, fails))
            return true;
    }
    return false;
}

/* Tries a rounder number in place of one of the best script's. */
static bool round_number(struct script *best, size_t offset, uint32_t unit, script_check *fails)
{
    struct script rounder = *best;
    uint32_t *number = (uint32_t *)(void *)((char *)&rounder + offset);
    uint32_t round = *number - *number % unit;
    if (round == *number)
        return false;
    *number = round;
    return try(best, &rounder, fails);
}

static bool round_all(struct script *best, uint32_t unit, script_check *fails)
{
    bool any = round_number(best, offsetof(struct script, until_us), unit, fails);
    for (size_t i = 0; i < best->work_count; i++) {
        size_t at = offsetof(struct script, works) + i * sizeof best->works[0];
        any |= round_number(best, at + offsetof(struct script_work, at_us), unit, fails);
        any |= round_number(best, at + offsetof(struct script_work, length_us), unit, fails);
    }
    for (size_t i = 0; i < best->fault_count; i++) {
        size_t at = offsetof(struct script, faults) + i * sizeof best->faults[0];
        any |= round_number(best, at + offsetof(struct script_fault, at_us), unit, fails);
        any |= round_number(best, at + offsetof(struct script_fault, length_us), unit, fails);
    }
    return any;
}

static bool make_plain(struct script *best, script_check *fails)
{
    const struct script plain = script_of(0);
    struct script next = *best;
    bool any = false;
    next.has_cycles = false;
    any |= best->has_cycles && try(best, &next, fails);
    next = *best;
    next.pings = false;
    any |= best->pings && try(best, &next, fails);
    next = *best;
    next.idle_pause_ms = 0;
    any |= best->idle_pause_ms && try(best, &next, fails);
    next = *best;
    next.ring_slots = plain.ring_slots;
    any |= best->ring_slots != plain.ring_slots && try(best, &next, fails);
    next = *best;
    next.rest_ms = plain.rest_ms;
    any |= best->rest_ms != plain.rest_ms && try(best, &next, fails);
    next = *best;
    next.seed = 0;
    any |= best->seed && try(best, &next, fails);
    for (size_t i = 0; i < best->work_count; i++) {
        next = *best;
        next.works[i].count = 1;
        any |= best->works[i].count > 1 && try(best, &next, fails);
        next = *best;
        next.works[i].waits = false;
        any |= best->works[i].waits && try(best, &next, fails);
    }
    return any;
}

struct script script_shrink(struct script script, script_check *fails)
{
    static const uint32_t units[] = {100000, 10000, 1000, 100};
    while (drop_one(&script, fails))
        ;
    while (make_plain(&script, fails))
        ;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        while (round_all(&script, units[i], fails))
            ;
    while (drop_one(&script, fails))
        ;
    return script;
}

void script_print(const struct script *script)
{
    static const char *const faults[] = {"SCRIPT_BEAT_LOST",
                                         "SCRIPT_BEAT_LATE",
                                         "SCRIPT_MONITOR_HELD_UP",
                                         "SCRIPT_WORKER_HELD_UP",
                                         "SCRIPT_HEARTBEAT_HELD_UP",
                                         "SCRIPT_SUSPENDED",
                                         "SCRIPT_ASLEEP",
                                         "SCRIPT_KILLED"};
    const struct script plain = script_of(0);

    printf("    struct script script = script_of(%.10g);\n", script->until_us / 1e3);
    if (script->threshold_ms != plain.threshold_ms)
        printf("    script.threshold_ms = %u;\n", script->threshold_ms);
    if (script->rest_ms != plain.rest_ms)
        printf("    script.rest_ms = %u;\n", script->rest_ms);
    if (script->ring_slots != plain.ring_slots)
        printf("    script.ring_slots = %u;\n", script->ring_slots);
    if (script->idle_pause_ms)
        printf("    script.idle_pause_ms = %u;\n", script->idle_pause_ms);
    if (script->pings)
        printf("    script.pings = true;\n");
    if (script->has_cycles)
        printf("    script.has_cycles = true;\n");
    printf("    script.cut = %u;\n", script->cut);
    if (script->seed)
        printf("    script.seed = %u;\n", script->seed);
    for (size_t i = 0; i < script->work_count; i++) {
        const struct script_work *work = &script->works[i];
        const char *call = work->kind == SCRIPT_KEY    ? "key"
                           : work->kind == SCRIPT_SEND ? "send"
                           : work->count > 1           ? "flood"
                                                       : "post";
        printf("    script_%s(&script, %.10g, %.10g", call, work->at_us / 1e3,
               work->length_us / 1e3);
        printf(work->count > 1 ? ", %u);\n" : ");\n", work->count);
        if (work->waits)
            printf("    script.works[%zu].waits = true;\n", i);
    }
    for (size_t i = 0; i < script->fault_count; i++)
        printf("    script_fault(&script, %s, %.10g, %.10g);\n", faults[script->faults[i].kind],
               script->faults[i].at_us / 1e3, script->faults[i].length_us / 1e3);
    fflush(stdout);
}
