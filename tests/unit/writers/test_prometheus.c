/* The text against one that was written by hand: tests/golden/prometheus.prom. `./run test
 * prometheus` has promtool read the same file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/double_bits.h"
#include "monitor/writers/prometheus.h"
#include "tests/written_golden.h"

#define MS UINT64_C(1000000)
#define S UINT64_C(1000000000)
#define BEGIN_NS (1000 * S)

static struct um_prometheus *prometheus;
static char text[16384];

static void open_writer(void)
{
    cr_assert_eq(um_prometheus_open("desk \"7\"", &prometheus), UM_OK);
}

static void give(struct um_wire_frame frame)
{
    um_prometheus_frame(prometheus, &frame);
}

static void send_session(uint8_t flags)
{
    give((struct um_wire_frame){.type = UM_WIRE_SESSION,
                                .flags = flags,
                                .as.session = {.start_ns = BEGIN_NS,
                                               .pid = 42,
                                               .period_us = 10000,
                                               .threshold_us = 100000,
                                               .name = "a\\b \"c\"\n\xc3\xbc.exe"}});
}

static void setup(void)
{
    open_writer();
    send_session(0);
}

static void teardown(void)
{
    um_prometheus_close(prometheus);
}

TestSuite(prometheus, .init = setup, .fini = teardown);

static void send_beat(uint64_t latency_ns)
{
    give((struct um_wire_frame){.type = UM_WIRE_BEAT, .as.beat = {.latency_ns = latency_ns}});
}

static void send_status(uint8_t state, uint64_t outstanding_ns)
{
    give((struct um_wire_frame){.type = UM_WIRE_STATUS,
                                .as.status = {.time_ns = BEGIN_NS + 10 * S,
                                              .state = state,
                                              .outstanding_ns = outstanding_ns}});
}

static void send_episode(uint8_t flags, uint8_t state, uint64_t length_ns)
{
    give((struct um_wire_frame){
        .type = UM_WIRE_EPISODE,
        .flags = flags,
        .as.episode = {.start_ns = BEGIN_NS, .end_ns = BEGIN_NS + length_ns, .state = state}});
}

static void send_totals(uint64_t responsive_ns)
{
    give((struct um_wire_frame){.type = UM_WIRE_TOTALS,
                                .as.totals = {.time_ns = BEGIN_NS + 90 * S,
                                              .beats_sent = 900,
                                              .beats_lost = 3,
                                              .state_ns = {[UM_STATE_BLIND] = 2 * S,
                                                           [UM_STATE_FROZEN] = 300217000,
                                                           [UM_STATE_STARVED] = 75 * S,
                                                           [UM_STATE_SLOW] = 1,
                                                           [UM_STATE_OWN_BEAT] = 120 * MS,
                                                           [UM_STATE_UNKNOWN] = 30 * MS,
                                                           [UM_STATE_RESPONSIVE] = responsive_ns},
                                              .heartbeat_cpu_ns = 10 * MS,
                                              .sender_cpu_ns = 20 * MS,
                                              .monitor_cpu_ns = 30 * MS,
                                              .overlay_cpu_ns = 40 * MS}});
}

static void send_pool(uint64_t delay_ns, uint32_t starvation)
{
    give((struct um_wire_frame){.type = UM_WIRE_POOL,
                                .as.pool = {.delay_ns = delay_ns, .starvation = starvation}});
}

static void send_activity(uint64_t messages, uint64_t paints)
{
    give((struct um_wire_frame){.type = UM_WIRE_ACTIVITY,
                                .flags = paints ? UM_WIRE_ACTIVITY_PAINTS : 0,
                                .as.activity = {.messages = messages, .paints = paints}});
}

/* What is written now, with the version replaced by a word. */
static const char *write_text(void)
{
    FILE *file = written_open();
    cr_assert_eq(um_prometheus_write(prometheus, file), UM_OK);
    snprintf(text, sizeof text, "%s", written_read(file, NULL));
    char *version = strstr(text, "version=\"" UM_VERSION "\"");
    if (version) {
        version += strlen("version=\"");
        memmove(version + strlen("VERSION"), version + strlen(UM_VERSION),
                strlen(version + strlen(UM_VERSION)) + 1);
        memcpy(version, "VERSION", strlen("VERSION"));
    }
    return text;
}

static bool has(const char *what)
{
    return strstr(text, what) != NULL;
}

static void expect_written(const char *what)
{
    write_text();
    cr_expect(has(what), "no %s in %s", what, text);
}

