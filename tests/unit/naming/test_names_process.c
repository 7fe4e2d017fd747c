/* With the threads of fake_names.h in place of uimon-names.exe. */
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/plain/clock.h"
#include "monitor/naming/names_process.h"
#include "tests/unit/live/fake_target.h"
#include "tests/unit/naming/fake_names.h"

#define LIMIT_MS 60000 /* only a hang gets there */

static const struct um_transport *transport;
static struct um_names_process *names;

static void setup(void)
{
    transport = fake_names_start();
    cr_assert_eq(um_names_process_open("c:\\symbols", transport, &names), UM_OK);
}

static void teardown(void)
{
    um_names_process_close(names);
    fake_names_end();
}

TestSuite(names_process, .init = setup, .fini = teardown, .threads = true);

static uint32_t module(const char *path)
{
    struct um_names_module seen = {0};
    uint32_t number;
    snprintf(seen.path, sizeof seen.path, "%s", path);
    cr_assert_eq(um_names_process_module(names, &seen, &number), UM_OK);
    return number;
}

static enum um_status ask_until(uint32_t module, uint32_t first, uint32_t count, uint32_t limit_ms)
{
    struct um_names_process_address addresses[1000] = {{0}};
    for (uint32_t i = 0; i < count; i++)
        addresses[i] = (struct um_names_process_address){module, first + i, 0};
    return um_names_process_ask(names, addresses, count, limit_ms);
}

static enum um_status ask(uint32_t module, uint32_t first, uint32_t count)
{
    return ask_until(module, first, count, LIMIT_MS);
}

static void expect(const char *path, uint32_t first, uint32_t count)
{
    for (uint32_t rva = first; rva < first + count; rva++) {
        char text[32];
        const struct um_names_cached *name = um_names_process_find(names, module(path), rva);
        snprintf(text, sizeof text, "%s+%u", path, rva);
        cr_assert(name, "%s", text);
        cr_assert_str_eq(name->name, text);
        cr_assert_str_eq(name->file, "c:\\symbols");
        cr_assert_eq(name->line, rva + 1);
    }
}

static void expect_ended(const char *path)
{
    const struct um_names_cached *name = um_names_process_find(names, module(path), 1);
    cr_assert(name);
    cr_expect_eq(name->kind, UM_NAMES_NOWHERE);
    cr_expect_eq(name->why, UM_NAMES_ENDED);
}

Test(names_process, starts_when_it_is_asked)
{
    cr_expect_eq(ask(module("a"), 0, 0), UM_OK);
    cr_expect_eq(um_names_process_starts(names), 0);
    cr_expect_eq(ask(module("a"), 0, 1), UM_OK);
    cr_expect_eq(um_names_process_starts(names), 1);
    expect("a", 0, 1);
}

Test(names_process, answers_more_than_wait_at_once)
{
    cr_expect_eq(ask(module("a"), 0, 1000), UM_OK);
    cr_expect_eq(ask(module("b"), 500, 1000), UM_OK);
    expect("a", 0, 1000);
    expect("b", 500, 1000);
    cr_expect_eq(atomic_load(&fake_names_asked), 2000);
}

Test(names_process, asks_for_nothing_twice)
{
    struct um_names_process_address addresses[] = {
        {module("a"), 5, 0}, {module("b"), 5, 0}, {module("a"), 5, 0}, {module("b"), 5, 0}};
    cr_expect_eq(um_names_process_ask(names, addresses, 4, LIMIT_MS), UM_OK);
    cr_expect_eq(um_names_process_ask(names, addresses, 4, LIMIT_MS), UM_OK);
    cr_expect_eq(atomic_load(&fake_names_asked), 2);
    expect("a", 5, 1);
    expect("b", 5, 1);
}

Test(names_process, has_a_number_for_each_build_of_a_module)
{
    struct um_names_module seen = {.timestamp = 1, .image_bytes = 2, .path = "a"};
    uint32_t number, other;
    cr_assert_eq(um_names_process_module(names, &seen, &number), UM_OK);
    cr_assert_eq(um_names_process_module(names, &seen, &other), UM_OK);
    cr_expect_eq(other, number);
    seen.timestamp = 3;
    cr_assert_eq(um_names_process_module(names, &seen, &other), UM_OK);
    cr_expect_neq(other, number);
}

