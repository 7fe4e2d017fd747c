#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/config.h"
#include "monitor/options/options.h"
#include "monitor/options/options_table.h"
#include "tests/written.h"

#define MAX_ARGS 24

static char error[UM_OPTIONS_ERROR_BYTES];
static char line_text[512];
static char *args[MAX_ARGS + 1];

/* Splits "--attach x" into args[1], args[2], ... and returns argc. */
static int split(const char *line)
{
    int count = 1;

    snprintf(line_text, sizeof line_text, "%s", line);
    args[0] = (char *)"uimon";
    for (char *word = strtok(line_text, " "); word; word = strtok(NULL, " ")) {
        cr_assert_lt(count, MAX_ARGS);
        args[count++] = word;
    }
    args[count] = NULL;
    return count;
}

static struct um_options good(const char *line)
{
    struct um_options options;
    int argc = split(line);
    enum um_status status = um_options_parse(argc, args, &options, error, sizeof error);

    cr_assert_eq(status, UM_OK, "'%s' is refused: %s", line, error);
    return options;
}

static void assert_refused(const char *line, const char *expected)
{
    struct um_options options;
    int argc = split(line);

    error[0] = '\0';
    cr_assert_eq(um_options_parse(argc, args, &options, error, sizeof error), UM_ERR_ARG,
                 "'%s' is accepted", line);
    cr_assert_str_eq(error, expected);
}

/* An option that is for other commands than the one of the line. */
static void assert_not_with(const char *line, const char *option, const char *command)
{
    char expected[160];

    snprintf(expected, sizeof expected,
             "uimon: %s does not go with %s; 'uimon --help' says what it is for", option, command);
    assert_refused(line, expected);
}

static void assert_same_place(const char *line, const char *one, const char *other)
{
    char expected[160];

    snprintf(expected, sizeof expected,
             "uimon: %s and %s: both cannot go to the same place; give each a file of its own", one,
             other);
    assert_refused(line, expected);
}

static struct um_options configured(const char *line, const char *text)
{
    struct um_options options = good(line);
    enum um_status status =
        um_options_apply_config(&options, text, strlen(text), "uimon.conf", error, sizeof error);

    cr_assert_eq(status, UM_OK, "%s", error);
    status = um_options_finish(&options, error, sizeof error);
    cr_assert_eq(status, UM_OK, "%s", error);
    return options;
}

static void assert_config_refused(const char *text, const char *expected)
{
    struct um_options options = good("--attach x");

    error[0] = '\0';
    cr_assert_eq(
        um_options_apply_config(&options, text, strlen(text), "uimon.conf", error, sizeof error),
        UM_ERR_FORMAT);
    cr_assert_str_eq(error, expected);
    um_options_deinit(&options);
}

Test(options, no_arguments_are_no_command)
{
    cr_assert_eq(good("").command, UM_OPTIONS_NONE);
}

Test(options, defaults_are_those_of_the_design)
{
    struct um_options options = good("--attach devenv");

    cr_assert_eq(options.command, UM_OPTIONS_WATCH);
    cr_assert_str_eq(options.target, "devenv");
    cr_assert_float_eq(options.threshold_ms, 100, 0);
    cr_assert_float_eq(options.slow_ms, 50, 0);
    cr_assert_float_eq(options.heartbeat_ms, 10, 0);
    cr_assert_eq(options.probe, UM_PROBE_AUTO);
    cr_assert_eq(options.background, UM_BACKGROUND_REST);
    cr_assert_float_eq(options.idle_pause_s, 60, 0);
    cr_assert_float_eq(options.duration_s, 0, 0);
    cr_assert_lt(options.wait_s, 0);
    cr_assert_eq(options.look, UM_OVERLAY_AUTO);
    cr_assert_eq(options.position, UM_OVERLAY_BOTTOM);
    cr_assert_eq(options.height, 0);
    cr_assert_float_eq(options.opacity, 0.7, 0);
    cr_assert_float_eq(options.scale, 0, 0);
    cr_assert_null(options.json);
    cr_assert_null(options.config);
    cr_assert_not(options.wait || options.newest || options.headless || options.config_given);
}

Test(options, doctor_may_be_asked_about_a_program)
{
    struct um_options options = good("doctor --json x.json");
    cr_expect(options.command == UM_OPTIONS_DOCTOR && !options.target);
    options = good("doctor --attach devenv --newest");
    cr_expect_eq(options.command, UM_OPTIONS_DOCTOR);
    cr_expect_str_eq(options.target, "devenv");
    assert_not_with("doctor --csv x.csv", "--csv", "doctor");
}

Test(options, takes_values_behind_an_equals_sign_and_behind_a_blank)
{
    struct um_options options =
        good("watch --attach=title:a=b --threshold=30.5 --slow 20 "
             "--probe=mouse --look compact --position top-left --height 200 --scale auto "
             "--json - --csv=out.csv --thread 77");

    cr_assert_str_eq(options.target, "title:a=b");
    cr_assert_float_eq(options.threshold_ms, 30.5, 0);
    cr_assert_float_eq(options.slow_ms, 20, 0);
    cr_assert_eq(options.probe, UM_PROBE_MOUSE);
    cr_assert_eq(options.look, UM_OVERLAY_COMPACT);
    cr_assert_eq(options.position, UM_OVERLAY_TOP_LEFT);
    cr_assert_eq(options.height, 200);
    cr_assert_float_eq(options.scale, 0, 0);
    cr_assert_str_eq(options.json, "-");
    cr_assert_str_eq(options.csv, "out.csv");
    cr_assert_eq(options.thread_id, 77);
}

Test(options, the_last_of_one_option_counts)
{
    cr_assert_float_eq(good("--attach x --threshold 30 --threshold 40").threshold_ms, 40, 0);
}

Test(options, a_flag_can_be_switched_off)
{
    cr_assert(good("--attach x --headless").headless);
    cr_assert(good("--attach x --headless=yes").headless);
    cr_assert_not(good("--attach x --headless --headless=off").headless);
    assert_refused("--attach x --headless=perhaps", "uimon: --headless perhaps: must be on or off");
}

Test(options, wait_takes_a_number_if_there_is_one)
{
    cr_assert_float_eq(good("--attach x --wait=2.5").wait_s, 2.5, 0);
    cr_assert_float_eq(good("--attach x --wait 30 --newest").wait_s, 30, 0);
    cr_assert_lt(good("--attach x --wait --newest").wait_s, 0);
    cr_assert(good("bench s.uimon --newest").newest);
    cr_assert(good("--wait --attach x").wait);
    assert_refused("--attach x --wait=soon", "uimon: --wait soon: not a number; must be between 0 "
                                             "and 31536000 s");
}

