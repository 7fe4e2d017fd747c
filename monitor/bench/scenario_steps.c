#include "monitor/bench/scenario_steps.h"

#include <stdio.h>
#include <string.h>

#include "base/plain/clock.h"
#include "base/list.h"
#include "base/nearest.h"
#include "monitor/bench/scenario_keys.h"
#include "monitor/compare/results.h"
#include "monitor/target/target_spec.h"

#define MOST_NS (1000000 * UM_CLOCK_NS_PER_S) /* a longer run counts as this long */

#define DEFAULT_RATE 10.0
#define DEFAULT_WINDOW_NS (30 * UM_CLOCK_NS_PER_S)
#define DEFAULT_IDLE_NS (60 * UM_CLOCK_NS_PER_S)
#define MAX_COUNT 1000000
#define MAX_MARK_BYTES 255
#define MAX_LABELS 8

/* Reads "within TIME", if it comes next. */
static enum um_status read_within(struct um_scenario_parser *parser, struct um_scenario_step *step)
{
    if (!um_scenario_parser_take(parser, "within"))
        return UM_OK;
    return um_scenario_parser_read_time(parser, "within", &step->limit_ns);
}

/* Reads "rate N/s", if it comes next. */
static enum um_status read_rate(struct um_scenario_parser *parser, struct um_scenario_step *step)
{
    step->rate = DEFAULT_RATE;
    if (!um_scenario_parser_take(parser, "rate"))
        return UM_OK;
    return um_scenario_parser_read_rate(parser, &step->rate);
}

static enum um_status read_program(struct um_scenario_parser *parser, struct um_scenario_step *step)
{
    const char *what = step->op == UM_SCENARIO_EXEC ? "exec" : "launch";
    const struct um_scenario_word *word = um_scenario_parser_peek(parser);

    if (!word || !*word->text)
        return UM_SCENARIO_REFUSE(parser, "%s: a program is missing: %s PROGRAM [ARG...]", what,
                                  what);
    return um_scenario_parser_keep_words(parser, step);
}

static enum um_status read_attach(struct um_scenario_parser *parser, struct um_scenario_step *step)
{
    const struct um_scenario_word *word = um_scenario_parser_next(parser);
    struct um_target_spec spec;
    char unused[512];

    if (!word)
        return UM_SCENARIO_REFUSE(parser, "attach: a target is missing: attach TARGET");
    if (um_target_spec_parse(word->text, &spec, unused, sizeof unused) != UM_OK)
        return UM_SCENARIO_REFUSE(
            parser,
            "attach: '%s' is not a target; write a program's name, a process id, "
            "\"title:TEXT\" or class:NAME",
            um_scenario_parser_show(word->text).text);
    return um_scenario_parser_keep_text(parser, word->text, step);
}

static enum um_status read_wait_window(struct um_scenario_parser *parser,
                                       struct um_scenario_step *step)
{
    step->limit_ns = DEFAULT_WINDOW_NS;
    if (um_scenario_parser_take(parser, "within"))
        return um_scenario_parser_read_time(parser, "within", &step->limit_ns);
    const struct um_scenario_word *word = um_scenario_parser_next(parser);
    if (!word)
        return UM_OK;
    bool by_class = strncmp(word->text, "class:", 6) == 0;
    bool by_title = strncmp(word->text, "title:", 6) == 0;
    const char *text = by_class || by_title ? word->text + 6 : word->text;
    step->window = by_title || (word->quoted && !by_class) ? UM_SCENARIO_WINDOW_TITLE
                                                           : UM_SCENARIO_WINDOW_CLASS;
    if (!*text)
        return UM_SCENARIO_REFUSE(parser, "wait-window: the %s is empty",
                                  step->window == UM_SCENARIO_WINDOW_TITLE ? "title" : "class");
    enum um_status status = um_scenario_parser_keep_text(parser, text, step);
    return status == UM_OK ? read_within(parser, step) : status;
}

static enum um_status read_wait_idle(struct um_scenario_parser *parser,
                                     struct um_scenario_step *step)
{
    step->limit_ns = DEFAULT_IDLE_NS;
    enum um_status status = um_scenario_parser_read_time(parser, "wait-idle", &step->time_ns);
    if (status == UM_OK)
        status = read_within(parser, step);
    if (status == UM_OK && step->limit_ns < step->time_ns)
        return UM_SCENARIO_REFUSE(
            parser, "wait-idle: the idle time cannot be longer than the time in 'within'");
    return status;
}

static enum um_status read_sleep(struct um_scenario_parser *parser, struct um_scenario_step *step)
{
    return um_scenario_parser_read_time(parser, "sleep", &step->time_ns);
}

static enum um_status read_type(struct um_scenario_parser *parser, struct um_scenario_step *step)
{
    const struct um_scenario_word *word = um_scenario_parser_next(parser);

