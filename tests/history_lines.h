/* Histories for tests: lines as `uimon history add` writes them. Header-only, so that a fuzzer is
 * one file.
 */
#ifndef UM_TESTS_HISTORY_LINES_H
#define UM_TESTS_HISTORY_LINES_H

#include <stdio.h>

#include "tests/growing_text.h"

/* A line of a label, with the total of one measure. `label` is put in as it is. */
static inline void history_lines_add(struct growing_text *lines, const char *label, double total)
{
    growing_text_put(lines,
                     "{\"kind\":\"history\",\"schema\":1,\"label\":\"%s\","
                     "\"time\":\"2026-11-21T12:00:00Z\",\"uimon\":\"0.1.0\",\"machine\":\"VM\","
                     "\"system\":\"Wine 8.0\",\"target\":\"a.exe\",\"scenario\":\"edit\","
                     "\"crc32\":\"e68102d7\",\"runs\":15,\"measures\":[{\"name\":\"typing\","
                     "\"total_to\":\"painted\",\"quantities\":[{\"name\":\"total\","
                     "\"median\":%.6g,\"low\":%.6g,\"high\":%.6g,\"runs\":15}]}]}\n",
                     label, total, total * 0.98, total * 1.03);
}

/* So many commits as history_lines_step has, each measured on another machine: "runner-0" and so
 * on. */
static inline void history_lines_runners(struct growing_text *lines, int commits, int at)
{
    for (int i = 0; i < commits; i++) {
        double total = i < at ? 20 : 25;
        growing_text_put(lines,
                         "{\"kind\":\"history\",\"schema\":1,\"label\":\"c%d\",\"machine\":"
                         "\"runner-%d\",\"scenario\":\"edit\",\"measures\":[{\"name\":\"typing\","
                         "\"quantities\":[{\"name\":\"total\",\"median\":%g,\"low\":%g,\"high\":%g,"
                         "\"runs\":15}]}]}\n",
                         i, i, total, total, total);
    }
}

/* 40 commits of exactly these levels, the second one from "c20" on. */
static inline void history_lines_levels(struct growing_text *lines, double before, double after)
{
    for (int i = 0; i < 40; i++)
        growing_text_put(lines,
                         "{\"kind\":\"history\",\"schema\":1,\"label\":\"c%d\",\"measures\":[{"
                         "\"name\":\"typing\",\"quantities\":[{\"name\":\"total\",\"median\":%.17g,"
                         "\"low\":%.17g,\"high\":%.17g,\"runs\":15}]}]}\n",
                         i, i < 20 ? before : after, i < 20 ? before : after,
                         i < 20 ? before : after);
}

/* So many commits, "c0" to "c19" for 20, of which those from `at` on are slower by a quarter. */
static inline void history_lines_step(struct growing_text *lines, int commits, int at)
{
    for (int i = 0; i < commits; i++) {
        char label[16];
        snprintf(label, sizeof label, "c%d", i);
        history_lines_add(lines, label, (i < at ? 20 : 25) + 0.1 * (i * 7 % 5));
    }
}

#endif
