/* The state of a scenario while it is read, and functions that read its words. Internal to
 * scenario.c, where a reader starts, and scenario_steps.c. The functions take the next words of the
 * present line. `what` is the keyword that begins their errors ("sleep", "within").
 */
#ifndef UM_MONITOR_SCENARIO_PARSER_H
#define UM_MONITOR_SCENARIO_PARSER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "base/utf8.h"
#include "monitor/bench/scenario.h"
#include "monitor/bench/scenario_words.h"

/* One copied text of a scenario, in a list that um_scenario_deinit frees. */
struct um_scenario_text {
    struct um_scenario_text *next;
    uint64_t bytes[]; /* aligned for pointers too */
};

struct um_scenario_parser {
    struct um_scenario *out;
    const char *name; /* of the file, for errors */
    uint32_t line;    /* the present one */
    char *error;
    size_t error_cap;
    char what[512]; /* what is wrong, without file and line */
    struct um_scenario_words words;
    size_t at;                            /* the next word */
    uint32_t open[UM_SCENARIO_MAX_DEPTH]; /* the steps that opened the blocks around this line */
    /* By depth: how often a step at that depth is done in a run. */
    uint64_t times[UM_SCENARIO_MAX_DEPTH + 1];
    uint32_t depth;
    uint32_t measure_line; /* where the open measure begins; 0: none is open */
    uint32_t close_line;   /* where close was read; 0: not yet */
    size_t step_cap;
};

/* Writes an error about the present line, and gives UM_ERR_FORMAT:
 * return UM_SCENARIO_REFUSE(parser, "format", ...). */
#define UM_SCENARIO_REFUSE(parser, ...)                                                            \
    (snprintf((parser)->what, sizeof parser->what, __VA_ARGS__), um_scenario_parser_refuse(parser))

/* Writes parser->error from parser->what. Returns UM_ERR_FORMAT. */
enum um_status um_scenario_parser_refuse(struct um_scenario_parser *parser);

/* A text of the scenario, shortened for an error line. */
struct um_utf8_shown um_scenario_parser_show(const char *text);

/* Copies a text; the copy lives as long as the scenario. NULL without memory. */
const char *um_scenario_parser_keep(struct um_scenario *scenario, const char *text,
                                    size_t len_bytes);

/* Copies a text into step->text. Errors: UM_ERR_MEMORY. */
enum um_status um_scenario_parser_keep_text(struct um_scenario_parser *parser, const char *text,
                                            struct um_scenario_step *step);

/* Takes all words that are left, as the step's argv. Errors: UM_ERR_MEMORY. */
enum um_status um_scenario_parser_keep_words(struct um_scenario_parser *parser,
                                             struct um_scenario_step *step);

/* The next word, without taking it; NULL at the end of the line. */
const struct um_scenario_word *um_scenario_parser_peek(const struct um_scenario_parser *parser);

/* Takes the next word; NULL at the end of the line. */
const struct um_scenario_word *um_scenario_parser_next(struct um_scenario_parser *parser);

/* Takes the next word if it is this one, without quotes. */
bool um_scenario_parser_take(struct um_scenario_parser *parser, const char *text);

/* Takes a time: 500, 500ms or 2s. Errors: UM_ERR_FORMAT. */
enum um_status um_scenario_parser_read_time(struct um_scenario_parser *parser, const char *what,
                                            uint64_t *ns);

/* Takes a whole number, which may have a minus sign if `min` is negative. Errors: UM_ERR_FORMAT. */
enum um_status um_scenario_parser_read_count(struct um_scenario_parser *parser, const char *what,
                                             int32_t min, int32_t max, int32_t *count);

/* Takes a rate: 12/s or 12. Errors: UM_ERR_FORMAT. */
enum um_status um_scenario_parser_read_rate(struct um_scenario_parser *parser, double *rate);

/* Reads a point, as in "10,20". False if the text is no point. */
bool um_scenario_parser_read_point(const char *text, int32_t *x, int32_t *y);

#endif
