/* The environment in which the .NET runtime of a program loads uimon's profiler
 * (clr/profiler_win32.h): for `--launch` with --trace methods or calls, and for `uimon trace-env
 * PROGRAM`. A program that was started without it cannot be traced. Programs that it starts inherit
 * the variables; the profiler takes itself back in them. Not on the hot path.
 */
#ifndef UM_MONITOR_TRACE_ENV_H
#define UM_MONITOR_TRACE_ENV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/plain/status.h"
#include "monitor/options/options.h"
#include "monitor/target/target.h"

#define UM_TRACE_ENV_VARIABLES 16
#define UM_TRACE_ENV_ADVICE_BYTES 1024

struct um_trace_env {
    struct um_target_variable list[UM_TRACE_ENV_VARIABLES + 1]; /* one without a name is the end */
    size_t count;
};

/* Makes the variables for a program, which is found as um_target->find_program does, by
 * options->trace, and by options->only or else options->mine. Owner: um_trace_env_free. Errors,
 * with one line in `error`: UM_ERR_NOT_FOUND there is no such program, or no profiler beside
 * uimon.exe; UM_ERR_TOO_LARGE the list of what is traced is too long; UM_ERR_MEMORY. */
enum um_status um_trace_env_make(const struct um_options *options, const char *program,
                                 struct um_trace_env *env, char *error, size_t error_cap);

/* Writes the variables as cmd takes them, a line `set "NAME=VALUE"` each. With `as_script` it is
 * for a file: there a percent sign is written twice, and around what is not all ASCII the lines
 * make cmd read UTF-8. Otherwise it is for a prompt, where neither is understood.
 * Errors: UM_ERR_FORMAT a value has a control character, such as a line break, which cmd would take
 * for its own; nothing is written then. */
enum um_status um_trace_env_write(const struct um_trace_env *env, bool as_script, FILE *out);

/* Finds another tool's profiler in the environment of this process. A program can have one
 * profiler, so that of um_trace_env_make takes its place. False if there is none; else `line` says
 * which, without "uimon: ". */
bool um_trace_env_foreign(char *line, size_t cap_bytes);

/* Whether a process has a .NET runtime so far. False also for one that brings the runtime in its
 * own file, unless uimon's profiler is in it. */
bool um_trace_env_has_runtime(uint32_t pid);

/* Writes what somebody does so that the program `path`, which another one starts, is traced as
 * these options say: as the end of a line. `starter` is that other one, as lines show it.
 * Units: UM_TRACE_ENV_ADVICE_BYTES are enough for `text`. */
void um_trace_env_advise(const struct um_options *options, const char *path, const char *starter,
                         char *text, size_t cap_bytes);

/* Accepts a zeroed struct. */
void um_trace_env_free(struct um_trace_env *env);

#endif
