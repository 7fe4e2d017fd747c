#include "demo/play.h"

#include <stdbool.h>
#include <string.h>

#include "base/plain/clock.h"

static const struct {
    const char *word;
    bool has_count;
} kinds[] = {
    [UM_DEMO_PLAY_SLEEP] = {"sleep", false}, [UM_DEMO_PLAY_SPIN] = {"spin", false},
    [UM_DEMO_PLAY_SENT] = {"sent", false},   [UM_DEMO_PLAY_JANK] = {"jank", true},
    [UM_DEMO_PLAY_FLOOD] = {"flood", false}, [UM_DEMO_PLAY_MODAL] = {"modal", false},
    [UM_DEMO_PLAY_POOL] = {"pool", true},    [UM_DEMO_PLAY_PAINT] = {"paint", true},
    [UM_DEMO_PLAY_NEST] = {"nest", true},    [UM_DEMO_PLAY_PANES] = {"panes", true},
    [UM_DEMO_PLAY_WAIT] = {"wait", false},
};

/* Reads a number from 1 to `max` and moves `text` behind it. */
static bool read_number(const char **text, uint32_t max, uint32_t *value)
{
    uint32_t number = 0;
    const char *at = *text;
    while (*at >= '0' && *at <= '9' && number <= max)
        number = number * 10 + (uint32_t)(*at++ - '0');
    if (at == *text || number < 1 || number > max)
        return false;
    *text = at;
    *value = number;
    return true;
}

static bool read_kind(const char **text, enum um_demo_play_kind *kind)
{
    size_t len = strspn(*text, "abcdefghijklmnopqrstuvwxyz");
    if (len == 0) {
        *kind = UM_DEMO_PLAY_SLEEP;
        return true;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strlen(kinds[i].word) == len && memcmp(kinds[i].word, *text, len) == 0 &&
            (*text)[len] == ':') {
            *kind = (enum um_demo_play_kind)i;
            *text += len + 1;
            return true;
        }
    }
    return false;
}

static bool read_item(const char **text, struct um_demo_play_item *item)
{
    item->count = 1;
    if (!read_kind(text, &item->kind))
        return false;
    if (kinds[item->kind].has_count &&
        (!read_number(text, UM_DEMO_PLAY_MAX_COUNT, &item->count) || *(*text)++ != 'x'))
        return false;
    return read_number(text, UM_DEMO_PLAY_MAX_MS, &item->ms);
}

enum um_status um_demo_play_parse(const char *text, struct um_demo_play *play)
{
    struct um_demo_play list = {0};
    for (;;) {
        if (list.len == UM_DEMO_PLAY_MAX_ITEMS)
            return UM_ERR_TOO_LARGE;
        if (!read_item(&text, &list.items[list.len]))
            return UM_ERR_ARG;
        list.len++;
        if (*text == '\0')
            break;
        if (*text++ != ',')
            return UM_ERR_ARG;
    }
    *play = list;
    return UM_OK;
}

uint64_t um_demo_play_pause_ns(uint32_t pause_ms, uint32_t index)
{
    const uint64_t step_us = 1700;
    const uint64_t beat_us = 10000;
    uint64_t phase_us = index * step_us % beat_us;
    return pause_ms * UM_CLOCK_NS_PER_MS + phase_us * UM_CLOCK_NS_PER_US;
}
