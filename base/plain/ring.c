#include "base/plain/ring.h"

void um_ring_init(struct um_ring *ring, struct um_ring_slot *slots, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        atomic_store_explicit(&slots[i].sequence, 0, memory_order_relaxed);
    ring->slots = slots;
    ring->mask = count - 1;
    ring->tail = 0;
    ring->lost = 0;
    atomic_store_explicit(&ring->head, 0, memory_order_release);
}

void um_ring_push(struct um_ring *ring, const struct um_ring_record *record)
{
    uint64_t number = atomic_load_explicit(&ring->head, memory_order_relaxed);
    struct um_ring_slot *slot = &ring->slots[number & ring->mask];

    /* The words are stored with release order, so that a consumer that reads one of them also sees
     * that the slot is being written. A release fence would do the same, but thread sanitizers
     * cannot follow fences. */
    atomic_store_explicit(&slot->sequence, 2 * number + 1, memory_order_relaxed);
    for (int i = 0; i < UM_RING_WORDS; i++)
        atomic_store_explicit(&slot->word[i], record->word[i], memory_order_release);
    atomic_store_explicit(&slot->sequence, 2 * number + 2, memory_order_release);
    atomic_store_explicit(&ring->head, number + 1, memory_order_release);
}

/* Copies slot `number` if it is whole and was not overwritten meanwhile. */
static int read_slot(struct um_ring *ring, uint64_t number, struct um_ring_record *record)
{
    struct um_ring_slot *slot = &ring->slots[number & ring->mask];
    uint64_t whole = 2 * number + 2;

    if (atomic_load_explicit(&slot->sequence, memory_order_acquire) != whole)
        return 0;
    for (int i = 0; i < UM_RING_WORDS; i++)
        record->word[i] = atomic_load_explicit(&slot->word[i], memory_order_acquire);
    return atomic_load_explicit(&slot->sequence, memory_order_relaxed) == whole;
}

int um_ring_pop(struct um_ring *ring, struct um_ring_record *record)
{
    uint64_t head = atomic_load_explicit(&ring->head, memory_order_acquire);
    uint64_t size = ring->mask + 1;

    if (head - ring->tail > size) {
        ring->lost += head - ring->tail - size;
        ring->tail = head - size;
    }
    while (ring->tail != head) {
        uint64_t number = ring->tail++;
        if (read_slot(ring, number, record))
            return 1;
        ring->lost++;
    }
    return 0;
}

int um_ring_pop_secret(struct um_ring *ring, struct um_ring_record *record)
{
    if (!um_ring_pop(ring, record))
        return 0;
    struct um_ring_slot *slot = &ring->slots[(ring->tail - 1) & ring->mask];
    uint64_t secret = record->word[UM_RING_WORDS - 1];
    atomic_compare_exchange_strong(&slot->word[UM_RING_WORDS - 1], &secret, 0);
    return 1;
}
