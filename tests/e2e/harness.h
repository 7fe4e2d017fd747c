/* What the end-to-end tests share: starting Windows programs, reading what they said, and X input.
 *
 * `./run test e2e` gives each run a screen, a window manager, a compositor and a Wine prefix of its
 * own, and in the environment UM_DIST (the built package), UM_TEST_BIN (the test programs) and
 * UM_TMP. The runner gives every test a process of its own; whatever a test started dies with it.
 *
 * Time is judged against the demo's own log, never against a clock of the test: a test waits for
 * what must happen (with a limit that only a hang reaches) and compares stamps afterwards.
 */
#ifndef UM_TESTS_E2E_HARNESS_H
#define UM_TESTS_E2E_HARNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cjson/cJSON.h>

#include "demo/log.h"

#define PATH_BYTES 512
#define MAX_ARGS 40

/* Of a function whose arguments end with a NULL. */
#ifdef __GNUC__
#define ENDS_WITH_NULL __attribute__((sentinel))
#else
#define ENDS_WITH_NULL
#endif

/* How long a test waits for something that must come, in ms: only a hang gets there. The first
 * Windows program of a fresh prefix can take ten seconds to show its window. */
#define LIMIT_MS 60000

/* A program that the test started. Its output goes to the two files. */
struct program {
    intptr_t process; /* the Unix process, with which Windows' process ends; on Windows a handle */
    char out[PATH_BYTES];
    char err[PATH_BYTES];
};

/* A file of this test's own in UM_TMP, as a Unix path. Owner: static, for a few calls. */
const char *test_file(const char *name);

/* A folder of this test's own, made if it is not there yet. Owner: as above. */
const char *test_folder(const char *name);

/* A file of the built package, as a Unix path. Owner: as above. */
const char *dist_file(const char *name);

/* A test program, as a Unix path. Owner: as above. */
const char *test_program(const char *name);

/* The same for a Windows program: Z:\... Owner: as above. */
const char *windows_path(const char *unix_path);

/* Starts `program` (a name in UM_DIST, one in UM_TEST_BIN, or a Windows path) under Wine with
 * arguments up to a NULL. Fails the test if it cannot. */
void start(struct program *started, const char *program, ...) ENDS_WITH_NULL;
void start_list(struct program *started, const char *program, const char *const *args);

/* The same with its standard output in a file, a device or a pipe that has a name; NULL: in a file
 * of its own. */
void start_into(struct program *started, const char *out, const char *program,
                const char *const *args);

/* Waits for the end and returns the exit code (128 + signal if killed); fails the test after
 * `limit_ms`. */
int wait_end(struct program *started, unsigned limit_ms);
bool is_running(struct program *started);

/* kill -9, which returns when the program has ended, or Ctrl+C as a terminal sends it (on Windows
 * Ctrl+Break). */
void kill_hard(struct program *started);
void interrupt(struct program *started);

/* Runs a program to its end; returns its exit code, and its output in `out` and `err` (may be NULL;
 * static, until the next call). */
int run(const char **out, const char **err, const char *program, ...) ENDS_WITH_NULL;

/* fopen for all the names that there are. */
FILE *open_file(const char *path, const char *mode);

/* Copies a file. Fails the test if it cannot. */
void copy_file(const char *from, const char *to);

/* Makes a symbolic link at `to`. False if the system allows none; Windows wants developer mode. */
bool link_file(const char *from, const char *to);

/* A whole file as text; "" if there is none. Owner: free. */
char *read_text(const char *path);

/* The same as JSON. Fails the test if it is none. Owner: cJSON_Delete. */
cJSON *read_json(const char *path);

/* Waits until the file has a line that contains `text`, and returns that line (static). Fails the
 * test after LIMIT_MS. */
const char *wait_line(const char *path, const char *text);
bool has_line(const char *path, const char *text);

/* How many lines of the file contain `text`, and waits until they are so many. */
size_t lines_with(const char *path, const char *text);
void wait_lines(const char *path, const char *text, size_t count);

/* Waits until the text is anywhere in the file, which may be binary: a recording, in which a name
 * is once it is known. Fails the test after LIMIT_MS. */
void wait_text(const char *path, const char *text);
bool file_has(const char *path, const char *text);

/* The number after a word of a line: 12 for "now" in "begin now 12". Fails the test if there is
 * none. */
uint64_t line_number(const char *line, const char *word);

