#include "monitor/bench/bench_resume.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ipc/wire.h"
#include "base/crc32.h"
#include "base/platform.h"
#include "base/text_file.h"
#include "base/utf8.h"
#include "monitor/compare/results.h"
#include "monitor/json/json.h"

#define OPTIONS_BYTES 8192
#define CRC_BYTES 16
#define SEED_BYTES 24
#define MOST_DISCARDED 1000000

static void print_crc(uint32_t crc, char text[CRC_BYTES])
{
    snprintf(text, CRC_BYTES, "%08" PRIx32, crc);
}

enum um_status um_bench_resume_add_program(struct um_bench_job *job, const char *path)
{
    uint8_t bytes[16 * 1024];
    char text[CRC_BYTES] = "unread";
    FILE *file = fopen(path, "rb");
    uint32_t crc = 0;
    size_t len;

    while (file && (len = fread(bytes, 1, sizeof bytes, file)) > 0)
        crc = um_crc32(crc, bytes, len);
    if (file && !ferror(file))
        print_crc(crc, text);
    if (file)
        fclose(file);
    if (!job->programs)
        job->programs = cJSON_CreateArray();
    struct um_json json = {.failed = false};
    cJSON *program = um_json_append_object(&json, job->programs);
    um_json_any_text(&json, program, "path", path);
    um_json_any_text(&json, program, "crc32", text);
    return json.failed ? UM_ERR_MEMORY : UM_OK;
}

static void put_list(struct um_json *json, cJSON *object, const char *name,
                     const struct um_options_list *list)
{
    um_json_put(json, object, name, cJSON_CreateStringArray(list->items, list->count));
}

/* Puts the options that the configuration file may have, one a line of um_options_describe, and
 * then the others that matter. */
static void put_options(struct um_json *json, cJSON *root, const struct um_options *options)
{
    static char text[OPTIONS_BYTES];
    cJSON *object = um_json_object(json, root, "options");
    char *rest = text;

    um_options_describe(options, text, sizeof text);
    while (*rest) {
        char *line = rest;
        char *end = line + strcspn(line, "\n");
        rest = *end ? end + 1 : end;
        *end = '\0';
        char *value = strchr(line, '=');
        if (!value)
            continue;
        *value = '\0';
        um_json_any_text(json, object, line, value + 1);
    }
    um_json_number(json, object, "runs", options->runs);
    um_json_number(json, object, "rehearsals", options->rehearsals);
    um_json_number(json, object, "until", options->until_percent);
    um_json_bool(json, object, "layout", options->layout != UM_WIRE_LAYOUT_MODE_OFF);
    put_list(json, object, "define", &options->defines);
    put_list(json, object, "before", &options->before);
    put_list(json, object, "after", &options->after);
}

/* The seed is a text, because a JSON number cannot hold 64 bits. */
cJSON *um_bench_resume_object(const struct um_bench_job *job)
{
    char crc[CRC_BYTES], seed[SEED_BYTES];
    struct um_json json = {.failed = false};
    struct um_platform_machine machine;
    cJSON *root = cJSON_CreateObject();

    um_platform_machine(&machine);
    print_crc(job->crc32, crc);
    snprintf(seed, sizeof seed, "%016" PRIx64, job->seed);
    um_json_put(&json, root, "programs",
                job->programs ? cJSON_Duplicate(job->programs, 1) : cJSON_CreateArray());
    um_json_any_text(&json, root, "uimon", UM_VERSION);
    um_json_any_text(&json, root, "scenario", crc);
    cJSON *object = um_json_object(&json, root, "machine");
    um_json_any_text(&json, object, "name", machine.name);
    um_json_any_text(&json, object, "system", machine.system);
    um_json_number(&json, object, "cpus", machine.cpus);
    put_options(&json, root, job->options);
    um_json_any_text(&json, root, "seed", seed);
    um_json_number(&json, root, "finished", job->sitting.pairs);
    if (!json.failed)
        return root;
    cJSON_Delete(root);
    return NULL;
}

/* Reading -------------------------------------------------------------------------------------- */

/* What must be the same, and what to say if it is not: "its runs were made ...". */
static const struct {
    const char *name;
    const char *why;
} same[] = {
    {"scenario", "with another scenario"},
    {"programs", "with other programs, or other builds of them"},
    {"machine", "on another machine, or on another system"},
    {"uimon", "by another uimon"},
};

static const char *find_difference(const cJSON *old, const cJSON *now)
{
    static char why[96];
    const cJSON *options = um_json_member(now, "options");
    const cJSON *old_options = um_json_member(old, "options");
    const cJSON *option;

    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++)
        if (!cJSON_Compare(um_json_member(old, same[i].name), um_json_member(now, same[i].name),
                           true))
            return same[i].why;
    cJSON_ArrayForEach(option, options)
    {
        if (cJSON_Compare(option, um_json_member(old_options, option->string), true))
            continue;
        snprintf(why, sizeof why, "with another --%s", option->string);
        return why;
    }
    return cJSON_GetArraySize(options) == cJSON_GetArraySize(old_options) ? NULL
                                                                          : "with other options";
}

/* Removes "aborted" from results and makes them partial, so that results.c accepts them. */
static void forget_end(cJSON *root)
{
    cJSON_DeleteItemFromObjectCaseSensitive(root, "aborted");
    cJSON_DeleteItemFromObjectCaseSensitive(root, "partial_of");
    cJSON_AddNumberToObject(root, "partial_of", UM_RESULTS_RUNS);
}

