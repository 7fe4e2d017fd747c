/* The headers of a Windows program or DLL: where its sections lie in the file and in memory. Trusts
 * nothing in the file. Not on the hot path.
 *
 * Source: "PE Format", Microsoft Learn.
 */
#ifndef UM_NAMES_PE_H
#define UM_NAMES_PE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Machines. */
#define UM_PE_X86 0x14c
#define UM_PE_X64 0x8664

/* Numbers of directories. */
#define UM_PE_EXPORTS 0
#define UM_PE_EXCEPTIONS 3
#define UM_PE_DEBUG 6

/* A view of the file, which must not change while the view is in use. */
struct um_pe {
    const uint8_t *bytes;
    size_t len_bytes;
    const uint8_t *header; /* behind the signature: 20 bytes */
    const uint8_t *optional;
    size_t optional_bytes;
    const uint8_t *sections;
    size_t section_count;
    uint16_t machine;
};

/* What a section is in memory. */
struct um_pe_section {
    uint32_t rva;
    uint32_t end_rva;
    bool is_code;
};

/* False: the file has no such headers, or ends within them. */
bool um_pe_open(const uint8_t *file, size_t len_bytes, struct um_pe *pe);

/* Place and length of a directory; both 0 if there is none. Units: RVA, bytes. */
void um_pe_directory(const struct um_pe *pe, size_t number, uint32_t *rva, uint32_t *len_bytes);

/* A section by its number, from 0. False: there are fewer. */
bool um_pe_section(const struct um_pe *pe, size_t number, struct um_pe_section *section);

/* The section with the byte at `rva`. False: none. */
bool um_pe_section_of(const struct um_pe *pe, uint32_t rva, struct um_pe_section *section);

/* The `len_bytes` at offset `at` of the file. NULL: they do not all lie in it. */
const uint8_t *um_pe_in_file(const struct um_pe *pe, uint64_t at, uint64_t len_bytes);

/* The bytes at `rva`, as far as the file has them; `len_bytes` gets how many. NULL: they are fewer
 * than `min_bytes`. */
const uint8_t *um_pe_at_rva(const struct um_pe *pe, uint32_t rva, uint64_t min_bytes,
                            size_t *len_bytes);

#endif
