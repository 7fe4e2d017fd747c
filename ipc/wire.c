#include "ipc/wire.h"

#include "ipc/bytes.h"
#include "ipc/names.h"

/* All of this is loops and stores, and never the assignment of a whole struct, which a compiler
 * would turn into a call of memcpy. The hook DLL has no C library. */

/* Text ---------------------------------------------------------------------------------------- */

static int is_continuation(uint8_t byte)
{
    return (byte & 0xc0) == 0x80;
}

/* How many bytes the UTF-8 character at `at` has; 0 if there is none within the `left` bytes.
 * Source: the table of well-formed sequences, The Unicode Standard, chapter 3, table 3-7. */
static size_t character_bytes(const uint8_t *at, size_t left)
{
    uint8_t first = at[0];
    if (first < 0x80)
        return 1;
    if (first < 0xc2 || first > 0xf4)
        return 0;
    size_t size = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (left < size)
        return 0;
    for (size_t i = 1; i < size; i++)
        if (!is_continuation(at[i]))
            return 0;
    int overlong = (first == 0xe0 && at[1] < 0xa0) || (first == 0xf0 && at[1] < 0x90);
    int surrogate = first == 0xed && at[1] > 0x9f;
    int beyond = first == 0xf4 && at[1] > 0x8f;
    return overlong || surrogate || beyond ? 0 : size;
}

/* Copies up to a NUL, the end of the text or the last character that fits. A byte that is not UTF-8
 * becomes '?', so that the field is always valid text. */
static void copy_text(char *field, size_t cap_bytes, const uint8_t *text, size_t len_bytes)
{
    size_t from = 0;
    size_t to = 0;
    while (from < len_bytes && text[from] != 0) {
        size_t size = character_bytes(text + from, len_bytes - from);
        size_t room = size ? size : 1;
        if (to + room >= cap_bytes)
            break;
        for (size_t i = 0; i < room; i++)
            field[to + i] = size ? (char)text[from + i] : '?';
        from += room;
        to += room;
    }
    field[to] = 0;
}

void um_wire_set_text(char *field, size_t cap_bytes, const char *text)
{
    size_t len_bytes = 0;
    /* Looks no further than the field, and the rest of a character at its end. */
    while (text && len_bytes < cap_bytes + 3 && text[len_bytes])
        len_bytes++;
    copy_text(field, cap_bytes, (const uint8_t *)text, len_bytes);
}

/* The length of a field's text. A field without a NUL is cut, because a decoder would cut it
 * too. */
static size_t field_bytes(const char *field, size_t cap_bytes)
{
    size_t len_bytes = 0;
    while (len_bytes < cap_bytes - 1 && field[len_bytes])
        len_bytes++;
    return len_bytes;
}

static uint8_t *put_text(uint8_t *at, const char *field, size_t cap_bytes)
{
    size_t len_bytes = field_bytes(field, cap_bytes);
    um_bytes_put16(at, (uint16_t)len_bytes);
    for (size_t i = 0; i < len_bytes; i++)
        at[2 + i] = (uint8_t)field[i];
    return at + 2 + len_bytes;
}

static const uint8_t *get_text(const uint8_t *at, char *field, size_t cap_bytes)
{
    size_t len_bytes = um_bytes_get16(at);
    copy_text(field, cap_bytes, at + 2, len_bytes);
    return at + 2 + len_bytes;
}

/* Whether `count` strings from `offset` on lie within the payload. It may end where the last
 * `added` ones would begin, because earlier versions do not write those. */
static int texts_fit(const uint8_t *payload, size_t len_bytes, size_t offset, int count, int added)
{
    for (int i = 0; i < count; i++) {
        if (i >= count - added && offset == len_bytes)
            return 1;
        if (len_bytes - offset < 2)
            return 0;
        size_t text_bytes = um_bytes_get16(payload + offset);
        offset += 2;
        if (len_bytes - offset < text_bytes)
            return 0;
        offset += text_bytes;
    }
    return 1;
}

/* Payloads, in the order and at the offsets of the header -------------------------------------- */

static void put_hello(const struct um_wire_frame *frame, uint8_t *payload)
{
    const struct um_wire_hello *hello = &frame->as.hello;
    for (int i = 0; i < UM_WIRE_NONCE_BYTES; i++)
        payload[i] = hello->nonce[i];
    um_bytes_put32(payload + 16, hello->pid);
    um_bytes_put32(payload + 20, hello->tid);
    um_bytes_put64(payload + 24, hello->hwnd);
    um_bytes_put64(payload + 32, hello->time_ns);
    um_bytes_put32(payload + 40, hello->key_delay_us);
}

static void get_hello(const uint8_t *payload, struct um_wire_frame *frame)
{
    struct um_wire_hello *hello = &frame->as.hello;
    for (int i = 0; i < UM_WIRE_NONCE_BYTES; i++)
        hello->nonce[i] = payload[i];
    hello->pid = um_bytes_get32(payload + 16);
    hello->tid = um_bytes_get32(payload + 20);
    hello->hwnd = um_bytes_get64(payload + 24);
    hello->time_ns = um_bytes_get64(payload + 32);
    hello->key_delay_us = um_bytes_get32(payload + 40);
}

static int check_hello(const uint8_t *payload, size_t len_bytes)
{
    (void)len_bytes;
    return um_bytes_get32(payload + 40) <= UM_WIRE_KEY_DELAY_MAX_US;
}

static void put_mark(const struct um_wire_frame *frame, uint8_t *payload)
{
    um_bytes_put64(payload, frame->as.mark.time_ns);
    um_bytes_put64(payload + 8, frame->as.mark.lost);
}

static void get_mark(const uint8_t *payload, struct um_wire_frame *frame)
{
    frame->as.mark.time_ns = um_bytes_get64(payload);
    frame->as.mark.lost = um_bytes_get64(payload + 8);
}

static void put_sent(const struct um_wire_frame *frame, uint8_t *payload)
{
    um_bytes_put64(payload, frame->as.sent.time_ns);
    um_bytes_put32(payload + 8, frame->as.sent.seq);
    um_bytes_put64(payload + 12, frame->as.sent.rested_ns);
    um_bytes_put32(payload + 20, frame->as.sent.skipped);
    payload[24] = frame->as.sent.rung;
    payload[25] = frame->as.sent.left_out;
}

static void get_sent(const uint8_t *payload, struct um_wire_frame *frame)
{
    frame->as.sent.time_ns = um_bytes_get64(payload);
    frame->as.sent.seq = um_bytes_get32(payload + 8);
    frame->as.sent.rested_ns = um_bytes_get64(payload + 12);
    frame->as.sent.skipped = um_bytes_get32(payload + 20);
    frame->as.sent.rung = payload[24];
    frame->as.sent.left_out = payload[25];
}

static int check_sent(const uint8_t *payload, size_t len_bytes)
{
    (void)len_bytes;
    return payload[24] <= UM_RUNG_PAIR && payload[25] <= 1;
}

static void put_seen(const struct um_wire_frame *frame, uint8_t *payload)
{
    um_bytes_put64(payload, frame->as.seen.time_ns);
    um_bytes_put32(payload + 8, frame->as.seen.seq);
}

static void get_seen(const uint8_t *payload, struct um_wire_frame *frame)
{
    frame->as.seen.time_ns = um_bytes_get64(payload);
    frame->as.seen.seq = um_bytes_get32(payload + 8);
}

static void put_taken(const struct um_wire_frame *frame, uint8_t *payload)
{
    const struct um_wire_taken *taken = &frame->as.taken;
    um_bytes_put64(payload, taken->time_ns);
    um_bytes_put64(payload + 8, taken->hwnd);
    um_bytes_put32(payload + 16, taken->message);
    um_bytes_put32(payload + 20, taken->age_ms);
    um_bytes_put32(payload + 24, taken->key);
    um_bytes_put32(payload + 28, taken->own_ms);
    payload[32] = taken->promoted;
}

static void get_taken(const uint8_t *payload, struct um_wire_frame *frame)
{
    struct um_wire_taken *taken = &frame->as.taken;
    taken->time_ns = um_bytes_get64(payload);
    taken->hwnd = um_bytes_get64(payload + 8);
    taken->message = um_bytes_get32(payload + 16);
    taken->age_ms = um_bytes_get32(payload + 20);
    taken->key = um_bytes_get32(payload + 24);
    taken->own_ms = um_bytes_get32(payload + 28);
    taken->promoted = payload[32];
}

static int check_taken(const uint8_t *payload, size_t len_bytes)
{
    (void)len_bytes;
    return payload[32] <= 1;
}

static void put_probe(const struct um_wire_frame *frame, uint8_t *payload)
{
    const struct um_wire_probe *probe = &frame->as.probe;
    um_bytes_put64(payload, probe->time_ns);
    payload[8] = probe->probe;
    payload[9] = probe->status;
    um_bytes_put16(payload + 10, probe->reason);
    um_bytes_put32(payload + 12, probe->error);
    payload[16] = probe->held;
}

static void get_probe(const uint8_t *payload, struct um_wire_frame *frame)
{
    struct um_wire_probe *probe = &frame->as.probe;
    probe->time_ns = um_bytes_get64(payload);
    probe->probe = payload[8];
    probe->status = payload[9];
    probe->reason = um_bytes_get16(payload + 10);
    probe->error = um_bytes_get32(payload + 12);
    probe->held = payload[16];
}

static int check_probe(const uint8_t *payload, size_t len_bytes)
{
    (void)len_bytes;
    return payload[8] <= UM_PROBE_MOUSE && payload[9] <= UM_PROBE_REFUSED &&
           um_bytes_get16(payload + 10) <= UM_PROBE_REASON_BLIND &&
           payload[16] < UM_PROBE_HELD_COUNT;
}

static void put_bye(const struct um_wire_frame *frame, uint8_t *payload)
{
    um_bytes_put64(payload, frame->as.bye.time_ns);
}

static void get_bye(const uint8_t *payload, struct um_wire_frame *frame)
{
    frame->as.bye.time_ns = um_bytes_get64(payload);
}

static void put_cost(const struct um_wire_frame *frame, uint8_t *payload)
{
    const struct um_wire_cost *cost = &frame->as.cost;
    um_bytes_put64(payload, cost->time_ns);
    um_bytes_put64(payload + 8, cost->heartbeat_cpu_ns);
    um_bytes_put64(payload + 16, cost->sender_cpu_ns);
    um_bytes_put64(payload + 24, cost->hook_calls);
    um_bytes_put64(payload + 32, cost->timed_calls);
    um_bytes_put64(payload + 40, cost->timed_ns);
}

static void get_cost(const uint8_t *payload, struct um_wire_frame *frame)
{
    struct um_wire_cost *cost = &frame->as.cost;
    cost->time_ns = um_bytes_get64(payload);
    cost->heartbeat_cpu_ns = um_bytes_get64(payload + 8);
    cost->sender_cpu_ns = um_bytes_get64(payload + 16);
    cost->hook_calls = um_bytes_get64(payload + 24);
    cost->timed_calls = um_bytes_get64(payload + 32);
    cost->timed_ns = um_bytes_get64(payload + 40);
}

