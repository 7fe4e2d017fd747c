/* The flight recorder, --dump-dir: an output of the feed that writes nothing until a freeze has
 * lasted for --dump-over. Then, while it lasts, it saves a bundle (bundle.h): the last seconds, and
 * what comes until the freeze is over and its stacks are named. So the bundle is there also if the
 * program is killed in the middle of the freeze.
 *
 * Frames go into a bounded queue (frame_queue.h). Its thread keeps the last of them (kept.h),
 * writes, and starts the programs that make the page and the minidump. So neither the disk nor a
 * new process holds up the thread that watches. When a write fails, that bundle ends as it is, and
 * watching goes on. During a freeze each STATUS wakes the thread, ten times a second; otherwise it
 * wakes twice a second.
 *
 * A reader starts at um_flight_output, which is on the monitor's hot path.
 */
#ifndef UM_MONITOR_FLIGHT_H
#define UM_MONITOR_FLIGHT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/status.h"
#include "ipc/wire.h"
#include "monitor/base/platform.h"
#include "monitor/feed/feed.h"

#define UM_FLIGHT_MOST 100 /* bundles of a session */
#define UM_FLIGHT_LINE_BYTES 1280
#define UM_FLIGHT_WHY_BYTES 128

/* What other programs add to a bundle. */
enum um_flight_part { UM_FLIGHT_PAGE = 0, UM_FLIGHT_MINIDUMP = 1, UM_FLIGHT_PARTS = 2 };

/* How such programs are started. Thread: the flight recorder's. */
struct um_flight_helper {
    void *context;
    /* Starts the one that makes the part in this folder of process `pid`. Owner: release. Errors:
     * any. NULL: nobody makes parts. */
    enum um_status (*start)(void *context, enum um_flight_part part, const char *folder,
                            uint32_t pid, void **job);
    /* Whether it is done. Errors: UM_ERR_BUSY not yet; others: it has failed. */
    enum um_status (*poll)(void *context, void *job);
    /* Nobody waits for it any longer. Whether it goes on by itself; otherwise it is ended. */
    bool (*leave)(void *context, void *job);
    /* Forgets it; if it still runs, it goes on. */
    void (*release)(void *context, void *job);
};

struct um_flight_config {
    const char *dir;
    uint32_t keep_s;
    uint32_t over_ms;
    uint32_t most;                   /* bundles; at most UM_FLIGHT_MOST */
    bool minidump;                   /* asked for */
    struct um_wire_recording header; /* of the recordings, but for their times */
    struct um_flight_helper helper;
};

struct um_flight;

/* A bundle that was begun. */
struct um_flight_bundle {
    char folder[UM_PLATFORM_PATH_BYTES];
    uint64_t start_ns; /* of the freeze */
    bool whole;        /* the recording has its end */
    bool parts[UM_FLIGHT_PARTS];
};

/* Makes the folder if it is missing, checks that it can be written to, and starts the thread.
 * `error` gets the line to print, without a newline. Owner: um_flight_close; what the config points
 * to must outlive it. Errors: UM_ERR_IO it cannot be written to; UM_ERR_MEMORY. */
enum um_status um_flight_open(const struct um_flight_config *config, struct um_flight **flight,
                              char *error, size_t cap_bytes);

/* The flight recorder as an output of the feed. Owner: the recorder stays the caller's. */
struct um_feed_output um_flight_output(struct um_flight *flight);

/* Takes the next line for the person at the console; false if there is none. Thread: any. */
bool um_flight_next_line(struct um_flight *flight, char *line, size_t cap_bytes);

/* No frame comes any more: ends the bundle that is open, and waits for the pages. There may be more
 * lines then. Thread: blocks for `limit_ns`. Errors: UM_ERR_TIMEOUT the disk did not take it all in
 * that time: call it again, or end the process without exit(). */
enum um_status um_flight_finish(struct um_flight *flight, uint64_t limit_ns);

/* How many freezes were not saved, or not whole, and why the last of them was not. Call it after
 * um_flight_finish. Units: `why` has UM_FLIGHT_WHY_BYTES. */
size_t um_flight_failures(const struct um_flight *flight, char *why);

/* How many bundles were begun; call these after um_flight_finish. */
size_t um_flight_count(const struct um_flight *flight);

/* One of them, in the order in which they were begun. Owner: the flight recorder's. */
const struct um_flight_bundle *um_flight_bundle(const struct um_flight *flight, size_t number);

/* Releases it after um_flight_finish; one that has not finished is left alone. Accepts NULL. */
void um_flight_close(struct um_flight *flight);

#endif
