#include "monitor/options/options_table.h"

#include <stdio.h>
#include <string.h>

#include "ipc/overlay.h"
#include "monitor/base/hotkey.h"
#include "monitor/base/nearest.h"

#define WATCH (1U << UM_OPTIONS_WATCH)
#define LAUNCH (1U << UM_OPTIONS_LAUNCH)
#define DEMO (1U << UM_OPTIONS_DEMO)
#define LIST (1U << UM_OPTIONS_LIST)
#define REPLAY (1U << UM_OPTIONS_REPLAY)
#define REPORT (1U << UM_OPTIONS_REPORT)
#define EXPORT (1U << UM_OPTIONS_EXPORT)
#define BENCH (1U << UM_OPTIONS_BENCH)
#define BISECT (1U << UM_OPTIONS_BISECT)
#define COMPARE (1U << UM_OPTIONS_COMPARE)
#define CALIBRATE (1U << UM_OPTIONS_CALIBRATE)
#define DOCTOR (1U << UM_OPTIONS_DOCTOR)
#define HISTORY_ADD (1U << UM_OPTIONS_HISTORY_ADD)
#define HISTORY_SHOW (1U << UM_OPTIONS_HISTORY_SHOW)
#define LISTEN (1U << UM_OPTIONS_LISTEN)
#define QUERY (1U << UM_OPTIONS_QUERY)
#define WATCHES (WATCH | LAUNCH | DEMO)
#define BENCHES (BENCH | BISECT)
#define MEASURES (WATCHES | BENCHES | CALIBRATE)
#define SHOWS (WATCHES | REPLAY)
#define HISTORY (HISTORY_ADD | HISTORY_SHOW)
#define LISTENS (LISTEN | QUERY)
#define ALL (MEASURES | LIST | REPLAY | REPORT | EXPORT | COMPARE | DOCTOR | HISTORY | LISTENS)

#define DAY_S 86400
#define YEAR_S (365.0 * DAY_S)

_Static_assert(UM_OPT_COUNT <= UM_OPTIONS_ROWS, "given_on_line and given_in_file are too small");

static const char *const probes[] = {"auto", "raw", "mouse", NULL};
static const char *const formats[] = {"speedscope", "folded", "firefox", "perfetto", NULL};
static const char *const traces[] = {"off", "messages", NULL};
static const char *const sampled[] = {"on", "off", "always", NULL};
static const char *const threads[] = {"ui", "all", NULL};
static const char *const occasions[] = {"auto", "on", "off", NULL};
static const char *const rungs[] = {"auto", "zero", "pair", NULL};
static const char *const backgrounds[] = {"rest", "full", "pause", NULL};
static const char *const panels[] = {"graph", "profile", NULL};
static const char *const looks[] = UM_OVERLAY_LOOK_NAMES;
static const char *const positions[] = UM_OVERLAY_POSITION_NAMES;

#define FLAG(label) .name = label, .kind = UM_OPTIONS_TABLE_FLAG
#define TEXT(label, what) .name = label, .value = what, .kind = UM_OPTIONS_TABLE_TEXT
#define HOTKEY(label) .name = label, .value = "KEYS", .kind = UM_OPTIONS_TABLE_HOTKEY
#define NUMBER(label, what) .name = label, .value = what, .kind = UM_OPTIONS_TABLE_NUMBER
#define UNIT(label, what) .name = label, .value = what, .kind = UM_OPTIONS_TABLE_UNIT
#define WHOLE(label, what) .name = label, .value = what, .kind = UM_OPTIONS_TABLE_WHOLE
#define MANY(label, what) .name = label, .value = what, .kind = UM_OPTIONS_TABLE_MANY
#define CHOICE(label, list) .name = label, .choices = list, .kind = UM_OPTIONS_TABLE_CHOICE
#define FIELD(field) .offset = offsetof(struct um_options, field)
#define RANGE(from, to, what) .min = from, .max = to, .unit = what
#define IN_FILE .in_file = true

