#include "names/assembly.h"

#include <string.h>

#include "base/plain/bytes.h"
#include "base/plain/text.h"
#include "names/inflate.h"
#include "names/pe.h"

/* An entry of the debug directory. */
#define ENTRY_BYTES 28
#define STAMP_AT 4
#define MINOR_AT 10
#define TYPE_AT 12
#define LEN_AT 16
#define RAW_AT 24
#define TYPE_CODEVIEW 2
#define TYPE_EMBEDDED 17
#define MINOR_PORTABLE 0x504d

/* The data of a CodeView entry. */
#define CODEVIEW_MAGIC UINT32_C(0x53445352) /* "RSDS" */
#define GUID_AT 4
#define GUID_BYTES 16
#define PATH_AT 24

/* The data of an entry with an embedded PDB. */
#define EMBEDDED_MAGIC UINT32_C(0x4244504d) /* "MPDB" */
#define UNPACKED_AT 4
#define PACKED_AT 8

/* A portable PDB is preferred: code that is compiled ahead of time has an entry of its own for a
 * Windows PDB. False: it is no such entry. */
static bool take_codeview(const uint8_t *entry, const uint8_t *data, uint32_t len_bytes,
                          struct um_assembly *assembly)
{
    char path[UM_NAMES_PATH_BYTES];
    if (len_bytes <= PATH_AT || um_bytes_get32(data) != CODEVIEW_MAGIC)
        return false;
    size_t path_bytes = len_bytes - PATH_AT;
    path_bytes = path_bytes < sizeof path ? path_bytes : sizeof path - 1;
    memcpy(path, data + PATH_AT, path_bytes);
    path[path_bytes] = '\0';
    um_text_set(assembly->pdb_path, sizeof assembly->pdb_path, path);
    memcpy(assembly->id, data + GUID_AT, GUID_BYTES);
    memcpy(assembly->id + GUID_BYTES, entry + STAMP_AT, UM_PPDB_ID_BYTES - GUID_BYTES);
    assembly->is_portable = um_bytes_get16(entry + MINOR_AT) == MINOR_PORTABLE;
    return true;
}

static void take_embedded(const uint8_t *data, uint32_t len_bytes, struct um_assembly *assembly)
{
    if (len_bytes < PACKED_AT || um_bytes_get32(data) != EMBEDDED_MAGIC)
        return;
    assembly->unpacked_bytes = um_bytes_get32(data + UNPACKED_AT);
    assembly->embedded = data + PACKED_AT;
    assembly->embedded_bytes = len_bytes - PACKED_AT;
}

enum um_status um_assembly_read(const uint8_t *file, size_t len_bytes, struct um_assembly *assembly)
{
    struct um_pe pe;
    struct um_assembly read = {.embedded = NULL};
    uint32_t rva, directory_bytes;
    size_t here_bytes = 0;
    bool is_named = false;

    if (!um_pe_open(file, len_bytes, &pe))
        return UM_ERR_FORMAT;
    um_pe_directory(&pe, UM_PE_DEBUG, &rva, &directory_bytes);
    const uint8_t *entry = um_pe_at_rva(&pe, rva, directory_bytes, &here_bytes);
    for (; entry && directory_bytes >= ENTRY_BYTES; directory_bytes -= ENTRY_BYTES) {
        uint32_t data_bytes = um_bytes_get32(entry + LEN_AT);
        const uint8_t *data = um_pe_in_file(&pe, um_bytes_get32(entry + RAW_AT), data_bytes);
        uint32_t type = um_bytes_get32(entry + TYPE_AT);
        if (data && type == TYPE_CODEVIEW && !read.is_portable)
            is_named |= take_codeview(entry, data, data_bytes, &read);
        if (data && type == TYPE_EMBEDDED)
            take_embedded(data, data_bytes, &read);
        entry += ENTRY_BYTES;
    }
    if (!is_named)
        return UM_ERR_NOT_FOUND;
    *assembly = read;
    return UM_OK;
}

enum um_status um_assembly_unpack(const struct um_assembly *assembly, uint8_t *bytes)
{
    if (assembly->unpacked_bytes > UM_ASSEMBLY_MAX_EMBEDDED ||
        assembly->embedded_bytes > UM_PPDB_MAX_BYTES)
        return UM_ERR_TOO_LARGE;
    return um_inflate(assembly->embedded, assembly->embedded_bytes, bytes,
                      assembly->unpacked_bytes);
}
