/* The overlay's model: turns feed frames into what is to be drawn.
 *
 * Start at um_model_frame (a frame came) and um_model_view (what to draw now). The model holds the
 * last UM_MODEL_COLUMNS slices (base/plain/slice.h) and the episodes that colour them: a column's
 * height is slice_worst_ns of a STATUS, its colour is that of an EPISODE. A value that was not
 * measured is never shown as a number: a column has `measured`, and a number has a `has_` flag.
 * While a freeze lasts, the age of the outstanding beat grows with the clock between two STATUS
 * frames. It grows for UM_MODEL_PATIENCE_NS at most, because a silent feed says nothing. The length
 * of a freeze begins with the freeze, a little before that beat was sent. An overlay that is
 * started in the middle of an episode takes the state from STATUS, until an EPISODE frame comes.
 *
 * Time: every call takes the local clock. The model keeps its distance from the feed's times, so a
 * replay looks as the session did live. A SESSION without a window is a replay. It may be paused,
 * slow or fast, so nothing grows between two STATUS frames and silence means nothing. It may also
 * jump (UM_WIRE_SESSION_ANEW). Then the picture stays as it is for UM_MODEL_ANEW_NS, in which the
 * replay sends the past again. Pure and portable, no locks, no allocation; not on the hot path.
 */
#ifndef UM_OVERLAY_MODEL_H
#define UM_OVERLAY_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/plain/slice.h"
#include "ipc/wire.h"
#include "metrics/overlay_rows.h"

#define UM_MODEL_COLUMNS 2048
#define UM_MODEL_ACTIVITIES 11 /* ten come a second, so a rate is that of one second */
#define UM_MODEL_EPISODES 512
#define UM_MODEL_MARKS 64
#define UM_MODEL_PATIENCE_NS UINT64_C(500000000)
#define UM_MODEL_IDLE_PATIENCE_NS UINT64_C(2500000000)
#define UM_MODEL_IDLE_NS UINT64_C(1000000000)      /* between two pictures while idle */
#define UM_MODEL_LONG_IDLE_NS UINT64_C(5000000000) /* the same after so long a time of idle */
#define UM_MODEL_ANEW_NS UINT64_C(150000000)
#define UM_MODEL_HEADLINE_NS UINT64_C(5000000000) /* how long the caption says where a freeze was */
#define UM_MODEL_ALARM_NS UINT64_C(3000000000)    /* how long an alarm is shown after its end */
#define UM_MODEL_COUNTER_BYTES 128                /* of texts */
#define UM_MODEL_NEVER UINT64_MAX
#define UM_MODEL_UNKNOWN UM_WIRE_UNKNOWN /* the state of a column is unknown */

enum um_model_link {
    UM_MODEL_WAITING = 0, /* no STATUS came yet */
    UM_MODEL_LIVE = 1,
    UM_MODEL_SILENT = 2, /* connected, but nothing came for UM_MODEL_PATIENCE_NS */
    UM_MODEL_ENDED = 3
};

/* A hang or starvation that lasts, or was over less than UM_MODEL_ALARM_NS ago. */
struct um_model_alarm {
    bool on;
    bool lasts;
    uint64_t peak_ns; /* so far, or in all */
};

#define UM_MODEL_PROFILE_MORE (UM_WIRE_PROFILE_ROWS * (UM_WIRE_PROFILE_PARTS - 1))

/* The hottest functions of the samples of one kind. */
struct um_model_profile {
    bool known;                                             /* a PROFILE has come */
    struct um_wire_profile of;                              /* its first part, */
    struct um_wire_profile_row more[UM_MODEL_PROFILE_MORE]; /* and the rows of the others */
};

struct um_model_column {
    uint64_t worst_ns; /* valid only if `measured` */
    uint8_t state;     /* enum um_state or UM_MODEL_UNKNOWN */
    bool measured;
    bool marked; /* the user, or a script, has set a mark here */
};

/* A freeze whose length is known, and the columns that it touches. */
struct um_model_freeze {
    uint64_t length_ns; /* as its EPISODE says; so far while it lasts */
    uint32_t newest;
    uint32_t oldest;
};

/* What is to be drawn: plain values, no pointers. */
/* A counter of the target's own that --show names (overlay/shown_counters.h). */
struct um_model_counter {
    char label[UM_MODEL_COUNTER_BYTES];  /* safe to show, and short */
    char number[UM_MODEL_COUNTER_BYTES]; /* with its unit; "": it was not measured of late */
};

