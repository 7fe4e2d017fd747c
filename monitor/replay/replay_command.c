#include "monitor/options/commands.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/plain/clock.h"
#include "ipc/transport.h"
#include "base/exit_code.h"
#include "base/hotkeys.h"
#include "base/output.h"
#include "base/platform.h"
#include "base/terminal_line.h"
#include "base/utf8.h"
#include "monitor/feed/hub.h"
#include "monitor/live/overlay_process.h"
#include "monitor/replay/player.h"
#include "monitor/replay/player_keys.h"
#include "monitor/replay/replay.h"

#define CONSUMER_NS (5 * UM_CLOCK_NS_PER_S)        /* the longest wait for the first consumer */
#define OVERLAY_NS (20 * UM_CLOCK_NS_PER_S)        /* the longest wait for the overlay */
#define LOOK_MS 20                                 /* between two looks for either */
#define OVERLAY_LOOK_NS (250 * UM_CLOCK_NS_PER_MS) /* between two looks whether the overlay runs */
#define CAPTION_NS (250 * UM_CLOCK_NS_PER_MS)      /* at least, between two captions */
#define LINE_NS (100 * UM_CLOCK_NS_PER_MS)         /* at least, between two status lines */
#define PROFILE_NS UM_CLOCK_NS_PER_S               /* between two profiles */
#define SHORTEST_MS 5  /* frames that are due within this time are published together */
#define LONGEST_MS 100 /* the longest wait between two looks at the keyboard and the clock */
#define BURST_BYTES ((size_t)32 * 1024) /* after so many, consumers get BURST_NS to read them */
#define BURST_NS (10 * UM_CLOCK_NS_PER_MS)

struct app {
    const struct um_options *options;
    struct um_replay *replay;
    struct um_hub *hub;
    struct um_feed_output consumers; /* the hub */
    struct um_overlay_process overlay;
    struct um_hotkeys *hotkeys;
    _Atomic int hide;         /* the user does not want to see the overlay */
    _Atomic int move;         /* the user wants it at the other edge */
    _Atomic int panel;        /* what it shows, enum um_wire_panel */
    _Atomic int layout;       /* of which components it shows the costs, enum um_wire_layout_mode */
    _Atomic unsigned pins;    /* how often the user has pressed the keys that pin */
    struct um_wire_view sent; /* to the overlay; at first what that takes for granted */
    uint64_t profile_ns;      /* when the profile was sent; 0: not since the panel was chosen */
    struct um_player player;
    struct um_player_keys keys;
    bool input_over;
    size_t burst_bytes;  /* published since the last rest */
    uint64_t overlay_ns; /* when the overlay was last looked at, */
    uint64_t caption_ns; /* ... the caption set, */
    uint64_t line_ns;    /* ... and the status line written */
    bool caption_paused; /* whether the caption has "paused", and which speed */
    double caption_speed;
    struct um_terminal_line line;
};

/* A jump publishes thousands of frames at once, more than a consumer's queue holds. So consumers
 * get a moment to read after each BURST_BYTES. */
static void publish(void *context, struct um_feed_item *item)
{
    struct app *app = context;

    app->consumers.take(app->consumers.context, item);
    app->burst_bytes += item->len_bytes; /* 0: nobody is served */
    if (app->burst_bytes < BURST_BYTES)
        return;
    app->burst_bytes = 0;
    um_clock_sleep_ns(BURST_NS);
}

/* The hotkeys of a replay. */
static const enum um_options_hotkeys replay_keys[] = {
    UM_OPTIONS_HOTKEY_HIDE, UM_OPTIONS_HOTKEY_POSITION, UM_OPTIONS_HOTKEY_PANEL,
    UM_OPTIONS_HOTKEY_LAYOUT, UM_OPTIONS_HOTKEY_LAYOUT_PIN};

#define KEYS (sizeof replay_keys / sizeof replay_keys[0])
#define LINE_BYTES 512

/* Thread: the hotkeys'. */
static void on_key(void *context, size_t which)
{
    struct app *app = context;
    if (which == UM_OPTIONS_HOTKEY_HIDE)
        atomic_fetch_xor(&app->hide, 1);
    else if (which == UM_OPTIONS_HOTKEY_POSITION)
        atomic_fetch_xor(&app->move, 1);
    else if (which == UM_OPTIONS_HOTKEY_PANEL)
        atomic_store(&app->panel, (atomic_load(&app->panel) + 1) % UM_WIRE_PANEL_COUNT);
    else if (which == UM_OPTIONS_HOTKEY_LAYOUT)
        atomic_store(&app->layout, (atomic_load(&app->layout) + 1) % UM_WIRE_LAYOUT_MODE_COUNT);
    else
        atomic_fetch_add(&app->pins, 1);
}

