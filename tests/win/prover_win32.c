/* Sessions for proving, which no command of uimon opens without runs to compare: uimon's own parts
 * with a delay of keys. It has to lie beside uimon's DLL.
 *
 *   watch PID DELAY_US RECORDING     watches the program's interactions and records them, until
 *                                    Ctrl+C: the lines of uimon, at the end "delay US" of the
 *                                    summary
 *   bench SCENARIO DELAY_US RESULTS  runs the scenario six times, every second run with the delay,
 *                                    and in each run tries to change it: "changed N" of the tries
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "ipc/clock.h"
#include "monitor/base/output.h"
#include "monitor/base/platform.h"
#include "monitor/bench/bench_host.h"
#include "monitor/bench/bench_results.h"
#include "monitor/bench/bench_run.h"
#include "monitor/bench/scenario.h"
#include "monitor/live/watch.h"
#include "monitor/live/watch_outputs.h"
#include "monitor/target/target.h"

#define RUNS 6
#define TURN_MS 50

static struct um_bench_host *host;
static uint32_t bench_delay_us;
static unsigned changed;

static int fail(const char *what)
{
    fprintf(stderr, "prover_win32: %s\n", what);
    return EXIT_FAILURE;
}

/* The options of `arguments`, with the defaults for all others. */
static void make_options(char **arguments, int count, struct um_options *options)
{
    char error[UM_OPTIONS_ERROR_BYTES];
    if (um_options_parse(count, arguments, options, error, sizeof error) != UM_OK ||
        um_options_finish(options, error, sizeof error) != UM_OK)
        exit(fail(error));
}

static void print_lines(struct um_watch *watch)
{
    char line[UM_WATCH_LINE_BYTES];
    while (um_watch_next_line(watch, line, sizeof line))
        puts(line);
    fflush(stdout);
}

static int watch_process(const struct um_options *options, struct um_target_process *process)
{
    char error[UM_OPTIONS_ERROR_BYTES] = "";
    struct um_watch_outputs outputs = {0};
    struct um_feed_output list[UM_FEED_OUTPUT_MAX];
    struct um_watch *watch;
    struct um_summary summary;
    bool measured = false, stuck;

    if (um_watch_outputs_open(options, &outputs, error, sizeof error) != UM_OK)
        return fail(error);
    size_t count = um_watch_outputs_list(&outputs, list);
    if (um_watch_open(options, process, NULL, list, count, &watch) != UM_OK)
        return fail("watching cannot begin");
    while (!um_watch_over(watch) && !um_platform_interrupted()) {
        print_lines(watch);
        um_platform_wait_interrupt(TURN_MS);
    }
    um_watch_stop(watch);
    um_watch_finish(watch, &summary, &measured, error, sizeof error);
    print_lines(watch);
    if (measured)
        printf("delay %lu\n", (unsigned long)summary.key_delay_us);
    um_watch_close(watch);
    bool whole = um_watch_outputs_close(&outputs, &stuck);
    return measured && whole && !error[0] ? EXIT_SUCCESS : fail(error);
}

static int do_watch(char **args)
{
    static char program[] = "prover", attach[] = "--attach", headless[] = "--headless",
                interactions[] = "--interactions", verbose[] = "--verbose", record[] = "--record";
    char *arguments[] = {program,      attach,  args[0], headless,
                         interactions, verbose, record,  args[2]};
    struct um_options options;
    struct um_target_process *process;

    make_options(arguments, (int)(sizeof arguments / sizeof arguments[0]), &options);
    options.key_delay_us = (uint32_t)strtoul(args[1], NULL, 10);
    if (um_target_open((uint32_t)strtoul(args[0], NULL, 10), &process) != UM_OK)
        return fail("no such process");
    int code = watch_process(&options, process);
    um_target_close(process);
    um_options_deinit(&options);
    return code;
}

/* A mark of the scenario: what a run is like to somebody who wants to change its delay. */
static void mark(void *context, const char *text)
{
    (void)context, (void)text;
    changed += um_bench_host_delay_keys(host, bench_delay_us / 2) != UM_ERR_BUSY;
}

static int do_runs(const struct um_scenario *scenario, struct um_bench_results *results)
{
    struct um_bench_run_host contract = um_bench_host_contract(host);
    struct um_bench_run_outcome outcome;

    contract.mark = mark;
    for (int run = 0; run < RUNS; run++) {
        if (um_bench_host_delay_keys(host, run % 2 ? bench_delay_us : 0) != UM_OK)
            return fail("the delay is refused");
        um_bench_run(scenario, &contract, results, um_clock_utc_ms(), &outcome);
        if (um_bench_results_end(results, true) != UM_OK || outcome.status != UM_OK)
            return fail(outcome.why);
    }
    printf("changed %u\n", changed);
    return EXIT_SUCCESS;
}

static int write_results(const struct um_bench_results *results, const char *path)
{
    const struct um_bench_results_header header = {.scenario_name = "proving"};
    char *text;
    if (um_bench_results_json(results, &header, &text) != UM_OK)
        return fail("out of memory");
    bool wrote = um_output_write(path, "--json", text);
    cJSON_free(text);
    return wrote ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int do_bench(char **args)
{
    static char program[] = "prover", bench[] = "bench";
    char *arguments[] = {program, bench, args[0]};
    char error[UM_OPTIONS_ERROR_BYTES];
    struct um_options options;
    struct um_scenario scenario = {0};
    struct um_bench_results *results;
    char *text;
    size_t len;

    make_options(arguments, (int)(sizeof arguments / sizeof arguments[0]), &options);
    if (um_scenario_load(args[0], &text, &len, error, sizeof error) != UM_OK ||
        um_scenario_parse(text, len, "scenario", NULL, 0, &scenario, error, sizeof error) != UM_OK)
        return fail(error);
    if (um_bench_results_open(&results) != UM_OK ||
        um_bench_host_open(&options, results, &host) != UM_OK)
        return fail("out of memory");
    bench_delay_us = (uint32_t)strtoul(args[1], NULL, 10);
    int code = do_runs(&scenario, results);
    if (code == EXIT_SUCCESS)
        code = write_results(results, args[2]);
    um_bench_host_close(host);
    um_bench_results_close(results);
    um_scenario_deinit(&scenario);
    um_options_deinit(&options);
    free(text);
    return code;
}

int main(void)
{
    char **argv;
    int argc;

    if (um_platform_start(&argc, &argv) != UM_OK)
        return fail("out of memory");
    if (argc == 5 && strcmp(argv[1], "watch") == 0)
        return do_watch(argv + 2);
    if (argc == 5 && strcmp(argv[1], "bench") == 0)
        return do_bench(argv + 2);
    return fail("watch PID DELAY_US RECORDING | bench SCENARIO DELAY_US RESULTS");
}
