/* A text that grows, for tests. Header-only, so that a fuzzer is one file. */
#ifndef UM_TESTS_GROWING_TEXT_H
#define UM_TESTS_GROWING_TEXT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/list.h"

/* A zeroed one is empty. Owner: free `text`. */
struct growing_text {
    char *text;
    size_t len;
    size_t cap;
};

/* Appends; aborts without memory. */
static inline void growing_text_put(struct growing_text *grown, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int len = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (len < 0 ||
        !um_list_reserve(&grown->text, &grown->cap, grown->len + (size_t)len + 1, SIZE_MAX, 1))
        abort();
    va_start(args, format);
    vsnprintf(grown->text + grown->len, (size_t)len + 1, format, args);
    va_end(args);
    grown->len += (size_t)len;
}

#endif
