/* Files that results go to, and what a status means as an exit code: what the commands share.
 * Not on the hot path.
 */
#ifndef UM_MONITOR_OUTPUT_H
#define UM_MONITOR_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "ipc/status.h"
#include "monitor/base/exit_code.h"

/* Whether a path is "-", which stands for standard output. NULL is not. */
bool um_output_is_stdout(const char *path);

/* Whether the file can be written, without touching what is in it, or leaving one that was not
 * there: an hour of measuring is not to be lost to a mistyped folder. NULL and "-" can.
 * `option` is what the error line calls it: "--json". */
bool um_output_can_write(const char *path, const char *option, char *error, size_t cap_bytes);

/* Whether there is such a file and something is in it. Standard output, a device or a pipe has
 * nothing that could be lost. */
bool um_output_has_content(const char *path);

/* Opens the file anew, or gives standard output for "-". Owner: um_output_close. NULL on
 * failure. */
FILE *um_output_open(const char *path);

/* Flushes it, and closes it if it is a file. False if something did not arrive. Accepts NULL, which
 * is false. */
bool um_output_close(FILE *file);

/* Writes a text and a newline after it. False, with a line on stderr, if it did not arrive. */
bool um_output_write(const char *path, const char *option, const char *text);

/* The exit code of a command that ended with this status. */
enum um_exit_code um_output_exit_code(enum um_status status);

/* Prints an error line and returns the code, for a command to return in turn. */
int um_output_fail(const char *line, enum um_exit_code code);

#endif
