#include "monitor/bench/bench_job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/plain/clock.h"
#include "base/crc32.h"
#include "base/output.h"
#include "base/platform.h"
#include "base/text_file.h"
#include "base/utf8.h"
#include "monitor/bench/bench_resume.h"
#include "monitor/bench/scenario_measures.h"
#include "monitor/compare/floor.h"

static void name_scenario(struct um_bench_job *job)
{
    const char *file = job->options->files[0];
    for (const char *at = file; *at; at++)
        if (*at == '/' || *at == '\\')
            file = at + 1;
    um_utf8_fit(file, UM_BENCH_JOB_NAME_BYTES / 4, job->name, sizeof job->name);
    char *ending = strstr(job->name, ".uimon");
    if (ending && ending != job->name && ending[strlen(".uimon")] == 0)
        *ending = 0;
}

static void add_defines(struct um_bench_job_side *side, const struct um_options_list *list)
{
    for (int i = 0; i < list->count; i++)
        side->defines[side->define_count++] = list->items[i];
}

/* Finds out how many sides there are, and collects the defines of each. */
static void settle_sides(struct um_bench_job *job)
{
    const struct um_options *options = job->options;

    job->sides = um_options_two_sides(options) ? 2 : 1;
    for (uint32_t i = 0; i < job->sides; i++) {
        struct um_bench_job_side *side = &job->side[i];
        const struct um_options_list *own =
            i == UM_BENCH_SITTING_BEFORE ? &options->before : &options->after;
        add_defines(side, &options->defines);
        add_defines(side, own);
        side->shown = own->count > 0 ? own->items : options->defines.items;
        side->shown_count = own->count > 0 ? own->count : options->defines.count;
    }
}

static enum um_status read_scenario(struct um_bench_job *job, char *error, size_t cap)
{
    const char *file = job->options->files[0];
    char *text = NULL;
    size_t len = 0;

    enum um_status status =
        um_text_file_load(file, UM_SCENARIO_MAX_BYTES, "a scenario", &text, &len, error, cap);
    if (status != UM_OK)
        return status;
    job->crc32 = um_crc32(0, (const uint8_t *)text, len);
    name_scenario(job);
    for (uint32_t i = 0; i < job->sides && status == UM_OK; i++)
        status = um_scenario_parse(text, len, um_utf8_show_path(file).text, job->side[i].defines,
                                   job->side[i].define_count, &job->side[i].scenario, error, cap);
    free(text);
    return status;
}

/* Makes the plan of --until, and checks the number of pairs. */
static enum um_status plan_pairs(struct um_bench_job *job, char *error, size_t cap)
{
    const struct um_options *options = job->options;
    double within = options->until_percent / 100;
    double alpha = job->alpha > 0 ? job->alpha : UM_UNTIL_ALPHA;

    if (job->sides == 2 && options->runs > UM_PAIRED_MOST) {
        snprintf(error, cap, "uimon: --runs %lu: of two sides there can be %d pairs at most",
                 (unsigned long)options->runs, UM_PAIRED_MOST);
        return UM_ERR_ARG;
    }
    if (!(within > 0))
        return UM_OK;
    enum um_status status = um_until_plan(options->runs, within, alpha, &job->until);
    if (status == UM_ERR_ARG)
        snprintf(error, cap,
                 "uimon: --until with --runs %lu: it looks after %d pairs for the first time; give "
                 "more runs",
                 (unsigned long)options->runs, UM_UNTIL_FIRST);
    else if (status != UM_OK)
        snprintf(error, cap, "uimon: out of memory");
    return status;
}

/* Checks the measures that limits and --measure name: a misspelt name would make all runs useless.
 * AFTER must have each of them, and BEFORE too if the limit is relative to it. */
static enum um_status check_names(const struct um_bench_job *job, char *error, size_t cap)
{
    static const char *const where[] = {
        [UM_BENCH_SITTING_BEFORE] = " in the scenario with --before",
        [UM_BENCH_SITTING_AFTER] = " in the scenario",
    };
    struct um_limits_measure list[UM_LIMITS_NAMES_MOST];
    enum um_status status = UM_OK;
    for (uint32_t side = job->sides; side-- > 0 && status == UM_OK;) {
        const struct um_limits_names names = {
            list,
            um_scenario_measures_list(&job->side[side].scenario,
                                      job->options->layout != UM_WIRE_LAYOUT_MODE_OFF, list),
            where[side],
        };
        if (job->measure)
            status = um_limits_check_measure("--measure", job->measure, &names, error, cap);
        for (size_t i = 0; i < job->gate.count && status == UM_OK; i++)
            if (side == UM_BENCH_SITTING_AFTER || um_limits_is_relative(&job->gate.limits[i]))
                status = um_limits_check_names(&job->gate.limits[i], &names, error, cap);
    }
    return status == UM_OK ? UM_OK : UM_ERR_ARG;
}