/* The number after `wanted` in the first whole line of a file that has `head` in it and behind that
 * a number after `word` of at least `least`; 0: there is no such line. */
uint64_t line_number_from(const char *path, const char *head, const char *word, uint64_t least,
                          const char *wanted);

/* The demo target, or another program with the demo's log. */
struct target {
    struct program program;
    char log[PATH_BYTES];
    uint32_t pid; /* the Windows process */
    uint32_t tid;
    uint64_t hwnd;
    const char *window_class; /* of hwnd; NULL: not known */
};

/* Starts uimon-demo (`program` NULL) or another target with --log and the arguments up to a NULL,
 * and waits until its window is ready and it is quiet. */
void start_target(struct target *target, const char *program, ...) ENDS_WITH_NULL;

/* The events of one kind in a log, in the order of the lines. Owner: free. Returns their number. */
size_t log_events(const char *path, enum um_demo_log_kind kind, struct um_demo_log_event **events);

/* Whose the target's raw mouse registration was, by the log's last word on that (static). */
const char *raw_owner(const struct target *target);

/* When the thread that a freeze (or flood) held up retrieved a message again. */
struct um_demo_log_event find_back(const char *log, const struct um_demo_log_event *truth);

/* How much longer (ms) a reported freeze is than the log allows: see tests/judge/truth.h. */
double length_off_ms(const char *log, const struct um_demo_log_event *truth, double reported_ms);

/* Makes the target do what a list of demo/play.h says, now. Items that are posted do not wait for
 * each other: they need `wait:` between them, or are one long episode. */
void trigger(const struct target *target, const char *list);

/* The same with a list that begins with a freeze, which has begun when this returns: the target can
 * be told to end one that lasts until told. */
void begin_freeze(const struct target *target, const char *list);

/* The same, and the thread is stopped then, so that the freeze lasts until the target is let go. */
void hold(const struct target *target, const char *list);
void let_go(const struct target *target);

/* Tells a target to end what lasts until told (tests/target/told.h): posted sleeps and work of
 * 50,000 ms or more. */
void tell(const struct target *target);

/* Sets a variable of the environment of what is started from now on. */
void set_variable(const char *name, const char *value);

/* Starts `uimon --attach PID --headless --verbose --json FILE` with more arguments up to a NULL,
 * and waits until it measures and is quiet. */
struct monitor {
    struct program program;
    char json[PATH_BYTES];
    char feed[128];      /* name of the feed's pipe */
    uint64_t started_ms; /* when it was attached */
};
void start_monitor(struct monitor *monitor, const struct target *target, ...) ENDS_WITH_NULL;

/* The same without --headless: with the overlay. */
void start_monitor_overlay(struct monitor *monitor, const struct target *target,
                           ...) ENDS_WITH_NULL;

/* Starts `probe_win32 tail-feed` on the monitor's feed, and waits until it has said a state. */
void tail_feed(struct program *feed, const struct monitor *monitor);

/* Waits until the session has begun: the message of a freeze that begins earlier is not known. */
void wait_measured(const struct monitor *monitor);

/* Waits until a beat of the target was seen since this was asked: it answers. */
void wait_beat(const struct target *target);

/* Waits until the feed has told the end of a freeze that overlaps with the log's. Fails the test
 * after LIMIT_MS. */
void wait_told(const struct program *feed, const struct um_demo_log_event *truth);

/* Waits for the monitor's end (exit code 0 or the test fails) and reads its JSON.
 * Owner: cJSON_Delete. */
cJSON *finish_monitor(struct monitor *monitor);

/* Waits until it measures, which it says with --verbose; Ctrl+C, and the same. */
cJSON *stop_monitor(struct monitor *monitor);

/* Numbers in the summary: "freezes.count", "state_ms.frozen". Fails the test if one is absent. */
double number(const cJSON *summary, const char *path);
bool has_number(const cJSON *summary, const char *path);

/* The i-th freeze of the summary, or NULL. */
const cJSON *freeze_at(const cJSON *summary, size_t index);
size_t freeze_count(const cJSON *summary);

/* A freeze's begin on the demo's clock, in ns. */
double freeze_start_ns(const cJSON *summary, const cJSON *freeze);

/* Whether a freeze was reported at the time of an event of the log. */
bool freeze_is_of(const cJSON *summary, const cJSON *freeze, const struct um_demo_log_event *truth);

