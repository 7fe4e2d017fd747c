#include "demo/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help_text[] =
    "uimon-demo: a window that freezes on request, to try uimon with\n"
    "\n"
    "  --log FILE       write the exact begin and end of each freeze (format: demo/log.h)\n"
    "  --play LIST      freeze by itself, for instance 20,35,spin:80,sent:300,jank:20x30,\n"
    "                   flood:1000,modal:500,wait:500 (ms; a number alone sleeps);\n"
    "                   pool:600x1500 blocks the thread pool by 600 items for 1500 ms,\n"
    "                   paint:60x500 paints the bar 60 times a second for 500 ms;\n"
    "                   nest:5x20 sends 5 messages within one another, of 20 ms each\n"
    "  --delay MS       before the list begins (1000)\n"
    "  --pause MS       between its items (400)\n"
    "  --repeat N       play it N times; 0 is for ever (1)\n"
    "  --exit           leave after the list\n"
    "  --seconds N      leave after N seconds\n"
    "  --still          nothing in the window moves by itself (the default with --play)\n"
    "  --animate        the bar moves, also with --play\n"
    "  --key-cost MS    each character in the typing area costs so much; with a list (5,20,50)\n"
    "                   one cost after the other, and again from the first\n"
    "  --down-cost MS, --paint-cost MS, --click-cost MS, --release-cost MS, --wheel-cost MS\n"
    "                   likewise a key that goes down, a painting, a button down and up, a\n"
    "                   step of the wheel\n"
    "  --typing KIND    the typing area is the system's (edit), or one that paints by WM_PAINT\n"
    "                   alone and logs each interaction (plain; the default with a cost)\n"
    "  --splash MS      first a splash window, on a thread of its own, for so long\n"
    "  --title TEXT     the window's title (uimon demo)\n"
    "  --class NAME     its window class (UimonDemo)\n"
    "  --pos X,Y,W,H    where it stands, in pixels\n"
    "  --stall MS       log delays of the machine above this (15)\n"
    "  --help           this text\n";

const char *um_demo_options_help(void)
{
    return help_text;
}

/* Reads a whole number from 0 to `max`. */
static bool read_number(const char *text, uint32_t max, uint32_t *value)
{
    char *end;
    if (*text < '0' || *text > '9')
        return false;
    unsigned long long number = strtoull(text, &end, 10);
    if (*end || number > max)
        return false;
    *value = (uint32_t)number;
    return true;
}

enum um_status um_demo_options_parse_pos(const char *text, int32_t pos[4])
{
    long values[4];
    for (int i = 0; i < 4; i++) {
        char *end;
        values[i] = strtol(text, &end, 10);
        bool in_range = values[i] >= -32768 && values[i] <= 32767 && (i < 2 || values[i] > 0);
        if (end == text || *end != (i < 3 ? ',' : '\0') || !in_range)
            return UM_ERR_ARG;
        text = end + 1;
    }
    for (int i = 0; i < 4; i++)
        pos[i] = (int32_t)values[i];
    return UM_OK;
}

/* True if `arg` is a switch of this name, which it then sets. */
static bool set_switch(struct um_demo_options *options, const char *arg)
{
    const struct {
        const char *name;
        bool *target;
    } switches[] = {{"--still", &options->still},
                    {"--animate", &options->animate},
                    {"--exit", &options->exit},
                    {"--help", &options->help}};
    for (size_t i = 0; i < sizeof switches / sizeof switches[0]; i++) {
        if (strcmp(switches[i].name, arg) == 0) {
            *switches[i].target = true;
            return true;
        }
    }
    return false;
}

enum outcome { UNKNOWN, BAD_VALUE, GOOD };

static enum outcome set_number(struct um_demo_options *options, const char *name, const char *value)
{
    const uint32_t hour_ms = 3600000;
    const struct {
        const char *name;
        uint32_t *target;
        uint32_t max;
    } numbers[] = {
        {"delay", &options->delay_ms, hour_ms},   {"pause", &options->pause_ms, hour_ms},
        {"repeat", &options->repeat, 1000000},    {"seconds", &options->seconds, 1000000},
        {"splash", &options->splash_ms, hour_ms}, {"stall", &options->stall_ms, hour_ms}};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (strcmp(numbers[i].name, name) == 0)
            return read_number(value, numbers[i].max, numbers[i].target) ? GOOD : BAD_VALUE;
    return UNKNOWN;
}

