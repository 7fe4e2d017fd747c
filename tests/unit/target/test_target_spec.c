#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "monitor/options/options.h"
#include "monitor/target/target_spec.h"
#include "tests/written.h"

static char error[UM_OPTIONS_ERROR_BYTES];

static struct um_target_spec parsed(const char *target)
{
    struct um_target_spec spec;

    cr_assert_eq(um_target_spec_parse(target, &spec, error, sizeof error), UM_OK, "%s", error);
    return spec;
}

static void assert_refused(const char *target, const char *expected)
{
    struct um_target_spec spec;

    cr_assert_eq(um_target_spec_parse(target, &spec, error, sizeof error), UM_ERR_ARG);
    cr_assert_str_eq(error, expected);
}

static struct um_target_info program(uint32_t pid, const char *name, const char *title,
                                     uint64_t started)
{
    struct um_target_info info = {.pid = pid, .tid = pid + 1, .started = started, .bits = 64};

    info.hwnd = title ? pid * 16 : 0;
    snprintf(info.name, sizeof info.name, "%s", name);
    snprintf(info.title, sizeof info.title, "%s", title ? title : "");
    snprintf(info.window_class, sizeof info.window_class, "%s", title ? "Notepad" : "");
    return info;
}

static struct um_target_info refused(uint32_t pid, const char *name, uint64_t started)
{
    struct um_target_info info = program(pid, name, "Elevated", started);

    snprintf(info.why_not, sizeof info.why_not, "it runs elevated; start uimon elevated too");
    return info;
}

static bool could_wait;

/* What is chosen: its place in the list, after the status was checked. */
static size_t chosen(const char *target, const struct um_target_info *list, size_t count,
                     bool newest, enum um_status expected)
{
    struct um_target_spec spec = parsed(target);
    size_t index = 99;

    spec.could_wait = could_wait;
    error[0] = '\0';
    cr_assert_eq(um_target_spec_match(&spec, list, count, newest, &index, error, sizeof error),
                 expected, "%s", error);
    return index;
}

Test(target_spec, reads_names_with_and_without_exe)
{
    cr_assert_eq(parsed("devenv").kind, UM_TARGET_SPEC_NAME);
    cr_assert_str_eq(parsed("devenv").text, "devenv");
    cr_assert_str_eq(parsed("DevEnv.EXE").text, "DevEnv");
    cr_assert_str_eq(parsed(".exe").text, ".exe");
    cr_assert_str_eq(parsed("a.b").text, "a.b");
}

Test(target_spec, all_digits_are_a_process_id)
{
    cr_assert_eq(parsed("1234").kind, UM_TARGET_SPEC_PID);
    cr_assert_eq(parsed("4294967295").pid, UINT32_MAX);
    cr_assert_eq(parsed("1234.exe").kind, UM_TARGET_SPEC_NAME);
    cr_assert_str_eq(parsed("1234.exe").text, "1234");
    cr_assert_eq(parsed("7zFM").kind, UM_TARGET_SPEC_NAME);
}

Test(target_spec, reads_titles_and_classes)
{
    cr_assert_eq(parsed("title:a: b").kind, UM_TARGET_SPEC_TITLE);
    cr_assert_str_eq(parsed("title:a: b").text, "a: b");
    cr_assert_eq(parsed("Class:Notepad").kind, UM_TARGET_SPEC_CLASS);
    cr_assert_str_eq(parsed("class:x.exe").text, "x.exe");
}

Test(target_spec, refuses_what_names_nothing)
{
    char longest[UM_TARGET_SPEC_TEXT_BYTES + 1];

    memset(longest, 'x', sizeof longest);
    longest[UM_TARGET_SPEC_TEXT_BYTES] = '\0';
    assert_refused(longest, "uimon: the target's program's name is too long; TARGET is a name, a "
                            "process id, title:TEXT or class:NAME");
    assert_refused("", "uimon: the target's program's name is empty; TARGET is a name, a process "
                       "id, title:TEXT or class:NAME");
    assert_refused("title:", "uimon: the target's title is empty; TARGET is a name, a process id, "
                             "title:TEXT or class:NAME");
    assert_refused("0", "uimon: 0: no process has this id; 'uimon list' shows what can be watched");
    assert_refused("4294967296", "uimon: 4294967296: no process has this id; 'uimon list' shows "
                                 "what can be watched");
    assert_refused("99999999999999999999999", "uimon: 99999999999999999999999: no process has this "
                                              "id; 'uimon list' shows what can be watched");
    assert_refused("C:\\x\\y.exe", "uimon: C:\\x\\y.exe is a path; give the program's name alone, "
                                   "or start it with --launch");
}

Test(target_spec, a_name_fits_in_any_case_and_whole)
{
    struct um_target_info list[] = {program(1, "devenv2.exe", "a", 0),
                                    program(2, "DevEnv.exe", "b", 0)};

    cr_assert_eq(chosen("devenv", list, 2, false, UM_OK), 1);
    cr_assert_eq(chosen("DEVENV.EXE", list, 2, false, UM_OK), 1);
    chosen("deven", list, 2, false, UM_ERR_NOT_FOUND);
    cr_assert_str_eq(error, "uimon: no program called 'deven' is running; 'uimon list' shows what "
                            "can be watched");
}

