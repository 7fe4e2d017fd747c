#include "monitor/options/commands.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ipc/clock.h"
#include "monitor/base/output.h"
#include "monitor/base/platform.h"
#include "monitor/base/utf8.h"
#include "monitor/listen/board.h"
#include "monitor/listen/counters.h"
#include "monitor/listen/follow.h"
#include "monitor/listen/follow_all.h"
#include "monitor/listen/lines.h"
#include "monitor/listen/overview.h"

#define NAME_COLUMNS 32
#define DRAW_NS (100 * UM_CLOCK_NS_PER_MS) /* from one drawing to the next, at least */

struct listen {
    struct um_follow follow;
    struct um_lines_about about;
    bool failed; /* something could not be written */
    FILE *jsonl; /* NULL: not wanted */
    FILE *csv;
    bool text;
    bool draws; /* the board, on a terminal */
    bool all;   /* feeds, not the one of a target */
    struct um_board board;
    struct um_overview overview; /* of all feeds, in place of the board */
    bool changed;                /* since one of them was drawn */
    uint64_t drawn_ns;
};

static void draw(struct listen *listen)
{
    uint64_t now_ns = um_clock_now_ns();
    if (!listen->draws || !listen->changed || now_ns - listen->drawn_ns < DRAW_NS)
        return;
    if (listen->all)
        um_overview_draw(&listen->overview, stdout, um_platform_stdout_columns());
    else if (listen->about.session)
        um_board_draw(&listen->board, stdout, &listen->about, um_platform_stdout_columns(),
                      um_platform_stdout_rows());
    else
        return;
    listen->drawn_ns = now_ns;
    listen->changed = false;
}

/* Whatever was written to a stream is to be seen at once. A write that failed ends listening. */
static void wrote(struct listen *listen, FILE *file, enum um_status status)
{
    if (status != UM_OK || fflush(file) != 0)
        listen->follow.over = listen->failed = true;
}

/* Turns to the feed that a call is about; false if its session is not known yet. */
static bool turn_to_feed(struct listen *listen)
{
    listen->about.session = listen->follow.session;
    listen->about.monitor_pid = listen->follow.entry.pid;
    return listen->about.session != NULL;
}

/* The session is known now. */
static void begin(void *context)
{
    struct listen *listen = context;
    turn_to_feed(listen);
    if (listen->jsonl)
        wrote(listen, listen->jsonl, um_lines_json_session(listen->jsonl, &listen->about));
}

static void pause(void *context)
{
    draw(context);
    fflush(stdout);
}

/* The feed is over. The next one gets a table of its own. */
static void end(void *context)
{
    struct listen *listen = context;
    if (listen->all) {
        if (turn_to_feed(listen))
            um_overview_end(&listen->overview, &listen->about);
        listen->changed = true;
        return;
    }
    listen->drawn_ns = 0;
    draw(listen);
    memset(&listen->board, 0, sizeof listen->board);
    listen->about.session = NULL;
}

/* Says whose line follows, where there may be several. */
static void put_whose(const struct listen *listen)
{
    if (listen->all)
        printf("%s (%lu)  ", um_utf8_show(listen->about.session->name, NAME_COLUMNS).text,
               (unsigned long)listen->about.session->pid);
}

static void take_interval(void *context, const struct um_counters_interval *interval)
{
    struct listen *listen = context;
    if (!turn_to_feed(listen) || listen->follow.options->events)
        return;
    if (listen->jsonl)
        wrote(listen, listen->jsonl,
              um_lines_json_interval(listen->jsonl, &listen->about, interval));
    if (listen->csv)
        wrote(listen, listen->csv, um_lines_csv_interval(listen->csv, &listen->about, interval));
    if (listen->text) {
        put_whose(listen);
        wrote(listen, stdout, um_lines_text_interval(stdout, &listen->about, interval));
    }
    if (listen->all)
        um_overview_interval(&listen->overview, &listen->about, interval);
    else
        um_board_interval(&listen->board, interval);
    listen->changed = true;
    draw(listen);
}

static void take_event(void *context, const struct um_counters_event *event)
{
    char line[UM_LINES_EVENT_BYTES];
    struct listen *listen = context;
    if (!turn_to_feed(listen))
        return;
    if (listen->jsonl)
        wrote(listen, listen->jsonl, um_lines_json_event(listen->jsonl, &listen->about, event));
    if (listen->csv)
        wrote(listen, listen->csv, um_lines_csv_event(listen->csv, &listen->about, event));
    if (listen->text) {
        um_lines_text_event(line, &listen->about, event);
        put_whose(listen);
        wrote(listen, stdout, fprintf(stdout, "%s\n", line) > 0 ? UM_OK : UM_ERR_IO);
    }
    if (listen->all)
        um_overview_event(&listen->overview, &listen->about, event);
    else
        um_board_event(&listen->board, &listen->about, event);
    listen->changed = true;
    draw(listen);
}

