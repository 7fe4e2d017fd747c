/* `uimon` itself, as it is built for this system: what needs no program to watch does its work, and
 * what needs one says so. UIMON_GOLDEN=write writes the texts anew. */
#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "base/double_bits.h"
#include "base/plain/clock.h"
#include "ipc/transport.h"
#include "monitor/feed/hub.h"
#include "monitor/feed/registry.h"
#include "tests/recording_file.h"
#include "tests/unit/report/stacked.h"
#include "tests/written.h"
#include "tests/written_golden.h"

#define GOLDEN UM_SOURCE_DIR "/tests/golden/"

static char root[] = "/tmp/uimon-XXXXXX"; /* short: the path of a socket has 108 bytes */
static char out[65536];

static void setup(void)
{
    cr_assert(mkdtemp(root) != NULL);
    setenv("XDG_RUNTIME_DIR", root, 1);
    setenv("HOME", root, 1);
    unsetenv("XDG_CONFIG_HOME");
    unsetenv("XDG_DATA_HOME");
}

static void teardown(void)
{
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", root);
    cr_expect(system(command) == 0);
}

TestSuite(program, .init = setup, .fini = teardown, .threads = true);

/* Starts uimon with these arguments in the folder of the golden files; what it prints, on standard
 * output and error. Owner: pclose. */
static FILE *start_list(const char *format, va_list list)
{
    char arguments[512];
    char command[1024];
    vsnprintf(arguments, sizeof arguments, format, list);
    snprintf(command, sizeof command, "cd %s && exec %s/uimon %s 2>&1 </dev/null", GOLDEN,
             UM_PROGRAMS, arguments);
    FILE *program = popen(command, "r");
    cr_assert(program != NULL);
    return program;
}

__attribute__((format(printf, 1, 2))) static FILE *start(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    FILE *program = start_list(format, list);
    va_end(list);
    return program;
}

/* As above, until it ends: `out` gets what it printed. Returns its exit code. */
__attribute__((format(printf, 1, 2))) static int run(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    FILE *program = start_list(format, list);
    va_end(list);
    out[fread(out, 1, sizeof out - 1, program)] = '\0';
    int status = pclose(program);
    cr_assert(WIFEXITED(status), "%s: %s", format, out);
    return WEXITSTATUS(status);
}

/* As above, with the standard output in a pipe whose reader has left: `out` gets what it says on
 * standard error. */
static int run_unread(const char *arguments)
{
    char command[1024];
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    close(ends[0]);
    snprintf(command, sizeof command, "cd %s && exec %s/uimon %s 2>&1 >&%d </dev/null", GOLDEN,
             UM_PROGRAMS, arguments, ends[1]);
    FILE *program = popen(command, "r");
    cr_assert(program != NULL);
    close(ends[1]);
    out[fread(out, 1, sizeof out - 1, program)] = '\0';
    int status = pclose(program);
    cr_assert(WIFEXITED(status), "%s: %s", arguments, out);
    return WEXITSTATUS(status);
}

static void assert_golden(const char *name)
{
    written_check(name, out, strlen(out));
}

static void write_stacked(struct stacked *stacked, const char *path)
{
    stacked_read(stacked);
    FILE *file = fopen(path, "wb");
    cr_assert(file && fwrite(stacked->file.bytes, stacked->file.len, 1, file) == 1 &&
              fclose(file) == 0);
    stacked_deinit(stacked);
}

/* Writes the recording with stacks; its path, in a static buffer. */
static const char *stacked_path(void)
{
    static char path[64];
    struct stacked stacked;
    stacked_init(&stacked);
    snprintf(path, sizeof path, "%s/stacked.uirec", root);
    write_stacked(&stacked, path);
    return path;
}

Test(program, reports)
{
    cr_expect_eq(run("report recording_v1.bin"), 0);
    assert_golden("program_report.txt");
    cr_expect_eq(run("report recording_v1.bin --quiet --html %s/page.html", root), 0);
    cr_expect_str_eq(out, "");
    snprintf(out, sizeof out, "%s/page.html", root);
    cr_expect(access(out, R_OK) == 0);
}

/* `uimon report FILE | head` is no failure, but a damaged file is one also then. */
Test(program, a_reader_that_leaves_is_no_error)
{
    static const char *const commands[] = {"--help",
                                           "report recording_v1.bin",
                                           "report recording_v1.bin --quiet --json -",
                                           "export recording_v1.bin --format firefox",
                                           "compare runs_demo.json runs_demo.json",
                                           "flows recording_v1.bin"};
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        cr_expect_eq(run_unread(commands[i]), 0, "%s", commands[i]);
        cr_expect_str_eq(out, "", "%s: %s", commands[i], out);
    }
    cr_expect_eq(run_unread("report compare_same.txt"), 1);
    cr_expect(strstr(out, "it is no recording of uimon"), "%s", out);
}

/* Runs a command in the folder of the golden files, with `redirections` of the shell; `out` gets
 * what it says on standard error. Returns its exit code. */
