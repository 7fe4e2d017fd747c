/* The flight recorder: when it saves what, and what it does when it cannot. */
#include <dirent.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "base/line_queue.h"
#include "monitor/writers/bundle.h"
#include "monitor/writers/flight.h"
#include "monitor/recorded/recorded.h"
#include "tests/unit/writers/flown.h"
#include "tests/written.h"
#include "tests/unit/wait_until.h"

#define S UM_CLOCK_NS_PER_S
#define LONG_NS (60 * UM_CLOCK_NS_PER_S)
#define LIMIT_FILE_BYTES 4000

static char dir[] = "/tmp/uimon-flight-XXXXXX";
static char dumps[64];
static char error[512];
static char name[256]; /* of the folder that was counted last */
static struct um_flight *flight;
static struct um_feed_output output;
static struct flown flown;
static struct um_recording *recording;
static struct um_recorded recorded;

static void make_dir(void)
{
    cr_assert(mkdtemp(dir) != NULL);
    snprintf(dumps, sizeof dumps, "%s/dumps", dir);
}

static void remove_dir(void)
{
    char command[128];
    um_flight_close(flight);
    um_recorded_deinit(&recorded);
    um_recording_close(recording);
    snprintf(command, sizeof command, "rm -rf %s", dir);
    cr_assert_eq(system(command), 0);
}

TestSuite(flight, .init = make_dir, .fini = remove_dir, .threads = true);

static void put(const struct um_wire_frame *frame)
{
    um_feed_publish(&output, 1, frame);
}

/* Programs that make parts, as if: of each part how often one was started, and what it does. */
static _Atomic unsigned started[UM_FLIGHT_PARTS];
static _Atomic int results[UM_FLIGHT_PARTS];
static _Atomic uint32_t started_pid;
static char started_in[UM_PLATFORM_PATH_BYTES];

static enum um_status start_part(void *context, enum um_flight_part part, const char *folder,
                                 uint32_t pid, void **job)
{
    cr_assert_eq(context, &flown);
    snprintf(started_in, sizeof started_in, "%s", folder);
    atomic_store(&started_pid, pid);
    atomic_fetch_add(&started[part], 1);
    *job = &started[part];
    return UM_OK;
}

static void set_results(enum um_status status)
{
    for (size_t i = 0; i < UM_FLIGHT_PARTS; i++)
        atomic_store(&results[i], status);
}

static enum um_status poll_part(void *context, void *job, char *why)
{
    (void)context;
    enum um_status status =
        (enum um_status)atomic_load(&results[(_Atomic unsigned *)job - started]);
    if (status != UM_OK)
        snprintf(why, UM_FLIGHT_WHY_BYTES, "it is said why");
    return status;
}

static _Atomic unsigned told_over; /* how often */

static _Atomic uint64_t told_end_ns;

static void freeze_over(void *context, void *job, uint64_t end_ns)
{
    (void)context;
    atomic_store(&told_end_ns, end_ns);
    cr_expect_eq(job, &started[UM_FLIGHT_MINIDUMP]);
    atomic_fetch_add(&told_over, 1);
}

static _Atomic bool goes_on = true;

static bool leave_part(void *context, void *job)
{
    (void)context, (void)job;
    return atomic_load(&goes_on);
}

static void release_part(void *context, void *job)
{
    (void)context, (void)job;
}

static struct um_flight_config config_of(uint32_t keep_s, uint32_t most)
{
    return (struct um_flight_config){
        .dir = dumps,
        .keep_s = keep_s,
        .over_ms = 500,
        .most = most,
        .header = {.version = "0.1.0"},
        .helper = {&flown, start_part, poll_part, freeze_over, leave_part, release_part}};
}

/* How often this process has the folder of the last part open. */
static size_t count_held(void)
{
    char link[64], to[UM_PLATFORM_PATH_BYTES];
    size_t count = 0;
    for (int i = 0; i < 256; i++) {
        snprintf(link, sizeof link, "/proc/self/fd/%d", i);
        ssize_t len = readlink(link, to, sizeof to - 1);
        if (len > 0) {
            to[len] = '\0';
            count += strcmp(to, started_in) == 0;
        }
    }
    return count;
}

