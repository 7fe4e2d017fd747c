/* Any bytes as a feed, cut anywhere, with time passing in between: what an overlay makes of them is
 * sane at every moment, and does not depend on where the bytes were cut.
 *
 * An input is a schedule of SCHEDULE_BYTES, used round and round, and then the stream. Each byte of
 * the schedule says how many bytes come next (low four bits) and how much later (high four). */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ipc/frame_reader.h"
#include "base/utf8.h"
#include "overlay/model.h"
#include "overlay/readings.h"
#include "overlay/shown_counters.h"
#include "tests/fuzz/require.h"
#include "tests/hostile.h"

#define SCHEDULE_BYTES 8
#define READ_BYTES 4096
#define VIEWS_MAX 100
#define SHOWN 2 /* counters */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Frames in the order in which they came, as one number. */
struct digest {
    struct um_model *model;             /* NULL: none wants them */
    struct um_shown_counters *counters; /* the same */
    uint64_t now_ns;
    uint64_t hash;
    uint64_t count;
};

static void take(struct digest *digest, const struct um_wire_frame *frame)
{
    uint8_t bytes[UM_WIRE_MAX_BYTES] = {frame->type};
    size_t len_bytes = 1;

    (void)um_wire_encode(frame, bytes, sizeof bytes, &len_bytes);
    for (size_t i = 0; i < len_bytes; i++)
        digest->hash = (digest->hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    digest->count++;
    if (digest->model)
        um_model_frame(digest->model, frame, digest->now_ns);
    if (digest->counters)
        um_shown_counters_frame(digest->counters, frame, digest->now_ns);
}

static void check_text(const char *text, size_t cap_bytes)
{
    const char *end = memchr(text, 0, cap_bytes);
    require(end);
    require(um_utf8_valid(text, (size_t)(end - text)));
}

static void check_column(const struct um_model_view *view, uint32_t index)
{
    const struct um_model_column *column = &view->column[index];

    require(column->state < UM_STATE_COUNT || column->state == UM_MODEL_UNKNOWN);
    require(column->measured || column->worst_ns == 0);
    require(view->link != UM_MODEL_WAITING || !column->measured);
}

static void check_alarm(const struct um_model_alarm *alarm, enum um_model_link link)
{
    require(alarm->on || (!alarm->lasts && alarm->peak_ns == 0));
    require(link == UM_MODEL_LIVE || !alarm->on);
}

static void check_profile(const struct um_model_profile *profile)
{
    require(profile->of.scope < UM_WIRE_SCOPE_COUNT || profile->of.scope == UM_WIRE_UNKNOWN);
    for (size_t i = 0; i < UM_WIRE_PROFILE_ROWS; i++) {
        check_text(profile->of.rows[i].name, sizeof profile->of.rows[i].name);
        check_text(profile->of.rows[i].module, sizeof profile->of.rows[i].module);
    }
    for (size_t i = 0; i < UM_MODEL_PROFILE_MORE; i++)
        check_text(profile->more[i].name, sizeof profile->more[i].name);
}

/* Every row says something, in so few bytes. */
static void check_readings(const struct um_model_view *view)
{
    for (int row = 0; row < UM_OVERLAY_ROWS_COUNT + SHOWN; row++) {
        struct um_readings_row reading;
        um_readings_make(view, (enum um_overlay_row)row, &reading);
        check_text(reading.main.number, sizeof reading.main.number);
        check_text(reading.more.number, sizeof reading.more.number);
        require(reading.main.number[0] != '\0' && reading.main.name && reading.more.name);
        require(hostile_is_harmless(reading.label) && hostile_is_harmless(reading.main.number));
    }
}

static void check_view(const struct um_model_view *view)
{
    require(view->link <= UM_MODEL_ENDED);
    require((unsigned)view->state < UM_STATE_COUNT || (unsigned)view->state == UM_WIRE_UNKNOWN);
    require(view->probe < UM_PROBE_COUNT || view->probe == UM_WIRE_UNKNOWN);
    require(view->columns == UM_MODEL_COLUMNS);
    require(view->link == UM_MODEL_LIVE || (!view->has_lag && !view->has_latency));
    require(view->has_pool || view->pool_ns == 0);
    require(view->has_cost || view->cost_permille == 0);
    check_alarm(&view->hang, view->link);
    check_alarm(&view->starvation, view->link);
    check_profile(&view->freeze_profile);
    check_profile(&view->session_profile);
    check_readings(view);
    check_text(view->name, sizeof view->name);
    check_text(view->caption, sizeof view->caption);
    for (uint32_t i = 0; i < view->columns; i++)
        check_column(view, i);
}

/* What is shown stays as it is until a frame comes or the deadline passes. */
static void look(struct um_model *model, const struct um_shown_counters *counters, uint64_t now_ns)
{
    static struct um_model_view view;
    static struct um_model_view again;

    um_model_view(model, now_ns, &view);
    um_shown_counters_view(counters, now_ns, &view);
    check_view(&view);
    uint64_t deadline_ns = um_model_deadline(model);
    require(deadline_ns > now_ns && !um_model_changed(model, now_ns));
    require(deadline_ns == UM_MODEL_NEVER || um_model_changed(model, deadline_ns));
    um_model_view(model, now_ns, &again);
    um_shown_counters_view(counters, now_ns, &again);
    require(memcmp(&view, &again, sizeof view) == 0);
}

/* From nothing, over a few ms and the overlay's patience, to hours. */
static uint64_t pause_ns(uint8_t schedule)
{
    static const uint64_t pauses_ms[16] = {0,   0,   0,   1,   4,    16,   50,    99,
                                           100, 101, 499, 500, 1000, 2500, 60000, 40000000};
    return pauses_ms[schedule >> 4] * UINT64_C(1000000);
}

static size_t part_bytes(uint8_t schedule, size_t left)
{
    static const uint16_t parts[16] = {1,   2,   3,   4,   7,    13,   24,   60,
                                       117, 200, 333, 700, 1028, 1500, 2056, 4096};
    size_t part = parts[schedule & 15];
    return part < left ? part : left;
}

/* A reader whose buffer is as long as asked, so that a sanitizer sees every byte beyond it. */
struct reader {
    struct um_frame_reader frames;
    uint8_t *bytes;
};

static void open_reader(struct reader *reader, size_t cap_bytes)
{
    reader->bytes = malloc(cap_bytes);
    require(reader->bytes);
    um_frame_reader_init(&reader->frames, reader->bytes, cap_bytes);
}

/* Hands bytes in as a pipe does: as many as there is room for, until all are in. */
static enum um_status push(struct reader *reader, const uint8_t *bytes, size_t len_bytes,
                           struct digest *digest)
{
    struct um_wire_frame frame;
    enum um_status status = UM_ERR_PARTIAL;

    while (status == UM_ERR_PARTIAL && len_bytes > 0) {
        size_t room;
        uint8_t *to = um_frame_reader_room(&reader->frames, &room);
        require(room > 0 && to >= reader->bytes);
        size_t part = room < len_bytes ? room : len_bytes;
        memcpy(to, bytes, part);
        um_frame_reader_add(&reader->frames, part);
        bytes += part;
        len_bytes -= part;
        while ((status = um_frame_reader_next(&reader->frames, &frame)) == UM_OK)
            take(digest, &frame);
    }
    require(um_frame_reader_next(&reader->frames, &frame) == status);
    return status;
}

/* The stream in one piece: what a reader must make of it however it is cut. */
static enum um_status read_whole(const uint8_t *stream, size_t len_bytes, struct digest *digest)
{
    struct reader reader;

    open_reader(&reader, READ_BYTES);
    enum um_status status = push(&reader, stream, len_bytes, digest);
    free(reader.bytes);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct um_model model;
    static bool is_seen;
    struct reader reader;
    static const struct um_overlay_rows rows = {.counter_count = SHOWN,
                                                .counters = {"System.Runtime/cpu", "P/c"}};
    struct um_shown_counters counters = {.rows = &rows};
    struct digest cut = {.model = &model, .counters = &counters, .now_ns = UINT64_C(1000000000000)};
    struct digest whole = {0};
    enum um_status status = UM_ERR_PARTIAL;
    size_t at = SCHEDULE_BYTES;
    size_t views = 0;

    if (size < SCHEDULE_BYTES)
        return 0;
    open_reader(&reader, UM_WIRE_MAX_BYTES);
    um_model_init(&model);
    if (!is_seen) /* a new model always looks the same */
        look(&model, &counters, cut.now_ns);
    is_seen = true;
    for (size_t step = 0; status == UM_ERR_PARTIAL && at < size; step++) {
        size_t part = part_bytes(data[step % SCHEDULE_BYTES], size - at);
        cut.now_ns += pause_ns(data[step % SCHEDULE_BYTES]);
        status = push(&reader, data + at, part, &cut);
        at += part;
        if (views < VIEWS_MAX && um_model_changed(&model, cut.now_ns)) {
            look(&model, &counters, cut.now_ns);
            views++;
        }
    }
    look(&model, &counters, cut.now_ns);
    um_shown_counters_deinit(&counters);
    free(reader.bytes);
    require(read_whole(data + SCHEDULE_BYTES, at - SCHEDULE_BYTES, &whole) == status);
    require(whole.count == cut.count && whole.hash == cut.hash);
    return 0;
}
