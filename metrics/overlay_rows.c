#include "metrics/overlay_rows.h"

#include <string.h>

const struct um_overlay_rows_names um_overlay_rows_list[UM_OVERLAY_ROWS_COUNT] = {
    [UM_OVERLAY_ROWS_LAG] = {"lag", 1, {UM_METRICS_LAG}},
    [UM_OVERLAY_ROWS_LATENCY] = {"latency", 1, {UM_METRICS_LATENCY}},
    [UM_OVERLAY_ROWS_HANGS] = {"hangs", 1, {UM_METRICS_HANGS}},
    [UM_OVERLAY_ROWS_TYPING] = {"typing",
                                2,
                                {UM_METRICS_TYPING_PAINTED, UM_METRICS_TYPING_HANDLED}},
    [UM_OVERLAY_ROWS_CLICK] = {"click", 2, {UM_METRICS_CLICK_PAINTED, UM_METRICS_CLICK_HANDLED}},
    [UM_OVERLAY_ROWS_THREADPOOL] = {"threadpool", 1, {UM_METRICS_POOL_DELAY}},
    [UM_OVERLAY_ROWS_FRAME_RATE] = {"frame-rate", 1, {UM_METRICS_FRAME_RATE}},
    [UM_OVERLAY_ROWS_MESSAGE_RATE] = {"message-rate", 1, {UM_METRICS_MESSAGE_RATE}},
    [UM_OVERLAY_ROWS_BEATS_LOST] = {"beats-lost", 1, {UM_METRICS_BEATS_LOST}},
    [UM_OVERLAY_ROWS_COST] = {"cost", 1, {UM_METRICS_OWN_CPU}},
};

static bool is_word(const char *text, size_t len_bytes, const char *word)
{
    return word && strlen(word) == len_bytes && strncmp(text, word, len_bytes) == 0;
}

static bool is_named(enum um_overlay_row row, const char *text, size_t len_bytes)
{
    const struct um_overlay_rows_names *names = &um_overlay_rows_list[row];

    for (int i = 0; i < names->count; i++)
        if (is_word(text, len_bytes, um_metrics_list[names->metrics[i]].name))
            return true;
    return is_word(text, len_bytes, names->name);
}

bool um_overlay_rows_has(const struct um_overlay_rows *rows, enum um_overlay_row row)
{
    for (int i = 0; i < rows->count; i++)
        if (rows->row[i] == row)
            return true;
    return false;
}

static void add(struct um_overlay_rows *rows, enum um_overlay_row row)
{
    if (!um_overlay_rows_has(rows, row))
        rows->row[rows->count++] = row;
}

/* Adds the row of a counter of the target's own. False if the word is none, or there is no room. */
static bool add_counter(struct um_overlay_rows *rows, const char *text, size_t len_bytes)
{
    const char *slash = memchr(text, '/', len_bytes);
    bool is_name = slash && slash > text && slash + 1 < text + len_bytes;
    int at = 0;
    if (!is_name || len_bytes >= UM_OVERLAY_ROWS_COUNTER_BYTES)
        return false;
    while (at < rows->counter_count && !is_word(text, len_bytes, rows->counters[at]))
        at++;
    if (at == UM_OVERLAY_ROWS_COUNTERS)
        return false;
    if (at == rows->counter_count) {
        memcpy(rows->counters[at], text, len_bytes);
        rows->counters[at][len_bytes] = '\0';
        rows->counter_count++;
    }
    add(rows, (enum um_overlay_row)(UM_OVERLAY_ROWS_COUNT + at));
    return true;
}

/* Adds the rows that a word stands for: one, or all. False if it stands for none. */
static bool add_named(struct um_overlay_rows *rows, const char *text, size_t len_bytes)
{
    bool is_all = is_word(text, len_bytes, "all");
    bool found = false;

    for (int row = 0; row < UM_OVERLAY_ROWS_COUNT; row++) {
        if (!is_all && !is_named((enum um_overlay_row)row, text, len_bytes))
            continue;
        add(rows, (enum um_overlay_row)row);
        found = true;
    }
    return found || add_counter(rows, text, len_bytes);
}

bool um_overlay_rows_parse(const char *list, struct um_overlay_rows *rows, const char **wrong,
                           size_t *len_bytes)
{
    struct um_overlay_rows read = {0};

    if (list && strcmp(list, "none") == 0)
        list = NULL;
    while (list) {
        size_t len = strcspn(list, ",");
        if (!add_named(&read, list, len)) {
            *wrong = list;
            *len_bytes = len;
            return false;
        }
        list = list[len] ? list + len + 1 : NULL;
    }
    *rows = read;
    return true;
}
