/* The rules of watching for its options: --attach, --launch and demo. */
#include "monitor/options/options_commands.h"

#include <string.h>

#include "base/utf8.h"

#define DOTNET_INTERVAL_MIN_S 0.1

/* Options about how freezes are saved need --dump-dir. */
static enum um_status check_dump(const struct um_options *options,
                                 const struct um_options_value_place *place)
{
    static const enum um_options_table_id rows[] = {UM_OPT_DUMP_OVER, UM_OPT_KEEP, UM_OPT_MINIDUMP};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && !options->dump_dir; i++)
        if (options->given_on_line[rows[i]])
            return UM_OPTIONS_VALUE_REFUSE(place,
                                           "--%s: say with --dump-dir where freezes are saved",
                                           um_options_table[rows[i]].name);
    return UM_OK;
}

/* Watching uses the interval only for the runtime's counters. Shorter ones would cost the target
 * time. */
static enum um_status settle_dotnet(struct um_options *options,
                                    const struct um_options_value_place *place)
{
    options->dotnet = options->dotnet || options->providers.count > 0;
    if (!options->given_on_line[UM_OPT_INTERVAL])
        return UM_OK;
    if (!options->dotnet)
        return UM_OPTIONS_VALUE_REFUSE(
            place, "--interval is for listen and query, and for --dotnet; give that, too");
    if (options->interval_s < DOTNET_INTERVAL_MIN_S)
        return UM_OPTIONS_VALUE_REFUSE(
            place, "--interval %.10g: with --dotnet it must be between %.10g and 60 s",
            options->interval_s, DOTNET_INTERVAL_MIN_S);
    return UM_OK;
}

enum um_status um_options_watch_trace_line(struct um_options *options,
                                           const struct um_options_value_place *place)
{
    if (options->trace == UM_OPTIONS_TRACE_OFF && !options->given_on_line[UM_OPT_TRACE])
        options->trace = UM_OPTIONS_TRACE_METHODS;
    if (!um_options_trace_is_managed(options->trace))
        return UM_OPTIONS_VALUE_REFUSE(
            place, "trace-env is about managed methods: --trace can be methods or calls");
    return UM_OK;
}

enum um_status um_options_watch_line(struct um_options *options,
                                     const struct um_options_value_place *place)
{
    const char *file = options->prometheus;
    size_t len = file ? strlen(file) : 0;

    if (file && (len <= 5 || strcmp(file + len - 5, ".prom") != 0))
        return UM_OPTIONS_VALUE_REFUSE(
            place,
            "--prometheus %s: textfile collectors read only files that end in .prom; name it so",
            um_utf8_show_path(file).text);
    if (options->record && strcmp(options->record, "-") == 0)
        return UM_OPTIONS_VALUE_REFUSE(
            place, "--record -: a recording cannot go to standard output; name a file");
    enum um_status status = check_dump(options, place);
    return status == UM_OK ? settle_dotnet(options, place) : status;
}

enum um_status um_options_watch_last(struct um_options *options,
                                     const struct um_options_value_place *place)
{
    bool asked =
        options->given_on_line[UM_OPT_INTERACTIONS] || options->given_in_file[UM_OPT_INTERACTIONS];

    (void)place;
    if ((options->command == UM_OPTIONS_DEMO && !asked) || options->keep_keys)
        options->interactions = true;
    return UM_OK;
}
