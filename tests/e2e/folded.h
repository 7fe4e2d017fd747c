/* Folded stacks, as `uimon export --format folded` writes them: a line "THREAD;OUTER;...;INNER N"
 * for each stack, with its time. */
#ifndef UM_TESTS_E2E_FOLDED_H
#define UM_TESTS_E2E_FOLDED_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

struct folded_line {
    char stack[16384];
    long us;
};

/* The first line of the text, which then begins behind it. False: there is none. */
static inline bool folded_next(const char **text, struct folded_line *line)
{
    size_t len = strcspn(*text, "\n");
    if (len == 0)
        return false;
    cr_assert_lt(len, sizeof line->stack);
    memcpy(line->stack, *text, len);
    line->stack[len] = '\0';
    char *blank = strrchr(line->stack, ' ');
    cr_assert(blank, "%s", line->stack);
    line->us = strtol(blank, NULL, 10);
    *blank = '\0';
    *text += len + ((*text)[len] == '\n');
    return true;
}

/* Whether the stack has these texts in this order. */
static inline bool folded_has(const struct folded_line *line, const char *const texts[],
                              size_t count)
{
    const char *at = line->stack;
    for (size_t i = 0; i < count && at; i++)
        at = strstr(at, texts[i]);
    return at;
}

/* The time of stacks with both texts. */
static inline long folded_us(const char *text, const char *one, const char *other)
{
    struct folded_line line;
    long sum = 0;
    while (folded_next(&text, &line))
        sum += strstr(line.stack, one) && strstr(line.stack, other) ? line.us : 0;
    return sum;
}

#endif
