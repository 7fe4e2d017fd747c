/* Decides who resumes a thread of the target that the monitor has suspended for a sample: the
 * monitor, or the hook DLL if the monitor cannot.
 *
 * The monitor resumes the thread within a millisecond, unless it is suspended or killed itself. So
 * monitor and DLL share one word of memory. While it is not 0, the monitor claims the thread in it.
 * The monitor claims a thread before it suspends it, and again afterwards. If the DLL took the
 * first claim over in between, it may have resumed the thread too early: the second claim is then
 * left to the DLL, which looks once more. The monitor resumes the thread only if its claim still
 * stands, and ends the claim after that. The hook DLL looks whether the thread of an old claim is
 * suspended (hooks/resume_watchdog.h). If so, it takes the claim over and resumes the thread. So
 * the thread is resumed once, and threads that others have suspended are left alone.
 *
 * The DLL makes the shared memory, which is named after the nonce of its attachment
 * (suspend_claim_win32.h). Portable and freestanding, for the DLL too. Never blocks. A reader
 * starts at um_suspend_claim_make.
 */
#ifndef UM_IPC_SUSPEND_CLAIM_H
#define UM_IPC_SUSPEND_CLAIM_H

#include <stdatomic.h>
#include <stdint.h>

/* After so long the DLL takes a claim over. A shorter time is normal: the system can be slow to
 * suspend a thread, and the monitor may wait for a processor. */
#define UM_SUSPEND_CLAIM_MOST_NS UINT64_C(350000000)

/* Zeroed: no thread is claimed. */
struct um_suspend_claim {
    _Atomic uint64_t word; /* a number for each claim in the upper half, the thread's id below it */
};

static inline uint64_t um_suspend_claim_word(uint32_t number, uint32_t tid)
{
    return (uint64_t)number << 32 | tid;
}

static inline uint32_t um_suspend_claim_thread(uint64_t word)
{
    return (uint32_t)word;
}

/* The monitor: claims a thread, in place of its claim before. Returns the claim. */
static inline uint64_t um_suspend_claim_make(struct um_suspend_claim *claim, uint32_t number,
                                             uint32_t tid)
{
    uint64_t word = um_suspend_claim_word(number, tid);
    atomic_store(&claim->word, word);
    return word;
}

/* The monitor: claims the thread of its last claim `*word` once more, and stores the new claim
 * there. Returns whether the last one still held. */
static inline int um_suspend_claim_again(struct um_suspend_claim *claim, uint64_t *word,
                                         uint32_t number)
{
    uint64_t again = um_suspend_claim_word(number, um_suspend_claim_thread(*word));
    int held = atomic_exchange(&claim->word, again) == *word;
    *word = again;
    return held;
}

/* The present claim; 0: none. */
static inline uint64_t um_suspend_claim_look(struct um_suspend_claim *claim)
{
    return atomic_load(&claim->word);
}

/* Ends a claim if it still holds, and returns whether it did. The monitor ends its own one after
 * it has resumed the thread, and the DLL the monitor's just before it resumes the thread. */
static inline int um_suspend_claim_end(struct um_suspend_claim *claim, uint64_t word)
{
    return atomic_compare_exchange_strong(&claim->word, &word, 0);
}

#endif
