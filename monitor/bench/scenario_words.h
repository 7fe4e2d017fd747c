/* Splits a line of a scenario into words. Internal to scenario.c, where a reader starts. */
#ifndef UM_MONITOR_SCENARIO_WORDS_H
#define UM_MONITOR_SCENARIO_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/plain/status.h"
#include "monitor/bench/scenario.h"

/* The values of variables make lines longer. */
#define UM_SCENARIO_WORDS_BYTES (4 * UM_SCENARIO_MAX_LINE_BYTES)

struct um_scenario_word {
    const char *text;
    bool quoted; /* at least in part, so it is never a brace, a keyword or a window class */
};

struct um_scenario_words {
    struct um_scenario_word list[UM_SCENARIO_MAX_WORDS];
    size_t count;
    char bytes[UM_SCENARIO_WORDS_BYTES];
    size_t used;
};

/* The value of a variable, or NULL. */
typedef const char *um_scenario_words_lookup(void *context, const char *name);

/* Splits `line`, which is UTF-8 and ends in NUL. Owner: the words point into `out`.
 * Errors: UM_ERR_FORMAT; `error` says what is wrong, without file and line. */
enum um_status um_scenario_words_split(const char *line, um_scenario_words_lookup *lookup,
                                       void *context, struct um_scenario_words *out, char *error,
                                       size_t error_cap);

/* How many bytes at the start of a text form a variable's name; 0: none. */
size_t um_scenario_words_name_bytes(const char *text);

#endif