    step->rate = DEFAULT_RATE;
    if (!word || !*word->text)
        return UM_SCENARIO_REFUSE(parser,
                                  "type: a text is missing, as in type \"hello\" rate 12/s");
    for (const char *at = word->text; *at; at++)
        if (((unsigned char)*at < ' ' && *at != '\n' && *at != '\t') || *at == 0x7f)
            return UM_SCENARIO_REFUSE(parser,
                                      "type: the text has a control character in it; 'key' presses "
                                      "keys that are no text");
    enum um_status status = um_scenario_parser_keep_text(parser, word->text, step);
    return status == UM_OK ? read_rate(parser, step) : status;
}

static enum um_status read_key(struct um_scenario_parser *parser, struct um_scenario_step *step)
{
    const struct um_scenario_word *word = um_scenario_parser_next(parser);
    char what[256];
    enum um_status status = UM_OK;

    step->count = 1;
    if (!word || !*word->text)
        return UM_SCENARIO_REFUSE(parser, "key: a key is missing, as in key ctrl+s or key \"#\"");
    if (um_scenario_keys_parse(word->text, &step->key, what, sizeof what) != UM_OK)
        return UM_SCENARIO_REFUSE(parser, "key: %s", what);
    if (um_scenario_parser_take(parser, "times"))
        status = um_scenario_parser_read_count(parser, "times", 1, MAX_COUNT, &step->count);
    return status == UM_OK ? read_rate(parser, step) : status;
}

/* Reads X,Y or class:NAME; after a class another X,Y may follow. */
static enum um_status read_place(struct um_scenario_parser *parser, const char *what,
                                 struct um_scenario_step *step)
{
    const struct um_scenario_word *word = um_scenario_parser_next(parser);

    if (!word)
        return UM_SCENARIO_REFUSE(parser, "%s: the place is missing, as in 120,40 or class:Edit",
                                  what);
    if (um_scenario_parser_read_point(word->text, &step->x, &step->y)) {
        step->place = UM_SCENARIO_PLACE_POINT;
        return UM_OK;
    }
    if (strncmp(word->text, "class:", 6) != 0 || !word->text[6])
        return UM_SCENARIO_REFUSE(
            parser,
            "%s: '%s' is not a place; write X,Y (pixels of the main window, without a blank) "
            "or class:NAME",
            what, um_scenario_parser_show(word->text).text);
    step->place = UM_SCENARIO_PLACE_CLASS;
    enum um_status status = um_scenario_parser_keep_text(parser, word->text + 6, step);
    if (status == UM_OK && um_scenario_parser_peek(parser) &&
        um_scenario_parser_read_point(um_scenario_parser_peek(parser)->text, &step->x, &step->y)) {
        step->place = UM_SCENARIO_PLACE_CLASS_POINT;
        parser->at++;
    }
    return status;
}

static const char *const buttons[] = {"left", "right", "middle", "double", NULL};

static enum um_status read_click(struct um_scenario_parser *parser, struct um_scenario_step *step)
{
    enum um_status status = read_place(parser, "click", step);
    for (int i = 0; status == UM_OK && buttons[i]; i++) {
        if (um_scenario_parser_take(parser, buttons[i])) {
            step->button = (enum um_scenario_button)i;
            break;
        }
    }
    return status;
}

static enum um_status read_wheel(struct um_scenario_parser *parser, struct um_scenario_step *step)
{
    enum um_status status =
        um_scenario_parser_read_count(parser, "wheel", -MAX_COUNT, MAX_COUNT, &step->count);
    if (status == UM_OK && step->count == 0)
        return UM_SCENARIO_REFUSE(
            parser,
            "wheel: the number of notches cannot be 0; positive turns the wheel up, away from you");
    if (status == UM_OK && um_scenario_parser_take(parser, "at"))
        status = read_place(parser, "wheel", step);
    return status == UM_OK ? read_rate(parser, step) : status;
}

static enum um_status read_menu(struct um_scenario_parser *parser, struct um_scenario_step *step)
{
    size_t count = parser->words.count - parser->at;

    if (count == 0 || count > MAX_LABELS)
        return UM_SCENARIO_REFUSE(
            parser,
            "menu: write the labels from the menu bar on, up to %d, as in menu "
            "\"File\" \"Open...\"",
            MAX_LABELS);
    for (size_t i = parser->at; i < parser->words.count; i++)
        if (!*parser->words.list[i].text)
            return UM_SCENARIO_REFUSE(parser, "menu: a label is empty");
    return um_scenario_parser_keep_words(parser, step);
}

static enum um_status read_mark(struct um_scenario_parser *parser, struct um_scenario_step *step)
{
    const struct um_scenario_word *word = um_scenario_parser_next(parser);

