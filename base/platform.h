/* What the command line needs from the system: arguments, console, Ctrl+C, folders, and the claim
 * that keeps a second monitor from the same target. One backend for each system. Not on the hot
 * path.
 */
#ifndef UM_BASE_PLATFORM_H
#define UM_BASE_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/plain/status.h"

#define UM_PLATFORM_PATH_BYTES 1024

struct um_platform_held;

/* The command line in UTF-8, NULL after the last. Sets the console to UTF-8 until the process ends,
 * and begins to watch for Ctrl+C. Owner: the process. Errors: UM_ERR_MEMORY. */
enum um_status um_platform_start(int *argc, char ***argv);

/* Whether the process was started without this stream, which is stdout or stderr; false for any
 * other. A service has neither. Nothing that is printed then goes anywhere, and no file is taken
 * for it. */
bool um_platform_is_missing(FILE *stream);

/* Whether standard output is a pipe whose reader has left. To be asked after a write to it has
 * failed: on Windows this writes to it once more. */
bool um_platform_stdout_left(void);

/* Whether the user has asked to stop: Ctrl+C, Ctrl+Break, or the console was closed; also the end
 * of the user's session, if that is watched. Thread: any. */
bool um_platform_interrupted(void);

/* From now on signing out and shutting down count as a request to stop. The process then has 4 s to
 * write its files, and calls um_platform_unwatch_session_end when it is done. */
void um_platform_watch_session_end(void);

/* Ends the watching, if there is any. Thread: main; waits for a thread to end. */
void um_platform_unwatch_session_end(void);

/* From now on a request to stop ends the process at once, with UM_EXIT_FAILED. For commands that do
 * not ask um_platform_interrupted. */
void um_platform_end_on_interrupt(void);

/* Waits until the user asks to stop, for `ms` at most. */
void um_platform_wait_interrupt(uint32_t ms);

/* The path of a file in the program's own folder, in UTF-8. That is the folder of the real file,
 * also if the program was started by a symbolic link. Errors: UM_ERR_TOO_LARGE; UM_ERR_IO. */
enum um_status um_platform_beside(const char *file, char *path, size_t cap_bytes);

/* The same for another of uimon's programs: "uimon-demo", which is uimon-demo.exe on Windows. */
enum um_status um_platform_program(const char *name, char *path, size_t cap_bytes);

/* The path of a file in uimon's data folder, in UTF-8. On Windows that is %LOCALAPPDATA%\uimon,
 * where the copies of the hook DLL are too. The folder is made if it is missing.
 * Errors: UM_ERR_NOT_FOUND the system names no folder; UM_ERR_TOO_LARGE. */
enum um_status um_platform_data_path(const char *file, char *path, size_t cap_bytes);

/* The path of a folder of that name in uimon's data folder; on POSIX, in $XDG_RUNTIME_DIR/uimon, or
 * if that is not set, in /tmp/uimon-UID. It is made if it is missing, and
 * nobody but the same user can read what is in it. If um_platform_is_guarded is true, it is not
 * made, and only to be read. Errors: UM_ERR_NOT_FOUND the system names no such place, or it was not
 * made; UM_ERR_TOO_LARGE; UM_ERR_DENIED it is another user's, is open to others, or is a link;
 * UM_ERR_IO. */
enum um_status um_platform_private_folder(const char *name, char *path, size_t cap_bytes);

/* Makes a folder that nobody but the same user can open, nor what is made in it later; if
 * um_platform_is_guarded is true, nobody but administrators.
 * Errors: UM_ERR_BUSY there is something of that name; UM_ERR_NOT_FOUND the folder for it does not
 * exist; UM_ERR_DENIED; UM_ERR_MEMORY; UM_ERR_IO. */
enum um_status um_platform_make_folder(const char *path);

/* Whether what this process leaves for others must be kept from the user's ordinary programs: on
 * Windows, if it runs as administrator. */
