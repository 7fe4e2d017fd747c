/* Key presses, clicks and wheel steps against two truths: what the demo's typing area logs of each
 * (demo/log.h, `act`), and the times around each SendInput of the program that made the input. The
 * gate asks what was counted, and for times to within COARSE_MS; medians and strays are only asked
 * of what is marked as measured. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/e2e/harness.h"

#define MAX_INPUTS 4096

/* Where the demo stands, and a point in its typing area. */
#define DEMO_POS "60,60,900,560"
#define TYPING_XY "300", "440"
#define OTHER_POS "1000,60,600,400"

/* What was measured, from the feed. */
struct seen {
    uint64_t arrival_ns;
    uint64_t dequeued_ns;
    uint64_t handled_ns;
    uint64_t painted_ns;
    uint32_t freeze;
    uint32_t key;
    bool release;
    char kind[16];
};

/* What was sent, from the program that did. */
struct sent {
    uint64_t before_ns;
    uint64_t after_ns;
    char kind[16];
};

static struct seen seen[MAX_INPUTS];
static struct sent sent[MAX_INPUTS];
static size_t seen_count;
static size_t sent_count;

struct scene {
    struct target target;
    struct monitor monitor;
    struct program feed;
    char csv[PATH_BYTES];
};

static double ms(uint64_t from_ns, uint64_t to_ns)
{
    return ((double)to_ns - (double)from_ns) / 1e6;
}

static const char *hwnd_of(const struct target *target)
{
    static char hwnd[32];
    snprintf(hwnd, sizeof hwnd, "0x%llx", (unsigned long long)target->hwnd);
    return hwnd;
}

/* Measures a demo that was started, with one more option (or NULL). */
static void watch(struct scene *scene, const char *option)
{
    snprintf(scene->csv, PATH_BYTES, "%s", test_file("rows.csv"));
    start_monitor(&scene->monitor, &scene->target, "--csv", windows_path(scene->csv), option, NULL);
    start(&scene->feed, "probe_win32", "tail-feed", scene->monitor.feed, NULL);
    wait_line(scene->feed.out, "state ");
}

static int by_dequeued(const void *a, const void *b)
{
    const struct seen *left = a;
    const struct seen *right = b;
    return (left->dequeued_ns > right->dequeued_ns) - (left->dequeued_ns < right->dequeued_ns);
}

static void read_seen(const struct program *feed)
{
    char *text = read_text(feed->out);
    seen_count = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        if (strncmp(line, "interaction ", 12) != 0)
            continue;
        cr_assert_lt(seen_count, MAX_INPUTS, "more was measured than was ever sent");
        struct seen *at = &seen[seen_count++];
        sscanf(line, "interaction %15s", at->kind);
        at->arrival_ns = line_number(line, "arrival");
        at->dequeued_ns = line_number(line, "dequeued");
        at->handled_ns = line_number(line, "handled");
        at->painted_ns = line_number(line, "painted");
        at->freeze = (uint32_t)line_number(line, "freeze");
        at->key = (uint32_t)line_number(line, "key");
        at->release = line_number(line, "flags") & 1;
    }
    free(text);
    qsort(seen, seen_count, sizeof seen[0], by_dequeued);
}

/* Adds what a subcommand of the probe says that it sent. */
static void add_sent(const char *text)
{
    char kind[16];
    unsigned long long before, after;
    int used;
    while (sscanf(text, "%15s %llu %llu%n", kind, &before, &after, &used) == 3) {
        cr_assert_lt(sent_count, MAX_INPUTS);
        sent[sent_count].before_ns = before;
        sent[sent_count].after_ns = after;
        snprintf(sent[sent_count++].kind, sizeof kind, "%s", kind);
        text += used;
    }
}

static size_t count_told(const struct program *feed)
{
    char *text = read_text(feed->out);
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, "\ninteraction ")); at++)
        count++;
    free(text);
    return count;
}

/* Ends the measuring once there is so much of it, and reads what came of it. */
static cJSON *finish(struct scene *scene, size_t count)
{
    WAIT_UNTIL(count_told(&scene->feed) >= count, "%zu interactions of %zu are told",
               count_told(&scene->feed), count);
    sleep_ms(500); /* for more than should come, and for the last painting */
    cJSON *summary = stop_monitor(&scene->monitor);
    cr_expect_eq(wait_end(&scene->feed, LIMIT_MS), 0);
    read_seen(&scene->feed);
    return summary;
}

