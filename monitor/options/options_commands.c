#include "monitor/options/options_commands.h"

#include <string.h>

#include "base/exit_code.h"
#include "base/nearest.h"

#define WATCH_RULES um_options_watch_line, um_options_watch_last
#define BENCH_RULES um_options_bench_line, um_options_bench_last
#define NO_RULES NULL, NULL

/* clang-format off */
const struct um_options_commands_row um_options_commands[UM_OPTIONS_COMMANDS] = {
    {"watch", UM_OPTIONS_WATCH, 0, 0, "--attach TARGET [options]", NULL,
     "watch a running program", WATCH_RULES,
     {"--attach devenv --interactions --record monday.uirec",
      "--attach notepad --newest --wait=30",
      "--attach title:invoice --threshold 50 --caption \"before the change\"",
      "--attach devenv --headless --duration 60 --json summary.json"}},
    {"--launch", UM_OPTIONS_LAUNCH, 0, 0, "[options] --launch PROGRAM ...", NULL,
     "start a program and watch it", WATCH_RULES,
     {"--heartbeat 5 --launch notepad.exe readme.txt"}},
    {"demo", UM_OPTIONS_DEMO, 0, 0, "demo", NULL,
     "try it on a program that freezes", WATCH_RULES, {NULL}},
    {"list", UM_OPTIONS_LIST, 0, 0, "list", NULL, "list what can be watched", NO_RULES, {NULL}},
    {"report", UM_OPTIONS_REPORT, 1, 1, "report FILE", NULL,
     "sum up a recording", um_options_report_line, NULL,
     {"report monday.uirec --html monday.html", "report now.uirec --html now.html --follow"}},
    {"export", UM_OPTIONS_EXPORT, 1, 1, "export FILE", NULL,
     "give recordings to other tools", NO_RULES,
     {"export monday.uirec --format firefox --output monday.json"}},
    {"flows", UM_OPTIONS_FLOWS, 1, 1, "flows FILE", NULL,
     "follow one key through threads", NO_RULES,
     {"flows monday.uirec --search painted",
      "flows profile.json.gz --flow \"000000010924c9c00;10213.54\" --steps 2"}},
    {"replay", UM_OPTIONS_REPLAY, 1, 1, "replay FILE", NULL,
     "play a recording in the overlay", NO_RULES, {NULL}},
    {"bench", UM_OPTIONS_BENCH, 1, 1, "bench SCENARIO", NULL,
     "measure a scripted scenario", BENCH_RULES,
     {"bench scenarios/notepad-typing.uimon --json before.json"}},
    {"bisect", UM_OPTIONS_BISECT, 1, 1, "bisect SCENARIO", NULL,
     "find the setting that costs", BENCH_RULES, {NULL}},
    {"compare", UM_OPTIONS_COMPARE, 1, 2, "compare BEFORE AFTER", "compare FILE of both sides",
     "say what became faster or slower", um_options_bench_line, NULL,
     {"compare before.json after.json --fail-over typing.p90=+5%"}},
    {"history add", UM_OPTIONS_HISTORY_ADD, 2, 2, "history add HISTORY RESULTS", NULL,
     "append results, one line a commit", NO_RULES,
     {"history add history.jsonl after.json --label 4f2a91c"}},
    {"history show", UM_OPTIONS_HISTORY_SHOW, 1, 1, "history show HISTORY", NULL,
     "say since when what is slower", NO_RULES,
     {"history show history.jsonl --html history.html"}},
    {"listen", UM_OPTIONS_LISTEN, 0, 1, "listen [TARGET]", NULL,
     "show a running uimon's counters", NO_RULES,
     {"listen devenv --wait --json hangs.jsonl", "listen"}},
    {"query", UM_OPTIONS_QUERY, 2, 2, "query TARGET NAME", NULL,
     "print one counter, and leave", NO_RULES, {"query devenv input-latency-ms.p99"}},
    {"trace-env", UM_OPTIONS_TRACE_ENV, 1, 1, "trace-env PROGRAM", NULL,
     "what lets a .NET program be traced", um_options_watch_trace_line, NULL,
     {"trace-env devenv.exe --trace methods --only MyPlugin > trace.cmd"}},
    {"calibrate", UM_OPTIONS_CALIBRATE, 0, 0, "calibrate", NULL,
     "measure what uimon itself adds", NULL, um_options_bench_last, {NULL}},
    {"doctor", UM_OPTIONS_DOCTOR, 0, 0, "doctor [--attach TARGET]", NULL,
     "say what works on this machine", NO_RULES, {NULL}},
    {"help", UM_OPTIONS_HELP, 0, 0, "COMMAND --help", NULL,
     "what goes with a command", NO_RULES, {NULL}},
};
/* clang-format on */

#define BIT(command) (1U << UM_OPTIONS_##command)
#define LIMITED (BIT(BENCH) | BIT(COMPARE))
#define TARGETED                                                                                   \
    (BIT(WATCH) | BIT(LAUNCH) | BIT(DEMO) | BIT(BENCH) | BIT(BISECT) | BIT(CALIBRATE) |            \
     BIT(DOCTOR) | BIT(LISTEN) | BIT(QUERY))

const struct um_options_commands_exit_code
    um_options_commands_exit_codes[UM_OPTIONS_COMMANDS_EXIT_CODES] = {
        [UM_EXIT_DONE] = {"done", ~0U},
        [UM_EXIT_FAILED] = {"failed; also: standard output was asked for, and there is none", ~0U},
        [UM_EXIT_USAGE] = {"wrong usage, or a mistake in the configuration file or the scenario",
                           ~0U},
        [UM_EXIT_NO_TARGET] = {"there is no such target, or it did not appear in time", TARGETED},
        [UM_EXIT_DENIED] = {"not allowed: the target is elevated, protected or an ARM program",
                            TARGETED},
        [UM_EXIT_LIMIT] = {"a limit given with --fail-over was exceeded", LIMITED},
        [UM_EXIT_CANNOT_TELL] = {"nobody can tell from so few runs whether a limit was kept",
                                 LIMITED | BIT(BISECT)},
};

const struct um_options_commands_row *um_options_commands_row(enum um_options_command command)
{
    for (size_t i = 0; i < UM_OPTIONS_COMMANDS; i++)
        if (um_options_commands[i].command == command)
            return &um_options_commands[i];
    return NULL;
}

const struct um_options_commands_row *um_options_commands_find(const char *name)
{
    for (size_t i = 0; i < UM_OPTIONS_COMMANDS; i++)
        if (strcmp(um_options_commands[i].name, name) == 0)
            return &um_options_commands[i];
    return NULL;
}

const char *um_options_commands_nearest(const char *word)
{
    const char *words[UM_OPTIONS_COMMANDS + 4] = {"--attach", "history", "version"};

    for (size_t i = 0; i < UM_OPTIONS_COMMANDS; i++)
        words[i + 3] = um_options_commands[i].name;
    return um_nearest_find(word, words);
}
