#include "monitor/writers/flight.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain/clock.h"
#include "base/plain/text.h"
#include "base/line_queue.h"
#include "base/ns.h"
#include "base/output.h"
#include "base/utf8.h"
#include "monitor/writers/bundle.h"
#include "monitor/feed/frame_queue.h"
#include "monitor/writers/flight_buffer.h"

#define GATHER_NS (500 * UM_CLOCK_NS_PER_MS)
/* After a freeze its STACK and names come within TAIL_NS. The next TOTALS then ends the recording;
 * if none comes, it ends after LAST_TAIL_NS. */
#define TAIL_NS (4 * UM_CLOCK_NS_PER_S)
#define LAST_TAIL_NS (10 * UM_CLOCK_NS_PER_S)
#define PARTS_NS (3 * UM_CLOCK_NS_PER_S) /* how long uimon waits for pages at the end */
#define POLL_NS (50 * UM_CLOCK_NS_PER_MS)

static const char *const part_files[UM_FLIGHT_PARTS] = {
    [UM_FLIGHT_PAGE] = UM_BUNDLE_PAGE,
    [UM_FLIGHT_MINIDUMP] = UM_BUNDLE_MINIDUMP,
    [UM_FLIGHT_MINIDUMP_AFTER] = UM_BUNDLE_MINIDUMP_AFTER,
};

/* A bundle, and the programs that still add to it. */
struct saving {
    struct um_flight_bundle result; /* what um_flight_bundle gives */
    uint32_t pid;
    bool has_messages;
    bool said;        /* a line has said that the bundle is complete */
    bool is_over;     /* the freeze has ended, and the program goes on */
    bool is_undumped; /* no minidump of the freeze could be made, and none was tried after it */
    void *jobs[UM_FLIGHT_PARTS];
    struct um_platform_held *held; /* its folder, until all parts are done */
};

struct um_flight {
    struct um_flight_config config;
    /* If uimon runs as administrator: where config.dir is, and what keeps it from being renamed. */
    char real_dir[UM_PLATFORM_PATH_BYTES];
    struct um_platform_held *held;
    struct um_frame_queue *queue;
    bool finished;
    struct um_line_queue lines; /* for the console */

    /* Only the queue's thread uses these: */
    struct um_flight_buffer *kept;
    struct um_wire_session session;  /* the last one */
    struct um_wire_episode freeze;   /* the one that lasts; id 0: none */
    uint32_t saved;                  /* id of the freeze that was saved last, or could not be */
    struct um_bundle bundle;         /* the one that is being written */
    struct saving *open;             /* the entry of that bundle; NULL: none is open */
    struct um_flight_buffer_cut cut; /* where its recording begins */
    uint64_t over_ns;                /* when its freeze was over; 0: not yet */
    bool has_stack;                  /* the STACK of it has come */
    bool said_most;
    bool said_full;
    uint32_t count;
    uint32_t failures;             /* freezes that are not saved, or not whole */
    char why[UM_FLIGHT_WHY_BYTES]; /* of the last of them */
    struct saving *savings;        /* config.most of them */
};

/* Lines ---------------------------------------------------------------------------------------- */

bool um_flight_next_line(struct um_flight *flight, char *line, size_t cap_bytes)
{
    return um_line_queue_take(&flight->lines, line, cap_bytes);
}

static void say_failure(struct um_flight *flight, const char *why)
{
    char line[UM_LINE_QUEUE_BYTES];
    flight->failures++;
    um_text_set(flight->why, sizeof flight->why, why);
    snprintf(line, sizeof line,
             "--dump-dir %s: a freeze is not saved, or not whole: %s; measuring "
             "goes on",
             flight->config.dir, why);
    um_line_queue_put(&flight->lines, line);
}

/* Parts ---------------------------------------------------------------------------------------- */

/* What a line says of a minidump that could not be made. Once the session or the program has ended
 * in the freeze, its end is not seen any more. */
static const char *promise(const struct um_flight *flight, const struct saving *saving)
{
    if (saving->is_over)
        return "; it is tried once more now, after the freeze";
    return flight->open == saving && !flight->over_ns
               ? "; it is tried once more when the freeze is over"
               : "";
}

/* Says why a part is missing, and for a minidump whether it is tried once more. */
static void say_missing(struct um_flight *flight, struct saving *saving, enum um_flight_part part,
                        const char *why)
{
    char line[UM_LINE_QUEUE_BYTES];
    saving->is_undumped = saving->is_undumped || part == UM_FLIGHT_MINIDUMP;
    snprintf(line, sizeof line, "%s was not made in %s: %s%s", part_files[part],
             saving->result.folder, why, part == UM_FLIGHT_MINIDUMP ? promise(flight, saving) : "");
    um_line_queue_put(&flight->lines, line);
}

