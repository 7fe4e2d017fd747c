#include "overlay/profile_sdl.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/plain/clock.h"
#include "ipc/overlay.h"

#define WORDS_BYTES 160
#define MARGIN 10  /* px at 100 %: at the left and the right of a list */
#define TWO 640    /* px at 100 %: from this width on there are two lists */
#define TOTALS 270 /* px at 100 %: a list this wide also has the shares with callees */
#define COUNTS 340 /* px at 100 %: one this wide also has numbers of samples, and modules */
#define NUMBER 50  /* px at 100 %: of a column of numbers */
#define ROW UM_OVERLAY_ROW_HEIGHT
#define WHOLE 10000 /* what a value is in parts of */
#define SHADE 0xb8632a
#define NO_SAMPLES "no samples yet: they are taken while it is slow or frozen"

/* A list of the functions of one PROFILE, and where it is drawn. */
struct list {
    const struct um_wire_profile *profile;
    const struct um_wire_profile_row *more; /* behind its rows */
    int x, right;
    bool has_totals, has_counts;
};

static void write_share(uint32_t part, uint32_t whole, char *words)
{
    double percent = whole > 0 ? 100.0 * part / whole : 0;

    if (part > 0 && percent < 0.5)
        snprintf(words, UM_TEXT_BYTES, "<1 %%");
    else
        snprintf(words, UM_TEXT_BYTES, "%.0f %%", percent);
}

/* Whether what the functions are sorted by is a number, and no share. */
static bool is_number(uint8_t by)
{
    return by == UM_WIRE_BY_FREEZES || by == UM_WIRE_BY_FUNCTIONS;
}

/* Whether the functions are sorted by something else than the samples' time. */
static bool has_value(uint8_t by)
{
    return by > UM_WIRE_BY_TIME && by < UM_WIRE_BY_COUNT;
}

/* What a row has of what the functions are sorted by. */
static uint32_t part_of(const struct list *list, const struct um_wire_profile_row *row)
{
    uint8_t by = list->profile->by;
    if (by == UM_WIRE_BY_TIME)
        return row->all;
    return has_value(by) ? row->value : row->self;
}

/* Of how much that is a part; of a number the greatest, which comes first. */
static uint32_t whole_of(const struct list *list)
{
    uint8_t by = list->profile->by;
    if (is_number(by))
        return list->profile->rows[0].value;
    return has_value(by) ? WHOLE : list->profile->samples;
}

/* The heading of the numbers that the functions are sorted by, or of those beside them. */
static const char *heading(uint8_t by)
{
    static const char *const headings[] = {"self",   "self",    "CPU",     "user",
                                           "kernel", "samples", "freezes", "funcs"};
    return by < UM_WIRE_BY_COUNT ? headings[by] : "self";
}

/* Writes words so that they end at `right`; returns where the next column of numbers ends. */
static int draw_number(const struct um_drawing *d, int right, int y, uint32_t rgb,
                       const char *words)
{
    text(d, UM_GLYPHS_PLAIN, right - width_of(d, UM_GLYPHS_PLAIN, words), y, 0, rgb, words);
    return right - px(d, NUMBER);
}

static void draw_row(const struct um_drawing *d, const struct list *list,
                     const struct um_wire_profile_row *row, int y)
{
    uint32_t samples = list->profile->samples;
    uint32_t part = part_of(list, row), whole = whole_of(list);
    int height = px(d, ROW), right = list->right;
    int text_y = y + (height - height_of(d, UM_GLYPHS_PLAIN)) / 2;
    int shade = 0;
    char words[UM_TEXT_BYTES];

    if (whole > 0 && part <= whole)
        shade = (int)((double)(list->right - list->x) * part / whole);
    tint(d, list->x - px(d, 4), y + px(d, 1), shade + px(d, 4), height - px(d, 1), SHADE, 120);
    write_share(row->all, samples, words);
    if (list->has_totals)
        right = draw_number(d, right, text_y, UM_DRAWING_DIM, words);
    if (is_number(list->profile->by))
        snprintf(words, sizeof words, "%" PRIu32, part);
    else
        write_share(list->profile->by == UM_WIRE_BY_TIME ? row->self : part,
                    list->profile->by == UM_WIRE_BY_TIME ? samples : whole, words);
    right = draw_number(d, right, text_y, UM_DRAWING_TEXT, words);
    snprintf(words, sizeof words, "%" PRIu32, row->self);
    if (list->has_counts && !has_value(list->profile->by))
        right = draw_number(d, right, text_y, UM_DRAWING_DIM, words);
    if (right <= list->x)
        return;
    int x = list->x +
            text(d, UM_GLYPHS_PLAIN, list->x, text_y, right - list->x, UM_DRAWING_TEXT, row->name);
    if (list->has_counts && right - x > px(d, 40))
        text(d, UM_GLYPHS_PLAIN, x + px(d, 8), text_y, right - x - px(d, 8), UM_DRAWING_DIM,
             row->module);
}

