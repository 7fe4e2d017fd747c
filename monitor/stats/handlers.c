#include "monitor/stats/handlers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/plain/text.h"
#include "ipc/names.h"
#include "base/list.h"
#include "base/utf8.h"

struct handler {
    uint64_t key;
    char name[UM_HANDLERS_NAME_BYTES]; /* "": not known */
};

struct um_handlers {
    struct handler *list;
    uint32_t count;
    size_t cap;
    char *modules[UM_HANDLERS_MODULES]; /* names of their files; NULL: no MODULE has come */
    uint32_t module_end;                /* all of them from here on are NULL */
};

enum um_status um_handlers_open(struct um_handlers **out)
{
    struct um_handlers *handlers = calloc(1, sizeof *handlers);
    if (!handlers)
        return UM_ERR_MEMORY;
    *out = handlers;
    return UM_OK;
}

void um_handlers_close(struct um_handlers *handlers)
{
    if (!handlers)
        return;
    for (uint32_t i = 0; i < handlers->module_end; i++)
        free(handlers->modules[i]);
    free(handlers->list);
    free(handlers);
}

static uint32_t find(const struct um_handlers *handlers, uint64_t key)
{
    for (uint32_t i = 0; i < handlers->count; i++)
        if (handlers->list[i].key == key)
            return i;
    return UM_HANDLERS_NONE;
}

uint32_t um_handlers_add(struct um_handlers *handlers, uint64_t key)
{
    if (key == 0)
        return UM_HANDLERS_NONE;
    uint32_t found = find(handlers, key);
    if (found != UM_HANDLERS_NONE)
        return found;
    if (!um_list_reserve(&handlers->list, &handlers->cap, handlers->count + (size_t)1,
                         UM_HANDLERS_MOST, sizeof handlers->list[0]))
        return UM_HANDLERS_NONE;
    handlers->list[handlers->count] = (struct handler){.key = key};
    return handlers->count++;
}

static void take_name(struct um_handlers *handlers, const struct um_wire_name *name)
{
    uint32_t found = find(handlers, name->key);
    if (found == UM_HANDLERS_NONE || name->kind == UM_NAMES_NOWHERE || name->name[0] == '\0')
        return;
    struct handler *handler = &handlers->list[found];
    (void)um_utf8_fit(name->name, sizeof handler->name - 1, handler->name, sizeof handler->name);
}

static void take_module(struct um_handlers *handlers, const struct um_wire_module *module)
{
    const char *file = module->path;
    if (module->number >= UM_HANDLERS_MODULES)
        return;
    for (const char *at = module->path; *at; at++)
        if (*at == '\\' || *at == '/')
            file = at + 1;
    char *copy = malloc(UM_HANDLERS_NAME_BYTES);
    if (!copy)
        return;
    (void)um_utf8_fit(file, UM_HANDLERS_NAME_BYTES - 1, copy, UM_HANDLERS_NAME_BYTES);
    free(handlers->modules[module->number]);
    handlers->modules[module->number] = copy;
    if (handlers->module_end <= module->number)
        handlers->module_end = module->number + 1;
}

void um_handlers_take(struct um_handlers *handlers, const struct um_wire_frame *frame)
{
    if (frame->type == UM_WIRE_MODULE)
        take_module(handlers, &frame->as.module);
    else if (frame->type == UM_WIRE_NAME)
        take_name(handlers, &frame->as.name);
}

void um_handlers_text(const struct um_handlers *handlers, uint32_t number, char *buf,
                      size_t cap_bytes)
{
    buf[0] = '\0';
    if (number >= handlers->count)
        return;
    const struct handler *handler = &handlers->list[number];
    uint64_t module = handler->key >> 48;
    uint64_t offset = handler->key & UINT64_C(0xffffffffffff);
    const char *file =
        module > 0 && module <= UM_HANDLERS_MODULES ? handlers->modules[module - 1] : NULL;
    if (handler->name[0] != '\0')
        um_text_set(buf, cap_bytes, handler->name);
    else if (file)
        (void)snprintf(buf, cap_bytes, "%s+0x%" PRIx64, file, offset);
    else if (module > 0)
        (void)snprintf(buf, cap_bytes, "module %" PRIu64 "+0x%" PRIx64, module - 1, offset);
    else
        (void)snprintf(buf, cap_bytes, "0x%" PRIx64, offset);
}
