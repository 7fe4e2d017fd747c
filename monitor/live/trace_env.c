#include "monitor/live/trace_env.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/module_list.h"
#include "base/platform.h"
#include "base/utf8.h"
#include "clr/environment.h"

#define ID_COLUMNS 60
#define FOREIGN_BYTES 400
#define NAME_COLUMNS 60
#define CHOSEN_COLUMNS 100
#define CHOSEN_BYTES 280

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

/* Writes a value as it stands behind `set "NAME=` in cmd. Within quotes only a percent sign means
 * anything. A quote in the value ends them; from there to the next one, cmd's own characters get a
 * caret. */
static void write_value(const char *value, bool as_script, FILE *out)
{
    bool quoted = true;

    for (; *value; value++) {
        if (*value == '"')
            quoted = !quoted;
        else if (!quoted && strchr("^&|<>()", *value))
            fputc('^', out);
        if (as_script && *value == '%')
            fputc('%', out);
        fputc(*value, out);
    }
}

static bool is_ascii(const char *text)
{
    while (*text && (unsigned char)*text < 0x80)
        text++;
    return *text == '\0';
}

static bool has_control(const char *text)
{
    while (*text && (unsigned char)*text >= ' ' && *text != 0x7f)
        text++;
    return *text != '\0';
}

/* cmd reads a script line by line, in the code page that its console has then. The one of before
 * comes back at the end; `chcp` says it behind a colon in every language. Wine 8's cmd reads
 * scripts in the OEM code page whatever chcp says: letters beyond ASCII come out wrong there. */
#define SAVED "UIMON_CODE_PAGE"
static const char begin_utf8[] =
    "@for /f \"tokens=2 delims=:.\" %%c in ('chcp') do @set /a " SAVED "=%%c >nul\n"
    "@chcp 65001 >nul\n";
static const char end_utf8[] = "@if defined " SAVED " chcp %" SAVED "% >nul 2>nul\n"
                               "@set \"" SAVED "=\"\n";

enum um_status um_trace_env_write(const struct um_trace_env *env, bool as_script, FILE *out)
{
    bool announces = false;

    for (size_t i = 0; i < env->count; i++) {
        if (has_control(env->list[i].value))
            return UM_ERR_FORMAT;
        announces = announces || (as_script && !is_ascii(env->list[i].value));
    }
    if (announces)
        fputs(begin_utf8, out);
    for (size_t i = 0; i < env->count; i++) {
        fprintf(out, "set \"%s=", env->list[i].name);
        write_value(env->list[i].value, as_script, out);
        fputs("\"\n", out);
    }
    if (announces)
        fputs(end_utf8, out);
    return UM_OK;
}

/* The runtime reads the number as hexadecimal; 0 is off. */
static bool is_enabled(const char *prefix)
{
    char name[64], value[64];
    snprintf(name, sizeof name, "%s_ENABLE_PROFILING", prefix);
    return um_platform_variable(name, value, sizeof value) && strtoul(value, NULL, 16) != 0;
}

/* Its path by one of these variables; "": none, and the runtime looks in the registry. */
static void find_path(const char *prefix, char *path, size_t cap)
{
    static const char *const ends[] = {"PATH_64", "PATH_32", "PATH"};
    char name[64];

    path[0] = '\0';
    for (size_t i = 0; i < sizeof ends / sizeof ends[0] && !path[0]; i++) {
        snprintf(name, sizeof name, "%s_PROFILER_%s", prefix, ends[i]);
        if (!um_platform_variable(name, path, cap))
            path[0] = '\0';
    }
}

/* "COR_PROFILER={...}, C:\\other.dll"; false if there is none, or it is uimon's own. */
static bool find_foreign(const char *prefix, char *text, size_t cap)
{
    char name[64], id[128], path[UM_PLATFORM_PATH_BYTES];

    snprintf(name, sizeof name, "%s_PROFILER", prefix);
    if (!is_enabled(prefix) || !um_platform_variable(name, id, sizeof id) || !id[0] ||
        um_utf8_equal(id, UM_CLR_GUID))
        return false;
    find_path(prefix, path, sizeof path);
    snprintf(text, cap, "%s=%s%s%s", name, um_utf8_show(id, ID_COLUMNS).text, path[0] ? ", " : "",
             path[0] ? um_utf8_show_path(path).text : "");
    return true;
}

bool um_trace_env_foreign(char *line, size_t cap_bytes)
{
    char core[FOREIGN_BYTES] = "", framework[FOREIGN_BYTES] = "";
    bool is_core = find_foreign("CORECLR", core, sizeof core);
    bool is_framework = find_foreign("COR", framework, sizeof framework);

    if (!is_core && !is_framework)
        return false;
    snprintf(line, cap_bytes,
             "another tool's profiler is set in the environment (%s%s%s); a program can have one "
             "profiler, so it gets uimon's and not that one",
             core, is_core && is_framework ? "; " : "", framework);
    return true;
}

bool um_trace_env_has_runtime(uint32_t pid)
{
    static const char *const modules[] = {"coreclr.dll", "clr.dll",     "mscorwks.dll",
                                          UM_CLR_FILE64, UM_CLR_FILE32, NULL};
    return um_target->has_module(pid, modules);
}

/* " --only LIST", as cmd takes it; a list that does not fit into a line stands as "...". */
static void write_chosen(const struct um_options *options, char *text, size_t cap)
{
    bool is_only = options->only && *options->only;
    const char *list = is_only ? options->only : options->mine;
    const char *option = is_only ? "--only" : "--mine";

    text[0] = '\0';
    if (!list || !*list)
        return;
    bool fits = um_utf8_columns(list) <= CHOSEN_COLUMNS && !strpbrk(list, "\"%");
    const char *quote = fits ? "\"" : "";
    snprintf(text, cap, " %s %s%s%s", option, quote,
             fits ? um_utf8_show(list, CHOSEN_COLUMNS).text : "...", quote);
}

void um_trace_env_advise(const struct um_options *options, const char *path, const char *starter,
                         char *text, size_t cap_bytes)
{
    char chosen[CHOSEN_BYTES];
    const char *depth = options->trace == UM_OPTIONS_TRACE_CALLS ? "calls" : "methods";

    write_chosen(options, chosen, sizeof chosen);
    snprintf(text, cap_bytes,
             "in a command prompt run uimon trace-env \"%s\" --trace %s%s > trace.cmd, then "
             "trace.cmd, start %s there, and run uimon --attach \"%s\" --trace %s",
             um_utf8_show_path(path).text, depth, chosen, starter,
             um_utf8_show(um_module_list_file(path), NAME_COLUMNS).text, depth);
}

void um_trace_env_free(struct um_trace_env *env)
{
    for (size_t i = 0; i < env->count; i++)
        free((char *)(uintptr_t)env->list[i].value);
    memset(env, 0, sizeof *env);
}
