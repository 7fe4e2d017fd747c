#include "monitor/sample/modules_x86.h"

#include <stdlib.h>
#include <string.h>

#include "base/plain/bytes.h"

/* Offsets in an image. Source: "PE Format", Microsoft Learn. */
#define DOS_HEADER_BYTES 64
#define DOS_NEW_HEADER 60 /* where the offset of the PE header is */
#define PE_MACHINE 4
#define PE_SECTIONS 6        /* how many there are */
#define PE_OPTIONAL_BYTES 20 /* the size of the optional header */
#define PE_OPTIONAL 24
#define OPTIONAL_IMAGE_BYTES 56
#define HEADERS_BYTES (PE_OPTIONAL + OPTIONAL_IMAGE_BYTES + 4)
#define SECTION_BYTES 40
#define SECTION_SIZE 8
#define SECTION_RVA 12
#define SECTION_FLAGS 36

#define DOS_MAGIC 0x5a4d
#define PE_MAGIC UINT32_C(0x00004550)
#define PE_MACHINE_X86 0x014c
#define OPTIONAL_MAGIC_32 0x010b
#define EXECUTABLE UINT32_C(0x20000000)
#define SECTIONS_MOST 96 /* the system's own limit */

struct section {
    uint32_t rva, bytes, flags;
};

static bool read_at(const struct um_pdata_source *source, uint32_t rva, void *bytes, size_t len)
{
    return source->read(source->context, rva, bytes, len);
}

/* Reads the PE header. `sections` gets the RVA of the list of sections. */
static enum um_status read_headers(const struct um_pdata_source *source, uint32_t *image_bytes,
                                   uint32_t *sections, unsigned *count)
{
    uint8_t dos[DOS_HEADER_BYTES];
    uint8_t headers[HEADERS_BYTES];
    if (!read_at(source, 0, dos, sizeof dos))
        return UM_ERR_IO;
    uint32_t at = um_bytes_get32(dos + DOS_NEW_HEADER);
    if (um_bytes_get16(dos) != DOS_MAGIC || at > INT32_MAX)
        return UM_ERR_FORMAT;
    if (!read_at(source, at, headers, sizeof headers))
        return UM_ERR_IO;
    if (um_bytes_get32(headers) != PE_MAGIC)
        return UM_ERR_FORMAT;
    if (um_bytes_get16(headers + PE_MACHINE) != PE_MACHINE_X86)
        return UM_ERR_UNSUPPORTED;
    if (um_bytes_get16(headers + PE_OPTIONAL) != OPTIONAL_MAGIC_32)
        return UM_ERR_FORMAT;
    *image_bytes = um_bytes_get32(headers + PE_OPTIONAL + OPTIONAL_IMAGE_BYTES);
    *sections = at + PE_OPTIONAL + um_bytes_get16(headers + PE_OPTIONAL_BYTES);
    *count = um_bytes_get16(headers + PE_SECTIONS);
    *count = *count < SECTIONS_MOST ? *count : SECTIONS_MOST;
    return UM_OK;
}

/* False: it cannot be read, or lies outside of the image. */
static bool read_section(const struct um_pdata_source *source, uint32_t rva, uint32_t image_bytes,
                         struct section *section)
{
    uint8_t bytes[SECTION_BYTES];
    if (!read_at(source, rva, bytes, sizeof bytes))
        return false;
    section->rva = um_bytes_get32(bytes + SECTION_RVA);
    section->bytes = um_bytes_get32(bytes + SECTION_SIZE);
    section->flags = um_bytes_get32(bytes + SECTION_FLAGS);
    return section->rva < image_bytes && section->bytes <= image_bytes - section->rva;
}

static enum um_status open_entry(struct um_modules_x86_entry *entry)
{
    uint32_t sections;
    unsigned count;
    struct section section;
    enum um_status status = read_headers(&entry->source, &entry->extent.bytes, &sections, &count);
    if (status != UM_OK)
        return status;
    for (unsigned i = 0; i < count && entry->range_count < UM_MODULES_X86_RANGES; i++) {
        if (!read_section(&entry->source, sections + i * SECTION_BYTES, entry->extent.bytes,
                          &section) ||
            !(section.flags & EXECUTABLE))
            continue;
        entry->ranges[entry->range_count].rva = section.rva;
        entry->ranges[entry->range_count++].bytes = section.bytes;
    }
    return UM_OK;
}

