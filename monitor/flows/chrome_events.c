#include "monitor/flows/chrome_events.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/decimal_units.h"
#include "base/list.h"
#include "monitor/flows/chrome_markers.h"
#include "monitor/flows/json_stream.h"
#include "monitor/flows/markers.h"
#include "monitor/json/json.h"

#define MOST_US ((double)UM_MARKERS_MOST_NS / 1e3)
#define US_PLACES 3 /* of a number of microseconds: nanoseconds */
#define KEY_BYTES 1024
#define HASH_BYTES 17 /* with the NUL */
#define BIND_ID UM_CHROME_EVENTS_BIND_ID
#define FLOW_KIND 'f' /* in keys: of a flow of flow events, ... */
#define OWN_KIND 'o'  /* the same of uimon's own, ... */
#define BIND_KIND 'b' /* ...and of one of the events themselves */

enum path { EVENT, EVENT_OF_ARRAY, EVENTS, PATHS };

static const struct um_json_stream_path paths[PATHS] = {
    [EVENT] = {"traceEvents[]", UM_JSON_STREAM_TREE},
    [EVENT_OF_ARRAY] = {"[]", UM_JSON_STREAM_TREE},
    [EVENTS] = {"traceEvents", UM_JSON_STREAM_END}};

bool um_chrome_events_is_flow(const struct um_chrome_event *event)
{
    return event->phase == 's' || event->phase == 't' || event->phase == 'f';
}

static uint32_t text_of(struct um_chrome_events *reading, const char *text)
{
    uint32_t number = um_texts_add(&reading->texts, text, strlen(text));
    reading->failed |= number == UM_TEXTS_NONE;
    return number;
}

/* Makes room for one more. */
#define ROOM(reading, list, count, room)                                                           \
    (um_list_reserve(&(reading)->list, &(reading)->room, (size_t)(count) + 1, UM_MARKERS_MOST,     \
                     sizeof *(reading)->list) ||                                                   \
     ((reading)->failed = true, false))

/* A member that is a text or a number, as a text. Returns `text`, or where the text is. */
static const char *word_of(const cJSON *object, const char *name, char text[32])
{
    const cJSON *member = um_json_member(object, name);
    text[0] = '\0';
    if (cJSON_IsString(member))
        return member->valuestring;
    if (cJSON_IsNumber(member))
        snprintf(text, 32, "%.17g", member->valuedouble);
    return text;
}

/* Reads a time. It may be a text, too. Microseconds since 1970 with their fractions have more
 * digits than a double, so they are read as they are written. False if it is none. */
static bool read_ns(const cJSON *member, int64_t *ns)
{
    bool is_number = cJSON_IsNumber(member);
    if (!is_number && !cJSON_IsString(member))
        return false;
    if (member->valuestring) {
        const char *rest = um_decimal_units_read(member->valuestring, US_PLACES, ns);
        return rest && *rest == '\0' && llabs(*ns) < UM_MARKERS_MOST_NS;
    }
    double us = member->valuedouble, whole = floor(us);
    if (us <= -MOST_US || us >= MOST_US)
        return false;
    *ns = (int64_t)whole * 1000 + (int64_t)llround((us - whole) * 1e3);
    return true;
}

/* Ends a key that has not all of its texts with a hash of them. */
static void shorten_key(char key[KEY_BYTES], const char *const *texts, size_t count)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < count; i++)
        hash = um_intern_mix_text(um_intern_mix(hash, i), texts[i]);
    snprintf(key + KEY_BYTES - HASH_BYTES, HASH_BYTES, "%016" PRIx64, hash);
}

static uint32_t process_of(struct um_chrome_events *reading, const char *pid)
{
    size_t known = reading->processes.count;
    uint32_t number = um_texts_add(&reading->processes, pid, strlen(pid));
    if (number == UM_TEXTS_NONE || !ROOM(reading, process_names, number, process_room)) {
        reading->failed = true;
        return UM_TEXTS_NONE;
    }
    if (number == known)
        reading->process_names[number] = text_of(reading, "");
    return number;
}

