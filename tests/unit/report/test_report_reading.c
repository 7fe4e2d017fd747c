/* A recording that grows, read piece by piece: what is made of it is what is made of the same bytes
 * when they are read at once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "base/plain/clock.h"
#include "base/plain/text.h"
#include "monitor/report/report_html.h"
#include "monitor/report/report_profile.h"
#include "monitor/report/report_reading.h"
#include "tests/recording_file.h"
#include "tests/written.h"

#define MS UM_CLOCK_NS_PER_MS
#define START_NS (UINT64_C(5000) * UM_CLOCK_NS_PER_S)
#define THREAD 11
#define HELD_BY 12
#define NODE UM_WIRE_FIRST_NODE
#define KEY ((UINT64_C(1) << 48) + 0x1010) /* in the first module */
#define STEP 41                            /* bytes, from cut to cut; it divides no block */

static char path[] = "/tmp/uimon-reading-XXXXXX";
static struct recording_file file;
static struct um_options options = {.mine = "app"};
static struct um_report_reading followed, at_once;
static uint32_t seq;

static void setup(void)
{
    int fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    close(fd);
    recording_file_begin(&file);
    followed = at_once = (struct um_report_reading){.path = path, .wants_markers = true};
}

static void teardown(void)
{
    um_report_reading_deinit(&followed);
    um_report_reading_deinit(&at_once);
    recording_file_free(&file);
    unlink(path);
}

TestSuite(report_reading, .init = setup, .fini = teardown);

/* What is recorded ----------------------------------------------------------------------------- */

static void put(const struct um_wire_frame *frame)
{
    recording_file_put(&file, frame);
}

/* Times are in ms since the start. */
static uint64_t at(uint64_t ms)
{
    return START_NS + ms * MS;
}

static void put_session(uint32_t tid, uint64_t ms)
{
    struct um_wire_frame frame = {.type = UM_WIRE_SESSION};
    frame.as.session = (struct um_wire_session){.start_ns = at(ms),
                                                .utc_ms = 1795000000000,
                                                .pid = 42,
                                                .tid = tid,
                                                .period_us = 10000,
                                                .threshold_us = 100000,
                                                .slow_us = 50000,
                                                .bits = 64,
                                                .probe = UM_PROBE_RAW,
                                                .name = "app.exe"};
    put(&frame);
}

static void put_code(void)
{
    struct um_wire_frame module = {.type = UM_WIRE_MODULE};
    um_text_set(module.as.module.path, sizeof module.as.module.path, "C:\\work\\app.exe");
    put(&module);
    struct um_wire_frame nodes = {.type = UM_WIRE_NODES};
    nodes.as.nodes = (struct um_wire_nodes){.first = NODE, .count = 1, .list = {{0, KEY}}};
    put(&nodes);
    struct um_wire_frame kind = {.type = UM_WIRE_MARKER_KIND};
    kind.as.marker_kind =
        (struct um_wire_marker_kind){.number = 1,
                                     .count = 2,
                                     .list = {{.kind = UM_MARKER_FIELD_TEXT, .name = "what"},
                                              {.kind = UM_MARKER_FIELD_FLOW, .name = "flow"}},
                                     .name = "Work",
                                     .category = "own"};
    put(&kind);
}

/* Until 50 ms after a time. */
static void put_status(uint64_t ms, enum um_state state)
{
    struct um_wire_frame status = {.type = UM_WIRE_STATUS, .flags = UM_WIRE_STATUS_HAS_LAG};
    status.as.status.time_ns = at(ms + 50);
    status.as.status.slice_start_ns = at(ms / 100 * 100);
    status.as.status.slice_worst_ns = (ms % 11) * MS;
    status.as.status.state = (uint8_t)state;
    put(&status);
}

