/* The stream of a .NET runtime. The first byte says in how large pieces the rest comes. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "monitor/dotnet/eventpipe.h"
#include "monitor/dotnet/nettrace.h"
#include "tests/fuzz/require.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void take_counter(void *context, const struct um_nettrace_counter *counter)
{
    (void)context;
    require(counter->name[0] && memchr(counter->name, 0, sizeof counter->name));
    require(memchr(counter->provider, 0, sizeof counter->provider));
    require(memchr(counter->display, 0, sizeof counter->display));
    require(memchr(counter->unit, 0, sizeof counter->unit));
    require(fabs(counter->value) < INFINITY && fabs(counter->interval_s) < INFINITY);
    require(counter->measured || (counter->count == 0 && counter->value == 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct um_nettrace_taker taker = {.counter = take_counter};
    struct um_nettrace *nettrace;
    uint64_t session;
    if (size == 0 || um_nettrace_open(&taker, &nettrace) != UM_OK)
        return 0;
    size_t piece = data[0] ? data[0] : size;
    enum um_status status = UM_OK;
    for (size_t at = 1; at < size && status == UM_OK; at += piece)
        status = um_nettrace_bytes(nettrace, data + at, size - at < piece ? size - at : piece);
    require(status != UM_ERR_PARTIAL);
    um_nettrace_close(nettrace);
    um_eventpipe_answer(data, size, &session);
    return 0;
}
