/* A .NET runtime that exists in memory alone: a backend of monitor/dotnet/diagnostics.h that keeps
 * its contract. Its stream is tests/golden/counters.nettrace up to the last object, and then it
 * waits for a stop. One session at a time. All functions: Thread: any.
 */
#ifndef UM_TESTS_FAKE_DIAGNOSTICS_H
#define UM_TESTS_FAKE_DIAGNOSTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"

/* A runtime that answers at once, and nothing is left of an earlier one. */
void fake_diagnostics_start(void);

/* Its stream is tests/golden/activities.nettrace instead. */
void fake_diagnostics_send_events(void);

/* Opening fails. */
void fake_diagnostics_refuse(enum um_status status);

/* It does not answer: opening goes on until its host ends that. */
void fake_diagnostics_hang(void);

/* The pipe breaks when so much of the stream was read. */
void fake_diagnostics_break_after(size_t len_bytes);

/* It takes no notice of a stop: the rest of the stream never ends. */
void fake_diagnostics_ignore_stop(void);

/* How often it was asked for a session; for which providers, with a space after each; and in which
 * interval. */
unsigned fake_diagnostics_opened(void);
const char *fake_diagnostics_providers(void);
double fake_diagnostics_interval_s(void);

/* How often its stream was read, and whether nothing of it is left that was not taken. */
unsigned fake_diagnostics_reads(void);
bool fake_diagnostics_is_read(void);

/* How often it was asked to stop, and whether the session is closed. */
unsigned fake_diagnostics_stopped(void);
bool fake_diagnostics_closed(void);

#endif