static void open_with(const struct um_flight_config *config)
{
    cr_assert_eq(um_flight_open(config, &flight, error, sizeof error), UM_OK, "%s", error);
    output = um_flight_output(flight);
    flown_begin(&flown, put);
}

static void open_flight(uint32_t keep_s, uint32_t most)
{
    struct um_flight_config config = config_of(keep_s, most);
    open_with(&config);
}

/* The folders that there are, and the name of the last one. */
static size_t count_bundles(void)
{
    DIR *list = opendir(dumps);
    struct dirent *entry;
    size_t count = 0;
    cr_assert(list != NULL);
    while ((entry = readdir(list)))
        if (entry->d_name[0] != '.') {
            count++;
            snprintf(name, sizeof name, "%s", entry->d_name);
        }
    closedir(list);
    return count;
}

/* The path of a file in the only bundle. */
static void path_of(const char *file, char *path, size_t cap)
{
    cr_assert_eq(count_bundles(), 1);
    snprintf(path, cap, "%s/%s/%s", dumps, name, file);
}

/* Waits for a line that has this text. */
static void await_line(const char *text)
{
    char line[UM_LINE_QUEUE_BYTES] = "";
    WAIT_UNTIL(um_flight_next_line(flight, line, sizeof line) && strstr(line, text),
               "'%s' is not said", text);
}

static void finish(void)
{
    cr_assert_eq(um_flight_finish(flight, LONG_NS), UM_OK);
}

/* Reads the recording of the only bundle, as it is now. */
static enum um_status read_recording(void)
{
    char path[512];
    um_recorded_deinit(&recorded);
    um_recording_close(recording);
    recording = NULL;
    path_of(UM_BUNDLE_RECORDING, path, sizeof path);
    enum um_status status = um_recording_open(path, &recording, error, sizeof error);
    return status == UM_OK ? um_recorded_read(recording, &recorded) : status;
}

static void freeze_for(uint64_t ms)
{
    flown_freeze(&flown);
    flown_for(&flown, ms - 100);
}

/* Two seconds, and then 700 ms of a freeze. */
static void fly_into_a_freeze(void)
{
    open_flight(5, 10);
    flown_for(&flown, 2000);
    freeze_for(700);
}

Test(flight, nothing_is_written_for_freezes_that_are_shorter)
{
    open_flight(5, 10);
    flown_for(&flown, 3000);
    for (int i = 0; i < 5; i++) {
        freeze_for(400);
        flown_thaw(&flown);
        flown_for(&flown, 1000);
    }
    finish();
    cr_expect_eq(count_bundles(), 0, "%s", name);
    cr_expect_eq(um_flight_count(flight), 0);
    cr_expect_eq(atomic_load(&started[UM_FLIGHT_PAGE]), 0);
}

/* Nothing comes after the freeze's 700th ms, as if the program were killed then and uimon with it:
 * what is there by then can be read. */
Test(flight, bundle_is_there_while_the_freeze_lasts)
{
    char path[512];
    struct stat there;
    open_flight(5, 10);
    flown_for(&flown, 20000);
    freeze_for(600);
    flown_messages(&flown, 3);
    flown_for(&flown, 100);
    await_line("it is being saved in");
    WAIT_UNTIL(read_recording() == UM_OK && um_profile_samples(recorded.profile)->count >= 6,
               "it does not come");
    cr_expect_eq(recorded.status, UM_ERR_CLOSED, "it goes on");
    cr_expect_eq(recorded.session.start_ns, FLOWN_START_NS + 15 * S);
    cr_assert_eq(recorded.episode_count, 1);
    cr_expect(recorded.episodes[0].open);
    cr_expect_eq(recorded.episodes[0].start_ns, FLOWN_START_NS + 20 * S);
    cr_expect_geq(recorded.summary.freezes->total_ns, 500 * FLOWN_MS);
    cr_expect_eq(atomic_load(&started[UM_FLIGHT_PAGE]), 0, "not in the freeze");
    path_of("", path, sizeof path);
    cr_assert_eq(stat(path, &there), 0);
    cr_expect_eq(there.st_mode & (S_IRWXG | S_IRWXO), 0, "nobody else may look");
    cr_expect(stat(dumps, &there) == 0 && (there.st_mode & (S_IRWXG | S_IRWXO)) == 0);
    path_of(UM_BUNDLE_MESSAGES, path, sizeof path);
    const char *text = written_file(path, NULL);
    cr_expect(strstr(text, "      -2.000       0.500  WM_TIMER"), "%s", text);
    cr_expect(strstr(text, "       0.000     600.000  WM_LBUTTONUP"), "%s", text);
    cr_expect(strstr(text, "Button 0x20042, and lasts\n"), "%s", text);
    finish();
}

