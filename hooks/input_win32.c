/* What the monitor wants to know of the user's own input, when WATCH_INPUT has asked for it: which
 * messages start an interaction, which paint its outcome, and when exactly each has been dealt
 * with.
 *
 * A message has been dealt with when the next one is retrieved; but a thread with nothing to do
 * retrieves nothing until the next beat, a period later. So behind a message that matters a marker
 * is posted to our own window, whose retrieval is that boundary. Posted messages come first in,
 * first out and before input: the marker that is posted when WM_KEYDOWN is retrieved precedes the
 * WM_CHAR that TranslateMessage posts afterwards, and the marker posted when that one is retrieved
 * follows it. */
#include "hooks/hook_win32.h"
#include "ipc/key.h"

#define MARKER (WM_APP + 0x2f2)

/* A loop that retrieves only certain messages leaves markers lying in the queue. */
#define MARKERS_OUT_MAX 8

/* A program that posts characters to itself or paints without end costs no more than this many
 * markers for each input of the user's. A key makes one or two characters, and its outcome is in
 * the first WM_PAINT that follows it. */
#define CHARS_MAX 8
#define PAINTS_MAX 8

/* How long after an input has been dealt with a WM_PAINT may still be its outcome. */
#define RECENT_MS 1500

enum marker_of { MARKER_OF_PAINT, MARKER_OF_INPUT };

/* One system call, 16 to 50 µs under Wine. It waits for nobody, and when the system refuses, the
 * next retrieval of anything is the boundary. */
static void post_marker(enum marker_of of)
{
    /* Read once: the worker clears it when it leaves, and without a window the marker would become
     * a message to the target's thread. */
    HWND sink = *(HWND volatile *)&um_hook.sink;
    if (sink && um_hook.markers_out < MARKERS_OUT_MAX && PostMessageW(sink, MARKER, (WPARAM)of, 0))
        um_hook.markers_out++;
}

int um_input_take_marker(const MSG *msg, uint64_t ticks)
{
    if (msg->message != MARKER || !msg->hwnd || msg->hwnd != um_hook.sink)
        return 0;
    if (um_hook.markers_out > 0)
        um_hook.markers_out--;
    if (msg->wParam == MARKER_OF_INPUT)
        um_hook.input_ticks = ticks; /* its outcome is awaited from now on, however long it took */
    return 1;
}

static int is_key_press(UINT message)
{
    return message == WM_KEYDOWN || message == WM_SYSKEYDOWN;
}

/* Bit 30: the key was down before, so this is a repeat. A character that was sent without a key is
 * never held down, and has a part of itself there. */
static int starts_with_key(const MSG *msg)
{
    int repeats = msg->wParam != VK_PACKET && (msg->lParam & (LPARAM)1 << 30);
    return is_key_press(msg->message) && !repeats && !um_key_is_modifier((uint32_t)msg->wParam);
}

static uint8_t mouse_flags(UINT message)
{
    switch (message) {
    case WM_LBUTTONDOWN:
    case WM_LBUTTONDBLCLK: /* comes in the place of the second WM_LBUTTONDOWN */
    case WM_RBUTTONDOWN:
    case WM_RBUTTONDBLCLK:
    case WM_MBUTTONDOWN:
    case WM_MBUTTONDBLCLK:
    case WM_XBUTTONDOWN:
    case WM_XBUTTONDBLCLK:
    case WM_NCLBUTTONDOWN:
    case WM_NCLBUTTONDBLCLK:
    case WM_NCRBUTTONDOWN:
    case WM_NCRBUTTONDBLCLK:
    case WM_NCMBUTTONDOWN:
    case WM_NCMBUTTONDBLCLK:
    case WM_NCXBUTTONDOWN:
    case WM_NCXBUTTONDBLCLK:
    case WM_MOUSEWHEEL:
    case WM_MOUSEHWHEEL:
        return UM_WIRE_TAKEN_STARTS;
    case WM_LBUTTONUP:
    case WM_RBUTTONUP:
    case WM_MBUTTONUP:
    case WM_XBUTTONUP:
    case WM_NCLBUTTONUP:
    case WM_NCRBUTTONUP:
    case WM_NCMBUTTONUP:
    case WM_NCXBUTTONUP:
        return UM_WIRE_TAKEN_RELEASE;
    default:
        return 0;
    }
}

uint8_t um_input_look_device(const MSG *msg, uint64_t ticks)
{
    uint8_t flags = starts_with_key(msg) ? UM_WIRE_TAKEN_STARTS : mouse_flags(msg->message);
    if (flags) {
        um_hook.input_ticks = ticks;
        um_hook.input_window = msg->hwnd;
        um_hook.chars_left = CHARS_MAX;
        um_hook.paints_left = PAINTS_MAX;
        post_marker(MARKER_OF_INPUT);
    }
    return flags;
}

static int is_char(UINT message)
{
    return message == WM_CHAR || message == WM_DEADCHAR || message == WM_SYSCHAR ||
           message == WM_SYSDEADCHAR || message == WM_UNICHAR;
}

static int is_within(HWND window, HWND tree)
{
    return tree && (window == tree || IsChild(tree, window));
}

/* Whether this WM_PAINT can show the outcome of the last input. */
static int is_outcome(const MSG *msg, uint64_t ticks)
{
    return ticks - um_hook.input_ticks < um_hook.ticks_per_s * RECENT_MS / 1000 &&
           (is_within(msg->hwnd, um_hook.input_window) || is_within(msg->hwnd, GetFocus()));
}

uint8_t um_input_look_other(const MSG *msg, uint64_t ticks)
{
    if (msg->message == WM_PAINT && um_hook.paints_left > 0 && is_outcome(msg, ticks)) {
        um_hook.paints_left--;
        post_marker(MARKER_OF_PAINT);
        return UM_WIRE_TAKEN_PAINT;
    }
    if (is_char(msg->message) && um_hook.chars_left > 0) {
        um_hook.chars_left--;
        post_marker(MARKER_OF_INPUT);
    }
    return 0;
}

uint32_t um_input_key(const MSG *msg)
{
    return is_key_press(msg->message) ? (uint32_t)msg->wParam : 0;
}
