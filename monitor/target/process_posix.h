/* Processes of Linux: following, starting and ending them, and what /proc says of them. The parts
 * of um_target_backend that are about processes alone; target.h describes them. Not on the hot
 * path.
 */
#ifndef UM_MONITOR_PROCESS_POSIX_H
#define UM_MONITOR_PROCESS_POSIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "monitor/target/target.h"

/* What /proc/PID/task/TID/status says of a thread. */
struct um_process_thread {
    char state;        /* R runs, S waits, D waits for a device, T stopped, Z over */
    uint64_t waits;    /* how often it has left the processor to wait */
    uint64_t switches; /* how often at all: others take the processor from it, too */
};

/* A thread that is looked at often. The kernel writes that file anew at each reading, which takes
 * it 13 us, and schedstat in 2. So it is read only if schedstat shows that the thread has run, or
 * if it did not wait the last time. All files are -1 before um_process_thread_open. */
struct um_process_threads {
    int status, schedstat;
    uint64_t runs; /* how often it was given a processor, at the last reading */
    bool known;
    struct um_process_thread last;
};

/* Errors: UM_ERR_NOT_FOUND there is no such thread. Owner: um_process_thread_close. */
enum um_status um_process_thread_open(uint32_t pid, uint32_t tid, struct um_process_threads *files);
void um_process_thread_close(struct um_process_threads *files);

/* Looks at the thread. False: it is over. Thread: one; never blocks. */
bool um_process_thread_read(struct um_process_threads *files, struct um_process_thread *thread);

/* Fills in name, start, bits and why a process cannot be watched, by info->pid. False: there is no
 * such process. */
bool um_process_describe(struct um_target_info *info);

/* Calls `visit` for each process but this one, until it returns false. Errors: UM_ERR_IO. */
enum um_status um_process_each(bool (*visit)(void *context, uint32_t pid), void *context);

/* As in um_target_backend. */
enum um_status um_process_open(uint32_t pid, struct um_target_process **process);
enum um_status um_process_find_program(const char *name, char *path, size_t cap_bytes);
enum um_status um_process_launch(char *const *argv, int argc,
                                 const struct um_target_variable *variables,
                                 struct um_target_process **process);
enum um_status um_process_started(const struct um_target_process *launched, uint32_t **pids,
                                  size_t *count);
enum um_status um_process_run(char *const *argv, int argc, struct um_target_process **process);
enum um_status um_process_start_helper(char *const *argv, int argc, intptr_t handle,
                                       struct um_target_process **process);
enum um_status um_process_start_aside(char *const *argv, int argc, bool hurries,
                                      struct um_target_process **process);
uint32_t um_process_pid(const struct um_target_process *process);
bool um_process_running(const struct um_target_process *process);
enum um_status um_process_exit_code(const struct um_target_process *process, uint32_t *code);
enum um_status um_process_cpu_ns(const struct um_target_process *process, uint64_t *ns);
void um_process_kill(struct um_target_process *process);
void um_process_close(struct um_target_process *process);

#endif
