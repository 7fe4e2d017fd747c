/* Any bytes as what the monitor sends to uimon-names, as what that answers, as the file of a module
 * and as a mangled name: whatever is understood must survive being written and read again, and an
 * answer goes to each address.
 *
 *   offset 0  u8  0: a stream for uimon-names; 1: frames; 2: a file; 3: a name
 *             1   the bytes
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ipc/names.h"
#include "names/coff.h"
#include "names/exports.h"
#include "names/image.h"
#include "names/itanium.h"
#include "names/serve.h"
#include "tests/fuzz/require.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A stream: what is left to read, and how many bytes a read takes; what was asked and written. */
struct stream {
    const uint8_t *bytes;
    size_t len;
    size_t step;
    size_t asked;
    size_t answered;
    bool has_greeted;
};

static enum um_status read_stream(void *context, uint8_t *bytes, size_t cap_bytes,
                                  size_t *len_bytes)
{
    struct stream *stream = context;
    size_t len = stream->len < stream->step ? stream->len : stream->step;
    require(cap_bytes > 0);
    len = len < cap_bytes ? len : cap_bytes;
    memcpy(bytes, stream->bytes, len);
    stream->bytes += len;
    stream->len -= len;
    *len_bytes = len;
    return len > 0 ? UM_OK : UM_ERR_CLOSED;
}

static enum um_status write_stream(void *context, const uint8_t *bytes, size_t len_bytes)
{
    struct stream *stream = context;
    size_t at = 0;
    if (!stream->has_greeted) {
        require(um_names_check_preamble(bytes, len_bytes) == UM_OK);
        at = UM_NAMES_PREAMBLE_BYTES;
        stream->has_greeted = true;
    }
    while (at < len_bytes) {
        struct um_names_frame frame;
        size_t consumed;
        require(um_names_decode(bytes + at, len_bytes - at, &frame, &consumed) == UM_OK);
        require(frame.type == UM_NAMES_NAME);
        stream->answered++;
        at += consumed;
    }
    return UM_OK;
}

static void search(void *context, const char *path)
{
    (void)context;
    require(strlen(path) < UM_NAMES_SEARCH_BYTES);
}

static void module(void *context, const struct um_names_module *asked)
{
    (void)context;
    require(memchr(asked->path, 0, sizeof asked->path));
}

static void process(void *context, uint32_t pid)
{
    (void)context;
    (void)pid;
}

static void find(void *context, const struct um_names_address *address, struct um_names_name *name)
{
    uint32_t rva = address->rva;
    struct stream *stream = context;
    stream->asked++;
    name->kind = rva & 1 ? UM_NAMES_EXPORT : UM_NAMES_NOWHERE;
    name->why = rva & 1 ? UM_NAMES_FOUND : UM_NAMES_NO_SYMBOLS;
    memset(name->name, 'n', rva % UM_NAMES_NAME_BYTES);
}

static void serve(const uint8_t *bytes, size_t len)
{
    struct stream stream = {.bytes = bytes, .len = len, .step = 1 + len % 700};
    const struct um_serve_io io = {&stream, read_stream, write_stream};
    const struct um_serve_symbols symbols = {&stream, search, module, find, process};
    if (um_serve(&io, &symbols) == UM_OK)
        require(stream.answered >= stream.asked);
}

static void check_frames(const uint8_t *bytes, size_t len)
{
    static struct um_names_frame frame, again;
    uint8_t first[UM_NAMES_MAX_BYTES], second[UM_NAMES_MAX_BYTES];
    size_t consumed, first_bytes;

    while (um_names_decode(bytes, len, &frame, &consumed) == UM_OK) {
        require(consumed >= UM_NAMES_HEADER_BYTES && consumed <= len);
        if (frame.type == UM_NAMES_NAME) {
            const struct um_names_name *name = &frame.as.name;
            require(strcmp(um_names_why_text(name->why), "unknown") != 0);
            require(strcmp(um_names_pdb_text(name->pdb), "unknown") != 0);
            require(!um_names_is_doubtful(name->kind, name->displacement) ||
                    name->kind == UM_NAMES_EXPORT);
        }
        first_bytes = um_names_encode(&frame, first);
        require(first_bytes > 0 && first_bytes <= sizeof first);
        bytes += consumed;
        len -= consumed;
        require(um_names_decode(first, first_bytes, &again, &consumed) == UM_OK);
        require(consumed == first_bytes && um_names_encode(&again, second) == first_bytes);
        require(memcmp(first, second, first_bytes) == 0);
    }
}

static void check_functions(struct um_symbol_table *functions)
{
    for (size_t i = 0; i < functions->count; i++) {
        const struct um_symbol_table_entry *entry = &functions->entries[i];
        require(i == 0 || entry->rva >= entry[-1].rva);
        require(entry->name[0] && strlen(entry->name) < UM_SYMBOL_TABLE_NAME_BYTES);
        const struct um_symbol_table_entry *found = um_symbol_table_find(functions, entry->rva);
        require(!found || (found->rva == entry->rva && entry->rva < found->end_rva));
    }
    um_symbol_table_free(functions);
}

static void read_name(const uint8_t *bytes, size_t len)
{
    char plain[256], *mangled = malloc(len + 1);
    require(mangled);
    memcpy(mangled, bytes, len);
    mangled[len] = '\0';
    size_t cap = 1 + len % sizeof plain;
    bool is_read = um_itanium_plain(mangled, plain, cap);
    require(strlen(plain) < cap && is_read == (plain[0] != '\0'));
    free(mangled);
}

static void read_file(const uint8_t *bytes, size_t len)
{
    struct um_image image = {0};
    struct um_symbol_table functions;
    enum um_names_why why = um_image_read(bytes, len, len, &image);
    struct um_names_module asked = {.timestamp = image.timestamp, .image_bytes = image.image_bytes};
    if (why == UM_NAMES_FOUND)
        require(um_image_compare(&image, &asked) == UM_NAMES_FOUND);
    require(um_exports_read(bytes, len, &functions) == UM_OK);
    check_functions(&functions);
    require(um_coff_read(bytes, len, &functions) == UM_OK);
    check_functions(&functions);
    asked.timestamp = image.timestamp + 1;
    if (asked.timestamp != 0)
        require(um_image_compare(&image, &asked) == UM_NAMES_OTHER_BUILD);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    /* A copy of exactly its size, so that the sanitizer sees what is read outside. */
    uint8_t *bytes = malloc(size);
    require(bytes);
    memcpy(bytes, data + 1, size - 1);
    if (data[0] == 0)
        serve(bytes, size - 1);
    else if (data[0] == 1)
        check_frames(bytes, size - 1);
    else if (data[0] == 2)
        read_file(bytes, size - 1);
    else
        read_name(bytes, size - 1);
    free(bytes);
    return 0;
}