/* One measured interaction beside its two truths, as the gate asks for it. What came late for the
 * machine may have no arrival or painting. */
static void check_one(const struct seen *one, const struct um_demo_log_event *act,
                      const struct sent *from)
{
    double processing_ms = ms(one->dequeued_ns, one->handled_ns);
    double off_ms = processing_ms - ms(act->retrieved_ns, act->handled_ns);

    cr_expect(one->arrival_ns == 0 || one->arrival_ns >= from->before_ns,
              "arrived %.3f ms before SendInput began", ms(one->arrival_ns, from->before_ns));
    cr_expect_leq(one->dequeued_ns, act->retrieved_ns, "dequeued %.3f ms after the demo did it",
                  ms(act->retrieved_ns, one->dequeued_ns));
    cr_expect_leq(fabs(off_ms), COARSE_MS, "the processing is %.3f ms off", off_ms);
    if (!one->painted_ns)
        return;
    off_ms = ms(one->handled_ns, one->painted_ns) - ms(act->handled_ns, act->end_ns);
    cr_expect_leq(fabs(off_ms), COARSE_MS, "the presentation is %.3f ms off", off_ms);
}

/* What the demo did, which it may write down later than uimon tells of it. There is no more than
 * was sent. Owner: free. */
static struct um_demo_log_event *wait_acts(const struct scene *scene, size_t count)
{
    struct um_demo_log_event *acts = NULL;
    size_t found = 0;
    WAIT_UNTIL((free(acts), found = log_events(scene->target.log, UM_DEMO_LOG_ACT, &acts)) >= count,
               "%zu of %zu reached the demo", found, count);
    cr_assert_eq(found, count, "%zu of %zu reached the demo", found, count);
    return acts;
}

/* Every interaction was counted once, in order, and took as long as the log says. */
static void check_acts(const struct scene *scene, const char *kind)
{
    size_t count = sent_count, arrivals = 0, paintings = 0;
    struct um_demo_log_event *acts = wait_acts(scene, count);

    cr_assert_eq(seen_count, count, "%zu measured of %zu", seen_count, count);
    for (size_t i = 0; i < count; i++) {
        cr_expect_str_eq(seen[i].kind, kind, "a %s is a %s", kind, seen[i].kind);
        check_one(&seen[i], &acts[i], &sent[i]);
        arrivals += seen[i].arrival_ns > 0;
        paintings += seen[i].painted_ns > 0;
    }
    cr_expect(arrivals > 0 && paintings > 0, "%zu arrivals and %zu paintings", arrivals, paintings);
    free(acts);
}

/* Each took as long as it was told to, at least. */
static void expect_costs(const double *costs_ms, size_t count)
{
    const double slack_ms = 0.1; /* uimon and the demo read the clock one after the other */
    for (size_t i = 0; i < seen_count; i++) {
        double processing_ms = ms(seen[i].dequeued_ns, seen[i].handled_ns);
        cr_expect_geq(processing_ms, costs_ms[i % count] - slack_ms, "%zu: %.3f ms", i,
                      processing_ms);
    }
}

Test(interactions, keys_of_varied_costs)
{
    static const double costs_ms[] = {5, 23, 50, 8, 20, 53};
    struct scene scene;
    start_target(&scene.target, NULL, "--still", "--pos", DEMO_POS, "--down-cost", "0,3",
                 "--key-cost", "5,20,50", "--paint-cost", "2,9,30,1", NULL);
    watch(&scene, "--interactions");
    add_sent(probe("keys", hwnd_of(&scene.target), "the quick brown fox", "9,15", NULL));
    cJSON_Delete(finish(&scene, sent_count));
    check_acts(&scene, "key");
    expect_costs(costs_ms, 6);
}

Test(interactions, wheel_steps_of_varied_costs)
{
    static const double costs_ms[] = {4, 25, 60};
    struct scene scene;
    start_target(&scene.target, NULL, "--still", "--pos", DEMO_POS, "--wheel-cost", "4,25,60",
                 "--paint-cost", "3,12", NULL);
    watch(&scene, "--interactions");
    add_sent(probe("wheels", TYPING_XY, "12", "9", NULL));
    cJSON_Delete(finish(&scene, sent_count));
    check_acts(&scene, "wheel");
    expect_costs(costs_ms, 3);
}

