#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/plain/clock.h"
#include "base/utf8.h"
#include "monitor/bench/scenario.h"
#include "monitor/bench/scenario_describe.h"
#include "monitor/bench/scenario_keys.h"
#include "tests/written.h"

#define START "launch a.exe\n"

static char error[1024];
static struct um_scenario scenario;

static enum um_status parse(const char *text, const char *const *defines, int count)
{
    um_scenario_deinit(&scenario);
    error[0] = 0;
    return um_scenario_parse(text, strlen(text), "f.uimon", defines, count, &scenario, error,
                             sizeof error);
}

/* The second step of a scenario that begins with launch. */
static const struct um_scenario_step *second(const char *line)
{
    char text[2048];
    snprintf(text, sizeof text, START "%s\n", line);
    cr_assert_eq(parse(text, NULL, 0), UM_OK, "%s: %s", line, error);
    cr_assert_geq(scenario.step_count, 2);
    return &scenario.steps[1];
}

static void refuses_text(const char *text, const char *expected)
{
    cr_expect_eq(parse(text, NULL, 0), UM_ERR_FORMAT, "'%s' is accepted", text);
    cr_expect(strncmp(error, "uimon: f.uimon:", 15) == 0 || !strncmp(error, "uimon: --define", 15),
              "%s", error);
    cr_expect(strstr(error, expected) != NULL, "'%s': no '%s' in '%s'", text, expected, error);
    cr_expect(!strpbrk(error, "\r\n\x1b"), "%s", error);
}

/* In the second line. */
static void refuses(const char *line, const char *expected)
{
    char text[8192];
    char place[600];
    snprintf(text, sizeof text, START "%s\n", line);
    snprintf(place, sizeof place, "f.uimon:2: %s", expected);
    refuses_text(text, place);
}

static void release(void)
{
    um_scenario_deinit(&scenario);
}

TestSuite(scenario, .fini = release, .timeout = 60);

Test(scenario, reads_times_in_both_units)
{
    cr_assert_eq(second("sleep 500")->time_ns, 500 * UM_CLOCK_NS_PER_MS);
    cr_assert_eq(second("sleep 500ms")->time_ns, 500 * UM_CLOCK_NS_PER_MS);
    cr_assert_eq(second("sleep 2s")->time_ns, 2 * UM_CLOCK_NS_PER_S);
    cr_assert_eq(second("sleep 1.5s")->time_ns, 1500 * UM_CLOCK_NS_PER_MS);
    cr_assert_eq(second("sleep 3600s")->time_ns, 3600 * UM_CLOCK_NS_PER_S);
    refuses("sleep", "sleep: a time is missing");
    refuses("sleep 2m", "sleep: '2m' is not a time");
    refuses("sleep -1", "sleep: '-1' is not a time");
    refuses("sleep 1e3", "sleep: '1e3' is not a time");
    refuses("sleep 1.", "sleep: '1.' is not a time");
    refuses("sleep 3601s", "sleep: '3601s' is longer than an hour");
    refuses("sleep 1 s", "sleep: 's' is one word too many");
}

Test(scenario, reads_launch_with_quoted_arguments)
{
    cr_assert_eq(parse("launch \"C:\\\\a b\\\\x.exe\" C:\\y.txt \"\"\n", NULL, 0), UM_OK, "%s",
                 error);
    cr_assert_eq(scenario.steps[0].argc, 3);
    cr_assert_str_eq(scenario.steps[0].argv[0], "C:\\a b\\x.exe");
    cr_assert_str_eq(scenario.steps[0].argv[1], "C:\\y.txt");
    cr_assert_str_eq(scenario.steps[0].argv[2], "");
    cr_assert_null(scenario.steps[0].argv[3]);
}

