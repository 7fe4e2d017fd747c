#include "monitor/flows/chrome_markers.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/double_bits.h"
#include "base/list.h"
#include "base/texts.h"
#include "monitor/flows/json_stream.h"
#include "monitor/flows/runs.h"
#include "monitor/json/json.h"

#define MOST_US ((double)UM_MARKERS_MOST_NS / 1e3)
#define KEY_BYTES 1024

enum path { EVENT, EVENT_OF_ARRAY, EVENTS, PATHS };

static const struct um_json_stream_path paths[PATHS] = {
    [EVENT] = {"traceEvents[]", UM_JSON_STREAM_TREE},
    [EVENT_OF_ARRAY] = {"[]", UM_JSON_STREAM_TREE},
    [EVENTS] = {"traceEvents", UM_JSON_STREAM_END}};

struct event {
    int64_t start_ns;
    int64_t end_ns;
    uint32_t thread;
    uint32_t name, category, id; /* in `texts` */
    uint32_t first_arg;
    uint32_t end; /* of a begin: the event that ends it, and 1; 0: none does */
    uint16_t arg_count;
    char phase;
    bool is_interval;
    bool is_open;
    bool binds_enclosing; /* of an f */
};

struct arg {
    uint32_t key, text; /* in `texts`; `text` is UM_TEXTS_NONE for a number */
    double number;
};

struct thread {
    uint32_t key;            /* in `texts`: its process's id and its own */
    uint32_t pid, tid, name; /* in `texts` */
};

/* A flow event that mentions a slice. Both are events. */
struct mention {
    uint32_t slice, event;
};

struct reading {
    struct um_texts texts;
    struct event *events;
    size_t count, room;
    struct arg *args;
    size_t arg_count, arg_room;
    struct thread *threads;
    size_t thread_count, thread_room;
    struct um_texts thread_keys; /* their numbers are those of the threads */
    struct um_texts processes;   /* process ids... */
    uint32_t *process_names;     /* ...and what they are called, in `texts` */
    size_t process_room;
    struct um_texts flow_keys; /* what makes a flow... */
    struct um_texts flow_ids;  /* ...and the ids that are taken */
    uint32_t *flow_names;      /* what each is called, in `texts` */
    size_t flow_room;
    struct mention *mentions;
    size_t mention_count, mention_room;
    size_t args_left_out;
    int64_t last_ns;
    bool is_trace; /* perhaps without events of which there are markers */
    bool failed;
};

/* Reading -------------------------------------------------------------------------------------- */

static uint32_t text_of(struct reading *reading, const char *text)
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

/* A time may be a text, too: microseconds since 1970 are a whole number of more than 15 digits,
 * which the tree has as text. */
static int64_t ns_of(const cJSON *object, const char *name)
{
    const cJSON *member = um_json_member(object, name);
    double us = cJSON_IsNumber(member)   ? member->valuedouble
                : cJSON_IsString(member) ? strtod(member->valuestring, NULL)
                                         : 0;
    double whole = floor(us);
    return us > -MOST_US && us < MOST_US
               ? (int64_t)whole * 1000 + (int64_t)llround((us - whole) * 1e3)
               : 0;
}

static uint32_t process_of(struct reading *reading, const char *pid)
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

static uint32_t thread_of(struct reading *reading, const cJSON *object)
{
    char pid[32], tid[32], key[KEY_BYTES];
    const char *process = word_of(object, "pid", pid), *own = word_of(object, "tid", tid);
    snprintf(key, sizeof key, "%zu %s%s", strlen(process), process, own);
    size_t known = reading->thread_keys.count;
    uint32_t number = um_texts_add(&reading->thread_keys, key, strlen(key));
    if (number == UM_TEXTS_NONE || !ROOM(reading, threads, number, thread_room)) {
        reading->failed = true;
        return UM_TEXTS_NONE;
    }
    if (number == known) {
        reading->threads[number] = (struct thread){.pid = process_of(reading, process),
                                                   .tid = text_of(reading, own),
                                                   .name = text_of(reading, "")};
        reading->thread_count = number + (size_t)1;
    }
    return number;
}

static void take_metadata(struct reading *reading, const cJSON *object, uint32_t thread)
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

