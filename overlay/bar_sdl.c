#include "overlay/bar_sdl.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "overlay/plot_sdl.h"
#include "overlay/readings_sdl.h"

#define ITEMS (2 + UM_OVERLAY_ROWS_MOST)
#define NAME_BYTES (UM_MODEL_COUNTER_BYTES + 16)
#define WORDS_BYTES 320
#define GAP 16          /* px at 100 %: between two items */
#define MIN_PLOT 120    /* px at 100 %: the columns get at least so much */
#define MAX_CAPTION 320 /* px at 100 % */

/* "p99 12 ms": a dim name, a number, and more dim words. */
struct item {
    char name[NAME_BYTES];
    char number[WORDS_BYTES];
    uint32_t rgb;
    char more[2 * UM_TEXT_BYTES];
    int width; /* of the widest text it can have, so that nothing moves when a number changes */
    bool alarm;
};

static int text_y(const struct um_drawing *d, enum um_glyphs_face face)
{
    return (d->canvas.height - height_of(d, UM_GLYPHS_STRONG)) / 2 +
           ascent_of(d, UM_GLYPHS_STRONG) - ascent_of(d, face);
}

static void set_widest(const struct um_drawing *d, struct item *item, const char *widest)
{
    item->width = width_of(d, UM_GLYPHS_PLAIN, widest);
}

static void make_p99(const struct um_drawing *d, struct item *item)
{
    snprintf(item->name, sizeof item->name, "p99 ");
    item->rgb = um_drawing_p99(d, item->number);
    set_widest(d, item, "p99 999 ms");
}

static void make_typing(const struct um_drawing *d, struct item *item)
{
    uint64_t lag_ns = d->view->status.typing_p50_ns;
    bool painted = d->view->typing_painted;

    snprintf(item->name, sizeof item->name, painted ? "typing " : "typing, handled ");
    item->rgb = um_drawing_number_rgb(d, lag_ns);
    um_text_lag(lag_ns, item->number);
    set_widest(d, item, painted ? "typing 999 ms" : "typing, handled 999 ms");
}

static void make_last(const struct um_drawing *d, struct item *item)
{
    char ago[UM_TEXT_BYTES];

    snprintf(item->name, sizeof item->name, "last freeze ");
    item->rgb = UM_DRAWING_TEXT;
    um_text_lag(d->view->status.last_freeze_ns, item->number);
    um_text_span(d->view->last_freeze_ago_ns, ago);
    snprintf(item->more, sizeof item->more, strcmp(ago, "now") == 0 ? ", just %s" : ", %s ago",
             ago);
    set_widest(d, item, "last freeze 999 ms, 59 min ago");
}

static void make_count(const struct um_drawing *d, struct item *item)
{
    char total[UM_TEXT_BYTES];

    item->rgb = UM_DRAWING_TEXT;
    snprintf(item->number, sizeof item->number, "%" PRIu32, d->view->status.freezes);
    um_text_lag(d->view->status.freeze_total_ns, total);
    snprintf(item->more, sizeof item->more, " freeze%s, %s",
             d->view->status.freezes == 1 ? "" : "s", total);
    size_t len = strlen(item->more);
    if (d->view->has_felt)
        snprintf(item->more + len, sizeof item->more - len, ", %" PRIu32 " felt",
                 d->view->status.felt);
    else if (d->view->felt_unobserved)
        snprintf(item->more + len, sizeof item->more - len, ", felt not observed");
    set_widest(d, item,
               d->view->has_felt          ? "999 freezes, 999 ms, 999 felt"
               : d->view->felt_unobserved ? "999 freezes, 999 ms, felt not observed"
                                          : "999 freezes, 999 ms");
}

static void make_caption(const struct um_drawing *d, struct item *item)
{
    item->rgb = UM_DRAWING_TEXT;
    snprintf(item->number, sizeof item->number, "%s", d->view->caption);
    set_widest(d, item, d->view->caption);
    if (item->width > px(d, MAX_CAPTION))
        item->width = px(d, MAX_CAPTION);
}

/* A row of --show: "input p99 37 ms"; during an alarm with its peak. */
static void make_reading(const struct um_drawing *d, enum um_overlay_row row, struct item *item)
{
    struct um_readings_row reading;
    char widest[2 * NAME_BYTES];

    um_readings_make(d->view, row, &reading);
    snprintf(item->name, sizeof item->name, "%s %s%s", reading.label, reading.main.name,
             reading.main.name[0] != '\0' ? " " : "");
    snprintf(item->number, sizeof item->number, "%s", reading.main.number);
    if (reading.alarm && reading.more.number[0] != '\0')
        snprintf(item->more, sizeof item->more, ", %s %s", reading.more.name, reading.more.number);
    item->rgb = um_readings_rgb(d, &reading, &reading.main);
    item->alarm = reading.alarm;
    snprintf(widest, sizeof widest, "%s%s", item->name, "999 ms");
    set_widest(d, item, widest);
    int width = width_of(d, UM_GLYPHS_PLAIN, item->name) +
                width_of(d, UM_GLYPHS_PLAIN, item->number) +
                width_of(d, UM_GLYPHS_PLAIN, item->more);
    item->width = width > item->width ? width : item->width;
}

