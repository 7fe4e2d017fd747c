/* The meters that `--layout` draws over the components of a target: where they are by the target's
 * own windows, and that nobody feels them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/e2e/overlay_seen.h"
#include "tests/e2e/panes.h"

/* So large that the panes of the demo have no legend and no strip over them. */
#define PLACE "200,50,1200,900"
#define NOWHERE_X 5 /* a point outside of all windows */
#define NOWHERE_Y 1070

#define PIN CTRL_ALT_SHIFT "117" /* F6 */

enum { OUTER, MIDDLE, INNER };

/* The demo, and where its panes are on the screen. */
struct watched {
    struct target target;
    struct monitor monitor;
    struct box panes[PANES];
    struct box inside; /* of the window */
    unsigned resized;  /* how often the panes were resized and back */
};

/* Where the panes are, by the system. */
static void find_panes(struct watched *watched)
{
    char text[64];
    size_t found = 0;
    for (const char *line = probe("children", hwnd_text(watched->target.hwnd), NULL); line && *line;
         line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        struct box box;
        if (sscanf(line, "%*s UimonDemoPane %d %d %d %d %63s", &box.x, &box.y, &box.width,
                   &box.height, text) != 5)
            continue;
        for (int i = 0; i < PANES; i++)
            if (strcmp(text, pane_names[i]) == 0) {
                watched->panes[i] = box;
                found++;
            }
    }
    cr_assert_eq(found, PANES, "%zu panes", found);
}

/* Where the inside of the target's window is, by the system. */
static void find_inside(struct watched *watched)
{
    struct box *box = &watched->inside;
    cr_assert_eq(sscanf(probe("client", hwnd_text(watched->target.hwnd), NULL), "%d %d %d %d",
                        &box->x, &box->y, &box->width, &box->height),
                 4);
}

/* Resizes the panes and back, so that they are where they were. */
static void resize(struct watched *watched)
{
    resize_panes(&watched->target, 2, ++watched->resized);
}

/* Starts the demo with panes, with the cursor elsewhere. */
static void start_panes(struct watched *watched, const char *still)
{
    watched->resized = 0;
    WAIT_UNTIL(*probe("find", TITLE, NULL) == 0, "the overlay of an earlier test stays");
    x_move(NOWHERE_X, NOWHERE_Y);
    start_target(&watched->target, NULL, "--pos", PLACE, still, NULL);
    wait_front(&watched->target);
    resize(watched);
    find_panes(watched);
    find_inside(watched);
}

/* Pictures ------------------------------------------------------------------------------------- */

/* The ground of meters and read-outs: nearly black, and some of what is beneath shines through. */
static bool is_ground(uint32_t pixel)
{
    return red(pixel) < 125 && green(pixel) < 125 && blue(pixel) < 125;
}

/* How much lower the outer pane has its meter than in its corner: those of the middle and the inner
 * one, whose corners are 6 and 12 px away, are above it. */
#define BELOW_OTHERS 48

/* How much of a meter's ground is where a component has its meter: around a point 10 px left of
 * and 8 px below the upper right corner of the component, or lower than that. A column of a short
 * layout frame does not reach it. */
static size_t meter_at(const struct box *component, int lower)
{
    const struct box box = {component->x + component->width - 14, component->y + 5 + lower, 8, 5};
    return count_pixels(&box, is_ground);
}

#define METER_LEAST 20 /* of 40 */

#define EDGE_PX 100

/* The lower part of a component's left edge, where no read-out reaches, or a line of pixels to the
 * right of that. */
static struct box edge_of(const struct box *component, int right)
{
    return (struct box){component->x + right, component->y + component->height - EDGE_PX - 20, 1,
                        EDGE_PX};
}

static size_t outline_of(const struct box *component)
{
    const struct box edge = edge_of(component, 0);
    return count_pixels(&edge, is_outline);
}

static bool is_outlined(const struct box *component)
{
    return outline_of(component) == EDGE_PX;
}

/* Whether a component has the frame of what is pinned: two white lines between dark ones. */
static bool is_pinned(const struct box *component)
{
    for (int i = 0; i < 4; i++) {
        const struct box edge = edge_of(component, i);
        if (count_pixels(&edge, i == 1 || i == 2 ? is_bright : is_ground) != EDGE_PX)
            return false;
    }
    return true;
}

/* Whether a read-out is below the meter of a component: light letters on a dark ground. */
static bool has_numbers(const struct box *component)
{
    const struct box box = {component->x + component->width - 260, component->y + 30, 240, 100};
    return count_pixels(&box, is_ground) > 240 * 100 / 2 && count_pixels(&box, is_bright) > 20;
}

/* Meters --------------------------------------------------------------------------------------- */

