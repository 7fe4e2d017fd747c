/* UTF-8 as a terminal shows it and as a search compares it: characters, columns, simple folding.
 * A byte that is not UTF-8 is no error: it counts as one replacement character (U+FFFD).
 * Not on the hot path.
 */
#ifndef UM_BASE_UTF8_H
#define UM_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/plain/status.h"

#define UM_UTF8_REPLACEMENT UINT32_C(0xfffd)

/* Reads the character at *text and moves *text past it; at the NUL it gives 0 and does not move.
 * Overlong forms, surrogates and values above U+10FFFF are not UTF-8. */
uint32_t um_utf8_next(const char **text);

/* Writes a character as UTF-8, without a NUL, and returns how many bytes it takes: 4 at most. */
size_t um_utf8_encode(uint32_t character, char *out);

/* Writes a character as UTF-8 to a stream. */
void um_utf8_put(FILE *file, uint32_t character);

/* Whether all of `len_bytes` is UTF-8 without a NUL byte. */
bool um_utf8_valid(const char *text, size_t len_bytes);

/* The lower case of a character, if that is one other character; else the character itself.
 * Source: simple case folding of the Unicode standard, for Latin, Greek, Cyrillic and Armenian;
 * the Turkish dotted and dotless i are left alone. */
uint32_t um_utf8_fold(uint32_t character);

/* Whether `part` occurs in `text` when both are folded. An empty part occurs everywhere. */
bool um_utf8_contains(const char *text, const char *part);

/* Whether both texts are the same when folded. */
bool um_utf8_equal(const char *a, const char *b);

/* How many columns a text takes on a terminal: East Asian wide characters and emoji take two,
 * combining marks none, control characters one (um_utf8_fit makes them visible). */
size_t um_utf8_columns(const char *text);

/* As um_utf8_next, but what is not to be shown becomes U+FFFD: control characters and broken bytes,
 * which can send commands to a terminal, and what ends lines or turns the direction of writing
 * without being seen, by which a window's title can look like something else. */
uint32_t um_utf8_next_shown(const char **text);

/* Copies a text to be shown in at most `columns` columns. A longer text is cut between two
 * characters and gets an ellipsis. The characters are those of um_utf8_next_shown. Always
 * NUL-terminated.
 * Errors: UM_ERR_TOO_LARGE `cap_bytes` was too small: the text is cut there, without ellipsis. */
enum um_status um_utf8_fit(const char *text, size_t columns, char *buf, size_t cap_bytes);

struct um_utf8_shown {
    char text[256];
};

/* um_utf8_fit for error lines, where a text may have any length and content:
 * printf("%s", um_utf8_show(text, 40).text). */
struct um_utf8_shown um_utf8_show(const char *text, size_t columns);

/* As um_utf8_show, for the path of a file: whole wherever it can be, as editors open what an error
 * line names. One that has more than 200 columns, or bytes than fit, begins with an ellipsis: the
 * file's own name is at the end. */
struct um_utf8_shown um_utf8_show_path(const char *path);

#endif
