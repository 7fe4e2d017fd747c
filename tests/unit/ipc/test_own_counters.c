/* Which counter of the target's own a number stands for. */
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "ipc/own_counters.h"
#include "tests/hostile.h"

static struct um_own_counters counters;
static bool changed;

static void teardown(void)
{
    um_own_counters_deinit(&counters);
}

TestSuite(own_counters, .fini = teardown);

static size_t told(uint32_t number, const char *provider, const char *name, const char *unit,
                   uint8_t kind)
{
    struct um_wire_counter counter = {.number = number, .kind = kind};
    snprintf(counter.provider, sizeof counter.provider, "%s", provider);
    snprintf(counter.name, sizeof counter.name, "%s", name);
    snprintf(counter.unit, sizeof counter.unit, "%s", unit);
    return um_own_counters_take(&counters, &counter, &changed);
}

Test(own_counters, two_numbers_of_one_name_are_one_counter)
{
    cr_expect_eq(told(3, "A", "x", "", UM_WIRE_COUNTER_MEAN), 0);
    cr_expect(changed);
    cr_expect_eq(told(4, "B", "x", "", UM_WIRE_COUNTER_MEAN), 1);
    cr_expect_eq(told(9, "A", "x", "", UM_WIRE_COUNTER_MEAN), 0);
    cr_expect(!changed);
    cr_expect_eq(um_own_counters_place(&counters, 3), 0);
    cr_expect_eq(um_own_counters_place(&counters, 9), 0);
    cr_expect_eq(um_own_counters_place(&counters, 4), 1);
    cr_expect_eq(counters.count, 2);
}

Test(own_counters, a_number_stands_for_what_it_was_told_last)
{
    told(3, "A", "x", "", UM_WIRE_COUNTER_MEAN);
    told(3, "A", "y", "", UM_WIRE_COUNTER_MEAN);
    cr_expect_eq(um_own_counters_place(&counters, 3), 1);
    cr_expect_eq(told(3, "A", "y", "ms", UM_WIRE_COUNTER_INCREMENT), 1);
    cr_expect(changed);
    cr_expect_str_eq(counters.list[1].unit, "ms");
    cr_expect_eq(counters.list[1].kind, UM_WIRE_COUNTER_INCREMENT);
}

Test(own_counters, increments_have_a_unit_per_second)
{
    char path[UM_OWN_COUNTERS_PATH_BYTES], unit[UM_OWN_COUNTERS_UNIT_BYTES];
    told(0, "A", "x", "B", UM_WIRE_COUNTER_INCREMENT);
    told(1, "A", "y", "", UM_WIRE_COUNTER_INCREMENT);
    told(2, "A", "z", "ms", UM_WIRE_COUNTER_MEAN);
    um_own_counters_path(&counters.list[0], path);
    cr_expect_str_eq(path, "A/x");
    um_own_counters_unit(&counters.list[0], unit);
    cr_expect_str_eq(unit, "B/s");
    um_own_counters_unit(&counters.list[1], unit);
    cr_expect_str_eq(unit, "/s");
    um_own_counters_unit(&counters.list[2], unit);
    cr_expect_str_eq(unit, "ms");
}

Test(own_counters, what_is_not_known_has_no_place)
{
    cr_expect_eq(um_own_counters_place(&counters, 0), UM_OWN_COUNTERS_NONE);
    cr_expect_eq(um_own_counters_place(&counters, UM_WIRE_COUNTERS), UM_OWN_COUNTERS_NONE);
    cr_expect_eq(told(UM_WIRE_COUNTERS, "A", "x", "", 0), UM_OWN_COUNTERS_NONE);
    cr_expect_eq(told(7, "A", "x", "", UM_WIRE_UNKNOWN), 0, "it is a counter, ");
    cr_expect_eq(um_own_counters_place(&counters, 7), UM_OWN_COUNTERS_NONE, "of a later kind");
}

Test(own_counters, there_are_never_more_than_numbers)
{
    char name[16];
    for (uint32_t i = 0; i < UM_WIRE_COUNTERS; i++) {
        snprintf(name, sizeof name, "%u", (unsigned)i);
        cr_expect_eq(told(i, "A", name, "", 0), i);
    }
    cr_expect_eq(told(0, "A", "one more", "", 0), UM_OWN_COUNTERS_NONE);
    cr_expect(!changed);
    cr_expect_eq(um_own_counters_place(&counters, 0), UM_OWN_COUNTERS_NONE);
    cr_expect_eq(told(0, "A", "5", "", 0), 5);
}

Test(own_counters, texts_are_safe_to_print)
{
    for (size_t i = 0; i < HOSTILE_TEXTS; i++) {
        size_t place = told((uint32_t)i, hostile_texts[i], "x", hostile_texts[i], 0);
        cr_expect(hostile_is_harmless(counters.list[place].provider), "%zu", i);
        cr_expect(hostile_is_harmless(counters.list[place].unit), "%zu", i);
        cr_expect_str_eq(um_own_counters_label(&counters.list[place]), "x");
    }
}