static void put_pool_delay(const struct um_wire_frame *frame, uint8_t *payload)
{
    um_bytes_put64(payload, frame->as.pool_delay.time_ns);
    um_bytes_put64(payload + 8, frame->as.pool_delay.delay_ns);
}

static void get_pool_delay(const uint8_t *payload, struct um_wire_frame *frame)
{
    frame->as.pool_delay.time_ns = um_bytes_get64(payload);
    frame->as.pool_delay.delay_ns = um_bytes_get64(payload + 8);
}

static void put_counted(const struct um_wire_frame *frame, uint8_t *payload)
{
    um_bytes_put64(payload, frame->as.counted.time_ns);
    um_bytes_put32(payload + 8, frame->as.counted.messages);
    um_bytes_put32(payload + 12, frame->as.counted.paints);
}

static void get_counted(const uint8_t *payload, struct um_wire_frame *frame)
{
    frame->as.counted.time_ns = um_bytes_get64(payload);
    frame->as.counted.messages = um_bytes_get32(payload + 8);
    frame->as.counted.paints = um_bytes_get32(payload + 12);
}

static void put_code(const struct um_wire_frame *frame, uint8_t *payload)
{
    const struct um_wire_code *code = &frame->as.code;
    um_bytes_put64(payload, code->address);
    um_bytes_put64(payload + 8, code->base);
    um_bytes_put32(payload + 16, code->begin);
    um_bytes_put32(payload + 20, code->end);
    um_bytes_put32(payload + 24, code->unwind);
}

static void get_code(const uint8_t *payload, struct um_wire_frame *frame)
{
    struct um_wire_code *code = &frame->as.code;
    code->address = um_bytes_get64(payload);
    code->base = um_bytes_get64(payload + 8);
    code->begin = um_bytes_get32(payload + 16);
    code->end = um_bytes_get32(payload + 20);
    code->unwind = um_bytes_get32(payload + 24);
}

static void put_look_up(const struct um_wire_frame *frame, uint8_t *payload)
{
    um_bytes_put64(payload, frame->as.look_up.address);
}

static void get_look_up(const uint8_t *payload, struct um_wire_frame *frame)
{
    frame->as.look_up.address = um_bytes_get64(payload);
}

static void put_nothing(const struct um_wire_frame *frame, uint8_t *payload)
{
    (void)frame;
    (void)payload;
}

static void get_nothing(const uint8_t *payload, struct um_wire_frame *frame)
{
    (void)payload;
    (void)frame;
}

static void put_value32(const struct um_wire_frame *frame, uint8_t *payload)
{
    um_bytes_put32(payload, frame->as.command.value);
}

static void get_value32(const uint8_t *payload, struct um_wire_frame *frame)
{
    frame->as.command.value = um_bytes_get32(payload);
}

/* A value over 255 is written as 255, which no command takes. So the check that follows refuses it;
 * with its low byte alone it might pass. */
static void put_value8(const struct um_wire_frame *frame, uint8_t *payload)
{
    uint32_t value = frame->as.command.value;
    payload[0] = (uint8_t)(value > 0xff ? 0xff : value);
}

static void get_value8(const uint8_t *payload, struct um_wire_frame *frame)
{
    frame->as.command.value = payload[0];
}

/* The thread behind the value was added. */
static void put_may_suspend(const struct um_wire_frame *frame, uint8_t *payload)
{
    put_value8(frame, payload);
    um_bytes_put32(payload + 1, frame->as.command.thread);
}

static void get_may_suspend(const uint8_t *payload, struct um_wire_frame *frame)
{
    get_value8(payload, frame);
    frame->as.command.thread = um_bytes_get32(payload + 1);
}

static int check_use_probe(const uint8_t *payload, size_t len_bytes)
{
    (void)len_bytes;
    return payload[0] <= UM_PROBE_MOUSE;
}

static int check_watch_input(const uint8_t *payload, size_t len_bytes)
{
    (void)len_bytes;
    return payload[0] <= UM_WATCH_INPUT_KEYS;
}

static int check_use_rung(const uint8_t *payload, size_t len_bytes)
{
    (void)len_bytes;
    return payload[0] <= UM_RUNG_PAIR;
}

static int check_background(const uint8_t *payload, size_t len_bytes)
{
    (void)len_bytes;
    return payload[0] <= UM_BACKGROUND_PAUSE;
}

/* Of commands whose value is 0 or 1. */
static int check_switch(const uint8_t *payload, size_t len_bytes)
{
    (void)len_bytes;
    return payload[0] <= 1;
}

#define SESSION_TEXTS_AT 48
#define SESSION_TEXTS 4
#define SESSION_TEXTS_ADDED 1

static size_t texts_session(const struct um_wire_frame *frame)
{
    const struct um_wire_session *session = &frame->as.session;
    return field_bytes(session->name, sizeof session->name) +
           field_bytes(session->title, sizeof session->title) +
           field_bytes(session->caption, sizeof session->caption) +
           field_bytes(session->toolkit, sizeof session->toolkit);
}

static void put_session(const struct um_wire_frame *frame, uint8_t *payload)
{
    const struct um_wire_session *session = &frame->as.session;
    um_bytes_put64(payload, session->start_ns);
    um_bytes_put64(payload + 8, (uint64_t)session->utc_ms);
    um_bytes_put64(payload + 16, session->hwnd);
    um_bytes_put32(payload + 24, session->pid);
    um_bytes_put32(payload + 28, session->tid);
    um_bytes_put32(payload + 32, session->period_us);
    um_bytes_put32(payload + 36, session->threshold_us);
    um_bytes_put32(payload + 40, session->slow_us);
    payload[44] = session->bits;
    payload[45] = session->probe;
    payload[46] = session->probe_status;
    payload[47] = session->probe_reason;
    uint8_t *at = payload + SESSION_TEXTS_AT;
    at = put_text(at, session->name, sizeof session->name);
    at = put_text(at, session->title, sizeof session->title);
    at = put_text(at, session->caption, sizeof session->caption);
    put_text(at, session->toolkit, sizeof session->toolkit);
}

static void get_session(const uint8_t *payload, struct um_wire_frame *frame)
{
    struct um_wire_session *session = &frame->as.session;
    session->start_ns = um_bytes_get64(payload);
    session->utc_ms = (int64_t)um_bytes_get64(payload + 8);
    session->hwnd = um_bytes_get64(payload + 16);
    session->pid = um_bytes_get32(payload + 24);
    session->tid = um_bytes_get32(payload + 28);
    session->period_us = um_bytes_get32(payload + 32);
    session->threshold_us = um_bytes_get32(payload + 36);
    session->slow_us = um_bytes_get32(payload + 40);
    session->bits = payload[44];
    session->probe = payload[45];
    session->probe_status = payload[46];
    session->probe_reason = payload[47];
    const uint8_t *at = payload + SESSION_TEXTS_AT;
    at = get_text(at, session->name, sizeof session->name);
    at = get_text(at, session->title, sizeof session->title);
    at = get_text(at, session->caption, sizeof session->caption);
    get_text(at, session->toolkit, sizeof session->toolkit);
}

static int check_session(const uint8_t *payload, size_t len_bytes)
{
    return payload[45] <= UM_PROBE_MOUSE && payload[46] <= UM_PROBE_REFUSED &&
           payload[47] <= UM_PROBE_REASON_BLIND &&
           texts_fit(payload, len_bytes, SESSION_TEXTS_AT, SESSION_TEXTS, SESSION_TEXTS_ADDED);
}

static void put_beat(const struct um_wire_frame *frame, uint8_t *payload)
{
    um_bytes_put64(payload, frame->as.beat.sent_ns);
    um_bytes_put64(payload + 8, frame->as.beat.latency_ns);
    um_bytes_put32(payload + 16, frame->as.beat.seq);
}

static void get_beat(const uint8_t *payload, struct um_wire_frame *frame)
{
    frame->as.beat.sent_ns = um_bytes_get64(payload);
    frame->as.beat.latency_ns = um_bytes_get64(payload + 8);
    frame->as.beat.seq = um_bytes_get32(payload + 16);
}

static void put_gap(const struct um_wire_frame *frame, uint8_t *payload)
{
    const struct um_wire_gap *gap = &frame->as.gap;
    um_bytes_put64(payload, gap->start_ns);
    um_bytes_put64(payload + 8, gap->length_ns);
    um_bytes_put64(payload + 16, gap->hwnd);
    um_bytes_put32(payload + 24, gap->message);
}

static void get_gap(const uint8_t *payload, struct um_wire_frame *frame)
{
    struct um_wire_gap *gap = &frame->as.gap;
    gap->start_ns = um_bytes_get64(payload);
    gap->length_ns = um_bytes_get64(payload + 8);
    gap->hwnd = um_bytes_get64(payload + 16);
    gap->message = um_bytes_get32(payload + 24);
}

#define EPISODE_TEXTS_AT 57
#define EPISODE_TEXTS 2
#define EPISODE_TEXTS_ADDED 1

static size_t texts_episode(const struct um_wire_frame *frame)
{
    const struct um_wire_episode *episode = &frame->as.episode;
    return field_bytes(episode->window_class, sizeof episode->window_class) +
           field_bytes(episode->message_name, sizeof episode->message_name);
}

static void put_episode(const struct um_wire_frame *frame, uint8_t *payload)
{
    const struct um_wire_episode *episode = &frame->as.episode;
    um_bytes_put64(payload, episode->start_ns);
    um_bytes_put64(payload + 8, episode->end_ns);
    um_bytes_put64(payload + 16, episode->peak_ns);
    um_bytes_put64(payload + 24, episode->uncertainty_ns);
    um_bytes_put64(payload + 32, episode->slept_ns);
    um_bytes_put64(payload + 40, episode->hwnd);
    um_bytes_put32(payload + 48, episode->id);
    um_bytes_put32(payload + 52, episode->message);
    payload[56] = episode->state;
    uint8_t *at = payload + EPISODE_TEXTS_AT;
    at = put_text(at, episode->window_class, sizeof episode->window_class);
    put_text(at, episode->message_name, sizeof episode->message_name);
}

static void get_episode(const uint8_t *payload, struct um_wire_frame *frame)
{
    struct um_wire_episode *episode = &frame->as.episode;
    episode->start_ns = um_bytes_get64(payload);
    episode->end_ns = um_bytes_get64(payload + 8);
    episode->peak_ns = um_bytes_get64(payload + 16);
    episode->uncertainty_ns = um_bytes_get64(payload + 24);
    episode->slept_ns = um_bytes_get64(payload + 32);
    episode->hwnd = um_bytes_get64(payload + 40);
    episode->id = um_bytes_get32(payload + 48);
    episode->message = um_bytes_get32(payload + 52);
    episode->state = payload[56];
    const uint8_t *at = payload + EPISODE_TEXTS_AT;
    at = get_text(at, episode->window_class, sizeof episode->window_class);
    get_text(at, episode->message_name, sizeof episode->message_name);
}

static int check_episode(const uint8_t *payload, size_t len_bytes)
{
    return payload[56] < UM_STATE_COUNT &&
           texts_fit(payload, len_bytes, EPISODE_TEXTS_AT, EPISODE_TEXTS, EPISODE_TEXTS_ADDED);
}

