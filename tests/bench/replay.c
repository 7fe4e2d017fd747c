/* Whether a replay is as fast as it was told to be. */
#include "tests/bench/measures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/bench/driver.h"

#define EPISODES 4   /* two freezes, each with its begin and its end */
#define LEAST_MS 700 /* of 1000: neither 8 nor 32 times as fast */
#define MOST_MS 1500

static void press(const struct program *player, const char *keys)
{
    if (write(player->to, keys, strlen(keys)) < 0)
        driver_fail("the replay has ended");
}

/* When an episode was heard of, from 0. Units: ns. */
static double heard_ns(const struct program *listener, int which)
{
    char *text = driver_read(listener->out);
    uint64_t ns = 0;
    int count = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        if (strncmp(line, "episode ", 8) == 0 && count++ == which)
            ns = driver_number_after(line, " now ");
    free(text);
    return (double)ns;
}

void measure_replay(void)
{
    struct program player, listener;
    char recording[DRIVER_PATH_BYTES];

    snprintf(recording, sizeof recording, "%s", driver_windows_path(driver_file("made.uimrec")));
    driver_output("make_recording_win32", recording, "quiet:1000", "freeze:200", "quiet:15800",
                  "freeze:200", "quiet:500", NULL);
    driver_start(&player, true, "uimon", "replay", recording, "--verbose", "--config=", "--speed",
                 "16", "--headless", NULL);
    press(&player, " "); /* it waits until somebody listens */
    driver_listen(&listener, &player, "session ");
    press(&player, " ");
    for (int waited = 0; heard_ns(&listener, EPISODES - 1) == 0; waited += 20) {
        if (waited > DRIVER_LIMIT_MS)
            driver_fail("the replay does not tell its freezes");
        driver_sleep_ms(20);
    }
    press(&player, "q");
    driver_wait_end(&player, DRIVER_LIMIT_MS);
    driver_wait_end(&listener, DRIVER_LIMIT_MS);
    struct row row =
        row_of_number("replay_speed", "16 s of a recording, played 16 times as fast", "ms",
                      (heard_ns(&listener, 2) - heard_ns(&listener, 0)) / 1e6, 1);
    row_between(&row, LEAST_MS, MOST_MS, "700 to 1500 ms");
    driver_row(&row);
}