static void start_part(struct um_flight *flight, struct saving *saving, enum um_flight_part part)
{
    const struct um_flight_helper *helper = &flight->config.helper;
    if (!helper->start)
        return;
    enum um_status status = helper->start(helper->context, part, saving->result.folder, saving->pid,
                                          &saving->jobs[part]);
    if (status == UM_OK)
        return;
    saving->jobs[part] = NULL;
    say_missing(flight, saving, part, um_status_text(status));
}

/* Tries a minidump once more that could not be made of the freeze, when that is over. */
static void dump_after(struct um_flight *flight, struct saving *saving)
{
    if (!saving->is_undumped || !saving->is_over)
        return;
    saving->is_undumped = false;
    start_part(flight, saving, UM_FLIGHT_MINIDUMP_AFTER);
}

/* Checks whether the program that makes a part is done. */
static void poll_part(struct um_flight *flight, struct saving *saving, enum um_flight_part part)
{
    const struct um_flight_helper *helper = &flight->config.helper;
    char why[UM_FLIGHT_WHY_BYTES] = "";

    if (!saving->jobs[part])
        return;
    enum um_status status = helper->poll(helper->context, saving->jobs[part], why);
    if (status == UM_ERR_BUSY)
        return;
    helper->release(helper->context, saving->jobs[part]);
    saving->jobs[part] = NULL;
    saving->result.parts[part] = status == UM_OK;
    if (status != UM_OK)
        say_missing(flight, saving, part, why);
}

/* Queues a line that a bundle is complete, and what is in it. */
static void say_complete(struct um_flight *flight, struct saving *saving)
{
    char line[UM_LINE_QUEUE_BYTES];
    snprintf(line, sizeof line, "saved: %s (recording%s%s%s)", saving->result.folder,
             saving->has_messages ? ", messages" : "",
             saving->result.parts[UM_FLIGHT_MINIDUMP]         ? ", minidump"
             : saving->result.parts[UM_FLIGHT_MINIDUMP_AFTER] ? ", minidump of the program after "
                                                                "the freeze"
                                                              : "",
             saving->result.parts[UM_FLIGHT_PAGE] ? ", page" : "");
    um_line_queue_put(&flight->lines, line);
    saving->said = true;
}

/* Checks on all programs. Returns whether one of them still works. */
static bool poll_parts(struct um_flight *flight)
{
    bool busy = false;
    for (uint32_t i = 0; i < flight->count; i++) {
        struct saving *saving = &flight->savings[i];
        bool waits = false;
        for (int part = 0; part < UM_FLIGHT_PARTS; part++) {
            poll_part(flight, saving, (enum um_flight_part)part);
            dump_after(flight, saving);
            waits = waits || saving->jobs[part];
        }
        if (!waits && saving != flight->open) {
            um_platform_let_go(saving->held);
            saving->held = NULL;
        }
        if (!waits && saving->result.whole && !saving->said)
            say_complete(flight, saving);
        busy = busy || waits;
    }
    return busy;
}

/* Bundles -------------------------------------------------------------------------------------- */

static void put_frame(void *context, const struct um_wire_frame *frame)
{
    struct um_flight *flight = context;
    um_bundle_put(&flight->bundle, frame);
}

/* Closes the open bundle with `end`, the END of its recording, and starts the page. */
static void end_bundle(struct um_flight *flight, const struct um_wire_frame *end)
{
    struct saving *saving = flight->open;

    um_bundle_put(&flight->bundle, end);
    um_bundle_close(&flight->bundle);
    flight->open = NULL;
    saving->result.whole = um_recording_file_ok(&flight->bundle.recording);
    if (!saving->result.whole)
        say_failure(flight, um_recording_file_reason(&flight->bundle.recording));
    start_part(flight, saving, UM_FLIGHT_PAGE);
}

static void end_bundle_at(struct um_flight *flight, uint64_t time_ns)
{
    struct um_wire_frame end = {.type = UM_WIRE_END,
                                .as.end = {.time_ns = time_ns, .reason = UM_END_STOPPED}};
    end_bundle(flight, &end);
}

/* An instant of the session as a time of the calendar. */
static int64_t utc_ms_at(const struct um_flight *flight, uint64_t time_ns)
{
    const struct um_wire_session *session = &flight->session;
    int64_t since_ms = time_ns >= session->start_ns
                           ? (int64_t)((time_ns - session->start_ns) / UM_CLOCK_NS_PER_MS)
                           : -(int64_t)((session->start_ns - time_ns) / UM_CLOCK_NS_PER_MS);
    return session->utc_ms + since_ms;
}

