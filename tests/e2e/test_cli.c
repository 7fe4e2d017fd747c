/* The command line: what it refuses and how, what it finds, and what it writes. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/e2e/harness.h"
#include "tests/e2e/overlay_seen.h"

#define ARGS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* A name that needs care: blanks, and letters that no code page but UTF-8 has together. */
#define ODD_NAME "a b \xc3\xa4 \xe6\xbc\xa2"

static const char csv_header[] = "Uimon,ProcessName,ProcessID,Kind,TimeInSeconds,MsLatency,"
                                 "Sequence,State,MsDuration,MsStartUncertainty,Message,WindowClass,"
                                 "InputKind,MsInputDelay,MsProcessing,MsPresentation,MsTotal,"
                                 "InFreeze,VirtualKey";
#define COLUMNS 19

struct said {
    int code;
    char *out;
    char *err;
};

/* Runs uimon to its end. Owner: forget. */
static struct said ask(const char *const *args)
{
    struct said said;
    struct program program;
    start_list(&program, "uimon", args);
    said.code = wait_end(&program, LIMIT_MS);
    said.out = read_text(program.out);
    said.err = read_text(program.err);
    return said;
}

static void forget(struct said *said)
{
    free(said->out);
    free(said->err);
}

static bool is_one_line(const char *text)
{
    const char *end = strchr(text, '\n');
    return end && end > text && end[1] == 0;
}

/* uimon must refuse: with this code, nothing on stdout, and on stderr one line that begins with
 * `start` and says `word`. */
static void refuses_as(const char *start, int code, const char *word, const char *const *args)
{
    char shown[256] = "";
    struct said said = ask(args);

    for (size_t i = 0; args[i]; i++)
        snprintf(shown + strlen(shown), sizeof shown - strlen(shown), " %s", args[i]);
    cr_expect_eq(said.code, code, "exit code %d and not %d:%s", said.code, code, shown);
    cr_expect_eq(said.out[0], 0, "on stdout:%s: %s", shown, said.out);
    cr_expect(is_one_line(said.err), "not one line:%s: %s", shown, said.err);
    cr_expect_eq(strncmp(said.err, start, strlen(start)), 0, "not from '%s':%s: %s", start, shown,
                 said.err);
    cr_expect(strstr(said.err, word) != NULL, "no '%s':%s: %s", word, shown, said.err);
    forget(&said);
}

static void refuses(int code, const char *word, const char *const *args)
{
    refuses_as("uimon: ", code, word, args);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = open_file(path, "wb");
    cr_assert(file != NULL, "cannot write %s", path);
    fputs(text, file);
    fclose(file);
}

/* A JSON text that must be one object and nothing behind it. Owner: cJSON_Delete. */
static cJSON *whole_object(const char *text)
{
    const char *end = NULL;
    cJSON *root = cJSON_ParseWithOpts(text, &end, 0);
    cr_assert(cJSON_IsObject(root), "no JSON object: %s", text);
    cr_expect_eq(end[strspn(end, "\r\n")], 0, "something follows the JSON: %s", end);
    return root;
}

static cJSON *json_file(const char *path)
{
    char *text = read_text(path);
    cJSON *root = whole_object(text);
    free(text);
    return root;
}

/* Bad usage ------------------------------------------------------------------------------------ */

Test(cli, refuses_options_it_does_not_have)
{
    static char endless[4000];
    memset(endless, 'x', sizeof endless - 1);
    refuses(2, "'--bogus'", ARGS("--bogus"));
    refuses(2, "did you mean '--threshold'", ARGS("--attach", "x", "--treshold", "50"));
    refuses(2, "'-x'", ARGS("-x"));
    refuses(2, "'--'", ARGS("--"));
    refuses(2, "unknown command 'frobnicate'", ARGS("frobnicate"));
    refuses(2, "did you mean 'list'", ARGS("lsit"));
    refuses(2, "unknown command", ARGS(""));
    refuses(2, "unknown command", ARGS("two\nlines"));
    refuses(2, "unknown command", ARGS(endless));
    refuses(2, "unknown command 'extra'", ARGS("--attach", "x", "extra"));
    refuses(2, "--jsonl is gone: listen takes --json", ARGS("listen", "x", "--jsonl", "-"));
}

/* A program that something else starts can be traced with these variables. */
Test(cli, trace_env_prints_what_cmd_can_run)
{
    const char *out, *err;
    size_t lines = 0;
    cr_expect_eq(run(&out, &err, "uimon", "trace-env", "uimon-demo", "--trace", "calls", "--only",
                     "A.B,c.dll", NULL),
                 0, "%s", err);
    cr_expect(strstr(out, "set \"CORECLR_ENABLE_PROFILING=1\"") != NULL, "%s", out);
    cr_expect(strstr(out, "uimon-demo.exe\"") != NULL, "%s", out);
    cr_expect(strstr(out, "PROFILER_PATH_64=") && strstr(out, "uimon-clr64.dll\""), "%s", out);
    cr_expect(strstr(out, "PROFILER_PATH_32=") && strstr(out, "uimon-clr32.dll\""), "%s", out);
    cr_expect(strstr(out, "set \"UIMON_CLR_DEPTH=counts\"") != NULL, "%s", out);
    cr_expect(strstr(out, "set \"UIMON_CLR_ONLY=A.B,c.dll\"") != NULL, "%s", out);
    for (const char *at = out; *at; at = strchr(at, '\n') + 1, lines++)
        cr_assert(strncmp(at, "set \"", 5) == 0 && strchr(at, '\n') != NULL, "%s", at);
    cr_expect_eq(lines, 13);
    refuses(1, "there is no such program", ARGS("trace-env", "no-such-program"));
    refuses(2, "--trace can be methods or calls",
            ARGS("trace-env", "uimon-demo", "--trace", "events"));
}

/* A folder whose name cmd would change in a script, and the program there. */
#define SIGNS_FOLDER "f\xc3\xb6 100%PATH%% a&b^c(d)!"
#define SIGNS_ONLY "\"A&B^,(C)\",D&E,100%PATH%\\"

