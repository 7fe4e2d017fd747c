#include "monitor/options/commands.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <cjson/cJSON.h>

#include "base/output.h"
#include "base/utf8.h"
#include "monitor/bench/bench_job.h"
#include "monitor/bench/bisect.h"
#include "monitor/compare/compare_format.h"
#include "monitor/json/json.h"

#define LINE_BYTES 1024
#define SCHEMA 1

struct search {
    const struct um_options *options;
    struct um_bisect found;
    int code; /* the exit code of a sitting that failed; else UM_EXIT_DONE */
};

static void add_suspects(const struct um_options *options, uint64_t mask,
                         struct um_options_list *list)
{
    list->count = 0;
    for (int i = 0; i < options->suspects.count; i++)
        if (mask >> i & 1)
            list->items[list->count++] = options->suspects.items[i];
}

/* "A=1, B=1", cut to what fits; "none" without any. */
static void list_suspects(const struct um_options *options, uint64_t mask, char *line, size_t cap)
{
    size_t len = 0;
    snprintf(line, cap, "none");
    for (int i = 0; i < options->suspects.count && len + 80 < cap; i++)
        if (mask >> i & 1)
            len += (size_t)snprintf(line + len, cap - len, "%s%s", len > 0 ? ", " : "",
                                    um_utf8_show(options->suspects.items[i], 40).text);
}

/* Sittings ------------------------------------------------------------------------------------- */

static void fail(struct search *search, const char *line, enum um_exit_code code)
{
    search->code = um_output_fail(line, code);
}

/* Fills a step from the comparison of a measure, and prints the verdict. */
static void fill_step(const struct search *search, const struct um_bench_job *job,
                      const struct um_comparison *comparison,
                      const struct um_comparison_measure *measure, struct um_bisect_step *step)
{
    static const enum um_until_answer answers[UM_COMPARE_VERDICTS] = {
        [UM_COMPARE_NO_DIFFERENCE] = UM_UNTIL_CANNOT_TELL,
        [UM_COMPARE_FASTER] = UM_UNTIL_FASTER,
        [UM_COMPARE_SLOWER] = UM_UNTIL_SLOWER,
        [UM_COMPARE_SAME] = UM_UNTIL_SAME,
        [UM_COMPARE_TOO_FEW] = UM_UNTIL_CANNOT_TELL,
        [UM_COMPARE_MISSING] = UM_UNTIL_CANNOT_TELL,
    };
    const struct um_compare_result *result = &um_comparison_headline(measure)->result;
    bool has_ends = result->median.has_interval && result->median.has_share;
    char line[LINE_BYTES];

    step->answer = answers[result->verdict];
    step->pairs = job->sitting.pairs;
    step->share.estimate = result->median.share;
    step->share.low = has_ends ? result->median.share_low : -INFINITY;
    step->share.high = has_ends ? result->median.share_high : INFINITY;
    snprintf(line, sizeof line, "%s, after %lu pairs: %s", measure->name,
             (unsigned long)step->pairs, um_compare_format_verdict(comparison, measure).text);
    if (!search->options->quiet)
        um_output_note(line);
}

/* Takes the answer of a sitting from its comparison. */
static enum um_status take_answer(struct search *search, struct um_bench_job *job,
                                  struct um_bisect_step *step)
{
    struct um_results sides[2] = {{0}, {0}};
    struct um_comparison comparison = {0};
    char error[UM_OPTIONS_ERROR_BYTES] = "uimon: out of memory";
    char *text = um_bench_job_text(job, false);
    enum um_status status =
        text ? um_bench_job_compare(text, sides, &comparison, error, sizeof error) : UM_ERR_MEMORY;
    const struct um_comparison_measure *measure =
        status == UM_OK ? um_bench_job_deciding(job, &comparison) : NULL;

    if (measure && um_comparison_headline(measure)) {
        fill_step(search, job, &comparison, measure, step);
    } else if (status == UM_OK) {
        status = UM_ERR_NOT_FOUND;
        snprintf(error, sizeof error,
                 "uimon: bisect: %s%s was not measured; name another measure "
                 "with --measure",
                 search->options->measure ? "measure " : "what is to decide",
                 search->options->measure ? search->options->measure : "");
    }
    if (status != UM_OK)
        fail(search, error, UM_EXIT_FAILED);
    um_comparison_deinit(&comparison);
    um_results_deinit(&sides[0]);
    um_results_deinit(&sides[1]);
    cJSON_free(text);
    return status;
}

