#include "monitor/profile/functions.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/module_list.h"
#include "ipc/wire.h"

#define TEXT_MOST (UM_FUNCTIONS_TEXT - 1)

const char um_functions_nameless[] = "code without a name";

struct wanted {
    const struct um_functions *functions;
    const struct um_functions_name *name;
    uint64_t key;
};

static bool is_name(const void *context, uint32_t index)
{
    const struct wanted *wanted = context;
    const struct um_functions_name *name = &wanted->functions->names[index];
    return strcmp(name->name, wanted->name->name) == 0 &&
           strcmp(name->module, wanted->name->module) == 0 &&
           name->is_unknown == wanted->name->is_unknown;
}

static bool is_key(const void *context, uint32_t index)
{
    const struct wanted *wanted = context;
    return wanted->functions->addresses[index].key == wanted->key;
}

char *um_functions_copy_text(const char *text)
{
    size_t len = strlen(text);
    len = len < TEXT_MOST ? len : TEXT_MOST;
    while (len > 0 && ((unsigned char)text[len] & 0xc0) == 0x80) /* within a character */
        len--;
    char *copy = malloc(len + 1);
    if (!copy)
        return NULL;
    memcpy(copy, text, len);
    copy[len] = '\0';
    return copy;
}

static void free_name(struct um_functions_name *name)
{
    free((char *)name->module);
    free((char *)name->name);
    free((char *)name->file);
    free((char *)name->checksum);
}

static bool copy_name(struct um_functions_name *to, const struct um_functions_name *from)
{
    to->module = um_functions_copy_text(from->module ? from->module : "");
    to->name = um_functions_copy_text(from->name ? from->name : "");
    to->file = um_functions_copy_text(from->file ? from->file : "");
    to->checksum = um_functions_copy_text(from->checksum ? from->checksum : "");
    to->line = from->line;
    to->is_nearest = from->is_nearest;
    to->is_managed = from->is_managed;
    to->is_unknown = from->is_unknown;
    if (to->module && to->name && to->file && to->checksum)
        return true;
    free_name(to);
    return false;
}

static uint32_t intern_name(struct um_functions *functions, const struct um_functions_name *given)
{
    struct um_functions_name name;
    if (!copy_name(&name, given))
        return UM_FUNCTIONS_MORE;
    struct wanted wanted = {.functions = functions, .name = &name};
    uint64_t hash = um_intern_mix_text(um_intern_mix_text(0, name.module), name.name);
    uint32_t id = um_intern_find(&functions->by_name, hash, is_name, &wanted);
    if (id == UM_INTERN_NONE &&
        um_list_reserve(&functions->names, &functions->name_cap, functions->name_count + 1,
                        UM_FUNCTIONS_MOST, sizeof *functions->names) &&
        um_intern_reserve(&functions->by_name, 1)) {
        id = functions->name_count++;
        functions->names[id] = name;
        um_intern_add(&functions->by_name, hash, id);
        return id;
    }
    free_name(&name);
    return id == UM_INTERN_NONE ? UM_FUNCTIONS_MORE : id;
}

enum um_status um_functions_init(struct um_functions *functions, um_functions_look_up *look_up,
                                 void *context)
{
    memset(functions, 0, sizeof *functions);
    functions->look_up = look_up;
    functions->context = context;
    intern_name(functions, &(struct um_functions_name){.name = "(more functions)"});
    return functions->name_count == 1 ? UM_OK : UM_ERR_MEMORY;
}

void um_functions_deinit(struct um_functions *functions)
{
    for (uint32_t i = 0; i < functions->name_count; i++)
        free_name(&functions->names[i]);
    free(functions->names);
    free(functions->addresses);
    um_intern_deinit(&functions->by_name);
    um_intern_deinit(&functions->by_key);
    memset(functions, 0, sizeof *functions);
}

static void remember(struct um_functions *functions, uint64_t key, uint32_t id)
{
    if (!um_list_reserve(&functions->addresses, &functions->address_cap,
                         functions->address_count + 1, UM_FUNCTIONS_MOST * 4,
                         sizeof *functions->addresses) ||
        !um_intern_reserve(&functions->by_key, 1))
        return; /* the address is looked up again the next time */
    uint32_t index = functions->address_count++;
    functions->addresses[index] = (struct um_functions_address){key, id};
    um_intern_add(&functions->by_key, um_intern_mix(0, key), index);
}

uint32_t um_functions_of(struct um_functions *functions, uint64_t key)
{
    struct wanted wanted = {.functions = functions, .key = key};
    uint32_t index = um_intern_find(&functions->by_key, um_intern_mix(0, key), is_key, &wanted);
    if (index != UM_INTERN_NONE)
        return functions->addresses[index].function;
    struct um_functions_name name = {0};
    if (!functions->look_up || !functions->look_up(functions->context, key, &name) || !name.name ||
        name.name[0] == '\0')
        name.name = um_functions_nameless;
    uint32_t id = intern_name(functions, &name);
    remember(functions, key, id);
    return id;
}

const struct um_functions_name *um_functions_get(const struct um_functions *functions, uint32_t id)
{
    return &functions->names[id < functions->name_count ? id : UM_FUNCTIONS_MORE];
}

bool um_functions_address(const struct um_functions *functions, uint64_t key,
                          struct um_functions_name *name)
{
    return functions->look_up && functions->look_up(functions->context, key, name);
}

void um_functions_put_place(const char *file, uint32_t line, bool is_nearest, char *text,
                            size_t cap_bytes)
{
    snprintf(text, cap_bytes, "%s:%s%" PRIu32, file, is_nearest ? UM_WIRE_NEAREST : "", line);
}

bool um_functions_is_named(const struct um_functions_name *name)
{
    return name->name[0] != '+' && name->name[0] != '\0' &&
           strcmp(name->name, um_functions_nameless) != 0;
}

static struct um_functions_label join(const char *module_path, const char *name)
{
    struct um_functions_label label;
    size_t len;
    const char *module = um_module_list_stem(module_path, &len);
    int module_len = len < 64 ? (int)len : 64;
    bool joins = len > 0 && name[0] != '+';
    snprintf(label.text, sizeof label.text, "%.*s%s%s", module_len, module, joins ? "!" : "", name);
    return label;
}

struct um_functions_label um_functions_label(const struct um_functions *functions, uint32_t id)
{
    const struct um_functions_name *name = um_functions_get(functions, id);
    return join(name->module, name->name);
}

struct um_functions_label um_functions_lasting_label(const struct um_functions *functions,
                                                     uint32_t id)
{
    const struct um_functions_name *name = um_functions_get(functions, id);
    return join(name->module, um_functions_is_named(name) ? name->name : um_functions_nameless);
}