/* A second in which nothing happens but beats, in two blocks; `from_ms` is a multiple of 1000. */
static void put_second(uint64_t from_ms, enum um_state state)
{
    for (uint64_t ms = from_ms; ms < from_ms + 1000; ms += 50) {
        struct um_wire_frame beat = {.type = UM_WIRE_BEAT};
        beat.as.beat = (struct um_wire_beat){at(ms), (ms % 7 + 1) * MS, ++seq};
        put(&beat);
        put_status(ms, state);
        if (ms == from_ms + 450)
            recording_file_cut(&file);
    }
    struct um_wire_frame totals = {.type = UM_WIRE_TOTALS};
    totals.as.totals.time_ns = at(from_ms + 1000);
    totals.as.totals.duration_ns = (from_ms + 1000) * MS;
    totals.as.totals.state_ns[UM_STATE_RESPONSIVE] = (from_ms + 1000) * MS;
    put(&totals);
}

static void put_episode(uint8_t flags, uint32_t id, enum um_state state, uint64_t from_ms,
                        uint64_t until_ms)
{
    struct um_wire_frame frame = {.type = UM_WIRE_EPISODE, .flags = flags};
    frame.as.episode = (struct um_wire_episode){.start_ns = at(from_ms),
                                                .end_ns = at(until_ms),
                                                .peak_ns = (until_ms - from_ms) * MS,
                                                .id = id,
                                                .state = (uint8_t)state};
    put(&frame);
}

static void put_sample(uint64_t ms, uint32_t thread, uint32_t absence)
{
    struct um_wire_frame frame = {.type = UM_WIRE_SAMPLE};
    frame.as.sample = (struct um_wire_sample){.time_ns = at(ms),
                                              .thread = thread,
                                              .node = NODE,
                                              .wall_us = 10000,
                                              .absence = absence,
                                              .other = thread != THREAD};
    put(&frame);
}

static void put_said(uint32_t freeze, uint64_t ms)
{
    struct um_wire_frame stack = {.type = UM_WIRE_STACK};
    stack.as.stack = (struct um_wire_stack){.freeze = freeze, .samples = 5, .alike = 5};
    um_text_set(stack.as.stack.frames[0], UM_WIRE_STACK_FRAME_BYTES, "work");
    put(&stack);
    struct um_wire_frame wait = {.type = UM_WIRE_WAIT};
    wait.as.wait = (struct um_wire_wait){
        .freeze = freeze, .thread = HELD_BY, .process = 42, .samples = 5, .kind = 1};
    put(&wait);
    struct um_wire_frame key = {.type = UM_WIRE_INTERACTION};
    key.as.interaction = (struct um_wire_interaction){.arrival_ns = at(ms - 90),
                                                      .dequeued_ns = at(ms),
                                                      .handled_ns = at(ms + 2),
                                                      .painted_ns = at(ms + 5),
                                                      .id = freeze,
                                                      .freeze = freeze};
    put(&key);
    struct um_wire_frame note = {.type = UM_WIRE_NOTE};
    note.as.note.time_ns = at(ms);
    um_text_set(note.as.note.text, sizeof note.as.note.text, "after a freeze");
    put(&note);
    struct um_wire_frame marker = {.type = UM_WIRE_MARKER, .flags = UM_WIRE_MARKER_INTERVAL};
    marker.as.marker = (struct um_wire_marker){.start_ns = at(ms - 50),
                                               .length_ns = 20 * MS,
                                               .kind = 1,
                                               .thread = HELD_BY,
                                               .count = 2,
                                               .list = {{.text = "a text"}, {.value = freeze}}};
    put(&marker);
    struct um_wire_frame lost = {.type = UM_WIRE_MARKERS_LOST};
    lost.as.markers_lost =
        (struct um_wire_markers_lost){.time_ns = at(ms), .lost = freeze, .source = 0};
    put(&lost);
}

/* A freeze that is told while it lasts, with what is sampled in it. `end`: flags of its end, which
 * is in another block than its begin. */
