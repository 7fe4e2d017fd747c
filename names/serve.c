#include "names/serve.h"

#include <stdbool.h>
#include <string.h>

struct serving {
    const struct um_serve_io *io;
    const struct um_serve_symbols *symbols;
    bool has_greeted; /* the preamble was read */
    bool has_module;
    size_t in_bytes;
    size_t out_bytes;
    uint8_t in[2 * UM_NAMES_MAX_BYTES];
    uint8_t out[4 * UM_NAMES_MAX_BYTES];
};

static enum um_status flush(struct serving *serving)
{
    size_t len_bytes = serving->out_bytes;
    serving->out_bytes = 0;
    return len_bytes > 0 ? serving->io->write(serving->io->context, serving->out, len_bytes)
                         : UM_OK;
}

static enum um_status answer(struct serving *serving, const struct um_names_address *address)
{
    struct um_names_frame frame = {.type = UM_NAMES_NAME};
    struct um_names_name *name = &frame.as.name;

    if (serving->has_module)
        serving->symbols->find(serving->symbols->context, address, name);
    else
        name->why = UM_NAMES_NO_FILE;
    name->number = address->number;
    serving->out_bytes += um_names_encode(&frame, serving->out + serving->out_bytes);
    return serving->out_bytes > sizeof serving->out - UM_NAMES_MAX_BYTES ? flush(serving) : UM_OK;
}

static enum um_status take(struct serving *serving, const struct um_names_frame *frame)
{
    const struct um_serve_symbols *symbols = serving->symbols;
    enum um_status status = UM_OK;

    switch (frame->type) {
    case UM_NAMES_SEARCH:
        symbols->search(symbols->context, frame->as.search.path);
        return UM_OK;
    case UM_NAMES_MODULE:
        /* If a module crashes this process, the monitor finds out which: all addresses before it
         * have been answered. */
        status = flush(serving);
        serving->has_module = true;
        symbols->module(symbols->context, &frame->as.module);
        return status;
    case UM_NAMES_ADDRESS:
        return answer(serving, &frame->as.address);
    case UM_NAMES_PROCESS:
        symbols->process(symbols->context, frame->as.process.pid);
        return UM_OK;
    default:
        return UM_ERR_FORMAT; /* only this side sends a NAME */
    }
}

/* Handles all whole frames of the input. Errors: UM_ERR_PARTIAL more bytes are needed. */
static enum um_status take_all(struct serving *serving)
{
    struct um_names_frame frame;
    size_t at = 0, consumed = 0;
    enum um_status status = UM_OK;

    if (!serving->has_greeted) {
        status = um_names_check_preamble(serving->in, serving->in_bytes);
        serving->has_greeted = status == UM_OK;
        at = status == UM_OK ? UM_NAMES_PREAMBLE_BYTES : 0;
    }
    while (status == UM_OK) {
        status = um_names_decode(serving->in + at, serving->in_bytes - at, &frame, &consumed);
        if (status != UM_OK)
            break;
        at += consumed;
        status = take(serving, &frame);
    }
    serving->in_bytes -= at;
    memmove(serving->in, serving->in + at, serving->in_bytes);
    return status;
}

enum um_status um_serve(const struct um_serve_io *io, const struct um_serve_symbols *symbols)
{
    struct serving serving = {.io = io, .symbols = symbols};
    enum um_status status = UM_ERR_PARTIAL;

    um_names_preamble(serving.out);
    serving.out_bytes = UM_NAMES_PREAMBLE_BYTES;
    while (status == UM_ERR_PARTIAL) {
        size_t len_bytes = 0;
        status = flush(&serving);
        if (status == UM_OK)
            status = io->read(io->context, serving.in + serving.in_bytes,
                              sizeof serving.in - serving.in_bytes, &len_bytes);
        if (status != UM_OK)
            break;
        serving.in_bytes += len_bytes;
        status = take_all(&serving);
    }
    if (status != UM_ERR_CLOSED)
        return status;
    return serving.in_bytes > 0 ? UM_ERR_PARTIAL : UM_OK;
}
