/* When the worker looks at a thread that the monitor claims (ipc/claim.h), and when it resumes that
 * thread. A pure function of the claim and of what the looks have found.
 *
 * The monitor suspends a thread only for a moment, so a claim is nearly always gone before its
 * first look. As after the monitor's death (thaw_win32.c), a thread is resumed only if every look
 * found it suspended, because other programs suspend threads for moments, too.
 *
 * Portable and freestanding. Units: ns.
 */
#ifndef UM_HOOKS_THAW_H
#define UM_HOOKS_THAW_H

#include <stdint.h>

#include "ipc/claim.h"
#include "base/plain/looks.h"

#define UM_THAW_FIRST_NS UINT64_C(150000000) /* of a claim's age, at the first look */
#define UM_THAW_EACH_NS (UM_LOOKS_EACH_MS * UINT64_C(1000000)) /* between two, at least */
#define UM_THAW_LOOKS (UM_LOOKS - 1) /* at least; the claim itself is one more */

/* What is known of a claim. Zeroed: there is none. */
struct um_thaw {
    uint64_t word;      /* of the claim; 0: none */
    uint64_t since_ns;  /* when it was seen first */
    uint64_t looked_ns; /* the last look */
    uint32_t looks;     /* how many there were */
    int over;           /* one found the thread running: the monitor is done with it */
};

/* Takes the present claim. Returns whether it is time to look at its thread. */
static inline int um_thaw_is_due(struct um_thaw *thaw, uint64_t word, uint64_t now_ns)
{
    if (word != thaw->word)
        *thaw = (struct um_thaw){.word = word, .since_ns = now_ns};
    if (word == 0 || thaw->over || now_ns - thaw->since_ns < UM_THAW_FIRST_NS)
        return 0;
    return thaw->looks == 0 || now_ns - thaw->looked_ns >= UM_THAW_EACH_NS;
}

/* Takes the result of a look; `stands`: the thread is suspended. Returns whether to resume it. */
static inline int um_thaw_saw(struct um_thaw *thaw, int stands, uint64_t now_ns)
{
    thaw->looked_ns = now_ns;
    thaw->looks++;
    thaw->over = !stands;
    return stands && thaw->looks >= UM_THAW_LOOKS && now_ns - thaw->since_ns >= UM_CLAIM_MOST_NS;
}

#endif
