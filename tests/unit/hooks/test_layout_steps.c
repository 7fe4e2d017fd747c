/* The table of the messages that are steps of a layout: that the documentation has all of it. */
#include <stdio.h>

#include <criterion/criterion.h>

#include "hooks/layout_steps.h"
#include "tests/written.h"

static const struct row {
    uint32_t message;
    const char *name;
    enum um_layout_step step;
    enum um_layout_whose whose;
} rows[] = {
#define ROW(message, name, step, whose) {message, name, UM_LAYOUT_STEP_##step, UM_LAYOUT_##whose},
    UM_LAYOUT_STEPS(ROW)};

static const char *const steps[] = {"measure", "arrange", "paint"};
static const char *const owners[] = {"the receiver", "the window in `lParam`", "`hwndItem`",
                                     "the child with that id", "`hwndFrom`"};

Test(layout_steps, documentation_has_each)
{
    const char *text = written_file(UM_SOURCE_DIR "/docs/layout.md", NULL);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char line[160];
        snprintf(line, sizeof line, "\n| `%s` | %s | %s", rows[i].name, steps[rows[i].step],
                 owners[rows[i].whose]);
        cr_expect(strstr(text, line) != NULL, "docs/layout.md has no '%s'", line + 1);
    }
}

Test(layout_steps, others_are_none)
{
    enum um_layout_step step;
    enum um_layout_whose whose;
    size_t found = 0;
    for (uint32_t message = 0; message < 0x10000; message++)
        found += um_layout_step_of(message, &step, &whose) != 0;
    cr_expect_eq(found, sizeof rows / sizeof rows[0]);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cr_assert(um_layout_step_of(rows[i].message, &step, &whose));
        cr_expect(step == rows[i].step && whose == rows[i].whose, "%s", rows[i].name);
    }
}
