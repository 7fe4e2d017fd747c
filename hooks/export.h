/* Finds a variable that a module of the process exports, by the tables in its image. Every read
 * goes through a function that can fail, since a module may be unloaded at any time, and stays
 * within what the image says is its size. What is damaged has no such variable.
 *
 * Pure, freestanding and portable. A reader starts at um_export_find. Not on the hot path.
 * Source: "PE Format" (Microsoft), the sections about optional headers and .edata.
 */
#ifndef UM_HOOKS_EXPORT_H
#define UM_HOOKS_EXPORT_H

#include <stdint.h>

#include "base/plain/bytes.h"

#define UM_EXPORT_NAME_BYTES 32 /* the longest name that is looked for, with its NUL */
#define UM_EXPORT_MOST 65536    /* exports of a module */

/* Reads so many bytes at an address of the process; 0 if not all of them can be read. */
typedef int um_export_read(void *context, uint64_t address, void *to, uint32_t bytes);

struct um_export_image {
    um_export_read *read;
    void *context;
    uint64_t base;
    uint32_t size;             /* of the image */
    uint32_t rva, bytes;       /* the export directory */
    uint32_t functions, names; /* how many */
    uint32_t function_table, name_table, ordinal_table;
    uint32_t pointer_bytes;
};

static inline int um_export_get(const struct um_export_image *image, uint32_t rva, uint8_t *to,
                                uint32_t bytes)
{
    return rva <= image->size && bytes <= image->size - rva &&
           image->read(image->context, image->base + rva, to, bytes);
}

/* A number of a table; 0 if it cannot be read. */
static inline uint32_t um_export_number(const struct um_export_image *image, uint32_t table,
                                        uint32_t index, uint32_t bytes)
{
    uint8_t raw[4] = {0};
    uint64_t rva = (uint64_t)table + (uint64_t)index * bytes;
    if (rva > image->size || !um_export_get(image, (uint32_t)rva, raw, bytes))
        return 0;
    return um_bytes_get32(raw);
}

/* Reads the headers; 0 if this is no image with exports. */
static inline int um_export_open(struct um_export_image *image)
{
    uint8_t dos[64], head[24], optional[120], directory[40];
    image->size = UINT32_MAX; /* until it is known */
    if (!um_export_get(image, 0, dos, sizeof dos) || um_bytes_get16(dos) != 0x5a4d)
        return 0;
    uint32_t pe = um_bytes_get32(dos + 60);
    if (pe > UM_EXPORT_MOST || !um_export_get(image, pe, head, sizeof head) ||
        um_bytes_get32(head) != 0x4550 || um_bytes_get16(head + 20) < sizeof optional ||
        !um_export_get(image, pe + 24, optional, sizeof optional))
        return 0;
    int is_64 = um_bytes_get16(optional) == 0x20b;
    if (!is_64 && um_bytes_get16(optional) != 0x10b)
        return 0;
    image->pointer_bytes = is_64 ? 8 : 4;
    image->size = um_bytes_get32(optional + 56);
    if (um_bytes_get32(optional + (is_64 ? 108 : 92)) == 0) /* how many directories */
        return 0;
    image->rva = um_bytes_get32(optional + (is_64 ? 112 : 96));
    image->bytes = um_bytes_get32(optional + (is_64 ? 116 : 100));
    if (image->rva == 0 || !um_export_get(image, image->rva, directory, sizeof directory))
        return 0;
    image->functions = um_bytes_get32(directory + 20);
    image->names = um_bytes_get32(directory + 24);
    image->function_table = um_bytes_get32(directory + 28);
    image->name_table = um_bytes_get32(directory + 32);
    image->ordinal_table = um_bytes_get32(directory + 36);
    return image->functions <= UM_EXPORT_MOST && image->names <= UM_EXPORT_MOST;
}

/* As strcmp, of the name with an index and `wanted`, which has `bytes` with its NUL. 1 if it cannot
 * be read. */
static inline int um_export_compare(const struct um_export_image *image, uint32_t index,
                                    const char *wanted, uint32_t bytes)
{
    uint8_t name[UM_EXPORT_NAME_BYTES];
    uint32_t rva = um_export_number(image, image->name_table, index, 4);
    if (rva == 0 || !um_export_get(image, rva, name, bytes))
        return 1;
    for (uint32_t i = 0; i < bytes; i++)
        if (name[i] != (uint8_t)wanted[i])
            return name[i] < (uint8_t)wanted[i] ? -1 : 1;
    return 0;
}

/* The index of a name; `names` if there is none. They are sorted. */
static inline uint32_t um_export_index(const struct um_export_image *image, const char *wanted,
                                       uint32_t bytes)
{
    uint32_t first = 0, end = image->names;
    while (first < end) {
        uint32_t middle = first + (end - first) / 2;
        int order = um_export_compare(image, middle, wanted, bytes);
        if (order == 0)
            return middle;
        if (order < 0)
            first = middle + 1;
        else
            end = middle;
    }
    return image->names;
}

/* The address of the pointer that the module at `base` exports by this name; 0: it exports none.
 * Thread: any. */
static inline uint64_t um_export_find(um_export_read *read, void *context, uint64_t base,
                                      const char *name)
{
    struct um_export_image image = {.read = read, .context = context, .base = base};
    uint32_t bytes = 1;
    while (name[bytes - 1])
        bytes++;
    if (bytes > UM_EXPORT_NAME_BYTES || !um_export_open(&image))
        return 0;
    uint32_t index = um_export_index(&image, name, bytes);
    if (index == image.names)
        return 0;
    uint32_t ordinal = um_export_number(&image, image.ordinal_table, index, 2);
    if (ordinal >= image.functions)
        return 0;
    uint32_t rva = um_export_number(&image, image.function_table, ordinal, 4);
    int forwards = rva - image.rva < image.bytes; /* to another module */
    if (rva == 0 || forwards || rva % image.pointer_bytes != 0 || rva > image.size ||
        image.size - rva < image.pointer_bytes)
        return 0;
    return base + rva;
}

#endif
