#include "monitor/flows/firefox_markers.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/double_bits.h"
#include "base/list.h"
#include "base/texts.h"
#include "monitor/flows/json_stream.h"
#include "monitor/json/json.h"

#define MOST_MS ((double)UM_MARKERS_MOST_NS / 1e6)
#define STACK_BASED UM_TEXTS_NONE /* in place of a key: markers of this type lie on the stack */

enum path {
    VERSION,
    RAW_VERSION,
    SCHEMAS,
    CATEGORIES,
    SHARED_STRINGS,
    THREAD_STRINGS,
    THREAD_NAME,
    THREAD_PROCESS,
    THREAD_PID,
    THREAD_TID,
    MARKER_NAME,
    MARKER_START,
    MARKER_END,
    MARKER_PHASE,
    MARKER_CATEGORY,
    MARKER_DATA,
    THREAD
};

static const struct um_json_stream_path paths[] = {
    [VERSION] = {"meta.preprocessedProfileVersion", UM_JSON_STREAM_VALUE},
    [RAW_VERSION] = {"meta.version", UM_JSON_STREAM_VALUE},
    [SCHEMAS] = {"meta.markerSchema[]", UM_JSON_STREAM_TREE},
    [CATEGORIES] = {"meta.categories[].name", UM_JSON_STREAM_VALUE},
    [SHARED_STRINGS] = {"shared.stringArray[]", UM_JSON_STREAM_VALUE},
    [THREAD_STRINGS] = {"threads[].stringArray[]", UM_JSON_STREAM_VALUE},
    [THREAD_NAME] = {"threads[].name", UM_JSON_STREAM_VALUE},
    [THREAD_PROCESS] = {"threads[].processName", UM_JSON_STREAM_VALUE},
    [THREAD_PID] = {"threads[].pid", UM_JSON_STREAM_VALUE},
    [THREAD_TID] = {"threads[].tid", UM_JSON_STREAM_VALUE},
    [MARKER_NAME] = {"threads[].markers.name[]", UM_JSON_STREAM_VALUE},
    [MARKER_START] = {"threads[].markers.startTime[]", UM_JSON_STREAM_VALUE},
    [MARKER_END] = {"threads[].markers.endTime[]", UM_JSON_STREAM_VALUE},
    [MARKER_PHASE] = {"threads[].markers.phase[]", UM_JSON_STREAM_VALUE},
    [MARKER_CATEGORY] = {"threads[].markers.category[]", UM_JSON_STREAM_VALUE},
    [MARKER_DATA] = {"threads[].markers.data[]", UM_JSON_STREAM_MEMBERS},
    [THREAD] = {"threads[]", UM_JSON_STREAM_END},
};

enum column { NAME, START, END, PHASE, CATEGORY, COLUMNS };
enum phase { PHASE_INSTANT, PHASE_INTERVAL, PHASE_BEGIN, PHASE_END };

/* A list of numbers. */
struct numbers {
    double *list;
    size_t count, room;
};

/* A member of a marker's data. `key`, and `value` if it is a text, are in `texts`. */
struct member {
    uint32_t key;
    bool is_text;
    double value;
};

struct thread {
    struct numbers columns[COLUMNS];
    struct numbers first_members; /* of each marker */
    size_t data_begin;            /* in `members`, of the marker's that is being read */
    struct member *members;
    size_t member_count, member_room;
    struct numbers strings;           /* its own, as numbers in `texts` */
    uint32_t name, process, pid, tid; /* in `texts` */
};

/* What a schema says of one key of the data, or STACK_BASED. */
struct format {
    uint32_t type, key;
    enum um_marker_field_kind kind;
};

struct reading {
    struct um_texts texts;
    struct numbers categories, strings;
    struct format *formats;
    size_t format_count, format_room;
    struct um_intern format_index;
    struct thread *threads; /* the last one is being read */
    size_t thread_count, thread_room;
    double version;     /* 0: not seen */
    double raw_version; /* of the format of Firefox itself; 0: not seen */
    bool failed;
};

/* Reading -------------------------------------------------------------------------------------- */

static uint32_t text_of(struct reading *reading, const char *text, size_t len)
{
    uint32_t number = um_texts_add(&reading->texts, text, len);
    reading->failed |= number == UM_TEXTS_NONE;
    return number;
}

