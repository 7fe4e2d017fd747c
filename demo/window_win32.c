#include "demo/window_win32.h"

#include <stdlib.h>
#include <stdio.h>

#include "demo/animation_win32.h"
#include "demo/paint_win32.h"
#include "demo/panes_win32.h"
#include "demo/player_win32.h"
#include "demo/typing_win32.h"
#include "base/plain/clock.h"

#define PULSE_TIMER 1
#define PULSE_PERIOD_MS 33
#define FIRST_BUTTON 100
#define SLOW_KEY_MS 80
#define ICON_ID 1

enum action {
    ACTION_SLEEP,
    ACTION_SPIN,
    ACTION_SENT,
    ACTION_JANK,
    ACTION_FLOOD,
    ACTION_MODAL,
    ACTION_SLOW_KEYS,
    ACTION_PANES,
    ACTION_PLAY,
    ACTION_BAR
};

enum { CARD_SLEEP, CARD_SPIN, CARD_SENT, CARD_BUSY, CARD_OTHER, CARD_SELF, CARD_COUNT };

static const struct {
    const wchar_t *title;
    const wchar_t *hint;
    COLORREF accent;
} cards[CARD_COUNT] = {
    [CARD_SLEEP] = {L"Sleep", L"the thread waits", UM_DEMO_PAINT_BLUE},
    [CARD_SPIN] = {L"Spin", L"the thread computes", UM_DEMO_PAINT_AMBER},
    [CARD_SENT] = {L"Sent", L"in another thread's message", UM_DEMO_PAINT_VIOLET},
    [CARD_BUSY] = {L"Busy", L"it works, and input waits", UM_DEMO_PAINT_ROSE},
    [CARD_OTHER] = {L"Dialog and keys", L"", UM_DEMO_PAINT_TEAL},
    [CARD_SELF] = {L"By itself", L"", UM_DEMO_PAINT_SLATE},
};

static const struct button {
    const wchar_t *label;
    enum action action;
    uint32_t ms;
    int card;
    int share; /* of the card's width, against its neighbours */
} buttons[] = {
    {L"50 ms", ACTION_SLEEP, 50, CARD_SLEEP, 5},
    {L"150 ms", ACTION_SLEEP, 150, CARD_SLEEP, 5},
    {L"300 ms", ACTION_SLEEP, 300, CARD_SLEEP, 5},
    {L"1000 ms", ACTION_SLEEP, 1000, CARD_SLEEP, 6},
    {L"50 ms", ACTION_SPIN, 50, CARD_SPIN, 5},
    {L"150 ms", ACTION_SPIN, 150, CARD_SPIN, 5},
    {L"300 ms", ACTION_SPIN, 300, CARD_SPIN, 5},
    {L"1000 ms", ACTION_SPIN, 1000, CARD_SPIN, 6},
    {L"50 ms", ACTION_SENT, 50, CARD_SENT, 5},
    {L"150 ms", ACTION_SENT, 150, CARD_SENT, 5},
    {L"300 ms", ACTION_SENT, 300, CARD_SENT, 5},
    {L"1000 ms", ACTION_SENT, 1000, CARD_SENT, 6},
    {L"20 janks of 30 ms", ACTION_JANK, 30, CARD_BUSY, 6},
    {L"Flood for 1 s", ACTION_FLOOD, 1000, CARD_BUSY, 5},
    {L"Modal dialog", ACTION_MODAL, 0, CARD_OTHER, 5},
    {L"Slow keys: off", ACTION_SLOW_KEYS, 0, CARD_OTHER, 6},
    {L"Play 20 to 1000 ms", ACTION_PLAY, 0, CARD_SELF, 9},
    {L"Panes", ACTION_PANES, 20, CARD_SELF, 4},
    {L"Bar: on", ACTION_BAR, 0, CARD_SELF, 4},
};

struct window {
    const struct um_demo_options *options;
    struct um_demo_ui *ui;
    HWND hwnd;
    struct um_demo_typing typing;
    HWND pulse;
    HWND buttons[ARRAYSIZE(buttons)];
    HWND active; /* the button that has caused the present freeze */
    struct um_demo_paint_fonts fonts;
    UINT dpi;
    uint32_t key_ms; /* what a character costs, or the first one does */
    bool moving;     /* the bar moves by a timer */
    bool animated;   /* it was moved by an animation */
    bool has_panes;
};

