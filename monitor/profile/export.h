/* Samples for other tools: what the writers of each format share, and the writers.
 *
 * Each writes what a view shows. Where frames are not shown, a frame "[hidden]" stands in their
 * place, and a stack that was cut off begins with "[stack not read]", because these formats know
 * neither. Threads are apart. Not on the hot path. Thread: one at a time.
 */
#ifndef UM_MONITOR_EXPORT_H
#define UM_MONITOR_EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "ipc/status.h"
#include "monitor/profile/view.h"

/* Each frame may have a "[hidden]" in front; two more at the ends. */
#define UM_EXPORT_DEPTH (UM_CALLTREE_DEPTH * 2 + 2)

/* Brendan Gregg's folded stacks: a line for each different stack, outermost function first, and how
 * many samples have it: "thread 7;App!main;plug!parse 12". A semicolon in a name becomes a colon.
 * Source: the comment at the top of stackcollapse.pl, github.com/brendangregg/FlameGraph.
 * Errors: UM_ERR_MEMORY; UM_ERR_TOO_LARGE there are too many different stacks; UM_ERR_IO. */
enum um_status um_export_folded(const struct um_view *view, FILE *out);

/* speedscope's JSON: a sampled profile a thread, in the order of time, with the wall time that each
 * sample stands for. The time between freezes is left out.
 * Source: https://www.speedscope.app/file-format-schema.json, speedscope 1.25.0.
 * Errors: UM_ERR_MEMORY; UM_ERR_IO. */
enum um_status um_export_speedscope(const struct um_view *view, FILE *out);

/* Frames by numbers: those of functions, and after them the two that stand for frames. */
struct um_export {
    struct um_view view;
    uint32_t hidden;
    uint32_t cut;
    uint32_t count; /* of numbers */
};

/* Gives every function of the view its number. */
void um_export_begin(struct um_export *export, const struct um_view *view);

/* The frames of a sample, outermost first; `frames` has room for UM_EXPORT_DEPTH. False if it is
 * not in the view. */
bool um_export_stack(const struct um_export *export, size_t index, uint32_t *frames, size_t *count);

/* The next thread above *thread that has samples in the view; begin with *found false. */
bool um_export_next_thread(const struct um_export *export, bool *found, uint32_t *thread);

struct um_functions_label um_export_label(const struct um_export *export, uint32_t frame);

/* Writes a text as a JSON string. False if there is no memory or it could not be written. */
bool um_export_json_text(FILE *out, const char *text);

#endif
