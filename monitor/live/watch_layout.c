#include "monitor/live/watch_layout.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/ns.h"
#include "base/plain/clock.h"
#include "base/plain/text.h"
#include "monitor/live/session.h"
#include "monitor/target/system_class.h"
#include "monitor/target/target.h"
#include "monitor/target/toolkit.h"

#define WINDOWS_MOST 65536 /* no session of Windows has more */
#define AWAITED_NS (5 * UM_CLOCK_NS_PER_S)
#define WINDOWS_NS (5 * UM_CLOCK_NS_PER_MS)      /* for which windows are told in one turn */
#define WINDOWS_EVERY_NS (5 * UM_CLOCK_NS_PER_S) /* from list to list, when records were lost */

void um_watch_layout_next_mode(struct um_watch_layout *layout)
{
    int mode = atomic_load(&layout->mode);
    atomic_store(&layout->mode, (mode + 1) % UM_WIRE_LAYOUT_MODE_COUNT);
}

void um_watch_layout_pin(struct um_watch_layout *layout)
{
    atomic_fetch_add(&layout->pins, 1);
}

void um_watch_layout_turn(struct um_watch_layout *layout, struct um_session *session)
{
    bool wanted = atomic_load(&layout->mode) != UM_WIRE_LAYOUT_MODE_OFF;
    if (wanted == layout->wanted || layout->failed)
        return;
    if (wanted && !layout->layout)
        layout->failed = um_layout_open(&layout->config, &layout->layout) != UM_OK;
    if (layout->failed) {
        layout->xaml.host.say(layout->xaml.host.context,
                              "--layout measures nothing: out of memory");
        return;
    }
    layout->wanted = wanted;
    um_session_want(session, UM_SESSION_LAYOUT, wanted);
    layout->listed_ns = 0;
    layout->records = false;
    layout->awaited_ns = 0;
    if (wanted)
        um_layout_resumed(layout->layout);
}

bool um_watch_layout_awaits(struct um_watch_layout *layout, uint64_t now_ns)
{
    if (layout->records || layout->failed || atomic_load(&layout->mode) == UM_WIRE_LAYOUT_MODE_OFF)
        return false;
    if (layout->awaited_ns == 0)
        layout->awaited_ns = now_ns;
    return um_ns_elapsed(layout->awaited_ns, now_ns) < AWAITED_NS;
}

void um_watch_layout_look(struct um_watch_layout *layout, const struct um_target_info *target,
                          bool is_idle, uint64_t now_ns)
{
    um_watch_xaml_turn(&layout->xaml, layout->wanted ? layout->layout : NULL, target, is_idle,
                       now_ns);
}

bool um_watch_layout_is_system(struct um_watch_layout *layout, uint64_t module)
{
    size_t known = layout->module_count < UM_WATCH_LAYOUT_MODULES ? layout->module_count
                                                                  : UM_WATCH_LAYOUT_MODULES;
    if (module == 0)
        return false;
    for (size_t i = 0; i < known; i++)
        if (layout->modules[i] == module)
            return layout->is_system[i];
    size_t at = layout->module_count++ % UM_WATCH_LAYOUT_MODULES;
    layout->modules[at] = module;
    layout->is_system[at] = um_target->is_system_module(layout->pid, module);
    return layout->is_system[at];
}

bool um_watch_layout_describe(struct um_watch_layout *layout, uint64_t window,
                              struct um_layout_window *out)
{
    struct um_target_about about;
    if (!um_target->window_about(window, &about))
        return false;
    out->parent = about.parent;
    out->has_children = about.has_children;
    out->is_control =
        um_system_class_is_control(&about, um_watch_layout_is_system(layout, about.class_module));
    out->has_id = about.parent != 0;
    out->id = about.id;
    out->counts_nowhere = about.is_message_only || um_system_class_is_tooltip(&about);
    out->draws_parts =
        window == layout->toolkit_window || um_toolkit_draws_parts(about.window_class);
    um_text_set(out->window_class, sizeof out->window_class, about.window_class);
    um_text_set(out->text, sizeof out->text, about.text);
    return true;
}