static void put_status(const struct um_wire_frame *frame, uint8_t *payload)
{
    const struct um_wire_status *status = &frame->as.status;
    um_bytes_put64(payload, status->time_ns);
    um_bytes_put64(payload + 8, status->slice_start_ns);
    um_bytes_put64(payload + 16, status->lag_ns);
    um_bytes_put64(payload + 24, status->slice_worst_ns);
    um_bytes_put64(payload + 32, status->outstanding_ns);
    um_bytes_put64(payload + 40, status->p50_ns);
    um_bytes_put64(payload + 48, status->p99_ns);
    um_bytes_put64(payload + 56, status->last_freeze_ns);
    um_bytes_put64(payload + 64, status->last_freeze_end_ns);
    um_bytes_put64(payload + 72, status->freeze_total_ns);
    um_bytes_put64(payload + 80, status->lost);
    um_bytes_put32(payload + 88, status->over_100);
    um_bytes_put32(payload + 92, status->over_250);
    um_bytes_put32(payload + 96, status->over_1000);
    um_bytes_put32(payload + 100, status->freezes);
    um_bytes_put64(payload + 104, status->state_since_ns);
    payload[112] = status->state;
    um_bytes_put64(payload + 113, status->typing_p50_ns);
    um_bytes_put64(payload + 121, status->typing_p99_ns);
    um_bytes_put64(payload + 129, status->click_ns);
}

static void get_status(const uint8_t *payload, struct um_wire_frame *frame)
{
    struct um_wire_status *status = &frame->as.status;
    status->time_ns = um_bytes_get64(payload);
    status->slice_start_ns = um_bytes_get64(payload + 8);
    status->lag_ns = um_bytes_get64(payload + 16);
    status->slice_worst_ns = um_bytes_get64(payload + 24);
    status->outstanding_ns = um_bytes_get64(payload + 32);
    status->p50_ns = um_bytes_get64(payload + 40);
    status->p99_ns = um_bytes_get64(payload + 48);
    status->last_freeze_ns = um_bytes_get64(payload + 56);
    status->last_freeze_end_ns = um_bytes_get64(payload + 64);
    status->freeze_total_ns = um_bytes_get64(payload + 72);
    status->lost = um_bytes_get64(payload + 80);
    status->over_100 = um_bytes_get32(payload + 88);
    status->over_250 = um_bytes_get32(payload + 92);
    status->over_1000 = um_bytes_get32(payload + 96);
    status->freezes = um_bytes_get32(payload + 100);
    status->state_since_ns = um_bytes_get64(payload + 104);
    status->state = payload[112];
    status->typing_p50_ns = um_bytes_get64(payload + 113);
    status->typing_p99_ns = um_bytes_get64(payload + 121);
    status->click_ns = um_bytes_get64(payload + 129);
}

static int check_status(const uint8_t *payload, size_t len_bytes)
{
    (void)len_bytes;
    return payload[112] < UM_STATE_COUNT;
}

static void put_end(const struct um_wire_frame *frame, uint8_t *payload)
{
    um_bytes_put64(payload, frame->as.end.time_ns);
    payload[8] = frame->as.end.reason;
}

static void get_end(const uint8_t *payload, struct um_wire_frame *frame)
{
    frame->as.end.time_ns = um_bytes_get64(payload);
    frame->as.end.reason = payload[8];
}

static int check_end(const uint8_t *payload, size_t len_bytes)
{
    (void)len_bytes;
    return payload[8] <= UM_END_FAILED;
}

static void put_interaction(const struct um_wire_frame *frame, uint8_t *payload)
{
    const struct um_wire_interaction *interaction = &frame->as.interaction;
    um_bytes_put64(payload, interaction->arrival_ns);
    um_bytes_put64(payload + 8, interaction->dequeued_ns);
    um_bytes_put64(payload + 16, interaction->handled_ns);
    um_bytes_put64(payload + 24, interaction->painted_ns);
    um_bytes_put32(payload + 32, interaction->id);
    um_bytes_put32(payload + 36, interaction->freeze);
    um_bytes_put32(payload + 40, interaction->key);
    payload[44] = interaction->kind;
}

static void get_interaction(const uint8_t *payload, struct um_wire_frame *frame)
{
    struct um_wire_interaction *interaction = &frame->as.interaction;
    interaction->arrival_ns = um_bytes_get64(payload);
    interaction->dequeued_ns = um_bytes_get64(payload + 8);
    interaction->handled_ns = um_bytes_get64(payload + 16);
    interaction->painted_ns = um_bytes_get64(payload + 24);
    interaction->id = um_bytes_get32(payload + 32);
    interaction->freeze = um_bytes_get32(payload + 36);
    interaction->key = um_bytes_get32(payload + 40);
    interaction->kind = payload[44];
}

static int check_interaction(const uint8_t *payload, size_t len_bytes)
{
    (void)len_bytes;
    return payload[44] < UM_INTERACTION_COUNT;
}

static void put_totals(const struct um_wire_frame *frame, uint8_t *payload)
{
    const struct um_wire_totals *totals = &frame->as.totals;
    um_bytes_put64(payload, totals->time_ns);
    um_bytes_put64(payload + 8, totals->duration_ns);
    um_bytes_put64(payload + 16, totals->beats_sent);
    um_bytes_put64(payload + 24, totals->beats_seen);
    um_bytes_put64(payload + 32, totals->beats_lost);
    for (int i = 0; i < UM_STATE_COUNT; i++)
        um_bytes_put64(payload + 40 + 8 * i, totals->state_ns[i]);
    um_bytes_put64(payload + 96, totals->dropped);
    um_bytes_put64(payload + 104, totals->heartbeat_cpu_ns);
    um_bytes_put64(payload + 112, totals->sender_cpu_ns);
    um_bytes_put64(payload + 120, totals->timed_calls);
    um_bytes_put64(payload + 128, totals->timed_ns);
    um_bytes_put64(payload + 136, totals->monitor_cpu_ns);
    um_bytes_put64(payload + 144, totals->overlay_cpu_ns);
    um_bytes_put64(payload + 152, totals->beats_rested);
}

static void get_totals(const uint8_t *payload, struct um_wire_frame *frame)
{
    struct um_wire_totals *totals = &frame->as.totals;
    totals->time_ns = um_bytes_get64(payload);
    totals->duration_ns = um_bytes_get64(payload + 8);
    totals->beats_sent = um_bytes_get64(payload + 16);
    totals->beats_seen = um_bytes_get64(payload + 24);
    totals->beats_lost = um_bytes_get64(payload + 32);
    for (int i = 0; i < UM_STATE_COUNT; i++)
        totals->state_ns[i] = um_bytes_get64(payload + 40 + 8 * i);
    totals->dropped = um_bytes_get64(payload + 96);
    totals->heartbeat_cpu_ns = um_bytes_get64(payload + 104);
    totals->sender_cpu_ns = um_bytes_get64(payload + 112);
    totals->timed_calls = um_bytes_get64(payload + 120);
    totals->timed_ns = um_bytes_get64(payload + 128);
    totals->monitor_cpu_ns = um_bytes_get64(payload + 136);
    totals->overlay_cpu_ns = um_bytes_get64(payload + 144);
    totals->beats_rested = um_bytes_get64(payload + 152);
}

#define RECORDING_TEXTS_AT 16
#define RECORDING_TEXTS 2

static size_t texts_recording(const struct um_wire_frame *frame)
{
    const struct um_wire_recording *recording = &frame->as.recording;
    return field_bytes(recording->version, sizeof recording->version) +
           field_bytes(recording->options, sizeof recording->options);
}

static void put_recording(const struct um_wire_frame *frame, uint8_t *payload)
{
    const struct um_wire_recording *recording = &frame->as.recording;
    um_bytes_put64(payload, (uint64_t)recording->utc_ms);
    um_bytes_put64(payload + 8, recording->time_ns);
    uint8_t *at = payload + RECORDING_TEXTS_AT;
    at = put_text(at, recording->version, sizeof recording->version);
    put_text(at, recording->options, sizeof recording->options);
}

static void get_recording(const uint8_t *payload, struct um_wire_frame *frame)
{
    struct um_wire_recording *recording = &frame->as.recording;
    recording->utc_ms = (int64_t)um_bytes_get64(payload);
    recording->time_ns = um_bytes_get64(payload + 8);
    const uint8_t *at = payload + RECORDING_TEXTS_AT;
    at = get_text(at, recording->version, sizeof recording->version);
    get_text(at, recording->options, sizeof recording->options);
}

static int check_recording(const uint8_t *payload, size_t len_bytes)
{
    return texts_fit(payload, len_bytes, RECORDING_TEXTS_AT, RECORDING_TEXTS, 0);
}

#define NOTE_TEXTS_AT 8
#define NOTE_TEXTS 1

static size_t texts_note(const struct um_wire_frame *frame)
{
    return field_bytes(frame->as.note.text, sizeof frame->as.note.text);
}

static void put_note(const struct um_wire_frame *frame, uint8_t *payload)
{
    um_bytes_put64(payload, frame->as.note.time_ns);
    put_text(payload + NOTE_TEXTS_AT, frame->as.note.text, sizeof frame->as.note.text);
}

static void get_note(const uint8_t *payload, struct um_wire_frame *frame)
{
    frame->as.note.time_ns = um_bytes_get64(payload);
    get_text(payload + NOTE_TEXTS_AT, frame->as.note.text, sizeof frame->as.note.text);
}

static int check_note(const uint8_t *payload, size_t len_bytes)
{
    return texts_fit(payload, len_bytes, NOTE_TEXTS_AT, NOTE_TEXTS, 0);
}

static void put_view(const struct um_wire_frame *frame, uint8_t *payload)
{
    payload[0] = frame->as.view.hidden;
    payload[1] = frame->as.view.panel;
}

static void get_view(const uint8_t *payload, struct um_wire_frame *frame)
{
    frame->as.view.hidden = payload[0];
    frame->as.view.panel = payload[1];
}

static int check_view(const uint8_t *payload, size_t len_bytes)
{
    (void)len_bytes;
    return payload[0] <= 1 && payload[1] < UM_WIRE_PANEL_COUNT;
}

static void put_pace(const struct um_wire_frame *frame, uint8_t *payload)
{
    um_bytes_put32(payload, frame->as.pace.rest_us);
    um_bytes_put32(payload + 4, frame->as.pace.background_us);
}

static void get_pace(const uint8_t *payload, struct um_wire_frame *frame)
{
    frame->as.pace.rest_us = um_bytes_get32(payload);
    frame->as.pace.background_us = um_bytes_get32(payload + 4);
}

static void put_rest(const struct um_wire_frame *frame, uint8_t *payload)
{
    um_bytes_put64(payload, frame->as.rest.time_ns);
    um_bytes_put32(payload + 8, frame->as.rest.skipped);
}

static void get_rest(const uint8_t *payload, struct um_wire_frame *frame)
{
    frame->as.rest.time_ns = um_bytes_get64(payload);
    frame->as.rest.skipped = um_bytes_get32(payload + 8);
}

static void put_proving(const struct um_wire_frame *frame, uint8_t *payload)
{
    um_bytes_put32(payload, frame->as.proving.key_delay_us);
}

