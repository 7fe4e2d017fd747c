#include "monitor/live/dotnet_marker.h"

#include <stdio.h>
#include <string.h>

#include "base/ns.h"

#define NOT_SHOWN_BYTES 64
#define NOT_DECODED_BYTES 96
#define NAME_BYTES (UM_EVENT_KIND_NAME_BYTES + 8)
#define NOT_DECODED "not decoded"
#define STOP_SUFFIX " (stop)"

/* The fields of a marker, and what they point to. */
struct marker {
    struct um_marker_frames_field fields[UM_WIRE_MARKER_FIELDS];
    size_t count;
    size_t room; /* for values */
    bool cut;    /* a text is not whole, or a payload is not decoded */
    size_t left_out, left_bytes;
    struct um_event_kind_value of_first[UM_EVENT_KIND_FIELDS], of_stop[UM_EVENT_KIND_FIELDS];
    char stop_names[UM_DOTNET_MARKER_VALUES][NAME_BYTES];
    char not_shown[NOT_SHOWN_BYTES];
    char not_decoded[2][NOT_DECODED_BYTES]; /* of the first event, and of the Stop */
    char name[UM_EVENT_KIND_TEXT_BYTES];
    char activity[UM_EVENT_KIND_GUID_BYTES], related[UM_EVENT_KIND_GUID_BYTES];
};

