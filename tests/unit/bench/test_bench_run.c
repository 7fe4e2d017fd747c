/* The runner against a world that is made up: its clock moves only when somebody waits. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain/clock.h"
#include "monitor/bench/bench_run.h"
#include "monitor/bench/scenario_keys.h"
#include "tests/json_read.h"

#define MS UM_CLOCK_NS_PER_MS
#define ORIGIN_NS (5000 * UM_CLOCK_NS_PER_S)

/* The target's windows. */
enum { MAIN = 1, BOX, OPENED };

/* What happens in the made-up world, in ms after its origin; 0 is never. */
static struct {
    uint64_t window_ms;
    uint64_t painted_ms; /* from the window on until then it has something to paint */
    uint64_t ready_ms;
    uint64_t asked_ms; /* the target was asked to show its messages */
    uint64_t seen_ms;  /* since when they are seen */
    uint64_t measuring_ms;
    uint64_t quiet_ms; /* since when it is quiet, as seen from then on */
    uint64_t stop_ms;  /* the user asks to stop */
    uint64_t dies_ms;
    uint64_t foreign_ms; /* another program comes to the front */
    uint64_t dialog_ms;  /* the window that wait-window asks for */
    size_t astray_after; /* so many keys the foreground is another; 0: never */
    uint64_t box_ms;     /* a box of the target comes to the front by itself */
    uint64_t box_gone_ms;
    bool comes_late;     /* ... or after the look for the second key, and before that is sent */
    const char *opening; /* the input that opens a window of the target, which Enter closes */
    bool disables;       /* the box disables the main window */
    uint64_t late_ms;    /* each wait lasts so much longer */
    uint64_t held_up_ms; /* the machine stands for so long after a look that finds no window */
    uint64_t input_takes_ms;
    uint64_t first_waits_ms; /* the first input for its turn, and all behind it */
    uint64_t first_takes_ms; /* the first input, and all behind it wait */
    uint64_t stray_ms;       /* somebody clicks, which nobody sent */
    bool no_arrivals;        /* when inputs arrive is not observed */
    unsigned lose_inputs;    /* that many are never dealt with */
    unsigned lose_units;     /* that many of the first typed UTF-16 units come as no character */
    enum um_status launch;
    bool no_front;
    bool no_close;
    bool exec_fails;
} world;

static uint64_t clock_ns;
static char log_text[1 << 16]; /* what was done, in words */
static bool opened;            /* the window of world.opening */
static uint64_t aimed;         /* the window that inputs go to */
static uint64_t key_ns[4096];
static size_t key_count;
static uint64_t units;         /* UTF-16 units of those keys */
static uint64_t sent_ns[4096]; /* inputs that will be dealt with */
static uint8_t sent_kind[4096];
static size_t sent;
static size_t told;      /* of those */
static uint64_t free_ns; /* when the target was done with the last of them */
static bool closed;
static struct um_bench_results *results;
static struct um_scenario scenario;
static struct um_bench_run_outcome outcome;
static cJSON *one; /* the run as it was written */

static uint64_t ms(void)
{
    return (clock_ns - ORIGIN_NS) / MS;
}

static bool after(uint64_t when_ms)
{
    return when_ms && ms() >= when_ms;
}

static void note(const char *what)
{
    size_t used = strlen(log_text);
    snprintf(log_text + used, sizeof log_text - used, "%s%s", used ? " " : "", what);
}

static void tell(uint8_t kind, uint64_t arrival_ns, uint64_t dequeued_ns, uint64_t handled_ns)
{
    struct um_feed_output output = um_bench_results_output(results);
    struct um_wire_frame frame = {.type = UM_WIRE_INTERACTION};
    frame.as.interaction = (struct um_wire_interaction){.kind = kind,
                                                        .arrival_ns = arrival_ns,
                                                        .dequeued_ns = dequeued_ns,
                                                        .handled_ns = handled_ns};
    um_feed_publish(&output, 1, &frame);
}

/* Tells of the inputs that have been dealt with by now. */
static void deliver(void)
{
    while (told < sent) {
        bool first = told == 0;
        uint64_t waits_ns = (first && world.first_waits_ms ? world.first_waits_ms : 1) * MS;
        uint64_t takes_ns =
            (first && world.first_takes_ms ? world.first_takes_ms : world.input_takes_ms) * MS;
        uint64_t dequeued_ns = sent_ns[told] + waits_ns;
        if (dequeued_ns < free_ns)
            dequeued_ns = free_ns;
        uint64_t handled_ns = sent_ns[told] + takes_ns;
        if (handled_ns < dequeued_ns)
            handled_ns = dequeued_ns;
        if (handled_ns >= clock_ns)
            break;
        tell(sent_kind[told], world.no_arrivals ? 0 : sent_ns[told], dequeued_ns, handled_ns);
        free_ns = handled_ns;
        told++;
    }
    if (!after(world.stray_ms))
        return;
    uint64_t stray_ns = ORIGIN_NS + world.stray_ms * MS;
    world.stray_ms = 0;
    tell(UM_INTERACTION_CLICK, stray_ns, stray_ns, stray_ns);
}

static uint64_t fake_now(void *context)
{
    (void)context;
    deliver();
    return clock_ns;
}

static bool fake_wait(void *context, uint64_t until_ns)
{
    (void)context;
    if (until_ns > clock_ns)
        clock_ns = until_ns;
    clock_ns += world.late_ms * 1000000;
    return !after(world.stop_ms);
}

