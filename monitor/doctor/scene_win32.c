#include "monitor/doctor/scene.h"

#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "base/plain/clock.h"
#include "ipc/overlay.h"
#include "monitor/target/target.h"

#define WINDOW_CLASS L"uimon-doctor"
#define OVERLAY_CLASS L"" UM_OVERLAY_CLASS
#define FRONT_LIMIT_NS UM_CLOCK_NS_PER_S
#define HIDE_NS (100 * UM_CLOCK_NS_PER_MS) /* until the moves of the mouse so far have arrived */
#define FRONT_POLL_NS (10 * UM_CLOCK_NS_PER_MS)
#define PICTURE_MAX_PX (4096 * 4096)

/* GetDpiForMonitor is in a DLL of its own. */
typedef HRESULT(WINAPI *dpi_function)(HMONITOR, int, UINT *, UINT *);

struct displays {
    struct um_scene_machine *machine;
    dpi_function dpi;
};

static BOOL CALLBACK take_display(HMONITOR monitor, HDC dc, LPRECT rect, LPARAM context)
{
    struct displays *displays = (struct displays *)context;
    struct um_scene_machine *machine = displays->machine;
    UINT x = 0;
    UINT y = 0;

    (void)dc;
    if (machine->display_count++ >= UM_SCENE_DISPLAYS)
        return TRUE;
    if (displays->dpi)
        displays->dpi(monitor, 0, &x, &y); /* MDT_EFFECTIVE_DPI */
    machine->displays[machine->display_count - 1] =
        (struct um_scene_display){.width_px = (uint32_t)(rect->right - rect->left),
                                  .height_px = (uint32_t)(rect->bottom - rect->top),
                                  .dpi = x};
    return TRUE;
}

/* The desktop that input goes to. A secure one cannot be opened, not even to read its name. */
static enum um_scene_desktop input_desktop(void)
{
    wchar_t name[64] = L"";
    DWORD len;
    HDESK desktop = OpenInputDesktop(0, FALSE, DESKTOP_READOBJECTS);

    if (!desktop)
        return GetLastError() == ERROR_ACCESS_DENIED ? UM_SCENE_DESKTOP_SECURE
                                                     : UM_SCENE_DESKTOP_UNKNOWN;
    BOOL has_name = GetUserObjectInformationW(desktop, UOI_NAME, name, sizeof name, &len);
    CloseDesktop(desktop);
    if (!has_name)
        return UM_SCENE_DESKTOP_UNKNOWN;
    return lstrcmpiW(name, L"Default") == 0 ? UM_SCENE_DESKTOP_NORMAL : UM_SCENE_DESKTOP_SECURE;
}

static void look_at_machine(struct um_scene_machine *machine)
{
    HMODULE shcore = LoadLibraryExW(L"shcore.dll", NULL, LOAD_LIBRARY_SEARCH_SYSTEM32);
    struct displays displays = {.machine = machine};

    memset(machine, 0, sizeof *machine);
    if (shcore)
        displays.dpi = (dpi_function)(uintptr_t)GetProcAddress(shcore, "GetDpiForMonitor");
    EnumDisplayMonitors(NULL, NULL, take_display, (LPARAM)&displays);
    if (shcore)
        FreeLibrary(shcore);
    machine->remote = GetSystemMetrics(SM_REMOTESESSION) != 0;
    machine->desktop = input_desktop();
    machine->shielded = um_target->is_shielded(GetCurrentProcessId());
}

/* Whether our DLL is marked for shadow stacks: CMakeLists.txt sets its marks, and explains them. */
static bool dll_has_cet(uint8_t bits)
{
#ifdef _MSC_VER
    return bits == 64;
#else
    (void)bits;
    return false;
#endif
}

/* Under Wine 8 all of these calls succeed and leave the answers at 0. Windows before 10 2004 fails
 * the one about shadow stacks, since it has no such policy. */