/* The process in which an id is unique; NULL if it is in the whole trace. */
static const char *process_of_id(const struct reading *reading, const cJSON *object,
                                 const struct event *event)
{
    bool is_local = um_json_member(um_json_member(object, "id2"), "local") != NULL;
    return is_local ? um_texts_get(&reading->processes, reading->threads[event->thread].pid) : NULL;
}

/* What makes a flow, or what belongs together apart from the stack: id, which may be one of its
 * process, category and name, and apart from the stack the scope, too. How long each is stands
 * before them, so that no two keys are alike; those may be very long, so the id comes first. Fills
 * in `key`, and returns the id, which may be in `word`. */
static const char *key_of(const struct reading *reading, const cJSON *object,
                          const struct event *event, char key[KEY_BYTES], char word[32])
{
    const cJSON *scoped = um_json_member(object, "id2");
    const char *scope = strchr("bne", event->phase) ? um_json_member_text(object, "scope") : NULL;
    const char *category = um_texts_get(&reading->texts, event->category);
    const char *process = process_of_id(reading, object, event);
    bool is_local = process != NULL;
    const char *id =
        scoped ? word_of(scoped, is_local ? "local" : "global", word) : word_of(object, "id", word);
    process = is_local ? process : "";
    scope = scope ? scope : "";
    snprintf(key, KEY_BYTES, "%zu,%zu,%zu,%zu,%d:%s%s%s%s%s", strlen(id), strlen(process),
             strlen(scope), strlen(category), is_local, id, process, scope, category,
             um_texts_get(&reading->texts, event->name));
    return id;
}

/* What a new flow is called: its id, or if another one is called so, with process, category and
 * name, and if that is another's name, too, a number. In `texts`. */
static uint32_t name_flow(struct reading *reading, const cJSON *object, const struct event *event,
                          const char *id)
{
    char name[KEY_BYTES];
    const char *process = process_of_id(reading, object, event);
    size_t taken = reading->flow_ids.count;
    if (um_texts_add(&reading->flow_ids, id, strlen(id)) == taken)
        return text_of(reading, id);
    for (size_t number = 0;; number = number > 0 ? number + 1 : reading->flow_keys.count) {
        int len = snprintf(name, sizeof name, "%.400s%s%.32s:%.200s:%.200s", id, process ? "@" : "",
                           process ? process : "", um_texts_get(&reading->texts, event->category),
                           um_texts_get(&reading->texts, event->name));
        if (number > 0)
            snprintf(name + len, sizeof name - (size_t)len, "#%zu", number);
        uint32_t place = um_texts_add(&reading->flow_ids, name, strlen(name));
        if (place == taken || place == UM_TEXTS_NONE)
            return text_of(reading, name);
    }
}

/* What a flow is called. */
static uint32_t flow_of(struct reading *reading, const cJSON *object, const struct event *event)
{
    char word[32], key[KEY_BYTES];
    const char *id = key_of(reading, object, event, key, word);
    size_t known = reading->flow_keys.count;
    uint32_t number = um_texts_add(&reading->flow_keys, key, strlen(key));
    if (number == UM_TEXTS_NONE || !ROOM(reading, flow_names, number, flow_room)) {
        reading->failed = true;
        return UM_TEXTS_NONE;
    }
    if (number == known)
        reading->flow_names[number] = name_flow(reading, object, event, id);
    return reading->flow_names[number];
}

static void take_args(struct reading *reading, const cJSON *args, struct event *event)
{
    const cJSON *member;
    event->first_arg = (uint32_t)reading->arg_count;
    cJSON_ArrayForEach(member, args)
    {
        bool is_text = cJSON_IsString(member);
        if (!member->string || (!is_text && !cJSON_IsNumber(member)))
            continue;
        if (event->arg_count == UINT16_MAX) {
            reading->args_left_out++;
            continue;
        }
        if (!ROOM(reading, args, reading->arg_count, arg_room))
            return;
        reading->args[reading->arg_count++] =
            (struct arg){text_of(reading, member->string),
                         is_text ? text_of(reading, member->valuestring) : UM_TEXTS_NONE,
                         is_text ? 0 : member->valuedouble};
        event->arg_count++;
    }
}

