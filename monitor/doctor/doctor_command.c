#include <stdio.h>
#include <stdlib.h>

#include <cjson/cJSON.h>

#include "base/exit_code.h"
#include "base/output.h"
#include "base/platform.h"
#include "monitor/doctor/doctor_run.h"
#include "monitor/doctor/findings.h"
#include "monitor/doctor/judge.h"
#include "monitor/options/commands.h"
#include "monitor/target/target_pick.h"

/* Prints the findings and writes the JSON. */
static int report(const struct um_options *options, const struct um_findings *findings,
                  const char *target)
{
    struct um_platform_machine machine;
    int code = um_findings_good(findings) ? UM_EXIT_DONE : UM_EXIT_FAILED;

    um_platform_machine(&machine);
    const struct um_findings_header header = {
        .machine = machine.name, .system = machine.system, .cpus = machine.cpus, .target = target};
    if (options->json) {
        char *text = NULL;
        if (um_findings_json(findings, &header, &text) != UM_OK)
            return um_output_fail("uimon: out of memory", UM_EXIT_FAILED);
        if (!um_output_write(options->json, "--json", text))
            code = UM_EXIT_FAILED;
        cJSON_free(text);
    }
    FILE *out = um_output_is_stdout(options->json) ? stderr : stdout;
    if (!options->quiet &&
        !um_output_printed(out, um_findings_print(out, findings, &header) == UM_OK))
        code = um_output_fail("uimon: doctor: the table cannot be written", UM_EXIT_FAILED);
    return code;
}

static void say(const struct um_options *options, const char *line)
{
    if (options->quiet)
        return;
    um_output_note(line);
    fflush(stderr);
}

static int examine(const struct um_options *options, const struct um_target_info *target)
{
    struct um_judge_evidence *evidence = calloc(1, sizeof *evidence);
    struct um_findings *findings = calloc(1, sizeof *findings);
    char name[192];
    int code = UM_EXIT_FAILED;

    if (!evidence || !findings) {
        um_output_fail("uimon: out of memory", UM_EXIT_FAILED);
    } else {
        um_doctor_run_machine(evidence, options);
        if (target) {
            snprintf(name, sizeof name, "%s (pid %lu)", target->name, (unsigned long)target->pid);
            say(options, "doctor: this takes some seconds");
            um_doctor_run_target(evidence, target);
        } else {
            say(options, "doctor: this takes half a minute and opens a window; leave mouse and "
                         "keyboard alone");
            um_doctor_run_own(evidence, options);
        }
        if (um_platform_interrupted()) {
            um_output_fail("uimon: doctor: interrupted", UM_EXIT_FAILED);
        } else {
            um_judge(evidence, findings);
            code = report(options, findings, target ? name : NULL);
        }
    }
    free(findings);
    free(evidence);
    return code;
}

int um_doctor_command_run(struct um_options *options)
{
    char error[UM_OPTIONS_ERROR_BYTES] = "";
    struct um_target_spec spec;
    struct um_target_info target;

    if (!um_output_can_write(options->json, "--json", error, sizeof error))
        return um_output_fail(error, UM_EXIT_FAILED);
    if (!options->target)
        return examine(options, NULL);
    if (um_target_spec_parse(options->target, &spec, error, sizeof error) != UM_OK)
        return um_output_fail(error, UM_EXIT_USAGE);
    enum um_status status = um_target_pick(&spec, options->newest, &target, error, sizeof error);
    if (status != UM_OK)
        return um_output_fail(error, um_output_exit_code(status));
    return examine(options, &target);
}