static void get_proving(const uint8_t *payload, struct um_wire_frame *frame)
{
    frame->as.proving.key_delay_us = um_bytes_get32(payload);
}

static int check_proving(const uint8_t *payload, size_t len_bytes)
{
    uint32_t delay_us = um_bytes_get32(payload);
    (void)len_bytes;
    return delay_us >= 1 && delay_us <= UM_WIRE_KEY_DELAY_MAX_US;
}

#define STACK_TEXTS_AT 40
#define STACK_TEXTS (UM_WIRE_STACK_FRAMES + 4)

static size_t texts_stack(const struct um_wire_frame *frame)
{
    const struct um_wire_stack *stack = &frame->as.stack;
    size_t bytes = field_bytes(stack->stopped, sizeof stack->stopped) +
                   field_bytes(stack->call, sizeof stack->call) +
                   field_bytes(stack->whose, sizeof stack->whose) +
                   field_bytes(stack->headline, sizeof stack->headline);
    for (int i = 0; i < UM_WIRE_STACK_FRAMES; i++)
        bytes += field_bytes(stack->frames[i], UM_WIRE_STACK_FRAME_BYTES);
    return bytes;
}

static void put_stack(const struct um_wire_frame *frame, uint8_t *payload)
{
    const struct um_wire_stack *stack = &frame->as.stack;
    um_bytes_put32(payload, stack->freeze);
    um_bytes_put32(payload + 4, stack->samples);
    um_bytes_put32(payload + 8, stack->alike);
    um_bytes_put32(payload + 12, stack->interval_us);
    um_bytes_put32(payload + 16, stack->sampled_us);
    um_bytes_put32(payload + 20, stack->user_us);
    um_bytes_put32(payload + 24, stack->kernel_us);
    um_bytes_put32(payload + 28, stack->yours);
    um_bytes_put32(payload + 32, stack->unread);
    um_bytes_put32(payload + 36, stack->known);
    uint8_t *at = payload + STACK_TEXTS_AT;
    for (int i = 0; i < UM_WIRE_STACK_FRAMES; i++)
        at = put_text(at, stack->frames[i], UM_WIRE_STACK_FRAME_BYTES);
    at = put_text(at, stack->stopped, sizeof stack->stopped);
    at = put_text(at, stack->call, sizeof stack->call);
    at = put_text(at, stack->whose, sizeof stack->whose);
    put_text(at, stack->headline, sizeof stack->headline);
}

static void get_stack(const uint8_t *payload, struct um_wire_frame *frame)
{
    struct um_wire_stack *stack = &frame->as.stack;
    stack->freeze = um_bytes_get32(payload);
    stack->samples = um_bytes_get32(payload + 4);
    stack->alike = um_bytes_get32(payload + 8);
    stack->interval_us = um_bytes_get32(payload + 12);
    stack->sampled_us = um_bytes_get32(payload + 16);
    stack->user_us = um_bytes_get32(payload + 20);
    stack->kernel_us = um_bytes_get32(payload + 24);
    stack->yours = um_bytes_get32(payload + 28);
    stack->unread = um_bytes_get32(payload + 32);
    stack->known = um_bytes_get32(payload + 36);
    const uint8_t *at = payload + STACK_TEXTS_AT;
    for (int i = 0; i < UM_WIRE_STACK_FRAMES; i++)
        at = get_text(at, stack->frames[i], UM_WIRE_STACK_FRAME_BYTES);
    at = get_text(at, stack->stopped, sizeof stack->stopped);
    at = get_text(at, stack->call, sizeof stack->call);
    at = get_text(at, stack->whose, sizeof stack->whose);
    get_text(at, stack->headline, sizeof stack->headline);
}

static int check_stack(const uint8_t *payload, size_t len_bytes)
{
    return texts_fit(payload, len_bytes, STACK_TEXTS_AT, STACK_TEXTS, 0);
}

static void put_sampling(const struct um_wire_frame *frame, uint8_t *payload)
{
    const struct um_wire_sampling *sampling = &frame->as.sampling;
    um_bytes_put32(payload, sampling->samples);
    um_bytes_put32(payload + 4, sampling->over_2ms);
    um_bytes_put64(payload + 8, sampling->total_ns);
    um_bytes_put64(payload + 16, sampling->p50_ns);
    um_bytes_put64(payload + 24, sampling->max_ns);
    um_bytes_put64(payload + 32, sampling->interval_ns);
}

static void get_sampling(const uint8_t *payload, struct um_wire_frame *frame)
{
    struct um_wire_sampling *sampling = &frame->as.sampling;
    sampling->samples = um_bytes_get32(payload);
    sampling->over_2ms = um_bytes_get32(payload + 4);
    sampling->total_ns = um_bytes_get64(payload + 8);
    sampling->p50_ns = um_bytes_get64(payload + 16);
    sampling->max_ns = um_bytes_get64(payload + 24);
    sampling->interval_ns = um_bytes_get64(payload + 32);
}

static void put_pool(const struct um_wire_frame *frame, uint8_t *payload)
{
    const struct um_wire_pool *pool = &frame->as.pool;
    um_bytes_put64(payload, pool->time_ns);
    um_bytes_put64(payload + 8, pool->delay_ns);
    um_bytes_put64(payload + 16, pool->start_ns);
    um_bytes_put64(payload + 24, pool->end_ns);
    um_bytes_put64(payload + 32, pool->peak_ns);
    um_bytes_put32(payload + 40, pool->starvation);
}

static void get_pool(const uint8_t *payload, struct um_wire_frame *frame)
{
    struct um_wire_pool *pool = &frame->as.pool;
    pool->time_ns = um_bytes_get64(payload);
    pool->delay_ns = um_bytes_get64(payload + 8);
    pool->start_ns = um_bytes_get64(payload + 16);
    pool->end_ns = um_bytes_get64(payload + 24);
    pool->peak_ns = um_bytes_get64(payload + 32);
    pool->starvation = um_bytes_get32(payload + 40);
}

static void put_lost(const struct um_wire_frame *frame, uint8_t *payload)
{
    um_bytes_put64(payload, frame->as.lost.time_ns);
    um_bytes_put64(payload + 8, frame->as.lost.frames);
}

static void get_lost(const uint8_t *payload, struct um_wire_frame *frame)
{
    frame->as.lost.time_ns = um_bytes_get64(payload);
    frame->as.lost.frames = um_bytes_get64(payload + 8);
}

static void put_activity(const struct um_wire_frame *frame, uint8_t *payload)
{
    um_bytes_put64(payload, frame->as.activity.time_ns);
    um_bytes_put64(payload + 8, frame->as.activity.since_ns);
    um_bytes_put64(payload + 16, frame->as.activity.messages);
    um_bytes_put64(payload + 24, frame->as.activity.paints);
}

static void get_activity(const uint8_t *payload, struct um_wire_frame *frame)
{
    frame->as.activity.time_ns = um_bytes_get64(payload);
    frame->as.activity.since_ns = um_bytes_get64(payload + 8);
    frame->as.activity.messages = um_bytes_get64(payload + 16);
    frame->as.activity.paints = um_bytes_get64(payload + 24);
}

#define MODULE_TEXTS_AT 12
#define MODULE_TEXTS 1

static size_t texts_module(const struct um_wire_frame *frame)
{
    return field_bytes(frame->as.module.path, UM_WIRE_MODULE_PATH_BYTES);
}

static void put_module(const struct um_wire_frame *frame, uint8_t *payload)
{
    um_bytes_put32(payload, frame->as.module.number);
    um_bytes_put32(payload + 4, frame->as.module.timestamp);
    um_bytes_put32(payload + 8, frame->as.module.image_bytes);
    put_text(payload + MODULE_TEXTS_AT, frame->as.module.path, UM_WIRE_MODULE_PATH_BYTES);
}

static void get_module(const uint8_t *payload, struct um_wire_frame *frame)
{
    frame->as.module.number = um_bytes_get32(payload);
    frame->as.module.timestamp = um_bytes_get32(payload + 4);
    frame->as.module.image_bytes = um_bytes_get32(payload + 8);
    get_text(payload + MODULE_TEXTS_AT, frame->as.module.path, UM_WIRE_MODULE_PATH_BYTES);
}

static int check_module(const uint8_t *payload, size_t len_bytes)
{
    return um_bytes_get32(payload) < UM_WIRE_MODULES &&
           texts_fit(payload, len_bytes, MODULE_TEXTS_AT, MODULE_TEXTS, 0);
}

#define NODES_AT 12
#define NODE_BYTES 12

/* Not of texts, but of what is as long as the frame says. A count that is too great is refused. */
static size_t bytes_of_nodes(const struct um_wire_frame *frame)
{
    uint32_t count = frame->as.nodes.count;
    return NODE_BYTES * (count <= UM_WIRE_NODES_MOST ? (size_t)count : 0);
}

static void put_nodes(const struct um_wire_frame *frame, uint8_t *payload)
{
    const struct um_wire_nodes *nodes = &frame->as.nodes;
    um_bytes_put32(payload, nodes->first);
    um_bytes_put32(payload + 4, nodes->count);
    um_bytes_put32(payload + 8, nodes->tree);
    for (uint32_t i = 0; i < nodes->count && nodes->count <= UM_WIRE_NODES_MOST; i++) {
        um_bytes_put32(payload + NODES_AT + (size_t)NODE_BYTES * i, nodes->list[i].parent);
        um_bytes_put64(payload + NODES_AT + (size_t)NODE_BYTES * i + 4, nodes->list[i].key);
    }
}

static void get_nodes(const uint8_t *payload, struct um_wire_frame *frame)
{
    struct um_wire_nodes *nodes = &frame->as.nodes;
    nodes->first = um_bytes_get32(payload);
    nodes->count = um_bytes_get32(payload + 4);
    nodes->tree = um_bytes_get32(payload + 8);
    for (uint32_t i = 0; i < nodes->count; i++) {
        nodes->list[i].parent = um_bytes_get32(payload + NODES_AT + (size_t)NODE_BYTES * i);
        nodes->list[i].key = um_bytes_get64(payload + NODES_AT + (size_t)NODE_BYTES * i + 4);
    }
}

static int check_nodes(const uint8_t *payload, size_t len_bytes)
{
    uint32_t first = um_bytes_get32(payload);
    uint32_t count = um_bytes_get32(payload + 4);
    if (first < UM_WIRE_FIRST_NODE || count < 1 || count > UM_WIRE_NODES_MOST ||
        first > UINT32_MAX - count || len_bytes < NODES_AT + (size_t)NODE_BYTES * count)
        return 0;
    for (uint32_t i = 0; i < count; i++)
        if (um_bytes_get32(payload + NODES_AT + (size_t)NODE_BYTES * i) >= first + i)
            return 0;
    return 1;
}

#define SAMPLE_TEXTS_AT 38
#define SAMPLE_TEXTS 1
#define SAMPLE_ADDED 3 /* bytes: `other` and the empty string */

static size_t texts_sample(const struct um_wire_frame *frame)
{
    return field_bytes(frame->as.sample.thread_name, UM_WIRE_THREAD_NAME_BYTES);
}

