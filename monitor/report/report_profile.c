#include "monitor/report/report_profile.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/plain/clock.h"
#include "base/ns.h"
#include "base/utf8.h"
#include "monitor/json/json.h"
#include "monitor/report/slow_inputs.h"
#include "monitor/profile/headline.h"
#include "monitor/profile/mine.h"
#include "monitor/profile/unseen.h"
#include "monitor/profile/rows.h"

#define COLUMNS 80
#define ROWS 16
#define FREEZES 10      /* the longest, in the text */
#define INPUTS 5        /* the slowest, in the text */
#define THREADS 250     /* besides the UI thread; more are left out */
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
        bool is_outside = view.samples->entries[i].freeze == UM_SAMPLES_NO_FREEZE;
        in_freezes_ns += is_outside ? 0 : sample.cost.wall_ns;
        sum->outside += is_outside ? sample.cost.samples : 0;
    }
    sum->unsampled_ns = um_ns_elapsed(in_freezes_ns, sum->frozen_ns);
}

/* A thread besides the UI thread. */
struct thread {
    uint32_t id;
    struct um_calltree_cost cost;
    uint64_t gaps_ns; /* in which it ran for so long as the cost says */
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
        threads[at].gaps_ns += entry->gap_ns;
    }
    qsort(threads, count, sizeof *threads, by_work);
    return count;
}

/* The headline of a thread's samples; its text is "" if they have nothing in common. */
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
        um_mine_put(&mine, &stack);
        (void)um_stats_replace_stack(recorded->stats, &stack);
    }
    um_profiled_deinit(&profiled);
    return UM_OK;
}

/* At most 100: the system counts processor time in ticks, which can be more than a short time has
 * room for. A recording may also be made up. */
static unsigned percent(uint64_t part, uint64_t whole)
{
    if (part >= whole)
        return whole > 0 ? 100 : 0;
    return (unsigned)((double)part * 100 / (double)whole + 0.5);
}

/* Writes whose samples were; `head` says what the line is about. The time without samples is
 * `unsampled_ns` of `of_ns`. */
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

