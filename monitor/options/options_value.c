#include "monitor/options/options_value.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/overlay_rows.h"
#include "base/decimal.h"
#include "base/module_list.h"
#include "base/provider_spec.h"
#include "base/utf8.h"

#define SHOWN_COLUMNS 60

/* Fields of choices are written through an int pointer. */
_Static_assert(sizeof(enum um_probe) == sizeof(int), "an enum is as large as an int");
_Static_assert(sizeof(enum um_background) == sizeof(int), "an enum is as large as an int");
_Static_assert(sizeof(enum um_beat_kind) == sizeof(int), "an enum is as large as an int");
_Static_assert(sizeof(enum um_overlay_position) == sizeof(int), "an enum is as large as an int");
_Static_assert(sizeof(enum um_wire_panel) == sizeof(int), "an enum is as large as an int");
_Static_assert(sizeof(enum um_wire_by) == sizeof(int), "an enum is as large as an int");
_Static_assert(sizeof(enum um_overlay_look) == sizeof(int), "an enum is as large as an int");
_Static_assert(sizeof(enum um_overlay_meter) == sizeof(int), "an enum is as large as an int");
_Static_assert(sizeof(enum um_wire_layout_mode) == sizeof(int), "an enum is as large as an int");

static void *field(struct um_options *options, const struct um_options_table_row *row)
{
    return (char *)options + row->offset;
}

static enum um_status complain(const struct um_options_value_place *place,
                               const struct um_options_table_row *row, const char *value,
                               const char *why)
{
    snprintf(place->error, place->error_cap, "%s%s%s%s: %s", place->in_file ? "" : "uimon: --",
             row->name, place->in_file ? "=" : " ", um_utf8_show(value, SHOWN_COLUMNS).text, why);
    return UM_ERR_ARG;
}

/* "between 1 and 60000 ms" */
static void describe_range(const struct um_options_table_row *row, char *buf, size_t cap)
{
    snprintf(buf, cap, "%s%sbetween %.10g and %.10g%s%s", row->zero ? row->zero : "",
             row->zero ? " or " : "", row->min, row->max, row->unit ? " " : "",
             row->unit ? row->unit : "");
}

static bool read_number(const char *text, double *number)
{
    bool minus = *text == '-';
    const char *rest = um_decimal_read(text + minus, number);

    if (!rest || *rest != '\0')
        return false;
    *number = minus ? -*number : *number;
    return true;
}

/* Reads a number, with the option's unit behind it or not: 500ms. */
static bool read_value(const struct um_options_table_row *row, const char *value, double *number)
{
    char digits[32];
    size_t len = strlen(value);
    size_t unit = row->unit ? strlen(row->unit) : 0;

    if (unit == 0 || len <= unit || len - unit >= sizeof digits ||
        strcmp(value + len - unit, row->unit) != 0)
        return read_number(value, number);
    memcpy(digits, value, len - unit);
    digits[len - unit] = '\0';
    return read_number(digits, number);
}

bool um_options_value_is_number(const struct um_options_table_row *row, const char *text)
{
    double number;
    return read_value(row, text, &number);
}

static enum um_status set_number(const struct um_options_table_row *row, const char *value,
                                 const struct um_options_value_place *place, double *number)
{
    char range[96];
    char why[160];
    double parsed = 0;
    bool is_zero = row->zero && strcmp(value, row->zero) == 0;
    bool readable = is_zero || read_value(row, value, &parsed);

    if (is_zero || (readable && row->zero && parsed == 0)) {
        *number = 0;
        return UM_OK;
    }
    describe_range(row, range, sizeof range);
    if (!readable || parsed < row->min || parsed > row->max) {
        snprintf(why, sizeof why, "%smust be %s", readable ? "" : "not a number; ", range);
        return complain(place, row, value, why);
    }
    *number = parsed;
    return UM_OK;
}

static enum um_status set_whole(const struct um_options_table_row *row, const char *value,
                                const struct um_options_value_place *place, uint32_t *whole)
{
    double number = 0;
    enum um_status status = set_number(row, value, place, &number);

    if (status != UM_OK)
        return status;
    if ((double)(uint32_t)number < number)
        return complain(place, row, value, "must be a whole number");
    *whole = (uint32_t)number;
    return UM_OK;
}