/* Writes of which samples a list is, and of how many. */
static void write_title(const struct um_wire_profile *profile, char *title, char *more)
{
    char length[UM_TEXT_BYTES], unread[48] = "";
    const char *plural = profile->samples == 1 ? "" : "s";

    um_text_lag(profile->span_ns, length);
    if (profile->scope == UM_WIRE_SCOPE_NOW)
        snprintf(title, WORDS_BYTES, "frozen for %s", length);
    else if (profile->scope == UM_WIRE_SCOPE_FREEZE)
        snprintf(title, WORDS_BYTES, "last freeze, %s", length);
    else
        snprintf(title, WORDS_BYTES, "session");
    if (profile->unread > 0)
        snprintf(unread, sizeof unread, ", %" PRIu32 " unknown", profile->unread);
    if (profile->samples == 0)
        more[0] = '\0';
    else if (profile->forgotten > 0)
        snprintf(more, WORDS_BYTES, "latest %" PRIu32 " sample%s%s", profile->samples, plural,
                 unread);
    else
        snprintf(more, WORDS_BYTES, "%" PRIu32 " sample%s%s", profile->samples, plural, unread);
}

static void draw_title(const struct um_drawing *d, const struct list *list, int y)
{
    bool freezes = list->profile->scope == UM_WIRE_SCOPE_NOW;
    int right = list->right, x = list->x;
    int plain_y = y + ascent_of(d, UM_GLYPHS_STRONG) - ascent_of(d, UM_GLYPHS_PLAIN);
    char title[WORDS_BYTES], more[WORDS_BYTES];

    write_title(list->profile, title, more);
    if (list->profile->samples > 0) {
        if (list->has_totals)
            right = draw_number(d, right, plain_y, UM_DRAWING_DIM, "total");
        right = draw_number(d, right, plain_y, UM_DRAWING_DIM, heading(list->profile->by));
    }
    x += text(d, UM_GLYPHS_STRONG, x, y, right - x, freezes ? UM_DRAWING_RED : UM_DRAWING_TEXT,
              title) +
         px(d, 8);
    if (right - x > px(d, 60))
        text(d, UM_GLYPHS_PLAIN, x, plain_y, right - x, UM_DRAWING_DIM, more);
}

/* Draws words on as many lines as they need. */
static void draw_words(const struct um_drawing *d, int x, int right, int y, const char *words)
{
    char line[WORDS_BYTES];
    for (; *words; words += strlen(line), y += px(d, ROW)) {
        char *space;
        words += strspn(words, " ");
        snprintf(line, sizeof line, "%s", words);
        while (width_of(d, UM_GLYPHS_PLAIN, line) > right - x && (space = strrchr(line, ' ')))
            *space = '\0';
        text(d, UM_GLYPHS_PLAIN, x, y, right - x, UM_DRAWING_DIM, line);
    }
}

/* Why a list has no functions. */
static const char *why_empty(const struct um_wire_profile *profile)
{
    if (profile->samples > 0)
        return "none of them in a function that is shown";
    return profile->scope == UM_WIRE_SCOPE_SESSION ? NO_SAMPLES : "no samples";
}

/* Draws the list, or why there is none. */
static void draw_list(const struct um_drawing *d, int x, int right,
                      const struct um_model_profile *known, const char *why_not)
{
    const struct um_wire_profile *profile = known ? &known->of : NULL;
    struct list list = {
        .profile = profile, .more = known ? known->more : NULL, .x = x, .right = right};
    int y = px(d, 5), row = y + height_of(d, UM_GLYPHS_STRONG) + px(d, 2);

    list.has_totals = right - x >= px(d, TOTALS);
    list.has_counts = right - x >= px(d, COUNTS);
    if (profile)
        draw_title(d, &list, y);
    if (!profile || profile->rows[0].name[0] == '\0') {
        draw_words(d, x, right, profile ? row : y, profile ? why_empty(profile) : why_not);
        return;
    }
    for (int i = 0; i < d->profile_rows && i < UM_WIRE_PROFILE_ROWS + UM_MODEL_PROFILE_MORE; i++) {
        const struct um_wire_profile_row *shown =
            i < UM_WIRE_PROFILE_ROWS ? &profile->rows[i] : &list.more[i - UM_WIRE_PROFILE_ROWS];
        if (shown->name[0] == '\0')
            break;
        draw_row(d, &list, shown, row + i * px(d, ROW));
    }
}

void um_profile_draw(const struct um_drawing *d)
{
    const struct um_model_view *view = d->view;
    const struct um_model_profile *freeze =
        view->freeze_profile.known ? &view->freeze_profile : NULL;
    const struct um_model_profile *session =
        view->session_profile.known ? &view->session_profile : NULL;
    int left = px(d, MARGIN), right = d->canvas.width - px(d, MARGIN);
    int middle = d->canvas.width / 2;

    fill(d, 0, 0, d->canvas.width, d->canvas.height, d->back);
    /* The ground is less transparent under texts than under columns, so that they are legible. */
    tint(d, 0, 0, d->canvas.width, d->canvas.height, UM_DRAWING_BACK, 190);
    tint(d, 0, 0, d->canvas.width, 1, UM_DRAWING_WHITE, 46);
    if (right <= left)
        return;
    if (!session) {
        draw_list(d, left, right, NULL, NO_SAMPLES);
    } else if (session->of.scope == UM_WIRE_SCOPE_NONE) {
        draw_list(d, left, right, NULL,
                  "not sampled: switched off, not a 64-bit program, or it cannot be read");
    } else if (d->canvas.width < px(d, TWO)) {
        draw_list(d, left, right, freeze ? freeze : session, "");
    } else {
        draw_list(d, left, middle - px(d, MARGIN), freeze, "no freeze was sampled yet");
        draw_list(d, middle + px(d, MARGIN), right, session, "");
        tint(d, middle, px(d, 6), px(d, 1), d->canvas.height - 2 * px(d, 6), UM_DRAWING_WHITE, 46);
    }
}
