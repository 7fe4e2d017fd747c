#include "demo/window_x11.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <SDL.h>
#include <SDL_syswm.h>
#include <X11/Xlib.h>

#include "base/plain/clock.h"
#include "demo/act.h"
#include "demo/draw_x11.h"

#define POLL_NS (5 * UM_CLOCK_NS_PER_MS)
#define FRAME_MS 33 /* of the bar that moves */
#define TEXT_BYTES 4096

/* The events of this program's own, as codes of one type of SDL's. */
enum request { REQUEST_SLEEP, REQUEST_SPIN, REQUEST_JANK, REQUEST_PLAYED, REQUEST_CLOSE };

enum { CARD_SLEEP, CARD_SPIN, CARD_BUSY, CARD_COUNT };

static const struct {
    const char *title;
    const char *hint;
    uint32_t rgb;
} cards[CARD_COUNT] = {
    [CARD_SLEEP] = {"Sleep", "the thread waits", UM_DEMO_DRAW_BLUE},
    [CARD_SPIN] = {"Spin", "the thread computes", UM_DEMO_DRAW_AMBER},
    [CARD_BUSY] = {"Busy", "it works, and input waits", UM_DEMO_DRAW_ROSE},
};

static const struct button {
    const char *label;
    enum um_demo_play_kind kind;
    uint32_t count, ms;
    int card;
} buttons[] = {
    {"50 ms", UM_DEMO_PLAY_SLEEP, 1, 50, CARD_SLEEP},
    {"150 ms", UM_DEMO_PLAY_SLEEP, 1, 150, CARD_SLEEP},
    {"300 ms", UM_DEMO_PLAY_SLEEP, 1, 300, CARD_SLEEP},
    {"1 s", UM_DEMO_PLAY_SLEEP, 1, 1000, CARD_SLEEP},
    {"50 ms", UM_DEMO_PLAY_SPIN, 1, 50, CARD_SPIN},
    {"150 ms", UM_DEMO_PLAY_SPIN, 1, 150, CARD_SPIN},
    {"300 ms", UM_DEMO_PLAY_SPIN, 1, 300, CARD_SPIN},
    {"1 s", UM_DEMO_PLAY_SPIN, 1, 1000, CARD_SPIN},
    {"20 janks of 30 ms", UM_DEMO_PLAY_JANK, 20, 30, CARD_BUSY},
    {"10 of 100 ms", UM_DEMO_PLAY_JANK, 10, 100, CARD_BUSY},
};

#define BUTTONS (sizeof buttons / sizeof buttons[0])

struct um_demo_window {
    const struct um_demo_options *options;
    struct um_demo_journal *journal;
    SDL_Window *window;
    Uint32 type;  /* of this program's own events */
    uint64_t xid; /* the window's */
    uint32_t tid;
    float scale;
    atomic_uint done; /* blocks that are over */
    atomic_int closing;
    uint64_t retrieved_ns;
    uint32_t retrieved_type;
    bool away;   /* no event was retrieved since a freeze */
    bool dirty;  /* the picture is not what it should be */
    bool typed;  /* ... in the typing area */
    int pressed; /* the button whose freeze lasts; -1: none */
    char last[64];
    uint32_t freezes;
    struct um_demo_acts acts;
    uint32_t turns[UM_DEMO_OPTIONS_COST_COUNT];
    char text[TEXT_BYTES];
};

const char *um_demo_window_cannot(const struct um_demo_play *play)
{
    static const char *const words[UM_DEMO_PLAY_WAIT + 1] = {
        [UM_DEMO_PLAY_SENT] = "sent",   [UM_DEMO_PLAY_FLOOD] = "flood",
        [UM_DEMO_PLAY_MODAL] = "modal", [UM_DEMO_PLAY_POOL] = "pool",
        [UM_DEMO_PLAY_PAINT] = "paint", [UM_DEMO_PLAY_NEST] = "nest",
        [UM_DEMO_PLAY_PANES] = "panes"};
    for (uint32_t i = 0; i < play->len; i++)
        if (words[play->items[i].kind])
            return words[play->items[i].kind];
    return NULL;
}

/* Freezing ------------------------------------------------------------------------------------- */

