#include "monitor/bench/scenario_describe.h"

#include <string.h>

#include "base/plain/clock.h"
#include "base/utf8.h"
#include "monitor/bench/scenario_keys.h"

#define TEXT_COLUMNS 48
#define INDENT 2

struct line {
    char *buf;
    size_t cap;
    size_t used;
};

#define ADD(line, ...)                                                                             \
    advance(line, snprintf((line)->buf + (line)->used, (line)->cap - (line)->used, __VA_ARGS__))

static void advance(struct line *line, int len)
{
    size_t left = line->cap - line->used - 1;
    line->used += len < 0 ? 0 : (size_t)len < left ? (size_t)len : left;
}

/* A text in quotes, with its line ends and tabs as they are written in a scenario. */
static void add_quoted(struct line *line, const char *text)
{
    char escaped[2 * TEXT_COLUMNS + 8];
    size_t used = 0;

    for (; *text && used + 4 < sizeof escaped; text++) {
        const char *code = strchr("\nn\tt\"\"\\\\", *text);
        if (code && (*text == '\n' || *text == '\t' || *text == '"' || *text == '\\')) {
            escaped[used++] = '\\';
            escaped[used++] = code[1];
        } else {
            escaped[used++] = *text;
        }
    }
    escaped[used] = 0;
    /* A text too long for `escaped` is longer than TEXT_COLUMNS too, so it gets its ellipsis
     * here. */
    ADD(line, " \"%s\"", um_utf8_show(escaped, TEXT_COLUMNS).text);
}

static void add_words(struct line *line, const struct um_scenario_step *step)
{
    for (int i = 0; i < step->argc; i++)
        if (step->op == UM_SCENARIO_MENU || !*step->argv[i] || strpbrk(step->argv[i], " \t\n\""))
            add_quoted(line, step->argv[i]);
        else
            ADD(line, " %s", um_utf8_show(step->argv[i], TEXT_COLUMNS).text);
}

static void add_time(struct line *line, const char *before, uint64_t ns)
{
    if (ns % UM_CLOCK_NS_PER_S == 0 && ns > 0)
        ADD(line, "%s%llu s", before, (unsigned long long)(ns / UM_CLOCK_NS_PER_S));
    else
        ADD(line, "%s%.4g ms", before, (double)ns / (double)UM_CLOCK_NS_PER_MS);
}

static void add_place(struct line *line, const struct um_scenario_step *step)
{
    if (step->text)
        ADD(line, " class:%s", um_utf8_show(step->text, TEXT_COLUMNS).text);
    if (step->place == UM_SCENARIO_PLACE_POINT || step->place == UM_SCENARIO_PLACE_CLASS_POINT)
        ADD(line, " %ld,%ld", (long)step->x, (long)step->y);
}

static void add_window(struct line *line, const struct um_scenario_step *step)
{
    if (step->window == UM_SCENARIO_WINDOW_CLASS)
        ADD(line, " class:%s", um_utf8_show(step->text, TEXT_COLUMNS).text);
    else if (step->window == UM_SCENARIO_WINDOW_TITLE)
        add_quoted(line, step->text);
    add_time(line, " within ", step->limit_ns);
}

static void add_keys(struct line *line, const struct um_scenario_step *step)
{
    char name[UM_SCENARIO_KEYS_BYTES];
    um_scenario_keys_name(&step->key, name, sizeof name);
    ADD(line, " %s", name);
    if (step->count > 1)
        ADD(line, " times %ld (%g a second)", (long)step->count, step->rate);
}

static void add_wheel(struct line *line, const struct um_scenario_step *step)
{
    ADD(line, " %ld", (long)step->count);
    if (step->place != UM_SCENARIO_PLACE_MIDDLE)
        ADD(line, " at");
    add_place(line, step);
    if (um_scenario_inputs(step) > 1)
        ADD(line, " (%g a second)", step->rate);
}

static void add_target(struct line *line, const struct um_scenario_step *step)
{
    ADD(line, " %s", um_utf8_show(step->text, TEXT_COLUMNS).text);
}

static void add_idle(struct line *line, const struct um_scenario_step *step)
{
    add_time(line, " ", step->time_ns);
    add_time(line, " within ", step->limit_ns);
}

static void add_sleep(struct line *line, const struct um_scenario_step *step)
{
    add_time(line, " ", step->time_ns);
}

static void add_typing(struct line *line, const struct um_scenario_step *step)
{
    add_quoted(line, step->text);
    ADD(line, " (%llu keys, %g a second)", (unsigned long long)um_scenario_inputs(step),
        step->rate);
}

static void add_click(struct line *line, const struct um_scenario_step *step)
{
    static const char *const buttons[] = {"", " right", " middle", " double"};
    add_place(line, step);
    ADD(line, "%s", buttons[step->button]);
}

static void add_mark(struct line *line, const struct um_scenario_step *step)
{
    add_quoted(line, step->text);
}

static void add_name(struct line *line, const struct um_scenario_step *step)
{
    ADD(line, " %s {", step->text);
}

static void add_count(struct line *line, const struct um_scenario_step *step)
{
    ADD(line, " %ld {", (long)step->count);
}

static void add_discard(struct line *line, const struct um_scenario_step *step)
{
    ADD(line, "%s", step->discard ? " discard" : "");
}

static const struct {
    const char *name;
    void (*add)(struct line *line,
                const struct um_scenario_step *step); /* what follows the name; NULL: nothing */
} kinds[] = {
    [UM_SCENARIO_LAUNCH] = {"launch", add_words},
    [UM_SCENARIO_ATTACH] = {"attach", add_target},
    [UM_SCENARIO_WAIT_WINDOW] = {"wait-window", add_window},
    [UM_SCENARIO_WAIT_IDLE] = {"wait-idle", add_idle},
    [UM_SCENARIO_SLEEP] = {"sleep", add_sleep},
    [UM_SCENARIO_TYPE] = {"type", add_typing},
    [UM_SCENARIO_KEY] = {"key", add_keys},
    [UM_SCENARIO_CLICK] = {"click", add_click},
    [UM_SCENARIO_WHEEL] = {"wheel", add_wheel},
    [UM_SCENARIO_MENU] = {"menu", add_words},
    [UM_SCENARIO_MARK] = {"mark", add_mark},
    [UM_SCENARIO_EXEC] = {"exec", add_words},
    [UM_SCENARIO_MEASURE] = {"measure", add_name},
    [UM_SCENARIO_MEASURE_END] = {"}", NULL},
    [UM_SCENARIO_REPEAT] = {"repeat", add_count},
    [UM_SCENARIO_REPEAT_END] = {"}", NULL},
    [UM_SCENARIO_CLOSE] = {"close", add_discard},
};

void um_scenario_describe_step(const struct um_scenario_step *step, char *buf, size_t cap_bytes)
{
    struct line line = {buf, cap_bytes, 0};
    ADD(&line, "%s", kinds[step->op].name);
    if (kinds[step->op].add)
        kinds[step->op].add(&line, step);
}

enum um_status um_scenario_describe_all(const struct um_scenario *scenario, FILE *out)
{
    char text[UM_SCENARIO_DESCRIBE_BYTES];

    for (uint32_t i = 0; i < scenario->step_count; i++) {
        const struct um_scenario_step *step = &scenario->steps[i];
        um_scenario_describe_step(step, text, sizeof text);
        fprintf(out, "%4lu  line %-4lu %*s%s\n", (unsigned long)i + 1, (unsigned long)step->line,
                (int)step->depth * INDENT, "", text);
    }
    return ferror(out) ? UM_ERR_IO : UM_OK;
}
