/* Keys that the X server keeps from all other programs (GrabKey). Under Wayland, XWayland can do so
 * only while one of its own windows has the keyboard. */
#include "base/hotkeys.h"

#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <xcb/xcb.h>

#include "base/server_x11.h"
#include "base/thread.h"

/* Source: keysymdef.h of the X11 protocol. */
#define KEYSYM_F1 0xffbeu
#define KEYSYM_NUM_LOCK 0xff7fu
#define KEYSYM_ALT 0xffe9u
#define KEYSYM_SUPER 0xffebu
/* Source: winuser.h, whose numbers keys have in uimon. */
#define VIRTUAL_F1 0x70
#define VIRTUAL_F24 0x87
#define MODIFIER_ROWS 8
#define LOCK_STATES 4 /* of caps lock and num lock, in which a hotkey works alike */

/* A key as the server knows it. */
struct grab {
    xcb_keycode_t code; /* 0: the keyboard has none such */
    uint16_t modifiers;
    bool ours; /* no other program has it */
};

struct um_hotkeys {
    struct um_hotkey keys[UM_HOTKEYS_MAX];
    struct grab grabs[UM_HOTKEYS_MAX];
    size_t count;
    void (*pressed)(void *context, size_t which);
    void *context;
    xcb_connection_t *connection;
    xcb_window_t root;
    uint16_t alt, super, num_lock; /* which modifier each one is */
    int stop;                      /* an eventfd */
    struct um_thread thread;
};

/* The keyboard --------------------------------------------------------------------------------- */

static uint32_t keysym_of(const struct um_hotkey *key)
{
    if (key->virtual_key >= 'A' && key->virtual_key <= 'Z')
        return key->virtual_key - 'A' + (uint32_t)'a';
    if (key->virtual_key >= VIRTUAL_F1 && key->virtual_key <= VIRTUAL_F24)
        return key->virtual_key - VIRTUAL_F1 + KEYSYM_F1;
    return key->virtual_key;
}

/* The key that has this symbol: without modifiers, or else with some, as the digits of a French
 * keyboard and the Latin letters of a Greek one; 0: there is none. */
static xcb_keycode_t find_code(const xcb_get_keyboard_mapping_reply_t *map, xcb_keycode_t first,
                               uint32_t keysym)
{
    const xcb_keysym_t *symbols = xcb_get_keyboard_mapping_keysyms(map);
    int columns = map->keysyms_per_keycode;
    int codes = columns > 0 ? xcb_get_keyboard_mapping_keysyms_length(map) / columns : 0;

    for (int column = 0; column < columns; column++)
        for (int code = 0; code < codes; code++)
            if (symbols[code * columns + column] == keysym)
                return (xcb_keycode_t)(first + code);
    return 0;
}

/* The modifier that the key with this symbol is; `otherwise` if it is none. */
static uint16_t find_modifier(const xcb_get_keyboard_mapping_reply_t *map, xcb_keycode_t first,
                              const xcb_get_modifier_mapping_reply_t *modifiers, uint32_t keysym,
                              uint16_t otherwise)
{
    xcb_keycode_t code = find_code(map, first, keysym);
    const xcb_keycode_t *codes = xcb_get_modifier_mapping_keycodes(modifiers);

    for (int row = 0; code && row < MODIFIER_ROWS; row++)
        for (int i = 0; i < modifiers->keycodes_per_modifier; i++)
            if (codes[row * modifiers->keycodes_per_modifier + i] == code)
                return (uint16_t)(1 << row);
    return otherwise;
}

static uint16_t modifiers_of(const struct um_hotkeys *hotkeys, const struct um_hotkey *key)
{
    return (uint16_t)((key->modifiers & UM_HOTKEY_CTRL ? XCB_MOD_MASK_CONTROL : 0) |
                      (key->modifiers & UM_HOTKEY_ALT ? hotkeys->alt : 0) |
                      (key->modifiers & UM_HOTKEY_SHIFT ? XCB_MOD_MASK_SHIFT : 0) |
                      (key->modifiers & UM_HOTKEY_WIN ? hotkeys->super : 0));
}