static enum um_status set_flag(const struct um_options_table_row *row, const char *value,
                               const struct um_options_value_place *place, bool *flag)
{
    static const char *const words[][2] = {
        {"off", "on"}, {"no", "yes"}, {"false", "true"}, {"0", "1"}};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        for (size_t on = 0; on < 2; on++) {
            if (!value || strcmp(value, words[i][on]) == 0) {
                *flag = !value || on == 1;
                return UM_OK;
            }
        }
    }
    return complain(place, row, value, "must be on or off");
}

static enum um_status set_choice(const struct um_options_table_row *row, const char *value,
                                 const struct um_options_value_place *place, int *choice)
{
    char why[96];
    int at = 0;

    for (const char *word = row->value;; word++, at++) {
        size_t len = strcspn(word, "|");
        if (strlen(value) == len && memcmp(word, value, len) == 0) {
            *choice = at;
            return UM_OK;
        }
        word += len;
        if (!*word)
            break;
    }
    snprintf(why, sizeof why, "must be %s", row->value);
    return complain(place, row, value, why);
}

bool um_options_value_is_word(const struct um_options_table_row *row, const char *text)
{
    char none[1];
    int choice;
    return set_choice(row, text, &(struct um_options_value_place){.error = none, .error_cap = 1},
                      &choice) == UM_OK;
}

static enum um_status check_hotkeys(const struct um_options_table_row *row, const char *value,
                                    const struct um_options_value_place *place)
{
    if (um_options_hotkeys_valid(value))
        return UM_OK;
    return complain(
        place, row, value,
        "must be none, or as in hide=Ctrl+Alt+F9,mark=none; names are " UM_OPTIONS_HOTKEY_LIST(
            UM_OPTIONS_HOTKEY_NAME) "and keys are none, or Ctrl, "
                                    "Alt or Win, and a letter, a digit or F1 to F24");
}

static bool has_odd_quotes(const char *text)
{
    bool odd = false;
    for (; *text; text++)
        odd ^= *text == '"';
    return odd;
}

/* A list must have a module in it, unless it is empty. */
static enum um_status check_modules(const struct um_options_table_row *row, const char *value,
                                    const struct um_options_value_place *place)
{
    const char *entry;
    size_t len;
    if (strpbrk(value, "*?"))
        return complain(place, row, value,
                        "names have no * and no ? in them; a folder with its slash at the end "
                        "stands for all in it");
    if (has_odd_quotes(value))
        return complain(place, row, value, "a quote is missing");
    if (*value && !um_module_list_next(value, &entry, &len))
        return complain(place, row, value, "there is no module in this list");
    return UM_OK;
}

static enum um_status check_rows(const struct um_options_table_row *row, const char *value,
                                 const struct um_options_value_place *place)
{
    struct um_overlay_rows rows;
    const char *wrong;
    size_t len_bytes;
    char name[SHOWN_COLUMNS];
    char why[320];

    if (um_overlay_rows_parse(value, &rows, &wrong, &len_bytes))
        return UM_OK;
    snprintf(name, sizeof name, "%.*s", (int)(len_bytes < 40 ? len_bytes : 40), wrong);
    int at = snprintf(why, sizeof why, "there is no row \"%s\", but ",
                      um_utf8_show(name, SHOWN_COLUMNS).text);
    for (int i = 0; i < UM_OVERLAY_ROWS_COUNT; i++)
        at += snprintf(why + at, sizeof why - (size_t)at, "%s, ", um_overlay_rows_list[i].name);
    snprintf(why + at, sizeof why - (size_t)at,
             "all and none, and "
             "eight counters as PROVIDER/NAME");
    return complain(place, row, value, why);
}