enum um_status um_bench_job_read(struct um_bench_job *job, const struct um_options *options,
                                 char *error, size_t error_cap)
{
    job->options = options;
    settle_sides(job);
    enum um_status status = read_scenario(job, error, error_cap);
    if (status == UM_OK)
        status = um_compare_report_gate_read(options, &job->gate, error, error_cap);
    if (status == UM_OK)
        status = check_names(job, error, error_cap);
    return status == UM_OK ? plan_pairs(job, error, error_cap) : status;
}

/* Reads the floor of this machine. Owner: cJSON_Delete. NULL if there is none. */
static cJSON *load_floor(const struct um_bench_job *job, const char *machine)
{
    char path[UM_PLATFORM_PATH_BYTES];
    char why[UM_OPTIONS_ERROR_BYTES];
    struct um_floor floor;

    if (um_platform_data_path(UM_FLOOR_FILE, path, sizeof path) != UM_OK)
        return NULL;
    if (um_floor_load(path, machine, &floor, why, sizeof why) == UM_OK)
        return um_floor_to_json(&floor);
    if (job->options->verbose)
        um_output_note(why);
    return NULL;
}

/* Makes the JSON of one side. Owner: cJSON_free. NULL without memory. */
static char *side_text(const struct um_bench_job *job, const struct um_bench_job_side *side,
                       bool partial, const cJSON *resume)
{
    const struct um_options *options = job->options;
    const struct um_bench_host_target *target = um_bench_host_target(side->host);
    struct um_utf8_shown file = um_utf8_show_path(options->files[0]);
    struct um_platform_machine machine;
    char *text = NULL;

    um_platform_machine(&machine);
    cJSON *floor = load_floor(job, machine.name);
    const struct um_bench_results_header header = {
        .scenario_file = file.text,
        .scenario_name = job->name,
        .scenario_crc32 = job->crc32,
        .defines = side->shown,
        .define_count = side->shown_count,
        .utc_ms = job->utc_ms,
        .target = side->target[0] ? side->target : target->name,
        .toolkit = target->toolkit,
        .options = options,
        .probe = target->probe,
        .beat = target->beat,
        .machine = machine,
        .floor = floor,
        .partial_of = partial ? options->runs : 0,
        .resume = resume,
        .aborted = job->outcome.status == UM_OK ? NULL : job->outcome.why,
    };
    um_bench_results_json(side->results, &header, &text);
    cJSON_Delete(floor);
    return text;
}

static char *make_text(const struct um_bench_job *job, bool partial, const cJSON *resume)
{
    const struct um_bench_results_sitting sitting = {
        .utc_ms = job->utc_ms,
        .sat = &job->sitting,
        .within = job->until.within,
        .most = job->options->runs,
        .alpha = job->alpha > 0 ? job->alpha : UM_UNTIL_ALPHA,
        .resume = resume,
        .aborted = job->outcome.status == UM_OK ? NULL : job->outcome.why,
    };
    char *sides[2] = {NULL, NULL};
    char *text = NULL;

    if (job->sides == 1)
        return side_text(job, &job->side[0], partial, resume);
    for (int i = 0; i < 2; i++)
        sides[i] = side_text(job, &job->side[i], partial, NULL);
    if (sides[0] && sides[1])
        um_bench_results_pairs_json(&sitting, (const char *const *)sides, &text);
    cJSON_free(sides[0]);
    cJSON_free(sides[1]);
    return text;
}

/* The results of an aborted benchmark have what --resume needs, as those of a running one do. */
char *um_bench_job_text(const struct um_bench_job *job, bool partial)
{
    if (!partial && job->outcome.status == UM_OK)
        return make_text(job, false, NULL);
    cJSON *resume = um_bench_resume_object(job);
    char *text = resume ? make_text(job, partial, resume) : NULL;
    cJSON_Delete(resume);
    return text;
}