bool um_watch_layout_locate(uint64_t window, uint64_t root, struct um_wire_layout_place *out)
{
    struct um_target_area area;
    if (!um_target->window_area(window, root, &area) || !area.shown)
        return false;
    *out = (struct um_wire_layout_place){.left = area.left,
                                         .top = area.top,
                                         .width = (uint32_t)(area.right - area.left),
                                         .height = (uint32_t)(area.bottom - area.top)};
    return true;
}

static void drop_windows(struct um_watch_layout *layout)
{
    free(layout->windows);
    layout->windows = NULL;
    layout->window_count = layout->window_next = 0;
}

void um_watch_layout_attached(struct um_watch_layout *layout, const struct um_target_info *target)
{
    layout->pid = target->pid;
    layout->tid = target->tid;
    layout->toolkit_window = target->toolkit[0] ? target->hwnd : 0;
    layout->module_count = 0;
    layout->listed_ns = 0;
    layout->records = false;
    layout->awaited_ns = 0;
    drop_windows(layout);
    if (layout->layout)
        um_layout_attached(layout->layout);
}

/* Lists the windows if that is wanted, unless a list is being told. */
static void list_windows(struct um_watch_layout *layout, uint64_t now_ns)
{
    if (layout->windows || !layout->wanted || !um_layout_wants_windows(layout->layout) ||
        (layout->listed_ns != 0 && now_ns - layout->listed_ns < WINDOWS_EVERY_NS))
        return;
    layout->listed_ns = now_ns;
    if (um_target->thread_windows(layout->tid, WINDOWS_MOST, &layout->windows,
                                  &layout->window_count) == UM_OK)
        um_layout_listed(layout->layout);
}

static void tell_windows(struct um_watch_layout *layout)
{
    uint64_t begin_ns = um_clock_now_ns();
    if (!layout->windows)
        return;
    while (layout->window_next < layout->window_count && um_clock_now_ns() - begin_ns < WINDOWS_NS)
        um_layout_found(layout->layout, layout->windows[layout->window_next++]);
    if (layout->window_next < layout->window_count)
        return;
    um_layout_found_all(layout->layout);
    drop_windows(layout);
}

/* The DLL measures it before the first steps, and then says so. */
static void say_cost(const struct um_watch_layout *layout, uint64_t hook_ns)
{
    char line[128];
    snprintf(line, sizeof line,
             "a message that one window sends another takes %.1f us longer with the hooks of "
             "--layout; its times are without that",
             (double)hook_ns / UM_CLOCK_NS_PER_US);
    layout->xaml.host.say_detail(layout->xaml.host.context, line);
}

/* That costs the target time for nothing, and is a fault of the DLL. It is said once. */
static void say_unasked(struct um_watch_layout *layout, const struct um_wire_frame *frame)
{
    if (frame->type != UM_WIRE_LAYOUT_STEPS || layout->records)
        return;
    layout->records = true;
    layout->xaml.host.say(layout->xaml.host.context,
                          "the hook DLL records layout that nobody has asked for");
}

void um_watch_layout_take(struct um_watch_layout *layout, const struct um_wire_frame *frame)
{
    if (!layout->layout) {
        say_unasked(layout, frame);
        return;
    }
    um_layout_take(layout->layout, frame);
    bool begins = frame->type == UM_WIRE_LAYOUT_STEPS && frame->as.layout_steps.count == 0;
    if (!begins || !layout->wanted || layout->records)
        return;
    layout->records = true;
    say_cost(layout, frame->as.layout_steps.hook_ns);
}

void um_watch_layout_tick(struct um_watch_layout *layout, uint64_t now_ns)
{
    if (!layout->layout)
        return;
    list_windows(layout, now_ns);
    tell_windows(layout);
    um_layout_tick(layout->layout, now_ns);
}

void um_watch_layout_finish(struct um_watch_layout *layout, uint64_t now_ns)
{
    um_watch_xaml_end(&layout->xaml);
    if (layout->layout)
        um_layout_finish(layout->layout, now_ns);
}

bool um_watch_layout_is_empty(const struct um_watch_layout *layout)
{
    return layout->layout && um_layout_sum(layout->layout).frames == 0;
}

void um_watch_layout_close(struct um_watch_layout *layout)
{
    um_watch_xaml_end(&layout->xaml);
    drop_windows(layout);
    um_layout_close(layout->layout);
    layout->layout = NULL;
}