Test(names_process, has_a_limit_for_modules)
{
    struct um_names_module seen = {0};
    uint32_t number;
    for (seen.timestamp = 0; seen.timestamp < UM_NAMES_PROCESS_MODULES; seen.timestamp++)
        cr_assert_eq(um_names_process_module(names, &seen, &number), UM_OK);
    cr_expect_eq(um_names_process_module(names, &seen, &number), UM_ERR_TOO_LARGE);
}

Test(names_process, is_started_again_in_the_middle)
{
    cr_expect_eq(ask(module("dies once"), 0, 1000), UM_OK);
    expect("dies once", 0, 1000);
    cr_expect_eq(um_names_process_starts(names), 2);
}

Test(names_process, is_started_again_between_two_questions)
{
    cr_expect_eq(ask(module("a"), 0, 1), UM_OK);
    for (int i = 0; i < 3; i++) {
        fake_overlay_exit(1);
        cr_expect_eq(ask(module("a"), 10 + (uint32_t)i, 1), UM_OK);
    }
    expect("a", 10, 3);
    cr_expect_eq(um_names_process_starts(names), 4);
}

Test(names_process, does_not_ask_again_about_a_module_that_ends_it)
{
    struct um_names_process_address addresses[] = {
        {module("a"), 1, 0}, {module("dies"), 1, 0}, {module("b"), 1, 0}, {module("dies"), 2, 0}};
    cr_expect_eq(um_names_process_ask(names, addresses, 4, LIMIT_MS), UM_OK);
    expect("a", 1, 1);
    expect("b", 1, 1);
    expect_ended("dies");
    cr_expect_eq(um_names_process_starts(names), 3);
    cr_expect_eq(ask(module("dies"), 1, 100), UM_OK);
    cr_expect_eq(um_names_process_starts(names), 3);
}

Test(names_process, is_ended_when_it_babbles)
{
    cr_expect_eq(ask(module("babbles"), 1, 3), UM_OK);
    expect_ended("babbles");
    cr_expect_eq(ask(module("a"), 1, 3), UM_OK);
    expect("a", 1, 3);
}

Test(names_process, is_given_up_when_it_ends_too_often)
{
    cr_expect_eq(ask(module("dies"), 1, 1), UM_OK);
    cr_expect_eq(ask(module("babbles"), 1, 1), UM_OK);
    cr_expect_eq(um_names_process_starts(names), 4);
    cr_expect_eq(ask(module("a"), 1, 1), UM_ERR_UNSUPPORTED);
    cr_expect_str_eq(um_names_process_why(names), "uimon-names.exe ended too often");
    cr_expect_null(um_names_process_find(names, module("a"), 1));
}

Test(names_process, is_given_up_when_it_cannot_be_started)
{
    fake_names_refuse();
    cr_expect_eq(ask(module("a"), 1, 1), UM_ERR_UNSUPPORTED);
    cr_expect_str_eq(um_names_process_why(names),
                     "uimon-names.exe cannot be started: no such thing");
}

Test(names_process, is_not_waited_for_without_a_limit)
{
    cr_expect_eq(ask(module("a"), 1, 3), UM_OK);
    uint64_t begin_ns = um_clock_now_ns();
    cr_expect_eq(ask_until(module("slow"), 1, 3, 100), UM_ERR_TIMEOUT);
    cr_expect_geq(um_clock_now_ns() - begin_ns, 100 * UM_CLOCK_NS_PER_MS);
    cr_expect_null(um_names_process_find(names, module("slow"), 1));
    expect("a", 1, 3);
    cr_expect_eq(ask_until(module("a"), 1, 3, 0), UM_OK, "what is known needs no time");
    cr_expect_eq(ask_until(module("a"), 4, 3, 100), UM_ERR_TIMEOUT, "the slow one comes first");
    cr_expect_eq(um_names_process_starts(names), 1);
}

Test(names_process, refuses_what_is_too_much)
{
    static char path[UM_NAMES_SEARCH_BYTES + 1];
    struct um_names_process *other;
    memset(path, 'p', sizeof path - 1);
    cr_expect_eq(um_names_process_open(path, transport, &other), UM_ERR_TOO_LARGE);
    cr_expect_eq(um_names_process_ask(names, NULL, UM_NAMES_CACHE_COUNT + 1, 0), UM_ERR_TOO_LARGE);
}
