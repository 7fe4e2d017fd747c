/* What the commands share about their output: files for results, error lines, exit codes. Not on
 * the hot path.
 */
#ifndef UM_BASE_OUTPUT_H
#define UM_BASE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/plain/status.h"
#include "base/exit_code.h"
#include "base/file.h"

/* Whether a path is "-", which stands for standard output. NULL is not. */
bool um_output_is_stdout(const char *path);

/* Whether the file can be written. Checked before measuring, so that a mistyped folder does not
 * cost an hour. The file is not changed, and not made. NULL and "-" can be written. `option` names
 * the file in the error line: "--json". */
bool um_output_can_write(const char *path, const char *option, char *error, size_t cap_bytes);

/* The same of a file that um_file_open_guarded will make. */
bool um_output_can_write_guarded(const char *path, const char *option, char *error,
                                 size_t cap_bytes);

/* Checks that a result with keys in it can be kept from all but its owner. Changes nothing, unless
 * the file can only be written directly: that one is made its owner's. NULL and "-" are left alone.
 * False, with the line to print, if it cannot, or the file that is there is another user's. */
bool um_output_guard(const char *path, const char *option, char *error, size_t cap_bytes);

/* The same for the file of a stream, which is made if there is none: from now on it is its owner's
 * alone. If um_platform_is_guarded is true, it is only looked at, and is made anew when it is
 * opened. */
bool um_output_guard_stream(const char *path, const char *option, char *error, size_t cap_bytes);

/* Whether the file exists and is not empty, so that writing it would destroy something. False for
 * standard output, devices and pipes. */
bool um_output_has_content(const char *path);

/* Opens the file of a stream and empties it, unless another uimon writes it; "-" gives standard
 * output. With `secret` it is its owner's alone, and nobody can open it meanwhile.
 * Owner: um_output_close. NULL on failure. */
FILE *um_output_open(const char *path, bool secret);

/* Whether a text was written: `whole`, or nobody reads it, because standard output's reader has
 * left, as `head` does, or there was no such stream from the start (um_platform_is_missing). That
 * is no error of the command: nobody misses the text. What the user has asked for on standard
 * output does not come here without one (um_options_asks_stdout). */
bool um_output_printed(FILE *file, bool whole);

/* Flushes, and closes unless it is standard output. False if something could not be written, by
 * um_output_printed, or for NULL. */
bool um_output_close(FILE *file);

/* A result while it is written: a JSON, a page, an export. */
struct um_output {
    FILE *file; /* NULL: it cannot be opened */
    const char *path;
    const char *option;
    bool drafted;
    struct um_file_draft draft;
};

/* Writes JSON, or a part of it. A character that um_utf8_next_shown would not show is written as
 * \uXXXX: readers of the JSON get the same character, and a terminal does not obey it. False if
 * the stream has failed. */
bool um_output_json_part(FILE *file, const char *json);

/* The same, and a newline. */
bool um_output_json(FILE *file, const char *json);

/* Begins a result, and returns its file. It is written beside its place and moved there at the end,
 * so that the old file survives if this process is killed. What is no ordinary file is written
 * directly (file.h), and "-" is standard output. With `secret` nobody but the same user can open
 * the file; standard output is left alone. The texts must outlive it.
 * Owner: um_output_end or um_output_drop, also if NULL is returned. */
FILE *um_output_begin(struct um_output *output, const char *path, const char *option, bool secret);

/* The same of a result that may have keys in it: with `secret`, what um_output_guard refuses is
 * refused with that line on stderr. False then, and there is nothing to end; `file` gets the
 * file. */
bool um_output_begin_guarded(struct um_output *output, const char *path, const char *option,
                             bool secret, FILE **file);

/* Closes a result and moves it to its place. `written`: whether the caller could write all of it.
 * Prints a line on stderr if something failed. Returns whether the result is whole and in its
 * place, as um_output_printed says of standard output. */
bool um_output_end(struct um_output *output, bool written);

/* Closes a result and discards it. The old file stays, unless it was written directly. */
void um_output_drop(struct um_output *output);

/* Writes a JSON text and a newline as a result. False, with a line on stderr, if that failed. */
bool um_output_write(const char *path, const char *option, const char *text);

/* The same, with `secret` as for um_output_begin. */
bool um_output_write_rights(const char *path, const char *option, const char *text, bool secret);

/* Says that a line about standard output was printed: um_output_end_stdout prints no second one.
 * The functions of this file do so themselves. */
void um_output_stdout_said(void);

/* Ends a command that may have written to standard output. Returns its exit code: `code`, or FAILED
 * in place of DONE if something could not be written, with a line on stderr about it. That nobody
 * reads it is no failure (um_output_printed). */
int um_output_end_stdout(int code);

/* The exit code of a command that ended with this status. */
enum um_exit_code um_output_exit_code(enum um_status status);

/* Writes a text of any content for people to read, with the characters of um_utf8_next_shown. */
void um_output_text(FILE *file, const char *text);

/* Prints one line on stderr, whatever is in it; the second one with "uimon: " in front. */
void um_output_error(const char *line);
void um_output_note(const char *text);

/* Prints an error line on stderr and returns the code: return um_output_fail(...). */
int um_output_fail(const char *line, enum um_exit_code code);

#endif