Test(scenario, the_first_step_names_the_program_and_no_other_does)
{
    refuses_text("", "f.uimon:0: there are no steps");
    refuses_text("# only this\n\nset A b\n", "there are no steps");
    refuses_text("\nsleep 1\n", "f.uimon:2: 'sleep' comes before there is a program");
    refuses("launch b.exe", "launch: line 1 has named the program already");
    refuses("attach b", "attach: line 1 has named the program already");
    cr_assert_eq(parse("set A b\nattach title:x\n", NULL, 0), UM_OK, "%s", error);
    cr_assert_str_eq(scenario.steps[0].text, "title:x");
    refuses_text("attach\n", "f.uimon:1: attach: a target is missing");
    refuses_text("attach title:\n", "f.uimon:1: attach: 'title:' is not a target");
}

Test(scenario, tells_a_class_from_a_title)
{
    const struct um_scenario_step *step = second("wait-window");
    cr_assert_eq(step->window, UM_SCENARIO_WINDOW_MAIN);
    cr_assert_eq(step->limit_ns, 30 * UM_CLOCK_NS_PER_S);
    step = second("wait-window Notepad within 5s");
    cr_assert_eq(step->window, UM_SCENARIO_WINDOW_CLASS);
    cr_assert_str_eq(step->text, "Notepad");
    cr_assert_eq(step->limit_ns, 5 * UM_CLOCK_NS_PER_S);
    step = second("wait-window \"Save as\"");
    cr_assert_eq(step->window, UM_SCENARIO_WINDOW_TITLE);
    cr_assert_str_eq(step->text, "Save as");
    step = second("wait-window class:#32770");
    cr_assert_eq(step->window, UM_SCENARIO_WINDOW_CLASS);
    cr_assert_str_eq(step->text, "#32770");
    step = second("wait-window title:Open");
    cr_assert_eq(step->window, UM_SCENARIO_WINDOW_TITLE);
    cr_assert_str_eq(step->text, "Open");
    refuses("wait-window class:", "wait-window: the class is empty");
    refuses("wait-window \"\"", "wait-window: the title is empty");
    refuses("wait-window within", "within: a time is missing");
    refuses("wait-idle 2s within 1s", "wait-idle: the idle time cannot be longer");
}

Test(scenario, reads_what_is_typed_and_how_fast)
{
    const struct um_scenario_step *step = second("type \"a\\tb\\n\\\"\\\\\\${X}\" rate 12.5/s");
    cr_assert_str_eq(step->text, "a\tb\n\"\\${X}");
    cr_assert_float_eq(step->rate, 12.5, 1e-9);
    cr_assert_eq(um_scenario_inputs(step), 10);
    cr_assert_eq(um_scenario_inputs(second("type \"a\xf0\x9f\x98\x80\"")), 3,
                 "two units of UTF-16");
    cr_assert_float_eq(second("type x")->rate, 10, 1e-9);
    refuses("type", "type: a text is missing");
    refuses("type \"a", "the closing quote is missing");
    refuses("type \"a\\q\"", "'\\q' is not an escape");
    refuses("type \"a\\\"", "the closing quote is missing");
    refuses("type \"a\x01\"", "type: the text has a control character");
    refuses("type \"a\" rate 0/s", "rate: '0/s' is not a rate");
    refuses("type \"a\" rate 201", "rate: '201' is not a rate");
    refuses("type \"a\" rate 5/m", "rate: '5/m' is not a rate");
    refuses("type \"a\" fast", "type: 'fast' is one word too many");
    refuses("type a b", "type: 'b' is one word too many");
}

Test(scenario, keys_of_a_text_are_enter_tab_and_characters)
{
    const char *at = "a\n\t\xc3\xa4";
    struct um_scenario_key key;
    cr_assert(um_scenario_next_key(&at, &key));
    cr_assert(key.character == 'a' && key.virtual_key == 0 && key.modifiers == 0);
    cr_assert(um_scenario_next_key(&at, &key));
    cr_assert(key.virtual_key == 0x0d && key.character == 0);
    cr_assert(um_scenario_next_key(&at, &key));
    cr_assert_eq(key.virtual_key, 0x09);
    cr_assert(um_scenario_next_key(&at, &key));
    cr_assert_eq(key.character, 0xe4);
    cr_assert_not(um_scenario_next_key(&at, &key));
}

