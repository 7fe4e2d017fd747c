/* Text files that people and programs hand to uimon: read whole into memory, and split into lines.
 * A reader starts at um_text_file_load. Not on the hot path.
 */
#ifndef UM_BASE_TEXT_FILE_H
#define UM_BASE_TEXT_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/plain/status.h"

/* Reads a file into memory. `kind` completes "too large for ...", as in "a configuration file".
 * Owner: free(*text), which has no NUL at its end. Thread: blocks on the disk.
 * Errors: UM_ERR_NOT_FOUND there is no such file; UM_ERR_IO it cannot be read; UM_ERR_TOO_LARGE it
 * has more than `max_bytes`; UM_ERR_MEMORY. `error` has the line to print. */
enum um_status um_text_file_load(const char *path, size_t max_bytes, const char *kind, char **text,
                                 size_t *len_bytes, char *error, size_t error_cap);

/* A text on its way through um_text_file_next_line. */
struct um_text_file_lines {
    const char *at;
    const char *end;
    unsigned long number; /* of the line that was taken last; the first is 1 */
};

/* Begins with the first line; a byte order mark in front of it is skipped. */
struct um_text_file_lines um_text_file_lines(const char *text, size_t len_bytes);

/* Takes the next line, without its line end (LF or CRLF). False when no line is left. */
bool um_text_file_next_line(struct um_text_file_lines *lines, const char **line, size_t *len_bytes);

#endif
