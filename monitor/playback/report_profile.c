#include "monitor/playback/report_profile.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "ipc/clock.h"
#include "monitor/base/ns.h"
#include "monitor/base/utf8.h"
#include "monitor/playback/slow_inputs.h"
#include "monitor/profile/export.h"
#include "monitor/profile/headline.h"
#include "monitor/profile/mine.h"
#include "monitor/profile/rows.h"

#define COLUMNS 80
#define ROWS 16
#define FREEZES 10      /* the longest, in the text */
#define INPUTS 5        /* the slowest, in the text */
#define THREADS 250     /* besides the UI thread, that are told apart */
#define THREADS_SHOWN 8 /* in the text: those with the most CPU time */
#define INDENT "             "
#define TEXT_BYTES (4 * UM_FUNCTIONS_TEXT)

static uint64_t freezes_ns(const struct um_recorded *recorded, uint32_t place)
{
    const struct um_stats_freezes *freezes = um_stats_freezes(recorded->stats);
    return place == UM_VIEW_ALL ? freezes->total_ns : freezes->list[place].duration_ns;
}

/* The view of one freeze, or of all samples. */
static struct um_view view_of(const struct um_recorded *recorded,
                              const struct um_profiled *profiled, uint32_t place)
{
    struct um_view view = profiled->view;
    if (place != UM_VIEW_ALL)
        view.freeze = um_stats_freezes(recorded->stats)->list[place].id;
    return view;
}

void um_report_profile_add_up(const struct um_recorded *recorded,
                              const struct um_profiled *profiled, uint32_t place,
                              struct um_report_profile_sum *sum)
{
    struct um_calltree_frame frames[UM_CALLTREE_DEPTH];
    struct um_calltree_sample sample;
    struct um_view view = view_of(recorded, profiled, place);
    uint64_t in_freezes_ns = 0;
    *sum = (struct um_report_profile_sum){.frozen_ns = freezes_ns(recorded, place)};
    for (size_t i = 0; i < view.samples->count; i++) {
        if (!um_view_sample(&view, i, frames, &sample))
            continue;
        um_calltree_sum(&sum->cost, &sample.cost);
        sum->cut += sample.cut ? sample.cost.samples : 0;
        bool is_outside = sample.freeze == UM_CALLTREE_NO_FREEZE;
        in_freezes_ns += is_outside ? 0 : sample.cost.wall_ns;
        sum->outside += is_outside ? sample.cost.samples : 0;
    }
    sum->unsampled_ns = um_ns_elapsed(in_freezes_ns, sum->frozen_ns);
}

/* A thread besides the UI thread. */
struct thread {
    uint32_t id;
    struct um_calltree_cost cost;
};

/* Those that ran longest come first, and among equals those with the most samples. */
static int by_work(const void *left, const void *right)
{
    const struct thread *a = left, *b = right;
    uint64_t ran[2] = {a->cost.user_ns + a->cost.kernel_ns, b->cost.user_ns + b->cost.kernel_ns};
    if (ran[0] != ran[1])
        return ran[0] < ran[1] ? 1 : -1;
    if (a->cost.samples != b->cost.samples)
        return a->cost.samples < b->cost.samples ? 1 : -1;
    return a->id < b->id ? -1 : a->id > b->id;
}

/* The other threads that were sampled. Returns how many. */
static size_t list_threads(const struct um_samples *samples, struct thread threads[THREADS])
{
    size_t count = 0;
    for (size_t i = 0; i < samples->count; i++) {
        const struct um_samples_entry *entry = &samples->entries[i];
        size_t at = 0;
        while (at < count && threads[at].id != entry->thread)
            at++;
        if (!entry->is_other || at == THREADS)
            continue;
        if (at == count)
            threads[count++] = (struct thread){.id = entry->thread};
        um_calltree_sum(&threads[at].cost, &entry->cost);
    }
    qsort(threads, count, sizeof *threads, by_work);
    return count;
}

