/* Open and Cancel at the lower right of a window, as in a dialog for files, and a box to check in
 * front of them. Only for target_odd_win32.c. */
#ifndef UM_TESTS_WIN_DIALOG_BUTTONS_WIN32_H
#define UM_TESTS_WIN_DIALOG_BUTTONS_WIN32_H

#include <windows.h>

#define DIALOG_BUTTONS 3
#define DIALOG_BUTTON_WIDTH 80
#define DIALOG_BUTTON_HEIGHT 25
#define DIALOG_MARGIN 12

/* Places them anew. One that was destroyed leaves a gap. */
static void lay_out_dialog_buttons(HWND hwnd)
{
    RECT client;

    GetClientRect(hwnd, &client);
    for (int i = 0; i < DIALOG_BUTTONS; i++) {
        HWND button = GetDlgItem(hwnd, 1 + i);
        int from_right = (DIALOG_BUTTONS - i) * (DIALOG_BUTTON_WIDTH + DIALOG_MARGIN);
        if (button)
            MoveWindow(button, client.right - from_right,
                       client.bottom - DIALOG_BUTTON_HEIGHT - DIALOG_MARGIN, DIALOG_BUTTON_WIDTH,
                       DIALOG_BUTTON_HEIGHT, TRUE);
    }
}

static void make_dialog_buttons(HWND hwnd)
{
    static const struct {
        const wchar_t *text;
        DWORD type;
    } buttons[DIALOG_BUTTONS] = {
        {L"Read-only", BS_AUTOCHECKBOX}, {L"Open", BS_DEFPUSHBUTTON}, {L"Cancel", BS_PUSHBUTTON}};

    for (int i = 0; i < DIALOG_BUTTONS; i++)
        CreateWindowExW(0, L"Button", buttons[i].text, WS_CHILD | WS_VISIBLE | buttons[i].type, 0,
                        0, 0, 0, hwnd, (HMENU)(INT_PTR)(1 + i), NULL, NULL);
    lay_out_dialog_buttons(hwnd);
}

#endif
