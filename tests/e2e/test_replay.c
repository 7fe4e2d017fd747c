/* Recordings in the overlay: at their pace, driven by keys, without the recorded program. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/e2e/harness.h"
#include "tests/e2e/piped.h"

#define TITLE "uimon overlay"
#define MAX_LINES 64

/* The synthetic recordings begin here on their clock. */
#define START_MS 1000000.0

/* A replay that is driven through a pipe. */
struct replay {
    struct piped piped;
    char feed[128];
};

/* What `probe tail-feed` said of one frame; numbers that the line does not have are 0. */
struct heard {
    char kind[16]; /* session, episode, state, end */
    char what[32]; /* begin or end; the state */
    uint64_t id, start_ns, end_ns, since_ns, freezes, now_ns;
};

/* Makes a recording (tests/win/make_recording_win32.c) and returns its path for Windows. */
static const char *make_recording(const char *a, const char *b, const char *c, const char *d,
                                  const char *e)
{
    static char path[PATH_BYTES];
    const char *err;
    snprintf(path, sizeof path, "%s", windows_path(test_file("made.uimrec")));
    int code = run(NULL, &err, "make_recording_win32", path, a, b, c, d, e, NULL);
    cr_assert_eq(code, 0, "no recording was made, code %d: %s", code, err);
    return path;
}

static void send_keys(const struct replay *replay, const char *keys)
{
    write_piped(&replay->piped, keys);
}

/* Starts `uimon replay`; the `first` keys are there from the beginning. */
static void start_replay(struct replay *replay, const char *recording, const char *first,
                         const char *speed, bool headless)
{
    const char *const args[] = {"replay",
                                recording,
                                "--verbose",
                                "--config=",
                                "--speed",
                                speed,
                                headless ? "--headless" : NULL,
                                NULL};

    start_piped(&replay->piped, first, dist_file("uimon.exe"), args);
    const char *line = wait_line(replay->piped.program.err, "feed: ");
    sscanf(strstr(line, "feed: "), "feed: %127s", replay->feed);
}

static void listen(struct program *listener, const struct replay *replay)
{
    start(listener, "probe_win32", "tail-feed", replay->feed, NULL);
    wait_line(listener->out, "session ");
}

static void quit(struct replay *replay)
{
    send_keys(replay, "q");
    cr_expect_eq(wait_end(&replay->piped.program, LIMIT_MS), 0);
    close_piped(&replay->piped);
}

static uint64_t number_in(const char *line, const char *word)
{
    const char *at = strstr(line, word);
    return at ? strtoull(at + strlen(word), NULL, 10) : 0;
}

/* The lines of a kind that a listener has printed. */
static size_t read_heard(const struct program *listener, const char *kind, struct heard *heard)
{
    char *text = read_text(listener->out);
    size_t count = 0;

    for (char *line = text, *end; (end = strchr(line, '\n')) && count < MAX_LINES; line = end + 1) {
        struct heard *now = &heard[count];
        *end = 0;
        memset(now, 0, sizeof *now);
        if (sscanf(line, "%15s %31s", now->kind, now->what) != 2 || strcmp(now->kind, kind) != 0)
            continue;
        const char *episode = strstr(line, " id "); /* "end" is a word before it, too */
        now->id = number_in(line, " id ");
        now->start_ns = number_in(line, " start ");
        now->end_ns = episode ? number_in(episode, " end ") : 0;
        now->since_ns = number_in(line, " since ");
        now->freezes = number_in(line, " freezes ");
        now->now_ns = number_in(line, " now ");
        count++;
    }
    free(text);
    return count;
}

static double ms_of(uint64_t ns)
{
    return (double)ns / 1e6 - START_MS;
}

static bool has_lines(const struct program *listener, const char *kind, size_t count)
{
    struct heard heard[MAX_LINES];
    return read_heard(listener, kind, heard) >= count;
}