/* Where everything stands, in pixels. */
struct places {
    RECT title;
    RECT hint;
    RECT pulse;
    RECT last;
    RECT cards[CARD_COUNT];
    RECT typing; /* all of the third row, or two thirds of it beside the panes */
    RECT panes;
    RECT band; /* where uimon puts its graph */
};

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static int px(const struct window *window, int units)
{
    return um_demo_paint_scale(units, window->dpi);
}

static void place(const struct window *window, const RECT *client, struct places *places)
{
    int margin = px(window, 16);
    int gap = px(window, 12);
    int width = (client->right - 2 * margin - 2 * gap) / 3;
    int right = client->right - margin;
    int row = px(window, 92);
    int top = px(window, 72);
    int pulse_left = right - width;
    SetRect(&places->title, margin, px(window, 12), pulse_left - gap, px(window, 40));
    SetRect(&places->hint, margin, px(window, 40), pulse_left - gap, px(window, 60));
    SetRect(&places->pulse, pulse_left, px(window, 22), right, px(window, 32));
    SetRect(&places->last, pulse_left, px(window, 40), right, px(window, 60));
    for (int i = 0; i < CARD_COUNT; i++) {
        int left = i % 3 == 2 ? pulse_left : margin + i % 3 * (width + gap);
        int card_top = top + i / 3 * (row + gap);
        SetRect(&places->cards[i], left, card_top, left + width, card_top + row);
    }
    int typing_top = top + 2 * (row + gap);
    int band_top = client->bottom - px(window, 124);
    band_top = larger(band_top, typing_top + px(window, 70));
    SetRect(&places->typing, margin, typing_top, window->has_panes ? pulse_left - gap : right,
            band_top - gap);
    SetRect(&places->panes, pulse_left, typing_top, right, band_top - gap);
    SetRect(&places->band, margin, band_top, right, client->bottom - margin);
}

static void place_buttons(struct window *window, const struct places *places)
{
    int pad = px(window, 12);
    int gap = px(window, 6);
    for (size_t first = 0; first < ARRAYSIZE(buttons);) {
        const RECT *card = &places->cards[buttons[first].card];
        size_t end = first;
        int shares = 0;
        while (end < ARRAYSIZE(buttons) && buttons[end].card == buttons[first].card)
            shares += buttons[end++].share;
        int space = card->right - card->left - 2 * pad - (int)(end - first - 1) * gap;
        int left = card->left + pad;
        for (; first < end; first++) {
            int width = space * buttons[first].share / shares;
            MoveWindow(window->buttons[first], left, card->top + px(window, 44), width,
                       px(window, 34), TRUE);
            left += width + gap;
        }
    }
}

/* The outer pane, within its card. */
static RECT place_panes(const struct window *window, const struct places *places)
{
    RECT panes = places->panes;
    panes.left += px(window, 12);
    panes.right -= px(window, 12);
    panes.top += px(window, 36);
    panes.bottom = larger(panes.top, panes.bottom - px(window, 6));
    return panes;
}

static void lay_out(struct window *window)
{
    RECT client;
    struct places places;
    GetClientRect(window->hwnd, &client);
    place(window, &client, &places);
    place_buttons(window, &places);
    const RECT *pulse = &places.pulse;
    MoveWindow(window->pulse, pulse->left, pulse->top, pulse->right - pulse->left,
               pulse->bottom - pulse->top, TRUE);
    const RECT *typing = &places.typing;
    int pad = px(window, 23);
    int caption = px(window, 36);
    MoveWindow(window->typing.hwnd, typing->left + pad, typing->top + caption,
               typing->right - typing->left - 2 * pad,
               larger(0, typing->bottom - typing->top - caption - px(window, 6)), TRUE);
    RECT panes = place_panes(window, &places);
    um_demo_panes_place(&panes);
    InvalidateRect(window->hwnd, NULL, FALSE);
}

static void draw_card(const struct window *window, HDC dc, const RECT *rect, const wchar_t *title,
                      const wchar_t *hint, COLORREF accent)
{
    um_demo_paint_box(dc, rect, px(window, 6), UM_DEMO_PAINT_CARD, UM_DEMO_PAINT_LINE);
    RECT swatch = {rect->left + px(window, 12), rect->top + px(window, 14),
                   rect->left + px(window, 16), rect->top + px(window, 28)};
    um_demo_paint_box(dc, &swatch, px(window, 1), accent, accent);
    RECT text = {swatch.right + px(window, 8), rect->top + px(window, 10),
                 rect->right - px(window, 12), rect->top + px(window, 32)};
    um_demo_paint_text(dc, &text, window->fonts.bold, UM_DEMO_PAINT_TEXT, DT_LEFT, title);
    um_demo_paint_text(dc, &text, window->fonts.hint, UM_DEMO_PAINT_HINT, DT_RIGHT, hint);
}

