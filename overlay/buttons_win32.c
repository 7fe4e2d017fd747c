#include "overlay/buttons_win32.h"

#include <stdbool.h>
#include <wchar.h>
#include <wctype.h>

#define MOST_WINDOWS 1024 /* in all, so that a program with very many does not slow the overlay */
#define NAME_CHARS 128

struct walk {
    HWND root;
    struct um_buttons *buttons;
};

/* Whether a class is that of the system's buttons, or one that toolkits derive from it, such as
 * WindowsForms10.BUTTON.app.0.378734a, TButton, TBitBtn and ThunderRT6CommandButton. */
static bool has_button_class(HWND window)
{
    wchar_t name[NAME_CHARS];
    int len = GetClassNameW(window, name, NAME_CHARS);

    for (int i = 0; i < len; i++)
        name[i] = (wchar_t)towlower(name[i]);
    return len > 0 && (wcsstr(name, L"button") || wcsstr(name, L"bitbtn"));
}

/* Whether a button's type is none of those that have a mark beside their text, or are a frame. One
 * that the program draws itself, as WinForms' check boxes are, is taken for a push button. */
static bool pushes(HWND window)
{
    switch (GetWindowLongPtrW(window, GWL_STYLE) & BS_TYPEMASK) {
    case BS_CHECKBOX:
    case BS_AUTOCHECKBOX:
    case BS_RADIOBUTTON:
    case BS_3STATE:
    case BS_AUTO3STATE:
    case BS_GROUPBOX:
    case BS_AUTORADIOBUTTON:
        return false;
    default:
        return true;
    }
}

/* The part of a window that none of the windows around it cuts off; false if there is none. */
static bool seen_part(HWND window, HWND root, RECT *part)
{
    RECT around, whole;

    if (!IsWindowVisible(window) || !GetWindowRect(window, part))
        return false;
    for (HWND at = window; at != root;) {
        at = GetAncestor(at, GA_PARENT);
        whole = *part;
        if (!at || !GetWindowRect(at, &around) || !IntersectRect(part, &whole, &around))
            return false;
    }
    return true;
}

/* FALSE ends the walk. */
static BOOL CALLBACK take_window(HWND window, LPARAM context)
{
    struct walk *walk = (struct walk *)context;
    struct um_buttons *buttons = walk->buttons;
    RECT part;

    if (has_button_class(window) && pushes(window) && seen_part(window, walk->root, &part))
        buttons->list[buttons->count++] =
            (struct um_anchor_rect){part.left, part.top, part.right, part.bottom};
    return ++buttons->windows < MOST_WINDOWS && buttons->count < UM_BUTTONS_MOST;
}

void um_buttons_add(HWND window, struct um_buttons *buttons)
{
    struct walk walk = {.root = window, .buttons = buttons};

    if (buttons->count < UM_BUTTONS_MOST && buttons->windows < MOST_WINDOWS)
        EnumChildWindows(window, take_window, (LPARAM)&walk);
}
