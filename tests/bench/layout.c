/* What the monitor takes for the steps of a layout: pairing them and finding the component that
 * each counts for. A frame has 60 rows of 80 elements in one window; each of them is resized once,
 * its element within its row. */
#include "monitor/layout/layout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/plain/clock.h"
#include "base/plain/ring.h"
#include "ipc/wire.h"
#include "monitor/layout/layout_components.h"
#include "tests/bench/driver.h"
#include "tests/bench/measures.h"

#define ROWS 60
#define CELLS 80 /* in a row */
#define ELEMENTS (ROWS * CELLS)
#define RECORDS (2 * (ELEMENTS + ROWS + 1) + 1) /* of a frame; the last one is its end */
#define FRAMES ((RECORDS + UM_WIRE_LAYOUT_MOST - 1) / UM_WIRE_LAYOUT_MOST) /* of the pipe */
#define SLOTS 16384                                                        /* of the ring */
#define SHORT_RECORDS 21 /* of a frame with a window, a row and eight elements */
#define EVENTS_PER_S 1.15e6
#define ROUNDS 15
#define LAYOUTS 100 /* a round */
#define DRAINS 500
#define MOST_ELEMENTS 65000

#define WINDOW UINT64_C(0x10020)
#define WINDOW_OF(number) (WINDOW + 2 * (uint64_t)(number))
#define STEP_NS 800
#define SIZE 0x0005u

static const struct um_wire_frame no_steps = {.type = UM_WIRE_LAYOUT_STEPS,
                                              .as.layout_steps = {.hook_ns = 150, .inside_ns = 50}};

struct work {
    struct um_layout *layout;
    struct um_ring ring;
    struct um_ring_slot slots[SLOTS];
    struct um_ring_record records[RECORDS];
    struct um_wire_frame frames[FRAMES];
    size_t frame_count;
    uint64_t now_ns;
    uint64_t published;
};

static void publish(void *context, const struct um_wire_frame *frame)
{
    struct work *work = context;
    work->published += frame->type != 0;
}

/* 0 is the window, 1 to ROWS are the rows, the others are elements of the rows. */
static bool describe(void *context, uint64_t window, struct um_layout_window *out)
{
    uint64_t number = (window - WINDOW) / 2;
    (void)context;
    *out = (struct um_layout_window){.has_children = number <= ROWS};
    if (number > 0)
        out->parent = number <= ROWS ? WINDOW : WINDOW_OF(1 + (number - 1 - ROWS) / CELLS % ROWS);
    return true;
}

static uint64_t key(void *context, uint64_t address)
{
    (void)context;
    return address;
}

/* The frames ----------------------------------------------------------------------------------- */

struct writer {
    struct um_ring_record *records;
    size_t count;
    uint64_t hooked;
};

/* Word by word as hooks/layout_win32.c makes them. */
static void put(struct writer *writer, enum um_layout_kind kind, unsigned number)
{
    writer->hooked += kind == UM_LAYOUT_KIND_BEGIN;
    writer->records[writer->count] = (struct um_ring_record){
        {writer->count * STEP_NS, WINDOW_OF(number) | (uint64_t)SIZE << 32,
         writer->hooked | (uint64_t)UM_LAYOUT_STEP_ARRANGE << 32 | (uint64_t)kind << 40,
         0x400000 + 0x40 * (uint64_t)(number > ROWS)}};
    writer->count++;
}

static void make_records(struct um_ring_record *records, unsigned rows, unsigned cells)
{
    struct writer writer = {.records = records};
    put(&writer, UM_LAYOUT_KIND_BEGIN, 0);
    for (unsigned row = 0; row < rows; row++) {
        put(&writer, UM_LAYOUT_KIND_BEGIN, 1 + row);
        for (unsigned cell = 0; cell < cells; cell++) {
            put(&writer, UM_LAYOUT_KIND_BEGIN, 1 + ROWS + row * CELLS + cell);
            put(&writer, UM_LAYOUT_KIND_END, 1 + ROWS + row * CELLS + cell);
        }
        put(&writer, UM_LAYOUT_KIND_END, 1 + row);
    }
    put(&writer, UM_LAYOUT_KIND_END, 0);
    put(&writer, UM_LAYOUT_KIND_CYCLE, 0);
}

static void unpack(const struct um_ring_record *record, struct um_wire_layout_step *step)
{
    const uint64_t *word = record->word;
    step->time_ns = word[0];
    step->window = (uint32_t)word[1];
    step->message = (uint32_t)(word[1] >> 32);
    step->hooked = (uint32_t)word[2];
    step->step = (uint8_t)(word[2] >> 32);
    step->kind = (uint8_t)(word[2] >> 40);
    step->handler = word[3];
}

/* The frames of the pipe for so many records. */
static void make_frames(struct work *work, size_t records)
{
    work->frame_count = 0;
    for (size_t i = 0; i < records; i++) {
        if (i % UM_WIRE_LAYOUT_MOST == 0)
            work->frames[work->frame_count++] = no_steps;
        struct um_wire_layout_steps *steps = &work->frames[work->frame_count - 1].as.layout_steps;
        unpack(&work->records[i], &steps->list[steps->count++]);
    }
}

static struct work *open_work(void)
{
    struct work *work = calloc(1, sizeof *work);
    const struct um_layout_config config = {
        .context = work, .publish = publish, .describe = describe, .key = key};
    if (!work || um_layout_open(&config, &work->layout) != UM_OK)
        driver_fail("out of memory");
    um_layout_attached(work->layout);
    um_ring_init(&work->ring, work->slots, SLOTS);
    work->now_ns = UM_CLOCK_NS_PER_S;
    return work;
}

