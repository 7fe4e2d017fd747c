#include "monitor/export/export.h"

#include <inttypes.h>

static bool put_frames(const struct um_export *export, FILE *out)
{
    bool ok = true;
    fprintf(out, "\"shared\":{\"frames\":[");
    for (uint32_t i = 0; i < um_export_numbers(export) && ok; i++) {
        const struct um_export_place place = um_export_place(export, i);
        fprintf(out, "%s\n{\"name\":", i > 0 ? "," : "");
        ok = um_export_json_text(out, um_export_label(export, i).text);
        if (place.file[0] != '\0') {
            fprintf(out, ",\"file\":");
            ok = ok && um_export_json_text(out, place.file);
            if (place.line > 0)
                fprintf(out, ",\"line\":%" PRIu32, place.line);
        }
        fprintf(out, "}");
    }
    fprintf(out, "]}");
    return ok;
}

static void put_stacks(const struct um_export *export, const struct um_export_thread *thread,
                       FILE *out)
{
    uint32_t frames[UM_EXPORT_DEPTH];
    fprintf(out, ",\n\"samples\":[");
    for (size_t i = 0; i < thread->count; i++) {
        uint32_t node = export->nodes[export->samples[thread->first + i].index];
        size_t count = um_export_stack(export, node, frames);
        fprintf(out, i > 0 ? ",\n[" : "\n[");
        while (count-- > 0)
            fprintf(out, count > 0 ? "%" PRIu32 "," : "%" PRIu32, frames[count]);
        fprintf(out, "]");
    }
    fprintf(out, "]");
}

/* Writes the weight of each sample, and returns the sum. */
static uint64_t put_weights(const struct um_export *export, const struct um_export_thread *thread,
                            FILE *out)
{
    const struct um_samples_entry *entries = export->view.samples->entries;
    uint64_t sum = 0;
    fprintf(out, ",\n\"weights\":[");
    for (size_t i = 0; i < thread->count; i++) {
        uint64_t wall_ns = entries[export->samples[thread->first + i].index].cost.wall_ns;
        fprintf(out, "%s%" PRIu64, i > 0 ? "," : "", wall_ns);
        sum += wall_ns;
    }
    fprintf(out, "]");
    return sum;
}

static void put_thread(const struct um_export *export, const struct um_export_thread *thread,
                       FILE *out)
{
    fputs("{\"type\":\"sampled\",\"name\":", out);
    um_export_json_text(out, um_view_thread_label(&export->view, thread->id).text);
    fputs(",\"unit\":\"nanoseconds\",\"startValue\":0", out);
    put_stacks(export, thread, out);
    uint64_t sum = put_weights(export, thread, out);
    fprintf(out, ",\"endValue\":%" PRIu64 "}", sum);
}

static enum um_status put_profile(const struct um_export *export, FILE *out)
{
    fprintf(out, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
                 "\"exporter\":\"uimon\",\n");
    if (!put_frames(export, out))
        return ferror(out) ? UM_ERR_IO : UM_ERR_MEMORY;
    fprintf(out, ",\n\"profiles\":[");
    for (size_t i = 0; i < export->thread_count; i++) {
        fprintf(out, "%s\n", i > 0 ? "," : "");
        put_thread(export, &export->threads[i], out);
    }
    fprintf(out, "]}\n");
    return fflush(out) == 0 && !ferror(out) ? UM_OK : UM_ERR_IO;
}

enum um_status um_export_speedscope(const struct um_view *view, const struct um_export_about *about,
                                    FILE *out)
{
    (void)about;
    struct um_export export;
    enum um_status status = um_export_begin_tree(&export, view);
    if (status == UM_OK)
        status = put_profile(&export, out);
    um_export_end(&export);
    return status;
}
