#include "monitor/export/export.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/plain/clock.h"
#include "base/double_bits.h"
#include "monitor/export/causes.h"
#include "monitor/export/flow_ends.h"
#include "monitor/export/marker_types.h"
#include "monitor/flows/flow_names.h"

/* Texts are referred to by their index in one table: first the names, then the modules, then the
 * files of all frames, then the texts of the markers, then the ids of flows. */
struct firefox {
    const struct um_export *export;
    const struct um_export_about *about;
    FILE *out;
    bool ok;
    const struct um_export_sample *samples; /* those of the thread that is being written */
    const struct um_markers *markers;
    struct um_marker_types types;
    struct um_causes causes;
    uint32_t *markers_of; /* of each thread with samples: the one of the markers, or NONE */
    uint64_t next_tid;    /* of a thread whose id is not known */
    double interval_ms;
    uint32_t threads;   /* that were written... */
    uint32_t ui_thread; /* ...and the place of the UI thread among them; 0: it is not there */
};

static double to_ms(uint64_t ns)
{
    return (double)ns / (double)UM_CLOCK_NS_PER_MS;
}

static void put_text(struct firefox *to, const char *text)
{
    to->ok = to->ok && um_export_json_text(to->out, text);
}

/* Writes a column of a table: `count` values, each written by `put`. */
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

/* Writes a column in which all values are the same. */
static void put_same(struct firefox *to, const char *name, uint32_t count, const char *value)
{
    fprintf(to->out, "\"%s\":[", name);
    for (uint32_t i = 0; i < count; i++)
        fprintf(to->out, "%s%s", i > 0 ? "," : "", value);
    fputs("],\n", to->out);
}

/* Writes a column of the numbers from `first` on. */
static void put_range(struct firefox *to, const char *name, uint32_t count, uint32_t first)
{
    fprintf(to->out, "\"%s\":[", name);
    for (uint32_t i = 0; i < count; i++)
        fprintf(to->out, "%s%" PRIu32, i > 0 ? "," : "", first + i);
    fputs("],\n", to->out);
}

/* Writes a number, or `none` if it is not known. */
static void put_number(struct firefox *to, bool is_known, uint32_t number, const char *none)
{
    if (is_known)
        fprintf(to->out, "%" PRIu32, number);
    else
        fputs(none, to->out);
}

static void put_resource(struct firefox *to, uint32_t i)
{
    put_number(to, um_export_module(to->export, i)[0] != '\0', to->export->modules[i], "-1");
}

static void put_source(struct firefox *to, uint32_t i)
{
    put_number(to, name_of(to, i)->file[0] != '\0', i, "null");
}

static void put_line(struct firefox *to, uint32_t i)
{
    uint32_t line = um_export_place(to->export, i).line;
    put_number(to, line > 0, line, "null");
}

/* Stack i is node i + 1 of the tree: all but the root. */
static void put_frame(struct firefox *to, uint32_t i)
{
    fprintf(to->out, "%" PRIu32, um_export_frame(to->export, i + UM_CALLTREE_CUT));
}

static void put_prefix(struct firefox *to, uint32_t i)
{
    uint32_t parent = to->export->tree.nodes[i + UM_CALLTREE_CUT].parent;
    put_number(to, parent != UM_CALLTREE_ROOT, parent - UM_CALLTREE_CUT, "null");
}

/* Writes a function's name without its module, which is a resource of its own. */
static void put_name(struct firefox *to, uint32_t i)
{
    const char *name = name_of(to, i)->name;
    if (i < to->export->hidden && name[0] != '+')
        put_text(to, name);
    else
        put_text(to, um_export_label(to->export, i).text);
}

/* The first text of the markers, and the first id of a flow. */
static uint64_t marker_texts(const struct firefox *to)
{
    return UINT64_C(3) * to->export->count;
}

static uint64_t flow_texts(const struct firefox *to)
{
    return marker_texts(to) + to->markers->texts.count;
}

