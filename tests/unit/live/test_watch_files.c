/* What becomes of the files before anything is measured; what is written later is tested with its
 * writers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "monitor/live/watch_files.h"

static char path[] = "/tmp/uimon-outputs-XXXXXX";
static struct um_watch_files files;
static char error[UM_OPTIONS_ERROR_BYTES];
static bool stuck;

static void fill_path(const char *text)
{
    FILE *file = fdopen(mkstemp(path), "w");
    cr_assert(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void remove_path(void)
{
    unlink(path);
}

TestSuite(watch_files, .fini = remove_path, .threads = true);

static enum um_status open_csv(const char *csv)
{
    static struct um_options options;
    options.csv = csv;
    return um_watch_files_open(&options, &files, error, sizeof error);
}

static bool file_begins(const char *text)
{
    char line[256] = "";
    FILE *file = fopen(path, "r");
    cr_assert(file != NULL);
    bool begins = fgets(line, sizeof line, file) && strncmp(line, text, strlen(text)) == 0;
    fclose(file);
    return begins;
}

Test(watch_files, csv_of_before_is_kept_until_the_session_begins)
{
    struct um_wire_frame session = {.type = UM_WIRE_SESSION};
    struct um_feed_output list[UM_FEED_OUTPUT_MAX];

    fill_path("rows of yesterday\n");
    cr_assert_eq(open_csv(path), UM_OK);
    cr_expect(um_watch_files_close(&files, &stuck) && !stuck);
    cr_expect(file_begins("rows of yesterday"));

    cr_assert_eq(open_csv(path), UM_OK);
    cr_assert_eq(um_watch_files_outputs(&files, list), 1);
    um_feed_publish(list, 1, &session);
    cr_expect(um_watch_files_close(&files, &stuck) && !stuck);
    cr_expect(file_begins("Uimon,"));
}

Test(watch_files, csv_with_nothing_in_it_gets_its_header_at_once)
{
    fill_path("");
    cr_assert_eq(open_csv(path), UM_OK);
    cr_expect(file_begins("Uimon,"));
    cr_expect(um_watch_files_close(&files, &stuck) && !stuck);
}

Test(watch_files, csv_that_cannot_be_written_is_told_before_measuring)
{
    cr_expect(open_csv("/nosuch/rows.csv") == UM_ERR_IO && strstr(error, "--csv"), "%s", error);
    um_watch_files_close(&files, &stuck);
    cr_expect(open_csv("/dev/full") == UM_ERR_IO && strstr(error, "is the disk full?"), "%s",
              error);
    um_watch_files_close(&files, &stuck);
}

/* What the flight recorder was asked to save and could not is a failure, also with --quiet. */
Test(watch_files, freeze_that_is_not_saved_is_a_failure)
{
    char folder[] = "/tmp/uimon-outputs-XXXXXX", dump_dir[64];
    struct um_feed_output list[UM_FEED_OUTPUT_MAX];
    static struct um_options options;
    struct um_wire_frame frame = {.type = UM_WIRE_SESSION, .as.session = {.start_ns = 1}};

    cr_assert(mkdtemp(folder) != NULL);
    snprintf(dump_dir, sizeof dump_dir, "%s/dumps", folder);
    options = (struct um_options){.dump_dir = dump_dir, .keep_s = 1};
    cr_assert(um_watch_files_open(&options, &files, error, sizeof error) == UM_OK, "%s", error);
    cr_assert(um_watch_files_outputs(&files, list) == 1);
    cr_assert(rmdir(dump_dir) == 0);
    um_feed_publish(list, 1, &frame);
    frame = (struct um_wire_frame){.type = UM_WIRE_EPISODE, .flags = UM_WIRE_EPISODE_BEGIN};
    frame.as.episode = (struct um_wire_episode){.id = 1, .start_ns = 5, .state = UM_STATE_FROZEN};
    um_feed_publish(list, 1, &frame);
    frame = (struct um_wire_frame){.type = UM_WIRE_STATUS};
    frame.as.status = (struct um_wire_status){.time_ns = 2000000000, .state = UM_STATE_FROZEN};
    um_feed_publish(list, 1, &frame);
    cr_expect(!um_watch_files_close(&files, &stuck) && !stuck);
    cr_expect_eq(rmdir(folder), 0);
}

/* As many as a session has room for, beside the hub. */
Test(watch_files, every_output_is_listed_at_once)
{
    char folder[] = "/tmp/uimon-outputs-XXXXXX", csv[64], record[64], prometheus[64];
    struct um_feed_output list[UM_FEED_OUTPUT_MAX];
    char dump_dir[64];
    static struct um_options options;

    cr_assert(mkdtemp(folder) != NULL);
    snprintf(csv, sizeof csv, "%s/a.csv", folder);
    snprintf(record, sizeof record, "%s/a.uirec", folder);
    snprintf(prometheus, sizeof prometheus, "%s/a.prom", folder);
    options.csv = csv;
    options.record = record;
    options.prometheus = prometheus;
    snprintf(dump_dir, sizeof dump_dir, "%s/dumps", folder);
    options.dump_dir = dump_dir;
    options.keep_s = 1;
    cr_assert(um_watch_files_open(&options, &files, error, sizeof error) == UM_OK, "%s", error);
    cr_expect(um_watch_files_outputs(&files, list) == UM_FEED_OUTPUT_MAX - 1);
    cr_expect(um_watch_files_close(&files, &stuck) && !stuck);
    unlink(csv);
    cr_expect_eq(rmdir(dump_dir), 0, "made, and nothing is in it");
    cr_expect_eq(rmdir(folder), 0, "something else is left behind");
}
