#include "monitor/bench/inject.h"

#include <stdio.h>
#include <string.h>
#include <windows.h>

#include "base/plain/clock.h"
#include "base/utf8.h"
#include "base/wide_win32.h"
#include "base/wine_win32.h"
#include "monitor/target/target.h"

#define TITLE_COLUMNS 40
#define FRONT_LIMIT_NS UM_CLOCK_NS_PER_S
#define FRONT_POLL_NS (10 * UM_CLOCK_NS_PER_MS)
#define MAX_EVENTS 16
#define DEAD_KEY 0x80000000u
#define DOWN 0x80
#define KEEP_DEAD_KEYS 4 /* of ToUnicodeEx, since version 1607 of Windows 10 */

/* The events that are handed to the system in one call. */
struct events {
    INPUT list[MAX_EVENTS];
    UINT count;
    HKL layout;
};

static bool refuse(char *why, size_t why_cap, const char *what)
{
    snprintf(why, why_cap, "%s", what);
    return false;
}

/* The window in front -------------------------------------------------------------------------- */

static bool is_of(HWND hwnd, uint32_t pid, DWORD *owner)
{
    *owner = 0;
    return hwnd && GetWindowThreadProcessId(hwnd, owner) != 0 && *owner == pid;
}

/* Writes whose window it is, if it is not one that the aim allows. */
static bool refuse_other(const char *where, HWND hwnd, DWORD owner, uint32_t pid, char *why,
                         size_t why_cap)
{
    struct um_target_info info = {0};
    wchar_t title[128] = L"";
    char shown[384] = "";

    if (owner == 0) {
        snprintf(why, why_cap, "%s is no window", where);
    } else if (owner == pid) {
        GetWindowTextW(hwnd, title, ARRAYSIZE(title));
        um_wide_to_utf8(title, shown, sizeof shown);
        snprintf(why, why_cap, "%s is another window of the target (\"%s\") than before", where,
                 um_utf8_show(shown, TITLE_COLUMNS).text);
    } else {
        um_target->look(owner, 0, &info); /* fills in the name even if there is no window */
        snprintf(why, why_cap, "%s is %s (pid %lu), not the target", where,
                 info.name[0] ? um_utf8_show(info.name, TITLE_COLUMNS).text : "another program",
                 (unsigned long)owner);
    }
    return false;
}

static bool nothing_was_sent(char *why, size_t why_cap)
{
    size_t len = strlen(why);
    snprintf(why + len, why_cap - len, ": nothing was sent");
    return false;
}

/* Whether a window may get input. */
static bool check_window(const struct um_inject_aim *aim, HWND hwnd, const char *where, char *why,
                         size_t why_cap)
{
    HWND root = hwnd ? GetAncestor(hwnd, GA_ROOT) : NULL;
    DWORD owner;

    if (!is_of(hwnd, aim->pid, &owner))
        return refuse_other(where, root, owner, aim->pid, why, why_cap);
    for (size_t i = 0; i < aim->barred_count; i++)
        if (aim->barred[i] == (uint64_t)(uintptr_t)root)
            return refuse_other(where, root, owner, aim->pid, why, why_cap);
    return true;
}

static bool stayed(const struct um_inject_aim *aim, char *why, size_t why_cap)
{
    HWND front = GetForegroundWindow();
    HWND root = front ? GetAncestor(front, GA_ROOT) : NULL;

    if (!check_window(aim, front, "the foreground", why, why_cap))
        return false;
    return !aim->front || aim->front == (uint64_t)(uintptr_t)root ||
           refuse_other("the foreground", root, aim->pid, aim->pid, why, why_cap);
}

static uint64_t find_front(const struct um_inject_aim *aim, char *why, size_t why_cap)
{
    HWND front = GetForegroundWindow();

    if (!check_window(aim, front, "the foreground", why, why_cap)) {
        nothing_was_sent(why, why_cap);
        return 0;
    }
    return (uint64_t)(uintptr_t)GetAncestor(front, GA_ROOT);
}

static bool check_foreground(const struct um_inject_aim *aim, char *why, size_t why_cap)
{
    return stayed(aim, why, why_cap) || nothing_was_sent(why, why_cap);
}

static BOOL CALLBACK bar(HWND hwnd, LPARAM context)
{
    struct um_inject_aim *aim = (struct um_inject_aim *)context;
    DWORD owner;

    if (IsWindowVisible(hwnd) && is_of(hwnd, aim->pid, &owner) &&
        hwnd != GetAncestor(GetForegroundWindow(), GA_ROOT))
        aim->barred[aim->barred_count++] = (uint64_t)(uintptr_t)hwnd;
    return aim->barred_count < UM_INJECT_BARRED;
}

