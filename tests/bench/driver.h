/* What the measures share: Windows programs under Wine, and what the kernel says of them.
 *
 * `./run bench` gives a screen, a window manager, a compositor and a Wine prefix of its own, and in
 * the environment UM_DIST (the built package), UM_TEST_BIN and UM_BENCH_BIN (helper programs),
 * UM_TMP, and UM_TEST_BIN32 (helper programs of 32 bits) where Wine has its 32-bit half. Every
 * measure runs in a process of its own; whatever it started dies with it. What cannot go on ends
 * the process through driver_fail.
 *
 * Like tests/e2e/harness.h, but without a test framework, and with programs that are talked to.
 */
#ifndef UM_TESTS_BENCH_DRIVER_H
#define UM_TESTS_BENCH_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <cjson/cJSON.h>

#include "demo/log.h"
#include "tests/bench/table.h"

#define DRIVER_PATH_BYTES 512
#define DRIVER_MAX_ARGS 40
#define DRIVER_FEED_BYTES 128
#define DRIVER_LIMIT_MS 60000 /* for what must come: only a hang gets there */

/* Runs `measure` in a process of its own and adds its rows to the table, printing them as they
 * come. False if it could not be made (there is a failed row then). */
bool driver_measure(struct table *table, const char *name, void (*measure)(void));

/* Gives a row to the table. For the measures. */
void driver_row(const struct row *row);

/* Ends the measure: it could not be made, and why. */
_Noreturn void driver_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A Windows program. Killing its Unix process kills it. */
struct program {
    pid_t pid;
    int to;   /* its standard input, for driver_say */
    int from; /* its standard output, for driver_hear; -1: goes to `out` */
    char out[DRIVER_PATH_BYTES];
    char err[DRIVER_PATH_BYTES];
};

/* Starts a program from the package or the helpers, or by its whole path, with arguments up to a
 * NULL. `talking`: its input and output are pipes to here. */
void driver_start(struct program *program, bool talking, const char *name, ...)
    __attribute__((sentinel));
void driver_start_list(struct program *program, bool talking, const char *name,
                       const char *const *args);

/* Starts target_win32, which talks, and waits for its window. Returns its process id. */
uint32_t driver_start_target(struct program *program);

/* Writes a line to a talking program; waits for the next line it writes (static). */
void driver_say(struct program *program, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
const char *driver_hear(struct program *program);

/* Waits for its end, at most so long; its exit code, 128 + signal if it was killed. */
int driver_wait_end(struct program *program, unsigned limit_ms);
void driver_interrupt(struct program *program); /* as Ctrl+C */

/* A file of this measure in UM_TMP; the same for a Windows program (Z:\...). Owner: static, for a
 * few calls. */
const char *driver_file(const char *name);
const char *driver_windows_path(const char *unix_path);

/* A whole file; "" if there is none. Owner: free. */
char *driver_read(const char *path);

/* Waits until a file has a whole line with this text in it; that line (static). */
const char *driver_wait_line(const char *path, const char *text);

/* Waits until a program that writes the demo's log to this file is ready; how it began. */
struct um_demo_log_event driver_wait_ready(const char *log);

/* What a helper prints when it is run to its end (static). */
const char *driver_output(const char *name, ...) __attribute__((sentinel));

/* A program that writes the demo's log. */
struct target {
    struct program program;
    char log[DRIVER_PATH_BYTES];
    uint32_t pid; /* the Windows process */
    uint32_t tid;
    char pid_text[16]; /* these as arguments of a program */
    char tid_text[16];
    char hwnd[24];
};

/* Starts one with --log and the arguments up to a NULL, and waits until it is ready; kills it. */
void driver_start_logged(struct target *target, const char *name, ...) __attribute__((sentinel));
void driver_kill(struct program *program);

/* The events of one kind in a log, in the order of the lines; `least`: waits until there are so
 * many. Owner: free. Returns their number. */
size_t driver_events(const char *log, enum um_demo_log_kind kind, size_t least,
                     struct um_demo_log_event **events);

/* Makes a target do what a list of demo/play.h says, now. */
void driver_trigger(const struct target *target, const char *list);

/* Waits until it has the keyboard. */
void driver_wait_front(const struct target *target);

/* The number that a command of probe_win32 prints first. */
double driver_probe_number(const char *command, ...) __attribute__((sentinel));

/* The last number behind a word in a text: 12 for "now " in "begin now 12"; 0 if there is none. */
uint64_t driver_number_after(const char *text, const char *word);

/* `uimon --attach PID --verbose --json FILE` and more arguments up to a NULL; waits until it
 * measures. */
struct monitor {
    struct program program;
    char json[DRIVER_PATH_BYTES];
};
void driver_watch(struct monitor *monitor, uint32_t pid, ...) __attribute__((sentinel));

/* The name of a monitor's feed, or that of another program that is --verbose. */
void driver_feed(const struct program *monitor, char feed[DRIVER_FEED_BYTES]);

/* `probe_win32 tail-feed` of it; waits until it has heard a line with this text in it. */
void driver_listen(struct program *listener, const struct program *monitor, const char *line);

/* Waits for its end, after Ctrl+C with `interrupt`; the summary. Owner: cJSON_Delete. */
cJSON *driver_finish(struct monitor *monitor, bool interrupt);

/* A number in the summary: "cost.hook_call_ns". */
double driver_number(const cJSON *summary, const char *path);

/* How many components of a class had a layout frame, by the summary. */
int driver_laid_out(const cJSON *summary, const char *window_class);

/* The Unix process in this prefix whose name begins so ("uimon-overlay", "wineserver"); 0: none. */
pid_t driver_find(const char *comm);

/* CPU time used so far. Units: s, in steps of 10 ms. */
double driver_cpu_s(pid_t pid);

/* Memory that nobody else shares. Units: MiB. */
double driver_private_mib(pid_t pid);

void driver_sleep_ms(unsigned ms);

/* The clock of the Windows programs, which is not that of this program. */
uint64_t driver_now_ns(void);

#endif
