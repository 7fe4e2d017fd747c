#include "monitor/writers/prometheus.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain/clock.h"
#include "base/plain/text.h"
#include "base/ns.h"
#include "base/utf8.h"
#include "metrics/metrics.h"
#include "monitor/writers/prometheus_counters.h"

#define HOST_BYTES 64
#define LABELS_BYTES 512 /* of the longest texts with each character escaped */
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
    uint64_t counts[BOUNDS + 1]; /* how many values each bucket has; the last one has no bound */
    uint64_t count;
    uint64_t sum_s, sum_ns; /* sum of all values: seconds, and ns below a second */
};

/* All values: a SESSION that begins anew clears them. */
struct measured {
    bool has_session, has_status, has_totals;
    bool answered; /* a beat was answered, and `latency_ns` is its latency */
    uint64_t latency_ns;
    struct histogram histograms[UM_METRICS_COUNT]; /* of spreads, and of hangs */
    bool known[UM_METRICS_COUNT];                  /* of sums and rates: `sums` has a value */
    uint64_t sums[UM_METRICS_COUNT];
    uint64_t frozen, starved;
    struct um_wire_session session;
    struct um_wire_status status;
    struct um_wire_totals totals;
    struct um_prometheus_counters counters;
};

struct um_prometheus {
    char host[HOST_BYTES];
    char labels[LABELS_BYTES];
    struct measured now;
};

/* Histograms ----------------------------------------------------------------------------------- */

/* Adds a value `times` times. */
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

/* Adds a latency and those that it hid: value - period, value - 2 period, down to the period. */
static void add_latency(struct histogram *histogram, uint64_t value_ns, uint64_t period_ns)
{
    uint64_t hidden = um_metrics_hidden(value_ns, period_ns);
    add_values(histogram, value_ns, 1);
    while (hidden-- > 0) {
        value_ns -= period_ns;
        add_values(histogram, value_ns, 1);
    }
}

/* Frames --------------------------------------------------------------------------------------- */

/* Appends a label, with its value escaped and as um_utf8_next_shown shows it. What does not fit is
 * left out. */
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
    if (frame->flags & UM_WIRE_SESSION_ANEW) {
        um_prometheus_counters_deinit(&prometheus->now.counters);
        memset(&prometheus->now, 0, sizeof prometheus->now);
    }
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
    add_latency(&now->histograms[UM_METRICS_LATENCY], beat->latency_ns, period_ns);
    now->answered = true;
    now->latency_ns = beat->latency_ns;
}

static void take_rest(struct measured *now, const struct um_wire_rest *rest)
{
    if (now->answered)
        add_values(&now->histograms[UM_METRICS_LATENCY], now->latency_ns, rest->skipped);
}

static void take_episode(struct measured *now, const struct um_wire_frame *frame)
{
    const struct um_wire_episode *episode = &frame->as.episode;
    bool is_over = frame->flags & UM_WIRE_EPISODE_END && !(frame->flags & UM_WIRE_EPISODE_VOID);
    if (!is_over || !um_wire_state_is_freeze(episode->state))
        return;
    add_values(&now->histograms[UM_METRICS_HANGS], um_wire_episode_length_ns(episode), 1);
    now->frozen += episode->state == UM_STATE_FROZEN;
    now->starved += episode->state == UM_STATE_STARVED;
}

/* Takes a frame's values of spreads, sums and rates. While a work item waits, POOL reports its age
 * again and again, which makes up for the items that were not submitted meanwhile. */
static void take_values(struct measured *now, const struct um_wire_frame *frame)
{
    uint64_t value;
    for (int i = 0; i < UM_METRICS_COUNT; i++) {
        const struct um_metrics_row *row = &um_metrics_list[i];
        if (row->frame != frame->type)
            continue;
        now->known[i] = row->take(frame, &value);
        if (!now->known[i])
            continue;
        if (row->kind == UM_METRICS_SPREAD)
            add_values(&now->histograms[i], value, 1);
        else
            now->sums[i] = value;
    }
}

/* Takes TOTALS. A sum never becomes less here, because Prometheus takes a counter that falls for
 * one that was reset. */
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
    take_values(now, frame);
    um_prometheus_counters_take(&now->counters, frame);
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
    case UM_WIRE_TOTALS:
        take_totals(now, &frame->as.totals);
        break;
    default:
        break;
    }
}

