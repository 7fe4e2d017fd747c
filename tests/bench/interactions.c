/* Key presses, clicks and wheel steps against two truths: what the demo's typing area logs of each
 * (demo/log.h, `act`), and the times around each SendInput of the program that made the input. */
#include "tests/bench/measures.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/driver.h"

#define MEDIAN_MS 1.0
#define STRAY_MS 3.0       /* further off, or not observed: */
#define STRAYS_PERCENT 0.5 /* so many at most */
#define DELIVERY_MS 3.0    /* after SendInput has returned the sink wakes up */
#define ALIKE_MS 5.0       /* two halves of a click of which either may be told */
#define MANY_KEYS 800
#define MAX_INPUTS 1024

#define DEMO "--still", "--pos", "60,60,900,560"
#define TYPING_XY "300", "440"

/* What was measured, from the feed; 0: not observed. Units: ns. */
struct seen {
    uint64_t arrival, dequeued, handled, painted;
    bool release;
};

/* What was sent, from the program that did. Units: ns. */
struct sent {
    uint64_t before, after;
};

struct part {
    struct series off; /* Units: ms */
    unsigned strays;
};

struct errors {
    struct part delay, processing, presentation;
    unsigned wrong_halves;
};

static struct seen seen[MAX_INPUTS];
static struct sent sent[MAX_INPUTS];
static size_t seen_count, sent_count;

static double ms(uint64_t from_ns, uint64_t to_ns)
{
    return ((double)to_ns - (double)from_ns) / 1e6;
}

static void read_seen(const struct program *feed)
{
    char *text = driver_read(feed->out);
    seen_count = 0;
    for (char *line = strtok(text, "\n"); line && seen_count < MAX_INPUTS;
         line = strtok(NULL, "\n")) {
        struct seen *at = &seen[seen_count];
        if (strncmp(line, "interaction ", 12) != 0)
            continue;
        *at = (struct seen){.arrival = driver_number_after(line, " arrival "),
                            .dequeued = driver_number_after(line, " dequeued "),
                            .handled = driver_number_after(line, " handled "),
                            .painted = driver_number_after(line, " painted "),
                            .release = driver_number_after(line, " flags ") & 1};
        seen_count++;
    }
    free(text);
}

static void read_sent(const char *text)
{
    int used;
    for (sent_count = 0; sent_count < MAX_INPUTS; text += used)
        if (sscanf(text, "%*s %" SCNu64 " %" SCNu64 "%n", &sent[sent_count].before,
                   &sent[sent_count].after, &used) != 2)
            break;
        else
            sent_count++;
}

static void judge(struct part *part, double value, double least, double most)
{
    double off = fmax(0, fmax(least - value, value - most));
    series_add(&part->off, off);
    part->strays += off > STRAY_MS;
}

static void judge_one(struct errors *errors, const struct seen *one,
                      const struct um_demo_log_event *act, const struct sent *from)
{
    double processing = ms(act->retrieved_ns, act->handled_ns);
    double presentation = ms(act->handled_ns, act->end_ns);
    if (one->arrival)
        judge(&errors->delay, ms(one->arrival, one->dequeued), ms(from->after, act->retrieved_ns),
              ms(from->before, act->retrieved_ns));
    errors->delay.strays +=
        one->arrival < from->before || ms(from->after, one->arrival) > DELIVERY_MS;
    judge(&errors->processing, ms(one->dequeued, one->handled), processing, processing);
    if (one->painted)
        judge(&errors->presentation, ms(one->handled, one->painted), presentation, presentation);
    errors->presentation.strays += one->painted == 0;
}

static size_t nearest(const struct um_demo_log_event *acts, size_t count, uint64_t dequeued)
{
    size_t found = 0;
    for (size_t i = 1; i < count; i++)
        if (fabs(ms(acts[i].retrieved_ns, dequeued)) < fabs(ms(acts[found].retrieved_ns, dequeued)))
            found = i;
    return found;
}

/* Whether of a click the half was told that was over earlier. */
static bool is_wrong_half(const struct um_demo_log_event *acts, size_t told)
{
    size_t press = told & ~(size_t)1;
    double more = ms(sent[press + 1].before, acts[press + 1].end_ns) -
                  ms(sent[press].before, acts[press].end_ns);
    return fabs(more) >= ALIKE_MS && (told != press) != (more > 0);
}

static void judge_all(struct errors *errors, const struct um_demo_log_event *acts, bool halves)
{
    for (size_t i = 0; i < seen_count; i++) {
        size_t told = nearest(acts, sent_count, seen[i].dequeued);
        judge_one(errors, &seen[i], &acts[told], &sent[told]);
        errors->wrong_halves +=
            halves && (is_wrong_half(acts, told) || seen[i].release != told % 2);
    }
}

static void report_part(const char *kind, const char *part, const char *what,
                        const struct part *errors)
{
    char id[40];
    snprintf(id, sizeof id, "%s_%s", kind, part);
    struct row row = row_of_series(id, what, "ms", &errors->off);
    row_budget(&row, ROW_AT_MOST, MEDIAN_MS, NAN, "median 1 ms");
    driver_row(&row);
}

