#include "overlay/block_sdl.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/plain/clock.h"

#define TEXT_BYTES 320
#define ROWS 200 /* px at 100 %: the width that rows of --show take from the block */

void um_block_lay_out(struct um_drawing *d)
{
    int width = d->canvas.width;
    int rows = d->rows && d->rows->count > 0 ? px(d, ROWS) : 0;
    int block;

    if (width - rows >= px(d, 640)) {
        d->detail = UM_DRAWING_FULL;
        block = px(d, 318);
    } else if (width - rows >= px(d, 260)) {
        d->detail = UM_DRAWING_COMPACT;
        block = px(d, 164);
    } else {
        d->detail = UM_DRAWING_NO_BLOCK;
        block = 0;
    }
    d->block = (struct um_canvas_rect){width - block, 0, block, d->canvas.height};
}

/* Draws a dim word and its number, which ends at `right`. */
static void draw_pair(const struct um_drawing *d, int right, int y, const char *name,
                      const char *number, uint32_t rgb)
{
    int gap = px(d, 5);
    int name_width = width_of(d, UM_GLYPHS_PLAIN, name);
    int x = right - width_of(d, UM_GLYPHS_PLAIN, number);

    text(d, UM_GLYPHS_PLAIN, x, y, 0, rgb, number);
    x = right - px(d, 62) - name_width - gap;
    text(d, UM_GLYPHS_PLAIN, x, y, 0, UM_DRAWING_DIM, name);
}

static void draw_percentiles(const struct um_drawing *d, int right, int y)
{
    const struct um_model_view *view = d->view;
    char number[UM_TEXT_BYTES] = "–";
    uint32_t rgb = UM_DRAWING_DIM;

    if (view->has_latency) {
        um_text_lag(view->status.p50_ns, number);
        rgb = UM_DRAWING_TEXT;
    }
    draw_pair(d, right, y, "5 s p50", number, rgb);
    rgb = um_drawing_p99(d, number);
    draw_pair(d, right, y + height_of(d, UM_GLYPHS_PLAIN) + px(d, 2), "5 s p99", number, rgb);
}

/* How the beats reach the target, in words. */
static const char *means(const struct um_model_view *view)
{
    if (view->probe == UM_PROBE_MOUSE)
        return " · mouse";
    if (view->probe == UM_PROBE_PING)
        return " · ping";
    if (view->probe != UM_PROBE_RAW)
        return "";
    return view->beat_kind == UM_BEAT_KIND_PAIR    ? " · raw pair"
           : view->beat_kind == UM_BEAT_KIND_ZERO  ? " · raw zero"
           : view->beat_kind == UM_BEAT_KIND_STILL ? " · raw still"
                                                   : " · raw";
}

/* Why the state is blind; NULL: unknown. */
static const char *blind_reason(const struct um_model_view *view)
{
    if (view->shielded)
        return "higher rights in front";
    const struct um_wire_held_words *words = um_wire_held_words(view->held);
    return words ? words->label : NULL;
}

/* Draws the state at the left, and target and probe at the right. */
static void draw_state(const struct um_drawing *d, int x, int right, int y)
{
    const struct um_model_view *view = d->view;
    char words[TEXT_BYTES];
    uint32_t rgb = um_drawing_state_words(d, words, sizeof words);
    int end, plain_y;

    end = x + text(d, UM_GLYPHS_STRONG, x, y, right - x, rgb, words) + px(d, 12);
    plain_y = y + ascent_of(d, UM_GLYPHS_STRONG) - ascent_of(d, UM_GLYPHS_PLAIN);
    if (d->detail != UM_DRAWING_FULL || view->name[0] == '\0' || right - end < px(d, 90))
        return;
    const char *why = view->state == UM_STATE_BLIND ? blind_reason(view) : NULL;
    if (why)
        snprintf(words, sizeof words, "%s", why);
    else
        snprintf(words, sizeof words, "%s%s", view->name, means(view));
    if (width_of(d, UM_GLYPHS_PLAIN, words) < right - end)
        end = right - width_of(d, UM_GLYPHS_PLAIN, words);
    text(d, UM_GLYPHS_PLAIN, end, plain_y, right - end, UM_DRAWING_DIM, words);
}

