#include "monitor/stats/statusline.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/utf8.h"

#define PART_BYTES 64
#define HIDDEN_BYTES 288
#define NOT_MEASURED "\xe2\x80\x93"

enum part {
    ELAPSED,
    STATE,
    LAG,
    P50,
    P99,
    TYPING,
    CLICK,
    FREEZES,
    LAST_AND_TOTAL,
    LOST,
    PART_COUNT
};

static double to_ms(uint64_t ns)
{
    return (double)ns / 1e6;
}

/* "0.3", "12", or a dash. Tenths are shown below 10 ms only; above they are noise. */
static void format_ms(bool known, uint64_t ns, char *buf, size_t cap)
{
    /* 9.95, because 9.96 would be written as 10.0. */
    int decimals = to_ms(ns) < 9.95 ? 1 : 0;

    if (known)
        snprintf(buf, cap, "%.*f", decimals, to_ms(ns));
    else
        snprintf(buf, cap, NOT_MEASURED);
}

/* The state, and for how long it has lasted unless the target is responsive or slow. */
static void format_state(const struct um_wire_status *status, bool window_only, char *buf,
                         size_t cap)
{
    const char *name = um_wire_state_words((enum um_state)status->state, window_only);
    bool lasting = status->state != UM_STATE_RESPONSIVE && status->state != UM_STATE_SLOW;

    if (lasting && status->time_ns >= status->state_since_ns) {
        snprintf(buf, cap, "%s %.1f s", name,
                 to_ms(status->time_ns - status->state_since_ns) / 1e3);
    } else {
        snprintf(buf, cap, "%s", name);
    }
}

static void format_freezes(const struct um_wire_status *status, unsigned flags,
                           char parts[][PART_BYTES])
{
    bool last = (flags & UM_WIRE_STATUS_HAS_LAST_FREEZE) != 0;

    snprintf(parts[FREEZES], PART_BYTES, "freezes %" PRIu32, status->freezes);
    if (last) {
        snprintf(parts[LAST_AND_TOTAL], PART_BYTES, "(last %.0f ms, total %.0f ms)",
                 to_ms(status->last_freeze_ns), to_ms(status->freeze_total_ns));
    } else if (status->freezes > 0) {
        snprintf(parts[LAST_AND_TOTAL], PART_BYTES, "(total %.0f ms)",
                 to_ms(status->freeze_total_ns));
    }
    if (status->lost > 0)
        snprintf(parts[LOST], PART_BYTES, "lost %" PRIu64, status->lost);
}

/* If paint was not observed, the times end when the program had handled the input. */
static void format_input(const struct um_wire_status *status, unsigned flags,
                         char parts[][PART_BYTES])
{
    char p50[32];
    char p99[32];

    if (flags & UM_WIRE_STATUS_HAS_TYPING) {
        format_ms(true, status->typing_p50_ns, p50, sizeof p50);
        format_ms(true, status->typing_p99_ns, p99, sizeof p99);
        snprintf(parts[TYPING], PART_BYTES, "typing %s/%s ms%s", p50, p99,
                 flags & UM_WIRE_STATUS_TYPING_PAINTED ? " to painted" : " to handled");
    }
    if (flags & UM_WIRE_STATUS_HAS_CLICK) {
        format_ms(true, status->click_ns, p50, sizeof p50);
        snprintf(parts[CLICK], PART_BYTES, "click %s ms%s", p50,
                 flags & UM_WIRE_STATUS_CLICK_PAINTED ? " to painted" : " to handled");
    }
}

static void join(const char *hidden, char parts[][PART_BYTES], char *buf, size_t cap)
{
    size_t used = (size_t)snprintf(buf, cap, "%s", hidden);

    for (size_t i = 0; i < PART_COUNT; i++) {
        if (parts[i][0] != '\0') {
            const char *gap = used == 0 ? "" : i == LAST_AND_TOTAL ? " " : "  ";
            used += (size_t)snprintf(buf + used, cap - used, "%s%s", gap, parts[i]);
        }
    }
}

enum um_status um_statusline_format(const struct um_wire_status *status, unsigned flags,
                                    bool window_only, const char *hidden_by, double elapsed_s,
                                    size_t columns, char *buf, size_t cap_bytes)
{
    static const enum part least_first[] = {LAST_AND_TOTAL, P50,  P99,     ELAPSED, CLICK,
                                            TYPING,         LOST, FREEZES, LAG};
    bool latency = (flags & UM_WIRE_STATUS_HAS_LATENCY) != 0;
    char parts[PART_COUNT][PART_BYTES] = {{0}};
    char hidden[HIDDEN_BYTES] = "";
    char line[UM_STATUSLINE_BYTES];
    char number[32];

    if (cap_bytes < UM_STATUSLINE_BYTES)
        return UM_ERR_TOO_LARGE;
    if (hidden_by[0])
        snprintf(hidden, sizeof hidden, "overlay hidden by %s", hidden_by);
    snprintf(parts[ELAPSED], PART_BYTES, "%.1f s", elapsed_s);
    format_state(status, window_only, parts[STATE], PART_BYTES);
    bool lag = (flags & UM_WIRE_STATUS_HAS_LAG) && !um_wire_status_lag_is_past(status, flags);
    format_ms(lag, status->lag_ns, number, sizeof number);
    snprintf(parts[LAG], PART_BYTES, "lag %s ms", number);
    format_ms(latency, status->p50_ns, number, sizeof number);
    snprintf(parts[P50], PART_BYTES, "p50 %s", number);
    format_ms(latency, status->p99_ns, number, sizeof number);
    snprintf(parts[P99], PART_BYTES, "p99 %s", number);
    format_input(status, flags, parts);
    format_freezes(status, flags, parts);

    join(hidden, parts, line, sizeof line);
    for (size_t i = 0; i < sizeof least_first / sizeof least_first[0]; i++) {
        if (columns == 0 || um_utf8_columns(line) <= columns)
            break;
        parts[least_first[i]][0] = '\0';
        join(hidden, parts, line, sizeof line);
    }
    return um_utf8_fit(line, columns == 0 ? sizeof line : columns, buf, cap_bytes);
}
