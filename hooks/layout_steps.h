/* Which window messages are steps of a layout, and which window each is about: the one table of it.
 *
 * Numbers and meanings: Windows API reference, "Window Messages" and "Control Library". Messages of
 * WM_USER and above are missing where they mean something else for each class. Freestanding and
 * portable; on the hot path.
 */
#ifndef UM_HOOKS_LAYOUT_STEPS_H
#define UM_HOOKS_LAYOUT_STEPS_H

#include <stdint.h>

#include "ipc/wire.h"

/* The window that a message is about. */
enum um_layout_whose {
    UM_LAYOUT_RECEIVER,
    UM_LAYOUT_IN_LPARAM, /* lParam is its handle */
    UM_LAYOUT_DRAWN,     /* DRAWITEMSTRUCT.hwndItem, unless it is a menu */
    UM_LAYOUT_MEASURED,  /* the child whose id is MEASUREITEMSTRUCT.CtlID, unless it is a menu */
    UM_LAYOUT_NOTIFIER   /* NMHDR.hwndFrom; a step if the code is NM_CUSTOMDRAW */
};

/* X(message, name, step, whose) */
#define UM_LAYOUT_STEPS(X)                                                                         \
    X(0x0003, "WM_MOVE", ARRANGE, RECEIVER)                                                        \
    X(0x0005, "WM_SIZE", ARRANGE, RECEIVER)                                                        \
    X(0x000f, "WM_PAINT", PAINT, RECEIVER)                                                         \
    X(0x0014, "WM_ERASEBKGND", PAINT, RECEIVER)                                                    \
    X(0x0024, "WM_GETMINMAXINFO", MEASURE, RECEIVER)                                               \
    X(0x002b, "WM_DRAWITEM", PAINT, DRAWN)                                                         \
    X(0x002c, "WM_MEASUREITEM", MEASURE, MEASURED)                                                 \
    X(0x0046, "WM_WINDOWPOSCHANGING", ARRANGE, RECEIVER)                                           \
    X(0x0047, "WM_WINDOWPOSCHANGED", ARRANGE, RECEIVER)                                            \
    X(0x004e, "WM_NOTIFY", PAINT, NOTIFIER)                                                        \
    X(0x0083, "WM_NCCALCSIZE", MEASURE, RECEIVER)                                                  \
    X(0x0085, "WM_NCPAINT", PAINT, RECEIVER)                                                       \
    X(0x0132, "WM_CTLCOLORMSGBOX", PAINT, IN_LPARAM)                                               \
    X(0x0133, "WM_CTLCOLOREDIT", PAINT, IN_LPARAM)                                                 \
    X(0x0134, "WM_CTLCOLORLISTBOX", PAINT, IN_LPARAM)                                              \
    X(0x0135, "WM_CTLCOLORBTN", PAINT, IN_LPARAM)                                                  \
    X(0x0136, "WM_CTLCOLORDLG", PAINT, IN_LPARAM)                                                  \
    X(0x0137, "WM_CTLCOLORSCROLLBAR", PAINT, IN_LPARAM)                                            \
    X(0x0138, "WM_CTLCOLORSTATIC", PAINT, IN_LPARAM)                                               \
    X(0x0318, "WM_PRINTCLIENT", PAINT, RECEIVER)                                                   \
    X(0x1040, "LVM_APPROXIMATEVIEWRECT", MEASURE, RECEIVER)                                        \
    X(0x1205, "HDM_LAYOUT", MEASURE, RECEIVER)                                                     \
    X(0x1328, "TCM_ADJUSTRECT", MEASURE, RECEIVER)                                                 \
    X(0x1601, "BCM_GETIDEALSIZE", MEASURE, RECEIVER)

/* Whether a message is a step. WM_NOTIFY is one only with NM_CUSTOMDRAW. */
static inline int um_layout_step_of(uint32_t message, enum um_layout_step *step,
                                    enum um_layout_whose *whose)
{
    switch (message) {
#define UM_LAYOUT_STEP_CASE(number, name, what, about)                                             \
    case number:                                                                                   \
        *step = UM_LAYOUT_STEP_##what;                                                             \
        *whose = UM_LAYOUT_##about;                                                                \
        return 1;
        UM_LAYOUT_STEPS(UM_LAYOUT_STEP_CASE) /* NOLINT(bugprone-branch-clone): it is a table */
#undef UM_LAYOUT_STEP_CASE
    default:
        return 0;
    }
}

#endif
