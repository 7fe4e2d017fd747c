#include "monitor/report/report_stacks.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/plain/clock.h"
#include "base/list.h"
#include "base/pack.h"
#include "base/utf8.h"
#include "ipc/wire.h"
#include "monitor/json/json.h"
#include "monitor/stats/wait_text.h"
#include "monitor/recorded/profiled.h"
#include "monitor/report/sources.h"
#include "base/intern.h"
#include "monitor/profile/mine.h"
#include "monitor/profile/unseen.h"

#define NAME_COLUMNS 300 /* of a function; a path has up to 1,023 bytes */
#define TEXT_BYTES (4 * UM_FUNCTIONS_TEXT)
#define NONE UINT32_MAX
#define THREADS 1024 /* besides the UI thread; others share one place */

/* Where an address lies. */
struct frame {
    uint32_t function; /* of the page */
    uint32_t file;     /* NONE: not known */
    uint32_t line;     /* 0: not known */
    bool is_nearest;   /* the line */
    bool is_guess;     /* that it is in the stack at all */
};

/* What a node of the profile is here; guesses are those of a sample that was in it. */
struct known {
    uint64_t guessed;
    uint32_t
        node; /* 1 + (its node here << 1 | whether the innermost frames are left out); 0: none */
};

struct path {
    const char *text;     /* the profile's */
    const char *checksum; /* the same; "" of a module */
    uint32_t last_line;
};

/* Paths of modules or of files, each once. Files of one path with two checksums are two: of two
 * modules that were built at the same place. */
struct paths {
    struct path *list;
    size_t count, cap;
    struct um_intern by_text;
};

struct stacks {
    const struct um_recorded *recorded;
    const struct um_options *options;
    struct um_profiled profiled;
    cJSON *modules, *functions; /* lists; the owner is the page's data */
    size_t text_left;           /* bytes that names may still take */

    uint32_t *function_of; /* of each function of the profile: its place in `functions` + 1 */
    size_t function_cap;
    uint32_t function_count;
    struct paths module_paths, files;

    struct frame *frames;
    size_t frame_count, frame_cap;
    struct um_intern by_frame;

    struct um_calltree tree; /* keys are places in `frames` */
    struct known *known;     /* of each node of the profile, for the sample in it that came last */
    uint32_t *node_of;       /* of each sample, as struct known has it */
    uint32_t threads[THREADS]; /* besides the UI thread */
    uint32_t thread_count;
    bool has_more_threads;
    struct um_json json;
};

/* Makes room for one more than `count`, zeroed. `array_at` as um_list_reserve has it. */
static bool grow(struct stacks *stacks, void *array_at, size_t *cap, size_t count, size_t size)
{
    bool has_room = um_list_reserve(array_at, cap, count + 1, SIZE_MAX, size);
    stacks->json.failed |= !has_room;
    return has_room;
}

/* A text as the page shows it. */
static cJSON *make_text(const char *text, size_t columns)
{
    char fitted[TEXT_BYTES];
    (void)um_utf8_fit(text, columns, fitted, sizeof fitted);
    return cJSON_CreateString(fitted);
}

/* Whether the page has room for a name: at most so many bytes stand for it there. */
static bool has_room(struct stacks *stacks, const char *text)
{
    size_t bytes = 16;
    for (; *text; text++)
        bytes += *text == '<' ? 6 : *text == '"' || *text == '\\' || *text < ' ' ? 3 : 1;
    if (bytes > stacks->text_left)
        return false;
    stacks->text_left -= bytes;
    return true;
}

struct wanted {
    const struct paths *paths;
    const char *text;
    const char *checksum;
    const struct stacks *stacks;
    struct frame frame;
};

static bool is_path(const void *context, uint32_t index)
{
    const struct wanted *wanted = context;
    const struct path *path = &wanted->paths->list[index];
    return strcmp(path->text, wanted->text) == 0 && strcmp(path->checksum, wanted->checksum) == 0;
}

static bool is_frame(const void *context, uint32_t index)
{
    const struct wanted *wanted = context;
    const struct frame *frame = &wanted->stacks->frames[index];
    return frame->function == wanted->frame.function && frame->file == wanted->frame.file &&
           frame->line == wanted->frame.line && frame->is_nearest == wanted->frame.is_nearest &&
           frame->is_guess == wanted->frame.is_guess;
}

