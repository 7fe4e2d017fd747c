/* The CSV log: one row for each beat, each freeze and each interaction, written while the session
 * runs.
 *
 * The header is frozen; columns are only ever appended:
 *
 *   Uimon               version of the program that wrote the row
 *   ProcessName         of the target
 *   ProcessID           of the target
 *   Kind                beat, freeze, input
 *   TimeInSeconds       since the session's start: when a beat was sent, a freeze began, or input
 *                       arrived (where MsInputDelay is NA: was dequeued)
 *   MsLatency           of a beat
 *   Sequence            of a beat
 *   State               of a freeze: frozen, starved
 *   MsDuration          of a freeze
 *   MsStartUncertainty  of a freeze: its start lies within ± half of this
 *   Message             of a freeze: the suspect
 *   WindowClass         of a freeze: the suspect's window
 *   InputKind           of input: key, click, wheel
 *   MsInputDelay        of input: from arrival to dequeued
 *   MsProcessing        of input: from dequeued to handled
 *   MsPresentation      of input: from handled to painted
 *   MsTotal             of input: from arrival to painted
 *   InFreeze            of input: 1 if it waited or was handled in a freeze, else 0
 *   VirtualKey          of input: which key, where that was kept
 *
 * A column that does not apply or was not measured has NA. Texts are quoted as in RFC 4180. A line
 * ends in "\n", which the stream may translate. The decimal point is a point in every locale. Rows
 * are flushed after a second of beats and after each freeze, so that a kill loses little.
 */
#ifndef UM_MONITOR_CSV_H
#define UM_MONITOR_CSV_H

#include <stdio.h>

#include "base/plain/status.h"
#include "ipc/wire.h"

struct um_csv;

/* Writes the header to a stream.
 * Owner: the stream stays the caller's and must live until um_csv_close.
 * Errors: UM_ERR_MEMORY; UM_ERR_IO. */
enum um_status um_csv_open(FILE *file, struct um_csv **out);

/* Takes one frame of the feed. SESSION has the target and the start, and comes before any other.
 * BEAT, INTERACTION and an EPISODE that ends frozen or starved (and is not void) become rows; all
 * others are ignored.
 * Errors: UM_ERR_IO a write has failed (the disk is full). All further rows are dropped. */
enum um_status um_csv_frame(struct um_csv *csv, const struct um_wire_frame *frame);

/* Flushes and releases; NULL is allowed. Errors: UM_ERR_IO a write has failed. */
enum um_status um_csv_close(struct um_csv *csv);

#endif
