#include "monitor/live/watch_xaml.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/ns.h"
#include "base/plain/clock.h"
#include "monitor/layout/layout_components.h"
#include "monitor/layout/layout_etw.h"
#include "monitor/layout/layout_events.h"
#include "monitor/target/target.h"

#define SLOTS 65536 /* 57 ms of the most that XAML was seen to send */
#define AREAS_NS (100 * UM_CLOCK_NS_PER_MS)
#define HELD_MOST (SLOTS / 4)              /* events that wait for the end of the DLL's frame */
#define HELD_NS (100 * UM_CLOCK_NS_PER_MS) /* and how long each of them does at most */
#define LOOK_NS (60 * UM_CLOCK_NS_PER_S)   /* the longest time from look to look */
#define SILENT_NS (10 * UM_CLOCK_NS_PER_S)
#define LINE_BYTES 512

static const char *const xaml_modules[] = {"Microsoft.UI.Xaml.dll", "Windows.UI.Xaml.dll", NULL};

static void release(struct um_watch_xaml *xaml)
{
    um_layout_etw->close(xaml->etw); /* ends the thread that fills the ring */
    um_layout_events_close(xaml->events);
    free(xaml->slots);
    xaml->etw = NULL;
    xaml->events = NULL;
    xaml->slots = NULL;
    xaml->layout = NULL;
}

/* A system without ETW is no news to somebody who has not asked. */
static void fail(struct um_watch_xaml *xaml, enum um_status status)
{
    const char *why = um_status_text(status);
    char line[LINE_BYTES];
    if (status == UM_ERR_DENIED)
        why = "only administrators and members of Performance Log Users may begin a session of ETW";
    xaml->failed = true;
    snprintf(line, sizeof line, "--layout sees no elements of XAML: %s", why);
    if (status == UM_ERR_UNSUPPORTED)
        xaml->host.say_detail(xaml->host.context, line);
    else
        xaml->host.say(xaml->host.context, line);
}

static void take_frame(void *context, const struct um_layout_pair *list, size_t count, bool lost)
{
    struct um_watch_xaml *xaml = context;
    um_layout_count(xaml->layout, list, count, lost);
}

static void begin(struct um_watch_xaml *xaml, struct um_layout *layout, uint64_t now_ns)
{
    const struct um_layout_events_config config = {xaml, take_frame};
    enum um_status status = UM_ERR_MEMORY;
    xaml->slots = calloc(SLOTS, sizeof xaml->slots[0]);
    if (xaml->slots) {
        um_ring_init(&xaml->ring, xaml->slots, SLOTS);
        status = um_layout_events_open(&config, &xaml->events);
    }
    if (status == UM_OK)
        status = um_layout_etw->open(xaml->pid, xaml->tid, &xaml->ring, &xaml->etw);
    xaml->layout = layout;
    xaml->areas_ns = xaml->held_ns = 0;
    xaml->begun_ns = now_ns;
    xaml->frames = um_layout_sum(layout).frames;
    xaml->said_silent = false;
    if (status == UM_OK) {
        xaml->host.say_detail(xaml->host.context, "elements of XAML are seen through ETW");
        return;
    }
    release(xaml);
    fail(xaml, status);
}

/* Looks whether the program has loaded XAML: at once, after a second, and then ever more seldom, up
 * to once a minute, because that takes time in each program that never does. After the first look
 * there is none while nobody uses the program: Wine stops a thread of it 54 times for each. */
static void look(struct um_watch_xaml *xaml, struct um_layout *layout, bool is_idle,
                 uint64_t now_ns)
{
    if (xaml->failed || now_ns < xaml->look_ns || (is_idle && xaml->wait_ns != 0))
        return;
    xaml->wait_ns = xaml->wait_ns ? 2 * xaml->wait_ns : UM_CLOCK_NS_PER_S;
    if (xaml->wait_ns > LOOK_NS)
        xaml->wait_ns = LOOK_NS;
    xaml->look_ns = now_ns + xaml->wait_ns;
    if (um_target->has_module(xaml->pid, xaml_modules))
        begin(xaml, layout, now_ns);
}

/* Where each component is within the main window. A component that lies in another one has no
 * place. */
static void place(struct um_watch_xaml *xaml, uint64_t root, uint64_t now_ns)
{
    struct um_layout_components *components = um_layout_components(xaml->layout);
    if (xaml->areas_ns != 0 && um_ns_elapsed(xaml->areas_ns, now_ns) < AREAS_NS)
        return;
    xaml->areas_ns = now_ns;
    (void)um_layout_components_of(components, root); /* it is one */
    for (uint32_t id = UM_LAYOUT_COMPONENTS_FIRST; id < um_layout_components_end(components);
         id++) {
        uint64_t window = um_layout_components_get(components, id)->window;
        struct um_target_area at;
        bool is_there =
            window && um_target->window_area(window, root, &at) && (window == root || at.shown);
        const struct um_layout_area area =
            is_there
                ? (struct um_layout_area){(float)at.left * at.units, (float)at.top * at.units,
                                          (float)at.right * at.units, (float)at.bottom * at.units}
                : (struct um_layout_area){0};
        um_layout_events_area(xaml->events, id, is_there ? &area : NULL);
    }
}

