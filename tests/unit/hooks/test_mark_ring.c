/* The ring of the program's own markers, with one thread that adds and with many. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/thread.h"
#include "hooks/mark_ring.h"

#define MS UM_CLOCK_NS_PER_MS
#define WORDS 40 /* three slots */

static struct um_mark_ring *ring;
static uint64_t words[WORDS];

static void setup(void)
{
    ring = calloc(1, sizeof *ring);
    cr_assert(ring);
}

static void teardown(void)
{
    free(ring);
}

TestSuite(mark_ring, .init = setup, .fini = teardown);
TestSuite(mark_ring_threads, .init = setup, .fini = teardown, .threads = true);

/* Adds a record whose words are all `value`, but for the one that the ring fills in. */
static uint64_t push(uint64_t value, uint32_t count)
{
    uint64_t record[WORDS];
    for (uint32_t i = 0; i < count; i++)
        record[i] = value;
    return um_mark_ring_push(ring, record, count);
}

static bool pop(uint64_t now_ns)
{
    return um_mark_ring_pop(ring, words, WORDS, now_ns, UM_MARK_RING_PATIENCE_NS) != 0;
}

/* Takes the next record, which has `value` in so many words. */
static void expect(uint64_t value, uint32_t count)
{
    cr_assert(pop(1), "%lu", (unsigned long)value);
    for (uint32_t i = 0; i < count; i++)
        cr_assert(i == 1 || words[i] == value, "word %u is %lu", i, (unsigned long)words[i]);
}

Test(mark_ring, records_of_any_length_come_out_in_their_order)
{
    uint64_t numbers[3];
    cr_expect_not(pop(1));
    numbers[0] = push(7, 2);
    numbers[1] = push(8, 40);
    numbers[2] = push(9, 15);
    cr_expect(numbers[0] != 0 && numbers[0] < numbers[1] && numbers[1] < numbers[2]);
    expect(7, 2);
    expect(8, 40);
    cr_expect_eq(words[1], numbers[1]);
    expect(9, 15);
    cr_expect_not(pop(1));
    cr_expect_eq(ring->lost, 0);
}

Test(mark_ring, the_oldest_are_lost_and_counted)
{
    for (uint64_t i = 0; i < 5000; i++)
        push(i, 20); /* two slots each */
    expect(5000 - UM_MARK_RING_SLOTS / 2, 20);
    cr_expect_eq(ring->lost, 5000 - UM_MARK_RING_SLOTS / 2);
    for (uint64_t i = 5000 - UM_MARK_RING_SLOTS / 2 + 1; i < 5000; i++)
        expect(i, 20);
    cr_expect_not(pop(1));
    cr_expect_eq(ring->lost, 5000 - UM_MARK_RING_SLOTS / 2);
}

/* The oldest that is whole comes next. */
Test(mark_ring, a_record_that_was_overwritten_in_part_is_lost)
{
    push(1, 40);
    for (uint64_t i = 2; i < UM_MARK_RING_SLOTS; i++)
        push(i, 2);
    expect(2, 2);
    cr_expect_eq(ring->lost, 1);
}

Test(mark_ring, what_is_lost_at_the_end_is_counted_too)
{
    push(1, 2);
    expect(1, 2);
    for (uint64_t i = 0; i < 3; i++)
        atomic_fetch_add(&ring->head, UM_MARK_RING_ONE + 1); /* threads that ended meanwhile */
    cr_expect_eq(um_mark_ring_left(ring), 3);
    cr_expect_not(pop(1));
    cr_expect_not(pop(99 * MS));
    cr_expect_eq(ring->lost, 0);
    cr_expect_not(pop(101 * MS));
    cr_expect_eq(ring->lost, 3);
    push(2, 2);
    expect(2, 2);
    cr_expect_eq(ring->lost, 3);
}

Test(mark_ring, a_thread_that_stops_in_the_midst_holds_up_for_a_while)
{
    atomic_fetch_add(&ring->head, UM_MARK_RING_ONE + 2);
    atomic_store(&ring->slots[0].state, um_mark_ring_state(0, 0, 2) | 1);
    push(5, 2);
    cr_expect_not(pop(10 * MS));
    cr_expect_not(pop(109 * MS));
    cr_expect(pop(110 * MS));
    cr_expect_eq(words[0], 5);
    cr_expect_eq(ring->lost, 1);
}

/* Slots of records that were begun before the wait have waited as long; those begun later are
 * waited for anew. */
Test(mark_ring, threads_that_stopped_hold_up_together)
{
    for (uint64_t i = 0; i < 15; i++) {
        atomic_fetch_add(&ring->head, UM_MARK_RING_ONE + 1);
        push(i, 2);
    }
    cr_expect_not(pop(10 * MS));
    atomic_fetch_add(&ring->head, UM_MARK_RING_ONE + 1);
    push(15, 2);
    for (uint64_t i = 0; i < 15; i++) {
        cr_assert(pop(110 * MS), "%lu", (unsigned long)i);
        cr_expect_eq(words[0], i);
    }
    cr_expect_eq(ring->lost, 15);
    cr_expect_not(pop(111 * MS));
    cr_expect_not(pop(210 * MS));
    cr_expect(pop(211 * MS));
    cr_expect_eq(words[0], 15);
}

