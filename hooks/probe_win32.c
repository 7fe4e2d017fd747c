/* Chooses how beats reach the target: the probe.
 *
 * A process has one raw input registration for each device class, and registering again replaces
 * it. So that the target never loses its own, the DLL registers only where there is none, gives way
 * when the target registers, takes raw input up again when the target has removed its registration,
 * and removes a registration only while it is still the DLL's.
 *
 * The system has no call that registers, or removes, only if nobody else has registered. If the
 * target registers between the DLL's look and its call, its registration is replaced or removed,
 * and nothing shows that. So no other code may stand between the look and the call. */
#include "hooks/hook_win32.h"

#define HID_GENERIC_PAGE 1
#define HID_MOUSE 2
#define MAX_DEVICES 32

enum owner { OWNER_NONE, OWNER_SINK, OWNER_TARGET };

static enum um_probe wanted_probe;         /* what the monitor asked for */
static enum um_probe_status chosen_status; /* of the probe that was chosen for it */

/* Who holds the process's raw mouse registration. */
static enum owner mouse_owner(void)
{
    static RAWINPUTDEVICE devices[MAX_DEVICES]; /* only the worker calls this; spares its stack */
    UINT found = MAX_DEVICES;
    enum owner owner = OWNER_NONE;

    UINT count = GetRegisteredRawInputDevices(devices, &found, sizeof devices[0]);
    if (count == (UINT)-1)
        return OWNER_TARGET; /* there are more than fit, so surely some of the target's */
    for (UINT i = 0; i < count; i++) {
        if (devices[i].usUsagePage != HID_GENERIC_PAGE)
            continue;
        if (devices[i].usUsage == 0) /* RIDEV_PAGEONLY: the whole page, the mouse included */
            owner = OWNER_TARGET;
        if (devices[i].usUsage == HID_MOUSE)
            owner =
                um_hook.sink && devices[i].hwndTarget == um_hook.sink ? OWNER_SINK : OWNER_TARGET;
    }
    return owner;
}

int um_probe_sink_is_alone(void)
{
    RAWINPUTDEVICE devices[2];
    UINT found = 2;
    uint32_t lifted = atomic_load(&um_hook.lifted);
    UINT count = GetRegisteredRawInputDevices(devices, &found, sizeof devices[0]);
    return count == 0 ? lifted != 0 : count == 1 && devices[0].hwndTarget == um_hook.sink;
}

/* Registers for raw mouse input, or removes the registration. Returns 0, or the system's error. */
static DWORD register_sink(DWORD flags, HWND target)
{
    RAWINPUTDEVICE device = {.usUsagePage = HID_GENERIC_PAGE,
                             .usUsage = HID_MOUSE,
                             .dwFlags = flags,
                             .hwndTarget = target};
    if (RegisterRawInputDevices(&device, 1, sizeof device))
        return 0;
    DWORD error = GetLastError();
    return error ? error : ERROR_INVALID_FUNCTION;
}

void um_probe_release(void)
{
    if (mouse_owner() == OWNER_SINK)
        register_sink(RIDEV_REMOVE, NULL);
}

/* Switches the heartbeat thread over and sends a PROBE. The thread is stopped meanwhile, because
 * PROBE goes into its ring and a ring has one producer. A beat in flight is forgotten. */
static void switch_to(enum um_probe probe, enum um_probe_status status, enum um_probe_reason reason,
                      DWORD error)
{
    um_heartbeat_stop();
    atomic_store(&um_hook.lifted, 0);
    if (probe != UM_PROBE_RAW || status != UM_PROBE_ACTIVE)
        um_probe_release();
    atomic_store(&um_hook.probe, (int)probe);
    atomic_store(&um_hook.reason, (int)reason);
    um_heartbeat_push_probe(probe, status, reason, UM_PROBE_HELD_NOT, error);
    chosen_status = status;
    if (status == UM_PROBE_ACTIVE && !um_heartbeat_start())
        um_heartbeat_push_probe(probe, UM_PROBE_REFUSED, reason, UM_PROBE_HELD_NOT, GetLastError());
}

/* Raw input cannot be had: with AUTO the mouse probe takes its place, with RAW a PROBE says that it
 * is refused. */
static void fall_back(enum um_probe_reason reason, DWORD error)
{
    if (wanted_probe != UM_PROBE_AUTO)
        switch_to(UM_PROBE_RAW, UM_PROBE_REFUSED, reason, error);
    else if (atomic_load(&um_hook.probe) != UM_PROBE_MOUSE ||
             atomic_load(&um_hook.reason) != (int)reason) /* else nothing has changed */
        switch_to(UM_PROBE_MOUSE, UM_PROBE_ACTIVE, reason, error);
}

void um_probe_choose(enum um_probe wanted, enum um_probe_reason reason)
{
    wanted_probe = wanted;
    if (wanted == UM_PROBE_MOUSE) {
        switch_to(UM_PROBE_MOUSE, UM_PROBE_ACTIVE, reason, 0);
        return;
    }
    if (mouse_owner() == OWNER_TARGET) {
        fall_back(UM_PROBE_REASON_TARGET_RAW, 0);
        return;
    }
    DWORD error =
        um_hook.sink ? register_sink(RIDEV_INPUTSINK, um_hook.sink) : ERROR_INVALID_WINDOW_HANDLE;
    if (error) {
        fall_back(UM_PROBE_REASON_NO_SINK, error);
        return;
    }
    if (wanted == UM_PROBE_AUTO && reason == UM_PROBE_REASON_ASKED)
        reason = UM_PROBE_REASON_DEFAULT;
    switch_to(UM_PROBE_RAW, UM_PROBE_ACTIVE, reason, 0);
}

