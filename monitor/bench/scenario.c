#include "monitor/bench/scenario.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ipc/clock.h"
#include "monitor/base/nearest.h"
#include "monitor/base/utf8.h"
#include "monitor/bench/scenario_keys.h"
#include "monitor/bench/scenario_words.h"
#include "monitor/target/target_spec.h"

#define SHOWN_COLUMNS 40
#define DEFAULT_RATE 10.0
#define MIN_RATE 0.1
#define MAX_RATE 200.0
#define DEFAULT_WINDOW_NS (30 * UM_CLOCK_NS_PER_S)
#define DEFAULT_IDLE_NS (60 * UM_CLOCK_NS_PER_S)
#define MAX_TIME_MS 3600000.0
#define MAX_COUNT 1000000
#define MAX_PIXEL 32767
#define MAX_MARK_BYTES 255
#define MAX_LABELS 8

/* A list of copies, each behind its link. */
struct um_scenario_text {
    struct um_scenario_text *next;
    uint64_t bytes[]; /* aligned for pointers too */
};

struct parser {
    struct um_scenario *out;
    const char *name;
    uint32_t line;
    char *error;
    size_t error_cap;
    char what[512]; /* what is wrong, without the place */
    struct um_scenario_words words;
    size_t at;                            /* the next word */
    uint32_t open[UM_SCENARIO_MAX_DEPTH]; /* the steps that opened the blocks around this line */
    uint64_t times[UM_SCENARIO_MAX_DEPTH + 1]; /* how often what stands that deep is done */
    uint32_t depth;
    uint32_t measure_line; /* of the measure that is open; 0: none */
    uint32_t close_line;   /* of close; 0: not yet */
    uint32_t step_cap;
};

/* Says what is wrong with the present line: REFUSE(parser, "format", ...). */
#define REFUSE(parser, ...)                                                                        \
    (snprintf((parser)->what, sizeof parser->what, __VA_ARGS__), refuse(parser))

static enum um_status refuse(struct parser *parser)
{
    snprintf(parser->error, parser->error_cap, "uimon: %s:%lu: %s", parser->name,
             (unsigned long)parser->line, parser->what);
    return UM_ERR_FORMAT;
}

static struct um_utf8_shown show(const char *text)
{
    return um_utf8_show(text, SHOWN_COLUMNS);
}

/* Room that lives as long as the scenario; NULL if memory is short. */
static void *room(struct um_scenario *scenario, size_t len_bytes)
{
    struct um_scenario_text *text = malloc(sizeof *text + len_bytes);
    if (!text)
        return NULL;
    text->next = scenario->texts;
    scenario->texts = text;
    return text->bytes;
}

static const char *keep(struct um_scenario *scenario, const char *text, size_t len_bytes)
{
    char *copy = room(scenario, len_bytes + 1);
    if (copy) {
        memcpy(copy, text, len_bytes);
        copy[len_bytes] = 0;
    }
    return copy;
}

/* Words ---------------------------------------------------------------------------------------- */

static const struct um_scenario_word *peek(const struct parser *parser)
{
    return parser->at < parser->words.count ? &parser->words.list[parser->at] : NULL;
}

static const struct um_scenario_word *next(struct parser *parser)
{
    const struct um_scenario_word *word = peek(parser);
    parser->at += word != NULL;
    return word;
}

/* Takes the next word if it is this one. */
static bool take(struct parser *parser, const char *text)
{
    const struct um_scenario_word *word = peek(parser);
    bool is = word && !word->quoted && strcmp(word->text, text) == 0;
    parser->at += is;
    return is;
}

/* A plain decimal number at the start of a text; no exponent, hexadecimal or infinity. */
static bool read_number(const char *text, double *number, const char **behind)
{
    size_t whole = strspn(text, "0123456789");
    size_t len = whole;
    char *end;

    if (whole == 0 || whole > 9)
        return false;
    if (text[len] == '.')
        len += 1 + strspn(text + len + 1, "0123456789");
    if (len == whole + 1 || len > 20)
        return false;
    *number = strtod(text, &end);
    *behind = text + len;
    return end == *behind;
}

static enum um_status read_time(struct parser *parser, const char *what, uint64_t *ns)
{
    const struct um_scenario_word *word = next(parser);
    const char *unit = "";
    double number = 0;