static void log_window(struct um_demo_window *window, enum um_demo_log_kind kind)
{
    struct um_demo_log_event event = {.kind = kind,
                                      .begin_ns = um_clock_now_ns(),
                                      .pid = (uint32_t)getpid(),
                                      .tid = window->tid,
                                      .hwnd = window->xid};
    if (kind == UM_DEMO_LOG_GONE)
        snprintf(event.name, sizeof event.name, "main");
    um_demo_journal_write(window->journal, &event);
}

static void spin_ns(uint64_t ns)
{
    uint64_t begin_ns = um_clock_now_ns();
    while (um_clock_now_ns() - begin_ns < ns) {
    }
}

/* Blocks the thread, and logs it. Not inlined, so that stacks name it. */
__attribute__((noinline)) static void
um_demo_ui_block(struct um_demo_window *window, const char *name, uint32_t ms, uint64_t posted_ns)
{
    struct um_demo_log_event event = {.kind = UM_DEMO_LOG_FREEZE,
                                      .requested_ms = ms,
                                      .retrieved_ns = window->retrieved_ns,
                                      .message = window->retrieved_type,
                                      .hwnd = window->xid,
                                      .tid = window->tid,
                                      .posted_ns = posted_ns};
    snprintf(event.name, sizeof event.name, "%s", name);
    event.begin_ns = um_clock_now_ns();
    um_demo_journal_away(window->journal, event.tid);
    if (strcmp(name, "spin") == 0)
        spin_ns(ms * UM_CLOCK_NS_PER_MS);
    else
        um_clock_sleep_ns(ms * UM_CLOCK_NS_PER_MS);
    event.end_ns = um_clock_now_ns();
    window->away = true;
    um_demo_journal_write(window->journal, &event);
    snprintf(window->last, sizeof window->last, "last: %s %.1f ms    freezes: %u", name,
             (double)(event.end_ns - event.begin_ns) / (double)UM_CLOCK_NS_PER_MS,
             (unsigned)++window->freezes);
    window->dirty |= !window->options->still;
    atomic_fetch_add(&window->done, 1);
}

static bool post(struct um_demo_window *window, enum request request, uint32_t ms)
{
    SDL_Event event = {.user = {.type = window->type,
                                .code = (Sint32)request,
                                .data1 = (void *)(uintptr_t)ms,
                                .data2 = (void *)(uintptr_t)um_clock_now_ns()}};
    return SDL_PushEvent(&event) > 0;
}

static void take_request(struct um_demo_window *window, const SDL_UserEvent *event)
{
    static const char *const names[] = {"sleep", "spin", "jank"};
    uint32_t ms = (uint32_t)(uintptr_t)event->data1;
    switch ((enum request)event->code) {
    case REQUEST_SLEEP:
    case REQUEST_SPIN:
    case REQUEST_JANK:
        um_demo_ui_block(window, names[event->code], ms, (uint64_t)(uintptr_t)event->data2);
        break;
    case REQUEST_PLAYED:
        log_window(window, UM_DEMO_LOG_PLAYED);
        break;
    case REQUEST_CLOSE:
        atomic_store(&window->closing, 1);
        break;
    }
}

/* Drawing -------------------------------------------------------------------------------------- */

static int px(const struct um_demo_window *window, int units)
{
    return (int)((float)units * window->scale + 0.5F);
}

/* Where everything stands. */
struct places {
    SDL_Rect title, hint, pulse, last, typing, band;
    SDL_Rect cards[CARD_COUNT];
    SDL_Rect buttons[BUTTONS];
};

static void place_buttons(const struct um_demo_window *window, struct places *places)
{
    int pad = px(window, 12), gap = px(window, 6);
    for (size_t first = 0; first < BUTTONS;) {
        const SDL_Rect *card = &places->cards[buttons[first].card];
        size_t end = first;
        while (end < BUTTONS && buttons[end].card == buttons[first].card)
            end++;
        int count = (int)(end - first);
        int width = (card->w - 2 * pad - (count - 1) * gap) / count;
        for (int i = 0; first < end; first++, i++)
            places->buttons[first] = (SDL_Rect){card->x + pad + i * (width + gap),
                                                card->y + px(window, 44), width, px(window, 34)};
    }
}