/* The place of a path in its list; NONE if there is no room. */
static uint32_t place_path(struct stacks *stacks, struct paths *paths, const char *text,
                           const char *checksum)
{
    struct wanted wanted = {.paths = paths, .text = text, .checksum = checksum};
    uint64_t hash = um_intern_mix_text(um_intern_mix_text(0, text), checksum);
    uint32_t found = um_intern_find(&paths->by_text, hash, is_path, &wanted);
    if (found != UM_INTERN_NONE)
        return found;
    if (!has_room(stacks, text) || !um_intern_reserve(&paths->by_text, 1) ||
        !grow(stacks, &paths->list, &paths->cap, paths->count, sizeof *paths->list))
        return NONE;
    paths->list[paths->count] = (struct path){.text = text, .checksum = checksum};
    um_intern_add(&paths->by_text, hash, (uint32_t)paths->count);
    return (uint32_t)paths->count++;
}

static uint32_t place_module(struct stacks *stacks, const char *path)
{
    size_t count = stacks->module_paths.count;
    uint32_t place = place_path(stacks, &stacks->module_paths, path, "");
    if (stacks->module_paths.count > count)
        um_json_append(&stacks->json, stacks->modules, make_text(path, SIZE_MAX));
    return place;
}

static uint32_t place_file(struct stacks *stacks, const char *path, const char *checksum,
                           uint32_t line)
{
    uint32_t place = path[0] != '\0' ? place_path(stacks, &stacks->files, path, checksum) : NONE;
    if (place != NONE && line > stacks->files.list[place].last_line)
        stacks->files.list[place].last_line = line;
    return place;
}

/* Appends a function to those of the page. `known` is what is known of an address in it, or
 * NULL. */
static void append_function(struct stacks *stacks, const struct um_functions_name *name,
                            const struct um_profile_name *known)
{
    bool has_lines = known && strcmp(known->file, name->file) == 0;
    cJSON *item = um_json_append_array(&stacks->json, stacks->functions);
    uint32_t module = place_module(stacks, name->module);
    uint32_t file = place_file(stacks, name->file, name->checksum, name->line);
    um_json_append(&stacks->json, item, make_text(name->name, NAME_COLUMNS));
    um_json_append_number(&stacks->json, item, module == NONE ? -1 : (double)module);
    um_json_append_number(&stacks->json, item, file == NONE ? -1 : (double)file);
    um_json_append_number(&stacks->json, item, name->line);
    um_json_append_number(&stacks->json, item, name->is_nearest);
    um_json_append_number(&stacks->json, item, has_lines ? known->first_line : 0);
    um_json_append_number(&stacks->json, item, has_lines ? known->last_line : 0);
    stacks->function_count++;
}

/* The place of a function in the page's list; 0 is "(more functions)". */
static uint32_t place_function(struct stacks *stacks, uint32_t id,
                               const struct um_profile_name *known)
{
    if (id == UM_FUNCTIONS_MORE ||
        !grow(stacks, &stacks->function_of, &stacks->function_cap, id, sizeof *stacks->function_of))
        return 0;
    if (stacks->function_of[id] == 0) {
        const struct um_functions_name *name = um_functions_get(&stacks->profiled.functions, id);
        bool fits = has_room(stacks, name->name);
        if (fits)
            append_function(stacks, name, known);
        stacks->function_of[id] = fits ? stacks->function_count : 1;
    }
    return stacks->function_of[id] - 1;
}

/* A frame's line with its marks, as the page has it. */
static uint64_t line_of(const struct frame *frame)
{
    return (uint64_t)frame->line << 2 | (unsigned)frame->is_guess << 1 | frame->is_nearest;
}

