#include "monitor/listen/lines.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/csv_text.h"
#include "base/message_names.h"
#include "base/output.h"
#include "base/utf8.h"
#include "monitor/json/json.h"

#define TEXT_COLUMNS 60
#define WHOLE_MAX 1e15 /* a double has every whole number up to here */

static double since_start_s(const struct um_lines_about *about, uint64_t time_ns)
{
    uint64_t start_ns = about->session->start_ns;
    return time_ns >= start_ns ? (double)(time_ns - start_ns) / 1e9
                               : -(double)(start_ns - time_ns) / 1e9;
}

static const char *kind_name(enum um_counters_kind kind)
{
    return kind == UM_COUNTERS_MEAN        ? "mean"
           : kind == UM_COUNTERS_INCREMENT ? "increment"
                                           : "unknown";
}

static const char *reason_name(enum um_end_reason reason)
{
    static const char *const names[] = {"stopped", "target_gone", "failed"};
    return reason < UM_END_COUNT ? names[reason] : "unknown";
}

static bool is_of_hang(const struct um_counters_event *event)
{
    return event->kind == UM_COUNTERS_HANG_DETECTED || event->kind == UM_COUNTERS_HANG_ENDED;
}

static bool is_of_starvation(const struct um_counters_event *event)
{
    return event->kind == UM_COUNTERS_STARVATION_DETECTED ||
           event->kind == UM_COUNTERS_STARVATION_RECOVERED;
}

static void name_message(const struct um_counters_event *event, char *name, size_t cap)
{
    um_message_names_get(event->message, event->message_name, name, cap);
}

/* Whether an item of the list is the counter's name, or its provider with the slash. `any_layout`:
 * a component's is also meant by its provider alone. */
static bool is_meant(const struct um_counters_target *target, bool any_layout, const char *item,
                     size_t len)
{
    bool of_provider = len == target->provider_bytes + 1 ||
                       (target->is_layout && any_layout && len == target->provider_bytes);
    return (len == strlen(target->name) || of_provider) && memcmp(target->name, item, len) == 0;
}

static bool is_wanted(const struct um_lines_about *about, const struct um_counters_target *target,
                      bool any_layout)
{
    const char *list = about->targets;
    bool wanted = !list && (!target->is_layout || any_layout);
    while (list && !wanted) {
        size_t len = strcspn(list, ",");
        wanted = is_meant(target, any_layout, list, len);
        list = list[len] ? list + len + 1 : NULL;
    }
    return wanted;
}

bool um_lines_wants(const struct um_lines_about *about, const struct um_counters_target *target)
{
    return is_wanted(about, target, true);
}

bool um_lines_wants_value(const struct um_lines_about *about,
                          const struct um_counters_target *target)
{
    return is_wanted(about, target, target->is_costly);
}

void um_lines_number(char *text, size_t cap_bytes, double number)
{
    if (!(fabs(number) < WHOLE_MAX))
        snprintf(text, cap_bytes, "%.6g", number);
    else if (number == floor(number))
        snprintf(text, cap_bytes, "%.0f", number);
    else if (fabs(number) < 0.01)
        snprintf(text, cap_bytes, "%.2g", number);
    else
        snprintf(text, cap_bytes, "%.2f", number);
}

static enum um_status end_line(FILE *out)
{
    fputc('\n', out);
    return ferror(out) ? UM_ERR_IO : UM_OK;
}

/* With three decimals, which is as much as was measured. */
static void put_number(struct um_json *json, cJSON *object, const char *name, double number)
{
    um_json_decimals(json, object, name, number, 3);
}

static void put_time(struct um_json *json, cJSON *root, const struct um_lines_about *about,
                     uint64_t time_ns)
{
    double since_s = since_start_s(about, time_ns);
    um_json_decimals(json, root, "utc_ms", (double)about->session->utc_ms + since_s * 1000, 0);
    put_number(json, root, "time_s", since_s);
    um_json_u64(json, root, "clock_ns", time_ns);
}

static cJSON *begin_object(struct um_json *json, const struct um_lines_about *about,
                           const char *kind)
{
    cJSON *root = cJSON_CreateObject();
    um_json_any_text(json, root, "kind", kind);
    um_json_any_text(json, root, "target", about->session->name);
    um_json_number(json, root, "pid", about->session->pid);
    return root;
}

