#include "monitor/live/overlay_process.h"

#include <stdio.h>
#include <string.h>

#include "ipc/clock.h"
#include "ipc/overlay.h"
#include "monitor/base/platform.h"
#include "monitor/target/part.h"

#define MINUTE_NS (60 * UM_CLOCK_NS_PER_S)
#define CONNECT_MS 100 /* it is this process that listens */
#define LEAVE_NS (500 * UM_CLOCK_NS_PER_MS)

void um_overlay_process_init(struct um_overlay_process *overlay, const struct um_options *options,
                             const struct um_transport *transport, const char *feed)
{
    memset(overlay, 0, sizeof *overlay);
    overlay->options = options;
    overlay->transport = transport;
    um_wire_set_text(overlay->feed, sizeof overlay->feed, feed);
}

/* Writable, as um_part_start takes its arguments; it does not write to them. */
static char *argument(const char *text)
{
    return (char *)(uintptr_t)text;
}

/* Starts the program, which takes over a connection to the feed. */
static enum um_status start_with(struct um_overlay_process *overlay, intptr_t feed)
{
    static const char *const looks[] = UM_OVERLAY_LOOK_NAMES;
    static const char *const positions[] = UM_OVERLAY_POSITION_NAMES;
    const struct um_options *options = overlay->options;
    char program[UM_PLATFORM_PATH_BYTES];
    char feed_text[24];
    char height_text[16];
    char opacity_text[16];
    char scale_text[16];
    char *argv[20] = {program,
                      argument("--feed-handle"),
                      feed_text,
                      argument("--look"),
                      argument(looks[options->look]),
                      argument("--position"),
                      argument(positions[options->position]),
                      argument("--opacity"),
                      opacity_text};
    int argc = 9;

    if (um_platform_beside("uimon-overlay.exe", program, sizeof program) != UM_OK)
        return UM_ERR_IO;
    snprintf(feed_text, sizeof feed_text, "%lld", (long long)feed);
    snprintf(opacity_text, sizeof opacity_text, "%.3f", options->opacity);
    if (options->height > 0) { /* else that of the look */
        snprintf(height_text, sizeof height_text, "%u", options->height);
        argv[argc++] = argument("--height");
        argv[argc++] = height_text;
    }
    if (options->scale > 0) { /* else that of the target's display */
        snprintf(scale_text, sizeof scale_text, "%.3f", options->scale);
        argv[argc++] = argument("--scale");
        argv[argc++] = scale_text;
    }
    if (options->show) {
        argv[argc++] = argument("--show");
        argv[argc++] = argument(options->show);
    }
    return um_part_start(argv, argc, feed, &overlay->process);
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

/* CPU time of the process that runs, 0 if the system does not tell. */
static uint64_t cpu_ns_now(const struct um_overlay_process *overlay)
{
    uint64_t ns = 0;
    if (overlay->process && um_target_cpu_ns(overlay->process, &ns) == UM_OK)
        return ns;
    return 0;
}

/* Releases the process and keeps what it has cost. */
static void forget(struct um_overlay_process *overlay)
{
    overlay->past_cpu_ns += cpu_ns_now(overlay);
    um_target_close(overlay->process);
    overlay->process = NULL;
}

/* The overlay has fewer rights than an elevated monitor. */
static const char not_readable[] = "ordinary programs cannot read all of uimon's folder";

/* Exit codes of a process whose DLLs could not be loaded. Source: ntstatus.h. */
#define ACCESS_DENIED UINT32_C(0xc0000022)
#define DLL_NOT_FOUND UINT32_C(0xc0000135)
#define DLL_INIT_FAILED UINT32_C(0xc0000142)

/* Notes why the process has ended. */
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

    if (!overlay->process || um_target_exit_code(overlay->process, &code) != UM_OK)
        return;
    if (code < sizeof causes / sizeof causes[0] && causes[code])
        um_wire_set_text(overlay->why, sizeof overlay->why, causes[code]);
    else if (code == ACCESS_DENIED || code == DLL_NOT_FOUND || code == DLL_INIT_FAILED)
        snprintf(overlay->why, sizeof overlay->why, "%s (0x%lx)", not_readable,
                 (unsigned long)code);
    else
        snprintf(overlay->why, sizeof overlay->why, "exit code 0x%lx", (unsigned long)code);
}

bool um_overlay_process_keep(struct um_overlay_process *overlay, uint64_t now_ns)
{
    uint64_t *slot = &overlay->started_ns[overlay->starts % UM_OVERLAY_PROCESS_STARTS];

    if (overlay->given_up || (overlay->process && um_target_running(overlay->process)))
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
        um_wire_set_text(overlay->why, sizeof overlay->why,
                         status == UM_ERR_DENIED ? not_readable
                                                 : "uimon-overlay.exe cannot be started");
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
    return overlay->process && um_target_ready(overlay->process);
}

const char *um_overlay_process_why(const struct um_overlay_process *overlay)
{
    return overlay->why;
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
    while (um_target_running(overlay->process) && um_clock_now_ns() < until_ns)
        um_clock_sleep_ns(10 * UM_CLOCK_NS_PER_MS);
    if (um_target_running(overlay->process))
        um_target_kill(overlay->process);
    forget(overlay);
}
