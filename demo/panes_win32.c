#include "demo/panes_win32.h"

#include <stdbool.h>
#include <stdio.h>

#include "demo/paint_win32.h"
#include "demo/play.h"
#include "demo/spin_win32.h"
#include "base/plain/clock.h"

#define PANES 3
#define GAP_PX 6 /* between a pane and the one within it */
#define TIMER 1  /* of the outer pane */
#define EVERY_MS 60

static struct pane {
    const wchar_t *name;
    uint32_t ms;
    HWND hwnd;
    uint64_t begin_ns, end_ns; /* how long it kept the processor busy; 0: not at all */
} panes[PANES] = {{.name = L"outer", .ms = 1}, {.name = L"middle", .ms = 5}, {.name = L"inner"}};

static struct pane *const inner = &panes[PANES - 1];
static struct um_demo_ui *user; /* NULL: there are no panes, or they are being made */
static RECT outer_place;
static bool narrower;
static uint32_t left; /* how often the play will still resize them */
static struct um_demo_log_event play;

/* Logs it if that gave the pane another size. */
static void move_pane(struct pane *pane, int x, int y, int width, int height)
{
    struct um_demo_log_event event = {.kind = UM_DEMO_LOG_PANE,
                                      .requested_ms = pane->ms,
                                      .retrieved_ns = um_clock_now_ns(),
                                      .tid = GetCurrentThreadId()};
    pane->begin_ns = pane->end_ns = 0;
    MoveWindow(pane->hwnd, x, y, width, height, FALSE);
    event.handled_ns = um_clock_now_ns();
    event.begin_ns = pane->begin_ns;
    event.end_ns = pane->end_ns;
    snprintf(event.name, sizeof event.name, "%ls", pane->name);
    if (event.end_ns && user)
        um_demo_journal_write(user->journal, &event);
}

static void size_pane(struct pane *pane, int width, int height)
{
    if (pane != inner)
        move_pane(pane + 1, GAP_PX, GAP_PX, width - 2 * GAP_PX, height - 2 * GAP_PX);
    pane->begin_ns = um_clock_now_ns();
    um_demo_spin_ns(pane->ms * UM_CLOCK_NS_PER_MS);
    pane->end_ns = um_clock_now_ns();
}

static void move_outer(void)
{
    move_pane(&panes[0], outer_place.left, outer_place.top,
              outer_place.right - outer_place.left - narrower,
              outer_place.bottom - outer_place.top);
}

static void on_timer(void)
{
    if (left == 0) /* it came before KillTimer was called */
        return;
    um_demo_panes_resize();
    if (--left > 0)
        return;
    KillTimer(panes[0].hwnd, TIMER);
    play.end_ns = um_clock_now_ns();
    um_demo_journal_write(user->journal, &play);
    um_demo_ui_finish(user);
}

static void draw_pane(HWND hwnd, HDC dc)
{
    RECT client;
    GetClientRect(hwnd, &client);
    um_demo_paint_box(dc, &client, 0, UM_DEMO_PAINT_CARD, UM_DEMO_PAINT_LINE);
}

static LRESULT CALLBACK pane_proc(HWND hwnd, UINT message, WPARAM wparam, LPARAM lparam)
{
    struct pane *pane = panes;
    while (pane < panes + PANES && pane->hwnd != hwnd)
        pane++;
    if (!user || pane == panes + PANES)
        return DefWindowProcW(hwnd, message, wparam, lparam);
    switch (message) {
    case WM_SIZE:
        size_pane(pane, LOWORD(lparam), HIWORD(lparam));
        return 0;
    case WM_TIMER:
        on_timer();
        return 0;
    case WM_ERASEBKGND:
        draw_pane(hwnd, (HDC)wparam);
        return 1;
    case WM_CTLCOLORSTATIC:
        return (LRESULT)GetStockObject(WHITE_BRUSH);
    case WM_DESTROY: /* the outer one's comes first */
        user = NULL;
        return 0;
    }
    return DefWindowProcW(hwnd, message, wparam, lparam);
}

void um_demo_panes_open(struct um_demo_ui *ui, HWND parent, const RECT *place, uint32_t inner_ms)
{
    WNDCLASSW pane_class = {.lpfnWndProc = pane_proc,
                            .hInstance = GetModuleHandleW(NULL),
                            .hCursor = LoadCursorW(NULL, (LPCWSTR)IDC_ARROW),
                            .lpszClassName = UM_DEMO_PANES_CLASS};
    RECT area = *place;
    if (user)
        return;
    RegisterClassW(&pane_class); /* fails harmlessly the second time */
    for (int i = 0; i < PANES; i++) {
        panes[i].hwnd = CreateWindowExW(
            0, UM_DEMO_PANES_CLASS, panes[i].name, WS_CHILD | WS_VISIBLE | WS_CLIPCHILDREN,
            area.left, area.top, area.right - area.left, area.bottom - area.top,
            i ? panes[i - 1].hwnd : parent, NULL, pane_class.hInstance, NULL);
        SetRect(&area, GAP_PX, GAP_PX, area.right - area.left - GAP_PX,
                area.bottom - area.top - GAP_PX);
    }
    (void)CreateWindowExW(0, L"Static", L"label", WS_CHILD | WS_VISIBLE, area.left, area.top, 60,
                          20, inner->hwnd, NULL, pane_class.hInstance, NULL);
    outer_place = *place;
    narrower = false;
    left = 0;
    inner->ms = inner_ms;
    user = ui;
}

void um_demo_panes_place(const RECT *place)
{
    if (!user)
        return;
    outer_place = *place;
    move_outer();
    RedrawWindow(panes[0].hwnd, NULL, NULL, RDW_INVALIDATE | RDW_ERASE | RDW_ALLCHILDREN);
}

void um_demo_panes_resize(void)
{
    narrower = !narrower;
    move_outer();
}

void um_demo_panes_play(struct um_demo_ui *ui, HWND parent, uint32_t packed)
{
    const RECT place = {10, 10, 410, 310};
    um_demo_panes_open(ui, parent, &place, um_demo_play_ms(packed));
    if (left > 0) {
        um_demo_ui_finish(ui);
        return;
    }
    left = um_demo_play_count(packed);
    inner->ms = um_demo_play_ms(packed);
    play = (struct um_demo_log_event){.kind = UM_DEMO_LOG_PANES,
                                      .begin_ns = um_clock_now_ns(),
                                      .requested_ms = inner->ms,
                                      .count = left,
                                      .tid = GetCurrentThreadId()};
    SetTimer(panes[0].hwnd, TIMER, EVERY_MS, NULL);
}
