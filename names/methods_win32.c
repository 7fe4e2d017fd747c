#include "names/methods_win32.h"

#include <stdlib.h>
#include <string.h>

#include "base/local_file_win32.h"
#include "base/plain/bytes.h"
#include "base/wide_win32.h"

#define KEPT 64        /* methods */
#define INSTANCES 32   /* of a method, that are looked at: one for each time it was compiled */
#define RANGES 8       /* of an instance */
#define EXTENTS 16     /* of a module, that are looked at */
#define MAP_MOST 16384 /* entries */
#define CALL_MOST 8    /* bytes of a call: a caller's address is within one */
#define HEADER_AT 0x3c /* where the offset of an image's PE header is */
#define TIMESTAMP_AT 8 /* in that header */
#define IMAGE_BYTES_AT 80
#define HEADER_MOST 4096 /* the PE header begins before that */

/* IL offsets that are none. */
#define NO_MAPPING UINT32_C(0xffffffff)
#define PROLOG UINT32_C(0xfffffffe)
#define EPILOG UINT32_C(0xfffffffd)

/* A method that was compiled. */
struct method {
    struct um_xclrdata_range ranges[RANGES];
    size_t range_count;
    uint32_t token;
    bool is_in_file;
    struct um_names_module assembly;
    struct um_xclrdata_map *map; /* NULL: there is none */
    size_t map_count;
    uint32_t *known; /* its IL offsets, in their order */
    size_t known_count;
};

static struct {
    struct method methods[KEPT]; /* a ring */
    size_t count;                /* how many there have been */
} kept;

static void release(struct method *method)
{
    free(method->map);
    free(method->known);
}

void um_methods_forget(void)
{
    for (size_t i = 0; i < KEPT; i++)
        release(&kept.methods[i]);
    memset(&kept, 0, sizeof kept);
}

static bool has_address(const struct method *method, uint64_t address)
{
    for (size_t i = 0; i < method->range_count; i++)
        if (address >= method->ranges[i].begin && address < method->ranges[i].end)
            return true;
    return false;
}

/* Asking --------------------------------------------------------------------------------------- */

static void read_ranges(struct um_xclrdata_method *instance, struct method *method)
{
    ULONG64 list = 0;
    method->range_count = 0;
    if (instance->table->begin_ranges(instance, &list) != S_OK)
        return;
    while (method->range_count < RANGES &&
           instance->table->next_range(instance, &list, &method->ranges[method->range_count]) ==
               S_OK)
        method->range_count++;
    instance->table->end_ranges(instance, list);
}

/* Reads the build from the headers in memory, so that the file is compared with it. Of an assembly
 * that NGen has compiled, .NET Framework loads another file, its native image; then only the PDB's
 * id says that the files belong together. */
static void read_build(um_methods_read *read, uint64_t base, struct um_names_module *assembly)
{
    uint8_t bytes[IMAGE_BYTES_AT + 4];
    if (base == 0 || !read(base + HEADER_AT, bytes, 4))
        return;
    uint32_t header = um_bytes_get32(bytes);
    if (header >= HEADER_MOST || !read(base + header, bytes, sizeof bytes))
        return;
    assembly->base = base;
    assembly->timestamp = um_bytes_get32(bytes + TIMESTAMP_AT);
    assembly->image_bytes = um_bytes_get32(bytes + IMAGE_BYTES_AT);
}

static void read_assembly(struct um_xclrdata_module *module, um_methods_read *read,
                          struct method *method)
{
    struct um_names_module *assembly = &method->assembly;
    static wchar_t path[UM_LOCAL_FILE_CHARS];
    struct um_xclrdata_extent extent = {0};
    ULONG64 list = 0;
    ULONG32 len = 0;

    memset(path, 0, sizeof path);
    /* An assembly that was loaded from bytes in memory has only a name. */
    method->is_in_file =
        module->table->get_file_name(module, UM_LOCAL_FILE_CHARS - 1, &len, path) == S_OK &&
        path[0] != L'\0';
    if (!method->is_in_file &&
        module->table->get_name(module, UM_LOCAL_FILE_CHARS - 1, &len, path) != S_OK)
        return;
    path[UM_LOCAL_FILE_CHARS - 1] = L'\0';
    um_wide_to_utf8(path, assembly->path, sizeof assembly->path);
    if (!method->is_in_file)
        return;
    if (module->table->begin_extents(module, &list) != S_OK)
        return;
    for (unsigned i = 0; i < EXTENTS && module->table->next_extent(module, &list, &extent) == S_OK;
         i++)
        if (extent.type == UM_XCLRDATA_FILE) {
            read_build(read, extent.base, assembly);
            break;
        }
    module->table->end_extents(module, list);
}

