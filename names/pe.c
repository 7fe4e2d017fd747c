#include "names/pe.h"

#include "base/plain/bytes.h"

/* Offsets in the headers. */
#define PE_AT 60 /* where the offset of the signature is */
#define SIGNATURE_BYTES 4
#define HEADER_BYTES 20
#define MACHINE_AT 0
#define SECTIONS_AT 2
#define OPTIONAL_LEN_AT 16
#define MAGIC_64 0x20b
#define DIRECTORIES_32 96 /* in the optional header */
#define DIRECTORIES_64 112
#define DIRECTORY_BYTES 8
#define SECTION_BYTES 40
#define VIRTUAL_BYTES_AT 8
#define VIRTUAL_AT 12
#define RAW_BYTES_AT 16
#define RAW_AT 20
#define FLAGS_AT 36
#define FLAG_EXECUTE UINT32_C(0x20000000)

const uint8_t *um_pe_in_file(const struct um_pe *pe, uint64_t at, uint64_t len_bytes)
{
    return at <= pe->len_bytes && len_bytes <= pe->len_bytes - at ? pe->bytes + at : NULL;
}

bool um_pe_open(const uint8_t *file, size_t len_bytes, struct um_pe *pe)
{
    *pe = (struct um_pe){.bytes = file, .len_bytes = len_bytes};
    const uint8_t *dos = um_pe_in_file(pe, 0, PE_AT + 4);
    if (!dos)
        return false;
    uint64_t header_at = (uint64_t)um_bytes_get32(dos + PE_AT) + SIGNATURE_BYTES;
    pe->header = um_pe_in_file(pe, header_at, HEADER_BYTES);
    if (!pe->header)
        return false;
    pe->machine = (uint16_t)um_bytes_get16(pe->header + MACHINE_AT);
    pe->optional_bytes = um_bytes_get16(pe->header + OPTIONAL_LEN_AT);
    pe->optional = um_pe_in_file(pe, header_at + HEADER_BYTES, pe->optional_bytes);
    pe->section_count = um_bytes_get16(pe->header + SECTIONS_AT);
    pe->sections = um_pe_in_file(pe, header_at + HEADER_BYTES + pe->optional_bytes,
                                 (uint64_t)pe->section_count * SECTION_BYTES);
    return pe->optional && pe->optional_bytes >= 2 && pe->sections;
}

void um_pe_directory(const struct um_pe *pe, size_t number, uint32_t *rva, uint32_t *len_bytes)
{
    size_t at = (um_bytes_get16(pe->optional) == MAGIC_64 ? DIRECTORIES_64 : DIRECTORIES_32) +
                number * DIRECTORY_BYTES;
    *rva = *len_bytes = 0;
    if (at + DIRECTORY_BYTES > pe->optional_bytes)
        return;
    *rva = um_bytes_get32(pe->optional + at);
    *len_bytes = um_bytes_get32(pe->optional + at + 4);
}

bool um_pe_section(const struct um_pe *pe, size_t number, struct um_pe_section *section)
{
    if (number >= pe->section_count)
        return false;
    const uint8_t *at = pe->sections + number * SECTION_BYTES;
    uint64_t end =
        (uint64_t)um_bytes_get32(at + VIRTUAL_AT) + um_bytes_get32(at + VIRTUAL_BYTES_AT);
    section->rva = um_bytes_get32(at + VIRTUAL_AT);
    section->end_rva = end < UINT32_MAX ? (uint32_t)end : UINT32_MAX;
    section->is_code = (um_bytes_get32(at + FLAGS_AT) & FLAG_EXECUTE) != 0;
    return true;
}

/* The number of the section with the byte at `rva`; `section_count`: none. */
static size_t number_of(const struct um_pe *pe, uint32_t rva, struct um_pe_section *section)
{
    size_t i = 0;
    while (um_pe_section(pe, i, section) && (rva < section->rva || rva >= section->end_rva))
        i++;
    return i;
}

bool um_pe_section_of(const struct um_pe *pe, uint32_t rva, struct um_pe_section *section)
{
    return number_of(pe, rva, section) < pe->section_count;
}

const uint8_t *um_pe_at_rva(const struct um_pe *pe, uint32_t rva, uint64_t min_bytes,
                            size_t *len_bytes)
{
    struct um_pe_section section;
    size_t number = number_of(pe, rva, &section);
    if (number == pe->section_count)
        return NULL;
    const uint8_t *at = pe->sections + number * SECTION_BYTES;
    uint64_t offset = rva - section.rva;
    uint64_t raw_bytes = um_bytes_get32(at + RAW_BYTES_AT);
    if (offset > raw_bytes || min_bytes > raw_bytes - offset)
        return NULL;
    *len_bytes = (size_t)(raw_bytes - offset);
    return um_pe_in_file(pe, um_bytes_get32(at + RAW_AT) + offset, raw_bytes - offset);
}
