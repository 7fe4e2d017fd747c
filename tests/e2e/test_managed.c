/* Files and lines of methods that a runtime has compiled, by a library that stands for .NET's
 * own (tests/win/runtime/mscordaccore.c): it says that they come from an assembly which csc has
 * compiled (tests/golden/managed). The lines are those of tests/golden/managed/points.txt. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/e2e/harness.h"
#include "tests/e2e/pages.h"
#include "tests/e2e/sampled.h"
#include "tests/win/runtime/methods.h"

#define GOLDEN UM_SOURCE_DIR "/tests/golden/managed/"
#define FREEZE "spin:1009" /* over one of its methods the library reads without end */

static char recording[PATH_BYTES], said[PATH_BYTES];
static char module[64]; /* what the assembly's methods are called by */

/* Copies a golden file into a folder of the test's, which is called so there. */
static void place(const char *folder, const char *golden, const char *name)
{
    char from[PATH_BYTES], to[PATH_BYTES];
    snprintf(from, sizeof from, GOLDEN "%s", golden);
    snprintf(to, sizeof to, "%s/%s", test_folder(folder), name);
    copy_file(from, to);
}

/* Freezes of a program with methods of this assembly, until the recording has their names. Without
 * a path for symbols, there is nothing on it. `mine` may be NULL. Returns the summary. Owner:
 * cJSON_Delete. */
static cJSON *watch_freezes_in(const char *assembly, const char *symbol_path, const char *mine)
{
    struct target target;
    struct monitor monitor;

    set_variable(RUNTIME_ASSEMBLY, assembly);
    snprintf(recording, sizeof recording, "%s", windows_path(test_file("managed.uimon")));
    start_target(&target, "target_works_win32", NULL);
    start_monitor(&monitor, &target, "--record", recording, "--symbol-path",
                  symbol_path ? symbol_path : windows_path(test_folder("empty")),
                  mine ? "--mine" : NULL, mine, NULL);
    sampled_freezes(&target, FREEZE, test_file("managed.uimon"),
                    "Stub.Type.Method0(Int32)"); /* the outermost one is in whole stacks alone */
    snprintf(said, sizeof said, "%s", monitor.program.err);
    return stop_monitor(&monitor);
}

/* The same for an assembly in the test's folder. Returns the exported profile. Owner:
 * cJSON_Delete. */
static cJSON *freeze_in(const char *assembly, const char *symbol_path, const char *mine)
{
    char path[PATH_BYTES];
    const char *out, *err;

    snprintf(path, sizeof path, "%s/%s", test_folder("assembly"), assembly);
    snprintf(module, sizeof module, "%.*s", (int)strcspn(assembly, "."), assembly);
    cJSON_Delete(watch_freezes_in(windows_path(path), symbol_path, mine));
    cr_assert_eq(run(&out, &err, "uimon", "export", recording, "--format", "speedscope", NULL), 0,
                 "%s", err);
    cJSON *json = cJSON_Parse(out);
    cr_assert(json, "%.2000s", out);
    return json;
}

/* "FILE:LINE" or "FILE:~LINE" of the n-th method in an exported profile; "": not known. Owner:
 * static. */
static const char *place_of(const cJSON *json, unsigned number)
{
    static char text[PATH_BYTES];
    char name[128];
    const cJSON *frames = cJSON_GetObjectItem(cJSON_GetObjectItem(json, "shared"), "frames");
    const cJSON *frame;
    snprintf(name, sizeof name, "%s!Stub.Type.Method%u(Int32)", module, number);
    cJSON_ArrayForEach(
        frame, frames) if (strcmp(cJSON_GetObjectItem(frame, "name")->valuestring, name) == 0)
    {
        const cJSON *file = cJSON_GetObjectItem(frame, "file");
        const cJSON *line = cJSON_GetObjectItem(frame, "line");
        int len = snprintf(text, sizeof text, "%s", file ? file->valuestring : "");
        if (line)
            snprintf(text + len, sizeof text - (size_t)len, ":%d", line->valueint);
        return text;
    }
    cr_assert_fail("no %s", name);
    return "";
}

/* Of a method's IL offsets 0, 3, 12, 18, 21 and 33. Functions 0, 4 and 6 were optimised, so that
 * their instructions may be of the next point. */
static void expect_lines(const cJSON *json)
{
    cr_expect_str_eq(place_of(json, 0), "C:\\lines\\lines.cs:~60");
    cr_expect_str_eq(place_of(json, 1), "C:\\lines\\lines.cs:61");
    cr_expect_str_eq(place_of(json, 4), "C:\\lines\\lines.cs:~65");
    cr_expect_str_eq(place_of(json, 6), "C:\\lines\\form.template:~4000");
    cr_expect_str_eq(place_of(json, 7), "C:\\lines\\form.template:3");
    cr_expect_str_eq(place_of(json, 11), "C:\\lines\\lines.cs:72");
}