/* Starts a monitor, and waits until the outer pane and the window have their meters. */
static void start_meters(struct watched *watched)
{
    const struct box *outer = &watched->panes[OUTER], *window = &watched->inside;
    cr_assert_eq(meter_at(outer, BELOW_OTHERS) + meter_at(window, 0), 0,
                 "it is dark there without a meter, too");
    start_monitor_overlay(&watched->monitor, &watched->target, "--layout", NULL);
    /* The first ones may come before the hooks are there. */
    WAIT_UNTIL((resize(watched),
                meter_at(outer, BELOW_OTHERS) >= METER_LEAST && meter_at(window, 0) >= METER_LEAST),
               "the outer pane has %zu pixels of a meter, the window %zu",
               meter_at(outer, BELOW_OTHERS), meter_at(window, 0));
}

/* Clicks where a component has its meter, which goes on being there. */
static void click_meter(const struct watched *watched, const struct box *component, int lower)
{
    char x[16], y[16];
    unsigned pid = 0;
    int at_x = component->x + component->width - 10, at_y = component->y + 8 + lower;

    snprintf(x, sizeof x, "%d", at_x);
    snprintf(y, sizeof y, "%d", at_y);
    sscanf(probe("at", x, y, NULL), "%*s %*s %u", &pid);
    cr_expect_eq(pid, watched->target.pid, "there is %u and not %u", pid, watched->target.pid);
    WAIT_UNTIL(meter_at(component, lower) >= METER_LEAST, "the meter has gone");
    x_click(at_x, at_y);
}

/* The point on the meter of the outer pane lies in the middle one. */
Test(overlay_picture, meters_let_clicks_and_keys_through)
{
    static struct watched watched;
    const char *log = watched.target.log;

    start_panes(&watched, NULL);
    start_meters(&watched);
    cr_expect(!has_line(log, " WM_LBUTTONDOWN "));
    click_meter(&watched, &watched.panes[OUTER], BELOW_OTHERS);
    wait_line(log, " WM_LBUTTONDOWN UimonDemoPane ");
    wait_line(log, " WM_LBUTTONUP UimonDemoPane ");
    click_meter(&watched, &watched.inside, 0);
    wait_line(log, " WM_LBUTTONDOWN UimonDemo ");
    wait_line(log, " WM_LBUTTONUP UimonDemo ");
    x_type("abc"); /* the cursor is on the meter */
    wait_lines(log, " WM_CHAR Edit ", 3);
    cr_expect_eq(lines_with(log, " WM_LBUTTONDOWN "), 2);
    cJSON_Delete(stop_monitor(&watched.monitor));
}

/* The other program's window lies over the left half of the meters of all panes. */
Test(overlay_picture, meters_are_not_drawn_where_another_programs_window_lies)
{
    static struct watched watched;
    static struct target other;
    char place[64];

    start_panes(&watched, "--still");
    const struct box *outer = &watched.panes[OUTER];
    start_meters(&watched);
    WAIT_UNTIL(is_outlined(outer), "the outer pane has no outline");
    snprintf(place, sizeof place, "%d,%d,500,400", outer->x + outer->width - 30 - 500,
             outer->y - 100);
    start_target(&other, NULL, "--still", "--title", "in the way", "--pos", place, NULL);
    wait_front(&other); /* an active target counts as above all others */
    WAIT_UNTIL(meter_at(outer, BELOW_OTHERS) == 0, "a meter stays that another window lies over");
    const struct box hidden = {outer->x, outer->y + 20, 1, 200};
    WAIT_UNTIL(count_pixels(&hidden, is_outline) == 0, "an outline is drawn over another window");
    WAIT_UNTIL(meter_at(&watched.inside, 0) >= METER_LEAST,
               "the meter of the window has gone, too");
    kill_hard(&other.program);
    WAIT_UNTIL(
        (resize(&watched), meter_at(outer, BELOW_OTHERS) >= METER_LEAST && is_outlined(outer)),
        "the meter does not come back");
    cJSON_Delete(stop_monitor(&watched.monitor));
}

Test(overlay_picture, meters_are_drawn_under_windows_that_cannot_be_seen)
{
    static struct watched watched;
    struct coverer coverer;
    const enum cover unseen[] = {COVER_CLEAR, COVER_KEY, COVER_FRAME_REGION};

    start_panes(&watched, "--still");
    const struct box *outer = &watched.panes[OUTER];
    start_meters(&watched);
    WAIT_UNTIL(is_outlined(outer), "the outer pane has no outline");
    const struct box around = {outer->x - 50, outer->y - 50, outer->width + 100,
                               outer->height + 100};
    start_coverer(&coverer, &around);
    for (size_t i = 0; i < sizeof unseen / sizeof unseen[0]; i++) {
        show_cover(&coverer, i == 1 ? COVER_SOLID : COVER_PLAIN);
        WAIT_UNTIL(outline_of(outer) == 0, "an outline is drawn over another window, %zu", i);
        show_cover(&coverer, unseen[i]);
        WAIT_UNTIL(is_outlined(outer), "no outline under window %d", (int)unseen[i]);
    }
    cJSON_Delete(stop_monitor(&watched.monitor));
}

