/* What is shown of samples: trees by hand, and counts by brute force over seeded random stacks. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/module_list.h"
#include "base/nearest.h"
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
}

static void setup(void)
{
    fake_program_init(&fake);
}

TestSuite(view, .init = setup, .fini = release);

Test(view, addresses_of_a_function_are_one_node)
{
    fake_program_add(&fake, 1, "125");
    fake_program_add(&fake, 1, "125");
    fake_program_add(&fake, 2, "12");
    make_tree();
    const struct um_calltree_node *main_node =
        fake_program_find(&fake, &tree, "ntdll!start;App!main");
    cr_assert(main_node);
    cr_assert_eq(main_node->all.samples, 3);
    cr_assert_eq(main_node->top.samples, 1);
    cr_assert_eq(
        fake_program_find(&fake, &tree, "ntdll!start;App!main;plug!parse_solution")->top.wall_ns,
        20000000);
}

Test(view, what_is_hidden_folds_into_its_caller_visibly)
{
    fake.view.hide = "NTDLL, user32.dll";
    fake_program_add(&fake, 1, "12356"); /* parse, through SendMessageW; waits */
    fake_program_add(&fake, 1, "125");   /* parse, called at once */
    fake_program_add(&fake, 1, "16");    /* nothing of it is shown */
    fake_program_add(&fake, 1, "-5");
    make_tree();
    const struct um_calltree_node *through =
        fake_program_find(&fake, &tree, "App!main;~plug!parse_solution");
    const struct um_calltree_node *at_once =
        fake_program_find(&fake, &tree, "App!main;plug!parse_solution");
    cr_assert(through && at_once);
    cr_assert_eq(through->top.samples, 1);
    cr_assert_eq(through->top_folded, 1);
    cr_assert_eq(at_once->top.samples, 1);
    cr_assert_eq(at_once->top_folded, 0);
    cr_assert_eq(tree.nodes[UM_CALLTREE_ROOT].top_folded, 1);
    cr_assert_eq(tree.nodes[UM_CALLTREE_CUT].all.samples, 1);
    cr_assert_eq(tree.nodes[UM_CALLTREE_ROOT].all.samples, 4);
}

Test(view, a_caller_through_a_hidden_guess_is_one)
{
    fake.view.hide = "user32";
    fake_program_add(&fake, 1, "12?35"); /* SendMessageW may not have called parse... */
    fake_program_add(&fake, 1, "12?35"); /* ...so main may not have called it through that */
    fake_program_add(&fake, 1, "1?235");
    fake_program_add(&fake, 1, "1235");
    make_tree();
    const struct um_calltree_node *start = fake_program_find(&fake, &tree, "ntdll!start");
    const struct um_calltree_node *main_node =
        fake_program_find(&fake, &tree, "ntdll!start;App!main");
    const struct um_calltree_node *parse =
        fake_program_find(&fake, &tree, "ntdll!start;App!main;~plug!parse_solution");
    cr_assert(start && main_node && parse);
    cr_assert_eq(start->guessed, 0);
    cr_assert_eq(main_node->guessed, 3);
    cr_assert_eq(parse->guessed, 0);
    cr_assert(um_calltree_is_guess(main_node));
    cr_assert_not(um_calltree_is_guess(parse));
}

Test(view, only_the_modules_that_are_wanted)
{
    fake.view.only = "plug";
    fake_program_add(&fake, 1, "12356");
    make_tree();
    cr_assert_eq(tree.count, UM_CALLTREE_FIRST + 1);
    cr_assert(fake_program_find(&fake, &tree, "plug!parse_solution"));
}

