#include "monitor/bench/scenario.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/text_file.h"
#include "base/utf8.h"
#include "monitor/bench/scenario_parser.h"
#include "monitor/bench/scenario_steps.h"
#include "monitor/bench/scenario_words.h"

static struct um_scenario_variable *find_variable(struct um_scenario *scenario, const char *name)
{
    for (size_t i = 0; i < scenario->variable_count; i++)
        if (strcmp(scenario->variables[i].name, name) == 0)
            return &scenario->variables[i];
    return NULL;
}

static const char *lookup(void *context, const char *name)
{
    struct um_scenario_variable *variable = find_variable(context, name);
    if (!variable)
        return NULL;
    variable->used = true;
    return variable->value;
}

static bool add_variable(struct um_scenario *scenario, const char *name, size_t name_len,
                         const char *value, uint32_t line)
{
    struct um_scenario_variable variable = {
        .name = um_scenario_parser_keep(scenario, name, name_len),
        .value = um_scenario_parser_keep(scenario, value, strlen(value)),
        .line = line};
    if (!variable.name || !variable.value)
        return false;
    scenario->variables[scenario->variable_count++] = variable;
    return true;
}

/* Reads what follows "set". A value from the command line overrides it. */
static enum um_status read_set(struct um_scenario_parser *parser)
{
    const struct um_scenario_word *name = um_scenario_parser_next(parser);
    const struct um_scenario_word *value = um_scenario_parser_next(parser);

    if (!value)
        return UM_SCENARIO_REFUSE(parser,
                                  "set: write a name and a value, as in set TEXT \"hello\"");
    if (um_scenario_parser_peek(parser))
        return UM_SCENARIO_REFUSE(
            parser, "set: '%s' is one word too many; put quotes around a value with blanks",
            um_scenario_parser_show(um_scenario_parser_peek(parser)->text).text);
    size_t len = um_scenario_words_name_bytes(name->text);
    if (len == 0 || name->text[len] || len >= UM_SCENARIO_NAME_BYTES)
        return UM_SCENARIO_REFUSE(
            parser, "set: '%s' is not a valid name: letters, digits and '_', up to 63",
            um_scenario_parser_show(name->text).text);
    struct um_scenario_variable *there = find_variable(parser->out, name->text);
    if (there && (there->line || there->used))
        return UM_SCENARIO_REFUSE(
            parser, "set: %s has its value already; set it once, above its first use", name->text);
    if (there) {
        there->used = true;
        return UM_OK;
    }
    if (parser->out->variable_count == UM_SCENARIO_MAX_VARIABLES)
        return UM_SCENARIO_REFUSE(parser, "set: there are more than %d variables",
                                  UM_SCENARIO_MAX_VARIABLES);
    return add_variable(parser->out, name->text, len, value->text, parser->line) ? UM_OK
                                                                                 : UM_ERR_MEMORY;
}

static enum um_status read_line(struct um_scenario_parser *parser, const char *text, size_t len)
{
    char line[UM_SCENARIO_MAX_LINE_BYTES + 1];
    char what[256];

    if (len > UM_SCENARIO_MAX_LINE_BYTES)
        return UM_SCENARIO_REFUSE(parser, "the line is longer than %d bytes",
                                  UM_SCENARIO_MAX_LINE_BYTES);
    if (!um_utf8_valid(text, len))
        return UM_SCENARIO_REFUSE(parser, "the text is not UTF-8; save the file as UTF-8");
    memcpy(line, text, len);
    line[len] = 0;
    if (um_scenario_words_split(line, lookup, parser->out, &parser->words, what, sizeof what) !=
        UM_OK)
        return UM_SCENARIO_REFUSE(parser, "%s", what);
    parser->at = 0;
    if (parser->words.count == 0)
        return UM_OK;
    return um_scenario_parser_take(parser, "set") ? read_set(parser)
                                                  : um_scenario_steps_read(parser);
}