static void fake_progress(void *context, const struct um_scenario_step *step)
{
    (void)context;
    (void)step;
}

static enum um_status fake_start(void *context, const struct um_scenario_step *step, char *why,
                                 size_t cap)
{
    (void)context;
    note(step->op == UM_SCENARIO_LAUNCH ? "launch" : "attach");
    if (world.launch != UM_OK)
        snprintf(why, cap, "it is not there");
    return world.launch;
}

static enum um_status fake_alive(void *context, char *why, size_t cap)
{
    (void)context;
    if (!after(world.dies_ms))
        return UM_OK;
    snprintf(why, cap, "the program ended");
    return UM_ERR_CLOSED;
}

static bool fake_window(void *context, const struct um_scenario_step *step)
{
    (void)context;
    bool found =
        after(step && step->window != UM_SCENARIO_WINDOW_MAIN ? world.dialog_ms : world.window_ms);
    if (!found) {
        clock_ns += world.held_up_ms * MS;
        world.held_up_ms = 0;
    }
    return found;
}

static enum um_bench_run_paint fake_paint(void *context)
{
    (void)context;
    return ms() < world.painted_ms ? UM_BENCH_RUN_PAINT_PENDING : UM_BENCH_RUN_PAINT_NONE;
}

static bool fake_measuring(void *context)
{
    (void)context;
    return after(world.measuring_ms);
}

static bool fake_ready(void *context)
{
    (void)context;
    return after(world.ready_ms);
}

static struct um_watch_quiet fake_quiet(void *context)
{
    (void)context;
    if (!after(world.quiet_ms) || !after(world.measuring_ms))
        return (struct um_watch_quiet){0};
    uint64_t since_ms = world.quiet_ms > world.seen_ms ? world.quiet_ms : world.seen_ms;
    return (struct um_watch_quiet){ORIGIN_NS + world.asked_ms * MS, ORIGIN_NS + world.seen_ms * MS,
                                   ORIGIN_NS + since_ms * MS};
}

static bool fake_front(void *context, char *why, size_t cap)
{
    (void)context;
    note("front");
    snprintf(why, cap, "it stays behind");
    return !world.no_front;
}

/* Which of the target's windows is in front. */
static uint64_t in_front(void)
{
    if (after(world.box_ms) && !after(world.box_gone_ms))
        return BOX;
    return opened ? OPENED : MAIN;
}

static bool is_gone(uint64_t window)
{
    return (window == BOX && after(world.box_gone_ms)) || (window == OPENED && !opened);
}

static bool is_foreign(char *why, size_t cap)
{
    if (after(world.foreign_ms))
        snprintf(why, cap, "the foreground is notepad.exe (pid 44), not the target");
    return after(world.foreign_ms);
}

static bool fake_in_front(void *context, const struct um_scenario_step *awaited,
                          struct um_bench_run_front *front, char *why, size_t cap)
{
    static const char *const titles[] = {[MAIN] = "Main", [BOX] = "Box", [OPENED] = "Opened"};
    (void)context;
    if (is_foreign(why, cap))
        return false;
    front->window = in_front();
    front->is_dialog = in_front() == BOX && world.disables;
    front->is_awaited = awaited && strcmp(awaited->text, titles[in_front()]) == 0;
    front->is_earlier_gone = is_gone(aimed);
    snprintf(front->title, sizeof front->title, "%s", titles[in_front()]);
    return true;
}

static void fake_aim(void *context, uint64_t window)
{
    (void)context;
    aimed = window;
}

static bool input(const char *what, uint8_t kind, unsigned count, char *why, size_t cap)
{
    if (world.comes_late && key_count > 1)
        world.box_ms = ms();
    if (is_foreign(why, cap))
        return false;
    if (in_front() != aimed) {
        snprintf(why, cap, "it is another");
        return false;
    }
    note(what);
    if (world.opening && strcmp(what, world.opening) == 0)
        opened = true;
    else if (strcmp(what, "enter") == 0)
        opened = false;
    for (unsigned i = 0; i < count; i++) {
        if (world.lose_inputs > 0)
            world.lose_inputs--;
        else if (sent < 4096) {
            sent_kind[sent] = kind;
            sent_ns[sent++] = clock_ns;
        }
    }
    return true;
}

static bool fake_key(void *context, const struct um_scenario_key *key, char *why, size_t cap)
{
    char name[UM_SCENARIO_KEYS_BYTES];
    (void)context;
    um_scenario_keys_name(key, name, sizeof name);
    if (key_count < 4096)
        key_ns[key_count++] = clock_ns;
    units += um_scenario_key_inputs(key);
    return input(name, UM_INTERACTION_KEY, (unsigned)um_scenario_key_inputs(key), why, cap);
}

static uint64_t fake_characters(void *context)
{
    (void)context;
    return units > world.lose_units ? units - world.lose_units : 0;
}

static bool fake_stayed(void *context, char *why, size_t cap)
{
    (void)context;
    snprintf(why, cap, "the foreground is another");
    return (!world.astray_after || key_count < world.astray_after) && in_front() == aimed;
}

static bool fake_click(void *context, const struct um_scenario_step *step, char *why, size_t cap)
{
    (void)context;
    return input("click", UM_INTERACTION_CLICK, step->button == UM_SCENARIO_DOUBLE ? 2 : 1, why,
                 cap);
}