static void expect_none(const cJSON *json, const char *why)
{
    char *text = read_text(said);
    cr_expect_str_eq(place_of(json, 0), "");
    cr_expect_str_eq(place_of(json, 11), "");
    cr_expect((strstr(text, "have no files and lines") != NULL) == (why != NULL), "%s", text);
    cr_expect(!why || strstr(text, why), "%s", text);
    free(text);
}

Test(managed, lines_are_those_of_the_pdb_beside_the_assembly)
{
    place("assembly", "lines.dll", "lines.dll");
    place("assembly", "lines.pdb", "lines.pdb");
    cJSON *json = freeze_in("lines.dll", NULL, NULL);
    expect_lines(json);
    cJSON_Delete(json);
}

static const cJSON *find_function(const cJSON *functions, const char *name)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, functions) if (strstr(cJSON_GetObjectItem(item, "name")->valuestring,
                                                   name)) return item;
    cr_assert_fail("no %s", name);
    return NULL;
}

static void expect_marks(const cJSON *functions)
{
    const cJSON *marked = find_function(functions, "Method4(Int32)");
    const cJSON *exact = find_function(functions, "Method7(Int32)");
    cr_expect_eq(number(marked, "line"), 65);
    cr_expect(cJSON_IsTrue(cJSON_GetObjectItem(marked, "line_is_nearest")));
    cr_expect_eq(number(exact, "line"), 3);
    cr_expect(!cJSON_GetObjectItem(exact, "line_is_nearest"));
}

/* Looks at the page that `uimon report` makes of the recording with this --source-path: it says of
 * lines.cs, which is found at `path`, that it is in this state. */
static void look_at_source(const char *source_path, const char *state, const char *path)
{
    char page[PATH_BYTES], windows_page[PATH_BYTES], shown[PATH_BYTES];
    const char *out, *err;
    snprintf(page, sizeof page, "%s", test_file("source.html"));
    snprintf(windows_page, sizeof windows_page, "%s", windows_path(page));
    snprintf(shown, sizeof shown, "%s", windows_path(path));
    for (char *at = shown; *at; at++)
        *at = *at == '\\' ? '/' : *at;
    cr_assert_eq(run(&out, &err, "uimon", "report", recording, "--html", windows_page,
                     "--source-path", source_path, NULL),
                 0, "%s", err);
    look_at("check_page.py source %s %s '%s' 'static int Hidden(int'", page, state, shown);
}

/* 20 comment lines were inserted into one since the build; another one is as it was. */
static void look_at_sources(void)
{
    char built[PATH_BYTES], changed[PATH_BYTES], both[2 * PATH_BYTES];
    char *text = read_text(UM_SOURCE_DIR "/tests/dotnet/lines.cs");
    snprintf(built, sizeof built, "%s/lines.cs", test_folder("built"));
    snprintf(changed, sizeof changed, "%s/lines.cs", test_folder("changed"));
    copy_file(UM_SOURCE_DIR "/tests/dotnet/lines.cs", built);
    FILE *file = open_file(changed, "wb");
    cr_assert(file);
    for (int i = 0; i < 20; i++)
        fputs("// inserted comment\n", file);
    cr_assert(fputs(text, file) >= 0 && fclose(file) == 0);
    free(text);
    snprintf(both, sizeof both, "%s", windows_path(test_folder("changed")));
    look_at_source(both, "other", changed);
    snprintf(both + strlen(both), sizeof both - strlen(both), ";%s",
             windows_path(test_folder("built")));
    look_at_source(both, "built", built);
}

/* The page is gone through as a person would, by the system's browser. */
Test(managed, lines_are_on_the_page_in_links_to_the_editor_and_in_comparisons)
{
    char page[PATH_BYTES], json_path[PATH_BYTES], windows_page[PATH_BYTES];
    char windows_json[PATH_BYTES];
    const char *out, *err;
    place("assembly", "lines.dll", "lines.dll");
    place("assembly", "lines.pdb", "lines.pdb");
    cJSON_Delete(freeze_in("lines.dll", NULL, NULL));
    snprintf(page, sizeof page, "%s", test_file("managed.html"));
    snprintf(json_path, sizeof json_path, "%s", test_file("managed.json"));
    snprintf(windows_page, sizeof windows_page, "%s", windows_path(page));
    snprintf(windows_json, sizeof windows_json, "%s", windows_path(json_path));
    cr_assert_eq(run(&out, &err, "uimon", "report", recording, "--html", windows_page, "--json",
                     windows_json, "--editor-link", "vscode://file/{file}:{line}", "--source-path",
                     windows_path(UM_SOURCE_DIR "/tests/dotnet"), NULL),
                 0, "%s", err);
    cJSON *json = read_json(json_path);
    expect_marks(cJSON_GetObjectItem(cJSON_GetObjectItem(json, "profile"), "functions"));
    char *text = read_text(page);
    cr_expect(strstr(text, "static int Hidden(int value)"), "the source is not in the page");
    free(text);
    look_at("check_page.py stacks %s 'Stub.Type.Method4(Int32)' %d", page,
            (int)number(json, "profile.samples"));
    look_at_sources();
    cJSON_Delete(json);
    cr_expect_eq(
        run(&out, &err, "uimon", "compare", recording, recording, "--json", windows_json, NULL), 0,
        "%s", err);
    json = read_json(json_path);
    expect_marks(cJSON_GetObjectItem(json, "functions"));
    cJSON_Delete(json);
}

