#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "monitor/naming/names_cache.h"

static struct um_names_cache *cache;

static void setup(void)
{
    cr_assert_eq(um_names_cache_open(&cache), UM_OK);
}

static void teardown(void)
{
    um_names_cache_close(cache);
}

TestSuite(names_cache, .init = setup, .fini = teardown);

static void put(uint32_t module, uint32_t rva, const char *text)
{
    struct um_names_name name = {
        .displacement = rva, .line = module, .is_nearest = rva & 1, .kind = UM_NAMES_DEBUG};
    snprintf(name.name, sizeof name.name, "%s", text);
    snprintf(name.file, sizeof name.file, "%s.c", text);
    snprintf(name.assembly, sizeof name.assembly, "%s.dll", text);
    name.assembly_timestamp = module + 1;
    name.assembly_bytes = rva + 1;
    snprintf(name.checksum, sizeof name.checksum, "sha1:%u", rva);
    cr_assert_eq(um_names_cache_put(cache, module, rva, &name), UM_OK);
}

static void expect(uint32_t module, uint32_t rva, const char *text)
{
    const struct um_names_cached *cached = um_names_cache_find(cache, module, rva);
    cr_assert(cached, "%u %u", module, rva);
    cr_expect_str_eq(cached->name, text);
    cr_expect_eq(strncmp(cached->file, text, strlen(text)), 0);
    cr_expect_str_eq(cached->file + strlen(text), ".c");
    cr_expect_eq(strncmp(cached->assembly, text, strlen(text)), 0);
    cr_expect_str_eq(cached->assembly + strlen(text), ".dll");
    cr_expect_eq(cached->assembly_timestamp, module + 1);
    cr_expect_eq(cached->assembly_bytes, rva + 1);
    cr_expect_eq(strncmp(cached->checksum, "sha1:", 5), 0);
    cr_expect_eq(strtoul(cached->checksum + 5, NULL, 10), rva);
    cr_expect_eq(cached->displacement, rva);
    cr_expect_eq(cached->line, module);
    cr_expect_eq(cached->is_nearest, rva & 1);
    cr_expect_eq(cached->kind, UM_NAMES_DEBUG);
}

Test(names_cache, tells_modules_and_addresses_apart)
{
    put(1, 16, "one");
    put(2, 16, "two");
    put(1, 17, "three");
    expect(1, 16, "one");
    expect(2, 16, "two");
    expect(1, 17, "three");
    cr_expect_null(um_names_cache_find(cache, 2, 17));
}

Test(names_cache, keeps_the_last_word_on_an_address)
{
    put(1, 16, "one");
    put(1, 32, "other");
    put(1, 16, "another");
    expect(1, 16, "another");
    expect(1, 32, "other");
}

Test(names_cache, lets_the_oldest_names_go)
{
    char text[32];
    for (uint32_t i = 0; i < 3 * UM_NAMES_CACHE_COUNT; i++) {
        snprintf(text, sizeof text, "name %u", i);
        put(i % 7, i, text);
    }
    for (uint32_t i = 0; i < 3 * UM_NAMES_CACHE_COUNT; i++) {
        snprintf(text, sizeof text, "name %u", i);
        if (i >= 2 * UM_NAMES_CACHE_COUNT)
            expect(i % 7, i, text);
        else
            cr_assert_null(um_names_cache_find(cache, i % 7, i), "%u", i);
    }
}

/* 900 bytes of text each: about 1165 of them fit. */
Test(names_cache, has_a_limit_for_texts)
{
    struct um_names_name name = {.kind = UM_NAMES_DEBUG};
    memset(name.name, 'n', 896); /* four texts have a NUL each */
    for (uint32_t rva = 0; rva < 3000; rva++)
        cr_assert_eq(um_names_cache_put(cache, 0, rva, &name), UM_OK);
    size_t kept = 0;
    for (uint32_t rva = 0; rva < 3000; rva++)
        kept += um_names_cache_find(cache, 0, rva) != NULL;
    cr_expect_eq(kept, UM_NAMES_CACHE_TEXT_BYTES / 900);
    cr_expect(um_names_cache_find(cache, 0, 2999));
}

Test(names_cache, survives_the_same_address_over_and_over)
{
    put(3, 5, "first");
    for (uint32_t i = 0; i < 2 * UM_NAMES_CACHE_COUNT; i++)
        put(1, 1, i % 2 ? "odd" : "even");
    expect(1, 1, "odd");
    cr_expect_null(um_names_cache_find(cache, 3, 5));
}
