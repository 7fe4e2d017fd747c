#include "monitor/live/overlay_process.h"

#include <stdio.h>
#include <string.h>

#include "base/plain/clock.h"
#include "base/plain/text.h"
#include "ipc/overlay.h"
#include "base/platform.h"
#include "monitor/target/target.h"

#define MINUTE_NS (60 * UM_CLOCK_NS_PER_S)
#define CONNECT_MS 100 /* it is this process that listens */
#define LEAVE_NS (500 * UM_CLOCK_NS_PER_MS)

bool um_overlay_process_exists(void)
{
    return um_target->start_helper && (!um_target->why_none || !um_target->why_none());
}

void um_overlay_process_init(struct um_overlay_process *overlay, const struct um_options *options,
                             const struct um_transport *transport, const char *feed)
{
    memset(overlay, 0, sizeof *overlay);
    overlay->options = options;
    overlay->transport = transport;
    um_text_set(overlay->feed, sizeof overlay->feed, feed);
}

/* The words of a command line. */
struct command {
    char *argv[26];
    int argc;
};

/* Adds a word. um_target->start_helper takes writable ones, but does not write to them. */
static void add(struct command *command, const char *word)
{
    command->argv[command->argc++] = (char *)(uintptr_t)word;
}

static void add_option(struct command *command, const char *option, const char *value)
{
    add(command, option);
    add(command, value);
}

/* Starts the program, which takes over a connection to the feed. */
static enum um_status start_with(struct um_overlay_process *overlay, intptr_t feed)
{
    static const char *const looks[] = UM_OVERLAY_LOOK_NAMES;
    static const char *const positions[] = UM_OVERLAY_POSITION_NAMES;
    static const char *const meters[] = UM_OVERLAY_METER_NAMES;
    const struct um_options *options = overlay->options;
    const struct um_options_hotkey layout_keys =
                                       um_options_hotkeys_get(options, UM_OPTIONS_HOTKEY_LAYOUT),
                                   pin_keys = um_options_hotkeys_get(options,
                                                                     UM_OPTIONS_HOTKEY_LAYOUT_PIN);
    char program[UM_PLATFORM_PATH_BYTES];
    char feed_text[24];
    char height_text[16];
    char opacity_text[16];
    char scale_text[16];
    char rows_text[16];
    struct command command = {.argc = 0};

    if (um_platform_program("uimon-overlay", program, sizeof program) != UM_OK)
        return UM_ERR_IO;
    snprintf(feed_text, sizeof feed_text, "%lld", (long long)feed);
    snprintf(opacity_text, sizeof opacity_text, "%.3f", options->opacity);
    snprintf(height_text, sizeof height_text, "%u", options->height);
    snprintf(scale_text, sizeof scale_text, "%.3f", options->scale);
    snprintf(rows_text, sizeof rows_text, "%u", options->panel_rows);
    add(&command, program);
    add_option(&command, "--feed-handle", feed_text);
    add_option(&command, "--look", looks[options->look]);
    add_option(&command, "--position", positions[options->position]);
    add_option(&command, "--opacity", opacity_text);
    add_option(&command, "--panel-rows", rows_text);
    if (options->height > 0) /* else that of the look */
        add_option(&command, "--height", height_text);
    if (options->scale > 0) /* else that of the target's display */
        add_option(&command, "--scale", scale_text);
    if (options->show)
        add_option(&command, "--show", options->show);
    add_option(&command, "--layout-meter", meters[options->layout_meter]);
    add_option(&command, "--layout-keys", layout_keys.keys);
    add_option(&command, "--pin-keys", pin_keys.keys);
    return um_target->start_helper(command.argv, command.argc, feed, &overlay->process);
}

static enum um_status start(struct um_overlay_process *overlay)
{
    const struct um_transport *transport = overlay->transport;
    struct um_conn *conn;

    enum um_status status = transport->connect(overlay->feed, CONNECT_MS, &conn);
    if (status != UM_OK)
        return status;
    intptr_t feed = transport->release(conn);
    status = start_with(overlay, feed);
    if (transport->adopt(feed, &conn) == UM_OK)
        transport->close(conn); /* the overlay has its own handle of it */
    return status;
}

