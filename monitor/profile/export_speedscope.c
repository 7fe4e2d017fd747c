#include "monitor/profile/export.h"

#include <inttypes.h>

static bool put_frames(const struct um_export *export, FILE *out)
{
    bool ok = true;
    fprintf(out, "\"shared\":{\"frames\":[");
    for (uint32_t i = 0; i < export->count && ok; i++) {
        const struct um_functions_name *name = um_functions_get(export->view.functions, i);
        fprintf(out, "%s\n{\"name\":", i > 0 ? "," : "");
        ok = um_export_json_text(out, um_export_label(export, i).text);
        if (i < export->hidden && name->file[0] != '\0') {
            fprintf(out, ",\"file\":");
            ok = ok && um_export_json_text(out, name->file);
            if (name->line > 0)
                fprintf(out, ",\"line\":%" PRIu32, name->line);
        }
        fprintf(out, "}");
    }
    fprintf(out, "]}");
    return ok;
}

static void put_stacks(const struct um_export *export, FILE *out)
{
    uint32_t frames[UM_EXPORT_DEPTH];
    const char *comma = "";
    size_t count;
    fprintf(out, ",\n\"samples\":[");
    for (size_t i = 0; i < export->view.samples->count; i++) {
        if (!um_export_stack(export, i, frames, &count))
            continue;
        fprintf(out, "%s\n[", comma);
        for (size_t j = 0; j < count; j++)
            fprintf(out, "%s%" PRIu32, j > 0 ? "," : "", frames[j]);
        fprintf(out, "]");
        comma = ",";
    }
    fprintf(out, "]");
}

/* Writes the weights, and returns their sum. */
static uint64_t put_weights(const struct um_export *export, FILE *out)
{
    struct um_calltree_frame frames[UM_CALLTREE_DEPTH];
    struct um_calltree_sample sample;
    const char *comma = "";
    uint64_t sum = 0;
    fprintf(out, ",\n\"weights\":[");
    for (size_t i = 0; i < export->view.samples->count; i++) {
        if (!um_view_sample(&export->view, i, frames, &sample))
            continue;
        fprintf(out, "%s%" PRIu64, comma, sample.cost.wall_ns);
        sum += sample.cost.wall_ns;
        comma = ",";
    }
    fprintf(out, "]");
    return sum;
}

static void put_thread(const struct um_export *export, uint32_t thread, FILE *out)
{
    struct um_export one = *export;
    one.view.thread = thread;
    fputs("{\"type\":\"sampled\",\"name\":", out);
    um_export_json_text(out, um_export_thread_label(export, thread).text);
    fputs(",\"unit\":\"nanoseconds\",\"startValue\":0", out);
    put_stacks(&one, out);
    uint64_t sum = put_weights(&one, out);
    fprintf(out, ",\"endValue\":%" PRIu64 "}", sum);
}

enum um_status um_export_speedscope(const struct um_view *view, FILE *out)
{
    struct um_export export;
    const char *comma = "";
    uint32_t thread = 0;
    bool found = false;
    um_export_begin(&export, view);
    fprintf(out, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
                 "\"exporter\":\"uimon\",\n");
    if (!put_frames(&export, out))
        return ferror(out) ? UM_ERR_IO : UM_ERR_MEMORY;
    fprintf(out, ",\n\"profiles\":[");
    while (um_export_next_thread(&export, &found, &thread)) {
        fprintf(out, "%s\n", comma);
        put_thread(&export, thread, out);
        comma = ",";
    }
    fprintf(out, "]}\n");
    return fflush(out) == 0 && !ferror(out) ? UM_OK : UM_ERR_IO;
}
