#include "monitor/target/toolkit.h"

#include <stddef.h>
#include <string.h>

#include "base/utf8.h"

struct sign {
    const char *text;
    const char *toolkit;
};

/* Prefixes of the names of window classes. */
static const struct sign classes[] = {
    {"SunAwt", "Java"},
    {"Chrome_WidgetWin_", "Chromium"},
    {"Mozilla", "Mozilla"},
};

/* Modules that register window classes with any name. An Electron program registers its classes
 * from its own .exe, so it is recognized by the class. */
static const struct sign modules[] = {
    {"awt.dll", "Java"},        {"chrome.dll", "Chromium"}, {"msedge.dll", "Chromium"},
    {"libcef.dll", "Chromium"}, {"xul.dll", "Mozilla"},
};

const char *um_toolkit_of(const char *window_class, const char *class_module)
{
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++)
        if (strncmp(window_class, classes[i].text, strlen(classes[i].text)) == 0)
            return classes[i].toolkit;
    for (size_t i = 0; i < sizeof modules / sizeof modules[0]; i++)
        if (um_utf8_equal(class_module, modules[i].text))
            return modules[i].toolkit;
    return NULL;
}

/* "Qt5152QWindowIcon", "Qt5QWindowIcon"; "Qt663dQWindowIcon" of a build with debug information. */
static bool is_qt(const char *window_class)
{
    const char *version = window_class + 2;
    return strncmp(window_class, "Qt", 2) == 0 && *version >= '0' && *version <= '9' &&
           strstr(version, "QWindow") != NULL;
}

bool um_toolkit_draws_parts(const char *window_class)
{
    static const char wpf[] = "HwndWrapper[";
    return strncmp(window_class, wpf, sizeof wpf - 1) == 0 || is_qt(window_class) ||
           um_toolkit_of(window_class, "") != NULL;
}
