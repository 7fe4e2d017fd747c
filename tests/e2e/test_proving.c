/* Sessions for proving: that each key is delayed by the time that the session was opened with, and
 * that no other session delays any.
 *
 * The truth has nothing of uimon in it: when SendInput began, from the program that typed, and when
 * the program's own GetMessage returned the key, from the demo's log. Between the two lies the
 * delay, because GetMessage returns after the hook. The machine can only make this longer. So each
 * key of a session for proving must have taken at least the delay, to the nanosecond. How much
 * longer it took is judged by the median, and by TOLERANCE_MS: what the tests of interactions allow
 * the median of a part (tests/e2e/test_interactions.c), an eighth of the delay. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/e2e/harness.h"

TestSuite(proving, .fini = conclude);

#define DELAY_US 8000
#define DELAY_MS 8.0
#define TOLERANCE_MS 1.0
#define TEXT "each key takes so much longer"
#define KEYS 29
#define RUNS_MS 240000 /* for several runs; only a hang gets there */

/* What was found of the keys of one session. Units: ms. */
struct found {
    double taken[KEYS]; /* from SendInput's begin to the return of the demo's GetMessage */
    double least_taken;
    double taken_median;
    double added[KEYS]; /* uimon's processing less the demo's own */
    double added_median;
};

static double ms(uint64_t from_ns, uint64_t to_ns)
{
    return ((double)to_ns - (double)from_ns) / 1e6;
}

/* uimon's processing of the n-th key of the feed. Units: ms. */
static double processing_ms(const char *feed, size_t n)
{
    const char *line = feed;
    for (size_t i = 0; i <= n; i++) {
        line = strstr(i ? line + 1 : line, "interaction key");
        cr_assert(line, "%zu of %d keys are in the feed", i, KEYS);
    }
    return ms(line_number(line, "dequeued"), line_number(line, "handled"));
}

/* Types into the demo while a session measures. `before` is how many keys it has had. */
static void type_keys(const struct target *target, const struct program *feed, size_t before,
                      struct found *found)
{
    struct um_demo_log_event *acts;
    char sent[KEYS * 64];

    snprintf(sent, sizeof sent, "%s", probe("keys", hwnd_text(target->hwnd), TEXT, "12", NULL));
    sleep_ms(500); /* for the last painting to be reported */
    char *text = read_text(feed->out);
    cr_assert(log_events(target->log, UM_DEMO_LOG_ACT, &acts) == before + KEYS);
    const char *at = sent;
    for (size_t i = 0; i < KEYS; i++) {
        const struct um_demo_log_event *act = &acts[before + i];
        found->taken[i] = ms(line_number(at, "key"), act->retrieved_ns);
        found->added[i] = processing_ms(text, i) - ms(act->retrieved_ns, act->handled_ns);
        at = strchr(at, '\n') + 1;
    }
    found->taken_median = median(found->taken, KEYS);
    found->least_taken = found->taken[0];
    found->added_median = median(found->added, KEYS);
    cr_log_info("taken: least %.3f, median %.3f ms; added: median %.3f ms", found->least_taken,
                found->taken_median, found->added_median);
    free(acts);
    free(text);
}

/* The program as an ordinary session measures it, while somebody posts what would open a session
 * for proving. */
static void ordinary_session(const struct target *target, size_t before, struct found *found)
{
    struct monitor monitor;
    struct program feed;

    start_monitor(&monitor, target, "--interactions", NULL);
    start(&feed, "probe_win32", "tail-feed", monitor.feed, NULL);
    wait_line(feed.out, "state ");
    probe("open", hwnd_text(target->hwnd), decimal(target->pid), decimal(DELAY_US), NULL);
    type_keys(target, &feed, before, found);
    cJSON *summary = stop_monitor(&monitor);
    cr_expect(wait_end(&feed, LIMIT_MS) == 0);
    cr_expect(!has_number(summary, "key_delay_us"));
    cr_expect(!has_line(feed.out, "proving"), "the feed of an ordinary session tells of a delay");
    cJSON_Delete(summary);
}

/* Starts tests/win/prover_win32 beside uimon's DLL, in a folder of this test's own. */
static void start_prover(struct program *started, const char *command, const char *what,
                         const char *path)
{
    char folder[PATH_BYTES], copy[2 * PATH_BYTES];
    snprintf(folder, sizeof folder, "%s", test_folder("prover"));
    snprintf(copy, sizeof copy, "%s/uimon-hook64.dll", folder);
    copy_file(dist_file("uimon-hook64.dll"), copy);
    snprintf(copy, sizeof copy, "%s/prover_win32.exe", folder);
    copy_file(test_program("prover_win32"), copy);
    start(started, windows_path(copy), command, what, decimal(DELAY_US), windows_path(path), NULL);
}

static void feed_name(const struct program *program, char name[128])
{
    static const char label[] = "feed: ";
    const char *line = strstr(wait_line(program->out, label), label);
    snprintf(name, 128, "%s", line + strlen(label));
    name[strcspn(name, "\r\n")] = '\0';
}

/* The report of the session's recording says that it was one for proving. */
static void expect_recorded(const char *recording)
{
    const char *out;
    cr_assert(run(&out, NULL, "uimon", "report", windows_path(recording), NULL) == 0);
    cr_expect(strstr(out, "PROVING: each key was delayed by 8000 µs on purpose."), "%s", out);
}

/* The program as a session for proving measures it, while somebody posts what would open one with
 * another delay. */