static enum um_status read_lines(struct um_scenario_parser *parser, const char *text,
                                 size_t len_bytes)
{
    struct um_text_file_lines lines = um_text_file_lines(text, len_bytes);
    enum um_status status = UM_OK;
    const char *line;
    size_t len;

    if (len_bytes > UM_SCENARIO_MAX_BYTES)
        return UM_SCENARIO_REFUSE(parser, "the file is larger than %d bytes",
                                  UM_SCENARIO_MAX_BYTES);
    while (status == UM_OK && um_text_file_next_line(&lines, &line, &len)) {
        parser->line = (uint32_t)lines.number;
        status = read_line(parser, line, len);
    }
    if (status != UM_OK)
        return status;
    if (parser->depth > 0) {
        parser->line = parser->out->steps[parser->open[parser->depth - 1]].line;
        return UM_SCENARIO_REFUSE(parser, "the '{' of this line is never closed");
    }
    if (parser->out->step_count == 0)
        return UM_SCENARIO_REFUSE(parser, "there are no steps; the first one is launch or attach");
    return UM_OK;
}

/* Adds a variable of the command line, NAME=VALUE. */
static enum um_status define(struct um_scenario *scenario, const char *text, char *error,
                             size_t error_cap)
{
    size_t len = um_scenario_words_name_bytes(text);

    if (len == 0 || text[len] != '=' || len >= UM_SCENARIO_NAME_BYTES) {
        snprintf(error, error_cap, "uimon: %s: a variable is set as NAME=VALUE",
                 um_scenario_parser_show(text).text);
        return UM_ERR_ARG;
    }
    if (!um_utf8_valid(text, strlen(text)) ||
        scenario->variable_count == UM_SCENARIO_MAX_VARIABLES) {
        snprintf(error, error_cap, "uimon: %s: it is not UTF-8, or there are too many variables",
                 um_scenario_parser_show(text).text);
        return UM_ERR_ARG;
    }
    if (!add_variable(scenario, text, len, text + len + 1, 0))
        return UM_ERR_MEMORY;
    struct um_scenario_variable *last = &scenario->variables[--scenario->variable_count];
    struct um_scenario_variable *there = find_variable(scenario, last->name);
    if (there)
        there->value = last->value; /* the last of several counts, as with the options */
    else
        scenario->variable_count++;
    return UM_OK;
}

/* Refuses a --define that the scenario does not use: the name is probably mistyped. */
static enum um_status check_defines(const struct um_scenario *scenario, const char *name,
                                    char *error, size_t error_cap)
{
    const char *names[UM_SCENARIO_MAX_VARIABLES + 1];
    const char *unknown = NULL;
    size_t count = 0;

    for (size_t i = 0; i < scenario->variable_count; i++) {
        const struct um_scenario_variable *variable = &scenario->variables[i];
        if (variable->line || variable->used)
            names[count++] = variable->name;
        else if (!unknown)
            unknown = variable->name;
    }
    names[count] = NULL;
    if (!unknown)
        return UM_OK;
    const char *meant = um_nearest_find(unknown, names);
    snprintf(error, error_cap, "uimon: %s: %s has no variable of that name%s%s%s", unknown, name,
             meant ? "; did you mean '" : "", meant ? meant : "", meant ? "'?" : "");
    return UM_ERR_ARG;
}

enum um_status um_scenario_parse(const char *text, size_t len_bytes, const char *name,
                                 const char *const *defines, int define_count,
                                 struct um_scenario *out, char *error, size_t error_cap)
{
    enum um_status status = UM_OK;
    struct um_scenario_parser *parser = calloc(1, sizeof *parser);