static void close_work(struct work *work, uint64_t layouts)
{
    struct um_layout_sum sum = um_layout_sum(work->layout);
    if (sum.frames != layouts || sum.lost != 0 || sum.begins != 0 || sum.ends != 0 ||
        work->published == 0)
        driver_fail("%.0f layout frames came out of %.0f", (double)sum.frames, (double)layouts);
    um_layout_close(work->layout);
    free(work);
}

/* Times ---------------------------------------------------------------------------------------- */

/* A layout frame with all that is published at this rate of events. */
static void take_layout(struct work *work, size_t records)
{
    for (size_t i = 0; i < work->frame_count; i++)
        um_layout_take(work->layout, &work->frames[i]);
    work->now_ns += (uint64_t)((double)records * 1e9 / EVENTS_PER_S);
    um_layout_tick(work->layout, work->now_ns);
}

/* Adds what an event takes, of layout frames with so many rows and elements in a row. */
static void time_events(unsigned rows, unsigned cells, size_t records, struct series *event_ns)
{
    struct work *work = open_work();
    uint64_t layouts = LAYOUTS * (RECORDS / records);
    make_records(work->records, rows, cells);
    make_frames(work, records);
    for (int round = -1; round < ROUNDS; round++) { /* the first one asks for the windows */
        clock_t begin = clock(); /* of the processor: the share of a core is asked for */
        for (uint64_t i = 0; i < layouts; i++)
            take_layout(work, records);
        double took_ns = (double)(clock() - begin) * 1e9 / CLOCKS_PER_SEC;
        if (round >= 0)
            series_add(event_ns, took_ns / (double)layouts / (double)records);
    }
    close_work(work, layouts * (ROUNDS + 1));
}

static void drain(struct work *work)
{
    static struct um_wire_frame frame;
    struct um_wire_layout_steps *steps = &frame.as.layout_steps;
    struct um_ring_record record;
    frame = no_steps;
    while (um_ring_pop(&work->ring, &record)) {
        unpack(&record, &steps->list[steps->count++]);
        if (steps->count < UM_WIRE_LAYOUT_MOST)
            continue;
        um_layout_take(work->layout, &frame);
        steps->count = 0;
    }
    um_layout_take(work->layout, &frame);
}

static void time_drains(struct series *drain_ms)
{
    struct work *work = open_work();
    make_records(work->records, ROWS, CELLS);
    for (int i = -1; i < DRAINS; i++) {
        for (size_t k = 0; k < RECORDS; k++)
            um_ring_push(&work->ring, &work->records[k]);
        uint64_t begin_ns = um_clock_now_ns();
        drain(work);
        if (i >= 0)
            series_add(drain_ms, (double)(um_clock_now_ns() - begin_ns) / 1e6);
    }
    um_layout_finish(work->layout, work->now_ns);
    close_work(work, DRAINS + 1);
}

/* Memory --------------------------------------------------------------------------------------- */

/* What an element takes of ELEMENTS, and at most of so many and more: the table doubles. */
static double weigh_elements(double *most)
{
    const struct um_layout_components_config config = {.describe = describe};
    struct um_layout_components *components;
    double of_elements = 0;
    size_t bytes, count;

    if (um_layout_components_open(&config, &components) != UM_OK)
        driver_fail("out of memory");
    *most = 0;
    for (unsigned i = 0; i < MOST_ELEMENTS; i++) {
        um_layout_components_of(components, WINDOW_OF(1 + ROWS + i));
        count = um_layout_components_elements(components, &bytes);
        double each = (double)bytes / (double)count;
        if (count == ELEMENTS)
            of_elements = each;
        if (count >= ELEMENTS)
            *most = fmax(*most, each);
    }
    um_layout_components_close(components);
    return of_elements;
}

void measure_layout(void)
{
    static struct series event_ns, short_ns, drain_ms;
    double most;

    time_events(ROWS, CELLS, RECORDS, &event_ns);
    time_events(1, 8, SHORT_RECORDS, &short_ns);
    struct row row =
        row_of_number("layout_share", "pairing 1.15 M layout steps a second, of a core", "%",
                      series_median(&event_ns) * EVENTS_PER_S / 1e7, ROUNDS);
    row.worst = series_max(&event_ns) * EVENTS_PER_S / 1e7;
    row_budget(&row, ROW_AT_MOST, 3, NAN, "<= 3 %");
    row_note(&row, "%.1f ns for each; %.1f ns in layout frames of ten elements",
             series_median(&event_ns), series_median(&short_ns));
    driver_row(&row);
    time_drains(&drain_ms);
    row = row_of_series("layout_frame", "a layout frame of 4,800 elements, from the ring", "ms",
                        &drain_ms);
    row_budget(&row, ROW_AT_MOST, 0.3, NAN, "<= 0.3 ms");
    row_note(&row, "%d records", RECORDS);
    driver_row(&row);
    double each = weigh_elements(&most);
    row = row_of_number("layout_element", "memory: an element, of 4,800", "B", each, 1);
    row.worst = most;
    row_budget(&row, ROW_AT_MOST, 64, 64, "<= 64 B");
    row_note(&row, "the worst of 4,800 to 65,000; a component takes %zu B more",
             sizeof(struct um_layout_component));
    driver_row(&row);
}
