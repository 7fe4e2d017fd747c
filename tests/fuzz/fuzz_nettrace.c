/* The stream of a .NET runtime. The first byte says in how large pieces the rest comes. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "ipc/clock.h"
#include "ipc/wire.h"
#include "monitor/dotnet/counter_frames.h"
#include "monitor/dotnet/eventpipe.h"
#include "monitor/dotnet/nettrace.h"
#include "tests/fuzz/require.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is made of a counter goes through the encoder. */
static void make_frames(struct um_counter_frames *frames, const struct um_nettrace_counter *counter)
{
    static uint64_t now_ns;
    struct um_wire_frame made[2];
    uint8_t bytes[UM_WIRE_MAX_BYTES];
    size_t len;
    now_ns += counter->time_ns % UM_CLOCK_NS_PER_S;
    size_t count = um_counter_frames_take(frames, counter, now_ns, made);
    require(count <= 2 && (count == 0 || counter->measured));
    for (size_t i = 0; i < count; i++)
        require(um_wire_encode(&made[i], bytes, sizeof bytes, &len) == UM_OK);
}

static void take_counter(void *context, const struct um_nettrace_counter *counter)
{
    make_frames(context, counter);
    require(counter->name[0] && memchr(counter->name, 0, sizeof counter->name));
    require(memchr(counter->provider, 0, sizeof counter->provider));
    require(memchr(counter->display, 0, sizeof counter->display));
    require(memchr(counter->unit, 0, sizeof counter->unit));
    require(fabs(counter->value) < INFINITY && fabs(counter->interval_s) < INFINITY);
    require(counter->measured || (counter->count == 0 && counter->value == 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct um_counter_frames *frames;
    struct um_nettrace *nettrace;
    uint64_t session;
    if (size == 0 || um_counter_frames_open(1000, &frames) != UM_OK)
        return 0;
    const struct um_nettrace_taker taker = {.context = frames, .counter = take_counter};
    if (um_nettrace_open(&taker, &nettrace) != UM_OK) {
        um_counter_frames_close(frames);
        return 0;
    }
    size_t piece = data[0] ? data[0] : size;
    enum um_status status = UM_OK;
    for (size_t at = 1; at < size && status == UM_OK; at += piece)
        status = um_nettrace_bytes(nettrace, data + at, size - at < piece ? size - at : piece);
    require(status != UM_ERR_PARTIAL);
    um_nettrace_close(nettrace);
    um_counter_frames_close(frames);
    um_eventpipe_answer(data, size, &session);
    return 0;
}