/* Writes the object as one line and releases it. */
static enum um_status write_object(FILE *out, const struct um_json *json, cJSON *root)
{
    char *text = um_json_print(json, root, false);
    if (!text)
        return UM_ERR_MEMORY;
    bool written = um_output_json(out, text);
    cJSON_free(text);
    return written ? UM_OK : UM_ERR_IO;
}

enum um_status um_lines_json_session(FILE *out, const struct um_lines_about *about)
{
    struct um_json json = {.failed = false};
    cJSON *root = begin_object(&json, about, "session");
    um_json_number(&json, root, "monitor_pid", about->monitor_pid);
    put_time(&json, root, about, about->session->start_ns);
    cJSON *list = um_json_array(&json, root, "counters");
    for (int i = 0; i < UM_METRICS_COUNT; i++) {
        const struct um_metrics_row *info = &um_metrics_list[i];
        if (!about->wanted[i])
            continue;
        cJSON *item = um_json_append_object(&json, list);
        um_json_any_text(&json, item, "name", info->name);
        um_json_any_text(&json, item, "display", info->display);
        um_json_any_text(&json, item, "unit", info->unit);
        um_json_any_text(&json, item, "type", kind_name(um_counters_kind_of(info)));
    }
    return write_object(out, &json, root);
}

enum um_status um_lines_json_target(FILE *out, const struct um_lines_about *about,
                                    const struct um_counters_target *target)
{
    char provider[UM_COUNTERS_TARGET_NAME_BYTES];
    struct um_json json = {.failed = false};
    cJSON *root = begin_object(&json, about, "counter");
    snprintf(provider, sizeof provider, "%.*s", (int)target->provider_bytes, target->name);
    um_json_any_text(&json, root, "name", target->name);
    um_json_any_text(&json, root, "provider", provider);
    um_json_any_text(&json, root, "display", target->display);
    um_json_any_text(&json, root, "unit", target->unit);
    um_json_any_text(&json, root, "type", kind_name(target->kind));
    return write_object(out, &json, root);
}

static void put_value(struct um_json *json, cJSON *values, const struct um_metrics_row *info,
                      const struct um_counters_value *value)
{
    if (info->kind != UM_METRICS_SPREAD) {
        put_number(json, values, info->name, value->value);
        return;
    }
    cJSON *spread = um_json_object(json, values, info->name);
    put_number(json, spread, "mean", value->value);
    put_number(json, spread, "min", value->min);
    put_number(json, spread, "max", value->max);
    put_number(json, spread, "p50", value->p50);
    put_number(json, spread, "p99", value->p99);
    um_json_number(json, spread, "count", (double)value->count);
}

/* A time of 0 is none: the component had no such step. */
static void put_time_of(struct um_json *json, cJSON *object, const char *name, double ms)
{
    if (ms > 0)
        put_number(json, object, name, ms);
}

static void put_layout(struct um_json *json, cJSON *values, const struct um_counters_target *target)
{
    cJSON *object = um_json_object(json, values, target->name);
    put_time_of(json, object, "mean", target->value.value);
    put_time_of(json, object, "max", target->value.max);
    put_time_of(json, object, "measure", target->last_frame.measure);
    put_time_of(json, object, "arrange", target->last_frame.arrange);
    put_time_of(json, object, "paint", target->last_frame.paint);
}

/* Writes all digits, because only the program knows how exact its values are. */
static void put_target(struct um_json *json, cJSON *values, const struct um_counters_target *target)
{
    const struct um_counters_value *value = &target->value;
    if (target->is_layout) {
        put_layout(json, values, target);
        return;
    }
    if (target->kind == UM_COUNTERS_INCREMENT) {
        um_json_number(json, values, target->name, value->value);
        return;
    }
    cJSON *mean = um_json_object(json, values, target->name);
    um_json_number(json, mean, "mean", value->value);
    if (value->count == 0)
        return;
    um_json_number(json, mean, "min", value->min);
    um_json_number(json, mean, "max", value->max);
    um_json_number(json, mean, "count", (double)value->count);
}

