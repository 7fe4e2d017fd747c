#include "monitor/sample/modules.h"

#include <string.h>

void um_modules_init(struct um_modules *modules, struct um_modules_entry *entries, size_t cap,
                     const struct um_unwind_code *elsewhere)
{
    memset(modules, 0, sizeof *modules);
    modules->entries = entries;
    modules->cap = cap < INT32_MAX ? cap : INT32_MAX;
    if (elsewhere)
        modules->elsewhere = *elsewhere;
}

/* How many modules begin at or below an address. */
static size_t count_up_to(const struct um_modules *modules, uint64_t address)
{
    size_t low = 0;
    size_t high = modules->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (modules->entries[middle].base <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool has_byte(const struct um_modules_entry *entry, uint64_t address)
{
    return address >= entry->base && address - entry->base < entry->pdata.image_bytes;
}

enum um_status um_modules_add(struct um_modules *modules, uint64_t base,
                              const struct um_pdata_source *source, int32_t *index)
{
    struct um_modules_entry added = {.base = base, .index = (int32_t)modules->count};
    if (modules->count == modules->cap)
        return UM_ERR_TOO_LARGE;
    enum um_status status = um_pdata_open(&added.pdata, source);
    if (status != UM_OK)
        return status;
    size_t at = count_up_to(modules, base);
    struct um_modules_entry *entry = modules->entries + at;
    if ((at > 0 && has_byte(entry - 1, base)) ||
        (at < modules->count && has_byte(&added, entry->base)))
        return UM_ERR_EXISTS;
    memmove(entry + 1, entry, (modules->count - at) * sizeof *entry);
    *entry = added;
    modules->count++;
    *index = added.index;
    return UM_OK;
}

/* The module that has an address, or NULL. */
static const struct um_modules_entry *module_at(const struct um_modules *modules, uint64_t address)
{
    size_t at = count_up_to(modules, address);
    if (at == 0 || !has_byte(&modules->entries[at - 1], address))
        return NULL;
    return &modules->entries[at - 1];
}

static enum um_unwind_answer find(void *context, uint64_t pc, struct um_unwind_function *function)
{
    const struct um_modules *modules = context;
    const struct um_modules_entry *entry = module_at(modules, pc);
    const struct um_unwind_code *elsewhere = &modules->elsewhere;
    if (!entry && elsewhere->find)
        return elsewhere->find(elsewhere->context, pc, function);
    function->base = entry ? entry->base : 0;
    function->module = entry ? entry->index : UM_UNWIND_NO_MODULE;
    if (!entry)
        return UM_UNWIND_NONE;
    switch (um_pdata_find(&entry->pdata, (uint32_t)(pc - entry->base), &function->rva)) {
    case UM_OK:
        return UM_UNWIND_FOUND;
    case UM_ERR_NOT_FOUND:
        return UM_UNWIND_NONE;
    case UM_ERR_FORMAT:
        return UM_UNWIND_UNREADABLE;
    default:
        return UM_UNWIND_UNKNOWN;
    }
}

static enum um_unwind_answer read_function(void *context, const struct um_unwind_function *function,
                                           uint32_t rva, void *bytes, size_t len)
{
    const struct um_modules *modules = context;
    const struct um_modules_entry *entry = module_at(modules, function->base);
    const struct um_unwind_code *elsewhere = &modules->elsewhere;
    if (!entry || function->module != entry->index)
        return elsewhere->read ? elsewhere->read(elsewhere->context, function, rva, bytes, len)
                               : UM_UNWIND_UNKNOWN;
    const struct um_pdata_source *source = &entry->pdata.source;
    return source->read(source->context, rva, bytes, len) ? UM_UNWIND_FOUND : UM_UNWIND_UNKNOWN;
}

struct um_unwind_code um_modules_code(struct um_modules *modules)
{
    return (struct um_unwind_code){.context = modules, .find = find, .read = read_function};
}