/* Stacks of few functions, so that many are recursive. */
Test(view, a_recursion_counts_once)
{
    struct um_random random = {5};
    uint64_t all[FAKE_FUNCTIONS + 1] = {0}, top[FAKE_FUNCTIONS + 1] = {0};
    uint64_t guessed[FAKE_FUNCTIONS + 1] = {0};
    struct um_view_function *costs;
    size_t count;
    for (int i = 0; i < 1000; i++) {
        char stack[24] = "";
        bool sure[FAKE_FUNCTIONS + 1] = {false};
        size_t len = 0, depth = 1 + um_random_below(&random, 10);
        for (size_t j = 0; j < depth; j++) {
            bool is_guess = um_random_below(&random, 3) == 0;
            if (is_guess)
                stack[len++] = '?';
            stack[len++] = (char)('1' + um_random_below(&random, FAKE_FUNCTIONS));
            sure[stack[len - 1] - '0'] |= !is_guess;
        }
        fake_program_add(&fake, (uint32_t)i / 50, stack); /* the first 50 in no freeze */
        for (int f = 1; f <= FAKE_FUNCTIONS; f++) {
            all[f] += strchr(stack, '0' + f) ? 1 : 0;
            guessed[f] += strchr(stack, '0' + f) && !sure[f];
        }
        top[stack[len - 1] - '0']++;
    }
    cr_assert_eq(um_view_functions(&fake.view, &costs, &count), UM_OK);
    cr_assert_eq(count, FAKE_FUNCTIONS + 1);
    for (int f = 1; f <= FAKE_FUNCTIONS; f++) {
        uint32_t id = um_functions_of(&fake.functions, (uint64_t)f * 16);
        cr_assert_str_eq(um_functions_label(&fake.functions, id).text, fake_labels[f]);
        cr_assert_eq(costs[id].all.samples, all[f]);
        cr_assert_eq(costs[id].guessed, guessed[f]);
        cr_assert_eq(costs[id].all.wall_ns, all[f] * 10000000);
        cr_assert_eq(costs[id].top.samples, top[f]);
        cr_assert_eq(costs[id].freezes, 19);
    }
    free(costs);
}

Test(view, all_code_without_a_name_is_one_function)
{
    uint32_t id = um_functions_of(&fake.functions, 0xabc0);
    cr_assert_str_eq(um_functions_label(&fake.functions, id).text, "code without a name");
    cr_assert_eq(um_functions_of(&fake.functions, 0xabc0), id);
    cr_assert_eq(um_functions_of(&fake.functions, 0xabc1), id);
}

Test(module_list, knows_names_and_folders)
{
    cr_assert(um_module_list_has("devenv,My", "C:\\x\\my.DLL"));
    cr_assert(um_module_list_has("my.dll", "my.dll"));
    cr_assert(um_module_list_has("my.dll", "C:/x/MY.DLL"));
    cr_assert(um_module_list_has(" c:/Work/ ,b", "C:\\work\\plug\\a.dll"));
    cr_assert(um_module_list_has("C:\\work", "C:\\work\\a.dll"));
    cr_assert_not(um_module_list_has("C:\\work", "C:\\workshop\\a.dll"));
    cr_assert_not(um_module_list_has("my", "myother.dll"));
    cr_assert(um_module_list_has("MY.dll", "my"), "an assembly that came from no file");
    cr_assert_not(um_module_list_has("my.dll", "my.exe"));
    cr_assert_not(um_module_list_has("my.dll", "my.so"));
    cr_assert_not(um_module_list_has("my.dll", "m"));
    cr_assert_not(um_module_list_has("", "my"));
    cr_assert_not(um_module_list_has(",", ""));
    cr_assert_not(um_module_list_has(NULL, "my"));
}

Test(module_list, a_name_with_a_comma_stands_in_quotes)
{
    const char *list = "one, \"two, three.dll\" ,\"\",\"C:\\a, b\\\",four", *entry;
    const char *const entries[] = {"one", "two, three.dll", "C:\\a, b\\", "four"};
    size_t len;
    cr_assert(um_module_list_has(list, "C:\\x\\Two, Three.dll"));
    cr_assert(um_module_list_has(list, "c:/a, b/c.dll"));
    cr_assert_not(um_module_list_has(list, "three.dll"));
    cr_assert_not(um_module_list_has(list, "b"));
    cr_assert(um_module_list_has("\"open", "open"));
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
        cr_assert((list = um_module_list_next(list, &entry, &len)));
        cr_assert(len == strlen(entries[i]) && memcmp(entry, entries[i], len) == 0, "%s", entry);
    }
    cr_assert_not(um_module_list_next(list, &entry, &len));
    cr_assert_not(um_module_list_next("", &entry, &len));
    cr_assert_not(um_module_list_next(" , \"\" ,\"  \"", &entry, &len));
    cr_assert_not(um_module_list_next("\"", &entry, &len));
}