/* Whether two listeners have heard the same, but for when. */
static bool is_same(const struct heard *a, const struct heard *b)
{
    return strcmp(a->what, b->what) == 0 && a->id == b->id && a->start_ns == b->start_ns &&
           a->end_ns == b->end_ns && a->freezes == b->freezes && a->since_ns == b->since_ns;
}

/* Whether the last line of a kind that the one has heard, the other has heard too. */
static bool has_heard_last(const struct program *listener, const struct program *of,
                           const char *kind)
{
    struct heard told[MAX_LINES], heard[MAX_LINES];
    size_t count = read_heard(of, kind, told);
    size_t heard_count = read_heard(listener, kind, heard);
    for (size_t i = 0; count && i < heard_count; i++)
        if (is_same(&heard[i], &told[count - 1]))
            return true;
    return false;
}

/* The feed ------------------------------------------------------------------------------------- */

Test(replay, tells_the_feed_what_was_recorded)
{
    struct replay replay;
    struct program listener;
    struct heard heard[MAX_LINES];

    start_replay(
        &replay,
        make_recording("quiet:2000", "freeze:700", "quiet:1000", "freeze:300", "quiet:500"), " ",
        "4", true);
    listen(&listener, &replay);
    cr_expect_eq(number_in(wait_line(listener.out, "session "), " hwnd 0x"), 0);
    send_keys(&replay, " ");
    WAIT_UNTIL(has_lines(&listener, "episode", 4), "episodes are missing");
    WAIT_UNTIL(has_lines(&listener, "state", 5), "states are missing");
    quit(&replay);
    cr_expect_eq(wait_end(&listener, LIMIT_MS), 0);
    cr_expect_eq(read_heard(&listener, "episode", heard), 4);
    cr_expect(heard[1].id == 1 && ms_of(heard[1].start_ns) == 2000 &&
              ms_of(heard[1].end_ns) == 2700);
    cr_expect(heard[3].id == 2 && ms_of(heard[3].start_ns) == 3700 &&
              ms_of(heard[3].end_ns) == 4000);
    cr_expect_eq(read_heard(&listener, "state", heard), 5);
    cr_expect(strcmp(heard[1].what, "frozen") == 0 && strcmp(heard[2].what, "responsive") == 0);
    cr_expect(ms_of(heard[4].since_ns) == 4000 && heard[4].freezes == 2);
}

Test(replay, pauses_steps_and_seeks_as_a_script_tells_it)
{
    struct replay replay;
    struct program listener;
    struct heard heard[MAX_LINES];

    start_replay(&replay, make_recording("quiet:3000", "freeze:700", "quiet:60000", "cut", NULL),
                 " ", "1", true);
    listen(&listener, &replay);
    send_keys(&replay, "seek 2.9\n");
    wait_line(listener.out, "state responsive");
    sleep_ms(1000); /* much longer than what is left until the freeze */
    cr_expect(!has_lines(&listener, "episode", 1), "it goes on while it is paused");
    send_keys(&replay, "...");
    WAIT_UNTIL(has_lines(&listener, "episode", 1), "a step into the freeze does not show it");
    send_keys(&replay, "n");
    WAIT_UNTIL(has_lines(&listener, "episode", 3), "its end is not told");
    read_heard(&listener, "episode", heard);
    cr_expect_eq(ms_of(heard[0].end_ns), 3100, "%.1f", ms_of(heard[0].end_ns));
    cr_expect(strcmp(heard[1].what, "begin") == 0 && strcmp(heard[2].what, "end") == 0,
              "a jump tells what led to it");
    cr_expect_eq(ms_of(heard[2].end_ns), 3700);
    send_keys(&replay, "seek 1\nspeeed 3\n");
    wait_line(replay.piped.program.err, "does not know 'speeed 3'");
    quit(&replay);
    cr_expect(has_line(replay.piped.program.err, "it was cut off after 1:0"), "%s",
              read_text(replay.piped.program.err));
}

Test(replay, ends_by_itself_for_a_script)
{
    struct program player;
    const char *recording = make_recording("quiet:1000", "freeze:200", "quiet:300", NULL, NULL);

    start(&player, "uimon", "replay", recording, "--headless", "--config=", NULL);
    cr_expect_eq(wait_end(&player, LIMIT_MS), 0);
}

