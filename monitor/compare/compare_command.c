#include "monitor/options/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/output.h"
#include "base/platform.h"
#include "base/utf8.h"
#include "monitor/compare/compare_report.h"
#include "monitor/compare/comparison.h"
#include "monitor/compare/results.h"

static bool is_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    char byte;
    bool readable = file && (fread(&byte, 1, 1, file) == 1 || !ferror(file));
    if (file)
        fclose(file);
    return readable; /* some systems open a folder, but none can read from it */
}

/* What the files of a side are read into. */
struct loading {
    struct um_results *results; /* of a side; with `pairs` both sides */
    bool pairs;                 /* a file has both */
    const char *json; /* where the comparison will be written, so no result may be there; or NULL */
    enum um_status status;
    char error[UM_OPTIONS_ERROR_BYTES];
};

/* Whether the comparison would be written over this file, which may be one of the results. */
static bool refuse_overwriting(struct loading *loading, const char *path)
{
    if (!loading->json || !um_platform_same_file(loading->json, path))
        return false;
    snprintf(loading->error, sizeof loading->error,
             "uimon: --json %s: the comparison would overwrite one of the results; give it "
             "another file",
             um_utf8_show_path(loading->json).text);
    loading->status = UM_ERR_ARG;
    return true;
}

static void load_file(void *context, const char *path)
{
    struct loading *loading = context;
    if (loading->status == UM_OK && !refuse_overwriting(loading, path))
        loading->status = um_results_read_file(loading->results, loading->pairs, path,
                                               loading->error, sizeof loading->error);
}

static int fail_loading(const struct loading *loading)
{
    return um_output_fail(loading->error,
                          loading->status == UM_ERR_ARG ? UM_EXIT_USAGE : UM_EXIT_FAILED);
}

static void load_part(struct loading *loading, const char *path)
{
    uint32_t files = loading->results->files;
    if (is_file(path) || um_platform_list_files(path, ".json", load_file, loading) != UM_OK) {
        load_file(loading, path);
    } else if (loading->status == UM_OK && loading->results->files == files) {
        snprintf(loading->error, sizeof loading->error,
                 "uimon: %s: this folder has no results (.json files)",
                 um_utf8_show_path(path).text);
        loading->status = UM_ERR_NOT_FOUND;
    }
}

/* Reads all files of a side. A path that exists is one file, even with commas in its name;
 * otherwise commas separate several paths. */
static enum um_status load_side(struct loading *loading, const char *side)
{
    char part[UM_PLATFORM_PATH_BYTES];
    if (is_file(side) || !strchr(side, ',')) {
        load_part(loading, side);
        return loading->status;
    }
    while (loading->status == UM_OK) {
        size_t len = strcspn(side, ",");
        snprintf(part, sizeof part, "%.*s", (int)len, side);
        if (len > 0)
            load_part(loading, part);
        if (side[len] == '\0')
            break;
        side += len + 1;
    }
    return loading->status;
}

/* Reads both sides: from one file of pairs, or each from its own files. */
static int load(const struct um_options *options, struct um_results sides[2])
{
    const char *json = um_output_is_stdout(options->json) ? NULL : options->json;
    if (options->file_count == 1) {
        struct loading loading = {.results = sides, .pairs = true, .json = json};
        load_file(&loading, options->files[0]);
        return loading.status == UM_OK ? UM_EXIT_DONE : fail_loading(&loading);
    }
    for (int i = 0; i < 2; i++) {
        struct loading loading = {.results = &sides[i], .json = json};
        if (load_side(&loading, options->files[i]) != UM_OK)
            return fail_loading(&loading);
        if (sides[i].runs == 0)
            return um_output_fail("uimon: compare: BEFORE or AFTER names no file", UM_EXIT_USAGE);
    }
    return UM_EXIT_DONE;
}

static int compare(const struct um_options *options, const struct um_compare_report_gate *gate,
                   struct um_results sides[2])
{
    struct um_comparison comparison;
    /* If the JSON goes to standard output, the text goes to standard error. */
    FILE *out = um_output_is_stdout(options->json) ? stderr : stdout;
    int code = load(options, sides);
    if (code != UM_EXIT_DONE)
        return code;
    if (um_comparison_make(&sides[0], &sides[1], &comparison) != UM_OK)
        return um_output_fail("uimon: out of memory", UM_EXIT_FAILED);
    code = um_compare_report_write(options, gate, &comparison, options->json, out);
    um_comparison_deinit(&comparison);
    return code;
}

int um_compare_command_run(struct um_options *options)
{
    char error[UM_OPTIONS_ERROR_BYTES];
    struct um_results sides[2] = {{0}, {0}};
    int code;

    um_platform_end_on_interrupt();
    if (options->html || options->only || options->hide)
        return um_output_fail("uimon: compare: --html, --only and --hide are for two recordings, "
                              "and these are results; leave them out",
                              UM_EXIT_USAGE);
    struct um_compare_report_gate *gate = calloc(1, sizeof *gate);
    if (!um_output_can_write(options->json, "--json", error, sizeof error))
        code = um_output_fail(error, UM_EXIT_FAILED);
    else if (!gate)
        code = um_output_fail("uimon: out of memory", UM_EXIT_FAILED);
    else if (um_compare_report_gate_read(options, gate, error, sizeof error) != UM_OK)
        code = um_output_fail(error, UM_EXIT_USAGE);
    else
        code = compare(options, gate, sides);
    um_results_deinit(&sides[0]);
    um_results_deinit(&sides[1]);
    free(gate);
    return um_compare_report_exit(options, code, false);
}