/* "5,20,50" */
static bool read_costs(const char *text, struct um_demo_options_costs *costs)
{
    char word[16];
    costs->count = 0;
    for (;; text++) {
        size_t len = strcspn(text, ",");
        if (len >= sizeof word || costs->count == UM_DEMO_OPTIONS_MAX_COSTS)
            return false;
        memcpy(word, text, len);
        word[len] = '\0';
        if (!read_number(word, 60000, &costs->ms[costs->count++]))
            return false;
        text += len;
        if (!*text)
            return true;
    }
}

static enum outcome set_costs(struct um_demo_options *options, const char *name, const char *value)
{
    static const char *const names[UM_DEMO_OPTIONS_COST_COUNT] = {
        [UM_DEMO_OPTIONS_COST_DOWN] = "down-cost",
        [UM_DEMO_OPTIONS_COST_KEY] = "key-cost",
        [UM_DEMO_OPTIONS_COST_PAINT] = "paint-cost",
        [UM_DEMO_OPTIONS_COST_CLICK] = "click-cost",
        [UM_DEMO_OPTIONS_COST_RELEASE] = "release-cost",
        [UM_DEMO_OPTIONS_COST_WHEEL] = "wheel-cost"};
    for (size_t i = 0; i < UM_DEMO_OPTIONS_COST_COUNT; i++) {
        if (strcmp(names[i], name) == 0) {
            options->plain = true;
            return read_costs(value, &options->costs[i]) ? GOOD : BAD_VALUE;
        }
    }
    return UNKNOWN;
}

static enum outcome set_typing(struct um_demo_options *options, const char *value)
{
    options->plain = strcmp(value, "plain") == 0;
    return options->plain || strcmp(value, "edit") == 0 ? GOOD : BAD_VALUE;
}

static enum outcome set_text(struct um_demo_options *options, const char *name, const char *value)
{
    const struct {
        const char *name;
        const char **target;
    } texts[] = {
        {"log", &options->log}, {"title", &options->title}, {"class", &options->class_name}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (strcmp(texts[i].name, name) == 0) {
            *texts[i].target = value;
            return *value ? GOOD : BAD_VALUE;
        }
    }
    return UNKNOWN;
}

static enum outcome set_value(struct um_demo_options *options, const char *name, const char *value)
{
    if (strcmp(name, "play") == 0)
        return um_demo_play_parse(value, &options->play) == UM_OK ? GOOD : BAD_VALUE;
    if (strcmp(name, "pos") == 0) {
        options->has_pos = true;
        return um_demo_options_parse_pos(value, options->pos) == UM_OK ? GOOD : BAD_VALUE;
    }
    if (strcmp(name, "typing") == 0)
        return set_typing(options, value);
    enum outcome outcome = set_number(options, name, value);
    if (outcome == UNKNOWN)
        outcome = set_costs(options, name, value);
    return outcome == UNKNOWN ? set_text(options, name, value) : outcome;
}

/* Takes the option at argv[*index], and its value, which may be the next word. */
static enum outcome take_option(int argc, char *const argv[], int *index,
                                struct um_demo_options *options)
{
    const char *arg = argv[*index];
    if (set_switch(options, arg))
        return GOOD;
    char name[16];
    size_t len = strcspn(arg, "=");
    if (strncmp(arg, "--", 2) != 0 || len - 2 >= sizeof name)
        return UNKNOWN;
    memcpy(name, arg + 2, len - 2);
    name[len - 2] = '\0';
    if (arg[len] == '=')
        return set_value(options, name, arg + len + 1);
    struct um_demo_options ignored;
    if (*index + 1 == argc)
        return set_value(&ignored, name, "") == UNKNOWN ? UNKNOWN : BAD_VALUE;
    return set_value(options, name, argv[++*index]);
}

enum um_status um_demo_options_parse(int argc, char *const argv[], struct um_demo_options *options,
                                     char *error, size_t error_bytes)
{
    struct um_demo_options found = {.title = "uimon demo",
                                    .class_name = "UimonDemo",
                                    .delay_ms = 1000,
                                    .pause_ms = 400,
                                    .repeat = 1,
                                    .stall_ms = 15};
    for (int i = 0; i < argc; i++) {
        const char *arg = argv[i];
        enum outcome outcome = take_option(argc, argv, &i, &found);
        if (outcome == GOOD)
            continue;
        snprintf(error, error_bytes, "%s: %s; see --help", arg,
                 outcome == UNKNOWN ? "no such option" : "its value is missing or not valid");
        return UM_ERR_ARG;
    }
    found.still = (found.still || found.play.len > 0) && !found.animate;
    *options = found;
    return UM_OK;
}
