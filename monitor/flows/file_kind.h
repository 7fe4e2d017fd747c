/* What a file is that `uimon flows` does not read, so that a refusal can say it. Pure. Not on the
 * hot path.
 */
#ifndef UM_MONITOR_FILE_KIND_H
#define UM_MONITOR_FILE_KIND_H

#include <stddef.h>

/* By the first bytes of a file, unpacked: what it is, and what helps, as "is a trace of Perfetto"
 * to put behind its name. NULL if that is not known, as of recordings, profiles and traces. */
const char *um_file_kind_find(const char *head, size_t len_bytes);

#endif
