#include "monitor/options/commands.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ipc/clock.h"
#include "monitor/base/nearest.h"
#include "monitor/base/output.h"
#include "monitor/base/platform.h"
#include "monitor/base/utf8.h"
#include "monitor/listen/board.h"
#include "monitor/listen/counters.h"
#include "monitor/listen/lines.h"
#include "monitor/listen/source.h"

#define READ_MS 50
#define FIND_MS 100
#define DRAW_NS (100 * UM_CLOCK_NS_PER_MS) /* from one drawing to the next, at least */
#define QUERY_LEAST_S 5                    /* a counter that is told each second gets so long */
#define QUERY_INTERVALS 3
#define SHOWN_COLUMNS 60

/* What both commands have while they last. */
struct listen {
    const struct um_options *options;
    struct um_lines_about about;
    struct um_counters_taker taker;
    struct um_counters *counters; /* of the present feed */
    struct um_registry_entry entry;
    uint64_t deadline_ns; /* 0: none yet */
    double limit_s;       /* the deadline is so long after the first feed; 0: there is none */
    bool connected;       /* a feed was, at some time */
    bool over;            /* nothing more is wanted */
    bool announced;       /* the session was written */
    bool failed;          /* something could not be written, and was said */

    FILE *jsonl; /* NULL: not wanted */
    FILE *csv;
    bool text;
    bool draws; /* the board, on a terminal */
    struct um_board board;
    bool changed; /* since the board was drawn */
    uint64_t drawn_ns;

    enum um_counters_id asked; /* of query, here and below */
    double answer;
    bool answered;
};

/* From here on: taking frames. */

static bool is_over(struct listen *listen)
{
    bool late = listen->deadline_ns && um_clock_now_ns() >= listen->deadline_ns;
    return listen->over || late || um_platform_interrupted();
}

static void draw(struct listen *listen)
{
    uint64_t now_ns = um_clock_now_ns();
    if (!listen->draws || !listen->changed || !listen->about.session ||
        now_ns - listen->drawn_ns < DRAW_NS)
        return;
    um_board_draw(&listen->board, stdout, &listen->about, um_platform_stdout_columns());
    listen->drawn_ns = now_ns;
    listen->changed = false;
}

/* Whatever was written to a stream is to be seen at once. A write that failed ends listening. */
static void wrote(struct listen *listen, FILE *file, enum um_status status)
{
    if (status != UM_OK || fflush(file) != 0)
        listen->over = listen->failed = true;
}

/* Writes what tells of the session, once it is known. */
static void announce(struct listen *listen)
{
    listen->about.session = um_counters_session(listen->counters);
    if (listen->announced || !listen->about.session)
        return;
    listen->announced = true;
    if (listen->jsonl)
        wrote(listen, listen->jsonl, um_lines_json_session(listen->jsonl, &listen->about));
}

/* Takes frames until the feed ends (UM_OK) or breaks off, or nothing more is wanted. */
static enum um_status take_frames(struct listen *listen, struct um_source *source)
{
    struct um_wire_frame frame;
    enum um_status status = UM_OK;
    bool ended = false;

    while (status == UM_OK && !ended && !is_over(listen)) {
        status = um_source_next(source, READ_MS, &frame);
        if (status == UM_OK) {
            um_counters_frame(listen->counters, &frame);
            announce(listen);
            ended = frame.type == UM_WIRE_END;
            continue;
        }
        draw(listen);
        fflush(stdout);
        if (status == UM_ERR_TIMEOUT)
            status = UM_OK;
    }
    return status;
}

static enum um_status follow(struct listen *listen, struct um_source *source)
{
    uint64_t interval_ns = (uint64_t)(listen->options->interval_s * 1e9);
    enum um_status status = um_counters_open(interval_ns, &listen->taker, &listen->counters);
    if (status != UM_OK)
        return status;
    if (!listen->connected && listen->limit_s > 0)
        listen->deadline_ns = um_clock_now_ns() + (uint64_t)(listen->limit_s * 1e9);
    listen->connected = true;
    listen->announced = false;
    listen->about.monitor_pid = listen->entry.pid;
    status = take_frames(listen, source);
    listen->drawn_ns = 0;
    draw(listen);
    memset(&listen->board, 0, sizeof listen->board); /* the next feed gets a table of its own */
    listen->about.session = NULL;
    um_counters_close(listen->counters);
    listen->counters = NULL;
    return status;
}

/* From here on: finding feeds. */

/* Looks once for the next feed and connects to it. */
static enum um_status find_once(struct listen *listen, const char *folder,
                                struct um_source **source, char *error, size_t cap)
{
    const char *target = listen->options->files[0];
    const char *before = listen->connected ? listen->entry.pipe : NULL;
    struct um_registry_entry entry;

    enum um_status status = um_source_find(folder, target, before, &entry, error, cap);
    if (status != UM_OK)
        return status;
    status = um_source_open(&entry, source);
    if (status == UM_OK)
        listen->entry = entry;
    else
        snprintf(error, cap, "uimon: %s: its feed cannot be read: %s%s",
                 um_utf8_show(target, SHOWN_COLUMNS).text, um_status_text(status),
                 status == UM_ERR_DENIED ? "; start this uimon as administrator, too" : "");
    return status;
}

