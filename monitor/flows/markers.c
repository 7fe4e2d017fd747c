#include "monitor/flows/markers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/double_bits.h"
#include "base/list.h"
#include "base/plain/text.h"
#include "monitor/flows/runs.h"

static uint32_t add_to(struct um_markers *markers, struct um_texts *set, const char *text)
{
    uint32_t number = um_texts_add(set, text, strlen(text));
    markers->failed |= number == UM_TEXTS_NONE;
    return number;
}

uint32_t um_markers_add_text(struct um_markers *markers, const char *text)
{
    return add_to(markers, &markers->texts, text);
}

uint32_t um_markers_add_id(struct um_markers *markers, const char *id)
{
    return add_to(markers, &markers->flow_ids, id);
}

uint32_t um_markers_thread_of(struct um_markers *markers, const char *id, const char *name,
                              const char *process, const char *process_id)
{
    struct um_marker_thread thread = {.name = um_markers_add_text(markers, name),
                                      .process = um_markers_add_text(markers, process)};
    if (strcmp(process_id, "0") != 0)
        um_text_set(thread.process_id, sizeof thread.process_id, process_id);
    um_text_set(thread.id, sizeof thread.id, id);
    if (!um_list_reserve(&markers->threads, &markers->thread_room, markers->thread_count + 1,
                         UM_MARKERS_MOST, sizeof thread)) {
        markers->failed = true;
        return UM_MARKERS_NONE;
    }
    markers->threads[markers->thread_count] = thread;
    return (uint32_t)markers->thread_count++;
}

uint32_t um_markers_thread(struct um_markers *markers, const char *id, const char *name,
                           const char *process, uint64_t pid)
{
    char process_id[24];
    snprintf(process_id, sizeof process_id, "%" PRIu64, pid);
    uint32_t place = um_markers_thread_of(markers, id, name, process, process_id);
    if (place != UM_MARKERS_NONE)
        markers->threads[place].pid = pid;
    return place;
}

static int64_t limit(int64_t time_ns)
{
    return time_ns > UM_MARKERS_MOST_NS    ? UM_MARKERS_MOST_NS
           : time_ns < -UM_MARKERS_MOST_NS ? -UM_MARKERS_MOST_NS
                                           : time_ns;
}

struct um_marker *um_markers_add(struct um_markers *markers, uint32_t thread, uint32_t name,
                                 uint32_t category, int64_t start_ns, int64_t end_ns)
{
    static struct um_marker nowhere;
    if (thread >= markers->thread_count ||
        !um_list_reserve(&markers->list, &markers->room, markers->count + 1, UM_MARKERS_MOST,
                         sizeof *markers->list)) {
        markers->failed = true;
        return &nowhere;
    }
    struct um_marker *marker = &markers->list[markers->count++];
    *marker = (struct um_marker){.start_ns = limit(start_ns),
                                 .end_ns = limit(end_ns > start_ns ? end_ns : start_ns),
                                 .thread = thread,
                                 .name = name,
                                 .category = category,
                                 .first_field = (uint32_t)markers->field_count,
                                 .interval = true};
    return marker;
}

struct um_marker *um_markers_interval(struct um_markers *markers, uint32_t thread, const char *name,
                                      const char *category, int64_t start_ns, int64_t end_ns)
{
    uint32_t name_number = um_markers_add_text(markers, name);
    uint32_t category_number = um_markers_add_text(markers, category);
    return um_markers_add(markers, thread, name_number, category_number, start_ns, end_ns);
}

void um_markers_instant(struct um_markers *markers, uint32_t thread, const char *name,
                        const char *category, int64_t at_ns)
{
    um_markers_interval(markers, thread, name, category, at_ns, at_ns)->interval = false;
}

void um_markers_field(struct um_markers *markers, uint32_t name, enum um_marker_field_kind kind,
                      uint64_t value, int64_t at_ns)
{
    if (markers->count == 0)
        return;
    if (markers->list[markers->count - 1].field_count == UINT16_MAX) {
        markers->fields_left_out++;
        return;
    }
    if (!um_list_reserve(&markers->fields, &markers->field_room, markers->field_count + 1,
                         UM_MARKERS_MOST, sizeof *markers->fields)) {
        markers->failed = true;
        return;
    }
    markers->fields[markers->field_count++] = (struct um_marker_field){
        .value = value, .at_ns = limit(at_ns), .name = name, .kind = (uint8_t)kind};
    markers->list[markers->count - 1].field_count++;
}

static void add_field(struct um_markers *markers, const char *name, enum um_marker_field_kind kind,
                      uint64_t value, int64_t at_ns)
{
    um_markers_field(markers, um_markers_add_text(markers, name), kind, value, at_ns);
}

void um_markers_text(struct um_markers *markers, const char *name, const char *text)
{
    add_field(markers, name, UM_MARKER_TEXT, um_markers_add_text(markers, text), 0);
}

void um_markers_number(struct um_markers *markers, const char *name, double number)
{
    add_field(markers, name, UM_MARKER_NUMBER, um_double_bits_of(number), 0);
}

void um_markers_flow_at(struct um_markers *markers, const char *name,
                        enum um_marker_field_kind kind, const char *id, int64_t at_ns,
                        uint32_t order)
{
    size_t count = markers->field_count;
    add_field(markers, name, kind, um_markers_add_id(markers, id), at_ns);
    if (markers->field_count > count)
        markers->fields[count].order = order;
}