    if (!word)
        return REFUSE(parser, "%s: a time is missing, as in 500ms or 2s", what);
    bool good = read_number(word->text, &number, &unit);
    if (strcmp(unit, "s") == 0)
        number *= 1000;
    else if (*unit && strcmp(unit, "ms") != 0)
        good = false;
    if (!good)
        return REFUSE(parser, "%s: '%s' is no time; write it as in 500, 500ms or 2s", what,
                      show(word->text).text);
    if (number > MAX_TIME_MS)
        return REFUSE(parser, "%s: '%s' is longer than an hour", what, show(word->text).text);
    *ns = (uint64_t)llround(number * (double)UM_CLOCK_NS_PER_MS);
    return UM_OK;
}

/* A whole number, which may be negative where `min` is. */
static enum um_status read_count(struct parser *parser, const char *what, int32_t min, int32_t max,
                                 int32_t *count)
{
    const struct um_scenario_word *word = next(parser);
    const char *text = word ? word->text : "";
    const char *behind = "";
    double number = 0;
    bool minus = min < 0 && *text == '-';

    if (!word)
        return REFUSE(parser, "%s: a number is missing", what);
    bool good =
        read_number(text + minus, &number, &behind) && *behind == 0 && number <= floor(number);
    number = minus ? -number : number;
    if (!good || number < min || number > max)
        return REFUSE(parser, "%s: '%s' is no whole number from %ld to %ld", what, show(text).text,
                      (long)min, (long)max);
    *count = (int32_t)number;
    return UM_OK;
}

/* "12/s" or "12". */
static enum um_status read_rate(struct parser *parser, double *rate)
{
    const struct um_scenario_word *word = next(parser);
    const char *unit = "";
    double number = 0;

    if (!word)
        return REFUSE(parser, "rate: how many a second is missing, as in rate 12/s");
    if (!read_number(word->text, &number, &unit) || (*unit && strcmp(unit, "/s") != 0) ||
        number < MIN_RATE || number > MAX_RATE)
        return REFUSE(parser, "rate: '%s' is no rate from 0.1/s to 200/s, as in rate 12/s",
                      show(word->text).text);
    *rate = number;
    return UM_OK;
}

/* "10,20". */
static bool read_point(const char *text, int32_t *x, int32_t *y)
{
    const char *behind;
    const char *end;
    double across;
    double down;

    if (!read_number(text, &across, &behind) || *behind != ',' ||
        !read_number(behind + 1, &down, &end) || *end || across > MAX_PIXEL || down > MAX_PIXEL ||
        across > floor(across) || down > floor(down))
        return false;
    *x = (int32_t)across;
    *y = (int32_t)down;
    return true;
}

static enum um_status keep_text(struct parser *parser, const char *text,
                                struct um_scenario_step *step)
{
    step->text = keep(parser->out, text, strlen(text));
    return step->text ? UM_OK : UM_ERR_MEMORY;
}

/* All words from here on as the step's argv. */
static enum um_status keep_words(struct parser *parser, struct um_scenario_step *step)
{
    size_t count = parser->words.count - parser->at;
    const char **argv = room(parser->out, (count + 1) * sizeof *argv);

    if (!argv)
        return UM_ERR_MEMORY;
    for (size_t i = 0; i < count; i++) {
        const char *text = next(parser)->text;
        argv[i] = keep(parser->out, text, strlen(text));
        if (!argv[i])
            return UM_ERR_MEMORY;
    }
    argv[count] = NULL;
    step->argv = argv;
    step->argc = (int)count;
    return UM_OK;
}

/* Steps ---------------------------------------------------------------------------------------- */

static enum um_status read_program(struct parser *parser, struct um_scenario_step *step)
{
    const char *what = step->op == UM_SCENARIO_EXEC ? "exec" : "launch";
    const struct um_scenario_word *word = peek(parser);

    if (!word || !*word->text)
        return REFUSE(parser, "%s: a program is missing: %s PROGRAM [ARG...]", what, what);
    return keep_words(parser, step);
}

static enum um_status read_attach(struct parser *parser, struct um_scenario_step *step)
{
    const struct um_scenario_word *word = next(parser);
    struct um_target_spec spec;
    char unused[512];

    if (!word)
        return REFUSE(parser, "attach: a target is missing: attach TARGET");
    if (um_target_spec_parse(word->text, &spec, unused, sizeof unused) != UM_OK)
        return REFUSE(parser,
                      "attach: '%s' is no target; write a program's name, a process id, "
                      "\"title:TEXT\" or class:NAME",
                      show(word->text).text);
    return keep_text(parser, word->text, step);
}