static enum um_status sit(struct search *search, struct um_bench_job *job,
                          struct um_bisect_step *step)
{
    char line[LINE_BYTES];
    enum um_status status = um_bench_job_open(job);

    if (status != UM_OK) {
        fail(search, "uimon: out of memory", UM_EXIT_FAILED);
        return status;
    }
    status = um_bench_job_run(job);
    if (status == UM_OK)
        return take_answer(search, job, step);
    snprintf(line, sizeof line, "uimon: %s: aborted: %s",
             um_utf8_show_path(search->options->files[0]).text,
             job->outcome.why[0] ? um_utf8_show(job->outcome.why, 200).text
                                 : um_status_text(status));
    fail(search, line, job->outcome.interrupted ? UM_EXIT_FAILED : um_output_exit_code(status));
    return status;
}

/* The options of a sitting: BEFORE has the suspects of one mask, AFTER those of the other. */
static void make_options(const struct um_options *options, const struct um_bisect_step *step,
                         struct um_options *out)
{
    *out = *options;
    out->command = UM_OPTIONS_BENCH;
    out->json = NULL;
    add_suspects(options, step->before, &out->before);
    add_suspects(options, step->after, &out->after);
}

static void say_step(const struct search *search, const struct um_bisect_step *step)
{
    char sides[2][LINE_BYTES];
    char line[3 * LINE_BYTES];
    list_suspects(search->options, step->before, sides[0], LINE_BYTES);
    list_suspects(search->options, step->after, sides[1], LINE_BYTES);
    snprintf(line, sizeof line, "step %lu: before: %s; after: %s",
             (unsigned long)search->found.step_count + 1, sides[0], sides[1]);
    if (!search->options->quiet)
        um_output_note(line);
}

static enum um_status ask(void *context, struct um_bisect_step *step)
{
    struct search *search = context;
    char error[UM_OPTIONS_ERROR_BYTES] = "uimon: out of memory";
    struct um_options options;
    struct um_bench_job *job = calloc(1, sizeof *job);

    if (!job) {
        fail(search, error, UM_EXIT_FAILED);
        return UM_ERR_MEMORY;
    }
    make_options(search->options, step, &options);
    job->alpha = UM_BISECT_ALPHA;
    job->one_measure = true;
    job->measure = search->options->measure;
    enum um_status status = um_bench_job_read(job, &options, error, sizeof error);
    if (status == UM_OK) {
        say_step(search, step);
        status = sit(search, job, step);
    } else {
        fail(search, error, status == UM_ERR_MEMORY ? UM_EXIT_FAILED : UM_EXIT_USAGE);
    }
    um_bench_job_close(job);
    free(job);
    return status;
}

/* The end -------------------------------------------------------------------------------------- */

static const char *const answer_names[] = {
    [UM_UNTIL_FASTER] = "faster",
    [UM_UNTIL_SLOWER] = "slower",
    [UM_UNTIL_SAME] = "the same",
    [UM_UNTIL_CANNOT_TELL] = "cannot tell",
};

static const char *const outcome_names[] = {
    [UM_BISECT_FOUND] = "found",
    [UM_BISECT_NONE] = "none costs",
    [UM_BISECT_FASTER] = "faster",
    [UM_BISECT_SHARED] = "shared",
    [UM_BISECT_CANNOT_TELL] = "cannot tell",
};

static void print_step(FILE *out, const struct um_options *options,
                       const struct um_bisect_step *step, size_t number)
{
    char before[LINE_BYTES], after[LINE_BYTES];
    list_suspects(options, step->before, before, sizeof before);
    list_suspects(options, step->after, after, sizeof after);
    fprintf(out, "step %lu: %s, %+.1f %%", (unsigned long)number, answer_names[step->answer],
            step->share.estimate * 100);
    if (fabs(step->share.low) < INFINITY && fabs(step->share.high) < INFINITY)
        fprintf(out, " (99 %% interval %+.1f %% to %+.1f %%)", step->share.low * 100,
                step->share.high * 100);
    fprintf(out, ", %lu pairs\n  before  %s\n  after   %s\n", (unsigned long)step->pairs, before,
            after);
}