bool um_platform_is_guarded(void);

/* The path of a folder of that name that only administrators can change and users can read: on
 * Windows, in %ProgramData%\uimon. With `make` it is made if it is missing.
 * Errors: UM_ERR_NOT_FOUND there is none; UM_ERR_DENIED others can change it; UM_ERR_MEMORY;
 * UM_ERR_IO. */
enum um_status um_platform_guarded_folder(const char *name, bool make, char *path,
                                          size_t cap_bytes);

/* Writes a file that did not exist. Nobody but the same user can read it; if um_platform_is_guarded
 * is true, only administrators can change it. Errors: UM_ERR_IO, and part of it may be there. */
enum um_status um_platform_write_private(const char *path, const char *text);

/* When a process was started, in the system's own units. With the pid it identifies a process,
 * because pids are reused. Thread: any.
 * Errors: UM_ERR_NOT_FOUND no such process runs; UM_ERR_DENIED it runs and cannot be asked. */
enum um_status um_platform_process_started(uint32_t pid, uint64_t *started);

/* Opens a file for writing and empties it, as fopen's "wb", but not while another process has it
 * open by this function: two sessions would spoil each other's file. It can be read meanwhile. A
 * device or a pipe can be open in several processes.
 * Owner: fclose. NULL on failure, with errno, and the file is untouched. */
FILE *um_platform_open_alone(const char *path);

/* How long a file is. False if there is none, or it is no regular file. */
bool um_platform_file_bytes(const char *path, uint64_t *bytes);

/* Goes to a place in a file, counted from its begin, also beyond 2 GiB. False on failure. */
bool um_platform_seek(FILE *file, uint64_t at_bytes);

/* Whether a process has the file open by um_platform_open_alone. False also if nobody can tell. */
bool um_platform_is_written(const char *path);

/* Makes an empty file and holds it, which only one process can do at a time. um_platform_let_go
 * removes the file. If the process is killed, its hold ends: on Windows the file is removed too, on
 * other systems it stays, and the next process can hold it. Owner: um_platform_let_go.
 * Errors: UM_ERR_BUSY another process holds it; UM_ERR_MEMORY; UM_ERR_IO it cannot be made. */
enum um_status um_platform_hold(const char *path, struct um_platform_held **held);

/* Ends a hold or a claim. Accepts NULL. */
void um_platform_let_go(struct um_platform_held *held);

/* Keeps a folder where it is: on Windows nobody can rename or remove it as long as it is held. If
 * um_platform_is_guarded is true, only a folder that administrators alone can change is held.
 * Owner: um_platform_let_go. Errors: UM_ERR_NOT_FOUND there is none; UM_ERR_DENIED it is a link or
 * no folder, or others can change it; UM_ERR_MEMORY. */
enum um_status um_platform_hold_folder(const char *path, struct um_platform_held **held);

/* The path of a folder that is held, without links.
 * Errors: UM_ERR_TOO_LARGE; UM_ERR_IO the system does not know it. */
enum um_status um_platform_held_path(const struct um_platform_held *held, char *path,
                                     size_t cap_bytes);

/* Lets a process hold the folder too, until it ends. Errors: UM_ERR_DENIED; UM_ERR_NOT_FOUND there
 * is no such process. */
enum um_status um_platform_hand_on(const struct um_platform_held *held, uint32_t pid);

/* Calls `take` with the path of each file in a folder whose name ends in `suffix` (".json"), sorted
 * by name. Errors: UM_ERR_NOT_FOUND there is no such folder; UM_ERR_MEMORY. */
enum um_status um_platform_list_files(const char *folder, const char *suffix,
                                      void (*take)(void *context, const char *path), void *context);

/* Writes the bytes of this stream as they are from now on; Windows otherwise puts a carriage return
 * in front of each newline. */
void um_platform_write_bytes(FILE *file);

