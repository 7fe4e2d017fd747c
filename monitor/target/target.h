/* The programs that can be watched, and the one that is: what the system knows of them, how they
 * are started, and where their frames come from.
 *
 * One backend a system (target_win32.c, target_x11.c), which um_target points to. Apart from
 * thread_answers, which has a timeout, nothing here sends a message to another program, so a frozen
 * one cannot hold the monitor up. Not on the hot path.
 */
#ifndef UM_MONITOR_TARGET_H
#define UM_MONITOR_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "ipc/wire.h"
#include "monitor/target/target_spec.h"

struct um_target_process;
struct um_frame_source_backend;
struct um_control_backend;
struct um_suspended_source;

/* What the system knows of a window, without a message to it. */
struct um_target_about {
    uint64_t parent; /* 0: it is a window of the desktop, also one that another window owns */
    bool has_children;
    bool is_message_only;  /* made within HWND_MESSAGE: it is never on a screen */
    uint64_t class_module; /* address in its process of the module that registered its class; 0: not
                            * known */
    uint32_t id;           /* of a window with a parent: its number there */
    char window_class[UM_WIRE_TRACE_CLASS_BYTES];
    /* The system's class that its class was made of; else as window_class. Wine knows none. */
    char base_class[UM_WIRE_TRACE_CLASS_BYTES];
    char text[UM_WIRE_TRACE_CLASS_BYTES]; /* longer ones are cut */
};

/* Where a window is, in px of the screen, from the upper left corner of the client area of the root
 * that it lies in. */
struct um_target_area {
    int32_t left, top, right, bottom;
    float units; /* of 1/96 inch, in a px */
    bool shown;  /* neither it nor what it lies in is hidden or minimized */
};

#define UM_TARGET_HIDER_BYTES 256

/* A variable for a program that is started. */
struct um_target_variable {
    const char *name; /* ASCII; NULL: the end of a list */
    const char *value;
    bool joins; /* if it has a value already, this one follows it behind a semicolon */
};

struct um_target_backend {
    /* Why no program can be watched here, as the line to print, and then nothing else may be asked;
     * NULL: they can. Owner: static text. Thread: blocks. */
    const char *(*why_none)(void);

    /* Why benchmarks and doctor do not work on this system, as the line to print; NULL: they do. */
    const char *why_watch_only;

    const struct um_frame_source_backend *frames; /* frame_source.h */
    const struct um_control_backend *control;     /* control.h */

    /* Lists the other processes that `spec` fits, with and without a main window (hwnd 0); NULL
     * fits all. No process that does not fit is opened, so this may be called often.
     * Owner: free(*list). Errors: UM_ERR_MEMORY; UM_ERR_IO. */
    enum um_status (*find)(const struct um_target_spec *spec, struct um_target_info **list,
                           size_t *count);

    /* The present main window of one process; with a `thread_id` other than 0, only that thread's.
     * Costs little while there is none, so it may be called often. Errors: UM_ERR_NOT_FOUND it has
     * none (info->hwnd is 0, and the name is filled in if the process runs). */
    enum um_status (*look)(uint32_t pid, uint32_t thread_id, struct um_target_info *info);

    /* Why stacks cannot be read on this system (um_machine_why_no_stacks); "": they can. Owner:
     * static text. Thread: any. */
    const char *(*why_no_stacks)(void);

    /* Why a process cannot be claimed, as um_target_spec_claimed says; 0: the owner is not
     * known. */
    void (*claimed)(uint32_t owner_pid, char *why, size_t why_cap);

    /* Whether the window still exists and belongs to the thread. */
    bool (*window_alive)(uint64_t hwnd, uint32_t tid);

    /* False if the program itself has hidden the window. */
    bool (*window_shown)(uint64_t hwnd);

    /* The window's class, UTF-8; false if the window is gone. Units: `buf` of `cap_bytes`. */
    bool (*window_class)(uint64_t hwnd, char *buf, size_t cap_bytes);

    /* False if the window is gone. */
    bool (*window_about)(uint64_t hwnd, struct um_target_about *about);

    /* Where a window is within `root`, or the client area of `root` itself. False if one of them is
     * gone, or the window does not lie in the other. Sends no message. */
    bool (*window_area)(uint64_t hwnd, uint64_t root, struct um_target_area *area);

    /* Whether a process has loaded a module with one of these file names, of which NULL is the
     * last. False if it is not known. Waits for no thread of that process. */
    bool (*has_module)(uint32_t pid, const char *const names[]);

    /* The whole path of a process's program. False if it is not known. Units: `path` of
     * `cap_bytes`, UM_PLATFORM_PATH_BYTES are enough. */
    bool (*program_path)(uint32_t pid, char *path, size_t cap_bytes);

    /* Lists a thread's windows and all that lie in them, but for message-only ones; those around
     * others come first. There are at most `most`. Owner: free(*list). Errors: UM_ERR_MEMORY. */
    enum um_status (*thread_windows)(uint32_t tid, size_t most, uint64_t **list, size_t *count);

    /* Whether the module at an address of a process is one of the system's, and not the program
     * itself. False if it is not known. */
    bool (*is_system_module)(uint32_t pid, uint64_t address);

    /* The name under which a message was registered (RegisterWindowMessage), UTF-8; false if the
     * system knows none. Another program chose the name: it may contain control characters.
     * Units: `buf` of `cap_bytes`; a longer name is cut. Thread: any. */
    bool (*message_name)(uint32_t message, char *buf, size_t cap_bytes);

    /* Whether the window's thread answers a sent message within `timeout_ms`. It does so whenever
     * it retrieves messages at all. Thread: blocks for `timeout_ms` at most. */
    bool (*thread_answers)(uint64_t hwnd, uint32_t timeout_ms);