    memset(out, 0, sizeof *out);
    for (int i = 0; status == UM_OK && i < define_count; i++)
        status = define(out, defines[i], error, error_cap);
    if (parser && status == UM_OK) {
        parser->out = out;
        parser->name = name;
        parser->error = error;
        parser->error_cap = error_cap;
        parser->times[0] = 1;
        status = read_lines(parser, text, len_bytes);
    }
    if (status == UM_OK && parser)
        status = check_defines(out, name, error, error_cap);
    if (!parser || status == UM_ERR_MEMORY) {
        snprintf(error, error_cap, "uimon: %s: out of memory", name);
        status = UM_ERR_MEMORY;
    }
    free(parser);
    return status;
}

void um_scenario_deinit(struct um_scenario *scenario)
{
    while (scenario->texts) {
        struct um_scenario_text *text = scenario->texts;
        scenario->texts = text->next;
        free(text);
    }
    free(scenario->steps);
    memset(scenario, 0, sizeof *scenario);
}

/* Questions about steps ------------------------------------------------------------------------ */

bool um_scenario_next_key(const char **text, struct um_scenario_key *key)
{
    uint32_t character = um_utf8_next(text);

    memset(key, 0, sizeof *key);
    if (character == '\n')
        key->virtual_key = 0x0d; /* VK_RETURN */
    else if (character == '\t')
        key->virtual_key = 0x09; /* VK_TAB */
    else
        key->character = character;
    return character != 0;
}

uint64_t um_scenario_key_inputs(const struct um_scenario_key *key)
{
    return key->character > 0xffff ? 2 : 1;
}

uint64_t um_scenario_inputs(const struct um_scenario_step *step)
{
    struct um_scenario_key key;
    uint64_t count = 0;

    switch (step->op) {
    case UM_SCENARIO_TYPE:
        for (const char *at = step->text; um_scenario_next_key(&at, &key);)
            count += um_scenario_key_inputs(&key);
        return count;
    case UM_SCENARIO_KEY:
        return (uint64_t)step->count * um_scenario_key_inputs(&step->key);
    case UM_SCENARIO_WHEEL:
        return (uint64_t)(step->count < 0 ? -(int64_t)step->count : step->count);
    case UM_SCENARIO_CLICK:
        return step->button == UM_SCENARIO_DOUBLE ? 2 : 1;
    default:
        return 0;
    }
}

uint64_t um_scenario_own_ns(const struct um_scenario_step *step)
{
    switch (step->op) {
    case UM_SCENARIO_WAIT_IDLE:
    case UM_SCENARIO_SLEEP:
        return step->time_ns;
    case UM_SCENARIO_TYPE:
    case UM_SCENARIO_KEY:
    case UM_SCENARIO_WHEEL:
        return (uint64_t)((double)um_scenario_inputs(step) / step->rate * 1e9);
    default:
        return 0;
    }
}

uint64_t um_scenario_most_ns(const struct um_scenario_step *step)
{
    const uint64_t late_ns = UM_CLOCK_NS_PER_S;

    switch (step->op) {
    case UM_SCENARIO_LAUNCH:
    case UM_SCENARIO_ATTACH:
        return UM_SCENARIO_START_NS + late_ns;
    case UM_SCENARIO_WAIT_WINDOW:
    case UM_SCENARIO_WAIT_IDLE:
        return step->limit_ns;
    case UM_SCENARIO_SLEEP:
        return um_scenario_own_ns(step);
    case UM_SCENARIO_TYPE:
    case UM_SCENARIO_KEY:
    case UM_SCENARIO_WHEEL:
        return um_scenario_own_ns(step) + late_ns;
    case UM_SCENARIO_CLICK:
        return late_ns;
    case UM_SCENARIO_MENU:
        return 10 * late_ns;
    case UM_SCENARIO_MEASURE_END:
        return UM_SCENARIO_SETTLE_NS;
    case UM_SCENARIO_EXEC:
        return UM_SCENARIO_EXEC_NS;
    case UM_SCENARIO_CLOSE:
        return UM_SCENARIO_CLOSE_NS + late_ns;
    default:
        return 0;
    }
}
