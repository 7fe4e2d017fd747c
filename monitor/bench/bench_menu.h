/* From the labels of a menu to the keys that choose an item in it. Pure; a reader starts at
 * um_bench_menu_step. Not on the hot path. */
#ifndef UM_MONITOR_BENCH_MENU_H
#define UM_MONITOR_BENCH_MENU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "monitor/bench/scenario.h"

#define UM_BENCH_MENU_LABEL_BYTES 128

struct um_bench_menu_item {
    char label[UM_BENCH_MENU_LABEL_BYTES]; /* as the program wrote it: "&Open...\tCtrl+O" */
    bool separator;
    bool submenu;
};

/* Where keys are appended. */
struct um_bench_menu_keys {
    struct um_scenario_key *list;
    size_t count;
    size_t cap;
};

/* The keys for labels that all name their mnemonics, as in "&File" "&Open...": the menu itself need
 * not be known then. False if one does not, or there is no room. */
bool um_bench_menu_spelled(const char *const *labels, int count, struct um_bench_menu_keys *keys);

/* Finds a label in one menu, and appends the keys that choose it: on the menu bar (`bar`) its
 * mnemonic with Alt, or F10 and arrows; in an open menu, whose first item is selected, its mnemonic
 * where no other item has the same, or arrows and Enter. Marks of mnemonics and what stands behind
 * a tab do not count, nor does the case. Returns its index, or -1 with the end of a line in
 * `why`. */
int um_bench_menu_step(const struct um_bench_menu_item *items, size_t count, const char *label,
                       bool bar, struct um_bench_menu_keys *keys, char *why, size_t why_cap);

#endif
