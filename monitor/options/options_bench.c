/* The rules of benchmarks for their options: bench, bisect, compare and calibrate. */
#include "monitor/options/options_commands.h"

#include <string.h>

/* Checks the options that need both sides. */
static enum um_status check_sides(const struct um_options *options,
                                  const struct um_options_value_place *place)
{
    static const enum um_options_table_id of_two[] = {UM_OPT_UNTIL, UM_OPT_FAIL_OVER,
                                                      UM_OPT_MARKDOWN, UM_OPT_BISECT};
    bool before = options->before.count > 0, after = options->after.count > 0;

    if (before != after)
        return UM_OPTIONS_VALUE_REFUSE(place,
                                       "--%s without --%s: a comparison has two sides; give both",
                                       before ? "before" : "after", before ? "after" : "before");
    for (size_t i = 0; i < sizeof of_two / sizeof of_two[0] && !before; i++)
        if (options->given_on_line[of_two[i]])
            return UM_OPTIONS_VALUE_REFUSE(
                place, "--%s is for a comparison; give bench two sides, with --before and --after",
                um_options_table[of_two[i]].name);
    if (options->resume && (!options->json || strcmp(options->json, "-") == 0))
        return UM_OPTIONS_VALUE_REFUSE(place,
                                       "--resume: say with --json FILE where the whole results go");
    return UM_OK;
}

enum um_status um_options_bench_line(struct um_options *options,
                                     const struct um_options_value_place *place)
{
    enum um_status status = UM_OK;

    if (options->command == UM_OPTIONS_BENCH)
        status = check_sides(options, place);
    if (status == UM_OK && options->bisect && options->limits.count == 0)
        return UM_OPTIONS_VALUE_REFUSE(
            place, "--bisect says whether a limit is kept; give one, with --fail-over");
    if (options->command == UM_OPTIONS_BISECT && !options->given_on_line[UM_OPT_UNTIL])
        options->until_percent = UM_OPTIONS_BISECT_PERCENT;
    if (options->until_percent > 0 && !options->given_on_line[UM_OPT_RUNS])
        options->runs = UM_OPTIONS_UNTIL_RUNS;
    return status;
}

/* A benchmark must not wait for a user, nor depend on which window is in front. */
enum um_status um_options_bench_last(struct um_options *options,
                                     const struct um_options_value_place *place)
{
    (void)place;
    options->idle_pause_s = 0;
    options->background = UM_BACKGROUND_FULL;
    options->interactions = true;
    return UM_OK;
}
