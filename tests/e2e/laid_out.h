/* When layout is measured. Header-only, for end-to-end tests.
 *
 * The hooks that see layout are set some time after `uimon --layout` has begun, and nothing
 * announces it. So a test does something that costs layout until a listener has heard of it; only
 * what comes after that is judged. */
#ifndef UM_TESTS_E2E_LAID_OUT_H
#define UM_TESTS_E2E_LAID_OUT_H

#include "tests/e2e/harness.h"

/* A listener with the counters of layout. Returns the file with its lines. Owner: as test_file. */
static inline const char *laid_out_listen(const struct target *target, struct program *listener)
{
    const char *jsonl = test_file("layout.jsonl");
    start(listener, "uimon", "listen", decimal(target->pid), "--interval", "0.5", "--counters",
          "layout", "--json", windows_path(jsonl), NULL);
    wait_line(jsonl, "\"kind\":\"counters\"");
    return jsonl;
}

/* Makes the target do something that costs layout until the listener has heard of that. `once`
 * returns when it is over for the n-th time. Returns how often that was. */
static inline unsigned laid_out_repeat(const struct target *target,
                                       void (*once)(const struct target *target, unsigned nth),
                                       const char *jsonl)
{
    unsigned times = 0;
    do {
        once(target, ++times);
    } while (!file_has(jsonl, "\"layout/"));
    return times;
}

/* Resizes the target's window, which has components in it, until that is heard of. */
static inline void laid_out_resize(const struct target *target)
{
    struct program listener;
    char jsonl[PATH_BYTES];
    snprintf(jsonl, sizeof jsonl, "%s", laid_out_listen(target, &listener));
    for (unsigned i = 0; !file_has(jsonl, "\"layout/"); i++)
        probe("move", hwnd_text(target->hwnd), "50", "50", i % 2 ? "600" : "610", "400", NULL);
}

#endif
