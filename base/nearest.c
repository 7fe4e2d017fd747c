#include "base/nearest.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

#define DIFFERING 64 /* characters in which two words may differ */
#define LONGEST 512  /* characters of a word; nothing is near to a longer one */
#define SHOWN 60     /* columns of each */

struct word {
    uint32_t characters[LONGEST + DIFFERING];
    size_t len;
    bool folds; /* they are in lower case */
};

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Reads at most so many characters of a word, without the dashes in front. */
static void read_word(const char *text, bool folds, size_t most, struct word *word)
{
    text += strspn(text, "-");
    word->folds = folds;
    for (word->len = 0; *text && word->len < most; word->len++) {
        uint32_t character = um_utf8_next(&text);
        word->characters[word->len] = folds ? um_utf8_fold(character) : character;
    }
}

static bool begins_with(const struct word *word, const struct word *part)
{
    return word->len >= part->len &&
           memcmp(word->characters, part->characters, part->len * sizeof *part->characters) == 0;
}

/* The number of edits from one word to the other (see nearest.h), or `limit` if there are no fewer.
 * What both begin or end with has no edits. Only the cells around the table's diagonal, which can
 * have fewer, are filled in. */
static size_t distance(const struct word *left, const struct word *right, size_t limit)
{
    size_t cost[DIFFERING + 1][DIFFERING + 2];
    const uint32_t *a = left->characters, *b = right->characters;
    size_t rows = left->len, columns = right->len, lowest = 0;
    if (rows >= columns + limit || columns >= rows + limit)
        return limit;
    while (rows > 0 && columns > 0 && *a == *b)
        a++, b++, rows--, columns--;
    while (rows > 0 && columns > 0 && a[rows - 1] == b[columns - 1])
        rows--, columns--;

    if (rows > DIFFERING || columns > DIFFERING)
        return limit;
    for (size_t j = 0; j <= columns; j++)
        cost[0][j] = j;
    for (size_t i = 1; i <= rows; i++) {
        size_t before = lowest;
        size_t first = i > limit ? i - limit + 1 : 1, last = least(i + limit - 1, columns);
        cost[i][first - 1] = lowest = first > 1 ? limit : i;
        cost[i][last + 1] = limit;
        for (size_t j = first; j <= last; j++) {
            size_t change = cost[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            cost[i][j] = least(change, least(cost[i - 1][j], cost[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                cost[i][j] = least(cost[i][j], cost[i - 2][j - 2] + 1);
            lowest = least(lowest, cost[i][j]);
        }
        if (before >= limit && lowest >= limit) /* of the last two rows all others are made */
            return limit;
    }
    return least(cost[rows][columns], limit);
}

/* What it costs to take a name for the word that was meant, or `limit` if it is no less. */
static size_t cost_of(const char *text, const struct word *meant, size_t limit)
{
    struct word name;
    read_word(text, meant->folds, meant->len + limit, &name); /* a longer one is too long */
    bool shortened = meant->len >= 2 && name.len > meant->len && begins_with(&name, meant);
    size_t cost = shortened ? 1 : distance(meant, &name, limit);
    return cost < name.len ? least(cost, limit) : limit;
}

const char *um_nearest_find(const char *word, const char *const *list)
{
    struct word folded, written;
    const char *best = NULL;

    read_word(word, true, LONGEST + 1, &folded);
    read_word(word, false, LONGEST + 1, &written);
    if (folded.len > LONGEST)
        return NULL;
    size_t best_cost = folded.len <= 3 ? 2 : folded.len <= 7 ? 3 : 4, best_written = DIFFERING;
    for (; *list; list++) {
        size_t limit = best ? best_cost + 1 : best_cost;
        size_t cost = cost_of(*list, &folded, limit);
        if (cost == limit)
            continue;
        size_t cost_written = cost_of(*list, &written, DIFFERING);
        if (best && cost == best_cost && cost_written >= best_written)
            continue;
        best = *list;
        best_cost = cost;
        best_written = cost_written;
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
