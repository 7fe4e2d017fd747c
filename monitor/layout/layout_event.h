/* One event of a XAML program: an element begins or ends to measure or to arrange itself, or is
 * gone. It comes from the provider Microsoft-Windows-XAML (layout_etw.h), or from a text
 * (layout_recorded.h).
 *
 * Names decide what an event and its fields are, because numbers differ between versions of XAML:
 * MeasureElement and ArrangeElement, with Start or Begin, and Stop or End, and ElementDestroyed,
 * with Info or no word. All have ElementId. A begin of an arrange has Left, Top, Width and Height;
 * its end has VisualOffsetX, VisualOffsetY, RenderWidth and RenderHeight, or FinalRectX and so on.
 * All of these are relative to the element around it, in units of 1/96 inch. A reader starts at
 * um_layout_event_name. Pure; um_layout_event_push is on the hot path.
 */
#ifndef UM_MONITOR_LAYOUT_EVENT_H
#define UM_MONITOR_LAYOUT_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/plain/ring.h"

enum um_layout_event_kind {
    UM_LAYOUT_EVENT_OTHER = 0, /* nothing that is known here */
    UM_LAYOUT_EVENT_MEASURE_BEGIN,
    UM_LAYOUT_EVENT_MEASURE_END,
    UM_LAYOUT_EVENT_ARRANGE_BEGIN,
    UM_LAYOUT_EVENT_ARRANGE_END,
    UM_LAYOUT_EVENT_LOST, /* events before this one were lost */
    UM_LAYOUT_EVENT_GONE, /* the element exists no more; its id may be used again */
    UM_LAYOUT_EVENT_COUNT
};

enum um_layout_event_field {
    UM_LAYOUT_EVENT_NO_FIELD = 0, /* of no interest here */
    UM_LAYOUT_EVENT_ELEMENT,
    UM_LAYOUT_EVENT_LEFT,
    UM_LAYOUT_EVENT_TOP,
    UM_LAYOUT_EVENT_WIDTH,
    UM_LAYOUT_EVENT_HEIGHT
};

struct um_layout_event {
    uint64_t time_ns; /* on the monotonic clock; below 2 to the 61st, which are 73 years */
    uint64_t element; /* its id; 0: not known */
    uint32_t thread;
    uint8_t kind;                   /* enum um_layout_event_kind */
    float left, top, width, height; /* NaN: not said */
};

/* Begins an event of which nothing else is known. */
void um_layout_event_init(struct um_layout_event *event, uint64_t time_ns, uint32_t thread);

/* What an event with this name is, such as "MeasureElement/Start" or "ElementDestroyed". */
enum um_layout_event_kind um_layout_event_name(const char *name);

/* What a field with this name says. */
enum um_layout_event_field um_layout_event_field(const char *name);

/* Sets a field that is a number; UM_LAYOUT_EVENT_NO_FIELD sets nothing. Numbers that are not
 * finite, or too large for a float, stay NaN. The first id that is not 0 stays. */
void um_layout_event_whole(struct um_layout_event *event, enum um_layout_event_field field,
                           uint64_t value);
void um_layout_event_real(struct um_layout_event *event, enum um_layout_event_field field,
                          double value);

/* Puts an event into a ring, if it is of this thread and about an element, or says that events were
 * lost. False: it is none of these. The ring forgets which thread it was.
 * Thread: the ring's producer; wait-free. */
bool um_layout_event_push(struct um_ring *ring, uint32_t thread,
                          const struct um_layout_event *event);

/* Takes the oldest event out of the ring; false if there is none. Thread: the ring's consumer. */
bool um_layout_event_pop(struct um_ring *ring, struct um_layout_event *event);

#endif
