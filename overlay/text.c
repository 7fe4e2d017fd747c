#include "overlay/text.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/plain/clock.h"

void um_text_lag(uint64_t lag_ns, char *text)
{
    double ms = (double)lag_ns / (double)UM_CLOCK_NS_PER_MS;

    /* From each limit on, the finer form would round up to a number with more digits. */
    if (ms < 0.05)
        snprintf(text, UM_TEXT_BYTES, "<0.1 ms");
    else if (ms < 9.95)
        snprintf(text, UM_TEXT_BYTES, "%.1f ms", ms);
    else if (ms < 999.5)
        snprintf(text, UM_TEXT_BYTES, "%.0f ms", ms);
    else if (ms < 9995)
        snprintf(text, UM_TEXT_BYTES, "%.2f s", ms / 1000);
    else if (ms < 99950)
        snprintf(text, UM_TEXT_BYTES, "%.1f s", ms / 1000);
    else
        snprintf(text, UM_TEXT_BYTES, "%.0f s", ms / 1000);
}

void um_text_label(uint64_t lag_ns, char *text)
{
    double ms = (double)lag_ns / (double)UM_CLOCK_NS_PER_MS;

    if (ms < 999.5)
        snprintf(text, UM_TEXT_BYTES, "%.0f", ms);
    else
        um_text_lag(lag_ns, text);
}

void um_text_level(uint64_t level_ns, char *text)
{
    double ms = (double)level_ns / (double)UM_CLOCK_NS_PER_MS;

    if (ms < 999.5)
        snprintf(text, UM_TEXT_BYTES, "%.0f", ms);
    else
        snprintf(text, UM_TEXT_BYTES, "%.1f s", ms / 1000);
}

void um_text_span(uint64_t span_ns, char *text)
{
    uint64_t s = span_ns / UM_CLOCK_NS_PER_S;

    if (s == 0)
        snprintf(text, UM_TEXT_BYTES, "now");
    else if (s < 120)
        snprintf(text, UM_TEXT_BYTES, "%" PRIu64 " s", s);
    else if (s < 7200)
        snprintf(text, UM_TEXT_BYTES, "%" PRIu64 " min", s / 60);
    else
        snprintf(text, UM_TEXT_BYTES, "%" PRIu64 " h", s / 3600);
}
