/* Headlines by hand; intervals as published. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "monitor/profile/headline.h"
#include "monitor/profile/mine.h"
#include "tests/unit/profile/fake_program.h"

static struct fake_program fake;
static struct um_headline headline;

static void setup(void)
{
    fake_program_init(&fake);
}

static void teardown(void)
{
    fake_program_deinit(&fake);
}

TestSuite(headline, .init = setup, .fini = teardown);
TestSuite(mine, .init = setup, .fini = teardown);

static void assert_headline(const char *message, const char *text, uint64_t alike)
{
    cr_assert_eq(um_headline_make(&fake.view, message, &headline), UM_OK);
    cr_assert_str_eq(headline.text, text);
    cr_assert_eq(headline.alike, alike);
}

Test(headline, is_the_deepest_frame_of_at_least_half_of_the_samples)
{
    fake_program_add(&fake, 1, "12356"); /* in parse: 2 of 4 */
    fake_program_add(&fake, 1, "1235");
    fake_program_add(&fake, 1, "124");
    fake_program_add(&fake, 1, "12");
    fake_program_add(&fake, 2, "16");
    fake.view.freeze = 1;
    assert_headline("WM_COMMAND", "parse_solution ← main ← WM_COMMAND", 2);
    cr_assert_eq(headline.of, 4);
}

Test(headline, below_half_it_is_the_caller)
{
    fake_program_add(&fake, 1, "125");
    fake_program_add(&fake, 1, "124");
    fake_program_add(&fake, 1, "12");
    assert_headline(NULL, "main", 3);
}

Test(headline, of_two_halves_it_is_the_one_whose_name_comes_first)
{
    fake_program_add(&fake, 1, "124");
    fake_program_add(&fake, 1, "125");
    assert_headline("", "parse_solution ← main", 1);
}

Test(headline, has_three_names_at_most)
{
    fake_program_add(&fake, 1, "1242545");
    assert_headline("M", "parse_solution ← window \"proc\"; 2 ← parse_solution ← M", 1);
}

/* In half of the samples that it is in, and through the system's frames that are left out. */
Test(headline, marks_a_function_that_is_a_guess)
{
    fake_program_add(&fake, 1, "1?245");
    fake_program_add(&fake, 1, "1245");
    assert_headline("M", "parse_solution ← window \"proc\"; 2 ← ? main ← M", 2);
    cr_assert(headline.guessed[2] && !headline.guessed[1] && !headline.guessed[0]);
    cr_assert_str_eq(headline.names[2], "main");
    fake_program_add(&fake, 1, "1245");
    assert_headline(NULL, "parse_solution ← window \"proc\"; 2 ← main", 3);
    fake_program_add(&fake, 3, "12?45");
    fake.view.freeze = 3;
    assert_headline(NULL, "parse_solution ← ? window \"proc\"; 2 ← main", 1);
    fake_program_add(&fake, 4, "12?35");
    fake.view.freeze = 4;
    assert_headline(NULL, "parse_solution ← ? main", 1);
}

Test(headline, leaves_out_namespaces_in_its_text)
{
    fake_program_add(&fake, 1, "127");
    assert_headline(NULL, "Basket::add_up ← main", 1);
    cr_assert_str_eq(headline.names[0], "Shop::Goods::Basket::add_up");
}

/* The first four samples are in line 110, the next three in 111. */
Test(headline, says_the_line_of_a_managed_method)
{
    for (int i = 0; i < 7; i++)
        fake_program_add(&fake, 1, "1286");
    assert_headline("M", "Shop.Parser.Parse(Int32) (Parser.cs:110) ← main ← M", 7);
    cr_assert_str_eq(headline.names[0], "Shop.Parser.Parse(Int32)");
    cr_assert_str_eq(headline.place, "Parser.cs:110");
}

/* Of two samples, one is at an address whose line is only the nearest one before; then of three. */
Test(headline, marks_a_line_that_is_only_the_nearest_in_half_of_the_samples)
{
    fake_program_add(&fake, 1, "129");
    fake_program_add(&fake, 1, "129");
    assert_headline(NULL, "Shop.Parser.Skip(Int32) (Parser.cs:~120) ← main", 2);
    cr_assert_str_eq(headline.place, "Parser.cs:~120");
    fake_program_add(&fake, 1, "129");
    assert_headline(NULL, "Shop.Parser.Skip(Int32) (Parser.cs:120) ← main", 3);
}

/* In a recursive method, where it is in the end. */
Test(headline, says_the_line_of_the_innermost_frame)
{
    for (int i = 0; i < 5; i++)
        fake_program_add(&fake, 2, "12"); /* another freeze */
    fake_program_add(&fake, 1, "128");
    fake.view.freeze = 1;
    assert_headline(NULL, "Shop.Parser.Parse(Int32) (Parser.cs:111) ← main", 1);
}

Test(headline, names_the_system_where_there_is_nothing_else)
{
    fake_program_add(&fake, 1, "16");
    assert_headline(NULL, "wait ← start", 1);
}

