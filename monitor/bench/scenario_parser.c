#include "monitor/bench/scenario_parser.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain/clock.h"
#include "base/decimal.h"

#define SHOWN_COLUMNS 40
#define MIN_RATE 0.1
#define MAX_RATE 200.0
#define MAX_TIME_MS 3600000.0
#define MAX_PIXEL 32767

enum um_status um_scenario_parser_refuse(struct um_scenario_parser *parser)
{
    snprintf(parser->error, parser->error_cap, "uimon: %s:%lu: %s", parser->name,
             (unsigned long)parser->line, parser->what);
    return UM_ERR_FORMAT;
}

struct um_utf8_shown um_scenario_parser_show(const char *text)
{
    return um_utf8_show(text, SHOWN_COLUMNS);
}

/* Memory that lives as long as the scenario; NULL if there is none. */
static void *room(struct um_scenario *scenario, size_t len_bytes)
{
    struct um_scenario_text *text = malloc(sizeof *text + len_bytes);
    if (!text)
        return NULL;
    text->next = scenario->texts;
    scenario->texts = text;
    return text->bytes;
}

const char *um_scenario_parser_keep(struct um_scenario *scenario, const char *text,
                                    size_t len_bytes)
{
    char *copy = room(scenario, len_bytes + 1);
    if (copy) {
        memcpy(copy, text, len_bytes);
        copy[len_bytes] = 0;
    }
    return copy;
}

const struct um_scenario_word *um_scenario_parser_peek(const struct um_scenario_parser *parser)
{
    return parser->at < parser->words.count ? &parser->words.list[parser->at] : NULL;
}

const struct um_scenario_word *um_scenario_parser_next(struct um_scenario_parser *parser)
{
    const struct um_scenario_word *word = um_scenario_parser_peek(parser);
    parser->at += word != NULL;
    return word;
}

bool um_scenario_parser_take(struct um_scenario_parser *parser, const char *text)
{
    const struct um_scenario_word *word = um_scenario_parser_peek(parser);
    bool is = word && !word->quoted && strcmp(word->text, text) == 0;
    parser->at += is;
    return is;
}

enum um_status um_scenario_parser_read_time(struct um_scenario_parser *parser, const char *what,
                                            uint64_t *ns)
{
    const struct um_scenario_word *word = um_scenario_parser_next(parser);
    double number = 0;

    if (!word)
        return UM_SCENARIO_REFUSE(parser, "%s: a time is missing, as in 500ms or 2s", what);
    const char *unit = um_decimal_read(word->text, &number);
    if (unit && strcmp(unit, "s") == 0)
        number *= 1000;
    else if (!unit || (*unit && strcmp(unit, "ms") != 0))
        return UM_SCENARIO_REFUSE(parser, "%s: '%s' is not a time; write it as in 500, 500ms or 2s",
                                  what, um_scenario_parser_show(word->text).text);
    if (number > MAX_TIME_MS)
        return UM_SCENARIO_REFUSE(parser, "%s: '%s' is longer than an hour", what,
                                  um_scenario_parser_show(word->text).text);
    *ns = (uint64_t)llround(number * (double)UM_CLOCK_NS_PER_MS);
    return UM_OK;
}

enum um_status um_scenario_parser_read_count(struct um_scenario_parser *parser, const char *what,
                                             int32_t min, int32_t max, int32_t *count)
{
    const struct um_scenario_word *word = um_scenario_parser_next(parser);
    const char *text = word ? word->text : "";
    double number = 0;
    bool minus = min < 0 && *text == '-';

    if (!word)
        return UM_SCENARIO_REFUSE(parser, "%s: a number is missing", what);
    const char *rest = um_decimal_read(text + minus, &number);
    number = minus ? -number : number;
    if (!rest || *rest || number > floor(number) || number < min || number > max)
        return UM_SCENARIO_REFUSE(parser, "%s: '%s' is not a whole number from %ld to %ld", what,
                                  um_scenario_parser_show(text).text, (long)min, (long)max);
    *count = (int32_t)number;
    return UM_OK;
}

enum um_status um_scenario_parser_read_rate(struct um_scenario_parser *parser, double *rate)
{
    const struct um_scenario_word *word = um_scenario_parser_next(parser);
    double number = 0;

    if (!word)
        return UM_SCENARIO_REFUSE(parser, "rate: a number is missing, as in rate 12/s");
    const char *unit = um_decimal_read(word->text, &number);
    if (!unit || (*unit && strcmp(unit, "/s") != 0) || number < MIN_RATE || number > MAX_RATE)
        return UM_SCENARIO_REFUSE(parser,
                                  "rate: '%s' is not a rate from 0.1/s to 200/s, as in rate 12/s",
                                  um_scenario_parser_show(word->text).text);
    *rate = number;
    return UM_OK;
}

bool um_scenario_parser_read_point(const char *text, int32_t *x, int32_t *y)
{
    double across, down;
    const char *comma = um_decimal_read(text, &across);
    const char *end = comma && *comma == ',' ? um_decimal_read(comma + 1, &down) : NULL;

    if (!end || *end || across > MAX_PIXEL || down > MAX_PIXEL || across > floor(across) ||
        down > floor(down))
        return false;
    *x = (int32_t)across;
    *y = (int32_t)down;
    return true;
}

enum um_status um_scenario_parser_keep_text(struct um_scenario_parser *parser, const char *text,
                                            struct um_scenario_step *step)
{
    step->text = um_scenario_parser_keep(parser->out, text, strlen(text));
    return step->text ? UM_OK : UM_ERR_MEMORY;
}

enum um_status um_scenario_parser_keep_words(struct um_scenario_parser *parser,
                                             struct um_scenario_step *step)
{
    size_t count = parser->words.count - parser->at;
    const char **argv = room(parser->out, (count + 1) * sizeof *argv);

    if (!argv)
        return UM_ERR_MEMORY;
    for (size_t i = 0; i < count; i++) {
        const char *text = um_scenario_parser_next(parser)->text;
        argv[i] = um_scenario_parser_keep(parser->out, text, strlen(text));
        if (!argv[i])
            return UM_ERR_MEMORY;
    }
    argv[count] = NULL;
    step->argv = argv;
    step->argc = (int)count;
    return UM_OK;
}
