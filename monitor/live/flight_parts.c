#include "monitor/live/flight_parts.h"

#include <stdio.h>
#include <stdlib.h>

#include "ipc/clock.h"
#include "ipc/names.h"
#include "monitor/base/output.h"
#include "monitor/feed/bundle.h"
#include "monitor/target/part.h"
#include "monitor/target/standing.h"

/* While a minidump is written without a snapshot, the whole program stands: for so long at most. */
#define STANDS_MOST_NS (5 * UM_CLOCK_NS_PER_S)
#define ARGUMENTS 10 /* with the NULL behind them */

/* A program that works on a part. */
struct job {
    struct um_target_process *process;
    uint64_t started_ns;
    uint32_t dumped_pid;          /* of the program, if this makes a minidump of it */
    struct um_standing *standing; /* the program's threads, if it stops them; else NULL */
    char folder[UM_PLATFORM_PATH_BYTES];
    char program[UM_PLATFORM_PATH_BYTES];
    char recording[UM_PLATFORM_PATH_BYTES];
    char file[UM_PLATFORM_PATH_BYTES]; /* that it makes */
    char pid[16];
    char *argv[ARGUMENTS];
    int argc;
};

static void add(struct job *job, const char *argument)
{
    job->argv[job->argc++] = (char *)(uintptr_t)argument;
}

/* The path of a file in the folder, as a word of a command line that is no option. */
static enum um_status path_of(const char *folder, const char *file, char *path, size_t cap_bytes)
{
    char beside[UM_PLATFORM_PATH_BYTES];
    enum um_status status = um_bundle_path(folder, file, path, cap_bytes);
    if (status != UM_OK || path[0] != '-')
        return status;
    status = um_bundle_path(".", path, beside, sizeof beside);
    if (status == UM_OK)
        um_wire_set_text(path, cap_bytes, beside);
    return status;
}

/* uimon report --config= --quiet --html PAGE [--mine MODULES] RECORDING */
static enum um_status prepare_page(struct job *job, const struct um_options *options,
                                   const char *folder)
{
    enum um_status status = um_platform_beside("uimon.exe", job->program, sizeof job->program);
    if (status == UM_OK)
        status = path_of(folder, UM_BUNDLE_RECORDING, job->recording, sizeof job->recording);
    if (status == UM_OK)
        status = path_of(folder, UM_BUNDLE_PAGE, job->file, sizeof job->file);
    add(job, job->program);
    add(job, "report");
    add(job, "--config=");
    add(job, "--quiet");
    add(job, "--html");
    add(job, job->file);
    if (options->mine) {
        add(job, "--mine");
        add(job, options->mine);
    }
    add(job, job->recording);
    return status;
}

/* uimon-names UM_NAMES_DUMP PID FILE */
static enum um_status prepare_minidump(struct job *job, const char *folder, uint32_t pid)
{
    enum um_status status =
        um_platform_beside("uimon-names.exe", job->program, sizeof job->program);
    if (status == UM_OK)
        status = um_bundle_path(folder, UM_BUNDLE_MINIDUMP, job->file, sizeof job->file);
    job->dumped_pid = pid;
    snprintf(job->pid, sizeof job->pid, "%lu", (unsigned long)pid);
    add(job, job->program);
    add(job, UM_NAMES_DUMP);
    add(job, job->pid);
    add(job, job->file);
    return status;
}

/* The program goes by the folder's path, and may still work when this one has ended: so it holds
 * the folder itself. */
static void hold_for(const struct job *job)
{
    struct um_platform_held *held;
    if (um_platform_hold_folder(job->folder, &held) != UM_OK)
        return; /* the flight recorder holds it for as long as it waits */
    (void)um_platform_hand_on(held, um_target_pid(job->process));
    um_platform_let_go(held);
}

static enum um_status run(struct job *job)
{
    job->started_ns = um_clock_now_ns();
    enum um_status status =
        um_part_start_aside(job->argv, job->argc, job->dumped_pid != 0, &job->process);
    if (status == UM_OK)
        hold_for(job);
    return status;
}

/* There is no snapshot, so the minidump is made with the program stopped. What stands later and did
 * not before is then its writer's doing. Without memory nobody looks after the threads, and it is
 * not made. */
static enum um_status run_stopping(struct job *job)
{
    struct um_standing_source source;
    um_target_close(job->process);
    job->process = NULL;
    enum um_status status = um_standing_system(job->dumped_pid, &source);
    if (status == UM_OK)
        status = um_standing_open(&source, &job->standing);
    if (status != UM_OK)
        return status;
    job->argv[1] = (char *)(uintptr_t)UM_NAMES_DUMP_STOPPED;
    return run(job);
}

static enum um_status start(void *context, enum um_flight_part part, const char *folder,
                            uint32_t pid, void **job_out)
{
    const struct um_options *options = context;
    struct job *job = calloc(1, sizeof *job);

    if (!job)
        return UM_ERR_MEMORY;
    enum um_status status = part == UM_FLIGHT_PAGE ? prepare_page(job, options, folder)
                                                   : prepare_minidump(job, folder, pid);
    um_wire_set_text(job->folder, sizeof job->folder, folder);
    if (status == UM_OK)
        status = run(job);
    if (status != UM_OK) {
        free(job);
        return status;
    }
    *job_out = job;
    return UM_OK;
}

/* Ends the program, and lets those go on that it had stopped, if there are any. Whether there
 * were. */
static bool end_if_they_stand(struct job *job)
{
    if (!job->standing || !um_standing_any(job->standing))
        return false;
    if (job->process)
        um_target_kill(job->process);
    um_standing_resume(job->standing);
    return true;
}

static enum um_status poll(void *context, void *job)
{
    struct job *asked = job;
    uint32_t code = 0;
    (void)context;
    enum um_status status = um_target_exit_code(asked->process, &code);
    if (status == UM_OK && code == UM_NAMES_NO_SNAPSHOT && asked->dumped_pid && !asked->standing) {
        status = run_stopping(asked);
        return status == UM_OK ? UM_ERR_BUSY : status;
    }
    if (status == UM_ERR_BUSY && um_clock_now_ns() - asked->started_ns >= STANDS_MOST_NS &&
        end_if_they_stand(asked))
        return UM_ERR_TIMEOUT;
    if (status != UM_OK)
        return status;
    if (asked->standing)
        um_standing_resume(asked->standing); /* it may have been ended in the midst */
    /* A recording that ends before its time makes a page and an exit code that says so. */
    return um_output_has_content(asked->file) ? UM_OK : UM_ERR_IO;
}

static bool leave(void *context, void *job)
{
    (void)context;
    return !end_if_they_stand(job);
}

static void release(void *context, void *job)
{
    struct job *done = job;
    (void)context;
    um_target_close(done->process);
    um_standing_close(done->standing);
    free(done);
}

struct um_flight_helper um_flight_parts(const struct um_options *options)
{
    return (struct um_flight_helper){(void *)(uintptr_t)options, start, poll, leave, release};
}
