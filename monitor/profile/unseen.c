#include "monitor/profile/unseen.h"

#include <string.h>

#include "base/nearest.h"
#include "base/utf8.h"

#define NAME_BYTES 260 /* a name, or a folder's path */
#define NAMES 256      /* of modules among which the nearest one is looked for */
#define TOLD 3         /* entries at most */

struct names {
    char texts[NAMES][NAME_BYTES];
    const char *list[NAMES + 1]; /* of these, with NULL behind the last one */
    size_t count;
};

static void add_name(struct names *names, const char *module)
{
    size_t len;
    const char *stem = um_module_list_stem(module, &len);
    if (len == 0 || names->count == NAMES)
        return;
    char *text = names->texts[names->count];
    snprintf(text, NAME_BYTES, "%.*s", (int)(len < NAME_BYTES ? len : NAME_BYTES - 1), stem);
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->list[i], text) == 0)
            return;
    names->list[names->count++] = text;
    names->list[names->count] = NULL;
}

/* An entry as a list of its own: with quotes, because it may have a comma in it. */
struct entry {
    char list[NAME_BYTES + 3];
};

static const char *next_entry(const char *modules, struct entry *entry)
{
    const char *begin;
    size_t len;
    modules = um_module_list_next(modules, &begin, &len);
    entry->list[0] = '\0'; /* too long: nothing is said of it */
    if (modules && len <= NAME_BYTES)
        snprintf(entry->list, sizeof entry->list, "\"%.*s\"", (int)len, begin);
    return modules;
}

uint32_t um_unseen_find(const struct um_functions *functions, const char *modules)
{
    struct entry entry;
    uint32_t seen = 0, unseen = 0;
    for (uint32_t i = 0; i < functions->name_count; i++) {
        const struct um_functions_name *name = um_functions_get(functions, i);
        seen |= um_module_list_which(modules, name->module, name->is_managed ? name->name : "");
    }
    for (unsigned i = 0; i < UM_UNSEEN_ENTRIES && (modules = next_entry(modules, &entry)); i++)
        if (entry.list[0] != '\0')
            unseen |= UINT32_C(1) << i;
    return unseen & ~seen;
}

static struct um_utf8_shown show(const struct entry *entry)
{
    char text[NAME_BYTES + 3];
    snprintf(text, sizeof text, "%s", entry->list + 1);
    text[strlen(text) - 1] = '\0'; /* the quote at the end */
    return um_utf8_show(text, 60);
}

bool um_unseen_text(const struct um_functions *functions, const char *modules, unsigned entry,
                    char *text, size_t cap_bytes)
{
    static struct names names; /* too large for a stack */
    struct entry found = {"\"\""};
    const char *list = modules;
    for (unsigned i = 0; i <= entry && modules; i++)
        modules = next_entry(modules, &found);
    names.count = 0;
    names.list[0] = NULL;
    for (uint32_t i = 0; i < functions->name_count; i++)
        if (!um_module_list_has(list, um_functions_get(functions, i)->module))
            add_name(&names, um_functions_get(functions, i)->module);
    struct um_utf8_shown name = show(&found);
    const char *meant = um_nearest_find(name.text, names.list);
    um_nearest_text(name.text, meant, text, cap_bytes);
    return meant != NULL;
}

void um_unseen_join(const char *modules, uint32_t entries, char *text, size_t cap_bytes)
{
    struct entry entry;
    size_t len = 0;
    text[0] = '\0';
    for (unsigned i = 0; i < UM_UNSEEN_ENTRIES && (modules = next_entry(modules, &entry)); i++)
        if (entries >> i & 1 && len < cap_bytes)
            len += (size_t)snprintf(text + len, cap_bytes - len, "%s%s", len == 0 ? "" : ", ",
                                    show(&entry).text);
}

void um_unseen_write(const struct um_view *view, const char *modules, const char *indent, FILE *out)
{
    struct um_view all = *view;
    char text[256];
    size_t told = 0;

    all.only = all.hide = NULL;
    (void)um_view_number(&all);
    uint32_t unseen = um_unseen_find(all.functions, modules);
    for (unsigned i = 0; i < UM_UNSEEN_ENTRIES && told < TOLD; i++) {
        if (!(unseen >> i & 1))
            continue;
        (void)um_unseen_text(all.functions, modules, i, text, sizeof text);
        (void)fprintf(out, "%sno stack has %s\n", indent, text);
        told++;
    }
}