/* Says in words what was found. */
static void print_outcome(FILE *out, const struct um_options *options,
                          const struct um_bisect *found)
{
    char left[LINE_BYTES];
    list_suspects(options, found->left, left, sizeof left);
    switch (found->outcome) {
    case UM_BISECT_FOUND:
        fprintf(out, "%s costs.\n", left);
        break;
    case UM_BISECT_NONE:
        fprintf(out, "All of them together cost less than %g %%: %s.\n", options->until_percent,
                left);
        break;
    case UM_BISECT_FASTER:
        fprintf(out, "All of them together make it faster: %s.\n", left);
        break;
    case UM_BISECT_SHARED:
        fprintf(out,
                "Both halves of these cost about as much, so it is not one alone: %s.\nSearch each "
                "half by itself.\n",
                left);
        break;
    case UM_BISECT_CANNOT_TELL:
        fprintf(out, "Cannot tell. Known so far: if one of them costs, it is one of these: %s.\n",
                left);
        break;
    }
}

static cJSON *names_of(const struct um_options *options, uint64_t mask)
{
    struct um_options_list list;
    add_suspects(options, mask, &list);
    return cJSON_CreateStringArray(list.items, list.count);
}

static void put_step(struct um_json *json, const struct um_options *options,
                     const struct um_bisect_step *step, cJSON *list)
{
    cJSON *object = um_json_append_object(json, list);
    um_json_put(json, object, "before", names_of(options, step->before));
    um_json_put(json, object, "after", names_of(options, step->after));
    um_json_text(json, object, "answer", answer_names[step->answer]);
    um_json_number(json, object, "pairs", step->pairs);
    um_json_number(json, object, "percent", step->share.estimate * 100);
    um_json_number(json, object, "percent_low", step->share.low * 100);
    um_json_number(json, object, "percent_high", step->share.high * 100);
}

/* Owner: cJSON_free. NULL without memory. */
static char *json_of(const struct um_options *options, const struct um_bisect *found)
{
    struct um_json json = {.failed = false};
    cJSON *root = cJSON_CreateObject();
    um_json_text(&json, root, "uimon", UM_VERSION);
    um_json_number(&json, root, "schema", SCHEMA);
    um_json_text(&json, root, "kind", "bisect");
    um_json_text(&json, root, "outcome", outcome_names[found->outcome]);
    um_json_put(&json, root, "left", names_of(options, found->left));
    cJSON *steps = um_json_array(&json, root, "steps");
    for (size_t i = 0; i < found->step_count && !json.failed; i++)
        put_step(&json, options, &found->steps[i], steps);
    return um_json_print(&json, root, true);
}

static int finish(const struct search *search)
{
    const struct um_options *options = search->options;
    const struct um_bisect *found = &search->found;
    FILE *out = um_output_is_stdout(options->json) ? stderr : stdout;
    bool known = found->outcome != UM_BISECT_CANNOT_TELL && found->outcome != UM_BISECT_SHARED;
    int code = search->code != UM_EXIT_DONE ? search->code
               : known                      ? (int)UM_EXIT_DONE
                                            : (int)UM_EXIT_CANNOT_TELL;

    if (code == UM_EXIT_USAGE && found->step_count == 0) /* nothing was run */
        return code;
    if (options->json) {
        char *text = json_of(options, found);
        if (!text || !um_output_write(options->json, "--json", text))
            code = UM_EXIT_FAILED;
        cJSON_free(text);
    }
    if (options->quiet)
        return code;
    for (size_t i = 0; i < found->step_count; i++)
        print_step(out, options, &found->steps[i], i + 1);
    print_outcome(out, options, found);
    fflush(out);
    return code;
}

int um_bisect_command_run(struct um_options *options)
{
    struct search search = {.options = options};
    const struct um_bisect_host host = {&search, ask};
    char error[UM_OPTIONS_ERROR_BYTES] = "";

    if (options->suspects.count < 2)
        return um_output_fail("uimon: bisect: give at least two settings to choose from, each with "
                              "--suspect NAME=VALUE",
                              UM_EXIT_USAGE);
    if (!um_output_can_write(options->json, "--json", error, sizeof error))
        return um_output_fail(error, UM_EXIT_FAILED);
    um_bisect_search(&host, (unsigned)options->suspects.count, &search.found);
    return finish(&search);
}