static enum um_status read_wait_window(struct parser *parser, struct um_scenario_step *step)
{
    step->limit_ns = DEFAULT_WINDOW_NS;
    if (take(parser, "within"))
        return read_time(parser, "within", &step->limit_ns);
    const struct um_scenario_word *word = next(parser);
    if (!word)
        return UM_OK;
    bool titled = word->quoted || strncmp(word->text, "title:", 6) == 0;
    const char *text =
        strncmp(word->text, "title:", 6) == 0 || strncmp(word->text, "class:", 6) == 0
            ? word->text + 6
            : word->text;
    step->window = titled && strncmp(word->text, "class:", 6) != 0 ? UM_SCENARIO_WINDOW_TITLE
                                                                   : UM_SCENARIO_WINDOW_CLASS;
    if (!*text)
        return REFUSE(parser, "wait-window: the %s is empty",
                      step->window == UM_SCENARIO_WINDOW_TITLE ? "title" : "class");
    enum um_status status = keep_text(parser, text, step);
    if (status == UM_OK && take(parser, "within"))
        status = read_time(parser, "within", &step->limit_ns);
    return status;
}

static enum um_status read_wait_idle(struct parser *parser, struct um_scenario_step *step)
{
    step->limit_ns = DEFAULT_IDLE_NS;
    enum um_status status = read_time(parser, "wait-idle", &step->time_ns);
    if (status == UM_OK && take(parser, "within"))
        status = read_time(parser, "within", &step->limit_ns);
    if (status == UM_OK && step->limit_ns < step->time_ns)
        return REFUSE(parser, "wait-idle: it cannot be idle for longer than it is waited for");
    return status;
}

static enum um_status read_sleep(struct parser *parser, struct um_scenario_step *step)
{
    return read_time(parser, "sleep", &step->time_ns);
}

static enum um_status read_type(struct parser *parser, struct um_scenario_step *step)
{
    const struct um_scenario_word *word = next(parser);

    step->rate = DEFAULT_RATE;
    if (!word || !*word->text)
        return REFUSE(parser, "type: a text is missing, as in type \"hello\" rate 12/s");
    for (const char *at = word->text; *at; at++)
        if (((unsigned char)*at < ' ' && *at != '\n' && *at != '\t') || *at == 0x7f)
            return REFUSE(parser, "type: the text has a control character in it; 'key' presses "
                                  "keys that are no text");
    enum um_status status = keep_text(parser, word->text, step);
    if (status == UM_OK && take(parser, "rate"))
        status = read_rate(parser, &step->rate);
    return status;
}

static enum um_status read_key(struct parser *parser, struct um_scenario_step *step)
{
    const struct um_scenario_word *word = next(parser);
    char what[256];
    enum um_status status = UM_OK;

    step->rate = DEFAULT_RATE;
    step->count = 1;
    if (!word || !*word->text)
        return REFUSE(parser, "key: a key is missing, as in key ctrl+s or key \"#\"");
    if (um_scenario_keys_parse(word->text, &step->key, what, sizeof what) != UM_OK)
        return REFUSE(parser, "key: %s", what);
    if (take(parser, "times"))
        status = read_count(parser, "times", 1, MAX_COUNT, &step->count);
    if (status == UM_OK && take(parser, "rate"))
        status = read_rate(parser, &step->rate);
    return status;
}

/* X,Y or class:NAME, and behind a class X,Y again. */
static enum um_status read_place(struct parser *parser, const char *what,
                                 struct um_scenario_step *step)
{
    const struct um_scenario_word *word = next(parser);

    if (!word)
        return REFUSE(parser, "%s: where is missing, as in 120,40 or class:Edit", what);
    if (read_point(word->text, &step->x, &step->y)) {
        step->place = UM_SCENARIO_PLACE_POINT;
        return UM_OK;
    }
    if (strncmp(word->text, "class:", 6) != 0 || !word->text[6])
        return REFUSE(
            parser,
            "%s: '%s' is no place; write X,Y (pixels of the main window, without a blank) "
            "or class:NAME",
            what, show(word->text).text);
    step->place = UM_SCENARIO_PLACE_CLASS;
    enum um_status status = keep_text(parser, word->text + 6, step);
    if (status == UM_OK && peek(parser) && read_point(peek(parser)->text, &step->x, &step->y)) {
        step->place = UM_SCENARIO_PLACE_CLASS_POINT;
        parser->at++;
    }
    return status;
}

