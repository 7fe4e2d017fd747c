/* What panes within one another cost, by the log (demo/panes_win32.h). Header-only, for end-to-end
 * tests. */
#ifndef UM_TESTS_E2E_PANES_H
#define UM_TESTS_E2E_PANES_H

#include <stdlib.h>
#include <string.h>

#include "tests/e2e/harness.h"

#define PANES 3

/* The outermost first: a pane lies in the one before it. */
static const char *const pane_names[PANES] = {"outer", "middle", "inner"};

struct pane_cost {
    size_t count;   /* how often it got another size */
    double busy_ms; /* how long the handling of that took, without the panes within it */
    double call_ms; /* how long the calls took that resized it, with the panes within it */
};

static inline struct pane_cost pane_cost(const char *log, const char *name)
{
    struct um_demo_log_event *events;
    struct pane_cost cost = {0, 0, 0};
    size_t count = log_events(log, UM_DEMO_LOG_PANE, &events);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(events[i].name, name) != 0)
            continue;
        cost.count++;
        cost.busy_ms += (double)(events[i].end_ns - events[i].begin_ns) / 1e6;
        cost.call_ms += (double)(events[i].handled_ns - events[i].retrieved_ns) / 1e6;
    }
    free(events);
    return cost;
}

/* Resizes the panes so often, and waits until the log says for the n-th time that this is over. */
static inline void resize_panes(const struct target *target, unsigned times, unsigned nth)
{
    char list[32];
    snprintf(list, sizeof list, "panes:%ux20", times);
    trigger(target, list);
    wait_lines(target->log, "panes ", nth);
}

#endif
