/* All options of the command line, in the order of --help; those with IN_FILE are also the keys of
 * the configuration file. Each makes a field of struct um_options (options.h), an id UM_OPT_... and
 * a row (options_table.h), from which the parser, --help and docs/options/ are made.
 *
 *   OPTION(type, field, ID, row...)   type and field of struct um_options, then members of the row
 *   PLAIN(ID, row...)                 an option without a field
 *
 * It is included with these two defined, and takes the definitions back. RANGE, FALLBACK and ZERO
 * say which numbers are allowed, which one counts when none is given, and which word means 0. Of a
 * choice the first word is the default. A text that is not given is NULL. WINDOWS marks what uimon
 * cannot do elsewhere yet, whatever the value is but 0 and the one that is HARMLESS.
 */
/* clang-format off */
OPTION(const char *, target, ATTACH,
       TEXT("attach", "TARGET"), .commands = WATCH | DOCTOR,
       .group = "What to watch",
       .help = "watch a running program")
PLAIN(LAUNCH,
      TEXT("launch", "PROGRAM [ARG...]"), .commands = LAUNCH,
      .help = "start a program and watch it from its first window; if it ends without one, the "
              "first window of what it has started is watched. Everything after PROGRAM is passed "
              "on to it")
OPTION(bool, newest, NEWEST,
       FLAG("newest"), .commands = WATCH | BENCHES | DOCTOR,
       .help = "if several programs match TARGET, take the one that was started last")
OPTION(double, wait_s, WAIT, /* and the field `wait`; negative: for ever */
       .name = "wait", .value = "S", .kind = UM_OPTIONS_TABLE_OPEN,
       .commands = WATCH | LISTENS, RANGE(0, YEAR_S, "s"),
       .help = "wait until TARGET appears, for S seconds at most; listen then goes on with the "
               "next monitor of it, too")
OPTION(uint32_t, thread_id, THREAD, /* 0: the thread that owns the main window */
       WHOLE("thread", "TID"), .commands = WATCH, RANGE(1, UINT32_MAX, NULL),
       .help = "watch this thread instead of the one that owns the main window")
OPTION(double, duration_s, DURATION, /* 0: no end; of listen: since the first feed */
       NUMBER("duration", "S"), .commands = WATCHES | LISTEN, RANGE(0.1, YEAR_S, "s"),
       .help = "stop after S seconds, from the first beat on; fail if none comes within S or 10 "
               "seconds, whichever is longer; listen counts from the first feed on; without this "
               "option, stop when the target exits or you press Ctrl+C; the demo then freezes by "
               "itself")

OPTION(double, threshold_ms, THRESHOLD,
       NUMBER("threshold", "MS"), IN_FILE, .commands = MEASURES,
       RANGE(1, 60000, "ms"), FALLBACK(100), .group = "How to measure",
       .help = "a freeze is at least this long")
OPTION(double, slow_ms, SLOW, /* never above threshold_ms after um_options_finish; of flows 0 if it
                               * is not given on the line */
       NUMBER("slow", "MS"), IN_FILE, .commands = MEASURES | FLOWS,
       RANGE(1, 60000, "ms"), FALLBACK(50),
       .help = "lag above this counts as slow, and stacks are sampled from then on; if the "
               "threshold is lower, slow is half of it; flows lists the keys, clicks and wheel "
               "steps that took longer and what took most of each, if the command line has this; "
               "the configuration file and the default do not count there")
OPTION(double, heartbeat_ms, HEARTBEAT,
       NUMBER("heartbeat", "MS"), IN_FILE, .commands = MEASURES,
       RANGE(1, 1000, "ms"), FALLBACK(10),
       .help = "time between two beats, the tiny inputs with which uimon measures")