static int draw_lag(const struct um_drawing *d, enum um_glyphs_face face, int x, int right, int y)
{
    char number[2 * UM_TEXT_BYTES];
    uint32_t rgb;
    const char *past = d->detail == UM_DRAWING_FULL ? "last freeze" : "last";
    const char *words = um_drawing_lag_words(d, past, number, &rgb);

    if (face == UM_GLYPHS_BIG &&
        (!d->view->has_lag || d->view->lag_is_past || width_of(d, face, words) > right - x)) {
        face = d->view->lag_is_past ? UM_GLYPHS_STRONG : UM_GLYPHS_WORD;
        y += (height_of(d, UM_GLYPHS_BIG) - height_of(d, face)) / 2;
    }
    return text(d, face, x, y, right - x, rgb, words);
}

static void draw_last_freeze(const struct um_drawing *d, int x, int right, int y)
{
    const struct um_model_view *view = d->view;
    char length[UM_TEXT_BYTES], ago[UM_TEXT_BYTES], words[TEXT_BYTES];
    const char *name = d->detail == UM_DRAWING_FULL ? "last freeze " : "last ";

    if (!view->has_last_freeze) {
        if (view->link != UM_MODEL_WAITING && !um_drawing_freezes(d))
            text(d, UM_GLYPHS_PLAIN, x, y, right - x, UM_DRAWING_DIM, "no freeze yet");
        return;
    }
    x += text(d, UM_GLYPHS_PLAIN, x, y, right - x, UM_DRAWING_DIM, name);
    um_text_lag(view->status.last_freeze_ns, length);
    um_text_span(view->last_freeze_ago_ns, ago);
    x += text(d, UM_GLYPHS_PLAIN, x, y, right - x, UM_DRAWING_TEXT, length);
    snprintf(words, sizeof words, strcmp(ago, "now") == 0 ? ", just %s" : ", %s ago", ago);
    if (d->detail == UM_DRAWING_FULL && x < right)
        text(d, UM_GLYPHS_PLAIN, x, y, right - x, UM_DRAWING_DIM, words);
}

/* Draws words at the right of a row, if there is room. Returns where the rest of the row must
 * end. */
static int draw_at_right(const struct um_drawing *d, int x, int right, int y, uint32_t rgb,
                         const char *words)
{
    int width = width_of(d, UM_GLYPHS_PLAIN, words);
    if (width > right - x)
        return right;
    text(d, UM_GLYPHS_PLAIN, right - width, y, 0, rgb, words);
    return right - width - px(d, 8);
}

/* Draws how many freezes held up an input of the user, or that it is not known of all of them. */
static int draw_felt(const struct um_drawing *d, int x, int right, int y)
{
    char words[TEXT_BYTES];

    if (d->view->status.freezes == 0 || d->detail != UM_DRAWING_FULL)
        return right;
    if (d->view->felt_unobserved)
        return draw_at_right(d, x, right, y, UM_DRAWING_DIM, "felt not observed");
    if (!d->view->has_felt)
        return right;
    snprintf(words, sizeof words, "%" PRIu32 " of %" PRIu32 " felt", d->view->status.felt,
             d->view->status.freezes);
    return draw_at_right(d, x, right, y,
                         d->view->status.felt > 0 ? UM_DRAWING_TEXT : UM_DRAWING_DIM, words);
}

/* Draws how many records were lost, if any were, because the numbers are incomplete then. Returns
 * where the rest of the row must end. */
static int draw_lost(const struct um_drawing *d, int x, int right, int y)
{
    char words[TEXT_BYTES];

    if (d->view->lost == 0 || d->detail != UM_DRAWING_FULL)
        return right;
    snprintf(words, sizeof words, "%" PRIu64 " lost", d->view->lost);
    return draw_at_right(d, x, right, y, UM_DRAWING_AMBER, words);
}

/* Draws the p99 alone, for a narrow block. */
static void draw_p99(const struct um_drawing *d, int x, int right, int y)
{
    char number[UM_TEXT_BYTES];
    uint32_t rgb = um_drawing_p99(d, number);

    x += text(d, UM_GLYPHS_PLAIN, x, y, right - x, UM_DRAWING_DIM, "5 s p99 ");
    text(d, UM_GLYPHS_PLAIN, x, y, right - x, rgb, number);
}