Test(options, layout_takes_a_word_of_its_own_if_there_is_one)
{
    cr_expect_eq(good("--attach x").layout, UM_WIRE_LAYOUT_MODE_OFF);
    cr_expect_eq(good("--attach x --layout").layout, UM_WIRE_LAYOUT_MODE_COMPONENTS);
    cr_expect_eq(good("--attach x --layout heatmap").layout, UM_WIRE_LAYOUT_MODE_HEATMAP);
    struct um_options options = good("bench --layout s.uimon");
    cr_expect_eq(options.layout, UM_WIRE_LAYOUT_MODE_COMPONENTS);
    cr_expect_str_eq(options.files[0], "s.uimon");
    options = good("bisect s.uimon --suspect A=1 --suspect B=1 --layout=off");
    cr_expect_eq(options.layout, UM_WIRE_LAYOUT_MODE_OFF);
    assert_not_with("calibrate --layout", "--layout", "calibrate");
}

Test(options, launch_leaves_everything_behind_it_to_the_program)
{
    struct um_options options = good("--threshold 30 --launch prog --help --threshold 7 list");

    cr_assert_eq(options.command, UM_OPTIONS_LAUNCH);
    cr_assert_eq(options.launch_argc, 5);
    cr_assert_str_eq(options.launch_argv[0], "prog");
    cr_assert_str_eq(options.launch_argv[1], "--help");
    cr_assert_null(options.launch_argv[5]);
    cr_assert_float_eq(options.threshold_ms, 30, 0);
}

Test(options, launch_takes_its_program_behind_an_equals_sign_too)
{
    struct um_options options = good("--launch=prog arg");
    cr_assert_eq(options.launch_argc, 2);
    cr_assert_str_eq(options.launch_argv[0], "prog");
    cr_assert_str_eq(options.launch_argv[1], "arg");
}

Test(options, help_and_version_win_over_what_follows)
{
    cr_assert_eq(good("--help").command, UM_OPTIONS_HELP);
    cr_assert_eq(good("-h").command, UM_OPTIONS_HELP);
    cr_assert_eq(good("/?").command, UM_OPTIONS_HELP);
    cr_assert_eq(good("help demo").command, UM_OPTIONS_HELP);
    cr_assert_eq(good("demo --help").command, UM_OPTIONS_HELP);
    cr_assert_eq(good("--threshold 50 --help --nonsense").command, UM_OPTIONS_HELP);
    cr_assert_eq(good("--version").command, UM_OPTIONS_VERSION);
    cr_assert_eq(good("version").command, UM_OPTIONS_VERSION);
}

Test(options, help_is_about_the_command_before_it_or_behind_it)
{
    cr_expect_eq(good("--help").topic, UM_OPTIONS_NONE);
    cr_expect_eq(good("--help bench").topic, UM_OPTIONS_BENCH);
    cr_expect_eq(good("help demo").topic, UM_OPTIONS_DEMO);
    cr_expect_eq(good("help x").topic, UM_OPTIONS_NONE);
    cr_expect_eq(good("bench x.uimon --runs 3 --help").topic, UM_OPTIONS_BENCH);
    cr_expect_eq(good("history -h").topic, UM_OPTIONS_HISTORY);
    cr_expect_eq(good("history add --help").topic, UM_OPTIONS_HISTORY_ADD);
}

Test(options, a_command_may_stand_behind_options)
{
    cr_assert_eq(good("--quiet list").command, UM_OPTIONS_LIST);
    assert_refused("list demo", "uimon: 'demo': only one command can be given");
}

Test(options, unknown_words_are_answered_with_what_was_meant)
{
    assert_refused("--attach x --treshold 50",
                   "uimon: unknown option '--treshold'; did you mean '--threshold'?");
    assert_refused("--theshrold=50 --attach x",
                   "uimon: unknown option '--theshrold'; did you mean '--threshold'?");
    assert_refused("--dur 5", "uimon: unknown option '--dur'; did you mean '--duration'?");
    assert_refused("-attach x", "uimon: unknown option '-attach'; did you mean '--attach'?");
    assert_refused("--frobnicate", "uimon: unknown option '--frobnicate'; 'uimon --help' lists "
                                   "them");
    assert_refused("lst", "uimon: unknown command 'lst'; did you mean 'list'?");
    assert_refused("attach x", "uimon: unknown command 'attach'; did you mean '--attach'?");
    assert_refused("devenv",
                   "uimon: unknown command 'devenv'; to watch a program of that name, write "
                   "--attach devenv");
}

Test(options, a_value_that_is_missing_is_asked_for)
{
    assert_refused("--attach", "uimon: --attach: a value is missing; write --attach TARGET");
    assert_refused("--attach --headless",
                   "uimon: --attach: a value is missing; write --attach TARGET");
    assert_refused("--attach x --probe",
                   "uimon: --probe: a value is missing; write --probe auto|raw|mouse");
    assert_refused("--launch",
                   "uimon: --launch: a value is missing; write --launch PROGRAM [ARG...]");
    assert_refused("--attach=", "uimon: --attach : must not be empty");
}

Test(options, ranges_are_checked)
{
    assert_refused("--threshold 0", "uimon: --threshold 0: must be between 1 and 60000 ms");
    assert_refused("--threshold -5", "uimon: --threshold -5: must be between 1 and 60000 ms");
    assert_refused("--threshold 60000.1",
                   "uimon: --threshold 60000.1: must be between 1 and 60000 ms");
    assert_refused("--threshold 1e2", "uimon: --threshold 1e2: not a number; must be between 1 and "
                                      "60000 ms");
    assert_refused("--threshold nan", "uimon: --threshold nan: not a number; must be between 1 and "
                                      "60000 ms");
    assert_refused("--heartbeat 1001", "uimon: --heartbeat 1001: must be between 1 and 1000 ms");
    assert_refused("--height 15", "uimon: --height 15: must be auto or between 16 and 400 px");
    assert_refused("--hotkeys hide=F9",
                   "uimon: --hotkeys hide=F9: must be none, or as in hide=Ctrl+Alt+F9,mark=none; "
                   "names are hide, mark, panel, trace, layout, layout-pin, position, and keys are "
                   "none, or Ctrl, Alt or Win, and a letter, a digit or F1 to F24");
    assert_refused("--look big", "uimon: --look big: must be auto|strip|compact|bar");
    assert_refused(
        "--show lag,fps",
        "uimon: --show lag,fps: there is no row \"fps\", but lag, latency, "
        "hangs, typing, click, threadpool, frame-rate, message-rate, beats-lost, cost, all and "
        "none, and eight counters as PROVIDER/NAME");
    assert_refused("--panel graf", "uimon: --panel graf: must be graph|profile");
    assert_refused("--height 70.5", "uimon: --height 70.5: must be a whole number");
    assert_refused("--opacity 0", "uimon: --opacity 0: must be between 0.1 and 1");
    assert_refused("--scale 0.2", "uimon: --scale 0.2: must be auto or between 0.5 and 4");
    assert_refused("--idle-pause 0.5",
                   "uimon: --idle-pause 0.5: must be never or between 1 and 86400 s");
    assert_refused("--duration 0", "uimon: --duration 0: must be between 0.1 and 31536000 s");
    assert_refused("--thread 4294967296",
                   "uimon: --thread 4294967296: must be between 1 and 4294967295");
    assert_refused("--probe keyboard", "uimon: --probe keyboard: must be auto|raw|mouse");
    assert_refused("--position left", "uimon: --position left: must be bottom|top|"
                                      "bottom-right|bottom-left|top-right|top-left");
}

