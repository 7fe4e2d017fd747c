#include "monitor/compare/compare_report.h"

#include <cjson/cJSON.h>

#include "base/exit_code.h"
#include "base/output.h"
#include "monitor/compare/compare_text.h"

enum { BISECT_GOOD = 0, BISECT_BAD = 1, BISECT_SKIP = UM_EXIT_BISECT_SKIP, BISECT_END = 128 };

enum um_status um_compare_report_gate_read(const struct um_options *options,
                                           struct um_compare_report_gate *gate, char *error,
                                           size_t error_cap)
{
    enum um_status status = UM_OK;
    gate->count = 0;
    for (int i = 0; i < options->limits.count && status == UM_OK; i++)
        status = um_limits_parse(options->limits.items[i], &gate->limits[gate->count++], error,
                                 error_cap);
    return status;
}

enum um_status um_compare_report_settled(const struct um_compare_report_gate *gate,
                                         const struct um_comparison *comparison, bool *settled,
                                         char *error, size_t error_cap)
{
    struct um_limits_findings findings = {0};
    enum um_status status =
        um_limits_check(gate->limits, gate->count, comparison, &findings, error, error_cap);
    *settled = gate->count > 0 ? status == UM_OK && findings.open == 0
                               : um_comparison_is_settled(comparison);
    um_limits_free(&findings);
    return status;
}

static int exit_code_of(const struct um_limits_findings *findings)
{
    for (size_t i = 0; i < findings->count; i++)
        if (findings->list[i].outcome != UM_LIMITS_KEPT)
            um_output_note(findings->list[i].line);
    if (findings->outcomes[UM_LIMITS_EXCEEDED] > 0)
        return UM_EXIT_LIMIT;
    if (findings->outcomes[UM_LIMITS_UNCHECKED] > 0)
        return UM_EXIT_FAILED;
    return findings->outcomes[UM_LIMITS_CANNOT_TELL] > 0 ? UM_EXIT_CANNOT_TELL : UM_EXIT_DONE;
}

static int write_json(const struct um_compare_text *text, const char *path)
{
    char *json = NULL;
    if (um_compare_json(text, &json) != UM_OK)
        return um_output_fail("uimon: out of memory", UM_EXIT_FAILED);
    bool written = um_output_write(path, "--json", json);
    cJSON_free(json);
    return written ? UM_EXIT_DONE : UM_EXIT_FAILED;
}

int um_compare_report_write(const struct um_options *options,
                            const struct um_compare_report_gate *gate,
                            const struct um_comparison *comparison, const char *json, FILE *out)
{
    char error[UM_OPTIONS_ERROR_BYTES] = "uimon: out of memory";
    struct um_limits_findings findings = {0};
    if (comparison->compared == 0)
        return um_output_fail(
            "uimon: BEFORE and AFTER have no measure in common, so nothing can be compared",
            UM_EXIT_FAILED);
    enum um_status status =
        um_limits_check(gate->limits, gate->count, comparison, &findings, error, sizeof error);
    if (status != UM_OK)
        return um_output_fail(error, status == UM_ERR_NOT_FOUND ? UM_EXIT_USAGE : UM_EXIT_FAILED);
    const struct um_compare_text text = {comparison, findings.list, findings.count};
    int code = exit_code_of(&findings);
    int written = json ? write_json(&text, json) : UM_EXIT_DONE;
    if (!options->quiet && options->markdown)
        um_compare_markdown_write(out, &text);
    else if (!options->quiet)
        um_compare_text_write(out, &text);
    fflush(out);
    um_limits_free(&findings);
    return code == UM_EXIT_DONE ? written : code;
}

int um_compare_report_exit(const struct um_options *options, int code, bool interrupted)
{
    if (!options->bisect)
        return code;
    if (interrupted || code == UM_EXIT_USAGE || code == UM_EXIT_DENIED)
        return BISECT_END + code;
    if (code == UM_EXIT_DONE)
        return BISECT_GOOD;
    return code == UM_EXIT_LIMIT ? BISECT_BAD : BISECT_SKIP;
}
