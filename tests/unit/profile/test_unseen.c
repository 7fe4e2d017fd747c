/* Which entries of a user's list no stack has, and what is said of them. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/profile/unseen.h"
#include "tests/unit/profile/fake_program.h"
#include "tests/written.h"

static struct fake_program fake;

static void setup(void)
{
    fake_program_init(&fake);
    fake_program_add(&fake, 1, "1256"); /* ntdll, App, plug */
    cr_assert_gt(um_view_number(&fake.view), 0);
}

static void release(void)
{
    fake_program_deinit(&fake);
}

TestSuite(unseen, .init = setup, .fini = release);

/* A name of 260 bytes, and one byte more. */
static const char *list_of_long_names(void)
{
    static char list[600];
    snprintf(list, sizeof list, "%0260d,%0261d", 0, 0);
    return list;
}

Test(unseen, entries_are_seen_or_not)
{
    static const struct {
        const char *modules;
        uint32_t unseen;
    } rows[] = {
        {"", 0},
        {"plug", 0},
        {"plgn", 1},
        {"App, plug.dll, NTDLL", 0},
        {"App,plgn,plug,other", 2 | 8},
        {"\"a, b.dll\",plug", 1},
        {"a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,u,v,w,x,y,z,aa,bb,cc,dd,ee,plug,gg", 0x7fffffff},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        cr_expect_eq(um_unseen_find(&fake.functions, rows[i].modules), rows[i].unseen, "%s: %x",
                     rows[i].modules, um_unseen_find(&fake.functions, rows[i].modules));
    cr_expect_eq(um_unseen_find(&fake.functions, list_of_long_names()), 1,
                 "nothing is said of a name that is too long");
}

Test(unseen, an_entry_is_a_method_too)
{
    fake_program_add(&fake, 1, "18"); /* Shop.Parser.Parse */
    cr_assert_gt(um_view_number(&fake.view), 0);
    cr_expect_eq(um_unseen_find(&fake.functions, "Shop.Parser,Shop.Cart,parse_solution"), 2 | 4,
                 "the name of a native function is no entry");
}

Test(unseen, a_name_like_it_is_told)
{
    static const struct {
        unsigned entry;
        const char *text;
        bool is_meant;
    } rows[] = {
        {0, "ap; did you mean App?", true},
        {1, "plgu; did you mean plug?", true},
        {2, "otherwise", false},
        {3, "a, b.dll", false},
    };
    char text[100];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bool is_meant = um_unseen_text(&fake.functions, "ap,plgu,otherwise,\"a, b.dll\"",
                                       rows[i].entry, text, sizeof text);
        cr_expect_str_eq(text, rows[i].text);
        cr_expect_eq(is_meant, rows[i].is_meant, "%s", text);
    }
    cr_expect(um_unseen_text(&fake.functions, "plgu", 0, text, 10));
    cr_expect_str_eq(text, "plgu; did");
}

Test(unseen, entries_are_joined_as_far_as_they_fit)
{
    char text[16];
    um_unseen_join("one,two,\"a, b\",four", 1 | 4, text, sizeof text);
    cr_expect_str_eq(text, "one, a, b");
    um_unseen_join("one,two", 0, text, sizeof text);
    cr_expect_str_eq(text, "");
    um_unseen_join("first,second,third,fourth", 15, text, sizeof text);
    cr_expect_str_eq(text, "first, second, ");
}

/* The view shows only some of the stacks, and all of them are looked at. */
Test(unseen, the_first_three_are_written)
{
    size_t len;
    FILE *out = written_open();
    fake.view.only = "App";
    um_unseen_write(&fake.view, "App,plug,a1,a2,ntdll,a3,a4", "  ", out);
    char *text = written_read(out, &len);
    cr_expect_str_eq(text, "  no stack has a1\n  no stack has a2\n  no stack has a3\n");
    free(text);
}
