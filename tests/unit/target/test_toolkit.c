#include "monitor/target/toolkit.h"

#include <criterion/criterion.h>

Test(toolkit, knows_window_classes)
{
    static const struct {
        const char *window_class;
        const char *toolkit;
    } cases[] = {
        {"SunAwtFrame", "Java"},
        {"SunAwtDialog", "Java"},
        {"Chrome_WidgetWin_0", "Chromium"},
        {"Chrome_WidgetWin_1", "Chromium"},
        {"MozillaWindowClass", "Mozilla"},
        {"MozillaDialogClass", "Mozilla"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        cr_expect_str_eq(um_toolkit_of(cases[i].window_class, ""), cases[i].toolkit, "%s",
                         cases[i].window_class);
}

Test(toolkit, knows_modules_that_register_a_class_of_any_name)
{
    cr_expect_str_eq(um_toolkit_of("Anything", "awt.dll"), "Java");
    cr_expect_str_eq(um_toolkit_of("CefBrowserWindow", "libcef.dll"), "Chromium");
    cr_expect_str_eq(um_toolkit_of("CefBrowserWindow", "LibCEF.dll"), "Chromium");
    cr_expect_str_eq(um_toolkit_of("", "xul.dll"), "Mozilla");
}

/* Programs whose own code does run on the thread of their main window, and windows of no program
 * that is known. */
Test(toolkit, marks_no_other_program)
{
    static const char *const classes[] = {
        "Notepad",
        "HwndWrapper[devenv.exe;;4d5cd4b4-2a51-4b21-a8c6-a1a3f0a0a0a0]", /* Visual Studio, WPF */
        "SWT_Window0",                      /* Eclipse, which loads a JVM */
        "GlassWndClass-GlassWindowClass-2", /* JavaFX: its application thread pumps */
        "SALFRAME",                         /* LibreOffice, which may load a JVM */
        "Qt5152QWindowIcon",                /* also with QtWebEngine in it */
        "TeamsWebView",                     /* the frame around a WebView2 */
        "WindowsForms10.Window.8.app.0.141b42a_r8_ad1",
        "SunnyView",
        "Chrome",
        "chrome_widgetwin_1x",
        "My MozillaWindowClass",
        "",
    };
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        cr_expect_null(um_toolkit_of(classes[i], ""), "%s", classes[i]);
        cr_expect_null(um_toolkit_of(classes[i], "program.exe"), "%s", classes[i]);
    }
    cr_expect_null(um_toolkit_of("Anything", "jvm.dll"), "a JVM draws no windows");
    cr_expect_null(um_toolkit_of("Anything", "my-awt.dll"));
}

Test(toolkit, knows_classes_that_draw_their_parts_themselves)
{
    static const char *const drawing[] = {
        "HwndWrapper[devenv.exe;;4d5cd4b4-2a51-4b21-a8c6-a1a3f0a0a0a0]",
        "Qt5152QWindowIcon",
        "Qt5QWindowIcon",
        "Qt663dQWindowIcon",
        "Qt663QWindowToolSaveBits",
        "Qt6QWindowOwnDCIcon",
        "SunAwtFrame",
        "Chrome_WidgetWin_1",
        "MozillaWindowClass",
    };
    static const char *const others[] = {
        "HwndWrapper",
        "QtQWindowIcon",
        "Qt5",
        "Qt5QWidget",
        "QWidget",
        "My Qt5QWindowIcon",
        "WindowsForms10.Window.8.app.0.141b42a_r8_ad1",
        "Notepad",
        "",
    };
    for (size_t i = 0; i < sizeof drawing / sizeof drawing[0]; i++)
        cr_expect(um_toolkit_draws_parts(drawing[i]), "%s", drawing[i]);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        cr_expect(!um_toolkit_draws_parts(others[i]), "%s", others[i]);
}
