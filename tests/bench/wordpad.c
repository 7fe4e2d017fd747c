/* What watching costs a foreign program at rest: Wine's Wordpad with a long text, its end in view
 * and the cursor over it. It takes long to answer whatever a beat makes the system ask it. */
#include "tests/bench/measures.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/plain/clock.h"
#include "tests/bench/driver.h"

#define ROUNDS 5
#define SECONDS 8
#define TEXT_NAME "resting.txt"
#define TEXT_BYTES (5 * 1024 * 1024)
#define LOADED_MS 240000 /* Wine's editor wraps every line first */
#define REST_MS 2000
#define REST_S 0.2       /* CPU of a program at rest in that time, at most */
#define MOST_MORE 3      /* percent of a core */
#define CTRL_END "17,35" /* virtual keys */

struct wordpad {
    struct program program;
    char hwnd[24];
    uint32_t pid; /* the Windows process */
};

/* Short lines, because Wine's editor goes through all of them each time that it is asked what is
 * under the cursor. */
static const char *write_text(void)
{
    const char *path = driver_file(TEXT_NAME);
    FILE *file = fopen(path, "wb");
    long written = 0;
    for (unsigned line = 1; file && !ferror(file) && written < TEXT_BYTES; line++)
        written += fprintf(file, "%06u\r\n", line);
    if (!file || fclose(file) != 0)
        driver_fail("%s cannot be written", path);
    return path;
}

static const char *wordpad_path(void)
{
    static char path[DRIVER_PATH_BYTES];
    const char *prefix = getenv("WINEPREFIX");
    snprintf(path, sizeof path, "%s/drive_c/Program Files/Windows NT/Accessories/wordpad.exe",
             prefix ? prefix : "");
    if (access(path, R_OK) != 0)
        driver_fail("there is no %s", path);
    return path;
}

/* Waits until it uses little CPU: it has loaded, wrapped and painted. */
static void wait_rest(const struct wordpad *wordpad)
{
    uint64_t until_ns = um_clock_now_ns() + LOADED_MS * UM_CLOCK_NS_PER_MS;
    double used_s;
    do {
        if (um_clock_now_ns() > until_ns)
            driver_fail("Wordpad does not come to rest");
        used_s = driver_cpu_s(wordpad->program.pid);
        driver_sleep_ms(REST_MS);
    } while (driver_cpu_s(wordpad->program.pid) - used_s > REST_S);
}

/* Waits for the window, and puts the cursor into its middle, over the text. */
static void wait_window(struct wordpad *wordpad)
{
    uint64_t until_ns = um_clock_now_ns() + LOADED_MS * UM_CLOCK_NS_PER_MS;
    char x_text[16], y_text[16];
    int x, y, width, height;
    while (sscanf(driver_output("probe_win32", "find", TEXT_NAME, NULL),
                  "%23s %" SCNu32 " %*u %d %d %d %d", wordpad->hwnd, &wordpad->pid, &x, &y, &width,
                  &height) != 6) {
        if (um_clock_now_ns() > until_ns)
            driver_fail("Wordpad has no window");
        driver_sleep_ms(100);
    }
    snprintf(x_text, sizeof x_text, "%d", x + width / 2);
    snprintf(y_text, sizeof y_text, "%d", y + height / 2);
    driver_output("probe_win32", "cursor", x_text, y_text, NULL);
}

static void start_wordpad(struct wordpad *wordpad)
{
    driver_start(&wordpad->program, false, wordpad_path(), driver_windows_path(write_text()), NULL);
    wait_window(wordpad);
    wait_rest(wordpad);
    driver_output("probe_win32", "front", wordpad->hwnd, NULL);
    driver_output("probe_win32", "chord", CTRL_END, NULL);
    wait_rest(wordpad);
}

/* What it uses in some seconds. Units: percent of a core. */
static double measure_load(const struct wordpad *wordpad)
{
    uint64_t begin_ns = um_clock_now_ns();
    double used_s = driver_cpu_s(wordpad->program.pid);
    driver_sleep_ms(1000 * SECONDS);
    used_s = driver_cpu_s(wordpad->program.pid) - used_s;
    return used_s * 1e11 / (double)(um_clock_now_ns() - begin_ns);
}

struct rounds {
    struct series alone;
    struct series watched;
    struct series more;
    double freezes;      /* in all rounds */
    char own_beats[120]; /* of the last summary, as it stands there; "": it says nothing of them */
};

static void measure_round(const struct wordpad *wordpad, struct rounds *rounds)
{
    struct monitor monitor;

    double alone = measure_load(wordpad);
    driver_watch(&monitor, wordpad->pid, "--headless", NULL);
    double watched = measure_load(wordpad);
    cJSON *summary = driver_finish(&monitor, true);
    char *own = cJSON_PrintUnformatted(cJSON_GetObjectItem(summary, "own_beats"));
    snprintf(rounds->own_beats, sizeof rounds->own_beats, "%s", own ? own : "");
    series_add(&rounds->alone, alone);
    series_add(&rounds->watched, watched);
    series_add(&rounds->more, watched - alone);
    rounds->freezes += driver_number(summary, "freezes.count");
    cJSON_free(own);
    cJSON_Delete(summary);
    wait_rest(wordpad);
}

static void report(const struct rounds *rounds)
{
    struct row row = row_of_series("wordpad_alone", "CPU of a resting Wordpad with 5 MB, alone",
                                   "% core", &rounds->alone);
    driver_row(&row);
    row = row_of_series("wordpad_watched", "  the same, watched", "% core", &rounds->watched);
    driver_row(&row);
    row = row_of_series("wordpad_more", "  how much more that is", "% core", &rounds->more);
    row_budget(&row, ROW_AT_MOST, MOST_MORE, NAN, "<= 3");
    driver_row(&row);
    row = row_of_number("wordpad_freezes", "  freezes of a resting Wordpad, in 40 s", "",
                        rounds->freezes, ROUNDS);
    row_budget(&row, ROW_AT_MOST, 0, NAN, "none");
    if (rounds->own_beats[0])
        row_note(&row, "own_beats of the last round: %s", rounds->own_beats);
    driver_row(&row);
}

void measure_wordpad(void)
{
    static struct rounds rounds;
    struct wordpad wordpad;

    start_wordpad(&wordpad);
    for (int i = 0; i < ROUNDS; i++)
        measure_round(&wordpad, &rounds);
    report(&rounds);
    driver_kill(&wordpad.program);
}