Test(options, the_ends_of_a_range_belong_to_it)
{
    cr_assert_float_eq(good("--attach x --threshold 1").threshold_ms, 1, 0);
    cr_assert_float_eq(good("--attach x --threshold 60000").threshold_ms, 60000, 0);
    cr_assert_eq(good("--attach x --thread 4294967295").thread_id, UINT32_MAX);
    cr_assert_float_eq(good("--attach x --idle-pause 0").idle_pause_s, 0, 0);
    cr_assert_float_eq(good("--attach x --idle-pause never").idle_pause_s, 0, 0);
}

Test(options, contradictions_are_refused)
{
    assert_refused("--threshold 50",
                   "uimon: nothing to watch; say --attach TARGET or --launch PROGRAM ('uimon list' "
                   "shows what can be watched)");
    assert_refused("--attach x --attach y",
                   "uimon: --attach is given twice; start one uimon for each target");
    assert_not_with("--attach x --launch y", "--attach", "--launch");
    assert_not_with("list --duration 5", "--duration", "list");
    assert_not_with("--wait --launch x", "--wait", "--launch");
    assert_refused("--attach x --quiet --verbose",
                   "uimon: --quiet and --verbose contradict each other; give only one of them");
    assert_same_place("--attach x --json - --csv -", "--json -", "--csv -");
}

Test(options, an_error_shows_no_control_characters)
{
    char *argv[] = {(char *)"uimon", (char *)"--x\x1b[2J", NULL};
    struct um_options options;

    cr_assert_eq(um_options_parse(2, argv, &options, error, sizeof error), UM_ERR_ARG);
    cr_assert_null(strchr(error, '\x1b'));
}

Test(options, a_failure_leaves_the_result_untouched)
{
    struct um_options options;

    memset(&options, 0x5a, sizeof options);
    split("--attach x --threshold 0");
    cr_assert_eq(um_options_parse(4, args, &options, error, sizeof error), UM_ERR_ARG);
    for (size_t i = 0; i < sizeof options; i++)
        cr_assert_eq(((unsigned char *)&options)[i], 0x5a);
}

