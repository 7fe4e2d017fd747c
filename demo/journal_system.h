/* What the journal (journal.h) needs of the system: its file, and its thread's ticks. Private to
 * journal.c. Not on the hot path.
 */
#ifndef UM_DEMO_JOURNAL_SYSTEM_H
#define UM_DEMO_JOURNAL_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Makes the file, or empties an old one; all that is written goes to its end. Others may read it
 * meanwhile. Units: `path` is UTF-8. Owner: um_demo_journal_system_close. */
bool um_demo_journal_system_make(const char *path, intptr_t *file);
void um_demo_journal_system_write(intptr_t file, const char *text, size_t len_bytes);
void um_demo_journal_system_close(intptr_t file);

/* Called by the journal's thread at its begin and end: raises its priority, and makes short waits
 * exact. */
void um_demo_journal_system_begin(void);
void um_demo_journal_system_end(void);

/* Waits for UM_DEMO_LOG_TICK_NS. */
void um_demo_journal_system_tick(void);

#endif