static void put_strings(struct firefox *to)
{
    uint32_t count = to->export->count;
    fputs("\"stringArray\":[", to->out);
    for (uint32_t i = 0; i < 3 * count; i++) {
        fputs(i == 0 ? "" : i % 8 == 0 ? ",\n" : ",", to->out);
        if (i < count)
            put_name(to, i);
        else if (i < 2 * count)
            put_text(to, um_export_module(to->export, i - count));
        else
            put_text(to, um_export_place(to->export, i - 2 * count).file);
    }
    for (uint32_t i = 0; i < to->markers->texts.count; i++) {
        fputs(i % 8 == 0 ? ",\n" : ",", to->out);
        put_text(to, um_texts_get(&to->markers->texts, i));
    }
    for (uint32_t i = 0; i < to->markers->flow_ids.count; i++) {
        fputs(i % 8 == 0 ? ",\n" : ",", to->out);
        put_text(to, um_texts_get(&to->markers->flow_ids, i));
    }
    fputs("]},\n", to->out);
}

static void put_function(struct firefox *to, uint32_t i)
{
    fprintf(to->out, "%" PRIu32, i % to->export->count);
}

/* The last category is that of guesses. */
static void put_frame_category(struct firefox *to, uint32_t i)
{
    fprintf(to->out, "%" PRIu32, i < to->export->count ? 0 : to->types.category_count + 1);
}

/* Writes the tables that all threads share. Frame, function, resource and source of a function have
 * the same index; further frames are for guesses. */
static void put_shared(struct firefox *to)
{
    uint32_t count = to->export->count, stacks = to->export->tree.count - UM_CALLTREE_CUT;
    uint32_t frames = um_export_numbers(to->export);
    fputs("\"shared\":{\n\"stackTable\":{", to->out);
    put_column(to, "frame", stacks, put_frame);
    put_column(to, "prefix", stacks, put_prefix);
    fprintf(to->out, "\"length\":%" PRIu32 "},\n\"frameTable\":{", stacks);
    put_same(to, "address", frames, "-1");
    put_same(to, "inlineDepth", frames, "0");
    put_column(to, "category", frames, put_frame_category);
    put_same(to, "subcategory", frames, "0");
    put_column(to, "func", frames, put_function);
    put_same(to, "nativeSymbol", frames, "null");
    put_same(to, "innerWindowID", frames, "null");
    put_same(to, "line", frames, "null");
    put_same(to, "column", frames, "null");
    fprintf(to->out, "\"length\":%" PRIu32 "},\n\"funcTable\":{", frames);
    put_range(to, "name", count, 0);
    put_same(to, "isJS", count, "false");
    put_same(to, "relevantForJS", count, "false");
    put_column(to, "resource", count, put_resource);
    put_column(to, "source", count, put_source);
    put_column(to, "lineNumber", count, put_line);
    put_same(to, "columnNumber", count, "null");
    fprintf(to->out, "\"length\":%" PRIu32 "},\n\"resourceTable\":{", count);
    put_same(to, "lib", count, "null");
    put_range(to, "name", count, count);
    put_same(to, "host", count, "null");
    put_same(to, "type", count, "1");
    fprintf(to->out, "\"length\":%" PRIu32 "},\n", count);
    fputs("\"nativeSymbols\":{\"libIndex\":[],\"address\":[],\"name\":[],\"functionSize\":[],"
          "\"length\":0},\n\"sources\":{",
          to->out);
    put_same(to, "id", count, "null");
    put_range(to, "filename", count, 2 * count);
    fprintf(to->out, "\"length\":%" PRIu32 "},\n", count);
    put_strings(to);
}

/* The mean time from sample to sample, as it is written; 1 ms if no two are of one absence. */
static double interval_ms(const struct firefox *to)
{
    const struct um_samples *samples = to->export->view.samples;
    uint64_t sum_ns = 0, count = 0;
    for (size_t i = 0; i < samples->count; i++) {
        sum_ns += samples->entries[i].gap_ns;
        count += samples->entries[i].gap_ns > 0;
    }
    return count > 0 ? round(to_ms(sum_ns / count) * 1000) / 1000 : 1;
}