static void put_sample(const struct um_wire_frame *frame, uint8_t *payload)
{
    const struct um_wire_sample *sample = &frame->as.sample;
    um_bytes_put64(payload, sample->time_ns);
    um_bytes_put32(payload + 8, sample->thread);
    um_bytes_put32(payload + 12, sample->node);
    um_bytes_put32(payload + 16, sample->wall_us);
    um_bytes_put32(payload + 20, sample->user_us);
    um_bytes_put32(payload + 24, sample->kernel_us);
    um_bytes_put32(payload + 28, sample->absence);
    um_bytes_put32(payload + 32, sample->tree);
    payload[36] = sample->stopped;
    payload[37] = sample->other;
    put_text(payload + SAMPLE_TEXTS_AT, sample->thread_name, UM_WIRE_THREAD_NAME_BYTES);
}

static void get_sample(const uint8_t *payload, struct um_wire_frame *frame)
{
    struct um_wire_sample *sample = &frame->as.sample;
    sample->time_ns = um_bytes_get64(payload);
    sample->thread = um_bytes_get32(payload + 8);
    sample->node = um_bytes_get32(payload + 12);
    sample->wall_us = um_bytes_get32(payload + 16);
    sample->user_us = um_bytes_get32(payload + 20);
    sample->kernel_us = um_bytes_get32(payload + 24);
    sample->absence = um_bytes_get32(payload + 28);
    sample->tree = um_bytes_get32(payload + 32);
    sample->stopped = payload[36];
    sample->other = payload[37];
    get_text(payload + SAMPLE_TEXTS_AT, sample->thread_name, UM_WIRE_THREAD_NAME_BYTES);
}

static int check_sample(const uint8_t *payload, size_t len_bytes)
{
    int fits = len_bytes < SAMPLE_TEXTS_AT ||
               texts_fit(payload, len_bytes, SAMPLE_TEXTS_AT, SAMPLE_TEXTS, SAMPLE_TEXTS);
    return payload[36] <= UM_WIRE_STOPPED_MOST && payload[37] <= 1 && fits;
}

#define NAME_TEXTS_AT 18
#define NAME_TEXTS 2

static size_t texts_name(const struct um_wire_frame *frame)
{
    return field_bytes(frame->as.name.name, UM_WIRE_NAME_BYTES) +
           field_bytes(frame->as.name.file, UM_WIRE_NAME_BYTES);
}

static void put_name(const struct um_wire_frame *frame, uint8_t *payload)
{
    const struct um_wire_name *name = &frame->as.name;
    um_bytes_put64(payload, name->key);
    um_bytes_put32(payload + 8, name->displacement);
    um_bytes_put32(payload + 12, name->line);
    payload[16] = name->kind;
    payload[17] = name->why;
    uint8_t *at = put_text(payload + NAME_TEXTS_AT, name->name, UM_WIRE_NAME_BYTES);
    put_text(at, name->file, UM_WIRE_NAME_BYTES);
}

static void get_name(const uint8_t *payload, struct um_wire_frame *frame)
{
    struct um_wire_name *name = &frame->as.name;
    name->key = um_bytes_get64(payload);
    name->displacement = um_bytes_get32(payload + 8);
    name->line = um_bytes_get32(payload + 12);
    name->kind = payload[16];
    name->why = payload[17];
    const uint8_t *at = get_text(payload + NAME_TEXTS_AT, name->name, UM_WIRE_NAME_BYTES);
    get_text(at, name->file, UM_WIRE_NAME_BYTES);
}

static int check_name(const uint8_t *payload, size_t len_bytes)
{
    return payload[16] < UM_NAMES_KIND_COUNT && payload[17] < UM_NAMES_WHY_COUNT &&
           texts_fit(payload, len_bytes, NAME_TEXTS_AT, NAME_TEXTS, 0);
}

#define COUNTER_TEXTS_AT 5
#define COUNTER_TEXTS 4

static size_t texts_counter(const struct um_wire_frame *frame)
{
    const struct um_wire_counter *counter = &frame->as.counter;
    return field_bytes(counter->provider, UM_WIRE_COUNTER_TEXT_BYTES) +
           field_bytes(counter->name, UM_WIRE_COUNTER_TEXT_BYTES) +
           field_bytes(counter->display, UM_WIRE_COUNTER_TEXT_BYTES) +
           field_bytes(counter->unit, UM_WIRE_COUNTER_TEXT_BYTES);
}

static void put_counter(const struct um_wire_frame *frame, uint8_t *payload)
{
    const struct um_wire_counter *counter = &frame->as.counter;
    um_bytes_put32(payload, counter->number);
    payload[4] = counter->kind;
    uint8_t *at =
        put_text(payload + COUNTER_TEXTS_AT, counter->provider, UM_WIRE_COUNTER_TEXT_BYTES);
    at = put_text(at, counter->name, UM_WIRE_COUNTER_TEXT_BYTES);
    at = put_text(at, counter->display, UM_WIRE_COUNTER_TEXT_BYTES);
    put_text(at, counter->unit, UM_WIRE_COUNTER_TEXT_BYTES);
}

static void get_counter(const uint8_t *payload, struct um_wire_frame *frame)
{
    struct um_wire_counter *counter = &frame->as.counter;
    counter->number = um_bytes_get32(payload);
    counter->kind = payload[4];
    const uint8_t *at =
        get_text(payload + COUNTER_TEXTS_AT, counter->provider, UM_WIRE_COUNTER_TEXT_BYTES);
    at = get_text(at, counter->name, UM_WIRE_COUNTER_TEXT_BYTES);
    at = get_text(at, counter->display, UM_WIRE_COUNTER_TEXT_BYTES);
    get_text(at, counter->unit, UM_WIRE_COUNTER_TEXT_BYTES);
}

static int check_counter(const uint8_t *payload, size_t len_bytes)
{
    return um_bytes_get32(payload) < UM_WIRE_COUNTERS && payload[4] <= UM_WIRE_COUNTER_INCREMENT &&
           texts_fit(payload, len_bytes, COUNTER_TEXTS_AT, COUNTER_TEXTS, 0);
}

static void put_counter_value(const struct um_wire_frame *frame, uint8_t *payload)
{
    const struct um_wire_counter_value *value = &frame->as.counter_value;
    um_bytes_put64(payload, value->time_ns);
    um_bytes_put64(payload + 8, value->interval_ns);
    um_bytes_put64(payload + 16, value->value);
    um_bytes_put64(payload + 24, value->min);
    um_bytes_put64(payload + 32, value->max);
    um_bytes_put32(payload + 40, value->number);
    um_bytes_put32(payload + 44, value->count);
}

static void get_counter_value(const uint8_t *payload, struct um_wire_frame *frame)
{
    struct um_wire_counter_value *value = &frame->as.counter_value;
    value->time_ns = um_bytes_get64(payload);
    value->interval_ns = um_bytes_get64(payload + 8);
    value->value = um_bytes_get64(payload + 16);
    value->min = um_bytes_get64(payload + 24);
    value->max = um_bytes_get64(payload + 32);
    value->number = um_bytes_get32(payload + 40);
    value->count = um_bytes_get32(payload + 44);
}

/* Whether these are the bits of a finite double, whose exponent is not all ones. */
static int is_finite(uint64_t bits)
{
    return (bits >> 52 & 0x7ff) != 0x7ff;
}

static int check_counter_value(const uint8_t *payload, size_t len_bytes)
{
    (void)len_bytes;
    return is_finite(um_bytes_get64(payload + 16)) && is_finite(um_bytes_get64(payload + 24)) &&
           is_finite(um_bytes_get64(payload + 32)) &&
           um_bytes_get32(payload + 40) < UM_WIRE_COUNTERS;
}

#define PROFILE_ROWS_AT 29
#define PROFILE_TEXTS_AT (PROFILE_ROWS_AT + 8 * UM_WIRE_PROFILE_ROWS)
#define PROFILE_TEXTS (2 * UM_WIRE_PROFILE_ROWS)

static size_t texts_profile(const struct um_wire_frame *frame)
{
    const struct um_wire_profile_row *rows = frame->as.profile.rows;
    size_t bytes = 0;
    for (int i = 0; i < UM_WIRE_PROFILE_ROWS; i++)
        bytes += field_bytes(rows[i].name, sizeof rows[i].name) +
                 field_bytes(rows[i].module, sizeof rows[i].module);
    return bytes;
}

static void put_profile(const struct um_wire_frame *frame, uint8_t *payload)
{
    const struct um_wire_profile *profile = &frame->as.profile;
    const struct um_wire_profile_row *rows = profile->rows;
    uint8_t *at = payload + PROFILE_TEXTS_AT;
    um_bytes_put64(payload, profile->time_ns);
    um_bytes_put64(payload + 8, profile->span_ns);
    um_bytes_put32(payload + 16, profile->samples);
    um_bytes_put32(payload + 20, profile->unread);
    payload[24] = profile->scope;
    um_bytes_put32(payload + 25, profile->forgotten);
    for (int i = 0; i < UM_WIRE_PROFILE_ROWS; i++) {
        um_bytes_put32(payload + PROFILE_ROWS_AT + 8 * i, rows[i].self);
        um_bytes_put32(payload + PROFILE_ROWS_AT + 8 * i + 4, rows[i].all);
        at = put_text(at, rows[i].name, sizeof rows[i].name);
        at = put_text(at, rows[i].module, sizeof rows[i].module);
    }
}

static void get_profile(const uint8_t *payload, struct um_wire_frame *frame)
{
    struct um_wire_profile *profile = &frame->as.profile;
    struct um_wire_profile_row *rows = profile->rows;
    const uint8_t *at = payload + PROFILE_TEXTS_AT;
    profile->time_ns = um_bytes_get64(payload);
    profile->span_ns = um_bytes_get64(payload + 8);
    profile->samples = um_bytes_get32(payload + 16);
    profile->unread = um_bytes_get32(payload + 20);
    profile->scope = payload[24];
    profile->forgotten = um_bytes_get32(payload + 25);
    for (int i = 0; i < UM_WIRE_PROFILE_ROWS; i++) {
        rows[i].self = um_bytes_get32(payload + PROFILE_ROWS_AT + 8 * i);
        rows[i].all = um_bytes_get32(payload + PROFILE_ROWS_AT + 8 * i + 4);
        at = get_text(at, rows[i].name, sizeof rows[i].name);
        at = get_text(at, rows[i].module, sizeof rows[i].module);
    }
}

static int check_profile(const uint8_t *payload, size_t len_bytes)
{
    return payload[24] < UM_WIRE_SCOPE_COUNT &&
           texts_fit(payload, len_bytes, PROFILE_TEXTS_AT, PROFILE_TEXTS, 0);
}

#define RETRIEVED_TEXTS_AT 32
#define RETRIEVED_TEXTS 2

static size_t texts_retrieved(const struct um_wire_frame *frame)
{
    const struct um_wire_retrieved *retrieved = &frame->as.retrieved;
    return field_bytes(retrieved->window_class, sizeof retrieved->window_class) +
           field_bytes(retrieved->message_name, sizeof retrieved->message_name);
}

