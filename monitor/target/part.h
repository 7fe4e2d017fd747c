/* Starts the programs that uimon itself consists of: those beside uimon.exe. They get no more than
 * they need: a small environment, because what is in it decides what libraries load, and only the
 * handles that are meant for them. Not on the hot path.
 */
#ifndef UM_MONITOR_PART_H
#define UM_MONITOR_PART_H

#include <stdbool.h>
#include <stdint.h>

#include "ipc/status.h"
#include "monitor/target/target.h"

/* Starts a part with the rights of an ordinary program of this user: where this process has more,
 * the part is no administrator and has medium integrity. `argv[0]` is the program's whole path and
 * `argv[argc]` is NULL. The part inherits `handle`, under the same number, and nothing else.
 * Owner: um_target_close; the handle stays the caller's.
 * Errors: UM_ERR_NOT_FOUND; UM_ERR_DENIED it may not be run, or not with fewer rights; UM_ERR_IO;
 * UM_ERR_MEMORY; UM_ERR_TOO_LARGE the command line is too long. */
enum um_status um_part_start(char *const *argv, int argc, intptr_t handle,
                             struct um_target_process **process);

/* Starts a part with this process's own rights, which inherits nothing. Unless it `hurries`, it is
 * for work that can wait, and has less than the usual priority. Owner and errors: as
 * um_part_start. */
enum um_status um_part_start_aside(char *const *argv, int argc, bool hurries,
                                   struct um_target_process **process);

#endif