Test(replay, says_why_a_file_cannot_be_played)
{
    const char *err;

    cr_expect_eq(run(NULL, &err, "uimon", "replay", "Z:\\nonexistent.uimrec", NULL), 1);
    cr_expect(strncmp(err, "uimon: ", 7) == 0 && strstr(err, "nonexistent.uimrec"), "%s", err);
    cr_expect_eq(strchr(err, '\n'), strrchr(err, '\n'), "more than a line: %s", err);
    const char *other = windows_path(dist_file("LICENSE"));
    cr_expect_eq(run(NULL, &err, "uimon", "replay", other, NULL), 1);
    cr_expect(strncmp(err, "uimon: ", 7) == 0 && strchr(err, '\n') == strrchr(err, '\n'), "%s",
              err);
}

/* Makes the target freeze for the n-th time, until the feed has told that state, and waits until it
 * has told the next one. */
static void freeze_until_told(const struct target *target, const struct program *feed, size_t n)
{
    begin_freeze(target, "50000");
    wait_lines(feed->out, "state frozen", n);
    tell(target);
    struct um_demo_log_event *freezes = wait_freezes(target, n);
    wait_told(feed, &freezes[n - 1]);
    wait_lines(feed->out, "state responsive", n + 1);
    free(freezes);
}

/* What a listener is told of episodes and states, live and replayed. */
Test(replay, tells_what_the_live_feed_told)
{
    struct target target;
    struct monitor monitor;
    struct program live, listener;
    struct replay replay;
    struct heard told[MAX_LINES], again[MAX_LINES];
    static const char *const kinds[] = {"episode", "state"};
    char recording[PATH_BYTES];

    snprintf(recording, sizeof recording, "%s", windows_path(test_file("live.uimrec")));
    start_target(&target, "target_odd_win32", "--mode", "quiet", NULL);
    start_monitor(&monitor, &target, "--record", recording, "--idle-pause", "0", NULL);
    tail_feed(&live, &monitor);
    wait_line(live.out, "state responsive");
    for (size_t i = 1; i <= 3; i++)
        freeze_until_told(&target, &live, i);
    cJSON_Delete(stop_monitor(&monitor));
    cr_expect_eq(wait_end(&live, LIMIT_MS), 0);
    start_replay(&replay, recording, " ", "4", true);
    listen(&listener, &replay);
    send_keys(&replay, " ");
    for (size_t kind = 0; kind < 2; kind++)
        WAIT_UNTIL(has_heard_last(&listener, &live, kinds[kind]), "the last %s is missing",
                   kinds[kind]);
    quit(&replay);
    cr_expect_eq(wait_end(&listener, LIMIT_MS), 0);
    for (size_t kind = 0; kind < 2; kind++) {
        size_t count = read_heard(&live, kinds[kind], told);
        size_t again_count = read_heard(&listener, kinds[kind], again);
        /* The listeners came when both had begun: what is compared ends alike. */
        while (again_count && !is_same(&again[again_count - 1], &told[count - 1]))
            again_count--;
        size_t common = count < again_count ? count : again_count;
        cr_assert_geq(common, 6, "%s: %zu and %zu", kinds[kind], count, again_count);
        for (size_t i = 0; i < common; i++)
            cr_expect(is_same(&told[count - common + i], &again[again_count - common + i]),
                      "%s %zu: %s and %s", kinds[kind], i, told[count - common + i].what,
                      again[again_count - common + i].what);
    }
}

/* The overlay ---------------------------------------------------------------------------------- */

static bool find_overlay(char *hwnd, struct box *box)
{
    const char *found = probe("find", TITLE, NULL);
    return sscanf(found, "%31s %*u %*u %d %d %d %d", hwnd, &box->x, &box->y, &box->width,
                  &box->height) == 5 &&
           box->width > 100;
}

static bool is_red(uint32_t pixel)
{
    return (pixel >> 16 & 0xff) > 180 && (pixel >> 8 & 0xff) < 110 && (pixel & 0xff) < 110;
}

