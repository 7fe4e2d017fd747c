#include "monitor/target/toolkit.h"

#include <stddef.h>
#include <string.h>

#include "monitor/base/utf8.h"

struct sign {
    const char *text;
    const char *toolkit;
};

/* How the names of their window classes begin. */
static const struct sign classes[] = {
    {"SunAwt", "Java"},
    {"Chrome_WidgetWin_", "Chromium"},
    {"Mozilla", "Mozilla"},
};

/* The modules that register their window classes, whatever these are called. An Electron program
 * registers them from its own .exe, so there only the class tells. */
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
