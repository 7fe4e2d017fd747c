#include "monitor/playback/report_stacks.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "ipc/clock.h"
#include "monitor/base/list.h"
#include "monitor/base/pack.h"
#include "monitor/base/utf8.h"
#include "monitor/base/wait_text.h"
#include "monitor/playback/profiled.h"
#include "monitor/playback/sources.h"
#include "monitor/profile/export.h"
#include "monitor/profile/intern.h"
#include "monitor/profile/mine.h"

#define NAME_COLUMNS 300 /* of a function; a path has up to 1,023 bytes */
#define TEXT_BYTES (4 * UM_FUNCTIONS_TEXT)
#define NO_FILE UINT32_MAX
#define THREADS 1024 /* besides the UI thread; the samples of more are told together */

/* Where an address lies. */
struct frame {
    uint32_t function; /* of the page */
    uint32_t file;     /* NO_FILE: not known */
    uint32_t line;     /* 0: not known */
};

struct file {
    const char *path; /* the profile's */
    uint32_t last_line;
};

struct stacks {
    const struct um_recorded *recorded;
    const struct um_options *options;
    struct um_profiled profiled;
    cJSON *modules, *functions; /* lists; the owner is the page's data */
    size_t text_left;           /* bytes that names may still take */

    uint32_t *function_of; /* of each function of the profile: its place in `functions` + 1 */
    size_t function_cap;
    uint32_t module_count, function_count;
    struct um_intern by_module;
    const char **module_names;
    size_t module_cap;

    struct file *files;
    size_t file_count, file_cap;
    struct um_intern by_file;

    struct frame *frames;
    size_t frame_count, frame_cap;
    struct um_intern by_frame;

    struct um_calltree tree; /* keys are places in `frames` */
    uint32_t *node_of;       /* of each node of the profile: its node here, doubled, and whether the
                                innermost frames are left out; 0: not yet */
    uint32_t threads[THREADS]; /* besides the UI thread */
    uint32_t thread_count;
    bool has_more_threads;
    bool failed;
};

/* Makes room for one more than `count`, zeroed. `array_at` as um_list_reserve has it. */
static bool grow(struct stacks *stacks, void *array_at, size_t *cap, size_t count, size_t size)
{
    bool has_room = um_list_reserve(array_at, cap, count + 1, SIZE_MAX, size);
    stacks->failed |= !has_room;
    return has_room;
}

static void append(struct stacks *stacks, cJSON *list, cJSON *item)
{
    if (cJSON_AddItemToArray(list, item))
        return;
    cJSON_Delete(item);
    stacks->failed = true;
}

static void put(struct stacks *stacks, cJSON *object, const char *name, cJSON *item)
{
    if (cJSON_AddItemToObject(object, name, item))
        return;
    cJSON_Delete(item);
    stacks->failed = true;
}

