#include "monitor/live/flight_parts.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/plain/clock.h"
#include "base/plain/text.h"
#include "ipc/names.h"
#include "base/output.h"
#include "monitor/live/trace_env.h"
#include "monitor/writers/bundle.h"
#include "base/suspended_threads.h"
#include "monitor/target/target.h"

/* While a minidump is written without a snapshot, all of the target's threads are suspended, but no
 * longer than this. */
#define SUSPENDED_MOST_NS (UM_NAMES_SUSPENDED_MOST_S * UM_CLOCK_NS_PER_S)
/* A writer that reads the living program may take so long after the freeze to end. */
#define OVER_NS (500 * UM_CLOCK_NS_PER_MS)
#define ARGUMENTS 10 /* with the NULL behind them */

/* A process that writes a file of the bundle. */
struct job {
    struct um_target_process *process;
    uint64_t started_ns;
    uint64_t seen_ns;    /* when the file of a snapshot was first seen; 0: not yet */
    uint64_t over_ns;    /* when it was told that a minidump's freeze is over; 0: not yet */
    bool is_late;        /* it was ended, because it would show the program after its freeze */
    uint32_t dumped_pid; /* of the target, for a minidump; else 0 */
    struct um_suspended_threads
        *suspended; /* the target's threads, if the job stops them; else NULL */
    char folder[UM_PLATFORM_PATH_BYTES];
    char program[UM_PLATFORM_PATH_BYTES];
    char recording[UM_PLATFORM_PATH_BYTES];
    char file[UM_PLATFORM_PATH_BYTES]; /* what it writes */
    char pid[16];
    char *argv[ARGUMENTS];
    int argc;
};

static void add(struct job *job, const char *argument)
{
    job->argv[job->argc++] = (char *)(uintptr_t)argument;
}

/* The path of a file in the folder, with "./" if it would look like an option. */
static enum um_status path_of(const char *folder, const char *file, char *path, size_t cap_bytes)
{
    char beside[UM_PLATFORM_PATH_BYTES];
    enum um_status status = um_bundle_path(folder, file, path, cap_bytes);
    if (status != UM_OK || path[0] != '-')
        return status;
    status = um_bundle_path(".", path, beside, sizeof beside);
    if (status == UM_OK)
        um_text_set(path, cap_bytes, beside);
    return status;
}