static int run_as(const char *redirections, const char *arguments)
{
    char command[1024];
    snprintf(command, sizeof command,
             "cd %s && %s/uimon %s 2>%s/err %s; code=$?; cat %s/err; exit $code", GOLDEN,
             UM_PROGRAMS, arguments, root, redirections, root);
    FILE *program = popen(command, "r");
    cr_assert(program != NULL);
    out[fread(out, 1, sizeof out - 1, program)] = '\0';
    int status = pclose(program);
    cr_assert(WIFEXITED(status), "%s: %s", arguments, out);
    return WEXITSTATUS(status);
}

/* Without standard streams. The next files that are opened would get their numbers. */
#define NO_OUTPUT "</dev/null >&-"
#define NO_STREAMS "<&- >&- 2>&-"

/* Files and verdicts are as ever, and what would be printed is in no file. */
Test(program, without_a_standard_output_files_are_whole_and_limits_decide)
{
    static const char *const redirections[] = {NO_OUTPUT, NO_STREAMS};
    char json[128], csv[128], as[128], arguments[512];
    snprintf(json, sizeof json, "%s/r.json", root);
    snprintf(csv, sizeof csv, "%s/r.csv", root);
    cr_assert_eq(run("report recording_v1.bin --json %s/as.json", root), 0);
    cr_assert_eq(run("export recording_v1.bin --format csv --output %s/as.csv", root), 0);
    for (size_t i = 0; i < sizeof redirections / sizeof redirections[0]; i++) {
        snprintf(arguments, sizeof arguments, "report recording_v1.bin --json %s", json);
        cr_expect_eq(run_as(redirections[i], arguments), 0, "%s", out);
        cr_expect_str_eq(out, "");
        snprintf(arguments, sizeof arguments, "export recording_v1.bin --format csv --output %s",
                 csv);
        cr_expect_eq(run_as(redirections[i], arguments), 0, "%s", out);
        snprintf(as, sizeof as, "%s/as.json", root);
        cr_expect_str_eq(written_file(json, NULL), written_file(as, NULL));
        snprintf(as, sizeof as, "%s/as.csv", root);
        cr_expect_str_eq(written_file(csv, NULL), written_file(as, NULL));
        cr_expect_eq(run_as(redirections[i], "report recording_v1.bin"), 0, "%s", out);
        cr_expect_eq(run_as(redirections[i], "report compare_same.txt"), 1);
        cr_expect_eq(run_as(redirections[i],
                            "compare runs_demo.json runs_demo.json --fail-over typing.p50=+50%"),
                     0, "%s", out);
        cr_expect_eq(run_as(redirections[i],
                            "compare runs_demo.json runs_demo.json --fail-over typing.p50=0.001ms"),
                     5, "%s", out);
        cr_assert(remove(json) == 0 && remove(csv) == 0);
    }
}

Test(program, what_was_asked_for_on_a_standard_output_that_is_missing_is_refused)
{
    static const char *const commands[][2] = {
        {"--help", "--help"},
        {"--version", "--version"},
        {"--json -", "report recording_v1.bin --quiet --json -"},
        {"--html -", "report recording_v1.bin --html -"},
        {"export", "export recording_v1.bin --format csv"},
        {"--output -", "export recording_v1.bin --format csv --output -"},
        {"flows", "flows recording_v1.bin"},
        {"compare", "compare runs_demo.json runs_demo.json"},
        {"--markdown", "compare runs_demo.json runs_demo.json --markdown"},
        {"query", "query 1 input-latency-ms.max"}};
    char said[256];
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        cr_expect_eq(run_as(NO_OUTPUT, commands[i][1]), 1, "%s", commands[i][1]);
        snprintf(said, sizeof said,
                 "uimon: %s: this is for standard output, and uimon was started without one; send "
                 "it into a file, as with > FILE\n",
                 commands[i][0]);
        cr_expect_str_eq(out, said);
        cr_expect_eq(run_as(NO_STREAMS, commands[i][1]), 1, "%s", commands[i][1]);
    }
}

Test(program, compares)
{
    cr_expect_eq(run("compare runs_demo.json runs_demo.json"), 0);
    assert_golden("program_compare.txt");
    cr_expect_eq(run("compare runs_demo.json runs_demo.json --fail-over typing.p50=+50%%"), 0);
}

/* Results of six runs with --layout, `ms` a layout frame. */
static void write_layouts(const char *name, double ms)
{
    char path[64];
    snprintf(path, sizeof path, "%s/%s", root, name);
    FILE *file = fopen(path, "w");
    cr_assert(file != NULL);
    fprintf(file, "{\"schema\":1,\"kind\":\"bench\",\"options\":{\"layout\":true},\"runs\":[");
    for (int at = 0; at < 6; at++)
        fprintf(file,
                "%s{\"measures\":[{\"name\":\"a\",\"duration_ms\":1}],"
                "\"layout\":{\"frames\":9,\"frame_ms\":%g}}",
                at ? "," : "", ms + at / 100.0);
    fprintf(file, "]}");
    cr_assert_eq(fclose(file), 0);
}

Test(program, compares_what_was_before_with_what_is_after)
{
    write_layouts("quick.json", 3);
    write_layouts("slow.json", 4);
    cr_expect_eq(run("compare %s/quick.json %s/slow.json", root, root), 0);
    cr_expect(strstr(out, "\nlayout: slower by "), "%s", out);
    cr_expect_eq(run("compare %s/slow.json %s/quick.json", root, root), 0);
    cr_expect(strstr(out, "\nlayout: faster by "), "%s", out);
}

