#include "monitor/listen/follow.h"

#include <stdio.h>
#include <string.h>

#include "base/plain/clock.h"
#include "base/nearest.h"
#include "base/output.h"
#include "base/platform.h"
#include "base/utf8.h"
#include "monitor/listen/source.h"

#define READ_MS 50
#define FIND_MS 100
#define SHOWN_COLUMNS 60

bool um_follow_is_over(const struct um_follow *follow)
{
    bool late = follow->deadline_ns && um_clock_now_ns() >= follow->deadline_ns;
    return follow->over || late || um_platform_interrupted();
}

enum um_status um_follow_open_counters(struct um_follow *follow, struct um_counters **counters)
{
    uint64_t interval_ns = (uint64_t)(follow->options->interval_s * 1e9);
    enum um_status status = um_counters_open(interval_ns, &follow->taker, counters);
    if (status != UM_OK)
        return status;
    if (!follow->connected && follow->limit_s > 0)
        follow->deadline_ns = um_clock_now_ns() + (uint64_t)(follow->limit_s * 1e9);
    follow->connected = true;
    return UM_OK;
}

static const char *hint(enum um_status status)
{
    return status == UM_ERR_DENIED ? "; start this uimon as administrator, too" : "";
}

void um_follow_note(const struct um_registry_entry *entry, const char *what, enum um_status status)
{
    char line[UM_OPTIONS_ERROR_BYTES];
    snprintf(line, sizeof line, "%s (pid %lu): its feed %s: %s%s",
             um_utf8_show(entry->target_name, SHOWN_COLUMNS).text, (unsigned long)entry->target_pid,
             what, um_status_text(status), hint(status));
    um_output_note(line);
}

/* Says on stderr what happens to the program of a feed: with --wait one follows the other, and the
 * next one may be another program with the same process id. */
static void say(const struct um_follow *follow, const char *what)
{
    char line[UM_OPTIONS_ERROR_BYTES];
    if (follow->options->quiet)
        return;
    snprintf(line, sizeof line, "%s (pid %lu) %s",
             um_utf8_show(follow->entry.target_name, SHOWN_COLUMNS).text,
             (unsigned long)follow->entry.target_pid, what);
    um_output_note(line);
}

/* Calls `begin` as soon as the session is known. */
static void announce(struct um_follow *follow)
{
    bool known = follow->session != NULL;
    follow->session = um_counters_session(follow->counters);
    if (known || !follow->session)
        return;
    if (follow->feeds > 1)
        say(follow, "is followed now");
    follow->begin(follow->taker.context);
}

/* Takes frames until the feed ends (UM_OK) or breaks off, or `over` is set. */
static enum um_status take_frames(struct um_follow *follow, struct um_source *source)
{
    struct um_wire_frame frame;
    enum um_status status = UM_OK;
    bool ended = false;

    while (status == UM_OK && !ended && !um_follow_is_over(follow)) {
        status = um_source_next(source, READ_MS, &frame);
        if (status == UM_OK) {
            um_counters_frame(follow->counters, &frame);
            announce(follow);
            ended = frame.type == UM_WIRE_END;
            continue;
        }
        follow->pause(follow->taker.context);
        if (status == UM_ERR_TIMEOUT)
            status = UM_OK;
    }
    return status;
}

static enum um_status read_feed(struct um_follow *follow, struct um_source *source)
{
    enum um_status status = um_follow_open_counters(follow, &follow->counters);
    if (status != UM_OK)
        return status;
    status = take_frames(follow, source);
    follow->end(follow->taker.context);
    follow->session = NULL;
    um_counters_close(follow->counters);
    follow->counters = NULL;
    return status;
}

/* Looks once for the next feed and connects to it. */
static enum um_status find_once(struct um_follow *follow, struct um_source **source, char *error,
                                size_t cap)
{
    const char *target = follow->options->files[0];
    const char *before = follow->connected ? follow->entry.pipe : NULL;
    struct um_registry_entry entry;

    enum um_status status =
        um_source_find(target, !follow->options->wait, before, &entry, error, cap);
    if (status != UM_OK)
        return status;
    status = um_source_open(&entry, source);
    if (status == UM_OK)
        follow->entry = entry;
    else
        snprintf(error, cap, "uimon: %s: its feed cannot be read: %s%s",
                 um_utf8_show(target, SHOWN_COLUMNS).text, um_status_text(status), hint(status));
    return status;
}

/* Finds the next feed. With --wait it looks again and again. */
static enum um_status find(struct um_follow *follow, struct um_source **source, char *error,
                           size_t cap)
{
    const struct um_options *options = follow->options;
    uint64_t begun_ns = um_clock_now_ns();

    for (;;) {
        enum um_status status = find_once(follow, source, error, cap);
        double waited_s = (double)(um_clock_now_ns() - begun_ns) / 1e9;
        bool more = options->wait && (options->wait_s < 0 || waited_s < options->wait_s);
        if (status != UM_ERR_NOT_FOUND || !more || um_follow_is_over(follow))
            return status;
        um_platform_wait_interrupt(FIND_MS);
    }
}

int um_follow_run(struct um_follow *follow)
{
    char error[UM_OPTIONS_ERROR_BYTES];
    int code = UM_EXIT_DONE;

    do {
        struct um_source *source = NULL;
        enum um_status status = find(follow, &source, error, sizeof error);
        if (status == UM_ERR_NOT_FOUND && (follow->connected || um_platform_interrupted()))
            return code;
        if (status != UM_OK)
            return um_output_fail(error, status == UM_ERR_ARG ? UM_EXIT_USAGE
                                                              : um_output_exit_code(status));
        follow->feeds++;
        status = read_feed(follow, source);
        um_source_close(source);
        code = status == UM_OK ? UM_EXIT_DONE : UM_EXIT_FAILED;
        if (status != UM_OK)
            um_follow_note(&follow->entry, "broke off", status);
        else if (follow->options->wait && !um_follow_is_over(follow))
            say(follow, "is no longer watched; waiting for the next one");
    } while (follow->options->wait && !um_follow_is_over(follow));
    return code;
}

int um_follow_unknown_counter(const char *name)
{
    const char *names[UM_METRICS_COUNT + 1] = {0};
    char line[UM_OPTIONS_ERROR_BYTES];
    for (int i = 0, count = 0; i < UM_METRICS_COUNT; i++)
        if (um_metrics_list[i].name)
            names[count++] = um_metrics_list[i].name;
    const char *meant = um_nearest_find(name, names);
    int used = snprintf(line, sizeof line, "uimon: '%s': no such counter; ",
                        um_utf8_show(name, SHOWN_COLUMNS).text);
    if (meant)
        snprintf(line + used, sizeof line - (size_t)used, "did you mean '%s'?", meant);
    else
        snprintf(line + used, sizeof line - (size_t)used, "the first of them is '%s'", names[0]);
    return um_output_fail(line, UM_EXIT_USAGE);
}
