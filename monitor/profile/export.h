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

/* The freezes in which samples were taken, for the formats that can show them. */
struct um_export_freeze {
    uint32_t id;      /* as samples have it */
    int64_t start_ns; /* from the session's start on; negative: it had begun before */
    uint64_t duration_ns;
    const char *state;   /* "frozen" */
    const char *suspect; /* "WM_TIMER @ Edit"; "": none */
};

/* What the samples are of. Owner: the caller, of everything. */
struct um_export_about {
    const char *program; /* "devenv.exe"; "": not known */
    uint32_t pid;
    uint32_t thread;   /* the UI thread */
    uint64_t start_ns; /* of the session, on the machine's clock */
    int64_t utc_ms;    /* the same instant on the calendar */
    uint64_t duration_ns;
    const struct um_export_freeze *freezes;
    size_t freeze_count;
};

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

/* The Firefox Profiler's JSON, "processed" format, version 60: each thread's samples with the CPU
 * time of the thread where it is known, and the freezes as markers of the UI thread.
 * Source: docs-developer/CHANGELOG-formats.md and src/types/profile.js of the Firefox Profiler.
 * Errors: UM_ERR_MEMORY; UM_ERR_TOO_LARGE there are too many different stacks; UM_ERR_IO. */
enum um_status um_export_firefox(const struct um_view *view, const struct um_export_about *about,
                                 FILE *out);

/* Perfetto's protobuf: samples as PerfSample packets, and the freezes as slices of the UI thread.
 * Source: protos/perfetto/trace in Perfetto, v55.3.
 * Errors: as um_export_firefox. */
enum um_status um_export_perfetto(const struct um_view *view, const struct um_export_about *about,
                                  FILE *out);

/* A sample of the view, by its index. */
struct um_export_sample {
    uint32_t thread;
    uint32_t index;
};

/* A thread that has samples in the view: `count` of them, from samples[first] on. */
struct um_export_thread {
    uint32_t id;
    size_t first;
    size_t count;
};

/* Frames by numbers: those of functions, and after them the two that stand for frames. Samples by
 * their threads: a writer that goes through the threads meets each sample once, because a recording
 * may have as many threads as samples. */
struct um_export {
    struct um_view view;
    uint32_t hidden;
    uint32_t cut;
    uint32_t count;                   /* of numbers */
    struct um_export_thread *threads; /* by their ids */
    struct um_export_sample *samples; /* thread by thread, in the order of time */
    size_t thread_count, sample_count;
};

/* Gives every function of the view its number, and sorts the samples by their threads.
 * Owner: um_export_end, also after an error. Errors: UM_ERR_MEMORY. */
enum um_status um_export_begin(struct um_export *export, const struct um_view *view);
void um_export_end(struct um_export *export);

/* The frames of a sample, outermost first; `frames` has room for UM_EXPORT_DEPTH. False if it is
 * not in the view. */
bool um_export_stack(const struct um_export *export, size_t index, uint32_t *frames, size_t *count);

/* The stacks of the view, each once: a tree in which "[hidden]" is a frame as any other, and
 * "[stack not read]" is UM_CALLTREE_CUT. */
struct um_export_stacks {
    struct um_calltree tree;
    uint32_t *nodes; /* of each sample; UM_CALLTREE_NONE: it is not in the view */
};

/* Owner: um_export_stacks_deinit, also after an error.
 * Errors: UM_ERR_MEMORY; UM_ERR_TOO_LARGE there are too many. */
enum um_status um_export_stacks_init(const struct um_export *export,
                                     struct um_export_stacks *stacks);
void um_export_stacks_deinit(struct um_export_stacks *stacks);

/* Whether a freeze is one of the view's. */
bool um_export_has_freeze(const struct um_export *export, const struct um_export_freeze *freeze);

/* The thread that freezes are shown on: the UI thread, or if it has no samples the first that
 * has. */
uint32_t um_export_freeze_thread(const struct um_export *export, uint32_t ui_thread);

struct um_functions_label um_export_label(const struct um_export *export, uint32_t frame);

/* "thread 7", or "NAME (thread 7)" if it has one. */
struct um_functions_label um_export_thread_label(const struct um_export *export, uint32_t thread);

/* The module of a frame, as it was given; "" if none is known. */
const char *um_export_module(const struct um_export *export, uint32_t frame);

/* For each frame the first one of the same module, so that modules can be told by numbers.
 * Owner: the caller frees `first`. Errors: UM_ERR_MEMORY. */
enum um_status um_export_modules(const struct um_export *export, uint32_t **first);

/* Writes a text as a JSON string; bytes that are not UTF-8 are replaced. False if there is no
 * memory or it could not be written. */
bool um_export_json_text(FILE *out, const char *text);

#endif