/* Finds the next feed. With --wait it looks again and again. */
static enum um_status find(struct listen *listen, struct um_source **source, char *error,
                           size_t cap)
{
    char folder[UM_PLATFORM_PATH_BYTES];
    const struct um_options *options = listen->options;
    uint64_t begun_ns = um_clock_now_ns();

    enum um_status status = um_registry_folder(folder, sizeof folder);
    if (status != UM_OK) {
        snprintf(error, cap, "uimon: the folder of feeds cannot be used: %s",
                 um_status_text(status));
        return status == UM_ERR_NOT_FOUND ? UM_ERR_IO : status;
    }
    for (;;) {
        status = find_once(listen, folder, source, error, cap);
        double waited_s = (double)(um_clock_now_ns() - begun_ns) / 1e9;
        bool more = options->wait && (options->wait_s < 0 || waited_s < options->wait_s);
        if (status != UM_ERR_NOT_FOUND || !more || is_over(listen))
            return status;
        um_platform_wait_interrupt(FIND_MS);
    }
}

static int broke_off(const struct listen *listen, enum um_status status)
{
    char line[UM_OPTIONS_ERROR_BYTES];
    snprintf(line, sizeof line, "%s (pid %lu): its feed broke off: %s",
             um_utf8_show(listen->entry.target_name, SHOWN_COLUMNS).text,
             (unsigned long)listen->entry.target_pid, um_status_text(status));
    um_output_note(line);
    return UM_EXIT_FAILED;
}

/* Listens to the feed, and with --wait to those after it. */
static int run(struct listen *listen)
{
    char error[UM_OPTIONS_ERROR_BYTES];
    int code = UM_EXIT_DONE;

    do {
        struct um_source *source = NULL;
        enum um_status status = find(listen, &source, error, sizeof error);
        if (status == UM_ERR_NOT_FOUND && (listen->connected || um_platform_interrupted()))
            return code;
        if (status != UM_OK)
            return um_output_fail(error, status == UM_ERR_ARG ? UM_EXIT_USAGE
                                                              : um_output_exit_code(status));
        status = follow(listen, source);
        um_source_close(source);
        code = status == UM_OK ? UM_EXIT_DONE : broke_off(listen, status);
    } while (listen->options->wait && !is_over(listen));
    return code;
}

/* From here on: listen. */

static void take_interval(void *context, const struct um_counters_interval *interval)
{
    struct listen *listen = context;
    if (!listen->about.session)
        return;
    if (listen->jsonl)
        wrote(listen, listen->jsonl,
              um_lines_json_interval(listen->jsonl, &listen->about, interval));
    if (listen->csv)
        wrote(listen, listen->csv, um_lines_csv_interval(listen->csv, &listen->about, interval));
    if (listen->text)
        wrote(listen, stdout, um_lines_text_interval(stdout, &listen->about, interval));
    um_board_interval(&listen->board, interval);
    listen->changed = true;
    draw(listen);
}

static void take_event(void *context, const struct um_counters_event *event)
{
    char line[UM_LINES_EVENT_BYTES];
    struct listen *listen = context;
    if (!listen->about.session)
        return;
    if (listen->jsonl)
        wrote(listen, listen->jsonl, um_lines_json_event(listen->jsonl, &listen->about, event));
    if (listen->csv)
        wrote(listen, listen->csv, um_lines_csv_event(listen->csv, &listen->about, event));
    if (listen->text) {
        um_lines_text_event(line, &listen->about, event);
        wrote(listen, stdout, fprintf(stdout, "%s\n", line) > 0 ? UM_OK : UM_ERR_IO);
    }
    um_board_event(&listen->board, &listen->about, event);
    listen->changed = true;
    draw(listen);
}

/* Prints which counter cannot be meant. */
static int unknown_counter(const char *name)
{
    const char *names[UM_COUNTERS_COUNT + 1] = {0};
    char line[UM_OPTIONS_ERROR_BYTES];
    for (int i = 0; i < UM_COUNTERS_COUNT; i++)
        names[i] = um_counters_list[i].name;
    const char *meant = um_nearest_find(name, names);
    int used = snprintf(line, sizeof line, "uimon: '%s': no such counter; ",
                        um_utf8_show(name, SHOWN_COLUMNS).text);
    if (meant)
        snprintf(line + used, sizeof line - (size_t)used, "did you mean '%s'?", meant);
    else
        snprintf(line + used, sizeof line - (size_t)used, "the first of them is '%s'", names[0]);
    return um_output_fail(line, UM_EXIT_USAGE);
}

