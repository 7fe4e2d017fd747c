/* Markers that have all that an export must keep: flows through threads and processes, a reused id,
 * intervals that overlap, what happens at the same time, an interval without an end, and markers
 * without flows. Header-only. Units: ms in the macros. */
#ifndef UM_TESTS_FAKE_MARKERS_H
#define UM_TESTS_FAKE_MARKERS_H

#include <criterion/criterion.h>

#include "base/plain/clock.h"
#include "monitor/flows/flows.h"
#include "monitor/flows/markers.h"

#define FAKE_MS (int64_t) UM_CLOCK_NS_PER_MS

enum fake_flow { FAKE_KEY = 0xa1, FAKE_CALL, FAKE_TIE, FAKE_FREEZE, FAKE_STARVED, FAKE_BEAT };

static inline void fake_flow(struct um_markers *to, const char *name, enum fake_flow flow)
{
    um_markers_flow(to, name, UM_MARKER_FLOW, UINT64_C(0xfedcba9800000000) + flow);
}

static inline void fake_end(struct um_markers *to, const char *name, enum fake_flow flow)
{
    um_markers_flow(to, name, UM_MARKER_TERMINATING_FLOW, UINT64_C(0xfedcba9800000000) + flow);
}

/* The UI thread: a freeze, a key in its handler, and a stretch that overlaps with the handler. */
static inline void fake_ui_markers(struct um_markers *to, uint32_t ui)
{
    um_markers_interval(to, ui, "Frozen", "freeze", 0, 45 * FAKE_MS);
    fake_flow(to, "freeze", FAKE_FREEZE);
    um_markers_text(to, "message", "WM_TIMER");
    um_markers_text(to, "window_class", "\"Edit\"");
    um_markers_instant(to, ui, "Key taken", "input", 50 * FAKE_MS);
    fake_flow(to, "input", FAKE_KEY);
    fake_flow(to, "freeze", FAKE_FREEZE);
    um_markers_interval(to, ui, "Key handled", "input", 50 * FAKE_MS, 60 * FAKE_MS)->stack_based =
        true;
    fake_flow(to, "input", FAKE_KEY);
    um_markers_number(to, "part", 0.1);
    um_markers_interval(to, ui, "Call", "program", 52 * FAKE_MS, 55 * FAKE_MS)->stack_based = true;
    fake_flow(to, "call", FAKE_CALL);
    um_markers_interval(to, ui, "Starved", "freeze", 58 * FAKE_MS, 80 * FAKE_MS);
    fake_flow(to, "freeze", FAKE_STARVED);
    um_markers_instant(to, ui, "Key painted", "input", 65 * FAKE_MS + 1);
    fake_end(to, "input", FAKE_KEY);
    um_markers_instant(to, ui, "Key taken", "input", 70 * FAKE_MS);
    fake_flow(to, "input", FAKE_KEY);
    um_markers_instant(to, ui, "Key painted", "input", 71 * FAKE_MS);
    fake_end(to, "input", FAKE_KEY);
    um_markers_instant(to, ui, "Tie", "program", 74 * FAKE_MS);
    fake_flow(to, "tie", FAKE_TIE);
    um_markers_instant(to, ui, "Tie ends", "program", 75 * FAKE_MS);
    fake_end(to, "tie", FAKE_TIE);
    um_markers_instant(to, ui, "Tie again", "program", 75 * FAKE_MS);
    fake_flow(to, "tie", FAKE_TIE);
}

/* Owner: fake_markers_deinit. */
static inline void fake_markers(struct um_markers *to, struct um_flows *flows)
{
    *to = (struct um_markers){0};
    uint32_t ui = um_markers_thread(to, "7", "UI thread", "App.exe", 4711);
    uint32_t second = um_markers_thread(to, "9", "second", "App.exe", 4711);
    uint32_t beats = um_markers_thread(to, "heartbeat", "heartbeat", "App.exe", 4711);
    uint32_t input = um_markers_thread(to, "input", "input", "uimon", 0);
    uint32_t other = um_markers_thread(to, "12", "Worker", "Other.exe", 99);
    (void)um_markers_thread(to, "monitor", "monitor", "uimon", 0);
    fake_ui_markers(to, ui);
    um_markers_instant(to, input, "Key arrived", "input", 5 * FAKE_MS);
    fake_flow(to, "input", FAKE_KEY);
    um_markers_instant(to, second, "Note", "note", 30 * FAKE_MS);
    um_markers_text(to, "text", "no flow");
    um_markers_interval(to, second, "Loading", "program", 90 * FAKE_MS, 100 * FAKE_MS)->open = true;
    fake_flow(to, "call", FAKE_CALL);
    um_markers_interval(to, other, "Called", "program", 56 * FAKE_MS, 70 * FAKE_MS)->stack_based =
        true;
    fake_end(to, "from", FAKE_CALL);
    um_markers_instant(to, beats, "Beat sent", "beat", 1 * FAKE_MS);
    fake_flow(to, "beat", FAKE_BEAT);
    um_markers_instant(to, beats, "Beat answered", "beat", 100 * FAKE_MS);
    fake_end(to, "beat", FAKE_BEAT);
    cr_assert_eq(um_markers_finish(to), UM_OK);
    *flows = (struct um_flows){0};
    cr_assert_eq(um_flows_init(flows, to), UM_OK);
}

static inline void fake_markers_deinit(struct um_markers *markers, struct um_flows *flows)
{
    um_flows_deinit(flows);
    um_markers_deinit(markers);
}

#endif
