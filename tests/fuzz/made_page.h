/* The page that um_page_write made. Header-only, so that a fuzzer is one file. */
#ifndef UM_TESTS_FUZZ_MADE_PAGE_H
#define UM_TESTS_FUZZ_MADE_PAGE_H

#include <stddef.h>
#include <string.h>

#include "base/page.h"
#include "base/utf8.h"
#include "tests/fuzz/require.h"

/* Checks that around its data the page is as it was built, and that the data is UTF-8 and has
 * nothing in it that can begin a tag or end a script. Returns the data, which it ends with a
 * NUL. */
static inline const char *check_made_page(char *made, size_t made_len, const unsigned char *built)
{
    size_t place_len = strlen(UM_PAGE_PLACEHOLDER);
    const char *page = (const char *)built;
    const char *place = strstr(page, UM_PAGE_PLACEHOLDER);
    size_t built_len = strlen(page);
    require(place);
    size_t before = (size_t)(place - page);
    size_t after = built_len - before - place_len;
    require(made_len > before + after);
    require(memcmp(made, page, before) == 0);
    require(memcmp(made + made_len - after, page + built_len - after, after) == 0);
    require(!memchr(made + before, '<', made_len - before - after));
    require(um_utf8_valid(made + before, made_len - before - after));
    made[made_len - after] = '\0';
    return made + before;
}

#endif
