/* The table of the messages that are steps of a layout: that the documentation has all of it. */
#include <stdio.h>

#include <criterion/criterion.h>

#include "base/message_names.h"
#include "ipc/layout_steps.h"
#include "tests/written.h"

static const struct row {
    uint32_t message;
    const char *name;
    const char *of_class;
    enum um_layout_step step;
    enum um_layout_whose whose;
} rows[] = {
#define ROW(message, name, of_class, step, whose)                                                  \
    {message, name, of_class, UM_LAYOUT_STEP_##step, UM_LAYOUT_##whose},
    UM_LAYOUT_STEPS(ROW)};

static const char *const steps[] = {"measure", "arrange", "paint"};
static const char *const owners[] = {"the receiver", "the window in `lParam`", "`hwndItem`",
                                     "the child with that id", "`hwndFrom`"};

Test(layout_steps, documentation_has_each)
{
    const char *text = written_file(UM_SOURCE_DIR "/docs/layout.md", NULL);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char line[160];
        const char *tick = *rows[i].of_class ? "`" : "";
        snprintf(line, sizeof line, "\n| `%s` | %s%s%s | %s | %s", rows[i].name, tick,
                 *rows[i].of_class ? rows[i].of_class : "any", tick, steps[rows[i].step],
                 owners[rows[i].whose]);
        cr_expect(strstr(text, line) != NULL, "docs/layout.md has no '%s'", line + 1);
    }
}

Test(layout_steps, others_are_none)
{
    enum um_layout_step step;
    enum um_layout_whose whose;
    const char *of_class;
    size_t found = 0;
    for (uint32_t message = 0; message < 0x10000; message++)
        found += um_layout_step_of(message, &step, &whose, &of_class) != 0;
    cr_expect_eq(found, sizeof rows / sizeof rows[0]);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cr_assert(um_layout_step_of(rows[i].message, &step, &whose, &of_class));
        cr_expect(step == rows[i].step && whose == rows[i].whose, "%s", rows[i].name);
        cr_expect_str_eq(of_class, rows[i].of_class, "%s", rows[i].name);
    }
}

/* WM_USER */
Test(layout_steps, numbers_that_are_private_to_a_class_have_one)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        cr_expect_eq(*rows[i].of_class != '\0', rows[i].message >= 0x400, "%s", rows[i].name);
}

Test(layout_steps, a_class_is_known_by_its_name)
{
    cr_expect(um_layout_step_is_class("Button", "Button"));
    cr_expect(um_layout_step_is_class("BUTTON", "Button"));
    cr_expect(um_layout_step_is_class("WindowsForms10.BUTTON.app.0.141b42a", "Button"));
    cr_expect(um_layout_step_is_class("MySysListView32", "SysListView32"));
    cr_expect_not(um_layout_step_is_class("Butto", "Button"));
    cr_expect_not(um_layout_step_is_class("SysListView33", "SysListView32"));
    cr_expect_not(um_layout_step_is_class("SysListView\x13"
                                          "2",
                                          "SysListView32"));
    cr_expect_not(um_layout_step_is_class("", "Button"));
}

Test(layout_steps, messages_have_their_names_and_others_those_of_any_class)
{
    char name[UM_MESSAGE_NAMES_BYTES], same[UM_MESSAGE_NAMES_BYTES];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        um_layout_steps_name(rows[i].message, name, sizeof name);
        cr_expect_str_eq(name, rows[i].name);
        um_message_names_get(rows[i].message, "", same, sizeof same);
        if (rows[i].message < 0x400)
            cr_expect_str_eq(name, same);
    }
    um_layout_steps_name(0x412, name, sizeof name);
    cr_expect_str_eq(name, "WM_USER+18");
}
