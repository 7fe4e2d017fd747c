/* What the user calls the program to watch, and which of the running ones that is.
 *
 * Pure: the system's backend lists windows, this chooses. A TARGET is
 *   devenv, devenv.exe   the program's file name, with or without .exe, in any case
 *   1234                 a process id, if it is all digits (a program called 1234 is 1234.exe)
 *   title:TEXT           a part of the main window's title, in any case
 *   class:NAME           the main window's class, whole, in any case
 * Start reading at um_target_spec_parse and um_target_spec_match. Not on the hot path.
 */
#ifndef UM_MONITOR_TARGET_SPEC_H
#define UM_MONITOR_TARGET_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/plain/status.h"

#define UM_TARGET_SPEC_TEXT_BYTES 256

enum um_target_spec_kind {
    UM_TARGET_SPEC_NAME = 0,
    UM_TARGET_SPEC_PID,
    UM_TARGET_SPEC_TITLE,
    UM_TARGET_SPEC_CLASS
};

struct um_target_spec {
    enum um_target_spec_kind kind;
    /* The command has --wait, which was not given, so errors advise it. The caller sets it. */
    bool could_wait;
    uint32_t pid;                         /* UM_TARGET_SPEC_PID */
    char text[UM_TARGET_SPEC_TEXT_BYTES]; /* the others; a name is without its .exe */
};

/* One process that could be watched. A process without a main window may be listed too, with hwnd
 * 0, so that an error can say why it cannot be watched. */
struct um_target_info {
    uint32_t pid;
    uint32_t tid;           /* the main window's thread */
    uint64_t hwnd;          /* the main window; 0: it has none */
    uint64_t started;       /* when the process began; any unit, later is greater; 0: not known */
    uint8_t bits;           /* 64 or 32; 0: not known */
    char name[128];         /* "devenv.exe" */
    char title[256];        /* of the main window */
    char window_class[128]; /* of the main window */
    char why_not[96];       /* why it cannot be attached to; empty: it can */
    char toolkit[32];       /* of the main window, if toolkit.h knows it; else empty */
    bool is_deaf;           /* X11: the main window declares no pings, so nothing is measured */
};

/* What decides whether a top-level window is its process's main window. */
struct um_target_window {
    uint64_t hwnd;
    uint32_t pid;
    uint32_t tid;
    uint64_t area_px; /* of the restored window, when it is minimised */
    bool visible;
    bool owned;
    bool tool;
    bool cloaked;
};

/* Reads a TARGET. Errors: UM_ERR_ARG empty, too long, or no process id; `error` has the line. */
enum um_status um_target_spec_parse(const char *target, struct um_target_spec *out, char *error,
                                    size_t error_cap);

/* Whether a process is what the user named, with or without a window. */
bool um_target_spec_fits(const struct um_target_spec *spec, const struct um_target_info *info);

/* Chooses from the list. A process with a window is preferred to one without, and one that can be
 * attached to is preferred to one that cannot; if several are left, `newest` takes the one that
 * was started last.
 * Errors: UM_ERR_NOT_FOUND nothing fits, or what fits has no window (wait for it, or exit 3);
 * UM_ERR_AMBIGUOUS several fit; UM_ERR_DENIED nothing that fits can be attached to (exit 4; *index
 * is the one the error is about). `error` has the line to print. */
enum um_status um_target_spec_match(const struct um_target_spec *spec,
                                    const struct um_target_info *list, size_t count, bool newest,
                                    size_t *index, char *error, size_t error_cap);

/* The main window of a process: visible, not owned, no tool window, not cloaked, and the largest of
 * those; the first of two that are equal. NULL: none qualifies. `windows` is in stacking order,
 * topmost first, and may have those of other processes. */
const struct um_target_window *um_target_spec_main_window(const struct um_target_window *windows,
                                                          size_t count, uint32_t pid);

/* Why a process cannot be claimed (um_platform_claim), as the end of a line. `owner` is the process
 * that the claim names, by um_target->look; pid 0 if it names none. Any program of the session can
 * make a claim in another's name, so the line asks to end that process only if it is a uimon. */
void um_target_spec_claimed(const struct um_target_info *owner, char *why, size_t why_cap);

/* Why a program was not started (um_target->launch and the like), as the end of a line.
 * Owner: static text. */
const char *um_target_spec_not_started(enum um_status status);

/* Prints `uimon list`: one line for each process with a window, sorted by name and then by pid, in
 * at most `columns` columns; 0 does not cut (for a pipe). Where there is none, a sentence says so.
 * Thread: any; does not change the list.
 * Errors: UM_ERR_IO the stream failed; UM_ERR_MEMORY. */
enum um_status um_target_spec_print_list(FILE *out, const struct um_target_info *list, size_t count,
                                         size_t columns);

#endif