OPTION(double, rest_heartbeat_ms, REST_HEARTBEAT, /* up to heartbeat_ms: as heartbeat_ms */
       NUMBER("rest-heartbeat", "MS"), IN_FILE, .commands = MEASURES,
       RANGE(1, 1000, "ms"), FALLBACK(100),
       .help = "the same while the target rests, so that its idle work is left alone; never longer "
               "than the freeze threshold; 1 for beats at the full rate always")
OPTION(enum um_background, background, BACKGROUND,
       CHOICE("background", "rest|full|pause"), IN_FILE, .commands = WATCHES,
       .help = "the beats while another program is in front, which gets them too: as many as at "
               "rest, as many as in front, or none")
OPTION(enum um_probe, probe, PROBE,
       CHOICE("probe", "auto|raw|mouse"), IN_FILE, WINDOWS, .commands = MEASURES,
       .help = "how a beat reaches the target: raw input, or mouse messages, which need the "
               "cursor over the target; auto takes raw unless the target uses raw input itself")
OPTION(enum um_beat_kind, beat_kind, BEAT,
       CHOICE("beat", "auto|zero|pair|still"), IN_FILE, WINDOWS, .commands = MEASURES,
       .help = "what a beat of raw input is: a movement by zero pixels, a pair of one pixel and "
               "back, or an event without a movement; auto takes still, else zero, else pair, "
               "whichever the system does not drop")
OPTION(double, idle_pause_s, IDLE_PAUSE,
       NUMBER("idle-pause", "S"), IN_FILE, .commands = WATCHES,
       RANGE(1, DAY_S, "s"), FALLBACK(60), ZERO("never"),
       .help = "pause after S seconds without input, so that the machine can sleep and lock; "
               "never for measuring on")

OPTION(bool, interactions, INTERACTIONS,
       FLAG("interactions"), IN_FILE, WINDOWS, .commands = WATCHES,
       .help = "also measure each key press, click and wheel step: input delay, processing and "
               "presentation; the demo does so anyway")
OPTION(bool, keep_keys, KEEP_KEYS, /* implies `interactions` */
       FLAG("keep-keys"), WINDOWS, .commands = WATCHES,
       .help = "the same, and also record which key it was; otherwise that is never recorded")

OPTION(enum um_options_sample, sample, SAMPLE,
       CHOICE("sample", "on|off|always"), IN_FILE, WINDOWS,
       HARMLESS(UM_OPTIONS_SAMPLE_OFF), .commands = WATCHES,
       .help = "say where the program was in a freeze: stop its UI thread for a moment, again and "
               "again, and copy its stack; always also does so while there is no freeze")
OPTION(enum um_options_sample_threads, sample_threads, SAMPLE_THREADS,
       CHOICE("sample-threads", "ui|all"), IN_FILE, WINDOWS, .commands = WATCHES,
       .help = "which threads that is: the UI thread and whoever it waits for, or all of the "
               "program's")
OPTION(const char *, symbol_path, SYMBOL_PATH,
       TEXT("symbol-path", "PATH"), IN_FILE, .commands = WATCHES,
       .help = "where the names of functions are looked for besides beside the modules, written "
               "as in _NT_SYMBOL_PATH, which is the default")
OPTION(const char *, mine, MINE,
       MODULES("mine"), IN_FILE, .commands = WATCHES | REPORT | TRACE_ENV,
       .help = "say how much of each freeze was in these modules or in what they called: names "
               "of files, or folders")
OPTION(double, sample_every_ms, SAMPLE_EVERY,
       NUMBER("sample-every", "MS"), IN_FILE, .commands = WATCHES,
       RANGE(1, 1000, "ms"), FALLBACK(10),
       .help = "from sample to sample, by chance a quarter more or less; longer where the samples "
               "would cost more than --sample-cost")
OPTION(double, sample_cost, SAMPLE_COST,
       NUMBER("sample-cost", "PERCENT"), IN_FILE, .commands = WATCHES,
       RANGE(1, 25, "%"), FALLBACK(3),
       .help = "how much of the program's time samples may take; with more of it, more of its "
               "freezes have stacks, and they last longer by as much")

