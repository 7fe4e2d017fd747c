#include "names/exports.h"

#include <string.h>

#include "base/plain/bytes.h"
#include "names/pe.h"

/* Offsets in the export directory. */
#define EXPORTS_BYTES 40
#define FUNCTION_COUNT_AT 20
#define NAME_COUNT_AT 24
#define FUNCTIONS_AT 28
#define NAMES_AT 32
#define ORDINALS_AT 36

/* The tables, all of which are in the file. */
struct tables {
    uint32_t rva; /* of the directory, and its length */
    uint32_t len_bytes;
    uint32_t function_count;
    uint32_t name_count;
    const uint8_t *functions;
    const uint8_t *names;
    const uint8_t *ordinals;
};

static bool find_tables(const struct um_pe *pe, struct tables *tables)
{
    size_t len;
    um_pe_directory(pe, UM_PE_EXPORTS, &tables->rva, &tables->len_bytes);
    const uint8_t *directory = um_pe_at_rva(pe, tables->rva, EXPORTS_BYTES, &len);
    if (!directory)
        return false;
    tables->function_count = um_bytes_get32(directory + FUNCTION_COUNT_AT);
    tables->name_count = um_bytes_get32(directory + NAME_COUNT_AT);
    uint64_t functions_bytes = (uint64_t)tables->function_count * 4;
    uint64_t names = tables->name_count;
    tables->functions =
        um_pe_at_rva(pe, um_bytes_get32(directory + FUNCTIONS_AT), functions_bytes, &len);
    tables->names = um_pe_at_rva(pe, um_bytes_get32(directory + NAMES_AT), names * 4, &len);
    tables->ordinals = um_pe_at_rva(pe, um_bytes_get32(directory + ORDINALS_AT), names * 2, &len);
    return names <= UM_EXPORTS_MAX && tables->functions && tables->names && tables->ordinals;
}

/* Adds an export if it is code of this file. Data is left out. So are forwarders to another DLL:
 * their addresses lie within the export directory. */
static enum um_status add(const struct um_pe *pe, const struct tables *tables,
                          struct um_symbol_table *exports, uint32_t rva, uint32_t name_rva)
{
    struct um_pe_section section;
    size_t len;
    if (!um_pe_section_of(pe, rva, &section) || !section.is_code ||
        (rva >= tables->rva && rva - tables->rva < tables->len_bytes))
        return UM_OK;
    const uint8_t *name = um_pe_at_rva(pe, name_rva, 1, &len);
    const uint8_t *end = name ? memchr(name, 0, len) : NULL;
    if (!end)
        return UM_OK;
    len = (size_t)(end - name);
    len = len < UM_EXPORTS_NAME_BYTES ? len : UM_EXPORTS_NAME_BYTES - 1;
    const struct um_symbol_table_entry entry = {.rva = rva, .end_rva = section.end_rva};
    return um_symbol_table_add(exports, entry, (const char *)name, len);
}

enum um_status um_exports_read(const uint8_t *file, size_t len_bytes,
                               struct um_symbol_table *exports)
{
    struct um_pe pe;
    struct tables tables;
    enum um_status status = UM_OK;

    *exports = (struct um_symbol_table){0};
    if (!um_pe_open(file, len_bytes, &pe) || !find_tables(&pe, &tables))
        return UM_OK;
    for (uint32_t i = 0; i < tables.name_count && status == UM_OK; i++) {
        uint32_t function = um_bytes_get16(tables.ordinals + (size_t)i * 2);
        if (function < tables.function_count)
            status =
                add(&pe, &tables, exports, um_bytes_get32(tables.functions + (size_t)function * 4),
                    um_bytes_get32(tables.names + (size_t)i * 4));
    }
    um_symbol_table_sort(exports);
    return status;
}