static int draw_count(const struct um_drawing *d, int x, int right, int y, const char *limit,
                      const char *count, bool any)
{
    if (x >= right)
        return x;
    x += text(d, UM_GLYPHS_PLAIN, x, y, right - x, UM_DRAWING_DIM, limit) + px(d, 4);
    x += text(d, UM_GLYPHS_PLAIN, x, y, right - x, any ? UM_DRAWING_TEXT : UM_DRAWING_DIM, count);
    return x + px(d, 10);
}

static void draw_counts(const struct um_drawing *d, int x, int right, int y)
{
    const struct um_model_view *view = d->view;
    const struct {
        const char *limit;
        uint32_t count;
    } counts[] = {{">100 ms", view->status.over_100},
                  {">250 ms", view->status.over_250},
                  {">1 s", view->status.over_1000}};
    char number[UM_TEXT_BYTES];

    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        snprintf(number, sizeof number, "%" PRIu32, counts[i].count);
        x = draw_count(d, x, right, y, counts[i].limit, number, counts[i].count > 0);
    }
    um_text_lag(view->status.freeze_total_ns, number);
    if (view->status.freezes > 0)
        draw_count(d, x, right, y, "total", number, true);
}

/* A name and what it took, as in "typing p50 14 ms p99 38 ms". */
struct pair {
    const char *name;
    uint64_t lag_ns;
};

static int pairs_width(const struct um_drawing *d, const struct pair *pairs, int count)
{
    char number[UM_TEXT_BYTES];
    int width = 0;

    for (int i = 0; i < count; i++) {
        um_text_lag(pairs[i].lag_ns, number);
        width += width_of(d, UM_GLYPHS_PLAIN, pairs[i].name) + px(d, 4);
        width += width_of(d, UM_GLYPHS_PLAIN, number) + (i > 0 ? px(d, 6) : 0);
    }
    return width;
}

/* Draws the pairs from `x` on, and returns where they end. */
static int draw_pairs(const struct um_drawing *d, int x, int y, const struct pair *pairs, int count)
{
    char number[UM_TEXT_BYTES];

    for (int i = 0; i < count; i++) {
        uint64_t lag_ns = pairs[i].lag_ns;
        x += i > 0 ? px(d, 6) : 0;
        x += text(d, UM_GLYPHS_PLAIN, x, y, 0, UM_DRAWING_DIM, pairs[i].name) + px(d, 4);
        um_text_lag(lag_ns, number);
        x += text(d, UM_GLYPHS_PLAIN, x, y, 0, um_drawing_number_rgb(d, lag_ns), number);
    }
    return x;
}

/* Fills in the pairs of typing that fit into `room`, and returns how many. If there is no room for
 * "p50", the pair has only the name "typing". */
static int typing_pairs(const struct um_drawing *d, int room, struct pair pairs[2])
{
    static const char *const names[2][2] = {{"typing, handled p50", "typing, handled"},
                                            {"typing p50", "typing"}};
    const struct um_model_view *view = d->view;

    if (!view->has_typing)
        return 0;
    pairs[0] = (struct pair){names[view->typing_painted][0], view->status.typing_p50_ns};
    pairs[1] = (struct pair){"p99", view->status.typing_p99_ns};
    if (d->detail == UM_DRAWING_FULL && pairs_width(d, pairs, 2) <= room)
        return 2;
    if (pairs_width(d, pairs, 1) > room)
        pairs[0].name = names[view->typing_painted][1];
    return pairs_width(d, pairs, 1) <= room ? 1 : 0;
}

static int click_pair(const struct um_drawing *d, int room, struct pair *pair)
{
    if (!d->view->has_click)
        return 0;
    *pair = (struct pair){d->view->click_painted ? "click" : "click, handled",
                          d->view->status.click_ns};
    return pairs_width(d, pair, 1) <= room ? 1 : 0;
}

