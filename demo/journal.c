#include "demo/journal.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/plain/clock.h"
#include "base/thread.h"
#include "demo/journal_system.h"

#define TICK_NS UM_DEMO_LOG_TICK_NS
#define GAP_LINE_NS UM_CLOCK_NS_PER_S
#define MAX_LINES 1024

struct um_demo_journal {
    intptr_t file;
    atomic_int stopped;
    struct um_thread watcher;
    uint64_t stall_ns;
    uint64_t gap_ns; /* the watcher's, until it has ended */
    uint64_t gap_at_ns;
    struct um_thread_mutex lock; /* of the lines; held only while one is copied */
    struct um_demo_log_event lines[MAX_LINES];
    size_t first_line;
    size_t line_count;
};

static bool keep_line(struct um_demo_journal *journal, const struct um_demo_log_event *event)
{
    um_thread_lock(&journal->lock);
    bool kept = journal->line_count < MAX_LINES;
    if (kept)
        journal->lines[(journal->first_line + journal->line_count++) % MAX_LINES] = *event;
    um_thread_unlock(&journal->lock);
    return kept;
}

static bool take_line(struct um_demo_journal *journal, struct um_demo_log_event *event)
{
    um_thread_lock(&journal->lock);
    bool found = journal->line_count > 0;
    if (found) {
        *event = journal->lines[journal->first_line];
        journal->first_line = (journal->first_line + 1) % MAX_LINES;
        journal->line_count--;
    }
    um_thread_unlock(&journal->lock);
    return found;
}

void um_demo_journal_write(struct um_demo_journal *journal, const struct um_demo_log_event *event)
{
    while (journal && !keep_line(journal, event))
        um_clock_sleep_ns(TICK_NS);
}

void um_demo_journal_away(struct um_demo_journal *journal, uint32_t tid)
{
    um_demo_journal_write(journal, &(struct um_demo_log_event){.kind = UM_DEMO_LOG_AWAY,
                                                               .begin_ns = um_clock_now_ns(),
                                                               .tid = tid});
}

static void write_lines(struct um_demo_journal *journal)
{
    struct um_demo_log_event event;
    char line[UM_DEMO_LOG_MAX_BYTES];
    size_t len;
    while (take_line(journal, &event))
        if (um_demo_log_format(&event, line, sizeof line, &len) == UM_OK)
            um_demo_journal_system_write(journal->file, line, len);
}

static void write_gap(struct um_demo_journal *journal)
{
    um_demo_journal_write(journal, &(struct um_demo_log_event){.kind = UM_DEMO_LOG_GAP,
                                                               .length_ns = journal->gap_ns,
                                                               .begin_ns = journal->gap_at_ns});
}

/* One tick of the watcher took from `before_ns` to `now_ns`. What exceeds TICK_NS is a delay that
 * the machine has caused. */
static void judge_tick(struct um_demo_journal *journal, uint64_t before_ns, uint64_t now_ns)
{
    uint64_t late_ns = now_ns - before_ns > TICK_NS ? now_ns - before_ns - TICK_NS : 0;
    if (late_ns > journal->gap_ns) {
        journal->gap_ns = late_ns;
        journal->gap_at_ns = now_ns;
    }
    if (late_ns > journal->stall_ns)
        um_demo_journal_write(journal, &(struct um_demo_log_event){.kind = UM_DEMO_LOG_STALL,
                                                                   .begin_ns = before_ns,
                                                                   .end_ns = now_ns});
}

static void watch(void *arg)
{
    struct um_demo_journal *journal = arg;
    uint64_t line_at_ns = um_clock_now_ns() + GAP_LINE_NS;
    uint64_t logged_gap_ns = 0;
    um_demo_journal_system_begin();
    uint64_t before_ns = um_clock_now_ns();
    while (!atomic_load(&journal->stopped)) {
        um_demo_journal_system_tick();
        uint64_t now_ns = um_clock_now_ns();
        judge_tick(journal, before_ns, now_ns);
        write_lines(journal);
        if (now_ns >= line_at_ns) {
            if (journal->gap_ns > logged_gap_ns)
                write_gap(journal);
            logged_gap_ns = journal->gap_ns;
            line_at_ns = now_ns + GAP_LINE_NS;
        }
        before_ns = um_clock_now_ns();
        judge_tick(journal, now_ns, before_ns); /* a delay while it wrote is a stall, too */
    }
    um_demo_journal_system_end();
}

static void release(struct um_demo_journal *journal)
{
    um_demo_journal_system_close(journal->file);
    free(journal);
}

enum um_status um_demo_journal_open(const char *path, uint32_t stall_ms,
                                    struct um_demo_journal **journal)
{
    struct um_demo_journal *made = calloc(1, sizeof *made);
    if (!made)
        return UM_ERR_MEMORY;
    if (!um_demo_journal_system_make(path, &made->file)) {
        free(made);
        return UM_ERR_IO;
    }
    made->stall_ns = stall_ms * UM_CLOCK_NS_PER_MS;
    made->gap_at_ns = um_clock_now_ns();
    if (um_thread_start(watch, made, &made->watcher) != UM_OK) {
        release(made);
        return UM_ERR_MEMORY;
    }
    *journal = made;
    return UM_OK;
}

void um_demo_journal_close(struct um_demo_journal *journal)
{
    if (!journal)
        return;
    atomic_store(&journal->stopped, 1);
    um_thread_join(&journal->watcher);
    write_lines(journal);
    write_gap(journal);
    um_demo_journal_write(journal, &(struct um_demo_log_event){.kind = UM_DEMO_LOG_END,
                                                               .begin_ns = um_clock_now_ns()});
    write_lines(journal);
    release(journal);
}
