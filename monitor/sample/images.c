#include "monitor/sample/images.h"

#include <stdlib.h>
#include <string.h>

#include "base/plain/bytes.h"

#define PAGE_BYTES 4096U

/* Source: "PE Format", Microsoft Learn. */
#define HEADER_AT 0x3c /* where the offset of the signature is */
#define TIMESTAMP_AT 8 /* from the signature on */

struct image {
    struct um_images *images;
    struct um_stopper_module module;
};

/* A 32-bit target's memory in no module. */
struct range {
    uint64_t begin, end;
    bool is_code;
};

struct um_images {
    struct um_stopper *stopper;
    struct um_unwind_code elsewhere; /* zeroed: there is none */
    bool is_full;                    /* at the last look */
    bool is_x86;
    size_t count; /* of modules */
    struct um_modules modules;
    struct um_modules_entry entries[UM_IMAGES_MODULES];
    struct um_modules_x86 modules_x86;
    struct um_modules_x86_entry *entries_x86; /* NULL: the target is a 64-bit one */
    size_t range_count;
    struct range ranges[UM_IMAGES_RANGES];
    uint32_t missed;
    struct image known[UM_IMAGES_MODULES]; /* by the index that um_modules_add gave */
    struct um_stopper_module found[UM_IMAGES_MODULES];
    /* A cache of pages, as a hash table. A later page with the same hash replaces an earlier one.
     * The addresses lie apart, so that memory is only used for pages that were read. */
    uint64_t page_addresses[UM_IMAGES_PAGES]; /* 0: empty */
    uint8_t pages[UM_IMAGES_PAGES][PAGE_BYTES];
};

/* The page at an address; NULL if it cannot be read. */
static const uint8_t *page_at(struct um_images *images, uint64_t address)
{
    /* Knuth's multiplicative hash (The Art of Computer Programming, volume 3, 6.4). */
    uint64_t hash = (address / PAGE_BYTES) * UINT64_C(0x9e3779b97f4a7c15);
    size_t place = hash >> 32 & (UM_IMAGES_PAGES - 1);
    uint8_t *page = images->pages[place];
    if (images->page_addresses[place] == address)
        return page;
    images->page_addresses[place] = 0;
    if (!um_stopper->read(images->stopper, address, page, PAGE_BYTES))
        return NULL;
    images->page_addresses[place] = address;
    return page;
}

_Static_assert((UM_IMAGES_PAGES & (UM_IMAGES_PAGES - 1)) == 0, "the hash is masked");

static bool read_image(void *context, uint32_t rva, void *bytes, size_t len)
{
    struct image *image = context;
    uint8_t *to = bytes;
    if (rva > image->module.image_bytes || len > image->module.image_bytes - rva)
        return false;
    uint64_t from = image->module.base + rva;
    while (len > 0) {
        size_t within = (size_t)(from % PAGE_BYTES);
        size_t some = PAGE_BYTES - within < len ? PAGE_BYTES - within : len;
        const uint8_t *page = page_at(image->images, from - within);
        if (!page)
            return false;
        memcpy(to, page + within, some);
        to += some;
        from += some;
        len -= some;
    }
    return true;
}

/* Generated code of a 32-bit target ------------------------------------------------------------ */

static const struct range *range_at(struct um_images *images, uint32_t address)
{
    struct range range = {.begin = address, .end = (uint64_t)address + 1};
    for (size_t i = 0; i < images->range_count; i++)
        if (images->ranges[i].begin <= address && address < images->ranges[i].end)
            return &images->ranges[i];
    range.is_code = um_stopper->is_code(images->stopper, address, &range.begin, &range.end);
    if (!range.is_code && um_stopper->is_module(images->stopper, address))
        images->missed = address;
    if (images->range_count == UM_IMAGES_RANGES)
        images->range_count = 0;
    images->ranges[images->range_count] = range;
    return &images->ranges[images->range_count++];
}

static bool is_generated(void *context, uint32_t address)
{
    return range_at(context, address)->is_code;
}

static bool read_generated(void *context, uint32_t address, void *bytes, size_t len)
{
    struct um_images *images = context;
    return range_at(images, address)->is_code &&
           um_stopper->read(images->stopper, address, bytes, len);
}

void um_images_forget(struct um_images *images)
{
    images->range_count = 0;
}

uint32_t um_images_missed(const struct um_images *images)
{
    return images->missed;
}

/* The table ------------------------------------------------------------------------------------ */

/* Begins without modules. */
static void begin_anew(struct um_images *images)
{
    const struct um_modules_x86_elsewhere generated = {images, is_generated, read_generated};
    um_modules_init(&images->modules, images->entries, UM_IMAGES_MODULES, &images->elsewhere);
    um_modules_x86_deinit(&images->modules_x86);
    um_modules_x86_init(&images->modules_x86, images->entries_x86,
                        images->is_x86 ? UM_IMAGES_MODULES : 0, &generated);
    images->count = 0;
    images->missed = 0;
    um_images_forget(images);
}

