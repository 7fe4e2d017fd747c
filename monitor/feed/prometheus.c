#include "monitor/feed/prometheus.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ipc/clock.h"
#include "monitor/base/ns.h"
#include "monitor/base/utf8.h"

#define HOST_BYTES 64
#define LABELS_BYTES 512 /* of the longest texts with each character escaped */
/* A latency above this is not corrected, nor one for a shorter period: that bounds the work for a
 * frame. */
#define CORRECTED_MAX_NS (3600 * UM_CLOCK_NS_PER_S)
#define PERIOD_LEAST_NS UM_CLOCK_NS_PER_MS

/* The buckets never change, so that those of all machines and versions can be added up. */
static const struct {
    uint64_t ns;
    const char *le;
} bounds[] = {
    {500000, "0.0005"},  {1000000, "0.001"},  {2500000, "0.0025"}, {5000000, "0.005"},
    {10000000, "0.01"},  {25000000, "0.025"}, {50000000, "0.05"},  {100000000, "0.1"},
    {250000000, "0.25"}, {500000000, "0.5"},  {1000000000, "1"},   {2500000000, "2.5"},
    {5000000000, "5"},   {10000000000, "10"}, {30000000000, "30"}, {60000000000, "60"},
};
#define BOUNDS (sizeof bounds / sizeof bounds[0])

struct histogram {
    uint64_t counts[BOUNDS + 1]; /* each of its own bucket; the last one has no bound */
    uint64_t count;
    uint64_t sum_s, sum_ns; /* the sum is both together; `sum_ns` is less than a second */
};

enum { TYPING_PAINTED, TYPING_HANDLED, CLICK_PAINTED, CLICK_HANDLED, PARTS };

/* What a SESSION that begins anew makes void. */
struct measured {
    bool has_session, has_status, has_totals;
    bool answered; /* a beat was, and `latency_ns` is its latency */
    uint64_t latency_ns;
    struct histogram latency;
    struct histogram hangs;
    uint64_t frozen, starved;
    struct histogram parts[PARTS];
    struct histogram pool;
    uint32_t starvations;
    bool has_activity, paints;
    struct um_wire_activity activity;
    struct um_wire_session session;
    struct um_wire_status status;
    struct um_wire_totals totals;
};

struct um_prometheus {
    char host[HOST_BYTES];
    char labels[LABELS_BYTES];
    struct measured now;
};

/* From here on: histograms. */

/* Adds a value so many times. */
static void add_values(struct histogram *histogram, uint64_t value_ns, uint64_t times)
{
    size_t i = 0;
    while (i < BOUNDS && value_ns > bounds[i].ns)
        i++;
    uint64_t rest_ns = histogram->sum_ns + value_ns % UM_CLOCK_NS_PER_S * times;
    histogram->counts[i] += times;
    histogram->count += times;
    histogram->sum_s += value_ns / UM_CLOCK_NS_PER_S * times + rest_ns / UM_CLOCK_NS_PER_S;
    histogram->sum_ns = rest_ns % UM_CLOCK_NS_PER_S;
}

/* Adds a latency and those that it hid: value - period, value - 2 period, down to the period.
 * Source: HdrHistogram, recordValueWithExpectedInterval. */
static void add_latency(struct histogram *histogram, uint64_t value_ns, uint64_t period_ns)
{
    add_values(histogram, value_ns, 1);
    if (period_ns < PERIOD_LEAST_NS || value_ns > CORRECTED_MAX_NS)
        return;
    while (value_ns >= 2 * period_ns) {
        value_ns -= period_ns;
        add_values(histogram, value_ns, 1);
    }
}

/* From here on: frames. */

/* Appends a label with its value escaped, and without what a person should not be shown; all that
 * does not fit is left out. */
static size_t put_label(char *labels, size_t used, const char *name, const char *value)
{
    int need = snprintf(labels + used, LABELS_BYTES - used, "%s%s=\"", used ? "," : "", name);
    used += need > 0 ? (size_t)need : 0;
    while (*value && used + 7 < LABELS_BYTES) {
        bool escaped = *value == '\\' || *value == '"' || *value == '\n';
        bool new_line = *value == '\n';
        uint32_t c = um_utf8_next_shown(&value);
        if (escaped)
            labels[used++] = '\\';
        used += um_utf8_encode(new_line ? 'n' : c, labels + used);
    }
    labels[used++] = '"';
    labels[used] = '\0';
    return used;
}

