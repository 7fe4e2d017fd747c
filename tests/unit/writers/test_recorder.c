/* The thread that writes recordings: what it leaves out, when it writes, and what it does when it
 * cannot. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "base/plain/clock.h"
#include "monitor/feed/frame_queue.h"
#include "monitor/writers/recorder.h"
#include "monitor/recording/recording.h"
#include "tests/unit/wait_until.h"
#include "tests/written.h"

#define LONG_NS (60 * UM_CLOCK_NS_PER_S)
#define SHORT_NS (50 * UM_CLOCK_NS_PER_MS)
#define MS UM_CLOCK_NS_PER_MS
#define START_NS (1000 * UM_CLOCK_NS_PER_S)
#define LIMIT_FILE_BYTES 20000

static char path[] = "/tmp/uimon-recorder-XXXXXX";
static char error[UM_RECORDING_ERROR_BYTES];
static struct um_recorder *recorder;
static struct um_feed_output output;

static void make_path(void)
{
    int fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    close(fd);
}

static void remove_path(void)
{
    unlink(path);
}

TestSuite(recorder, .init = make_path, .fini = remove_path, .threads = true);

static void open_at(const char *file)
{
    struct um_wire_recording header = {.utc_ms = 1, .time_ns = 2, .version = "0.1.0"};
    cr_assert_eq(um_recorder_open(file, false, &header, &recorder, error, sizeof error), UM_OK,
                 "%s", error);
    output = um_recorder_output(recorder);
}

static void put(const struct um_wire_frame *frame)
{
    um_feed_publish(&output, 1, frame);
}

static void put_session(void)
{
    struct um_wire_frame frame = {.type = UM_WIRE_SESSION};
    put(&frame);
}

static void begin(void)
{
    open_at(path);
    put_session();
}

static void beat(uint32_t seq)
{
    struct um_wire_frame frame = {.type = UM_WIRE_BEAT};
    frame.as.beat.seq = seq;
    put(&frame);
}

static void status_at(uint64_t ms, enum um_state state, uint64_t waiting_ms, uint64_t lost)
{
    struct um_wire_frame frame = {.type = UM_WIRE_STATUS};
    frame.as.status.time_ns = START_NS + ms * MS;
    frame.as.status.state = (uint8_t)state;
    frame.as.status.lost = lost;
    if (waiting_ms > 0)
        frame.as.status.outstanding_ns = START_NS + (ms - waiting_ms) * MS;
    put(&frame);
}

/* Reads the file: the frames of a type, and how it ended. Beats must follow each other. */
static size_t count_frames(uint8_t type, enum um_status *ended)
{
    struct um_recording *recording = NULL;
    struct um_wire_frame frame;
    size_t count = 0;
    uint32_t next_seq = 0;

    cr_assert_eq(um_recording_open(path, &recording, error, sizeof error), UM_OK, "%s", error);
    while ((*ended = um_recording_next(recording, &frame)) == UM_OK) {
        count += frame.type == type;
        cr_assert(frame.type != UM_WIRE_BEAT || frame.as.beat.seq == next_seq++);
    }
    um_recording_close(recording);
    return count;
}

static void expect_statuses(size_t count)
{
    enum um_status ended;
    cr_assert_eq(um_recorder_close(recorder, LONG_NS), UM_OK);
    size_t found = count_frames(UM_WIRE_STATUS, &ended);
    cr_expect(ended == UM_ERR_CLOSED && found == count, "%zu, not %zu", found, count);
}

Test(recorder, everything_but_status_is_there_in_its_order)
{
    enum um_status ended;
    struct um_wire_frame end = {.type = UM_WIRE_END};

    begin();
    for (uint32_t i = 0; i < 10000; i++) /* several blocks */
        beat(i);
    put(&end);
    cr_expect_eq(output.lost(output.context), 0);
    cr_expect_str_eq(um_recorder_reason(recorder), "");
    cr_expect_eq(um_recorder_close(recorder, LONG_NS), UM_OK);
    cr_expect(count_frames(UM_WIRE_BEAT, &ended) == 10000 && ended == UM_ERR_CLOSED);
    cr_expect_eq(count_frames(UM_WIRE_END, &ended), 1);
    cr_expect_eq(um_recorder_close(NULL, 0), UM_OK);
}

/* How often the file's bytes have a text. */
static size_t count_text(const char *text)
{
    size_t len_bytes = 0, found = 0;
    const char *bytes = written_file(path, &len_bytes);
    for (size_t at = 0; at + strlen(text) <= len_bytes; at++)
        found += memcmp(bytes + at, text, strlen(text)) == 0;
    return found;
}

/* A reader would leave them out, so the bytes are looked at. */
Test(recorder, frames_for_the_live_feed_alone_are_not_written)
{
    struct um_wire_frame profile = {.type = UM_WIRE_PROFILE}, note = {.type = UM_WIRE_NOTE};
    snprintf(profile.as.profile.rows[0].name, sizeof profile.as.profile.rows[0].name, "of a row");
    snprintf(note.as.note.text, sizeof note.as.note.text, "of a note");
    begin();
    put(&profile);
    put(&note);
    cr_expect_eq(um_recorder_close(recorder, LONG_NS), UM_OK);
    cr_expect_eq(count_text("of a note"), 1);
    cr_expect_eq(count_text("of a row"), 0);
}