/* Reads a list of names with commas between them; NULL is all of them. */
static int choose_counters(const char *list, struct um_lines_about *about)
{
    for (int i = 0; i < UM_COUNTERS_COUNT; i++)
        about->wanted[i] = !list;
    while (list) {
        size_t len = strcspn(list, ",");
        enum um_counters_id id = um_counters_find(list, len);
        if (id == UM_COUNTERS_COUNT) {
            char name[256];
            snprintf(name, sizeof name, "%.*s", (int)(len < 200 ? len : 200), list);
            return unknown_counter(name);
        }
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
    *file = writable ? um_output_open(path) : NULL;
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
    const struct um_options *options = listen->options;
    if (!open_output(options->jsonl, "--jsonl", &listen->jsonl) ||
        !open_output(options->csv, "--csv", &listen->csv))
        return false;
    if (listen->csv)
        wrote(listen, listen->csv,
              fputs(UM_LINES_CSV_HEADER, listen->csv) >= 0 ? UM_OK : UM_ERR_IO);
    bool taken = um_output_is_stdout(options->jsonl) || um_output_is_stdout(options->csv);
    bool shows = !taken && !options->quiet;
    listen->draws =
        shows && um_platform_stdout_columns() > 0 && um_platform_stdout_takes_sequences();
    listen->text = shows && !listen->draws;
    return true;
}

int um_listen_command_run(struct um_options *options)
{
    struct listen *listen = calloc(1, sizeof *listen);
    if (!listen)
        return um_output_fail("uimon: out of memory", UM_EXIT_FAILED);
    listen->options = options;
    listen->limit_s = options->duration_s;
    listen->taker = (struct um_counters_taker){
        .context = listen, .interval = take_interval, .event = take_event};
    int code = choose_counters(options->counters, &listen->about);
    if (code == UM_EXIT_DONE) {
        code = open_outputs(listen) ? run(listen) : UM_EXIT_FAILED;
        bool whole = close_output(options->jsonl, "--jsonl", listen->jsonl);
        whole = close_output(options->csv, "--csv", listen->csv) && whole;
        if ((!whole || listen->failed) && code == UM_EXIT_DONE)
            code = UM_EXIT_FAILED;
    }
    free(listen);
    return code;
}

/* From here on: query. */

enum part { PART_VALUE, PART_MIN, PART_MAX, PART_P50, PART_P99, PART_COUNT, PARTS };

static double part_of(const struct um_counters_value *value, enum part part)
{
    const double parts[PARTS] = {
        [PART_VALUE] = value->value, [PART_MIN] = value->min, [PART_MAX] = value->max,
        [PART_P50] = value->p50,     [PART_P99] = value->p99, [PART_COUNT] = (double)value->count};
    return parts[part];
}

struct query {
    struct listen listen;
    enum part part;
};

static void answer_interval(void *context, const struct um_counters_interval *interval)
{
    struct query *query = context;
    const struct um_counters_value *value = &interval->values[query->listen.asked];
    if (!value->measured || query->listen.answered)
        return;
    query->listen.answer = part_of(value, query->part);
    query->listen.answered = query->listen.over = true;
}

static void ignore_event(void *context, const struct um_counters_event *event)
{
    (void)context, (void)event;
}

/* Reads "input-latency-ms.p99". */
static int read_name(struct query *query, const char *name)
{
    static const char *const parts[PARTS] = {"mean", "min", "max", "p50", "p99", "count"};
    size_t len = strcspn(name, ".");
    query->listen.asked = um_counters_find(name, len);
    if (query->listen.asked == UM_COUNTERS_COUNT)
        return unknown_counter(name);
    if (!name[len])
        return UM_EXIT_DONE;
    for (int i = 0; i < PARTS; i++) {
        query->part = (enum part)i;
        if (strcmp(parts[i], name + len + 1) == 0 && um_counters_list[query->listen.asked].spread)
            return UM_EXIT_DONE;
    }
    char line[UM_OPTIONS_ERROR_BYTES];
    snprintf(line, sizeof line, "uimon: '%s': %s has no such part; %s",
             um_utf8_show(name, SHOWN_COLUMNS).text, um_counters_list[query->listen.asked].name,
             um_counters_list[query->listen.asked].spread
                 ? "it has mean, min, max, p50, p99 and count"
                 : "give its name alone");
    return um_output_fail(line, UM_EXIT_USAGE);
}

int um_query_command_run(struct um_options *options)
{
    struct query *query = calloc(1, sizeof *query);
    if (!query)
        return um_output_fail("uimon: out of memory", UM_EXIT_FAILED);
    struct listen *listen = &query->listen;
    listen->options = options;
    listen->limit_s = QUERY_LEAST_S + QUERY_INTERVALS * options->interval_s;
    listen->taker = (struct um_counters_taker){
        .context = query, .interval = answer_interval, .event = ignore_event};
    int code = read_name(query, options->files[1]);
    if (code == UM_EXIT_DONE)
        code = run(listen);
    if (code == UM_EXIT_DONE && listen->answered) {
        printf("%.3f\n", listen->answer);
    } else if (code == UM_EXIT_DONE && !um_platform_interrupted()) {
        fprintf(stderr,
                "uimon: query %s: it was not measured in %.0f s; 'uimon listen' shows which "
                "counters are\n",
                options->files[1], listen->limit_s);
        code = UM_EXIT_FAILED;
    }
    free(query);
    return code;
}