/* What is common to at least half of a thread's samples: "" if nothing is. */
static void name_thread(const struct um_profiled *profiled, uint32_t thread,
                        struct um_headline *headline)
{
    struct um_view view = profiled->view;
    view.thread = thread;
    view.only = view.hide = NULL;
    if (um_headline_make(&view, NULL, headline) != UM_OK)
        *headline = (struct um_headline){.text = ""};
}

enum um_status um_report_profile_whose(struct um_recorded *recorded,
                                       const struct um_options *options)
{
    const struct um_stats_stacks *stacks = um_stats_stacks(recorded->stats);
    struct um_profiled profiled;

    if (!options->mine || um_profile_samples(recorded->profile)->count == 0)
        return UM_OK;
    if (um_profiled_init(&profiled, recorded, options) != UM_OK)
        return UM_ERR_MEMORY;
    for (size_t i = 0; i < stacks->len; i++) {
        struct um_wire_stack stack = stacks->list[i].stack;
        struct um_view view = profiled.view;
        struct um_mine mine;
        view.freeze = stack.freeze;
        um_mine_count(&view, options->mine, &mine);
        um_mine_tell(&mine, &stack);
        (void)um_stats_replace_stack(recorded->stats, &stack);
    }
    um_profiled_deinit(&profiled);
    return UM_OK;
}

/* Text ----------------------------------------------------------------------------------------- */

/* At most 100: the system counts processor time in ticks, of which a short time may have more than
 * fit into it; and a recording may be made up. */
static unsigned percent(uint64_t part, uint64_t whole)
{
    if (part >= whole)
        return whole > 0 ? 100 : 0;
    return (unsigned)((double)part * 100 / (double)whole + 0.5);
}

/* A line; `head` says of what. The time is what no sample stands for, of all. */
static void write_whose(FILE *out, const char *head, const struct um_mine *mine,
                        uint64_t unsampled_ns, uint64_t of_ns)
{
    char time[64];
    char text[128];
    um_mine_text(mine, text, sizeof text);
    snprintf(time, sizeof time, "%u %% of the time unattributed", percent(unsampled_ns, of_ns));
    bool fits = strlen(INDENT) + strlen(head) + strlen(text) + 2 + strlen(time) <= COLUMNS;
    fprintf(out, INDENT "%s%s%s%s\n", head, text, fits ? "; " : ";\n" INDENT "  ", time);
}

/* The line of a freeze, or of all samples; `head` says which. */
static void write_mine(FILE *out, const struct um_recorded *recorded,
                       const struct um_profiled *profiled, const char *modules, const char *head,
                       uint32_t place)
{
    struct um_view view = view_of(recorded, profiled, place);
    struct um_report_profile_sum sum;
    struct um_mine mine;
    um_mine_count(&view, modules, &mine);
    um_report_profile_add_up(recorded, profiled, place, &sum);
    write_whose(out, head, &mine, sum.unsampled_ns, sum.frozen_ns);
}

/* The place in the list of the freeze that follows the one at `after` in the order of length; the
 * list's length as `after` asks for the longest. */
static size_t next_longest(const struct um_stats_freezes *freezes, size_t after)
{
    size_t best = freezes->len;
    for (size_t i = 0; i < freezes->len; i++) {
        uint64_t length_ns = freezes->list[i].duration_ns;
        bool follows = after == freezes->len || length_ns < freezes->list[after].duration_ns ||
                       (i > after && length_ns == freezes->list[after].duration_ns);
        if (follows && (best == freezes->len || length_ns > freezes->list[best].duration_ns))
            best = i;
    }
    return best;
}