static void look_at_policy(uint32_t pid, uint8_t bits, struct um_scene_policy *policy)
{
    HANDLE process = OpenProcess(PROCESS_QUERY_INFORMATION, FALSE, pid);
    PROCESS_MITIGATION_BINARY_SIGNATURE_POLICY signature = {0};
    PROCESS_MITIGATION_IMAGE_LOAD_POLICY image = {0};
    PROCESS_MITIGATION_CONTROL_FLOW_GUARD_POLICY guard = {0};
    PROCESS_MITIGATION_USER_SHADOW_STACK_POLICY stack = {0};

    memset(policy, 0, sizeof *policy);
    if (!process)
        return;
    policy->known =
        GetProcessMitigationPolicy(process, ProcessSignaturePolicy, &signature, sizeof signature) &&
        GetProcessMitigationPolicy(process, ProcessImageLoadPolicy, &image, sizeof image);
    GetProcessMitigationPolicy(process, ProcessControlFlowGuardPolicy, &guard, sizeof guard);
    GetProcessMitigationPolicy(process, ProcessUserShadowStackPolicy, &stack, sizeof stack);
    policy->microsoft_only = signature.MicrosoftSignedOnly || signature.StoreSignedOnly;
    policy->no_low_images = image.NoLowMandatoryLabelImages != 0;
    policy->guard_only = guard.StrictMode != 0;
    policy->cet_only = stack.BlockNonCetBinaries || stack.BlockNonCetBinariesNonEhcont;
    /* The second policy also requires a table of exception continuations, which our DLL has not. */
    policy->dll_has_cet = dll_has_cet(bits) && !stack.BlockNonCetBinariesNonEhcont;
    CloseHandle(process);
}

static void find_pointer(int32_t *x, int32_t *y)
{
    POINT point = {0, 0};
    GetCursorPos(&point);
    *x = point.x;
    *y = point.y;
}

static void put_pointer(int32_t x, int32_t y)
{
    SetCursorPos(x, y);
}

static bool point_at(uint64_t hwnd)
{
    RECT rect;
    if (!GetWindowRect((HWND)(uintptr_t)hwnd, &rect))
        return false;
    return SetCursorPos((rect.left + rect.right) / 2, (rect.top + rect.bottom) / 2);
}

static void nudge(void)
{
    static LONG step = 1;
    INPUT input = {.type = INPUT_MOUSE, .mi = {.dx = step, .dwFlags = MOUSEEVENTF_MOVE}};
    SendInput(1, &input, sizeof input);
    step = -step;
}

static void pump(void)
{
    MSG msg;
    while (PeekMessageW(&msg, NULL, 0, 0, PM_REMOVE))
        DispatchMessageW(&msg);
}

static uint64_t open_window(bool *in_front)
{
    HINSTANCE instance = GetModuleHandleW(NULL);
    uint64_t until_ns = um_clock_now_ns() + FRONT_LIMIT_NS;
    WNDCLASSEXW class_info = {.cbSize = sizeof class_info,
                              .lpfnWndProc = DefWindowProcW,
                              .hInstance = instance,
                              .hCursor = LoadCursorW(NULL, (LPCWSTR)IDC_ARROW),
                              .hbrBackground = (HBRUSH)(COLOR_WINDOW + 1),
                              .lpszClassName = WINDOW_CLASS};

    *in_front = false;
    RegisterClassExW(&class_info); /* fails harmlessly the second time */
    HWND window = CreateWindowExW(0, WINDOW_CLASS, L"uimon doctor: a window in front",
                                  WS_OVERLAPPEDWINDOW | WS_VISIBLE, 20, 20, 360, 120, NULL, NULL,
                                  instance, NULL);
    while (window && !*in_front && um_clock_now_ns() < until_ns) {
        SetForegroundWindow(window);
        pump();
        *in_front = GetForegroundWindow() == window;
        um_clock_sleep_ns(FRONT_POLL_NS);
    }
    return (uint64_t)(uintptr_t)window;
}

static void close_window(uint64_t hwnd)
{
    if (hwnd)
        DestroyWindow((HWND)(uintptr_t)hwnd);
    pump();
}

/* The next message about a move of the mouse shows the pointer again. */
static bool hide_pointer(uint64_t hwnd)
{
    CURSORINFO info = {.cbSize = sizeof info};
    uint64_t until_ns = um_clock_now_ns() + HIDE_NS;

    point_at(hwnd);
    while (um_clock_now_ns() < until_ns) {
        pump();
        um_clock_sleep_ns(FRONT_POLL_NS);
    }
    SetCursor(NULL);
    return GetCursorInfo(&info) && info.flags == 0;
}

struct search {
    RECT target;
    RECT found_rect;
    HWND found;
};

static BOOL CALLBACK look_at_window(HWND hwnd, LPARAM context)
{
    struct search *search = (struct search *)context;
    wchar_t name[32] = L"";
    RECT rect;
    RECT common;

    GetClassNameW(hwnd, name, 32);
    if (lstrcmpW(name, OVERLAY_CLASS) == 0 && IsWindowVisible(hwnd) && GetWindowRect(hwnd, &rect) &&
        IntersectRect(&common, &rect, &search->target)) {
        search->found = hwnd;
        search->found_rect = rect;
    }
    return !search->found;
}