/* A script that runs that of trace-env, and then programs that say what is in their environment. */
static void write_caller(const char *path)
{
    char text[8 * PATH_BYTES], probe_path[PATH_BYTES], folder[PATH_BYTES];
    snprintf(probe_path, sizeof probe_path, "%s", windows_path(test_program("probe_win32")));
    snprintf(folder, sizeof folder, "%s", windows_path(test_folder(".")));
    snprintf(text, sizeof text,
             "@cd /d \"%s\"\r\n"
             "@chcp > before.txt\r\n"
             "@call trace.cmd\r\n"
             "@chcp > after.txt\r\n"
             "@\"%s\" variable CORECLR_PROFILER_PATH_64 > path.txt\r\n"
             "@\"%s\" variable UIMON_CLR_PROGRAM > program.txt\r\n"
             "@\"%s\" variable UIMON_CLR_ONLY > only.txt\r\n"
             "@chcp 65001 > utf8.txt\r\n"
             "@set \"LETTER=\xc3\xb6\"\r\n"
             "@\"%s\" variable LETTER > letter.txt\r\n",
             folder, probe_path, probe_path, probe_path, probe_path);
    write_file(path, text);
}

/* A file has a line that ends so. `letter` stands for the one beyond ASCII. (uimon follows links in
 * the folders of the DLLs.) */
static void expect_end(const char *name, const char *wanted, const char *letter)
{
    char changed[PATH_BYTES * 2] = "";
    char *text = read_text(test_file(name));
    text[strcspn(text, "\r\n")] = '\0';
    for (const char *at = wanted; *at; at++) {
        bool is_letter = strncmp(at, "\xc3\xb6", 2) == 0;
        snprintf(changed + strlen(changed), 8, "%.*s", is_letter ? 7 : 1, is_letter ? letter : at);
        at += is_letter;
    }
    size_t len = strlen(text), end = strlen(changed);
    cr_expect(*wanted == '\\' || len == end, "%s: %s", name, text);
    cr_expect_str_eq(text + (len > end ? len - end : 0), changed, "%s", name);
    free(text);
}

/* What a program gets that cmd starts after the script. Wine 8's cmd reads scripts in its OEM code
 * page whatever chcp says, so the test asks cmd what it makes of a letter there. */
Test(cli, trace_env_of_a_folder_with_letters_and_signs_is_run_by_cmd)
{
    static const char *const files[] = {"uimon.exe", "uimon-demo.exe", "uimon-clr64.dll",
                                        "uimon-clr32.dll"};
    char folder[PATH_BYTES], path[2 * PATH_BYTES], uimon[PATH_BYTES], demo[PATH_BYTES];
    char letter[16] = "";
    struct program program;
    snprintf(folder, sizeof folder, "%s", test_folder(SIGNS_FOLDER));
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        copy_file(dist_file(files[i]), path);
    }
    snprintf(path, sizeof path, "%s/uimon.exe", folder);
    snprintf(uimon, sizeof uimon, "%s", windows_path(path));
    snprintf(path, sizeof path, "%s/uimon-demo.exe", folder);
    snprintf(demo, sizeof demo, "%s", windows_path(path));
    start_into(&program, test_file("trace.cmd"), uimon,
               ARGS("trace-env", demo, "--only", SIGNS_ONLY));
    cr_assert_eq(wait_end(&program, LIMIT_MS), 0);
    write_caller(test_file("caller.cmd"));
    cr_assert_eq(run(NULL, NULL, "probe_win32", "console", "cmd.exe", "/c",
                     windows_path(test_file("caller.cmd")), NULL),
                 0);
    char *read = read_text(test_file("letter.txt"));
    snprintf(letter, sizeof letter, "%.*s", (int)strcspn(read, "\r\n"), read);
    free(read);
    expect_end("program.txt", "\\" SIGNS_FOLDER "\\uimon-demo.exe", letter);
    expect_end("path.txt", "\\" SIGNS_FOLDER "\\uimon-clr64.dll", letter);
    expect_end("only.txt", SIGNS_ONLY, letter);
    char *before = read_text(test_file("before.txt")), *after = read_text(test_file("after.txt"));
    cr_expect(before[0] && strcmp(before, after) == 0, "%s %s", before, after);
    free(before);
    free(after);
}

/* Also if the run is too short for anything else. */
Test(cli, launching_what_is_not_managed_with_trace_methods_says_so)
{
    const char *const args[] = {"--headless", "--duration", "2",          "--trace",
                                "methods",    "--launch",   "uimon-demo", "--still",
                                "--seconds",  "20",         NULL};
    static const char untraced[] = "--trace methods has traced nothing: uimon-demo.exe is not "
                                   "managed, it has loaded no .NET runtime";
    static const char foreign[] = "another tool's profiler is set in the environment "
                                  "(COR_PROFILER={846F5F1C-F9AE-4B07-969E-05C26BC060D8}, "
                                  "C:\\other\\tracer.dll)";
    struct said said = ask(args);
    cr_expect_eq(said.code, 0, "%s", said.err);
    cr_expect(strstr(said.err, untraced) != NULL, "%s", said.err);
    cr_expect(strstr(said.err, "another tool's") == NULL, "%s", said.err);
    forget(&said);
    set_variable("COR_ENABLE_PROFILING", "1");
    set_variable("COR_PROFILER", "{846F5F1C-F9AE-4B07-969E-05C26BC060D8}");
    set_variable("COR_PROFILER_PATH", "C:\\other\\tracer.dll");
    said = ask(args);
    cr_expect_eq(said.code, 0, "%s", said.err);
    cr_expect(strstr(said.err, untraced) && strstr(said.err, foreign), "%s", said.err);
    forget(&said);
    said = ask(ARGS("trace-env", "uimon-demo"));
    cr_expect(said.code == 0 && strstr(said.err, foreign), "%d: %s", said.code, said.err);
    cr_expect(strstr(said.out, "set \"COR_PROFILER={1DD45F25"), "%s", said.out);
    forget(&said);
}

