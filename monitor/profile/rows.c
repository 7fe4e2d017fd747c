#include "monitor/profile/rows.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "monitor/base/short_name.h"
#include "monitor/base/utf8.h"

#define BAR 10
#define INDENT_MOST 24
#define NAME_BYTES 1024
#define NARROWEST 40
#define BEFORE_NAME 22 /* columns of share and bar, with the blanks around them */

uint64_t um_rows_value(const struct um_calltree_node *node, enum um_rows_by by)
{
    switch (by) {
    case UM_ROWS_SELF:
        return node->top.samples;
    case UM_ROWS_WALL:
        return node->all.wall_ns;
    case UM_ROWS_CPU:
        return node->all.user_ns + node->all.kernel_ns;
    case UM_ROWS_COUNT:
        return node->freezes;
    default:
        return node->all.samples;
    }
}

static uint32_t depth_of(const struct um_calltree *tree, uint32_t node)
{
    uint32_t depth = 0;
    for (uint32_t at = tree->nodes[node].parent; at != UM_CALLTREE_ROOT; depth++)
        at = tree->nodes[at].parent;
    return depth;
}

/* Puts a node in its place among the largest. An earlier node stays in front of an equal one, and
 * a caller is always earlier. */
static size_t insert(const struct um_calltree *tree, enum um_rows_by by, struct um_rows_row row,
                     struct um_rows_row *rows, size_t count, size_t most)
{
    uint64_t value = um_rows_value(&tree->nodes[row.node], by);
    size_t at = count;
    while (at > 0) {
        const struct um_rows_row *above = &rows[at - 1];
        uint64_t above_value = um_rows_value(&tree->nodes[above->node], by);
        if (above_value > value || (above_value == value && above->depth <= row.depth))
            break;
        at--;
    }
    if (at == most)
        return count;
    size_t kept = count < most ? count : most - 1;
    memmove(rows + at + 1, rows + at, (kept - at) * sizeof *rows);
    rows[at] = row;
    return kept + 1;
}

/* Appends the rows below `parent`, which are sorted by their values, in the order of the tree. */
static void put_in_order(const struct um_calltree *tree, const struct um_rows_row *rows,
                         size_t count, uint32_t parent, struct um_rows_row *ordered, size_t *used)
{
    uint32_t path[UM_ROWS_MOST + 1] = {parent};
    size_t next[UM_ROWS_MOST + 1] = {0};
    size_t depth = 0;
    for (;;) {
        size_t i = next[depth];
        while (i < count && tree->nodes[rows[i].node].parent != path[depth])
            i++;
        if (i == count && depth == 0)
            return;
        if (i == count) {
            depth--;
            continue;
        }
        next[depth] = i + 1;
        ordered[(*used)++] = rows[i];
        path[++depth] = rows[i].node;
        next[depth] = 0;
    }
}

size_t um_rows_pick(const struct um_calltree *tree, enum um_rows_by by, size_t most,
                    struct um_rows_row *rows)
{
    struct um_rows_row largest[UM_ROWS_MOST];
    size_t count = 0, used = 0;
    most = most < UM_ROWS_MOST ? most : UM_ROWS_MOST;
    for (uint32_t i = UM_CALLTREE_CUT; i < tree->count && most > 0; i++) {
        struct um_rows_row row = {.node = i, .depth = depth_of(tree, i)};
        if (um_rows_value(&tree->nodes[i], by) > 0)
            count = insert(tree, by, row, largest, count, most);
    }
    if (by != UM_ROWS_SELF) {
        put_in_order(tree, largest, count, UM_CALLTREE_ROOT, rows, &used);
        return used;
    }
    for (size_t i = 0; i < count; i++)
        rows[i] = (struct um_rows_row){.node = largest[i].node};
    return count;
}

static void name_node(const struct um_calltree *tree, const struct um_functions *functions,
                      uint32_t node, char *name, size_t cap_bytes)
{
    const struct um_calltree_node *shown = &tree->nodes[node];
    const char *mark = shown->folded ? "> " : "";
    if (node == UM_CALLTREE_CUT)
        snprintf(name, cap_bytes, "(stack not read)");
    else if (functions)
        snprintf(name, cap_bytes, "%s%s", mark,
                 um_functions_label(functions, (uint32_t)shown->key).text);
    else
        snprintf(name, cap_bytes, "%s0x%" PRIx64, mark, shown->key);
}

/* A name that is too long for the line loses namespaces, and then its end. */
static void fit_name(const char *name, size_t columns, char *shown, size_t cap_bytes)
{
    char shorter[NAME_BYTES];
    const char *module_end = strchr(name, '!');
    const char *function = module_end ? module_end + 1 : name;
    if (um_utf8_columns(name) > columns) {
        snprintf(shorter, sizeof shorter, "%.*s%s", (int)(function - name), name,
                 um_short_name(function));
        name = shorter;
    }
    um_utf8_fit(name, columns, shown, cap_bytes);
}

static void put_row(const struct um_calltree *tree, const struct um_functions *functions,
                    double share, const struct um_rows_row *row, size_t columns, FILE *out)
{
    char name[NAME_BYTES], shown[NAME_BYTES];
    size_t bar = (size_t)(share * BAR + 0.5);
    size_t indent = row->depth < INDENT_MOST ? row->depth : INDENT_MOST;
    name_node(tree, functions, row->node, name, sizeof name);
    fit_name(name, columns - BEFORE_NAME - indent < columns ? columns - BEFORE_NAME - indent : 1,
             shown, sizeof shown);
    fprintf(out, "%6.1f %%  %.*s%*s  %*s%s\n", share * 100, (int)bar, "##########",
            (int)(BAR - bar), "", (int)indent, "", shown);
}

enum um_status um_rows_write(const struct um_calltree *tree, const struct um_functions *functions,
                             enum um_rows_by by, size_t most, size_t columns, FILE *out)
{
    struct um_rows_row rows[UM_ROWS_MOST];
    enum um_rows_by whole_by = by == UM_ROWS_SELF ? UM_ROWS_SAMPLES : by;
    uint64_t whole = um_rows_value(&tree->nodes[UM_CALLTREE_ROOT], whole_by);
    size_t count = um_rows_pick(tree, by, most, rows);
    bool folded = false;
    columns = columns > NARROWEST ? columns : NARROWEST;
    for (size_t i = 0; i < count; i++) {
        uint64_t value = um_rows_value(&tree->nodes[rows[i].node], by);
        put_row(tree, functions, (double)value / (double)whole, &rows[i], columns, out);
        folded |= tree->nodes[rows[i].node].folded;
    }
    if (folded)
        fprintf(out, "> called through functions that are not shown\n");
    if (tree->lost.samples > 0)
        fprintf(out, "%" PRIu64 " samples are missing: there was no room for their stacks\n",
                tree->lost.samples);
    return fflush(out) == 0 && !ferror(out) ? UM_OK : UM_ERR_IO;
}
