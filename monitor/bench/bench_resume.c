#include "monitor/bench/bench_resume.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ipc/wire.h"
#include "monitor/base/crc32.h"
#include "monitor/base/platform.h"
#include "monitor/base/text_file.h"
#include "monitor/base/utf8.h"
#include "monitor/compare/results.h"

#define OPTIONS_BYTES 8192
#define CRC_BYTES 16
#define SEED_BYTES 24
#define MOST_DISCARDED 1000000

static bool put_text(cJSON *object, const char *name, const char *text)
{
    return cJSON_AddStringToObject(object, name, text) != NULL;
}

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
    cJSON *program = cJSON_CreateObject();
    if (cJSON_AddItemToArray(job->programs, program))
        return put_text(program, "path", path) && put_text(program, "crc32", text) ? UM_OK
                                                                                   : UM_ERR_MEMORY;
    cJSON_Delete(program);
    return UM_ERR_MEMORY;
}

static bool put_list(cJSON *object, const char *name, const struct um_options_list *list)
{
    return cJSON_AddItemToObject(object, name, cJSON_CreateStringArray(list->items, list->count));
}

/* Puts what may stand in the configuration file too, line by line, and then the rest. */
static bool put_options(cJSON *root, const struct um_options *options)
{
    static char text[OPTIONS_BYTES];
    cJSON *object = cJSON_AddObjectToObject(root, "options");
    bool whole = object != NULL;
    char *rest = text;

    um_options_describe(options, text, sizeof text);
    while (whole && *rest) {
        char *line = rest;
        char *end = line + strcspn(line, "\n");
        rest = *end ? end + 1 : end;
        *end = '\0';
        char *value = strchr(line, '=');
        if (!value)
            continue;
        *value = '\0';
        whole = put_text(object, line, value + 1);
    }
    return whole && cJSON_AddNumberToObject(object, "runs", options->runs) &&
           cJSON_AddNumberToObject(object, "rehearsals", options->rehearsals) &&
           cJSON_AddNumberToObject(object, "until", options->until_percent) &&
           cJSON_AddNumberToObject(object, "prove", options->prove_percent) &&
           put_list(object, "define", &options->defines) &&
           put_list(object, "before", &options->before) &&
           put_list(object, "after", &options->after);
}

static bool put_machine(cJSON *root)
{
    struct um_platform_machine machine;
    cJSON *object = cJSON_AddObjectToObject(root, "machine");

    um_platform_machine(&machine);
    return object && put_text(object, "name", machine.name) &&
           put_text(object, "system", machine.system) &&
           cJSON_AddNumberToObject(object, "cpus", machine.cpus);
}

/* The seed is a text: no number in JSON has 64 bits. */
cJSON *um_bench_resume_object(const struct um_bench_job *job)
{
    char crc[CRC_BYTES], seed[SEED_BYTES];
    cJSON *root = cJSON_CreateObject();
    cJSON *programs = job->programs ? cJSON_Duplicate(job->programs, 1) : cJSON_CreateArray();
    bool whole = cJSON_AddItemToObject(root, "programs", programs);

    if (!whole)
        cJSON_Delete(programs);
    print_crc(job->crc32, crc);
    snprintf(seed, sizeof seed, "%016" PRIx64, job->seed);
    if (whole && put_text(root, "uimon", UM_VERSION) && put_text(root, "scenario", crc) &&
        put_machine(root) && put_options(root, job->options) && put_text(root, "seed", seed) &&
        cJSON_AddNumberToObject(root, "key_delay_us", job->delay_us) &&
        cJSON_AddNumberToObject(root, "finished", job->sitting.pairs))
        return root;
    cJSON_Delete(root);
    return NULL;
}

/* Reading -------------------------------------------------------------------------------------- */