Test(headline, a_stack_that_was_cut_off_counts_as_another_one)
{
    fake_program_add(&fake, 1, "-25");
    fake_program_add(&fake, 1, "-25");
    fake_program_add(&fake, 1, "124");
    assert_headline(NULL, "parse_solution ← main", 2);
    cr_assert_eq(headline.cut, 2);
    fake_program_deinit(&fake);
    fake_program_init(&fake);
    fake_program_add(&fake, 1, "-");
    assert_headline("M", "", 0);
}

/* As where an editor wraps lines: 4 of 10 stacks were read, and agree. */
Test(headline, is_what_the_stacks_that_were_read_have_in_common)
{
    for (int i = 0; i < 3; i++)
        fake_program_add(&fake, 1, "125");
    fake_program_add(&fake, 1, "124");
    for (int i = 0; i < 6; i++)
        fake_program_add(&fake, 1, "-");
    assert_headline("WM_SIZE", "parse_solution ← main ← WM_SIZE", 3);
    cr_expect_eq(headline.of, 4);
    cr_expect_eq(headline.cut, 6);
    cr_expect(headline.is_of_read);
}

/* The innermost functions of the others are the system's, which says less. */
Test(headline, a_function_of_the_program_says_more_than_one_of_the_system)
{
    for (int i = 0; i < 4; i++)
        fake_program_add(&fake, 1, "125");
    for (int i = 0; i < 6; i++)
        fake_program_add(&fake, 1, "-36");
    assert_headline(NULL, "parse_solution ← main", 4);
    cr_expect(headline.is_of_read);
}

/* A deep recursion of which the outer end is never read. */
Test(headline, may_be_of_stacks_that_were_not_read_to_their_end)
{
    fake_program_add(&fake, 1, "126");
    for (int i = 0; i < 6; i++)
        fake_program_add(&fake, 1, "-455");
    assert_headline(NULL, "parse_solution ← parse_solution ← window \"proc\"; 2", 6);
    cr_expect_eq(headline.of, 7);
    cr_expect_not(headline.is_of_read);
}

/* Functions above the last one of the program have neither name nor module. */
Test(headline, code_without_a_name_is_said_once)
{
    fake_program_add(&fake, 1, "12:;");
    fake_program_add(&fake, 1, "12;:");
    assert_headline(NULL, "code without a name ← main", 2);
}

Test(headline, leaves_out_the_hook_of_uimon)
{
    fake_program_add(&fake, 1, "1<2<");
    assert_headline("WM_PAINT", "main ← WM_PAINT", 1);
    cr_expect_str_eq(headline.call, "");
    fake_program_add(&fake, 2, "1<");
    fake.view.freeze = 2;
    assert_headline("WM_PAINT", "start ← WM_PAINT", 1);
}

/* Newcombe 1998, table I, method 3. */
Test(mine, intervals_are_those_published)
{
    static const struct {
        uint64_t hits, of;
        double low, high;
    } published[] = {{81, 263, 0.2553, 0.3662},
                     {15, 148, 0.0624, 0.1605},
                     {0, 20, 0.0000, 0.1611},
                     {1, 29, 0.0061, 0.1718}};
    for (size_t i = 0; i < 4; i++) {
        double low, high;
        um_mine_interval(published[i].hits, published[i].of, &low, &high);
        cr_assert_float_eq(low, published[i].low, 0.00005);
        cr_assert_float_eq(high, published[i].high, 0.00005);
        um_mine_interval(published[i].of - published[i].hits, published[i].of, &low, &high);
        cr_assert_float_eq(low, 1 - published[i].high, 0.00005);
        cr_assert_float_eq(high, 1 - published[i].low, 0.00005);
    }
}

Test(mine, what_could_not_be_read_is_nobodys)
{
    struct um_mine mine;
    char text[128];
    fake.view.hide = "plug"; /* the share does not depend on what is shown */
    um_mine_count(&fake.view, "plug", &mine);
    um_mine_text(&mine, text, sizeof text);
    cr_assert_str_eq(text, "yours unknown: no sample could be read");
    for (int i = 0; i < 191; i++)
        fake_program_add(&fake, 1, "124");
    um_mine_count(&fake.view, "plug", &mine);
    um_mine_text(&mine, text, sizeof text);
    cr_assert_str_eq(text, "yours 0 to 2 %");
    fake_program_add(&fake, 1, "1256");
    fake_program_add(&fake, 1, "-56");
    fake_program_add(&fake, 1, "-6");
    um_mine_count(&fake.view, "C:\\work\\plug.dll,plug", &mine);
    cr_assert_eq(mine.yours, 2);
    cr_assert_eq(mine.others, 191);
    cr_assert_eq(mine.unattributed, 1);
    um_mine_text(&mine, text, sizeof text);
    cr_assert_str_eq(text, "yours 0 to 4 %, and 1 % of the samples could not be read");
}