OPTION(enum um_options_trace, trace, TRACE, /* at first; keys change it */
       CHOICE("trace", "off|messages|events|methods|calls"), WINDOWS,
       .commands = WATCHES | TRACE_ENV,
       .help = "count and time every window message that the UI thread handles, sent or "
               "retrieved, one within another; that makes each sent message slower; with events, "
               "keep each of them as a marker, too; methods and calls are about .NET: methods "
               "counts and times every call on every thread, calls only counts, and of --only or "
               "else --mine only those are slower")

OPTION(enum um_wire_layout_mode, layout, LAYOUT, /* at first; keys change it */
       .name = "layout", .value = "off|components|heatmap|inspect", .kind = UM_OPTIONS_TABLE_WORD,
       WINDOWS, .commands = WATCHES | BENCHES,
       .help = "say what each part of the window costs: how long its layout (measure, arrange) and "
               "its painting took, and show that on each part, on the ten that cost most "
               "(heatmap), or on the one under the cursor (inspect); that makes each sent message "
               "slower; bench and bisect show nothing, and get a measure 'layout'")

OPTION(const char *, layout_components, LAYOUT_COMPONENTS,
       TEXT("layout-components", "FILE"), .commands = WATCHES,
       .help = "which parts --layout tells apart, instead of all windows that have others in them: "
               "a rule a line, class:NAME, text:PART or id:NUMBER, then = NAME if wanted")

OPTION(enum um_options_threadpool, threadpool, THREADPOOL,
       CHOICE("threadpool", "auto|on|off"), IN_FILE, WINDOWS,
       HARMLESS(UM_OPTIONS_THREADPOOL_OFF), .commands = WATCHES,
       .help = "measure how long work items wait in the target's thread pool, with four of "
               "uimon's own a second; auto does so while another program listens to the feed, "
               "while the overlay shows it, and with --prometheus")
OPTION(double, threadpool_starved_ms, THREADPOOL_STARVED,
       NUMBER("threadpool-starved", "MS"), IN_FILE, .commands = WATCHES,
       RANGE(1, 60000, "ms"), FALLBACK(100),
       .help = "the pool is starved when an item waits longer than this")
OPTION(bool, dotnet, DOTNET, /* `providers` imply it */
       FLAG("dotnet"), WINDOWS, .commands = WATCHES,
       .help = "of a program of .NET Core 3.0 or later: ask its runtime for the counters that it "
               "has of itself (System.Runtime), for listen and recordings; with --launch and .NET "
               "5 or later from its first moments on")
OPTION(struct um_options_list, providers, PROVIDER, /* as written, for base/provider_spec.h */
       .name = "provider", .value = "NAME", .kind = UM_OPTIONS_TABLE_PROVIDERS,
       WINDOWS, .commands = WATCHES,
       .help = "the same, and for the counters and events of this provider, as in "
               "MyCompany-MyProgram, and the instruments of the meter of that name; its events "
               "are markers, for uimon flows; also NAME:KEYWORDS:LEVEL, and several with commas "
               "between them")

OPTION(const char *, json, JSON,
       OUTPUT("json"), .group = "Results",
       .commands = MEASURES | REPORT | COMPARE | DOCTOR | HISTORY_SHOW | LISTEN | FLOWS,
       .help = "write the summary, or the command's results, as JSON, and of listen the counters "
               "and events, one object a line; - is standard output")
OPTION(const char *, csv, CSV,
       OUTPUT("csv"), .commands = WATCHES | LISTEN,
       .help = "write a row for each beat, interaction and freeze, or of listen for each counter "
               "and event; - is standard output")
OPTION(const char *, record, RECORD,
       OUTPUT("record"), .commands = WATCHES,
       .help = "record everything, for 'uimon replay' and 'uimon report'")
OPTION(const char *, prometheus, PROMETHEUS,
       OUTPUT("prometheus"), .commands = WATCHES,
       .help = "keep a file up to date for the textfile collector of node_exporter or "
               "windows_exporter; its name ends in .prom, and it is removed at the end")