/* A recording with stacks in which `times` as much happened of all that is compared: a window's
 * layout, calls of a method, and a counter. `draw` was slow, or `paint` in more than one. */
static void write_compared(const char *name, unsigned times)
{
    char path[64];
    struct stacked stacked;
    const struct um_wire_frame more[] = {
        {.type = UM_WIRE_LAYOUT_COMPONENT,
         .as.layout_component = {.id = 1, .window_class = "Pane"}},
        {.type = UM_WIRE_LAYOUT_TIMES,
         .as.layout_times = {.count = 1,
                             .list = {{.id = 1,
                                       .frames = 10,
                                       .layout_ns = times * 20 * UM_CLOCK_NS_PER_MS,
                                       .own_layout_ns = times * 20 * UM_CLOCK_NS_PER_MS}}}},
        {.type = UM_WIRE_METHOD, .as.method = {1, "app.dll", "App.Load"}},
        {.type = UM_WIRE_METHOD_CALLS,
         .as.method_calls = {.count = 1, .list = {{.node = 2, .method = 1, .count = 3 * times}}}},
        {.type = UM_WIRE_METHODS,
         .as.methods = {.depth = UM_METHODS_DEPTH_COUNTS, .rounds = 1, .on = 1}},
        {.type = UM_WIRE_COUNTER, .as.counter = {0, 0, "P", "cpu", "", "%"}},
        {.type = UM_WIRE_COUNTER_VALUE,
         .as.counter_value = {.time_ns = 5002 * UM_CLOCK_NS_PER_S,
                              .interval_ns = UM_CLOCK_NS_PER_S,
                              .value = um_double_bits_of(7 * times)}}};
    stacked_init(&stacked);
    stacked.names[STACKED_DRAW] = times == 1 ? "draw" : "paint";
    stacked.more = more;
    stacked.more_count = sizeof more / sizeof more[0];
    snprintf(path, sizeof path, "%s/%s", root, name);
    write_stacked(&stacked, path);
}

Test(program, compares_the_recording_before_with_that_after)
{
    write_compared("before.uirec", 1);
    write_compared("after.uirec", 2);
    cr_expect_eq(run("compare %s/before.uirec %s/after.uirec", root, root), 0);
    static const char *const said[] = {
        "\n      0.0    4000.0   +4000.0    +4000.0  app!paint\n",
        "\n   4000.0       0.0   -4000.0    -4000.0  app!draw\n",
        "\n          3 → 6                     +3  App.Load, app.dll\n",
        "\n     2.00      4.00        2.00      10      10  Pane\n",
        "\n          7          14        2.00  cpu, %\n"};
    for (size_t i = 0; i < sizeof said / sizeof said[0]; i++)
        cr_expect(strstr(out, said[i]), "'%s' is not in %s", said[i], out);
}

Test(program, exports_and_compares_stacks)
{
    const char *path = stacked_path();
    cr_expect_eq(run("export %s --format folded", path), 0);
    cr_expect_str_eq(out,
                     "thread 11;app!main;USER32!SendMessageW;app!proc;plug!parse_solution 100000\n"
                     "thread 11;app!main;app!draw 160000\n"
                     "thread 11;[stack not read];app!draw 40000\n");
    cr_expect_eq(run("compare %s %s", path, path), 0);
    cr_expect(strstr(out, "30 samples in them") != NULL, "%s", out);
    cr_expect_eq(run("export recording_v1.bin --format folded"), 1);
    cr_expect(strstr(out, "no stacks are in it") != NULL, "%s", out);
}

Test(program, exports_markers_without_stacks)
{
    cr_expect_eq(run("export recording_v1.bin --format csv"), 0);
    cr_expect(strstr(out, "43:5,UI thread,ide.exe,Click handled,input,330,331,,"
                          "9f0b705100000001;25,\n"),
              "%s", out);
    cr_expect_eq(run("export recording_v1.bin --format perfetto --output %s/p", root), 0, "%s",
                 out);
    cr_expect_eq(run("export recording_v1.bin --format firefox --output %s/f.json", root), 0);
    cr_expect_eq(run("export recording_v1.bin --format chrome --output %s/c.json", root), 0);
    cr_expect_eq(run("flows %s/c.json", root), 0);
    cr_expect(strstr(out, "9f0b705100000001;25 "), "%s", out);
}

Test(program, lists_the_longest_flows)
{
    cr_expect_eq(run("flows recording_v1.bin --most 2"), 0);
    assert_golden("program_flows.txt");
    cr_expect_eq(run("flows recording_v1.bin --most 2 --quiet --json -"), 0);
    const char *first = strstr(out, "\n{\"id\":\"a277"), *second = strstr(out, "\n{\"id\":\"9f0b");
    cr_expect(first && second && first < second && !strstr(out, "\n{\"id\":\"fd1a"), "%s", out);
    cr_expect_eq(run("flows recording_v1.bin --most 2 --search Click"), 2);
    cr_expect(strstr(out, "uimon: --most is of the list of all flows"), "%s", out);
}