static void draw_header(const struct window *window, HDC dc, const struct places *places)
{
    const struct um_demo_ui *ui = window->ui;
    wchar_t last[96] = L"no freeze yet";
    um_demo_paint_text(dc, &places->title, window->fonts.title, UM_DEMO_PAINT_TEXT, DT_LEFT,
                       L"A window that freezes on request");
    um_demo_paint_text(dc, &places->hint, window->fonts.body, UM_DEMO_PAINT_HINT, DT_LEFT,
                       L"Each button blocks this window's own thread, and the bar stands still.");
    if (ui->freezes)
        swprintf(last, ARRAYSIZE(last), L"last: %hs %.1f ms    freezes: %u", ui->last_name,
                 (double)ui->last_ns / (double)UM_CLOCK_NS_PER_MS, (unsigned)ui->freezes);
    um_demo_paint_text(dc, &places->last, window->fonts.hint, UM_DEMO_PAINT_HINT, DT_RIGHT, last);
}

/* Where uimon's overlay lies. */
static void draw_band(HDC dc, const RECT *band)
{
    HPEN pen = CreatePen(PS_DOT, 1, UM_DEMO_PAINT_LINE);
    HGDIOBJ old_pen = SelectObject(dc, pen);
    HGDIOBJ old_brush = SelectObject(dc, GetStockObject(NULL_BRUSH));
    Rectangle(dc, band->left, band->top, band->right, band->bottom);
    SelectObject(dc, old_brush);
    SelectObject(dc, old_pen);
    DeleteObject(pen);
}

static void draw_window(HWND hwnd, HDC dc, const RECT *client, void *arg)
{
    const struct window *window = arg;
    struct places places;
    (void)hwnd;
    um_demo_paint_fill(dc, client, UM_DEMO_PAINT_BACK);
    place(window, client, &places);
    draw_header(window, dc, &places);
    for (int i = 0; i < CARD_COUNT; i++)
        draw_card(window, dc, &places.cards[i], cards[i].title, cards[i].hint, cards[i].accent);
    draw_card(window, dc, &places.typing, L"Type here",
              L"while something freezes, and see your letters wait", UM_DEMO_PAINT_SLATE);
    if (window->has_panes)
        draw_card(window, dc, &places.panes, L"Panes", L"for uimon --layout", UM_DEMO_PAINT_ROSE);
    draw_band(dc, &places.band);
}

/* The bar's place follows the clock, so after a freeze it jumps to where it should have been. */
static void draw_pulse(HWND hwnd, HDC dc, const RECT *client, void *arg)
{
    const struct window *window = arg;
    const uint64_t turn_ms = 2400;
    bool moves = window->moving || window->animated;
    uint64_t now_ms = moves ? um_clock_now_ns() / UM_CLOCK_NS_PER_MS % turn_ms : 0;
    uint64_t way = now_ms < turn_ms / 2 ? now_ms : turn_ms - now_ms;
    int length = client->right / 6;
    int left = (int)((uint64_t)(client->right - length) * way / (turn_ms / 2));
    RECT bar = {left, 0, left + length, client->bottom};
    (void)hwnd;
    um_demo_paint_fill(dc, client, UM_DEMO_PAINT_BACK);
    um_demo_paint_box(dc, client, client->bottom / 2, UM_DEMO_PAINT_LINE, UM_DEMO_PAINT_LINE);
    um_demo_paint_box(dc, &bar, client->bottom / 2, UM_DEMO_PAINT_BLUE, UM_DEMO_PAINT_BLUE);
}

static LRESULT CALLBACK pulse_proc(HWND hwnd, UINT message, WPARAM wparam, LPARAM lparam)
{
    struct window *window = (struct window *)GetWindowLongPtrW(GetParent(hwnd), GWLP_USERDATA);
    if (message == WM_PAINT && window) {
        um_demo_paint_window(hwnd, draw_pulse, window);
        return 0;
    }
    if (message == WM_ERASEBKGND)
        return 1;
    return DefWindowProcW(hwnd, message, wparam, lparam);
}