OPTION(const char *, dump_dir, DUMP_DIR,
       TEXT("dump-dir", "DIR"), .commands = WATCHES,
       .help = "save each long freeze, ten at most, while it lasts, in a folder of its own in DIR: "
               "recording, stacks, messages, and a page when it is over")
OPTION(double, dump_over_ms, DUMP_OVER,
       NUMBER("dump-over", "MS"), IN_FILE, .commands = WATCHES,
       RANGE(1, 600000, "ms"), FALLBACK(500),
       .help = "with --dump-dir: a freeze is saved when it has lasted for so long")
OPTION(double, keep_s, KEEP,
       NUMBER("keep", "S"), IN_FILE, .commands = WATCHES, RANGE(1, 600, "s"), FALLBACK(30),
       .help = "with --dump-dir: so much before the freeze is saved, too; 16 KiB of memory a "
               "second")
OPTION(bool, minidump, MINIDUMP,
       FLAG("minidump"), WINDOWS, .commands = WATCHES,
       .help = "with --dump-dir: save a minidump of the program, too, for debuggers; without "
               "Windows' snapshots the program stands still meanwhile")
OPTION(const char *, html, HTML,
       OUTPUT("html"), .commands = REPORT | COMPARE | HISTORY_SHOW,
       .help = "write a web page with graphs and tables; compare does so of recordings")

OPTION(bool, follow, FOLLOW,
       FLAG("follow"), .commands = REPORT,
       .help = "with --html: make the page anew while the recording grows, every two seconds at "
               "most and with 5 % of a core at most, until it ends; the page loads itself again "
               "and keeps its place")

OPTION(int, format, FORMAT, /* a row of exports.h */
       CHOICE("format", UM_OPTIONS_EXPORT_WORDS), .commands = EXPORT,
       .group = "Stacks",
       .help = "what to write the stacks, markers, counters or latencies of a recording as")
OPTION(int, latency, LATENCY, /* a row of exports.h */
       CHOICE("latency", UM_OPTIONS_LATENCY_WORDS), .commands = EXPORT,
       .help = "which of the latencies hgrm has; hlog has all of them")
OPTION(const char *, output, OUTPUT,
       TEXT("output", "FILE"), .commands = EXPORT,
       .help = "where to write; without this option, or with -, to standard output")
OPTION(uint32_t, freeze, FREEZE,
       WHOLE("freeze", "N"), .commands = EXPORT, RANGE(1, 1000000, NULL), ZERO("all"),
       .help = "only what belongs to the N-th freeze, as the JSON of report lists them")
OPTION(const char *, only, ONLY,
       MODULES("only"), .may_be_empty = true,
       .commands = EXPORT | REPORT | COMPARE | SHOWS | WATCHES | TRACE_ENV,
       .help = "show only functions of these modules, with commas between them: a file's name, or "
               "a folder with its slash at the end, as in devenv,C:\\work\\; compare does so of "
               "recordings, and the overlay in its profile; with --trace methods or calls, also "
               "trace only these, or a type or namespace")
OPTION(const char *, hide, HIDE,
       MODULES("hide"), .may_be_empty = true, .commands = EXPORT | REPORT | COMPARE | SHOWS,
       .help = "leave out functions of these modules, as in ntdll,user32")
OPTION(const char *, source_path, SOURCE_PATH,
       TEXT("source-path", "FOLDERS"), .commands = REPORT,
       .help = "where the program's source is, with semicolons between the folders; what is found "
               "there is shown in the page of --html, with the lines coloured; a file that has "
               "changed since the build is not, where the recording has its checksum")
OPTION(const char *, editor_link, EDITOR_LINK,
       TEXT("editor-link", "LINK"), .commands = REPORT,
       .help = "what opens a line of the page of --html in an editor, with {file} and {line} in "
               "it, as in vscode://file/{file}:{line}")