static void put_freeze(uint32_t id, enum um_state state, uint64_t from_ms, uint8_t end)
{
    put_episode(UM_WIRE_EPISODE_BEGIN, id, state, from_ms, from_ms + 100);
    for (uint64_t ms = from_ms; ms < from_ms + 200; ms += 20) {
        put_sample(ms, THREAD, id);
        put_sample(ms + 1, HELD_BY, id);
    }
    recording_file_cut(&file);
    put_second(from_ms / 1000 * 1000 + 1000, state);
    put_sample(from_ms + 400, THREAD, id + 100); /* may be outside of it */
    recording_file_cut(&file);
    put_episode(end, id, state, from_ms, from_ms + 300);
    if (!(end & UM_WIRE_EPISODE_VOID))
        put_said(id, from_ms + 310);
    recording_file_cut(&file);
}

/* A freeze that lasts while so many stretches come and go that its begin is not found again. */
static void put_long_freeze(uint32_t id, uint64_t from_ms)
{
    put_episode(UM_WIRE_EPISODE_BEGIN, id, UM_STATE_FROZEN, from_ms, from_ms + 100);
    put_status(from_ms + 150, UM_STATE_FROZEN);
    recording_file_cut(&file);
    for (uint32_t i = 1; i <= 20; i++) {
        put_episode(UM_WIRE_EPISODE_END, id + i, UM_STATE_IDLE, from_ms + i, from_ms + i + 1);
        if (i % 5 == 0)
            recording_file_cut(&file);
    }
    put_second(from_ms / 1000 * 1000, UM_STATE_FROZEN);
    recording_file_cut(&file);
    put_episode(UM_WIRE_EPISODE_END, id, UM_STATE_FROZEN, from_ms, from_ms + 900);
    recording_file_cut(&file);
}

/* Freezes of each kind, two sessions, and an END. */
static void put_all(void)
{
    put_session(THREAD, 0);
    put_code();
    recording_file_cut(&file);
    put_second(0, UM_STATE_RESPONSIVE);
    recording_file_cut(&file);
    put_freeze(1, UM_STATE_FROZEN, 1200, UM_WIRE_EPISODE_END);
    put_freeze(2, UM_STATE_FROZEN, 2200, UM_WIRE_EPISODE_END | UM_WIRE_EPISODE_VOID);
    put_freeze(3, UM_STATE_STARVED, 3200, UM_WIRE_EPISODE_END);
    put_episode(UM_WIRE_EPISODE_BEGIN, 4, UM_STATE_FROZEN, 4700, 4800);
    put_freeze(5, UM_STATE_SUSPENDED, 4750, UM_WIRE_EPISODE_END);
    put_session(THREAD + 20, 0);
    put_second(6000, UM_STATE_FROZEN);
    recording_file_cut(&file);
    put_episode(UM_WIRE_EPISODE_END, 4, UM_STATE_FROZEN, 4700, 6900);
    put_said(4, 6910);
    put_long_freeze(10, 7000);
    put_episode(UM_WIRE_EPISODE_BEGIN, 6, UM_STATE_FROZEN, 8000, 8100);
    put_second(8000, UM_STATE_FROZEN);
    recording_file_cut(&file);
    put_episode(UM_WIRE_EPISODE_END | UM_WIRE_EPISODE_OPEN, 6, UM_STATE_FROZEN, 8000, 8900);
    struct um_wire_frame end = {.type = UM_WIRE_END};
    end.as.end.time_ns = at(9000);
    put(&end);
    recording_file_cut(&file);
}

/* Reading and writing -------------------------------------------------------------------------- */

/* Makes the file what it is up to `len`. */
static void grow(size_t from, size_t len)
{
    FILE *out = fopen(path, from == 0 ? "wb" : "ab");
    cr_assert(out && fwrite(file.bytes + from, 1, len - from, out) == len - from);
    cr_assert_eq(fclose(out), 0);
}