/* Sets a text: the command line's as it is, the file's as a copy that the options own. */
static enum um_status set_text(struct um_options *options, const struct um_options_table_row *row,
                               const char *value, const struct um_options_value_place *place)
{
    const char **out = field(options, row);
    size_t size = strlen(value) + 1;

    if (size == 1 && !row->may_be_empty)
        return complain(place, row, value, "must not be empty");
    if (!place->in_file) {
        *out = value;
        return UM_OK;
    }
    struct um_options_text *copy = malloc(sizeof *copy + size);
    if (!copy) {
        snprintf(place->error, place->error_cap, "%s", um_status_text(UM_ERR_MEMORY));
        return UM_ERR_MEMORY;
    }
    memcpy(copy->text, value, size);
    copy->next = options->texts;
    options->texts = copy;
    *out = copy->text;
    return UM_OK;
}

/* Appends a text of the command line to a list. The file has no such options. */
static enum um_status add_text(const struct um_options_table_row *row, const char *value,
                               const struct um_options_value_place *place,
                               struct um_options_list *list)
{
    if (*value == '\0')
        return complain(place, row, value, "must not be empty");
    if (list->count == UM_OPTIONS_MANY)
        return complain(place, row, value, "it can be given 64 times at most");
    list->items[list->count++] = value;
    return UM_OK;
}

static enum um_status add_provider(const struct um_options_table_row *row, const char *value,
                                   const struct um_options_value_place *place,
                                   struct um_options_list *list)
{
    if (!um_provider_spec_valid(value))
        return complain(place, row, value,
                        "must be a provider's name, as in System.Runtime, or its name, keywords in "
                        "hexadecimal and a level from 0 to 5, as in System.Runtime:0:4");
    return add_text(row, value, place, list);
}

static enum um_status set_wait(struct um_options *options, const struct um_options_table_row *row,
                               const char *value, const struct um_options_value_place *place)
{
    double seconds = -1;
    enum um_status status = value ? set_number(row, value, place, &seconds) : UM_OK;

    if (status == UM_OK) {
        options->wait = true;
        options->wait_s = seconds;
    }
    return status;
}

enum um_status um_options_value_set(struct um_options *options,
                                    const struct um_options_table_row *row, const char *value,
                                    const struct um_options_value_place *place)
{
    enum um_status status = UM_OK;

    switch (row->kind) {
    case UM_OPTIONS_TABLE_FLAG:
        return set_flag(row, value, place, field(options, row));
    case UM_OPTIONS_TABLE_OPEN:
        return set_wait(options, row, value, place);
    case UM_OPTIONS_TABLE_NUMBER:
        return set_number(row, value, place, field(options, row));
    case UM_OPTIONS_TABLE_WHOLE:
        return set_whole(row, value, place, field(options, row));
    case UM_OPTIONS_TABLE_CHOICE:
        return set_choice(row, value, place, field(options, row));
    case UM_OPTIONS_TABLE_WORD:
        return value ? set_choice(row, value, place, field(options, row))
                     : (*(int *)field(options, row) = 1, UM_OK);
    case UM_OPTIONS_TABLE_MANY:
        return add_text(row, value, place, field(options, row));
    case UM_OPTIONS_TABLE_PROVIDERS:
        return add_provider(row, value, place, field(options, row));
    case UM_OPTIONS_TABLE_MODULES:
        status = check_modules(row, value, place);
        break;
    case UM_OPTIONS_TABLE_HOTKEYS:
        status = check_hotkeys(row, value, place);
        break;
    case UM_OPTIONS_TABLE_ROWS:
        status = check_rows(row, value, place);
        break;
    case UM_OPTIONS_TABLE_TEXT:
    case UM_OPTIONS_TABLE_OUTPUT:
        break;
    }
    return status == UM_OK ? set_text(options, row, value, place) : status;
}

void um_options_value_defaults(struct um_options *options)
{
    memset(options, 0, sizeof *options);
    options->wait_s = -1;
    for (size_t i = 0; i < UM_OPT_COUNT; i++) {
        const struct um_options_table_row *row = &um_options_table[i];
        if (row->kind == UM_OPTIONS_TABLE_NUMBER)
            *(double *)field(options, row) = row->fallback;
        else if (row->kind == UM_OPTIONS_TABLE_WHOLE)
            *(uint32_t *)field(options, row) = (uint32_t)row->fallback;
    }
}
