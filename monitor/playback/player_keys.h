/* The keys of a replay, from a terminal or a pipe: one grammar, so that a script can do what a
 * person can.
 *
 * Each character is a command of its own and acts at once:
 *
 *   space      pause, go on             . ,        one slice of 100 ms on, back (and pause)
 *   l h        5 s on, back             right left the same
 *   page down  60 s on                  page up    60 s back
 *   home end   to the start, the end    n p        to the next freeze, the one before
 *   + -        twice, half as fast      q          quit
 *
 * The keys that are no characters are the sequences that terminals send for them (ESC [ C and so
 * on). What begins with an `s` is a line and acts at its end; ESC takes it back:
 *
 *   seek SECONDS      speed FACTOR
 *
 * Blank lines are for the reader; a space in them pauses. Other characters do nothing. Pure.
 */
#ifndef UM_MONITOR_PLAYER_KEYS_H
#define UM_MONITOR_PLAYER_KEYS_H

#include <stdbool.h>
#include <stddef.h>

#include "monitor/playback/player.h"

#define UM_PLAYER_KEYS_LINE_BYTES 64

/* What has been read of a key or a line that is not whole. Zeroed, it is ready. */
struct um_player_keys {
    size_t len;
    char text[UM_PLAYER_KEYS_LINE_BYTES]; /* begins with ESC, or with the line's `s` */
};

/* Takes a character. Returns true when it completes a command, written to `command` then; a line
 * that is none is UM_PLAYER_UNKNOWN, and `keys->text` is that line until the next call. */
bool um_player_keys_push(struct um_player_keys *keys, char character,
                         struct um_player_command *command);

#endif
