#include "monitor/live/watch_keys.h"

#include <stdio.h>
#include <string.h>

#include "ipc/wire.h"
#include "monitor/live/watch_layout.h"
#include "monitor/live/watch_said.h"
#include "monitor/target/target.h"

_Static_assert(UM_OPTIONS_HOTKEYS <= UM_HOTKEYS_MAX, "some keys would not be registered");

/* Thread: the hotkeys'. */
static void on_key(void *context, size_t which)
{
    struct um_watch_keys *keys = context;
    char text[32];

    if (which == UM_OPTIONS_HOTKEY_HIDE) {
        atomic_fetch_xor(&keys->hide, 1);
        return;
    }
    if (which == UM_OPTIONS_HOTKEY_POSITION) {
        atomic_fetch_xor(&keys->move, 1);
        return;
    }
    if (which == UM_OPTIONS_HOTKEY_PANEL) {
        atomic_store(&keys->panel, (atomic_load(&keys->panel) + 1) % UM_WIRE_PANEL_COUNT);
        return;
    }
    if (which == UM_OPTIONS_HOTKEY_TRACE) {
        atomic_fetch_xor(&keys->trace, 1);
        return;
    }
    if (which == UM_OPTIONS_HOTKEY_LAYOUT) {
        um_watch_layout_next_mode(keys->layout);
        return;
    }
    if (which == UM_OPTIONS_HOTKEY_LAYOUT_PIN) {
        um_watch_layout_pin(keys->layout);
        return;
    }
    snprintf(text, sizeof text, "mark %u", keys->marks + 1);
    if (!um_watch_add_note(keys->watch, text))
        return;
    keys->marks++;
    um_line_queue_put(&keys->said->lines, text);
}

static bool may_trace(const struct um_options *options)
{
    return um_watch_is_seen(options) && !um_target->why_watch_only &&
           (!options->headless || options->trace != UM_OPTIONS_TRACE_OFF ||
            um_options_hotkeys_get(options, UM_OPTIONS_HOTKEY_TRACE).chosen);
}

/* Whether there is what these keys are for: an overlay to hide, a recording to mark. */
static bool needs_hotkey(const struct um_options *options, enum um_options_hotkeys which)
{
    if (which == UM_OPTIONS_HOTKEY_MARK)
        return options->record != NULL;
    if (which == UM_OPTIONS_HOTKEY_TRACE)
        return may_trace(options);
    if (which == UM_OPTIONS_HOTKEY_LAYOUT || which == UM_OPTIONS_HOTKEY_LAYOUT_PIN)
        return um_watch_is_seen(options) && !um_target->why_watch_only && !options->headless;
    return !options->headless;
}

/* Lets the greeting say how the overlay is moved and hidden, if these keys do it. */
static void name_keys(const struct um_watch_keys *keys, const struct um_options *options,
                      const struct um_hotkey *list, const bool *taken)
{
    static const struct {
        enum um_options_hotkeys which;
        const char *does;
    } told[] = {{UM_OPTIONS_HOTKEY_POSITION, "moves the overlay to the other edge"},
                {UM_OPTIONS_HOTKEY_HIDE, "hides the overlay"}};
    char *text = keys->said->keys;

    for (size_t i = 0; um_watch_is_seen(options) && i < sizeof told / sizeof told[0]; i++) {
        enum um_options_hotkeys which = told[i].which;
        size_t len = strlen(text);
        if (list[which].virtual_key != 0 && !taken[which])
            snprintf(text + len, sizeof keys->said->keys - len, "%s%s %s", len > 0 ? ", " : "",
                     um_options_hotkeys_get(options, which).keys, told[i].does);
    }
}

void um_watch_keys_open(struct um_watch_keys *keys, const struct um_options *options,
                        struct um_watch_layout *layout, struct um_watch_said *said,
                        struct um_watch *watch)
{
    struct um_hotkey list[UM_OPTIONS_HOTKEYS] = {{0}};
    bool taken[UM_OPTIONS_HOTKEYS] = {false};
    bool any = false;

    keys->layout = layout;
    keys->said = said;
    keys->watch = watch;
    for (int i = 0; i < UM_OPTIONS_HOTKEYS; i++) {
        if (needs_hotkey(options, (enum um_options_hotkeys)i))
            um_hotkey_parse(um_options_hotkeys_get(options, (enum um_options_hotkeys)i).keys,
                            &list[i]);
        any |= list[i].virtual_key != 0;
    }
    if (!any ||
        um_hotkeys->open(list, UM_OPTIONS_HOTKEYS, on_key, keys, taken, &keys->hotkeys) != UM_OK)
        return;
    name_keys(keys, options, list, taken);
    for (int i = 0; i < UM_OPTIONS_HOTKEYS; i++) {
        char text[UM_WATCH_LINE_BYTES];
        um_options_hotkeys_refused(options, list, taken, (enum um_options_hotkeys)i, text,
                                   sizeof text);
        if (taken[i])
            um_line_queue_put(&said->lines, text);
    }
}

void um_watch_keys_close(struct um_watch_keys *keys)
{
    um_hotkeys->close(keys->hotkeys);
    keys->hotkeys = NULL;
}