/* clang-format off */
const struct um_options_table_row um_options_table[UM_OPT_COUNT] = {
    [UM_OPT_ATTACH] = {
        TEXT("attach", "TARGET"), FIELD(target), .commands = WATCH | DOCTOR,
        .group = "What to watch",
        .help = "watch a running program"},
    [UM_OPT_LAUNCH] = {
        TEXT("launch", "PROGRAM [ARG...]"), .commands = LAUNCH,
        .help = "start a program and watch it from its first window; everything after PROGRAM is "
                "passed on to it"},
    [UM_OPT_NEWEST] = {
        FLAG("newest"), FIELD(newest), .commands = WATCH | BENCHES | DOCTOR,
        .help = "if several programs match TARGET, take the one that was started last"},
    [UM_OPT_WAIT] = {
        .name = "wait", .value = "S", .kind = UM_OPTIONS_TABLE_OPEN,
        .commands = WATCH | LISTENS, RANGE(0, YEAR_S, "s"),
        .help = "wait until TARGET appears, for S seconds at most; listen then goes on with the "
                "next monitor of it, too"},
    [UM_OPT_THREAD] = {
        WHOLE("thread", "TID"), FIELD(thread_id), .commands = WATCH, RANGE(1, UINT32_MAX, NULL),
        .help = "watch this thread instead of the one that owns the main window"},
    [UM_OPT_DURATION] = {
        NUMBER("duration", "S"), FIELD(duration_s), .commands = WATCHES | LISTEN,
        RANGE(0.1, YEAR_S, "s"),
        .help = "stop after S seconds; without this option, when the target exits or you press "
                "Ctrl+C"},

    [UM_OPT_THRESHOLD] = {
        NUMBER("threshold", "MS"), FIELD(threshold_ms), IN_FILE, .commands = MEASURES,
        RANGE(1, 60000, "ms"), .fallback = 100, .group = "How to measure",
        .help = "a freeze is at least this long"},
    [UM_OPT_SLOW] = {
        NUMBER("slow", "MS"), FIELD(slow_ms), IN_FILE, .commands = MEASURES,
        RANGE(1, 60000, "ms"), .fallback = 50,
        .help = "lag above this counts as slow; if the threshold is lower, slow is half of it"},
    [UM_OPT_HEARTBEAT] = {
        NUMBER("heartbeat", "MS"), FIELD(heartbeat_ms), IN_FILE, .commands = MEASURES,
        RANGE(1, 1000, "ms"), .fallback = 10,
        .help = "time between two beats, the tiny inputs with which uimon measures"},
    [UM_OPT_REST_HEARTBEAT] = {
        NUMBER("rest-heartbeat", "MS"), FIELD(rest_heartbeat_ms), IN_FILE, .commands = MEASURES,
        RANGE(1, 1000, "ms"), .fallback = 100,
        .help = "the same while the target rests, so that its idle work is left alone; 1 for beats "
                "at the full rate always"},
    [UM_OPT_BACKGROUND] = {
        CHOICE("background", backgrounds), FIELD(background), IN_FILE, .commands = WATCHES,
        .help = "the beats while another program is in front, which gets them too: as many as at "
                "rest, as many as in front, or none"},
    [UM_OPT_PROBE] = {
        CHOICE("probe", probes), FIELD(probe), IN_FILE, .commands = MEASURES,
        .help = "how a beat reaches the target: raw input, or mouse messages, which need the "
                "cursor over the target; auto takes raw unless the target uses raw input itself"},
    [UM_OPT_BEAT] = {
        CHOICE("beat", rungs), FIELD(rung), IN_FILE, .commands = MEASURES,
        .help = "what a beat of raw input is: a movement by zero pixels, or a pair of one pixel "
                "and back; auto takes zero unless the system drops it"},
    [UM_OPT_IDLE_PAUSE] = {
        NUMBER("idle-pause", "S"), FIELD(idle_pause_s), IN_FILE, .commands = WATCHES,
        RANGE(1, DAY_S, "s"), .fallback = 60, .zero = "never",
        .help = "pause after S seconds without input, so that the machine can sleep and lock; "
                "never for measuring on"},

    [UM_OPT_INTERACTIONS] = {
        FLAG("interactions"), FIELD(interactions), IN_FILE, .commands = WATCHES,
        .help = "also measure each key press, click and wheel step: input delay, processing and "
                "presentation; the demo does so anyway"},
    [UM_OPT_KEEP_KEYS] = {
        FLAG("keep-keys"), FIELD(keep_keys), .commands = WATCHES,
        .help = "the same, and also record which key it was; otherwise that is never recorded"},

    [UM_OPT_SAMPLE] = {
        CHOICE("sample", sampled), FIELD(sample), IN_FILE, .commands = WATCHES,
        .help = "say where the program was in a freeze: stop its UI thread for a moment, again and "
                "again, and copy its stack; always also does so while there is no freeze"},
    [UM_OPT_SAMPLE_THREADS] = {
        CHOICE("sample-threads", threads), FIELD(sample_threads), IN_FILE, .commands = WATCHES,
        .help = "which threads that is: the UI thread and whoever it waits for, or all of the "
                "program's"},
    [UM_OPT_SYMBOL_PATH] = {
        TEXT("symbol-path", "PATH"), FIELD(symbol_path), IN_FILE, .commands = WATCHES,
        .help = "where the names of functions are looked for besides beside the modules, written "
                "as in _NT_SYMBOL_PATH, which is the default"},
    [UM_OPT_MINE] = {
        TEXT("mine", "MODULES"), FIELD(mine), IN_FILE, .commands = WATCHES | REPORT,
        .help = "say how much of each freeze was in these modules or in what they called: names "
                "of files, or folders"},
    [UM_OPT_SAMPLE_AFTER] = {
        NUMBER("sample-after", "MS"), FIELD(sample_after_ms), IN_FILE, .commands = WATCHES,
        RANGE(1, 60000, "ms"), .zero = "slow",
        .help = "begin with that when the thread has been away for so long; slow is the slow "
                "threshold"},
    [UM_OPT_SAMPLE_EVERY] = {
        NUMBER("sample-every", "MS"), FIELD(sample_every_ms), IN_FILE, .commands = WATCHES,
        RANGE(1, 1000, "ms"), .fallback = 10,
        .help = "from sample to sample, by chance a quarter more or less; longer where the samples "
                "would take more than 3 % of the program's time"},

    [UM_OPT_TRACE] = {
        CHOICE("trace", traces), FIELD(trace), .commands = WATCHES,
        .help = "count and time every window message that the UI thread handles, sent or "
                "retrieved, one within another; that makes each sent message slower"},
    [UM_OPT_TRACE_HOTKEY] = {
        HOTKEY("trace-hotkey"), FIELD(trace_hotkey), IN_FILE, .commands = WATCHES,
        .help = "these keys switch that on and off while it runs; none for none (default "
                UM_HOTKEY_TRACE ")"},

    [UM_OPT_THREADPOOL] = {
        CHOICE("threadpool", occasions), FIELD(threadpool), IN_FILE, .commands = WATCHES,
        .help = "measure how long work items wait in the target's thread pool, with four of "
                "uimon's own a second; auto does so while another program listens to the feed, "
                "while the overlay shows it, "
                "and with --prometheus"},
    [UM_OPT_THREADPOOL_STARVED] = {
        NUMBER("threadpool-starved", "MS"), FIELD(threadpool_starved_ms), IN_FILE,
        .commands = WATCHES, RANGE(1, 60000, "ms"), .fallback = 100,
        .help = "the pool is starved when an item waits longer than this"},
    [UM_OPT_THREADPOOL_RECOVERED] = {
        NUMBER("threadpool-recovered", "MS"), FIELD(threadpool_recovered_ms), IN_FILE,
        .commands = WATCHES, RANGE(1, 60000, "ms"), .fallback = 20,
        .help = "it has recovered when an item has run in less than this"},
    [UM_OPT_DOTNET] = {
        FLAG("dotnet"), FIELD(dotnet), .commands = WATCHES,
        .help = "of a program of .NET Core 3.0 or later: ask its runtime for the counters that it "
                "has of itself (System.Runtime), for listen and recordings"},
    [UM_OPT_PROVIDER] = {
        .name = "provider", .value = "NAME", .kind = UM_OPTIONS_TABLE_PROVIDERS, FIELD(providers),
        .commands = WATCHES,
        .help = "the same, and for the counters of this provider, as in MyCompany-MyProgram; also "
                "NAME:KEYWORDS:LEVEL, and several with commas between them"},

    [UM_OPT_JSON] = {
        TEXT("json", "FILE"), FIELD(json),
        .commands = MEASURES | REPORT | COMPARE | DOCTOR | HISTORY_SHOW, .group = "Results",
        .help = "write the summary, or the results of bench, compare, calibrate, doctor or "
                "history show, as JSON; - is standard output"},
    [UM_OPT_CSV] = {
        TEXT("csv", "FILE"), FIELD(csv), .commands = WATCHES | LISTEN,
        .help = "write a row for each beat, interaction and freeze, or of listen for each counter "
                "and event; - is standard output"},
    [UM_OPT_RECORD] = {
        TEXT("record", "FILE"), FIELD(record), .commands = WATCHES,
        .help = "record everything, for 'uimon replay' and 'uimon report'"},
    [UM_OPT_PROMETHEUS] = {
        TEXT("prometheus", "FILE"), FIELD(prometheus), .commands = WATCHES,
        .help = "keep a file up to date for the textfile collector of node_exporter or "
                "windows_exporter; its name ends in .prom, and it is removed at the end"},
    [UM_OPT_MARK_HOTKEY] = {
        HOTKEY("mark-hotkey"), FIELD(mark_hotkey), IN_FILE, .commands = WATCHES,
        .help = "with --record, these keys put a mark into the recording; none for none (default "
                UM_HOTKEY_MARK ")"},
    [UM_OPT_DUMP_DIR] = {
        TEXT("dump-dir", "DIR"), FIELD(dump_dir), .commands = WATCHES,
        .help = "save each long freeze, while it lasts, in a folder of its own in DIR: recording, "
                "stacks, messages, and a page when it is over"},
    [UM_OPT_DUMP_OVER] = {
        UNIT("dump-over", "MS"), FIELD(dump_over_ms), IN_FILE, .commands = WATCHES,
        RANGE(1, 600000, "ms"), .fallback = 500,
        .help = "with --dump-dir: a freeze is saved when it has lasted for so long"},
    [UM_OPT_KEEP] = {
        UNIT("keep", "S"), FIELD(keep_s), IN_FILE, .commands = WATCHES,
        RANGE(1, 600, "s"), .fallback = 30,
        .help = "with --dump-dir: so much before the freeze is saved, too; 16 KiB of memory a "
                "second"},
    [UM_OPT_DUMP_MOST] = {
        WHOLE("dump-most", "N"), FIELD(dump_most), IN_FILE, .commands = WATCHES,
        RANGE(1, 100, NULL), .fallback = 10,
        .help = "with --dump-dir: save no more than N freezes"},
    [UM_OPT_MINIDUMP] = {
        FLAG("minidump"), FIELD(minidump), .commands = WATCHES,
        .help = "with --dump-dir: save a minidump of the program, too, for debuggers; without "
                "Windows' snapshots the program stands still meanwhile"},
    [UM_OPT_HTML] = {
        TEXT("html", "FILE"), FIELD(html), .commands = REPORT | COMPARE | HISTORY_SHOW,
        .help = "for report, history show, and compare of recordings: write a web page with graphs "
                "and tables"},

    [UM_OPT_FORMAT] = {
        CHOICE("format", formats), FIELD(format), .commands = EXPORT, .group = "Stacks",
        .help = "for export: what to write the stacks of a recording as"},
    [UM_OPT_OUTPUT] = {
        TEXT("output", "FILE"), FIELD(output), .commands = EXPORT,
        .help = "for export: where to write; without this option, or with -, to standard output"},
    [UM_OPT_FREEZE] = {
        WHOLE("freeze", "N"), FIELD(freeze), .commands = EXPORT, RANGE(1, 1000000, NULL),
        .zero = "all",
        .help = "for export: only the stacks of the N-th freeze, as the JSON of report lists them"},
    [UM_OPT_ONLY] = {
        TEXT("only", "MODULES"), FIELD(only), .may_be_empty = true,
        .commands = EXPORT | REPORT | COMPARE,
        .help = "for export, report, and compare of recordings: show only functions of these "
                "modules, with commas between them: a file's name, or a folder with its slash at "
                "the end, as in devenv,C:\\work\\"},
    [UM_OPT_HIDE] = {
        TEXT("hide", "MODULES"), FIELD(hide), .may_be_empty = true,
        .commands = EXPORT | REPORT | COMPARE,
        .help = "the same: leave out functions of these modules, as in ntdll,user32"},
    [UM_OPT_SOURCE_PATH] = {
        TEXT("source-path", "FOLDERS"), FIELD(source_path), .commands = REPORT,
        .help = "for report --html: where the program's source is, with semicolons between the "
                "folders; what is found there is shown in the page, with the lines coloured"},
    [UM_OPT_EDITOR_LINK] = {
        TEXT("editor-link", "LINK"), FIELD(editor_link), .commands = REPORT,
        .help = "for report --html: what opens a line in an editor, with {file} and {line} in it, "
                "as in vscode://file/{file}:{line}"},

    [UM_OPT_RUNS] = {
        WHOLE("runs", "N"), FIELD(runs), .commands = BENCHES, RANGE(1, 1000, NULL), .fallback = 15,
        .group = "Benchmarks",
        .help = "for bench: how many times to run the scenario, of two sides each; with --until at "
                "most, and then the default is 60"},
    [UM_OPT_REHEARSALS] = {
        WHOLE("rehearsals", "N"), FIELD(rehearsals), .commands = BENCHES, RANGE(0, 100, NULL),
        .fallback = 1,
        .help = "for bench: runs before those, which are not counted"},
    [UM_OPT_DEFINE] = {
        MANY("define", "NAME=VALUE"), FIELD(defines), .commands = BENCHES,
        .help = "for bench: set a variable of the scenario; may be given several times"},
    [UM_OPT_BEFORE] = {
        MANY("before", "NAME=VALUE"), FIELD(before), .commands = BENCH,
        .help = "for bench: set a variable of one side only. Both sides are run in turn, in pairs "
                "of random order, and compared"},
    [UM_OPT_AFTER] = {
        MANY("after", "NAME=VALUE"), FIELD(after), .commands = BENCH,
        .help = "for bench: the same for the other side"},
    [UM_OPT_UNTIL] = {
        .name = "until", .value = "PERCENT", .kind = UM_OPTIONS_TABLE_UNIT,
        FIELD(until_percent), .commands = BENCHES, RANGE(0.5, 50, "%"),
        .help = "for bench and bisect: stop as soon as each measure is known to be slower, faster "
                "or the same within PERCENT, as in 5%"},
    [UM_OPT_PROVE] = {
        .name = "prove", .value = "PERCENT", .kind = UM_OPTIONS_TABLE_UNIT,
        FIELD(prove_percent), .commands = BENCH, RANGE(0.5, 100, "%"),
        .help = "for bench: show whether so small a change would be found: uimon itself delays "
                "each key of one of two sides by that share of what a key takes; exit with code 6 "
                "if it was not found"},
    [UM_OPT_RESUME] = {
        TEXT("resume", "FILE"), FIELD(resume), .commands = BENCH,
        .help = "for bench: go on with a benchmark that was broken off, from the results that it "
                "left in FILE, as before.json.partial"},
    [UM_OPT_SUSPECT] = {
        MANY("suspect", "NAME=VALUE"), FIELD(suspects), .commands = BISECT,
        .help = "for bisect: a setting that may cost something, such as a plug-in that is on; give "
                "two or more"},
    [UM_OPT_MEASURE] = {
        TEXT("measure", "NAME"), FIELD(measure), .commands = BISECT,
        .help = "for bisect: the measure that decides; without this option the first one"},
    [UM_OPT_DRY_RUN] = {
        FLAG("dry-run"), FIELD(dry_run), .commands = BENCH,
        .help = "for bench: check the scenario and print its steps, without running it"},
    [UM_OPT_FAIL_OVER] = {
        MANY("fail-over", "LIMIT"), FIELD(limits), .commands = COMPARE | BENCH,
        .help = "for compare, and bench of two sides: exit with code 5 if this limit is exceeded, "
                "and with 6 if nobody can tell from so few runs, as in typing.p90=+5% or "
                "typing.p90=50ms; may be given several times"},
    [UM_OPT_MARKDOWN] = {
        FLAG("markdown"), FIELD(markdown), .commands = COMPARE | BENCH,
        .help = "for compare, and bench of two sides: print a Markdown table for a pull request"},
    [UM_OPT_BISECT] = {
        FLAG("bisect"), FIELD(bisect), .commands = COMPARE | BENCH,
        .help = "the same: exit as 'git bisect run' wants it: 0 kept, 1 exceeded, 125 cannot tell "
                "or the build does not run"},
    [UM_OPT_LABEL] = {
        TEXT("label", "TEXT"), FIELD(label), .commands = HISTORY_ADD,
        .help = "for history add: what the results are called, such as a commit; otherwise when "
                "they were measured"},
    [UM_OPT_GITHUB_BENCHMARK] = {
        TEXT("github-benchmark", "FILE"), FIELD(github_benchmark), .commands = HISTORY_SHOW,
        .help = "for history show: write the newest commit for github-action-benchmark (tool "
                "customSmallerIsBetter)"},
    [UM_OPT_SPEED] = {
        NUMBER("speed", "N"), FIELD(speed), .commands = REPLAY, RANGE(0.125, 64, NULL),
        .fallback = 1, .group = "Replay",
        .help = "play the recording N times as fast"},

    [UM_OPT_ALL] = {
        FLAG("all"), FIELD(all), .commands = LISTEN, .group = "Listening",
        .help = "for listen, without TARGET: to every program that is watched, now or later"},
    [UM_OPT_JSONL] = {
        TEXT("jsonl", "FILE"), FIELD(jsonl), .commands = LISTEN,
        .help = "for listen: write counters and events as JSON, one object a line; - is standard "
                "output"},
    [UM_OPT_COUNTERS] = {
        TEXT("counters", "LIST"), FIELD(counters), .commands = LISTEN,
        .help = "for listen: only these counters, with commas between them, as in "
                "ui-thread-lag-ms,ui-hang-count"},
    [UM_OPT_EVENTS] = {
        FLAG("events"), FIELD(events), .commands = LISTEN,
        .help = "for listen: only events, and no counters"},
    [UM_OPT_INTERVAL] = {
        NUMBER("interval", "S"), FIELD(interval_s), .commands = LISTENS | WATCHES,
        RANGE(0.01, 60, "s"), .fallback = 1,
        .help = "for listen and query: the time that the counters are taken over; with --dotnet "
                "how often the runtime is to tell its counters, from 0.1"},

    [UM_OPT_HEADLESS] = {
        FLAG("headless"), FIELD(headless), IN_FILE, .commands = SHOWS, .group = "The overlay",
        .help = "show no overlay; print a status line if the output is a terminal"},
    [UM_OPT_CAPTION] = {
        TEXT("caption", "TEXT"), FIELD(caption), IN_FILE, .may_be_empty = true,
        .commands = WATCHES,
        .help = "text to show in the overlay"},
    [UM_OPT_LOOK] = {
        CHOICE("look", looks), FIELD(look), IN_FILE, .commands = SHOWS,
        .help = "graph and texts along an edge of the window, a small panel in a corner, or a "
                "single line along an edge"},
    [UM_OPT_POSITION] = {
        CHOICE("position", positions), FIELD(position), IN_FILE, .commands = SHOWS,
        .help = "which edge or corner of the target's window the overlay covers; of an edge, the "
                "compact look takes the right corner"},
    [UM_OPT_HEIGHT] = {
        WHOLE("height", "PX"), FIELD(height), IN_FILE, .commands = SHOWS,
        RANGE(16, 400, "px"), .zero = "auto",
        .help = "its height, on a display at 100 %; auto is 120 for the strip, 84 for compact, 22 "
                "for the bar"},
    [UM_OPT_OPACITY] = {
        NUMBER("opacity", "N"), FIELD(opacity), IN_FILE, .commands = SHOWS,
        RANGE(0.1, 1, NULL), .fallback = UM_OVERLAY_OPACITY,
        .help = "how opaque its background is"},
    [UM_OPT_SCALE] = {
        NUMBER("scale", "N"), FIELD(scale), IN_FILE, .commands = SHOWS,
        RANGE(0.5, 4, NULL), .zero = "auto",
        .help = "its size; auto follows the scaling of the target's display"},

    [UM_OPT_SHOW] = {
        .name = "show", .value = "LIST", .kind = UM_OPTIONS_TABLE_ROWS, FIELD(show), IN_FILE,
        .commands = SHOWS,
        .help = "rows to show beside the graph, with commas between them: lag, latency, hangs, "
                "typing, click, threadpool, frame-rate, message-rate, beats-lost, cost, or "
                "all; none for none"},
    [UM_OPT_PANEL] = {
        CHOICE("panel", panels), FIELD(panel), IN_FILE, .commands = SHOWS,
        .help = "what the overlay shows at first: the graph, or beside it the functions in which "
                "most samples of the freezes were"},
    [UM_OPT_PANEL_HOTKEY] = {
        HOTKEY("panel-hotkey"), FIELD(panel_hotkey), IN_FILE, .commands = SHOWS,
        .help = "these keys go from one of these to the other; none for none (default "
                UM_HOTKEY_PANEL ")"},
    [UM_OPT_HOTKEY] = {
        HOTKEY("hotkey"), FIELD(hotkey), IN_FILE, .commands = SHOWS,
        .help = "these keys hide the overlay and show it again, whichever program is in front; "
                "none for none (default " UM_HOTKEY_HIDE ")"},

    [UM_OPT_SECONDS] = {
        NUMBER("seconds", "S"), FIELD(demo_seconds), .commands = DEMO, RANGE(0, DAY_S, "s"),
        .group = "The demo",
        .help = "end the demo after S seconds; 0: when its window is closed"},
    [UM_OPT_PLAY] = {
        .name = "play", .value = "LIST", .kind = UM_OPTIONS_TABLE_LIST, FIELD(demo_play),
        .commands = DEMO,
        .help = "freeze by itself for these lengths in ms, as in 20,80,300"},
    [UM_OPT_LOG] = {
        TEXT("log", "FILE"), FIELD(demo_log), .commands = DEMO,
        .help = "write down exactly when each of its freezes began and ended"},

    [UM_OPT_CONFIG] = {
        TEXT("config", "FILE"), FIELD(config), .may_be_empty = true, .commands = ALL,
        .group = "General",
        .help = "read this file instead of %APPDATA%\\uimon\\uimon.conf; --config= reads none"},
    [UM_OPT_QUIET] = {
        FLAG("quiet"), FIELD(quiet), .commands = ALL,
        .help = "print nothing but errors, and what you send to standard output with -"},
    [UM_OPT_VERBOSE] = {
        FLAG("verbose"), FIELD(verbose), .commands = ALL,
        .help = "say what uimon is doing and why"},
    [UM_OPT_HELP] = {
        FLAG("help"), .commands = ALL,
        .help = "this text (also -h)"},
    [UM_OPT_VERSION] = {
        FLAG("version"), .commands = ALL,
        .help = "print the version"},
};
/* clang-format on */

