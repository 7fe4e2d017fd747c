/* The rows that are written, against a sort of all nodes; the text by hand. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "monitor/profile/rows.h"
#include "tests/unit/profile/fake_program.h"
#include "tests/written.h"

#define NAME_COLUMN 22 /* of a row without indent */

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

static void setup(void)
{
    fake_program_init(&fake);
}

TestSuite(rows, .init = setup, .fini = release);

static const char *text_of(size_t most, size_t columns)
{
    FILE *out = written_open();
    cr_assert_eq(um_rows_write(&tree, &fake.functions, most, columns, out), UM_OK);
    return written_read(out, NULL);
}

static int larger_first(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* The shares that are written are the largest there are, and each row's caller is above it. */
static void assert_picked(size_t most)
{
    double *all = calloc(tree.count, sizeof *all), written[100];
    size_t count = 0, deepest = 0;
    for (const char *line = text_of(most, 80); *line; line = strchr(line, '\n') + 1) {
        size_t indent = strspn(line + NAME_COLUMN, " ");
        cr_assert(count < most && indent <= deepest, "row %zu has no caller", count);
        deepest = indent + 1;
        written[count++] = strtod(line, NULL);
    }
    cr_assert_eq(count, most);
    for (uint32_t i = UM_CALLTREE_CUT; i < tree.count; i++)
        all[i] = 100.0 * (double)tree.nodes[i].all.samples /
                 (double)tree.nodes[UM_CALLTREE_ROOT].all.samples;
    qsort(all, tree.count, sizeof *all, larger_first);
    qsort(written, count, sizeof *written, larger_first);
    for (size_t i = 0; i < count; i++)
        cr_assert_float_eq(written[i], all[i], 0.051);
    free(all);
}

Test(rows, are_the_hottest_with_their_callers)
{
    struct um_random random = {11};
    for (int i = 0; i < 500; i++) {
        char stack[9] = "";
        size_t depth = 1 + um_random_below(&random, 8);
        for (size_t j = 0; j < depth; j++)
            stack[j] = (char)('1' + um_random_below(&random, FAKE_FUNCTIONS));
        fake_program_add(&fake, (uint32_t)i / 20, stack);
    }
    make_tree();
    assert_picked(1);
    assert_picked(20);
    assert_picked(100);
}

Test(rows, have_share_bar_and_indent)
{
    fake.view.hide = "user32";
    fake_program_add(&fake, 1, "1235");
    fake_program_add(&fake, 1, "1235");
    fake_program_add(&fake, 1, "124");
    fake_program_add(&fake, 2, "-6");
    make_tree();
    cr_expect_str_eq(text_of(20, 80), "  75.0 %  ########    ntdll!start\n"
                                      "  75.0 %  ########     App!main\n"
                                      "  50.0 %  #####         > plug!parse_solution\n"
                                      "  25.0 %  ###           App!window \"proc\"; 2\n"
                                      "  25.0 %  ###         (stack not read)\n"
                                      "  25.0 %  ###          ntdll!wait\n"
                                      "> called through functions that are not shown\n");
    cr_expect_str_eq(text_of(3, 40), "  75.0 %  ########    ntdll!start\n"
                                     "  75.0 %  ########     App!main\n"
                                     "  50.0 %  #####         > plug!parse_so…\n"
                                     "> called through functions that are not shown\n");
}

Test(rows, without_room_for_a_name_leave_out_its_namespaces)
{
    fake_program_add(&fake, 1, "27");
    make_tree();
    cr_expect_str_eq(text_of(2, 54), " 100.0 %  ##########  App!main\n"
                                     " 100.0 %  ##########   App!Shop::Goods::Basket::add_up\n");
    cr_expect_str_eq(text_of(2, 53), " 100.0 %  ##########  App!main\n"
                                     " 100.0 %  ##########   App!Basket::add_up\n");
    cr_expect_str_eq(text_of(2, 42), " 100.0 %  ##########  App!main\n"
                                     " 100.0 %  ##########   App!Basket::add_up\n");
}
