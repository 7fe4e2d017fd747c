/* The overlay's model: turns feed frames into what is to be drawn, and nothing else.
 *
 * Start at um_model_feed (a frame came) and um_model_view (what to draw now). The model holds the
 * last UM_MODEL_COLUMNS slices (ipc/slice.h) and the episodes that colour them. What was not
 * measured is never a number here: a column says whether its lag was measured, and a text has its
 * has_ flag. While a freeze lasts, the age of the outstanding beat grows with the clock between two
 * STATUS frames, but only for UM_MODEL_PATIENCE_NS, because nothing is known from a feed that has
 * gone silent. The length of a freeze begins with the freeze, a little before that beat was sent.
 * An overlay that is started in the middle of an episode takes its state from STATUS, until an
 * EPISODE frame of it comes.
 *
 * Time: every call takes the local clock. The model keeps the distance between it and the feed's
 * times, so a recording that is replayed looks as it did live. A SESSION without a window is a
 * replay. It may be paused, slow or fast, so nothing grows between two STATUS frames and silence
 * means nothing. It may also jump (UM_WIRE_SESSION_ANEW); then the picture stays as it is for
 * UM_MODEL_ANEW_NS, in which the replay sends the past again. Pure and portable, no locks, no
 * allocation; not on the hot path.
 */
#ifndef UM_OVERLAY_MODEL_H
#define UM_OVERLAY_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "ipc/slice.h"
#include "ipc/wire.h"

#define UM_MODEL_COLUMNS 2048
#define UM_MODEL_ACTIVITIES 11 /* ten a second, so a rate is that of a second */
#define UM_MODEL_EPISODES 512
#define UM_MODEL_MARKS 64
#define UM_MODEL_PATIENCE_NS UINT64_C(500000000)
#define UM_MODEL_IDLE_PATIENCE_NS UINT64_C(2500000000)
#define UM_MODEL_IDLE_NS UINT64_C(1000000000)      /* from view to view while idle */
#define UM_MODEL_LONG_IDLE_NS UINT64_C(5000000000) /* the same, and after this long idle */
#define UM_MODEL_ANEW_NS UINT64_C(150000000)
#define UM_MODEL_HEADLINE_NS UINT64_C(5000000000) /* so long it says where a freeze was */
#define UM_MODEL_ALARM_NS UINT64_C(3000000000)    /* so long it stays after its end */
#define UM_MODEL_NEVER UINT64_MAX
#define UM_MODEL_UNKNOWN UM_STATE_COUNT /* the state of a column is not known */

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

/* The hottest functions of the samples of one kind. */
struct um_model_profile {
    bool known; /* a PROFILE has come */
    struct um_wire_profile of;
};

struct um_model_column {
    uint64_t worst_ns;  /* only if measured */
    uint64_t freeze_ns; /* of the longest freeze in it, its length so far; 0: not known */
    uint8_t state;      /* enum um_state or UM_MODEL_UNKNOWN */
    bool measured;
    bool marked; /* the user, or a script, has set a mark in it */
};