/* The page of what there is now; "" if there is nothing to sum up. */
static const char *page_of(struct um_report_reading *reading)
{
    struct um_markers markers = {.list = NULL};
    enum um_status status = um_report_reading_go_on(reading);
    if (status == UM_ERR_PARTIAL)
        return "";
    cr_assert_eq(status, UM_OK, "%d", status);
    cr_assert_eq(um_report_profile_whose(&reading->recorded, &options), UM_OK);
    cr_assert_eq(um_report_reading_markers(reading, &markers), UM_OK);
    FILE *out = written_open();
    cr_assert_eq(um_report_html_write(out, &reading->recorded, &markers, &options, 0), UM_OK);
    um_markers_deinit(&markers);
    return written_read(out, NULL);
}

static const char *page_at_once(void)
{
    um_report_reading_deinit(&at_once);
    return page_of(&at_once);
}

/* Compares the page so far with that of a file read at once. Returns whether there is one. */
static bool compare(size_t len)
{
    const char *grown = page_of(&followed), *whole = page_at_once();
    bool is_same = strcmp(grown, whole) == 0;
    cr_assert(is_same, "at byte %zu: %.60s, not %.60s", len, strstr(grown, "id=\"data\""),
              strstr(whole, "id=\"data\""));
    cr_assert_str_eq(followed.recorded.problem, at_once.recorded.problem);
    cr_assert_eq(um_report_reading_can_grow(&followed), um_report_reading_can_grow(&at_once));
    return grown[0] != '\0';
}

Test(report_reading, pages_of_a_growing_file_are_those_of_the_file_so_far)
{
    size_t pages = 0, len = 0;
    put_all();
    for (size_t until = 5; len < file.len;
         until = until + STEP < file.len ? until + STEP : file.len) {
        grow(len, until);
        len = until;
        pages += compare(len);
    }
    cr_expect_gt(pages, 100);
    cr_expect(followed.recorded.whole, "%s", followed.recorded.problem);
    cr_expect_eq(followed.recorded.summary.freezes->count, 5);
}

/* Each piece ends with a block, so that freezes that last are told and taken back. */
Test(report_reading, freezes_that_last_are_counted_while_they_do)
{
    put_session(THREAD, 0);
    put_code();
    put_second(0, UM_STATE_RESPONSIVE);
    put_episode(UM_WIRE_EPISODE_BEGIN, 1, UM_STATE_FROZEN, 900, 1000);
    recording_file_cut(&file);
    grow(0, file.len);
    size_t len = file.len;
    cr_expect(compare(len));
    cr_expect_eq(followed.recorded.summary.freezes->count, 1);
    cr_expect(followed.recorded.summary.freezes->list[0].open);
    put_episode(UM_WIRE_EPISODE_END, 1, UM_STATE_FROZEN, 900, 1050);
    recording_file_cut(&file);
    grow(len, file.len);
    cr_expect(compare(file.len));
    cr_expect_eq(followed.recorded.summary.freezes->count, 1);
    cr_expect_eq(followed.recorded.summary.freezes->total_ns, 150 * MS);
    cr_expect(!followed.recorded.summary.freezes->list[0].open);
}

/* What the system has counted of reads of this process, but for the reads of that number itself. */
static uint64_t bytes_read(void)
{
    static uint64_t own;
    char text[512] = "";
    unsigned long long count = 0;
    FILE *counters = fopen("/proc/self/io", "rb");
    cr_assert(counters && fread(text, 1, sizeof text - 1, counters) > 0);
    fclose(counters);
    cr_assert_eq(sscanf(text, "rchar: %llu", &count), 1);
    uint64_t before = own;
    own += strlen(text);
    return count - before;
}