static enum um_status write_slow_inputs(FILE *out, const struct um_recorded *recorded,
                                        const struct um_profiled *profiled, const char *modules)
{
    static const char *const kinds[UM_INTERACTION_COUNT] = {[UM_INTERACTION_KEY] = "key",
                                                            [UM_INTERACTION_CLICK] = "click",
                                                            [UM_INTERACTION_WHEEL] = "wheel step"};
    char head[64];
    struct um_slow_inputs inputs;
    enum um_status status = um_slow_inputs_find(recorded, &profiled->view, modules, &inputs);
    if (status != UM_OK || inputs.count == 0)
        return status;
    snprintf(head, sizeof head, "slow inputs, %zu: ", inputs.count);
    write_whose(out, head, &inputs.all.mine, inputs.all.unsampled_ns, inputs.all.length_ns);
    for (size_t i = 0; i < inputs.listed && i < INPUTS; i++) {
        const struct um_slow_inputs_item *item = &inputs.list[i];
        snprintf(head, sizeof head, "%s at %.1f s, %.0f ms: ", kinds[item->input->times.kind],
                 (double)item->start_ns / (double)UM_CLOCK_NS_PER_S,
                 (double)item->whose.length_ns / (double)UM_CLOCK_NS_PER_MS);
        write_whose(out, head, &item->whose.mine, item->whose.unsampled_ns, item->whose.length_ns);
    }
    if (inputs.count > INPUTS)
        fprintf(out, INDENT "and %zu more slow inputs\n", inputs.count - INPUTS);
    return UM_OK;
}

static enum um_status write_all_mine(FILE *out, const struct um_recorded *recorded,
                                     const struct um_profiled *profiled, const char *modules)
{
    const struct um_stats_freezes *freezes = um_stats_freezes(recorded->stats);
    char shown[TEXT_BYTES];
    um_utf8_fit(modules, COLUMNS - 21, shown, sizeof shown);
    fprintf(out, "  Yours      modules %s\n", shown);
    write_mine(out, recorded, profiled, modules, "all samples: ", UM_VIEW_ALL);
    size_t at = freezes->len;
    for (uint32_t i = 0; i < FREEZES && i < freezes->len; i++) {
        at = next_longest(freezes, at);
        char head[64];
        snprintf(head, sizeof head, "freeze %zu, %.0f ms: ", at + 1,
                 (double)freezes->list[at].duration_ns / (double)UM_CLOCK_NS_PER_MS);
        write_mine(out, recorded, profiled, modules, head, (uint32_t)at);
    }
    if (freezes->len > FREEZES)
        fprintf(out, INDENT "and %zu more freezes\n", freezes->len - FREEZES);
    return write_slow_inputs(out, recorded, profiled, modules);
}

static enum um_status write_tree(FILE *out, const struct um_profiled *profiled)
{
    struct um_calltree tree;
    enum um_status status = um_calltree_init(&tree, 0);
    if (status != UM_OK)
        return status;
    (void)um_view_tree(&profiled->view, &tree); /* what did not fit is told below the rows */
    status = um_rows_write(&tree, &profiled->functions, UM_ROWS_SAMPLES, ROWS, COLUMNS, out);
    um_calltree_deinit(&tree);
    return status;
}

/* Whether any function is left in the view. */
static bool shows_something(const struct um_view *view)
{
    struct um_calltree_frame frames[UM_CALLTREE_DEPTH];
    struct um_calltree_sample sample;
    for (size_t i = 0; i < view->samples->count; i++)
        if (um_view_sample(view, i, frames, &sample) && sample.frame_count > 0)
            return true;
    return false;
}

static void write_threads(FILE *out, const struct um_profiled *profiled)
{
    struct thread threads[THREADS];
    struct um_export export = {.view = profiled->view};
    size_t count = list_threads(profiled->view.samples, threads);
    for (size_t i = 0; i < count && i < THREADS_SHOWN; i++) {
        struct um_headline headline;
        char line[TEXT_BYTES], fitted[TEXT_BYTES];
        uint64_t ran_ns = threads[i].cost.user_ns + threads[i].cost.kernel_ns;
        name_thread(profiled, threads[i].id, &headline);
        fputs(i == 0 ? "\n" : "", out);
        snprintf(line, sizeof line, "%s%s: %" PRIu64 " samples, ran %u %%%s%s",
                 i == 0 ? "  Threads    " : INDENT,
                 um_export_thread_label(&export, threads[i].id).text, threads[i].cost.samples,
                 percent(ran_ns, threads[i].cost.wall_ns), headline.text[0] != '\0' ? ", in " : "",
                 headline.text);
        um_utf8_fit(line, COLUMNS, fitted, sizeof fitted);
        fprintf(out, "%s\n", fitted);
    }
    if (count > THREADS_SHOWN)
        fprintf(out, INDENT "and %zu more\n", count - THREADS_SHOWN);
}