static bool fake_wheel(void *context, const struct um_scenario_step *step, bool away, char *why,
                       size_t cap)
{
    (void)context;
    (void)step;
    return input(away ? "up" : "down", UM_INTERACTION_WHEEL, 1, why, cap);
}

static bool fake_menu(void *context, const struct um_scenario_step *step,
                      struct um_scenario_key *keys, size_t *count, char *why, size_t cap)
{
    (void)context;
    snprintf(why, cap, "no such item");
    keys[0] = (struct um_scenario_key){UM_HOTKEY_ALT, 0, 'f'};
    keys[1] = (struct um_scenario_key){0, 0, 'o'};
    *count = 2;
    return strcmp(step->argv[0], "File") == 0;
}

static void fake_mark(void *context, const char *text)
{
    (void)context;
    note(text);
}

static bool fake_exec(void *context, const struct um_scenario_step *step, char *why, size_t cap)
{
    (void)context;
    note(step->argv[0]);
    snprintf(why, cap, "it ended with exit code 3");
    return !world.exec_fails;
}

static bool fake_close(void *context, bool discard, char *why, size_t cap)
{
    (void)context;
    if (!closed)
        note(discard ? "discard" : "close");
    closed = true;
    snprintf(why, cap, "it does not close");
    return !world.no_close;
}

static const struct um_bench_run_host host = {.now_ns = fake_now,
                                              .wait = fake_wait,
                                              .progress = fake_progress,
                                              .launch = fake_start,
                                              .attach = fake_start,
                                              .alive = fake_alive,
                                              .window = fake_window,
                                              .paint = fake_paint,
                                              .ready = fake_ready,
                                              .measuring = fake_measuring,
                                              .quiet = fake_quiet,
                                              .to_front = fake_front,
                                              .front = fake_in_front,
                                              .aim = fake_aim,
                                              .key = fake_key,
                                              .stayed = fake_stayed,
                                              .characters = fake_characters,
                                              .click = fake_click,
                                              .wheel = fake_wheel,
                                              .menu = fake_menu,
                                              .mark = fake_mark,
                                              .exec = fake_exec,
                                              .close = fake_close};

static void teardown(void)
{
    um_bench_results_close(results);
    results = NULL;
    um_scenario_deinit(&scenario);
    cJSON_Delete(one);
    one = NULL;
}

/* Also in the middle of a test, for a world anew. */
static void setup(void)
{
    teardown();
    memset(&world, 0, sizeof world);
    world.window_ms = 100;
    world.painted_ms = 130;
    world.asked_ms = 120;
    world.seen_ms = 150;
    world.measuring_ms = 200;
    world.input_takes_ms = 3;
    clock_ns = ORIGIN_NS;
    closed = opened = false;
    aimed = 0;
    key_count = sent = told = 0;
    units = 0;
    free_ns = 0;
    log_text[0] = 0;
    cr_assert_eq(um_bench_results_open(false, &results), UM_OK);
}

TestSuite(bench_run, .init = setup, .fini = teardown, .timeout = 60);

/* Runs a scenario that begins with launch. */
static void run(const char *rest)
{
    char text[4096];
    char error[512];
    um_scenario_deinit(&scenario);
    snprintf(text, sizeof text, "launch a.exe\n%s", rest);
    cr_assert_eq(
        um_scenario_parse(text, strlen(text), "f", NULL, 0, &scenario, error, sizeof error), UM_OK,
        "%s", error);
    um_bench_run(&scenario, &host, results, 0, &outcome);
}

static void read_run(void)
{
    const struct um_options options = {0};
    const struct um_bench_results_header header = {.scenario_name = "x", .options = &options};
    char *text = NULL;
    cr_assert_eq(um_bench_results_end(results, true), UM_OK);
    cr_assert_eq(um_bench_results_json(results, &header, &text), UM_OK);
    cJSON *root = cJSON_Parse(text);
    cJSON_free(text);
    one = cJSON_DetachItemFromArray(cJSON_GetObjectItem(root, "runs"), 0);
    cJSON_Delete(root);
}

static void run_and_read(const char *rest)
{
    run(rest);
    read_run();
}

static void expect_stopped(enum um_status status, const char *why)
{
    cr_expect_eq(outcome.status, status);
    cr_expect_str_eq(outcome.why, why);
}

/* NAN-like -1 for what is not there. */
static double value(const char *path)
{
    const cJSON *item = json_at(one, path);
    return cJSON_IsNumber(item) ? item->valuedouble : -1;
}

Test(bench_run, does_the_steps_in_their_order)
{
    run("mark m\nkey ctrl+a\nclick 1,2\nwheel -2\nmenu File Open\nexec tool\ntype \"b\\n\"\n");
    cr_expect_eq(outcome.status, UM_OK, "%s", outcome.why);
    cr_expect_str_eq(log_text, "launch front m ctrl+a click down down alt+f o tool b enter close");
    cr_expect_str_eq(outcome.why, "");
}

Test(bench_run, repeats_blocks_also_in_one_another)
{
    run("repeat 2 {\nkey a\nrepeat 3 {\nkey b\n}\n}\nkey c\nclose discard\nmark d\n");
    cr_expect_str_eq(log_text, "launch front a b b b a b b b c discard d");
}