    if (!word || !*word->text)
        return UM_SCENARIO_REFUSE(parser, "mark: a text is missing, as in mark \"saved\"");
    if (strlen(word->text) > MAX_MARK_BYTES)
        return UM_SCENARIO_REFUSE(parser, "mark: the text is longer than %d bytes", MAX_MARK_BYTES);
    return um_scenario_parser_keep_text(parser, word->text, step);
}

static enum um_status open_block(struct um_scenario_parser *parser, const char *what, int32_t times)
{
    if (!um_scenario_parser_take(parser, "{"))
        return UM_SCENARIO_REFUSE(
            parser, "%s: end the line with '{'; the steps follow, up to a line with '}'", what);
    if (parser->depth == UM_SCENARIO_MAX_DEPTH)
        return UM_SCENARIO_REFUSE(parser, "%s: blocks are nested more than %d deep", what,
                                  UM_SCENARIO_MAX_DEPTH);
    parser->open[parser->depth] = parser->out->step_count; /* where this step will stand */
    parser->times[parser->depth + 1] = parser->times[parser->depth] * (uint64_t)times;
    if (parser->times[parser->depth + 1] > UM_SCENARIO_MAX_EXPANDED)
        return UM_SCENARIO_REFUSE(
            parser, "%s: with the blocks around it there are more than a million repetitions",
            what);
    parser->depth++;
    return UM_OK;
}