static void put_retrieved(const struct um_wire_frame *frame, uint8_t *payload)
{
    const struct um_wire_retrieved *retrieved = &frame->as.retrieved;
    um_bytes_put64(payload, retrieved->time_ns);
    um_bytes_put64(payload + 8, retrieved->length_ns);
    um_bytes_put64(payload + 16, retrieved->hwnd);
    um_bytes_put32(payload + 24, retrieved->message);
    um_bytes_put32(payload + 28, retrieved->freeze);
    uint8_t *at = put_text(payload + RETRIEVED_TEXTS_AT, retrieved->window_class,
                           sizeof retrieved->window_class);
    put_text(at, retrieved->message_name, sizeof retrieved->message_name);
}

static void get_retrieved(const uint8_t *payload, struct um_wire_frame *frame)
{
    struct um_wire_retrieved *retrieved = &frame->as.retrieved;
    retrieved->time_ns = um_bytes_get64(payload);
    retrieved->length_ns = um_bytes_get64(payload + 8);
    retrieved->hwnd = um_bytes_get64(payload + 16);
    retrieved->message = um_bytes_get32(payload + 24);
    retrieved->freeze = um_bytes_get32(payload + 28);
    const uint8_t *at = get_text(payload + RETRIEVED_TEXTS_AT, retrieved->window_class,
                                 sizeof retrieved->window_class);
    get_text(at, retrieved->message_name, sizeof retrieved->message_name);
}

static int check_retrieved(const uint8_t *payload, size_t len_bytes)
{
    return texts_fit(payload, len_bytes, RETRIEVED_TEXTS_AT, RETRIEVED_TEXTS, 0);
}

#define WAIT_TEXTS_AT 17
#define WAIT_TEXTS 3

static size_t texts_wait(const struct um_wire_frame *frame)
{
    const struct um_wire_wait *wait = &frame->as.wait;
    return field_bytes(wait->object, sizeof wait->object) +
           field_bytes(wait->process_name, sizeof wait->process_name) +
           field_bytes(wait->function, sizeof wait->function);
}

static void put_wait(const struct um_wire_frame *frame, uint8_t *payload)
{
    const struct um_wire_wait *wait = &frame->as.wait;
    um_bytes_put32(payload, wait->freeze);
    um_bytes_put32(payload + 4, wait->thread);
    um_bytes_put32(payload + 8, wait->process);
    um_bytes_put32(payload + 12, wait->samples);
    payload[16] = wait->kind;
    uint8_t *at = put_text(payload + WAIT_TEXTS_AT, wait->object, sizeof wait->object);
    at = put_text(at, wait->process_name, sizeof wait->process_name);
    put_text(at, wait->function, sizeof wait->function);
}

static void get_wait(const uint8_t *payload, struct um_wire_frame *frame)
{
    struct um_wire_wait *wait = &frame->as.wait;
    wait->freeze = um_bytes_get32(payload);
    wait->thread = um_bytes_get32(payload + 4);
    wait->process = um_bytes_get32(payload + 8);
    wait->samples = um_bytes_get32(payload + 12);
    wait->kind = payload[16];
    const uint8_t *at = get_text(payload + WAIT_TEXTS_AT, wait->object, sizeof wait->object);
    at = get_text(at, wait->process_name, sizeof wait->process_name);
    get_text(at, wait->function, sizeof wait->function);
}

static int check_wait(const uint8_t *payload, size_t len_bytes)
{
    return payload[16] < UM_WIRE_WAIT_KINDS &&
           texts_fit(payload, len_bytes, WAIT_TEXTS_AT, WAIT_TEXTS, 0);
}

static void put_rung(const struct um_wire_frame *frame, uint8_t *payload)
{
    um_bytes_put64(payload, frame->as.rung.time_ns);
    payload[8] = frame->as.rung.rung;
    payload[9] = frame->as.rung.shielded;
    payload[10] = frame->as.rung.held;
}

static void get_rung(const uint8_t *payload, struct um_wire_frame *frame)
{
    frame->as.rung.time_ns = um_bytes_get64(payload);
    frame->as.rung.rung = payload[8];
    frame->as.rung.shielded = payload[9];
    frame->as.rung.held = payload[10];
}

static int check_rung(const uint8_t *payload, size_t len_bytes)
{
    (void)len_bytes;
    return payload[8] <= UM_RUNG_PAIR && payload[9] <= 1 && payload[10] < UM_PROBE_HELD_COUNT;
}

#define TRACE_CALL_TEXTS_AT 21
#define TRACE_CALL_TEXTS 1

static size_t texts_trace_call(const struct um_wire_frame *frame)
{
    return field_bytes(frame->as.trace_call.window_class, UM_WIRE_TRACE_CLASS_BYTES);
}

static void put_trace_call(const struct um_wire_frame *frame, uint8_t *payload)
{
    const struct um_wire_trace_call *call = &frame->as.trace_call;
    um_bytes_put32(payload, call->node);
    um_bytes_put32(payload + 4, call->parent);
    um_bytes_put64(payload + 8, call->handler);
    um_bytes_put32(payload + 16, call->message);
    payload[20] = call->kind;
    put_text(payload + TRACE_CALL_TEXTS_AT, call->window_class, UM_WIRE_TRACE_CLASS_BYTES);
}

static void get_trace_call(const uint8_t *payload, struct um_wire_frame *frame)
{
    struct um_wire_trace_call *call = &frame->as.trace_call;
    call->node = um_bytes_get32(payload);
    call->parent = um_bytes_get32(payload + 4);
    call->handler = um_bytes_get64(payload + 8);
    call->message = um_bytes_get32(payload + 16);
    call->kind = payload[20];
    get_text(payload + TRACE_CALL_TEXTS_AT, call->window_class, UM_WIRE_TRACE_CLASS_BYTES);
}

static int is_trace_node(const uint8_t *at)
{
    uint32_t node = um_bytes_get32(at);
    return node >= 1 && node < UM_WIRE_TRACE_NODES;
}

static int check_trace_call(const uint8_t *payload, size_t len_bytes)
{
    return is_trace_node(payload) && um_bytes_get32(payload + 4) < um_bytes_get32(payload) &&
           payload[20] <= UM_TRACE_OTHER &&
           texts_fit(payload, len_bytes, TRACE_CALL_TEXTS_AT, TRACE_CALL_TEXTS, 0);
}

#define TRACED_CALL_TEXTS_AT 25
#define TRACED_CALL_TEXTS 2

static size_t texts_traced_call(const struct um_wire_frame *frame)
{
    const struct um_wire_traced_call *call = &frame->as.traced_call;
    return field_bytes(call->window_class, UM_WIRE_TRACE_CLASS_BYTES) +
           field_bytes(call->message_name, sizeof call->message_name);
}

static void put_traced_call(const struct um_wire_frame *frame, uint8_t *payload)
{
    const struct um_wire_traced_call *call = &frame->as.traced_call;
    um_bytes_put32(payload, call->tree);
    um_bytes_put32(payload + 4, call->node);
    um_bytes_put32(payload + 8, call->parent);
    um_bytes_put64(payload + 12, call->key);
    um_bytes_put32(payload + 20, call->message);
    payload[24] = call->kind;
    uint8_t *at =
        put_text(payload + TRACED_CALL_TEXTS_AT, call->window_class, UM_WIRE_TRACE_CLASS_BYTES);
    put_text(at, call->message_name, sizeof call->message_name);
}

static void get_traced_call(const uint8_t *payload, struct um_wire_frame *frame)
{
    struct um_wire_traced_call *call = &frame->as.traced_call;
    call->tree = um_bytes_get32(payload);
    call->node = um_bytes_get32(payload + 4);
    call->parent = um_bytes_get32(payload + 8);
    call->key = um_bytes_get64(payload + 12);
    call->message = um_bytes_get32(payload + 20);
    call->kind = payload[24];
    const uint8_t *at =
        get_text(payload + TRACED_CALL_TEXTS_AT, call->window_class, UM_WIRE_TRACE_CLASS_BYTES);
    get_text(at, call->message_name, sizeof call->message_name);
}

static int check_traced_call(const uint8_t *payload, size_t len_bytes)
{
    return is_trace_node(payload + 4) &&
           um_bytes_get32(payload + 8) < um_bytes_get32(payload + 4) &&
           payload[24] <= UM_TRACE_OTHER &&
           texts_fit(payload, len_bytes, TRACED_CALL_TEXTS_AT, TRACED_CALL_TEXTS, 0);
}

#define TRACING_BYTES 41
#define TRACE_LIST_AT 42
#define TRACED_LIST_AT 5
#define TRACE_TIMES_BYTES 52

static void put_sum(const struct um_wire_tracing *sum, uint8_t *payload)
{
    um_bytes_put64(payload, sum->time_ns);
    um_bytes_put64(payload + 8, sum->traced_ns);
    um_bytes_put64(payload + 16, sum->timed_calls);
    um_bytes_put64(payload + 24, sum->timed_ns);
    um_bytes_put64(payload + 32, sum->deeper);
    payload[40] = sum->on;
}

static void get_sum(const uint8_t *payload, struct um_wire_tracing *sum)
{
    sum->time_ns = um_bytes_get64(payload);
    sum->traced_ns = um_bytes_get64(payload + 8);
    sum->timed_calls = um_bytes_get64(payload + 16);
    sum->timed_ns = um_bytes_get64(payload + 24);
    sum->deeper = um_bytes_get64(payload + 32);
    sum->on = payload[40];
}

static void put_tracing(const struct um_wire_frame *frame, uint8_t *payload)
{
    put_sum(&frame->as.tracing, payload);
}

static void get_tracing(const uint8_t *payload, struct um_wire_frame *frame)
{
    get_sum(payload, &frame->as.tracing);
}

static int check_tracing(const uint8_t *payload, size_t len_bytes)
{
    (void)len_bytes;
    return payload[40] <= 1;
}

static size_t bytes_of_times(uint8_t count)
{
    return TRACE_TIMES_BYTES * (count <= UM_WIRE_TRACE_MOST ? (size_t)count : 0);
}

/* A count that is too great is refused. */
static void put_times(const struct um_wire_trace_times *list, uint8_t count, uint8_t *at)
{
    for (size_t i = 0; i < count && count <= UM_WIRE_TRACE_MOST; i++, at += TRACE_TIMES_BYTES) {
        um_bytes_put32(at, list[i].node);
        um_bytes_put64(at + 4, list[i].count);
        um_bytes_put64(at + 12, list[i].ended);
        um_bytes_put64(at + 20, list[i].loose);
        um_bytes_put64(at + 28, list[i].wall_ns);
        um_bytes_put64(at + 36, list[i].self_ns);
        um_bytes_put64(at + 44, list[i].cpu_ns);
    }
}

static void get_times(const uint8_t *at, uint8_t count, struct um_wire_trace_times *list)
{
    for (size_t i = 0; i < count; i++, at += TRACE_TIMES_BYTES)
        list[i] = (struct um_wire_trace_times){.node = um_bytes_get32(at),
                                               .count = um_bytes_get64(at + 4),
                                               .ended = um_bytes_get64(at + 12),
                                               .loose = um_bytes_get64(at + 20),
                                               .wall_ns = um_bytes_get64(at + 28),
                                               .self_ns = um_bytes_get64(at + 36),
                                               .cpu_ns = um_bytes_get64(at + 44)};
}

