/* What the monitor takes for the events of XAML's elements: the ring, pairing them, and finding the
 * component that each lies in. A frame has 60 rows of 80 elements in one window, as in layout.c;
 * each row is a component, and each element is arranged once. */
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "base/plain/clock.h"
#include "base/plain/ring.h"
#include "monitor/layout/layout_areas.h"
#include "monitor/layout/layout_components.h"
#include "monitor/layout/layout_event.h"
#include "monitor/layout/layout_events.h"
#include "tests/bench/driver.h"
#include "tests/bench/measures.h"

#define ROWS 60
#define CELLS 80 /* in a row */
#define ELEMENTS (ROWS * CELLS)
#define STEPS (ELEMENTS + ROWS + 1) /* of a pass */
#define SLOTS 65536                 /* of the ring, as in watch_xaml.c */
#define EVENTS_PER_S 1.15e6
#define ROUNDS 15
#define PASSES 50 /* a round; each measures and arranges */
#define DRAINS 500
#define WINDOW UM_LAYOUT_COMPONENTS_FIRST
#define ROW_OF(row) (WINDOW + 1 + (uint32_t)(row))
#define THREAD 7
#define SIZE 20 /* of an element, in both directions */
#define STEP_NS 800

struct work {
    struct um_layout_events *events;
    struct um_ring ring;
    struct um_ring_slot slots[SLOTS];
    uint64_t now_ns;
    uint64_t frames, steps; /* that came out; a step of each component in each frame */
};

static void take_frame(void *context, const struct um_layout_pair *list, size_t count, bool lost)
{
    struct work *work = context;
    if (lost)
        driver_fail("events were lost");
    work->frames++;
    for (size_t i = 0; i < count; i++)
        work->steps += list[i].own_ns > 0 && list[i].tag > WINDOW;
}

static void place(struct work *work, float left)
{
    for (int row = 0; row < ROWS; row++) {
        const struct um_layout_area area = {left, (float)(SIZE * row), left + CELLS * SIZE,
                                            (float)(SIZE * (row + 1))};
        um_layout_events_area(work->events, ROW_OF(row), &area);
    }
}

static struct work *open_work(void)
{
    struct work *work = calloc(1, sizeof *work);
    const struct um_layout_events_config config = {work, take_frame};
    const struct um_layout_area window = {0, 0, CELLS * SIZE, ROWS * SIZE};
    if (!work || um_layout_events_open(&config, &work->events) != UM_OK)
        driver_fail("out of memory");
    um_ring_init(&work->ring, work->slots, SLOTS);
    um_layout_events_area(work->events, WINDOW, &window);
    place(work, 0);
    work->now_ns = UM_CLOCK_NS_PER_S;
    return work;
}

/* `steps`: so many in each frame. The outermost element counts for the row in its middle. */
static void close_work(struct work *work, uint64_t frames, uint64_t steps)
{
    struct um_layout_events_sum sum = um_layout_events_sum(work->events);
    um_layout_events_finish(work->events);
    if (work->frames != frames || work->steps != frames * steps || sum.begins || sum.ends)
        driver_fail("%.0f layout frames with %.0f steps came out of %.0f", (double)work->frames,
                    (double)work->steps, (double)frames);
    um_layout_events_close(work->events);
    free(work);
}

/* Events --------------------------------------------------------------------------------------- */

static void put(struct work *work, enum um_layout_event_kind kind, uint64_t element, float left,
                float top, float width)
{
    struct um_layout_event event;
    um_layout_event_init(&event, work->now_ns, THREAD);
    event.kind = (uint8_t)kind;
    event.element = 0x1f2a0000000 + 64 * element; /* as addresses are */
    if (kind >= UM_LAYOUT_EVENT_ARRANGE_BEGIN) {
        event.left = left;
        event.top = top;
        event.width = width;
        event.height = SIZE;
    }
    um_layout_event_push(&work->ring, THREAD, &event);
    work->now_ns += STEP_NS;
}

/* All elements measure themselves, or arrange themselves. */
static void put_pass(struct work *work, enum um_layout_event_kind begin)
{
    enum um_layout_event_kind end = begin + 1;
    put(work, begin, 0, 0, 0, CELLS * SIZE);
    for (unsigned row = 0; row < ROWS; row++) {
        float top = (float)(row * SIZE);
        put(work, begin, 1 + row, 0, top, CELLS * SIZE);
        for (unsigned cell = 0; cell < CELLS; cell++) {
            unsigned element = 1 + ROWS + row * CELLS + cell;
            put(work, begin, element, (float)(cell * SIZE), 0, SIZE);
            put(work, end, element, (float)(cell * SIZE), 0, SIZE);
        }
        put(work, end, 1 + row, 0, top, CELLS * SIZE);
    }
    put(work, end, 0, 0, 0, CELLS * SIZE);
}