/* Whether there is what these keys are for. */
static bool needs_hotkey(const struct app *app, enum um_options_hotkeys which)
{
    bool layout = which == UM_OPTIONS_HOTKEY_LAYOUT || which == UM_OPTIONS_HOTKEY_LAYOUT_PIN;
    return !layout || um_replay_info(app->replay)->has_layout;
}

static void open_hotkeys(struct app *app)
{
    struct um_hotkey keys[UM_OPTIONS_HOTKEYS] = {{0}};
    bool taken[UM_OPTIONS_HOTKEYS] = {false};

    if (app->options->headless)
        return;
    for (size_t i = 0; i < KEYS; i++)
        if (needs_hotkey(app, replay_keys[i]))
            um_hotkey_parse(um_options_hotkeys_get(app->options, replay_keys[i]).keys,
                            &keys[replay_keys[i]]);
    if (um_hotkeys->open(keys, UM_OPTIONS_HOTKEYS, on_key, app, taken, &app->hotkeys) != UM_OK)
        return;
    for (size_t i = 0; i < KEYS; i++) {
        char line[LINE_BYTES];
        um_options_hotkeys_refused(app->options, keys, taken, replay_keys[i], line, sizeof line);
        if (taken[replay_keys[i]] && !app->options->quiet)
            um_output_note(line);
    }
}

/* Sends the overlay whether it is to show itself, and what. */
static void send_view(struct app *app)
{
    const struct um_wire_frame frame = {.type = UM_WIRE_VIEW,
                                        .as.view = {.hidden = atomic_load(&app->hide) != 0,
                                                    .panel = (uint8_t)atomic_load(&app->panel),
                                                    .layout = (uint8_t)atomic_load(&app->layout),
                                                    .pins = atomic_load(&app->pins),
                                                    .moved = atomic_load(&app->move) != 0}};

    if (um_wire_view_is_same(&frame.as.view, &app->sent))
        return;
    app->sent = frame.as.view;
    app->profile_ns = 0;
    um_feed_publish(&app->consumers, 1, &frame);
}

/* Sends the hottest functions to the overlay while it shows them. */
static void send_profile(struct app *app, uint64_t now_ns)
{
    const struct um_hottest_shown shown = {app->options->by, app->options->only,
                                           app->options->hide};
    struct um_wire_frame frames[UM_HOTTEST_FRAMES];

    if (app->sent.panel != UM_WIRE_PANEL_PROFILE || app->sent.hidden ||
        now_ns - app->profile_ns < PROFILE_NS)
        return;
    app->profile_ns = now_ns;
    size_t count = um_replay_hottest(app->replay, &shown, frames);
    for (size_t i = 0; i < count; i++)
        um_feed_publish(&app->consumers, 1, &frames[i]);
}

static void keep_overlay(struct app *app, uint64_t now_ns)
{
    if (app->options->headless || now_ns - app->overlay_ns < OVERLAY_LOOK_NS)
        return;
    app->overlay_ns = now_ns;
    if (!um_overlay_process_keep(&app->overlay, now_ns) && !app->options->quiet)
        fprintf(stderr, "uimon: the overlay ended four times within a minute and stays away (%s)\n",
                app->overlay.why);
}

static bool is_watched(const struct app *app)
{
    if (app->options->headless)
        return um_hub_has_listeners(app->hub);
    return app->overlay.given_up || um_overlay_process_ready(&app->overlay);
}

/* Waits for the overlay or, without one, for the first consumer, so that it misses nothing. */
static void wait_for_consumer(struct app *app)
{
    uint64_t limit_ns = app->options->headless ? CONSUMER_NS : OVERLAY_NS;
    uint64_t begun_ns = um_clock_now_ns();

    while (!is_watched(app) && um_clock_now_ns() - begun_ns < limit_ns &&
           !um_platform_interrupted()) {
        keep_overlay(app, um_clock_now_ns());
        um_platform_wait_interrupt(LOOK_MS);
    }
    um_platform_wait_interrupt(LOOK_MS); /* until the hub has accepted the overlay */
}

#define CLOCK_BYTES 32

/* "1:02:03", "0:12"; with tenths "0:12.3". */
static void format_clock(uint64_t ns, bool tenths, char *text)
{
    uint64_t s = ns / UM_CLOCK_NS_PER_S;
    unsigned h = (unsigned)(s / 3600), min = (unsigned)(s / 60 % 60), rest = (unsigned)(s % 60);
    int len = h > 0 ? snprintf(text, CLOCK_BYTES, "%u:%02u:%02u", h, min, rest)
                    : snprintf(text, CLOCK_BYTES, "%u:%02u", min, rest);

    if (tenths && len > 0)
        snprintf(text + len, CLOCK_BYTES - (size_t)len, ".%u",
                 (unsigned)(ns / (UM_CLOCK_NS_PER_S / 10) % 10));
}

