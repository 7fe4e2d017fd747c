#include "ipc/names.h"

#include <stdbool.h>
#include <string.h>

#include "ipc/bytes.h"
#include "ipc/wire.h"

#define SEARCH_TEXT_AT 0
#define MODULE_TEXT_AT 16
#define ADDRESS_BYTES 12
#define PROCESS_BYTES 4
#define NAME_TEXT_AT 14

_Static_assert(NAME_TEXT_AT + 4 + UM_NAMES_NAME_BYTES + UM_NAMES_PATH_BYTES <= UM_NAMES_MAX_PAYLOAD,
               "the longest NAME fits");
_Static_assert(2 + UM_NAMES_SEARCH_BYTES <= UM_NAMES_MAX_PAYLOAD, "the longest SEARCH fits");

/* Numbers and texts ---------------------------------------------------------------------------- */

/* Returns the place behind the text. */
static uint8_t *put_text(uint8_t *at, const char *text, size_t cap_bytes)
{
    size_t len_bytes = 0;
    while (len_bytes < cap_bytes - 1 && text[len_bytes])
        len_bytes++;
    um_bytes_put16(at, (uint16_t)len_bytes);
    memcpy(at + 2, text, len_bytes);
    return at + 2 + len_bytes;
}

/* Reads a text at `*at` and moves that behind it. False if it does not end before `end`. */
static bool get_text(const uint8_t **at, const uint8_t *end, char *text, size_t cap_bytes)
{
    char copy[UM_NAMES_MAX_PAYLOAD + 1];
    if (end - *at < 2)
        return false;
    size_t len_bytes = um_bytes_get16(*at);
    if ((size_t)(end - *at) - 2 < len_bytes)
        return false;
    memcpy(copy, *at + 2, len_bytes);
    copy[len_bytes] = '\0';
    um_wire_set_text(text, cap_bytes, copy);
    *at += 2 + len_bytes;
    return true;
}

/* Payloads ------------------------------------------------------------------------------------- */

static bool get_search(const uint8_t *at, const uint8_t *end, struct um_names_search *search)
{
    return get_text(&at, end, search->path, sizeof search->path) && at == end;
}

static bool get_module(const uint8_t *at, const uint8_t *end, struct um_names_module *module)
{
    if (end - at < MODULE_TEXT_AT)
        return false;
    module->timestamp = um_bytes_get32(at);
    module->image_bytes = um_bytes_get32(at + 4);
    module->base = um_bytes_get64(at + 8);
    at += MODULE_TEXT_AT;
    return get_text(&at, end, module->path, sizeof module->path) && at == end;
}

static bool get_address(const uint8_t *at, const uint8_t *end, struct um_names_address *address)
{
    if (end - at != ADDRESS_BYTES)
        return false;
    address->number = um_bytes_get32(at);
    address->rva = um_bytes_get32(at + 4);
    address->round = um_bytes_get32(at + 8);
    return true;
}

static uint8_t *put_name(uint8_t *at, const struct um_names_name *name)
{
    um_bytes_put32(at, name->number);
    um_bytes_put32(at + 4, name->displacement);
    um_bytes_put32(at + 8, name->line);
    at[12] = name->kind;
    at[13] = name->why;
    at = put_text(at + NAME_TEXT_AT, name->name, sizeof name->name);
    return put_text(at, name->file, sizeof name->file);
}

static bool get_name(const uint8_t *at, const uint8_t *end, struct um_names_name *name)
{
    if (end - at < NAME_TEXT_AT)
        return false;
    name->number = um_bytes_get32(at);
    name->displacement = um_bytes_get32(at + 4);
    name->line = um_bytes_get32(at + 8);
    name->kind = at[12];
    name->why = at[13];
    at += NAME_TEXT_AT;
    return name->kind < UM_NAMES_KIND_COUNT && name->why < UM_NAMES_WHY_COUNT &&
           (name->kind == UM_NAMES_NOWHERE) == (name->why != UM_NAMES_FOUND) &&
           get_text(&at, end, name->name, sizeof name->name) &&
           get_text(&at, end, name->file, sizeof name->file) && at == end;
}

static uint8_t *put_payload(const struct um_names_frame *frame, uint8_t *at)
{
    switch (frame->type) {
    case UM_NAMES_SEARCH:
        return put_text(at, frame->as.search.path, sizeof frame->as.search.path);
    case UM_NAMES_MODULE:
        um_bytes_put32(at, frame->as.module.timestamp);
        um_bytes_put32(at + 4, frame->as.module.image_bytes);
        um_bytes_put64(at + 8, frame->as.module.base);
        return put_text(at + MODULE_TEXT_AT, frame->as.module.path, sizeof frame->as.module.path);
    case UM_NAMES_ADDRESS:
        um_bytes_put32(at, frame->as.address.number);
        um_bytes_put32(at + 4, frame->as.address.rva);
        um_bytes_put32(at + 8, frame->as.address.round);
        return at + ADDRESS_BYTES;
    case UM_NAMES_NAME:
        return put_name(at, &frame->as.name);
    case UM_NAMES_PROCESS:
        um_bytes_put32(at, frame->as.process.pid);
        return at + PROCESS_BYTES;
    default:
        return NULL;
    }
}

