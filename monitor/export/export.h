/* Samples, markers, counters and latencies for other tools: what the writers of each format share,
 * and the writers.
 *
 * Each writes what a view shows, and of `about` what its format has a place for. The formats for
 * samples have neither hidden frames nor stacks that were cut off. So a frame "[hidden]" takes the
 * place of hidden ones, and a stack that was cut off begins with "[stack not read]". Nor have they
 * frames that are guesses (calltree.h): the name of one has a mark in front, and for the Firefox
 * Profiler its category says so. Each thread is
 * written by itself. Not on the hot path. Thread: one at a time.
 */
#ifndef UM_MONITOR_EXPORT_H
#define UM_MONITOR_EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/plain/status.h"
#include "monitor/flows/flows.h"
#include "monitor/flows/markers.h"
#include "monitor/export/latencies.h"
#include "monitor/export/latency_log.h"
#include "monitor/profile/view.h"
#include "monitor/recorded/recorded_counters.h"
#include "monitor/stats/stats.h"

/* What was sampled. Owner: the caller, of everything. */
struct um_export_about {
    const char *program; /* "devenv.exe"; "": not known */
    uint32_t pid;
    uint32_t thread;   /* the UI thread */
    uint64_t start_ns; /* of the session, on the machine's clock: the zero of samples and markers */
    int64_t utc_ms;    /* the same instant on the calendar */
    uint64_t duration_ns;
    const struct um_markers *markers; /* finished; NULL: there are none */
    const struct um_flows *flows;     /* of the markers */
    const bool *chosen;               /* of each marker, whether it is written; NULL: all are */
    const struct um_recorded_counters *counters; /* NULL: there are none */
    const struct um_stats *stats;                /* NULL: there are no latencies */
    const struct um_latency_log *latency_log;    /* of these, by intervals; NULL: there are none */
    size_t latency;                              /* a row of latencies.h */
};

/* A writer; the formats' own follow. */
typedef enum um_status um_export_write(const struct um_view *view,
                                       const struct um_export_about *about, FILE *out);

/* Brendan Gregg's folded stacks: a line for each different stack, outermost function first, and how
 * many samples have it: "thread 7;App!main;plug!parse 12". A semicolon in a name becomes a colon.
 * Source: the comment at the top of stackcollapse.pl, github.com/brendangregg/FlameGraph.
 * Errors: UM_ERR_MEMORY; UM_ERR_TOO_LARGE there are too many different stacks; UM_ERR_IO. */
enum um_status um_export_folded(const struct um_view *view, const struct um_export_about *about,
                                FILE *out);

/* speedscope's JSON: a sampled profile for each thread, in the order of time, with the wall time
 * that each sample stands for. The time between freezes is left out.
 * Source: https://www.speedscope.app/file-format-schema.json, speedscope 1.25.0.
 * Errors: as um_export_folded. */
enum um_status um_export_speedscope(const struct um_view *view, const struct um_export_about *about,
                                    FILE *out);

/* The Firefox Profiler's JSON, "processed" format, version 60: each thread's samples with the CPU
 * time of the thread where it is known, its markers, with flows and with the stacks of freezes
 * (causes.h); counters.
 * Source: docs-developer/CHANGELOG-formats.md and src/types/profile.js of the Firefox Profiler.
 * Errors: UM_ERR_MEMORY; UM_ERR_TOO_LARGE there are too many different stacks; UM_ERR_IO. */
enum um_status um_export_firefox(const struct um_view *view, const struct um_export_about *about,
                                 FILE *out);

/* Perfetto's protobuf: samples as PerfSample packets, each with the time that it stands for as what
 * it counts; markers as slices and instants on the tracks of their threads (tracks.h), with their
 * flows, and freezes with their stacks (causes.h); counters.
 * Source: protos/perfetto/trace in Perfetto, v55.3.
 * Errors: as um_export_firefox. */
enum um_status um_export_perfetto(const struct um_view *view, const struct um_export_about *about,
                                  FILE *out);

/* Chrome's trace JSON: markers, counters, and flow events for what they mention. A flow event is
 * bound to the slice that starts at its time. So an instant that mentions a flow is a slice of no
 * length, and what starts together on a thread lies on several tracks (tracks.h), which are threads
 * here. Times are since the session's start, or since the first marker, if that is earlier.
 * Source: the Trace Event Format of the Chromium project. Errors: UM_ERR_MEMORY; UM_ERR_IO. */
enum um_status um_export_chrome(const struct um_view *view, const struct um_export_about *about,
                                FILE *out);

/* A table of the markers, a row each: its name, thread and process, what it is called, from when to
 * when it was (an instant ends where it starts), its fields, and the names of the flows that it
 * mentions. Units: ms from the session's start. Errors: UM_ERR_MEMORY; UM_ERR_IO. */