/* Times ---------------------------------------------------------------------------------------- */

/* Of the processor: the share of a core is asked for. */
static double spent_ns(clock_t since)
{
    return (double)(clock() - since) * 1e9 / CLOCKS_PER_SEC;
}

/* What an event takes from the ring on, and with what puts it there. */
static void time_events(struct series *event_ns, struct series *all_ns)
{
    struct work *work = open_work();
    for (int round = -1; round < ROUNDS; round++) { /* the first one finds the components */
        double drains_ns = 0;
        clock_t begin = clock();
        for (int i = 0; i < PASSES; i++) {
            put_pass(work, UM_LAYOUT_EVENT_MEASURE_BEGIN);
            put_pass(work, UM_LAYOUT_EVENT_ARRANGE_BEGIN);
            clock_t drain = clock();
            um_layout_events_drain(work->events, &work->ring);
            drains_ns += spent_ns(drain);
            work->now_ns += UM_LAYOUT_EVENTS_GAP_NS;
        }
        if (round < 0)
            continue;
        series_add(event_ns, drains_ns / PASSES / (4.0 * STEPS));
        series_add(all_ns, spent_ns(begin) / PASSES / (4.0 * STEPS));
    }
    close_work(work, PASSES * (ROUNDS + 1), 2 * ROWS);
}

/* `moves`: all rows but the window have moved each time. */
static void time_drains(bool moves, struct series *drain_ms)
{
    struct work *work = open_work();
    for (int i = -1; i < DRAINS; i++) {
        put_pass(work, UM_LAYOUT_EVENT_ARRANGE_BEGIN);
        work->now_ns += UM_LAYOUT_EVENTS_GAP_NS;
        uint64_t begin_ns = um_clock_now_ns();
        if (moves)
            place(work, (float)(i & 1));
        um_layout_events_drain(work->events, &work->ring);
        if (i >= 0)
            series_add(drain_ms, (double)(um_clock_now_ns() - begin_ns) / 1e6);
    }
    close_work(work, DRAINS + 1, ROWS);
}

/* The bytes that so many elements take. */
static double bytes_of(uint64_t elements)
{
    const struct um_layout_area area = {0, 0, SIZE, SIZE};
    struct um_layout_areas *areas;
    if (um_layout_areas_open(&areas) != UM_OK)
        driver_fail("out of memory");
    um_layout_areas_set(areas, WINDOW, &area);
    for (uint64_t element = 1; element <= elements; element++)
        (void)um_layout_areas_bind(areas, 64 * element, &area);
    double bytes = (double)um_layout_areas_bytes(areas);
    um_layout_areas_close(areas);
    return bytes;
}

void measure_layout_xaml(void)
{
    static struct series event_ns, all_ns, still_ms, moved_ms;

    time_events(&event_ns, &all_ns);
    struct row row =
        row_of_number("layout_xaml_share", "1.15 M layout events of XAML a second, of a core", "%",
                      series_median(&event_ns) * EVENTS_PER_S / 1e7, ROUNDS);
    row.worst = series_max(&event_ns) * EVENTS_PER_S / 1e7;
    row_budget(&row, ROW_AT_MOST, 3, NAN, "<= 3 %");
    row_note(&row, "%.1f ns for each; %.1f ns with what puts it into the ring",
             series_median(&event_ns), series_median(&all_ns));
    driver_row(&row);
    time_drains(false, &still_ms);
    row = row_of_series("layout_xaml_frame", "  a layout frame of 4,800 elements, from the ring",
                        "ms", &still_ms);
    row_budget(&row, ROW_AT_MOST, 0.3, NAN, "<= 0.3 ms");
    row_note(&row, "%d events, %d components", 2 * STEPS, ROWS + 1);
    driver_row(&row);
    time_drains(true, &moved_ms);
    row = row_of_series("layout_xaml_moved", "  the same after all components have moved", "ms",
                        &moved_ms);
    row_budget(&row, ROW_AT_MOST, 0.3, NAN, "<= 0.3 ms");
    driver_row(&row);
    row = row_of_number("layout_xaml_element", "  memory: an element of XAML, of 4,800", "B",
                        bytes_of(ELEMENTS) / ELEMENTS, 1);
    row_budget(&row, ROW_AT_MOST, 64, NAN, "<= 64 B");
    row_note(&row, "%.0f KiB in all, %.0f of 32,768 elements; the ring has %.1f MiB",
             bytes_of(ELEMENTS) / 1024, bytes_of(32768) / 1024,
             (double)(SLOTS * sizeof(struct um_ring_slot)) / 1024 / 1024);
    driver_row(&row);
}
