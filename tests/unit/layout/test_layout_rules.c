/* The rules that choose components. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "monitor/layout/layout_rules.h"

static struct um_layout_rules *rules;
static char error[512];

static void teardown(void)
{
    um_layout_rules_close(rules);
    rules = NULL;
}

TestSuite(layout_rules, .fini = teardown);

static void read(const char *text)
{
    teardown();
    cr_assert_eq(um_layout_rules_open(text, strlen(text), "parts.txt", &rules, error, sizeof error),
                 UM_OK, "%s", error);
}

static void expect_refused(const char *text, const char *line)
{
    struct um_layout_rules *none = NULL;
    cr_expect_eq(um_layout_rules_open(text, strlen(text), "parts.txt", &none, error, sizeof error),
                 UM_ERR_FORMAT, "'%s' is accepted", text);
    cr_expect(!none);
    cr_expect_str_eq(error, line);
}

/* The name that a window gets; "-": no rule fits it. */
static const char *name_of(const char *window_class, const char *text, int id)
{
    struct um_layout_window window = {.has_id = id != 0, .id = (uint32_t)id};
    snprintf(window.window_class, sizeof window.window_class, "%s", window_class);
    snprintf(window.text, sizeof window.text, "%s", text);
    const char *name = um_layout_rules_find(rules, &window);
    return name ? name : "-";
}

Test(layout_rules, a_class_fits_whole_and_in_any_case)
{
    read("class:SysListView32\n");
    cr_expect_str_eq(name_of("syslistview32", "", 0), "");
    cr_expect_str_eq(name_of("SysListView3", "", 0), "-");
    cr_expect_str_eq(name_of("XSysListView32", "SysListView32", 0), "-");
}

Test(layout_rules, a_part_of_the_text_fits_in_any_case)
{
    read("Text:ärger\n");
    cr_expect_str_eq(name_of("", "Viel ÄRGER hier", 0), "");
    cr_expect_str_eq(name_of("ärger", "Viel", 0), "-");
}

Test(layout_rules, an_id_fits_a_control)
{
    read("id:1004\nid:-1\nid:4294967294");
    cr_expect_str_eq(name_of("", "", 1004), "");
    cr_expect_str_eq(name_of("", "", -1), "");
    cr_expect_str_eq(name_of("", "", -2), "");
    cr_expect_str_eq(name_of("", "1004", 1005), "-");
    read("id:0");
    cr_expect_str_eq(name_of("", "", 0), "-", "it has none");
}

Test(layout_rules, the_first_rule_that_fits_gives_the_name)
{
    read("class:Pane = The pane\ntext:a = b = c\ntext:= = equal\nclass:pane = Never\n");
    cr_expect_str_eq(name_of("Pane", "a = b", 0), "The pane");
    cr_expect_str_eq(name_of("", "x a = b y", 0), "c");
    cr_expect_str_eq(name_of("", "1=1", 0), "equal");
    cr_expect_str_eq(name_of("", "a", 0), "-");
}

Test(layout_rules, blanks_comments_and_empty_lines_do_not_matter)
{
    read("\xef\xbb\xbf# all of them\r\n\r\n \tclass :#32770\t =  Dialogs  # but no others\r\n#\n "
         "\n");
    cr_expect_str_eq(name_of("#32770", "", 0), "Dialogs");
    cr_expect_str_eq(name_of("", "", 0), "-");
    read("");
    cr_expect_str_eq(name_of("", "", 0), "-");
}

Test(layout_rules, a_bad_line_is_named_by_its_number)
{
    expect_refused("class:A\n\nfoo:B", "parts.txt:3: a rule begins with class:, text: or id:, and "
                                       "this with 'foo'");
    expect_refused("class", "parts.txt:1: a rule begins with class:, text: or id:, and this with "
                            "'class'");
    expect_refused("a\x1b[2Jb", "parts.txt:1: a rule begins with class:, text: or id:, and this "
                                "with 'a\xef\xbf\xbd[2Jb'");
    expect_refused("class: ", "parts.txt:1: there is nothing behind 'class:'");
    expect_refused("text: = Name", "parts.txt:1: there is nothing behind 'text:'");
    expect_refused("text:a =", "parts.txt:1: there is no name behind the '='");
    expect_refused("text:a = # b", "parts.txt:1: there is no name behind the '='");
    expect_refused("class:\xff", "parts.txt:1: the text is not UTF-8; save the file as UTF-8");
}

Test(layout_rules, an_id_is_a_whole_number)
{
    expect_refused("id:1x", "parts.txt:1: id:1x: this is not a whole number of 32 bits");
    expect_refused("id:0x10", "parts.txt:1: id:0x10: this is not a whole number of 32 bits");
    expect_refused("id:4294967296",
                   "parts.txt:1: id:4294967296: this is not a whole number of 32 bits");
    expect_refused("id:-2147483649",
                   "parts.txt:1: id:-2147483649: this is not a whole number of 32 bits");
    expect_refused("id:99999999999999999999",
                   "parts.txt:1: id:99999999999999999999: this is not a whole number of 32 bits");
}

Test(layout_rules, there_are_a_thousand_at_most)
{
    static char text[UM_LAYOUT_RULES_MAX_BYTES];
    size_t len = 0;
    for (int i = 0; i < UM_LAYOUT_RULES_MOST; i++)
        len += (size_t)snprintf(text + len, sizeof text - len, "class:C%d = N%d\n", i, i);
    read(text);
    cr_expect_str_eq(name_of("c999", "", 0), "N999");
    snprintf(text + len, sizeof text - len, "# a comment\n\n");
    read(text);
    snprintf(text + len, sizeof text - len, "id:5");
    expect_refused(text, "parts.txt:1001: there are more than 1000 rules");
}

Test(layout_rules, a_line_is_no_longer_than_1024_bytes)
{
    char text[UM_LAYOUT_RULES_MAX_LINE_BYTES + 2] = "class:";
    memset(text + 6, 'x', sizeof text - 7);
    text[UM_LAYOUT_RULES_MAX_LINE_BYTES + 1] = '\0';
    expect_refused(text, "parts.txt:1: the line is longer than 1024 bytes");
    text[UM_LAYOUT_RULES_MAX_LINE_BYTES] = '\0';
    read(text);
}

/* Windows' classes have 256 characters, and a component's name fewer. */
Test(layout_rules, of_a_long_class_the_begin_counts)
{
    char text[300] = "class:";
    char long_class[UM_WIRE_LAYOUT_TEXT_BYTES];
    memset(text + 6, 'x', 250);
    memset(long_class, 'x', sizeof long_class - 1);
    long_class[sizeof long_class - 1] = '\0';
    read(text);
    cr_expect_str_eq(name_of(long_class, "", 0), "");
}