/* By how much the release of a click was worse than its press: the lesser of what it took longer in
 * the demo and of what it took longer from SendInput on, 0 where these two disagree. */
static double worse_by_ms(const struct um_demo_log_event *press, const struct sent *from)
{
    const struct um_demo_log_event *release = press + 1;
    double handled_ms =
        ms(release->retrieved_ns, release->handled_ns) - ms(press->retrieved_ns, press->handled_ns);
    double painted_ms =
        ms(from[1].before_ns, release->end_ns) - ms(from[0].before_ns, press->end_ns);

    if ((handled_ms > 0) != (painted_ms > 0))
        return 0;
    return fabs(handled_ms) < fabs(painted_ms) ? handled_ms : painted_ms;
}

/* A click is measured at its press and at its release, and the worse one is told. The button is
 * held for longer than a half takes. Halves that the machine has made alike are not judged. */
Test(interactions, clicks_by_their_worse_half)
{
    enum { CLICKS = 6 };
    struct scene scene;
    size_t presses = 0, releases = 0;

    start_target(&scene.target, NULL, "--still", "--pos", DEMO_POS, "--click-cost", "5,480",
                 "--release-cost", "480,5", "--paint-cost", "3", NULL);
    watch(&scene, "--interactions");
    add_sent(probe("clicks", TYPING_XY, decimal(CLICKS), "1", "500", NULL));
    cJSON_Delete(finish(&scene, CLICKS));
    cr_assert_eq(sent_count, 2 * CLICKS);
    struct um_demo_log_event *acts = wait_acts(&scene, sent_count);
    cr_assert_eq(seen_count, CLICKS, "%zu clicks measured of %d", seen_count, CLICKS);
    for (size_t i = 0; i < seen_count; i++) {
        size_t half = 2 * i + seen[i].release;
        double by_ms = worse_by_ms(&acts[2 * i], &sent[2 * i]);
        cr_expect_str_eq(seen[i].kind, "click");
        if (fabs(by_ms) > COARSE_MS) {
            cr_expect_eq(seen[i].release, by_ms > 0, "click %zu is told by its better half", i);
            presses += by_ms < 0;
            releases += by_ms > 0;
        }
        check_one(&seen[i], &acts[half], &sent[half]);
    }
    cr_expect(presses > 0 && releases > 0, "%zu and %zu judged", presses, releases);
    free(acts);
}

/* The number of the episode in the feed in which the freeze's end lies. */
static uint64_t freeze_id(const struct scene *scene, const struct um_demo_log_event *freeze)
{
    uint64_t id = 0;
    char *text = read_text(scene->feed.out);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        if (strncmp(line, "episode end frozen", 18) == 0 &&
            line_number(line, "start") < freeze->end_ns &&
            line_number(line, "end") > freeze->begin_ns)
            id = line_number(line, "id");
    free(text);
    cr_assert_gt(id, 0, "the feed has no such freeze");
    return id;
}

/* The thread is stopped in the freeze, so that it lasts until everything has been typed. That is
 * typed slowly: however busy the machine is, uimon hears of some of it in time. */