Test(flight, bundle_goes_on_to_the_end_of_the_freeze_and_to_its_stack)
{
    open_flight(5, 10);
    flown_for(&flown, 8000);
    freeze_for(1500);
    flown_messages(&flown, 3);
    flown_thaw(&flown);
    flown_for(&flown, 1500);
    flown_stack(&flown);
    flown_for(&flown, 1000);
    await_line("saved: /tmp/uimon-flight-");
    flown_for(&flown, 5000);
    cr_assert_eq(read_recording(), UM_OK);
    cr_expect(recorded.whole, "%s", recorded.problem);
    cr_assert_eq(recorded.summary.freezes->count, 1);
    cr_expect_eq(recorded.summary.freezes->total_ns, 1500 * FLOWN_MS);
    cr_expect(um_stats_stack_of(recorded.summary.stacks, 1) != NULL);
    cr_expect_eq(recorded.message_count, 3);
    cr_expect(recorded.messages[2].last && recorded.messages[2].retrieved.message == 0x202);
    cr_expect_leq(recorded.end_ns, flown.now_ns - 4 * S, "it does not go on for ever");
    cr_expect_eq(recorded.end_ns, recorded.session.start_ns + recorded.summary.totals.duration_ns);
    cr_expect_eq(atomic_load(&started[UM_FLIGHT_PAGE]), 1);
    cr_expect_eq(atomic_load(&started[UM_FLIGHT_MINIDUMP]), 0, "nobody asked");
    cr_expect_eq(atomic_load(&started_pid), 42);
    cr_assert_eq(count_bundles(), 1);
    cr_expect_str_eq(name, "20261118T110648Z-app.exe-over-500ms");
    finish();
    cr_assert_eq(um_flight_count(flight), 1);
    const struct um_flight_bundle *bundle = um_flight_bundle(flight, 0);
    cr_expect(bundle->whole && bundle->parts[UM_FLIGHT_PAGE]);
    cr_expect_str_eq(bundle->folder, started_in);
    cr_expect_eq(bundle->start_ns, FLOWN_START_NS + 8 * S);
}

/* As when the names of a stack do not come. */
Test(flight, bundle_without_a_stack_ends_some_seconds_after_the_freeze)
{
    open_flight(5, 10);
    flown_for(&flown, 8000);
    freeze_for(1500);
    flown_thaw(&flown);
    flown_for(&flown, 9000);
    await_line("saved: ");
    cr_assert(read_recording() == UM_OK && recorded.whole);
    uint64_t tail_ns = recorded.end_ns - (FLOWN_START_NS + 9500 * FLOWN_MS);
    cr_expect(tail_ns >= 4 * S && tail_ns <= 5 * S, "%llu", (unsigned long long)tail_ns);
    finish();
}

/* The target is gone: the session ends in the freeze, with TOTALS and END. */
Test(flight, end_of_the_session_ends_the_bundle)
{
    struct um_wire_frame end = {.type = UM_WIRE_END};
    open_flight(5, 10);
    flown_for(&flown, 8000);
    freeze_for(1000);
    flown_episode(&flown, UM_WIRE_EPISODE_END | UM_WIRE_EPISODE_OPEN);
    flown_totals(&flown);
    end.as.end.time_ns = flown.now_ns;
    end.as.end.reason = UM_END_TARGET_GONE;
    put(&end);
    await_line("saved: ");
    cr_assert(read_recording() == UM_OK && recorded.whole, "%s", recorded.problem);
    cr_expect_eq(recorded.end_reason, UM_END_TARGET_GONE);
    cr_expect_eq(recorded.summary.freezes->total_ns, 1000 * FLOWN_MS);
    cr_expect(recorded.summary.freezes->list[0].open);
    finish();
}

