/* What is seen of the overlay: its windows, and pixels of the screen. Header-only, for end-to-end
 * tests. */
#ifndef UM_TESTS_E2E_OVERLAY_SEEN_H
#define UM_TESTS_E2E_OVERLAY_SEEN_H

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/e2e/harness.h"

/* Titles of the overlay's window, and of the sheet on which it draws layout costs. */
#define TITLE "uimon overlay"
#define SHEET_TITLE "uimon layout costs"

#define CTRL_ALT_SHIFT "17,18,16," /* begins a chord */

struct strip {
    char hwnd[32];
    uint32_t pid;
    unsigned long long exstyle;
    struct box box;
};

/* One look at a window of the overlay that is not the process `but`; false if there is none, or it
 * is hidden. */
static inline bool find_titled(const char *title, uint32_t but, struct strip *strip)
{
    char class_name[64];
    int visible = 0;
    const char *found = probe("find", title, NULL);

    if (sscanf(found, "%31s %u", strip->hwnd, &strip->pid) != 2 || strip->pid == but)
        return false;
    const char *line = strstr(probe("windows", decimal(strip->pid), NULL), strip->hwnd);
    return line &&
           sscanf(line, "%*s %63s %llx %d %*s %d %d %d %d", class_name, &strip->exstyle, &visible,
                  &strip->box.x, &strip->box.y, &strip->box.width, &strip->box.height) == 7 &&
           visible;
}

static inline int red(uint32_t pixel)
{
    return pixel >> 16 & 0xff;
}

static inline int green(uint32_t pixel)
{
    return pixel >> 8 & 0xff;
}

static inline int blue(uint32_t pixel)
{
    return pixel & 0xff;
}

static inline bool is_green_column(uint32_t pixel)
{
    return green(pixel) > 150 && red(pixel) < 130 && blue(pixel) < 170 &&
           green(pixel) > red(pixel) + 80;
}

static inline bool is_red_column(uint32_t pixel)
{
    return red(pixel) > 180 && green(pixel) < 110 && blue(pixel) < 110;
}

static inline bool is_bright(uint32_t pixel)
{
    return red(pixel) > 190 && green(pixel) > 190 && blue(pixel) > 190;
}

/* The frame of a component: 0x3ddc84. */
static inline bool is_outline(uint32_t pixel)
{
    return green(pixel) > 190 && red(pixel) < 125 && green(pixel) > blue(pixel) + 40 &&
           blue(pixel) > 90;
}

#endif