static void report_none(const char *kind, const char *part, const char *what, double value,
                        unsigned n)
{
    char id[40];
    snprintf(id, sizeof id, "%s_%s", kind, part);
    struct row row = row_of_number(id, what, "", value, n);
    row_budget(&row, ROW_AT_MOST, 0, NAN, "none");
    driver_row(&row);
}

static void report(const char *kind, const char *what, const struct errors *errors, bool halves)
{
    char id[40], label[80];
    size_t expected = halves ? sent_count / 2 : sent_count;

    snprintf(label, sizeof label, "%s: too few or too many", what);
    report_none(kind, "miscounted", label, fabs((double)seen_count - (double)expected),
                (unsigned)expected);
    report_part(kind, "delay", "  their input delay: error", &errors->delay);
    report_part(kind, "processing", "  their processing: error", &errors->processing);
    report_part(kind, "presentation", "  their presentation: error", &errors->presentation);
    snprintf(id, sizeof id, "%s_strays", kind);
    double strays =
        fmax(errors->delay.strays, fmax(errors->processing.strays, errors->presentation.strays));
    struct row row =
        row_of_number(id, "  off by more than 3 ms, or not observed", "%",
                      100.0 * strays / fmax(1, (double)seen_count), (unsigned)seen_count);
    row_budget(&row, ROW_AT_MOST, STRAYS_PERCENT, NAN, "<= 0.5 %");
    row_note(&row, "of the part that has most: %u delays, %u processings, %u presentations",
             errors->delay.strays, errors->processing.strays, errors->presentation.strays);
    driver_row(&row);
    if (halves)
        report_none(kind, "halves", "  told by the half that was not the worse one",
                    errors->wrong_halves, (unsigned)seen_count);
}

struct scene {
    struct target target;
    struct monitor monitor;
    struct program feed;
};

static void begin(struct scene *scene)
{
    driver_watch(&scene->monitor, scene->target.pid, "--headless", "--interactions", NULL);
    driver_listen(&scene->feed, &scene->monitor.program, "state ");
}

static void finish(struct scene *scene, const char *said, const char *kind, const char *what,
                   bool halves)
{
    static struct errors errors;
    struct um_demo_log_event *acts;

    read_sent(said);
    driver_sleep_ms(500); /* for the last painting to be reported */
    cJSON_Delete(driver_finish(&scene->monitor, true));
    driver_wait_end(&scene->feed, DRIVER_LIMIT_MS);
    read_seen(&scene->feed);
    size_t count = driver_events(scene->target.log, UM_DEMO_LOG_ACT, 1, &acts);
    if (count != sent_count)
        driver_fail("%zu of %zu inputs reached the demo", count, sent_count);
    errors = (struct errors){0};
    judge_all(&errors, acts, halves);
    report(kind, what, &errors, halves);
    free(acts);
    driver_kill(&scene->target.program);
}

static void measure_keys(void)
{
    struct scene scene;
    driver_start_logged(&scene.target, "uimon-demo", DEMO, "--down-cost", "0,3", "--key-cost",
                        "5,20,50", "--paint-cost", "2,9,30,1", NULL);
    begin(&scene);
    finish(&scene,
           driver_output("probe_win32", "keys", scene.target.hwnd,
                         "the quick brown fox jumps over the lazy dog and runs away", "6,9", NULL),
           "keys", "keys of varied costs", false);
}

static void measure_wheel(void)
{
    struct scene scene;
    driver_start_logged(&scene.target, "uimon-demo", DEMO, "--wheel-cost", "4,25,60",
                        "--paint-cost", "3,12", NULL);
    begin(&scene);
    finish(&scene, driver_output("probe_win32", "wheels", TYPING_XY, "30", "7", NULL), "wheel",
           "wheel steps of varied costs", false);
}

static void measure_clicks(void)
{
    struct scene scene;
    driver_start_logged(&scene.target, "uimon-demo", DEMO, "--click-cost", "5,60,10",
                        "--release-cost", "40,2,15", "--paint-cost", "3", NULL);
    begin(&scene);
    finish(&scene, driver_output("probe_win32", "clicks", TYPING_XY, "30", "4", "30", NULL),
           "clicks", "clicks of varied costs", true);
}

/* Costs that add up to less than the time there is, in bursts that make keys wait for keys. */
static void measure_many_keys(void)
{
    static char text[MANY_KEYS + 1];
    struct scene scene;

    for (size_t i = 0; i < MANY_KEYS; i++)
        text[i] = "abcdefghij klmnopqrstuvwxyz"[i % 27];
    driver_start_logged(&scene.target, "uimon-demo", DEMO, "--key-cost", "0,2,30,1,8",
                        "--paint-cost", "1,4,0", NULL);
    begin(&scene);
    finish(&scene,
           driver_output("probe_win32", "keys", scene.target.hwnd, text,
                         "12,25,50,50,50,50,50,50,50,50,50,50,50,50,50,50", NULL),
           "many_keys", "800 keys in bursts", false);
}

void measure_interactions(void)
{
    measure_keys();
    measure_wheel();
    measure_clicks();
    measure_many_keys();
}
