/* What a listener has written as JSON Lines. Header-only, for end-to-end tests. */
#ifndef UM_TESTS_E2E_LISTENED_H
#define UM_TESTS_E2E_LISTENED_H

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/e2e/harness.h"

#define LISTENED_LINES 4000

/* Every line of a file, as JSON. Owner: cJSON_Delete of each. */
static inline size_t listened_read(const char *jsonl, cJSON *lines[LISTENED_LINES])
{
    size_t count = 0;
    char *text = read_text(jsonl);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        cr_assert_lt(count, LISTENED_LINES);
        lines[count] = cJSON_Parse(line);
        cr_assert(cJSON_IsObject(lines[count]), "%s", line);
        count++;
    }
    free(text);
    return count;
}

static inline double listened_value(const cJSON *line, const char *key)
{
    const cJSON *item = cJSON_GetObjectItem(line, key);
    cr_assert(cJSON_IsNumber(item), "there is no %s", key);
    return item->valuedouble;
}

/* Whether a whole line with `text` is there whose time is `clock_ns` or later. The listener may be
 * in the middle of its last line. */
static inline bool listened_has_after(const char *jsonl, const char *text, uint64_t clock_ns)
{
    static const char key[] = "\"clock_ns\":";
    char *all = read_text(jsonl);
    bool found = false;
    for (char *line = all, *end; !found && (end = strchr(line, '\n')); line = end + 1) {
        *end = 0;
        const char *at = strstr(line, text) ? strstr(line, key) : NULL;
        found = at && strtoull(at + sizeof key - 1, NULL, 10) >= clock_ns;
    }
    free(all);
    return found;
}

static inline bool listened_is_event(const cJSON *line, const char *name)
{
    const char *event = cJSON_GetStringValue(cJSON_GetObjectItem(line, "event"));
    return event && strcmp(event, name) == 0;
}

#endif