enum um_status um_images_open(struct um_stopper *stopper, const struct um_unwind_code *elsewhere,
                              struct um_images **out)
{
    struct um_images *images = calloc(1, sizeof *images);
    if (!images)
        return UM_ERR_MEMORY;
    images->stopper = stopper;
    images->is_x86 = um_stopper->is_x86(stopper);
    if (elsewhere)
        images->elsewhere = *elsewhere;
    if (images->is_x86)
        images->entries_x86 = calloc(UM_IMAGES_MODULES, sizeof images->entries_x86[0]);
    if (images->is_x86 && !images->entries_x86) {
        free(images);
        return UM_ERR_MEMORY;
    }
    begin_anew(images);
    *out = images;
    return UM_OK;
}

void um_images_close(struct um_images *images)
{
    if (!images)
        return;
    um_modules_x86_deinit(&images->modules_x86);
    free(images->entries_x86);
    free(images);
}

static void add(struct um_images *images, const struct um_stopper_module *module)
{
    struct image *image = &images->known[images->count];
    struct um_pdata_source source = {image, read_image};
    int32_t index;
    *image = (struct image){images, *module};
    /* If it cannot be read or is for another processor it is left out, and walks stop at its
     * code. */
    enum um_status status =
        images->is_x86
            ? um_modules_x86_add(&images->modules_x86, (uint32_t)module->base, &source, &index)
            : um_modules_add(&images->modules, module->base, &source, &index);
    images->count += status == UM_OK;
}

void um_images_look(struct um_images *images)
{
    size_t count = um_stopper->modules(images->stopper, images->found, UM_IMAGES_MODULES);
    images->is_full = count == UM_IMAGES_MODULES;
    memset(images->page_addresses, 0, sizeof images->page_addresses);
    begin_anew(images);
    for (size_t i = 0; i < count && images->count < UM_IMAGES_MODULES; i++)
        add(images, &images->found[i]);
}

bool um_images_is_full(const struct um_images *images)
{
    return images->is_full;
}

struct um_unwind_code um_images_code(struct um_images *images)
{
    return um_modules_code(&images->modules);
}

struct um_unwind_x86_code um_images_code_x86(struct um_images *images)
{
    return um_modules_x86_code(&images->modules_x86);
}

bool um_images_begin(struct um_images *images, uint64_t address, uint64_t *begin)
{
    struct um_unwind_code code = um_images_code(images);
    struct um_unwind_function function;
    struct um_unwind_x86_code code_x86 = um_images_code_x86(images);
    uint32_t narrow;
    if (images->is_x86) {
        if (address > UINT32_MAX || !um_unwind_x86_begin(&code_x86, (uint32_t)address, &narrow))
            return false;
        *begin = narrow;
        return true;
    }
    if (code.find(code.context, address, &function) != UM_UNWIND_FOUND)
        return false;
    *begin = function.base + function.rva.begin_rva;
    return true;
}

const struct um_stopper_module *um_images_module_at(const struct um_images *images,
                                                    uint64_t address)
{
    for (size_t i = 0; i < images->count; i++)
        if (address - images->known[i].module.base < images->known[i].module.image_bytes)
            return &images->known[i].module;
    return NULL;
}

bool um_images_has(const struct um_images *images, uint64_t address)
{
    return um_images_module_at(images, address) != NULL;
}

const struct um_stopper_module *um_images_module(const struct um_images *images, int32_t index)
{
    bool there = index >= 0 && (size_t)index < images->count;
    return there ? &images->known[index].module : NULL;
}

uint32_t um_images_timestamp(struct um_images *images, int32_t index)
{
    uint8_t bytes[4];
    if (index < 0 || (size_t)index >= images->count ||
        !read_image(&images->known[index], HEADER_AT, bytes, sizeof bytes))
        return 0;
    uint32_t header = um_bytes_get32(bytes);
    if (header > PAGE_BYTES ||
        !read_image(&images->known[index], header + TIMESTAMP_AT, bytes, sizeof bytes))
        return 0;
    return um_bytes_get32(bytes);
}

bool um_images_read_timestamp(struct um_stopper *stopper, uint64_t base, uint32_t *timestamp)
{
    uint8_t bytes[4];
    if (!um_stopper->read(stopper, base + HEADER_AT, bytes, sizeof bytes))
        return false;
    uint32_t header = um_bytes_get32(bytes);
    if (header > PAGE_BYTES ||
        !um_stopper->read(stopper, base + header + TIMESTAMP_AT, bytes, sizeof bytes))
        return false;
    *timestamp = um_bytes_get32(bytes);
    return true;
}

bool um_images_is_there(struct um_images *images, int32_t index)
{
    const struct um_stopper_module *module = um_images_module(images, index);
    uint32_t timestamp;
    return module && um_images_read_timestamp(images->stopper, module->base, &timestamp) &&
           timestamp == um_images_timestamp(images, index);
}