const struct um_options_table_row *um_options_table_find(const char *name, size_t len_bytes)
{
    for (size_t i = 0; i < UM_OPT_COUNT; i++) {
        const struct um_options_table_row *row = &um_options_table[i];
        if (strlen(row->name) == len_bytes && memcmp(row->name, name, len_bytes) == 0)
            return row;
    }
    return NULL;
}

void um_options_table_value_name(const struct um_options_table_row *row, char *buf,
                                 size_t cap_bytes)
{
    size_t used = 0;

    snprintf(buf, cap_bytes, "%s", row->value ? row->value : "");
    for (size_t i = 0; row->choices && row->choices[i] && used < cap_bytes; i++) {
        used += (size_t)snprintf(buf + used, cap_bytes - used, "%s%s", i == 0 ? "" : "|",
                                 row->choices[i]);
    }
}

size_t um_options_table_place(const struct um_options_table_row *row)
{
    return (size_t)(row - um_options_table);
}

const char *um_options_table_nearest(const char *word, bool in_file)
{
    const char *names[UM_OPT_COUNT + 1];
    size_t count = 0;

    for (size_t i = 0; i < UM_OPT_COUNT; i++)
        if (!in_file || um_options_table[i].in_file)
            names[count++] = um_options_table[i].name;
    names[count] = NULL;
    return um_nearest_find(word, names);
}
