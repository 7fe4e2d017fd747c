/* Turns the keys of a replay into commands. Keys from a terminal and bytes from a pipe are read
 * alike, so that a script can do what a person can.
 *
 * Each character is a command and acts at once:
 *
 *   space      pause, go on             . ,        one slice of 100 ms on, back (and pause)
 *   l h        5 s on, back             right left the same
 *   page down  60 s on                  page up    60 s back
 *   home end   to the start, the end    n p        to the next freeze, the one before
 *   + -        twice, half as fast      q          quit
 *
 * Keys that are not characters come as the sequences that terminals send for them (ESC [ C and so
 * on). An `s` begins a line, which acts at its end; ESC cancels it:
 *
 *   seek SECONDS      speed FACTOR
 *
 * Empty lines are ignored, but a space pauses there too. Other characters do nothing. Pure.
 */
#ifndef UM_MONITOR_PLAYER_KEYS_H
#define UM_MONITOR_PLAYER_KEYS_H

#include <stdbool.h>
#include <stddef.h>

#include "monitor/replay/player.h"

#define UM_PLAYER_KEYS_LINE_BYTES 64

/* The part of a sequence or line that has been read so far. Zeroed, it is ready. */
struct um_player_keys {
    size_t len;
    char text[UM_PLAYER_KEYS_LINE_BYTES]; /* begins with ESC, or with the line's `s` */
};

/* Takes a character. Returns true if it completes a command, which is written to `command`. A line
 * that is no command gives UM_PLAYER_UNKNOWN; `keys->text` has that line until the next call. */
bool um_player_keys_push(struct um_player_keys *keys, char character,
                         struct um_player_command *command);

#endif