Test(prometheus, text_is_the_one_written_by_hand)
{
    send_beat(400000);
    send_beat(35 * MS); /* and 25 and 15 ms, which it hid */
    give((struct um_wire_frame){.type = UM_WIRE_REST, .as.rest = {.skipped = 2}});
    send_episode(UM_WIRE_EPISODE_BEGIN, UM_STATE_FROZEN, 100 * MS);
    send_episode(UM_WIRE_EPISODE_END, UM_STATE_FROZEN, 300217000);
    send_episode(UM_WIRE_EPISODE_END, UM_STATE_STARVED, 75 * S);
    send_episode(UM_WIRE_EPISODE_END | UM_WIRE_EPISODE_VOID, UM_STATE_FROZEN, 9 * S);
    send_episode(UM_WIRE_EPISODE_END, UM_STATE_BLIND, 2 * S);
    give((struct um_wire_frame){.type = UM_WIRE_INTERACTION,
                                .as.interaction = {.kind = UM_INTERACTION_KEY,
                                                   .arrival_ns = BEGIN_NS,
                                                   .dequeued_ns = BEGIN_NS + 1 * MS,
                                                   .handled_ns = BEGIN_NS + 12 * MS}});
    send_status(UM_STATE_RESPONSIVE, BEGIN_NS + 10 * S - 7 * MS);
    send_totals(10050 * MS);
    send_pool(300000, 0);
    send_pool(250 * MS, 1);
    send_pool(260 * MS, 1);
    send_activity(700, 50);
    send_activity(UINT64_C(5000000001), 54);
    cr_assert_str_eq(write_text(), written_golden("prometheus.prom", NULL));
}

Test(prometheus, nothing_is_written_before_the_session_is_known)
{
    um_prometheus_close(prometheus);
    open_writer();
    send_beat(MS);
    cr_assert_str_eq(write_text(), "");
}

Test(prometheus, what_was_not_measured_is_absent)
{
    send_status(UM_STATE_RESPONSIVE, 0);
    write_text();
    cr_expect(has("uimon_build_info{") && !has("lag") && !has("latency") && !has("hang") &&
                  !has("typing") && !has("click") && !has("state") && !has("beats") && !has("jank"),
              "%s", text);
    send_totals(S);
    write_text();
    cr_expect(has("uimon_beats_sent_total{") && !has("jank"), "%s", text);
    cr_expect(!has("threadpool") && !has("painted") && !has("retrieved"), "%s", text);
    send_activity(0, 0);
    write_text();
    cr_expect(has("uimon_messages_retrieved_total{") && !has("painted"), "%s", text);
}

Test(prometheus, lag_is_the_last_latency_where_nothing_waits)
{
    send_beat(3 * MS);
    send_status(UM_STATE_RESPONSIVE, 0);
    expect_written("\"} 0.003\n# HELP uimon_input_latency");
}

Test(prometheus, lag_is_absent_where_it_cannot_be_seen)
{
    static const uint8_t states[] = {UM_STATE_BLIND, UM_STATE_IDLE, UM_STATE_SUSPENDED,
                                     UM_STATE_UNKNOWN};
    send_beat(3 * MS);
    for (size_t i = 0; i < sizeof states; i++) {
        send_status(states[i], BEGIN_NS);
        write_text();
        cr_expect(!has("uimon_ui_thread_lag_seconds"), "%s", text);
    }
}

Test(prometheus, counters_never_fall)
{
    send_beat(3 * MS);
    send_totals(20 * S);
    send_totals(19 * S); /* what was responsive has turned out to be something else */
    expect_written("state=\"responsive\"} 20\n");
}

Test(prometheus, sum_carries_over_to_whole_seconds)
{
    for (int i = 0; i < 3; i++)
        send_episode(UM_WIRE_EPISODE_END, UM_STATE_FROZEN, 700 * MS);
    send_beat(MS);
    expect_written("} 2.1\nuimon_ui_hang_duration_seconds_count");
}

Test(prometheus, replay_that_jumps_begins_anew)
{
    send_beat(3 * MS);
    send_totals(S);
    send_session(UM_WIRE_SESSION_ANEW);
    write_text();
    cr_expect(has("uimon_build_info{") && !has("latency") && !has("state"), "%s", text);
}

/* A freeze of a day is counted, and what it hid is not: that would take too long. */
Test(prometheus, latency_beyond_an_hour_is_not_corrected)
{
    send_beat(3601 * S);
    write_text();
    cr_expect(has("le=\"+Inf\"} 1\n") && has("} 3601\n"), "%s", text);
}

Test(prometheus, longest_names_are_written_whole)
{
    struct um_wire_frame frame = {.type = UM_WIRE_SESSION, .as.session.pid = UINT32_MAX};
    char host[64];
    um_prometheus_close(prometheus);
    memset(host, '"', sizeof host - 1);
    host[sizeof host - 1] = '\0';
    cr_assert_eq(um_prometheus_open(host, &prometheus), UM_OK);
    memset(frame.as.session.name, '\\', sizeof frame.as.session.name - 1);
    give(frame);
    write_text();
    const char *labels = strchr(strstr(text, "uimon_build_info{"), '{');
    size_t len = strcspn(labels, "}");
    size_t whole = strlen("{host=\"\",pid=\"4294967295\",process=\"\",version=\"VERSION\"") +
                   2 * 63 + 2 * (sizeof frame.as.session.name - 1);
    cr_expect_eq(len, whole, "%zu of %zu: %s", len, whole, text);
}