OPTION(uint32_t, most, MOST, /* 0: not given */
       WHOLE("most", "N"), .commands = FLOWS, RANGE(1, UINT32_MAX, NULL), .group = "Flows",
       .help = "how many of the longest flows are listed, of all or of those of --slow; without "
               "this option 100, and with --json all")
OPTION(const char *, flow, FLOW,
       TEXT("flow", "ID;MS"), .commands = FLOWS,
       .help = "one flow with its markers: its id, and a time at which it lasts, since an id may "
               "be used again; or its short name, as n17, which the list has")
OPTION(uint32_t, steps, STEPS,
       WHOLE("steps", "N"), .commands = FLOWS, RANGE(0, 1000, NULL), FALLBACK(1),
       .help = "with --flow: also the flows up to N steps away; 1 is those around it, 0 the flow "
               "alone")
OPTION(const char *, from, FROM,
       TEXT("from", "THREAD:N"), .commands = FLOWS,
       .help = "one marker: of a thread the N-th by its start")
OPTION(bool, next, NEXT,
       FLAG("next"), .commands = FLOWS,
       .help = "with --from: the marker after it, in each of its flows or in that of --flow")
OPTION(bool, previous, PREVIOUS,
       FLAG("previous"), .commands = FLOWS,
       .help = "with --from: the marker before it")
OPTION(const char *, search, SEARCH,
       TEXT("search", "TEXT"), .commands = FLOWS,
       .help = "the markers that have this text in them; with flow:ID;MS or flow:n17 those "
               "of a flow")

OPTION(uint32_t, runs, RUNS,
       WHOLE("runs", "N"), .commands = BENCHES, RANGE(1, 1000, NULL), FALLBACK(15),
       .group = "Benchmarks",
       .help = "how many times to run the scenario, of two sides each; with --until at most, and "
               "then the default is 60")
OPTION(uint32_t, rehearsals, REHEARSALS,
       WHOLE("rehearsals", "N"), .commands = BENCHES, RANGE(0, 100, NULL), FALLBACK(1),
       .help = "runs before those, which are not counted")
OPTION(struct um_options_list, defines, DEFINE,
       MANY("define", "NAME=VALUE"), .commands = BENCHES,
       .help = "set a variable of the scenario; may be given several times")
OPTION(struct um_options_list, before, BEFORE, /* for one side of two; over `defines` */
       MANY("before", "NAME=VALUE"), .commands = BENCH,
       .help = "set a variable of one side only. Both sides are run in turn, in pairs of random "
               "order, and compared")
OPTION(struct um_options_list, after, AFTER,
       MANY("after", "NAME=VALUE"), .commands = BENCH,
       .help = "the same for the other side")
OPTION(double, until_percent, UNTIL, /* 0: a fixed number of runs */
       NUMBER("until", "PERCENT"), .commands = BENCHES, RANGE(0.5, 50, "%"),
       .help = "stop as soon as each measure is known to be slower, faster or the same within "
               "PERCENT, as in 5%")
OPTION(const char *, resume, RESUME,
       TEXT("resume", "FILE"), .commands = BENCH,
       .help = "go on with a benchmark that was broken off, from the results that it left in "
               "FILE, as before.json.partial")
OPTION(struct um_options_list, suspects, SUSPECT,
       MANY("suspect", "NAME=VALUE"), .commands = BISECT,
       .help = "a setting that may cost something, such as a plug-in that is on; give two or more")
OPTION(const char *, measure, MEASURE,
       TEXT("measure", "NAME"), .commands = BISECT,
       .help = "the measure that decides; without this option the first one")
OPTION(bool, dry_run, DRY_RUN,
       FLAG("dry-run"), .commands = BENCH,
       .help = "check the scenario and print its steps, without running it")