Test(managed, lines_are_those_of_the_pdb_within_the_assembly)
{
    place("assembly", "lines_embedded.dll", "lines_embedded.dll");
    cJSON *json = freeze_in("lines_embedded.dll", NULL, NULL);
    expect_lines(json);
    cJSON_Delete(json);
}

/* Another build's PDB lies beside the assembly, and in the first folder of the path. */
Test(managed, the_right_pdb_is_found_on_the_path_for_symbols)
{
    char path[2 * PATH_BYTES + 2];
    place("assembly", "lines.dll", "lines.dll");
    place("assembly", "lines_optimized.pdb", "lines.pdb");
    place("first", "lines_optimized.pdb", "lines.pdb");
    place("second", "lines.pdb", "lines.pdb");
    snprintf(path, sizeof path, "%s", windows_path(test_folder("first")));
    snprintf(path + strlen(path), sizeof path - strlen(path), ";%s",
             windows_path(test_folder("second")));
    cJSON *json = freeze_in("lines.dll", path, NULL);
    expect_lines(json);
    cJSON_Delete(json);
}

Test(managed, a_pdb_of_another_build_is_not_used)
{
    place("assembly", "lines.dll", "lines.dll");
    place("assembly", "lines_optimized.pdb", "lines.pdb");
    cJSON *json = freeze_in("lines.dll", NULL, NULL);
    expect_none(json,
                "the methods of lines.dll have no files and lines (its PDB is of another build)");
    cJSON_Delete(json);
}

Test(managed, a_windows_pdb_is_told)
{
    char path[PATH_BYTES];
    place("assembly", "lines_windows.dll", "lines_windows.dll");
    snprintf(path, sizeof path, "%s/lines_windows.pdb", test_folder("assembly"));
    FILE *pdb = open_file(path, "wb");
    cr_assert(pdb &&
              fwrite("Microsoft C/C++ MSF 7.00\r\n\x1a"
                     "DS\0\0",
                     1, 32, pdb) == 32 &&
              fclose(pdb) == 0);
    cJSON *json = freeze_in("lines_windows.dll", NULL, NULL);
    expect_none(json,
                "the methods of lines_windows.dll have no files and lines (its PDB is a Windows "
                "PDB: build with /debug:portable)");
    cJSON_Delete(json);
}

Test(managed, methods_without_a_pdb_have_no_lines)
{
    place("assembly", "lines.dll", "lines.dll");
    cJSON *json = freeze_in("lines.dll", NULL, "elsewhere");
    expect_none(json, NULL);
    cJSON_Delete(json);
}

/* Whose a freeze is says the assembly, whether its methods are in a file or not; so nothing is said
 * of a module that no stack has. */
static void expect_mine(const char *assembly, const char *entry)
{
    cJSON *summary = watch_freezes_in(assembly, NULL, entry);
    const char *out, *err;
    double yours = 0;
    for (size_t i = 0; i < freeze_count(summary); i++)
        if (cJSON_HasObjectItem(freeze_at(summary, i), "samples_yours"))
            yours += number(freeze_at(summary, i), "samples_yours");
    cr_expect_gt(yours, 0);
    char *text = read_text(said);
    cr_expect(!strstr(text, "--mine"), "%s", text);
    free(text);
    cJSON_Delete(summary);
    cr_assert_eq(
        run(&out, &err, "uimon", "export", recording, "--format", "folded", "--only", entry, NULL),
        0, "%s", err);
    cr_expect(strstr(out, "lines!Stub.Type.Method0(Int32);lines!Stub.Type.Method1(Int32)"),
              "%.3000s", out);
}

Test(managed, a_freeze_in_methods_is_their_assemblys)
{
    place("assembly", "lines.dll", "lines.dll");
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/lines.dll", test_folder("assembly"));
    expect_mine(windows_path(path), "LINES.dll");
}

Test(managed, an_assembly_from_memory_has_its_name)
{
    expect_mine("lines", "lines.dll");
}

Test(managed, a_missing_pdb_of_the_users_assembly_is_told_with_where_it_was_looked_for)
{
    char expected[2 * PATH_BYTES];
    place("assembly", "lines.dll", "lines.dll");
    cJSON *json = freeze_in("lines.dll", NULL, "lines");
    snprintf(expected, sizeof expected,
             "the methods of lines.dll have no files and lines (no PDB of it was found in %s, "
             "inside it, or on the path for symbols)",
             windows_path(test_folder("assembly")));
    expect_none(json, expected);
    cJSON_Delete(json);
}