/* What is to be drawn: plain values, no pointers. */
struct um_model_view {
    enum um_model_link link;
    enum um_state state; /* if link is not WAITING */
    uint64_t state_for_ns;
    bool has_lag;
    bool has_latency;
    bool has_last_freeze;
    bool has_typing;
    bool typing_painted; /* from arrival to painted, else to handled */
    bool has_click;
    bool click_painted;
    uint64_t lag_ns; /* while a freeze lasts: its length so far */
    uint64_t p50_ns;
    uint64_t p99_ns;
    uint64_t last_freeze_ns;
    uint64_t last_freeze_ago_ns;
    uint64_t freeze_total_ns;
    uint64_t typing_p50_ns; /* of the last keys */
    uint64_t typing_p99_ns;
    uint64_t click_ns; /* of the last click */
    uint64_t lost;
    uint32_t over_100;
    uint32_t over_250;
    uint32_t over_1000;
    uint32_t freezes;
    bool has_pool;
    bool has_frame_rate;
    bool has_message_rate;
    bool has_beats_lost;
    bool has_cost;
    uint64_t pool_ns;    /* how long a work item of the thread pool waited, or has waited so far */
    double frame_rate;   /* WM_PAINTs a second, over the last second */
    double message_rate; /* messages that the UI thread retrieved, the same */
    uint64_t beats_lost;
    uint32_t cost_permille; /* CPU time of uimon and its overlay, of one core, in the last second */
    struct um_model_alarm hang;
    struct um_model_alarm starvation; /* of the thread pool */
    uint64_t threshold_ns;
    uint64_t slow_ns;
    uint8_t probe;    /* enum um_probe */
    uint8_t rung;     /* enum um_rung, of the raw probe; AUTO: not known */
    bool shielded;    /* a program of a higher integrity level is in front and gets no beats */
    uint8_t held;     /* enum um_probe_held: why no beats are sent now */
    bool window_only; /* beats tell of the window's thread alone; as in um_wire_state_words */
    bool proving;     /* keys are delayed on purpose; the caption begins with that */
    char name[128];
    char caption[256]; /* for UM_MODEL_HEADLINE_NS after a freeze, where that was */
    struct um_model_profile freeze_profile;  /* of the one that lasts, or else the last one */
    struct um_model_profile session_profile; /* of scope NONE: the target is not sampled */
    int64_t newest_slice; /* number of column[0]; patterns that move along are drawn from it */
    uint32_t columns;     /* how many follow */
    struct um_model_column column[UM_MODEL_COLUMNS]; /* newest first */
};

struct um_model_slot {
    int64_t slice; /* the rest is void unless this is the slice that is looked for */
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
    struct um_wire_rung rung; /* the last one; zeroed before the first */
    uint32_t key_delay_us;    /* of PROVING; 0: there was none */
    char headline[224];       /* of the last STACK, with the length of its freeze */
    uint32_t headline_freeze;
    uint64_t headline_end_ns;     /* on the feed's clock, until which it is shown */
    struct um_wire_status status; /* the last one */
    uint8_t status_flags;
    struct um_model_profile freeze_profile; /* of the last PROFILE of each kind */
    struct um_model_profile session_profile;
    struct um_wire_pool pool; /* the last one; time_ns 0: there was none */
    uint8_t pool_flags;
    struct um_wire_activity activity[UM_MODEL_ACTIVITIES]; /* of one stretch, the oldest first */
    uint32_t activities;
    bool paints; /* the last one knows of painting */
    struct um_wire_totals
        totals[2];           /* the last one, and the one before; time_ns 0: there is none */
    uint64_t alarm_until_ns; /* local clock; 0: the last view had no alarm that is over */
    uint64_t missed;         /* frames of the feed that the overlay did not get */
    uint64_t arrived_ns;     /* local clock at the last STATUS */
    uint64_t viewed_ns;      /* local clock at the last view */
    uint64_t hold_ns;        /* local clock until which the past is sent again; 0: it is not */
    uint64_t base_ns;        /* where the grid of slices begins */
    int64_t last;            /* slice of the last STATUS */
    uint32_t episodes;
    struct um_model_episode episode[UM_MODEL_EPISODES]; /* oldest first */
    uint32_t marks;                   /* how many there were; the last ones are kept: */
    uint64_t mark_ns[UM_MODEL_MARKS]; /* a ring */
    struct um_model_slot slot[UM_MODEL_COLUMNS];
};

/* Empties the model. */
void um_model_init(struct um_model *model);

/* Takes one frame in; types that an overlay does not show are ignored.
 * Units: `now_ns` is the local clock when the frame came. */
void um_model_feed(struct um_model *model, const struct um_wire_frame *frame, uint64_t now_ns);

/* Whether a view made now would differ visibly from the last one. */
bool um_model_changed(const struct um_model *model, uint64_t now_ns);

/* When um_model_changed turns true if no frame comes. Units: local clock; UM_MODEL_NEVER. */
uint64_t um_model_deadline(const struct um_model *model);

/* Writes what is to be drawn now and clears the change. */
void um_model_view(struct um_model *model, uint64_t now_ns, struct um_model_view *view);

#endif
