/* --hotkeys: which keys do what. */
#include "monitor/options/options.h"

#include <stdio.h>
#include <string.h>

#include "base/hotkey.h"
#include "base/utf8.h"
#include "monitor/options/options_value.h"

#define ROW(id, name, keys, does) [UM_OPTIONS_HOTKEY_##id] = {keys, name, does, false},

static const struct um_options_hotkey defaults[UM_OPTIONS_HOTKEYS] = {UM_OPTIONS_HOTKEY_LIST(ROW)};

/* Takes NAME=KEYS off the front of *text, and the comma behind it. */
static bool take_item(const char **text, struct um_options_hotkey *item)
{
    struct um_hotkey hotkey;
    const char *equals = *text + strcspn(*text, "=,");
    const char *end = equals + strcspn(equals, ",");
    size_t name = (size_t)(equals - *text);
    size_t keys = *equals == '=' ? (size_t)(end - equals) - 1 : sizeof item->keys;
    size_t at = 0;

    while (at < UM_OPTIONS_HOTKEYS &&
           (strlen(defaults[at].name) != name || memcmp(defaults[at].name, *text, name) != 0))
        at++;
    if (at == UM_OPTIONS_HOTKEYS || keys >= sizeof item->keys)
        return false;
    *item = defaults[at];
    item->chosen = true;
    memcpy(item->keys, equals + 1, keys);
    item->keys[keys] = '\0';
    *text = *end ? end + 1 : end;
    return um_hotkey_parse(item->keys, &hotkey);
}

bool um_options_hotkeys_valid(const char *text)
{
    struct um_options_hotkey item;
    bool valid = true;

    if (um_utf8_equal(text, "none"))
        return true;
    do
        valid = take_item(&text, &item);
    while (valid && *text);
    return valid;
}

struct um_options_hotkey um_options_hotkeys_get(const struct um_options *options,
                                                enum um_options_hotkeys which)
{
    struct um_options_hotkey hotkey = defaults[which], item;
    const char *text = options->hotkeys ? options->hotkeys : "";

    if (um_utf8_equal(text, "none"))
        snprintf(hotkey.keys, sizeof hotkey.keys, "none");
    else
        while (*text && take_item(&text, &item))
            if (item.name == hotkey.name)
                hotkey = item;
    return hotkey;
}

void um_options_hotkeys_refused(const struct um_options *options, const struct um_hotkey *keys,
                                const bool *taken, enum um_options_hotkeys which, char *line,
                                size_t cap_bytes)
{
    struct um_options_hotkey hotkey = um_options_hotkeys_get(options, which);
    size_t same = um_hotkey_same(keys, taken, which);

    if (same == (size_t)which)
        snprintf(line, cap_bytes,
                 "another program has %s, so these keys cannot %s: choose others with --hotkeys "
                 "%s=KEYS",
                 hotkey.keys, hotkey.does, hotkey.name);
    else
        snprintf(line, cap_bytes,
                 "%s stands for two things: these keys %s, and cannot %s: choose others with "
                 "--hotkeys %s=KEYS",
                 hotkey.keys, defaults[same].does, hotkey.does, hotkey.name);
}