static void take_session(struct um_prometheus *prometheus, const struct um_wire_frame *frame)
{
    const struct um_wire_session *session = &frame->as.session;
    char pid[16];
    if (frame->flags & UM_WIRE_SESSION_ANEW)
        memset(&prometheus->now, 0, sizeof prometheus->now);
    prometheus->now.session = *session;
    prometheus->now.has_session = true;
    snprintf(pid, sizeof pid, "%" PRIu32, session->pid);
    size_t used = put_label(prometheus->labels, 0, "host", prometheus->host);
    used = put_label(prometheus->labels, used, "pid", pid);
    put_label(prometheus->labels, used, "process", session->name);
}

static void take_beat(struct measured *now, const struct um_wire_beat *beat)
{
    uint64_t period_ns = now->session.period_us * UM_CLOCK_NS_PER_US;
    add_latency(&now->latency, beat->latency_ns, period_ns);
    now->answered = true;
    now->latency_ns = beat->latency_ns;
}

static void take_rest(struct measured *now, const struct um_wire_rest *rest)
{
    if (now->answered)
        add_values(&now->latency, now->latency_ns, rest->skipped);
}

static void take_episode(struct measured *now, const struct um_wire_frame *frame)
{
    const struct um_wire_episode *episode = &frame->as.episode;
    bool is_over = frame->flags & UM_WIRE_EPISODE_END && !(frame->flags & UM_WIRE_EPISODE_VOID);
    if (!is_over || !um_wire_state_is_freeze(episode->state))
        return;
    add_values(&now->hangs, um_wire_episode_length_ns(episode), 1);
    now->frozen += episode->state == UM_STATE_FROZEN;
    now->starved += episode->state == UM_STATE_STARVED;
}

static void take_part(struct histogram *histogram, enum um_wire_part part,
                      const struct um_wire_interaction *interaction)
{
    uint64_t length_ns;
    if (um_wire_interaction_part_ns(interaction, part, &length_ns))
        add_values(histogram, length_ns, 1);
}

static void take_interaction(struct measured *now, const struct um_wire_interaction *interaction)
{
    bool key = interaction->kind == UM_INTERACTION_KEY;
    if (!key && interaction->kind != UM_INTERACTION_CLICK)
        return;
    take_part(&now->parts[key ? TYPING_PAINTED : CLICK_PAINTED], UM_WIRE_PART_TOTAL, interaction);
    take_part(&now->parts[key ? TYPING_HANDLED : CLICK_HANDLED], UM_WIRE_PART_TO_HANDLED,
              interaction);
}

/* An item that waits is told again and again, which makes up for those that were not submitted
 * meanwhile. */
static void take_pool(struct measured *now, const struct um_wire_pool *pool)
{
    add_values(&now->pool, pool->delay_ns, 1);
    now->starvations = pool->starvation;
}

static void take_activity(struct measured *now, const struct um_wire_frame *frame)
{
    now->has_activity = true;
    now->paints = (frame->flags & UM_WIRE_ACTIVITY_PAINTS) != 0;
    now->activity = frame->as.activity;
}

/* The sums of a session only grow; one that said less would look like a counter that was reset. */
static void take_totals(struct measured *now, const struct um_wire_totals *totals)
{
    struct um_wire_totals before = now->totals;
    now->totals = *totals;
    for (int i = 0; i < UM_STATE_COUNT; i++)
        now->totals.state_ns[i] = um_ns_max(before.state_ns[i], totals->state_ns[i]);
    now->has_totals = true;
}

void um_prometheus_frame(struct um_prometheus *prometheus, const struct um_wire_frame *frame)
{
    struct measured *now = &prometheus->now;
    switch (frame->type) {
    case UM_WIRE_SESSION:
        take_session(prometheus, frame);
        break;
    case UM_WIRE_STATUS:
        now->status = frame->as.status;
        now->has_status = true;
        break;
    case UM_WIRE_BEAT:
        take_beat(now, &frame->as.beat);
        break;
    case UM_WIRE_REST:
        take_rest(now, &frame->as.rest);
        break;
    case UM_WIRE_EPISODE:
        take_episode(now, frame);
        break;
    case UM_WIRE_INTERACTION:
        take_interaction(now, &frame->as.interaction);
        break;
    case UM_WIRE_TOTALS:
        take_totals(now, &frame->as.totals);
        break;
    case UM_WIRE_POOL:
        take_pool(now, &frame->as.pool);
        break;
    case UM_WIRE_ACTIVITY:
        take_activity(now, frame);
        break;
    default:
        break;
    }
}