enum um_status um_bench_job_compare(const char *text, struct um_results sides[2],
                                    struct um_comparison *comparison, char *error, size_t cap)
{
    enum um_status status =
        um_results_read_pairs(sides, text, strlen(text), "the results", error, cap);
    if (status != UM_OK)
        return status;
    status = um_comparison_make(&sides[0], &sides[1], comparison);
    if (status != UM_OK)
        snprintf(error, cap, "uimon: out of memory");
    return status;
}

/* Duration ------------------------------------------------------------------------------------- */

/* What is left after `made` runs of each side. */
static struct um_bench_duration left_after(const struct um_bench_job *job, uint32_t made)
{
    uint32_t pairs = job->sitting.pairs;
    struct um_bench_duration left = {
        .sides = job->sides, .runs = job->options->rehearsals + job->options->runs - pairs - made};
    for (size_t i = 0; i < job->until.looks && !left.look; i++)
        left.look = job->until.pairs[i] > pairs ? job->until.pairs[i] : 0;
    if (left.look)
        left.until_look = job->options->rehearsals + left.look - pairs - made;
    return left;
}

void um_bench_job_plan(const struct um_bench_job *job, char line[UM_BENCH_DURATION_BYTES])
{
    const struct um_bench_duration left = left_after(job, 0);
    uint64_t own_ns = 0, most_ns = 0;
    for (uint32_t i = 0; i < job->sides; i++) {
        own_ns += job->side[i].scenario.own_ns;
        most_ns += um_bench_run_most_ns(&job->side[i].scenario);
    }
    um_bench_duration_plan(&left, own_ns, most_ns, line);
}

/* Keeps how long the first run of a side took, and says what that means for the rest as soon as it
 * is known of each side. */
static void take_first(struct um_bench_job *job, struct um_bench_job_side *side, uint64_t took_ns)
{
    const struct um_bench_duration left = left_after(job, 1);
    char line[UM_BENCH_DURATION_BYTES];
    if (side->first_ns)
        return;
    side->first_ns = took_ns;
    const uint64_t both_ns[2] = {job->side[0].first_ns, job->side[1].first_ns};
    if (!both_ns[0] || (job->sides == 2 && !both_ns[1]) || left.runs == 0)
        return;
    um_bench_duration_rest(&left, both_ns, line);
    if (!job->options->quiet)
        um_output_note(line);
}

/* Runs ----------------------------------------------------------------------------------------- */

static enum um_status run_side(void *context, enum um_bench_sitting_side which, bool counted,
                               const char *name)
{
    struct um_bench_job *job = context;
    struct um_bench_job_side *side = &job->side[which];
    struct um_bench_run_host contract = um_bench_host_contract(side->host);

    um_bench_host_name_run(side->host, name);
    uint64_t begin_ns = um_clock_now_ns();
    um_bench_run(&side->scenario, &contract, side->results, um_clock_utc_ms(), &job->outcome);
    um_bench_host_hide_progress(side->host);
    if (job->outcome.status == UM_OK)
        take_first(job, side, um_clock_now_ns() - begin_ns);
    /* The measures of a failed run are kept, except in a pair. */
    bool kept = counted && (job->sides == 1 || job->outcome.status == UM_OK);
    enum um_status status = um_bench_results_end(side->results, kept);
    return job->outcome.status != UM_OK ? job->outcome.status : status;
}

/* After the rehearsals, checks that the target is the program of the runs taken from --resume. With
 * `attach` in the scenario, that is not known earlier. */
static enum um_status check_targets(void *context)
{
    struct um_bench_job *job = context;
    for (uint32_t i = 0; i < job->sides; i++) {
        const struct um_bench_job_side *side = &job->side[i];
        const char *now = um_bench_host_target(side->host)->name;
        if (!now[0] || !side->target[0] || strcmp(now, side->target) == 0)
            continue;
        snprintf(job->outcome.why, sizeof job->outcome.why,
                 "the runs of --resume are of %s, and this is %s",
                 um_utf8_show(side->target, 60).text, um_utf8_show(now, 60).text);
        return job->outcome.status = UM_ERR_ARG;
    }
    return UM_OK;
}

static void keep_run(void *context)
{
    struct um_bench_job *job = context;
    if (job->kept)
        job->kept(job->kept_context);
}

static void drop_run(void *context, enum um_bench_sitting_side which)
{
    struct um_bench_job *job = context;
    um_bench_results_drop(job->side[which].results);
}

