/* The commands that are more than a few calls: each is one function that takes the options and
 * returns an exit code (exit_code.h). main.c calls them; each has a file of its own in the room of
 * its subject. None is on the hot path. Thread: main; all of them block.
 */
#ifndef UM_MONITOR_COMMANDS_H
#define UM_MONITOR_COMMANDS_H

#include "monitor/options/options.h"

/* `uimon bench SCENARIO`: reads the scenario options->files[0], runs it as often as asked, and
 * writes the results. Returns UM_EXIT_USAGE if the scenario is wrong; UM_EXIT_NO_TARGET and
 * UM_EXIT_DENIED as everywhere; UM_EXIT_FAILED if a run was aborted, and the results say so too. */
int um_bench_command_run(struct um_options *options);

/* `uimon calibrate`: measures uimon itself against a bundled window that answers at once, about
 * half a minute in which nobody should touch mouse or keyboard. Keeps the floor (floor.h) for the
 * results of later benchmarks, and writes it to options->json if that is given. */
int um_calibrate_command_run(struct um_options *options);

/* `uimon compare BEFORE AFTER`: reads the results options->files[0] and [1], compares them, prints
 * the outcome and checks limits. Each side is a file, a folder of them (every .json in it), or
 * several of either with commas between. Returns UM_EXIT_LIMIT if a limit was exceeded;
 * UM_EXIT_USAGE if a limit names what does not exist; UM_EXIT_FAILED if a side cannot be read,
 * nothing can be compared, or a limit cannot be checked. */
int um_compare_command_run(struct um_options *options);

/* `uimon replay FILE`: plays the recording options->files[0] in the overlay, driven by keys
 * (player_keys.h), until the user quits; where standard input is not a terminal and has ended, to
 * the recording's end. Begins when the overlay or another consumer listens to the feed, or after a
 * while without one. */
int um_replay_command_run(struct um_options *options);

/* `uimon report FILE`: reads the recording options->files[0] and writes what it adds up to as text
 * (the one that the live session printed), JSON and a page. Results that are not whole are written
 * all the same; then a line on stderr says what is missing and the exit code is UM_EXIT_FAILED,
 * because a script that compares results has to know. */
int um_report_command_run(struct um_options *options);

#endif
