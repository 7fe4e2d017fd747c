#include "monitor/target/system_class.h"

#include <stddef.h>
#include <string.h>

#include "base/utf8.h"

/* The common controls. Wine registers their classes for the program instead of for their DLL.
 * Source: CommCtrl.h and Richedit.h. */
static const char *const common[] = {
    "ComboBoxEx32",      "msctls_hotkey32", "msctls_progress32", "msctls_statusbar32",
    "msctls_trackbar32", "msctls_updown32", "NativeFontCtl",     "ReBarWindow32",
    "RichEdit20A",       "RichEdit20W",     "RICHEDIT50W",       "SysAnimate32",
    "SysDateTimePick32", "SysHeader32",     "SysIPAddress32",    "SysLink",
    "SysListView32",     "SysMonthCal32",   "SysPager",          "SysTabControl32",
    "SysTreeView32",     "ToolbarWindow32", "tooltips_class32",
};

static const char *const holders[] = {"#32770", "MDIClient"};

static bool is_one_of(const char *name, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (um_utf8_equal(name, list[i]))
            return true;
    return false;
}

bool um_system_class_is_control(const struct um_target_about *about, bool by_system)
{
    if (is_one_of(about->base_class, holders, sizeof holders / sizeof holders[0]))
        return false;
    return by_system || strcmp(about->base_class, about->window_class) != 0 ||
           is_one_of(about->window_class, common, sizeof common / sizeof common[0]);
}

bool um_system_class_is_tooltip(const struct um_target_about *about)
{
    return um_utf8_equal(about->base_class, "tooltips_class32");
}
