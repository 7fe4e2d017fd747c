/* Chooses how beats reach the target. Raw input has one registration a process and device class,
 * and a library that registers takes the target's own away, so ours is made only where there is
 * none, given up when the target makes its own, and removed only while it is still ours. */
#include "hooks/hook_win32.h"

#define HID_GENERIC_PAGE 1
#define HID_MOUSE 2
#define MAX_DEVICES 32

enum owner { OWNER_NONE, OWNER_SINK, OWNER_TARGET };

static enum um_probe wanted_probe;
static enum um_probe_status told_status;

/* Whose the process's raw mouse registration is. */
static enum owner mouse_owner(void)
{
    static RAWINPUTDEVICE devices[MAX_DEVICES]; /* the worker's alone; spares it a large stack */
    UINT found = MAX_DEVICES;
    enum owner owner = OWNER_NONE;

    UINT count = GetRegisteredRawInputDevices(devices, &found, sizeof devices[0]);
    if (count == (UINT)-1)
        return OWNER_TARGET; /* more than fit: surely some of the target's own */
    for (UINT i = 0; i < count; i++) {
        if (devices[i].usUsagePage != HID_GENERIC_PAGE)
            continue;
        if (devices[i].usUsage == 0) /* RIDEV_PAGEONLY: the whole page, mouse included */
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
    return GetRegisteredRawInputDevices(devices, &found, sizeof devices[0]) == 1 &&
           devices[0].hwndTarget == um_hook.sink;
}

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

/* Switches the heartbeat thread over and tells the monitor. The thread is stopped for it, because
 * one ring has one producer, and a beat that was on its way is forgotten. */
static void switch_to(enum um_probe probe, enum um_probe_status status, enum um_probe_reason reason,
                      DWORD error)
{
    um_heartbeat_stop();
    if (probe != UM_PROBE_RAW || status != UM_PROBE_ACTIVE)
        um_probe_release();
    atomic_store(&um_hook.probe, (int)probe);
    atomic_store(&um_hook.reason, (int)reason);
    um_heartbeat_push_probe(probe, status, reason, error);
    told_status = status;
    if (status == UM_PROBE_ACTIVE && !um_heartbeat_start())
        um_heartbeat_push_probe(probe, UM_PROBE_REFUSED, reason, GetLastError());
}

/* Raw input cannot be had: auto takes the mouse, and who asked for raw alone is told. */
static void fall_back(enum um_probe_reason reason, DWORD error)
{
    if (wanted_probe != UM_PROBE_AUTO)
        switch_to(UM_PROBE_RAW, UM_PROBE_REFUSED, reason, error);
    else if (atomic_load(&um_hook.probe) != UM_PROBE_MOUSE ||
             atomic_load(&um_hook.reason) != (int)reason) /* else nothing has changed */
        switch_to(UM_PROBE_MOUSE, UM_PROBE_ACTIVE, reason, error);
}

void um_probe_use(enum um_probe wanted, enum um_probe_reason why)
{
    wanted_probe = wanted;
    if (wanted == UM_PROBE_MOUSE) {
        switch_to(UM_PROBE_MOUSE, UM_PROBE_ACTIVE, why, 0);
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
    if (wanted == UM_PROBE_AUTO && why == UM_PROBE_REASON_ASKED)
        why = UM_PROBE_REASON_DEFAULT;
    switch_to(UM_PROBE_RAW, UM_PROBE_ACTIVE, why, 0);
}

/* Looks whether the registration is still what it was: the target may take it, or give it up. */
void um_probe_check(void)
{
    enum owner owner = mouse_owner();
    if (atomic_load(&um_hook.probe) != UM_PROBE_RAW)
        return;
    if (told_status == UM_PROBE_ACTIVE && owner == OWNER_TARGET)
        fall_back(UM_PROBE_REASON_TARGET_RAW, 0);
    else if (owner == OWNER_NONE)
        um_probe_use(wanted_probe, UM_PROBE_REASON_DEFAULT); /* it was removed under us */
}
