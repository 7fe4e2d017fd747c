/* Finds the keys that choose an item of a menu by its labels. Pure; a reader starts at
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

/* The keys for labels that all mark their mnemonics, as in "&File" "&Open...", without reading the
 * menu. False if a label has no mark, or there is no room. */
bool um_bench_menu_spelled(const char *const *labels, int count, struct um_bench_menu_keys *keys);

/* Finds a label in one menu and appends the keys that choose it: the mnemonic, if no other item has
 * the same one, or arrows. On the menu bar (`bar`) the mnemonic goes with Alt, and the arrows come
 * after F10. In an open menu the first item is selected, and Enter comes after the arrows. Labels
 * are compared without case, marks of mnemonics, and the shortcut after a tab. Returns the index of
 * the item, or -1 with the reason in `why`. */
int um_bench_menu_step(const struct um_bench_menu_item *items, size_t count, const char *label,
                       bool bar, struct um_bench_menu_keys *keys, char *why, size_t why_cap);

#endif
