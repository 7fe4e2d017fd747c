/* The way of an event from the target's UI thread to the watchdog, natively and on one core: the
 * same ring, frames, transport and watchdog as in the product, one batch after the other on one
 * thread.
 *
 * A batch is what a target's flood of posted messages leaves behind in a moment: 509 messages
 * taken, one beat sent and seen, one DRAINED. The stages are timed batch by batch; the clock itself
 * is read six times in 512 events. */
#include "tests/bench/measures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain/clock.h"
#include "ipc/frame_reader.h"
#include "base/plain/ring.h"
#include "ipc/transport.h"
#include "ipc/wire.h"
#include "monitor/measure/watchdog.h"
#include "tests/conformance/transport_memory.h"
#include "tests/bench/driver.h"

#define BATCH 512
#define BATCHES 4000 /* a round: 2 million events */
#define ROUNDS 9
#define RING_SLOTS 4096
#define OUT_BYTES (32 * 1024)
#define EVENT_NS 250 /* between two events, on the events' own clock */
#define WAIT_MS 1000

enum stage { RING, ENCODE, PIPE, DECODE, STAGES };

struct pipeline {
    struct um_ring ring;
    struct um_ring_slot slots[RING_SLOTS];
    struct um_ring_record records[BATCH];
    uint8_t out[OUT_BYTES];
    uint8_t in[OUT_BYTES];
    struct um_frame_reader reader; /* of `in` */
    struct um_listener *listener;
    struct um_conn *sender;
    struct um_conn *receiver;
    const struct um_transport *transport;
    struct um_watchdog watchdog;
    uint64_t time_ns;
    uint64_t stage_ns[STAGES];
    uint32_t seq;
    uint64_t out_frames; /* frames that came out at the other end */
};

static void ignore(void *context, const struct um_wire_frame *frame)
{
    struct pipeline *p = context;
    p->out_frames += frame->type != 0;
}

static void open_pipe(struct pipeline *p, const struct um_transport *transport)
{
    char name[UM_TRANSPORT_NAME_BYTES];
    size_t room;

    um_frame_reader_init(&p->reader, p->in, sizeof p->in);
    um_wire_put_preamble(um_frame_reader_room(&p->reader, &room));
    um_frame_reader_add(&p->reader, UM_WIRE_PREAMBLE_BYTES);
    p->transport = transport;
    if (um_transport_random_name("bench", name, NULL) != UM_OK ||
        transport->listen(name, 0, &p->listener) != UM_OK ||
        transport->connect(name, WAIT_MS, &p->sender) != UM_OK ||
        transport->accept(p->listener, WAIT_MS, &p->receiver) != UM_OK)
        driver_fail("no connection over the %s", transport->label);
}

static void start_watchdog(struct pipeline *p)
{
    const struct um_watchdog_options options = {.threshold_ns = 100 * UM_CLOCK_NS_PER_MS,
                                                .slow_ns = 50 * UM_CLOCK_NS_PER_MS,
                                                .period_ns = 10 * UM_CLOCK_NS_PER_MS};
    const struct um_watchdog_output output = {p, ignore, ignore};

    um_watchdog_init(&p->watchdog, &options, &output);
}

/* Word 1 of a record is what the hook DLL puts there: type, flags, value. */
static void push(struct pipeline *p, enum um_wire_type type, uint32_t value, uint64_t a, uint64_t b)
{
    struct um_ring_record record = {{p->time_ns, (uint64_t)type | (uint64_t)value << 32, a, b}};
    um_ring_push(&p->ring, &record);
    p->time_ns += EVENT_NS;
}

static void push_batch(struct pipeline *p)
{
    for (unsigned i = 0; i < BATCH; i++)
        if (i == 0)
            push(p, UM_WIRE_SENT, p->seq, 0, 0);
        else if (i == BATCH / 2)
            push(p, UM_WIRE_SEEN, p->seq++, 0, 0);
        else if (i == BATCH - 1)
            push(p, UM_WIRE_DRAINED, 0, 0, 0);
        else
            push(p, UM_WIRE_TAKEN, 0x8001, 0x10024, UM_WIRE_AGE_UNKNOWN);
}

static void to_frame(const struct um_ring_record *record, struct um_wire_frame *frame)
{
    uint32_t value = (uint32_t)(record->word[1] >> 32);

    frame->type = (uint8_t)record->word[1];
    frame->flags = (uint8_t)(record->word[1] >> 8);
    if (frame->type == UM_WIRE_TAKEN) {
        frame->as.taken = (struct um_wire_taken){.time_ns = record->word[0],
                                                 .message = value,
                                                 .hwnd = record->word[2],
                                                 .age_ms = (uint32_t)record->word[3]};
    } else if (frame->type == UM_WIRE_DRAINED) {
        frame->as.drained = (struct um_wire_drained){.time_ns = record->word[0]};
    } else { /* SENT and SEEN look alike */
        frame->as.sent = (struct um_wire_sent){.time_ns = record->word[0], .seq = value};
    }
}

static size_t encode_batch(struct pipeline *p, unsigned count)
{
    size_t used = 0;
    for (unsigned i = 0; i < count; i++) {
        struct um_wire_frame frame;
        size_t len = 0;
        to_frame(&p->records[i], &frame);
        if (um_wire_encode(&frame, p->out + used, OUT_BYTES - used, &len) != UM_OK)
            driver_fail("an event does not go into a frame");
        used += len;
    }
    return used;
}

