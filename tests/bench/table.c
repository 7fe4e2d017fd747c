#include "tests/bench/table.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cjson/cJSON.h>

#define SCHEMA 1
#define WHAT_COLUMNS 52

struct row row_of_number(const char *id, const char *what, const char *unit, double value,
                         unsigned n)
{
    struct row row = {.limit_median = NAN, .limit_least = NAN, .limit_worst = NAN, .worst = NAN};

    snprintf(row.id, sizeof row.id, "%s", id);
    snprintf(row.what, sizeof row.what, "%s", what);
    snprintf(row.unit, sizeof row.unit, "%s", unit);
    row.median = value;
    row.n = n;
    row.failed = isnan(value) || n == 0;
    return row;
}

struct row row_of_series(const char *id, const char *what, const char *unit,
                         const struct series *series)
{
    struct row row = row_of_number(id, what, unit, series_median(series), (unsigned)series->len);

    row.worst = series_max(series);
    if (series->len == 0)
        row_note(&row, "nothing was measured");
    return row;
}

void row_budget(struct row *row, enum row_limit limit, double limit_median, double limit_worst,
                const char *words)
{
    row->limit = limit;
    row->limit_median = limit_median;
    row->limit_worst = limit_worst;
    snprintf(row->budget, sizeof row->budget, "%s", words);
}

void row_between(struct row *row, double least, double most, const char *words)
{
    row_budget(row, ROW_BETWEEN, most, (double)NAN, words);
    row->limit_least = least;
}

void row_note(struct row *row, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(row->note, sizeof row->note, format, list);
    va_end(list);
}

static bool is_over(const struct row *row)
{
    if (row->limit == ROW_AT_LEAST)
        return row->median < row->limit_median;
    if (row->limit == ROW_BETWEEN && row->median < row->limit_least)
        return true;
    return row->median > row->limit_median ||
           (!isnan(row->limit_worst) && row->worst > row->limit_worst);
}

const char *row_verdict(const struct row *row)
{
    if (row->failed)
        return "FAILED";
    if (row->limit == ROW_REPORTED)
        return "-";
    return is_over(row) ? "OVER" : "ok";
}

void table_add(struct table *table, const struct row *row)
{
    if (table->len < TABLE_MAX_ROWS)
        table->rows[table->len++] = *row;
}

void table_print_head(void)
{
    printf("%-*s %-24s %14s %12s %5s  %s\n", WHAT_COLUMNS, "what", "budget", "median", "worst", "n",
           "");
}

/* Three digits that count, and never an exponent. */
static void format_value(char *text, size_t cap, double value)
{
    double size = fabs(value);
    int decimals = size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;

    if (isnan(value))
        snprintf(text, cap, "%s", "");
    else
        snprintf(text, cap, "%.*f", decimals, value);
}

void table_print_row(const struct row *row)
{
    char median[32], with_unit[48], worst[32];

    format_value(median, sizeof median, row->median);
    snprintf(with_unit, sizeof with_unit, "%s %s", median, isnan(row->median) ? "" : row->unit);
    format_value(worst, sizeof worst, row->worst);
    printf("%-*s %-24s %14s %12s %5u  %s\n", WHAT_COLUMNS, row->what, row->budget, with_unit, worst,
           row->n, row_verdict(row));
    if (row->note[0])
        printf("    %s\n", row->note);
    fflush(stdout);
}

static void put_number(cJSON *object, const char *name, double value)
{
    if (!isnan(value))
        cJSON_AddNumberToObject(object, name, value);
}

static cJSON *row_json(const struct row *row)
{
    const char *verdict = row->failed                  ? "failed"
                          : row->limit == ROW_REPORTED ? "reported"
                          : is_over(row)               ? "over"
                                                       : "ok";
    static const char *const limits[] = {
        [ROW_AT_MOST] = "at most", [ROW_AT_LEAST] = "at least", [ROW_BETWEEN] = "between"};
    cJSON *object = cJSON_CreateObject();

    cJSON_AddStringToObject(object, "id", row->id);
    cJSON_AddStringToObject(object, "what", row->what);
    cJSON_AddStringToObject(object, "unit", row->unit);
    if (row->limit != ROW_REPORTED) {
        cJSON_AddStringToObject(object, "limit", limits[row->limit]);
        put_number(object, "limit_least", row->limit_least);
        put_number(object, "limit_median", row->limit_median);
        put_number(object, "limit_worst", row->limit_worst);
    }
    put_number(object, "median", row->median);
    put_number(object, "worst", row->worst);
    cJSON_AddNumberToObject(object, "n", row->n);
    cJSON_AddStringToObject(object, "verdict", verdict);
    if (row->note[0])
        cJSON_AddStringToObject(object, "note", row->note);
    return object;
}

static void put_time(cJSON *root)
{
    time_t now = time(NULL);
    char text[32];

    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    cJSON_AddStringToObject(root, "ended", text);
}

bool table_write_json(const struct table *table, const char *path, double seconds)
{
    cJSON *root = cJSON_CreateObject();
    cJSON *rows = cJSON_AddArrayToObject(root, "rows");
    FILE *file = fopen(path, "w");
    bool good = file != NULL;

    cJSON_AddStringToObject(root, "uimon", UM_VERSION);
    cJSON_AddNumberToObject(root, "schema", SCHEMA);
    put_time(root);
    put_number(root, "seconds", seconds);
    for (size_t i = 0; i < table->len; i++)
        cJSON_AddItemToArray(rows, row_json(&table->rows[i]));
    char *text = cJSON_Print(root);
    good = good && text && fprintf(file, "%s\n", text) > 0;
    if (file)
        good = fclose(file) == 0 && good;
    cJSON_free(text);
    cJSON_Delete(root);
    return good;
}