static void label_slow_keys(const struct window *window, HWND button)
{
    wchar_t label[48] = L"Slow keys: off";
    if (window->key_ms)
        swprintf(label, ARRAYSIZE(label), L"Slow keys: %u ms", (unsigned)window->key_ms);
    SetWindowTextW(button, label);
}

static void toggle_slow_keys(struct window *window, HWND button)
{
    window->key_ms = window->key_ms ? 0 : SLOW_KEY_MS;
    um_demo_typing_set_key_cost(&window->typing, window->key_ms);
    label_slow_keys(window, button);
}

static void set_moving(struct window *window, bool moving)
{
    window->moving = moving;
    if (moving)
        SetTimer(window->hwnd, PULSE_TIMER, PULSE_PERIOD_MS, NULL);
    else
        KillTimer(window->hwnd, PULSE_TIMER);
    InvalidateRect(window->pulse, NULL, FALSE);
}

/* Shows the last freeze, unless the window is to keep still. */
static void show_last(struct um_demo_ui *ui)
{
    struct window *window = ui->owner;
    RECT client;
    struct places places;
    if (!window->moving)
        return;
    GetClientRect(window->hwnd, &client);
    place(window, &client, &places);
    places.last.right = client.right; /* with what is drawn beyond it (um_demo_paint_text) */
    InvalidateRect(window->hwnd, &places.last, FALSE);
}

/* The button stays down while its freeze lasts. */
static void block(struct window *window, HWND button, const char *name, uint32_t ms)
{
    MSG msg;
    window->active = button;
    RedrawWindow(button, NULL, NULL, RDW_INVALIDATE | RDW_UPDATENOW);
    /* Wine shows what was drawn once the thread finds no message, so look for one that is never
     * sent. */
    PeekMessageW(&msg, NULL, UM_DEMO_UI_NONE, UM_DEMO_UI_NONE, PM_NOREMOVE);
    um_demo_ui_block(window->ui, button, window->ui->retrieved_message, name, ms, 0);
    window->active = NULL;
    InvalidateRect(button, NULL, FALSE);
}

static void start_play(struct window *window)
{
    struct um_demo_player player = {
        .ui = window->ui, .hwnd = window->hwnd, .pause_ms = 400, .repeat = 1};
    um_demo_play_parse("20,35,80,150,300,1000", &player.play);
    um_demo_player_start(&player);
}

static void press(struct window *window, const struct button *button, HWND hwnd)
{
    const struct um_demo_play_item janks = {UM_DEMO_PLAY_JANK, 20, button->ms};
    const struct um_demo_play_item flood = {UM_DEMO_PLAY_FLOOD, 1, button->ms};
    const struct um_demo_play_item panes = {UM_DEMO_PLAY_PANES, 20, button->ms};
    switch (button->action) {
    case ACTION_SLEEP:
        block(window, hwnd, "sleep", button->ms);
        break;
    case ACTION_SPIN:
        block(window, hwnd, "spin", button->ms);
        break;
    case ACTION_SENT:
        um_demo_player_send(window->hwnd, button->ms);
        break;
    case ACTION_JANK:
        um_demo_player_trigger(window->hwnd, &janks);
        break;
    case ACTION_FLOOD:
        um_demo_player_trigger(window->hwnd, &flood);
        break;
    case ACTION_MODAL:
        um_demo_dialog_run(window->ui, window->hwnd, 0);
        break;
    case ACTION_SLOW_KEYS:
        toggle_slow_keys(window, hwnd);
        break;
    case ACTION_PANES:
        um_demo_player_trigger(window->hwnd, &panes);
        break;
    case ACTION_PLAY:
        start_play(window);
        break;
    case ACTION_BAR:
        set_moving(window, !window->moving);
        SetWindowTextW(hwnd, window->moving ? L"Bar: on" : L"Bar: off");
        break;
    }
}

/* The typing area makes room for the panes, which stay. */
static void show_panes(struct window *window, uint32_t inner_ms)
{
    RECT client;
    struct places places;
    if (window->has_panes)
        return;
    window->has_panes = true;
    GetClientRect(window->hwnd, &client);
    place(window, &client, &places);
    RECT panes = place_panes(window, &places);
    um_demo_panes_open(window->ui, window->hwnd, &panes, inner_ms);
    lay_out(window);
}