static void take_aim(struct um_inject_aim *aim, uint32_t pid)
{
    *aim = (struct um_inject_aim){.pid = pid};
    EnumWindows(bar, (LPARAM)aim);
}

static bool to_front(uint64_t hwnd, uint32_t pid, char *why, size_t why_cap)
{
    HWND window = (HWND)(uintptr_t)hwnd;
    uint64_t begun_ns = um_clock_now_ns();
    DWORD owner;

    /* Under Wine a thread is told of the locks that change after its first question. So one that
     * was on before uimon began is not known there; Windows knows it. */
    (void)GetKeyState(VK_CAPITAL);
    if (IsIconic(window))
        ShowWindowAsync(window, SW_RESTORE);
    /* The call may wait for the program's thread, so what it led to is looked at after it. */
    for (bool late = false;; late = um_clock_now_ns() - begun_ns > FRONT_LIMIT_NS) {
        if (is_of(GetForegroundWindow(), pid, &owner))
            return true;
        if (late)
            break;
        SetForegroundWindow(window);
        um_clock_sleep_ns(FRONT_POLL_NS);
    }
    return refuse(why, why_cap,
                  "the system does not let the program's window come to the front: click on it, "
                  "and do "
                  "not use the machine while the benchmark runs");
}

/* Keys ----------------------------------------------------------------------------------------- */

/* Whether a key shares its scan code with a key of the number pad: such a key needs a flag. */
static bool is_extended(WORD key)
{
    switch (key) {
    case VK_LEFT:
    case VK_UP:
    case VK_RIGHT:
    case VK_DOWN:
    case VK_HOME:
    case VK_END:
    case VK_PRIOR:
    case VK_NEXT:
    case VK_INSERT:
    case VK_DELETE:
    case VK_LWIN:
    case VK_APPS:
        return true;
    default:
        return false;
    }
}

static void add_key(struct events *events, WORD key, bool up)
{
    INPUT *input = &events->list[events->count++];
    *input = (INPUT){.type = INPUT_KEYBOARD};
    input->ki.wVk = key;
    input->ki.wScan = (WORD)MapVirtualKeyExW(key, MAPVK_VK_TO_VSC, events->layout);
    input->ki.dwFlags =
        (up ? KEYEVENTF_KEYUP : 0u) | (is_extended(key) ? KEYEVENTF_EXTENDEDKEY : 0u);
}

static void add_unit(struct events *events, WORD unit, bool up)
{
    INPUT *input = &events->list[events->count++];
    *input = (INPUT){.type = INPUT_KEYBOARD};
    input->ki.wScan = unit;
    input->ki.dwFlags = KEYEVENTF_UNICODE | (up ? KEYEVENTF_KEYUP : 0u);
}

static const struct {
    uint8_t bit;
    WORD key;
} modifiers[] = {
    {UM_HOTKEY_CTRL, VK_CONTROL},
    {UM_HOTKEY_ALT, VK_MENU},
    {UM_HOTKEY_SHIFT, VK_SHIFT},
    {UM_HOTKEY_WIN, VK_LWIN},
};
#define MODIFIERS (sizeof modifiers / sizeof modifiers[0])

static void add_press(struct events *events, uint8_t held, WORD key)
{
    for (size_t i = 0; i < MODIFIERS; i++)
        if (held & modifiers[i].bit)
            add_key(events, modifiers[i].key, false);
    add_key(events, key, false);
    add_key(events, key, true);
    for (size_t i = MODIFIERS; i > 0; i--)
        if (held & modifiers[i - 1].bit)
            add_key(events, modifiers[i - 1].key, true);
}

/* Whether a key makes this character and nothing else, with these modifiers and all locks as they
 * are now. */
static bool makes(WORD key, uint8_t held, uint32_t character, HKL layout)
{
    static const BYTE locks[] = {VK_CAPITAL, VK_KANA, VK_NUMLOCK, VK_SCROLL};
    UINT scan = MapVirtualKeyExW(key, MAPVK_VK_TO_VSC, layout);
    BYTE state[256] = {0};
    WCHAR made[8];

    for (size_t i = 0; i < sizeof locks; i++)
        state[locks[i]] = (BYTE)(GetKeyState(locks[i]) & 1);
    for (size_t i = 0; i < MODIFIERS; i++)
        if (held & modifiers[i].bit)
            state[modifiers[i].key] = DOWN;
    state[key] |= DOWN;
    return ToUnicodeEx(key, scan, state, made, ARRAYSIZE(made), KEEP_DEAD_KEYS, layout) == 1 &&
           made[0] == character;
}