static void take_event(struct reading *reading, const cJSON *object, char phase)
{
    char word[32], key[KEY_BYTES];
    uint32_t thread = thread_of(reading, object);
    if (reading->failed || phase == 'M') {
        take_metadata(reading, object, thread);
        return;
    }
    struct event event = {.start_ns = ns_of(object, "ts"),
                          .thread = thread,
                          .name = text_of(reading, word_of(object, "name", word)),
                          .category = text_of(reading, word_of(object, "cat", word)),
                          .phase = phase,
                          .is_interval = phase == 'X'};
    event.end_ns = event.start_ns + (phase == 'X' ? ns_of(object, "dur") : 0);
    if (event.end_ns < event.start_ns)
        event.end_ns = event.start_ns;
    if (strchr("stf", phase)) {
        event.id = flow_of(reading, object, &event);
    } else if (strchr("bne", phase)) {
        (void)key_of(reading, object, &event, key, word);
        event.id = text_of(reading, key);
    }
    event.binds_enclosing = strcmp(word_of(object, "bp", word), "e") == 0;
    take_args(reading, um_json_member(object, "args"), &event);
    if (event.end_ns > reading->last_ns || reading->count == 0)
        reading->last_ns = event.end_ns;
    if (ROOM(reading, events, reading->count, room))
        reading->events[reading->count++] = event;
}

static bool take(void *context, size_t path, const struct um_json_stream_value *value)
{
    struct reading *reading = context;
    const char *phase = um_json_member_text(value->tree, "ph");
    reading->is_trace |= path == EVENTS || phase;
    if (phase && phase[0] != '\0' && phase[1] == '\0' && strchr("BEXiIMbnestf", phase[0]))
        take_event(reading, value->tree, phase[0]);
    return !reading->failed;
}

/* Pairing -------------------------------------------------------------------------------------- */

static bool is_earlier(const void *b, const void *a, const void *context)
{
    const struct event *second = b, *first = a;
    (void)context;
    if (second->thread != first->thread)
        return second->thread < first->thread;
    return second->start_ns < first->start_ns;
}

/* Gives each begin its end. `stack` has room for all events. Those without an end last until the
 * last time in the file. */
static void pair_slices(struct reading *reading, uint32_t *stack)
{
    size_t depth = 0;
    for (uint32_t i = 0; i < reading->count; i++) {
        struct event *event = &reading->events[i];
        if (depth > 0 && reading->events[stack[depth - 1]].thread != event->thread)
            depth = 0;
        if (event->phase == 'B') {
            event->is_interval = event->is_open = true;
            event->end_ns = reading->last_ns;
            stack[depth++] = i;
        } else if (event->phase == 'E' && depth > 0) {
            struct event *begin = &reading->events[stack[--depth]];
            begin->is_open = false;
            begin->end_ns = event->start_ns;
            begin->end = i + 1;
        }
    }
}

/* The same for those that lie on no stack: the last begin of the same key. `last` has room for
 * each text, `before` for each event; both are zeroed. */
static void pair_apart(struct reading *reading, const uint32_t *by_time, uint32_t *last,
                       uint32_t *before)
{
    for (size_t i = 0; i < reading->count; i++) {
        struct event *event = &reading->events[by_time[i]];
        if (event->phase == 'b') {
            event->is_interval = event->is_open = true;
            event->end_ns = reading->last_ns;
            before[by_time[i]] = last[event->id];
            last[event->id] = by_time[i] + 1;
        } else if (event->phase == 'e' && last[event->id] > 0) {
            uint32_t begin = last[event->id] - 1;
            last[event->id] = before[begin];
            reading->events[begin].is_open = false;
            reading->events[begin].end_ns = event->start_ns;
            reading->events[begin].end = by_time[i] + 1;
        }
    }
}

/* Whether a flow event may lie in it. Instants count, too: Chromium begins flows in them. */
static bool is_slice(const struct event *event)
{
    return strchr("BXiI", event->phase) != NULL;
}

static bool is_instant(const struct event *event)
{
    return event->phase == 'i' || event->phase == 'I';
}

/* Slices of a thread: those that contain others first. Instants stand before the slices that start
 * together with them, so that a flow event at their time lies in a slice. */