static void place(const struct um_demo_window *window, int width, int height, struct places *places)
{
    int margin = px(window, 16), gap = px(window, 12), row = px(window, 92);
    int third = (width - 2 * margin - 2 * gap) / 3;
    int right = width - margin - third;
    int top = px(window, 72), typing_top = top + row + gap;
    int band_top = height - px(window, 124);
    places->title = (SDL_Rect){margin, px(window, 12), right - gap - margin, px(window, 28)};
    places->hint = (SDL_Rect){margin, px(window, 40), right - gap - margin, px(window, 20)};
    places->pulse = (SDL_Rect){right, px(window, 22), third, px(window, 10)};
    places->last = (SDL_Rect){right, px(window, 40), third, px(window, 20)};
    for (int i = 0; i < CARD_COUNT; i++)
        places->cards[i] = (SDL_Rect){margin + i * (third + gap), top, third, row};
    if (band_top < typing_top + px(window, 70))
        band_top = typing_top + px(window, 70);
    places->typing =
        (SDL_Rect){margin, typing_top, width - 2 * margin, band_top - gap - typing_top};
    places->band = (SDL_Rect){margin, band_top, width - 2 * margin, height - margin - band_top};
    place_buttons(window, places);
}

/* The part of a card below its title. */
static SDL_Rect inside(const struct um_demo_window *window, const SDL_Rect *card)
{
    int pad = px(window, 23), caption = px(window, 36);
    return (SDL_Rect){card->x + pad, card->y + caption, card->w - 2 * pad,
                      card->h - caption - px(window, 6)};
}

static void draw_card(const struct um_demo_window *window, SDL_Surface *on, const SDL_Rect *card,
                      const char *title, const char *hint, uint32_t rgb)
{
    SDL_Rect swatch = {card->x + px(window, 12), card->y + px(window, 14), px(window, 4),
                       px(window, 14)};
    SDL_Rect text = {swatch.x + px(window, 12), card->y + px(window, 10), card->w - px(window, 36),
                     px(window, 22)};
    um_demo_draw_card(on, card, UM_DEMO_DRAW_CARD, UM_DEMO_DRAW_LINE);
    um_demo_draw_box(on, &swatch, rgb);
    um_demo_draw_text(on, &text, UM_DEMO_DRAW_BOLD, UM_DEMO_DRAW_LEFT, UM_DEMO_DRAW_TEXT, title);
    um_demo_draw_text(on, &text, UM_DEMO_DRAW_BODY, UM_DEMO_DRAW_RIGHT, UM_DEMO_DRAW_HINT, hint);
}

static void draw_button(const struct um_demo_window *window, SDL_Surface *on, size_t index,
                        const SDL_Rect *box)
{
    uint32_t rgb = cards[buttons[index].card].rgb;
    bool down = window->pressed == (int)index;
    um_demo_draw_card(on, box, down ? rgb : UM_DEMO_DRAW_BACK, down ? rgb : UM_DEMO_DRAW_LINE);
    um_demo_draw_text(on, box, UM_DEMO_DRAW_BODY, UM_DEMO_DRAW_MIDDLE,
                      down ? UM_DEMO_DRAW_CARD : UM_DEMO_DRAW_TEXT, buttons[index].label);
}

/* The bar's place follows the clock, so after a freeze it jumps to where it should have been. */
static void draw_pulse(const struct um_demo_window *window, SDL_Surface *on, const SDL_Rect *box)
{
    const uint64_t turn_ms = 2400;
    uint64_t now_ms = window->options->still ? 0 : um_clock_now_ns() / UM_CLOCK_NS_PER_MS % turn_ms;
    uint64_t way = now_ms < turn_ms / 2 ? now_ms : turn_ms - now_ms;
    int length = box->w / 6;
    SDL_Rect bar = {box->x + (int)((uint64_t)(box->w - length) * way / (turn_ms / 2)), box->y,
                    length, box->h};
    um_demo_draw_box(on, box, UM_DEMO_DRAW_LINE);
    um_demo_draw_box(on, &bar, UM_DEMO_DRAW_BLUE);
}