static const char *const buttons[] = {"left", "right", "middle", "double", NULL};

static enum um_status read_click(struct parser *parser, struct um_scenario_step *step)
{
    enum um_status status = read_place(parser, "click", step);
    for (int i = 0; status == UM_OK && buttons[i]; i++) {
        if (take(parser, buttons[i])) {
            step->button = (enum um_scenario_button)i;
            break;
        }
    }
    return status;
}

static enum um_status read_wheel(struct parser *parser, struct um_scenario_step *step)
{
    step->rate = DEFAULT_RATE;
    enum um_status status = read_count(parser, "wheel", -MAX_COUNT, MAX_COUNT, &step->count);
    if (status == UM_OK && step->count == 0)
        return REFUSE(parser, "wheel: 0 notches are none; positive turns away from the user (up)");
    if (status == UM_OK && take(parser, "at"))
        status = read_place(parser, "wheel", step);
    if (status == UM_OK && take(parser, "rate"))
        status = read_rate(parser, &step->rate);
    return status;
}

static enum um_status read_menu(struct parser *parser, struct um_scenario_step *step)
{
    size_t count = parser->words.count - parser->at;

    if (count == 0 || count > MAX_LABELS)
        return REFUSE(parser,
                      "menu: write the labels from the menu bar on, up to %d, as in menu "
                      "\"File\" \"Open...\"",
                      MAX_LABELS);
    for (size_t i = parser->at; i < parser->words.count; i++)
        if (!*parser->words.list[i].text)
            return REFUSE(parser, "menu: a label is empty");
    return keep_words(parser, step);
}

static enum um_status read_mark(struct parser *parser, struct um_scenario_step *step)
{
    const struct um_scenario_word *word = next(parser);

    if (!word || !*word->text)
        return REFUSE(parser, "mark: a text is missing, as in mark \"saved\"");
    if (strlen(word->text) > MAX_MARK_BYTES)
        return REFUSE(parser, "mark: the text is longer than %d bytes", MAX_MARK_BYTES);
    return keep_text(parser, word->text, step);
}

static enum um_status open_block(struct parser *parser, const char *what, int32_t times)
{
    if (!take(parser, "{"))
        return REFUSE(parser,
                      "%s: its line ends in '{', and its steps follow up to a line with '}'", what);
    if (parser->depth == UM_SCENARIO_MAX_DEPTH)
        return REFUSE(parser, "%s: blocks stand in each other more than %d deep", what,
                      UM_SCENARIO_MAX_DEPTH);
    parser->open[parser->depth] = parser->out->step_count; /* the step is added after this */
    parser->times[parser->depth + 1] = parser->times[parser->depth] * (uint64_t)times;
    if (parser->times[parser->depth + 1] > UM_SCENARIO_MAX_EXPANDED)
        return REFUSE(parser, "%s: with those around it that are more than a million repetitions",
                      what);
    parser->depth++;
    return UM_OK;
}

