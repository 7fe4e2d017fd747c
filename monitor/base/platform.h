/* What the command line needs from the system: arguments, console, Ctrl+C, folders, and the claim
 * that keeps two monitors from one target. One backend a system. Not on the hot path.
 */
#ifndef UM_MONITOR_PLATFORM_H
#define UM_MONITOR_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/status.h"

#define UM_PLATFORM_PATH_BYTES 1024

struct um_platform_claim;

/* The command line in UTF-8, NULL after the last. Sets the console to UTF-8 until the process ends,
 * and begins to watch for Ctrl+C. Owner: the process. Errors: UM_ERR_MEMORY. */
enum um_status um_platform_start(int *argc, char ***argv);

/* Whether the user has asked to stop: Ctrl+C, Ctrl+Break, or the console was closed. Thread:
 * any. */
bool um_platform_interrupted(void);

/* From now on the same ends the process at once, with UM_EXIT_FAILED: for commands that do not ask
 * um_platform_interrupted. */
void um_platform_end_on_interrupt(void);

/* Waits until the user asks to stop, for `ms` at most. */
void um_platform_wait_interrupt(uint32_t ms);

/* A file beside the program, UTF-8. Errors: UM_ERR_TOO_LARGE; UM_ERR_IO. */
enum um_status um_platform_beside(const char *file, char *path, size_t cap_bytes);

/* A file in the folder that uimon keeps for itself (on Windows %LOCALAPPDATA%\uimon, where the
 * copies of the hook DLL are too), UTF-8; the folder is made if it is missing.
 * Errors: UM_ERR_NOT_FOUND the system names no folder; UM_ERR_TOO_LARGE. */
enum um_status um_platform_data_path(const char *file, char *path, size_t cap_bytes);

/* The files of a folder whose names end in `suffix` (".json"), sorted by name: `take` gets each
 * one's path. Errors: UM_ERR_NOT_FOUND there is no such folder; UM_ERR_MEMORY. */
enum um_status um_platform_list_files(const char *folder, const char *suffix,
                                      void (*take)(void *context, const char *path), void *context);

/* Whether two paths lead to one file, however they are spelled. False if one of them does not
 * exist. */
bool um_platform_same_file(const char *a, const char *b);

/* Where the configuration is looked for. Errors: UM_ERR_NOT_FOUND the system names no folder. */
enum um_status um_platform_config_path(char *path, size_t cap_bytes);

/* The width of the terminal that standard error, or output, is; 0 if it is none. */
size_t um_platform_stderr_columns(void);
size_t um_platform_stdout_columns(void);

/* Whether the program was started by a double click: its console will vanish with it. */
bool um_platform_owns_console(void);

/* Waits for a key. */
void um_platform_wait_key(void);

/* Begins to read standard input, on a thread of its own that ends with the process: a terminal's
 * keys as they are pressed (those that are no characters as the sequences that terminals send for
 * them), or a pipe's bytes. Errors: UM_ERR_MEMORY. */
enum um_status um_platform_keys_start(void);

/* Takes what has been read and returns how many bytes; with nothing to take it waits, for `ms` at
 * most or until the user asks to stop. `over`: all was taken, and nothing more will come. */
size_t um_platform_keys(char *keys, size_t cap_bytes, uint32_t ms, bool *over);

/* Whether standard input is a terminal. */
bool um_platform_stdin_is_terminal(void);

/* Ends the process at once: no stream is flushed or waited for; the console is as it was before. */
void um_platform_leave(int code);

struct um_platform_machine {
    char name[64];   /* of the computer */
    char system[64]; /* "Windows 10.0.19045", "Wine 8.0" */
    uint32_t cpus;
};

/* On what machine this runs; what is not known is empty, or 0. */
void um_platform_machine(struct um_platform_machine *machine);

/* CPU time that this process has used. */
uint64_t um_platform_cpu_ns(void);

/* Claims a process for this monitor until the claim is released or this process ends.
 * Owner: um_platform_release. Errors: UM_ERR_BUSY another monitor has it (`*owner_pid`, 0
 * where it runs elevated or as another user and cannot be asked); UM_ERR_MEMORY; UM_ERR_IO. */
enum um_status um_platform_claim(uint32_t target_pid, uint32_t *owner_pid,
                                 struct um_platform_claim **claim);
void um_platform_release(struct um_platform_claim *claim);

#endif
