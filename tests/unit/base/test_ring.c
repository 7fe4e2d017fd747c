#include "base/plain/ring.h"

#include <criterion/criterion.h>

#include "base/thread.h"

#define SLOTS 8

static struct um_ring_record make_record(uint64_t number)
{
    /* Four words that can only belong together. */
    return (struct um_ring_record){{number, number * 3, ~number, number ^ UINT64_C(0x5555)}};
}

static int is_whole(const struct um_ring_record *got)
{
    struct um_ring_record expected = make_record(got->word[0]);
    int same = 1;
    for (int i = 0; i < UM_RING_WORDS; i++)
        same = same && got->word[i] == expected.word[i];
    return same;
}

static struct um_ring_slot slots[SLOTS];
static struct um_ring ring;
static struct um_ring_record record;

static void setup(void)
{
    um_ring_init(&ring, slots, SLOTS);
}

TestSuite(ring, .init = setup);

static void push(struct um_ring *to, uint64_t number)
{
    struct um_ring_record made = make_record(number);
    um_ring_push(to, &made);
}

Test(ring, gives_records_back_in_order)
{
    /* Three at a time through eight slots: every place in the ring is a start once. */
    for (uint64_t i = 0; i < 24; i += 3) {
        for (uint64_t k = 0; k < 3; k++)
            push(&ring, i + k);
        for (uint64_t k = 0; k < 3; k++) {
            cr_assert_eq(um_ring_pop(&ring, &record), 1);
            cr_assert_eq(record.word[0], i + k);
            cr_assert(is_whole(&record));
        }
        cr_assert_eq(um_ring_pop(&ring, &record), 0);
    }
    cr_assert_eq(ring.lost, 0);
}

Test(ring, a_secret_does_not_stay_in_its_memory)
{
    for (uint64_t i = 0; i < 3 * SLOTS; i++) { /* also when it wraps */
        push(&ring, i);
        cr_assert_eq(um_ring_pop_secret(&ring, &record), 1);
        cr_expect(is_whole(&record) && record.word[0] == i);
        cr_expect_eq(atomic_load(&slots[i % SLOTS].word[UM_RING_WORDS - 1]), 0);
    }
    cr_expect_eq(um_ring_pop_secret(&ring, &record), 0);
    cr_expect_eq(ring.lost, 0);
}

Test(ring, overwrites_the_oldest_and_counts_them)
{
    for (uint64_t extra = 0; extra <= 3 * SLOTS; extra++) {
        setup();
        for (uint64_t i = 0; i < SLOTS + extra; i++)
            push(&ring, i);
        for (uint64_t i = extra; i < SLOTS + extra; i++) {
            cr_assert_eq(um_ring_pop(&ring, &record), 1);
            cr_assert_eq(record.word[0], i);
        }
        cr_assert_eq(um_ring_pop(&ring, &record), 0);
        cr_assert_eq(ring.lost, extra);
    }
}

Test(ring, init_empties_a_used_ring)
{
    for (uint64_t i = 0; i < 2 * SLOTS; i++)
        push(&ring, i);
    cr_assert_eq(um_ring_pop(&ring, &record), 1);
    um_ring_init(&ring, slots, SLOTS);
    cr_assert_eq(um_ring_pop(&ring, &record), 0);
    cr_assert_eq(ring.lost, 0);
}

#define PUSHED 1000000

struct torture {
    struct um_ring ring;
    struct um_ring_slot slots[SLOTS];
    atomic_int is_over;
};

static void produce(void *context)
{
    struct torture *torture = context;
    for (uint64_t i = 0; i < PUSHED; i++)
        push(&torture->ring, i);
    atomic_store(&torture->is_over, 1);
}

/* A ring far too small for its producer, so that nearly every pop meets an overwrite. */
Test(ring, never_gives_a_torn_or_repeated_record, .threads = true)
{
    static struct torture torture;
    struct um_thread producer = {0};
    uint64_t popped = 0;
    uint64_t next = 0;
    um_ring_init(&torture.ring, torture.slots, SLOTS);
    cr_assert_eq(um_thread_start(produce, &torture, &producer), UM_OK);
    for (;;) {
        int is_over = atomic_load(&torture.is_over);
        while (um_ring_pop(&torture.ring, &record)) {
            cr_assert(is_whole(&record), "record %llu is torn", (unsigned long long)record.word[0]);
            cr_assert_geq(record.word[0], next, "a record came twice or out of order");
            next = record.word[0] + 1;
            popped++;
        }
        if (is_over)
            break;
    }
    um_thread_join(&producer);
    cr_assert_eq(popped + torture.ring.lost, PUSHED);
    cr_assert_eq(next, PUSHED, "the last record is never lost");
}