static uint32_t thread_of(struct um_chrome_events *reading, const cJSON *object)
{
    char pid[32], tid[32], key[KEY_BYTES];
    const char *process = word_of(object, "pid", pid), *own = word_of(object, "tid", tid);
    const char *const texts[] = {process, own};
    if (snprintf(key, sizeof key, "%zu %s%s", strlen(process), process, own) >= (int)sizeof key)
        shorten_key(key, texts, sizeof texts / sizeof texts[0]);
    size_t known = reading->thread_keys.count;
    uint32_t number = um_texts_add(&reading->thread_keys, key, strlen(key));
    if (number == UM_TEXTS_NONE || !ROOM(reading, threads, number, thread_room)) {
        reading->failed = true;
        return UM_TEXTS_NONE;
    }
    if (number == known) {
        reading->threads[number] = (struct um_chrome_thread){.pid = process_of(reading, process),
                                                             .tid = text_of(reading, own),
                                                             .name = text_of(reading, "")};
        reading->thread_count = number + (size_t)1;
    }
    return number;
}

static void take_metadata(struct um_chrome_events *reading, const cJSON *object, uint32_t thread)
{
    const char *what = um_json_member_text(object, "name");
    const char *name = um_json_member_text(um_json_member(object, "args"), "name");
    if (!what || !name || reading->failed)
        return;
    if (strcmp(what, "thread_name") == 0)
        reading->threads[thread].name = text_of(reading, name);
    else if (strcmp(what, "process_name") == 0)
        reading->process_names[reading->threads[thread].pid] = text_of(reading, name);
}

/* The id by which an event belongs to others. */
struct id {
    const char *text;    /* of the event, or `word` */
    const char *process; /* in which the id is unique; NULL if it is in the whole trace */
    char word[32];
};

static void read_id(const struct um_chrome_events *reading, const cJSON *object,
                    const struct um_chrome_event *event, struct id *id)
{
    const cJSON *scoped = um_json_member(object, "id2");
    bool is_local = um_json_member(scoped, "local") != NULL;
    id->process =
        is_local ? um_texts_get(&reading->processes, reading->threads[event->thread].pid) : NULL;
    id->text = scoped ? word_of(scoped, is_local ? "local" : "global", id->word)
                      : word_of(object, "id", id->word);
}

/* Makes a key of several texts, in which the length of each stands first, so that no two keys are
 * alike. Returns its number in `keys`. */
static uint32_t add_key(struct um_texts *keys, char kind, const struct id *id, const char *scope,
                        const char *category, const char *name)
{
    char key[KEY_BYTES];
    const char *process = id->process ? id->process : "";
    int len = snprintf(key, sizeof key, "%c%zu,%zu,%zu,%zu,%d:%s%s%s%s%s", kind, strlen(id->text),
                       strlen(process), strlen(scope), strlen(category), id->process != NULL,
                       id->text, process, scope, category, name);
    const char *const texts[] = {id->text, process, scope, category, name};
    if (len >= (int)sizeof key)
        shorten_key(key, texts, sizeof texts / sizeof texts[0]);
    return um_texts_add(keys, key, strlen(key));
}

/* What a new flow is called: its id, or if another one is called so, with process, category and
 * name, and if that is another's name, too, a number. In `texts`. */
static uint32_t name_flow(struct um_chrome_events *reading, const struct id *id,
                          const char *category, const char *flow)
{
    char name[KEY_BYTES];
    size_t taken = reading->flow_ids.count;
    if (um_texts_add(&reading->flow_ids, id->text, strlen(id->text)) == taken)
        return text_of(reading, id->text);
    for (size_t number = 0;; number = number > 0 ? number + 1 : reading->flow_keys.count) {
        int len = snprintf(name, sizeof name, "%.400s%s%.32s:%.200s:%.200s", id->text,
                           id->process ? "@" : "", id->process ? id->process : "", category, flow);
        if (number > 0)
            snprintf(name + len, sizeof name - (size_t)len, "#%zu", number);
        uint32_t place = um_texts_add(&reading->flow_ids, name, strlen(name));
        if (place == taken || place == UM_TEXTS_NONE)
            return text_of(reading, name);
    }
}

/* What the flow of an id is called. Flows of different kinds are apart. */
static uint32_t flow_of(struct um_chrome_events *reading, char kind, const struct id *id,
                        const char *category, const char *name)
{
    size_t known = reading->flow_keys.count;
    uint32_t number = add_key(&reading->flow_keys, kind, id, "", category, name);
    if (number == UM_TEXTS_NONE || !ROOM(reading, flow_names, number, flow_room)) {
        reading->failed = true;
        return UM_TEXTS_NONE;
    }
    if (number == known)
        reading->flow_names[number] = name_flow(reading, id, category, name);
    return reading->flow_names[number];
}