Test(report_reading, nothing_is_read_twice)
{
    put_session(THREAD, 0);
    put_code();
    for (uint64_t second = 0; second < 300; second++) {
        put_second(1000 * second, UM_STATE_RESPONSIVE);
        recording_file_cut(&file);
    }
    size_t half = file.len / 2, len = half;
    grow(0, half);
    cr_assert_eq(um_report_reading_go_on(&followed), UM_OK);
    uint64_t before = bytes_read();
    for (size_t until = half; len < file.len; until += 1001) {
        until = until < file.len ? until : file.len;
        grow(len, until);
        len = until;
        cr_assert_eq(um_report_reading_go_on(&followed), UM_OK);
    }
    cr_expect_eq(bytes_read() - before, file.len - half);
    cr_expect_eq(followed.recorded.slice_count, 3000);
}

Test(report_reading, a_recording_that_was_begun_anew_is_read_from_its_begin)
{
    put_session(THREAD, 0);
    put_second(0, UM_STATE_RESPONSIVE);
    recording_file_cut(&file);
    size_t one = file.len;
    put_second(1000, UM_STATE_RESPONSIVE);
    recording_file_cut(&file);
    grow(0, file.len);
    cr_expect(compare(file.len));
    grow(0, one);
    cr_expect(compare(one));
    cr_expect_eq(followed.recorded.slice_count, 10, "the shorter one");

    size_t was = file.len;
    recording_file_free(&file);
    recording_file_begin(&file);
    put_session(THREAD + 1, 0);
    for (uint64_t ms = 0; file.len <= was; ms += 1000) {
        put_second(ms, UM_STATE_RESPONSIVE);
        put_episode(UM_WIRE_EPISODE_END, 1, UM_STATE_FROZEN, ms + 100, ms + 300);
        recording_file_cut(&file);
    }
    grow(0, file.len);
    cr_expect(compare(file.len));
    cr_expect_eq(followed.recorded.session.tid, THREAD + 1, "the longer one");
}

Test(report_reading, a_damaged_one_cannot_grow)
{
    put_session(THREAD, 0);
    put_second(0, UM_STATE_RESPONSIVE);
    recording_file_cut(&file);
    size_t len = file.len;
    grow(0, len);
    cr_expect(compare(len));
    put_second(1000, UM_STATE_RESPONSIVE);
    recording_file_cut(&file);
    file.bytes[len + 30] ^= 1;
    grow(len, file.len);
    cr_expect(compare(file.len));
    cr_expect(!um_report_reading_can_grow(&followed));
    cr_expect(strstr(followed.recorded.problem, "is damaged"), "%s", followed.recorded.problem);
}

/* Whether this process has the file open. */
static bool is_open(void)
{
    char name[32], target[64];
    bool found = false;
    for (int fd = 0; fd < 64; fd++) {
        snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
        ssize_t len = readlink(name, target, sizeof target - 1);
        target[len > 0 ? len : 0] = '\0';
        found |= strcmp(target, path) == 0;
    }
    return found;
}

Test(report_reading, the_file_is_open_only_while_it_is_read)
{
    put_session(THREAD, 0);
    put_second(0, UM_STATE_RESPONSIVE);
    recording_file_cut(&file);
    size_t len = file.len;
    grow(0, len);
    FILE *other = fopen(path, "rb");
    cr_assert(other && is_open());
    fclose(other);
    cr_assert_eq(um_report_reading_go_on(&followed), UM_OK);
    cr_expect(!is_open());
    put_second(1000, UM_STATE_RESPONSIVE);
    recording_file_cut(&file);
    grow(len, file.len);
    cr_assert_eq(um_report_reading_go_on(&followed), UM_OK);
    cr_expect(!is_open());
    cr_expect_eq(followed.recorded.slice_count, 20);
}

Test(report_reading, a_file_that_is_gone_is_told)
{
    put_session(THREAD, 0);
    put_second(0, UM_STATE_RESPONSIVE);
    recording_file_cut(&file);
    grow(0, file.len);
    cr_expect(compare(file.len));
    unlink(path);
    cr_expect_eq(um_report_reading_go_on(&followed), UM_ERR_NOT_FOUND);
    cr_expect(strstr(followed.recorded.problem, "there is no such file"));
    grow(0, file.len);
    cr_expect(compare(file.len));
}