/* From here on: the text. */

struct page {
    FILE *out;
    const char *labels;
};

static void put_family(const struct page *page, const char *name, const char *type,
                       const char *help)
{
    fprintf(page->out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* The begin of a sample; `more` is a label of its own, NULL: none. */
static void put_name(const struct page *page, const char *name, const char *suffix,
                     const char *label, const char *value)
{
    fprintf(page->out, "%s%s{%s", name, suffix, page->labels);
    if (label)
        fprintf(page->out, ",%s=\"%s\"", label, value);
    fputs("} ", page->out);
}

static void put_count(const struct page *page, uint64_t count)
{
    fprintf(page->out, "%" PRIu64 "\n", count);
}

/* Writes seconds with a point in every locale, and without zeros at their end. */
static void put_seconds(const struct page *page, uint64_t s, uint64_t ns)
{
    char digits[16];
    fprintf(page->out, "%" PRIu64, s + ns / UM_CLOCK_NS_PER_S);
    int used = snprintf(digits, sizeof digits, ".%09" PRIu64, ns % UM_CLOCK_NS_PER_S);
    while (used > 0 && digits[used - 1] == '0')
        used--;
    fprintf(page->out, "%.*s\n", used > 1 ? used : 0, digits);
}

/* A metric of one sample, in ns or a number of things. */
static void put_time(const struct page *page, const char *name, const char *type, const char *help,
                     uint64_t ns)
{
    put_family(page, name, type, help);
    put_name(page, name, "", NULL, NULL);
    put_seconds(page, 0, ns);
}

static void put_counter(const struct page *page, const char *name, const char *help, uint64_t count)
{
    put_family(page, name, "counter", help);
    put_name(page, name, "", NULL, NULL);
    put_count(page, count);
}

static void put_histogram(const struct page *page, const char *name, const char *help,
                          const struct histogram *histogram)
{
    uint64_t below = 0;
    put_family(page, name, "histogram", help);
    for (size_t i = 0; i <= BOUNDS; i++) {
        below += histogram->counts[i];
        put_name(page, name, "_bucket", "le", i < BOUNDS ? bounds[i].le : "+Inf");
        put_count(page, below);
    }
    put_name(page, name, "_sum", NULL, NULL);
    put_seconds(page, histogram->sum_s, histogram->sum_ns);
    put_name(page, name, "_count", NULL, NULL);
    put_count(page, histogram->count);
}

static void write_lag(const struct page *page, const struct measured *now)
{
    uint64_t waited_ns = um_wire_status_waited_ns(&now->status, now->status.time_ns);
    bool seen = now->status.state != UM_STATE_BLIND && now->status.state != UM_STATE_IDLE &&
                now->status.state != UM_STATE_SUSPENDED;
    if (now->has_status && seen && (waited_ns || now->answered))
        put_time(page, "uimon_ui_thread_lag_seconds", "gauge",
                 "How long input waits for the UI thread now.",
                 waited_ns ? waited_ns : now->latency_ns);
}

static void write_hangs(const struct page *page, const struct measured *now)
{
    static const char name[] = "uimon_ui_hangs_total";
    put_histogram(page, "uimon_ui_hang_duration_seconds",
                  "Length of the freezes of the UI thread that are over.", &now->hangs);
    put_family(page, name, "counter", "Freezes of the UI thread that are over.");
    put_name(page, name, "", "state", um_wire_state_name(UM_STATE_FROZEN));
    put_count(page, now->frozen);
    put_name(page, name, "", "state", um_wire_state_name(UM_STATE_STARVED));
    put_count(page, now->starved);
}

static void write_interactions(const struct page *page, const struct measured *now)
{
    static const struct {
        const char *name, *help;
    } texts[PARTS] = {
        [TYPING_PAINTED] = {"uimon_typing_painted_seconds",
                            "From the arrival of a key press to the end of painting."},
        [TYPING_HANDLED] = {"uimon_typing_handled_seconds",
                            "From the arrival of a key press to the end of its handling."},
        [CLICK_PAINTED] = {"uimon_click_painted_seconds",
                           "From the arrival of a click to the end of painting."},
        [CLICK_HANDLED] = {"uimon_click_handled_seconds",
                           "From the arrival of a click to the end of its handling."},
    };
    for (int i = 0; i < PARTS; i++)
        if (now->parts[i].count > 0)
            put_histogram(page, texts[i].name, texts[i].help, &now->parts[i]);
}

static void write_pool(const struct page *page, const struct measured *now)
{
    if (now->pool.count == 0)
        return;
    put_histogram(page, "uimon_threadpool_queue_delay_seconds",
                  "How long work items waited in the queue of the default thread pool.",
                  &now->pool);
    put_counter(page, "uimon_threadpool_starvations_total",
                "How often the default thread pool was starved.", now->starvations);
}

static void write_activity(const struct page *page, const struct measured *now)
{
    if (now->has_activity && now->paints)
        put_counter(page, "uimon_frames_painted_total",
                    "Paint cycles of the UI thread, by WM_PAINT.", now->activity.paints);
    if (now->has_activity)
        put_counter(page, "uimon_messages_retrieved_total",
                    "Messages that the UI thread took from its queue.", now->activity.messages);
}

static void write_own(const struct page *page, const struct um_wire_totals *totals)
{
    put_counter(page, "uimon_beats_sent_total", "Beats that were sent to the UI thread.",
                totals->beats_sent);
    put_counter(page, "uimon_beats_lost_total", "Beats that never arrived.", totals->beats_lost);
    put_counter(page, "uimon_dropped_total", "Records and frames of uimon that were dropped.",
                totals->dropped);
    if (totals->monitor_cpu_ns) /* else it is not known */
        put_time(page, "uimon_cpu_seconds_total", "counter",
                 "CPU time of uimon and its overlay, and of its threads in the target.",
                 totals->monitor_cpu_ns + totals->overlay_cpu_ns + totals->heartbeat_cpu_ns +
                     totals->sender_cpu_ns);
}

static void write_states(const struct page *page, const struct um_wire_totals *totals)
{
    static const char name[] = "uimon_state_seconds_total";
    put_family(page, name, "counter", "Time in each state.");
    for (int i = 0; i < UM_STATE_COUNT; i++) {
        put_name(page, name, "", "state", um_wire_state_name((enum um_state)i));
        put_seconds(page, 0, totals->state_ns[i]);
    }
}

static void write_jank(const struct page *page, const struct measured *now)
{
    const uint64_t *state_ns = now->totals.state_ns;
    put_counter(page, "app_jank_frame_count_total",
                "Frames that could not be painted for the threshold or longer: freezes.",
                now->frozen);
    put_time(page, "app_jank_period_seconds_total", "counter",
             "Time in which such frames were looked for.",
             state_ns[UM_STATE_RESPONSIVE] + state_ns[UM_STATE_SLOW] + state_ns[UM_STATE_STARVED] +
                 state_ns[UM_STATE_FROZEN]);
    put_time(page, "app_jank_threshold_seconds", "gauge",
             "How long such a frame is held up at least.",
             now->session.threshold_us * UM_CLOCK_NS_PER_US);
}

enum um_status um_prometheus_write(const struct um_prometheus *prometheus, FILE *out)
{
    const struct measured *now = &prometheus->now;
    const struct page page = {.out = out, .labels = prometheus->labels};
    if (!now->has_session)
        return UM_OK;
    put_family(&page, "uimon_build_info", "gauge", "The uimon that has measured this.");
    put_name(&page, "uimon_build_info", "", "version", UM_VERSION);
    put_count(&page, 1);
    write_lag(&page, now);
    if (now->latency.count > 0) {
        put_histogram(&page, "uimon_input_latency_seconds",
                      "How long input waited for the UI thread.", &now->latency);
        write_hangs(&page, now);
    }
    write_interactions(&page, now);
    write_pool(&page, now);
    write_activity(&page, now);
    if (now->has_totals) {
        write_states(&page, &now->totals);
        write_own(&page, &now->totals);
    }
    if (now->has_totals && now->latency.count > 0)
        write_jank(&page, now);
    return ferror(out) ? UM_ERR_IO : UM_OK;
}

enum um_status um_prometheus_open(const char *host, struct um_prometheus **prometheus)
{
    struct um_prometheus *made = calloc(1, sizeof *made);
    if (!made)
        return UM_ERR_MEMORY;
    um_wire_set_text(made->host, sizeof made->host, host);
    *prometheus = made;
    return UM_OK;
}

void um_prometheus_close(struct um_prometheus *prometheus)
{
    free(prometheus);
}