void um_modules_x86_init(struct um_modules_x86 *modules, struct um_modules_x86_entry *entries,
                         size_t cap, const struct um_modules_x86_elsewhere *elsewhere)
{
    memset(modules, 0, sizeof *modules);
    um_extents_init(&modules->extents, entries, sizeof *entries, cap);
    if (elsewhere)
        modules->elsewhere = *elsewhere;
}

void um_modules_x86_deinit(struct um_modules_x86 *modules)
{
    for (size_t i = 0; i < modules->extents.count; i++) {
        struct um_modules_x86_entry *entry = um_extents_at(&modules->extents, i);
        um_eh_frame_close(&entry->eh_frame);
    }
    modules->extents.count = 0;
}

enum um_status um_modules_x86_add(struct um_modules_x86 *modules, uint32_t base,
                                  const struct um_pdata_source *source, int32_t *index)
{
    struct um_modules_x86_entry added = {.extent.base = base, .source = *source};
    if (um_extents_is_full(&modules->extents))
        return UM_ERR_TOO_LARGE;
    enum um_status status = open_entry(&added);
    if (status == UM_OK)
        status = um_extents_add(&modules->extents, &added);
    if (status == UM_OK)
        *index = added.extent.index;
    return status;
}

/* Reads a section that may be unwind data. Without memory, or if it cannot be read, the module has
 * none. */
static bool read_eh_frame(struct um_modules_x86_entry *entry, const struct section *section)
{
    uint8_t probe[UM_EH_FRAME_PROBE_BYTES];
    if ((section->flags & EXECUTABLE) || section->bytes < sizeof probe ||
        section->bytes > UM_EH_FRAME_MOST_BYTES ||
        !read_at(&entry->source, section->rva, probe, sizeof probe) || !um_eh_frame_is_one(probe))
        return false;
    uint8_t *bytes = malloc(section->bytes);
    if (!bytes || !read_at(&entry->source, section->rva, bytes, section->bytes)) {
        free(bytes);
        return false;
    }
    return um_eh_frame_open(bytes, section->bytes, (uint32_t)entry->extent.base, section->rva,
                            &entry->eh_frame) == UM_OK;
}

/* The unwind data of a module; NULL: it has none. */
static const struct um_eh_frame *eh_frame_of(struct um_modules_x86_entry *entry)
{
    uint32_t image_bytes, sections;
    unsigned count;
    struct section section;
    if (!entry->is_searched &&
        read_headers(&entry->source, &image_bytes, &sections, &count) == UM_OK)
        for (unsigned i = 0; i < count && !entry->eh_frame.bytes; i++)
            if (read_section(&entry->source, sections + i * SECTION_BYTES, entry->extent.bytes,
                             &section))
                (void)read_eh_frame(entry, &section);
    entry->is_searched = true;
    return entry->eh_frame.count > 0 ? &entry->eh_frame : NULL;
}

static bool find(void *context, uint32_t address, struct um_unwind_x86_place *place)
{
    struct um_modules_x86 *modules = context;
    struct um_modules_x86_entry *entry = um_extents_find(&modules->extents, address);
    const struct um_modules_x86_elsewhere *elsewhere = &modules->elsewhere;
    if (!entry) {
        *place = (struct um_unwind_x86_place){.module = UM_UNWIND_NO_MODULE};
        return elsewhere->is_code && elsewhere->is_code(elsewhere->context, address);
    }
    for (size_t i = 0; i < entry->range_count; i++)
        if (address - (uint32_t)entry->extent.base - entry->ranges[i].rva <
            entry->ranges[i].bytes) {
            *place = (struct um_unwind_x86_place){entry->extent.index, (uint32_t)entry->extent.base,
                                                  eh_frame_of(entry)};
            return true;
        }
    return false;
}

static bool read_code(void *context, uint32_t address, void *bytes, size_t len)
{
    struct um_modules_x86 *modules = context;
    const struct um_modules_x86_entry *entry = um_extents_find(&modules->extents, address);
    const struct um_modules_x86_elsewhere *elsewhere = &modules->elsewhere;
    if (entry)
        return len <= entry->extent.bytes - (address - (uint32_t)entry->extent.base) &&
               read_at(&entry->source, address - (uint32_t)entry->extent.base, bytes, len);
    return elsewhere->read && elsewhere->read(elsewhere->context, address, bytes, len);
}

struct um_unwind_x86_code um_modules_x86_code(struct um_modules_x86 *modules)
{
    return (struct um_unwind_x86_code){.context = modules, .find = find, .read = read_code};
}
