/* Scenarios: text files that say what a benchmark does. This module reads one into a flat list of
 * steps, which bench_run.c carries out. A reader starts at um_scenario_parse.
 *
 * The text is UTF-8, one step a line. A word that begins with '#' begins a comment until the end of
 * the line. Words are separated by blanks; in "..." blanks belong to the word, and \n \t \" \\ \$
 * are escapes. ${NAME} stands for a variable, in quotes too. Times are in ms, or end in ms or s.
 *
 *   launch PROGRAM [ARG...]     or  attach TARGET (options.h): one of them is the first step
 *   wait-window [CLASS | "part of the title" | class:NAME | title:TEXT] [within TIME]
 *   wait-idle TIME [within TIME]
 *   sleep TIME
 *   type "text" [rate N/s]
 *   key CTRL+SHIFT+SPACE [times N] [rate N/s]     key names in any case, but A is not a
 *   click X,Y | class:NAME [X,Y]  [right | middle | double]
 *   wheel N [at X,Y | at class:NAME] [rate N/s]
 *   menu "File" "Open..."
 *   mark "text"
 *   exec PROGRAM [ARG...]
 *   measure NAME {  ...  }
 *   repeat N {  ...  }
 *   set NAME VALUE              the default of a variable; --define NAME=VALUE overrides it
 *   close [discard]             ends the program; only mark, exec and sleep may follow
 *
 * Pure, and not on the hot path.
 */
#ifndef UM_MONITOR_SCENARIO_H
#define UM_MONITOR_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hotkey.h"
#include "base/plain/clock.h"
#include "base/plain/status.h"

#define UM_SCENARIO_MAX_BYTES (256 * 1024)
#define UM_SCENARIO_MAX_LINE_BYTES 4096
#define UM_SCENARIO_MAX_STEPS 4096
#define UM_SCENARIO_MAX_DEPTH 8
#define UM_SCENARIO_MAX_EXPANDED UINT64_C(1000000) /* steps, with their repetitions */
#define UM_SCENARIO_MAX_WORDS 64
#define UM_SCENARIO_MAX_VARIABLES 64
#define UM_SCENARIO_NAME_BYTES 64

enum um_scenario_op {
    UM_SCENARIO_LAUNCH = 0,
    UM_SCENARIO_ATTACH,
    UM_SCENARIO_WAIT_WINDOW,
    UM_SCENARIO_WAIT_IDLE,
    UM_SCENARIO_SLEEP,
    UM_SCENARIO_TYPE,
    UM_SCENARIO_KEY,
    UM_SCENARIO_CLICK,
    UM_SCENARIO_WHEEL,
    UM_SCENARIO_MENU,
    UM_SCENARIO_MARK,
    UM_SCENARIO_EXEC,
    UM_SCENARIO_MEASURE,
    UM_SCENARIO_MEASURE_END,
    UM_SCENARIO_REPEAT,
    UM_SCENARIO_REPEAT_END,
    UM_SCENARIO_CLOSE
};

/* One key to press: either one that has the same code on every keyboard, or a character, for which
 * the target's keyboard layout is asked. A letter or digit with Ctrl, Alt or Win is both: the key
 * with its code is pressed, and it is shown as the character. */
struct um_scenario_key {
    uint8_t modifiers;   /* UM_HOTKEY_CTRL and so on */
    uint8_t virtual_key; /* 0: it is `character` */
    uint32_t character;  /* 0: it is a key with a name */
};

enum um_scenario_place {
    UM_SCENARIO_PLACE_MIDDLE = 0, /* of the main window */
    UM_SCENARIO_PLACE_POINT,      /* of the main window's client area */
    UM_SCENARIO_PLACE_CLASS,      /* the middle of a control of this class */
    UM_SCENARIO_PLACE_CLASS_POINT /* a point of that control's client area */
};

enum um_scenario_button {
    UM_SCENARIO_LEFT = 0,
    UM_SCENARIO_RIGHT,
    UM_SCENARIO_MIDDLE,
    UM_SCENARIO_DOUBLE /* the left one, twice */
};

