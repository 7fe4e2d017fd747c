#include "base/module_list.h"

#include <string.h>

#include "base/utf8.h"

/* The next character as Windows compares paths: in lower case, with one kind of slash. */
static uint32_t folded(const char **text)
{
    uint32_t character = um_utf8_fold(um_utf8_next(text));
    return character == '\\' ? '/' : character;
}

/* Whether `text` begins with the `len` bytes of `part`; `rest` is what follows. */
static bool begins_with(const char *text, const char *part, size_t len, const char **rest)
{
    const char *end = part + len;
    while (part < end)
        if (folded(&part) != folded(&text))
            return false;
    *rest = text;
    return true;
}

/* The length of a name without ".exe" or ".dll". */
static size_t stem_len_of(const char *name, size_t len)
{
    const char *rest;
    bool has_end = len > 4 && (begins_with(name + len - 4, ".exe", 4, &rest) ||
                               begins_with(name + len - 4, ".dll", 4, &rest));
    return has_end ? len - 4 : len;
}

const char *um_module_list_file(const char *module)
{
    const char *name = module;
    for (const char *at = module; *at; at++)
        if (*at == '/' || *at == '\\')
            name = at + 1;
    return name;
}

const char *um_module_list_stem(const char *module, size_t *len_bytes)
{
    const char *name = um_module_list_file(module);
    *len_bytes = stem_len_of(name, strlen(name));
    return name;
}

const char *um_module_list_next(const char *list, const char **entry, size_t *len_bytes)
{
    while (*(list += strspn(list, " ,"))) {
        bool quoted = *list == '"';
        const char *begin = list + quoted;
        size_t len = strcspn(begin, quoted ? "\"" : ",");
        list = begin + len;
        list += *list == '"';
        while (len > 0 && begin[len - 1] == ' ')
            len--;
        if (len > 0) {
            *entry = begin;
            *len_bytes = len;
            return list;
        }
    }
    return NULL;
}

static bool is_entry(const char *module, const char *entry, size_t len)
{
    const char *rest;
    if (memchr(entry, '/', len) || memchr(entry, '\\', len)) {
        bool slash = entry[len - 1] == '/' || entry[len - 1] == '\\';
        return begins_with(module, entry, len, &rest) && (slash || *rest == '/' || *rest == '\\');
    }
    size_t stem_len;
    const char *stem = um_module_list_stem(module, &stem_len);
    if (stem[stem_len] == '\0') /* as the name of an assembly that came from no file */
        len = stem_len_of(entry, len);
    if (!begins_with(stem, entry, len, &rest))
        return false;
    return rest == stem + stem_len || *rest == '\0';
}

static bool is_name_entry(const char *name, const char *entry, size_t len)
{
    const char *rest;
    if (memchr(entry, '/', len) || memchr(entry, '\\', len) ||
        !begins_with(name, entry, len, &rest))
        return false;
    return *rest == '\0' || strchr(".+`[(", *rest);
}

/* Whether `is_in` is true of `text` and any entry of the list. */
static bool has_entry(const char *list, const char *text,
                      bool (*is_in)(const char *text, const char *entry, size_t len))
{
    const char *entry;
    size_t len;
    if (!list || text[0] == '\0')
        return false;
    while ((list = um_module_list_next(list, &entry, &len)))
        if (is_in(text, entry, len))
            return true;
    return false;
}

bool um_module_list_has(const char *list, const char *module)
{
    return has_entry(list, module, is_entry);
}

bool um_module_list_has_name(const char *list, const char *name)
{
    return has_entry(list, name, is_name_entry);
}

bool um_module_list_has_method(const char *list, const char *module, const char *name)
{
    return um_module_list_has(list, module) || um_module_list_has_name(list, name);
}

uint32_t um_module_list_which(const char *list, const char *module, const char *name)
{
    const char *entry;
    size_t len;
    uint32_t which = 0;
    for (unsigned i = 0;
         i < UM_MODULE_LIST_BITS && list && (list = um_module_list_next(list, &entry, &len)); i++)
        if ((module[0] != '\0' && is_entry(module, entry, len)) ||
            (name[0] != '\0' && is_name_entry(name, entry, len)))
            which |= UINT32_C(1) << i;
    return which;
}