Test(scenario, reads_keys_with_modifiers_in_any_order)
{
    struct um_scenario_key key = second("key shift+ctrl+space times 3 rate 5/s")->key;
    cr_assert_eq(key.modifiers, UM_HOTKEY_CTRL | UM_HOTKEY_SHIFT);
    cr_assert_eq(key.virtual_key, 0x20);
    cr_assert_eq(scenario.steps[1].count, 3);
    cr_assert_float_eq(scenario.steps[1].rate, 5, 1e-9);
    key = second("key ctrl++")->key;
    cr_assert(key.modifiers == UM_HOTKEY_CTRL && key.character == '+');
    key = second("key +")->key;
    cr_assert(key.modifiers == 0 && key.character == '+');
    key = second("key ctrl+S")->key;
    cr_assert_eq(key.character, 's', "the key is pressed without Shift");
    key = second("key S")->key;
    cr_assert_eq(key.character, 'S', "alone it is the character");
    cr_assert_eq(key.virtual_key, 0);
    key = second("key win+f24")->key;
    cr_assert(key.modifiers == UM_HOTKEY_WIN && key.virtual_key == 0x87);
    key = second("key \"#\"")->key;
    cr_assert_eq(key.character, '#');
    cr_assert_eq(second("key alt+\xc3\xa4")->key.character, 0xe4);
}

/* Programs know a shortcut by its virtual key, which each layout has. What makes text, with Shift
 * or without, is a character of the layout. Source: winuser.h, VK_*. */
Test(scenario, a_letter_or_digit_of_a_shortcut_is_its_virtual_key)
{
    static const struct {
        const char *step;
        uint8_t virtual_key;
        uint32_t character;
    } cases[] = {
        {"key CTRL+S", 0x53, 's'},
        {"key alt+z", 0x5a, 'z'},
        {"key win+0", 0x30, '0'},
        {"key ctrl+9", 0x39, '9'},
        {"key ctrl+shift+a", 0x41, 'a'},
        {"key shift+s", 0, 's'},
        {"key s", 0, 's'},
        {"key 1", 0, '1'},
        {"key ctrl+/", 0, '/'},
        {"key ctrl+\xcf\x83", 0, 0x3c3},
        {"key ctrl+@", 0, '@'},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct um_scenario_key key = second(cases[i].step)->key;
        char name[UM_SCENARIO_KEYS_BYTES];
        cr_expect(key.virtual_key == cases[i].virtual_key && key.character == cases[i].character,
                  "%s: 0x%x, 0x%x", cases[i].step, key.virtual_key, (unsigned)key.character);
        um_scenario_keys_name(&key, name, sizeof name);
        cr_expect(um_utf8_equal(name, cases[i].step + 4), "%s is shown as %s", cases[i].step, name);
    }
}

Test(scenario, names_of_keys_are_read_in_either_case)
{
    struct um_scenario_key key = second("key CTRL+Shift+SPACE")->key;
    cr_assert_eq(key.modifiers, UM_HOTKEY_CTRL | UM_HOTKEY_SHIFT);
    cr_assert_eq(key.virtual_key, 0x20);
    cr_assert_eq(second("key F5")->key.virtual_key, 0x74);
    cr_assert_eq(second("key Enter")->key.virtual_key, 0x0d);
    key = second("key Ctrl+s")->key;
    cr_assert(key.modifiers == UM_HOTKEY_CTRL && key.character == 's');
    refuses("key F50", "key: 'F50' is not a key");
    refuses("key EN", "key: 'EN' is not a key");
    refuses("key CTRL", "key: 'CTRL' is not a key");
}

