/* Who lets a thread of the target go on that the monitor has suspended to sample it.
 *
 * The monitor resumes it within a millisecond, unless it is itself suspended, or ended, in between.
 * So both have one word mapped: while it is not 0, the monitor claims the thread in it. It claims a
 * thread before it suspends it, and once more after that. Where the first claim was taken over in
 * between, the DLL may have resumed the thread already: the second claim is left to the DLL, which
 * looks once more. The monitor resumes the thread only if its claim still stands, and ends the
 * claim after that.
 * The hook DLL looks whether a claim of some age has a thread that stands (hooks/thaw.h). If so, it
 * takes the claim over and resumes the thread. So the thread is resumed once, and what others have
 * suspended is left alone.
 *
 * The DLL makes the mapping, which is named for the nonce of its attachment (claim_win32.h).
 * Portable and freestanding: this is for the DLL too. Never blocks. A reader starts at
 * um_claim_make.
 */
#ifndef UM_IPC_CLAIM_H
#define UM_IPC_CLAIM_H

#include <stdatomic.h>
#include <stdint.h>

/* After so long the DLL takes a claim over. Until then a thread that the system is slow to stop, or
 * a monitor that has to wait for a processor, is nothing to mend. */
#define UM_CLAIM_MOST_NS UINT64_C(350000000)

/* Zeroed: no thread is claimed. */
struct um_claim {
    _Atomic uint64_t word; /* a number for each claim in the upper half, the thread's id below it */
};

static inline uint64_t um_claim_word(uint32_t number, uint32_t tid)
{
    return (uint64_t)number << 32 | tid;
}

static inline uint32_t um_claim_thread(uint64_t word)
{
    return (uint32_t)word;
}

/* The monitor: claims a thread, in the place of its claim before. Returns what was written. */
static inline uint64_t um_claim_make(struct um_claim *claim, uint32_t number, uint32_t tid)
{
    uint64_t word = um_claim_word(number, tid);
    atomic_store(&claim->word, word);
    return word;
}

/* The monitor: claims the thread of its last claim `word` once more, and writes the new claim
 * there. Whether the last one still stood. */
static inline int um_claim_again(struct um_claim *claim, uint64_t *word, uint32_t number)
{
    uint64_t again = um_claim_word(number, um_claim_thread(*word));
    int stood = atomic_exchange(&claim->word, again) == *word;
    *word = again;
    return stood;
}

/* The claim that there is; 0: none. */
static inline uint64_t um_claim_look(struct um_claim *claim)
{
    return atomic_load(&claim->word);
}

/* Ends a claim, if it still stands: the monitor its own one, when the thread runs again; the DLL
 * that of the monitor, just before it resumes the thread. Whether it stood. */
static inline int um_claim_end(struct um_claim *claim, uint64_t word)
{
    return atomic_compare_exchange_strong(&claim->word, &word, 0);
}

#endif
