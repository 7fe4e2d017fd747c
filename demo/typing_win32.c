#include "demo/typing_win32.h"

#include <string.h>

#include "demo/paint_win32.h"
#include "base/plain/clock.h"

static uint32_t next_cost_ms(struct um_demo_typing *typing, enum um_demo_options_cost cost)
{
    const struct um_demo_options_costs *costs = &typing->costs[cost];
    return costs->count ? costs->ms[typing->turns[cost]++ % costs->count] : 0;
}

static void spend(struct um_demo_typing *typing, enum um_demo_options_cost cost)
{
    uint32_t ms = next_cost_ms(typing, cost);
    if (ms)
        um_clock_sleep_ns(ms * UM_CLOCK_NS_PER_MS);
}

/* A character's cost is a freeze like those of the buttons. */
static void spend_character(struct um_demo_typing *typing)
{
    uint32_t ms = next_cost_ms(typing, UM_DEMO_OPTIONS_COST_KEY);
    if (ms)
        um_demo_ui_block(typing->ui, typing->hwnd, WM_CHAR, "key", ms, 0);
}

static void soil(struct um_demo_typing *typing)
{
    InvalidateRect(typing->hwnd, NULL, FALSE);
    um_demo_act_soil(&typing->acts);
}

static void append(struct um_demo_typing *typing, wchar_t character)
{
    if (typing->text_len == UM_DEMO_TYPING_MAX_TEXT)
        memmove(typing->text, typing->text + 1,
                sizeof typing->text[0] * (size_t)--typing->text_len);
    typing->text[typing->text_len++] = character < L' ' ? L' ' : character;
}

static void paint(struct um_demo_typing *typing)
{
    uint64_t begin_ns = um_clock_now_ns();
    PAINTSTRUCT paint_struct;
    RECT client;
    HDC dc = BeginPaint(typing->hwnd, &paint_struct);
    HGDIOBJ old = SelectObject(dc, (HFONT)SendMessageW(typing->hwnd, WM_GETFONT, 0, 0));
    GetClientRect(typing->hwnd, &client);
    FillRect(dc, &client, (HBRUSH)GetStockObject(WHITE_BRUSH));
    SetTextColor(dc, UM_DEMO_PAINT_TEXT);
    DrawTextW(dc, typing->text, typing->text_len, &client, DT_WORDBREAK | DT_NOPREFIX);
    SelectObject(dc, old);
    spend(typing, UM_DEMO_OPTIONS_COST_PAINT);
    EndPaint(typing->hwnd, &paint_struct);
    um_demo_ui_painted(typing->ui, begin_ns, um_clock_now_ns());
}

/* Takes a click, release or wheel step; false for another message. */
static bool take_mouse(struct um_demo_typing *typing, UINT message)
{
    switch (message) {
    case WM_LBUTTONDOWN:
    case WM_LBUTTONDBLCLK:
    case WM_RBUTTONDOWN:
    case WM_RBUTTONDBLCLK:
    case WM_MBUTTONDOWN:
    case WM_MBUTTONDBLCLK:
        SetFocus(typing->hwnd);
        spend(typing, UM_DEMO_OPTIONS_COST_CLICK);
        break;
    case WM_LBUTTONUP:
    case WM_RBUTTONUP:
    case WM_MBUTTONUP:
        spend(typing, UM_DEMO_OPTIONS_COST_RELEASE);
        break;
    case WM_MOUSEWHEEL:
    case WM_MOUSEHWHEEL:
        spend(typing, UM_DEMO_OPTIONS_COST_WHEEL);
        break;
    default:
        return false;
    }
    soil(typing);
    return true;
}

static LRESULT CALLBACK plain_proc(HWND hwnd, UINT message, WPARAM wparam, LPARAM lparam)
{
    struct um_demo_typing *typing = (struct um_demo_typing *)GetWindowLongPtrW(hwnd, GWLP_USERDATA);
    switch (message) {
    case WM_KEYDOWN:
    case WM_SYSKEYDOWN:
        if (!um_demo_ui_is_modifier(wparam)) {
            spend(typing, UM_DEMO_OPTIONS_COST_DOWN);
            soil(typing);
        }
        return message == WM_KEYDOWN ? 0 : DefWindowProcW(hwnd, message, wparam, lparam);
    case WM_CHAR:
        spend_character(typing);
        append(typing, (wchar_t)wparam);
        soil(typing);
        return 0;
    case WM_PAINT:
        paint(typing);
        return 0;
    case WM_ERASEBKGND:
        return 1;
    case WM_SETFOCUS:
    case WM_KILLFOCUS: /* the edit control would show a caret */
        return 0;
    default:
        if (take_mouse(typing, message))
            return 0;
        return CallWindowProcW(typing->edit_proc, hwnd, message, wparam, lparam);
    }
}

static LRESULT CALLBACK edit_proc(HWND hwnd, UINT message, WPARAM wparam, LPARAM lparam)
{
    struct um_demo_typing *typing = (struct um_demo_typing *)GetWindowLongPtrW(hwnd, GWLP_USERDATA);
    if (message == WM_CHAR)
        spend_character(typing);
    return CallWindowProcW(typing->edit_proc, hwnd, message, wparam, lparam);
}

enum um_status um_demo_typing_open(const struct um_demo_options *options, struct um_demo_ui *ui,
                                   HWND parent, struct um_demo_typing *typing)
{
    typing->ui = ui;
    memcpy(typing->costs, options->costs, sizeof typing->costs);
    typing->hwnd = CreateWindowExW(0, L"EDIT", L"",
                                   WS_CHILD | WS_VISIBLE | WS_TABSTOP | ES_MULTILINE |
                                       ES_AUTOVSCROLL | ES_WANTRETURN,
                                   0, 0, 0, 0, parent, NULL, GetModuleHandleW(NULL), NULL);
    if (!typing->hwnd)
        return UM_ERR_MEMORY;
    SetWindowLongPtrW(typing->hwnd, GWLP_USERDATA, (LONG_PTR)typing);
    typing->edit_proc = (WNDPROC)SetWindowLongPtrW(
        typing->hwnd, GWLP_WNDPROC, (LONG_PTR)(options->plain ? plain_proc : edit_proc));
    if (options->plain) {
        ui->acts = &typing->acts;
        ui->typing = typing->hwnd;
    }
    return UM_OK;
}

void um_demo_typing_set_key_cost(struct um_demo_typing *typing, uint32_t ms)
{
    typing->costs[UM_DEMO_OPTIONS_COST_KEY] =
        (struct um_demo_options_costs){.ms = {ms}, .count = ms ? 1 : 0};
}
