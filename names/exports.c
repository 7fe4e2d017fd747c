#include "names/exports.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Offsets in the headers. */
#define PE_AT 60 /* where the offset of the PE header is */
#define PE_BYTES 24
#define SECTIONS_AT 6
#define OPTIONAL_LEN_AT 20
#define MAGIC_64 0x20b
#define DIRECTORY_32 96 /* in the optional header: the place and length of the exports */
#define DIRECTORY_64 112
#define SECTION_BYTES 40
#define VIRTUAL_BYTES_AT 8
#define VIRTUAL_AT 12
#define RAW_BYTES_AT 16
#define RAW_AT 20
#define FLAGS_AT 36
#define FLAG_EXECUTE UINT32_C(0x20000000)

/* Offsets in the export directory. */
#define EXPORTS_BYTES 40
#define FUNCTION_COUNT_AT 20
#define NAME_COUNT_AT 24
#define FUNCTIONS_AT 28
#define NAMES_AT 32
#define ORDINALS_AT 36

struct file {
    const uint8_t *bytes;
    size_t len;
    const uint8_t *sections;
    size_t section_count;
    uint32_t directory; /* RVA of the export directory, and its length */
    uint32_t directory_bytes;
};

static uint32_t get16(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8;
}

static uint32_t get32(const uint8_t *at)
{
    return get16(at) | get16(at + 2) << 16;
}

/* Where in the file so many bytes are, if all of them are in it; else NULL. */
static const uint8_t *in_file(const struct file *file, uint64_t at, uint64_t bytes)
{
    return at <= file->len && bytes <= file->len - at ? file->bytes + at : NULL;
}

static bool open_file(struct file *file)
{
    const uint8_t *dos = in_file(file, 0, PE_AT + 4);
    const uint8_t *pe = dos ? in_file(file, get32(dos + PE_AT), PE_BYTES) : NULL;
    if (!pe)
        return false;
    uint64_t optional_at = (uint64_t)(pe - file->bytes) + PE_BYTES;
    size_t optional_bytes = get16(pe + OPTIONAL_LEN_AT);
    const uint8_t *optional = in_file(file, optional_at, optional_bytes);
    file->section_count = get16(pe + SECTIONS_AT);
    file->sections =
        in_file(file, optional_at + optional_bytes, (uint64_t)file->section_count * SECTION_BYTES);
    if (!optional || !file->sections || optional_bytes < DIRECTORY_64 + 8)
        return false;
    size_t directory_at = get16(optional) == MAGIC_64 ? DIRECTORY_64 : DIRECTORY_32;
    file->directory = get32(optional + directory_at);
    file->directory_bytes = get32(optional + directory_at + 4);
    return true;
}

/* The section with the byte at `rva`; NULL: none. */
static const uint8_t *section_of(const struct file *file, uint32_t rva)
{
    for (size_t i = 0; i < file->section_count; i++) {
        const uint8_t *section = file->sections + i * SECTION_BYTES;
        uint32_t begin = get32(section + VIRTUAL_AT);
        if (rva >= begin && rva - begin < get32(section + VIRTUAL_BYTES_AT))
            return section;
    }
    return NULL;
}

/* The bytes at `rva` that are in the file, `bytes` or more; `*len` says how many. NULL: fewer. */
static const uint8_t *at_rva(const struct file *file, uint32_t rva, uint64_t bytes, size_t *len)
{
    const uint8_t *section = section_of(file, rva);
    if (!section)
        return NULL;
    uint64_t offset = rva - get32(section + VIRTUAL_AT);
    uint64_t raw_bytes = get32(section + RAW_BYTES_AT);
    if (offset > raw_bytes || bytes > raw_bytes - offset)
        return NULL;
    *len = (size_t)(raw_bytes - offset);
    return in_file(file, get32(section + RAW_AT) + offset, raw_bytes - offset);
}