/* The place of an address's function, file and line in `frames`. */
static uint32_t place_frame(struct stacks *stacks, uint64_t key, bool is_guess)
{
    const struct um_profile_name *name = um_profile_name(stacks->recorded->profile, key);
    struct wanted wanted = {.stacks = stacks, .frame = {.file = NONE, .is_guess = is_guess}};
    wanted.frame.function =
        place_function(stacks, um_functions_of(&stacks->profiled.functions, key), name);
    if (name && name->line > 0 && wanted.frame.function > 0) {
        wanted.frame.file = place_file(stacks, name->file, name->checksum, name->line);
        wanted.frame.line = wanted.frame.file != NONE ? name->line : 0;
        wanted.frame.is_nearest = wanted.frame.line > 0 && name->is_nearest;
    }
    uint64_t hash = um_intern_mix(um_intern_mix(wanted.frame.function, wanted.frame.file),
                                  line_of(&wanted.frame));
    uint32_t found = um_intern_find(&stacks->by_frame, hash, is_frame, &wanted);
    if (found != UM_INTERN_NONE)
        return found;
    stacks->json.failed |= !um_intern_reserve(&stacks->by_frame, 1);
    if (stacks->json.failed || !grow(stacks, &stacks->frames, &stacks->frame_cap,
                                     stacks->frame_count, sizeof *stacks->frames))
        return 0;
    stacks->frames[stacks->frame_count] = wanted.frame;
    um_intern_add(&stacks->by_frame, hash, (uint32_t)stacks->frame_count);
    return (uint32_t)stacks->frame_count++;
}

/* Adds the stack of a sample, unless it is that of the last one in its node. */
static void add_stack(struct stacks *stacks, size_t index)
{
    struct um_calltree_frame frames[UM_CALLTREE_DEPTH];
    struct um_calltree_sample sample;
    uint64_t keys[UM_CALLTREE_DEPTH];
    const struct um_view *view = &stacks->profiled.view;
    const struct um_samples_entry *entry = &view->samples->entries[index];
    struct known *known = &stacks->known[entry->node];
    uint32_t node = UM_CALLTREE_CUT;
    if (known->node > 0 && known->guessed == entry->guessed) {
        stacks->node_of[index] = known->node;
        return;
    }
    if (!um_view_sample(view, index, frames, &sample))
        return;
    size_t count = um_view_addresses(view, index, keys);
    for (size_t i = 0; i < sample.frame_count && i < count; i++)
        frames[i].key = place_frame(stacks, keys[i], frames[i].guessed);
    /* A stack for which there is no room counts as one that was not read. */
    (void)um_calltree_add(&stacks->tree, &sample, &node);
    *known = (struct known){entry->guessed, (node << 1 | sample.top_folded) + 1};
    stacks->node_of[index] = known->node;
}

static void put_frames(struct stacks *stacks, cJSON *object)
{
    struct um_pack packed = {.bytes = NULL};
    for (size_t i = 0; i < stacks->frame_count; i++) {
        um_pack_number(&packed, stacks->frames[i].function);
        um_pack_number(&packed, (uint32_t)(stacks->frames[i].file + 1));
        um_pack_number(&packed, line_of(&stacks->frames[i]));
    }
    um_json_packed(&stacks->json, object, "frames", &packed);
}

static void put_nodes(struct stacks *stacks, cJSON *object)
{
    struct um_pack packed = {.bytes = NULL};
    for (uint32_t i = UM_CALLTREE_FIRST; i < stacks->tree.count; i++) {
        const struct um_calltree_node *node = &stacks->tree.nodes[i];
        um_pack_number(&packed, node->parent);
        um_pack_number(&packed, node->key << 1 | node->folded);
    }
    um_json_packed(&stacks->json, object, "nodes", &packed);
}

/* The place of a freeze in the list; the search begins at the one that was found last. */
static size_t place_freeze(const struct um_stats_freezes *freezes, uint32_t id, size_t *last)
{
    for (size_t i = 0; i < freezes->len; i++) {
        size_t at = (*last + i) % freezes->len;
        if (freezes->list[at].id == id) {
            *last = at;
            return at;
        }
    }
    return freezes->len;
}

/* The place of a sample's thread in the list, to which it is added if it is new. */
static uint32_t place_thread(struct stacks *stacks, const struct um_samples_entry *entry)
{
    uint32_t place = 0;
    if (!entry->is_other)
        return 0;
    while (place < stacks->thread_count && stacks->threads[place] != entry->thread)
        place++;
    if (place == THREADS)
        stacks->has_more_threads = true;
    else if (place == stacks->thread_count)
        stacks->threads[stacks->thread_count++] = entry->thread;
    return place + 1;
}

static void put_threads(struct stacks *stacks, cJSON *object)
{
    cJSON *list = cJSON_AddArrayToObject(object, "threads");
    um_json_append(&stacks->json, list, make_text("UI thread", SIZE_MAX));
    for (uint32_t i = 0; i < stacks->thread_count; i++)
        um_json_append(
            &stacks->json, list,
            make_text(um_view_thread_label(&stacks->profiled.view, stacks->threads[i]).text,
                      SIZE_MAX));
    if (stacks->has_more_threads)
        um_json_append(&stacks->json, list, make_text("(more threads)", SIZE_MAX));
}

