/* Two workloads for a profiler: Fibonacci of 30 a hundred times, which is calls and nothing else,
 * and a Mandelbrot set drawn into a window. Writes the demo's log.
 *
 *   target_profiled_win32 [options of the demo]
 *
 * A posted UM_DEMO_UI_SPIN makes it work, with a length of 1 ms on the first and of 2 ms on the
 * second. After each it says on standard output "took WALL_NS CPU_NS RESULT", and after the second
 * "executed NAME" for each function that took part.
 */
#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>

#include "base/plain/clock.h"
#include "tests/target/target.h"

#define RUNS 100
#define NUMBER 30
#define STACK_ALIGNED 16
#define WIDTH 640
#define HEIGHT 400
#define PICTURES 60
#define DEEPEST 600 /* steps of a point */
#define COLOURS 256
#define FUNCTIONS 64
#ifdef __GNUC__
#define ALONE __attribute__((noinline, noclone)) /* a function of its own, by its own name */
#else
#define ALONE __declspec(noinline)
#endif

static const char *executed[FUNCTIONS];
#define MARK() (executed[__COUNTER__] = __func__)

/* Fibonacci ------------------------------------------------------------------------------------ */

static ALONE uint32_t fibonacci(uint32_t number)
{
    return number < 2 ? number : fibonacci(number - 1) + fibonacci(number - 2);
}

/* Where the stack lies in its cache lines makes some percent, which are not the profiler's: each
 * run begins at another place. */
static ALONE uint32_t run_at(size_t place)
{
    volatile char *bytes = alloca(place);
    bytes[0] = 0;
    return fibonacci(NUMBER);
}

static ALONE uint64_t run_fibonacci(void)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < RUNS; i++)
        sum += run_at(STACK_ALIGNED * (i + 1));
    return sum;
}

/* Mandelbrot ----------------------------------------------------------------------------------- */

struct view {
    double left, top, width, height;
};

struct picture {
    uint32_t *pixels;
    uint32_t palette[COLOURS];
    struct view view;
    HBITMAP bitmap;
};

static ALONE double square(double value)
{
    MARK();
    return value * value;
}

static ALONE bool is_in_bulb(double x, double y)
{
    MARK();
    return square(x + 1) + square(y) < 1.0 / 16;
}

static ALONE bool is_in_cardioid(double x, double y)
{
    MARK();
    double q = square(x - 0.25) + square(y);
    return q * (q + (x - 0.25)) < 0.25 * square(y);
}

static ALONE uint32_t escape(double x, double y)
{
    double a = 0, b = 0, aa = 0, bb = 0;
    uint32_t steps = 0;
    MARK();
    for (; aa + bb <= 4 && steps < DEEPEST; steps++) {
        b = 2 * a * b + y;
        a = aa - bb + x;
        aa = a * a;
        bb = b * b;
    }
    return steps;
}

static ALONE uint32_t count_steps(double x, double y)
{
    MARK();
    return is_in_cardioid(x, y) || is_in_bulb(x, y) ? DEEPEST : escape(x, y);
}

static ALONE double map_x(const struct view *view, int column)
{
    MARK();
    return view->left + view->width * column / WIDTH;
}

static ALONE double map_y(const struct view *view, int row)
{
    MARK();
    return view->top + view->height * row / HEIGHT;
}

static ALONE uint32_t mix(uint32_t from, uint32_t to, uint32_t part)
{
    MARK();
    return (from * (COLOURS - part) + to * part) / COLOURS;
}

static ALONE uint32_t hue(uint32_t part)
{
    MARK();
    return mix(20, 250, part) << 16 | mix(60, 180, part) << 8 | mix(120, 40, part);
}

static ALONE void make_palette(struct picture *picture)
{
    MARK();
    for (uint32_t i = 0; i < COLOURS; i++)
        picture->palette[i] = hue(i);
}

static ALONE uint32_t colour_of(const struct picture *picture, uint32_t steps)
{
    MARK();
    return steps == DEEPEST ? 0 : picture->palette[steps % COLOURS];
}

static ALONE void put_pixel(struct picture *picture, int column, int row, uint32_t colour)
{
    MARK();
    picture->pixels[row * WIDTH + column] = colour;
}