static void send_counter_of(uint32_t number, uint8_t kind, const char *provider, const char *name,
                            const char *unit)
{
    struct um_wire_frame frame = {.type = UM_WIRE_COUNTER};
    frame.as.counter.number = number;
    frame.as.counter.kind = kind;
    strcpy(frame.as.counter.provider, provider);
    strcpy(frame.as.counter.name, name);
    strcpy(frame.as.counter.display, "It's C:\\ \"x\"\n");
    strcpy(frame.as.counter.unit, unit);
    give(frame);
}

static void send_counter(uint32_t number, uint8_t kind, const char *name, const char *unit)
{
    send_counter_of(number, kind, "My.Company--App", name, unit);
}

static void send_value(uint32_t number, double value)
{
    struct um_wire_frame frame = {.type = UM_WIRE_COUNTER_VALUE};
    frame.as.counter_value.number = number;
    frame.as.counter_value.value = um_double_bits_of(value);
    give(frame);
}

/* What is written of the counters, without the labels that all have. */
static const char *written_counters(void)
{
    static char found[2048];
    static const char labels[] = "host=\"desk \\\"7\\\"\",pid=\"42\",process=\"a\\\\b "
                                 "\\\"c\\\"\\n\xc3\xbc.exe\"";
    const char *at = strstr(write_text(), "# HELP uimon_target_");
    snprintf(found, sizeof found, "%s", at ? at : "");
    for (char *label; (label = strstr(found, labels));)
        memmove(label, label + strlen(labels), strlen(label + strlen(labels)) + 1);
    return found;
}

Test(prometheus, counters_of_the_target_keep_their_units)
{
    send_counter(0, UM_WIRE_COUNTER_MEAN, "CPU (usage)", "%");
    send_counter(1, UM_WIRE_COUNTER_INCREMENT, "items", "a \"b\\");
    send_counter(2, UM_WIRE_COUNTER_MEAN, "silent", "");
    send_value(0, 7);
    send_value(0, 12.5);
    send_value(1, 3);
    send_value(1, 4);
    send_value(1, -1);
    cr_expect_str_eq(
        written_counters(),
        "# HELP uimon_target_my_company_app_cpu_usage It's C:\\\\ \"x\"\xef\xbf\xbd\n"
        "# TYPE uimon_target_my_company_app_cpu_usage gauge\n"
        "uimon_target_my_company_app_cpu_usage{,unit=\"%\"} 12.5\n"
        "# HELP uimon_target_my_company_app_items_total It's C:\\\\ \"x\"\xef\xbf\xbd\n"
        "# TYPE uimon_target_my_company_app_items_total counter\n"
        "uimon_target_my_company_app_items_total{,unit=\"a \\\"b\\\\\"} 7\n",
        "%s", written_counters());
}

/* Each sample of a metric has labels that no other has; a metric has all its samples together. */
Test(prometheus, counters_whose_names_become_the_same_are_samples_of_one)
{
    send_counter_of(0, UM_WIRE_COUNTER_MEAN, "A", "a-b", "");
    send_counter_of(1, UM_WIRE_COUNTER_MEAN, "A", "alone", "ms");
    send_counter_of(2, UM_WIRE_COUNTER_MEAN, "A", "a.b", "%");
    send_counter_of(3, UM_WIRE_COUNTER_MEAN, "A", "a_B", "");
    send_counter_of(4, UM_WIRE_COUNTER_MEAN, "A.a", "b", "");
    send_counter_of(5, UM_WIRE_COUNTER_INCREMENT, "A", "a\"b\\", "");
    send_counter_of(6, UM_WIRE_COUNTER_INCREMENT, "A", "a b", "");
    for (uint32_t i = 0; i < 7; i++)
        send_value(i, i + 1);
    send_value(5, 100);
    cr_expect_str_eq(written_counters(),
                     "# HELP uimon_target_a_a_b Several counters of the program.\n"
                     "# TYPE uimon_target_a_a_b gauge\n"
                     "uimon_target_a_a_b{,provider=\"A\",counter=\"a-b\"} 1\n"
                     "uimon_target_a_a_b{,provider=\"A\",counter=\"a.b\",unit=\"%\"} 3\n"
                     "uimon_target_a_a_b{,provider=\"A\",counter=\"a_B\"} 4\n"
                     "uimon_target_a_a_b{,provider=\"A.a\",counter=\"b\"} 5\n"
                     "# HELP uimon_target_a_alone It's C:\\\\ \"x\"\xef\xbf\xbd\n"
                     "# TYPE uimon_target_a_alone gauge\n"
                     "uimon_target_a_alone{,unit=\"ms\"} 2\n"
                     "# HELP uimon_target_a_a_b_total Several counters of the program.\n"
                     "# TYPE uimon_target_a_a_b_total counter\n"
                     "uimon_target_a_a_b_total{,provider=\"A\",counter=\"a\\\"b\\\\\"} 106\n"
                     "uimon_target_a_a_b_total{,provider=\"A\",counter=\"a b\"} 7\n",
                     "%s", written_counters());
}

