#include "base/output.h"

#include <string.h>

#include "base/platform.h"
#include "base/utf8.h"

#define ERROR_BYTES 1024 /* of a line */

static bool stdout_said;

bool um_output_is_stdout(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

bool um_output_can_write(const char *path, const char *option, char *error, size_t cap_bytes)
{
    if (!path || um_output_is_stdout(path))
        return true;
    FILE *before = fopen(path, "rb");
    if (before)
        fclose(before);
    FILE *file = fopen(path, "ab");
    if (!file) {
        snprintf(
            error, cap_bytes,
            "uimon: %s %s: the file cannot be written; is it a folder, does its folder exist, may "
            "you write to it, and does no other program do so?",
            option, path);
        return false;
    }
    /* Nothing is written; the end's position is the file's length. */
    /* cppcheck-suppress seekOnAppendedFile */
    bool made = !before && fseek(file, 0, SEEK_END) == 0 && ftell(file) == 0;
    fclose(file);
    if (made)
        remove(path);
    return true;
}

/* What keeps a file from being its owner's alone. */
static const char *why_not_secret(enum um_status status)
{
    switch (status) {
    case UM_ERR_DENIED:
        return um_platform_is_guarded()
                   ? "ordinary programs can change its folder, or it is a link: choose a folder "
                     "that only administrators can change, such as one in Program Files"
                   : "what is there is another user's: give it another name";
    case UM_ERR_NOT_FOUND:
        return "there is no such folder";
    case UM_ERR_TOO_LARGE:
        return "its path is too long";
    case UM_ERR_BUSY:
        return "another program has the file open: close that, or give it another name";
    default:
        return "it cannot be kept from other users there: choose a folder on another disk";
    }
}

static bool say_guarded(enum um_status status, const char *path, const char *option, char *error,
                        size_t cap)
{
    if (status != UM_OK)
        snprintf(error, cap, "uimon: %s %s: it would hold the keys of --keep-keys, and %s", option,
                 um_utf8_show_path(path).text, why_not_secret(status));
    return status == UM_OK;
}

/* Whether nobody else could open a file of that path. What is there stays as it is. */
static enum um_status try_guarded(const char *path)
{
    struct um_file_draft draft;
    enum um_status status = um_file_draft_open(path, true, &draft);
    if (status == UM_OK)
        um_file_draft_drop(&draft);
    return status;
}

bool um_output_can_write_guarded(const char *path, const char *option, char *error,
                                 size_t cap_bytes)
{
    if (!um_platform_is_guarded() || um_output_is_stdout(path))
        return um_output_can_write(path, option, error, cap_bytes);
    enum um_status status = try_guarded(path);
    if (status != UM_OK)
        snprintf(error, cap_bytes,
                 "uimon: %s %s: an administrator's uimon keeps it for administrators alone, and %s",
                 option, um_utf8_show_path(path).text, why_not_secret(status));
    return status == UM_OK;
}

bool um_output_guard(const char *path, const char *option, char *error, size_t cap_bytes)
{
    if (!path || um_output_is_stdout(path))
        return true;
    enum um_status status = try_guarded(path);
    if (status == UM_ERR_UNSUPPORTED)
        status = um_file_make_secret(path);
    return say_guarded(status, path, option, error, cap_bytes);
}

bool um_output_guard_stream(const char *path, const char *option, char *error, size_t cap_bytes)
{
    if (um_platform_is_guarded()) /* it is made anew when it is opened */
        return um_output_guard(path, option, error, cap_bytes);
    if (!path || um_output_is_stdout(path))
        return true;
    return say_guarded(um_file_make_secret(path), path, option, error, cap_bytes);
}

bool um_output_has_content(const char *path)
{
    FILE *file = um_output_is_stdout(path) ? NULL : fopen(path, "rb");
    bool has = file && fseek(file, 0, SEEK_END) == 0 && ftell(file) != 0;
    if (file)
        fclose(file);
    return has;
}

FILE *um_output_open(const char *path, bool secret)
{
    if (um_output_is_stdout(path))
        return stdout;
    return secret ? um_file_open_secret(path) : um_platform_open_alone(path);
}

bool um_output_printed(FILE *file, bool whole)
{
    return whole || um_platform_is_missing(file) ||
           (file == stdout && ferror(stdout) && um_platform_stdout_left());
}

bool um_output_close(FILE *file)
{
    if (!file)
        return false;
    bool whole = fflush(file) == 0 && !ferror(file);
    return file == stdout ? um_output_printed(stdout, whole) : fclose(file) == 0 && whole;
}

FILE *um_output_begin(struct um_output *output, const char *path, const char *option, bool secret)
{
    enum um_status status = UM_ERR_UNSUPPORTED;

    *output = (struct um_output){.path = path, .option = option};
    if (!um_output_is_stdout(path))
        status = um_file_draft_open(path, secret, &output->draft);
    output->drafted = status == UM_OK;
    if (output->drafted)
        output->file = output->draft.file;
    else if (status == UM_ERR_UNSUPPORTED)
        output->file = um_output_open(path, secret);
    return output->file;
}

bool um_output_begin_guarded(struct um_output *output, const char *path, const char *option,
                             bool secret, FILE **file)
{
    char error[ERROR_BYTES];
    if (secret && !um_output_guard(path, option, error, sizeof error)) {
        um_output_error(error);
        return false;
    }
    *file = um_output_begin(output, path, option, secret);
    return true;
}

/* `option`: which results went there; NULL: the command's own text. */
static void say_stdout(const char *option)
{
    fprintf(stderr, "uimon: %s%sstandard output could not be written to its end: is there room?\n",
            option ? option : "", option ? " -: " : "");
    um_output_stdout_said();
}

void um_output_stdout_said(void)
{
    stdout_said = true;
}

int um_output_end_stdout(int code)
{
    if (um_output_close(stdout))
        return code;
    if (!stdout_said)
        say_stdout(NULL);
    return code == UM_EXIT_DONE ? UM_EXIT_FAILED : code;
}

bool um_output_end(struct um_output *output, bool written)
{
    enum um_status status = UM_ERR_IO;

    written = um_output_printed(output->file, written);
    if (!output->drafted)
        status = um_output_close(output->file) && written ? UM_OK : UM_ERR_IO;
    else if (written)
        status = um_file_draft_settle(&output->draft);
    else
        um_file_draft_drop(&output->draft);
    if (status == UM_ERR_BUSY)
        fprintf(stderr,
                "uimon: %s %s: another program keeps the file open, so the result is beside it, in "
                "%s%s\n",
                output->option, um_utf8_show_path(output->path).text,
                um_utf8_show_path(output->draft.path).text,
                output->draft.left ? "" : ", until the next run");
    else if (status != UM_OK && um_output_is_stdout(output->path))
        say_stdout(output->option);
    else if (status != UM_OK)
        fprintf(stderr,
                "uimon: %s %s: the file could not be written to its end: is it a folder, does its "
                "folder exist, and is there room?\n",
                output->option, um_utf8_show_path(output->path).text);
    return status == UM_OK;
}

void um_output_drop(struct um_output *output)
{
    if (output->drafted)
        um_file_draft_drop(&output->draft);
    else
        um_output_close(output->file);
}

/* JSON escapes control characters itself: those that it has are between its parts. */
bool um_output_json_part(FILE *file, const char *json)
{
    const char *at = json;
    uint32_t c;

    for (; (c = um_utf8_next(&json)) != 0; at = json) {
        if (c < ' ' || um_utf8_next_shown(&at) == c)
            um_utf8_put(file, c);
        else if (c <= 0xffff)
            (void)fprintf(file, "\\u%04x", (unsigned)c);
        else
            (void)fprintf(file, "\\u%04x\\u%04x", (unsigned)(0xd7c0 + (c >> 10)),
                          (unsigned)(0xdc00 + (c & 0x3ff)));
    }
    return !ferror(file);
}

bool um_output_json(FILE *file, const char *json)
{
    return um_output_json_part(file, json) && fputc('\n', file) != EOF;
}

bool um_output_write(const char *path, const char *option, const char *text)
{
    return um_output_write_rights(path, option, text, false);
}

bool um_output_write_rights(const char *path, const char *option, const char *text, bool secret)
{
    struct um_output output;
    FILE *file = um_output_begin(&output, path, option, secret);
    return um_output_end(&output, file && um_output_json(file, text));
}

enum um_exit_code um_output_exit_code(enum um_status status)
{
    switch (status) {
    case UM_OK:
        return UM_EXIT_DONE;
    case UM_ERR_NOT_FOUND:
        return UM_EXIT_NO_TARGET;
    case UM_ERR_AMBIGUOUS:
        return UM_EXIT_USAGE;
    case UM_ERR_DENIED:
        return UM_EXIT_DENIED;
    default:
        return UM_EXIT_FAILED;
    }
}

void um_output_text(FILE *file, const char *text)
{
    uint32_t c;

    while ((c = um_utf8_next_shown(&text)) != 0)
        um_utf8_put(file, c);
}

void um_output_error(const char *line)
{
    um_output_text(stderr, line);
    fputc('\n', stderr);
    fflush(stderr); /* on Windows it is buffered (um_platform_start) */
}

void um_output_note(const char *text)
{
    fputs("uimon: ", stderr);
    um_output_error(text);
}

int um_output_fail(const char *line, enum um_exit_code code)
{
    um_output_error(line);
    return (int)code;
}
