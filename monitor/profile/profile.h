/* The profile of a session, made from the frames of a feed or a recording: samples, the modules and
 * functions of their addresses, and the freezes they belong to.
 *
 * It takes MODULE, NODES, SAMPLE, NAME, EPISODE and SESSION, and ignores other frames. Its memory
 * is bounded, whatever the frames say; samples for which there is no room are counted. A reader
 * starts at um_profile_take. Not on the hot path. Thread: one at a time.
 */
#ifndef UM_MONITOR_PROFILE_H
#define UM_MONITOR_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "ipc/wire.h"
#include "monitor/profile/functions.h"
#include "monitor/profile/samples.h"

#define UM_PROFILE_NAMES 262144
#define UM_PROFILE_LINES 0x20000000 /* a file has fewer */
#define UM_PROFILE_THREADS 1024     /* so many threads' names are kept */

struct um_profile;

/* What a NAME has of an address. Owner: the profile, until it is closed or cleared. */
struct um_profile_name {
    uint32_t displacement; /* from the begin of the function to the address */
    uint32_t line;         /* of the address; 0: not known */
    bool is_nearest;       /* the line is only the nearest one before that is known */
    uint32_t first_line;   /* of the whole function in its file; 0: not known */
    uint32_t last_line;    /* not below it */
    int32_t module;        /* with the assembly of a managed method; -1: not known */
    uint8_t kind;          /* enum um_names_kind */
    uint8_t why;           /* enum um_names_why */
    const char *name;      /* "": it has none */
    const char *file;      /* "": not known */
    const char *checksum;  /* of the file, as base/checksum.h writes it; "": not known */
};

/* Makes an empty profile. `most_samples` 0 stands for UM_SAMPLES_MOST samples. Owner:
 * um_profile_close.
 * Errors: UM_ERR_MEMORY. */
enum um_status um_profile_open(size_t most_samples, struct um_profile **profile);

/* Accepts NULL. */
void um_profile_close(struct um_profile *profile);

/* Takes a frame of the feed. When a freeze has ended, the samples that were taken in it become
 * samples of that freeze. No sample stands for time before its freeze began, or in a freeze that
 * had ended before. */
void um_profile_take(struct um_profile *profile, const struct um_wire_frame *frame);

/* Which samples belong to which freeze at one time, and what they weigh, to go back to. Private to
 * profile.c; zeroed, there is none. */
struct um_profile_marked {
    uint32_t freeze;
    uint64_t wall_ns;
};

struct um_profile_mark {
    struct um_wire_episode freeze;
    struct um_profile_marked *list; /* the samples from `first` on */
    size_t first;
    size_t count; /* samples, in all */
};

/* Marks what an EPISODE can change that begins at `since_ns` or later. Owner:
 * um_profile_mark_deinit. Errors: UM_ERR_MEMORY. */
enum um_status um_profile_mark(const struct um_profile *profile, uint64_t since_ns,
                               struct um_profile_mark *mark);

/* Goes back to a mark; only such EPISODEs may have been taken since then. */
void um_profile_go_back(struct um_profile *profile, const struct um_profile_mark *mark);

/* Accepts a zeroed one. */
void um_profile_mark_deinit(struct um_profile_mark *mark);

/* The samples. `stacks.lost` counts those for which there was no room. Owner: the profile. */
const struct um_samples *um_profile_samples(const struct um_profile *profile);

/* The session's start, from which the times of samples count; 0: no SESSION has come. */
uint64_t um_profile_start_ns(const struct um_profile *profile);

/* How many samples have come, also those for which there was no room. */
uint64_t um_profile_sample_count(const struct um_profile *profile);

/* Forgets the samples, and keeps modules, nodes and names. Errors: UM_ERR_MEMORY; then no further
 * sample has room. */
enum um_status um_profile_clear(struct um_profile *profile);

/* Forgets the names of addresses that are in no sample. Only for a caller whose feed sends such a
 * name again when it is needed. */
void um_profile_trim(struct um_profile *profile);

/* The name of a thread as the program set it; "" if it is not known. */
const char *um_profile_thread_name(const struct um_profile *profile, uint32_t thread);

/* The path of a module by its number; "" if it is not known. */
const char *um_profile_module(const struct um_profile *profile, int32_t number);

/* The NAME of an address; NULL: none has come. */
const struct um_profile_name *um_profile_name(const struct um_profile *profile, uint64_t key);

/* Stands for the module of methods that a runtime has compiled, where their assembly is not
 * known. */
extern const char um_profile_managed[];

/* Names an address for um_functions_init, whose context is the profile. The module of a managed
 * method is its assembly, where that is known. A function without a name is called "+0x1234" by
 * where it begins in its module; code of no module is um_functions_nameless. */
bool um_profile_look_up(void *profile, uint64_t key, struct um_functions_name *name);

#endif
