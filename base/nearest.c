#include "base/nearest.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

#define WORD_BYTES 64 /* in which two words may differ */
#define SHOWN 60      /* columns of each */

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The number of edits from one word to the other (see nearest.h). What both begin or end with has
 * no edits. */
static size_t distance(const char *a, const char *b)
{
    size_t cost[WORD_BYTES + 1][WORD_BYTES + 1];
    while (*a && *a == *b)
        a++, b++;
    size_t rows = strlen(a);
    size_t columns = strlen(b);
    while (rows > 0 && columns > 0 && a[rows - 1] == b[columns - 1])
        rows--, columns--;

    if (rows > WORD_BYTES || columns > WORD_BYTES)
        return WORD_BYTES;
    for (size_t i = 0; i <= rows; i++)
        cost[i][0] = i;
    for (size_t j = 0; j <= columns; j++)
        cost[0][j] = j;
    for (size_t i = 1; i <= rows; i++) {
        for (size_t j = 1; j <= columns; j++) {
            size_t change = cost[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            cost[i][j] = least(change, least(cost[i - 1][j], cost[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                cost[i][j] = least(cost[i][j], cost[i - 2][j - 2] + 1);
        }
    }
    return cost[rows][columns];
}

const char *um_nearest_find(const char *word, const char *const *list)
{
    const char *best = NULL;

    word += strspn(word, "-");
    size_t len = strlen(word);
    size_t best_cost = len <= 3 ? 2 : len <= 7 ? 3 : 4;
    for (; *list; list++) {
        const char *name = *list + strspn(*list, "-");
        bool shortened = len >= 2 && strncmp(word, name, len) == 0;
        size_t cost = shortened ? 1 : distance(word, name);
        if (cost < best_cost && cost < strlen(name)) {
            best = *list;
            best_cost = cost;
        }
    }
    return best;
}

void um_nearest_text(const char *word, const char *meant, char *text, size_t cap_bytes)
{
    struct um_utf8_shown shown = um_utf8_show(word, SHOWN);
    if (meant && *meant)
        (void)snprintf(text, cap_bytes, "%s; did you mean %s?", shown.text,
                       um_utf8_show(meant, SHOWN).text);
    else
        (void)snprintf(text, cap_bytes, "%s", shown.text);
}