Test(scenario, refuses_what_is_no_key)
{
    refuses("key", "key: a key is missing");
    refuses("key #", "key: a key is missing");
    refuses("key ctrl+", "key: '' is not a key");
    refuses("key ctrl", "key: 'ctrl' is not a key");
    refuses("key entre", "key: 'entre' is not a key; did you mean 'enter'?");
    refuses("key f25", "key: 'f25' is not a key");
    refuses("key cntrl+a", "key: 'cntrl+a' is not a key");
    refuses("key ab", "key: 'ab' is not a key");
    refuses("key a times 0", "times: '0' is not a whole number from 1");
    refuses("key a times 1.5", "times: '1.5' is not a whole number");
    refuses("key a times", "times: a number is missing");
}

Test(scenario, reads_places)
{
    const struct um_scenario_step *step = second("click 10,20 right");
    cr_assert(step->place == UM_SCENARIO_PLACE_POINT && step->x == 10 && step->y == 20);
    cr_assert_eq(step->button, UM_SCENARIO_RIGHT);
    step = second("click class:Edit");
    cr_assert(step->place == UM_SCENARIO_PLACE_CLASS && step->button == UM_SCENARIO_LEFT);
    cr_assert_str_eq(step->text, "Edit");
    step = second("click class:Edit 3,4 double");
    cr_assert(step->place == UM_SCENARIO_PLACE_CLASS_POINT && step->x == 3 && step->y == 4);
    cr_assert_eq(um_scenario_inputs(step), 2, "a double click is two");
    step = second("wheel -3 at class:Edit");
    cr_assert(step->count == -3 && step->place == UM_SCENARIO_PLACE_CLASS);
    cr_assert_eq(um_scenario_inputs(step), 3);
    cr_assert_eq(second("wheel 1")->place, UM_SCENARIO_PLACE_MIDDLE);
    refuses("click", "click: the place is missing");
    refuses("click 10, 20", "click: '10,' is not a place");
    refuses("click 10,40000", "click: '10,40000' is not a place");
    refuses("click -1,4", "click: '-1,4' is not a place");
    refuses("click class:", "click: 'class:' is not a place");
    refuses("click 1,2 tripple", "click: 'tripple' is one word too many");
    refuses("wheel 0", "wheel: the number of notches cannot be 0");
    refuses("wheel x", "wheel: 'x' is not a whole number");
    refuses("wheel 1 at", "wheel: the place is missing");
}

Test(scenario, reads_menus_marks_and_programs)
{
    const struct um_scenario_step *step = second("menu \"File\" \"Open...\"");
    cr_assert_eq(step->argc, 2);
    cr_assert_str_eq(step->argv[1], "Open...");
    cr_assert_str_eq(second("mark \"half way\"")->text, "half way");
    step = second("exec cmd /c exit");
    cr_assert(step->argc == 3 && strcmp(step->argv[2], "exit") == 0);
    refuses("menu", "menu: write the labels");
    refuses("menu a \"\"", "menu: a label is empty");
    refuses("mark", "mark: a text is missing");
    refuses("exec", "exec: a program is missing");
    refuses("exec \"\"", "exec: a program is missing");
}

Test(scenario, blocks_know_their_other_end)
{
    cr_assert_eq(parse(START "repeat 2 {\n measure m {\n  key a\n }\n}\nclose discard\n", NULL, 0),
                 UM_OK, "%s", error);
    cr_assert_eq(scenario.step_count, 7);
    cr_assert(scenario.steps[1].op == UM_SCENARIO_REPEAT && scenario.steps[1].partner == 5);
    cr_assert(scenario.steps[5].op == UM_SCENARIO_REPEAT_END && scenario.steps[5].partner == 1);
    cr_assert(scenario.steps[2].op == UM_SCENARIO_MEASURE && scenario.steps[2].partner == 4);
    cr_assert(scenario.steps[4].op == UM_SCENARIO_MEASURE_END && scenario.steps[4].partner == 2);
    cr_assert(scenario.steps[3].depth == 2 && scenario.steps[4].depth == 1);
    cr_assert(scenario.steps[6].discard);
    /* launch, repeat, twice (measure, key, end, end), close */
    cr_assert_eq(scenario.expanded, 2 + 2 * 3 + 1 + 1);
    cr_assert_eq(scenario.inputs, 2);
}

