/* The rows that are picked, against a sort of all nodes; the text by hand. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/base/random.h"
#include "monitor/base/utf8.h"
#include "monitor/profile/rows.h"
#include "tests/unit/profile/fake_program.h"

static struct fake_program fake;
static struct um_calltree tree;

static void make_tree(void)
{
    cr_assert_eq(um_calltree_init(&tree, 0), UM_OK);
    cr_assert_eq(um_view_tree(&fake.view, &tree), UM_OK);
}

static void release(void)
{
    um_calltree_deinit(&tree);
    fake_program_deinit(&fake);
}

static int larger_first(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x < y) - (x > y);
}

/* The values that are picked are the largest there are, and each row's caller is above it. */
static void assert_picked(enum um_rows_by by, size_t most)
{
    struct um_rows_row rows[UM_ROWS_MOST];
    uint64_t *all = calloc(tree.count, sizeof *all), picked[UM_ROWS_MOST];
    size_t count = um_rows_pick(&tree, by, most, rows);
    cr_assert_eq(count, most);
    for (uint32_t i = UM_CALLTREE_CUT; i < tree.count; i++)
        all[i] = um_rows_value(&tree.nodes[i], by);
    for (size_t i = 0; i < count; i++) {
        uint32_t parent = tree.nodes[rows[i].node].parent;
        bool found = by == UM_ROWS_SELF || parent == UM_CALLTREE_ROOT;
        for (size_t j = 0; j < i; j++)
            found = found || rows[j].node == parent;
        cr_assert(found, "row %zu has no caller", i);
        picked[i] = um_rows_value(&tree.nodes[rows[i].node], by);
    }
    qsort(all, tree.count, sizeof *all, larger_first);
    qsort(picked, count, sizeof *picked, larger_first);
    for (size_t i = 0; i < count; i++)
        cr_assert_eq(picked[i], all[i]);
    free(all);
}

Test(rows, are_the_hottest_with_their_callers)
{
    struct um_random random = {11};
    fake_program_init(&fake);
    for (int i = 0; i < 500; i++) {
        char stack[9] = "";
        size_t depth = 1 + um_random_below(&random, 8);
        for (size_t j = 0; j < depth; j++)
            stack[j] = (char)('1' + um_random_below(&random, FAKE_FUNCTIONS));
        fake_program_add(&fake, (uint32_t)i / 20, stack);
    }
    make_tree();
    for (enum um_rows_by by = UM_ROWS_SAMPLES; by <= UM_ROWS_COUNT; by++) {
        assert_picked(by, 1);
        assert_picked(by, 20);
        assert_picked(by, UM_ROWS_MOST);
    }
    release();
}

static void assert_text(enum um_rows_by by, size_t most, size_t columns, const char *text)
{
    char found[4096];
    FILE *out = tmpfile();
    cr_assert(out);
    cr_assert_eq(um_rows_write(&tree, &fake.functions, by, most, columns, out), UM_OK);
    rewind(out);
    found[fread(found, 1, sizeof found - 1, out)] = '\0';
    fclose(out);
    cr_assert_str_eq(found, text, "%s", found);
}

Test(rows, have_share_bar_and_indent)
{
    fake_program_init(&fake);
    fake.view.hide = "user32";
    fake_program_add(&fake, 1, "1235");
    fake_program_add(&fake, 1, "1235");
    fake_program_add(&fake, 1, "124");
    fake_program_add(&fake, 2, "-6");
    make_tree();
    assert_text(UM_ROWS_SAMPLES, 20, 80,
                "  75.0 %  ########    ntdll!start\n"
                "  75.0 %  ########     App!main\n"
                "  50.0 %  #####         > plug!parse_solution\n"
                "  25.0 %  ###           App!window \"proc\"; 2\n"
                "  25.0 %  ###         (stack not read)\n"
                "  25.0 %  ###          ntdll!wait\n"
                "> called through functions that are not shown\n");
    assert_text(UM_ROWS_SELF, 2, 40,
                "  50.0 %  #####       > plug!parse_solu…\n"
                "  25.0 %  ###         ntdll!wait\n"
                "> called through functions that are not shown\n");
    release();
}

Test(rows, without_room_for_a_name_leave_out_its_namespaces)
{
    fake_program_init(&fake);
    fake_program_add(&fake, 1, "27");
    make_tree();
    assert_text(UM_ROWS_SELF, 1, 53, " 100.0 %  ##########  App!Shop::Goods::Basket::add_up\n");
    assert_text(UM_ROWS_SELF, 1, 52, " 100.0 %  ##########  App!Basket::add_up\n");
    assert_text(UM_ROWS_SAMPLES, 2, 42,
                " 100.0 %  ##########  App!main\n"
                " 100.0 %  ##########   App!Basket::add_up\n");
    release();
}
