/* Nothing on X11 says what the layout of a window's parts costs, so there is no sheet for that. */
#include "overlay/sheet.h"

enum um_status um_sheet_open(uint64_t above, struct um_sheet **sheet)
{
    (void)above, (void)sheet;
    return UM_ERR_UNSUPPORTED;
}

void um_sheet_close(struct um_sheet *sheet)
{
    (void)sheet;
}

enum um_status um_sheet_place(struct um_sheet *sheet, struct um_canvas_rect bounds,
                              struct um_canvas *canvas)
{
    (void)sheet, (void)bounds, (void)canvas;
    return UM_ERR_UNSUPPORTED;
}

void um_sheet_follow(struct um_sheet *sheet, struct um_canvas_rect bounds)
{
    (void)sheet, (void)bounds;
}

enum um_status um_sheet_present(struct um_sheet *sheet, const struct um_canvas_rect *changed)
{
    (void)sheet, (void)changed;
    return UM_ERR_UNSUPPORTED;
}

void um_sheet_hide(struct um_sheet *sheet)
{
    (void)sheet;
}

void um_sheet_raise(struct um_sheet *sheet)
{
    (void)sheet;
}