/* The first one of those, or NULL; and how many there are. */
const cJSON *find_freeze(const cJSON *summary, const struct um_demo_log_event *truth);
size_t freezes_of(const cJSON *summary, const struct um_demo_log_event *truth);

/* A freeze, as a list for the target, that is one also where the machine holds the program up for a
 * second of it: what it is held up is no part of the freeze that is measured. */
#define LASTING_FREEZE "1500"

/* What the gate asks of freezes: what happened, and how long it took as the log has it, to within
 * COARSE_MS. How exact uimon is beyond that is asked by ./run bench.
 */
#define COARSE_MS 250.0

/* The freezes of a target's log, as soon as there are `count` of them and the thread of the last
 * one has retrieved a message again. Fails the test after LIMIT_MS. Owner: free. */
struct um_demo_log_event *wait_freezes(const struct target *target, size_t count);

/* How much of a freeze of the log the machine held up: uimon, which was blind, or the target's
 * whole process, which was suspended, as uimon says. It is no part of the freeze's length. */
double held_up_ms(const cJSON *summary, const struct um_demo_log_event *truth);

/* Whether a length that is longer by so much than the log's is right to within COARSE_MS, but for
 * the time of that freeze in which uimon was held up. */
bool is_about(double off_ms, const cJSON *summary, const struct um_demo_log_event *truth);

/* The freeze of the summary that overlaps with the log's: in this state, about as long, where it
 * may be off by what it says of its begin besides, and with the message (and the demo's window
 * class) in whose handling the log has it. Fails the test if there is none. If uimon was held up in
 * the midst of it, the freeze may be reported in parts: their sum is compared then, and this is the
 * first. */
const cJSON *check_freeze(const cJSON *summary, const struct target *target,
                          const struct um_demo_log_event *truth, const char *state);

/* The summary has no freeze of a second or more that the log does not have. */
void check_no_other_freeze(const cJSON *summary, const struct target *target);

/* Both, for all freezes of the log: each of them is reported as frozen. */
void check_freezes(const cJSON *summary, const struct target *target);

/* Fills in the name of the feed, as soon as a monitor that was started with --verbose has said
 * it. */
void name_feed(struct monitor *monitor);

/* Makes the target freeze as a list of one item says, for the n-th time (from 1) in its log, and
 * waits until the feed has told it. */
struct um_demo_log_event freeze_once(const struct target *target, const struct program *feed,
                                     const char *item, size_t n);

/* A number as the argument of a program: decimal, and a window as 0x... Owner: static, for a few
 * calls. */
const char *decimal(uint64_t value);
const char *hwnd_text(uint64_t hwnd);

/* tests/win/probe_win32: runs a subcommand with arguments up to a NULL; its output (static). */
const char *probe(const char *command, ...) ENDS_WITH_NULL;
double probe_number(const char *command, ...) ENDS_WITH_NULL;

/* Input through the X server, as a person's devices would give it. */
void x_move(int x, int y);
void x_pointer(int *x, int *y); /* where it is */
void x_click(int x, int y);
void x_button(bool down); /* the left one */
void x_type(const char *text);

/* Pixels of the screen's root window, as 0xRRGGBB: one, or a rectangle of them row by row. */
uint32_t x_pixel(int x, int y);
void x_pixels(int x, int y, int width, int height, uint32_t *pixels);

/* A rectangle of the screen. */
struct box {
    int x, y, width, height;
};

/* How many pixels of a rectangle of the screen are so. */
size_t count_pixels(const struct box *box, bool (*is)(uint32_t));

/* Waits until the keyboard is the target's, by the X server and by Wine: before that, what is typed
 * or clicked can reach another window. */
void wait_front(const struct target *target);

void sleep_ms(unsigned ms);
uint64_t machine_now_ns(void); /* on the clock of the demo's log */
uint64_t unix_now_ms(void);    /* for limits, not for measurements */

/* Waits until a condition holds that programs and the screen bring about: a frame of the compositor
 * may be on its way. */
#define WAIT_UNTIL(condition, ...)                                                                 \
    do {                                                                                           \
        uint64_t until = unix_now_ms() + LIMIT_MS;                                                 \
        while (!(condition)) {                                                                     \
            cr_assert_lt(unix_now_ms(), until, __VA_ARGS__);                                       \
            sleep_ms(20);                                                                          \
        }                                                                                          \
    } while (0)

#endif