/* Puts the numbers and frees them. */
static void put_packed(struct stacks *stacks, cJSON *object, const char *name,
                       struct um_pack *packed)
{
    char *text = um_pack_base64(packed);
    put(stacks, object, name, text ? cJSON_CreateString(text) : NULL);
    free(text);
    um_pack_deinit(packed);
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

/* Modules, files and functions ----------------------------------------------------------------- */

struct wanted {
    const struct stacks *stacks;
    const char *text;
    struct frame frame;
};

static bool is_module(const void *context, uint32_t index)
{
    const struct wanted *wanted = context;
    return strcmp(wanted->stacks->module_names[index], wanted->text) == 0;
}

static bool is_file(const void *context, uint32_t index)
{
    const struct wanted *wanted = context;
    return strcmp(wanted->stacks->files[index].path, wanted->text) == 0;
}

static bool is_frame(const void *context, uint32_t index)
{
    const struct wanted *wanted = context;
    const struct frame *frame = &wanted->stacks->frames[index];
    return frame->function == wanted->frame.function && frame->file == wanted->frame.file &&
           frame->line == wanted->frame.line;
}

/* The place of a module in its list; -1 if there is no room. */
static int place_module(struct stacks *stacks, const char *path)
{
    struct wanted wanted = {.stacks = stacks, .text = path};
    uint64_t hash = um_intern_mix_text(0, path);
    uint32_t found = um_intern_find(&stacks->by_module, hash, is_module, &wanted);
    if (found != UM_INTERN_NONE)
        return (int)found;
    if (!has_room(stacks, path) || !um_intern_reserve(&stacks->by_module, 1) ||
        !grow(stacks, &stacks->module_names, &stacks->module_cap, stacks->module_count,
              sizeof *stacks->module_names))
        return -1;
    stacks->module_names[stacks->module_count] = path;
    um_intern_add(&stacks->by_module, hash, stacks->module_count);
    append(stacks, stacks->modules, make_text(path, SIZE_MAX));
    return (int)stacks->module_count++;
}

static uint32_t place_file(struct stacks *stacks, const char *path, uint32_t line)
{
    struct wanted wanted = {.stacks = stacks, .text = path};
    uint64_t hash = um_intern_mix_text(0, path);
    if (path[0] == '\0')
        return NO_FILE;
    uint32_t found = um_intern_find(&stacks->by_file, hash, is_file, &wanted);
    if (found == UM_INTERN_NONE) {
        if (!has_room(stacks, path) || !um_intern_reserve(&stacks->by_file, 1) ||
            !grow(stacks, &stacks->files, &stacks->file_cap, stacks->file_count,
                  sizeof *stacks->files))
            return NO_FILE;
        found = (uint32_t)stacks->file_count++;
        stacks->files[found] = (struct file){.path = path};
        um_intern_add(&stacks->by_file, hash, found);
    }
    if (line > stacks->files[found].last_line)
        stacks->files[found].last_line = line;
    return found;
}

/* Appends [name, module, file, line] to the page's functions. */
static void append_function(struct stacks *stacks, const struct um_functions_name *name)
{
    cJSON *item = cJSON_CreateArray();
    int module = place_module(stacks, name->module);
    uint32_t file = place_file(stacks, name->file, name->line);
    append(stacks, item, make_text(name->name, NAME_COLUMNS));
    append(stacks, item, cJSON_CreateNumber(module));
    append(stacks, item, cJSON_CreateNumber(file == NO_FILE ? -1 : (double)file));
    append(stacks, item, cJSON_CreateNumber(name->line));
    append(stacks, stacks->functions, item);
    stacks->function_count++;
}

/* The place of a function in the page's list; 0 is "(more functions)". */
static uint32_t place_function(struct stacks *stacks, uint32_t id)
{
    if (id == UM_FUNCTIONS_MORE ||
        !grow(stacks, &stacks->function_of, &stacks->function_cap, id, sizeof *stacks->function_of))
        return 0;
    if (stacks->function_of[id] == 0) {
        const struct um_functions_name *name = um_functions_get(&stacks->profiled.functions, id);
        bool fits = has_room(stacks, name->name);
        if (fits)
            append_function(stacks, name);
        stacks->function_of[id] = fits ? stacks->function_count : 1;
    }
    return stacks->function_of[id] - 1;
}

/* The place of an address's function, file and line in `frames`. */
static uint32_t place_frame(struct stacks *stacks, uint64_t key)
{
    const struct um_profile_name *name = um_profile_name(stacks->recorded->profile, key);
    struct wanted wanted = {.stacks = stacks, .frame = {.file = NO_FILE}};
    wanted.frame.function =
        place_function(stacks, um_functions_of(&stacks->profiled.functions, key));
    if (name && name->line > 0 && wanted.frame.function > 0) {
        wanted.frame.file = place_file(stacks, name->file, name->line);
        wanted.frame.line = wanted.frame.file != NO_FILE ? name->line : 0;
    }
    uint64_t hash =
        um_intern_mix(um_intern_mix(wanted.frame.function, wanted.frame.file), wanted.frame.line);
    uint32_t found = um_intern_find(&stacks->by_frame, hash, is_frame, &wanted);
    if (found != UM_INTERN_NONE)
        return found;
    stacks->failed |= !um_intern_reserve(&stacks->by_frame, 1);
    if (stacks->failed || !grow(stacks, &stacks->frames, &stacks->frame_cap, stacks->frame_count,
                                sizeof *stacks->frames))
        return 0;
    stacks->frames[stacks->frame_count] = wanted.frame;
    um_intern_add(&stacks->by_frame, hash, (uint32_t)stacks->frame_count);
    return (uint32_t)stacks->frame_count++;
}

/* Stacks --------------------------------------------------------------------------------------- */

/* Adds the stack of a sample, unless it is there already. */
static void add_stack(struct stacks *stacks, size_t index)
{
    struct um_calltree_frame frames[UM_CALLTREE_DEPTH];
    struct um_calltree_sample sample;
    uint64_t keys[UM_CALLTREE_DEPTH];
    const struct um_view *view = &stacks->profiled.view;
    uint32_t *node_of = &stacks->node_of[view->samples->entries[index].node];
    uint32_t node = UM_CALLTREE_CUT;
    if (*node_of > 0 || !um_view_sample(view, index, frames, &sample))
        return;
    size_t count = um_view_addresses(view, index, keys);
    for (size_t i = 0; i < sample.frame_count && i < count; i++)
        frames[i].key = place_frame(stacks, keys[i]);
    /* What does not fit any more has a stack that is not known. */
    (void)um_calltree_add(&stacks->tree, &sample, &node);
    *node_of = (node << 1 | sample.top_folded) + 1;
}

static void put_frames(struct stacks *stacks, cJSON *object)
{
    struct um_pack packed = {.bytes = NULL};
    for (size_t i = 0; i < stacks->frame_count; i++) {
        um_pack_number(&packed, stacks->frames[i].function);
        um_pack_number(&packed, (uint32_t)(stacks->frames[i].file + 1));
        um_pack_number(&packed, stacks->frames[i].line);
    }
    put_packed(stacks, object, "frames", &packed);
}

static void put_nodes(struct stacks *stacks, cJSON *object)
{
    struct um_pack packed = {.bytes = NULL};
    for (uint32_t i = UM_CALLTREE_FIRST; i < stacks->tree.count; i++) {
        const struct um_calltree_node *node = &stacks->tree.nodes[i];
        um_pack_number(&packed, node->parent);
        um_pack_number(&packed, node->key << 1 | node->folded);
    }
    put_packed(stacks, object, "nodes", &packed);
}

/* The place of a freeze in the list; the search begins at the last one that was found. */
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
    struct um_export export = {.view = stacks->profiled.view};
    cJSON *list = cJSON_AddArrayToObject(object, "threads");
    append(stacks, list, make_text("UI thread", SIZE_MAX));
    for (uint32_t i = 0; i < stacks->thread_count; i++)
        append(stacks, list,
               make_text(um_export_thread_label(&export, stacks->threads[i]).text, SIZE_MAX));
    if (stacks->has_more_threads)
        append(stacks, list, make_text("(more threads)", SIZE_MAX));
}