enum um_status um_lines_json_interval(FILE *out, const struct um_lines_about *about,
                                      const struct um_counters_interval *interval)
{
    struct um_json json = {.failed = false};
    cJSON *root = begin_object(&json, about, "counters");
    put_time(&json, root, about, interval->end_ns);
    put_number(&json, root, "interval_s", (double)(interval->end_ns - interval->start_ns) / 1e9);
    um_json_any_text(&json, root, "state", um_wire_state_name(interval->state));
    cJSON *values = um_json_object(&json, root, "values");
    for (int i = 0; i < UM_METRICS_COUNT; i++)
        if (about->wanted[i] && interval->values[i].measured)
            put_value(&json, values, &um_metrics_list[i], &interval->values[i]);
    for (size_t i = 0; i < interval->target_count; i++)
        if (interval->targets[i].value.measured &&
            um_lines_wants_value(about, &interval->targets[i]))
            put_target(&json, values, &interval->targets[i]);
    return write_object(out, &json, root);
}

static void put_hang(struct um_json *json, cJSON *root, const struct um_counters_event *event)
{
    char name[UM_MESSAGE_NAMES_BYTES];
    um_json_number(json, root, "hang", event->hang);
    um_json_any_text(json, root, "state", um_wire_state_name(event->state));
    if (event->kind == UM_COUNTERS_HANG_DETECTED) {
        put_number(json, root, "lag_ms", event->length_ms);
    } else {
        put_number(json, root, "length_ms", event->length_ms);
        put_number(json, root, "peak_ms", event->peak_ms);
        um_json_bool(json, root, "void", event->is_void);
    }
    if (!event->has_message)
        return;
    name_message(event, name, sizeof name);
    um_json_any_text(json, root, "message", name);
    um_json_any_text(json, root, "window_class", event->window_class);
}

static void put_event(struct um_json *json, cJSON *root, const struct um_counters_event *event)
{
    char hwnd[32];
    switch (event->kind) {
    case UM_COUNTERS_HANG_LOCATED:
        um_json_number(json, root, "hang", event->hang);
        um_json_any_text(json, root, "where", event->headline);
        um_json_number(json, root, "samples", event->samples);
        um_json_number(json, root, "alike", event->alike);
        break;
    case UM_COUNTERS_STATE_CHANGED:
        um_json_any_text(json, root, "before", um_wire_state_name(event->before));
        um_json_any_text(json, root, "state", um_wire_state_name(event->state));
        break;
    case UM_COUNTERS_WINDOW_CHANGED:
        snprintf(hwnd, sizeof hwnd, "0x%" PRIx64, event->hwnd);
        um_json_any_text(json, root, "hwnd", hwnd);
        um_json_number(json, root, "tid", event->tid);
        um_json_any_text(json, root, "title", event->title);
        break;
    case UM_COUNTERS_STARVATION_DETECTED:
    case UM_COUNTERS_STARVATION_RECOVERED:
        um_json_number(json, root, "starvation", event->starvation);
        if (event->is_dotnet) {
            um_json_any_text(json, root, "source", "dotnet");
            put_number(json, root, "peak_items", event->most_items);
        } else {
            put_number(json, root, "peak_ms", event->peak_ms);
        }
        break;
    case UM_COUNTERS_SESSION_ENDED:
        um_json_any_text(json, root, "reason", reason_name(event->reason));
        break;
    case UM_COUNTERS_CONSUMER_LOST:
        um_json_number(json, root, "frames", (double)event->frames);
        break;
    default:
        put_hang(json, root, event);
    }
}

enum um_status um_lines_json_event(FILE *out, const struct um_lines_about *about,
                                   const struct um_counters_event *event)
{
    struct um_json json = {.failed = false};
    cJSON *root = begin_object(&json, about, "event");
    put_time(&json, root, about, event->time_ns);
    um_json_any_text(&json, root, "event", um_counters_event_name(event->kind));
    put_event(&json, root, event);
    return write_object(out, &json, root);
}

static void put_csv_begin(FILE *out, const struct um_lines_about *about, uint64_t time_ns,
                          const char *kind, const char *name)
{
    um_csv_text_put(out, about->session->name);
    fprintf(out, ",%" PRIu32 ",%.3f,%s,", about->session->pid, since_start_s(about, time_ns), kind);
    um_csv_text_put(out, name);
}

