/* Checks one value of an option and puts it into its field. Internal to monitor/options; a reader
 * starts at options.c.
 */
#ifndef UM_MONITOR_OPTIONS_VALUE_H
#define UM_MONITOR_OPTIONS_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/plain/status.h"
#include "monitor/options/options_table.h"

/* A text of the configuration file, which the options own. */
struct um_options_text {
    struct um_options_text *next;
    char text[];
};

/* Where the value comes from, and where an error about it is written. */
struct um_options_value_place {
    bool in_file;
    char *error;
    size_t error_cap;
};

/* Fills the struct with the table's defaults. */
void um_options_value_defaults(struct um_options *options);

/* Sets the field of a row. `value` is NULL for a flag alone.
 * Owner: a text of the command line is pointed to, a text of the file is copied.
 * Errors: UM_ERR_ARG the row does not allow this value; UM_ERR_MEMORY. */
enum um_status um_options_value_set(struct um_options *options,
                                    const struct um_options_table_row *row, const char *value,
                                    const struct um_options_value_place *place);

/* Whether a text is a plain decimal number, without exponent, hexadecimal digits or infinity, with
 * the unit of the row behind it or not. */
bool um_options_value_is_number(const struct um_options_table_row *row, const char *text);

/* Whether a text is one of the words of a row with a choice. */
bool um_options_value_is_word(const struct um_options_table_row *row, const char *text);

/* Writes the line that says what is wrong, and is the status: return
 * UM_OPTIONS_VALUE_REFUSE(place, "format", ...). */
#define UM_OPTIONS_VALUE_REFUSE(place, ...)                                                        \
    (snprintf((place)->error, (place)->error_cap, "uimon: " __VA_ARGS__), UM_ERR_ARG)

/* Whether --hotkeys takes this text (options_hotkeys.c). */
bool um_options_hotkeys_valid(const char *text);

#endif
