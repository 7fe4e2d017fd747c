/* What becomes of a writer of a minidump, with a system that says what a test wants. */
#include "monitor/live/flight_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "base/plain/clock.h"
#include "base/suspended_threads.h"
#include "ipc/names.h"
#include "monitor/target/target.h"
#include "monitor/writers/bundle.h"

#define TARGET 7u

/* The system ------------------------------------------------------------------------------------*/

struct um_target_process {
    bool runs;
    uint32_t code;
};

static struct um_target_process writer;
static char mode[32]; /* the option that it was started with last */
static unsigned killed;
static bool is_stopped; /* the writer has suspended the target's threads */
static bool is_managed;

static enum um_status start_aside(char *const *argv, int argc, bool hurries,
                                  struct um_target_process **process)
{
    cr_assert_eq(argc, 4);
    cr_expect(hurries);
    snprintf(mode, sizeof mode, "%s", argv[1]);
    writer = (struct um_target_process){.runs = true};
    *process = &writer;
    return UM_OK;
}

static void close_process(struct um_target_process *process)
{
    (void)process;
}

static uint32_t pid_of(const struct um_target_process *process)
{
    (void)process;
    return (uint32_t)getpid();
}

static enum um_status exit_code(const struct um_target_process *process, uint32_t *code)
{
    *code = process->code;
    return process->runs ? UM_ERR_BUSY : UM_OK;
}

static void kill_process(struct um_target_process *process)
{
    process->runs = false;
    process->code = 1;
    killed++;
}

static bool has_module(uint32_t pid, const char *const names[])
{
    (void)names;
    cr_expect_eq(pid, TARGET);
    return is_managed;
}

static size_t list_suspended(void *context, struct um_suspended_thread *list, size_t cap)
{
    (void)context;
    if (is_stopped && cap > 0)
        list[0] = (struct um_suspended_thread){8, 1};
    return is_stopped;
}

static void resume(void *context, uint32_t tid)
{
    (void)context, (void)tid;
    is_stopped = false;
}

static void pause_for(void *context, uint32_t ms)
{
    (void)context, (void)ms;
}

static void close_source(void *context)
{
    (void)context;
}

static enum um_status suspended_threads(uint32_t pid, struct um_suspended_source *source)
{
    cr_expect_eq(pid, TARGET);
    *source = (struct um_suspended_source){NULL, list_suspended, resume, pause_for, close_source};
    return UM_OK;
}

static const struct um_target_backend backend = {.start_aside = start_aside,
                                                 .close = close_process,
                                                 .pid = pid_of,
                                                 .exit_code = exit_code,
                                                 .kill = kill_process,
                                                 .has_module = has_module,
                                                 .suspended_threads = suspended_threads};

/* The writer ------------------------------------------------------------------------------------*/

static char folder[] = "/tmp/uimon-parts-XXXXXX";
static char file[64];
static char why[UM_FLIGHT_WHY_BYTES];
static struct um_options options;
static struct um_flight_helper helper;
static void *job;

static void begin(void)
{
    um_target = &backend;
    cr_assert(mkdtemp(folder) != NULL);
    snprintf(file, sizeof file, "%s/%s", folder, UM_BUNDLE_MINIDUMP);
    helper = um_flight_parts(&options);
    cr_assert_eq(helper.start(helper.context, UM_FLIGHT_MINIDUMP, folder, TARGET, &job), UM_OK);
    cr_expect_str_eq(mode, UM_NAMES_DUMP);
}

static void end(void)
{
    if (job)
        helper.release(helper.context, job);
    remove(file);
    rmdir(folder);
}

TestSuite(flight_parts, .init = begin, .fini = end);

static void write_file(void)
{
    FILE *out = fopen(file, "w");
    cr_assert(out && fputs("MDMP", out) > 0);
    fclose(out);
}

static bool has_file(void)
{
    return access(file, F_OK) == 0;
}

static void end_with(uint32_t code)
{
    writer.runs = false;
    writer.code = code;
}

static enum um_status poll(void)
{
    return helper.poll(helper.context, job, why);
}

static void tell_over(uint64_t end_ns)
{
    helper.freeze_over(helper.context, job, end_ns);
}

/* There is no snapshot, so the writer is to stop the target. */
static void go_on_without_snapshot(void)
{
    end_with(UM_NAMES_NO_SNAPSHOT);
    cr_assert_eq(poll(), UM_ERR_BUSY);
    cr_assert_str_eq(mode, UM_NAMES_DUMP_STOPPED);
}

static void expect_late(const char *text)
{
    cr_expect_eq(killed, 1);
    cr_expect_eq(poll(), UM_ERR_CLOSED);
    cr_expect_str_eq(why, text);
    cr_expect(!has_file());
}

Test(flight_parts, snapshot_that_was_seen_in_the_freeze_is_of_it)
{
    write_file();
    cr_expect_eq(poll(), UM_ERR_BUSY);
    tell_over(um_clock_now_ns());
    cr_expect_eq(killed, 0);
    cr_expect_eq(poll(), UM_ERR_BUSY, "it may be written later");
    end_with(0);
    cr_expect_eq(poll(), UM_OK);
    cr_expect(has_file());
}

Test(flight_parts, writer_without_a_snapshot_is_ended_with_the_freeze)
{
    is_managed = true;
    cr_expect_eq(poll(), UM_ERR_BUSY);
    tell_over(um_clock_now_ns());
    expect_late("the freeze was over before it was written");
}

/* It is seen while the end of the freeze is on its way. */
Test(flight_parts, snapshot_that_was_first_seen_after_the_freeze_is_not_of_it)
{
    uint64_t end_ns = um_clock_now_ns() - 1;
    write_file();
    cr_expect_eq(poll(), UM_ERR_BUSY);
    tell_over(end_ns);
    expect_late("the freeze was over before it was written");
}

Test(flight_parts, whole_snapshot_that_nobody_saw_in_the_freeze_is_not_of_it)
{
    write_file();
    end_with(0);
    tell_over(um_clock_now_ns());
    expect_late("the freeze was over before it was written");
}

Test(flight_parts, writer_that_has_stopped_nothing_is_ended_with_the_freeze)
{
    go_on_without_snapshot();
    tell_over(um_clock_now_ns());
    expect_late("the freeze was over before it was written");
}

/* Ending it would mean that the next one stops the target once more. */
Test(flight_parts, writer_that_has_stopped_the_target_goes_on)
{
    go_on_without_snapshot();
    is_stopped = true;
    tell_over(um_clock_now_ns());
    cr_expect_eq(killed, 0);
    write_file();
    is_stopped = false;
    end_with(0);
    cr_expect_eq(poll(), UM_OK);
    cr_expect(has_file());
}

Test(flight_parts, collections_may_have_held_a_writer_up_that_was_too_slow)
{
    is_managed = true;
    go_on_without_snapshot();
    tell_over(um_clock_now_ns());
    expect_late("the freeze was over before it was written; collections of .NET's memory may have "
                "held it up");
}

Test(flight_parts, nothing_stays_of_a_writer_that_failed)
{
    is_managed = true;
    go_on_without_snapshot();
    write_file();
    end_with(9);
    cr_expect_eq(poll(), UM_ERR_IO);
    cr_expect_str_eq(why, "its writer failed (exit code 9)");
    cr_expect(!has_file());
}
