/* The summary of a session: for people as text, for scripts as JSON.
 *
 * New fields may be added to the JSON. The others never change, or else `schema` rises. A number
 * that was not measured is absent. Times are ms with up to 3 decimals. Not on the hot path.
 */
#ifndef UM_MONITOR_SUMMARY_H
#define UM_MONITOR_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/plain/status.h"
#include "ipc/wire.h"
#include "monitor/stats/histogram.h"
#include "monitor/stats/stats.h"

/* 1: 0.1.0. 2: the latencies also stand for the time in which the target rested and got fewer
 * beats, so `latency_ms.count` is no longer near `beats.seen`. */
#define UM_SUMMARY_SCHEMA 2

/* Whose CPU time belongs to uimon's own cost. */
enum um_summary_cpu {
    UM_SUMMARY_HEARTBEAT, /* a thread in the target */
    UM_SUMMARY_SENDER,    /* a thread in the target */
    UM_SUMMARY_MONITOR,   /* the process */
    UM_SUMMARY_OVERLAY,   /* the process */
    UM_SUMMARY_CPUS
};

/* A freeze that the flight recorder has saved. */
struct um_summary_bundle {
    const char *folder;
    uint64_t start_ns;       /* of the freeze */
    bool whole;              /* its recording has its end */
    bool has_minidump;       /* of the program in the freeze */
    bool has_minidump_after; /* of the program after it, because the one in it has failed */
};

/* Owner: everything pointed to stays the caller's. */
struct um_summary {
    uint32_t pid;
    uint32_t bits;     /* 64 or 32; 0 not known */
    const char *name;  /* "devenv.exe"; NULL not known */
    const char *title; /* NULL not known */
    /* A toolkit that runs the program's code on another thread than the window's ("Java"), so that
     * beats do not measure it; NULL or empty: no such toolkit is known. */
    const char *toolkit;
    int64_t utc_ms; /* when measuring began; the same instant as start_ns */
    uint64_t start_ns;
    const char *probe; /* um_wire_probe_word */
    const char
        *beat; /* of the raw probe: "still", "zero", "pair"; NULL: not known, or another probe */
    uint32_t period_us;
    struct um_stats_beats beats;
    struct um_wire_totals totals;                      /* its states add up to its duration */
    const struct um_histogram *latency;                /* NULL as an empty one */
    const struct um_stats_freezes *freezes;            /* NULL as none */
    const struct um_stats_unmeasured_list *unmeasured; /* NULL as none */
    const struct um_stats_interactions *interactions;  /* NULL as none */
    const struct um_stats_stacks *stacks;              /* NULL as none */
    const struct um_traced *traced;                    /* NULL as nothing traced */
    const struct um_methods *methods;                  /* NULL as no methods traced */
    const struct um_laid_out *laid_out;                /* NULL as no layout measured */
    const struct um_counted *counted;                  /* NULL as nothing else counted */
    uint64_t cpu_ns[UM_SUMMARY_CPUS]; /* uimon's own CPU time over the session; 0: not measured */
    uint64_t hook_call_ns; /* of one hook call, on the target's UI thread; 0: not measured */
    const struct um_summary_bundle *bundles; /* NULL: there was no flight recorder */
    size_t bundle_count;
    bool breaks_off; /* it is of a recording that lacks its end, and with that, some stacks */
};

/* Makes the summary from the frames of a feed: the last SESSION, the last TOTALS, and the
 * statistics of all frames. A session and its recording thus have the same summary.
 * Owner: `session` and `stats` must outlive the summary. */
void um_summary_fill(struct um_summary *summary, const struct um_wire_session *session,
                     const struct um_wire_totals *totals, const struct um_stats *stats);

/* Writes the summary as text for people, UTF-8, at most 80 columns wide. Paths, and impossible
 * numbers of a damaged recording, may be wider.
 * Errors: UM_ERR_IO the stream has failed; UM_ERR_MEMORY. */
enum um_status um_summary_text_write(FILE *file, const struct um_summary *summary);

struct cJSON;

/* Makes the JSON as an object, to which a caller can add. NULL without memory.
 * Owner: cJSON_Delete. */
struct cJSON *um_summary_object(const struct um_summary *summary);

/* Makes the JSON text, without a newline at its end.
 * Owner: the caller; release with cJSON_free.
 * Errors: UM_ERR_MEMORY. */
enum um_status um_summary_json(const struct um_summary *summary, char **out);

#endif
