#include "monitor/export/export.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/output.h"
#include "base/plain/text.h"
#include "base/utf8.h"
#include "ipc/wire.h"

/* With "[hidden]" there may be twice as many as in a view's tree. */
#define STACK_NODES (3 * UM_CALLTREE_NODES)
/* Each frame may have a "[hidden]" in front; there may be two more frames at the ends. */
#define DEPTH (UM_CALLTREE_DEPTH * 2 + 2)

static int by_thread(const void *a, const void *b)
{
    const struct um_export_sample *one = a, *other = b;
    if (one->thread != other->thread)
        return one->thread < other->thread ? -1 : 1;
    return (one->index > other->index) - (one->index < other->index);
}

/* Lists the samples of the view, sorted by threads, and the threads. */
static void list_threads(struct um_export *export)
{
    const struct um_samples *samples = export->view.samples;
    for (size_t i = 0; i < samples->count; i++)
        if (um_view_has(&export->view, i))
            export->samples[export->sample_count++] =
                (struct um_export_sample){samples->entries[i].thread, (uint32_t)i};
    qsort(export->samples, export->sample_count, sizeof *export->samples, by_thread);
    for (size_t i = 0; i < export->sample_count; i++) {
        uint32_t id = export->samples[i].thread;
        if (i == 0 || id != export->samples[i - 1].thread)
            export->threads[export->thread_count++] = (struct um_export_thread){id, i, 0};
        export->threads[export->thread_count - 1].count++;
    }
}

enum um_status um_export_begin(struct um_export *export, const struct um_view *view)
{
    size_t count = view->samples->count;
    *export = (struct um_export){.view = *view, .hidden = um_view_number(view)};
    export->cut = export->hidden + 1;
    export->count = export->hidden + 2;
    export->threads = malloc((count + 1) * sizeof *export->threads);
    export->samples = malloc((count + 1) * sizeof *export->samples);
    if (!export->threads || !export->samples)
        return UM_ERR_MEMORY;
    list_threads(export);
    return UM_OK;
}

void um_export_end(struct um_export *export)
{
    free(export->threads);
    free(export->samples);
    free(export->modules);
    free(export->nodes);
    um_calltree_deinit(&export->tree);
    *export = (struct um_export){0};
}

/* A sample with "[hidden]" where frames are not shown. `frames` has room for DEPTH. False if it is
 * not in the view. */
static bool take_stack(const struct um_export *export, size_t index,
                       struct um_calltree_frame *frames, struct um_calltree_sample *sample)
{
    struct um_calltree_frame shown[UM_CALLTREE_DEPTH];
    size_t count = 0;
    if (!um_view_sample(&export->view, index, shown, sample))
        return false;
    if (sample->top_folded)
        frames[count++] = (struct um_calltree_frame){.key = export->hidden};
    for (size_t i = 0; i < sample->frame_count; i++) {
        frames[count++] =
            (struct um_calltree_frame){.key = shown[i].key, .guessed = shown[i].guessed};
        if (shown[i].folded)
            frames[count++] = (struct um_calltree_frame){.key = export->hidden};
    }
    sample->frames = frames;
    sample->frame_count = count;
    sample->top_folded = false;
    return true;
}

uint32_t um_export_frame(const struct um_export *export, uint32_t node)
{
    const struct um_calltree_node *at = &export->tree.nodes[node];
    if (node == UM_CALLTREE_CUT)
        return export->cut;
    return (uint32_t)at->key + (um_calltree_is_guess(at) ? export->count : 0);
}

size_t um_export_stack(const struct um_export *export, uint32_t node, uint32_t *frames)
{
    size_t count = 0;
    for (; node != UM_CALLTREE_ROOT; node = export->tree.nodes[node].parent)
        frames[count++] = um_export_frame(export, node);
    return count;
}

uint32_t um_export_numbers(const struct um_export *export)
{
    return export->has_guesses ? 2 * export->count : export->count;
}

struct um_functions_label um_export_label(const struct um_export *export, uint32_t frame)
{
    if (frame >= export->count) {
        struct um_functions_label name = um_export_label(export, frame - export->count), label;
        snprintf(label.text, sizeof label.text, UM_WIRE_GUESS "%.*s",
                 (int)(sizeof label.text - sizeof UM_WIRE_GUESS), name.text);
        return label;
    }
    if (frame == export->hidden)
        return (struct um_functions_label){.text = "[hidden]"};
    if (frame == export->cut)
        return (struct um_functions_label){.text = "[stack not read]"};
    return um_functions_label(export->view.functions, frame);
}

