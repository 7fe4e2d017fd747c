/* Where others find a running monitor's feed: a small file for each watched target, in a folder
 * that only the same user can read. On Windows that is %LOCALAPPDATA%\uimon\feeds. There every
 * ordinary program of the user could put something else in a file's place, so a monitor that runs as
 * administrator has its file in %ProgramData%\uimon\feeds, which only administrators can change.
 *
 * A file is one JSON object, at most UM_REGISTRY_MAX_BYTES, whose name ends in ".feed":
 *
 *   uimon_feed    1: the version of this format; readers skip others
 *   target_pid    the watched process
 *   target_name   its program's file name: "notepad.exe"
 *   pid           the monitor's process
 *   started       when that process was started: a decimal number in a string, in units of the
 *                 system's own. With the pid it tells the process from a later one of that pid
 *   pipe          name of the feed's pipe, for um_transport's connect (ipc/transport.h)
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
#include "ipc/transport.h"

#define UM_REGISTRY_MAX_BYTES 4096
#define UM_REGISTRY_NAME_BYTES 128

struct um_registry_entry {
    uint32_t target_pid;
    char target_name[UM_REGISTRY_NAME_BYTES]; /* UTF-8; another program chose it */
    uint32_t pid;
    uint64_t started;
    char pipe[UM_TRANSPORT_NAME_BYTES];
};

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

/* Reads the text of a file, which may be anything. `entry` is untouched on failure.
 * Errors: UM_ERR_FORMAT; UM_ERR_VERSION; UM_ERR_TOO_LARGE. */
enum um_status um_registry_parse(const char *text, size_t len_bytes,
                                 struct um_registry_entry *entry);

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
