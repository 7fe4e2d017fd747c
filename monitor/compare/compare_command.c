#include "monitor/options/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "monitor/base/output.h"
#include "monitor/base/platform.h"
#include "monitor/base/utf8.h"
#include "monitor/compare/compare_text.h"
#include "monitor/compare/comparison.h"
#include "monitor/compare/limits.h"
#include "monitor/compare/results.h"

#define FINDINGS_MAX 1024

static bool is_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    char byte;
    bool readable = file && (fread(&byte, 1, 1, file) == 1 || !ferror(file));
    if (file)
        fclose(file);
    return readable; /* some systems open a folder, but none can read from it */
}

/* A side while its files are read. */
struct loading {
    struct um_results *results;
    const char *json; /* where the comparison will be written, so no result may be there; or NULL */
    enum um_status status;
    char error[UM_OPTIONS_ERROR_BYTES];
};

static void load_file(void *context, const char *path)
{
    struct loading *loading = context;
    if (loading->status != UM_OK)
        return;
    if (loading->json && um_platform_same_file(loading->json, path)) {
        snprintf(loading->error, sizeof loading->error,
                 "uimon: --json %s: the comparison would overwrite one of the results; give it "
                 "another file",
                 um_utf8_show(loading->json, 60).text);
        loading->status = UM_ERR_ARG;
        return;
    }
    loading->status =
        um_results_add_file(loading->results, path, loading->error, sizeof loading->error);
}

static void load_part(struct loading *loading, const char *path)
{
    uint32_t files = loading->results->files;
    if (is_file(path) || um_platform_list_files(path, ".json", load_file, loading) != UM_OK) {
        load_file(loading, path);
    } else if (loading->status == UM_OK && loading->results->files == files) {
        snprintf(loading->error, sizeof loading->error,
                 "uimon: %s: this folder has no results (.json files)",
                 um_utf8_show(path, 60).text);
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

/* The limits, and what became of them. */
struct gate {
    struct um_limits_limit limits[UM_OPTIONS_MANY];
    struct um_limits_finding *findings;
    size_t count;
    size_t outcomes[UM_LIMITS_OUTCOMES]; /* how many findings have each outcome */
};

static void take_finding(void *context, const struct um_limits_finding *finding)
{
    struct gate *gate = context;
    gate->outcomes[finding->outcome]++;
    if (finding->outcome == UM_LIMITS_EXCEEDED || finding->outcome == UM_LIMITS_UNCHECKED)
        um_output_note(finding->line);
    if (gate->count < FINDINGS_MAX)
        gate->findings[gate->count++] = *finding;
}

static int check_limits(const struct um_options *options, const struct um_comparison *comparison,
                        struct gate *gate)
{
    char error[UM_OPTIONS_ERROR_BYTES] = "uimon: out of memory";
    for (int i = 0; i < options->limits.count; i++) {
        enum um_status status =
            um_limits_check(&gate->limits[i], comparison, take_finding, gate, error, sizeof error);
        if (status != UM_OK)
            return um_output_fail(error,
                                  status == UM_ERR_NOT_FOUND ? UM_EXIT_USAGE : UM_EXIT_FAILED);
    }
    if (gate->outcomes[UM_LIMITS_EXCEEDED] > 0)
        return UM_EXIT_LIMIT;
    return gate->outcomes[UM_LIMITS_UNCHECKED] > 0 ? UM_EXIT_FAILED : UM_EXIT_DONE;
}

static int write_outputs(const struct um_options *options, const struct um_compare_text *text)
{
    int code = UM_EXIT_DONE;
    if (options->json) {
        char *json = NULL;
        if (um_compare_json(text, &json) != UM_OK)
            return um_output_fail("uimon: out of memory", UM_EXIT_FAILED);
        if (!um_output_write(options->json, "--json", json))
            code = UM_EXIT_FAILED;
        cJSON_free(json);
    }
    if (options->quiet)
        return code;
    /* If the JSON goes to standard output, the text goes to standard error. */
    FILE *out = um_output_is_stdout(options->json) ? stderr : stdout;
    if (options->markdown)
        um_compare_markdown_write(out, text);
    else
        um_compare_text_write(out, text);
    fflush(out);
    return code;
}

/* Checks the limits and writes the comparison. */
static int report(const struct um_options *options, const struct um_comparison *comparison,
                  struct gate *gate)
{
    if (comparison->compared == 0)
        return um_output_fail(
            "uimon: BEFORE and AFTER have no measure in common, so nothing can be compared",
            UM_EXIT_FAILED);
    int code = check_limits(options, comparison, gate);
    if (code == UM_EXIT_USAGE)
        return code;
    const struct um_compare_text text = {comparison, gate->findings, gate->count};
    int written = write_outputs(options, &text);
    return code == UM_EXIT_DONE ? written : code;
}

static int compare(const struct um_options *options, struct gate *gate, struct um_results sides[2])
{
    struct um_comparison comparison;
    const char *json = um_output_is_stdout(options->json) ? NULL : options->json;
    for (int i = 0; i < 2; i++) {
        struct loading loading = {.results = &sides[i], .json = json};
        if (load_side(&loading, options->files[i]) != UM_OK)
            return um_output_fail(loading.error,
                                  loading.status == UM_ERR_ARG ? UM_EXIT_USAGE : UM_EXIT_FAILED);
        if (sides[i].runs == 0)
            return um_output_fail("uimon: compare: BEFORE or AFTER names no file", UM_EXIT_USAGE);
    }
    if (um_comparison_make(&sides[0], &sides[1], &comparison) != UM_OK)
        return um_output_fail("uimon: out of memory", UM_EXIT_FAILED);
    int code = report(options, &comparison, gate);
    um_comparison_deinit(&comparison);
    return code;
}

int um_compare_command_run(struct um_options *options)
{
    char error[UM_OPTIONS_ERROR_BYTES];
    struct um_results sides[2] = {{0}, {0}};
    int code = UM_EXIT_DONE;

    um_platform_end_on_interrupt();
    if (!um_output_can_write(options->json, "--json", error, sizeof error))
        return um_output_fail(error, UM_EXIT_FAILED);
    struct gate *gate = calloc(1, sizeof *gate);
    if (!gate)
        return um_output_fail("uimon: out of memory", UM_EXIT_FAILED);
    gate->findings = calloc(FINDINGS_MAX, sizeof *gate->findings);
    if (!gate->findings)
        code = um_output_fail("uimon: out of memory", UM_EXIT_FAILED);
    for (int i = 0; i < options->limits.count && code == UM_EXIT_DONE; i++)
        if (um_limits_parse(options->limits.items[i], &gate->limits[i], error, sizeof error) !=
            UM_OK)
            code = um_output_fail(error, UM_EXIT_USAGE);
    if (code == UM_EXIT_DONE)
        code = compare(options, gate, sides);
    um_results_deinit(&sides[0]);
    um_results_deinit(&sides[1]);
    free(gate->findings);
    free(gate);
    return code;
}
