#include "ipc/overlay_rows.h"

#include <string.h>

const struct um_overlay_rows_names um_overlay_rows_list[UM_OVERLAY_ROWS_COUNT] = {
    [UM_OVERLAY_ROWS_LAG] = {"lag", {"ui-thread-lag-ms"}},
    [UM_OVERLAY_ROWS_LATENCY] = {"latency", {"input-latency-ms"}},
    [UM_OVERLAY_ROWS_HANGS] = {"hangs", {"ui-hang-count"}},
    [UM_OVERLAY_ROWS_TYPING] = {"typing", {"typing-painted-ms", "typing-handled-ms"}},
    [UM_OVERLAY_ROWS_CLICK] = {"click", {"click-painted-ms", "click-handled-ms"}},
    [UM_OVERLAY_ROWS_THREADPOOL] = {"threadpool", {"threadpool-queue-delay-ms"}},
    [UM_OVERLAY_ROWS_FRAME_RATE] = {"frame-rate", {NULL}},
    [UM_OVERLAY_ROWS_MESSAGE_RATE] = {"message-rate", {NULL}},
    [UM_OVERLAY_ROWS_BEATS_LOST] = {"beats-lost", {NULL}},
    [UM_OVERLAY_ROWS_COST] = {"cost", {"own-cpu-ms"}},
};

static bool is_word(const char *text, size_t len_bytes, const char *word)
{
    return word && strlen(word) == len_bytes && strncmp(text, word, len_bytes) == 0;
}

static bool is_named(enum um_overlay_row row, const char *text, size_t len_bytes)
{
    const struct um_overlay_rows_names *names = &um_overlay_rows_list[row];

    for (int i = 0; i < UM_OVERLAY_ROWS_COUNTERS; i++)
        if (is_word(text, len_bytes, names->counters[i]))
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
    return found;
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