OPTION(struct um_options_list, limits, FAIL_OVER,
       MANY("fail-over", "LIMIT"), .commands = COMPARE | BENCH,
       .help = "exit with code 5 if this limit is exceeded, and with 6 if nobody can tell from so "
               "few runs, as in typing.p90=+5% or typing.p90=50ms; may be given several times; "
               "bench needs two sides for this and the next two")
OPTION(bool, markdown, MARKDOWN,
       FLAG("markdown"), .commands = COMPARE | BENCH,
       .help = "print a Markdown table for a pull request")
OPTION(bool, bisect, BISECT,
       FLAG("bisect"), .commands = COMPARE | BENCH,
       .help = "exit as 'git bisect run' wants it: 0 kept, 1 exceeded, 125 cannot tell or the "
               "build does not run")
OPTION(const char *, label, LABEL,
       TEXT("label", "TEXT"), .commands = HISTORY_ADD,
       .help = "what the results are called, such as a commit; otherwise when they were measured")
OPTION(const char *, machine, MACHINE,
       TEXT("machine", "NAME"), .commands = HISTORY,
       .help = "whichever machine it was, count the results as those of a machine of this name, so "
               "that they are one series: add writes it down, show does so with all that there is; "
               "for runners of a CI, whose names differ each time")
OPTION(const char *, github_benchmark, GITHUB_BENCHMARK,
       OUTPUT("github-benchmark"), .commands = HISTORY_SHOW,
       .help = "write the newest commit for github-action-benchmark (tool customSmallerIsBetter)")
OPTION(double, speed, SPEED,
       NUMBER("speed", "N"), .commands = REPLAY, RANGE(0.125, 64, NULL), FALLBACK(1),
       .group = "Replay",
       .help = "play the recording N times as fast")

OPTION(const char *, counters, COUNTERS, /* as written; NULL: all */
       TEXT("counters", "LIST"), .commands = LISTEN, .group = "Listening",
       .help = "only these counters, with commas between them, as in "
               "ui-thread-lag-ms,ui-hang-count; layout: the ten components that cost most, "
               "layout/: all; none: only events, as lines that scroll by")
OPTION(double, interval_s, INTERVAL,
       NUMBER("interval", "S"), .commands = LISTENS | WATCHES,
       RANGE(0.01, 60, "s"), FALLBACK(1),
       .help = "for listen and query: the time that the counters are taken over; with --dotnet "
               "how often the runtime is to tell its counters, from 0.1")

OPTION(bool, headless, HEADLESS,
       FLAG("headless"), IN_FILE, .commands = SHOWS, .group = "The overlay",
       .help = "show no overlay; print a status line if the output is a terminal")
OPTION(const char *, caption, CAPTION,
       TEXT("caption", "TEXT"), IN_FILE, .may_be_empty = true, .commands = WATCHES,
       .help = "text to show in the overlay")
OPTION(enum um_overlay_look, look, LOOK,
       CHOICE("look", "auto|strip|compact|bar"), IN_FILE, .commands = SHOWS,
       .help = "graph and texts along an edge of the window, a small panel in a corner, or a "
               "single line along an edge; auto is the strip, or the panel where a strip would "
               "take more than a quarter of the window's height or lie over its push buttons")
OPTION(enum um_overlay_position, position, POSITION,
       CHOICE("position", "bottom|top|bottom-right|bottom-left|top-right|top-left"), IN_FILE,
       .commands = SHOWS,
       .help = "which edge or corner of the target's window the overlay covers; of an edge, the "
               "compact look takes the right corner")
OPTION(uint32_t, height, HEIGHT, /* in pixels at 100 %; 0: that of the look */
       WHOLE("height", "PX"), IN_FILE, .commands = SHOWS, RANGE(16, 400, "px"), ZERO("auto"),
       .help = "its height, on a display at 100 %; auto is 120 for the strip, 84 for compact, 22 "
               "for the bar")