/* Whether the last click needs a line of its own, because it does not fit behind the typing. */
static bool click_is_apart(const struct um_drawing *d, int room)
{
    struct pair typing[2], click;
    int keys = typing_pairs(d, room, typing);

    if (keys == 0 || click_pair(d, room, &click) == 0)
        return false;
    return pairs_width(d, typing, keys) + px(d, 12) + pairs_width(d, &click, 1) > room;
}

static void draw_typing(const struct um_drawing *d, int x, int right, int y)
{
    struct pair typing[2], click;
    int room = right - x;
    int keys = typing_pairs(d, room, typing);

    if (keys > 0)
        x = draw_pairs(d, x, y, typing, keys) + px(d, 12);
    if (!click_is_apart(d, room) && click_pair(d, room, &click) > 0)
        draw_pairs(d, x, y, &click, 1);
}

static void draw_click(const struct um_drawing *d, int x, int right, int y)
{
    struct pair click;

    if (click_pair(d, right - x, &click) > 0)
        draw_pairs(d, x, y, &click, 1);
}

static void draw_last_and_lost(const struct um_drawing *d, int x, int right, int y)
{
    draw_last_freeze(d, x, draw_felt(d, x, draw_lost(d, x, right, y), y), y);
}

static void draw_more(const struct um_drawing *d, int x, int right, int y)
{
    if (d->detail == UM_DRAWING_COMPACT)
        draw_p99(d, x, right, y);
    else if (d->view->link != UM_MODEL_WAITING)
        draw_counts(d, x, right, y);
}

typedef void draw_row(const struct um_drawing *d, int x, int right, int y);

/* The lines below the lag, from top to bottom. If not all fit, the least important are left out. */
struct rows {
    draw_row *draw[4];
    int count;
    int height; /* of each */
};

static void lay_out_rows(const struct um_drawing *d, int width, int room, struct rows *rows)
{
    int plain = height_of(d, UM_GLYPHS_PLAIN);
    int fit = room > 0 ? room / (plain + px(d, 1)) : 0;
    bool typing = d->view->has_typing || d->view->has_click;
    bool apart = click_is_apart(d, width);

    rows->count = 0;
    if (fit >= 1)
        rows->draw[rows->count++] = draw_last_and_lost;
    if (fit >= (typing ? 3 : 2))
        rows->draw[rows->count++] = draw_more;
    if (typing && fit >= 2)
        rows->draw[rows->count++] = draw_typing;
    if (apart && fit >= 4)
        rows->draw[rows->count++] = draw_click;
    rows->height = plain + px(d, 3);
    while (rows->count > 0 && rows->count * rows->height > room)
        rows->height--;
}

void um_block_draw(const struct um_drawing *d)
{
    if (d->detail == UM_DRAWING_NO_BLOCK)
        return;
    enum um_glyphs_face face = d->block.height >= px(d, 44) ? UM_GLYPHS_BIG : UM_GLYPHS_STRONG;
    int x = d->block.x + px(d, 14), right = d->canvas.width - px(d, 10);
    int strong = height_of(d, UM_GLYPHS_STRONG), big = height_of(d, face);
    int room = d->block.height - px(d, 4) - big;
    bool state = room >= strong;
    struct rows rows;
    int y, x_end;

    lay_out_rows(d, right - x, room - strong, &rows);
    y = (d->block.height - big - (state ? strong : 0) - rows.count * rows.height) / 2;
    um_drawing_ground(d, d->block);
    fill(d, d->block.x, 0, px(d, 3), d->block.height, um_drawing_status_rgb(d) | 0xff000000);
    if (state)
        draw_state(d, x, right, y);
    y += state ? strong : 0;
    x_end = x + draw_lag(d, face, x, right, y) + px(d, 10);
    if (!state)
        draw_state(d, x_end, right, (d->block.height - strong) / 2);
    else if (d->detail == UM_DRAWING_FULL && face == UM_GLYPHS_BIG)
        draw_percentiles(d, right, y + (big - 2 * height_of(d, UM_GLYPHS_PLAIN)) / 2);
    y += big;
    for (int i = 0; i < rows.count; i++)
        rows.draw[i](d, x, right, y + i * rows.height);
}
