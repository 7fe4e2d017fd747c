#include "monitor/sample/pdata.h"

#include "base/plain/bytes.h"

/* Offsets in an image. */
#define DOS_HEADER_BYTES 64
#define DOS_NEW_HEADER 60 /* where the offset of the PE header is */
#define PE_MACHINE 4
#define PE_OPTIONAL_BYTES 20 /* the size of the optional header */
#define PE_OPTIONAL 24
#define OPTIONAL_IMAGE_BYTES 56
#define OPTIONAL_DIRECTORIES 108 /* how many directories follow */
#define OPTIONAL_EXCEPTIONS 136  /* the fourth directory: RVA and size */
#define OPTIONAL_END 144
#define HEADERS_BYTES (PE_OPTIONAL + OPTIONAL_END)

#define DOS_MAGIC 0x5a4d
#define PE_MAGIC UINT32_C(0x00004550)
#define PE_MACHINE_X64 0x8664
#define OPTIONAL_MAGIC_64 0x020b
#define EXCEPTIONS 3
#define INDIRECT 1 /* bit of unwind_rva: it is the RVA of another entry */

static bool read_at(const struct um_pdata *pdata, uint32_t rva, void *bytes, size_t len)
{
    return pdata->source.read(pdata->source.context, rva, bytes, len);
}

/* Takes size and table from the PE header. */
static enum um_status read_headers(struct um_pdata *pdata, const uint8_t *headers)
{
    const uint8_t *optional = headers + PE_OPTIONAL;
    if (um_bytes_get32(headers) != PE_MAGIC)
        return UM_ERR_FORMAT;
    if (um_bytes_get16(headers + PE_MACHINE) != PE_MACHINE_X64)
        return UM_ERR_UNSUPPORTED;
    if (um_bytes_get16(optional) != OPTIONAL_MAGIC_64)
        return UM_ERR_FORMAT;
    pdata->image_bytes = um_bytes_get32(optional + OPTIONAL_IMAGE_BYTES);
    if (um_bytes_get16(headers + PE_OPTIONAL_BYTES) < OPTIONAL_END ||
        um_bytes_get32(optional + OPTIONAL_DIRECTORIES) <= EXCEPTIONS)
        return UM_OK;
    uint32_t table_bytes = um_bytes_get32(optional + OPTIONAL_EXCEPTIONS + 4);
    pdata->table_rva = um_bytes_get32(optional + OPTIONAL_EXCEPTIONS);
    pdata->count = table_bytes / UM_PDATA_ENTRY_BYTES;
    if (pdata->table_rva > pdata->image_bytes ||
        table_bytes > pdata->image_bytes - pdata->table_rva)
        return UM_ERR_FORMAT;
    return UM_OK;
}

enum um_status um_pdata_open(struct um_pdata *pdata, const struct um_pdata_source *source)
{
    struct um_pdata opened = {.source = *source};
    uint8_t dos[DOS_HEADER_BYTES];
    uint8_t headers[HEADERS_BYTES];
    if (!read_at(&opened, 0, dos, sizeof dos))
        return UM_ERR_IO;
    uint32_t new_header = um_bytes_get32(dos + DOS_NEW_HEADER);
    if (um_bytes_get16(dos) != DOS_MAGIC || new_header > UINT32_MAX - sizeof headers)
        return UM_ERR_FORMAT;
    if (!read_at(&opened, new_header, headers, sizeof headers))
        return UM_ERR_IO;
    enum um_status status = read_headers(&opened, headers);
    if (status == UM_OK)
        *pdata = opened;
    return status;
}

void um_pdata_decode(const uint8_t *bytes, struct um_pdata_function *function)
{
    function->begin_rva = um_bytes_get32(bytes);
    function->end_rva = um_bytes_get32(bytes + 4);
    function->unwind_rva = um_bytes_get32(bytes + 8);
}

static enum um_status read_entry(const struct um_pdata *pdata, uint32_t rva,
                                 struct um_pdata_function *function)
{
    uint8_t bytes[UM_PDATA_ENTRY_BYTES];
    if (!read_at(pdata, rva, bytes, sizeof bytes))
        return UM_ERR_IO;
    um_pdata_decode(bytes, function);
    return UM_OK;
}

/* The entry that has the byte. It ends even if the table is not sorted. */
static enum um_status search(const struct um_pdata *pdata, uint32_t rva,
                             struct um_pdata_function *function)
{
    uint32_t low = 0;
    uint32_t high = pdata->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        /* The entry is inside of the image, as um_pdata_open has checked. */
        enum um_status status =
            read_entry(pdata, pdata->table_rva + middle * UM_PDATA_ENTRY_BYTES, function);
        if (status != UM_OK)
            return status;
        if (rva < function->begin_rva)
            high = middle;
        else if (rva >= function->end_rva)
            low = middle + 1;
        else
            return UM_OK;
    }
    return UM_ERR_NOT_FOUND;
}

enum um_status um_pdata_find(const struct um_pdata *pdata, uint32_t rva,
                             struct um_pdata_function *function)
{
    struct um_pdata_function found;
    enum um_status status = search(pdata, rva, &found);
    if (status == UM_OK && (found.unwind_rva & INDIRECT))
        status = read_entry(pdata, found.unwind_rva - INDIRECT, &found);
    if (status != UM_OK)
        return status;
    if ((found.unwind_rva & INDIRECT) || found.begin_rva >= found.end_rva)
        return UM_ERR_FORMAT;
    *function = found;
    return UM_OK;
}
