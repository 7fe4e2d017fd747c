/* The demo's command line. Portable, pure. um_demo_options_help() lists the options.
 *
 * Each may be written `--name value` or `--name=value`.
 */
#ifndef UM_DEMO_OPTIONS_H
#define UM_DEMO_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "demo/play.h"
#include "ipc/status.h"

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
    uint32_t key_ms; /* what each key costs in the typing area */
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

/* Reads "X,Y,W,H". Errors: UM_ERR_ARG. */
enum um_status um_demo_options_parse_pos(const char *text, int32_t pos[4]);

/* Owner: static text. */
const char *um_demo_options_help(void);

#endif
