#include "monitor/profile/unseen.h"

#include <string.h>

#include "base/module_list.h"
#include "base/nearest.h"
#include "base/utf8.h"

#define NAME_BYTES 128
#define NAMES 256 /* of modules among which the nearest one is looked for */
#define TOLD 3    /* entries at most */

struct names {
    char texts[NAMES][NAME_BYTES];
    const char *list[NAMES + 1];
    size_t count;
};

static void add_name(struct names *names, const char *module)
{
    size_t len;
    const char *stem = um_module_list_stem(module, &len);
    char *text = names->texts[names->count];
    if (len == 0 || names->count == NAMES)
        return;
    snprintf(text, NAME_BYTES, "%.*s", (int)(len < NAME_BYTES ? len : NAME_BYTES - 1), stem);
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->list[i], text) == 0)
            return;
    names->list[names->count++] = text;
    names->list[names->count] = NULL;
}

/* Whether any function is of the entry, which is a list of its own. Collects the modules. */
static bool is_seen(const struct um_functions *functions, const char *entry, struct names *names)
{
    names->count = 0;
    names->list[0] = NULL;
    for (uint32_t i = 0; i < functions->name_count; i++) {
        const struct um_functions_name *name = um_functions_get(functions, i);
        if (um_module_list_has(entry, name->module) ||
            (name->is_managed && um_module_list_has_name(entry, name->name)))
            return true;
        add_name(names, name->module);
    }
    return false;
}

void um_unseen_write(const struct um_view *view, const char *modules, const char *indent, FILE *out)
{
    static struct names names; /* too large for a stack */
    struct um_calltree_frame frames[UM_CALLTREE_DEPTH];
    struct um_calltree_sample sample;
    struct um_view all = *view;
    char entry[NAME_BYTES + 3];
    const char *begin;
    size_t len, told = 0;

    all.only = all.hide = NULL;
    for (size_t i = 0; i < view->samples->count; i++)
        (void)um_view_sample(&all, i, frames, &sample); /* names the functions in it */
    while (told < TOLD && (modules = um_module_list_next(modules, &begin, &len))) {
        int most = (int)(len < NAME_BYTES ? len : NAME_BYTES);
        snprintf(entry, sizeof entry, "\"%.*s\"", most, begin);
        if (is_seen(all.functions, entry, &names))
            continue;
        entry[most + 1] = '\0';
        const char *meant = um_nearest_find(entry + 1, names.list);
        (void)fprintf(out, "%sno stack has %s", indent, um_utf8_show(entry + 1, 60).text);
        if (meant)
            (void)fprintf(out, "; did you mean %s?", um_utf8_show(meant, 60).text);
        (void)fputc('\n', out);
        told++;
    }
}