static void look_at_overlay(uint64_t hwnd, struct um_scene_overlay *overlay)
{
    HWND target = (HWND)(uintptr_t)hwnd;
    struct search search = {.found = NULL};

    memset(overlay, 0, sizeof *overlay);
    if (!GetWindowRect(target, &search.target))
        return;
    EnumWindows(look_at_window, (LPARAM)&search);
    if (!search.found)
        return;
    POINT middle = {(search.found_rect.left + search.found_rect.right) / 2,
                    (search.found_rect.top + search.found_rect.bottom) / 2};
    *overlay = (struct um_scene_overlay){
        .found = true,
        .click_through = GetAncestor(WindowFromPoint(middle), GA_ROOT) == target,
        .x = search.found_rect.left,
        .y = search.found_rect.top,
        .width = search.found_rect.right - search.found_rect.left,
        .height = search.found_rect.bottom - search.found_rect.top,
        .window = (uint64_t)(uintptr_t)search.found,
    };
}

/* FNV-1a over the pixels. */
static uint64_t hash_pixels(const uint32_t *pixels, size_t count)
{
    uint64_t value = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < count; i++)
        value = (value ^ (pixels[i] & 0xffffff)) * UINT64_C(0x100000001b3);
    return value;
}

/* Copies what a window or the screen shows of a place. Owner: free. NULL: the system gives none. */
static uint32_t *copy_pixels(HWND window, int x, int y, int width, int height, DWORD operation)
{
    BITMAPINFO info = {.bmiHeader = {.biSize = sizeof info.bmiHeader,
                                     .biWidth = width,
                                     .biHeight = -height,
                                     .biPlanes = 1,
                                     .biBitCount = 32,
                                     .biCompression = BI_RGB}};
    void *pixels = NULL;
    uint32_t *copy = NULL;

    if (width <= 0 || height <= 0 || width > PICTURE_MAX_PX / height)
        return NULL;
    HDC from = GetWindowDC(window);
    HDC memory = CreateCompatibleDC(from);
    HBITMAP bitmap = CreateDIBSection(memory, &info, DIB_RGB_COLORS, &pixels, NULL, 0);
    HGDIOBJ old = bitmap ? SelectObject(memory, bitmap) : NULL;
    size_t bytes = (size_t)width * (size_t)height * sizeof *copy;
    if (bitmap && BitBlt(memory, 0, 0, width, height, from, x, y, operation) && GdiFlush() &&
        (copy = malloc(bytes)))
        memcpy(copy, pixels, bytes);
    if (bitmap) {
        SelectObject(memory, old);
        DeleteObject(bitmap);
    }
    DeleteDC(memory);
    ReleaseDC(window, from);
    return copy;
}

static bool take_picture(const struct um_scene_overlay *part, bool layered, uint64_t *picture)
{
    uint32_t *pixels = copy_pixels(NULL, part->x, part->y, part->width, part->height,
                                   layered ? SRCCOPY | CAPTUREBLT : SRCCOPY);
    if (pixels)
        *picture = hash_pixels(pixels, (size_t)part->width * (size_t)part->height);
    free(pixels);
    return pixels != NULL;
}

/* The overlay is nearly black, but not all of it is. */
static bool is_readable(const struct um_scene_overlay *overlay)
{
    uint32_t *pixels = copy_pixels((HWND)(uintptr_t)overlay->window, 0, 0, overlay->width,
                                   overlay->height, SRCCOPY);
    size_t count = pixels ? (size_t)overlay->width * (size_t)overlay->height : 0;
    bool readable = false;

    for (size_t i = 0; i < count && !readable; i++)
        readable = (pixels[i] & 0xffffff) != 0;
    free(pixels);
    return readable;
}

static const struct um_scene_backend win32 = {
    .machine = look_at_machine,
    .policy = look_at_policy,
    .pointer = find_pointer,
    .put_pointer = put_pointer,
    .point_at = point_at,
    .nudge = nudge,
    .open_window = open_window,
    .pump = pump,
    .close_window = close_window,
    .hide_pointer = hide_pointer,
    .overlay = look_at_overlay,
    .readable = is_readable,
    .picture = take_picture,
};

const struct um_scene_backend *um_scene = &win32;
