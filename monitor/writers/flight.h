/* The flight recorder, --dump-dir: an output of the feed that writes nothing until a freeze has
 * lasted for --dump-over. Then it saves a bundle (bundle.h): the last seconds, and what comes until
 * the freeze is over and its stacks are named. It writes during the freeze, so there is a bundle
 * also if the target is killed then.
 *
 * Frames go into a bounded queue (frame_queue.h). Its thread keeps the last of them
 * (flight_buffer.h), writes, and starts the programs that make the page and the minidump. So
 * neither the disk nor a new process delays the thread that watches. When a write fails, that
 * bundle ends as it is, and watching goes on. During a freeze each STATUS wakes the thread, ten
 * times a second, and so does the freeze's end; otherwise it wakes twice a second.
 *
 * A reader starts at um_flight_output, which is on the monitor's hot path.
 */
#ifndef UM_MONITOR_FLIGHT_H
#define UM_MONITOR_FLIGHT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "ipc/wire.h"
#include "base/platform.h"
#include "monitor/feed/feed.h"

#define UM_FLIGHT_WHY_BYTES 256

/* The parts of a bundle that other programs make. If no minidump could be made of the freeze, one
 * is tried once more when that is over. It shows the program after the freeze, so it is another
 * file. */
enum um_flight_part {
    UM_FLIGHT_PAGE = 0,
    UM_FLIGHT_MINIDUMP = 1,
    UM_FLIGHT_MINIDUMP_AFTER = 2,
    UM_FLIGHT_PARTS = 3
};

/* How such programs are started. Thread: the flight recorder's. */
struct um_flight_helper {
    void *context;
    /* Starts a program that makes this part of the bundle in `folder`; `pid` is the target. NULL:
     * no parts are made. Owner: release. Errors: any. */
    enum um_status (*start)(void *context, enum um_flight_part part, const char *folder,
                            uint32_t pid, void **job);
    /* UM_OK: the part is made. Errors: UM_ERR_BUSY not yet; others: it has failed, and `why` says
     * why. Units: `why` has UM_FLIGHT_WHY_BYTES. */
    enum um_status (*poll)(void *context, void *job, char *why);
    /* Called for a UM_FLIGHT_MINIDUMP that is not made yet when it is seen that its freeze was over
     * at `end_ns` (clock.h). If it would show the program after the freeze, `poll` says that it has
     * failed. */
    void (*freeze_over)(void *context, void *job, uint64_t end_ns);
    /* Stops waiting for a job. True: the program goes on by itself; false: it was ended. */
    bool (*leave)(void *context, void *job);
    /* Releases a job. A program that still runs goes on. */
    void (*release)(void *context, void *job);
};

struct um_flight_config {
    const char *dir;
    uint32_t keep_s;
    uint32_t over_ms;
    uint32_t most;                   /* bundles in a session */
    bool minidump;                   /* make a minidump, too */
    struct um_wire_recording header; /* begins each recording; its times are replaced */
    struct um_flight_helper helper;
};

struct um_flight;

/* A bundle that was begun. */
struct um_flight_bundle {
    char folder[UM_PLATFORM_PATH_BYTES];
    uint64_t start_ns; /* of the freeze */
    bool whole;        /* the recording is complete */
    bool parts[UM_FLIGHT_PARTS];
};

/* Makes the folder if it is missing, checks that it can be written to, and starts the thread.
 * `error` gets the line to print, without a newline. Owner: um_flight_close; what the config points
 * to must outlive it. Errors: UM_ERR_IO it cannot be written to; UM_ERR_MEMORY. */
enum um_status um_flight_open(const struct um_flight_config *config, struct um_flight **flight,
                              char *error, size_t cap_bytes);

/* The flight recorder as an output of the feed. Owner: the recorder stays the caller's. */
struct um_feed_output um_flight_output(struct um_flight *flight);

/* Takes the next line for the console; false if there is none. Thread: any. */
bool um_flight_next_line(struct um_flight *flight, char *line, size_t cap_bytes);

/* Called when no more frames come. Ends the open bundle and waits for the pages; there may be more
 * lines then. Thread: blocks for `limit_ns`. Errors: UM_ERR_TIMEOUT the disk did not take it all in
 * that time: call it again, or end the process without exit(). */
enum um_status um_flight_finish(struct um_flight *flight, uint64_t limit_ns);

/* How many freezes were not saved, or only in part, and why the last of them. Call it after
 * um_flight_finish. Units: `why` has UM_FLIGHT_WHY_BYTES. */
size_t um_flight_failures(const struct um_flight *flight, char *why);

/* How many bundles were begun. Call this and um_flight_bundle after um_flight_finish. */
size_t um_flight_count(const struct um_flight *flight);

/* A bundle; they are numbered in the order in which they were begun. Owner: the flight recorder. */
const struct um_flight_bundle *um_flight_bundle(const struct um_flight *flight, size_t number);

/* Releases the recorder, unless um_flight_finish has timed out. Accepts NULL. */
void um_flight_close(struct um_flight *flight);

#endif