static const char *why_not_made(const struct um_flight *flight, enum um_status status)
{
    if (status == UM_ERR_IO && !um_recording_file_ok(&flight->bundle.recording))
        return um_recording_file_reason(&flight->bundle.recording);
    return status == UM_ERR_IO          ? "the system makes no folder there"
           : status == UM_ERR_NOT_FOUND ? "that folder is gone"
                                        : um_status_text(status);
}

/* Begins to save the freeze that lasts. */
static void begin_bundle(struct um_flight *flight)
{
    const struct um_wire_episode *freeze = &flight->freeze;
    struct um_bundle_freeze what = {.id = freeze->id,
                                    .start_ns = freeze->start_ns,
                                    .utc_ms = utc_ms_at(flight, freeze->start_ns),
                                    .over_ms = flight->config.over_ms,
                                    .process = flight->session.name};
    struct um_wire_recording header = flight->config.header;
    char line[UM_LINE_QUEUE_BYTES];

    um_flight_buffer_cut(flight->kept, &flight->cut);
    header.time_ns = flight->cut.start_ns;
    header.utc_ms = flight->cut.utc_ms;
    enum um_status status = um_bundle_open(&flight->bundle, flight->config.dir, &what, &header);
    if (status != UM_OK) {
        say_failure(flight, why_not_made(flight, status));
        um_bundle_close(&flight->bundle);
        return;
    }
    struct saving *saving = &flight->savings[flight->count++];
    memcpy(saving->result.folder, flight->bundle.folder, sizeof saving->result.folder);
    saving->held = flight->bundle.held;
    flight->bundle.held = NULL;
    saving->result.start_ns = freeze->start_ns;
    saving->pid = flight->session.pid;
    saving->has_messages = flight->bundle.messages != NULL;
    flight->open = saving;
    flight->over_ns = 0;
    flight->has_stack = false;
    um_flight_buffer_emit(flight->kept, &flight->cut, put_frame, flight);
    um_bundle_flush(&flight->bundle);
    snprintf(line, sizeof line, "a freeze lasts for over %lu ms: it is being saved in %s",
             (unsigned long)flight->config.over_ms, saving->result.folder);
    um_line_queue_put(&flight->lines, line);
    if (flight->config.minidump)
        start_part(flight, saving, UM_FLIGHT_MINIDUMP);
}

/* Begins to save the freeze that lasts, once it is long enough and if there is room. */
static void consider(struct um_flight *flight, const struct um_wire_status *status)
{
    const struct um_wire_episode *freeze = &flight->freeze;
    char line[UM_LINE_QUEUE_BYTES];

    if (freeze->id == 0 || freeze->id == flight->saved || !um_wire_state_is_freeze(status->state) ||
        um_ns_elapsed(freeze->start_ns, status->time_ns) <
            flight->config.over_ms * UM_CLOCK_NS_PER_MS)
        return;
    flight->saved = freeze->id;
    if (flight->open) /* the earlier freeze's bundle, which still waits for its names */
        end_bundle_at(flight, status->time_ns);
    if (flight->count < flight->config.most) {
        begin_bundle(flight);
    } else if (!flight->said_most) {
        snprintf(line, sizeof line, "%lu freezes were saved, and no more will be",
                 (unsigned long)flight->config.most);
        um_line_queue_put(&flight->lines, line);
        flight->said_most = true;
    }
}

/* Whether at `time_ns` the open bundle's freeze has been over for `tail_ns`. */
static bool has_all(const struct um_flight *flight, uint64_t time_ns, uint64_t tail_ns)
{
    return flight->over_ns && um_ns_elapsed(flight->over_ns, time_ns) >= tail_ns;
}

/* The open bundle's freeze is over, or the session ends in it. */
static void end_freeze(struct um_flight *flight, const struct um_wire_frame *frame)
{
    struct saving *saving = flight->open;
    const struct um_flight_helper *helper = &flight->config.helper;

    flight->over_ns = um_ns_max(frame->as.episode.end_ns, 1);
    saving->is_over = !(frame->flags & UM_WIRE_EPISODE_OPEN);
    if (saving->is_over && saving->jobs[UM_FLIGHT_MINIDUMP])
        helper->freeze_over(helper->context, saving->jobs[UM_FLIGHT_MINIDUMP],
                            frame->as.episode.end_ns);
    dump_after(flight, saving);
}