Test(scenario, refuses_broken_blocks)
{
    refuses("}", "'}' closes nothing");
    refuses("repeat 2 {", "the '{' of this line is never closed");
    refuses("repeat 2", "repeat: end the line with '{'");
    refuses("repeat {", "repeat: '{' is not a whole number");
    refuses("repeat 2 { key a", "repeat: 'key' is another step; it needs a line of its own");
    refuses("key a type \"b\"", "key: 'type' is another step; it needs a line of its own");
    refuses("key a \"type\"", "key: 'type' is one word too many");
    refuses("measure {", "measure: a name is missing");
    refuses("measure a.b {", "measure: 'a.b' is not a valid name");
    refuses("measure startup {", "measure: 'startup' is the measure that launch makes");
    refuses("measure layout {", "measure: 'layout' is the measure that --layout makes");
    refuses("measure \"\" {", "measure: '' is not a valid name");
    refuses_text(START "measure a {\n}\n", "f.uimon:3: there is nothing between");
    refuses_text(START "measure a {\nrepeat 2 {\nmeasure b {\n",
                 "f.uimon:4: measure: the one of line 2 is still open");
    refuses_text(START "measure a {\nclose\n}\n", "f.uimon:3: close: it ends the run");
}

Test(scenario, a_measure_may_come_again_after_its_end)
{
    cr_assert_eq(parse(START "measure a {\nkey a\n}\nmeasure a {\nkey a\n}\n", NULL, 0), UM_OK,
                 "%s", error);
}

Test(scenario, nothing_is_done_with_a_closed_program)
{
    refuses_text(START "close\nkey a\n", "f.uimon:3: key: the program was closed in line 2");
    refuses_text(START "close\nclose\n", "f.uimon:3: close: the program was closed in line 2");
    refuses_text("attach a\nclose\n", "f.uimon:2: close: the program was not launched");
    cr_assert_eq(parse(START "close\nsleep 1\nexec a\nmark b\n", NULL, 0), UM_OK, "%s", error);
}

Test(scenario, bounds_how_deep_and_how_much)
{
    char text[512] = START;
    for (int i = 0; i < 8; i++)
        strcat(text, "repeat 5 {\n");
    strcat(text, "key a\n}\n}\n}\n}\n}\n}\n}\n}\n");
    cr_assert_eq(parse(text, NULL, 0), UM_OK, "%s", error);
    refuses_text(START "repeat 1 {\nrepeat 1 {\nrepeat 1 {\nrepeat 1 {\nrepeat 1 {\nrepeat 1 {\n"
                       "repeat 1 {\nrepeat 1 {\nrepeat 1 {\n",
                 "f.uimon:10: repeat: blocks are nested more than 8 deep");
    refuses_text(START "repeat 1000 {\nrepeat 1000 {\nrepeat 2 {\n",
                 "f.uimon:4: repeat: with the blocks around it");
    refuses_text(START "repeat 600000 {\nsleep 1\nsleep 1\n}\n",
                 "f.uimon:4: with all repetitions there are more than a million");
    refuses_text(START "repeat 1000 {\nkey a times 2000\n}\n", "f.uimon:3: with all repetitions");
}

