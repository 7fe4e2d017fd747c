/* Which window messages are steps of a layout, and which window each is about: the one table of it.
 *
 * Numbers and meanings: Windows API reference, "Window Messages" and "Control Library". WM_USER
 * (0x0400) and above mean something else for each class of windows, so such a row has a class.
 * Freestanding and portable; on the hot path, but for um_layout_steps_name.
 */
#ifndef UM_IPC_LAYOUT_STEPS_H
#define UM_IPC_LAYOUT_STEPS_H

#include <stddef.h>
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

/* X(message, name, class, step, whose): class "" is any */
#define UM_LAYOUT_STEPS(X)                                                                         \
    X(0x0003, "WM_MOVE", "", ARRANGE, RECEIVER)                                                    \
    X(0x0005, "WM_SIZE", "", ARRANGE, RECEIVER)                                                    \
    X(0x000f, "WM_PAINT", "", PAINT, RECEIVER)                                                     \
    X(0x0014, "WM_ERASEBKGND", "", PAINT, RECEIVER)                                                \
    X(0x0024, "WM_GETMINMAXINFO", "", MEASURE, RECEIVER)                                           \
    X(0x002b, "WM_DRAWITEM", "", PAINT, DRAWN)                                                     \
    X(0x002c, "WM_MEASUREITEM", "", MEASURE, MEASURED)                                             \
    X(0x0046, "WM_WINDOWPOSCHANGING", "", ARRANGE, RECEIVER)                                       \
    X(0x0047, "WM_WINDOWPOSCHANGED", "", ARRANGE, RECEIVER)                                        \
    X(0x004e, "WM_NOTIFY", "", PAINT, NOTIFIER)                                                    \
    X(0x0083, "WM_NCCALCSIZE", "", MEASURE, RECEIVER)                                              \
    X(0x0085, "WM_NCPAINT", "", PAINT, RECEIVER)                                                   \
    X(0x0132, "WM_CTLCOLORMSGBOX", "", PAINT, IN_LPARAM)                                           \
    X(0x0133, "WM_CTLCOLOREDIT", "", PAINT, IN_LPARAM)                                             \
    X(0x0134, "WM_CTLCOLORLISTBOX", "", PAINT, IN_LPARAM)                                          \
    X(0x0135, "WM_CTLCOLORBTN", "", PAINT, IN_LPARAM)                                              \
    X(0x0136, "WM_CTLCOLORDLG", "", PAINT, IN_LPARAM)                                              \
    X(0x0137, "WM_CTLCOLORSCROLLBAR", "", PAINT, IN_LPARAM)                                        \
    X(0x0138, "WM_CTLCOLORSTATIC", "", PAINT, IN_LPARAM)                                           \
    X(0x0318, "WM_PRINTCLIENT", "", PAINT, RECEIVER)                                               \
    X(0x0417, "RB_SIZETORECT", "ReBarWindow32", ARRANGE, RECEIVER)                                 \
    X(0x0421, "TB_AUTOSIZE", "ToolbarWindow32", ARRANGE, RECEIVER)                                 \
    X(0x0463, "TB_GETIDEALSIZE", "ToolbarWindow32", MEASURE, RECEIVER)                             \
    X(0x0701, "LM_GETIDEALSIZE", "SysLink", MEASURE, RECEIVER)                                     \
    X(0x1009, "MCM_GETMINREQRECT", "SysMonthCal32", MEASURE, RECEIVER)                             \
    X(0x100f, "DTM_GETIDEALSIZE", "SysDateTimePick32", MEASURE, RECEIVER)                          \
    X(0x1040, "LVM_APPROXIMATEVIEWRECT", "SysListView32", MEASURE, RECEIVER)                       \
    X(0x1205, "HDM_LAYOUT", "SysHeader32", MEASURE, RECEIVER)                                      \
    X(0x1328, "TCM_ADJUSTRECT", "SysTabControl32", MEASURE, RECEIVER)                              \
    X(0x1601, "BCM_GETIDEALSIZE", "Button", MEASURE, RECEIVER)

/* Whether a message is a step, to windows of this class ("" is any). WM_NOTIFY is one only with
 * NM_CUSTOMDRAW. */
static inline int um_layout_step_of(uint32_t message, enum um_layout_step *step,
                                    enum um_layout_whose *whose, const char **of_class)
{
    switch (message) {
#define UM_LAYOUT_STEP_CASE(number, name, window_class, what, about)                               \
    case number:                                                                                   \
        *step = UM_LAYOUT_STEP_##what;                                                             \
        *whose = UM_LAYOUT_##about;                                                                \
        *of_class = window_class;                                                                  \
        return 1;
        UM_LAYOUT_STEPS(UM_LAYOUT_STEP_CASE) /* NOLINT(bugprone-branch-clone): it is a table */
#undef UM_LAYOUT_STEP_CASE
    default:
        return 0;
    }
}

/* Whether a window's class is one of the table, or was made of it: then its name has that of the
 * other in it, as "WindowsForms10.BUTTON.app.0.141b42a" has. ASCII letters of either case. */
static inline int um_layout_step_is_class(const char *window_class, const char *of_class)
{
    for (; *window_class; window_class++) {
        size_t len = 0;
        while (of_class[len] &&
               ((window_class[len] ^ of_class[len]) & ~(of_class[len] >= 'A' ? 0x20 : 0)) == 0)
            len++;
        if (!of_class[len])
            return 1;
    }
    return !*of_class;
}

/* Writes the name of a message that is a step; of another one as um_message_names_get does. Always
 * NUL-terminated; UM_MESSAGE_NAMES_BYTES are enough. */
void um_layout_steps_name(uint32_t message, char *buf, size_t cap_bytes);

#endif
