#include "monitor/profile/rows.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "base/short_name.h"
#include "base/utf8.h"
#include "ipc/wire.h"

#define MOST 100
#define BAR 10
#define INDENT_MOST 24
#define NAME_BYTES 1024
#define NARROWEST 40
#define BEFORE_NAME 22 /* columns of share and bar, with the blanks around them */

struct row {
    uint32_t node;
    uint32_t depth; /* how many nodes are above it, without the root */
};

static uint32_t depth_of(const struct um_calltree *tree, uint32_t node)
{
    uint32_t depth = 0;
    for (uint32_t at = tree->nodes[node].parent; at != UM_CALLTREE_ROOT; depth++)
        at = tree->nodes[at].parent;
    return depth;
}

/* Inserts a node among the largest. Of equal nodes the earlier one stays in front. */
static size_t insert(const struct um_calltree *tree, struct row row, struct row *rows, size_t count,
                     size_t most)
{
    uint64_t weight_ns = tree->nodes[row.node].all.wall_ns;
    size_t at = count;
    while (at > 0) {
        uint64_t above_ns = tree->nodes[rows[at - 1].node].all.wall_ns;
        if (above_ns > weight_ns || (above_ns == weight_ns && rows[at - 1].depth <= row.depth))
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

/* Puts the rows, which are sorted by their weights, in the order of the tree. No node has more
 * weight than its caller, so each row's caller is a row, too. */
static void put_in_order(const struct um_calltree *tree, const struct row *rows, size_t count,
                         struct row *ordered)
{
    uint32_t path[MOST + 1] = {UM_CALLTREE_ROOT};
    size_t next[MOST + 1] = {0};
    size_t depth = 0, used = 0;
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
        ordered[used++] = rows[i];
        path[++depth] = rows[i].node;
        next[depth] = 0;
    }
}

/* Picks the rows. Returns how many. */
static size_t pick(const struct um_calltree *tree, size_t most, struct row *rows)
{
    struct row largest[MOST];
    size_t count = 0;
    most = most < MOST ? most : MOST;
    for (uint32_t i = UM_CALLTREE_CUT; i < tree->count && most > 0; i++)
        if (tree->nodes[i].all.wall_ns > 0)
            count = insert(tree, (struct row){i, depth_of(tree, i)}, largest, count, most);
    put_in_order(tree, largest, count, rows);
    return count;
}

static void name_node(const struct um_calltree *tree, const struct um_functions *functions,
                      uint32_t node, char *name, size_t cap_bytes)
{
    const struct um_calltree_node *shown = &tree->nodes[node];
    if (node == UM_CALLTREE_CUT)
        snprintf(name, cap_bytes, "(stack not read)");
    else
        snprintf(name, cap_bytes, "%s%s%s", um_calltree_is_guess(shown) ? UM_WIRE_GUESS : "",
                 shown->folded ? "> " : "",
                 um_functions_label(functions, (uint32_t)shown->key).text);
}

/* Shortens a name that is too long for its line: first its namespaces are left out, then its
 * end. */
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
                    double share, const struct row *row, size_t columns, FILE *out)
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
                             size_t most, size_t columns, FILE *out)
{
    struct row rows[MOST] = {{0}};
    double whole = (double)tree->nodes[UM_CALLTREE_ROOT].all.wall_ns;
    size_t count = pick(tree, most, rows);
    bool folded = false, guessed = false;
    columns = columns > NARROWEST ? columns : NARROWEST;
    for (size_t i = 0; i < count; i++) {
        const struct um_calltree_node *node = &tree->nodes[rows[i].node];
        put_row(tree, functions, (double)node->all.wall_ns / whole, &rows[i], columns, out);
        folded |= node->folded;
        guessed |= um_calltree_is_guess(node);
    }
    if (folded)
        fprintf(out, "> called through functions that are not shown\n");
    if (guessed)
        fprintf(out, UM_WIRE_GUESS "a guess: it may not have called what is below it\n");
    if (tree->lost.samples > 0)
        fprintf(out, "%" PRIu64 " samples are missing: there was no room for their stacks\n",
                tree->lost.samples);
    return fflush(out) == 0 && !ferror(out) ? UM_OK : UM_ERR_IO;
}