Test(scenario, bounds_lines_steps_words_and_the_file)
{
    static char text[UM_SCENARIO_MAX_BYTES + 64];

    size_t used = (size_t)snprintf(text, sizeof text, START "type ");
    memset(text + used, 'x', UM_SCENARIO_MAX_LINE_BYTES - 5);
    strcpy(text + used + UM_SCENARIO_MAX_LINE_BYTES - 5, "\r\n");
    cr_assert_eq(parse(text, NULL, 0), UM_OK, "%s", error);
    strcpy(text + used + UM_SCENARIO_MAX_LINE_BYTES - 5, "x\r\n");
    refuses_text(text, "f.uimon:2: the line is longer than 4096 bytes");

    used = (size_t)snprintf(text, sizeof text, START);
    for (int i = 0; i < UM_SCENARIO_MAX_STEPS - 1; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "key a\n");
    cr_assert_eq(parse(text, NULL, 0), UM_OK, "%s", error);
    snprintf(text + used, sizeof text - used, "key a\n");
    refuses_text(text, "f.uimon:4097: there are more than 4096 steps");

    memset(text, '\n', sizeof text - 1);
    text[sizeof text - 1] = 0;
    refuses_text(text, "the file is larger than");

    used = (size_t)snprintf(text, sizeof text, START "exec");
    for (int i = 0; i < 64; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, " a");
    refuses_text(text, "f.uimon:2: there are more than 64 words");
}

Test(scenario, variables_stand_for_their_values)
{
    const char *const defines[] = {"N=3", "TEXT=a b", "N=4"};
    const char *text = "set PROGRAM a.exe\nset N 10\nset TEXT x\nlaunch ${PROGRAM}\n"
                       "repeat ${N} {\ntype \"<${TEXT}>\"\ntype ${TEXT}\nkey ctrl+${N}\n}\n";
    cr_assert_eq(parse(text, defines, 3), UM_OK, "%s", error);
    cr_assert_str_eq(scenario.steps[0].argv[0], "a.exe");
    cr_assert_eq(scenario.steps[1].count, 4, "the last define counts");
    cr_assert_str_eq(scenario.steps[2].text, "<a b>");
    cr_assert_str_eq(scenario.steps[3].text, "a b", "a value with a blank stays one word");
    cr_assert_eq(scenario.steps[4].key.character, '4');
}

Test(scenario, a_value_is_never_read_as_scenario)
{
    const char *const defines[] = {"A=\" { # ${B} \\n"};
    cr_assert_eq(parse(START "type ${A}\ntype \"${A}\"\n", defines, 1), UM_OK, "%s", error);
    cr_assert_str_eq(scenario.steps[1].text, "\" { # ${B} \\n");
    cr_assert_str_eq(scenario.steps[2].text, "\" { # ${B} \\n");
}

Test(scenario, refuses_unknown_and_broken_variables)
{
    const char *const unknown[] = {"TXT=1"};
    const char *const nameless[] = {"=1"};
    const char *const valueless[] = {"A"};

    refuses("type ${A}", "there is no variable 'A'; give it a value above this line: set A VALUE");
    refuses("type ${A", "'${' needs a variable's name and '}'");
    refuses("type ${}", "'${' needs a variable's name");
    refuses("type \"${1}\"", "'${' needs a variable's name");
    refuses("set A", "set: write a name and a value");
    refuses("set 1A b", "set: '1A' is not a valid name");
    refuses("set A b c", "set: 'c' is one word too many; put quotes");
    refuses_text("set A b\nset A c\n" START, "f.uimon:2: set: A has its value already");
    cr_assert_eq(parse("set TEXT a\n" START, unknown, 1), UM_ERR_ARG);
    cr_assert_str_eq(error, "uimon: TXT: f.uimon has no variable of that name; did you mean "
                            "'TEXT'?");
    cr_assert_eq(parse(START, nameless, 1), UM_ERR_ARG);
    cr_assert_eq(parse(START, valueless, 1), UM_ERR_ARG);
    cr_assert_str_eq(error, "uimon: A: a variable is set as NAME=VALUE");
}

Test(scenario, values_cannot_make_a_line_endless)
{
    char text[4096] = "set A \"";
    memset(text + 7, 'x', 1000);
    strcpy(text + 1007,
           "\"\nset B ${A}${A}${A}${A}${A}${A}${A}${A}\nset C ${B}${B}${B}${B}\n" START);
    refuses_text(text, "f.uimon:3: the line is too long with the values of its variables");
}