static enum um_status read_measure(struct parser *parser, struct um_scenario_step *step)
{
    static const char allowed[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
    const struct um_scenario_word *word = next(parser);
    size_t len = word ? strlen(word->text) : 0;

    if (!word || (!word->quoted && *word->text == '{'))
        return REFUSE(parser, "measure: a name is missing, as in measure typing {");
    if (len == 0 || len >= UM_SCENARIO_NAME_BYTES || strspn(word->text, allowed) != len)
        return REFUSE(parser, "measure: '%s' is no name: letters, digits, '-' and '_', up to 63",
                      show(word->text).text);
    if (strcmp(word->text, "startup") == 0)
        return REFUSE(parser, "measure: 'startup' is what launch measures; take another name");
    if (parser->measure_line)
        return REFUSE(parser, "measure: the one of line %lu is still open; close it with '}' first",
                      (unsigned long)parser->measure_line);
    enum um_status status = keep_text(parser, word->text, step);
    if (status == UM_OK)
        status = open_block(parser, "measure", 1);
    if (status == UM_OK)
        parser->measure_line = parser->line;
    return status;
}

static enum um_status read_repeat(struct parser *parser, struct um_scenario_step *step)
{
    enum um_status status = read_count(parser, "repeat", 1, MAX_COUNT, &step->count);
    return status == UM_OK ? open_block(parser, "repeat", step->count) : status;
}

static enum um_status read_end(struct parser *parser, struct um_scenario_step *step)
{
    if (parser->depth == 0)
        return REFUSE(parser, "'}' closes nothing; measure and repeat open with '{'");
    uint32_t opened = parser->open[--parser->depth];
    struct um_scenario_step *other = &parser->out->steps[opened];
    if (opened + 1 == parser->out->step_count)
        return REFUSE(parser, "there is nothing between '{' and '}'");
    if (other->op == UM_SCENARIO_MEASURE) {
        parser->measure_line = 0;
        step->op = UM_SCENARIO_MEASURE_END;
    } else {
        step->op = UM_SCENARIO_REPEAT_END;
    }
    step->text = other->text;
    step->partner = opened;
    other->partner = parser->out->step_count;
    return UM_OK;
}

static enum um_status read_close(struct parser *parser, struct um_scenario_step *step)
{
    if (parser->depth > 0)
        return REFUSE(parser, "close: it ends a run, so it cannot stand in a measure or repeat");
    if (parser->out->steps[0].op == UM_SCENARIO_ATTACH)
        return REFUSE(parser, "close: the program is attached to and not launched; it is left "
                              "alone");
    step->discard = take(parser, "discard");
    parser->close_line = parser->line;
    return UM_OK;
}

/* Lines ---------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    enum um_scenario_op op;
    enum um_status (*read)(struct parser *parser, struct um_scenario_step *step);
} kinds[] = {
    {"launch", UM_SCENARIO_LAUNCH, read_program},
    {"attach", UM_SCENARIO_ATTACH, read_attach},
    {"wait-window", UM_SCENARIO_WAIT_WINDOW, read_wait_window},
    {"wait-idle", UM_SCENARIO_WAIT_IDLE, read_wait_idle},
    {"sleep", UM_SCENARIO_SLEEP, read_sleep},
    {"type", UM_SCENARIO_TYPE, read_type},
    {"key", UM_SCENARIO_KEY, read_key},
    {"click", UM_SCENARIO_CLICK, read_click},
    {"wheel", UM_SCENARIO_WHEEL, read_wheel},
    {"menu", UM_SCENARIO_MENU, read_menu},
    {"mark", UM_SCENARIO_MARK, read_mark},
    {"exec", UM_SCENARIO_EXEC, read_program},
    {"measure", UM_SCENARIO_MEASURE, read_measure},
    {"repeat", UM_SCENARIO_REPEAT, read_repeat},
    {"}", UM_SCENARIO_REPEAT_END, read_end},
    {"close", UM_SCENARIO_CLOSE, read_close},
};
#define KINDS (sizeof kinds / sizeof kinds[0])

static enum um_status unknown_step(struct parser *parser, const char *word)
{
    const char *names[KINDS + 2] = {"set"};
    for (size_t i = 0; i < KINDS; i++)
        names[i + 1] = kinds[i].name;
    const char *meant = um_nearest_find(word, names);
    if (meant)
        return REFUSE(parser, "unknown step '%s'; did you mean '%s'?", show(word).text, meant);
    return REFUSE(parser,
                  "unknown step '%s'; there are launch, attach, wait-window, wait-idle, sleep, "
                  "type, key, click, wheel, menu, mark, exec, measure, repeat, set and close",
                  show(word).text);
}

/* Whether such a step can stand where it stands. */
static enum um_status check_order(struct parser *parser, enum um_scenario_op op, const char *name)
{
    bool target = op == UM_SCENARIO_LAUNCH || op == UM_SCENARIO_ATTACH;
    bool first = parser->out->step_count == 0;

    if (first && !target)
        return REFUSE(parser,
                      "'%s' comes before there is a program; the first step is launch or "
                      "attach",
                      name);
    if (!first && target)
        return REFUSE(parser, "%s: line %lu has named the program already; a scenario has one",
                      name, (unsigned long)parser->out->steps[0].line);
    if (parser->close_line && op != UM_SCENARIO_MARK && op != UM_SCENARIO_EXEC &&
        op != UM_SCENARIO_SLEEP)
        return REFUSE(parser, "%s: the program was closed in line %lu", name,
                      (unsigned long)parser->close_line);
    return UM_OK;
}

static enum um_status add_step(struct parser *parser, const struct um_scenario_step *step)
{
    struct um_scenario *out = parser->out;