static void draw_all(const struct um_demo_window *window, SDL_Surface *on,
                     const struct places *places)
{
    um_demo_draw_box(on, NULL, UM_DEMO_DRAW_BACK);
    um_demo_draw_text(on, &places->title, UM_DEMO_DRAW_TITLE, UM_DEMO_DRAW_LEFT, UM_DEMO_DRAW_TEXT,
                      "A window that freezes on request");
    um_demo_draw_text(on, &places->hint, UM_DEMO_DRAW_BODY, UM_DEMO_DRAW_LEFT, UM_DEMO_DRAW_HINT,
                      "Each button blocks this window's own thread.");
    um_demo_draw_text(on, &places->last, UM_DEMO_DRAW_BODY, UM_DEMO_DRAW_RIGHT, UM_DEMO_DRAW_HINT,
                      window->freezes ? window->last : "no freeze yet");
    draw_pulse(window, on, &places->pulse);
    for (int i = 0; i < CARD_COUNT; i++)
        draw_card(window, on, &places->cards[i], cards[i].title, cards[i].hint, cards[i].rgb);
    for (size_t i = 0; i < BUTTONS; i++)
        draw_button(window, on, i, &places->buttons[i]);
    draw_card(window, on, &places->typing, "Type here", "while something freezes",
              UM_DEMO_DRAW_SLATE);
    SDL_Rect lines = inside(window, &places->typing);
    um_demo_draw_lines(on, &lines, UM_DEMO_DRAW_TEXT, window->text);
    um_demo_draw_card(on, &places->band, UM_DEMO_DRAW_BACK, UM_DEMO_DRAW_LINE);
}

static uint32_t next_cost_ms(struct um_demo_window *window, enum um_demo_options_cost cost)
{
    const struct um_demo_options_costs *costs = &window->options->costs[cost];
    return costs->count ? costs->ms[window->turns[cost]++ % costs->count] : 0;
}

static void spend(struct um_demo_window *window, enum um_demo_options_cost cost)
{
    uint32_t ms = next_cost_ms(window, cost);
    if (ms)
        um_clock_sleep_ns(ms * UM_CLOCK_NS_PER_MS);
}

static void log_acts(struct um_demo_window *window)
{
    struct um_demo_log_event act;
    while (um_demo_act_take(&window->acts, &act))
        um_demo_journal_write(window->journal, &act);
}

static void paint(struct um_demo_window *window)
{
    SDL_Surface *on = SDL_GetWindowSurface(window->window);
    struct places places;
    uint64_t begin_ns = um_clock_now_ns();
    window->dirty = false;
    if (!on)
        return;
    place(window, on->w, on->h, &places);
    draw_all(window, on, &places);
    if (window->typed)
        spend(window, UM_DEMO_OPTIONS_COST_PAINT);
    SDL_UpdateWindowSurface(window->window);
    if (window->typed && window->options->plain) {
        um_demo_act_painted(&window->acts, begin_ns, um_clock_now_ns());
        log_acts(window);
    }
    window->typed = false;
}

/* Input ---------------------------------------------------------------------------------------- */

static void soil(struct um_demo_window *window)
{
    window->dirty = window->typed = true;
    um_demo_act_soil(&window->acts);
    um_demo_act_handled(&window->acts, um_clock_now_ns());
}

static bool is_modifier(SDL_Keycode key)
{
    return (key >= SDLK_LCTRL && key <= SDLK_RGUI) || key == SDLK_CAPSLOCK ||
           key == SDLK_NUMLOCKCLEAR || key == SDLK_SCROLLLOCK;
}

static void begin_act(struct um_demo_window *window, const char *name)
{
    um_demo_act_settle(&window->acts);
    if (window->options->plain)
        um_demo_act_begin(&window->acts, name, window->tid, window->retrieved_ns);
    log_acts(window);
}

static void take_key(struct um_demo_window *window, const SDL_KeyboardEvent *event)
{
    size_t len = strlen(window->text);
    if (event->repeat || is_modifier(event->keysym.sym))
        return;
    begin_act(window, "key");
    spend(window, UM_DEMO_OPTIONS_COST_DOWN);
    if (event->keysym.sym == SDLK_BACKSPACE && len > 0)
        window->text[len - 1] = '\0';
    if (event->keysym.sym == SDLK_RETURN && len + 1 < TEXT_BYTES)
        memcpy(window->text + len, "\n", 2);
    soil(window);
}

/* The characters of a key come behind it. Their cost is a freeze like those of the buttons. */
static void take_text(struct um_demo_window *window, const char *text)
{
    uint32_t ms = next_cost_ms(window, UM_DEMO_OPTIONS_COST_KEY);
    size_t len = strlen(window->text), more = strlen(text);
    if (ms)
        um_demo_ui_block(window, "key", ms, 0);
    if (len + more >= TEXT_BYTES)
        len = 0;
    memcpy(window->text + len, text, more + 1);
    soil(window);
}