/* The key that makes a character, and the modifiers for it; 0 if there is none. A dead key does not
 * count, because it makes no character by itself. */
static WORD find_key(uint32_t character, HKL layout, uint8_t *held)
{
    SHORT scan = character <= 0xffff ? VkKeyScanExW((WCHAR)character, layout) : -1;
    WORD key = LOBYTE(scan);
    BYTE shift = HIBYTE(scan);

    if (scan == -1 || shift > 7 || (MapVirtualKeyExW(key, MAPVK_VK_TO_CHAR, layout) & DEAD_KEY))
        return 0;
    *held = (uint8_t)((shift & 1 ? UM_HOTKEY_SHIFT : 0) | (shift & 2 ? UM_HOTKEY_CTRL : 0) |
                      (shift & 4 ? UM_HOTKEY_ALT : 0));
    return makes(key, *held, character, layout) ? key : 0;
}

static void add_character(struct events *events, uint32_t character)
{
    uint32_t above = character - 0x10000;
    WORD units[2] = {(WORD)character, 0};
    int count = 1;

    if (character > 0xffff) {
        units[0] = (WORD)(0xd800 | above >> 10);
        units[1] = (WORD)(0xdc00 | (above & 0x3ff));
        count = 2;
    }
    for (int i = 0; i < count; i++) {
        add_unit(events, units[i], false);
        add_unit(events, units[i], true);
    }
}

static bool add_input(struct events *events, const struct um_scenario_key *key, char *why,
                      size_t why_cap)
{
    uint8_t held = 0;
    WORD code = key->virtual_key;

    if (!code)
        code = find_key(key->character, events->layout, &held);
    if (code) {
        add_press(events, held | key->modifiers, code);
        return true;
    }
    if (key->modifiers)
        return refuse(why, why_cap,
                      "the keyboard layout of the program has no key for this character, so it "
                      "cannot be pressed with ctrl, alt, shift or win");
    add_character(events, key->character);
    return true;
}

/* Checks that nobody holds down a modifier, which would change the meaning of what is sent. */
static bool check_released(char *why, size_t why_cap)
{
    static const struct {
        int key;
        const char *name;
    } held[] = {{VK_CONTROL, "Ctrl"},
                {VK_MENU, "Alt"},
                {VK_SHIFT, "Shift"},
                {VK_LWIN, "Win"},
                {VK_RWIN, "Win"}};

    for (size_t i = 0; i < sizeof held / sizeof held[0]; i++) {
        if (GetAsyncKeyState(held[i].key) >= 0)
            continue;
        snprintf(why, why_cap, "%s is held down on the keyboard: nothing was sent", held[i].name);
        return false;
    }
    return true;
}

/* Caps Lock would invert the letters that are typed, and some programs' shortcuts too. */
static bool check_caps_lock(char *why, size_t why_cap)
{
    return !(GetKeyState(VK_CAPITAL) & 1) ||
           refuse(why, why_cap, "Caps Lock is on: nothing was sent; switch it off");
}

/* Makes the release that belongs to a press. False if the event is not a press. */
static bool make_release(const INPUT *press, INPUT *release)
{
    const DWORD buttons = MOUSEEVENTF_LEFTDOWN | MOUSEEVENTF_RIGHTDOWN | MOUSEEVENTF_MIDDLEDOWN;
    *release = *press;
    if (press->type == INPUT_KEYBOARD) {
        release->ki.dwFlags |= KEYEVENTF_KEYUP;
        return !(press->ki.dwFlags & KEYEVENTF_KEYUP);
    }
    release->mi.dwFlags <<= 1; /* each button's release is the bit above its press */
    return (press->mi.dwFlags & buttons) != 0;
}

static bool is_same(const INPUT *a, const INPUT *b)
{
    if (a->type != b->type)
        return false;
    return a->type == INPUT_MOUSE ? a->mi.dwFlags == b->mi.dwFlags
                                  : a->ki.wVk == b->ki.wVk && a->ki.wScan == b->ki.wScan &&
                                        a->ki.dwFlags == b->ki.dwFlags;
}

/* Called when the system took only the first `taken` events. Releases what is still down, the last
 * press first. */
