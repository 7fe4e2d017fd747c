#include "monitor/profile/headline.h"

#include <stdio.h>
#include <string.h>

#include "monitor/base/short_name.h"
#include "monitor/base/utf8.h"
#include "monitor/profile/module_list.h"

#define NAME_COLUMNS 40

const char um_headline_system[] =
    "ntdll,kernel32,kernelbase,user32,win32u,gdi32,gdi32full,combase,ole32,rpcrt4,msvcrt,ucrtbase,"
    "clr,coreclr,hostpolicy,hostfxr,mscoreei,mscoree";

/* What is as much the system's among managed names: libraries, and what calls out of them. */
static const char system_names[] =
    "System,MS.Internal,MS.Win32,ILStubClass,DomainNeutralILStubClass";

static bool is_system(const struct um_functions_name *name)
{
    return um_module_list_has(um_headline_system, name->module) ||
           (name->is_managed && um_module_list_has_name(system_names, name->name));
}

static const char *name_of(const struct um_view *view, const struct um_calltree_node *node)
{
    return um_functions_get(view->functions, (uint32_t)node->key)->name;
}

/* Whether `a` goes before `b` among the children of a node. */
static bool is_before(const struct um_view *view, const struct um_calltree_node *a,
                      const struct um_calltree_node *b)
{
    if (a->all.samples != b->all.samples)
        return a->all.samples > b->all.samples;
    if (a->all.wall_ns != b->all.wall_ns)
        return a->all.wall_ns > b->all.wall_ns;
    int order = strcmp(name_of(view, a), name_of(view, b));
    return order != 0 ? order < 0 : !a->folded && b->folded;
}

/* The child that is in at least half of all samples, or UM_CALLTREE_NONE. */
static uint32_t common_child(const struct um_view *view, const struct um_calltree *tree,
                             uint32_t parent)
{
    const struct um_calltree_node *nodes = tree->nodes;
    uint32_t best = UM_CALLTREE_NONE;
    for (uint32_t i = nodes[parent].first_child; i != UM_CALLTREE_NONE; i = nodes[i].next_sibling) {
        if (i == UM_CALLTREE_CUT || nodes[i].all.samples * 2 < nodes[UM_CALLTREE_ROOT].all.samples)
            continue;
        if (best == UM_CALLTREE_NONE || is_before(view, &nodes[i], &nodes[best]))
            best = i;
    }
    return best;
}

static uint32_t common_node(const struct um_view *view, const struct um_calltree *tree)
{
    uint32_t node = UM_CALLTREE_ROOT;
    uint32_t child = common_child(view, tree, node);
    for (; child != UM_CALLTREE_NONE; child = common_child(view, tree, node))
        node = child;
    if (node != UM_CALLTREE_ROOT)
        return node;
    /* Stacks whose outer ends were not read can still begin alike. */
    for (node = UM_CALLTREE_CUT;; node = child) {
        child = common_child(view, tree, node);
        if (child == UM_CALLTREE_NONE)
            return node;
    }
}

/* Adds to the text. */
static void put(struct um_headline *headline, const char *name)
{
    size_t used = strlen(headline->text);
    char shown[UM_HEADLINE_NAME_BYTES];
    um_utf8_fit(name, NAME_COLUMNS, shown, sizeof shown);
    if (used + strlen(shown) + sizeof " ← " <= sizeof headline->text)
        snprintf(headline->text + used, sizeof headline->text - used, "%s%s", used > 0 ? " ← " : "",
                 shown);
}

static void put_names(const struct um_view *view, const struct um_calltree *tree, uint32_t node,
                      bool system, struct um_headline *headline)
{
    for (; node >= UM_CALLTREE_FIRST && headline->count < UM_HEADLINE_NAMES;
         node = tree->nodes[node].parent) {
        uint32_t function = (uint32_t)tree->nodes[node].key;
        const struct um_functions_name *name = um_functions_get(view->functions, function);
        struct um_functions_label label = um_functions_label(view->functions, function);
        if (!system && is_system(name))
            continue;
        const char *shown = name->name[0] == '+' ? label.text : name->name;
        um_utf8_fit(shown, UM_HEADLINE_NAME_BYTES, headline->names[headline->count],
                    UM_HEADLINE_NAME_BYTES);
        headline->count++;
        put(headline, um_short_name(shown));
    }
}

/* Names the call of the system's that the stack ends in. */
static void put_call(const struct um_view *view, const struct um_calltree *tree, uint32_t node,
                     struct um_headline *headline)
{
    if (node < UM_CALLTREE_FIRST)
        return;
    uint32_t function = (uint32_t)tree->nodes[node].key;
    const struct um_functions_name *name = um_functions_get(view->functions, function);
    if (is_system(name) && name->name[0] != '+')
        um_utf8_fit(name->name, UM_HEADLINE_NAME_BYTES, headline->call, sizeof headline->call);
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
        uint32_t node = common_node(view, &tree);
        made.of = tree.nodes[UM_CALLTREE_ROOT].all.samples;
        made.cut = tree.nodes[UM_CALLTREE_CUT].all.samples;
        made.samples = node >= UM_CALLTREE_FIRST ? tree.nodes[node].all.samples : 0;
        put_names(view, &tree, node, false, &made);
        put_call(view, &tree, node, &made);
        if (made.text[0] == '\0')
            put_names(view, &tree, node, true, &made);
        if (made.text[0] != '\0' && message && message[0] != '\0')
            put(&made, message);
        *headline = made;
    }
    um_calltree_deinit(&tree);
    return status;
}