Test(recorder, status_of_a_calm_minute_is_one_in_ten_seconds)
{
    begin();
    for (uint64_t ms = 0; ms <= 60000; ms += 100)
        status_at(ms, UM_STATE_RESPONSIVE, ms % 500 ? 15 : 0, 0);
    for (uint64_t ms = 60100; ms < 120000; ms += 100)
        status_at(ms, UM_STATE_IDLE, 0, 0);
    expect_statuses(7 + 6); /* at 0, 10, ... 60 s, and from 60.1 s on */
}

Test(recorder, every_status_that_is_not_of_a_calm_state_is_kept)
{
    begin();
    for (int state = 0; state < UM_STATE_COUNT; state++)
        for (uint64_t ms = 0; ms < 1000; ms += 100)
            status_at(1000 * (uint64_t)state + ms, (enum um_state)state, 0, 0);
    expect_statuses(7 * 10 + 2); /* of idle and responsive the change alone */
}

Test(recorder, status_is_kept_when_frames_were_lost_or_a_beat_waits)
{
    begin();
    status_at(0, UM_STATE_RESPONSIVE, 0, 0);
    status_at(100, UM_STATE_RESPONSIVE, 0, 0);
    status_at(200, UM_STATE_RESPONSIVE, 0, 3); /* kept */
    status_at(300, UM_STATE_RESPONSIVE, 0, 3);
    status_at(400, UM_STATE_RESPONSIVE, 20, 3);
    status_at(500, UM_STATE_RESPONSIVE, 21, 3); /* kept */
    status_at(600, UM_STATE_RESPONSIVE, 0, 3);
    expect_statuses(3);
}

/* How many of them can be read from the file, which is still being written: its beginning may not
 * be whole yet. */
static size_t count_by_now(uint8_t type)
{
    struct um_recording *recording = NULL;
    struct um_wire_frame frame;
    size_t count = 0;
    enum um_status status = um_recording_open(path, &recording, error, sizeof error);
    cr_assert(status == UM_OK || status == UM_ERR_PARTIAL, "%s", error);
    while (status == UM_OK && (status = um_recording_next(recording, &frame)) == UM_OK)
        count += frame.type == type;
    um_recording_close(recording);
    return count;
}

Test(recorder, what_was_taken_is_in_the_file_before_it_is_closed)
{
    struct um_wire_frame note = {.type = UM_WIRE_NOTE};

    begin();
    put(&note);
    WAIT_UNTIL(count_by_now(UM_WIRE_NOTE) > 0, "there is no note");
    note.type = UM_WIRE_GAP;
    put(&note);
    WAIT_UNTIL(count_by_now(UM_WIRE_GAP) > 0, "there is no gap");
    cr_expect_eq(um_recorder_close(recorder, LONG_NS), UM_OK);
}

Test(recorder, killed_process_leaves_a_file_that_can_be_read)
{
    enum um_status ended;
    struct stat there;
    pid_t child = fork();
    if (child == 0) {
        begin();
        for (uint32_t i = 0;; i++) {
            beat(i);
            um_clock_sleep_ns(MS / 10);
        }
    }
    /* Not by the file's size: it also grows while a block is being written, and a kill there costs
     * that block. */
    WAIT_UNTIL(stat(path, &there) == 0 && there.st_size > 0 && count_by_now(UM_WIRE_BEAT) >= 1000,
               "it is not written");
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    cr_expect_geq(count_frames(UM_WIRE_BEAT, &ended), 1000);
    cr_expect(ended == UM_ERR_CLOSED || ended == UM_ERR_PARTIAL);
}

Test(recorder, file_that_cannot_be_made_is_told_at_the_start)
{
    struct um_wire_recording header = {.utc_ms = 1};
    cr_expect_eq(um_recorder_open("/no/such/x", false, &header, &recorder, error, sizeof error),
                 UM_ERR_IO);
    cr_expect(strstr(error, "--record /no/such/x") && strstr(error, "does its folder exist"), "%s",
              error);
}

static void expect_trouble(const char *reason)
{
    WAIT_UNTIL(um_recorder_status(recorder) != UM_OK, "there is no trouble");
    cr_expect_str_eq(um_recorder_reason(recorder), reason);
    beat(0);
    cr_expect_eq(um_recorder_close(recorder, LONG_NS), UM_ERR_IO);
}

Test(recorder, full_disk_is_told_with_the_first_session)
{
    open_at("/dev/full");
    cr_expect_eq(um_recorder_status(recorder), UM_OK);
    put_session();
    expect_trouble("the disk is full");
}

Test(recorder, folder_that_goes_before_the_first_session_is_told)
{
    char folder[] = "/tmp/uimon-recorder-XXXXXX";
    char file[64];
    cr_assert(mkdtemp(folder) != NULL);
    snprintf(file, sizeof file, "%s/x", folder);
    open_at(file);
    cr_assert_eq(rmdir(folder), 0, "nothing was left in it");
    put_session();
    expect_trouble("the system refuses to write to it");
}