static bool is_outside(const void *b, const void *a, const void *context)
{
    const struct event *events = context;
    const struct event *second = &events[*(const uint32_t *)b];
    const struct event *first = &events[*(const uint32_t *)a];
    if (second->thread != first->thread || second->start_ns != first->start_ns)
        return false;
    if (is_instant(second) != is_instant(first))
        return is_instant(second);
    return second->end_ns > first->end_ns;
}

static bool add_mention(struct reading *reading, uint32_t slice, uint32_t event)
{
    if (!ROOM(reading, mentions, reading->mention_count, mention_room))
        return false;
    reading->mentions[reading->mention_count++] = (struct mention){slice, event};
    return true;
}

/* Finds the slice of each flow event. `slices` are by thread and time. An event without one is a
 * mention of its own. `after` is the first slice that starts at its time or later: where the file
 * has it among the events of that time makes no difference. */
static bool bind_flows(struct reading *reading, const uint32_t *slices, size_t slice_count,
                       uint32_t *stack)
{
    size_t next = 0, after = 0, depth = 0;
    uint32_t thread = UM_TEXTS_NONE;
    for (uint32_t i = 0; i < reading->count; i++) {
        const struct event *event = &reading->events[i];
        if (!strchr("stf", event->phase))
            continue;
        if (event->thread != thread) {
            depth = 0;
            while (next < slice_count && reading->events[slices[next]].thread < event->thread)
                next++;
            after = next;
        }
        thread = event->thread;
        while (after < slice_count && reading->events[slices[after]].thread == thread &&
               reading->events[slices[after]].start_ns < event->start_ns)
            after++;
        bool takes_next = event->phase == 'f' && !event->binds_enclosing;
        while (next < slice_count && reading->events[slices[next]].thread == thread &&
               reading->events[slices[next]].start_ns <= event->start_ns)
            stack[depth++] = slices[next++];
        while (depth > 0 && reading->events[stack[depth - 1]].end_ns < event->start_ns)
            depth--;
        bool has_after = after < slice_count && reading->events[slices[after]].thread == thread;
        uint32_t slice = takes_next  ? (has_after ? slices[after] : i)
                         : depth > 0 ? stack[depth - 1]
                                     : i;
        if (!add_mention(reading, slice, i))
            return false;
    }
    return true;
}

static bool is_of_earlier_slice(const void *b, const void *a, const void *context)
{
    (void)context;
    return ((const struct mention *)b)->slice < ((const struct mention *)a)->slice;
}

static bool is_earlier_anywhere(const void *b, const void *a, const void *context)
{
    const struct event *events = context;
    return events[*(const uint32_t *)b].start_ns < events[*(const uint32_t *)a].start_ns;
}

static bool pair(struct reading *reading)
{
    uint32_t *order = calloc(reading->count + 1, sizeof *order);
    uint32_t *stack = calloc(reading->count + 1, sizeof *stack);
    uint32_t *last = calloc(reading->texts.count + 1, sizeof *last);
    size_t slices = 0;
    bool whole =
        order && stack && last &&
        um_runs_sort(reading->events, reading->count, sizeof *reading->events, is_earlier, NULL);
    if (whole) {
        pair_slices(reading, stack);
        for (uint32_t i = 0; i < reading->count; i++)
            order[i] = i;
        whole = um_runs_sort(order, reading->count, sizeof *order, is_earlier_anywhere,
                             reading->events);
    }
    if (whole) {
        memset(stack, 0, (reading->count + 1) * sizeof *stack);
        pair_apart(reading, order, last, stack);
        for (uint32_t i = 0; i < reading->count; i++)
            if (is_slice(&reading->events[i]))
                order[slices++] = i;
        whole = um_runs_sort(order, slices, sizeof *order, is_outside, reading->events) &&
                bind_flows(reading, order, slices, stack) &&
                um_runs_sort(reading->mentions, reading->mention_count, sizeof *reading->mentions,
                             is_of_earlier_slice, NULL);
    }
    free(order);
    free(stack);
    free(last);
    return whole;
}

/* Writing -------------------------------------------------------------------------------------- */