/* The end of the session, or of what happened after it. */
static double end_ms(const struct firefox *to)
{
    double last_ms = to_ms(to->about->duration_ns);
    for (size_t i = 0; i < to->markers->count; i++)
        if ((double)to->markers->list[i].end_ns / 1e6 > last_ms)
            last_ms = (double)to->markers->list[i].end_ns / 1e6;
    return last_ms;
}

static void put_schema_field(struct firefox *to, uint32_t marker, uint32_t field)
{
    static const char *const formats[] = {[UM_MARKER_TEXT] = "string",
                                          [UM_MARKER_NUMBER] = "decimal",
                                          [UM_MARKER_FLOW] = "flow-id",
                                          [UM_MARKER_TERMINATING_FLOW] = "terminating-flow-id"};
    char key[UM_MARKER_TYPES_BYTES];
    uint32_t place = to->markers->list[marker].first_field + field;
    fputs(field > 0 ? ",{\"key\":" : "{\"key\":", to->out);
    put_text(to, um_marker_types_key(to->markers, marker, field, key));
    fputs(",\"label\":", to->out);
    put_text(to, um_markers_get_text(to->markers, to->markers->fields[place].name));
    fprintf(to->out, ",\"format\":\"%s\"}", formats[to->types.kinds[place]]);
}

/* Writes what markers of a type have. */
static void put_schema(struct firefox *to, uint32_t type)
{
    char name[UM_MARKER_TYPES_BYTES];
    uint32_t marker = to->types.list[type];
    fputs(type > 0 ? ",\n{\"name\":" : "\n{\"name\":", to->out);
    put_text(to, um_marker_types_name(&to->types, type, name));
    fprintf(to->out,
            ",\"tooltipLabel\":\"{marker.name}\",\"tableLabel\":\"{marker.name}\","
            "\"chartLabel\":\"{marker.name}\",\"isStackBased\":%s,"
            "\"display\":[\"marker-chart\",\"marker-table\",\"timeline-overview\"],"
            "\"fields\":[",
            to->markers->list[marker].stack_based ? "true" : "false");
    for (uint32_t i = 0; i < to->markers->list[marker].field_count; i++)
        put_schema_field(to, marker, i);
    fputs("]}", to->out);
}

static void put_category(struct firefox *to, const char *name, const char *color)
{
    fputs("{\"name\":", to->out);
    put_text(to, name);
    fprintf(to->out, ",\"color\":\"%s\",\"subcategories\":[\"Other\"]}", color);
}

static void put_meta(struct firefox *to)
{
    const struct um_export_about *about = to->about;
    fprintf(to->out,
            "\"meta\":{\"preprocessedProfileVersion\":60,\"version\":30,\"interval\":%.3f,"
            "\"product\":",
            to->interval_ms);
    put_text(to, about->program);
    fprintf(to->out,
            ",\"importedFrom\":\"uimon\",\"platform\":\"Windows\",\"processType\":0,"
            "\"stackwalk\":1,\"debug\":false,\"startTime\":%" PRId64 ",\"profilingStartTime\":",
            about->utc_ms);
    um_export_json_number(to->out, (double)um_export_first_ns(about) / (double)UM_CLOCK_NS_PER_MS);
    fprintf(to->out, ",\"profilingEndTime\":%.3f,\n", end_ms(to));
    fputs("\"symbolicated\":true,\"sampleUnits\":{\"time\":\"ms\",\"eventDelay\":\"ms\","
          "\"threadCPUDelta\":\"\xc2\xb5s\"},\n\"categories\":[",
          to->out);
    put_category(to, "Other", "grey");
    for (uint32_t i = 0; i < to->types.category_count; i++) {
        fputc(',', to->out);
        put_category(to, um_markers_get_text(to->markers, to->types.categories[i]), "grey");
    }
    if (to->export->has_guesses) {
        fputc(',', to->out);
        put_category(to, "Guessed caller", "orange");
    }
    fputs("],\n\"markerSchema\":[", to->out);
    for (uint32_t i = 0; i < to->types.count; i++)
        put_schema(to, i);
    fputs("]},\n\"libs\":[],\n", to->out);
}