Test(cli, refuses_missing_and_bad_values)
{
    refuses(2, "--attach: a value is missing", ARGS("--attach"));
    refuses(2, "--launch: a value is missing", ARGS("--launch"));
    refuses(2, "--threshold: a value is missing", ARGS("--attach", "x", "--threshold"));
    refuses(2, "--json: a value is missing", ARGS("--attach", "x", "--json", "--headless"));
    refuses(2, "between 1 and 60000 ms", ARGS("--attach", "x", "--threshold", "0"));
    refuses(2, "between 1 and 60000 ms", ARGS("--attach", "x", "--threshold", "-5"));
    refuses(2, "not a number", ARGS("--attach", "x", "--threshold", "abc"));
    refuses(2, "not a number", ARGS("--attach", "x", "--threshold", "nan"));
    refuses(2, "not a number", ARGS("--attach", "x", "--threshold", "1,5"));
    refuses(2, "must not be above", ARGS("--attach", "x", "--threshold", "50", "--slow", "60"));
    refuses(2, "between 1 and 1000 ms", ARGS("--attach", "x", "--heartbeat=0.5"));
    refuses(2, "between 16 and 400 px", ARGS("--attach", "x", "--height", "10"));
    refuses(2, "whole number", ARGS("--attach", "x", "--height", "99.5"));
    refuses(2, "between 0.1 and 1", ARGS("--attach", "x", "--opacity", "2"));
    refuses(2, "between 0.5 and 4", ARGS("--attach", "x", "--scale", "9"));
    refuses(2, "bottom|top", ARGS("--attach", "x", "--position", "left"));
    refuses(2, "auto|raw|mouse", ARGS("--attach", "x", "--probe", "fast"));
    refuses(2, "between 0.1 and", ARGS("--attach", "x", "--duration", "0"));
    refuses(2, "not a number", ARGS("--attach", "x", "--wait=soon"));
    refuses(2, "on or off", ARGS("--attach", "x", "--headless=maybe"));
}

Test(cli, refuses_what_does_not_go_together)
{
    refuses(2, "nothing to watch", ARGS("watch"));
    refuses(2, "nothing to watch", ARGS("--headless"));
    refuses(2, "only one command", ARGS("list", "demo"));
    refuses(2, "given twice", ARGS("--attach", "a", "--attach", "b"));
    refuses(2, "does not go with", ARGS("--attach", "a", "--launch", "b"));
    refuses(2, "--json does not go with list", ARGS("list", "--json", "x"));
    refuses(2, "contradict", ARGS("--attach", "a", "--quiet", "--verbose"));
    refuses(2, "same place", ARGS("--attach", "a", "--json", "-", "--csv", "-"));
    refuses(2, "is a path", ARGS("--attach", "C:\\folder\\program.exe"));
    refuses(2, "target's title is empty", ARGS("--attach", "title:"));
}

Test(cli, refuses_targets_that_are_not_there)
{
    struct program console;
    char prober[PATH_BYTES];
    char *text;

    snprintf(prober, sizeof prober, "%s", windows_path(test_program("probe_win32")));
    refuses(3, "'nosuch' is running; 'uimon list' shows what can be watched, --wait waits for it",
            ARGS("--attach", "nosuch"));
    refuses(3, "'nosuch' is running; 'uimon list' shows what can be watched\r\n",
            ARGS("--attach", "nosuch.exe", "--wait=0.2"));
    refuses(3, "'nosuch'", ARGS("--attach", "title:nosuch"));
    refuses(3, "'nosuch'", ARGS("--attach", "class:nosuch"));
    refuses(3, "4294967292", ARGS("--attach", "4294967292"));
    refuses(3, "no such program", ARGS("--launch", "nosuch.exe"));
    refuses(3, "before it showed a window", ARGS("--launch", prober, "cursor", "10", "10"));

    /* A program without a window, by its name and by the process id that the answer names. */
    start(&console, "probe_win32", "beats", "60", NULL);
    do {
        struct said said = ask(ARGS("--attach", "probe_win32"));
        text = said.err;
        free(said.out);
    } while (strstr(text, "no program called")); /* not started yet */
    cr_assert(strstr(text, "has no window") != NULL, "%s", text);
    refuses(3, "has no window", ARGS("--attach", "probe_win32"));
    refuses(3, "has no window", ARGS("--attach", decimal((uint32_t)line_number(text, "process"))));
    free(text);
    kill_hard(&console);
}

/* Files that the system cannot run, with their whole paths. */
Test(cli, refuses_to_launch_what_is_no_program)
{
    static const char *const files[][2] = {
        {"note.txt", "a text\n"}, {"x.png", "\x89PNG\r\n"}, {"text.exe", "a text\n"}};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        write_file(test_file(files[i][0]), files[i][1]);
        refuses(1, "it is no program that this system can run; name the program that opens it",
                ARGS("--launch", windows_path(test_file(files[i][0]))));
    }
    refuses(1, "it is no program", ARGS("--launch", windows_path(test_folder("folder"))));
}

Test(cli, refuses_bad_configuration_with_its_line)
{
    const struct {
        const char *text;
        int line;
        const char *word;
    } files[] = {{"threshold=50\n\n# fine\ntreshold = 60\n", 4, "did you mean 'threshold'"},
                 {"threshold=abc\n", 1, "not a number"},
                 {"\r\nheight=9999\r\n", 2, "between 16 and 400 px"},
                 {"slow=20\njson=out.json\n", 2, "belongs on the command line"},
                 {"caption=\"open\n", 1, "closing quote"},
                 {"=5\n", 1, "no key"},
                 {"threshold\n", 1, "needs a value"},
                 {"slow=20\ncaption=\xff\n", 2, "not UTF-8"}};
    char path[PATH_BYTES], name[PATH_BYTES], place[PATH_BYTES + 16];

    snprintf(path, sizeof path, "%s", test_file(ODD_NAME ".conf"));
    snprintf(name, sizeof name, "%s", windows_path(path));
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        write_file(path, files[i].text);
        snprintf(place, sizeof place, "%s:%d: ", name, files[i].line);
        refuses_as(place, 2, files[i].word, ARGS("list", "--config", name));
    }
    refuses(2, "nosuch.conf", ARGS("list", "--config", "nosuch.conf"));
    refuses(2, "cannot be opened", ARGS("list", "--config", "."));
}

/* Nothing of ours has been in the target: no beat is sent, no window of the hook is there. */
static void expect_untouched(const struct target *target)
{
    cr_expect_eq(probe_number("sinks", decimal(target->pid), NULL), 0,
                 "the target was attached to");
    cr_expect_eq(probe_number("beats", "0.5", NULL), 0, "beats are sent");
}

Test(cli, refuses_files_that_cannot_be_written_before_it_measures)
{
    struct target target;
    char kept[PATH_BYTES], folder[PATH_BYTES];

    snprintf(kept, sizeof kept, "%s", windows_path(test_file("kept.json")));
    snprintf(folder, sizeof folder, "%s", windows_path(test_file("nosuch/file")));
    start_target(&target, NULL, "--still", NULL);
    refuses(1, "--json", ARGS("--attach", decimal(target.pid), "--json", folder));
    refuses(1, "cannot be written",
            ARGS("--attach", decimal(target.pid), "--json", kept, "--csv", folder));
    refuses(1, "--csv", ARGS("--attach", decimal(target.pid), "--csv", "."));
    expect_untouched(&target);
}