/* A run notes how many units it typed, and how many the program took as characters. */
Test(bench_run, compares_what_was_typed_with_what_came)
{
    world.quiet_ms = 900;
    world.lose_units = 2;
    run_and_read("measure m {\ntype \"abcd\"\n}\n");
    cr_expect_float_eq(value("measures.0.typed_units"), 4, 0);
    cr_expect_float_eq(value("measures.0.taken_units"), 2, 0);
}

/* A character beyond 16 bits has two units, which the program takes as two characters. */
Test(bench_run, counts_typed_units_and_not_characters)
{
    run_and_read("measure m {\ntype \"a\xf0\x9f\x90\xa2\"\n}\n");
    cr_expect_eq(outcome.status, UM_OK, "%s", outcome.why);
    cr_expect_float_eq(value("measures.0.typed_units"), 3, 0);
}

/* Other keys may make characters too, and how many is not known. */
Test(bench_run, compares_nothing_where_keys_were_pressed)
{
    run_and_read("measure m {\ntype \"ab\"\nkey c\n}\nmeasure n {\nkey d\n}\n");
    cr_expect_lt(value("measures.0.typed_units"), 0);
    cr_expect_lt(value("measures.1.typed_units"), 0);
}

/* What was given up may still come. */
Test(bench_run, compares_nothing_where_inputs_were_given_up)
{
    world.lose_inputs = 1;
    run_and_read("measure m {\ntype \"ab\"\n}\n");
    cr_expect_lt(value("measures.0.typed_units"), 0);
}

Test(bench_run, startup_times_are_those_of_the_world)
{
    world.quiet_ms = 900;
    world.ready_ms = 160;
    run_and_read("wait-idle 500\n");
    /* It looks each 2 ms, so it may be so much too late, and never too early. */
    double window = value("startup.first_window_ms");
    double paint = value("startup.first_paint_ms");
    cr_expect(window >= 100 && window <= 102, "%g", window);
    cr_expect(paint >= 130 && paint <= 132, "%g", paint);
    double ready = value("startup.first_ready_ms");
    cr_expect(ready >= 160 && ready <= 162, "%g", ready);
    cr_expect_float_eq(value("startup.first_idle_ms"), 900, 1e-9);
}

/* Both came between two looks. */
Test(bench_run, a_program_is_not_ready_before_its_window_comes)
{
    world.quiet_ms = 900;
    world.ready_ms = 160;
    world.held_up_ms = 300;
    run_and_read("wait-idle 500\n");
    double window = value("startup.first_window_ms");
    double ready = value("startup.first_ready_ms");
    cr_expect(window >= 300 && ready >= window, "%g %g", window, ready);
}

Test(bench_run, a_paint_that_came_before_the_first_look_was_not_observed)
{
    world.painted_ms = 100;
    run_and_read("sleep 10\n");
    cr_expect_lt(value("startup.first_paint_ms"), 0);
    cr_expect_geq(value("startup.first_window_ms"), 100);
}

Test(bench_run, a_window_that_never_stops_painting_is_not_waited_for_for_ever)
{
    world.painted_ms = 1000000;
    run("key a\n");
    cr_expect_eq(outcome.status, UM_OK, "%s", outcome.why);
    cr_expect_leq(ms(), 6000);
    read_run();
    cr_expect_lt(value("startup.first_paint_ms"), 0);
}

/* first_idle_ms after a scenario; -1: it was not observed. */
static double idle_after(const char *rest)
{
    run(rest);
    cr_expect_eq(outcome.status, UM_OK, "%s", outcome.why);
    read_run();
    return value("startup.first_idle_ms");
}

Test(bench_run, a_quiet_that_began_before_it_could_be_seen_says_nothing_of_its_beginning)
{
    static const uint64_t ready_ms[] = {0, 90, 119};
    for (size_t i = 0; i < sizeof ready_ms / sizeof ready_ms[0]; i++) {
        setup();
        world.quiet_ms = 140;
        world.ready_ms = ready_ms[i];
        cr_expect_lt(idle_after("wait-idle 500\n"), 0, "ready at %u", (unsigned)ready_ms[i]);
    }
}

/* The program takes what uimon has posted before it waits, so everything behind that wait is
 * seen. */
Test(bench_run, a_program_is_idle_when_it_is_ready_if_it_was_asked_before_that)
{
    static const uint64_t ready_ms[] = {124, 152, 180, 230, 600};
    for (size_t i = 0; i < sizeof ready_ms / sizeof ready_ms[0]; i++) {
        setup();
        world.quiet_ms = 140;
        world.seen_ms = 122;
        world.ready_ms = ready_ms[i];
        double from = (double)(ready_ms[i] > 140 ? ready_ms[i] : 140);
        double idle = idle_after("wait-idle 500\nkey a\n");
        cr_expect(idle >= from && idle <= from + 5, "ready at %u, idle at %g",
                  (unsigned)ready_ms[i], idle);
    }
}

Test(bench_run, the_first_quiet_lasts_half_a_second_from_when_the_program_is_ready)
{
    world.quiet_ms = 160;
    world.ready_ms = 500;
    cr_expect_lt(idle_after("sleep 750\nkey a\nsleep 2s\n"), 0, "the key came at 950");
    setup();
    world.quiet_ms = 160;
    world.ready_ms = 500;
    double idle = idle_after("sleep 900\nkey a\n");
    cr_expect(idle >= 500 && idle <= 550, "%g", idle);
}

