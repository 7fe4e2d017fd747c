/* The CSV's thread and queue; what a row looks like is tested in test_csv.c. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "base/plain/clock.h"
#include "monitor/feed/frame_queue.h"
#include "monitor/writers/csv_writer.h"
#include "tests/written.h"

TestSuite(csv_writer, .threads = true);

#define LONG_NS (60 * UM_CLOCK_NS_PER_S)
#define SHORT_NS (50 * UM_CLOCK_NS_PER_MS)
#define TOO_MANY (UM_FRAME_QUEUE_BYTES / 16)

static struct um_csv_writer *writer;

/* Writes to what is open already. */
static enum um_status open_onto(int file)
{
    static char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    return um_csv_writer_open(path, false, &writer);
}

static void publish(const struct um_wire_frame *frame)
{
    struct um_feed_output output = um_csv_writer_output(writer);
    um_feed_publish(&output, 1, frame);
}

static uint64_t count_lost(void)
{
    struct um_feed_output output = um_csv_writer_output(writer);
    return output.lost(output.context);
}

static void session(void)
{
    struct um_wire_frame frame = {.type = UM_WIRE_SESSION};
    frame.as.session.pid = 42;
    strcpy(frame.as.session.name, "ide.exe");
    publish(&frame);
}

static void beats(uint32_t count)
{
    struct um_wire_frame frame = {.type = UM_WIRE_BEAT};
    for (frame.as.beat.seq = 0; frame.as.beat.seq < count; frame.as.beat.seq++)
        publish(&frame);
}

/* How many rows there are; their sequence numbers must rise, with gaps where frames were
 * dropped. */
static uint32_t count_rows(FILE *file)
{
    const char *columns = ",ide.exe,42,beat,0.000000,0.000,";
    char line[256];
    uint32_t count = 0;
    unsigned long last = 0;
    rewind(file);
    cr_assert(fgets(line, sizeof line, file) && strncmp(line, "Uimon,", 6) == 0);
    while (fgets(line, sizeof line, file)) {
        const char *at = strstr(line, columns);
        cr_assert(at != NULL, "%s", line);
        unsigned long sequence = strtoul(at + strlen(columns), NULL, 10);
        cr_assert(count == 0 ? sequence == 0 : sequence > last, "%lu after %lu", sequence, last);
        last = sequence;
        count++;
    }
    return count;
}

Test(csv_writer, rows_are_those_of_the_frames_in_their_order)
{
    FILE *file = tmpfile();
    cr_assert_eq(open_onto(fileno(file)), UM_OK);
    session();
    beats(5000); /* more than one chunk */
    cr_expect_eq(um_csv_writer_close(writer, LONG_NS), UM_OK);
    cr_expect_eq(count_rows(file), 5000);
    fclose(file);
}

Test(csv_writer, stream_that_nobody_reads_does_not_block)
{
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    signal(SIGPIPE, SIG_IGN);
    cr_assert_eq(open_onto(ends[1]), UM_OK);
    close(ends[1]);
    session();
    beats(TOO_MANY);
    cr_expect_gt(count_lost(), 0);
    cr_expect_lt(count_lost(), TOO_MANY / 2, "most of them have room");
    cr_expect_eq(um_csv_writer_close(writer, SHORT_NS), UM_ERR_TIMEOUT);
    close(ends[0]); /* the thread's write fails */
    cr_expect_eq(um_csv_writer_close(writer, LONG_NS), UM_ERR_IO);
}

Test(csv_writer, full_queue_drops_the_newest_and_counts_them)
{
    int ends[2];
    char chunk[65536];
    ssize_t got;

    cr_assert_eq(pipe(ends), 0);
    FILE *copy = tmpfile();
    cr_assert_eq(open_onto(ends[1]), UM_OK);
    close(ends[1]);
    session();
    beats(TOO_MANY);
    uint64_t lost = count_lost();
    cr_assert_eq(um_csv_writer_close(writer, SHORT_NS), UM_ERR_TIMEOUT);
    uint64_t rows = 0;
    while (rows < 1 + TOO_MANY - lost && (got = read(ends[0], chunk, sizeof chunk)) > 0) {
        for (ssize_t i = 0; i < got; i++)
            rows += chunk[i] == '\n';
        fwrite(chunk, 1, (size_t)got, copy);
    }
    cr_expect_eq(um_csv_writer_close(writer, LONG_NS), UM_OK);
    cr_expect_eq(count_rows(copy), TOO_MANY - lost);
    fclose(copy);
    close(ends[0]);
}

static void expect_text(const char *path, const char *start)
{
    char line[256] = "";
    FILE *file = fopen(path, "r");
    cr_assert(file != NULL);
    cr_expect(fgets(line, sizeof line, file) && strncmp(line, start, strlen(start)) == 0, "%s",
              line);
    fclose(file);
}

Test(csv_writer, late_file_is_kept_until_the_session_begins)
{
    char path[] = "/tmp/uimon-csv-XXXXXX";
    FILE *file = fdopen(mkstemp(path), "w");
    cr_assert(file && fputs("rows of yesterday\n", file) >= 0 && fclose(file) == 0);

    cr_assert_eq(um_csv_writer_open(path, false, &writer), UM_OK);
    beats(3);
    cr_expect_eq(um_csv_writer_close(writer, LONG_NS), UM_OK);
    expect_text(path, "rows of yesterday");

    cr_assert_eq(um_csv_writer_open(path, false, &writer), UM_OK);
    session();
    beats(10);
    session(); /* it comes again when it changes */
    cr_expect_eq(um_csv_writer_close(writer, LONG_NS), UM_OK);
    file = fopen(path, "r");
    cr_expect_eq(count_rows(file), 10);
    fclose(file);
    unlink(path);
}

Test(csv_writer, late_file_that_cannot_be_opened_is_told_at_the_end)
{
    char folder[] = "/tmp/uimon-csv-XXXXXX";
    char path[64];
    cr_assert(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/rows.csv", folder);
    written_put(path, "rows of yesterday\n");
    cr_assert_eq(um_csv_writer_open(path, false, &writer), UM_OK);
    cr_assert(unlink(path) == 0 && rmdir(folder) == 0);
    session();
    beats(10);
    session();
    cr_expect_eq(um_csv_writer_close(writer, LONG_NS), UM_ERR_IO);
}

Test(csv_writer, what_cannot_be_written_is_told_at_the_start)
{
    cr_expect_eq(um_csv_writer_open("/dev/full", false, &writer), UM_ERR_IO, "the header is");
    cr_expect_eq(um_csv_writer_open("/nosuch/rows.csv", false, &writer), UM_ERR_IO);
    um_csv_writer_close(NULL, 0);
}