static struct um_marker_frames_field *add(struct marker *marker, const char *name,
                                          enum um_wire_field_kind kind, const char *text)
{
    struct um_marker_frames_field *field = &marker->fields[marker->count++];
    *field = (struct um_marker_frames_field){.kind = kind, .name = name, .text = text};
    return field;
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

/* Says why no field of a payload is shown. */
static void put_reason(const struct um_event *event, char *text)
{
    const struct um_event_kind *kind = event->kind;
    size_t bytes = event->payload_bytes;
    const char *s = plural(bytes);
    if (!kind->whole)
        snprintf(text, NOT_DECODED_BYTES, "%zu byte%s, too few for its fields", bytes, s);
    else if (kind->count == 0)
        snprintf(text, NOT_DECODED_BYTES,
                 "%zu byte%s: the runtime does not say which fields there are", bytes, s);
    else
        snprintf(text, NOT_DECODED_BYTES, "%zu byte%s that do%s not fit its %u field%s", bytes, s,
                 bytes == 1 ? "es" : "", (unsigned)kind->count, plural(kind->count));
}

static void add_not_decoded(struct marker *marker, const struct um_event *event, bool is_stop)
{
    char *text = marker->not_decoded[is_stop];
    put_reason(event, text);
    add(marker, is_stop ? NOT_DECODED STOP_SUFFIX : NOT_DECODED, UM_MARKER_FIELD_TEXT, text);
    marker->cut = true;
}

/* Reads a payload, and counts what cannot be. */
static size_t read_values(struct marker *marker, const struct um_event *event,
                          struct um_event_kind_value *values)
{
    struct um_cursor payload = {.at = event->payload, .end = event->payload + event->len_bytes};
    bool cut = event->payload_bytes > event->len_bytes;
    size_t count = um_event_kind_values(event->kind, &payload, cut, values);
    marker->left_bytes += um_cursor_left(&payload) + event->payload_bytes - event->len_bytes;
    return count;
}

static void add_value(struct marker *marker, const char *name,
                      const struct um_event_kind_value *value)
{
    if (marker->count == marker->room) {
        marker->left_out++;
        return;
    }
    if (value->is_number)
        add(marker, name, UM_MARKER_FIELD_NUMBER, NULL)->number = value->number;
    else
        add(marker, name, UM_MARKER_FIELD_TEXT, value->text);
    marker->cut |= value->cut;
}

static bool has_field(const struct um_event_kind *kind, const char *name)
{
    for (size_t i = 0; i < kind->count; i++)
        if (strcmp(kind->fields[i].name, name) == 0)
            return true;
    return false;
}

static void add_stop_values(struct marker *marker, const struct um_event_pair *pair)
{
    const struct um_event_kind *kind = pair->stop->kind;
    size_t count = read_values(marker, pair->stop, marker->of_stop);
    for (size_t i = 0; i < count; i++) {
        const char *name = kind->fields[i].name;
        if (marker->count < marker->room && has_field(pair->first->kind, name)) {
            char *own = marker->stop_names[marker->count];
            int shown = UM_EVENT_KIND_NAME_BYTES - 1 - (int)strlen(STOP_SUFFIX);
            snprintf(own, NAME_BYTES, "%.*s" STOP_SUFFIX, shown, name);
            name = own;
        }
        add_value(marker, name, &marker->of_stop[i]);
    }
}

static void add_first_values(struct marker *marker, const struct um_event *event)
{
    size_t count = read_values(marker, event, marker->of_first);
    for (size_t i = 0; i < count; i++)
        add_value(marker, event->kind->fields[i].name, &marker->of_first[i]);
}

static void add_values(struct marker *marker, const struct um_event_pair *pair)
{
    bool has_misfit_stop = pair->stop && !pair->stop->fits;
    marker->room = UM_DOTNET_MARKER_VALUES - (has_misfit_stop ? 1 : 0);
    if (pair->first->fits)
        add_first_values(marker, pair->first);
    else
        add_not_decoded(marker, pair->first, false);
    if (has_misfit_stop)
        add_not_decoded(marker, pair->stop, true);
    else if (pair->stop)
        add_stop_values(marker, pair);
    int used = marker->left_out
                   ? snprintf(marker->not_shown, NOT_SHOWN_BYTES, "%zu field%s%s", marker->left_out,
                              plural(marker->left_out), marker->left_bytes ? ", " : "")
                   : 0;
    if (marker->left_bytes)
        snprintf(marker->not_shown + used, NOT_SHOWN_BYTES - (size_t)used, "%zu byte%s",
                 marker->left_bytes, plural(marker->left_bytes));
    if (marker->not_shown[0])
        add(marker, "not shown", UM_MARKER_FIELD_TEXT, marker->not_shown);
}

static void add_flows(struct marker *marker, const struct um_event_pair *pair)
{
    const struct um_event *first = pair->first;
    bool ends = first->kind->opcode == UM_EVENT_KIND_STOP;
    if (um_event_pairs_has_id(first->activity)) {
        um_event_kind_guid(first->activity, marker->activity);
        add(marker, "activity",
            ends ? UM_MARKER_FIELD_TERMINATING_FLOW_TEXT : UM_MARKER_FIELD_FLOW_TEXT,
            marker->activity);
        if (pair->stop)
            add(marker, "activity", UM_MARKER_FIELD_TERMINATING_FLOW_TEXT, marker->activity)
                ->at_end = true;
    }
    if (um_event_pairs_has_id(first->related)) {
        um_event_kind_guid(first->related, marker->related);
        add(marker, "related activity", UM_MARKER_FIELD_FLOW_TEXT, marker->related);
    }
}

/* An event without a name is called by its number. */
static const char *name_of(struct marker *marker, const struct um_event_pair *pair)
{
    const struct um_event_kind *kind = pair->first->kind;
    size_t len = pair->stop || pair->open ? um_event_pairs_task(kind) : strlen(kind->name);
    if (kind->name[0] == '\0')
        snprintf(marker->name, sizeof marker->name, "event %u", (unsigned)kind->id);
    else
        snprintf(marker->name, sizeof marker->name, "%.*s",
                 (int)(len > 0 ? len : strlen(kind->name)), kind->name);
    return marker->name;
}

void um_dotnet_marker_take(struct um_marker_frames *frames, const struct um_event_pair *pair,
                           uint64_t now_ns)
{
    struct marker marker = {0};
    bool interval = pair->stop || pair->open;
    uint64_t start_ns = um_ns_min(pair->first->time_ns, now_ns);
    uint64_t end_ns = pair->stop ? pair->stop->time_ns : pair->open ? pair->end_ns : start_ns;

    add_values(&marker, pair);
    add_flows(&marker, pair);
    const struct um_marker_frames_marker made = {
        .source = UM_MARKER_SOURCE_DOTNET,
        .name = name_of(&marker, pair),
        .category = pair->first->kind->provider,
        .start_ns = start_ns,
        .length_ns = um_ns_elapsed(start_ns, um_ns_min(end_ns, now_ns)),
        .thread = (uint32_t)pair->first->thread,
        .interval = interval,
        .stack_based = !interval,
        .open = pair->open,
        .cut = marker.cut || marker.not_shown[0] != '\0',
        .fields = marker.fields,
        .field_count = marker.count,
    };
    um_marker_frames_take(frames, &made);
}
