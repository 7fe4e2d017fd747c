#include "monitor/profile/export.h"

#include <inttypes.h>
#include <stdlib.h>

#include "ipc/clock.h"

/* Texts are referred to by their places in one table: those of the frames first, as many for the
 * names, the modules and the files. */
struct firefox {
    const struct um_export *export;
    const struct um_export_about *about;
    const struct um_export_stacks *stacks;
    uint32_t *modules; /* of each frame: the first frame with the same module */
    FILE *out;
    bool ok;
};

#define FREEZE_TEXT 0 /* the first text: the name of the markers */
#define FRAME_TEXTS 1

static double to_ms(uint64_t ns)
{
    return (double)ns / (double)UM_CLOCK_NS_PER_MS;
}

static void put_text(struct firefox *to, const char *text)
{
    to->ok = to->ok && um_export_json_text(to->out, text);
}

/* A column of a table: `count` values, each made by `put`. */
static void put_column(struct firefox *to, const char *name, uint32_t count,
                       void (*put)(struct firefox *, uint32_t))
{
    fprintf(to->out, "\"%s\":[", name);
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0)
            fputc(',', to->out);
        put(to, i);
    }
    fputs("],\n", to->out);
}

static const struct um_functions_name *name_of(const struct firefox *to, uint32_t frame)
{
    static const struct um_functions_name none = {.module = "", .name = "", .file = ""};
    return frame < to->export->hidden ? um_functions_get(to->export->view.functions, frame) : &none;
}

static void put_null(struct firefox *to, uint32_t i)
{
    (void)i;
    fputs("null", to->out);
}

static void put_zero(struct firefox *to, uint32_t i)
{
    (void)i;
    fputc('0', to->out);
}

static void put_one(struct firefox *to, uint32_t i)
{
    (void)i;
    fputc('1', to->out);
}

static void put_minus_one(struct firefox *to, uint32_t i)
{
    (void)i;
    fputs("-1", to->out);
}

static void put_false(struct firefox *to, uint32_t i)
{
    (void)i;
    fputs("false", to->out);
}

static void put_number(struct firefox *to, uint32_t i)
{
    fprintf(to->out, "%" PRIu32, i);
}

static void put_name_text(struct firefox *to, uint32_t i)
{
    fprintf(to->out, "%" PRIu32, FRAME_TEXTS + i);
}

static void put_module_text(struct firefox *to, uint32_t i)
{
    fprintf(to->out, "%" PRIu32, FRAME_TEXTS + to->export->count + i);
}

static void put_file_text(struct firefox *to, uint32_t i)
{
    fprintf(to->out, "%" PRIu32, FRAME_TEXTS + 2 * to->export->count + i);
}

static void put_resource(struct firefox *to, uint32_t i)
{
    if (um_export_module(to->export, i)[0] != '\0')
        put_number(to, to->modules[i]);
    else
        put_minus_one(to, i);
}

static void put_source(struct firefox *to, uint32_t i)
{
    if (name_of(to, i)->file[0] != '\0')
        put_number(to, i);
    else
        put_null(to, i);
}

static void put_line(struct firefox *to, uint32_t i)
{
    if (name_of(to, i)->line > 0)
        put_number(to, name_of(to, i)->line);
    else
        put_null(to, i);
}

/* Stack i is node i + 1 of the tree: all but the root. */
static void put_frame(struct firefox *to, uint32_t i)
{
    const struct um_calltree_node *node = &to->stacks->tree.nodes[i + UM_CALLTREE_CUT];
    put_number(to, i == 0 ? to->export->cut : (uint32_t)node->key);
}

static void put_prefix(struct firefox *to, uint32_t i)
{
    uint32_t parent = to->stacks->tree.nodes[i + UM_CALLTREE_CUT].parent;
    if (parent == UM_CALLTREE_ROOT)
        put_null(to, i);
    else
        put_number(to, parent - UM_CALLTREE_CUT);
}

/* The name without its module, which is a resource of its own. */
static void put_name(struct firefox *to, uint32_t i)
{
    const char *name = name_of(to, i)->name;
    if (i < to->export->hidden && name[0] != '+')
        put_text(to, name);
    else
        put_text(to, um_export_label(to->export, i).text);
}

static void put_strings(struct firefox *to)
{
    uint32_t count = to->export->count;
    fputs("\"stringArray\":[\"Freeze\"", to->out);
    for (uint32_t i = 0; i < 3 * count; i++) {
        fputs(i % 8 == 0 ? ",\n" : ",", to->out);
        if (i < count)
            put_name(to, i);
        else if (i < 2 * count)
            put_text(to, um_export_module(to->export, i - count));
        else
            put_text(to, name_of(to, i - 2 * count)->file);
    }
    fputs("]},\n", to->out);
}