static void put_stack(struct firefox *to, uint32_t i)
{
    uint32_t node = to->export->nodes[to->samples[i].index];
    put_number(to, node != UM_CALLTREE_ROOT, node - UM_CALLTREE_CUT, "null");
}

static const struct um_samples_entry *entry_of(const struct firefox *to, uint32_t i)
{
    return &to->export->view.samples->entries[to->samples[i].index];
}

static void put_time(struct firefox *to, uint32_t i)
{
    fprintf(to->out, "%.3f", to_ms(entry_of(to, i)->at_ns));
}

/* Writes the CPU time since the sample before; that of an absence's first sample is not known. */
static void put_cpu(struct firefox *to, uint32_t i)
{
    const struct um_calltree_cost *cost = &entry_of(to, i)->cost;
    if (entry_of(to, i)->gap_ns > 0)
        fprintf(to->out, "%" PRIu64, (cost->user_ns + cost->kernel_ns) / UM_CLOCK_NS_PER_US);
    else
        fputs("null", to->out);
}

static void put_weight(struct firefox *to, uint32_t i)
{
    fprintf(to->out, "%.3f", to_ms(entry_of(to, i)->cost.wall_ns));
}

static void put_field(struct firefox *to, uint32_t marker, uint32_t number)
{
    char key[UM_MARKER_TYPES_BYTES];
    const struct um_marker_field *field =
        &to->markers->fields[to->markers->list[marker].first_field + number];
    fputc(',', to->out);
    put_text(to, um_marker_types_key(to->markers, marker, number, key));
    fputc(':', to->out);
    if (um_markers_is_flow(field))
        fprintf(to->out, "%" PRIu64, flow_texts(to) + field->value);
    else if (field->kind == UM_MARKER_NUMBER)
        um_export_json_number(to->out, um_double_bits_value(field->value));
    else
        put_text(to, um_markers_get_text(to->markers, field->value));
}

/* Writes the stack of a freeze. */
static void put_cause(struct firefox *to, uint32_t marker)
{
    const struct um_cause *cause = um_causes_of(&to->causes, to->about, marker);
    if (cause)
        fprintf(to->out, ",\"cause\":{\"time\":%.3f,\"stack\":%" PRIu32 "}", to_ms(cause->at_ns),
                cause->node - UM_CALLTREE_CUT);
}

static void put_data(struct firefox *to, uint32_t marker)
{
    char name[UM_MARKER_TYPES_BYTES];
    fputs("\n{\"type\":", to->out);
    put_text(to, um_marker_types_name(&to->types, to->types.of_marker[marker], name));
    for (uint32_t i = 0; i < to->markers->list[marker].field_count; i++)
        put_field(to, marker, i);
    put_cause(to, marker);
    fputc('}', to->out);
}

static void put_marker_name(struct firefox *to, uint32_t marker)
{
    fprintf(to->out, "%" PRIu64, marker_texts(to) + to->markers->list[marker].name);
}

static void put_start(struct firefox *to, uint32_t marker)
{
    char text[UM_FLOW_NAMES_MS_BYTES];
    fputs(um_flow_names_ms(to->markers->list[marker].start_ns, text), to->out);
}

static void put_end(struct firefox *to, uint32_t marker)
{
    char text[UM_FLOW_NAMES_MS_BYTES];
    const struct um_marker *about = &to->markers->list[marker];
    fputs(about->interval && !about->open ? um_flow_names_ms(about->end_ns, text) : "null",
          to->out);
}