Test(bench_run, waiting_for_idle_lasts_from_when_the_program_is_ready)
{
    world.quiet_ms = 160;
    world.ready_ms = 400;
    run("wait-idle 300\nkey a\n");
    cr_assert_eq(key_count, 1);
    uint64_t key_ms = (key_ns[0] - ORIGIN_NS) / MS;
    cr_expect(key_ms >= 700 && key_ms <= 710, "%u", (unsigned)key_ms);
}

Test(bench_run, a_program_that_is_not_ready_is_not_idle)
{
    world.quiet_ms = 300;
    cr_expect_lt(idle_after("wait-idle 500\nkey a\n"), 0);
}

Test(bench_run, the_end_of_blindness_is_no_beginning_of_a_quiet)
{
    world.quiet_ms = 140;
    world.ready_ms = 160;
    world.seen_ms = 1100;
    world.measuring_ms = 1100;
    cr_expect_lt(idle_after("wait-idle 500\n"), 0, "it may have worked until then, or not");
    setup();
    world.quiet_ms = 1200;
    world.ready_ms = 160;
    world.seen_ms = 1100;
    cr_expect_float_eq(idle_after("wait-idle 500\n"), 1200, 1e-9, "work was seen");
}

Test(bench_run, after_an_input_no_idle_is_that_of_the_start)
{
    world.quiet_ms = 900;
    run_and_read("key a\nsleep 2s\nwait-idle 100\n");
    cr_expect_lt(value("startup.first_idle_ms"), 0);
}

Test(bench_run, keys_keep_their_place_on_the_clock)
{
    run("type \"abcdefghij\" rate 12.5\nkey x times 3 rate 4\n");
    cr_assert_eq(key_count, 13);
    for (size_t i = 1; i < 10; i++)
        cr_expect_eq(key_ns[i] - key_ns[0], i * 80 * MS);
    cr_expect_eq(key_ns[10] - key_ns[9], 80 * MS, "the next step keeps its distance");
    cr_expect_eq(key_ns[12] - key_ns[10], 500 * MS);
}

Test(bench_run, a_measure_has_its_inputs_and_its_length)
{
    run_and_read("key a\nsleep 1s\nmeasure typing {\ntype \"abcd\" rate 10\n}\nkey e\n");
    cr_expect_eq(json_size(one, "measures.0.interactions"), 4);
    cr_expect_float_eq(value("measures.0.injected"), 4, 0);
    cr_expect_float_eq(value("measures.0.duration_ms"), 300, 1e-9);
}

Test(bench_run, an_input_from_before_is_not_taken_in_a_measure)
{
    world.input_takes_ms = 400;
    run_and_read("click 1,2\nmeasure m {\nkey a\n}\nmeasure n {\nkey b\n}\n");
    cr_expect_eq(json_size(one, "measures.0.interactions"), 1);
    cr_expect_eq(json_size(one, "measures.1.interactions"), 1);
    cr_expect_geq(key_ns[0] - sent_ns[0], 400 * MS);
}

Test(bench_run, inputs_that_are_never_dealt_with_are_given_up)
{
    world.lose_inputs = 1;
    run("measure m {\nkey a\nkey b\n}\nmark end\n");
    cr_expect_eq(outcome.status, UM_OK);
    cr_expect(strstr(log_text, "end") != NULL);
    read_run();
    cr_expect_float_eq(value("measures.0.injected"), 2, 0);
    cr_expect_eq(json_size(one, "measures.0.interactions"), 1);
    cr_expect_float_eq(value("measures.0.given_up"), 1, 0);
    cr_expect_float_eq(value("measures.0.duration_ms"), 100, 1e-9,
                       "waiting for it is not part of it");
}

#define TWO_MEASURES "measure a {\nkey a\n}\nmeasure b {\ntype \"xyz\" rate 10\n}\n"

/* One key in the first measure, of which so many came or were given up, and three in the second,
 * which has them all. */
static void check_two_measures(int interactions, int given_up)
{
    run_and_read(TWO_MEASURES);
    cr_expect_float_eq(value("measures.0.injected"), 1, 0);
    cr_expect_eq(json_size(one, "measures.0.interactions"), interactions);
    cr_expect_float_eq(value("measures.0.given_up"), given_up ? given_up : -1, 0);
    cr_expect_float_eq(value("measures.1.injected"), 3, 0);
    cr_expect_eq(json_size(one, "measures.1.interactions"), 3);
    cr_expect_float_eq(value("measures.1.given_up"), -1, 0);
}

/* After 2 s nobody waits for the first key any longer, and it comes all the same, while the second
 * measure types. So it was seen. */
Test(bench_run, a_key_that_took_too_long_is_none_of_the_next_measure)
{
    world.first_takes_ms = 2500;
    check_two_measures(1, 0);
    setup(); /* the same where arrivals are not observed */
    world.no_arrivals = true;
    world.first_takes_ms = 2500;
    check_two_measures(1, 0);
}

/* The same, but the target takes it out of its queue only then: it is the first measure's still. */
Test(bench_run, a_key_that_waited_too_long_is_none_of_the_next_measure)
{
    world.first_waits_ms = 2500;
    check_two_measures(1, 0);
    cr_expect_float_eq(value("measures.0.interactions.0.input_delay_ms"), 2500, 1e-9);
}

