/* The kind of a message by its number, for the hook DLL, which sees messages retrieved, and for the
 * monitor, which gets their numbers. Registered messages and a program's own are of no kind. On the
 * hot path; freestanding, without windows.h.
 * Source: "Keyboard Input Notifications", "Mouse Input Notifications", "Pointer Input Messages",
 * Windows API reference.
 */
#ifndef UM_BASE_MESSAGE_H
#define UM_BASE_MESSAGE_H

#include <stdint.h>

enum um_message {
    UM_MESSAGE_PAINT = 0x000f,                 /* WM_PAINT */
    UM_MESSAGE_HIT_TEST = 0x0084,              /* WM_NCHITTEST */
    UM_MESSAGE_NC_MOUSE_MOVE = 0x00a0,         /* WM_NCMOUSEMOVE */
    UM_MESSAGE_NC_BUTTON_FIRST = 0x00a1,       /* WM_NCLBUTTONDOWN */
    UM_MESSAGE_INPUT = 0x00ff,                 /* WM_INPUT, raw input */
    UM_MESSAGE_KEY_DOWN = 0x0100,              /* WM_KEYDOWN */
    UM_MESSAGE_KEY_UP = 0x0101,                /* WM_KEYUP */
    UM_MESSAGE_CHARACTER = 0x0102,             /* WM_CHAR */
    UM_MESSAGE_DEAD_CHARACTER = 0x0103,        /* WM_DEADCHAR */
    UM_MESSAGE_SYSTEM_KEY_DOWN = 0x0104,       /* WM_SYSKEYDOWN */
    UM_MESSAGE_SYSTEM_KEY_UP = 0x0105,         /* WM_SYSKEYUP */
    UM_MESSAGE_SYSTEM_CHARACTER = 0x0106,      /* WM_SYSCHAR */
    UM_MESSAGE_SYSTEM_DEAD_CHARACTER = 0x0107, /* WM_SYSDEADCHAR */
    UM_MESSAGE_UNICODE_CHARACTER = 0x0109,     /* WM_UNICHAR */
    UM_MESSAGE_TIMER = 0x0113,                 /* WM_TIMER */
    UM_MESSAGE_SYSTEM_TIMER = 0x0118,          /* the system's own, for instance of a caret */
    UM_MESSAGE_MOUSE_MOVE = 0x0200,            /* WM_MOUSEMOVE */
    UM_MESSAGE_BUTTON_FIRST = 0x0201,          /* WM_LBUTTONDOWN */
    UM_MESSAGE_WHEEL = 0x020a,                 /* WM_MOUSEWHEEL */
    UM_MESSAGE_HORIZONTAL_WHEEL = 0x020e,      /* WM_MOUSEHWHEEL */
    UM_MESSAGE_TOUCH = 0x0240,                 /* WM_TOUCH */
    UM_MESSAGE_NC_POINTER_UPDATE = 0x0241,     /* WM_NCPOINTERUPDATE */
    UM_MESSAGE_NC_POINTER_UP = 0x0243,         /* WM_NCPOINTERUP */
    UM_MESSAGE_POINTER_UPDATE = 0x0245,        /* WM_POINTERUPDATE */
    UM_MESSAGE_POINTER_DOWN = 0x0246,          /* WM_POINTERDOWN */
    UM_MESSAGE_POINTER_UP = 0x0247             /* WM_POINTERUP */
};

static inline int um_message_is_key_press(uint32_t message)
{
    return message == UM_MESSAGE_KEY_DOWN || message == UM_MESSAGE_SYSTEM_KEY_DOWN;
}

/* A key pressed or released. */
static inline int um_message_is_key(uint32_t message)
{
    return um_message_is_key_press(message) || message == UM_MESSAGE_KEY_UP ||
           message == UM_MESSAGE_SYSTEM_KEY_UP;
}

/* What TranslateMessage, or an input method, makes of a key: dead and system characters too. */
static inline int um_message_is_character(uint32_t message)
{
    return message == UM_MESSAGE_CHARACTER || message == UM_MESSAGE_DEAD_CHARACTER ||
           message == UM_MESSAGE_SYSTEM_CHARACTER || message == UM_MESSAGE_SYSTEM_DEAD_CHARACTER ||
           message == UM_MESSAGE_UNICODE_CHARACTER;
}

static inline int um_message_is_mouse_move(uint32_t message)
{
    return message == UM_MESSAGE_MOUSE_MOVE || message == UM_MESSAGE_NC_MOUSE_MOVE;
}

static inline int um_message_is_wheel(uint32_t message)
{
    return message == UM_MESSAGE_WHEEL || message == UM_MESSAGE_HORIZONTAL_WHEEL;
}

/* Touch or pen; the mouse too, in a program that has asked for that (EnableMouseInPointer). */
static inline int um_message_is_pointer(uint32_t message)
{
    return (message >= UM_MESSAGE_TOUCH && message <= UM_MESSAGE_NC_POINTER_UP) ||
           (message >= UM_MESSAGE_POINTER_UPDATE && message <= UM_MESSAGE_POINTER_UP);
}

/* A finger or pen that comes down on the client area, or goes up. */
static inline int um_message_is_contact(uint32_t message)
{
    return message == UM_MESSAGE_POINTER_DOWN || message == UM_MESSAGE_POINTER_UP;
}

/* The place of a button's message among those of the client area, or of the frame around it: down,
 * up and double-click of the left button, then of the right and the middle one; then one place that
 * is no button's (the wheel's), then the X buttons. Negative for a message that is no button's. */
static inline int um_message_button_place(uint32_t message)
{
    uint32_t first =
        message >= UM_MESSAGE_BUTTON_FIRST ? UM_MESSAGE_BUTTON_FIRST : UM_MESSAGE_NC_BUTTON_FIRST;
    uint32_t place = message - first; /* huge for a message before the first one */
    if (place > 12 || place == 9)
        return -1;
    return (int)(place < 9 ? place : place - 1);
}

/* Which mouse button: 1 left, 2 right, 3 middle, 4 an X button; 0 for a message that is none's. */
static inline int um_message_button(uint32_t message)
{
    int place = um_message_button_place(message);
    return place < 0 ? 0 : place / 3 + 1;
}

/* A button released; other messages of a button are presses: a double-click comes in the place of
 * the second press. */
static inline int um_message_is_button_release(uint32_t message)
{
    int place = um_message_button_place(message);
    return place >= 0 && place % 3 == 1;
}

#endif