static void put_samples(struct stacks *stacks, cJSON *object)
{
    const struct um_samples *samples = stacks->profiled.view.samples;
    const struct um_stats_freezes *freezes = um_stats_freezes(stacks->recorded->stats);
    struct um_pack packed = {.bytes = NULL};
    size_t last = 0;
    for (size_t i = 0; i < samples->count; i++) {
        const struct um_samples_entry *entry = &samples->entries[i];
        size_t place = entry->freeze != UM_SAMPLES_NO_FREEZE
                           ? place_freeze(freezes, entry->freeze, &last)
                           : freezes->len;
        um_pack_number(&packed, place < freezes->len ? place + 1 : 0);
        um_pack_number(&packed, stacks->node_of[i] - 1);
        um_pack_number(&packed, entry->cost.wall_ns / UM_CLOCK_NS_PER_US);
        um_pack_number(&packed, entry->cost.user_ns / UM_CLOCK_NS_PER_US);
        um_pack_number(&packed, entry->cost.kernel_ns / UM_CLOCK_NS_PER_US);
        um_pack_number(&packed, place_thread(stacks, entry));
    }
    um_json_packed(&stacks->json, object, "samples", &packed);
    put_threads(stacks, object);
}

/* A source that was found, as an item of "sources". Takes its bytes from `left`. NULL: there is no
 * room. */
static cJSON *make_source(struct stacks *stacks, const struct um_sources_file *found, size_t *left)
{
    cJSON *item = strlen(found->text) <= *left ? cJSON_CreateArray() : NULL;
    if (!item)
        return NULL;
    *left -= strlen(found->text);
    um_json_append(&stacks->json, item, make_text(found->path, SIZE_MAX));
    um_json_append(&stacks->json, item, cJSON_CreateString(found->text));
    um_json_append_number(&stacks->json, item, found->state == UM_SOURCES_UNKNOWN);
    return item;
}

/* The files with their sources, as far as these are found and there is room. */
static void put_files(struct stacks *stacks, cJSON *object)
{
    cJSON *files = cJSON_AddArrayToObject(object, "files");
    cJSON *sources = cJSON_AddObjectToObject(object, "sources");
    cJSON *others = cJSON_AddObjectToObject(object, "others");
    size_t left = UM_REPORT_STACKS_SOURCES;
    for (uint32_t i = 0; i < stacks->files.count; i++) {
        const struct path *path = &stacks->files.list[i];
        const struct um_sources_wanted wanted = {path->text, path->checksum, path->last_line};
        struct um_sources_file found;
        char place[16];
        um_json_append(&stacks->json, files, make_text(path->text, SIZE_MAX));
        if (!um_sources_find(stacks->options->source_path, &wanted, &found))
            continue;
        bool is_other = found.state == UM_SOURCES_OTHER;
        cJSON *item =
            is_other ? make_text(found.path, SIZE_MAX) : make_source(stacks, &found, &left);
        snprintf(place, sizeof place, "%u", (unsigned)i);
        if (item)
            um_json_put(&stacks->json, is_other ? others : sources, place, item);
        free(found.text);
    }
}

static void put_mine(struct stacks *stacks, cJSON *object)
{
    const struct um_stats_freezes *freezes = um_stats_freezes(stacks->recorded->stats);
    const char *modules = stacks->options->mine;
    struct um_view view = stacks->profiled.view;
    view.thread = UM_VIEW_UI;
    struct um_mine mine;
    char text[512];
    cJSON *item = cJSON_AddObjectToObject(object, "mine");
    um_json_put(&stacks->json, item, "modules", make_text(modules, SIZE_MAX));
    um_mine_count(&view, modules, &mine);
    um_mine_text(&mine, text, sizeof text);
    um_json_put(&stacks->json, item, "all", cJSON_CreateString(text));
    um_unseen_join(modules, um_unseen_find(&stacks->profiled.functions, modules), text,
                   sizeof text);
    if (text[0] != '\0')
        um_json_put(&stacks->json, item, "unseen", make_text(text, SIZE_MAX));
    cJSON *list = cJSON_AddObjectToObject(item, "freezes");
    for (size_t i = 0; i < freezes->len && !stacks->json.failed; i++) {
        char place[24];
        view.freeze = freezes->list[i].id;
        um_mine_count(&view, modules, &mine);
        if (mine.yours + mine.others + mine.unattributed == 0)
            continue;
        um_mine_text(&mine, text, sizeof text);
        snprintf(place, sizeof place, "%zu", i);
        um_json_put(&stacks->json, list, place, cJSON_CreateString(text));
    }
}

