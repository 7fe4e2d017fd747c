#include "monitor/sample/modules.h"

#include <string.h>

void um_modules_init(struct um_modules *modules, struct um_modules_entry *entries, size_t cap,
                     const struct um_unwind_code *elsewhere)
{
    memset(modules, 0, sizeof *modules);
    um_extents_init(&modules->extents, entries, sizeof *entries, cap);
    if (elsewhere)
        modules->elsewhere = *elsewhere;
}

enum um_status um_modules_add(struct um_modules *modules, uint64_t base,
                              const struct um_pdata_source *source, int32_t *index)
{
    struct um_modules_entry added = {.extent.base = base};
    if (um_extents_is_full(&modules->extents))
        return UM_ERR_TOO_LARGE;
    enum um_status status = um_pdata_open(&added.pdata, source);
    if (status != UM_OK)
        return status;
    added.extent.bytes = added.pdata.image_bytes;
    status = um_extents_add(&modules->extents, &added);
    if (status == UM_OK)
        *index = added.extent.index;
    return status;
}

static enum um_unwind_answer find(void *context, uint64_t pc, struct um_unwind_function *function)
{
    const struct um_modules *modules = context;
    const struct um_modules_entry *entry = um_extents_find(&modules->extents, pc);
    const struct um_unwind_code *elsewhere = &modules->elsewhere;
    if (!entry && elsewhere->find)
        return elsewhere->find(elsewhere->context, pc, function);
    function->base = entry ? entry->extent.base : 0;
    function->module = entry ? entry->extent.index : UM_UNWIND_NO_MODULE;
    if (!entry)
        return UM_UNWIND_NONE;
    switch (um_pdata_find(&entry->pdata, (uint32_t)(pc - entry->extent.base), &function->rva)) {
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
    const struct um_modules_entry *entry = um_extents_find(&modules->extents, function->base);
    const struct um_unwind_code *elsewhere = &modules->elsewhere;
    if (!entry || function->module != entry->extent.index)
        return elsewhere->read ? elsewhere->read(elsewhere->context, function, rva, bytes, len)
                               : UM_UNWIND_UNKNOWN;
    const struct um_pdata_source *source = &entry->pdata.source;
    return source->read(source->context, rva, bytes, len) ? UM_UNWIND_FOUND : UM_UNWIND_UNKNOWN;
}

struct um_unwind_code um_modules_code(struct um_modules *modules)
{
    return (struct um_unwind_code){.context = modules, .find = find, .read = read_function};
}
