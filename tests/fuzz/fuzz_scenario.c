/* Feeds any bytes to the scenario parser and checks what its header promises: a refusal is one line
 * that names the file; what is accepted is bounded, and its blocks fit together. The first line is
 * the value of a variable from the command line. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "monitor/bench/scenario.h"
#include "monitor/bench/scenario_describe.h"
#include "tests/fuzz/require.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_step(const struct um_scenario *scenario, uint32_t at)
{
    const struct um_scenario_step *step = &scenario->steps[at];
    char text[UM_SCENARIO_DESCRIBE_BYTES];

    um_scenario_describe_step(step, text, sizeof text);
    require(text[0] != '\0' && !strpbrk(text, "\r\n\x1b"));
    require(step->depth <= UM_SCENARIO_MAX_DEPTH);
    require(at == 0 || step->line > scenario->steps[at - 1].line);
    require((at == 0) == (step->op == UM_SCENARIO_LAUNCH || step->op == UM_SCENARIO_ATTACH));
    if (step->op == UM_SCENARIO_LAUNCH || step->op == UM_SCENARIO_EXEC)
        require(step->argc > 0 && step->argv[0][0] != '\0' && !step->argv[step->argc]);
    if (step->op == UM_SCENARIO_TYPE)
        require(step->text[0] != '\0' && step->rate >= 0.1 && step->rate <= 200);
    if (step->op == UM_SCENARIO_MEASURE || step->op == UM_SCENARIO_REPEAT)
        require(step->partner > at && step->partner < scenario->step_count);
    if (step->op == UM_SCENARIO_MEASURE_END || step->op == UM_SCENARIO_REPEAT_END)
        require(step->partner < at && scenario->steps[step->partner].partner == at);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char value[256] = "A=";
    const char *const defines[] = {value};
    char error[1024] = "";
    struct um_scenario scenario = {0};
    const uint8_t *newline = memchr(data, '\n', size);
    size_t first = newline ? (size_t)(newline - data) : 0;
    int has_define = newline && first > 0 && first < sizeof value - 2;

    if (has_define)
        memcpy(value + 2, data, first);
    if (newline) {
        data += first + 1;
        size -= first + 1;
    }
    enum um_status status = um_scenario_parse((const char *)data, size, "f", defines, has_define,
                                              &scenario, error, sizeof error);
    if (status == UM_OK) {
        require(scenario.step_count > 0 && scenario.step_count <= UM_SCENARIO_MAX_STEPS);
        require(scenario.expanded <= UM_SCENARIO_MAX_EXPANDED);
        for (uint32_t i = 0; i < scenario.step_count; i++)
            check_step(&scenario, i);
    } else {
        require(strncmp(error, "uimon: ", 7) == 0 && !strpbrk(error, "\r\n\x1b"));
        require(um_utf8_valid(error, strlen(error)));
    }
    um_scenario_deinit(&scenario);
    return 0;
}
