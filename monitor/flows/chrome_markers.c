#include "monitor/flows/chrome_markers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/flows/chrome_events.h"
#include "monitor/flows/chrome_pairs.h"

struct reading {
    struct um_chrome_events events;
    struct um_chrome_pairs pairs;
};

/* Writing -------------------------------------------------------------------------------------- */

static const char *text_of(const struct reading *reading, uint32_t number)
{
    return um_texts_get(&reading->events.texts, number);
}

static void write_args(const struct reading *reading, const struct um_chrome_event *event,
                       struct um_markers *to)
{
    for (uint32_t i = 0; i < event->arg_count; i++) {
        const struct um_chrome_arg *arg = &reading->events.args[event->first_arg + i];
        const char *key = text_of(reading, arg->key);
        if (arg->text == UM_TEXTS_NONE)
            um_markers_number(to, key, arg->number);
        else
            um_markers_text(to, key, text_of(reading, arg->text));
    }
}

/* At one time a flow begins first, goes on then, and ends last. */
static uint32_t rank_of(const struct um_chrome_event *event)
{
    bool begins = event->is_bound ? !event->flows_in : event->phase == 's';
    bool goes_on = event->is_bound ? event->flows_out : event->phase == 't';
    return begins ? 0 : goes_on ? 1 : 2;
}

/* Mentions at one time are ordered by their rank, and those of one rank as the file has them. There
 * are so few events that three times as many have a number. Of the flows in uimon's own files one
 * is over before the next one of its name begins. */
static uint32_t order_of(const struct reading *reading, uint32_t place)
{
    const struct um_chrome_event *event = &reading->events.list[place];
    uint32_t rank = rank_of(event);
    return event->own_flow > 0 ? 3 * event->own_flow + rank
                               : rank * (uint32_t)reading->events.count + place;
}

/* A flow of events themselves goes through all that mention it: none of them says that it ends. */
static void write_mention(const struct reading *reading, uint32_t place, struct um_markers *to)
{
    const struct um_chrome_event *event = &reading->events.list[place];
    const char *name = event->is_bound ? UM_CHROME_EVENTS_BIND_ID : text_of(reading, event->name);
    um_markers_flow_at(to, name, event->phase == 'f' ? UM_MARKER_TERMINATING_FLOW : UM_MARKER_FLOW,
                       text_of(reading, event->flow), event->start_ns, order_of(reading, place));
}

/* Whether the event is a marker. An end is not, nor is a flow event that mentions a slice. */
static bool is_marker(const struct reading *reading, size_t place, size_t mention)
{
    const struct um_chrome_pairs *pairs = &reading->pairs;
    const struct um_chrome_event *event = &reading->events.list[place];
    if (um_chrome_events_is_flow(event))
        return mention < pairs->mention_count && pairs->mentions[mention].slice == place;
    return event->phase != 'E' && event->phase != 'e';
}

/* Flows come first: of very many fields the last are left out. */
static void write_events(const struct reading *reading, struct um_markers *to)
{
    const struct um_chrome_pairs *pairs = &reading->pairs;
    size_t mention = 0;
    for (size_t i = 0; i < reading->events.count; i++) {
        const struct um_chrome_event *event = &reading->events.list[i];
        if (!is_marker(reading, i, mention))
            continue;
        struct um_marker *marker =
            um_markers_interval(to, event->thread, text_of(reading, event->name),
                                text_of(reading, event->category), event->start_ns, event->end_ns);
        marker->interval = event->is_interval;
        marker->open = event->is_open;
        marker->stack_based = event->phase != 'b' && event->phase != 'n';
        for (; mention < pairs->mention_count && pairs->mentions[mention].slice == i; mention++)
            write_mention(reading, pairs->mentions[mention].event, to);
        write_args(reading, event, to);
        if (event->end != 0)
            write_args(reading, &reading->events.list[event->end - 1], to);
    }
}