Test(program, reads_a_trace_that_is_cut_off)
{
    cr_expect_eq(run("export recording_v1.bin --format chrome --output %s/c.json", root), 0);
    cr_expect_eq(run("flows %s/c.json", root), 0);
    snprintf(out, sizeof out, "truncate -s -9 %s/c.json", root);
    cr_assert_eq(system(out), 0);
    cr_expect_eq(run("flows %s/c.json", root), 1);
    cr_expect(strstr(out, "/c.json: is cut off; what it has up to there was read\n") &&
                  strstr(out, "9f0b705100000001;25 "),
              "%s", out);
}

/* A double has too few digits for the nanoseconds of the calendar. */
Test(program, times_in_json_are_exact)
{
    snprintf(out, sizeof out, "%s/t.json", root);
    FILE *file = fopen(out, "w");
    cr_assert(file &&
              fputs("[{\"ph\":\"s\",\"pid\":1,\"tid\":1,\"ts\":1790000000000123.5,"
                    "\"name\":\"a\",\"id\":1}]",
                    file) >= 0 &&
              fclose(file) == 0);
    cr_expect_eq(run("flows %s/t.json --quiet --json -", root), 0);
    cr_expect(strstr(out, "{\"id\":\"1\",\"start_ms\":1790000000000.1235,"), "%s", out);
    cr_expect_eq(run("flows %s/t.json --flow '1;1790000000000.1235'", root), 0);
}

static void write_trace(const char *json)
{
    char path[256];
    snprintf(path, sizeof path, "%s/t.json", root);
    FILE *file = fopen(path, "w");
    cr_assert(file && fputs(json, file) >= 0 && fclose(file) == 0);
}

Test(program, times_since_1970_have_their_nanoseconds)
{
    write_trace("[{\"ph\":\"s\",\"pid\":1,\"tid\":1,\"ts\":1712345678901234.567,"
                "\"name\":\"a\",\"id\":1}]");
    cr_expect_eq(run("flows %s/t.json --quiet --json -", root), 0);
    cr_expect(strstr(out, "\"start_ms\":1712345678901.234567,"), "%s", out);
    cr_expect_eq(run("flows %s/t.json", root), 0);
    cr_expect(strstr(out, "1;1712345678901.234567 "), "%s", out);
    cr_expect_eq(run("flows %s/t.json --flow '1;1712345678901.234567'", root), 0);
    cr_expect_eq(run("flows %s/t.json --flow '1;1712345678901.234566'", root), 2);
}

Test(program, says_what_a_trace_without_flows_has)
{
    write_trace("[{\"ph\":\"C\",\"pid\":1,\"ts\":1,\"name\":\"n\",\"args\":{\"n\":1}},"
                "{\"ph\":\"C\",\"pid\":1,\"ts\":2,\"name\":\"n\",\"args\":{\"n\":2}}]");
    cr_expect_eq(run("flows %s/t.json", root), 0);
    cr_expect(strstr(out, "/t.json: left out: 2 C (counters)\n") &&
                  strstr(out, "the file has no markers\n"),
              "%s", out);
    cr_expect_eq(run("flows %s/t.json --quiet", root), 0);
    cr_expect_str_eq(out, "");
    write_trace("[{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":1,\"name\":\"a\"}]");
    cr_expect_eq(run("flows %s/t.json", root), 0);
    cr_expect_str_eq(out,
                     "the file has no flows; --search TEXT finds its markers, of which it has 1\n");
    cr_expect_eq(run("flows %s/t.json --search a", root), 0);
    cr_expect(strstr(out, " no end seen "), "%s", out);
}

/* As gzip does, which calls it a warning. */
Test(program, reads_what_is_packed_before_other_bytes)
{
    char command[1024];
    static const struct {
        const char *tail, *said;
    } files[] = {{"\\0", ""},
                 {"\\0\\0\\0\\0", ""},
                 {"junk", "other bytes follow what is packed"},
                 {"\\037", "other bytes follow"},
                 {"\\037\\213junk", "other bytes follow"},
                 {"\\0\\0\\037\\213", "other bytes follow"}};
    write_trace("[{\"ph\":\"s\",\"pid\":1,\"tid\":1,\"ts\":5,\"name\":\"a\",\"id\":1}]");
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        snprintf(command, sizeof command, "gzip -c %s/t.json >%s/t.gz && printf '%s' >>%s/t.gz",
                 root, root, files[i].tail, root);
        cr_assert_eq(system(command), 0);
        cr_expect_eq(run("flows %s/t.gz", root), 0);
        cr_expect(strstr(out, "1;0.005 ") && strstr(out, files[i].said), "%s: %s", files[i].tail,
                  out);
        cr_expect_eq(strstr(out, "uimon:") != NULL, files[i].said[0] != '\0', "%s", out);
    }
}

Test(program, says_that_a_trace_has_no_input)
{
    snprintf(out, sizeof out, "%s/t.json", root);
    FILE *file = fopen(out, "w");
    cr_assert(
        file &&
        fputs("[{\"ph\":\"s\",\"pid\":1,\"tid\":1,\"ts\":5,\"name\":\"a\",\"id\":1}]", file) >= 0 &&
        fclose(file) == 0);
    cr_expect_eq(run("flows %s/t.json --slow 5", root), 0);
    cr_expect_str_eq(out,
                     "the file has no keys, clicks or steps of the wheel; a recording has them "
                     "with --interactions\n");
}

