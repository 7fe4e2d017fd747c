#include "monitor/options/commands.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <cjson/cJSON.h>

#include "monitor/base/exit_code.h"
#include "monitor/base/output.h"
#include "monitor/base/platform.h"
#include "monitor/base/utf8.h"
#include "monitor/playback/editor_link.h"
#include "monitor/playback/recorded.h"
#include "monitor/playback/report_html.h"
#include "monitor/playback/report_profile.h"

static bool write_json(FILE *file, const struct um_recorded *recorded,
                       const struct um_options *options)
{
    cJSON *root = um_summary_object(&recorded->summary);
    bool made = root && um_report_profile_json(root, recorded, options) == UM_OK;
    char *text = made ? cJSON_Print(root) : NULL;
    cJSON_Delete(root);
    bool whole = text && um_output_json(file, text);
    cJSON_free(text);
    return whole;
}

static bool write_html(FILE *file, const struct um_recorded *recorded,
                       const struct um_options *options)
{
    return um_report_html_write(file, recorded, options) == UM_OK;
}

/* Writes one of the files asked for. False, with a line on stderr, if it could not be written. */
static bool write_file(const char *option, const char *path, const struct um_recorded *recorded,
                       const struct um_options *options,
                       bool (*write)(FILE *, const struct um_recorded *, const struct um_options *))
{
    char error[UM_OPTIONS_ERROR_BYTES];
    struct um_output output;

    if (!path)
        return true;
    if (recorded->has_keys && !um_output_guard(path, option, error, sizeof error)) {
        um_output_error(error);
        return false;
    }
    FILE *file = um_output_begin(&output, path, option, recorded->has_keys);
    return um_output_end(&output, file && write(file, recorded, options));
}

static bool write_all(const struct um_options *options, const struct um_recorded *recorded)
{
    bool whole = write_file("--json", options->json, recorded, options, write_json);
    whole = write_file("--html", options->html, recorded, options, write_html) && whole;
    if (!options->quiet) {
        /* If a result goes to standard output, the text goes to standard error. */
        FILE *out = um_output_is_stdout(options->json) || um_output_is_stdout(options->html)
                        ? stderr
                        : stdout;
        whole = um_summary_write_text(out, &recorded->summary) == UM_OK && whole;
        whole = um_report_profile_text(out, recorded, options) == UM_OK && whole;
    }
    return whole;
}

static bool is_same(const char *path, const char *recording)
{
    return path && !um_output_is_stdout(path) && um_platform_same_file(path, recording);
}

static int report(const struct um_options *options, struct um_recording *recording)
{
    struct um_recorded *recorded = calloc(1, sizeof *recorded);
    if (!recorded) {
        fprintf(stderr, "uimon: out of memory\n");
        return UM_EXIT_FAILED;
    }
    bool whole = um_recorded_read(recording, recorded) == UM_OK;
    if (whole)
        whole = um_report_profile_whose(recorded, options) == UM_OK && write_all(options, recorded);
    if (recorded->problem[0] != '\0') {
        um_output_error(recorded->problem);
        whole = false;
    }
    um_recorded_deinit(recorded);
    free(recorded);
    return whole ? UM_EXIT_DONE : UM_EXIT_FAILED;
}

int um_report_command_run(struct um_options *options)
{
    const char *path = options->files[0];
    char error[UM_RECORDING_ERROR_BYTES];
    struct um_recording *recording;

    um_platform_end_on_interrupt();
    if (!um_editor_link_check(options->editor_link, error, sizeof error))
        return um_output_fail(error, UM_EXIT_USAGE);
    if (is_same(options->json, path) || is_same(options->html, path)) {
        fprintf(stderr,
                "uimon: %s: the report would overwrite the recording; give it another "
                "file\n",
                um_utf8_show_path(path).text);
        return UM_EXIT_USAGE;
    }
    if (um_recording_open(path, &recording, error, sizeof error) != UM_OK) {
        um_output_error(error);
        return UM_EXIT_FAILED;
    }
    int code = report(options, recording);
    um_recording_close(recording);
    return code;
}