/* The name of an argument: where it is within the others. */
struct arg_name {
    char text[KEY_BYTES];
    size_t len;
};

static void add_arg(struct um_chrome_events *reading, const char *name, const cJSON *value,
                    struct um_chrome_event *event)
{
    const char *text = cJSON_IsString(value)  ? value->valuestring
                       : !cJSON_IsBool(value) ? NULL
                       : cJSON_IsTrue(value)  ? "true"
                                              : "false";
    if (event->arg_count == UINT16_MAX) {
        reading->args_left_out++;
        return;
    }
    if (!ROOM(reading, args, reading->arg_count, arg_room))
        return;
    reading->args[reading->arg_count++] = (struct um_chrome_arg){
        text_of(reading, name), text ? text_of(reading, text) : UM_TEXTS_NONE,
        text ? 0 : value->valuedouble};
    event->arg_count++;
}

/* Takes a value, or each that lies within it: "data.type" is a member of a member, "lines[0]" an
 * element. */
static void take_arg(struct um_chrome_events *reading, struct arg_name *name, const cJSON *value,
                     struct um_chrome_event *event)
{
    const cJSON *member;
    size_t len = name->len, number = 0;
    if (!cJSON_IsObject(value) && !cJSON_IsArray(value)) {
        if (len > 0 && !cJSON_IsNull(value))
            add_arg(reading, name->text, value, event);
        return;
    }
    cJSON_ArrayForEach(member, value)
    {
        size_t room = sizeof name->text - len;
        int more = member->string ? snprintf(name->text + len, room, "%s%s", len > 0 ? "." : "",
                                             member->string)
                                  : snprintf(name->text + len, room, "[%zu]", number++);
        name->len = more > 0 && (size_t)more < room ? len + (size_t)more : sizeof name->text - 1;
        take_arg(reading, name, member, event);
    }
    name->len = len;
    name->text[len] = '\0';
}

static void take_args(struct um_chrome_events *reading, const char *name, const cJSON *args,
                      struct um_chrome_event *event)
{
    struct arg_name path;
    path.len = (size_t)snprintf(path.text, sizeof path.text, "%s", name);
    take_arg(reading, &path, args, event);
}

static bool is_true(const cJSON *object, const char *name)
{
    const cJSON *member = um_json_member(object, name);
    const char *text = um_json_member_text(object, name);
    return cJSON_IsTrue(member) || (cJSON_IsNumber(member) && member->valuedouble != 0) ||
           (text && strcmp(text, "true") == 0);
}

/* Takes the flow that an event itself is in, which needs no flow event. One of which the event does
 * not say whether it comes in or goes out is an argument like others. */
static void take_bound(struct um_chrome_events *reading, const cJSON *object,
                       struct um_chrome_event *event)
{
    struct id id = {.process = NULL};
    id.text = word_of(object, BIND_ID, id.word);
    if (id.text[0] == '\0')
        return;
    event->flows_in = is_true(object, "flow_in");
    event->flows_out = is_true(object, "flow_out");
    event->is_bound = event->flows_in || event->flows_out;
    if (event->is_bound)
        event->flow = flow_of(reading, BIND_KIND, &id, "", BIND_ID);
    else
        take_args(reading, BIND_ID, um_json_member(object, BIND_ID), event);
}

/* Takes the flow of a flow event that uimon wrote, which is called as its argument says. An id of
 * the program's that is used again has another number each time. False if it is none. */
static bool take_own_flow(struct um_chrome_events *reading, const cJSON *object,
                          struct um_chrome_event *event)
{
    const cJSON *args = um_json_member(object, "args");
    struct id id = {.text = um_json_member_text(args, UM_CHROME_MARKERS_FLOW)};
    double number;
    if (!id.text || !um_json_member_number(object, "id", UM_CHROME_EVENTS_MOST_OWN, &number))
        return false;
    event->own_flow = (uint32_t)number;
    event->flow = flow_of(reading, OWN_KIND, &id, "", "");
    return true;
}