static void write_head(FILE *out, const struct um_recorded *recorded,
                       const struct um_profiled *profiled)
{
    struct um_report_profile_sum sum;
    um_report_profile_add_up(recorded, profiled, UM_VIEW_ALL, &sum);
    fprintf(out, "\n  Stacks     %" PRIu64 " samples", sum.cost.samples);
    if (sum.outside > 0)
        fprintf(out, ", %" PRIu64 " of them outside of freezes", sum.outside);
    if (sum.cut > 0)
        fprintf(out, ", %" PRIu64 " of them not read to their outer end", sum.cut);
    fputc('\n', out);
    if (sum.frozen_ns > 0)
        fprintf(out,
                INDENT "%u %% of the time in freezes is unattributed: no sample stands for it\n",
                percent(sum.unsampled_ns, sum.frozen_ns));
}

enum um_status um_report_profile_text(FILE *out, const struct um_recorded *recorded,
                                      const struct um_options *options)
{
    struct um_profiled profiled;
    if (um_profile_samples(recorded->profile)->count == 0)
        return UM_OK;
    enum um_status status = um_profiled_init(&profiled, recorded, options);
    if (status != UM_OK)
        return status;
    write_head(out, recorded, &profiled);
    bool is_asked = options->only || options->hide;
    if (!is_asked) {
        profiled.view.hide = um_headline_system;
        if (!shows_something(&profiled.view))
            profiled.view.hide = NULL;
        else
            fputs(INDENT "without the system's functions; --hide= shows them too\n", out);
    }
    fputc('\n', out);
    status = write_tree(out, &profiled);
    write_threads(out, &profiled);
    if (status == UM_OK && options->mine) {
        fputc('\n', out);
        status = write_all_mine(out, recorded, &profiled, options->mine);
    }
    um_profiled_deinit(&profiled);
    return status == UM_OK && (fflush(out) != 0 || ferror(out)) ? UM_ERR_IO : status;
}

/* JSON ----------------------------------------------------------------------------------------- */

struct json {
    bool failed; /* there was no memory somewhere */
};

static void put_number(struct json *json, cJSON *object, const char *name, double value)
{
    json->failed |= !cJSON_AddNumberToObject(object, name, value);
}

static void put_ms(struct json *json, cJSON *object, const char *name, uint64_t ns)
{
    put_number(json, object, name, round((double)ns / 1000) / 1000);
}

static void put_text(struct json *json, cJSON *object, const char *name, const char *text)
{
    char mended[TEXT_BYTES];
    if (text[0] == '\0')
        return;
    if (!um_utf8_valid(text, strlen(text))) {
        (void)um_utf8_fit(text, SIZE_MAX, mended, sizeof mended);
        text = mended;
    }
    json->failed |= !cJSON_AddStringToObject(object, name, text);
}

static void put_mine(struct json *json, cJSON *object, const struct um_mine *mine)
{
    cJSON *item = cJSON_AddObjectToObject(object, "mine");
    json->failed |= !item;
    put_number(json, item, "yours", (double)mine->yours);
    put_number(json, item, "others", (double)mine->others);
    put_number(json, item, "unattributed", (double)mine->unattributed);
    if (mine->yours + mine->others == 0)
        return;
    put_number(json, item, "low", mine->low);
    put_number(json, item, "high", mine->high);
}

