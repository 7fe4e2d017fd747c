#include "monitor/target/target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/plain/text.h"
#include "base/thread.h"
#include "monitor/target/display_x11.h"
#include "monitor/target/process_posix.h"
#include "monitor/target/target_x11.h"

/* One connection for all questions of this file. It is made with the first of them. */
static struct um_thread_mutex mutex;
static struct um_display shared;

/* Owner: give_back, also if it returns NULL: no server answers. Thread: any; blocks. */
static struct um_display *take_display(void)
{
    um_thread_lock(&mutex);
    if (shared.xcb && !um_display_lives(&shared))
        um_display_close(&shared);
    if (!shared.xcb && um_display_open(&shared) != UM_OK)
        return NULL;
    return &shared;
}

static void give_back(void)
{
    if (shared.xcb)
        um_display_drain(&shared);
    um_thread_unlock(&mutex);
}

static const char *why_none(void)
{
    bool answers = take_display() != NULL;
    give_back();
    if (answers)
        return NULL;
    return getenv("DISPLAY") ? "uimon: no X server answers at the address in DISPLAY; programs are "
                               "watched by their windows on an X11 screen"
                             : "uimon: there is no X11 screen: DISPLAY is not set. Programs are "
                               "watched by their windows on such a screen";
}

struct windows {
    struct um_target_window *list;
    size_t count;
};

/* Lists all windows, topmost first. Owner: free(all->list). Errors: UM_ERR_IO; UM_ERR_MEMORY. */
static enum um_status collect_windows(struct windows *all)
{
    xcb_window_t *ids = NULL;
    size_t count = 0;
    struct um_display *display = take_display();
    *all = (struct windows){0};
    enum um_status status = display ? um_display_windows(display, &ids, &count) : UM_ERR_IO;
    if (status == UM_OK)
        all->list = calloc(count + 1, sizeof *all->list);
    if (status == UM_OK && !all->list)
        status = UM_ERR_MEMORY;
    for (size_t i = 0; status == UM_OK && i < count; i++)
        all->count += um_display_describe(display, ids[i], &all->list[all->count]);
    give_back();
    free(ids);
    return status;
}

/* What is known of the window `info->hwnd`. */
static void describe_window(struct um_display *display, struct um_target_info *info)
{
    xcb_window_t window = (xcb_window_t)info->hwnd;
    um_display_title(display, window, info->title, sizeof info->title);
    um_display_class(display, window, info->window_class, sizeof info->window_class);
    info->is_deaf = !um_display_answers_ping(display, window);
}

/* Finds the main window of the process `info->pid`. */
static void describe_main_window(const struct windows *all, struct um_target_info *info)
{
    const struct um_target_window *window =
        um_target_spec_main_window(all->list, all->count, info->pid);
    if (!window)
        return;
    info->hwnd = window->hwnd;
    info->tid = window->tid;
    struct um_display *display = take_display();
    if (display)
        describe_window(display, info);
    give_back();
}

struct listing {
    const struct um_target_spec *spec;
    const struct windows *windows;
    struct um_target_info *list;
    size_t count;
    size_t room;
    bool short_of_memory;
};

static bool add(struct listing *listing, const struct um_target_info *info)
{
    if (listing->spec && !um_target_spec_fits(listing->spec, info))
        return true;
    listing->short_of_memory = !um_list_reserve(&listing->list, &listing->room, listing->count + 1,
                                                SIZE_MAX, sizeof *listing->list);
    if (listing->short_of_memory)
        return false;
    listing->list[listing->count++] = *info;
    return true;
}

static bool add_process(void *context, uint32_t pid)
{
    struct listing *listing = context;
    struct um_target_info info = {.pid = pid};
    if (!um_process_describe(&info))
        return true;
    describe_main_window(listing->windows, &info);
    return add(listing, &info);
}

/* Lists a window of another machine's program, so that an error can say why it cannot be watched:
 * by the process that it names, and by the one of this machine that passes it on. */
static bool add_remote(struct listing *listing, const struct um_target_window *window)
{
    struct um_target_info info = {.hwnd = window->hwnd};
    struct um_display_client client = {0};
    struct um_display *display = take_display();
    if (display) {
        um_display_client(display, (xcb_window_t)window->hwnd, &client);
        describe_window(display, &info);
    }
    give_back();
    if (!client.is_remote)
        return true;
    snprintf(info.why_not, sizeof info.why_not, "it runs on another machine, %s", client.machine);
    info.pid = client.pid;
    um_text_set(info.name, sizeof info.name, info.window_class[0] ? info.window_class : "-");
    bool goes_on = add(listing, &info);
    info.pid = client.forwarder;
    if (goes_on && info.pid != 0 && um_process_describe(&info)) {
        snprintf(info.why_not, sizeof info.why_not, "it shows a window of another machine, %s",
                 client.machine);
        goes_on = add(listing, &info);
    }
    return goes_on;
}

static void add_remotes(struct listing *listing)
{
    const struct windows *all = listing->windows;
    for (size_t i = 0; i < all->count && !listing->short_of_memory; i++)
        if (all->list[i].pid == 0 && all->list[i].visible && !all->list[i].owned &&
            !all->list[i].tool)
            (void)add_remote(listing, &all->list[i]);
}

static enum um_status find(const struct um_target_spec *spec, struct um_target_info **list,
                           size_t *count)
{
    struct windows all;
    enum um_status status = collect_windows(&all);
    struct listing listing = {.spec = spec, .windows = &all};
    if (status == UM_OK)
        status = um_process_each(add_process, &listing);
    if (status == UM_OK)
        add_remotes(&listing);
    free(all.list);
    if (status == UM_OK && listing.short_of_memory)
        status = UM_ERR_MEMORY;
    if (status != UM_OK) {
        free(listing.list);
        return status;
    }
    *list = listing.list;
    *count = listing.count;
    return UM_OK;
}