/* uimon report --config= --quiet --html PAGE [--mine MODULES] RECORDING */
static enum um_status prepare_page(struct job *job, const struct um_options *options,
                                   const char *folder)
{
    enum um_status status = um_platform_program("uimon", job->program, sizeof job->program);
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
static enum um_status prepare_minidump(struct job *job, const char *folder, const char *file,
                                       uint32_t pid)
{
    enum um_status status = um_platform_program("uimon-names", job->program, sizeof job->program);
    if (status == UM_OK)
        status = um_bundle_path(folder, file, job->file, sizeof job->file);
    job->dumped_pid = pid;
    snprintf(job->pid, sizeof job->pid, "%lu", (unsigned long)pid);
    add(job, job->program);
    add(job, UM_NAMES_DUMP);
    add(job, job->pid);
    add(job, job->file);
    return status;
}

/* Gives the process a handle of the folder, so that nobody replaces the folder while it writes
 * there: it may outlive this process. */
static void hold_for(const struct job *job)
{
    struct um_platform_held *held;
    if (um_platform_hold_folder(job->folder, &held) != UM_OK)
        return; /* the flight recorder holds it for as long as it waits */
    (void)um_platform_hand_on(held, um_target->pid(job->process));
    um_platform_let_go(held);
}

static enum um_status run(struct job *job)
{
    job->started_ns = um_clock_now_ns();
    enum um_status status =
        um_target->start_aside(job->argv, job->argc, job->dumped_pid != 0, &job->process);
    if (status == UM_OK)
        hold_for(job);
    return status;
}

/* Makes the minidump with the target stopped, because there is no snapshot. Remembers first which
 * threads are suspended already, so that the others can be resumed if the writer is ended. Without
 * memory for that, no minidump is made. */
static enum um_status run_stopping(struct job *job)
{
    struct um_suspended_source source;
    um_target->close(job->process);
    job->process = NULL;
    enum um_status status = um_target->suspended_threads(job->dumped_pid, &source);
    if (status == UM_OK)
        status = um_suspended_threads_open(&source, &job->suspended);
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
    const char *file = part == UM_FLIGHT_MINIDUMP ? UM_BUNDLE_MINIDUMP : UM_BUNDLE_MINIDUMP_AFTER;
    enum um_status status = part == UM_FLIGHT_PAGE ? prepare_page(job, options, folder)
                                                   : prepare_minidump(job, folder, file, pid);
    um_text_set(job->folder, sizeof job->folder, folder);
    if (status == UM_OK)
        status = run(job);
    if (status != UM_OK) {
        free(job);
        return status;
    }
    *job_out = job;
    return UM_OK;
}

/* Ends the writer of a minidump, resumes what it has stopped, and deletes its part of the file. */
static void end_writer(struct job *job)
{
    if (job->process)
        um_target->kill(job->process);
    if (job->suspended)
        um_suspended_threads_resume(job->suspended);
    remove(job->file);
}

/* If the job has stopped threads of the target, ends it, resumes them and returns true. */
static bool end_if_suspended(struct job *job)
{
    bool any = job->suspended && um_suspended_threads_any(job->suspended);
    if (any)
        end_writer(job);
    return any;
}

/* What a minidump has come to whose program still runs. A snapshot shows the freeze whenever it is
 * written, and there is no file before there is one. A living program is read while the writer
 * works. */
static enum um_status look_at_writer(struct job *job)
{
    if (!job->suspended && !job->seen_ns && um_platform_is_regular(job->file))
        job->seen_ns = um_clock_now_ns();
    uint64_t now_ns = um_clock_now_ns();
    if (job->suspended && job->over_ns && now_ns - job->over_ns >= OVER_NS) {
        end_writer(job);
        return UM_ERR_CLOSED;
    }
    if (now_ns - job->started_ns >= SUSPENDED_MOST_NS && end_if_suspended(job))
        return UM_ERR_TIMEOUT;
    return UM_ERR_BUSY;
}

/* What a job has come to. `code` is the exit code of its program if that has ended.
 * Errors: UM_ERR_BUSY it still works; UM_ERR_TIMEOUT the target was stopped for too long;
 * UM_ERR_CLOSED the freeze was over too soon; UM_ERR_IO; those of run_stopping. */
static enum um_status look(struct job *job, uint32_t *code)
{
    if (job->is_late)
        return UM_ERR_CLOSED;
    enum um_status status = um_target->exit_code(job->process, code);
    if (status == UM_ERR_BUSY && job->dumped_pid)
        return look_at_writer(job);
    if (status != UM_OK)
        return status;
    if (*code == UM_NAMES_NO_SNAPSHOT && job->dumped_pid && !job->suspended) {
        status = job->over_ns ? UM_ERR_CLOSED : run_stopping(job);
        return status == UM_OK ? UM_ERR_BUSY : status;
    }
    if (job->suspended)
        um_suspended_threads_resume(job->suspended); /* in case it was ended before it could */
    /* The page's exit code does not matter: of a truncated recording it is not 0, and the page is
     * good. A minidump whose writer was ended may have its beginning alone. */
    bool made = um_output_has_content(job->file) && (!job->dumped_pid || *code == 0);
    return made ? UM_OK : UM_ERR_IO;
}

/* Why there is no minidump. .NET's runtime suspends the program's threads for each collection of
 * its memory. That may hold a writer up which suspends them, too, and they look suspended to
 * whoever watches over the writer. */
static void explain(const struct job *job, enum um_status status, uint32_t code, char *why)
{
    bool may_be_held = job->suspended && um_trace_env_has_runtime(job->dumped_pid);
    const char *collects = may_be_held ? "; collections of .NET's memory may have held it up" : "";
    if (status == UM_ERR_TIMEOUT)
        snprintf(why, UM_FLIGHT_WHY_BYTES,
                 "threads of the program were still suspended after %d s, so its writer was "
                 "ended%s",
                 UM_NAMES_SUSPENDED_MOST_S, collects);
    else if (status == UM_ERR_CLOSED)
        snprintf(why, UM_FLIGHT_WHY_BYTES, "the freeze was over before it was written%s", collects);
    else if (status == UM_ERR_IO && code != 0)
        snprintf(why, UM_FLIGHT_WHY_BYTES, "its writer failed (exit code %lu)",
                 (unsigned long)code);
    else
        um_text_set(why, UM_FLIGHT_WHY_BYTES, um_status_text(status));
}

static enum um_status poll(void *context, void *job, char *why)
{
    struct job *asked = job;
    uint32_t code = 0;
    (void)context;
    enum um_status status = look(job, &code);
    if (status != UM_OK && status != UM_ERR_BUSY && asked->dumped_pid) {
        remove(asked->file); /* a writer that failed may have left its beginning */
        explain(asked, status, code, why);
    } else if (status != UM_OK) {
        um_text_set(why, UM_FLIGHT_WHY_BYTES, um_status_text(status));
    }
    return status;
}

/* Whether a minidump that is not made yet will show the program after its freeze. Of a snapshot
 * that was first seen later it is not known, and of a writer that has failed it does not matter. */
static bool would_be_late(struct job *job, uint64_t end_ns)
{
    uint32_t code = 0;
    enum um_status status = um_target->exit_code(job->process, &code);
    if (job->suspended)
        return status == UM_ERR_BUSY && !um_suspended_threads_any(job->suspended);
    return (status == UM_ERR_BUSY || (status == UM_OK && code == 0)) &&
           !(job->seen_ns && job->seen_ns <= end_ns);
}

static void freeze_over(void *context, void *job, uint64_t end_ns)
{
    struct job *told = job;
    (void)context;
    told->over_ns = um_clock_now_ns();
    told->is_late = would_be_late(told, end_ns);
    if (told->is_late)
        end_writer(told);
}

static bool leave(void *context, void *job)
{
    (void)context;
    return !end_if_suspended(job);
}

static void release(void *context, void *job)
{
    struct job *done = job;
    (void)context;
    um_target->close(done->process);
    um_suspended_threads_close(done->suspended);
    free(done);
}

struct um_flight_helper um_flight_parts(const struct um_options *options)
{
    return (struct um_flight_helper){
        (void *)(uintptr_t)options, start, poll, freeze_over, leave, release};
}