static bool is_green(uint32_t pixel)
{
    int red = pixel >> 16 & 0xff, green = pixel >> 8 & 0xff, blue = pixel & 0xff;
    return green > 150 && red < 130 && blue < 170 && green > red + 80;
}

/* The newest seconds of the graph, without its upper part and its floor. */
static struct box newest_of(const struct box *strip, int columns)
{
    int right = strip->x + strip->width - 318 - 30;
    return (struct box){right - 4 * columns, strip->y + 40, 4 * columns, 60};
}

Test(replay, shows_a_freeze_without_its_program)
{
    struct replay replay;
    struct box strip, plot, graph;
    char hwnd[32];

    WAIT_UNTIL(!*probe("find", TITLE, NULL), "an overlay is left");
    start_replay(&replay, make_recording("quiet:8000", "freeze:2000", "quiet:30000", NULL, NULL),
                 " ", "1", false);
    WAIT_UNTIL(find_overlay(hwnd, &strip), "no overlay comes");
    /* By itself in the middle of the display's lower edge. */
    cr_expect(strip.width == 1200 && strip.height == 120, "%d x %d", strip.width, strip.height);
    cr_expect(strip.x == (1920 - 1200) / 2 && strip.y + 120 <= 1080 && strip.y > 900, "%d %d",
              strip.x, strip.y);
    send_keys(&replay, "seek 7.9\n");
    plot = graph = newest_of(&strip, 60);
    graph.height = strip.y + strip.height - graph.y; /* its floor too: the lag was small */
    WAIT_UNTIL(count_pixels(&graph, is_green) > 200, "what leads to the position is not drawn");
    cr_expect_lt(count_pixels(&plot, is_red), 600, "red before there was a freeze");
    send_keys(&replay, "n");
    WAIT_UNTIL(count_pixels(&plot, is_red) > 2000, "the freeze is not drawn");
    sleep_ms(3000); /* a live feed that is so silent has ended */
    cr_expect_gt(count_pixels(&plot, is_red), 2000, "the picture goes while it is paused");
    send_keys(&replay, "seek 1\n");
    WAIT_UNTIL(count_pixels(&plot, is_red) < 600, "the freeze stays after a jump back");
    probe("chord", "17,18,16,122", NULL); /* Ctrl+Alt+Shift+F11 */
    WAIT_UNTIL(find_overlay(hwnd, &strip) && strip.height == 120 + 132, "no profile is shown");
    quit(&replay);
    WAIT_UNTIL(!*probe("find", TITLE, NULL), "the overlay stays");
}

/* The demo lies beneath the whole strip. */
Test(replay, lets_clicks_through)
{
    struct target target;
    struct replay replay;
    struct box strip;
    struct um_demo_log_event *inputs;
    char hwnd[32], x[16], y[16];
    unsigned pid = 0;

    start_target(&target, NULL, "--still", "--pos", "200,500,1500,560", NULL);
    wait_front(&target);
    WAIT_UNTIL(!*probe("find", TITLE, NULL), "an overlay is left");
    start_replay(&replay, make_recording("quiet:2000", NULL, NULL, NULL, NULL), " ", "1", false);
    WAIT_UNTIL(find_overlay(hwnd, &strip), "no overlay comes");
    int at_x = strip.x + strip.width / 2, at_y = strip.y + strip.height / 2;
    snprintf(x, sizeof x, "%d", at_x);
    snprintf(y, sizeof y, "%d", at_y);
    cr_assert_eq(sscanf(probe("at", x, y, NULL), "%*s %*s %u", &pid), 1, "nothing is there");
    cr_expect_eq(pid, target.pid, "there is %u and not %u", pid, target.pid);
    x_click(at_x, at_y);
    wait_line(target.log, " WM_LBUTTONUP UimonDemo");
    cr_expect_eq(log_events(target.log, UM_DEMO_LOG_INPUT, &inputs), 2,
                 "not one press and release");
    free(inputs);
    quit(&replay);
}