static void trigger(struct um_demo_window *window, enum um_demo_play_kind kind, uint32_t count,
                    uint32_t ms)
{
    static const enum request requests[] = {[UM_DEMO_PLAY_SLEEP] = REQUEST_SLEEP,
                                            [UM_DEMO_PLAY_SPIN] = REQUEST_SPIN,
                                            [UM_DEMO_PLAY_JANK] = REQUEST_JANK};
    for (uint32_t i = 0; i < (kind == UM_DEMO_PLAY_JANK ? count : 1); i++)
        post(window, requests[kind], ms);
}

/* A button stays down while its freeze lasts. */
static void press(struct um_demo_window *window, size_t index)
{
    const struct button *button = &buttons[index];
    bool blocks = button->kind == UM_DEMO_PLAY_SLEEP || button->kind == UM_DEMO_PLAY_SPIN;
    if (!blocks) {
        trigger(window, button->kind, button->count, button->ms);
        return;
    }
    window->pressed = (int)index;
    paint(window);
    um_demo_ui_block(window, button->kind == UM_DEMO_PLAY_SPIN ? "spin" : "sleep", button->ms, 0);
    window->pressed = -1;
    window->dirty = true;
}

static void click(struct um_demo_window *window, const SDL_MouseButtonEvent *event)
{
    struct places places;
    const SDL_Point at = {event->x, event->y};
    int width, height;
    SDL_GetWindowSize(window->window, &width, &height);
    place(window, width, height, &places);
    if (SDL_PointInRect(&at, &places.typing)) {
        begin_act(window, event->type == SDL_MOUSEBUTTONDOWN ? "click" : "release");
        spend(window, event->type == SDL_MOUSEBUTTONDOWN ? UM_DEMO_OPTIONS_COST_CLICK
                                                         : UM_DEMO_OPTIONS_COST_RELEASE);
        soil(window);
    }
    for (size_t i = 0; i < BUTTONS && event->type == SDL_MOUSEBUTTONDOWN; i++)
        if (SDL_PointInRect(&at, &places.buttons[i]))
            press(window, i);
}

/* Running -------------------------------------------------------------------------------------- */

/* The first event after a freeze. */
static void log_back(struct um_demo_window *window)
{
    window->away = false;
    um_demo_journal_write(window->journal,
                          &(struct um_demo_log_event){.kind = UM_DEMO_LOG_BACK,
                                                      .begin_ns = window->retrieved_ns,
                                                      .tid = window->tid,
                                                      .posted_ns = window->retrieved_ns});
}

static void handle(struct um_demo_window *window, const SDL_Event *event)
{
    window->retrieved_ns = um_clock_now_ns();
    window->retrieved_type = event->type;
    if (window->away)
        log_back(window);
    if (event->type == window->type) {
        take_request(window, &event->user);
        return;
    }
    switch (event->type) {
    case SDL_QUIT:
        atomic_store(&window->closing, 1);
        break;
    case SDL_WINDOWEVENT:
        window->dirty |= event->window.event == SDL_WINDOWEVENT_EXPOSED ||
                         event->window.event == SDL_WINDOWEVENT_SIZE_CHANGED;
        break;
    case SDL_KEYDOWN:
        take_key(window, &event->key);
        break;
    case SDL_TEXTINPUT:
        take_text(window, event->text.text);
        break;
    case SDL_MOUSEBUTTONDOWN:
    case SDL_MOUSEBUTTONUP:
        click(window, &event->button);
        break;
    case SDL_MOUSEWHEEL:
        begin_act(window, "wheel");
        spend(window, UM_DEMO_OPTIONS_COST_WHEEL);
        soil(window);
        break;
    default:
        break;
    }
}

void um_demo_window_run(struct um_demo_window *window)
{
    while (!atomic_load(&window->closing)) {
        SDL_Event event;
        bool got =
            window->options->still ? SDL_WaitEvent(&event) : SDL_WaitEventTimeout(&event, FRAME_MS);
        if (got)
            handle(window, &event);
        window->dirty |= !got && !window->options->still;
        if (window->dirty && !SDL_HasEvents(SDL_KEYDOWN, SDL_MOUSEWHEEL))
            paint(window);
    }
    log_window(window, UM_DEMO_LOG_GONE);
}

