#include "base/provider_spec.h"

#include <stddef.h>
#include <string.h>

#define LEVEL_MAX 5
#define KEYWORDS_DIGITS 16

static bool is_of_name(char c)
{
    return c > ' ' && c <= '~' && c != ',' && c != ':';
}

static bool read_name(const char **text, struct um_provider_spec *spec)
{
    size_t len = 0;
    for (; is_of_name(**text); ++*text) {
        if (len == sizeof spec->name - 1)
            return false;
        spec->name[len++] = **text;
    }
    spec->name[len] = '\0';
    return len > 0;
}

/* The value of a hexadecimal digit; 16: it is none. */
static unsigned digit_of(char c)
{
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (unsigned)(at - digits) % 16 : 16;
}

static bool read_keywords(const char **text, struct um_provider_spec *spec)
{
    size_t len = 0;
    if ((*text)[0] == '0' && ((*text)[1] == 'x' || (*text)[1] == 'X'))
        *text += 2;
    for (; digit_of(**text) < 16; ++*text, len++) {
        if (len == KEYWORDS_DIGITS)
            return false;
        spec->keywords = spec->keywords << 4 | digit_of(**text);
    }
    return len > 0;
}

/* .NET's own tools take 0 for all keywords, too. */
static void settle_keywords(struct um_provider_spec *spec)
{
    if (spec->keywords == 0)
        spec->keywords = UM_PROVIDER_SPEC_KEYWORDS;
}

static bool read_level(const char **text, struct um_provider_spec *spec)
{
    if (**text < '0' || **text > '0' + LEVEL_MAX)
        return false;
    spec->level = (uint32_t)(**text - '0');
    ++*text;
    return true;
}

/* Moves past a colon, if there is one. */
static bool skip_colon(const char **text)
{
    if (**text != ':')
        return false;
    ++*text;
    return true;
}

bool um_provider_spec_next(const char **text, struct um_provider_spec *spec)
{
    *spec = (struct um_provider_spec){.level = UM_PROVIDER_SPEC_LEVEL};
    if (!read_name(text, spec))
        return false;
    if (skip_colon(text)) {
        if (!read_keywords(text, spec))
            return false;
        if (skip_colon(text) && !read_level(text, spec))
            return false;
    }
    settle_keywords(spec);
    if (**text == '\0') {
        *text = NULL;
        return true;
    }
    return *(*text)++ == ',';
}

bool um_provider_spec_valid(const char *text)
{
    struct um_provider_spec spec;
    while (text)
        if (!um_provider_spec_next(&text, &spec))
            return false;
    return true;
}