Test(mark_ring, without_patience_nothing_is_waited_for)
{
    atomic_fetch_add(&ring->head, UM_MARK_RING_ONE + 3);
    push(5, 2);
    cr_expect(um_mark_ring_pop(ring, words, WORDS, 10 * MS, 0));
    cr_expect_eq(words[0], 5);
    cr_expect_eq(ring->lost, 1);
}

/* Whoever comes around does not write where another one still writes. */
Test(mark_ring, a_slot_that_is_being_written_is_left_alone)
{
    atomic_fetch_add(&ring->head, UM_MARK_RING_ONE + 1);
    atomic_store(&ring->slots[0].state, um_mark_ring_state(0, 0, 1) | 1);
    for (uint64_t i = 1; i <= UM_MARK_RING_SLOTS; i++)
        push(i, 2);
    cr_expect_eq(atomic_load(&ring->slots[0].state), um_mark_ring_state(0, 0, 1) | 1);
    expect(1, 2);
    cr_expect_eq(ring->lost, 1);
}

/* `head`'s halves, which are added up. */
Test(mark_ring, goes_on_when_its_places_have_no_more_bits)
{
    atomic_store(&ring->head, UINT64_C(0x12345) << 32 | (UINT32_MAX - 3));
    ring->tail = UINT32_MAX - 3;
    um_mark_ring_clear(ring);
    for (uint64_t i = 0; i < 3 * UM_MARK_RING_SLOTS; i++) {
        push(i, 20);
        expect(i, 20);
    }
    cr_expect_eq(ring->lost, 0);
    for (uint64_t i = 0; i < UM_MARK_RING_SLOTS; i++)
        push(i, 2);
    push(7, 2);
    expect(1, 2);
    cr_expect_eq(ring->lost, 1);
}

Test(mark_ring, nothing_is_lost_when_it_is_cleared)
{
    for (uint64_t i = 0; i < 9000; i++)
        push(i, 2);
    um_mark_ring_clear(ring);
    cr_expect_not(pop(1));
    push(3, 2);
    expect(3, 2);
    cr_expect_eq(ring->lost, 0);
}

/* Threads -------------------------------------------------------------------------------------- */

#define THREADS 4
#define RECORDS 20000

struct producer {
    struct um_thread thread;
    uint64_t id;
    uint32_t pause; /* it sleeps after so many; 0: never */
};

static _Atomic int running;

/* Each word of a record is made of the thread and the record. */
static void produce(void *context)
{
    const struct producer *producer = context;
    for (uint64_t i = 0; i < RECORDS; i++) {
        push(producer->id << 32 | i, 2 + (uint32_t)((i * 7 + producer->id) % (WORDS - 2)));
        if (producer->pause && i % producer->pause == 0)
            um_clock_sleep_ns(MS);
    }
    atomic_fetch_sub(&running, 1);
}

/* All that come out are whole and in the order of their thread, and with the lost ones they are all
 * that there were. */
static void run(uint32_t pause)
{
    struct producer producers[THREADS];
    uint64_t next[THREADS] = {0}, count = 0;
    atomic_store(&running, THREADS);
    for (uint64_t i = 0; i < THREADS; i++) {
        producers[i].id = i;
        producers[i].pause = pause;
        cr_assert_eq(um_thread_start(produce, &producers[i], &producers[i].thread), UM_OK);
    }
    for (;;) {
        int left = atomic_load(&running);
        if (!pop(um_clock_now_ns())) {
            if (left == 0 && um_mark_ring_left(ring) == 0)
                break;
            continue;
        }
        uint64_t id = words[0] >> 32, i = words[0] & UINT32_MAX;
        uint32_t length = 2 + (uint32_t)((i * 7 + id) % (WORDS - 2));
        cr_assert(id < THREADS && i >= next[id], "record %lu of %lu", (unsigned long)i,
                  (unsigned long)id);
        for (uint32_t k = 2; k < length; k++)
            cr_assert_eq(words[k], words[0], "a word of another record");
        next[id] = i + 1;
        count++;
    }
    for (size_t i = 0; i < THREADS; i++)
        um_thread_join(&producers[i].thread);
    cr_expect_eq(count + ring->lost, (uint64_t)THREADS * RECORDS, "%lu and %lu",
                 (unsigned long)count, (unsigned long)ring->lost);
    cr_expect_gt(count, 0);
}

Test(mark_ring_threads, a_flood_leaves_whole_records)
{
    run(0);
}

Test(mark_ring_threads, with_pauses)
{
    run(500);
}