Test(interactions, keys_in_a_freeze_are_attributed_to_it)
{
    struct scene scene;
    struct um_demo_log_event *freeze;

    start_target(&scene.target, NULL, "--still", "--pos", DEMO_POS, "--typing", "plain", NULL);
    watch(&scene, "--interactions");
    add_sent(probe("keys", hwnd_of(&scene.target), "before", "10", NULL));
    wait_lines(scene.target.log, " WM_KEYUP ", strlen("before"));
    hold(&scene.target, "5000");
    wait_line(scene.feed.out, "state frozen");
    add_sent(probe("keys", hwnd_of(&scene.target), "meanwhile", "4", NULL));
    let_go(&scene.target);
    free(wait_freezes(&scene.target, 1));
    add_sent(probe("keys", hwnd_of(&scene.target), "after", "10", NULL));
    cJSON *summary = finish(&scene, sent_count);
    cr_assert_eq(log_events(scene.target.log, UM_DEMO_LOG_FREEZE, &freeze), 1);
    uint64_t id = freeze_id(&scene, freeze);
    size_t inside = 0, arrived = 0;
    const cJSON *found = find_freeze(summary, freeze);
    cr_assert(found, "it is not in the summary");
    cr_expect_float_eq(number(found, "held_up.clicks"), 0, 0);
    cr_expect_geq(number(summary, "freezes.felt"), 1);
    cr_assert_eq(seen_count, sent_count, "%zu measured of %zu", seen_count, sent_count);
    for (size_t i = 0; i < seen_count; i++) {
        bool waited = sent[i].after_ns > freeze->retrieved_ns && sent[i].before_ns < freeze->end_ns;
        /* When a key came is not known if uimon heard of it more than 20 ms late. */
        bool late = waited && seen[i].arrival_ns == 0;
        cr_expect(late || (seen[i].freeze == id) == waited, "key %zu is put to freeze %u", i,
                  seen[i].freeze);
        inside += waited;
        arrived += waited && !late;
    }
    cr_expect_eq(inside, strlen("meanwhile"), "%zu keys came in the freeze", inside);
    cr_expect_gt(arrived, 0, "none of %zu keys came in time", inside);
    cr_expect(number(found, "held_up.keys") >= (double)arrived &&
                  number(found, "held_up.keys") <= (double)inside,
              "%g of %zu keys, %zu in time", number(found, "held_up.keys"), inside, arrived);
    check_acts(&scene, "key");
    cJSON_Delete(summary);
    free(freeze);
}

/* What was told of one of the demo's freezes that are no handling of a key. */
static const cJSON *find_sleep(const cJSON *summary, const struct scene *scene, size_t index)
{
    struct um_demo_log_event *freezes;
    size_t count = log_events(scene->target.log, UM_DEMO_LOG_FREEZE, &freezes), at = 0;
    while (at < count && (strcmp(freezes[at].name, "sleep") != 0 || index-- > 0))
        at++;
    cr_assert_lt(at, count, "the log has no such freeze");
    const cJSON *found = find_freeze(summary, &freezes[at]);
    free(freezes);
    cr_assert(found, "it is not in the summary");
    return found;
}

/* Wine takes keys of the X server from its connection only when the thread looks for them, so they
 * arrive after the freeze, whenever they were pressed. Then nobody knows whether they waited in it,
 * also if uimon knows which freezes they were handled in. */
Test(interactions, keys_that_the_system_delivers_after_a_freeze_leave_it_open_whether_it_was_felt)
{
    static const char before[] = "before", meanwhile[] = "meanwhile";
    struct scene scene;

    start_target(&scene.target, NULL, "--still", "--pos", DEMO_POS, "--key-cost", "5,5,5,5,5,5,300",
                 NULL); /* one of those that wait makes a freeze itself */
    wait_front(&scene.target);
    watch(&scene, "--interactions");
    x_type(before);
    wait_lines(scene.target.log, " WM_KEYUP ", strlen(before));
    hold(&scene.target, "5000");
    wait_line(scene.feed.out, "state frozen");
    x_type(meanwhile);
    let_go(&scene.target);
    cJSON *summary = finish(&scene, strlen(before) + strlen(meanwhile));
    double count = number(summary, "freezes.count"), unknown;
    cr_expect_not(cJSON_HasObjectItem(find_sleep(summary, &scene, 0), "held_up"));
    cr_expect_geq(number(summary, "interactions.key.in_freezes"), 1);
    cr_expect_geq(unknown = number(summary, "freezes.felt_unknown"), 1);
    cr_expect_eq(has_number(summary, "freezes.felt"), unknown < count);
    char *text = read_text(scene.monitor.program.out);
    cr_expect(strstr(text, "not observed of") || strstr(text, "felt: not observed ("), "%s", text);
    free(text);
    cJSON_Delete(summary);
}

/* Keys of a program arrive when it sends them, also under Wine. So it is known that they waited in
 * the first freeze, and that none waited in the second. */