Test(flight, minidump_is_begun_while_the_freeze_lasts)
{
    struct um_flight_config config = config_of(5, 10);
    config.minidump = true;
    open_with(&config);
    flown_for(&flown, 2000);
    freeze_for(700);
    await_line("it is being saved in");
    finish();
    cr_expect_eq(atomic_load(&started[UM_FLIGHT_MINIDUMP]), 1);
    cr_expect(um_flight_bundle(flight, 0)->parts[UM_FLIGHT_MINIDUMP]);
    await_line("minidump, page)");
}

/* The line of the bundle says that it is not the freeze that the minidump shows. */
Test(flight, minidump_that_fails_in_the_freeze_is_tried_once_more_after_it)
{
    struct um_flight_config config = config_of(5, 10);
    config.minidump = true;
    atomic_store(&results[UM_FLIGHT_MINIDUMP], UM_ERR_IO);
    open_with(&config);
    flown_for(&flown, 2000);
    freeze_for(700);
    await_line(": it is said why; it is tried once more when the freeze is over");
    flown_for(&flown, 3000);
    cr_expect_eq(atomic_load(&started[UM_FLIGHT_MINIDUMP_AFTER]), 0, "the freeze still lasts");
    flown_thaw(&flown);
    WAIT_UNTIL(atomic_load(&started[UM_FLIGHT_MINIDUMP_AFTER]) > 0, "it is not tried again");
    flown_for(&flown, 6000);
    finish();
    await_line("(recording, messages, minidump of the program after the freeze, page)");
    cr_expect_eq(atomic_load(&started[UM_FLIGHT_MINIDUMP]), 1);
    cr_expect_eq(atomic_load(&started[UM_FLIGHT_MINIDUMP_AFTER]), 1);
    const struct um_flight_bundle *bundle = um_flight_bundle(flight, 0);
    cr_expect(bundle->parts[UM_FLIGHT_MINIDUMP_AFTER] && !bundle->parts[UM_FLIGHT_MINIDUMP]);
}

Test(flight, minidump_that_fails_after_the_freeze_is_tried_once_more_at_once)
{
    struct um_flight_config config = config_of(5, 10);
    config.minidump = true;
    atomic_store(&results[UM_FLIGHT_MINIDUMP], UM_ERR_BUSY);
    open_with(&config);
    flown_for(&flown, 2000);
    freeze_for(700);
    flown_thaw(&flown);
    uint64_t end_ns = flown.now_ns;
    flown_for(&flown, 6000);
    WAIT_UNTIL(atomic_load(&started[UM_FLIGHT_PAGE]) > 0, "the bundle does not end");
    cr_expect_eq(atomic_load(&told_over), 1);
    cr_expect_eq(atomic_load(&told_end_ns), end_ns);
    cr_expect_eq(atomic_load(&started[UM_FLIGHT_MINIDUMP_AFTER]), 0, "the first one still works");
    atomic_store(&results[UM_FLIGHT_MINIDUMP], UM_ERR_IO);
    finish();
    await_line(": it is said why; it is tried once more now, after the freeze");
    await_line(", minidump of the program after the freeze, page)");
    cr_expect_eq(atomic_load(&started[UM_FLIGHT_MINIDUMP_AFTER]), 1);
}

Test(flight, minidump_is_not_tried_a_third_time)
{
    struct um_flight_config config = config_of(5, 10);
    config.minidump = true;
    set_results(UM_ERR_IO);
    open_with(&config);
    flown_for(&flown, 2000);
    freeze_for(700);
    flown_thaw(&flown);
    await_line("minidump.dmp was not made in ");
    await_line("minidump-after.dmp was not made in ");
    flown_for(&flown, 9000);
    finish();
    await_line("(recording, messages)");
    cr_expect_eq(atomic_load(&started[UM_FLIGHT_MINIDUMP]), 1);
    cr_expect_eq(atomic_load(&started[UM_FLIGHT_MINIDUMP_AFTER]), 1);
}