static void put_csv_target(FILE *out, const struct um_lines_about *about, uint64_t time_ns,
                           const struct um_counters_target *target)
{
    const struct um_counters_value *value = &target->value;
    put_csv_begin(out, about, time_ns, kind_name(target->kind), target->name);
    if (value->measured)
        fprintf(out, ",%.15g,", value->value);
    else
        fputs(",NA,", out);
    um_csv_text_put(out, target->unit[0] ? target->unit : "NA");
    if (value->measured && value->count)
        fprintf(out, ",%" PRIu64 ",%.15g,%.15g,NA,NA\n", value->count, value->min, value->max);
    else
        fputs(",NA,NA,NA,NA,NA\n", out);
}

static void put_csv_time(FILE *out, double ms)
{
    if (ms > 0)
        fprintf(out, ",%.3f", ms);
    else
        fputs(",NA", out);
}

static void put_csv_layout(FILE *out, const struct um_lines_about *about, uint64_t time_ns,
                           const struct um_counters_target *target)
{
    const struct {
        const char *name;
        double value, max;
    } rows[] = {{"", target->value.value, target->value.max},
                {".measure", target->last_frame.measure, 0},
                {".arrange", target->last_frame.arrange, 0},
                {".paint", target->last_frame.paint, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char name[UM_COUNTERS_TARGET_NAME_BYTES + 16];
        (void)snprintf(name, sizeof name, "%s%s", target->name, rows[i].name);
        put_csv_begin(out, about, time_ns, kind_name(target->kind), name);
        put_csv_time(out, rows[i].value);
        fprintf(out, ",%s,NA,NA", target->unit);
        put_csv_time(out, rows[i].max);
        fputs(",NA,NA\n", out);
    }
}

enum um_status um_lines_csv_interval(FILE *out, const struct um_lines_about *about,
                                     const struct um_counters_interval *interval)
{
    for (int i = 0; i < UM_METRICS_COUNT; i++) {
        const struct um_metrics_row *info = &um_metrics_list[i];
        const struct um_counters_value *value = &interval->values[i];
        if (!about->wanted[i])
            continue;
        put_csv_begin(out, about, interval->end_ns, kind_name(um_counters_kind_of(info)),
                      info->name);
        if (value->measured)
            fprintf(out, ",%.3f", value->value);
        else
            fputs(",NA", out);
        fprintf(out, ",%s", info->unit[0] ? info->unit : "NA");
        if (value->measured && info->kind == UM_METRICS_SPREAD)
            fprintf(out, ",%" PRIu64 ",%.3f,%.3f,%.3f,%.3f\n", value->count, value->min, value->max,
                    value->p50, value->p99);
        else
            fputs(",NA,NA,NA,NA,NA\n", out);
    }
    for (size_t i = 0; i < interval->target_count; i++)
        if (um_lines_wants_value(about, &interval->targets[i]))
            (interval->targets[i].is_layout ? put_csv_layout : put_csv_target)(
                out, about, interval->end_ns, &interval->targets[i]);
    return ferror(out) ? UM_ERR_IO : UM_OK;
}

enum um_status um_lines_csv_event(FILE *out, const struct um_lines_about *about,
                                  const struct um_counters_event *event)
{
    put_csv_begin(out, about, event->time_ns, "event", um_counters_event_name(event->kind));
    if (is_of_starvation(event) && event->is_dotnet)
        fprintf(out, ",%.0f,items,NA,NA,NA,NA,NA", event->most_items);
    else if (is_of_hang(event) || is_of_starvation(event))
        fprintf(out, ",%.3f,ms,NA,NA,NA,NA,NA",
                is_of_hang(event) ? event->length_ms : event->peak_ms);
    else if (event->kind == UM_COUNTERS_CONSUMER_LOST)
        fprintf(out, ",%" PRIu64 ",NA,NA,NA,NA,NA,NA", event->frames);
    else
        fputs(",NA,NA,NA,NA,NA,NA,NA", out);
    return end_line(out);
}

/* " 5.20 (measure 0.10, arrange 5.10, max 8.00)"; a time of 0 is none. */
static void put_text_layout(FILE *out, const struct um_counters_target *target)
{
    const struct {
        const char *name;
        double ms;
    } parts[] = {{"measure", target->last_frame.measure},
                 {"arrange", target->last_frame.arrange},
                 {"paint", target->last_frame.paint},
                 {"max", target->value.max}};
    const char *before = " (";
    if (target->value.value > 0)
        fprintf(out, " %.2f", target->value.value);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (parts[i].ms > 0) {
            fprintf(out, "%s%s %.2f", before, parts[i].name, parts[i].ms);
            before = ", ";
        }
    if (before[0] == ',')
        fputc(')', out);
}

enum um_status um_lines_text_interval(FILE *out, const struct um_lines_about *about,
                                      const struct um_counters_interval *interval)
{
    fprintf(out, "%8.3f s  %s", since_start_s(about, interval->end_ns),
            um_wire_state_name(interval->state));
    for (int i = 0; i < UM_METRICS_COUNT; i++) {
        const struct um_metrics_row *info = &um_metrics_list[i];
        const struct um_counters_value *value = &interval->values[i];
        if (!about->wanted[i] || !value->measured)
            continue;
        fprintf(out, "  %s %.*f", info->name, info->unit[0] ? 2 : 0, value->value);
        if (info->kind == UM_METRICS_SPREAD)
            fprintf(out, " (p50 %.2f, p99 %.2f, max %.2f)", value->p50, value->p99, value->max);
    }
    for (size_t i = 0; i < interval->target_count; i++) {
        const struct um_counters_target *target = &interval->targets[i];
        char number[32];
        if (!target->value.measured || !um_lines_wants_value(about, target))
            continue;
        fprintf(out, "  %s", target->name);
        if (target->is_layout) {
            put_text_layout(out, target);
            continue;
        }
        um_lines_number(number, sizeof number, target->value.value);
        fprintf(out, " %s", number);
    }
    return end_line(out);
}

static void describe_hang(char *text, size_t cap, const struct um_counters_event *event)
{
    char name[UM_MESSAGE_NAMES_BYTES];
    int used;

    if (event->kind == UM_COUNTERS_HANG_DETECTED)
        used =
            snprintf(text, cap, " %.0f ms, %s", event->length_ms, um_wire_state_name(event->state));
    else
        used = snprintf(text, cap, " %.0f ms, %s, peak %.0f ms%s", event->length_ms,
                        um_wire_state_name(event->state), event->peak_ms,
                        event->is_void ? ", it was none" : "");
    if (!event->has_message || used < 0 || (size_t)used >= cap)
        return;
    name_message(event, name, sizeof name);
    snprintf(text + used, cap - (size_t)used, ", after %s for %s",
             um_utf8_show(name, TEXT_COLUMNS).text,
             um_utf8_show(event->window_class, TEXT_COLUMNS).text);
}

void um_lines_text_event(char *line, const struct um_lines_about *about,
                         const struct um_counters_event *event)
{
    char more[UM_LINES_EVENT_BYTES - 64] = "";

    if (is_of_hang(event))
        describe_hang(more, sizeof more, event);
    else if (is_of_starvation(event) && event->is_dotnet)
        snprintf(more, sizeof more, " of .NET's pool, up to %.0f items waited", event->most_items);
    else if (is_of_starvation(event))
        snprintf(more, sizeof more, " peak %.0f ms", event->peak_ms);
    else if (event->kind == UM_COUNTERS_HANG_LOCATED)
        snprintf(more, sizeof more, " %" PRIu32 " of %" PRIu32 " in %s", event->alike,
                 event->samples, um_utf8_show(event->headline, TEXT_COLUMNS).text);
    else if (event->kind == UM_COUNTERS_STATE_CHANGED)
        snprintf(more, sizeof more, " %s -> %s", um_wire_state_name(event->before),
                 um_wire_state_name(event->state));
    else if (event->kind == UM_COUNTERS_WINDOW_CHANGED)
        snprintf(more, sizeof more, " 0x%" PRIx64 " \"%s\"", event->hwnd,
                 um_utf8_show(event->title, TEXT_COLUMNS).text);
    else if (event->kind == UM_COUNTERS_CONSUMER_LOST)
        snprintf(more, sizeof more, " %" PRIu64 " frames: this program reads too slowly",
                 event->frames);
    else
        snprintf(more, sizeof more, " %s", reason_name(event->reason));
    snprintf(line, UM_LINES_EVENT_BYTES, "%8.3f s  %s%s", since_start_s(about, event->time_ns),
             um_counters_event_name(event->kind), more);
}