static void read_map(struct um_xclrdata_method *instance, struct method *method)
{
    ULONG32 needed = 0;
    if (instance->table->get_map(instance, 0, &needed, NULL) < 0 || needed == 0 ||
        needed > MAP_MOST)
        return;
    method->map = calloc(needed, sizeof *method->map);
    ULONG32 count = needed;
    if (method->map && instance->table->get_map(instance, count, &needed, method->map) >= 0)
        method->map_count = needed < count ? needed : count;
}

static int by_offset(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

/* Notes which IL offsets the map has. */
static void list_known(struct method *method)
{
    method->known = method->map_count > 0 ? calloc(method->map_count, sizeof *method->known) : NULL;
    for (size_t i = 0; method->known && i < method->map_count; i++)
        if (method->map[i].il_offset < EPILOG)
            method->known[method->known_count++] = method->map[i].il_offset;
    if (method->known)
        qsort(method->known, method->known_count, sizeof *method->known, by_offset);
}

static void read_method(struct um_xclrdata_method *instance, um_methods_read *read,
                        struct method *method)
{
    struct um_xclrdata_module *module = NULL;
    ULONG32 token = 0;
    if (instance->table->get_token(instance, &token, &module) < 0 || !module)
        return;
    method->token = token;
    read_assembly(module, read, method);
    module->table->release(module);
    if (method->is_in_file)
        read_map(instance, method);
    list_known(method);
}

/* Finds the instance of the method that contains the address, among those that the library gives
 * for it: all instances of a generic method, and those that the runtime has replaced. */
static bool ask(struct um_xclrdata_process *process, um_methods_read *read, uint64_t address,
                struct method *method)
{
    struct um_xclrdata_method *instance = NULL;
    ULONG64 list = 0;
    bool is_found = false;

    if (process->table->begin_methods(process, address, NULL, &list) != S_OK)
        return false;
    for (unsigned i = 0; i < INSTANCES && !is_found; i++) {
        if (process->table->next_method(process, &list, &instance) != S_OK || !instance)
            break;
        read_ranges(instance, method);
        is_found = has_address(method, address);
        if (is_found)
            read_method(instance, read, method);
        instance->table->release(instance);
        instance = NULL;
    }
    process->table->end_methods(process, list);
    return is_found;
}

static const struct method *find_method(struct um_xclrdata_process *process, um_methods_read *read,
                                        uint64_t address)
{
    for (size_t i = 0; i < KEPT; i++)
        if (has_address(&kept.methods[i], address))
            return &kept.methods[i];
    struct method method = {.range_count = 0};
    if (!ask(process, read, address, &method))
        return NULL;
    struct method *place = &kept.methods[kept.count++ % KEPT];
    release(place);
    *place = method;
    return place;
}

/* The offset ----------------------------------------------------------------------------------- */

/* Finds the entry that begins last at or before the address. Instructions that belong to no offset
 * count for the one before them. What is known of an entry is its first instruction; behind that,
 * there may be instructions whose own offset was lost. */
static bool find_offset(const struct method *method, uint64_t address,
                        struct um_runtime_place *place)
{
    const struct um_xclrdata_map *best = NULL;
    for (size_t i = 0; i < method->map_count; i++) {
        const struct um_xclrdata_map *entry = &method->map[i];
        if (entry->begin <= address && entry->il_offset != NO_MAPPING &&
            (!best || entry->begin >= best->begin))
            best = entry;
    }
    if (!best)
        return false;
    place->il_offset = best->il_offset == PROLOG ? 0 : best->il_offset;
    if (best->il_offset == EPILOG)
        place->il_offset = UINT32_MAX; /* behind all that the method does */
    place->is_known = address - best->begin < CALL_MOST;
    place->known = method->known;
    place->known_count = method->known_count;
    return true;
}

bool um_methods_find(struct um_xclrdata_process *process, um_methods_read *read, uint64_t address,
                     struct um_runtime_place *place)
{
    const struct method *method = find_method(process, read, address);
    if (!method)
        return false;
    place->is_in_file = method->is_in_file;
    place->assembly = method->assembly;
    if (find_offset(method, address, place))
        place->token = method->token;
    return place->token != 0;
}
