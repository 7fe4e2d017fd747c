/* Publishes the sampler's samples as a profile on the feed.
 *
 * Each walked sample becomes frames: MODULE and NODES for what was not published before, and a
 * SAMPLE. Another process names the addresses (namer.h), and a NAME follows when it answers. When a
 * freeze has ended and its names are known, or NAMES_NS later without them, a STACK says what its
 * samples have in common, and a WAIT for whom the thread waited, if that is known. profile.h reads
 * these frames. A reader starts at um_profiler_turn. Thread: the watch thread.
 */
#ifndef UM_MONITOR_PROFILER_H
#define UM_MONITOR_PROFILER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "ipc/transport.h"
#include "ipc/wire.h"
#include "monitor/profile/hottest.h"
#include "monitor/sample/sampler.h"

struct um_profiler;

struct um_profiler_config {
    uint32_t pid;            /* of the target; 0: its memory is not read */
    const char *symbol_path; /* as um_names_process_open */
    const char *mine; /* the user's modules, a list of module_list.h; NULL: none were given */
    struct um_hottest_shown shown; /* what um_profiler_hottest has */
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

/* Sets the sampler, or NULL if there is none at present. Call um_profiler_turn before, to take what
 * the earlier one still has. */
void um_profiler_sampler(struct um_profiler *profiler, struct um_sampler *sampler, uint32_t tid);

/* Takes what sampler and namer have. Call it often; it never waits. While the target's thread does
 * not answer, `is_away`, no names are asked for: reading symbols could delay the thread further. */
void um_profiler_turn(struct um_profiler *profiler, uint64_t now_ns, bool is_away);

/* The key under which an address is published and named, from its offset in a module. */
uint64_t um_profiler_key(struct um_profiler *profiler, const struct um_sampler_module *module,
                         uint64_t offset);

/* A freeze has ended, as its EPISODE says: its STACK will follow if it was sampled. */
void um_profiler_freeze(struct um_profiler *profiler, const struct um_wire_frame *episode,
                        uint64_t now_ns);

/* The hottest functions, as the parts of two PROFILEs: of the time since `away_ns`, or of the last
 * freeze if that is 0; and of the session. Returns how many frames there are: only what has samples
 * has some. Call it once a second at the most. */
size_t um_profiler_hottest(struct um_profiler *profiler, uint64_t away_ns, uint64_t now_ns,
                           struct um_wire_frame frames[UM_HOTTEST_FRAMES]);

/* Waits for missing names, until none has come for `quiet_ms`, or for five times as long in all.
 * Then publishes the freezes without the rest. */
void um_profiler_finish(struct um_profiler *profiler, uint32_t quiet_ms);

/* The next line for the console: why functions or managed methods have no names, or what there is
 * too much of. Each is said once; false if there is nothing new. */
bool um_profiler_next_line(struct um_profiler *profiler, char *line, size_t cap_bytes);

#endif
