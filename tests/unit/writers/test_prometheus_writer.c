/* What becomes of the file; what stands in it is tested in test_prometheus.c. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "base/plain/clock.h"
#include "base/file.h"
#include "monitor/writers/prometheus_writer.h"
#include "tests/written.h"

#define LONG_NS (60 * UM_CLOCK_NS_PER_S)
#define S UM_CLOCK_NS_PER_S

static char folder[] = "/tmp/uimon-prometheus-XXXXXX";
static char path[64];
static struct um_prometheus_writer *writer;

static void make_folder(void)
{
    cr_assert(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/a.prom", folder);
}

static void close_writer(void)
{
    cr_expect_eq(um_prometheus_writer_close(writer, LONG_NS), UM_OK);
    writer = NULL;
}

static void remove_folder(void)
{
    close_writer();
    unlink(path);
    rmdir(folder);
}

TestSuite(prometheus_writer, .init = make_folder, .fini = remove_folder, .timeout = 60,
          .threads = true);

static void publish(struct um_wire_frame frame)
{
    struct um_feed_output output = um_prometheus_writer_output(writer);
    um_feed_publish(&output, 1, &frame);
}

static void open_writer(void)
{
    struct um_wire_frame session = {.type = UM_WIRE_SESSION};
    cr_assert_eq(um_prometheus_writer_open(path, "desk", &writer), UM_OK);
    publish(session);
}

static void send_totals(uint64_t time_ns, uint64_t beats_sent)
{
    publish((struct um_wire_frame){.type = UM_WIRE_TOTALS,
                                   .as.totals = {.time_ns = time_ns, .beats_sent = beats_sent}});
}

/* Whether the file is there and says so many beats. */
static bool says(const char *beats)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    const char *at = strstr(written_read(file, NULL), "uimon_beats_sent_total{");
    cr_expect(at != NULL, "a part of the file was read");
    return at && strncmp(strchr(at, '}'), beats, strlen(beats)) == 0;
}

static void wait_until_it_says(const char *beats)
{
    while (!says(beats))
        usleep(1000);
}

/* A file that has 100 beats. */
static void write_hundred(void)
{
    open_writer();
    send_totals(1 * S, 100);
    wait_until_it_says("} 100\n");
}

Test(prometheus_writer, file_is_there_while_the_session_lasts)
{
    FILE *old = fopen(path, "wb");
    cr_assert(old && fputs("of a killed one\n", old) >= 0 && fclose(old) == 0);
    open_writer();
    cr_expect_neq(access(path, F_OK), 0, "claims of before are still there");
    send_totals(1 * S, 100);
    wait_until_it_says("} 100\n");
    close_writer();
    cr_expect_neq(access(path, F_OK), 0);
    cr_expect_eq(rmdir(folder), 0, "something is left behind");
}

/* The second one changes nothing, also not the file of the first. */
Test(prometheus_writer, file_is_written_by_one_at_a_time)
{
    struct um_prometheus_writer *second = NULL;
    write_hundred();
    cr_expect_eq(um_prometheus_writer_open(path, "desk", &second), UM_ERR_BUSY);
    cr_expect(says("} 100\n"));
    close_writer();
    cr_assert_eq(um_prometheus_writer_open(path, "desk", &second), UM_OK);
    cr_expect_eq(um_prometheus_writer_close(second, LONG_NS), UM_OK);
    cr_expect_eq(rmdir(folder), 0, "something is left behind");
}

static void write_lock(char lock[80], const char *text)
{
    snprintf(lock, 80, "%s.lock", path);
    FILE *file = fopen(lock, "wb");
    cr_assert(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

Test(prometheus_writer, lock_of_a_killed_one_is_in_nobodys_way)
{
    char lock[80];
    write_lock(lock, "");
    open_writer();
    close_writer();
    cr_expect_eq(rmdir(folder), 0, "something is left behind");
}

Test(prometheus_writer, lock_that_is_another_programs_is_left_alone)
{
    char lock[80];
    write_lock(lock, "mine");
    cr_expect_eq(um_prometheus_writer_open(path, "desk", &writer), UM_ERR_EXISTS);
    cr_expect_eq(access(lock, F_OK), 0);
    unlink(lock);
}

static bool has(const char *what)
{
    FILE *file = fopen(path, "rb");
    cr_assert(file != NULL);
    return strstr(written_read(file, NULL), what) != NULL;
}

/* Each type of frame of which the file tells something gets to it. */
Test(prometheus_writer, file_has_all_that_is_measured)
{
    open_writer();
    publish((struct um_wire_frame){.type = UM_WIRE_BEAT, .as.beat.latency_ns = 1000});
    publish((struct um_wire_frame){.type = UM_WIRE_STATUS,
                                   .as.status = {.time_ns = S, .state = UM_STATE_RESPONSIVE}});
    publish((struct um_wire_frame){.type = UM_WIRE_INTERACTION,
                                   .as.interaction = {.arrival_ns = 1, .handled_ns = 2}});
    publish((struct um_wire_frame){.type = UM_WIRE_POOL, .as.pool.delay_ns = 1000});
    publish((struct um_wire_frame){.type = UM_WIRE_ACTIVITY, .flags = UM_WIRE_ACTIVITY_PAINTS});
    send_totals(1 * S, 100);
    wait_until_it_says("} 100\n");
    cr_expect(has("\nuimon_input_latency_seconds_count{") && has("\nuimon_ui_thread_lag_seconds{"));
    cr_expect(has("\nuimon_typing_handled_seconds_count{"));
    cr_expect(has("\nuimon_threadpool_queue_delay_seconds_count{"));
    cr_expect(has("\nuimon_frames_painted_total{") && has("\nuimon_messages_retrieved_total{"));
}

Test(prometheus_writer, file_is_written_anew_after_five_seconds)
{
    write_hundred();
    send_totals(6 * S, 600);
    wait_until_it_says("} 600\n");
}

Test(prometheus_writer, file_is_written_anew_at_once_after_a_freeze)
{
    write_hundred();
    publish((struct um_wire_frame){.type = UM_WIRE_EPISODE,
                                   .flags = UM_WIRE_EPISODE_BEGIN,
                                   .as.episode.state = UM_STATE_FROZEN});
    send_totals(2 * S, 200);
    wait_until_it_says("} 200\n");
}

/* A folder of the name that is written first keeps it from being written. */
Test(prometheus_writer, file_that_cannot_be_written_is_told_and_no_old_one_stays)
{
    char fresh[80];
    snprintf(fresh, sizeof fresh, "%s%s", path, UM_FILE_DRAFT_SUFFIX);
    write_hundred();
    /* Not empty, because an empty one would be removed. */
    char inside[96];
    snprintf(inside, sizeof inside, "%s/inside", fresh);
    cr_assert(mkdir(fresh, 0700) == 0 && mkdir(inside, 0700) == 0);
    for (uint64_t i = 1; i <= 3; i++) {
        cr_expect_eq(um_prometheus_writer_status(writer), UM_OK);
        send_totals((1 + 5 * i) * S, 100 + i);
    }
    while (um_prometheus_writer_status(writer) == UM_OK || access(path, F_OK) == 0)
        usleep(1000);
    cr_assert(rmdir(inside) == 0 && rmdir(fresh) == 0);
    send_totals(30 * S, 3000);
    wait_until_it_says("} 3000\n");
    while (um_prometheus_writer_status(writer) != UM_OK) /* soon after the file is there */
        usleep(1000);
}
