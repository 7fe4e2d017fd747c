/* What is seen of the overlay: its windows, and pixels of the screen. Header-only, for end-to-end
 * tests. */
#ifndef UM_TESTS_E2E_OVERLAY_SEEN_H
#define UM_TESTS_E2E_OVERLAY_SEEN_H

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/e2e/harness.h"
#include "tests/win/covers.h"

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

/* A program with a window above all others, one of covers.h. */
struct coverer {
    struct program program;
    char control[32];
};

/* Starts it, still without a window. */
static inline void start_coverer(struct coverer *coverer, const struct box *place)
{
    char numbers[4][16];
    const int of[4] = {place->x, place->y, place->width, place->height};
    for (int i = 0; i < 4; i++)
        snprintf(numbers[i], sizeof numbers[i], "%d", of[i]);
    start(&coverer->program, "cover_win32", numbers[0], numbers[1], numbers[2], numbers[3], NULL);
    cr_assert_eq(
        sscanf(wait_line(coverer->program.out, "control "), "control %31s", coverer->control), 1);
}

/* Shows a window of that kind in place of the last one, and waits until it is there. */
static inline void show_cover(struct coverer *coverer, enum cover kind)
{
    char line[32];
    snprintf(line, sizeof line, "cover %d", (int)kind);
    size_t before = lines_with(coverer->program.out, line);
    probe("post", coverer->control, "UimonTestCover", decimal((uint32_t)kind), NULL);
    WAIT_UNTIL(lines_with(coverer->program.out, line) > before, "no %s", line);
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