static void set_fonts(struct window *window)
{
    um_demo_paint_fonts_init(&window->fonts, window->dpi);
    SendMessageW(window->typing.hwnd, WM_SETFONT, (WPARAM)window->fonts.body, TRUE);
}

static bool make_children(struct window *window)
{
    HINSTANCE instance = GetModuleHandleW(NULL);
    for (size_t i = 0; i < ARRAYSIZE(buttons); i++) {
        window->buttons[i] = CreateWindowExW(
            0, L"BUTTON", buttons[i].label, WS_CHILD | WS_VISIBLE | WS_TABSTOP | BS_OWNERDRAW, 0, 0,
            0, 0, window->hwnd, (HMENU)(uintptr_t)(FIRST_BUTTON + i), instance, NULL);
        if (!window->buttons[i])
            return false;
        if (buttons[i].action == ACTION_BAR && window->options->still)
            SetWindowTextW(window->buttons[i], L"Bar: off");
        if (buttons[i].action == ACTION_SLOW_KEYS)
            label_slow_keys(window, window->buttons[i]);
    }
    window->pulse = CreateWindowExW(0, L"UimonDemoPulse", L"", WS_CHILD | WS_VISIBLE, 0, 0, 0, 0,
                                    window->hwnd, NULL, instance, NULL);
    return window->pulse &&
           um_demo_typing_open(window->options, window->ui, window->hwnd, &window->typing) == UM_OK;
}

static bool create(struct window *window, HWND hwnd)
{
    window->hwnd = hwnd;
    window->dpi = GetDpiForWindow(hwnd);
    SetWindowLongPtrW(hwnd, GWLP_USERDATA, (LONG_PTR)window);
    if (!make_children(window))
        return false;
    set_fonts(window);
    lay_out(window);
    set_moving(window, !window->options->still);
    return true;
}

static void change_dpi(struct window *window, UINT dpi, const RECT *rect)
{
    window->dpi = dpi;
    set_fonts(window);
    SetWindowPos(window->hwnd, NULL, rect->left, rect->top, rect->right - rect->left,
                 rect->bottom - rect->top, SWP_NOZORDER | SWP_NOACTIVATE);
    lay_out(window);
}

static void destroy(struct window *window)
{
    um_demo_ui_log_window(window->ui, UM_DEMO_LOG_GONE, window->hwnd, "main");
    PostQuitMessage(0);
}

static void draw_button(struct window *window, const DRAWITEMSTRUCT *item)
{
    const struct button *button = &buttons[item->CtlID - FIRST_BUTTON];
    um_demo_paint_button(item, cards[button->card].accent, UM_DEMO_PAINT_CARD, window->fonts.body,
                         window->dpi, window->active == item->hwndItem);
}

static void command(struct window *window, UINT id, UINT code, HWND from)
{
    if (code == BN_CLICKED && id >= FIRST_BUTTON && id < FIRST_BUTTON + ARRAYSIZE(buttons))
        press(window, &buttons[id - FIRST_BUTTON], from);
}

/* Handles the messages of a window that exists; false leaves a message to the system. */
static bool handle(struct window *window, UINT message, WPARAM wparam, LPARAM lparam)
{
    switch (message) {
    case WM_SIZE:
        if (wparam != SIZE_MINIMIZED)
            lay_out(window);
        return true;
    case WM_PAINT:
        um_demo_paint_window(window->hwnd, draw_window, window);
        return true;
    case WM_TIMER:
        InvalidateRect(window->pulse, NULL, FALSE);
        return true;
    case WM_COMMAND:
        command(window, LOWORD(wparam), HIWORD(wparam), (HWND)lparam);
        return true;
    case WM_DRAWITEM:
        draw_button(window, (const DRAWITEMSTRUCT *)lparam);
        return true;
    case WM_SETFOCUS:
        /* The edit control's caret blinks by a timer of its own; the plain area has no caret. */
        if (!window->options->still || window->options->plain)
            SetFocus(window->typing.hwnd);
        return true;
    case WM_DPICHANGED:
        change_dpi(window, HIWORD(wparam), (const RECT *)lparam);
        return true;
    case UM_DEMO_UI_MODAL:
        um_demo_dialog_run(window->ui, window->hwnd, (uint32_t)wparam);
        return true;
    case UM_DEMO_UI_PAINT:
        window->animated = window->ui->logs_paints = true;
        if (!um_demo_animation_start(window->hwnd, window->pulse, (uint32_t)wparam))
            um_demo_ui_finish(window->ui);
        return true;
    case UM_DEMO_UI_PANES:
        show_panes(window, um_demo_play_ms((uint32_t)wparam));
        return um_demo_ui_handle(window->ui, window->hwnd, message, wparam, lparam);
    case WM_DESTROY:
        destroy(window);
        return true;
    default:
        return um_demo_ui_handle(window->ui, window->hwnd, message, wparam, lparam);
    }
}