static ALONE void draw_row(struct picture *picture, int row)
{
    double y = map_y(&picture->view, row);
    MARK();
    for (int column = 0; column < WIDTH; column++)
        put_pixel(picture, column, row,
                  colour_of(picture, count_steps(map_x(&picture->view, column), y)));
}

static ALONE void draw_rows(struct picture *picture)
{
    MARK();
    for (int row = 0; row < HEIGHT; row++)
        draw_row(picture, row);
}

static ALONE void make_view(struct view *view, int zoom)
{
    MARK();
    *view = (struct view){-0.75 - 1.5 / zoom, -1.0 / zoom, 3.0 / zoom, 2.0 / zoom};
}

static ALONE void make_bitmap(struct picture *picture)
{
    BITMAPINFO info = {.bmiHeader = {.biSize = sizeof info.bmiHeader,
                                     .biWidth = WIDTH,
                                     .biHeight = -HEIGHT,
                                     .biPlanes = 1,
                                     .biBitCount = 32}};
    MARK();
    picture->bitmap =
        CreateDIBSection(NULL, &info, DIB_RGB_COLORS, (void **)&picture->pixels, NULL, 0);
}

static ALONE void show_bitmap(const struct picture *picture, HWND hwnd)
{
    HDC window = GetDC(hwnd);
    HDC memory = CreateCompatibleDC(window);
    MARK();
    SelectObject(memory, picture->bitmap);
    BitBlt(window, 0, 0, WIDTH, HEIGHT, memory, 0, 0, SRCCOPY);
    DeleteDC(memory);
    ReleaseDC(hwnd, window);
}

static ALONE uint64_t add_up(const struct picture *picture)
{
    uint64_t sum = 0;
    MARK();
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        sum = sum * 31 + picture->pixels[i];
    return sum;
}

static ALONE uint64_t run_mandelbrot(HWND hwnd)
{
    struct picture picture = {.pixels = NULL};
    uint64_t sum = 0;
    MARK();
    make_bitmap(&picture);
    make_palette(&picture);
    for (int drawn = 0; picture.pixels && drawn < PICTURES; drawn++) {
        make_view(&picture.view, 1 + drawn % 6);
        draw_rows(&picture);
        show_bitmap(&picture, hwnd);
        sum += add_up(&picture);
    }
    DeleteObject(picture.bitmap);
    return sum;
}

/* The window ----------------------------------------------------------------------------------- */

static uint64_t cpu_ns(void)
{
    FILETIME created, ended, kernel, user;
    GetThreadTimes(GetCurrentThread(), &created, &ended, &kernel, &user);
    uint64_t ticks = ((uint64_t)kernel.dwHighDateTime << 32 | kernel.dwLowDateTime) +
                     ((uint64_t)user.dwHighDateTime << 32 | user.dwLowDateTime);
    return ticks * 100;
}

static void work(HWND hwnd, uint32_t which)
{
    uint64_t begin_ns = um_clock_now_ns();
    uint64_t ran_ns = cpu_ns();
    uint64_t result = which == 1 ? run_fibonacci() : run_mandelbrot(hwnd);
    ran_ns = cpu_ns() - ran_ns;
    printf("took %llu %llu %llu\n", (unsigned long long)(um_clock_now_ns() - begin_ns),
           (unsigned long long)ran_ns, (unsigned long long)result);
    for (int i = 0; which != 1 && i < FUNCTIONS && executed[i]; i++)
        printf("executed %s\n", executed[i]);
    fflush(stdout);
}

static LRESULT CALLBACK window_proc(HWND hwnd, UINT message, WPARAM wparam, LPARAM lparam)
{
    if (message != UM_DEMO_UI_SPIN)
        return target_proc(hwnd, message, wparam, lparam);
    work(hwnd, (uint32_t)wparam);
    return 0;
}

int main(int argc, char **argv)
{
    static const struct target_window window = {L"UimonProfiled", L"profiled", WIDTH + 16,
                                                HEIGHT + 40, window_proc};

    target_open(argc, argv, &window);
    return target_run();
}
