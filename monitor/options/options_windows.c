/* The options that only Windows has, where uimon runs on another system. */
#include "monitor/options/options.h"

#include <stdio.h>
#include <string.h>

#include "base/plain/text.h"
#include "monitor/options/options_table.h"

static int *number_of(struct um_options *options, const struct um_options_table_row *row)
{
    return (int *)(void *)((char *)options + row->offset);
}

/* Whether its value asks for what only Windows has. */
static bool asks(struct um_options *options, const struct um_options_table_row *row)
{
    const void *field = (const char *)options + row->offset;
    if (row->kind == UM_OPTIONS_TABLE_FLAG)
        return *(const bool *)field;
    if (row->kind == UM_OPTIONS_TABLE_PROVIDERS)
        return ((const struct um_options_list *)field)->count > 0;
    int value = *number_of(options, row);
    return value != 0 && value != row->harmless;
}

static void leave_out(struct um_options *options, const struct um_options_table_row *row)
{
    if (row->kind == UM_OPTIONS_TABLE_FLAG)
        *(bool *)((char *)options + row->offset) = false;
    else
        *number_of(options, row) = row->harmless;
}

enum um_status um_options_windows_leave_out(struct um_options *options, char *line, size_t cap)
{
    char names[160] = "";
    for (size_t i = 0; i < UM_OPT_COUNT; i++) {
        const struct um_options_table_row *row = &um_options_table[i];
        if (!row->windows || !asks(options, row))
            continue;
        if (options->given_on_line[i]) {
            snprintf(line, cap,
                     "uimon: --%s needs Windows so far: here uimon sees whether a program answers, "
                     "and nothing else of it",
                     row->name);
            return UM_ERR_UNSUPPORTED;
        }
        size_t used = strlen(names);
        if (options->given_in_file[i])
            snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", row->name);
        leave_out(options, row);
    }
    um_text_set(line, cap, "");
    if (names[0])
        snprintf(line, cap, "uimon: left out, because it needs Windows so far: %s", names);
    return UM_OK;
}
