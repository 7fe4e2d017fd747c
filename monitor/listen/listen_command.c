#include "monitor/options/commands.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain/clock.h"
#include "base/output.h"
#include "base/platform.h"
#include "base/utf8.h"
#include "monitor/listen/live_table.h"
#include "monitor/listen/counters.h"
#include "monitor/listen/follow.h"
#include "monitor/listen/follow_all.h"
#include "monitor/listen/lines.h"
#include "monitor/listen/overview.h"

#define NAME_COLUMNS 32
#define DRAW_NS (100 * UM_CLOCK_NS_PER_MS) /* least time between two drawings */

struct listen {
    struct um_follow follow;
    struct um_lines_about about;
    bool failed; /* something could not be written */
    FILE *json;  /* NULL: not wanted */
    FILE *csv;
    bool text;
    bool draws; /* the board, on a terminal */
    bool all;   /* follows all feeds, not that of one target */
    bool events_only;
    struct um_live_table board;
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
        um_live_table_draw(&listen->board, stdout, &listen->about, um_platform_stdout_columns(),
                           um_platform_stdout_rows());
    else
        return;
    listen->drawn_ns = now_ns;
    listen->changed = false;
}

/* Flushes a stream after a write, so that the text is seen at once. A failed write ends
 * listening. */
static void wrote(struct listen *listen, FILE *file, enum um_status status)
{
    if (status == UM_OK && fflush(file) == 0 && !ferror(file)) /* Wine's fflush hides a failure */
        return;
    listen->follow.over = true;
    listen->failed = listen->failed || !um_output_printed(file, false);
}

/* Fills in whose counters the lines are about; false if the feed's session is not known yet. */
static bool turn_to_feed(struct listen *listen)
{
    listen->about.session = listen->follow.session;
    listen->about.monitor_pid = listen->follow.entry.pid;
    return listen->about.session != NULL;
}

static void begin(void *context)
{
    struct listen *listen = context;
    turn_to_feed(listen);
    if (listen->json)
        wrote(listen, listen->json, um_lines_json_session(listen->json, &listen->about));
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

/* With --all, writes which program the line is about. */
static void put_whose(const struct listen *listen)
{
    if (listen->all)
        printf("%s (%lu)  ", um_utf8_show(listen->about.session->name, NAME_COLUMNS).text,
               (unsigned long)listen->about.session->pid);
}

static void take_interval(void *context, const struct um_counters_interval *interval)
{
    struct listen *listen = context;
    if (!turn_to_feed(listen) || listen->events_only)
        return;
    if (listen->json)
        wrote(listen, listen->json, um_lines_json_interval(listen->json, &listen->about, interval));
    if (listen->csv)
        wrote(listen, listen->csv, um_lines_csv_interval(listen->csv, &listen->about, interval));
    if (listen->text) {
        put_whose(listen);
        wrote(listen, stdout, um_lines_text_interval(stdout, &listen->about, interval));
    }
    if (listen->all)
        um_overview_interval(&listen->overview, &listen->about, interval);
    else
        um_live_table_interval(&listen->board, interval);
    listen->changed = true;
    draw(listen);
}

static void take_event(void *context, const struct um_counters_event *event)
{
    char line[UM_LINES_EVENT_BYTES];
    struct listen *listen = context;
    if (!turn_to_feed(listen))
        return;
    if (listen->json)
        wrote(listen, listen->json, um_lines_json_event(listen->json, &listen->about, event));
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
        um_live_table_event(&listen->board, &listen->about, event);
    listen->changed = true;
    draw(listen);
}

static void take_target(void *context, const struct um_counters_target *target)
{
    struct listen *listen = context;
    if (turn_to_feed(listen) && !listen->events_only && listen->json &&
        um_lines_wants(&listen->about, target))
        wrote(listen, listen->json, um_lines_json_target(listen->json, &listen->about, target));
}

/* Whether an item of --counters is of the program's own, or of its components. */
static bool is_of_target(const char *item, size_t len)
{
    return memchr(item, '/', len) ||
           (len == sizeof UM_COUNTERS_LAYOUT - 1 && memcmp(item, UM_COUNTERS_LAYOUT, len) == 0);
}

/* Reads --counters: names with commas between them; NULL is all of them. A name with a slash is one
 * of the program's own, which cannot be checked before the feed names it. */
static int choose_counters(const struct um_options *options, struct um_lines_about *about)
{
    const char *list = options->counters;
    about->targets = list;
    for (int i = 0; i < UM_METRICS_COUNT; i++)
        about->wanted[i] = !list && um_metrics_list[i].name;
    while (list) {
        size_t len = strcspn(list, ",");
        enum um_metrics_id id = um_metrics_find(list, len);
        bool of_target = is_of_target(list, len);
        if (id == UM_METRICS_COUNT && !of_target) {
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
    fprintf(stderr, "uimon: %s %s: the file could not be written to its end; is there room?\n",
            option, path);
    if (um_output_is_stdout(path))
        um_output_stdout_said();
    return false;
}

static bool open_outputs(struct listen *listen)
{
    const struct um_options *options = listen->follow.options;
    if (!open_output(options->json, "--json", &listen->json) ||
        !open_output(options->csv, "--csv", &listen->csv))
        return false;
    if (listen->csv)
        wrote(listen, listen->csv,
              fputs(UM_LINES_CSV_HEADER, listen->csv) >= 0 ? UM_OK : UM_ERR_IO);
    bool taken = um_output_is_stdout(options->json) || um_output_is_stdout(options->csv);
    bool shows = !taken && !options->quiet && !um_platform_is_missing(stdout);
    /* Events alone are lines that scroll by, on a terminal, too. */
    listen->draws = shows && !listen->events_only && um_platform_stdout_columns() > 0 &&
                    um_platform_stdout_takes_sequences();
    listen->text = shows && !listen->draws;
    return true;
}

static int follow(struct um_follow *follow)
{
    return um_options_listens_to_all(follow->options) ? um_follow_all_run(follow)
                                                      : um_follow_run(follow);
}

int um_listen_command_run(struct um_options *options)
{
    struct listen *listen = calloc(1, sizeof *listen);
    if (!listen)
        return um_output_fail("uimon: out of memory", UM_EXIT_FAILED);
    listen->all = um_options_listens_to_all(options);
    listen->events_only = options->counters && strcmp(options->counters, "none") == 0;
    listen->changed = listen->all; /* the table is drawn before it has a row */
    listen->follow = (struct um_follow){.options = options,
                                        .limit_s = options->duration_s,
                                        .begin = begin,
                                        .pause = pause,
                                        .end = end,
                                        .taker = {.context = listen,
                                                  .interval = take_interval,
                                                  .event = take_event,
                                                  .target = take_target}};
    int code = listen->events_only ? UM_EXIT_DONE : choose_counters(options, &listen->about);
    if (code == UM_EXIT_DONE) {
        code = open_outputs(listen) ? follow(&listen->follow) : UM_EXIT_FAILED;
        bool whole = close_output(options->json, "--json", listen->json);
        whole = close_output(options->csv, "--csv", listen->csv) && whole;
        if ((!whole || listen->failed) && code == UM_EXIT_DONE)
            code = UM_EXIT_FAILED;
    }
    free(listen);
    return code;
}