static void add(struct reading *reading, struct numbers *numbers, double number)
{
    if (um_list_reserve(&numbers->list, &numbers->room, numbers->count + 1, UM_MARKERS_MOST,
                        sizeof *numbers->list))
        numbers->list[numbers->count++] = number;
    else
        reading->failed = true;
}

/* Whether there is no number, for which NAN stands. The macro isnan of mingw-w64 converts to a
 * float. */
static bool is_missing(double number)
{
    return !(number == number);
}

static double at(const struct numbers *numbers, double place)
{
    return place >= 0 && place < (double)numbers->count ? numbers->list[(size_t)place] : NAN;
}

static double number_of(const struct um_json_stream_value *value)
{
    return value->is_number ? value->number : NAN;
}

static void add_text(struct reading *reading, struct numbers *numbers,
                     const struct um_json_stream_value *value)
{
    const char *text = value->text ? value->text : "";
    add(reading, numbers, text_of(reading, text, value->len_bytes));
}

/* The thread that is being read; NULL without memory. */
static struct thread *thread_of(struct reading *reading)
{
    if (reading->thread_count == 0 && !um_list_reserve(&reading->threads, &reading->thread_room, 1,
                                                       UM_MARKERS_MOST, sizeof *reading->threads))
        return NULL;
    reading->thread_count += reading->thread_count == 0;
    return &reading->threads[reading->thread_count - 1];
}

/* The next one begins. */
static void end_thread(struct reading *reading)
{
    if (um_list_reserve(&reading->threads, &reading->thread_room, reading->thread_count + 1,
                        UM_MARKERS_MOST, sizeof *reading->threads))
        reading->threads[reading->thread_count++] = (struct thread){0};
    else
        reading->failed = true;
}

/* Takes a member of a marker's data if it is a text or a number, or their end. */
static void take_data(struct reading *reading, struct thread *thread,
                      const struct um_json_stream_value *value)
{
    if (!value->key) {
        add(reading, &thread->first_members, (double)thread->data_begin);
        thread->data_begin = thread->member_count;
        return;
    }
    if (!value->text && !value->is_number)
        return;
    if (!um_list_reserve(&thread->members, &thread->member_room, thread->member_count + 1,
                         UM_MARKERS_MOST, sizeof *thread->members)) {
        reading->failed = true;
        return;
    }
    thread->members[thread->member_count++] = (struct member){
        .key = text_of(reading, value->key, value->key_len_bytes),
        .is_text = value->text != NULL,
        .value = value->text ? text_of(reading, value->text, value->len_bytes) : value->number};
}

struct wanted_format {
    const struct reading *reading;
    uint32_t type, key;
};

static bool is_format(const void *context, uint32_t number)
{
    const struct wanted_format *wanted = context;
    const struct format *format = &wanted->reading->formats[number];
    return format->type == wanted->type && format->key == wanted->key;
}

/* NULL if no schema says anything of it. */
static const struct format *find_format(const struct reading *reading, uint32_t type, uint32_t key)
{
    const struct wanted_format wanted = {reading, type, key};
    uint32_t number =
        um_intern_find(&reading->format_index, um_intern_mix(type, key), is_format, &wanted);
    return number == UM_INTERN_NONE ? NULL : &reading->formats[number];
}

/* If two schemas have the same type and key, the first counts. */
static void add_format(struct reading *reading, struct format format)
{
    if (find_format(reading, format.type, format.key))
        return;
    if (!um_list_reserve(&reading->formats, &reading->format_room, reading->format_count + 1,
                         UM_MARKERS_MOST, sizeof *reading->formats) ||
        !um_intern_reserve(&reading->format_index, 1)) {
        reading->failed = true;
        return;
    }
    um_intern_add(&reading->format_index, um_intern_mix(format.type, format.key),
                  (uint32_t)reading->format_count);
    reading->formats[reading->format_count++] = format;
}

