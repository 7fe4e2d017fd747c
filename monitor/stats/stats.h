/* The statistics of a session: latencies, freezes, interactions, the last 5 s and latest slices.
 *
 * They are made from the frames of the feed (ipc/wire.h), live or from a recording. The watchdog
 * has decided before what a freeze is. A reader starts at um_stats_frame. One thread; never blocks.
 * Memory is allocated for the list of freezes, which is bounded, and once for each kind of
 * interaction, some 1.4 MiB.
 */
#ifndef UM_MONITOR_STATS_H
#define UM_MONITOR_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "ipc/wire.h"
#include "monitor/stats/counted.h"
#include "monitor/stats/histogram.h"
#include "monitor/stats/laid_out.h"
#include "monitor/stats/methods.h"
#include "monitor/stats/traced.h"

#define UM_STATS_MAX_FREEZES 10000
#define UM_STATS_MAX_UNMEASURED 10000
#define UM_STATS_WORST 50  /* the longest interactions, kept with all their times */
#define UM_STATS_STACKS 50 /* stacks of the longest freezes, kept */
#define UM_STATS_TYPING 30 /* keys in the present typing latency */
#define UM_STATS_READY_NS UINT64_C(2000000) /* UM_STRETCH_READY_NS */

struct um_stats_config {
    uint64_t start_ns;     /* where the grid of slices begins, until a SESSION comes */
    uint64_t period_ns;    /* between two beats; for the correction */
    uint64_t threshold_ns; /* only reported: the watchdog has applied it */
};

/* The message that explains a freeze best, as in COSTLIEST. */
struct um_stats_costliest {
    uint64_t length_ns; /* how much of the freeze it lasted; 0: none is known */
    uint32_t message;
    uint8_t kind; /* enum um_trace_kind */
    char window_class[128];
    char message_name[64];
};

struct um_stats_freeze {
    uint32_t id; /* of its EPISODE */
    uint64_t start_ns;
    uint64_t end_ns;
    uint64_t duration_ns;
    uint64_t uncertainty_ns; /* the true start lies within start_ns ± half of this */
    uint64_t peak_ns;        /* the greatest gap between two retrievals in it */
    uint32_t message;        /* the suspect, when has_message */
    enum um_state state;     /* UM_STATE_FROZEN or UM_STATE_STARVED */
    bool has_message;
    bool open;      /* the session ended while it lasted */
    bool has_stack; /* a STACK of it has come */
    /* How many inputs of each kind it held up, by um_wire_interaction_is_held_up. */
    uint32_t held_up[UM_INTERACTION_COUNT];
    bool unsure; /* it may have held up another one, by um_wire_interaction_may_be_held_up */
    char window_class[128];
    char message_name[64]; /* as in EPISODE */
    struct um_stats_costliest costliest;
};

struct um_stats_freezes {
    uint64_t threshold_ns;
    uint64_t total_ns;
    uint64_t longest_ns;
    uint32_t count;     /* of all freezes, also those that are not in the list */
    uint32_t over_100;  /* of at least 100 ms */
    uint32_t over_250;  /* of at least 250 ms */
    uint32_t over_1000; /* of at least 1 s */
    bool observes;      /* the user's input is measured: `felt` and `held_up` are known */
    uint32_t felt;      /* of the list: with an input that it held up */
    uint32_t unsure;    /* of the list: not `felt`, but it may be */
    uint32_t dropped;   /* not in the list, for lack of room or memory */
    size_t len;
    struct um_stats_freeze *list; /* in the order of their ends */
};

/* Times that are over and in which nothing was measured: blind, suspended and idle. */
struct um_stats_unmeasured {
    uint64_t start_ns;
    uint64_t end_ns;
    enum um_state state;
};

struct um_stats_unmeasured_list {
    uint32_t dropped; /* not in the list, for lack of room or memory */
    size_t len;
    struct um_stats_unmeasured *list; /* in the order of their ends */
};

/* What is known of the beats beside their latencies. */
struct um_stats_beats {
    uint32_t rest_us; /* from beat to beat while the thread rests, of the last PACE; 0: none came */
    uint32_t background_us; /* the same while another program is in front */
    uint32_t spared_us;   /* at most, from beat to beat because of what beats made the target do */
    uint32_t own_freezes; /* waits of at least the threshold that uimon's beats caused */
    uint64_t own_longest_ns;     /* the longest of these */
    uint64_t rest_gap_ns;        /* the longest time without a beat at rest; 0: none was left out */
    enum um_beat_kind beat_kind; /* of the raw probe, the last one; AUTO: not known */
    bool were_shielded; /* for a time, the system dropped them because a program of a higher
                         * integrity level was in front */
    bool were_held[UM_PROBE_HELD_COUNT]; /* for a time, this held them back */
};

/* The interactions of a kind. A part enters its histogram if both of its ends were observed. */
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
    uint64_t dropped; /* counted, but in no histogram, for lack of memory */
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

/* Accepts NULL. */
void um_stats_close(struct um_stats *stats);

/* Takes one frame of the feed; unknown types are ignored.
 *   - BEAT enters the histogram, the window and the slices.
 *   - REST enters histogram and window, as beats with the latency of the one before.
 *   - PACE says how long a beat stands for those that are left out after it.
 *   - EPISODE enters the freezes if it ends frozen or starved and is not void, and the times that
 *     were not measured if it ends blind, suspended or idle. One that uimon's beat has caused is
 *     counted apart, in um_stats_beats.
 *   - INTERACTION enters the histograms of its kind, and the freezes that held it up.
 *   - SESSION sets period and threshold and, before the first beat, the grid of slices.
 *   - BEAT_KIND sets um_stats_beats.
 *   - TOTALS says whether the user's input is measured.
 *   - STACK enters the stacks if its freeze is in the list. WAIT is added to its STACK.
 *   - COSTLIEST goes to its freeze, and replaces the one before.
 *   - SAMPLING replaces the one before.
 *   - Traced messages are added up by traced.h, calls of managed methods by methods.h, the costs of
 *     layout by laid_out.h, and the thread pool, messages, frames and the target's own counters by
 *     counted.h. */