/* An interval whose end was not seen has a begin alone. */
static void put_phase(struct firefox *to, uint32_t marker)
{
    const struct um_marker *about = &to->markers->list[marker];
    fputc(!about->interval ? '0' : about->open ? '2' : '1', to->out);
}

static void put_marker_category(struct firefox *to, uint32_t marker)
{
    fprintf(to->out, "%" PRIu32,
            to->types.category_of[to->markers->list[marker].category] + UINT32_C(1));
}

/* Writes the markers of a thread; NULL: it has none. */
static void put_markers(struct firefox *to, const struct um_marker_thread *thread)
{
    static const struct {
        const char *name;
        void (*put)(struct firefox *, uint32_t);
    } columns[] = {{"data", put_data},       {"name", put_marker_name},
                   {"startTime", put_start}, {"endTime", put_end},
                   {"phase", put_phase},     {"category", put_marker_category}};
    uint32_t count = 0, first = thread ? thread->first : 0;
    fputs("\"markers\":{", to->out);
    for (size_t column = 0; column < sizeof columns / sizeof columns[0]; column++) {
        fprintf(to->out, "\"%s\":[", columns[column].name);
        count = 0;
        for (uint32_t i = first; thread && i < first + thread->count; i++) {
            if (!um_export_shows(to->about, i))
                continue;
            if (count++ > 0)
                fputc(',', to->out);
            columns[column].put(to, i);
        }
        fputs("],", to->out);
    }
    fprintf(to->out, "\"length\":%" PRIu32 "}", count);
}

/* What a thread is. */
struct thread {
    struct um_export_thread sampled; /* `count` 0: it has no samples */
    const struct um_marker_thread *marked;
    const char *name;
    const char *process;
    uint64_t pid;
    uint64_t tid;
};

static void put_thread(struct firefox *to, const struct thread *thread)
{
    bool is_ui_thread = thread->pid == to->about->pid && thread->tid == to->about->thread;
    if (is_ui_thread)
        to->ui_thread = to->threads;
    to->threads++;
    fputs("{\"processType\":\"default\",\"processStartupTime\":0,\"processShutdownTime\":null,"
          "\"registerTime\":0,\"unregisterTime\":null,\"pausedRanges\":[],"
          "\"showMarkersInTimeline\":true,\"name\":",
          to->out);
    put_text(to, thread->name);
    fprintf(to->out,
            ",\"isMainThread\":%s,\"tid\":%" PRIu64 ",\"pid\":\"%" PRIu64 "\",\"processName\":",
            is_ui_thread ? "true" : "false", thread->tid, thread->pid);
    put_text(to, thread->process);
    fputs(",\n\"samples\":{", to->out);
    uint32_t count = (uint32_t)thread->sampled.count;
    to->samples = to->export->samples + thread->sampled.first;
    put_column(to, "stack", count, put_stack);
    put_column(to, "time", count, put_time);
    put_column(to, "threadCPUDelta", count, put_cpu);
    put_column(to, "weight", count, put_weight);
    fprintf(to->out, "\"weightType\":\"tracing-ms\",\"length\":%" PRIu32 "},\n", count);
    put_markers(to, thread->marked);
    fputc('}', to->out);
}

/* The thread with samples that a thread with markers is; NULL if it has none. */
static const struct um_export_thread *sampled_of(const struct firefox *to,
                                                 const struct um_marker_thread *thread)
{
    uint32_t tid = um_export_tid(thread);
    return tid != 0 && thread->pid == to->about->pid ? um_export_thread(to->export, tid) : NULL;
}

static void put_sampled(struct firefox *to, size_t i)
{
    const struct um_export_thread *sampled = &to->export->threads[i];
    struct um_functions_label label = um_view_thread_label(&to->export->view, sampled->id);
    uint32_t marked = to->markers_of[i];
    put_thread(to, &(struct thread){
                       .sampled = *sampled,
                       .marked = marked == UM_MARKERS_NONE ? NULL : &to->markers->threads[marked],
                       .name = label.text,
                       .process = to->about->program,
                       .pid = to->about->pid,
                       .tid = sampled->id});
}

