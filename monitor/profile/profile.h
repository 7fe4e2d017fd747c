/* The profile of a session, as the feed or a recording tells it: samples, what modules and
 * functions their addresses lie in, and which freeze they belong to.
 *
 * It takes the frames MODULE, NODES, SAMPLE, NAME and EPISODE and leaves all others alone.
 * Whatever the frames say, its memory is bounded; a sample for which there is no room is
 * counted. A reader starts at um_profile_take. Not on the hot path. Thread: one at a time.
 */
#ifndef UM_MONITOR_PROFILE_H
#define UM_MONITOR_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/status.h"
#include "ipc/wire.h"
#include "monitor/profile/functions.h"
#include "monitor/profile/samples.h"

#define UM_PROFILE_NAMES 262144
#define UM_PROFILE_THREADS 1024 /* of which names are kept */

struct um_profile;

/* What a NAME has told of an address. Owner: the profile, until it is closed or cleared. */
struct um_profile_name {
    uint32_t displacement; /* from the begin of the function to the address */
    uint32_t line;         /* of the address; 0: not known */
    uint8_t kind;          /* enum um_names_kind */
    uint8_t why;           /* enum um_names_why */
    const char *name;      /* "": it has none */
    const char *file;      /* "": not known */
};

/* An empty profile; 0 stands for UM_SAMPLES_MOST samples. Owner: um_profile_close.
 * Errors: UM_ERR_MEMORY. */
enum um_status um_profile_open(size_t most_samples, struct um_profile **profile);

/* Accepts NULL. */
void um_profile_close(struct um_profile *profile);

/* Takes a frame of the feed. A freeze that has ended claims the samples that were taken in it. */
void um_profile_take(struct um_profile *profile, const struct um_wire_frame *frame);

/* Owner: the profile. `stacks.lost` of it has the samples for which there was no room. */
const struct um_samples *um_profile_samples(const struct um_profile *profile);

/* What the times of samples count from: the begin of the session; 0 if no SESSION has told it. */
uint64_t um_profile_start_ns(const struct um_profile *profile);

/* How many samples were told of, also of those for which there was no room. */
uint64_t um_profile_told(const struct um_profile *profile);

/* Forgets the samples; what is known of modules, nodes and names stays. Errors: UM_ERR_MEMORY, and
 * then there is no room for any. */
enum um_status um_profile_clear(struct um_profile *profile);

/* Forgets the names of addresses that are in no sample: for who is told them anew when they come
 * again. */
void um_profile_trim(struct um_profile *profile);

/* What its program calls a thread; "" if it is not known. */
const char *um_profile_thread_name(const struct um_profile *profile, uint32_t thread);

/* The path of a module by its number; "" if it is not known. */
const char *um_profile_module(const struct um_profile *profile, int32_t number);

/* What is known of an address; NULL: no NAME has come. */
const struct um_profile_name *um_profile_name(const struct um_profile *profile, uint64_t key);

/* What stands for the module of methods that a runtime has compiled, which are in none. */
extern const char um_profile_managed[];

/* Names an address for um_functions_init, whose context is the profile. A function without a
 * name is called "+0x1234" by where it begins. */
bool um_profile_look_up(void *profile, uint64_t key, struct um_functions_name *name);

#endif
