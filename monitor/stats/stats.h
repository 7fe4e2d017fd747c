/* What a session adds up to: latencies, freezes, interactions, the last 5 s and the slices of now.
 *
 * Fed with the frames of the feed (ipc/wire.h), live or from a recording; it draws no conclusions
 * of its own: what a freeze is has been decided by the watchdog. A reader starts at um_stats_frame.
 * One thread; never blocks; allocates only for the list of freezes, which is bounded, and some 1.4
 * MiB at the first interaction of each kind.
 */
#ifndef UM_MONITOR_STATS_H
#define UM_MONITOR_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/status.h"
#include "ipc/wire.h"
#include "monitor/stats/histogram.h"

#define UM_STATS_MAX_FREEZES 10000
#define UM_STATS_WORST 50  /* interactions that are kept as they are */
#define UM_STATS_TYPING 30 /* keys that the typing latency of now is taken from */

struct um_stats_config {
    uint64_t start_ns;     /* where the grid of slices begins, until SESSION says so */
    uint64_t period_ns;    /* between beats; for the correction */
    uint64_t threshold_ns; /* reported, not applied: the watchdog applied it */
};

struct um_stats_freeze {
    uint32_t id; /* of its EPISODE */
    uint64_t start_ns;
    uint64_t duration_ns;
    uint64_t uncertainty_ns; /* the true start lies within start_ns ± half of this */
    uint64_t peak_ns;        /* the greatest gap between two retrievals in it */
    uint32_t message;        /* the suspect, when has_message */
    enum um_state state;     /* UM_STATE_FROZEN or UM_STATE_STARVED */
    bool has_message;
    bool open; /* the session ended while it lasted */
    char window_class[128];
};

struct um_stats_freezes {
    uint64_t threshold_ns;
    uint64_t total_ns;
    uint64_t longest_ns;
    uint32_t count;     /* all of them, those that did not fit into the list too */
    uint32_t over_100;  /* of at least 100 ms */
    uint32_t over_250;  /* of at least 250 ms */
    uint32_t over_1000; /* of at least 1 s */
    uint32_t dropped;   /* not in the list: it was full, or memory was short */
    size_t len;
    struct um_stats_freeze *list; /* in the order of their ends */
};

/* The interactions of a kind. A part of which one end was not observed is not in its histogram. */
struct um_stats_kind {
    uint64_t count;
    uint64_t in_freezes;
    uint64_t painted;                 /* those with a total */
    const struct um_histogram *parts; /* one for each enum um_wire_part; NULL: none */
};

struct um_stats_interaction {
    struct um_wire_interaction times;
    bool release; /* of a click: its release was measured */
};

struct um_stats_interactions {
    struct um_stats_kind kinds[UM_INTERACTION_COUNT];
    uint64_t dropped; /* counted, but in no histogram: memory was short */
    size_t worst_len;
    struct um_stats_interaction worst[UM_STATS_WORST]; /* the longest first */
};

struct um_stats;

/* Makes empty statistics. Owner: the caller; release with um_stats_close.
 * Errors: UM_ERR_MEMORY. */
enum um_status um_stats_open(const struct um_stats_config *config, struct um_stats **out);

/* Releases them. NULL is allowed. */
void um_stats_close(struct um_stats *stats);

/* Takes one frame of the feed. BEAT enters the histogram, the window and the slices; an EPISODE
 * that ends frozen or starved and is not void enters the freezes; INTERACTION enters the histograms
 * of its kind; SESSION renews period and threshold and, before the first beat, the grid of slices;
 * all other types are ignored. */
void um_stats_frame(struct um_stats *stats, const struct um_wire_frame *frame);

/* Fills a STATUS and returns its frame's flags (UM_WIRE_STATUS_*): everything but state,
 * state_since_ns and lost, which are not known here and are left as they are.
 * `waited_ns` is how long the outstanding beat has waited at `now_ns`, without what the process
 * slept; 0 when no beat is outstanding. The typing latency is that from arrival to painted over
 * those of the last 30 keys that were painted, if at least half of them were; else it is that from
 * arrival to handled, over all. The same goes for the last click.
 *
 * The slice is the one `now_ns` lies in, with its end in and its start out. The session therefore
 * calls this with `now_ns` at each boundary (um_stats_slice_end), and that status is the final word
 * on the slice; a consumer takes the latest status of each slice_start_ns. Calls must not go back
 * by more than the window forgets: a boundary that is some ms old is fine.
 * Cost: some tens of µs. */
uint8_t um_stats_fill_status(struct um_stats *stats, uint64_t now_ns, uint64_t waited_ns,
                             struct um_wire_status *status);

/* The session's interactions. Owner: the statistics'. */
const struct um_stats_interactions *um_stats_interactions(const struct um_stats *stats);

/* The end of the slice that `now_ns` lies in; `now_ns` itself on a boundary. */
uint64_t um_stats_slice_end(const struct um_stats *stats, uint64_t now_ns);

/* The session's latencies, corrected. Owner: the statistics'. */
const struct um_histogram *um_stats_histogram(const struct um_stats *stats);

/* The session's freezes. Owner: the statistics'; the list moves with the next frame. */
const struct um_stats_freezes *um_stats_freezes(const struct um_stats *stats);

#endif
