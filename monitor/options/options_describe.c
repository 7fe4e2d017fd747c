/* Writes the options as lines of key=value; a recording keeps them. */
#include "monitor/options/options.h"

#include <stdio.h>
#include <string.h>

#include "monitor/options/options_table.h"

/* Writes a value as it would stand in the configuration file; false for a text that is not set, or
 * that does not fit: a part of it would be another setting. */
static bool print_value(const struct um_options *options, const struct um_options_table_row *row,
                        char *buf, size_t cap)
{
    const void *field = (const char *)options + row->offset;
    double number = 0;

    switch (row->kind) {
    case UM_OPTIONS_TABLE_FLAG:
        snprintf(buf, cap, "%s", *(const bool *)field ? "on" : "off");
        return true;
    case UM_OPTIONS_TABLE_CHOICE: {
        const char *word = row->value;
        for (int i = *(const int *)field; i > 0; i--)
            word += strcspn(word, "|") + 1;
        snprintf(buf, cap, "%.*s", (int)strcspn(word, "|"), word);
        return true;
    }
    case UM_OPTIONS_TABLE_NUMBER:
        number = *(const double *)field;
        break;
    case UM_OPTIONS_TABLE_WHOLE:
        number = *(const uint32_t *)field;
        break;
    default: {
        const char *text = *(const char *const *)field;
        return text && (size_t)snprintf(buf, cap, "%s", text) < cap;
    }
    }
    if (number <= 0 && row->zero)
        snprintf(buf, cap, "%s", row->zero);
    else
        snprintf(buf, cap, "%.10g", number);
    return true;
}

void um_options_describe(const struct um_options *options, char *text, size_t cap_bytes)
{
    char value[256];
    char line[320];
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < UM_OPT_COUNT; i++) {
        const struct um_options_table_row *row = &um_options_table[i];
        if (!row->in_file || !print_value(options, row, value, sizeof value))
            continue;
        int len = snprintf(line, sizeof line, "%s=%s\n", row->name, value);
        if (len < 0 || used + (size_t)len >= cap_bytes)
            return;
        memcpy(text + used, line, (size_t)len + 1);
        used += (size_t)len;
    }
}
