#include "monitor/export/export.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/double_bits.h"
#include "monitor/export/flow_ends.h"
#include "monitor/export/tracks.h"
#include "monitor/flows/chrome_markers.h"

#define FLOW_CATEGORY "flow"
#define NAME_BYTES 1024

struct chrome {
    const struct um_export_about *about;
    const struct um_markers *markers;
    FILE *out;
    struct um_tracks tracks;
    struct um_flow_ends flow_ends;
    uint32_t *flow_names; /* of each id: the field that mentions it first, one of the texts */
    uint64_t next_tid;    /* of a track that is no thread, or of one whose id is not known */
    uint64_t tids[UM_TRACKS_MOST]; /* of the tracks of the thread that is being written */
    const struct um_marker_thread *thread;
    uint64_t
        shift_ns; /* from the first time to the session's start: Perfetto drops what is before 0 */
    const char *comma;
    bool ok;
};

static void put_string(struct chrome *to, const char *text)
{
    to->ok = um_export_json_text(to->out, text) && to->ok;
}

static void put_text(struct chrome *to, const char *name, const char *text)
{
    fprintf(to->out, ",\"%s\":", name);
    put_string(to, text);
}

/* A time in µs, to the nanosecond. */
static void put_us(struct chrome *to, const char *name, uint64_t ns)
{
    fprintf(to->out, ",\"%s\":%" PRIu64 ".%03" PRIu64, name, ns / 1000, ns % 1000);
}

static void put_start(struct chrome *to, const struct um_marker *marker)
{
    put_us(to, "ts", (uint64_t)marker->start_ns + to->shift_ns);
}

static void begin_event(struct chrome *to, char phase, uint64_t tid)
{
    fprintf(to->out, "%s\n{\"ph\":\"%c\",\"pid\":%" PRIu64 ",\"tid\":%" PRIu64, to->comma, phase,
            to->thread->pid, tid);
    to->comma = ",";
}

static void put_label(struct chrome *to, const char *what, uint64_t tid, const char *name)
{
    begin_event(to, 'M', tid);
    fprintf(to->out, ",\"name\":\"%s\",\"args\":{\"name\":", what);
    put_string(to, name);
    fputs("}}", to->out);
}

/* Gives a track its id, and says what it is called. */
static void begin_track(void *context, uint32_t track)
{
    struct chrome *to = context;
    char name[NAME_BYTES];
    uint32_t tid = track == 0 ? um_export_tid(to->thread) : 0;
    const char *thread = um_markers_get_text(to->markers, to->thread->name);
    to->tids[track] = tid != 0 ? tid : to->next_tid++;
    snprintf(name, sizeof name, "%.1000s (%" PRIu32 ")", thread, track + 1);
    put_label(to, "process_name", to->tids[track],
              um_markers_get_text(to->markers, to->thread->process));
    put_label(to, "thread_name", to->tids[track], track == 0 ? thread : name);
}

static void put_fields(struct chrome *to, const struct um_marker *marker)
{
    const char *comma = "";
    fputs(",\"args\":{", to->out);
    for (uint32_t i = 0; i < marker->field_count; i++) {
        const struct um_marker_field *field = &to->markers->fields[marker->first_field + i];
        if (um_markers_is_flow(field))
            continue;
        fputs(comma, to->out);
        put_string(to, um_markers_get_text(to->markers, field->name));
        fputc(':', to->out);
        if (field->kind == UM_MARKER_NUMBER)
            um_export_json_number(to->out, um_double_bits_value(field->value));
        else
            put_string(to, um_markers_get_text(to->markers, field->value));
        comma = ",";
    }
    fputs("}}", to->out);
}

/* The id is a number, and no two flows have the same: Perfetto drops events with another kind of
 * id, and does not let ids be used again in this format. What the flow is called is an argument. */
static void put_flow(struct chrome *to, uint32_t number, uint32_t flow, uint64_t tid)
{
    static const char phases[] = {
        [UM_FLOW_ENDS_FIRST] = 's', [UM_FLOW_ENDS_MIDDLE] = 't', [UM_FLOW_ENDS_LAST] = 'f'};
    uint32_t id = to->about->flows->list[flow].id;
    char phase = phases[um_flow_ends_get(&to->flow_ends, flow, number)];
    begin_event(to, phase, tid);
    put_start(to, &to->markers->list[number]);
    fputs(",\"cat\":\"" FLOW_CATEGORY "\"", to->out);
    put_text(to, "name", um_markers_get_text(to->markers, to->flow_names[id]));
    fprintf(to->out,
            ",\"id\":%" PRIu64 ",\"args\":{\"" UM_CHROME_MARKERS_FLOW "\":", UINT64_C(1) + flow);
    put_string(to, um_texts_get(&to->markers->flow_ids, id));
    fputs(phase == 'f' ? "},\"bp\":\"e\"}" : "}}", to->out);
}