/* For whom the thread waited in freezes. */
static void put_waits(struct stacks *stacks, cJSON *object)
{
    const struct um_stats_freezes *freezes = um_stats_freezes(stacks->recorded->stats);
    cJSON *list = cJSON_AddObjectToObject(object, "waits");
    for (size_t i = 0; i < freezes->len && !stacks->json.failed; i++) {
        const struct um_wire_wait *wait =
            um_stats_wait_of(um_stats_stacks(stacks->recorded->stats), freezes->list[i].id);
        char text[UM_WAIT_TEXT_BYTES];
        char place[24];
        if (!wait)
            continue;
        um_wait_text(wait, text, sizeof text);
        snprintf(place, sizeof place, "%zu", i);
        um_json_put(&stacks->json, list, place, make_text(text, SIZE_MAX));
    }
}

static void put_option(struct stacks *stacks, cJSON *object, const char *name, const char *text)
{
    if (text && text[0] != '\0')
        um_json_put(&stacks->json, object, name, make_text(text, SIZE_MAX));
}

static void put_all(struct stacks *stacks, cJSON *object)
{
    static const char *const by_names[] = UM_WIRE_BY_NAMES;
    uint64_t come = um_profile_sample_count(stacks->recorded->profile);
    size_t count = stacks->profiled.view.samples->count;
    stacks->modules = cJSON_AddArrayToObject(object, "modules");
    stacks->functions = cJSON_AddArrayToObject(object, "functions");
    append_function(stacks, um_functions_get(&stacks->profiled.functions, UM_FUNCTIONS_MORE), NULL);
    for (size_t i = 0; i < count && !stacks->json.failed; i++)
        add_stack(stacks, i);
    put_frames(stacks, object);
    put_nodes(stacks, object);
    put_samples(stacks, object);
    um_json_number(&stacks->json, object, "lost", (double)(come - count));
    put_files(stacks, object);
    put_waits(stacks, object);
    put_option(stacks, object, "only", stacks->options->only);
    put_option(stacks, object, "hide", stacks->options->hide);
    put_option(stacks, object, "editor", stacks->options->editor_link);
    put_option(stacks, object, "by", by_names[stacks->options->by]);
    if (stacks->options->mine)
        put_mine(stacks, object);
}

static void deinit(struct stacks *stacks)
{
    um_profiled_deinit(&stacks->profiled);
    um_calltree_deinit(&stacks->tree);
    um_intern_deinit(&stacks->module_paths.by_text);
    um_intern_deinit(&stacks->files.by_text);
    um_intern_deinit(&stacks->by_frame);
    free(stacks->function_of);
    free(stacks->module_paths.list);
    free(stacks->files.list);
    free(stacks->frames);
    free(stacks->known);
    free(stacks->node_of);
}

enum um_status um_report_stacks_put(struct cJSON *root, const struct um_recorded *recorded,
                                    const struct um_options *options)
{
    struct stacks stacks = {
        .recorded = recorded, .options = options, .text_left = UM_REPORT_STACKS_TEXT};
    if (!recorded->profile || um_profile_samples(recorded->profile)->count == 0)
        return UM_OK;
    const struct um_samples *samples = um_profile_samples(recorded->profile);
    stacks.known = calloc(samples->stacks.count, sizeof *stacks.known);
    stacks.node_of = calloc(samples->count, sizeof *stacks.node_of);
    cJSON *object = cJSON_AddObjectToObject(root, "stacks");
    stacks.json.failed = !stacks.known || !stacks.node_of || !object ||
                         um_profiled_init(&stacks.profiled, recorded, options) != UM_OK ||
                         um_calltree_init(&stacks.tree, 0) != UM_OK;
    stacks.profiled.view.thread = UM_VIEW_ALL;
    if (!stacks.json.failed)
        put_all(&stacks, object);
    bool failed = stacks.json.failed;
    deinit(&stacks);
    return failed ? UM_ERR_MEMORY : UM_OK;
}
