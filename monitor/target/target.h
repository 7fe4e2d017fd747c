/* The programs that could be watched, and the one that is: what the system knows of them.
 *
 * One backend a system (target_win32.c); a later X11 backend fills the same structs. Nothing here
 * sends a message to another program, so a frozen one cannot hold the monitor up.
 * Not on the hot path.
 */
#ifndef UM_MONITOR_TARGET_H
#define UM_MONITOR_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/status.h"
#include "monitor/target/target_spec.h"

struct um_target_process;

/* Every other process of this session: those with a main window, and those without (hwnd 0).
 * Owner: free(*list). Errors: UM_ERR_MEMORY; UM_ERR_IO. */
enum um_status um_target_list(struct um_target_info **list, size_t *count);

/* The same, but only those that `spec` fits: no other process is opened, so it may be asked
 * often. */
enum um_status um_target_find(const struct um_target_spec *spec, struct um_target_info **list,
                              size_t *count);

/* The main window of one process as it is now; `thread_id` other than 0 wants that thread's. While
 * there is none it costs little, so it may be asked often.
 * Errors: UM_ERR_NOT_FOUND it has none (info->hwnd is 0 and the name is filled in if it runs). */
enum um_status um_target_look(uint32_t pid, uint32_t thread_id, struct um_target_info *info);

/* Why this system gives no stacks of its programs, as um_machine_why_no_stacks says; "": it does.
 * Owner: static text. Thread: any. */
const char *um_target_why_no_stacks(void);

/* Why a process cannot be claimed, as um_target_spec_claimed says; 0: the owner is not known. */
void um_target_claimed(uint32_t owner_pid, char *why, size_t why_cap);

/* Whether the window still exists and belongs to the thread. */
bool um_target_window_alive(uint64_t hwnd, uint32_t tid);

/* Whether the program itself shows the window: not, if it has hidden it. */
bool um_target_window_shown(uint64_t hwnd);

/* The window's class, UTF-8; false if the window is gone. Units: `buf` of `cap_bytes`. */
bool um_target_window_class(uint64_t hwnd, char *buf, size_t cap_bytes);

/* The name under which a message was registered (RegisterWindowMessage), UTF-8; false if the system
 * tells none. The name is another program's text: control characters may be in it.
 * Units: `buf` of `cap_bytes`; a longer name is cut. Thread: any. */
bool um_target_message_name(uint32_t message, char *buf, size_t cap_bytes);

/* Whether the window's thread answers a sent message within `timeout_ms`: it does so whenever it
 * retrieves messages at all. Thread: blocks so long at most. */
bool um_target_thread_answers(uint64_t hwnd, uint32_t timeout_ms);

/* Whether the window in front belongs to a process of a higher integrity level than this process.
 * The system then drops what this process sends with SendInput, and neither the return value nor
 * the error tells (User Interface Privilege Isolation). False if it is not known. Thread: any. */
bool um_target_is_shielded(uint32_t pid);

/* Follows a process until its end. Owner: um_target_close.
 * Errors: UM_ERR_NOT_FOUND; UM_ERR_DENIED; UM_ERR_MEMORY. */
enum um_status um_target_open(uint32_t pid, struct um_target_process **process);

/* The whole path of the program that a name means. A name with a folder in it is meant from the
 * present folder. Any other is looked for beside uimon.exe, in the system's folders and in PATH,
 * and not in the present folder, where a stranger may have put a file of that name. ".exe" may be
 * left out. Errors: UM_ERR_NOT_FOUND; UM_ERR_TOO_LARGE; UM_ERR_MEMORY. */
enum um_status um_target_find_program(const char *name, char *path, size_t cap_bytes);

/* Starts a program, as um_target_find_program finds it, and follows it. It goes on at a Ctrl+C in
 * the console that it may share with this process, and so do the programs that it starts; it ends
 * when the console is closed. Owner: um_target_close. `argv[argc]` is NULL.
 * Errors: UM_ERR_NOT_FOUND no such program; UM_ERR_DENIED it needs elevation, or may not be run;
 * UM_ERR_IO; UM_ERR_MEMORY; UM_ERR_TOO_LARGE the command line is too long. */
enum um_status um_target_launch(char *const *argv, int argc, struct um_target_process **process);

/* The same for a tool that is only waited for: a Ctrl+C in the console is for it, too. */
enum um_status um_target_run(char *const *argv, int argc, struct um_target_process **process);

uint32_t um_target_pid(const struct um_target_process *process);
bool um_target_running(const struct um_target_process *process);

/* Whether it has waited for input for once: the system's word for being started up
 * (WaitForInputIdle). False too for a program without a message loop. */
bool um_target_ready(const struct um_target_process *process);

/* The exit code of a process that has ended. Errors: UM_ERR_BUSY it still runs; UM_ERR_IO. */
enum um_status um_target_exit_code(const struct um_target_process *process, uint32_t *code);

/* CPU time that the process has used. Errors: UM_ERR_IO. */
enum um_status um_target_cpu_ns(const struct um_target_process *process, uint64_t *ns);

/* Ends the process (for those that this program started). Thread: waits up to a second. */
void um_target_kill(struct um_target_process *process);

/* Stops following; the process goes on. Accepts NULL. */
void um_target_close(struct um_target_process *process);

#endif