/* Whether two paths lead to the same file, however they are spelled. False if one of them does not
 * exist. */
bool um_platform_same_file(const char *a, const char *b);

/* Whether a path leads to a regular file: to no folder, device or pipe. */
bool um_platform_is_regular(const char *path);

/* Gives a file another name in the same folder, and replaces the file that has it. Whoever opens
 * that name meets the old file or the new one, never none. Errors: UM_ERR_IO, and nothing is
 * changed: on Windows also while another process has the old one open. */
enum um_status um_platform_replace(const char *from, const char *to);

/* Appends text to a file, which is made if there is none, and waits until the disk has it. The text
 * begins with a newline, which is left out where the file is empty or ends with one: so it never
 * continues a line that a power cut has left half. Whoever else appends at the same time, in this
 * process or another one, waits meanwhile. On failure the file is cut back to what it was.
 * Thread: any; blocks on the disk, and for `wait_ms` at most on others who append.
 * Errors: UM_ERR_NOT_FOUND there is no such folder; UM_ERR_DENIED; UM_ERR_BUSY somebody else had
 * the file locked all the time; UM_ERR_IO. */
enum um_status um_platform_append(const char *path, const char *text, size_t len_bytes,
                                  uint32_t wait_ms);

/* A variable of this process's environment, in UTF-8. `name` is of ASCII. False, and `value` is "",
 * if it is not set, or too long. */
bool um_platform_variable(const char *name, char *value, size_t cap_bytes);

/* The path of the configuration file, whether it exists or not. Errors: UM_ERR_NOT_FOUND the system
 * names no folder. */
enum um_status um_platform_config_path(char *path, size_t cap_bytes);

/* How wide the terminal is that standard error, or standard output, goes to; 0 if it is none. */
size_t um_platform_stderr_columns(void);
size_t um_platform_stdout_columns(void);

/* How many lines that terminal shows at once; 0 if it is none. */
size_t um_platform_stdout_rows(void);

/* Whether standard output is a terminal that takes control sequences (ECMA-48). Windows' console is
 * made to, if it can. */
bool um_platform_stdout_takes_sequences(void);

/* Whether the console belongs to this program alone, as after a double click: it will close with
 * it. */
bool um_platform_owns_console(void);

/* Waits for a key. */
void um_platform_wait_key(void);

/* Begins to read standard input, on a thread that ends with the process: the bytes of a pipe, or
 * the keys of a terminal as they are pressed. Keys that are not characters become the sequences
 * that terminals send for them. Errors: UM_ERR_MEMORY. */
enum um_status um_platform_keys_start(void);

/* Takes what has been read and returns how many bytes. If there is nothing yet, it waits until
 * there is, for `ms` at most, or until the user asks to stop. `over`: standard input has ended and
 * all of it was taken. */
size_t um_platform_keys(char *keys, size_t cap_bytes, uint32_t ms, bool *over);

/* Whether standard input is a terminal. */
bool um_platform_stdin_is_terminal(void);

/* Ends the process at once, without flushing or waiting for any stream. The console is restored. */
void um_platform_leave(int code);

struct um_platform_machine {
    char name[64];   /* of the computer */
    char system[64]; /* "Windows 10.0.19045", "Wine 8.0" */
    uint32_t cpus;
};

/* The machine that this runs on. What is not known is empty, or 0. */
void um_platform_machine(struct um_platform_machine *machine);

/* The CPU time that this process has used so far. */
uint64_t um_platform_cpu_ns(void);

/* Claims a process for this monitor until the claim is let go or this process ends.
 * Owner: um_platform_let_go. Errors: UM_ERR_BUSY another monitor has it: `*owner_pid`, or 0 if
 * that one is elevated or another user's, and its id is not known; UM_ERR_MEMORY; UM_ERR_IO. */
enum um_status um_platform_claim(uint32_t target_pid, uint32_t *owner_pid,
                                 struct um_platform_held **claim);

#endif
