#include "monitor/target/refusal.h"

#include <criterion/criterion.h>
#include <string.h>

Test(refusal, windows_of_store_apps_and_consoles_say_why)
{
    cr_expect(strstr(um_refusal_of_class("ApplicationFrameWindow"), "Store app"));
    cr_expect(strstr(um_refusal_of_class("Windows.UI.Core.CoreWindow"), "Store app"));
    cr_expect(strstr(um_refusal_of_class("ConsoleWindowClass"), "console"));
}

Test(refusal, other_windows_are_not_refused)
{
    cr_expect_str_eq(um_refusal_of_class("Notepad"), "");
    cr_expect_str_eq(um_refusal_of_class("ApplicationFrameWindow2"), "");
    cr_expect_str_eq(um_refusal_of_class(""), "");
}
