/* The rules of reports for their options. */
#include "monitor/options/options_commands.h"

#include <string.h>

enum um_status um_options_report_line(struct um_options *options,
                                      const struct um_options_value_place *place)
{
    if (options->follow && (!options->html || strcmp(options->html, "-") == 0))
        return UM_OPTIONS_VALUE_REFUSE(place, "--follow: say with --html FILE where the page goes");
    return UM_OK;
}