OPTION(double, opacity, OPACITY,
       NUMBER("opacity", "N"), IN_FILE, .commands = SHOWS,
       RANGE(0.1, 1, NULL), FALLBACK(UM_OVERLAY_OPACITY),
       .help = "how opaque its background is")
OPTION(double, scale, SCALE, /* 0: that of the target's display */
       NUMBER("scale", "N"), IN_FILE, .commands = SHOWS, RANGE(0.5, 4, NULL), ZERO("auto"),
       .help = "its size; auto follows the scaling of the target's display")
OPTION(enum um_overlay_meter, layout_meter, LAYOUT_METER,
       CHOICE("layout-meter", "sparkline|bars"), IN_FILE, .commands = SHOWS,
       .help = "how --layout shows the costs of a part: its last six seconds, or its layout time "
               "above a bar for its windows")
OPTION(const char *, show, SHOW, /* checked (metrics/overlay_rows.h) */
       .name = "show", .value = "LIST", .kind = UM_OPTIONS_TABLE_ROWS, IN_FILE, .commands = SHOWS,
       .help = "rows to show beside the graph, with commas between them: lag, latency, hangs, "
               "typing, click, threadpool, frame-rate, message-rate, beats-lost, cost, or all; "
               "none for none. With --dotnet also counters of .NET, eight at most, as "
               "System.Runtime/cpu-usage")
OPTION(enum um_wire_panel, panel, PANEL,
       CHOICE("panel", "graph|profile"), IN_FILE, .commands = SHOWS,
       .help = "what the overlay shows at first: the graph, or beside it the functions in which "
               "most samples of the freezes were")
OPTION(uint32_t, panel_rows, PANEL_ROWS,
       WHOLE("panel-rows", "N"), IN_FILE, .commands = SHOWS,
       RANGE(1, UM_WIRE_PROFILE_ROWS * UM_WIRE_PROFILE_PARTS, NULL),
       FALLBACK(UM_OVERLAY_PROFILE_ROWS),
       .help = "how many functions the overlay shows")
OPTION(enum um_wire_by, by, BY,
       CHOICE("by", "self|time|cpu|user|kernel|samples|freezes|functions"), IN_FILE,
       .commands = SHOWS | REPORT,
       .help = "what functions are sorted by in the overlay, and coloured by at first in the page "
               "of --html: time in the function itself; with what it called, as all that follow: "
               "time, CPU time, that in user or kernel mode (by the system's count, on Windows in "
               "steps of up to 15.6 ms), samples; or in how many freezes it was seen, and how many "
               "functions were seen in it")
OPTION(const char *, hotkeys, HOTKEYS, /* um_options_hotkeys_get reads it */
       .name = "hotkeys", .value = "NAME=KEYS,...", .kind = UM_OPTIONS_TABLE_HOTKEYS, IN_FILE,
       .commands = SHOWS,
       .help = "keys that work whichever program is in front, as in hide=Ctrl+Alt+F9,mark=none; "
               "none for none at all. Those that are not named stay: "
               UM_OPTIONS_HOTKEY_LIST(UM_OPTIONS_HOTKEY_HELP) "mark wants --record")

OPTION(const char *, config, CONFIG, /* NULL: the default file, if it exists; "": none at all */
       TEXT("config", "FILE"), .may_be_empty = true, .commands = ALL, .group = "General",
       .help = "read this file instead of %APPDATA%\\uimon\\uimon.conf; --config= reads none")
OPTION(bool, quiet, QUIET,
       FLAG("quiet"), .commands = ALL,
       .help = "print nothing but errors, and what you send to standard output with -")
OPTION(bool, verbose, VERBOSE,
       FLAG("verbose"), .commands = ALL,
       .help = "say what uimon is doing and why")
PLAIN(HELP,
      FLAG("help"), .commands = ALL,
      .help = "this text (also -h), or with a command before it what goes with that")
PLAIN(VERSION,
      FLAG("version"), .commands = ALL,
      .help = "print the version")
/* clang-format on */
#undef OPTION
#undef PLAIN