static void put_marked(struct firefox *to, const struct um_marker_thread *marked)
{
    uint32_t tid = um_export_tid(marked);
    put_thread(to, &(struct thread){.marked = marked,
                                    .name = um_markers_get_text(to->markers, marked->name),
                                    .process = um_markers_get_text(to->markers, marked->process),
                                    .pid = marked->pid,
                                    .tid = tid != 0 ? tid : to->next_tid++});
}

static void put_threads(struct firefox *to)
{
    const char *comma = "";
    fputs("\"threads\":[", to->out);
    for (size_t i = 0; i < to->export->thread_count; i++, comma = ",") {
        fprintf(to->out, "%s\n", comma);
        put_sampled(to, i);
    }
    for (size_t i = 0; i < to->markers->thread_count; i++) {
        const struct um_marker_thread *thread = &to->markers->threads[i];
        if (thread->count == 0 || sampled_of(to, thread))
            continue;
        fprintf(to->out, "%s\n", comma);
        put_marked(to, thread);
        comma = ",";
    }
    fputs("]", to->out);
}

static void put_counter_time(struct firefox *to, const struct um_recorded_counter *counter,
                             size_t i)
{
    fprintf(to->out, "%.6f", to_ms(counter->values[i].at_ns));
}

/* The graph shows a count by the time since the one before it, in ms: so this is the value
 * again. */
static void put_counter_count(struct firefox *to, const struct um_recorded_counter *counter,
                              size_t i)
{
    double since_ms =
        i > 0 ? to_ms(counter->values[i].at_ns - counter->values[i - 1].at_ns) : to->interval_ms;
    um_export_json_number(to->out, counter->values[i].value * since_ms);
}

static void
put_counter_column(struct firefox *to, const struct um_recorded_counter *counter, const char *name,
                   void (*put)(struct firefox *, const struct um_recorded_counter *, size_t))
{
    fprintf(to->out, "\"%s\":[", name);
    for (size_t i = 0; i < counter->count; i++) {
        if (i > 0)
            fputc(',', to->out);
        put(to, counter, i);
    }
    fputs("],", to->out);
}

/* Writes a counter. `display` is of version 62; readers of this one pass over it, and the
 * conversion to later versions keeps it. */
static void put_counter(struct firefox *to, const struct um_recorded_counter *counter)
{
    char label[UM_OWN_COUNTERS_PATH_BYTES + UM_OWN_COUNTERS_UNIT_BYTES + 2];
    snprintf(label, sizeof label, "%s%s%s", counter->name, counter->unit[0] != '\0' ? ", " : "",
             counter->unit);
    fputs("\n{\"name\":", to->out);
    put_text(to, counter->name);
    fputs(",\"category\":\"uimon\",\"description\":", to->out);
    put_text(to, label);
    fprintf(to->out, ",\"pid\":\"%" PRIu32 "\",\"mainThreadIndex\":%" PRIu32 ",\"samples\":{",
            to->about->pid, to->ui_thread);
    put_counter_column(to, counter, "time", put_counter_time);
    put_counter_column(to, counter, "count", put_counter_count);
    fprintf(to->out,
            "\"length\":%zu},\n\"display\":{\"graphType\":\"line-rate\",\"unit\":\"\","
            "\"color\":\"grey\",\"markerSchemaLocation\":null,\"sortWeight\":50,\"label\":",
            counter->count);
    put_text(to, label);
    fputs(",\"tooltipRows\":[{\"type\":\"value\",\"source\":\"rate\",\"format\":"
          "{\"unit\":\"number\"},\"label\":",
          to->out);
    put_text(to, label);
    fputs("}]}}", to->out);
}