/* Parts of which not all is seen --------------------------------------------------------------- */

/* Where the first child of a class is, by the system. */
static struct box child_of(const struct target *target, const char *class_name)
{
    struct box box = {0};
    const char *line = strstr(probe("children", hwnd_text(target->hwnd), NULL), class_name);
    cr_assert(line && sscanf(line, "%*s %d %d %d %d", &box.x, &box.y, &box.width, &box.height) == 4,
              "no %s", class_name);
    return box;
}

/* Starts a target whose only part is the inner window, and a monitor that draws what that costs. */
static void start_scrolled(struct watched *watched, const char *mode)
{
    char rules[PATH_BYTES];
    FILE *file = open_file(test_file("inner.rules"), "w");
    snprintf(rules, sizeof rules, "%s", windows_path(test_file("inner.rules")));
    cr_assert(file && fputs("class:UimonTestInner = The inner\n", file) >= 0 && fclose(file) == 0);
    WAIT_UNTIL(*probe("find", TITLE, NULL) == 0, "the overlay of an earlier test stays");
    x_move(NOWHERE_X, NOWHERE_Y);
    start_target(&watched->target, "target_odd_win32", "--mode", mode, "--pos", PLACE, NULL);
    start_monitor_overlay(&watched->monitor, &watched->target, "--layout", "--layout-components",
                          rules, NULL);
}

/* How much of a line of pixels is the frame's. Units: px. */
static size_t framed(int x, int y, int width, int height)
{
    const struct box line = {x, y, width, height};
    return count_pixels(&line, is_outline);
}

static void trigger_resize(const struct watched *watched)
{
    probe("post", hwnd_text(watched->target.hwnd), "UimonTestResize", "0", NULL);
}

/* Whether the frame of the part goes around what is seen of it, and nothing of it lies outside. The
 * upper edge has `top` px at the left, and the right one `right` px at the bottom. */
static bool is_framed(const struct box *seen, int top, int right)
{
    int below = seen->y + seen->height, beside = seen->x + seen->width;
    return framed(seen->x, seen->y, 1, seen->height) == (size_t)seen->height &&
           framed(seen->x, below - 1, seen->width, 1) == (size_t)seen->width &&
           framed(seen->x, seen->y, top, 1) == (size_t)top &&
           framed(beside - 1, below - right, 1, right) == (size_t)right &&
           framed(seen->x - 2, seen->y - 2, 1, seen->height + 4) == 0 &&
           framed(seen->x - 2, below + 1, seen->width + 4, 1) == 0 &&
           framed(seen->x - 2, seen->y - 2, seen->width + 4, 1) == 0 &&
           framed(beside + 1, seen->y - 2, 1, seen->height + 4) == 0;
}

Test(overlay_picture, a_part_is_framed_where_the_window_around_it_shows_it)
{
    static const char *const modes[] = {"scrolled:0", "scrolled:1", "scrolled:3"};
    static struct watched watched;

    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        start_scrolled(&watched, modes[i]);
        const struct box holder = child_of(&watched.target, "UimonTestHolder");
        const struct box inner = child_of(&watched.target, "UimonTestInner");
        cr_assert(inner.y < holder.y && inner.y + inner.height >= holder.y + holder.height);
        WAIT_UNTIL((trigger_resize(&watched), is_framed(&holder, holder.width, holder.height)),
                   "%s: no frame around %d %d %d %d", modes[i], holder.x, holder.y, holder.width,
                   holder.height);
        cJSON_Delete(stop_monitor(&watched.monitor));
        kill_hard(&watched.target.program);
    }
}

Test(overlay_picture, a_part_is_framed_where_no_sibling_lies_over_it)
{
    static struct watched watched;

    start_scrolled(&watched, "scrolled:2");
    const struct box holder = child_of(&watched.target, "UimonTestHolder");
    const struct box sibling = child_of(&watched.target, "UimonTestSibling");
    int below = sibling.y + sibling.height;
    cr_assert(sibling.x > holder.x && below < holder.y + holder.height);
    WAIT_UNTIL((trigger_resize(&watched),
                is_framed(&holder, sibling.x - holder.x, holder.y + holder.height - below)),
               "no frame");
    const struct box over = {sibling.x, holder.y, holder.x + holder.width - sibling.x,
                             below - holder.y};
    cr_expect_eq(count_pixels(&over, is_outline), 0, "the sibling is drawn on");
    cr_expect_eq(framed(sibling.x - 1, holder.y, 1, over.height), (size_t)over.height);
    cr_expect_eq(framed(sibling.x, below, over.width, 1), (size_t)over.width);
    cJSON_Delete(stop_monitor(&watched.monitor));
}

