#include "monitor/layout/layout_event.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#define KIND_BITS 3
#define KINDS ((1u << KIND_BITS) - 1)

_Static_assert(UM_LAYOUT_EVENT_COUNT <= KINDS + 1, "a kind fits beside the time");
_Static_assert(UM_RING_WORDS == 4, "time and kind, element, and four floats");

void um_layout_event_init(struct um_layout_event *event, uint64_t time_ns, uint32_t thread)
{
    *event = (struct um_layout_event){
        .time_ns = time_ns, .thread = thread, .left = NAN, .top = NAN, .width = NAN, .height = NAN};
}

/* What follows `word` in a text, and a slash behind it; NULL: it begins otherwise. */
static const char *after(const char *text, const char *word)
{
    size_t len = strlen(word);
    if (strncmp(text, word, len) != 0)
        return NULL;
    return text + len + (text[len] == '/');
}

/* "ElementDestroyed"; the system calls an event that is no begin and no end Info, or nothing. */
static bool says_gone(const char *name)
{
    const char *rest = after(name, "ElementDestroyed");
    return rest && (*rest == '\0' || strcmp(rest, "Info") == 0);
}

enum um_layout_event_kind um_layout_event_name(const char *name)
{
    const char *rest = after(name, "MeasureElement");
    bool measures = rest;
    if (strcmp(name, "Lost") == 0)
        return UM_LAYOUT_EVENT_LOST;
    if (says_gone(name))
        return UM_LAYOUT_EVENT_GONE;
    if (!measures)
        rest = after(name, "ArrangeElement");
    if (!rest)
        return UM_LAYOUT_EVENT_OTHER;
    if (strcmp(rest, "Start") == 0 || strcmp(rest, "Begin") == 0)
        return measures ? UM_LAYOUT_EVENT_MEASURE_BEGIN : UM_LAYOUT_EVENT_ARRANGE_BEGIN;
    if (strcmp(rest, "Stop") == 0 || strcmp(rest, "End") == 0)
        return measures ? UM_LAYOUT_EVENT_MEASURE_END : UM_LAYOUT_EVENT_ARRANGE_END;
    return UM_LAYOUT_EVENT_OTHER;
}

enum um_layout_event_field um_layout_event_field(const char *name)
{
    static const struct {
        const char *name;
        enum um_layout_event_field field;
    } known[] = {
        {"ElementId", UM_LAYOUT_EVENT_ELEMENT},
        {"Left", UM_LAYOUT_EVENT_LEFT},
        {"VisualOffsetX", UM_LAYOUT_EVENT_LEFT},
        {"FinalRectX", UM_LAYOUT_EVENT_LEFT},
        {"Top", UM_LAYOUT_EVENT_TOP},
        {"VisualOffsetY", UM_LAYOUT_EVENT_TOP},
        {"FinalRectY", UM_LAYOUT_EVENT_TOP},
        {"Width", UM_LAYOUT_EVENT_WIDTH},
        {"RenderWidth", UM_LAYOUT_EVENT_WIDTH},
        {"FinalRectWidth", UM_LAYOUT_EVENT_WIDTH},
        {"Height", UM_LAYOUT_EVENT_HEIGHT},
        {"RenderHeight", UM_LAYOUT_EVENT_HEIGHT},
        {"FinalRectHeight", UM_LAYOUT_EVENT_HEIGHT},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(name, known[i].name) == 0)
            return known[i].field;
    return UM_LAYOUT_EVENT_NO_FIELD;
}

void um_layout_event_whole(struct um_layout_event *event, enum um_layout_event_field field,
                           uint64_t value)
{
    if (field != UM_LAYOUT_EVENT_ELEMENT)
        um_layout_event_real(event, field, (double)value);
    else if (event->element == 0)
        event->element = value;
}

void um_layout_event_real(struct um_layout_event *event, enum um_layout_event_field field,
                          double value)
{
    float number = fabs(value) <= (double)FLT_MAX ? (float)value : NAN;
    switch (field) {
    case UM_LAYOUT_EVENT_LEFT:
        event->left = number;
        break;
    case UM_LAYOUT_EVENT_TOP:
        event->top = number;
        break;
    case UM_LAYOUT_EVENT_WIDTH:
        event->width = number;
        break;
    case UM_LAYOUT_EVENT_HEIGHT:
        event->height = number;
        break;
    default:
        break;
    }
}

static uint64_t both(float low, float high)
{
    uint32_t halves[2];
    memcpy(&halves[0], &low, sizeof low);
    memcpy(&halves[1], &high, sizeof high);
    return halves[0] | (uint64_t)halves[1] << 32;
}

static void split(uint64_t word, float *low, float *high)
{
    uint32_t halves[2] = {(uint32_t)word, (uint32_t)(word >> 32)};
    memcpy(low, &halves[0], sizeof *low);
    memcpy(high, &halves[1], sizeof *high);
}

bool um_layout_event_push(struct um_ring *ring, uint32_t thread,
                          const struct um_layout_event *event)
{
    bool is_known = event->kind != UM_LAYOUT_EVENT_OTHER && event->kind < UM_LAYOUT_EVENT_COUNT;
    bool is_meant = event->thread == thread && event->element != 0;
    if (event->kind != UM_LAYOUT_EVENT_LOST && !(is_known && is_meant))
        return false;
    const struct um_ring_record record = {{event->time_ns << KIND_BITS | event->kind,
                                           event->element, both(event->left, event->top),
                                           both(event->width, event->height)}};
    um_ring_push(ring, &record);
    return true;
}

bool um_layout_event_pop(struct um_ring *ring, struct um_layout_event *event)
{
    struct um_ring_record record;
    if (!um_ring_pop(ring, &record))
        return false;
    event->time_ns = record.word[0] >> KIND_BITS;
    event->kind = record.word[0] & KINDS;
    event->element = record.word[1];
    event->thread = 0;
    split(record.word[2], &event->left, &event->top);
    split(record.word[3], &event->width, &event->height);
    return true;
}