static int check_times(const uint8_t *at, size_t len_bytes, uint8_t count)
{
    if (count > UM_WIRE_TRACE_MOST || len_bytes < bytes_of_times(count))
        return 0;
    for (size_t i = 0; i < count; i++)
        if (!is_trace_node(at + TRACE_TIMES_BYTES * i))
            return 0;
    return 1;
}

static size_t bytes_of_trace_list(const struct um_wire_frame *frame)
{
    return bytes_of_times(frame->as.trace_list.count);
}

static void put_trace_list(const struct um_wire_frame *frame, uint8_t *payload)
{
    const struct um_wire_trace_list *list = &frame->as.trace_list;
    put_sum(&list->sum, payload);
    payload[41] = list->count;
    put_times(list->list, list->count, payload + TRACE_LIST_AT);
}

static void get_trace_list(const uint8_t *payload, struct um_wire_frame *frame)
{
    struct um_wire_trace_list *list = &frame->as.trace_list;
    get_sum(payload, &list->sum);
    list->count = payload[41];
    get_times(payload + TRACE_LIST_AT, list->count, list->list);
}

static int check_trace_list(const uint8_t *payload, size_t len_bytes)
{
    return payload[40] <= 1 &&
           check_times(payload + TRACE_LIST_AT, len_bytes - TRACE_LIST_AT, payload[41]);
}

static size_t bytes_of_traced_list(const struct um_wire_frame *frame)
{
    return bytes_of_times(frame->as.traced_list.count);
}

static void put_traced_list(const struct um_wire_frame *frame, uint8_t *payload)
{
    const struct um_wire_traced_list *list = &frame->as.traced_list;
    um_bytes_put32(payload, list->tree);
    payload[4] = list->count;
    put_times(list->list, list->count, payload + TRACED_LIST_AT);
}

static void get_traced_list(const uint8_t *payload, struct um_wire_frame *frame)
{
    struct um_wire_traced_list *list = &frame->as.traced_list;
    list->tree = um_bytes_get32(payload);
    list->count = payload[4];
    get_times(payload + TRACED_LIST_AT, list->count, list->list);
}

static int check_traced_list(const uint8_t *payload, size_t len_bytes)
{
    return payload[4] >= 1 &&
           check_times(payload + TRACED_LIST_AT, len_bytes - TRACED_LIST_AT, payload[4]);
}

/* Types ---------------------------------------------------------------------------------------- */

/* All that the codec knows of a type. A row without `put` is a type that does not exist. */
struct shape {
    void (*put)(const struct um_wire_frame *frame, uint8_t *payload);
    void (*get)(const uint8_t *payload, struct um_wire_frame *frame);
    /* Whether a payload of at least `payload_bytes` has every value in range; may be NULL. */
    int (*check)(const uint8_t *payload, size_t len_bytes);
    size_t (*texts)(const struct um_wire_frame *frame); /* bytes of its strings and its list; may be
                                                         * NULL */
    uint8_t payload_bytes;                              /* without these */
    uint8_t added_bytes; /* of those, at the end, what earlier versions do not write */
    uint8_t flags;       /* those that are known */
};

#define SEEN_FLAGS (UM_WIRE_SEEN_RAW | UM_WIRE_SEEN_MOUSE | UM_WIRE_SEEN_MERGED)
#define TAKEN_FLAGS                                                                                \
    (UM_WIRE_TAKEN_OURS | UM_WIRE_TAKEN_INPUT | UM_WIRE_TAKEN_STARTS | UM_WIRE_TAKEN_RELEASE |     \
     UM_WIRE_TAKEN_PAINT)
#define EPISODE_FLAGS                                                                              \
    (UM_WIRE_EPISODE_BEGIN | UM_WIRE_EPISODE_END | UM_WIRE_EPISODE_HAS_MESSAGE |                   \
     UM_WIRE_EPISODE_OPEN | UM_WIRE_EPISODE_VOID)
#define STATUS_FLAGS                                                                               \
    (UM_WIRE_STATUS_HAS_LATENCY | UM_WIRE_STATUS_HAS_LAG | UM_WIRE_STATUS_HAS_LAST_FREEZE |        \
     UM_WIRE_STATUS_HAS_TYPING | UM_WIRE_STATUS_TYPING_PAINTED | UM_WIRE_STATUS_HAS_CLICK |        \
     UM_WIRE_STATUS_CLICK_PAINTED)

static const struct shape shapes[] = {
    [UM_WIRE_HELLO] = {put_hello, get_hello, check_hello, NULL, 44, 4, 0},
    [UM_WIRE_MARK] = {put_mark, get_mark, NULL, NULL, 16, 0, 0},
    [UM_WIRE_SENT] = {put_sent, get_sent, check_sent, NULL, 26, 14, 0},
    [UM_WIRE_SEEN] = {put_seen, get_seen, NULL, NULL, 12, 0, SEEN_FLAGS},
    [UM_WIRE_TAKEN] = {put_taken, get_taken, check_taken, NULL, 33, 5, TAKEN_FLAGS},
    [UM_WIRE_PROBE] = {put_probe, get_probe, check_probe, NULL, 17, 1, 0},
    [UM_WIRE_BYE] = {put_bye, get_bye, NULL, NULL, 8, 0, 0},
    [UM_WIRE_COST] = {put_cost, get_cost, NULL, NULL, 48, 0, 0},
    [UM_WIRE_POOL_DELAY] = {put_pool_delay, get_pool_delay, NULL, NULL, 16, 0,
                            UM_WIRE_POOL_DELAY_WAITS},
    [UM_WIRE_COUNTED] = {put_counted, get_counted, NULL, NULL, 16, 0, 0},
    [UM_WIRE_CODE] = {put_code, get_code, NULL, NULL, 28, 0, UM_WIRE_CODE_NONE},
    [UM_WIRE_TRACE_CALL] = {put_trace_call, get_trace_call, check_trace_call, texts_trace_call,
                            TRACE_CALL_TEXTS_AT + 2 * TRACE_CALL_TEXTS, 0, 0},
    [UM_WIRE_TRACE_TIMES] = {put_trace_list, get_trace_list, check_trace_list, bytes_of_trace_list,
                             TRACE_LIST_AT, 0, UM_WIRE_TRACE_HAS_CPU},
    [UM_WIRE_STOP] = {put_nothing, get_nothing, NULL, NULL, 0, 0, 0},
    [UM_WIRE_PERIOD] = {put_value32, get_value32, NULL, NULL, 4, 0, 0},
    [UM_WIRE_USE_PROBE] = {put_value8, get_value8, check_use_probe, NULL, 1, 0,
                           UM_WIRE_USE_PROBE_BLIND},
    [UM_WIRE_PAUSE] = {put_value8, get_value8, check_switch, NULL, 1, 0, 0},
    [UM_WIRE_ABANDON] = {put_value32, get_value32, NULL, NULL, 4, 0, 0},
    [UM_WIRE_WATCH_INPUT] = {put_value8, get_value8, check_watch_input, NULL, 1, 0, 0},
    [UM_WIRE_USE_RUNG] = {put_value8, get_value8, check_use_rung, NULL, 1, 0,
                          UM_WIRE_USE_RUNG_ONCE},
    [UM_WIRE_REST_PERIOD] = {put_value32, get_value32, NULL, NULL, 4, 0, 0},
    [UM_WIRE_FULL_RATE] = {put_value32, get_value32, NULL, NULL, 4, 0, 0},
    [UM_WIRE_MAY_SUSPEND] = {put_may_suspend, get_may_suspend, check_switch, NULL, 5, 4, 0},
    [UM_WIRE_PROBE_POOL] = {put_value8, get_value8, check_switch, NULL, 1, 0, 0},
    [UM_WIRE_COUNT_MESSAGES] = {put_value8, get_value8, check_switch, NULL, 1, 0, 0},
    [UM_WIRE_LOOK_UP] = {put_look_up, get_look_up, NULL, NULL, 8, 0, 0},
    [UM_WIRE_TRACE] = {put_value8, get_value8, check_switch, NULL, 1, 0, 0},
    [UM_WIRE_BACKGROUND] = {put_value8, get_value8, check_background, NULL, 1, 0, 0},
    [UM_WIRE_SESSION] = {put_session, get_session, check_session, texts_session,
                         SESSION_TEXTS_AT + 2 * SESSION_TEXTS, 2 * SESSION_TEXTS_ADDED,
                         UM_WIRE_SESSION_ANEW},
    [UM_WIRE_BEAT] = {put_beat, get_beat, NULL, NULL, 20, 0, UM_WIRE_BEAT_AT_LEAST},
    [UM_WIRE_GAP] = {put_gap, get_gap, NULL, NULL, 28, 0, 0},
    [UM_WIRE_EPISODE] = {put_episode, get_episode, check_episode, texts_episode,
                         EPISODE_TEXTS_AT + 2 * EPISODE_TEXTS, 2 * EPISODE_TEXTS_ADDED,
                         EPISODE_FLAGS},
    [UM_WIRE_STATUS] = {put_status, get_status, check_status, NULL, 137, 0, STATUS_FLAGS},
    [UM_WIRE_END] = {put_end, get_end, check_end, NULL, 9, 0, 0},
    [UM_WIRE_INTERACTION] = {put_interaction, get_interaction, check_interaction, NULL, 45, 0,
                             UM_WIRE_INTERACTION_RELEASE},
    [UM_WIRE_TOTALS] = {put_totals, get_totals, NULL, NULL, 160, 8, 0},
    [UM_WIRE_RECORDING] = {put_recording, get_recording, check_recording, texts_recording,
                           RECORDING_TEXTS_AT + 2 * RECORDING_TEXTS, 0, 0},
    [UM_WIRE_NOTE] = {put_note, get_note, check_note, texts_note, NOTE_TEXTS_AT + 2 * NOTE_TEXTS, 0,
                      0},
    [UM_WIRE_VIEW] = {put_view, get_view, check_view, NULL, 2, 1, 0},
    [UM_WIRE_RUNG] = {put_rung, get_rung, check_rung, NULL, 11, 1, 0},
    [UM_WIRE_PACE] = {put_pace, get_pace, NULL, NULL, 8, 4, 0},
    [UM_WIRE_REST] = {put_rest, get_rest, NULL, NULL, 12, 0, 0},
    [UM_WIRE_PROVING] = {put_proving, get_proving, check_proving, NULL, 4, 0, 0},
    [UM_WIRE_STACK] = {put_stack, get_stack, check_stack, texts_stack,
                       STACK_TEXTS_AT + 2 * STACK_TEXTS, 0, 0},
    [UM_WIRE_SAMPLING] = {put_sampling, get_sampling, NULL, NULL, 40, 0, 0},
    [UM_WIRE_POOL] = {put_pool, get_pool, NULL, NULL, 44, 0,
                      UM_WIRE_POOL_WAITS | UM_WIRE_POOL_STARVED},
    [UM_WIRE_LOST] = {put_lost, get_lost, NULL, NULL, 16, 0, 0},
    [UM_WIRE_ACTIVITY] = {put_activity, get_activity, NULL, NULL, 32, 0, UM_WIRE_ACTIVITY_PAINTS},
    [UM_WIRE_MODULE] = {put_module, get_module, check_module, texts_module,
                        MODULE_TEXTS_AT + 2 * MODULE_TEXTS, 0, 0},
    [UM_WIRE_NODES] = {put_nodes, get_nodes, check_nodes, bytes_of_nodes, NODES_AT, 0, 0},
    [UM_WIRE_SAMPLE] = {put_sample, get_sample, check_sample, texts_sample,
                        SAMPLE_TEXTS_AT + 2 * SAMPLE_TEXTS, SAMPLE_ADDED, UM_WIRE_SAMPLE_HAS_CPU},
    [UM_WIRE_NAME] = {put_name, get_name, check_name, texts_name, NAME_TEXTS_AT + 2 * NAME_TEXTS, 0,
                      0},
    [UM_WIRE_COUNTER] = {put_counter, get_counter, check_counter, texts_counter,
                         COUNTER_TEXTS_AT + 2 * COUNTER_TEXTS, 0, 0},
    [UM_WIRE_COUNTER_VALUE] = {put_counter_value, get_counter_value, check_counter_value, NULL, 48,
                               0, 0},
    [UM_WIRE_TRACED_CALL] = {put_traced_call, get_traced_call, check_traced_call, texts_traced_call,
                             TRACED_CALL_TEXTS_AT + 2 * TRACED_CALL_TEXTS, 0, 0},
    [UM_WIRE_TRACED_TIMES] = {put_traced_list, get_traced_list, check_traced_list,
                              bytes_of_traced_list, TRACED_LIST_AT, 0, UM_WIRE_TRACE_HAS_CPU},
    [UM_WIRE_TRACING] = {put_tracing, get_tracing, check_tracing, NULL, TRACING_BYTES, 0, 0},
    [UM_WIRE_WAIT] = {put_wait, get_wait, check_wait, texts_wait, WAIT_TEXTS_AT + 2 * WAIT_TEXTS, 0,
                      0},
    [UM_WIRE_PROFILE] = {put_profile, get_profile, check_profile, texts_profile,
                         PROFILE_TEXTS_AT + 2 * PROFILE_TEXTS, 0, 0},
    [UM_WIRE_RETRIEVED] = {put_retrieved, get_retrieved, check_retrieved, texts_retrieved,
                           RETRIEVED_TEXTS_AT + 2 * RETRIEVED_TEXTS, 0, UM_WIRE_RETRIEVED_LAST},
};