/* The reasons not to go on, as the end of "its runs were made ...". */
static const struct {
    const char *member;
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
    const cJSON *options = cJSON_GetObjectItemCaseSensitive(now, "options");
    const cJSON *old_options = cJSON_GetObjectItemCaseSensitive(old, "options");
    const cJSON *option;

    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++)
        if (!cJSON_Compare(cJSON_GetObjectItemCaseSensitive(old, same[i].member),
                           cJSON_GetObjectItemCaseSensitive(now, same[i].member), true))
            return same[i].why;
    cJSON_ArrayForEach(option, options)
    {
        if (cJSON_Compare(option, cJSON_GetObjectItemCaseSensitive(old_options, option->string),
                          true))
            continue;
        snprintf(why, sizeof why, "with another --%s", option->string);
        return why;
    }
    return cJSON_GetArraySize(options) == cJSON_GetArraySize(old_options) ? NULL
                                                                          : "with other options";
}

/* Takes out why a benchmark was aborted, so that its runs are read as those of a partial file. */
static void forget_end(cJSON *root)
{
    cJSON_DeleteItemFromObjectCaseSensitive(root, "aborted");
    cJSON_DeleteItemFromObjectCaseSensitive(root, "partial_of");
    cJSON_AddNumberToObject(root, "partial_of", UM_RESULTS_RUNS);
}

static uint32_t count_of(const cJSON *root, const char *member, double most)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(root, member);
    bool sound = cJSON_IsNumber(item) && item->valuedouble >= 0 && item->valuedouble <= most;
    return sound ? (uint32_t)item->valuedouble : 0;
}

/* Takes out what was measured of a run that did not finish, which a file of one side has at its
 * end. Older files do not say how many runs finished: of an aborted one, the last is taken out. */
static void drop_unfinished(cJSON *root)
{
    const cJSON *resume = cJSON_GetObjectItemCaseSensitive(root, "resume");
    cJSON *runs = cJSON_GetObjectItemCaseSensitive(root, "runs");
    int count = cJSON_GetArraySize(runs);
    int finished = cJSON_GetObjectItemCaseSensitive(root, "aborted") ? count - 1 : count;

    if (cJSON_GetObjectItemCaseSensitive(resume, "finished"))
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

/* Takes over the runs, after check_runs. False without memory, or for an order that does not
 * fit. */
static bool take(struct um_bench_job *job, const cJSON *root)
{
    static const char *const members[] = {"before", "after"};
    const cJSON *resume = cJSON_GetObjectItemCaseSensitive(root, "resume");
    const char *seed = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(resume, "seed"));
    const cJSON *first;
    uint32_t pairs = 0;
    bool whole = seed != NULL;

    for (uint32_t i = 0; i < job->sides && whole; i++) {
        const cJSON *side =
            job->sides == 2 ? cJSON_GetObjectItemCaseSensitive(root, members[i]) : root;
        const cJSON *runs = cJSON_GetObjectItemCaseSensitive(side, "runs");
        const char *target = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(
            cJSON_GetObjectItemCaseSensitive(side, "target"), "name"));
        um_utf8_fit(target ? target : "", UM_BENCH_JOB_NAME_BYTES / 4, job->side[i].target,
                    sizeof job->side[i].target);
        whole = um_bench_results_take(job->side[i].results, runs) == UM_OK;
    }
    cJSON_ArrayForEach(first, cJSON_GetObjectItemCaseSensitive(root, "order"))
    {
        if (pairs < UM_PAIRED_MOST && cJSON_IsString(first))
            job->sitting.after_first[pairs++] = strcmp(first->valuestring, "after") == 0;
    }
    job->sitting.pairs = um_bench_results_runs(job->side[0].results);
    job->sitting.discarded = count_of(root, "discarded", MOST_DISCARDED);
    job->delay_us = count_of(resume, "key_delay_us", UM_WIRE_KEY_DELAY_MAX_US);
    job->seed = whole ? strtoull(seed, NULL, 16) : 0;
    return whole && (job->sides == 1 || pairs == job->sitting.pairs);
}

static enum um_status check(struct um_bench_job *job, cJSON *root, char *error, size_t cap)
{
    static const char *const members[] = {"before", "after"};
    struct um_utf8_shown path = um_utf8_show_path(job->options->resume);
    const cJSON *old = cJSON_GetObjectItemCaseSensitive(root, "resume");
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
        if (cJSON_GetObjectItemCaseSensitive(root, members[i]))
            forget_end(cJSON_GetObjectItemCaseSensitive(root, members[i]));
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
