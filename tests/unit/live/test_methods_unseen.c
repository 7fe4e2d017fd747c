/* What was chosen to be traced and no method is in, and the name that was meant. */
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/plain/text.h"
#include "monitor/live/methods_unseen.h"

static struct um_methods_unseen unseen;
static struct um_wire_frame published;
static unsigned count;

static void publish(void *context, const struct um_wire_frame *frame)
{
    cr_assert_eq(context, &unseen);
    published = *frame;
    count++;
}

static void setup(void)
{
    memset(&unseen, 0, sizeof unseen);
    unseen.publish = publish;
    unseen.context = &unseen;
    count = 0;
}

static void teardown(void)
{
    um_methods_unseen_deinit(&unseen);
}

TestSuite(methods_unseen, .init = setup, .fini = teardown);

static void take_other(const char *name)
{
    struct um_wire_frame frame = {.type = UM_WIRE_METHOD_OTHER};
    um_text_set(frame.as.method_other.name, sizeof frame.as.method_other.name, name);
    um_methods_unseen_take(&unseen, &frame);
}

static void take_program(void)
{
    static const char *const names[] = {"System.Private.CoreLib.dll",
                                        "System.Threading.Tasks.Task",
                                        "Plugin.dll",
                                        "My.Plugin.Parser",
                                        "My.Plugin.Parser+Token",
                                        "My.Plugin.Reader",
                                        "My.Plugin.Reader.ReadLine",
                                        "My.Plugin.Box`1",
                                        "My.\xc3\xa4rger.Bx"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        take_other(names[i]);
}

static void take_unseen(uint32_t entry, const char *name)
{
    struct um_wire_frame frame = {.type = UM_WIRE_METHOD_UNSEEN, .as.method_unseen.entry = entry};
    um_text_set(frame.as.method_unseen.name, sizeof frame.as.method_unseen.name, name);
    um_methods_unseen_take(&unseen, &frame);
}

static void take_sum(uint32_t bits)
{
    const struct um_wire_frame frame = {.type = UM_WIRE_METHODS, .as.methods.unseen = bits};
    um_methods_unseen_take(&unseen, &frame);
}

static const char *line(bool is_end)
{
    static char text[256];
    return um_methods_unseen_line(&unseen, is_end, text, sizeof text) ? text : "";
}

Test(methods_unseen, what_was_meant_has_as_many_parts)
{
    static const struct {
        const char *entry, *meant;
    } cases[] = {{"Nothing.There", ""},
                 {"Mi.Plugin", "My.Plugin"},
                 {"My.Plugn.Parser", "My.Plugin.Parser"},
                 {"My.Plugin.Parser+Tokn", "My.Plugin.Parser+Token"},
                 {"My.Plugin.Reader.ReadLien", "My.Plugin.Reader.ReadLine"},
                 {"Plugn", "Plugin"},
                 {"Plugn.dll", "Plugin.dll"},
                 {"Parser", "My.Plugin.Parser"}, /* the end of a name */
                 {"parser", "My.Plugin.Parser"},
                 {"MYPLUGIN.PARSR", ""},
                 {"my.plugin.PARSR", "My.Plugin.Parser"},
                 {"my.\xc3\x84rger.Box", "My.\xc3\xa4rger.Bx"},
                 {"arser", ""},
                 {"C:\\Plugin", ""},
                 {"My.Plugin.Parser.Parse.More", ""}};
    take_program();
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        take_unseen(3, cases[i].entry);
        cr_expect_eq(count, i + 1);
        cr_expect_eq(published.type, UM_WIRE_METHOD_UNSEEN);
        cr_expect_eq(published.as.method_unseen.entry, 3);
        cr_expect_str_eq(published.as.method_unseen.name, cases[i].entry);
        cr_expect_str_eq(published.as.method_unseen.meant, cases[i].meant, "%s: %s", cases[i].entry,
                         published.as.method_unseen.meant);
    }
}

Test(methods_unseen, slips_are_said_at_once_and_the_others_at_the_end)
{
    take_program();
    take_unseen(0, "Nothing.There");
    take_unseen(2, "My.Plugn");
    cr_expect_str_eq(line(false), "", "it is not known whether that still holds");
    take_sum(1 | 2 | 4);
    cr_expect_str_eq(line(false), "no traced method so far has My.Plugn; did you mean My.Plugin?");
    cr_expect_str_eq(line(false), "");
    take_unseen(2, "My.Plugn");
    cr_expect_str_eq(line(false), "", "it was said");
    cr_expect_str_eq(line(true), "no traced method has Nothing.There");
    cr_expect_str_eq(line(true), "");
}

Test(methods_unseen, what_was_found_meanwhile_is_not_said)
{
    take_unseen(0, "Late.Plugin");
    take_unseen(31, "Nothing.There");
    take_sum(1u << 31);
    cr_expect_str_eq(line(true), "no traced method has Nothing.There");
    cr_expect_str_eq(line(true), "");
}

Test(methods_unseen, a_dll_that_lies_does_no_harm)
{
    char name[32];
    take_unseen(UM_WIRE_METHOD_ENTRIES, "beyond");
    cr_expect_eq(count, 0);
    for (int i = 0; i < 10000; i++) {
        snprintf(name, sizeof name, "N%d", i);
        take_other(name);
    }
    cr_expect_eq(unseen.others.count, 8192);
    take_other("");
    take_unseen(0, "");
    take_sum(UINT32_MAX);
    (void)line(true);
}