static LRESULT CALLBACK window_proc(HWND hwnd, UINT message, WPARAM wparam, LPARAM lparam)
{
    struct window *window = (struct window *)GetWindowLongPtrW(hwnd, GWLP_USERDATA);
    if (message == WM_CREATE)
        return create(((const CREATESTRUCTW *)lparam)->lpCreateParams, hwnd) ? 0 : -1;
    if (message == WM_ERASEBKGND)
        return 1;
    if (message == WM_NCDESTROY && window) {
        SetWindowLongPtrW(hwnd, GWLP_USERDATA, 0);
        window->ui->after = NULL; /* a dialog may still be on its way out */
        window->ui->typing = NULL;
        um_demo_paint_fonts_deinit(&window->fonts);
        free(window);
    } else if (window && handle(window, message, wparam, lparam)) {
        return message == WM_DRAWITEM;
    }
    return DefWindowProcW(hwnd, message, wparam, lparam);
}

void um_demo_window_text(const char *text, wchar_t *wide, int cap)
{
    wide[0] = L'\0';
    if (!MultiByteToWideChar(CP_UTF8, 0, text, -1, wide, cap))
        wide[cap - 1] = L'\0';
}

static void register_classes(const wchar_t *class_name)
{
    HINSTANCE instance = GetModuleHandleW(NULL);
    WNDCLASSEXW main_class = {.cbSize = sizeof main_class,
                              .lpfnWndProc = window_proc,
                              .hInstance = instance,
                              .hIcon = LoadIconW(instance, MAKEINTRESOURCEW(ICON_ID)),
                              .hCursor = LoadCursorW(NULL, (LPCWSTR)IDC_ARROW),
                              .lpszClassName = class_name};
    WNDCLASSEXW pulse_class = {.cbSize = sizeof pulse_class,
                               .lpfnWndProc = pulse_proc,
                               .hInstance = instance,
                               .hCursor = main_class.hCursor,
                               .lpszClassName = L"UimonDemoPulse"};
    RegisterClassExW(&main_class);
    RegisterClassExW(&pulse_class);
}

/* The place asked for, or else 900 by 560 where the system puts it. Units: pixels. */
static void initial_rect(const struct um_demo_options *options, int rect[4])
{
    UINT dpi = GetDpiForSystem();
    rect[0] = rect[1] = CW_USEDEFAULT;
    rect[2] = um_demo_paint_scale(900, dpi);
    rect[3] = um_demo_paint_scale(560, dpi);
    for (int i = 0; options->has_pos && i < 4; i++)
        rect[i] = options->pos[i];
}

enum um_status um_demo_window_open(const struct um_demo_options *options, struct um_demo_ui *ui,
                                   HWND *hwnd)
{
    wchar_t title[256];
    wchar_t class_name[128];
    int rect[4];
    struct window *window = calloc(1, sizeof *window);
    if (!window)
        return UM_ERR_MEMORY;
    window->options = options;
    window->ui = ui;
    window->key_ms = options->costs[UM_DEMO_OPTIONS_COST_KEY].ms[0];
    ui->owner = window;
    ui->after = show_last;
    um_demo_window_text(options->title, title, ARRAYSIZE(title));
    um_demo_window_text(options->class_name, class_name, ARRAYSIZE(class_name));
    register_classes(class_name);
    initial_rect(options, rect);
    HWND made =
        CreateWindowExW(0, class_name, title, WS_OVERLAPPEDWINDOW | WS_CLIPCHILDREN, rect[0],
                        rect[1], rect[2], rect[3], NULL, NULL, GetModuleHandleW(NULL), window);
    if (!made)
        return UM_ERR_MEMORY;
    um_demo_ui_log_window(ui, UM_DEMO_LOG_START, made, "");
    /* It is painted by the loop of messages: work that is in the queue comes before that. */
    ShowWindow(made, SW_SHOWDEFAULT);
    *hwnd = made;
    return UM_OK;
}
