/* What a session adds up to: latencies, freezes, interactions, the last 5 s and the slices of now.
 *
 * The statistics take the frames of the feed (ipc/wire.h), live or from a recording. They draw no
 * conclusions of their own: the watchdog has decided what a freeze is. A reader starts at
 * um_stats_frame. One thread; never blocks. Memory is allocated for the list of freezes, which is
 * bounded, and once for each kind of interaction, some 1.4 MiB.
 */
#ifndef UM_MONITOR_STATS_H
#define UM_MONITOR_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/status.h"
#include "ipc/wire.h"
#include "monitor/stats/histogram.h"
#include "monitor/stats/traced.h"

#define UM_STATS_MAX_FREEZES 10000
#define UM_STATS_WORST 50  /* interactions that are kept as they are */
#define UM_STATS_STACKS 50 /* of the longest freezes, that are kept */
#define UM_STATS_TYPING 30 /* keys that the typing latency of now is taken from */

struct um_stats_config {
    uint64_t start_ns;     /* where the grid of slices begins, until a SESSION comes */
    uint64_t period_ns;    /* between two beats; for the correction */
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
    char message_name[64]; /* as in EPISODE */
};

struct um_stats_freezes {
    uint64_t threshold_ns;
    uint64_t total_ns;
    uint64_t longest_ns;
    uint32_t count;     /* of all freezes, also those that are not in the list */
    uint32_t over_100;  /* of at least 100 ms */
    uint32_t over_250;  /* of at least 250 ms */
    uint32_t over_1000; /* of at least 1 s */
    uint32_t dropped;   /* not in the list, because it was full or memory was short */
    size_t len;
    struct um_stats_freeze *list; /* in the order of their ends */
};

/* What is known of the beats beside their latencies. */
struct um_stats_beats {
    uint32_t rest_us; /* from beat to beat while the thread rests, as PACE says; 0: it has not */
    uint32_t background_us; /* the same while another program is in front, as PACE has it */
    enum um_rung rung;      /* of the raw probe, the last one; AUTO: not known */
    bool were_shielded;     /* for a time, the system kept them from a program of a higher integrity
                         * level that was in front */
    bool were_held[UM_PROBE_HELD_COUNT]; /* for a time, this held them back */
};

/* The interactions of a kind. A part is in its histogram if both of its ends were observed. */
struct um_stats_kind {
    uint64_t count;
    uint64_t in_freezes;
    uint64_t painted;                 /* those with a total */
    const struct um_histogram *parts; /* one for each enum um_wire_part; NULL: none */
};

struct um_stats_interaction {
    struct um_wire_interaction times;
    bool release; /* a click whose release was measured, not its press */
};

struct um_stats_interactions {
    struct um_stats_kind kinds[UM_INTERACTION_COUNT];
    uint64_t dropped; /* counted, but in no histogram, because memory was short */
    size_t worst_len;
    struct um_stats_interaction worst[UM_STATS_WORST]; /* the longest first */
};

/* Where the UI thread was in freezes. */
struct um_stats_stack {
    uint64_t duration_ns; /* of its freeze */
    struct um_wire_stack stack;
    struct um_wire_wait wait; /* for whom it waited; kind NONE: not known */
};

struct um_stats_stacks {
    struct um_wire_sampling sampling; /* the latest; `samples` is 0 before the first */
    size_t len;
    struct um_stats_stack list[UM_STATS_STACKS]; /* in no order */
};

struct um_stats;

/* Makes empty statistics. Owner: the caller; release with um_stats_close.
 * Errors: UM_ERR_MEMORY. */
enum um_status um_stats_open(const struct um_stats_config *config, struct um_stats **out);

/* Releases them. NULL is allowed. */
void um_stats_close(struct um_stats *stats);

/* Takes one frame of the feed. BEAT enters the histogram, the window and the slices. REST enters
 * the first two, as beats of the latency of the one before: time at rest counts as any other.
 * PACE says how long a beat stands for those that are left out after it. An EPISODE
 * that ends frozen or starved and is not void enters the freezes. INTERACTION enters the histograms
 * of its kind. SESSION renews period and threshold and, before the first beat, the grid of slices.
 * RUNG enters what is known of the beats, and PROVING the delay of the keys. STACK enters the
 * stacks if its freeze is in the list, WAIT goes to its STACK, and SAMPLING takes the place of the
 * one before. What was traced is added up by traced.h. Other types are ignored. */
void um_stats_frame(struct um_stats *stats, const struct um_wire_frame *frame);

/* Fills a STATUS and returns its frame's flags (UM_WIRE_STATUS_*). The fields state, state_since_ns
 * and lost are not known here, and are left as they are.
 * `waited_ns` is how long the outstanding beat has waited at `now_ns`, without what the process
 * slept; 0 when no beat is outstanding. The typing latency is measured from arrival to painted,
 * over those of the last 30 keys that were painted, if at least half of them were. Otherwise it is
 * measured from arrival to handled, over all of them. The same goes for the last click.
 *
 * The slice is the one that `now_ns` lies in. A slice includes its end and excludes its start, so a
 * STATUS at a boundary (um_stats_slice_end) is final for the slice that ends there. A consumer
 * takes the latest STATUS of each slice_start_ns. `now_ns` may lie some ms before that of the last
 * call, but no further, because the window forgets old samples.
 * Cost: some tens of µs. */
uint8_t um_stats_fill_status(struct um_stats *stats, uint64_t now_ns, uint64_t waited_ns,
                             struct um_wire_status *status);

/* The session's interactions. Owner: the statistics'. */
const struct um_stats_interactions *um_stats_interactions(const struct um_stats *stats);

/* The end of the slice that `now_ns` lies in; `now_ns` itself on a boundary. */
uint64_t um_stats_slice_end(const struct um_stats *stats, uint64_t now_ns);

/* The session's latencies, corrected. Owner: the statistics'. */
const struct um_histogram *um_stats_histogram(const struct um_stats *stats);

/* By how much each key was delayed on purpose, as PROVING says; 0: by nothing. Units: µs. */
uint32_t um_stats_key_delay_us(const struct um_stats *stats);

/* The stacks of the session's freezes. Owner: the statistics'. */
const struct um_stats_stacks *um_stats_stacks(const struct um_stats *stats);

/* Puts a stack in the place of the one of the same freeze. Returns whether that is kept. */
bool um_stats_replace_stack(struct um_stats *stats, const struct um_wire_stack *stack);

/* The messages that were traced. Owner: the statistics'. */
const struct um_traced *um_stats_traced(const struct um_stats *stats);

/* The stack of a freeze by its id; NULL: none is kept. Owner: as `stacks`, which may be NULL. */
const struct um_wire_stack *um_stats_stack_of(const struct um_stats_stacks *stacks,
                                              uint32_t freeze);

/* For whom the thread waited in a freeze, in the same way; NULL: not known. */
const struct um_wire_wait *um_stats_wait_of(const struct um_stats_stacks *stacks, uint32_t freeze);

/* What is known of the session's beats. Owner: the statistics'. */
const struct um_stats_beats *um_stats_beats(const struct um_stats *stats);

/* The session's freezes. Owner: the statistics'; the list moves with the next frame. */
const struct um_stats_freezes *um_stats_freezes(const struct um_stats *stats);

#endif