    if (out->step_count == UM_SCENARIO_MAX_STEPS)
        return REFUSE(parser, "there are more than %d steps", UM_SCENARIO_MAX_STEPS);
    if (out->step_count == parser->step_cap) {
        uint32_t cap = parser->step_cap ? 2 * parser->step_cap : 32;
        struct um_scenario_step *steps = realloc(out->steps, cap * sizeof *steps);
        if (!steps)
            return UM_ERR_MEMORY;
        out->steps = steps;
        parser->step_cap = cap;
    }
    out->steps[out->step_count++] = *step;
    /* A repeat itself is done as often as what it stands in. */
    uint64_t times = parser->times[step->depth];
    out->expanded += times;
    out->inputs += times * um_scenario_inputs(step);
    if (out->expanded > UM_SCENARIO_MAX_EXPANDED || out->inputs > UM_SCENARIO_MAX_EXPANDED)
        return REFUSE(parser, "with all repetitions that are more than a million steps or inputs");
    return UM_OK;
}

static enum um_status read_step(struct parser *parser)
{
    const struct um_scenario_word *word = next(parser);
    size_t kind = 0;

    while (kind < KINDS && (word->quoted || strcmp(kinds[kind].name, word->text) != 0))
        kind++;
    if (kind == KINDS)
        return unknown_step(parser, word->text);
    struct um_scenario_step step = {
        .op = kinds[kind].op, .line = parser->line, .depth = parser->depth};
    enum um_status status = UM_OK;
    if (kinds[kind].read != read_end)
        status = check_order(parser, step.op, kinds[kind].name);
    if (status == UM_OK)
        status = kinds[kind].read(parser, &step);
    if (status == UM_OK && peek(parser))
        status =
            REFUSE(parser, "%s: '%s' is too much", kinds[kind].name, show(peek(parser)->text).text);
    if (kinds[kind].read == read_end)
        step.depth = parser->depth;
    return status == UM_OK ? add_step(parser, &step) : status;
}

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
    struct um_scenario_variable variable = {.name = keep(scenario, name, name_len),
                                            .value = keep(scenario, value, strlen(value)),
                                            .line = line};
    if (!variable.name || !variable.value)
        return false;
    scenario->variables[scenario->variable_count++] = variable;
    return true;
}

/* Behind "set". What the command line says stays. */
static enum um_status read_set(struct parser *parser)
{
    const struct um_scenario_word *name = next(parser);
    const struct um_scenario_word *value = next(parser);

    if (!value)
        return REFUSE(parser, "set: write a name and a value, as in set TEXT \"hello\"");
    if (peek(parser))
        return REFUSE(parser, "set: '%s' is too much; put quotes around a value with blanks",
                      show(peek(parser)->text).text);
    size_t len = um_scenario_words_name_bytes(name->text);
    if (len == 0 || name->text[len] || len >= UM_SCENARIO_NAME_BYTES)
        return REFUSE(parser, "set: '%s' is no name: letters, digits and '_', up to 63",
                      show(name->text).text);
    struct um_scenario_variable *there = find_variable(parser->out, name->text);
    if (there && (there->line || there->used))
        return REFUSE(parser, "set: %s has its value already; set it once, above its first use",
                      name->text);
    if (there) {
        there->used = true;
        return UM_OK;
    }
    if (parser->out->variable_count == UM_SCENARIO_MAX_VARIABLES)
        return REFUSE(parser, "set: there are more than %d variables", UM_SCENARIO_MAX_VARIABLES);
    return add_variable(parser->out, name->text, len, value->text, parser->line) ? UM_OK
                                                                                 : UM_ERR_MEMORY;
}

static enum um_status read_line(struct parser *parser, const char *text, size_t len)
{
    char line[UM_SCENARIO_MAX_LINE_BYTES + 1];
    char what[256];

    if (len > UM_SCENARIO_MAX_LINE_BYTES)
        return REFUSE(parser, "the line is longer than %d bytes", UM_SCENARIO_MAX_LINE_BYTES);
    if (!um_utf8_valid(text, len))
        return REFUSE(parser, "the text is not UTF-8; save the file as UTF-8");
    memcpy(line, text, len);
    line[len] = 0;
    if (um_scenario_words_split(line, lookup, parser->out, &parser->words, what, sizeof what) !=
        UM_OK)
        return REFUSE(parser, "%s", what);
    parser->at = 0;
    if (parser->words.count == 0)
        return UM_OK;
    return take(parser, "set") ? read_set(parser) : read_step(parser);
}