/* A flow event needs a slice. */
static bool has_length(const void *context, const struct um_marker *marker)
{
    const struct chrome *to = context;
    if (marker->interval)
        return true;
    for (uint32_t i = 0; i < marker->field_count; i++)
        if (um_markers_is_flow(&to->markers->fields[marker->first_field + i]))
            return true;
    return false;
}

/* Writes a slice with its flow events. */
static void put_slice(struct chrome *to, uint32_t number, uint64_t tid)
{
    const struct um_marker *marker = &to->markers->list[number];
    begin_event(to, marker->open ? 'B' : 'X', tid);
    put_start(to, marker);
    if (!marker->open)
        put_us(to, "dur", (uint64_t)marker->end_ns - (uint64_t)marker->start_ns);
    put_text(to, "name", um_markers_get_text(to->markers, marker->name));
    put_text(to, "cat", um_markers_get_text(to->markers, marker->category));
    put_fields(to, marker);
    for (size_t i = 0; i < marker->field_count; i++) {
        uint32_t flow = um_flow_ends_next(&to->flow_ends, number, marker->first_field + i);
        if (flow != UM_FLOWS_NONE)
            put_flow(to, number, flow, tid);
    }
}

static void put_instant(struct chrome *to, const struct um_marker *marker)
{
    begin_event(to, 'i', to->tids[0]);
    fputs(",\"s\":\"t\"", to->out);
    put_start(to, marker);
    put_text(to, "name", um_markers_get_text(to->markers, marker->name));
    put_text(to, "cat", um_markers_get_text(to->markers, marker->category));
    put_fields(to, marker);
}

static void put_marker(void *context, uint32_t number, uint32_t track)
{
    struct chrome *to = context;
    if (track != UM_TRACKS_NONE)
        put_slice(to, number, to->tids[track]);
    else
        put_instant(to, &to->markers->list[number]);
}

static void put_thread(struct chrome *to, const struct um_marker_thread *thread)
{
    const struct um_tracks_format format = {to, has_length, begin_track, put_marker};
    to->thread = thread;
    um_tracks_write(&to->tracks, thread, to->about->chosen, &format);
}

/* All events of a flow have the same name in this format. */
static bool name_flows(struct chrome *to)
{
    const struct um_markers *markers = to->markers;
    to->flow_names = malloc((markers->flow_ids.count + 1) * sizeof *to->flow_names);
    if (!to->flow_names)
        return false;
    for (size_t i = markers->field_count; i-- > 0;)
        if (um_markers_is_flow(&markers->fields[i]))
            to->flow_names[markers->fields[i].value] = markers->fields[i].name;
    return true;
}

static void put_threads(struct chrome *to)
{
    for (size_t i = 0; i < to->markers->thread_count; i++)
        if (um_export_tid(&to->markers->threads[i]) >= to->next_tid)
            to->next_tid = UINT64_C(1) + um_export_tid(&to->markers->threads[i]);
    for (size_t i = 0; i < to->markers->thread_count && to->ok; i++)
        put_thread(to, &to->markers->threads[i]);
}

/* Writes a counter of the process: its unit is the name of its one value. */
static void put_counter(struct chrome *to, const struct um_recorded_counter *counter)
{
    for (size_t i = 0; i < counter->count && to->ok; i++) {
        fprintf(to->out, "%s\n{\"ph\":\"C\",\"pid\":%" PRIu32, to->comma, to->about->pid);
        to->comma = ",";
        put_us(to, "ts", counter->values[i].at_ns + to->shift_ns);
        put_text(to, "name", counter->name);
        fputs(",\"args\":{", to->out);
        put_string(to, counter->unit[0] != '\0' ? counter->unit : "value");
        fputc(':', to->out);
        um_export_json_number(to->out, counter->values[i].value);
        fputs("}}", to->out);
    }
}

enum um_status um_export_chrome(const struct um_view *view, const struct um_export_about *about,
                                FILE *out)
{
    static const struct um_markers none;
    struct chrome to = {.about = about, .out = out, .comma = "", .next_tid = 1, .ok = true};
    (void)view;
    to.markers = about->markers ? about->markers : &none;
    to.shift_ns = 0 - (uint64_t)um_export_first_ns(about);
    to.ok = name_flows(&to) && um_flow_ends_init(&to.flow_ends, about) == UM_OK &&
            um_tracks_init(&to.tracks, to.markers, NULL, NULL) == UM_OK;
    fputs("{\"displayTimeUnit\":\"ms\",\"otherData\":{\"exporter\":\"uimon\"", out);
    put_us(&to, "session_start_us", to.shift_ns);
    fputs("},\n\"traceEvents\":[", out);
    if (to.ok)
        put_threads(&to);
    for (size_t i = 0; about->counters && i < about->counters->count; i++)
        put_counter(&to, &about->counters->rows[i]);
    fputs("]}\n", out);
    um_tracks_deinit(&to.tracks);
    um_flow_ends_deinit(&to.flow_ends);
    free(to.flow_names);
    return fflush(out) != 0 || ferror(out) ? UM_ERR_IO : to.ok ? UM_OK : UM_ERR_MEMORY;
}