Test(cli, says_when_results_cannot_be_written_to_their_end)
{
    struct target target;
    start_target(&target, NULL, "--still", NULL);
    struct said said = ask(ARGS("--attach", decimal(target.pid), "--headless", "--duration", "0.2",
                                "--json", "Z:\\dev\\full"));
    cr_expect(said.code == 1 && strstr(said.err, "could not be written to "), "%d: %s", said.code,
              said.err);
    cr_expect(strstr(said.out, "Latency") != NULL, "the summary is lost too: %s", said.out);
    forget(&said);
    refuses(1, "--csv", ARGS("--attach", decimal(target.pid), "--csv", "Z:\\dev\\full"));
}

Test(cli, warns_of_options_that_are_gone)
{
    char config[PATH_BYTES];

    snprintf(config, sizeof config, "%s", test_file("old.conf"));
    write_file(config, "slow=20\nmark-hotkey=none\n");
    struct said said = ask(ARGS("list", "--config", windows_path(config)));
    cr_expect_eq(said.code, 0, "%s", said.err);
    cr_expect(strstr(said.err, "old.conf:2: 'mark-hotkey' is gone") != NULL, "%s", said.err);
    cr_expect(strstr(said.err, "--hotkeys mark=KEYS") != NULL, "%s", said.err);
    forget(&said);
}

Test(cli, reads_the_configuration_of_the_user)
{
    char folder[PATH_BYTES], command[3 * PATH_BYTES];
    const char *err;

    snprintf(folder, sizeof folder, "%s", test_folder("roaming"));
    test_folder("roaming/uimon");
    snprintf(command, sizeof command, "%s/uimon/uimon.conf", folder);
    write_file(command, "# mine\nthreshold=much\n");
    snprintf(command, sizeof command, "set APPDATA=%s&& %s list", windows_path(folder),
             windows_path(dist_file("uimon.exe")));
    cr_expect_eq(run(NULL, &err, "cmd", "/c", command, NULL), 2, "%s", err);
    cr_expect(is_one_line(err) && strstr(err, "\\roaming\\uimon\\uimon.conf:2: threshold=much"),
              "%s", err);
}

/* Help ----------------------------------------------------------------------------------------- */

/* Every option that `text` names must stand in `other`. Returns how many there are. */
static size_t expect_options_in(const char *text, const char *other, const char *other_name)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, "--")); at += 2) {
        char option[64];
        size_t len = 2 + strspn(at + 2, "abcdefghijklmnopqrstuvwxyz-");
        if (len < 4 || (at > text && (at[-1] == '-' || isalnum((unsigned char)at[-1]))))
            continue;
        snprintf(option, sizeof option, "%.*s", (int)len, at);
        bool found = false;
        for (const char *there = other; !found && (there = strstr(there, option)); there += len)
            found = !isalnum((unsigned char)there[len]) && there[len] != '-';
        cr_expect(found, "%s is not in %s", option, other_name);
        count++;
    }
    return count;
}

/* The options as --help lists them: one at the beginning of a line. Owner: free. */
static char *listed_options(const char *help)
{
    char *list = calloc(strlen(help) + 1, 1);
    for (const char *line = help; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        size_t indent = strspn(line, " *");
        if (indent == 3 && strncmp(line + indent, "--", 2) == 0)
            strncat(list, line + indent - 1, 1 + strcspn(line + indent, " =\r\n"));
    }
    return list;
}

/* The pages of all commands, one after the other. Owner: free. */
static char *read_pages(void)
{
    static const char *const names[] = {
        "watch",     "launch", "demo",        "list",         "report", "export",
        "replay",    "bench",  "bisect",      "compare",      "listen", "query",
        "calibrate", "doctor", "history-add", "history-show", "flows",  "trace-env",
    };
    char *pages = calloc(1, 1), path[64];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(path, sizeof path, "docs/options/%s.md", names[i]);
        char *page = read_text(dist_file(path));
        pages = realloc(pages, strlen(pages) + strlen(page) + 1);
        strcat(pages, page);
        free(page);
    }
    return pages;
}

Test(cli, help_and_documentation_name_the_same_options)
{
    struct said said = ask(ARGS("--help"));
    char *pages = read_pages();
    char *listed = listed_options(said.out);

    cr_assert(said.code == 0 && said.err[0] == 0, "--help: %d %s", said.code, said.err);
    cr_expect_geq(expect_options_in(listed, pages, "the pages"), 20, "--help lists: %s", listed);
    cr_expect_geq(expect_options_in(pages, said.out, "--help"), 20, "the pages list: %s", pages);
    free(listed);
    free(pages);
    forget(&said);
}

Test(cli, says_its_version_and_its_usage)
{
    const char *const *const helps[] = {ARGS("help"), ARGS("-h"), ARGS("--attach", "x", "--help")};
    struct said said = ask(ARGS("--version"));
    unsigned major, minor, patch;

    cr_expect(said.code == 0 && said.err[0] == 0 && is_one_line(said.out), "%s", said.err);
    cr_expect_eq(sscanf(said.out, "uimon %u.%u.%u", &major, &minor, &patch), 3, "%s", said.out);
    forget(&said);
    for (size_t i = 0; i < sizeof helps / sizeof helps[0]; i++) {
        said = ask(helps[i]);
        cr_expect(said.code == 0 && said.err[0] == 0 && strstr(said.out, "--threshold MS"), "%s",
                  said.err);
        forget(&said);
    }
    said = ask(ARGS(NULL));
    cr_expect(said.code == 2 && strstr(said.out, "usage: uimon --attach TARGET") &&
                  strstr(said.out, "--help"),
              "%d: %s", said.code, said.out);
    forget(&said);
}

/* Finding a target ----------------------------------------------------------------------------- */

Test(cli, lists_what_can_be_watched)
{
    struct target target;
    char row[256];

    start_target(&target, NULL, "--still", "--title", ODD_NAME, NULL);
    struct said said = ask(ARGS("list"));
    cr_expect(said.code == 0 && said.err[0] == 0, "%s", said.err);
    cr_expect_eq(strncmp(said.out + strspn(said.out, " "), "pid  bits  name", 15), 0, "%s",
                 said.out);
    snprintf(row, sizeof row, "%u    64  uimon-demo.exe  " ODD_NAME, target.pid);
    cr_expect(strstr(said.out, row) != NULL, "no '%s' in: %s", row, said.out);
    forget(&said);
}