void um_stats_frame(struct um_stats *stats, const struct um_wire_frame *frame);

/* Fills a STATUS, except state, state_since_ns and lost, and returns its flags (UM_WIRE_STATUS_*).
 * `waited_ns` is how long the outstanding beat has waited at `now_ns`, without what the process
 * slept; 0 when no beat is outstanding. The typing latency is that of the last 30 keys, from
 * arrival to painted or to handled, whichever um_wire_waited_part says. The last click is measured
 * in the same way.
 *
 * The slice is the one that `now_ns` lies in. A STATUS at a boundary (um_stats_slice_end) is final
 * for the slice that ends there, so a consumer takes the latest STATUS of each slice_start_ns.
 * `now_ns` may lie some ms before that of the last call, but no further, because the window forgets
 * old samples.
 * Cost: some tens of µs. */
uint8_t um_stats_fill_status(struct um_stats *stats, uint64_t now_ns, uint64_t waited_ns,
                             struct um_wire_status *status);

/* The session's interactions. Owner: the statistics'. */
const struct um_stats_interactions *um_stats_interactions(const struct um_stats *stats);

/* The end of the slice that `now_ns` lies in; `now_ns` itself on a boundary. */
uint64_t um_stats_slice_end(const struct um_stats *stats, uint64_t now_ns);

/* The session's latencies, corrected. Owner: the statistics'. */
const struct um_histogram *um_stats_histogram(const struct um_stats *stats);

/* The stacks of the session's freezes. Owner: the statistics'. */
const struct um_stats_stacks *um_stats_stacks(const struct um_stats *stats);

/* Replaces the stack of the same freeze. False if none is kept. */
bool um_stats_replace_stack(struct um_stats *stats, const struct um_wire_stack *stack);

/* The messages that were traced. Owner: the statistics'. */
const struct um_traced *um_stats_traced(const struct um_stats *stats);

/* The calls of managed methods. Owner: the statistics'. */
const struct um_methods *um_stats_methods(const struct um_stats *stats);

/* What layout has cost. Owner: the statistics'. */
const struct um_laid_out *um_stats_laid_out(const struct um_stats *stats);

/* What else was counted. Owner: the statistics'. */
const struct um_counted *um_stats_counted(const struct um_stats *stats);

/* The stack of a freeze by its id; NULL: none is kept. `stacks` may be NULL. */
const struct um_wire_stack *um_stats_stack_of(const struct um_stats_stacks *stacks,
                                              uint32_t freeze);

/* For whom the thread waited in a freeze; NULL: not known. `stacks` may be NULL. */
const struct um_wire_wait *um_stats_wait_of(const struct um_stats_stacks *stacks, uint32_t freeze);

/* What is known of the session's beats. Owner: the statistics'. */
const struct um_stats_beats *um_stats_beats(const struct um_stats *stats);

/* From which length on a freeze that began at rest, without a message, was told for certain; 0: no
 * beat was left out at rest. A shorter one may lie between two beats, or have a beat that waited
 * too shortly to prove it. The beat may come as late after the begin as beats were apart. It then
 * proves what it has waited and half a period, less half of the time that it may have been on its
 * way (`doubt` of monitor/measure/stretch.h). A thread that takes it within UM_STATS_READY_NS was
 * ready. */
uint64_t um_stats_told_at_rest_ns(const struct um_stats_beats *beats, uint64_t threshold_ns,
                                  uint64_t period_ns);

/* Whether the costliest message of a freeze is known, and is another one than its suspect. */
bool um_stats_costliest_says_more(const struct um_stats_freeze *freeze);

/* How the message came: "sent" or "retrieved"; NULL: not known. */
const char *um_stats_costliest_how(const struct um_stats_costliest *costliest);

/* Whether the freeze has held up an input of the user. */
bool um_stats_is_felt(const struct um_stats_freeze *freeze);

/* Whether it is known if a freeze of the list was felt. */
bool um_stats_knows_felt(const struct um_stats_freezes *freezes,
                         const struct um_stats_freeze *freeze);

/* The index of the longest freeze, or of the one that follows `after` in the order of length if
 * that is not the list's length. Equal ones are in the order of the list. */
size_t um_stats_next_longest(const struct um_stats_freezes *freezes, size_t after);

/* What is known of freezes at one time, to go back to. Private to stats.c. */
struct um_stats_mark {
    struct um_stats_freezes freezes;
    uint64_t last_freeze_ns;
    uint64_t last_freeze_end_ns;
};

struct um_stats_mark um_stats_mark(const struct um_stats *stats);

/* Goes back to a mark; only EPISODE may have been taken since then. */
void um_stats_go_back(struct um_stats *stats, const struct um_stats_mark *mark);

/* The session's freezes. Owner: the statistics'; the list moves with the next frame. */
const struct um_stats_freezes *um_stats_freezes(const struct um_stats *stats);

/* The times that were not measured. Owner: as um_stats_freezes. */
const struct um_stats_unmeasured_list *um_stats_unmeasured(const struct um_stats *stats);

#endif