static void put_sum(struct json *json, cJSON *object, const struct um_recorded *recorded,
                    const struct um_profiled *profiled, const struct um_options *options,
                    uint32_t place)
{
    struct um_report_profile_sum sum;
    struct um_view view = view_of(recorded, profiled, place);
    um_report_profile_add_up(recorded, profiled, place, &sum);
    put_number(json, object, "samples", (double)sum.cost.samples);
    put_number(json, object, "not_read_to_the_end", (double)sum.cut);
    put_number(json, object, "outside_of_freezes", (double)sum.outside);
    put_ms(json, object, "wall_ms", sum.cost.wall_ns);
    put_ms(json, object, "cpu_ms", sum.cost.user_ns + sum.cost.kernel_ns);
    put_ms(json, object, "unattributed_ms", sum.unsampled_ns);
    if (!options->mine)
        return;
    struct um_mine mine;
    um_mine_count(&view, options->mine, &mine);
    put_mine(json, object, &mine);
}

static void put_freezes(struct json *json, cJSON *object, const struct um_recorded *recorded,
                        const struct um_profiled *profiled, const struct um_options *options)
{
    const struct um_stats_freezes *freezes = um_stats_freezes(recorded->stats);
    cJSON *list = cJSON_AddArrayToObject(object, "freezes");
    for (size_t i = 0; i < freezes->len && !json->failed; i++) {
        struct um_report_profile_sum sum;
        um_report_profile_add_up(recorded, profiled, (uint32_t)i, &sum);
        if (sum.cost.samples == 0)
            continue;
        cJSON *item = cJSON_CreateObject();
        put_number(json, item, "number", (double)(i + 1));
        put_sum(json, item, recorded, profiled, options, (uint32_t)i);
        json->failed |= !cJSON_AddItemToArray(list, item);
    }
}

static void put_slow_input(struct json *json, cJSON *list, const struct um_slow_inputs_item *input)
{
    cJSON *item = cJSON_CreateObject();
    put_text(json, item, "kind", um_wire_interaction_name(input->input->times.kind));
    put_ms(json, item, "start_ms", input->start_ns);
    put_ms(json, item, "length_ms", input->whose.length_ns);
    put_ms(json, item, "unattributed_ms", input->whose.unsampled_ns);
    put_mine(json, item, &input->whose.mine);
    json->failed |= !cJSON_AddItemToArray(list, item);
}

static void put_slow_inputs(struct json *json, cJSON *object, const struct um_recorded *recorded,
                            const struct um_profiled *profiled, const char *modules)
{
    struct um_slow_inputs inputs;
    json->failed |= um_slow_inputs_find(recorded, &profiled->view, modules, &inputs) != UM_OK;
    if (json->failed || inputs.count == 0)
        return;
    cJSON *item = cJSON_AddObjectToObject(object, "slow_inputs");
    put_number(json, item, "count", (double)inputs.count);
    put_ms(json, item, "length_ms", inputs.all.length_ns);
    put_ms(json, item, "unattributed_ms", inputs.all.unsampled_ns);
    put_mine(json, item, &inputs.all.mine);
    cJSON *list = cJSON_AddArrayToObject(item, "slowest");
    for (size_t i = 0; i < inputs.listed; i++)
        put_slow_input(json, list, &inputs.list[i]);
}

struct hot {
    uint32_t function;
    struct um_view_function cost;
};

static int by_samples(const void *left, const void *right)
{
    const struct hot *a = left;
    const struct hot *b = right;
    if (a->cost.top.samples != b->cost.top.samples)
        return a->cost.top.samples < b->cost.top.samples ? 1 : -1;
    if (a->cost.all.samples != b->cost.all.samples)
        return a->cost.all.samples < b->cost.all.samples ? 1 : -1;
    return a->function < b->function ? -1 : a->function > b->function;
}