/* Finds the keys and modifiers on the keyboard as it is now. */
static void read_keyboard(struct um_hotkeys *hotkeys)
{
    const xcb_setup_t *setup = xcb_get_setup(hotkeys->connection);
    xcb_keycode_t first = setup->min_keycode;
    xcb_get_keyboard_mapping_reply_t *map = xcb_get_keyboard_mapping_reply(
        hotkeys->connection,
        xcb_get_keyboard_mapping(hotkeys->connection, first,
                                 (uint8_t)(setup->max_keycode - first + 1)),
        NULL);
    xcb_get_modifier_mapping_reply_t *modifiers = xcb_get_modifier_mapping_reply(
        hotkeys->connection, xcb_get_modifier_mapping(hotkeys->connection), NULL);

    for (size_t i = 0; i < hotkeys->count; i++)
        hotkeys->grabs[i] = (struct grab){0};
    if (map && modifiers) {
        hotkeys->alt = find_modifier(map, first, modifiers, KEYSYM_ALT, XCB_MOD_MASK_1);
        hotkeys->super = find_modifier(map, first, modifiers, KEYSYM_SUPER, XCB_MOD_MASK_4);
        hotkeys->num_lock = find_modifier(map, first, modifiers, KEYSYM_NUM_LOCK, XCB_MOD_MASK_2);
        for (size_t i = 0; i < hotkeys->count; i++)
            if (hotkeys->keys[i].virtual_key)
                hotkeys->grabs[i] =
                    (struct grab){find_code(map, first, keysym_of(&hotkeys->keys[i])),
                                  modifiers_of(hotkeys, &hotkeys->keys[i]), false};
    }
    free(map);
    free(modifiers);
}

/* Grabbing ------------------------------------------------------------------------------------- */

static void ungrab(const struct um_hotkeys *hotkeys, const struct grab *grab, uint16_t locks)
{
    xcb_ungrab_key(hotkeys->connection, grab->code, hotkeys->root, grab->modifiers | locks);
}

/* False: another program has the key. */
static bool grab_key(const struct um_hotkeys *hotkeys, const struct grab *grab)
{
    const uint16_t locks[LOCK_STATES] = {0, XCB_MOD_MASK_LOCK, hotkeys->num_lock,
                                         XCB_MOD_MASK_LOCK | hotkeys->num_lock};
    xcb_void_cookie_t cookies[LOCK_STATES];
    bool free_for_us = true;

    for (size_t i = 0; i < LOCK_STATES; i++)
        cookies[i] =
            xcb_grab_key_checked(hotkeys->connection, 0, hotkeys->root, grab->modifiers | locks[i],
                                 grab->code, XCB_GRAB_MODE_ASYNC, XCB_GRAB_MODE_ASYNC);
    for (size_t i = 0; i < LOCK_STATES; i++) {
        xcb_generic_error_t *error = xcb_request_check(hotkeys->connection, cookies[i]);
        free_for_us = free_for_us && !error;
        free(error);
    }
    for (size_t i = 0; !free_for_us && i < LOCK_STATES; i++)
        ungrab(hotkeys, grab, locks[i]);
    return free_for_us;
}

/* Registers all keys. The server would let one program have the same key twice. */
static void grab_all(struct um_hotkeys *hotkeys, bool *taken)
{
    for (size_t i = 0; i < hotkeys->count; i++) {
        struct grab *grab = &hotkeys->grabs[i];
        grab->ours = grab->code != 0 && um_hotkey_same(hotkeys->keys, taken, i) == i &&
                     grab_key(hotkeys, grab);
        taken[i] = grab->code != 0 && !grab->ours;
    }
}

/* The server says so whenever another keyboard is typed on, too. Then the keys are kept, so that
 * none is missed that is pressed meanwhile. What is taken after a change is not told any more. */
static void keyboard_changed(struct um_hotkeys *hotkeys)
{
    struct grab before[UM_HOTKEYS_MAX];
    uint16_t num_lock = hotkeys->num_lock;
    bool taken[UM_HOTKEYS_MAX] = {false}, same = true;

    memcpy(before, hotkeys->grabs, sizeof before);
    read_keyboard(hotkeys);
    for (size_t i = 0; i < hotkeys->count; i++)
        same = same && before[i].code == hotkeys->grabs[i].code &&
               before[i].modifiers == hotkeys->grabs[i].modifiers;
    if (same && num_lock == hotkeys->num_lock) {
        memcpy(hotkeys->grabs, before, sizeof before);
        return;
    }
    xcb_ungrab_key(hotkeys->connection, XCB_GRAB_ANY, hotkeys->root, XCB_MOD_MASK_ANY);
    grab_all(hotkeys, taken);
}

/* Events --------------------------------------------------------------------------------------- */