/* The line of `uimon list` about a process, or NULL. Owner: static. */
static const char *listed(uint32_t pid)
{
    static char line[512];
    char start[32];
    struct said said = ask(ARGS("list"));
    const char *found = NULL;
    snprintf(start, sizeof start, "%u    64  ", pid);
    for (char *at = strtok(said.out, "\n"); at && !found; at = strtok(NULL, "\n")) {
        if (strncmp(at + strspn(at, " "), start, strlen(start)) == 0) {
            snprintf(line, sizeof line, "%s", at);
            found = line;
        }
    }
    forget(&said);
    return found;
}

/* What is read about a window does not depend on the program itself, which is frozen here. */
Test(cli, lists_programs_that_work_apart_from_their_windows_thread)
{
    struct target java, plain, browser;
    char module[PATH_BYTES];

    snprintf(module, sizeof module, "%s/libcef.dll", test_folder("module"));
    copy_file(dist_file("uimon-hook64.dll"), module); /* any DLL does */
    start_target(&java, "target_odd_win32", "--mode", "quiet", "--class", "SunAwtFrame", NULL);
    start_target(&plain, "target_odd_win32", "--mode", "quiet", NULL);
    start_target(&browser, "target_odd_win32", "--mode", "quiet", "--class", "AnyBrowser",
                 "--class-module", windows_path(module), NULL);
    trigger(&browser, "5000");
    cr_expect(strstr(listed(java.pid), "  window thread (Java)"), "%s", listed(java.pid));
    cr_expect(strstr(listed(browser.pid), "  window thread (Chromium)"), "%s", listed(browser.pid));
    cr_expect(!strstr(listed(plain.pid), "window thread"), "%s", listed(plain.pid));
}

/* The frame of such an app belongs to another program, whose thread answers while the app hangs. */
Test(cli, store_apps_are_refused_with_the_reason)
{
    struct target store;

    start_target(&store, "target_odd_win32", "--mode", "quiet", "--class", "ApplicationFrameWindow",
                 NULL);
    cr_expect(strstr(listed(store.pid), "the frame of a Store app"), "%s", listed(store.pid));
    refuses(4, "the frame of a Store app", ARGS("--attach", decimal(store.pid)));
}

/* Watches what `name` means for a moment; the summary. */
static cJSON *watch(const char *name, const char *more)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s", test_file("short.json"));
    struct said said = ask(ARGS("--attach", name, "--headless", "--quiet", "--duration", "0.2",
                                "--json", windows_path(path), more));
    cr_assert_eq(said.code, 0, "--attach %s: exit code %d: %s", name, said.code, said.err);
    forget(&said);
    return json_file(path);
}

Test(cli, finds_a_target_by_whatever_names_it)
{
    struct target target;
    start_target(&target, NULL, "--still", "--class", "OddClass", "--title", ODD_NAME " end", NULL);
    const char *names[] = {"uimon-demo",        "uimon-demo.exe",  "UIMON-DEMO.EXE",
                           decimal(target.pid), "title:" ODD_NAME, "title:END",
                           "class:oddclass"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        cJSON *summary = watch(names[i], NULL);
        const cJSON *title = cJSON_GetObjectItem(cJSON_GetObjectItem(summary, "target"), "title");
        cr_expect_eq(number(summary, "target.pid"), target.pid, "%s is another one", names[i]);
        cr_expect(cJSON_IsString(title) && strcmp(title->valuestring, ODD_NAME " end") == 0,
                  "the title reads %s", title ? title->valuestring : "");
        cJSON_Delete(summary);
    }
}

Test(cli, asks_which_of_several_or_takes_the_newest)
{
    struct target first, second;
    char word[64];

    start_target(&first, NULL, "--still", "--title", "the first", NULL);
    start_target(&second, NULL, "--still", "--title", "the second", NULL);
    snprintf(word, sizeof word, "%u \"the first\"", first.pid);
    refuses(2, word, ARGS("--attach", "uimon-demo"));
    snprintf(word, sizeof word, "%u \"the second\"", second.pid);
    refuses(2, word, ARGS("--attach", "class:UimonDemo"));
    refuses(2, "--newest", ARGS("--attach", "title:the "));
    cJSON *summary = watch("uimon-demo", "--newest");
    cr_expect_eq(number(summary, "target.pid"), second.pid, "not the one that was started last");
    cJSON_Delete(summary);
}

/* Results -------------------------------------------------------------------------------------- */

Test(cli, standard_output_is_the_results_alone)
{
    struct target target;
    start_target(&target, NULL, "--still", NULL);
    const char *pid = decimal(target.pid);

    struct said said = ask(ARGS("--attach", pid, "--headless", "--duration", "0.2", "--json", "-"));
    cJSON *summary = whole_object(said.out);
    cr_expect(said.code == 0 && number(summary, "target.pid") == target.pid);
    cr_expect(strstr(said.err, "Latency") != NULL, "no summary on stderr: %s", said.err);
    cJSON_Delete(summary);
    forget(&said);

    said = ask(ARGS("--attach", pid, "--headless", "--duration", "0.2", "--json", "-", "--quiet"));
    cJSON_Delete(whole_object(said.out));
    cr_expect(said.code == 0 && said.err[0] == 0, "not quiet: %s", said.err);
    forget(&said);

    said = ask(ARGS("--attach", pid, "--headless", "--duration", "0.2", "--csv", "-"));
    cr_expect_eq(strncmp(said.out, csv_header, sizeof csv_header - 1), 0, "%s", said.out);
    cr_expect(!strstr(said.out, "Latency    "), "the summary is among the rows");
    cr_expect(strstr(said.err, "Latency") != NULL, "no summary on stderr: %s", said.err);
    forget(&said);
}

Test(cli, says_nothing_on_a_pipe_but_notes)
{
    struct target target;
    start_target(&target, NULL, "--still", NULL);
    const char *pid = decimal(target.pid);

    struct said said = ask(ARGS("--attach", pid, "--headless", "--duration", "0.5"));
    cr_expect(said.code == 0 && strstr(said.out, "Latency"), "%d, no summary: %s", said.code,
              said.out);
    cr_expect(strncmp(said.err, "uimon: watching uimon-demo.exe", 30) == 0 && is_one_line(said.err),
              "more than the note: %s", said.err);
    forget(&said);
    said = ask(ARGS("--attach", pid, "--headless", "--duration", "0.5", "--quiet"));
    cr_expect(said.code == 0 && said.out[0] == 0 && said.err[0] == 0, "not quiet: %s%s", said.out,
              said.err);
    forget(&said);
}

