/* Presses of keys with Ctrl+Alt+Shift, as a person's keyboard would give them to an X server. */
#ifndef UM_TESTS_E2E_CHORD_X11_H
#define UM_TESTS_E2E_CHORD_X11_H

#include <stdbool.h>

#include <X11/Xlib.h>
#include <X11/extensions/XTest.h>
#include <X11/keysym.h>

static inline void chord_key(Display *display, KeySym symbol, bool down)
{
    XTestFakeKeyEvent(display, XKeysymToKeycode(display, symbol), down, CurrentTime);
    XSync(display, False);
}

static inline void chord_modifiers(Display *display, bool down)
{
    chord_key(display, XK_Control_L, down);
    chord_key(display, XK_Alt_L, down);
    chord_key(display, XK_Shift_L, down);
}

static inline void chord_press(Display *display, KeySym symbol)
{
    chord_modifiers(display, true);
    chord_key(display, symbol, true);
    chord_key(display, symbol, false);
    chord_modifiers(display, false);
}

#endif
