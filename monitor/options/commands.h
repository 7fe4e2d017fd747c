/* The larger commands. Each is one function that takes the options and returns an exit code
 * (exit_code.h). main.c calls them; each has its own file, in the room of its subject.
 * Not on the hot path. Thread: main; all of them block.
 */
#ifndef UM_MONITOR_COMMANDS_H
#define UM_MONITOR_COMMANDS_H

#include <stdbool.h>

#include "monitor/options/options.h"

/* `uimon bench SCENARIO`: reads the scenario options->files[0], runs it options->runs times, and
 * writes the results. With two sides it runs them in turn (bench_sitting.h) and compares them, and
 * returns what um_compare_command_run does. Returns UM_EXIT_USAGE if the scenario has a mistake;
 * UM_EXIT_NO_TARGET and UM_EXIT_DENIED as exit_code.h says; UM_EXIT_FAILED if a run was aborted,
 * which the results say too, unless they leave the file as it was (bench_file.h). */
int um_bench_command_run(struct um_options *options);

/* `uimon bisect SCENARIO`: finds out which of options->suspects costs time (bisect.h), prints each
 * step and the answer, and writes them to options->json if that is given. Returns
 * UM_EXIT_CANNOT_TELL if it is not one alone or that cannot be known; else as
 * um_bench_command_run. */
int um_bisect_command_run(struct um_options *options);

/* `uimon calibrate`: measures for half a minute what uimon itself adds, with the demo as a window
 * that answers at once. Nobody should touch mouse or keyboard meanwhile. Keeps the result (floor.h)
 * for later benchmarks, and writes it to options->json if that is given. */
int um_calibrate_command_run(struct um_options *options);

/* `uimon compare BEFORE AFTER`, or one file of both sides: reads the results options->files[0] and
 * [1], compares them, prints the outcome and checks limits. Each side is a file, a folder of them
 * (every .json in it), or several of either with commas between. Returns UM_EXIT_LIMIT if a limit
 * was exceeded, and UM_EXIT_CANNOT_TELL if it takes more runs to know whether one was;
 * UM_EXIT_USAGE if a limit names something that does not exist; UM_EXIT_FAILED if a side cannot be
 * read, nothing can be compared, or a limit cannot be checked. */
int um_compare_command_run(struct um_options *options);

/* Whether `uimon compare` is given recordings: one of its files is one. */
bool um_stack_diff_command_wants(const struct um_options *options);

/* `uimon compare BEFORE AFTER` with two recordings: says which functions take more of the time in
 * freezes (stack_diff.h), as text, and as options->json and options->html. Returns UM_EXIT_USAGE if
 * a recording would be overwritten or options do not go with them; UM_EXIT_FAILED if one cannot be
 * read to its end, or has no stacks. */
int um_stack_diff_command_run(struct um_options *options);

/* `uimon doctor`: says whether each thing that uimon builds on holds on this machine, with a window
 * of uimon's own, or with --attach in one program. Prints a table, and writes it to options->json
 * if that is given. Returns UM_EXIT_FAILED if something does not work. */
int um_doctor_command_run(struct um_options *options);

/* `uimon export FILE`: writes the stacks in the recording options->files[0] in options->format, for
 * other tools, to options->output; of a damaged one as um_report_command_run does. Returns
 * UM_EXIT_USAGE if there is no such freeze, or the recording would be overwritten; UM_EXIT_FAILED
 * if it has no stacks, cannot be read, or the file cannot be written. */
int um_export_command_run(struct um_options *options);

/* `uimon flows FILE`: reads the markers of options->files[0] (marker_file.h) and prints its flows,
 * one of them, or some markers, also as options->json. Returns UM_EXIT_USAGE if there is no such
 * flow or marker, or the file would be overwritten; UM_EXIT_FAILED if it cannot be read to its end,
 * or something could not be written. */
int um_flows_command_run(struct um_options *options);

/* `uimon history add HISTORY RESULTS`: appends a line to the history options->files[0], which is
 * made if there is none, with the results options->files[1], options->label and options->machine.
 * Returns UM_EXIT_USAGE if the file is no history, or a name cannot be used; UM_EXIT_FAILED if the
 * results cannot be read or the line cannot be written. */
int um_history_command_add(struct um_options *options);

/* `uimon history show HISTORY`: reads the history options->files[0] and writes what changed in it:
 * as text, JSON, a web page, and a file for github-action-benchmark. Lines that cannot be read are
 * left out, and a line on stderr says so. Returns UM_EXIT_FAILED if there is no history, nothing in
 * it, or something could not be written. */
int um_history_command_show(struct um_options *options);

/* `uimon listen TARGET`: writes the counters and events of the monitor that watches the process
 * options->files[0], a name or pid, for as long as it does, or as options->wait and duration_s say.
 * Without a target those of every monitor, until the user asks to stop or for duration_s.
 * Returns UM_EXIT_USAGE if a counter or target cannot be meant; UM_EXIT_NO_TARGET if no monitor
 * watches it; UM_EXIT_DENIED if its monitor has more rights; UM_EXIT_FAILED if its feed broke off
 * or something could not be written. */
int um_listen_command_run(struct um_options *options);

/* `uimon query TARGET NAME`: prints the counter options->files[1] over one interval, as a number,
 * and leaves. NAME may end in .min, .max, .p50, .p99 or .count. Returns UM_EXIT_FAILED if it was
 * not measured; else as above. */
int um_query_command_run(struct um_options *options);

/* `uimon replay FILE`: plays the recording options->files[0] in the overlay, with keys to steer it
 * (player_keys.h), until the user quits, or with the end of the recording once a pipe as standard
 * input has ended. It begins when a consumer listens to the feed, or after a few seconds. */
int um_replay_command_run(struct um_options *options);

/* `uimon report FILE`: reads the recording options->files[0] and writes its summary: as text (that
 * of the live session, and what report_profile.h adds), JSON and a web page. A damaged recording is
 * summed up as far as it can be read; then a line on stderr says what is missing, and the exit code
 * is UM_EXIT_FAILED. Returns UM_EXIT_USAGE if
 * the recording would be overwritten, or --editor-link cannot be a link. */
int um_report_command_run(struct um_options *options);

#endif