static void carry(struct pipeline *p, size_t len)
{
    size_t have = 0;
    if (p->transport->write(p->sender, p->out, len, WAIT_MS) != UM_OK)
        driver_fail("the %s does not take a batch", p->transport->label);
    while (have < len) {
        size_t room, got = 0;
        uint8_t *to = um_frame_reader_room(&p->reader, &room);
        if (p->transport->read(p->receiver, to, room, WAIT_MS, &got) != UM_OK)
            driver_fail("the %s does not give a batch back", p->transport->label);
        um_frame_reader_add(&p->reader, got);
        have += got;
    }
}

static void decode_batch(struct pipeline *p)
{
    struct um_wire_frame frame;
    enum um_status status;

    while ((status = um_frame_reader_next(&p->reader, &frame)) == UM_OK)
        um_watchdog_frame(&p->watchdog, &frame, p->time_ns);
    if (status != UM_ERR_PARTIAL)
        driver_fail("a frame does not decode");
    um_watchdog_tick(&p->watchdog, p->time_ns);
}

static void run_batch(struct pipeline *p)
{
    uint64_t at[STAGES + 1];
    unsigned count = 0;

    at[0] = um_clock_now_ns();
    push_batch(p);
    while (count < BATCH && um_ring_pop(&p->ring, &p->records[count]))
        count++;
    at[RING + 1] = um_clock_now_ns();
    size_t len = encode_batch(p, count);
    at[ENCODE + 1] = um_clock_now_ns();
    carry(p, len);
    at[PIPE + 1] = um_clock_now_ns();
    decode_batch(p);
    at[DECODE + 1] = um_clock_now_ns();
    for (int i = 0; i < STAGES; i++)
        p->stage_ns[i] += at[i + 1] - at[i];
}

struct figures {
    struct series rate; /* million events a second */
    struct series stage[STAGES];
};

static void run_rounds(struct pipeline *p, struct figures *figures)
{
    const double events = (double)BATCH * BATCHES;

    for (int round = -1; round < ROUNDS; round++) { /* the first one warms up */
        memset(p->stage_ns, 0, sizeof p->stage_ns);
        uint64_t begin_ns = um_clock_now_ns();
        for (int i = 0; i < BATCHES; i++)
            run_batch(p);
        double took_ns = (double)(um_clock_now_ns() - begin_ns);
        if (round < 0)
            continue;
        series_add(&figures->rate, events * 1e3 / took_ns);
        for (int i = 0; i < STAGES; i++)
            series_add(&figures->stage[i], (double)p->stage_ns[i] / events);
    }
}

/* A zeroed struct through to the end of its figures. */
static void measure(const struct um_transport *transport, struct figures *figures)
{
    struct pipeline *p = calloc(1, sizeof *p);
    if (!p)
        driver_fail("out of memory");
    um_ring_init(&p->ring, p->slots, RING_SLOTS);
    p->time_ns = um_clock_now_ns();
    open_pipe(p, transport);
    start_watchdog(p);
    run_rounds(p, figures);
    if (p->out_frames == 0 || p->watchdog.lost != 0)
        driver_fail("events were lost on the way");
    transport->close(p->sender);
    transport->close(p->receiver);
    transport->close_listener(p->listener);
    free(p);
}

/* What the watchdog takes of the last stage: the same frames without decoding. */
static double watchdog_ns(void)
{
    struct pipeline *p = calloc(1, sizeof *p);
    struct series series = {0};
    struct um_wire_frame *frames = calloc(BATCH, sizeof *frames);
    if (!p || !frames)
        driver_fail("out of memory");
    um_ring_init(&p->ring, p->slots, RING_SLOTS);
    p->time_ns = um_clock_now_ns();
    start_watchdog(p);
    for (int i = 0; i < BATCHES && i < SERIES_MAX; i++) {
        push_batch(p);
        for (unsigned n = 0; um_ring_pop(&p->ring, &p->records[0]); n++)
            to_frame(&p->records[0], &frames[n]);
        uint64_t begin_ns = um_clock_now_ns();
        for (unsigned n = 0; n < BATCH; n++)
            um_watchdog_frame(&p->watchdog, &frames[n], p->time_ns);
        series_add(&series, (double)(um_clock_now_ns() - begin_ns) / BATCH);
    }
    free(frames);
    free(p);
    return series_median(&series);
}

static void report_beat_bytes(void)
{
    struct um_wire_frame frame = {.type = UM_WIRE_BEAT};
    uint8_t bytes[UM_WIRE_MAX_BYTES];
    size_t len = 0;

    frame.as.beat = (struct um_wire_beat){.sent_ns = 1, .latency_ns = 1, .seq = 1};
    um_wire_encode(&frame, bytes, sizeof bytes, &len);
    struct row row =
        row_of_number("recording_beat", "recording: one record a beat", "B", (double)len, 1);
    row_budget(&row, ROW_AT_MOST, 24, NAN, "<= 24 B");
    driver_row(&row);
}

void measure_pipeline(void)
{
    static struct figures memory, socket;

    measure(um_transport_system(), &socket);
    measure(um_transport_memory(), &memory);
    struct row row = row_of_series(
        "pipeline_rate", "events: ring to watchdog, one core, Unix socket", "M/s", &socket.rate);
    row.worst = series_min(&socket.rate);
    row_budget(&row, ROW_AT_LEAST, 20, NAN, ">= 20 M/s");
    double watchdog = watchdog_ns();
    row_note(&row,
             "ns/event: ring %.1f, encode %.1f, pipe %.1f, decode %.1f, watchdog %.1f; "
             "%.1f M/s through memory",
             series_median(&socket.stage[RING]), series_median(&socket.stage[ENCODE]),
             series_median(&socket.stage[PIPE]), series_median(&socket.stage[DECODE]) - watchdog,
             watchdog, series_median(&memory.rate));
    driver_row(&row);
    report_beat_bytes();
}
