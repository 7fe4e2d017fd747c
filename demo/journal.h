/* Writes the demo's log (demo/log.h) into a file, a whole line at a time. A thread of its own does
 * so, which also watches the machine for stalls. Not on the hot path, and called within the timed
 * part of a freeze only by um_demo_journal_away.
 */
#ifndef UM_DEMO_JOURNAL_H
#define UM_DEMO_JOURNAL_H

#include <stdint.h>

#include "demo/log.h"
#include "base/plain/status.h"

struct um_demo_journal;

/* Makes the file, or empties an old one, and starts watching: logs delays above `stall_ms`.
 * Units: `path` is UTF-8. Owner: um_demo_journal_close.
 * Errors: UM_ERR_IO it cannot be written; UM_ERR_ARG; UM_ERR_MEMORY. */
enum um_status um_demo_journal_open(const char *path, uint32_t stall_ms,
                                    struct um_demo_journal **journal);

/* Keeps a line, which the watching thread writes within a few ms. Writing it here would delay the
 * calling thread, whose times are logged as the truth. Two threads that append to one file can also
 * overwrite each other's lines; under Wine they do. Does nothing with a NULL journal.
 * Thread: any; no system call, and waits only if a thousand lines are waiting already. */
void um_demo_journal_write(struct um_demo_journal *journal, const struct um_demo_log_event *event);

/* Keeps the line that a block of the UI thread, which is `tid`, has begun. Thread: as above. */
void um_demo_journal_away(struct um_demo_journal *journal, uint32_t tid);

/* Writes what is waiting, the last gap and the end, and closes the file. Accepts NULL. Thread: the
 * last user. */
void um_demo_journal_close(struct um_demo_journal *journal);

#endif