static void write_threads(const struct reading *reading, struct um_markers *to)
{
    for (size_t i = 0; i < reading->events.thread_count; i++) {
        const struct um_chrome_thread *thread = &reading->events.threads[i];
        um_markers_thread_of(to, text_of(reading, thread->tid), text_of(reading, thread->name),
                             text_of(reading, reading->events.process_names[thread->pid]),
                             um_texts_get(&reading->events.processes, thread->pid));
    }
}

/* What makes no markers ------------------------------------------------------------------------ */

static const struct {
    const char *phase, *name;
} left_out[] = {{"C", "counters"},     {"O", "snapshots of objects"},
                {"N", "objects made"}, {"D", "objects deleted"},
                {"P", "samples"},      {"v", "memory dumps"},
                {"V", "memory dumps"}, {"c", "clock marks"}};

/* Adds "COUNT WHAT (NAME)" to a list. */
static void add_left_out(char *list, size_t cap, size_t count, const char *what, const char *name)
{
    size_t len = strlen(list);
    if (count > 0)
        snprintf(list + len, cap - len, "%s%zu %s (%s)", len > 0 ? ", " : "left out: ", count, what,
                 name);
}

/* There is room for all of them. */
static void say_left_out(const struct reading *reading, struct um_markers *to)
{
    const struct um_chrome_events *events = &reading->events;
    size_t others = 0;
    char list[UM_MARKERS_SAID_BYTES] = "";
    for (size_t i = 0; i < UM_CHROME_EVENTS_PHASES; i++)
        others += events->left_out[i];
    add_left_out(list, sizeof list, reading->pairs.ends, "E or e", "ends of what is not open");
    add_left_out(list, sizeof list, events->without_id, "s, t or f", "without an id");
    for (size_t i = 0; i < sizeof left_out / sizeof left_out[0]; i++) {
        size_t count = events->left_out[(size_t)left_out[i].phase[0]];
        add_left_out(list, sizeof list, count, left_out[i].phase, left_out[i].name);
        others -= count;
    }
    add_left_out(list, sizeof list, events->without_time, "without ts", "a time");
    add_left_out(list, sizeof list, others, "with another ph", "a phase");
    um_markers_say(to, list);
}

static enum um_status read(struct reading *reading, FILE *file, struct um_markers *markers,
                           char *error, size_t cap)
{
    enum um_status status = um_chrome_events_read(file, &reading->events, error, cap);
    bool is_cut = status == UM_ERR_PARTIAL && reading->events.count > 0;
    if ((status == UM_OK || is_cut) && !reading->events.is_trace)
        return UM_ERR_UNSUPPORTED;
    if (status != UM_OK && !is_cut)
        return status;
    um_markers_say(markers, is_cut ? "" : error);
    snprintf(error, cap, "%s", is_cut ? "is cut off; what it has up to there was read" : "");
    status = um_chrome_pairs_find(&reading->events, &reading->pairs);
    if (status == UM_OK) {
        write_threads(reading, markers);
        write_events(reading, markers);
        markers->fields_left_out += reading->events.args_left_out;
        say_left_out(reading, markers);
    }
    if (status != UM_OK || markers->failed) {
        snprintf(error, cap, "%s", um_status_text(UM_ERR_MEMORY));
        return UM_ERR_MEMORY;
    }
    return UM_OK;
}

enum um_status um_chrome_markers_read(FILE *file, struct um_markers *markers, char *error,
                                      size_t cap_bytes)
{
    struct reading *reading = calloc(1, sizeof *reading);
    if (!reading) {
        snprintf(error, cap_bytes, "%s", um_status_text(UM_ERR_MEMORY));
        return UM_ERR_MEMORY;
    }
    enum um_status status = read(reading, file, markers, error, cap_bytes);
    um_chrome_pairs_deinit(&reading->pairs);
    um_chrome_events_deinit(&reading->events);
    free(reading);
    return status;
}