static bool get_payload(const uint8_t *at, const uint8_t *end, struct um_names_frame *frame)
{
    switch (frame->type) {
    case UM_NAMES_SEARCH:
        return get_search(at, end, &frame->as.search);
    case UM_NAMES_MODULE:
        return get_module(at, end, &frame->as.module);
    case UM_NAMES_ADDRESS:
        return get_address(at, end, &frame->as.address);
    case UM_NAMES_NAME:
        return get_name(at, end, &frame->as.name);
    case UM_NAMES_PROCESS:
        if (end - at != PROCESS_BYTES)
            return false;
        frame->as.process.pid = um_bytes_get32(at);
        return true;
    default:
        return false;
    }
}

/* The stream ----------------------------------------------------------------------------------- */

void um_names_preamble(uint8_t *bytes)
{
    um_bytes_put32(bytes, UM_NAMES_MAGIC);
    um_bytes_put16(bytes + 4, UM_NAMES_VERSION);
    um_bytes_put16(bytes + 6, 0);
}

enum um_status um_names_check_preamble(const uint8_t *bytes, size_t len_bytes)
{
    uint8_t expected[UM_NAMES_PREAMBLE_BYTES];
    um_names_preamble(expected);
    size_t common = len_bytes < 4 ? len_bytes : 4;
    if (memcmp(bytes, expected, common) != 0)
        return UM_ERR_FORMAT;
    if (len_bytes < UM_NAMES_PREAMBLE_BYTES)
        return UM_ERR_PARTIAL;
    return memcmp(bytes, expected, sizeof expected) == 0 ? UM_OK : UM_ERR_VERSION;
}

size_t um_names_encode(const struct um_names_frame *frame, uint8_t *bytes)
{
    uint8_t *payload = bytes + UM_NAMES_HEADER_BYTES;
    const uint8_t *end = put_payload(frame, payload);
    if (!end)
        return 0;
    um_bytes_put16(bytes, (uint16_t)(end - payload));
    bytes[2] = frame->type;
    bytes[3] = 0;
    return (size_t)(end - bytes);
}

enum um_status um_names_decode(const uint8_t *bytes, size_t len_bytes, struct um_names_frame *frame,
                               size_t *consumed_bytes)
{
    struct um_names_frame decoded;
    if (len_bytes < UM_NAMES_HEADER_BYTES)
        return UM_ERR_PARTIAL;
    size_t payload_bytes = um_bytes_get16(bytes);
    decoded.type = bytes[2];
    if (payload_bytes > UM_NAMES_MAX_PAYLOAD)
        return UM_ERR_TOO_LARGE;
    if (bytes[3] != 0)
        return UM_ERR_FORMAT;
    if (len_bytes - UM_NAMES_HEADER_BYTES < payload_bytes)
        return UM_ERR_PARTIAL;
    const uint8_t *payload = bytes + UM_NAMES_HEADER_BYTES;
    if (!get_payload(payload, payload + payload_bytes, &decoded))
        return UM_ERR_FORMAT;
    *frame = decoded;
    *consumed_bytes = UM_NAMES_HEADER_BYTES + payload_bytes;
    return UM_OK;
}

const char *um_names_why_text(unsigned why)
{
    static const char *const texts[UM_NAMES_WHY_COUNT] = {
        [UM_NAMES_FOUND] = "found",
        [UM_NAMES_NO_FILE] = "the module's file is not there",
        [UM_NAMES_REFUSED] = "the module's file may not be read",
        [UM_NAMES_NO_MODULE] = "the file is no program or DLL",
        [UM_NAMES_CUT_OFF] = "the module's file is cut off",
        [UM_NAMES_OTHER_BUILD] = "the file is of another build than the module",
        [UM_NAMES_NO_SYMBOLS] = "no symbols for this address",
        [UM_NAMES_OUTSIDE] = "the address is outside of the module",
        [UM_NAMES_FAILED] = "the module's symbols cannot be loaded",
        [UM_NAMES_ENDED] = "uimon-names.exe ended over this module",
        [UM_NAMES_NO_RUNTIME] = "the program has no runtime that uimon knows",
        [UM_NAMES_NO_DAC] = "the runtime's mscordaccore.dll or mscordacwks.dll is not there",
        [UM_NAMES_UNTRUSTED_DAC] = "the runtime's DLL for debuggers is not signed by Microsoft",
        [UM_NAMES_OTHER_DAC] = "the runtime's DLL for debuggers does not fit the runtime",
        [UM_NAMES_UNREADABLE] = "the program's memory may not be read",
        [UM_NAMES_NO_METHOD] = "no method has this address",
        [UM_NAMES_RAN_AWAY] = "the runtime's DLL for debuggers read without end",
    };
    return why < UM_NAMES_WHY_COUNT ? texts[why] : "unknown";
}

bool um_names_is_doubtful(unsigned kind, uint32_t displacement)
{
    return kind == UM_NAMES_EXPORT && displacement >= UM_NAMES_DOUBTFUL_BYTES;
}