Test(interactions, of_freezes_in_which_keys_arrive_those_are_felt_that_hold_keys_up)
{
    struct scene scene;

    start_target(&scene.target, NULL, "--still", "--pos", DEMO_POS, NULL);
    watch(&scene, "--interactions");
    hold(&scene.target, "5000");
    wait_line(scene.feed.out, "state frozen");
    add_sent(probe("keys", hwnd_of(&scene.target), "meanwhile", "4", NULL));
    let_go(&scene.target);
    free(wait_freezes(&scene.target, 1));
    wait_lines(scene.target.log, " WM_KEYUP ", sent_count);
    trigger(&scene.target, "1500");
    free(wait_freezes(&scene.target, 2));
    cJSON *summary = finish(&scene, sent_count);
    cr_expect_gt(number(find_sleep(summary, &scene, 0), "held_up.keys"), 0);
    cr_expect_float_eq(number(find_sleep(summary, &scene, 1), "held_up.keys"), 0, 0);
    cr_expect_geq(number(summary, "freezes.felt"), 1);
    cJSON_Delete(summary);
}

Test(interactions, keys_for_another_program_are_not_counted)
{
    struct scene scene;
    struct target other;

    start_target(&other, "target_odd_win32", "--mode", "quiet", "--pos", OTHER_POS, NULL);
    start_target(&scene.target, NULL, "--still", "--pos", DEMO_POS, "--key-cost", "5,20", NULL);
    watch(&scene, "--interactions");
    add_sent(probe("keys", hwnd_of(&scene.target), "one two", "10", NULL));
    wait_lines(scene.target.log, " WM_KEYUP ", strlen("one two")); /* before another is in front */
    probe("keys", hwnd_of(&other), "not for this one", "20", NULL);
    wait_lines(other.log, " WM_KEYUP ", strlen("not for this one"));
    add_sent(probe("keys", hwnd_of(&scene.target), "three", "10", NULL));
    cJSON_Delete(finish(&scene, sent_count));
    check_acts(&scene, "key");
}

/* Shift, Ctrl, Caps Lock twice, Num Lock twice, Scroll Lock twice; then F2, and one key held. */
Test(interactions, modifiers_and_repeats_are_none)
{
    struct scene scene;

    start_target(&scene.target, NULL, "--still", "--pos", DEMO_POS, "--typing", "plain", NULL);
    watch(&scene, "--interactions");
    probe("taps", hwnd_of(&scene.target), "16,17,20,20,144,144,145,145", "10", NULL);
    probe("taps", hwnd_of(&scene.target), "113", "10", NULL);
    probe("hold", hwnd_of(&scene.target), "a", "12", "30", NULL);
    cJSON_Delete(finish(&scene, 2));
    free(wait_acts(&scene, 2));
    cr_expect_eq(seen_count, 2, "%zu interactions", seen_count);
}

Test(interactions, nothing_is_measured_unasked)
{
    struct scene scene;
    start_target(&scene.target, NULL, "--still", "--pos", DEMO_POS, "--typing", "plain", NULL);
    watch(&scene, NULL);
    probe("keys", hwnd_of(&scene.target), "nobody listens", "20", NULL);
    cJSON *summary = finish(&scene, 0);
    char *csv = read_text(scene.csv);
    cr_expect_eq(seen_count, 0, "%zu interactions in the feed", seen_count);
    cr_expect(!cJSON_HasObjectItem(summary, "interactions"));
    cr_expect(!strstr(csv, ",input,"), "there are rows of input");
    free(csv);
    cJSON_Delete(summary);
}

/* The column of the header that has this in its name, in every row of input: how many rows say NA
 * there, or how many there are if it is NULL. */
static size_t input_rows(const char *csv, const char *column)
{
    char *text = read_text(csv);
    size_t index = 0;
    size_t count = 0;
    char *found = column ? strstr(text, column) : text;
    char *rows = strchr(text, '\n');

    cr_assert(rows && found && found < rows, "the file has no column %s", column);
    for (const char *at = text; column && at < found; at++)
        index += *at == ',';
    for (char *line = strtok(rows, "\n"); line; line = strtok(NULL, "\n")) {
        if (!strstr(line, ",input,"))
            continue;
        const char *cell = line;
        for (size_t i = 0; i < index && cell; i++)
            cell = strchr(cell, ',') ? strchr(cell, ',') + 1 : NULL;
        cr_assert(cell != NULL, "a row is too short: %s", line);
        count += !column || (strncmp(cell, "NA", 2) == 0 && strchr(",\r", cell[2]));
    }
    free(text);
    return count;
}