static void take_press(const struct um_hotkeys *hotkeys, const xcb_key_press_event_t *event)
{
    uint16_t known =
        (uint16_t)(XCB_MOD_MASK_CONTROL | XCB_MOD_MASK_SHIFT | hotkeys->alt | hotkeys->super);

    for (size_t i = 0; i < hotkeys->count; i++)
        if (hotkeys->grabs[i].ours && hotkeys->grabs[i].code == event->detail &&
            hotkeys->grabs[i].modifiers == (event->state & known))
            hotkeys->pressed(hotkeys->context, i);
}

/* A key that is held down is released and pressed again, both at the same time. `released` is the
 * last release. */
static bool is_repeated(const xcb_key_press_event_t *event, const xcb_key_press_event_t *released)
{
    return released->detail == event->detail && released->time == event->time;
}

static void take_events(struct um_hotkeys *hotkeys, xcb_key_press_event_t *released)
{
    xcb_generic_event_t *event;

    while ((event = xcb_poll_for_event(hotkeys->connection))) {
        const xcb_key_press_event_t *key = (const xcb_key_press_event_t *)event;
        switch (event->response_type & 0x7f) {
        case XCB_KEY_PRESS:
            if (!is_repeated(key, released))
                take_press(hotkeys, key);
            break;
        case XCB_KEY_RELEASE:
            *released = *key;
            break;
        case XCB_MAPPING_NOTIFY:
            if (((const xcb_mapping_notify_event_t *)event)->request != XCB_MAPPING_POINTER)
                keyboard_changed(hotkeys);
            break;
        default:
            break;
        }
        free(event);
    }
}

static void run(void *context)
{
    struct um_hotkeys *hotkeys = context;
    xcb_key_press_event_t released = {0};
    struct pollfd files[] = {{.fd = xcb_get_file_descriptor(hotkeys->connection), .events = POLLIN},
                             {.fd = hotkeys->stop, .events = POLLIN}};

    do {
        take_events(hotkeys, &released);
        xcb_flush(hotkeys->connection);
        if (xcb_connection_has_error(hotkeys->connection))
            return;
        poll(files, 2, -1);
    } while (files[1].revents == 0);
}

/* Opening -------------------------------------------------------------------------------------- */

static void close_hotkeys(struct um_hotkeys *hotkeys)
{
    const uint64_t one = 1;

    if (!hotkeys)
        return;
    if (hotkeys->stop >= 0) {
        ssize_t written = write(hotkeys->stop, &one, sizeof one);
        (void)written;                          /* nobody else writes, so there is room */
        um_server_give_up(hotkeys->connection); /* it may hang, and the thread wait for an answer */
        um_thread_join(&hotkeys->thread);
        close(hotkeys->stop);
    }
    um_server_close(hotkeys->connection); /* the keys are given back with it */
    free(hotkeys);
}

static bool connect_to(struct um_hotkeys *hotkeys)
{
    int number;
    const xcb_screen_t *screen = um_server_open(&hotkeys->connection, &number);

    if (screen)
        hotkeys->root = screen->root;
    return screen != NULL;
}

static enum um_status open_hotkeys(const struct um_hotkey *keys, size_t count,
                                   void (*pressed)(void *context, size_t which), void *context,
                                   bool *taken, struct um_hotkeys **hotkeys_out)
{
    struct um_hotkeys *hotkeys = calloc(1, sizeof *hotkeys);

    if (!hotkeys)
        return UM_ERR_MEMORY;
    for (size_t i = 0; i < count && i < UM_HOTKEYS_MAX; i++)
        hotkeys->keys[hotkeys->count++] = keys[i];
    hotkeys->pressed = pressed;
    hotkeys->context = context;
    hotkeys->stop = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    enum um_status status = hotkeys->stop < 0     ? UM_ERR_MEMORY
                            : connect_to(hotkeys) ? UM_OK
                                                  : UM_ERR_UNSUPPORTED;
    if (status == UM_OK) {
        read_keyboard(hotkeys);
        grab_all(hotkeys, taken);
        status = um_thread_start(run, hotkeys, &hotkeys->thread);
    }
    if (status != UM_OK) {
        close_hotkeys(hotkeys);
        return status;
    }
    *hotkeys_out = hotkeys;
    return UM_OK;
}

static const struct um_hotkeys_backend x11 = {
    .open = open_hotkeys,
    .close = close_hotkeys,
};

const struct um_hotkeys_backend *um_hotkeys = &x11;