static enum um_status read_lines(struct parser *parser, const char *text, size_t len_bytes)
{
    static const char bom[] = "\xef\xbb\xbf";
    const char *at = text;
    const char *end = text + len_bytes;
    enum um_status status = UM_OK;

    if (len_bytes > UM_SCENARIO_MAX_BYTES)
        return REFUSE(parser, "the file is larger than %d bytes", UM_SCENARIO_MAX_BYTES);
    if (len_bytes >= 3 && memcmp(text, bom, 3) == 0)
        at += 3;
    while (status == UM_OK && at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t len = (size_t)((newline ? newline : end) - at);
        parser->line++;
        status = read_line(parser, at, len > 0 && at[len - 1] == '\r' ? len - 1 : len);
        at += newline ? len + 1 : len;
    }
    if (status != UM_OK)
        return status;
    if (parser->depth > 0) {
        parser->line = parser->out->steps[parser->open[parser->depth - 1]].line;
        return REFUSE(parser, "the '{' of this line is never closed");
    }
    if (parser->out->step_count == 0)
        return REFUSE(parser, "there are no steps; the first one is launch or attach");
    return UM_OK;
}

/* NAME=VALUE of the command line. */
static enum um_status define(struct um_scenario *scenario, const char *text, char *error,
                             size_t error_cap)
{
    size_t len = um_scenario_words_name_bytes(text);

    if (len == 0 || text[len] != '=' || len >= UM_SCENARIO_NAME_BYTES) {
        snprintf(error, error_cap, "uimon: --define %s: write it as NAME=VALUE", show(text).text);
        return UM_ERR_ARG;
    }
    if (!um_utf8_valid(text, strlen(text)) ||
        scenario->variable_count == UM_SCENARIO_MAX_VARIABLES) {
        snprintf(error, error_cap, "uimon: --define %s: it is not UTF-8, or there are too many",
                 show(text).text);
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

/* A define that nothing in the scenario knows is a mistyped one. */
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
    snprintf(error, error_cap, "uimon: --define %s: %s has no variable of that name%s%s%s", unknown,
             name, meant ? "; did you mean '" : "", meant ? meant : "", meant ? "'?" : "");
    return UM_ERR_ARG;
}

enum um_status um_scenario_parse(const char *text, size_t len_bytes, const char *name,
                                 const char *const *defines, int define_count,
                                 struct um_scenario *out, char *error, size_t error_cap)
{
    enum um_status status = UM_OK;
    struct parser *parser = calloc(1, sizeof *parser);

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

enum um_status um_scenario_load(const char *path, char **text, size_t *len_bytes, char *error,
                                size_t error_cap)
{
    FILE *file = fopen(path, "rb");
    char *buf = file ? malloc(UM_SCENARIO_MAX_BYTES + 1) : NULL;

    if (!file) {
        bool missing = errno == ENOENT;
        snprintf(error, error_cap, "uimon: %s: %s", show(path).text,
                 missing ? "there is no such file" : "the file cannot be opened");
        return missing ? UM_ERR_NOT_FOUND : UM_ERR_IO;
    }
    size_t len = buf ? fread(buf, 1, UM_SCENARIO_MAX_BYTES + 1, file) : 0;
    enum um_status status = !buf                          ? UM_ERR_MEMORY
                            : ferror(file)                ? UM_ERR_IO
                            : len > UM_SCENARIO_MAX_BYTES ? UM_ERR_TOO_LARGE
                                                          : UM_OK;
    fclose(file);
    if (status == UM_OK) {
        *text = buf;
        *len_bytes = len;
        return UM_OK;
    }
    free(buf);
    if (status == UM_ERR_TOO_LARGE)
        snprintf(error, error_cap, "uimon: %s: larger than %d bytes, so it is no scenario",
                 show(path).text, UM_SCENARIO_MAX_BYTES);
    else
        snprintf(error, error_cap, "uimon: %s: the file cannot be read: %s", show(path).text,
                 um_status_text(status));
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

/* Looking at steps ----------------------------------------------------------------------------- */

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