static uint32_t count_of(const cJSON *root, const char *name, double most)
{
    double count = 0;
    um_json_member_number(root, name, most, &count);
    return (uint32_t)count;
}

/* Removes a last run that did not finish. Older files of one side do not say how many runs did: if
 * such a benchmark was aborted, its last run is removed. */
static void drop_unfinished(cJSON *root)
{
    const cJSON *resume = um_json_member(root, "resume");
    cJSON *runs = um_json_member(root, "runs");
    int count = cJSON_GetArraySize(runs);
    int finished = um_json_member(root, "aborted") ? count - 1 : count;

    if (um_json_member(resume, "finished"))
        finished = (int)count_of(resume, "finished", count);
    while (count > 0 && count > finished)
        cJSON_DeleteItemFromArray(runs, --count);
}

static enum um_status check_runs(const struct um_bench_job *job, const cJSON *root, char *error,
                                 size_t cap)
{
    const char *path = job->options->resume;
    struct um_results sides[2] = {{0}, {0}};
    char *text = cJSON_PrintUnformatted(root);
    enum um_status status = UM_ERR_MEMORY;

    if (!text)
        snprintf(error, cap, "uimon: out of memory");
    else if (job->sides == 1)
        status = um_results_add(&sides[0], text, strlen(text), path, error, cap);
    else
        status = um_results_read_pairs(sides, text, strlen(text), path, error, cap);
    cJSON_free(text);
    if (status == UM_OK && sides[0].runs >= job->options->runs) {
        snprintf(error, cap, "uimon: --resume %s: all of its runs were made, so none is left",
                 um_utf8_show_path(path).text);
        status = UM_ERR_ARG;
    }
    um_results_deinit(&sides[0]);
    um_results_deinit(&sides[1]);
    return status;
}

/* Reads runs, order and seed into the job, after check_runs. False without memory, or if the order
 * has not as many pairs as there are. */
static bool take(struct um_bench_job *job, const cJSON *root)
{
    static const char *const members[] = {"before", "after"};
    const cJSON *resume = um_json_member(root, "resume");
    const char *seed = um_json_member_text(resume, "seed");
    const cJSON *first;
    uint32_t pairs = 0;
    bool whole = seed != NULL;

    for (uint32_t i = 0; i < job->sides && whole; i++) {
        const cJSON *side = job->sides == 2 ? um_json_member(root, members[i]) : root;
        const cJSON *runs = um_json_member(side, "runs");
        const char *target = um_json_member_text(um_json_member(side, "target"), "name");
        um_utf8_fit(target ? target : "", UM_BENCH_JOB_NAME_BYTES / 4, job->side[i].target,
                    sizeof job->side[i].target);
        whole = um_bench_results_take(job->side[i].results, runs) == UM_OK;
    }
    cJSON_ArrayForEach(first, um_json_member(root, "order"))
    {
        if (pairs < UM_PAIRED_MOST && cJSON_IsString(first))
            job->sitting.after_first[pairs++] = strcmp(first->valuestring, "after") == 0;
    }
    job->sitting.pairs = um_bench_results_runs(job->side[0].results);
    job->sitting.discarded = count_of(root, "discarded", MOST_DISCARDED);
    job->seed = whole ? strtoull(seed, NULL, 16) : 0;
    return whole && (job->sides == 1 || pairs == job->sitting.pairs);
}

static enum um_status check(struct um_bench_job *job, cJSON *root, char *error, size_t cap)
{
    static const char *const members[] = {"before", "after"};
    struct um_utf8_shown path = um_utf8_show_path(job->options->resume);
    const cJSON *old = um_json_member(root, "resume");
    cJSON *now = um_bench_resume_object(job);
    const char *why = now && cJSON_IsObject(old) ? find_difference(old, now) : NULL;

    cJSON_Delete(now);
    if (!now || !cJSON_IsObject(old)) {
        snprintf(error, cap,
                 now ? "uimon: --resume %s: these are no results of a benchmark that "
                       "was broken off"
                     : "uimon: out of memory",
                 path.text);
        return now ? UM_ERR_ARG : UM_ERR_MEMORY;
    }
    if (why) {
        snprintf(error, cap,
                 "uimon: --resume %s: its runs were made %s, so the rest would not be the same "
                 "benchmark; begin anew, without --resume",
                 path.text, why);
        return UM_ERR_ARG;
    }
    drop_unfinished(root);
    forget_end(root);
    for (int i = 0; i < 2; i++)
        if (um_json_member(root, members[i]))
            forget_end(um_json_member(root, members[i]));
    return check_runs(job, root, error, cap);
}

enum um_status um_bench_resume_load(struct um_bench_job *job, char *error, size_t error_cap)
{
    const char *path = job->options->resume;
    char *text = NULL;
    size_t len = 0;

    enum um_status status =
        um_text_file_load(path, UM_RESULTS_FILE_BYTES, "a result", &text, &len, error, error_cap);
    if (status != UM_OK)
        return status;
    cJSON *root = cJSON_ParseWithLength(text, len);
    free(text);
    status = check(job, root, error, error_cap);
    if (status == UM_OK && !take(job, root)) {
        snprintf(error, error_cap, "uimon: --resume %s: its order of pairs does not fit its runs",
                 um_utf8_show_path(path).text);
        status = UM_ERR_FORMAT;
    }
    cJSON_Delete(root);
    return status;
}