static void take_format(struct reading *reading, uint32_t type, const cJSON *field)
{
    const char *key = um_json_member_text(field, "key");
    const char *format = um_json_member_text(field, "format");
    if (!key || !format)
        return;
    bool ends = strcmp(format, "terminating-flow-id") == 0;
    bool is_string = strcmp(format, "unique-string") == 0;
    if (!ends && !is_string && strcmp(format, "flow-id") != 0)
        return;
    add_format(reading, (struct format){type, text_of(reading, key, strlen(key)),
                                        is_string ? UM_MARKER_TEXT
                                        : ends    ? UM_MARKER_TERMINATING_FLOW
                                                  : UM_MARKER_FLOW});
}

/* The list of fields was called `data` at first. */
static void take_schema(struct reading *reading, const cJSON *schema)
{
    const char *name = um_json_member_text(schema, "name");
    const cJSON *fields = um_json_member(schema, "fields"), *field;
    if (!name)
        return;
    uint32_t type = text_of(reading, name, strlen(name));
    if (cJSON_IsTrue(um_json_member(schema, "isStackBased")))
        add_format(reading, (struct format){type, STACK_BASED, UM_MARKER_TEXT});
    if (!fields)
        fields = um_json_member(schema, "data");
    cJSON_ArrayForEach(field, fields)
    {
        take_format(reading, type, field);
    }
}

/* An id of a process or thread, which is a text or a number. */
static uint32_t id_of(struct reading *reading, const struct um_json_stream_value *value)
{
    char text[32];
    if (value->text)
        return text_of(reading, value->text, value->len_bytes);
    int len = snprintf(text, sizeof text, "%.17g", value->number);
    return text_of(reading, text, value->is_number && len > 0 ? (size_t)len : 0);
}

static void take_of_thread(struct reading *reading, struct thread *thread, enum path path,
                           const struct um_json_stream_value *value)
{
    switch (path) {
    case THREAD_STRINGS:
        add_text(reading, &thread->strings, value);
        break;
    case THREAD_NAME:
        thread->name = text_of(reading, value->text ? value->text : "", value->len_bytes);
        break;
    case THREAD_PROCESS:
        thread->process = text_of(reading, value->text ? value->text : "", value->len_bytes);
        break;
    case THREAD_PID:
        thread->pid = id_of(reading, value);
        break;
    case THREAD_TID:
        thread->tid = id_of(reading, value);
        break;
    case MARKER_DATA:
        take_data(reading, thread, value);
        break;
    case THREAD:
        end_thread(reading);
        break;
    default:
        add(reading, &thread->columns[path - MARKER_NAME], number_of(value));
        break;
    }
}

static bool is_of_other_version(const struct reading *reading)
{
    return reading->version != 0 && (reading->version < UM_FIREFOX_MARKERS_OLDEST ||
                                     reading->version > UM_FIREFOX_MARKERS_NEWEST);
}

/* Ends reading where the version is one that cannot be read: it stands first in most files. */
static bool take(void *context, size_t path, const struct um_json_stream_value *value)
{
    struct reading *reading = context;
    switch ((enum path)path) {
    case VERSION:
        reading->version = value->number;
        break;
    case RAW_VERSION:
        reading->raw_version = value->number;
        break;
    case SCHEMAS:
        take_schema(reading, value->tree);
        break;
    case CATEGORIES:
        add_text(reading, &reading->categories, value);
        break;
    case SHARED_STRINGS:
        add_text(reading, &reading->strings, value);
        break;
    default: {
        struct thread *thread = thread_of(reading);
        if (!thread)
            return false;
        take_of_thread(reading, thread, (enum path)path, value);
        break;
    }
    }
    return !reading->failed && !is_of_other_version(reading);
}

/* Writing -------------------------------------------------------------------------------------- */

/* The numbers that texts of the profile have as texts and as ids of the markers, and 1. */
struct known {
    uint32_t *texts, *ids;
    uint32_t type; /* the key `type`; UM_TEXTS_NONE: there is none */
};

/* What is needed for the markers of a thread. */
struct writing {
    const struct reading *reading;
    const struct known *known;
    const struct thread *thread;
    const struct numbers *strings;
    struct um_markers *to;
    uint32_t number; /* of the thread */
    double *begins;  /* for each name the last begin without an end, and 1 */
    double *before;  /* for each marker that is such a begin, the one before it, and 1 */
    double *partner; /* for each begin its end, for each end its begin, and 1; 0: there is none */
    int64_t first_ns, last_ns;
};

static int64_t ns_of(double ms)
{
    return ms > -MOST_MS && ms < MOST_MS ? (int64_t)llround(ms * 1e6) : 0;
}