static void put_samples(struct stacks *stacks, cJSON *object)
{
    const struct um_samples *samples = stacks->profiled.view.samples;
    const struct um_stats_freezes *freezes = um_stats_freezes(stacks->recorded->stats);
    struct um_pack packed = {.bytes = NULL};
    size_t last = 0;
    for (size_t i = 0; i < samples->count; i++) {
        const struct um_samples_entry *entry = &samples->entries[i];
        size_t place = entry->freeze != UM_CALLTREE_NO_FREEZE
                           ? place_freeze(freezes, entry->freeze, &last)
                           : freezes->len;
        um_pack_number(&packed, place < freezes->len ? place + 1 : 0);
        um_pack_number(&packed, stacks->node_of[entry->node] - 1);
        um_pack_number(&packed, entry->cost.wall_ns / UM_CLOCK_NS_PER_US);
        um_pack_number(&packed, (entry->cost.user_ns + entry->cost.kernel_ns) / UM_CLOCK_NS_PER_US);
        um_pack_number(&packed, place_thread(stacks, entry));
    }
    put_packed(stacks, object, "samples", &packed);
    put_threads(stacks, object);
}

/* The rest ------------------------------------------------------------------------------------- */

/* The files with their sources, as far as these are found and there is room. */
static void put_files(struct stacks *stacks, cJSON *object)
{
    cJSON *files = cJSON_AddArrayToObject(object, "files");
    cJSON *sources = cJSON_AddObjectToObject(object, "sources");
    size_t left = UM_REPORT_STACKS_SOURCES;
    for (uint32_t i = 0; i < stacks->file_count; i++) {
        struct um_sources_file found;
        char place[16];
        append(stacks, files, make_text(stacks->files[i].path, SIZE_MAX));
        if (!um_sources_find(stacks->options->source_path, stacks->files[i].path,
                             stacks->files[i].last_line, &found))
            continue;
        cJSON *item = strlen(found.text) <= left ? cJSON_CreateArray() : NULL;
        if (item) {
            left -= strlen(found.text);
            append(stacks, item, make_text(found.path, SIZE_MAX));
            append(stacks, item, cJSON_CreateString(found.text));
            snprintf(place, sizeof place, "%u", (unsigned)i);
            put(stacks, sources, place, item);
        }
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
    char text[128];
    cJSON *item = cJSON_AddObjectToObject(object, "mine");
    put(stacks, item, "modules", make_text(modules, SIZE_MAX));
    um_mine_count(&view, modules, &mine);
    um_mine_text(&mine, text, sizeof text);
    put(stacks, item, "all", cJSON_CreateString(text));
    cJSON *list = cJSON_AddObjectToObject(item, "freezes");
    for (size_t i = 0; i < freezes->len && !stacks->failed; i++) {
        char place[24];
        view.freeze = freezes->list[i].id;
        um_mine_count(&view, modules, &mine);
        if (mine.yours + mine.others + mine.unattributed == 0)
            continue;
        um_mine_text(&mine, text, sizeof text);
        snprintf(place, sizeof place, "%zu", i);
        put(stacks, list, place, cJSON_CreateString(text));
    }
}

/* For whom the thread waited in freezes. */
static void put_waits(struct stacks *stacks, cJSON *object)
{
    const struct um_stats_freezes *freezes = um_stats_freezes(stacks->recorded->stats);
    cJSON *list = cJSON_AddObjectToObject(object, "waits");
    for (size_t i = 0; i < freezes->len && !stacks->failed; i++) {
        const struct um_wire_wait *wait =
            um_stats_wait_of(um_stats_stacks(stacks->recorded->stats), freezes->list[i].id);
        char text[UM_WAIT_TEXT_BYTES];
        char place[24];
        if (!wait)
            continue;
        um_wait_text(wait, text, sizeof text);
        snprintf(place, sizeof place, "%zu", i);
        put(stacks, list, place, make_text(text, SIZE_MAX));
    }
}

static void put_option(struct stacks *stacks, cJSON *object, const char *name, const char *text)
{
    if (text && text[0] != '\0')
        put(stacks, object, name, make_text(text, SIZE_MAX));
}

static void put_all(struct stacks *stacks, cJSON *object)
{
    uint64_t told = um_profile_told(stacks->recorded->profile);
    size_t count = stacks->profiled.view.samples->count;
    stacks->modules = cJSON_AddArrayToObject(object, "modules");
    stacks->functions = cJSON_AddArrayToObject(object, "functions");
    append_function(stacks, um_functions_get(&stacks->profiled.functions, UM_FUNCTIONS_MORE));
    for (size_t i = 0; i < count && !stacks->failed; i++)
        add_stack(stacks, i);
    put_frames(stacks, object);
    put_nodes(stacks, object);
    put_samples(stacks, object);
    put(stacks, object, "lost", cJSON_CreateNumber((double)(told - count)));
    put_files(stacks, object);
    put_waits(stacks, object);
    put_option(stacks, object, "only", stacks->options->only);
    put_option(stacks, object, "hide", stacks->options->hide);
    put_option(stacks, object, "editor", stacks->options->editor_link);
    if (stacks->options->mine)
        put_mine(stacks, object);
}

static void deinit(struct stacks *stacks)
{
    um_profiled_deinit(&stacks->profiled);
    um_calltree_deinit(&stacks->tree);
    um_intern_deinit(&stacks->by_module);
    um_intern_deinit(&stacks->by_file);
    um_intern_deinit(&stacks->by_frame);
    free(stacks->function_of);
    free(stacks->module_names);
    free(stacks->files);
    free(stacks->frames);
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
    stacks.node_of = calloc(samples->stacks.count, sizeof *stacks.node_of);
    cJSON *object = cJSON_AddObjectToObject(root, "stacks");
    stacks.failed = !stacks.node_of || !object ||
                    um_profiled_init(&stacks.profiled, recorded, options) != UM_OK ||
                    um_calltree_init(&stacks.tree, 0) != UM_OK;
    stacks.profiled.view.thread = UM_VIEW_ALL;
    if (!stacks.failed)
        put_all(&stacks, object);
    bool failed = stacks.failed;
    deinit(&stacks);
    return failed ? UM_ERR_MEMORY : UM_OK;
}
