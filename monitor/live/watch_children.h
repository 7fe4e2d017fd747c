/* The programs that a launched one has started, directly or through others: which of them is
 * watched in its place, and what is said of the others.
 *
 * A launcher ends, or stays without a window, while the program that the user wants to see is a
 * child of it. If it ends without a window that was watched, the first child with one is watched
 * instead. Zeroed but for `launched`, `tracing` and `traced_path` nothing is known yet. It outlives
 * the watches of a run, and one watching thread at a time uses it. Not on the hot path.
 *
 * With `tracing`, one line for each program among them says that its methods are not traced, and
 * what to do: the environment was made for the launched program (trace_env.h).
 */
#ifndef UM_MONITOR_WATCH_CHILDREN_H
#define UM_MONITOR_WATCH_CHILDREN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/line_queue.h"
#include "base/platform.h"
#include "monitor/options/options.h"
#include "monitor/target/target.h"

#define UM_WATCH_CHILDREN_MAX 64 /* programs that lines can name in a run */
#define UM_WATCH_CHILDREN_PATHS 8

/* The last programs that a kind of line was about. */
struct um_watch_children_paths {
    size_t count; /* so many were noted; the last UM_WATCH_CHILDREN_PATHS of them are kept */
    char paths[UM_WATCH_CHILDREN_PATHS][UM_PLATFORM_PATH_BYTES];
};

struct um_watch_children {
    const struct um_target_process *launched;
    /* --trace methods or calls, which is for the launched program alone; NULL: it is not given.
     * Owner: the caller. */
    const struct um_options *tracing;
    char traced_path[UM_PLATFORM_PATH_BYTES]; /* of the launched program; "": not known */
    char name[128];                 /* of the launched program, as lines show it; "": not known */
    struct um_target_process *next; /* to be watched now; NULL: none. Owner: whoever takes it */
    struct um_target_info next_info;
    uint64_t ended_ns; /* when it was first seen that the launched program has ended; 0: it runs */
    bool said_waiting;
    bool had_any; /* programs that were started have been seen */
    size_t named_count;
    uint32_t named[UM_WATCH_CHILDREN_MAX]; /* a line has told how these are watched */
    size_t awaited_count;
    uint32_t awaited[UM_WATCH_CHILDREN_MAX]; /* they ran without a window when another was chosen */
    uint64_t chosen_ns;                      /* when that was */
    struct um_watch_children_paths advised;  /* a line has said how these are traced */
    struct um_watch_children_paths no_runtime; /* a line has said that no runtime is seen in them */
};

/* Notes the name of a program that is watched, if it is the launched one. */
void um_watch_children_name(struct um_watch_children *children,
                            const struct um_target_process *process, const char *name);

/* Called while the launched program runs without a window: names the children that have one. */
void um_watch_children_beside(struct um_watch_children *children, struct um_line_queue *lines);

/* Called when `ended`, the launched program or one that is watched in its place, has ended without
 * a window that was watched. Chooses the next one as soon as it has a window, and says so. Returns
 * whether there is still one to wait for, which has none yet. */
bool um_watch_children_choose(struct um_watch_children *children,
                              const struct um_target_process *ended, const char *name,
                              struct um_line_queue *lines, uint64_t now_ns);

/* Called a few times a second while the chosen one is watched: names those that were started beside
 * it, once they have a window. */
void um_watch_children_turn(struct um_watch_children *children, struct um_line_queue *lines,
                            uint64_t now_ns);

/* Called at the end of a session whose program has no window any more: names the children that it
 * leaves behind. */
void um_watch_children_left(struct um_watch_children *children,
                            const struct um_target_process *watched, struct um_line_queue *lines);

/* Whether a program has inherited an environment that was made for it: it is the launched program
 * once more. */
bool um_watch_children_is_traced(const struct um_watch_children *children, uint32_t pid);

/* Called when nothing of the launched program is traced because it is not managed. Returns whether
 * a line, now or before, has said how a child with a window and a .NET runtime is traced. */
bool um_watch_children_advised(struct um_watch_children *children, struct um_line_queue *lines);

/* Writes how a program has ended without a window, and what is known of those that the launched one
 * has started, as the end of an error's line. `had_any`: some of them have been seen. */
void um_watch_children_describe(const struct um_target_process *launched,
                                const struct um_target_process *ended, bool had_any, char *text,
                                size_t cap_bytes);

#endif