static enum um_status read_measure(struct um_scenario_parser *parser, struct um_scenario_step *step)
{
    static const char allowed[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
    const struct um_scenario_word *word = um_scenario_parser_next(parser);
    size_t len = word ? strlen(word->text) : 0;

    if (!word || (!word->quoted && *word->text == '{'))
        return UM_SCENARIO_REFUSE(parser, "measure: a name is missing, as in measure typing {");
    if (len == 0 || len >= UM_SCENARIO_NAME_BYTES || strspn(word->text, allowed) != len)
        return UM_SCENARIO_REFUSE(
            parser, "measure: '%s' is not a valid name: letters, digits, '-' and '_', up to 63",
            um_scenario_parser_show(word->text).text);
    if (strcmp(word->text, UM_RESULTS_STARTUP) == 0)
        return UM_SCENARIO_REFUSE(
            parser, "measure: 'startup' is the measure that launch makes; take another name");
    if (strcmp(word->text, UM_RESULTS_LAYOUT) == 0)
        return UM_SCENARIO_REFUSE(
            parser, "measure: 'layout' is the measure that --layout makes; take another name");
    if (parser->measure_line)
        return UM_SCENARIO_REFUSE(
            parser, "measure: the one of line %lu is still open; close it with '}' first",
            (unsigned long)parser->measure_line);
    enum um_status status = um_scenario_parser_keep_text(parser, word->text, step);
    if (status == UM_OK)
        status = open_block(parser, "measure", 1);
    if (status == UM_OK)
        parser->measure_line = parser->line;
    return status;
}

static enum um_status read_repeat(struct um_scenario_parser *parser, struct um_scenario_step *step)
{
    enum um_status status =
        um_scenario_parser_read_count(parser, "repeat", 1, MAX_COUNT, &step->count);
    return status == UM_OK ? open_block(parser, "repeat", step->count) : status;
}

static enum um_status read_end(struct um_scenario_parser *parser, struct um_scenario_step *step)
{
    if (parser->depth == 0)
        return UM_SCENARIO_REFUSE(parser, "'}' closes nothing; measure and repeat open with '{'");
    uint32_t opened = parser->open[--parser->depth];
    struct um_scenario_step *other = &parser->out->steps[opened];
    if (opened + 1 == parser->out->step_count)
        return UM_SCENARIO_REFUSE(parser, "there is nothing between '{' and '}'");
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

static enum um_status read_close(struct um_scenario_parser *parser, struct um_scenario_step *step)
{
    if (parser->depth > 0)
        return UM_SCENARIO_REFUSE(
            parser, "close: it ends the run, so it cannot stand inside measure or repeat");
    if (parser->out->steps[0].op == UM_SCENARIO_ATTACH)
        return UM_SCENARIO_REFUSE(parser,
                                  "close: the program was not launched but attached to; it is "
                                  "left running");
    step->discard = um_scenario_parser_take(parser, "discard");
    parser->close_line = parser->line;
    return UM_OK;
}

static const struct {
    const char *name;
    enum um_scenario_op op;
    enum um_status (*read)(struct um_scenario_parser *parser, struct um_scenario_step *step);
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

/* KINDS: it is the name of no step. */
static size_t kind_of(const struct um_scenario_word *word)
{
    size_t kind = 0;
    while (kind < KINDS && (word->quoted || strcmp(kinds[kind].name, word->text) != 0))
        kind++;
    return kind;
}

/* Refuses the word behind a step that is complete. */
static enum um_status refuse_rest(struct um_scenario_parser *parser, const char *step)
{
    const struct um_scenario_word *word = um_scenario_parser_peek(parser);
    struct um_utf8_shown shown = um_scenario_parser_show(word->text);
    if (kind_of(word) < KINDS)
        return UM_SCENARIO_REFUSE(parser, "%s: '%s' is another step; it needs a line of its own",
                                  step, shown.text);
    return UM_SCENARIO_REFUSE(parser, "%s: '%s' is one word too many", step, shown.text);
}

static enum um_status unknown_step(struct um_scenario_parser *parser, const char *word)
{
    const char *names[KINDS + 2] = {"set"};
    for (size_t i = 0; i < KINDS; i++)
        names[i + 1] = kinds[i].name;
    const char *meant = um_nearest_find(word, names);
    if (meant)
        return UM_SCENARIO_REFUSE(parser, "unknown step '%s'; did you mean '%s'?",
                                  um_scenario_parser_show(word).text, meant);
    return UM_SCENARIO_REFUSE(
        parser,
        "unknown step '%s'; the steps are launch, attach, wait-window, wait-idle, sleep, "
        "type, key, click, wheel, menu, mark, exec, measure, repeat, set and close",
        um_scenario_parser_show(word).text);
}

/* Checks that a step of this kind can stand at this place of the scenario. */
static enum um_status check_order(struct um_scenario_parser *parser, enum um_scenario_op op,
                                  const char *name)
{
    bool target = op == UM_SCENARIO_LAUNCH || op == UM_SCENARIO_ATTACH;
    bool first = parser->out->step_count == 0;

    if (first && !target)
        return UM_SCENARIO_REFUSE(
            parser,
            "'%s' comes before there is a program; the first step is launch or "
            "attach",
            name);
    if (!first && target)
        return UM_SCENARIO_REFUSE(
            parser, "%s: line %lu has named the program already; a scenario has only one", name,
            (unsigned long)parser->out->steps[0].line);
    if (parser->close_line && op != UM_SCENARIO_MARK && op != UM_SCENARIO_EXEC &&
        op != UM_SCENARIO_SLEEP)
        return UM_SCENARIO_REFUSE(parser, "%s: the program was closed in line %lu", name,
                                  (unsigned long)parser->close_line);
    return UM_OK;
}

/* Adds a step's time as often as it is done; the sum stays at MOST_NS. */
static void add_time(uint64_t *sum_ns, uint64_t times, uint64_t step_ns)
{
    *sum_ns += step_ns < MOST_NS / times ? times * step_ns : MOST_NS;
    *sum_ns = *sum_ns < MOST_NS ? *sum_ns : MOST_NS;
}

static enum um_status add_step(struct um_scenario_parser *parser,
                               const struct um_scenario_step *step)
{
    struct um_scenario *out = parser->out;

    if (out->step_count == UM_SCENARIO_MAX_STEPS)
        return UM_SCENARIO_REFUSE(parser, "there are more than %d steps", UM_SCENARIO_MAX_STEPS);
    if (!um_list_reserve(&out->steps, &parser->step_cap, out->step_count + 1, UM_SCENARIO_MAX_STEPS,
                         sizeof *step))
        return UM_ERR_MEMORY;
    out->steps[out->step_count++] = *step;
    /* The step of a repeat itself stands outside its block. */
    uint64_t times = parser->times[step->depth];
    out->expanded += times;
    out->inputs += times * um_scenario_inputs(step);
    add_time(&out->most_ns, times, um_scenario_most_ns(step));
    add_time(&out->own_ns, times, um_scenario_own_ns(step));
    if (out->expanded > UM_SCENARIO_MAX_EXPANDED || out->inputs > UM_SCENARIO_MAX_EXPANDED)
        return UM_SCENARIO_REFUSE(
            parser, "with all repetitions there are more than a million steps or inputs");
    return UM_OK;
}

enum um_status um_scenario_steps_read(struct um_scenario_parser *parser)
{
    const struct um_scenario_word *word = um_scenario_parser_next(parser);
    size_t kind = kind_of(word);
    if (kind == KINDS)
        return unknown_step(parser, word->text);
    struct um_scenario_step step = {
        .op = kinds[kind].op, .line = parser->line, .depth = parser->depth};
    enum um_status status = UM_OK;
    if (kinds[kind].read != read_end)
        status = check_order(parser, step.op, kinds[kind].name);
    if (status == UM_OK)
        status = kinds[kind].read(parser, &step);
    if (status == UM_OK && um_scenario_parser_peek(parser))
        status = refuse_rest(parser, kinds[kind].name);
    if (kinds[kind].read == read_end)
        step.depth = parser->depth;
    return status == UM_OK ? add_step(parser, &step) : status;
}