/* Takes what makes an event belong to others. False if it lacks that. */
static bool take_ids(struct um_chrome_events *reading, const cJSON *object,
                     struct um_chrome_event *event)
{
    const char *scope = um_json_member_text(object, "scope");
    const char *category = um_texts_get(&reading->texts, event->category);
    const char *name = um_texts_get(&reading->texts, event->name);
    struct id id;
    scope = scope ? scope : "";
    if (!um_chrome_events_is_flow(event)) {
        if (strchr("bne", event->phase)) {
            read_id(reading, object, event, &id);
            event->key = add_key(&reading->keys, 'k', &id, scope, category, "");
            event->named_key = add_key(&reading->keys, 'n', &id, scope, category, name);
            reading->failed |= event->key == UM_TEXTS_NONE || event->named_key == UM_TEXTS_NONE;
        }
        take_bound(reading, object, event);
        return true;
    }
    if (take_own_flow(reading, object, event))
        return true;
    read_id(reading, object, event, &id);
    if (id.text[0] == '\0')
        return false;
    event->flow = flow_of(reading, FLOW_KIND, &id, category, name);
    return true;
}

/* An end, unless the event has none. */
static void take_length(struct um_chrome_events *reading, const cJSON *object,
                        struct um_chrome_event *event)
{
    int64_t length_ns = 0;
    event->end_ns = event->start_ns;
    event->is_interval = event->phase == 'X';
    event->is_open = event->phase == 'X' && !read_ns(um_json_member(object, "dur"), &length_ns);
    if (!event->is_open && length_ns > 0)
        event->end_ns += length_ns;
    if (event->end_ns > reading->last_ns || reading->count == 0)
        reading->last_ns = event->end_ns;
}

static void take_event(struct um_chrome_events *reading, const cJSON *object, char phase)
{
    char word[32];
    uint32_t thread = thread_of(reading, object);
    if (reading->failed || phase == 'M') {
        take_metadata(reading, object, thread);
        return;
    }
    struct um_chrome_event event = {
        .thread = thread, .first_arg = (uint32_t)reading->arg_count, .phase = phase};
    if (!read_ns(um_json_member(object, "ts"), &event.start_ns)) {
        reading->without_time++;
        return;
    }
    event.name = text_of(reading, word_of(object, "name", word));
    event.category = text_of(reading, word_of(object, "cat", word));
    event.binds_enclosing = strcmp(word_of(object, "bp", word), "e") == 0;
    if (!take_ids(reading, object, &event)) {
        reading->without_id++;
        return;
    }
    take_length(reading, object, &event);
    take_args(reading, "", um_json_member(object, "args"), &event);
    if (ROOM(reading, list, reading->count, room))
        reading->list[reading->count++] = event;
}

/* The phase that means the same today; '\0': events of this one are not read. */
static char phase_of(char phase)
{
    static const char olds[] = "STpFRI", news[] = "bnneii";
    const char *old = strchr(olds, phase);
    return old ? news[old - olds] : strchr("BEXiMbnestf", phase) ? phase : '\0';
}

static bool take(void *context, size_t path, const struct um_json_stream_value *value)
{
    struct um_chrome_events *reading = context;
    const char *text = um_json_member_text(value->tree, "ph");
    reading->is_trace |= path == EVENTS || text;
    if (path == EVENTS)
        return true;
    char written = text && text[0] != '\0' && text[1] == '\0' ? text[0] : '\0';
    char phase = written != '\0' ? phase_of(written) : '\0';
    if (phase != '\0')
        take_event(reading, value->tree, phase);
    else
        reading->left_out[written > 0 ? (size_t)written : 0]++;
    return !reading->failed;
}

enum um_status um_chrome_events_read(FILE *file, struct um_chrome_events *events, char *error,
                                     size_t cap_bytes)
{
    struct um_json_stream stream = {paths, PATHS, events, take};
    return um_json_stream_read(&stream, file, error, cap_bytes);
}

void um_chrome_events_deinit(struct um_chrome_events *events)
{
    struct um_texts *const sets[] = {&events->texts,       &events->keys,      &events->processes,
                                     &events->thread_keys, &events->flow_keys, &events->flow_ids};
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++)
        um_texts_deinit(sets[i]);
    free(events->list);
    free(events->args);
    free(events->threads);
    free(events->process_names);
    free(events->flow_names);
    *events = (struct um_chrome_events){0};
}