Test(module_list, knows_namespaces_types_and_methods)
{
    cr_assert(um_module_list_has_name("My.Plugin", "My.Plugin.Parser.Parse(System.String)"));
    cr_assert(um_module_list_has_name("a.dll, my.plugin ", "My.Plugin.Parser.Parse()"));
    cr_assert(um_module_list_has_name("My.Plugin.Parser", "My.Plugin.Parser+Token.Read()"));
    cr_assert(um_module_list_has_name("My.Plugin.Box", "My.Plugin.Box`1[[System.__Canon]].Fill()"));
    cr_assert(um_module_list_has_name("My.Plugin.Parser.Parse", "My.Plugin.Parser.Parse(Int32)"));
    cr_assert_not(um_module_list_has_name("My.Plug", "My.Plugin.Parser.Parse()"));
    cr_assert_not(um_module_list_has_name("Plugin", "My.Plugin.Parser.Parse()"));
    cr_assert_not(um_module_list_has_name("My/Plugin,My\\", "My.Plugin.Parser.Parse()"));
    cr_assert_not(um_module_list_has_name("", "My.Plugin"));
    cr_assert_not(um_module_list_has_name(NULL, "My.Plugin"));
}

Test(module_list, says_which_entries_a_method_is_in)
{
    const char *list = "a, My.Plugin , \"C:\\work\\\", my.plugin.parser,b.dll";
    cr_assert_eq(um_module_list_which(list, "C:\\x\\a.dll", "Other.Parse"), 1);
    cr_assert_eq(um_module_list_which(list, "C:\\work\\b.dll", "My.Plugin.Parser.Parse"), 30);
    cr_assert_eq(um_module_list_which(list, "", "My.Plugin.Reader.Read"), 2);
    cr_assert_eq(um_module_list_which(list, "c.dll", ""), 0);
    cr_assert_eq(um_module_list_which(NULL, "a", "a"), 0);
    char many[128] = "";
    for (int i = 0; i < UM_MODULE_LIST_BITS + 3; i++)
        strcat(many, "a,");
    cr_assert_eq(um_module_list_which(many, "a", ""), UINT32_MAX);
}

Test(nearest, is_found_however_long_the_names_are)
{
    const char *const list[] = {"Company.Product.Component.Subsystem.Reader",
                                "Company.Product.Component.Subsystem.Parser", NULL};
    cr_assert_eq(um_nearest_find("Company.Prodcut.Component.Subsystem.Parser", list), list[1]);
    cr_assert_eq(um_nearest_find("Comany.Product.Component.Subsystem.Reeder", list), list[0]);
    cr_assert_null(um_nearest_find("Nothing.There", list));
    cr_assert_null(um_nearest_find("Other.Prod.Comp.Sub.Parser", list));
}

Test(nearest, is_found_whatever_its_case)
{
    const char *const list[] = {"MyPlugin.Parser", "MyPlugin.parser.reader", "\xc3\x84rger", NULL};
    cr_assert_eq(um_nearest_find("myplugin.parsr", list), list[0]);
    cr_assert_eq(um_nearest_find("MYPLUGIN.PARSER", list), list[0], "rather than a beginning");
    cr_assert_eq(um_nearest_find("MYPLUGIN.PARSER.R", list), list[1]);
    cr_assert_eq(um_nearest_find("\xc3\xa4rgr", list), list[2]);
}

Test(nearest, is_the_one_with_the_same_case_of_several)
{
    const char *const list[] = {"calls", "Calls", "CALLS", NULL};
    cr_assert_eq(um_nearest_find("Cals", list), list[1]);
    cr_assert_eq(um_nearest_find("Call", list), list[1]);
    cr_assert_eq(um_nearest_find("CALS", list), list[2]);
    cr_assert_eq(um_nearest_find("cals", list), list[0]);
}

Test(nearest, is_not_one_that_is_too_long)
{
    static char word[1024];
    const char *const list[] = {word + 1, NULL};
    memset(word, 'n', sizeof word - 1);
    cr_assert_null(um_nearest_find(word, list));
    cr_assert_null(um_nearest_find("nnnnnnnn", (const char *const[]){"nnnnnnnm0123", NULL}));
    cr_assert_eq(um_nearest_find(word + 600, list), list[0], "a beginning");
}

Test(nearest, text_has_what_was_meant)
{
    char text[64];
    um_nearest_text("plgn", "plugin", text, sizeof text);
    cr_assert_str_eq(text, "plgn; did you mean plugin?");
    um_nearest_text("pl\x1bgn", NULL, text, sizeof text);
    cr_assert_str_eq(text, "pl\xef\xbf\xbdgn");
    um_nearest_text("plgn", "", text, 4);
    cr_assert_str_eq(text, "plg");
}
