#include "monitor/options/commands.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <cjson/cJSON.h>

#include "base/exit_code.h"
#include "base/ns.h"
#include "base/output.h"
#include "base/plain/clock.h"
#include "base/platform.h"
#include "base/utf8.h"
#include "monitor/report/editor_link.h"
#include "monitor/report/report_follow.h"
#include "monitor/report/report_html.h"
#include "monitor/report/report_profile.h"
#include "monitor/report/report_reading.h"

#define FAILURES 3 /* so many pages in a row that cannot be written end the following */

/* What is written, and of what. */
struct report {
    const struct um_options *options;
    struct um_report_reading reading;
    uint64_t next_ms; /* of the page, as um_report_html_write has it */
};

static bool write_json(FILE *file, const struct report *report)
{
    cJSON *root = um_summary_object(&report->reading.recorded.summary);
    const char *problem = report->reading.recorded.problem;
    bool made = root && (problem[0] == '\0' || cJSON_AddStringToObject(root, "problem", problem)) &&
                um_report_profile_json(root, &report->reading.recorded, report->options) == UM_OK;
    char *text = made ? cJSON_Print(root) : NULL;
    cJSON_Delete(root);
    bool whole = text && um_output_json(file, text);
    cJSON_free(text);
    return whole;
}

static bool write_html(FILE *file, const struct report *report)
{
    struct um_markers markers = {.list = NULL};
    bool whole = um_report_reading_markers(&report->reading, &markers) == UM_OK &&
                 um_report_html_write(file, &report->reading.recorded, &markers, report->options,
                                      report->next_ms) == UM_OK;
    um_markers_deinit(&markers);
    return whole;
}

/* Writes a file. False, with a line on stderr, if it could not be written; NULL is no file. */
static bool write_file(const char *option, const char *path, const struct report *report,
                       bool (*write)(FILE *, const struct report *))
{
    struct um_output output;
    FILE *file;

    if (!path)
        return true;
    if (!um_output_begin_guarded(&output, path, option, report->reading.recorded.has_keys, &file))
        return false;
    return um_output_end(&output, file && write(file, report));
}

static bool write_all(const struct report *report)
{
    const struct um_options *options = report->options;
    bool whole = write_file("--json", options->json, report, write_json);
    whole = write_file("--html", options->html, report, write_html) && whole;
    if (!options->quiet) {
        /* If a result goes to standard output, the text goes to standard error. */
        FILE *out = um_output_is_stdout(options->json) || um_output_is_stdout(options->html)
                        ? stderr
                        : stdout;
        bool printed = um_summary_text_write(out, &report->reading.recorded.summary) == UM_OK &&
                       um_report_profile_text(out, &report->reading.recorded, options) == UM_OK;
        whole = um_output_printed(out, printed) && whole;
    }
    return whole;
}

static bool is_same(const char *path, const char *recording)
{
    return path && !um_output_is_stdout(path) && um_platform_same_file(path, recording);
}

/* How the recording was read for a report. */
enum reading {
    READ_FAILED, /* a line says why, and nothing was written */
    READ_EARLY,  /* there is nothing to sum up yet */
    READ_GROWS,  /* it has no end yet */
    READ_ENDS    /* it has its end, or is damaged, so that more of it cannot be read */
};

static enum reading read_on(struct report *report)
{
    struct um_report_reading *reading = &report->reading;
    enum um_status status = um_report_reading_go_on(reading);
    if (status == UM_ERR_PARTIAL)
        return READ_EARLY;
    if (status != UM_OK || um_report_profile_whose(&reading->recorded, report->options) != UM_OK)
        return READ_FAILED;
    return um_report_reading_can_grow(reading) ? READ_GROWS : READ_ENDS;
}

/* Makes a page of what there is so far. Returns whether it makes sense to go on. */
static bool make_followed(struct report *report, uint64_t next_ms, int *failures)
{
    enum reading reading = read_on(report);
    report->next_ms = next_ms;
    if (reading == READ_GROWS)
        *failures =
            write_file("--html", report->options->html, report, write_html) ? 0 : *failures + 1;
    report->next_ms = 0;
    return *failures < FAILURES && (reading == READ_GROWS || reading == READ_EARLY);
}

/* Makes pages until the recording has ended, nobody writes it any more or the user asks to stop.
 * The last page is left to the caller. */
static void follow(struct report *report)
{
    const struct um_options *options = report->options;
    struct um_report_follow state = {.made_ns = 0};
    struct um_report_follow_look look;
    bool goes_on = true;
    int failures = 0;
    bool said = options->quiet;

    while (goes_on && !um_platform_interrupted()) {
        look.now_ns = um_clock_now_ns();
        look.is_written = um_platform_is_written(options->files[0]);
        if (!um_platform_file_bytes(options->files[0], &look.bytes))
            return;
        if (!said)
            um_output_note("the page is made anew while the recording grows; Ctrl+C ends that");
        said = true;
        enum um_report_follow_next next = um_report_follow_turn(&state, &look);
        if (next == UM_REPORT_FOLLOW_GONE)
            return;
        if (next == UM_REPORT_FOLLOW_MAKE) {
            uint64_t period_ns = um_report_follow_period(state.took_ns);
            uint64_t used_ns = um_platform_cpu_ns();
            goes_on = make_followed(report, period_ns / UM_CLOCK_NS_PER_MS, &failures);
            um_report_follow_made(&state, &look, um_ns_elapsed(used_ns, um_platform_cpu_ns()));
        } else {
            um_platform_wait_interrupt(UM_REPORT_FOLLOW_LOOK_MS);
        }
    }
}

/* Whether the user has ended the following of a recording that still grows, which is no fault of
 * that. */
static bool was_left(const struct um_options *options)
{
    return options->follow && um_platform_interrupted();
}

/* Writes everything of the recording as it is now. */
static int finish(struct report *report)
{
    const struct um_options *options = report->options;
    enum reading reading = read_on(report);
    const char *problem = report->reading.recorded.problem;
    bool whole = reading >= READ_GROWS && write_all(report);
    if (problem[0] != '\0' && !(reading == READ_GROWS && was_left(options))) {
        um_output_error(problem);
        whole = false;
    }
    return whole ? UM_EXIT_DONE : UM_EXIT_FAILED;
}

static int report(const struct um_options *options)
{
    struct report *report = calloc(1, sizeof *report);
    if (!report)
        return um_output_fail("uimon: out of memory", UM_EXIT_FAILED);
    report->options = options;
    report->reading.path = options->files[0];
    report->reading.wants_markers = options->html != NULL;
    if (options->follow)
        follow(report);
    int code = finish(report);
    um_report_reading_deinit(&report->reading);
    free(report);
    return code;
}

int um_report_command_run(struct um_options *options)
{
    const char *path = options->files[0];
    char error[UM_RECORDING_ERROR_BYTES];

    if (!options->follow)
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
    return report(options);
}
