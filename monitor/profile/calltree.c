#include "monitor/profile/calltree.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"

struct identity {
    const struct um_calltree *tree;
    uint32_t parent;
    struct um_calltree_frame frame;
};

static bool is_node(const void *context, uint32_t index)
{
    const struct identity *wanted = context;
    const struct um_calltree_node *node = &wanted->tree->nodes[index];
    return node->parent == wanted->parent && node->key == wanted->frame.key &&
           node->folded == wanted->frame.folded;
}

static uint64_t hash_of(uint32_t parent, struct um_calltree_frame frame)
{
    return um_intern_mix(um_intern_mix(parent, frame.key), frame.folded);
}

static uint32_t find_child(const struct um_calltree *tree, uint32_t parent,
                           struct um_calltree_frame frame)
{
    struct identity wanted = {tree, parent, frame};
    return um_intern_find(&tree->table, hash_of(parent, frame), is_node, &wanted);
}

/* Makes room for `more` nodes, so that adding them cannot fail. */
static enum um_status reserve(struct um_calltree *tree, size_t more)
{
    if (more > tree->most - tree->count)
        return UM_ERR_TOO_LARGE;
    bool has_room = um_list_reserve(&tree->nodes, &tree->cap, tree->count + more, tree->most,
                                    sizeof *tree->nodes);
    return has_room && um_intern_reserve(&tree->table, more) ? UM_OK : UM_ERR_MEMORY;
}

static uint32_t append(struct um_calltree *tree, uint32_t parent, struct um_calltree_frame frame)
{
    uint32_t index = tree->count++;
    tree->nodes[index] = (struct um_calltree_node){
        .key = frame.key,
        .parent = parent,
        .first_child = UM_CALLTREE_NONE,
        .next_sibling = UM_CALLTREE_NONE,
        .folded = frame.folded,
    };
    if (parent == UM_CALLTREE_NONE)
        return index;
    tree->nodes[index].next_sibling = tree->nodes[parent].first_child;
    tree->nodes[parent].first_child = index;
    return index;
}

static uint32_t find_or_append(struct um_calltree *tree, uint32_t parent,
                               struct um_calltree_frame frame)
{
    uint32_t child = find_child(tree, parent, frame);
    if (child != UM_INTERN_NONE)
        return child;
    child = append(tree, parent, frame);
    um_intern_add(&tree->table, hash_of(parent, frame), child);
    return child;
}

enum um_status um_calltree_init(struct um_calltree *tree, uint32_t most_nodes)
{
    struct um_calltree made = {.most = most_nodes ? most_nodes : UM_CALLTREE_NODES};
    if (made.most < UM_CALLTREE_FIRST)
        return UM_ERR_ARG;
    enum um_status status = reserve(&made, UM_CALLTREE_FIRST);
    if (status != UM_OK) {
        um_calltree_deinit(&made);
        return status;
    }
    append(&made, UM_CALLTREE_NONE, (struct um_calltree_frame){0});
    append(&made, UM_CALLTREE_ROOT, (struct um_calltree_frame){0});
    *tree = made;
    return UM_OK;
}

void um_calltree_deinit(struct um_calltree *tree)
{
    free(tree->nodes);
    um_intern_deinit(&tree->table);
    memset(tree, 0, sizeof *tree);
}

void um_calltree_sum(struct um_calltree_cost *sum, const struct um_calltree_cost *cost)
{
    sum->samples += cost->samples;
    sum->wall_ns += cost->wall_ns;
    sum->user_ns += cost->user_ns;
    sum->kernel_ns += cost->kernel_ns;
}

/* How many frames, counted from the outermost, have nodes already. */
static size_t count_known(const struct um_calltree *tree, uint32_t start,
                          const struct um_calltree_frame *frames, size_t count)
{
    size_t known = 0;
    uint32_t at = start;
    for (; known < count; known++) {
        at = find_child(tree, at, frames[count - known - 1]);
        if (at == UM_INTERN_NONE)
            break;
    }
    return known;
}

static void count_sample(struct um_calltree *tree, uint32_t node,
                         const struct um_calltree_sample *sample)
{
    um_calltree_sum(&tree->nodes[node].top, &sample->cost);
    if (sample->top_folded)
        tree->nodes[node].top_folded += sample->cost.samples;
    for (uint32_t at = node; at != UM_CALLTREE_NONE; at = tree->nodes[at].parent)
        um_calltree_sum(&tree->nodes[at].all, &sample->cost);
    for (size_t i = 0; node >= UM_CALLTREE_FIRST; node = tree->nodes[node].parent, i++)
        if (sample->frames[i].guessed)
            tree->nodes[node].guessed += sample->cost.samples;
}

bool um_calltree_is_guess(const struct um_calltree_node *node)
{
    return node->guessed > 0 && node->guessed >= node->all.samples - node->guessed;
}

enum um_status um_calltree_add(struct um_calltree *tree, const struct um_calltree_sample *sample,
                               uint32_t *node)
{
    bool nothing = sample->frame_count == 0 && !sample->top_folded;
    bool cut = sample->cut || nothing || sample->frame_count > UM_CALLTREE_DEPTH;
    size_t count =
        sample->frame_count < UM_CALLTREE_DEPTH ? sample->frame_count : UM_CALLTREE_DEPTH;
    uint32_t at = cut ? UM_CALLTREE_CUT : UM_CALLTREE_ROOT;
    size_t known = count_known(tree, at, sample->frames, count);
    enum um_status status = reserve(tree, count - known);
    if (status != UM_OK) {
        um_calltree_sum(&tree->lost, &sample->cost);
        return status;
    }
    for (size_t i = count; i-- > 0;)
        at = find_or_append(tree, at, sample->frames[i]);
    count_sample(tree, at, sample);
    if (node)
        *node = at;
    return UM_OK;
}

size_t um_calltree_stack(const struct um_calltree *tree, uint32_t node,
                         struct um_calltree_frame *frames, bool *cut)
{
    size_t count = 0;
    for (; node >= UM_CALLTREE_FIRST; node = tree->nodes[node].parent)
        frames[count++] =
            (struct um_calltree_frame){.key = tree->nodes[node].key,
                                       .folded = tree->nodes[node].folded,
                                       .guessed = um_calltree_is_guess(&tree->nodes[node])};
    *cut = node == UM_CALLTREE_CUT;
    return count;
}
