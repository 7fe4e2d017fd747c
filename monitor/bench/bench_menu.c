#include "monitor/bench/bench_menu.h"

#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "base/utf8.h"

#define VK_RETURN 0x0d
#define VK_RIGHT 0x27
#define VK_DOWN 0x28
#define VK_F10 0x79
#define MAX_ITEMS 128
#define SHOWN_COLUMNS 40

/* The character that chooses an item, in lower case; 0: it has none. "&&" stands for an ampersand,
 * and so does a single one before a blank. */
static uint32_t mnemonic_of(const char *label)
{
    for (const char *at = label; (at = strchr(at, '&')); at++) {
        at++;
        if (*at == 0)
            return 0;
        if (*at != '&' && *at != ' ')
            return um_utf8_fold(um_utf8_next(&at));
    }
    return 0;
}

/* Writes a label as a person reads it: without marks of mnemonics and the shortcut after a tab. */
static void plain(const char *label, char *buf, size_t cap_bytes)
{
    size_t used = 0;
    for (; *label && *label != '\t' && used + 1 < cap_bytes; label++) {
        if (*label == '&' && label[1] != 0 && label[1] != ' ')
            label++; /* "&&" becomes "&" */
        buf[used++] = *label;
    }
    buf[used] = 0;
}

static bool add(struct um_bench_menu_keys *keys, uint8_t modifiers, uint8_t virtual_key,
                uint32_t character, size_t times)
{
    for (; times > 0; times--) {
        if (keys->count == keys->cap)
            return false;
        keys->list[keys->count++] = (struct um_scenario_key){modifiers, virtual_key, character};
    }
    return true;
}

bool um_bench_menu_spelled(const char *const *labels, int count, struct um_bench_menu_keys *keys)
{
    for (int i = 0; i < count; i++) {
        uint32_t mnemonic = mnemonic_of(labels[i]);
        if (!mnemonic || !add(keys, i == 0 ? UM_HOTKEY_ALT : 0, 0, mnemonic, 1))
            return false;
    }
    return count > 0;
}

static int find(const struct um_bench_menu_item *items, size_t count, const char *label)
{
    char wanted[UM_BENCH_MENU_LABEL_BYTES];
    char there[UM_BENCH_MENU_LABEL_BYTES];

    plain(label, wanted, sizeof wanted);
    for (size_t i = 0; i < count; i++) {
        plain(items[i].label, there, sizeof there);
        if (!items[i].separator && um_utf8_equal(wanted, there))
            return (int)i;
    }
    return -1;
}

static int not_found(const struct um_bench_menu_item *items, size_t count, const char *label,
                     char *why, size_t why_cap)
{
    char texts[MAX_ITEMS][UM_BENCH_MENU_LABEL_BYTES];
    const char *names[MAX_ITEMS + 1];
    size_t used = 0;

    for (size_t i = 0; i < count && used < MAX_ITEMS; i++) {
        plain(items[i].label, texts[used], sizeof texts[used]);
        names[used] = texts[used];
        used += texts[used][0] != 0;
    }
    names[used] = NULL;
    const char *meant = um_nearest_find(label, names);
    snprintf(why, why_cap, "the menu has no item '%s'%s%s%s",
             um_utf8_show(label, SHOWN_COLUMNS).text, meant ? "; did you mean '" : "",
             meant ? um_utf8_show(meant, SHOWN_COLUMNS).text : "", meant ? "'?" : "");
    return -1;
}

/* Whether only one item of the menu has this mnemonic. If two have it, the key just selects them in
 * turn. */
static bool is_only_one(const struct um_bench_menu_item *items, size_t count, uint32_t mnemonic)
{
    size_t same = 0;
    for (size_t i = 0; i < count; i++)
        same += !items[i].separator && mnemonic_of(items[i].label) == mnemonic;
    return same == 1;
}

int um_bench_menu_step(const struct um_bench_menu_item *items, size_t count, const char *label,
                       bool bar, struct um_bench_menu_keys *keys, char *why, size_t why_cap)
{
    int index = find(items, count, label);
    bool good;

    if (index < 0)
        return not_found(items, count, label, why, why_cap);
    uint32_t mnemonic = mnemonic_of(items[index].label);
    if (mnemonic && is_only_one(items, count, mnemonic)) {
        good = add(keys, bar ? UM_HOTKEY_ALT : 0, 0, mnemonic, 1);
    } else {
        size_t before = 0;
        for (int i = 0; i < index; i++)
            before += !items[i].separator;
        good = (!bar || add(keys, 0, VK_F10, 0, 1)) &&
               add(keys, 0, bar ? VK_RIGHT : VK_DOWN, 0, before) &&
               add(keys, 0, bar && items[index].submenu ? VK_DOWN : VK_RETURN, 0, 1);
    }
    if (good)
        return index;
    snprintf(why, why_cap, "the menu needs more keys than uimon can send");
    return -1;
}
