#include "monitor/bench/scenario_measures.h"

#include <string.h>

#define BIT(quantity) (1u << UM_COMPARISON_##quantity)

static const uint32_t startup_quantities = BIT(WINDOW) | BIT(PAINT) | BIT(READY) | BIT(IDLE);
static const uint32_t always_quantities = BIT(DURATION) | BIT(BEATS) | BIT(FREEZES);
static const uint32_t input_quantities =
    BIT(TOTAL) | BIT(DELAY) | BIT(PROCESSING) | BIT(PRESENTATION);

/* Whether a step sends input, or starts a program that may send some. */
static bool may_send(const struct um_scenario_step *step)
{
    return step->op == UM_SCENARIO_EXEC || step->op == UM_SCENARIO_TYPE ||
           step->op == UM_SCENARIO_KEY || step->op == UM_SCENARIO_CLICK ||
           step->op == UM_SCENARIO_WHEEL || step->op == UM_SCENARIO_MENU;
}

/* Whether the measure that begins at this step has a step that may send input. */
static bool may_have_input(const struct um_scenario *scenario, uint32_t begin)
{
    for (uint32_t i = begin; i < scenario->steps[begin].partner; i++)
        if (may_send(&scenario->steps[i]))
            return true;
    return false;
}

/* Adds to a measure, which may stand in the scenario more than once. Returns how many there are. */
static size_t add(struct um_limits_measure *list, size_t count, const char *name,
                  uint32_t quantities)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].name, name) == 0) {
            list[i].quantities |= quantities;
            return count;
        }
    if (count < UM_LIMITS_NAMES_MOST)
        list[count++] = (struct um_limits_measure){name, quantities};
    return count;
}

size_t um_scenario_measures_list(const struct um_scenario *scenario, bool layout,
                                 struct um_limits_measure *out)
{
    size_t count = 0;
    for (uint32_t i = 0; i < scenario->step_count; i++) {
        const struct um_scenario_step *step = &scenario->steps[i];
        if (step->op == UM_SCENARIO_LAUNCH)
            count = add(out, count, UM_RESULTS_STARTUP, startup_quantities);
        else if (step->op == UM_SCENARIO_MEASURE)
            count = add(out, count, step->text,
                        always_quantities | (may_have_input(scenario, i) ? input_quantities : 0));
    }
    return layout ? add(out, count, UM_RESULTS_LAYOUT, BIT(LAYOUT_FRAME)) : count;
}
