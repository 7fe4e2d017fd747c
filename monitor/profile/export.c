#include "monitor/profile/export.h"

#include <string.h>

#include <cjson/cJSON.h>

void um_export_begin(struct um_export *export, const struct um_view *view)
{
    struct um_calltree_frame frames[UM_CALLTREE_DEPTH];
    struct um_calltree_sample sample;
    for (size_t i = 0; i < view->samples->count; i++)
        um_view_sample(view, i, frames, &sample);
    export->view = *view;
    export->hidden = view->functions->name_count;
    export->cut = export->hidden + 1;
    export->count = export->hidden + 2;
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

bool um_export_next_thread(const struct um_export *export, bool *found, uint32_t *thread)
{
    const struct um_samples *samples = export->view.samples;
    bool again = false;
    uint32_t next = 0;
    for (size_t i = 0; i < samples->count; i++) {
        const struct um_samples_entry *entry = &samples->entries[i];
        if ((export->view.thread != UM_VIEW_ALL && entry->thread != export->view.thread) ||
            (export->view.freeze != UM_VIEW_ALL && entry->freeze != export->view.freeze) ||
            (*found && entry->thread <= *thread) || (again && entry->thread >= next))
            continue;
        again = true;
        next = entry->thread;
    }
    if (again)
        *thread = next;
    *found = again;
    return again;
}

struct um_functions_label um_export_label(const struct um_export *export, uint32_t frame)
{
    if (frame == export->hidden)
        return (struct um_functions_label){.text = "[hidden]"};
    if (frame == export->cut)
        return (struct um_functions_label){.text = "[stack not read]"};
    return um_functions_label(export->view.functions, frame);
}

bool um_export_json_text(FILE *out, const char *text)
{
    cJSON *string = cJSON_CreateString(text);
    char *made = cJSON_PrintUnformatted(string);
    bool written = made && fputs(made, out) >= 0;
    cJSON_free(made);
    cJSON_Delete(string);
    return written;
}