enum um_status um_export_csv(const struct um_view *view, const struct um_export_about *about,
                             FILE *out);

/* HdrHistogram's log: the latencies, each with a tag, as a histogram for each interval in which
 * there are some. Units: s from the session's start; the histograms are in ns.
 * Source: HistogramLogWriter of HdrHistogram 2.1.12; hdr_encode.h. Errors: UM_ERR_IO. */
enum um_status um_export_hlog(const struct um_view *view, const struct um_export_about *about,
                              FILE *out);

/* HdrHistogram's text of percentiles, of one latency. Units: ms.
 * Source: AbstractHistogram.outputPercentileDistribution of HdrHistogram 2.1.12, with 5 ticks.
 * Errors: UM_ERR_IO. */
enum um_status um_export_hgrm(const struct um_view *view, const struct um_export_about *about,
                              FILE *out);

#define UM_EXPORT_DEPTH (UM_CALLTREE_DEPTH + 1) /* a stack may begin with "[stack not read]" */

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

/* An export. Each frame has a number: first those of the functions, then "[hidden]" and "[stack not
 * read]". A frame that is a guess has its number + `count` (um_export_frame). There are such
 * numbers if some stack has a guess. Samples are sorted by threads, so that a writer reads each
 * sample once: a recording may have as many threads as samples. */
struct um_export {
    struct um_view view;
    uint32_t hidden;
    uint32_t cut;
    uint32_t count;                   /* how many numbers there are without those of guesses */
    struct um_export_thread *threads; /* by their ids */
    struct um_export_sample *samples; /* thread by thread, in the order of time */
    size_t thread_count, sample_count;
    uint32_t *modules; /* of each frame: the first frame of the same module, which stands for it */
    struct um_calltree tree; /* the different stacks. "[hidden]" is a frame like any other */
    uint32_t *nodes;         /* the node of each sample; UM_CALLTREE_NONE: it is not in the view */
    bool has_guesses;
};

/* Gives each function of the view a number, and sorts the samples by threads.
 * Owner: um_export_end, also after an error. Errors: UM_ERR_MEMORY. */
enum um_status um_export_begin(struct um_export *export, const struct um_view *view);
void um_export_end(struct um_export *export);

/* The same, and fills in modules, tree, nodes and has_guesses.
 * Errors: UM_ERR_MEMORY; UM_ERR_TOO_LARGE there are too many different stacks. */
enum um_status um_export_begin_tree(struct um_export *export, const struct um_view *view);

/* A thread of the view by its id; NULL if it has no samples. */
const struct um_export_thread *um_export_thread(const struct um_export *export, uint32_t id);

/* How many numbers of frames there are, with those of guesses. These three want the tree. */
uint32_t um_export_numbers(const struct um_export *export);

/* The number of the frame of a node, which is not the root. */
uint32_t um_export_frame(const struct um_export *export, uint32_t node);

/* The numbers of the frames of a node and of those above it, innermost first. Returns how many;
 * `frames` has room for UM_EXPORT_DEPTH. */
size_t um_export_stack(const struct um_export *export, uint32_t node, uint32_t *frames);

/* What a frame is called, a guess with UM_WIRE_GUESS in front. */
struct um_functions_label um_export_label(const struct um_export *export, uint32_t frame);

/* Where a function is. */
struct um_export_place {
    char file[UM_FUNCTIONS_TEXT + 16]; /* "": not known */
    uint32_t line;                     /* 0: not known, or it is in `file` */
};

/* The place of a frame's function. These formats have no mark for a line that is only the nearest
 * one before, so that one is a part of the file's text: "Parser.cs:~118". */
struct um_export_place um_export_place(const struct um_export *export, uint32_t frame);

/* The path of a frame's module; "" if it is not known. */
const char *um_export_module(const struct um_export *export, uint32_t frame);

/* Whether a marker is written. */
bool um_export_shows(const struct um_export_about *about, uint32_t marker);

/* When the first marker that is written starts, if it is before the session's start, as input is
 * that arrived while uimon was on its way into the program; else 0. */
int64_t um_export_first_ns(const struct um_export_about *about);

/* The id of a thread with markers: its label, if that is a number. 0: it is not known. */
uint32_t um_export_tid(const struct um_marker_thread *thread);

/* Writes a text as a JSON string; bytes that are not UTF-8 are replaced. False if there is no
 * memory or it could not be written. */
bool um_export_json_text(FILE *out, const char *text);

/* The same for a number; what is none that JSON has is null. */
void um_export_json_number(FILE *out, double number);

#endif
