/* The demo's command line. Portable, pure. um_demo_options_help() lists the options, each of which
 * may be written `--name value` or `--name=value`.
 */
#ifndef UM_DEMO_OPTIONS_H
#define UM_DEMO_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "demo/play.h"
#include "base/plain/status.h"

#define UM_DEMO_OPTIONS_MAX_COSTS 16

/* What a kind of message costs in the typing area. */
enum um_demo_options_cost {
    UM_DEMO_OPTIONS_COST_DOWN,    /* WM_KEYDOWN, and WM_SYSKEYDOWN */
    UM_DEMO_OPTIONS_COST_KEY,     /* WM_CHAR */
    UM_DEMO_OPTIONS_COST_PAINT,   /* WM_PAINT */
    UM_DEMO_OPTIONS_COST_CLICK,   /* a button that goes down */
    UM_DEMO_OPTIONS_COST_RELEASE, /* ... and up */
    UM_DEMO_OPTIONS_COST_WHEEL,
    UM_DEMO_OPTIONS_COST_COUNT
};

/* Costs that are used one after the other, and then again from the first. */
struct um_demo_options_costs {
    uint32_t ms[UM_DEMO_OPTIONS_MAX_COSTS];
    uint32_t count; /* 0: nothing */
};

struct um_demo_options {
    const char *log;        /* NULL: none */
    const char *title;      /* of the main window */
    const char *class_name; /* its window class */
    struct um_demo_play play;
    bool has_pos;
    int32_t pos[4]; /* x, y, width, height of the whole window in pixels */
    uint32_t delay_ms;
    uint32_t pause_ms;
    uint32_t repeat;  /* 0: for ever */
    uint32_t seconds; /* 0: until it is closed */
    uint32_t splash_ms;
    struct um_demo_options_costs costs[UM_DEMO_OPTIONS_COST_COUNT];
    bool plain; /* the plain typing area, whose interactions are logged; implied by any cost */
    uint32_t stall_ms;
    bool still;   /* nothing in the window moves by itself; the default with --play */
    bool animate; /* the opposite, also with --play */
    bool exit;    /* after the list */
    bool help;
};

/* Reads the command line, without the program's name.
 * Owner: the texts stay in `argv`. Errors: UM_ERR_ARG, with one line in `error`. */
enum um_status um_demo_options_parse(int argc, char *const argv[], struct um_demo_options *options,
                                     char *error, size_t error_bytes);

/* Owner: static text. */
const char *um_demo_options_help(void);

#endif