Test(bench_run, a_lost_input_does_not_keep_the_next_measure_waiting)
{
    world.lose_inputs = 1;
    check_two_measures(0, 1);
    cr_expect_leq(clock_ns - key_ns[3], 10 * MS);
}

/* Somebody's click stands for no key, neither in its own measure nor in the next one. */
Test(bench_run, a_click_that_nobody_sent_ends_no_measure_too_early)
{
    world.input_takes_ms = 400;
    world.stray_ms = 300;
    check_two_measures(2, 0);
}

Test(bench_run, the_time_between_two_keys_is_none_of_the_next_measures)
{
    run_and_read("type \"w\" rate 1/s\nmeasure save {\nkey ctrl+s\n}\n");
    cr_expect_float_eq(value("measures.0.duration_ms"), 0, 1e-9);
    cr_expect_eq(key_ns[1] - key_ns[0], 1000 * MS, "the keys keep their distance all the same");
    cr_expect_float_eq(value("injector_late_ms"), 0, 1e-9);
}

Test(bench_run, a_measure_that_waits_for_idle_ends_where_the_quiet_began)
{
    world.quiet_ms = 700;
    run_and_read("sleep 1\nmeasure m {\nkey a\nwait-idle 500\n}\n");
    double end = value("measures.0.start_ms") + value("measures.0.duration_ms");
    cr_expect_float_eq(end, 700, 0.01, "%g", end);
    cr_expect_geq(ms(), 1200);
}

Test(bench_run, quiet_before_the_last_input_is_no_quiet)
{
    world.quiet_ms = 210;
    run("key a\nsleep 1s\nkey b\nwait-idle 300\n");
    cr_expect_geq(clock_ns - key_ns[1], 300 * MS);
    cr_expect_leq(clock_ns - key_ns[1], 310 * MS);
}

Test(bench_run, waits_for_a_window_as_long_as_it_is_told)
{
    world.dialog_ms = 800;
    run("wait-window \"Open\" within 1s\nmark there\n");
    cr_expect_eq(outcome.status, UM_OK);
    cr_expect(ms() >= 800 && ms() <= 803, "%llu", (unsigned long long)ms());
    clock_ns = ORIGIN_NS;
    run("wait-window \"Open\" within 300\nmark there\n");
    expect_stopped(UM_ERR_TIMEOUT, "line 2: no such window came within 0.3 s");
}

Test(bench_run, stops_at_the_first_input_that_would_go_elsewhere)
{
    world.foreign_ms = 400;
    run("repeat 10 {\nkey a\n}\nmark end\n");
    expect_stopped(UM_ERR_IO, "line 3: the foreground is notepad.exe (pid 44), not the target");
    cr_expect_str_eq(log_text, "launch front a a close", "three were sent, or it was not closed");
}

Test(bench_run, a_typed_key_that_may_have_gone_astray_is_named)
{
    world.astray_after = 3;
    run("type \"abcde\" rate 100\nmark end\n");
    expect_stopped(UM_ERR_IO, "line 2: 'c' may have gone astray: the foreground is another");
    cr_expect_eq(key_count, 3);
}

#define ANOTHER "the foreground is another window of the target (\"Box\") than before"
#define ADVICE "; if it is meant, name it in a wait-window step"
#define NOTHING_SENT ": nothing was sent"

/* The letters from the box on would go into it. */
Test(bench_run, a_box_that_comes_while_it_types_ends_the_run)
{
    world.box_ms = 460;
    run("measure m {\ntype \"abcdefgh\" rate 10\n}\n");
    expect_stopped(UM_ERR_IO, "line 3: " ANOTHER NOTHING_SENT ADVICE);
    cr_expect_str_eq(log_text, "launch front a b c close");
    read_run();
    cr_expect_float_eq(value("measures.0.injected"), 3, 0, "what was sent until then is kept");
}

/* The keys that the program has not dealt with when the box comes may go into it. */
Test(bench_run, keys_that_a_box_may_have_taken_are_named)
{
    world.box_ms = 450;
    world.input_takes_ms = 1000;
    run("type \"abcdefgh\" rate 10\n");
    expect_stopped(UM_ERR_IO,
                   "line 2: 'c' and the 2 before it may have gone astray: " ANOTHER ADVICE);
    setup();
    world.box_ms = 450;
    world.input_takes_ms = 120;
    run("type \"abcdefgh\" rate 10\n");
    expect_stopped(UM_ERR_IO,
                   "line 2: 'c' and the 1 before it may have gone astray: " ANOTHER ADVICE);
    setup();
    world.box_ms = 450;
    world.input_takes_ms = 60;
    run("type \"abcdefgh\" rate 10\n");
    expect_stopped(UM_ERR_IO, "line 2: 'c' may have gone astray: " ANOTHER ADVICE);
}

Test(bench_run, a_box_that_comes_just_before_a_key_is_told_as_one_before_that)
{
    world.comes_late = true;
    world.input_takes_ms = 1000;
    run("type \"abcdefgh\" rate 10\n");
    expect_stopped(UM_ERR_IO, "line 2: 'a' may have gone astray: " ANOTHER ADVICE);
    cr_expect_str_eq(log_text, "launch front a close");
}