/* The server knows processes and no threads, so the first thread stands for the window's. Nearly
 * all toolkits use that one; --thread can name no other. */
static enum um_status look(uint32_t pid, uint32_t thread_id, struct um_target_info *info)
{
    struct windows all;
    *info = (struct um_target_info){.pid = pid};
    enum um_status status = collect_windows(&all);
    if (status != UM_OK)
        return status;
    if (um_process_describe(info) && (thread_id == 0 || thread_id == pid))
        describe_main_window(&all, info);
    free(all.list);
    return info->hwnd ? UM_OK : UM_ERR_NOT_FOUND;
}

static const char *why_no_stacks(void)
{
    return "uimon reads no stacks on this system yet";
}

static void claimed(uint32_t owner_pid, char *why, size_t why_cap)
{
    struct um_target_info owner = {.pid = owner_pid};
    if (owner_pid)
        (void)um_process_describe(&owner);
    um_target_spec_claimed(&owner, why, why_cap);
}

static bool window_alive(uint64_t hwnd, uint32_t tid)
{
    struct um_display *display = take_display();
    bool alive = display && um_display_exists(display, (xcb_window_t)hwnd) &&
                 um_display_pid(display, (xcb_window_t)hwnd) == tid;
    give_back();
    return alive;
}

static bool window_shown(uint64_t hwnd)
{
    struct um_display *display = take_display();
    bool shown = display && um_display_is_shown(display, (xcb_window_t)hwnd);
    give_back();
    return shown;
}

static bool window_class(uint64_t hwnd, char *buf, size_t cap_bytes)
{
    struct um_display *display = take_display();
    bool known = display && um_display_exists(display, (xcb_window_t)hwnd);
    if (known)
        um_display_class(display, (xcb_window_t)hwnd, buf, cap_bytes);
    give_back();
    return known;
}

/* The windows within a window of X11 are nobody's but the toolkit's, which uses one or none. */
static bool window_about(uint64_t hwnd, struct um_target_about *about)
{
    *about = (struct um_target_about){0};
    return window_class(hwnd, about->window_class, sizeof about->window_class);
}

static bool window_area(uint64_t hwnd, uint64_t root, struct um_target_area *area)
{
    (void)hwnd, (void)root, (void)area;
    return false;
}

static bool has_module(uint32_t pid, const char *const modules[])
{
    (void)pid, (void)modules;
    return false;
}

static bool program_path(uint32_t pid, char *path, size_t cap_bytes)
{
    (void)pid, (void)path, (void)cap_bytes;
    return false; /* it is asked for where .NET is traced */
}

static enum um_status thread_windows(uint32_t tid, size_t most, uint64_t **list, size_t *count)
{
    (void)tid, (void)most;
    *count = 0;
    *list = calloc(1, sizeof **list);
    return *list ? UM_OK : UM_ERR_MEMORY;
}

static bool is_system_module(uint32_t pid, uint64_t address)
{
    (void)pid, (void)address;
    return false;
}

static bool message_name(uint32_t message, char *buf, size_t cap_bytes)
{
    (void)message, (void)buf, (void)cap_bytes;
    return false;
}

static bool thread_answers(uint64_t hwnd, uint32_t timeout_ms)
{
    (void)hwnd, (void)timeout_ms;
    return false;
}

static bool is_shielded(uint32_t pid)
{
    (void)pid;
    return false; /* nothing keeps a client's messages from another one */
}

static enum um_status suspended_threads(uint32_t pid, struct um_suspended_source *source)
{
    (void)pid, (void)source;
    return UM_ERR_UNSUPPORTED; /* nothing here stops another program's threads */
}

/* It does not: its process group is not the terminal's, so Ctrl+C does not reach it. */
static bool ignores_ctrl_c(const struct um_target_process *process)
{
    (void)process;
    return false;
}

static enum um_status try32(char *error, size_t error_cap)
{
    um_text_set(error, error_cap, "");
    return UM_OK; /* programs of both kinds answer in the same way */
}

static const struct um_target_backend x11 = {
    .why_none = why_none,
    .why_watch_only = "uimon: this command needs Windows so far: it gives programs input, or looks "
                      "into them",
    .frames = &um_frame_source_x11,
    .control = &um_control_x11,
    .find = find,
    .look = look,
    .why_no_stacks = why_no_stacks,
    .claimed = claimed,
    .window_alive = window_alive,
    .window_shown = window_shown,
    .window_class = window_class,
    .window_about = window_about,
    .window_area = window_area,
    .has_module = has_module,
    .program_path = program_path,
    .thread_windows = thread_windows,
    .is_system_module = is_system_module,
    .message_name = message_name,
    .thread_answers = thread_answers,
    .is_shielded = is_shielded,
    .open = um_process_open,
    .find_program = um_process_find_program,
    .launch = um_process_launch,
    .started = um_process_started,
    .run = um_process_run,
    .start_helper = um_process_start_helper,
    .start_aside = um_process_start_aside,
    .try32 = try32,
    .suspended_threads = suspended_threads,
    .pid = um_process_pid,
    .ignores_ctrl_c = ignores_ctrl_c,
    .running = um_process_running,
    .ready = um_process_running,
    .exit_code = um_process_exit_code,
    .cpu_ns = um_process_cpu_ns,
    .kill = um_process_kill,
    .close = um_process_close,
};

const struct um_target_backend *um_target = &x11;