/* A target that cannot be attached to has an END and nothing else. */
Test(recorder, what_was_recorded_before_stays_until_there_is_something_else)
{
    struct um_wire_frame end = {.type = UM_WIRE_END};
    enum um_status ended;

    begin();
    beat(0);
    cr_assert_eq(um_recorder_close(recorder, LONG_NS), UM_OK);
    open_at(path);
    put(&end);
    cr_expect_eq(um_recorder_close(recorder, LONG_NS), UM_OK);
    cr_expect(count_frames(UM_WIRE_BEAT, &ended) == 1 && count_frames(UM_WIRE_END, &ended) == 0);
    begin();
    put(&end);
    cr_expect_eq(um_recorder_close(recorder, LONG_NS), UM_OK);
    cr_expect(count_frames(UM_WIRE_BEAT, &ended) == 0 && count_frames(UM_WIRE_END, &ended) == 1);
    cr_expect_eq(count_frames(UM_WIRE_RECORDING, &ended), 1);
    cr_expect_eq(count_frames(UM_WIRE_SESSION, &ended), 1);
}

Test(recorder, no_file_is_made_without_a_session)
{
    struct um_wire_frame end = {.type = UM_WIRE_END};
    unlink(path);
    open_at(path);
    put(&end);
    cr_expect_eq(um_recorder_close(recorder, LONG_NS), UM_OK);
    cr_expect_neq(access(path, F_OK), 0);
}

static void put_small_block(uint32_t *seq)
{
    struct um_wire_frame freeze = {.type = UM_WIRE_EPISODE, .flags = UM_WIRE_EPISODE_BEGIN};
    freeze.as.episode.state = UM_STATE_FROZEN; /* which is written at once */
    for (int i = 0; i < 20; i++)
        beat((*seq)++);
    put(&freeze);
}

/* Puts beats until the recorder has met the end of what the system lets it write. */
static void fill_up(void)
{
    uint32_t seq = 0;
    WAIT_UNTIL((put_small_block(&seq), um_recorder_status(recorder) != UM_OK), "it has room");
}

Test(recorder, full_disk_ends_the_recording_and_nothing_else)
{
    struct rlimit limit = {LIMIT_FILE_BYTES, LIMIT_FILE_BYTES};
    struct stat before;
    struct stat after;
    enum um_status ended;

    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    begin();
    fill_up();
    cr_expect_str_eq(um_recorder_reason(recorder), "the file may not grow any further");
    cr_assert_eq(stat(path, &before), 0);
    for (uint32_t i = 0; i < UM_FRAME_QUEUE_BYTES / 16; i++)
        beat(i);
    cr_expect_eq(output.lost(output.context), 0, "what is not recorded any more is not lost");
    cr_expect_eq(um_recorder_close(recorder, LONG_NS), UM_ERR_IO);
    cr_assert_eq(stat(path, &after), 0);
    cr_expect(after.st_size == before.st_size && after.st_size <= LIMIT_FILE_BYTES);
    size_t count = count_frames(UM_WIRE_BEAT, &ended);
    cr_expect(ended == UM_ERR_PARTIAL || ended == UM_ERR_CLOSED);
    cr_expect_geq(count, 20, "whole blocks are used: %zu beats", count);
}

/* Space that comes back later must not be written to: what follows a hole is no recording. */
Test(recorder, nothing_is_written_behind_a_failure)
{
    struct rlimit limit = {LIMIT_FILE_BYTES, RLIM_INFINITY};
    struct stat before;
    struct stat after;

    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    begin();
    fill_up();
    cr_assert_eq(stat(path, &before), 0);
    limit.rlim_cur = RLIM_INFINITY;
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    beat(1);
    cr_expect_eq(um_recorder_close(recorder, LONG_NS), UM_ERR_IO);
    cr_assert_eq(stat(path, &after), 0);
    cr_expect_eq(after.st_size, before.st_size);
}

Test(recorder, stuck_disk_does_not_block)
{
    char chunk[65536];

    unlink(path);
    cr_assert_eq(mkfifo(path, 0600), 0);
    int reader = open(path, O_RDWR | O_NONBLOCK);
    cr_assert_geq(reader, 0);
    begin();
    for (uint32_t i = 0; i < UM_FRAME_QUEUE_BYTES / 12; i++)
        beat(i);
    cr_expect_gt(output.lost(output.context), 0);
    cr_expect_eq(um_recorder_close(recorder, SHORT_NS), UM_ERR_TIMEOUT);
    cr_expect_eq(um_recorder_status(recorder), UM_OK, "it is slow, not broken");
    enum um_status status = UM_ERR_TIMEOUT;
    uint64_t begun_ns = um_clock_now_ns();
    while (status == UM_ERR_TIMEOUT) {
        while (read(reader, chunk, sizeof chunk) > 0)
            ;
        status = um_recorder_close(recorder, MS);
        cr_assert_lt(um_clock_now_ns() - begun_ns, LONG_NS);
    }
    cr_expect_eq(status, UM_OK);
    close(reader);
}
