/* The text against one that was written by hand: tests/golden/prometheus.prom. `./run test
 * prometheus` has promtool read the same file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "monitor/feed/prometheus.h"

#define MS UINT64_C(1000000)
#define S UINT64_C(1000000000)
#define BEGIN_NS (1000 * S)

static struct um_prometheus *prometheus;
static char text[16384];

static void setup(void)
{
    cr_assert(um_prometheus_open("desk \"7\"", &prometheus) == UM_OK);
}

static void teardown(void)
{
    um_prometheus_close(prometheus);
}

TestSuite(prometheus, .init = setup, .fini = teardown);

static void feed(struct um_wire_frame frame)
{
    um_prometheus_frame(prometheus, &frame);
}

static void send_session(uint8_t flags)
{
    feed((struct um_wire_frame){.type = UM_WIRE_SESSION,
                                .flags = flags,
                                .as.session = {.start_ns = BEGIN_NS,
                                               .pid = 42,
                                               .period_us = 10000,
                                               .threshold_us = 100000,
                                               .name = "a\\b \"c\"\n\xc3\xbc.exe"}});
}

static void send_beat(uint64_t latency_ns)
{
    feed((struct um_wire_frame){.type = UM_WIRE_BEAT, .as.beat = {.latency_ns = latency_ns}});
}

static void send_status(uint8_t state, uint64_t outstanding_ns)
{
    feed((struct um_wire_frame){.type = UM_WIRE_STATUS,
                                .as.status = {.time_ns = BEGIN_NS + 10 * S,
                                              .state = state,
                                              .outstanding_ns = outstanding_ns}});
}

static void send_episode(uint8_t flags, uint8_t state, uint64_t length_ns)
{
    feed((struct um_wire_frame){
        .type = UM_WIRE_EPISODE,
        .flags = flags,
        .as.episode = {.start_ns = BEGIN_NS, .end_ns = BEGIN_NS + length_ns, .state = state}});
}

static void send_totals(uint64_t responsive_ns)
{
    feed((struct um_wire_frame){.type = UM_WIRE_TOTALS,
                                .as.totals = {.time_ns = BEGIN_NS + 90 * S,
                                              .beats_sent = 900,
                                              .beats_lost = 3,
                                              .state_ns = {[UM_STATE_BLIND] = 2 * S,
                                                           [UM_STATE_FROZEN] = 300217000,
                                                           [UM_STATE_STARVED] = 75 * S,
                                                           [UM_STATE_SLOW] = 1,
                                                           [UM_STATE_RESPONSIVE] = responsive_ns},
                                              .heartbeat_cpu_ns = 10 * MS,
                                              .sender_cpu_ns = 20 * MS,
                                              .monitor_cpu_ns = 30 * MS,
                                              .overlay_cpu_ns = 40 * MS}});
}

static void send_pool(uint64_t delay_ns, uint32_t starvation)
{
    feed((struct um_wire_frame){.type = UM_WIRE_POOL,
                                .as.pool = {.delay_ns = delay_ns, .starvation = starvation}});
}

static void send_activity(uint64_t messages, uint64_t paints)
{
    feed((struct um_wire_frame){.type = UM_WIRE_ACTIVITY,
                                .flags = paints ? UM_WIRE_ACTIVITY_PAINTS : 0,
                                .as.activity = {.messages = messages, .paints = paints}});
}

/* What is written now, with the version replaced by a word. */
static const char *write_text(void)
{
    FILE *file = tmpfile();
    cr_assert(file && um_prometheus_write(prometheus, file) == UM_OK);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
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

Test(prometheus, text_is_the_one_written_by_hand)
{
    static char wanted[16384];
    send_session(0);
    send_beat(400000);
    send_beat(35 * MS); /* and 25 and 15 ms, which it hid */
    feed((struct um_wire_frame){.type = UM_WIRE_REST, .as.rest = {.skipped = 2}});
    send_episode(UM_WIRE_EPISODE_BEGIN, UM_STATE_FROZEN, 100 * MS);
    send_episode(UM_WIRE_EPISODE_END, UM_STATE_FROZEN, 300217000);
    send_episode(UM_WIRE_EPISODE_END, UM_STATE_STARVED, 75 * S);
    send_episode(UM_WIRE_EPISODE_END | UM_WIRE_EPISODE_VOID, UM_STATE_FROZEN, 9 * S);
    send_episode(UM_WIRE_EPISODE_END, UM_STATE_BLIND, 2 * S);
    feed((struct um_wire_frame){.type = UM_WIRE_INTERACTION,
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

    FILE *golden = fopen(UM_SOURCE_DIR "/tests/golden/prometheus.prom", "rb");
    cr_assert(golden != NULL);
    wanted[fread(wanted, 1, sizeof wanted - 1, golden)] = '\0';
    fclose(golden);
    cr_assert_str_eq(write_text(), wanted);
}

Test(prometheus, nothing_is_written_before_the_session_is_known)
{
    send_beat(MS);
    cr_assert_str_eq(write_text(), "");
}

Test(prometheus, what_was_not_measured_is_absent)
{
    send_session(0);
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
    send_session(0);
    send_beat(3 * MS);
    send_status(UM_STATE_RESPONSIVE, 0);
    write_text();
    cr_expect(has("\"} 0.003\n# HELP uimon_input_latency"), "%s", text);
}

Test(prometheus, lag_is_absent_where_it_cannot_be_seen)
{
    static const uint8_t states[] = {UM_STATE_BLIND, UM_STATE_IDLE, UM_STATE_SUSPENDED};
    send_session(0);
    send_beat(3 * MS);
    for (size_t i = 0; i < sizeof states; i++) {
        send_status(states[i], BEGIN_NS);
        write_text();
        cr_expect(!has("uimon_ui_thread_lag_seconds"), "%s", text);
    }
}

Test(prometheus, counters_never_fall)
{
    send_session(0);
    send_beat(3 * MS);
    send_totals(20 * S);
    send_totals(19 * S); /* what was responsive has turned out to be something else */
    write_text();
    cr_expect(has("state=\"responsive\"} 20\n"), "%s", text);
}

Test(prometheus, sum_carries_over_to_whole_seconds)
{
    send_session(0);
    for (int i = 0; i < 3; i++)
        send_episode(UM_WIRE_EPISODE_END, UM_STATE_FROZEN, 700 * MS);
    send_beat(MS);
    write_text();
    cr_expect(has("} 2.1\nuimon_ui_hang_duration_seconds_count"), "%s", text);
}

Test(prometheus, replay_that_jumps_begins_anew)
{
    send_session(0);
    send_beat(3 * MS);
    send_totals(S);
    send_session(UM_WIRE_SESSION_ANEW);
    write_text();
    cr_expect(has("uimon_build_info{") && !has("latency") && !has("state"), "%s", text);
}

/* A freeze of a day is counted, and what it hid is not: that would take too long. */
Test(prometheus, latency_beyond_an_hour_is_not_corrected)
{
    send_session(0);
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
    cr_assert(um_prometheus_open(host, &prometheus) == UM_OK);
    memset(frame.as.session.name, '\\', sizeof frame.as.session.name - 1);
    feed(frame);
    write_text();
    const char *labels = strchr(strstr(text, "uimon_build_info{"), '{');
    size_t len = strcspn(labels, "}");
    size_t whole = strlen("{host=\"\",pid=\"4294967295\",process=\"\",version=\"VERSION\"") +
                   2 * 63 + 2 * (sizeof frame.as.session.name - 1);
    cr_expect(len == whole, "%zu of %zu: %s", len, whole, text);
}
