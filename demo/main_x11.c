/* uimon-demo on X11: a window that freezes on request and logs exactly when. */
#include <stdio.h>
#include <stdlib.h>

#include "base/plain/clock.h"
#include "base/thread.h"
#include "demo/journal.h"
#include "demo/options.h"
#include "demo/window_x11.h"

#define EXIT_USAGE 2

struct player {
    const struct um_demo_options *options;
    struct um_demo_window *window;
    struct um_thread thread;
};

static bool play_once(const struct player *player, uint32_t *index)
{
    const struct um_demo_play *play = &player->options->play;
    for (uint32_t i = 0; i < play->len; i++, (*index)++) {
        um_clock_sleep_ns(um_demo_play_pause_ns(player->options->pause_ms, *index));
        if (!um_demo_window_play(player->window, &play->items[i]))
            return false;
    }
    return true;
}

/* Plays the list; or waits for --seconds. */
static void play(void *context)
{
    const struct player *player = context;
    const struct um_demo_options *options = player->options;
    uint32_t index = 0;
    um_clock_sleep_ns(options->delay_ms * UM_CLOCK_NS_PER_MS);
    for (uint32_t round = 0; options->play.len && (!options->repeat || round < options->repeat);
         round++)
        if (!play_once(player, &index))
            return;
    um_clock_sleep_ns((options->exit ? options->pause_ms : 0) * UM_CLOCK_NS_PER_MS);
    if (options->play.len)
        um_demo_window_played(player->window, options->exit);
}

static void close_late(void *context)
{
    const struct player *player = context;
    um_clock_sleep_ns(player->options->seconds * UM_CLOCK_NS_PER_S);
    um_demo_window_played(player->window, true);
}

/* The threads that play are not waited for: a list may go on for hours, and the process ends. */
static int run(const struct um_demo_options *options, struct um_demo_journal *journal)
{
    static struct player player, closer;
    struct um_demo_window *window;
    if (um_demo_window_open(options, journal, &window) != UM_OK) {
        fputs("uimon-demo: the window could not be made: is DISPLAY set?\n", stderr);
        return EXIT_FAILURE;
    }
    um_demo_journal_write(journal, &(struct um_demo_log_event){.kind = UM_DEMO_LOG_READY,
                                                               .begin_ns = um_clock_now_ns()});
    player = closer = (struct player){.options = options, .window = window};
    if (options->play.len && um_thread_start(play, &player, &player.thread) != UM_OK)
        return EXIT_FAILURE;
    if (options->seconds && um_thread_start(close_late, &closer, &closer.thread) != UM_OK)
        return EXIT_FAILURE;
    um_demo_window_run(window);
    return EXIT_SUCCESS;
}

int main(int argc, char *argv[])
{
    struct um_demo_journal *journal = NULL;
    struct um_demo_options options;
    char error[320];

    if (um_demo_options_parse(argc - 1, argv + 1, &options, error, sizeof error) != UM_OK) {
        fprintf(stderr, "uimon-demo: %s\n", error);
        return EXIT_USAGE;
    }
    if (options.help) {
        fputs(um_demo_options_help(), stdout);
        return EXIT_SUCCESS;
    }
    const char *cannot = um_demo_window_cannot(&options.play);
    if (cannot) {
        fprintf(stderr, "uimon-demo: --play: there is no %s on this system\n", cannot);
        return EXIT_USAGE;
    }
    if (options.log && um_demo_journal_open(options.log, options.stall_ms, &journal) != UM_OK) {
        fprintf(stderr, "uimon-demo: cannot write the log %s\n", options.log);
        return EXIT_FAILURE;
    }
    int result = run(&options, journal);
    um_demo_journal_close(journal);
    exit(result);
}
