/* Which windows are controls, by their classes. */
#include <stdio.h>

#include <criterion/criterion.h>

#include "monitor/target/system_class.h"

static struct um_target_about of_class(const char *window_class, const char *base_class)
{
    struct um_target_about about = {.parent = 0};
    snprintf(about.window_class, sizeof about.window_class, "%s", window_class);
    snprintf(about.base_class, sizeof about.base_class, "%s", base_class);
    return about;
}

static bool is_control(const char *window_class, const char *base_class, bool by_system)
{
    struct um_target_about about = of_class(window_class, base_class);
    return um_system_class_is_control(&about, by_system);
}

Test(system_class, controls_are_of_classes_of_the_system)
{
    cr_expect(is_control("ComboBox", "ComboBox", true));
    cr_expect(!is_control("MyPane", "MyPane", false));
}

Test(system_class, a_class_that_was_made_of_one_is_a_control_too)
{
    cr_expect(is_control("TButton", "Button", false));
    cr_expect(!is_control("TDialog", "#32770", false));
}

Test(system_class, dialogs_and_mdi_clients_hold_what_the_program_has_described)
{
    cr_expect(!is_control("#32770", "#32770", true));
    cr_expect(!is_control("MDIClient", "MDIClient", true));
}

/* Wine registers them for the program. */
Test(system_class, common_controls_are_known_by_their_names)
{
    cr_expect(is_control("SysListView32", "SysListView32", false));
    cr_expect(is_control("toolbarwindow32", "toolbarwindow32", false));
    cr_expect(!is_control("SysListView", "SysListView", false));
}

Test(system_class, tooltips_are_known_by_their_name)
{
    struct um_target_about tip = of_class("tooltips_class32", "tooltips_class32");
    struct um_target_about own = of_class("MyTip", "tooltips_class32");
    struct um_target_about other = of_class("tooltips", "tooltips");
    cr_expect(um_system_class_is_tooltip(&tip) && um_system_class_is_tooltip(&own));
    cr_expect(!um_system_class_is_tooltip(&other));
}
