#include "monitor/target/refusal.h"

#include <stddef.h>
#include <string.h>

static const struct {
    const char *window_class;
    const char *why;
} classes[] = {
    {"ConsoleWindowClass", "a console window belongs to the system, which allows no hooks in it"},
    {"ApplicationFrameWindow",
     "the frame of a Store app, whose thread goes on while the app itself hangs"},
    {"Windows.UI.Core.CoreWindow", "a Store app, which loads no DLL of another program"},
};

const char *um_refusal_of_class(const char *window_class)
{
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++)
        if (strcmp(window_class, classes[i].window_class) == 0)
            return classes[i].why;
    return "";
}
