#include "monitor/stats/freeze_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/short_name.h"

/* Appends to a text; what is appended in this file always fits. */
#define APPEND(text, ...)                                                                          \
    (void)snprintf(text.chars + strlen(text.chars), sizeof text.chars - strlen(text.chars),        \
                   __VA_ARGS__)

/* A frame, without its module if the frame before has the same one. */
static const char *without_module(const char *frame, const char *before)
{
    const char *plus = strrchr(frame, '+');
    size_t len = plus ? (size_t)(plus - frame) + 1 : 0;
    return plus && strncmp(frame, before, len) == 0 ? plus : frame;
}

struct um_freeze_text um_freeze_text_stack(const struct um_wire_stack *stack)
{
    struct um_freeze_text text = {""};
    const char *before = "";
    if (stack->frames[0][0] == '\0')
        APPEND(text, "%" PRIu32 " samples, most of them in no place in common",
               um_wire_stack_of(stack));
    else
        APPEND(text, "%" PRIu32 " of %" PRIu32 " in ", stack->alike, um_wire_stack_of(stack));
    for (unsigned i = 0; i < UM_WIRE_STACK_FRAMES && stack->frames[i][0] != '\0'; i++) {
        APPEND(text, "%s%s%s", i == 0 ? "" : " ← ",
               stack->known & UM_WIRE_STACK_GUESSED(i) ? UM_WIRE_GUESS : "",
               um_short_name(without_module(stack->frames[i], before)));
        if (i == 0 && stack->place[0] != '\0')
            APPEND(text, " (%s)", stack->place);
        before = stack->frames[i];
    }
    return text;
}

struct um_freeze_text um_freeze_text_inputs(const struct um_stats_freeze *freeze)
{
    static const char *const one[] = {[UM_INTERACTION_KEY] = "key",
                                      [UM_INTERACTION_CLICK] = "click",
                                      [UM_INTERACTION_WHEEL] = "step of the wheel"};
    static const char *const many[] = {[UM_INTERACTION_KEY] = "keys",
                                       [UM_INTERACTION_CLICK] = "clicks",
                                       [UM_INTERACTION_WHEEL] = "steps of the wheel"};
    struct um_freeze_text text = {""};
    for (size_t i = 0; i < UM_INTERACTION_COUNT; i++)
        if (freeze->held_up[i] > 0)
            APPEND(text, "%s%" PRIu32 " %s", text.chars[0] != '\0' ? ", " : "", freeze->held_up[i],
                   freeze->held_up[i] == 1 ? one[i] : many[i]);
    return text;
}

struct um_freeze_text um_freeze_text_felt(const struct um_stats_freezes *freezes)
{
    struct um_freeze_text text = {"felt: "};
    uint32_t open = 0;
    for (size_t i = 0; i < freezes->len; i++)
        open += freezes->list[i].open;
    uint32_t known = freezes->count - open - freezes->unsure;
    if (!freezes->observes)
        APPEND(text, "not observed (--interactions)");
    else if (known > 0)
        APPEND(text, "%" PRIu32 " of %" PRIu32, freezes->felt, known);
    else if (freezes->unsure > 0)
        APPEND(text, "not observed (when input came is not known)");
    if (freezes->observes && known > 0 && freezes->unsure > 0)
        APPEND(text, ", not observed of %" PRIu32, freezes->unsure);
    if (freezes->observes && open > 0)
        APPEND(text, "%snot known of one that lasts", known + freezes->unsure > 0 ? ", " : "");
    return text;
}