/* "replay 0:12 / 3:45, x2, paused - before". The recording's own caption stands last: there may be
 * no room for all of it. */
static void set_caption(struct app *app, uint64_t position_ns, uint64_t now_ns)
{
    const struct um_player *player = &app->player;
    const struct um_replay_info *info = um_replay_info(app->replay);
    const char *own = info->caption;
    char at[CLOCK_BYTES], length[CLOCK_BYTES], speed[32] = "", text[512];

    if (now_ns - app->caption_ns < CAPTION_NS && app->caption_paused == player->paused &&
        app->caption_speed == player->speed)
        return;
    app->caption_ns = now_ns;
    app->caption_paused = player->paused;
    app->caption_speed = player->speed;
    format_clock(position_ns, player->paused, at);
    format_clock(info->length_ns, false, length);
    if (player->speed != 1)
        snprintf(speed, sizeof speed, ", x%g", player->speed);
    snprintf(text, sizeof text, "replay %s / %s%s%s%s%s", at, length, speed,
             !player->paused            ? ""
             : um_player_at_end(player) ? ", end"
                                        : ", paused",
             own[0] ? " - " : "", own);
    um_replay_set_caption(app->replay, text);
}

/* "0:12.3 / 3:45  x2  paused  responsive  lag 0.3 ms  freezes 2", on a terminal. */
static void show_line(struct app *app, uint64_t position_ns, uint64_t now_ns)
{
    const struct um_player *player = &app->player;
    size_t columns = app->options->quiet ? 0 : um_platform_stderr_columns();
    char at[CLOCK_BYTES], length[CLOCK_BYTES], lag[32] = "", text[256];
    struct um_wire_status status;
    uint8_t flags;

    if (columns == 0 || now_ns - app->line_ns < LINE_NS)
        return;
    app->line_ns = now_ns;
    format_clock(position_ns, true, at);
    format_clock(um_replay_info(app->replay)->length_ns, false, length);
    int len = snprintf(text, sizeof text, "%s / %s  x%g  %s", at, length, player->speed,
                       !player->paused            ? "playing"
                       : um_player_at_end(player) ? "end"
                                                  : "paused");
    if (um_replay_status(app->replay, &status, &flags)) {
        if (flags & UM_WIRE_STATUS_HAS_LAG)
            snprintf(lag, sizeof lag, "  lag %.1f ms", (double)status.lag_ns / 1e6);
        snprintf(
            text + len, sizeof text - (size_t)len, "  %s%s  freezes %" PRIu32,
            um_wire_state_words((enum um_state)status.state, um_replay_window_only(app->replay)),
            lag, status.freezes);
    }
    um_terminal_line_show(&app->line, text, columns);
}

/* Says so if the recording has no end, and until when it plays. */
static void say_how_it_ends(const struct app *app)
{
    const struct um_replay_info *info = um_replay_info(app->replay);
    char length[CLOCK_BYTES];
    const char *why = info->end == UM_ERR_FORMAT ? "it is damaged"
                      : info->end == UM_ERR_IO   ? "the rest cannot be read"
                                                 : "it was cut off";

    if (info->end == UM_OK || app->options->quiet)
        return;
    format_clock(info->length_ns, true, length);
    fprintf(stderr, "uimon: %s: %s after %s; it plays as far as it is whole\n",
            app->options->files[0], why, length);
}

static void take_command(struct app *app, const struct um_player_command *command)
{
    uint64_t now_ns = um_clock_now_ns();

    if (command->action == UM_PLAYER_UNKNOWN) {
        um_terminal_line_clear(&app->line);
        fprintf(stderr,
                "uimon: replay does not know '%s'; it takes keys, 'seek SECONDS' and "
                "'speed FACTOR' (%g to %g)\n",
                um_utf8_show(app->keys.text, 40).text, UM_PLAYER_MIN_SPEED, UM_PLAYER_MAX_SPEED);
        fflush(stderr);
        return;
    }
    /* What was due before this command is played before it takes effect. */
    um_replay_play(app->replay, um_player_advance(&app->player, now_ns));
    if (um_player_take(&app->player, command, now_ns))
        um_replay_seek(app->replay, um_player_advance(&app->player, now_ns));
    app->profile_ns = 0;
    app->caption_ns = 0;
    app->line_ns = 0;
}