/* A copy of the name there. Owner: free. NULL: there is no name, or no memory. */
static char *copy_name(const struct file *file, uint32_t rva)
{
    size_t len;
    const uint8_t *name = at_rva(file, rva, 1, &len);
    if (!name || name[0] == 0 || !memchr(name, 0, len))
        return NULL;
    len = strlen((const char *)name);
    len = len < UM_EXPORTS_NAME_BYTES ? len : UM_EXPORTS_NAME_BYTES - 1;
    char *copy = malloc(len + 1);
    if (copy) {
        memcpy(copy, name, len);
        copy[len] = '\0';
    }
    return copy;
}

/* Adds an export if it is code of this file: data is left out, and so is what leads to another DLL,
 * whose place is one in the directory. */
static void add(const struct file *file, struct um_exports *exports, uint32_t rva,
                uint32_t name_rva)
{
    const uint8_t *section = section_of(file, rva);
    if (!section || !(get32(section + FLAGS_AT) & FLAG_EXECUTE) ||
        (rva >= file->directory && rva - file->directory < file->directory_bytes))
        return;
    char *name = copy_name(file, name_rva);
    if (!name)
        return;
    exports->entries[exports->count++] = (struct um_exports_entry){
        .rva = rva,
        .end_rva = get32(section + VIRTUAL_AT) + get32(section + VIRTUAL_BYTES_AT),
        .name = name,
    };
}

/* By place; of those at the same place the last is found, so it is the first by its letters. */
static int compare(const void *a, const void *b)
{
    const struct um_exports_entry *left = a, *right = b;
    if (left->rva != right->rva)
        return left->rva < right->rva ? -1 : 1;
    return strcmp(right->name, left->name);
}

enum um_status um_exports_read(const uint8_t *bytes, size_t len_bytes, struct um_exports *exports)
{
    struct file file = {.bytes = bytes, .len = len_bytes};
    size_t len;

    *exports = (struct um_exports){0};
    const uint8_t *directory =
        open_file(&file) ? at_rva(&file, file.directory, EXPORTS_BYTES, &len) : NULL;
    if (!directory)
        return UM_OK;
    uint32_t function_count = get32(directory + FUNCTION_COUNT_AT);
    uint32_t name_count = get32(directory + NAME_COUNT_AT);
    if (name_count > UM_EXPORTS_MAX)
        return UM_OK;
    const uint8_t *functions =
        at_rva(&file, get32(directory + FUNCTIONS_AT), (uint64_t)function_count * 4, &len);
    const uint8_t *names =
        at_rva(&file, get32(directory + NAMES_AT), (uint64_t)name_count * 4, &len);
    const uint8_t *ordinals =
        at_rva(&file, get32(directory + ORDINALS_AT), (uint64_t)name_count * 2, &len);
    if (!functions || !names || !ordinals || name_count == 0)
        return UM_OK;
    exports->entries = calloc(name_count, sizeof *exports->entries);
    if (!exports->entries)
        return UM_ERR_MEMORY;
    for (uint32_t i = 0; i < name_count; i++) {
        uint32_t function = get16(ordinals + (size_t)i * 2);
        if (function < function_count)
            add(&file, exports, get32(functions + (size_t)function * 4),
                get32(names + (size_t)i * 4));
    }
    qsort(exports->entries, exports->count, sizeof *exports->entries, compare);
    return UM_OK;
}

const struct um_exports_entry *um_exports_find(const struct um_exports *exports, uint32_t rva)
{
    size_t low = 0, high = exports->count; /* the first behind `rva` is in here */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (exports->entries[middle].rva <= rva)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || rva >= exports->entries[low - 1].end_rva)
        return NULL;
    return &exports->entries[low - 1];
}

void um_exports_free(struct um_exports *exports)
{
    for (size_t i = 0; i < exports->count; i++)
        free(exports->entries[i].name);
    free(exports->entries);
    *exports = (struct um_exports){0};
}
