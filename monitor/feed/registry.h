/* Where others find a running monitor's feed: a small file for each watched target, in a folder
 * that only the same user can read. On Windows that is %LOCALAPPDATA%\uimon\feeds. There every
 * ordinary program of the user could put something else in a file's place, so a monitor that runs
 * as administrator has its file in %ProgramData%\uimon\feeds, which only administrators can change.
 * monitor/feed/registry_entry.h says what is in a file, whose name ends in ".feed".
 *
 * The monitor removes its file at its end. One that was killed leaves the file behind; whoever
 * reads the folder removes files of processes that no longer run, if it may, and so does the next
 * monitor. Not on the hot path; a reader starts at um_registry_list_all.
 */
#ifndef UM_MONITOR_REGISTRY_H
#define UM_MONITOR_REGISTRY_H

#include <stddef.h>
#include <stdint.h>

#include "ipc/status.h"
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

/* Lists the feeds of monitors that run, by file name, and removes the files of those that do not.
 * Files that cannot be read are skipped. Where there are more than `cap`, the rest is left out.
 * Errors: UM_ERR_NOT_FOUND there is no such folder; UM_ERR_MEMORY. */
enum um_status um_registry_list(const char *folder, struct um_registry_entry *entries, size_t cap,
                                size_t *count);

/* Lists those of both folders: of monitors that run as administrator, and of the others.
 * Errors: UM_ERR_DENIED, UM_ERR_TOO_LARGE, UM_ERR_IO the user's own folder cannot be used;
 * UM_ERR_MEMORY. */
enum um_status um_registry_list_all(struct um_registry_entry *entries, size_t cap, size_t *count);

#endif