/* `script` gives the program a terminal and keeps what it wrote there. */
Test(cli, a_status_line_is_updated_in_place_on_a_terminal)
{
    static const char status[] = " s  responsive  lag ";
    struct target target;
    char log[PATH_BYTES], command[3 * PATH_BYTES];

    start_target(&target, NULL, "--still", "--title", ODD_NAME, NULL);
    snprintf(log, sizeof log, "%s", test_file("terminal"));
    snprintf(command, sizeof command,
             "TERM=xterm timeout 60 script -qec \"stty cols 100; wine '%s' --attach %u --headless "
             "--duration 3\" '%s' </dev/null >/dev/null",
             dist_file("uimon.exe"), target.pid, log);
    cr_assert_eq(system(command), 0, "it failed: %s", command);
    char *text = read_text(log);
    char *first = strstr(text, status), *last = first, *summary = strstr(text, "  Latency ");
    cr_assert(first && summary, "no status line or no summary: %s", text);
    for (char *next = first; (next = strstr(next + 1, status));)
        last = next;
    cr_expect(last != first && last < summary, "the status line does not change: %s", text);
    cr_expect(!memchr(first, '\n', (size_t)(last - first)), "it is a new line each time");
    char *cleared = strchr(last, '\r'), *head = strstr(last, "uimon-demo.exe (pid");
    cr_expect(cleared && head && cleared < head, "the last one stays: %s", last);
    char *title = strstr(text, ODD_NAME);
    cr_expect(title && title < first, "the title on the terminal: %s", text);
    free(text);
}

Test(cli, the_terminal_says_what_hides_the_overlay)
{
    struct target target;
    struct coverer coverer;
    const struct box screen = {0, 0, 1280, 1000};
    char log[PATH_BYTES], command[3 * PATH_BYTES];

    start_target(&target, NULL, "--still", NULL);
    start_coverer(&coverer, &screen);
    show_cover(&coverer, COVER_PLAIN);
    snprintf(log, sizeof log, "%s", test_file("terminal"));
    snprintf(command, sizeof command,
             "TERM=xterm timeout 60 script -qec \"stty cols 100; wine '%s' --attach %u "
             "--duration 15\" '%s' </dev/null >/dev/null",
             dist_file("uimon.exe"), target.pid, log);
    cr_assert_eq(system(command), 0, "it failed: %s", command);
    char *text = read_text(log);
    cr_expect(strstr(text, "overlay hidden by \"cover\" (cover_win32.exe, pid "), "%s", text);
    free(text);
}

struct rows {
    size_t beats;
    size_t freezes;
    double freeze_ms[64];
};

/* Up to 16 fields of a row without quotes. */
static size_t split(char *line, char **fields)
{
    size_t count = 0;
    for (char *at = line; at && count <= COLUMNS; count++) {
        fields[count] = at;
        at = strchr(at, ',');
        if (at)
            *at++ = 0;
    }
    return count;
}

static bool is_decimal(const char *text)
{
    size_t whole = strspn(text + (*text == '-'), "0123456789") + (*text == '-');
    size_t part = text[whole] == '.' ? strspn(text + whole + 1, "0123456789") : 0;
    return part == 3 ? text[whole + 4] == 0 : part == 6 && text[whole + 7] == 0;
}

static void take_row(char *line, const struct target *target, struct rows *rows)
{
    char *fields[COLUMNS + 1];
    char copy[512];
    snprintf(copy, sizeof copy, "%s", line);
    bool beat = strstr(line, ",beat,") != NULL;
    cr_assert_eq(split(line, fields), COLUMNS, "not %d columns: %s", COLUMNS, copy);
    cr_expect(strcmp(fields[1], "uimon-demo.exe") == 0 &&
                  strtoul(fields[2], NULL, 10) == target->pid && is_decimal(fields[4]),
              "%s", copy);
    if (beat) {
        cr_expect(is_decimal(fields[5]) && isdigit((unsigned char)fields[6][0]) &&
                      strcmp(fields[7], "NA") == 0 && strcmp(fields[8], "NA") == 0,
                  "%s", copy);
        rows->beats++;
        return;
    }
    cr_assert(strcmp(fields[3], "freeze") == 0 && rows->freezes < 64, "%s", copy);
    cr_expect(strcmp(fields[5], "NA") == 0 && strcmp(fields[6], "NA") == 0 &&
                  is_decimal(fields[8]) && is_decimal(fields[9]),
              "%s", copy);
    rows->freeze_ms[rows->freezes++] = strtod(fields[8], NULL);
}

static struct rows read_rows(const char *path, const struct target *target)
{
    struct rows rows = {0};
    char *text = read_text(path);
    char *next = strchr(text, '\n');

    cr_assert(next != NULL, "the CSV has no line: %s", text);
    *next = 0;
    cr_expect_str_eq(text, csv_header, "the header: %s", text);
    for (char *line = next + 1; *line; line = next + 1) {
        next = strchr(line, '\n');
        cr_assert(next != NULL, "half a row: %s", line);
        *next = 0;
        take_row(line, target, &rows);
    }
    free(text);
    return rows;
}

Test(cli, csv_has_a_row_for_each_beat_and_freeze)
{
    struct target target;
    struct monitor monitor;
    struct program feed;
    char path[PATH_BYTES];

    snprintf(path, sizeof path, "%s", test_file("rows.csv"));
    start_target(&target, NULL, "--still", NULL);
    start_monitor(&monitor, &target, "--csv", windows_path(path), NULL);
    tail_feed(&feed, &monitor);
    freeze_once(&target, &feed, LASTING_FREEZE, 1);
    freeze_once(&target, &feed, LASTING_FREEZE, 2);
    cJSON *summary = stop_monitor(&monitor);
    struct rows rows = read_rows(path, &target);

    cr_expect_eq((double)rows.beats, number(summary, "beats.seen"), "%zu rows for %.0f beats",
                 rows.beats, number(summary, "beats.seen"));
    cr_assert((double)rows.freezes == number(summary, "freezes.count") &&
                  rows.freezes == freeze_count(summary),
              "%zu rows for %zu freezes", rows.freezes, freeze_count(summary));
    for (size_t i = 0; i < rows.freezes; i++)
        cr_expect_eq(rows.freeze_ms[i], number(freeze_at(summary, i), "duration_ms"),
                     "row %zu: %.3f ms", i, rows.freeze_ms[i]);
    check_freezes(summary, &target);
    cJSON_Delete(summary);
}