static void write_args(const struct reading *reading, const struct event *event,
                       struct um_markers *to)
{
    for (uint32_t i = 0; i < event->arg_count; i++) {
        const struct arg *arg = &reading->args[event->first_arg + i];
        const char *key = um_texts_get(&reading->texts, arg->key);
        if (arg->text == UM_TEXTS_NONE)
            um_markers_number(to, key, arg->number);
        else
            um_markers_text(to, key, um_texts_get(&reading->texts, arg->text));
    }
}

/* Whether the event is a marker. An end is not, nor is a flow event that mentions a slice. */
static bool is_marker(const struct reading *reading, size_t number, size_t mention)
{
    char phase = reading->events[number].phase;
    if (strchr("stf", phase))
        return mention < reading->mention_count && reading->mentions[mention].slice == number;
    return phase != 'E' && phase != 'e';
}

/* Flows come first: of very many fields the last are left out. */
static void write_events(const struct reading *reading, struct um_markers *to)
{
    size_t mention = 0;
    to->fields_left_out += reading->args_left_out;
    for (size_t i = 0; i < reading->count; i++) {
        const struct event *event = &reading->events[i];
        if (!is_marker(reading, i, mention))
            continue;
        struct um_marker *marker = um_markers_interval(
            to, event->thread, um_texts_get(&reading->texts, event->name),
            um_texts_get(&reading->texts, event->category), event->start_ns, event->end_ns);
        marker->interval = event->is_interval;
        marker->open = event->is_open;
        marker->stack_based = event->phase != 'b' && event->phase != 'n';
        for (; mention < reading->mention_count && reading->mentions[mention].slice == i;
             mention++) {
            const struct event *flow = &reading->events[reading->mentions[mention].event];
            um_markers_flow_at(to, um_texts_get(&reading->texts, flow->name),
                               flow->phase == 'f' ? UM_MARKER_TERMINATING_FLOW : UM_MARKER_FLOW,
                               um_texts_get(&reading->texts, flow->id), flow->start_ns,
                               (uint32_t)to->field_count);
        }
        write_args(reading, event, to);
        if (event->end != 0)
            write_args(reading, &reading->events[event->end - 1], to);
    }
}

static void write_threads(const struct reading *reading, struct um_markers *to)
{
    for (size_t i = 0; i < reading->thread_count; i++) {
        const struct thread *thread = &reading->threads[i];
        const char *pid = um_texts_get(&reading->processes, thread->pid);
        um_markers_thread_of(to, um_texts_get(&reading->texts, thread->tid),
                             um_texts_get(&reading->texts, thread->name),
                             um_texts_get(&reading->texts, reading->process_names[thread->pid]),
                             pid);
    }
}

static void release(struct reading *reading)
{
    struct um_texts *const sets[] = {&reading->texts, &reading->thread_keys, &reading->processes,
                                     &reading->flow_keys, &reading->flow_ids};
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++)
        um_texts_deinit(sets[i]);
    free(reading->events);
    free(reading->args);
    free(reading->threads);
    free(reading->process_names);
    free(reading->flow_names);
    free(reading->mentions);
    free(reading);
}

enum um_status um_chrome_markers_read(FILE *file, struct um_markers *markers, char *error,
                                      size_t cap_bytes)
{
    struct reading *reading = calloc(1, sizeof *reading);
    struct um_json_stream stream = {paths, PATHS, reading, take};
    enum um_status status = UM_ERR_MEMORY;
    snprintf(error, cap_bytes, "%s", um_status_text(UM_ERR_MEMORY));
    if (!reading)
        return status;
    status = um_json_stream_read(&stream, file, error, cap_bytes);
    if (status == UM_ERR_PARTIAL && reading->count > 0) {
        snprintf(error, cap_bytes, "is cut off; what it has up to there was read");
        status = UM_OK;
    }
    if (status == UM_OK && !reading->is_trace)
        status = UM_ERR_UNSUPPORTED;
    if (status == UM_OK) {
        bool whole = pair(reading);
        if (whole) {
            write_threads(reading, markers);
            write_events(reading, markers);
        }
        if (!whole || markers->failed) {
            snprintf(error, cap_bytes, "%s", um_status_text(UM_ERR_MEMORY));
            status = UM_ERR_MEMORY;
        }
    }
    release(reading);
    return status;
}
