#include "monitor/listen/follow_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain/clock.h"
#include "base/output.h"
#include "base/platform.h"
#include "monitor/listen/source.h"

#define FIND_NS (250 * UM_CLOCK_NS_PER_MS) /* from one look for new feeds to the next */
#define REST_MS 20                         /* pause after a round in which nothing came */
#define ROUND_FRAMES 1000                  /* from one feed, before the next feed is read */

struct feed {
    struct um_registry_entry entry;
    struct um_source *source; /* NULL: it cannot be read, or is over */
    struct um_counters *counters;
    bool known; /* `begin` was called for it */
};

struct crowd {
    struct um_follow *follow;
    struct feed feeds[UM_FOLLOW_ALL_FEEDS];
    size_t count;
    uint64_t found_ns; /* when feeds were looked for last */
};

/* The following calls are about this feed. */
static void turn_to(struct um_follow *follow, const struct feed *feed)
{
    follow->entry = feed->entry;
    follow->session = feed->known ? um_counters_session(feed->counters) : NULL;
}

static void close_feed(struct um_follow *follow, struct feed *feed)
{
    if (!feed->source)
        return;
    turn_to(follow, feed);
    follow->end(follow->taker.context);
    follow->session = NULL;
    um_counters_close(feed->counters);
    um_source_close(feed->source);
    feed->counters = NULL;
    feed->source = NULL;
}

/* Adds a feed. One that cannot be read is kept in the list, too, so that its line comes only
 * once. */
static void open_feed(struct crowd *crowd, const struct um_registry_entry *entry)
{
    struct um_follow *follow = crowd->follow;
    struct feed *feed = &crowd->feeds[crowd->count];
    *feed = (struct feed){.entry = *entry};
    enum um_status status = um_source_open(entry, &feed->source);
    if (status == UM_ERR_NOT_FOUND)
        return; /* the feed has just ended */
    crowd->count++;
    if (status == UM_OK)
        status = um_follow_open_counters(follow, &feed->counters);
    if (status == UM_OK)
        return;
    um_source_close(feed->source);
    feed->source = NULL;
    um_follow_note(entry, "cannot be read", status);
}

static bool is_listed(const struct um_registry_entry *entries, size_t count, const char *pipe)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(entries[i].pipe, pipe) == 0)
            return true;
    return false;
}

static bool is_followed(const struct crowd *crowd, const char *pipe)
{
    for (size_t i = 0; i < crowd->count; i++)
        if (strcmp(crowd->feeds[i].entry.pipe, pipe) == 0)
            return true;
    return false;
}

/* Looks which feeds there are, begins with the new ones, and forgets those that are over. */
static enum um_status find_feeds(struct crowd *crowd)
{
    size_t count = 0, kept = 0;
    struct um_registry_entry *entries = calloc(UM_FOLLOW_ALL_FEEDS, sizeof *entries);
    enum um_status status =
        entries ? um_registry_list_all(entries, UM_FOLLOW_ALL_FEEDS, &count) : UM_ERR_MEMORY;
    for (size_t i = 0; status == UM_OK && i < crowd->count; i++)
        if (crowd->feeds[i].source || is_listed(entries, count, crowd->feeds[i].entry.pipe))
            crowd->feeds[kept++] = crowd->feeds[i];
    if (status == UM_OK)
        crowd->count = kept;
    for (size_t i = 0; i < count && crowd->count < UM_FOLLOW_ALL_FEEDS; i++)
        if (!is_followed(crowd, entries[i].pipe))
            open_feed(crowd, &entries[i]);
    free(entries);
    crowd->found_ns = um_clock_now_ns();
    return status;
}

/* Takes the frames that have come of a feed. Returns whether there were any. */
static bool take_frames(struct um_follow *follow, struct feed *feed)
{
    struct um_wire_frame frame = {0};
    enum um_status status = UM_OK;
    size_t taken = 0;

    turn_to(follow, feed);
    while (taken < ROUND_FRAMES && !follow->over && frame.type != UM_WIRE_END &&
           (status = um_source_next(feed->source, 0, &frame)) == UM_OK) {
        taken++;
        um_counters_frame(feed->counters, &frame);
        if (feed->known || !um_counters_session(feed->counters))
            continue;
        feed->known = true;
        turn_to(follow, feed);
        follow->begin(follow->taker.context);
    }
    if (status != UM_OK && status != UM_ERR_TIMEOUT)
        um_follow_note(&feed->entry, "broke off", status);
    if (frame.type == UM_WIRE_END || (status != UM_OK && status != UM_ERR_TIMEOUT))
        close_feed(follow, feed);
    return taken > 0;
}

/* Whether the time of --wait=S has passed without a feed. */
static bool has_waited(const struct um_follow *follow, uint64_t begun_ns)
{
    const struct um_options *options = follow->options;
    return options->wait && options->wait_s >= 0 && !follow->connected &&
           (double)(um_clock_now_ns() - begun_ns) / 1e9 >= options->wait_s;
}

static enum um_status follow_feeds(struct crowd *crowd)
{
    struct um_follow *follow = crowd->follow;
    uint64_t begun_ns = um_clock_now_ns();
    enum um_status status = find_feeds(crowd);

    while (status == UM_OK && !um_follow_is_over(follow)) {
        if (has_waited(follow, begun_ns))
            return UM_ERR_TIMEOUT;
        bool any = false;
        for (size_t i = 0; i < crowd->count; i++)
            if (crowd->feeds[i].source)
                any = take_frames(follow, &crowd->feeds[i]) || any;
        follow->pause(follow->taker.context);
        if (!any)
            um_platform_wait_interrupt(REST_MS);
        if (um_clock_now_ns() - crowd->found_ns >= FIND_NS)
            status = find_feeds(crowd);
    }
    for (size_t i = 0; i < crowd->count; i++)
        close_feed(follow, &crowd->feeds[i]);
    return status;
}

int um_follow_all_run(struct um_follow *follow)
{
    char error[UM_OPTIONS_ERROR_BYTES];
    struct crowd *crowd = calloc(1, sizeof *crowd);
    enum um_status status = UM_ERR_MEMORY;

    if (crowd) {
        crowd->follow = follow;
        status = follow_feeds(crowd);
        free(crowd);
    }
    if (status == UM_OK)
        return UM_EXIT_DONE;
    if (status == UM_ERR_TIMEOUT)
        return um_output_fail("uimon: listen: no uimon watches a program; start one with 'uimon "
                              "--attach TARGET'",
                              UM_EXIT_NO_TARGET);
    snprintf(error, sizeof error, "uimon: the folder of feeds cannot be used: %s",
             um_status_text(status));
    return um_output_fail(error, um_output_exit_code(status));
}