/* CPU time of the present process, 0 if it is not known. */
static uint64_t cpu_ns_now(const struct um_overlay_process *overlay)
{
    uint64_t ns = 0;
    if (overlay->process && um_target->cpu_ns(overlay->process, &ns) == UM_OK)
        return ns;
    return 0;
}

static void forget(struct um_overlay_process *overlay)
{
    overlay->past_cpu_ns += cpu_ns_now(overlay);
    um_target->close(overlay->process);
    overlay->process = NULL;
}

/* It has fewer rights than an elevated monitor. */
static const char not_readable[] = "ordinary programs cannot read all of uimon's folder";

/* Exit codes of a process whose DLLs could not be loaded. Source: ntstatus.h. */
#define ACCESS_DENIED UINT32_C(0xc0000022)
#define DLL_NOT_FOUND UINT32_C(0xc0000135)
#define DLL_INIT_FAILED UINT32_C(0xc0000142)

static void explain(struct um_overlay_process *overlay)
{
    static const char *const causes[] = {
        [UM_OVERLAY_EXIT_ENDED] = "it was closed",
        [UM_OVERLAY_EXIT_NO_FONT] = "no font: DejaVuSans.ttf belongs into a folder fonts beside it",
        [UM_OVERLAY_EXIT_NO_WINDOW] = "it could not make a window",
        [UM_OVERLAY_EXIT_NO_FEED] = "it could not read the feed",
        [UM_OVERLAY_EXIT_NO_PICTURE] = "it could not draw",
    };
    uint32_t code;

    if (!overlay->process || um_target->exit_code(overlay->process, &code) != UM_OK)
        return;
    if (code < sizeof causes / sizeof causes[0] && causes[code])
        um_text_set(overlay->why, sizeof overlay->why, causes[code]);
    else if (code == ACCESS_DENIED || code == DLL_NOT_FOUND || code == DLL_INIT_FAILED)
        snprintf(overlay->why, sizeof overlay->why, "%s (0x%lx)", not_readable,
                 (unsigned long)code);
    else
        snprintf(overlay->why, sizeof overlay->why, "exit code 0x%lx", (unsigned long)code);
}

bool um_overlay_process_keep(struct um_overlay_process *overlay, uint64_t now_ns)
{
    uint64_t *slot = &overlay->started_ns[overlay->starts % UM_OVERLAY_PROCESS_STARTS];

    if (overlay->given_up || (overlay->process && um_target->running(overlay->process)))
        return true;
    explain(overlay);
    forget(overlay);
    bool too_often = overlay->starts >= UM_OVERLAY_PROCESS_STARTS && now_ns - *slot < MINUTE_NS;
    if (!too_often) {
        *slot = now_ns;
        overlay->starts++;
        enum um_status status = start(overlay);
        if (status == UM_OK)
            return true;
        um_text_set(overlay->why, sizeof overlay->why,
                    status == UM_ERR_DENIED ? not_readable : "uimon-overlay.exe cannot be started");
    }
    overlay->given_up = too_often;
    return !too_often;
}

bool um_overlay_process_shows(const struct um_overlay_process *overlay, enum um_overlay_row row)
{
    struct um_overlay_rows rows;
    const char *wrong;
    size_t len_bytes;

    return overlay->process && !overlay->given_up &&
           um_overlay_rows_parse(overlay->options->show, &rows, &wrong, &len_bytes) &&
           um_overlay_rows_has(&rows, row);
}

bool um_overlay_process_ready(const struct um_overlay_process *overlay)
{
    return overlay->process && um_target->ready(overlay->process);
}

uint64_t um_overlay_process_hider(const struct um_overlay_process *overlay)
{
    return overlay->process && um_target->hider ? um_target->hider(overlay->process) : 0;
}

bool um_overlay_process_cpu_ns(const struct um_overlay_process *overlay, uint64_t *ns)
{
    *ns = overlay->past_cpu_ns + cpu_ns_now(overlay);
    return overlay->starts > 0;
}

void um_overlay_process_end(struct um_overlay_process *overlay)
{
    uint64_t until_ns = um_clock_now_ns() + LEAVE_NS;
    if (!overlay->process)
        return;
    while (um_target->running(overlay->process) && um_clock_now_ns() < until_ns)
        um_clock_sleep_ns(10 * UM_CLOCK_NS_PER_MS);
    if (um_target->running(overlay->process))
        um_target->kill(overlay->process);
    forget(overlay);
}