Test(bench_run, a_box_that_comes_between_two_steps_ends_the_run)
{
    static const char *const between[] = {"sleep 1s", "wait-idle 300", "exec tool", "mark m"};
    for (size_t i = 0; i < sizeof between / sizeof between[0]; i++) {
        char text[128];
        setup();
        world.quiet_ms = 210;
        world.box_ms = 420;
        snprintf(text, sizeof text, "type a\nsleep 300\n%s\nclick 1,2\n", between[i]);
        run(text);
        expect_stopped(UM_ERR_IO, "line 5: " ANOTHER NOTHING_SENT ADVICE);
        cr_expect_null(strstr(log_text, "click"), "%s", log_text);
    }
}

/* What a key, a click or a menu opens is typed into, and so is the window below it after that. */
Test(bench_run, a_window_that_the_scenario_opens_gets_its_keys)
{
    static const struct {
        const char *opening;
        const char *step;
    } cases[] = {
        {"ctrl+f", "key ctrl+f\nkey tab"}, {"click", "click 1,2"}, {"o", "menu \"File\" \"Open\""}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[128];
        setup();
        world.opening = cases[i].opening;
        snprintf(text, sizeof text, "type a\n%s\nsleep 1s\ntype bc\nkey enter\ntype d\n",
                 cases[i].step);
        run(text);
        cr_expect_eq(outcome.status, UM_OK, "%s", outcome.why);
        cr_expect(strstr(log_text, "b c enter d close"), "%s", log_text);
    }
}

/* What an earlier key has opened is known by now; the box is not meant by that. */
Test(bench_run, a_key_accounts_for_the_next_window_alone)
{
    world.opening = "ctrl+f";
    world.box_ms = 600;
    run("key ctrl+f\ntype \"b\"\nsleep 1s\ntype c\n");
    expect_stopped(UM_ERR_IO, "line 5: " ANOTHER NOTHING_SENT ADVICE);
    cr_expect_str_eq(log_text, "launch front ctrl+f b close");
}

/* "\n" ends a search: its dialog closes. A box that comes meanwhile leaves the dialog there. */
Test(bench_run, an_enter_that_is_typed_last_may_close_its_window)
{
    world.opening = "ctrl+f";
    run("key ctrl+f\ntype \"b\\n\"\ntype c\n");
    cr_expect_eq(outcome.status, UM_OK, "%s", outcome.why);
    setup();
    world.box_ms = 450;
    run("type \"b\\n\"\nsleep 1s\ntype c\n");
    expect_stopped(UM_ERR_IO, "line 4: " ANOTHER NOTHING_SENT ADVICE);
    setup();
    world.opening = "ctrl+f";
    run("key ctrl+f\ntype \"b\\nc\"\n");
    expect_stopped(UM_ERR_IO, "line 3: 'enter' may have gone astray: the foreground is another");
}

Test(bench_run, a_window_that_is_waited_for_by_its_name_gets_the_keys)
{
    world.box_ms = world.dialog_ms = 500;
    run("type a\nwait-window \"Box\"\ntype b\n");
    cr_expect_eq(outcome.status, UM_OK, "%s", outcome.why);
    setup();
    world.box_ms = world.dialog_ms = 500;
    run("type a\nwait-window \"Main\"\ntype b\n");
    expect_stopped(UM_ERR_IO, "line 4: " ANOTHER NOTHING_SENT ADVICE);
    setup();
    world.box_ms = 500;
    run("type a\nsleep 1s\nwait-window\ntype b\n");
    expect_stopped(UM_ERR_IO, "line 5: " ANOTHER NOTHING_SENT ADVICE);
}

/* It is shown 300 ms before it is in front. */
Test(bench_run, a_window_that_is_waited_for_may_come_to_the_front_later)
{
    world.dialog_ms = 500;
    world.box_ms = 800;
    run("type a\nwait-window \"Box\"\ntype b\n");
    cr_expect_eq(outcome.status, UM_OK, "%s", outcome.why);
    cr_expect_eq(aimed, BOX);
}

Test(bench_run, a_window_that_a_key_opens_may_come_just_before_the_next_key)
{
    world.comes_late = true;
    run("key ctrl+f\ntype b\n");
    cr_expect_eq(outcome.status, UM_OK, "%s", outcome.why);
    cr_expect_str_eq(log_text, "launch front ctrl+f b close");
    cr_expect_eq(aimed, BOX);
}

Test(bench_run, does_not_begin_with_a_dialog_open)
{
    world.box_ms = 250;
    world.disables = true;
    run("sleep 1s\nkey a\n");
    expect_stopped(UM_ERR_IO, "line 3: a dialog of the target (\"Box\") is open before the first "
                              "input: nothing was sent; close it, or name it in a wait-window "
                              "step");
    cr_expect_str_eq(log_text, "launch front close");
    setup();
    world.box_ms = world.dialog_ms = 250;
    world.disables = true;
    run("wait-window \"Box\"\nkey a\n");
    cr_expect_eq(outcome.status, UM_OK, "%s", outcome.why);
    setup(); /* a splash, or one that is closed by then */
    world.box_ms = 150;
    world.box_gone_ms = 400;
    world.disables = true;
    run("sleep 1s\ntype a\nsleep 1s\ntype b\n");
    cr_expect_eq(outcome.status, UM_OK, "%s", outcome.why);
}