enum um_scenario_window {
    UM_SCENARIO_WINDOW_MAIN = 0,
    UM_SCENARIO_WINDOW_CLASS,
    UM_SCENARIO_WINDOW_TITLE
};

struct um_scenario_step {
    enum um_scenario_op op;
    uint32_t line;
    const char *text;  /* type, mark; name of a measure; class or title; the target of attach */
    const char **argv; /* launch, exec: ends in NULL; menu: its labels */
    int argc;
    enum um_scenario_window window; /* wait-window */
    enum um_scenario_place place;   /* click, wheel; a class is in `text` */
    int32_t x, y;
    enum um_scenario_button button;
    struct um_scenario_key key;
    uint64_t time_ns;  /* sleep, wait-idle */
    uint64_t limit_ns; /* wait-window, wait-idle: the time after `within` */
    double rate;       /* type, key, wheel: inputs a second */
    int32_t count;     /* key: times; repeat; wheel: notches, positive away from the user */
    uint32_t partner;  /* measure, repeat: index of the step at the block's other end */
    uint32_t depth;    /* how many blocks the step is in */
    bool discard;      /* close */
};

struct um_scenario_variable {
    const char *name;
    const char *value;
    uint32_t line; /* 0: from the command line */
    bool used;
};

/* How long a step may take at most. The times of wait-window, wait-idle and sleep are the
 * scenario's. */
#define UM_SCENARIO_START_NS (60 * UM_CLOCK_NS_PER_S) /* launch, attach */
#define UM_SCENARIO_EXEC_NS (600 * UM_CLOCK_NS_PER_S)
#define UM_SCENARIO_CLOSE_NS (5 * UM_CLOCK_NS_PER_S)
#define UM_SCENARIO_SETTLE_NS (2 * UM_CLOCK_NS_PER_S) /* at the end of a measure */

/* Zero it before the first use. */
struct um_scenario {
    struct um_scenario_step *steps;
    uint32_t step_count;
    struct um_scenario_variable variables[UM_SCENARIO_MAX_VARIABLES];
    size_t variable_count;
    uint64_t expanded;              /* steps of one run, with their repetitions */
    uint64_t inputs;                /* keys, clicks and notches of one run */
    uint64_t most_ns;               /* how long the steps of one run may take */
    uint64_t own_ns;                /* how long one run takes by its own waits and rates */
    struct um_scenario_text *texts; /* owns every text above */
};

/* Reads a scenario. `defines` are texts NAME=VALUE; `name` is what errors call the file.
 * Owner: um_scenario_deinit, also after a failure; `text` and `defines` may be freed.
 * Errors: UM_ERR_FORMAT, UM_ERR_ARG (a define): `error` has the line to print; UM_ERR_MEMORY. */
enum um_status um_scenario_parse(const char *text, size_t len_bytes, const char *name,
                                 const char *const *defines, int define_count,
                                 struct um_scenario *out, char *error, size_t error_cap);

/* Frees what it points to. Accepts a zeroed struct. */
void um_scenario_deinit(struct um_scenario *scenario);

/* How many keys, clicks and notches a step sends each time it is done. A menu counts as 0: its keys
 * are known only when it is opened. */
uint64_t um_scenario_inputs(const struct um_scenario_step *step);

/* How long a step may take, with a second for being late unless the scenario sets the limit. */
uint64_t um_scenario_most_ns(const struct um_scenario_step *step);

/* How long a step waits or types by itself, whatever the program does: sleep, the quiet of
 * wait-idle, and inputs by their rate. */
uint64_t um_scenario_own_ns(const struct um_scenario_step *step);

/* How many inputs the system makes of a key: 2 if it is a character of two UTF-16 units, else 1. */
uint64_t um_scenario_key_inputs(const struct um_scenario_key *key);

/* Takes the next key of a text to type: \n is Enter, \t is Tab. False at the end of the text. */
bool um_scenario_next_key(const char **text, struct um_scenario_key *key);

#endif