/* Where a program can be waited for and was not. */
Test(target_spec, waiting_is_advised)
{
    struct um_target_info list[] = {program(1, "a.exe", "title", 0),
                                    program(123, "foo.exe", NULL, 0)};
    static const char *const targets[] = {"nosuch", "title:nosuch", "class:nosuch", "foo"};

    could_wait = true;
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        chosen(targets[i], list, 2, false, UM_ERR_NOT_FOUND);
        cr_expect(strstr(error, "shows what can be watched, --wait waits for i"), "%s", error);
    }
    chosen("124", list, 2, false, UM_ERR_NOT_FOUND);
    cr_expect(!strstr(error, "--wait"), "a process id does not come: %s", error);
}

Test(target_spec, a_title_fits_by_a_part_and_a_class_whole)
{
    struct um_target_info list[] = {program(1, "a.exe", "R\xc3\x89SUM\xc3\x89 - Word", 0)};

    cr_assert_eq(chosen("title:r\xc3\xa9sum\xc3\xa9", list, 1, false, UM_OK), 0);
    cr_assert_eq(chosen("class:NOTEPAD", list, 1, false, UM_OK), 0);
    chosen("title:excel", list, 1, false, UM_ERR_NOT_FOUND);
    cr_assert_str_eq(error, "uimon: no program's main window has 'excel' in its title; 'uimon "
                            "list' shows what can be watched");
    chosen("class:Note", list, 1, false, UM_ERR_NOT_FOUND);
    cr_assert_str_eq(error, "uimon: no program's main window is of the class 'Note'; 'uimon list' "
                            "shows what can be watched");
}

Test(target_spec, several_that_fit_are_listed)
{
    struct um_target_info list[] = {program(101, "notepad.exe", "a.txt - Notepad", 5),
                                    program(7, "calc.exe", "Calculator", 9),
                                    program(205, "notepad.exe", "b.txt - Notepad", 6)};

    cr_assert_eq(chosen("notepad", list, 3, false, UM_ERR_AMBIGUOUS), 99);
    cr_assert_str_eq(error, "uimon: 'notepad' fits 2 programs: 101 \"a.txt - Notepad\", 205 "
                            "\"b.txt - Notepad\"; say which by its process id, or --newest");
    cr_assert_eq(chosen("notepad", list, 3, true, UM_OK), 2);
    cr_assert_eq(chosen("title:a.txt", list, 3, false, UM_OK), 0);
    cr_assert_eq(chosen("205", list, 3, false, UM_OK), 2);
}

Test(target_spec, the_newest_is_found_wherever_it_stands)
{
    struct um_target_info list[] = {program(3, "a.exe", "x", 9), program(1, "a.exe", "y", 5),
                                    program(2, "a.exe", "z", 7)};

    cr_assert_eq(chosen("a", list, 3, true, UM_OK), 0);
}

Test(target_spec, a_long_list_of_candidates_stays_one_line_in_bounds)
{
    struct um_target_info list[20];
    char title[200];

    for (size_t i = 0; i < sizeof title - 3; i += 3)
        memcpy(title + i, "\xe6\x97\xa5", 4);
    for (uint32_t i = 0; i < 20; i++)
        list[i] = program(4294967000U + i, "a.exe", title, i);
    chosen("a", list, 20, false, UM_ERR_AMBIGUOUS);
    cr_assert_not_null(strstr(error, "fits 20 programs"));
    cr_assert_not_null(strstr(error, " and others; say which by its process id, or --newest"));
    for (size_t cap = 1; cap < 200; cap++) {
        struct um_target_spec spec = parsed("a");
        size_t index;
        error[cap] = 'z';
        um_target_spec_match(&spec, list, 20, false, &index, error, cap);
        cr_assert_eq(error[cap], 'z');
    }
}

Test(target_spec, a_process_without_a_window_says_so)
{
    struct um_target_info list[] = {program(123, "foo.exe", NULL, 0)};

    chosen("foo", list, 1, false, UM_ERR_NOT_FOUND);
    cr_assert_str_eq(error, "uimon: process 123 (foo.exe) has no window of its own; 'uimon list' "
                            "shows what can be watched");
    chosen("123", list, 1, false, UM_ERR_NOT_FOUND);
    cr_assert_not_null(strstr(error, "process 123 (foo.exe) has no window"));
    chosen("124", list, 1, false, UM_ERR_NOT_FOUND);
    cr_assert_str_eq(error, "uimon: there is no process 124; 'uimon list' shows what can be "
                            "watched");
}

Test(target_spec, a_window_is_preferred_to_none)
{
    struct um_target_info list[] = {program(1, "a.exe", NULL, 9), program(2, "a.exe", "x", 5),
                                    program(3, "a.exe", NULL, 9)};

    cr_assert_eq(chosen("a", list, 3, false, UM_OK), 1);
    cr_assert_eq(chosen("a", list, 3, true, UM_OK), 1);
}