Test(program, says_how_many_fields_were_left_out)
{
    snprintf(out, sizeof out, "%s/t.json", root);
    FILE *file = fopen(out, "w");
    cr_assert(file && fputs("[{\"ph\":\"s\",\"pid\":1,\"tid\":1,\"ts\":5,\"name\":\"a\",\"id\":1},"
                            "{\"ph\":\"i\",\"pid\":1,\"tid\":1,\"ts\":5,\"name\":\"b\",\"args\":{",
                            file) >= 0);
    for (int i = 0; i <= UINT16_MAX; i++)
        fprintf(file, "%s\"%d\":0", i ? "," : "", i);
    cr_assert(fputs("}}]", file) >= 0 && fclose(file) == 0);
    cr_expect_eq(run("flows %s/t.json --search 'flow:1' --quiet", root), 1);
    cr_expect(strstr(out, "/t.json: 2 fields were left out, of markers with more than 65535\n"),
              "%s", out);
}

Test(program, goes_along_a_flow)
{
    cr_expect_eq(run("flows recording_v1.bin --from input:1 --next"), 0);
    cr_expect(strstr(out, "\n  43:4 ") && strstr(out, "Click taken") && !strstr(out, "arrived"),
              "%s", out);
    cr_expect_eq(run("flows recording_v1.bin --from 43:4 --previous"), 0);
    cr_expect(strstr(out, "\n  input:1 ") && strstr(out, "Beat taken"), "%s", out);
    cr_expect_eq(run("flows recording_v1.bin --from 43:4 --previous --flow '9f0b705100000001;25'"),
                 0);
    cr_expect(strstr(out, "\n  input:1 ") && !strstr(out, "Beat taken"), "%s", out);
    cr_expect_eq(run("flows recording_v1.bin --from input:1 --previous"), 0);
    cr_expect_str_eq(out, "no marker stands before input:1 in its flows\n");
    cr_expect_eq(run("flows recording_v1.bin --from input:1 --next --quiet --json -"), 0);
    cr_expect(strstr(out, "{\"markers\": [\n{\"marker\":\"43:4\","), "%s", out);
}

Test(program, searches_for_a_flow)
{
    cr_expect_eq(run("flows recording_v1.bin --search 'flow:9f0b705100000001;100.5'"), 0);
    cr_expect(strstr(out, "Click arrived") && strstr(out, "Click taken") &&
                  strstr(out, "Click handled") && !strstr(out, "Beat"),
              "%s", out);
    cr_expect_eq(run("flows recording_v1.bin --search flow:n3"), 0);
    cr_expect(strstr(out, "Click arrived") && strstr(out, "Click taken") && !strstr(out, "Beat"),
              "%s", out);
    cr_expect_eq(run("flows recording_v1.bin --search FROZEN"), 0);
    cr_expect(strstr(out, "Frozen") && !strstr(out, "Click"), "%s", out);
    cr_expect_eq(run("flows recording_v1.bin --search nowhere"), 0);
    cr_expect_str_eq(out, "no marker has \"nowhere\" in its name, its category, its texts or its "
                          "flows\n");
}