struct um_export_place um_export_place(const struct um_export *export, uint32_t frame)
{
    struct um_export_place place = {.line = 0};
    frame %= export->count;
    if (frame >= export->hidden)
        return place;
    const struct um_functions_name *name = um_functions_get(export->view.functions, frame);
    if (name->is_nearest && name->file[0] != '\0') {
        um_functions_put_place(name->file, name->line, true, place.file, sizeof place.file);
    } else {
        um_text_set(place.file, sizeof place.file, name->file);
        place.line = name->line;
    }
    return place;
}

const char *um_export_module(const struct um_export *export, uint32_t frame)
{
    return frame < export->hidden ? um_functions_get(export->view.functions, frame)->module : "";
}

struct module {
    const struct um_export *export;
    const char *name;
};

static bool is_module(const void *context, uint32_t index)
{
    const struct module *wanted = context;
    return strcmp(um_export_module(wanted->export, index), wanted->name) == 0;
}

static enum um_status find_modules(struct um_export *export)
{
    struct um_intern table = {0};
    export->modules = malloc(export->count * sizeof *export->modules);
    bool ok = export->modules;
    for (uint32_t i = 0; ok && i < export->count; i++) {
        struct module wanted = {export, um_export_module(export, i)};
        uint64_t hash = um_intern_mix_text(0, wanted.name);
        uint32_t found = um_intern_find(&table, hash, is_module, &wanted);
        export->modules[i] = found == UM_INTERN_NONE ? i : found;
        if (found != UM_INTERN_NONE)
            continue;
        ok = um_intern_reserve(&table, 1);
        if (ok)
            um_intern_add(&table, hash, i);
    }
    um_intern_deinit(&table);
    return ok ? UM_OK : UM_ERR_MEMORY;
}

static enum um_status add_stacks(struct um_export *export)
{
    struct um_calltree_frame frames[DEPTH];
    struct um_calltree_sample sample;
    size_t count = export->view.samples->count;
    export->nodes = malloc((count + 1) * sizeof *export->nodes);
    enum um_status status =
        export->nodes ? um_calltree_init(&export->tree, STACK_NODES) : UM_ERR_MEMORY;
    for (size_t i = 0; i < count && status == UM_OK; i++) {
        export->nodes[i] = UM_CALLTREE_NONE;
        if (take_stack(export, i, frames, &sample))
            status = um_calltree_add(&export->tree, &sample, &export->nodes[i]);
    }
    for (uint32_t i = 0; i < export->tree.count; i++)
        export->has_guesses |= um_calltree_is_guess(&export->tree.nodes[i]);
    return status;
}

enum um_status um_export_begin_tree(struct um_export *export, const struct um_view *view)
{
    enum um_status status = um_export_begin(export, view);
    if (status == UM_OK)
        status = find_modules(export);
    return status == UM_OK ? add_stacks(export) : status;
}

const struct um_export_thread *um_export_thread(const struct um_export *export, uint32_t id)
{
    size_t low = 0, high = export->thread_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (export->threads[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < export->thread_count && export->threads[low].id == id ? &export->threads[low]
                                                                       : NULL;
}

bool um_export_shows(const struct um_export_about *about, uint32_t marker)
{
    return !about->chosen || about->chosen[marker];
}

int64_t um_export_first_ns(const struct um_export_about *about)
{
    int64_t first_ns = 0;
    for (uint32_t i = 0; about->markers && i < about->markers->count; i++)
        if (um_export_shows(about, i) && about->markers->list[i].start_ns < first_ns)
            first_ns = about->markers->list[i].start_ns;
    return first_ns;
}

uint32_t um_export_tid(const struct um_marker_thread *thread)
{
    char *end;
    unsigned long long id = strtoull(thread->id, &end, 10);
    bool is_number = thread->id[0] >= '0' && thread->id[0] <= '9' && *end == '\0' &&
                     thread->label[0] != '#'; /* as another thread has that id */
    return is_number && id <= UINT32_MAX ? (uint32_t)id : 0;
}

bool um_export_json_text(FILE *out, const char *text)
{
    char mended[4 * UM_FUNCTIONS_TEXT];
    if (!um_utf8_valid(text, strlen(text))) {
        (void)um_utf8_fit(text, SIZE_MAX, mended, sizeof mended);
        text = mended;
    }
    cJSON *string = cJSON_CreateString(text);
    char *made = cJSON_PrintUnformatted(string);
    bool written = made && um_output_json_part(out, made);
    cJSON_free(made);
    cJSON_Delete(string);
    return written;
}

void um_export_json_number(FILE *out, double number)
{
    char text[32];
    if (number - number != 0) {
        fputs("null", out);
        return;
    }
    snprintf(text, sizeof text, "%.15g", number);
    if (strtod(text, NULL) != number)
        snprintf(text, sizeof text, "%.17g", number);
    fputs(text, out);
}