/* Whether events stay in the ring now. They wait until no frame of the DLL lasts, so that theirs
 * are frames of their own. A slow layout of XAML may lie in one step of the DLL: a ring that fills
 * up, or a long wait, ends the waiting, and then theirs may become part of the DLL's frame. */
static bool hold(struct um_watch_xaml *xaml, uint64_t now_ns)
{
    uint64_t held = atomic_load(&xaml->ring.head) - xaml->ring.tail;
    bool holds = um_layout_in_frame(xaml->layout) && held > 0 && held < HELD_MOST;
    if (holds && xaml->held_ns == 0)
        xaml->held_ns = now_ns;
    if (holds && um_ns_elapsed(xaml->held_ns, now_ns) >= HELD_NS)
        holds = false;
    if (!holds)
        xaml->held_ns = 0;
    return holds;
}

static void take(struct um_watch_xaml *xaml, uint64_t root, uint64_t now_ns)
{
    if (hold(xaml, now_ns))
        return;
    if (atomic_load(&xaml->ring.head) != xaml->ring.tail) /* an idle program costs nothing */
        place(xaml, root, now_ns);
    (void)um_layout_events_drain(xaml->events, &xaml->ring);
    um_layout_events_tick(xaml->events, now_ns);
}

/* Names of events may differ in some version of XAML. */
static void say_silent(struct um_watch_xaml *xaml, uint64_t now_ns)
{
    char line[LINE_BYTES];
    if (xaml->said_silent || um_ns_elapsed(xaml->begun_ns, now_ns) < SILENT_NS ||
        um_layout_events_sum(xaml->events).taken > 0 ||
        um_layout_sum(xaml->layout).frames == xaml->frames)
        return;
    const char *unknown = um_layout_etw->unknown(xaml->etw);
    snprintf(
        line, sizeof line,
        "uimon has seen no element of XAML in 10 s, though windows of the program were laid out; "
        "%s%s",
        unknown ? "an event that it does not know: " : "no event came that it does not know",
        unknown ? unknown : "");
    xaml->host.say_detail(xaml->host.context, line);
    xaml->said_silent = true;
}

/* Whether the session brings something still. */
static bool goes_on(struct um_watch_xaml *xaml)
{
    if (!um_layout_etw->has_ended(xaml->etw))
        return true;
    um_watch_xaml_end(xaml);
    xaml->failed = true;
    xaml->host.say(xaml->host.context, "--layout sees no more elements of XAML: somebody has ended "
                                       "its session of ETW");
    return false;
}

void um_watch_xaml_turn(struct um_watch_xaml *xaml, struct um_layout *layout,
                        const struct um_target_info *target, bool is_idle, uint64_t now_ns)
{
    bool is_same = layout && xaml->pid == target->pid && xaml->tid == target->tid;
    if (!is_same) {
        um_watch_xaml_end(xaml);
        xaml->pid = layout ? target->pid : 0;
        xaml->tid = layout ? target->tid : 0;
        xaml->look_ns = xaml->wait_ns = 0;
    }
    if (layout && !xaml->etw)
        look(xaml, layout, is_idle, now_ns);
    if (!xaml->etw || !goes_on(xaml))
        return;
    take(xaml, target->hwnd, now_ns);
    say_silent(xaml, now_ns);
}

static void say_sum(struct um_watch_xaml *xaml)
{
    struct um_layout_events_sum sum = um_layout_events_sum(xaml->events);
    char line[LINE_BYTES];
    snprintf(line, sizeof line,
             "XAML: %" PRIu64 " begins and ends of measuring and arranging; %" PRIu64
             " begins without an end, %" PRIu64 " ends without a begin",
             sum.taken, sum.begins, sum.ends);
    xaml->host.say_detail(xaml->host.context, line);
}

void um_watch_xaml_end(struct um_watch_xaml *xaml)
{
    if (!xaml->etw)
        return;
    um_layout_etw->close(xaml->etw);
    xaml->etw = NULL;
    (void)um_layout_events_drain(xaml->events, &xaml->ring);
    um_layout_events_finish(xaml->events);
    um_layout_count_ended(xaml->layout);
    say_sum(xaml);
    release(xaml);
}
