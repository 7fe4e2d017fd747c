/* Where other programs find a running monitor's feed: a small file for each watched target, in a
 * folder that only the same user can read. On Windows that is %LOCALAPPDATA%\uimon\feeds. Every
 * ordinary program of the user can change files there. So a monitor that runs as administrator has
 * its file in %ProgramData%\uimon\feeds, which only administrators can change. A file's name ends
 * in ".feed"; monitor/feed/registry_entry.h has its format.
 *
 * A monitor removes its file at its end; a monitor that is killed does not. The next monitor, and
 * whoever lists the folder, removes files of processes that no longer run, if it may. Not on the
 * hot path; a reader starts at um_registry_list_all.
 */
#ifndef UM_MONITOR_REGISTRY_H
#define UM_MONITOR_REGISTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "monitor/feed/registry_entry.h"

struct um_registry; /* a file that is published */

/* The folder for this process's file, which is made if it is missing. Units: `path` of `cap_bytes`.
 * Errors: UM_ERR_NOT_FOUND the system names none; UM_ERR_TOO_LARGE; UM_ERR_DENIED it is another
 * user's or leads somewhere else, or (of an administrator) others can change it; UM_ERR_MEMORY;
 * UM_ERR_IO. */
enum um_status um_registry_folder(char *path, size_t cap_bytes);

/* Publishes this process's feed of a target in `folder`.
 * Owner: um_registry_withdraw. Thread: any; blocks on the disk.
 * Errors: UM_ERR_MEMORY; UM_ERR_TOO_LARGE; UM_ERR_IO it cannot be written, or not be kept from
 * others. */
enum um_status um_registry_publish(const char *folder, uint32_t target_pid, const char *target_name,
                                   const char *pipe, struct um_registry **registry);

/* Removes the file and releases it. Accepts NULL. */
void um_registry_withdraw(struct um_registry *registry);

/* Lists the feeds of running monitors, sorted by file name, without more than `cap`. Files that
 * cannot be read are skipped. `removes`: removes files whose monitor no longer runs.
 * Errors: UM_ERR_NOT_FOUND there is no such folder; UM_ERR_MEMORY. */
enum um_status um_registry_list(const char *folder, bool removes, struct um_registry_entry *entries,
                                size_t cap, size_t *count);

/* Lists the feeds in both folders, and removes files as um_registry_list does where it may.
 * Errors: UM_ERR_DENIED, UM_ERR_TOO_LARGE, UM_ERR_IO the user's own folder cannot be used;
 * UM_ERR_MEMORY. */
enum um_status um_registry_list_all(struct um_registry_entry *entries, size_t cap, size_t *count);

#endif