Test(options, the_slow_threshold_follows_a_lower_freeze_threshold)
{
    static const struct {
        const char *line, *file;
        double slow_ms;
    } cases[] = {
        {"--attach x --threshold 30", "", 15},
        {"--attach x --threshold 50", "", 50},
        {"--attach x --threshold 30", "slow=40\nthreshold=200\n", 15},
        {"--attach x --slow 150", "threshold=200\n", 150},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        cr_expect_float_eq(configured(cases[i].line, cases[i].file).slow_ms, cases[i].slow_ms, 0,
                           "row %zu", i);
}

Test(options, hotkeys_that_are_not_named_stay)
{
    struct um_options options = good("--attach x");
    cr_expect_str_eq(um_options_hotkeys_get(&options, UM_OPTIONS_HOTKEY_TRACE).keys,
                     "Ctrl+Alt+Shift+F8");
    cr_expect(!um_options_hotkeys_get(&options, UM_OPTIONS_HOTKEY_TRACE).chosen);
    options = good("--attach x --hotkeys hide=none,trace=alt+f2");
    cr_expect_str_eq(um_options_hotkeys_get(&options, UM_OPTIONS_HOTKEY_HIDE).keys, "none");
    cr_expect_str_eq(um_options_hotkeys_get(&options, UM_OPTIONS_HOTKEY_TRACE).keys, "alt+f2");
    cr_expect(um_options_hotkeys_get(&options, UM_OPTIONS_HOTKEY_TRACE).chosen);
    cr_expect_str_eq(um_options_hotkeys_get(&options, UM_OPTIONS_HOTKEY_MARK).keys,
                     "Ctrl+Alt+Shift+F10");
    options = configured("replay a.uirec", "hotkeys = panel=Ctrl+7\n");
    cr_expect_str_eq(um_options_hotkeys_get(&options, UM_OPTIONS_HOTKEY_PANEL).keys, "Ctrl+7");
    um_options_deinit(&options);
    options = good("--attach x --hotkeys none");
    for (int i = 0; i < UM_OPTIONS_HOTKEYS; i++)
        cr_expect_str_eq(um_options_hotkeys_get(&options, (enum um_options_hotkeys)i).keys, "none");
}

Test(options, hotkeys_are_checked)
{
    static const char *const texts[] = {"F9",
                                        "hide",
                                        "hide=",
                                        "hide=F9",
                                        "hid=Ctrl+F9",
                                        "=Ctrl+F9",
                                        ",",
                                        "none,none",
                                        "hide=none,,mark=none",
                                        "hide=ctrl+ctrl+ctrl+ctrl+ctrl+ctrl+f1"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char line[96];
        snprintf(line, sizeof line, "--attach x --hotkeys %s", texts[i]);
        struct um_options options;
        cr_expect_eq(um_options_parse(split(line), args, &options, error, sizeof error), UM_ERR_ARG,
                     "%s", texts[i]);
    }
}

Test(options, what_is_gone_says_what_took_its_place)
{
    struct um_options options;

    assert_refused("--attach x --sample-after=20", "uimon: --sample-after is gone: sampling begins "
                                                   "at the slow threshold, --slow MS");
    assert_refused("bench x --prove 5%", "uimon: --prove is gone: a comparison says which is the "
                                         "smallest change that it would have found");
    for (size_t i = 0; um_options_table_gone[i].name; i++) {
        const char *name = um_options_table_gone[i].name;
        char line[64];
        snprintf(line, sizeof line, "--attach x --%s 3", name);
        cr_expect_eq(um_options_parse(split(line), args, &options, error, sizeof error),
                     UM_ERR_ARG);
        cr_expect(strstr(error, um_options_table_gone[i].instead), "%s", error);
        cr_expect_null(um_options_table_find(name, strlen(name)), "%s", name);
    }
}

/* The rest of the file counts, and the first warning is said. */
Test(options, what_is_gone_is_a_warning_in_the_file)
{
    static const char text[] = "slow=20\nhotkey=Ctrl+F9\ndump-most=3\nheight=200\n";
    struct um_options options = configured("--attach x", text);

    cr_expect(options.slow_ms >= 20 && options.slow_ms <= 20 && options.height == 200);
    cr_expect_str_eq(error, "uimon.conf:2: 'hotkey' is gone, and the line counts for nothing: "
                            "write --hotkeys hide=KEYS");
    configured("--attach x", "slow=20\n");
    cr_expect_str_eq(error, "");
}

Test(options, providers_are_checked_and_mean_dotnet)
{
    struct um_options options = configured("--attach x --provider A,B:ff:5 --provider C", "");
    cr_expect(options.dotnet);
    cr_assert_eq(options.providers.count, 2);
    cr_expect_str_eq(options.providers.items[0], "A,B:ff:5");
    cr_expect_str_eq(options.providers.items[1], "C");
    cr_expect_eq(options.interval_s, 1);
    options = configured("--attach x --dotnet", "");
    cr_expect(options.dotnet && options.providers.count == 0);
    options = configured("--attach x", "");
    cr_expect(!options.dotnet);
    assert_refused(
        "--attach x --provider A:z",
        "uimon: --provider A:z: must be a provider's name, as in System.Runtime, or its "
        "name, keywords in hexadecimal and a level from 0 to 5, as in System.Runtime:0:4");
    assert_not_with("listen x --dotnet", "--dotnet", "listen");
}

Test(options, interval_of_watching_is_that_of_dotnet)
{
    struct um_options options = configured("--attach x --dotnet --interval 0.1", "");
    cr_expect(options.interval_s == 0.1);
    assert_refused("--attach x --dotnet --interval 0.09",
                   "uimon: --interval 0.09: with --dotnet it must be between 0.1 and 60 s");
    assert_refused("--attach x --interval 2", "uimon: --interval is for listen and query, and for "
                                              "--dotnet; give that, too");
    options = configured("listen x --interval 0.01", "");
    cr_expect_eq(options.interval_s, 0.01);
}

static const char *asked_of_stdout(const char *line)
{
    static char what[64];
    struct um_options options = good(line);
    if (!um_options_asks_stdout(&options, what, sizeof what))
        what[0] = '\0';
    um_options_deinit(&options);
    return what;
}

/* What cannot do without a standard output, and what can: it leaves files, or a verdict. */
Test(options, standard_output_is_asked_for_where_nothing_else_is_left)
{
    static const char *const rows[][2] = {
        {"--help", "--help"},
        {"--version", "--version"},
        {"list", "list"},
        {"query x y", "query"},
        {"trace-env x", "trace-env"},
        {"export x --format csv", "export"},
        {"export x --format csv --output -", "--output -"},
        {"export x --format csv --output y", ""},
        {"flows x", "flows"},
        {"flows x --json -", "--json -"},
        {"flows x --json y", ""},
        {"listen", "listen"},
        {"listen x --csv -", "--csv -"},
        {"listen x --json y", ""},
        {"history show x", "history show"},
        {"history show x --html y", ""},
        {"history show x --github-benchmark -", "--github-benchmark -"},
        {"history add x y", ""},
        {"compare x y", "compare"},
        {"compare x y --json z", ""},
        {"compare x y --fail-over a=1ms", ""},
        {"compare x y --fail-over a=1ms --markdown", "--markdown"},
        {"compare x y --fail-over a=1ms --json -", "--json -"},
        {"report x", ""},
        {"report x --json -", "--json -"},
        {"report x --html y", ""},
        {"bench x", ""},
        {"bench x --dry-run", "--dry-run"},
        {"bench x --json -", "--json -"},
        {"doctor", ""},
        {"doctor --json -", "--json -"},
        {"calibrate", ""},
        {"replay x", ""},
        {"--attach x", ""},
        {"--attach x --json y --record z", ""},
        {"--attach x --json y --csv -", "--csv -"},
        {"--launch x --json -", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        cr_expect_str_eq(asked_of_stdout(rows[i][0]), rows[i][1], "%s", rows[i][0]);
}

Test(options, a_slow_threshold_above_the_freeze_threshold_is_refused)
{
    struct um_options options = good("--attach x --slow 200");

    cr_assert_eq(um_options_finish(&options, error, sizeof error), UM_ERR_ARG);
    cr_assert_str_eq(error, "uimon: --slow 200: must not be above the freeze threshold, which is "
                            "100 ms");

    options = good("--attach x");
    cr_assert_eq(um_options_apply_config(&options, "slow=200", 8, "f", error, sizeof error), UM_OK);
    cr_assert_eq(um_options_finish(&options, error, sizeof error), UM_ERR_ARG);
    cr_assert_str_eq(error, "uimon: slow=200: must not be above the freeze threshold, which is 100 "
                            "ms");
}

/* What is compared must not depend on what happens to be in front. */
Test(options, benchmarks_measure_in_the_background_as_in_front)
{
    cr_assert_eq(configured("--attach x", "background=pause").background, UM_BACKGROUND_PAUSE);
    cr_assert_eq(configured("bench a.uimon", "background=pause").background, UM_BACKGROUND_FULL);
    cr_assert_eq(configured("calibrate", "").background, UM_BACKGROUND_FULL);
}

/* A run that was forgotten must not keep the machine from locking. */
Test(options, only_benchmarks_are_not_paused_when_idle)
{
    cr_assert_float_eq(configured("--attach x", "").idle_pause_s, 60, 0);
    cr_assert_float_eq(configured("--attach x --duration 5", "").idle_pause_s, 60, 0);
    cr_assert_float_eq(configured("--attach x --duration 5", "idle-pause=9").idle_pause_s, 9, 0);
    cr_assert_float_eq(configured("--attach x --duration 5 --idle-pause 7", "").idle_pause_s, 7, 0);
    cr_assert_float_eq(configured("demo --duration 5", "").idle_pause_s, 60, 0);
    cr_assert_float_eq(configured("bench x.uimon", "").idle_pause_s, 0, 0);
}

Test(options, the_command_line_beats_the_file_which_beats_the_defaults)
{
    struct um_options options = configured("--attach x --threshold 80 --headless=off",
                                           "threshold=300\nheartbeat=20\nheadless\n");

    cr_assert_float_eq(options.threshold_ms, 80, 0);
    cr_assert_float_eq(options.heartbeat_ms, 20, 0);
    cr_assert_not(options.headless);
    um_options_deinit(&options);
}

Test(options, a_text_of_the_file_outlives_it)
{
    char text[] = "caption=one\ncaption=before the change\n";
    struct um_options options = configured("--attach x", text);

    memset(text, 'x', sizeof text - 1);
    cr_assert_str_eq(options.caption, "before the change");
    um_options_deinit(&options);
    um_options_deinit(&options);
}

Test(options, the_file_cannot_say_what_belongs_on_the_line)
{
    assert_config_refused("attach=devenv\n", "uimon.conf:1: 'attach' belongs on the command line, "
                                             "not in this file");
    assert_config_refused("\n\njson=out.json\n", "uimon.conf:3: 'json' belongs on the command "
                                                 "line, not in this file");
}

Test(options, the_files_mistakes_are_named_with_their_line)
{
    assert_config_refused("slow=20\ntreshold=5\n",
                          "uimon.conf:2: unknown key 'treshold'; did you mean 'threshold'?");
    assert_config_refused("frobnicate\n", "uimon.conf:1: unknown key 'frobnicate'");
    assert_config_refused("# x\nthreshold=0\n",
                          "uimon.conf:2: threshold=0: must be between 1 and 60000 ms");
    assert_config_refused("height\n", "uimon.conf:1: 'height' needs a value, as in height=...");
    assert_config_refused("headless=perhaps", "uimon.conf:1: headless=perhaps: must be on or off");
}

Test(options, a_mistake_in_the_file_counts_where_the_line_beats_it)
{
    struct um_options options = good("--attach x --threshold 80");

    cr_assert_eq(um_options_apply_config(&options, "threshold=0", 11, "f", error, sizeof error),
                 UM_ERR_FORMAT);
    cr_assert_float_eq(options.threshold_ms, 80, 0);
}

Test(options, the_file_to_read_can_be_named_or_none)
{
    struct um_options options = good("--attach x --config my.conf");

    cr_assert(options.config_given);
    cr_assert_str_eq(options.config, "my.conf");
    options = good("--attach x --config=");
    cr_assert(options.config_given);
    cr_assert_str_eq(options.config, "");
}

Test(options, the_table_has_a_whole_row_for_each_option)
{
    for (size_t i = 0; i < UM_OPT_COUNT; i++) {
        const struct um_options_table_row *row = &um_options_table[i];
        cr_assert_not_null(row->name, "row %zu", i);
        cr_assert_not_null(row->help, "%s", row->name);
        cr_assert_neq(row->commands, 0, "%s", row->name);
        cr_assert_eq(um_options_table_find(row->name, strlen(row->name)), row);
        cr_assert(row->fallback <= 0 || (row->fallback >= row->min && row->fallback <= row->max),
                  "%s", row->name);
        cr_assert((row->kind == UM_OPTIONS_TABLE_FLAG) == !row->value, "%s", row->name);
    }
}

Test(options, looks_and_positions_are_those_of_the_overlay)
{
    static const char *const looks[] = UM_OVERLAY_LOOK_NAMES;
    static const char *const positions[] = UM_OVERLAY_POSITION_NAMES;
    char line[64];

    for (int i = 0; looks[i]; i++) {
        snprintf(line, sizeof line, "--attach x --look %s", looks[i]);
        cr_expect_eq((int)good(line).look, i, "%s", line);
    }
    for (int i = 0; positions[i]; i++) {
        snprintf(line, sizeof line, "--attach x --position %s", positions[i]);
        cr_expect_eq((int)good(line).position, i, "%s", line);
    }
}

/* What --help prints about a command. */
static char *printed(enum um_options_command topic)
{
    FILE *file = written_open();
    um_options_help(file, topic);
    return written_read(file, NULL);
}

Test(options, help_names_every_option_within_80_columns)
{
    char *text = printed(UM_OPTIONS_NONE);

    for (size_t i = 0; i < UM_OPT_COUNT; i++) {
        char name[64];
        snprintf(name, sizeof name, " --%s", um_options_table[i].name);
        cr_assert_not_null(strstr(text, name), "%s", name);
    }
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        cr_assert_leq(strlen(line), 80, "%s", line);
        cr_assert_neq(line[strlen(line) - 1], ' ', "%s", line);
    }
}

/* What goes with no other command is not in the help of this one. */
Test(options, help_of_a_command_has_its_options_alone)
{
    for (int command = UM_OPTIONS_WATCH; command < UM_OPTIONS_HELP; command++) {
        char *text = printed((enum um_options_command)command);
        for (size_t i = 0; i < UM_OPT_COUNT && command != UM_OPTIONS_HISTORY; i++) {
            const struct um_options_table_row *row = &um_options_table[i];
            char name[64];
            snprintf(name, sizeof name, "\n %s --%s%s", row->in_file ? "*" : " ", row->name,
                     um_options_table_is_open(row) ? "["
                     : row->value                  ? " "
                                                   : "");
            cr_expect_eq(strstr(text, name) != NULL,
                         um_options_table_goes_with(row, (enum um_options_command)command),
                         "command %d, --%s", command, row->name);
        }
        for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
            cr_expect_leq(strlen(line), 80, "%s", line);
    }
    char *text = printed(UM_OPTIONS_BENCH);
    cr_expect_eq(strstr(text, "usage: uimon bench SCENARIO "), text);
    cr_expect_null(strstr(text, "uimon report"));
}

Test(options, help_says_ranges_and_defaults)
{
    char *text = printed(UM_OPTIONS_NONE);

    cr_assert_not_null(strstr(text, "(1 to 1000 ms; default 10)"));
    cr_assert_not_null(strstr(text, "(default rest)"));
    cr_assert_not_null(strstr(text, "does so anyway (on Windows alone)"));
    cr_assert_not_null(strstr(text, "(never, or 1 to 86400 s; default 60)"));
}

Test(options, commands_take_their_files)
{
    struct um_options options = good("compare before.json after.json --markdown");

    cr_assert_eq(options.command, UM_OPTIONS_COMPARE);
    cr_assert_eq(options.file_count, 2);
    cr_assert_str_eq(options.files[0], "before.json");
    cr_assert_str_eq(options.files[1], "after.json");
    cr_assert(options.markdown);
    /* A word that is a command elsewhere is a file here. */
    cr_assert_str_eq(good("report demo --html out.html").files[0], "demo");
    assert_refused("report", "uimon: report: a file is missing; the command is: uimon report FILE");
    assert_refused("compare", "uimon: compare: a file is missing; the command is: uimon compare "
                              "BEFORE AFTER, or uimon compare FILE of both sides");
    cr_assert_eq(good("compare pairs.json").file_count, 1);
    assert_refused("replay a b",
                   "uimon: 'b': one argument too many; the command is: uimon replay FILE");
}

Test(options, some_may_be_given_several_times)
{
    struct um_options options = good("bench x.uimon --define A=1 --runs 3 --define=B=2 --dry-run");

    cr_assert_eq(options.defines.count, 2);
    cr_assert_str_eq(options.defines.items[0], "A=1");
    cr_assert_str_eq(options.defines.items[1], "B=2");
    cr_assert_eq(options.runs, 3);
    cr_assert_eq(options.rehearsals, 1);
    cr_assert(options.dry_run);
    assert_refused("bench x.uimon --define=", "uimon: --define : must not be empty");
    assert_not_with("compare a b --runs 3", "--runs", "compare");
}

Test(options, a_benchmark_has_one_side_or_two)
{
    static const char line[] =
        "bench x.uimon --before A=1 --after A=2 --after B=3 --until 5% --fail-over t=+5% --bisect";
    struct um_options options = good(line);

    cr_assert_eq(options.before.count, 1);
    cr_assert_eq(options.after.count, 2);
    cr_assert_str_eq(options.after.items[1], "B=3");
    cr_assert(options.until_percent >= 5 && options.until_percent <= 5);
    cr_assert(options.bisect);
    cr_assert_eq(um_options_finish(&options, error, sizeof error), UM_OK);
    cr_assert_eq(options.runs, UM_OPTIONS_UNTIL_RUNS);
    options = good("bench x.uimon --before A=1 --after A=2 --until 5 --runs 15");
    cr_assert_eq(um_options_finish(&options, error, sizeof error), UM_OK);
    cr_assert_eq(options.runs, 15);
    assert_refused("bench x.uimon --before A=1",
                   "uimon: --before without --after: a comparison has two sides; give both");
    assert_refused("bench x.uimon --after A=1",
                   "uimon: --after without --before: a comparison has two sides; give both");
    assert_refused("bench x.uimon --until 5%", "uimon: --until is for a comparison; give bench two "
                                               "sides, with --before and --after");
    assert_refused("bench x.uimon --before A=1 --after A=2 --bisect",
                   "uimon: --bisect says whether a limit is kept; give one, with --fail-over");
    assert_refused("bench x.uimon --before A=1 --after A=2 --until much",
                   "uimon: --until much: not a number; must be between 0.5 and 50 %");
    assert_refused("bench x.uimon --before A=1 --after A=2 --until 80%",
                   "uimon: --until 80%: must be between 0.5 and 50 %");
    assert_not_with("compare a b --until 5%", "--until", "compare");
}

Test(options, one_too_many_is_refused)
{
    static char text[UM_OPTIONS_MANY + 1][16];
    static char *argv[UM_OPTIONS_MANY + 5] = {(char *)"uimon", (char *)"bench", (char *)"x"};
    struct um_options options;

    for (int i = 0; i <= UM_OPTIONS_MANY; i++) {
        snprintf(text[i], sizeof text[i], "--define=A%d=1", i);
        argv[3 + i] = text[i];
    }
    cr_assert_eq(um_options_parse(UM_OPTIONS_MANY + 3, argv, &options, error, sizeof error), UM_OK);
    cr_assert_eq(um_options_parse(UM_OPTIONS_MANY + 4, argv, &options, error, sizeof error),
                 UM_ERR_ARG);
    cr_assert_str_eq(error, "uimon: --define A64=1: it can be given 64 times at most");
}

Test(options, interactions_are_measured_when_asked_for)
{
    cr_assert_not(configured("--attach x", "").interactions);
    cr_assert(configured("--attach x --interactions", "").interactions);
    cr_assert(configured("--attach x", "interactions").interactions);
    cr_assert_not(configured("--attach x --interactions=off", "interactions").interactions);
    cr_assert_not(configured("--attach x --interactions", "").keep_keys);
    cr_assert(configured("--attach x --keep-keys", "").interactions);
    cr_assert(configured("demo", "").interactions);
    cr_assert_not(configured("demo --interactions=off", "").interactions);
    cr_assert(configured("bench x.uimon", "").interactions);
    cr_assert(configured("calibrate", "").interactions);
    assert_config_refused(
        "keep-keys", "uimon.conf:1: 'keep-keys' belongs on the command line, not in this file");
}

Test(options, outputs_are_files_of_their_own)
{
    assert_refused("--attach x --record -",
                   "uimon: --record -: a recording cannot go to standard output; name a file");
    assert_same_place("--attach x --record a --csv a", "--csv a", "--record a");
}

/* What is described can be read again as a configuration file, and says the same. */
Test(options, described_options_are_a_configuration_file)
{
    char text[640];
    char again[640];
    struct um_options options =
        configured("--attach x --threshold 250 --probe mouse --caption build=7 --interactions", "");

    um_options_describe(&options, text, sizeof text);
    cr_assert_not_null(strstr(text, "threshold=250\n"), "%s", text);
    cr_assert_not_null(strstr(text, "caption=build=7\n"), "%s", text);
    cr_assert_not_null(strstr(text, "interactions=on\n"), "%s", text);
    struct um_options read = configured("--attach x", text);
    um_options_describe(&read, again, sizeof again);
    cr_assert_str_eq(again, text);
    um_options_deinit(&read);
    um_options_describe(&options, text, 30); /* cut at a line's end */
    cr_assert_eq(text[strlen(text) - 1], '\n', "%s", text);
}

Test(options, described_options_leave_out_a_text_that_is_too_long_for_them)
{
    char text[640];
    char line[400] = "mine=a";
    struct um_options options = configured("--attach x --symbol-path C:\\symbols", "mine=a,b\n");

    um_options_describe(&options, text, sizeof text);
    cr_expect(strstr(text, "mine=a,b\n") && strstr(text, "symbol-path=C:\\symbols\n"), "%s", text);
    um_options_deinit(&options);
    memset(line + 6, 'a', sizeof line - 7);
    options = configured("--attach x", line);
    cr_expect_str_eq(options.mine, line + 5);
    um_options_describe(&options, text, sizeof text);
    cr_expect(!strstr(text, "mine="), "%s", text);
    cr_expect(strstr(text, "threshold=100\n"), "%s", text);
    um_options_deinit(&options);
}

/* Takes the '#' off every line of the delivered file that is a setting: "# key=value". */
static char *uncommented_default_file(void)
{
    static char text[UM_CONFIG_MAX_BYTES];
    char *file = NULL;
    size_t len = 0;
    size_t used = 0;
    enum um_status status = um_config_load("assets/uimon.conf", &file, &len, error, sizeof error);

    cr_assert_eq(status, UM_OK, "%s", error);
    for (char *at = file; at < file + len;) {
        char *newline = memchr(at, '\n', (size_t)(file + len - at));
        size_t line = newline ? (size_t)(newline - at) + 1 : (size_t)(file + len - at);
        size_t mark = at[0] == '#' ? strspn(at, "# ") : 0;
        size_t key = strspn(at + mark, "abcdefghijklmnopqrstuvwxyz-");
        size_t skip = key > 0 && at[mark + key] == '=' ? mark : 0;
        memcpy(text + used, at + skip, line - skip);
        used += line - skip;
        at += line;
    }
    text[used] = '\0';
    free(file);
    return text;
}

Test(options, the_delivered_file_has_every_key_with_its_default)
{
    char described[4096];
    char *text = uncommented_default_file();
    struct um_options defaults = configured("--attach x", "");
    struct um_options options = configured("--attach x", text);

    for (size_t i = 0; i < UM_OPT_COUNT; i++) {
        const struct um_options_table_row *row = &um_options_table[i];
        bool set = options.given_in_file[um_options_table_place(row)];
        cr_assert_eq(set, row->in_file, "assets/uimon.conf: %s", row->name);
    }
    um_options_describe(&defaults, text, UM_CONFIG_MAX_BYTES);
    um_options_describe(&options, described, sizeof described);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        char wanted[64];
        snprintf(wanted, sizeof wanted, "%s\n", line);
        cr_expect(strstr(described, wanted), "no %s in %s", line, described);
    }
    um_options_deinit(&options);
}

Test(options, history_is_two_commands)
{
    struct um_options options = good("history add h.jsonl r.json --label 4f2a91c --machine ci");
    cr_expect_eq(options.command, UM_OPTIONS_HISTORY_ADD);
    cr_expect_str_eq(options.files[0], "h.jsonl");
    cr_expect_str_eq(options.files[1], "r.json");
    cr_expect_str_eq(options.label, "4f2a91c");
    cr_expect_str_eq(options.machine, "ci");
    options = good("history show add --machine ci --html p.html --json - --github-benchmark g");
    cr_expect_str_eq(options.machine, "ci");
    cr_expect_eq(options.command, UM_OPTIONS_HISTORY_SHOW);
    cr_expect_str_eq(options.files[0], "add");
    cr_expect_str_eq(options.github_benchmark, "g");
    cr_expect_null(options.label);
}

Test(options, history_says_what_it_lacks)
{
    static const char what[] =
        "uimon: history: it is missing what to do; the command is: uimon history add HISTORY "
        "RESULTS, or uimon history show HISTORY";
    assert_refused("history", what);
    assert_refused("history h.jsonl", what);
    assert_refused("history add h.jsonl",
                   "uimon: history add: a file is missing; the command is: uimon history add "
                   "HISTORY RESULTS");
    assert_refused("history show h.jsonl r.json", "uimon: 'r.json': one argument too many; the "
                                                  "command is: uimon history show HISTORY");
    assert_not_with("history show h --label x", "--label", "history show");
    assert_same_place("history show h --html x --github-benchmark x", "--html x",
                      "--github-benchmark x");
}

Test(options, a_report_follows_into_a_page)
{
    cr_expect(good("report a --html b.html --follow").follow);
    cr_expect_not(good("report a --html b.html").follow);
    assert_refused("report a --follow",
                   "uimon: --follow: say with --html FILE where the page goes");
    assert_refused("report a --html - --follow",
                   "uimon: --follow: say with --html FILE where the page goes");
    assert_not_with("compare a b --follow", "--follow", "compare");
}

Test(options, prometheus_names_a_file_of_its_own)
{
    struct um_options options = good("--attach devenv --prometheus a.prom");
    cr_expect_str_eq(options.prometheus, "a.prom");
    assert_not_with("listen a --prometheus a.prom", "--prometheus", "listen");
    assert_refused("--attach a --prometheus /tmp/a.txt",
                   "uimon: --prometheus /tmp/a.txt: textfile collectors read only files that end "
                   "in .prom; name it so");
    assert_refused("--attach a --prometheus -",
                   "uimon: --prometheus -: textfile collectors read only files that end in .prom; "
                   "name it so");
    assert_same_place("--attach a --csv x.prom --prometheus x.prom", "--csv x.prom",
                      "--prometheus x.prom");
}

Test(options, listen_and_query_take_a_target)
{
    struct um_options options =
        good("listen devenv --wait=5 --json - --csv rows.csv --counters beats-lost "
             "--interval 0.5 --duration 9");
    cr_expect_eq(options.command, UM_OPTIONS_LISTEN);
    cr_expect_str_eq(options.files[0], "devenv");
    cr_expect_str_eq(options.json, "-");
    cr_expect_str_eq(options.counters, "beats-lost");
    cr_expect(options.interval_s == 0.5 && options.wait_s == 5 && options.duration_s == 9);
    options = good("query 4711 ui-hang-count");
    cr_expect_eq(options.command, UM_OPTIONS_QUERY);
    cr_expect_str_eq(options.files[1], "ui-hang-count");
    cr_expect(options.interval_s == 1);
    cr_expect(um_options_listens_to_all(&(struct um_options){.command = UM_OPTIONS_LISTEN}));
    cr_expect(!um_options_listens_to_all(&options) && good("listen --interval 2").file_count == 0);
    assert_refused("query devenv",
                   "uimon: query: a word is missing; the command is: uimon query TARGET NAME");
    assert_refused("listen a b", "uimon: 'b': one argument too many; the command is: uimon listen "
                                 "[TARGET]");
    assert_refused("listen a --interval 0.001",
                   "uimon: --interval 0.001: must be between 0.01 and 60 s");
    assert_not_with("query a b --json -", "--json", "query");
    assert_same_place("listen a --csv x --json x", "--json x", "--csv x");
}

Test(options, times_of_the_flight_recorder_may_have_their_units)
{
    struct um_options options = good("--attach x --dump-dir d --keep 12s --dump-over 750ms");
    cr_assert_float_eq(options.keep_s, 12, 0);
    cr_assert_float_eq(options.dump_over_ms, 750, 0);
    um_options_deinit(&options);
    options = good("--attach x --dump-dir d --keep 12 --dump-over 750");
    cr_assert_float_eq(options.keep_s, 12, 0);
    cr_assert_float_eq(options.dump_over_ms, 750, 0);
    um_options_deinit(&options);
    options = good("--attach x --dump-dir d");
    cr_assert(options.keep_s >= 30 && options.keep_s <= 30);
    cr_assert(options.dump_over_ms >= 500 && options.dump_over_ms <= 500 && !options.minidump);
    um_options_deinit(&options);
    assert_refused("--attach x --dump-dir d --keep s", "uimon: --keep s: not a number; must be "
                                                       "between 1 and 600 s");
    assert_refused("--attach x --dump-dir d --keep 12ms", "uimon: --keep 12ms: not a number; must "
                                                          "be between 1 and 600 s");
    assert_refused("--attach x --dump-dir d --dump-over 0ms",
                   "uimon: --dump-over 0ms: must be between 1 and 600000 ms");
}

Test(options, a_list_of_modules_has_one)
{
    assert_refused("--attach x --mine ,", "uimon: --mine ,: there is no module in this list");
    assert_refused("report x --only=,,", "uimon: --only ,,: there is no module in this list");
    assert_refused("report x --hide=,", "uimon: --hide ,: there is no module in this list");
    assert_config_refused("mine=,", "uimon.conf:1: mine=,: there is no module in this list");
    struct um_options options = configured("report x.uirec --hide=", "mine=,plug\n");
    um_options_deinit(&options);
}

Test(options, a_list_of_modules_has_names_and_no_patterns)
{
    assert_refused("--attach x --mine *demo*",
                   "uimon: --mine *demo*: names have no * and no ? in them; a folder with its "
                   "slash at the end stands for all in it");
    assert_refused("report x --only=a,b?", "uimon: --only a,b?: names have no * and no ? in them; "
                                           "a folder with its slash at the end stands for all in "
                                           "it");
    assert_refused("report x --hide=a,\"b", "uimon: --hide a,\"b: a quote is missing");
    assert_refused("report x --hide=\"\",", "uimon: --hide \"\",: there is no module in this list");
}

Test(options, a_number_may_have_its_unit)
{
    struct um_options options = good("--attach x --wait 20s --threshold 250ms --duration=1.5s "
                                     "--height 220px --idle-pause 90s --scale 2");
    cr_expect_float_eq(options.wait_s, 20, 0);
    cr_expect_float_eq(options.threshold_ms, 250, 0);
    cr_expect_float_eq(options.duration_s, 1.5, 0);
    cr_expect_eq(options.height, 220);
    cr_expect_float_eq(options.idle_pause_s, 90, 0);
    um_options_deinit(&options);
    assert_refused("--attach x --threshold 5s",
                   "uimon: --threshold 5s: not a number; must be between 1 and 60000 ms");
    assert_refused("--attach x --threshold ms",
                   "uimon: --threshold ms: not a number; must be between 1 and 60000 ms");
    assert_refused("--attach x --scale 2px",
                   "uimon: --scale 2px: not a number; must be auto or between 0.5 and 4");
}

Test(options, what_goes_with_saving_freezes_wants_a_folder)
{
    assert_refused("--attach x --keep 30s",
                   "uimon: --keep: say with --dump-dir where freezes are saved");
    assert_refused("--attach x --dump-over 5",
                   "uimon: --dump-over: say with --dump-dir where freezes are saved");
    assert_refused("--attach x --minidump",
                   "uimon: --minidump: say with --dump-dir where freezes are saved");
    struct um_options options = configured("--attach x", "keep=20\ndump-over=300\n");
    cr_expect_float_eq(options.keep_s, 20, 0);
    um_options_deinit(&options);
    assert_not_with("bench x.uimon --dump-dir d", "--dump-dir", "bench");
}

#define HERE                                                                                       \
    " needs Windows so far: here uimon sees whether a program answers, and nothing else of it"

/* What the command line asks for is refused, and never left out without a word. */
Test(options, what_only_windows_has_is_refused_elsewhere)
{
    static const struct {
        const char *line, *name;
    } rows[] = {
        {"--attach x --trace events", "trace"},
        {"--attach x --layout", "layout"},
        {"--attach x --layout=heatmap", "layout"},
        {"--attach x --interactions", "interactions"},
        {"--attach x --keep-keys", "keep-keys"},
        {"--attach x --sample always", "sample"},
        {"--attach x --sample-threads all", "sample-threads"},
        {"--attach x --threadpool on", "threadpool"},
        {"--attach x --probe mouse", "probe"},
        {"--attach x --beat pair", "beat"},
        {"--attach x --dotnet", "dotnet"},
        {"--attach x --provider MyCompany-MyProgram", "provider"},
        {"--attach x --dump-dir d --minidump", "minidump"},
        {"demo --interactions", "interactions"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct um_options options = configured(rows[i].line, "");
        char expected[160];
        snprintf(expected, sizeof expected, "uimon: --%s" HERE, rows[i].name);
        cr_expect_eq(um_options_windows_leave_out(&options, error, sizeof error),
                     UM_ERR_UNSUPPORTED, "%s", rows[i].line);
        cr_expect_str_eq(error, expected, "%s", rows[i].line);
        um_options_deinit(&options);
    }
}

Test(options, what_is_off_needs_no_windows)
{
    struct um_options options =
        configured("--attach x --trace off --layout=off --sample off --sample-threads ui "
                   "--threadpool off --probe auto --beat auto --interactions=off",
                   "");
    cr_expect_eq(um_options_windows_leave_out(&options, error, sizeof error), UM_OK);
    cr_expect_str_eq(error, "");
    cr_expect_eq((int)options.sample, UM_OPTIONS_SAMPLE_OFF);
    um_options_deinit(&options);
}

/* A file is for every system. The demo measures interactions of itself, where they are. */
Test(options, what_only_windows_has_is_left_out_of_the_file_elsewhere)
{
    struct um_options options =
        configured("demo", "interactions\nsample=always\nthreadpool=on\nthreshold=200\n");
    cr_expect_eq(um_options_windows_leave_out(&options, error, sizeof error), UM_OK);
    cr_expect_str_eq(error, "uimon: left out, because it needs Windows so far: interactions, "
                            "sample, threadpool");
    cr_expect(!options.interactions && options.sample == UM_OPTIONS_SAMPLE_OFF &&
              options.threadpool == UM_OPTIONS_THREADPOOL_OFF);
    cr_expect_float_eq(options.threshold_ms, 200, 0);
    um_options_deinit(&options);
    options = configured("demo", "");
    cr_expect(options.interactions);
    cr_expect_eq(um_options_windows_leave_out(&options, error, sizeof error), UM_OK);
    cr_expect(error[0] == '\0' && !options.interactions);
    um_options_deinit(&options);
}
