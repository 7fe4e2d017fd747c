#include "demo/options.h"

#include <stddef.h>
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
    "                   nest:5x20 sends 5 messages within one another, of 20 ms each;\n"
    "                   panes:20x30 resizes nested panes 20 times, whose layout costs 1, 5\n"
    "                   and 30 ms\n"
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

/* Reads "X,Y,W,H". */
static bool read_pos(const char *text, int32_t pos[4])
{
    long values[4];
    for (int i = 0; i < 4; i++) {
        char *end;
        values[i] = strtol(text, &end, 10);
        bool in_range = values[i] >= -32768 && values[i] <= 32767 && (i < 2 || values[i] > 0);
        if (end == text || *end != (i < 3 ? ',' : '\0') || !in_range)
            return false;
        text = end + 1;
    }
    for (int i = 0; i < 4; i++)
        pos[i] = (int32_t)values[i];
    return true;
}

/* Reads "5,20,50". */
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

enum kind { SWITCH, NUMBER, COSTS, TEXT, PLAY, POS, TYPING };

#define HOUR_MS 3600000
#define FIELD(name) offsetof(struct um_demo_options, name)
#define COST(which) FIELD(costs[UM_DEMO_OPTIONS_COST_##which])

static const struct row {
    const char *name;
    size_t offset; /* of its field */
    enum kind kind;
    uint32_t max;
} rows[] = {
    {"still", FIELD(still), SWITCH, 0},
    {"animate", FIELD(animate), SWITCH, 0},
    {"exit", FIELD(exit), SWITCH, 0},
    {"help", FIELD(help), SWITCH, 0},
    {"delay", FIELD(delay_ms), NUMBER, HOUR_MS},
    {"pause", FIELD(pause_ms), NUMBER, HOUR_MS},
    {"repeat", FIELD(repeat), NUMBER, 1000000},
    {"seconds", FIELD(seconds), NUMBER, 1000000},
    {"splash", FIELD(splash_ms), NUMBER, HOUR_MS},
    {"stall", FIELD(stall_ms), NUMBER, HOUR_MS},
    {"down-cost", COST(DOWN), COSTS, 0},
    {"key-cost", COST(KEY), COSTS, 0},
    {"paint-cost", COST(PAINT), COSTS, 0},
    {"click-cost", COST(CLICK), COSTS, 0},
    {"release-cost", COST(RELEASE), COSTS, 0},
    {"wheel-cost", COST(WHEEL), COSTS, 0},
    {"log", FIELD(log), TEXT, 0},
    {"title", FIELD(title), TEXT, 0},
    {"class", FIELD(class_name), TEXT, 0},
    {"play", FIELD(play), PLAY, 0},
    {"pos", FIELD(pos), POS, 0},
    {"typing", FIELD(plain), TYPING, 0},
};

/* The row of "--name" or "--name=value"; NULL if there is none. A switch has no value. */
static const struct row *find_row(const char *arg)
{
    size_t len = strcspn(arg, "=");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && strncmp(arg, "--", 2) == 0; i++)
        if (strlen(rows[i].name) == len - 2 && memcmp(rows[i].name, arg + 2, len - 2) == 0)
            return rows[i].kind == SWITCH && arg[len] ? NULL : &rows[i];
    return NULL;
}

static bool set_value(struct um_demo_options *options, const struct row *row, const char *value)
{
    void *field = (char *)options + row->offset;
    switch (row->kind) {
    case SWITCH:
        return *(bool *)field = true;
    case NUMBER:
        return read_number(value, row->max, field);
    case COSTS:
        options->plain = true;
        return read_costs(value, field);
    case TEXT:
        *(const char **)field = value;
        return *value != '\0';
    case PLAY:
        return um_demo_play_parse(value, field) == UM_OK;
    case POS:
        options->has_pos = true;
        return read_pos(value, field);
    default:
        options->plain = strcmp(value, "plain") == 0;
        return options->plain || strcmp(value, "edit") == 0;
    }
}

/* Takes the option at argv[*index], and its value, which may be the next word. */
static bool take_option(int argc, char *const argv[], int *index, const struct row *row,
                        struct um_demo_options *options)
{
    const char *equals = strchr(argv[*index], '=');
    if (row->kind == SWITCH)
        return set_value(options, row, NULL);
    if (equals)
        return set_value(options, row, equals + 1);
    return *index + 1 < argc && set_value(options, row, argv[++*index]);
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
        const struct row *row = find_row(arg);
        if (row && take_option(argc, argv, &i, row, &found))
            continue;
        snprintf(error, error_bytes, "%s: %s; see --help", arg,
                 row ? "its value is missing or not valid" : "no such option");
        return UM_ERR_ARG;
    }
    found.still = (found.still || found.play.len > 0) && !found.animate;
    *options = found;
    return UM_OK;
}