/* A name may have no character that a metric's name can have. */
Test(prometheus, counters_without_a_latin_letter_are_told_apart)
{
    send_counter_of(0, UM_WIRE_COUNTER_MEAN, "A", "\xe8\xaf\xb7\xe6\xb1\x82", "");
    send_counter_of(1, UM_WIRE_COUNTER_MEAN, "A", "\xe9\x98\x9f\xe5\x88\x97", "");
    send_value(0, 1);
    send_value(1, 2);
    cr_expect_str_eq(written_counters(),
                     "# HELP uimon_target_a Several counters of the program.\n"
                     "# TYPE uimon_target_a gauge\n"
                     "uimon_target_a{,provider=\"A\",counter=\"\xe8\xaf\xb7\xe6\xb1\x82\"} 1\n"
                     "uimon_target_a{,provider=\"A\",counter=\"\xe9\x98\x9f\xe5\x88\x97\"} 2\n",
                     "%s", written_counters());
}

/* A metric has one type, and only a counter's name ends in _total. */
Test(prometheus, a_gauge_is_no_counter_by_its_name)
{
    send_counter_of(0, UM_WIRE_COUNTER_MEAN, "A", "x-total", "");
    send_counter_of(1, UM_WIRE_COUNTER_INCREMENT, "A", "x", "");
    send_counter_of(2, UM_WIRE_COUNTER_MEAN, "A", "X", "");
    send_value(0, 1);
    send_value(1, 2);
    send_value(2, 3);
    const char *text_now = written_counters();
    cr_expect(strstr(text_now, "# TYPE uimon_target_a_x_total_gauge gauge\n"
                               "uimon_target_a_x_total_gauge{} 1\n"),
              "%s", text_now);
    cr_expect(strstr(text_now, "# TYPE uimon_target_a_x_total counter\n"
                               "uimon_target_a_x_total{} 2\n"),
              "%s", text_now);
    cr_expect(strstr(text_now, "# TYPE uimon_target_a_x gauge\nuimon_target_a_x{} 3\n"), "%s",
              text_now);
}

/* What was a mean and is now an increment begins anew, and is nowhere twice. */
Test(prometheus, a_counter_of_another_kind_begins_anew)
{
    send_counter_of(0, UM_WIRE_COUNTER_MEAN, "A", "x", "");
    send_value(0, 5);
    send_counter_of(0, UM_WIRE_COUNTER_INCREMENT, "A", "x", "");
    cr_expect_str_eq(written_counters(), "");
    send_value(0, 2);
    cr_expect(strstr(written_counters(), "uimon_target_a_x_total{} 2\n"));
    cr_expect(!strstr(written_counters(), "uimon_target_a_x{"));
}

/* A later version's: nobody knows what its values mean. */
Test(prometheus, a_counter_of_an_unknown_kind_is_absent)
{
    send_counter_of(0, UM_WIRE_COUNTER_MEAN, "A", "x", "");
    send_value(0, 5);
    send_counter_of(0, UM_WIRE_COUNTER_KINDS, "A", "x", "");
    send_value(0, 2);
    cr_expect_str_eq(written_counters(), "");
}

/* One without a value yet counts, too, so that labels do not come and go with values. */
Test(prometheus, labels_do_not_wait_for_values)
{
    send_counter_of(0, UM_WIRE_COUNTER_MEAN, "A", "Queue", "");
    send_counter_of(1, UM_WIRE_COUNTER_MEAN, "A", "queue", "");
    send_value(1, 1);
    cr_expect_str_eq(written_counters(),
                     "# HELP uimon_target_a_queue Several counters of the program.\n"
                     "# TYPE uimon_target_a_queue gauge\n"
                     "uimon_target_a_queue{,provider=\"A\",counter=\"queue\"} 1\n",
                     "%s", written_counters());
}

Test(prometheus, counters_are_forgotten_with_the_session)
{
    send_counter(0, UM_WIRE_COUNTER_MEAN, "a", "");
    send_value(0, 1);
    send_session(UM_WIRE_SESSION_ANEW);
    cr_expect_str_eq(written_counters(), "");
}
