#include "monitor/options/options_table.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "monitor/options/exports.h"

#define WATCH (1U << UM_OPTIONS_WATCH)
#define LAUNCH (1U << UM_OPTIONS_LAUNCH)
#define DEMO (1U << UM_OPTIONS_DEMO)
#define LIST (1U << UM_OPTIONS_LIST)
#define TRACE_ENV (1U << UM_OPTIONS_TRACE_ENV)
#define REPLAY (1U << UM_OPTIONS_REPLAY)
#define REPORT (1U << UM_OPTIONS_REPORT)
#define EXPORT (1U << UM_OPTIONS_EXPORT)
#define FLOWS (1U << UM_OPTIONS_FLOWS)
#define BENCH (1U << UM_OPTIONS_BENCH)
#define BISECT (1U << UM_OPTIONS_BISECT)
#define COMPARE (1U << UM_OPTIONS_COMPARE)
#define CALIBRATE (1U << UM_OPTIONS_CALIBRATE)
#define DOCTOR (1U << UM_OPTIONS_DOCTOR)
#define HISTORY_ADD (1U << UM_OPTIONS_HISTORY_ADD)
#define HISTORY_SHOW (1U << UM_OPTIONS_HISTORY_SHOW)
#define LISTEN (1U << UM_OPTIONS_LISTEN)
#define QUERY (1U << UM_OPTIONS_QUERY)
#define WATCHES (WATCH | LAUNCH | DEMO)
#define BENCHES (BENCH | BISECT)
#define MEASURES (WATCHES | BENCHES | CALIBRATE)
#define SHOWS (WATCHES | REPLAY)
#define HISTORY (HISTORY_ADD | HISTORY_SHOW)
#define LISTENS (LISTEN | QUERY)
#define ALL                                                                                        \
    (MEASURES | LIST | REPLAY | REPORT | EXPORT | FLOWS | COMPARE | DOCTOR | HISTORY | LISTENS)

#define DAY_S 86400
#define YEAR_S (365.0 * DAY_S)

_Static_assert(UM_OPT_COUNT <= UM_OPTIONS_ROWS, "given_on_line and given_in_file are too small");

#define FLAG(label) .name = label, .kind = UM_OPTIONS_TABLE_FLAG
#define VALUE(label, what, of_kind) .name = label, .value = what, .kind = UM_OPTIONS_TABLE_##of_kind
#define TEXT(label, what) VALUE(label, what, TEXT)
#define OUTPUT(label) VALUE(label, "FILE", OUTPUT)
#define MODULES(label) VALUE(label, "MODULES", MODULES)
#define NUMBER(label, what) VALUE(label, what, NUMBER)
#define WHOLE(label, what) VALUE(label, what, WHOLE)
#define MANY(label, what) VALUE(label, what, MANY)
#define CHOICE(label, words) VALUE(label, words, CHOICE)
#define RANGE(from, to, what) .min = from, .max = to, .unit = what
#define FALLBACK(number) .fallback = number
#define ZERO(word) .zero = word
#define IN_FILE .in_file = true
#define WINDOWS .windows = true
#define HARMLESS(value) .harmless = value

const struct um_options_table_row um_options_table[UM_OPT_COUNT] = {
#define OPTION(type, at, id, ...)                                                                  \
    [UM_OPT_##id] = {.offset = offsetof(struct um_options, at), __VA_ARGS__},
#define PLAIN(id, ...) [UM_OPT_##id] = {__VA_ARGS__},
#include "monitor/options/options_list.h"
};

const struct um_options_table_removed um_options_table_gone[] = {
    {"hotkey", "write --hotkeys hide=KEYS"},
    {"mark-hotkey", "write --hotkeys mark=KEYS"},
    {"panel-hotkey", "write --hotkeys panel=KEYS"},
    {"trace-hotkey", "write --hotkeys trace=KEYS"},
    {"sample-after", "sampling begins at the slow threshold, --slow MS"},
    {"threadpool-recovered", "the pool has recovered when an item has run in less than 20 ms"},
    {"dump-most", "ten freezes are saved at most"},
    {"prove", "a comparison says which is the smallest change that it would have found"},
    {"jsonl", "listen takes --json FILE"},
    {"all", "'uimon listen' without TARGET listens to every program"},
    {"events", "write --counters none"},
    {"seconds", "write 'uimon demo --duration S'"},
    {"play", "write 'uimon --launch uimon-demo.exe --play LIST'"},
    {"log", "write 'uimon --launch uimon-demo.exe --log FILE'"},
    {NULL, NULL},
};

const struct um_options_table_row *um_options_table_find(const char *name, size_t len_bytes)
{
    for (size_t i = 0; i < UM_OPT_COUNT; i++) {
        const struct um_options_table_row *row = &um_options_table[i];
        if (strlen(row->name) == len_bytes && memcmp(row->name, name, len_bytes) == 0)
            return row;
    }
    return NULL;
}

const char *um_options_table_removed(const char *name, size_t len_bytes)
{
    const struct um_options_table_removed *gone = um_options_table_gone;
    while (gone->name &&
           (strlen(gone->name) != len_bytes || memcmp(gone->name, name, len_bytes) != 0))
        gone++;
    return gone->instead;
}

void um_options_table_limits(const struct um_options_table_row *row, char *buf, size_t cap_bytes)
{
    const char *space = row->unit ? " " : "";
    const char *unit = row->unit ? row->unit : "";
    char limits[96] = "";

    if (row->kind == UM_OPTIONS_TABLE_CHOICE)
        snprintf(limits, sizeof limits, "default %.*s", (int)strcspn(row->value, "|"), row->value);
    else if (row->zero && row->fallback <= 0)
        snprintf(limits, sizeof limits, "%.10g to %.10g%s%s; default %s", row->min, row->max, space,
                 unit, row->zero);
    else if (row->fallback > 0)
        snprintf(limits, sizeof limits, "%s%s%.10g to %.10g%s%s; default %.10g",
                 row->zero ? row->zero : "", row->zero ? ", or " : "", row->min, row->max, space,
                 unit, row->fallback);
    bool any = limits[0] != '\0' || row->windows;
    snprintf(buf, cap_bytes, "%s%s%s%s%s", any ? " (" : "", limits,
             limits[0] && row->windows ? "; " : "", row->windows ? "on Windows alone" : "",
             any ? ")" : "");
}

size_t um_options_table_place(const struct um_options_table_row *row)
{
    return (size_t)(row - um_options_table);
}

const char *um_options_table_nearest(const char *word, bool in_file)
{
    const char *names[UM_OPT_COUNT + 1];
    size_t count = 0;

    for (size_t i = 0; i < UM_OPT_COUNT; i++)
        if (!in_file || um_options_table[i].in_file)
            names[count++] = um_options_table[i].name;
    names[count] = NULL;
    return um_nearest_find(word, names);
}
