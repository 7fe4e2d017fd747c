/* The summary of a session: for people as text, for scripts as JSON.
 *
 * The JSON's fields are frozen and only ever added to (`schema` rises when one changes meaning);
 * a number that was not measured is absent. Times are ms with up to 3 decimals. Not on the hot
 * path.
 */
#ifndef UM_MONITOR_SUMMARY_H
#define UM_MONITOR_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "ipc/status.h"
#include "ipc/wire.h"
#include "monitor/stats/histogram.h"
#include "monitor/stats/stats.h"

/* 1: 0.1.0. 2: the latencies also stand for the time in which the target rested and got fewer
 * beats, so `latency_ms.count` is no longer near `beats.seen`. */
#define UM_SUMMARY_SCHEMA 2

struct um_summary_figure {
    bool measured;
    uint64_t ns;
};

/* The tool's own cost over the session. Zeroed: nothing was measured. */
struct um_summary_cost {
    struct um_summary_figure heartbeat; /* CPU of the heartbeat thread, in the target */
    struct um_summary_figure sender;    /* CPU of the sender thread, in the target */
    struct um_summary_figure monitor;   /* CPU of the monitor's process */
    struct um_summary_figure overlay;   /* CPU of the overlay's process */
    struct um_summary_figure hook_call; /* of one hook call, on the target's UI thread */
};

/* A freeze that the flight recorder has saved. */
struct um_summary_bundle {
    const char *folder;
    uint64_t start_ns; /* of the freeze */
    bool whole;        /* its recording has its end */
};

/* Owner: everything pointed to stays the caller's. */
struct um_summary {
    uint32_t pid;
    uint32_t bits;     /* 64 or 32; 0 not known */
    const char *name;  /* "devenv.exe"; NULL not known */
    const char *title; /* NULL not known */
    /* Beats tell of the window's thread alone, because this toolkit does the program's work
     * elsewhere ("Java"); NULL or empty: no such toolkit is known. */
    const char *toolkit;
    int64_t utc_ms; /* when measuring began; the same instant as start_ns */
    uint64_t start_ns;
    uint64_t duration_ns;
    const char *probe; /* "raw", "mouse"; NULL not known */
    const char *beat;  /* of the raw probe: "zero", "pair"; NULL not known, or the mouse probe */
    bool shielded;     /* a program of a higher integrity level was in front for a time */
    bool held[UM_PROBE_HELD_COUNT]; /* for a time, this held beats back */
    uint32_t period_us;
    uint32_t rest_us;       /* the same while the target rests; 0 not known */
    uint32_t background_us; /* the same while another program is in front, as PACE has it */
    uint64_t beats_sent;
    uint64_t beats_seen;
    uint64_t beats_lost;
    uint64_t beats_rested;                            /* left out because the target rested */
    uint64_t state_ns[UM_STATE_COUNT];                /* adds up to duration_ns */
    const struct um_histogram *latency;               /* NULL as an empty one */
    const struct um_stats_freezes *freezes;           /* NULL as none */
    const struct um_stats_interactions *interactions; /* NULL as none */
    const struct um_stats_stacks *stacks;             /* NULL as none */
    const struct um_traced *traced;                   /* NULL as nothing traced */
    uint64_t dropped;      /* records and frames that were lost on the way */
    uint32_t key_delay_us; /* by which each key was delayed on purpose (PROVING); 0: by nothing */
    struct um_summary_cost cost;
    const struct um_summary_bundle *bundles; /* NULL: there was no flight recorder */
    size_t bundle_count;
};

/* Fills in what a session adds up to, from the frames of its feed: the last SESSION, the last
 * TOTALS, and the statistics of all frames. A session and its recording thus have the same summary.
 * Owner: `session` and `stats` must outlive the summary. */
void um_summary_fill(struct um_summary *summary, const struct um_wire_session *session,
                     const struct um_wire_totals *totals, const struct um_stats *stats);

/* Writes the summary as text for people, UTF-8, at most 80 columns wide (more only where a damaged
 * recording has numbers that cannot be, and for paths).
 * Errors: UM_ERR_IO the stream has failed. */
enum um_status um_summary_write_text(FILE *file, const struct um_summary *summary);

struct cJSON;

/* Makes the JSON, for those who add to it. Owner: cJSON_Delete. NULL without memory. */
struct cJSON *um_summary_object(const struct um_summary *summary);

/* Makes the JSON text, without a newline at its end.
 * Owner: the caller; release with cJSON_free.
 * Errors: UM_ERR_MEMORY. */
enum um_status um_summary_json(const struct um_summary *summary, char **out);

#endif
