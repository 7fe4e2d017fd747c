/* The rows of the benchmark: what was measured, beside its budget.
 *
 * Each measure runs in a process of its own and sends its rows to the one that prints them, so that
 * a measure that fails takes nobody along and whatever it started dies with it.
 */
#ifndef UM_TESTS_BENCH_TABLE_H
#define UM_TESTS_BENCH_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "tests/bench/series.h"

#define TABLE_MAX_ROWS 512

enum row_limit { ROW_REPORTED = 0, ROW_AT_MOST, ROW_AT_LEAST, ROW_BETWEEN };

/* Plain values: rows travel through a pipe as they are. */
struct row {
    char id[40];     /* stable name, for bench.json */
    char what[80];   /* for people */
    char unit[12];   /* of all numbers of the row */
    char budget[40]; /* "" where nothing is promised: the figure is reported */
    enum row_limit limit;
    double limit_median; /* of ROW_BETWEEN the most */
    double limit_least;  /* of ROW_BETWEEN; else NAN */
    double limit_worst;  /* NAN: none */
    double median;
    double worst; /* NAN: there is one number only */
    unsigned n;
    bool failed;    /* it could not be measured; `note` says why */
    char note[200]; /* what a reader should know about the numbers; may be "" */
};

/* A row of a series; the worst is the greatest, for ROW_AT_LEAST the smallest. */
struct row row_of_series(const char *id, const char *what, const char *unit,
                         const struct series *series);

/* A row of one number. */
struct row row_of_number(const char *id, const char *what, const char *unit, double value,
                         unsigned n);

/* The promise; `limit_worst` may be NAN. */
void row_budget(struct row *row, enum row_limit limit, double limit_median, double limit_worst,
                const char *words);

/* The same for a number that must be neither less nor more than that. */
void row_between(struct row *row, double least, double most, const char *words);
void row_note(struct row *row, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "ok", "OVER", "-" (reported) or "FAILED". */
const char *row_verdict(const struct row *row);

struct table {
    size_t len;
    struct row rows[TABLE_MAX_ROWS];
};

void table_add(struct table *table, const struct row *row);

/* Prints head, or one row with its notes. */
void table_print_head(void);
void table_print_row(const struct row *row);

/* Writes bench.json (schema: bench.c). False if it cannot be written. */
bool table_write_json(const struct table *table, const char *path, double seconds);

#endif