/* Waits up to `ms` for keys and obeys them. */
static void take_keys(struct app *app, uint32_t ms)
{
    struct um_player_command command;
    char bytes[256];
    size_t len = um_platform_keys(bytes, sizeof bytes, app->input_over ? 0 : ms, &app->input_over);

    if (len == 0 && app->input_over)
        um_platform_wait_interrupt(ms);
    for (size_t i = 0; i < len && !app->player.quit; i++)
        if (um_player_keys_push(&app->keys, bytes[i], &command))
            take_command(app, &command);
}

/* How long to wait for keys: until something is due, but not so long that the terminal seems
 * dead. */
static uint32_t wait_ms(const struct app *app, uint64_t now_ns)
{
    uint64_t next_ns = um_replay_next(app->replay);
    uint64_t due_ns =
        next_ns == UM_PLAYER_NEVER ? next_ns : um_player_due(&app->player, next_ns, now_ns);
    uint64_t ms =
        due_ns == UM_PLAYER_NEVER ? LONGEST_MS : (due_ns - now_ns) / UM_CLOCK_NS_PER_MS + 1;

    return ms < SHORTEST_MS ? SHORTEST_MS : ms > LONGEST_MS ? LONGEST_MS : (uint32_t)ms;
}

static void play(struct app *app)
{
    bool stays = um_platform_stdin_is_terminal();

    while (!app->player.quit && !um_platform_interrupted()) {
        uint64_t now_ns = um_clock_now_ns();
        uint64_t position_ns = um_player_advance(&app->player, now_ns);
        app->burst_bytes = 0;
        um_replay_play(app->replay, position_ns);
        /* After the playing, since it may say that this is the end. */
        set_caption(app, position_ns, now_ns);
        show_line(app, position_ns, now_ns);
        keep_overlay(app, now_ns);
        send_view(app);
        send_profile(app, now_ns);
        if (um_player_at_end(&app->player) && app->input_over && !stays)
            return;
        take_keys(app, wait_ms(app, now_ns));
    }
}

static void start_player(struct app *app)
{
    const struct um_replay_info *info = um_replay_info(app->replay);

    um_player_init(&app->player, info->length_ns, app->options->speed, info->freezes,
                   info->freeze_count, um_clock_now_ns());
}

static void say_feed_and_keys(const struct um_options *options, const char *feed)
{
    if (options->quiet)
        return;
    if (options->verbose)
        fprintf(stderr, "uimon: feed: %s\n", feed);
    if (um_platform_stdin_is_terminal())
        fprintf(stderr, "uimon: space pauses, . and , step, arrows and page up/down move, n and p "
                        "go to freezes, + and - set the speed, q quits\n");
    fflush(stderr);
}

/* Everything between an open replay and its end. */
static enum um_status run(struct app *app)
{
    char feed[UM_TRANSPORT_NAME_BYTES];
    enum um_status status = um_hub_open(um_transport_system(), &app->hub, feed);

    if (status == UM_OK) {
        app->consumers = um_hub_output(app->hub);
        status = um_platform_keys_start();
    }
    if (status != UM_OK)
        return status;
    say_how_it_ends(app);
    say_feed_and_keys(app->options, feed);
    um_overlay_process_init(&app->overlay, app->options, um_transport_system(), feed);
    open_hotkeys(app);
    start_player(app);
    set_caption(app, 0, um_clock_now_ns());
    um_replay_play(app->replay, 0);
    wait_for_consumer(app);
    start_player(app);
    play(app);
    um_terminal_line_clear(&app->line);
    um_replay_end(app->replay);
    return UM_OK;
}

int um_replay_command_run(struct um_options *options)
{
    static struct app app;
    struct um_feed_output output = {&app, publish, NULL};
    char error[UM_OPTIONS_ERROR_BYTES];

    if (!options->headless && !um_overlay_process_exists()) {
        um_output_note("no overlay can be shown here: as with --headless, only listeners see the "
                       "replay");
        options->headless = true;
    }
    app.options = options;
    app.panel = (int)options->panel;
    if (um_replay_open(options->files[0], &output, &app.replay, error, sizeof error) != UM_OK) {
        um_output_error(error);
        return UM_EXIT_FAILED;
    }
    /* What was measured is shown. Live the user has to ask for that, because it costs something. */
    if (um_replay_info(app.replay)->has_layout)
        app.layout = UM_WIRE_LAYOUT_MODE_COMPONENTS;
    enum um_status status = run(&app);
    um_hotkeys->close(app.hotkeys);
    um_hub_close(app.hub); /* the overlay hears of the end and leaves */
    um_overlay_process_end(&app.overlay);
    um_replay_close(app.replay);
    if (status != UM_OK)
        fprintf(stderr, "uimon: the replay cannot begin: %s\n", um_status_text(status));
    return status == UM_OK ? UM_EXIT_DONE : UM_EXIT_FAILED;
}