/* Adds a frame to the open bundle, and ends the bundle when all has come. */
static void continue_bundle(struct um_flight *flight, const struct um_wire_frame *frame)
{
    struct um_wire_frame own = *frame;

    um_flight_buffer_since(&flight->cut, &own);
    if (frame->type == UM_WIRE_END) {
        end_bundle(flight, &own);
        return;
    }
    um_bundle_put(&flight->bundle, &own);
    if (frame->type == UM_WIRE_EPISODE && frame->flags & UM_WIRE_EPISODE_END &&
        frame->as.episode.id == flight->bundle.id)
        end_freeze(flight, frame);
    else if (frame->type == UM_WIRE_STACK && frame->as.stack.freeze == flight->bundle.id)
        flight->has_stack = true;
    else if (frame->type == UM_WIRE_TOTALS &&
             has_all(flight, frame->as.totals.time_ns, flight->has_stack ? 0 : TAIL_NS))
        end_bundle_at(flight, frame->as.totals.time_ns);
    else if (frame->type == UM_WIRE_STATUS &&
             has_all(flight, frame->as.status.time_ns, LAST_TAIL_NS))
        end_bundle_at(flight, frame->as.status.time_ns);
}

static void note_freeze(struct um_flight *flight, const struct um_wire_frame *frame)
{
    const struct um_wire_episode *episode = &frame->as.episode;
    if (!(frame->flags & UM_WIRE_EPISODE_END) && um_wire_state_is_freeze(episode->state))
        flight->freeze = *episode;
    else if (episode->id == flight->freeze.id)
        flight->freeze.id = 0;
}

/* Queues a line, once, that recordings may lack names or modules. */
static void say_full(struct um_flight *flight)
{
    char line[UM_LINE_QUEUE_BYTES];
    const char *full = um_flight_buffer_full(flight->kept);

    if (!full || flight->said_full)
        return;
    flight->said_full = true;
    snprintf(line, sizeof line,
             "there are more %s than --dump-dir keeps: saved freezes may lack some of them", full);
    um_line_queue_put(&flight->lines, line);
}

/* The queue's thread --------------------------------------------------------------------------- */

static void take_frame(void *context, const struct um_wire_frame *frame, const uint8_t *bytes,
                       size_t len)
{
    struct um_flight *flight = context;
    um_flight_buffer_take(flight->kept, frame, bytes, len);
    say_full(flight);
    if (frame->type == UM_WIRE_SESSION)
        flight->session = frame->as.session;
    else if (frame->type == UM_WIRE_EPISODE)
        note_freeze(flight, frame);
    if (flight->open)
        continue_bundle(flight, frame);
    if (frame->type == UM_WIRE_STATUS)
        consider(flight, &frame->as.status);
}

static void rest(void *context)
{
    struct um_flight *flight = context;
    if (flight->open)
        um_bundle_flush(&flight->bundle);
    poll_parts(flight);
}

/* Stops waiting for the programs that still work. */
static void leave_parts(struct um_flight *flight)
{
    const struct um_flight_helper *helper = &flight->config.helper;
    char line[UM_LINE_QUEUE_BYTES];

    for (uint32_t i = 0; i < flight->count; i++) {
        struct saving *saving = &flight->savings[i];
        for (int part = 0; part < UM_FLIGHT_PARTS; part++) {
            if (!saving->jobs[part])
                continue;
            bool goes_on = helper->leave(helper->context, saving->jobs[part]);
            helper->release(helper->context, saving->jobs[part]);
            saving->jobs[part] = NULL;
            snprintf(line, sizeof line, "%s %s %s", part_files[part],
                     goes_on ? "is still being made in" : "was not made in time in",
                     saving->result.folder);
            um_line_queue_put(&flight->lines, line);
        }
    }
}

static void end(void *context)
{
    struct um_flight *flight = context;
    uint64_t until_ns = um_clock_now_ns() + PARTS_NS;

    if (flight->open)
        end_bundle_at(flight, um_clock_now_ns());
    while (poll_parts(flight) && um_clock_now_ns() < until_ns)
        um_clock_sleep_ns(POLL_NS);
    leave_parts(flight);
    poll_parts(flight);
}

/* The session's thread ------------------------------------------------------------------------- */

/* In a freeze each STATUS hurries, so that little is missing if uimon is killed. So does its end,
 * because a writer of a minidump must not stop the program after it. */
