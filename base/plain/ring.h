/* A ring of fixed records from one producer thread to one consumer thread.
 *
 * The producer may be a hook procedure on the watched program's UI thread, so it never waits. When
 * the ring is full it overwrites the oldest record, and the consumer finds out how many were lost.
 * Each slot carries its own sequence number. The consumer checks it before and after it copies the
 * record, so that it never returns a half-written one. On the hot path. Freestanding: no C library.
 *
 * Source: the per-slot sequence lock as in H.-J. Boehm, "Can seqlocks get along with programming
 * language memory models?" (MSPC 2012).
 */
#ifndef UM_BASE_RING_H
#define UM_BASE_RING_H

#include <stdatomic.h>
#include <stdint.h>

/* A record is four words. Their meaning is up to the producer and the consumer (hooks/record.h). */
#define UM_RING_WORDS 4

struct um_ring_record {
    uint64_t word[UM_RING_WORDS];
};

struct um_ring_slot {
    _Atomic uint64_t sequence; /* 2n+1 while record n is written, 2n+2 when it is whole */
    _Atomic uint64_t word[UM_RING_WORDS];
};

/* A zeroed struct plus um_ring_init is ready; there is nothing to release. */
struct um_ring {
    struct um_ring_slot *slots;
    uint64_t mask;
    _Atomic uint64_t head; /* records ever pushed; written by the producer */
    uint64_t tail;         /* records ever taken or lost; for the consumer alone */
    uint64_t lost;         /* records overwritten before they were taken; as above */
};

/* Empties the ring and gives it its slots.
 * Owner: `slots` stays the caller's and must outlive the ring; `count` is a power of two, at
 * least 2. Thread: neither producer nor consumer may be running. */
void um_ring_init(struct um_ring *ring, struct um_ring_slot *slots, uint32_t count);

/* Adds a record; overwrites the oldest one if the ring is full. Thread: the producer; wait-free. */
void um_ring_push(struct um_ring *ring, const struct um_ring_record *record);

/* Takes the oldest record that is still whole. Returns 1, or 0 if there is none. Adds the number of
 * records that were overwritten to ring->lost. Thread: the consumer; never blocks. */
int um_ring_pop(struct um_ring *ring, struct um_ring_record *record);

/* As um_ring_pop, for records whose last word is a secret: it does not stay in the ring's memory.
 * If the producer is writing the same secret to the same slot at that moment, the new one may be
 * lost and read as 0. */
int um_ring_pop_secret(struct um_ring *ring, struct um_ring_record *record);

#endif