static double cell(const struct writing *writing, enum column column, size_t marker)
{
    return at(&writing->thread->columns[column], (double)marker);
}

/* The string that a number stands for; UM_TEXTS_NONE if there is none. */
static uint32_t string_at(const struct writing *writing, double place)
{
    double text = at(writing->strings, place);
    return is_missing(text) ? UM_TEXTS_NONE : (uint32_t)text;
}

/* The number of a text among those of the markers. What is not there is "", number 0 of the
 * profile's. */
static uint32_t text_to(const struct writing *writing, uint32_t text)
{
    uint32_t from = text == UM_TEXTS_NONE ? 0 : text, *known = &writing->known->texts[from];
    if (*known == 0)
        *known = um_markers_add_text(writing->to, um_texts_get(&writing->reading->texts, from)) + 1;
    return *known - 1;
}

static uint32_t id_to(const struct writing *writing, uint32_t text)
{
    uint32_t *known = &writing->known->ids[text];
    if (*known == 0)
        *known = um_markers_add_id(writing->to, um_texts_get(&writing->reading->texts, text)) + 1;
    return *known - 1;
}

static uint32_t category_of(const struct writing *writing, size_t marker)
{
    double text = at(&writing->reading->categories, cell(writing, CATEGORY, marker));
    return is_missing(text) ? UM_TEXTS_NONE : (uint32_t)text;
}

static size_t first_member(const struct writing *writing, size_t marker)
{
    double place = at(&writing->thread->first_members, (double)marker);
    return is_missing(place) ? writing->thread->member_count : (size_t)place;
}

/* The text of the member `type`; UM_TEXTS_NONE if there is none. */
static uint32_t type_of(const struct writing *writing, size_t marker)
{
    size_t end = first_member(writing, marker + 1);
    for (size_t i = first_member(writing, marker); i < end; i++)
        if (writing->thread->members[i].key == writing->known->type &&
            writing->thread->members[i].is_text)
            return (uint32_t)writing->thread->members[i].value;
    return UM_TEXTS_NONE;
}

/* Adds a member of a raw marker's data to the last marker. A flow is left out if its id is not
 * among the strings. */
static void add_member(const struct writing *writing, const struct member *member, uint32_t type,
                       int64_t at_ns)
{
    const struct format *format = find_format(writing->reading, type, member->key);
    uint32_t key = text_to(writing, member->key);
    uint32_t text = member->is_text ? (uint32_t)member->value
                    : format        ? string_at(writing, member->value)
                                    : UM_TEXTS_NONE;
    if (format && format->kind != UM_MARKER_TEXT && text != UM_TEXTS_NONE)
        um_markers_field(writing->to, key, format->kind, id_to(writing, text), at_ns);
    else if (member->is_text || (format && format->kind == UM_MARKER_TEXT))
        um_markers_field(writing->to, key, UM_MARKER_TEXT, text_to(writing, text), 0);
    else if (!format)
        um_markers_field(writing->to, key, UM_MARKER_NUMBER, um_double_bits_of(member->value), 0);
}

/* Adds the data of a raw marker to the last marker. */
static void add_fields(const struct writing *writing, size_t marker, bool at_end)
{
    if (writing->to->count == 0)
        return;
    uint32_t type = type_of(writing, marker);
    const struct um_marker *last = &writing->to->list[writing->to->count - 1];
    int64_t at_ns = at_end ? last->end_ns : last->start_ns;
    size_t end = first_member(writing, marker + 1);
    for (size_t i = first_member(writing, marker); i < end; i++) {
        const struct member *member = &writing->thread->members[i];
        if (!member->is_text || member->key != writing->known->type)
            add_member(writing, member, type, at_ns);
    }
}

static bool is_stack_based(const struct writing *writing, size_t marker)
{
    return find_format(writing->reading, type_of(writing, marker), STACK_BASED) != NULL;
}

/* An instant, or an interval. */
static struct um_marker *add_marker(const struct writing *writing, size_t marker, bool is_interval,
                                    int64_t start_ns, int64_t end_ns)
{
    uint32_t name = text_to(writing, string_at(writing, cell(writing, NAME, marker)));
    uint32_t category = text_to(writing, category_of(writing, marker));
    struct um_marker *added = um_markers_add(writing->to, writing->number, name, category, start_ns,
                                             is_interval ? end_ns : start_ns);
    added->interval = is_interval;
    added->stack_based = is_stack_based(writing, marker);
    return added;
}

