/* What a marker of the program's own costs its thread: while nobody watches, and while uimon
 * does. */
#include "tests/bench/measures.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "tests/bench/driver.h"

#define TURNS 20
#define ALONE 10000000
#define WATCHED 2000 /* at once: they fit into the ring, so each is sent */
#define READS 100000
#define LIMIT_MS 20000 /* until it is watched */

/* Units: ns for one marker. */
static double make(struct program *target, unsigned count, int *watched)
{
    uint64_t took_ns;
    driver_say(target, "marks %u", count);
    if (sscanf(driver_hear(target), "%" SCNu64 " %d", &took_ns, watched) != 2)
        driver_fail("the target did not say how long its markers took");
    return (double)took_ns / count;
}

static double read_counter(struct program *target)
{
    uint64_t took_ns;
    driver_say(target, "counter %d", READS);
    if (sscanf(driver_hear(target), "%" SCNu64, &took_ns) != 1)
        driver_fail("the target did not say how long reading took");
    return (double)took_ns / READS;
}

void measure_marks(void)
{
    static struct series alone_ns, watched_ns, read_ns;
    struct program target;
    struct monitor monitor;
    int watched = 0;
    uint32_t pid = driver_start_target(&target);
    driver_sleep_ms(1000);
    for (int i = 0; i < TURNS / 4; i++)
        series_add(&alone_ns, make(&target, ALONE, &watched));
    driver_watch(&monitor, pid, "--headless", "--idle-pause", "0", NULL);
    for (int waited = 0; !watched; waited += 100) {
        if (waited > LIMIT_MS)
            driver_fail("the target's markers are not watched");
        driver_sleep_ms(100);
        (void)make(&target, 1, &watched);
    }
    for (int i = 0; i < TURNS; i++) {
        driver_sleep_ms(100); /* until the ring is empty */
        series_add(&watched_ns, make(&target, WATCHED, &watched));
        series_add(&read_ns, read_counter(&target));
    }
    cJSON_Delete(driver_finish(&monitor, true));
    driver_say(&target, "quit");
    driver_wait_end(&target, DRIVER_LIMIT_MS);

    struct row row =
        row_of_series("marks_alone", "a marker of the program's own, not watched", "ns", &alone_ns);
    row_budget(&row, ROW_AT_MOST, 2, NAN, "<= 2");
    row_note(&row, "one load and one branch, and the loop around them");
    driver_row(&row);
    row = row_of_series("marks_watched", "the same with two fields, watched", "ns", &watched_ns);
    row_note(&row, "a read of the performance counter takes %.1f ns here", series_median(&read_ns));
    driver_row(&row);
}