/* Each function is a frame, and has a place among the resources and the sources too. */
static void put_shared(struct firefox *to)
{
    uint32_t count = to->export->count, stacks = to->stacks->tree.count - UM_CALLTREE_CUT;
    fputs("\"shared\":{\n\"stackTable\":{", to->out);
    put_column(to, "frame", stacks, put_frame);
    put_column(to, "prefix", stacks, put_prefix);
    fprintf(to->out, "\"length\":%" PRIu32 "},\n\"frameTable\":{", stacks);
    put_column(to, "address", count, put_minus_one);
    put_column(to, "inlineDepth", count, put_zero);
    put_column(to, "category", count, put_zero);
    put_column(to, "subcategory", count, put_zero);
    put_column(to, "func", count, put_number);
    put_column(to, "nativeSymbol", count, put_null);
    put_column(to, "innerWindowID", count, put_null);
    put_column(to, "line", count, put_null);
    put_column(to, "column", count, put_null);
    fprintf(to->out, "\"length\":%" PRIu32 "},\n\"funcTable\":{", count);
    put_column(to, "name", count, put_name_text);
    put_column(to, "isJS", count, put_false);
    put_column(to, "relevantForJS", count, put_false);
    put_column(to, "resource", count, put_resource);
    put_column(to, "source", count, put_source);
    put_column(to, "lineNumber", count, put_line);
    put_column(to, "columnNumber", count, put_null);
    fprintf(to->out, "\"length\":%" PRIu32 "},\n\"resourceTable\":{", count);
    put_column(to, "lib", count, put_null);
    put_column(to, "name", count, put_module_text);
    put_column(to, "host", count, put_null);
    put_column(to, "type", count, put_one);
    fprintf(to->out, "\"length\":%" PRIu32 "},\n", count);
    fputs("\"nativeSymbols\":{\"libIndex\":[],\"address\":[],\"name\":[],\"functionSize\":[],"
          "\"length\":0},\n\"sources\":{",
          to->out);
    put_column(to, "id", count, put_null);
    put_column(to, "filename", count, put_file_text);
    fprintf(to->out, "\"length\":%" PRIu32 "},\n", count);
    put_strings(to);
}

/* The mean time from sample to sample; 1 ms if there are no two of one absence. */
static double interval_ms(const struct firefox *to)
{
    const struct um_samples *samples = to->export->view.samples;
    uint64_t sum_ns = 0, count = 0;
    for (size_t i = 0; i < samples->count; i++) {
        sum_ns += samples->entries[i].cost.wall_ns;
        count += samples->entries[i].cost.wall_ns > 0;
    }
    return count > 0 ? to_ms(sum_ns / count) : 1;
}