static enum um_frame_queue_want want(void *context, const struct um_wire_frame *frame)
{
    (void)context;
    if (um_wire_reach(frame->type) != UM_WIRE_REACH_FLIGHT)
        return UM_FRAME_QUEUE_SKIP;
    if (frame->type == UM_WIRE_EPISODE && frame->flags & UM_WIRE_EPISODE_END &&
        um_wire_state_is_freeze(frame->as.episode.state))
        return UM_FRAME_QUEUE_HURRY;
    if (frame->type != UM_WIRE_STATUS)
        return UM_FRAME_QUEUE_TAKE;
    return um_wire_state_is_freeze(frame->as.status.state) ? UM_FRAME_QUEUE_HURRY
                                                           : UM_FRAME_QUEUE_TAKE;
}

struct um_feed_output um_flight_output(struct um_flight *flight)
{
    return um_frame_queue_output(flight->queue);
}

/* Opening and closing -------------------------------------------------------------------------- */

/* If uimon runs as administrator, it saves nothing in a folder that ordinary programs can replace.
 * It uses the folder's real path, because a link in the given path may lead elsewhere later. */
static bool is_safe(struct um_flight *flight, char *error, size_t cap)
{
    const char *dir = flight->config.dir;
    if (!um_platform_is_guarded())
        return true;
    enum um_status status = um_platform_hold_folder(dir, &flight->held);
    if (status == UM_OK)
        status = um_platform_held_path(flight->held, flight->real_dir, sizeof flight->real_dir);
    if (status == UM_OK) {
        flight->config.dir = flight->real_dir;
        return true;
    }
    snprintf(error, cap,
             status == UM_ERR_DENIED
                 ? "uimon: --dump-dir %s: ordinary programs can change this folder, so an "
                   "administrator's uimon saves nothing there: name one that does not exist yet"
                 : "uimon: --dump-dir %s: it cannot be told where this folder is",
             um_utf8_show_path(dir).text);
    return false;
}

static bool can_write(struct um_flight *flight, char *error, size_t cap)
{
    char probe[UM_PLATFORM_PATH_BYTES];
    const char *dir = flight->config.dir;
    enum um_status status = um_platform_make_folder(dir);

    if ((status == UM_OK || status == UM_ERR_BUSY) && !is_safe(flight, error, cap))
        return false;
    dir = flight->config.dir;
    if ((status == UM_OK || status == UM_ERR_BUSY) &&
        um_bundle_path(dir, "uimon-try.tmp", probe, sizeof probe) == UM_OK &&
        um_output_can_write(probe, "--dump-dir", error, cap))
        return true;
    snprintf(
        error, cap,
        "uimon: --dump-dir %s: nothing can be saved there; is it a folder, does the one above it "
        "exist, and may you write to it?",
        um_utf8_show_path(dir).text);
    return false;
}

static void release(struct um_flight *flight)
{
    um_flight_buffer_close(flight->kept);
    um_platform_let_go(flight->held);
    free(flight->savings);
    free(flight);
}

enum um_status um_flight_open(const struct um_flight_config *config, struct um_flight **flight_out,
                              char *error, size_t cap_bytes)
{
    struct um_frame_queue_taker taker = {
        .gather_ns = GATHER_NS, .want = want, .take = take_frame, .rest = rest, .end = end};

    struct um_flight *flight = calloc(1, sizeof *flight);
    enum um_status status = UM_ERR_MEMORY;
    taker.context = flight;
    if (flight) {
        flight->config = *config;
        if (!can_write(flight, error, cap_bytes)) {
            release(flight);
            return UM_ERR_IO;
        }
        flight->savings = calloc(config->most, sizeof *flight->savings);
    }
    if (flight && flight->savings)
        status = um_flight_buffer_open(config->keep_s, config->over_ms / 1000 + 1, &flight->kept);
    if (status == UM_OK)
        status = um_frame_queue_open(&taker, &flight->queue);
    if (status == UM_OK) {
        *flight_out = flight;
        return UM_OK;
    }
    snprintf(error, cap_bytes, "uimon: --dump-dir: out of memory");
    if (flight)
        release(flight);
    return status;
}

enum um_status um_flight_finish(struct um_flight *flight, uint64_t limit_ns)
{
    enum um_status status =
        flight->finished ? UM_OK : um_frame_queue_close(flight->queue, limit_ns);
    flight->finished = status == UM_OK;
    return status;
}

size_t um_flight_failures(const struct um_flight *flight, char *why)
{
    um_text_set(why, UM_FLIGHT_WHY_BYTES, flight->why);
    return flight->failures;
}

size_t um_flight_count(const struct um_flight *flight)
{
    return flight->count;
}

const struct um_flight_bundle *um_flight_bundle(const struct um_flight *flight, size_t number)
{
    return &flight->savings[number].result;
}

void um_flight_close(struct um_flight *flight)
{
    if (flight && flight->finished)
        release(flight);
}