/* Finds for each begin its end: that of the last begin of the same name that has none. */
static void pair(const struct writing *writing)
{
    for (size_t i = 0; i < writing->thread->columns[NAME].count; i++) {
        double phase = cell(writing, PHASE, i), name = cell(writing, NAME, i);
        if (is_missing(at(writing->strings, name)))
            continue;
        double *last = &writing->begins[(size_t)name];
        if (phase == PHASE_BEGIN) {
            writing->before[i] = *last;
            *last = (double)i + 1;
        } else if (phase == PHASE_END && *last > 0) {
            size_t begin = (size_t)*last - 1;
            *last = writing->before[begin];
            writing->partner[begin] = (double)i + 1;
            writing->partner[i] = (double)begin + 1;
        }
    }
}

/* One without an end lasts to the end of the profile. */
static void add_begin(const struct writing *writing, size_t marker)
{
    double partner = writing->partner[marker];
    size_t end = partner > 0 ? (size_t)partner - 1 : marker;
    if (is_missing(at(writing->strings, cell(writing, NAME, marker))))
        return;
    struct um_marker *added =
        add_marker(writing, marker, true, ns_of(cell(writing, START, marker)),
                   partner > 0 ? ns_of(cell(writing, END, end)) : writing->last_ns);
    added->open = partner <= 0;
    added->stack_based |= partner > 0 && is_stack_based(writing, end);
    add_fields(writing, marker, false);
    if (partner > 0)
        add_fields(writing, end, true);
}

/* An end without a begin belongs to an interval that began before the profile did. */
static void add_end(const struct writing *writing, size_t marker)
{
    int64_t end_ns = ns_of(cell(writing, END, marker));
    if (writing->partner[marker] > 0)
        return;
    add_marker(writing, marker, true, writing->first_ns < end_ns ? writing->first_ns : end_ns,
               end_ns);
    add_fields(writing, marker, true);
}

static void add_whole(const struct writing *writing, size_t marker, bool is_interval)
{
    add_marker(writing, marker, is_interval, ns_of(cell(writing, START, marker)),
               ns_of(cell(writing, END, marker)));
    add_fields(writing, marker, false);
}

/* In the order of the file, where an interval stands at its begin. */
static void add_markers(const struct writing *writing)
{
    pair(writing);
    for (size_t i = 0; i < writing->thread->columns[NAME].count; i++) {
        double phase = cell(writing, PHASE, i);
        if (phase == PHASE_INSTANT || phase == PHASE_INTERVAL)
            add_whole(writing, i, phase == PHASE_INTERVAL);
        else if (phase == PHASE_BEGIN)
            add_begin(writing, i);
        else if (phase == PHASE_END)
            add_end(writing, i);
    }
}

static bool write_thread(const struct reading *reading, const struct known *known,
                         const struct thread *thread, struct um_markers *to, int64_t first_ns,
                         int64_t last_ns)
{
    struct writing writing = {.reading = reading,
                              .known = known,
                              .thread = thread,
                              .strings =
                                  thread->strings.count > 0 ? &thread->strings : &reading->strings,
                              .to = to,
                              .first_ns = first_ns,
                              .last_ns = last_ns};
    writing.begins = calloc(writing.strings->count + 1, sizeof *writing.begins);
    writing.before = calloc(thread->columns[NAME].count + 1, sizeof *writing.before);
    writing.partner = calloc(thread->columns[NAME].count + 1, sizeof *writing.partner);
    writing.number = um_markers_thread_of(
        to, um_texts_get(&reading->texts, thread->tid), um_texts_get(&reading->texts, thread->name),
        um_texts_get(&reading->texts, thread->process), um_texts_get(&reading->texts, thread->pid));
    bool has_memory = writing.begins && writing.before && writing.partner && !to->failed;
    if (has_memory)
        add_markers(&writing);
    free(writing.begins);
    free(writing.before);
    free(writing.partner);
    return has_memory && !to->failed;
}