struct um_model_view {
    enum um_model_link link;
    enum um_state state; /* if link is not WAITING */
    uint64_t state_for_ns;
    bool has_lag;
    bool had_lag;     /* now or earlier in this session */
    bool lag_is_past; /* lag_ns is the length of the last freeze: no beat was answered since */
    bool has_latency;
    bool has_last_freeze;
    bool has_felt;        /* status.felt is known */
    bool felt_unobserved; /* it is not, although input was measured */
    bool has_typing;
    bool typing_painted; /* typing is measured until painted; else until handled */
    bool has_click;
    bool click_painted;
    struct um_wire_status status; /* the last one; zeroed if link is WAITING */
    uint64_t lag_ns;              /* while a freeze lasts: its length so far; see lag_is_past */
    uint64_t last_freeze_ago_ns;
    uint64_t lost; /* records lost before the feed, and frames that the overlay missed */
    bool has_pool;
    bool has_frame_rate;
    bool has_message_rate;
    bool has_beats_lost;
    bool has_cost;
    uint64_t pool_ns;  /* how long a work item of the thread pool waited, or has waited so far */
    double frame_rate; /* WM_PAINTs a second, over the last second */
    /* Of the list of --show, in its order. The model leaves them to shown_counters.h. */
    struct um_model_counter counters[UM_OVERLAY_ROWS_COUNTERS];
    double message_rate; /* messages a second that the UI thread retrieved, over the last second */
    uint64_t beats_lost;
    uint32_t cost_permille; /* CPU time of uimon and its overlay, of one core, in the last second */
    struct um_model_alarm hang;
    struct um_model_alarm starvation; /* of the thread pool */
    uint64_t threshold_ns;
    uint64_t slow_ns;
    uint8_t probe;     /* enum um_probe */
    uint8_t beat_kind; /* enum um_beat_kind, of the raw probe; AUTO: unknown */
    bool shielded;     /* a program of a higher integrity level is in front and gets no beats */
    uint8_t held;      /* enum um_probe_held: why no beats are sent now */
    bool window_only;  /* beats measure the window's thread alone; as in um_wire_state_words */
    char name[128];
    char caption[256]; /* for UM_MODEL_HEADLINE_NS after a freeze: where that was */
    struct um_model_profile freeze_profile;  /* of the freeze that lasts, or else of the last one */
    struct um_model_profile session_profile; /* its scope is NONE if the target is not sampled */
    int64_t newest_slice;                    /* number of column[0]; patterns move with it */
    uint32_t columns;                        /* how many follow */
    uint32_t freezes;                        /* how many of those below are filled in */
    struct um_model_column column[UM_MODEL_COLUMNS];  /* newest first */
    struct um_model_freeze freeze[UM_MODEL_EPISODES]; /* the longest first; of equals the newest */
};

struct um_model_slot {
    int64_t slice; /* the other fields are valid only for this slice: the array is a ring */
    uint64_t worst_ns;
    bool measured;
};

struct um_model_episode {
    uint64_t start_ns;
    uint64_t end_ns;
    uint64_t length_ns; /* without what the target slept; final unless open */
    uint32_t id;
    uint8_t state;
    bool open;
    bool guessed; /* made from STATUS alone, until its EPISODE frame comes */
};

/* A zeroed struct plus um_model_init is ready; there is nothing to release. */
struct um_model {
    enum um_model_link link;
    bool dirty;
    bool has_session;
    struct um_wire_session session;
    struct um_wire_beat_kind beat_kind; /* the last one; zeroed before the first */
    char headline[224]; /* of the last STACK or COSTLIEST, with the length of its freeze */
    uint32_t headline_freeze;
    bool headline_by_stack;
    uint64_t headline_end_ns;     /* feed's clock: until then it is shown */
    struct um_wire_status status; /* the last one */
    uint8_t status_flags;
    bool had_lag;                           /* a STATUS of this session had one */
    uint64_t past_lag_ns;                   /* lag_ns of the last STATUS whose lag was past */
    struct um_model_profile freeze_profile; /* of the last PROFILE of each kind */
    struct um_model_profile session_profile;
    struct um_wire_pool pool; /* the last one; time_ns 0: there was none */
    uint8_t pool_flags;
    struct um_wire_activity activity[UM_MODEL_ACTIVITIES]; /* without a gap, the oldest first */
    uint32_t activities;
    bool paints;                     /* painting is counted, as the last ACTIVITY says */
    struct um_wire_totals totals[2]; /* the last one and the one before; time_ns 0: there is none */
    uint64_t alarm_until_ns;         /* local clock; 0: the last view had no alarm that is over */
    uint64_t missed;                 /* frames of the feed that the overlay did not get */
    uint64_t arrived_ns;             /* local clock at the last STATUS */
    uint64_t viewed_ns;              /* local clock at the last view */
    uint64_t hold_ns; /* local clock: until then a replay sends the past again; 0: it does not */
    uint64_t base_ns; /* when slice 0 begins */
    int64_t last;     /* slice of the last STATUS */
    uint32_t episodes;
    struct um_model_episode episode[UM_MODEL_EPISODES]; /* oldest first */
    uint32_t marks;                                     /* how many there were */
    uint64_t mark_ns[UM_MODEL_MARKS];                   /* the last of them, as a ring */
    struct um_model_slot slot[UM_MODEL_COLUMNS];
};

/* Empties the model. */
void um_model_init(struct um_model *model);

/* Takes one frame; types that an overlay does not show are ignored.
 * Units: `now_ns` is the local clock when the frame came. */
void um_model_frame(struct um_model *model, const struct um_wire_frame *frame, uint64_t now_ns);

/* Whether a view made now would differ visibly from the last one. */
bool um_model_changed(const struct um_model *model, uint64_t now_ns);

/* When um_model_changed turns true if no frame comes. Units: local clock; UM_MODEL_NEVER. */
uint64_t um_model_deadline(const struct um_model *model);

/* The present time of the feed, as a view made now would have it. False: a replay sends the past
 * again, and the picture stays as it is meanwhile. */
bool um_model_time(const struct um_model *model, uint64_t now_ns, uint64_t *feed_ns);

/* Writes what is to be drawn now and clears the change. */
void um_model_view(struct um_model *model, uint64_t now_ns, struct um_model_view *view);

#endif
