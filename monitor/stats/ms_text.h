/* Lengths of very different size, as a column of a table has them. */
#ifndef UM_MONITOR_MS_TEXT_H
#define UM_MONITOR_MS_TEXT_H

#include <stdint.h>
#include <stdio.h>

struct um_ms_text {
    char chars[32];
};

/* "0.0042", "4.20", "523", in ms. */
static inline struct um_ms_text um_ms_text(uint64_t ns)
{
    struct um_ms_text text;
    double ms = (double)ns / 1e6;
    int decimals = ms < 0.0995 ? 4 : ms < 9.995 ? 2 : ms < 99.95 ? 1 : 0;
    (void)snprintf(text.chars, sizeof text.chars, "%.*f", decimals, ms);
    return text;
}

#endif