/* Each with one line and exit code 2, or 1 where it is the file. */
Test(program, refuses_what_no_flow_is)
{
    static const struct {
        const char *words;
        int code;
        const char *line;
    } refused[] = {
        {"--flow 'nothing;5'", 2, "uimon: --flow \"nothing;5\": no marker mentions such a flow"},
        {"--flow '9f0b705100000001;900'", 2,
         "none lasts at that time; 9f0b705100000001 lasts from 25 to 331 ms\n"},
        {"--search 'flow:9f0b705100000001;x'", 2, "what follows the semicolon is no time"},
        {"--flow n5", 2, "uimon: --flow \"n5\": the file has the flows n1 to n4\n"},
        {"--search flow:n5", 2, "uimon: --search \"flow:n5\": the file has the flows n1 to n4\n"},
        {"--from 43:99", 2, "uimon: --from 43:99: thread 43 has markers 1 to "},
        {"--from 77:1", 2, "uimon: --from 77:1: there is no such thread"},
        {"--from 43", 2, "uimon: --from 43: this is no marker"},
        {"--next", 2, "--next and --previous: give one of them"},
        {"--from 43:1 --flow 9f0b705100000001", 2, "--from and --flow: add --next or --previous"},
        {"--from 43:1 --next --flow 9f0b705100000001 --steps 2", 2, "leave --from out"},
        {"--search x --from 43:1", 2, "--search looks through all markers"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        cr_expect_eq(run("flows recording_v1.bin %s", refused[i].words), refused[i].code, "%s: %s",
                     refused[i].words, out);
        cr_expect(strstr(out, refused[i].line) && strchr(out, '\n') == out + strlen(out) - 1,
                  "%s: %s", refused[i].words, out);
    }
    cr_expect_eq(run("flows runs_demo.json"), 1);
    cr_expect(strstr(out, "runs_demo.json: is JSON of uimon itself"), "%s", out);
    cr_expect_eq(run("flows no_such_file"), 1);
}

Test(program, lists_what_was_slow)
{
    cr_expect_eq(run("flows recording_v1.bin --slow 100"), 0);
    assert_golden("program_flows_slow.txt");
    cr_expect_eq(run("flows recording_v1.bin --slow 100 --quiet --json -"), 0);
    cr_expect(strstr(out,
                     "\"slowest\":{\"marker\":\"input:1\",\"until\":\"43:4\",\"length_ms\":305},"
                     "\"freeze\":{\"id\":\"a2778c9300000001\",\"start_ms\":20}"),
              "%s", out);
    cr_expect_eq(run("flows recording_v1.bin --slow 400ms"), 0);
    cr_expect_str_eq(out, "no key, click or step of the wheel took longer than 400 ms\n");
    cr_expect_eq(run("flows recording_v1.bin --slow 400 --quiet --json -"), 0);
    cr_expect_str_eq(out, "{\"flows\": [\n]}\n");
    cr_expect_eq(run("flows recording_v1.bin --slow 100 --search Click"), 2);
    cr_expect(strstr(out, "uimon: --slow looks through all flows"), "%s", out);
}

/* A recording of a key that is named; its path, in a static buffer. */
static const char *kept_key_path(void)
{
    static char path[64];
    const uint64_t begin_ns = 1000 * UM_CLOCK_NS_PER_S;
    struct recording_file to = {0};
    struct um_wire_frame frame = {.type = UM_WIRE_SESSION};
    recording_file_begin(&to);
    frame.as.session = (struct um_wire_session){
        .start_ns = begin_ns, .pid = 7, .tid = 5, .name = "editor.exe", .bits = 64};
    recording_file_put(&to, &frame);
    frame = (struct um_wire_frame){.type = UM_WIRE_INTERACTION};
    frame.as.interaction =
        (struct um_wire_interaction){.arrival_ns = begin_ns + 20 * UM_CLOCK_NS_PER_MS,
                                     .dequeued_ns = begin_ns + 250 * UM_CLOCK_NS_PER_MS,
                                     .id = 1,
                                     .key = 'A',
                                     .kind = UM_INTERACTION_KEY};
    recording_file_put(&to, &frame);
    frame = (struct um_wire_frame){.type = UM_WIRE_TOTALS};
    frame.as.totals = (struct um_wire_totals){.time_ns = begin_ns + UM_CLOCK_NS_PER_S,
                                              .duration_ns = UM_CLOCK_NS_PER_S};
    recording_file_put(&to, &frame);
    frame = (struct um_wire_frame){.type = UM_WIRE_END};
    recording_file_put(&to, &frame);
    recording_file_cut(&to);
    snprintf(path, sizeof path, "%s/keys.uirec", root);
    FILE *file = fopen(path, "wb");
    cr_assert(file && fwrite(to.bytes, to.len, 1, file) == 1 && fclose(file) == 0);
    recording_file_free(&to);
    return path;
}

Test(program, names_the_key_that_was_slow)
{
    const char *path = kept_key_path();
    cr_expect_eq(run("flows %s --slow 100", path), 0);
    cr_expect(strstr(out, "  Key A ") && strstr(out, "Key arrived to Key taken"), "%s", out);
    cr_expect_eq(run("flows %s --search 'a' --quiet --json -", path), 0);
    cr_expect(strstr(out, "{\"name\":\"key\",\"text\":\"A\"}"), "%s", out);
}

static void expect_own_alone(const char *name)
{
    struct stat there;
    char path[64];
    snprintf(path, sizeof path, "%s/%s", root, name);
    cr_assert_eq(stat(path, &there), 0, "%s", path);
    cr_expect_eq(there.st_mode & (S_IRWXG | S_IRWXO), 0, "%s: nobody else may look", name);
}

Test(program, files_with_keys_are_their_owners_alone)
{
    const char *path = kept_key_path();
    umask(0022);
    cr_expect_eq(run("flows %s --quiet --json %s/f.json", path, root), 0, "%s", out);
    expect_own_alone("f.json");
    cr_expect_eq(run("export %s --format csv --output %s/k.csv", path, root), 0, "%s", out);
    expect_own_alone("k.csv");
}

Test(program, shows_what_is_around_a_flow)
{
    cr_expect_eq(run("flows recording_v1.bin --flow '9f0b705100000001;25'"), 0);
    assert_golden("program_flow.txt");
    cr_expect_eq(run("flows recording_v1.bin --flow n3"), 0);
    assert_golden("program_flow.txt");
    cr_expect_eq(run("flows recording_v1.bin --flow 9f0b705100000001 --steps 0 --quiet --json -"),
                 0);
    cr_expect(strstr(out, "{\"flow\": {\"id\":\"9f0b705100000001\",\"start_ms\":25}, \"flows\": ["),
              "%s", out);
    cr_expect_not(strstr(out, "Frozen"), "%s", out);
    cr_expect_eq(run("flows recording_v1.bin --flow 'fd1a149a00000008;30' --steps 2"), 0);
    cr_expect(strstr(out, "\n2 steps   n3  9f0b705100000001;25 "), "%s", out);
    cr_expect_eq(run("flows recording_v1.bin --steps 2"), 2);
    cr_expect(strstr(out, "uimon: --steps is of --flow"), "%s", out);
}

Test(program, exports_latencies)
{
    cr_expect_eq(run("export recording_v1.bin --format hlog"), 0);
    cr_expect(strstr(out, "\nTag=beats,0.000,0.500,300.155,HISTF"), "%s", out);
    cr_expect(strstr(out, "\nTag=clicks-handled,0.000,0.500,306.184,HISTF"), "%s", out);
    cr_expect_eq(run("export recording_v1.bin --format hgrm --latency clicks-handled"), 0);
    cr_expect(strstr(out, "     306.184 1.000000000000          1\n"), "%s", out);
    cr_expect_eq(run("export recording_v1.bin --format hgrm --latency keys"), 1);
    cr_expect(strstr(out, "there are no values of keys in it"), "%s", out);
    cr_expect_eq(run("export recording_v1.bin --format hlog --freeze 1"), 2);
    cr_expect(strstr(out, "latencies are those of the whole session"), "%s", out);
}

Test(program, keeps_a_history)
{
    cr_expect_eq(run("history add %s/h.jsonl runs_demo.json --label one", root), 0, "%s", out);
    cr_expect_eq(run("history show %s/h.jsonl", root), 0);
    cr_expect(strstr(out, "demo-typing") != NULL, "%s", out);
}

Test(program, replays_to_a_listener)
{
    static const char command[] =
        "cd " GOLDEN " && { " UM_PROGRAMS "/uimon replay recording_v1.bin --headless --verbose "
        "2>&1 </dev/null & } | { read -r line; echo \"${line%-*}\"; "
        "timeout 60 " UM_EXAMPLES "/example_feed \"${line##* }\"; }";
    FILE *program = popen(command, "r");
    cr_assert(program != NULL);
    out[fread(out, 1, sizeof out - 1, program)] = '\0';
    pclose(program);
    /* The first beat is at the very begin, where the listener may not be there yet. */
    char *beats = strstr(out, " beats, the longest 300.0 ms\n");
    cr_assert(beats && (beats[-1] == '1' || beats[-1] == '2'), "%s", out);
    beats[-1] = '\0';
    cr_expect_str_eq(out, "uimon: feed: uimon-feed\n"
                          "watching ide.exe\n"
                          "freeze of 310.0 ms\n"
                          "watching ide.exe\n");
}

/* Reads what it prints until that has the name of the target. */
static void expect_session(FILE *listener)
{
    do
        cr_assert(fgets(out, sizeof out, listener));
    while (!strstr(out, "fake.exe"));
}

Test(program, listens)
{
    char folder[512];
    char name[UM_TRANSPORT_NAME_BYTES];
    struct um_hub *hub;
    struct um_registry *registry;
    struct um_wire_frame session = {.type = UM_WIRE_SESSION};
    strcpy(session.as.session.name, "fake.exe");
    cr_assert_eq(um_hub_open(um_transport_system(), &hub, name), UM_OK);
    cr_assert_eq(um_registry_folder(folder, sizeof folder), UM_OK);
    cr_assert_eq(um_registry_publish(folder, 4711, "fake.exe", name, &registry), UM_OK);
    struct um_feed_output output = um_hub_output(hub);
    um_feed_publish(&output, 1, &session);
    FILE *listener = start("listen fake --json -");
    expect_session(listener);
    session = (struct um_wire_frame){.type = UM_WIRE_END};
    um_feed_publish(&output, 1, &session);
    out[fread(out, 1, sizeof out - 1, listener)] = '\0';
    cr_expect_eq(pclose(listener), 0, "%s", out);
    cr_expect(strstr(out, "\"reason\":\"stopped\"") != NULL, "%s", out);
    um_registry_withdraw(registry);
    um_hub_close(hub);
}

/* Starts uimon with the scripted target, and returns its output. Owner: pclose. */
static FILE *start_scripted(const char *script, const char *arguments)
{
    char command[1024];
    snprintf(command, sizeof command,
             "cd %s && printf '%s' >script && UIMON_SCRIPT=script exec " UM_EXAMPLES
             "/uimon_scripted --attach fake --headless --interactions %s 2>&1 </dev/null",
             root, script, arguments);
    FILE *program = popen(command, "r");
    cr_assert(program != NULL);
    return program;
}

/* A busy machine holds up the fake's thread, too: such a delay is no freeze by this threshold. */
#define LONG_FREEZES "--threshold 1000"

Test(program, watches_a_scripted_target_and_reports_its_recording)
{
    FILE *program = start_scripted("wait 400\\nfreeze 2000\\npress\\nwait 300\\nexit\\n",
                                   LONG_FREEZES " --record freeze.uirec");
    size_t len = fread(out, 1, sizeof out - 1, program);
    out[len] = '\0';
    cr_expect_eq(pclose(program), 0, "%s", out);
    cr_expect(strstr(out, "\n1 freeze in ") != NULL, "%s", out);
    cr_expect_eq(run("report %s/freeze.uirec", root), 0);
    cr_expect(strstr(out, "\n1 freeze in ") != NULL, "%s", out);
    cr_expect(strstr(out, "fake.exe (pid 7)") != NULL, "%s", out);
    cr_expect(strstr(out, "WM_LBUTTONUP") != NULL, "%s", out);
    cr_expect(strstr(out, "1 key") != NULL, "%s", out);
}

/* Files that are open for long would get the numbers of standard output and error, and with them
 * the lines about the run and the summary. */
Test(program, watching_without_standard_streams_writes_its_files)
{
    char path[64];
    snprintf(out, sizeof out,
             "cd %s && printf 'wait 400\\nexit\\n' >script && UIMON_SCRIPT=script " UM_EXAMPLES
             "/uimon_scripted --attach fake --headless --verbose --record r.uirec --csv rows.csv "
             "--json s.json " NO_STREAMS,
             root);
    int status = system(out);
    cr_assert(WIFEXITED(status));
    cr_expect_eq(WEXITSTATUS(status), 0);
    snprintf(path, sizeof path, "%s/rows.csv", root);
    const char *rows = written_file(path, NULL);
    cr_expect(*rows);
    for (const char *at = rows; *at; at = strchr(at, '\n') + 1) {
        const char *next = at == rows ? ",ProcessName," : ",fake.exe,";
        cr_assert(strncmp(strchr(at, ','), next, strlen(next)) == 0 && strchr(at, '\n'), "%s", at);
    }
    snprintf(path, sizeof path, "%s/s.json", root);
    cJSON *summary = cJSON_Parse(written_file(path, NULL));
    cr_expect(summary != NULL);
    cJSON_Delete(summary);
    cr_expect_eq(run("report %s/r.uirec", root), 0, "%s", out);
}

Test(program, listens_to_a_scripted_target)
{
    FILE *program =
        start_scripted("until heard\\nfreeze 2000\\nwait 500\\nexit\\n", LONG_FREEZES " --quiet");
    FILE *listener = start("listen fake --counters none --json -");
    while (!fgets(out, sizeof out, listener) || !strstr(out, "\"kind\":\"session\"")) {
        pclose(listener); /* the feed is not there yet */
        um_clock_sleep_ns(50 * UM_CLOCK_NS_PER_MS);
        listener = start("listen fake --counters none --json -");
    }
    char heard[64];
    snprintf(heard, sizeof heard, "%s/heard", root);
    written_put(heard, "");
    out[fread(out, 1, sizeof out - 1, listener)] = '\0';
    cr_expect_eq(pclose(listener), 0, "%s", out);
    /* Only the line of an end says whether it is void; the message is what the fake freezes at. */
    cr_expect(strstr(out, "\"void\":false,\"message\":\"WM_LBUTTONUP\"") != NULL, "%s", out);
    cr_expect(strstr(out, "\"reason\":\"target_gone\"") != NULL, "%s", out);
    cr_expect_eq(pclose(program), 0);
}

Test(program, advises_to_wait_who_has_not_waited)
{
    cr_expect_eq(run("listen nosuch"), 3);
    cr_expect(strstr(out, "'uimon --attach nosuch', or wait for it with --wait\n"), "%s", out);
    cr_expect_eq(run("listen nosuch --wait=0.1"), 3);
    cr_expect(strstr(out, "'uimon --attach nosuch'\n"), "%s", out);
    cr_expect_eq(run("listen --wait=0.1"), 3);
    cr_expect(!strstr(out, "--wait"), "%s", out);
}

/* Programs are watched by their windows: without a screen there is nothing to watch. */
Test(program, says_that_nothing_can_be_watched)
{
    static const char *const watching[] = {"--attach 1", "--launch true", "demo", "list"};
    static const char *const more[] = {"doctor", "bench " GOLDEN "x.uimon", "calibrate",
                                       "bisect x.uimon"};
    unsetenv("DISPLAY");
    for (size_t i = 0; i < sizeof watching / sizeof watching[0]; i++) {
        cr_expect_eq(run("%s", watching[i]), 1);
        cr_expect_str_eq(out,
                         "uimon: there is no X11 screen: DISPLAY is not set. Programs are watched "
                         "by their windows on such a screen\n",
                         "%s", watching[i]);
    }
    for (size_t i = 0; i < sizeof more / sizeof more[0]; i++) {
        cr_expect_eq(run("%s", more[i]), 1);
        cr_expect_str_eq(out,
                         "uimon: this command needs Windows so far: it gives programs input, or "
                         "looks into them\n",
                         "%s", more[i]);
    }
}

Test(program, says_which_line_of_the_rules_for_components_is_wrong)
{
    char path[64];
    char expected[256];
    snprintf(path, sizeof path, "%s/parts.txt", root);
    FILE *file = fopen(path, "w");
    cr_assert(file && fputs("# parts\nclass:Pane\nid:x\n", file) >= 0 && fclose(file) == 0);
    cr_expect_eq(run("--attach 1 --layout --layout-components %s", path), 2);
    snprintf(expected, sizeof expected, "%s:3: id:x: this is not a whole number of 32 bits\n",
             path);
    cr_expect_str_eq(out, expected);
    cr_expect_eq(run("--attach 1 --layout --layout-components %s/no", root), 2);
    cr_expect(strstr(out, "/no: "), "%s", out);
}

/* Its standard input stays open, so that it does not end by itself. */
Test(program, stops_a_replay_at_an_interrupt)
{
    char command[1024];
    snprintf(command, sizeof command,
             "cd %s && mkfifo keys said && exec 3<>said && { sleep 1000 >keys & } && open=$! && "
             "{ " UM_PROGRAMS "/uimon replay " GOLDEN
             "recording_v1.bin --headless --verbose <keys 2>said & } && "
             "read -r line <&3 && kill -INT $! && wait $!; echo $?; kill $open",
             root);
    FILE *program = popen(command, "r");
    cr_assert(program && fgets(out, sizeof out, program));
    cr_expect_str_eq(out, "0\n");
    pclose(program);
}