static void proving_session(const struct target *target, size_t before, struct found *found)
{
    struct program program, feed;
    char name[128], recording[PATH_BYTES];

    snprintf(recording, sizeof recording, "%s", test_file("proving.uirec"));
    start_prover(&program, "watch", decimal(target->pid), recording);
    feed_name(&program, name);
    wait_line(program.out, "proving: each key is delayed by 8000 µs");
    start(&feed, "probe_win32", "tail-feed", name, NULL);
    wait_line(feed.out, "state ");
    probe("open", hwnd_text(target->hwnd), decimal(target->pid), decimal(2 * DELAY_US), NULL);
    type_keys(target, &feed, before, found);
    interrupt(&program);
    cr_assert(wait_end(&program, LIMIT_MS) == 0, "%s", read_text(program.err));
    cr_expect(wait_end(&feed, LIMIT_MS) == 0);
    cr_expect(has_line(feed.out, "proving 8000"), "the feed does not tell of the delay");
    cr_expect(has_line(program.out, "delay 8000"), "the summary does not tell of the delay");
    expect_recorded(recording);
}

/* Three sessions with one program, in which the DLL stays between them. */
Test(proving, delays_each_key_of_its_own_session_and_of_no_other)
{
    struct target target;
    struct found first, proving, last;

    start_target(&target, NULL, "--still", "--pos", "60,60,900,560", "--typing", "plain", NULL);
    ordinary_session(&target, 0, &first);
    proving_session(&target, KEYS, &proving);
    ordinary_session(&target, 2 * (size_t)KEYS, &last);

    cr_expect(proving.least_taken >= DELAY_MS, "a key took only %.4f ms", proving.least_taken);
    double longer_ms = proving.taken_median - first.taken_median;
    cr_expect(longer_ms >= DELAY_MS - TOLERANCE_MS && longer_ms <= DELAY_MS + TOLERANCE_MS,
              "the median key took %.3f ms longer", longer_ms);
    double added_ms = proving.added_median - first.added_median;
    cr_expect(added_ms >= DELAY_MS - TOLERANCE_MS && added_ms <= DELAY_MS + TOLERANCE_MS,
              "the median processing was measured %.3f ms longer", added_ms);
    cr_expect(first.taken_median < DELAY_MS / 2 && first.added_median < TOLERANCE_MS);
    cr_expect(last.taken_median < DELAY_MS / 2 && last.added_median < TOLERANCE_MS);
}

static void write_scenario(const struct target *target, const char *path)
{
    FILE *file = fopen(path, "wb");
    cr_assert(file);
    fprintf(file,
            "attach %u\nwait-idle 300\nmark \"change it\"\n"
            "measure typing {\n  type \"%s\" rate 20/s\n}\n",
            target->pid, TEXT);
    fclose(file);
}

/* The processing of all keys of a run, added to `values`. */
static void add_processing(const cJSON *one_run, double *values, size_t *count)
{
    const cJSON *one;
    const cJSON *measure = cJSON_GetArrayItem(cJSON_GetObjectItem(one_run, "measures"), 0);
    cJSON_ArrayForEach(one, cJSON_GetObjectItem(measure, "interactions"))
    {
        cr_assert(*count < 3 * KEYS, "more keys than were typed");
        values[(*count)++] = number(one, "processing_ms");
    }
}

/* Runs in turn without and with the delay, as the comparison of a sitting has them. */
Test(proving, a_benchmark_delays_the_runs_that_it_is_told_to)
{
    struct target target;
    struct program program;
    double values[2][3 * KEYS];
    size_t counts[2] = {0};
    char path[PATH_BYTES], scenario[PATH_BYTES];

    snprintf(path, sizeof path, "%s", test_file("proving.json"));
    snprintf(scenario, sizeof scenario, "%s", test_file("proving.uimon"));
    start_target(&target, NULL, "--still", "--pos", "60,60,900,560", "--typing", "plain", NULL);
    write_scenario(&target, scenario);
    start_prover(&program, "bench", windows_path(scenario), path);
    int code = wait_end(&program, RUNS_MS);
    cr_assert(code == 0, "%d: %s", code, read_text(program.err));
    cr_expect(has_line(program.out, "changed 0"), "a run's delay could be changed in it");
    cJSON *root = read_json(path);
    const cJSON *runs = cJSON_GetObjectItem(root, "runs");
    cr_assert_eq(cJSON_GetArraySize(runs), 6);
    for (int i = 0; i < 6; i++) {
        const cJSON *one_run = cJSON_GetArrayItem(runs, i);
        int delayed = i % 2;
        cr_expect_eq(has_number(one_run, "key_delay_us"), delayed);
        cr_expect(!delayed || (int)number(one_run, "key_delay_us") == DELAY_US);
        add_processing(one_run, values[delayed], &counts[delayed]);
    }
    cr_assert(counts[0] == 3 * KEYS && counts[1] == 3 * KEYS, "%zu and %zu keys", counts[0],
              counts[1]);
    double without_ms = median(values[0], counts[0]);
    double with_ms = median(values[1], counts[1]);
    cr_log_info("processing: median %.3f ms without, %.3f with the delay", without_ms, with_ms);
    cr_expect(values[1][0] >= DELAY_MS, "a key was processed in %.4f ms", values[1][0]);
    cr_expect(with_ms - without_ms >= DELAY_MS - TOLERANCE_MS &&
              with_ms - without_ms <= DELAY_MS + TOLERANCE_MS);
    cJSON_Delete(root);
}
