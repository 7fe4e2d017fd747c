#include "monitor/sample/images.h"

#include <stdlib.h>
#include <string.h>

#include "ipc/bytes.h"

#define PAGE_BYTES 4096U

/* Source: "PE Format", Microsoft Learn. */
#define HEADER_AT 0x3c /* where the offset of the signature is */
#define TIMESTAMP_AT 8 /* from the signature on */

/* A page that was read, in a table by hash: its place follows from its address. A later page that
 * falls on the same place takes it over. */
struct page {
    uint64_t address; /* 0: nothing was read here */
    uint8_t bytes[PAGE_BYTES];
};

struct image {
    struct um_images *images;
    struct um_stopper_module module;
};

struct um_images {
    struct um_images_source source;
    bool is_full; /* at the last look */
    struct um_modules modules;
    struct um_modules_entry entries[UM_IMAGES_MODULES];
    struct image known[UM_IMAGES_MODULES]; /* by the index that um_modules_add gave */
    struct um_stopper_module found[UM_IMAGES_MODULES];
    struct page pages[UM_IMAGES_PAGES];
};

/* The page at an address; NULL if it cannot be read. */
static const struct page *page_at(struct um_images *images, uint64_t address)
{
    /* Knuth's multiplicative hash (The Art of Computer Programming, volume 3, 6.4). */
    uint64_t hash = (address / PAGE_BYTES) * UINT64_C(0x9e3779b97f4a7c15);
    struct page *page = &images->pages[hash >> 32 & (UM_IMAGES_PAGES - 1)];
    if (page->address == address)
        return page;
    page->address = 0;
    if (!images->source.read(images->source.context, address, page->bytes, PAGE_BYTES))
        return NULL;
    page->address = address;
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
        const struct page *page = page_at(image->images, from - within);
        if (!page)
            return false;
        memcpy(to, page->bytes + within, some);
        to += some;
        from += some;
        len -= some;
    }
    return true;
}

enum um_status um_images_open(const struct um_images_source *source, struct um_images **out)
{
    struct um_images *images = calloc(1, sizeof *images);
    if (!images)
        return UM_ERR_MEMORY;
    images->source = *source;
    um_modules_init(&images->modules, images->entries, UM_IMAGES_MODULES,
                    &images->source.elsewhere);
    *out = images;
    return UM_OK;
}

void um_images_close(struct um_images *images)
{
    free(images);
}

/* What lies at an address may be another module by now, or the same one built anew. */
static void forget_pages(struct um_images *images)
{
    for (size_t i = 0; i < UM_IMAGES_PAGES; i++)
        images->pages[i].address = 0;
}

static void add(struct um_images *images, const struct um_stopper_module *module)
{
    struct image *image = &images->known[images->modules.count];
    struct um_pdata_source source = {image, read_image};
    int32_t index;
    *image = (struct image){images, *module};
    /* One that cannot be read or is no x64 image stays out: walks stop at its code. */
    (void)um_modules_add(&images->modules, module->base, &source, &index);
}

void um_images_look(struct um_images *images)
{
    size_t count = images->source.modules(images->source.context, images->found, UM_IMAGES_MODULES);
    images->is_full = count == UM_IMAGES_MODULES;
    forget_pages(images);
    um_modules_init(&images->modules, images->entries, UM_IMAGES_MODULES,
                    &images->source.elsewhere);
    for (size_t i = 0; i < count && images->modules.count < UM_IMAGES_MODULES; i++)
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

bool um_images_has(const struct um_images *images, uint64_t address)
{
    for (size_t i = 0; i < images->modules.count; i++)
        if (address - images->known[i].module.base < images->known[i].module.image_bytes)
            return true;
    return false;
}

const struct um_stopper_module *um_images_module(const struct um_images *images, int32_t index)
{
    bool there = index >= 0 && (size_t)index < images->modules.count;
    return there ? &images->known[index].module : NULL;
}

uint32_t um_images_timestamp(struct um_images *images, int32_t index)
{
    uint8_t bytes[4];
    if (index < 0 || (size_t)index >= images->modules.count ||
        !read_image(&images->known[index], HEADER_AT, bytes, sizeof bytes))
        return 0;
    uint32_t header = um_bytes_get32(bytes);
    if (header > PAGE_BYTES ||
        !read_image(&images->known[index], header + TIMESTAMP_AT, bytes, sizeof bytes))
        return 0;
    return um_bytes_get32(bytes);
}

bool um_images_is_there(struct um_images *images, int32_t index)
{
    const struct um_stopper_module *module = um_images_module(images, index);
    const struct um_images_source *source = &images->source;
    uint8_t bytes[4];
    if (!module || !source->read(source->context, module->base + HEADER_AT, bytes, sizeof bytes))
        return false;
    uint32_t header = um_bytes_get32(bytes);
    return header <= PAGE_BYTES &&
           source->read(source->context, module->base + header + TIMESTAMP_AT, bytes,
                        sizeof bytes) &&
           um_bytes_get32(bytes) == um_images_timestamp(images, index);
}
