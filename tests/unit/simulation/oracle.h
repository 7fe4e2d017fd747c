/* The oracle: says what uimon must have told about a simulated session. It knows the script, its
 * faults, and what the model's UI thread really did. It shares no code with what it judges: it
 * applies the rules that the headers of monitor/measure write down, to what really happened.
 *
 * It asks for
 *   - each freeze and each slow time, once: begin, end, state, message and window class. Where the
 *     begin was not retrieved, it lies within the uncertainty that is reported;
 *   - the latency of each beat, and the four times of each key with its freeze;
 *   - suspended, blind and idle times: only where the faults caused them, and no longer;
 *   - the time of each state, as these add up to;
 *   - the reason of blind time, what a late joiner is told, and the sums of a cut recording;
 *   - whatever was told, that the thread was away in each freeze, and that no time is responsive in
 *     which it was away for much longer than the threshold.
 * Where records were lost, or nobody looked, it cannot know. That time is counted.
 */
#ifndef UM_TESTS_SIMULATION_ORACLE_H
#define UM_TESTS_SIMULATION_ORACLE_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/unit/simulation/model.h"

#define ORACLE_TEXT_BYTES 512

struct oracle_verdict {
    char complaint[ORACLE_TEXT_BYTES]; /* the first one; empty: all is well */
    const char *about;                 /* what it is about; NULL: nothing */
    uint64_t total_ns;
    uint64_t unsure_ns;
    unsigned freezes; /* how many were expected, of both states */
    unsigned keys;
};

/* Whether the frame tells an episode that has ended and is not void. */
bool oracle_is_over(const struct um_wire_frame *frame);

struct oracle_verdict oracle_judge(const struct script *script, const struct model_trace *trace);

#endif