static void put_meta(struct firefox *to)
{
    const struct um_export_about *about = to->about;
    fprintf(to->out,
            "\"meta\":{\"preprocessedProfileVersion\":60,\"version\":30,\"interval\":%.3f,"
            "\"product\":",
            interval_ms(to));
    put_text(to, about->program);
    fprintf(to->out,
            ",\"importedFrom\":\"uimon\",\"platform\":\"Windows\",\"processType\":0,"
            "\"stackwalk\":1,\"debug\":false,\"startTime\":%" PRId64
            ",\"profilingStartTime\":0,\"profilingEndTime\":%.3f,\n",
            about->utc_ms, to_ms(about->duration_ns));
    fputs("\"symbolicated\":true,\"sampleUnits\":{\"time\":\"ms\",\"eventDelay\":\"ms\","
          "\"threadCPUDelta\":\"\xc2\xb5s\"},\n"
          "\"categories\":[{\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":[\"Other\"]}],"
          "\n\"markerSchema\":[{\"name\":\"freeze\",\"tooltipLabel\":\"Freeze\","
          "\"tableLabel\":\"{marker.data.state}: {marker.data.suspect}\","
          "\"display\":[\"marker-chart\",\"marker-table\",\"timeline-overview\"],\"fields\":["
          "{\"key\":\"state\",\"label\":\"State\",\"format\":\"string\"},"
          "{\"key\":\"suspect\",\"label\":\"Suspect\",\"format\":\"string\"}]}]},\n"
          "\"libs\":[],\n",
          to->out);
}

/* Calls `put` for each sample of the thread, with commas between. */
static void put_samples(struct firefox *to, const char *name, const struct um_export_thread *thread,
                        void (*put)(struct firefox *, size_t))
{
    fprintf(to->out, "\"%s\":[", name);
    for (size_t i = 0; i < thread->count; i++) {
        if (i > 0)
            fputc(',', to->out);
        put(to, to->export->samples[thread->first + i].index);
    }
    fputs("],\n", to->out);
}

static void put_stack(struct firefox *to, size_t i)
{
    uint32_t node = to->stacks->nodes[i];
    if (node == UM_CALLTREE_ROOT)
        fputs("null", to->out);
    else
        put_number(to, node - UM_CALLTREE_CUT);
}

static void put_time(struct firefox *to, size_t i)
{
    fprintf(to->out, "%.3f", to_ms(to->export->view.samples->entries[i].at_ns));
}

/* Since the sample before; not known of the first one of an absence. */
static void put_cpu(struct firefox *to, size_t i)
{
    const struct um_calltree_cost *cost = &to->export->view.samples->entries[i].cost;
    if (cost->wall_ns > 0)
        fprintf(to->out, "%" PRIu64, (cost->user_ns + cost->kernel_ns) / UM_CLOCK_NS_PER_US);
    else
        fputs("null", to->out);
}

static void put_marker_data(struct firefox *to, const struct um_export_freeze *freeze)
{
    fputs("{\"type\":\"freeze\",\"state\":", to->out);
    put_text(to, freeze->state);
    fputs(",\"suspect\":", to->out);
    put_text(to, freeze->suspect);
    fputc('}', to->out);
}

static void put_markers(struct firefox *to, bool is_ui_thread)
{
    static const char *const columns[] = {"data",    "name",  "startTime",
                                          "endTime", "phase", "category"};
    uint32_t count = 0;
    fputs("\"markers\":{", to->out);
    for (size_t column = 0; column < sizeof columns / sizeof columns[0]; column++) {
        fprintf(to->out, "\"%s\":[", columns[column]);
        count = 0;
        for (size_t i = 0; is_ui_thread && i < to->about->freeze_count; i++) {
            const struct um_export_freeze *freeze = &to->about->freezes[i];
            double start_ms = (double)freeze->start_ns / (double)UM_CLOCK_NS_PER_MS;
            if (!um_export_has_freeze(to->export, freeze))
                continue;
            if (count++ > 0)
                fputc(',', to->out);
            if (column == 0)
                put_marker_data(to, freeze);
            else if (column == 2)
                fprintf(to->out, "%.3f", start_ms);
            else if (column == 3)
                fprintf(to->out, "%.3f", start_ms + to_ms(freeze->duration_ns));
            else
                fputc(column == 4 ? '1' : '0', to->out);
        }
        fputs("],", to->out);
    }
    fprintf(to->out, "\"length\":%" PRIu32 "}", count);
}

static void put_thread(struct firefox *to, const struct um_export_thread *thread, bool is_ui_thread)
{
    fputs("{\"processType\":\"default\",\"processStartupTime\":0,\"processShutdownTime\":null,"
          "\"registerTime\":0,\"unregisterTime\":null,\"pausedRanges\":[],"
          "\"showMarkersInTimeline\":true,\"name\":",
          to->out);
    put_text(to, um_export_thread_label(to->export, thread->id).text);
    fprintf(to->out,
            ",\"isMainThread\":%s,\"tid\":%" PRIu32 ",\"pid\":\"%" PRIu32 "\",\"processName\":",
            is_ui_thread ? "true" : "false", thread->id, to->about->pid);
    put_text(to, to->about->program);
    fputs(",\n\"samples\":{", to->out);
    put_samples(to, "stack", thread, put_stack);
    put_samples(to, "time", thread, put_time);
    put_samples(to, "threadCPUDelta", thread, put_cpu);
    fprintf(to->out, "\"weight\":null,\"weightType\":\"samples\",\"length\":%zu},\n",
            thread->count);
    put_markers(to, is_ui_thread);
    fputc('}', to->out);
}

static void put_threads(struct firefox *to)
{
    uint32_t shows = um_export_freeze_thread(to->export, to->about->thread);
    fputs("\"threads\":[", to->out);
    for (size_t i = 0; i < to->export->thread_count; i++) {
        const struct um_export_thread *thread = &to->export->threads[i];
        fprintf(to->out, "%s\n", i > 0 ? "," : "");
        put_thread(to, thread, thread->id == shows);
    }
    fputs("]}\n", to->out);
}

enum um_status um_export_firefox(const struct um_view *view, const struct um_export_about *about,
                                 FILE *out)
{
    struct um_export export;
    struct um_export_stacks stacks = {0};
    struct firefox to = {
        .export = &export, .about = about, .stacks = &stacks, .out = out, .ok = true};
    enum um_status status = um_export_begin(&export, view);
    if (status == UM_OK)
        status = um_export_modules(&export, &to.modules);
    if (status == UM_OK)
        status = um_export_stacks_init(&export, &stacks);
    if (status == UM_OK) {
        fputc('{', out);
        put_meta(&to);
        put_shared(&to);
        put_threads(&to);
        status = fflush(out) != 0 || ferror(out) ? UM_ERR_IO : to.ok ? UM_OK : UM_ERR_MEMORY;
    }
    um_export_stacks_deinit(&stacks);
    um_export_end(&export);
    free(to.modules);
    return status;
}