/* The text ------------------------------------------------------------------------------------- */

struct page {
    FILE *out;
    const char *labels;
};

static void put_family(const struct page *page, const char *name, const char *type,
                       const char *help)
{
    fprintf(page->out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* Writes a sample's name and labels; `more` is one more label, or NULL. */
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

/* Writes a metric that has one sample. */
static void put_time(const struct page *page, const char *name, const char *type, const char *help,
                     uint64_t ns)
{
    put_family(page, name, type, help);
    put_name(page, name, "", NULL, NULL);
    put_seconds(page, 0, ns);
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
    const struct um_metrics_row *row = &um_metrics_list[UM_METRICS_LAG];
    uint64_t waited_ns = um_wire_status_waited_ns(&now->status, now->status.time_ns);
    bool has_lag = um_metrics_state_has_lag((enum um_state)now->status.state);
    if (now->has_status && has_lag && (waited_ns || now->answered))
        put_time(page, row->prometheus, "gauge", row->help,
                 waited_ns ? waited_ns : now->latency_ns);
}

static void write_hangs(const struct page *page, const struct measured *now)
{
    static const char name[] = "uimon_ui_hangs_total";
    const struct um_metrics_row *row = &um_metrics_list[UM_METRICS_HANGS];
    put_histogram(page, row->prometheus, row->help, &now->histograms[UM_METRICS_HANGS]);
    put_family(page, name, "counter", "Freezes of the UI thread that are over.");
    put_name(page, name, "", "state", um_wire_state_name(UM_STATE_FROZEN));
    put_count(page, now->frozen);
    put_name(page, name, "", "state", um_wire_state_name(UM_STATE_STARVED));
    put_count(page, now->starved);
}

/* Writes what is known of the metrics from one to another, both included. */
static void write_rows(const struct page *page, const struct measured *now,
                       enum um_metrics_id first, enum um_metrics_id last)
{
    for (int i = (int)first; i <= (int)last; i++) {
        const struct um_metrics_row *row = &um_metrics_list[i];
        if (row->prometheus && row->kind == UM_METRICS_SPREAD && now->histograms[i].count > 0) {
            put_histogram(page, row->prometheus, row->help, &now->histograms[i]);
        } else if (row->prometheus && row->kind != UM_METRICS_SPREAD && now->known[i]) {
            put_family(page, row->prometheus, "counter", row->help);
            put_name(page, row->prometheus, "", NULL, NULL);
            if (um_metrics_is_time(row))
                put_seconds(page, 0, now->sums[i]);
            else
                put_count(page, now->sums[i]);
        }
    }
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
    put_family(page, "app_jank_frame_count_total", "counter",
               "Frames that could not be painted for the threshold or longer: freezes.");
    put_name(page, "app_jank_frame_count_total", "", NULL, NULL);
    put_count(page, now->frozen);
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
    bool beats = now->histograms[UM_METRICS_LATENCY].count > 0;
    write_lag(&page, now);
    write_rows(&page, now, UM_METRICS_LATENCY, UM_METRICS_LATENCY);
    if (beats)
        write_hangs(&page, now);
    write_rows(&page, now, UM_METRICS_HANGS + 1, UM_METRICS_MESSAGE_RATE);
    if (now->has_totals)
        write_states(&page, &now->totals);
    write_rows(&page, now, UM_METRICS_MESSAGE_RATE + 1, UM_METRICS_COUNT - 1);
    if (now->has_totals && beats)
        write_jank(&page, now);
    um_prometheus_counters_write(&now->counters, page.labels, out);
    return ferror(out) ? UM_ERR_IO : UM_OK;
}

enum um_status um_prometheus_open(const char *host, struct um_prometheus **prometheus)
{
    struct um_prometheus *made = calloc(1, sizeof *made);
    if (!made)
        return UM_ERR_MEMORY;
    um_text_set(made->host, sizeof made->host, host);
    *prometheus = made;
    return UM_OK;
}

void um_prometheus_close(struct um_prometheus *prometheus)
{
    if (!prometheus)
        return;
    um_prometheus_counters_deinit(&prometheus->now.counters);
    free(prometheus);
}
