#include "overlay/sheet.h"

#include <stdlib.h>
#include <windows.h>

#include "ipc/overlay.h"
#include "overlay/layered_win32.h"

struct um_sheet {
    struct um_layered layered;
    HWND above;
    RECT at;     /* where the whole picture belongs */
    RECT within; /* where the target's window is */
};

enum um_status um_sheet_open(uint64_t above, struct um_sheet **sheet)
{
    struct um_sheet *made = calloc(1, sizeof *made);

    if (!made)
        return UM_ERR_MEMORY;
    made->above = (HWND)(uintptr_t)above;
    enum um_status status =
        um_layered_open(L"" UM_OVERLAY_SHEET_CLASS, L"uimon layout costs", &made->layered);
    if (status != UM_OK) {
        free(made);
        return status;
    }
    *sheet = made;
    return UM_OK;
}

void um_sheet_close(struct um_sheet *sheet)
{
    if (!sheet)
        return;
    um_layered_close(&sheet->layered);
    free(sheet);
}

static RECT rect_of(const struct um_canvas_rect *rect)
{
    return (RECT){rect->x, rect->y, rect->x + rect->width, rect->y + rect->height};
}

enum um_status um_sheet_place(struct um_sheet *sheet, struct um_canvas_rect bounds,
                              struct um_canvas *canvas)
{
    struct um_layered *layered = &sheet->layered;
    enum um_status status = UM_OK;

    if (bounds.width <= 0 || bounds.height <= 0)
        return UM_ERR_ARG;
    sheet->at = sheet->within = rect_of(&bounds);
    if (layered->screen.width != bounds.width || layered->screen.height != bounds.height)
        status = um_layered_resize(layered, bounds.width, bounds.height);
    else
        um_layered_move(layered, &sheet->at, sheet->above);
    if (status == UM_OK)
        *canvas = layered->screen;
    return status;
}

void um_sheet_follow(struct um_sheet *sheet, struct um_canvas_rect bounds)
{
    struct um_layered *layered = &sheet->layered;

    sheet->within = rect_of(&bounds);
    if (layered->screen.width == bounds.width && layered->screen.height == bounds.height)
        sheet->at = sheet->within;
    um_layered_move(layered, &sheet->within, sheet->above);
}

enum um_status um_sheet_present(struct um_sheet *sheet, const struct um_canvas_rect *changed)
{
    enum um_status status = EqualRect(&sheet->at, &sheet->within)
                                ? um_layered_update(&sheet->layered, &sheet->at, changed)
                                : um_layered_cut(&sheet->layered, &sheet->at, &sheet->within);

    if (status == UM_OK)
        um_layered_show(&sheet->layered, sheet->above);
    return status;
}

void um_sheet_hide(struct um_sheet *sheet)
{
    um_layered_hide(&sheet->layered);
}

void um_sheet_raise(struct um_sheet *sheet)
{
    const UINT flags = SWP_NOMOVE | SWP_NOSIZE | SWP_NOACTIVATE | SWP_NOOWNERZORDER;
    if (!sheet->layered.shown)
        return;
    SetWindowPos(sheet->above, HWND_TOPMOST, 0, 0, 0, 0, flags);
    SetWindowPos(sheet->layered.window, sheet->above, 0, 0, 0, 0, flags);
}