static enum um_status write_slow_inputs(FILE *out, const struct um_recorded *recorded,
                                        const struct um_profiled *profiled, const char *modules)
{
    char head[64];
    struct um_slow_inputs inputs;
    enum um_status status = um_slow_inputs_find(recorded, &profiled->view, modules, &inputs);
    if (status != UM_OK || inputs.count == 0)
        return status;
    snprintf(head, sizeof head, "slow inputs, %zu: ", inputs.count);
    write_whose(out, head, &inputs.all.mine, inputs.all.unsampled_ns, inputs.all.length_ns);
    for (size_t i = 0; i < inputs.listed && i < INPUTS; i++) {
        const struct um_slow_inputs_item *item = &inputs.list[i];
        snprintf(head, sizeof head, "%s at %.1f s, %.0f ms: ",
                 item->input->times.kind == UM_INTERACTION_WHEEL
                     ? "wheel step"
                     : um_wire_interaction_name(item->input->times.kind),
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
    um_unseen_write(&profiled->view, modules, INDENT, out);
    size_t at = freezes->len;
    for (uint32_t i = 0; i < FREEZES && i < freezes->len; i++) {
        at = um_stats_next_longest(freezes, at);
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
    (void)um_view_tree(&profiled->view, &tree); /* a line below the rows says what did not fit */
    status = um_rows_write(&tree, &profiled->functions, ROWS, COLUMNS, out);
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
    size_t count = list_threads(profiled->view.samples, threads);
    for (size_t i = 0; i < count && i < THREADS_SHOWN; i++) {
        struct um_headline headline;
        char line[TEXT_BYTES], fitted[TEXT_BYTES];
        uint64_t ran_ns = threads[i].cost.user_ns + threads[i].cost.kernel_ns;
        name_thread(profiled, threads[i].id, &headline);
        fputs(i == 0 ? "\n" : "", out);
        snprintf(line, sizeof line, "%s%s: %" PRIu64 " samples, ran %u %%%s%s",
                 i == 0 ? "  Threads    " : INDENT,
                 um_view_thread_label(&profiled->view, threads[i].id).text, threads[i].cost.samples,
                 percent(ran_ns, threads[i].gaps_ns), headline.text[0] != '\0' ? ", in " : "",
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
    if (options->only)
        um_unseen_write(&profiled.view, options->only, INDENT, out);
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

static void put_cpu(struct um_json *json, cJSON *object, const struct um_calltree_cost *cost)
{
    um_json_ms(json, object, "cpu_ms", cost->user_ns + cost->kernel_ns);
    um_json_ms(json, object, "user_ms", cost->user_ns);
    um_json_ms(json, object, "kernel_ms", cost->kernel_ns);
}

static void put_mine(struct um_json *json, cJSON *object, const struct um_mine *mine)
{
    cJSON *item = um_json_object(json, object, "mine");
    um_json_number(json, item, "yours", (double)mine->yours);
    um_json_number(json, item, "others", (double)mine->others);
    um_json_number(json, item, "unattributed", (double)mine->unattributed);
    um_json_ms(json, item, "yours_ms", mine->yours_ns);
    um_json_ms(json, item, "others_ms", mine->others_ns);
    um_json_ms(json, item, "unattributed_ms", mine->unattributed_ns);
    if (mine->yours + mine->others == 0)
        return;
    um_json_number(json, item, "effective_samples", round(mine->effective * 10) / 10);
    um_json_number(json, item, "low", mine->low);
    um_json_number(json, item, "high", mine->high);
}

static void put_sum(struct um_json *json, cJSON *object, const struct um_recorded *recorded,
                    const struct um_profiled *profiled, const struct um_options *options,
                    uint32_t place)
{
    struct um_report_profile_sum sum;
    struct um_view view = view_of(recorded, profiled, place);
    um_report_profile_add_up(recorded, profiled, place, &sum);
    um_json_number(json, object, "samples", (double)sum.cost.samples);
    um_json_number(json, object, "not_read_to_the_end", (double)sum.cut);
    um_json_number(json, object, "outside_of_freezes", (double)sum.outside);
    um_json_ms(json, object, "wall_ms", sum.cost.wall_ns);
    put_cpu(json, object, &sum.cost);
    um_json_ms(json, object, "unattributed_ms", sum.unsampled_ns);
    if (!options->mine)
        return;
    struct um_mine mine;
    um_mine_count(&view, options->mine, &mine);
    put_mine(json, object, &mine);
}

static void put_freezes(struct um_json *json, cJSON *object, const struct um_recorded *recorded,
                        const struct um_profiled *profiled, const struct um_options *options)
{
    const struct um_stats_freezes *freezes = um_stats_freezes(recorded->stats);
    cJSON *list = um_json_array(json, object, "freezes");
    for (size_t i = 0; i < freezes->len && !json->failed; i++) {
        struct um_report_profile_sum sum;
        um_report_profile_add_up(recorded, profiled, (uint32_t)i, &sum);
        if (sum.cost.samples == 0)
            continue;
        cJSON *item = um_json_append_object(json, list);
        um_json_number(json, item, "number", (double)(i + 1));
        put_sum(json, item, recorded, profiled, options, (uint32_t)i);
    }
}

static void put_slow_input(struct um_json *json, cJSON *list,
                           const struct um_slow_inputs_item *input)
{
    cJSON *item = um_json_append_object(json, list);
    um_json_text(json, item, "kind", um_wire_interaction_name(input->input->times.kind));
    um_json_ms(json, item, "start_ms", input->start_ns);
    um_json_ms(json, item, "length_ms", input->whose.length_ns);
    um_json_ms(json, item, "unattributed_ms", input->whose.unsampled_ns);
    put_mine(json, item, &input->whose.mine);
}

static void put_slow_inputs(struct um_json *json, cJSON *object, const struct um_recorded *recorded,
                            const struct um_profiled *profiled, const char *modules)
{
    struct um_slow_inputs inputs;
    json->failed |= um_slow_inputs_find(recorded, &profiled->view, modules, &inputs) != UM_OK;
    if (json->failed || inputs.count == 0)
        return;
    cJSON *item = um_json_object(json, object, "slow_inputs");
    um_json_number(json, item, "count", (double)inputs.count);
    um_json_ms(json, item, "length_ms", inputs.all.length_ns);
    um_json_ms(json, item, "unattributed_ms", inputs.all.unsampled_ns);
    put_mine(json, item, &inputs.all.mine);
    cJSON *list = um_json_array(json, item, "slowest");
    for (size_t i = 0; i < inputs.listed; i++)
        put_slow_input(json, list, &inputs.list[i]);
}

struct hot {
    uint32_t function;
    struct um_view_function cost;
};

static int by_time(const void *left, const void *right)
{
    const struct hot *a = left;
    const struct hot *b = right;
    if (a->cost.top.wall_ns != b->cost.top.wall_ns)
        return a->cost.top.wall_ns < b->cost.top.wall_ns ? 1 : -1;
    if (a->cost.all.wall_ns != b->cost.all.wall_ns)
        return a->cost.all.wall_ns < b->cost.all.wall_ns ? 1 : -1;
    return a->function < b->function ? -1 : a->function > b->function;
}

static void put_function(struct um_json *json, cJSON *list, const struct um_profiled *profiled,
                         const struct hot *hot)
{
    const struct um_functions_name *name = um_functions_get(&profiled->functions, hot->function);
    cJSON *item = um_json_append_object(json, list);
    um_json_text(json, item, "name", name->name);
    um_json_text(json, item, "module", name->module);
    um_json_text(json, item, "file", name->file);
    if (name->line > 0)
        um_json_number(json, item, "line", name->line);
    if (name->is_nearest)
        um_json_bool(json, item, "line_is_nearest", true);
    um_json_number(json, item, "samples", (double)hot->cost.all.samples);
    if (hot->cost.guessed > 0)
        um_json_number(json, item, "samples_guessed", (double)hot->cost.guessed);
    um_json_number(json, item, "self", (double)hot->cost.top.samples);
    um_json_ms(json, item, "wall_ms", hot->cost.all.wall_ns);
    um_json_ms(json, item, "self_ms", hot->cost.top.wall_ns);
    put_cpu(json, item, &hot->cost.all);
    um_json_number(json, item, "freezes", hot->cost.freezes);
}

static void put_threads(struct um_json *json, cJSON *object, const struct um_profiled *profiled)
{
    struct thread threads[THREADS];
    size_t count = list_threads(profiled->view.samples, threads);
    cJSON *list = count > 0 ? um_json_array(json, object, "threads") : NULL;
    for (size_t i = 0; i < count && !json->failed; i++) {
        struct um_headline headline;
        cJSON *item = um_json_append_object(json, list);
        name_thread(profiled, threads[i].id, &headline);
        um_json_number(json, item, "thread", threads[i].id);
        um_json_text(json, item, "name",
                     um_profile_thread_name(profiled->view.profile, threads[i].id));
        um_json_number(json, item, "samples", (double)threads[i].cost.samples);
        um_json_ms(json, item, "wall_ms", threads[i].cost.wall_ns);
        put_cpu(json, item, &threads[i].cost);
        um_json_text(json, item, "headline", headline.text);
    }
}

/* The hottest functions, by the time in themselves. */
static void put_functions(struct um_json *json, cJSON *object, const struct um_profiled *profiled)
{
    struct um_view_function *costs = NULL;
    size_t count = 0, used = 0;
    cJSON *list = um_json_array(json, object, "functions");
    json->failed |= um_view_functions(&profiled->view, &costs, &count) != UM_OK;
    struct hot *hot = json->failed ? NULL : calloc(count + 1, sizeof *hot);
    json->failed |= !hot;
    for (size_t i = 0; hot && i < count; i++)
        if (costs[i].all.samples > 0)
            hot[used++] = (struct hot){(uint32_t)i, costs[i]};
    if (used > 0)
        qsort(hot, used, sizeof *hot, by_time);
    for (size_t i = 0; i < used && i < UM_REPORT_PROFILE_FUNCTIONS && !json->failed; i++)
        put_function(json, list, profiled, &hot[i]);
    um_json_number(json, object, "functions_unlisted",
                   used > UM_REPORT_PROFILE_FUNCTIONS ? (double)(used - UM_REPORT_PROFILE_FUNCTIONS)
                                                      : 0);
    free(costs);
    free(hot);
}

enum um_status um_report_profile_json(struct cJSON *root, const struct um_recorded *recorded,
                                      const struct um_options *options)
{
    struct um_profiled profiled;
    struct um_json json = {.failed = false};
    uint64_t count = um_profile_samples(recorded->profile)->count;
    if (count == 0)
        return UM_OK;
    if (um_profiled_init(&profiled, recorded, options) != UM_OK)
        return UM_ERR_MEMORY;
    cJSON *object = um_json_object(&json, root, "profile");
    put_sum(&json, object, recorded, &profiled, options, UM_VIEW_ALL);
    um_json_number(&json, object, "samples_lost",
                   (double)(um_profile_sample_count(recorded->profile) - count));
    put_functions(&json, object, &profiled);
    put_freezes(&json, object, recorded, &profiled, options);
    if (options->mine)
        put_slow_inputs(&json, object, recorded, &profiled, options->mine);
    put_threads(&json, object, &profiled);
    um_profiled_deinit(&profiled);
    return json.failed ? UM_ERR_MEMORY : UM_OK;
}
