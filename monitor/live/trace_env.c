#include "monitor/live/trace_env.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/platform.h"
#include "base/utf8.h"
#include "clr/environment.h"

/* Adds a variable. Errors: UM_ERR_MEMORY. */
static enum um_status add(struct um_trace_env *env, const char *name, const char *value)
{
    size_t bytes = strlen(value) + 1;
    char *copy = env->count < UM_TRACE_ENV_VARIABLES ? malloc(bytes) : NULL;
    if (!copy)
        return UM_ERR_MEMORY;
    memcpy(copy, value, bytes);
    env->list[env->count++] = (struct um_target_variable){.name = name, .value = copy};
    return UM_OK;
}

/* The path of a file beside uimon.exe. Errors: UM_ERR_NOT_FOUND, with a line in `error`. */
static enum um_status find_beside(const char *file, char *path, size_t path_cap, char *error,
                                  size_t error_cap)
{
    char beside[UM_PLATFORM_PATH_BYTES];
    enum um_status status = um_platform_beside(file, beside, sizeof beside);
    if (status == UM_OK)
        status = um_target->find_program(beside, path, path_cap);
    if (status != UM_OK)
        snprintf(error, error_cap, "uimon: %s is missing: unpack the whole package into one folder",
                 file);
    return status;
}

/* `only`: what is traced; NULL: everything. `dlls`: for 64 and 32 bits. */
static enum um_status add_all(const struct um_options *options, const char *only, const char *path,
                              const char *const dlls[2], struct um_trace_env *env)
{
    const char *depth = options->trace == UM_OPTIONS_TRACE_CALLS ? UM_CLR_COUNTS : UM_CLR_TIMES;
    /* .NET reads the variables with CORECLR, and .NET Framework those with COR. */
    const char *const list[][2] = {{"CORECLR_ENABLE_PROFILING", "1"},
                                   {"CORECLR_PROFILER", UM_CLR_GUID},
                                   {"CORECLR_PROFILER_PATH", dlls[0]},
                                   {"CORECLR_PROFILER_PATH_64", dlls[0]},
                                   {"CORECLR_PROFILER_PATH_32", dlls[1]},
                                   {"COR_ENABLE_PROFILING", "1"},
                                   {"COR_PROFILER", UM_CLR_GUID},
                                   {"COR_PROFILER_PATH", dlls[0]},
                                   {"COR_PROFILER_PATH_64", dlls[0]},
                                   {"COR_PROFILER_PATH_32", dlls[1]},
                                   {UM_CLR_PROGRAM, path},
                                   {UM_CLR_DEPTH, depth},
                                   {UM_CLR_ONLY, only ? only : ""}};
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        enum um_status status = add(env, list[i][0], list[i][1]);
        if (status != UM_OK)
            return status;
    }
    return UM_OK;
}

enum um_status um_trace_env_make(const struct um_options *options, const char *program,
                                 struct um_trace_env *env, char *error, size_t error_cap)
{
    char path[UM_PLATFORM_PATH_BYTES];
    char dll64[UM_PLATFORM_PATH_BYTES], dll32[UM_PLATFORM_PATH_BYTES];
    const char *only = options->only && *options->only ? options->only : options->mine;

    memset(env, 0, sizeof *env);
    enum um_status status = um_target->find_program(program, path, sizeof path);
    if (status != UM_OK) {
        snprintf(error, error_cap, "uimon: %s: %s", um_utf8_show_path(program).text,
                 um_target_spec_not_started(status));
        return status;
    }
    status = find_beside(UM_CLR_FILE64, dll64, sizeof dll64, error, error_cap);
    if (status == UM_OK)
        status = find_beside(UM_CLR_FILE32, dll32, sizeof dll32, error, error_cap);
    if (status != UM_OK)
        return status;
    if (only && strlen(only) >= UM_CLR_ONLY_BYTES) {
        snprintf(error, error_cap,
                 "uimon: the list of what is traced is longer than %d bytes; name folders",
                 UM_CLR_ONLY_BYTES - 1);
        return UM_ERR_TOO_LARGE;
    }
    status = add_all(options, only, path, (const char *[2]){dll64, dll32}, env);
    if (status != UM_OK) {
        um_trace_env_free(env);
        snprintf(error, error_cap, "uimon: %s", um_status_text(status));
    }
    return status;
}

void um_trace_env_free(struct um_trace_env *env)
{
    for (size_t i = 0; i < env->count; i++)
        free((char *)(uintptr_t)env->list[i].value);
    memset(env, 0, sizeof *env);
}