/* The target is gone, or uimon ends: nobody sees the freeze's end. */
Test(flight, minidump_is_not_tried_again_where_the_session_ends_in_the_freeze)
{
    struct um_wire_frame end = {.type = UM_WIRE_END};
    struct um_flight_config config = config_of(5, 10);
    config.minidump = true;
    atomic_store(&results[UM_FLIGHT_MINIDUMP], UM_ERR_IO);
    open_with(&config);
    flown_for(&flown, 2000);
    freeze_for(700);
    await_line("it is tried once more when the freeze is over");
    flown_episode(&flown, UM_WIRE_EPISODE_END | UM_WIRE_EPISODE_OPEN);
    end.as.end.time_ns = flown.now_ns;
    put(&end);
    finish();
    await_line("(recording, messages, page)");
    cr_expect_eq(atomic_load(&told_over), 0);
    cr_expect_eq(atomic_load(&started[UM_FLIGHT_MINIDUMP_AFTER]), 0);
}

/* Then nobody will see it. */
Test(flight, nothing_is_promised_once_the_session_has_ended_in_the_freeze)
{
    struct um_wire_frame end = {.type = UM_WIRE_END};
    struct um_flight_config config = config_of(5, 10);
    char line[UM_LINE_QUEUE_BYTES] = "";
    config.minidump = true;
    atomic_store(&results[UM_FLIGHT_MINIDUMP], UM_ERR_BUSY);
    open_with(&config);
    flown_for(&flown, 2000);
    freeze_for(700);
    flown_episode(&flown, UM_WIRE_EPISODE_END | UM_WIRE_EPISODE_OPEN);
    end.as.end.time_ns = flown.now_ns;
    put(&end);
    WAIT_UNTIL(atomic_load(&started[UM_FLIGHT_PAGE]) > 0, "the bundle does not end");
    atomic_store(&results[UM_FLIGHT_MINIDUMP], UM_ERR_IO);
    finish();
    while (um_flight_next_line(flight, line, sizeof line) && !strstr(line, "was not made"))
        ;
    cr_expect(strstr(line, ": it is said why"), "%s", line);
    cr_expect(!strstr(line, "once more"), "%s", line);
}

/* They are told where it is, and another folder could take its place. */
Test(flight, folder_is_held_until_its_parts_are_done, .timeout = 60)
{
    struct um_flight_config config = config_of(5, 10);
    config.minidump = true;
    set_results(UM_ERR_BUSY);
    open_with(&config);
    flown_for(&flown, 2000);
    freeze_for(700);
    WAIT_UNTIL(atomic_load(&started[UM_FLIGHT_MINIDUMP]) > 0, "it does not start");
    cr_expect_eq(count_held(), 1);
    flown_thaw(&flown);
    flown_for(&flown, 6000);
    WAIT_UNTIL(atomic_load(&started[UM_FLIGHT_PAGE]) > 0, "it does not start");
    cr_expect_eq(count_held(), 1, "one of them still works");
    set_results(UM_OK);
    finish();
    cr_expect_eq(count_held(), 0);
}

Test(flight, part_that_fails_is_told)
{
    set_results(UM_ERR_IO);
    fly_into_a_freeze();
    finish();
    await_line("it is said why");
    await_line("(recording, messages)");
    cr_expect(!um_flight_bundle(flight, 0)->parts[UM_FLIGHT_PAGE]);
}

Test(flight, part_that_may_not_go_on_is_told_of_at_the_end)
{
    set_results(UM_ERR_BUSY);
    atomic_store(&goes_on, false);
    fly_into_a_freeze();
    finish();
    await_line("page.html was not made in time in ");
}