/* The program has a counter of its own. */
static void take_target(void *context, const struct um_counters_target *target)
{
    struct listen *listen = context;
    if (turn_to_feed(listen) && !listen->follow.options->events && listen->jsonl &&
        um_lines_wants(&listen->about, target))
        wrote(listen, listen->jsonl, um_lines_json_target(listen->jsonl, &listen->about, target));
}

/* Reads a list of names with commas between them; NULL is all of them, but for --events. A name
 * with a slash is one of the program's own, of which nothing is known yet. */
static int choose_counters(const struct um_options *options, struct um_lines_about *about)
{
    const char *list = options->counters;
    about->targets = list;
    for (int i = 0; i < UM_COUNTERS_COUNT; i++)
        about->wanted[i] = !list && !options->events;
    while (list) {
        size_t len = strcspn(list, ",");
        enum um_counters_id id = um_counters_find(list, len);
        bool of_target = memchr(list, '/', len) != NULL;
        if (id == UM_COUNTERS_COUNT && !of_target) {
            char name[256];
            snprintf(name, sizeof name, "%.*s", (int)(len < 200 ? len : 200), list);
            return um_follow_unknown_counter(name);
        }
        if (!of_target)
            about->wanted[id] = true;
        list = list[len] ? list + len + 1 : NULL;
    }
    return UM_EXIT_DONE;
}

/* Opens a file; false, with a line on stderr, if that failed. */
static bool open_output(const char *path, const char *option, FILE **file)
{
    char error[UM_OPTIONS_ERROR_BYTES];
    if (!path)
        return true;
    bool writable = um_output_can_write(path, option, error, sizeof error);
    *file = writable ? um_output_open(path, false) : NULL;
    if (!writable)
        um_output_error(error);
    else if (!*file)
        fprintf(stderr, "uimon: %s %s: the file cannot be written; is the disk full?\n", option,
                path);
    return *file != NULL;
}

static bool close_output(const char *path, const char *option, FILE *file)
{
    if (!path || !file || um_output_close(file))
        return true;
    fprintf(stderr, "uimon: %s %s: the file could not be written to its end; %s\n", option, path,
            um_output_is_stdout(path) ? "its reader has left" : "is there room?");
    return false;
}

static bool open_outputs(struct listen *listen)
{
    const struct um_options *options = listen->follow.options;
    if (!open_output(options->jsonl, "--jsonl", &listen->jsonl) ||
        !open_output(options->csv, "--csv", &listen->csv))
        return false;
    if (listen->csv)
        wrote(listen, listen->csv,
              fputs(UM_LINES_CSV_HEADER, listen->csv) >= 0 ? UM_OK : UM_ERR_IO);
    bool taken = um_output_is_stdout(options->jsonl) || um_output_is_stdout(options->csv);
    bool shows = !taken && !options->quiet;
    /* Events alone are lines that scroll by, on a terminal, too. */
    listen->draws = shows && !options->events && um_platform_stdout_columns() > 0 &&
                    um_platform_stdout_takes_sequences();
    listen->text = shows && !listen->draws;
    return true;
}

static int follow(struct um_follow *follow)
{
    return follow->options->all ? um_follow_all_run(follow) : um_follow_run(follow);
}

int um_listen_command_run(struct um_options *options)
{
    struct listen *listen = calloc(1, sizeof *listen);
    if (!listen)
        return um_output_fail("uimon: out of memory", UM_EXIT_FAILED);
    listen->all = options->all;
    listen->changed = options->all; /* also that there is nothing yet is shown */
    listen->follow = (struct um_follow){.options = options,
                                        .limit_s = options->duration_s,
                                        .begin = begin,
                                        .pause = pause,
                                        .end = end,
                                        .taker = {.context = listen,
                                                  .interval = take_interval,
                                                  .event = take_event,
                                                  .target = take_target}};
    int code = choose_counters(options, &listen->about);
    if (code == UM_EXIT_DONE) {
        code = open_outputs(listen) ? follow(&listen->follow) : UM_EXIT_FAILED;
        bool whole = close_output(options->jsonl, "--jsonl", listen->jsonl);
        whole = close_output(options->csv, "--csv", listen->csv) && whole;
        if ((!whole || listen->failed) && code == UM_EXIT_DONE)
            code = UM_EXIT_FAILED;
    }
    free(listen);
    return code;
}