/* Whether the mouse probe is in use only because of the target's own registration. */
static int gave_way(void)
{
    return wanted_probe == UM_PROBE_AUTO && atomic_load(&um_hook.probe) == UM_PROBE_MOUSE &&
           atomic_load(&um_hook.reason) == UM_PROBE_REASON_TARGET_RAW;
}

void um_probe_check(void)
{
    enum owner owner = mouse_owner();
    if (gave_way() && owner == OWNER_NONE)
        um_probe_choose(UM_PROBE_AUTO, UM_PROBE_REASON_DEFAULT); /* the target has removed it */
    if (atomic_load(&um_hook.probe) != UM_PROBE_RAW)
        return;
    if (chosen_status == UM_PROBE_ACTIVE && owner == OWNER_TARGET)
        fall_back(UM_PROBE_REASON_TARGET_RAW, 0);
    else if (owner == OWNER_NONE && !atomic_load(&um_hook.lifted))
        um_probe_choose(wanted_probe, UM_PROBE_REASON_DEFAULT); /* something else removed it */
}

/* Takes the registration back for a beat, or with tag 0 while beats are held. The heartbeat thread
 * first looks for an outstanding beat, then sets `held`, then looks at `lifted`. So if this finds
 * the beat still outstanding, or beats still held, after it has set `lifted`, the heartbeat thread
 * sends no beat that would get lost. */
static void take_back(uint32_t tag)
{
    if (mouse_owner() != OWNER_SINK)
        return;
    atomic_store(&um_hook.lift_gone, 0);
    atomic_store(&um_hook.lifted, tag ? tag : UM_RAW_RELEASE_NO_BEAT);
    if (atomic_load(&um_hook.outstanding) != tag || (!tag && !atomic_load(&um_hook.held)) ||
        register_sink(RIDEV_REMOVE, NULL) != 0)
        atomic_store(&um_hook.lifted, 0);
}

/* Makes the registration again, unless the target has registered meanwhile. */
static void make_again(void)
{
    if (mouse_owner() == OWNER_TARGET) {
        fall_back(UM_PROBE_REASON_TARGET_RAW, 0);
        return;
    }
    DWORD error = register_sink(RIDEV_INPUTSINK, um_hook.sink);
    if (error) {
        fall_back(UM_PROBE_REASON_NO_SINK, error);
        return;
    }
    atomic_store(&um_hook.lifted, 0);
    if (um_hook.wake_event)
        SetEvent(um_hook.wake_event); /* the next beat is sent at once */
}

void um_probe_ask(void)
{
    static uint32_t asked;
    uint32_t tag = atomic_load(&um_hook.outstanding);
    if (!tag || !um_hook.sink || atomic_load(&um_hook.probe) != UM_PROBE_MOUSE ||
        (atomic_exchange(&um_hook.ask_out, 1) && tag == asked))
        return;
    asked = tag;
    (void)SendNotifyMessageW(um_hook.sink, UM_HOOK_ASK, tag, (LPARAM)um_hook_ticks());
}

/* Lets the UI thread look for the beat once more, when it has made the look before. */
static void post_look(uint64_t now)
{
    static uint64_t next;
    uint32_t tag = atomic_load(&um_hook.lifted);
    if (tag <= UM_RAW_RELEASE_NO_BEAT || now < next || atomic_exchange(&um_hook.look_posted, 1))
        return;
    next = now + um_hook.ticks_per_s * UM_RAW_RELEASE_POST_MS / 1000;
    if (!PostMessageW(um_hook.sink, UM_HOOK_LOOK, tag, 0))
        atomic_store(&um_hook.look_posted, 0);
}

/* What RIDEV_REMOVE does with raw input that is in a queue already is not documented: it "tells the
 * operating system to stop reading from a device" (RAWINPUTDEVICE, Windows API reference). Under
 * Wine it stays there. Should a Windows drop it, the beat is gone, and is abandoned in the end. */
void um_probe_lift(void)
{
    static struct um_raw_release lift;
    uint32_t tag = atomic_load(&um_hook.outstanding);
    struct um_raw_release_look look = {.now = um_hook_ticks(),
                                       .ticks_per_s = um_hook.ticks_per_s,
                                       .gone = tag && atomic_load(&um_hook.lift_gone) == tag,
                                       .tag = tag,
                                       .held = atomic_load(&um_hook.held),
                                       .lifted = atomic_load(&um_hook.lifted) != 0};

    if (atomic_load(&um_hook.probe) != UM_PROBE_RAW || chosen_status != UM_PROBE_ACTIVE)
        return;
    switch (um_raw_release_next(&lift, &look)) {
    case UM_RAW_RELEASE_TAKE_BACK:
        take_back(tag);
        break;
    case UM_RAW_RELEASE_MAKE_AGAIN:
        make_again();
        break;
    case UM_RAW_RELEASE_ABANDON:
        make_again();
        atomic_compare_exchange_strong(&um_hook.outstanding, &tag, 0);
        break;
    default:
        break;
    }
    post_look(look.now);
}
