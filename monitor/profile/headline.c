#include "monitor/profile/headline.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/plain/text.h"
#include "base/short_name.h"
#include "base/utf8.h"
#include "base/module_list.h"

#define OWN "uimon-hook64,uimon-hook32"
#define NAME_COLUMNS 40
#define PLACES 64 /* of a method, that are told apart */

const char um_headline_system[] =
    "ntdll,kernel32,kernelbase,user32,win32u,gdi32,gdi32full,combase,ole32,rpcrt4,msvcrt,ucrtbase,"
    "clr,coreclr,hostpolicy,hostfxr,mscoreei,mscoree," OWN;

const char um_headline_stubs[] = "ILStubClass,DomainNeutralILStubClass,DomainBoundILStubClass";

/* Managed names of libraries that count as the system's. */
static const char system_names[] = "System,MS.Internal,MS.Win32";

static bool is_own(const struct um_functions_name *name)
{
    return um_module_list_has(OWN, name->module);
}

static bool is_system(const struct um_functions_name *name)
{
    return um_module_list_has(um_headline_system, name->module) ||
           (name->is_managed && (um_module_list_has_name(system_names, name->name) ||
                                 um_module_list_has_name(um_headline_stubs, name->name)));
}

static const char *name_of(const struct um_view *view, const struct um_calltree_node *node)
{
    return um_functions_get(view->functions, (uint32_t)node->key)->name;
}

/* Whether `a` is chosen before `b` among the children of a node. */
static bool is_before(const struct um_view *view, const struct um_calltree_node *a,
                      const struct um_calltree_node *b)
{
    if (a->all.wall_ns != b->all.wall_ns)
        return a->all.wall_ns > b->all.wall_ns;
    if (a->all.samples != b->all.samples)
        return a->all.samples > b->all.samples;
    int order = strcmp(name_of(view, a), name_of(view, b));
    return order != 0 ? order < 0 : !a->folded && b->folded;
}

/* The child that is in at least half of so much time, or UM_CALLTREE_NONE. */
static uint32_t common_child(const struct um_view *view, const struct um_calltree *tree,
                             uint32_t parent, uint64_t of_ns)
{
    const struct um_calltree_node *nodes = tree->nodes;
    uint32_t best = UM_CALLTREE_NONE;
    for (uint32_t i = nodes[parent].first_child; i != UM_CALLTREE_NONE; i = nodes[i].next_sibling) {
        if (i == UM_CALLTREE_CUT || nodes[i].all.wall_ns * 2 < of_ns)
            continue;
        if (best == UM_CALLTREE_NONE || is_before(view, &nodes[i], &nodes[best]))
            best = i;
    }
    return best;
}

/* The innermost node below `from` that is in at least half of so much time; `from`: there is
 * none. */
static uint32_t common_below(const struct um_view *view, const struct um_calltree *tree,
                             uint32_t from, uint64_t of_ns)
{
    uint32_t node = from;
    for (uint32_t child = from; child != UM_CALLTREE_NONE;
         child = common_child(view, tree, node, of_ns))
        node = child;
    return node;
}

/* Whether a function of the program is among a node and its callers. */
static bool has_other_than_system(const struct um_view *view, const struct um_calltree *tree,
                                  uint32_t node)
{
    for (; node >= UM_CALLTREE_FIRST; node = tree->nodes[node].parent)
        if (!is_system(um_functions_get(view->functions, (uint32_t)tree->nodes[node].key)))
            return true;
    return false;
}

/* What the samples have in common. */
struct common {
    uint32_t node;   /* the innermost one; below UM_CALLTREE_FIRST: none */
    bool is_of_read; /* half of those that were read to their end have it, but not half of all */
};

static struct common find_common(const struct um_view *view, const struct um_calltree *tree)
{
    uint64_t all_ns = tree->nodes[UM_CALLTREE_ROOT].all.wall_ns;
    uint64_t read_ns = all_ns - tree->nodes[UM_CALLTREE_CUT].all.wall_ns;
    uint32_t of_all = common_below(view, tree, UM_CALLTREE_ROOT, all_ns);
    if (of_all >= UM_CALLTREE_FIRST)
        return (struct common){of_all, false};
    uint32_t of_cut = common_below(view, tree, UM_CALLTREE_CUT, all_ns);
    uint32_t of_read = common_below(view, tree, UM_CALLTREE_ROOT, read_ns);
    if (of_read < UM_CALLTREE_FIRST || has_other_than_system(view, tree, of_cut))
        return (struct common){of_cut, false};
    return (struct common){of_read, true};
}

/* Appends a name to the text, with a mark in front, and its place where that is known. */
static void put(struct um_headline *headline, const char *mark, const char *name, const char *place)
{
    size_t used = strlen(headline->text);
    char shown[UM_HEADLINE_NAME_BYTES];
    um_utf8_fit(name, NAME_COLUMNS, shown, sizeof shown);
    bool has_place = place[0] != '\0';
    if (used + sizeof " ← " + strlen(mark) + strlen(shown) + strlen(place) + sizeof " ()" <=
        sizeof headline->text)
        snprintf(headline->text + used, sizeof headline->text - used, "%s%s%s%s%s%s",
                 used > 0 ? " ← " : "", mark, shown, has_place ? " (" : "", place,
                 has_place ? ")" : "");
}

/* A line of a method, and what the samples in it weigh. The file's text is copied: the view's may
 * not stay. */
struct place {
    char file[UM_HEADLINE_PLACE_BYTES - 13]; /* without its folder; a line takes the rest */
    uint32_t line;
    uint64_t wall_ns;
    uint64_t nearest_ns; /* of this, for how much the line is only the nearest one before */
};