static cJSON *make_function(struct json *json, const struct um_profiled *profiled,
                            const struct hot *hot)
{
    const struct um_functions_name *name = um_functions_get(&profiled->functions, hot->function);
    cJSON *item = cJSON_CreateObject();
    put_text(json, item, "name", name->name);
    put_text(json, item, "module", name->module);
    put_text(json, item, "file", name->file);
    if (name->line > 0)
        put_number(json, item, "line", name->line);
    put_number(json, item, "samples", (double)hot->cost.all.samples);
    put_number(json, item, "self", (double)hot->cost.top.samples);
    put_ms(json, item, "wall_ms", hot->cost.all.wall_ns);
    put_ms(json, item, "cpu_ms", hot->cost.all.user_ns + hot->cost.all.kernel_ns);
    put_number(json, item, "freezes", hot->cost.freezes);
    return item;
}

static void put_threads(struct json *json, cJSON *object, const struct um_profiled *profiled)
{
    struct thread threads[THREADS];
    size_t count = list_threads(profiled->view.samples, threads);
    cJSON *list = count > 0 ? cJSON_AddArrayToObject(object, "threads") : NULL;
    for (size_t i = 0; i < count && !json->failed; i++) {
        struct um_headline headline;
        cJSON *item = cJSON_CreateObject();
        name_thread(profiled, threads[i].id, &headline);
        put_number(json, item, "thread", threads[i].id);
        put_text(json, item, "name", um_profile_thread_name(profiled->view.profile, threads[i].id));
        put_number(json, item, "samples", (double)threads[i].cost.samples);
        put_ms(json, item, "wall_ms", threads[i].cost.wall_ns);
        put_ms(json, item, "cpu_ms", threads[i].cost.user_ns + threads[i].cost.kernel_ns);
        put_text(json, item, "headline", headline.text);
        json->failed |= !cJSON_AddItemToArray(list, item);
    }
}

/* The hottest functions, by the samples in themselves. */
static void put_functions(struct json *json, cJSON *object, const struct um_profiled *profiled)
{
    struct um_view_function *costs = NULL;
    size_t count = 0, used = 0;
    cJSON *list = cJSON_AddArrayToObject(object, "functions");
    json->failed |= um_view_functions(&profiled->view, &costs, &count) != UM_OK;
    struct hot *hot = json->failed ? NULL : calloc(count + 1, sizeof *hot);
    json->failed |= !hot;
    for (size_t i = 0; hot && i < count; i++)
        if (costs[i].all.samples > 0)
            hot[used++] = (struct hot){(uint32_t)i, costs[i]};
    if (used > 0)
        qsort(hot, used, sizeof *hot, by_samples);
    for (size_t i = 0; i < used && i < UM_REPORT_PROFILE_FUNCTIONS && !json->failed; i++) {
        cJSON *item = make_function(json, profiled, &hot[i]);
        json->failed |= !cJSON_AddItemToArray(list, item);
    }
    put_number(json, object, "functions_unlisted",
               used > UM_REPORT_PROFILE_FUNCTIONS ? (double)(used - UM_REPORT_PROFILE_FUNCTIONS)
                                                  : 0);
    free(costs);
    free(hot);
}

enum um_status um_report_profile_json(struct cJSON *root, const struct um_recorded *recorded,
                                      const struct um_options *options)
{
    struct um_profiled profiled;
    struct json json = {.failed = false};
    uint64_t count = um_profile_samples(recorded->profile)->count;
    if (count == 0)
        return UM_OK;
    if (um_profiled_init(&profiled, recorded, options) != UM_OK)
        return UM_ERR_MEMORY;
    cJSON *object = cJSON_AddObjectToObject(root, "profile");
    json.failed |= !object;
    put_sum(&json, object, recorded, &profiled, options, UM_VIEW_ALL);
    put_number(&json, object, "samples_lost", (double)(um_profile_told(recorded->profile) - count));
    put_functions(&json, object, &profiled);
    put_freezes(&json, object, recorded, &profiled, options);
    if (options->mine)
        put_slow_inputs(&json, object, recorded, &profiled, options->mine);
    put_threads(&json, object, &profiled);
    um_profiled_deinit(&profiled);
    return json.failed ? UM_ERR_MEMORY : UM_OK;
}
