#include "monitor/profile/export.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "monitor/base/output.h"
#include "monitor/base/utf8.h"
#include "monitor/profile/profile.h"

#define STACK_NODES (3 * UM_CALLTREE_NODES) /* with "[hidden]" there may be twice as many */

static int by_thread(const void *a, const void *b)
{
    const struct um_export_sample *one = a, *other = b;
    if (one->thread != other->thread)
        return one->thread < other->thread ? -1 : 1;
    return (one->index > other->index) - (one->index < other->index);
}

/* Lists the samples of the view, which are sorted by threads then, and the threads. */
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
    struct um_calltree_frame frames[UM_CALLTREE_DEPTH];
    struct um_calltree_sample sample;
    size_t count = view->samples->count;
    for (size_t i = 0; i < count; i++)
        um_view_sample(view, i, frames, &sample);
    *export = (struct um_export){.view = *view, .hidden = view->functions->name_count};
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
    export->threads = NULL;
    export->samples = NULL;
    export->thread_count = export->sample_count = 0;
}

bool um_export_stack(const struct um_export *export, size_t index, uint32_t *frames, size_t *count)
{
    struct um_calltree_frame shown[UM_CALLTREE_DEPTH];
    struct um_calltree_sample sample;
    size_t used = 0;
    if (!um_view_sample(&export->view, index, shown, &sample))
        return false;
    if (sample.cut)
        frames[used++] = export->cut;
    for (size_t i = sample.frame_count; i-- > 0;) {
        if (shown[i].folded)
            frames[used++] = export->hidden;
        frames[used++] = (uint32_t)shown[i].key;
    }
    if (sample.top_folded)
        frames[used++] = export->hidden;
    *count = used;
    return true;
}

struct um_functions_label um_export_label(const struct um_export *export, uint32_t frame)
{
    if (frame == export->hidden)
        return (struct um_functions_label){.text = "[hidden]"};
    if (frame == export->cut)
        return (struct um_functions_label){.text = "[stack not read]"};
    return um_functions_label(export->view.functions, frame);
}

struct um_functions_label um_export_thread_label(const struct um_export *export, uint32_t thread)
{
    struct um_functions_label label;
    const struct um_profile *profile = export->view.profile;
    const char *name = profile ? um_profile_thread_name(profile, thread) : "";
    snprintf(label.text, sizeof label.text,
             name[0] != '\0' ? "%s (thread %" PRIu32 ")" : "%sthread %" PRIu32, name, thread);
    return label;
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

enum um_status um_export_modules(const struct um_export *export, uint32_t **first)
{
    struct um_intern table = {0};
    uint32_t *made = malloc(export->count * sizeof *made);
    bool ok = made;
    for (uint32_t i = 0; ok && i < export->count; i++) {
        struct module wanted = {export, um_export_module(export, i)};
        uint64_t hash = um_intern_mix_text(0, wanted.name);
        uint32_t found = um_intern_find(&table, hash, is_module, &wanted);
        made[i] = found == UM_INTERN_NONE ? i : found;
        if (found != UM_INTERN_NONE)
            continue;
        ok = um_intern_reserve(&table, 1);
        if (ok)
            um_intern_add(&table, hash, i);
    }
    um_intern_deinit(&table);
    if (!ok) {
        free(made);
        return UM_ERR_MEMORY;
    }
    *first = made;
    return UM_OK;
}

/* Puts "[hidden]" where frames are not shown. Returns how many frames it are then. */
static size_t with_hidden(const struct um_export *export, const struct um_calltree_sample *sample,
                          struct um_calltree_frame *frames)
{
    size_t count = 0;
    if (sample->top_folded)
        frames[count++] = (struct um_calltree_frame){.key = export->hidden};
    for (size_t i = 0; i < sample->frame_count; i++) {
        frames[count++] = (struct um_calltree_frame){.key = sample->frames[i].key};
        if (sample->frames[i].folded)
            frames[count++] = (struct um_calltree_frame){.key = export->hidden};
    }
    return count;
}

static enum um_status add_stack(const struct um_export *export, size_t index,
                                struct um_export_stacks *stacks)
{
    struct um_calltree_frame shown[UM_CALLTREE_DEPTH], frames[UM_EXPORT_DEPTH];
    struct um_calltree_sample sample;
    stacks->nodes[index] = UM_CALLTREE_NONE;
    if (!um_view_sample(&export->view, index, shown, &sample))
        return UM_OK;
    sample.frame_count = with_hidden(export, &sample, frames);
    sample.frames = frames;
    sample.top_folded = false;
    return um_calltree_add(&stacks->tree, &sample, &stacks->nodes[index]);
}

enum um_status um_export_stacks_init(const struct um_export *export,
                                     struct um_export_stacks *stacks)
{
    size_t count = export->view.samples->count;
    *stacks = (struct um_export_stacks){.nodes = malloc((count + 1) * sizeof *stacks->nodes)};
    enum um_status status =
        stacks->nodes ? um_calltree_init(&stacks->tree, STACK_NODES) : UM_ERR_MEMORY;
    for (size_t i = 0; i < count && status == UM_OK; i++)
        status = add_stack(export, i, stacks);
    return status;
}

void um_export_stacks_deinit(struct um_export_stacks *stacks)
{
    um_calltree_deinit(&stacks->tree);
    free(stacks->nodes);
    stacks->nodes = NULL;
}

bool um_export_has_freeze(const struct um_export *export, const struct um_export_freeze *freeze)
{
    return export->view.freeze == UM_VIEW_ALL || export->view.freeze == freeze->id;
}

uint32_t um_export_freeze_thread(const struct um_export *export, uint32_t ui_thread)
{
    for (size_t i = 0; i < export->thread_count; i++)
        if (export->threads[i].id == ui_thread)
            return ui_thread;
    return export->thread_count > 0 ? export->threads[0].id : 0;
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
