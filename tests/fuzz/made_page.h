/* The page that um_page_write made. Header-only, so that a fuzzer is one file. */
#ifndef UM_TESTS_FUZZ_MADE_PAGE_H
#define UM_TESTS_FUZZ_MADE_PAGE_H

#include <stddef.h>
#include <string.h>

#include "base/page.h"
#include "base/utf8.h"
#include "tests/fuzz/require.h"

/* Checks that the page begins as it was built until the placeholder. Returns where it goes on. */
static inline char *check_made_begin(char *made, const char **built, const char *placeholder)
{
    const char *place = strstr(*built, placeholder);
    require(place);
    size_t before = (size_t)(place - *built);
    require(strncmp(made, *built, before) == 0);
    *built = place + strlen(placeholder);
    return made + before;
}

/* Checks that around its text and its data the page is as it was built, and that both are UTF-8 and
 * have nothing in them that can begin a tag or end a script. Returns the data, which it ends with a
 * NUL. */
static inline const char *check_made_page(char *made, size_t made_len, const unsigned char *built)
{
    const char *rest = (const char *)built;
    char *text = check_made_begin(made, &rest, UM_PAGE_TEXT_PLACEHOLDER);
    char *text_end = strchr(text, '<');
    require(text_end && text_end > text && um_utf8_valid(text, (size_t)(text_end - text)));
    char *data = check_made_begin(text_end, &rest, UM_PAGE_PLACEHOLDER);
    size_t after = strlen(rest);
    require(strlen(made) == made_len && strlen(data) > after);
    char *end = made + made_len - after;
    require(memcmp(end, rest, after) == 0);
    require(!memchr(data, '<', (size_t)(end - data)));
    require(um_utf8_valid(data, (size_t)(end - data)));
    *end = '\0';
    return data;
}

#endif