/* Waits by polling: to wake another thread would be work for this one in the moments that are
 * measured. */
bool um_demo_window_play(struct um_demo_window *window, const struct um_demo_play_item *item)
{
    unsigned until = atomic_load(&window->done);
    if (item->kind == UM_DEMO_PLAY_WAIT) {
        um_clock_sleep_ns(item->ms * UM_CLOCK_NS_PER_MS);
        return !atomic_load(&window->closing);
    }
    until += item->kind == UM_DEMO_PLAY_JANK ? item->count : 1;
    trigger(window, item->kind, item->count, item->ms);
    while ((int)(atomic_load(&window->done) - until) < 0 && !atomic_load(&window->closing))
        um_clock_sleep_ns(POLL_NS);
    return !atomic_load(&window->closing);
}

void um_demo_window_played(struct um_demo_window *window, bool and_close)
{
    post(window, REQUEST_PLAYED, 0);
    if (and_close)
        post(window, REQUEST_CLOSE, 0);
}

/* Opening -------------------------------------------------------------------------------------- */

/* What the desktop says of the screen's density, as toolkits take it. */
static float scale_of(Display *display)
{
    const char *dpi = display ? XGetDefault(display, "Xft", "dpi") : NULL;
    float value = dpi ? strtof(dpi, NULL) / 96 : 1;
    return value >= 0.5F && value <= 8 ? value : 1;
}

static bool begin_sdl(const struct um_demo_options *options)
{
    SDL_SetMainReady();
    setenv("SDL_VIDEO_X11_WMCLASS", options->class_name, 1);
    SDL_SetHint(SDL_HINT_VIDEODRIVER, "x11");
    SDL_SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "1");
    SDL_SetHint(SDL_HINT_VIDEO_ALLOW_SCREENSAVER, "1");
    SDL_SetHint(SDL_HINT_MOUSE_FOCUS_CLICKTHROUGH, "1");
    return SDL_Init(SDL_INIT_VIDEO) == 0;
}

/* The scale has to be known before the window has its size. */
static float read_scale(void)
{
    Display *display = XOpenDisplay(NULL);
    float scale = scale_of(display);
    if (display)
        XCloseDisplay(display);
    return scale;
}

/* SDL asks where the window lies in the frame that its manager has made. If the manager restarts in
 * that moment the frame is gone, and Xlib would end the program. */
static int ignore_error(Display *display, XErrorEvent *event)
{
    (void)display, (void)event;
    return 0;
}

enum um_status um_demo_window_open(const struct um_demo_options *options,
                                   struct um_demo_journal *journal, struct um_demo_window **window)
{
    struct um_demo_window *made = calloc(1, sizeof *made);
    SDL_SysWMinfo info;
    if (!made)
        return UM_ERR_MEMORY;
    made->options = options;
    made->journal = journal;
    made->tid = (uint32_t)gettid();
    made->pressed = -1;
    made->scale = read_scale();
    int at[4] = {(int)SDL_WINDOWPOS_UNDEFINED, (int)SDL_WINDOWPOS_UNDEFINED, px(made, 900),
                 px(made, 460)};
    for (int i = 0; options->has_pos && i < 4; i++)
        at[i] = options->pos[i];
    if (begin_sdl(options))
        made->window =
            SDL_CreateWindow(options->title, at[0], at[1], at[2], at[3], SDL_WINDOW_RESIZABLE);
    SDL_VERSION(&info.version);
    if (!made->window || !SDL_GetWindowWMInfo(made->window, &info)) {
        um_demo_window_close(made);
        return UM_ERR_IO;
    }
    made->xid = info.info.x11.window;
    XSetErrorHandler(ignore_error);
    made->type = SDL_RegisterEvents(1);
    /* Each event of the server is one of SDL's then, pings too: so the first after a freeze is. */
    SDL_EventState(SDL_SYSWMEVENT, SDL_ENABLE);
    SDL_StartTextInput();
    (void)um_demo_draw_begin(made->scale);
    log_window(made, UM_DEMO_LOG_START);
    paint(made);
    *window = made;
    return UM_OK;
}

void um_demo_window_close(struct um_demo_window *window)
{
    um_demo_draw_end();
    if (window->window)
        SDL_DestroyWindow(window->window);
    SDL_Quit();
    free(window);
}