Test(scenario, comments_and_blanks_do_not_matter)
{
    cr_assert_eq(parse("\xef\xbb\xbf# c\r\n\r\n \tlaunch  a.exe\t# c\r\n  key a#b\r\n", NULL, 0),
                 UM_ERR_FORMAT, "a '#' inside a word belongs to it");
    cr_assert_eq(parse("\xef\xbb\xbf# c\r\n\r\n \tlaunch  a.exe\t# c\r\n  type a#b #c", NULL, 0),
                 UM_OK, "%s", error);
    cr_assert_str_eq(scenario.steps[1].text, "a#b");
    cr_assert_eq(scenario.steps[1].line, 4);
}

Test(scenario, refuses_unknown_steps_with_a_suggestion)
{
    refuses("tipe \"a\"", "unknown step 'tipe'; did you mean 'type'?");
    refuses("sett A b", "unknown step 'sett'; did you mean 'set'?");
    refuses("frobnicate", "unknown step 'frobnicate'; the steps are launch");
    refuses("\"type\" a", "unknown step 'type'");
    refuses("\x1b[2J", "unknown step '");
}

Test(scenario, refuses_what_is_not_utf8)
{
    refuses("type \"\xfc\"", "the text is not UTF-8");
    release();
    cr_assert_eq(
        um_scenario_parse("launch\0a", 8, "f.uimon", NULL, 0, &scenario, error, sizeof error),
        UM_ERR_FORMAT);
}

static void describes(const char *line, const char *expected)
{
    char text[UM_SCENARIO_DESCRIBE_BYTES];
    um_scenario_describe_step(second(line), text, sizeof text);
    cr_expect_str_eq(text, expected);
}

Test(scenario, describes_each_step)
{
    describes("wait-window Notepad", "wait-window class:Notepad within 30 s");
    describes("wait-window \"a b\" within 100", "wait-window \"a b\" within 100 ms");
    describes("wait-window", "wait-window within 30 s");
    describes("wait-idle 500", "wait-idle 500 ms within 60 s");
    describes("sleep 1.5s", "sleep 1500 ms");
    describes("type \"a\\n\\\"\\\\\\t\" rate 12/s",
              "type \"a\\n\\\"\\\\\\t\" (5 keys, 12 a second)");
}

Test(scenario, describes_keys_places_and_programs)
{
    describes("key shift+ctrl+space", "key ctrl+shift+space");
    describes("key del times 3", "key delete times 3 (10 a second)");
    describes("key \xe6\xbc\xa2", "key \xe6\xbc\xa2");
    describes("click 1,2 double", "click 1,2 double");
    describes("click class:Edit 1,2", "click class:Edit 1,2");
    describes("wheel -2 at class:Edit", "wheel -2 at class:Edit (10 a second)");
    describes("wheel 1", "wheel 1");
    describes("menu File \"Save as\"", "menu \"File\" \"Save as\"");
    describes("exec a \"b c\"", "exec a \"b c\"");
    describes("close discard", "close discard");
}

Test(scenario, a_described_text_cannot_command_a_terminal)
{
    char text[UM_SCENARIO_DESCRIBE_BYTES];
    char line[1200] = "exec \"";
    strcat(line, "\x1b[2J");
    memset(line + strlen(line), 'y', 1000);
    strcat(line, "\"");
    um_scenario_describe_step(second(line), text, sizeof text);
    cr_expect_null(strchr(text, 0x1b));
    cr_expect_lt(strlen(text), 80);
}

Test(scenario, lists_all_steps_without_unrolling)
{
    FILE *out = written_open();
    parse(START "repeat 1000 {\n  key a\n}\n", NULL, 0);
    cr_assert_eq(um_scenario_describe_all(&scenario, out), UM_OK);
    cr_assert_str_eq(written_read(out, NULL), "   1  line 1    launch a.exe\n"
                                              "   2  line 2    repeat 1000 {\n"
                                              "   3  line 3      key a\n"
                                              "   4  line 4    }\n");
}