static const cJSON *typed(const cJSON *object, const char *name, cJSON_bool (*is)(const cJSON *))
{
    const cJSON *found = cJSON_GetObjectItemCaseSensitive(object, name);
    cr_assert(found && is(found), "%s is absent or of another type", name);
    return found;
}

static void expect_numbers(const cJSON *summary, const char *const *paths)
{
    for (; *paths; paths++)
        cr_expect(has_number(summary, *paths), "%s is absent or no number", *paths);
}

static void expect_freeze(const cJSON *freeze)
{
    expect_numbers(freeze, ARGS("start_ms", "duration_ms", "start_uncertainty_ms"));
    const char *state = typed(freeze, "state", cJSON_IsString)->valuestring;
    cr_expect(strcmp(state, "frozen") == 0 || strcmp(state, "starved") == 0, "%s", state);
}

Test(cli, json_has_every_field_of_the_schema)
{
    struct target target;
    struct monitor monitor;
    struct program feed;
    unsigned date[6];
    double sum_ms = 0;
    const cJSON *state, *freeze;

    start_target(&target, NULL, "--still", NULL);
    start_monitor(&monitor, &target, NULL);
    tail_feed(&feed, &monitor);
    struct um_demo_log_event truth = freeze_once(&target, &feed, LASTING_FREEZE, 1);
    freeze_once(&target, &feed, "sent:" LASTING_FREEZE, 2);
    sleep_ms(4000); /* CPU time is counted in steps of 10 ms, and what is below one is absent */
    cJSON *summary = stop_monitor(&monitor);

    expect_numbers(
        summary, ARGS("schema", "target.pid", "target.bits", "duration_ms", "heartbeat_ms",
                      "beats.sent", "beats.seen", "beats.lost", "latency_ms.count",
                      "latency_ms.mean", "latency_ms.p50", "latency_ms.p90", "latency_ms.p99",
                      "latency_ms.p999", "latency_ms.max", "state_ms.responsive", "state_ms.slow",
                      "state_ms.frozen", "state_ms.starved", "state_ms.suspended", "state_ms.blind",
                      "state_ms.idle", "freezes.threshold_ms", "freezes.count", "freezes.total_ms",
                      "freezes.longest_ms", "freezes.over_100", "freezes.over_250",
                      "freezes.over_1000", "dropped", "cost.monitor_cpu_ms", "cost.hook_call_ns"));
    cr_expect(number(summary, "schema") == 2 && number(summary, "target.bits") == 64);
    typed(summary, "uimon", cJSON_IsString);
    cr_expect_str_eq(typed(summary, "probe", cJSON_IsString)->valuestring, "raw");
    const char *started = typed(summary, "started", cJSON_IsString)->valuestring;
    cr_expect(strlen(started) == 20 &&
                  sscanf(started, "%4u-%2u-%2uT%2u:%2u:%2uZ", &date[0], &date[1], &date[2],
                         &date[3], &date[4], &date[5]) == 6,
              "started: %s", started);
    cJSON_ArrayForEach(state, typed(summary, "state_ms", cJSON_IsObject)) sum_ms +=
        state->valuedouble;
    cr_expect_lt(fabs(sum_ms - number(summary, "duration_ms")), 0.01,
                 "the states add up to %f of %f", sum_ms, number(summary, "duration_ms"));
    cr_expect_geq(number(summary, "beats.sent"),
                  number(summary, "beats.seen") + number(summary, "beats.lost"));
    cr_expect_geq(cJSON_GetArraySize(typed(summary, "freeze_list", cJSON_IsArray)), 2);
    cJSON_ArrayForEach(freeze, typed(summary, "freeze_list", cJSON_IsArray)) expect_freeze(freeze);
    freeze = find_freeze(summary, &truth);
    cr_assert(freeze != NULL, "the freeze is missing");
    if (number(freeze, "start_uncertainty_ms") == 0) { /* else what it began with is not known */
        typed(freeze, "message", cJSON_IsString);
        cr_expect_str_eq(typed(freeze, "window_class", cJSON_IsString)->valuestring, "UimonDemo");
    }
    cJSON_Delete(summary);
}

Test(cli, takes_any_path_and_the_command_line_beats_the_file)
{
    struct target target;
    char json[PATH_BYTES], csv[PATH_BYTES], config[PATH_BYTES];

    start_target(&target, NULL, "--still", NULL);
    const char *pid = decimal(target.pid);
    snprintf(json, sizeof json, "%s", test_file(ODD_NAME ".json"));
    snprintf(csv, sizeof csv, "%s", test_file(ODD_NAME ".csv"));
    snprintf(config, sizeof config, "%s", test_file(ODD_NAME ".conf"));
    write_file(config, "# of a test\r\nthreshold = 250 # ms\r\nheadless\r\nheartbeat=20\r\n");

    struct said said =
        ask(ARGS("--attach", pid, "--quiet", "--duration", "0.2", "--config", windows_path(config),
                 "--json", windows_path(json), "--csv", windows_path(csv)));
    cr_assert_eq(said.code, 0, "%s", said.err);
    forget(&said);
    cJSON *summary = json_file(json);
    cr_expect_eq(number(summary, "freezes.threshold_ms"), 250);
    cr_expect_eq(number(summary, "heartbeat_ms"), 20);
    cr_expect_eq((double)read_rows(csv, &target).beats, number(summary, "beats.seen"));
    cJSON_Delete(summary);

    said = ask(ARGS("--attach", pid, "--quiet", "--duration", "0.2", "--config",
                    windows_path(config), "--json", windows_path(json), "--threshold", "70"));
    cr_assert_eq(said.code, 0, "%s", said.err);
    forget(&said);
    summary = json_file(json);
    cr_expect_eq(number(summary, "freezes.threshold_ms"), 70);
    cr_expect_eq(number(summary, "heartbeat_ms"), 20);
    cJSON_Delete(summary);
}

/* Running -------------------------------------------------------------------------------------- */

/* winget puts a link into a folder of its own, where nothing else of uimon's is. */
Test(cli, finds_its_files_when_it_is_started_by_a_link)
{
    struct target target;
    struct program monitor;
    char link[PATH_BYTES], json[PATH_BYTES];

    snprintf(link, sizeof link, "%s/uimon.exe", test_folder("links"));
    cr_assert(link_file(dist_file("uimon.exe"), link), "no link can be made");
    start_target(&target, NULL, "--still", NULL);
    snprintf(json, sizeof json, "%s", test_file("link.json"));
    start(&monitor, windows_path(link), "--attach", decimal(target.pid), "--json",
          windows_path(json), NULL);
    WAIT_UNTIL(*probe("find", "uimon overlay", NULL), "no overlay comes");
    interrupt(&monitor);
    cr_assert_eq(wait_end(&monitor, LIMIT_MS), 0, "%s", read_text(monitor.err));
    cJSON *summary = json_file(json);
    cr_expect(has_number(summary, "cost.overlay_cpu_ms"), "there was no overlay");
    cJSON_Delete(summary);
}