/* Texts of full fields fit into a payload too, so none has to be cut for it. */
_Static_assert(sizeof(struct um_wire_session) + 2 * SESSION_TEXTS <= UM_WIRE_MAX_PAYLOAD,
               "a session fits into a frame");
_Static_assert(sizeof(struct um_wire_episode) + 2 * EPISODE_TEXTS <= UM_WIRE_MAX_PAYLOAD,
               "an episode fits into a frame");
_Static_assert(sizeof(struct um_wire_recording) + 2 * RECORDING_TEXTS <= UM_WIRE_MAX_PAYLOAD,
               "a recording's header fits into a frame");

_Static_assert(sizeof(struct um_wire_stack) + 2 * STACK_TEXTS <= UM_WIRE_MAX_PAYLOAD,
               "a stack fits into a frame");
_Static_assert(sizeof(struct um_wire_name) + 2 * NAME_TEXTS <= UM_WIRE_MAX_PAYLOAD,
               "a name fits into a frame");
_Static_assert(sizeof(struct um_wire_counter) + 2 * COUNTER_TEXTS <= UM_WIRE_MAX_PAYLOAD,
               "a counter fits into a frame");
_Static_assert(sizeof(struct um_wire_profile) + 2 * PROFILE_TEXTS <= UM_WIRE_MAX_PAYLOAD,
               "a profile fits into a frame");
_Static_assert(NODES_AT + UM_WIRE_NODES_MOST * NODE_BYTES <= UM_WIRE_MAX_PAYLOAD,
               "nodes fit into a frame");
_Static_assert(TRACE_LIST_AT + UM_WIRE_TRACE_MOST * TRACE_TIMES_BYTES <= UM_WIRE_MAX_PAYLOAD,
               "times of traced calls fit into a frame");

static const struct shape *find_shape(uint8_t type)
{
    if (type >= sizeof shapes / sizeof shapes[0] || !shapes[type].put)
        return NULL;
    return &shapes[type];
}

static void part_ends(const struct um_wire_interaction *interaction, enum um_wire_part part,
                      uint64_t *from_ns, uint64_t *to_ns)
{
    switch (part) {
    case UM_WIRE_PART_INPUT_DELAY:
        *from_ns = interaction->arrival_ns;
        *to_ns = interaction->dequeued_ns;
        break;
    case UM_WIRE_PART_PROCESSING:
        *from_ns = interaction->dequeued_ns;
        *to_ns = interaction->handled_ns;
        break;
    case UM_WIRE_PART_PRESENTATION:
        *from_ns = interaction->handled_ns;
        *to_ns = interaction->painted_ns;
        break;
    case UM_WIRE_PART_TOTAL:
        *from_ns = interaction->arrival_ns;
        *to_ns = interaction->painted_ns;
        break;
    default:
        *from_ns = interaction->arrival_ns;
        *to_ns = interaction->handled_ns;
        break;
    }
}

bool um_wire_interaction_part_ns(const struct um_wire_interaction *interaction,
                                 enum um_wire_part part, uint64_t *length_ns)
{
    uint64_t from_ns;
    uint64_t to_ns;
    part_ends(interaction, part, &from_ns, &to_ns);
    if (from_ns == 0 || to_ns == 0 || to_ns < from_ns)
        return false;
    *length_ns = to_ns - from_ns;
    return true;
}

uint64_t um_wire_interaction_length_ns(const struct um_wire_interaction *interaction)
{
    uint64_t from_ns = interaction->arrival_ns ? interaction->arrival_ns : interaction->dequeued_ns;
    uint64_t to_ns = interaction->painted_ns   ? interaction->painted_ns
                     : interaction->handled_ns ? interaction->handled_ns
                                               : interaction->dequeued_ns;
    return to_ns > from_ns ? to_ns - from_ns : 0;
}

const char *um_wire_interaction_name(enum um_interaction kind)
{
    static const char names[UM_INTERACTION_COUNT][8] = {
        [UM_INTERACTION_KEY] = "key",
        [UM_INTERACTION_CLICK] = "click",
        [UM_INTERACTION_WHEEL] = "wheel",
    };
    return (unsigned)kind < UM_INTERACTION_COUNT ? names[kind] : "unknown";
}

const char *um_wire_state_name(enum um_state state)
{
    static const char names[UM_STATE_COUNT][12] = {
        [UM_STATE_SUSPENDED] = "suspended",
        [UM_STATE_BLIND] = "blind",
        [UM_STATE_IDLE] = "idle",
        [UM_STATE_FROZEN] = "frozen",
        [UM_STATE_STARVED] = "starved",
        [UM_STATE_SLOW] = "slow",
        [UM_STATE_RESPONSIVE] = "responsive",
    };
    return (unsigned)state < UM_STATE_COUNT ? names[state] : "unknown";
}

const char *um_wire_state_words(enum um_state state, bool window_only)
{
    return window_only && state == UM_STATE_RESPONSIVE ? "window thread"
                                                       : um_wire_state_name(state);
}

void um_wire_put_preamble(uint8_t *buf)
{
    um_bytes_put32(buf, UM_WIRE_MAGIC);
    um_bytes_put16(buf + 4, UM_WIRE_VERSION);
    um_bytes_put16(buf + 6, 0);
}

enum um_status um_wire_check_preamble(const uint8_t *buf, size_t len_bytes)
{
    if (len_bytes < UM_WIRE_PREAMBLE_BYTES)
        return UM_ERR_PARTIAL;
    if (um_bytes_get32(buf) != UM_WIRE_MAGIC || um_bytes_get16(buf + 4) == 0)
        return UM_ERR_FORMAT;
    if (um_bytes_get16(buf + 4) > UM_WIRE_VERSION)
        return UM_ERR_VERSION;
    return um_bytes_get16(buf + 6) == 0 ? UM_OK : UM_ERR_FORMAT;
}

enum um_status um_wire_encode(const struct um_wire_frame *frame, uint8_t *buf, size_t cap_bytes,
                              size_t *len_bytes)
{
    const struct shape *shape = find_shape(frame->type);
    if (!shape || (frame->flags & ~shape->flags))
        return UM_ERR_ARG;
    size_t payload_bytes = shape->payload_bytes;
    if (shape->texts)
        payload_bytes += shape->texts(frame);
    if (cap_bytes < UM_WIRE_HEADER_BYTES + payload_bytes)
        return UM_ERR_TOO_LARGE;

    uint8_t *payload = buf + UM_WIRE_HEADER_BYTES;
    um_bytes_put16(buf, (uint16_t)payload_bytes);
    buf[2] = frame->type;
    buf[3] = frame->flags;
    shape->put(frame, payload);
    if (shape->check && !shape->check(payload, payload_bytes))
        return UM_ERR_ARG;
    *len_bytes = UM_WIRE_HEADER_BYTES + payload_bytes;
    return UM_OK;
}

#define PADDED_BYTES (UM_WIRE_MAX_PAYLOAD + UINT8_MAX)

/* Whether a payload may lack fields that a later version added. Where strings end is known only
 * when they are read. */
static int may_lack_fields(const struct shape *shape, size_t payload_bytes)
{
    return shape->added_bytes != 0 && (shape->texts || payload_bytes < shape->payload_bytes);
}

/* The payload with 0 for the fields that a later version added. */
static const uint8_t *pad(const uint8_t *payload, size_t len_bytes, size_t added_bytes,
                          uint8_t padded[PADDED_BYTES])
{
    for (size_t i = 0; i < len_bytes + added_bytes; i++)
        padded[i] = i < len_bytes ? payload[i] : 0;
    return padded;
}

enum um_status um_wire_decode(const uint8_t *buf, size_t len_bytes, struct um_wire_frame *frame,
                              size_t *consumed_bytes)
{
    if (len_bytes < UM_WIRE_HEADER_BYTES)
        return UM_ERR_PARTIAL;
    size_t payload_bytes = um_bytes_get16(buf);
    if (payload_bytes > UM_WIRE_MAX_PAYLOAD)
        return UM_ERR_TOO_LARGE;
    if (len_bytes - UM_WIRE_HEADER_BYTES < payload_bytes)
        return UM_ERR_PARTIAL;

    uint8_t type = buf[2];
    uint8_t flags = buf[3];
    uint8_t padded[PADDED_BYTES];
    const uint8_t *payload = buf + UM_WIRE_HEADER_BYTES;
    const struct shape *shape = find_shape(type);
    if (shape) {
        if (flags & ~shape->flags)
            return UM_ERR_FORMAT;
        if (payload_bytes + shape->added_bytes < shape->payload_bytes)
            return UM_ERR_FORMAT;
        if (may_lack_fields(shape, payload_bytes))
            payload = pad(payload, payload_bytes, shape->added_bytes, padded);
        if (shape->check && !shape->check(payload, payload_bytes))
            return UM_ERR_FORMAT;
        shape->get(payload, frame);
    }
    frame->type = type;
    frame->flags = shape ? flags : 0;
    *consumed_bytes = UM_WIRE_HEADER_BYTES + payload_bytes;
    return UM_OK;
}