static void release_taken(const struct events *events, UINT taken)
{
    struct events releases = {0};
    for (UINT i = taken; i-- > 0;) {
        INPUT release;
        UINT at = i + 1;
        if (!make_release(&events->list[i], &release))
            continue;
        while (at < taken && !is_same(&events->list[at], &release))
            at++;
        if (at == taken)
            releases.list[releases.count++] = release;
    }
    if (releases.count > 0)
        SendInput(releases.count, releases.list, sizeof releases.list[0]);
}

static bool send(struct events *events, char *why, size_t why_cap)
{
    UINT taken = SendInput(events->count, events->list, sizeof events->list[0]);
    if (taken == events->count)
        return true;
    snprintf(why, why_cap,
             "the system refuses input (error %lu): the program may run as administrator, or the "
             "screen may be locked",
             (unsigned long)GetLastError());
    release_taken(events, taken);
    return false;
}

static bool press_key(const struct um_inject_aim *aim, const struct um_scenario_key *key, char *why,
                      size_t why_cap)
{
    DWORD thread = GetWindowThreadProcessId(GetForegroundWindow(), NULL);
    struct events events = {.layout = GetKeyboardLayout(thread)};

    return check_caps_lock(why, why_cap) && add_input(&events, key, why, why_cap) &&
           check_released(why, why_cap) && check_foreground(aim, why, why_cap) &&
           send(&events, why, why_cap);
}

/* Mouse ---------------------------------------------------------------------------------------- */

static void add_mouse(struct events *events, DWORD flags, LONG data)
{
    INPUT *input = &events->list[events->count++];
    *input = (INPUT){.type = INPUT_MOUSE};
    input->mi.dwFlags = flags;
    input->mi.mouseData = (DWORD)data;
}

/* Moves the pointer to a point, and checks that it is there and over the target. */
static bool point_at(const struct um_inject_aim *aim, int32_t x, int32_t y, char *why,
                     size_t why_cap)
{
    POINT at;

    if (!check_foreground(aim, why, why_cap))
        return false;
    if (!GetCursorPos(&at) || at.x != x || at.y != y)
        SetCursorPos(x, y);
    if (!GetCursorPos(&at) || at.x != x || at.y != y)
        return refuse(why, why_cap,
                      "the pointer cannot be moved there: the point is off the screen, or somebody "
                      "is using the mouse");
    return check_window(aim, WindowFromPoint(at), "under the pointer", why, why_cap) ||
           nothing_was_sent(why, why_cap);
}

/* Whether a press of the left button that is sent arrives as one of the right button. SendInput
 * takes the buttons of the device, and the user may have swapped their meaning. Wine has that
 * setting too, but swaps only what comes from a real mouse. */
static bool are_swapped(void)
{
    return GetSystemMetrics(SM_SWAPBUTTON) != 0 && !um_wine_version();
}

static bool click(const struct um_inject_aim *aim, int32_t x, int32_t y,
                  enum um_scenario_button button, char *why, size_t why_cap)
{
    bool swapped = are_swapped();
    DWORD left = swapped ? MOUSEEVENTF_RIGHTDOWN : MOUSEEVENTF_LEFTDOWN;
    DWORD right = swapped ? MOUSEEVENTF_LEFTDOWN : MOUSEEVENTF_RIGHTDOWN;
    DWORD press = button == UM_SCENARIO_RIGHT    ? right
                  : button == UM_SCENARIO_MIDDLE ? MOUSEEVENTF_MIDDLEDOWN
                                                 : left;
    struct events events = {0};

    for (int i = 0; i < (button == UM_SCENARIO_DOUBLE ? 2 : 1); i++) {
        add_mouse(&events, press, 0);
        add_mouse(&events, press << 1, 0); /* its release, as in make_release */
    }
    return check_released(why, why_cap) && point_at(aim, x, y, why, why_cap) &&
           send(&events, why, why_cap);
}

static bool wheel(const struct um_inject_aim *aim, int32_t x, int32_t y, bool away, char *why,
                  size_t why_cap)
{
    struct events events = {0};
    add_mouse(&events, MOUSEEVENTF_WHEEL, away ? WHEEL_DELTA : -WHEEL_DELTA);
    return check_released(why, why_cap) && point_at(aim, x, y, why, why_cap) &&
           send(&events, why, why_cap);
}

static const struct um_inject_backend win32 = {
    .take_aim = take_aim,
    .to_front = to_front,
    .front = find_front,
    .key = press_key,
    .stayed = stayed,
    .click = click,
    .wheel = wheel,
};

const struct um_inject_backend *um_inject = &win32;
