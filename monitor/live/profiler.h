/* Makes the samples of the sampler a profile on the feed.
 *
 * Each walked sample becomes frames: MODULE and NODES for what was not told before, and a SAMPLE.
 * The addresses are named by another process (namer.h), and a NAME follows when it answers. When a
 * freeze has ended and its names are known, or NAMES_NS later without them, a STACK says what its
 * samples have in common, and a WAIT for whom the thread waited, if that is known. What the frames
 * say, profile.h reads. A reader starts at um_profiler_turn. Thread: the watch thread.
 */
#ifndef UM_MONITOR_PROFILER_H
#define UM_MONITOR_PROFILER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/status.h"
#include "ipc/transport.h"
#include "ipc/wire.h"
#include "monitor/sample/sampler.h"

struct um_profiler;

struct um_profiler_config {
    uint32_t pid;            /* of the target; 0: nothing is read of its memory */
    const char *symbol_path; /* as um_names_process_open */
    const char *mine;        /* the user's modules, a list of module_list.h; NULL: nobody asked */
    const struct um_transport *transport;
    void *context;
    /* Puts a frame on the feed. */
    void (*publish)(void *context, const struct um_wire_frame *frame);
};

/* Owner: um_profiler_close; what the config points to must outlive it. Errors: UM_ERR_MEMORY. */
enum um_status um_profiler_open(const struct um_profiler_config *config,
                                struct um_profiler **profiler);

/* Accepts NULL. Thread: blocks for half a second at most. */
void um_profiler_close(struct um_profiler *profiler);

/* Another sampler, or NULL: there is none for the present. What the one before has is to be taken
 * by um_profiler_turn before. */
void um_profiler_sampler(struct um_profiler *profiler, struct um_sampler *sampler, uint32_t tid);

/* Takes what sampler and namer have. To be called often; never waits. While the target's thread is
 * away, `is_away`, no names are asked for: reading symbols could keep it away longer. */
void um_profiler_turn(struct um_profiler *profiler, uint64_t now_ns, bool is_away);

/* The key under which an address is told of and named: its offset in a module. */
uint64_t um_profiler_key(struct um_profiler *profiler, const struct um_sampler_module *module,
                         uint64_t offset);

/* A freeze has ended, as its EPISODE says: its STACK will follow if it was sampled. */
void um_profiler_freeze(struct um_profiler *profiler, const struct um_wire_frame *episode,
                        uint64_t now_ns);

/* The functions in which most samples were, as PROFILE has them: those since `away_ns` if that is
 * not 0, or else of the last freeze; and those of the session. Returns how many of the two there
 * are. To be called once a second at the most. */
size_t um_profiler_hottest(struct um_profiler *profiler, uint64_t away_ns, uint64_t now_ns,
                           struct um_wire_frame frames[2]);

/* Waits for the names that are still to come, at most `limit_ms`, and then tells of the freezes
 * without those that are missing. */
void um_profiler_finish(struct um_profiler *profiler, uint32_t limit_ms);

/* Why there are no names, in a few words for a parenthesis, once; false if there is no news. */
bool um_profiler_trouble(struct um_profiler *profiler, char *why, size_t cap_bytes);

/* What has become too much to be named, as the begin of a line, once each; false if there is no
 * news. */
bool um_profiler_full(struct um_profiler *profiler, char *what, size_t cap_bytes);

/* The same as um_profiler_trouble for managed code alone. */
bool um_profiler_managed_trouble(struct um_profiler *profiler, char *why, size_t cap_bytes);

#endif
