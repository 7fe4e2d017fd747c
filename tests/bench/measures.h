/* The measures of the benchmark: each gives its rows to driver_row. */
#ifndef UM_TESTS_BENCH_MEASURES_H
#define UM_TESTS_BENCH_MEASURES_H

/* pipeline.c: events through ring, encode, pipe, decode and watchdog; bytes a beat. */
void measure_pipeline(void);

/* picture.c: drawing the overlay's picture. */
void measure_picture(void);

/* accuracy.c: lengths of freezes, retrieved and sent, beside the ancestor's rule. */
void measure_accuracy(void);

/* thresholds.c: freezes at both thresholds and with both kinds of beat. */
void measure_thresholds(void);

/* quiet.c: what uimon says of programs that have nothing to report, and does to their idle work. */
void measure_quiet(void);

/* wordpad.c: what it costs a foreign program at rest, and whether it makes that freeze. */
void measure_wordpad(void);

/* typing_x11.c: what it says of one that gets much input. */
void measure_typing(void);

/* beats.c: how many beats go where they could be in somebody's way. */
void measure_beats(void);

/* interactions.c: keys, clicks and wheel steps beside what the target and the sender say. */
void measure_interactions(void);

/* gone.c: what stays in a program when uimon goes, and how long. */
void measure_gone(void);

/* ends.c: whether uimon ends when its target does, whenever that is. */
void measure_ends(void);

/* follow.c: how late the overlay's strip is. */
void measure_follow(void);

/* replay.c: how fast a replay is. */
void measure_replay(void);

/* benched.c: what `uimon bench` and `uimon bisect` find where it is known. */
void measure_benched(void);

/* thaw.c: what a mouse storm through a freeze costs the target afterwards. */
void measure_thaw(void);

/* stands.c: how long a sampled thread stands when uimon is suspended or killed meanwhile. */
void measure_thaw_stands(void);

/* hook_cost.c: what a posted message costs, watched and not. */
void measure_hook_cost(void);

/* marks.c: what a marker of the program's own costs it. */
void measure_marks(void);

/* trace_cost.c: what a message costs while messages are traced. */
void measure_trace_cost(void);

/* cost.c: CPU and memory of monitor, overlay and target. */
void measure_cost(void);

/* cost_layout.c: CPU of the overlay with many meters. */
void measure_cost_layout(void);

/* feed.c: frames to many consumers, what these cost, and how late a consumer's line is. */
void measure_feed(void);

/* compare.c: false alarms and slowdowns found by `uimon compare`. */
void measure_compare(void);

/* until.c: the same of sittings of pairs that stop when they know. */
void measure_until(void);

/* unwind.c: a stack of 50 frames. */
void measure_unwind(void);

/* profile.c: what sampling all the time costs a busy program, and what it finds. */
void measure_profile(void);

/* profile_managed.c: what tracing managed methods costs a program of .NET. */
void measure_profile_managed(void);

/* growth.c: what stays behind of samples in the program and in uimon. */
void measure_growth(void);
void measure_growth32(void); /* of a 32-bit program */

/* flows.c: finding the flows of many markers, and one of them. */
void measure_flows(void);

/* flows_read.c: reading a profile of the Firefox Profiler. */
void measure_flows_read(void);

/* layout.c: pairing and attributing steps of a layout. */
void measure_layout(void);

/* layout_xaml.c: the same of events of XAML's elements. */
void measure_layout_xaml(void);

/* layout_watched.c: what --layout costs a target, and how right its numbers are. */
void measure_layout_watched(void);

/* shown_x11.c: when a freeze is on the screen. */
void measure_shown(void);

#endif