/* Such a key may leave the window on purpose: Alt+F4. */
Test(bench_run, a_key_that_leaves_the_window_is_none_that_went_astray)
{
    world.astray_after = 1;
    run("key alt+f4\nmark end\n");
    cr_expect_eq(outcome.status, UM_OK, "%s", outcome.why);
}

/* A program that was forgotten must not type for ever. */
Test(bench_run, a_run_that_takes_much_too_long_is_aborted)
{
    world.late_ms = 1000;
    run("repeat 100 {\ntype \"aaaaaaaaaa\" rate 100\n}\n");
    cr_expect_eq(outcome.status, UM_ERR_TIMEOUT);
    /* 61 s to start, 100 times a tenth of a second and a second, 5 s to close, and a minute. */
    cr_expect_str_eq(outcome.why, "line 3: the run took longer than its steps may take: 236 s");
    cr_expect(ms() > 236000 && ms() < 240000, "%lu ms", (unsigned long)ms());
}

Test(bench_run, says_how_long_a_run_may_take)
{
    run("sleep 2s\nwait-idle 300 within 7s\nmeasure m {\nkey a times 3 rate 2\n}\nclose\n");
    /* 61, 2, 7, 1.5 + 1, 2, 6; 5 and 60 for all runs */
    cr_expect_eq(um_bench_run_most_ns(&scenario), UINT64_C(145500000000));
    /* 2, 0.3, 1.5 */
    cr_expect_eq(scenario.own_ns, UINT64_C(3800000000));
}

Test(bench_run, stops_when_the_target_ends)
{
    world.dies_ms = 300;
    run("sleep 10s\nkey a\n");
    cr_expect_str_eq(outcome.why, "line 2: the program ended");
    cr_expect_leq(ms(), 350);
}

Test(bench_run, stops_when_the_user_says_so)
{
    world.stop_ms = 450;
    run("type \"abcdefghijkl\" rate 10\n");
    cr_expect(outcome.interrupted);
    cr_expect_str_eq(outcome.why, "line 2: interrupted");
    cr_expect_leq(key_count, 3);
    cr_expect(strstr(log_text, "close") != NULL, "the target is left open");
}

Test(bench_run, a_measure_that_is_broken_off_keeps_what_there_is)
{
    world.stop_ms = 450;
    run_and_read("measure m {\nkey a\n}\nmeasure n {\ntype \"abcdefghijkl\" rate 10\n}\n");
    cr_expect_eq(json_size(one, "measures"), 2);
    cr_expect_float_eq(value("measures.0.injected"), 1, 0);
    cr_expect_geq(value("measures.1.injected"), 1);
    cr_expect_leq(value("measures.1.injected"), 2);
}

Test(bench_run, a_loop_without_waits_can_be_stopped_too)
{
    world.stop_ms = 200;
    run("repeat 100000 {\nmark m\n}\n");
    cr_expect(outcome.interrupted);
}

Test(bench_run, says_why_it_could_not_begin)
{
    world.launch = UM_ERR_NOT_FOUND;
    run("key a\n");
    expect_stopped(UM_ERR_NOT_FOUND, "line 1: it is not there");
    setup();
    world.window_ms = 0;
    run("key a\n");
    expect_stopped(UM_ERR_TIMEOUT, "line 1: the program showed no window within 60 s");
    setup();
    world.measuring_ms = 0;
    run("key a\n");
    cr_expect_str_eq(outcome.why, "line 1: the program could not be measured within 60 s");
    setup();
    world.no_front = true;
    run("key a\n");
    cr_expect_str_eq(outcome.why, "line 1: it stays behind");
    cr_expect_eq(key_count, 0);
}

Test(bench_run, a_program_that_does_not_close_aborts_the_run)
{
    world.no_close = true;
    run("key a\n");
    expect_stopped(UM_ERR_BUSY, "line 2: it does not close");
}

Test(bench_run, a_failed_tool_aborts_the_run_with_its_own_reason)
{
    world.exec_fails = true;
    world.no_close = true;
    run("exec tool\nkey a\n");
    cr_expect_str_eq(outcome.why, "line 2: it ended with exit code 3");
    cr_expect_eq(key_count, 0);
    setup();
    run("menu Nothing\n");
    cr_expect_str_eq(outcome.why, "line 2: no such item");
}

/* A wait that comes back late holds the keys up; those behind keep their distance. */
static bool late_wait(void *context, uint64_t until_ns)
{
    bool good = fake_wait(context, until_ns);
    if (key_count == 3 && until_ns == key_ns[2] + 100 * MS)
        clock_ns += 250 * MS;
    return good;
}

Test(bench_run, a_late_input_is_told_and_not_made_up_for)
{
    struct um_bench_run_host late = host;
    char error[512];
    static const char text[] = "launch a.exe\ntype \"abcdefg\" rate 10\n";
    late.wait = late_wait;
    cr_assert_eq(
        um_scenario_parse(text, strlen(text), "f", NULL, 0, &scenario, error, sizeof error), UM_OK);
    um_bench_run(&scenario, &late, results, 0, &outcome);
    cr_assert_eq(key_count, 7);
    cr_expect_eq(key_ns[3] - key_ns[2], 350 * MS);
    for (size_t i = 4; i < 7; i++)
        cr_expect_geq(key_ns[i] - key_ns[i - 1], 100 * MS, "a burst no person types");
    read_run();
    cr_expect_float_eq(value("injector_late_ms"), 250, 1e-9);
}