static bool is_stopped(void *context)
{
    const struct um_bench_job *job = context;
    return job->outcome.interrupted;
}

static void say_discarded(void *context, const char *name)
{
    struct um_bench_job *job = context;
    char line[UM_BENCH_RUN_WHY_BYTES + 64];

    snprintf(line, sizeof line, "%s did not finish and does not count: %s", name,
             um_utf8_show(job->outcome.why, 200).text);
    um_output_note(line);
    job->outcome = (struct um_bench_run_outcome){.status = UM_OK};
}

const struct um_comparison_measure *um_bench_job_deciding(const struct um_bench_job *job,
                                                          const struct um_comparison *comparison)
{
    const struct um_comparison_measure *startup = NULL;
    for (size_t i = 0; i < comparison->measure_count; i++) {
        const struct um_comparison_measure *measure = &comparison->measures[i];
        bool can = um_comparison_headline(measure) != NULL;
        bool is_startup = strcmp(measure->name, UM_RESULTS_STARTUP) == 0;
        if (job->measure ? strcmp(measure->name, job->measure) == 0 : can && !is_startup)
            return measure;
        if (is_startup && can && !job->measure)
            startup = measure;
    }
    return startup;
}

/* A look of --until: whether the pairs so far are enough. A limit that names nothing ends the
 * sitting too, and the report explains it. */
static enum um_status look(void *context, uint32_t pairs, bool *enough)
{
    struct um_bench_job *job = context;
    struct um_results sides[2] = {{0}, {0}};
    struct um_comparison comparison = {0};
    char error[UM_OPTIONS_ERROR_BYTES];

    if (!(um_until_level(&job->until, pairs) > 0) || pairs == job->options->runs)
        return UM_OK;
    char *text = um_bench_job_text(job, false);
    enum um_status status = text ? UM_OK : UM_ERR_MEMORY;
    if (status == UM_OK)
        status = um_bench_job_compare(text, sides, &comparison, error, sizeof error);
    if (status == UM_OK && job->one_measure)
        *enough = um_comparison_is_decided(um_bench_job_deciding(job, &comparison));
    else if (status == UM_OK)
        status = um_compare_report_settled(&job->gate, &comparison, enough, error, sizeof error);
    *enough = *enough || status == UM_ERR_NOT_FOUND;
    um_comparison_deinit(&comparison);
    um_results_deinit(&sides[0]);
    um_results_deinit(&sides[1]);
    cJSON_free(text);
    return *enough ? UM_OK : status;
}

enum um_status um_bench_job_open(struct um_bench_job *job)
{
    enum um_status status = UM_OK;

    job->utc_ms = um_clock_utc_ms();
    job->seed = um_clock_now_ns() ^ (uint64_t)job->utc_ms;
    for (uint32_t i = 0; i < job->sides && status == UM_OK; i++) {
        struct um_bench_job_side *side = &job->side[i];
        status =
            um_bench_results_open(job->options->layout != UM_WIRE_LAYOUT_MODE_OFF, &side->results);
        if (status == UM_OK)
            status = um_bench_host_open(job->options, side->results, &side->host);
    }
    return status;
}

enum um_status um_bench_job_run(struct um_bench_job *job)
{
    const struct um_bench_sitting before = job->sitting;
    const struct um_bench_sitting_plan plan = {
        .sides = job->sides,
        .rehearsals = job->options->rehearsals,
        .runs = job->options->runs,
        .seed = job->seed,
        .before = &before,
    };
    const struct um_bench_sitting_host host = {
        .context = job,
        .run = run_side,
        .drop = drop_run,
        .rehearsed = check_targets,
        .is_stopped = is_stopped,
        .discarded = say_discarded,
        .kept = keep_run,
        .look = look,
    };
    char line[UM_BENCH_DURATION_BYTES];
    um_bench_job_plan(job, line);
    um_bench_host_say_plan(job->options, line);
    return um_bench_sitting_run(&plan, &host, &job->sitting);
}

void um_bench_job_close(struct um_bench_job *job)
{
    cJSON_Delete(job->programs);
    for (uint32_t i = 0; i < job->sides; i++) {
        um_bench_host_close(job->side[i].host);
        um_bench_results_close(job->side[i].results);
        um_scenario_deinit(&job->side[i].scenario);
    }
}