/* From the first to the last time of any marker. */
static void find_range(const struct reading *reading, int64_t *first_ns, int64_t *last_ns)
{
    bool found = false;
    for (size_t i = 0; i < reading->thread_count; i++)
        for (int column = START; column <= END; column++)
            for (size_t k = 0; k < reading->threads[i].columns[column].count; k++) {
                double ms = reading->threads[i].columns[column].list[k];
                double phase = at(&reading->threads[i].columns[PHASE], (double)k);
                bool counts = column == START ? phase != PHASE_END
                                              : phase == PHASE_INTERVAL || phase == PHASE_END;
                if (is_missing(ms) || !counts)
                    continue;
                int64_t ns = ns_of(ms);
                *first_ns = !found || ns < *first_ns ? ns : *first_ns;
                *last_ns = !found || ns > *last_ns ? ns : *last_ns;
                found = true;
            }
}

static bool write_threads(struct reading *reading, struct um_markers *markers)
{
    int64_t first_ns = 0, last_ns = 0;
    struct known known = {.texts = calloc(reading->texts.count + 1, sizeof *known.texts),
                          .ids = calloc(reading->texts.count + 1, sizeof *known.ids),
                          .type = um_texts_find(&reading->texts, "type")};
    bool whole = known.texts && known.ids;
    reading->thread_count -= reading->thread_count > 0; /* one has begun behind the last */
    find_range(reading, &first_ns, &last_ns);
    for (size_t i = 0; i < reading->thread_count && whole; i++)
        whole = write_thread(reading, &known, &reading->threads[i], markers, first_ns, last_ns);
    reading->thread_count += reading->thread_room > 0;
    free(known.texts);
    free(known.ids);
    return whole;
}

static void release(struct reading *reading)
{
    for (size_t i = 0; i < reading->thread_count; i++) {
        struct thread *thread = &reading->threads[i];
        for (int column = 0; column < COLUMNS; column++)
            free(thread->columns[column].list);
        free(thread->first_members.list);
        free(thread->members);
        free(thread->strings.list);
    }
    free(reading->threads);
    free(reading->categories.list);
    free(reading->strings.list);
    free(reading->formats);
    um_intern_deinit(&reading->format_index);
    um_texts_deinit(&reading->texts);
    free(reading);
}

enum um_status um_firefox_markers_read(FILE *file, struct um_markers *markers, char *error,
                                       size_t cap_bytes)
{
    struct reading *reading = calloc(1, sizeof *reading);
    struct um_json_stream stream = {paths, sizeof paths / sizeof paths[0], reading, take};
    if (!reading) {
        snprintf(error, cap_bytes, "%s", um_status_text(UM_ERR_MEMORY));
        return UM_ERR_MEMORY;
    }
    (void)text_of(reading, "", 0); /* number 0 is for what is not said */
    enum um_status status = um_json_stream_read(&stream, file, error, cap_bytes);
    if (status == UM_OK && reading->version == 0 && reading->raw_version != 0) {
        snprintf(error, cap_bytes,
                 "is a profile as Firefox itself writes it; open it in the Firefox Profiler and "
                 "save it, which makes a processed one");
        status = UM_ERR_VERSION;
    }
    bool is_unknown = reading->version == 0 && reading->raw_version == 0;
    if ((status == UM_OK || status == UM_ERR_PARTIAL) && is_unknown) {
        error[0] = '\0';
        status = UM_ERR_UNSUPPORTED;
    }
    if (is_of_other_version(reading)) {
        snprintf(error, cap_bytes,
                 "is a profile of version %.0f; versions %d to %d can be read: %s",
                 reading->version, UM_FIREFOX_MARKERS_OLDEST, UM_FIREFOX_MARKERS_NEWEST,
                 reading->version > UM_FIREFOX_MARKERS_NEWEST
                     ? "a newer uimon may read it"
                     : "open it in the Firefox Profiler and save it, which gives it a new version");
        status = UM_ERR_VERSION;
    }
    if (status == UM_OK) {
        um_markers_say(markers, error);
        error[0] = '\0';
    }
    if (status == UM_OK && !write_threads(reading, markers)) {
        snprintf(error, cap_bytes, "%s", um_status_text(UM_ERR_MEMORY));
        status = UM_ERR_MEMORY;
    }
    release(reading);
    return status;
}