/* Writes the counters, which belong to a thread. */
static void put_counters(struct firefox *to)
{
    const struct um_recorded_counters *counters = to->about->counters;
    const char *comma = "";
    fputs(",\n\"counters\":[", to->out);
    for (size_t i = 0; counters && i < counters->count && to->threads > 0; i++) {
        if (counters->rows[i].count == 0)
            continue;
        fputs(comma, to->out);
        comma = ",";
        put_counter(to, &counters->rows[i]);
    }
    fputs("]}\n", to->out);
}

/* Finds which threads have samples and markers, and the ids that are free. */
static bool match_threads(struct firefox *to)
{
    size_t count = to->export->thread_count;
    to->markers_of = malloc((count + 1) * sizeof *to->markers_of);
    if (!to->markers_of)
        return false;
    to->next_tid = count > 0 ? to->export->threads[count - 1].id + UINT64_C(1) : 1;
    for (size_t i = 0; i < count; i++)
        to->markers_of[i] = UM_MARKERS_NONE;
    for (uint32_t i = 0; i < to->markers->thread_count; i++) {
        const struct um_export_thread *sampled = sampled_of(to, &to->markers->threads[i]);
        uint32_t tid = um_export_tid(&to->markers->threads[i]);
        if (sampled)
            to->markers_of[sampled - to->export->threads] = i;
        if (tid >= to->next_tid)
            to->next_tid = tid + UINT64_C(1);
    }
    return true;
}

/* The kinds of the fields as this format has them. There a marker is in a flow from its start on,
 * so the last one ends the flow, whichever does when it ends itself. Owner: free. NULL without
 * memory. */
static uint8_t *find_kinds(const struct firefox *to)
{
    struct um_flow_ends ends;
    uint8_t *kinds = malloc(to->markers->field_count + 1);
    if (um_flow_ends_init(&ends, to->about) != UM_OK) {
        free(kinds);
        kinds = NULL;
    }
    for (uint32_t i = 0; i < to->markers->count && kinds; i++) {
        const struct um_marker *marker = &to->markers->list[i];
        for (uint32_t k = marker->first_field; k < marker->first_field + marker->field_count; k++) {
            const struct um_marker_field *field = &to->markers->fields[k];
            kinds[k] = field->kind;
            if (um_markers_is_flow(field))
                kinds[k] = um_flow_ends_get(&ends, um_flows_of_field(to->about->flows, k), i) ==
                                   UM_FLOW_ENDS_LAST
                               ? UM_MARKER_TERMINATING_FLOW
                               : UM_MARKER_FLOW;
        }
    }
    um_flow_ends_deinit(&ends);
    return kinds;
}

enum um_status um_export_firefox(const struct um_view *view, const struct um_export_about *about,
                                 FILE *out)
{
    static const struct um_markers none;
    struct um_export export;
    struct firefox to = {.export = &export,
                         .about = about,
                         .out = out,
                         .ok = true,
                         .markers = about->markers ? about->markers : &none};
    enum um_status status = um_export_begin_tree(&export, view);
    if (status == UM_OK)
        status = um_causes_init(&to.causes, &export);
    uint8_t *kinds = find_kinds(&to);
    if (status == UM_OK && !kinds)
        status = UM_ERR_MEMORY;
    if (status == UM_OK)
        status = um_marker_types_init(&to.types, to.markers, kinds);
    if (status == UM_OK && !match_threads(&to))
        status = UM_ERR_MEMORY;
    if (status == UM_OK) {
        to.interval_ms = interval_ms(&to);
        fputc('{', out);
        put_meta(&to);
        put_shared(&to);
        put_threads(&to);
        put_counters(&to);
        status = fflush(out) != 0 || ferror(out) ? UM_ERR_IO : to.ok ? UM_OK : UM_ERR_MEMORY;
    }
    free(to.markers_of);
    free(kinds);
    um_marker_types_deinit(&to.types);
    um_causes_deinit(&to.causes);
    um_export_end(&export);
    return status;
}
