/* A ring of records of any length, from all threads of the target to the worker.
 *
 * A record takes one or more slots that follow each other. Its thread gets them, and the record its
 * number, by one atomic addition, and never waits: when the ring is full, it overwrites the oldest.
 * A slot says which place it holds and whether that is whole, so the worker never takes what is
 * half-written, and finds out by the records' numbers how many were lost. A thread that finds
 * another one writing to its slot, which has been there since a round ago, gives its record up. One
 * that stops in the midst of a record (it may be suspended, or ended) holds the worker up for as
 * long as it has patience, and then the record counts as lost. All slots that were begun by the
 * time that the worker began to wait have had that patience then.
 *
 * `head` is the number of all records times 2^32, plus the number of all slots. So the low half
 * carries over into the high half when it wraps, which the worker takes out again: it knows how
 * often that was.
 *
 * On the hot path. Freestanding: no C library. Source: as base/plain/ring.h.
 */
#ifndef UM_HOOKS_MARK_RING_H
#define UM_HOOKS_MARK_RING_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/plain/clock.h"

#define UM_MARK_RING_SLOTS 4096u /* a power of two */
#define UM_MARK_RING_WORDS 15u   /* in a slot */
#define UM_MARK_RING_PATIENCE_NS (100 * UM_CLOCK_NS_PER_MS)
#define UM_MARK_RING_ONE (UINT64_C(1) << 32) /* a record, in `head` */

/* `state`: bit 0 it is being written, bits 1-33 its place and 1, bits 40-47 which slot of its
 * record it is, bits 48-55 how many that has. 0: nothing was ever written. */
struct um_mark_ring_slot {
    _Atomic uint64_t state;
    _Atomic uint64_t words[UM_MARK_RING_WORDS];
};

/* Zeroed, it is ready; there is nothing to release. */
struct um_mark_ring {
    _Atomic uint64_t head;
    /* Used by the worker alone. */
    uint64_t tail;           /* slots that were taken or lost */
    uint32_t expected;       /* the low half of the number of the next record */
    uint64_t lost;           /* records that were not taken */
    uint64_t stuck_since_ns; /* slots before `stuck_end` are waited for since then */
    uint64_t stuck_end;
    struct um_mark_ring_slot slots[UM_MARK_RING_SLOTS];
};

static inline uint64_t um_mark_ring_state(uint32_t place, uint32_t index, uint32_t count)
{
    return ((uint64_t)place + 1) << 1 | (uint64_t)index << 40 | (uint64_t)count << 48;
}

/* Whether a state is of that place, or of a later one. */
static inline int um_mark_ring_is_since(uint64_t state, uint32_t place)
{
    uint32_t of = (uint32_t)(state >> 1) - 1;
    return state != 0 && (int32_t)(of - place) >= 0;
}

/* Takes a slot for writing; 0 if another thread has it. */
static inline int um_mark_ring_claim(struct um_mark_ring_slot *slot, uint32_t place, uint64_t state)
{
    uint64_t seen = atomic_load_explicit(&slot->state, memory_order_relaxed);
    do {
        if ((seen & 1) || um_mark_ring_is_since(seen, place))
            return 0;
    } while (!atomic_compare_exchange_weak_explicit(&slot->state, &seen, state | 1,
                                                    memory_order_acquire, memory_order_relaxed));
    return 1;
}

/* Adds a record of so many words, at least 2, and returns its number, which is not 0 and is put
 * into words[1]. Thread: any; wait-free but for as many tries as there are threads. */
static inline uint64_t um_mark_ring_push(struct um_mark_ring *ring, uint64_t *words, uint32_t count)
{
    uint32_t slots = (count + UM_MARK_RING_WORDS - 1) / UM_MARK_RING_WORDS;
    uint64_t before =
        atomic_fetch_add_explicit(&ring->head, UM_MARK_RING_ONE + slots, memory_order_relaxed);
    words[1] = before + 1;
    for (uint32_t i = 0; i < slots; i++) {
        uint32_t place = (uint32_t)before + i;
        struct um_mark_ring_slot *slot = &ring->slots[place % UM_MARK_RING_SLOTS];
        uint64_t state = um_mark_ring_state(place, i, slots);
        if (!um_mark_ring_claim(slot, place, state))
            break;
        for (uint32_t k = 0; k < UM_MARK_RING_WORDS && i * UM_MARK_RING_WORDS + k < count; k++)
            atomic_store_explicit(&slot->words[k], words[i * UM_MARK_RING_WORDS + k],
                                  memory_order_release); /* as in base/plain/ring.c */
        atomic_store_explicit(&slot->state, state, memory_order_release);
    }
    return before + 1;
}

/* How many records there were in all when `head` was that, modulo 2^32; `tail` is not far behind
 * it. */
static inline uint32_t um_mark_ring_records(const struct um_mark_ring *ring, uint64_t head)
{
    uint32_t ahead = (uint32_t)head - (uint32_t)ring->tail;
    return (uint32_t)(head >> 32) - (uint32_t)((ring->tail + ahead) >> 32);
}