void um_markers_flow_text(struct um_markers *markers, const char *name,
                          enum um_marker_field_kind kind, const char *id, bool at_end)
{
    if (markers->count == 0)
        return;
    const struct um_marker *last = &markers->list[markers->count - 1];
    add_field(markers, name, kind, um_markers_add_id(markers, id),
              at_end ? last->end_ns : last->start_ns);
}

void um_markers_flow(struct um_markers *markers, const char *name, enum um_marker_field_kind kind,
                     uint64_t id)
{
    char text[17];
    snprintf(text, sizeof text, "%016" PRIx64, id);
    um_markers_flow_text(markers, name, kind, text, false);
}

void um_markers_say(struct um_markers *markers, const char *text)
{
    size_t len = strlen(markers->said);
    if (text[0] != '\0')
        snprintf(markers->said + len, sizeof markers->said - len, "%s%s", len > 0 ? "; " : "",
                 text);
}

/* Finishing ------------------------------------------------------------------------------------ */

static bool is_before(const void *b, const void *a, const void *context)
{
    const struct um_marker *second = b, *first = a;
    (void)context;
    if (second->thread != first->thread)
        return second->thread < first->thread;
    return second->start_ns < first->start_ns;
}

static void number_threads(struct um_markers *markers)
{
    for (size_t i = 0; i < markers->count; i++) {
        struct um_marker_thread *thread = &markers->threads[markers->list[i].thread];
        if (thread->count++ == 0)
            thread->first = (uint32_t)i;
    }
}

static bool has_processes(const struct um_markers *markers)
{
    const char *first = NULL; /* that is known */
    for (size_t i = 0; i < markers->thread_count; i++) {
        const char *other = markers->threads[i].process_id;
        if (other[0] == '\0')
            continue;
        if (first && strcmp(other, first) != 0)
            return true;
        first = other;
    }
    return false;
}

static void label_threads(struct um_markers *markers)
{
    bool with_pid = has_processes(markers);
    for (size_t i = 0; i < markers->thread_count; i++) {
        struct um_marker_thread *thread = &markers->threads[i];
        if (with_pid && thread->process_id[0] != '\0' && thread->id[0] != '\0')
            snprintf(thread->label, sizeof thread->label, "%s.%s", thread->process_id, thread->id);
        else
            um_text_set(thread->label, sizeof thread->label, thread->id);
    }
}

/* Whether the label was not there yet. */
static bool add_label(struct um_markers *markers, struct um_texts *labels, const char *label)
{
    size_t known = labels->count;
    uint32_t number = um_texts_add(labels, label, strlen(label));
    markers->failed |= number == UM_TEXTS_NONE;
    return number == known;
}

/* Threads that are called the same get a number for a name: their place, or if that is the name of
 * another one, a later number. */
static void tell_threads_apart(struct um_markers *markers)
{
    struct um_texts labels = {0};
    size_t last = 0;
    for (size_t i = 0; i < markers->thread_count; i++) {
        struct um_marker_thread *thread = &markers->threads[i];
        bool is_new = thread->label[0] != '\0' && add_label(markers, &labels, thread->label);
        while (!is_new && !markers->failed) {
            last = last > i ? last + 1 : i + 1;
            snprintf(thread->label, sizeof thread->label, "#%zu", last);
            is_new = add_label(markers, &labels, thread->label);
        }
    }
    um_texts_deinit(&labels);
}

enum um_status um_markers_finish(struct um_markers *markers)
{
    if (markers->failed ||
        !um_runs_sort(markers->list, markers->count, sizeof *markers->list, is_before, NULL))
        return UM_ERR_MEMORY;
    number_threads(markers);
    label_threads(markers);
    tell_threads_apart(markers);
    return markers->failed ? UM_ERR_MEMORY : UM_OK;
}

const char *um_markers_name(const struct um_markers *markers, uint32_t marker, char *text)
{
    const struct um_marker_thread *thread = &markers->threads[markers->list[marker].thread];
    snprintf(text, UM_MARKERS_NAME_BYTES, "%s:%" PRIu32, thread->label, marker - thread->first + 1);
    return text;
}

uint32_t um_markers_find(const struct um_markers *markers, const char *name)
{
    const char *colon = strrchr(name, ':');
    char *end;
    if (!colon || colon[1] < '0' || colon[1] > '9')
        return UM_MARKERS_NONE;
    unsigned long long number = strtoull(colon + 1, &end, 10);
    for (size_t i = 0; i < markers->thread_count && *end == '\0'; i++) {
        const struct um_marker_thread *thread = &markers->threads[i];
        if (strlen(thread->label) == (size_t)(colon - name) &&
            strncmp(thread->label, name, (size_t)(colon - name)) == 0)
            return number >= 1 && number <= thread->count ? thread->first + (uint32_t)number - 1
                                                          : UM_MARKERS_NONE;
    }
    return UM_MARKERS_NONE;
}

void um_markers_deinit(struct um_markers *markers)
{
    free(markers->list);
    free(markers->fields);
    free(markers->threads);
    um_texts_deinit(&markers->texts);
    um_texts_deinit(&markers->flow_ids);
    *markers = (struct um_markers){0};
}