Test(cli, waits_for_its_target)
{
    struct target target;
    struct program monitor;
    char json[PATH_BYTES];

    snprintf(json, sizeof json, "%s", test_file("late.json"));
    start_list(&monitor, "uimon",
               ARGS("--attach", "title:comes late", "--wait", "--headless", "--quiet", "--duration",
                    "0.3", "--json", windows_path(json)));
    sleep_ms(500);
    cr_assert(is_running(&monitor), "it did not wait");
    start_target(&target, NULL, "--still", "--title", "This comes late", NULL);
    cr_expect_eq(wait_end(&monitor, LIMIT_MS), 0, "uimon failed");
    cJSON *summary = json_file(json);
    cr_expect_eq(number(summary, "target.pid"), target.pid);
    cJSON_Delete(summary);
}

/* What the feed has told of freezes so far. */
static size_t count_ends(const struct program *feed)
{
    static const char word[] = "\nepisode end frozen";
    char *text = read_text(feed->out);
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, word)); at++)
        count++;
    free(text);
    return count;
}

Test(cli, demo_plays_and_leaves)
{
    struct monitor monitor;
    struct program feed;
    char json[PATH_BYTES];

    snprintf(json, sizeof json, "%s", test_file("demo.json"));
    start(&monitor.program, "uimon", "demo", "--duration", "600", "--headless", "--verbose",
          "--json", windows_path(json), NULL);
    name_feed(&monitor);
    tail_feed(&feed, &monitor);
    WAIT_UNTIL(count_ends(&feed) >= 2, "the demo does not freeze");
    interrupt(&monitor.program);
    cr_assert_eq(wait_end(&monitor.program, LIMIT_MS), 0, "%s", read_text(monitor.program.err));
    char *out = read_text(monitor.program.out);
    cr_expect(strstr(out, "uimon-demo.exe (pid ") == out, "%s", out);
    free(out);
    cJSON *summary = json_file(json);
    cr_expect(number(summary, "freezes.count") >= 2, "%.0f freezes",
              number(summary, "freezes.count"));
    WAIT_UNTIL(!*probe("find", "uimon demo", NULL), "the demo stays");
    cJSON_Delete(summary);
}

Test(cli, launches_a_program_with_its_arguments_unchanged)
{
    static const char title[] = "launched \"two words\" and\\\" back\\\\slash " ODD_NAME "\\";
    char json[PATH_BYTES];
    struct target target = {.window_class = NULL};
    struct monitor monitor;
    struct program feed;
    struct um_demo_log_event event;

    snprintf(json, sizeof json, "%s", test_file("launched.json"));
    snprintf(target.log, PATH_BYTES, "%s", test_file("launched.log"));
    start_list(&monitor.program, "uimon",
               ARGS("--headless", "--verbose", "--json", windows_path(json), "--launch",
                    windows_path(dist_file("uimon-demo.exe")), "--log", windows_path(target.log),
                    "--title", title));
    cr_assert_eq(um_demo_log_parse(wait_line(target.log, "ready "), &event), UM_OK);
    target.tid = event.tid;
    target.hwnd = event.hwnd;
    const char *found = probe("find", "launched ", NULL);
    cr_expect(strstr(found, title) != NULL, "the window is called: %s", found);
    wait_line(monitor.program.err, "probe: ");
    name_feed(&monitor);
    tail_feed(&feed, &monitor);
    struct um_demo_log_event truth = freeze_once(&target, &feed, LASTING_FREEZE, 1);
    probe("close", hwnd_text(target.hwnd), NULL);
    cr_expect_eq(wait_end(&monitor.program, LIMIT_MS), 0, "uimon failed");
    cJSON *summary = json_file(json);
    const cJSON *described = cJSON_GetObjectItem(summary, "target");
    cr_expect_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(described, "title")), title);
    cr_expect(has_line(target.log, "end "), "the program did not end by itself");
    check_freeze(summary, &target, &truth, "frozen");
    cJSON_Delete(summary);
}

Test(cli, ends_when_the_duration_is_over)
{
    struct target target;
    struct monitor monitor;

    start_target(&target, NULL, "--still", NULL);
    start_monitor(&monitor, &target, "--duration", "1.5", NULL);
    cJSON *summary = finish_monitor(&monitor);
    cr_expect_geq(number(summary, "duration_ms"), 1500, "%.3f ms for 1500",
                  number(summary, "duration_ms"));
    cr_expect(is_running(&target.program));
    cJSON_Delete(summary);
}

static bool is_responsive_again(const struct program *feed)
{
    char *text = read_text(feed->out);
    const char *idle = strstr(text, "\nstate idle ");
    bool is = idle && strstr(idle, "\nstate responsive ");
    free(text);
    return is;
}

/* The cursor is over the target, where Wine echoes movements. */
static void check_pause(const char *option, const char *value)
{
    struct target target;
    struct monitor monitor;
    struct program feed;

    start_target(&target, NULL, "--still", NULL);
    probe("cursor", "700", "400", NULL);
    start_monitor(&monitor, &target, "--idle-pause", "1", option, value, NULL);
    tail_feed(&feed, &monitor);
    wait_line(feed.out, "state idle ");
    cr_expect_eq(probe_number("beats", "1", NULL), 0, "beats are sent while nobody is there");
    x_move(500, 500);
    x_move(520, 510);
    WAIT_UNTIL(is_responsive_again(&feed), "no beats come back");
    cJSON *summary = stop_monitor(&monitor);
    cr_expect_gt(number(summary, "state_ms.idle"), 900, "idle for %.0f ms",
                 number(summary, "state_ms.idle"));
    cJSON_Delete(summary);
}

Test(cli, pauses_while_nobody_is_there)
{
    check_pause("--beat", "zero");
}

/* These beats move the cursor, and that is not the user's input either. */
Test(cli, pauses_while_nobody_is_there_with_pairs)
{
    check_pause("--beat", "pair");
}

Test(cli, pauses_while_nobody_is_there_with_the_mouse_probe)
{
    check_pause("--probe", "mouse");
}