    /* Whether the window in front belongs to a process of a higher integrity level than this
     * process. The system then drops what this process sends with SendInput, without an error
     * (User Interface Privilege Isolation). False if it is not known. Thread: any. */
    bool (*is_shielded)(uint32_t pid);

    /* Follows a process until its end. Owner: close.
     * Errors: UM_ERR_NOT_FOUND; UM_ERR_DENIED; UM_ERR_MEMORY. */
    enum um_status (*open)(uint32_t pid, struct um_target_process **process);

    /* Finds the whole path of a program by its name. A name with a folder in it is relative to the
     * present folder. Any other is looked for beside uimon.exe, in the system's folders and in
     * PATH. It is not looked for in the present folder, where a stranger may have put such a file.
     * ".exe" may be left out. Errors: UM_ERR_NOT_FOUND; UM_ERR_FORMAT what is there is a folder, or
     * on POSIX a file that nobody may run; UM_ERR_TOO_LARGE; UM_ERR_MEMORY. */
    enum um_status (*find_program)(const char *name, char *path, size_t cap_bytes);

    /* Starts a program, as find_program finds it, and follows it. The program, and those that it
     * starts, ignore Ctrl+C in a console that they share with this process. They end when the
     * console is closed. Owner: close. `argv[argc]` is NULL. Errors: UM_ERR_NOT_FOUND no such
     * program; UM_ERR_FORMAT the file is no program of this system; UM_ERR_DENIED it needs
     * elevation, or may not be run; UM_ERR_IO; UM_ERR_MEMORY; UM_ERR_TOO_LARGE the command line is
     * too long. `variables`, a list or NULL, are in the program's environment, and not in that of
     * this process. */
    enum um_status (*launch)(char *const *argv, int argc,
                             const struct um_target_variable *variables,
                             struct um_target_process **process);

    /* Lists the ids of the programs that a launched one has started, directly or through others,
     * and that still run. It goes on after the launched one's end. Owner: free(*pids).
     * Errors: UM_ERR_UNSUPPORTED the system does not tell them; UM_ERR_MEMORY; UM_ERR_IO. */
    enum um_status (*started)(const struct um_target_process *launched, uint32_t **pids,
                              size_t *count);

    /* As launch, for a tool that is only waited for: Ctrl+C in the console reaches it, too. */
    enum um_status (*run)(char *const *argv, int argc, struct um_target_process **process);

    /* Starts a helper: one of uimon's own other programs. It gets a small environment, because
     * environment variables can make it load foreign libraries. It has the rights of an ordinary
     * program of this user: if this process is elevated, the helper is not. `argv[0]` is the
     * program's whole path and `argv[argc]` is NULL. The helper inherits `handle`, under the same
     * number, and nothing else. Owner: close; the handle stays the caller's. Errors:
     * UM_ERR_NOT_FOUND; UM_ERR_DENIED it may not be run, or not with fewer rights; UM_ERR_IO;
     * UM_ERR_MEMORY; UM_ERR_TOO_LARGE the command line is too long. */
    enum um_status (*start_helper)(char *const *argv, int argc, intptr_t handle,
                                   struct um_target_process **process);

    /* Which window hides that of a helper, as the helper says; 0: none does. NULL: helpers of this
     * system do not say it. */
    uint64_t (*hider)(const struct um_target_process *helper);

    /* Whose window that is: "title" (PROGRAM, pid N); "" if it is gone. Sends no message. NULL
     * where `hider` is. Units: `text` has UM_TARGET_HIDER_BYTES. */
    void (*describe_window)(uint64_t hwnd, char *text, size_t cap_bytes);

    /* Starts a helper with this process's own rights, which inherits nothing. Unless it `hurries`,
     * its priority is below normal. Owner and errors: as start_helper. */
    enum um_status (*start_aside)(char *const *argv, int argc, bool hurries,
                                  struct um_target_process **process);

    /* Whether 32-bit programs can be watched here: loads the DLL for them, and sets no hook.
     * Thread: waits for another program, some seconds at most. Errors: as
     * um_frame_source_backend.open. */
    enum um_status (*try32)(char *error, size_t error_cap);

    /* The source for a process of suspended_threads.h. Owner: um_suspended_threads_close.
     * Errors: UM_ERR_MEMORY; UM_ERR_UNSUPPORTED nothing suspends threads on this system. */
    enum um_status (*suspended_threads)(uint32_t pid, struct um_suspended_source *source);

    uint32_t (*pid)(const struct um_target_process *process);

    /* Whether it, and the programs that it starts, ignore Ctrl+C, because it was launched and
     * shares this process's console. */
    bool (*ignores_ctrl_c)(const struct um_target_process *process);

    bool (*running)(const struct um_target_process *process);

    /* Whether it has started up, and has waited for input once (WaitForInputIdle). Also false for a
     * program without a message loop. */
    bool (*ready)(const struct um_target_process *process);

    /* The exit code of a process that has ended. Errors: UM_ERR_BUSY it still runs; UM_ERR_IO. */
    enum um_status (*exit_code)(const struct um_target_process *process, uint32_t *code);

    /* CPU time that the process has used. Errors: UM_ERR_IO. */
    enum um_status (*cpu_ns)(const struct um_target_process *process, uint64_t *ns);

    /* Ends the process (for those that this program started). Thread: waits up to a second. */
    void (*kill)(struct um_target_process *process);

    /* Stops following; the process goes on. Accepts NULL. */
    void (*close)(struct um_target_process *process);
};

extern const struct um_target_backend *um_target; /* the system's, or a test's own */

#endif