Test(target_spec, what_can_be_attached_to_is_preferred)
{
    struct um_target_info list[] = {refused(1, "a.exe", 9), program(2, "a.exe", "x", 5)};

    cr_assert_eq(chosen("a", list, 2, false, UM_OK), 1);
    cr_assert_eq(chosen("1", list, 2, false, UM_ERR_DENIED), 0);
    cr_assert_str_eq(error, "uimon: process 1 (a.exe) cannot be watched: it runs elevated; start "
                            "uimon elevated too");
}

Test(target_spec, nothing_is_found_in_an_empty_list)
{
    chosen("a", NULL, 0, true, UM_ERR_NOT_FOUND);
}

Test(target_spec, the_main_window_is_the_largest_that_qualifies)
{
    const struct um_target_window windows[] = {
        {.hwnd = 1, .area_px = 900, .visible = false},
        {.hwnd = 2, .area_px = 800, .visible = true, .owned = true},
        {.hwnd = 3, .area_px = 700, .visible = true, .tool = true},
        {.hwnd = 4, .area_px = 600, .visible = true, .cloaked = true},
        {.hwnd = 5, .area_px = 10, .visible = true},
        {.hwnd = 6, .area_px = 50, .visible = true},
        {.hwnd = 7, .area_px = 50, .visible = true},
        {.hwnd = 8, .area_px = 70, .visible = true, .pid = 1},
    };

    cr_assert_eq(um_target_spec_main_window(windows, 8, 0), &windows[5]);
    cr_assert_eq(um_target_spec_main_window(windows, 8, 1), &windows[7]);
    cr_assert_null(um_target_spec_main_window(windows, 4, 0));
}

Test(target_spec, a_window_without_an_area_can_be_the_main_one)
{
    const struct um_target_window window = {.hwnd = 1, .visible = true};

    cr_assert_eq(um_target_spec_main_window(&window, 1, 0), &window);
}

static char *printed(const struct um_target_info *list, size_t count, size_t columns)
{
    FILE *file = written_open();
    cr_assert_eq(um_target_spec_print_list(file, list, count, columns), UM_OK);
    return written_read(file, NULL);
}

Test(target_spec, lists_programs_with_windows_by_name)
{
    struct um_target_info list[] = {program(20, "notepad.exe", "b", 0),
                                    refused(1234, "Boss.exe", 0), program(3, "daemon.exe", NULL, 0),
                                    program(10, "Notepad.exe", "\xe6\x97\xa5 x", 0)};

    list[3].bits = 32;
    cr_assert_str_eq(printed(list, 4, 0),
                     " pid  bits  name         title     why not\n"
                     "1234    64  Boss.exe     Elevated  it runs elevated; start uimon elevated "
                     "too\n"
                     "  10    32  Notepad.exe  \xe6\x97\xa5 x\n"
                     "  20    64  notepad.exe  b\n");
}

Test(target_spec, lists_what_is_measured_where_that_is_not_the_whole_program)
{
    struct um_target_info list[] = {program(1, "a.exe", "plain", 0),
                                    program(2, "idea64.exe", "IDE", 0), refused(3, "z.exe", 0)};

    snprintf(list[1].toolkit, sizeof list[1].toolkit, "Java");
    cr_assert_str_eq(printed(list, 2, 0), "pid  bits  name        title  measured\n"
                                          "  1    64  a.exe       plain\n"
                                          "  2    64  idea64.exe  IDE    window thread (Java)\n");
    cr_assert_str_eq(printed(list, 3, 0),
                     "pid  bits  name        title     measured              why not\n"
                     "  1    64  a.exe       plain\n"
                     "  2    64  idea64.exe  IDE       window thread (Java)\n"
                     "  3    64  z.exe       Elevated                        it runs elevated; "
                     "start uimon elevated too\n");
}

Test(target_spec, says_that_there_is_nothing_to_list)
{
    struct um_target_info list[] = {program(3, "daemon.exe", NULL, 0)};

    cr_expect_str_eq(printed(NULL, 0, 80), "There is nothing to watch: no program has a window.\n");
    cr_expect_str_eq(printed(list, 1, 80), "There is nothing to watch: no program has a window.\n");
}

Test(target_spec, says_why_a_program_was_not_started)
{
    cr_expect(strstr(um_target_spec_not_started(UM_ERR_NOT_FOUND), "give its whole path"));
    cr_expect(strstr(um_target_spec_not_started(UM_ERR_FORMAT), "it is no program"));
    cr_expect(strstr(um_target_spec_not_started(UM_ERR_DENIED), "administrator"));
    cr_expect_str_eq(um_target_spec_not_started(UM_ERR_MEMORY), "out of memory");
}

Test(target_spec, a_list_fits_the_terminal)
{
    struct um_target_info list[] = {
        program(20, "notepad.exe", "A title that is much longer than there is room for it", 0),
        program(21, "notepad.exe", "short", 0)};
    char *text = printed(list, 2, 40);

    cr_assert_str_eq(text, "pid  bits  name         title\n"
                           " 20    64  notepad.exe  A title that is\xe2\x80\xa6\n"
                           " 21    64  notepad.exe  short\n");
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        cr_assert_leq(um_utf8_columns(line), 40);
}
