#include "monitor/options/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_code.h"
#include "base/output.h"
#include "base/platform.h"
#include "base/utf8.h"
#include "monitor/diff/stack_diff.h"

#define MAGIC_BYTES 8 /* at the begin of a recording of any version: recording.h */

static bool is_recording(const char *path)
{
    uint8_t header[UM_RECORDING_HEADER_BYTES], begun[sizeof header];
    FILE *file = fopen(path, "rb");
    bool is = file && fread(begun, 1, sizeof begun, file) == sizeof begun;
    if (file)
        fclose(file);
    um_recording_put_header(header);
    return is && memcmp(header, begun, MAGIC_BYTES) == 0;
}

bool um_stack_diff_command_wants(const struct um_options *options)
{
    for (int i = 0; i < options->file_count; i++)
        if (is_recording(options->files[i]))
            return true;
    return false;
}

/* Reads a side. False, with a line on stderr, if it cannot be read. */
static bool read_side(const char *path, struct um_stack_diff_session *session)
{
    session->path = path;
    bool is_read = um_recorded_read_file(path, &session->recorded) == UM_OK;
    if (session->recorded.problem[0] != '\0')
        um_output_error(session->recorded.problem);
    return is_read;
}

/* Whether both sides have something in common; false, with a line on stderr, if not. */
static bool can_compare(const struct um_stack_diff *diff)
{
    const struct um_recorded *a = &diff->sides[0].recorded, *b = &diff->sides[1].recorded;
    bool lacks_stacks[2] = {!um_stack_diff_has_stacks(a), !um_stack_diff_has_stacks(b)};
    if ((!lacks_stacks[0] && !lacks_stacks[1]) || diff->counted.any || diff->methods.any ||
        (um_stack_diff_has_layout(a) && um_stack_diff_has_layout(b)))
        return true;
    fprintf(stderr,
            "uimon: %s: no stacks are in it, so there is nothing to compare; record it with "
            "--sample on, or both with --layout, --trace methods, --prometheus or --dotnet\n",
            um_utf8_show_path(diff->sides[lacks_stacks[0] ? 0 : 1].path).text);
    return false;
}

static bool write_file(const char *option, const char *path, const struct um_stack_diff *diff,
                       enum um_status (*write)(FILE *, const struct um_stack_diff *))
{
    if (!path)
        return true;
    struct um_output output;
    FILE *file = um_output_begin(&output, path, option, false);
    return um_output_end(&output, file && write(file, diff) == UM_OK);
}

static bool write_all(const struct um_options *options, const struct um_stack_diff *diff)
{
    bool whole = write_file("--json", options->json, diff, um_stack_diff_write_json);
    whole = write_file("--html", options->html, diff, um_stack_diff_write_html) && whole;
    bool to_stdout = um_output_is_stdout(options->json) || um_output_is_stdout(options->html);
    FILE *out = to_stdout ? stderr : stdout;
    if (!options->quiet)
        whole = um_output_printed(out, um_stack_diff_write_text(out, diff) == UM_OK) && whole;
    return whole;
}

static bool overwrites(const char *path, const struct um_options *options)
{
    return path && !um_output_is_stdout(path) &&
           (um_platform_same_file(path, options->files[0]) ||
            um_platform_same_file(path, options->files[1]));
}

int um_stack_diff_command_run(struct um_options *options)
{
    um_platform_end_on_interrupt();
    if (options->file_count < 2)
        return um_output_fail("uimon: compare: this is one recording; give two, BEFORE and AFTER",
                              UM_EXIT_USAGE);
    if (options->limits.count > 0 || options->markdown || options->bisect)
        return um_output_fail("uimon: compare: two recordings are compared by their stacks, "
                              "their layout, their methods and what else was counted, without a "
                              "verdict, so "
                              "--fail-over, --markdown and "
                              "--bisect do not go with them",
                              UM_EXIT_USAGE);
    if (overwrites(options->json, options) || overwrites(options->html, options))
        return um_output_fail("uimon: compare: the comparison would overwrite a recording; give it "
                              "another file",
                              UM_EXIT_USAGE);
    struct um_stack_diff *diff = calloc(1, sizeof *diff);
    bool whole = diff;
    for (int i = 0; i < 2 && whole; i++)
        whole = read_side(options->files[i], &diff->sides[i]);
    if (whole && um_stack_diff_make(diff, options) != UM_OK) {
        fprintf(stderr, "uimon: out of memory\n");
        whole = false;
    }
    whole = whole && can_compare(diff) && write_all(options, diff);
    for (int i = 0; i < 2 && whole; i++)
        whole = diff->sides[i].recorded.whole;
    if (diff)
        um_stack_diff_deinit(diff);
    free(diff);
    return whole ? UM_EXIT_DONE : UM_EXIT_FAILED;
}