/* What is under the cursor --------------------------------------------------------------------- */

/* Starts a monitor that shows what is under the cursor. */
static void start_inspecting(struct watched *watched)
{
    start_panes(watched, "--still");
    for (int i = 0; i < PANES; i++)
        cr_assert(outline_of(&watched->panes[i]) == 0 && !is_pinned(&watched->panes[i]));
    cr_assert(!has_numbers(&watched->inside));
    start_monitor_overlay(&watched->monitor, &watched->target, "--layout", "inspect", NULL);
}

static void point_at_inner(const struct watched *watched)
{
    const struct box *inner = &watched->panes[INNER];
    x_move(inner->x + inner->width / 2, inner->y + inner->height / 2);
}

/* Moves the cursor into the outer pane, to the left of the middle one. */
static void point_at_outer(const struct watched *watched)
{
    const struct box *outer = &watched->panes[OUTER];
    x_move(outer->x + 3, outer->y + outer->height / 2);
}

/* Moves the cursor to a point of the window beside all panes. Wine does not notice at once that the
 * cursor has left all windows of its programs. */
static void point_beside(const struct watched *watched)
{
    x_move(watched->inside.x + 30, watched->inside.y + 50);
}

#define BESIDE (-1) /* in place of a pane */

/* Whether what is under the cursor has numbers, and no pane but that one has an outline. */
static bool is_inspected(const struct watched *watched, int pane)
{
    const struct box *panes = watched->panes;
    for (int i = 0; i < PANES; i++)
        if (i == pane ? !is_outlined(&panes[i]) : outline_of(&panes[i]) != 0)
            return false;
    return (pane == BESIDE || has_numbers(&panes[pane])) &&
           has_numbers(&watched->inside) == (pane == BESIDE);
}

Test(overlay_picture, inspects_the_pane_under_the_cursor)
{
    static struct watched watched;

    start_inspecting(&watched);
    point_at_inner(&watched);
    WAIT_UNTIL(is_inspected(&watched, INNER), "the inner pane is not inspected");
    point_at_outer(&watched);
    WAIT_UNTIL(is_inspected(&watched, OUTER), "the outer pane is not inspected");
    point_beside(&watched);
    WAIT_UNTIL(is_inspected(&watched, BESIDE), "a pane is inspected that the cursor has left");
    cJSON_Delete(stop_monitor(&watched.monitor));
}

/* Whether one pane alone is pinned. BESIDE: none is. */
static bool is_pinned_alone(const struct watched *watched, int pane)
{
    const struct box *panes = watched->panes;
    for (int i = 0; i < PANES; i++)
        if (is_pinned(&panes[i]) != (i == pane))
            return false;
    return true;
}

/* The pane is inspected first, because one that uimon does not know yet cannot be pinned. */
Test(overlay_picture, pins_the_pane_under_the_cursor_and_lets_it_go)
{
    static struct watched watched;

    start_inspecting(&watched);
    point_at_inner(&watched);
    WAIT_UNTIL(is_inspected(&watched, INNER), "the inner pane is not inspected");
    probe("chord", PIN, NULL);
    WAIT_UNTIL(is_pinned_alone(&watched, INNER) && has_numbers(&watched.panes[INNER]),
               "the inner pane is not pinned");
    point_at_outer(&watched);
    WAIT_UNTIL(is_outlined(&watched.panes[OUTER]), "the outer pane is not inspected");
    cr_expect(is_pinned_alone(&watched, INNER), "the inner pane was let go with the cursor");
    point_beside(&watched);
    WAIT_UNTIL(outline_of(&watched.panes[OUTER]) == 0, "the outer pane is still inspected");
    cr_expect(is_pinned_alone(&watched, INNER), "the inner pane was let go without the keys");
    point_at_outer(&watched);
    WAIT_UNTIL(is_outlined(&watched.panes[OUTER]), "the outer pane is not inspected again");
    probe("chord", PIN, NULL);
    WAIT_UNTIL(is_pinned_alone(&watched, OUTER) && has_numbers(&watched.panes[OUTER]),
               "the outer pane is not pinned in its place");
    probe("chord", PIN, NULL);
    WAIT_UNTIL(is_inspected(&watched, OUTER), "the outer pane was not let go");
    point_beside(&watched);
    WAIT_UNTIL(is_inspected(&watched, BESIDE) && is_pinned_alone(&watched, BESIDE),
               "something is left of what was pinned");
    cJSON_Delete(stop_monitor(&watched.monitor));
}
