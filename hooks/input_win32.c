/* Observes the user's interactions, only if WATCH_INPUT has asked for them: which messages start
 * one, which messages paint its outcome, and when the thread was done with each.
 *
 * A thread is done with a message when it retrieves the next one. But an idle thread retrieves
 * nothing until the next beat, a period later. So when such a message is retrieved, a marker is
 * posted to the sink window: the thread is done with the message when it retrieves the marker.
 *
 * Posted messages are retrieved in the order of their posting, and before input. So the marker that
 * is posted when WM_KEYDOWN is retrieved comes before the WM_CHAR that TranslateMessage posts
 * afterwards; the marker that is posted when this WM_CHAR is retrieved comes after it.
 *
 * A WM_PAINT that is sent (UpdateWindow) is not seen. A WH_CALLWNDPROC hook would see it, if it
 * were installed when the input is retrieved. But each message that the thread sends to itself
 * would then cost about 50 µs under Wine in place of 0.4 µs, and a click can send thousands of
 * them before it paints. */
#include "hooks/hook_win32.h"
#include "base/plain/key.h"
#include "base/plain/message.h"

/* At most so many markers in the queue: a loop that retrieves only certain messages leaves them. */
#define MARKERS_OUT_MAX 8

/* Markers at most for the characters and for the paintings after one input. More are not needed: a
 * key makes one or two characters, and the first WM_PAINT that follows shows its outcome. The limit
 * is for programs that post characters to themselves or paint without end. */
#define CHARS_MAX 8
#define PAINTS_MAX 8

/* How long after the thread was done with an input a WM_PAINT may still be its outcome. */
#define RECENT_MS 1500

/* Posts a marker behind the message that is being retrieved. One system call, 16 to 50 µs under
 * Wine, which does not block. If it fails, the thread counts as done with the message when it
 * retrieves any other one. */
static void post_marker(enum um_hook_marker of)
{
    /* Read once, because the worker clears it when it leaves. PostMessage without a window would
     * post the marker to the target's thread. */
    HWND sink = *(HWND volatile *)&um_hook.sink;
    if (sink && um_hook.markers_out < MARKERS_OUT_MAX &&
        PostMessageW(sink, UM_HOOK_MARKER, (WPARAM)of, 0))
        um_hook.markers_out++;
}

int um_input_take_marker(const MSG *msg, uint64_t ticks)
{
    if (msg->message != UM_HOOK_MARKER || !msg->hwnd || msg->hwnd != um_hook.sink)
        return 0;
    if (msg->wParam == UM_HOOK_MARKER_OF_TRACE) {
        um_trace_took_marker();
        return 1;
    }
    if (um_hook.markers_out > 0)
        um_hook.markers_out--;
    if (msg->wParam == UM_HOOK_MARKER_OF_INPUT)
        um_hook.input_ticks = ticks; /* the outcome of this input is awaited from now on */
    return 1;
}

static int starts_with_key(const MSG *msg)
{
    return um_message_is_key_press(msg->message) &&
           um_key_starts((uint32_t)msg->wParam, msg->lParam);
}

static uint8_t mouse_flags(UINT message)
{
    if (um_message_is_button_release(message) || message == UM_MESSAGE_POINTER_UP)
        return UM_WIRE_TAKEN_RELEASE;
    if (um_message_button(message) || um_message_is_wheel(message) ||
        message == UM_MESSAGE_POINTER_DOWN)
        return UM_WIRE_TAKEN_STARTS;
    return 0;
}

uint8_t um_input_on_device_message(const MSG *msg, uint64_t ticks)
{
    uint8_t flags = starts_with_key(msg) ? UM_WIRE_TAKEN_STARTS : mouse_flags(msg->message);
    if (flags) {
        um_hook.input_ticks = ticks;
        um_hook.input_window = msg->hwnd;
        um_hook.chars_left = CHARS_MAX;
        um_hook.paints_left = PAINTS_MAX;
        post_marker(UM_HOOK_MARKER_OF_INPUT);
    }
    return flags;
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

uint8_t um_input_on_other_message(const MSG *msg, uint64_t ticks)
{
    if (msg->message == WM_PAINT && um_hook.paints_left > 0 && is_outcome(msg, ticks)) {
        um_hook.paints_left--;
        post_marker(UM_HOOK_MARKER_OF_PAINT);
        return UM_WIRE_TAKEN_PAINT;
    }
    if (um_message_is_character(msg->message) && um_hook.chars_left > 0) {
        um_hook.chars_left--;
        post_marker(UM_HOOK_MARKER_OF_INPUT);
    }
    return 0;
}

uint32_t um_input_key(const MSG *msg)
{
    return um_message_is_key_press(msg->message) ? (uint32_t)msg->wParam : 0;
}