/* Forgets what the ring holds, without counting it as lost. Thread: the worker. */
static inline void um_mark_ring_clear(struct um_mark_ring *ring)
{
    uint64_t head = atomic_load_explicit(&ring->head, memory_order_acquire);
    ring->expected = um_mark_ring_records(ring, head);
    ring->tail += (uint32_t)head - (uint32_t)ring->tail;
    ring->lost = 0;
}

/* Copies a slot, if it is whole and of that place; returns its state, else 0. */
static inline uint64_t um_mark_ring_copy(struct um_mark_ring *ring, uint64_t place, uint64_t *words,
                                         uint32_t cap)
{
    struct um_mark_ring_slot *slot = &ring->slots[place % UM_MARK_RING_SLOTS];
    uint64_t state = atomic_load_explicit(&slot->state, memory_order_acquire);
    if ((state & 1) || (uint32_t)(state >> 1) != (uint32_t)place + 1)
        return 0;
    for (uint32_t i = 0; i < UM_MARK_RING_WORDS && i < cap; i++)
        words[i] = atomic_load_explicit(&slot->words[i], memory_order_acquire);
    return atomic_load_explicit(&slot->state, memory_order_relaxed) == state ? state : 0;
}

/* Whether the slot of a place holds a later one by now. */
static inline int um_mark_ring_is_over(struct um_mark_ring *ring, uint64_t place)
{
    uint64_t state =
        atomic_load_explicit(&ring->slots[place % UM_MARK_RING_SLOTS].state, memory_order_relaxed);
    return um_mark_ring_is_since(state, (uint32_t)place + 1);
}

/* Copies the record at `tail`. Returns how many slots it has. 0: it is not whole; `*skips` is then
 * how many slots hold no record that can still become whole. */
static inline uint32_t um_mark_ring_copy_all(struct um_mark_ring *ring, uint64_t *words,
                                             uint32_t cap, uint32_t *skips)
{
    uint64_t state = um_mark_ring_copy(ring, ring->tail, words, cap);
    uint32_t count = (uint32_t)(state >> 48) & 0xff;
    *skips = state ? 0 : (uint32_t)um_mark_ring_is_over(ring, ring->tail);
    if (state && ((state >> 40) & 0xff) != 0) /* the record's begin is lost */
        *skips = 1;
    if (!state || *skips)
        return 0;
    for (uint32_t i = 1; i < count; i++) {
        uint32_t at = i * UM_MARK_RING_WORDS;
        if (at >= cap || um_mark_ring_copy(ring, ring->tail + i, words + at, cap - at))
            continue;
        *skips = um_mark_ring_is_over(ring, ring->tail + i) ? i : 0;
        return 0;
    }
    return count;
}

/* How many records were added that were neither taken nor counted as lost. Thread: the worker. */
static inline uint32_t um_mark_ring_left(const struct um_mark_ring *ring)
{
    uint64_t head = atomic_load_explicit(&ring->head, memory_order_acquire);
    return um_mark_ring_records(ring, head) - ring->expected;
}

/* Goes on behind a slot that is not whole, the first of `ready`, if it was waited for so long. */
static inline int um_mark_ring_gives_up(struct um_mark_ring *ring, uint32_t ready, uint64_t now_ns,
                                        uint64_t patience_ns)
{
    if (ring->tail >= ring->stuck_end) {
        ring->stuck_since_ns = now_ns;
        ring->stuck_end = ring->tail + ready;
    }
    if (now_ns - ring->stuck_since_ns < patience_ns)
        return 0;
    ring->tail++;
    return 1;
}

/* Takes the oldest record that is whole: its first `cap` words. Returns 1, or 0 if there is none
 * now. ring->lost is what is known to be lost before it. `patience_ns`: so long a record that is
 * not whole holds up those behind it. Thread: the worker; never waits. */
static inline int um_mark_ring_pop(struct um_mark_ring *ring, uint64_t *words, uint32_t cap,
                                   uint64_t now_ns, uint64_t patience_ns)
{
    for (;;) {
        uint64_t head = atomic_load_explicit(&ring->head, memory_order_acquire);
        uint32_t ready = (uint32_t)head - (uint32_t)ring->tail;
        uint32_t skips;
        if (ready == 0) { /* what is missing now is lost */
            uint32_t records = um_mark_ring_records(ring, head);
            ring->lost += records - ring->expected;
            ring->expected = records;
            return 0;
        }
        if (ready > UM_MARK_RING_SLOTS) {
            ring->tail += ready - UM_MARK_RING_SLOTS;
            ready = UM_MARK_RING_SLOTS;
        }
        uint32_t count = um_mark_ring_copy_all(ring, words, cap, &skips);
        if (count > 0) {
            uint32_t number = (uint32_t)((words[1] - 1) >> 32) - (uint32_t)(ring->tail >> 32);
            ring->lost += number - ring->expected;
            ring->expected = number + 1;
            ring->tail += count;
            return 1;
        }
        if (skips > 0)
            ring->tail += skips;
        else if (!um_mark_ring_gives_up(ring, ready, now_ns, patience_ns))
            return 0;
    }
}

#endif