static const char *name_of_file(const char *path)
{
    const char *name = path;
    for (; *path; path++)
        if (*path == '\\' || *path == '/')
            name = path + 1;
    return name;
}

/* Counts an address of the method, with a sample's weight. Returns how many places there are. */
static size_t count_place(const struct um_view *view, uint64_t key, uint64_t wall_ns,
                          struct place *places, size_t count)
{
    struct um_functions_name name;
    size_t i = 0;
    if (!um_functions_address(view->functions, key, &name) || name.line == 0 || !name.file)
        return count;
    const char *file = name_of_file(name.file);
    while (i < count && (places[i].line != name.line || strcmp(places[i].file, file) != 0))
        i++;
    if (i == PLACES || strlen(file) >= sizeof places[i].file)
        return count;
    if (i == count) {
        places[i] = (struct place){.line = name.line};
        um_text_set(places[i].file, sizeof places[i].file, file);
    }
    places[i].wall_ns += wall_ns;
    places[i].nearest_ns += name.is_nearest ? wall_ns : 0;
    return i == count ? count + 1 : count;
}

/* Fills in where most samples of a method are: in a sample its innermost frame counts. */
static void put_place(const struct um_view *view, uint32_t function, struct um_headline *headline)
{
    struct place places[PLACES];
    uint64_t keys[UM_CALLTREE_DEPTH];
    const struct place *best = NULL;
    size_t count = 0;

    for (size_t i = 0; i < view->samples->count; i++) {
        size_t frames = um_view_has(view, i) ? um_view_addresses(view, i, keys) : 0;
        size_t j = 0;
        while (j < frames && um_functions_of(view->functions, keys[j]) != function)
            j++;
        if (j < frames)
            count =
                count_place(view, keys[j], view->samples->entries[i].cost.wall_ns, places, count);
    }
    for (size_t i = 0; i < count; i++)
        if (!best || places[i].wall_ns > best->wall_ns)
            best = &places[i];
    if (best)
        um_functions_put_place(best->file, best->line,
                               best->nearest_ns >= best->wall_ns - best->nearest_ns,
                               headline->place, sizeof headline->place);
}

static void put_names(const struct um_view *view, const struct um_calltree *tree, uint32_t node,
                      bool system, struct um_headline *headline)
{
    bool guessed = false;
    uint32_t before = UM_FUNCTIONS_MORE;
    for (; node >= UM_CALLTREE_FIRST && headline->count < UM_HEADLINE_NAMES;
         node = tree->nodes[node].parent) {
        guessed |= um_calltree_is_guess(&tree->nodes[node]);
        uint32_t function = (uint32_t)tree->nodes[node].key;
        const struct um_functions_name *name = um_functions_get(view->functions, function);
        struct um_functions_label label = um_functions_label(view->functions, function);
        if (is_own(name) || (!system && is_system(name)))
            continue;
        bool is_named = um_functions_is_named(name);
        if (!is_named && function == before)
            continue;
        before = function;
        const char *shown = is_named ? name->name : label.text;
        um_utf8_fit(shown, UM_HEADLINE_NAME_BYTES, headline->names[headline->count],
                    UM_HEADLINE_NAME_BYTES);
        if (headline->count == 0 && name->is_managed)
            put_place(view, function, headline);
        put(headline, guessed ? UM_WIRE_GUESS : "", um_short_name(shown),
            headline->count == 0 ? headline->place : "");
        headline->guessed[headline->count++] = guessed;
        guessed = false;
    }
}

/* Fills in the system's function that the common stack ends in. */
static void put_call(const struct um_view *view, const struct um_calltree *tree, uint32_t node,
                     struct um_headline *headline)
{
    if (node < UM_CALLTREE_FIRST)
        return;
    uint32_t function = (uint32_t)tree->nodes[node].key;
    const struct um_functions_name *name = um_functions_get(view->functions, function);
    if (is_system(name) && !is_own(name) && um_functions_is_named(name))
        um_utf8_fit(name->name, UM_HEADLINE_NAME_BYTES, headline->call, sizeof headline->call);
}

static void put_counts(const struct um_calltree *tree, const struct common *common,
                       struct um_headline *headline)
{
    const struct um_calltree_node *nodes = tree->nodes;
    const struct um_calltree_cost *all = &nodes[UM_CALLTREE_ROOT].all;
    uint64_t cut_ns = nodes[UM_CALLTREE_CUT].all.wall_ns;
    headline->cut = um_samples_share(all->samples, cut_ns, all->wall_ns);
    headline->of = all->samples - (common->is_of_read ? headline->cut : 0);
    headline->is_of_read = common->is_of_read;
    if (common->node >= UM_CALLTREE_FIRST)
        headline->alike = um_samples_share(headline->of, nodes[common->node].all.wall_ns,
                                           all->wall_ns - (common->is_of_read ? cut_ns : 0));
}

enum um_status um_headline_make(const struct um_view *view, const char *message,
                                struct um_headline *headline)
{
    struct um_headline made = {.text = ""};
    struct um_calltree tree;
    enum um_status status = um_calltree_init(&tree, 0);
    if (status != UM_OK)
        return status;
    status = um_view_tree(view, &tree);
    if (status == UM_OK) {
        struct common common = find_common(view, &tree);
        put_counts(&tree, &common, &made);
        put_names(view, &tree, common.node, false, &made);
        put_call(view, &tree, common.node, &made);
        if (made.text[0] == '\0')
            put_names(view, &tree, common.node, true, &made);
        if (made.text[0] != '\0' && message && message[0] != '\0')
            put(&made, "", message, "");
        *headline = made;
    }
    um_calltree_deinit(&tree);
    return status;
}
