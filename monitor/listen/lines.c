#include "monitor/listen/lines.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "monitor/base/csv_text.h"
#include "monitor/base/message_names.h"
#include "monitor/base/output.h"
#include "monitor/base/utf8.h"

#define TEXT_COLUMNS 60
#define WHOLE_MAX 1e15 /* up to there a double has every whole number */

static double since_start_s(const struct um_lines_about *about, uint64_t time_ns)
{
    uint64_t start_ns = about->session->start_ns;
    return time_ns >= start_ns ? (double)(time_ns - start_ns) / 1e9
                               : -(double)(start_ns - time_ns) / 1e9;
}

static const char *kind_name(enum um_counters_kind kind)
{
    return kind == UM_COUNTERS_MEAN ? "mean" : "increment";
}

static const char *reason_name(enum um_end_reason reason)
{
    static const char *const names[] = {"stopped", "target_gone", "failed"};
    return names[reason];
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

/* Whether one item of the list is this name, or the begin of it up to its slash. */
static bool is_meant(const struct um_counters_target *target, const char *item, size_t len)
{
    bool of_provider = len == target->provider_bytes + 1;
    return (len == strlen(target->name) || of_provider) && memcmp(target->name, item, len) == 0;
}

bool um_lines_wants(const struct um_lines_about *about, const struct um_counters_target *target)
{
    const char *list = about->targets;
    bool wanted = !list;
    while (list && !wanted) {
        size_t len = strcspn(list, ",");
        wanted = is_meant(target, list, len);
        list = list[len] ? list + len + 1 : NULL;
    }
    return wanted;
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

/* From here on: JSON Lines. */

/* Adds a number with three decimals, which is as much as was measured. */
static bool put_number(cJSON *json, const char *key, double number)
{
    return cJSON_AddNumberToObject(json, key, round(number * 1000) / 1000) != NULL;
}

static bool put_time(cJSON *json, const struct um_lines_about *about, uint64_t time_ns)
{
    char clock[32];
    double since_s = since_start_s(about, time_ns);
    snprintf(clock, sizeof clock, "%" PRIu64, time_ns);
    return cJSON_AddNumberToObject(json, "utc_ms",
                                   round((double)about->session->utc_ms + since_s * 1000)) &&
           put_number(json, "time_s", since_s) && cJSON_AddRawToObject(json, "clock_ns", clock);
}

static cJSON *begin_object(const struct um_lines_about *about, const char *kind)
{
    cJSON *json = cJSON_CreateObject();
    bool whole = json && cJSON_AddStringToObject(json, "kind", kind) &&
                 cJSON_AddStringToObject(json, "target", about->session->name) &&
                 cJSON_AddNumberToObject(json, "pid", about->session->pid);
    if (json && !whole) {
        cJSON_Delete(json);
        json = NULL;
    }
    return json;
}

/* Writes the object as one line and releases it; `whole` says whether it could be made. */
static enum um_status write_object(FILE *out, cJSON *json, bool whole)
{
    char *text = json && whole ? cJSON_PrintUnformatted(json) : NULL;
    cJSON_Delete(json);
    if (!text)
        return UM_ERR_MEMORY;
    bool written = um_output_json(out, text);
    cJSON_free(text);
    return written ? UM_OK : UM_ERR_IO;
}

static bool put_info(cJSON *list, const struct um_counters_info *info)
{
    cJSON *item = cJSON_CreateObject();
    if (!item || !cJSON_AddItemToArray(list, item)) {
        cJSON_Delete(item);
        return false;
    }
    return cJSON_AddStringToObject(item, "name", info->name) &&
           cJSON_AddStringToObject(item, "display", info->display) &&
           cJSON_AddStringToObject(item, "unit", info->unit) &&
           cJSON_AddStringToObject(item, "type", kind_name(info->kind));
}

enum um_status um_lines_json_session(FILE *out, const struct um_lines_about *about)
{
    cJSON *json = begin_object(about, "session");
    bool whole = json && cJSON_AddNumberToObject(json, "monitor_pid", about->monitor_pid) &&
                 put_time(json, about, about->session->start_ns);
    cJSON *list = whole ? cJSON_AddArrayToObject(json, "counters") : NULL;
    whole = list != NULL;
    for (int i = 0; i < UM_COUNTERS_COUNT; i++)
        if (about->wanted[i])
            whole = whole && put_info(list, &um_counters_list[i]);
    return write_object(out, json, whole);
}

enum um_status um_lines_json_target(FILE *out, const struct um_lines_about *about,
                                    const struct um_counters_target *target)
{
    char provider[UM_COUNTERS_TARGET_NAME_BYTES];
    cJSON *json = begin_object(about, "counter");
    snprintf(provider, sizeof provider, "%.*s", (int)target->provider_bytes, target->name);
    bool whole = json && cJSON_AddStringToObject(json, "name", target->name) &&
                 cJSON_AddStringToObject(json, "provider", provider) &&
                 cJSON_AddStringToObject(json, "display", target->display) &&
                 cJSON_AddStringToObject(json, "unit", target->unit) &&
                 cJSON_AddStringToObject(json, "type", kind_name(target->kind));
    return write_object(out, json, whole);
}

static bool put_value(cJSON *values, const struct um_counters_info *info,
                      const struct um_counters_value *value)
{
    if (!info->spread)
        return put_number(values, info->name, value->value);
    cJSON *spread = cJSON_AddObjectToObject(values, info->name);
    return spread && put_number(spread, "mean", value->value) &&
           put_number(spread, "min", value->min) && put_number(spread, "max", value->max) &&
           put_number(spread, "p50", value->p50) && put_number(spread, "p99", value->p99) &&
           cJSON_AddNumberToObject(spread, "count", (double)value->count);
}

/* As they were told, because only the program knows how exact they are. */
static bool put_target(cJSON *values, const struct um_counters_target *target)
{
    const struct um_counters_value *value = &target->value;
    if (target->kind == UM_COUNTERS_INCREMENT)
        return cJSON_AddNumberToObject(values, target->name, value->value) != NULL;
    cJSON *mean = cJSON_AddObjectToObject(values, target->name);
    if (!mean || !cJSON_AddNumberToObject(mean, "mean", value->value))
        return false;
    return value->count == 0 || (cJSON_AddNumberToObject(mean, "min", value->min) &&
                                 cJSON_AddNumberToObject(mean, "max", value->max) &&
                                 cJSON_AddNumberToObject(mean, "count", (double)value->count));
}

enum um_status um_lines_json_interval(FILE *out, const struct um_lines_about *about,
                                      const struct um_counters_interval *interval)
{
    cJSON *json = begin_object(about, "counters");
    double length_s = (double)(interval->end_ns - interval->start_ns) / 1e9;
    bool whole = json && put_time(json, about, interval->end_ns) &&
                 put_number(json, "interval_s", length_s) &&
                 cJSON_AddStringToObject(json, "state", um_wire_state_name(interval->state));
    cJSON *values = whole ? cJSON_AddObjectToObject(json, "values") : NULL;
    whole = values != NULL;
    for (int i = 0; i < UM_COUNTERS_COUNT; i++)
        if (about->wanted[i] && interval->values[i].measured)
            whole = whole && put_value(values, &um_counters_list[i], &interval->values[i]);
    for (size_t i = 0; i < interval->target_count; i++)
        if (interval->targets[i].value.measured && um_lines_wants(about, &interval->targets[i]))
            whole = whole && put_target(values, &interval->targets[i]);
    return write_object(out, json, whole);
}

static bool put_suspect(cJSON *json, const struct um_counters_event *event)
{
    char name[UM_MESSAGE_NAMES_BYTES];
    if (!event->has_message)
        return true;
    name_message(event, name, sizeof name);
    return cJSON_AddStringToObject(json, "message", name) &&
           cJSON_AddStringToObject(json, "window_class", event->window_class);
}

static bool put_hang(cJSON *json, const struct um_counters_event *event)
{
    bool whole = cJSON_AddNumberToObject(json, "hang", event->hang) &&
                 cJSON_AddStringToObject(json, "state", um_wire_state_name(event->state));
    if (event->kind == UM_COUNTERS_HANG_DETECTED)
        whole = whole && put_number(json, "lag_ms", event->length_ms);
    else
        whole = whole && put_number(json, "length_ms", event->length_ms) &&
                put_number(json, "peak_ms", event->peak_ms) &&
                cJSON_AddBoolToObject(json, "void", event->is_void);
    return whole && put_suspect(json, event);
}

static bool put_event(cJSON *json, const struct um_counters_event *event)
{
    char hwnd[32];
    switch (event->kind) {
    case UM_COUNTERS_HANG_LOCATED:
        return cJSON_AddNumberToObject(json, "hang", event->hang) &&
               cJSON_AddStringToObject(json, "where", event->headline) &&
               cJSON_AddNumberToObject(json, "samples", event->samples) &&
               cJSON_AddNumberToObject(json, "alike", event->alike);
    case UM_COUNTERS_STATE_CHANGED:
        return cJSON_AddStringToObject(json, "before", um_wire_state_name(event->before)) &&
               cJSON_AddStringToObject(json, "state", um_wire_state_name(event->state));
    case UM_COUNTERS_WINDOW_CHANGED:
        snprintf(hwnd, sizeof hwnd, "0x%" PRIx64, event->hwnd);
        return cJSON_AddStringToObject(json, "hwnd", hwnd) &&
               cJSON_AddNumberToObject(json, "tid", event->tid) &&
               cJSON_AddStringToObject(json, "title", event->title);
    case UM_COUNTERS_STARVATION_DETECTED:
    case UM_COUNTERS_STARVATION_RECOVERED:
        return cJSON_AddNumberToObject(json, "starvation", event->starvation) &&
               put_number(json, "peak_ms", event->peak_ms);
    case UM_COUNTERS_SESSION_ENDED:
        return cJSON_AddStringToObject(json, "reason", reason_name(event->reason)) != NULL;
    case UM_COUNTERS_CONSUMER_LOST:
        return cJSON_AddNumberToObject(json, "frames", (double)event->frames) != NULL;
    default:
        return put_hang(json, event);
    }
}

enum um_status um_lines_json_event(FILE *out, const struct um_lines_about *about,
                                   const struct um_counters_event *event)
{
    cJSON *json = begin_object(about, "event");
    bool whole = json && put_time(json, about, event->time_ns) &&
                 cJSON_AddStringToObject(json, "event", um_counters_event_name(event->kind)) &&
                 put_event(json, event);
    return write_object(out, json, whole);
}

/* From here on: CSV. */

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

enum um_status um_lines_csv_interval(FILE *out, const struct um_lines_about *about,
                                     const struct um_counters_interval *interval)
{
    for (int i = 0; i < UM_COUNTERS_COUNT; i++) {
        const struct um_counters_info *info = &um_counters_list[i];
        const struct um_counters_value *value = &interval->values[i];
        if (!about->wanted[i])
            continue;
        put_csv_begin(out, about, interval->end_ns, kind_name(info->kind), info->name);
        if (value->measured)
            fprintf(out, ",%.3f", value->value);
        else
            fputs(",NA", out);
        fprintf(out, ",%s", info->unit[0] ? info->unit : "NA");
        if (value->measured && info->spread)
            fprintf(out, ",%" PRIu64 ",%.3f,%.3f,%.3f,%.3f\n", value->count, value->min, value->max,
                    value->p50, value->p99);
        else
            fputs(",NA,NA,NA,NA,NA\n", out);
    }
    for (size_t i = 0; i < interval->target_count; i++)
        if (um_lines_wants(about, &interval->targets[i]))
            put_csv_target(out, about, interval->end_ns, &interval->targets[i]);
    return ferror(out) ? UM_ERR_IO : UM_OK;
}

enum um_status um_lines_csv_event(FILE *out, const struct um_lines_about *about,
                                  const struct um_counters_event *event)
{
    put_csv_begin(out, about, event->time_ns, "event", um_counters_event_name(event->kind));
    if (is_of_hang(event) || is_of_starvation(event))
        fprintf(out, ",%.3f,ms,NA,NA,NA,NA,NA",
                is_of_hang(event) ? event->length_ms : event->peak_ms);
    else if (event->kind == UM_COUNTERS_CONSUMER_LOST)
        fprintf(out, ",%" PRIu64 ",NA,NA,NA,NA,NA,NA", event->frames);
    else
        fputs(",NA,NA,NA,NA,NA,NA,NA", out);
    return end_line(out);
}

/* From here on: text. */

enum um_status um_lines_text_interval(FILE *out, const struct um_lines_about *about,
                                      const struct um_counters_interval *interval)
{
    fprintf(out, "%8.3f s  %s", since_start_s(about, interval->end_ns),
            um_wire_state_name(interval->state));
    for (int i = 0; i < UM_COUNTERS_COUNT; i++) {
        const struct um_counters_info *info = &um_counters_list[i];
        const struct um_counters_value *value = &interval->values[i];
        if (!about->wanted[i] || !value->measured)
            continue;
        fprintf(out, "  %s %.*f", info->name, info->unit[0] ? 2 : 0, value->value);
        if (info->spread)
            fprintf(out, " (p50 %.2f, p99 %.2f, max %.2f)", value->p50, value->p99, value->max);
    }
    for (size_t i = 0; i < interval->target_count; i++) {
        const struct um_counters_target *target = &interval->targets[i];
        char number[32];
        if (!target->value.measured || !um_lines_wants(about, target))
            continue;
        um_lines_number(number, sizeof number, target->value.value);
        fprintf(out, "  %s %s", target->name, number);
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