Test(flight, each_long_freeze_has_one_bundle_up_to_the_most)
{
    open_flight(5, 2);
    flown_for(&flown, 2000);
    for (int i = 0; i < 4; i++) {
        freeze_for(3000);
        flown_thaw(&flown);
        flown_for(&flown, 1000); /* the next one begins before the bundle of this has ended */
    }
    await_line("2 freezes were saved, and no more will be");
    finish();
    cr_expect_eq(count_bundles(), 2);
    cr_assert_eq(um_flight_count(flight), 2);
    cr_expect(um_flight_bundle(flight, 0)->whole && um_flight_bundle(flight, 1)->whole);
    cr_expect_eq(um_flight_bundle(flight, 1)->start_ns, FLOWN_START_NS + 6 * S);
}

Test(flight, folders_of_one_second_do_not_meet)
{
    open_flight(5, 10);
    flown_for(&flown, 3100);
    for (int i = 0; i < 2; i++) {
        flown.now_ns = FLOWN_START_NS + 4 * S + (unsigned)i * 10 * FLOWN_MS;
        freeze_for(600);
        flown_thaw(&flown);
    }
    finish();
    cr_expect_eq(count_bundles(), 2);
}

Test(flight, hostile_name_of_a_program_makes_a_harmless_folder)
{
    struct um_wire_frame session = {.type = UM_WIRE_SESSION};
    open_flight(5, 10);
    session.as.session.start_ns = FLOWN_START_NS;
    session.as.session.utc_ms = FLOWN_UTC_MS;
    strcpy(session.as.session.name, "../..\\a:b*\x1b[2J %PATH%\xe2\x80\xae.\xc3\xa4\xff.exe");
    put(&session);
    flown_for(&flown, 2000);
    freeze_for(700);
    finish();
    cr_assert_eq(count_bundles(), 1);
    cr_expect_str_eq(name, "20261118T110642Z-.._.._a_b__[2J__PATH__.\xc3\xa4_.exe-over-500ms");
}

Test(flight, folder_that_cannot_be_made_is_told_at_the_start)
{
    struct um_flight_config config = config_of(5, 10);
    config.dir = "/no/such/folder";
    cr_expect_eq(um_flight_open(&config, &flight, error, sizeof error), UM_ERR_IO);
    cr_expect(
        strstr(error, "--dump-dir /no/such/folder: nothing can be saved there; is it a folder, "),
        "%s", error);
    config.dir = "/proc"; /* where not even root makes a file */
    cr_expect_eq(um_flight_open(&config, &flight, error, sizeof error), UM_ERR_IO);
    cr_expect(strstr(error, "--dump-dir /proc"), "%s", error);
}

Test(flight, folder_that_goes_is_told_and_the_next_freeze_is_saved)
{
    open_flight(5, 10);
    flown_for(&flown, 2000);
    cr_assert_eq(rmdir(dumps), 0, "nothing is in it");
    freeze_for(700);
    await_line("a freeze is not saved, or not whole: that folder is gone");
    flown_thaw(&flown);
    cr_assert_eq(mkdir(dumps, S_IRWXU), 0);
    flown_for(&flown, 1000);
    freeze_for(700);
    await_line("it is being saved in");
    finish();
    cr_expect_eq(count_bundles(), 1);
    cr_expect_eq(um_flight_failures(flight, name), 1);
    cr_expect_str_eq(name, "that folder is gone");
}

/* As on a full disk, a write fails in the middle. */
Test(flight, write_that_fails_leaves_what_was_written_and_is_told_once)
{
    struct rlimit limit = {LIMIT_FILE_BYTES, LIMIT_FILE_BYTES};
    char line[UM_LINE_QUEUE_BYTES];
    unsigned said = 0;
    signal(SIGXFSZ, SIG_IGN);
    open_flight(5, 10);
    flown_for(&flown, 2000);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    freeze_for(700);
    flown_for(&flown, 5000);
    flown_thaw(&flown);
    flown_for(&flown, 9000);
    finish();
    while (um_flight_next_line(flight, line, sizeof line))
        said += strstr(line, "not whole: the file may not grow any further; measuring") != NULL;
    cr_expect_eq(said, 1);
    cr_assert_eq(um_flight_count(flight), 1);
    cr_expect(!um_flight_bundle(flight, 0)->whole);
    cr_expect_eq(um_flight_failures(flight, line), 1);
}