/* Makes the items, the most important first; returns how many. */
static int make_items(const struct um_drawing *d, struct item items[ITEMS])
{
    int count = 0;

    if (d->view->link == UM_MODEL_WAITING)
        return 0;
    for (int i = 0; i < d->rows->count; i++)
        make_reading(d, d->rows->row[i], &items[count++]);
    if (d->rows->count > 0) {
        if (d->view->caption[0] != '\0')
            make_caption(d, &items[count++]);
        return count;
    }
    make_p99(d, &items[count++]);
    if (d->view->has_typing)
        make_typing(d, &items[count++]);
    if (d->view->has_last_freeze)
        make_last(d, &items[count++]);
    if (d->view->caption[0] != '\0')
        make_caption(d, &items[count++]);
    if (d->view->status.freezes > 0)
        make_count(d, &items[count++]);
    return count;
}

static void draw_item(const struct um_drawing *d, const struct item *item, int x, int y)
{
    int right = x + item->width;
    uint32_t dim = item->alarm ? UM_DRAWING_TEXT : UM_DRAWING_DIM;

    if (item->alarm)
        tint(d, x - px(d, 6), px(d, 2), item->width + 2 * px(d, 6), d->canvas.height - 2 * px(d, 2),
             UM_DRAWING_ALARM, 168);
    x += text(d, UM_GLYPHS_PLAIN, x, y, 0, dim, item->name);
    x += text(d, UM_GLYPHS_PLAIN, x, y, right - x, item->rgb, item->number);
    if (right > x)
        text(d, UM_GLYPHS_PLAIN, x, y, right - x, dim, item->more);
}

/* Draws state and lag, and returns where they end. */
static int draw_left(const struct um_drawing *d)
{
    enum um_glyphs_face face = d->view->has_lag ? UM_GLYPHS_STRONG : UM_GLYPHS_PLAIN;
    int x = px(d, 10), gap = px(d, 10);
    int lag_width = width_of(d, UM_GLYPHS_STRONG, "999 ms");
    int state_width = width_of(d, UM_GLYPHS_STRONG, "window thread");
    int limit = d->canvas.width - 2 * x;
    char words[WORDS_BYTES], number[2 * UM_TEXT_BYTES];

    uint32_t rgb = um_drawing_state_words(d, words, sizeof words);
    if (d->view->link == UM_MODEL_LIVE && !d->view->window_only)
        state_width = width_of(d, UM_GLYPHS_STRONG, "responsive");
    int width = width_of(d, UM_GLYPHS_STRONG, words);
    state_width = width > state_width ? width : state_width;
    text(d, UM_GLYPHS_STRONG, x, text_y(d, UM_GLYPHS_STRONG), limit, rgb, words);
    x += state_width + gap;
    if (d->view->link != UM_MODEL_LIVE)
        return x;
    if (d->view->lag_is_past) /* the last freeze has its own place */
        return x + lag_width + gap;
    const char *lag = um_drawing_lag_words(d, "last", number, &rgb);
    width = width_of(d, face, lag);
    lag_width = width > lag_width ? width : lag_width;
    if (x + lag_width > d->canvas.width)
        return x;
    text(d, face, x + lag_width - width, text_y(d, face), 0, rgb, lag);
    return x + lag_width + gap;
}

static int items_that_fit(const struct um_drawing *d, const struct item *items, int count, int room)
{
    int fit = 0;

    while (fit < count && room >= items[fit].width + px(d, GAP))
        room -= items[fit++].width + px(d, GAP);
    return fit;
}

enum um_status um_bar_draw(struct um_drawing *d)
{
    struct um_canvas_rect all = {0, 0, d->canvas.width, d->canvas.height};
    struct item items[ITEMS];
    int right = d->canvas.width - px(d, 10);
    memset(items, 0, sizeof items);
    int count = make_items(d, items);

    um_paint_fill(&d->canvas, all, d->back);
    um_drawing_ground(d, all);
    tint(d, 0, 0, all.width, 1, UM_DRAWING_WHITE, 30);
    int left = draw_left(d);
    count = items_that_fit(d, items, count, right - left - px(d, MIN_PLOT));
    for (int i = 0; i < count; i++) {
        /* Rows of --show keep their order. Of other items the first is at the right. */
        const struct item *item = &items[d->rows->count > 0 ? count - 1 - i : i];
        right -= item->width;
        draw_item(d, item, right, text_y(d, UM_GLYPHS_PLAIN));
        right -= px(d, GAP);
    }
    if (right - left < px(d, 16))
        return UM_OK;
    return um_plot_draw_part(d, (struct um_canvas_rect){left, 0, right - left, all.height});
}
