#include "ipc/names.h"

#include <stdbool.h>
#include <string.h>

#include "base/plain/bytes.h"
#include "base/plain/text.h"

_Static_assert(32 + 8 + UM_NAMES_NAME_BYTES + 2 * UM_NAMES_PATH_BYTES + UM_CHECKSUM_BYTES <=
                   UM_NAMES_MAX_PAYLOAD,
               "the longest NAME fits");
_Static_assert(2 + UM_NAMES_SEARCH_BYTES <= UM_NAMES_MAX_PAYLOAD, "the longest SEARCH fits");

/* Numbers and texts ---------------------------------------------------------------------------- */

/* Writes a text, and returns the place behind it. */
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
    um_text_set(text, cap_bytes, copy);
    *at += 2 + len_bytes;
    return true;
}

/* Payloads ------------------------------------------------------------------------------------- */

/* A field of struct um_names_frame. */
struct field {
    size_t at;
    size_t bytes;
};

/* The fields of each type of frame: first its numbers, then its texts, both up to a zero. */
static const struct shape {
    struct field numbers[12];
    struct field texts[5];
} shapes[] = {
#define FIELD(form, name)                                                                          \
    {                                                                                              \
        offsetof(struct um_names_frame, as.form.name),                                             \
            sizeof((struct um_names_frame *)0)->as.form.name                                       \
    }
    [UM_NAMES_SEARCH] = {{{0}}, {FIELD(search, path)}},
    [UM_NAMES_MODULE] = {{FIELD(module, timestamp), FIELD(module, image_bytes),
                          FIELD(module, base)},
                         {FIELD(module, path)}},
    [UM_NAMES_ADDRESS] = {{FIELD(address, number), FIELD(address, rva), FIELD(address, round)},
                          {{0}}},
    [UM_NAMES_NAME] = {{FIELD(name, number), FIELD(name, displacement), FIELD(name, line),
                        FIELD(name, first_line), FIELD(name, last_line), FIELD(name, kind),
                        FIELD(name, why), FIELD(name, pdb), FIELD(name, is_nearest),
                        FIELD(name, assembly_timestamp), FIELD(name, assembly_bytes)},
                       {FIELD(name, name), FIELD(name, file), FIELD(name, assembly),
                        FIELD(name, checksum)}},
    [UM_NAMES_PROCESS] = {{FIELD(process, pid)}, {{0}}},
#undef FIELD
};

static const struct shape *find_shape(uint8_t type)
{
    return type >= UM_NAMES_SEARCH && type <= UM_NAMES_PROCESS ? &shapes[type] : NULL;
}

static uint64_t load(const void *field, size_t bytes)
{
    if (bytes == 1)
        return *(const uint8_t *)field;
    return bytes == 4 ? *(const uint32_t *)field : *(const uint64_t *)field;
}

static void store(void *field, size_t bytes, uint64_t number)
{
    if (bytes == 1)
        *(uint8_t *)field = (uint8_t)number;
    else if (bytes == 4)
        *(uint32_t *)field = (uint32_t)number;
    else
        *(uint64_t *)field = number;
}

/* Returns the place behind the payload. NULL: the type is not known. */
static uint8_t *put_payload(const struct um_names_frame *frame, uint8_t *at)
{
    const struct shape *shape = find_shape(frame->type);
    const char *base = (const char *)frame;

    if (!shape)
        return NULL;
    for (const struct field *field = shape->numbers; field->bytes > 0; field++) {
        um_bytes_put(at, field->bytes, load(base + field->at, field->bytes));
        at += field->bytes;
    }
    for (const struct field *field = shape->texts; field->bytes > 0; field++)
        at = put_text(at, base + field->at, field->bytes);
    return at;
}

static bool is_valid(const struct um_names_name *name)
{
    return name->is_nearest <= (name->line > 0) && name->kind < UM_NAMES_KIND_COUNT &&
           name->why < UM_NAMES_WHY_COUNT &&
           (name->kind == UM_NAMES_NOWHERE) == (name->why != UM_NAMES_FOUND) &&
           (name->pdb == UM_NAMES_PDB_GOOD ||
            (name->pdb < UM_NAMES_PDB_COUNT && name->kind == UM_NAMES_MANAGED));
}

static bool get_payload(const uint8_t *at, const uint8_t *end, struct um_names_frame *frame)
{
    const struct shape *shape = find_shape(frame->type);
    char *base = (char *)frame;

    if (!shape)
        return false;
    for (const struct field *field = shape->numbers; field->bytes > 0; field++) {
        if ((size_t)(end - at) < field->bytes)
            return false;
        store(base + field->at, field->bytes, um_bytes_get(at, field->bytes));
        at += field->bytes;
    }
    for (const struct field *field = shape->texts; field->bytes > 0; field++)
        if (!get_text(&at, end, base + field->at, field->bytes))
            return false;
    return at == end && (frame->type != UM_NAMES_NAME || is_valid(&frame->as.name));
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
    if (len_bytes < UM_NAMES_HEADER_BYTES)
        return UM_ERR_PARTIAL;
    struct um_names_frame decoded = {.type = bytes[2]};
    size_t payload_bytes = um_bytes_get16(bytes);
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

const char *um_names_pdb_text(unsigned pdb)
{
    static const char *const texts[UM_NAMES_PDB_COUNT] = {
        [UM_NAMES_PDB_GOOD] = "good",
        [UM_NAMES_PDB_OTHER] = "its PDB is of another build",
        [UM_NAMES_PDB_WINDOWS] = "its PDB is a Windows PDB: build with /debug:portable",
        [UM_NAMES_PDB_DAMAGED] = "its PDB is damaged or too long",
        [UM_NAMES_PDB_MISSING] = "no PDB of it was found",
        [UM_NAMES_PDB_NONE] = "it was built without a PDB: build with /debug:portable",
    };
    return pdb < UM_NAMES_PDB_COUNT ? texts[pdb] : "unknown";
}

bool um_names_is_doubtful(unsigned kind, uint32_t displacement)
{
    return kind == UM_NAMES_EXPORT && displacement >= UM_NAMES_DOUBTFUL_BYTES;
}