static void type_and_keep(const char *option, bool kept)
{
    const uint32_t virtual_key_q = 'Q';
    struct scene scene;

    start_target(&scene.target, NULL, "--still", "--pos", DEMO_POS, "--typing", "plain", NULL);
    watch(&scene, option);
    probe("keys", hwnd_of(&scene.target), "qqqqqqqqqq", "20", NULL);
    cJSON_Delete(finish(&scene, 10));
    cr_assert_eq(seen_count, 10, "%zu measured of 10", seen_count);
    for (size_t i = 0; i < seen_count; i++)
        cr_expect_eq(seen[i].key, (kept ? virtual_key_q : 0), "key %u", seen[i].key);
    cr_expect_eq(input_rows(scene.csv, NULL), 10, "%zu rows of input", input_rows(scene.csv, NULL));
    cr_expect_eq(input_rows(scene.csv, "Key"), (kept ? 0 : 10), "which key is %skept",
                 kept ? "not " : "");
}

Test(interactions, which_key_it_was_is_not_kept)
{
    type_and_keep("--interactions", false);
}

Test(interactions, which_key_it_was_is_kept_on_request)
{
    type_and_keep("--keep-keys", true);
}

/* Whether one user alone may do anything with the file, and takes that over from no folder. Wine
 * shows no more of this than the file's owner and Unix mode have. */
static bool is_private(const char *path)
{
    const char *list = probe("acl", windows_path(path), NULL);
    const char *first = strchr(list, '(');
    return first && strstr(first, ";FA;;;S-1-5-21-") && !strstr(list, ";WD)") &&
           !strstr(list, ";BU)");
}

/* Whether another program can read what is in the CSV so far. */
static bool can_read_csv(const char *csv)
{
    const char *out;
    run(&out, NULL, "cmd", "/c", "type", windows_path(csv), NULL);
    return strstr(out, "Uimon,") != NULL;
}

Test(interactions, files_with_keys_are_their_owners_alone)
{
    struct target target;
    struct monitor monitor;
    struct program feed;
    char csv[PATH_BYTES], recording[PATH_BYTES], plain[PATH_BYTES];
    char page[PATH_BYTES], json[PATH_BYTES];

    snprintf(csv, sizeof csv, "%s", test_file("keys.csv"));
    snprintf(recording, sizeof recording, "%s", test_file("keys.uirec"));
    snprintf(plain, sizeof plain, "%s", test_file("plain.csv"));
    snprintf(page, sizeof page, "%s", test_file("page.html"));
    snprintf(json, sizeof json, "%s", test_file("report.json"));
    start_target(&target, NULL, "--still", "--pos", DEMO_POS, "--typing", "plain", NULL);
    start_monitor(&monitor, &target, "--keep-keys", "--csv", windows_path(csv), "--record",
                  windows_path(recording), NULL);
    probe("keys", hwnd_of(&target), "q", "20", NULL);
    cr_expect(!can_read_csv(csv), "it is open to others while it is written");
    cJSON_Delete(stop_monitor(&monitor));
    cr_expect(can_read_csv(csv));
    cr_expect(is_private(monitor.json), "%s", probe("acl", windows_path(monitor.json), NULL));
    cr_expect_eq(run(NULL, NULL, "uimon", "report", windows_path(recording), "--html",
                     windows_path(page), "--json", windows_path(json), NULL),
                 0);
    cr_expect(is_private(page), "%s", probe("acl", windows_path(page), NULL));
    cr_expect(is_private(json), "%s", probe("acl", windows_path(json), NULL));
    start_monitor(&monitor, &target, "--interactions", "--csv", windows_path(plain), NULL);
    tail_feed(&feed, &monitor);
    cJSON_Delete(stop_monitor(&monitor));
    cr_expect(!is_private(monitor.json), "%s", probe("acl", windows_path(monitor.json), NULL));
    cr_expect(is_private(csv), "%s", probe("acl", windows_path(csv), NULL));
    cr_expect(is_private(recording), "%s", probe("acl", windows_path(recording), NULL));
    cr_expect(!is_private(plain), "%s", probe("acl", windows_path(plain), NULL));
}
